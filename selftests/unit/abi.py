#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the headers of the uAPI with the table of their numbers. Prints TAP; compiles with CC and
CFLAGS.

abi.tbl has every number of the headers. The compiler compares them in abi_static.c. This script
checks that the table lacks no number. Each check also runs on wrong headers, and must find the
mistake.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
UAPI = os.path.join(HERE, "../../uapi/drm")
HEADERS = ("vsm_mbarrier.h", "vsm_drm.h", "vsm_tensor.h", "vsm_trace.h",
           "vsm_inject.h", "vsm_dump.h")
TABLE = os.path.join(HERE, "abi.tbl")

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def headers():
    return {name: read(os.path.join(UAPI, name)) for name in HEADERS}


def table():
    return read(TABLE)


def code(text):
    """Returns the text without comments, with the lines joined that end in a backslash."""
    return re.sub(r"\\\n", " ", re.sub(r"/\*.*?\*/", "", text, flags=re.S))


def members(body):
    """Returns the members of a structure's body. Those of its union are named "union.member"."""
    union = re.search(r"union \{(.*?)\} (\w+);", body, re.S)
    names = re.findall(r"(\w+)(?:\[\w+\])?;", re.sub(r"union \{.*?\} ", "union ", body, flags=re.S))
    return names + ([f"{union[2]}.{name}" for name in members(union[1])] if union else [])


def numbers(text):
    """Returns the names that a header defines: constants, macros, structures, members."""
    text = code(text)
    found = []
    for _, body in re.findall(r"^enum (\w+) \{(.*?)^\};", text, re.S | re.M):
        found += [re.match(r"\w+", item.strip())[0] for item in body.split(",") if item.strip()]
    found += [name for name in re.findall(r"^#[ \t]*define[ \t]+(\w+)", text, re.M)
              if not re.fullmatch(r"_UAPI_\w+_H_", name)]
    for name, body in re.findall(r"^struct (\w+) \{(.*?)^\};", text, re.S | re.M):
        found += [name] + [f"{name}.{member}" for member in members(body)]
    return found


def rows(text):
    """Returns the names that a table has rows for, in the form of numbers()."""
    found = set()
    for kind, name, member in re.findall(r"^([A-Z]+)\((\w+)(?:\([^)]*\))?, ([\w.]+)", code(text),
                                         re.M):
        found.add(f"{name}.{member}" if kind == "OFFSET" else name)
    return found


def missing(texts, text):
    have = rows(text)
    return [f"{name}: {number} has no row in abi.tbl" for name in texts
            for number in numbers(texts[name]) if number not in have]


def broken(texts):
    """Returns the errors of the compiler for headers that do not agree with the table."""
    with tempfile.TemporaryDirectory() as tmp:
        os.mkdir(os.path.join(tmp, "drm"))
        for name, text in texts.items():
            with open(os.path.join(tmp, "drm", name), "w", encoding="utf-8") as f:
                f.write(text)
        done = subprocess.run(
            [*shlex.split(os.environ.get("CC", "cc")), "-I", tmp,
             *shlex.split(os.environ.get("CFLAGS", "")), "-fsyntax-only",
             os.path.join(HERE, "abi_static.c")],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, encoding="utf-8")
    lines = [line for line in done.stdout.splitlines() if " error: " in line]
    return (lines or ["the compiler failed"]) if done.returncode else []


def changed(texts, name, old, new):
    """Returns a copy of the headers in which one thing is different."""
    text, count = re.subn(old, new, texts[name], count=1, flags=re.M)
    if not count:
        raise RuntimeError(f"{name} has no {old}")
    return dict(texts, **{name: text})


@check
def every_number_of_the_headers_is_in_the_table():
    return missing(headers(), table()) or \
        ([] if len(numbers(headers()["vsm_drm.h"])) > 400 else ["the headers were not understood"])


@check
def a_number_that_the_table_lacks_is_found():
    texts = headers()
    planted = (
        ("vsm_drm.h", r"^enum drm_vsm_op \{\n", r"\g<0>\tDRM_VSM_OP_NEW = 99,\n", "DRM_VSM_OP_NEW"),
        ("vsm_drm.h", r"^enum drm_vsm_mod \{\n", r"\g<0>\tDRM_VSM_MOD_NEW,\n", "DRM_VSM_MOD_NEW"),
        ("vsm_drm.h", r"^#define DRM_VSM_EXEC\b", r"#define DRM_VSM_NEW 0x20\n\g<0>", "DRM_VSM_NEW"),
        ("vsm_drm.h", r"^#define DRM_VSM_RED\b", r"#define DRM_VSM_NEW(a, b) \\\n\t((a) | (b))\n\g<0>",
         "DRM_VSM_NEW"),
        ("vsm_mbarrier.h", r"^#define VSM_SM_90_POISON", r"#define VSM_NEW\t(1ULL << 3)\n\g<0>",
         "VSM_NEW"),
        ("vsm_tensor.h", r"^\tDRM_VSM_TENSOR_OK = 0,\n", r"\g<0>\tDRM_VSM_TENSOR_NEW = 77,\n",
         "DRM_VSM_TENSOR_NEW"),
        ("vsm_drm.h", r"^struct drm_vsm_exec \{\n", r"\g<0>\t__u64 news[2];\n", "drm_vsm_exec.news"),
        ("vsm_drm.h", r"^\t\tstruct drm_vsm_copy_operands copy;\n", r"\g<0>\t\t__u64 news[5];\n",
         "drm_vsm_insn.u.news"),
        ("vsm_drm.h", r"^struct drm_vsm_exec \{\n", r"struct drm_vsm_new {\n\t__u64 a;\n};\n\n\g<0>",
         "drm_vsm_new"),
        ("vsm_drm.h", r"^#define DRM_IOCTL_VSM_EXEC\b",
         r"#define DRM_IOCTL_VSM_NEW \\\n\tDRM_IOW(DRM_COMMAND_BASE + 9, struct drm_vsm_exec)\n\g<0>",
         "DRM_IOCTL_VSM_NEW"),
    )
    unseen = []
    for name, old, new, number in planted:
        said = missing(changed(texts, name, old, new), table())
        if not any(f" {number} has" in line for line in said):
            unseen.append(f"{number} was not missed")
    return unseen


@check
def the_headers_are_what_the_table_says():
    return broken(headers())


@check
def what_the_table_does_not_say_is_found():
    texts = headers()
    planted = (
        ("vsm_drm.h", r"^(\tDRM_VSM_OP_EXIT) = 41,", r"\1 = 43,"),
        ("vsm_drm.h", r"^\tDRM_VSM_MODE_UNI = 3,\n", ""),
        ("vsm_drm.h", r"^(#define DRM_VSM_EXEC)\t\t0x04", r"\1 0x24"),
        ("vsm_drm.h", r"^(#define DRM_VSM_WAIT_THREAD.*)<< 16", r"\1<< 8"),
        ("vsm_drm.h", r"DRM_IOWR(\(DRM_COMMAND_BASE \+ DRM_VSM_SUBMIT,)", r"DRM_IOW\1"),
        ("vsm_drm.h", r"^(struct drm_vsm_wait \{\n\t__u32) (\w+);\n\t__u32 (\w+);",
         r"\1 \3;\n\t__u32 \2;"),
        ("vsm_drm.h", r"^(struct drm_vsm_sync \{\n(?:.*\n)*?)\t__u64 point;\n", r"\1"),
        ("vsm_drm.h", r"^struct drm_vsm_exec \{\n", r"\g<0>\t__u64 first;\n"),
        ("vsm_drm.h", r"^(struct drm_vsm_exec \{\n(?:.*\n)*?)\};", r"\1\t__u64 more;\n};"),
        ("vsm_drm.h", r"^(struct drm_vsm_barrier_operands \{\n(?:.*\n)*?)\};", r"\1\t__u64 more;\n};"),
        ("vsm_mbarrier.h", r"^(#define VSM_SHARED_RANK_SHIFT) 24", r"\1 20"),
        ("vsm_tensor.h", r"^(\tDRM_VSM_TENSOR_SIZE) = 10,", r"\1 = 60,"),
    )
    return [f"it may be that {old} becomes {new}" for name, old, new in planted
            if not broken(changed(texts, name, old, new))]


def main():
    print(f"1..{len(CHECKS)}")
    failed = False
    for number, function in enumerate(CHECKS, 1):
        try:
            problems = function()
        except (OSError, RuntimeError, KeyError, TypeError) as error:
            problems = [f"{type(error).__name__}: {error}"]
        failed |= bool(problems)
        print(f"{'not ok' if problems else 'ok'} {number} - abi: "
              f"{function.__name__.replace('_', ' ')}")
        for line in problems:
            print(f"# {line}")
        sys.stdout.flush()
    sys.exit(failed)


if __name__ == "__main__":
    main()
