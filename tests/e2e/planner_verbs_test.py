"""Reservations, alterations, limits and trials, through the command against a live federation."""
import json
import unittest

from federation import WHEN, FederationTest, until


class PlannerVerbs(FederationTest):
    def show(self, job):
        return self.fed.job(job)

    def reserve(self, *words):
        answer = self.ok(self.fed.muster("-q", "reserve", *words))
        return answer.out.strip()

    def is_running(self, job):
        until(lambda: self.show(job)["state"] == "running", f"{job} runs")

    def is_promised(self, job):
        until(lambda: self.show(job)["state"] == "promised", f"{job} is promised")

    def outcome(self, job):
        until(lambda: self.show(job)["state"] == "ended", f"{job} ended")
        return self.show(job)["outcome"]

    def gone(self, *jobs):
        for job in jobs:
            self.fed.muster("cancel", job, "--yes")
            until(lambda job=job: self.show(job)["state"] == "ended", f"{job} is gone")

    def test_a_promised_job_is_altered_and_its_figures_say_what_that_did(self):
        job = self.fed.submit("--site", "lakes", "--from", "now+10m", "-t", "30m", "--", "true")
        until(lambda: self.show(job)["state"] == "promised", "it is promised")
        before = self.show(job)["figures"]
        answer = self.ok(self.fed.muster("alter", job, "-t", "20m"))
        self.assertIn(f"job {job}  true  20m (was 30m)\n", answer.out)
        self.assertIn("unchanged", answer.out)
        self.assertIn("10m earlier", answer.out)
        after = self.show(job)
        self.assertEqual(after["duration_s"], 1200)
        self.assertEqual(after["figures"]["starts_by"], before["starts_by"])
        self.assertEqual(after["history"][-1]["cause"]["code"], "user")
        self.fails(self.fed.muster("alter", job, "-t", "20m"), 8, "nothing to change")
        self.fails(self.fed.muster("alter", job), 2, "nothing to change")
        moved = self.ok(self.fed.muster("alter", job, "--site", "woods", "--from", "now+10m",
                                        "--yes"))
        self.assertIn("other sites", moved.out)
        self.assertEqual(self.show(job)["parts"][0]["site"], "woods")
        self.gone(job)
        self.fails(self.fed.muster("alter", job, "-t", "5m"), 8, "has ended")

    def test_what_can_never_run_leaves_the_job_as_it_was(self):
        job = self.fed.submit("--site", "lakes", "--from", "now+10m", "-t", "1m", "--", "true")
        until(lambda: self.show(job)["state"] == "promised", "it is promised")
        self.fails(self.fed.muster("alter", job, "-l", "1:ncpus=64"), 7)
        self.assertEqual(self.show(job)["parts"][0]["chunks"][0]["resources"]["ncpus"], 1)
        self.assertEqual(self.show(job)["state"], "promised")
        self.gone(job)

    def test_a_later_start_is_asked_for_and_tried_on_a_copy(self):
        wall = self.fed.submit("--site", "hills", "--at", "now+5m", "-t", "30m",
                               "-l", "2:ncpus=4", "--", "true")
        until(lambda: self.show(wall)["state"] == "promised", "the wall is promised")
        job = self.fed.submit("--site", "hills", "--from", "now+1m", "-t", "2m",
                              "-l", "2:ncpus=4", "--", "true")
        until(lambda: self.show(job)["state"] == "promised", "it is promised before the wall")
        tried = self.ok(self.fed.muster("whatif", "alter", job, "-t", "20m"))
        self.assertIn("would break. Nothing was changed.", tried.out)
        self.assertIn("later: 20m (was 2m)", tried.out)
        refused = self.fails(self.fed.muster("alter", job, "-t", "20m"), 8,
                             "this would move 1 promise, by up to", "--yes")
        self.assertIn("nothing was changed", refused.err)
        self.assertEqual(self.show(job)["duration_s"], 120)
        code, said = self.fed.on_terminal("alter", job, "-t", "20m", answer="n")
        self.assertEqual(code, 8, said)
        code, said = self.fed.on_terminal("alter", job, "-t", "20m", answer="y")
        self.assertEqual(code, 0, said)
        self.assertEqual(self.show(job)["duration_s"], 1200)
        self.gone(job, wall)

    def test_a_reservation_opens_runs_jobs_inside_and_ends(self):
        made = self.ok(self.fed.muster("reserve", "-n", "course", "--site", "woods",
                                       "-l", "1:ncpus=4", "--at", "now+3s", "-t", "40s",
                                       "--allow", "ana,@students"))
        self.assertRegex(made.out, r"^reservation R\d+  course  woods/n\d  .*  confirmed\n")
        name = made.out.split()[1]
        self.assertIn(f"Use it: muster submit --in {name}", made.out)
        shown = self.show(name)
        self.assertEqual(shown["id"], name)
        self.assertTrue(shown["reserves"])
        self.assertEqual(shown["allow"], ["ana", "@students"])
        inside = self.fed.submit("--in", name, "-t", "2s", "-l", "1:ncpus=4", "--", "sh", "-c",
                                 "echo in $MUSTER_NODES")
        self.assertEqual(self.show(inside)["reservation"], name)
        second = self.fed.submit("--in", name, "-t", "2s", "-l", "1:ncpus=4", "--", "true")
        self.is_running(name)
        self.assertEqual(self.outcome(inside), "done")
        self.assertEqual(self.outcome(second), "done")
        node = shown["parts"][0]["nodes"][0]
        self.assertEqual(self.fed.muster("logs", inside).out.strip().splitlines()[-1].split()[-1],
                         node)
        self.assertGreaterEqual(self.show(second)["parts"][0]["started_at"],
                                self.show(inside)["parts"][0]["ended_at"])
        drawn = self.ok(self.fed.muster("gantt", "--site", "woods", "--within", "10m"))
        self.assertIn("╱", drawn.out)
        plan = json.loads(self.ok(self.fed.muster("--json", "gantt", "--site", "woods")).out)
        bookings = [b for b in plan["sites"][0]["bookings"] if b["job"] == name]
        self.assertEqual([b["kind"] for b in bookings], ["reserved"])
        self.assertIn(name, self.ok(self.fed.muster("queue")).out)
        waits = self.fed.submit("--in", name, "--from", "now+20s", "-t", "5s", "--", "true")
        until(lambda: self.show(waits)["state"] == "promised", "it is promised inside")
        given = self.ok(self.fed.muster("cancel", name, "--yes"))
        self.assertIn(f"reservation {name}  ", given.out)
        self.assertEqual(self.outcome(name), "cancelled")
        self.assertEqual(self.outcome(waits), "refused")
        self.fails(self.fed.muster("submit", "--in", name, "-t", "1s", "--", "true"), 8,
                   "has ended")

    def test_a_reservation_over_two_sites_is_all_or_none_and_opens_at_both(self):
        made = self.ok(self.fed.muster("reserve", "-n", "both", "-t", "40s", "--at", "now+5s",
                                       "--site", "woods", "-l", "1:ncpus=4", ":",
                                       "--site", "lakes", "-l", "1:ncpus=4"))
        name = made.out.split()[1]
        self.assertRegex(made.out, r"woods/n\d.*lakes/n\d|lakes/n\d.*woods/n\d")
        job = self.fed.submit("--in", name, "--apart", "-t", "2s", "-l", "1:ncpus=4", ":",
                              "-l", "1:ncpus=4", "--", "sh", "-c", "echo $MUSTER_SITE")
        until(lambda: self.show(job)["state"] != "waiting", "it is promised inside")
        self.assertEqual(sorted(part["site"] for part in self.show(job)["parts"]),
                         ["lakes", "woods"])
        self.is_running(name)
        self.assertEqual(self.outcome(job), "done")
        self.gone(name)
        # All of woods is taken: nothing is set aside at lakes either.
        wall = self.reserve("--site", "woods", "-l", "4:ncpus=4", "--at", "now+20m", "-t", "10m")
        answer = self.fed.muster("--json", "reserve", "-t", "5m", "--at", "now+22m",
                                 "--site", "woods", ":", "--site", "lakes")
        other = answer.json()["job"] if answer.code == 0 else None
        if other:
            self.assertNotEqual(other["state"], "promised")
            self.gone(other["id"])
        self.gone(wall)

    def test_a_standing_reservation_makes_one_of_its_own_for_each_time(self):
        made = self.ok(self.fed.muster("reserve", "-n", "lecture", "--site", "woods",
                                       "-l", "1:ncpus=2", "-t", "10m", "--deadline", "now+5h",
                                       "--every", "cron 0 * * * *"))
        name = made.out.split()[1]
        self.assertIn("each time is a reservation of its own", made.out)

        def occurrences():
            jobs = self.fed.muster("--json", "queue").rows("jobs")
            return [job for job in jobs if job["name"] == "lecture" and job["id"] != name]

        until(lambda: {job["state"] for job in occurrences()} == {"promised"}, "all are promised")
        starts = sorted(job["at"] for job in occurrences())
        self.assertIn(len(starts), (4, 5))
        self.assertTrue(all(at[14:19] == "00:00" for at in starts), starts)
        first = min(occurrences(), key=lambda job: job["at"])["id"]
        self.fails(self.fed.muster("submit", "--in", name, "-t", "1m", "--", "true"), 2,
                   f"the next is {first}")
        inside = self.fed.submit("--in", first, "-t", "1m", "--", "true")
        self.assertEqual(self.show(inside)["reservation"], first)
        self.fed.kill("meta")
        self.fed.restart("meta")
        until(lambda: self.fed.muster("queue").code == 0, "the meta is back")
        self.assertEqual(sorted(job["at"] for job in occurrences()), starts, "none twice")
        self.gone(name)
        until(lambda: not occurrences(), "what has not begun is given back")
        for every, what in (("cron 0 0 31 2 *", "never"), ("cron 0 25 * * *", "25"),
                            ("daily", "cron"), ("cron */5 * * * *", "the next begins 5m")):
            self.fails(self.fed.muster("reserve", "--site", "woods", "-t", "10m",
                                       "--every", every), 2, what)

    def test_what_a_promised_job_comes_after_is_altered(self):
        first = self.fed.submit("--site", "hills", "-t", "10m", "--", "sleep", "3")
        second = self.fed.submit("--site", "woods", "--from", "now+1m", "-t", "1m", "--", "true")
        self.is_promised(second)
        self.fails(self.fed.muster("alter", second, "--after", first), 8, "go ahead with --yes")
        told = self.ok(self.fed.muster("alter", second, "--after", first, "--yes"))
        self.assertIn("later", told.out)
        self.assertEqual(self.show(second)["after"], ["ok:" + first])
        behind = self.show(second)["figures"]["starts_by"]["at"]
        self.fails(self.fed.muster("alter", first, "--after", second, "--yes"), 8)
        until(lambda: self.show(first)["state"] == "ended", "the first has ended")
        until(lambda: self.show(second)["figures"]["starts_by"]["at"] < behind,
              "the second is brought forward")
        self.ok(self.fed.muster("alter", second, "--after", "none", "--from", "none"))
        self.assertEqual(self.show(second)["after"], [])
        self.assertEqual(self.outcome(second), "done")

    def test_only_those_it_is_open_to_and_what_fits_may_be_inside(self):
        name = self.reserve("--site", "woods", "-l", "1:ncpus=2", "--at", "now+10m", "-t", "10m")
        self.fails(self.fed.muster("submit", "--in", name, "-t", "11m", "--", "true"), 7,
                   "longer than reservation")
        self.fails(self.fed.muster("submit", "--in", "R9999", "-t", "1m", "--", "true"), 3)
        self.fails(self.fed.muster("submit", "--in", name, "--site", "hills", "-t", "1m", "--",
                                   "true"), 2)
        self.fails(self.fed.muster("reserve", "-t", "1m", "--", "true"), 2, "runs nothing")
        opened = self.ok(self.fed.muster("alter", name, "--allow", "ana"))
        self.assertIn("open to ana", opened.out)
        self.assertEqual(self.show(name)["allow"], ["ana"])
        job = self.fed.submit("--from", "now+10m", "-t", "1m", "--", "true")
        self.fails(self.fed.muster("show", "R" + job), 3, "no reservation R" + job)
        self.gone(name, job)

    def test_a_provisional_reservation_is_given_back_unless_confirmed(self):
        words = ("--site", "woods", "-l", "1", "--at", "now+10m", "-t", "5m", "--provisional", "4s")
        told = self.ok(self.fed.muster("reserve", *words))
        self.assertIn("provisional until", told.out)
        lost = told.out.split()[1]
        kept = self.reserve(*words)
        confirmed = self.ok(self.fed.muster("alter", kept, "--confirm"))
        self.assertIn("confirmed", confirmed.out)
        self.assertEqual(self.outcome(lost), "cancelled")
        self.assertEqual(self.show(kept)["state"], "promised")
        self.gone(kept)

    def test_the_cheapest_change_is_named_and_makes_the_job_start_earlier(self):
        wall = self.fed.submit("--site", "hills", "-t", "30m", "-l", "2:ncpus=2:ngpus=1", "--",
                               "sleep", "600")
        self.is_running(wall)
        job = self.fed.submit("--site", "hills", "-t", "10m", "-l", "1:ncpus=1:ngpus=1", "--",
                              "sleep", "600")
        until(lambda: self.show(job)["state"] == "promised", "it is promised")
        told = self.ok(self.fed.muster("explain", job)).out
        self.assertIn("<- binds", told)
        self.assertRegex(told, rf"without a gpu  \S+ +30m +alter {job} -l 1:ncpus=1\n")
        self.ok(self.fed.muster("alter", job, "-l", "1:ncpus=1"))
        self.is_running(job)
        longer = self.ok(self.fed.muster("alter", job, "-t", "11m"))
        self.assertIn("1m later", longer.out)
        self.assertEqual(self.show(job)["duration_s"], 660)
        self.fails(self.fed.muster("alter", job, "-t", "5m"), 8, "runs already")
        self.fails(self.fed.muster("alter", job, "-l", "1:ncpus=2"), 8, "runs already")
        self.gone(job, wall)

    def test_slots_and_notice_are_understood(self):
        job = self.fed.submit("--site", "lakes", "--slot", "now+1h-now+2h", "-t", "20m",
                              "--", "true")
        until(lambda: self.show(job)["state"] == "promised", "it is promised")
        self.assertGreater(self.show(job)["figures"]["starts_by"]["at"],
                           self.show(job)["submitted_at"])
        self.gone(job)
        self.fails(self.fed.muster("submit", "--slot", "now+1h-now+70m", "-t", "20m", "--", "true"),
                   2, "--slot")
        told = self.fed.submit("--site", "lakes", "-t", "4s", "--notice", "2s:USR1", "--", "sh",
                               "-c", "trap 'echo noticed; exit 0' USR1; "
                               "while :; do sleep 0.1; done")
        self.assertEqual(self.outcome(told), "done")
        self.assertIn("noticed", self.fed.muster("logs", told).out)

    def test_limits_and_trials_print_what_they_know(self):
        limits = self.ok(self.fed.muster("limits"))
        self.assertIn("SITE", limits.out)
        self.assertRegex(limits.out, r"\*\s+\S+\s+jobs\s+\d+\s+5,000|\*\s+\S+\s+jobs")
        document = json.loads(self.ok(self.fed.muster("--json", "limits")).out)
        self.assertEqual(document["schema"], "muster.limits/1")
        job = self.fed.submit("--site", "hills", "--at", "now+10m", "-t", "5m", "-l", "2:ncpus=4",
                              "--", "true")
        until(lambda: self.show(job)["state"] == "promised", "it is promised")
        tried = self.ok(self.fed.muster("whatif", "drain", "--hard", "hills/g1"))
        self.assertIn(f"{job} ", tried.out)
        self.assertRegex(tried.out, r"1 of \d+ promises? would break. Nothing was changed.")
        soft = self.ok(self.fed.muster("whatif", "drain", "hills/g1"))
        self.assertRegex(soft.out, rf"^hills/g1  job {job} keeps its place, until {WHEN}\n"
                                   r"No promise would break. Nothing was changed.\n$")
        self.fails(self.fed.muster("drain", "--hard", "hills/g1", "--reason", "fan"), 8,
                   "this would move 1 promise", "--yes")
        nodes = self.ok(self.fed.muster("nodes", "hills"))
        self.assertNotIn("drain", nodes.out)
        self.gone(job)


if __name__ == "__main__":
    unittest.main()
