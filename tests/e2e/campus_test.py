"""Operators' guide, "A campus of three departments": its files and command lines, as they stand in
the page, on live daemons; and what they print is what the page says.

Times are compared as times and figures with a tolerance, since a job runs a moment longer or
shorter; all other text is compared word by word. MUSTER_GOLDEN_WRITE=1 writes what was printed into
the page, for the reader of the diff.
"""
import dataclasses
import datetime
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
import zoneinfo

from live_federation import LiveFederation, Site

BIN = pathlib.Path(os.environ["MUSTER_BIN_DIR"])
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "operators.md"
HEADING = "## A campus of three departments"
PATIENCE_S = 30  # until a look shows what the page says
MINUTE_S = 90  # what is worked out once a minute: given and taken, points
WRITE_S = 8  # a look that is to be written is taken after this; liens at once
LOOK_S = 0.2
TOLERANCE = 0.1  # of a figure: credits, processor-hours
OF_PER_CENT = 3
WRITES = "MUSTER_GOLDEN_WRITE" in os.environ
PEOPLE = ("ana", "bea", "bob", "cy", "pia", "tom")
SITES = [Site(name, "n[1-4]", {"ncpus": 4}, ports=f"{first}-{first + 499}")
         for name, first in (("lakes", 29000), ("woods", 29500), ("hills", 30000))]

FILE = re.compile(r"# /etc/muster/(\w+)\.toml$")
TYPED = re.compile(r"(\w*)([$#]) (.*)$")
LOOKS = ("account", "explain", "limits", "priority", "shares", "show", "sites")  # change nothing
KEY = re.compile(r'(name\s*=\s*"(\w+)"[^\n]*\nkey\s*=\s*)"[^"]+"')
NIGHT = "cron 0 20 * * * for 12h"
WHEN = re.compile(r"(?:(?:\d{4}-)?\d\d-\d\d )?\d\d:\d\d(?::\d\d)?")
SPAN = re.compile(r"\b(?:\d+(?:\.\d+)? ?(?:d|h|m|s))+\b(?: ago)?")
COUNTED = re.compile(r"\b(plan|block) \d+")  # from the start of a daemon on
FIGURE = re.compile(r"(-?\d+(?:\.\d+)?)( %)?")


@dataclasses.dataclass
class Command:
    who: str  # "" is the operator
    root: bool
    line: str
    at: int  # line of the page, from 1
    printed: list


def steps(text):
    """The section in its order: (file, text) to append, and Commands."""
    lines = text.splitlines()
    begin = lines.index(HEADING)
    block = None
    for number, line in enumerate(lines[begin + 1:], begin + 2):
        if line.startswith("## ") and block is None:
            return
        if not line.startswith("```"):
            if block is not None:
                block.append((number, line))
        elif block is None:
            block = []
        else:
            yield from steps_of(block)
            block = None


def steps_of(block):
    file = FILE.match(block[0][1])
    if file:
        yield file[1], "\n".join(line for _, line in block[1:]) + "\n"
        return
    commands = []
    for number, line in block:
        typed = TYPED.match(line)
        if typed:
            commands.append(Command(typed[1], typed[2] == "#", typed[3], number, []))
        else:
            commands[-1].printed.append(line)
    yield from commands


def words_of(line):
    """A line without its figures and its padding, and the figures."""
    for pattern, word in ((WHEN, "<when>"), (SPAN, "<span>"), (COUNTED, r"\1 <count>")):
        line = pattern.sub(word, line)
    figures = [(float(figure), OF_PER_CENT if unit else TOLERANCE)
               for figure, unit in FIGURE.findall(line)]
    return FIGURE.sub(r"<figure>\2", line).split(), figures


def same(printed, expected):
    """Whether that many lines say the same."""
    return len(printed) == len(expected) and all(same_line(*two) for two in zip(printed, expected))


def same_line(printed, expected):
    (words, figures), (words_there, figures_there) = words_of(printed), words_of(expected)
    return words == words_there and all(
        abs(one - other) <= near for (one, near), (other, _) in zip(figures, figures_there))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Comparing(unittest.TestCase):
    def test_times_may_differ_and_small_parts_of_figures(self):
        self.assertTrue(same(["1  done  10:00:01–10:00:06  in 9m  4979.98"],
                             ["1  done     23:59:58–00:00:03  in 10m  4979.99"]))

    def test_other_words_other_prices_and_other_lines_are_found(self):
        for printed in ("chem has 36 credits", "bio has 24 credits", "chem has 24 credits left"):
            self.assertFalse(same([printed], ["chem has 24 credits"]), printed)
        self.assertFalse(same(["one"], ["one", "two"]))
        self.assertFalse(same(["starts by –"], ["starts by 10:00:00"]))


class Campus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-e2e-campus-"))
        cls.meta = f"tcp://127.0.0.1:{free_port()}"
        cls.fed = LiveFederation(cls.folder, BIN, cls.meta, SITES, {})
        cls.addClassCleanup(cls.fed.close)
        cls.fed.keys = {name: cls.fed.new_key(name) for name in ("meta", *PEOPLE)}
        known = ""
        for site in SITES:
            known += cls.configure(site)
        for name in PEOPLE:
            (cls.folder / f"config-{name}.toml").write_text(
                f'default = "campus"\n[federation.campus]\nmeta = "{cls.meta}"\n'
                f'meta_key = "{cls.fed.keys["meta"]}"\nkey = "{name}.key"\n{known}')
        shutil.copy(cls.folder / "config-ana.toml", cls.folder / "config.toml")

    @classmethod
    def configure(cls, site):
        """The site that the page begins with. Returns how users know it."""
        cls.fed.configure_site(site)
        path = cls.folder / f"{site.name}.toml"
        address = f"tcp://127.0.0.1:{free_port()}"
        path.write_text(path.read_text().replace("[[nodes]]", f'listen = "{address}"\n[[nodes]]') +
                        f'[[user]]\nname = "ana"\nkey = "{cls.fed.keys["ana"]}"\n'
                        'role = "operator"\n')
        return (f'[federation.campus.site.{site.name}]\naddress = "{address}"\n'
                f'key = "{cls.fed.keys[site.name]}"\n')

    def here(self, text):
        """What stands in the page, with the folders, addresses and keys of this run."""
        # Prices by day, whenever this runs: the night is six hours away.
        hour = datetime.datetime.now(zoneinfo.ZoneInfo("Europe/Berlin")).hour
        text = KEY.sub(lambda m: f'{m[1]}"{self.fed.keys[m[2]]}"', text)
        for there, here in (("/etc/muster", str(self.folder)),
                            ("/var/lib/muster", str(self.folder)),
                            ("tcp://0.0.0.0:7710", self.meta),
                            (NIGHT, NIGHT.replace("20", str((hour + 7) % 24))),
                            ("\n[scheduler]", '\nmin_free  = "64mb"\n[scheduler]')):
            text = text.replace(there, here)
        return text

    def there(self, text):
        return text.replace(str(self.folder), "/etc/muster")

    def start(self, command):
        """`systemctl` of the page: starts what it names."""
        for unit in re.findall(r"muster-(metad|sited@\w+)", command.line):
            self.fed.start(unit.removeprefix("sited@").replace("metad", "meta"))

    def once(self, command):
        done = subprocess.run(
            ["bash", "-c", self.here(command.line)], cwd=self.folder, check=False,
            env={**self.fed.environment,
                 "MUSTER_CONFIG": str(self.folder / f"config-{command.who or 'ana'}.toml")},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S)
        return self.there(done.stdout + done.stderr).splitlines()

    def prints(self, command):
        """What the command prints; a look is repeated until it is what the page says."""
        printed = self.once(command)
        looks = command.line.split()[1] in LOOKS and "deposit" not in command.line and (
            "transfer" not in command.line)
        slow = "--home" in command.line or "priority" in command.line
        patience = MINUTE_S if slow else PATIENCE_S
        if WRITES and not slow:
            patience = 0 if "liens" in command.line else WRITE_S
        deadline = time.monotonic() + (patience if looks else 0)
        while not same(printed, command.printed) and time.monotonic() < deadline:
            time.sleep(LOOK_S)
            printed = self.once(command)
        return printed

    def test_what_the_page_says_line_by_line(self):
        text = PAGE.read_text()
        lines, moved, ran = text.splitlines(), 0, 0
        for step in steps(text):
            if not isinstance(step, Command):
                with open(self.folder / f"{step[0]}.toml", "a", encoding="utf-8") as file:
                    file.write(self.here(step[1]))
                continue
            ran += 1
            if step.line.startswith("systemctl"):
                self.start(step)
                continue
            printed = self.prints(step)
            if WRITES:
                lines[step.at + moved:step.at + moved + len(step.printed)] = printed
                moved += len(printed) - len(step.printed)
                continue
            self.assertTrue(
                same(printed, step.printed),
                "\n".join([f"line {step.at}: {step.line}", "--- prints", *printed, "--- the page",
                           *step.printed, self.fed.tails()]))
        if WRITES:
            PAGE.write_text("\n".join(lines) + "\n")
        self.assertGreater(ran, 40)


if __name__ == "__main__":
    unittest.main(verbosity=2)
