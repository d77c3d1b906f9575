"""A federation in a folder of its own: real daemons with configurations and keys written for it.

Unlike `muster up` its sites may have any size and stand on other hosts (network namespaces), so
demonstrations and end-to-end tests choose what they need. Only what was started here is ended here.
"""

import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

UP_WAIT_S = 20
STOP_WAIT_S = 12
CANCEL_WAIT_S = 15
LOOK_S = 0.05


@dataclasses.dataclass(frozen=True)
class Site:
    """One site: names of its nodes, what each node has, and the host where its daemon runs."""

    name: str
    nodes: str = ""  # as in "n[1-4]"
    resources: dict = dataclasses.field(default_factory=dict)
    host: str = "127.0.0.1"  # where parts of this site are reached
    ports: str = "24000-24999"  # those that its parts listen on
    enter: tuple = ()  # words before a command, so that it runs on that host
    users: dict = dataclasses.field(default_factory=dict)  # the federation's name: local account
    # What [slurm] says, of a site beside a Slurm cluster, which knows its own nodes.
    slurm: dict = dataclasses.field(default_factory=dict)


class Answer:
    """What one command printed and how it ended."""

    def __init__(self, done):
        self.out, self.err, self.code = done.stdout, done.stderr, done.returncode

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"

    def json(self):
        return json.loads(self.out)


class LiveFederation:
    """Daemons of one meta and its sites. `protocol` goes into the meta's [protocol] as it is."""

    def __init__(self, folder, programs, listen, sites, protocol, enter_meta=()):
        self.folder = pathlib.Path(folder)
        self.programs = pathlib.Path(programs).resolve()
        self.listen = listen
        self.sites = list(sites)
        self.protocol = protocol
        self.enter = {"meta": tuple(enter_meta)}
        self.keys = {}  # public halves
        self.processes = {}
        home = self.folder / "home"
        home.mkdir(parents=True, exist_ok=True)
        self.environment = {
            **{name: os.environ[name] for name in os.environ if name.endswith("SAN_OPTIONS")},
            "PATH": f"{self.programs}:{os.environ['PATH']}", "HOME": str(home),
            "LC_ALL": "C.UTF-8", "TZ": "UTC", "USER": "tester", "LOGNAME": "tester",
            "XDG_CONFIG_HOME": str(home), "XDG_STATE_HOME": str(home),
            "MUSTER_CONFIG": str(self.folder / "config.toml"),
        }

    # Commands and daemons.

    def muster(self, *words, timeout=60, cwd=None):
        """Runs the command on the meta's host, with this federation as its only one."""
        command = [*self.enter["meta"], str(self.programs / "muster"), *map(str, words)]
        return Answer(subprocess.run(
            command, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=timeout, cwd=cwd or self.folder, check=False))

    def configure(self):
        """Makes the keys and writes every configuration."""
        self.keys = {name: self.new_key(name) for name in ("meta", "user")}
        for site in self.sites:
            self.configure_site(site)
        protocol = "".join(f'{name} = "{value}"\n' for name, value in self.protocol.items())
        (self.folder / "meta.toml").write_text(
            f'[meta]\nname = "live"\nlisten = "{self.listen}"\nkey = "meta.key"\n'
            f'state_dir = "meta"\nmin_free = "64mb"\n[protocol]\n{protocol}'
            + "".join(self.listed(site) for site in self.sites)
            + f'[[user]]\nname = "tester"\nkey = "{self.keys["user"]}"\nrole = "operator"\n')
        (self.folder / "config.toml").write_text(
            f'default = "live"\n[federation.live]\nmeta = "{self.listen}"\n'
            f'meta_key = "{self.keys["meta"]}"\nkey = "user.key"\n')

    def configure_site(self, site):
        """Makes the key of one site and writes its configuration."""
        self.keys[site.name] = self.new_key(site.name)
        self.enter[site.name] = tuple(site.enter)
        amounts = ", ".join(f"{name} = {json.dumps(n)}" for name, n in site.resources.items())
        users = ", ".join(f'"{name}" = "{account}"' for name, account in site.users.items())
        (self.folder / f"{site.name}.toml").write_text(
            f'[site]\nname = "{site.name}"\nmeta = "{self.listen}"\n'
            f'meta_key = "{self.keys["meta"]}"\nkey = "{site.name}.key"\n'
            f'state_dir = "{site.name}"\nmin_free = "64mb"\n'
            f'driver = "{"slurm" if site.slurm else "process"}"\n'
            f'rendezvous_host = "{site.host}"\nrendezvous_ports = "{site.ports}"\n'
            + (f'[[nodes]]\nnames = "{site.nodes}"\nresources = {{ {amounts} }}\n' if site.nodes
               else "")
            + ("[slurm]\n" + "".join(f"{name} = {json.dumps(value)}\n"
                                     for name, value in site.slurm.items()) if site.slurm else "")
            + (f"[federation]\nusers = {{ {users} }}\n" if users else ""))

    def listed(self, site):
        """The block by which the meta knows a configured site."""
        return f'[[site]]\nname = "{site.name}"\nkey = "{self.keys[site.name]}"\n'

    def start(self, name):
        """Starts one daemon on its host."""
        program = "muster-metad" if name == "meta" else "muster-sited"
        with open(self.folder / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                [*self.enter[name], str(self.programs / program), "--config",
                 str(self.folder / f"{name}.toml")],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)

    def stop(self, name):
        """Ends one daemon, as its init system would; its parts go on."""
        process = self.processes.pop(name)
        process.terminate()
        process.wait(timeout=STOP_WAIT_S)

    def up(self):
        """Configures, starts everything and waits until every site is up."""
        self.configure()
        for name in ("meta", *(site.name for site in self.sites)):
            self.start(name)
        wanted = {site.name: "up" for site in self.sites}
        if not self.wait_for(lambda: self.states() == wanted, UP_WAIT_S):
            raise RuntimeError(f"sites are {self.states()} after {UP_WAIT_S} s\n{self.tails()}")

    def states(self):
        """State of every site as the meta sees it; empty while the meta does not answer."""
        answer = self.muster("--json", "sites")
        if answer.code != 0:
            return {}
        return {site["name"]: site["state"] for site in answer.json()["sites"]}

    def wait_for(self, holds, patience_s):
        """True as soon as `holds()` is, False after `patience_s`."""
        deadline = time.monotonic() + patience_s
        while not holds():
            dead = [n for n, process in self.processes.items() if process.poll() is not None]
            if dead:
                raise RuntimeError(f"{', '.join(dead)} ended\n{self.tails()}")
            if time.monotonic() > deadline:
                return False
            time.sleep(LOOK_S)
        return True

    def tails(self, lines=12):
        """The last lines of every daemon's log."""
        logs = sorted(self.folder.glob("*.log"))
        return "\n".join("\n".join([f"--- {log.name}", *log.read_text(errors="replace")
                                    .splitlines()[-lines:]]) for log in logs)

    def close(self, keep=False):
        """Ends the jobs, the daemons and what is left of either; removes the folder."""
        try:
            meta = self.processes.get("meta")
            if meta is not None and meta.poll() is None:
                self._end_jobs()
        except (OSError, RuntimeError, ValueError, subprocess.TimeoutExpired):
            pass  # what is left is ended below
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(timeout=STOP_WAIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes.clear()
        self._end_shepherds()
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def new_key(self, name):
        """Makes NAME.key; returns its public half."""
        answer = self.muster("-q", "keys", "new", self.folder / f"{name}.key")
        if answer.code != 0:
            raise RuntimeError(f"muster keys new: {answer}")
        return answer.out.strip()

    def _end_jobs(self):
        def unfinished():
            answer = self.muster("--json", "queue", "--everyone")
            return [] if answer.code != 0 else [job["id"] for job in answer.json()["jobs"]]

        if unfinished():
            self.muster("cancel", "all")
            self.wait_for(lambda: not unfinished(), CANCEL_WAIT_S)

    def _end_shepherds(self):
        """Shepherds of parts below this folder; TERM makes them end their part."""
        marks = [str(self.folder / site.name).encode() for site in self.sites]
        for signal_number in (signal.SIGTERM, signal.SIGKILL):
            left = []
            for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    line = entry.read_bytes()
                except OSError:
                    continue  # it ended meanwhile
                if b"muster-shepherd" in line and any(mark in line for mark in marks):
                    left.append(int(entry.parent.name))
            if not left:
                return
            for pid in left:
                try:
                    os.kill(pid, signal_number)
                except ProcessLookupError:
                    pass
            time.sleep(1)
