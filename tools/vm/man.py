#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the man page of a program in Python: tools/vm/man.py FILE

FILE has a Manual with the name MANUAL, and a function parser() that returns a parser for the options.
--help is made of both, too."""

import argparse
import importlib.machinery
import importlib.util
import os
import re
import sys

sys.dont_write_bytecode = True
import common  # noqa: E402


def load(path):
    """Returns a file in Python as a module. Its name may have no ending."""
    loader = importlib.machinery.SourceFileLoader("described", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("described", loader))
    loader.exec_module(module)
    return module


def escaped(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def roff(text):
    """Converts text to roff, with `words` and options in bold."""
    text = escaped(text).replace("~", "\\(ti").replace("^", "\\(ha")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fP", text)
    text = re.sub(r"(?<![\w-])(\\-\\-[a-z]+(?:\\-[a-z]+)*)", r"\\fB\1\\fP", text)
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def option(action):
    names = ", ".join(f"\\fB{escaped(name)}\\fP" for name in action.option_strings)
    metavar = action.metavar or ("{" + "|".join(action.choices) + "}" if action.choices else None)
    if metavar:
        names += f" \\fI{metavar}\\fP"
    text = action.help % {"default": action.default}
    return [".TP", names, roff(text[0].upper() + text[1:] + ("" if text.endswith(".") else "."))]


def page(manual, parser):
    name = escaped(manual.name)
    lines = [f'.TH {name.upper()} 1 "" "vsm {common.version()}" "vsm"', ".SH NAME",
             f"{name} \\- {roff(manual.summary)}", ".SH SYNOPSIS"]
    for number, words in enumerate(manual.synopsis):
        lines += [".br"] * bool(number) + [f".B {name}", re.sub(r"\b([A-Z]+)\b", r"\\fI\1\\fP", roff(words))]
    lines.append(".SH DESCRIPTION")
    for number, part in enumerate(manual.about):
        lines += [".PP"] * bool(number) + [roff(part)]
    lines.append(".SH OPTIONS")
    for group in parser._action_groups:
        actions = [a for a in group._group_actions if a.help is not argparse.SUPPRESS]
        if actions and group.title not in ("positional arguments", "options"):
            lines.append(f".SS {group.title[0].upper() + group.title[1:]}")
        for action in actions:
            lines += option(action)
    for title, pairs, more in manual.sections:
        lines.append(f".SH {title.upper()}")
        for term, text in pairs:
            lines += [".TP", f"\\fB{escaped(term)}\\fP", roff(text)]
        lines += [".PP", roff(more.strip())] if more else []
    lines += [".SH EXAMPLES", ".nf", *(f"{name} {escaped(line)}" for line in manual.examples), ".fi",
              ".SH SEE ALSO", ", ".join(f"\\fB{escaped(other)}\\fP(1)" for other in manual.see_also), ""]
    return "\n".join(lines)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    # The page is for any user.
    for name in "VSM_VM_KERNEL", "VSM_VM_SMP":
        os.environ.pop(name, None)
    program = load(sys.argv[1])
    sys.stdout.write(page(program.MANUAL, program.parser()))


if __name__ == "__main__":
    main()
