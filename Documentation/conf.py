# SPDX-License-Identifier: MIT
"""Sphinx configuration. The kernel's kernel-doc extension reads the headers."""

import os
import re
import sys

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

top = os.path.abspath("..")
sys.path[:0] = [os.path.abspath("."), os.path.join(top, "tools/vm"),
                os.path.join(top, "selftests/kernels/silicon")]
import cases  # noqa: E402
import common  # noqa: E402
import mistakes  # noqa: E402  # pylint: disable=wrong-import-position
import operations  # noqa: E402
import scenario  # noqa: E402

source = os.path.join(common.CACHE, "source")
sys.path.insert(0, os.path.join(source, "Documentation", "sphinx"))

project = "vsm"
release = version = common.version()
author = "the vsm authors"
copyright = "the vsm authors"
extensions = ["kerneldoc"]
kerneldoc_bin = os.path.join(source, "scripts", "kernel-doc")
kerneldoc_srctree = top

exclude_patterns = ["_build"]
primary_domain = "c"
highlight_language = "none"
smartquotes = False

html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_theme = "furo"
html_title = f"vsm {release}"
html_copy_source = False
html_show_copyright = False


def keep_words_whole(_app, doctree, _name):
    """Marks words for pages.css: words in which no line may break, and words that are too long for
    a window of 400 pixels."""
    for literal in doctree.findall(nodes.literal):
        if any(len(word) > 38 for word in literal.astext().split()):
            literal["classes"].append("long")
    # Without the class "whole" a browser may break a line after the hyphen of -ENOMEM.
    for text in list(doctree.findall(nodes.Text)):
        parts = re.split(r"(?<!\S)(\(?-\w\S*)", text.astext())
        if len(parts) > 1 and isinstance(text.parent, (nodes.paragraph, nodes.emphasis, nodes.term)):
            text.parent.replace(text, [nodes.inline("", part, classes=["whole"]) if i % 2
                                       else nodes.Text(part) for i, part in enumerate(parts)])


class Scenario(SphinxDirective):
    """Shows the text of a scenario of the selftests, FILE or FILE:TEST, without its licence
    line."""

    required_arguments = 1

    def run(self):
        text = scenario.find(os.path.join(top, "selftests/scenarios"), self.arguments[0])
        if text is None:
            raise self.error(f"there is no scenario {self.arguments[0]}")
        text = re.sub(r"^# SPDX.*\n", "", text).strip("\n")
        return [nodes.literal_block(text, text, language="none")]


class Table(SphinxDirective):
    """Shows a table that a program makes."""

    def run(self):
        parsed = nodes.Element()
        self.state.nested_parse(StringList(self.lines(), source="operations.py"), self.content_offset,
                                parsed)
        return parsed.children


class Forms(Table):
    """Shows the forms of the operations that it names."""

    required_arguments = 1
    final_argument_whitespace = True

    def lines(self):
        return operations.forms_table(self.arguments[0].split())


class Traits(Table):
    """Shows what all operations do."""

    def lines(self):
        return operations.traits_table()


class Mistakes(Table):
    """Shows what a GPU, compute-sanitizer and vsm do with mistakes."""

    def lines(self):
        return mistakes.mistakes_table()


class Cases(Table):
    """Shows what an H100 and vsm do in 54 programs."""

    def lines(self):
        return cases.table()


def setup(app):
    app.add_directive("cases", Cases)
    app.add_directive("mistakes", Mistakes)
    app.add_directive("forms", Forms)
    app.add_directive("traits", Traits)
    app.add_directive("scenario", Scenario)
    app.connect("doctree-resolved", keep_words_whole)
