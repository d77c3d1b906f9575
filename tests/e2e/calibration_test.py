"""How promises and forecasts came out, through the command against a live federation."""
import json
import unittest

from federation import FederationTest, until


class Calibration(FederationTest):
    def rows(self):
        document = json.loads(self.ok(self.fed.muster("--json", "calibration")).out)
        self.assertEqual(document["schema"], "muster.calibration/1")
        return {row["site"]: row for row in document["rows"]}

    def test_promises_count_once_by_site_and_survive_a_restart(self):
        shown = self.ok(self.fed.muster("calibration")).out
        self.assertRegex(shown, r"\Alast 30 days")
        before = self.rows()[None]["promises"]
        self.ok(self.fed.muster("submit", "-t", "1m", "--site", "lakes", "--", "true"))
        self.ok(self.fed.muster("wait", "last"))
        until(lambda: self.rows()[None]["promises"] == before + 1, "the promise is counted")
        row = self.rows()["lakes"]
        self.assertEqual((row["promises"], row["kept"], row["kept_ratio"]), (1, 1, 1))
        self.assertEqual(row["late"], [])
        self.assertIn(row["within_60_s_ratio"], (None, 1))  # none: it ran before anybody asked
        self.assertIn("LAKES", self.ok(self.fed.muster("calibration")).out)
        self.fed.kill("meta")
        self.ok(self.fed.up())
        until(lambda: self.fed.muster("calibration").code == 0, "the meta answers again")
        self.assertEqual(self.rows()["lakes"]["kept"], 1)
        sites = json.loads(self.ok(self.fed.muster("--json", "sites")).out)["sites"]
        self.assertEqual([s["kept_ratio"] for s in sites if s["name"] == "lakes"], [1])

    def test_words_are_refused(self):
        self.fails(self.fed.muster("calibration", "lakes"), 2)


if __name__ == "__main__":
    unittest.main()
