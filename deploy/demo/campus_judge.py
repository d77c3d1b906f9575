"""Compares what a campus was told, charged and given with sums of its own, and prints both.

What is taken from the federation is when each part began and ended and how long a job may last;
what that costs and whose it is, is worked out in campus_sums.py.
"""

import collections
import decimal
import re
import statistics
import time

import campus_sums
import campus_town
import trace_replay
from promises import moment

START_SLACK_MS = 1000  # a promise of one site is told as its start and this
BARRIER_MS = 10_000  # start_wait of `muster up`: that of several sites, and they are paid for it
STAMP_MS = 1500  # a process may be started so long before it writes down that it is
BALANCE_S = 70  # given and taken are worked out once a minute
CREDIT_TEXT = re.compile(r"account (\S+) has ([\d.]+) of ([\d.]+) credits")
POSTED = ("deposit", "expired", "charge")


def milliseconds(text):
    return round(moment(text).timestamp() * 1000)


def terms_of(minute):
    """What work costs on this campus; from that second on hours cost half."""
    return campus_sums.Terms(
        campus_town.RATE, campus_town.QOS_CHARGE, campus_town.SITE_CHARGE,
        ((minute * 1000, (minute + 86_400) * 1000, 0.5),))


def credits(millionths):
    return f"{millionths / campus_sums.CREDIT:.6f}"


class Seen:
    """What was seen while it ran: who was told that credit is short, and what was set aside."""

    def __init__(self, terms):
        self.terms = terms
        self.short = collections.defaultdict(set)  # job: texts
        self.first_short = {}  # account: when
        self.liens = collections.defaultdict(set)  # job: amounts
        self.looks = 0
        self.wrong = []

    def take_queue(self, document):
        self.looks += 1
        for job in document["jobs"]:
            why = job["figures"]["no_promise_reason"]
            if why and why["code"] == "credit":
                self.short[job["id"]].add(why["text"])
                self.first_short.setdefault(job["account"], document["as_of"])

    def take_account(self, row):
        """Whatever is going on, an account is good for what is set aside of it."""
        self.looks += 1
        for lien in row["liens"]:
            self.liens[lien["job"]].add(lien["amount"])
        # For a place that is being sought something is set aside in memory, before it is a lien.
        if row["set_aside"] < sum(lien["amount"] for lien in row["liens"]):
            self.wrong.append(f"{row['name']}: less is set aside than what is for jobs: {row}")
        if row["balance"] - row["set_aside"] < -row["overdraft"] or row["free"] < 0:
            self.wrong.append(f"{row['name']} is taken beyond its overdraft: {row}")


class Judge:
    """`ids`: {job: Submission}; `deposits`: {account: [millionths]}."""

    def __init__(self, town, terms, ids, documents, seen, deposits, problems):
        self.town, self.terms, self.ids, self.seen = town, terms, ids, seen
        self.jobs = {document["id"]: document for document in documents}
        self.deposits = deposits
        self.problems = [*problems, *seen.wrong]
        self.capped = 0
        self.pieces = [p for job in self.jobs.values() for p in self.pieces_of(job)]

    def same(self, what, told, own):
        if told != own:
            self.problems.append(f"{what}: told {told}, own sum {own}")

    # What each job used.

    def pieces_of(self, job):
        s = self.ids[job["id"]]
        several = len(job["parts"]) > 1
        for part in job["parts"]:
            if not part["started_at"] or not part["ended_at"] or not part["used"]:
                continue
            end = milliseconds(part["ended_at"])
            begin = end - round(part["used"]["elapsed_s"] * 1000)
            self.compare_stamps(part, begin, end)
            cpus = sum(c["count"] * c["resources"]["ncpus"] for c in part["chunks"])
            piece = campus_sums.Piece(
                job["id"], s.account, s.qos, part["site"],
                campus_town.HOMES.get(s.account, ""), cpus, begin, end,
                min(self.told_prices(job, cpus, s.qos, part["site"], several)))
            self.capped += piece.cap < self.terms.price(cpus, begin, end, s.qos, part["site"])
            yield piece

    def told_prices(self, job, cpus, qos, site, several):
        """The price at each start and site that was promised: it may fall and never rises."""
        tail = BARRIER_MS if several else 0
        length = job["duration_s"] * 1000
        for change in job["history"]:
            told = change["figures"]["starts_by"]
            if told and told["firm"]:
                start = milliseconds(told["at"]) - (BARRIER_MS if several else START_SLACK_MS)
                where = site if several else self.site_at(job, change["at"])
                yield self.terms.price(cpus, start, start + length + tail, qos, where)

    @staticmethod
    def site_at(job, when):
        """Where a job of one part had its place at that time."""
        return [event["text"].removeprefix("committed on ") for event in job["events"]
                if event["code"] == "committed" and moment(event["at"]) <= moment(when)][-1]

    def compare_stamps(self, part, begin, end):
        """What the site reports against what the process wrote down itself."""
        base = self.town.folder / "stamps" / part["id"]
        for name, told in (("begin", begin), ("end", end)):
            file = base.with_name(f"{part['id']}.{name}")
            if file.is_file():
                own = int(file.read_text())
                early, late = (0, STAMP_MS) if name == "begin" else (-STAMP_MS, 0)
                if not early - 20 <= own - told <= late + 20:
                    self.problems.append(f"part {part['id']}: {name} reported as {told}, its "
                                         f"process says {own}")

    # What each account was told.

    def told(self, killed):
        print(f"\n{'ACCOUNT':<8}{'JOBS':>5}{'PROMISED':>9}{'STARTED':>8}{'KEPT':>6}{'MOVED':>6}"
              f"{'SHORT':>6}{'NEVER':>6}   FIRST TOLD - REAL START, s: MEAN, LEAST, MOST")
        for account in campus_town.TARGETS:
            rows = [job for job in self.jobs.values() if self.ids[job["id"]].account == account]
            outcomes = [trace_replay.judge(job, self.ids[job["id"]].log, False) for job in rows]
            started = [o for o in outcomes if o.started and o.promised]
            early = [-o.late_s for o in started] or [0]
            kept = sum(o.late_s <= 0 for o in started)
            moved = [o for o in started if o.late_s > 0 and o.verdict.startswith("moved")]
            print(f"{account:<8}{len(rows):>5}{sum(o.promised is not None for o in outcomes):>9}"
                  f"{len(started):>8}{kept:>6}{len(moved):>6}"
                  f"{sum(job['id'] in self.seen.short for job in rows):>6}"
                  f"{sum(not o.started for o in outcomes):>6}   {statistics.mean(early):.2f}, "
                  f"{min(early):.2f}, {max(early):.2f}")
            for o in started:
                if o.late_s > 0 and (o not in moved or not killed):
                    self.problems.append(f"job {o.job} started {o.late_s:.2f} s after its first "
                                         f"promise: {o.verdict}")
        for job, document in self.jobs.items():
            if document["outcome"] not in ("done", "cancelled"):
                self.problems.append(f"job {job} ended as {document['outcome']}")
            elif document["outcome"] == "done" and any(
                    part["exit_code"] != 0 for part in document["parts"]):
                self.problems.append(f"a part of job {job} did not end well")

    def short(self, dry):
        """Whoever was told that credit is short was told the price, and it was."""
        for job, texts in self.seen.short.items():
            s = self.ids[job]
            sites = campus_town.SITES
            length = s.log.asked * 1000
            least = sum(min(self.terms.least(n, length, s.qos, site) for site in sites)
                        for n in s.log.parts)
            most = sum(campus_sums.Terms(self.terms.rate, self.terms.qos, self.terms.sites).price(
                n, 0, length + (BARRIER_MS if len(s.log.parts) > 1 else 0), s.qos, "hills")
                for n in s.log.parts)
            for text in texts:
                found = CREDIT_TEXT.fullmatch(text)
                has, needs = (int(decimal.Decimal(found[i]) * campus_sums.CREDIT) for i in (2, 3))
                if found[1] != s.account or has >= needs or not least <= needs <= most:
                    self.problems.append(f"job {job} was told '{text}', a price between "
                                         f"{credits(least)} and {credits(most)} is right")
        self.same("accounts that ran dry", sorted({self.ids[j].account for j in self.seen.short}),
                  sorted(dry))

    # What each account was charged.

    def charged(self):
        entries = self.town.ask("account", "all", "statement")["entries"]
        rows = {row["name"]: row for row in self.town.ask("account")["accounts"]}
        posted = collections.defaultdict(collections.Counter)  # kind: account: millionths
        ledger = collections.Counter()
        for entry in entries:
            self.same(f"sum of entry {entry['number']}",
                      sum(p["amount"] for p in entry["postings"]), 0)
            for posting in entry["postings"]:
                posted[entry["kind"]][posting["account"]] += posting["amount"]
                if entry["kind"] == "charge" and posting["account"].startswith("site:"):
                    ledger[entry["job"], posting["account"][5:]] += posting["amount"]
        own = campus_sums.charges(self.pieces, self.terms)
        for key in sorted({*own, *ledger}):
            self.same(f"charge of job {key[0]} at {key[1]}", ledger[key], own[key])
        for job, document in self.jobs.items():
            cost = document["cost"]
            self.same(f"what job {job} says it was charged", cost["charged"] if cost else 0,
                      sum(n for (name, _), n in own.items() if name == job))
            most = max(self.seen.liens.get(job, ()), default=None)
            if most is not None and cost and cost["charged"] > most:
                self.problems.append(f"job {job} cost more than was set aside for it")
        by_account = campus_sums.by(self.pieces, "account", lambda p: p.cost(self.terms))
        print(f"\n{'ACCOUNT':<8}{'DEPOSITED':>13}{'ENDED':>12}{'CHARGED':>13}{'OWN SUM':>13}"
              f"{'BALANCE':>13}{'OWN SUM':>13}")
        for name in campus_town.TARGETS:
            given, gone = posted["deposit"][name], -posted["expired"][name]
            charged = -posted["charge"][name]
            balance = given - gone - by_account[name]
            print(f"{name:<8}{credits(given):>13}{credits(gone):>12}{credits(charged):>13}"
                  f"{credits(by_account[name]):>13}{credits(rows[name]['balance']):>13}"
                  f"{credits(balance):>13}")
            self.same(f"deposits of {name}", given, sum(self.deposits[name]))
            self.same(f"charges of {name}", charged, by_account[name])
            self.same(f"balance of {name}", rows[name]["balance"], balance)
            self.same(f"set aside of {name} in the end", rows[name]["set_aside"], 0)
        self.same("sum of all balances", sum(row["balance"] for row in rows.values()), 0)
        self.same("kinds of entries", sorted(set(posted) - set(POSTED)), [])
        return rows

    # What each account and each site had.

    def had(self, rows):
        own = campus_sums.shares(self.pieces, campus_town.TARGETS)
        told = {row["who"].removeprefix("account "): row["used_ratio"]
                for row in self.town.ask("shares")["shares"]}
        print(f"\n{'ACCOUNT':<8}{'HAD':>9}{'OWN SUM':>9}{'TARGET':>8}")
        for name, target in campus_town.TARGETS.items():
            print(f"{name:<8}{told[name]:>9.4%}{own[name]:>9.4%}{target:>7} %")
            if abs(told[name] - own[name]) > 2e-6:
                self.problems.append(f"share of {name}: told {told[name]}, own sum {own[name]}")
        course = campus_sums.most_at_once([p for p in self.pieces if p.account == "course"])
        print(f"the course had at most {course} of its {campus_town.COURSE_MOST} processors at one "
              "time")
        if course > campus_town.COURSE_MOST:
            self.problems.append("the course had more than its limit over all sites")
        sums = campus_sums.given_and_taken(self.pieces, campus_town.SITES)
        supplied = campus_sums.by(self.pieces, "site", lambda p: p.cost(self.terms))
        sites = self.balances(sums)
        print(f"\n{'SITE':<8}{'SUPPLIED':>13}{'OWN SUM':>13}{'GIVEN s':>11}{'OWN SUM':>11}"
              f"{'TAKEN s':>11}{'OWN SUM':>11}")
        for name, (given, taken) in sums.items():
            row = sites[name]
            balance = rows.get(f"site:{name}", {"balance": 0})["balance"]
            print(f"{name:<8}{credits(balance):>13}{credits(supplied[name]):>13}"
                  f"{row['given_s']:>11.3f}{given / 1000:>11.3f}{row['taken_s']:>11.3f}"
                  f"{taken / 1000:>11.3f}")
            self.same(f"what {name} supplied", balance, supplied[name])
            self.same(f"given by {name}", round(row["given_s"] * 1000), given)
            self.same(f"taken by users of {name}", round(row["taken_s"] * 1000), taken)

    def balances(self, sums):
        """Rows of all sites; waits until they can be those of the end."""
        def rows():
            return {row["name"]: row for row in self.town.ask("sites")["sites"]}

        deadline = time.monotonic() + BALANCE_S
        while time.monotonic() < deadline and any(
                round((rows()[name]["given_s"] or 0) * 1000) != given
                for name, (given, _) in sums.items()):
            time.sleep(1)
        return rows()

    def report(self, dry, killed):
        """Prints everything; returns the exit code."""
        self.told(killed)
        self.short(dry)
        self.had(self.charged())
        names = collections.Counter(job["name"] for job in self.jobs.values())
        self.same("jobs that were there twice", [n for n, times in names.items() if times > 1], [])
        there = self.town.ask("queue", "--ended", "--everyone")["jobs"]
        everything = {job["name"] for job in there}
        self.same("jobs of nobody", sorted(everything - set(names)), [])
        print(f"\n{len(self.pieces)} parts were charged, {self.capped} of them less than they used,"
              f" since they were told a lower price; {self.seen.looks} looks at the queue and at "
              "what was set aside")
        for name, when in sorted(self.seen.first_short.items()):
            print(f"{name} was first told of too little credit at {when}")
        for text in self.problems:
            print(f"WRONG    {text}")
        print("all sums agree" if not self.problems else f"{len(self.problems)} do not agree")
        return 1 if self.problems else 0
