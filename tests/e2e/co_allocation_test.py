"""Co-allocations behind other work, on a live federation: told the earliest common start there is,
and moved up as soon as there is room."""
import datetime
import os
import pathlib
import re
import signal
import time
import unittest

from federation import FederationTest, until

NODES = {"hills": 2, "lakes": 4, "woods": 4}  # as `muster up` makes them


def seconds(text):
    return datetime.datetime.fromisoformat(text).timestamp()


class CoAllocations(FederationTest):
    def setUp(self):
        self.jobs = []

    def tearDown(self):
        if self.jobs:
            self.fed.muster("cancel", *self.jobs)
        until(lambda: not self.fed.muster("--json", "queue").rows("jobs"), "the federation is idle")

    def submit(self, *words):
        self.jobs.append(self.fed.submit(*words))
        return self.jobs[-1]

    def fill(self, time_limit, command, sites=tuple(NODES)):
        """One job on all nodes of each site; returns their ids when they run."""
        ids = [self.submit("-t", time_limit, "-l", f"{NODES[site]}:ncpus=1", "--place",
                           "scatter:excl", "--site", site, "--", *command)
               for site in sites]
        until(lambda: all(self.fed.job(job)["state"] == "running" for job in ids), "all run")
        return ids

    def promise(self, job):
        def told():
            by = self.fed.job(job)["figures"].get("starts_by")  # also once it has started
            return by if by and by["firm"] else None
        return seconds(until(told, f"{job} is promised")["at"])

    def free_at(self, ids):
        """When the last of these ends at the latest, as promised."""
        return max(seconds(self.fed.job(job)["figures"]["ends_by"]) for job in ids)

    def test_behind_busy_sites_a_long_job_of_several_parts_starts_when_they_are_free(self):
        busy = self.fill("30m", ["sleep", "1800"])
        free = self.free_at(busy)
        start_wait = 90  # the promise is the end of the start barrier
        for parts in (2, 3):
            for apart in ([], ["--apart"]):
                request = ["-t", "10h"]
                for part in range(parts):
                    request += ([":"] if part else []) + ["-l", "1:ncpus=1"]
                asked = self.ok(self.fed.muster("--json", "ask", *apart, *request)).json()
                offered = seconds(asked["offers"][0]["figures"]["starts_by"]["at"])
                job = self.submit(*apart, *request, "--", "true")
                told = self.promise(job)
                slack = start_wait if len(set(self.sites_of(job))) > 1 else 1
                self.assertLessEqual(told - slack - free, 5, f"{parts} parts {apart}")
                self.assertLessEqual(abs(told - offered), 2, "ask told what a submission gets")
                self.fed.muster("cancel", job)
                until(lambda: self.fed.job(job)["state"] == "ended", "it is cancelled")

    def sites_of(self, job):
        return [part["site"] for part in self.fed.job(job)["parts"]]

    def test_the_example_of_the_users_guide_meets(self):
        text = (pathlib.Path(__file__).parents[2] / "docs" / "users.md").read_text()
        program = self.fed.home / "meet.py"
        program.write_text(re.search(r"```python\n(.*?)```", text, re.S).group(1))
        program.chmod(0o755)
        job = self.submit("-t", "1m", "--apart", "-l", "1", ":", "-l", "1", ":", "-l", "1", "--",
                          str(program))
        until(lambda: self.fed.job(job)["state"] == "ended", "they have met", patience=60)
        self.assertEqual(self.fed.job(job)["outcome"], "done")
        sites = self.sites_of(job)
        self.assertEqual(self.ok(self.fed.muster("logs", f"{job}.1")).out,
                         f"part 1 heard part 2 at {sites[1]}, part 3 at {sites[2]}\n")

    def test_they_move_up_when_those_before_them_end_early(self):
        self.fill("5m", ["sleep", "8"])
        waiting = []
        for _ in range(6):
            waiting.append(self.submit("--apart", "-t", "5m", "-l", "1:ncpus=1", ":", "-l",
                                       "1:ncpus=1", "--", "sleep", "1"))
        for job in waiting:
            self.promise(job)
        lead = 30
        # 8 s of those before, the lead of the start barrier, and what is allowed beyond that.
        until(lambda: all(self.fed.job(job)["state"] in ("running", "ended") for job in waiting),
              "all of them have started", patience=8 + lead + 15)

    def test_a_site_that_was_silent_costs_nothing_once_it_is_back(self):
        pid = self.fed.pid("woods")
        os.kill(pid, signal.SIGSTOP)
        try:
            job = self.submit("--apart", "-t", "1m", "-l", "1:ncpus=1", ":", "-l", "1:ncpus=1",
                              ":", "-l", "1:ncpus=1", "--", "sleep", "20")
            said = set()
            stopped_until = time.monotonic() + 14
            while time.monotonic() < stopped_until:
                said.add(self.fed.muster("explain", job).out)
                time.sleep(0.5)
        finally:
            os.kill(pid, signal.SIGCONT)
        self.assertTrue(any("woods has been silent" in text for text in said), said)
        self.assertFalse(any("no common start" in text for text in said), said)
        told = self.promise(job)
        self.assertLess(told - time.time(), 30 + 90 + 10)


if __name__ == "__main__":
    unittest.main()
