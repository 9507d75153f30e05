# SPDX-License-Identifier: MIT
"""Reads scenario files as far as the checks of the documents need: which
instructions there are, and which faults are expected of them."""

import os
import re

MODS = {"expect_tx": "EXPECT_TX", "noComplete": "NOCOMPLETE", "parity": "PARITY",
        "noinc": "NOINC", "cg": "CG", "multicast::cluster": "MULTICAST", "cp_mask": "CP_MASK",
        "im2col": "IM2COL", "im2col_no_offs": "IM2COL", "read": "READ", "aligned": "ALIGNED"}

# How operations begin, but for mbarrier.
OPS = {"cp.async.mbarrier.arrive": "CP_ASYNC_MBARRIER_ARRIVE",
       "cp.async.ca": "CP_ASYNC",
       "cp.async.cg": "CP_ASYNC",
       "cp.async.commit_group": "CP_ASYNC_COMMIT_GROUP",
       "cp.async.wait_group": "CP_ASYNC_WAIT_GROUP",
       "cp.async.wait_all": "CP_ASYNC_WAIT_ALL",
       "cp.async.bulk.global": "CP_ASYNC_BULK_S2G",
       "cp.async.bulk.shared::cta.global": "CP_ASYNC_BULK_G2S",
       "cp.async.bulk.shared::cluster.global": "CP_ASYNC_BULK_G2S",
       "cp.async.bulk.shared::cluster.shared::cta": "CP_ASYNC_BULK_S2S",
       "cp.async.bulk.prefetch.L2": "CP_ASYNC_BULK_PREFETCH",
       "cp.async.bulk.commit_group": "CP_ASYNC_BULK_COMMIT_GROUP",
       "cp.async.bulk.wait_group": "CP_ASYNC_BULK_WAIT_GROUP",
       "cp.reduce.async.bulk.global": "CP_REDUCE_ASYNC_BULK_S2G",
       "cp.reduce.async.bulk.shared::cluster": "CP_REDUCE_ASYNC_BULK_S2S",
       "cp.async.bulk.tensor.*d.shared::cta": "CP_ASYNC_BULK_TENSOR_G2S",
       "cp.async.bulk.tensor.*d.shared::cluster": "CP_ASYNC_BULK_TENSOR_G2S",
       "cp.async.bulk.tensor.*d.global": "CP_ASYNC_BULK_TENSOR_S2G",
       "cp.reduce.async.bulk.tensor": "CP_REDUCE_ASYNC_BULK_TENSOR",
       "cp.async.bulk.prefetch.tensor": "CP_ASYNC_BULK_PREFETCH_TENSOR",
       "st.async": "ST_ASYNC",
       "red.async": "RED_ASYNC",
       "fence.mbarrier_init": "FENCE_MBARRIER_INIT",
       "fence": "FENCE",
       "match.any.sync": "MATCH_SYNC",
       "match.all.sync": "MATCH_SYNC",
       "bar.warp.sync": "BAR_WARP_SYNC",
       "elect.sync": "ELECT_SYNC",
       "vote.sync": "VOTE_SYNC",
       "shfl.sync": "SHFL_SYNC",
       "redux.sync": "REDUX_SYNC",
       "barrier.cta.sync": "BARRIER_SYNC",
       "barrier.cta.arrive": "BARRIER_ARRIVE",
       "barrier.cta.red": "BARRIER_RED",
       "barrier.cluster.arrive": "BARRIER_CLUSTER_ARRIVE",
       "barrier.cluster.wait": "BARRIER_CLUSTER_WAIT",
       "exit": "EXIT"}

# Which threads execute a statement's instruction, and how.
EXECUTE = r"\d+\.\d+(?:-\d+|\*)?\s*[:&>]\s*(.*)"


def in_full(opcode):
    """PTX's spelling of a named barrier that says all: of bar.sync, barrier.cta.sync.aligned."""
    found = re.match(r"(bar|barrier)(?:\.cta)?\.(sync|arrive|red\.\w+)(.*)$", opcode)
    if not found:
        return opcode
    aligned = ".aligned" if found[1] == "bar" else ""
    return f"barrier.cta.{found[2]}{aligned}{found[3]}"


def split(text):
    """An instruction's opcode and operands."""
    opcode, _, rest = text.strip().rstrip(";").strip().partition(" ")
    operands = re.split(r",\s*(?![^\[]*\]|[^{]*})", rest.strip())
    return in_full(opcode), [o.strip() for o in operands if o.strip()]


def form(text):
    """What the ABI calls it: operation and set of modifiers. None if it is none of the device's."""
    opcode, operands = split(text)
    parts = opcode.split(".")
    mods = set()
    if parts[0] == "mbarrier":
        op = "MBARRIER_" + parts[1].upper()
    else:
        names = [n for n in OPS if re.match(re.escape(n).replace(r"\*d", "[1-5]d") + r"(\.|$)", opcode)]
        if not names:
            return None
        op = OPS[names[0]]
    mods |= {MODS[p] for p in parts[2:] if p in MODS}
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
    """The tests of a file of scenarios: {name: text}. Each begins with the statements that stand
    before the first one. A file that names no tests is one, whose name is empty."""
    common, *rest = re.split(r"^[ \t]*test[ \t]+([\w-]+).*\n", text, flags=re.M)
    common = re.sub(r"^(#.*)?\n", "", common, flags=re.M)
    return {name: common + body for name, body in zip(rest[::2], rest[1::2])} or {"": text}


def find(folder, what):
    """The text of FILE or FILE:TEST below a folder; None if there is none."""
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
    """The instructions that may be what the scenario first expects @code of."""
    last = None
    for s in statements(text):
        found = re.match(EXECUTE, s)
        if found or not s.startswith("expect"):
            last = found and found[1]
        elif s.split() == ["expect", "fault", code]:
            # Of something asynchronous, joined or in a job: any.
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
        operand = re.sub(r"^\[(?:map )?\w+, {", "[map, {", operand)
        operand = re.sub(r"^\[(?:buffer \d+|[a-z]\w*)(?: ?\+ ?(\d+))?\]$",
                         lambda m: f"[buffer+{m[1] or 0}]", operand)
        return operand

    return opcode, [spell(o) for o in operands]


def fits(described, written):
    """Is an instruction as vsm_insn_describe() spells it the one in a scenario?"""
    (one, left), (other, right) = plain(described), plain(written)
    return one == other and len(left) == len(right) and \
        all(b in ("*", a) for a, b in zip(left, right))
