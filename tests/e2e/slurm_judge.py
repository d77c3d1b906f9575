"""What Slurm itself has on file of the jobs and reservations of a cluster, and whether it can be
true of nodes that run one thing at a time. Knows nothing of muster's records."""
import collections
import datetime
import re

JOB = re.compile(
    r"JobId=(?P<id>\S+) UserId=(?P<user>\S+) GroupId=\S+ Name=(?P<name>.*) JobState=(?P<state>\S+) "
    r"Partition=\S* TimeLimit=(?P<limit>\S+) StartTime=(?P<start>\S+) EndTime=(?P<end>\S+) "
    r"NodeList=(?P<nodes>\S*) NodeCnt=\d+ ProcCnt=(?P<cpus>\d+) .*ReservationName=(?P<wall>\S*) ",
    re.DOTALL)
STAMP = re.compile(r"\[(\S+?)\] (.*)")
RESERVED = re.compile(r"sched: (Created|Updated) reservation=(\S+) users=(\S+) nodes=(\S+) "
                      r"cores=(\d+) .*start=(\S+) end=(\S+)")
DELETED = re.compile(r"_slurm_rpc_delete_reservation complete for (\S+)")


def nodes_of(text):
    """Names in a list of Slurm's, such as w-n[1-2,4]."""
    names = []
    for prefix, inside in re.findall(r"([^,\[\]]+)(?:\[([^\]]*)\])?", text):
        if not inside:
            names.append(prefix)
            continue
        for piece in inside.split(","):
            first, _, last = piece.partition("-")
            names += [f"{prefix}{n}" for n in range(int(first), int(last or first) + 1)]
    return names


def moment(text):
    if text in ("Unknown", "None"):
        return None
    return datetime.datetime.fromisoformat(text).replace(
        tzinfo=datetime.timezone.utc).timestamp()


def completed(path):
    """Jobs in a completion file (JobCompType=jobcomp/filetxt) that had nodes."""
    jobs = []
    text = path.read_text(errors="replace") if path.exists() else ""
    for line in re.split(r"\n(?=JobId=)", text):  # a name may have lines of its own
        row = JOB.match(line)
        if row is None:
            assert not line.strip(), f"not understood: {line}"
            continue
        start, end = moment(row["start"]), moment(row["end"])
        if start is None or end is None or row["nodes"] in ("(null)", "None", ""):
            continue
        limit = row["limit"]
        jobs.append({"id": row["id"], "name": row["name"], "user": row["user"],
                     "state": row["state"], "start": start, "end": end, "wall": row["wall"],
                     "minutes": int(limit) if limit.isdigit() else 10 ** 6,
                     "nodes": nodes_of(row["nodes"]), "cpus": int(row["cpus"])})
    return jobs


def crowded(jobs, cpus, prefix="mu_"):
    """Seconds of nodes at which jobs had more processors than there are, at least one of which
    bears the prefix: (node, second, jobs). Slurm by itself starts jobs twice after a kill."""
    on = collections.defaultdict(list)
    for job in jobs:
        for node in job["nodes"]:
            on[node].append((job["start"], job["end"], job["cpus"] / len(job["nodes"]), job))
    found = []
    for node, there in on.items():
        for start, _, _, _ in there:
            # Of several jobs of one token one runs it, and the others give up at once.
            by_name = {}
            for one in there:
                if one[0] <= start < one[1]:
                    job = one[3]
                    # A job that is put back when it has ended has two rows of one start.
                    key = job["name"] if job["name"].startswith(prefix) else \
                        (job["id"], job["name"], job["start"])
                    by_name.setdefault(key, one)
            together = list(by_name.values())
            names = [one[3]["name"] for one in together]
            ours = any(name.startswith(prefix) for name in names)
            if ours and sum(one[2] for one in together) > cpus + 0.01:
                found.append((node, start, [
                    f"{job['id']} {job['name']} {job['state']} {job['start']:.0f}-{job['end']:.0f} "
                    f"{job['cpus']} of {','.join(job['nodes'])}" for _, _, _, job in together]))
    return found


def log_lines(path):
    """The controller's log: (moment, text)."""
    lines = []
    for line in path.read_text(errors="replace").splitlines() if path.exists() else []:
        stamped = STAMP.match(line)
        if stamped:
            lines.append((moment(stamped[1]), stamped[2]))
    return lines


def reservations(lines):
    """Reservations as they stood one after another: name, nodes, cores, and the time of each."""
    stood, now = [], {}

    def over(name, at):
        row = now.pop(name, None)
        if row:
            row["end"] = min(row["end"], at)
            if row["start"] < row["end"]:
                stood.append(row)

    for at, text in lines:
        if made := RESERVED.search(text):
            over(made[2], at)
            now[made[2]] = {"name": made[2], "nodes": nodes_of(made[4]), "cores": int(made[5]),
                            "start": max(moment(made[6]), at), "end": moment(made[7])}
        elif gone := DELETED.search(text):
            over(gone[1], at)
    return stood + list(now.values())


def trespassers(jobs, stood, names, prefix="mu_"):
    """Jobs with the prefix that ran where and while reservations of these names stood, to the
    second, and other jobs in reservations with the prefix: (job, reservation)."""
    found = [(job["name"], row["name"]) for row in stood if row["name"] in names for job in jobs
             if job["name"].startswith(prefix) and set(job["nodes"]) & set(row["nodes"])
             and job["start"] + 1 < row["end"] and row["start"] + 1 < job["end"]]
    return found + [(job["name"], job["wall"]) for job in jobs
                    if job["wall"].startswith(prefix) and not job["name"].startswith(prefix)]


def until_requeued(jobs, lines):
    """The jobs, where those that were put back, before or after their end, end when they did: such
    a row has another end. So has one whose end a controller forgot that was killed: it is written
    down again, later."""
    ended = {}
    for job in jobs:
        run = (job["id"], job["name"], job["start"])
        ended[run] = min(job["end"], ended.get(run, job["end"]))
    out = []
    for job in jobs:
        put_back = job["state"] in ("PENDING", "REQUEUED")
        ends = "equeu|_complete" if put_back else f"_job_complete: JobId={job['id']} done$"
        over = [at for at, text in lines
                if at >= job["start"] and re.search(ends, text)
                and re.search(rf"JobId={job['id']}\b", text)]
        first = ended[job["id"], job["name"], job["start"]]
        out.append({**job, "end": min([first, *over])})
    return out


def evidence(lines, words, since, until):
    """The first line of the log between two moments that has one of the words; "" if none has."""
    for at, text in lines:
        if since <= at <= until and any(word in text for word in words):
            return f"{datetime.datetime.fromtimestamp(at, datetime.timezone.utc):%H:%M:%S} {text}"
    return ""
