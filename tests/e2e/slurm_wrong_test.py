"""Bad input at a site beside a real Slurm cluster: files and words that are wrong when it starts,
accounts, folders and partitions that turn out wrong later. It says what, before it promises."""
import os
import signal
import subprocess
import unittest

from clusters import Cluster
from federation import BIN, until
from slurm_town import ACCOUNT, CPUS, OneTown, TownTest, name_nodes, seconds

STARTS_S = 30
NOTICED_S = 20


def succeeded(words):
    subprocess.run(words, check=True, capture_output=True)


def words_of(value):
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


class WrongFiles(OneTown):
    """A site that does not start says why, with the value that is wrong, and ends."""

    @classmethod
    def fill(cls, town):
        town.start_clusters(Cluster("lakes", 0))
        town.set_aside("lakes", "l-n1")
        town.start_federation(town.site("lakes", "25000-25999", walls="commons",
                                        commons=["commons"]))

    def start(self, enter=(), **slurm):
        """Starts another site beside the cluster: how it ended, and what it said."""
        town = self.town
        slurm = {"conf": str(town.lab.conf("lakes")), "shared_folder": str(town.shared), **slurm}
        folder = town.folder / "live"
        if not (folder / "other.key").exists():
            town.live.new_key("other")
        text = (f'[site]\nname = "other"\nmeta = "tcp://127.0.0.1:7700"\n'
                f'meta_key = "{town.live.keys["meta"]}"\nkey = "other.key"\n'
                f'state_dir = "other"\nmin_free = "1mb"\ndriver = "slurm"\n[slurm]\n'
                + "".join(f"{name} = {words_of(value)}\n" for name, value in slurm.items()))
        (folder / "other.toml").write_text(text)
        try:
            done = subprocess.run(
                [*enter, str(BIN / "muster-sited"), "--config", str(folder / "other.toml")],
                env=town.live.environment, capture_output=True, text=True, timeout=STARTS_S,
                check=False)
        except subprocess.TimeoutExpired as late:
            self.fail(f"it started, or waits: {slurm}\n{late.stderr}")
        return done, text.splitlines()

    def refuses(self, *said, line="", enter=(), **slurm):
        done, lines = self.start(enter=enter, **slurm)
        self.assertNotEqual(done.returncode, 0, done)
        self.assertGreater(done.returncode, 0, f"it crashed: {done}")
        for text in said:
            self.assertIn(text, done.stderr, done)
        if line:
            number = next(n + 1 for n, text in enumerate(lines) if text.startswith(line))
            self.assertIn(f"other.toml:{number}", done.stderr, done)
        return done

    def test_a_conf_that_is_not_there_or_none_is_named(self):
        self.refuses("/nowhere/slurm.conf", line="conf", conf="/nowhere/slurm.conf")
        wrong = self.town.folder / "wrong.conf"
        wrong.write_text("this is no configuration\n")
        # The library itself says where, and ends the daemon.
        self.refuses(f"Parse error in file {wrong} line 1", conf=str(wrong))

    def test_a_controller_that_does_not_answer_is_named(self):
        alone = self.town.folder / "alone.conf"
        text = self.town.lab.conf("lakes").read_text()
        alone.write_text(text.replace("SlurmctldPort=17000", "SlurmctldPort=17999"))
        self.refuses(str(alone), line="conf", conf=str(alone))

    def test_another_clusters_munge_key_is_named(self):
        munge = self.town.folder / "other-munge"
        munge.mkdir()
        munge.chmod(0o755)
        succeeded(["mungekey", "--create", f"--keyfile={munge}/key"])
        succeeded(["munged", f"--key-file={munge}/key", f"--socket={munge}/socket",
                   f"--pid-file={munge}/pid", f"--log-file={munge}/log",
                   f"--seed-file={munge}/seed", "--force"])
        pid = int((munge / "pid").read_text())
        self.addCleanup(os.kill, pid, signal.SIGTERM)
        conf = self.town.folder / "stranger.conf"
        text = self.town.lab.conf("lakes").read_text()
        conf.write_text(text.replace(f"{self.town.lab.folder}/munge/socket", f"{munge}/socket"))
        self.refuses("munge", line="conf", conf=str(conf))

    def test_a_shared_folder_that_cannot_be_used_is_named(self):
        self.refuses("/nowhere/shared", line="shared_folder", shared_folder="/nowhere/shared")
        file = self.town.folder / "file"
        file.touch()
        self.refuses(str(file), line="shared_folder", shared_folder=str(file))
        closed = self.town.folder / "closed"
        closed.mkdir()
        read_only = ("unshare", "--mount", "sh", "-c",
                     f'mount -t tmpfs -o ro none {closed} && exec "$@"', "enter")
        self.refuses(str(closed), line="shared_folder", shared_folder=str(closed), enter=read_only)

    def test_names_that_the_cluster_does_not_know_are_named(self):
        self.refuses("reservation 'nobodys'", line="commons", commons=["nobodys"])
        self.refuses("partition 'night'", line="commons", commons=["partition:night"])
        self.refuses("partition 'night'", line="partitions", partitions=["night"], walls="each")

    def test_values_that_make_no_sense_are_refused_with_their_line(self):
        self.refuses("commons", line="walls", commons=["commons"], walls="each")
        self.refuses("max_walls", line="max_walls", walls="each", max_walls=0)
        self.refuses("start_ahead", line="start_ahead", walls="each", start_ahead="0s")
        self.refuses("wals", line="wals", wals="each")
        self.refuses("commons", line="walls", walls="commons")


class WrongLater(TownTest):
    """What is found wrong while a site lives."""

    def cluster(self, *sites, protocol=None):
        self.town.start_clusters(Cluster("woods", 0, tuned=True))
        name_nodes(self.town, "woods")
        self.town.start_federation(*[make() for make in sites], protocol=protocol)

    def woods(self, name="woods", **more):
        return lambda: self.town.site(name, "25000-25999" if name == "woods" else "26000-26999",
                                      cluster="woods", **{"walls": "each", **more})

    def works(self, site="woods"):
        number = self.town.submit(1, "-t", "20s", "--site", site)
        self.assertEqual(self.town.end([number], 60)[number]["outcome"], "done")

    def test_an_account_that_does_not_exist_is_named_and_nothing_is_promised(self):
        self.cluster(self.woods(users={"tester": "no-such-account"}),
                     self.woods("shore", users={"tester": "deny"}))
        for site, said in (("woods", "no-such-account"), ("shore", "tester")):
            with self.subTest(site=site):
                self.says(self.town.told(1, "-t", "20s", "--site", site), 7, said, site)
        self.assertEqual(self.town.walls("woods"), [])

    def test_a_partition_that_is_closed_is_named_and_opens_again(self):
        self.cluster(self.woods())
        for state in ("DOWN", "INACTIVE", "DRAIN"):
            with self.subTest(state=state):
                self.town.slurm("woods", "scontrol", "update", "PartitionName=main",
                                f"State={state}")
                until(lambda: all(node["state"] != "up"
                                  for node in self.town.nodes("woods").values()),
                      f"no node is in use: {self.town.live.muster('nodes')}", NOTICED_S)
                answer = self.town.live.muster("ask", "-t", "20s", "--site", "woods")
                self.assertIn("main", answer.out + answer.err + str(self.town.nodes("woods")))
                number = self.town.submit(1, "-t", "20s", "--site", "woods")
                self.assertIsNone(self.town.job(number)["figures"]["starts_by"])
                until(lambda: self.town.walls("woods") == [], "no wall stands for it", NOTICED_S)
                self.town.slurm("woods", "scontrol", "update", "PartitionName=main", "State=UP")
                self.assertEqual(self.town.end([number], 60)[number]["outcome"], "done")

    def test_a_partition_whose_jobs_are_too_short_is_named(self):
        self.cluster(self.woods())
        self.town.slurm("woods", "scontrol", "update", "PartitionName=main", "MaxTime=2")
        self.works()
        answer = self.town.told(1, "-t", "10m", "--site", "woods")
        self.says(answer, 7, "MaxTime of partition main: a part lasts at most 11")
        until(lambda: self.town.walls("woods") == [], "no wall stands", NOTICED_S)

    def test_texts_of_any_kind_are_shown_and_never_understood(self):
        self.town.start_clusters(Cluster("woods", 0, tuned=True))
        name_nodes(self.town, "woods")
        odd = "it's;\"$(touch${IFS}/tmp/x)`"
        long = "f" * 4000
        for node, feature in (("w-n1", f"own=w-n1,{odd}"), ("w-n2", f"own=w-n2,{long}"),
                              ("w-n3", "own=w-n3,a=b=c,=,x=")):
            self.town.slurm("woods", "scontrol", "update", f"NodeName={node}",
                            f"AvailableFeatures={feature}")
        names = ("it's \"quoted\" $(true) `x`", "two\nlines JobState=RUNNING", "n" * 1000)
        for name in names:
            self.town.sbatch("woods", "-ww-n4", "-n1", "-t1", f"--job-name={name}",
                             "--wrap=sleep 20", f"--comment={name * 4}"[:1000])
        self.town.start_federation(self.woods(users={"tester": ACCOUNT})())
        until(lambda: self.town.nodes("woods")["w-n4"]["jobs"], "the site sees them")
        self.works()
        for node in ("w-n1", "w-n2", "w-n3"):
            number = self.town.submit(1, "-t", "20s", "-l", f"1:ncpus={CPUS}:own={node}",
                                      "-n", names[0])
            job = self.town.end([number], 60)[number]
            self.assertEqual((job["outcome"], job["name"]), ("done", names[0]))
        for name in (names[1], "n" * 4000):
            answer = self.town.asked(1, "-t", "20s", "-n", name)
            if answer.code != 0:
                self.says(answer, 2, "-n: expected 1 to 255 printable bytes")
                continue
            number = answer.out.strip()
            self.assertEqual(self.town.end([number], 60)[number]["name"], name)
        self.town.slurm("woods", "scontrol", "update", "NodeName=w-n3", "State=DRAIN",
                        "Reason=a \"fan\"\nand 'more'")
        until(lambda: self.town.nodes("woods")["w-n3"]["state"] != "up", "it is out of use")
        self.assertEqual(self.town.live.muster("nodes").code, 0)

    def test_nodes_with_other_names_after_a_stop_move_what_was_promised_there(self):
        self.cluster(self.woods())
        number = self.town.submit(1, "-t", "20s", "--from", "now+45s", "-l", f"1:ncpus={CPUS}",
                                  "--site", "woods")
        node = self.town.job(number)["parts"][0]["nodes"][0]
        self.town.live.stop("woods")
        lab = self.town.lab
        for what in sorted(lab.running()):
            if what.startswith("woods/"):
                lab.signal(what, signal.SIGTERM)
        conf = lab.conf("woods")
        conf.write_text(conf.read_text().replace("NodeName=w-n[1-4]", "NodeName=w-m[1-4]"))
        lab.start_controller("woods")
        for name in (f"w-m{n}" for n in range(1, 5)):
            (lab.folder / "woods" / f"spool-{name}").mkdir()
            lab.start_node("woods", name)
        until(lambda: "idle" in self.town.run("woods", "sinfo", "-h", "-o", "%T").stdout,
              "the nodes are up")
        self.town.live.start("woods")
        job = self.town.end([number])[number]
        causes = [row["cause"] for row in job["history"] if row["cause"]]
        self.assertEqual(job["outcome"], "done", self.town.live.muster("show", number))
        self.assertTrue(job["parts"][0]["nodes"][0].startswith("w-m"), job)
        promised = seconds(job["history"][0]["figures"]["starts_by"]["at"])
        if self.town.begin_of(number) > promised + 1:
            self.assertIn(node, [cause["subject"]["node"] for cause in causes], job["history"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
