"""The scheduler as operators see and set it, through the command against a live federation."""
import json
import unittest

from federation import FederationTest, until


class Scheduler(FederationTest):
    def view(self):
        document = json.loads(self.ok(self.fed.muster("--json", "scheduler")).out)
        self.assertEqual(document["schema"], "muster.scheduler/1")
        return document["scheduler"]

    def test_it_is_shown_pinned_freed_and_tuned(self):
        shown = self.ok(self.fed.muster("scheduler")).out
        self.assertRegex(shown, r"\Apacking   FCFS\*")
        self.assertIn("; threshold ", shown)
        self.assertTrue(shown.endswith("Free: --packing auto\n"), shown)
        pinned = self.ok(self.fed.muster("scheduler", "--packing", "ffdh*"))
        self.assertEqual(pinned.out, "packing  ffdh*\n")
        self.assertEqual(self.view()["pin"], "ffdh*")
        self.assertRegex(self.ok(self.fed.muster("scheduler")).out,
                         r"\Apacking   FFDH\* since \d\d:\d\d:\d\d, pinned\n")
        tuned = self.ok(self.fed.muster("scheduler", "--threshold", "2h", "--block-max", "50",
                                        "--order", "normal=7"))
        self.assertEqual(tuned.out, "threshold  2h\nblock_max  50\norder of normal  7\n")
        self.fed.kill("meta")
        self.ok(self.fed.up())
        until(lambda: self.fed.muster("scheduler").code == 0, "the meta answers again")
        view = self.view()
        self.assertEqual((view["pin"], view["threshold_s"], view["block_max"]), ("ffdh*", 7200, 50))
        self.assertIn(7, [queue["order"] for queue in view["queues"]])
        reloaded = self.ok(self.fed.muster("reload")).out
        self.assertIn("still as set with muster scheduler: packing ffdh*", reloaded)
        self.ok(self.fed.muster("scheduler", "--packing", "auto", "--threshold", "inf"))
        view = self.view()
        self.assertEqual((view["pin"], view["threshold_s"]), (None, None))
        self.assertTrue(view["switches"][0]["why"].startswith("freed by "), view)

    def test_who_waits_for_a_block_is_told_a_bound_that_the_site_verified(self):
        self.ok(self.fed.muster("scheduler", "--threshold", "10m"))
        whole = ["-l", "2:ncpus=4", "--site", "hills", "-t", "1h", "--", "sleep", "600"]
        first, second = self.fed.submit(*whole), self.fed.submit(*whole)
        until(lambda: self.fed.job(second)["state"] == "promised", "both have their place")
        waits = [self.fed.submit(*whole) for _ in range(3)]

        def bounds():
            told = [self.fed.job(job)["figures"]["starts_by"] for job in waits]
            return told if all(told) and all(bound["verified"] for bound in told) else None

        told = until(bounds, "the bounds are verified")
        self.assertEqual([bound["firm"] for bound in told], [False] * 3)
        at = [bound["at"] for bound in told]
        self.assertEqual(at, sorted(set(at)), "one behind the other")
        self.assertGreater(at[0], self.fed.job(second)["figures"]["starts_by"]["at"])
        shown = self.ok(self.fed.muster("show", waits[0])).out
        self.assertRegex(shown, r"\n  bound      \d\d:\d\d")
        self.assertRegex(shown, r"\n  basis      hills plan \d+; oldest [\d.]+ s\n")
        self.ok(self.fed.muster("cancel", first, second, *waits))
        self.ok(self.fed.muster("scheduler", "--threshold", "inf"))

    def test_what_is_wrong_is_refused_and_changes_nothing(self):
        before = self.view()["block_max"]
        self.fails(self.fed.muster("scheduler", "--packing", "best", "--block-max", "9"), 2,
                   "there is no packing 'best'", "fcfs, fcfs*, ffdh, ffdh*, ffih, ffih*",
                   "nothing was changed")
        self.fails(self.fed.muster("scheduler", "--order", "normal=0"), 2,
                   "the order of queue 'normal' cannot be 0")
        self.fails(self.fed.muster("scheduler", "--order", "night=2"), 2,
                   "there is no queue 'night'")
        self.fails(self.fed.muster("scheduler", "--order", "normal"), 2, "as in --order normal=4")
        self.fails(self.fed.muster("scheduler", "--threshold", "90"), 2, "--threshold 90")
        self.fails(self.fed.muster("scheduler", "--block-max", "0"), 2, "from 1 to 100000")
        self.fails(self.fed.muster("scheduler", "--block-max", "-1"), 2)
        self.fails(self.fed.muster("scheduler", "ffdh"), 2)
        self.assertEqual(self.view()["block_max"], before)


if __name__ == "__main__":
    unittest.main()
