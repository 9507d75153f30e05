# SPDX-License-Identifier: MIT
"""Reads the two tables of operations: uapi/drm/vsm_ops.h has the operations and their forms,
tools/vsm/ops/forms.c has the spelling of the forms in each language."""

import os
import re

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
    """A row of forms.c. @op is None if the device does not execute the operation."""

    def __init__(self, op, mods, *spelled):
        self.op = op
        self.mods = frozenset(re.findall(r"\bMOD\((\w+)\)", mods))
        self.ptx, self.nvvm, self.machine, self.lib = spelled

    def nvvm_names(self):
        """The names of the operations of NVVM; a name with {.shared} stands for two operations."""
        return [name.replace("{.shared}", suffix) for name in self.nvvm.split(", ") if name
                for suffix in (("", ".shared") if "{.shared}" in name else ("",))]


def forms():
    text = read("tools/vsm/ops/forms.c")
    macros = re.findall(r'^#define (\w+)\s+("[^"]*")$', text, re.M)
    rows = re.search(r"^const struct op_form op_forms\[\] = \{\n(.*?)^\};", text, re.S | re.M)[1]
    for name, string in macros:
        rows = re.sub(rf"(?<!\()\b{name}\b(?=[^\"]*(\"[^\"]*\"[^\"]*)*$)", lambda _, s=string: s, rows)
    rows = re.sub(r'"\s+"', "", rows)
    strings = r'"([^"]*)",?\s*'
    found = [Form(*row) for row in re.findall(rf"FORM\((\w+), (.*?),\s*{strings * 4}\)", rows)]
    for row in re.findall(r"^\t\{\n(.*?)\},$", rows, re.S | re.M):
        fields = dict(re.findall(r'\.(\w+) = "([^"]*)"', row))
        found.append(Form(None, "", *(fields[name] for name in ("ptx", "nvvm", "machine", "lib"))))
    return found


FORMS = forms()
