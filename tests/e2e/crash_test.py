"""Daemons killed with SIGKILL: nothing acknowledged is lost, nothing runs twice, running work is
found again."""
import pathlib
import unittest

from federation import FederationTest, until


def running_below(folder):
    """Processes whose command line names the folder: its daemon and its shepherds."""
    lines = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(entry.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue  # it ended meanwhile
    return [line for line in lines if str(folder) in line]


class Crash(FederationTest):
    def all_up(self):
        sites = self.fed.muster("--json", "sites")
        return sites.code == 0 and {s["state"] for s in sites.json()["sites"]} == {"up"}

    def test_a_site_killed_under_a_running_job_finds_it_again(self):
        mark = self.fed.root / "runs"
        job = self.fed.submit("--site", "lakes", "-t", "1m", "--", "sh", "-c",
                              f"echo run >> {mark}; sleep 4; exit 5")
        until(lambda: self.fed.job(job)["state"] == "running", "the job runs")
        self.fed.kill("lakes")
        self.fed.restart("lakes")
        self.assertEqual(self.fed.muster("wait", job).code, 9)
        shown = self.fed.job(job)
        self.assertEqual((shown["outcome"], shown["parts"][0]["exit_code"]), ("failed", 5))
        self.assertEqual(mark.read_text(), "run\n")
        until(self.all_up, "every site is up again")

    def test_a_job_that_ends_while_its_site_is_down_is_accounted(self):
        job = self.fed.submit("--site", "woods", "-t", "1m", "--", "sh", "-c", "sleep 2; exit 0")
        until(lambda: self.fed.job(job)["state"] == "running", "the job runs")
        self.fed.kill("woods")
        until(lambda: not running_below(self.fed.state / "woods"),
              "the shepherd wrote the end and left")
        self.fed.restart("woods")
        self.fed.muster("wait", job)
        self.assertEqual(self.fed.job(job)["outcome"], "done")
        until(self.all_up, "every site is up again")

    def test_a_killed_meta_keeps_every_acknowledged_job(self):
        jobs = [self.fed.submit("--from", "now+1h", "-t", "1m", "--", "true") for _ in range(5)]
        running = self.fed.submit("-t", "1m", "--", "sleep", "3")
        before = {job: self.fed.job(job)["figures"]["starts_by"] for job in jobs}
        self.fed.kill("meta")
        self.assertEqual(self.fed.muster("queue").code, 5)
        self.fed.restart("meta")
        until(self.all_up, "every site is up again")
        for job in jobs:
            self.assertEqual(self.fed.job(job)["figures"]["starts_by"], before[job])
        self.fed.muster("wait", running)
        self.assertEqual(self.fed.job(running)["outcome"], "done")
        self.fed.muster("cancel", *jobs)

    def test_a_meta_killed_at_the_start_of_a_co_allocation_runs_it_once_or_again_never_twice(self):
        mark = self.fed.root / "trio"
        job = self.fed.submit("--apart", "-t", "1m", "-l", "1", ":", "-l", "1", ":", "-l", "1",
                              "--", "sh", "-c", f"echo $MUSTER_PART >> {mark}; sleep 3")
        until(lambda: self.fed.job(job)["state"] in ("starting", "running"), "the job starts")
        self.fed.kill("meta")
        self.fed.restart("meta")
        until(self.all_up, "every site is up again")
        self.fed.muster("wait", job)
        self.assertEqual(self.fed.job(job)["outcome"], "done")
        self.assertEqual(sorted(pathlib.Path(mark).read_text().split()), ["1", "2", "3"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
