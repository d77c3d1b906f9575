#!/usr/bin/env python3
"""Circles of includes inside each folder of the product. A component is a header and its source
together; a circle is a set of components that reach each other. None may be larger than the table
below, whose numbers may only get smaller. Usage: circles.py ROOT [--list]"""

import re
import sys

from source_tree import Finding, Tree, is_test, report, strip_cpp

# Components of the largest circle.
LARGEST = {
    "base": 4,
    "cli": 2,
    "meta": 1,
    "partitioner": 1,
    "schemas": 1,
    "sim": 3,
    "site": 1,
    "verifier": 2,
}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)\.h"', re.M)


def components(tree, hall):
    """What each component includes of its hall."""
    graph = {}
    for path in tree.cpp():
        if not path.startswith(hall + "/") or is_test(path):
            continue
        name = re.sub(r"\.\w+$", "", path)
        found = INCLUDE.findall(strip_cpp(tree.text(path)))
        graph.setdefault(name, set()).update(x for x in found if x.startswith(hall + "/"))
    for name, below in graph.items():
        below.discard(name)
    return graph


def reached(graph, start):
    seen, todo = set(), [start]
    while todo:
        for below in graph.get(todo.pop(), ()):
            if below in graph and below not in seen:
                seen.add(below)
                todo.append(below)
    return seen


def circles(graph):
    """Sets of components that reach each other, the largest first."""
    below = {name: reached(graph, name) for name in graph}
    found, left = [], set(graph)
    for name in sorted(graph):
        if name in left and name in below[name]:
            circle = {other for other in below[name] if name in below[other]}
            left -= circle
            found.append(sorted(circle))
    return sorted(found, key=len, reverse=True)


def check(tree, largest):
    findings, looked_at = [], 0
    for hall, most in largest.items():
        graph = components(tree, hall)
        looked_at += len(graph)
        size = max(map(len, circles(graph)), default=1)
        if size > most:
            first = circles(graph)[0]
            text = f"is in a circle of {size} components, at most {most}: {', '.join(first)}"
            findings.append(Finding(first[0], 1, text))
        elif size < most:
            text = f"{hall}: the largest circle has {size} components: make its number that"
            findings.append(Finding("tests/lint/circles.py", 1, text))
    return looked_at, findings


def main():
    tree = Tree(sys.argv[1])
    if "--list" in sys.argv:
        for hall in LARGEST:
            for circle in circles(components(tree, hall)):
                print(f"{hall} {len(circle)}: {' '.join(circle)}")
        return
    looked_at, findings = check(tree, LARGEST)
    report("circles", looked_at, findings)


if __name__ == "__main__":
    main()
