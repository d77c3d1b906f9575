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
