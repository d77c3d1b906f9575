"""Who may be where beside a real Slurm cluster: no more walls than are allowed, and an account of
the federation's that goes into the commons, or behind a wall, by itself."""
import os
import time
import unittest

from clusters import Cluster
from federation import until
from slurm_town import ACCOUNT, CPUS, OneTown, as_moment, name_nodes, seconds
import slurm_judge

MOST_WALLS = int(os.environ.get("MUSTER_SLURM_WALLS", "6"))
AHEAD_S = 3600  # when what only stands is to start
SHORT_JOBS = 12
APART_S = 120   # walls on a node, one after another


class Guests(OneTown):
    @classmethod
    def fill(cls, town):
        town.start_clusters(Cluster("lakes", 0, more="Licenses=fluent:3\n"),
                            Cluster("woods", 1, tuned=True, more="Licenses=matlab:2\n"))
        town.set_aside("lakes", "l-n[1-2]", "commons", "Licenses=fluent:1")
        for name in ("lakes", "woods"):
            name_nodes(town, name)
        users = {"tester": ACCOUNT}
        town.start_federation(
            town.site("lakes", "25000-25999", users=users, walls="commons", commons=["commons"]),
            town.site("woods", "26000-26999", users=users, walls="each"),
            town.site("shore", "27000-27999", cluster="lakes", users=users, walls="each",
                      max_walls=MOST_WALLS))

    def test_no_more_walls_stand_than_the_cluster_allows_and_the_next_job_is_told(self):
        numbers = []
        for n in range(MOST_WALLS):
            at = as_moment(time.time() + AHEAD_S + APART_S * (n // CPUS))
            numbers.append(self.town.submit(1, "-t", "30s", "-l", "1:ncpus=1:own=l-n3", "--at", at,
                                            "--site", "shore"))
        until(lambda: len(self.town.walls("lakes")) == MOST_WALLS,
              f"all walls stand: {self.town.walls('lakes')}")
        more = self.town.asked(1, "-t", "30s", "-l", "1:ncpus=1:own=l-n4", "--site", "shore")
        number = more.out.strip()
        told = more.err
        if more.code == 0:
            time.sleep(2)
            self.assertIsNone(self.town.job(number)["figures"]["starts_by"])
            told = self.town.live.muster("show", number).out + \
                self.town.live.muster("explain", number).out
        self.assertIn(f"{MOST_WALLS} walls", told)
        self.assertEqual(len(self.town.walls("lakes")), MOST_WALLS)
        began = time.monotonic()
        self.assertEqual(self.town.live.muster("cancel", numbers[0]).code, 0)
        if more.code != 0:
            number = self.town.submit(1, "-t", "30s", "-l", "1:ncpus=1:own=l-n4", "--site", "shore")
        job = self.town.end([number], 60)[number]
        self.assertEqual(job["outcome"], "done")
        print(f"{MOST_WALLS} walls stood; the next job began {time.monotonic() - began:.1f} s "
              "after one was given back")
        self.assertEqual(self.town.live.muster("cancel", *numbers[1:], "--yes").code, 0)
        until(lambda: not self.town.walls("lakes"), "all walls are gone", 60)

    def test_what_local_users_leave_of_their_limits_is_expected_and_not_promised(self):
        town = self.town

        def whole_node(lasts_s):
            return town.sbatch("woods", "-N1", f"-n{CPUS}", "-t10", f"--wrap=sleep {lasts_s}",
                               user="daemon")

        # Longer than a heartbeat, so that the meta hears of each.
        short = [whole_node(6) for _ in range(SHORT_JOBS)]
        long = [whole_node(90) for _ in range(4)]
        until(lambda: all(town.local_job("woods", one).get("JobState") == "RUNNING"
                          for one in long), f"{short} have ended", 20 * SHORT_JOBS)
        until(lambda: all(any(f"slurm {one} " in str(node) for node in town.nodes("woods").values())
                          for one in long), f"the site sees {long}: {town.nodes('woods')}")
        number = town.submit(1, "-t", "20s", "--site", "woods")

        def ahead(figure, moment):
            return seconds(town.job(number)["figures"][figure][moment]) - time.time()

        self.assertGreater(ahead("starts_by", "at"), 500)
        until(lambda: ahead("expected", "start") < 200, "it is expected to start earlier", 40)
        print(f"behind a limit of 600 s: promised in {ahead('starts_by', 'at'):.0f} s, "
              f"expected in {ahead('expected', 'start'):.0f}")
        town.slurm("woods", "scancel", *long)
        self.assertEqual(town.end([number], 60)[number]["outcome"], "done")

    def test_licences_of_the_cluster_are_promised_behind_those_who_have_them(self):
        town = self.town
        local = town.sbatch("woods", "-n1", "-t1", "-L", "matlab:1", "--wrap=sleep 40")
        until(lambda: town.local_job("woods", local).get("JobState") == "RUNNING", "it runs")
        until(lambda: f"slurm {local} " in str(town.nodes("woods")), "the site sees it")
        one = town.submit(1, "-t", "20s", "-l", "1:ncpus=1,licence_matlab=1", "--site", "woods")
        both = town.submit(1, "-t", "20s", "-l", "1:ncpus=1,licence_matlab=2", "--site", "woods")
        self.assertGreater(seconds(town.job(both)["figures"]["starts_by"]["at"]),
                           time.time() + 20)
        many = town.asked(1, "-t", "20s", "-l", "1:ncpus=1,licence_matlab=3", "--site", "woods")
        self.assertIn("licence_matlab", many.out + many.err + (
            town.live.muster("show", many.out.strip()).out if many.out.strip() else ""))
        wants = town.sbatch("woods", "-n1", "-t1", "-L", "matlab:2", "--wrap=sleep 1")
        jobs = town.end([one, both], 240)
        self.assertEqual({job["outcome"] for job in jobs.values()}, {"done"}, jobs)
        self.assertLess(town.begin_of(one), town.begin_of(both))
        promised = seconds(jobs[both]["history"][-1]["figures"]["starts_by"]["at"])
        kept = town.begin_of(both) - promised
        print(f"both licences: {kept:.2f} s after its promise; a local job wants both, too")
        self.assertLess(kept, 1)
        until(lambda: town.local_job("woods", wants).get("JobState") == "COMPLETED", "it ran, too",
              90)

    def test_licences_of_the_commons_are_those_that_it_was_given(self):
        town = self.town
        for _ in range(2):  # all that are for everybody
            town.sbatch("lakes", "-n1", "-t1", "-L", "fluent:1", "--wrap=sleep 30")
        wants = town.sbatch("lakes", "-n1", "-t1", "-L", "fluent:1", "--wrap=sleep 1")
        one = town.submit(4, "-t", "20s", "-l", "1:ncpus=1,licence_fluent=1", "--site", "lakes")
        until(lambda: f"{one}.1" in town.began(), "it has one")
        self.assertEqual(town.local_job("lakes", wants)["JobState"], "PENDING")
        self.assertEqual(town.end([one], 60)[one]["outcome"], "done")
        two = town.asked(1, "-t", "20s", "-l", "1:ncpus=1,licence_fluent=2", "--site", "lakes")
        told = two.out + two.err
        if two.code == 0:
            told += town.live.muster("show", two.out.strip()).out
        self.assertIn("licence_fluent", told)

    def in_the_way(self, cluster, reservation, nodes, patience_s):
        """Tries to submit into a reservation as the account until Slurm takes it; its id, or ""."""
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline:
            done = self.town.run(cluster, "sbatch", "--parsable", "--output=/dev/null", "-t1",
                                 f"--reservation={reservation}", f"-w{nodes}", f"-n{CPUS}",
                                 "--wrap=sleep 55", user=ACCOUNT)
            if done.returncode == 0:
                return done.stdout.strip()
            time.sleep(0.1)
        return ""

    def judged(self, cluster, number):
        rows = slurm_judge.completed(self.town.lab.folder / cluster / "jobcomp")
        return next((row for row in rows if row["id"] == number), None)

    def test_an_account_enters_the_commons_only_with_its_parts(self):
        self.assertEqual(self.in_the_way("lakes", "commons", "l-n1", 1), "")
        own = self.town.submit(1, "-t", "20s", "-l", f"1:ncpus={CPUS}:own=l-n1", "--at",
                               as_moment(time.time() + 12))
        guest = self.in_the_way("lakes", "commons", "l-n1", 14)
        self.assertTrue(guest, "it was not let in while its part was handed over")
        job = self.town.end([own], 60)[own]
        self.assertEqual(job["outcome"], "done", self.town.live.muster("show", own))
        promised = seconds(job["history"][-1]["figures"]["starts_by"]["at"])
        self.assertLess(self.town.begin_of(own), promised + 1)
        until(lambda: self.town.local_job("lakes", guest).get("JobState") == "CANCELLED",
              "the guest is gone")
        self.assertEqual(self.in_the_way("lakes", "commons", "l-n1", 1), "")

    def test_an_account_that_squats_behind_its_own_wall_harms_its_own_start_alone(self):
        at = time.time() + 25
        own = self.town.submit(1, "-t", "20s", "-l", f"1:ncpus={CPUS}:own=w-n1", "--at",
                               as_moment(at))
        other = self.town.submit(1, "-t", "20s", "-l", f"1:ncpus={CPUS}:own=w-n2", "--at",
                                 as_moment(at))
        walls = self.town.reservations("woods")
        wall = next(name for name, row in walls.items() if row["Nodes"] == "w-n1")
        guest = self.in_the_way("woods", wall, "w-n1", 40)
        self.assertTrue(guest, "it did not get behind its own wall")
        jobs = self.town.end([own, other], 150)
        self.assertEqual(jobs[other]["outcome"], "done")
        self.assertLess(self.town.begin_of(other), seconds(
            jobs[other]["history"][-1]["figures"]["starts_by"]["at"]) + 1)
        late = f"{own}.1" in self.town.began() and self.town.begin_of(own) > at + 6
        print("with a squatter behind its own wall:", jobs[own]["outcome"],
              [row["cause"]["code"] for row in jobs[own]["history"] if row["cause"]],
              self.town.began().get(f"{own}.1"), at)
        if jobs[own]["outcome"] != "done" or late:
            codes = {row["cause"]["code"] for row in jobs[own]["history"] if row["cause"]}
            self.assertTrue(codes & {"user", "local"}, self.town.live.muster("show", own))
        until(lambda: not self.town.walls("woods"), "its wall is gone", 60)


if __name__ == "__main__":
    unittest.main(verbosity=2)
