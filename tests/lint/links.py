#!/usr/bin/env python3
"""Dependencies point one way: compares the table "Targets" of docs/architecture.md with every
include and with the link graph that CMake wrote (cmake/LinkGraph.cmake).
Usage: links.py ROOT [LINK_GRAPH]"""

import re
import sys
from dataclasses import dataclass

from source_tree import Finding, Tree, is_test, report, strip_cpp

PAGE = "docs/architecture.md"

# Nobody inherits these: whoever is not the row that names them may not even see their headers.
SEALED = {"capnp", "zmq", "rocksdb"}

# How outside libraries show in an include, and under which names CMake links them.
HEADERS = {
    "absl": r"absl/",
    "capnp": r"(capnp|kj)/|.*\.capnp\.h$",
    "zmq": r"zmq\.h(pp)?$|zmq_addon\.hpp$",
    "rocksdb": r"rocksdb/",
    "libslurm": r"slurm/slurm",
    "libsodium": r"sodium(\.h$|/)",
    "fmt": r"fmt/",
    "spdlog": r"spdlog/",
    "nlohmann_json": r"nlohmann/",
    "CLI11": r"CLI/",
    "toml++": r"toml\+\+/",
    "zlib": r"zlib\.h$",
    "tcmalloc": r"gperftools/",
    "tests only": r"(gtest|gmock|benchmark|rapidcheck)[/.]",
}
LIBRARIES = {
    "absl": r"absl::",
    "capnp": r"CapnProto::",
    "zmq": r"cppzmq|libzmq",
    "rocksdb": r"RocksDB::",
    "libslurm": r"libslurm",
    "libsodium": r"PkgConfig::SODIUM$",
    "fmt": r"fmt::",
    "spdlog": r"spdlog::",
    "nlohmann_json": r"nlohmann_json::",
    "CLI11": r"CLI11::",
    "toml++": r"tomlplusplus::",
    "zlib": r"ZLIB::",
    "tcmalloc": r"tcmalloc$|PkgConfig::TCMALLOC$",
    "tests only": r"GTest::|benchmark::|rapidcheck",
}
# The C library's own, the compiler's runtime, and flags that group them.
UNBOUND = re.compile(
    r"Threads::Threads$|(-l)?(pthread|dl|rt|m|c|gcc|gcc_eh)$|-Wl,--(start|end)-group$"
)


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    path: str
    uses: tuple
    outside: tuple
    line: int


def table_rows(text, title):
    """Cells of the first table below heading `title` with line numbers, without head and rule."""
    rows, inside = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            if rows:
                break
            inside = line.strip("# ") == title
        elif inside and line.startswith("|"):
            rows.append((number, [cell.strip() for cell in line.strip().strip("|").split("|")]))
        elif rows:
            break
    return rows[2:]


def names(cell):
    return tuple(re.findall(r"`([^`]+)`", cell))


class Table:
    """The link table and the programs, as documented."""

    def __init__(self, text):
        self.rows = {}
        for line, cells in table_rows(text, "Targets"):
            path = names(cells[0])[0]
            self.rows[path] = Row(path, names(cells[2]), names(cells[3]), line)
        self.programs = {names(c[0])[0]: names(c[1])[0] for _, c in table_rows(text, "Programs")}

    def owner(self, path):
        """The row whose path is the longest that holds `path`; None if no row does."""
        held = [r for r in self.rows if path == r or path.startswith(r + "/")]
        return max(held, key=len, default=None)

    def reachable(self, path):
        """Rows that `path` may use: named ones and, in turn, theirs."""
        found, todo = set(), [path]
        while todo:
            for used in self.rows[todo.pop()].uses:
                if used in self.rows and used not in found:
                    found.add(used)
                    todo.append(used)
        return found

    def outside(self, path):
        """Outside libraries that `path` may use."""
        allowed = set(self.rows[path].outside)
        for used in self.reachable(path):
            allowed |= set(self.rows[used].outside) - SEALED
        return allowed

    def findings(self):
        """What is wrong with the table itself."""
        found = []

        def wrong(line, text):
            found.append(Finding(PAGE, line, text))

        for row in self.rows.values():
            for used in row.uses:
                if used not in self.rows:
                    wrong(row.line, f"`{row.path}` uses `{used}`, which has no row")
            for library in row.outside:
                if library not in HEADERS:
                    wrong(row.line, f"unknown outside library `{library}`")
            if row.path in self.reachable(row.path):
                wrong(row.line, f"`{row.path}` uses itself in a circle")
        for library in SEALED:
            holders = [r for r in self.rows.values() if library in r.outside]
            if len(holders) != 1:
                wrong(1, f"exactly one row may name `{library}`, not {len(holders)}")
        return found


def outside_library(name, patterns):
    return next((library for library, pattern in patterns.items() if re.match(pattern, name)), None)


INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def check_includes(tree, table):
    """Every include of every file that is no test, against the table. Returns (files, findings)."""
    found, looked_at = [], 0
    for path in tree.cpp():
        if is_test(path):
            continue
        looked_at += 1
        row = table.owner(path)
        if row is None:
            found.append(Finding(path, 1, f"no row of the table in {PAGE} owns this file"))
            continue
        allowed, outside = table.reachable(row) | {row}, table.outside(row)
        text = strip_cpp(tree.text(path))
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start(1 if match.group(1) else 2)) + 1
            name = match.group(1) or match.group(2)
            library = outside_library(name, HEADERS)
            wrong = None
            if library is not None:
                if library not in outside:
                    wrong = f"`{row}` may not include <{name}> ({library})"
            elif match.group(1):
                if not (tree.root / name).is_file():
                    wrong = f'"{name}" is no path from the root of the repository'
                elif (owner := table.owner(name)) not in allowed:
                    wrong = f"`{row}` may not include {name} of `{owner}`"
            if wrong:
                found.append(Finding(path, line, wrong))
    return looked_at, found


def check_links(tree, table, graph):
    """The link graph against the table. Returns (targets, findings)."""
    row_of = {row.path.replace("/", "_"): row.path for row in table.rows.values()}
    targets = [line.split(" ") for line in graph.splitlines() if line.strip()]
    own = {target[0] for target in targets}
    found, looked_at = [], 0
    for target, kind, folder, *links in targets:
        links = [re.sub(r"^\$<LINK_ONLY:(.*)>$", r"\1", link) for link in links if link]
        libraries = {link: outside_library(link, LIBRARIES) for link in links}
        # Executables that are no programs are there for tests.
        if folder.startswith("tests") or kind == "EXECUTABLE" or "tests only" in libraries.values():
            continue
        looked_at += 1
        where = f"{folder}/CMakeLists.txt"
        if kind == "PROGRAM":
            row, listed = table.owner(table.programs.get(target, "")), "Programs"
        else:
            row, listed = row_of.get(target), "Targets"
        if row is None:
            found.append(Finding(where, 1, f"{target} is not in the table {listed} of {PAGE}"))
            continue
        allowed, outside = table.reachable(row) | {row}, table.outside(row)
        for link, library in libraries.items():
            if link in own:
                permitted = row_of.get(link) in allowed
            else:
                permitted = UNBOUND.match(link) if library is None else library in outside
            if not permitted:
                found.append(Finding(where, 1, f"{target} (`{row}`) may not link {link}"))
    return looked_at, found


def main():
    tree = Tree(sys.argv[1])
    table = Table(tree.text(PAGE))
    found = table.findings()
    if found:
        report("link table", len(table.rows), found)
    looked_at, found = check_includes(tree, table)
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as graph:
            targets, more = check_links(tree, table, graph.read())
        if targets == 0:
            more.append(Finding(sys.argv[2], 1, "the link graph is empty"))
        looked_at, found = looked_at + targets, found + more
    report("link table", looked_at, found)


if __name__ == "__main__":
    main()
