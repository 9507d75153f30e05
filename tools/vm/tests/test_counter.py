# SPDX-License-Identifier: MIT
"""The choice of programs in tools/test, without a virtual machine."""

import importlib.machinery
import importlib.util
import os
import subprocess

from harness import TOP, Wrong, expect, test

TEST = os.path.join(TOP, "tools/test")


def loaded(name, path):
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


counter = loaded("counter", TEST)

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
