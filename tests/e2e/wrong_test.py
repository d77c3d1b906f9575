"""Wrong input on live daemons: a clear error with the right exit code, never a crash, nothing
changed."""
import os
import socket
import unittest

from federation import FederationTest, until


class Wrong(FederationTest):
    def tearDown(self):  # whatever came in, everybody is still there
        sites = self.fed.muster("--json", "sites")
        self.assertEqual(sites.code, 0, sites)
        self.assertEqual({s["state"] for s in sites.json()["sites"]}, {"up"})

    def test_an_impossible_request_is_refused_with_the_largest_that_fits(self):
        answer = self.fails(
            self.fed.muster("submit", "-l", "2:ncpus=64", "-t", "1h", "--", "./big"), 7,
            "error[never]", "64 cpus", "the largest here is", "nothing was submitted")
        self.assertIn("ncpus=4", answer.err)

    def test_malformed_chunks_point_at_the_place(self):
        script = self.fed.root / "job.sh"
        script.write_text("#!/bin/bash\n#MUSTER -t 1m\n#MUSTER -l 2:ncpus=4:+1:ngpus=1\ntrue\n")
        self.fails(self.fed.muster("submit", script), 2, "error[chunk]", "job.sh:3:", "^",
                   "nothing was submitted")

    def test_bare_durations_unknown_options_and_verbs_are_usage_errors(self):
        self.fails(self.fed.muster("submit", "-t", "30", "--", "./a"), 2, "thirty what?", "-t 30m")
        self.fails(self.fed.muster("submit", "--no-such-option", "--", "true"), 2, "error[usage]")
        self.fails(self.fed.muster("qsub"), 2, "muster submit")

    def test_times_in_the_past_are_refused(self):
        self.fails(
            self.fed.muster("submit", "--at", "2001-01-01T00:00Z", "-t", "1m", "--", "true"), 2,
            "past")

    def test_an_unknown_site_or_resource_is_named(self):
        self.fails(self.fed.muster("submit", "--site", "moon", "-t", "1m", "--", "true"), 2, "moon")
        self.fails(
            self.fed.muster("submit", "-l", "1:ncpus=1:nquarks=3", "-t", "1m", "--", "true"), 7,
            "nquarks")

    def test_unknown_jobs_are_not_found(self):
        self.fails(self.fed.muster("show", "999999"), 3)
        self.fails(self.fed.muster("cancel", "999999"), 3)
        self.fails(self.fed.muster("logs", "999999"), 3)

    def test_once_gives_the_same_job_and_refuses_another(self):
        words = ["-t", "1m", "--once", "nightly", "--from", "now+2h", "--"]
        first = self.fed.submit(*words[:4], "--", "true")
        self.assertEqual(self.fed.submit(*words[:4], "--", "true"), first)
        self.fails(self.fed.muster("submit", *words[:4], "--", "false"), 8)

    def test_a_key_nobody_listed_is_told_so(self):
        self.fed.muster("keys", "new", "stranger.key")
        config = self.fed.root / "stranger.toml"
        known = (self.fed.state / "federation.toml").read_text().splitlines()
        own = f'key = "{self.fed.root}/stranger.key"'
        # Sites that are asked directly have a public key of the same name.
        config.write_text("\n".join(own if line.lstrip().startswith("key ") and ".key" in line
                                    else line for line in known))
        answer = self.fed.muster("queue", env={"MUSTER_CONFIG": str(config)})
        self.assertEqual(answer.code, 4, answer)
        self.assertIn("error[wrong-key]", answer.err)

    def test_no_federation_is_said(self):
        answer = self.fed.muster("queue", env={"XDG_STATE_HOME": str(self.fed.root / "nowhere")})
        self.assertEqual(answer.code, 2, answer)
        self.assertIn("muster up", answer.err)

    def test_garbage_on_the_port_harms_nobody(self):
        lines = (self.fed.state / "meta.toml").read_text().splitlines()
        listen = [line for line in lines if "listen" in line][0]
        port = int(listen.rsplit(":", 1)[1].strip('" '))
        for size in (1, 64, 5000, 200000):
            with socket.create_connection(("127.0.0.1", port)) as peer:
                try:
                    peer.sendall(os.urandom(size))
                except OSError:
                    pass  # cut off at once: as it should be

    def set_min_free(self, daemon, size):
        path = self.fed.state / f"{daemon}.toml"
        lines = [f'min_free = "{size}"' if line.startswith("min_free") else line
                 for line in path.read_text().splitlines()]
        path.write_text("\n".join(lines) + "\n")

    def test_a_meta_low_on_disk_refuses_new_work_and_finishes_what_runs(self):
        job = self.fed.submit("-t", "1m", "--", "sleep", "6")
        until(lambda: self.fed.job(job)["state"] == "running", "the job runs")
        usual = [line for line in (self.fed.state / "meta.toml").read_text().splitlines()
                 if line.startswith("min_free")][0].split('"')[1]
        try:
            self.set_min_free("meta", "900tb")
            self.fed.kill("meta")
            self.fed.restart("meta")
            until(lambda: "disk-full" in self.fed.muster(
                "submit", "-t", "1m", "--", "true").err, "new work is refused")
            refused = self.fed.muster("submit", "-t", "1m", "--", "true")
            self.assertNotEqual(refused.code, 0, refused)
            self.assertIn("nearly full", refused.err)
            self.fed.muster("wait", job)
            self.assertEqual(self.fed.job(job)["outcome"], "done")
        finally:
            self.set_min_free("meta", usual)
            self.fed.kill("meta")
            self.fed.restart("meta")
            until(lambda: self.fed.muster("sites").code == 0 and {s["state"] for s in
                  self.fed.muster("--json", "sites").json()["sites"]} == {"up"}, "all are up")
        self.assertEqual(self.fed.muster("wait", self.fed.submit("-t", "1m", "--", "true")).code, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
