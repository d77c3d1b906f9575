#!/usr/bin/env python3
"""clang-format has nothing to change in any tracked source. Usage: layout.py ROOT CLANG_FORMAT"""

import concurrent.futures
import os
import re
import subprocess
import sys

from source_tree import Finding, Tree, report

COMPLAINT = re.compile(r"^(?P<path>[^:\n]+):(?P<line>\d+):\d+: (?:error|warning): ", re.MULTILINE)
FILES_PER_RUN = 20


def check(tree, clang_format):
    """Returns (files, findings); one finding a file is enough to say that ./dev format is due."""
    files = tree.cpp()

    def run(batch):
        command = [clang_format, "--dry-run", "--Werror", *batch]
        done = subprocess.run(command, cwd=tree.root, capture_output=True, text=True)
        first = {}
        for match in COMPLAINT.finditer(done.stderr):
            path, line = match["path"], int(match["line"])
            first.setdefault(path, Finding(path, line, "run ./dev format"))
        if done.returncode != 0 and not first:
            return [Finding(batch[0], 1, f"clang-format failed: {done.stderr.strip()}")]
        return list(first.values())

    batches = [files[i : i + FILES_PER_RUN] for i in range(0, len(files), FILES_PER_RUN)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [finding for findings in pool.map(run, batches) for finding in findings]
    return len(files), found


if __name__ == "__main__":
    report("layout", *check(Tree(sys.argv[1]), sys.argv[2]))
