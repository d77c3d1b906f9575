"""A site whose machine has a shape, as users of its federation meet it: amounts become partitions,
`explain` says topology, a restart keeps what is blocked. CCS Sect. 4, scheduling.md section 8."""
import unittest

from federation import FederationTest, until

FLAT = '[machine]\nkind = "flat"\n[[nodes]]\nnames     = "n[1-4]"\n'
MESH = '[machine]\nkind = "mesh"\nsize = [3, 3]\n[[nodes]]\nnames     = "n[1-9]"\n'  # row by row


class MachinesTest(FederationTest):
    """lakes is a mesh of nine units of four processors; the others are flat."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        path = cls.fed.state / "lakes.toml"
        text = path.read_text()
        assert FLAT in text, text
        path.write_text(text.replace(FLAT, MESH))
        cls.fed.kill("lakes")
        cls.fed.restart("lakes")
        until(lambda: len(cls.nodes()) == 9, "the meta knows the mesh")

    @classmethod
    def nodes(cls):
        sites = cls.fed.muster("--json", "nodes", "lakes").rows("sites")
        return [node["name"] for site in sites for node in site["nodes"]]

    def submit(self, chunks):
        job = self.fed.submit("--site", "lakes", "-t", "2m", "-l", chunks, "--", "sleep", "100")
        self.addCleanup(self.fed.muster, "cancel", job)
        return job

    def place(self, job):
        return sorted(self.fed.job(job)["parts"][0]["nodes"])

    def runs(self, job):
        until(lambda: self.fed.job(job)["state"] == "running", f"{job} runs")
        return self.place(job)

    def cancel(self, *jobs):
        for job in jobs:
            self.ok(self.fed.muster("cancel", job))
            until(lambda job=job: self.fed.job(job)["state"] == "ended", f"{job} is gone")

    def test_amounts_become_a_rectangle_of_its_own(self):
        job = self.submit("18:ncpus=1")  # five units, which no rectangle has
        self.assertEqual(self.runs(job), [f"n{i}" for i in range(1, 7)])
        other = self.submit("1:ncpus=1")
        self.assertEqual(self.runs(other), ["n7"], "nobody shares a unit")
        self.assertIn("n6", self.ok(self.fed.muster("gantt", "--site", "lakes")).out +
                      self.ok(self.fed.muster("nodes", "lakes")).out)
        never = self.fed.muster("submit", "--site", "lakes", "-t", "2m", "-l", "37:ncpus=1", "--",
                                "true")
        self.fails(never, 7, "no site can ever run 37", "lakes: at most 36")
        self.cancel(job, other)

    def test_explain_says_topology_while_free_units_do_not_lie_together(self):
        singles = [self.submit("1:ncpus=4") for _ in range(5)]
        self.assertEqual([self.runs(job) for job in singles], [[f"n{i}"] for i in range(1, 6)])
        self.cancel(*singles[:4])  # now only the middle of the mesh is busy
        square = self.submit("16:ncpus=1")
        self.assertEqual(self.fed.job(square)["state"], "promised")
        told = self.ok(self.fed.muster("explain", square)).out
        self.assertIn("8 units are free before, but none of its forms, as 2x2, lies among them",
                      told)
        self.assertIn("lakes/n5", told)
        binding = self.fed.muster("--json", "explain", square).json()["binding"]["reason"]
        self.assertEqual((binding["code"], binding["subject"]["node"]), ("topology", "n5"))
        self.cancel(singles[4])
        self.assertEqual(len(self.runs(square)), 4, "it moved earlier")
        self.cancel(square)

    def test_its_partition_outlives_the_daemon(self):
        job = self.submit("5:ncpus=4")
        nodes = self.runs(job)
        self.assertEqual(len(nodes), 6)
        self.fed.kill("lakes")
        self.fed.restart("lakes")
        until(lambda: len(self.nodes()) == 9, "lakes is back")
        self.assertEqual(self.place(job), nodes)
        other = self.submit("4:ncpus=4")
        until(lambda: self.fed.job(other)["state"] == "promised", "three units in a row are free")
        self.cancel(other, job)


if __name__ == "__main__":
    unittest.main()
