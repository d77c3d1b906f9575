#!/usr/bin/env python3
"""Cores are pure: no wall clock, no randomness but the injected generator, no sleep, no threads, no
sockets, and no container whose order depends on a hash. Usage: cores.py ROOT"""

import re
import sys

from source_tree import Finding, Tree, is_test, report, strip_cpp

# The folders that are cores, and what below them is a shell instead.
CORES = ("base", "schemas", "verifier", "site", "partitioner", "meta")
SHELLS = (
    "base/io",
    "verifier/exploration",  # a search for tests; its hashed set of seen states is never walked
    "site/shell",
    "site/driver",
    "site/main.cc",
    "meta/shell",
    "meta/web",
    "meta/main.cc",
)

ONE_THREAD = "one thread owns a core; a shell may have more"

# (pattern, what it is, what would be right); the first group also holds in the cores' unit tests.
BANNED_EVERYWHERE = (
    (r"\b(?:std::)?(?:s?rand|rand_r|drand48)\s*\(", "unseeded randomness", "base/random.h"),
    (r"\brandom\s*\(\s*\)|\bstd::random_device\b", "unseeded randomness", "base/random.h"),
    (
        r"\bstd::(?:mt19937(?:_64)?|default_random_engine|minstd_rand0?|ranlux\w+|knuth_b)"
        r"\s*(?:\w+\s*)?(?:;|\{\s*\}|\(\s*\)|,|\))",
        "a generator without a seed",
        "base/random.h",
    ),
    (r"\babsl::(?:Insecure)?BitGen\b", "unseeded randomness", "base/random.h"),
    (
        r"\b(?:getrandom|getentropy|arc4random\w*|randombytes\w*)\s*\(",
        "entropy",
        "base/io/entropy.h",
    ),
    (r"\b(?:u|nano)?sleep\s*\(", "a sleep", "a deadline in Effects"),
    (r"\b(?:sleep_for|sleep_until|SleepFor)\b", "a sleep", "a deadline in Effects"),
)
BANNED_IN_CORES = (
    (r"\b(?:system|steady|high_resolution|utc|tai|gps|file)_clock\b", "a clock", "Now"),
    (r"\b(?:gettimeofday|clock_gettime|timespec_get|ftime)\s*\(", "a clock", "Now"),
    # Only as the C library's are called: a member may well be named time or clock.
    (r"(?<![\w.>:])(?:std::|::)?time\s*\(\s*(?:nullptr|NULL|0|&\w+)\s*\)", "a clock", "Now"),
    (r"(?<![\w.>:])(?:std::|::)?clock\s*\(\s*\)", "a clock", "Now"),
    (r"\babsl::(?:Now|GetCurrentTimeNanos)\b", "a clock", "Now"),
    (r"\blocaltime(?:_r)?\s*\(", "the machine's time zone", "a zone from the configuration"),
    (r"\bstd::(?:j?thread|this_thread|async|future|promise)\b", "threads", ONE_THREAD),
    (r"\bstd::(?:\w+_)?mutex\b", "threads", ONE_THREAD),
    (r"\bstd::condition_variable\w*|\bpthread_\w+|\bthread_local\b", "threads", ONE_THREAD),
    (r"#\s*include\s*<(?:thread|(?:shared_)?mutex|future)>", "threads", ONE_THREAD),
    (r"#\s*include\s*<(?:sys/(?:socket|epoll|un)|netinet/\w+|poll)\.h>", "sockets", "shells"),
    (
        r"\bstd::unordered_(?:multi)?(?:map|set)\b|\babsl::(?:flat|node)_hash_(?:map|set)\b",
        "a container in hash order",
        "std::map, std::set or a sorted vector",
    ),
)


def below(path, folders):
    return any(path == f or path.startswith(f + "/") for f in folders)


def check(tree):
    """Returns (files, findings)."""
    found, looked_at = [], 0
    for path in tree.cpp():
        if not below(path, CORES) or below(path, SHELLS):
            continue
        looked_at += 1
        banned = BANNED_EVERYWHERE if is_test(path) else BANNED_EVERYWHERE + BANNED_IN_CORES
        for number, line in enumerate(strip_cpp(tree.text(path)).splitlines(), 1):
            for pattern, what, right in banned:
                match = re.search(pattern, line)
                if match:
                    text = f"a core has {what} ({match.group(0).strip()}); right: {right}"
                    found.append(Finding(path, number, text))
    return looked_at, found


if __name__ == "__main__":
    report("cores", *check(Tree(sys.argv[1])))
