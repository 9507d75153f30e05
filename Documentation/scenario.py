# SPDX-License-Identifier: MIT
"""Reads scenario files as far as the checks of the documents need: which
instructions there are, and which faults are expected of them."""

import re

MODS = {"expect_tx": "EXPECT_TX", "noComplete": "NOCOMPLETE", "parity": "PARITY",
        "noinc": "NOINC", "cg": "CG"}


def split(text):
    """An instruction's opcode and operands."""
    opcode, _, rest = text.strip().rstrip(";").strip().partition(" ")
    return opcode, [o.strip() for o in re.split(r",\s*(?![^\[]*\])", rest.strip()) if o.strip()]


def form(text):
    """What the ABI calls it: operation and set of modifiers. None if it is none of the device's."""
    opcode, operands = split(text)
    parts = opcode.split(".")
    mods = set()
    if parts[0] == "mbarrier":
        op = "MBARRIER_" + parts[1].upper()
    elif opcode.startswith("cp.async.mbarrier.arrive"):
        op = "CP_ASYNC_MBARRIER_ARRIVE"
    elif opcode.startswith("cp.async.bulk.global"):
        return "CP_ASYNC_BULK_S2G", mods
    elif opcode.startswith("cp.async.bulk.shared"):
        return "CP_ASYNC_BULK_G2S", mods
    elif parts[:2] == ["cp", "async"] and parts[2] in ("ca", "cg"):
        op = "CP_ASYNC"
    elif opcode.startswith("fence.mbarrier_init"):
        op = "FENCE_MBARRIER_INIT"
    else:
        return None
    mods |= {MODS[p] for p in parts[2:] if p in MODS}
    count = len(operands)
    if op in ("MBARRIER_ARRIVE", "MBARRIER_ARRIVE_DROP"):
        if operands[0] == "_":
            mods.add("SINK")
        if count == 3 and "EXPECT_TX" not in mods:
            mods.add("COUNT")
    elif op == "MBARRIER_TRY_WAIT" and count == 4:
        mods.add("HINT")
    elif op == "CP_ASYNC" and count - opcode.count("L2::cache_hint") == 4:
        mods.add("SRC_SIZE")
    return op, mods


def statements(text):
    """The statements of a scenario, without comments."""
    return [s for s in (line.partition("#")[0].strip() for line in text.splitlines()) if s]


def instructions(text):
    """The instructions of a scenario."""
    found = (re.match(r"\d+\.\d+\s*[:&]\s*(.*)", s) for s in statements(text))
    return [m[1] for m in found if m]


def refused(text, code):
    """The instructions that may be what the scenario first expects @code of."""
    last = None
    for s in statements(text):
        found = re.match(r"\d+\.\d+\s*[:&]\s*(.*)", s)
        if found or not s.startswith("expect"):
            last = found and found[1]
        elif s.split() == ["expect", "fault", code]:
            # Of something asynchronous, or joined: any.
            return [last] if last else instructions(text)
    return []


def plain(text):
    """An instruction's opcode and operands, with one spelling for each."""
    opcode, operands = split(text)
    opcode = re.sub(r"\.shared(?=\.|$)", ".shared::cta", opcode)
    if operands and operands[0].startswith("%"):
        operands = operands[1:]     # vsm_insn_describe() does not know the destination

    def spell(operand):
        if "%" in operand:
            return "*"
        operand = re.sub(r"0x[0-9a-fA-F]+", lambda m: str(int(m[0], 16)), operand)
        operand = re.sub(r"^\[(?:buffer \d+|[a-z]\w*)(?: ?\+ ?(\d+))?\]$",
                         lambda m: f"[buffer+{m[1] or 0}]", operand)
        return operand

    return opcode, [spell(o) for o in operands]


def fits(described, written):
    """Is an instruction as vsm_insn_describe() spells it the one in a scenario?"""
    (one, left), (other, right) = plain(described), plain(written)
    return one == other and len(left) == len(right) and \
        all(b in ("*", a) for a, b in zip(left, right))
