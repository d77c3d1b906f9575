"""Accounts that pay: set aside, charged and freed, by the command against a live federation."""
import json
import re
import threading
import unittest

from federation import FederationTest, until

TABLES = """
[bank]
rate = { ncpus = 60.0 }
[[account]]
name = "chem"
owners = ["@me"]
[[account]]
name = "bio"
owners = ["*"]
overdraft = 2
[[account]]
name = "closed"
owners = ["ghost"]
[[qos]]
name = "cheap"
grant = ["*"]
charge = 0.5
"""


class OutsideBank:
    """A bank of its own that grants by keys and reads what was charged, as a site's accounting
    would: it may be interrupted anywhere, and repeats."""

    def __init__(self, muster):
        self.muster = muster
        self.last = 0
        self.charged = {}

    def grant(self, account, credits, key):
        for _ in range(2):  # the answer to the first may have been lost
            self.muster("account", "deposit", account, credits, "--once", key)

    def read(self):
        told = self.muster("--json", "account", "all", "statement", "--after", str(self.last))
        for entry in told.json()["entries"]:
            self.last = entry["number"]
            for posting in entry["postings"]:
                if entry["kind"] == "charge" and posting["amount"] < 0:
                    name = posting["account"]
                    self.charged[name] = self.charged.get(name, 0) - posting["amount"]


class Credits(FederationTest):
    def setUp(self):
        self.meta = self.fed.state / "meta.toml"
        self.before = self.meta.read_text()
        self.me = re.search(r'\[\[user\]\]\nname\s*=\s*"([^"]+)"', self.before).group(1)
        self.addCleanup(self.fed.muster, "reload")
        self.addCleanup(self.meta.write_text, self.before)
        ghost = f'\n[[user]]\nname = "ghost"\nkey = "{"g" * 40}"\n'
        self.tables = ghost + TABLES.replace('"@me"', f'"{self.me}"')
        self.meta.write_text(self.before + self.tables)
        self.ok(self.fed.muster("reload"))

    def account(self, name="chem"):
        rows = self.ok(self.fed.muster("--json", "account", name)).json()["accounts"]
        return {key: value / 1e6 if isinstance(value, int) else value
                for key, value in rows[0].items()}

    def deposit(self, credits, *more, account="chem"):
        self.ok(self.fed.muster("account", "deposit", account, str(credits), *more))

    def drain_account(self, name="chem"):
        """Takes what an earlier test has left."""
        left = self.account(name)["balance"]
        if left > 0:
            self.ok(self.fed.muster("account", "adjust", name, f"-{left:.6f}"))

    def state(self, job):
        return self.fed.job(job)["state"]

    def sites_are_up(self):
        sites = self.fed.muster("--json", "sites")
        return sites.code == 0 and {s["state"] for s in sites.json()["sites"]} == {"up"}

    def gone(self, *jobs):
        for job in jobs:
            self.fed.muster("cancel", job, "--yes")
        until(lambda: all(self.state(job) == "ended" for job in jobs), f"{jobs} are gone")

    def reason(self, job):
        return self.fed.job(job)["figures"]["no_promise_reason"]

    def test_an_account_runs_dry_while_two_requests_race(self):
        self.drain_account()
        self.deposit(30)
        # Five minutes of four processors cost 20.
        jobs = []
        words = ("--site", "woods", "--from", "now+20m", "-t", "5m", "-l", "1:ncpus=4")
        submit = lambda: jobs.append(self.fed.submit(*words, "--", "true"))
        racers = [threading.Thread(target=submit) for _ in range(2)]
        for racer in racers:
            racer.start()
        for racer in racers:
            racer.join()
        until(lambda: sorted(self.state(job) for job in jobs) == ["promised", "waiting"],
              "one of the two is promised")
        first, second = sorted(jobs, key=lambda job: self.state(job))
        told = until(lambda: self.reason(second), "the other is told why")
        self.assertEqual((told["code"], told["text"]),
                         ("credit", "account chem has 10 of 20 credits"))
        self.assertIn("account chem has 10 of 20 credits",
                      self.ok(self.fed.muster("explain", second)).out)
        self.assertEqual((self.account()["set_aside"], self.account()["free"]), (20, 10))
        liens = self.ok(self.fed.muster("account", "chem", "liens")).out
        self.assertRegex(liens, rf"{first} +20\.00")
        self.assertIn("\n  cost       20 credits set aside\n",
                      self.ok(self.fed.muster("show", first)).out)
        # What is set aside outlives a killed meta, and the second is still not promised.
        self.fed.kill("meta")
        self.fed.restart("meta")
        until(lambda: self.fed.muster("show", first).code == 0, "the meta answers again")
        until(self.sites_are_up, "the sites are back")
        until(lambda: self.reason(second) and self.reason(second)["code"] == "credit", "as before")
        self.assertEqual((self.account()["set_aside"], self.account()["free"]), (20, 10))
        # Cancelled, the first frees what it had, and the second is promised at once.
        self.gone(first)
        until(lambda: self.state(second) == "promised", "the second can be paid")
        self.assertEqual(self.account()["set_aside"], 20)
        self.gone(second)
        self.assertEqual((self.account()["set_aside"], self.account()["free"]), (0, 30))

    def test_a_job_is_charged_for_what_it_used_and_its_statement_says_so(self):
        self.drain_account()
        self.deposit(100, "--note", "the grant of the year")
        quote = self.ok(self.fed.muster("ask", "--site", "woods", "-t", "10m", "-l", "1:ncpus=2"))
        self.assertRegex(quote.out, r"COST .*\n.* 20 ")
        half = self.ok(self.fed.muster("ask", "--site", "woods", "-t", "10m", "-l", "1:ncpus=2",
                                       "--qos", "cheap"))
        self.assertRegex(half.out, r"COST .*\n.* 10 ")
        job = self.fed.submit("--site", "woods", "-t", "10m", "-l", "1:ncpus=2", "--", "sleep", "3")
        until(lambda: self.account()["set_aside"] == 20, "what it may cost is set aside")
        until(lambda: self.state(job) == "ended", "it ended")
        row = until(lambda: (now := self.account())["set_aside"] == 0 and now, "it is settled")
        used = self.fed.job(job)["cost"]["charged"] / 1e6
        # Two processors for a few seconds, at a credit a minute.
        self.assertGreaterEqual(used, 0.1)
        self.assertLess(used, 0.4)
        self.assertAlmostEqual(row["balance"], 100 - used, places=6)
        statement = self.ok(self.fed.muster("account", "chem", "statement")).out
        self.assertRegex(statement, r"deposit +100\.00 +bank .*the grant of the year")
        self.assertRegex(statement, rf"charge +-\S+ +site:woods +{job} +muster")
        supplied = self.ok(self.fed.muster("--json", "account")).json()["accounts"]
        woods = next(row for row in supplied if row["name"] == "site:woods")
        self.assertGreaterEqual(woods["balance"] / 1e6, used)
        self.assertEqual(sum(row["balance"] for row in supplied), 0)

    def test_a_longer_job_is_paid_for_first_and_a_shorter_one_frees_the_rest(self):
        self.drain_account()
        self.deposit(30)
        words = ("--site", "woods", "--from", "now+20m", "-l", "1:ncpus=2")
        job = self.fed.submit(*words, "-t", "10m", "--", "true")
        until(lambda: self.account()["set_aside"] == 20, "promised")
        self.fails(self.fed.muster("alter", job, "-t", "20m"), 8,
                   "account chem has 30 of 40 credits")
        self.assertEqual((self.state(job), self.account()["set_aside"]), ("promised", 20))
        self.ok(self.fed.muster("alter", job, "-t", "5m"))
        until(lambda: self.account()["set_aside"] == 10, "it costs less")
        self.gone(job)
        runs = self.fed.submit("--site", "woods", "-t", "5m", "-l", "1:ncpus=2", "--", "sleep",
                               "300")
        until(lambda: self.state(runs) == "running", "it runs")
        self.fails(self.fed.muster("alter", runs, "-t", "20m"), 8,
                   "account chem has 30 of 40 credits", "nothing was changed")
        self.ok(self.fed.muster("alter", runs, "-t", "6m"))
        until(lambda: self.account()["set_aside"] == 12, "the longer one is paid for")
        self.gone(runs)
        until(lambda: self.account()["set_aside"] == 0, "it is settled")

    def test_an_overdraft_may_be_used_and_deposits_end(self):
        self.drain_account("bio")
        words = ("--site", "woods", "--from", "now+20m", "-l", "1:ncpus=1", "-A", "bio")
        job = self.fed.submit(*words, "-t", "2m", "--", "true")
        until(lambda: self.state(job) == "promised", "its account may owe 2")
        self.assertEqual(self.account("bio")["free"], 0)
        self.gone(job)
        self.deposit(50, "--until", "now+3s", account="bio")
        until(lambda: self.account("bio")["balance"] == 0, "what is left is gone at its end")
        later = self.fed.submit(*words, "-t", "10m", "--", "true")
        until(lambda: self.reason(later) and self.reason(later)["code"] == "credit", "too dear")
        self.deposit(50, "--from", "now+4s", account="bio")
        told = until(lambda: (why := self.reason(later)) and why["until"] and why,
                     "it is told when its account has more", 10)
        self.assertEqual(told["code"], "credit")
        until(lambda: self.state(later) == "promised", "promised as its allocation begins")
        self.gone(later)

    def test_operators_alone_post_and_nothing_is_posted_in_half(self):
        self.drain_account()
        self.deposit(10)
        self.fails(self.fed.muster("account", "transfer", "chem", "bio", "11"), 8,
                   "chem has 10 to give, not 11", "nothing was posted")
        self.ok(self.fed.muster("account", "transfer", "chem", "bio", "4"))
        self.assertEqual(self.account()["balance"], 6)
        self.fails(self.fed.muster("account", "deposit", "cehm", "5"), 3, "no account 'cehm'")
        self.fails(self.fed.muster("account", "deposit", "chem", "-5"), 8, "more than 0")
        self.fails(self.fed.muster("account", "deposit", "chem", "many"), 2,
                   "'many' is no amount of credits")
        self.fails(self.fed.muster("account", "deposit", "site:woods", "5"), 2,
                   "no account that anybody may use")
        self.ok(self.fed.muster("account", "deposit", "chem", "5", "--once", "march"))
        self.ok(self.fed.muster("account", "deposit", "chem", "5", "--once", "march"))
        self.fails(self.fed.muster("account", "deposit", "chem", "6", "--once", "march"), 8,
                   "has this key and posted something else")
        self.assertEqual(self.account()["balance"], 11)
        self.fails(self.fed.muster("submit", "-t", "1m", "-A", "closed", "--", "true"), 4,
                   "-A closed: " + self.me + " has no such account")

    def test_a_bank_outside_grants_by_keys_and_reads_what_was_charged(self):
        self.drain_account()
        bank = OutsideBank(self.fed.muster)
        bank.read()
        bank.charged.clear()
        bank.grant("chem", "50", "outside-1")
        self.assertEqual(self.account()["balance"], 50)
        job = self.fed.submit("--site", "woods", "-t", "2m", "-l", "1:ncpus=2", "--", "sleep", "1")
        until(lambda: self.state(job) == "ended" and self.account()["set_aside"] == 0, "settled")
        bank.read()
        bank.read()
        self.assertEqual(bank.charged, {"chem": self.fed.job(job)["cost"]["charged"]})

    def test_a_bank_that_means_nothing_is_refused_and_all_stays(self):
        for table, text in (("[bank]\nrate = { ncpus = -1 }\n", "credits an hour"),
                            ('[bank]\nrate = { "mem/xx" = 1 }\n', "unknown unit"),
                            ("[bank]\nrate = {}\n", "nothing has a rate")):
            self.meta.write_text(self.before + self.tables.replace(
                "[bank]\nrate = { ncpus = 60.0 }\n", table))
            self.fails(self.fed.muster("reload"), 2, text)
        job = self.fed.submit("--site", "woods", "-A", "bio", "-t", "1m", "-l", "1:ncpus=1", "--",
                              "true")
        until(lambda: self.fed.job(job)["cost"], "it is still paid for")
        self.gone(job)


if __name__ == "__main__":
    unittest.main()
