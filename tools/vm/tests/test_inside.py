# SPDX-License-Identifier: MIT
"""Looks inside of a virtual machine: --shell, --gdb, --verbose, other kernels and arguments for QEMU."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from harness import RUN, called, expect, kernel_folder, test, with_directory
import common
import kernel as kernels

# Seconds after which a step counts as hung.
HANGS = 300


class Session:
    """The runner in a terminal of its own."""

    def __init__(self, *arguments, rows=33, columns=91):
        self.terminal, other = pty.openpty()
        self.before = termios.tcgetattr(other)
        self.resize(rows, columns)
        self.proc = subprocess.Popen([RUN, *arguments], stdin=other, stdout=other, stderr=other,
                                     start_new_session=True,
                                     preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.other = other
        self.text = ""

    def resize(self, rows, columns):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read(self):
        if select.select([self.terminal], [], [], 0.1)[0]:
            self.text += os.read(self.terminal, 4096).decode(errors="replace")

    def wait_for(self, pattern):
        """Waits for text on the terminal. Drops the text up to its end."""
        end = time.monotonic() + HANGS
        while not (found := re.search(pattern, self.text)):
            if time.monotonic() > end or self.proc.poll() is not None:
                self.proc.kill()
                expect(False, f"no {pattern} in\n{self.text}")
            self.read()
        self.text = self.text[found.end():]
        return found

    def ends(self, status):
        while self.proc.poll() is None:
            self.read()
        expect(self.proc.returncode == status, f"status {self.proc.returncode}\n{self.text}")
        # Of the modes, only those that raw mode changes count: the kernel sets flags of its own.
        expect(termios.tcgetattr(self.other)[:4] == self.before[:4], "the terminal stays raw")
        os.close(self.other)
        os.close(self.terminal)


@test("guest")
def a_shell_has_the_callers_terminal(kernel):
    shell = Session("--kernel", kernel, "--no-module", "--shell", "--", "sh")
    shell.wait_for("virtual machine; exit leaves it")
    # What the shell prints differs from what is typed, because the terminal shows that, too.
    shell.type("tty && stty size && echo on''e\n")
    shell.wait_for(r"/dev/pts/0\r\n33 91\r\none\r\n")
    shell.resize(40, 100)
    shell.type("until [ \"$(stty size)\" = '40 100' ]; do :; done; echo resi''zed\n")
    shell.wait_for("resized")
    shell.type("sh -c 'trap \"exit 7\" INT; echo rea\"\"dy; while :; do :; done'; echo sta''tus $?\n")
    shell.wait_for("ready")
    shell.type("\x03")
    shell.wait_for("status 7")
    # More than the terminal of the guest takes at once.
    shell.type("wc -c\n" + ("x" * 1000 + "\n") * 100 + "\x04")
    shell.wait_for("\r\n100100\r\n")
    shell.type("exit 5\n")
    shell.ends(5)


@test("guest")
def a_terminal_ends_with_the_program_that_has_it(kernel):
    shell = Session("--kernel", kernel, "--no-module", "--shell", "--", "sh", "-c",
                    "sleep 1000 & echo first; kill -TERM $$")
    shell.wait_for("first")
    shell.ends(128 + signal.SIGTERM)


@test("guest")
def the_escape_key_ends_a_guest_that_does_not_answer(kernel):
    shell = Session("--kernel", kernel, "--no-module", "--shell", "--", "sh", "-c",
                    "stty raw -echo; echo ready; exec sleep 1000")
    shell.wait_for("ready")
    shell.type("\x1d\x1d\x1d")
    shell.ends(-signal.SIGINT)


@test("guest")
def a_guest_ends_with_the_callers_terminal(kernel):
    shell = Session("--kernel", kernel, "--no-module", "--shell", "--", "sh", "-c", "echo ready; exec sleep 1000")
    shell.wait_for("ready")
    os.close(shell.other)
    os.close(shell.terminal)
    expect(shell.proc.wait(HANGS) == -signal.SIGHUP, f"status {shell.proc.returncode}")


@test("guest")
def gdb_stops_in_the_module(kernel):
    proc = subprocess.Popen([RUN, "--kernel", kernel, "--gdb", "--timeout", str(HANGS), "--", "sh", "-c",
                             "echo started; : </dev/dri/renderD128; exit 4"],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)
    said = ""
    while not (found := re.search(r"gdb -x (\S+)\n", said)):
        line = proc.stderr.readline()
        expect(line, f"the runner ended\n{said}")
        said += line
    done = subprocess.run(["gdb", "-nx", "-batch", "-x", found[1], "-ex", "break vsm_file_open", "-ex",
                           "continue", "-ex", "backtrace 1", "-ex", "print drm->dev != 0", "-ex", "delete",
                           "-ex", "detach"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    out, err = proc.communicate()
    expect(re.search(r"#0 +vsm_file_open \(drm=0x\w+, .*vsm_file.c:\d+(.|\n)*= 1\n", done.stdout), done.stdout)
    expect((proc.returncode, out) == (4, "started\n"), f"status {proc.returncode}\n{out}{said}{err}")
    # Only the owner of the folder may connect.
    expect(not os.path.exists(found[1]), "the script stays")


@test("guest")
def verbose_shows_the_kernel_log_and_the_command_line_of_qemu(kernel):
    status, out, err = called("--kernel", kernel, "--no-module", "--verbose", "--qemu-arg=-device",
                              "--qemu-arg=edu", "--", "sh", "-c",
                              "echo '<6>from the command' >/dev/kmsg; "
                              "grep -x 0x11e8 /sys/bus/pci/devices/*/device")
    expect(status == 0 and "0x11e8" in out, f"status {status}\n{out}{err}")
    expect(re.search(r"^vm/run: .*qemu-system-x86_64 .* -device edu$", err, re.M), err)
    expect("] Linux version " in err and "] from the command\n" in err, err)


@test("guest")
def an_argument_that_qemu_refuses_fails_the_run(kernel):
    status, _, err = called("--kernel", kernel, "--no-module", "--qemu-arg=-no-such-option", "--", "true")
    expect(status == common.STATUS_FAILED and "qemu says: " in err and "no-such-option" in err, err)


@test("guest")
@with_directory
def a_kernel_may_be_a_file_with_a_folder_of_modules(kernel, tmp):
    image, folder = kernel_folder(kernel, tmp)
    release = kernels.Kernel(kernel).release
    command = ["--no-module", "--module", "vgem", "--", "sh", "-c",
               f"uname -r; ls -d /sys/module/vgem; ls /lib/modules/{release}/modules.builtin"]
    for words in (["--kernel", image, "--modules", folder], ["--kernel", image]):
        status, out, err = called(*words, *command)
        expect(status == 0 and out == f"{release}\n/sys/module/vgem\n/lib/modules/{release}/modules.builtin\n",
               f"status {status}\n{out}{err}")
