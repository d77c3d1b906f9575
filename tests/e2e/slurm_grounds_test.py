"""What a site stands on is taken away while it lives: its shared folder, the cluster's keys, nodes
of its commons. It is blind then, or refuses, and is never wrong; it goes on when that is back."""
import subprocess
import unittest

from clusters import Cluster
from federation import until
from slurm_town import CPUS, TownTest, name_nodes

NOTICED_S = 20
SOON_S = 60


class Grounds(TownTest):
    def mounted(self):
        """Makes the shared folder a small file system of its own."""
        shared = str(self.town.shared)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", shared], check=True)
        # Before the town is removed, after its daemons have ended.
        self._cleanups.insert(1, (subprocess.run, (["umount", "--lazy", shared],), {}))

    def woods(self, enter=(), name="woods", **more):
        self.town.start_clusters(Cluster("woods", 0, tuned=True))
        name_nodes(self.town, "woods")
        self.town.start_federation(self.town.site(name, "25000-25999", cluster="woods", enter=enter,
                                                  **{"walls": "each", **more}))

    def works(self):
        number = self.town.submit(1, "-t", "20s", "--site", "woods")
        self.assertEqual(self.town.end([number], SOON_S)[number]["outcome"], "done",
                         self.town.live.muster("show", number))

    def is_kept_from_promises(self, *said):
        """New work is refused, or waits without a promise; the reason names what is wrong."""
        answer = self.town.asked(1, "-t", "20s", "--site", "woods")
        if answer.code != 0:
            self.says(answer, 7, *said)
            return None
        number = answer.out.strip()
        job = self.town.job(number)
        self.assertIsNone(job["figures"]["starts_by"], job)
        told = str(job["figures"]["no_promise_reason"]) + \
            self.town.live.muster("show", number).out + \
            self.town.live.muster("explain", number).out
        for text in said:
            self.assertIn(text, told)
        return number

    def test_a_folder_that_is_full_is_named_and_used_again_when_there_is_room(self):
        self.mounted()
        self.woods()
        self.works()
        filled = self.town.shared / "filled"
        subprocess.run(["dd", "if=/dev/zero", f"of={filled}", "bs=4096"], capture_output=True,
                       check=False)
        number = self.town.submit(1, "-t", "20s", "--site", "woods")
        job = self.town.end([number], SOON_S)[number]
        self.assertNotEqual(job["outcome"], "done")
        self.assertNotIn(f"{number}.1", self.town.began())
        shown = self.town.live.muster("show", number).out
        self.assertRegex(shown, "No space left|full", shown)
        filled.unlink()
        self.works()

    def test_a_folder_that_is_read_only_is_named_and_used_again(self):
        self.mounted()
        self.woods()
        self.works()
        shared = str(self.town.shared)
        subprocess.run(["mount", "-o", "remount,ro", shared], check=True)
        self.addCleanup(subprocess.run, ["mount", "-o", "remount,rw", shared], check=False)
        number = self.town.submit(1, "-t", "20s", "--site", "woods")
        job = self.town.end([number], SOON_S)[number]
        self.assertNotEqual(job["outcome"], "done")
        self.assertNotIn(f"{number}.1", self.town.began())
        self.assertIn("Read-only file system", self.town.live.muster("show", number).out)
        subprocess.run(["mount", "-o", "remount,rw", shared], check=True)
        self.works()

    def test_a_folder_that_nodes_do_not_see_runs_nothing_and_is_named(self):
        own = ("unshare", "--mount", "sh", "-c",
               f'mount -t tmpfs none {self.town.shared} && exec "$@"', "enter")
        self.woods(enter=own)
        number = self.town.submit(1, "-t", "20s", "--site", "woods")
        job = self.town.end([number], SOON_S)[number]
        self.assertNotEqual(job["outcome"], "done")
        self.assertEqual(self.town.began(), {})
        self.assertIn("does not see the shared folder", self.town.live.muster("show", number).out)

    def test_a_commons_that_shrinks_moves_what_was_promised_and_names_the_operator(self):
        self.town.start_clusters(Cluster("woods", 0, tuned=True))
        name_nodes(self.town, "woods")
        self.town.set_aside("woods", "w-n[1-2]")
        self.town.start_federation(self.town.site(
            "woods", "25000-25999", walls="commons", commons=["commons"]))
        # Both nodes are wanted at the same second, so that one of the two is on the one that goes.
        runs = self.town.submit(15, "-t", "20s", "-l", f"1:ncpus={CPUS}:own=w-n2")
        until(lambda: self.town.began(), "it runs")
        pair = [self.town.submit(1, "-t", "20s", "-l", f"1:ncpus={CPUS}", "--from", "now+25s")
                for _ in range(2)]
        self.town.slurm("woods", "scontrol", "update", "ReservationName=commons", "Nodes=w-n1")
        jobs = self.town.end([runs, *pair], 120)
        for number in (runs, *pair):
            self.assertEqual(jobs[number]["outcome"], "done",
                             self.town.live.muster("show", number))
        self.assertEqual({jobs[number]["parts"][0]["nodes"][0] for number in pair}, {"w-n1"})
        causes = [row["cause"] for number in pair for row in jobs[number]["history"]
                  if row["cause"]]
        self.assertIn("operator", [cause["code"] for cause in causes], causes)
        number = self.town.submit(1, "-t", "20s", "-l", f"1:ncpus={CPUS}:own=w-n2")
        self.assertIsNone(self.town.job(number)["figures"]["starts_by"])
        self.assertIn("out of use, as w-n2", self.town.live.muster("show", number).out)
        self.town.live.muster("cancel", number)

    def test_a_commons_that_is_deleted_keeps_the_site_from_promises_until_it_is_back(self):
        self.town.start_clusters(Cluster("woods", 0, tuned=True))
        name_nodes(self.town, "woods")
        self.town.set_aside("woods", "w-n[1-2]")
        self.town.start_federation(self.town.site(
            "woods", "25000-25999", walls="commons", commons=["commons"]))
        runs = self.town.submit(12, "-t", "20s", "-l", "1:ncpus=1")
        until(lambda: self.town.began(), "it runs")
        promised = self.town.submit(1, "-t", "20s", "-l", "1:ncpus=1", "--from", "now+20s")
        self.town.slurm("woods", "scontrol", "update", "ReservationName=commons",
                        "Flags=IGNORE_JOBS")
        done = self.town.run("woods", "scontrol", "delete", "ReservationName=commons")
        if done.returncode != 0:  # Slurm keeps one that is in use
            self.town.end([runs])
            self.town.slurm("woods", "scontrol", "delete", "ReservationName=commons")
        until(lambda: all(node["state"] != "up" for node in self.town.nodes("woods").values()),
              f"no node is in use: {self.town.live.muster('nodes')}", NOTICED_S)
        waits = self.is_kept_from_promises()
        self.town.set_aside("woods", "w-n[1-2]")
        wanted = [number for number in (runs, promised, waits) if number]
        for number, job in self.town.end(wanted, 120).items():
            self.assertEqual(job["outcome"], "done", self.town.live.muster("show", number))
        causes = [row["cause"]["code"] for row in self.town.job(promised)["history"]
                  if row["cause"]]
        self.assertIn("operator", causes)


if __name__ == "__main__":
    unittest.main(verbosity=2)
