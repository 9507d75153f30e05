# SPDX-License-Identifier: MIT
"""What goes into a virtual machine, and what comes out of it."""

import json
import os
import signal
import struct
import subprocess
import tempfile
from xml.etree import ElementTree

from harness import HERE, RUN, TOP, Wrong, called, expect, read, test, with_directory
import common
from test_stall import start

NO_BOOT = ["--append", "rdinit=/none"]
# The log shows the kernel's parameters. They look like the message of a stray breakpoint here.
BREAKPOINT = ["--append", '"int3: 0000"']


def boots(kernel, *more):
    """Returns how often a guest that cannot boot has booted again, and what the runner says."""
    proc = start(kernel, "true", more=[*NO_BOOT, *more])
    err = proc.communicate()[1]
    expect(proc.returncode == 125 and "did not boot" in err, f"status {proc.returncode}\n{err}")
    return err.count("boots again"), err


@test("guest")
def a_guest_that_meets_a_stray_breakpoint_boots_again_once(kernel):
    again, err = boots(kernel, "--accel", "tcg", "--smp", "2", *BREAKPOINT)
    expect(again == 1 and "qemu may be at fault: it emulates" in err, err)
    expect(not boots(kernel, "--accel", "tcg", "--smp", "2")[0], "boots again without a reason")
    expect(not boots(kernel, "--accel", "tcg", "--smp", "1", *BREAKPOINT)[0],
           "one processor meets no stray breakpoint")


@test("guest")
@with_directory
def two_signals_at_once_end_a_run_as_one_does(kernel, tmp):
    # A shell that starts the tests in the background has made them ignore SIGINT.
    with subprocess.Popen([RUN, "--kernel", kernel, "--no-module", "--no-stdin", "--", "sh", "-c",
                           "echo ready; exec sleep 1000"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": tmp},
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as proc:
        expect(proc.stdout.readline() == "ready\n", "the command did not start")
        proc.send_signal(signal.SIGSTOP)
        proc.send_signal(signal.SIGINT)
        proc.send_signal(signal.SIGTERM)
        proc.send_signal(signal.SIGCONT)
        err = proc.communicate()[1]
    expect((proc.returncode, err) == (-signal.SIGINT, ""), f"status {proc.returncode}\n{err}")
    expect(not os.listdir(tmp), f"left {os.listdir(tmp)}")


@test("guest")
@with_directory
def a_signal_just_before_a_system_call_is_not_lost(kernel, tmp):
    late = os.path.join(tmp, "late.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", late, os.path.join(TOP, "tools/tests/late.c")],
                   check=True)
    with subprocess.Popen([RUN, "--kernel", kernel, "--no-module", "--no-stdin", "--", "sh", "-c",
                           "echo ready; exec sleep 1000"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "LD_PRELOAD": late}) as proc:
        expect(proc.stdout.readline() == "ready\n", "the command did not start")
        # The runner has printed the line, and goes on to wait for the next one.
        proc.send_signal(signal.SIGTERM)
        try:
            err = proc.communicate(timeout=60)[1]
        except subprocess.TimeoutExpired:
            proc.kill()
            raise Wrong("is lost") from None
    expect((proc.returncode, err) == (-signal.SIGTERM, ""), f"status {proc.returncode}\n{err}")


def fetch(kernel, files, script):
    """Runs a script without the device, in the current folder. Returns its status and what it
    printed to standard error."""
    names = [word for name in files for word in ("--fetch", name)]
    done = subprocess.run([RUN, "--kernel", kernel, "--no-module", "--no-stdin", *names, "--", "sh",
                           "-c", script],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
    return done.returncode, done.stderr


@test("guest")
@with_directory
def files_that_fetch_names_come_back(kernel, tmp):
    old = os.getcwd()
    os.chdir(tmp)
    try:
        status, err = fetch(kernel, ["a", f"{tmp}/b", "none"], "seq 100000 > a; : > b; : > c; exit 3")
        expect((status, err) == (3, ""), f"status {status}\n{err}")
        expect(read("a") == "".join(f"{i}\n" for i in range(1, 100001)), "a differs")
        expect(sorted(os.listdir()) == ["a", "b"], os.listdir())
        status, err = fetch(kernel, ["a", "none"], "echo new > a")
        expect(status == common.STATUS_FAILED and "none: the command did not write" in err,
               f"status {status}\n{err}")
        expect(read("a") == "new\n", "a is not new")
        # A file of an earlier run is no result of this one.
        status, err = fetch(kernel, ["a"], "cat a")
        expect(status == common.STATUS_FAILED and "a: the command did not write" in err,
               f"status {status}\n{err}")
        status, err = fetch(kernel, ["a"], "echo more >> a")
        expect((status, err) == (0, "") and read("a") == "new\nmore\n", f"status {status}\n{err}")
        # /proc/self/mem cannot be read at its beginning.
        status, err = fetch(kernel, ["a", "a", f"{tmp}/./a", "b", "folder", "fifo", "unreadable"],
                            "echo a > a; echo b > b; mkdir folder; mkfifo fifo; "
                            "ln -s /proc/self/mem unreadable")
        expect(status == common.STATUS_FAILED and err == "".join(
            f"vm/run: --fetch {tmp}/{name}: {why}\n" for name, why in (
                ("folder", "not a regular file"), ("fifo", "not a regular file"),
                ("unreadable", "Input/output error"))), f"status {status}\n{err}")
        expect((read("a"), read("b")) == ("a\n", "b\n"), "a and b differ")
        expect(sorted(os.listdir()) == ["a", "b"], os.listdir())
    finally:
        os.chdir(old)


# --- results of vsm in a virtual machine -----------------------------------------


def vsm(kernel, command, *arguments):
    """Runs a command of vsm with --vm. Returns its standard output."""
    program = os.path.join(TOP, "build/tools/vsm")
    done = subprocess.run([program, command, f"--vm={kernel}", *arguments],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, text=True)
    expect(done.returncode == 0, f"status {done.returncode}\n{done.stderr}")
    return done.stdout


@test("guest")
def results_of_scenarios_come_out_of_the_virtual_machine(kernel):
    scenario = os.path.join(TOP, "Documentation/start/first.vsm")
    with tempfile.TemporaryDirectory() as tmp:
        files = [os.path.join(tmp, name) for name in ("json", "junit")]
        ktap = vsm(kernel, "run", f"--json={files[0]}", f"--junit={files[1]}", scenario)
        expect(f"\nok 1 {scenario}\n" in ktap, ktap)
        expect(json.loads(read(files[0]))["counts"] == {"pass": 1, "fail": 0, "skip": 0},
               read(files[0]))
        suites = ElementTree.fromstring(read(files[1]))
        expect(suites.get("tests") == "1" and suites.get("failures") == "0", read(files[1]))
    printed = json.loads(vsm(kernel, "run", "--json", scenario))
    expect(printed["files"][0]["file"] == scenario and printed["result"] == "pass", printed)


@test("guest")
def results_of_kernels_come_out_beside_their_buffers(kernel):
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(TOP, "selftests/kernels/tile.ptx")
        out = os.path.join(tmp, "out")
        printed = vsm(kernel, "launch", path, "tile", "--block", "256", "--arg", "buf:1K:iotaf",
                      "--arg", f"buf:65K:out={out}", "--arg", "i32:1024",
                      f"--json={tmp}/json", "--junit", "--color=always")
        expect(ElementTree.fromstring(printed).get("tests") == "1", printed)
        expect(json.loads(read(f"{tmp}/json"))["result"] == "pass", read(f"{tmp}/json"))
        with open(out, "rb") as f:
            data = f.read()
        doubled = struct.pack("<256f", *range(0, 512, 2))
        expect(data == doubled.ljust(65 << 10, b"\0"), "the buffer")


# --- pytest, which a plugin of the Python package runs in a virtual machine -------


PYTEST = """
import pytest, vsm

def test_here():
    assert not vsm.devices()

@pytest.mark.vsm_seeds([0, 3])
def test_there(vsm_device, vsm_seed):
    cluster = vsm_device.cluster()
    cluster.thread(0, 0).mbarrier_init(0, 1)
    assert vsm_device.model(shuffle_seed=vsm_seed) == {"shuffle_seed": vsm_seed}
    print("the seed is", vsm_seed)
    assert vsm_seed == 0
"""

PYTEST_HANGS = """
import vsm  # this may take longer than the limit
def test_hangs(vsm_device):
    thread = vsm_device.cluster().thread(0, 0)
    thread.mbarrier_init(64, 2)
    thread.mbarrier_arrive(64)
    thread.await_parity(64, 0)

def test_after(vsm_device):
    vsm_device.cluster()
"""


def pytest_python():
    """The python3 that has what the Python package needs."""
    for name in ("python3", "/usr/bin/python3"):
        if not subprocess.run([name, "-c", "import cffi, pytest"], stderr=subprocess.DEVNULL,
                              check=False).returncode:
            return name
    raise Wrong("there is no python3 with cffi and pytest: run `make setup`")


def pytest_prints(kernel, tmp, text, *options):
    """Runs the tests of a text with pytest in a folder. Returns what pytest prints."""
    with open(os.path.join(tmp, "test_it.py"), "w", encoding="ascii") as f:
        f.write(text)
    return subprocess.run([pytest_python(), "-m", "pytest", "-p", "pytest_vsm", "-p", "no:cacheprovider",
                           f"--vsm-kernel={kernel}", *options],
                          cwd=tmp, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, text=True,
                          env=dict(os.environ, PYTHONPATH=os.path.join(TOP, "userlib/python"))).stdout


@test("guest")
@with_directory
def tests_of_pytest_come_out_of_the_virtual_machine(kernel, tmp):
    out = pytest_prints(kernel, tmp, PYTEST, "--vsm-timeline=lines")
    expect("1 failed, 2 passed" in out and "the seed is 3" in out, out)
    expect(os.listdir(os.path.join(tmp, "lines")) == ["test_it.py-test_there-seed3.trace"], out)


@test("guest")
@with_directory
def a_test_of_pytest_that_hangs_says_why_and_the_others_run(kernel, tmp):
    out = pytest_prints(kernel, tmp, PYTEST_HANGS, "--vsm-timeout=30")
    expect("1 failed, 1 passed" in out and out.count("vsm: booting a virtual machine") == 2, out)
    expect("thread.await_parity(64, 0)" in out and "test_hangs has not ended after 30 s." in out, out)
    expect("waits for the phase of parity 0 of the mbarrier in CTA 0 (offset 64)" in out and
           "1 arrival of 2 is missing" in out, out)


# --- arm64 -----------------------------------------------------------------------


@test("arm64")
@with_directory
def a_program_for_arm64_uses_the_device(kernel, tmp):
    program = os.path.join(tmp, "first")
    flags = subprocess.run(["pkg-config", "--cflags", "libdrm"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split()
    # The headers of libdrm are the same for all processors, and so are the kernel's below them.
    status, _, err = called("-static", "-Wall", f"-I{TOP}/uapi/drm", *flags, "-idirafter", "/usr/include",
                            "-o", program, f"{TOP}/Documentation/start/first.c",
                            f"{HERE}/tests/libdrm.c", program="aarch64-linux-gnu-gcc")
    expect(status == 0, err)
    for more in [], ["--smp", "1", "--icount"]:
        status, out, err = called("--kernel", kernel, *more, "--", program)
        expect(status == 0 and "1..2\nok 1 " in out and "\nok 2 " in out, f"status {status}\n{out}{err}")


@test("arm64")
def a_program_for_another_processor_cannot_be_executed(kernel):
    status, _, err = called("--kernel", kernel, "--no-module", "--", "true")
    expect(status == 126 and "Exec format error" in err, f"status {status}\n{err}")
