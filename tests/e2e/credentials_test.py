"""Accounts, qualities of service and ceilings, through the command against a live federation."""
import datetime
import re
import unittest

from federation import FederationTest, until

TABLES = """
[[account]]
name = "chem"
owners = ["{me}"]
[[account]]
name = "course"
owners = ["*"]
[[account]]
name = "closed"
owners = ["ghost"]
[[qos]]
name = "urgent"
grant = ["account chem"]
urgency = 90
target = "30m"
points = 200
may = ["firm"]
[[qos]]
name = "filler"
grant = ["*"]
urgency = 10
promise = "start"
"""


class Credentials(FederationTest):
    def setUp(self):
        self.meta = self.fed.state / "meta.toml"
        self.before = self.meta.read_text()
        self.me = re.search(r'\[\[user\]\]\nname\s*=\s*"([^"]+)"', self.before).group(1)
        self.addCleanup(self.fed.muster, "reload")
        self.addCleanup(self.meta.write_text, self.before)
        ghost = f'\n[[user]]\nname = "ghost"\nkey = "{"g" * 40}"\n'
        self.tables = ghost + TABLES.format(me=self.me)
        self.reload(self.tables)

    def reload(self, tables):
        self.meta.write_text(self.before + tables)
        return self.ok(self.fed.muster("reload")).out

    def state(self, job):
        return self.fed.job(job)["state"]

    def sites_are_up(self):
        sites = self.fed.muster("--json", "sites")
        return sites.code == 0 and {s["state"] for s in sites.json()["sites"]} == {"up"}

    def gone(self, *jobs):
        for job in jobs:
            self.fed.muster("cancel", job, "--yes")
        until(lambda: all(self.state(job) == "ended" for job in jobs), f"{jobs} are gone")

    def test_what_is_granted_is_filled_in_shown_altered_and_kept_over_a_restart(self):
        words = ("--site", "woods", "--from", "now+10m", "-t", "5m")
        job = self.fed.submit(*words, "--", "true")
        self.assertEqual((self.fed.job(job)["account"], self.fed.job(job)["qos"]), ("chem", None))
        self.fails(self.fed.muster("submit", *words, "-A", "closed", "--", "true"), 4,
                   f"-A closed: {self.me} has no such account", "-A chem or -A course",
                   "nothing was submitted")
        self.fails(self.fed.muster("submit", *words, "-A", "course", "--qos", "urgent", "--",
                                   "true"), 4, f"--qos urgent: {self.me} has no such QoS",
                   "--qos filler")
        self.fails(self.fed.muster("submit", *words, "--firm", "--", "true"), 4,
                   "--firm is for QoS urgent", "--qos urgent")
        self.fails(self.fed.muster("ask", *words, "-A", "closed"), 4, "no such account")
        until(lambda: self.state(job) == "promised", "it has its place")
        told = self.ok(self.fed.muster("alter", job, "--qos", "urgent")).out
        self.assertIn("QoS urgent", told)
        until(lambda: self.fed.job(job)["qos"] == "urgent" and self.state(job) == "promised",
              "its place is that of the other QoS")
        self.assertIn("\n  for        account chem, QoS urgent\n",
                      self.ok(self.fed.muster("show", job)).out)
        self.fails(self.fed.muster("alter", job, "-A", "course"), 4, "no such QoS",
                   "nothing was changed")
        self.fed.kill("meta")
        self.fed.restart("meta")
        until(lambda: self.fed.muster("show", job).code == 0, "the meta answers again")
        until(self.sites_are_up, "the sites are back")
        shown = self.fed.job(job)
        self.assertEqual((shown["account"], shown["qos"]), ("chem", "urgent"))
        self.ok(self.fed.muster("alter", job, "--qos", "none", "-A", "course"))
        until(lambda: self.fed.job(job)["account"] == "course", "altered")
        self.assertEqual(self.fed.job(job)["qos"], None)
        self.gone(job)

    def test_a_filler_is_promised_nothing_before_it_can_start_and_starts_when_there_is_room(self):
        wall = self.fed.submit("--site", "hills", "-t", "10m", "-l", "2:ncpus=4", "--", "sleep",
                               "600")
        until(lambda: self.state(wall) == "running", "the machine is full")
        filler = self.fed.submit("--site", "hills", "-t", "10m", "-l", "1:ncpus=4", "--qos",
                                 "filler", "--", "sleep", "600")
        waits = until(lambda: (job := self.fed.job(filler))["figures"]["no_promise_reason"] and job,
                      "it is told why it waits")
        self.assertEqual((waits["state"], waits["figures"]["starts_by"]), ("waiting", None))
        behind = self.fed.submit("--site", "hills", "-t", "10m", "-l", "2:ncpus=4", "--", "true")
        until(lambda: self.state(behind) == "promised", "a usual job behind it is promised")
        self.fails(self.fed.muster("ask", "--site", "hills", "-t", "10m", "-l", "2:ncpus=4",
                                   "--qos", "filler", "--from", "now+1h"), 7,
                   "QoS filler is promised nothing before it can start")
        self.gone(behind, wall)
        until(lambda: self.state(filler) == "running", "it starts on what is idle")
        self.gone(filler)

    def test_a_site_limits_an_account_and_a_reservation_is_open_to_one(self):
        site = self.fed.state / "woods.toml"
        before = site.read_text()
        self.addCleanup(self.fed.muster, "reload", "--via", "woods")
        self.addCleanup(site.write_text, before)
        site.write_text(before + '\n[[limit]]\nwho = "account chem"\nresource = "ncpus"\n'
                        'items = 2\n')
        self.ok(self.fed.muster("reload", "--via", "woods"))
        words = ("--site", "woods", "-t", "10m", "-l", "1:ncpus=2")
        first = self.fed.submit(*words, "--", "sleep", "600")
        until(lambda: self.state(first) == "running", "chem has what it may have")
        second = self.fed.submit(*words, "--", "true")
        until(lambda: self.state(second) == "promised", "the second waits for it")
        self.assertIn("limit 2 of ncpus for account chem",
                      self.ok(self.fed.muster("explain", second)).out)
        other = self.fed.submit(*words, "-A", "course", "--", "true")
        until(lambda: self.state(other) in ("running", "ended"), "another account is not held up")
        self.assertRegex(self.ok(self.fed.muster("limits", "woods")).out,
                         r"account chem +ncpus +2 +2")
        self.gone(first, second, other)
        made = self.ok(self.fed.muster("-q", "reserve", "--site", "lakes", "-l", "1:ncpus=2",
                                       "--at", "now+10m", "-t", "10m", "--allow",
                                       "account course,ghost")).out.strip()
        self.assertEqual(self.fed.job(made)["allow"], ["account course", "ghost"])
        self.gone(made)

    def test_a_ceiling_dates_new_work_and_leaves_what_is_promised(self):
        job = self.fed.submit("--site", "woods", "--from", "now+2m", "-t", "1h", "--", "true")
        until(lambda: self.state(job) == "promised", "promised before there is a ceiling")
        promised = self.fed.job(job)["figures"]["starts_by"]["at"]
        ceiling = '[fairshare]\nwindow = "6h"\ndepth = 2\n[[share]]\nwho = "account chem"\n'
        self.reload(self.tables + ceiling + 'ceiling = "30%"\nenforce = "admission"\n')
        row = until(lambda: next((share for share in self.ok(
            self.fed.muster("--json", "shares")).json()["shares"] if share["new_work"]), None),
                    "chem has all there is")
        self.assertRegex(self.ok(self.fed.muster("shares")).out, r"NEW WORK\n.* from \S+")
        barred = self.fed.submit("--site", "lakes", "-t", "5m", "--", "true")
        shown = until(lambda: (one := self.fed.job(barred))["figures"]["starts_by"] and one,
                      "it is promised a start behind the roll-over")
        self.assertGreaterEqual(datetime.datetime.fromisoformat(
            shown["figures"]["starts_by"]["at"]), datetime.datetime.fromisoformat(row["new_work"]))
        self.assertIn("the share of account chem is used up",
                      self.ok(self.fed.muster("explain", barred)).out)
        self.assertEqual(self.fed.job(job)["figures"]["starts_by"]["at"], promised)
        other = self.fed.submit("--site", "lakes", "-t", "5m", "-A", "course", "--", "true")
        until(lambda: self.state(other) in ("running", "ended"), "others start at once")
        self.fails(self.fed.muster("ask", "--site", "lakes", "-t", "5m", "--start-by", "now+5m"),
                   7, "the share of account chem is used up")
        self.gone(job, barred, other)

    def test_a_limit_over_all_sites_moves_a_start_and_names_itself(self):
        self.reload(self.tables + '[[limit]]\nwho = "account chem"\nresource = "ncpus"\n'
                    'items = 4\n[[limit]]\nwho = "account course"\non = "open"\nitems = 1\n')
        first = self.fed.submit("--site", "woods", "-t", "10m", "-l", "1:ncpus=3", "--", "sleep",
                                "600")
        until(lambda: self.state(first) == "running", "the first runs")
        ends = self.fed.job(first)["figures"]["ends_by"]
        second = self.fed.submit("--site", "lakes", "-t", "5m", "-l", "1:ncpus=2", "--", "sleep",
                                 "300")
        shown = until(lambda: (job := self.fed.job(second))["figures"]["starts_by"] and job,
                      "the second is promised a start at an idle site")
        self.assertGreaterEqual(datetime.datetime.fromisoformat(
            shown["figures"]["starts_by"]["at"]), datetime.datetime.fromisoformat(ends))
        self.assertIn("limit 4 of ncpus for account chem over all sites",
                      self.ok(self.fed.muster("explain", second)).out)
        fits = self.fed.submit("--site", "lakes", "-t", "5m", "-l", "1:ncpus=1", "--", "sleep",
                               "300")
        until(lambda: self.state(fits) == "running", "what fits under it starts at once")
        self.assertRegex(self.ok(self.fed.muster("limits")).out, r"account chem +ncpus +4 +4")
        self.fails(self.fed.muster("submit", "-t", "1m", "-l", "1:ncpus=5", "--", "true"), 7,
                   "it asks for 5 of ncpus", "limit 4 of ncpus for account chem over all sites")
        self.fails(self.fed.muster("alter", first, "-t", "30m"), 8, "limit 4 of ncpus")
        other = self.fed.submit("-A", "course", "--from", "now+10m", "-t", "1m", "--", "true")
        another = ("submit", "-t", "1m", "-A", "course", "--", "true")
        self.fails(self.fed.muster(*another), 5, "1 open job already",
                   "limit 1 open job for account course over all sites")
        # What it counts outlives a killed meta.
        self.fed.kill("meta")
        self.fed.restart("meta")
        until(lambda: self.fed.muster("show", second).code == 0, "the meta answers again")
        until(self.sites_are_up, "the sites are back")
        self.fails(self.fed.muster(*another), 5, "1 open job already")
        self.assertEqual(self.state(second), "promised")
        # Room under the limit moves the second up, at its own site.
        self.gone(first, fits)
        until(lambda: self.state(second) == "running", "it starts when the first has gone", 100)
        self.gone(second, other)

    def test_a_table_that_means_nothing_is_refused_and_all_stays(self):
        for table, text in (('[[qos]]\nname = "x"\n', "nobody may ask for this QoS"),
                            ('[[account]]\nname = "chem"\nowners = ["*"]\n',
                             "two accounts are named 'chem'"),
                            ('[[qos]]\nname = "x"\ngrant = ["*"]\npromise = "block"\n',
                             "there are no blocks")):
            self.meta.write_text(self.before + self.tables + table)
            self.fails(self.fed.muster("reload"), 2, text)
        job = self.fed.submit("--site", "woods", "--qos", "urgent", "-t", "1m", "--", "true")
        self.assertEqual(self.fed.job(job)["qos"], "urgent")
        self.gone(job)


if __name__ == "__main__":
    unittest.main()
