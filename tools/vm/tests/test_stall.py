# SPDX-License-Identifier: MIT
"""Which stalls count: in texts of kernel logs, and in virtual machines."""

import os
import re
import signal
import subprocess
import tempfile
import time
import types

from harness import RUN, expect, read, test
import common
import guest
import log as logs

SOFT = "[   24.8] watchdog: BUG: soft lockup - CPU#1 stuck for %ds! [insmod:91]"
HUNG = "[   21.6] INFO: task insmod:91 blocked for more than %d seconds."
QUEUE = "[   61.2] BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for %ds!"


def rcu_self(seconds):
    return ["[   16.5] rcu: INFO: rcu_preempt self-detected stall on CPU",
            "[   16.6] rcu: \t1-....: (1430 ticks this GP) idle=0a94/1/0x4000000000000000",
            f"[   16.7] \t(t={seconds * 250} jiffies g=-467 q=17 ncpus=2)"]


def rcu_other(seconds):
    return ["[   16.5] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
            "[   16.6] rcu: \t0-...!: (1 GPs behind) idle=0d64/1/0x4000000000000000",
            f"[   16.7] \t(detected by 1, t={seconds * 250} jiffies, g=-139, q=2 ncpus=2)"]


def rcu_expedited(seconds):
    return ["[   16.5] rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 0-.... } "
            f"{seconds * 250} jiffies s: 77 root: 0x1/."]


KINDS = {"soft lockup": lambda s: [SOFT % s], "hung task": lambda s: [HUNG % s],
         "workqueue": lambda s: [QUEUE % s], "RCU, own": rcu_self, "RCU, other": rcu_other,
         "RCU, expedited": rcu_expedited}


class FakeHost:
    def __init__(self, share):
        self.share = share

    def sample(self):
        pass

    def lost(self, seconds):
        return seconds * self.share


def log_of(lines, share=0.0):
    """Returns a log with these lines. @share is the share of the time that the machine did not give
    to qemu, or a host."""
    with tempfile.NamedTemporaryFile("w", encoding="ascii") as f:
        f.write("".join(f"{line}\n" for line in lines))
        f.flush()
        log = logs.Log(f.name, 20, 250)
        log.host = share if isinstance(share, FakeHost) else FakeHost(share)
        log.found = log.complaints()
        return log


@test("unit")
def a_stall_of_the_limit_counts():
    for kind, lines in KINDS.items():
        expect(log_of(lines(22)).found == [0], kind)


@test("unit")
def a_stall_of_three_times_the_limit_ends_the_run():
    for kind, lines in KINDS.items():
        expect(not log_of(lines(59)).hung, kind)
        expect(log_of(lines(63)).hung, kind)


@test("unit")
def time_that_the_machine_took_does_not_count():
    for kind, lines in KINDS.items():
        expect(log_of(lines(22), 0.5).found == [], kind)
        expect(not log_of(lines(63), 0.5).hung, kind)


@test("unit")
def a_slow_machine_does_not_hide_a_long_stall():
    for kind, lines in KINDS.items():
        log = log_of(lines(22) + lines(90), 0.75)
        expect(log.found == [len(lines(22))], kind)
        expect(log.excused == {0}, kind)


@test("unit")
def a_stall_without_a_duration_counts():
    expect(log_of(rcu_self(1)[:1], 0.9).found == [0], "RCU")


class LosesUpTo(FakeHost):
    """A machine that did not give up to 20 seconds to qemu."""

    def lost(self, seconds):
        return min(seconds, 20)


@test("unit")
def each_stall_is_judged_by_its_own_duration():
    kinds = {**KINDS, "workqueue": lambda s: (
        QUEUE.replace(" stuck", "\n[   61.2]  stuck") % s).split("\n")}
    for kind, long in kinds.items():
        for other, short in kinds.items():
            if other == kind:
                continue
            # The short stall comes after the first line of the long one, which goes on then.
            first, *rest = long(50)
            log = log_of([first, *short(22), *rest], LosesUpTo(0))
            expect(log.found == [0] and log.excused == {1}, f"{other} in {kind}: {log.found}")
            first, *rest = short(22)
            log = log_of([first, *long(50), *rest], LosesUpTo(0))
            expect(log.found == [1] and log.excused == {0}, f"{kind} in {other}: {log.found}")


@test("unit")
def other_complaints_count_on_any_machine():
    lines = ["[    1.0] WARNING: CPU: 0 PID: 1 at x.c:1 f+0x0/0x1",
             "[    1.0] BUG: kernel NULL pointer dereference, address: 0000000000000000"]
    expect(log_of(lines, 1.0).found == [0, 1], "complaints")


@test("unit")
def a_stray_breakpoint_in_the_last_line_is_seen():
    with tempfile.NamedTemporaryFile("w", encoding="ascii") as f:
        f.write("[    3.8] Oops: int3: 0000 [#1] PREEMPT SMP NOPTI\n")
        f.flush()
        for tcg, smp in (True, 2), (True, 1), (False, 2):
            fake = types.SimpleNamespace(tcg=tcg, opts=types.SimpleNamespace(smp=smp),
                                         log=logs.Log(f.name, 20, 250))
            expect(guest.Guest.met_stray_breakpoint(fake) == (tcg and smp > 1), f"{tcg} {smp}")


@test("unit")
def a_stopped_process_loses_its_time():
    with subprocess.Popen(["sleep", "60"]) as proc:
        host = logs.Host(proc.pid)
        os.kill(proc.pid, signal.SIGSTOP)
        begin = time.monotonic()
        for _ in range(4):
            time.sleep(0.3)
            host.sample()
        lost = host.lost(time.monotonic() - begin)
        proc.kill()
    if logs.Host.measurable():
        expect(lost >= 0.6, f"{lost:.2f} of 1.2 s were lost")


@test("unit")
def a_sleeping_process_loses_nothing():
    with subprocess.Popen(["sleep", "60"]) as proc:
        host = logs.Host(proc.pid)
        taken = host.last[1]
        time.sleep(0.5)
        host.sample()
        # Subtract the steal time, which a virtual machine may lose to its host at any moment.
        lost = host.lost(1) - (host.last[1] - taken)
        proc.kill()
    expect(lost < 0.4, f"{lost:.2f} of 0.5 s were lost")


LIMIT = 4

def start(kernel, script, stall=LIMIT, more=()):
    return subprocess.Popen(
        [RUN, "--kernel", kernel, "--stall", str(stall), *more, "--no-stdin", "--", "sh", "-c",
         "stall() { insmod ${VSM_MODULE%/*}/vsm_stall.ko kind=$1 ms=$2 && rmmod vsm_stall; }\n" +
         script],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ends(proc, status, pattern):
    _, err = proc.communicate()
    expect(proc.returncode == status, f"status {proc.returncode}\n{err}")
    expect(re.search(pattern, err), f"no {pattern} in\n{err}")


def hangs(kernel, kind, pattern):
    ends(start(kernel, f"stall {kind} 3600000"), common.STATUS_FAILED,
         "the kernel has stalled: .*" + pattern)


# A task that waits for a work item on the processor that hangs is reported as hung. If there happens
# to be such a task, its report may come before the one about the processor.
VICTIM = "INFO: task kworker"


@test("stall")
def a_processor_that_does_not_schedule_fails_the_run(kernel):
    hangs(kernel, "preempt", f"(soft lockup|rcu: INFO|{VICTIM})")


@test("stall")
def a_processor_without_interrupts_fails_the_run(kernel):
    hangs(kernel, "irqs", f"(rcu: INFO|{VICTIM})")


@test("stall")
def a_task_that_cannot_be_woken_fails_the_run(kernel):
    hangs(kernel, "sleep", "INFO: task insmod")


@test("stall")
def a_short_stall_does_not_count(kernel):
    ends(start(kernel, "for kind in preempt irqs sleep; do stall $kind 2000 || exit; done", 20),
         0, "^$")


@test("stall")
def a_guest_that_gets_no_time_has_not_stalled(kernel):
    # This test stops the guest during a stall, for longer than the limit. Before and after the
    # stop, the guest runs for less than the limit. A processor that has written to the console
    # restarts its watchdog when the watchdog's timer runs next. The stop must come later than
    # that; so the other processor waits, and writes when it is time.
    limit, before, after = 12, 4, 3
    stop = limit + 4
    script = ("taskset -p 1 $$ > /dev/null; "
              f"stall preempt {1000 * (before + stop + after)} & "
              f"taskset 2 sh -c 'sleep {before} && echo stop now > /dev/kmsg'; wait $!")
    with tempfile.TemporaryDirectory() as tmp:
        log = os.path.join(tmp, "log")
        proc = start(kernel, script, limit, ["--keep-log", log])
        while proc.poll() is None and "stop now" not in read(log):
            time.sleep(0.02)
        with open(f"/proc/{proc.pid}/task/{proc.pid}/children", encoding="ascii") as f:
            child = int(f.read().split()[0])
        os.kill(child, signal.SIGSTOP)
        time.sleep(stop)
        os.kill(child, signal.SIGCONT)
        ends(proc, 0, "does not count.*(soft lockup|rcu: INFO)")


@test("debug")
def a_work_item_that_never_ends_fails_the_run(kernel):
    hangs(kernel, "work", "workqueue lockup")
