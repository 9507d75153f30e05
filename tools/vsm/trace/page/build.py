#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes one HTML page of the files in this folder: build.py [--html] >FILE

Prints C with two strings, page_before and page_after: the page before and after the place of the
data. html.c writes them. --html prints the page itself, with @DATA@ at that place.

The page has a Content-Security-Policy which allows only this script and these styles: their
hashes are in it. A text of a trace can therefore not run as a script, even if it was not escaped.
"""

import base64
import hashlib
import os
import re
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
SCRIPTS = ("model.js", "view.js", "draw.js", "arrows.js", "details.js", "filter.js", "input.js")
STYLES = ("colours.css", "page.css")
LICENCE = re.compile(r"(/\* SPDX-License-Identifier: MIT \*/|<!-- SPDX-[^\n]* -->)\n")


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return LICENCE.sub("", file.read(), count=1)


def hash_of(text):
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()


def make_page():
    script = '\n"use strict";\n(() => {\n' + "\n".join(read(name) for name in SCRIPTS) + "})();\n"
    style = "\n" + "\n".join(read(name) for name in STYLES)
    for text in (script, style):
        if re.search(r"</?(script|style)|<!--", text, re.I):
            sys.exit("build.py: a script or a style has text that ends it in HTML")
    page = read("page.html")
    for name, text in (("SCRIPT_HASH", hash_of(script)), ("STYLE_HASH", hash_of(style)),
                       ("STYLE", style), ("SCRIPT", script)):
        if page.count(f"@{name}@") != 1:
            sys.exit(f"build.py: page.html needs one @{name}@")
        page = page.replace(f"@{name}@", text)
    return page


def c_string(text):
    """Returns a text as C strings, one for each line."""
    lines = []
    for line in text.splitlines(keepends=True):
        escaped = "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}"
                          for byte in line.encode())
        lines.append(f'\t"{escaped}"')
    return "\n".join(lines)


def main():
    page = make_page()
    if sys.argv[1:] == ["--html"]:
        print(page, end="")
        return
    if sys.argv[1:]:
        sys.exit(__doc__)
    before, after = page.split("@DATA@")
    print('#include "trace/page.h"\n')
    print(f"const char page_before[] =\n{c_string(before)};\n")
    print(f"const char page_after[] =\n{c_string(after)};")


if __name__ == "__main__":
    main()
