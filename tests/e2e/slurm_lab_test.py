"""Real Slurm clusters in a folder: each runs jobs, comes back after its controller was killed, and
leaves no process behind. Skipped where Slurm or munge is not installed."""
import os
import pathlib
import signal
import tempfile
import time
import unittest

from clusters import Cluster, Lab, LabError, missing
from federation import until


@unittest.skipIf(missing(), f"not installed: {', '.join(missing())}")
@unittest.skipIf(os.geteuid() != 0, "only root can start clusters")
class TwoClusters(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="muster-slurm-")
        self.addCleanup(folder.cleanup)
        self.lab = Lab(folder.name)
        self.addCleanup(self.lab.down)
        self.lab.up([Cluster("lakes", 0, nodes=2), Cluster("woods", 1, nodes=2, tuned=True)])

    def done(self, name):
        """Jobs in the cluster's own completion file."""
        path = self.lab.folder / name / "jobcomp"
        return [dict(word.split("=", 1) for word in line.split() if "=" in word)
                for line in path.read_text().splitlines()] if path.exists() else []

    def submit(self, name, *words):
        answer = self.lab.run(name, "sbatch", "--parsable", "--output=/dev/null", *words)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return answer.stdout.strip()

    def test_each_has_its_own_nodes_and_jobs_and_survives_its_controller(self):
        for name in self.lab.names():
            job = self.submit(name, "-N2", "--wrap=true")
            until(lambda name=name, job=job: any(row["JobId"] == job for row in self.done(name)),
                  f"job {job} of {name} is done")
            row = self.done(name)[0]
            self.assertEqual(row["JobState"], "COMPLETED")
            self.assertEqual(row["NodeList"], f"{name[0]}-n[1-2]")
        running = self.submit("woods", "-N1", "--wrap=sleep 300")
        until(lambda: self.lab.run("woods", "squeue", "-h", "-o", "%T").stdout.strip() == "RUNNING",
              "it runs")
        # What a controller has acknowledged is forgotten with it until it is saved.
        seen = time.time()
        saved = self.lab.folder / "woods" / "state" / "job_state"
        until(lambda: saved.exists() and saved.stat().st_mtime > seen, "its state is saved")
        os.kill(self.lab.running()["woods/slurmctld"], signal.SIGKILL)
        until(lambda: "woods/slurmctld" not in self.lab.running(), "the controller is gone")
        self.lab.start_controller("woods")
        until(lambda: self.lab.run("woods", "squeue", "-h", "-o", "%i").stdout.strip() == running,
              "the controller is back and knows its job")
        with self.assertRaisesRegex(LabError, "already"):
            self.lab.up([Cluster("hills", 2)])

    def test_down_leaves_no_process(self):
        self.submit("woods", "-N2", "--wrap=sleep 300")
        self.submit("lakes", "-N2", "--wrap=sleep 300")
        until(lambda: self.lab.run("lakes", "squeue", "-h", "-o", "%T").stdout.strip() == "RUNNING",
              "it runs")
        os.kill(self.lab.running()["woods/slurmctld"], signal.SIGKILL)  # and its jobs are ended too
        self.lab.down()
        self.assertEqual(self.lab.running(), {})
        folder = str(self.lab.folder).encode()
        left = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes() + (path.parent / "environ").read_bytes()
                state = (path.parent / "stat").read_text().rsplit(")", 1)[1].split()[0]
            except OSError:
                continue
            if folder in words and state != "Z" and int(path.parent.name) != os.getpid():
                left.append(words)
        self.assertEqual(left, [])
        with self.assertRaisesRegex(LabError, "first letters"):
            self.lab.up([Cluster("lakes", 0), Cluster("lochs", 1)])


if __name__ == "__main__":
    unittest.main()
