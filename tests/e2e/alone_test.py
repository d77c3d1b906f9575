"""A site whose meta does not answer works on for its own users: they dial its listener with
`muster --via`; their jobs survive its daemon; its configuration is read again while they run."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

from federation import BIN, MUSTER, PATIENCE_S, Answer, until


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class AloneTest(unittest.TestCase):
    """One site, no meta anywhere."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="muster-alone-"))
        self.env = {"PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(self.root),
                    "LC_ALL": "C.UTF-8", "TZ": "UTC",
                    "XDG_STATE_HOME": str(self.root / "state"),
                    "XDG_CONFIG_HOME": str(self.root / "config")}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                self.env[name] = os.environ[name]
        self.public = {}
        for name in ("meta", "lakes", "kim", "lee", "root"):
            made = self.run_muster("-q", "keys", "new", str(self.root / f"{name}.key"))
            self.assertEqual(made.code, 0, made)
            self.public[name] = made.out.strip()
        self.meta_port, self.port, self.rendezvous = free_port(), free_port(), free_port()
        self.users = ["kim", "root"]
        self.write_site(nodes="n[1-2]")
        for name in ("kim", "lee", "root"):
            (self.root / f"{name}.toml").write_text(
                f'default = "campus"\n[federation.campus]\n'
                f'meta = "tcp://127.0.0.1:{self.meta_port}"\n'
                f'meta_key = "{self.public["meta"]}"\nkey = "{name}.key"\n'
                f'[federation.campus.site.lakes]\n'
                f'address = "tcp://127.0.0.1:{self.port}"\nkey = "{self.public["lakes"]}"\n')
        self.daemon = None
        self.start()

    def tearDown(self):
        if self.daemon and self.daemon.poll() is None:
            self.daemon.terminate()
            self.daemon.wait(timeout=PATIENCE_S)
        if getattr(self, "_outcome", None) and not self._outcome.success:
            print((self.root / "lakes.log").read_text(errors="replace")[-4000:])
        shutil.rmtree(self.root, ignore_errors=True)

    def run_muster(self, *words):
        return Answer(subprocess.run([MUSTER, *words], cwd=self.root, env=self.env,
                                     stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                     timeout=PATIENCE_S, check=False))

    def via(self, user, *words):
        config = str(self.root / f"{user}.toml")
        return self.run_muster("--config", config, "--via", "lakes", *words)

    def ok(self, user, *words):
        answer = self.via(user, *words)
        self.assertEqual(answer.code, 0, answer)
        return answer

    def write_site(self, nodes, more=""):
        first = self.rendezvous if self.rendezvous < 65000 else 40000
        users = "".join(
            f'[[user]]\nname = "{name}"\nkey = "{self.public[name]}"\n'
            f'role = "{"operator" if name == "root" else "user"}"\n' for name in self.users)
        (self.root / "lakes.toml").write_text(
            f'[site]\nname = "lakes"\nmeta = "tcp://127.0.0.1:{self.meta_port}"\n'
            f'meta_key = "{self.public["meta"]}"\nkey = "lakes.key"\nstate_dir = "lakes"\n'
            f'min_free = "1mb"\nlisten = "tcp://127.0.0.1:{self.port}"\n'
            f'rendezvous_ports = "{first}-{first + 99}"\n{more}'
            f'[[nodes]]\nnames = "{nodes}"\nresources = {{ ncpus = 4, mem = "1gb" }}\n{users}')

    def start(self):
        with open(self.root / "lakes.log", "ab") as log:
            self.daemon = subprocess.Popen(
                [str(BIN / "muster-sited"), "--config", str(self.root / "lakes.toml")],
                env=self.env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        until(lambda: self.via("kim", "sites").code == 0, "the site hears its users")

    def log(self):
        return (self.root / "lakes.log").read_text(errors="replace")

    def job(self, number):
        return self.ok("kim", "--json", "show", str(number)).json()["job"]

    def test_its_users_submit_find_read_and_cancel_their_jobs_without_a_meta(self):
        submitted = self.ok("kim", "-q", "submit", "-t", "1m", "-l", "1:ncpus=1", "--",
                            "echo", "hello from here")
        self.assertEqual(submitted.out.strip(), "lakes/1")
        until(lambda: self.job(1)["state"] == "ended", "the job ends")
        job = self.job(1)
        self.assertEqual((job["id"], job["outcome"]), ("lakes/1", "done"))
        self.assertEqual(job["parts"][0]["exit_code"], 0)
        self.assertIn("hello from here", self.ok("kim", "logs", "1").out)
        # The same key is the same job, whenever.
        once = ("-q", "submit", "-t", "1m", "--once", "nightly", "--", "sleep", "60")
        self.assertEqual(self.ok("kim", *once).out.strip(), "lakes/2")
        self.assertEqual(self.ok("kim", *once).out.strip(), "lakes/2")
        queue = self.ok("kim", "--json", "queue", "--everyone").json()
        self.assertEqual([row["id"] for row in queue["jobs"]], ["lakes/2"])
        self.assertIn("lakes/2", self.ok("kim", "gantt").out + self.ok("kim", "nodes").out)
        self.assertEqual(self.via("lee", "queue").code, 4, "an unlisted key is not heard")
        self.ok("kim", "cancel", "2")
        until(lambda: self.job(2)["state"] == "ended", "the cancelled job ends")
        self.assertEqual(self.job(2)["outcome"], "cancelled")
        refused = self.via("kim", "submit", "-t", "1m", "-a", "1-3", "--", "true")
        self.assertNotEqual(refused.code, 0)
        self.assertEqual(self.via("kim", "drain", "lakes/n1", "--reason", "fan").code, 4)

    def test_its_jobs_survive_its_daemon(self):
        self.ok("kim", "submit", "-t", "1m", "--", "sh", "-c", "sleep 3; echo survived")
        until(lambda: self.job(1)["state"] == "running", "the job runs")
        self.daemon.send_signal(signal.SIGKILL)
        self.daemon.wait(timeout=PATIENCE_S)
        self.start()
        until(lambda: self.job(1)["state"] == "ended", "the job ends")
        self.assertEqual(self.job(1)["outcome"], "done")
        self.assertIn("survived", self.ok("kim", "logs", "1").out)

    def test_its_configuration_is_read_again_in_place_and_a_wrong_one_changes_nothing(self):
        self.ok("kim", "submit", "-t", "1m", "--", "sh", "-c", "sleep 4; echo went on")
        until(lambda: self.job(1)["state"] == "running", "the job runs")
        self.users.append("lee")
        self.write_site(nodes="n[1-3]", more="turnover = 3\n")
        wrong = self.via("root", "reload")
        self.assertNotEqual(wrong.code, 0, wrong)
        self.assertIn("lakes.toml:", wrong.err)
        self.assertNotEqual(self.via("lee", "queue").code, 0)
        self.write_site(nodes="n[1-3]")
        self.assertEqual(self.via("kim", "reload").code, 4, "operators only")
        reloaded = self.ok("root", "reload")
        self.assertIn("3 nodes, 3 users", reloaded.out)
        until(lambda: self.via("lee", "queue").code == 0, "the new user is heard")
        self.assertIn("n3", self.ok("kim", "nodes").out)
        # By signal: the user goes again, and the nodes; what runs goes on.
        self.users.remove("lee")
        self.write_site(nodes="n[1-2]")
        self.daemon.send_signal(signal.SIGHUP)
        until(lambda: "2 nodes, 2 users" in self.log(), "the file was read again")
        self.assertNotEqual(self.via("lee", "queue").code, 0)
        until(lambda: self.job(1)["state"] == "ended", "the job ends")
        self.assertEqual(self.job(1)["outcome"], "done")
        self.assertIn("went on", self.ok("kim", "logs", "1").out)


if __name__ == "__main__":
    unittest.main()
