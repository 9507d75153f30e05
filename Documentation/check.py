#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The documents against the code. Prints TAP; status 0 only if all is true."""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(HERE)
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def text(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as f:
        return f.read()


def pages():
    return "".join(text("Documentation", name) for name in sorted(os.listdir(HERE))
                   if name.endswith(".rst"))


def run(*command, **more):
    """What a command had to say if it failed, and what it printed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          encoding="utf-8", **more)
    return (done.stdout.splitlines() or ["failed"]) if done.returncode else [], done.stdout


def missing(names, where):
    return [f"{name} is not mentioned" for name in names
            if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", where)] or \
        ([] if names else ["found nothing to look for"])


@check
def the_examples_compile_against_the_library():
    return run(os.environ.get("MAKE", "make"), "-s", "--no-print-directory", "-C", HERE, "examples")[0]


@check
def the_readme_shows_the_example_that_compiles():
    shown = re.findall(r"^```c\n(.*?)^```$", text("README.md"), re.S | re.M)
    if text("Documentation", "example.c") not in shown:
        return ["the block in README.md is not Documentation/example.c"]
    return []


@check
def the_parts_of_the_examples_are_marked():
    source = text("Documentation", "examples.c")
    marks = re.findall(r":start-after: /\* \[(\w+)\] \*/", pages())
    return [f"no part {m}" for m in marks if f"/* [{m}] */" not in source] or \
        ([] if marks else ["no page shows a part"])


@check
def the_worked_words_are_what_the_header_computes():
    rows = re.findall(r"^``(0x[0-9a-f]{16})`` +``([a-z][^`]*)`` +(sm_\d+)$",
                      text("Documentation", "mbarrier.rst"), re.M)
    if not rows:
        return ["no worked words"]
    body = ""
    for word, steps, layout in rows:
        steps = re.sub(r"\) ", "); ", steps)
        body += f'\tl = VSM_LAYOUT_{layout.upper()}; {steps}; expect({word}ULL, "{word} {steps}");\n'
    program = r"""
#include <stdio.h>
#include "vsm_mbarrier.h"
#define init(n) w = vsm_mbarrier_init(l, n)
#define arrive(n) w = vsm_mbarrier_arrive(l, w, n, 0, 0)
#define drop(n) w = vsm_mbarrier_arrive(l, w, n, n, 0)
#define arrive_expect_tx(n) w = vsm_mbarrier_arrive(l, w, 1, 0, n)
#define expect_tx(n) w = vsm_mbarrier_expect_tx(w, n)
#define complete_tx(n) w = vsm_mbarrier_complete_tx(w, n)
#define expect(x, s) do { if (w != (x)) { bad = 1; printf("%s: 0x%016llx\n", s, (long long)w); } } while (0)
int main(void)
{
	enum vsm_layout l;
	__u64 w;
	int bad = 0;

""" + body + "\treturn bad;\n}\n"
    with tempfile.TemporaryDirectory() as tmp:
        source, binary = os.path.join(tmp, "words.c"), os.path.join(tmp, "words")
        with open(source, "w", encoding="utf-8") as f:
            f.write(program)
        problems = run(os.environ.get("CC", "cc"), "-I", os.path.join(TOP, "uapi/drm"),
                       "-o", binary, source)[0]
        return problems or run(binary)[0]


def enumerators(prefix):
    return sorted(set(re.findall(rf"^\t{prefix}(\w+) = ", text("uapi/drm/vsm_drm.h"), re.M)))


@check
def every_misuse_code_is_explained():
    names = [n for n in enumerators("DRM_VSM_FAULT_") if n != "NONE"]
    page = text("Documentation", "mbarrier.rst").split("   * - ``DRM_VSM_FAULT_``\n", 1)[1]
    table = re.findall(r"^   \* - ([A-Z_]+)$", page, re.M)
    return [f"{n} is not in the table" for n in names if n not in table] + \
        [f"{n} is no code" for n in table if n not in names]


@check
def every_operation_and_modifier_is_in_the_table():
    page = text("Documentation", "mbarrier.rst")
    return missing(enumerators("DRM_VSM_OP_") + enumerators("DRM_VSM_MOD_"), page)


@check
def every_function_of_an_operation_is_named():
    names = re.findall(r"^int vsm_thread_mbarrier_(\w+)\(", text("userlib/vsm.h"), re.M)
    return missing([f"``{n}``" for n in names], text("Documentation", "mbarrier.rst"))


@check
def every_error_of_the_abi_is_explained():
    doc = text("uapi/drm/vsm_drm.h").split("Errors that any ioctl", 1)[1]
    names = re.findall(r"^ \* (E[A-Z0-9]+) ", doc.split("*/", 1)[0], re.M)
    rows = re.findall(r"^   \* - (E[A-Z0-9]+)$", text("Documentation", "uapi.rst"), re.M)
    return [f"{n} is not in the table" for n in names if n not in rows] + \
        ([] if names else ["found no errors"])


@check
def every_module_parameter_is_described():
    source = "".join(text("driver", n) for n in sorted(os.listdir(os.path.join(TOP, "driver")))
                     if n.endswith(".c"))
    names = re.findall(r"^module_param(?:_named)?\((\w+),", source, re.M)
    return missing([f"``{n}``" for n in names], text("Documentation", "uapi.rst"))


@check
def every_file_of_the_driver_is_described():
    names = [n for n in sorted(os.listdir(os.path.join(TOP, "driver"))) if n.endswith(".c")]
    return missing([f"``{n}``" for n in names], text("Documentation", "driver.rst"))


@check
def the_limits_are_the_drivers():
    source = "".join(text("driver", n) for n in ("vsm_drv.c", "vsm_drv.h", "core/vsm_core.h"))
    page = text("Documentation", "uapi.rst")
    wrong = []
    for name, what in (("MAX_EXEC", "instructions of one EXEC"), ("MAX_SUBMIT", "instructions of one SUBMIT"),
                       ("MAX_SYNCS", "fences of one SUBMIT"), ("CLIENT_CLUSTERS", "clusters of a client"),
                       ("CLIENT_WAITS", "armed or unread waits of a client"),
                       ("CLIENT_JOBS", "jobs in flight of a client"),
                       ("CLIENT_INSNS", "instructions of a client's jobs"), ("MAX_CTAS", "CTAs of a cluster"),
                       ("MAX_THREADS", "threads of a CTA")):
        found = re.search(rf"#define VSM_{name}\s+(?:(\d+)|\(1 << (\d+)\)|BIT\((\d+)\))", source)
        row = re.search(rf"^{what} +(\d+)", page, re.M)
        if not found or not row:
            wrong.append(f"{what}: not found")
        elif int(row[1]) != (int(found[1]) if found[1] else 1 << int(found[2] or found[3])):
            wrong.append(f"{what}: {row[1]} is not {found[0]}")
    return wrong


@check
def the_tree_in_the_readme_exists():
    block = re.search(r"^## The tree\n(.*?)(?=^## )", text("README.md"), re.S | re.M)
    names = re.findall(r"^\| `([^`]+)` \|", block[1], re.M) if block else []
    return [f"no {n}" for n in names if not os.path.exists(os.path.join(TOP, n))] or \
        ([] if names else ["no table"])


@check
def every_commands_name_in_the_documents_exists():
    targets = set(re.findall(r"^([a-z][a-z-]*):", text("Makefile"), re.M))
    named = re.findall(r"`make ([a-z-]+)`", text("README.md") + pages())
    return [f"make {t} does not exist" for t in sorted(set(named) - targets)]


@check
def the_licences_are_there():
    used = set()
    done = subprocess.run(["git", "-C", TOP, "ls-files", "-co", "--exclude-standard"], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
    for name in done.stdout.split("\n"):
        try:
            with open(os.path.join(TOP, name), encoding="utf-8") as f:
                head = f.read(400)
        except (OSError, UnicodeDecodeError):
            continue
        used.update(re.findall(r"SPDX-License-Identifier: ([\w.-]+)", head))
    have = {n[:-4] for n in os.listdir(os.path.join(TOP, "LICENSES"))}
    return [f"LICENSES/{n}.txt is missing" for n in sorted(used - have)] + \
        [f"LICENSES/{n}.txt is not used" for n in sorted(have - used) if used]


def main():
    print(f"1..{len(CHECKS)}")
    failed = False
    for number, function in enumerate(CHECKS, 1):
        try:
            problems = function()
        except Exception as error:  # pylint: disable=broad-except
            problems = [f"{type(error).__name__}: {error}"]
        failed |= bool(problems)
        name = function.__name__.replace("_", " ")
        print(f"{'not ok' if problems else 'ok'} {number} - documents: {name}")
        for line in problems:
            print(f"# {line}")
        sys.stdout.flush()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
