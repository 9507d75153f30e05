# SPDX-License-Identifier: MIT
"""The options of the runner. --help and the man page are made of this table."""

import argparse
import os

from common import COMMAND, INSTALLED, NAME, version
from kernel import DEFAULT, STOCK, KernelError, absolute
from log import Host
from manual import Manual

# Default of --stall in seconds. The second value is used if /proc does not say how much time the
# virtual machine got.
STALL_DEFAULT = 20
STALL_UNMEASURED = 60

# Default of --timeout in seconds. A person who types has no time-out.
TIMEOUT_DEFAULT = 600

SUMMARY = "runs a program of this machine in a virtual machine that has the vsm device"

ABOUT = """\
The virtual machine sees this machine's files. COMMAND and its libraries therefore need no
preparation. Files that COMMAND writes are lost when it ends, except files in the directory of --out
and those that --fetch names. COMMAND starts in the current directory as root, with the caller's
environment and with the device nodes of vsm in /dev/dri. COMMAND gets the runner's standard input
unless that is a terminal (see --shell). Processes that COMMAND leaves behind are killed.

The runner needs no privileges. In the virtual machine, root can read the files that the caller of
the runner can read.
"""

ENVIRONMENT = [
    ("VSM_VM=1", "COMMAND runs in the virtual machine."),
    ("VSM_KERNEL", "For COMMAND: the release of the kernel, as `uname -r` prints it."),
    ("VSM_MODULE", "For COMMAND: path of the vsm.ko that is loaded. `modprobe` finds the modules of "
                   "the guest's kernel."),
    ("VSM_VM_KERNEL", "For the runner: default of --kernel."),
    ("VSM_VM_SMP", "For the runner: default of --smp."),
    ("VSM_CACHE", "For the runner: directory with kernels and with what was built for them (default: "
                  "~/.cache/vsm)."),
    ("CC", "For the runner: the compiler for vsm.ko, if it is not to be the one that the kernel "
           "names."),
]

EXIT_STATUS = [
    ("N", "status of COMMAND (126: cannot be executed, 127: not found, 128+N: killed by signal N), if "
          "the kernel found no mistake"),
    ("124", "time-out"),
    ("125", "any other failure: the kernel panicked or ended early, the kernel log has a warning or a "
            "BUG, the kernel stalled (see --stall), memory leaked, vsm could not be unloaded after "
            "COMMAND, the virtual machine could not be set up, COMMAND ended with 0 but did not write "
            "a file of --fetch, or the arguments were wrong"),
]

AFTER_STATUS = """\
The reason is printed to standard error, with a part of the kernel log if that helps. After a time-out
or Ctrl-C, the answer of `vsm ps --why` in the guest follows. If the runner gets a signal, it ends the
virtual machine and dies of the signal.
"""

EXAMPLES = [
    "-- ls -l /dev/dri",
    "--shell",
    "--shell -- vsm ps --watch",
    "--join -- vsm ps --why       # in a guest that runs already",
    "--gdb -- ./my-test",
    "--kernel 6.12 --smp 4 --out results -- ./my-test --log results/log",
    "--kernel linux-image-6.12-rt-amd64 -- ./my-test",
    "--kernel bzImage --modules staging -- ./my-test",
    "--kernel host -- ./my-test",
    "--fetch result -- ./my-test -o result",
    "--icount -- ./benchmark      # one instruction is one nanosecond",
    "--verbose --qemu-arg=-device --qemu-arg=edu -- ./my-test",
]
# These need programs of the source tree.
TREE_EXAMPLES = [
    '--kernel "$(tools/vm/debug-kernel)" -- ./my-test',
]

MANUAL = Manual("vsm-vm", SUMMARY,
                ["[OPTION...] [--] COMMAND [ARG...]", "[OPTION...] --shell [[--] COMMAND [ARG...]]",
                 "--join[=PID] [--shell] [--] COMMAND [ARG...]"], ABOUT,
                [("Environment", ENVIRONMENT, ""), ("Exit status", EXIT_STATUS, AFTER_STATUS)], EXAMPLES,
                ["vsm", "vsm-ci", "qemu-system-x86_64"])


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def runner_of(text):
    if not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no process ID; write -- before COMMAND")
    return int(text)


def stall_limit(text):
    value = int(text)
    if not 4 <= value <= 120:
        raise argparse.ArgumentTypeError("must be from 4 to 120")
    return value


def parser():
    p = MANUAL.parser(COMMAND, NAME, () if INSTALLED else TREE_EXAMPLES)
    p.add_argument("--version", action="version", version=f"vsm-vm {version()}")

    g = p.add_argument_group("kernel and module")
    g.add_argument("--kernel", default=os.environ.get("VSM_VM_KERNEL", DEFAULT), metavar="KERNEL",
                   help=f"a stock kernel ({', '.join(STOCK)}), which is fetched; the name of a Debian package of a "
                        "kernel, which is fetched; a directory with an unpacked package of a kernel, "
                        "and that of its headers; a built kernel tree; a file with a kernel (bzImage, "
                        "vmlinuz; see --modules); or host, the kernel that this machine runs (default: "
                        "%(default)s)")
    g.add_argument("--modules", metavar="DIR",
                   help="directory with the modules of a kernel that --kernel names as a file: the "
                        "INSTALL_MOD_PATH of `make modules_install`, a lib/modules/RELEASE or a "
                        "kernel tree (default: found beside the file, else in /lib/modules)")
    g.add_argument("--ko", metavar="FILE", help="load this vsm.ko instead of building one")
    g.add_argument("--devices", type=int, metavar="N", help="number of vsm devices")
    g.add_argument("--param", action="append", default=[], metavar="NAME=VALUE",
                   help="parameter of vsm.ko; repeatable")
    g.add_argument("--no-module", action="store_true", help="do not build and load vsm.ko")
    g.add_argument("--module", action="append", default=[], metavar="NAME",
                   help="also load this module of the kernel; repeatable")
    g.add_argument("--append", action="append", default=[], metavar="TEXT",
                   help="kernel parameter; repeatable")

    g = p.add_argument_group("input, output and time")
    g.add_argument("--out", metavar="DIR",
                   help="directory whose files come back; it has the same path in the guest")
    g.add_argument("--fetch", action="append", default=[], metavar="FILE",
                   help="a file that COMMAND writes, and that comes back; repeatable")
    g.add_argument("--keep-log", metavar="FILE", help="write the kernel log there")
    g.add_argument("--stdin", action="store_true", help="pass standard input on even from a terminal")
    g.add_argument("--no-stdin", action="store_true", help="do not pass standard input on")
    g.add_argument("--timeout", type=float, metavar="S",
                   help="seconds for everything, boot included; 0: none (default: "
                        f"{TIMEOUT_DEFAULT}; with --shell or --gdb none)")
    g.add_argument("--stall", type=stall_limit, metavar="S",
                   help="fail if the kernel stalls for S seconds: a locked-up processor, a grace "
                        "period of RCU, an uninterruptible sleep; time in which this machine does "
                        "not run the guest does not count; a stall of three times S ends "
                        f"the run (default: {STALL_DEFAULT}; {STALL_UNMEASURED} without /proc)")

    g = p.add_argument_group("a look inside")
    g.add_argument("--shell", action="store_true",
                   help="give COMMAND the caller's terminal; without COMMAND, start a shell. Ctrl-C "
                        "and all other keys go to the guest; three times Ctrl-] ends it")
    g.add_argument("--join", nargs="?", type=runner_of, const=0, metavar="PID",
                   help="run COMMAND in a virtual machine that runs already: in that of the runner with this "
                        "process ID, or in the only one of the caller. It ends with its own command. COMMAND "
                        "gets no input unless --shell gives it the terminal")
    g.add_argument("--gdb", action="store_true",
                   help="stop the guest before COMMAND starts, print the command that connects gdb "
                        "to its kernel with the symbols of vsm.ko, and wait for gdb; stalls are not "
                        "detected")
    g.add_argument("-v", "--verbose", action="store_true",
                   help="print the command line of QEMU, and the kernel log while it grows, to "
                        "standard error")

    g = p.add_argument_group("virtual machine")
    g.add_argument("--smp", type=positive, metavar="N", default=os.environ.get("VSM_VM_SMP") or None,
                   help="processors (default: 2; with --icount 1)")
    g.add_argument("--mem", default="1G", metavar="M", help="memory (default: %(default)s)")
    g.add_argument("--accel", choices=["auto", "kvm", "tcg"], default="auto",
                   help="with auto, the default, the guest uses kvm if a trial guest has booted with "
                        "it, else tcg")
    g.add_argument("--boot", action="store_true",
                   help="boot the guest. Without this option, a guest with tcg starts with the state of an "
                        "earlier guest of its kind that has booted, if there is one; with --icount, --gdb or "
                        "--qemu-arg, it boots")
    g.add_argument("--icount", action="store_true",
                   help="count instructions: one guest nanosecond is one instruction; "
                        "processors of --smp take turns; while the guest is idle or reads files, "
                        "its clock jumps ahead")
    g.add_argument("--qemu-arg", action="append", default=[], metavar="ARG",
                   help="one more argument for QEMU, written --qemu-arg=ARG; repeatable")
    p.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND", help=argparse.SUPPRESS)
    return p


def parse(argv):
    p = parser()
    opts = p.parse_args(argv)
    command = opts.command
    if command and command[0] == "--":
        command = command[1:]
    if opts.join is not None:
        defaults = vars(p.parse_args([]))
        if any(value != defaults[name] and name not in ("join", "shell", "command")
               for name, value in vars(opts).items()):
            p.error("--join takes no option but --shell")
    if not command and opts.shell:
        command = [os.environ.get("SHELL") or "/bin/sh"]
    if not command:
        p.error("no command")
    if opts.shell:
        if opts.stdin or opts.no_stdin:
            p.error("--shell takes no --stdin or --no-stdin")
        if not (os.isatty(0) and os.isatty(1)):
            p.error("--shell needs a terminal for standard input and output")
    if opts.timeout is None:
        opts.timeout = 0 if opts.shell or opts.gdb else TIMEOUT_DEFAULT
    if not opts.stall:
        opts.stall = STALL_DEFAULT if opts.icount or Host.measurable() else STALL_UNMEASURED
    if opts.icount:
        if opts.accel == "kvm":
            p.error("--icount needs tcg")
        opts.smp = opts.smp or 1
    opts.smp = opts.smp or 2
    try:
        # make, which builds the module, runs in another folder and needs absolute paths.
        opts.kernel = absolute(opts.kernel)
    except KernelError as error:
        p.error(str(error))
    if opts.modules:
        if not os.path.isfile(opts.kernel):
            p.error("--modules needs the file of a kernel in --kernel")
        opts.modules = os.path.realpath(opts.modules)
    # The path stays the same in the guest; no file comes back before the command has ended. The
    # guest sends each file once.
    opts.fetch = list(dict.fromkeys(os.path.abspath(path) for path in opts.fetch))
    if opts.out:
        os.makedirs(opts.out, exist_ok=True)
    return opts, command
