#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the ABI of libvsm and libvsm-ffi with that of the last release, whose dumps are
abi/libvsm-VERSION.abi and abi/libvsm-ffi-VERSION.abi.

    abi.py check    prints TAP; the environment variable CC names the compiler
    abi.py release  replaces the dumps of the last release by those of this version, to release it

libabigail compares the ABIs. A program that was built for the last release must run with this
library, or the library must have another SONAME. Structures of libvsm may grow, because callers
pass their size. Structures of libvsm-ffi must not grow, because its functions pass them by value.

abi.py check also tests itself: it plants changes in copies of the library, and checks that it finds
exactly the incompatible ones.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

USERLIB = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(USERLIB), "tools/vm"))
import common  # noqa: E402

UAPI = os.path.join(os.path.dirname(USERLIB), "uapi")
DUMPS = os.path.join(USERLIB, "abi")
PUBLIC = ("userlib/vsm.h", "userlib/vsm_insn.h", "uapi/drm/vsm_drm.h", "uapi/drm/vsm_inject.h",
          "uapi/drm/vsm_mbarrier.h", "uapi/drm/vsm_tensor.h", "uapi/drm/vsm_trace.h")

# Structures whose size the caller gives. They may grow at their end.
GROW = ("drm_vsm_device_info", "drm_vsm_event_fault", "drm_vsm_inject_rule",
        "drm_vsm_insn", "drm_vsm_sync", "drm_vsm_wait", "drm_vsm_wait_record",
        "vsm_cluster_config", "vsm_tensor_config", "vsm_thread")
SUPPRESSIONS = f"""[suppress_type]
  type_kind = struct
  name_regexp = ^({'|'.join(GROW)})$
  has_data_member_inserted_at = end
  has_size_change = yes
"""


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          encoding="utf-8")
    return done.returncode, done.stdout


class Abi:
    """A dump: its path, the SONAME and version of its library, and its symbols with their nodes."""

    def __init__(self, path, version):
        self.path = path
        self.version = version
        text = read(path)
        self.soname = re.search(r"<abi-corpus [^>]*\bsoname='([^']*)'", text)[1]
        self.symbols = dict(re.findall(r"<elf-symbol name='(\w+)' version='([^']+)'", text))
        self.nodes = set(self.symbols.values())


class Copy:
    """A copy of the library and the uAPI, which tests may change."""

    def __init__(self, tmp, name):
        self.top = os.path.join(tmp, name)
        shutil.copytree(USERLIB, os.path.join(self.top, "userlib"),
                        ignore=shutil.ignore_patterns("abi"))
        shutil.copytree(UAPI, os.path.join(self.top, "uapi"))
        # userlib/Makefile includes this file.
        os.mkdir(os.path.join(self.top, "tools"))
        shutil.copy(os.path.join(os.path.dirname(USERLIB), "tools/common.mk"),
                    os.path.join(self.top, "tools"))

    def change(self, name, old, new):
        path = os.path.join(self.top, name)
        text, count = re.subn(old, new, read(path), count=1, flags=re.M)
        if not count:
            raise RuntimeError(f"{name} has no {old}")
        write(path, text)

    def build(self):
        """Returns the dumps of libvsm and of libvsm-ffi."""
        userlib = os.path.join(self.top, "userlib")
        status, said = run(os.environ.get("MAKE", "make"), "-s", "--no-print-directory", "-C", userlib,
                           "libvsm", f"CC={os.environ.get('CC', 'cc')}", "CFLAGS=-O0 -g",
                           "LDFLAGS=")
        if status:
            raise RuntimeError(f"the library does not build: {said}")
        # abidw drops all types that are not declared in a header of this folder.
        public = os.path.join(self.top, "public")
        os.mkdir(public)
        for name in PUBLIC:
            shutil.copy(os.path.join(self.top, name), public)
        return self.dump(public, "SONAME"), self.dump(public, "FFI_SONAME")

    def dump(self, public, name):
        makefile = read(os.path.join(self.top, "userlib/Makefile"))
        soname = re.search(rf"^{name} := (\S+)$", makefile, re.M)[1]
        path = os.path.join(self.top, f"{name}.abi")
        status, said = run("abidw", "--headers-dir", public, "--drop-private-types",
                           "--exported-interfaces-only", "--no-corpus-path", "--no-comp-dir-path",
                           "--no-show-locs", "--short-locs", "--no-elf-needed", "--no-parameter-names",
                           "--no-write-default-sizes", "--no-architecture", "--out-file", path,
                           os.path.join(self.top, "build/userlib", soname))
        if status:
            raise RuntimeError(f"abidw: {said}")
        return Abi(path, common.version(self.top))


def difference(old, new, tmp, allowed=SUPPRESSIONS):
    """The lines of abidiff about incompatible changes; none if there are no such changes."""
    suppressions = os.path.join(tmp, "suppressions")
    write(suppressions, allowed)
    status, said = run("abidiff", "--suppressions", suppressions, "--no-added-syms", old.path,
                       new.path)
    return said.splitlines() or [f"abidiff ended with status {status}"] if status else []


def number(soname):
    return int(soname.rsplit(".", 1)[1])


def problems(old, new, tmp):
    """The reasons why library @new must not be released after library @old."""
    if new.soname != old.soname:
        node = "VSM_" + ".".join(new.version.split(".")[:2])
        wrong = []
        if number(new.soname) != number(old.soname) + 1:
            wrong.append(f"the next SONAME after {old.soname} is libvsm.so.{number(old.soname) + 1}")
        if new.version == old.version:
            wrong.append("raise VSM_VERSION: another SONAME is another version")
        if old.nodes & new.nodes:
            wrong.append(f"name the nodes of libvsm.map anew, beginning with {node}: the nodes of "
                         f"{old.soname} are {', '.join(sorted(old.nodes))}")
        if node not in new.nodes:
            wrong.append(f"libvsm.map has no node {node}")
        return wrong

    wrong = difference(old, new, tmp)
    if wrong:
        wrong.append(f"programs built for libvsm {old.version} do not run with this library. Either "
                     f"undo that, or raise SONAME to libvsm.so.{number(old.soname) + 1}, VSM_VERSION, "
                     "and the node in libvsm.map, and describe it in Documentation/library.rst")
    added = sorted(new.symbols.keys() - old.symbols.keys())
    wrong += [f"{name} is new and in {new.symbols[name]}, which is released: give it a later node"
              for name in added if new.symbols[name] in old.nodes]
    if added and new.version == old.version:
        wrong.append(f"raise VSM_VERSION: {old.version} had no {added[0]}")
    return wrong


def ffi_problems(old, new, tmp):
    """problems() for libvsm-ffi, without its symbol nodes, which are those of libvsm."""
    following = f"libvsm-ffi.so.{number(old.soname) + 1}"
    if new.soname != old.soname:
        wrong = [] if new.soname == following else [
            f"the next SONAME after {old.soname} is {following}"]
        if new.version == old.version:
            wrong.append("raise VSM_VERSION: another SONAME is another version")
        return wrong
    wrong = difference(old, new, tmp, "")
    if wrong:
        wrong.append(f"programs built for libvsm-ffi {old.version} do not run with this library. "
                     f"Either undo that, or raise FFI_SONAME to {following}, and describe it in "
                     "Documentation/library.rst")
    return wrong


def last_release(library="libvsm"):
    paths = glob.glob(os.path.join(DUMPS, f"{library}-[0-9]*.abi"))
    if len(paths) != 1:
        raise RuntimeError(f"there are {len(paths)} dumps of {library} in {DUMPS}, not one")
    return Abi(paths[0], re.search(rf"{library}-(.*)\.abi$", paths[0])[1])


def next_version(copy, node):
    copy.change("userlib/vsm.h", r'^(#define VSM_VERSION) ".*"', r'\1 "99.0.0"')
    with open(os.path.join(copy.top, "userlib/libvsm.map"), "a", encoding="utf-8") as f:
        f.write(f"\n{node} {{\nglobal:\n\tvsm_new;\n}} {last_node()};\n")
    copy.change("userlib/vsm.h", r"^void vsm_device_info_sized\(", r"int vsm_new(int a);\n\n\g<0>")
    copy.change("userlib/text.c", r"\Z", "\nint vsm_new(int a)\n{\n\treturn a;\n}\n")


def last_node():
    return re.findall(r"^(VSM_[\d.]+) \{$", read(os.path.join(USERLIB, "libvsm.map")), re.M)[-1]


def compatible(copy):
    """Changes that are compatible, as a later version may have them."""
    next_version(copy, "VSM_99.0")
    copy.change("uapi/drm/vsm_drm.h", r"^(struct drm_vsm_device_info \{\n(?:.*\n)*?)\};",
                r"\1\t__u64 added;\n};")
    for name in ("vsm_cluster_config", "vsm_thread"):
        copy.change("userlib/vsm.h", rf"^(struct {name} \{{\n(?:.*\n)*?)\}};",
                    r"\1\tuint64_t added;\n};")
        copy.change("userlib/struct.c", rf"^ENDS_WITH\({name}, \w+\)", f"ENDS_WITH({name}, added)")
    copy.change("uapi/drm/vsm_drm.h", r"^(enum drm_vsm_policy \{\n(?:.*\n)*?)\};",
                r"\1\tDRM_VSM_POLICY_ADDED = 15,\n};")


# Incompatible changes: file, old text, new text, and a pattern that abidiff prints about it.
INCOMPATIBLE = (
    ("uapi/drm/vsm_drm.h", r"^(struct drm_vsm_device_info \{\n)", r"\1\t__u64 in_front;\n", "in_front"),
    ("uapi/drm/vsm_drm.h", r"^(struct drm_vsm_tensor_map \{\n(?:.*\n)*?)\};", r"\1\t__u64 fixed;\n};",
     "fixed"),
    ("uapi/drm/vsm_mbarrier.h", r"^(\tVSM_LAYOUT_SM_80) = 1,", r"\1 = 2,", "VSM_LAYOUT_SM_80"),
    ("userlib/vsm.h", r"^(struct vsm_thread \{\n(?:.*\n)*?\t)uint16_t cta;", r"\1uint32_t cta;",
     "vsm_thread::cta|cta"),
    ("userlib/vsm.h", r"^uint64_t (vsm_buffer_size)", r"uint32_t \1", "vsm_buffer_size"),
    ("userlib/buffer.c", r"^uint64_t (vsm_buffer_size)", r"uint32_t \1", "vsm_buffer_size"),
    ("userlib/libvsm.map", r"^\tvsm_fault_name;\n", "", "vsm_fault_name"),
)


def incompatible(copy):
    for name, old, new, _ in INCOMPATIBLE:
        copy.change(name, old, new)


def check_ffi(present, later, tmp):
    """check() for libvsm-ffi."""
    old = last_release("libvsm-ffi")
    yield f"it may follow {old.soname} of version {old.version}", ffi_problems(old, present, tmp)
    yield "libvsm-ffi is compatible with itself", ffi_problems(present, present, tmp)
    said = "\n".join(ffi_problems(present, later, tmp))
    yield "a structure of libvsm-ffi that grows is found", [
        f"{word} is not found" for word in
        ("drm_vsm_device_info", "vsm_cluster_config", "vsm_thread", "raise FFI_SONAME")
        if word not in said]
    later.soname = f"libvsm-ffi.so.{number(present.soname) + 1}"
    yield "with another SONAME libvsm-ffi's structures may grow", ffi_problems(present, later, tmp)
    later.soname = f"libvsm-ffi.so.{number(present.soname) + 2}"
    yield "a skipped SONAME of libvsm-ffi is found", [] if ffi_problems(present, later, tmp) else [
        "it is not found"]


def check(tmp):
    """Yields the name of each test and the list of its errors."""
    present, present_ffi = Copy(tmp, "present").build()
    old = last_release()
    yield f"it may follow {old.soname} of version {old.version}", problems(old, present, tmp)
    yield "a library is compatible with itself", problems(present, present, tmp)

    copy = Copy(tmp, "later")
    compatible(copy)
    later, later_ffi = copy.build()
    yield "compatible additions are accepted", problems(present, later, tmp)
    yield from check_ffi(present_ffi, later_ffi, tmp)

    # Put the compatible additions in a node that is already released.
    released = Abi(later.path, present.version)
    released.symbols["vsm_new"] = sorted(present.nodes)[-1]
    said = "\n".join(problems(present, released, tmp))
    yield "an addition to a released node or version is found", [
        word for word in ("vsm_new is new", "raise VSM_VERSION") if word not in said]

    copy = Copy(tmp, "broken")
    incompatible(copy)
    broken, _ = copy.build()
    said = "\n".join(problems(present, broken, tmp))
    yield "incompatible changes are found", [
        f"{word} is not found" for *_, word in INCOMPATIBLE if not re.search(word, said)] + \
        ([] if "raise SONAME" in said else ["it does not say what to do"])

    # With another SONAME all these changes are allowed, if the version and the nodes change, too.
    broken.soname = f"libvsm.so.{number(present.soname) + 1}"
    said = "\n".join(problems(present, broken, tmp))
    broken.version = "98.0.0"
    broken.nodes = {"VSM_98.0"}
    yield "another SONAME needs another version and other nodes", [
        word for word in ("raise VSM_VERSION", "name the nodes") if word not in said] + \
        problems(present, broken, tmp)
    broken.soname = f"libvsm.so.{number(present.soname) + 2}"
    yield "a skipped SONAME is found", [] if problems(present, broken, tmp) else ["it is not found"]


def run_checks():
    if not shutil.which("abidw") or not shutil.which("abidiff"):
        print("1..1\nok 1 - libvsm's ABI # SKIP there is no libabigail (abigail-tools)")
        return False
    results = []
    with tempfile.TemporaryDirectory() as tmp:
        try:
            results.extend(check(tmp))
        except (OSError, RuntimeError, TypeError) as error:
            results.append(("the check runs to its end", [f"{type(error).__name__}: {error}"]))
    print(f"1..{len(results)}")
    for count, (what, wrong) in enumerate(results, 1):
        print(f"{'not ok' if wrong else 'ok'} {count} - libvsm's ABI: {what}")
        for line in wrong:
            print(f"# {line}")
    return any(wrong for _, wrong in results)


def release():
    version = common.version()
    with tempfile.TemporaryDirectory() as tmp:
        old = last_release(), last_release("libvsm-ffi")
        if version in (old[0].version, old[1].version):
            sys.exit(f"{version} is already released, and a release does not change")
        new = Copy(tmp, "present").build()
        wrong = problems(old[0], new[0], tmp) + ffi_problems(old[1], new[1], tmp)
        if wrong:
            sys.exit("\n".join(wrong))
        for library, before, now in zip(("libvsm", "libvsm-ffi"), old, new):
            path = os.path.join(DUMPS, f"{library}-{version}.abi")
            os.remove(before.path)
            shutil.move(now.path, path)
            print(path)


def main():
    if sys.argv[1:] == ["check"]:
        sys.exit(run_checks())
    if sys.argv[1:] == ["release"]:
        release()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
