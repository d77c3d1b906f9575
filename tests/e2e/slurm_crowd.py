"""Users of the federation and of the clusters, at the same time, at random but repeatable; and the
judgement of what became of it: by Slurm's completion files, reservations and logs, and by what the
parts themselves wrote down.

MUSTER_SLURM_JOBS: so many jobs of the federation, and as many of the clusters' own users."""
import collections
import os
import random
import re
import time

from federation import until
from slurm_town import CPUS, SETTLES_S, seconds
import slurm_judge

JOBS = int(os.environ.get("MUSTER_SLURM_JOBS", "16"))
CLUSTERS = ("lakes", "woods")
USERS = ("daemon", "games", None)  # of the clusters; None is root
PATIENCE_S = SETTLES_S + 6 * JOBS
LESSONS = "lessons"  # a reservation of the clusters' operators
REFUSALS = (3, 5, 7, 8)  # an answer that says no, as docs/cli.md numbers them
# "late" says that it was, and not why; the others are of starts that came earlier.
SAID_OFTEN = re.compile("resv_|eservation|_sequential_pick|submit_batch_job|update_job")
NO_CAUSES = ("late", "none", "backfilled", "joint")
AWAY_S = 15  # around the start of a controller nothing is handed over, or is lost and repeated
LOCAL_CODES = ("local", "operator", "node_lost")


class Crowd:
    def __init__(self, town, seed, jobs=JOBS):
        self.town = town
        self.draw = random.Random(seed)
        self.wanted = jobs
        self.jobs = []      # of the federation
        self.cancelled = set()
        self.local = []     # (cluster, id)
        self.lessons = []   # clusters that have them
        self.did = collections.Counter()

    def run(self, between=lambda n: None, pause_s=0.3):
        for number in range(self.wanted):
            self.local_users(number)
            self.federation(number)
            between(number)
            time.sleep(pause_s)

    # Users of the clusters.

    def local_users(self, number):
        draw, town = self.draw, self.town
        where, user = draw.choice(CLUSTERS), draw.choice(USERS)
        done = town.run(where, "sbatch", "--parsable", "--output=/dev/null",
                        f"-N{draw.randint(1, 2)}", f"--ntasks-per-node={draw.randint(1, 4)}", "-t1",
                        f"--wrap=sleep {draw.randint(1, 12)}", user=user)
        if done.returncode == 0:
            self.local.append((where, done.stdout.strip()))
            self.did["sbatch"] += 1
        if not self.local:
            return
        cluster, job = draw.choice(self.local)
        if number % 6 == 2:
            self.count("update", town.run(cluster, "scontrol", "update", f"JobId={job}",
                                          f"TimeLimit={draw.randint(1, 3)}", "Nice=5"))
        if number % 7 == 4:
            self.count("scancel", town.run(cluster, "scancel", job))
        if number % 8 == 5:
            self.count("requeue", town.run(cluster, "scontrol", "requeue", job))
        if number % max(self.wanted // 2, 8) == 6:
            self.take_lessons()

    def count(self, what, done):
        self.did[what] += done.returncode == 0

    def take_lessons(self):
        """An operator reserves a node of each cluster, where one is free for that."""
        for cluster in CLUSTERS:
            for node in (4, 3):
                done = self.town.run(
                    cluster, "scontrol", "create", "reservation", f"ReservationName={LESSONS}",
                    "StartTime=now+20", "Duration=1", f"Nodes={cluster[0]}-n{node}", "Users=daemon")
                if done.returncode == 0:
                    self.did["operator's reservations"] += 1
                    self.lessons.append(cluster)
                    break

    # Users of the federation.

    def ask(self, *words):
        """A command that may be refused, but not fail otherwise; what it printed, or ""."""
        answer = self.town.live.muster(*words)
        assert answer.code in (0, *REFUSALS), answer
        self.did[f"{words[words[0] == '-q']}{'' if answer.code == 0 else ' refused'}"] += 1
        return answer.out.strip() if answer.code == 0 else ""

    def submit(self, lasts_s, *words):
        number = self.ask("-q", "submit", *words, "--", "sh", "-c", self.town.script(lasts_s))
        if number:
            self.jobs.append(number)
        return number

    def federation(self, number):
        draw = self.draw
        site = draw.choice(CLUSTERS)
        if number % 5 == 0:
            self.submit(draw.randint(2, 5), "-t", "30s", "--apart", "-l", "1:ncpus=2", ":", "-l",
                        "1:ncpus=2", ":", "-l", "1:ncpus=1")
            self.did["co-allocated"] += 1
        elif number % 10 == 3:
            array = self.submit(draw.randint(1, 4), "-t", "20s", "-a", "1-3", "-l", "1:ncpus=1",
                                "--site", site)
            if array:
                self.jobs[-1:] = [f"{array}[{n}]" for n in (1, 2, 3)]
                self.did["elements"] += 3
        elif number % 10 == 7:
            self.reserve(site, number)
        else:
            self.submit(draw.randint(1, 6), "-t", draw.choice(("20s", "45s", "1m", "61s")), "-l",
                        f"{draw.randint(1, 2)}:ncpus={draw.randint(1, 4)}", "--site", site)
        if number % 4 == 1 and self.jobs:
            self.ask("alter", draw.choice(self.jobs), "-t", draw.choice(("70s", "90s")), "--yes")
        if number % 6 == 3 and self.jobs:
            one = draw.choice(self.jobs)
            self.ask("cancel", one, "--yes")
            self.cancelled.add(one)

    def reserve(self, site, number):
        room = self.ask("-q", "reserve", "-n", "course", "--site", site, "-l", "1:ncpus=2", "-t",
                        "40s", "--start-by", "now+5m")
        if not room:
            return
        inside = self.submit(2, "-t", "20s", "-l", "1:ncpus=1", "--site", site, "--in", room)
        if number % 20 == 7:
            self.ask("cancel", room, "--yes")
            if inside:
                self.cancelled.add(inside)
        self.jobs.append(room)

    # The judgement.

    def judge(self, test, killed=False):
        """Waits for the end of all; returns the jobs as the federation shows them."""
        if killed:
            self.settle()
        shown = self.town.end(self.jobs, PATIENCE_S)
        began = self.town.began()
        test.assertFalse({part: at for part, at in began.items() if len(at) > 1},
                         "parts that ran more than once")
        core_seconds, ran = 0, collections.Counter()
        logs = {}
        for name in CLUSTERS:
            folder = self.town.lab.folder / name
            logs[name] = slurm_judge.log_lines(folder / "slurmctld.log")
            rows = slurm_judge.until_requeued(slurm_judge.completed(folder / "jobcomp"), logs[name])
            twice = slurm_judge.crowded(rows, CPUS)
            test.assertFalse(twice, f"{name}: core-seconds twice: {twice}\n"
                             + (self.around(twice[0][1], logs) if twice else ""))
            stood = slurm_judge.reservations(logs[name])
            test.assertEqual(slurm_judge.trespassers(rows, stood, {LESSONS}), [],
                             f"{name}: where others have reserved")
            core_seconds += sum((row["end"] - row["start"]) * row["cpus"] for row in rows)
            ran.update("the federation's" if row["name"].startswith("mu_") else "local"
                       for row in rows)
            ran["walls"] += len({row["name"] for row in stood if row["name"].startswith("mu_")})
        broken, late = self.promises(shown, began, logs)
        for text in broken:  # in short; the whole with what the controllers did is below
            print("broken without a cause:", text.partition("\n")[0])
        test.assertFalse(broken, "promises broken without a cause:\n" + "\n".join(broken))
        silent = [number for number, job in shown.items() if job["outcome"] == "done"
                  and job["parts"] and not job["reserves"] and not all(
                      f"{number}.{n + 1}" in began for n in range(len(job["parts"])))]
        test.assertEqual(silent, [], "jobs that are done and wrote nothing")
        outcomes = collections.Counter(job["outcome"] for job in shown.values())
        print(f"{len(shown)} jobs of the federation: {dict(outcomes)}; {len(began)} parts began")
        print(f"by Slurm's files: {dict(ran)}, {core_seconds:.0f} core-seconds; 0 core-seconds "
              f"twice, 0 parts twice, 0 promises broken without a cause, {len(late)} with one")
        for line in late:
            print("   ", line)
        print("they did:", ", ".join(f"{n} {what}" for what, n in sorted(self.did.items())))
        return shown

    def settle(self):
        """A controller that has lost a job that runs kills it, and nobody can tell how it ended: an
        operator of the federation says that it has."""
        def states():
            return {number: self.town.state(number) for number in self.jobs}

        until(lambda: set(states().values()) <= {"ended", "unknown"}, "all have ended", PATIENCE_S)
        for number, state in states().items():
            if state == "unknown":
                self.ask("settle", number, "ended")

    def promises(self, shown, began, logs):
        """Those that were broken without a cause, and those with one, in words."""
        broken, late = [], []
        for number, job in shown.items():
            starts = [at for part, all_at in began.items() for at in all_at
                      if part.rpartition(".")[0] == number]
            rows = job["history"]
            firm = [(n, seconds(row["figures"]["starts_by"]["at"])) for n, row in enumerate(rows)
                    if (row["figures"]["starts_by"] or {}).get("firm")]
            if job["reserves"] or job["outcome"] == "cancelled" or number in self.cancelled:
                continue
            started = len(starts) == len(job["parts"])
            missed = [(n, at) for n, at in firm if not started or max(starts) > at + 1]
            if not missed:
                continue
            causes = [(row["at"], row["cause"]) for row in rows[missed[-1][0] + 1:]
                      if row["cause"] and row["cause"]["code"] not in NO_CAUSES]
            said = f"{number}: {f'{max(starts) - missed[0][1]:.1f} s late' if starts else 'never'}"
            # A job that may only start then, and could not, has ended: its part says why.
            ended = [part["ended_text"] for part in job["parts"] if part["ended_text"]]
            if job["outcome"] == "failed" and not starts and ended:
                late.append(f"{said}, failed: {ended[0]}")
                continue
            partial = [event["text"] for event in job["events"] if event["code"] == "partial"]
            if job["outcome"] == "failed" and partial:  # "started only in part: " and the cause
                late.append(f"{said}, {partial[0]}")
                continue
            if not causes and self.controller_was_away(job, missed[0][1], logs):
                late.append(f"{said}, its controller was killed")
                continue
            if not causes:
                broken.append(f"{said}, {job['outcome']}\n{self.town.live.muster('show', number)}\n"
                              + self.around(missed[0][1], logs))
                continue
            late.append(f"{said}, " + ", ".join(
                f"{cause['code']} {self.in_slurms_words(at, cause, logs)}".strip()
                for at, cause in causes))
        return broken, late

    @staticmethod
    def controller_was_away(job, at, logs):
        """Whether a controller of one of its sites began anew shortly before, or just then."""
        sites = {part["site"] for part in job["parts"]}
        again = [when for site in sites for when in [
            when for when, text in logs.get(site, []) if text.startswith("slurmctld version")][1:]]
        return any(at - AWAY_S < when < at + AWAY_S for when in again)

    @staticmethod
    def around(at, logs):
        """What the controllers did about a moment, for a failing test."""
        return "\n".join(f"{name} {when - at:+.3f} {text}" for name, lines in logs.items()
                         for when, text in lines if at - 20 < when < at + 5
                         and not SAID_OFTEN.search(text))

    @staticmethod
    def in_slurms_words(at, cause, logs):
        subject = cause["subject"]
        if cause["code"] not in LOCAL_CODES or subject["site"] not in logs:
            return ""
        words = [word for word in (subject["node"],) if word]
        if (subject["job"] or "").startswith("slurm "):
            words = [f"JobId={subject['job'].split()[1]} "]
        since = seconds(at)
        line = slurm_judge.evidence(logs[subject["site"]], words, since - 90, since + 5)
        return f"({line or 'nothing in the log of Slurm'})"


def settled(town):
    """Lets the operators' lessons end, which leaves the clusters as they were."""
    for name in CLUSTERS:
        until(lambda name=name: LESSONS not in town.reservations(name), "lessons are over", 120)
    town.leaves_nothing()
