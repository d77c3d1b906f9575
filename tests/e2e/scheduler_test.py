"""The scheduler as operators see and set it, through the command against a live federation."""
import datetime
import json
import re
import unittest

from federation import WHEN, FederationTest, until


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
                         r"\Apacking   FFDH\* since " + WHEN + r", pinned\n")
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
        self.assertRegex(shown, r"\n  bound      " + WHEN)
        self.assertRegex(shown, r"\n  basis      hills plan \d+; oldest [\d.]+ s\n")
        self.assertRegex(shown, r"\nFIGURES .*\n.* bound .*submitted")
        self.ok(self.fed.muster("cancel", first, second, *waits))
        self.ok(self.fed.muster("scheduler", "--threshold", "inf"))

    def test_a_co_allocation_starts_earlier_once_all_its_sites_have_room(self):
        first = [self.fed.submit("-l", f"{nodes}:ncpus=4", "-t", "40m", "--site", site, "--",
                                 "sleep", "2000") for site, nodes in (("hills", 2), ("lakes", 4))]
        until(lambda: all(self.fed.job(job)["state"] == "running" for job in first), "both run")
        both = self.fed.submit("--apart", "-t", "1m", "-l", "2:ncpus=4", "--site", "hills", ":",
                               "-l", "2:ncpus=4", "--site", "lakes", "--", "true")
        job = until(lambda: self.fed.job(both)["state"] == "promised" and self.fed.job(both),
                    "it is promised behind them")
        late = job["figures"]["starts_by"]["at"]
        self.ok(self.fed.muster("cancel", first[0]))
        self.assertEqual(self.fed.job(both)["figures"]["starts_by"]["at"], late,
                         "one site alone moves nothing")
        self.ok(self.fed.muster("cancel", first[1]))
        moved = until(lambda: self.fed.job(both)["figures"]["starts_by"]["at"] < late and
                      self.fed.job(both), "it gets earlier at both")
        self.assertEqual(moved["history"][-1]["cause"]["code"], "joint")
        self.assertIn("starts earlier at all its sites",
                      [event["text"] for event in moved["events"]])
        shown = self.ok(self.fed.muster("show", both)).out
        self.assertIn("joint", shown)
        self.ok(self.fed.muster("cancel", both))

    def test_a_faster_site_is_asked_for_less_time_and_chosen_first(self):
        meta = self.fed.state / "meta.toml"
        before = meta.read_text()
        self.addCleanup(self.fed.muster, "reload")
        self.addCleanup(meta.write_text, before)
        changed, count = re.subn(r'(name\s*=\s*"woods"\nkey\s*=.*\n)',
                                 r'\1speed = "200%"\ncost = 5\n', before, count=1)
        self.assertEqual(count, 1, before)
        meta.write_text(changed)
        self.ok(self.fed.muster("check", meta))
        told = self.ok(self.fed.muster("reload")).out
        self.assertIn("speeds, costs or charges of sites are others", told)
        job = self.fed.submit("-t", "1h", "-l", "1", "--", "sleep", "600")
        shown = until(lambda: self.fed.job(job)["state"] == "running" and self.fed.job(job), "runs")
        self.assertEqual(shown["parts"][0]["site"], "woods")
        self.assertEqual(shown["duration_s"], 3600)
        figures = shown["figures"]
        starts, ends = (datetime.datetime.fromisoformat(at)
                        for at in (figures["starts_by"]["at"], figures["ends_by"]))
        self.assertAlmostEqual((ends - starts).total_seconds(), 1800, delta=5)
        self.ok(self.fed.muster("cancel", job))
        meta.write_text(changed.replace("200%", "2x"))
        self.fails(self.fed.muster("reload"), 2, 'speed = "2x"')

    def test_points_say_who_is_first_and_why_and_outlive_a_restart(self):
        meta = self.fed.state / "meta.toml"
        before = meta.read_text()
        self.addCleanup(self.fed.muster, "reload")
        self.addCleanup(meta.write_text, before)
        me = re.search(r'\[\[user\]\]\nname\s*=\s*"([^"]+)"', before).group(1)
        self.ok(self.fed.muster("scheduler", "--threshold", "10m"))
        whole = ["-l", "2:ncpus=4", "--site", "hills", "--", "sleep", "600"]
        placed = [self.fed.submit("-t", "1h", *whole) for _ in range(2)]
        until(lambda: all(self.fed.job(job)["state"] in ("promised", "running")
                          for job in placed), "both have their place")
        plain = self.ok(self.fed.muster("priority", placed[1])).out
        self.assertIn("Queue and arrival alone decide here", plain)
        long, short = (self.fed.submit("-t", t, *whole) for t in ("2h", "30m"))

        def priority(job):
            document = self.ok(self.fed.muster("--json", "priority", job)).json()
            self.assertEqual(document["schema"], "muster.priority/1")
            return document["priority"]

        until(lambda: priority(short)["place"] == 2, "both wait, by arrival")
        table = f"""[priority]
tick = "2s"
weight = {{ cred = 1000, queue = 100, area = -1000000 }}
points = {{ "{me}" = 250 }}
"""
        meta.write_text(before + table)
        self.ok(self.fed.muster("check", meta))
        self.assertIn("[priority] has other values", self.ok(self.fed.muster("reload")).out)
        first = until(lambda: priority(short)["place"] == 1 and priority(short), "the small one")
        self.assertEqual([row["factor"] for row in first["rows"]], ["cred", "queue", "area"])
        self.assertEqual(first["points"], sum(row["points"] for row in first["rows"]))
        self.assertEqual(first["rows"][0]["because"], f"{me} 250")
        self.assertEqual(first["rows"][0]["points"], 250)
        second = until(lambda: priority(long)["ahead"] == priority(short)["points"] and
                       priority(long), "it is told the points of the one before it")
        self.assertEqual((second["place"], second["waiting"]), (2, 2))
        shown = self.ok(self.fed.muster("priority", long)).out
        self.assertRegex(shown, r"\A" + f"job {long}  sleep  {me} · number 2 of 2 in queue ")
        way = re.search(r"^Number 1 by: muster (alter \d+ -t \w+)$", shown, re.M).group(1)
        self.fed.kill("meta")
        self.fed.restart("meta")  # `up` would write its configuration anew
        until(lambda: self.fed.muster("priority", short).code == 0, "the meta answers again")
        until(lambda: priority(short)["place"] == 1, "the same order after a restart")
        self.ok(self.fed.muster(*way.split()))
        until(lambda: priority(long)["place"] == 1, "as it was told")
        self.fails(self.fed.muster("priority", "99999"), 3, "99999")
        meta.write_text(before + table.replace(f'"{me}"', '"nobody"'))
        self.fails(self.fed.muster("reload"), 2, "unknown user 'nobody'", f"users here: {me}")
        self.assertEqual(priority(long)["place"], 1, "all is as it was")
        self.ok(self.fed.muster("cancel", *placed, long, short))
        self.ok(self.fed.muster("scheduler", "--threshold", "inf"))

    def test_use_is_counted_from_the_reload_on_and_outlives_a_restart(self):
        meta = self.fed.state / "meta.toml"
        before = meta.read_text()
        self.addCleanup(self.fed.muster, "reload")
        self.addCleanup(meta.write_text, before)
        me = re.search(r'\[\[user\]\]\nname\s*=\s*"([^"]+)"', before).group(1)
        self.assertIn("nobody has a share", self.ok(self.fed.muster("shares")).out)
        meta.write_text(before + f'[[share]]\nwho = "{me}"\ntarget = "50%"\n')
        self.assertIn("shares have other values", self.ok(self.fed.muster("reload")).out)

        def share():
            document = self.ok(self.fed.muster("--json", "shares")).json()
            self.assertEqual(document["schema"], "muster.shares/1")
            (row,) = document["shares"]
            return row

        self.assertEqual((share()["who"], share()["used_ratio"]), (me, None))
        job = self.fed.submit("-l", "2:ncpus=4", "-t", "1m", "--", "sleep", "2")
        until(lambda: share()["used_ratio"] == 1.0, "what runs counts")
        until(lambda: self.fed.job(job)["state"] == "ended", "it ends")
        self.fed.kill("meta")
        self.fed.restart("meta")
        until(lambda: self.fed.muster("shares").code == 0, "the meta answers again")
        self.assertEqual((share()["used_ratio"], share()["value"]), (1.0, -1.0))
        self.assertRegex(self.ok(self.fed.muster("shares")).out,
                         rf"\n{me} +target 50.0 % +100.0 % +– +100.0 % +-1.000\n")
        meta.write_text(before + '[[share]]\nwho = "@chem"\ntarget = "50%"\n')
        self.fails(self.fed.muster("reload"), 2, "unknown group 'chem'")

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
