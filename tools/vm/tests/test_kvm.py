# SPDX-License-Identifier: MIT
"""KVM is used only after a trial guest has booted with it."""

import contextlib
import os
import types
from unittest import mock

from harness import expect, test, with_directory
import arch
import qemu

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
