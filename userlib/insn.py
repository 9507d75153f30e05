#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes vsm_insn.h of vsm_insn.h.in and vsm_insn.txt: insn.py FILE

vsm_insn.txt describes its own format. Each constructor must build a form that uapi/drm/vsm_ops.h has,
and each form must have a constructor."""

import os
import re
import sys
import textwrap

HERE = os.path.dirname(os.path.realpath(__file__))
INSN = "static inline struct drm_vsm_insn"
# Modifiers that a caller gives in @qual.
IN_QUAL = {"SINK", "CG", "ALIGNED"}


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return f.read()


def columns(text):
    return max(len(line.expandtabs(8)) for line in text.split("\n"))


def call(start, items, end):
    """A call or a signature. The items begin below the end of @start."""
    at = columns(start)
    indent = "\n" + "\t" * (at // 8) + " " * (at % 8)
    lines = [start]
    for item in [item + "," for item in items[:-1]] + [(items or [""])[-1] + end]:
        more = lines[-1] + ("" if lines[-1] in (start, indent) else " ") + item
        if columns(more) > 100:
            lines.append(indent + item)
        else:
            lines[-1] = more
    return "".join(lines)


def comment(text, indent=""):
    """Lines of a comment. @indent begins all lines but the first."""
    lines = textwrap.wrap(text, 97, subsequent_indent=" " * columns(indent),
                          break_long_words=False, break_on_hyphens=False)
    return "".join(f" *{number and indent or ' '}{line.strip()}\n" for number, line in enumerate(lines))


def title(name, ptx):
    """The head of a comment. An opcode that is too long goes on in the next line."""
    opcode, _, operands = ptx.partition(" ")
    room = 97 - len(f"vsm_prep_{name} - ")
    if len(opcode) > room:
        at = max(found.start() for found in re.finditer(r"[.{]", opcode) if found.start() <= room)
        opcode = f"{opcode[:at]} {opcode[at:]}"
    return comment(f"vsm_prep_{name} - {opcode} {operands}")


class Table:
    """vsm_insn.txt"""

    def __init__(self, text):
        self.types, self.texts, self.blocks = {}, {}, []
        for block in re.sub(r"^#.*\n", "", text, flags=re.M).strip().split("\n\n"):
            # A line with more tabs than the others of its kind continues the line above.
            if not block.startswith("/*"):
                more = r"\n\t" if block.startswith(("let", "type")) else r"\n\t\t"
                block = re.sub(more, " ", block)
            for line in block.split("\n"):
                kind, _, rest = line.partition(" ")
                name, _, text = rest.partition(": ")
                if kind == "type":
                    self.types.update(dict.fromkeys(text.split(), name))
                elif kind == "let":
                    self.texts[name] = text
                else:
                    self.blocks.append(block)
                    break

    def full(self, text):
        """The text with the sentences that it names."""
        return re.sub(r"\$\w+", lambda found: self.texts[found[0]], text)


def constructor(table, template, block):
    """The text of a constructor, its operation and its modifiers."""
    signature, ptx, *lines = block.split("\n")
    name, params = re.match(r"(\w+)\((.*)\)$", signature).groups()
    own = dict(re.match(r"\t@(\w+): (.*)", line).groups() for line in lines if line[1] == "@")
    params = [re.match(r"(?:(.*[ *]))?(\w+)(/\w+)?$", param).groups()
              for param in params.split(", ") if param]
    text = "/**\n" + title(name, ptx.strip())
    arguments = []
    for kind, word, about in params:
        text += comment(f"@{word}: {own.get(word) or table.texts[word + (about or '')]}", "\t")
        kind = (kind or table.types[word]).strip()
        arguments.append(kind + " " * (kind[-1] != "*") + word)
    result = "The instruction."
    for line in (table.full(line.strip()) for line in lines):
        if line.startswith("Return: "):
            result += line[len("Return:"):]
        elif line[0] not in "@=":
            section = "See PTX ISA, section " if re.match(r"See \d", line) else "See PTX ISA, "
            text += " *\n" + comment(re.sub("^See ", section, line))
    text += " *\n" + comment("Return: " + result) + " */\n"
    helper, made, fields = re.match(r"\t= (\w+)\((.*?)\)((?:; .*)?)$", lines[-1]).groups()
    helper = f"__vsm_prep_{helper}" if helper != "plain" else "__vsm_prep"
    made = made.split(", ")
    op, *mods = made[0].split(".")
    made[:1] = [f"DRM_VSM_OP_{op}"]
    if re.search(rf"\b{helper}\(enum drm_vsm_op op, unsigned int mods", template):
        made[1:1] = [" | ".join(f"DRM_VSM_MOD_{mod}" for mod in mods) or "0"]
    short = call(f"{INSN} vsm_prep_{name}(", arguments or ["void"], ")")
    text += short if columns(short) <= 100 else call(f"{INSN}\nvsm_prep_{name}(", arguments, ")")
    if not fields:
        text += "\n{\n" + call(f"\treturn {helper}(", made, ");") + "\n}\n"
    else:
        text += "\n{\n" + call(f"\tstruct drm_vsm_insn insn = {helper}(", made, ");") + "\n\n"
        for field in fields[2:].split("; "):
            text += f"\tinsn.{'u.' * ('.' in field.split(' ')[0])}{field};\n"
        text += "\treturn insn;\n}\n"
    return text, (op, frozenset(mods))


def header():
    template, table = read("vsm_insn.h.in"), Table(read("vsm_insn.txt"))
    texts, built = [], set()
    for block in table.blocks:
        text, form = (block + "\n", None) if block.startswith("/*") else \
            constructor(table, template, block)
        texts.append(text)
        built |= {form} - {None}
    forms = {(op, frozenset(re.findall(r"\w+", mods.partition("(")[2])) - IN_QUAL)
             for op, body in re.findall(r"^VSM_OP\((\w+),(.*?)^VSM_OP_END",
                                        read("../uapi/drm/vsm_ops.h"), re.S | re.M)
             for mods in re.findall(r"VSM_FORM\((0|MODS\(.*?\)),", body)}
    wrong = [f"{op} {' '.join(sorted(mods))}: {what}" for found, what in (
        (forms - built, "vsm_insn.txt has no constructor"),
        (built - forms, "vsm_ops.h has no form")) for op, mods in sorted(found, key=str)]
    if wrong:
        sys.exit("\n".join(wrong))
    return template.replace("@CONSTRUCTORS@\n", "\n".join(texts))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    text = header()
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    main()
