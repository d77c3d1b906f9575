"""Bounds and what is expected, as a user is told them by real daemons, and what became of them."""
import datetime
import unittest

from federation import FederationTest, until

NEAR_S = 5  # whole seconds, turnovers and the way of a few messages


def at(text):
    return datetime.datetime.fromisoformat(text)


class Bounds(FederationTest):
    def tearDown(self):
        self.fed.muster("cancel", "all")
        until(lambda: not self.fed.muster("--json", "queue").rows("jobs"), "hills is idle")
        self.fed.muster("scheduler", "--threshold", "inf", "--packing", "auto")

    # All of hills; it ends when its time is over, to the second.
    def whole(self, seconds):
        return self.fed.submit("-l", "2:ncpus=4", "--site", "hills", "-t", f"{seconds}s", "--",
                               "sleep", "600")

    def test_the_bound_is_the_promise_that_follows_under_the_packing_in_force(self):
        self.ok(self.fed.muster("scheduler", "--threshold", "5s", "--packing", "ffdh*"))
        first, second = self.whole(20), self.whole(20)
        until(lambda: self.fed.job(second)["state"] == "promised", "both have their place")
        # The longest one leaves first, whoever came first.
        waits = [self.whole(seconds) for seconds in (12, 30, 8, 25, 18)]

        def bounds():
            told = [self.fed.job(job)["figures"]["starts_by"] for job in waits]
            return told if all(b and b["verified"] and not b["firm"] for b in told) else None

        told = until(bounds, "the bounds are verified")
        order = sorted(range(5), key=lambda i: at(told[i]["at"]))
        self.assertEqual(order, [1, 3, 4, 0, 2], "longest first")
        until(lambda: all(self.fed.job(job)["state"] == "promised" for job in waits),
              "the block is promised")
        for job, bound in zip(waits, told):
            shown = self.fed.job(job)
            promise = shown["figures"]["starts_by"]
            self.assertTrue(promise["firm"])
            later = (at(promise["at"]) - at(bound["at"])).total_seconds()
            self.assertLessEqual(abs(later), NEAR_S, (job, bound, promise))
        self.ok(self.fed.muster("cancel", first, second, *waits))
        self.ok(self.fed.muster("scheduler", "--threshold", "inf", "--packing", "auto"))

    def test_a_bound_that_rises_says_which_packing_lays_it_out_now(self):
        self.ok(self.fed.muster("scheduler", "--threshold", "5s", "--packing", "fcfs*"))
        first, second = self.whole(200), self.whole(200)
        until(lambda: self.fed.job(second)["state"] == "promised", "both have their place")
        waits = [self.whole(seconds) for seconds in (60, 300)]
        before = until(lambda: self.fed.job(waits[0])["figures"]["starts_by"], "it has a bound")
        self.ok(self.fed.muster("scheduler", "--packing", "ffdh*"))

        def risen():
            job = self.fed.job(waits[0])
            causes = [change["cause"] for change in job["history"] if change["cause"]]
            bound = job["figures"]["starts_by"]
            return causes if causes and at(bound["at"]) > at(before["at"]) else None

        causes = until(risen, "the longer one goes first now, and it says why")
        self.assertEqual((causes[-1]["code"], causes[-1]["subject"]["packing"]),
                         ("packed", "ffdh*"))
        self.ok(self.fed.muster("cancel", first, second, *waits))
        self.ok(self.fed.muster("scheduler", "--threshold", "inf", "--packing", "auto"))

    def test_a_gap_that_one_site_refuses_is_taken_at_another(self):
        """Each site is three quarters full and has a block planned far ahead. Only woods has all
        that is free on one node, which the sites know and sums do not show."""
        self.ok(self.fed.muster("scheduler", "--threshold", "10m"))
        taken = {"hills": "2:ncpus=3", "lakes": "4:ncpus=3", "woods": "3:ncpus=4"}
        for site, nodes in taken.items():
            runs = self.fed.submit("-l", nodes, "--place", "scatter", "--site", site, "-t", "30m",
                                   "--", "sleep", "1800")
            until(lambda job=runs: self.fed.job(job)["state"] == "running", "it runs")
            whole = "2:ncpus=4" if site == "hills" else "4:ncpus=4"
            behind = self.fed.submit("-l", whole, "--site", site, "-t", "30m", "--", "true")
            until(lambda job=behind: self.fed.job(job)["state"] == "promised", "a block is planned")
        small = self.fed.submit("-l", "1:ncpus=3", "-t", "5m", "--", "sleep", "1")
        until(lambda: self.fed.job(small)["state"] == "ended", "it starts at once", patience=10)
        self.assertEqual(self.fed.job(small)["parts"][0]["site"], "woods")

    def test_a_question_is_told_what_the_submission_then_is(self):
        running = self.whole(400)
        until(lambda: self.fed.job(running)["state"] == "running", "it runs")
        words = ["-l", "2:ncpus=4", "--site", "hills", "-t", "100s"]
        offer = self.ok(self.fed.muster("--json", "ask", *words)).json()["offers"][0]
        job = self.fed.submit(*words, "--", "sleep", "600")
        told = until(lambda: self.fed.job(job)["figures"]["expected"] and self.fed.job(job),
                     "it is expected")
        for figure in ("start", "low", "high"):
            asked, got = (at(f["expected"][figure]) for f in (offer["figures"], told["figures"]))
            self.assertLessEqual(abs((got - asked).total_seconds()), 60, (offer, told))
        self.assertLessEqual(at(offer["figures"]["expected"]["high"]),
                             at(offer["figures"]["starts_by"]["at"]))
        self.ok(self.fed.muster("cancel", running, job))


if __name__ == "__main__":
    unittest.main()
