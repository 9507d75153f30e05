# SPDX-License-Identifier: MIT
"""Virtual machines that start with the state of one that has booted."""

import os
import subprocess
import time

import common
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
