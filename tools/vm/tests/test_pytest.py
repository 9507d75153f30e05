# SPDX-License-Identifier: MIT
"""Tests for pytest, which a plugin of the Python package runs in a virtual machine."""

import os
import subprocess

from harness import TOP, Wrong, expect, test, with_directory

TESTS = """
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


def python():
    """The python3 that has what the Python package needs."""
    for name in ("python3", "/usr/bin/python3"):
        if not subprocess.run([name, "-c", "import cffi, pytest"], stderr=subprocess.DEVNULL,
                              check=False).returncode:
            return name
    raise Wrong("there is no python3 with cffi and pytest: run `make setup`")


@test("guest")
@with_directory
def tests_of_pytest_come_out_of_the_virtual_machine(kernel, tmp):
    with open(os.path.join(tmp, "test_it.py"), "w", encoding="ascii") as f:
        f.write(TESTS)
    done = subprocess.run([python(), "-m", "pytest", "-p", "pytest_vsm", "-p", "no:cacheprovider",
                           f"--vsm-kernel={kernel}", "--vsm-timeline=lines"],
                          cwd=tmp, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, text=True,
                          env=dict(os.environ, PYTHONPATH=os.path.join(TOP, "userlib/python")))
    expect("1 failed, 2 passed" in done.stdout and "the seed is 3" in done.stdout, done.stdout)
    expect(os.listdir(os.path.join(tmp, "lines")) == ["test_it.py-test_there-seed3.trace"],
           done.stdout)
