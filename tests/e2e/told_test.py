"""What people are told is what happens: one test for each way in which that was not so, through the
command against a live federation."""
import time
import unittest

from federation import FederationTest, until

QUEUED = 300


class Told(FederationTest):
    def test_behind_hundreds_of_jobs_one_that_fits_on_a_freed_node_starts_at_once(self):
        node = ["-l", "ncpus=4", "--site", "hills", "-t", "2h", "--", "sleep", "600"]
        first, second = self.fed.submit(*node), self.fed.submit(*node)
        until(lambda: all(self.fed.job(job)["state"] == "running" for job in (first, second)),
              "both nodes are busy")
        queued = [self.fed.submit("-l", "2:ncpus=4", "--site", "hills", "-t", "1h", "--", "true")
                  for _ in range(QUEUED)]
        small = self.fed.submit("-l", "ncpus=1", "--site", "hills", "-t", "10m", "--", "sleep",
                                "60")
        told = until(lambda: self.fed.job(small)["figures"].get("starts_by"), "it is promised")
        self.assertEqual(self.fed.job(small)["state"], "promised")
        late = self.fed.job(queued[-1])["figures"]["starts_by"]["at"]
        self.assertGreater(told["at"], late, "behind all the others")
        self.ok(self.fed.muster("cancel", first))
        freed = time.monotonic()
        until(lambda: self.fed.job(small)["state"] == "running", "the small one runs", patience=5)
        print(f"started {time.monotonic() - freed:.1f} s after its node was free")
        self.ok(self.fed.muster("cancel", second, small, *queued))

    def busy(self, site, nodes):
        job = self.fed.submit("-l", f"{nodes}:ncpus=1", "--place", "scatter:excl", "--site", site,
                              "-t", "5m", "--", "sleep", "300")
        until(lambda: self.fed.job(job)["state"] == "running", f"{site} is busy")
        return job

    def test_one_that_is_promised_starts_at_once_where_another_site_becomes_free(self):
        fillers = {"hills": self.busy("hills", 2), "lakes": self.busy("lakes", 4)}
        job = self.fed.submit("-l", "ncpus=1", "--site", "hills,lakes", "-t", "10m", "--", "sleep",
                              "60")
        until(lambda: self.fed.job(job)["state"] == "promised", "it is promised")
        here = self.fed.job(job)["parts"][0]["site"]
        there = next(site for site in fillers if site != here)
        promised = self.fed.job(job)["figures"]["starts_by"]["at"]
        self.ok(self.fed.muster("cancel", fillers[there]))
        freed = time.monotonic()
        until(lambda: self.fed.job(job)["state"] == "running", "it runs elsewhere", patience=8)
        print(f"started {time.monotonic() - freed:.1f} s after {there} was free")
        view = self.fed.job(job)
        self.assertEqual(view["parts"][0]["site"], there)
        self.assertLess(view["figures"]["starts_by"]["at"], promised)
        self.ok(self.fed.muster("cancel", fillers[here], job))

    def test_one_behind_a_gate_starts_when_its_node_is_free_though_the_gate_opened_before(self):
        first = self.fed.submit("-l", "ncpus=1", "--site", "woods", "-t", "5m", "--", "sleep", "4")
        filler = self.fed.submit("-l", "4:ncpus=4", "--site", "lakes", "-t", "5m", "--",
                                 "sleep", "300")
        until(lambda: self.fed.job(filler)["state"] == "running", "lakes is busy")
        after = self.fed.submit("-l", "4:ncpus=4", "--site", "lakes", "-t", "10m", "--after", first,
                                "--", "sleep", "60")
        until(lambda: self.fed.job(after)["state"] == "promised", "it is promised")
        until(lambda: self.fed.job(first)["state"] == "ended", "what it comes after has ended")
        time.sleep(2)
        self.assertEqual(self.fed.job(after)["state"], "promised", "its nodes are busy")
        self.ok(self.fed.muster("cancel", filler))
        until(lambda: self.fed.job(after)["state"] == "running", "it runs", patience=8)
        self.ok(self.fed.muster("cancel", after))


if __name__ == "__main__":
    unittest.main()
