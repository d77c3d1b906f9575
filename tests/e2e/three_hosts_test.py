"""A federation over three hosts, and links that are cut at the worst moments: while a job runs,
while a co-allocation is about to start, just after it was permitted, and when a job is submitted.

Needs root, as it makes network namespaces; is skipped, saying so, where these are not permitted.
"""
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from live_federation import LiveFederation, Site
from three_hosts import Network, NotPermitted

BIN = pathlib.Path(os.environ["MUSTER_BIN_DIR"])
PORT = 7710
PATIENCE_S = 30  # no single step takes longer
# Short ones, so that silence, barrier and deadline fit into seconds.
PROTOCOL = {"heartbeat": "300ms", "lead": "2s", "start_wait": "6s", "permit_window": "3s",
            "answer_wait": "2s", "settle": "1s", "partner_wait": "5s", "lease": "5s"}
EVERYWHERE = ("--site", "lakes", "-l", "1:ncpus=1", ":", "--site", "woods", "-l", "1:ncpus=1",
              ":", "--site", "hills", "-l", "1:ncpus=1")
PLATE = ("--rows", "300", "--columns", "200", "--steps", "400")


class ThreeHosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.network = Network("lakes", "woods", "hills")
        except (NotPermitted, OSError) as error:
            raise unittest.SkipTest(f"no network namespaces here: {error}") from error
        cls.addClassCleanup(cls.network.close)
        hosts = cls.network.hosts
        sites = [Site(name, "n[1-2]", {"ncpus": 4}, host=host.address, enter=host.enter)
                 for name, host in hosts.items()]
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-e2e-hosts-"))
        cls.fed = LiveFederation(cls.folder, BIN, f"tcp://{hosts['lakes'].address}:{PORT}", sites,
                                 PROTOCOL, enter_meta=hosts["lakes"].enter)
        cls.addClassCleanup(cls.fed.close)
        cls.fed.up()

    def tearDown(self):
        for name in self.network.hosts:
            self.network.mend(name)
        self.wait_for_states("up", "up", "up")

    def run(self, result=None):
        before = len(result.failures) + len(result.errors) if result else 0
        super().run(result)
        if result and len(result.failures) + len(result.errors) > before:
            print(self.fed.tails(25))
        return result

    def until(self, holds, what, patience_s=PATIENCE_S):
        self.assertTrue(self.fed.wait_for(holds, patience_s),
                        f"after {patience_s} s it does not hold that {what}")

    def wait_for_states(self, lakes, woods, hills):
        wanted = {"lakes": lakes, "woods": woods, "hills": hills}
        self.until(lambda: self.fed.states() == wanted, f"sites are {wanted}")

    def submit(self, *words):
        answer = self.fed.muster("-q", "submit", *words)
        self.assertEqual(answer.code, 0, answer)
        return answer.out.strip()

    def job(self, job):
        answer = self.fed.muster("--json", "show", job)
        self.assertEqual(answer.code, 0, answer)
        return answer.json()["job"]

    def wait_for(self, job, *states):
        self.until(lambda: self.job(job)["state"] in states, f"job {job} is {' or '.join(states)}")
        return self.job(job)

    def mark(self):
        """A file that every start of a part adds a line to: all hosts share the disk."""
        return self.folder / f"mark-{self.id().rsplit('.', 1)[1]}"

    def marks(self):
        return sorted(self.mark().read_text().split()) if self.mark().exists() else []

    def test_parts_on_three_hosts_compute_one_plate(self):
        alone = subprocess.run([BIN / "muster-demo-halo", *PLATE], capture_output=True, text=True,
                               check=True).stdout.splitlines()[-1]
        job = self.submit("-n", "halo", "-t", "30s", *EVERYWHERE, "--",
                          BIN / "muster-demo-halo", *PLATE)
        self.assertEqual(self.wait_for(job, "ended")["outcome"], "done")
        said = self.fed.muster("logs", job).out
        self.assertEqual(said.count("neighbours connected"), 3, said)
        self.assertIn(alone, said)

    def test_parts_are_reached_at_their_own_hosts(self):
        job = self.submit("-t", "20s", *EVERYWHERE, "--", "sh", "-c", "echo $MUSTER_RENDEZVOUS")
        self.assertEqual(self.wait_for(job, "ended")["outcome"], "done")
        line = self.fed.muster("logs", job).out.splitlines()[0].split(" | ")[1]
        self.assertEqual([place.rsplit(":", 1)[0] for place in line.split(",")],
                         [host.address for host in self.network.hosts.values()])

    def test_a_job_whose_site_is_cut_off_goes_on_and_its_outcome_is_known_afterwards(self):
        end = self.folder / "ended-in-silence"
        job = self.submit("--site", "woods", "-t", "1m", "--", "sh", "-c",
                          f"echo run >> {self.mark()}; sleep 5; echo end > {end}; exit 5")
        self.wait_for(job, "running")
        self.network.cut("woods")
        self.wait_for_states("up", "silent", "up")
        self.assertNotEqual(self.job(job)["state"], "ended")
        self.until(end.exists, "the job ended at the site that nobody hears")
        self.assertNotEqual(self.job(job)["state"], "ended")
        self.network.mend("woods")
        ended = self.wait_for(job, "ended")
        self.assertEqual((ended["outcome"], ended["parts"][0]["exit_code"]), ("failed", 5))
        self.assertEqual(self.marks(), ["run"])

    def test_a_co_allocation_whose_start_falls_into_a_cut_starts_nowhere_and_once_afterwards(self):
        job = self.submit("--from", "now+5s", "-t", "20s", *EVERYWHERE, "--", "sh", "-c",
                          f"echo $MUSTER_PART >> {self.mark()}; sleep 1")
        first = self.wait_for(job, "promised")["figures"]["starts_by"]["at"]
        self.network.cut("hills")
        self.wait_for_states("up", "up", "silent")
        self.until(lambda: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 2))
                   > first, "the promised start has passed, and two seconds more")
        self.assertEqual(self.marks(), [])
        # What the others kept for it is free again: nothing stays blocked by a site that is gone.
        whole = self.submit("--site", "lakes", "-l", "2:ncpus=4", "-t", "5s", "--", "true")
        self.assertEqual(self.wait_for(whole, "ended")["outcome"], "done")
        self.network.mend("hills")
        ended = self.wait_for(job, "ended")
        self.assertEqual(ended["outcome"], "done", ended)
        self.assertEqual(self.marks(), ["1", "2", "3"])
        causes = [change["cause"]["code"] for change in ended["history"] if change["cause"]]
        self.assertTrue({"site_silent", "partner"} & set(causes), ended["history"])

    def test_a_co_allocation_that_loses_a_site_before_its_start_is_placed_at_another(self):
        busy = self.submit("--site", "woods", "-l", "2:ncpus=4", "-t", "40s", "--", "sleep", "3")
        self.wait_for(busy, "running")
        job = self.submit("--from", "now+6s", "-t", "20s", "--site", "lakes", "-l", "1:ncpus=1",
                          ":", "--site", "woods,hills", "-l", "1:ncpus=1", "--", "sh", "-c",
                          f"echo $MUSTER_SITE >> {self.mark()}; sleep 1")
        promised = self.wait_for(job, "promised")
        self.assertEqual([part["site"] for part in promised["parts"]], ["lakes", "hills"])
        self.network.cut("hills")
        ended = self.wait_for(job, "ended")
        self.assertEqual(self.fed.states()["hills"], "silent")
        self.assertEqual(ended["outcome"], "done", ended)
        self.assertEqual(self.marks(), ["lakes", "woods"])

    def test_a_short_cut_just_after_the_permits_harms_nothing(self):
        job = self.submit("-t", "40s", *EVERYWHERE, "--", "sh", "-c",
                          f"echo $MUSTER_PART >> {self.mark()}; sleep 8")
        self.wait_for(job, "starting", "running")
        self.network.cut("hills")
        self.wait_for_states("up", "up", "silent")
        self.network.mend("hills")
        ended = self.wait_for(job, "ended")
        self.assertEqual(ended["outcome"], "done", ended)
        self.assertEqual(self.marks(), ["1", "2", "3"])

    def test_a_job_for_a_silent_site_says_so_and_is_promised_when_it_is_back(self):
        self.network.cut("hills")
        self.wait_for_states("up", "up", "silent")
        answer = self.fed.muster("submit", "--site", "hills", "-t", "10s", "--", "true")
        self.assertEqual(answer.code, 0, answer)
        self.assertRegex(answer.out, r"starts by  –  hills has been silent for \d+s")
        job = answer.out.split()[1]
        self.assertEqual(self.job(job)["state"], "waiting")
        self.network.mend("hills")
        ended = self.wait_for(job, "ended")
        self.assertEqual(ended["outcome"], "done", ended)
        self.assertTrue(any(change["figures"]["starts_by"] for change in ended["history"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
