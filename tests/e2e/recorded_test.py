"""Recorded turns of live daemons, taken again: a core that is stepped through what a daemon was
told wants the same, byte for byte, through kills, restarts and reloads."""
import pathlib
import re
import signal
import subprocess
import unittest

from federation import BIN, FederationTest, until

DAEMONS = ("meta", "hills", "lakes", "woods")


class RecordedTurns(FederationTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for daemon in DAEMONS:  # from their first turn with the option on
            section = "[meta]" if daemon == "meta" else "[site]"
            path = cls.fed.state / f"{daemon}.toml"
            path.write_text(path.read_text().replace(section, f"{section}\nrecord = true", 1))
        for daemon in DAEMONS:
            cls.fed.kill(daemon, signal.SIGTERM)
            cls.fed.restart(daemon)
        until(cls.all_up, "every site is up again")

    @classmethod
    def all_up(cls):
        sites = cls.fed.muster("--json", "sites")
        return sites.code == 0 and {s["state"] for s in sites.json()["sites"]} == {"up"}

    def again(self, *files):
        return subprocess.run([str(BIN / "muster-sim"), "again", *map(str, files)],
                              env=self.fed.env, capture_output=True, text=True, check=False)

    def recordings(self, daemon):
        return sorted((self.fed.state / daemon / "turns").glob("*.turns"))

    def jobs(self):
        """One, one of three parts, one that fails, one that is cancelled; waits for the rest."""
        ids = [self.fed.submit("--site", "lakes", "-t", "1m", "--", "sleep", "1"),
               self.fed.submit("--apart", "-t", "1m", "-l", "1", ":", "-l", "1", ":", "-l", "1",
                               "--", "sleep", "1"),
               self.fed.submit("-t", "1m", "--", "sh", "-c", "exit 3")]
        later = self.fed.submit("--from", "now+1h", "-t", "1m", "--", "true")
        self.ok(self.fed.muster("ask", "-t", "5m", "-l", "2"))
        self.ok(self.fed.muster("explain", later))
        self.ok(self.fed.muster("cancel", later))
        for job in ids:
            self.fed.muster("wait", job)

    def test_cores_want_the_same_again_through_kills_and_reloads(self):
        self.jobs()
        self.fed.configure("woods", "[timeouts]\nallocate = \"50s\"\n")
        self.ok(self.fed.muster("reload"))
        running = self.fed.submit("--site", "lakes", "-t", "1m", "--", "sleep", "5")
        until(lambda: self.fed.job(running)["state"] == "running", "the job runs")
        for daemon in ("lakes", "meta"):
            self.fed.kill(daemon)
            self.fed.restart(daemon)
        until(self.all_up, "every site is up again")
        self.fed.muster("wait", running)
        self.jobs()
        for daemon in DAEMONS:
            files = self.recordings(daemon)
            self.assertEqual(len(files), 2 if daemon in ("lakes", "meta") else 1)
            said = self.again(*files)
            self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
            for line in said.stdout.splitlines():
                if line.startswith("/"):
                    self.assertRegex(line, r" \d+ turns, \d+ events, \d+ bytes of batches: equal$")
                    self.assertGreater(int(re.search(r"(\d+) events", line)[1]), 3, line)
            print(said.stdout, end="", flush=True)
        self.assertIn(" 2 cores, ", self.again(*self.recordings("woods")).stdout, "a reload is one")

        # A tear costs what is behind it.
        last = self.recordings("lakes")[0]
        torn = pathlib.Path(self.fed.root) / "torn.turns"
        torn.write_bytes(last.read_bytes()[:-7])
        said = self.again(torn)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertIn("torn: its last", said.stdout)

    def test_what_is_no_recording_is_refused(self):
        said = self.again(self.fed.state / "meta.toml")
        self.assertEqual(said.returncode, 2, said.stdout + said.stderr)
        self.assertIn("is no recording of turns", said.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
