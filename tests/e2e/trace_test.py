"""A real trace on a live federation: its first jobs, with exact run times, keep every promise; and
the comparison finds a promise that was broken."""
import os
import pathlib
import subprocess
import unittest

import trace_replay

DEMO = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "demo"

RUN_LIMIT_S = 200


def document(*told, started="2026-11-21T10:00:05.500Z", outcome="done"):
    """A muster.job/1 with the promises that were told and the causes of their changes."""
    return {"id": "7", "state": "ended", "outcome": outcome, "submitted_at": "2026-11-21T10:00:00Z",
            "parts": [{"site": "lakes", "started_at": started}],
            "history": [{"figures": {"starts_by": {"at": at, "firm": True}},
                         "cause": {"code": cause} if cause else None} for at, cause in told]}


class Comparing(unittest.TestCase):
    log = trace_replay.TraceJob(number=1, arrives=0, run=1, asked=2, parts=(1,))

    def judge(self, *told, exact=False, **more):
        return trace_replay.judge(document(*told, **more), self.log, exact)

    def test_a_start_by_the_promise_is_kept(self):
        self.assertTrue(self.judge(("2026-11-21T10:00:06Z", None)).ok)

    def test_a_start_after_the_promise_is_broken(self):
        judged = self.judge(("2026-11-21T10:00:05Z", None))
        self.assertEqual((judged.ok, judged.verdict), (False, "NO"))

    def test_a_later_start_needs_a_promise_that_covers_it_and_a_cause(self):
        first = ("2026-11-21T10:00:05Z", None)
        self.assertTrue(self.judge(first, ("2026-11-21T10:00:09Z", "node_lost")).ok)
        self.assertFalse(self.judge(first, ("2026-11-21T10:00:09Z", None)).ok)
        self.assertFalse(self.judge(first, ("2026-11-21T10:00:04Z", "joint")).ok)

    def test_with_exact_run_times_nothing_excuses_a_late_start(self):
        self.assertFalse(self.judge(("2026-11-21T10:00:05Z", None),
                                    ("2026-11-21T10:00:09Z", "overrun"), exact=True).ok)

    def test_a_job_that_never_started_or_ended_badly_is_broken(self):
        promise = ("2026-11-21T10:00:06Z", None)
        self.assertFalse(self.judge(promise, started=None, outcome="cancelled").ok)
        self.assertFalse(self.judge(promise, outcome="timeout").ok)

    def test_a_job_larger_than_every_site_is_spread_over_the_largest_ones(self):
        sizes = (20, 48, 32)
        self.assertEqual(trace_replay.split(48, sizes), (48,))
        self.assertEqual(trace_replay.split(82, sizes), (48, 32, 2))
        self.assertEqual(trace_replay.split(101, sizes), ())


@unittest.skipUnless("MUSTER_TRACES" in os.environ, "MUSTER_TRACES is unset: no real trace here")
class RealTrace(unittest.TestCase):
    def test_the_first_jobs_of_a_real_trace_start_by_their_promises(self):
        done = subprocess.run(
            [DEMO / "trace", "--jobs", "60", "--compress", "1200", "--exact", "--until-started",
             "--port", "7792"],
            capture_output=True, text=True, timeout=RUN_LIMIT_S, check=False)
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")
        self.assertIn("kept     60 of 60", done.stdout)
        self.assertRegex(done.stdout, r"[1-9]\d* of them over several sites")


if __name__ == "__main__":
    unittest.main(verbosity=2)
