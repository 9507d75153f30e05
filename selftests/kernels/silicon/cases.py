#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints what is made from cases.table and from the recording, selftests/golden/h100/cases.xz:

    cases.py launch   cases.launch: each program in both policies, and what it must do
    cases.py words    the words that the H100 stored, 64 for each program, as bytes

Documentation/conf.py takes the table of Documentation/silicon.rst from table()."""

import lzma
import os
import re
import struct
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
GOLDEN = os.path.join(HERE, "../../golden/h100/cases.xz")
WORDS = 64
# A program ends so, if not with an error.
ENDS = {"done": "passes", "hang": "hangs"}
# Programs that end differently in vsm; Documentation/silicon.rst says why.
DIFFERENT = {13, 19}


def recorded():
    """The recording of each program: (name, end, {index: word})."""
    with lzma.open(GOLDEN, "rt") as file:
        for line in file:
            name, end, words = line.rstrip("\n").split("|")
            pairs = (word.split("=") for word in words.split())
            yield name, end, {int(i): int(value, 16) for i, value in pairs}


def rows():
    with open(os.path.join(HERE, "cases.table"), encoding="utf-8") as file:
        return [line.rstrip("\n").split("|") for line in file if not line.startswith("#")]


def mask(ranges):
    """The mask of the words, and that of the upper halves, of a list such as "1 4-6 ~9"."""
    masks = {"": 0, "~": 0}
    for half, first, last in re.findall(r"(~?)(\d+)(?:-(\d+))?", ranges):
        for i in range(int(first), int(last or first) + 1):
            masks[half] |= 1 << i
    return masks[""], masks["~"]


def agree(number, hardware, end):
    """Does a launch end in the hardware policy as it did on the H100?"""
    kind = hardware if hardware in ("done", "DEADLOCK") else "trap"
    return number in DIFFERENT or kind == {"done": "done", "hang": "DEADLOCK"}.get(end, "trap")


def launch():
    cases = list(recorded())
    print(f"buffer strict {8 * WORDS}\nbuffer out {8 * WORDS * len(cases)}\n"
          f"buffer recorded {8 * WORDS * len(cases)} bytes cases.words\nbuffer g 128\n"
          "launch fill grid 1 block 32 args g")
    for n, (row, (name, end, words)) in enumerate(zip(rows(), cases, strict=True)):
        number, shape, _, strict, hardware, same, _ = row
        block, _, ctas = shape.partition("x")
        full, half = mask(same)
        if int(number) != n or not agree(n, hardware, end):
            sys.exit(f"case {n}, {name}: the H100 {end}, and the table has {number} {hardware}")
        if (full | half) & ~sum(1 << i for i in words):
            sys.exit(f"case {n}: not all of these words were recorded: {same}")
        at = 8 * WORDS * n
        for policy, what, out in (("strict", strict, "strict"),
                                  ("hardware", hardware, f"out+{at}")):
            print(f"launch case_{n} grid {ctas or 1} block {block} cluster {ctas or 1} "
                  f"policy {policy} limit 60s args {out}, g")
            print("expect " + {"DEADLOCK": "hang", "done": "done", "fault": "fault"}.get(
                what, f"fault {what}"))
            if what == "DEADLOCK":
                print("expect report DEADLOCK")
        print(f"launch check grid 1 block 1 args out+{at}, recorded+{at}, "
              f"u64:{full:#x}, u64:{half:#x}")


def table():
    """The lines of the table in Documentation/silicon.rst."""
    lines = [".. csv-table::", "   :header: Case, Program, PTX, H100, vsm strict, vsm hardware",
             "   :widths: 5 30 20 15 15 15", ""]
    for row, (name, end, _) in zip(rows(), recorded(), strict=True):
        number, _, ptx, strict, hardware, _, more = row
        program = name + (f". {more}" if more else "")
        kinds = [{"fault": "the CTA has exited", "done": "passes"}.get(kind, kind)
                 for kind in (strict, hardware)]
        cells = [number, program, ptx, ENDS.get(end, f"traps: {end}"), *kinds]
        lines.append("   " + ",".join(f'"{cell}"' for cell in cells))
    return lines


def words():
    for _, _, there in recorded():
        sys.stdout.buffer.write(struct.pack(f"<{WORDS}Q", *(there.get(i, 0) for i in range(WORDS))))


if __name__ == "__main__":
    {"launch": launch, "words": words}[sys.argv[1]]()
