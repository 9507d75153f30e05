# SPDX-License-Identifier: MIT
"""Options of the runner, without a virtual machine."""

import os
import re
import subprocess
import unittest.mock

from harness import HERE, OPTIONS, RUN, called, expect, test, unpacked, with_directory
import common
import debugger
import kernel
import options
import terminal


@test("unit")
def the_number_of_processors_is_an_option():
    for words, default, smp in (((), None, 2), (("--icount",), None, 1), (("--icount", "--smp", "2"), None, 2),
                                (("--smp", "4"), None, 4), ((), "3", 3), (("--smp", "4"), "3", 4)):
        with unittest.mock.patch.dict(os.environ, {"VSM_VM_SMP": default} if default else {}):
            if not default:
                os.environ.pop("VSM_VM_SMP", None)
            opts, _ = options.parse([*words, "--", "true"])
        expect(opts.smp == smp, f"{words}, VSM_VM_SMP={default}: {opts.smp} processors")


@test("unit")
def wrong_arguments_are_refused():
    for words, what in (
            ([], "no command"), (["--"], "no command"),
            (["--fast", "--", "true"], "unrecognized arguments: --fast"),
            (["--shell"], "--shell needs a terminal"), (["--shell", "--stdin"], "--shell takes no --stdin"),
            (["--shell", "--no-stdin", "--", "sh"], "--shell takes no --stdin"),
            (["--kernel", "6.1", "--modules", "/tmp", "--", "true"], "--modules needs the file of a kernel"),
            (["--icount", "--accel", "kvm", "--", "true"], "--icount needs tcg"),
            (["--join", "./x"], "'./x' is no process ID; write -- before COMMAND"),
            (["--join", "--fetch", "file", "--", "true"], "--join takes no option but --shell"),
            (["--smp", "0", "--", "true"], "must be at least 1"),
            (["--stall", "3", "--", "true"], "must be from 4 to 120")):
        status, out, err = called(*words)
        expect(status == common.STATUS_FAILED and not out and re.search(what, err),
               f"{words}: status {status}\n{err}")


@test("unit")
def nothing_is_built_for_a_command_that_is_missing():
    for command in ("nofile", "./nofile", "/nofile"):
        status, out, err = called("--kernel", "/nokernel", "--", command)
        expect(status == common.STATUS_NOT_FOUND and not out and err == f"vm/run: {command}: No such file or directory\n",
               f"status {status}\n{err}")


@test("unit")
def only_a_program_without_a_person_has_a_time_out():
    for words, limit in ((), 600), (("--gdb",), 0), (("--gdb", "--timeout", "5"), 5), (("--timeout", "0"), 0):
        opts, _ = options.parse([*words, "--", "true"])
        expect(opts.timeout == limit, f"{words}: {opts.timeout}")


@test("unit")
def help_and_man_page_name_the_same_options():
    for program, described_in, some in (
            (RUN, "options.py", {"--shell", "--qemu-arg", "--verbose", "--help"}),
            (os.path.join(HERE, "../ci/run"), "../ci/run", {"--results", "--timeline", "--help"})):
        _, shown, _ = called("--help", program=program)
        status, page, err = called(os.path.join(HERE, described_in), program=os.path.join(HERE, "man.py"))
        expect(status == 0, err)
        named = set(re.findall(r"(?m)^  (?:-\w, )?(--[a-z-]+)", shown.partition("\nFiles:")[0]))
        expect(some <= named, shown)
        described = {name.replace("\\-", "-") for name in
                     re.findall(r"(?m)^\.TP\n.*\\fB(\\-\\-[a-z\\-]+)\\fP", page)}
        expect(named == described, f"only one has {named ^ described}")
        made = subprocess.run(["groff", "-ww", "-man", "-Tutf8", "-z"], input=page, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        expect(made.returncode == 0 and not made.stdout, made.stdout)


# --- --gdb and --shell -----------------------------------------------------------------


SECTIONS = {".text": "0x10", ".init.text": "0x20", ".text.unlikely": "0x30", ".data": "0x40", ".bss": "0x50",
            ".data..read_mostly": "0x60", ".note.Linux": "0x70", ".rodata": "0x80", ".rodata.str1.1": "0x90",
            ".symtab": "0xa0"}


@test("unit")
@with_directory
def gdb_gets_the_symbols_of_the_kernel_and_of_the_module(tmp):
    package = unpacked(os.path.join(tmp, 'a "b"'), OPTIONS)
    found = kernel.Kernel(package)
    module = os.path.join(tmp, "vsm.ko")
    lines = debugger.Debugger(found, module, tmp).commands(SECTIONS)
    expect(f'add-symbol-file "{module}" 0x10 -s .bss 0x50 -s .data 0x40 -s .data..read_mostly 0x60 '
           "-s .rodata 0x80 -s .text.unlikely 0x30" in lines, lines)
    expect(lines[-1] == f"target remote {tmp}/gdb.socket", lines)
    expect(not any(line.startswith("file ") for line in lines), "there is no vmlinux")
    with open(os.path.join(package, "boot/vmlinux-9.9-x"), "w", encoding="ascii"):
        pass
    lines = debugger.Debugger(found, None, tmp).commands({})
    quoted = package.replace('"', '\\"')
    expect(f'file "{quoted}/boot/vmlinux-9.9-x"' in lines, lines)
    expect(not any(line.startswith("add-symbol-file") for line in lines), "there is no module")


@test("unit")
def the_escape_key_ends_a_shell_if_it_is_pressed_three_times_in_a_second():
    key = bytes([terminal.ESCAPE])
    for keys, ends in (([key * 3], True), ([key, key, key], True), ([key * 2], False),
                       ([key * 2, b"x", key], False), ([key * 2 + b"x" + key], False),
                       ([b"x" + key * 4], True), ([key * 3 + b"x"], False)):
        window = terminal.Terminal(None)
        expect([window.typed(part) for part in keys][-1] == ends, keys)
    window = terminal.Terminal(None)
    window.typed(key * 2)
    window.escapes = [when - 1 for when in window.escapes]
    expect(not window.typed(key), "the keys were pressed in more than a second")
