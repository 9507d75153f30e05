# SPDX-License-Identifier: MIT
"""Virtual machines that start with the state of one that has booted."""

import os
import socket
import subprocess
import threading
import time
import types

import common
import guest
from harness import RUN, expect, test, with_directory

# What is different in each machine, though their states were the same.
SCRIPT = "cat /proc/sys/kernel/random/boot_id; head -c 16 /dev/urandom | od -An -tx1; date +%s.%N"


def start(kernel, cache, *more):
    """Returns whether a guest started with a state, what its command printed, and what the runner said."""
    done = subprocess.run([RUN, "--kernel", kernel, "--accel", "tcg", "--no-module", "--no-stdin", "-v", *more,
                           "--", "sh", "-c", SCRIPT],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True,
                          env={**os.environ, "VSM_CACHE": cache})
    expect(not done.returncode, f"status {done.returncode}\n{done.stderr}")
    expect("] Linux version " in done.stderr, "the log does not begin with the boot")
    boot_id, numbers, now = done.stdout.split("\n")[:3]
    expect(abs(time.time() - float(now)) < 20, f"the clock is wrong: {now}")
    return " -incoming " in done.stderr, (boot_id, numbers), done.stderr


def cache_without_states(tmp):
    for name in os.listdir(common.CACHE):
        if name != "booted":
            os.symlink(os.path.join(common.CACHE, name), os.path.join(tmp, name))


def states(cache):
    folder = os.path.join(cache, "booted")
    return [os.path.join(folder, name) for name in os.listdir(folder)]


@test("guest")
@with_directory
def a_guest_need_not_boot_if_one_of_its_kind_has(kernel, tmp):
    cache_without_states(tmp)
    # Nothing can be written there.
    os.symlink("/proc", os.path.join(tmp, "booted"))
    expect(not start(kernel, tmp)[0], "starts with a state that is not there")
    os.unlink(os.path.join(tmp, "booted"))
    first = start(kernel, tmp)
    expect(not first[0], "starts with a state that is not there")
    kept = states(tmp)
    expect(len(kept) == 2 and any(path.endswith(".log") for path in kept), f"keeps {kept}")
    second, third = start(kernel, tmp), start(kernel, tmp)
    expect(second[0] and third[0], "boots again")
    expect(len({*first[1], *second[1], *third[1]}) == 6, "random numbers are the same")
    expect(not start(kernel, tmp, "--boot")[0], "--boot does not boot")
    expect(not start(kernel, tmp, "--mem", "900M")[0], "another kind of machine has the same state")
    expect(len(states(tmp)) == 4, f"keeps {states(tmp)}")


@test("guest")
@with_directory
def a_state_that_does_not_work_is_removed(kernel, tmp):
    cache_without_states(tmp)
    start(kernel, tmp)
    state = next(path for path in states(tmp) if not path.endswith(".log"))
    os.truncate(state, os.stat(state).st_size // 2)
    said = start(kernel, tmp)[2]
    expect("boots again" in said, said)
    expect(start(kernel, tmp)[0], "the new state is not used")


class FakeSnapshot:
    def __init__(self):
        self.calls = []

    def take(self, _qmp, _log):
        self.calls.append("take")

    def remove(self):
        self.calls.append("remove")


def waiting_guest(**more):
    """Returns a guest that waits after its boot, and the guest's end of its port. No virtual machine runs."""
    machine = object.__new__(guest.Guest)
    machine.ctl, ctl = socket.socketpair()
    log = types.SimpleNamespace(path="", complaints=lambda: [], excused=set(), read=lambda: [])
    values = {"snapshot": FakeSnapshot(), "restored": False, "continued": False, "ended": False, "ready": False,
              "proc": True, "qmp": None, "sending": threading.Lock(), "log": log, "deadline": None, "tcg": True,
              "partial": bytearray(), "explaining": False, "opts": types.SimpleNamespace(smp=2), **more}
    for name, value in values.items():
        setattr(machine, name, value)
    return machine, ctl


@test("unit")
def a_state_with_a_stall_that_does_not_count_is_not_kept():
    for excused, calls in (set(), ["take"]), ({3}, []):
        machine, _ = waiting_guest()
        machine.log.excused = excused
        machine.let_continue()
        expect(machine.snapshot.calls == calls, f"{excused}: {machine.snapshot.calls}")
    machine, _ = waiting_guest()
    machine.snapshot.take = lambda *_: machine.log.excused.add(3)
    machine.let_continue()
    expect(machine.snapshot.calls == ["remove"], f"a stall while it is written: {machine.snapshot.calls}")


@test("unit")
def a_guest_boots_again_only_if_its_state_does_not_work():
    def ends(continued, restored=True):
        machine, ctl = waiting_guest(restored=restored, continued=continued, answers=time.monotonic() + 60)
        ctl.close()
        try:
            machine.converse()
        except common.Failure:
            pass
        dropped = machine.drop_bad_state()
        expect(machine.snapshot.calls == ["remove"] * dropped, f"{machine.snapshot.calls}")
        return machine.may_boot_again(dropped)

    expect(ends(False), "a state that does not work fails the run")
    # A panic of vsm.ko while it is loaded fails the run.
    expect(not ends(True), "boots again after an end that the state is not to blame for")
    expect(not ends(False, restored=False), "boots again though there was no state")


@test("unit")
def a_state_that_does_not_answer_does_not_work():
    machine, _ctl = waiting_guest(restored=True, answers=time.monotonic() + 0.1)
    try:
        machine.converse()
        expect(False, "got a result")
    except common.Failure:
        expect(machine.may_boot_again(machine.drop_bad_state()), "the run fails")
    machine, _ctl = waiting_guest(restored=True, continued=True, answers=0, deadline=time.monotonic() + 0.1)
    machine.opts.timeout = 0.1
    try:
        machine.converse()
        expect(False, "got a result")
    except common.Failure as failure:
        expect("timed out" in str(failure), f"ended because it has answered long ago: {failure}")
