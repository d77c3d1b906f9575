"""Word before an earlier start, and nodes that become smaller, at a live site: an interactive job
is not brought nearer than its notice, whatever becomes free; what no longer fits on a node is off
it when the file is read."""
import datetime
import time
import unittest

import alone_test
from federation import until


class SiteTest(unittest.TestCase):
    """One site alone, of two nodes."""

    setUp = alone_test.AloneTest.setUp
    tearDown = alone_test.AloneTest.tearDown
    run_muster = alone_test.AloneTest.run_muster
    via = alone_test.AloneTest.via
    ok = alone_test.AloneTest.ok
    start = alone_test.AloneTest.start
    log = alone_test.AloneTest.log
    job = alone_test.AloneTest.job
    write_site = alone_test.AloneTest.write_site

    def submit(self, *words, command=("sleep", "50")):
        answer = self.ok("kim", "-q", "submit", *words, "--", *command)
        return answer.out.strip().split("/")[1]

    def starts_by(self, number):
        at = self.job(number)["figures"]["starts_by"]["at"]
        return datetime.datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp()

    def is_in(self, number, state):
        return lambda: self.job(number)["state"] == state


class NoticeTest(SiteTest):
    def occupied(self):
        """The whole site is busy for ten minutes, or until the job is cancelled."""
        number = self.submit("-t", "10m", "-l", "2:ncpus=4", command=("sleep", "600"))
        until(self.is_in(number, "running"), "the site is busy")
        return number

    def interactive(self, *words):
        return self.submit("-t", "1m", "--interactive", "-l", "1:ncpus=4", *words)

    def free(self, number):
        self.ok("kim", "cancel", number, "--yes")
        freed = time.time()
        until(self.is_in(number, "ended"), "the site is free")
        return freed

    def test_an_interactive_job_is_not_moved_to_less_than_its_notice_until_its_user_says_so(self):
        busy = self.occupied()
        usual, other = self.interactive(), self.interactive()
        promised = self.starts_by(usual), self.starts_by(other)
        shown = self.job(usual)
        self.assertEqual((shown["start_notice_s"], shown["end_notice"]), (900, None))
        self.assertIn("15m before an earlier start", self.ok("kim", "show", usual).out)
        self.free(busy)
        time.sleep(4)
        self.assertEqual((self.starts_by(usual), self.starts_by(other)), promised)
        self.ok("kim", "alter", usual, "--start-notice", "0", "--notice", "5s")
        until(self.is_in(usual, "running"), "at once is fine now", 10)
        self.assertEqual(self.job(usual)["end_notice"],
                         {"before_s": 5, "signal": "USR1", "argv": []})
        self.assertEqual(self.starts_by(other), promised[1])

    def test_a_move_gives_the_whole_notice_and_without_one_it_is_at_once(self):
        busy = self.occupied()
        some = self.interactive("--start-notice", "8s")
        none = self.interactive("--start-notice", "0")
        before = self.starts_by(some)
        freed = self.free(busy)
        until(self.is_in(none, "running"), "at once is fine", 10)
        until(lambda: self.starts_by(some) < before, "it gets earlier")
        self.assertGreaterEqual(self.starts_by(some), freed + 8)
        until(self.is_in(some, "running"), "it starts")
        self.assertGreaterEqual(time.time(), freed + 8)
        codes = [row["cause"]["code"] for row in self.job(some)["history"] if row["cause"]]
        self.assertEqual(codes, ["backfilled"])

    def test_a_notice_below_zero_or_beyond_the_window_is_a_clear_error(self):
        words = ("submit", "-t", "1m")
        below = self.via("kim", *words, "--start-notice=-5m", "--", "true")
        self.assertEqual(below.code, 2, below)
        self.assertIn("--start-notice", below.err)
        beyond = self.via("kim", *words, "--start-by", "now+1h", "--start-notice", "2h", "--",
                          "true")
        self.assertNotEqual(beyond.code, 0, beyond)
        self.assertIn("--start-notice: 2h is more than its window", beyond.err)
        at = self.via("kim", *words, "--at", "now+1h", "--start-notice", "2m", "--", "true")
        self.assertIn("--at says exactly when", at.err)


class ShrunkNodesTest(SiteTest):
    def sizes(self, first, second):
        self.write_site(nodes="n1")
        text = (self.root / "lakes.toml").read_text()
        text = text.replace('mem = "1gb"', f'mem = "{first}"', 1)
        nodes, users = text.split("[[user]]", 1)
        more = f'[[nodes]]\nnames = "n2"\nresources = {{ ncpus = 4, mem = "{second}" }}\n'
        (self.root / "lakes.toml").write_text(nodes + more + "[[user]]" + users)
        return self.ok("root", "reload").out

    def nodes_of(self, number):
        return self.job(number)["parts"][0]["nodes"]

    def test_half_of_a_nodes_memory_is_lost_and_what_was_promised_there_is_off_it(self):
        busy = [self.submit("-t", "1m", "-l", "1:ncpus=4:mem=256mb") for _ in range(2)]
        for number in busy:
            until(self.is_in(number, "running"), "both nodes are busy")
        waiting = [self.submit("-t", "20s", "-l", "1:ncpus=4:mem=800mb", command=("sleep", "1"))
                   for _ in range(2)]
        on_n1 = next(number for number in waiting if self.nodes_of(number) == ["n1"])
        told = self.sizes("512mb", "1gb")
        read = time.time()
        self.assertIn("n1 has lost 512mb of memory: 1 booking there must move "
                      f"(lakes/{on_n1})", told)
        until(lambda: self.nodes_of(on_n1) == ["n2"], "it is off the node", 2)
        self.assertLess(time.time() - read, 2)
        cause = self.job(on_n1)["history"][-1]["cause"]
        self.assertEqual((cause["code"], cause["subject"]["node"], cause["resource"]),
                         ("node_lost", "n1", "mem"))
        self.assertIn("lost 512mb", self.ok("kim", "nodes").out)
        self.assertEqual(self.job(busy[0])["state"], "running", "what runs goes on")
        for number in busy:
            self.ok("kim", "cancel", number, "--yes")
        for number in waiting:
            until(self.is_in(number, "ended"), "it has run", 60)
            job = self.job(number)
            self.assertEqual(job["outcome"], "done")
            self.assertNotIn("overrun", str(job["history"]) + str(job["events"]))

    def test_where_every_node_shrinks_nothing_is_never_until_an_operator_gives_it_up(self):
        waits = self.submit("-t", "1m", "--from", "now+10m", "-l", "1:ncpus=1:mem=800mb")
        self.sizes("512mb", "512mb")
        until(self.is_in(waits, "waiting"), "it has no place")
        words = ("submit", "-t", "1m", "-l", "1:ncpus=1:mem=800mb", "--", "true")
        refused = self.via("kim", *words)
        self.assertIn("until something is repaired", refused.err)
        self.sizes("512mb", "1gb")
        until(self.is_in(waits, "promised"), "it has a place again")
        self.assertEqual(self.nodes_of(waits), ["n2"])
        self.ok("kim", "cancel", waits, "--yes")
        self.sizes("512mb", "512mb")
        for node in ("n1", "n2"):
            self.ok("root", "drain", node, "--for-good", "--reason", "dimm", "--yes")
        self.assertIn("can never run", self.via("kim", *words).err)
        self.ok("root", "resume", "n[1-2]", "--yes")
        self.assertIn("can never run", self.via("kim", *words).err)
        small = self.submit("-t", "1m", "-l", "1:ncpus=1:mem=500mb", command=("true",))
        until(self.is_in(small, "ended"), "what is left is used")


if __name__ == "__main__":
    unittest.main()
