#!/usr/bin/env python3
"""Real Slurm clusters on one machine, in a folder: slurmctld, a slurmd for each node, one munged.

    clusters.py up FOLDER [--names lakes,woods] [--nodes 4] [--cpus 4] [--tuned woods] [--again]
                          [--commons NAME]
    clusters.py down FOLDER
    clusters.py run FOLDER NAME COMMAND...     # as in: run FOLDER lakes sinfo

One folder at a time, as all use the same ports. Needs root, and Debian's slurmctld, slurmd,
slurm-client, slurm-wlm-basic-plugins and munge. All that was started ends with `down`; nothing of
the machine's own configuration is read or written.
"""
import argparse
import dataclasses
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

PROGRAMS = ("slurmctld", "slurmd", "munged", "mungekey", "sinfo", "scontrol", "sbatch")
PACKAGES = "slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge"
FIRST_PORT = 17000
PORTS_EACH = 100  # of a cluster: its controller has the first, its nodes the next
UP_WAIT_S = 30
STOP_WAIT_S = 15
AT_WORK = {"idle", "mixed", "allocated", "completing", "reserved"}
# A controller that looks for work each second, instead of some seconds after something happened.
TUNED = ("bf_interval=1,bf_resolution=1,bf_window=1440,batch_sched_delay=0,sched_interval=1,"
         "sched_min_interval=0")
CONF = """ClusterName={name}
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/{name}/state
SlurmdSpoolDir={folder}/{name}/spool-%n
SlurmctldPidFile={folder}/{name}/slurmctld.pid
SlurmdPidFile={folder}/{name}/slurmd-%n.pid
SlurmctldLogFile={folder}/{name}/slurmctld.log
SlurmdLogFile={folder}/{name}/slurmd-%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
{parameters}PriorityType=priority/basic
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/{name}/jobcomp
KillWait=1
NodeName={letter}-n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] \
CPUs={cpus} RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class LabError(Exception):
    """What is missing or did not come up, in words."""


def missing():
    """The programs that are not installed here."""
    return [name for name in PROGRAMS if shutil.which(name) is None]


@dataclasses.dataclass(frozen=True)
class Cluster:
    """One cluster: its nodes are NAME's first letter and -n1, -n2, and so on."""

    name: str
    place: int  # among the clusters of this folder: no two have the same ports
    nodes: int = 4
    cpus: int = 4
    tuned: bool = False
    more: str = ""  # further lines of its slurm.conf
    zone: str = ""  # TZ of its daemons, if not this process's

    def node_names(self):
        return [f"{self.name[0]}-n{i}" for i in range(1, self.nodes + 1)]

    def configuration(self, folder):
        port = FIRST_PORT + PORTS_EACH * self.place
        parameters = f"SchedulerParameters={TUNED}\n" if self.tuned else ""
        return CONF.format(name=self.name, host=socket.gethostname().split(".")[0], port=port,
                           folder=folder, letter=self.name[0], nodes=self.nodes, cpus=self.cpus,
                           first=port + 1, last=port + self.nodes,
                           parameters=parameters) + self.more


class Lab:
    """The clusters of a folder. Each is chosen by SLURM_CONF alone; one munged serves all."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.zones = {}  # of the daemons of a cluster, by its name

    def conf(self, name):
        return self.folder / name / "slurm.conf"

    def environment(self, name):
        return {**os.environ, "SLURM_CONF": str(self.conf(name))}

    def names(self):
        return sorted(path.parent.name for path in self.folder.glob("*/slurm.conf"))

    def run(self, name, *words, **more):
        """Runs a command of Slurm against one cluster."""
        return subprocess.run(words, env=self.environment(name), capture_output=True, text=True,
                              check=False, **more)

    def up(self, clusters, again=False):
        """Starts clusters. `again`: what runs of them stays, and what does not is started."""
        if os.geteuid() != 0:
            raise LabError("only root can start clusters")
        if missing():
            raise LabError(f"{', '.join(missing())} missing: install {PACKAGES}")
        if self.running() and not again:
            raise LabError(f"clusters are up in {self.folder} already")
        if len({cluster.name[0] for cluster in clusters}) < len(clusters):
            raise LabError("clusters need different first letters: their nodes are named by them")
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            self._start_all(clusters)
        except (LabError, OSError, subprocess.SubprocessError):
            self.down()
            raise

    def set_aside(self, cluster, name):
        """Gives half of a cluster's nodes away for good, as a reservation with this name."""
        nodes = ",".join(cluster.node_names()[:cluster.nodes // 2])
        if f"ReservationName={name} " in self.run(cluster.name, "scontrol", "-o", "show",
                                                  "reservation").stdout:
            return
        done = self.run(cluster.name, "scontrol", "create", "reservation",
                        f"ReservationName={name}", "StartTime=now", "Duration=UNLIMITED",
                        f"Nodes={nodes}", "Users=root", "Flags=IGNORE_JOBS")
        if done.returncode != 0:
            raise LabError(f"{cluster.name} has no reservation {name}: {done.stderr.strip()}")

    def _start_all(self, clusters):
        running = self.running()
        if "munge/munged" not in running:
            self.start_munge()
        for cluster in clusters:
            folder = self.folder / cluster.name
            folder.mkdir(exist_ok=True)
            (folder / "state").mkdir(exist_ok=True)
            self.zones[cluster.name] = cluster.zone
            self.conf(cluster.name).write_text(cluster.configuration(self.folder))
            if f"{cluster.name}/slurmctld" not in running:
                self.start_controller(cluster.name)
            for node in cluster.node_names():
                (folder / f"spool-{node}").mkdir(exist_ok=True)
                if f"{cluster.name}/slurmd-{node}" not in running:
                    self.start_node(cluster.name, node)
        for cluster in clusters:
            self._await_nodes(cluster)

    def start_munge(self, key_name="key"):
        """With a key of another name, which is made if it is not there, nobody understands it."""
        munge = self.folder / "munge"
        munge.mkdir(exist_ok=True)
        munge.chmod(0o755)
        key = munge / key_name
        if not key.exists():
            subprocess.run(["mungekey", "--create", f"--keyfile={key}"], check=True)
        # `--force`: the folders above may be writable for others, as /tmp is.
        self._spawn(["munged", f"--key-file={key}", f"--socket={munge}/socket",
                     f"--pid-file={munge}/munged.pid", f"--log-file={munge}/munged.log",
                     f"--seed-file={munge}/seed", "--force"], "munged")

    def start_controller(self, name):
        self._spawn(["slurmctld", "-f", str(self.conf(name))], f"{name}'s slurmctld",
                    self.zones.get(name))

    def start_node(self, name, node):
        self._spawn(["slurmd", "-f", str(self.conf(name)), "-N", node], f"slurmd of {node}",
                    self.zones.get(name))

    def signal(self, what, number):
        """Sends a signal to one that runs, as in "lakes/slurmctld", "lakes/slurmd-l-n1" or
        "munge/munged", and waits until it is gone if it was killed."""
        pid = self.running()[what]
        os.kill(pid, number)
        deadline = time.monotonic() + STOP_WAIT_S
        while number in (signal.SIGKILL, signal.SIGTERM) and is_alive(pid):
            if time.monotonic() > deadline:
                raise LabError(f"{what} goes on after signal {number}")
            time.sleep(0.02)

    @staticmethod
    def _spawn(words, what, zone=None):
        environment = {**os.environ, **({"TZ": zone} if zone else {})}
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
        if done.returncode != 0:
            raise LabError(f"{what} does not start: {(done.stderr or done.stdout).strip()}")

    def _await_nodes(self, cluster):
        deadline = time.monotonic() + UP_WAIT_S
        while True:
            seen = self.run(cluster.name, "sinfo", "-h", "-N", "-o", "%N %T")
            states = dict(line.split() for line in seen.stdout.splitlines())
            if set(states.values()) <= AT_WORK and len(states) == cluster.nodes:
                return
            if time.monotonic() > deadline:
                raise LabError(f"{cluster.name} is not up after {UP_WAIT_S} s: "
                               f"{states or seen.stderr.strip()}")
            time.sleep(0.1)

    def running(self):
        """The processes of this folder that live: name of the pid file, and pid."""
        alive = {}
        for path in [*self.folder.glob("*/*.pid")]:
            try:
                pid = int(path.read_text())
                words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
            except (OSError, ValueError):
                continue
            # A pid is given out again: only one that was started for this folder counts.
            if str(self.folder).encode() in words:
                alive[f"{path.parent.name}/{path.stem}"] = pid
        return alive

    def down(self):
        """Ends what runs: jobs and their nodes first, munge last, as nodes need it to end jobs."""
        if not self.running():
            return
        for name in self.names():
            self._end_jobs(name)
        last = {key: pid for key, pid in self.running().items() if key.startswith("munge/")}
        first = {key: pid for key, pid in self.running().items() if key not in last}
        left = [*self._end(first), *self._end(last)]
        self._kill_steps()
        if left:
            raise LabError(f"still running: {', '.join(left)}")

    # What a controller that is gone left: scripts of jobs, with all they started, and the
    # slurmstepds above them, which wait for it for ever.
    def _kill_steps(self):
        ours = f"SLURM_CONF={self.folder}/".encode()
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes()
                step = words.startswith(b"slurmstepd:")
                if not step and b"/slurm_script" not in words:
                    continue
                if ours in (process / "environ").read_bytes() or str(self.folder).encode() in words:
                    pid = int(process.name)
                    os.kill(pid if step else -os.getpgid(pid), signal.SIGKILL)
            except OSError:
                continue  # it ended meanwhile

    # A controller that is down answers nothing, and its jobs are killed in the end.
    def _end_jobs(self, name):
        deadline = time.monotonic() + STOP_WAIT_S
        while f"{name}/slurmctld" in self.running() and time.monotonic() < deadline:
            for state in ("PENDING", "SUSPENDED", "RUNNING"):
                self.run(name, "scancel", f"--state={state}")
            left = self.run(name, "squeue", "-h")
            if left.returncode == 0 and not left.stdout.strip():
                return
            time.sleep(0.2)

    @staticmethod
    def _end(processes):
        for pid in processes.values():
            try:
                os.kill(pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
        deadline = time.monotonic() + STOP_WAIT_S
        while True:
            left = [key for key, pid in processes.items() if is_alive(pid)]
            if not left or time.monotonic() > deadline:
                return left
            time.sleep(0.05)


def is_alive(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    up = verbs.add_parser("up", help="start clusters")
    up.add_argument("folder")
    up.add_argument("--names", default="lakes,woods", help="one cluster for each")
    up.add_argument("--nodes", type=int, default=4)
    up.add_argument("--cpus", type=int, default=4)
    up.add_argument("--tuned", default="", help="those that look for work each second")
    up.add_argument("--again", action="store_true", help="start what does not run of them")
    up.add_argument("--commons", metavar="NAME",
                    help="a reservation, for good, of half of the nodes of the first")
    down = verbs.add_parser("down", help="end all of them")
    down.add_argument("folder")
    run = verbs.add_parser("run", help="run a command of Slurm against one")
    run.add_argument("folder")
    run.add_argument("name")
    run.add_argument("command", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    lab = Lab(asked.folder)
    try:
        if asked.verb == "up":
            tuned = asked.tuned.split(",")
            clusters = [Cluster(name, place, asked.nodes, asked.cpus, name in tuned)
                        for place, name in enumerate(asked.names.split(","))]
            lab.up(clusters, asked.again)
            if asked.commons:
                lab.set_aside(clusters[0], asked.commons)
            for name in lab.names():
                print(f"{name}: SLURM_CONF={lab.conf(name)}")
        elif asked.verb == "down":
            lab.down()
        else:
            os.execvpe(asked.command[0], asked.command, lab.environment(asked.name))
    except LabError as error:
        print(f"clusters: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
