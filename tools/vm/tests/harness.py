# SPDX-License-Identifier: MIT
"""What the tests share."""

import functools
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
TOP = os.path.dirname(os.path.dirname(HERE))
RUN = os.path.join(HERE, "run")

sys.path.insert(0, HERE)

# The tests of each part, in the order in which they are defined.
TESTS = {"unit": [], "guest": [], "stall": [], "debug": []}


def test(part):
    def add(function):
        TESTS[part].append(function)
        return function
    return add


class Wrong(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Wrong(what)


def with_directory(function):
    @functools.wraps(function)
    def wrapped(*arguments):
        with tempfile.TemporaryDirectory() as tmp:
            function(*arguments, tmp)
    return wrapped


def unpacked(directory, options, release="9.9-x", modules="lib/modules"):
    """Makes a folder like that of an unpacked kernel package, with only the files that kernel.py
    reads."""
    os.makedirs(os.path.join(directory, "boot"))
    os.makedirs(os.path.join(directory, modules, release))
    for name, text in ((f"vmlinuz-{release}", ""),
                       (f"config-{release}", "".join(f"CONFIG_{o}=y\n" for o in options))):
        with open(os.path.join(directory, "boot", name), "w", encoding="ascii") as f:
            f.write(text)
    return directory


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def called(*arguments, program=RUN, **more):
    """Runs the runner, or another program. Returns its status, standard output and error."""
    done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, text=True, **more)
    return done.returncode, done.stdout, done.stderr

