"""Wrong input, floods and low disks on live daemons: a clear error with the right exit code, never
a crash, nothing changed, and nobody else feels it."""
import collections
import os
import signal
import socket
import statistics
import subprocess
import threading
import time
import unittest

from federation import MUSTER, PATIENCE_S, FederationTest, until

ANSWERED_S = 2.0  # half of them, however much another user asks for
SLOWEST_S = 6.0   # each, on a machine that other tests use, too
ASKS_MOST = 50    # questions a user may have out, docs/operators.md


class Wrong(FederationTest):
    def tearDown(self):  # whatever came in, everybody is still there
        sites = self.fed.muster("--json", "sites")
        self.assertEqual(sites.code, 0, sites)
        self.assertEqual({s["state"] for s in sites.json()["sites"]}, {"up"})

    def test_an_impossible_request_is_refused_with_the_largest_that_fits(self):
        answer = self.fails(
            self.fed.muster("submit", "-l", "2:ncpus=64", "-t", "1h", "--", "./big"), 7,
            "error[never]", "64 cpus", "the largest here is", "nothing was submitted")
        self.assertIn("ncpus=4", answer.err)

    def test_malformed_chunks_point_at_the_place(self):
        script = self.fed.root / "job.sh"
        script.write_text("#!/bin/bash\n#MUSTER -t 1m\n#MUSTER -l 2:ncpus=4:+1:ngpus=1\ntrue\n")
        self.fails(self.fed.muster("submit", script), 2, "error[chunk]", "job.sh:3:", "^",
                   "nothing was submitted")

    def test_bare_durations_unknown_options_and_verbs_are_usage_errors(self):
        self.fails(self.fed.muster("submit", "-t", "30", "--", "./a"), 2, "thirty what?", "-t 30m")
        self.fails(self.fed.muster("submit", "--no-such-option", "--", "true"), 2, "error[usage]")
        self.fails(self.fed.muster("qsub"), 2, "muster submit")

    def test_times_in_the_past_are_refused(self):
        self.fails(
            self.fed.muster("submit", "--at", "2001-01-01T00:00Z", "-t", "1m", "--", "true"), 2,
            "past")

    def test_an_unknown_site_or_resource_is_named(self):
        self.fails(self.fed.muster("submit", "--site", "moon", "-t", "1m", "--", "true"), 2, "moon")
        self.fails(
            self.fed.muster("submit", "-l", "1:ncpus=1:nquarks=3", "-t", "1m", "--", "true"), 7,
            "nquarks")

    def test_unknown_jobs_are_not_found(self):
        self.fails(self.fed.muster("show", "999999"), 3)
        self.fails(self.fed.muster("cancel", "999999"), 3)
        self.fails(self.fed.muster("logs", "999999"), 3)

    def test_once_gives_the_same_job_and_refuses_another(self):
        words = ["-t", "1m", "--once", "nightly", "--from", "now+2h", "--"]
        first = self.fed.submit(*words[:4], "--", "true")
        self.assertEqual(self.fed.submit(*words[:4], "--", "true"), first)
        self.fails(self.fed.muster("submit", *words[:4], "--", "false"), 8)

    def submit_as_ever(self, count, *words):
        """One of the other users: her submissions are answered in time, and the jobs run."""
        jobs, took = [], []
        for _ in range(count):
            began = time.monotonic()
            jobs.append(self.fed.submit("-t", "1m", *words, "--", "true"))
            took.append(time.monotonic() - began)
        self.assertLess(statistics.median(took), ANSWERED_S, took)
        self.assertLess(max(took), SLOWEST_S, took)
        return jobs

    def test_a_flood_of_submissions_is_refused_and_others_are_answered_as_ever(self):
        guest = self.listed_user("flooder")
        words = ("-q", "submit", "-t", "1m", "--from", "now+2h")
        flood, refused, over = [], collections.Counter(), threading.Event()

        def submit_on():
            while not over.is_set():
                answer = self.fed.muster(*words, "-a", "1-500", "--", "true", env=guest)
                refused[(answer.code, answer.err.split("\n")[0])] += 1

        # One array takes half of what a user may have open; what the threads add passes it.
        self.ok(self.fed.muster(*words, "-a", "1-10000%1", "--site", "woods", "--", "true",
                                env=guest))
        try:
            flood = [threading.Thread(target=submit_on) for _ in range(3)]
            for thread in flood:
                thread.start()
            until(lambda: any("error[busy]" in said for _, said in list(refused)), "it is too much")
            jobs = self.submit_as_ever(10)
        finally:
            over.set()
            for thread in flood:
                thread.join(PATIENCE_S)
            self.ok(self.fed.muster("cancel", "all", env=guest))
        self.assertEqual({code for code, _ in refused}, {0, 5}, refused)
        self.assertTrue(all("jobs are open; at most 20000" in said
                            for code, said in refused if code), refused)
        for job in jobs:
            self.assertEqual(self.fed.muster("wait", job).code, 0)

    def test_a_flood_of_questions_is_refused_and_others_are_answered_as_ever(self):
        guest = self.listed_user("asker")
        hills = self.fed.pid("hills")
        os.kill(hills, signal.SIGSTOP)  # so that questions stay out
        try:
            asked = [subprocess.Popen(
                [MUSTER, "ask", "--site", "hills", "-t", "1m"], cwd=self.fed.root,
                env={**self.fed.env, **guest}, stdin=subprocess.DEVNULL, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(ASKS_MOST + 10)]
            jobs = self.submit_as_ever(5, "--site", "lakes,woods")
            said = [(question.communicate(timeout=PATIENCE_S)[1], question.returncode)
                    for question in asked]
        finally:
            os.kill(hills, signal.SIGCONT)
        busy = [code for text, code in said
                if f"error[busy]: {ASKS_MOST} questions are out already" in text]
        self.assertEqual(busy, [5] * 10, said)
        for job in jobs:
            self.assertEqual(self.fed.muster("wait", job).code, 0)
        self.all_up()

    def test_a_key_nobody_listed_is_told_so(self):
        _, stranger = self.new_user("stranger")
        answer = self.fed.muster("queue", env=stranger)
        self.assertEqual(answer.code, 4, answer)
        self.assertIn("error[wrong-key]", answer.err)

    def test_no_federation_is_said(self):
        answer = self.fed.muster("queue", env={"XDG_STATE_HOME": str(self.fed.root / "nowhere")})
        self.assertEqual(answer.code, 2, answer)
        self.assertIn("muster up", answer.err)

    def test_garbage_on_the_port_harms_nobody(self):
        lines = (self.fed.state / "meta.toml").read_text().splitlines()
        listen = [line for line in lines if "listen" in line][0]
        port = int(listen.rsplit(":", 1)[1].strip('" '))
        for size in (1, 64, 5000, 200000):
            with socket.create_connection(("127.0.0.1", port)) as peer:
                try:
                    peer.sendall(os.urandom(size))
                except OSError:
                    pass  # cut off at once: as it should be

    def all_up(self):
        def up():
            sites = self.fed.muster("--json", "sites")
            return sites.code == 0 and {s["state"] for s in sites.json()["sites"]} == {"up"}

        until(up, "all are up")

    def job_anywhere(self, job):
        """A job of the meta (41) or of a site (woods/3)."""
        via = ("--via", job.split("/")[0]) if "/" in job else ()
        return self.ok(self.fed.muster("--json", "show", job, *via)).json()["job"]

    def min_free(self, daemon):
        lines = (self.fed.state / f"{daemon}.toml").read_text().splitlines()
        return [line for line in lines if line.startswith("min_free")][0].split('"')[1]

    def set_min_free(self, daemon, size):
        path = self.fed.state / f"{daemon}.toml"
        lines = [f'min_free = "{size}"' if line.startswith("min_free") else line
                 for line in path.read_text().splitlines()]
        path.write_text("\n".join(lines) + "\n")

    def test_a_meta_low_on_disk_refuses_new_work_and_finishes_what_runs(self):
        job = self.fed.submit("-t", "1m", "--", "sleep", "6")
        until(lambda: self.fed.job(job)["state"] == "running", "the job runs")
        usual = self.min_free("meta")
        try:
            self.set_min_free("meta", "900tb")
            self.fed.kill("meta")
            self.fed.restart("meta")
            until(lambda: "disk-full" in self.fed.muster(
                "submit", "-t", "1m", "--", "true").err, "new work is refused")
            refused = self.fed.muster("submit", "-t", "1m", "--", "true")
            self.assertNotEqual(refused.code, 0, refused)
            self.assertIn("nearly full", refused.err)
            self.fed.muster("wait", job)
            self.assertEqual(self.fed.job(job)["outcome"], "done")
        finally:
            self.set_min_free("meta", usual)
            self.fed.kill("meta")
            self.fed.restart("meta")
            self.all_up()
        self.assertEqual(self.fed.muster("wait", self.fed.submit("-t", "1m", "--", "true")).code, 0)

    def test_a_site_low_on_disk_refuses_new_work_and_finishes_what_runs(self):
        full = "the disk of woods is nearly full"
        words = ("-t", "1m", "--site", "woods")
        told = self.fed.submit(*words, "--", "sleep", "6")
        own = self.fed.submit(*words[:2], "--via", "woods", "--", "sleep", "6")
        for job in (told, own):
            until(lambda job=job: self.job_anywhere(job)["state"] == "running", "the job runs")
        usual = self.min_free("woods")
        try:
            self.set_min_free("woods", "900tb")
            self.ok(self.fed.muster("reload", "--via", "woods"))
            until(lambda: full in self.fed.muster("ask", *words).err, "the meta knows")
            self.fails(self.fed.muster("ask", *words), 5, "error[disk-full]", full)
            self.fails(self.fed.muster("submit", *words[:2], "--via", "woods", "--", "true"), 5,
                       "error[disk-full]", full, "nothing was submitted")
            waits = self.fed.submit(*words, "--", "true")
            self.assertIn(full, self.ok(self.fed.muster("explain", waits)).out)
            elsewhere = self.fed.submit("-t", "1m", "--site", "woods,lakes", "--", "true")
            self.assertEqual(self.fed.muster("wait", elsewhere).code, 0)
            self.assertEqual(self.fed.job(elsewhere)["parts"][0]["site"], "lakes")
            for job in (told, own):
                until(lambda job=job: self.job_anywhere(job)["outcome"] == "done", "it ends well")
            self.assertEqual(self.fed.job(waits)["state"], "waiting")
        finally:
            self.set_min_free("woods", usual)
            self.ok(self.fed.muster("reload", "--via", "woods"))
        self.assertEqual(self.fed.muster("wait", waits).code, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
