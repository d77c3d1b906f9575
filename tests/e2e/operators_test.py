"""The operators' guide (docs/operators.md), walked: a site joins a running federation, nodes are
drained, keys change, a wrong file is refused, state is lost; and everything of it is on record."""
import json
import os
import pathlib
import shutil
import signal
import tempfile
import unittest

from live_federation import LiveFederation, Site

BIN = pathlib.Path(os.environ["MUSTER_BIN_DIR"])
PATIENCE_S = 30  # no single step takes longer
PROTOCOL = {"heartbeat": "300ms", "lead": "2s", "start_wait": "6s", "permit_window": "3s"}
LAKES = Site("lakes", "n[1-2]", {"ncpus": 2}, ports="27000-27499")
WOODS = Site("woods", "n[1-2]", {"ncpus": 2}, ports="27500-27999")


class Operators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-e2e-operators-"))
        cls.fed = LiveFederation(cls.folder, BIN, "tcp://127.0.0.1:7794", [LAKES], PROTOCOL)
        cls.addClassCleanup(cls.fed.close)
        cls.fed.up()

    def run(self, result=None):
        before = len(result.failures) + len(result.errors) if result else 0
        super().run(result)
        if result and len(result.failures) + len(result.errors) > before:
            print(self.fed.tails(20))
        return result

    def until(self, holds, what):
        self.assertTrue(self.fed.wait_for(holds, PATIENCE_S),
                        f"after {PATIENCE_S} s it does not hold that {what}")

    def ok(self, *words):
        answer = self.fed.muster(*words)
        self.assertEqual(answer.code, 0, f"{words}: {answer}")
        return answer.out

    def site(self, name, state):
        self.until(lambda: self.fed.states().get(name) == state, f"{name} is {state}")

    def state(self, job):
        return json.loads(self.ok("--json", "show", job))["job"]["state"]

    def ends(self, job):
        self.until(lambda: self.state(job) == "ended", f"job {job} ended")
        return json.loads(self.ok("--json", "show", job))["job"]["outcome"]

    def audit(self):
        rows = self.ok("events", "--audit").splitlines()
        return [(row["verb"], row["who"]) for row in map(json.loads, rows)]

    def change_meta(self, change):
        path = self.folder / "meta.toml"
        text = path.read_text()
        path.write_text(change(text))
        self.addCleanup(path.write_text, text)

    def test_a_new_site_joins_a_federation_that_runs(self):
        self.fed.configure_site(WOODS)
        meta = self.folder / "meta.toml"
        meta.write_text(meta.read_text() + self.fed.listed(WOODS))
        self.ok("check", meta)
        self.ok("check", self.folder / "woods.toml")
        self.assertIn("site woods is new", self.ok("reload"))
        self.fed.start("woods")
        self.site("woods", "up")
        job = self.ok("-q", "submit", "--site", "woods", "-t", "10s", "--", "true").strip()
        self.assertEqual(self.ends(job), "done")
        self.assertIn(("reload", "user:tester"), self.audit())

    def test_a_wrong_file_is_refused_whole_and_everything_goes_on(self):
        self.change_meta(lambda text: text.replace("[protocol]", "[protocol]\nleap = \"1s\""))
        refused = self.fed.muster("reload")
        self.assertEqual(refused.code, 2, refused)
        self.assertIn("leap", refused.err)
        self.site("lakes", "up")

    def test_the_configuration_is_read_again_on_a_signal(self):
        before = self.audit()
        self.change_meta(lambda text: text.replace('lead = "2s"', 'lead = "3s"'))
        self.fed.processes["meta"].send_signal(signal.SIGHUP)
        self.until(lambda: ("reload", "signal") in self.audit()[len(before):], "it was read again")
        self.site("lakes", "up")

    def test_a_drained_node_takes_nothing_new_until_it_is_resumed_also_over_a_restart(self):
        self.ok("drain", "lakes/n1", "--reason", "fan", "--yes")
        self.until(lambda: "fan" in self.ok("nodes", "lakes"), "the drain shows, with its reason")
        self.fed.stop("lakes")
        self.fed.start("lakes")
        self.until(lambda: "fan" in self.ok("nodes", "lakes"), "it is drained as before")
        job = self.ok("-q", "submit", "--site", "lakes", "-l", "2:ncpus=2", "-t", "5s", "--",
                      "true").strip()
        self.assertEqual(self.state(job), "waiting")
        self.ok("resume", "lakes/n1", "--yes")
        self.assertEqual(self.ends(job), "done")
        self.assertLessEqual({("drain", "user:tester"), ("resume", "user:tester")},
                             set(self.audit()))

    def test_a_rotated_key_is_heard_and_the_old_one_no_more(self):
        key, old = self.folder / "user.key", self.folder / "user.key.old"
        first = key.read_bytes()
        self.ok("keys", "rotate")
        self.assertEqual(old.read_bytes(), first)
        self.assertIn("rotated", self.ok("keys", "list"))
        self.ok("queue")
        fresh = key.read_bytes()
        key.write_bytes(first)
        self.assertEqual(self.fed.muster("queue").code, 4)
        key.write_bytes(fresh)
        self.ok("queue")
        self.assertIn(("rotate-key", "user:tester"), self.audit())

    def test_a_revoked_key_is_heard_no_more_until_another_one_is_listed(self):
        public = self.fed.new_key("guest")
        config = self.folder / "guest.toml"
        known = (self.folder / "config.toml").read_text()
        config.write_text(known.replace("user.key", "guest.key"))
        block = '[[user]]\nname = "guest"\nkey = "{}"\nrole = "user"\n'
        self.change_meta(lambda text: text + block.format(public))
        self.ok("reload")
        guest = ("--config", config, "queue")
        self.ok(*guest)
        self.assertEqual(self.fed.muster("keys", "revoke", "user:tester").code, 8)
        self.ok("keys", "revoke", "user:guest")
        self.assertEqual(self.fed.muster(*guest).code, 4)
        self.assertIn("revoked", self.ok("keys", "list"))
        self.fed.stop("meta")
        self.fed.start("meta")
        self.until(lambda: self.fed.muster("queue").code == 0, "the meta is back")
        self.assertEqual(self.fed.muster(*guest).code, 4, "it is durable")
        (self.folder / "guest.key").unlink()
        meta = self.folder / "meta.toml"
        meta.write_text(meta.read_text().replace(public, self.fed.new_key("guest")))
        self.ok("reload")
        self.ok(*guest)
        self.assertIn(("revoke-key", "user:tester"), self.audit())
        self.site("lakes", "up")

    def test_a_user_submits_until_their_last_day_and_again_when_the_file_says_so(self):
        public = self.fed.new_key("pupil")
        config = self.folder / "pupil.toml"
        known = (self.folder / "config.toml").read_text()
        config.write_text(known.replace("user.key", "pupil.key"))

        def pupil_until(day):
            return (f'[[user]]\nname = "pupil"\nkey = "{public}"\nrole = "user"\n'
                    f'valid = "until {day}"\n')
        meta = self.folder / "meta.toml"
        plain = meta.read_text()
        self.addCleanup(meta.write_text, plain)
        submit = ("--config", config, "submit", "--site", "lakes", "-t", "1s", "--", "true")
        meta.write_text(plain + pupil_until("2020-12-31"))
        self.ok("check", meta)
        self.ok("reload")
        refused = self.fed.muster(*submit)
        self.assertEqual(refused.code, 4, refused)
        self.assertIn("pupil may submit nothing at this time", refused.err)
        self.assertIn("pupil is valid until 2020-12-31", refused.err)
        self.ok("--config", config, "queue")
        meta.write_text(plain + pupil_until("2099-12-31"))
        self.assertIn("valid at other times", self.ok("reload"))
        self.ok(*submit)
        meta.write_text(plain + pupil_until("2099-13-31"))
        wrong = self.fed.muster("reload")
        self.assertEqual(wrong.code, 2, wrong)
        self.assertIn("2099-13-31", wrong.err)

    def test_a_site_that_lost_its_state_is_given_up_and_comes_back(self):
        job = self.ok("-q", "submit", "--site", "lakes", "--from", "now+1h", "-t", "1m", "--",
                      "true").strip()
        self.until(lambda: self.state(job) == "promised", "the job is promised")
        self.fed.stop("lakes")
        shutil.rmtree(self.folder / "lakes" / "store")
        self.site("lakes", "silent")
        self.fed.start("lakes")
        log = self.folder / "lakes.log"
        self.until(lambda: "the meta refuses this site (incarnation)" in log.read_text(),
                   "the site says why it is refused")
        self.assertEqual(self.fed.muster("site", "forget", "lakes").code, 8)
        self.ok("site", "forget", "lakes", "--yes")
        self.site("lakes", "up")
        self.until(lambda: self.state(job) == "unknown", "nobody can tell of its job")
        self.ok("settle", job, "ended", "--yes")
        self.assertEqual(self.ends(job), "lost")
        self.assertLessEqual({("forget", "user:tester"), ("settle", "user:tester")},
                             set(self.audit()))
        again = self.ok("-q", "submit", "--site", "lakes", "-t", "5s", "--", "true").strip()
        self.assertEqual(self.ends(again), "done")


if __name__ == "__main__":
    unittest.main(verbosity=2)
