# SPDX-License-Identifier: MIT
"""Builds what goes into the guest: vsm.ko and the init program ("agent").

In the source tree, make builds both. An installed runner has the agent beside it and the sources of
the module in PREFIX/src. It builds vsm.ko in the cache, in a folder for the content of the sources and
the headers."""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys

from common import CACHE, HERE, INSTALLED, TOOLS, Failure, say, version
from kernel import TOP

# Folders of built modules that are kept.
KEPT = 20


def make(target, kernel, opts):
    """Makes a target of the Makefile, and returns the last line that make prints: the path of the
    file. What make fetches and builds is shown on standard error."""
    modules = opts.modules or ""
    for path in opts.kernel, modules:
        # make would expand or split these.
        bad = re.search(r"[\s$'#]", path)
        if bad:
            raise Failure(f"{path}: make cannot use a path that contains {bad[0]!r}")
    env = {k: v for k, v in os.environ.items()
           if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "GNUMAKEFLAGS", "MAKEOVERRIDES")}
    made = subprocess.run(
        ["make", "-s", "--no-print-directory", "-C", TOP, target, f"KERNEL={opts.kernel}",
         f"MODULES={modules}", f"VM_ARCH={'' if kernel.arch.native else kernel.arch.name}"],
        env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    text = made.stdout.decode(errors="replace")
    if made.returncode:
        sys.stderr.write(text)
        raise Failure(f"make {target} failed")
    return text.splitlines()[-1]


def agent(kernel, opts):
    """Returns the path of the guest's init program."""
    compiler = kernel.arch.compiler
    if INSTALLED:
        if compiler:
            raise Failure(f"{kernel.name} is a kernel for {kernel.arch.name}, which only tools/vm/run in the "
                          "source tree can boot on this machine")
        return os.path.join(HERE, "agent")
    if compiler and not shutil.which(compiler):
        raise Failure(f"{kernel.name} is a kernel for {kernel.arch.name}, and {compiler} is missing: install "
                      "a compiler (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross)")
    return make("vm-agent", kernel, opts)


def vsm_ko(kernel, opts):
    """Returns the path of the vsm.ko for a kernel."""
    if not INSTALLED:
        return make("vm-module", kernel, opts)
    source = os.path.join(os.path.dirname(os.path.dirname(TOOLS)), f"src/vsm-{version()}")
    if not os.path.exists(os.path.join(source, "Kbuild")):
        raise Failure(f"the sources of vsm.ko are not in {source}: install them (Debian: vsm-dkms), or "
                      "give a built module (--ko)")
    return built(kernel, source)


def content(source, kernel):
    """Returns a name for all that vsm.ko is made of."""
    key = hashlib.sha256()
    names = sorted(os.path.relpath(os.path.join(where, name), source)
                   for where, _, files in os.walk(source) for name in files)
    for path in [*(os.path.join(source, name) for name in names), os.path.join(TOOLS, "build-module"),
                 os.path.join(kernel.need_headers(), "Module.symvers")]:
        with open(path, "rb") as f:
            data = f.read()
        key.update(f"{os.path.relpath(path, source)} {len(data)}\0".encode() + data)
    key.update("\0".join([kernel.release, kernel.headers, os.environ.get("CC", "")]).encode())
    return key.hexdigest()[:24]


def locked(folder, flags=0):
    """Locks a folder of a built module. The file of the lock stays: two runs that lock two files of
    the same name would both build in the folder."""
    lock = open(folder + ".lock", "w", encoding="ascii")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | flags)
    except OSError:
        lock.close()
        raise
    return lock


def prune(top):
    """Removes all folders but the KEPT ones that were used last."""
    def used(folder):
        try:
            return os.stat(folder).st_mtime_ns
        except FileNotFoundError:
            return 0        # another run has removed it

    times = {entry.path: used(entry.path) for entry in os.scandir(top) if entry.is_dir()}
    for folder in sorted(times, key=times.get, reverse=True)[KEPT:]:
        try:
            lock = locked(folder, fcntl.LOCK_NB)
        except BlockingIOError:
            continue        # another run builds in it, or looks whether the module is built
        with lock:
            if used(folder) == times[folder]:
                shutil.rmtree(folder, ignore_errors=True)


def built(kernel, source):
    """Builds vsm.ko in the cache, unless it is there. The folder keeps the sources, for gdb."""
    folder = os.path.join(CACHE, "modules", content(source, kernel))
    module, done = os.path.join(folder, "vsm.ko"), os.path.join(folder, "done")
    try:
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        lock = locked(folder)
    except OSError as error:
        if os.path.exists(done):
            return module       # this user can only read the cache
        raise Failure(f"vsm.ko cannot be built in {CACHE}: {error.strerror}: set VSM_CACHE to a directory "
                      "that you can write to, or give a built module (--ko)") from None
    with lock:
        if os.path.exists(done) and os.path.exists(module):
            # prune() keeps what was used last. The folder may be that of another user.
            with contextlib.suppress(PermissionError):
                os.utime(folder)
            return module
        say(f"building vsm.ko for Linux {kernel.release}")
        shutil.rmtree(folder, ignore_errors=True)
        compiler = [f"CC={os.environ['CC']}"] if os.environ.get("CC") else []
        made = subprocess.run(
            [os.path.join(TOOLS, "build-module"), kernel.headers, folder, "-s", *compiler],
            env={**os.environ, "VSM_SOURCE": source}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if made.returncode:
            sys.stderr.write(made.stdout.decode(errors="replace"))
            raise Failure(f"vsm.ko cannot be built for Linux {kernel.release}")
        for where, _, files in os.walk(folder):
            for name in files:
                if name.endswith((".o", ".cmd", ".mod", ".mod.c")):
                    os.unlink(os.path.join(where, name))
        with open(module, "rb") as f:
            # If the machine stops after this, the module does not turn out to be empty.
            os.fsync(f.fileno())
        with open(done, "w", encoding="ascii"):
            pass
    prune(os.path.dirname(folder))
    return module
