# SPDX-License-Identifier: MIT
"""A virtual machine that runs one command."""

import hashlib
import os
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from common import Failure, HERE, STATUS_FAILED, STATUS_TIMEOUT, Screen, pass_on, say, start_thread
from debugger import Debugger
from join import Answer, Door, vsm_program
from initramfs import base_initramfs
from kernel import Kernel
from log import BAD_TAINT, STRAY_BREAKPOINT, Host, Log
from module import agent, vsm_ko
from qemu import cmdline, kvm_works, qemu
from snapshot import Snapshot, digest_of, stamp
from terminal import Terminal


# Seconds in which `vsm ps` must say why a program hangs.
WHY = 15

# Seconds in which a guest that starts with a state must answer, on a busy machine too.
ANSWERS = 120


def pairs(conf):
    return b"".join(os.fsencode(k) + b"=" + os.fsencode(v) + b"\0" for k, v in conf)


class Guest:
    """A virtual machine that runs one command."""

    def __init__(self, opts, command):
        self.opts = opts
        self.command = command
        self.proc = None
        self.tmp = None
        self.log = None
        self.result = None
        self.ready = False
        self.ended = False
        self.explaining = False
        # What has arrived of a frame. A time-out or a signal may come in the middle of it.
        self.partial = bytearray()
        self.tcg = False
        self.snapshot = None
        self.restored = self.continued = False
        self.fetched = {}
        self.unread = {}
        self.terminal = Terminal(self.resize) if opts.shell else None
        self.debugger = None
        self.door = None
        self.sending = threading.Lock()
        self.deadline = time.monotonic() + opts.timeout if opts.timeout else None

    def prepare(self):
        opts = self.opts
        self.kernel = Kernel(opts.kernel, opts.modules)
        self.kernel.demand(with_vsm=not opts.no_module)
        if self.kernel.blind() and not opts.gdb:
            say(self.kernel.blind())
        self.agent = agent(self.kernel, opts)
        self.module = None
        if opts.ko:
            self.module = os.path.realpath(opts.ko)
        elif not opts.no_module:
            self.module = vsm_ko(self.kernel, opts)
        self.base, loaded = base_initramfs(self.kernel, self.agent)

        wanted, extra = [], {}
        if self.module:
            wanted.append("vsm")
            extra["vsm"] = self.module
        wanted += opts.module
        more = [(n, d) for n, d in self.kernel.closure(wanted, extra) if n not in loaded]

        conf = []
        for name, _ in more:
            params = ""
            if name == "vsm":
                params = " ".join([f"devices={opts.devices}"] * (opts.devices is not None) + opts.param)
            conf.append(("load", f"/run/{name}.ko {params}".strip()))
        if self.module:
            conf.append(("unload", "vsm"))
        if self.kernel.installed:
            conf.append(("modules", self.kernel.installed))
        if opts.out:
            conf.append(("out", os.path.realpath(opts.out)))
        conf += [("fetch", path) for path in opts.fetch]
        if self.one_output():
            conf.append(("merge", "1"))
        if self.has_input():
            conf.append(("input", "1"))
        if self.terminal:
            conf.append(("tty", "1"))
        if opts.gdb:
            conf.append(("gdb", "1"))
        text = pairs(conf) + self.describe(self.command)
        if len(opts.fetch) > 64:
            raise Failure("--fetch can name 64 files")
        self.files = [("conf", text), *((f"{name}.ko", data) for name, data in more)]

    def describe(self, command, folder=None, environment=None):
        """Returns a command for the agent's file of configuration. It gets the environment of the runner,
        or another one, and variables of the guest."""
        environment = {os.fsencode(k): os.fsencode(v) for k, v in (environment or os.environ).items()}
        environment.update({b"VSM_VM": b"1", b"VSM_KERNEL": self.kernel.release.encode()})
        environment.setdefault(b"PATH", b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
        if self.module:
            environment[b"VSM_MODULE"] = os.fsencode(self.module)
        text = pairs([("cwd", folder or os.getcwd()),
                      *(("env", k + b"=" + v) for k, v in environment.items()),
                      *(("arg", a) for a in command)])
        if len(text) > 1900000 or len(command) > 4000 or len(environment) > 4000:
            raise Failure("the command line or the environment is too long")
        return text

    @staticmethod
    def one_output():
        """Returns whether standard output and standard error are the same file (2>&1). The command
        then has one pipe for both, which keeps the output in order."""
        try:
            a, b = os.fstat(1), os.fstat(2)
        except OSError:
            return False
        return (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino)

    def has_input(self):
        if self.terminal:
            return True
        if self.opts.no_stdin:
            return False
        try:
            return self.opts.stdin or not os.isatty(0) and not os.path.samestat(
                os.fstat(0), os.stat(os.devnull))
        except OSError:
            return False

    def accel(self):
        opts = self.opts
        if opts.icount:
            return ["-accel", "tcg", "-icount", "shift=0,sleep=off", "-cpu", self.kernel.arch.cpu]
        which = opts.accel
        if which == "auto":
            which = "kvm" if kvm_works(self.kernel, self.base) else "tcg"
        self.tcg = which == "tcg"
        if which == "kvm":
            return ["-accel", "kvm", "-cpu", "host"]
        return ["-accel", "tcg,thread=multi", "-cpu", self.kernel.arch.cpu]

    def extra_cmdline(self):
        # With --icount, the clock of an idle virtual machine jumps to the next timer. A wait for
        # the host's disk may then look very long, so the check for hung tasks is off.
        if self.opts.gdb:
            # gdb stops processors for as long as its user thinks.
            return ["nowatchdog", "rcupdate.rcu_cpu_stall_suppress=1", "workqueue.watchdog_thresh=0",
                    "sysctl.kernel.hung_task_timeout_secs=0", *self.clock()]
        stall = self.opts.stall
        hung = 0 if self.opts.icount else stall
        # The kernel reports a soft lockup after twice watchdog_thresh.
        return [f"watchdog_thresh={stall // 2}", f"rcupdate.rcu_cpu_stall_timeout={stall}",
                f"workqueue.watchdog_thresh={stall}",
                f"sysctl.kernel.hung_task_timeout_secs={hung}",
                f"sysctl.kernel.hung_task_check_interval_secs={stall // 4}",
                "sysctl.kernel.hung_task_warnings=100", *self.clock()]

    def clock(self):
        """The parameter that tells the guest how fast its TSC counts. With TCG, the guest's TSC is
        that of this machine. On a busy machine, a guest that measures it may be wrong by a factor
        of two and more, and then all its times are. With KVM, the guest knows it already."""
        if self.opts.icount or not self.tcg or not self.kernel.arch.native:
            return []
        khz = subprocess.run([self.agent, "tsc"], stdout=subprocess.PIPE, check=False).stdout
        return [f"tsc_early_khz={int(khz)}"] if khz.strip().isdigit() and int(khz) else []

    def start(self):
        opts = self.opts
        self.tmp = tempfile.mkdtemp(prefix="vsm-vm.")
        initrd = os.path.join(self.tmp, "initrd")
        with open(initrd, "wb") as f:
            f.write(self.base)
        run = os.path.join(self.tmp, "run")
        os.mkdir(run)
        for name, data in self.files:
            with open(os.path.join(run, name), "wb") as f:
                f.write(data)
        path = os.path.join(self.tmp, "log")
        if opts.keep_log:
            path = os.path.abspath(opts.keep_log)
        with open(path, "wb"):
            pass
        self.log = Log(path, opts.stall, int(self.kernel.option("HZ", 250)),
                       Screen.print if opts.verbose else None)

        self.door = Door(self, run, os.path.join(self.tmp, "door"))
        self.ctl, ctl = socket.socketpair()
        fds, ports = [ctl], ["-chardev", f"socket,id=ctl,fd={ctl.fileno()}",
                             "-device", "virtserialport,chardev=ctl,name=vsm.ctl"]
        self.input = None
        if self.has_input():
            self.input, given = socket.socketpair()
            fds.append(given)
            ports += ["-chardev", f"socket,id=in,fd={given.fileno()}",
                      "-device", "virtserialport,chardev=in,name=vsm.in"]

        self.qmp, given = socket.socketpair()
        fds.append(given)
        control = ["-chardev", f"socket,id=qmp,fd={given.fileno()}", "-mon", "chardev=qmp,mode=control"]
        if opts.gdb:
            self.debugger = Debugger(self.kernel, self.module, self.tmp)
            control += self.debugger.arguments()

        def share(path, tag, model="none", more=""):
            path = path.replace(",", ",,")
            return ["-virtfs", f"local,path={path},mount_tag={tag},security_model={model},"
                               f"multidevs=remap{more}"]

        shares = share("/", "vsmroot", more=",readonly=on") + share(run, "vsmrun", more=",readonly=on")
        if opts.out:
            # qemu sets the mode of a new file through /proc. A bare chroot has no /proc: qemu then
            # keeps the modes in files of its own (mapped-file), which close() removes.
            if os.path.exists("/proc/self/fd"):
                shares += share(os.path.realpath(opts.out), "vsmout")
            else:
                shares += share(os.path.realpath(opts.out), "vsmout", "mapped-file",
                                ",fmode=0644,dmode=0755")
        # A kernel without ACPI sees only the first processor of each socket.
        machine = [*self.accel(), "-smp", f"{opts.smp},sockets={opts.smp}", "-m", opts.mem]
        append = " ".join([cmdline(self.kernel.arch), *self.extra_cmdline(), *opts.append])
        incoming = []
        program = shutil.which(self.kernel.arch.qemu)
        if program and self.tcg and not (opts.boot or opts.icount or opts.gdb or opts.qemu_arg):
            self.snapshot = Snapshot(self.kind(program, machine, [*ports, *shares], append))
            if state := self.snapshot.restore(path):
                fds.append(state)
                incoming = ["-incoming", f"fd:{state.fileno()}"]
        log = path.replace(",", ",,")
        self.errors = tempfile.TemporaryFile()
        self.proc = qemu(
            self.kernel.arch,
            [*machine, "-kernel", self.kernel.image, "-initrd", initrd, "-append", append,
             "-chardev", f"file,id=log,path={log},append=on", "-serial", "chardev:log",
             "-device", "virtio-serial-pci,max_ports=4", *ports, *shares, *control, *incoming,
             *opts.qemu_arg],
            pass_fds=[s.fileno() for s in fds], stderr=self.errors, verbose=opts.verbose)
        for s in fds:
            s.close()
        self.restored = bool(incoming)
        if self.restored:
            self.answers = time.monotonic() + ANSWERS
            self.send(b"h")
        if not opts.icount and Host.measurable():
            self.log.watch(self.proc.pid)
        start_thread(self.watch)

    def kind(self, program, machine, devices, append):
        """Returns all that the state of a guest depends on: not on paths of this machine, nor on numbers of
        files."""
        devices = [re.sub(r"path=.*?,mount|fd=\d+", "", text) for text in devices]
        # The last digits of the TSC's rate differ between measurements.
        append = re.sub(r"(?<=tsc_early_khz=)\d+", lambda found: str(round(int(found[0]), -3)), append)
        # These files have arguments that all guests get.
        code = [digest_of(os.path.join(HERE, name)) for name in ("arch.py", "guest.py", "qemu.py")]
        return [stamp(program), digest_of(self.kernel.image), hashlib.sha256(self.base).hexdigest(), *code,
                *machine, *devices, append]

    def let_continue(self):
        """The guest waits after its boot. Keeps its state, or renews the state that it started with, and
        lets it continue."""
        if self.restored:
            # The guest's kernel has the time and the random numbers of the first guest.
            with open(os.path.join(self.tmp, "run/conf"), "ab") as f:
                f.write(f"clock={time.time():.6f}\0seed={os.urandom(32).hex()}\0".encode())
        elif self.snapshot and not self.has_complaints():
            try:
                self.snapshot.take(self.qmp, self.log.path)
            except OSError:
                self.proc.kill()        # it has ended or does not answer: converse() notices the end
            if self.has_complaints():
                self.snapshot.remove()
        self.continued = True
        self.send(b"c")

    def has_complaints(self):
        """Returns whether the log has complaints, also those that do not count because this machine was
        busy: a later guest could not know that."""
        return bool(self.log.complaints() or self.log.excused)

    def watch(self):
        """Reads the log, which --verbose prints. Ends the virtual machine if its kernel stalls for
        three times the limit."""
        while self.proc.poll() is None:
            time.sleep(0.1 if self.opts.verbose else 0.5)
            self.log.read()
            if self.log.hung:
                self.proc.kill()

    def feed(self):
        """Copies standard input to the virtual machine. Runs in a thread of its own, which may
        block until the runner ends."""
        try:
            while True:
                data = os.read(0, 65536)
                if not data:
                    break
                if self.terminal and self.terminal.typed(data):
                    # This ends the runner, as Ctrl-C does without --shell.
                    os.kill(os.getpid(), signal.SIGINT)
                self.input.sendall(data)
            self.input.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def send(self, kind, number=0, rows=0, columns=0, data=b""):
        """Sends a message to the guest's init: about the further command with a number, or else 0."""
        try:
            with self.sending:
                self.ctl.sendall(struct.pack("<cHHH", kind, number, rows, columns) + data)
        except OSError:
            pass        # the guest has ended, which converse() sees

    def resize(self, rows, columns):
        self.send(b"w", 0, rows, columns)

    def receive(self, size):
        """Returns the first @size bytes of the frame that arrives, or None if the guest has ended."""
        while len(self.partial) < size:
            left = None
            if self.deadline:
                left = self.deadline - time.monotonic()
                if left <= 0:
                    raise Failure(f"timed out after {self.opts.timeout:g} s", STATUS_TIMEOUT)
            if self.restored and not self.continued:
                left = min(left or ANSWERS, self.answers - time.monotonic())
                if left <= 0:
                    return None     # its state does not work
            if not select.select([self.ctl], [], [], left)[0]:
                continue
            try:
                part = self.ctl.recv(size - len(self.partial))
            except ConnectionResetError:
                part = b""      # QEMU has ended before it has read all that was sent
            if not part:
                return None
            self.partial += part
        return bytes(self.partial[:size])

    def converse(self):
        """Prints the output of the command until its result arrives. Returns the result."""
        file = fetched = None
        while True:
            head = self.receive(5)
            size = int.from_bytes(head[1:], "little") if head else 0
            self.ended = not head
            if not head or size > 1 << 20:
                raise Failure("the guest ended before it sent a result" if self.ready else
                              "the guest did not boot")
            data = self.receive(5 + size)
            if data is None:
                raise Failure("the guest ended in the middle of its output")
            self.partial.clear()
            kind, data = data[:1], data[5:]
            if kind in b"oe":
                # If nobody reads the output, the answer must not wait for it.
                if not self.explaining:
                    pass_on(1 if kind == b"o" else 2, data)
            elif kind == b"n":
                fetched = os.fsdecode(data)
                file = os.path.join(self.tmp, f"fetched-{len(self.fetched)}")
                self.fetched[fetched] = file
                with open(file, "wb"):
                    pass
            elif kind == b"d" and file:
                with open(file, "ab") as f:
                    f.write(data)
            elif kind == b"b":
                self.unread[fetched] = data.decode(errors="replace")
            elif kind in b"OEX":
                self.door.take(kind, data)
            elif kind == b"c":
                self.let_continue()
            elif kind == b"r":
                self.ready = True
                if self.terminal:
                    self.terminal.enter()
                if self.input:
                    start_thread(self.feed)
                self.door.open()
            elif kind == b"s":
                self.debugger.wait(self.qmp, data.decode())
                self.send(b"g")
            elif kind == b"f":
                raise Failure("the guest could not be set up: " + data.decode(errors="replace"))
            elif kind == b"x":
                return dict(w.split("=") for w in data.decode().split())
            else:
                raise Failure("the guest sent an unknown message")

    def deliver(self, status):
        """Writes the files of --fetch, which come back even if the command failed. Returns the
        status of the run."""
        for path in self.opts.fetch:
            if path in self.unread:
                say(f"--fetch {path}: {self.unread[path]}")
                status = status or STATUS_FAILED
            elif path in self.fetched:
                shutil.copyfile(self.fetched[path], path)
            elif not status:
                say(f"--fetch {path}: the command did not write this file")
                status = STATUS_FAILED
        return status

    def await_end_of_log(self):
        # A kernel with checks, on a busy machine, may take long for its last lines.
        end = time.monotonic() + 120
        while time.monotonic() < end and self.proc.poll() is None:
            if any("vsm-vm: end of log" in line for line in self.log.read()[-200:]):
                return
            time.sleep(0.01)
        raise Failure("the end of the kernel log did not arrive")

    def judge(self, result):
        self.await_end_of_log()
        problems = []
        complaints = self.log.complaints()
        if complaints and self.restored:
            self.snapshot.remove()      # they may be older than this guest
        if complaints:
            problems.append("the kernel complained: " + self.log.lines[complaints[0]])
        if int(result["taint"]) & BAD_TAINT:
            problems.append(f"the kernel is tainted ({result['taint']})")
        if int(result["unload"]):
            problems.append("vsm could not be unloaded after the command: " +
                            os.strerror(int(result["unload"])))
        if problems:
            raise Failure("; ".join(problems) + f" (the command's own status was {result['status']})")
        return int(result["status"])

    def run(self):
        self.prepare()
        self.start()
        try:
            result = self.converse()
        except Failure:
            if self.log.hung:
                raise Failure("the kernel has stalled: " + self.log.hung) from None
            raise
        finally:
            if self.terminal and self.ready:
                self.terminal.leave()
        status = self.deliver(int(result["status"]))
        status = self.judge(result) or status
        if self.log.excused:
            say("this machine did not give the guest enough time, so this stall does not count: " +
                self.log.lines[min(self.log.excused)])
        return status

    def tell_why(self):
        """Prints what `vsm ps --why` says in the guest, whose command still runs. Prints nothing if
        the command uses no device."""
        program = vsm_program()
        if not (self.ready and self.module and program and self.kernel.arch.native) or \
           self.ended or self.terminal or self.log.hung or self.explaining:
            return
        say(f"asks the guest what hangs, for up to {WHY} s")
        self.explaining = True
        self.deadline = time.monotonic() + WHY
        try:
            answer = self.door.ask([program, "ps", "--why"])
            self.converse()
        except Answer:
            pass
        except (Failure, OSError):
            return
        text = answer.output.decode(errors="replace").strip()
        if answer.status == 0 and text:
            say("vsm ps --why:")
            sys.stderr.write(f"{text}\n")

    def explain(self, lines=60, timed_out=False):
        """Prints @lines lines of the log: from the first complaint on, or the last ones if there is
        no complaint. After a time-out, no complaint is no reason to print the log."""
        bad = self.log.complaints()
        log = self.log.lines
        if timed_out and self.ready and not bad:
            return
        if bad and bad[0] < len(log) - lines:
            part = log[max(0, bad[0] - 3):bad[0] + lines]
        else:
            part = log[-lines:]
        if part and not self.opts.verbose:
            say("the kernel log:")
            sys.stderr.write("".join(f"  {line}\n" for line in part))
        if self.kernel.config is None and not self.ready:
            say(f"the configuration of Linux {self.kernel.release} was not found, so nobody checked "
                "whether the kernel has the options that it needs")
        self.errors.seek(0)
        text = self.errors.read().decode(errors="replace").strip()
        if text:
            say("qemu says: " + text)
        if self.met_stray_breakpoint():
            say("qemu may be at fault: it emulates several processors, and the kernel changed its "
                "code (for a tracepoint, for example). With --smp 1 this does not happen.")

    def met_stray_breakpoint(self):
        # The last lines may be new: the guest that writes them ends at once.
        return self.tcg and self.opts.smp > 1 and any(map(STRAY_BREAKPOINT.search, self.log.read()))

    def drop_bad_state(self):
        """Removes the state that the guest started with if the guest has not even answered. Returns whether
        it has removed a state."""
        if not self.restored or not self.ended or self.continued:
            return False
        self.snapshot.remove()
        return True

    def may_boot_again(self, dropped):
        """Returns whether QEMU, and nothing else, may have kept the command from starting. @dropped says
        whether a bad state was removed."""
        return bool(self.proc and not self.ready and (dropped or self.met_stray_breakpoint()))

    def close(self):
        if self.proc:
            self.proc.kill()
            self.proc.wait()
        if self.opts.out and not os.path.exists("/proc/self/fd"):
            for top, dirs, _ in os.walk(self.opts.out):
                if ".virtfs_metadata" in dirs:
                    dirs.remove(".virtfs_metadata")
                    shutil.rmtree(os.path.join(top, ".virtfs_metadata"), ignore_errors=True)
        if self.tmp:
            shutil.rmtree(self.tmp, ignore_errors=True)
