#!/usr/bin/env python3
"""Every file says what it is and why it exists, fits in 100 columns, and leaves no note of
unfinished work; rows of the protocol that code cites are there. Usage: text.py ROOT"""

import re
import sys

from source_tree import Finding, Tree, report

COLUMNS = 100

# Files that can open with a comment, and how one looks. A folder's CMakeLists.txt is a plain list.
OPENINGS = (
    (re.compile(r".*\.(h|cc|c)$"), re.compile(r"//|/\*")),
    (re.compile(r".*\.(capnp|cmake|toml|sh)$|(.*/)?(CMakeLists|packages)\.txt$"), re.compile(r"#")),
    (re.compile(r".*\.py$"), re.compile(r'(#!.*\n)?(#(?!!)|""")')),
    (re.compile(r".*\.js$"), re.compile(r"//")),
    (re.compile(r".*\.css$"), re.compile(r"/\*")),
    (re.compile(r".*\.html$"), re.compile(r"(<!doctype html>\n)?<!--")),
)
EXEMPT = re.compile(r".+/CMakeLists\.txt$|(.*/)?golden/")
SHEBANG = re.compile(r"#!.*\b(?:ba)?sh\b.*\n# \S")
FITS = re.compile(r".*\.(h|cc|c|capnp|cmake|py|sh|js|css|html)$|(.*/)?(CMakeLists\.txt|dev|run)$")

# Spelled apart, so that this file may hold them too.
FORBIDDEN = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
PROSE = re.compile(r".*\.(h|cc|c|capnp|cmake|py|sh|js|css|html|md|toml|txt|json)$|(.*/)?(dev|run)$")

# H1 (hold), C1 (co-allocation), G1 (promises), as protocol.md and architecture.md number them.
CITED = re.compile(r"(?<![\w+#.-])([HCG][1-9]\d?)(?![\w.])")
CITES = re.compile(r"(base|schemas|verifier|site|partitioner|meta|sim)/.*\.(h|cc|capnp)$")
ROW = re.compile(r"^\|\s*([HCG][1-9]\d?)\s*\|", re.MULTILINE)


def comment_of(line):
    """The part of a C++ or Cap'n Proto line after // or #."""
    match = re.search(r"//(.*)|^\s*#(?!\s*(?:include|define|pragma|if|else|endif|undef))(.*)", line)
    return (match.group(1) or match.group(2) or "") if match else ""


def opening_findings(path, text):
    if not text.strip() or EXEMPT.match(path):
        return []
    shell = text.startswith("#!") and not path.endswith(".py")
    expected = SHEBANG if shell else next((o for name, o in OPENINGS if name.match(path)), None)
    if expected is None or expected.match(text):
        return []
    return [Finding(path, 1, "open with a comment: what this file is and why it exists")]


def check(tree):
    """Returns (files, findings)."""
    rows = set()
    for page in ("docs/protocol.md", "docs/architecture.md"):
        if page in tree.paths:
            rows |= set(ROW.findall(tree.text(page)))
    found = []
    for path in tree.paths:
        if path == "LICENSE":
            continue
        text = tree.text(path)
        found += opening_findings(path, text)
        for number, line in enumerate(text.splitlines(), 1):
            if FITS.match(path) and len(line) > COLUMNS:
                found.append(Finding(path, number, f"{len(line)} columns; at most {COLUMNS}"))
            if PROSE.match(path) and (word := FORBIDDEN.search(line)):
                text_of = f"'{word.group(0)}': finish it, or leave it out"
                found.append(Finding(path, number, text_of))
            if CITES.match(path):
                for row in CITED.findall(comment_of(line)):
                    if row not in rows:
                        found.append(Finding(path, number, f"cites row {row}, which docs/ lacks"))
    return len(tree.paths), found


if __name__ == "__main__":
    report("text", *check(Tree(sys.argv[1])))
