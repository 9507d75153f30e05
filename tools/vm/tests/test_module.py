# SPDX-License-Identifier: MIT
"""module.py and qemu.py: what goes into a virtual machine is built, and whether it may use KVM."""

import contextlib
import errno
import os
import types
from unittest import mock

from harness import Wrong, expect, ordinary_user, read, test, with_directory
import arch
import common
import initramfs
import module
import qemu


@test("unit")
@with_directory
def a_kernel_whose_name_make_would_expand_is_refused(tmp):
    for name in "kernel", "modules":
        for bad in f"$(shell touch {tmp}/made)", "a b", "it's", "a#":
            opts = types.SimpleNamespace(**{"kernel": "6.1", "modules": None, name: bad})
            try:
                module.make("vm-agent", types.SimpleNamespace(arch=arch.X86_64), opts)
            except common.Failure as failure:
                expect("make cannot use a path" in str(failure), str(failure))
            else:
                raise Wrong(f"{bad} is accepted")
    expect(not os.listdir(tmp), "the name of a kernel was executed")


# --- modules in the cache --------------------------------------------------------


@contextlib.contextmanager
def cache(tmp, kept):
    """Yields a function that builds the module of a name in a cache. It returns whether the module was
    built, and not there already."""
    program = os.path.join(tmp, "build-module")
    with open(program, "w", encoding="ascii") as f:
        f.write('#!/bin/sh\nmkdir -p "$2" && echo built >"$2/vsm.ko" && echo >>"${0%/*}/builds"\n')
    os.chmod(program, 0o755)
    builds = os.path.join(tmp, "builds")
    with open(builds, "w", encoding="ascii"):
        pass

    def build(name):
        before = os.path.getsize(builds)
        with mock.patch.object(module, "content", lambda *_: name):
            path = module.built(types.SimpleNamespace(release="9.9-x", headers="headers"), "source")
        expect(path == os.path.join(tmp, "modules", name, "vsm.ko") and os.path.exists(path), path)
        return os.path.getsize(builds) > before

    with mock.patch.multiple(module, CACHE=tmp, TOOLS=tmp, KEPT=kept, say=lambda text: None):
        yield build


def folders(tmp):
    return sorted(entry.name for entry in os.scandir(os.path.join(tmp, "modules")) if entry.is_dir())


@contextlib.contextmanager
def at_fsync(do):
    """Calls a function whenever a file is written to the disk, and demands that this happens."""
    real, calls = os.fsync, []

    def fsync(fd):
        calls.append(fd)
        do()
        real(fd)

    with mock.patch.object(os, "fsync", fsync):
        yield
    expect(calls, "nothing was written to the disk")


@test("unit")
@with_directory
def a_module_is_on_the_disk_before_it_counts_as_built(tmp):
    with cache(tmp, 2) as build, at_fsync(lambda: expect(
            sorted(os.listdir(f"{tmp}/modules/a")) == ["vsm.ko"], os.listdir(f"{tmp}/modules/a"))):
        build("a")
    expect(os.path.exists(f"{tmp}/modules/a/done"), "is not built")


@test("unit")
@with_directory
def a_file_of_the_cache_is_whole_or_not_there(tmp):
    path = f"{tmp}/file"
    with at_fsync(lambda: expect(not os.path.exists(path), "has its name too early")):
        initramfs.keep(path, b"text")
    expect(read(path) == "text", read(path))
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with mock.patch.object(os, "fsync", mock.Mock(side_effect=full)):
        try:
            initramfs.keep(f"{tmp}/other", b"text")
        except OSError as error:
            expect(error is full, str(error))
        else:
            raise Wrong("a full disk is no error")
    expect(os.listdir(tmp) == ["file"], os.listdir(tmp))


def last_used(tmp, **times):
    for name, time in times.items():
        os.utime(os.path.join(tmp, "modules", name), (time, time))


@test("unit")
@with_directory
def the_modules_that_were_used_last_are_kept(tmp):
    with cache(tmp, 2) as build:
        expect(build("a") and build("b"), "not built")
        last_used(tmp, a=1, b=2)
        expect(not build("a"), "built twice")
        expect(build("c") and folders(tmp) == ["a", "c"], folders(tmp))
        os.unlink(os.path.join(tmp, "modules/a/vsm.ko"))
        expect(build("a"), "a folder that was removed in part is used")


@test("unit")
@with_directory
def two_runs_may_remove_modules_at_once(tmp):
    with cache(tmp, 9) as build:
        for name in "a", "b", "c":
            build(name)
        last_used(tmp, a=1, b=2, c=3)
        top = os.path.join(tmp, "modules")
        scandir = os.scandir

        def other_run(path):
            if path != top:
                return scandir(path)
            entries = list(scandir(path))
            os.rename(os.path.join(top, "a"), os.path.join(tmp, "removed"))
            return entries

        with mock.patch.object(module, "KEPT", 1), mock.patch.object(os, "scandir", other_run):
            module.prune(top)
        expect(folders(tmp) == ["c"], folders(tmp))
        # A lock that was removed would let two runs build in one folder.
        expect({f"{name}.lock" for name in "abc"} <= set(os.listdir(top)), os.listdir(top))


@test("unit")
@with_directory
def a_module_that_another_run_uses_is_not_removed(tmp):
    with cache(tmp, 9) as build:
        for name in "a", "b", "c":
            build(name)
        last_used(tmp, a=1, b=2, c=3)
        top = os.path.join(tmp, "modules")
        locked = module.locked

        def used_meanwhile(folder, flags=0):
            if folder.endswith("b"):
                last_used(tmp, b=4)
            return locked(folder, flags)

        with locked(os.path.join(top, "a")), mock.patch.object(module, "KEPT", 1), \
                mock.patch.object(module, "locked", used_meanwhile):
            module.prune(top)
        expect(folders(tmp) == ["a", "b", "c"], folders(tmp))


@test("unit")
@with_directory
def a_module_in_a_cache_that_can_only_be_read_is_used(tmp):
    with cache(tmp, 2) as build:
        build("a")
        os.chmod(tmp, 0o755)
        with ordinary_user():
            if os.geteuid() == os.stat(tmp).st_uid:
                return      # this user can write to the cache
            expect(not build("a"), "built")
            try:
                build("b")
            except common.Failure as failure:
                expect("set VSM_CACHE" in str(failure), str(failure))
            else:
                raise Wrong("b was built")


# --- what is known about KVM -----------------------------------------------------


@test("unit")
@with_directory
def an_answer_about_kvm_counts_only_if_it_is_complete(tmp):
    class Tried(Exception):
        pass

    boot = read("/proc/sys/kernel/random/boot_id").strip()
    if not boot:
        return      # a bare chroot, in which nothing is known
    memo = f"{tmp}/kvm-{boot}-{os.getuid()}"
    found = types.SimpleNamespace(arch=types.SimpleNamespace(native=True), image="image")
    with mock.patch.object(os, "access", lambda *_: True), \
            mock.patch.multiple(qemu, CACHE=tmp, cmdline=str, qemu=mock.Mock(side_effect=Tried)):
        for text, answer in (("yes", True), ("no", False), ("", None)):
            with open(memo, "w", encoding="ascii") as f:
                f.write(text)
            try:
                seen = qemu.kvm_works(found, b"")
            except Tried:
                seen = None
            expect(seen is answer, f"{text!r}: {seen}")


# The end of a trial guest, as the agent says it on the serial line
DONE = "vsm-vm: probe done"


@contextlib.contextmanager
def machine(tmp, guest, device=True):
    """A machine that may have /dev/kvm, and whose QEMU runs the commands in @guest; $log is the file of
    the serial line. Yields a function that says whether KVM works, and how often QEMU has run."""
    native = next(each for each in arch.ARCHES if each.native)
    program, runs = os.path.join(tmp, native.qemu), os.path.join(tmp, "runs")
    with open(program, "w", encoding="ascii") as f:
        f.write('#!/bin/sh\nfor word; do case $word in file:*) log=${word#file:} ;; esac; done\n'
                f'echo "$*" >>"{runs}"\n{guest}\n')
    os.chmod(program, 0o755)
    with open(runs, "w", encoding="ascii"):
        pass
    access = os.access

    def works(which=native):
        answer = qemu.kvm_works(types.SimpleNamespace(arch=which, image="vmlinuz"), b"")
        with open(runs, encoding="ascii") as f:
            lines = f.readlines()
        expect(all("-accel kvm" in line for line in lines), lines)
        return answer, len(lines)

    with mock.patch.object(qemu, "CACHE", tmp), \
            mock.patch.dict(os.environ, PATH=f"{tmp}:{os.environ['PATH']}"), \
            mock.patch.object(os, "access", lambda path, mode: (
                device if path == "/dev/kvm" else access(path, mode))):
        yield works


@test("unit")
@with_directory
def kvm_is_used_after_a_trial_guest_has_booted(tmp):
    with machine(tmp, f'echo "{DONE}" >"$log"; exec sleep 60') as works:
        expect(works() == (True, 1), works())
        expect(works() == (True, 1), "the second run tries it again")


@test("unit")
@with_directory
def kvm_is_not_used_if_the_trial_guest_ends_early(tmp):
    with machine(tmp, 'echo "KVM: no such thing" >&2; exit 1') as works:
        expect(works() == (False, 1), works())
        expect(works() == (False, 1), "the second run tries it again")


@test("unit")
@with_directory
def kvm_is_not_used_if_the_trial_guest_hangs(tmp):
    with machine(tmp, 'echo "Linux version" >"$log"; exec sleep 60') as works:
        expect(works() == (False, 1), works())


@test("unit")
@with_directory
def kvm_is_not_tried_without_its_device_or_for_another_processor(tmp):
    with machine(tmp, "exit 1", device=False) as works:
        expect(works() == (False, 0), works())
    with machine(tmp, "exit 1") as works:
        expect(works(next(each for each in arch.ARCHES if not each.native)) == (False, 0), works())
