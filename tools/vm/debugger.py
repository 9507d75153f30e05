# SPDX-License-Identifier: MIT
"""Connects gdb with the guest's kernel (--gdb)."""

import os
import re
import shutil

from common import Failure, say
from qemu import Monitor


def find_vmlinux(kernel):
    """Returns the kernel with symbols: of a built tree, or of a package with symbols. May be None."""
    release = kernel.release
    places = [os.path.join(kernel.modules, "vmlinux"),
              os.path.join(os.path.dirname(kernel.image), f"vmlinux-{release}"),
              os.path.join(os.path.dirname(kernel.image), "vmlinux"),
              *(os.path.join("/usr/lib/debug", path) for path in (
                  f"boot/vmlinux-{release}", f"lib/modules/{release}/vmlinux"))]
    return next(filter(os.path.exists, places), None)


def quote(path):
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


# Sections with symbols that stay in memory, other than .text.
SYMBOLS = re.compile(r"\.(text\.|data\b|rodata$|bss$|exit\.|ref\.)")


class Debugger:
    """The side of the runner. @folder is private, so that no other user can connect."""

    def __init__(self, kernel, module, folder):
        self.kernel = kernel
        self.module = module
        self.socket = os.path.join(folder, "gdb.socket")
        self.script = os.path.join(folder, "gdb.script")

    def arguments(self):
        """Returns the arguments for QEMU."""
        return ["-chardev", f"socket,id=gdb,path={self.socket},server=on,wait=off", "-gdb", "chardev:gdb"]

    def commands(self, sections):
        """Returns the commands for gdb. @sections has the addresses of vsm.ko's sections."""
        vmlinux = find_vmlinux(self.kernel)
        lines = ["set confirm off", "set pagination off"]
        if vmlinux:
            lines.append(f"file {quote(vmlinux)}")
        else:
            lines.append(f"set architecture {self.kernel.arch.gdb}")
        if ".text" in sections:
            lines.append(f"add-symbol-file {quote(self.module)} {sections['.text']}" + "".join(
                f" -s {name} {address}" for name, address in sorted(sections.items())
                if SYMBOLS.match(name)))
        return [*lines, "set confirm on", "set pagination on", f"target remote {self.socket}"]

    def wait(self, monitor, text):
        """Stops the guest, and says how to connect. @text has "section address" in each line."""
        try:
            Monitor(monitor).ask("stop")
        except OSError as error:
            raise Failure(f"the guest could not be stopped for gdb: {error}") from None
        sections = dict(line.split() for line in text.splitlines())
        with open(self.script, "w", encoding="utf-8") as f:
            f.write("".join(f"{line}\n" for line in self.commands(sections)))
        if not find_vmlinux(self.kernel):
            say(f"there is no vmlinux of Linux {self.kernel.release} with symbols (Debian: "
                f"linux-image-{self.kernel.release}-dbg); gdb knows only the symbols of vsm.ko")
        if not shutil.which("gdb"):
            say("gdb is not installed")
        say("the guest waits before COMMAND starts. Connect from another terminal:")
        say(f"    gdb -x {self.script}")
        say("`continue` in gdb starts COMMAND")
