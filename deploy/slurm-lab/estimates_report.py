"""What was told against what happened: a table, and mean absolute errors."""
WHO = {"muster": ("promised", "expected"), "slurm": ("squeue", "will-run")}
FAIRNESS = """\
Both sides had the same requests in the same seconds, and the same jobs of local users, on
clusters of the same size; what a side said is compared with its own real starts. Slurm's are of
bare jobs by sbatch, muster's of its own jobs, which its own planning starts. "At submission" is
will-run just before it, what muster says within {patience} s of it, and the first start that squeue
knows, within {within} s. Users have habits, of which muster has seen {lessons} jobs before; Slurm
learns nothing of run times."""


def errors(told, who, which, least_wait_s):
    """Absolute errors of what was said by `who`, of the jobs that waited."""
    out = []
    for one in told:
        said = getattr(one, which).get(who)
        if one.start is not None and said is not None and one.start >= least_wait_s:
            out.append(abs(said - one.start))
    return out


def summary(sides, least_wait_s):
    """Mean absolute errors by moment and by who said it; and expected over squeue."""
    out = {}
    for which in ("first", "later"):
        rows = {}
        for side, words in WHO.items():
            for who in words:
                found = errors(sides[side], who, which, least_wait_s)
                rows[who] = {"jobs": len(found),
                             "error_s": round(sum(found) / len(found), 1) if found else None}
        ours, theirs = rows["expected"]["error_s"], rows["squeue"]["error_s"]
        out[which] = {**rows, "ratio": round(ours / theirs, 3) if ours and theirs else None}
    return out


def mean_wait(told):
    waits = [one.start for one in told if one.start is not None]
    return round(sum(waits) / len(waits), 1) if waits else None


def cell(number):
    return "–" if number is None else f"{number:.0f}"


def table(sides):
    """A line for each request."""
    yield f"{'':22}{'muster':^37}   {'slurm':^31}".rstrip()
    head = f"{'JOB':<10}{'CORES':>6}{'LIMIT':>6}"
    later = "LATER"
    yield (f"{head} {'PROMISED':>9}{later:>6}{'EXPECTED':>9}{later:>6}{'START':>7}   "
           f"{'SQUEUE':>9}{later:>6}{'WILL-RUN':>9}{'START':>7}")
    for ours, bare in zip(sides["muster"], sides["slurm"]):
        kind = ours.request.kind
        yield (f"{kind.name:<10}{kind.nodes * kind.cpus:>6}{kind.limit_m:>5}m "
               f"{cell(ours.first.get('promised')):>9}{cell(ours.later.get('promised')):>6}"
               f"{cell(ours.first.get('expected')):>9}{cell(ours.later.get('expected')):>6}"
               f"{cell(ours.start):>7}   "
               f"{cell(bare.first.get('squeue')):>9}{cell(bare.later.get('squeue')):>6}"
               f"{cell(bare.first.get('will-run')):>9}{cell(bare.start):>7}")


def text(sides, least_wait_s, later_s, facts):
    """All of it, for people; `facts` are what FAIRNESS wants to know."""
    yield "seconds after its submission, of each job"
    yield from table(sides)
    sums = summary(sides, least_wait_s)
    yield ""
    yield f"mean absolute error in seconds, of jobs that waited {least_wait_s} s or more (jobs)"
    for which, words in (("first", "at submission"), ("later", f"{later_s} s later")):
        row = sums[which]
        shown = "   ".join(f"{who} {cell(row[who]['error_s'])} ({row[who]['jobs']})"
                           for words_of in WHO.values() for who in words_of
                           if row[who]["jobs"])
        ratio = "" if row["ratio"] is None else f"   expected / squeue {row['ratio']:.2f}"
        yield f"  {words:<14} {shown}{ratio}"
    yield "mean wait of all " + ", ".join(f"{cell(mean_wait(told))} s by {side}"
                                          for side, told in sides.items())
    yield ""
    yield FAIRNESS.format(**facts)


def document(sides, least_wait_s, later_s):
    """The same for programs."""
    jobs = [{"kind": ours.request.kind.name, "cores": ours.request.kind.nodes *
             ours.request.kind.cpus, "limit_s": ours.request.kind.limit_m * 60,
             "run_s": ours.request.seconds, "submitted_s": ours.request.at_s,
             "muster": {"first": ours.first, "later": ours.later, "start": ours.start},
             "slurm": {"first": bare.first, "later": bare.later, "start": bare.start}}
            for ours, bare in zip(sides["muster"], sides["slurm"])]
    return {"least_wait_s": least_wait_s, "later_s": later_s, "jobs": jobs,
            "mean_wait_s": {side: mean_wait(told) for side, told in sides.items()},
            **{f"error_{which}": row for which, row in summary(sides, least_wait_s).items()}}
