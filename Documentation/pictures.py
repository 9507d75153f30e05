#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the pictures in pictures/, which are timelines of kernels.

	pictures.py --write	record the kernels again, and write their traces and tile.svg

A picture NAME.svg is what `vsm trace export` makes of the trace NAME.txt. The traces are in the
repository, because `make docs`, which makes the pictures of them, shall not start virtual machines.
tile.svg is there, too, because README.md shows it. transcripts.py runs the kernels again, and
compares the events with those of the trace; only their times may differ.

In the virtual machine an instruction takes a nanosecond (--icount), so that delays of the emulation
are not in the pictures.
"""

import collections
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
FOLDER = os.path.join(TOP, "Documentation/pictures")
KERNELS = "selftests/kernels"
VSM = "build/tools/vsm"

# Arguments of vsm launch. start/hang.rst and README.md show them.
PICTURES = {
    "arrival": [f"{KERNELS}/bugs/bare_expect.ptx", "--block", "96", "--arg", "buf:8K:iota",
                "--arg", "buf:256", "--arg", "i32:8"],
    "parity": [f"{KERNELS}/bugs/parity_of_index.ptx", "--block", "96", "--arg", "buf:6K:iota",
               "--arg", "buf:512", "--arg", "i32:2"],
    "tile": [f"{KERNELS}/tile.ptx", "tile", "--block", "256", "--arg", "buf:1K:iotaf",
             "--arg", "buf:1K", "--arg", "i32:2048"],
}

# What differs between runs in the same order of threads
VARIES = re.compile(r"^\d+ | (?:id|cause|serial|cluster|client|value)=\d+")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def trace(name):
    return os.path.join(FOLDER, f"{name}.txt")


def record(name):
    """Runs the kernel in a virtual machine. Returns the path of its trace."""
    path = os.path.join(TOP, f"build/pictures/{name}.txt")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        os.remove(path)
    # The kernels hang: the exit status is 1.
    subprocess.run(["tools/vm/run", "--icount", "--fetch", path, "--", VSM, "launch", "--seed", "1",
                    "--timeline", path, *PICTURES[name]], cwd=TOP, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, check=False)
    return path


def events(text):
    """What a trace tells: the statements, and the events of each warp in their order. The order of
    events of different warps, phases and copies can differ."""
    statements, lists = [], collections.defaultdict(list)
    for line in text.splitlines():
        if not line[:1].isdigit():
            statements.append(line)
            continue
        kind = line.split()[1].partition("_")[0]
        cta, thread = ((re.search(rf" {field}=(\d+)", line) or (0, "0"))[1]
                       for field in ("cta", "thread"))
        track = kind if kind in ("phase", "copy") else f"warp {int(thread) // 32}"
        lists[cta, track].append(VARIES.sub("", line))
    return statements, lists


def differences(name):
    """Runs the kernel of a picture again. Returns what is not as in its trace."""
    path = record(name)
    if not os.path.exists(path):
        return ["the run has written no trace"]
    (old, before), (new, now) = events(read(trace(name))), events(read(path))
    wrong = [f"{sign}{line}" for sign, lines, others in (("-", old, new), ("+", new, old))
             for line in lines if line not in others]
    for track in sorted({*before, *now}):
        if before[track] != now[track]:
            wrong.append(f"CTA {track[0]}, {track[1]}: {len(before[track])} events in the trace, "
                         f"{len(now[track])} in this run")
            wrong += [f"{a} | {b}" for a, b in zip(before[track], now[track]) if a != b][:4]
    return wrong


def main():
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    for name in PICTURES:
        path = record(name)
        with open(trace(name), "w", encoding="utf-8") as f:
            f.write(read(path))
    subprocess.run([VSM, "trace", "export", trace("tile"), "-o", os.path.join(FOLDER, "tile.svg")],
                   cwd=TOP, check=True)


if __name__ == "__main__":
    main()
