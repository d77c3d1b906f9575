"""What would be if: changes that are tried on a copy of a live federation, by an operator and by a
user, and what then happens is what was told. Maui Sect. III (Simulation); scheduling.md section
19."""
import datetime
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

from federation import BIN, FederationTest, until

SETTLES_S = 40  # what follows at once has happened (kWhatIfSettles), seen through the command


def seconds(text):
    return datetime.datetime.fromisoformat(text).timestamp()


class WhatIf(FederationTest):
    def changes(self, text):
        path = self.fed.root / "change.toml"
        path.write_text(text)
        return str(path)

    def ask(self, text, *words, env=None):
        return self.ok(self.fed.muster("--json", "whatif", "--change", self.changes(text), *words,
                                       env=env)).json()

    def submit(self, *words, env=None):
        answer = self.ok(self.fed.muster("-q", "submit", *words, env=env))
        job = answer.out.strip()
        self.addCleanup(self.gone, job)
        return job

    def gone(self, job):
        self.fed.muster("cancel", job, "--yes")
        until(lambda: self.fed.job(job)["state"] == "ended", f"{job} is gone")

    def starts(self, *jobs):
        return {job: seconds(self.fed.job(job)["figures"]["starts_by"]["at"]) for job in jobs}

    def queue_at_hills(self, env=None):
        """Both nodes of hills run for long, and three jobs wait for them in turn."""
        running = [self.submit("--site", "hills", "-l", "1:ncpus=4", "-t", "10m", "--", "sleep",
                               "600", env=env) for _ in range(2)]
        for job in running:
            until(lambda job=job: self.fed.job(job)["state"] == "running", f"{job} runs")
        waiting = [self.submit("--site", "hills", "-l", "1:ncpus=4", "-t", "10m", "--", "sleep",
                               "600", env=env) for _ in range(4)]
        for job in waiting:
            until(lambda job=job: self.fed.job(job)["figures"]["starts_by"], f"{job} is promised")
        return running, waiting

    def test_a_drain_does_what_it_was_predicted_to_do(self):
        running, waiting = self.queue_at_hills()
        before = self.starts(*waiting)
        digest = self.ok(self.fed.muster("digest")).out
        told = self.ask('[[change]]\ndo = "drain"\nwords = "hills/g1 --hard"\n')
        page = self.fed.root / "drain.html"
        paged = self.fed.muster("whatif", "--change", self.changes(
            '[[change]]\ndo = "drain"\nwords = "hills/g1 --hard"\n'), "--page", str(page))
        self.assertIn("AS IT IS", paged.out)
        if paged.code == 0:  # else npm did not fetch what draws it when this was built
            self.assertIn("When they start", page.read_text())
        else:
            self.assertIn("uPlot", paged.err)
        self.assertEqual(self.starts(*waiting), before, "nothing was changed")
        self.assertEqual(self.ok(self.fed.muster("digest")).out, digest)
        run = told["run"]
        self.assertGreater(run["breaks"], 0)
        self.assertEqual(run["breaks"], len(told["moves"]))
        self.assertTrue(all("hills/g1" in move["because"] for move in told["moves"]), told)
        predicted = {row["job"]: seconds(row["after"]) for row in run["rows"]}
        for row in run["rows"]:
            self.assertAlmostEqual(seconds(row["before"]), before[row["job"]], delta=1)

        self.ok(self.fed.muster("drain", "--hard", "--yes", "hills/g1"))
        self.addCleanup(self.fed.muster, "resume", "hills/g1")
        moved = lambda: {job: at for job, at in self.starts(*waiting).items()
                         if abs(at - before[job]) > 60}
        until(lambda: set(moved()) == set(predicted), f"{predicted} move, not {moved()}", SETTLES_S)
        for job, at in moved().items():
            self.assertAlmostEqual(at, predicted[job], delta=5, msg=f"job {job}")
        text = self.ok(self.fed.muster("whatif", "--change", self.changes(
            '[[change]]\ndo = "resume"\nwords = "hills/g1"\n'))).out
        self.assertIn("No promise would break. Nothing was changed.", text)
        self.assertIn("AS IT IS", text)
        self.assertIn("hills: its records as they were", text)
        del running

    def test_of_many_jobs_at_two_sites_each_moves_where_it_was_predicted(self):
        """What-if against what happened, docs/experiments.md; MUSTER_WHATIF_JOBS says how many."""
        draw = random.Random(5)
        for _ in range(int(os.environ.get("MUSTER_WHATIF_JOBS", "24"))):
            self.submit("--site", "lakes,woods", "-l", f"{draw.randint(1, 4)}:ncpus=4", "-t",
                        f"{draw.randint(5, 60)}m", "--", "sleep", "3000")

        def promised():
            jobs = self.ok(self.fed.muster("--json", "queue")).json()["jobs"]
            return {job["id"]: seconds(job["figures"]["starts_by"]["at"]) for job in jobs
                    if job["state"] == "promised" and job["figures"]["starts_by"]}
        time.sleep(8)  # all are placed, and move no more
        before = promised()
        run = self.ask('[[change]]\ndo = "drain"\nwords = "lakes/n1 lakes/n2 --hard"\n')["run"]
        predicted = {row["job"]: seconds(row["after"]) for row in run["rows"]
                     if row["before"] and row["after"]}
        self.addCleanup(self.fed.muster, "resume", "lakes/n1", "lakes/n2")
        self.ok(self.fed.muster("drain", "--hard", "--yes", "lakes/n1", "lakes/n2"))
        time.sleep(SETTLES_S)
        moved = {job: at for job, at in promised().items()
                 if job in before and abs(at - before[job]) > 60}
        right = [job for job, at in moved.items()
                 if job in predicted and abs(at - predicted[job]) <= 5]
        print(f"{len(before)} promised, {len(predicted)} predicted to move, {len(moved)} moved, "
              f"{len(right)} of them to within 5 s of what was predicted")
        self.assertGreater(len(moved), 3)
        self.assertGreaterEqual(len(right), 0.9 * len(moved))
        self.assertGreaterEqual(len(right), 0.8 * len(predicted))

    def test_more_nodes_and_another_rule_of_a_site_are_tried_as_a_reload_would_take_them(self):
        _, waiting = self.queue_at_hills()
        self.ask('[[change]]\ndo = "set"\nat = "hills"\npath = "nodes.1.names"\nto = "g[1-4]"\n',
                 "--for", "30m")
        nodes = ('\n[[nodes]]\nnames = "h[1-2]"\nresources = { ncpus = 4, mem = "1gb" }\n')
        change = f'[[change]]\ndo = "add"\nat = "hills"\ntext = """{nodes}"""\n'
        ahead = self.ask(change, "--for", "30m", "--seed", "3")["run"]
        self.assertEqual(ahead["seed"], 3)
        self.assertEqual(ahead["moved"]["later"], 0)
        self.assertLessEqual(ahead["after"]["wait_s"], ahead["before"]["wait_s"])
        self.assertEqual(ahead["after"]["promises_later"], 0)
        now = self.ask(change)["run"]
        self.assertEqual((now["moved"]["earlier"], now["moved"]["later"]), (4, 0))
        self.assertEqual(now["after"]["started"], 2)
        # The nodes are added, and what then happens is what was told.
        self.addCleanup(self.fed.configure, "hills")
        self.ok(self.fed.configure("hills", nodes))
        until(lambda: [self.fed.job(job)["state"] for job in waiting[:2]] == ["running"] * 2,
              "two start on them")
        told = {row["job"]: seconds(row["after"]) for row in now["rows"]}
        for job, at in self.starts(*waiting[2:]).items():
            self.assertAlmostEqual(at, told[job], delta=5)

    def test_a_user_tries_what_they_may_do_and_learns_of_others_only_counts(self):
        self.queue_at_hills()
        guest = self.listed_user("guest")
        told = self.ask('[[change]]\ndo = "submit"\n'
                        'words = "--site hills -l 1:ncpus=4 -t 5m -- true"\n', env=guest)["run"]
        self.assertEqual([row["user"] for row in told["rows"]], ["guest"])
        self.assertIsNone(told["before"])
        self.assertEqual(told["others"]["same"], 6)
        self.assertIsNone(told["others"]["later"], "fewer than five are not told")
        job = self.submit("--site", "hills", "-l", "1:ncpus=4", "-t", "5m", "--", "true",
                          env=guest)
        until(lambda: self.fed.job(job)["figures"]["starts_by"], "it is promised")
        self.assertAlmostEqual(self.starts(job)[job], seconds(told["rows"][0]["after"]), delta=5)
        for text, word in (
                ('[[change]]\ndo = "drain"\nwords = "hills/g1"\n', "operators"),
                ('[[change]]\ndo = "set"\nat = "hills"\npath = "x"\nto = 1\n', "operators")):
            self.fails(self.fed.muster("whatif", "--change", self.changes(text), env=guest), 4,
                       word)
        change = self.changes('[[change]]\ndo = "set"\nat = "hills"\npath = "x"\nto = 1\n')
        self.fails(self.fed.muster("whatif", "--change", change, "--replay", "1d", env=guest), 4,
                   "a record is taken again for operators")

    def test_the_record_of_the_past_is_taken_again(self):
        jobs = [self.submit("--site", "woods", "-l", "1:ncpus=4", "-t", "1m", "--", "sleep", "1")
                for _ in range(3)]
        for job in jobs:
            until(lambda job=job: self.fed.job(job)["state"] == "ended", f"{job} ended")
        run = self.ask('[[change]]\ndo = "set"\nat = "woods"\npath = "federation.max_share"\n'
                       'to = "50%"\n', "--replay", "1d")["run"]
        self.assertGreaterEqual(run["before"]["started"], 3)
        self.assertEqual(run["before"]["promises_later"], 0)
        self.assertTrue(any("as they came" in line for line in run["basis"]))

    def test_bad_changes_are_refused_with_the_line_and_change_nothing(self):
        def refused(text, code, *words, more=()):
            self.fails(self.fed.muster("whatif", "--change", self.changes(text), *more), code,
                       *words)
        refused('[[change]]\ndo = "explode"\n', 2, "change.toml:2", "explode")
        refused('[[change]]\ndo = "set"\nat = "moon"\npath = "a"\nto = 1\n', 2, "moon")
        refused('[[change]]\ndo = "set"\nat = "hills"\npath = "site.surprise"\nto = 1\n', 2,
                "hills does not take this", "surprise")
        refused('[[change]]\ndo = "drain"\nwords = "hills/g9 --hard"\n', 2, "g9")
        refused('\n[[change]]\ndo = "alter"\nwords = "41 --frobnicate"\n', 2, "change.toml:2",
                "frobnicate")
        refused('[[change]]\ndo = "drain"\nwords = "hills/g1"\nwhen = "now+1h"\n', 2, "--for")
        refused('[[change]]\ndo = "drain"\nwords = "hills/g1"\n', 2, "record",
                more=("--replay", "1d"))
        refused('[[change]]\ndo = "drain"\nwords = "hills/g1"\n' * 1001, 2, "more than 1000")
        self.fails(self.fed.muster("whatif", "--change", "/nowhere"), 2, "/nowhere")
        self.fails(self.fed.muster("whatif", "--for", "1d", "drain"), 2, "--change")

    def test_a_site_that_shows_its_records_to_nobody_is_left_out_and_said_so(self):
        self.addCleanup(self.fed.configure, "woods")
        self.ok(self.fed.configure("woods", '\n[whatif]\nsnapshot = "off"\n'))
        run = self.ask('[[change]]\ndo = "drain"\nwords = "hills/g1"\n')["run"]
        self.assertIn("woods: left out, it shows its records to nobody", run["basis"])
        change = self.changes('[[change]]\ndo = "set"\nat = "woods"\npath = "site.name"\n'
                              'to = "x"\n')
        self.fails(self.fed.muster("whatif", "--change", change), 5, "woods shows its records to "
                   "nobody")

    def answering(self):
        """The process that answers a what-if of this federation."""
        for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = entry.read_bytes().split(b"\0")
            except OSError:
                continue  # it ended meanwhile
            if words[1:2] == [b"what-if"] and str(self.fed.state).encode() in words[2]:
                return int(entry.parent.name)
        return None

    def test_a_meta_that_is_killed_meanwhile_leaves_neither_process_nor_file(self):
        _, waiting = self.queue_at_hills()
        before = self.starts(*waiting)
        change = self.changes('[[change]]\ndo = "drain"\nwords = "hills/g1 --hard"\n')
        for _ in range(10):  # it may be answered before it is seen
            asked = subprocess.Popen(
                [str(BIN / "muster"), "whatif", "--change", change, "--for", "5d"],
                env=self.fed.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(asked.wait)
            self.addCleanup(asked.kill)
            pid = None
            while pid is None and asked.poll() is None:
                pid = self.answering()
            try:
                if pid:
                    os.kill(pid, signal.SIGSTOP)
            except ProcessLookupError:
                pid = None
            if pid:
                break
            time.sleep(6)  # ten a minute
        self.assertTrue(pid, "a what-if is being answered")
        self.fed.kill("meta")
        try:
            os.kill(pid, signal.SIGCONT)  # it may have been stopped before it had begun
        except ProcessLookupError:
            pass
        until(lambda: self.answering() is None, "nobody answers any more")
        self.fed.restart("meta")
        until(lambda: self.fed.muster("sites").code == 0, "the meta is back", 30)
        left = pathlib.Path(self.fed.state) / "meta" / "what-if"
        self.assertEqual(list(left.iterdir()) if left.exists() else [], [])
        for job, at in self.starts(*waiting).items():
            self.assertAlmostEqual(at, before[job], delta=5, msg="nothing was changed")
        until(lambda: self.fed.muster("whatif", "--change", change).code == 0,
              "the next one is answered", 30)

    def test_no_daemon_waits_while_it_is_answered(self):
        began = time.monotonic()
        for _ in range(3):
            self.ask('[[change]]\ndo = "drain"\nwords = "hills/g1"\n')
        self.assertLess(time.monotonic() - began, 20)
        left = list((pathlib.Path(self.fed.state) / "meta" / "what-if").iterdir())
        self.assertEqual(left, [], "its files are gone")


if __name__ == "__main__":
    unittest.main()
