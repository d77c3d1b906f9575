"""Nobody loses by joining: what is booked for others gives way to a site's own users, by the
command against a live federation."""
import datetime
import re
import time
import unittest

from federation import FederationTest, until

ROOM = ("-l", "4:ncpus=4", "-t", "10m", "--from", "now+1h")  # a whole site, so late
SOON_S = 12  # what gives way does so sooner


class Home(FederationTest):
    def setUp(self):
        self.meta = self.fed.state / "meta.toml"
        before = self.meta.read_text()
        self.addCleanup(self.fed.muster, "reload")
        self.addCleanup(self.meta.write_text, before)
        name = self.id().rsplit(".", 1)[-1]  # key files are never written over
        public = self.ok(self.fed.muster("-q", "keys", "new", f"{name}.key")).out.strip()
        config = self.fed.root / "visitor.toml"
        known = (self.fed.state / "federation.toml").read_text().splitlines()
        own = f'key = "{self.fed.root}/{name}.key"'
        config.write_text("\n".join(own if line.lstrip().startswith("key ") and ".key" in line
                                    else line for line in known))
        self.visitor = {"MUSTER_CONFIG": str(config)}
        me = re.search(r'\[\[user\]\]\nname\s*=\s*"[^"]+"\n', before).group(0)
        self.meta.write_text(before.replace(me, me + 'home = "lakes"\n') +
                             f'\n[[user]]\nname = "visitor"\nkey = "{public}"\nrole = "user"\n'
                             'home = "hills"\n')
        self.ok(self.fed.muster("reload"))

    def visits(self, *words):
        return self.ok(self.fed.muster("-q", "submit", *words, "--", "true",
                                       env=self.visitor)).out.strip()

    def place(self, job):
        """Where it will run, and by when it starts."""
        told = self.fed.job(job)
        starts = told["figures"]["starts_by"]
        at = starts and datetime.datetime.fromisoformat(starts["at"].replace("Z", "+00:00"))
        return told["parts"][0]["site"], at

    def gone(self, *jobs):
        for job in jobs:
            self.fed.muster("cancel", job, "--yes")
        until(lambda: all(self.fed.job(job)["state"] == "ended" for job in jobs),
              f"{jobs} are gone")

    def test_a_foreign_booking_gives_way_to_a_home_request_and_keeps_its_promise(self):
        visit = self.visits("--site", "lakes,woods", *ROOM)
        until(lambda: self.place(visit)[1], "the visitor is promised a start")
        site, promised = self.place(visit)
        self.assertEqual(site, "lakes", "of sites that are alike the first")
        at_home = self.fed.submit("--site", "lakes", *ROOM, "--", "true")
        until(lambda: self.place(visit)[0] == "woods", "the visitor has gone to woods")
        room = promised + datetime.timedelta(minutes=1)
        until(lambda: self.place(at_home)[1] < room, "the home request has the room")
        self.assertLessEqual(self.place(visit)[1], promised, "no promise gets later")
        shown = self.ok(self.fed.muster("show", visit)).out
        self.assertIn("gives way at no later start to users at home there", shown)
        self.assertRegex(self.ok(self.fed.muster("sites", "--home")).out,
                         r"SITE +GIVEN +TAKEN +BALANCE")
        self.gone(visit, at_home)

    def test_without_home_first_the_visitor_stays(self):
        text = self.meta.read_text()
        self.assertNotIn("[scheduler]", text)
        self.meta.write_text(text + "\n[scheduler]\nhome_first = false\n")
        self.ok(self.fed.muster("reload"))
        visit = self.visits("--site", "lakes,woods", *ROOM)
        until(lambda: self.place(visit)[1], "the visitor is promised a start")
        at_home = self.fed.submit("--site", "lakes", *ROOM, "--", "true")
        until(lambda: self.place(at_home)[1], "the home request is promised a start behind it")
        time.sleep(SOON_S)
        self.assertEqual(self.place(visit)[0], "lakes")
        self.assertIn("nothing is counted", self.ok(self.fed.muster("sites", "--home")).out)
        self.gone(visit, at_home)

    # Behind the test of windows, which counts the jobs that end at home.
    def test_once_it_gave_enough_a_site_promises_others_nothing_and_lends(self):
        self.meta.write_text(self.meta.read_text() + '\n[[qos]]\nname = "filler"\ngrant = ["*"]\n'
                             'promise = "start"\nrecall = "requeue"\nmin_run = "2s"\n')
        self.ok(self.fed.muster("reload"))
        self.addCleanup(self.fed.configure, "lakes")
        self.ok(self.fed.configure("lakes", '\n[federation]\nbeyond_balance = "lend"\n'
                                            '[lent]\nto = ["*"]\n'))
        visit = self.visits("--site", "lakes", *ROOM)
        until(lambda: self.place(visit)[1], "until then the visitor is promised a start")
        _, promised = self.place(visit)
        ask = ("ask", "--site", "lakes", "-l", "1:ncpus=1", "-t", "1m")
        until(lambda: self.fed.muster(*ask, env=self.visitor).code != 0, "lakes gave enough", 90)
        self.fails(self.fed.muster(*ask, env=self.visitor), 5, "lends beyond that")
        later = self.visits("--site", "lakes", "-l", "1:ncpus=1", "-t", "1m")
        until(lambda: "lends beyond that" in self.ok(self.fed.muster("show", later)).out,
              "a visitor waits, and is told why")
        elsewhere = self.visits("--site", "lakes,woods", "-l", "1:ncpus=1", "-t", "1m")
        until(lambda: self.fed.job(elsewhere)["state"] == "ended", "another one ran at woods")
        self.assertEqual(self.place(elsewhere)[0], "woods")
        filler = self.visits("--site", "lakes", "-l", "1:ncpus=1", "-t", "1m", "--qos", "filler")
        until(lambda: self.fed.job(filler)["state"] == "ended", "lent room is there for all", 60)
        at_home = self.fed.submit("--site", "lakes", "-l", "1:ncpus=1", "-t", "1m", "--", "true")
        until(lambda: self.fed.job(at_home)["state"] == "ended", "who is at home ran at once")
        self.assertEqual(self.place(visit), ("lakes", promised), "what is promised stays")
        self.assertIn("lends-beyond:0%", self.ok(self.fed.muster("sites", "--json")).out)
        self.gone(visit, later)

    def test_each_window_tells_how_home_users_fared_beside_being_alone(self):
        self.meta.write_text(self.meta.read_text() + '\n[fairshare]\nwindow = "1m"\n')
        self.ok(self.fed.muster("reload"))
        # The visitor runs, so that it cannot give way.
        visit = self.ok(self.fed.muster("-q", "submit", "--site", "lakes", "-l", "4:ncpus=4",
                                        "-t", "1m", "--", "sleep", "20",
                                        env=self.visitor)).out.strip()
        until(lambda: self.fed.job(visit)["state"] == "running", "the visitor runs")
        at_home = self.fed.submit("--site", "lakes", "-l", "4:ncpus=4", "-t", "1m", "--", "true")
        until(lambda: self.fed.job(at_home)["state"] == "ended", "the home job has ended", 60)
        # What was free before is forgotten; what has run is not.
        self.fed.kill("meta")
        self.fed.restart("meta")

        def fare():
            answer = self.fed.muster("sites", "--home", "--json")
            sites = answer.json()["sites"] if answer.code == 0 else []
            return next((site["home"] for site in sites
                         if site["name"] == "lakes" and site["home"]
                         and site["home"]["jobs"]), None)
        until(fare, "the window has ended and was looked at", 120)
        told = fare()
        self.assertEqual(told["jobs"], 1)
        self.assertGreater(told["wait_most_s"], 10, "it waited for the visitor")
        self.assertLess(told["alone_wait_most_s"], 8, "alone it had begun at once")
        self.assertRegex(self.ok(self.fed.muster("sites", "--home")).out,
                         r"SITE +JOBS +WAIT +ALONE +OUT +WINDOW\n(?:.*\n)?lakes +1 ")


if __name__ == "__main__":
    unittest.main()
