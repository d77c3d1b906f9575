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


if __name__ == "__main__":
    unittest.main()
