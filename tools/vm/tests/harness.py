# SPDX-License-Identifier: MIT
"""What tests share, those of tools/ci and of tools/setup.sh, too."""

import collections
import contextlib
import functools
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
TOP = os.path.dirname(os.path.dirname(HERE))
RUN = os.path.join(HERE, "run")

sys.path.insert(0, HERE)
import kernel  # noqa: E402

# What a kernel for x86 needs.
OPTIONS = {*kernel.GUEST_OPTIONS, *kernel.MODULE_OPTIONS, *kernel.X86_64.options}

# The tests of each part, in the order in which they are defined.
TESTS = collections.defaultdict(list)


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


def run(tests, *arguments):
    """Runs tests with these arguments, and prints TAP. Returns whether one has failed."""
    print(f"1..{len(tests)}", flush=True)
    failed = False
    for number, function in enumerate(tests, 1):
        try:
            function(*arguments)
            print(f"ok {number} {function.__name__}", flush=True)
        except (Wrong, OSError, subprocess.CalledProcessError) as error:
            failed = True
            text = str(error).strip().replace("\n", "\n# ")
            print(f"# {text}\nnot ok {number} {function.__name__}", flush=True)
    return failed


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


NOBODY = 65534


@contextlib.contextmanager
def ordinary_user():
    """Takes the privileges of root away for a while."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def kernel_folder(name, tmp):
    """Copies a kernel and the modules that a guest needs into a folder. Returns the paths of the kernel
    and of the folder of the modules."""
    found = kernel.Kernel(name)
    folder = os.path.join(tmp, "lib/modules", found.release)
    os.makedirs(folder)
    image = os.path.join(tmp, "bzImage")
    shutil.copyfile(found.image, image)
    for file in ("modules.builtin", "modules.order"):
        shutil.copyfile(os.path.join(found.modules, file), os.path.join(folder, file))
    for name, data in found.closure([*kernel.GUEST_MODULES, "vgem"]):
        path = os.path.join(folder, found.entry(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
    return image, os.path.join(tmp, "lib/modules")


def called(*arguments, program=RUN, **more):
    """Runs the runner, or another program. Returns its status, standard output and error."""
    done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, text=True, **more)
    return done.returncode, done.stdout, done.stderr

