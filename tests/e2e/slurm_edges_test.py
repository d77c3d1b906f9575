"""Times at their edges beside real Slurm clusters: a second, a minute and a second more, parts back
to back, walls in the way of limits and of local jobs, more walls than there may be, and an account
that goes where its parts go. A user of the federation has an account at the clusters here."""
import math
import time
import unittest

from federation import until
from slurm_town import ACCOUNT, CPUS, OneTown, as_moment, seconds, two_clusters
import slurm_judge

ENDED_BY_LIMIT = (1, 59, 60, 61)  # seconds; what runs then would go on
NOTED_LATE_S = 0.8  # a part notes its own begin, after its shell has begun
TOLD_WITHIN_S = 2.5  # the end of a part: when its limit has passed, and its process was ended
TURN_S = 12  # from a part's end to the begin of the next one on its cores
SITES = {"lakes": "l", "woods": "w"}


class Edges(OneTown):
    @classmethod
    def fill(cls, town):
        two_clusters(town, users={"tester": ACCOUNT})
        # What takes a minute or two begins first, each on nodes of its own.
        cls.limited = {
            (site, asked): town.submit(100, "-t", f"{asked}s", "--site", site, "-l",
                                       f"1:ncpus=1:own={letter}-n1")
            for site, letter in SITES.items() for asked in ENDED_BY_LIMIT}
        cls.late = town.sbatch("woods", "-ww-n3", f"-n{CPUS}", "-t1", "--wrap=sleep 80")
        until(lambda: town.nodes("woods")["w-n3"]["jobs"], "the site sees the local job")
        cls.behind = town.submit(1, "-t", "20s", "-l", f"1:ncpus={CPUS}:own=w-n3")

    def test_a_part_has_the_seconds_that_it_asked_for_whatever_slurm_counts_in(self):
        jobs = self.town.end(self.limited.values())
        for (site, asked), number in self.limited.items():
            with self.subTest(site=site, asked=asked):
                part = jobs[number]["parts"][0]
                self.assertEqual(jobs[number]["outcome"], "timeout", jobs[number])
                ran = seconds(part["ended_at"]) - self.town.begin_of(number)
                self.assertGreaterEqual(ran, asked - NOTED_LATE_S)
                self.assertLess(ran, asked + TOLD_WITHIN_S)
                print(f"{site}: asked for {asked} s, ended after {ran:.2f} s")

    def test_an_hour_is_asked_of_slurm_in_full_and_given_back_when_it_ends_early(self):
        for site, letter in SITES.items():
            number = self.town.submit(2, "-t", "3600s", "-l", f"1:ncpus=1:own={letter}-n2")
            job = self.town.end([number])[number]
            self.assertEqual(job["outcome"], "done")
            self.assertLess(seconds(job["parts"][0]["ended_at"]) - self.town.begin_of(number), 5)
            rows = [row for row in slurm_judge.completed(self.jobcomp(site))
                    if row["name"].startswith("mu_") and row["minutes"] >= 60]
            self.assertEqual(len(rows), 1, rows)
            self.assertEqual(self.walls_of(number), [])

    def jobcomp(self, cluster):
        return self.town.lab.folder / cluster / "jobcomp"

    def walls_of(self, number):
        """Walls of a job that has ended go soon; those of others may stand."""
        self.assertEqual(self.town.state(number), "ended")
        left = []
        for _ in range(30):
            left = [name for name in self.town.walls("woods")
                    if self.town.reservations("woods")[name]["Nodes"] == "w-n2"]
            if not left:
                break
            time.sleep(0.2)
        return left

    def test_parts_follow_each_other_on_the_same_cores_and_never_meet(self):
        for site, letter in SITES.items():
            with self.subTest(site=site):
                numbers = [self.town.submit(10, "-t", "3s", "-l",
                                            f"1:ncpus={CPUS}:own={letter}-n2") for _ in range(3)]
                jobs = self.town.end(numbers)
                ran = sorted((self.town.begin_of(number),
                              seconds(jobs[number]["parts"][0]["ended_at"])) for number in numbers)
                gaps = [after[0] - before[1] for before, after in zip(ran, ran[1:])]
                print(f"{site}: {len(ran)} parts on one node, turns of",
                      " ".join(f"{gap:.2f}" for gap in gaps), "s")
                self.assertGreater(min(gaps), -0.1)
                self.assertLess(max(gaps), TURN_S)

    def test_a_start_in_a_second_is_kept_or_refused_before_anything_is_promised(self):
        for site, letter in SITES.items():
            with self.subTest(site=site):
                at = math.ceil(time.time()) + 1
                answer = self.town.asked(1, "-t", "10s", "--at", as_moment(at), "-l",
                                         f"1:ncpus=1:own={letter}-n4" if site == "woods" else
                                         f"1:ncpus=1:own={letter}-n2")
                if answer.code != 0:
                    self.says(answer, 7, "error[")
                    print(f"{site}: a start in a second is refused: {answer.err.splitlines()[0]}")
                    continue
                number = answer.out.strip()
                job = self.town.end([number])[number]
                if not any(row["figures"]["starts_by"] for row in job["history"]):
                    self.assertEqual(job["outcome"], "refused", job)
                    self.assertNotIn(f"{number}.1", self.town.began())
                    print(f"{site}: a start in a second was never promised")
                    continue
                begin = self.town.begin_of(number)
                promised = seconds(job["history"][0]["figures"]["starts_by"]["at"])
                self.assertGreaterEqual(begin, at)
                self.assertLess(begin, promised + 1)
                print(f"{site}: a start in a second came {begin - at:.2f} s late")

    def test_a_part_that_runs_may_go_on_for_longer_within_its_minute_and_beyond_it(self):
        chunks = ("1:ncpus=1:own=l-n2", "1:ncpus=1:own=w-n2", "2:ncpus=1:own=w-n2",
                  f"1:ncpus={CPUS}:own=w-n4")
        numbers = {chunk: self.town.submit(100, "-t", "10s", "-l", chunk) for chunk in chunks}
        for chunk, number in numbers.items():
            until(lambda number=number: f"{number}.1" in self.town.began(), "it runs")
            for longer in (15, 70):
                with self.subTest(chunk=chunk, longer=longer):
                    answer = self.town.live.muster("alter", number, "-t", f"{longer}s")
                    self.assertEqual(answer.code, 0, answer)
                    self.assertEqual(self.town.job(number)["duration_s"], longer)
        time.sleep(12)
        for chunk, number in numbers.items():
            with self.subTest(chunk=chunk):
                self.assertEqual(self.town.state(number), "running")
        self.town.live.muster("cancel", *numbers.values())
        self.town.end(numbers.values())

    def test_nodes_outside_of_the_commons_are_drawn_as_out_of_use_and_stretch_no_chart(self):
        chart = self.town.live.muster("--json", "gantt").json()
        rows = {site["name"]: site["bookings"] for site in chart["sites"]}
        self.assertEqual({row["node"] for row in rows["lakes"] if row["kind"] == "drained"},
                         {"l-n3", "l-n4"})
        self.assertFalse([row for row in rows["woods"] if row["kind"] == "drained"])
        self.assertLess(seconds(chart["until"]) - seconds(chart["from"]), 7 * 86400)

    def test_a_limit_that_reaches_into_the_next_wall_moves_neither(self):
        whole = f"1:ncpus={CPUS}:own=w-n4"
        first = self.town.submit(50, "-t", "55s", "-l", whole)  # two of Slurm's minutes
        second = self.town.submit(3, "-t", "20s", "-l", whole)
        until(lambda: len([row for row in self.town.reservations("woods").values()
                           if row["Nodes"] == "w-n4"]) == 2, "both walls stand")
        local = self.town.sbatch("woods", "-ww-n4", "-n1", "-t5", "--wrap=sleep 1")
        jobs = self.town.end([first, second])
        for number in (first, second):
            self.assertEqual(jobs[number]["outcome"], "done", self.town.live.muster("show", number))
            promised = seconds(jobs[number]["history"][-1]["figures"]["starts_by"]["at"])
            self.assertLess(self.town.begin_of(number), promised + 1)
        until(lambda: self.town.local_job("woods", local).get("JobState") == "COMPLETED",
              "the local job comes behind")
        began = seconds(self.town.local_job("woods", local)["StartTime"] + "+00:00")
        self.assertGreater(began, self.town.begin_of(second))

    def test_a_local_job_that_ends_late_moves_what_is_behind_it_and_is_named(self):
        job = self.town.end([self.behind])[self.behind]
        self.assertEqual(job["outcome"], "done")
        rows = {row["id"]: row for row in slurm_judge.completed(self.jobcomp("woods"))}
        ended = rows[self.late]["end"]
        self.assertGreater(ended - rows[self.late]["start"], 70, "it did not end late")
        self.assertGreaterEqual(self.town.begin_of(self.behind), ended - 1)
        causes = [row["cause"] for row in job["history"] if row["cause"]]
        told = [cause for cause in causes if cause["code"] == "local"]
        self.assertTrue(told, job["history"])
        self.assertIn(f"slurm {self.late} root", [cause["subject"]["job"] for cause in told])

    @classmethod
    def tearDownClass(cls):
        for name in cls.town.lab.names():
            found = slurm_judge.crowded(
                slurm_judge.completed(cls.town.lab.folder / name / "jobcomp"), CPUS)
            if found:
                raise AssertionError(f"{name}: {found}")
        super().tearDownClass()


if __name__ == "__main__":
    unittest.main(verbosity=2)
