"""The meta is gone for long: users of a site beside a cluster go on by `--via`, behind walls of the
same kind, and what the federation had promised there is kept."""
import os
import time
import unittest

from federation import until
from slurm_town import CPUS, TownTest, as_moment, seconds, two_clusters
import slurm_judge

GONE_S = int(os.environ.get("MUSTER_SLURM_ALONE_S", "40"))
LISTEN = {"lakes": "tcp://127.0.0.1:7711", "woods": "tcp://127.0.0.1:7712"}


class Alone(TownTest):
    def fill(self):
        town = self.town
        two_clusters(town, more="", hills=False)
        # Their own users are the federation's: by the same key, at a listener of the site's own.
        folder = town.live.folder
        with open(folder / "config.toml", "a", encoding="utf-8") as config:
            for name, listen in LISTEN.items():
                path = folder / f"{name}.toml"
                text = path.read_text().replace("[slurm]", f'listen = "{listen}"\n[slurm]')
                path.write_text(text + f'[[user]]\nname = "kim"\nkey = "{town.live.keys["user"]}"\n'
                                       'role = "operator"\n')
                config.write(f'[federation.live.site.{name}]\naddress = "{listen}"\n'
                             f'key = "{town.live.keys[name]}"\n')
                town.live.stop(name)
                town.live.start(name)
        for name in LISTEN:
            until(lambda name=name: self.via(name, "sites").code == 0, "the site hears its users")
        until(lambda: set(town.live.states().values()) == {"up"}, "both are up")

    def via(self, site, *words):
        return self.town.live.muster("--via", site, *words)

    def submit_via(self, site, lasts_s, *words):
        answer = self.via(site, "-q", "submit", *words, "--", "sh", "-c",
                          self.town.script(lasts_s))
        self.assertEqual(answer.code, 0, answer)
        return answer.out.strip()

    def job_via(self, site, number):
        answer = self.via(site, "--json", "show", number)
        self.assertEqual(answer.code, 0, answer)
        return answer.json()["job"]

    def end_via(self, site, number, patience_s=60):
        until(lambda: self.job_via(site, number)["state"] == "ended",
              f"{number} ends: {self.via(site, 'show', number)}", patience_s)
        return self.job_via(site, number)

    def test_users_of_a_site_go_on_behind_the_same_walls_while_the_meta_is_gone(self):
        self.fill()
        at = time.time() + 20
        promised = {site: self.town.submit(2, "-t", "20s", "-l", f"1:ncpus={CPUS}:own={node}",
                                           "--at", as_moment(at))
                    for site, node in (("lakes", "l-n1"), ("woods", "w-n1"))}
        for number in promised.values():
            until(lambda number=number: self.town.job(number)["figures"]["starts_by"],
                  "it is promised")
        self.town.kill_site("meta")
        gone_at = time.monotonic()
        done = 0
        for site, node in (("lakes", "l-n2"), ("woods", "w-n2")):
            number = self.submit_via(site, 2, "-t", "20s", "-l", f"1:ncpus={CPUS}:own={node}")
            self.assertEqual(self.end_via(site, number)["outcome"], "done")
            done += 1
        # One that stands behind a wall, and a local job that would like to have its nodes.
        number = self.submit_via("woods", 2, "-t", "30s", "-l", f"1:ncpus={CPUS}:own=w-n3",
                                 "--at", as_moment(time.time() + 20))
        walls = {name: row for name, row in self.town.reservations("woods").items()
                 if row["Nodes"] == "w-n3"}
        self.assertEqual(len(walls), 1, walls)
        self.assertTrue(next(iter(walls)).startswith("mu_"), walls)
        local = self.town.sbatch("woods", "-ww-n3", f"-n{CPUS}", "-t1", "--wrap=sleep 1")
        job = self.end_via("woods", number)
        self.assertEqual(job["outcome"], "done", job)
        promise = seconds(job["history"][0]["figures"]["starts_by"]["at"])
        self.assertLess(self.town.begin_of(job["id"]), promise + 1)
        done += 1
        cancelled = self.submit_via("woods", 30, "-t", "50s", "-l", "1:ncpus=1:own=w-n4")
        until(lambda: f"{cancelled}.1" in self.town.began(), "it runs")
        # Their daemon is killed meanwhile: it knows its own jobs again.
        self.town.kill_site("woods")
        self.town.live.start("woods")
        until(lambda: self.via("woods", "sites").code == 0, "the site hears its users")
        self.assertEqual(self.via("woods", "cancel", cancelled).code, 0)
        self.assertEqual(self.end_via("woods", cancelled)["outcome"], "cancelled")
        time.sleep(max(0.0, GONE_S - (time.monotonic() - gone_at)))
        self.town.live.start("meta")
        until(lambda: set(self.town.live.states().values()) == {"up"}, "everybody is up")
        for site, job in zip(promised, self.town.end(promised.values(), 60).values()):
            self.assertEqual(job["outcome"], "done", job)
            promise = seconds(job["history"][-1]["figures"]["starts_by"]["at"])
            self.assertLess(self.town.begin_of(job["id"]), promise + 1)
        until(lambda: any(row["id"] == local for row in slurm_judge.completed(
            self.town.lab.folder / "woods" / "jobcomp")), "the local job had its turn", 90)
        for name in LISTEN:
            rows = slurm_judge.completed(self.town.lab.folder / name / "jobcomp")
            self.assertEqual(slurm_judge.crowded(rows, CPUS), [])
        print(f"{GONE_S} s without a meta: {done} jobs of the sites' own users done, "
              f"{len(promised)} promises of before kept")
        self.town.leaves_nothing()


if __name__ == "__main__":
    unittest.main(verbosity=2)
