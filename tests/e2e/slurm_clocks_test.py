"""Clusters whose clocks are put forward, or back, while they work: Slurm's daemons, and the site's,
have a time zone of their own here, in which daylight saving begins or ends some seconds after the
town is up. Seconds go on all the same; and days are the cluster's own days."""
import datetime
import math
import time
import unittest

from clusters import Cluster
from federation import until
from slurm_town import CPUS, TownTest, as_moment, name_nodes, seconds

SWITCH_IN_S = 45  # the town is up, and first jobs run, by then
HOUR_S = 3600


def day_and_time(at):
    moment = datetime.datetime.fromtimestamp(at, datetime.timezone.utc)
    return f"J{moment.replace(year=2025).timetuple().tm_yday}/{moment:%H:%M:%S}"  # no 29 February


def far_from(at):
    moment = datetime.datetime.fromtimestamp(at, datetime.timezone.utc)
    return f"J{(moment.replace(year=2025).timetuple().tm_yday + 150) % 365 + 1}/0"


def put_forward(at):
    """A zone whose clocks are put forward by an hour at that moment."""
    return f"WIN0SUM,{day_and_time(at)},{far_from(at)}"


def put_back(at):
    """And back: what it shows then is an hour ahead."""
    return f"WIN0SUM,{far_from(at)},{day_and_time(at + HOUR_S)}"


class Clocks(TownTest):
    def fill(self, zones):
        self.town.start_clusters(*[Cluster(name, place, tuned=True, zone=zone)
                                   for place, (name, zone) in enumerate(zones.items())])
        for name in zones:
            name_nodes(self.town, name)
        self.town.start_federation(*[
            self.town.site(name, f"{25 + place}000-{25 + place}999", walls="each",
                           enter=("env", f"TZ={zone}"))
            for place, (name, zone) in enumerate(zones.items())])

    def test_seconds_go_on_when_clocks_are_put_forward_or_back(self):
        switch = math.ceil(time.time()) + SWITCH_IN_S
        zones = {"lakes": put_forward(switch), "woods": put_back(switch)}
        self.fill(zones)
        self.assertLess(time.time() + 5, switch, "the town took too long")
        numbers, at = {}, {}
        for site in zones:
            own = f":own={site[0]}-n"
            # One that runs across the switch, to its limit; one that begins with it; one behind.
            numbers[site, "across"] = self.town.submit(
                100, "-t", f"{int(switch - time.time()) + 15}s", "-l", f"1:ncpus={CPUS}{own}1")
            for name, node, when in (("at", 2, switch), ("behind", 3, switch + 20)):
                at[site, name] = when
                numbers[site, name] = self.town.submit(
                    2, "-t", "20s", "-l", f"1:ncpus={CPUS}{own}{node}", "--at", as_moment(when))
            stands = [row for row in self.town.reservations(site).values()
                      if row["Nodes"] == f"{site[0]}-n3"]
            self.assertEqual(len(stands), 1, stands)
            begins = seconds(stands[0]["StartTime"] + "+00:00")
            self.assertLess(abs(begins - at[site, "behind"]), 10, stands)
        locals_ = {site: self.town.sbatch(site, f"-w{site[0]}-n4", f"-n{CPUS}", "-t1",
                                          "--wrap=sleep 50") for site in zones}
        jobs = self.town.end(numbers.values(), 150)
        for (site, name), number in numbers.items():
            with self.subTest(site=site, name=name):
                job = jobs[number]
                begin = self.town.begin_of(number)
                promised = seconds(job["history"][-1]["figures"]["starts_by"]["at"])
                self.assertLess(begin, promised + 1)
                self.assertEqual(job["outcome"], "timeout" if name == "across" else "done")
                if name != "across":
                    self.assertGreaterEqual(begin, at[site, name])
                    print(f"{site}: began {begin - at[site, name]:.2f} s after its second")
                    continue
                ran = seconds(job["parts"][0]["ended_at"]) - begin
                self.assertLess(abs(ran - job["duration_s"]), 3)
                print(f"{site}: ran {ran:.1f} s of {job['duration_s']} s across the switch")
        for site, local in locals_.items():
            until(lambda site=site, local=local: self.town.local_job(site, local).get(
                "JobState") in ("COMPLETED", "TIMEOUT"), "the local job ends", 60)
        self.town.leaves_nothing()

    def test_reservations_of_weekdays_stand_on_the_days_of_the_cluster(self):
        """Half a day ahead of UTC a Monday morning is UTC's Sunday evening."""
        self.fill({"woods": "AHEAD-12"})
        today = datetime.datetime.now(datetime.timezone.utc).replace(
            hour=20, minute=0, second=0, microsecond=0)
        monday = today + datetime.timedelta(days=(6 - today.weekday()) % 7)  # local 08:00
        if monday.timestamp() < time.time() + 60:
            monday += datetime.timedelta(days=7)
        first = monday - datetime.timedelta(days=3)  # local Friday
        if first.timestamp() < time.time() + 60:
            first, monday = monday, monday + datetime.timedelta(days=7)
        self.town.slurm("woods", "scontrol", "create", "reservation", "ReservationName=lessons",
                        f"StartTime={first:%Y-%m-%dT%H:%M:%S}", "Duration=60", "Nodes=w-n1",
                        "Users=root", "Flags=WEEKDAY")
        until(lambda: "lessons" in self.town.live.muster("--json", "gantt").out, "it is seen")
        # On the cluster's Saturday, which is partly UTC's Friday, there are none.
        saturday = first + datetime.timedelta(days=(4 - first.weekday()) % 7)
        for day, free in ((monday, False), (saturday, True)):
            with self.subTest(day=f"{day:%A} {day}", free=free):
                answer = self.town.asked(
                    1, "-t", "20s", "-l", f"1:ncpus={CPUS}:own=w-n1", "--at",
                    as_moment((day + datetime.timedelta(minutes=10)).timestamp()))
                promised = answer.code == 0 and until(
                    lambda: self.town.job(answer.out.strip())["figures"], "it is looked at")
                self.assertEqual(bool(promised and promised["starts_by"]), free, answer)


if __name__ == "__main__":
    unittest.main(verbosity=2)
