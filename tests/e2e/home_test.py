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


if __name__ == "__main__":
    unittest.main()
