"""Nodes of two speeds, as users and operators meet them: what mixes and what must not, how long it
is booked, what a site makes of jobs that say nothing, and what is refused. Maui Sect. IV (node
sets)."""
import re
import unittest

from federation import FederationTest, until

NODES = """[[nodes]]
names      = "f[1-2]"
resources  = { ncpus = 4, mem = "8gb" }
[[nodes]]
names      = "s[1-2]"
resources  = { ncpus = 4, mem = "8gb" }
speed      = "50%"
"""
MANDATE = '[nodeset]\ndefault = "speed:oneof"\nforced = true\n'


class NodeSets(FederationTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.configured()

    @classmethod
    def configured(cls, more=""):
        answer = cls.fed.configure("hills", more, nodes=NODES)
        if answer.code != 0:
            cls.fed.close()
            raise AssertionError(answer)

    def tearDown(self):
        self.fed.muster("cancel", "all", "--yes")
        until(lambda: not self.fed.muster("--json", "queue").json()["jobs"], "all are gone")

    def submit(self, *words, command=("sleep", "300")):
        return self.fed.submit("--site", "hills", "--place", "scatter", *words, "--", *command)

    def running(self, *words):
        job = self.submit(*words)
        shown = until(lambda: (j := self.fed.job(job))["state"] == "running" and j, f"{job} runs")
        return job, shown["parts"][0]

    def refused(self, code, *words):
        answer = self.fed.muster("submit", "--site", "hills", "--place", "scatter", *words, "--",
                                 "true")
        self.assertEqual(answer.code, code, answer)
        return answer.err

    def test_what_names_no_set_mixes_and_lasts_as_long_as_its_slowest_node_needs(self):
        job, part = self.running("-t", "2m", "-l", "3:ncpus=4")
        self.assertEqual(sorted(part["nodes"])[:2], ["f1", "f2"])
        self.assertEqual(part["slower_s"], 120)
        self.assertIn("2m longer there", self.ok(self.fed.muster("show", job)).out)
        # Two that fit on fast nodes are there, and no longer than they ask for.
        self.fed.muster("cancel", job, "--yes")
        _, fast = self.running("-t", "2m", "-l", "2:ncpus=4")
        self.assertEqual((sorted(fast["nodes"]), fast["slower_s"]), (["f1", "f2"], None))

    def test_one_of_gets_nodes_of_one_speed_and_is_told_which(self):
        self.running("-t", "5m", "-l", "1:ncpus=4", "--set", "speed=100:oneof")
        job, part = self.running("-t", "1m", "-l", "2:ncpus=4", "--set", "speed:oneof")
        self.assertEqual((sorted(part["nodes"]), part["set"], part["set_group"]),
                         (["s1", "s2"], "speed:oneof", "speed=50%"))
        self.assertIn("nodes      speed=50% of speed:oneof, 1m longer there",
                      self.ok(self.fed.muster("show", job)).out)
        # The other fast node is free, but it is one.
        waits = self.submit("-t", "1m", "-l", "2:ncpus=4", "--set", "speed=100:oneof")
        until(lambda: self.fed.job(waits)["state"] == "promised", "it waits for the fast ones")
        self.fed.muster("cancel", job, "--yes")
        until(lambda: self.fed.job(job)["state"] == "ended", "slow nodes are free")
        self.assertRegex(self.ok(self.fed.muster("explain", waits)).out,
                         r"its nodes must be speed=100%:oneof; any nodes would do \S+ earlier")

    def test_a_limit_of_time_is_that_of_the_node(self):
        done = self.submit("-t", "3s", "-l", "1:ncpus=1", "--set", "speed=50%:anyof",
                           command=("sleep", "4"))
        ends = until(lambda: (j := self.fed.job(done))["state"] == "ended" and j, "it ends")
        self.assertEqual(ends["outcome"], "done")

    def test_nodes_show_their_speeds(self):
        out = self.ok(self.fed.muster("nodes", "hills")).out
        self.assertRegex(out, r"NODE +STATE +CPUS +MEM +SPEED")
        self.assertRegex(out, r"hills/s1 .* 50%")

    def test_what_no_group_holds_and_what_says_nothing_is_refused(self):
        self.assertIn("no group of speed:oneof has nodes for all its chunks",
                      self.refused(7, "-t", "1m", "-l", "3:ncpus=4", "--set", "speed:oneof"))
        self.assertIn("no node that could take it has 'rack'",
                      self.refused(7, "-t", "1m", "-l", "1:ncpus=4", "--set", "rack:oneof"))
        told = self.refused(2, "-t", "1m", "--set", "speed:firstof")
        self.assertIn("'firstof' needs values", told)
        self.assertIn("^^^^^^^", told)
        self.assertIn("which?", self.refused(2, "--set", "speed:oneof", "--group", "switch"))

    def test_a_site_may_mandate_a_set(self):
        self.configured(MANDATE)
        self.addCleanup(self.configured)
        self.running("-t", "5m", "-l", "1:ncpus=4")
        job, part = self.running("-t", "1m", "-l", "2:ncpus=4", "--set", "none")
        self.assertEqual(sorted(part["nodes"]), ["s1", "s2"])
        self.assertTrue(re.search(r"speed=50%", self.ok(self.fed.muster("show", job)).out))
        self.fails(self.fed.configure("hills", MANDATE.replace("speed:", "sped:"), nodes=NODES), 2,
                   "no node has 'sped'", "declared: speed")


if __name__ == "__main__":
    unittest.main()
