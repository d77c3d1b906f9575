"""Daemons killed with SIGKILL: nothing acknowledged is lost, nothing runs twice, running work is
found again. And sites stopped over the starts of jobs, again and again: MUSTER_RESTARTS says how
often, MUSTER_SEED repeats a run.
"""
import collections
import os
import pathlib
import random
import signal
import threading
import time
import unittest

from federation import Federation, FederationTest, until


def running_below(folder):
    """Processes whose command line names the folder: its daemon and its shepherds."""
    lines = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(entry.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue  # it ended meanwhile
    return [line for line in lines if str(folder) in line]


class Crash(FederationTest):
    def all_up(self):
        sites = self.fed.muster("--json", "sites")
        return sites.code == 0 and {s["state"] for s in sites.json()["sites"]} == {"up"}

    def test_a_site_killed_under_a_running_job_finds_it_again(self):
        mark = self.fed.root / "runs"
        job = self.fed.submit("--site", "lakes", "-t", "1m", "--", "sh", "-c",
                              f"echo run >> {mark}; sleep 4; exit 5")
        until(lambda: self.fed.job(job)["state"] == "running", "the job runs")
        self.fed.kill("lakes")
        self.fed.restart("lakes")
        self.assertEqual(self.fed.muster("wait", job).code, 9)
        shown = self.fed.job(job)
        self.assertEqual((shown["outcome"], shown["parts"][0]["exit_code"]), ("failed", 5))
        self.assertEqual(mark.read_text(), "run\n")
        until(self.all_up, "every site is up again")

    def test_a_job_that_ends_while_its_site_is_down_is_accounted(self):
        job = self.fed.submit("--site", "woods", "-t", "1m", "--", "sh", "-c", "sleep 2; exit 0")
        until(lambda: self.fed.job(job)["state"] == "running", "the job runs")
        self.fed.kill("woods")
        until(lambda: not running_below(self.fed.state / "woods"),
              "the shepherd wrote the end and left")
        self.fed.restart("woods")
        self.fed.muster("wait", job)
        self.assertEqual(self.fed.job(job)["outcome"], "done")
        until(self.all_up, "every site is up again")

    def test_a_killed_meta_keeps_every_acknowledged_job(self):
        jobs = [self.fed.submit("--from", "now+1h", "-t", "1m", "--", "true") for _ in range(5)]
        running = self.fed.submit("-t", "1m", "--", "sleep", "3")
        before = {job: self.fed.job(job)["figures"]["starts_by"] for job in jobs}
        self.fed.kill("meta")
        self.assertEqual(self.fed.muster("queue").code, 5)
        self.fed.restart("meta")
        until(self.all_up, "every site is up again")
        for job in jobs:
            self.assertEqual(self.fed.job(job)["figures"]["starts_by"], before[job])
        self.fed.muster("wait", running)
        self.assertEqual(self.fed.job(running)["outcome"], "done")
        self.fed.muster("cancel", *jobs)

    def test_a_meta_killed_at_the_start_of_a_co_allocation_runs_it_once_or_again_never_twice(self):
        mark = self.fed.root / "trio"
        job = self.fed.submit("--apart", "-t", "1m", "-l", "1", ":", "-l", "1", ":", "-l", "1",
                              "--", "sh", "-c", f"echo $MUSTER_PART >> {mark}; sleep 3")
        until(lambda: self.fed.job(job)["state"] in ("starting", "running"), "the job starts")
        self.fed.kill("meta")
        self.fed.restart("meta")
        until(self.all_up, "every site is up again")
        self.fed.muster("wait", job)
        self.assertEqual(self.fed.job(job)["outcome"], "done")
        self.assertEqual(sorted(pathlib.Path(mark).read_text().split()), ["1", "2", "3"])


class Restarts(unittest.TestCase):
    """Sites that are stopped before jobs start and are there again after that: each part runs once,
    whether its site had run anything before or not, and is never `unknown`."""

    SITES = ("hills", "lakes", "woods")
    RESTARTS = int(os.environ.get("MUSTER_RESTARTS", "36"))  # about a minute
    ROUNDS = 3  # with one federation: its sites are fresh in the first only
    STOPS = 2  # of each site in a round
    AHEAD_S = 4  # the first start of a round after its jobs are known
    STARTS_S = 4  # the starts of a round lie within this
    # What is stopped for longer over the start of a co-allocation misses its permit (4 s).
    DOWN_S = (0.05, 2.5)

    def setUp(self):
        self.seed = int(os.environ.get("MUSTER_SEED", "1"))
        self.random = random.Random(self.seed)
        self.restarts, self.parts, self.outcomes = 0, 0, collections.Counter()

    def test_a_start_that_falls_into_a_restart_happens_once(self):
        while self.restarts < self.RESTARTS:
            self.fed = Federation()
            try:
                up = self.fed.up()
                self.assertEqual(up.code, 0, up)
                for number in range(self.ROUNDS):
                    self.round(fresh=number == 0)
                    if self.restarts >= self.RESTARTS:
                        break
            except BaseException:
                print(self.fed.logs())
                raise
            finally:
                self.fed.close()
        print(f"{self.restarts} restarts over {self.parts} parts, each run once: "
              f"{dict(self.outcomes)}; seed {self.seed}", flush=True)

    def round(self, fresh):
        first = int(time.time()) + self.AHEAD_S
        jobs = [self.submit(first + i % self.STARTS_S, parts)
                for i, parts in enumerate((3, 2, 1, 3, 2, 1, 3, 2, 1, 1, 1, 1))]
        stops = [threading.Thread(target=self.stop, args=(site, times))
                 for site, times in self.times(first).items()]
        for stop in stops:
            stop.start()
        for stop in stops:
            stop.join()
        self.restarts += self.STOPS * len(self.SITES)
        wrong = [text for job, parts in jobs if (text := self.what_is_wrong(job, parts))]
        self.assertEqual(wrong, [], f"{'fresh' if fresh else 'used'} sites, after restart "
                         f"{self.restarts}; again with MUSTER_SEED={self.seed}")

    def what_is_wrong(self, job, parts):
        until(lambda: self.fed.job(job)["state"] in ("ended", "unknown"), f"job {job} is over")
        shown = self.fed.job(job)
        self.parts += parts
        self.outcomes[shown["outcome"]] += 1
        runs = [self.runs(job, part) for part in range(1, parts + 1)]
        if runs == [1] * parts and shown["outcome"] == "done":
            return ""
        states = [part["state"] for part in shown["parts"]]
        return f"job {job} is {shown['state']}, {shown['outcome']}: {states}, runs {runs}"

    def submit(self, start, parts):
        """A job that starts then and counts the runs of each of its parts."""
        where = ["--apart"] if parts > 1 else ["--site", self.random.choice(self.SITES)]
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(start))
        count = f"echo run >> {self.fed.root}/run.$MUSTER_JOB_ID.$MUSTER_PART; sleep 0.3"
        return self.fed.submit(*where, "--from", when, "-t", "1m", "-l", "1",
                               *[":", "-l", "1"] * (parts - 1), "--", "sh", "-c", count), parts

    def runs(self, job, part):
        path = self.fed.root / f"run.{job}.{part}"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def times(self, first):
        """When each site is stopped, for how long, and how: the first time over the first start."""
        windows = [(-1, -0.1)] + [(1, self.STARTS_S)] * (self.STOPS - 1)
        return {site: [(first + self.random.uniform(*window), self.random.uniform(*self.DOWN_S),
                        self.random.choice((signal.SIGTERM, signal.SIGKILL)))
                       for window in windows] for site in self.SITES}

    def stop(self, site, times):
        for at, down, how in sorted(times, key=lambda stop: stop[0]):
            time.sleep(max(0, at - time.time()))
            self.fed.kill(site, how)
            time.sleep(down)
            self.fed.restart(site)


if __name__ == "__main__":
    unittest.main(verbosity=2)
