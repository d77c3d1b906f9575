"""Idle room that is lent, and taken back: real processes, through the command against a live
federation. Maui Sect. IV (preemption); protocol.md section 3.3 (lent room)."""
import datetime
import time
import unittest

from federation import FederationTest, until

QOS = """
[[qos]]
name = "patient"
grant = ["*"]
recall = "requeue"
min_run = "4s"
grace = "3s"
max_recalls = 2
"""
LENDS = '\n[lent]\nto = ["qos patient"]\n'
FILLER = """
[[qos]]
name = "filler"
grant = ["*"]
promise = "start"
recall = "checkpoint"
min_run = "2s"
grace = "3s"
max_recalls = 2
"""
URGENT = """
[[qos]]
name = "urgent"
grant = ["*"]
"""
LENDS_MARKED = '\n[lent]\nto = ["qos patient"]\nrecalled_for = ["qos urgent"]\n'
LENDS_ALL = """
[lent]
to = ["qos patient", "qos filler"]
[[freepool]]
name = "quick"
resource = "ncpus"
keep = "4"
open_to = "class = interactive"
lend = true
"""


def seconds(text):
    return datetime.datetime.fromisoformat(text).timestamp()


class Lent(FederationTest):
    def setUp(self):
        meta = self.fed.state / "meta.toml"
        before = meta.read_text()
        self.addCleanup(self.fed.muster, "reload")
        self.addCleanup(meta.write_text, before)
        meta.write_text(before + QOS)
        self.ok(self.fed.muster("reload"))
        self.addCleanup(self.fed.configure, "hills")
        self.ok(self.fed.configure("hills", LENDS))

    def submit(self, *words):
        """Submits to one node of hills; whatever the test does, the job is gone after it."""
        job = self.fed.submit("--site", "hills", "-l", "1:ncpus=4", *words)
        self.addCleanup(self.gone, job)
        return job

    def part(self, job):
        return self.fed.job(job)["parts"][0]

    def state(self, job):
        return self.fed.job(job)["state"]

    def by(self, job):
        return until(lambda: self.fed.job(job)["figures"]["starts_by"], f"{job} is promised")["at"]

    def gone(self, *jobs):
        for job in jobs:
            self.fed.muster("cancel", job, "--yes")
        until(lambda: all(self.state(job) == "ended" for job in jobs), f"{jobs} are gone")

    def lend(self, script, due_in=25, qos=(), needs=1):
        """One node of hills is busy, the other one is due in `due_in` seconds for a job that needs
        it for `needs`; a patient job that lasts longer than that is lent the idle node. Returns
        these three jobs."""
        wall = self.submit("-t", "10m", "--", "sleep", "600")
        until(lambda: self.state(wall) == "running", "one node is busy")
        due = self.submit("-t", "20s", "--at", f"now+{due_in}s", "--", "sleep", str(needs))
        self.by(due)
        lent = self.submit("-t", "3m", "--qos", "patient", *qos, "--", "sh", "-c", script)
        until(lambda: (self.part(lent)["lent"] or {}).get("state") == "running",
              "it runs on lent room")
        return wall, due, lent

    def test_one_is_recalled_is_told_starts_again_and_ends(self):
        lives = self.fed.root / "lives"
        script = (f"trap '' TERM; echo begun >> {lives}; "
                  f"[ $(wc -l < {lives}) -lt 2 ] || exit 0; while :; do sleep 1; done")
        wall, due, lent = self.lend(script)
        told = self.by(lent)
        self.assertGreater(seconds(told), seconds(self.by(due)))
        shown = self.ok(self.fed.muster("show", lent)).out
        self.assertIn("running (lent)", shown)
        self.assertIn("by requeue: ends within 3s, not before 4s, at most 2 times", shown)
        self.assertEqual(self.state(lent), "promised")
        self.assertIn(lent, self.ok(self.fed.muster("gantt", "--site", "hills")).out)
        # It ignores TERM, and is off the node before the other is due all the same.
        until(lambda: self.part(lent)["recalls"] == 1, "it was recalled", 40)
        until(lambda: self.part(due)["started_at"], "the other one runs")
        promised = seconds(self.by(due))
        self.assertLessEqual(seconds(self.part(due)["started_at"]), promised)
        job = self.fed.job(lent)
        last = job["history"][-1]
        self.assertEqual((last["cause"]["code"], last["cause"]["subject"]["job"]),
                         ("preempted", due))
        self.assertLessEqual(seconds(last["figures"]["starts_by"]["at"]), seconds(told))
        self.assertGreater(job["parts"][0]["lost_s"], 4)
        self.assertEqual([event["code"] for event in job["events"]
                          if event["code"] in ("lent", "lent_started", "recalled", "returned")][:4],
                         ["lent", "lent_started", "recalled", "returned"])
        until(lambda: self.state(lent) == "ended", "it began anew and ended", 60)
        job = self.fed.job(lent)
        self.assertEqual(job["outcome"], "done")
        self.assertLessEqual(seconds(job["parts"][0]["started_at"]), seconds(told))
        self.assertEqual(lives.read_text().split(), ["begun", "begun"])

    def test_it_is_recalled_for_those_alone_that_the_site_names(self):
        meta = self.fed.state / "meta.toml"
        meta.write_text(meta.read_text() + URGENT)
        self.ok(self.fed.muster("reload"))
        self.ok(self.fed.configure("hills", LENDS_MARKED))
        wall = self.submit("-t", "10m", "--", "sleep", "600")
        until(lambda: self.state(wall) == "running", "one node is busy")
        due = self.submit("-t", "20s", "--at", "now+90s", "--qos", "urgent", "--", "true")
        self.by(due)
        lent = self.submit("-t", "3m", "--qos", "patient", "--", "sleep", "180")
        until(lambda: (self.part(lent)["lent"] or {}).get("state") == "running",
              "it runs on lent room")
        waits = self.submit("-t", "5s", "--", "true")
        self.assertGreater(seconds(self.by(waits)) - time.time(), 150)
        explained = self.ok(self.fed.muster("explain", waits)).out
        self.assertIn(f"job {lent}", explained)
        time.sleep(9)  # protection and grace are over
        self.assertEqual((self.part(lent)["recalls"] or 0, self.state(waits)), (0, "promised"))
        urgent = self.submit("-t", "5s", "--qos", "urgent", "--", "true")
        self.assertLess(seconds(self.by(urgent)) - time.time(), 20)
        until(lambda: self.state(urgent) == "ended", "it ran")
        self.assertEqual(self.part(lent)["recalls"], 1)

    def test_one_that_saves_its_work_on_term_loses_nothing(self):
        done = self.fed.root / "done"
        script = (f"trap 'exit 85' TERM; echo life ${{MUSTER_SAVED_S:-0}} >> {done}; "
                  f"[ $(wc -l < {done}) -lt 2 ] || exit 0; while :; do sleep 0.2; done")
        _, due, lent = self.lend(script, qos=("--recall", "checkpoint"))
        until(lambda: self.part(lent)["recalls"] == 1, "it was recalled", 40)
        part = self.part(lent)
        self.assertGreater(part["saved_s"], 3)
        self.assertIsNone(part["lost_s"])
        until(lambda: self.part(due)["started_at"], "the other one runs")
        until(lambda: self.state(lent) == "ended", "it went on and ended", 60)
        self.assertEqual(self.fed.job(lent)["outcome"], "done")
        self.assertEqual(done.read_text().split(), ["life", "0", "life", str(part["saved_s"])])

    def test_one_that_is_suspended_stands_still_and_goes_on_with_all_its_work(self):
        ticks = self.fed.root / "ticks"
        script = (f"i=0; while [ $i -lt 250 ]; do i=$((i+1)); echo $i >> {ticks}; sleep 0.1; done; "
                  f"exit 4")
        wall, due, lent = self.lend(script, due_in=14, qos=("--recall", "suspend"),
                                    needs=8)
        told = self.by(lent)
        self.assertIn("by suspend:", self.ok(self.fed.muster("show", lent)).out)
        until(lambda: (self.part(lent)["lent"] or {}).get("state") == "paused", "it is paused", 40)
        self.assertIn("paused (lent)", self.ok(self.fed.muster("show", lent)).out)
        self.assertTrue(self.part(lent)["lent"]["paused_at"])
        self.assertEqual(self.part(lent)["lent"]["recalled_for"], due)
        self.assertIn("paused", self.ok(self.fed.muster("queue")).out)
        until(lambda: self.part(due)["started_at"], "the other one runs")
        self.assertLessEqual(seconds(self.part(due)["started_at"]), seconds(self.by(due)))
        before = ticks.read_text()
        time.sleep(2)
        self.assertEqual(ticks.read_text(), before, "it stands still")
        self.assertEqual(self.state(due), "running", "while the other one runs")
        self.assertLess(len(before.split()), 250)
        last = self.fed.job(lent)["history"][-1]
        self.assertEqual((last["cause"]["code"], last["cause"]["subject"]["job"]),
                         ("preempted", due))
        until(lambda: self.state(lent) == "ended", "it went on and ended", 90)
        job = self.fed.job(lent)
        self.assertEqual(ticks.read_text().split(), [str(n) for n in range(1, 251)])
        self.assertEqual((job["outcome"], job["parts"][0]["exit_code"]), ("failed", 4))
        self.assertIsNone(job["parts"][0]["recalls"])
        self.assertLessEqual(seconds(job["parts"][0]["started_at"]), seconds(told))
        codes = [event["code"] for event in job["events"]]
        self.assertLess(codes.index("paused"), codes.index("resumed"))
        ran = seconds(job["parts"][0]["ended_at"]) - seconds(job["parts"][0]["started_at"])
        self.assertLess(job["parts"][0]["used"]["elapsed_s"], ran - 6, "the pause is no use")

    def test_a_site_that_is_killed_pauses_again_and_lets_go_on(self):
        ticks = self.fed.root / "ticks-again"
        script = f"i=0; while [ $i -lt 150 ]; do i=$((i+1)); echo $i >> {ticks}; sleep 0.1; done"
        wall, due, lent = self.lend(script, due_in=14, qos=("--recall", "suspend"), needs=8)
        until(lambda: (self.part(lent)["lent"] or {}).get("state") == "paused", "it is paused", 40)
        self.fed.kill("hills")
        time.sleep(1)
        before = ticks.read_text()
        time.sleep(2)
        self.assertEqual(ticks.read_text(), before, "it stands still without a daemon")
        self.fed.restart("hills")
        until(lambda: self.state(lent) == "ended", "it went on and ended", 90)
        self.assertEqual(self.fed.job(lent)["outcome"], "done")
        self.assertEqual(ticks.read_text().split(), [str(n) for n in range(1, 151)])

    def test_where_room_stays_it_is_kept_and_its_promise_moves(self):
        wall, due, lent = self.lend("sleep 170", due_in=60)
        told = self.by(lent)
        self.gone(due)
        until(lambda: self.state(lent) == "running", "it is kept")
        job = self.fed.job(lent)
        self.assertIsNone(job["parts"][0]["lent"])
        self.assertLess(seconds(job["figures"]["starts_by"]["at"]), seconds(told))

    def test_what_ends_on_lent_room_has_ended(self):
        wall, due, lent = self.lend("sleep 2; exit 3", due_in=60)
        until(lambda: self.state(lent) == "ended", "it has ended")
        job = self.fed.job(lent)
        self.assertEqual((job["outcome"], job["parts"][0]["exit_code"]), ("failed", 3))
        self.assertIsNone(job["parts"][0]["recalls"])

    def test_a_site_that_is_killed_takes_lent_room_back_in_time(self):
        wall, due, lent = self.lend("sleep 170", due_in=30)
        self.fed.kill("hills")
        self.fed.restart("hills")
        until(lambda: self.part(lent)["recalls"] == 1, "it was recalled", 40)
        until(lambda: self.part(due)["started_at"], "the other one runs")
        self.assertLessEqual(seconds(self.part(due)["started_at"]), seconds(self.by(due)))

    def test_cancelling_ends_what_runs_on_lent_room(self):
        mark = self.fed.root / "mark"
        wall, due, lent = self.lend(f"sleep 1; touch {mark}; sleep 170", due_in=60)
        until(mark.exists, "it runs")
        self.ok(self.fed.muster("cancel", lent, "--yes"))
        until(lambda: self.state(lent) == "ended", "it is cancelled")
        self.assertEqual(self.fed.job(lent)["outcome"], "cancelled")
        other = self.submit("-t", "10s", "--", "true")
        until(lambda: self.state(other) == "ended", "the node is free")

    def fill(self):
        """Both nodes of hills are filled with work that has lent room alone; one of them is kept
        for interactive jobs, and lent meanwhile."""
        meta = self.fed.state / "meta.toml"
        meta.write_text(meta.read_text() + FILLER)
        self.ok(self.fed.muster("reload"))
        self.ok(self.fed.configure("hills", LENDS_ALL))
        script = ("trap 'exit 85' TERM; echo life ${MUSTER_RECALLS:-0} ${MUSTER_SAVED_S:-0} >> "
                  f"{self.fed.root}/lives.$1; while :; do sleep 0.2; done")
        jobs = []
        for name in ("a", "b"):
            jobs.append(self.submit("-t", "10m", "--qos", "filler", "--", "sh", "-c", script,
                                    "sh", name))
            until(lambda: self.state(jobs[-1]) == "running", "it fills what is idle")
        return jobs

    def test_what_has_lent_room_alone_fills_leaves_goes_on_and_is_promised_in_the_end(self):
        fillers = self.fill()
        job = self.fed.job(fillers[0])
        self.assertIsNone(job["figures"]["starts_by"])
        self.assertIn("lent room alone", job["figures"]["no_promise_reason"]["text"])
        self.assertIn("running (lent)", self.ok(self.fed.muster("show", fillers[0])).out)
        for recalls in (1, 2):
            due = self.submit("-t", "10s", "--", "sleep", "1")
            promised = self.by(due)
            until(lambda: self.state(due) in ("running", "ended"), "whoever is due runs")
            self.assertLessEqual(seconds(self.part(due)["started_at"]), seconds(promised))
            counts = [self.part(filler)["recalls"] or 0 for filler in fillers]
            self.assertEqual(sum(counts), recalls, "one was recalled, one of them is enough")
            until(lambda: self.state(due) == "ended", "it has ended")
            until(lambda: all(self.state(filler) in ("running", "promised")
                              for filler in fillers), "they go on")
        told = [event["code"] for filler in fillers for event in self.fed.job(filler)["events"]]
        self.assertEqual(told.count("recalled"), 2)
        lives = "".join((self.fed.root / f"lives.{name}").read_text() for name in "ab").split("\n")
        again = [line.split() for line in lives if line and line.split()[1] != "0"]
        self.assertTrue(again and all(int(words[2]) > 0 for words in again), lives)

    def test_who_a_pool_is_kept_for_has_what_it_lends_within_the_grace(self):
        fillers = self.fill()
        quick = self.submit("-t", "10s", "--interactive", "--start-notice", "0", "--",
                            "sleep", "1")
        promised = seconds(self.by(quick))
        self.assertLessEqual(promised, datetime.datetime.now().timestamp() + 3 + 5 + 5)
        until(lambda: self.part(quick)["started_at"], "it runs")
        self.assertLessEqual(seconds(self.part(quick)["started_at"]), promised)
        self.assertEqual(sum(self.part(filler)["recalls"] or 0 for filler in fillers), 1)

    def test_nobody_without_a_contract_is_lent_room_and_bad_contracts_are_refused(self):
        self.fails(self.fed.muster("submit", "-t", "1m", "--recall", "never", "--", "true"), 2,
                   "--recall never", "requeue")
        self.fails(self.fed.muster("submit", "-t", "1m", "--apart", "--recall", "requeue",
                                   "-l", "1", ":", "-l", "1", "--", "true"), 2, "one part")
        meta = self.fed.state / "meta.toml"
        good = meta.read_text()
        self.addCleanup(meta.write_text, good)
        for wrong, why in ((QOS.replace('min_run = "4s"\n', ""), "min_run"),
                           (QOS.replace('"3s"', '"11m"'), "grace"),
                           (QOS.replace('recall = "requeue"\n', ""), "recall"),
                           (QOS.replace('"requeue"', '"suspend"\npromise = "start"'),
                            'promise = "start" stands in line'),
                           (QOS.replace('"requeue"', '"freeze"'), "suspend")):
            meta.write_text(good.replace(QOS, wrong))
            refused = self.fed.muster("reload")
            self.assertNotEqual(refused.code, 0, refused)
            self.assertIn(why, refused.err)
            self.assertIn("meta.toml:", refused.err)
        self.assertNotEqual(self.fed.configure("hills", "\n[lent]\n").code, 0)
        self.ok(self.fed.configure("hills", LENDS))
        wall = self.submit("-t", "10m", "--", "sleep", "600")
        due = self.submit("-t", "20s", "--at", "now+60s", "--", "true")
        usual = self.submit("-t", "3m", "--", "sleep", "1")
        mine = self.submit("-t", "3m", "--recall", "requeue", "--", "sleep", "1")
        self.by(mine)
        self.assertIsNone(self.part(usual)["lent"])
        self.assertIsNone(self.part(mine)["lent"])  # hills lends to another QoS alone
        self.assertEqual(self.fed.job(mine)["contract"]["way"], "requeue")


if __name__ == "__main__":
    unittest.main()
