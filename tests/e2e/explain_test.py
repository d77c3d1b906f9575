"""`explain` is tried out: on a busy federation each change that it lists is asked for, and starts
when it said; where it says that nothing shorter helps, shorter ones are asked for too."""
import datetime
import time
import unittest

from federation import FederationTest, until

START_AT_ONCE_S = 180  # a start so near is counted from now
WITHIN_S = 2
SAVES_S = 60
GRID = 20


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Job:
    """What is submitted, in pieces that a change of `muster alter` replaces."""

    def __init__(self, duration, *parts, apart=False):
        self.duration, self.parts, self.apart = duration, [dict(part) for part in parts], apart

    def words(self):
        out = ["--apart"] if self.apart else []
        out += ["-t", self.duration]
        for number, part in enumerate(self.parts):
            out += [":"] if number else []
            for option, value in part.items():
                out += [option, value]
        return out

    def altered(self, argv):
        """As `alter JOB[.PART] OPTIONS` would make it."""
        job = Job(self.duration, *self.parts, apart=self.apart)
        name, options = argv[1], argv[2:]
        part = int(name.split(".")[1]) - 1 if "." in name else None
        if options == ["--no-apart"]:
            job.apart = False
        elif options[0] == "-t":
            job.duration = options[1]
        elif options == ["--site", "any"]:
            for one in job.parts:
                one.pop("--site", None)
        else:
            job.parts[part or 0][options[0]] = options[1]
        return job

    def in_time(self, span):
        return Job(f"{span}s", *self.parts, apart=self.apart)


class Explain(FederationTest):
    """lakes and woods have four nodes of four processors, hills two with a gpu each. All are busy
    for hours, with a gap here and there."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ways = cls.deaf = 0
        busy = [("lakes", "2:ncpus=4", "2h"), ("lakes", "1:ncpus=4", "3h"),
                ("lakes", "1:ncpus=3", "5h"), ("woods", "3:ncpus=4", "4h"),
                ("woods", "1:ncpus=4", "90m"), ("hills", "1:ncpus=4:ngpus=1", "1h"),
                ("hills", "1:ncpus=2:ngpus=1", "6h")]
        jobs = [cls.fed.submit("--site", site, "-l", chunks, "-t", long, "--", "sleep", "3600")
                for site, chunks, long in busy]
        until(lambda: all(cls.fed.job(job)["state"] == "running" for job in jobs), "all is busy")
        # Behind them one that leaves gaps before it.
        for site, chunks, long in (("lakes", "4:ncpus=4", "3h"), ("woods", "4:ncpus=4", "1h")):
            cls.fed.submit("--site", site, "-l", chunks, "-t", long, "--", "true")

    def ask(self, job):
        answer = self.fed.muster("--json", "ask", *job.words())
        if answer.code != 0:
            return None
        starts = [offer["figures"]["starts_by"] for offer in answer.json()["offers"]]
        return min((seconds(start["at"]) for start in starts if start), default=None)

    def explained(self, job):
        """Of a job that is submitted for it, as soon as it is promised; and when it was told."""
        number = self.fed.submit(*job.words(), "--", "true")
        until(lambda: self.fed.job(number)["figures"].get("starts_by"), "it is promised")
        told = self.ok(self.fed.muster("--json", "explain", number)).json()
        at = time.time()
        print(self.fed.muster("explain", number).out)
        self.ok(self.fed.muster("cancel", number))
        return told, at

    def try_out(self, job):
        told, at = self.explained(job)
        self.assertTrue(told["binding"] or told["reason"], told)
        promised = seconds(told["starts_by"]["at"])
        self.assertEqual(told["more"], [])
        for change in told["changes"]:
            self.assertTrue(change["argv"], change)
            said = seconds(change["starts_by"])
            self.assertLessEqual(said, promised - SAVES_S, change)
            self.assertEqual(change["earlier_s"], promised - said)
            asked_at = time.time()
            asked = self.ask(job.altered(change["argv"]))
            self.assertIsNotNone(asked, change)
            if said - at < START_AT_ONCE_S:
                said += asked_at - at
            self.assertLessEqual(abs(asked - said), WITHIN_S,
                                 f"{change}: asked {asked}, said {said}")
            type(self).ways += 1
        if any("shorter duration" in line for line in told["no_help"]):
            span = {"h": 3600, "m": 60}[job.duration[-1]] * int(job.duration[:-1])
            for step in range(GRID):
                asked = self.ask(job.in_time(max(1, span * step // GRID)))
                self.assertGreater(asked, promised - SAVES_S, f"{step} of {GRID}")
            type(self).deaf += 1
        return told

    def test_each_way_does_what_it_says(self):
        everywhere = {"-l": "2:ncpus=4"}
        told = self.try_out(Job("10h", everywhere))
        self.assertTrue(any(change["argv"][2] == "-t" for change in told["changes"]), told)
        self.try_out(Job("10h", {"-l": "4:ncpus=4", "--site": "lakes"}))
        self.try_out(Job("2h", {"-l": "3:ncpus=2:mem=1gb", "--site": "woods"}))
        told = self.try_out(Job("3h", {"-l": "1:ncpus=1"}, {"-l": "1:ncpus=2:ngpus=1"},
                                apart=True))
        self.assertTrue(any("without a gpu" in change["text"] for change in told["changes"]), told)
        told = self.try_out(Job("1h", {"-l": "1:ncpus=4", "--site": "lakes,woods"},
                                {"-l": "1:ncpus=4", "--site": "lakes,woods"},
                                {"-l": "1:ncpus=1", "--site": "lakes,woods"}))
        self.try_out(Job("4h", {"-l": "2:ncpus=4", "--place": "scatter:excl", "--site": "hills"}))
        self.try_out(Job("1h", {"-l": "2:ncpus=1:ngpus=1", "--site": "hills"}))
        self.assertGreater(self.ways, 12)
        self.assertGreater(self.deaf, 0)
        print(f"{self.ways} ways tried, {self.deaf} times nothing shorter helped")

    def test_alter_gives_what_was_said(self):
        job = Job("10h", {"-l": "2:ncpus=4"})
        number = self.fed.submit(*job.words(), "--", "true")
        until(lambda: self.fed.job(number)["figures"].get("starts_by"), "it is promised")
        change = self.ok(self.fed.muster("--json", "explain", number)).json()["changes"][0]
        self.ok(self.fed.muster(*change["argv"], "--yes"))
        got = seconds(self.fed.job(number)["figures"]["starts_by"]["at"])
        self.assertLessEqual(abs(got - seconds(change["starts_by"])), WITHIN_S, change)
        self.ok(self.fed.muster("cancel", number))

    def test_inside_of_a_reservation_its_own_plan_is_explained(self):
        room = self.ok(self.fed.muster("-q", "reserve", "-l", "2:ncpus=4", "--site", "hills", "-t",
                                       "12h")).out.strip()
        first = self.fed.submit("--in", room, "-l", "2:ncpus=4", "-t", "2h", "--", "true")
        second = self.fed.submit("--in", room, "-l", "2:ncpus=4", "-t", "2h", "--", "true")
        until(lambda: self.fed.job(second)["figures"].get("starts_by"), "it is promised")
        told = self.ok(self.fed.muster("--json", "explain", second)).json()
        self.assertEqual(told["binding"]["reason"]["subject"]["job"], first, told)
        self.ok(self.fed.muster("cancel", second, first, room))


if __name__ == "__main__":
    unittest.main()
