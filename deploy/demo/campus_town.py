"""The campus of the demonstration: what `muster up` starts, with larger sites, users with homes,
four accounts, a rate, and deposits. Its daemons can be killed and started again.

Everything is below a folder of its own. Only daemons that were started here are killed here.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

NAME = "campus"
SITES = {"lakes": 12, "woods": 8, "hills": 5}  # nodes; 100 processors, as the log's machine
NODE_CPUS = 4
HOMES = {"bio": "lakes", "chem": "woods", "phys": "hills"}  # a course has none
TARGETS = {"bio": 40, "chem": 30, "phys": 20, "course": 10}  # per cent
OVERDRAFT = {"course": 2}
COURSE_MOST = 36  # processors that the course may have at one time, over all sites
SITE_CHARGE = {"hills": 1.5}
QOS_CHARGE = {"urgent": 2, "filler": 0.25}
RATE = 60  # credits an hour of a processor: one a minute, which is an hour of the log
STOP_WAIT_S = 20
LOOK_S = 0.05

HOURS = """
[[bank.hours]]
valid = "from {begin} to {end}"
times = 0.5
"""

TABLES = """
[scheduler]
threshold = "1m"
[priority]
weight = {{ queue = 1000, fs_global = 5000 }}
queue_full = "24m"
[fairshare]
window = "1d"
depth  = 7
{shares}
[[qos]]
name    = "urgent"
grant   = ["*"]
urgency = 80
charge  = {qos[urgent]}
[[qos]]
name    = "filler"
grant   = ["*"]
urgency = 10
charge  = {qos[filler]}
promise = "start"
[[limit]]
who      = "account course"
resource = "ncpus"
items    = {course}
[bank]
rate = {{ ncpus = {rate} }}
{hours}{accounts}{users}"""


class Answer:
    """What one command printed and how it ended."""

    def __init__(self, done):
        self.out, self.err, self.code = done.stdout, done.stderr, done.returncode

    def __repr__(self):
        return f"exit {self.code}\n{self.out}{self.err}"


class Town:
    """The federation. `users`: {name: account}."""

    def __init__(self, folder, programs, users):
        self.folder = pathlib.Path(folder)
        self.programs = pathlib.Path(programs).resolve()
        self.users = users
        self.restarted = []
        self.environment = {
            **{name: os.environ[name] for name in os.environ if name.endswith("SAN_OPTIONS")},
            "PATH": f"{self.programs}:{os.environ['PATH']}", "HOME": str(self.folder),
            "LC_ALL": "C.UTF-8", "TZ": "UTC", "USER": "operator", "LOGNAME": "operator",
            "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
        }

    @property
    def state(self):
        return self.folder / "state" / "muster" / NAME

    # Commands.

    def muster(self, *words, user=None, timeout=60):
        """Runs the command as the operator, or as a user of the campus."""
        more = {"MUSTER_CONFIG": str(self.folder / f"{user}.toml")} if user else {}
        return Answer(subprocess.run(
            [str(self.programs / "muster"), *map(str, words)], cwd=self.folder,
            env={**self.environment, **more}, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=timeout, check=False))

    def must(self, *words, **more):
        """As `muster`; a refusal ends the demonstration."""
        answer = self.muster(*words, **more)
        if answer.code != 0:
            raise RuntimeError(f"muster {' '.join(map(str, words))}: {answer}")
        return answer.out

    def ask(self, *words):
        """The document that a command gives, or None while the meta does not answer."""
        answer = self.muster("--json", *words)
        return json.loads(answer.out) if answer.code == 0 else None

    # The federation.

    def up(self, cheap):
        """Starts everything; `cheap`: (from, to) of the hours that cost half, as in a validity."""
        self.must("up", NAME)
        for site, nodes in SITES.items():
            self._enlarge(site, nodes)
        meta = self.state / "meta.toml"
        text = meta.read_text()
        for site, times in SITE_CHARGE.items():
            text = text.replace(f'[[site]]\nname = "{site}"\n',
                                f'[[site]]\nname = "{site}"\ncharge = {times}\n')
        meta.write_text(text + TABLES.format(
            qos=QOS_CHARGE, course=COURSE_MOST, rate=RATE,
            hours=HOURS.format(begin=cheap[0], end=cheap[1]),
            shares="".join(f'[[share]]\nwho = "account {name}"\ntarget = "{target}%"\n'
                           for name, target in TARGETS.items()),
            accounts="".join(self._account(name) for name in TARGETS),
            users="".join(self._user(name, account) for name, account in self.users.items())))
        self.must("check", meta)
        self.must("reload")

    def _enlarge(self, site, nodes):
        """Gives a site as many nodes as the campus has there."""
        path = self.state / f"{site}.toml"
        before, rest = path.read_text().split("[[nodes]]", 1)
        path.write_text(f'{before}[[nodes]]\nnames = "n[1-{nodes}]"\n'
                        f'resources = {{ ncpus = {NODE_CPUS} }}\n[[user]]'
                        + rest.split("[[user]]", 1)[1])
        self.must("check", path)
        self.must("reload", "--via", site)

    def _account(self, name):
        owners = sorted(user for user, account in self.users.items() if account == name)
        return (f'[[account]]\nname = "{name}"\nowners = {json.dumps(owners or ["operator"])}\n'
                f'overdraft = {OVERDRAFT.get(name, 0)}\n')

    def _user(self, name, account):
        """Makes the key and the configuration of a user; the block by which the meta knows them."""
        public = self.must("-q", "keys", "new", self.folder / f"{name}.key").strip()
        known = (self.state / "federation.toml").read_text()
        (self.folder / f"{name}.toml").write_text(
            known.replace('"user.key"', f'"{self.folder}/{name}.key"'))
        home = f'home = "{HOMES[account]}"\n' if account in HOMES else ""
        return (f'[[user]]\nname = "{name}"\nkey = "{public}"\nrole = "user"\n'
                f'groups = ["{account}"]\n{home}')

    def are_up(self):
        document = self.ask("sites")
        return document is not None and all(s["state"] == "up" for s in document["sites"])

    def kill(self, daemon):
        """As a power cut would end it; returns when it is gone."""
        pid = int((self.state / f"{daemon}.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)
        self.wait_for(lambda: gone(pid), STOP_WAIT_S, f"{daemon} is gone")

    def restart(self, daemon):
        """As its init system would."""
        program = "muster-metad" if daemon == "meta" else "muster-sited"
        with open(self.state / f"{daemon}.log", "ab") as log:
            process = subprocess.Popen(
                [str(self.programs / program), "--config", str(self.state / f"{daemon}.toml")],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)
        self.restarted.append(process)  # kept, so that it is reaped
        (self.state / f"{daemon}.pid").write_text(f"{process.pid}\n")

    def wait_for(self, holds, patience_s, what):
        deadline = time.monotonic() + patience_s
        while not holds():
            if time.monotonic() > deadline:
                raise RuntimeError(f"after {patience_s} s it does not hold that {what}")
            time.sleep(LOOK_S)

    def close(self, keep):
        """Ends everything that was started here; removes the folder."""
        self.muster("down", NAME, *([] if keep else ["--purge"]), timeout=120)
        for process in self.restarted:
            process.wait(timeout=STOP_WAIT_S)
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)


def gone(pid):
    """Whether a process has given back all it held; its last thread may still hold a port."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        return state == "Z" and len(os.listdir(f"/proc/{pid}/task")) == 1
    except OSError:
        return True
