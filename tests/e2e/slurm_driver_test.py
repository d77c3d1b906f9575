"""The driver of Slurm on real clusters in a folder: the default scheduler, and one that looks for
work each second. What the driver does there is tested by a program of its own, which also counts
that nothing ran twice. Skipped where Slurm or munge is not installed."""
import os
import pathlib
import subprocess
import tempfile
import unittest

from clusters import Cluster, Lab, missing

PROGRAM = pathlib.Path(os.environ["MUSTER_BIN_DIR"]).parent / "tests" / "site_driver_slurm_lab_test"
PATIENCE_S = 700


@unittest.skipIf(missing(), f"not installed: {', '.join(missing())}")
@unittest.skipIf(os.geteuid() != 0, "only root can start clusters")
class TheDriver(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="muster-slurm-")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)  # parts run as an account of their own
        self.lab = Lab(folder.name)
        self.addCleanup(self.lab.down)
        epilog = pathlib.Path(folder.name, "epilog")
        epilog.write_text(f"#!/bin/sh\nif [ -e {folder.name}/slow_epilog ]; then sleep 3; fi\n")
        epilog.chmod(0o755)
        more = f"Licenses=matlab:2\nEpilog={epilog}\n"
        self.lab.up([Cluster("lakes", 0, more=more), Cluster("woods", 1, tuned=True, more=more)])

    def run_on(self, name):
        done = subprocess.run(
            [PROGRAM], env={**self.lab.environment(name), "MUSTER_SLURM_LAB": str(self.lab.folder)},
            capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        print("\n".join(f"{name}: {line}" for line in done.stdout.splitlines()
                        if line.startswith(("[ start", "[ seen", "[ sight", "[ counted"))))
        self.assertEqual(done.returncode, 0, done.stdout[-8000:] + done.stderr[-2000:])

    def test_holds_with_the_scheduler_as_shipped(self):
        self.run_on("lakes")

    def test_holds_with_a_scheduler_that_looks_each_second(self):
        self.run_on("woods")


if __name__ == "__main__":
    unittest.main()
