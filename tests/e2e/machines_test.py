"""A site whose machine has a shape, as its users meet it: amounts become partitions, `explain` says
topology, nodes and Gantt show what is blocked. CCS Sect. 4, scheduling.md section 8."""
import unittest

import alone_test
from federation import until

MESH = '[machine]\nkind = "mesh"\nsize = [3, 3]\n'  # u1 to u9, row by row


class MachinesTest(unittest.TestCase):
    """One site alone, a mesh of nine units of four processors."""

    setUp = alone_test.AloneTest.setUp
    tearDown = alone_test.AloneTest.tearDown
    run_muster = alone_test.AloneTest.run_muster
    via = alone_test.AloneTest.via
    ok = alone_test.AloneTest.ok
    start = alone_test.AloneTest.start
    log = alone_test.AloneTest.log
    job = alone_test.AloneTest.job

    def write_site(self, nodes, more=""):
        del nodes
        alone_test.AloneTest.write_site(self, "u[1-9]", more + MESH)

    def submit(self, *words, seconds=50):
        answer = self.ok("kim", "-q", "submit", "-t", "2m", *words, "--", "sleep", str(seconds))
        return answer.out.strip().split("/")[1]

    def runs(self, number):
        until(lambda: self.job(number)["state"] == "running", f"{number} runs")
        return self.job(number)["parts"][0]["nodes"]

    def cancel(self, *numbers):
        for number in numbers:
            self.ok("kim", "cancel", number)
            until(lambda n=number: self.job(n)["state"] == "ended", f"{number} is gone")

    def test_amounts_become_a_rectangle_of_its_own(self):
        job = self.submit("-l", "18:ncpus=1")  # five units: 3 x 2
        nodes = self.runs(job)
        self.assertEqual(sorted(nodes), ["u1", "u2", "u3", "u4", "u5", "u6"])
        other = self.submit("-l", "1:ncpus=1")
        self.assertEqual(self.runs(other), ["u7"], "nobody shares a unit")
        self.assertIn("u6", self.ok("kim", "gantt").out + self.ok("kim", "nodes").out)
        never = self.via("kim", "submit", "-t", "2m", "-l", "37:ncpus=1", "--", "true")
        self.assertNotEqual(never.code, 0)
        self.assertIn("no partition of this machine holds so many chunks", never.err)
        self.assertIn("36", never.err)

    def test_explain_says_topology_while_free_units_do_not_lie_together(self):
        singles = [self.submit("-l", "1:ncpus=4") for _ in range(5)]
        self.assertEqual([self.runs(job) for job in singles], [[f"u{i}"] for i in range(1, 6)])
        self.cancel(*singles[:4])  # now only the middle of the mesh is busy
        square = self.submit("-l", "16:ncpus=1")
        self.assertEqual(self.job(square)["state"], "promised")
        self.assertEqual(self.job(square)["reason"]["code"], "topology")
        told = self.ok("kim", "explain", square).out
        self.assertIn("8 units are free before, but none of its forms, as 2x2, lies among them",
                      told)
        self.assertIn("u5", told)
        self.cancel(singles[4])
        self.assertEqual(len(self.runs(square)), 4, "it moved earlier")

    def test_its_partition_outlives_the_daemon(self):
        job = self.submit("-l", "5:ncpus=4")
        nodes = self.runs(job)
        self.daemon.kill()
        self.daemon.wait()
        self.start()
        self.assertEqual(self.job(job)["parts"][0]["nodes"], nodes)
        other = self.submit("-l", "4:ncpus=4")
        self.assertEqual(self.job(other)["state"], "promised", "three units are free, in a row")


if __name__ == "__main__":
    unittest.main()
