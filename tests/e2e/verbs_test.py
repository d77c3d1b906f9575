"""Every verb on live daemons, as a user types it."""
import json
import os
import select
import stat
import subprocess
import unittest

from federation import FederationTest, MUSTER, until


class Verbs(FederationTest):
    def test_up_says_what_runs_and_a_second_one_changes_nothing(self):
        for word in ("lakes", "woods", "hills", "muster down"):
            self.assertIn(word, self.started.out)
        pid = self.fed.pid("meta")
        self.assertIn("lakes", self.ok(self.fed.up()).out)
        self.assertEqual(self.fed.pid("meta"), pid)

    def test_a_job_is_promised_runs_and_its_output_is_read(self):
        answer = self.ok(self.fed.muster("submit", "-n", "hello", "-l", "1:ncpus=2", "-t", "1m",
                                         "--", "sh", "-c", "echo hello from $MUSTER_SITE"))
        self.assertRegex(answer.out, r"job \d+  hello  on \w+: 1 × \(2 cpus\)")
        self.assertIn("starts by", answer.out)
        job = answer.out.split()[1]
        self.ok(self.fed.muster("wait", job))
        self.assertRegex(self.ok(self.fed.muster("logs", job)).out,
                         r"^hello from (lakes|woods|hills)\n$")
        shown = self.fed.job(job)
        self.assertEqual((shown["state"], shown["outcome"]), ("ended", "done"))
        self.assertEqual(shown["parts"][0]["exit_code"], 0)
        self.assertLessEqual(shown["parts"][0]["started_at"][:19],
                             shown["history"][0]["figures"]["starts_by"]["at"])

    def test_follow_prints_the_output_and_ends_with_the_job(self):
        answer = self.fed.muster("submit", "-f", "-t", "1m", "--", "sh", "-c", "echo one; exit 3")
        self.assertEqual(answer.code, 9, answer)
        self.assertIn("one\n", answer.out)

    def test_a_script_means_what_its_muster_lines_say(self):
        script = self.fed.root / "job.sh"
        script.write_text("#!/bin/bash\n#MUSTER -n scripted -t 1m\n"
                          "#MUSTER -l 2:ncpus=2 --site woods\n"
                          "echo $MUSTER_JOB_NAME $MUSTER_NODES $1\ncat $MUSTER_NODEFILE\n")
        job = self.fed.submit(script, "argument")
        self.ok(self.fed.muster("wait", job))
        lines = self.ok(self.fed.muster("logs", job)).out.splitlines()
        self.assertRegex(lines[0], r"^scripted n\d(,n\d)? argument$")
        self.assertEqual(len(lines), 3, lines)
        self.assertRegex(lines[1], r"^n\d slots=2$")
        self.assertEqual(self.fed.job(job)["parts"][0]["site"], "woods")

    def test_three_parts_start_together_and_know_each_other(self):
        job = self.fed.submit("-n", "trio", "-t", "1m", "--apart", "-l", "1:ncpus=1", ":",
                              "-l", "1:ncpus=1", ":", "-l", "1:ncpus=1:ngpus=1", "--", "sh", "-c",
                              "echo $MUSTER_PART/$MUSTER_PARTS $MUSTER_SITES $MUSTER_RENDEZVOUS "
                              "$(sha256sum < $MUSTER_SECRET_FILE)")
        shown = self.fed.job(job)
        self.assertEqual(len({p["site"] for p in shown["parts"]}), 3)
        self.ok(self.fed.muster("wait", job))
        lines = sorted(self.ok(self.fed.muster("logs", job)).out.splitlines())
        self.assertEqual([line.split(" | ")[0] for line in lines],
                         [f"{job}.{n}" for n in (1, 2, 3)])
        said = [line.split(" | ")[1].split() for line in lines]
        self.assertEqual([s[0] for s in said], ["1/3", "2/3", "3/3"])
        for column in (1, 2, 3):  # sites, rendezvous and secret are the same in all parts
            self.assertEqual(len({s[column] for s in said}), 1, said)
        self.assertEqual(len(set(said[0][2].split(","))), 3)
        ended = self.fed.job(job)
        starts = [p["started_at"] for p in ended["parts"]]
        self.assertLessEqual(max(starts)[:19], ended["history"][0]["figures"]["starts_by"]["at"])

    def test_ask_offers_every_site_and_submits_nothing(self):
        before = len(self.fed.muster("--json", "queue", "--everyone").json()["jobs"])
        answer = self.ok(self.fed.muster("ask", "-l", "1:ncpus=4", "-t", "20m"))
        for word in ("SITE", "lakes", "woods", "hills", "binds nobody"):
            self.assertIn(word, answer.out)
        listed = self.ok(self.fed.muster("--json", "ask", "-l", "1:ncpus=4", "-t", "20m"))
        self.assertEqual(len(listed.json()["offers"]), 3)
        after = len(self.fed.muster("--json", "queue", "--everyone").json()["jobs"])
        self.assertEqual(after, before)

    def test_queue_show_and_gantt_name_a_running_job(self):
        job = self.fed.submit("-n", "sleeper", "-l", "1:ncpus=4", "-t", "2m", "--", "sleep", "100")
        until(lambda: self.fed.job(job)["state"] == "running", "the job runs")
        self.assertIn("sleeper", self.ok(self.fed.muster("queue")).out)
        self.assertIn("running", self.ok(self.fed.muster("show", job)).out)
        self.assertIn(job, self.ok(self.fed.muster("gantt", "--within", "10m")).out)
        queue = self.ok(self.fed.muster("--json", "queue")).json()
        self.assertEqual(queue["schema"], "muster.queue/1")
        self.assertIn(job, [j["id"] for j in queue["jobs"]])
        self.ok(self.fed.muster("cancel", job))
        ended = until(lambda: (j := self.fed.job(job))["state"] == "ended" and j, "the job ended")
        self.assertEqual(ended["outcome"], "cancelled")

    def test_cancel_before_the_start_gives_the_place_back(self):
        job = self.fed.submit("--from", "now+1h", "-l", "1:ncpus=4", "-t", "1m", "--", "true")
        self.assertEqual(self.fed.job(job)["state"], "promised")
        self.assertIn("cancelled before its start", self.ok(self.fed.muster("cancel", job)).out)
        until(lambda: self.fed.job(job)["outcome"] == "cancelled", "the job is cancelled")

    def test_sites_shows_three_that_are_up(self):
        sites = self.ok(self.fed.muster("--json", "sites")).json()["sites"]
        self.assertEqual([(s["name"], s["state"]) for s in sorted(sites, key=lambda s: s["name"])],
                         [("hills", "up"), ("lakes", "up"), ("woods", "up")])
        self.assertIn("of 16 cpus", self.ok(self.fed.muster("sites")).out)

    def test_wait_tells_failures_by_its_exit(self):
        good = self.fed.submit("-t", "1m", "--", "true")
        bad = self.fed.submit("-t", "1m", "--", "false")
        answer = self.fed.muster("wait", good, bad)
        self.assertEqual(answer.code, 9, answer)
        self.assertIn("failed", answer.out)

    def test_walltime_ends_a_job_that_will_not(self):
        job = self.fed.submit("-t", "2s", "--", "sh", "-c",
                              "trap '' TERM; sleep 60 & wait; sleep 60")
        self.assertEqual(self.fed.muster("wait", job).code, 9)
        self.assertEqual(self.fed.job(job)["outcome"], "timeout")

    def test_check_takes_good_files_and_points_into_bad_ones(self):
        self.ok(self.fed.muster("check", self.fed.state / "lakes.toml"))
        self.ok(self.fed.muster("check", self.fed.state / "meta.toml"))
        bad = self.fed.root / "bad.toml"
        good = (self.fed.state / "lakes.toml").read_text()
        bad.write_text(good.replace("ncpus", "ncpu", 1) + "\n[sitee]\n")
        answer = self.fails(self.fed.muster("check", bad), 2, "error[config]", "-->", "^")
        self.assertIn("bad.toml:", answer.err)

    def test_keys_new_writes_a_private_file_and_never_overwrites_it(self):
        answer = self.ok(self.fed.muster("keys", "new", "kim.key"))
        path = self.fed.root / "kim.key"
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertIn("public", answer.out + answer.err)
        before = path.read_bytes()
        self.assertEqual(self.fed.muster("keys", "new", "kim.key").code, 8)
        self.assertEqual(path.read_bytes(), before)

    def test_down_stops_the_daemons_and_the_next_up_goes_on(self):
        job = self.fed.submit("--from", "now+2h", "-t", "1m", "--", "true")
        promised = self.fed.job(job)["figures"]["starts_by"]
        self.assertIn("down", self.ok(self.fed.muster("down")).out)
        self.fails(self.fed.muster("queue"), 2, "muster up")
        self.ok(self.fed.up())
        self.assertEqual(self.fed.job(job)["figures"]["starts_by"], promised)
        self.ok(self.fed.muster("cancel", job))

    def test_an_array_runs_its_elements_and_tells_of_the_one_that_failed(self):
        job = self.fed.submit("-a", "1-4%2", "-t", "1m", "--", "sh", "-c",
                              "test $MUSTER_ARRAY_INDEX != 3 || { echo no input 3 >&2; exit 3; }")
        answer = self.fed.muster("wait", job)
        self.assertEqual(answer.code, 9, answer)
        self.assertIn(f"{job}[1-4]  3 done, 1 failed: {job}[3] exit 3, last line 'no input 3'",
                      answer.out)
        self.assertEqual(self.fed.job(f"{job}[3]")["parts"][0]["exit_code"], 3)
        self.assertEqual(self.fed.job(f"{job}_2")["outcome"], "done")
        self.assertIn("no input 3", self.fed.muster("logs", f"{job}[3]").err)
        self.assertIn(f"{job}[1-4]", self.ok(self.fed.muster("queue", "--ended")).out)

    def test_a_job_waits_for_another_and_may_be_held(self):
        first = self.fed.submit("-t", "1m", "--", "true")
        second = self.fed.submit("--after", f"ok:{first}", "-t", "1m", "--", "true")
        self.ok(self.fed.muster("wait", first, second))
        held = self.fed.submit("--from", "now+1h", "-t", "1m", "--", "true")
        self.ok(self.fed.muster("hold", held, "--yes"))
        until(lambda: self.fed.job(held)["state"] == "parked", "the job is parked")
        self.ok(self.fed.muster("release", held))
        until(lambda: self.fed.job(held)["state"] == "promised", "the job is promised again")
        self.ok(self.fed.muster("cancel", held))

    def test_nodes_and_slots_tell_what_is_free(self):
        self.assertIn("lakes/n1", self.ok(self.fed.muster("nodes", "lakes")).out)
        sites = self.ok(self.fed.muster("--json", "nodes")).json()["sites"]
        self.assertEqual(sum(len(site["nodes"]) for site in sites), 10)
        slots = self.ok(self.fed.muster("--json", "slots", "-l", "1:ncpus=1", "-t", "1m")).json()
        self.assertEqual(slots["schema"], "muster.slots/1")
        self.assertIn("START FROM", self.ok(self.fed.muster("slots", "-l", "1", "-t", "1m")).out)
        self.assertIn("lakes/n2", self.ok(self.fed.muster("show", "lakes/n2")).out)

    def test_explain_and_verdicts_tell_why(self):
        job = self.fed.submit("--from", "now+1h", "-l", "1:ncpus=4", "-t", "1m", "--", "true")
        explained = self.ok(self.fed.muster("--json", "explain", job)).json()
        self.assertEqual(explained["job"], job)
        self.assertIn(f"Job {job}", self.ok(self.fed.muster("explain", job)).out)
        rows = self.ok(self.fed.muster("--json", "verdicts", job)).json()["verdicts"]
        self.assertTrue(rows, "somebody was asked")
        self.assertIn("VERDICT", self.ok(self.fed.muster("verdicts", job)).out)
        self.ok(self.fed.muster("cancel", job))

    def test_operators_drain_and_resume_and_it_is_audited(self):
        self.ok(self.fed.muster("drain", "hills/g2", "--reason", "fan", "--yes"))
        state = lambda: [n for s in self.fed.muster("--json", "nodes", "hills").json()["sites"]
                         for n in s["nodes"] if n["name"] == "g2"][0]["state"]
        until(lambda: state() in ("draining", "drained"), "the node is drained")
        self.ok(self.fed.muster("resume", "hills/g2"))
        until(lambda: state() == "up", "the node is up")
        audit = [json.loads(line) for line in
                 self.ok(self.fed.muster("events", "--audit")).out.splitlines()]
        self.assertIn("drain", [row["verb"] for row in audit])
        self.fails(self.fed.muster("site", "forget", "hills"), 8, "--yes")
        self.ok(self.fed.muster("reload"))
        self.assertIn("site:lakes", self.ok(self.fed.muster("keys", "list")).out)

    def test_on_a_terminal_the_command_asks_before_promises_move(self):
        job = self.fed.submit("--from", "now+1h", "--site", "hills", "-l", "2:ngpus=1", "-t", "1m",
                              "--", "true")
        node = self.fed.job(job)["parts"][0]["nodes"][0]
        drain = ("drain", f"hills/{node}", "--hard", "--reason", "fan")
        self.fails(self.fed.muster(*drain), 8, "--yes")
        code, said = self.fed.on_terminal(*drain, answer="n")
        self.assertEqual(code, 8, said)
        self.assertIn(f"{job}. Go ahead? [y/N]", said)
        code, said = self.fed.on_terminal(*drain, answer="y")
        self.assertEqual(code, 0, said)
        self.ok(self.fed.muster("resume", f"hills/{node}"))
        self.ok(self.fed.muster("cancel", job))

    def test_wait_outlives_the_meta_and_says_how_jobs_are_found_again(self):
        job = self.fed.submit("-t", "1m", "--", "sleep", "6")
        waiting = subprocess.Popen([MUSTER, "wait", job], env=self.fed.env, cwd=self.fed.root,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        until(lambda: self.fed.job(job)["state"] == "running", "the job runs")
        self.fed.kill("meta")
        self.fed.restart("meta")
        out, err = waiting.communicate(timeout=60)
        self.assertEqual(waiting.returncode, 0, out + err)
        self.assertIn("done", out)
        for word in ("is lost", "muster queue", "muster wait last", "connected again"):
            self.assertIn(word, err)

    def test_what_is_not_unknown_is_not_settled(self):
        job = self.fed.submit("-t", "1m", "--", "true")
        self.ok(self.fed.muster("wait", job))
        self.fails(self.fed.muster("settle", job, "ended"), 8, "not unknown")

    def test_events_are_json_lines(self):
        job = self.fed.submit("-t", "1m", "--", "true")
        self.ok(self.fed.muster("wait", job))
        events = [json.loads(line) for line in self.ok(self.fed.muster("events")).out.splitlines()]
        self.assertTrue(all(event["schema"] == "muster.event/1" for event in events))
        self.assertIn(job, [event["job"] for event in events])
        numbers = [event["number"] for event in events]
        self.assertEqual(numbers, sorted(set(numbers)))

    def test_events_are_followed_as_they_happen(self):
        command = [MUSTER, "events", "-f"]
        with subprocess.Popen(command, env=self.fed.env, stdout=subprocess.PIPE,
                              text=True) as following:
            try:
                until(lambda: self.fed.submit("-t", "1m", "--", "true")
                      and select.select([following.stdout], [], [], 0.5)[0], "an event comes")
                event = json.loads(following.stdout.readline())
                self.assertEqual(event["schema"], "muster.event/1")
            finally:
                following.terminate()

    def test_a_site_is_asked_by_itself(self):
        job = self.fed.submit("--via", "woods", "-t", "1m", "--", "sh", "-c", "echo alone")
        self.assertRegex(job, r"^woods/\d+$")
        self.ok(self.fed.muster("--via", "woods", "wait", job))
        self.assertEqual(self.ok(self.fed.muster("--via", "woods", "logs", job)).out, "alone\n")
        shown = self.ok(self.fed.muster("--json", "show", job)).json()["job"]
        self.assertEqual((shown["id"], shown["outcome"]), (job, "done"))
        self.ok(self.fed.muster("--via", "woods", "queue"))
        self.assertIn("process", self.ok(self.fed.muster("--via", "woods", "sites")).out)
        self.assertIn("woods/n1", self.ok(self.fed.muster("--via", "woods", "nodes")).out)

    def test_a_rotated_key_is_heard_and_the_old_one_is_kept(self):
        before = (self.fed.state / "user.key").read_bytes()
        self.ok(self.fed.muster("keys", "rotate"))
        try:
            self.assertNotEqual((self.fed.state / "user.key").read_bytes(), before)
            self.assertEqual((self.fed.state / "user.key.old").read_bytes(), before)
            self.ok(self.fed.muster("queue"))
        finally:
            (self.fed.state / "user.key.new").write_bytes(before)
            os.chmod(self.fed.state / "user.key.new", 0o600)
            self.ok(self.fed.muster("keys", "rotate"))  # goes on with the key that is there

    def test_schemas_and_completion_are_printed(self):
        for name in self.ok(self.fed.muster("schema")).out.split():
            schema = self.ok(self.fed.muster("schema", name)).json()
            self.assertEqual(schema["properties"]["schema"]["const"], name)
        script = self.ok(self.fed.muster("completion", "bash")).out
        asked = "COMP_WORDS=(muster subm); COMP_CWORD=1; _muster; echo ${COMPREPLY[@]}"
        said = subprocess.run(["bash", "-c", script + "\n" + asked], capture_output=True, text=True,
                              check=True)
        self.assertEqual(said.stdout.split(), ["submit"], said.stderr)

    def test_help_and_unknown_verbs_teach(self):
        self.assertIn("submit", self.ok(self.fed.muster("help")).out)
        self.fails(self.fed.muster("squeue"), 2, "muster queue")


if __name__ == "__main__":
    unittest.main(verbosity=2)
