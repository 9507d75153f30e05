# SPDX-License-Identifier: MIT
"""What the files of the runner share: its name, where it is, how it fails, what it says and how it
takes signals. Other programs take the folder of the cache, the version and the signals from here.
tools/common.sh and tools/common.mk have the folder and the version for other languages."""

import errno
import os
import re
import select
import shutil
import signal
import sys
import threading
import time

# This folder, and the one with build-module and setup.sh.
HERE = os.path.dirname(os.path.realpath(__file__))
TOOLS = os.path.dirname(HERE)

# `make install` writes this file. It holds the version.
VERSION_FILE = os.path.join(HERE, "version")
INSTALLED = os.path.exists(VERSION_FILE)

# The folder with all that was fetched, and with what was built for kernels.
CACHE = os.environ.get("VSM_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME") or "/root", ".cache"), "vsm")

# How messages and help call the runner.
NAME = "vsm-vm" if INSTALLED else "vm/run"
COMMAND = "vsm-vm" if INSTALLED else "tools/vm/run"

STATUS_TIMEOUT = 124
STATUS_FAILED = 125
STATUS_NOT_FOUND = 127


def version(tree=os.path.dirname(TOOLS)):
    """Returns the version of vsm of a source tree, or of this installation."""
    if INSTALLED:
        with open(VERSION_FILE, encoding="ascii") as f:
            return f.read().strip()
    with open(os.path.join(tree, "userlib/vsm.h"), encoding="utf-8") as f:
        return re.search(r'^#define VSM_VERSION "(.*)"$', f.read(), re.M)[1]


def not_found(command):
    """Returns why there is no command of this name, or None. Nothing boots for a mistyped name."""
    there = os.path.exists(command) if "/" in command else shutil.which(command, os.F_OK)
    return None if there else f"{command}: {os.strerror(errno.ENOENT)}"


class Failure(Exception):
    """The run failed, and the command's status is not the reason."""

    def __init__(self, text, status=STATUS_FAILED):
        super().__init__(text)
        self.status = status


def start_thread(target, *args):
    """Starts a thread that gets no signals. If it got one of two signals, the main thread might see the
    other one first. Returns the thread."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        thread = threading.Thread(target=target, args=args, daemon=True)
        thread.start()
        return thread
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Interrupted(BaseException):
    def __init__(self, signum):
        super().__init__(signum)
        self.signum = signum


class Signals:
    """Calls act(number) in a thread for each signal that comes and has a handler.

    Python runs a handler between two steps of the main thread. If a signal comes just before a system
    call that blocks, its handler waits until the call returns, and the call may never return. But
    Python writes the number of the signal to a pipe at once. The thread reads this pipe.

    Signals that come before start() are not lost. end() returns when the thread has acted on all that
    have come before."""

    def __init__(self, act):
        self.act = act
        self.pipe = os.pipe()
        os.set_blocking(self.pipe[1], False)
        signal.set_wakeup_fd(self.pipe[1], warn_on_full_buffer=False)
        self.thread = None

    def start(self):
        self.thread = start_thread(self.run)

    def end(self):
        signal.set_wakeup_fd(-1)
        os.set_blocking(self.pipe[1], True)
        os.write(self.pipe[1], bytes(1))
        self.thread.join()

    def run(self):
        while number := os.read(self.pipe[0], 1)[0]:
            self.act(number)


def interrupt_on(numbers):
    """From now on, the first of these signals that comes raises Interrupted in the main thread. Later
    ones are ignored: they must not interrupt the cleanup."""
    came = []

    def handle(number, _frame):
        came.append(number)
        if len(came) == 1:
            raise Interrupted(number)

    def repeat(number):
        # The main thread may have blocked before the handler ran.
        while number in numbers and not came:
            signal.pthread_kill(threading.main_thread().ident, number)
            time.sleep(0.1)

    Signals(repeat).start()
    for number in numbers:
        signal.signal(number, handle)


def pass_on(fd, data):
    """Writes output of a command."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view):]
        except BlockingIOError:
            select.select([], [fd], [])
        except BrokenPipeError:
            # Without a virtual machine, the command would die of SIGPIPE here.
            raise Interrupted(signal.SIGPIPE) from None


class Screen:
    """Standard error. A terminal in raw mode needs a carriage return in each line."""

    newline = "\n"

    @classmethod
    def print(cls, text):
        sys.stderr.write(text.replace("\n", cls.newline) + cls.newline)
        sys.stderr.flush()


def say(text):
    Screen.print(f"{NAME}: {text}")
