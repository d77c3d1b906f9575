"""A live federation for end-to-end tests: real daemons from `muster up` in a folder of their own.

Programs come from MUSTER_BIN_DIR. Nothing of the user's own configuration or state is touched.
"""
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

BIN = pathlib.Path(os.environ["MUSTER_BIN_DIR"])
MUSTER = str(BIN / "muster")
PATIENCE_S = 30  # no single step of a test takes longer


class Answer:
    """What one command printed and how it ended."""

    def __init__(self, process):
        self.out, self.err, self.code = process.stdout, process.stderr, process.returncode

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"

    def json(self):
        return json.loads(self.out)

    def rows(self, name):
        """The list of that name in what it said; none if it was refused (a site is not there)."""
        return self.json()[name] if self.code == 0 else []


class Federation:
    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="muster-e2e-"))
        self.home = self.root / "home"
        self.home.mkdir()
        self.restarted = []
        self.written = {}  # configurations as `up` wrote them
        self.env = {
            "PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(self.home),
            "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "XDG_STATE_HOME": str(self.root / "state"),
            "XDG_CONFIG_HOME": str(self.root / "config"),
            "USER": os.environ.get("USER", "root"), "LOGNAME": os.environ.get("LOGNAME", "root"),
        }
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                self.env[name] = os.environ[name]

    @property
    def state(self):
        return self.root / "state" / "muster" / "local"

    def muster(self, *words, cwd=None, env=None, stdin=subprocess.DEVNULL, timeout=PATIENCE_S):
        return Answer(subprocess.run(
            [MUSTER, *map(str, words)], cwd=cwd or self.root, env={**self.env, **(env or {})},
            stdin=stdin, capture_output=True, text=True, timeout=timeout, check=False))

    def on_terminal(self, *words, answer):
        """Runs a command on a terminal of its own, answers its question: (exit, all it printed)."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.root)
            os.execve(MUSTER, [MUSTER, *words], self.env)
        said, answered = b"", False
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            ready, _, _ = select.select([terminal], [], [], 0.1)
            try:
                piece = os.read(terminal, 4096) if ready else None
            except OSError:  # the other side is closed
                break
            if piece == b"":
                break
            said += piece or b""
            if not answered and b"[y/N]" in said:
                os.write(terminal, answer.encode() + b"\n")
                answered = True
        else:
            os.kill(pid, signal.SIGKILL)
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode(errors="replace")

    def up(self):
        return self.muster("up", timeout=60)

    def pid(self, daemon):
        return int((self.state / f"{daemon}.pid").read_text().split()[0])

    def kill(self, daemon, how=signal.SIGKILL):
        """As a machine at night would do it, or its init system; returns when it is gone."""
        pid = self.pid(daemon)
        os.kill(pid, how)
        until(lambda: gone(pid), f"{daemon} is gone")

    def restart(self, daemon, programs=BIN):
        """Starts a killed daemon again, as its init system would; of other programs if told."""
        program = "muster-metad" if daemon == "meta" else "muster-sited"
        config = self.state / ("meta.toml" if daemon == "meta" else f"{daemon}.toml")
        with open(self.state / f"{daemon}.log", "ab") as log:
            process = subprocess.Popen(
                [str(programs / program), "--config", str(config)], env=self.env, stdout=log,
                stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
        self.restarted.append(process)  # kept, so that it is reaped
        (self.state / f"{daemon}.pid").write_text(f"{process.pid}\n")
        return process

    def configure(self, site, more="", nodes=""):
        """Gives a site more, or other nodes, than `up` wrote, and lets it read that; without either
        what it was."""
        path = self.state / f"{site}.toml"
        text = self.written.setdefault(site, path.read_text())
        if nodes:
            before, rest = text.split("[[nodes]]", 1)
            text = before + nodes + "[[user]]" + rest.split("[[user]]", 1)[1]
        path.write_text(text + more)
        return self.muster("reload", "--via", site)

    def job(self, job_id):
        answer = self.muster("--json", "show", job_id)
        assert answer.code == 0, answer
        return answer.json()["job"]

    def submit(self, *words, **more):
        """Submits and returns the id."""
        answer = self.muster("-q", "submit", *words, **more)
        assert answer.code == 0, answer
        return answer.out.strip()

    def logs(self):
        """The last lines of every daemon, for a failing test."""
        tails = []
        for path in sorted(self.state.glob("*.log")):
            lines = path.read_text(errors="replace").splitlines()[-12:]
            tails.append("\n".join([f"--- {path.name}", *lines]))
        return "\n".join(tails)

    def close(self):
        self.muster("down", "--purge", timeout=60)
        for process in self.restarted:
            process.wait(timeout=PATIENCE_S)
        shutil.rmtree(self.root, ignore_errors=True)


def gone(pid):
    """Whether a process has given back all it held, its ports too: its last thread may still hold
    them when its memory, and its first thread, are gone."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        return state == "Z" and len(os.listdir(f"/proc/{pid}/task")) == 1
    except OSError:
        return True


# A time as people see it: of another day with its date.
WHEN = r"(?:\d\d-\d\d )?[\d:]+"


def until(holds, what, patience=PATIENCE_S):
    """Polls a condition of the live system; the deadline only bounds a failing test."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        value = holds()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"after {patience} s it does not hold that {what}")


class FederationTest(unittest.TestCase):
    """One federation for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.fed = Federation()
        started = cls.fed.up()
        if started.code != 0:
            cls.fed.close()
            raise AssertionError(f"muster up: {started}")
        cls.started = started

    @classmethod
    def tearDownClass(cls):
        cls.fed.close()

    def run(self, result=None):
        before = len(result.failures) + len(result.errors) if result else 0
        super().run(result)
        if result and len(result.failures) + len(result.errors) > before:
            print(self.fed.logs())
        return result

    def ok(self, answer):
        self.assertEqual(answer.code, 0, answer)
        return answer

    def fails(self, answer, code, *texts):
        self.assertEqual(answer.code, code, answer)
        self.assertEqual(answer.out, "", answer)
        for text in texts:
            self.assertIn(text, answer.err)
        return answer

    def new_user(self, name):
        """Makes a key and a configuration that uses it: (public half, environment for commands)."""
        public = self.ok(self.fed.muster("-q", "keys", "new", f"{name}.key")).out.strip()
        config = self.fed.root / f"{name}.toml"
        known = (self.fed.state / "federation.toml").read_text().splitlines()
        own = f'key = "{self.fed.root}/{name}.key"'
        # Sites that are asked directly have a public key of the same name.
        config.write_text("\n".join(own if line.lstrip().startswith("key ") and ".key" in line
                                    else line for line in known))
        return public, {"MUSTER_CONFIG": str(config)}

    def listed_user(self, name):
        """Another user, whom the meta knows for the time of this test."""
        public, environment = self.new_user(name)
        meta = self.fed.state / "meta.toml"
        before = meta.read_text()

        def unlist():
            meta.write_text(before)
            self.ok(self.fed.muster("reload"))

        self.addCleanup(unlist)
        meta.write_text(f'{before}[[user]]\nname = "{name}"\nkey = "{public}"\nrole = "user"\n')
        self.ok(self.fed.muster("reload"))
        return environment
