"""A federation of two real Slurm clusters and a process site, with users of the clusters, who know
nothing of muster, at the same time. One cluster has set its nodes aside, the other keeps nodes free
by a reservation for each hold. What Slurm has on file is the judge."""
import unittest

from slurm_crowd import Crowd, settled
from slurm_town import TownTest, two_clusters


class TwoClusters(TownTest):
    def test_both_sides_work_at_the_same_time(self):
        two_clusters(self.town)
        crowd = Crowd(self.town, 7)
        crowd.run()
        shown = crowd.judge(self)
        began = self.town.began()
        spread = []
        for number, job in shown.items():
            at = [began[f"{number}.{n + 1}"][0] for n in range(len(job["parts"]))
                  if f"{number}.{n + 1}" in began]
            if len(at) == 3:
                spread.append(max(at) - min(at))
        print("parts of a co-allocation began within",
              " ".join(f"{one:.2f}" for one in spread), "s")
        self.assertTrue(spread)
        settled(self.town)


if __name__ == "__main__":
    unittest.main(verbosity=2)
