#!/usr/bin/env python3
"""Sources of a target are compiled in batches, whose size is the preset's: names that two of them
give to different things in their anonymous namespaces meet in one preset and not in another. So no
constant, type or function with the same parameters may have one name twice in a target.
Usage: batches.py ROOT"""

import posixpath
import re
import sys
from collections import defaultdict

from source_tree import Finding, Tree, report, strip_cpp

CALL = re.compile(r"\bmuster_(library|test|program)\s*\(([^()]*)\)")
# Words that end the list of sources that stands before them.
KEYWORDS = {"SOURCES", "TESTS", "USES", "PRIVATE", "TEST_USES", "LABEL", "TIMEOUT", "SHARDS",
            "THREADS", "HEADERS"}

NAMESPACE = re.compile(r"\bnamespace\b\s*([\w:]*)\s*\{")
CONSTANT = re.compile(r"\bconst(?:expr|init)?\s[^;={}()]*?\b(\w+)(?:\[[^\]]*\])*\s*(?:=|\{)")
TYPE = re.compile(
    r"(?<![<,] )(?<![<,])\b(?:struct|class|enum(?:\s+class|\s+struct)?|union)\s+(\w+)\b[^;{}()]*\{"
)
ALIAS = re.compile(r"\busing\s+(\w+)\s*=([^;]*);")
FUNCTION = re.compile(
    r"(?<![:\w])(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)\s*(?:const\s*|noexcept\s*)*\{"
)
NOT_FUNCTIONS = {"if", "for", "while", "switch", "catch", "return", "sizeof"}


def targets(tree):
    """Sources of each target, tests apart from what they test."""
    found = {}
    for path in tree.paths:
        if posixpath.basename(path) != "CMakeLists.txt":
            continue
        text = re.sub(r"#[^\n]*", "", tree.text(path))
        for call in CALL.finditer(text):
            words = call.group(2).split()
            lists, now = defaultdict(list), "SOURCES"
            for word in words[1:]:
                if word in KEYWORDS:
                    now = word
                elif word.endswith(".cc") and now in ("SOURCES", "TESTS"):
                    here = posixpath.join(posixpath.dirname(path), word)
                    lists[now].append(posixpath.normpath(here))
            for kind, sources in lists.items():
                found[words[0] + ("_test" if kind == "TESTS" else "")] = sources
    return found


def closing(text, opened):
    """Where the brace that stands at `opened` closes."""
    depth = 0
    for at in range(opened, len(text)):
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return at
    return len(text)


def anonymous(text, begin, end, outer=""):
    """Every (namespaces, begin, end) of an anonymous namespace's body."""
    at = begin
    while match := NAMESPACE.search(text, at, end):
        opened = match.end() - 1
        closed = closing(text, opened)
        if match.group(1):
            inside = outer + "::" + match.group(1)
            yield from anonymous(text, opened + 1, closed, inside)
        else:
            yield outer, opened + 1, closed
        at = closed + 1


def outermost(text, begin, end):
    """The text with what stands inside of inner braces blanked, but for the braces."""
    out, depth = [], 0
    for letter in text[begin:end]:
        if letter == "}":
            depth -= 1
        out.append(letter if depth == 0 or letter == "\n" else " ")
        if letter == "{":
            depth += 1
    return "".join(out)


def parameter_types(text):
    """Parameters without their names and defaults, as overloads are told apart."""
    types = []
    for one in re.sub(r"=[^,]*", "", text).split(","):
        words = re.sub(r"([&*<>])", r" \1 ", one).split()
        if len(words) > 1 and re.fullmatch(r"\w+", words[-1]):
            words.pop()
        types.append(" ".join(words))
    return tuple(types)


def names(source):
    """(namespaces, name, what it is, line) of all that a source keeps to itself."""
    text = strip_cpp(source)
    for outer, begin, end in anonymous(text, 0, len(text)):
        body = outermost(text, begin, end)
        line = text.count("\n", 0, begin) + 1
        for pattern, what in ((CONSTANT, "value"), (TYPE, "type")):
            for match in pattern.finditer(body):
                yield outer, match.group(1), what, line + body.count("\n", 0, match.start(1))
        for match in ALIAS.finditer(body):
            what = ("alias", re.sub(r"\s+", " ", match.group(2).strip()))
            yield outer, match.group(1), what, line + body.count("\n", 0, match.start(1))
        for match in FUNCTION.finditer(body):
            if match.group(1) not in NOT_FUNCTIONS:
                what = ("function", parameter_types(match.group(2)))
                yield outer, match.group(1), what, line + body.count("\n", 0, match.start(1))


def both_may_be(what, other):
    """Overloads, and one name for the same type."""
    if what[0] == other[0] == "function":
        return what != other
    return what[0] == other[0] == "alias" and what == other


def check(tree):
    findings = []
    for target, sources in sorted(targets(tree).items()):
        first = {}
        for path in sources:
            if path not in tree.paths:
                continue
            for outer, name, what, line in names(tree.text(path)):
                for (other_path, other_what) in first.setdefault((outer, name), []):
                    if other_path == path or both_may_be(what, other_what):
                        continue
                    findings.append(Finding(path, line, f"'{name}' is also in {other_path}: "
                                            f"a batch of {target} with both does not compile"))
                    break
                first[(outer, name)].append((path, what))
    return findings


if __name__ == "__main__":
    tree = Tree(sys.argv[1])
    report("batches", len(targets(tree)), check(tree))
