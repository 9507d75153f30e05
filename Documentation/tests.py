#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists the test programs, the number of tests in each, and the first sentence of its comment."""

import glob
import os
import re
import sys
import textwrap

sys.dont_write_bytecode = True
import scenario  # pylint: disable=wrong-import-position

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def about(source):
    """The first sentence of the comment that the file begins with."""
    found = re.search(r"/\*\n \* (.*?)\n \*/", source, re.S)
    if not found:
        return ""
    words = " ".join(re.sub(r"^ \* ?", "", line) for line in found[1].split("\n"))
    return re.match(r".*?[.](?=\s|$)|.*", words)[0].rstrip(".")


def kselftests(source):
    """The number of tests in a kselftest. A test with a fixture counts once for each variant of the
    fixture."""
    count = len(re.findall(r"^TEST\(", source, re.M))
    for fixture in re.findall(r"^TEST_F\w*\((\w+),", source, re.M):
        count += len(re.findall(rf"^FIXTURE_VARIANT_ADD\({fixture},", source, re.M)) or 1
    return count


def units(source):
    """The number of tests in a unit test."""
    return len(re.findall(r"^(?:TEST|TEST_WITH|SCENE_TEST)\(", source, re.M))


def show(title, folder, pattern, count):
    rows = []
    for name in sorted(os.listdir(os.path.join(TOP, folder))):
        if not re.fullmatch(pattern, name):
            continue
        with open(os.path.join(TOP, folder, name), encoding="utf-8") as f:
            source = f.read()
        number = count(source)
        if number:
            rows.append((name[:-2], number, about(source)))
    width = max(len(r[0]) for r in rows)
    print(f"{title}: {sum(r[1] for r in rows)} tests")
    for name, number, what in rows:
        lines = textwrap.wrap(what, 76) or [""]
        print(f"  {name:{width}} {number:4}  {lines[0]}")
        for line in lines[1:]:
            print(f"{'':{width + 9}}{line}")
    print()


def main():
    show("selftests/unit, on this machine", "selftests/unit", r"test_\w+\.c", units)
    show("userlib/tests, on this machine, and on_device with each kernel", "userlib/tests",
         r"(test_\w+|on_device\w*)\.c", units)
    show("userlib/ptx/tests, on this machine", "userlib/ptx/tests", r"test_\w+\.c", units)
    show("selftests/vsm, with each kernel", "selftests/vsm", r"\w+\.c", kselftests)
    print("selftests/scenarios, with each kernel:")
    for folder, what in (("", "must succeed"), ("no-limit", "must succeed, with --no-limit"),
                         ("failing", "must fail, and say what of")):
        count = 0
        for path in glob.glob(os.path.join(TOP, "selftests/scenarios", folder, "*.vsm")):
            with open(path, encoding="utf-8") as f:
                count += len(scenario.tests(f.read()))
        print(f"  {folder or '.':14} {count:4}  {what}")


if __name__ == "__main__":
    main()
