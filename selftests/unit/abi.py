#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the headers of the uAPI with the table of their numbers.

    abi.py check    prints TAP; compiles with CC and CFLAGS
    abi.py release  seals the table for the version in vsm_drm.h, which is released now

abi.tbl has every number of the headers. The compiler compares them in abi_static.c. This script
checks that the table lacks no number, that it has a seal for each earlier version, and that no row
above a seal has changed: a released number can neither change nor go away. Each check also runs on
wrong headers and tables, and must find the mistake.
"""

import hashlib
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
FIRST = (0, 4)  # the first version that has a seal

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
        found.add(f"{name}.{member}" if kind in ("OFFSET", "PAD") else name)
    return found


def missing(texts, text):
    have = rows(text)
    return [f"{name}: {number} has no row in abi.tbl" for name in texts
            for number in numbers(texts[name]) if number not in have]


def version(texts):
    return tuple(int(re.search(rf"^#define DRM_VSM_ABI_{part} (\d+)$", texts["vsm_drm.h"], re.M)[1])
                 for part in ("MAJOR", "MINOR"))


def digest(lines):
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def seals(text):
    """Returns the seals of a table: {version: (its digest, digest of the rows above it)}."""
    found, above = {}, []
    for line in re.findall(r"^[A-Z]+\(.*$", text, re.M):
        seal = re.match(r"RELEASED\((\d+), (\d+), 0x(\w+)\)", line)
        if seal:
            found[int(seal[1]), int(seal[2])] = (seal[3], digest(above))
        else:
            above.append(line)
    return found


def unsealed(texts, text):
    """Returns what is wrong with the seals of a table for these headers."""
    major, minor = version(texts)
    first = FIRST[1] if major == FIRST[0] else 0
    have = seals(text)
    return [f"version {major}.{n} is released and has no seal (see abi.py release)"
            for n in range(first, minor) if (major, n) not in have] + \
        [f"a row of version {major}.{minor} has changed"
         for (major, minor), (seal, rows_above) in have.items() if seal != rows_above]


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
def each_earlier_version_is_sealed():
    return unsealed(headers(), table()) or \
        ([] if FIRST in seals(table()) else [f"no seal of {FIRST[0]}.{FIRST[1]}"])


@check
def a_broken_or_missing_seal_is_found():
    major, minor = version(headers())
    later = minor + 1
    without = re.sub(rf"^RELEASED\({major}, {minor}, .*\n", "", table(), flags=re.M)
    texts = changed(headers(), "vsm_drm.h", r"^(#define DRM_VSM_ABI_MINOR) \d+$", rf"\1 {later}")
    planted = (
        (r"^(VALUE\(DRM_VSM_OP_EXIT), 41\)", r"\1, 43)"),
        (r"^VALUE\(DRM_VSM_MODE_UNI, 3\)\n", ""),
        (r"^(SIZE\(drm_vsm_insn, 64\)\n)", r"VALUE(DRM_VSM_NEW, 1)\n\1"),
        (r"^RELEASED\(.*\n", ""),
    )
    return ([] if unsealed(texts, without) else [f"{major}.{minor} may be without a seal"]) + \
        [f"it may be that {old} becomes {new}" for old, new in planted
         if not unsealed(headers(), re.sub(old, new, table(), count=1, flags=re.M))]


@check
def the_headers_are_what_the_table_says():
    return broken(headers())


@check
def what_changes_a_released_version_is_found():
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
        ("vsm_drm.h", r"^(struct drm_vsm_barrier_operands \{\n(?:.*\n)*?)\};", r"\1\t__u64 more;\n};"),
        ("vsm_mbarrier.h", r"^(#define VSM_SHARED_RANK_SHIFT) 24", r"\1 20"),
        ("vsm_tensor.h", r"^(\tDRM_VSM_TENSOR_SIZE) = 10,", r"\1 = 60,"),
    )
    return [f"it may be that {old} becomes {new}" for name, old, new in planted
            if not broken(changed(texts, name, old, new))]


@check
def what_a_later_version_may_add_is_no_change():
    texts = headers()
    planted = (
        ("vsm_drm.h", r"^(enum drm_vsm_op \{\n(?:.*\n)*?)\};", r"\1\tDRM_VSM_OP_NEW = 4242,\n};"),
        ("vsm_drm.h", r"^(struct drm_vsm_exec \{\n(?:.*\n)*?)\};", r"\1\t__u64 more;\n};"),
        ("vsm_drm.h", r"^(struct drm_vsm_submit \{\n(?:.*\n)*?\t__u32) pad;", r"\1 named;"),
        ("vsm_drm.h", r"^(#define DRM_VSM_ABI_MINOR) \d+", r"\1 77"),
    )
    return [line for name, old, new in planted
            for line in broken(changed(texts, name, old, new))]


def run_checks():
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
    return failed


def release():
    major, minor = version(headers())
    lines = missing(headers(), table()) or unsealed(headers(), table())
    if lines:
        sys.exit("\n".join(lines))
    if (major, minor) in seals(table()):
        sys.exit(f"{major}.{minor} has its seal: what is released does not change")
    above = [row for row in re.findall(r"^[A-Z]+\(.*$", table(), re.M)
             if not row.startswith("RELEASED")]
    with open(TABLE, "a", encoding="utf-8") as f:
        f.write(f"\nRELEASED({major}, {minor}, 0x{digest(above)})\n")


def main():
    if sys.argv[1:] == ["check"]:
        sys.exit(run_checks())
    if sys.argv[1:] == ["release"]:
        release()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
