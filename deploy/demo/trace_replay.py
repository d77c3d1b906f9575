"""Replays a real workload trace on a live federation of three sites and compares every promise with
the real start. Processes are sleeps; arrivals and run times of the log are divided by --compress.

Rules of the replay:
- A processor of the log is one ncpus. The three sites have 100 together, as the KTH machine had.
- A job larger than the largest site becomes a co-allocation: as many processors at the largest site
  as it has, then at the next. Such a job starts on all its sites or on none.
- Time asked for is compressed, too, but leaves a process what starting and ending it takes; with
  --exact it is the run time plus that. A job of the log that overran what it asked for gets its run
  time: jobs here are killed at their limit.
- A submission counts from its real time, also if it came late.
- Jobs of the log without a run time or processors (cancelled before their start) are left out.
"""

import argparse
import dataclasses
import gzip
import math
import os
import pathlib
import sys
import tempfile
import time

from live_federation import LiveFederation, Site
from promises import documents, moment

TRACE = "KTH-SP2-1996-2.1-cln.swf.gz"
SITES = (("lakes", 12), ("woods", 8), ("hills", 5))  # nodes
NODE_CPUS = 4
PROTOCOL = {"lead": "2s", "start_wait": "10s", "permit_window": "6s"}  # as `muster up` has them
MARGIN_S = 0.5  # of a process for being started and ended on a busy machine
LEAST_RUN_S = 0.01
SHOWN_AT_ONCE = 50  # jobs of one `muster show`
POLL_S = 0.5


@dataclasses.dataclass(frozen=True)
class TraceJob:
    """A job as it is submitted here; seconds of this run."""

    number: int  # in the log
    arrives: float
    run: float
    asked: int
    parts: tuple  # processors of each


def split(processors, sizes):
    """Processors of each part: one part if a site is large enough, else the largest sites first."""
    parts = []
    for size in sorted(sizes, reverse=True):
        parts.append(min(processors, size))
        processors -= parts[-1]
        if processors == 0:
            return tuple(parts)
    return ()


def read_trace(path, count, compress, exact):
    """The first `count` usable jobs, and how many before them were not usable."""
    sizes = [nodes * NODE_CPUS for _, nodes in SITES]
    jobs, skipped, begin = [], 0, None
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith(";") or not line.strip():
                continue
            fields = line.split()
            submit, run = float(fields[1]), float(fields[3])
            processors = int(fields[7]) if int(fields[7]) > 0 else int(fields[4])
            parts = split(processors, sizes) if processors > 0 else ()
            if run < 0 or not parts:
                skipped += 1
                continue
            begin = submit if begin is None else begin
            ran = max(run / compress, LEAST_RUN_S)
            asked = 0.0 if exact else float(fields[8]) / compress
            jobs.append(TraceJob(int(fields[0]), (submit - begin) / compress, ran,
                                 math.ceil(max(asked, ran + MARGIN_S)), parts))
            if len(jobs) == count:
                break
    return jobs, skipped


def submit_all(federation, jobs):
    """Submits each job at its time. Returns {id: job}, how late the worst was, and what failed."""
    ids, failures, worst = {}, [], 0.0
    begin = time.monotonic()
    for number, job in enumerate(jobs, 1):
        ahead = begin + job.arrives - time.monotonic()
        if ahead > 0:
            time.sleep(ahead)
        chunks = [word for n in job.parts for word in (":", "-l", f"{n}:ncpus=1")][1:]
        answer = federation.muster("-q", "submit", "-n", f"log{job.number}", "-t", f"{job.asked}s",
                                   *chunks, "--", "sleep", f"{job.run:.3f}")
        if answer.code == 0:
            ids[answer.out.strip()] = job
        else:
            failures.append((job.number, answer.err.strip()))
        worst = max(worst, time.monotonic() - begin - job.arrives)
        say(f"{number}/{len(jobs)} submitted", number == len(jobs))
    return ids, worst, failures


def wait_until(federation, over, patience_s):
    """Until no listed job is in a state that is not `over`; returns ids that are left."""
    deadline = time.monotonic() + patience_s
    while True:
        answer = federation.muster("--json", "queue", "--everyone")
        left = ["?"]
        if answer.code == 0:
            left = [j["id"] for j in answer.json()["jobs"] if j["state"] not in over]
        if not left or time.monotonic() > deadline:
            say("", True)
            return left
        say(f"{len(left)} jobs to go")
        time.sleep(POLL_S)


def say(text, last=False):
    """Progress: only on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="\n" if last and text else "", file=sys.stderr, flush=True)


@dataclasses.dataclass
class Outcome:
    """What was promised to one job, and what happened."""

    job: str
    log: TraceJob
    sites: str
    submitted: object
    promised: object = None  # the first promise
    started: object = None
    verdict: str = ""
    ok: bool = False  # by the rules of the run

    @property
    def late_s(self):
        return (self.started - self.promised).total_seconds()


def judge(document, log, exact):
    """Compares the first promise with the real start; a later move must have a cause."""
    told = [(c["figures"]["starts_by"], c["cause"]) for c in document["history"]
            if c["figures"]["starts_by"] and c["figures"]["starts_by"]["firm"]]
    starts = [moment(p["started_at"]) for p in document["parts"] if p["started_at"]]
    sites = " ".join(p["site"] for p in document["parts"] if p["site"])
    result = Outcome(document["id"], log, sites, moment(document["submitted_at"]))
    if told:
        result.promised = moment(told[0][0]["at"])
    if len(starts) == len(document["parts"]):
        result.started = max(starts)
    if result.promised is None or result.started is None:
        result.verdict = f"NO: {document['outcome'] or document['state']} without " + (
            "a start" if result.promised else "a promise")
        return result
    causes = [cause["code"] for (_, cause) in told[1:] if cause]
    within_last = result.started <= moment(told[-1][0]["at"])
    if result.late_s <= 0:
        result.verdict, result.ok = "yes", True
    elif within_last and causes:
        result.verdict, result.ok = "moved: " + " ".join(dict.fromkeys(causes)), not exact
    else:
        result.verdict = "NO"
    if document["state"] == "ended" and document["outcome"] not in ("done", "cancelled"):
        result.verdict += f", {document['outcome']}"
        result.ok = False
    return result


def table(outcomes):
    """Promised against real starts, one line a job, UTC."""
    print(f"{'JOB':<6}{'LOG':<6}{'CPUS':>4}  {'ASKED':>6}{'RAN':>8}  {'SITES':<18}"
          f"{'PROMISED':<10}{'STARTED':<14}{'EARLIER BY':>10}  KEPT")
    for o in outcomes:
        row = (f"{o.job:<6}{o.log.number:<6}{sum(o.log.parts):>4}  {o.log.asked:>5}s"
               f"{o.log.run:>7.2f}s  {o.sites:<18}")
        if o.promised and o.started:
            millis = o.started.microsecond // 1000
            row += (f"{o.promised:%H:%M:%S}  {o.started:%H:%M:%S}.{millis:03d}  "
                    f"{-o.late_s:>8.2f} s  ")
        print(row + o.verdict)


def summary(outcomes, failures, worst, exact):
    """Prints figures over all jobs; returns the exit code."""
    placed = [o for o in outcomes if o.promised and o.started]
    kept = [o for o in placed if o.late_s <= 0]
    moved = [o for o in placed if o.late_s > 0 and o.verdict.startswith("moved")]
    broken = [o for o in outcomes if not o.ok]
    several = sum(len(o.log.parts) > 1 for o in outcomes)
    print(f"\n{len(outcomes)} jobs, {several} of them over several sites; "
          f"submissions at most {worst:.2f} s behind the log")
    print(f"kept     {len(kept)} of {len(outcomes)} started by their first promise")
    if moved:
        print(f"moved    {len(moved)} started later, with a cause on record; "
              f"the latest by {max(o.late_s for o in moved):.2f} s")
    if placed:
        waits = sorted((o.started - o.submitted).total_seconds() for o in placed)
        early = sorted(-o.late_s for o in placed)
        print(f"waited   mean {sum(waits) / len(waits):.2f} s, median {waits[len(waits) // 2]:.2f}"
              f" s, longest {waits[-1]:.2f} s")
        print(f"earlier  than promised: mean {sum(early) / len(early):.2f} s, "
              f"least {early[0]:.2f} s")
    for number, text in failures:
        print(f"refused  job {number} of the log: {text}")
    rule = "exact run times: every start by its first promise" if exact else (
        "every start by its promise, or a cause")
    good = not broken and not failures
    print(f"{rule}: {'holds' if good else f'BROKEN {len(broken) + len(failures)} times'}")
    return 0 if good else 1


def options():
    parser = argparse.ArgumentParser(
        prog="deploy/demo/trace",
        description="Feeds the first jobs of a workload trace (SWF, may be gzipped) to a live "
        "federation of three sites with 100 processors and compares promised with real starts.",
        epilog="Exit: 0 every promise kept, 1 one was broken without a cause (with --exact: at "
        "all), 2 usage.")
    parser.add_argument("--trace", type=pathlib.Path, help=f"default: $MUSTER_TRACES/{TRACE}")
    parser.add_argument("--jobs", type=int, default=500, help="of the log, from its first (500)")
    parser.add_argument("--compress", type=float, default=600, help="time is divided by this (600)")
    parser.add_argument("--exact", action="store_true", help="ask for the run time, not for more")
    parser.add_argument("--until-started", action="store_true",
                        help="end when every job has started; cancel what still runs")
    parser.add_argument("--port", type=int, default=7790, help="of the meta, on loopback (7790)")
    parser.add_argument("--patience", type=int, default=1800,
                        help="seconds to wait after the last submission (1800)")
    parser.add_argument("--keep", action="store_true", help="keep state and logs, say where")
    given = parser.parse_args()
    if given.trace is None:
        if "MUSTER_TRACES" not in os.environ:
            parser.error("which trace? --trace FILE, or MUSTER_TRACES=FOLDER")
        given.trace = pathlib.Path(os.environ["MUSTER_TRACES"]) / TRACE
    if given.jobs < 1 or given.compress <= 0:
        parser.error("--jobs and --compress are positive")
    if not given.trace.is_file():
        parser.error(f"{given.trace}: no such file")
    return given


def replay(federation, given, jobs):
    """The run itself; returns the exit code."""
    federation.up()
    begin = time.monotonic()
    ids, worst, failures = submit_all(federation, jobs)
    over = ("ended", "running", "ending") if given.until_started else ("ended",)
    left = wait_until(federation, over, given.patience)
    if left:
        print(f"after {given.patience} s there are jobs left: {' '.join(left)}", file=sys.stderr)
    shown, names = [], list(ids)
    for at in range(0, len(names), SHOWN_AT_ONCE):
        answer = federation.muster("--json", "show", ",".join(names[at:at + SHOWN_AT_ONCE]))
        if answer.code != 0:
            raise RuntimeError(f"muster show: {answer}")
        shown += documents(answer.out)
    outcomes = [judge(document, ids[document["id"]], given.exact) for document in shown]
    table(outcomes)
    code = summary(outcomes, failures, worst, given.exact)
    print(f"the run took {time.monotonic() - begin:.0f} s; "
          f"in the log it is {jobs[-1].arrives * given.compress / 3600:.1f} h of arrivals")
    return code if not left else 1


def main():
    given = options()
    jobs, skipped = read_trace(given.trace, given.jobs, given.compress, given.exact)
    if not jobs:
        print(f"{given.trace} has no usable job", file=sys.stderr)
        return 2
    sites = [Site(name, f"n[1-{nodes}]", {"ncpus": NODE_CPUS}, ports=f"{first}-{first + 999}")
             for (name, nodes), first in zip(SITES, range(24000, 27000, 1000))]
    print(f"{given.trace.name}: the first {len(jobs)} jobs, time divided by {given.compress:g}"
          + (f"; {skipped} unusable left out" if skipped else ""))
    folder = tempfile.mkdtemp(prefix="muster-trace-")
    federation = LiveFederation(folder, os.environ["MUSTER_BIN_DIR"],
                                f"tcp://127.0.0.1:{given.port}", sites, PROTOCOL)
    try:
        return replay(federation, given, jobs)
    except RuntimeError as error:
        print(f"trace: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        federation.close(keep=given.keep)
        if given.keep:
            print(f"state and logs: {folder}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
