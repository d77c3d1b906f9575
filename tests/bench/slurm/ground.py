"""Where bench_slurm measures: clusters in a folder for a while, and federations beside them."""
import contextlib
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from clusters import Cluster, Lab
from live_federation import LiveFederation, Site

BIN = pathlib.Path(os.environ["MUSTER_BIN_DIR"])
CALLS = BIN / "slurm_calls"
ACCOUNT = "daemon"  # whose jobs are measured: not root, as at any site
LISTEN = "tcp://127.0.0.1:7700"
PATIENCE_S = 240
LEAST_BYTES = 2 << 30


class Failure(Exception):
    """Why a row could not be measured, in words."""


@dataclasses.dataclass(frozen=True)
class Line:
    """One figure beside its reference, if there is one. `bounded` says whether the bounds are of
    the value or of the ratio of both."""

    bench: str
    value: float
    unit: str
    reference: float
    at_least: float
    aim: float
    bounded: str = "ratio"

    def show(self):
        line = {"bench": self.bench, "value": rounded(self.value), "unit": self.unit}
        if self.reference is not None:
            line |= {"reference": rounded(self.reference),
                     "ratio": rounded(self.value / self.reference)}
        line |= {"at_least": self.at_least, "aim": self.aim, "bounded": self.bounded}
        print(json.dumps(line, separators=(",", ":")), flush=True)


def rounded(number):
    return float(f"{number:.4g}")


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def median(numbers):
    return statistics.median(numbers)


def memory():
    """A folder in memory for programs and data, so that neither side waits for a disk; none if
    TMPDIR says where to go, or there is no such folder."""
    folder = "/dev/shm"
    if "TMPDIR" in os.environ or not os.path.isdir(folder):
        return None
    facts = os.statvfs(folder)
    fits = facts.f_bavail * facts.f_frsize > LEAST_BYTES
    return folder if fits and not facts.f_flag & os.ST_NOEXEC else None


@contextlib.contextmanager
def lab_of(*clusters):
    """Clusters that are up within, and leave no process."""
    with tempfile.TemporaryDirectory(prefix="muster-slurm-", dir=memory()) as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)  # parts run as an account of their own
        (folder / "shared").mkdir()
        lab = Lab(folder / "lab")
        try:
            lab.up(list(clusters))
            yield lab
        finally:
            lab.down()


def shared_of(lab):
    return lab.folder.parent / "shared"


def slurm(lab, name, *words):
    """What a command of Slurm's printed."""
    done = lab.run(name, *words)
    if done.returncode != 0:
        raise Failure(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()


def set_aside(lab, name, reservation, nodes):
    slurm(lab, name, "scontrol", "create", "reservation", f"ReservationName={reservation}",
          "StartTime=now", "Duration=UNLIMITED", f"Nodes={nodes}", f"Users=root,{ACCOUNT}",
          "Flags=IGNORE_JOBS")


def calls(lab, name, *words):
    """Runs slurm_calls on a cluster; what it prints are lines of this benchmark."""
    done = subprocess.run([CALLS, *map(str, words)], env=lab.environment(name), timeout=PATIENCE_S,
                          check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failure(f"slurm_calls {words[0]}: exit {done.returncode}")


def await_empty(lab, name, *words):
    until(lambda: not slurm(lab, name, "squeue", "-h", *words), f"{name} is empty")


def until(holds, what, patience_s=PATIENCE_S, look_s=0.05):
    deadline = time.monotonic() + patience_s
    while not holds():
        if time.monotonic() > deadline:
            raise Failure(f"after {patience_s} s it is not so that {what}")
        time.sleep(look_s)


def site_of(lab, name, ports, **more):
    return Site(name, ports=ports, users={"tester": ACCOUNT}, slurm={
        "conf": str(lab.conf(name)), "shared_folder": str(shared_of(lab)), **more})


@contextlib.contextmanager
def federation_of(lab, *sites):
    """Live daemons of these sites that are up within."""
    live = LiveFederation(lab.folder.parent / "live", BIN, LISTEN, sites, {})
    try:
        live.up()
        yield live
    finally:
        live.close()
