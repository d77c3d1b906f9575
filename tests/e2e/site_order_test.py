"""A site's own order and shares, through the command against a live federation."""
import datetime
import re
import unittest

from federation import FederationTest, until


ACCOUNTS = """
[[account]]
name = "plain"
owners = ["*"]
[[account]]
name = "owners"
owners = ["*"]
"""


class SiteOrder(FederationTest):
    def setUp(self):
        meta = self.fed.state / "meta.toml"
        before = meta.read_text()
        self.me = re.search(r'\[\[user\]\]\nname\s*=\s*"([^"]+)"', before).group(1)
        self.addCleanup(self.fed.muster, "reload")
        self.addCleanup(meta.write_text, before)
        meta.write_text(before + ACCOUNTS)
        self.ok(self.fed.muster("reload"))

    def state(self, job):
        return self.fed.job(job)["state"]

    def started(self, job):
        return self.fed.job(job)["parts"][0]["started_at"]

    def gone(self, *jobs):
        for job in jobs:
            self.fed.muster("cancel", job, "--yes")
        until(lambda: all(self.state(job) == "ended" for job in jobs), f"{jobs} are gone")

    def test_a_site_moves_earlier_first_whom_it_prefers(self):
        self.addCleanup(self.fed.configure, "hills")
        self.ok(self.fed.configure("hills", '\n[priority]\nweight = { cred = 1000 }\n'
                                   'points = { "account owners" = 500 }\n'))
        words = ("--site", "hills", "-l", "2:ncpus=4", "-t")
        wall = self.fed.submit(*words, "10m", "--", "sleep", "600")
        until(lambda: self.state(wall) == "running", "the machine is full")
        plain = self.fed.submit(*words, "10m", "--", "sleep", "600")
        preferred = self.fed.submit(*words, "5m", "-A", "owners", "--", "sleep", "300")
        until(lambda: self.state(plain) == self.state(preferred) == "promised",
              "both are promised room behind it")
        shown = self.ok(self.fed.muster("priority", "--site", "hills")).out
        self.assertRegex(shown, "^PLACE +JOB +USER +POINTS +URGENCY +STARTS BY\n"
                         rf" +1 +{preferred} .* 500 ")
        until(lambda: "that hills may move earlier" in
              self.ok(self.fed.muster("priority", preferred)).out, "its points there are told")
        self.gone(wall)
        until(lambda: self.state(preferred) == "running", "the preferred one starts first")
        self.assertEqual(self.state(plain), "promised")
        self.gone(preferred, plain)

    def test_a_ceiling_of_a_site_dates_new_work_there_and_use_is_kept_over_a_crash(self):
        self.addCleanup(self.fed.configure, "woods")
        self.ok(self.fed.configure("woods", '\n[fairshare]\nwindow = "6h"\ndepth = 2\n[[share]]\n'
                                   f'who = "{self.me}"\nceiling = "30%"\n'
                                   'enforce = "admission"\n'))
        first = self.fed.submit("--site", "woods", "-t", "5m", "--", "sleep", "1")
        until(lambda: self.state(first) == "ended", "something was used there")
        row = until(lambda: next((share for share in self.fed.muster(
            "--json", "shares", "--site", "woods").rows("shares") if share["new_work"]), None),
                    "all that was used there is of one user")
        self.assertEqual((row["who"], row["used_ratio"]), (self.me, 1))
        self.fed.kill("woods")
        self.fed.restart("woods")
        again = until(lambda: self.fed.muster("--json", "shares", "--site",
                                              "woods").rows("shares"), "the site is back")
        self.assertEqual((again[0]["used_ratio"], again[0]["new_work"]), (1, row["new_work"]))
        barred = self.fed.submit("--site", "woods", "-t", "5m", "--", "true")
        shown = until(lambda: (one := self.fed.job(barred))["figures"]["starts_by"] and one,
                      "it is promised a start behind the roll-over")
        self.assertGreaterEqual(
            datetime.datetime.fromisoformat(shown["figures"]["starts_by"]["at"]),
            datetime.datetime.fromisoformat(row["new_work"]))
        self.assertIn("the share of " + self.me + " is used up",
                      self.ok(self.fed.muster("explain", barred)).out)
        free = self.fed.submit("--site", "lakes", "-t", "5m", "--", "true")
        until(lambda: self.state(free) == "ended", "another site does not bar it")
        self.gone(barred)


if __name__ == "__main__":
    unittest.main()
