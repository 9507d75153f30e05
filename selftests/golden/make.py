#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the compact files in selftests/golden from what the recording programs have printed.

    selftests/golden/make.py RECORDED GOLDEN

RECORDED is the folder with their output, GOLDEN the folder to write. README.rst in this folder says what
the files contain. Nothing is made of what was not recorded."""

import json
import lzma
import os
import re
import sys
import tarfile

# First bit of the tx-count in an mbarrier word, and the number of its values.
TX_SHIFT, TX_RANGE = 21, 1 << 21
# The word when all bytes have come, after an expect-tx of these bytes and one of two arrivals.
COMPLETE = 0x7ffff800001ffffc


def padded(values, count):
    return [*values, *[0] * (count - len(values))]


def tensor_fields(record):
    """Returns the parameters of a tensor map and of a copy as a list of numbers."""
    return [record["im2col"], record["type"], record["rank"], record["base"], record["inter"],
            record["swz"], record["l2"], record["fill"],
            *padded(record["dims"], 5), *padded(record["strides"], 4), *padded(record["box"], 5),
            *padded(record["estrides"], 5), *padded(record["coords"], 5),
            *record.get("lower", (0, 0, 0)), *record.get("upper", (0, 0, 0)),
            record.get("channels", 0), record.get("pixels", 0), *record.get("offsets", (0, 0, 0))]


def tensor_result(record):
    """Returns what happened, a number of bytes, and the bytes."""
    if record["result"]:
        return "refused", 0, "-"
    if "launch" in record:
        return {None: "trap", 0: "trap-load", 1: "trap-store"}[record.get("store")], 0, "-"
    if record["store"]:
        # If a copy wrote far away, only the number of bytes was kept.
        return "store", record["changed"], record.get("global") or "-"
    left = (int(record["word"], 16) - COMPLETE) >> TX_SHIFT
    return "load", (record["expected"] + left) % TX_RANGE, record["smem"]


def tensor(recorded):
    with lzma.open(os.path.join(recorded, "tensor.jsonl.xz"), "rt") as file:
        for line in file:
            record = json.loads(line)
            what, count, data = tensor_result(record)
            yield " ".join(map(str, [record["case"], what, count, *tensor_fields(record), data,
                                     record.get("map", "-")]))


def rows(recorded, name):
    """Returns the rows of a table as lists of texts, without the 0x of their numbers."""
    with lzma.open(os.path.join(recorded, name + ".tsv.xz"), "rt") as file:
        for line in file:
            if not line.startswith("#"):
                yield [text.removeprefix("0x") for text in line.rstrip("\n").split("\t")]


def words(recorded):
    for _scenario, _step, op, operand, token, parity0, parity1, word in rows(recorded, "words"):
        yield f"{op} {int(operand):x} {token} {parity0} {parity1} {word}"


def transitions(recorded):
    for name in "transitions-edge", "transitions-random":
        yield from map(" ".join, rows(recorded, name))


def timing(recorded):
    with open(os.path.join(recorded, "timing.tsv"), encoding="utf-8") as file:
        yield from file.read().splitlines()


def mistakes(recorded):
    with open(os.path.join(recorded, "bugs-and-sanitizer.txt"), encoding="utf-8") as file:
        parts = re.split(r"^==== (\w+).*\n", file.read(), flags=re.M)
    for part, text in zip(parts[1::2], parts[2::2]):
        if part not in ("PLANTED", "CORRECTED"):
            continue
        for kernel, said in re.findall(r"^(\S+)\n((?:    .*\n)+)", text, re.M):
            told = dict(re.findall(r"^    (.*?): +(.*)$", said, re.M))
            # x_ stands for kernels of other projects. As it was compiled, the other one is right.
            if not kernel.startswith(("x_", "divided_setmaxnreg#")):
                yield "\t".join([part.lower(), kernel, told["plain GPU"], told["synccheck"],
                                 told["racecheck"]])


def alu_values(data, offset, bits, stride):
    """Returns all values of one operand as hexadecimal text. A value takes the first bytes of stride."""
    size = bits // 8
    return "".join(data[at:at + size][::-1].hex() for at in range(offset, len(data), stride))


def alu(recorded):
    with tarfile.open(os.path.join(recorded, "alu.tar.xz")) as archive:
        files = {member.name.removeprefix("alu/"): archive.extractfile(member).read()
                 for member in archive if member.isfile()}
    recording = json.loads(files["forms.json"])
    forms = recording["forms"]
    # Bits of the types of inputs that do not have 32.
    bits = {"i16": 16, "f16": 16, "bf16": 16, "i64": 64, "f64": 64}
    for name in sorted({f"{kind}_{i}" for form in forms for i, kind in enumerate(form["ins"])}):
        width = bits.get(name.split("_")[0], 32)
        yield f"input\t{name}\t{width}\t" + alu_values(files[f"in_{name}.bin"], 0, width, 8)
    for form in forms:
        stride = sum(form["ow"]) // 8
        data = files[f"gpu/{form['module']}.out.bin"]
        data = data[form["off"]:form["off"] + stride * recording["n"]]
        offsets = (0, form["ow"][0] // 8)
        # The registers of the operands.
        text = form["text"].format(a="%a", b="%b", c="%c", d="%d", e="%e")
        yield "\t".join(["approx" if form["approx"] else "exact", form["form"],
                         " ".join(f"{kind}_{i}" for i, kind in enumerate(form["ins"])),
                         " ".join(map(str, form["ow"])), text,
                         *(alu_values(data, offset, width, stride)
                           for offset, width in zip(offsets, form["ow"]))])


ENDS = {"cudaSuccess": "done", "HANG": "hang", "cudaErrorMisalignedAddress": "misaligned address",
        "cudaErrorIllegalAddress": "illegal address", "cudaErrorLaunchFailure": "launch failure",
        "cudaErrorIllegalInstruction": "illegal instruction"}


def cases(recorded):
    with open(os.path.join(recorded, "cases.txt"), encoding="utf-8") as file:
        for n, line in enumerate(file):
            case = re.fullmatch(rf"case {n}: (.*): launch cudaSuccess, end (\w+);(.*)\n", line)
            there = re.findall(r" \[(\d+)\]=0x(\w+)", case[3])
            yield f"{case[1]}|{ENDS[case[2]]}|{' '.join(map('='.join, there))}"


def write(path, lines):
    """Writes a file if its lines can be made of what was recorded."""
    try:
        lines = [line + "\n" for line in lines]
    except FileNotFoundError as error:
        print(f"{os.path.basename(path)} is not made: there is no {os.path.basename(error.filename)}")
        return
    if path.endswith(".xz"):
        file = lzma.open(path, "wt", preset=9 | lzma.PRESET_EXTREME)
    else:
        file = open(path, "w", encoding="utf-8")
    with file:
        file.writelines(lines)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    recorded, golden = sys.argv[1:]
    for name, lines in {"alu.xz": alu, "cases.xz": cases, "tensor.xz": tensor, "words.xz": words,
                        "transitions.xz": transitions, "timing.tsv": timing,
                        "mistakes.tsv": mistakes}.items():
        write(os.path.join(golden, name), lines(recorded))


main()
