"""Clusters of Slurm, a federation beside them, and users of both, in a folder of their own: what
all tests beside clusters share. Unless told otherwise, `lakes` has set two of its nodes aside for
the federation, `woods` lets it reserve nodes for each job, and `hills` has no Slurm at all."""
import datetime
import os
import pathlib
import shutil
import signal
import tempfile
import unittest

from clusters import Cluster, Lab, missing
from federation import BIN, until
from live_federation import LiveFederation, Site

CPUS = 4  # of every node
ACCOUNT = "games"  # of the federation's user at the clusters, where a test has one
LISTEN = "tcp://127.0.0.1:7700"
SETTLES_S = 240
LOCAL_NAMES = ("wrap", "mass")  # of jobs of the clusters' own users
STOP_WAIT_S = 20


def seconds(text):
    return datetime.datetime.fromisoformat(text).timestamp()


def as_moment(at):
    """A time as the command takes it."""
    return datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Town:
    """Started step by step: clusters, what their operators do before, then the federation."""

    def __init__(self):
        # Not below /tmp where that is a file system that nodes would not see.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-slurm-"))
        self.folder.chmod(0o755)
        self.shared = self.folder / "shared"
        self.shared.mkdir()
        self.starts = self.folder / "starts"  # what parts write down when they begin
        self.starts.touch()
        self.starts.chmod(0o666)
        self.lab = Lab(self.folder / "lab")
        self.live = None
        self.before = {}

    def close(self):
        try:
            if self.live:
                self.live.close()
        finally:
            try:
                self.lab.down()
            finally:
                shutil.rmtree(self.folder, ignore_errors=True)

    def start_clusters(self, *clusters):
        self.lab.up(clusters)

    def start_federation(self, *sites, protocol=None):
        self.before = {name: self.state_of(name) for name in self.lab.names()}
        self.live = LiveFederation(self.folder / "live", BIN, LISTEN, sites, protocol or {})
        self.live.up()

    def set_aside(self, cluster, nodes, name="commons", *more):
        self.slurm(cluster, "scontrol", "create", "reservation", f"ReservationName={name}",
                   "StartTime=now", "Duration=UNLIMITED", f"Nodes={nodes}", "Users=root",
                   "Flags=IGNORE_JOBS", *more)
        # A controller that is killed before has lost it.
        saved = self.lab.folder / cluster / "state" / "resv_state"
        until(lambda: saved.exists() and name.encode() in saved.read_bytes(), "it is on disk")

    def site(self, name, ports, cluster="", users=None, enter=(), **more):
        return Site(name, ports=ports, users=users or {}, enter=enter, slurm={
            "conf": str(self.lab.conf(cluster or name)), "shared_folder": str(self.shared), **more})

    # The clusters' own users and operators.

    def run(self, cluster, *words, user=None, **more):
        return self.lab.run(cluster, *words, user=user, group=user, cwd="/",
                            extra_groups=[] if user else None, **more)

    def slurm(self, cluster, *words, user=None):
        done = self.run(cluster, *words, user=user)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout.strip()

    def sbatch(self, cluster, *words, user=None):
        return self.slurm(cluster, "sbatch", "--parsable", "--output=/dev/null", *words, user=user)

    def local_job(self, cluster, number):
        """What Slurm says of one of its jobs, by its own names."""
        said = self.run(cluster, "scontrol", "show", "job", "-o", str(number)).stdout
        return dict(word.split("=", 1) for word in said.split() if "=" in word)

    def reservations(self, cluster):
        """Those that stand, by name, as Slurm says it."""
        said = self.run(cluster, "scontrol", "show", "reservation", "-o").stdout
        rows = [dict(word.split("=", 1) for word in line.split() if "=" in word)
                for line in said.splitlines() if "ReservationName=" in line]
        return {row["ReservationName"]: row for row in rows}

    def walls(self, cluster):
        return sorted(name for name in self.reservations(cluster) if name.startswith("mu_"))

    def state_of(self, cluster):
        """What a site must leave as it was: reservations, partitions and the nodes' states."""
        nodes = self.run(cluster, "sinfo", "-h", "-N", "-o", "%N %T").stdout
        nodes = nodes.replace("reserved", "idle")  # said some time after the reservation is there
        return (sorted(self.reservations(cluster)),
                self.run(cluster, "scontrol", "show", "partition", "-o").stdout, nodes)

    # Daemons.

    def kill_site(self, name):
        """By SIGKILL; of the meta, too."""
        process = self.live.processes.pop(name)
        process.kill()
        process.wait(timeout=STOP_WAIT_S)

    def kill_controller(self, cluster):
        self.lab.signal(f"{cluster}/slurmctld", signal.SIGKILL)

    # The federation's users.

    def script(self, lasts_s):
        return f'echo "$MUSTER_JOB_ID.$MUSTER_PART $(date +%s.%N)" >>{self.starts}; sleep {lasts_s}'

    def asked(self, lasts_s, *words):
        """The answer to a submission whose parts write down when they begin, then sleep."""
        return self.live.muster("-q", "submit", *words, "--", "sh", "-c", self.script(lasts_s))

    def told(self, lasts_s, *words):
        """The same, with what a user reads who waits for it."""
        return self.live.muster("submit", *words, "--", "sh", "-c", self.script(lasts_s))

    def submit(self, lasts_s, *words):
        answer = self.asked(lasts_s, *words)
        assert answer.code == 0, answer
        return answer.out.strip()

    def job(self, number):
        return self.live.muster("--json", "show", number).json()["job"]

    def state(self, number):
        return self.job(number)["state"]

    def nodes(self, site):
        sites = self.live.muster("--json", "nodes").json()["sites"]
        return {node["name"]: node for one in sites if one["name"] == site for node in one["nodes"]}

    def began(self):
        """When each part began, as the parts themselves wrote it down."""
        out = {}
        for line in self.starts.read_text().splitlines():
            part, at = line.split()
            out.setdefault(part, []).append(float(at))
        return out

    def begin_of(self, number, part=1):
        """When a part began that must have begun once."""
        at = self.began().get(f"{number}.{part}", [])
        assert len(at) == 1, (number, part, at, self.live.muster("show", number))
        return at[0]

    def end(self, numbers, patience_s=SETTLES_S):
        """Waits until jobs have ended; returns them."""
        def left():
            return [number for number in numbers if self.state(number) != "ended"]

        try:
            until(lambda: not left(), "they have ended", patience_s)
        except AssertionError:
            gantt = self.live.muster("gantt")
            told = [self.live.muster("show", number) for number in left()]
            raise AssertionError(f"after {patience_s} s not ended: {left()}\n{told}\n{gantt}") \
                from None
        return {number: self.job(number) for number in numbers}

    def leaves_nothing(self):
        """The clusters are as they were before there was a federation."""
        for name in self.lab.names():
            # A controller that was killed brings back what was cancelled before, and puts back
            # what it could not start.
            def there(name=name):
                for one in LOCAL_NAMES:
                    self.run(name, "scancel", f"--name={one}")
                return self.run(name, "squeue", "-h").stdout.strip()

            try:
                until(lambda: not there(), f"{name} is empty", SETTLES_S)
            except AssertionError as error:
                raise AssertionError(f"{error}: {there()}") from None
            try:
                until(lambda name=name: self.state_of(name) == self.before[name],
                      f"{name} is as it was before", 30)
            except AssertionError as error:
                raise AssertionError(f"{error}: {self.before[name]}\n{self.state_of(name)}\n"
                                     f"{self.reservations(name)}") from None


def name_nodes(town, cluster, count=4):
    """Gives each node a feature of its own, so that a job can say where it shall be: own=NAME."""
    for name in (f"{cluster[0]}-n{n}" for n in range(1, count + 1)):
        town.slurm(cluster, "scontrol", "update", f"NodeName={name}",
                   f"AvailableFeatures=own={name}")


def two_clusters(town, users=None, more="OverTimeLimit=1\n", hills=True, **slurm):
    """Starts the usual ones; `more` are lines of both clusters, `slurm` further words of both
    sites."""
    town.start_clusters(Cluster("lakes", 0, more=more), Cluster("woods", 1, tuned=True, more=more))
    town.set_aside("lakes", "l-n[1-2]")
    for name in ("lakes", "woods"):
        name_nodes(town, name)
    town.start_federation(
        town.site("lakes", "25000-25999", users=users, walls="commons", commons=["commons"],
                  **slurm),
        town.site("woods", "26000-26999", users=users, walls="each", **slurm),
        *([Site("hills", "h[1-2]", {"ncpus": CPUS}, ports="27000-27999")] if hills else []))


@unittest.skipIf(missing(), f"not installed: {', '.join(missing())}")
@unittest.skipIf(os.geteuid() != 0, "only root can start clusters")
class TownTest(unittest.TestCase):
    """Tests each of which has a town of its own, and fills it itself."""

    def setUp(self):
        self.town = Town()
        self.addCleanup(self.town.close)
        self.addCleanup(self.tell)

    def tell(self):
        """What the daemons said, if the test has failed."""
        if self.town.live and not self._outcome.success:
            print(self.town.live.tails(30))

    def is_blind(self, number):
        """Whoever asks a blind site is promised nothing, and told so."""
        job = self.town.job(number)
        self.assertIsNone(job["figures"]["starts_by"], job)
        self.assertRegex(str(job["figures"]["no_promise_reason"]),
                         "does not see its machine|has not answered in time")

    def says(self, answer, code, *texts):
        """A refusal: its exit code, and what it must name."""
        self.assertEqual(answer.code, code, answer)
        for text in texts:
            self.assertIn(text, answer.err + answer.out)


class OneTown(TownTest):
    """Tests that share a town; `fill` fills it."""

    @classmethod
    def setUpClass(cls):
        cls.town = Town()
        cls.addClassCleanup(cls.town.close)
        cls.fill(cls.town)

    @classmethod
    def fill(cls, town):
        two_clusters(town)

    def setUp(self):
        self.addCleanup(self.tell)
