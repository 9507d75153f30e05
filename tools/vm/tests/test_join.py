# SPDX-License-Identifier: MIT
"""Further commands in a guest that runs: those of --join, and the question why the guest's own hangs."""

import contextlib
import os
import signal
import subprocess

from harness import RUN, TOP, called, expect, test, with_directory
import join as join_program
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


def join(tmp, *arguments, **more):
    done = subprocess.run([RUN, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, "TMPDIR": tmp, **more})
    return done.returncode, done.stdout, done.stderr


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
        expect(got == (125, "", f"vm/run: no virtual machine of yours runs in process {guest.pid + 1}\n"), got)
        # There may be eight at once. One ends with its runner, and makes room for another.
        many = [subprocess.Popen([RUN, "--join", "--", "sh", "-c",
                                  "echo in; until [ -e /tmp/all ]; do sleep 0.1; done"],
                                 stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": tmp})
                for _ in range(8)]
        expect(all(proc.stdout.readline() == "in\n" for proc in many), "not all have begun")
        full = (126, "", "vsm-vm: the guest has no place for one more command\n")
        got = join(tmp, "--join", "--", "true")
        expect(got == full, got)
        many.pop().kill()
        while (got := join(tmp, "--join", "--", "sh", "-c", "echo >/tmp/all")) == full:
            pass
        expect(got == (0, "", "") and not any(proc.wait() for proc in many), got)
        # All end with the first command.
        got = join(tmp, "--join", "--", "sh", "-c", "echo >/tmp/end; sleep 1000")
        expect(got[0] in (125, 128 + signal.SIGKILL), got)
        out, err = guest.communicate()
        expect((guest.returncode, out, err) == (0, "end\n", ""), f"status {guest.returncode}\n{out}{err}")
    got = join(tmp, "--join", "--", "true")
    expect(got == (125, "", "vm/run: no virtual machine of yours runs\n"), got)


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
    old = os.environ.get("TMPDIR")
    with running(kernel, tmp, "sh", "-c", "echo ready; exec sleep 1000"):
        os.environ["TMPDIR"] = tmp
        try:
            shell = Session("--join", "--shell", "--", "sh")
        finally:
            if old is None:
                del os.environ["TMPDIR"]
            else:
                os.environ["TMPDIR"] = old
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
    expect(err.startswith("vm/run: timed out after 45 s\nvm/run: vsm ps --why:\ncluster 1 of device 0") and
           "2 arrivals of 2 are missing" in err and "Linux version" not in err, err)
    with subprocess.Popen([RUN, "--kernel", kernel, "--no-stdin", "--", *program], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": tmp},
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as proc:
        expect(proc.stdout.readline() == "ready\n", "the command did not start")
        while "are missing" not in join(tmp, "--join", "--", vsm, "ps")[1]:
            expect(proc.poll() is None, "the program ended")
        proc.send_signal(signal.SIGINT)
        err = proc.communicate()[1]
    expect(proc.returncode == -signal.SIGINT and "2 arrivals of 2 are missing" in err, err)
