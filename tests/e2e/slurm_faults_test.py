"""The crowd of two clusters while daemons die: slurmctld as somebody submits, just after a start
and after many have cancelled, which loses what it had acknowledged; the site; the meta.

MUSTER_SLURM_FAULTS: "all", or how many controllers are killed (then a quarter as many sites, and at
least one meta)."""
import os
import signal
import threading
import time
import unittest

from federation import until
from slurm_crowd import CLUSTERS, JOBS, Crowd, settled
from slurm_town import TownTest, two_clusters

ASKED = os.environ.get("MUSTER_SLURM_FAULTS", "3")
CONTROLLERS = 20 if ASKED == "all" else int(ASKED)
SITES = 5 if ASKED == "all" else max(CONTROLLERS // 4, 1)
METAS = 3 if ASKED == "all" else max(CONTROLLERS // 7, 1)
STOPPED_S = 30 if ASKED == "all" else 12
AFTER_START_S = 6
AWAY_S = 3
MASS = 8  # jobs of each side that are cancelled together


class Faults(TownTest):
    def setUp(self):
        super().setUp()
        two_clusters(self.town)
        self.crowd = Crowd(self.town, 8, max(JOBS, CONTROLLERS + SITES + METAS))
        self.killed = []
        self.resumed = []
        self.over = threading.Event()
        operators = threading.Thread(target=self.operate)
        self.addCleanup(operators.join)
        self.addCleanup(self.over.set)
        operators.start()

    def operate(self):
        """A controller that has lost ids gives them out again, finds nodes that know them, and
        takes these out of use until an operator of the cluster has had a look."""
        while not self.over.wait(1):
            for name in CLUSTERS:
                drained = self.town.run(name, "sinfo", "-h", "-R", "-o", "%N", timeout=60).stdout
                for nodes in drained.split():
                    self.town.run(name, "scontrol", "update", f"NodeName={nodes}", "State=RESUME",
                                  timeout=60)
                    self.resumed.append(nodes)

    def again(self, cluster, why):
        """Kills a controller, and starts it a little later."""
        self.town.kill_controller(cluster)
        time.sleep(self.crowd.draw.uniform(0, AWAY_S))
        self.town.lab.start_controller(cluster)
        self.killed.append(f"{cluster}'s slurmctld {why}")

    def at_submission(self, cluster):
        for _ in range(3):
            self.crowd.submit(2, "-t", "20s", "-l", "1:ncpus=1", "--site", cluster)
            self.crowd.local_users(0)
        self.again(cluster, "at submission")

    def after_a_start(self, cluster):
        before = len(self.town.began())
        self.crowd.submit(8, "-t", "20s", "-l", "1:ncpus=1", "--site", cluster)
        until(lambda: len(self.town.began()) > before, "something starts", 120)
        wait = self.crowd.draw.uniform(0, AFTER_START_S)
        time.sleep(wait)
        self.again(cluster, f"{wait:.1f} s after a start")

    def after_mass_cancellation(self, cluster):
        own = [self.crowd.submit(20, "-t", "30s", "-l", "1:ncpus=1", "--site", cluster)
               for _ in range(MASS)]
        for _ in range(MASS):
            self.town.run(cluster, "sbatch", "--output=/dev/null", "-n1", "-t1",
                          "--wrap=sleep 30", "--job-name=mass")
        time.sleep(self.crowd.draw.uniform(0, AFTER_START_S))
        gone = [number for number in own if number]
        self.crowd.cancelled.update(gone)
        self.crowd.ask("cancel", *gone, "--yes")
        self.town.run(cluster, "scancel", "--name=mass")
        self.again(cluster, "after mass cancellation")

    def kill_site(self, name):
        self.town.kill_site(name)
        time.sleep(self.crowd.draw.uniform(0, AWAY_S))
        self.town.live.start(name)
        until(lambda: self.town.live.states().get(name) == "up", f"{name} is up")
        self.killed.append(f"site {name}")

    def kill_meta(self):
        self.town.kill_site("meta")
        time.sleep(self.crowd.draw.uniform(0, AWAY_S))
        self.town.live.start("meta")
        until(lambda: set(self.town.live.states().values()) == {"up"}, "everybody is up")
        self.killed.append("meta")

    def faults(self):
        """As many as are asked for, of all kinds, in a drawn order."""
        kinds = (self.at_submission, self.after_a_start, self.after_mass_cancellation)
        faults = [lambda n=n: kinds[n % len(kinds)](CLUSTERS[n // len(kinds) % 2])
                  for n in range(CONTROLLERS)]
        faults += [lambda n=n: self.kill_site(CLUSTERS[n % 2]) for n in range(SITES)]
        faults += [self.kill_meta] * METAS
        self.crowd.draw.shuffle(faults)
        return faults

    def test_daemons_that_are_killed_lose_nothing_and_start_nothing_twice(self):
        faults = self.faults()
        every = max(self.crowd.wanted // len(faults), 1)

        def strike(number):
            if number % every == every - 1 and faults:
                faults.pop()()

        self.crowd.run(strike)
        while faults:
            faults.pop()()
        self.crowd.judge(self, killed=True)
        settled(self.town)
        print(f"{len(self.killed)} killed:", "; ".join(self.killed),
              f"; {len(self.resumed)} times nodes were resumed by an operator")

    def test_a_controller_that_is_stopped_is_waited_for(self):
        runs = self.crowd.submit(STOPPED_S, "-t", "55s", "-l", "1:ncpus=1", "--site", "woods")
        until(lambda: self.town.began(), "it runs")
        at = self.crowd.submit(2, "-t", "20s", "-l", "1:ncpus=1", "--site", "woods", "--from",
                               "now+20s")
        self.town.lab.signal("woods/slurmctld", signal.SIGSTOP)
        try:
            until(lambda: "not seen" in self.town.live.tails(30), "the site is blind", 20)
            asked = self.crowd.submit(2, "-t", "20s", "-l", "1:ncpus=1", "--site", "woods")
            time.sleep(2)
            self.is_blind(asked)
            time.sleep(STOPPED_S)
        finally:
            self.town.lab.signal("woods/slurmctld", signal.SIGCONT)
        shown = self.crowd.judge(self)
        self.assertEqual({shown[number]["outcome"] for number in (runs, at, asked)}, {"done"})
        self.town.leaves_nothing()

    def test_a_slurmd_that_is_killed_under_a_part_does_not_end_it(self):
        runs = self.crowd.submit(15, "-t", "40s", "-l", "1:ncpus=1:own=w-n1")
        until(lambda: self.town.began(), "it runs")
        self.town.lab.signal("woods/slurmd-w-n1", signal.SIGKILL)
        time.sleep(AWAY_S)
        self.town.lab.start_node("woods", "w-n1")
        behind = self.crowd.submit(2, "-t", "20s", "-l", "4:ncpus=4", "--site", "woods")
        shown = self.crowd.judge(self)
        self.assertEqual({shown[number]["outcome"] for number in (runs, behind)}, {"done"})
        self.town.leaves_nothing()


if __name__ == "__main__":
    unittest.main(verbosity=2)
