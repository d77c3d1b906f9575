"""A site that joins a real Slurm cluster and leaves it again: what is tried before, line by line,
what is refused with a reason, that nothing of the site is left behind; and `muster up --slurm`.
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

from clusters import Cluster, Lab, missing
from federation import BIN, until
from live_federation import LiveFederation, Site

SETTLES_S = 60


@unittest.skipIf(missing(), f"not installed: {', '.join(missing())}")
@unittest.skipIf(os.geteuid() != 0, "only root can start clusters")
class Joining(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="muster-slurm-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.folder.chmod(0o755)
        cls.shared = cls.folder / "shared"
        cls.shared.mkdir()
        cls.lab = Lab(cls.folder / "lab")
        cls.addClassCleanup(cls.lab.down)
        clusters = [Cluster("lakes", 0, tuned=True), Cluster("woods", 1, tuned=True)]
        cls.lab.up(clusters)
        cls.lab.set_aside(clusters[0], "commons")
        cls.live = LiveFederation(
            cls.folder / "live", BIN, "tcp://127.0.0.1:7700",
            [cls.site("lakes", "25000-25999", walls="commons", commons=["commons"]),
             cls.site("woods", "26000-26999", walls="each", max_walls=20)], {})
        cls.addClassCleanup(cls.live.close)
        cls.live.configure()

    @classmethod
    def site(cls, name, ports, **more):
        return Site(name, ports=ports, users={"tester": "daemon"}, slurm={
            "conf": str(cls.lab.conf(name)), "shared_folder": str(cls.shared), **more})

    def check(self, name, *changes):
        """`muster check` of a site's file, with words of it replaced."""
        text = (self.live.folder / f"{name}.toml").read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        path = self.live.folder / f"{name}-tried.toml"
        path.write_text(text)
        return self.live.muster("check", path, "--cluster", timeout=120)

    def state_of(self, name):
        """What Slurm shows of reservations, partitions and nodes, without what counts seconds."""
        reservations = self.lab.run(name, "scontrol", "-o", "show", "reservation").stdout
        nodes = self.lab.run(name, "sinfo", "-h", "-N", "-o", "%N %T").stdout
        return (reservations, self.lab.run(name, "scontrol", "-o", "show", "partition").stdout,
                nodes.replace("reserved", "idle"))  # said some time after the reservation is there

    def said(self, answer, *lines):
        rows = [" ".join(line.split()) for line in answer.out.splitlines()]
        for line in lines:
            self.assertTrue(any(row.startswith(line) for row in rows), f"{line}\n{answer}")

    def test_a_check_tries_what_is_needed_and_leaves_nothing(self):
        before = {name: self.state_of(name) for name in ("lakes", "woods")}
        lakes = self.check("lakes")
        self.assertEqual(lakes.code, 0, lakes)
        self.said(lakes, "ok cluster 'lakes', Slurm", "ok nodes 4 nodes, 16 cpus",
                  "ok commons reservation commons: l-n1, l-n2",
                  "ok scheduler parts are handed over",
                  "ok rights may change who enters commons",
                  "ok account tester as daemon (uid 1): may submit", "ok shared folder",
                  "ok start a job began", "ok promises firm, on 2 nodes set aside")
        woods = self.check("woods")
        self.assertEqual(woods.code, 0, woods)
        self.said(woods, "ok nodes 4 nodes, 16 cpus", "ok rights may reserve nodes",
                  "ok promises firm, on 4 nodes, by at most 20 reservations")
        bounds = self.check("woods", ('walls = "each"', 'walls = "none"'))
        self.assertEqual(bounds.code, 0, bounds)
        self.said(bounds, "warning promises none: starts are bounds")
        for name in ("lakes", "woods"):
            until(lambda name=name: self.state_of(name) == before[name], f"{name} is as before")
            self.assertEqual(self.lab.run(name, "squeue", "-h").stdout, "")
        self.assertEqual([path.name for path in self.shared.glob("parts/.muster_check*")], [])

    def test_what_is_wrong_is_named_before_anything_is_promised(self):
        for changes, code, words in (
                ([(str(self.lab.conf("woods")), "/nowhere/slurm.conf")], 2, "bad cluster"),
                ([(f'"{self.shared}"', '"/nowhere/shared"')], 2, "bad shared folder"),
                ([('"tester" = "daemon"', '"tester" = "nosuch"')], 2, "bad account"),
                ([('walls = "each"', 'walls = "each"\npartitions = ["gpu"]')], 2,
                 "bad names partitions: cluster 'woods' has no partition 'gpu'"),
                ([('walls = "each"', 'walls = "commons"\ncommons = ["mine"]')], 2,
                 "bad names commons: cluster 'woods' has no reservation 'mine'")):
            with self.subTest(words):
                answer = self.check("woods", *changes)
                self.assertEqual(answer.code, code, answer)
                self.said(answer, words)
                self.assertIn("help:", answer.out)

    def test_a_shared_folder_that_nodes_do_not_see_is_found(self):
        # The job sees another file system there than the daemon, which is in a mount namespace.
        hidden = self.folder / "hidden"
        hidden.mkdir(exist_ok=True)
        path = self.live.folder / "hidden.toml"
        path.write_text((self.live.folder / "woods.toml").read_text().replace(
            f'"{self.shared}"', f'"{hidden}"'))
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", f"mount -t tmpfs -o mode=755 none {hidden} && "
             f"exec {BIN}/muster check {path} --cluster"], env=self.live.environment,
            capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("has no answer of it", done.stdout)

    def leave(self, name):
        return subprocess.run([f"{BIN}/muster-sited", "--config", self.live.folder / f"{name}.toml",
                               "--leave"], env=self.live.environment, capture_output=True,
                              text=True, timeout=90, check=False)

    def test_a_site_that_leaves_takes_everything_with_it(self):
        before = {name: self.state_of(name) for name in ("lakes", "woods")}
        for name in ("meta", "lakes", "woods"):
            self.live.start(name)
        until(lambda: self.live.states() == {"lakes": "up", "woods": "up"}, "both are up")
        marks = self.shared / "marks"
        marks.mkdir(mode=0o777)
        marks.chmod(0o777)
        for name in ("lakes", "woods"):
            for number in range(2):  # one that runs, and one behind it
                answer = self.live.muster(
                    "submit", "--site", name, "-t", "10m", "-l", "2:ncpus=4", "--", "sh", "-c",
                    f"touch {marks}/{name}{number}; sleep 600")
                self.assertEqual(answer.code, 0, answer)
        until(lambda: {path.name for path in marks.iterdir()} >= {"lakes0", "woods0", "woods1"},
              "they run", SETTLES_S)
        running = self.leave("woods")
        self.assertEqual(running.returncode, 2, running)
        self.assertIn("stop the daemon of site 'woods' first", running.stderr)
        for name in ("lakes", "woods"):
            self.live.stop(name)
            done = self.leave(name)
            self.assertEqual(done.returncode, 0, done)
            self.assertIn(f"site '{name}' has left its cluster", done.stdout)
            self.assertIn("ended ", done.stdout)
            self.assertIn("stays in", done.stdout)
            until(lambda name=name: self.lab.run(name, "squeue", "-h").stdout == "", "no job")
            until(lambda name=name: self.state_of(name) == before[name],
                  f"{name} is as it was before: {before[name]} {self.state_of(name)}", SETTLES_S)
        self.live.stop("meta")


@unittest.skipIf(missing(), f"not installed: {', '.join(missing())}")
@unittest.skipIf(os.geteuid() != 0, "only root can start clusters")
class OneMachine(unittest.TestCase):
    def test_a_federation_with_clusters_comes_up_runs_jobs_and_leaves_no_process(self):
        with tempfile.TemporaryDirectory(prefix="muster-slurm-") as folder:
            home = {**os.environ, "HOME": folder, "XDG_STATE_HOME": folder,
                    "XDG_CONFIG_HOME": folder}

            def muster(*words, code=0):
                done = subprocess.run([f"{BIN}/muster", *words], env=home, capture_output=True,
                                      text=True, timeout=120, check=False)
                self.assertEqual(done.returncode, code, done)
                return done.stdout + done.stderr

            lab = Lab(pathlib.Path(folder) / "muster/try/clusters")
            self.addCleanup(lab.down)
            self.assertIn("how many clusters?", muster("up", "try", "--slurm", "3", code=2))
            try:
                self.assertIn("Slurm", muster("up", "try", "--slurm", "2"))
                self.assertEqual(lab.names(), ["lakes", "woods"])
                self.assertIn("already up", muster("up", "try"))
                self.assertIn("was made with 2 clusters",
                              muster("up", "try", "--slurm", "1", code=8))
                number = muster("-q", "submit", "-t", "1m", "--apart", "-l", "1:ncpus=2", ":", "-l",
                                "1:ncpus=2", ":", "-l", "1:ncpus=1", "--", "true").strip()
                muster("wait", number)
            finally:
                muster("down", "try", "--purge")
            self.assertEqual(lab.running(), {})


if __name__ == "__main__":
    unittest.main(verbosity=2)
