"""A federation of more sites than are asked about a job: who is asked, and which of alike sites is
taken."""
import pathlib
import tempfile
import unittest

from federation import BIN
from live_federation import LiveFederation, Site

LISTEN = "tcp://127.0.0.1:7796"
HOME = "west"
PLAIN = {"ncpus": 2, "mem": "1gb"}


class ManySites(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-e2e-"))
        names = ("alps", "bays", "east", "north", "south", HOME)
        sites = [Site(name, "n[1-2]", PLAIN | ({"ngpus": 2} if name == "alps" else {}),
                      ports=f"{24000 + 100 * i}-{24099 + 100 * i}")
                 for i, name in enumerate(names)]
        cls.fed = LiveFederation(cls.folder, BIN, LISTEN, sites, {})
        cls.fed.up()

    @classmethod
    def tearDownClass(cls):
        cls.fed.close()

    def site_of(self, *words):
        answer = self.fed.muster("-q", "submit", *words, "--", "sleep", "30")
        self.assertEqual(answer.code, 0, answer)
        job = answer.out.strip()

        def sites():
            parts = self.fed.muster("--json", "show", job).json()["job"]["parts"]
            return [part["site"] for part in parts if part["site"]]
        self.assertTrue(self.fed.wait_for(sites, 10), self.fed.tails())
        found = sites()
        self.fed.muster("cancel", job)
        return found

    def set_home(self, site):
        path = self.folder / "meta.toml"
        text = "".join(line for line in path.read_text().splitlines(keepends=True)
                       if not line.startswith("home"))
        path.write_text(text + (f'home = "{site}"\n' if site else ""))
        answer = self.fed.muster("reload")
        self.assertEqual(answer.code, 0, answer)

    def test_of_alike_sites_that_are_idle_the_users_home_is_taken(self):
        self.set_home(HOME)
        for _ in range(5):
            self.assertEqual(self.site_of("-t", "5m", "-l", "1"), [HOME])
        self.assertIn(HOME, self.site_of("-t", "5m", "--apart", "-l", "1", ":", "-l", "1"))

    def test_plain_work_keeps_off_the_nodes_that_few_have(self):
        self.set_home("")
        for _ in range(3):
            self.assertNotEqual(self.site_of("-t", "5m", "-l", "1"), ["alps"])
        self.assertEqual(self.site_of("-t", "5m", "-l", "1:ngpus=1"), ["alps"])


if __name__ == "__main__":
    unittest.main()
