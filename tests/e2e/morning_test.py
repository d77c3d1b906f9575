"""The campus demonstration: its own sums are right, it finds what disagrees with them, and on a
live federation whose daemons are killed they agree."""
import copy
import os
import pathlib
import subprocess
import tempfile
import unittest
import contextlib
import io

import campus_judge
import campus_sums
import campus_morning
import campus_town
import trace_replay

DEMO = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "demo"
RUN_LIMIT_S = 280
MINUTE_MS = 60_000
CREDIT = campus_sums.CREDIT


def piece(**more):
    values = {"job": "1", "account": "bio", "qos": "", "site": "lakes", "home": "lakes", "cpus": 4,
              "begin": 0, "end": MINUTE_MS, "cap": 10**12}
    return campus_sums.Piece(**{**values, **more})


class Sums(unittest.TestCase):
    """scheduling.md section 14: half price from 20:00, a QoS of twice the price."""

    terms = campus_sums.Terms(1, {"urgent": 2}, {"hills": 1.5},
                              ((30 * MINUTE_MS, 1000 * MINUTE_MS, 0.5),))

    def test_a_price_is_that_of_the_manual(self):
        self.assertEqual(self.terms.price(8, 0, 90 * MINUTE_MS, "urgent", "lakes"), 16 * CREDIT)
        self.assertEqual(self.terms.price(8, 0, 40 * MINUTE_MS, "urgent", "lakes"), 9_333_333)

    def test_a_site_has_its_multiple_and_half_a_millionth_is_rounded_up(self):
        self.assertEqual(self.terms.price(2, 0, 60_000, "", "hills"), 50_000)
        self.assertEqual(campus_sums.Terms(1, {}, {}).price(1, 0, 9, "", "lakes"), 3)  # 2.5

    def test_a_charge_is_at_most_what_was_told(self):
        row = piece(end=30 * MINUTE_MS, cap=CREDIT)
        self.assertEqual(campus_sums.charges([row, piece(job="2")], self.terms),
                         {("1", "lakes"): CREDIT, ("2", "lakes"): 66_667})

    def test_only_what_ran_away_from_home_was_given_and_taken(self):
        rows = [piece(), piece(site="woods"), piece(site="woods", home="")]
        self.assertEqual(campus_sums.given_and_taken(rows, ("lakes", "woods")),
                         {"lakes": (0, 4 * MINUTE_MS), "woods": (4 * MINUTE_MS, 0)})

    def test_shares_are_of_all_that_was_had(self):
        rows = [piece(), piece(account="chem", cpus=12)]
        self.assertEqual(campus_sums.shares(rows, ("bio", "chem", "phys")),
                         {"bio": 0.25, "chem": 0.75, "phys": 0})

    def test_what_ends_as_another_begins_is_not_beside_it(self):
        rows = [piece(), piece(begin=MINUTE_MS, end=2 * MINUTE_MS), piece(begin=1, end=2, cpus=3)]
        self.assertEqual(campus_sums.most_at_once(rows), 7)


class FakeTown:
    """One job of bio that was promised, ran for half a minute at woods, and was charged."""

    def __init__(self, folder):
        self.folder = folder
        at = "2026-11-21T10:00:{:02}Z".format
        firm = {"starts_by": {"at": at(1), "firm": True}}
        self.job = {
            "id": "1", "name": "log5", "account": "bio", "state": "ended", "outcome": "done",
            "submitted_at": at(0), "duration_s": 60, "figures": {"no_promise_reason": None},
            "history": [{"at": at(0), "figures": firm, "cause": None}],
            "events": [{"at": at(0), "code": "committed", "text": "committed on woods"}],
            "cost": {"charged": 2 * CREDIT},
            "parts": [{"id": "1.1", "site": "woods", "started_at": at(0), "ended_at": at(30),
                       "exit_code": 0, "used": {"elapsed_s": 30.0},
                       "chunks": [{"count": 4, "resources": {"ncpus": 1}}]}]}
        self.entries = [self.entry(1, "deposit", "bank", "bio", 9, None),
                        self.entry(2, "charge", "bio", "site:woods", 2, "1")]
        self.accounts = [self.account("bank", -9), self.account("bio", 7),
                         self.account("site:woods", 2),
                         *(self.account(name, 0) for name in ("chem", "course", "phys"))]
        self.shares = [{"who": f"account {name}", "used_ratio": 1.0 if name == "bio" else 0.0}
                       for name in campus_town.TARGETS]
        self.sites = [{"name": "lakes", "given_s": 0, "taken_s": 120.0},
                      {"name": "woods", "given_s": 120.0, "taken_s": 0},
                      {"name": "hills", "given_s": 0, "taken_s": 0}]

    @staticmethod
    def entry(number, kind, giver, taker, credits, job):
        return {"number": number, "kind": kind, "job": job,
                "postings": [{"account": giver, "amount": -credits * CREDIT},
                             {"account": taker, "amount": credits * CREDIT}]}

    @staticmethod
    def account(name, credits):
        return {"name": name, "balance": credits * CREDIT, "set_aside": 0}

    def ask(self, *words):
        return {"account": {"entries": self.entries, "accounts": self.accounts},
                "shares": {"shares": self.shares}, "sites": {"sites": self.sites},
                "queue": {"jobs": [self.job]}}[words[0]]


class Judging(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        (pathlib.Path(folder.name) / "stamps").mkdir()
        self.town = FakeTown(pathlib.Path(folder.name))
        self.terms = campus_sums.Terms(campus_town.RATE, {}, {})
        self.seen = campus_judge.Seen(self.terms)
        self.addCleanup(setattr, campus_judge, "BALANCE_S", campus_judge.BALANCE_S)
        campus_judge.BALANCE_S = 0

    def found(self, killed=False):
        """What disagrees."""
        log = trace_replay.TraceJob(number=5, arrives=0, run=30, asked=60, parts=(4,))
        ids = {"1": campus_morning.Submission(log, "u4", "bio", "")}
        judge = campus_judge.Judge(self.town, self.terms, ids, [self.town.job], self.seen,
                                   {"bio": [9 * CREDIT], "chem": [], "course": [], "phys": []}, [])
        with contextlib.redirect_stdout(io.StringIO()):
            code = judge.report((), killed)
        self.assertEqual(code, 1 if judge.problems else 0)
        return "\n".join(judge.problems)

    def test_what_agrees_is_found_to_agree(self):
        self.assertEqual(self.found(), "")

    def test_a_charge_that_is_a_millionth_off_is_found(self):
        self.town.entries[1]["postings"][0]["amount"] -= 1
        self.assertIn("sum of entry 2", self.found())
        self.town.entries[1]["postings"][1]["amount"] += 1
        self.assertIn("charge of job 1 at woods: told 2000001, own sum 2000000", self.found())

    def test_a_charge_that_is_missing_or_there_twice_is_found(self):
        entries = self.town.entries
        self.town.entries = entries[:1]
        self.assertIn("charge of job 1 at woods: told 0", self.found())
        self.town.entries = [*entries, copy.deepcopy(entries[1])]
        self.assertIn("charge of job 1 at woods: told 4000000", self.found())

    def test_a_balance_a_share_and_a_given_time_that_are_wrong_are_found(self):
        self.town.accounts[1]["balance"] += 1
        self.town.shares[0]["used_ratio"] = 0.99
        self.town.sites[1]["given_s"] = 120.001
        self.town.sites[0]["taken_s"] = 0
        found = self.found()
        for text in ("balance of bio", "sum of all balances", "share of bio", "given by woods",
                     "taken by users of lakes"):
            self.assertIn(text, found)

    def test_a_late_start_needs_a_cause_and_a_kill(self):
        self.town.job["history"][0]["figures"]["starts_by"]["at"] = "2026-11-21T09:59:59Z"
        self.assertIn("job 1 started 1.00 s after its first promise", self.found(killed=True))
        later = {"at": "2026-11-21T10:00:00Z", "cause": {"code": "overrun"},
                 "figures": {"starts_by": {"at": "2026-11-21T10:00:09Z", "firm": True}}}
        self.town.job["history"].append(later)
        self.assertIn("moved: overrun", self.found())
        self.assertEqual(self.found(killed=True), "")

    def test_a_process_that_says_otherwise_is_found(self):
        (self.town.folder / "stamps" / "1.1.end").write_text("1795255228000\n")
        self.assertIn("part 1.1: end reported as", self.found())

    def test_a_price_that_is_none_and_an_account_beyond_its_overdraft_are_found(self):
        self.seen.take_queue({"as_of": "now", "jobs": [{
            "id": "1", "account": "bio", "figures": {"no_promise_reason": {
                "code": "credit", "text": "account bio has 1 of 99 credits"}}}]})
        self.seen.take_account({"name": "bio", "balance": 5, "set_aside": 6, "overdraft": 0,
                                "free": -1, "liens": [{"job": "1", "amount": 6}]})
        found = self.found()
        self.assertIn("job 1 was told 'account bio has 1 of 99 credits'", found)
        self.assertIn("bio is taken beyond its overdraft", found)
        self.assertIn("accounts that ran dry: told ['bio'], own sum []", found)

    def test_a_job_that_is_there_twice_or_of_nobody_is_found(self):
        town, ask = self.town, self.town.ask
        stranger = {**town.job, "name": "log6"}
        town.ask = lambda *words: {"jobs": [town.job, stranger]} if words[0] == "queue" else (
            ask(*words))
        self.assertIn("jobs of nobody: told ['log6']", self.found())


@unittest.skipUnless("MUSTER_TRACES" in os.environ, "MUSTER_TRACES is unset: no real log here")
class RealMorning(unittest.TestCase):
    def test_sums_agree_though_a_meta_and_a_site_are_killed(self):
        done = subprocess.run(
            [DEMO / "campus", "--first", "10", "--hours", "1", "--settle", "20", "--kill",
             "meta@20,lakes@40,meta@55"],
            capture_output=True, text=True, timeout=RUN_LIMIT_S, check=False)
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")
        self.assertEqual(done.stdout.count("killed   "), 3)
        self.assertRegex(done.stdout, r"\n[1-9]\d* parts were charged")
        self.assertIn("all sums agree", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
