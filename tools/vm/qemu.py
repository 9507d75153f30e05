# SPDX-License-Identifier: MIT
"""Starts QEMU, and finds out whether KVM works."""

import ctypes
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from common import CACHE, Failure, say
from initramfs import cpio


def die_with_parent():
    """Called in the child process before it becomes qemu. If the runner is killed, the kernel kills
    qemu too."""
    os.setpgid(0, 0)
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def qemu(arch, args, pass_fds=(), stderr=None, verbose=False):
    program = shutil.which(arch.qemu)
    if not program:
        raise Failure(f"{arch.qemu} is missing: install QEMU for {arch.name} (Debian: qemu-system-x86 or "
                      "qemu-system-arm, with apt-get install --no-install-recommends)")
    command = [program, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", *arch.machine,
               *args]
    if verbose:
        say(shlex.join(command))
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
                            pass_fds=pass_fds, preexec_fn=die_with_parent)


class Monitor:
    """Gives QEMU commands over a socket for QMP."""

    def __init__(self, qmp):
        qmp.settimeout(120)
        self.socket = qmp
        self.replies = qmp.makefile("rb")
        self.ask("qmp_capabilities")

    def ask(self, name, fds=(), **arguments):
        """Returns what the command returns. Raises OSError if QEMU refuses it or has ended."""
        socket.send_fds(self.socket, [json.dumps({"execute": name, "arguments": arguments}).encode()], fds)
        return self.wait(lambda reply: "return" in reply)["return"]

    def wait(self, is_it):
        while line := self.replies.readline():
            reply = json.loads(line)
            if "error" in reply:
                raise OSError("qemu: " + reply["error"]["desc"])
            if is_it(reply):
                return reply
        raise OSError("qemu has ended")


def cmdline(arch):
    """Returns the parameters that every guest gets."""
    return ("ignore_loglevel printk.devkmsg=on panic=-1 oops=panic mitigations=off random.trust_cpu=on "
            "nokaslr " + arch.cmdline)


def kvm_works(kernel, base):
    """Returns whether KVM works. On some machines /dev/kvm can be opened, but every virtual machine
    hangs. Therefore this boots one to try. The result is cached until this machine boots again."""
    if not kernel.arch.native or not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as f:
            boot = f.read().strip()
    except OSError:
        return False
    memo = os.path.join(CACHE, f"kvm-{boot}-{os.getuid()}")
    try:
        with open(memo, encoding="ascii") as f:
            known = f.read()
        # It is empty while another run writes it.
        if known in ("yes", "no"):
            return known == "yes"
    except OSError:
        pass
    answer = False
    with tempfile.TemporaryDirectory(prefix="vsm-vm.") as tmp:
        initrd, log = os.path.join(tmp, "initrd"), os.path.join(tmp, "log")
        with open(initrd, "wb") as f:
            f.write(base + cpio([("probe", 0o644, b"")]))
        proc = qemu(kernel.arch, ["-accel", "kvm", "-cpu", "host", "-m", "512", "-serial", f"file:{log}",
                     "-kernel", kernel.image, "-initrd", initrd, "-append", cmdline(kernel.arch)],
                    stderr=subprocess.DEVNULL)
        try:
            end = time.monotonic() + 5
            while time.monotonic() < end and proc.poll() is None and not answer:
                time.sleep(0.05)
                if os.path.exists(log):
                    with open(log, "rb") as f:
                        answer = b"vsm-vm: probe done" in f.read()
        finally:
            proc.kill()
            proc.wait()
    try:
        with open(memo, "w", encoding="ascii") as f:
            f.write("yes" if answer else "no")
    except OSError:
        pass        # the cache may belong to someone else
    return answer
