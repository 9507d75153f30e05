#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands that README.md and the pages in start/ show, and compares the output. Prints
TAP.

A transcript is a block of shell commands that a block of output follows. The commands run
in vsm's source tree and start virtual machines. Standard error is not part of the output.
"""

import os
import re
import subprocess
import sys
import textwrap

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
START = "Documentation/start"

RST = re.compile(r"^\.\. code-block:: sh\n\n((?:   .*\n|\n)+)"
                 r"\.\. code-block:: none\n(?:   :class: wrap\n)?\n((?:   .*\n|\n)+)", re.M)
MARKDOWN = re.compile(r"^```sh\n((?:(?!```).*\n)+)```\n\n```\n((?:(?!```).*\n)+)```$", re.M)


def transcripts():
    """Yields (file, commands, output) of each transcript."""
    pages = [f"{START}/{name}" for name in sorted(os.listdir(os.path.join(TOP, START)))
             if name.endswith(".rst")]
    for name in ["README.md", *pages]:
        with open(os.path.join(TOP, name), encoding="utf-8") as f:
            text = f.read()
        for found in (MARKDOWN if name.endswith(".md") else RST).finditer(text):
            yield (name, *(textwrap.dedent(part).strip() for part in found.groups()))


def main():
    # The commands must have the environment of a user, without the variables of a calling make.
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"):
        os.environ.pop(name, None)
    # Build first, because the pages do not show what make prints while it builds.
    subprocess.run(["make", "-s", "-C", TOP], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   check=False)
    failed = False
    found = list(transcripts())
    print(f"1..{len(found)}")
    for number, (name, commands, shown) in enumerate(found, 1):
        done = subprocess.run(["sh", "-c", commands], cwd=TOP, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              encoding="utf-8")
        # A transcript may show a command that fails. But the statuses 124 and 125 mean that the
        # virtual machine failed.
        good = done.stdout.strip() == shown and done.returncode not in (124, 125)
        failed |= not good
        last = commands.splitlines()[-1].strip()
        print(f"{'ok' if good else 'not ok'} {number} - {name}: {last}")
        if not good:
            print(textwrap.indent(f"status {done.returncode}\n{done.stdout}{done.stderr}", "# "))
        sys.stdout.flush()
    sys.exit(1 if failed or not found else 0)


if __name__ == "__main__":
    main()
