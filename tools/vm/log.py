# SPDX-License-Identifier: MIT
"""Judges the log of the guest's kernel: which lines fail a run, and which stalls count."""

import os
import re
import threading
import time

# Messages that the kernel prints when it has found a mistake. If the log has one of them, the run
# has failed, even if the command's status is 0.
COMPLAINTS = re.compile(
    r"WARNING:|BUG:|\bBUG at\b|\bOops\b|Kernel panic|general protection|"
    r"unable to handle|Unable to handle|"
    r"INFO: task .* blocked|rcu: INFO: |self-detected stall|detected stalls on|detected expedited stalls|"
    r"soft lockup|hard LOCKUP|workqueue lockup|"
    r"possible .*(recursive|circular) locking|circular locking dependency|"
    r"inconsistent lock state|lock held when returning|held lock freed|bad unlock balance|"
    r"irq lock inversion|suspicious RCU usage|non-static key|"
    r"invalid context|scheduling while atomic|"
    r"KASAN|KCSAN|KFENCE|UBSAN|KMSAN|ODEBUG|refcount_t:|list_(add|del) corruption|"
    r"kmemleak: .*(new suspected|disabled)|vsm-vm: leak|"
    r"nobody cared|Bad page|out of memory|Out of memory|"
    r"failed to validate module|Unknown symbol|disagrees about version")
# Lines that match COMPLAINTS but are not about a mistake of the driver. The kernel reports the
# beginning and the end of a stall; only the report of the beginning counts.
HARMLESS = re.compile(r"Spectre|MDS|mitigation|ignore_loglevel|vsm-vm: (end|probe)|"
                      r"Stall ended before state dump")

# What qemu makes of several processors while the kernel changes its code: one of them executes a
# breakpoint that is gone already.
STRAY_BREAKPOINT = re.compile(r"\bint3: 0000\b")

# Complaints that something takes too long: their kinds, what names the duration of each, and the
# unit of that number. For RCU, a later line has the duration. A line that is printed in several
# pieces, as those of workqueues, may be broken by a line of another processor.
STALLS = [(re.compile(kind), re.compile(duration), unit) for kind, duration, unit in (
    (r"soft lockup", r"soft lockup.* stuck for (\d+) ?s", "s"),
    (r"INFO: task .* blocked", r"INFO: task .* blocked for more than (\d+) ?s", "s"),
    (r"workqueue lockup", r" stuck for (\d+) ?s", "s"),
    (r"rcu: INFO: .* self-detected stall", r"\(t=(\d+) jiffies", "jiffies"),
    (r"rcu: INFO: .* detected stalls on CPUs", r"\(detected by \d+, t=(\d+) jiffies", "jiffies"),
    (r"rcu: INFO: .* expedited stalls", r"\} (\d+) jiffies s:", "jiffies"))]

# Kernel taints that fail a run: forced module load and unload, bad page, died, warned. The taint of
# a soft lockup is not included, because some soft lockups do not count (see judge_stall()).
BAD_TAINT = 1 << 1 | 1 << 3 | 1 << 5 | 1 << 7 | 1 << 9


class Host:
    """Measures how much time this machine did not give to a process, which is qemu.

    On a busy or suspended machine a virtual machine looks stalled although it is not, because its
    clock continues to run. Time counts as lost while a thread of qemu waits for a processor or a
    disk, or is stopped. If this machine is itself virtual, the time that its host took from it
    (steal) counts as lost too."""

    def __init__(self, pid):
        self.pid = pid
        self.last = self.look()
        self.samples = [(time.monotonic(), 0.0)]

    @staticmethod
    def measurable():
        return os.path.exists("/proc/self/schedstat")

    def look(self):
        threads, steal = {}, 0
        try:
            for tid in os.listdir(f"/proc/{self.pid}/task"):
                try:
                    with open(f"/proc/{self.pid}/task/{tid}/schedstat", encoding="ascii") as f:
                        ran, waited = [int(word) / 1e9 for word in f.read().split()[:2]]
                    with open(f"/proc/{self.pid}/task/{tid}/stat", encoding="utf-8",
                              errors="replace") as f:
                        state = f.read().rpartition(")")[2].split()[0]
                except (OSError, ValueError):
                    continue
                threads[tid] = ran, waited, state
            with open("/proc/stat", encoding="ascii") as f:
                steal = max(int(line.split()[8]) for line in f if re.match(r"cpu\d", line))
        except (OSError, ValueError, IndexError):
            pass
        return threads, steal / os.sysconf("SC_CLK_TCK")

    def sample(self):
        now, total = time.monotonic(), self.samples[-1][1]
        interval = now - self.samples[-1][0]
        if interval < 0.2:
            return
        (old, old_steal), (new, steal) = self.last, self.look()
        lost = busiest = 0
        for tid, (ran, waited, state) in new.items():
            if tid in old:
                busiest = max(busiest, ran - old[tid][0])
                lost = max(lost, interval if state in "DTt" else waited - old[tid][1])
        lost += max(0, steal - old_steal)
        if interval > 3:
            # The samples should be close together: this program did not get any time, either.
            lost = max(lost, interval - busiest)
        self.last = new, steal
        self.samples.append((now, total + min(lost, interval)))

    def lost(self, seconds):
        """Returns how many of the last @seconds were lost."""
        begin = time.monotonic() - seconds - 1
        before = [total for when, total in self.samples if when <= begin]
        return self.samples[-1][1] - (before[-1] if before else 0)


class Log:
    """The kernel log, which is read while the kernel writes it, and the complaints in it."""

    def __init__(self, path, limit, hz, show=None):
        """If there is @show, it is called with each line."""
        self.path = path
        self.show = show
        self.limit = limit
        self.hz = hz
        self.host = None
        self.lines = []
        self.excused = set()
        self.pending = {}
        self.hung = None
        self.used = 0
        self.lock = threading.Lock()

    def read(self):
        """Reads new lines. Returns all complete lines so far."""
        with self.lock:
            try:
                with open(self.path, "rb") as f:
                    f.seek(self.used)
                    data = f.read()
            except OSError:
                data = b""
            data = data[:data.rfind(b"\n") + 1]
            self.used += len(data)
            if self.host:
                self.host.sample()
            for line in data.decode(errors="replace").replace("\r", "").split("\n")[:-1]:
                self.lines.append(line.rstrip())
                if self.show:
                    self.show(self.lines[-1])
                self.judge_stall(len(self.lines) - 1)
            return list(self.lines)

    def watch(self, pid):
        self.host = Host(pid)

    def judge_stall(self, index):
        """Decides whether a stall counts. It does not count if this machine did not give qemu
        enough time."""
        line = self.lines[index]
        for stall in STALLS:
            kind, duration, unit = stall
            begins, found = kind.search(line), duration.search(line)
            if begins:
                # A stall of the same kind that still has no duration counts.
                self.pending[stall] = index
            if found and stall in self.pending:
                lasted = int(found[1]) / (self.hz if unit == "jiffies" else 1)
                self.judge_duration(self.pending.pop(stall), lasted)
            if begins or found:
                return

    def judge_duration(self, index, lasted):
        if self.host:
            lasted -= self.host.lost(lasted)
        # A real stall is still found later, because the kernel reports it again and again.
        if lasted < self.limit * 3 / 4:
            self.excused.add(index)
        elif lasted > self.limit * 3:
            self.hung = self.lines[index]

    def complaints(self):
        """Returns the indices of the lines because of which the run fails."""
        return [i for i, line in enumerate(self.read()) if i not in self.excused and
                COMPLAINTS.search(line) and not HARMLESS.search(line)]
