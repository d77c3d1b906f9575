"""What another share would do, asked of a live federation, and what it then does. Maui Sect. III
(Simulation, Fairshare); scheduling.md section 19.

Forty seconds before and after as a test; MUSTER_WHATIF_SHARE_S says for how many seconds else.
"""
import datetime
import os
import time
import unittest

from federation import FederationTest, until

SECONDS = int(os.environ.get("MUSTER_WHATIF_SHARE_S", "40"))
RUNS_S = 5
JOBS_S = 2.5  # of each user, one every so many seconds that are looked at: more than can run
RULES = """
[priority]
weight = { fs_global = 5000 }
[fairshare]
window = "1m"
depth = 5
decay = 0.8
[[share]]
who = "ana"
target = "50%"
[[share]]
who = "bea"
target = "50%"
"""


def seconds(text):
    return datetime.datetime.fromisoformat(text).timestamp()


class Shares(FederationTest):
    def setUp(self):
        self.users = {name: self.listed_user(name) for name in ("ana", "bea")}
        self.meta = self.fed.state / "meta.toml"
        text = self.meta.read_text()
        scheduler = '\n[scheduler]\nthreshold = "1s"\nblock_max = 4\n'
        self.assertNotIn("[scheduler]", text)
        self.write(text + scheduler + RULES)

    def write(self, text):
        self.meta.write_text(text)
        self.ok(self.fed.muster("reload"))

    def submit(self, count):
        """One job of each user in turn: whole nodes of hills, which has two."""
        jobs = {name: [] for name in self.users}
        for _ in range(count):
            for name, env in self.users.items():
                answer = self.ok(self.fed.muster(
                    "-q", "submit", "--site", "hills", "-l", "1:ncpus=4", "-t", "8s", "--",
                    "sleep", str(RUNS_S), env=env))
                jobs[name].append(answer.out.strip())
        return jobs

    def use(self, jobs, begin, end):
        """The share of ana in the node-seconds of [begin, end)."""
        used = {}
        for name, ids in jobs.items():
            used[name] = 0
            for part in (self.fed.job(job)["parts"][0] for job in ids):
                if part.get("started_at"):
                    last = seconds(part["ended_at"]) if part.get("ended_at") else end
                    used[name] += max(0, min(last, end) - max(seconds(part["started_at"]), begin))
        return used["ana"] / sum(used.values())

    def test_a_changed_share_does_what_it_was_predicted_to_do(self):
        jobs = self.submit(int(2 * SECONDS / JOBS_S))
        began = time.time()
        time.sleep(SECONDS)
        even = self.use(jobs, began, time.time())
        shares = [("ana", "80%"), ("bea", "20%")]
        change = self.fed.root / "shares.toml"
        change.write_text("".join(
            f'[[change]]\ndo = "set"\nat = "meta"\npath = "share.{i}.target"\nto = "{target}"\n'
            for i, (_, target) in enumerate(shares, 1)))
        run = self.ok(self.fed.muster("--json", "whatif", "--change", str(change), "--for",
                                      f"{SECONDS}s")).json()["run"]
        told = {side: {row["name"]: row["ratio"] for row in run[side]["shares"]}["ana"]
                for side in ("before", "after")}
        changed = RULES
        for name, target in shares:
            changed = changed.replace(f'who = "{name}"\ntarget = "50%"',
                                      f'who = "{name}"\ntarget = "{target}"')
        self.write(self.meta.read_text().replace(RULES, changed))
        began = time.time()
        time.sleep(SECONDS)
        had = self.use(jobs, began, time.time())
        print(f"ana has {even:.0%} of half a share; as it is she would go on with "
              f"{told['before']:.0%}, with 80 % have {told['after']:.0%}: she has {had:.0%}")
        for name, env in self.users.items():
            self.ok(self.fed.muster("cancel", *jobs[name], "--yes", env=env))
        until(lambda: all(self.fed.job(job)["state"] == "ended" for ids in jobs.values()
                          for job in ids[-3:]), "all are gone")
        self.assertAlmostEqual(even, 0.5, delta=0.15)
        self.assertGreater(told["after"], told["before"] + 0.1)
        self.assertAlmostEqual(had, told["after"], delta=0.12)


if __name__ == "__main__":
    unittest.main()
