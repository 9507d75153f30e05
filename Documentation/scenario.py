# SPDX-License-Identifier: MIT
"""Reads what the checks of the documents need from scenario files: the instructions, and the faults
that are expected of them."""

import os
import re

import ops

MODS = {"expect_tx": "EXPECT_TX", "noComplete": "NOCOMPLETE", "parity": "PARITY",
        "noinc": "NOINC", "cg": "CG", "multicast::cluster": "MULTICAST", "cp_mask": "CP_MASK",
        "im2col": "IM2COL", "im2col_no_offs": "IM2COL", "read": "READ", "aligned": "ALIGNED"}


def beginning(op):
    """A pattern that matches the beginning of all opcodes of an operation, and of no other
    operation. It includes state spaces only if another operation has the same name."""
    alike = [o for o in ops.OPS.values() if o.ptx == op.ptx]
    text = op.ptx + (re.split(r"\$[^sd]|\.bulk_group", op.rest)[0] if len(alike) > 1 else "")
    text = re.escape(re.sub(r"\$s(\{.*?\})?", "$s", text))
    for part, pattern in ((r"\$s", r"\.shared(::\w+)?"), (r"\$d", r"\.[1-5]d(\.(tile|im2col)\w*)?"),
                          (r"\$\w", r"\.\w+")):
        text = re.sub(rf"\\{part}", lambda _, p=pattern: p, text)
    return re.compile(text + r"(?=\.|$)")


BEGINNINGS = [(beginning(op), op.name) for op in ops.OPS.values()]

# Matches a statement that executes an instruction, and captures the instruction.
EXECUTE = r"\d+\.\d+(?:-\d+|\*)?\s*[:&>]\s*(.*)"


def in_full(opcode):
    """The long spelling of an opcode of a named barrier. That of bar.sync is
    barrier.cta.sync.aligned."""
    found = re.match(r"(bar|barrier)(?:\.cta)?\.(sync|arrive|red\.\w+)(.*)$", opcode)
    if not found:
        return opcode
    aligned = ".aligned" if found[1] == "bar" else ""
    return f"barrier.cta.{found[2]}{aligned}{found[3]}"


def split(text):
    """An instruction's opcode and its list of operands."""
    opcode, _, rest = text.strip().rstrip(";").strip().partition(" ")
    operands = re.split(r",\s*(?![^\[]*\]|[^{]*})", rest.strip())
    return in_full(opcode), [o.strip() for o in operands if o.strip()]


def form(text):
    """The operation and the set of modifiers that the ABI has for an instruction. None if the
    device does not have the instruction."""
    opcode, operands = split(text)
    parts = opcode.split(".")
    found = [(m.end(), name) for pattern, name in BEGINNINGS if (m := pattern.match(opcode))]
    if not found:
        return None
    op = max(found)[1]
    mods = {MODS[p] for p in parts[2:] if p in MODS}
    count = len(operands)
    if op in ("MBARRIER_ARRIVE", "MBARRIER_ARRIVE_DROP"):
        if operands[0] == "_":
            mods.add("SINK")
        if count == 3 and "EXPECT_TX" not in mods:
            mods.add("COUNT")
    elif op == "MBARRIER_TRY_WAIT" and count == 4:
        mods.add("HINT")
    elif op == "BARRIER_ARRIVE" or count == {"BARRIER_SYNC": 2, "BARRIER_RED": 4}.get(op):
        mods.add("COUNT")
    elif op == "CP_ASYNC" and count - opcode.count("L2::cache_hint") == 4:
        mods.add("SRC_SIZE")
    return op, mods


def tests(text):
    """The tests of a file of scenarios: {name: text}. Each text begins with the statements before
    the first test. A file without a statement "test" is one test, whose name is empty."""
    common, *rest = re.split(r"^[ \t]*test[ \t]+([\w-]+).*\n", text, flags=re.M)
    common = re.sub(r"^(#.*)?\n", "", common, flags=re.M)
    return {name: common + body for name, body in zip(rest[::2], rest[1::2])} or {"": text}


def find(folder, what):
    """The text of the scenario FILE or FILE:TEST in a folder; None if it does not exist."""
    file, _, test = what.partition(":")
    path = os.path.join(folder, file)
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as f:
        text = f.read()
    return tests(text).get(test) if test else text


def statements(text):
    """The statements of a scenario, without comments."""
    return [s for s in (line.partition("#")[0].strip() for line in text.splitlines()) if s]


def instructions(text):
    """The instructions of a scenario."""
    found = (re.match(EXECUTE, s) for s in statements(text))
    return [m[1] for m in found if m]


def refused(text, code):
    """The instructions of which one must get the first fault @code that the scenario expects."""
    last = None
    for s in statements(text):
        found = re.match(EXECUTE, s)
        if found or not s.startswith("expect"):
            last = found and found[1]
        elif s.split() == ["expect", "fault", code]:
            # The fault is of an asynchronous, joined or submitted instruction, which may be any of
            # these.
            return [last] if last else instructions(text)
    return []


def plain(text):
    """An instruction's opcode and operands, in a spelling that is the same for equal
    instructions."""
    opcode, operands = split(text)
    opcode = re.sub(r"\.shared(?=\.|$)", ".shared::cta", opcode)
    if operands and operands[0].startswith("%"):
        operands = operands[1:]     # vsm_insn_describe() does not know the destination

    def spell(operand):
        if "%" in operand:
            return "*"
        operand = re.sub(r"0x[0-9a-fA-F]+", lambda m: str(int(m[0], 16)), operand)
        operand = re.sub(r"^\[(?:map )?\w+, {", "[map, {", operand)
        operand = re.sub(r"^\[(?:buffer \d+|[a-z]\w*)(?: ?\+ ?(\d+))?\]$",
                         lambda m: f"[buffer+{m[1] or 0}]", operand)
        return operand

    return opcode, [spell(o) for o in operands]


def fits(described, written):
    """Is @described, an instruction as vsm_insn_describe() spells it, the same as @written, one of
    a scenario?"""
    (one, left), (other, right) = plain(described), plain(written)
    return one == other and len(left) == len(right) and \
        all(b in ("*", a) for a, b in zip(left, right))
