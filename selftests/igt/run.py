#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs tests of IGT on a machine that has the device, and prints KTAP: run.py FOLDER SW_SYNC

FOLDER has the tests, which selftests/igt/test.sh builds. SW_SYNC is the module with sw_sync, which
makes fences for them. `run.py --list` prints the names of the tests.

Each subtest must pass, or skip for a reason in the file "skipped". Each line there has a test, a
pattern for its subtests, a pattern for the kernel's release, what happens to the subtest, and the
reason. What happens is "skips" (the subtest finds that it cannot run) or "left" (it is left out). A
subtest that skips and is not listed has failed.
"""

import fnmatch
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
TESTS = ("core_getversion", "core_getclient", "core_getstats", "core_auth", "core_setmaster",
         "core_setmaster_vs_auth", "core_sysfs", "core_debugfs", "core_hotunplug", "drm_read",
         "syncobj_basic", "syncobj_wait", "syncobj_timeline", "syncobj_eventfd", "sw_sync")
SKIPPED = 77        # IGT's exit status of a program in which every subtest skips

RESULT = re.compile(r"^(?:Subtest (\S+): )?(SUCCESS|SKIP|FAIL|CRASH|TIMEOUT)\b")


class Rule:
    """A line of the file "skipped"."""

    def __init__(self, line):
        self.test, self.subtest, self.kernel, self.what, self.reason = line.split(None, 4)
        if self.what not in ("skips", "left"):
            raise ValueError(line)


def rules_read():
    with open(os.path.join(HERE, "skipped"), encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    return [Rule(line) for line in lines if line and not line.startswith("#")]


def rule_of(rules, test, subtest, what):
    return next((rule for rule in rules if rule.test == test and rule.what == what and
                 fnmatch.fnmatchcase(subtest, rule.subtest) and
                 fnmatch.fnmatchcase(os.uname().release, rule.kernel)), None)


def run(command):
    """Runs a test. Returns its exit status and its output as lines.

    A test has no time limit here: while it reads a file of the host, the guest's clock may jump to
    that limit. The limit of tools/vm/run is in the host's time."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode(errors="replace").splitlines()


def subtests_of(program):
    """Returns the names of the subtests; [""] for a test that has none."""
    names = subprocess.run([program, "--list-subtests"], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, check=False).stdout.decode().split()
    return names or [""]


class Results:
    def __init__(self):
        self.count = self.failures = 0

    def add(self, passed, name, skip=None):
        self.count += 1
        self.failures += not passed
        tail = f" # SKIP {skip}" if skip else ""
        print(f"{'ok' if passed else 'not ok'} {self.count} {name}{tail}", flush=True)


def test_run(program, test, rules, subtests, results):
    left = {name: rule for name in subtests
            if (rule := rule_of(rules, test, name, "left"))}
    command = [program]
    if left:
        command += ["--run-subtest", ",".join(["*"] + ["!" + name for name in left])]
    status, lines = run(command)
    found = {match[1] or "": match[2] for line in lines if (match := RESULT.match(line))}
    failed = False
    for name in subtests:
        title = f"{test}@{name}" if name else test
        result = found.get(name, "no result")
        rule = rule_of(rules, test, name, "skips")
        if name in left:
            results.add(True, title, left[name].reason)
        elif result == "SUCCESS":
            results.add(True, title)
        elif result == "SKIP" and rule:
            results.add(True, title, rule.reason)
        else:
            failed = True
            results.add(False, f"{title} ({result})")
    if status not in (0, SKIPPED) and not failed:
        failed = True
        print(f"# {test} ends with status {status}")
        results.failures += 1
    if failed:
        for line in lines[-60:]:
            print("#", line)


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(TESTS))
        return 0
    folder, module = sys.argv[1:]
    subprocess.run(["insmod", module], check=True)
    # The tests open the first device that they know.
    cards = [name for name in os.listdir("/dev/dri") if name.startswith("card")]
    if cards != ["card0"]:
        print(f"Bail out! vsm must be the only device, not {' '.join(cards)}")
        return 1
    rules = rules_read()
    programs = {test: os.path.join(folder, test) for test in TESTS}
    programs = {test: path for test, path in programs.items() if os.path.exists(path)}
    subtests = {test: subtests_of(path) for test, path in programs.items()}
    print("KTAP version 1")
    print(f"1..{sum(map(len, subtests.values())) + len(TESTS) - len(programs)}")
    results = Results()
    for test in TESTS:
        if test in programs:
            test_run(programs[test], test, rules, subtests[test], results)
        else:
            results.add(True, test, "the checkout has no such test")
    return 1 if results.failures else 0


if __name__ == "__main__":
    sys.exit(main())
