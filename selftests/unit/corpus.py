#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Converts the fuzzer's corpus between one text file and the folder of files that libFuzzer uses.

    corpus.py unpack corpus.txt DIR   writes each input into a file of its own
    corpus.py merge corpus.txt DIR    adds the files in DIR whose content is new

A line of corpus.txt is a name and the bytes of the input in hex. Lines are sorted by
name. Comments begin with '#' and are at the top. merge names an input by its kind
(see fuzz.h) and the first digits of the SHA-1 of its bytes.
"""

import hashlib
import os
import sys

KINDS = ("insn", "program", "rendezvous")


def read(path):
    """Returns the comment lines, and a dictionary from name to input."""
    comments, inputs = [], {}
    with open(path, encoding="ascii") as f:
        for line in f:
            if line.startswith("#"):
                comments.append(line)
                continue
            name, data = line.split()
            if name in inputs:
                sys.exit(f"{path}: {name} is there twice")
            inputs[name] = bytes.fromhex(data)
    return comments, inputs


def name_of(data):
    kind = data[0] if data[0] < len(KINDS) else data[0] % 2
    return f"{KINDS[kind]}-{hashlib.sha1(data).hexdigest()[:8]}"


def unpack(path, folder):
    os.makedirs(folder, exist_ok=True)
    for name, data in read(path)[1].items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)


def merge(path, folder):
    comments, inputs = read(path)
    known = set(inputs.values())
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as f:
            data = f.read()
        if data and data not in known:
            known.add(data)
            inputs[name_of(data)] = data
    print(f"{len(inputs)} inputs in {path}")
    with open(path, "w", encoding="ascii") as f:
        f.writelines(comments)
        f.writelines(f"{name} {data.hex()}\n" for name, data in sorted(inputs.items()))


def main():
    commands = {"unpack": unpack, "merge": merge}
    if len(sys.argv) != 4 or sys.argv[1] not in commands:
        sys.exit(__doc__.strip())
    commands[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
