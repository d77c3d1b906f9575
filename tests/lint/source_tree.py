"""What every lint check shares: the tracked files, C++ without comments and strings, the report.

A check is a function from a Tree to Findings, so that its self-test can hand it a planted tree.
"""

import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Finding:
    """One thing that is wrong, where, and what would be right."""

    path: str
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}"


class Tree:
    """The files git tracks, or all of them outside of git; relative paths with '/'."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.paths = sorted(p for p in self._list() if (self.root / p).is_file())

    def _list(self):
        if (self.root / ".git").exists():
            command = ["git", "-C", self.root, "ls-files", "-z"]
            listed = subprocess.run(command, check=True, capture_output=True, text=True)
            return [p for p in listed.stdout.split("\0") if p]
        return [p.relative_to(self.root).as_posix() for p in self.root.rglob("*") if p.is_file()]

    def text(self, path):
        """Contents; bytes that are no UTF-8 are kept visible rather than fatal."""
        return (self.root / path).read_text(encoding="utf-8", errors="backslashreplace")

    def cpp(self):
        """C and C++ sources and headers."""
        return [p for p in self.paths if p.endswith((".h", ".cc", ".c"))]


def is_test(path):
    """Unit tests, their fixtures and benches stand beside the code; others are below tests/."""
    return bool(re.match(r"tests/|.*_(test|bench)(_\w+)?\.(cc|h)$|.*_fixture\.h$", path))


_TOKEN = re.compile(
    r"""
    //[^\n]*                                    # line comment
  | /\*.*?\*/                                   # block comment
  | R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"  # raw string
  | "(?:\\.|[^"\\\n])*"                         # string
  | (?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])+'        # character, but no digit separator
    """,
    re.DOTALL | re.VERBOSE,
)


def strip_cpp(text):
    """The same text with comments and literals blanked, but for paths of includes; lines stay."""
    def blank(match):
        token = match.group(0)
        line_start = text.rfind("\n", 0, match.start()) + 1
        if re.match(r"\s*#\s*include\b", text[line_start : match.start()]):
            return token
        return re.sub(r"[^\n]", " ", token)

    return _TOKEN.sub(blank, text)


def report(name, looked_at, findings):
    """Prints findings and ends the process. A check that had nothing to look at has failed."""
    for finding in sorted(set(findings)):
        print(finding)
    if looked_at == 0:
        print(f"{name}: found nothing to look at; is this the root of the repository?")
        sys.exit(1)
    print(f"{name}: {looked_at} looked at, {len(set(findings))} wrong")
    sys.exit(1 if findings else 0)
