"""Who may have what, and when, at one site with several users: limits of groups, of users and by
area, share and time; pools for small jobs and for groups; recurring reservations with those they
are for; placement; values that a site insists on; jobs that become others. OpenCCS Sect. 3, 5.1,
5.2 and 5.4, Examples 1 and 2, on a live site through the command."""
import datetime
import unittest

import alone_test
from federation import until

NODES = """[[nodes]]
names      = "n[1-4]"
resources  = { ncpus = 4, mem = "4gb" }
properties = { arch = "x86_64" }
[[nodes]]
names      = "g1"
resources  = { ncpus = 8, mem = "16gb", ngpus = 2 }
properties = { arch = "arm" }
"""
# kim and lee are students, ann belongs to nobody, root is the operator.
GROUPS = {"kim": '["students"]', "lee": '["students"]'}


def from_now(minutes):
    """A whole minute so far from now, in UTC, which is the site's time zone."""
    now = datetime.datetime.now(datetime.timezone.utc).replace(second=0, microsecond=0)
    return now + datetime.timedelta(minutes=minutes + 1)


def stamp(at):
    return at.strftime("%Y-%m-%dT%H:%MZ")


def daily(at, length):
    """Every day at that time, for so long."""
    return f"cron {at.minute} {at.hour} * * * for {length}"


class PlannerPeople(unittest.TestCase):
    tearDown = alone_test.AloneTest.tearDown
    run_muster = alone_test.AloneTest.run_muster
    via = alone_test.AloneTest.via
    ok = alone_test.AloneTest.ok
    start = alone_test.AloneTest.start
    log = alone_test.AloneTest.log
    job = alone_test.AloneTest.job

    def setUp(self):
        self.rules = ""
        alone_test.AloneTest.setUp(self)

    def write_site(self, nodes, more=""):
        del nodes, more
        self.users = ["kim", "lee", "ann", "root"]
        for name in self.users:
            if name not in self.public:
                made = self.run_muster("-q", "keys", "new", str(self.root / f"{name}.key"))
                self.public[name] = made.out.strip()
                self.write_user(name)
        alone_test.AloneTest.write_site(self, "n1")
        path = self.root / "lakes.toml"
        before, rest = path.read_text().split("[[nodes]]", 1)
        people = "[[user]]" + rest.split("[[user]]", 1)[1]
        for name, groups in GROUPS.items():
            people = people.replace(f'name = "{name}"\n', f'name = "{name}"\ngroups = {groups}\n')
        path.write_text(before + NODES + people + self.rules)

    def write_user(self, name):
        (self.root / f"{name}.toml").write_text(
            f'default = "campus"\n[federation.campus]\n'
            f'meta = "tcp://127.0.0.1:{self.meta_port}"\n'
            f'meta_key = "{self.public["meta"]}"\nkey = "{name}.key"\n'
            f'[federation.campus.site.lakes]\n'
            f'address = "tcp://127.0.0.1:{self.port}"\nkey = "{self.public["lakes"]}"\n')

    def with_rules(self, rules):
        self.rules = rules
        self.write_site("")
        return self.ok("root", "reload")

    def submit(self, user, *words, command=("sleep", "99")):
        answer = self.ok(user, "-q", "submit", *words, "--", *command)
        return answer.out.strip().split("/")[1]

    def refused(self, user, *words):
        answer = self.via(user, "submit", *words, "--", "true")
        self.assertEqual(answer.code, 7, answer)
        return answer.err

    def runs(self, user, *words):
        number = self.submit(user, *words)
        until(lambda: self.job(number)["state"] == "running", f"{number} runs")
        return number

    def starts(self, number):
        return self.job(number)["figures"]["starts_by"]["at"][:16] + "Z"

    def ends(self, number):
        return self.job(number)["figures"]["ends_by"]

    def nodes(self, number):
        return sorted(self.job(number)["parts"][0]["nodes"])

    # ---- limits (Sect. 3, Example 1)

    def test_a_group_shares_its_limit_and_a_user_has_its_own_before_it(self):
        self.with_rules('[[limit]]\nwho = "@students"\nresource = "ncpus"\nitems = 8\n'
                        '[[limit]]\nwho = "lee"\nresource = "ncpus"\nitems = 4\n')
        first = self.runs("kim", "-t", "10m", "-l", "2:ncpus=4")
        second = self.submit("kim", "-t", "1m", "-l", "1:ncpus=1")
        self.assertGreaterEqual(self.starts(second), self.ends(first)[:16])
        told = self.ok("kim", "limits").out
        self.assertRegex(told, r"@students +ncpus +8 +8 ")
        # What is said of lee counts for lee instead, and of ann nothing is said.
        self.runs("lee", "-t", "1m", "-l", "1:ncpus=4")
        self.assertIn("limit 4 of ncpus for lee",
                      self.refused("lee", "-t", "1m", "-l", "1:ncpus=5"))
        self.runs("ann", "-t", "1m", "-l", "1:ncpus=4")

    def test_a_share_counts_where_it_is_more_than_the_number(self):
        self.with_rules('[[limit]]\nresource = "ncpus"\nitems = "3/50%"\n')  # 12 of 24
        self.assertIn("limit 3/50% of ncpus for each user",
                      self.refused("kim", "-t", "1m", "-l", "4:ncpus=4"))
        self.runs("kim", "-t", "1m", "-l", "3:ncpus=4")

    def test_an_area_is_items_times_time(self):
        self.with_rules('[[limit]]\nresource = "ncpus"\narea = "2h"\n')
        self.assertIn("limit 2h in all of ncpus for each user",
                      self.refused("kim", "-t", "1h", "-l", "1:ncpus=3"))
        self.submit("kim", "-t", "20m", "-l", "1:ncpus=4", "--from", "now+1h")
        self.assertIn("limit 2h in all of ncpus",
                      self.refused("kim", "-t", "1h", "-l", "1:ncpus=1"))
        self.submit("kim", "-t", "20m", "-l", "1:ncpus=1")
        self.submit("ann", "-t", "1h", "-l", "1:ncpus=2")

    def test_a_limit_by_cron_moves_what_it_meets_to_before_or_behind_it_each_day(self):
        begins = from_now(20)
        ends = begins + datetime.timedelta(minutes=40)
        self.with_rules('[[limit]]\nresource = "ncpus"\nitems = 4\n'
                        f'valid = "{daily(begins, "40m")}"\n')
        wide = ("-l", "2:ncpus=4", "-t", "15m")
        self.assertLess(self.starts(self.submit("kim", *wide)), stamp(begins))
        for days in (0, 1):
            inside = stamp(begins + datetime.timedelta(days=days, minutes=1))
            behind = stamp(ends + datetime.timedelta(days=days))
            moved = self.submit("kim", *wide, "--from", inside)
            self.assertGreaterEqual(self.starts(moved), behind)
            allowed = self.submit("lee", "-l", "1:ncpus=4", "-t", "15m", "--from", inside)
            self.assertLess(self.starts(allowed), behind)
        reason = self.ok("kim", "ask", *wide, "--from", stamp(begins)).out
        self.assertIn("limit 4 of ncpus for each user", reason)

    # ---- pools (Sect. 3)

    def test_a_pool_keeps_a_share_for_small_short_jobs(self):
        self.with_rules('[[freepool]]\nname = "quick"\nresource = "ncpus"\nkeep = "6/20%"\n'
                        'open_to = "ncpus < 4 and duration < 1h"\n')
        self.assertIn("pool quick keeps 6/20% of ncpus free",
                      self.refused("kim", "-t", "10m", "-l", "19:ncpus=1"))
        self.runs("kim", "-t", "10m", "-l", "4:ncpus=4")  # 2 of the 18 are left to it
        long = self.submit("kim", "-t", "2h", "-l", "1:ncpus=3")
        self.assertNotEqual(self.job(long)["state"], "running")
        self.assertIn("pool quick", self.ok("kim", "ask", "-t", "2h", "-l", "1:ncpus=3").out)
        self.runs("kim", "-t", "59m", "-l", "1:ncpus=3")

    def test_accelerators_are_kept_for_a_group_and_a_user_and_for_all_for_a_short_time(self):
        self.with_rules('[[freepool]]\nname = "gpus"\nresource = "ngpus"\nkeep = "100%"\n'
                        'open_to = "group in (students) or user = root or duration <= 2h"\n')
        gpu = ("-l", "1:ncpus=1:ngpus=1")
        self.assertIn("pool gpus", self.refused("ann", "-t", "3h", *gpu))
        self.submit("ann", "-t", "2h", *gpu)
        self.submit("lee", "-t", "3h", *gpu)
        self.submit("root", "-t", "3h", *gpu)

    # ---- recurring reservations (Sect. 3 and 5.4)

    def test_a_recurring_reservation_is_kept_each_day_and_open_to_those_it_allows(self):
        begins = from_now(20)
        ends = begins + datetime.timedelta(minutes=60)
        self.with_rules('[[reservation]]\nname = "course"\nnodes = "n[1-4]"\n'
                        'allow = ["@students"]\n'
                        f'valid = "{daily(begins, "1h")}"\n')
        wide = ("-t", "30m", "-l", "4:ncpus=4:arch=x86_64", "--place", "scatter")
        self.assertIn("reservation course",
                      self.ok("ann", "ask", *wide, "--from", stamp(begins)).out)
        for days in (0, 1):
            inside = stamp(begins + datetime.timedelta(days=days, minutes=2))
            behind = stamp(ends + datetime.timedelta(days=days))
            other = self.submit("ann", *wide, "--from", inside)
            self.assertGreaterEqual(self.starts(other), behind)
            mine = self.submit("kim", *wide, "--from", inside)
            self.assertLess(self.starts(mine), behind)
            self.assertEqual(self.nodes(mine), ["n1", "n2", "n3", "n4"])
        plan = self.ok("ann", "--json", "gantt").json()["sites"][0]["bookings"]
        kept = {b["begin"] for b in plan if b["kind"] == "reserved"}
        self.assertGreater(len(kept), 2, plan)
        self.assertIn("╱", self.ok("ann", "gantt", "--within", "26h").out)

    # ---- placement and mapping (Table 1, Sect. 5.2 and 5.4)

    def test_chunks_are_placed_as_asked_for(self):
        packed = self.runs("kim", "-t", "1m", "-l", "3:ncpus=1", "--place", "pack")
        self.assertEqual(len(self.nodes(packed)), 1)
        self.ok("kim", "cancel", packed)
        scattered = self.runs("kim", "-t", "1m", "-l", "3:ncpus=1", "--place", "scatter")
        self.assertEqual(len(self.nodes(scattered)), 3)
        self.assertIn("no node has room for all chunks together",
                      self.refused("kim", "-t", "1m", "-l", "9:ncpus=1", "--place", "pack"))
        self.refused("kim", "-t", "1m", "-l", "6:ncpus=1", "--place", "scatter")

    def test_whole_nodes_are_had_alone_and_found_exactly(self):
        # 6 x 2 cores need three nodes of 4, or one of 8 and one of 4: no average says so.
        whole = self.runs("kim", "-t", "5m", "-l", "6:ncpus=2", "--place", "free:excl")
        mine = self.nodes(whole)
        beside = self.runs("ann", "-t", "5m", "-l", f"{5 - len(mine)}:ncpus=1",
                           "--place", "scatter")
        self.assertEqual(set(mine) & set(self.nodes(beside)), set())
        none = self.submit("ann", "-t", "1m", "-l", "1:ncpus=1", "--place", "free:excl")
        self.assertGreaterEqual(self.starts(none), min(self.ends(whole), self.ends(beside))[:16])

    def test_dear_chunks_go_to_cheap_nodes_and_the_best_fit_leaves_least_over(self):
        def third_after_two_and_three():
            """Where a set of one core goes when one node has two left and another has one."""
            jobs = [self.submit("kim", "-t", "9m", "-l", f"1:ncpus={n}", "--from", "now+5m")
                    for n in (2, 3, 1)]
            nodes = [self.nodes(job)[0] for job in jobs]
            self.ok("kim", "cancel", *jobs, "--yes")
            self.assertNotIn("g1", nodes)
            return nodes

        two, three, one = third_after_two_and_three()
        self.assertEqual((two == three, one), (False, two))
        self.with_rules('[planning]\npolicy = "best-fit"\n')
        two, three, one = third_after_two_and_three()
        self.assertEqual((two == three, one), (False, three))

    def test_pbs_chunks_with_properties_and_job_wide_amounts_in_one_line(self):
        self.rules = "[jobwide]\nsw = 2\n"
        self.write_site("")
        self.ok("root", "reload")
        number = self.runs("kim", "-t", "1m", "-l",
                           "2:ncpus=4:mem=1g:arch=x86_64+ncpus=1:mem=2g:arch=arm,sw=1,"
                           "place=scatter:excl")
        shown = self.job(number)["parts"][0]
        self.assertEqual((len(shown["nodes"]), shown["place"]), (3, "scatter"))
        self.assertIn("g1", shown["nodes"])

    # ---- values (Sect. 5.1)

    def test_defaults_of_a_user_go_before_those_of_its_group_and_forced_values_before_all(self):
        self.with_rules('[[default]]\nduration = "1m"\n[[default]]\nwho = "@students"\n'
                        'duration = "2m"\n[[default]]\nwho = "lee"\nduration = "3m"\n'
                        '[[force]]\nwho = "ann"\nduration = "4m"\n'
                        'properties = { arch = "arm" }\n')
        lasts = {user: self.job(self.submit(user, "-l", "1:ncpus=1"))["duration_s"]
                 for user in ("root", "kim", "lee")}
        self.assertEqual(lasts, {"root": 60, "kim": 120, "lee": 180})
        forced = self.submit("ann", "-t", "1h", "-l", "1:ncpus=1:arch=x86_64")
        self.assertEqual(self.job(forced)["duration_s"], 240)
        self.assertEqual(self.nodes(forced), ["g1"])

    # ---- jobs become others (Sect. 5.4)

    def test_a_promised_job_becomes_another_and_a_running_one_gets_more_time(self):
        later = self.submit("kim", "-t", "30m", "-l", "1:ncpus=4", "--from", "now+10m")
        told = self.ok("kim", "alter", later, "-t", "20m").out
        self.assertIn("20m (was 30m)", told)
        self.assertIn("10m earlier", told)
        self.ok("kim", "alter", later, "-l", "2:ncpus=4")
        self.assertEqual(len(self.nodes(later)), 2)
        for user, words, code in (("lee", ("-t", "1m"), 4), ("kim", ("-t", "20m"), 8),
                                  ("kim", ("-l", "9:ncpus=64"), 7)):
            self.assertEqual(self.via(user, "alter", later, *words).code, code)
        running = self.runs("kim", "-t", "10m", "-l", "4:ncpus=4")
        ends = self.ends(running)
        self.assertIn("1m later", self.ok("kim", "alter", running, "-t", "11m").out)
        self.assertGreater(self.ends(running), ends)
        self.assertEqual(self.job(running)["duration_s"], 660)
        beyond = self.via("kim", "alter", running, "-t", "20m")
        self.assertEqual(beyond.code, 8, beyond)
        self.assertIn("10% of its 10m", beyond.err)
        # An operator goes beyond that, though not over what is promised to others.
        wall = self.submit("ann", "-t", "10m", "-l", "4:ncpus=4:arch=x86_64", "--place", "scatter")
        blocked = self.via("root", "alter", running, "-t", "50m")
        self.assertEqual(blocked.code, 8, blocked)
        self.assertIn(f"job lakes/{wall} is in the way", blocked.err)

    # ---- validities of groups, users and nodes (Sect. 3), properties with a value (Example 2)

    def test_a_group_submits_while_it_is_valid_and_others_are_not_concerned(self):
        self.with_rules('[[group]]\nname = "students"\nvalid = "until 2020-12-31"\n')
        refused = self.via("kim", "submit", "-t", "1m", "--", "true")
        self.assertEqual(refused.code, 4, refused)
        self.assertIn("kim may submit nothing at this time", refused.err)
        self.assertIn("@students is valid until 2020-12-31", refused.err)
        self.assertEqual(self.via("kim", "ask", "-t", "1m").code, 4)
        self.ok("kim", "queue")
        self.runs("ann", "-t", "1m")
        begins, ends = from_now(-5), from_now(30)
        self.with_rules(f'[[group]]\nname = "students"\n'
                        f'valid = "from {stamp(begins)} to {stamp(ends)}"\n')
        self.runs("kim", "-t", "1m")
        late = self.via("kim", "submit", "-t", "1m", "--from", stamp(ends), "--", "true")
        self.assertNotEqual(late.code, 0, "none of theirs starts behind it")
        self.rules = '[[group]]\nname = "students"\nvalid = "until 2020-02-31"\n'
        self.write_site("")
        wrong = self.via("root", "reload")
        self.assertEqual(wrong.code, 2, wrong)
        self.assertIn("2020-02-31", wrong.err)

    def test_nodes_host_what_runs_while_they_are_valid(self):
        begins = from_now(20)
        ends = begins + datetime.timedelta(minutes=40)
        nodes = ('[[nodes]]\nnames = "v[1-2]"\nresources = {{ ncpus = 16, mem = "1gb" }}\n'
                 'properties = {{ rack = 8 }}\nvalid = "{}"\n')
        self.with_rules(nodes.format(daily(begins, "40m")))
        job = self.submit("kim", "-t", "30m", "-l", "1:ncpus=16")
        self.assertEqual(self.starts(job), stamp(begins))
        long = self.submit("kim", "-t", "20m", "-l", "1:ncpus=16", "--from", stamp(ends))
        self.assertEqual(self.starts(long), stamp(begins + datetime.timedelta(days=1)))
        self.assertIn("only", self.ok("kim", "ask", "-t", "30m", "-l", "2:ncpus=16").out)
        self.assertRegex(self.ok("kim", "nodes").out, "v1 +drained 'valid (daily|cron) ")
        rows = {row["name"]: row for site in self.ok("kim", "--json", "nodes").rows("sites")
                for row in site["nodes"]}
        taken = self.nodes(job)[0]
        other = next(name for name in ("v1", "v2") if name != taken)
        self.assertEqual(rows[other]["free_at"][:16] + "Z", stamp(begins))
        self.assertGreater(rows[taken]["free_at"][:16] + "Z", stamp(begins))
        self.with_rules(nodes.format("always"))
        self.runs("kim", "-t", "1m", "-l", "1:ncpus=16")
        self.assertNotIn("drained", self.ok("kim", "nodes").out)

    def test_a_property_may_have_a_number_for_its_value(self):
        self.with_rules("".join(
            f'[[nodes]]\nnames = "r{rack}"\nresources = {{ ncpus = 4, mem = "1gb" }}\n'
            f'properties = {{ rack = {rack} }}\n' for rack in range(1, 13)))
        for rack in (1, 8, 12):
            job = self.runs("kim", "-t", "1m", "-l", f"1:ncpus=2:mem=64mb:rack={rack}")
            self.assertEqual(self.nodes(job), [f"r{rack}"])
            self.assertEqual(self.job(job)["parts"][0]["chunks"][0]["properties"],
                             {"rack": str(rack)})
        whole = self.runs("kim", "-t", "1m", "-l", "2:ncpus=1,rack=9")
        self.assertEqual(self.nodes(whole), ["r9"])
        self.assertIn("rack=13", self.refused("kim", "-t", "1m", "-l", "1:rack=13"))

    # ---- what is wrong is refused (cli.md section 1)

    def test_amounts_times_and_windows_that_cannot_be_are_refused_with_what_would_be_right(self):
        wrong = {
            ("-t", "1m", "-l", "1:ncpus=-1"): "ncpus",
            ("-t", "1m", "-l", "1:ncpus=99999999999999999999"): "ncpus",
            ("-t", "1m", "-l", "99999999999:ncpus=1"): "99999999999",
            ("-t", "1m", "-l", "0:ncpus=1"): "0",
            ("-t", "1m", "-l", "1:mem=99999999999999tb"): "mem",
            ("-t", "0s",): "-t 0s",
            ("-t", "-5m",): "-5m",
            ("-t", "99999999999h",): "-t",
            ("-t", "1m", "--at", "2020-01-01T00:00Z"): "past",
            ("-t", "1h", "--from", "now+2h", "--deadline", "now+1h"): "deadline",
            ("-t", "1m", "--slot", "now+2h-now+1h"): "--slot",
        }
        for words, what in wrong.items():
            with self.subTest(words=words):
                answer = self.via("kim", "submit", *words, "--", "true")
                self.assertEqual(answer.code, 2, answer)
                self.assertIn(what, answer.err)
                self.assertIn("help:", answer.err)
        self.assertEqual(self.ok("kim", "--json", "queue").json()["jobs"], [])


if __name__ == "__main__":
    unittest.main()
