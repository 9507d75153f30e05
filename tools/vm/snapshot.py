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

# How many states are kept. One takes about 100 MB, and three times that with KASAN.
KEPT = 8


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
        """Returns a file with the state, or None. If there is one, writes the log of its boot to @log."""
        try:
            shutil.copyfile(self.path + ".log", log)
            state = open(self.path, "rb")  # pylint: disable=consider-using-with
            # The states that were used last are kept.
            os.utime(self.path)
        except OSError:
            return None
        return state

    def take(self, end, log):
        """Writes the state of a virtual machine, which continues. @end is a socket for QMP, @log is the
        path of the machine's log. If no state can be written, the next machine boots, too."""
        monitor = Monitor(end)
        monitor.ask("migrate-set-capabilities", capabilities=[{"capability": "events", "state": True}])
        monitor.ask("migrate-set-parameters", **{"max-bandwidth": 1 << 40})
        path = None
        # The cache may belong to someone else, or be full.
        with contextlib.suppress(OSError):
            os.makedirs(self.folder, exist_ok=True)
            fd, path = tempfile.mkstemp(dir=self.folder)
            monitor.ask("getfd", [fd], fdname="state")
            os.close(fd)
            monitor.ask("migrate", uri="fd:state")
            end = monitor.wait(lambda reply: reply.get("event") == "MIGRATION" and
                               reply["data"]["status"] in ("completed", "failed"))
            if end["data"]["status"] == "completed":
                shutil.copyfile(log, self.path + ".log")
                os.rename(path, self.path)
            self.trim()
        if path and os.path.exists(path):
            os.unlink(path)
        # QEMU has stopped a machine whose state it has written. No event says when it may continue.
        while (status := monitor.ask("query-status")["status"]) == "finish-migrate":
            time.sleep(0.01)
        if status == "postmigrate":
            monitor.ask("cont")

    def trim(self):
        states = [entry for entry in os.scandir(self.folder) if not entry.name.endswith(".log")]
        for entry in sorted(states, key=lambda e: -e.stat().st_mtime)[KEPT:]:
            Snapshot.delete(entry.path)

    @staticmethod
    def delete(path):
        for name in (path, path + ".log"):
            if os.path.exists(name):
                os.unlink(name)

    def remove(self):
        """The state does not work."""
        self.delete(self.path)
