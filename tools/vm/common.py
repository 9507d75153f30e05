# SPDX-License-Identifier: MIT
"""What the files of the runner share: its name, where it is, how it fails and what it says."""

import os
import sys

# This folder, and the one with build-module and setup.sh.
HERE = os.path.dirname(os.path.realpath(__file__))
TOOLS = os.path.dirname(HERE)

# `make install` writes this file. It holds the version.
VERSION_FILE = os.path.join(HERE, "version")
INSTALLED = os.path.exists(VERSION_FILE)

# How messages and help call the runner.
NAME = "vsm-vm" if INSTALLED else "vm/run"
COMMAND = "vsm-vm" if INSTALLED else "tools/vm/run"

STATUS_TIMEOUT = 124
STATUS_FAILED = 125


class Failure(Exception):
    """The run failed, and the command's status is not the reason."""

    def __init__(self, text, status=STATUS_FAILED):
        super().__init__(text)
        self.status = status


class Interrupted(BaseException):
    def __init__(self, signum):
        super().__init__(signum)
        self.signum = signum


class Screen:
    """Standard error. A terminal in raw mode needs a carriage return in each line."""

    newline = "\n"

    @classmethod
    def print(cls, text):
        sys.stderr.write(text.replace("\n", cls.newline) + cls.newline)
        sys.stderr.flush()


def say(text):
    Screen.print(f"{NAME}: {text}")
