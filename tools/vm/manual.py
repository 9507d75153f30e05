# SPDX-License-Identifier: MIT
"""What --help and the man page of a program say beside its options."""

import argparse
import sys
import textwrap

from common import STATUS_FAILED


class Manual:
    """@synopsis has the ways to call the program. @sections are (title, [(name, text)...], more text)."""

    def __init__(self, name, summary, synopsis, about, sections, examples, see_also):
        self.name = name
        self.summary = summary
        self.synopsis = synopsis
        self.about = about.strip().split("\n\n")
        self.sections = sections
        self.examples = examples
        self.see_also = see_also

    def epilog(self, command, examples):
        lines = [textwrap.fill(part, 80) + "\n" for part in self.about]
        for title, pairs, more in self.sections:
            lines.append(f"{title}:")
            lines += [textwrap.fill(text, 78, initial_indent=f"  {name:<14} ",
                                    subsequent_indent=" " * 17) for name, text in pairs]
            lines += [textwrap.fill(more, 80)] * bool(more) + [""]
        return "\n".join([*lines, "Examples:", *(f"  {command} {line}" for line in examples)])

    def parser(self, command=None, said_by=None, examples=()):
        """Returns a parser for options. Help calls the program @command, and has more @examples.
        Messages are said by @said_by."""
        command, said_by = command or self.name, said_by or self.name

        class Parser(argparse.ArgumentParser):
            def error(self, message):
                self.print_usage(sys.stderr)
                self.exit(STATUS_FAILED, f"{said_by}: {message}\n")

        return Parser(prog=command, description=self.summary[0].upper() + self.summary[1:] + ".",
                      epilog=self.epilog(command, [*self.examples, *examples]), allow_abbrev=False,
                      usage="\n       ".join(f"{command} {words}" for words in self.synopsis),
                      formatter_class=argparse.RawDescriptionHelpFormatter)
