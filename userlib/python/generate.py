#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the modules of the package that repeat what the headers say.

    generate.py          writes vsm/_cdef.py, vsm/enums.py, vsm/structs.py, vsm/insn.py and
                         vsm/_instructions.py
    generate.py --check  reports an error if one of them is out of date

The preprocessor of the C compiler reads the headers, and the compiler computes the values of the
macros. `make -C userlib` runs this program. The package that is installed needs no compiler.
"""

import keyword
import os
import re
import subprocess
import sys
import tempfile
import textwrap

HERE = os.path.dirname(os.path.realpath(__file__))
USERLIB = os.path.dirname(HERE)
UAPI = os.path.join(USERLIB, "../uapi/drm")
HEADERS = [os.path.join(UAPI, f"vsm_{name}.h")
           for name in ("inject", "mbarrier", "trace", "drm", "tensor")] + \
    [os.path.join(USERLIB, name) for name in ("vsm_insn.h", "vsm.h", "ptx/vsm_ptx.h")]

HEAD = """# SPDX-License-Identifier: MIT
# userlib/python/generate.py has written this file from the headers of vsm. Do not change it.
"""

# Types of the kernel's headers.
TYPES = "".join(f"typedef {'u' * (sign == 'u')}int{bits}_t __{sign}{bits};\n"
                for bits in (8, 16, 32, 64) for sign in ("u", "s"))

# Names of enumerations that would not tell what they are, or that other names of the package have.
ENUMS = {"drm_vsm_fault": "FaultCode", "drm_vsm_trace": "TraceType", "drm_vsm_op": "Op",
         "drm_vsm_state": "StateKind", "drm_vsm_source": "FaultSource",
         "drm_vsm_object": "ObjectKind"}

# Types of the parameters of constructors: the type in Python, and the argument for the library.
POINTERS = {
    "const struct drm_vsm_tensor_map *": ("TensorMap", "{0}.pointer"),
    "const int32_t *": ("Sequence[int]", 'ffi.new("int32_t[5]", {0})'),
    "const uint16_t *": ("Sequence[int]", 'ffi.new("uint16_t[5]", {0})'),
    "const void *": ("bytes", 'ffi.new("char[16]", bytes({0}))'),
}


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def compiler(*arguments, text):
    cflags = subprocess.run([os.environ.get("PKG_CONFIG", "pkg-config"), "--cflags", "libdrm"],
                            check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return subprocess.run([os.environ.get("CC", "cc"), f"-I{USERLIB}", f"-I{UAPI}", *cflags,
                           "-x", "c", *arguments, "-"],
                          check=True, input=text, stdout=subprocess.PIPE, text=True).stdout


INCLUDES = '#include "ptx/vsm_ptx.h"\n'


def preprocessed():
    """What the headers declare, and the structures of libdrm that they use."""
    ours = {os.path.realpath(path) for path in HEADERS}
    lines, keep, other = [], False, []
    for line in compiler("-E", text=INCLUDES).splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            keep = os.path.realpath(marker[1]) in ours
        elif not line.startswith("#"):
            (lines if keep else other).append(line)
    event = re.search(r"^struct drm_event \{.*?^\};", "\n".join(other), re.S | re.M)[0]
    return event + "\n" + "\n".join(lines)


def declarations(text):
    """Replaces inline functions by their declarations, and drops those that no library exports."""
    out, place = [], 0
    for found in re.finditer(r"^static inline ([^{;]*?)\s*\{", text, re.M):
        if found.start() < place:
            continue
        out.append(text[place:found.start()])
        depth, place = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[place], 0)
            place += 1
        name = re.search(r"(\w+)\(", found[1])[1]
        if name.startswith("vsm_") and not name.startswith(("vsm_ptx_", "vsm_field_")):
            out.append(found[1] + ";")
    text = "".join(out) + text[place:]
    # Functions cannot pass a structure with a union by value (libffi). An instruction that is
    # returned is therefore declared as its words. vsm_thread_at() and others are not declared.
    text = re.sub(r"^struct drm_vsm_insn\s+(vsm_prep_)", r"struct vsm_insn_words \1", text,
                  flags=re.M)
    text = re.sub(r"^(struct vsm_thread|int) (vsm_thread_at|vsm_warp_at|vsm_execute)\(.*?;\n", "",
                  text, flags=re.S | re.M)
    text = "struct vsm_insn_words { uint64_t word[8]; };\n" + text
    return re.sub(r"\n\s*\n+", "\n", text).replace("_Bool", "bool").strip() + "\n"


def macros():
    """The values of all macros that stand for a number, and the version."""
    names = []
    for path in HEADERS:
        names += re.findall(r"^#define (\w+)[ \t]+(?!\\\n\s*$)\S", read(path), re.M)
    names = [name for name in names if name != "VSM_VERSION"]
    program = INCLUDES + "#include <stdio.h>\nint main(void)\n{\n" + "".join(
        f'\tprintf("{name} %lld\\n", (long long)({name}));\n' for name in names) + \
        '\tprintf("%s\\n", VSM_VERSION);\n}\n'
    with tempfile.TemporaryDirectory() as tmp:
        compiler("-o", os.path.join(tmp, "macros"), text=program)
        lines = subprocess.run([os.path.join(tmp, "macros")], check=True, stdout=subprocess.PIPE,
                               text=True).stdout.splitlines()
    return [line.split() for line in lines[:-1]], lines[-1]


QUALS = "|".join(re.findall(r"^\tVSM_(\w+) = 1 <<", read(os.path.join(USERLIB, "vsm_insn.h")),
                            re.M))


def plain(text):
    """The text of a comment without the markup of kernel-doc."""
    text = re.sub(r"&(?:struct |enum )?([\w.]+)", r"``\1``", text)
    text = re.sub(r"[%@](\w+)", r"``\1``", text)
    text = re.sub(r"``DRM_VSM_(RED|MODE|TYPE)_(\w+)``",
                  lambda m: f"``{m[1].capitalize()}.{m[2]}``", text)
    text = re.sub(rf"\bVSM_({QUALS})\b", r"``Qual.\1``", text)
    text = re.sub(r"\bvsm_prep_(\w+)\(\)", r":func:`\1`", text)
    return re.sub(r"\s+", " ", text).strip()


class Doc:
    """A kernel-doc comment: its title, parameters, paragraphs, and what is returned."""

    def __init__(self, comment):
        text = re.sub(r"^ \* ?", "", comment, flags=re.M).strip()
        title, _, rest = text.partition("\n@") if "\n@" in text else text.partition("\n\n")
        rest = "@" + rest if "\n@" in text else rest
        self.title = re.sub(r"\s+", " ", title.partition(" - ")[2].split("\n\n")[0])
        # PTX's spelling goes on in the next line without a space.
        self.title = re.sub(r" (?=[.{])", "", self.title) if "." in self.title else self.title
        self.params, self.paragraphs, self.returns = {}, [], ""
        head, _, body = rest.partition("\n\n") if rest.startswith("@") else ("", "", rest)
        for name, what in re.findall(r"^@(\w+): (.*?)(?=^@|\Z)", head, re.S | re.M):
            self.params[name] = plain(what)
        for paragraph in body.split("\n\n"):
            if paragraph.startswith("Return:"):
                self.returns = plain(paragraph[len("Return:"):])
            elif paragraph.strip():
                self.paragraphs.append(plain(paragraph))


def docs(pattern):
    """The comments in front of what the pattern matches: {group 1 of the pattern: Doc}."""
    found = {}
    for path in HEADERS:
        for comment, name in re.findall(r"^/\*\*\n((?: \*[^\n]*\n)+?) \*/\n" + pattern, read(path),
                                        re.M):
            found[name] = Doc(comment)
    return found


def wrap(text, indent, first=None):
    return textwrap.fill(text, 100, initial_indent=" " * (indent if first is None else first),
                         subsequent_indent=" " * indent, break_long_words=False,
                         break_on_hyphens=False)


def cdef_module(text, values, version):
    make = read(os.path.join(USERLIB, "Makefile")) + read(os.path.join(USERLIB, "ptx/ptx.mk"))
    names = "\n".join(f'{name} = "{value}"' for name, value in
                      re.findall(r"^(\w*SONAME) := (\S+)$", make, re.M))
    defines = "".join(f"#define {name} {value}\n" for name, value in values)
    return f'''{HEAD}"""What libvsm-ffi and libvsm-ptx declare, for cffi."""

VERSION = "{version}"
{names}
SOURCE = """
{TYPES}{defines}{text}"""
'''


# Structures that Python programs see: what the device or the library fills, and the shape of a
# cluster.
STRUCTS = {"drm_vsm_device_info": "DeviceInfo", "vsm_cluster_config": "Shape",
           "vsm_mbarrier_fields": "MbarrierFields", "drm_vsm_event_fault": "EventFault",
           "drm_vsm_trace_event": "TraceEvent", "drm_vsm_state_entry": "StateEntry",
           "drm_vsm_cluster_state": "ClusterState", "drm_vsm_channel_status": "ChannelStatus",
           "drm_vsm_inject_rule": "InjectRule", "vsm_ptx_result": "LaunchResult",
           "vsm_ptx_kernel": "KernelInfo", "vsm_ptx_param": "Param"}


def camel(name):
    return ENUMS.get(name) or "".join(
        part.capitalize() for part in re.sub(r"^(drm_)?vsm_", "", name).split("_"))


def members(names):
    """The enumerators without what they have in common."""
    common = os.path.commonprefix(names)
    common = common[:common.rfind("_") + 1]
    if len(names) == 1:
        common = re.match(r"(?:DRM_)?VSM_[A-Z]+_", names[0])[0]
    # A name of Python does not begin with a digit: 90 is SM_90, and 32B is B32.
    if re.search(rf"^{common}\d+$", names[0]):
        common = common[:common[:-1].rfind("_") + 1]
    return [re.sub(r"^(\d+)([A-Z])", r"\2\1", name[len(common):]) for name in names]


def enums_module(text):
    about = docs(r"enum (\w+) \{")
    out = [HEAD + '"""The enumerations of the headers. '
           'Each member has the name that C has after the prefix."""\n\nimport enum\n']
    exported = []
    for name, body in re.findall(r"^enum (\w+) \{(.*?)\};", text, re.S | re.M):
        values, last = [], -1
        for item in filter(None, (part.strip() for part in body.split(","))):
            member, _, value = item.partition("=")
            last = eval(value, {}, dict(values)) if value else last + 1  # pylint: disable=eval-used
            values.append((member.strip(), last))
        base = "IntFlag" if "<<" in body else "IntEnum"
        doc = about[name]
        exported.append(camel(name))
        out.append(f"\n\nclass {camel(name)}(enum.{base}):\n" +
                   wrap(f'"""{doc.title}"""', 4) + "\n\n" + "".join(
                       f"    {short} = {value:#x}\n" if base == "IntFlag" else
                       f"    {short} = {value}\n"
                       for short, (_, value) in zip(members([n for n, _ in values]), values)))
    out.insert(1, "\n__all__ = [\n" + wrap(", ".join(f'"{n}"' for n in exported), 4) + "\n]\n")
    return "".join(out)


def field(kind, array, name):
    """The type of a member of a structure in Python."""
    if kind == "struct drm_vsm_insn":
        return "Instruction[Any]"
    if kind.endswith("char"):
        return "Optional[str]" if name.endswith("_file") else "str"
    one = "bool" if kind == "bool" else "int"
    return "Tuple[int, ...]" if array else one


def structs_module(text):
    about = docs(r"struct (\w+) \{")
    out = [HEAD + '"""The structures that the device and the library fill.\n\n'
           'Masks and codes are numbers: :mod:`vsm.enums` has their names."""\n\n'
           "from dataclasses import dataclass\nfrom typing import Any, Optional, Tuple\n\n"
           "from ._base import Instruction\n"]
    for name, python in STRUCTS.items():
        body = re.search(rf"^struct {name} \{{(.*?)^\}};", text, re.S | re.M)[1]
        doc = about[name]
        fields = [(word, field(kind, array, word)) for kind, word, array in re.findall(
            r"^\s*((?:const |struct |enum )?\w+) \*?(\w+)(\[[^;]*)?;", body, re.M)
                  if word not in ("pad", "base", "insn_length", "name_length")]
        out.append(f"\n\n@dataclass(frozen=True)\nclass {python}:\n" +
                   wrap(f'"""{doc.title}', 4) + "\n\n" +
                   "\n\n".join(wrap(f":param {word}: {doc.params[word]}", 8, 4)
                               for word, _ in fields) + '\n    """\n\n' +
                   "".join(f"    {word}: {kind}\n" for word, kind in fields))
    return "".join(out)


class Constructor:
    """A function vsm_prep_...() of vsm_insn.h."""

    def __init__(self, name, params, doc):
        self.name = name + "_" * keyword.iskeyword(name)
        self.c_name = f"vsm_prep_{name}"
        self.doc = doc
        self.params = []
        for param in re.split(r",\s*", re.sub(r"\s+", " ", params).strip()):
            if param != "void":
                kind, pointer, word = re.match(r"(.*?) ?(\*?)(\w+)$", param).groups()
                self.params.append((word, kind + " *" * bool(pointer)))

    def result(self):
        """The type of the instruction's result in Python."""
        text = self.doc.returns
        if not re.search(r"[Ii]ts result is", text):
            return "None"
        if "DRM_VSM_RESULT_PRED" in text:
            return "Pair"
        return "bool" if re.search(r"result is (waitComplete|p\b)", text) else "int"

    def typed(self, name, kind):
        """The type of a parameter in Python, and the argument for the library."""
        if kind in POINTERS:
            python, pattern = POINTERS[kind]
            return python, pattern.format(name)
        if kind.startswith("enum "):
            return camel(kind[5:]), name
        if name == "buffer":
            return "BufferLike", "handle_of(buffer)"
        return ("bool" if kind == "bool" else "int"), name

    def signature(self, first):
        """The parameters as Python declares them, after those in @first."""
        words = first + [f"{name}: {self.typed(name, kind)[0]}" + " = 0" * (name == "qual")
                         for name, kind in self.params]
        return words

    def lines(self):
        """The paragraphs of the documentation."""
        yield from self.doc.paragraphs
        for name, _ in self.params:
            yield f":param {name}: {self.doc.params[name]}"
        if self.result() != "None":
            yield ":returns: " + re.sub(r"^The instruction\. ?", "", self.doc.returns)


def code(start, items, end, indent):
    """A call or a definition, which may be several lines: @start, the items, @end."""
    # A line may only break between items: their own spaces become another character meanwhile.
    glue = "\0"
    text = start.replace(" ", glue) + ", ".join(item.replace(" ", glue) for item in items) + \
        end.replace(" ", glue)
    return textwrap.fill(text, 100, subsequent_indent=" " * indent, break_long_words=False,
                         break_on_hyphens=False).replace(glue, " ")


def define(name, signature, result, indent):
    """The first line of a function, which may be several lines."""
    start = f"{' ' * indent}def {name}("
    return code(start, signature, f") -> {result}:", len(start))


def constructors(text):
    about = docs(r"static inline struct drm_vsm_insn\s+vsm_prep_(\w+)\(")
    return [Constructor(name, params, about[name]) for name, params in re.findall(
        r"^struct vsm_insn_words vsm_prep_(\w+)\(([^)]*)\)", text, re.M)]


def imports(found):
    used = sorted({camel(kind[5:]) for c in found for _, kind in c.params
                   if kind.startswith("enum ")})
    return f"from .enums import {', '.join(used)}\n"


def insn_module(found):
    out = [HEAD + '"""The constructors of instructions, one for each form that PTX has.\n\n'
           "A constructor returns an :class:`Instruction`. It executes nothing:\n"
           ":meth:`Thread.execute`, :meth:`Thread.run`, :meth:`Channel.submit` and "
           ":meth:`WaitSet.execute`\ndo. A thread has a method of the same name for each of them.\n"
           '"""\n\nfrom typing import Sequence\n\n'
           "from ._base import BufferLike, Instruction, Pair, TensorMap, handle_of, prepared\n"
           "from ._library import ffi, lib\n" + imports(found)]
    for c in found:
        out.append("\n\n" + define(c.name, c.signature([]), f"Instruction[{c.result()}]", 0) +
                   "\n" + wrap(f'"""{c.doc.title}', 4) + "\n\n" +
                   "\n\n".join(wrap(line, 8 if line.startswith(":") else 4, 4)
                               for line in c.lines()) + '\n    """\n')
        arguments = []
        keep = ""
        for name, kind in c.params:
            argument = c.typed(name, kind)[1]
            arguments.append(argument)
            if "TensorMap" in c.typed(name, kind)[0]:
                keep = f", {name}"
        out.append(code(f"    return prepared(lib.{c.c_name}(", arguments,
                        f"), {c.result()}{keep})", 8) + "\n")
    return "".join(out)


def methods_module(found):
    out = [HEAD + '"""The methods of threads that execute one instruction each."""\n\n'
           "from typing import Sequence, TypeVar\n\n"
           "from . import insn\nfrom ._base import BufferLike, Instruction, Pair, TensorMap\n" +
           imports(found) +
           '\nR = TypeVar("R")\n\n\nclass Instructions:\n'
           '    """Executes instructions. :mod:`vsm.insn` describes parameters and results."""\n'
           "\n    def execute(self, instruction: Instruction[R]) -> R:\n"
           '        """Execute an instruction, and return its result."""\n'
           "        raise NotImplementedError\n"]
    for c in found:
        out.append("\n" + define(c.name, c.signature(["self"]), c.result(), 4) + "\n" +
                   wrap(f'"""{c.doc.title}"""', 8) + "\n" +
                   code(f"        return self.execute(insn.{c.name}(",
                        [name for name, _ in c.params], "))", 12) + "\n")
    return "".join(out)


def modules():
    text = declarations(preprocessed())
    values, version = macros()
    found = constructors(text)
    return {"_cdef.py": cdef_module(text, values, version), "enums.py": enums_module(text),
            "structs.py": structs_module(text),
            "insn.py": insn_module(found), "_instructions.py": methods_module(found)}


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    for name, text in modules().items():
        path = os.path.join(HERE, "vsm", name)
        if not sys.argv[1:]:
            # Another make may do the same, and tests may read the file meanwhile.
            new = f"{path}.{os.getpid()}"
            with open(new, "w", encoding="utf-8") as f:
                f.write(text)
            os.rename(new, path)
        elif not os.path.exists(path) or read(path) != text:
            sys.exit(f"{name} is out of date: run userlib/python/generate.py")


if __name__ == "__main__":
    main()
