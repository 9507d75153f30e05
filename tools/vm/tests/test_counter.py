# SPDX-License-Identifier: MIT
"""The choice of programs in tools/test, without a virtual machine."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import signal
import subprocess
import sys
import tempfile

from harness import TOP, Wrong, expect, test

TEST = os.path.join(TOP, "tools/test")


def loaded(name, path):
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


counter = loaded("counter", TEST)


def counted(*lines):
    """Returns how many results of a program that prints these lines count as passed and as failed."""
    tally = counter.Tally()
    tap = counter.Tap("a program", tally)
    with contextlib.redirect_stdout(None):
        for line in lines:
            tap.line(line)
        tap.close(0)
    return tally.passed, tally.failed


@test("unit")
def results_are_counted():
    expect(counted("1..2", "ok 1", "ok 2") == (2, 0), "with a plan before them")
    expect(counted("ok 1", "ok 2", "1..2") == (2, 0), "with a plan after them")
    expect(counted("1..1", "ok 1", "1..2", "ok 1", "ok 2") == (3, 0), "of two programs")
    expect(counted("ok 1", "1..1", "ok 1", "ok 2", "1..2") == (3, 0), "of two with plans after them")
    expect(counted("1..1", "ok 1", "ok 1", "ok 2", "1..2") == (3, 0), "of one of each")
    expect(counted("1..1", "not ok 1") == (0, 1), "if one failed")


@test("unit")
def results_that_are_missing_are_failures():
    for lines in (("1..3", "ok 1", "ok 2"), ("ok 1", "ok 2", "1..3"), ("ok 1", "ok 2"),
                  ("1..1", "ok 1", "ok 2"), ("ok 1", "1..1", "ok 1", "ok 2"),
                  ("1..2", "ok 1", "1..2", "ok 1", "ok 2"), ("ok 1", "ok 1", "1..1"),
                  ("1..2", "ok 1", "ok 1", "1..1")):
        expect(counted(*lines)[1] == 1, f"are noticed in {lines}: {counted(*lines)}")
    expect(counted()[1] == 1 and counted("1..0")[1] == 1, "if there are none")
    expect(counted("1..0 # SKIP", "ok 1", "1..1") == (1, 0), "but not if another program has some")


@test("unit")
def what_prints_nothing_any_more_is_ended():
    counter.adopt()
    printed = []
    with contextlib.redirect_stdout(None):
        try:
            counter.stream(["sh", "-c", "(sleep 1000 &); echo ok 1; printf 'Continue? '"], printed.append, silent=2)
        except counter.Silent as silent:
            printed.append(str(silent))
    expect(printed == ["ok 1", "Continue? ", "printed nothing for 2 s, and was ended"], f"printed {printed}")
    expect(not counter.descendants(), f"left {counter.descendants()}")
    with contextlib.redirect_stdout(None):
        status = counter.stream(["sh", "-c", "printf 'a\\r\\nb'; exit 3"], printed.append)
    expect((status, printed[3:]) == (3, ["a", "b"]), f"another one gave {status} after {printed}")


@test("unit")
def a_signal_ends_all_and_is_a_failure():
    code = """
from test_counter import counter
counter.run = lambda *_: counter.stream(["sh", "-c", "echo ok 1; sleep 1000; true"], print)
counter.sys.argv = ["test", "userlib"]
counter.main()
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env={**os.environ, "PYTHONPATH": os.path.dirname(__file__)}) as proc:
        expect(proc.stdout.readline() == "ok 1\n", "does not start")
        proc.send_signal(signal.SIGTERM)
        out = proc.communicate(timeout=60)[0]
    expect(proc.returncode == 1 and "userlib: ended by signal 15\n" in out and out.endswith("0 passed, 1 failed\n"),
           f"status {proc.returncode}\n{out}")


@test("unit")
def an_unknown_program_is_reported():
    listed = ["a/one", "b/two"]
    expect(counter.chosen(listed, None) == listed, "all are not chosen")
    expect(counter.chosen(listed, ("two",)) == ["b/two"], "one is not chosen")
    try:
        counter.chosen(listed, ("one", "tow"))
    except counter.UnknownProgram as error:
        expect("no program tow" in str(error), f"says: {error}")
    else:
        raise Wrong("is not noticed")


@test("unit")
def only_chosen_programs_are_built_if_they_can_be():
    expect(counter.targets(("mbarrier", "exec")) == [f"{TOP}/build/selftests/{name}" for name in ("mbarrier", "exec")],
           "programs of selftests/vsm")
    expect(counter.targets(("mbarrier", "scenarios")) == [], "a program of another folder")


@test("unit")
def all_programs_have_different_names():
    listed = subprocess.run(["make", "-s", "--no-print-directory", "-C", "selftests/vsm", "list"],
                            cwd=TOP, stdout=subprocess.PIPE, check=True).stdout.decode().split()
    names = [counter.name_of(program) for program in listed]
    expect(len(set(names)) == len(names), f"are {sorted(names)}")
    expect("kernels" in names and "run.sh" not in names, "have the names of their files")


@test("unit")
def every_program_of_a_hunt_exists():
    listed = subprocess.run(["make", "-s", "--no-print-directory", "-C", "selftests/vsm", "list"],
                            cwd=TOP, stdout=subprocess.PIPE, check=True).stdout.decode().split()
    for hunt in counter.HUNTS.values():
        try:
            counter.chosen(listed, hunt.programs)
        except counter.UnknownProgram as error:
            raise Wrong(str(error)) from None


@test("unit")
def a_module_needs_a_kernel():
    for part in ("unit", "runner"):
        done = subprocess.run([TEST, "--ko", "vsm.ko", part], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        expect(done.returncode == 1 and b"take none" in done.stdout, done.stdout.decode())


@test("unit")
def parts_side_by_side_are_added_up():
    script = """
from test_counter import counter
import os, sys
counter.build = lambda tally: None
def run(part, tally, module):
    counter.program(tally, part, part, ["sh", "-c", f"echo 1..1; sleep 0.1; echo ok 1 {part}" if part != "tools"
                                        else "echo 1..2; echo ok 1; echo not ok 2 bad"])
counter.run = run
counter.__file__ = __file__
counter.main()
"""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as f:
        f.write(script)
        f.flush()
        done = subprocess.run([sys.executable, f.name, "userlib", "tools", "Documentation"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": os.path.dirname(__file__)})
    out = done.stdout
    expect(done.returncode == 1 and out.endswith("3 passed, 1 failed\n"), f"status {done.returncode}\n{out}")
    for piece in ("# userlib\n1..1\nok 1 userlib\n", "# tools\n1..2\nok 1\nnot ok 2 bad\n",
                  "# failed:\n#   tools: not ok 2 bad\n"):
        expect(piece in out, f"no {piece!r} in\n{out}")
