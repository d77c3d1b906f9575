"""What happens while jobs run and when something is lost: more time and other sets, word before the
end, room that is given back early; kinds of request with their windows; nodes that are drained or
do not start and end parts in time; what waits and comes back. OpenCCS Sect. 5.1, 5.3, 5.4 and 8."""
import datetime
import os
import shutil
import signal
import unittest

from federation import BIN, WHEN, FederationTest, until

SOFT = """
[[limit]]
resource = "ncpus"
items    = 8
soft     = true
[timeouts]
allocate = "2s"
release  = "2s"
"""


class PlannerRunning(FederationTest):
    def tearDown(self):
        self.fed.muster("cancel", "all", "--yes")
        until(lambda: not self.fed.muster("--json", "queue").json()["jobs"], "all are gone")

    def submit(self, site, *words, command=("true",)):
        return self.fed.submit("--site", site, *words, "--", *command)

    def reach(self, job, state):
        return until(lambda: (j := self.fed.job(job))["state"] == state and j, f"{job} is {state}")

    def promised(self, site, *words):
        job = self.submit(site, *words)
        return job, self.reach(job, "promised")

    def running(self, site, *words, command=("sleep", "300")):
        job = self.submit(site, *words, command=command)
        return job, self.reach(job, "running")

    def starts_by(self, job):
        return self.fed.job(job)["figures"]["starts_by"]["at"]

    def nodes_of(self, job):
        return sorted(self.fed.job(job)["parts"][0]["nodes"])

    def state_of(self, site, node):
        sites = self.fed.muster("--json", "nodes", site).rows("sites")
        return "".join(n["state"] for s in sites for n in s["nodes"] if n["name"] == node)

    # ---- while it runs

    def test_more_time_is_given_within_the_bound_and_as_far_as_nobody_is_in_the_way(self):
        job, shown = self.running("hills", "-t", "10m", "-l", "2:ncpus=4")
        ends = shown["figures"]["ends_by"]
        told = self.ok(self.fed.muster("alter", job, "-t", "630s")).out
        self.assertIn("30s later", told)
        self.assertNotIn("Z", told, "times are shown as clocks here show them")
        self.assertGreater(self.fed.job(job)["figures"]["ends_by"], ends)
        # Another starts where it now ends: there is nowhere else for it.
        wall, _ = self.promised("hills", "-t", "10m", "-l", "2:ncpus=4")
        self.fails(self.fed.muster("alter", job, "-t", "11m"), 8, f"job {wall} is in the way")
        self.fed.muster("cancel", wall)
        # An operator, as this user is, goes beyond what others may have in all: a tenth.
        self.ok(self.fed.muster("alter", job, "-t", "12m"))
        self.assertEqual(self.fed.job(job)["duration_s"], 720)

    def test_a_malleable_part_gives_sets_back_and_asks_for_more(self):
        job, shown = self.running("woods", "-t", "5m", "-l", "2-4:ncpus=4", command=(
            "sh", "-c", "while :; do wc -l < $MUSTER_NODEFILE; sleep 0.2; done"))
        self.assertEqual(len(shown["parts"][0]["nodes"]), 2)
        self.ok(self.fed.muster("alter", job, "-l", "3:ncpus=4"))
        self.assertEqual(len(self.nodes_of(job)), 3)
        until(lambda: "3\n" in self.fed.muster("logs", job).out, "it sees its nodes")
        other, _ = self.promised("woods", "-t", "1m", "-l", "1:ncpus=4", "--from", "now+1m")
        refused = self.fails(self.fed.muster("alter", job, "-l", "4:ncpus=4"), 8,
                             "cannot have that many sets now", f"job {other}", "it could from")
        self.assertNotRegex(refused.err, r"\d\dT\d\d:", "times are shown as clocks here show them")
        self.fails(self.fed.muster("alter", job, "-l", "5:ncpus=4"), 8)
        self.ok(self.fed.muster("alter", job, "-l", "2:ncpus=4"))
        # What it gave back is free at once.
        beside, _ = self.running("woods", "-t", "50s", "-l", "2:ncpus=4")
        self.assertEqual(sorted(self.nodes_of(job) + self.nodes_of(beside)),
                         ["n1", "n2", "n3", "n4"])

    def test_word_is_given_before_the_end_by_signal_or_script(self):
        by_signal = self.submit("lakes", "-t", "5s", "--notice", "3s:USR2", command=(
            "sh", "-c", "trap 'echo signalled; exit 0' USR2; while :; do sleep 0.1; done"))
        by_script = self.submit("lakes", "-t", "5s", "--notice", "3s:echo scripted > word; true",
                                command=("sh", "-c", "until test -s word; do sleep 0.1; done; "
                                                     "cat word"))
        for job, word in ((by_signal, "signalled"), (by_script, "scripted")):
            self.assertEqual(self.reach(job, "ended")["outcome"], "done")
            self.assertIn(word, self.fed.muster("logs", job).out)

    def test_what_ends_early_lets_the_next_start_earlier_and_no_promise_gets_later(self):
        short, _ = self.running("hills", "-t", "20m", "-l", "2:ncpus=4", command=(
            "sh", "-c", "until test -e go; do sleep 0.1; done"))
        large, _ = self.promised("hills", "-t", "10m", "-l", "2:ncpus=4")
        small, _ = self.promised("hills", "-t", "10m", "-l", "1:ncpus=1")
        before = {large: self.starts_by(large)}
        self.fed.muster("cancel", short)
        self.assertEqual(self.reach(large, "ended")["outcome"], "done")
        history = self.fed.job(large)["history"]
        self.assertTrue(any(change["figures"]["starts_by"]["at"] < before[large]
                            for change in history if change["figures"]["starts_by"]), history)
        told = [change["figures"]["starts_by"]["at"] for change in self.fed.job(small)["history"]
                if change["figures"]["starts_by"]]
        self.assertEqual(told, sorted(told, reverse=True))

    def test_a_soft_limit_widens_for_what_finds_the_site_idle(self):
        self.ok(self.fed.configure("lakes", SOFT))
        self.addCleanup(lambda: self.fed.configure("lakes"))
        first, _ = self.running("lakes", "-t", "2m", "-l", "3:ncpus=4")
        # Nothing beyond it is promised for later.
        waits = self.submit("lakes", "-t", "10m", "-l", "3:ncpus=4")
        reason = until(lambda: self.fed.job(waits)["figures"]["no_promise_reason"], "it says why")
        self.assertIn("limit 8 of ncpus for each user", reason["text"])
        self.assertIn("limit 8 of ncpus", self.ok(self.fed.muster("explain", waits)).out)
        self.fed.muster("cancel", first)
        self.assertEqual(self.reach(waits, "ended")["outcome"], "done")

    # ---- kinds of request

    def test_each_kind_of_request_has_its_window(self):
        wall, _ = self.running("hills", "-t", "10m", "-l", "2:ncpus=4")
        whole = ("-t", "10m", "-l", "2:ncpus=4")
        best, _ = self.promised("hills", *whole)
        self.assertGreaterEqual(self.starts_by(best), self.fed.job(wall)["figures"]["ends_by"])
        fixed, _ = self.promised("hills", *whole, "--at", "now+40m")
        self.assertEqual(self.fed.job(fixed)["figures"]["starts_by"]["at"][:19] + "Z",
                         shifted(self.fed.job(fixed)["at"], 1))
        late, _ = self.promised("hills", *whole, "--deadline", "now+35m")
        self.assertLess(self.fed.job(late)["figures"]["ends_by"], self.fed.job(late)["deadline"])
        slot, shown = self.promised("hills", *whole, "--slot", "now+15m-now+20m",
                                    "--slot", "now+55m-now+70m")
        self.assertGreaterEqual(shown["figures"]["starts_by"]["at"],
                                shifted(shown["submitted_at"], 55 * 60 - 1))
        del slot
        after, shown = self.promised("hills", "-t", "1m", "--after", f"any:{late}")
        self.assertGreaterEqual(shown["figures"]["starts_by"]["at"],
                                self.fed.job(late)["figures"]["ends_by"])
        del after
        # What its window has no room for waits, and its site is believed as before.
        none = self.submit("hills", *whole, "--at", "now+42m")
        reason = until(lambda: self.fed.job(none)["figures"]["no_promise_reason"], "it says why")
        self.assertTrue(reason["text"], reason)
        self.assertIn("up", self.fed.muster("sites", "--site", "hills").out)
        self.ok(self.fed.muster("cancel", fixed))
        self.reach(none, "promised")

    def test_an_array_is_planned_as_one_job(self):
        array = self.submit("woods", "-a", "1-40", "-t", "5m", "-l", "1:ncpus=4", "--from",
                            "now+10m")
        shown = until(lambda: (j := self.fed.job(array))["figures"]["starts_by"] and j,
                      "it is promised")
        self.assertEqual(len({tuple(self.fed.job(f"{array}[{i}]")["parts"][0]["nodes"])
                              for i in (1, 2, 3, 4)}), 4)
        self.assertGreater(shown["figures"]["ends_by"],
                           shifted(shown["figures"]["starts_by"]["at"], 45 * 60))

    # ---- reservations

    def test_a_reservation_with_jobs_inside_is_given_back_only_when_agreed(self):
        name = self.ok(self.fed.muster("-q", "reserve", "--site", "woods", "-l", "1:ncpus=4",
                                       "--at", "now+10m", "-t", "20m")).out.strip()
        inside = self.fed.submit("--in", name, "-t", "5m", "--", "true")
        self.reach(inside, "promised")
        tried = self.ok(self.fed.muster("whatif", "cancel", name)).out
        self.assertIn(f"{inside} ", tried)
        self.assertRegex(tried, r"1 of \d+ promises? would break. Nothing was changed.")
        self.fails(self.fed.muster("cancel", name), 8, "this would break 1 promise inside", inside,
                   "--yes", "nothing was cancelled")
        code, said = self.fed.on_terminal("cancel", name, answer="n")
        self.assertEqual(code, 8, said)
        self.assertEqual(self.fed.job(inside)["state"], "promised")
        code, said = self.fed.on_terminal("cancel", name, answer="y")
        self.assertEqual(code, 0, said)
        self.assertEqual(self.reach(inside, "ended")["outcome"], "refused")

    # ---- nodes that go

    def test_a_soft_drain_moves_nothing_and_says_until_when_its_node_is_used(self):
        runs, shown = self.running("woods", "-t", "10m", "-l", "1:ncpus=4")
        node = shown["parts"][0]["nodes"][0]
        waits, _ = self.promised("woods", "-t", "10m", "-l", "4:ncpus=4")
        tried = self.ok(self.fed.muster("whatif", "drain", f"woods/{node}")).out
        self.assertRegex(tried, rf"woods/{node}  job {runs} may finish, by {WHEN}; "
                                rf"job {waits} keeps its place, until {WHEN}\n")
        self.assertIn("No promise would break. Nothing was changed.", tried)
        done = self.ok(self.fed.muster("drain", f"woods/{node}", "--reason", "fan")).out
        self.assertRegex(done, rf"woods/{node}  draining; job {runs} may finish, by {WHEN}; ")
        before = self.starts_by(waits)
        self.ok(self.fed.muster("resume", f"woods/{node}"))
        self.assertEqual(self.starts_by(waits), before)

    def test_a_hard_drain_moves_what_is_promised_and_what_has_no_place_waits_and_comes_back(self):
        job, shown = self.promised("woods", "-t", "10m", "-l", "1:ncpus=4", "--from", "now+10m")
        all_four, _ = self.promised("woods", "-t", "10m", "-l", "4:ncpus=4", "--from", "now+30m")
        node = shown["parts"][0]["nodes"][0]
        drain = ("drain", f"woods/{node}", "--hard", "--reason", "fan")
        tried = self.ok(self.fed.muster("whatif", *drain)).out
        self.assertIn("would lose its place there", tried)
        self.fails(self.fed.muster(*drain), 8, "this would move", all_four, "--yes")
        self.assertEqual(self.nodes_of(job), [node])
        self.ok(self.fed.muster(*drain, "--yes"))
        until(lambda: self.nodes_of(job) not in ([], [node]), "it has another node")
        until(lambda: self.fed.job(all_four)["state"] == "waiting", "it has no place")
        causes = [h["cause"]["code"] for h in self.fed.job(all_four)["history"] if h["cause"]]
        self.assertIn("operator", causes)
        self.assertIn(node, self.ok(self.fed.muster("explain", all_four)).out)
        self.ok(self.fed.muster("resume", f"woods/{node}"))
        self.reach(all_four, "promised")

    def test_a_node_that_does_not_end_a_part_in_time_is_down_until_it_has(self):
        self.ok(self.fed.configure("lakes", SOFT))
        self.addCleanup(lambda: self.fed.configure("lakes"))
        job, shown = self.running("lakes", "-t", "10m", "-l", "1:ncpus=4", command=("sleep", "77"))
        node = shown["parts"][0]["nodes"][0]
        shepherd = self.shepherd_of("sleep 77")
        os.kill(shepherd, signal.SIGSTOP)
        try:
            self.fed.muster("cancel", job)
            until(lambda: self.state_of("lakes", node) == "down", "its node is down")
            other, placed = self.promised("lakes", "-t", "1m", "-l", "3:ncpus=2", "--place",
                                          "scatter", "--from", "now+5m")
            self.assertNotIn(node, placed["parts"][0]["nodes"])
            self.fed.muster("cancel", other)
        finally:
            os.kill(shepherd, signal.SIGCONT)
        until(lambda: self.state_of("lakes", node) == "up", "it is back by itself")

    def test_after_a_loss_what_is_less_urgent_gives_way_and_says_for_whom(self):
        self.ok(self.fed.configure("hills", SOFT))
        self.addCleanup(lambda: self.fed.configure("hills"))
        gpu = ("-l", "1:ncpus=4:ngpus=1", "-t", "10m")
        urgent, shown = self.promised("hills", *gpu, "--from", "now+5m", "--queue", "interactive")
        humble, _ = self.promised("hills", *gpu, "--from", "now+5m")
        node = shown["parts"][0]["nodes"][0]
        self.assertNotEqual(self.nodes_of(humble), [node])
        before = {job: self.starts_by(job) for job in (urgent, humble)}
        runs = {}
        for seconds in ("71", "72"):  # one on each node
            job, _ = self.running("hills", "-t", "2m", "-l", "1:ncpus=4",
                                  command=("sleep", seconds))
            runs[self.nodes_of(job)[0]] = (job, seconds)
        job, seconds = runs[node]
        shepherd = self.shepherd_of(f"sleep {seconds}")
        os.kill(shepherd, signal.SIGSTOP)
        try:
            self.fed.muster("cancel", job)
            until(lambda: self.state_of("hills", node) == "down", "its node is down")
            until(lambda: self.starts_by(humble) > before[humble], "the other one gave way")
            self.assertEqual(self.starts_by(urgent), before[urgent])
            self.assertNotEqual(self.nodes_of(urgent), [node])
            cause = self.fed.job(humble)["history"][-1]["cause"]
            self.assertEqual(cause["code"], "preempted")
            self.assertIn(f"job {urgent}", self.ok(self.fed.muster("show", humble)).out)
        finally:
            os.kill(shepherd, signal.SIGCONT)
        until(lambda: self.state_of("hills", node) == "up", "it is back by itself")
        # What gave way moves back to where it was as soon as there is room.
        until(lambda: self.starts_by(humble) <= before[humble], "it is where it was")

    def test_a_node_that_does_not_start_a_part_in_time_is_down_and_the_part_is_planned_again(self):
        with_stuck = self.fed.root / "stuck"  # its shepherd starts nothing
        with_stuck.mkdir()
        shutil.copy(BIN / "muster-sited", with_stuck)
        (with_stuck / "muster-shepherd").write_text("#!/bin/sh\nexec sleep 8\n")
        (with_stuck / "muster-shepherd").chmod(0o755)
        self.ok(self.fed.configure("hills", SOFT))
        self.fed.kill("hills")
        self.fed.restart("hills", with_stuck)
        try:
            job = self.submit("hills", "-t", "1m", "-l", "1:ncpus=4")
            until(lambda: [n for n in ("g1", "g2") if self.up("hills") and
                                  self.state_of("hills", n) == "down"], "a node is down")
            causes = until(lambda: [h["cause"]["code"] for h in self.fed.job(job)["history"]
                                    if h["cause"]], "its figure moved")
            self.assertIn("node_lost", causes)
            self.fed.muster("cancel", job)
        finally:
            self.fed.configure("hills")
            self.fed.kill("hills")
            self.fed.restart("hills")
        until(lambda: self.up("hills"), "hills is up")
        self.fed.muster("resume", "hills/g[1-2]")
        until(lambda: {self.state_of("hills", n) for n in ("g1", "g2")} == {"up"}, "all are up")

    def up(self, site):
        sites = self.fed.muster("--json", "sites", "--site", site)
        return sites.code == 0 and sites.json()["sites"][0]["state"] == "up"

    def shepherd_of(self, command):
        """The shepherd that a process with this command line is below of."""
        for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
            if words_of(pid) != command:
                continue
            while pid > 1 and "muster-shepherd" not in words_of(pid):
                with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
                    pid = int(stat.read().rsplit(")", 1)[1].split()[1])
            if pid > 1:
                return pid
        raise AssertionError(f"no shepherd runs '{command}'")


def words_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read().replace("\0", " ").strip()
    except OSError:
        return ""


def shifted(at, seconds):
    """An RFC 3339 time, so much later, to the second."""
    then = datetime.datetime.fromisoformat(at.replace("Z", "+00:00"))
    return (then + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


if __name__ == "__main__":
    unittest.main()
