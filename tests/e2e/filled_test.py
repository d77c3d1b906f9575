"""A federation whose idle nodes are filled with work that may be recalled, while promised jobs,
co-allocations, drains and kills of daemons come in: every promise is kept, every recall is told,
nothing runs twice, and no node idles for long. Maui Sect. IV; scheduling.md section 18.

A minute as a test; MUSTER_FILLED_S says for how many seconds else.
"""
import datetime
import os
import random
import time
import unittest

from federation import FederationTest, until

SECONDS = int(os.environ.get("MUSTER_FILLED_S", "60"))
SITES = ("hills", "lakes", "woods")
GRACE_S = 4
EVENTS_KEPT = 200  # of a job: older ones are forgotten
IDLE_S = 30  # no node is idle for longer while work waits that could fill it
BACK_S = 25  # a killed daemon is back by then, and has settled
MEAN_S = {"job": 6, "pair": 18, "drain": 30, "kill": 40}
QOS = f"""
[[qos]]
name = "filler"
grant = ["*"]
promise = "start"
recall = "requeue"
min_run = "2s"
grace = "{GRACE_S}s"
max_recalls = 100
"""
LENDS = '\n[lent]\nto = ["*"]\n'


def seconds(text):
    return datetime.datetime.fromisoformat(text).timestamp()


class Filled(FederationTest):
    def setUp(self):
        meta = self.fed.state / "meta.toml"
        meta.write_text(meta.read_text() + QOS)
        self.ok(self.fed.muster("reload"))
        for site in SITES:
            self.ok(self.fed.configure(site, LENDS))
        self.random = random.Random(int(os.environ.get("MUSTER_FILLED_SEED", "1")))
        self.fillers, self.jobs = [], []
        self.down = {}  # daemon: when it is started again
        self.disturbed = time.monotonic()  # when a daemon was last killed, or a node drained
        self.drained = None  # node, when it is resumed
        self.idle_since = {}
        self.longest_idle = 0
        self.twice = self.fed.root / "twice"

    def submit(self, *words):
        answer = self.fed.muster("-q", "submit", *words)
        return answer.out.strip() if answer.code == 0 else None  # the meta may be down just now

    # A second life of a job beside the first finds the lock taken, and says so.
    def command(self, job_name, ends_after=None):
        stay = f"sleep {ends_after}" if ends_after else "sleep 3600"
        lock = f"{self.fed.root}/lock.{job_name}.$MUSTER_PART"
        return ("sh", "-c", f"exec 9>{lock}; flock -n 9 || echo {job_name} >> {self.twice}; {stay}")

    def fill(self):
        """There are always more fillers than nodes."""
        while len(self.fillers) < 16:
            name = f"filler{len(self.fillers)}"
            job = self.submit("-t", "30m", "-l", "1:ncpus=4", "--qos", "filler", "--",
                              *self.command(name))
            if job is None:
                return
            self.fillers.append(job)

    def come(self, what):
        if what == "job":
            runs = self.random.randint(1, 6)
            job = self.submit("-t", f"{runs + 4}s", "-l", f"{self.random.randint(1, 2)}:ncpus=4",
                              "--", *self.command(f"job{len(self.jobs)}", runs))
            if job:
                self.jobs.append(job)
        elif what == "pair":
            job = self.submit("-t", "8s", "--apart", "-l", "1:ncpus=4", ":", "-l", "1:ncpus=4",
                              "--", *self.command(f"pair{len(self.jobs)}", 3))
            if job:
                self.jobs.append(job)
        elif what == "drain" and not self.drained:
            node = f"{self.random.choice(SITES)}/n1"
            if self.fed.muster("drain", node, "-m", "fan").code == 0:
                self.drained = (node, time.monotonic() + 8)
        elif what == "kill" and not self.down:
            daemon = self.random.choice(SITES + ("meta",))
            self.fed.kill(daemon)
            self.down[daemon] = time.monotonic() + self.random.uniform(0.5, 4)
            self.disturbed = time.monotonic()

    def come_back(self, now):
        for daemon, at in list(self.down.items()):
            if at <= now:
                self.fed.restart(daemon)
                del self.down[daemon]
        if self.drained and self.drained[1] <= now:
            if self.fed.muster("resume", self.drained[0]).code == 0:
                self.drained = None

    def look_for_idle_nodes(self, now):
        answer = self.fed.muster("--json", "nodes")
        if answer.code != 0 or self.down or now < self.disturbed + BACK_S:
            self.idle_since.clear()
            return
        for site in answer.json()["sites"]:
            for node in site["nodes"]:
                name = f"{site['name']}/{node['name']}"
                if node["state"] != "up" or node["used"].get("ncpus", 0) > 0:
                    self.idle_since.pop(name, None)
                    continue
                since = self.idle_since.setdefault(name, now)
                self.longest_idle = max(self.longest_idle, now - since)

    def test_every_promise_is_kept_every_recall_is_told_and_no_node_idles(self):
        due = {what: time.monotonic() + mean for what, mean in MEAN_S.items()}
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            now = time.monotonic()
            self.come_back(now)
            self.fill()
            for what, at in due.items():
                if at <= now:
                    self.come(what)
                    due[what] = now + self.random.expovariate(1 / MEAN_S[what])
            self.look_for_idle_nodes(now)
            time.sleep(0.2)
        until(lambda: self.come_back(time.monotonic()) or not (self.down or self.drained),
              "all is back")
        until(lambda: all(self.fed.job(job)["state"] == "ended" for job in self.jobs),
              "all promised jobs have ended", 120)
        self.judge()

    def judge(self):
        self.assertFalse(self.twice.exists(), "a part ran twice")
        self.assertLessEqual(self.longest_idle, IDLE_S, "a node idled")
        self.assertGreater(len(self.jobs), 3)
        late = 0
        for name in self.jobs:
            job = self.fed.job(name)
            firm = [row for row in job["history"]
                    if row["figures"]["starts_by"] and row["figures"]["starts_by"]["firm"]]
            self.assertTrue(firm, f"{name} was promised nothing: {job['history']}")
            # A drain or a dead daemon may move a promise, with its cause; recalls may not.
            for before, row in zip(firm, firm[1:]):
                rises = seconds(row["figures"]["starts_by"]["at"]) > seconds(
                    before["figures"]["starts_by"]["at"])
                self.assertFalse(rises and not row["cause"], f"{name}: {row}")
                if rises:
                    self.assertNotIn(row["cause"]["code"], ("backfilled", "preempted"), name)
                    late += 1
            started = [seconds(part["started_at"]) for part in job["parts"] if part["started_at"]]
            if started:
                self.assertLessEqual(max(started),
                                     seconds(firm[-1]["figures"]["starts_by"]["at"]) + 0.999, name)
        recalls = 0
        for name in self.fillers:
            job = self.fed.job(name)
            self.assertFalse(any(row["figures"]["starts_by"] for row in job["history"]), name)
            told = sum(event["code"] == "recalled" for event in job["events"])
            counted = job["parts"][0]["recalls"] or 0
            if len(job["events"]) < EVENTS_KEPT:  # else the oldest are gone
                self.assertGreaterEqual(told, counted, f"{name}: a recall was not told")
            recalls += counted
        self.assertGreater(recalls, 0, "nobody was recalled")
        print(f"{SECONDS} s: {len(self.jobs)} promised jobs, {late} promises moved by a loss, "
              f"{recalls} recalls, no node idle for more than {self.longest_idle:.0f} s")


if __name__ == "__main__":
    unittest.main()
