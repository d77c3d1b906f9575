"""Every verb on live daemons, as a user types it."""
import os
import stat
import unittest

from federation import FederationTest, until


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

    def test_help_and_unknown_verbs_teach(self):
        self.assertIn("submit", self.ok(self.fed.muster("help")).out)
        self.fails(self.fed.muster("squeue"), 2, "muster queue")


if __name__ == "__main__":
    unittest.main(verbosity=2)
