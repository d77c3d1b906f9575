#!/usr/bin/env python3
"""Each lint check finds what is planted for it in a small tree, and is silent on the same tree
without it. Usage: lint_test.py [CLANG_FORMAT]"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import batches
import circles
import cores
import layout
import links
import rooms
import source_tree
import text

PAGE = """# Architecture
### Targets
| target | what it is | uses | outside |
|---|---|---|---|
| `base` | words | | `absl` |
| `base/io` | interfaces | `base` | |
| `base/io/zmq` | transport | `base/io` | `zmq` |
| `base/io/rocks` | store | `base/io` | `rocksdb` |
| `schemas` | structs | `base` | |
| `schemas/codec` | codec | `schemas` | `capnp` |
| `verifier` | protocol | `schemas` | |
| `site` | core | `verifier` | |
| `site/shell` | shell | `site`, `base/io/zmq` | |
| `site/main.cc` | wiring | `site/shell` | |
### Programs
| program | main | what |
|---|---|---|
| `sited` | `site/main.cc` | a site |
## 5. What is promised
| G1 | all or none |
| H1 | a hold |
"""

CLEAN = {
    "docs/architecture.md": PAGE,
    "base/ids.h": "// Ids.\n#pragma once\n#include <absl/status/status.h>\n",
    "base/io/clock.h": '// A clock.\n#include "base/ids.h"\n',
    "base/io/zmq/transport.cc": '// Sockets.\n#include <zmq.hpp>\n#include "base/io/clock.h"\n',
    "schemas/hold.h": '// Holds (H1).\n#include "base/ids.h"\n',
    "verifier/hold.cc": '// Here sleep(1) is a comment.\n#include "schemas/hold.h"\n',
    "site/core.cc": '// The Step.\n#include "schemas/hold.h"\n',
    "site/shell/shell.cc": '// The loop.\n#include "base/io/clock.h"\nvoid F() { sleep(1); }\n',
    "site/main.cc": '// Wires.\n#include "base/ids.h"\n',
    "CMakeLists.txt": "# The project.\n",
}

GRAPH = """base STATIC_LIBRARY base absl::status
base_io INTERFACE_LIBRARY base/io base
base_io_zmq STATIC_LIBRARY base/io/zmq base_io $<LINK_ONLY:cppzmq>
schemas STATIC_LIBRARY schemas base
verifier STATIC_LIBRARY verifier schemas
site STATIC_LIBRARY site verifier
sited PROGRAM site site Threads::Threads
site_writer EXECUTABLE site base_io_zmq
site_test EXECUTABLE site site GTest::gtest cppzmq
"""


class Planted(unittest.TestCase):
    """Runs a check over CLEAN with some files replaced or added."""

    def tree(self, planted):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for path, contents in {**CLEAN, **planted}.items():
            file = pathlib.Path(folder.name, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(contents, encoding="utf-8")
        return source_tree.Tree(folder.name)

    def assert_found(self, findings, *places):
        self.assertEqual(sorted(f"{f.path}:{f.line}" for f in findings), sorted(places), findings)


class Links(Planted):
    def includes(self, planted):
        tree = self.tree(planted)
        looked_at, findings = links.check_includes(tree, links.Table(tree.text(links.PAGE)))
        self.assertGreater(looked_at, 0)
        return findings

    def linked(self, graph):
        tree = self.tree({})
        return links.check_links(tree, links.Table(tree.text(links.PAGE)), graph)[1]

    def assert_include_found(self, path, header):
        self.assert_found(self.includes({path: f"// A.\n#include <{header}>\n"}), f"{path}:2")

    def test_a_clean_tree_passes(self):
        self.assert_found(self.includes({}))
        self.assert_found(self.linked(GRAPH))
        self.assert_found(links.Table(PAGE).findings())

    def test_an_include_against_the_arrow_is_found_with_its_line(self):
        up = {"verifier/hold.cc": '// Up.\n\n#include "site/core.h"\n', "site/core.h": "// C.\n"}
        self.assert_found(self.includes(up), "verifier/hold.cc:3")

    def test_a_sealed_library_is_found_even_in_a_row_above_it(self):
        self.assert_include_found("site/shell/a.cc", "zmq.h")
        self.assert_include_found("site/b.cc", "kj/io.h")
        self.assert_include_found("base/c.h", "rocksdb/db.h")

    def test_an_outside_library_that_no_used_row_names_is_found(self):
        self.assert_include_found("site/a.cc", "fmt/core.h")

    def test_a_test_library_outside_of_tests_is_found(self):
        self.assert_include_found("site/a.cc", "gtest/gtest.h")

    def test_a_test_may_include_what_it_likes(self):
        self.assert_found(self.includes({"verifier/a_test.cc": '// T.\n#include "site/core.cc"\n'}))
        self.assert_found(self.includes({"site/a_fixture.h": "// T.\n#include <gtest/gtest.h>\n"}))

    def test_a_file_without_a_row_is_found(self):
        self.assert_found(self.includes({"extra/a.cc": "// A.\n"}), "extra/a.cc:1")

    def test_an_include_that_is_no_path_from_the_root_is_found(self):
        self.assert_found(self.includes({"site/a.cc": '// A.\n#include "core.h"\n'}), "site/a.cc:2")

    def test_an_include_in_a_comment_does_not_count(self):
        commented = '// A.\n/*\n#include "site/core.cc"\n*/\n'
        self.assert_found(self.includes({"verifier/a.cc": commented}))

    def test_a_link_against_the_arrow_is_found(self):
        graph = GRAPH.replace("verifier schemas", "verifier schemas site")
        self.assert_found(self.linked(graph), "verifier/CMakeLists.txt:1")

    def test_a_sealed_or_unknown_library_that_is_linked_is_found(self):
        graph = GRAPH.replace("site verifier", "site verifier $<LINK_ONLY:RocksDB::rocksdb>")
        self.assert_found(self.linked(graph), "site/CMakeLists.txt:1")
        graph = GRAPH.replace("site verifier", "site verifier mystery")
        self.assert_found(self.linked(graph), "site/CMakeLists.txt:1")

    def test_a_target_or_program_without_a_row_is_found(self):
        for extra in ("extra STATIC_LIBRARY extra base\n", "tool PROGRAM extra base\n"):
            self.assert_found(self.linked(GRAPH + extra), "extra/CMakeLists.txt:1")

    def test_a_table_with_a_circle_or_an_unknown_name_is_found(self):
        circle = PAGE.replace("| `base` | words | |", "| `base` | words | `schemas` |")
        self.assertTrue(any("circle" in f.text for f in links.Table(circle).findings()))
        unknown = PAGE.replace("| structs | `base` |", "| structs | `bass` |")
        self.assertTrue(any("`bass`" in f.text for f in links.Table(unknown).findings()))
        twice = PAGE.replace("| `absl` |", "| `absl`, `zmq` |")
        self.assertTrue(any("exactly one" in f.text for f in links.Table(twice).findings()))


class Rooms(Planted):
    PAGE = """# A
### Rooms
| room | what |
|---|---|
| `meta/sites` | links |
| `meta/search` | places |
"""
    LOW, HIGH = "meta/sites/feed", "meta/search/wave"

    def findings(self, planted):
        tree = {rooms.PAGE: self.PAGE, f"{self.LOW}.h": "// L.\n", f"{self.HIGH}.h": "// H.\n"}
        return rooms.check(self.tree({**tree, **planted}))

    def test_an_include_of_a_lower_room_a_shared_header_or_the_own_room_passes(self):
        self.assert_found(self.findings({
            f"{self.HIGH}.cc": f'// A.\n#include "{self.LOW}.h"\n#include "{self.HIGH}.h"\n',
            f"{self.LOW}.cc": '// A.\n#include "meta/options.h"\n#include "base/ids.h"\n'}))

    def test_an_include_of_a_higher_room_or_of_the_core_is_found_with_its_line(self):
        up = {f"{self.LOW}.cc": f'// A.\n\n#include "{self.HIGH}.h"\n'}
        self.assert_found(self.findings(up), f"{self.LOW}.cc:3")
        core = {f"{self.HIGH}.cc": '// A.\n#include "meta/core.h"\n'}
        self.assert_found(self.findings(core), f"{self.HIGH}.cc:2")


class Circles(Planted):
    ROUND = {"meta/a.h": '// A.\n#include "meta/b.h"\n', "meta/b.h": "// B.\n",
             "meta/b.cc": '// B.\n#include "meta/c.h"\n', "meta/c.h": "// C.\n",
             "meta/c.cc": '// C.\n#include "meta/a.h"\n#include "meta/c.h"\n'}

    def findings(self, most):
        return circles.check(self.tree(self.ROUND), {"meta": most})[1]

    def test_a_circle_over_headers_and_sources_is_found_if_it_is_larger_than_allowed(self):
        self.assert_found(self.findings(2), "meta/a:1")
        self.assert_found(self.findings(3))

    def test_a_number_that_is_larger_than_the_largest_circle_is_found(self):
        self.assert_found(self.findings(4), "tests/lint/circles.py:1")


class Batches(Planted):
    LIST = {"site/CMakeLists.txt": "muster_library(site SOURCES a.cc b.cc TESTS c_test.cc)\n"}

    def findings(self, a, b, outer="site"):
        in_namespaces = "namespace {}{{\nnamespace {{\n{}\n}}\n}}\n"
        return batches.check(self.tree({
            **self.LIST, "site/a.cc": in_namespaces.format("site ", a),
            "site/b.cc": in_namespaces.format(outer + " ", b)}))

    def test_a_name_for_two_things_is_found_with_its_line(self):
        for a, b in (("constexpr int kMost = 1;", "constexpr double kMost = 2;"),
                     ("struct Row { int a; };", "class Row {\n};"),
                     ("int F(int a) { return a; }", "int F(int b) { return b + 1; }"),
                     ("struct Row {};", "int Row() { return 1; }"),
                     ("using Row = int;", "using Row = long;")):
            with self.subTest(b):
                self.assert_found(self.findings(a, b), "site/b.cc:3")

    def test_overloads_equal_aliases_members_and_other_namespaces_pass(self):
        for a, b in (("int F(int a) { return a; }", "int F(long a) { return 1; }"),
                     ("using Row = std::vector<int>;", "using Row = std::vector<int>;"),
                     ("int A::F() { return 1; }", "int B::F() { return 1; }"),
                     ("void F() { constexpr int kMost = 1; }", "constexpr int kMost = 1;"),
                     ("// constexpr int kMost = 1;", "constexpr int kMost = 1;")):
            with self.subTest(b):
                self.assert_found(self.findings(a, b))
        self.assert_found(self.findings("struct Row {};", "struct Row {};", "site::other"))

    def test_a_test_is_no_batch_with_what_it_tests(self):
        alike = "namespace {\nconstexpr int kMost = 1;\n}\n"
        self.assert_found(batches.check(self.tree({
            **self.LIST, "site/a.cc": alike, "site/b.cc": "// B.\n", "site/c_test.cc": alike})))


class Cores(Planted):
    def one(self, line, path="verifier/a.cc"):
        return [f.line for f in cores.check(self.tree({path: f"// A.\n{line}\n"}))[1]]

    def test_a_clean_tree_passes(self):
        looked_at, findings = cores.check(self.tree({}))
        self.assertGreater(looked_at, 0)
        self.assert_found(findings)

    def test_each_banned_call_is_found(self):
        for line in (
            "auto t = std::chrono::steady_clock::now();",
            "auto t = std::chrono::system_clock::now();",
            "auto t = time(nullptr);",
            "auto t = ::time(0);",
            "auto t = clock();",
            "auto t = std::time(nullptr);",
            "gettimeofday(&v, nullptr);",
            "clock_gettime(CLOCK_REALTIME, &t);",
            "auto t = absl::Now();",
            "int x = rand();",
            "auto x = random();",
            "std::random_device d;",
            "std::mt19937 generator;",
            "std::mt19937_64 generator{};",
            "absl::BitGen gen;",
            "getrandom(p, n, 0);",
            "sleep(1);",
            "usleep(10);",
            "std::this_thread::sleep_for(d);",
            "std::thread t;",
            "std::mutex m;",
            "std::shared_mutex m;",
            "#include <thread>",
            "#include <sys/socket.h>",
            "thread_local int x;",
            "std::unordered_map<int, int> m;",
            "std::unordered_set<int> s;",
            "absl::flat_hash_map<int, int> m;",
        ):
            with self.subTest(line):
                self.assertEqual(self.one(line), [2] * len(self.one(line)))
                self.assertTrue(self.one(line))

    def test_words_that_only_look_alike_are_not(self):
        for line in (
            "// sleep(1) and std::mutex",
            'Log("rand() is banned");',
            "now.time();",
            "event->time();",
            "BootInstant boot_time(int64_t v);",
            "auto n = 1'000'000; auto rand_seed = Seed(n);",
            "std::mt19937_64 generator(seed);",
            "Strand(1);",
            "Random random(7);",
            "State(Now now) : clock(now), time(now.wall) {}",
            "auto text = R\"(std::thread)\";",
        ):
            with self.subTest(line):
                self.assertEqual(self.one(line), [])

    def test_shells_may_and_tests_of_cores_may_only_measure(self):
        self.assertEqual(self.one("std::thread t;", "site/shell/b.cc"), [])
        self.assertEqual(self.one("sleep(1);", "meta/main.cc"), [])
        self.assertEqual(self.one("std::chrono::steady_clock::now();", "verifier/a_test.cc"), [])
        self.assertEqual(self.one("sleep(1);", "verifier/a_test.cc"), [2])
        self.assertEqual(self.one("std::random_device d;", "verifier/a_test.cc"), [2])


class Text(Planted):
    def found(self, planted):
        looked_at, findings = text.check(self.tree(planted))
        self.assertGreater(looked_at, 0)
        return findings

    def test_a_clean_tree_passes(self):
        self.assert_found(self.found({}))

    def test_a_file_that_does_not_open_with_a_comment_is_found(self):
        for path, contents in (
            ("site/a.h", "#pragma once\n"),
            ("site/a.cc", "\n// Late.\n"),
            ("schemas/a.capnp", "@0x1;\n"),
            ("tests/a.py", "#!/usr/bin/env python3\nimport os\n"),
            ("dev", "#!/usr/bin/env bash\nset -e\n"),
            ("cmake/A.cmake", "set(x 1)\n"),
            ("sim/page/a.js", "'use strict';\n"),
            ("sim/page/a.css", "pre {}\n"),
            ("sim/page/a.html", "<!doctype html>\n<html>\n"),
        ):
            with self.subTest(path):
                self.assert_found(self.found({path: contents}), f"{path}:1")

    def test_a_folder_s_list_of_names_and_an_empty_file_need_no_comment(self):
        names = {"site/CMakeLists.txt": "add_subdirectory(plan)\n", "a/CMakeLists.txt": ""}
        self.assert_found(self.found(names))

    def test_a_line_over_100_columns_is_found_counting_characters_not_bytes(self):
        self.assert_found(self.found({"site/a.cc": "// A.\n//" + "x" * 99 + "\n"}), "site/a.cc:2")
        self.assert_found(self.found({"site/a.cc": "// A.\n//" + "é" * 98 + "\n"}))

    def test_each_forbidden_word_is_found_wherever_people_write(self):
        for word in ("TO" + "DO", "FIX" + "ME", "XX" + "X"):
            noted = {"site/a.cc": f"// A.\n// {word}: later\n"}
            self.assert_found(self.found(noted), "site/a.cc:2")
            self.assert_found(self.found({"docs/a.md": f"# A\n{word}\n"}), "docs/a.md:2")
        self.assert_found(self.found({"a.sh": "#!/bin/bash\n# A.\nmktemp -d /tmp/a.XX" + "XXXX\n"}))

    def test_a_cited_row_that_no_page_has_is_found(self):
        cites = {"verifier/a.h": "// H1 and G1 hold.\n// H77 does not.\n"}
        self.assert_found(self.found(cites), "verifier/a.h:2")
        self.assert_found(self.found({"verifier/a.h": "// C++20, and v1.C3.\nint H9 = 0;\n"}))


class Layout(Planted):
    def setUp(self):
        if not CLANG_FORMAT:
            self.skipTest("clang-format-19 is not here")

    def test_a_source_that_clang_format_would_change_is_found(self):
        style = {".clang-format": "BasedOnStyle: Google\nColumnLimit: 100\n"}
        good = {**style, "site/a.cc": "// A.\nint F() { return 1; }\n"}
        bad = {**style, "site/a.cc": "// A.\nint  F( ) {return 1;}\n"}
        only = lambda found: [f for f in found if f.path == "site/a.cc"]
        self.assert_found(only(layout.check(self.tree(good), CLANG_FORMAT)[1]))
        self.assert_found(only(layout.check(self.tree(bad), CLANG_FORMAT)[1]), "site/a.cc:2")


class Scripts(Planted):
    """The scripts as ctest runs them: the exit code is what counts."""

    def run_script(self, script, root, *arguments):
        here = pathlib.Path(__file__).parent
        command = [sys.executable, "-B", here / script, root, *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    def test_they_succeed_on_a_clean_tree_and_fail_on_a_planted_one_naming_file_and_line(self):
        faults = {
            "links.py": '// Up.\n#include "site/core.cc"\n',
            "cores.py": "// Sleeps.\nvoid F() { sleep(1); }\n",
            "text.py": "// Long.\n//" + "x" * 100 + "\n",
        }
        clean = self.tree({}).root
        for script, fault in faults.items():
            with self.subTest(script):
                self.assertEqual(self.run_script(script, clean).returncode, 0)
                done = self.run_script(script, self.tree({"verifier/planted.cc": fault}).root)
                self.assertEqual(done.returncode, 1)
                self.assertIn("verifier/planted.cc:2: ", done.stdout)

    def test_an_empty_tree_or_link_graph_is_a_failure_not_a_success(self):
        with tempfile.TemporaryDirectory() as nothing:
            for script in ("cores.py", "text.py"):
                self.assertEqual(self.run_script(script, nothing).returncode, 1)
        root = self.tree({"build/link_graph.txt": "", "build/good.txt": GRAPH}).root
        for graph, code in (("build/link_graph.txt", 1), ("build/good.txt", 0)):
            self.assertEqual(self.run_script("links.py", root, root / graph).returncode, code)


CLANG_FORMAT = sys.argv.pop() if len(sys.argv) > 1 else ""

if __name__ == "__main__":
    unittest.main()
