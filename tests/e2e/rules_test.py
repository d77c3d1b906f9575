"""The rules of a site.toml, as its users meet them: limits, pools, job-wide resources, conditions
and kept cores of nodes, default values; and what a file read again strands."""
import unittest

import alone_test
from federation import until


class RulesTest(unittest.TestCase):
    """One site alone, with rules."""

    rules = ""

    setUp = alone_test.AloneTest.setUp
    tearDown = alone_test.AloneTest.tearDown
    run_muster = alone_test.AloneTest.run_muster
    via = alone_test.AloneTest.via
    ok = alone_test.AloneTest.ok
    start = alone_test.AloneTest.start
    log = alone_test.AloneTest.log
    job = alone_test.AloneTest.job

    def write_site(self, nodes, more=""):
        alone_test.AloneTest.write_site(self, nodes, more)
        with open(self.root / "lakes.toml", "a", encoding="utf-8") as file:
            file.write(self.rules)

    def with_rules(self, rules, nodes="n[1-2]"):
        self.rules = rules
        self.write_site(nodes)
        return self.ok("root", "reload")

    def submit(self, user, *words):
        answer = self.ok(user, "-q", "submit", "-t", "1m", *words, "--", "sleep", "50")
        return answer.out.strip().split("/")[1]

    def start_of(self, user, number):
        job = self.ok(user, "--json", "show", number).json()["job"]
        return job["figures"]["starts_by"]["at"]

    def test_a_limit_moves_what_exceeds_it_and_refuses_what_never_fits_by_name(self):
        self.with_rules('[[limit]]\nresource = "ncpus"\nitems = 4\n')
        first = self.submit("kim", "-l", "1:ncpus=4")
        until(lambda: self.job(first)["state"] == "running", "the first runs")
        second = self.submit("kim", "-l", "1:ncpus=4")
        self.assertEqual(self.job(second)["state"], "promised")
        other = self.ok("root", "-q", "submit", "-t", "1m", "-l", "1:ncpus=4", "--", "true")
        number = other.out.strip().split("/")[1]
        until(lambda: self.job(number)["state"] == "ended", "another user's is not moved")
        asked = self.ok("kim", "ask", "-t", "1m", "-l", "1:ncpus=1")
        self.assertIn("limit 4 of ncpus for each user", asked.out)
        refused = self.via("kim", "submit", "-t", "1m", "-l", "2:ncpus=4", "--", "true")
        self.assertNotEqual(refused.code, 0)
        self.assertIn("limit 4 of ncpus for each user", refused.err)

    def test_a_pool_keeps_cores_for_short_jobs(self):
        self.with_rules('[[freepool]]\nname = "quick"\nresource = "ncpus"\nkeep = "50%"\n'
                        'open_to = "duration < 10m"\n')
        refused = self.via("kim", "submit", "-t", "10m", "-l", "2:ncpus=4", "--", "true")
        self.assertIn("pool quick keeps 50% of ncpus free", refused.err)
        self.ok("kim", "submit", "-t", "10m", "-l", "1:ncpus=4", "--", "sleep", "60")
        waits = self.submit("kim", "-l", "1:ncpus=4")
        until(lambda: self.job(waits)["state"] == "running", "a short one finds its cores")

    def test_a_file_read_again_moves_what_its_conditions_keep_from_a_node_and_says_so(self):
        self.with_rules("", nodes="n[1-2]")
        number = self.ok("kim", "-q", "submit", "-t", "20m", "--from", "now+10m", "-l", "1:ncpus=4",
                         "--", "true").out.strip().split("/")[1]
        self.assertEqual(self.job(number)["parts"][0]["nodes"], ["n1"])
        self.rules = ('[[nodes]]\nnames = "n1"\nresources = { ncpus = 4, mem = "1gb" }\n'
                      'only = "duration <= 10m"\n')
        self.write_site(nodes="n2")
        told = self.ok("root", "reload")
        self.assertIn("n1 takes only duration <= 10m: 1 booking there must move (lakes/1)",
                      told.out)
        until(lambda: self.job(number)["parts"][0]["nodes"] == ["n2"], "it has another node")

    def test_values_are_filled_in_and_cores_kept(self):
        self.with_rules('[[nodes]]\nnames = "g1"\n'
                        'resources = { ncpus = 4, mem = "1gb", ngpus = 1 }\n'
                        'keep = { ncpus = 2, for = "ngpus" }\n'
                        '[[default]]\nresources = { mem = "64mb" }\n', nodes="n1")
        number = self.submit("kim", "-l", "1:ncpus=1")
        resources = self.job(number)["parts"][0]["chunks"][0]["resources"]
        self.assertEqual(resources, {"ncpus": 1, "mem_bytes": 64 << 20})
        refused = self.via("kim", "submit", "-t", "1m", "-l", "2:ncpus=4", "--", "true")
        self.assertNotEqual(refused.code, 0, "two of the eight cores are kept")
        self.ok("kim", "submit", "-t", "1m", "-l", "1:ncpus=4:ngpus=1", "--", "true")


if __name__ == "__main__":
    unittest.main()
