"""Live against simulated: one script of submissions is played by real daemons with the process
driver, and by the same cores in virtual time with the same configuration files
(`muster-sim script`). Job by job both must tell and do the same: sites, first promise, causes,
moves, start. MUSTER_TWIN says how many submissions of the script are played (60 are the whole, four
minutes), MUSTER_SEED draws another script, MUSTER_TWIN_KEEP names a folder for what was played.
"""
import datetime
import json
import os
import pathlib
import random
import shlex
import subprocess
import threading
import time
import tomllib
import unittest

from federation import BIN, FederationTest

WHOLE = 60
PLAYED = int(os.environ.get("MUSTER_TWIN", "16"))  # about a minute and a half
SEED = int(os.environ.get("MUSTER_SEED", "1"))
KEEP = os.environ.get("MUSTER_TWIN_KEEP", "")
SITES = ("hills", "lakes", "woods")
# Between two acts. They fall into the first half of a second, so that what a command takes to reach
# a daemon puts none into the next one: plans count in whole seconds.
APART_S = 2.5
FIRST_S = 2.2
# Starts are on whole seconds; ends are between acts, and no two within the same few milliseconds:
# which of two comes first is decided by what a machine takes to tell it.
END_FROM, END_TO, GOLDEN = 0.3, 0.6, 0.618034
AFTER_S = 70  # what is submitted last has ended this long after
PROMISE_APART_S = 2  # at most
START_APART_S = 3
OCCASION_S = 0.5  # what happens for one cause within this is one occasion


def draw(seed, count):
    """A script as text: of every 12 jobs 8 are single, 3 have several parts, 1 is interactive."""
    rng = random.Random(seed)
    kinds = (["single"] * 8 + ["several"] * 3 + ["interactive"]) * (WHOLE // 12)
    rng.shuffle(kinds)
    jobs, drains, at = [], [], FIRST_S
    for number, kind in enumerate(kinds[:count]):
        asked = rng.randrange(15, 46)
        runs = rng.randrange(4, max(5, asked * 2 // 3))  # most end early, some at their limit
        if rng.random() < 0.05:
            runs = asked + 20
        runs = round(runs + END_FROM + (END_TO - END_FROM) * (number * GOLDEN % 1), 3)
        words = ["-t", f"{asked}s"]
        if kind == "several":
            words += ["--apart"] if rng.random() < 0.6 else []
            for part in range(rng.choice((2, 2, 3))):
                words += ([":"] if part else []) + ["-l", f"1:ncpus={rng.choice((2, 4))}"]
        else:
            words += ["--interactive"] if kind == "interactive" else []
            words += ["-l", f"{rng.choice((1, 1, 1, 2))}:ncpus={rng.choice((2, 4, 4))}"]
            if rng.random() < 0.35:
                words += ["--site", rng.choice(("lakes", "woods"))]
        job = {"name": f"{kind[0]}{number + 1}", "at": at,
               "submit": shlex.join(words + ["--", "sleep", str(runs)])}
        jobs.append(job)
        at += APART_S
        if number == count // 3:  # taken back while it waits or runs
            job["cancel_at"] = at
            at += APART_S
        if number == count // 2:
            drains.append({"at": at, "until": at + 10 * APART_S, "nodes": ["lakes/n1"]})
            at += APART_S
    # Nothing else is said when a node comes back.
    for drain in drains:
        while any(abs(job["at"] - drain["until"]) < 2 for job in jobs):
            drain["until"] += 0.5
    return jobs, drains, int(at + AFTER_S)


def millis(seconds):
    return f"{round(seconds * 1000)}ms"


def as_toml(folder, user, jobs, drains, length):
    lines = ["[script]", f'meta = "{folder}/meta.toml"',
             f'sites = [{", ".join(json.dumps(f"{folder}/{site}.toml") for site in SITES)}]',
             f'user = "{user}"', f'length = "{length}s"']
    for job in jobs:
        lines += ["[[job]]", f'name = "{job["name"]}"', f'at = "{millis(job["at"])}"',
                  f'submit = {json.dumps(job["submit"])}']
        if "cancel_at" in job:
            lines.append(f'cancel_at = "{millis(job["cancel_at"])}"')
    for drain in drains:
        lines += ["[[drain]]", f'at = "{millis(drain["at"])}"',
                  f'until = "{millis(drain["until"])}"', f'nodes = {json.dumps(drain["nodes"])}']
    return "\n".join(lines) + "\n"


def since(text, begins):
    """Seconds from the script's beginning to an RFC 3339 time; None stays None."""
    return None if text is None else round(
        datetime.datetime.fromisoformat(text).timestamp() - begins, 3)


class Told:
    """What one side told and did about a job."""

    def __init__(self, view, begins):
        self.view, self.begins = view, begins
        self.sites = [part["site"] for part in view["parts"]]
        self.started = [since(part["started_at"], begins) for part in view["parts"]]
        promises = [change for change in view["history"]
                    if (change["figures"]["starts_by"] or {}).get("firm")]
        first = promises[0]["figures"]["starts_by"]["at"] if promises else None
        self.promise = since(first, begins)
        self.causes = self.occasions(promises)
        self.moves = max(len(self.causes) - 1, 0)
        self.outcome = view["outcome"]

    def occasions(self, promises):
        """Causes of the promises, in order. Two parts of a job that end at one site end some
        milliseconds apart on a real machine, and who waits may be moved by both: that is one."""
        causes, last = [], None
        for change in promises:
            cause = change["cause"]["code"] if change["cause"] else "none"
            at = since(change["at"], self.begins)
            if not causes or cause != causes[-1] or at - last > OCCASION_S:
                causes.append(cause)
            last = at
        return causes

    def lines(self):
        out = [f"    {self.view['name']}: {self.outcome or self.view['state']} on {self.sites}"]
        rows = [(since(change["at"], self.begins), "figure", json.dumps({
            "starts_by": since((change["figures"]["starts_by"] or {}).get("at"), self.begins),
            "cause": change["cause"]})) for change in self.view["history"]]
        rows += [(since(event["at"], self.begins), event["code"],
                  f"{event['part']} {event['site']} {event['text']}")
                 for event in self.view["events"]]
        for at, what, text in sorted(rows, key=lambda row: row[0]):
            out.append(f"    {at:8.2f} s  {what:10} {text}")
        return out


def differences(live, simulated):
    """What two sides say otherwise of one job."""
    found = []
    for what in ("sites", "causes", "moves", "outcome"):
        a, b = getattr(live, what), getattr(simulated, what)
        if a != b:
            found.append(f"{what}: live {a}, simulated {b}")
    if (live.promise is None) != (simulated.promise is None):
        found.append(f"first promise: live {live.promise}, simulated {simulated.promise}")
    elif live.promise is not None and abs(live.promise - simulated.promise) > PROMISE_APART_S:
        found.append(f"first promise: live {live.promise} s, simulated {simulated.promise} s")
    for part, (a, b) in enumerate(zip(live.started, simulated.started), 1):
        if (a is None) != (b is None) or (a is not None and abs(a - b) > START_APART_S):
            found.append(f"start of part {part}: live {a} s, simulated {b} s")
    return found


class Twin(FederationTest):
    def play(self, script, begins):
        """Does what the script says, each at its time; ids of jobs by name."""
        ids, problems, threads = {}, [], []

        def act(at, what):
            time.sleep(max(0, begins + at - time.time()))
            try:
                what()
            except AssertionError as wrong:
                problems.append(f"at {at} s: {wrong}")

        def submit(job):
            ids[job["name"]] = self.fed.submit("--name", job["name"], *shlex.split(job["submit"]))

        def seconds(text):
            return float(text.removesuffix("ms")) / 1000

        def do(text, what):
            threads.append(threading.Thread(target=act, args=(seconds(text), what)))

        for job in script["job"]:
            do(job["at"], lambda job=job: submit(job))
            if "cancel_at" in job:
                do(job["cancel_at"],
                   lambda job=job: self.ok(self.fed.muster("cancel", ids[job["name"]])))
        for drain in script.get("drain", []):
            do(drain["at"], lambda nodes=drain["nodes"]: self.ok(
                self.fed.muster("drain", "--yes", *nodes)))
            do(drain["until"],
               lambda nodes=drain["nodes"]: self.ok(self.fed.muster("resume", *nodes)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        time.sleep(max(0, begins + int(script["script"]["length"].removesuffix("s")) - time.time()))
        self.assertEqual(problems, [])
        return ids

    def simulate(self, path, begins):
        played = subprocess.run(
            [str(BIN / "muster-sim"), "script", str(path), "--link", "real", "--json", "--begins",
             str(begins)], env=self.fed.env, capture_output=True, text=True, check=False)
        self.assertEqual(played.returncode, 0, played.stdout[-2000:] + played.stderr)
        return json.loads(played.stdout)

    def test_daemons_do_what_the_simulation_of_them_does(self):
        jobs, drains, length = draw(SEED, PLAYED)
        path = self.fed.root / "script.toml"
        path.write_text(as_toml(self.fed.state, self.fed.env["USER"], jobs, drains, length))
        script = tomllib.loads(path.read_text())
        begins = int(time.time()) + 2
        ids = self.play(script, begins)
        live = {name: self.fed.job(job) for name, job in ids.items()}
        simulated = self.simulate(path, begins)
        if KEEP:
            self.keep(pathlib.Path(KEEP), path, {"begins": begins, "jobs": live}, simulated)
        self.compare(live, {view["name"]: view for view in simulated["jobs"]}, begins)

    def keep(self, folder, script, live, simulated):
        """What was played, so that it can be played again, and what both sides told."""
        folder.mkdir(parents=True, exist_ok=True)
        for config in (f"{daemon}.toml" for daemon in ("meta", *SITES)):
            (folder / config).write_text((self.fed.state / config).read_text())
        (folder / "script.toml").write_text(script.read_text().replace(f"{self.fed.state}/", ""))
        (folder / "live.json").write_text(json.dumps(live, indent=1))
        (folder / "simulated.json").write_text(json.dumps(simulated, indent=1))

    def compare(self, live, simulated, begins):
        self.assertEqual(sorted(live), sorted(simulated))
        first, different, apart = None, [], {"promise": 0.0, "start": 0.0}
        for name in live:
            a, b = Told(live[name], begins), Told(simulated[name], begins)
            found = differences(a, b)
            if a.promise is not None and b.promise is not None:
                apart["promise"] = max(apart["promise"], abs(a.promise - b.promise))
            for x, y in zip(a.started, b.started):
                if x is not None and y is not None:
                    apart["start"] = max(apart["start"], abs(x - y))
            if found:
                different.append(f"{name}: {'; '.join(found)}")
                first = first or [different[-1], "  live", *a.lines(), "  simulated", *b.lines()]
        moved = sum(Told(view, begins).moves > 0 for view in live.values())
        print(f"{len(live)} jobs, {moved} of them moved; promises at most {apart['promise']:.0f} s "
              f"apart, starts {apart['start']:.2f} s; {len(different)} differ; seed {SEED}",
              flush=True)
        if first:
            self.fail("\n".join([*first, "", "all that differ:", *different,
                                 f"again: MUSTER_TWIN={PLAYED} MUSTER_SEED={SEED}"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
