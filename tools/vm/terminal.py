# SPDX-License-Identifier: MIT
"""The caller's terminal, while a program in the guest has it (--shell)."""

import fcntl
import signal
import struct
import termios
import threading
import time
import tty

from common import Screen, say, start_thread

# This key (Ctrl-]), pressed as often as this within one second, ends the virtual machine.
ESCAPE, TIMES = 0x1d, 3


class Terminal:
    """Puts the terminal into raw mode. All keys then go to the guest, whose terminal acts on them."""

    def __init__(self, resized):
        """@resized is called with rows and columns when the size of the window changes."""
        self.resized = resized
        self.resizing = threading.Lock()
        self.escapes = []
        self.saved = None

    @staticmethod
    def size():
        """Returns rows and columns."""
        try:
            return struct.unpack("HHHH", fcntl.ioctl(1, termios.TIOCGWINSZ, bytes(8)))[:2]
        except OSError:
            return 0, 0

    def resize(self):
        with self.resizing:
            self.resized(*self.size())

    def enter(self):
        say("this is a virtual machine; exit leaves it, and so does Ctrl-] pressed three times")
        # The handler must not wait: its thread may be about to send, or hold what the sender waits for.
        signal.signal(signal.SIGWINCH, lambda *_: start_thread(self.resize))
        self.saved = termios.tcgetattr(0)
        tty.setraw(0, termios.TCSADRAIN)
        Screen.newline = "\r\n"
        self.resize()       # the window may have changed before

    def leave(self):
        signal.signal(signal.SIGWINCH, signal.SIG_DFL)
        try:
            termios.tcsetattr(0, termios.TCSADRAIN, self.saved)
        except termios.error:
            pass        # the window is closed
        Screen.newline = "\n"

    def typed(self, data):
        """Returns whether the escape key was pressed often enough, the last time in @data."""
        now = time.monotonic()
        for key in data:
            self.escapes = [*self.escapes, now][-TIMES:] if key == ESCAPE else []
        return len(self.escapes) == TIMES and self.escapes[-1] - self.escapes[0] <= 1
