# SPDX-License-Identifier: MIT
"""Reads the two tables of operations: uapi/drm/vsm_ops.h has the operations and their forms,
userlib/syntax/form.c has the spelling of the forms in each language."""

import os
import re
import subprocess

TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..")


def read(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as f:
        return f.read()


def words(text):
    """The words in SEMS(...), TRAITS(...), MODS(...) or TAKES(...)."""
    return set(re.findall(r"\w+", re.sub(r"^\w+\(", "", text))) - {"0"}


class Op:
    """An operation of vsm_ops.h."""

    def __init__(self, row):
        head = re.match(r"(\w+), (0|SEMS\(.*?\)), (0|TRAITS\(.*?\))\)\n\tVSM_PTX\("
                        r'"([^"]*)", "([^"]*)"\)\n', row)
        self.name, self.ptx, self.rest = head[1], head[4], head[5]
        self.sems, self.traits = words(head[2]), words(head[3])
        self.forms = [(frozenset(words(mods)), words(takes)) for mods, takes in
                      re.findall(r"VSM_FORM\((0|MODS\(.*?\)), (TAKES\(.*?\))\)", row)]
        self.takes = set().union(*(takes for _, takes in self.forms))


OPS = {op.name: op for op in
       map(Op, re.findall(r"^VSM_OP\((.*?)^VSM_OP_END", read("uapi/drm/vsm_ops.h"), re.S | re.M))}


class Form:
    """A form in form.c. @op is None if the device does not execute the operation."""

    def __init__(self, op, mods, *spelled):
        self.op = op
        self.mods = frozenset(re.findall(r"\bDRM_VSM_MOD_(\w+)", mods))
        self.ptx, self.nvvm, self.machine, self.lib = spelled

    def nvvm_names(self):
        """The names of the operations of NVVM; a name with {.shared} stands for two operations."""
        return [name.replace("{.shared}", suffix) for name in self.nvvm.split(", ") if name
                for suffix in (("", ".shared") if "{.shared}" in name else ("",))]


def forms():
    """The forms in the rows of form.c. The preprocessor expands the macros of the rows."""
    text = read("userlib/syntax/form.c")
    text = subprocess.run([os.environ.get("CC", "cc"), "-E", "-P", "-x", "c", "-"], check=True,
                          input=re.sub(r"^#include .*", "", text, flags=re.M), text=True,
                          stdout=subprocess.PIPE).stdout
    # Strings that stand next to each other are one string.
    text = re.sub(r'"[^"]*"(?:\s*"[^"]*")*',
                  lambda m: '"' + "".join(re.findall(r'"([^"]*)"', m[0])) + '"',
                  text[text.index("ptx_ops[]"):])
    found = []
    for row in re.split(r"\.name = ", text)[1:]:
        name = re.match(r'"(.*?)"', row)[1]
        op = re.search(r"\.op = DRM_VSM_OP_(\w+)", row)
        string = r'\s*"([^"]*)"\s*'
        for mods, rest, *others in re.findall(rf"\{{([^{{}}\"]*),{','.join([string] * 4)}\}}", row):
            found.append(Form(op and op[1], mods, name + rest, *others))
    return found


FORMS = forms()
