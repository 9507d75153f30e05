#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands that README.md and the pages in start/ show, and compares the output. Prints
TAP.

	transcripts.py [--write] [FILE...]

A transcript is a block of shell commands that a block of output follows. The commands run
in vsm's source tree and start virtual machines. Standard error is not part of the output. Numbers
that differ in each run, such as those of processes, are not compared. With --write the pages get
the new output. Without arguments the kernels of pictures.py run again, too, and must have the
events that their pictures show.
"""

import os
import re
import subprocess
import sys
import textwrap

sys.dont_write_bytecode = True
import pictures  # pylint: disable=wrong-import-position

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
START = "Documentation/start"

RST = re.compile(r"^\.\. code-block:: sh\n\n((?:   .*\n|\n)+)"
                 r"\.\. code-block:: none\n(?:   :class: wrap\n)?\n((?:   .*\n|\n)+)", re.M)
MARKDOWN = re.compile(r"^```sh\n((?:(?!```).*\n)+)```\n\n```\n((?:(?!```).*\n)+)```$", re.M)


# Numbers that "vsm ps" writes
VARIES = re.compile(r"(?<=^cluster )\d+|(?<=, by process )\d+|(?<= for )[\d.]+ m?s(?=, by )", re.M)


def read(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as f:
        return f.read()


def transcripts(names):
    """Yields (file, commands, output) of each transcript in these files, or in all of them."""
    pages = [f"{START}/{name}" for name in sorted(os.listdir(os.path.join(TOP, START)))
             if name.endswith(".rst")]
    for name in names or ["README.md", *pages]:
        for found in (MARKDOWN if name.endswith(".md") else RST).finditer(read(name)):
            yield (name, *(textwrap.dedent(part).strip() for part in found.groups()))


def write(name, commands, output):
    """Replaces the output behind these commands in a page."""
    def replace(found):
        if textwrap.dedent(found[1]).strip() != commands:
            return found[0]
        before = found[0][:found.start(2) - found.start()]
        after = found[0][found.end(2) - found.start():]
        if name.endswith(".md"):
            return before + output + "\n" + after
        return before + textwrap.indent(output, "   ") + "\n\n" + after

    text = (MARKDOWN if name.endswith(".md") else RST).sub(replace, read(name))
    with open(os.path.join(TOP, name), "w", encoding="utf-8") as f:
        f.write(text)


def main():
    # The commands must have the environment of a user, without the variables of a calling make.
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"):
        os.environ.pop(name, None)
    # Build first, because the pages do not show what make prints while it builds.
    subprocess.run(["make", "-s", "-C", TOP], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   check=False)
    failed = False
    writes = "--write" in sys.argv[1:]
    found = list(transcripts([name for name in sys.argv[1:] if name != "--write"]))
    drawn = [] if sys.argv[1:] else list(pictures.PICTURES)
    print(f"1..{len(found) + len(drawn)}")
    for number, (name, commands, shown) in enumerate(found, 1):
        done = subprocess.run(["sh", "-c", commands], cwd=TOP, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              encoding="utf-8")
        # A transcript may show a command that fails. But the statuses 124 and 125 mean that the
        # virtual machine failed.
        good = done.returncode not in (124, 125)
        if good and writes:
            write(name, commands, done.stdout.strip())
        elif VARIES.sub("N", done.stdout.strip()) != VARIES.sub("N", shown):
            good = False
        failed |= not good
        last = commands.splitlines()[-1].strip()
        print(f"{'ok' if good else 'not ok'} {number} - {name}: {last}")
        if not good:
            print(textwrap.indent(f"status {done.returncode}\n{done.stdout}{done.stderr}", "# "))
        sys.stdout.flush()
    for number, name in enumerate(drawn, len(found) + 1):
        wrong = pictures.differences(name)
        failed |= bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - a new run has the events of {name}.svg")
        print("".join(f"# {line}\n" for line in wrong), end="", flush=True)
    sys.exit(1 if failed or not found else 0)


if __name__ == "__main__":
    main()
