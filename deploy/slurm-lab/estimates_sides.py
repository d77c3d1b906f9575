"""The two sides that are compared: a cluster by itself, and one like it with a site beside it.
What each side is told of a job is in seconds after its submission."""
import datetime
import re
import subprocess
import time

from clusters import LabError
from live_federation import LiveFederation

SCHOOL = "school"  # a site of processes, where run times are learned
ACCOUNT = "daemon"
PATIENCE_S = 5  # for a forecast, after a submission


def moment(text):
    """Seconds; Slurm writes local time without a zone, muster UTC."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def sbatch(request, reservation=""):
    """Words of a bare job of the shape of the request."""
    return ["--output=/dev/null", f"--job-name={request.kind.name}", f"--uid={ACCOUNT}",
            f"-N{request.kind.nodes}", f"--ntasks-per-node={request.kind.cpus}",
            f"-t{request.kind.limit_m}",
            *([f"--reservation={reservation}"] if reservation else []),
            f"--wrap=sleep {request.seconds}"]


class Told:
    """What was said of one job, and when it began."""

    def __init__(self, request, key, at):
        self.request, self.key, self.at = request, key, at
        self.first, self.later = {}, {}  # by who said it
        self.start = None

    def after(self, when):
        return round(when - self.at, 1)


class Bare:
    """The cluster by itself: will-run before a submission, squeue's estimate as soon as there is
    one, and later."""

    def __init__(self, lab, name, reservation):
        self.lab, self.name, self.reservation = lab, name, reservation
        self.told = []

    def submit(self, request):
        reservation = "" if request.local else self.reservation
        words = sbatch(request, reservation)
        test = self.lab.run(self.name, "sbatch", "--test-only", *words)
        answer = self.lab.run(self.name, "sbatch", "--parsable", *words)
        if answer.returncode != 0:
            raise LabError(answer.stderr.strip())
        if request.local:
            return
        told = Told(request, answer.stdout.strip(), time.time())
        will = re.search(r"to start at (\S+)", test.stderr)
        if will:
            told.first["will-run"] = max(told.after(moment(will.group(1))), 0)
        self.told.append(told)

    def look(self, first_within_s, later_s):
        """Takes the estimates that are due."""
        rows = self.lab.run(self.name, "squeue", "--start", "-h", "-tPD", "-o", "%i %S").stdout
        estimates = dict(row.split() for row in rows.splitlines())
        now = time.time()
        for told in self.told:
            text = estimates.get(told.key)
            if text is None or text == "N/A":
                continue
            waited, said = now - told.at, told.after(moment(text))
            if "squeue" not in told.first and waited < first_within_s:
                told.first["squeue"] = said
            if "squeue" not in told.later and waited >= later_s:
                told.later["squeue"] = said

    def done(self):
        return not self.lab.run(self.name, "squeue", "-h").stdout.strip()

    def judge(self):
        """Real starts, as the cluster has them on file."""
        starts = {}
        for line in (self.lab.folder / self.name / "jobcomp").read_text().splitlines():
            row = dict(word.split("=", 1) for word in line.split() if "=" in word)
            if row["StartTime"] not in ("Unknown", "None"):
                starts[row["JobId"]] = moment(row["StartTime"])
        for told in self.told:
            if told.key in starts:
                told.start = max(told.after(starts[told.key]), 0)


class Federated(LiveFederation):
    """A federation whose users each have a key of their own."""

    def __init__(self, folder, programs, listen, sites, users):
        super().__init__(folder, programs, listen, sites, {})
        self.users = users
        self.told = []

    def configure(self):
        super().configure()
        meta = (self.folder / "meta.toml").read_text()
        config = (self.folder / "config.toml").read_text()
        for user in self.users:
            meta += f'[[user]]\nname = "{user}"\nkey = "{self.new_key(user)}"\nrole = "user"\n'
            (self.folder / f"{user}.toml").write_text(config.replace("user.key", f"{user}.key"))
        (self.folder / "meta.toml").write_text(meta)

    def submit_as(self, kind, seconds, site):
        environment = {**self.environment, "MUSTER_CONFIG": str(self.folder / f"{kind.user}.toml")}
        answer = subprocess.run(
            [self.programs / "muster", "-q", "submit", "-n", kind.name, "-t", f"{kind.limit_m}m",
             "-l", f"{kind.nodes}:ncpus={kind.cpus}", "--place", "scatter", "--site", site, "--",
             "sleep", str(seconds)],
            env=environment, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, check=False, timeout=60)
        if answer.returncode != 0:
            raise LabError(answer.stderr.strip())
        return answer.stdout.strip()

    def submit(self, request, site):
        told = Told(request, self.submit_as(request.kind, request.seconds, site), time.time())
        self.told.append(told)

    def figures(self, told):
        """What is said now, by who says it; nothing of one that runs."""
        job = self.muster("--json", "show", told.key).json()["job"]
        if any(part["started_at"] for part in job["parts"]):
            return {}
        figures, said = job["figures"], {}
        if figures["starts_by"]:
            said["promised"] = told.after(moment(figures["starts_by"]["at"]))
        if figures["expected"]:
            said["expected"] = told.after(moment(figures["expected"]["start"]))
        return said

    def look(self, later_s):
        now = time.time()
        for told in self.told:
            waited = now - told.at
            if "expected" not in told.first and waited < PATIENCE_S:
                told.first = {**self.figures(told), **told.first}
            if not told.later and told.start is None and later_s <= waited < later_s + 60:
                told.later = self.figures(told)

    def done(self):
        return not self.muster("--json", "queue", "--everyone").json()["jobs"]

    def judge(self):
        for told in self.told:
            job = self.muster("--json", "show", told.key).json()["job"]
            starts = [moment(part["started_at"]) for part in job["parts"] if part["started_at"]]
            if starts:
                told.start = max(told.after(max(starts)), 0)
