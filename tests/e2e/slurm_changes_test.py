"""A cluster changes while its site runs: features, licences, nodes of its partition. The site's
operator makes it read its file again, while local users are there."""
import math
import signal
import time
import unittest

from clusters import Cluster
from federation import until
from slurm_town import CPUS, OneTown, as_moment, name_nodes, seconds

KNOWN_S = 25  # a change: settings are read every 5 s, and changes are taken every 10 s
SEEN_AGAIN_S = 5
LOCAL_S = 60


class Changes(OneTown):
    @classmethod
    def fill(cls, town):
        town.start_clusters(Cluster("woods", 0, tuned=True, more="Licenses=matlab:2\n"))
        name_nodes(town, "woods")
        town.slurm("woods", "scontrol", "update", "PartitionName=main", "Nodes=w-n[1-3]")
        town.start_federation(town.site("woods", "26000-26999", walls="each"))

    def runs(self, chunks):
        """Asks for a second there until it may be had, and has been."""
        until(lambda: self.outcome_of(chunks) == "done", f"{chunks} may be had", KNOWN_S)

    def outcome_of(self, chunks):
        """Whether such a job is refused at once, as its site is asked, or not at all."""
        answer = self.town.asked(1, "-t", "20s", "-l", chunks)
        if answer.code != 0:
            self.says(answer, 7, "error[never]")
            return "refused"
        number = answer.out.strip()
        return self.town.end([number], 60)[number]["outcome"]

    def is_refused(self, chunks):
        self.assertEqual(self.outcome_of(chunks), "refused")

    def test_a_feature_that_a_node_gets_may_be_asked_for(self):
        self.is_refused("1:ncpus=1:disk=fast")
        self.town.slurm("woods", "scontrol", "update", "NodeName=w-n2",
                        "AvailableFeatures=own=w-n2,disk=fast")
        self.runs("1:ncpus=1:disk=fast")
        self.assertIn("w-n2 has other properties", self.town.live.tails(400))

    def test_a_node_that_enters_the_partition_is_used_and_left_when_it_leaves(self):
        self.assertNotIn("w-n4", self.town.nodes("woods"))
        self.is_refused("1:ncpus=1:own=w-n4")
        self.town.slurm("woods", "scontrol", "update", "PartitionName=main", "Nodes=w-n[1-4]")
        until(lambda: "w-n4" in self.town.nodes("woods"), "the site knows the node", KNOWN_S)
        self.runs("1:ncpus=1:own=w-n4")
        at = as_moment(time.time() + 60)
        number = self.town.submit(1, "-t", "20s", "--at", at, "-l", "1:ncpus=1:own=w-n4")
        self.town.slurm("woods", "scontrol", "update", "PartitionName=main", "Nodes=w-n[1-3]")
        until(lambda: "operator at woods/w-n4" in self.town.live.muster("show", number).out,
              "its promise is lost, with the cause", KNOWN_S)
        until(lambda: "w-n4" not in self.town.nodes("woods"), "the node is gone", KNOWN_S)
        self.town.live.muster("cancel", number)

    def test_as_many_licences_are_promised_as_there_are(self):
        self.is_refused("1:ncpus=1,licence_matlab=4")
        conf = self.town.lab.conf("woods")
        text = conf.read_text()
        self.addCleanup(conf.write_text, text)
        conf.write_text(text.replace("Licenses=matlab:2", "Licenses=matlab:5"))
        self.town.slurm("woods", "scontrol", "reconfigure")
        self.runs("1:ncpus=1,licence_matlab=4")

    def test_a_site_that_reads_its_file_again_goes_on_planning_around_those_who_are_there(self):
        town = self.town
        local = town.sbatch("woods", "-ww-n1", f"-n{CPUS}", "-t1", f"--wrap=sleep {LOCAL_S - 5}")
        until(lambda: town.nodes("woods")["w-n1"]["jobs"], "the site sees the local job")
        before = town.submit(1, "-t", "20s", "-l", f"1:ncpus={CPUS}:own=w-n1")
        promised = seconds(town.job(before)["figures"]["starts_by"]["at"])
        time.sleep(3)  # nothing is changing at the cluster any more
        self.reload()
        asked = time.monotonic()
        behind = town.submit(1, "-t", "20s", "-l", f"1:ncpus={CPUS}:own=w-n1")
        until(lambda: town.job(behind)["figures"]["starts_by"], "it is promised", SEEN_AGAIN_S)
        print(f"promised {time.monotonic() - asked:.2f} s after the reload")
        self.assertIn(f"slurm {local} ", str(town.nodes("woods")["w-n1"]["jobs"]))
        jobs = town.end([before, behind], 180)
        for number in (before, behind):
            self.assertEqual(jobs[number]["outcome"], "done")
            self.assertEqual([row["cause"] for row in jobs[number]["history"]
                              if row["cause"] and row["cause"]["code"] == "local"], [])
        self.assertLess(town.begin_of(before), promised + 1)

    def test_a_part_that_waits_for_its_second_begins_in_it_though_the_site_reads_its_file(self):
        town = self.town
        at = math.ceil(time.time()) + 15
        number = town.submit(2, "-t", "20s", "--at", as_moment(at), "-l", "2:ncpus=1:own=w-n2")
        until(lambda: "mu_" in town.run("woods", "squeue", "-h", "-o", "%j").stdout,
              "it was handed over", 20)
        self.assertLess(time.time(), at, "it was handed over before its second")
        self.reload()
        self.assertNotEqual(town.state(number), "running")
        job = town.end([number], 60)[number]
        self.assertEqual(job["outcome"], "done", job)
        self.assertGreaterEqual(seconds(job["parts"][0]["started_at"]), at)
        self.assertLess(town.begin_of(number), at + 1)

    def reload(self):
        def reloads():
            return (self.town.folder / "live" / "woods.log").read_text().count("reloaded: ")

        before = reloads()
        self.town.live.processes["woods"].send_signal(signal.SIGHUP)
        until(lambda: reloads() > before, "the file was read again")


if __name__ == "__main__":
    unittest.main(verbosity=2)
