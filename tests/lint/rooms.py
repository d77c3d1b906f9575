#!/usr/bin/env python3
"""Rooms of meta/ and site/ include downward only, as the table "Rooms" of docs/architecture.md has
them, the lowest first. Usage: rooms.py ROOT"""

import re
import sys

from links import table_rows
from source_tree import Finding, Tree, is_test, report, strip_cpp

PAGE = "docs/architecture.md"
# Below every room: what a core is told.
SHARED = ("options.h",)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def rooms(text):
    """Rank of every room, by its folder: 0 is the lowest of its hall."""
    ranks, halls = {}, {}
    for _, cells in table_rows(text, "Rooms"):
        folder = cells[0].strip("`")
        hall = folder.split("/")[0]
        ranks[folder] = halls.get(hall, 0)
        halls[hall] = ranks[folder] + 1
    return ranks


def room_of(path, ranks):
    """The room that owns a file; its hall for a file in none of them; None outside of halls."""
    hall = path.split("/")[0]
    if not any(room.startswith(hall + "/") for room in ranks):
        return None
    for room in ranks:
        if path.startswith(room + "/"):
            return room
    return hall if path.count("/") == 1 else None


def upward(tree, ranks):
    """(file, line, header) of every include of a higher room of the same hall."""
    found = []
    for path in tree.cpp():
        room = room_of(path, ranks)
        if room is None or room not in ranks or is_test(path):
            continue
        text = strip_cpp(tree.text(path))
        for match in INCLUDE.finditer(text):
            header = match.group(1)
            other = room_of(header, ranks)
            if other is None or other == room or other.split("/")[0] != room.split("/")[0]:
                continue
            if other in ranks and ranks[other] < ranks[room]:
                continue
            if other not in ranks and header.split("/")[1] in SHARED:
                continue
            found.append((path, text.count("\n", 0, match.start(1)) + 1, header))
    return found


def check(tree):
    if PAGE not in tree.paths:
        return [Finding(PAGE, 1, "is missing: it has the table of rooms")]
    ranks = rooms(tree.text(PAGE))
    return [
        Finding(path, line, f"{header} is in a higher room: return news instead")
        for path, line, header in upward(tree, ranks)
    ]


def main():
    tree = Tree(sys.argv[1])
    report("rooms", len(tree.cpp()), check(tree))


if __name__ == "__main__":
    main()
