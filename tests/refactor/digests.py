#!/usr/bin/env python3
"""What must not change while code is only moved: the digests of 2,016 simulated runs (all messages
and all writes of every kind of campaign) and of two replays, compared with those on record.
A commit that changes behaviour records them anew, and says so.

Usage: digests.py [--record] [--jobs N] [--runs N] [--only TEXT] MUSTER_SIM
Replays read traces from MUSTER_TRACES and are left out, visibly, without it.
Exit: 0 equal, 1 something differs, 2 usage."""

import argparse
import hashlib
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

RECORD = Path(__file__).with_name("digests.txt")
RUNS = 24
HEX = 8  # of each digest are kept: a change of one run in 84 goes unseen once in 4 billion
MIXES = (
    "--moves",
    "--drains --reservations --rules --moves",
    "--rules",
    "--reservations",
    "--drains",
    "--shapes",
    "--moves --neighbours --speeds",
)
THRESHOLDS = ("inf", "30s", "0s")
FAULTS = ("none", "lost", "crash", "all")
REPLAYS = (
    "fed-1996-ctc-kth.swf.gz --site ctc=flat:338 kth=flat:100 --to 60d",
    "fed-1996-ctc-kth.swf.gz --site ctc=flat:338 kth=flat:100 --to 6d --co-allocated 10% "
    "--threshold 1h --packing auto",
)


def campaigns(runs=RUNS):
    """Commands of all cells, in the order of the record."""
    seed = 90_000_000
    for mix in MIXES:
        for threshold in THRESHOLDS:
            for faults in FAULTS:
                yield (f"world --seed {seed} --runs {runs} --faults {faults} --requests 40 "
                       f"--threshold {threshold} {mix} --rebuild-every 0 --idle none")
                seed += 1000


def run(program, command):
    """Stdout of one command; a broken promise ends it with a status, which is no matter here."""
    done = subprocess.run([program, *command.split()], capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(f"'{command}' printed nothing: {done.stderr.strip()[:500]}")
    return done.stdout


def digests_of(program, command):
    """One for each run of a campaign; one of a replay, over all its jobs."""
    if command.startswith("world"):
        found = re.findall(r"  digest ([0-9a-f]+)", run(program, command))
        wanted = int(re.search(r"--runs (\d+)", command)[1])
        if len(found) != wanted:
            sys.exit(f"'{command}' told {len(found)} digests, not {wanted}")
        return [one[:HEX] for one in found]
    trace, rest = command.removeprefix("replay ").split(" ", 1)
    path = Path(os.environ["MUSTER_TRACES"]) / trace
    out = run(program, f"replay {path} {rest} --quiet --csv -")
    return [hashlib.sha256(out.encode()).hexdigest()[:HEX]]


def read_record():
    lines = RECORD.read_text().splitlines() if RECORD.exists() else []
    return {command: found.split() for command, found in (line.split(": ", 1) for line in lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="write what is found")
    parser.add_argument("--jobs", type=int, default=2, help="commands at a time")
    parser.add_argument("--runs", type=int, default=RUNS, help="the first so many of each kind")
    parser.add_argument("--only", default="", help="commands that contain this")
    parser.add_argument("program")
    options = parser.parse_args()
    if not 0 < options.runs <= RUNS or options.record and options.runs != RUNS:
        parser.error(f"--runs {options.runs}: from 1 to {RUNS}, and all of them to record")
    commands = list(campaigns(options.runs))
    if os.environ.get("MUSTER_TRACES"):
        commands += [f"replay {one}" for one in REPLAYS]
    else:
        print("MUSTER_TRACES is not set: no replay is compared")
    commands = [one for one in commands if options.only in one]
    with ThreadPoolExecutor(options.jobs) as pool:
        digests = pool.map(lambda one: digests_of(options.program, one), commands)
        found = dict(zip(commands, digests))
    record = read_record()
    if options.record:
        record.update(found)
        order = [*campaigns(), *(f"replay {one}" for one in REPLAYS)]
        RECORD.write_text("".join(f"{one}: {' '.join(record[one])}\n"
                                  for one in order if one in record))
        print(f"{sum(map(len, found.values()))} digests are on record")
        return 0
    differ = 0
    for command, now in found.items():
        then = record.get(command.replace(f"--runs {options.runs} ", f"--runs {RUNS} "))
        if then is None:
            sys.exit(f"'{command}' is not on record: digests.py --record")
        for run_of, (before, after) in enumerate(zip(then, now)):
            if before == after:
                continue
            differ += 1
            print(f"differs: run {run_of} of 'muster-sim {command}': {before} -> {after}")
    print(f"{sum(map(len, found.values())) - differ} digests equal, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
