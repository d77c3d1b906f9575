"""What an administrator gets: sample configurations that are good, an installation that is whole,
units that systemd takes, and a site that works with no more rights than its unit gives it."""
import os
import pathlib
import pwd
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import live_federation

BIN = pathlib.Path(os.environ["MUSTER_BIN_DIR"])
SOURCE = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = SOURCE / "deploy" / "config"
UNITS = SOURCE / "deploy" / "systemd"
WAIT_S = 30
EXPOSURE = {"muster-metad.service": 2.0, "muster-sited@lakes.service": 7.5}  # at most; 10 is worst

INSTALLED = """
usr/bin/muster
usr/bin/muster-metad
usr/bin/muster-shepherd
usr/bin/muster-sim
usr/bin/muster-sited
usr/bin/muster-slurm-lab
usr/lib/systemd/system/muster-metad.service
usr/lib/systemd/system/muster-sited@.service
usr/lib/sysusers.d/muster.conf
usr/lib/tmpfiles.d/muster.conf
usr/libexec/muster/leave-cgroup
usr/share/doc/muster/CHANGELOG.md
usr/share/doc/muster/LICENSE
usr/share/doc/muster/cli.md
usr/share/doc/muster/examples/config.toml
usr/share/doc/muster/examples/meta.toml
usr/share/doc/muster/examples/site-mesh.toml
usr/share/doc/muster/examples/site-simulated.toml
usr/share/doc/muster/examples/site-slurm.toml
usr/share/doc/muster/examples/site.toml
usr/share/doc/muster/operators.md
usr/share/doc/muster/protocol.md
usr/share/doc/muster/users.md
""".split()


def run(*words, **more):
    return subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, **more)


def setting(unit, name):
    """The value of one setting of a unit as it stands in the sources."""
    return re.search(rf"^{name}=(.*)$", (UNITS / unit).read_text(), re.MULTILINE).group(1)


class Samples(unittest.TestCase):
    def test_every_sample_configuration_is_good(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "HOME": folder, "LC_ALL": "C.UTF-8"}
            made = run(BIN / "muster", "keys", "new", f"{folder}/kim.key", env=environment)
            self.assertEqual(made.returncode, 0, made)
            samples = sorted(SAMPLES.glob("*.toml"))
            self.assertEqual([s.name for s in samples],
                             ["config.toml", "meta.toml", "site-mesh.toml", "site-simulated.toml",
                              "site-slurm.toml", "site.toml"])
            for sample in samples:
                shutil.copy(sample, folder)
                checked = run(BIN / "muster", "check", f"{folder}/{sample.name}", env=environment)
                self.assertEqual(checked.returncode, 0, checked)


class Guides(unittest.TestCase):
    """Commands in the guides are commands of this muster, with options that they have."""

    TYPED = re.compile(r"^\w*[$#] (?:.* && )?muster (.*)$")
    PAGES = ("README.md", "docs/operators.md", "docs/users.md")

    def commands(self):
        """(page, line, words) of every command in a fenced block."""
        for page in self.PAGES:
            fenced, whole = False, ""
            for number, line in enumerate((SOURCE / page).read_text().splitlines(), 1):
                if line.startswith("```"):
                    fenced = not fenced
                elif fenced and (whole or self.TYPED.match(line)):
                    whole += line
                    if whole.endswith("\\"):
                        whole = whole[:-1]
                        continue
                    typed = re.split(r"\s(?:&&|\|)\s|\s{2,}# ", self.TYPED.match(whole).group(1))
                    yield page, number, shlex.split(typed[0], comments=True)
                    whole = ""

    def test_every_command_and_option_in_the_guides_is_there(self):
        helps, seen = {}, 0
        for page, number, words in self.commands():
            with self.subTest(page=page, line=number, words=words):
                seen += 1
                via = words[:1] == ["--via"]
                verb, *rest = words[2:] if via else words
                if verb not in helps:
                    helps[verb] = run(BIN / "muster", verb, "--help")
                self.assertEqual(helps[verb].returncode, 0, helps[verb])
                own = rest[:rest.index("--")] if "--" in rest else rest
                for word in [*own, *(["--via"] if via else [])]:
                    if re.match(r"--?[a-z]", word):
                        self.assertRegex(helps[verb].stdout, rf"(?m)^ +(.*, )?{word}\b")
        self.assertGreater(seen, 60)


class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="muster-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.root)
        done = run("cmake", "--install", BIN.parent, "--prefix", "/usr",
                   env={**os.environ, "DESTDIR": str(cls.root)})
        if done.returncode != 0:
            raise AssertionError(f"cmake --install: {done.stdout}{done.stderr}")

    def test_everything_is_where_an_administrator_looks_for_it(self):
        found = sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*")
                       if not path.is_dir())
        self.assertEqual(found, INSTALLED)
        for name in INSTALLED:
            program = name.startswith(("usr/bin/", "usr/libexec/"))
            self.assertEqual(os.access(self.root / name, os.X_OK), program, name)

    def test_installed_pages_lead_to_installed_pages_only(self):
        folder = self.root / "usr/share/doc/muster"
        links = 0
        for page in folder.glob("*.md"):
            for to in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
                links += 1
                self.assertTrue((folder / to).is_file(), f"{page.name} links {to}")
        self.assertGreater(links, 5)

    def test_the_installed_programs_find_each_other(self):
        shown = run(self.root / "usr/bin/muster", "check",
                    self.root / "usr/share/doc/muster/examples/meta.toml")
        self.assertEqual(shown.returncode, 0, shown)

    def test_units_hold_no_unfilled_place(self):
        for unit in (self.root / "usr/lib/systemd/system").iterdir():
            text = unit.read_text()
            self.assertNotRegex(text, r"@[A-Z_]+@", unit)
            self.assertIn("ExecStart=/usr/bin/muster-", text)

    def test_systemd_takes_the_units_and_finds_them_hardened(self):
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not here")
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for unit in (self.root / "usr/lib/systemd/system").iterdir():
                name = unit.name.replace("@.", "@lakes.")
                # The commands are not in /usr here, and verify wants to see them.
                text = re.sub(r"=/usr/(bin|libexec)/", rf"={self.root}/usr/\1/", unit.read_text())
                text = text.replace("User=muster", "User=daemon").replace("Group=muster\n", "")
                (pathlib.Path(folder) / name).write_text(text)
                names.append(name)
            verified = run("systemd-analyze", "verify", "--man=no", *names, cwd=folder)
            about_ours = [line for line in verified.stderr.splitlines() if "muster" in line]
            self.assertEqual((verified.returncode, about_ours), (0, []), verified)
            for name in names:
                security = run("systemd-analyze", "security", "--offline=yes", "--no-pager",
                               pathlib.Path(folder) / name)
                figure = re.search(r"exposure level for \S+: ([\d.]+)", security.stdout)
                self.assertIsNotNone(figure, security)
                self.assertLessEqual(float(figure.group(1)), EXPOSURE[name], security.stdout)

    def test_accounts_and_folders_are_declared_in_the_form_that_systemd_reads(self):
        if shutil.which("systemd-sysusers") is None or shutil.which("systemd-tmpfiles") is None:
            self.skipTest("systemd-sysusers or systemd-tmpfiles is not here")
        (self.root / "etc").mkdir(exist_ok=True)
        self.addCleanup(shutil.rmtree, self.root / "etc")
        made = run("systemd-sysusers", f"--root={self.root}",
                   self.root / "usr/lib/sysusers.d/muster.conf")
        self.assertEqual(made.returncode, 0, made)
        self.assertIn("muster:", (self.root / "etc/passwd").read_text())
        made = run("systemd-tmpfiles", "--create", f"--root={self.root}",
                   self.root / "usr/lib/tmpfiles.d/muster.conf")
        self.assertEqual(made.returncode, 0, made)
        self.assertTrue((self.root / "etc/muster").is_dir())
        self.addCleanup(shutil.rmtree, self.root / "var")


class LeavingACgroup(unittest.TestCase):
    def test_controllers_are_taken_back_from_below_and_nothing_else_is_touched(self):
        with tempfile.TemporaryDirectory() as folder:
            group = pathlib.Path(folder)
            given = [group / "cgroup.subtree_control", group / "muster-1f/cgroup.subtree_control"]
            other = group / "daemon/cgroup.subtree_control"
            for file in (*given, other):
                file.parent.mkdir(exist_ok=True)
                file.write_text("cpu memory\n")
            done = run("sh", UNITS / "leave-cgroup", group)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done)
            self.assertEqual([file.read_text() for file in given], ["-memory\n"] * 2)
            self.assertEqual(other.read_text(), "cpu memory\n")

    def test_a_machine_without_such_groups_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run("sh", UNITS / "leave-cgroup", folder).returncode, 0)
            self.assertEqual(os.listdir(folder), [])


@unittest.skipUnless(os.geteuid() == 0, "only root can give rights away and become accounts")
class RightsOfASite(unittest.TestCase):
    """A site with the bounding set and the NoNewPrivileges of its unit, and a mapped account."""

    @classmethod
    def setUpClass(cls):
        rights = setting("muster-sited@.service.in", "CapabilityBoundingSet").split()
        few = ",".join(["-all", *("+" + right.removeprefix("CAP_").lower() for right in rights)])
        assert setting("muster-sited@.service.in", "NoNewPrivileges") == "yes"
        site = live_federation.Site(
            "lakes", "n[1-2]", {"ncpus": 2, "mem": "1gb"}, users={"tester": "nobody", "*": "deny"},
            enter=("setpriv", "--no-new-privs", f"--bounding-set={few}", f"--inh-caps={few}"))
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-e2e-rights-"))
        cls.folder.chmod(0o711)
        cls.fed = live_federation.LiveFederation(
            cls.folder, BIN, "tcp://127.0.0.1:7793", [site],
            {"lead": "2s", "start_wait": "10s", "permit_window": "6s"})
        cls.addClassCleanup(cls.fed.close)
        (cls.folder / "lakes").mkdir(mode=0o711)
        cls.fed.up()

    def submit(self, *words):
        answer = self.fed.muster("-q", "submit", "-t", "30s", *words)
        self.assertEqual(answer.code, 0, answer)
        return answer.out.strip()

    def ended(self, job):
        self.assertIn(self.fed.muster("wait", job).code, (0, 9))
        return self.fed.muster("--json", "show", job).json()["job"]

    def test_a_job_runs_as_its_account_with_no_rights_and_its_output_is_read(self):
        job = self.submit("--", "sh", "-c", "id -u; grep -E 'CapEff|NoNewPrivs' /proc/self/status; "
                          "echo here > file && cat file")
        self.assertEqual(self.ended(job)["outcome"], "done")
        said = self.fed.muster("logs", job).out.split()
        self.assertEqual(said, [str(pwd.getpwnam("nobody").pw_uid), "CapEff:", "0" * 16,
                                "NoNewPrivs:", "1", "here"])

    def test_a_job_of_another_account_is_ended_when_it_is_cancelled(self):
        job = self.submit("--", "sh", "-c", "trap '' TERM; sleep 30 & wait; sleep 30")
        self.assertTrue(self.fed.wait_for(
            lambda: self.fed.muster("--json", "show", job).json()["job"]["state"] == "running",
            WAIT_S))
        self.assertEqual(self.fed.muster("cancel", job).code, 0)
        self.assertEqual(self.ended(job)["outcome"], "cancelled")


if __name__ == "__main__":
    unittest.main(verbosity=2)
