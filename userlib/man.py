#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes man pages of section 3 from the comments of a library's headers: a page for each function
and structure, and the overview LIBRARY.3.

    man.py KERNEL_DOC FOLDER VERSION LIBRARY HEADER...

KERNEL_DOC is scripts/kernel-doc of a kernel's source. LIBRARY is libvsm or libvsm-ptx. The overview
is the DOC comment in the first HEADER, which programs include.
"""

import os
import re
import subprocess
import sys

LIBRARIES = {
    "libvsm": "C library of vsm, an accelerator without hardware",
    "libvsm-ptx": "runs kernels in PTX on a vsm device",
}

# Requests that kernel-doc writes. All other lines that begin with a dot are text.
REQUEST = re.compile(r"\.(TH|SH|B|BI|IP|br)\b")


def text_of(line):
    """Converts a line of text to roff."""
    line = line.replace("``", "")
    line = re.sub(r"\\fB([a-z]\w*)\\fP(?!\()", r"\\fB\1\\fP()", line)
    return "\\&" + line if line.startswith((".", "'")) else line


def prototype(lines, include):
    """Writes the synopsis of a function in lines of at most 72 columns."""
    joined = "".join(re.sub(r'^\.BI? "([^"]*)" *"?([^"]*)"?$', r"\1\2", line) for line in lines[1:])
    kind, name = re.match(r'\.B "([^"]*)" (\w+)', lines[0]).groups()
    gap = "" if kind.endswith("*") else " "
    arguments = re.sub(r" +(?=[,)])", "", joined).strip("();").replace(" ,", ",").split(",")
    out, line = [], f"{kind}{gap}{name}("
    for i, argument in enumerate(a.strip() for a in arguments):
        argument += ");" if i == len(arguments) - 1 else ","
        if len(line) + len(argument) > 72 and not line.endswith("("):
            out.append(line)
            line = "    " + argument
        else:
            line += ("" if line.endswith("(") else " ") + argument
    return [".nf", f".B #include <{include}>", ".sp"] + [f'.B "{text}"' for text in out + [line]] + [".fi"]


def page(name, lines, library, version, include):
    """Makes a man page from the output of kernel-doc for one comment."""
    body, section = [], None
    synopsis = []
    for line in lines:
        if line.startswith(".SH"):
            section = line[4:].strip('"').upper()
            if section != "ARGUMENTS" or lines[lines.index(line) + 1] != '.IP "void" 12':
                body.append(".SH " + section)
        elif section == "ARGUMENTS" and ".SH ARGUMENTS" not in body:
            continue
        elif section == "SYNOPSIS" and name not in STRUCTURES:
            synopsis.append(line)
        elif section == "NAME":
            body.append(line.removeprefix("struct "))
        else:
            body.append(line if REQUEST.match(line) or section == "SYNOPSIS" else text_of(line))
    if synopsis:
        at = body.index(".SH SYNOPSIS") + 1
        body[at:at] = prototype(synopsis, include)
    return "\n".join([f'.TH "{name}" 3 "" "{library} {version}" "{library}"', *body,
                      ".SH SEE ALSO", f".BR {library} (3)", ""])


def overview(header, names, library, version):
    """Makes LIBRARY.3 from the DOC comment, whose lists kernel-doc would run together."""
    comment = re.search(rf"^ \* DOC: {library}\n(.*?)^ \*/", header, re.S | re.M)[1]
    out = [f'.TH "{library}" 3 "" "{library} {version}" "{library}"', ".SH NAME",
           f"{library} \\- {LIBRARIES[library]}", ".SH DESCRIPTION"]
    for line in comment.split("\n"):
        line = line[3:].replace("\\", "\\e").replace("``", "")
        line = re.sub(r"[&@%](?=\w)(struct )?", r"\1", line)
        if line.startswith("- "):
            out += [".IP \\(bu 2", text_of(line[2:])]
        elif line:
            out.append(text_of(line.strip()))
        else:
            out.append(".PP")
    last = names[-1]
    return "\n".join([*out, ".SH SEE ALSO", ".ad l", ".nh",
                      *(f".BR {n} (3){'' if n == last else ','}" for n in names), ""])


def main():
    tool, folder, version, library, *headers = sys.argv[1:]
    include = os.path.basename(headers[0])
    made = subprocess.run([tool, "-man", *headers], check=True, stdout=subprocess.PIPE,
                          encoding="utf-8").stdout
    pages = {}
    for part in re.split(r"(?m)^(?=\.TH )", made)[1:]:
        lines = part.rstrip("\n").split("\n")
        name = re.match(r'\.TH "([^"]*)" 9 "([^"]*)"', lines[0])
        kind = re.match(r"struct (vsm_\w+)$", name[2])
        if kind and ".SH SYNOPSIS" in lines:
            STRUCTURES.add(kind[1])
            pages[kind[1]] = lines[1:]
        elif re.match(r"vsm_\w+$", name[1]):
            pages[name[1]] = lines[1:]
    os.makedirs(folder, exist_ok=True)
    for name, lines in pages.items():
        with open(os.path.join(folder, name + ".3"), "w", encoding="utf-8") as f:
            f.write(page(name, lines, library, version, include))
    with open(headers[0], encoding="utf-8") as f:
        header = f.read()
    with open(os.path.join(folder, f"{library}.3"), "w", encoding="utf-8") as f:
        f.write(overview(header, sorted(pages), library, version))


STRUCTURES = set()

if __name__ == "__main__":
    main()
