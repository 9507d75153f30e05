# SPDX-License-Identifier: MIT
"""Further commands in a guest that runs: those of --join, and the question why the guest's own hangs."""

import contextlib
import io
import os
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import time
import types
from unittest import mock

from harness import HERE, RUN, TOP, called, expect, test, with_directory
import common
import guest as guest_program
import join as join_program
import options
from test_inside import Session

# A thread waits for a barrier at which nobody arrives. The others run, so that this is no deadlock.
HANGS = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry hangs()
{
	.reg .pred %p;
	.reg .b32 %r<3>;
	.shared .align 8 .b64 bar;
	mov.u32 %r1, bar;
	mov.u32 %r2, %tid.x;
	setp.ne.u32 %p, %r2, 0;
	@!%p bra FIRST;
SPIN:	nanosleep.u32 1000000;
	bra SPIN;
FIRST:
	mbarrier.init.shared.b64 [%r1], 2;
WAIT:	mbarrier.try_wait.parity.shared::cta.b64 %p, [%r1], 0;
	@!%p bra WAIT;
	ret;
}
"""


@contextlib.contextmanager
def running(kernel, tmp, *command):
    """A guest that runs @command, which says "ready"."""
    with subprocess.Popen([RUN, "--kernel", kernel, "--no-module", "--no-stdin", "--", *command],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "TMPDIR": tmp}) as proc:
        try:
            expect(proc.stdout.readline() == "ready\n", "the command did not start")
            yield proc
        finally:
            proc.kill()


def begin(tmp, *command, **more):
    return subprocess.Popen([RUN, "--join", "--", *command], text=True, env={**os.environ, "TMPDIR": tmp},
                            **{"stdout": subprocess.PIPE, **more})


def join(tmp, *arguments, **more):
    return called(*arguments, env={**os.environ, "TMPDIR": tmp, **more})


@test("guest")
@with_directory
def commands_join_a_guest(kernel, tmp):
    with running(kernel, tmp, "sh", "-c", "echo ready; until [ -e /tmp/end ]; do sleep 0.1; done; echo end"
                 ) as guest:
        script = "pwd; echo $WORD; echo err >&2; cat; exit 3"
        got = join(tmp, "--join", "--", "sh", "-c", script, WORD="word")
        expect(got == (3, f"{os.getcwd()}\nword\n", "err\n"), got)
        got = join(tmp, f"--join={guest.pid}", "--", "sh", "-c", "kill -9 $$")
        expect(got == (128 + signal.SIGKILL, "", ""), got)
        got = join(tmp, "--join", "--", "/none")
        expect(got == (127, "", "vsm-vm: /none: No such file or directory\n"), got)
        got = join(tmp, "--join", "--", "seq", "200000")
        expect(got[1] == "".join(f"{i}\n" for i in range(1, 200001)), f"{len(got[1])} bytes")
        got = join(tmp, f"--join={guest.pid + 1}", "--", "true")
        expect(got == (125, "", f"vm/run: process {guest.pid + 1} is not the runner of a virtual machine "
                                "of yours\n"), got)
        # There may be eight at once. One ends with its runner, and makes room for another.
        many = [begin(tmp, "sh", "-c", "trap '' HUP; echo in; until [ -e /tmp/all ]; do sleep 0.1; done")
                for _ in range(8)]
        expect(all(proc.stdout.readline() == "in\n" for proc in many), "not all have begun")
        full = (126, "", "vsm-vm: the guest has no place for one more command\n")
        got = join(tmp, "--join", "--", "true")
        expect(got == full, got)
        many.pop().kill()
        limit = ("--join", "--", "prlimit", "--pid", "1")
        while (got := join(tmp, *limit, "--nofile=22")) == full:
            pass
        expect(got == (0, "", ""), got)
        # The agent has two files for each of the seven commands, and may not open five more.
        got = join(tmp, "--join", "--", "true")
        expect(got == (126, "", "vsm-vm: Too many open files\n"), got)
        many.pop().kill()
        while join(tmp, *limit, "--nofile=1024")[0] == 126:
            pass
        got = join(tmp, "--join", "--", "sh", "-c", "echo >/tmp/all")
        expect(got == (0, "", "") and not any(proc.wait() for proc in many), got)
        # All end with the first command.
        got = join(tmp, "--join", "--", "sh", "-c", "echo >/tmp/end; sleep 1000")
        expect(got[0] in (125, 128 + signal.SIGKILL), got)
        out, err = guest.communicate()
        expect((guest.returncode, out, err) == (0, "end\n", ""), f"status {guest.returncode}\n{out}{err}")
    got = join(tmp, "--join", "--", "true")
    expect(got == (125, "", "vm/run: no virtual machine of yours runs\n"), got)


class FakeGuest:
    command = ["sleep", "\33[2J"]

    def __init__(self, tmp, name):
        self.sent = queue.Queue()
        folder = os.path.join(tmp, f"vsm-vm.{name}")
        os.mkdir(folder)
        self.door = join_program.Door(self, folder, os.path.join(folder, "door"))
        self.door.open()

    def send(self, kind, number, *_):
        self.sent.put((kind, number))

    @staticmethod
    def describe(*_):
        return b""


@test("unit")
@with_directory
def a_runner_that_joins_ends_like_a_program(tmp):
    guest = FakeGuest(tmp, "a")

    def write(_, number):
        guest.door.take(b"O", bytes([number, 0]) + b"text")

    def end(_, number):
        guest.door.take(b"X", bytes([number, 0, 7]))
        expect(not os.path.exists(guest.door.file(number)), "the file stays")

    def stop_reading(proc, number):
        # As if the time to send were over: the runner still has its connection.
        proc.send_signal(signal.SIGSTOP)
        guest.door.connections[number].shutdown(socket.SHUT_WR)
        write(proc, number)
        expect(guest.sent.get(timeout=60) == (b"k", number), "the guest has not heard of it")
        proc.send_signal(signal.SIGCONT)

    with open("/dev/full", "wb") as full:
        for number, (act, out, status, err) in enumerate((
                (end, full, 7, ""), (stop_reading, full, 125, "the virtual machine has ended"),
                (lambda proc, _: proc.send_signal(signal.SIGINT), full, -signal.SIGINT, ""),
                (lambda proc, number: (proc.stdout.close(), write(proc, number)), None, -signal.SIGPIPE, ""),
                (write, full, 125, "[Errno 28] No space left on device"), (end, full, 7, "")), 1):
            with begin(tmp, "x", stderr=subprocess.PIPE, stdout=out or subprocess.PIPE,
                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as proc:
                expect(guest.sent.get(timeout=300) == (b"j", number), "the guest has not heard of a command")
                act(proc, number)
                got = proc.stderr.read()
            expect((proc.returncode, got) == (status, err and f"vm/run: {err}\n"), got)
            expect(act in (end, stop_reading) or guest.sent.get(timeout=60) == (b"k", number), "no end")


@test("unit")
@with_directory
def a_command_that_cannot_join_says_why(tmp):
    guest = FakeGuest(tmp, "a")
    # A byte that is no character takes more place in JSON.
    more = {f"WORD{i}": "\udcff" * 100000 for i in range(4)}
    with mock.patch.object(guest.door, "prepare", side_effect=OSError(28, "No space left on device")):
        got = join(tmp, "--join", "--", "true", **more)
    expect(got == (125, "", "vm/run: [Errno 28] No space left on device\n"), got)
    FakeGuest(tmp, "b")
    got = join(tmp, "--join", "--", "true")
    expect(got[2].splitlines()[1:] == [f"vm/run:   {os.getpid()}: sleep \\x1b[2J"] * 2, got)


@test("unit")
@with_directory
def only_guests_of_the_caller_that_answer_are_found(tmp):
    FakeGuest(tmp, "a")
    os.mkdir(os.path.join(tmp, "vsm-vm.silent"))
    os.symlink("vsm-vm.a", os.path.join(tmp, "vsm-vm.link"))
    os.symlink("../vsm-vm.a/door", os.path.join(tmp, "vsm-vm.silent/door"))
    with socket.socket(socket.AF_UNIX) as stopped, mock.patch.object(tempfile, "tempdir", tmp), \
            mock.patch.object(join_program, "HELLO", 1):
        expect(len(join_program.find(0)) == 1, "a link")
        os.unlink(os.path.join(tmp, "vsm-vm.silent/door"))
        stopped.bind(os.path.join(tmp, "vsm-vm.silent/door"))
        stopped.listen()
        expect([hello["pid"] for _, hello in join_program.find(0)] == [os.getpid()], "not one guest")
        with mock.patch.object(os, "getuid", return_value=os.getuid() + 1):
            expect(not join_program.find(0), "that of another user")


def frame(kind, data):
    return kind + len(data).to_bytes(4, "little") + data


@test("unit")
@with_directory
def the_answer_waits_for_no_output(tmp):
    guest = guest_program.Guest(*options.parse(["--", "true"]))
    guest.ctl, other = socket.socketpair()
    # Bytes of a file that the guest has not named are a failure. So is the time-out after that.
    other.sendall(frame(b"d", b"data") + frame(b"o", b"output")[:8])
    guest.ready, guest.module, guest.log = True, "vsm.ko", types.SimpleNamespace(hung=None)
    guest.kernel = types.SimpleNamespace(release="6.1", arch=types.SimpleNamespace(native=True))
    guest.door = join_program.Door(guest, tmp, None)
    guest.deadline = time.monotonic() + 1
    for wrong in "unknown message", "timed out":
        try:
            expect(guest.converse(), wrong)
        except common.Failure as failure:
            expect(wrong in str(failure), failure)
    other.sendall(b"put" + frame(b"O", b"\1\0" b"2 are missing") + frame(b"X", b"\1\0\0"))
    with mock.patch.object(guest_program, "pass_on", side_effect=OSError("it prints output")), \
            mock.patch.object(guest_program, "vsm_program", return_value="vsm"), \
            contextlib.redirect_stderr(io.StringIO()) as err:
        guest.tell_why()
        guest.tell_why()        # a signal has come in the meantime
    expect(err.getvalue() == "vm/run: asks the guest what hangs, for up to 15 s\n"
           "vm/run: vsm ps --why:\n2 are missing\n", err.getvalue())


@test("unit")
def a_second_signal_ends_the_question():
    script = """
import guest, os, runpy, signal, time, types
hang = lambda: (signal.raise_signal(signal.SIGINT), time.sleep(100), os._exit(1))
signal.signal(signal.SIGINT, signal.SIG_DFL)
guest.Guest = lambda *_: types.SimpleNamespace(proc=True, run=hang, tell_why=hang, close=int)
runpy.run_path("run", run_name="__main__")
"""
    got = called("-B", "-c", script, "true", program=sys.executable, cwd=HERE)
    expect(got == (-signal.SIGINT, "", ""), got)


@test("unit")
@with_directory
def a_guest_runs_without_a_door_if_its_path_is_too_long(tmp):
    for name, there in (("door", True), ("x" * 120, False)):
        path = os.path.join(tmp, name)
        join_program.Door(None, tmp, path).open()
        expect(os.path.exists(path) == there, name)


@test("guest")
@with_directory
def a_shell_joins_a_guest(kernel, tmp):
    with running(kernel, tmp, "sh", "-c", "echo ready; exec sleep 1000"):
        with mock.patch.dict(os.environ, TMPDIR=tmp):
            shell = Session("--join", "--shell", "--", "sh")
        shell.wait_for("exit leaves it")
        shell.type("tty && stty size && echo on''e\n")
        shell.wait_for(r"/dev/pts/0\r\n33 91\r\none\r\n")
        shell.resize(40, 100)
        shell.type("until [ \"$(stty size)\" = '40 100' ]; do :; done; echo resi''zed\n")
        shell.wait_for("resized")
        shell.type("exit 5\n")
        shell.ends(5)


@test("guest")
@with_directory
def a_program_that_hangs_says_why(kernel, tmp):
    module = os.path.join(tmp, "hangs.ptx")
    with open(module, "w", encoding="ascii") as f:
        f.write(HANGS)
    vsm = os.path.join(TOP, "build/tools/vsm")
    program = ["sh", "-c", f"echo ready; exec {vsm} launch --block 33 --time-limit 1000s {module}"]
    status, out, err = called("--kernel", kernel, "--no-stdin", "--timeout", "45", "--", *program)
    expect(status == 124 and out == "ready\n", f"status {status}\n{out}{err}")
    expect(err.startswith("vm/run: timed out after 45 s\nvm/run: asks the guest what hangs, for up to 15 s\n"
                          "vm/run: vsm ps --why:\ncluster 1 of device 0") and
           "2 arrivals of 2 are missing" in err and "Linux version" not in err, err)
    program[-1] = "{ until [ -e /tmp/asked ]; do sleep 0.1; done; yes; } & " + program[-1]
    with subprocess.Popen([RUN, "--kernel", kernel, "--no-stdin", "--", *program], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": tmp},
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as proc:
        expect(proc.stdout.readline() == "ready\n", "the command did not start")
        while "are missing" not in join(tmp, "--join", "--", vsm, "ps")[1]:
            expect(proc.poll() is None, "the program ended")
        # From now on, nobody reads the output.
        join(tmp, "--join", "--", "touch", "/tmp/asked")
        expect(proc.stdout.readline() == "y\n", "no output")
        proc.send_signal(signal.SIGINT)
        err = proc.stderr.read()
    expect(proc.returncode == -signal.SIGINT and "2 arrivals of 2 are missing" in err, err)
