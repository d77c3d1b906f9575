"""One morning of a real log on a campus of three departments, live: real daemons, real processes,
four accounts of which two run dry. What was told, charged and given is compared with own sums.

Rules of the morning:
- Submissions and run times of the log are divided by --compress; a processor is one ncpus.
- Users of the log are users here, each with a key; user number modulo four is the account. Every
  fifth job is submitted as urgent, every seventh as filler.
- A job larger than every site becomes a co-allocation of as few parts as possible.
- What still waits or runs --settle seconds after the last submission is cancelled.
- Each process writes down when it began and ended, so that what a site reports is compared, too.
- With --kill daemons are killed while they hold news that they have not passed on: just after the
  end of a process that runs. Submissions repeat with the same --once until they are acknowledged.
"""

import argparse
import dataclasses
import datetime
import gzip
import math
import os
import pathlib
import sys
import tempfile
import threading
import time
import zoneinfo

import campus_judge
import campus_town
import trace_replay
from campus_town import Town

TRACE = trace_replay.TRACE
DAY = "1997-05-14"
ACCOUNTS = ("bio", "chem", "course", "phys")  # by user number modulo four
MARGIN_S = 2  # of a process for being started and ended on a busy machine
LEAST_RUN_S = 0.01
POLL_S = 1.0
OUTAGE_S = 3
KILLS = "meta@60,lakes@105,meta@170,woods@215,meta@260,hills@300"
# Of what an account's work may cost: granted at once, of that ending meanwhile, granted meanwhile.
GRANTS = {"bio": (0.15, 0.05, 0), "chem": (2, 0, 0.3), "course": (2, 0.6, 0),
          "phys": (0.1, 0, 0.25)}
DRY = ("bio", "phys")


@dataclasses.dataclass(frozen=True)
class Submission:
    """A job of the log as it is submitted here."""

    log: trace_replay.TraceJob
    user: str
    account: str
    qos: str  # "": none


def local_time(lines):
    """The clock of the log's header: a function from its seconds to a local time."""
    head = {}
    for line in lines:
        if not line.startswith(";"):
            break
        name, _, value = line.lstrip("; ").partition(":")
        head[name.strip()] = value.strip()
    zone = zoneinfo.ZoneInfo(head["TimeZoneString"])
    begin = int(head["UnixStartTime"])
    return lambda second: datetime.datetime.fromtimestamp(begin + second, zone)


def read_morning(path, day, first, hours, compress):
    """The submissions of that day from `first` o'clock on, and how many of them are not usable."""
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", errors="replace") as file:
        lines = file.readlines()
    clock = local_time(lines)
    sizes = [nodes * campus_town.NODE_CPUS for nodes in campus_town.SITES.values()]
    out, skipped = [], 0
    for fields in (line.split() for line in lines if line.strip() and not line.startswith(";")):
        at = clock(float(fields[1]))
        since = (at.hour - first) * 3600 + at.minute * 60 + at.second
        if str(at.date()) != day or not 0 <= since < hours * 3600:
            continue
        run = float(fields[3])
        processors = int(fields[7]) if int(fields[7]) > 0 else int(fields[4])
        parts = trace_replay.split(processors, sizes) if processors > 0 else ()
        if run < 0 or not parts:
            skipped += 1
            continue
        ran = max(run / compress, LEAST_RUN_S)
        asked = math.ceil(max(float(fields[8]) / compress, ran + MARGIN_S))
        number, user = int(fields[0]), int(fields[11])
        qos = "urgent" if number % 5 == 0 else "filler" if number % 7 == 0 else ""
        out.append(Submission(
            trace_replay.TraceJob(number, since / compress, ran, asked, parts),
            f"u{user}", ACCOUNTS[user % len(ACCOUNTS)], qos))
    return out, skipped


def grants(town, submissions, terms, span_s):
    """Posts the deposits of the morning. Returns {account: [(credits in millionths, ends)]}."""
    worth = {name: 0 for name in ACCOUNTS}
    for s in submissions:  # by day, at a site that charges no more than the rates
        worth[s.account] += sum(terms.price(n, 0, s.log.asked * 1000, s.qos, "lakes")
                                for n in s.log.parts)
    out = {}
    for name, (first, ending, later) in GRANTS.items():
        out[name] = []
        for part, more in ((first, ("--until", "now+1d")),
                           (ending, ("--until", f"now+{int(span_s * 0.5)}s")),
                           (later, ("--from", f"now+{int(span_s * 0.6)}s"))):
            hundredths = round(worth[name] * part) // 10_000
            if hundredths > 0:
                town.must("account", "deposit", name, f"{hundredths / 100:.2f}", *more,
                          "--once", f"{name}-{part}", "--note", "a morning")
                out[name].append(hundredths * 10_000)
    return out


def stamped(file):
    """A shell's words that write the time there, whole or not at all: a job that asked for just as
    long as it runs is ended while it writes its last stamp."""
    return f"date +%s%3N > {file}.new && mv {file}.new {file}"


def submit_all(town, submissions, ids, begin, problems):
    """Submits each job at its time, again and again while nobody acknowledges it."""
    for number, s in enumerate(submissions, 1):
        ahead = begin + s.log.arrives - time.monotonic()
        if ahead > 0:
            time.sleep(ahead)
        chunks = [word for n in s.log.parts for word in (":", "-l", f"{n}:ncpus=1")][1:]
        stamp = f'{town.folder}/stamps/$MUSTER_JOB_ID.$MUSTER_PART'
        script = f'{stamped(stamp + ".begin")}; sleep {s.log.run:.3f}; {stamped(stamp + ".end")}'
        words = ["-q", "submit", "-n", f"log{s.log.number}", "--once", f"log{s.log.number}",
                 "-t", f"{s.log.asked}s", *(["--qos", s.qos] if s.qos else []), *chunks, "--",
                 "sh", "-c", script]
        answer = town.muster(*words, user=s.user)
        while answer.code in (5, 6) and time.monotonic() < begin + s.log.arrives + 60:
            time.sleep(0.3)
            answer = town.muster(*words, user=s.user)
        if answer.code == 0:
            ids[answer.out.strip()] = s
        else:
            problems.append(f"job {s.log.number} of the log was refused: {answer.err.strip()}")
        trace_replay.say(f"{number}/{len(submissions)} submitted")


def watch(town, seen, stop):
    """Looks at everything once a second until told to stop."""
    while not stop.wait(POLL_S):
        queue = town.ask("queue", "--everyone")
        if queue is not None:
            seen.take_queue(queue)
        for name in ACCOUNTS:
            account = town.ask("account", name)
            if account is not None:
                seen.take_account(account["accounts"][0])


def kill_all(town, plan, ids, begin, done, problems):
    """Kills each daemon of the plan just after the end of a process, and starts it again."""
    for daemon, second in plan:
        time.sleep(max(begin + second - time.monotonic(), 0))
        try:
            why = await_an_end(town, daemon, ids)
            town.kill(daemon)
            time.sleep(OUTAGE_S)
            town.restart(daemon)
            done.append(f"{daemon} at {time.monotonic() - OUTAGE_S - begin:.1f} s, {why}")
        except (OSError, RuntimeError, ValueError) as error:
            problems.append(f"kill of {daemon}: {error}")


def await_an_end(town, daemon, ids):
    """Sleeps until a moment after the next end of a process that concerns the daemon."""
    document = town.ask("queue", "--everyone") or {"jobs": []}
    ends = []
    for job in document["jobs"]:
        for part in job["parts"]:
            if job["id"] in ids and part["started_at"] and not part["ended_at"] and (
                    daemon in ("meta", part["site"])):
                ends.append((campus_judge.milliseconds(part["started_at"]) / 1000
                             + ids[job["id"]].log.run, part["id"]))
    ends = sorted(end for end in ends if time.time() + 0.05 < end[0] < time.time() + 15)
    if not ends:
        return "nothing was about to end"
    time.sleep(max(ends[0][0] + 0.02 - time.time(), 0))
    return f"as {ends[0][1]} ended"


def settle(town, patience_s):
    """Cancels what is left and waits until nothing is; a minute later all views are up to date."""
    def unfinished():
        document = town.ask("queue", "--everyone")
        return ["?"] if document is None else [job["id"] for job in document["jobs"]]

    town.wait_for(town.are_up, patience_s, "all sites are up again")
    left = unfinished()
    if left:
        town.muster("cancel", "all", "--yes")
        for user in town.users:
            town.muster("cancel", "all", "--yes", user=user)
    town.wait_for(lambda: not unfinished(), patience_s, "all jobs have ended")
    town.wait_for(lambda: all(town.ask("account", name)["accounts"][0]["set_aside"] == 0
                              for name in ACCOUNTS), patience_s, "nothing is set aside any more")
    return left


def documents(town, ids):
    shown, names = [], list(ids)
    for at in range(0, len(names), trace_replay.SHOWN_AT_ONCE):
        out = town.must("--json", "show", ",".join(names[at:at + trace_replay.SHOWN_AT_ONCE]))
        shown += trace_replay.documents(out)
    return shown


def options():
    parser = argparse.ArgumentParser(
        prog="deploy/demo/campus",
        description="Runs one morning of a workload log (SWF, may be gzipped) on a campus of three "
        "departments with four accounts, and compares what everybody was told, charged and given "
        "with sums of its own.",
        epilog="Exit: 0 all sums agree, 1 one does not, 2 usage.")
    parser.add_argument("--trace", type=pathlib.Path, help=f"default: $MUSTER_TRACES/{TRACE}")
    parser.add_argument("--day", default=DAY, help=f"of the log ({DAY})")
    parser.add_argument("--first", type=int, default=8, help="o'clock, where the log was made (8)")
    parser.add_argument("--hours", type=float, default=6, help="of the log (6)")
    parser.add_argument("--compress", type=float, default=60, help="time is divided by this (60)")
    parser.add_argument("--settle", type=int, default=60,
                        help="seconds after the last submission until the rest is cancelled (60)")
    parser.add_argument("--kill", nargs="?", const=KILLS, default="", metavar="DAEMON@SECOND,…",
                        help=f"kill these daemons then, and start them again ({KILLS})")
    parser.add_argument("--keep", action="store_true", help="keep state and logs, say where")
    given = parser.parse_args()
    if given.trace is None:
        if "MUSTER_TRACES" not in os.environ:
            parser.error("which trace? --trace FILE, or MUSTER_TRACES=FOLDER")
        given.trace = pathlib.Path(os.environ["MUSTER_TRACES"]) / TRACE
    if not given.trace.is_file():
        parser.error(f"{given.trace}: no such file")
    if given.compress <= 0 or given.hours <= 0 or given.settle < 0:
        parser.error("--compress and --hours are positive, --settle is not negative")
    given.plan = []
    for word in filter(None, given.kill.split(",")):
        daemon, at, second = word.partition("@")
        if daemon not in ("meta", *campus_town.SITES) or not at or not second.isdigit():
            parser.error(f"--kill {word}: as in meta@60,lakes@105")
        given.plan.append((daemon, int(second)))
    return given


def morning(town, given, submissions):
    """The run itself; returns the exit code."""
    span_s = given.hours * 3600 / given.compress
    minute = math.ceil((time.time() + span_s / 2) / 60) * 60
    text = [datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ")
            for at in (minute, minute + 86_400)]
    town.up(text)
    (town.folder / "stamps").mkdir()
    terms = campus_judge.terms_of(minute)
    deposits = grants(town, submissions, terms, span_s)
    seen, ids, problems, done, stop = campus_judge.Seen(terms), {}, [], [], threading.Event()
    begin = time.monotonic()
    threads = [threading.Thread(target=watch, args=(town, seen, stop)),
               threading.Thread(target=kill_all,
                                args=(town, given.plan, ids, begin, done, problems))]
    for thread in threads:
        thread.start()
    try:
        submit_all(town, submissions, ids, begin, problems)
        time.sleep(given.settle)
        threads[1].join()
        left = settle(town, 120)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    for line in done:
        print(f"killed   {line}")
    print(f"the morning took {time.monotonic() - begin:.0f} s; at its end {len(left)} jobs were "
          "cancelled")
    judge = campus_judge.Judge(town, terms, ids, documents(town, ids), seen, deposits, problems)
    return judge.report(DRY, killed=bool(done))


def main():
    given = options()
    submissions, skipped = read_morning(given.trace, given.day, given.first, given.hours,
                                        given.compress)
    if not submissions:
        print(f"{given.trace} has no usable job at that time", file=sys.stderr)
        return 2
    users = {s.user: s.account for s in submissions}
    print(f"{given.trace.name}: {given.day}, {given.hours:g} hours from {given.first}:00 on, time "
          f"divided by {given.compress:g}: {len(submissions)} jobs of {len(users)} users"
          + (f"; {skipped} unusable left out" if skipped else ""))
    town = Town(tempfile.mkdtemp(prefix="muster-campus-"), os.environ["MUSTER_BIN_DIR"], users)
    try:
        return morning(town, given, submissions)
    except RuntimeError as error:
        print(f"campus: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        town.close(keep=given.keep)
        if given.keep:
            print(f"state and logs: {town.folder}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
