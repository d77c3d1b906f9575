"""What a promise stands on goes: munge, for a while and for longer than Slurm waits for its nodes;
a wall, by an operator; a node, in a slot that is held."""
import os
import signal
import time
import unittest

from federation import until
from slurm_crowd import Crowd
from slurm_town import CPUS, TownTest, as_moment, two_clusters

ALL = os.environ.get("MUSTER_SLURM_FAULTS", "3") == "all"
SLURM_WAITS_S = 24  # for its nodes: SlurmdTimeout
AWAY_S = 20 if ALL else 8
LONG_AWAY_S = 60


class Outages(TownTest):
    def setUp(self):
        super().setUp()
        two_clusters(self.town, more=f"SlurmdTimeout={SLURM_WAITS_S}\n", hills=False)
        self.crowd = Crowd(self.town, 9)

    def causes(self, number):
        return [row["cause"] for row in self.town.job(number)["history"] if row["cause"]]

    def without_munge(self, away_s):
        """Parts that run meanwhile, that are to start meanwhile, and that are asked for then."""
        lasts = int(away_s + 10)
        runs = [self.crowd.submit(lasts, "-t", f"{lasts + 15}s", "-l", f"1:ncpus=1:own={node}")
                for node in ("l-n1", "w-n1")]
        until(lambda: len(self.town.began()) == 2, "they run")
        meanwhile = [self.crowd.submit(2, "-t", "20s", "-l", f"1:ncpus=1:own={node}", "--at",
                                       as_moment(time.time() + 5 + away_s / 2))
                     for node in ("l-n2", "w-n2")]
        self.town.lab.signal("munge/munged", signal.SIGTERM)
        gone = time.monotonic()
        until(lambda: self.town.live.tails(60).count("not seen") >= 2, "both sites are blind", 20)
        asked = self.crowd.submit(2, "-t", "20s", "-l", "1:ncpus=2")
        time.sleep(2)
        self.is_blind(asked)
        time.sleep(max(0.0, away_s - (time.monotonic() - gone)))
        self.town.lab.start_munge()
        return runs, meanwhile, asked

    def test_munge_that_is_away_for_a_while_costs_nothing_that_runs(self):
        runs, meanwhile, asked = self.without_munge(AWAY_S)
        shown = self.crowd.judge(self)
        for number in (*runs, asked):
            self.assertEqual(shown[number]["outcome"], "done", shown[number])
        for number in meanwhile:  # it had no chance, or came in time: judged above
            self.assertIn(shown[number]["outcome"], ("done", "failed", "refused"))
            print("to start without munge:", shown[number]["outcome"], self.causes(number)[-1:])
        self.town.leaves_nothing()

    # It takes four minutes, and is a test with MUSTER_SLURM_FAULTS=all.
    def munge_that_is_away_until_slurm_gives_its_nodes_up_breaks_nothing_without_a_cause(self):
        runs, meanwhile, asked = self.without_munge(LONG_AWAY_S)
        shown = self.crowd.judge(self, killed=True)
        self.assertEqual(shown[asked]["outcome"], "done", self.town.live.muster("show", asked))
        for number in (*runs, *meanwhile):
            print(number, shown[number]["outcome"], shown[number]["parts"][0]["ended_text"],
                  [cause["code"] for cause in self.causes(number)])
        self.town.leaves_nothing()

    if ALL:
        test_munge_that_is_away_until_slurm_gives_its_nodes_up_breaks_nothing_without_a_cause = \
            munge_that_is_away_until_slurm_gives_its_nodes_up_breaks_nothing_without_a_cause

    def test_a_wall_that_an_operator_deletes_is_put_again(self):
        town = self.town
        town.sbatch("woods", "-N4", f"-n{4 * CPUS}", "-t1", "--wrap=sleep 20")
        until(lambda: all(node["jobs"] for node in town.nodes("woods").values()),
              "the site sees it")
        number = self.crowd.submit(2, "-t", "30s", "-l", f"2:ncpus={CPUS}", "--site", "woods")
        walls = town.walls("woods")
        self.assertEqual(len(walls), 1, walls)
        town.slurm("woods", "scontrol", "delete", f"ReservationName={walls[0]}")
        until(lambda: town.walls("woods") == walls, "it stands again", 70)
        self.assertEqual(self.crowd.judge(self)[number]["outcome"], "done")
        town.leaves_nothing()

    def test_a_wall_that_is_deleted_and_whose_nodes_are_taken_moves_its_job_with_a_cause(self):
        town = self.town
        number = self.crowd.submit(2, "-t", "30s", "-l", f"1:ncpus={CPUS}", "--site", "woods",
                                   "--from", "now+30s")
        wall = town.walls("woods")[0]
        node = town.reservations("woods")[wall]["Nodes"]
        town.slurm("woods", "scontrol", "delete", f"ReservationName={wall}")
        local = town.sbatch("woods", f"-w{node}", f"-n{CPUS}", "-t2", "--wrap=sleep 50")
        until(lambda: town.local_job("woods", local).get("JobState") == "RUNNING", "it is there")
        job = self.crowd.judge(self)[number]
        self.assertEqual(job["outcome"], "done")
        moved = job["parts"][0]["nodes"] != [node]
        told = {cause["code"] for cause in self.causes(number)}
        self.assertTrue(moved or told & {"local", "operator"}, job["history"])
        town.leaves_nothing()

    def test_a_node_that_goes_down_in_a_held_slot_moves_the_job_and_is_named(self):
        town = self.town
        numbers = {node: self.crowd.submit(2, "-t", "20s", "-l", f"1:ncpus={CPUS}", "--site", site,
                                           "--from", "now+25s")
                   for site, node in (("lakes", "l-n1"), ("woods", "w-n1"))}
        placed = {node: town.job(number)["parts"][0]["nodes"][0]
                  for node, number in numbers.items()}
        for node in placed.values():
            town.slurm("lakes" if node.startswith("l") else "woods", "scontrol", "update",
                       f"NodeName={node}", "State=DOWN", "Reason=fan")
        shown = self.crowd.judge(self)
        for key, number in numbers.items():
            self.assertEqual(shown[number]["outcome"], "done")
            self.assertNotEqual(shown[number]["parts"][0]["nodes"], [placed[key]])
            causes = [cause for cause in self.causes(number) if cause["code"] == "node_lost"]
            late = [cause["subject"]["node"] for cause in causes]
            self.assertTrue(not causes or placed[key] in late, causes)
            print(f"{placed[key]} is down; {number} ran on {shown[number]['parts'][0]['nodes']}",
                  [cause["code"] for cause in self.causes(number)])
        for node in placed.values():
            town.run("lakes" if node.startswith("l") else "woods", "scontrol", "update",
                     f"NodeName={node}", "State=RESUME")  # refused where it is back by itself
        town.leaves_nothing()


if __name__ == "__main__":
    unittest.main(verbosity=2)
