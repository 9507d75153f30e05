#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the man page vsm-vm.1. It is made of the table of options that --help shows, too."""

import argparse
import os
import re
import sys

sys.dont_write_bytecode = True
import common  # noqa: E402
import options  # noqa: E402


def roff(text):
    """Converts text to roff, with `words` in bold."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fP", text)
    text = re.sub(r"(?<![\w-])(\\-\\-[a-z]+(?:\\-[a-z]+)*)", r"\\fB\1\\fP", text)
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def option(action):
    names = ", ".join(f"\\fB{roff_name(name)}\\fP" for name in action.option_strings)
    metavar = action.metavar or ("{" + "|".join(action.choices) + "}" if action.choices else None)
    if metavar:
        names += f" \\fI{metavar}\\fP"
    text = action.help % {"default": action.default, "prog": "vsm-vm"}
    return [".TP", names, roff(text[0].upper() + text[1:] + ("" if text.endswith(".") else "."))]


def roff_name(name):
    return name.replace("-", "\\-")


def terms(pairs):
    for name, text in pairs:
        yield from (".TP", f"\\fB{roff_name(name)}\\fP", roff(text))


def page():
    parser = options.parser()
    lines = [f'.TH VSM\\-VM 1 "" "vsm {common.version()}" "vsm"', ".SH NAME",
             f"vsm\\-vm \\- {options.SUMMARY}", ".SH SYNOPSIS",
             ".B vsm\\-vm", "[\\fIOPTION\\fP...] [\\fB\\-\\-\\fP] \\fICOMMAND\\fP [\\fIARG\\fP...]", ".br",
             ".B vsm\\-vm", "[\\fIOPTION\\fP...] \\fB\\-\\-shell\\fP [[\\fB\\-\\-\\fP] \\fICOMMAND\\fP "
             "[\\fIARG\\fP...]]", ".SH DESCRIPTION"]
    for number, part in enumerate(options.ABOUT.strip().split("\n\n")):
        lines += [".PP"] * bool(number) + [roff(part)]
    lines.append(".SH OPTIONS")
    for group in parser._action_groups:
        actions = [a for a in group._group_actions if a.help is not argparse.SUPPRESS]
        if not actions:
            continue
        if group.title not in ("positional arguments", "options"):
            lines.append(f".SS {group.title[0].upper() + group.title[1:]}")
        for action in actions:
            lines += option(action)
    lines += [".SH ENVIRONMENT", *terms(options.ENVIRONMENT), ".SH EXIT STATUS",
              *terms(options.EXIT_STATUS), ".PP", roff(options.AFTER_STATUS.strip()), ".SH EXAMPLES", ".nf"]
    lines += [f"vsm\\-vm {roff_name(line)}" for line in options.EXAMPLES]
    return "\n".join([*lines, ".fi", ".SH SEE ALSO", ".BR vsm (1),", ".BR qemu\\-system\\-x86_64 (1)", ""])


def main():
    # The page is that of the installed runner, for any user.
    os.environ.pop("VSM_VM_KERNEL", None)
    sys.stdout.write(page())


if __name__ == "__main__":
    main()
