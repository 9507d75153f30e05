# SPDX-License-Identifier: MIT
"""Makes the tables of operations.rst, when Sphinx builds the page. Their contents come from the two
tables of operations (ops.py) and from the scenarios."""

import os
import re
import textwrap

import ops
import scenario

SCENARIOS = os.path.join(ops.TOP, "selftests/scenarios")

# Functions that execute a loop of try_waits, and the test that is named for each of them.
LOOPS = {"vsm_await_phase": "on_device.c: test_tokens", "vsm_await_parity": "no-limit/wait.vsm"}

# Modifiers that every form may have: a row without them stands for the forms with them, too.
EVERYWHERE = {"SINK", "ALIGNED"}


def literals(names):
    return ", ".join(f"``{name}``" for name in names) or r"\-"


def scenes():
    """All scenarios that do not show misuse, sorted by their number of instructions: [(name,
    instructions)]."""
    found = []
    for file in sorted(os.listdir(SCENARIOS)):
        if file.endswith(".vsm") and not file.startswith("misuse"):
            with open(os.path.join(SCENARIOS, file), encoding="utf-8") as f:
                for name, text in scenario.tests(f.read()).items():
                    found.append((f"{file}:{name}".rstrip(":"), scenario.instructions(text)))
    return sorted(found, key=lambda scene: len(scene[1]))


def shown_by(form, there):
    """Chooses the scenario that is named as an example of a form: the one whose instruction shares
    the most parts of its opcode with the form; among equals, the one whose name shares the most
    words with the operation; then the one with the fewest instructions."""
    if form.lib in LOOPS:
        return LOOPS[form.lib]
    # The parts of the opcode, without placeholders for a qualifier.
    opcode = scenario.split(form.ptx)[0]
    parts = [p for p in opcode.split(".")[1:] if p not in ("redOp", "type", "op")]
    words = set((form.op or opcode).lower().split("_")) | {m.lower() for m in form.mods}
    best = None
    for name, instructions in there:
        called = len(words & set(re.split(r"[^a-z0-9]", name)))
        for insn in instructions:
            if form.op and not shows(form, insn):
                continue
            spelled = scenario.split(insn)[0]
            if not form.op and spelled.split(".")[0] != opcode.split(".")[0]:
                continue
            near = sum(p in spelled.split(".") for p in parts), called
            if not best or near > best[0]:
                best = near, name
    if not best:
        raise ValueError(f"no scenario shows {form.ptx}")
    return best[1]


def shows(form, insn):
    found = scenario.form(insn)
    return found and found[0] == form.op and found[1] - (EVERYWHERE - form.mods) == form.mods


def table(widths, rows):
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", ""]
    for row in rows:
        for first, cell in zip(["   * - "] + ["     - "] * len(row), row):
            lines += textwrap.wrap(cell, 100, initial_indent=first, subsequent_indent=" " * 7,
                                   break_long_words=False, break_on_hyphens=False)
    return lines


def forms_table(names):
    """The lines of the table with the forms of some operations."""
    there = scenes()
    rows = [("PTX", "NVVM", "Machine form", "libvsm", "Operation, *modifiers*", "Shown by")]
    for form in ops.FORMS:
        if (form.op or form.ptx.split(".")[0]) not in names:
            continue
        ptx, loop, more = form.ptx.partition("; ")
        mods = " ".join(sorted(form.mods))
        rows.append((f"``{ptx}``{loop}{more}", literals(filter(None, form.nvvm.split(", "))),
                     literals(filter(None, [form.machine])), literals(form.lib.split(", ")),
                     (form.op or r"\-") + (f" *{mods}*" if mods else ""),
                     literals([shown_by(form, there)])))
    return table("26 20 14 16 14 10", rows)


def traits_table():
    """The lines of the table of all operations."""
    rows = [("Operation", "Runs in", "Suspends", "Another CTA", "sm_80", "From", "To")]
    for op in ops.OPS.values():
        runs = ["EXEC"] + [what for trait, what in (("JOB", "job"), ("WAIT_SET", "wait set"))
                           if trait in op.traits]
        memory = "tensor" if "TENSOR" in op.takes else "buffer"
        window = "windows" if "MASK" in op.takes else "window"
        source = memory if "FROM_BUFFER" in op.traits else \
            "window" if "FROM_WINDOW" in op.traits else "operand" if "STORE" in op.takes else r"\-"
        target = memory if "TO_BUFFER" in op.traits else \
            window if "TO_WINDOW" in op.traits else r"\-"
        yes = ["yes" if trait in op.traits else r"\-" for trait in ("SUSPENDS", "REMOTE", "SM_80")]
        rows.append((op.name, ", ".join(runs), *yes, source, target))
    return table("34 20 10 12 8 8 8", rows)
