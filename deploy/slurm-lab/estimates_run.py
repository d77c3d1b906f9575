"""Promise and *expected* of muster against squeue --start and will-run of Slurm, for the same
requests: once by sbatch on a bare cluster, once through a federation whose site stands beside a
cluster of the same size. Clusters are brought up for it and taken down. Needs root, Slurm, munge.
"""
import argparse
import json
import os
import pathlib
import signal
import sys
import tempfile
import time

from clusters import PACKAGES, Cluster, Lab, LabError, missing
from estimates_report import document, text
from estimates_sides import ACCOUNT, PATIENCE_S, SCHOOL, Bare, Federated, sbatch
from estimates_stream import USERS, lessons, stream
from live_federation import Site

ROOT = pathlib.Path(__file__).resolve().parents[2]
NODES, CPUS = 4, 4
LIMITS_M = {True: (1, 2, 2, 3, 4), False: (10, 20, 30, 60, 90)}  # by whether it is compressed
SQUEUE_WITHIN_S = 40  # the scheduler plans what waits each 30 s as shipped


def options(words):
    """The command line."""
    parser = argparse.ArgumentParser(prog="estimates", description=__doc__)
    parser.add_argument("--jobs", type=int, help="requests; default 200, compressed 48")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compressed", action="store_true",
                        help="limits of minutes instead of hours; takes ten minutes")
    parser.add_argument("--later", type=int, metavar="S",
                        help="seconds after a submission when estimates are taken once more; "
                             "default 3600, compressed 60")
    parser.add_argument("--least-wait", type=int, default=60, metavar="S",
                        help="jobs that waited less do not count")
    parser.add_argument("--walls", choices=("each", "commons"), default="each",
                        help="how the site keeps others off: on all nodes by a reservation for "
                             "each job, or on half of the nodes, set aside on either side")
    parser.add_argument("--local", type=float, default=0.3, metavar="SHARE",
                        help="of the requests that local users submit by sbatch, on either side")
    parser.add_argument("--load", type=float, default=1.6,
                        help="work of the requests over what the nodes do until the last comes")
    parser.add_argument("--default-scheduler", action="store_true",
                        help="with --compressed: clusters plan each 30 s as shipped, instead of "
                             "each second")
    parser.add_argument("--json", metavar="FILE", help="writes the report for programs, too")
    parser.add_argument("--programs", metavar="FOLDER", help="of muster and its daemons")
    asked = parser.parse_args(words)
    asked.jobs = asked.jobs or (48 if asked.compressed else 200)
    asked.later = asked.later or (60 if asked.compressed else 3600)
    asked.limits = LIMITS_M[asked.compressed]
    asked.tuned = asked.compressed and not asked.default_scheduler
    asked.programs = asked.programs or os.environ.get(
        "MUSTER_BIN_DIR", str(ROOT / "build/release/bin"))
    return asked


def say(words):
    print(f"estimates: {words}", file=sys.stderr, flush=True)


def learn(live, asked):
    """Runs some jobs of each kind at once, at a site of processes."""
    taught = lessons(asked.seed, asked.limits)
    say(f"{len(taught)} jobs teach what users are like: "
        f"{max(seconds for _, seconds in taught):.0f} s")
    for kind, seconds in taught:
        live.submit_as(kind, seconds, SCHOOL)
    while not live.done():
        time.sleep(1)
    return len(taught)


def compare(live, bare, requests, asked):
    """Submits the stream to both sides, and takes what is told when it is due."""
    begin = time.time()
    left = list(requests)
    next_look = 0
    while left or not bare.done() or not live.done():
        now = time.time()
        if left and now >= begin + left[0].at_s:
            request = left.pop(0)
            bare.submit(request)
            if request.local:
                bare.lab.run("woods", "sbatch", *sbatch(request))
            else:
                live.submit(request, "woods")
            live.look(asked.later)
            continue
        if now >= next_look:
            next_look = now + 2
            bare.look(SQUEUE_WITHIN_S, asked.later)
            live.look(asked.later)
        time.sleep(0.2)
    bare.judge()
    live.judge()


def sites_of(lab, asked, shared):
    walls = {"walls": asked.walls, **({"commons": ["commons"]} if asked.walls == "commons" else {})}
    users = {"*": ACCOUNT}
    return [Site("woods", ports="25000-25999", users=users, slurm={
                "conf": str(lab.conf("woods")), "shared_folder": str(shared), **walls}),
            Site(SCHOOL, "s[1-64]", {"ncpus": 64}, ports="26000-26999", users=users)]


def run(asked, folder):
    """Brings all up, compares, reports; what it started is gone afterwards."""
    shared = folder / "shared"
    shared.mkdir()
    lab = Lab(folder / "lab")
    try:
        lab.up([Cluster("lakes", 0, NODES, CPUS, asked.tuned),
                Cluster("woods", 1, NODES, CPUS, asked.tuned)])
        reservation = ""
        if asked.walls == "commons":
            reservation = "commons"
            for name in ("lakes", "woods"):
                lab.run(name, "scontrol", "create", "reservation", "ReservationName=commons",
                        "StartTime=now", "Duration=UNLIMITED", f"Nodes={name[0]}-n[1-2]",
                        f"Users=root,{ACCOUNT}", "Flags=IGNORE_JOBS")
        requests = stream(asked.seed, asked.limits, asked.jobs, asked.local, asked.load,
                          NODES * CPUS)
        live = Federated(folder / "live", asked.programs, "tcp://127.0.0.1:7700",
                         sites_of(lab, asked, shared), [f"user{n + 1}" for n in range(USERS)])
        try:
            live.up()
            taught = learn(live, asked)
            say(f"{len(requests)} requests in {requests[-1].at_s:.0f} s")
            bare = Bare(lab, "lakes", reservation)
            compare(live, bare, requests, asked)
        finally:
            live.close()
        return {"muster": live.told, "slurm": bare.told}, taught
    finally:
        lab.down()


def main(words):
    asked = options(words)
    if missing():
        say(f"not installed: {', '.join(missing())}\n"
            f"  help: apt-get install --no-install-recommends {PACKAGES}")
        return 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # clusters are taken down on the way
    try:
        with tempfile.TemporaryDirectory(prefix="muster-slurm-") as name:
            folder = pathlib.Path(name)
            folder.chmod(0o755)  # jobs run as an account of their own
            sides, taught = run(asked, folder)
    except (LabError, RuntimeError) as error:
        say(error)
        return 1
    facts = {"lessons": taught, "patience": PATIENCE_S, "within": SQUEUE_WITHIN_S}
    for line in text(sides, asked.least_wait, asked.later, facts):
        print(line)
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as file:
            json.dump(document(sides, asked.least_wait, asked.later), file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
