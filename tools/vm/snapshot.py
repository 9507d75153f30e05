# SPDX-License-Identifier: MIT
"""Keeps a virtual machine that has booted, so that later ones need not boot.

The agent tells the runner when all that depends on the command is still to come: vsm.ko, the files of
this machine, the environment. At this moment QEMU writes the state of the machine to a file of the
cache. A later virtual machine of the same kind starts with this state. The agent then sets the clock and
the random numbers of its kernel, which would be old."""

import contextlib
import hashlib
import os
import shutil
import tempfile
import time

from common import CACHE
from qemu import Monitor

# How many states are kept: more than .ci/run needs. One takes about 100 MB, and three times that with KASAN.
KEPT = 16


def stamp(path):
    st = os.stat(path)
    return f"{path} {st.st_size} {st.st_mtime_ns}"


def digest_of(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


class Snapshot:
    """The state of a virtual machine of some kind. @kind names all that the state depends on."""

    def __init__(self, kind):
        self.folder = os.path.join(CACHE, "booted")
        self.path = os.path.join(self.folder, hashlib.sha256("\0".join(kind).encode()).hexdigest()[:24])

    def restore(self, log):
        """Returns a file with the state, or None. If there is a state, copies the log of its boot to @log."""
        try:
            state = open(self.path, "rb")  # pylint: disable=consider-using-with
        except OSError:
            return None
        try:
            shutil.copyfile(self.path + ".log", log)
        except OSError:
            state.close()
            with open(log, "wb"):
                pass
            return None
        # trim() keeps the states that were used last. The cache may belong to someone else.
        with contextlib.suppress(OSError):
            os.utime(self.path)
        return state

    def take(self, qmp, log):
        """Writes the state of a virtual machine, and lets the machine continue. @qmp is a socket for QMP. @log
        is the path of the machine's log. If the state cannot be written, none is kept and the machine
        continues. Raises OSError if QEMU has ended."""
        monitor = Monitor(qmp)
        # QEMU may refuse a command. The cache may belong to someone else, or be full.
        with contextlib.suppress(OSError):
            self.write(monitor, log)
        # QEMU stops a machine before it writes the last part of the state. No event says when the machine
        # may continue.
        while (status := monitor.ask("query-status")["status"]) == "finish-migrate":
            time.sleep(0.01)
        if status == "postmigrate":
            monitor.ask("cont")

    def write(self, monitor, log):
        monitor.ask("migrate-set-capabilities", capabilities=[{"capability": "events", "state": True}])
        monitor.ask("migrate-set-parameters", **{"max-bandwidth": 1 << 40})
        os.makedirs(self.folder, exist_ok=True)
        fd, path = tempfile.mkstemp(dir=self.folder)
        try:
            monitor.ask("getfd", [fd], fdname="state")
            monitor.ask("migrate", uri="fd:state")
            event = monitor.wait(lambda reply: reply.get("event") == "MIGRATION" and
                                 reply["data"]["status"] in ("completed", "failed"))
            if event["data"]["status"] == "completed":
                os.fchmod(fd, 0o644)
                os.fsync(fd)
                shutil.copyfile(log, path + ".log")
                os.rename(path + ".log", self.path + ".log")
                os.rename(path, self.path)
        finally:
            os.close(fd)
            self.delete(path)
        self.trim()

    def trim(self):
        states = [entry for entry in os.scandir(self.folder) if not entry.name.endswith(".log")]
        for entry in sorted(states, key=lambda e: -e.stat().st_mtime)[KEPT:]:
            Snapshot.delete(entry.path)

    @staticmethod
    def delete(path):
        # Another run may have removed them.
        for name in (path, path + ".log"):
            with contextlib.suppress(OSError):
                os.unlink(name)

    def remove(self):
        """Removes the state: a machine that started with it did not work."""
        self.delete(self.path)
