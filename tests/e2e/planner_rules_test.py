"""What a site.toml says of who may have what, where and when, as users of the federation meet it:
values, limits, pools, conditions of nodes, switches, standing reservations, horizon; and how a file
that is read again says what is wrong with it, or what it strands. OpenCCS Sect. 3 and 5."""
import datetime
import re
import unittest

from federation import WHEN, FederationTest, until

LAKES = """
[[switch]]
name  = "s1"
nodes = "n[1-2]"
[[switch]]
name  = "s2"
nodes = "n[3-4]"
[jobwide]
licence = 2
[[default]]
duration  = "2m"
resources = { mem = "64mb" }
[[limit]]
resource = "ncpus"
items    = 12
[[limit]]
resource = "*"
duration = "40m"
[[freepool]]
name     = "quick"
resource = "licence"
keep     = 1
open_to  = "duration <= 1m"
[planning]
policy  = "switch"
horizon = "1h"
"""

HILLS = """[[nodes]]
names      = "g[1-2]"
resources  = { ncpus = 4, mem = "8gb", ngpus = 1 }
properties = { arch = "arm" }
only       = "ngpus >= 1 or mem >= 3gb or duration <= 5m"
keep       = { ncpus = 2, for = "ngpus" }
[[nodes]]
names      = "n1"
resources  = { ncpus = 4, mem = "8gb" }
"""


def stamp(minutes):
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
    return at.strftime("%Y-%m-%dT%H:%MZ")


class PlannerRules(FederationTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.limit_ends, cls.reserved_from, cls.reserved_to = stamp(10), stamp(20), stamp(50)
        woods = (f'[[limit]]\nresource = "ncpus"\nitems = 4\n'
                 f'valid = "from {stamp(-5)} to {cls.limit_ends}"\n'
                 f'[[reservation]]\nname = "service"\nnodes = "n4"\nallow = []\n'
                 f'valid = "from {cls.reserved_from} to {cls.reserved_to}"\n'
                 '[[force]]\nresources = { mem = "128mb" }\n')
        for answer in (cls.fed.configure("lakes", LAKES), cls.fed.configure("woods", woods),
                       cls.fed.configure("hills", nodes=HILLS)):
            if answer.code != 0:
                cls.fed.close()
                raise AssertionError(answer)
        # The meta knows with the sites' next words.
        until(lambda: cls.fed.muster("ask", "--site", "lakes").code == 0, "defaults are known")

    def tearDown(self):
        self.fed.muster("cancel", "all", "--yes")
        until(lambda: not self.fed.muster("--json", "queue").json()["jobs"], "all are gone")

    def submit(self, site, *words, command=("true",)):
        return self.fed.submit("--site", site, *words, "--", *command)

    def promised(self, site, *words):
        job = self.submit(site, *words)
        return job, until(lambda: (j := self.fed.job(job))["state"] == "promised" and j,
                          f"{job} is promised")

    def running(self, site, *words, command=("sleep", "300")):
        job = self.submit(site, *words, command=command)
        return job, until(lambda: (j := self.fed.job(job))["state"] == "running" and j,
                          f"{job} runs")

    def refused(self, site, *words):
        """What a submission that can never run is told."""
        answer = self.fed.muster("submit", "--site", site, *words, "--", "true")
        self.assertEqual(answer.code, 7, answer)
        return answer.err

    def starts_by(self, job):
        return job["figures"]["starts_by"]["at"]

    def explained(self, job):
        document = self.ok(self.fed.muster("--json", "explain", job)).json()
        self.assertIsNotNone(document["binding"], document)
        return document["binding"]["reason"], self.ok(self.fed.muster("explain", job)).out

    def used(self, site, node):
        sites = self.ok(self.fed.muster("--json", "nodes", site)).json()["sites"]
        return [n for n in sites[0]["nodes"] if n["name"] == node][0]["used"]

    # ---- values

    def test_what_a_request_leaves_open_is_filled_in_and_what_a_site_insists_on_replaces_it(self):
        job, shown = self.running("lakes", "-l", "1:ncpus=1")
        self.assertEqual(shown["duration_s"], 120)
        self.assertEqual(shown["events"][0]["text"], "accepted, on disk; lasts 2m by default")
        self.assertEqual(self.used("lakes", shown["parts"][0]["nodes"][0])["mem_bytes"], 64 << 20)
        self.fails(self.fed.muster("submit", "--site", "woods", "--", "true"), 2,
                   "how long? -t is missing", "as in -t 30m", "nothing was submitted")
        _, forced = self.running("woods", "-t", "1m", "-l", "1:ncpus=1:mem=1gb")
        self.assertEqual(self.used("woods", forced["parts"][0]["nodes"][0])["mem_bytes"], 128 << 20)

    def test_pbs_spelling_says_the_same(self):
        _, job = self.promised("hills", "-l", "select=2:ncpus=1:arch=arm", "-l", "place=scatter",
                               "-l", "walltime=00:03:00", "--from", "now+5m")
        self.assertEqual(job["duration_s"], 180)
        self.assertEqual(sorted(job["parts"][0]["nodes"]), ["g1", "g2"])
        self.assertEqual(job["parts"][0]["place"], "scatter")

    # ---- limits, pools, job-wide resources

    def test_what_a_limit_never_allows_is_refused_and_what_is_used_up_moves(self):
        self.assertIn("lakes: limit 40m of anything for each user",
                      self.refused("lakes", "-t", "41m"))
        self.assertIn("lakes: limit 12 of ncpus for each user",
                      self.refused("lakes", "-t", "1m", "-l", "4:ncpus=4"))
        first, _ = self.running("lakes", "-t", "3m", "-l", "3:ncpus=4")
        second, waits = self.promised("lakes", "-t", "1m", "-l", "1:ncpus=4")
        self.assertGreaterEqual(self.starts_by(waits), self.fed.job(first)["figures"]["ends_by"])
        reason, told = self.explained(second)
        self.assertEqual(reason["code"], "limit")
        self.assertRegex(told, r"lakes +\S+ +limit 12 of ncpus for each user +until " + WHEN +
                         r" +<- binds")
        limits = self.ok(self.fed.muster("limits", "lakes")).out
        self.assertRegex(limits, r"lakes +\S+ +ncpus +12 +12 +always +later start")

    def test_a_limit_for_a_time_moves_what_exceeds_it_behind_that_time(self):
        job, waits = self.promised("woods", "-t", "1m", "-l", "2:ncpus=4")
        self.assertGreaterEqual(self.starts_by(waits)[:16], self.limit_ends[:16])
        reason, told = self.explained(job)
        self.assertEqual(reason["code"], "limit")
        self.assertIn("limit 4 of ncpus for each user", told)
        self.running("woods", "-t", "1m", "-l", "1:ncpus=4")

    def test_job_wide_licences_are_counted_and_a_pool_keeps_one_for_short_jobs(self):
        long, _ = self.running("lakes", "-t", "5m", "-l", "1:ncpus=1,licence=1")
        waits, job = self.promised("lakes", "-t", "2m", "-l", "1:ncpus=1,licence=1")
        self.assertGreaterEqual(self.starts_by(job), self.fed.job(long)["figures"]["ends_by"])
        reason, told = self.explained(waits)
        self.assertEqual(reason["code"], "freepool")
        self.assertIn("pool quick", told)
        self.running("lakes", "-t", "1m", "-l", "1:ncpus=1,licence=1")
        self.assertIn("licence", self.refused("lakes", "-t", "2m", "-l", "1:ncpus=1,licence=2"))

    # ---- nodes

    def test_cores_are_kept_for_gpus_and_nodes_have_conditions(self):
        _, plain = self.running("hills", "-t", "5m", "-l", "2:ncpus=2:arch=arm")
        self.assertEqual(sorted(plain["parts"][0]["nodes"]), ["g1", "g2"])
        _, gpus = self.running("hills", "-t", "5m", "-l", "2:ncpus=2:ngpus=1")
        self.assertEqual(sorted(gpus["parts"][0]["nodes"]), ["g1", "g2"])
        self.assertIn("hills", self.refused("hills", "-t", "5m", "-l", "1:ncpus=3:arch=arm"))
        # Longer than 5 minutes and neither large nor with a GPU: n1 alone takes it.
        _, long = self.running("hills", "-t", "10m", "-l", "1:ncpus=1")
        self.assertEqual(long["parts"][0]["nodes"], ["n1"])
        self.assertIn("duration <= 5m", self.refused("hills", "-t", "10m", "-l", "1:arch=arm"))
        self.assertIn("no node has arch=sparc",
                      self.refused("hills", "-t", "1m", "-l", "1:ncpus=1:arch=sparc"))

    def test_parts_are_grouped_below_one_switch(self):
        pairs = []
        for _ in range(2):  # the policy of the site groups what does not ask for it
            _, job = self.promised("lakes", "-t", "5m", "-l", "2:ncpus=3", "--from", "now+10m")
            pairs.append(tuple(sorted(job["parts"][0]["nodes"])))
        self.assertEqual(sorted(pairs), [("n1", "n2"), ("n3", "n4")])
        self.assertIn("no switch has nodes for all its chunks",
                      self.refused("lakes", "-t", "1m", "-l", "3:ncpus=4", "--group", "switch"))

    def test_the_switch_is_named_where_it_is_what_a_job_waits_for(self):
        for switch in ("s1", "s2"):  # a node of each is free, though no two of one
            self.running("lakes", "-t", "4m", "-l", f"1:ncpus=3:switch={switch}")
        grouped, _ = self.promised("lakes", "-t", "1m", "-l", "2:ncpus=3", "--group", "switch")
        reason, told = self.explained(grouped)
        self.assertEqual(reason["code"], "topology")
        self.assertRegex(told, r"lakes +all nodes below one switch +until " + WHEN + r" +<- binds")

    def test_a_standing_reservation_keeps_its_nodes_and_is_named(self):
        job, waits = self.promised("woods", "-t", "45m", "-l", "4:ncpus=1", "--place", "scatter",
                                   "--from", "now+11m")
        self.assertGreaterEqual(self.starts_by(waits)[:16], self.reserved_to[:16])
        reason, told = self.explained(job)
        self.assertEqual(reason["code"], "reservation")
        self.assertIn("reservation service", told)
        self.assertIn("╱", self.ok(self.fed.muster("gantt", "--site", "woods",
                                                   "--within", "1h")).out)
        _, beside = self.promised("woods", "-t", "45m", "-l", "3:ncpus=1", "--place", "scatter",
                                  "--from", "now+11m")
        self.assertNotIn("n4", beside["parts"][0]["nodes"])

    def test_nothing_is_planned_beyond_the_horizon(self):
        job = self.submit("lakes", "-t", "1m", "--from", "now+2h")
        reason = until(lambda: self.fed.job(job)["figures"]["no_promise_reason"], "it is told why")
        self.assertEqual(reason["code"], "horizon")
        self.assertIn("starts are planned at most 1h ahead", reason["text"])
        self.assertIn("at most 1h ahead", self.ok(self.fed.muster("explain", job)).out)
        self.fails(self.fed.muster("submit", "--via", "lakes", "-t", "1m", "--from", "now+2h", "--",
                                   "true"), 7, "starts are planned at most 1h ahead")

    def test_the_federation_plans_no_farther_than_its_own_horizon(self):
        path = self.fed.state / "meta.toml"
        before = path.read_text()
        try:
            path.write_text(before.replace("[scheduler]", '[scheduler]\nhorizon = "1d"', 1)
                            if "[scheduler]" in before
                            else before + '[scheduler]\nhorizon = "1d"\n')
            self.assertIn("[scheduler] has other values", self.ok(self.fed.muster("reload")).out)
            job = self.submit("woods", "-t", "1m", "--from", "now+30h")
            reason = until(lambda: self.fed.job(job)["figures"]["no_promise_reason"], "it says why")
            self.assertEqual(reason["code"], "horizon")
            self.assertIn("at most 1d ahead by the federation", reason["text"])
            told = self.fails(self.fed.muster("ask", "--site", "woods", "-t", "1m", "--from",
                                              "now+30h"), 7, "no start of it can be planned yet")
            self.assertIn("at most 1d ahead", told.err)
            self.assertIn("at most 1d ahead", self.ok(self.fed.muster("explain", job)).out)
        finally:
            path.write_text(before)
            self.ok(self.fed.muster("reload"))
        until(lambda: self.fed.job(job)["state"] == "promised", "it is promised as soon as it may")

    def test_a_duration_that_a_site_insists_on_replaces_what_is_asked_for(self):
        self.ok(self.fed.configure("hills", '[[force]]\nduration = "3m"\n', nodes=HILLS))
        self.addCleanup(lambda: self.fed.configure("hills", nodes=HILLS))

        def forced():
            job = self.submit("hills", "-t", "10m", "-l", "1:ncpus=1", "--from", "now+5m")
            return self.fed.job(job)["duration_s"] == 180 and job

        job = until(forced, "the meta knows of it")
        self.assertEqual(self.fed.job(job)["events"][0]["text"],
                         "accepted, on disk; lasts 3m, as its sites insist")
        self.fails(self.fed.muster("alter", job, "-t", "10m"), 8, "nothing to change")
        # One that may run elsewhere too keeps what it asked for, and does not come here.
        anywhere = self.fed.submit("--site", "hills,woods", "-t", "10m", "-l", "1:ncpus=1", "--",
                                   "true")
        shown = until(lambda: (j := self.fed.job(anywhere))["state"] != "waiting" and j, "placed")
        self.assertEqual((shown["duration_s"], shown["parts"][0]["site"]), (600, "woods"))

    def test_a_job_is_altered_to_have_its_nodes_below_one_switch(self):
        job, _ = self.promised("lakes", "-t", "5m", "-l", "2:ncpus=3", "--from", "now+10m")
        told = self.ok(self.fed.muster("alter", job, "--group", "switch")).out
        self.assertIn("all nodes below one switch", told)
        self.fails(self.fed.muster("alter", job, "-l", "3:ncpus=4"), 7,
                   "no switch has nodes for all its chunks")
        self.ok(self.fed.muster("alter", job, "--group", "none"))
        self.ok(self.fed.muster("alter", job, "-l", "3:ncpus=4"))
        self.fails(self.fed.muster("alter", job, "--group", "rack"), 2, "'switch'")

    def test_a_small_planning_budget_takes_longer_and_leaves_nothing_out(self):
        self.ok(self.fed.configure("hills", '[planning]\nbudget = "1ms"\n', nodes=HILLS))
        self.addCleanup(lambda: self.fed.configure("hills", nodes=HILLS))
        array = self.submit("hills", "-a", "1-200", "-t", "5m", "-l", "1:ncpus=3", "--from",
                            "now+5m")
        for _ in range(5):  # the site answers others meanwhile
            self.ok(self.fed.muster("nodes", "hills"))
        shown = until(lambda: (j := self.fed.job(array))["state"] == "promised" and j,
                      "all of it is promised")
        # One element at a time on each of three nodes: 67 rounds of 5 minutes.
        self.assertGreater(shown["figures"]["ends_by"][:13], stamp(60 * 5)[:13])

    # ---- the file read again

    def test_wrong_files_are_refused_with_their_line_and_change_nothing(self):
        wrong = {
            '[[limit]]\nresource = "ncpu"\nitems = 3\n': ("unknown resource 'ncpu'", 2),
            '[[limit]]\nresource = "ncpus"\nitems = -3\n': ("'items' is out of bounds", 3),
            '[[limit]]\nresource = "ncpus"\nduration = "0s"\n': ("'duration' is out of bounds", 3),
            '[[limit]]\nresource = "ncpus"\nitems = 99999999999999999999\n': ("99999999", 3),
            '[[limit]]\nresource = "ncpus"\nitems = 3\nvalid = "cron 0 8 31 2 * for 1h"\n':
                ("never", 4),
            '[[freepool]]\nname = "p"\nresource = "ncpus"\nkeep = 99\nopen_to = "user = kim"\n':
                ("99", 4),
            '[[nodes]]\nnames = "n[4-5]"\nresources = { ncpus = 4 }\n': ("n4", 2),
            '[[reservation]]\nname = "r"\nnodes = "n1"\nallow = []\n'
            'valid = "from 2020-01-01 to 2020-01-02"\n': ("in the past", 5),
            '[[reservation]]\nname = "a"\nnodes = "n[1-2]"\nallow = []\nvalid = "always"\n'
            '[[reservation]]\nname = "b"\nnodes = "n[2-3]"\nallow = []\nvalid = "always"\n':
                ("reservations 'a' and 'b' overlap on node n2", 10),
        }
        path = self.fed.state / "woods.toml"
        before = path.read_text()
        begins = self.fed.written["woods"].count("\n")
        try:
            for more, (what, line) in wrong.items():
                path.write_text(self.fed.written["woods"] + more)
                for words in (("check", path), ("reload", "--via", "woods")):
                    with self.subTest(more=more, words=words[0]):
                        told = self.fed.muster(*words)
                        self.assertEqual(told.code, 2, told)
                        self.assertIn(what, told.err)
                        self.assertIn(f"woods.toml:{begins + line}", told.err)
        finally:
            path.write_text(before)
        self.assertIn("n4", self.ok(self.fed.muster("nodes", "woods")).out)

    def test_a_file_that_strands_jobs_says_which_and_they_move(self):
        path = self.fed.state / "hills.toml"
        before = path.read_text()
        job, shown = self.promised("hills", "-t", "10m", "-l", "1:ncpus=1:ngpus=1", "--from",
                                   "now+10m")
        node = shown["parts"][0]["nodes"][0]
        other = {"g1": "g2", "g2": "g1"}[node]
        try:
            path.write_text(before.replace("g[1-2]", other))
            told = self.ok(self.fed.muster("reload", "--via", "hills")).out
            self.assertIn("nodes are gone", told)
            self.assertRegex(told, rf"1 booking there must move \({job}(\.1)?\)")
            until(lambda: self.fed.job(job)["parts"][0]["nodes"] == [other], "it has another node")
            self.assertEqual(self.starts_by(self.fed.job(job)), self.starts_by(shown))
        finally:
            path.write_text(before)
            self.ok(self.fed.muster("reload", "--via", "hills"))
        self.assertTrue(re.search(rf"{node} ", self.fed.muster("nodes", "hills").out))


if __name__ == "__main__":
    unittest.main()
