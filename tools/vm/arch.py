# SPDX-License-Identifier: MIT
"""Processors that guests can have: what QEMU and the kernel need for each."""

import os


class Arch:
    """@name: as `uname -m` prints it. @image: where a built tree has its kernel. @options: options that
    only these kernels need, with reasons. @machine, @cpu: for QEMU without KVM. @cmdline: parameters of
    the kernel."""

    def __init__(self, name, image, options, machine, cpu, cmdline):
        self.name = name
        self.image = image
        self.options = options
        self.machine = machine
        self.cpu = cpu
        self.cmdline = cmdline

    @property
    def native(self):
        return self.name == os.uname().machine

    @property
    def qemu(self):
        return f"qemu-system-{self.name}"

    @property
    def gdb(self):
        """How gdb calls the processor."""
        return "i386:x86-64" if self.name == "x86_64" else self.name

    @property
    def compiler(self):
        """The compiler for programs of the guest, if the one of this machine does not do."""
        return None if self.native else f"{self.name}-linux-gnu-gcc"


X86_64 = Arch("x86_64", "arch/x86/boot/bzImage", {"SERIAL_8250_CONSOLE": "the kernel log"}, [], "max",
              "console=ttyS0 tsc=reliable "
              # no5lvl: Linux 6.1 with KASAN crashes if an interrupt arrives while it detects
              # five-level paging. no_timer_check: on a busy machine the kernel may get its first
              # timer interrupts too late, and would panic because it assumes that the timer does
              # not work.
              "no5lvl no_timer_check")
# pauth-impdef: QEMU would spend much time on computing pointer authentication as processors do.
AARCH64 = Arch("aarch64", "arch/arm64/boot/Image", {"SERIAL_AMBA_PL011_CONSOLE": "the kernel log"},
               ["-machine", "virt"], "max,pauth-impdef=on", "console=ttyAMA0")
ARCHES = (X86_64, AARCH64)
