# SPDX-License-Identifier: MIT
"""What the tests of this folder use."""

import os
import subprocess

import pytest

import vsm

CONFIGFS = "/sys/kernel/config"


@pytest.fixture
def device():
    with vsm.Device() as opened:
        yield opened


@pytest.fixture
def cluster(device):
    return device.cluster(ctas=2, threads=64, smem_bytes=8192)


@pytest.fixture
def bar(cluster):
    """An mbarrier at the begin of CTA 0, which expects one arrival."""
    addr = cluster.address(0, 0)
    cluster.thread(0, 0).mbarrier_init(addr, 1)
    return addr


@pytest.fixture
def spare():
    """A device of its own, and a function that unplugs it."""
    if not os.path.isdir(CONFIGFS + "/vsm"):
        subprocess.run(["mount", "-t", "configfs", "none", CONFIGFS], check=True)
    folder, before = CONFIGFS + "/vsm/python", vsm.devices()

    def enable(value):
        with open(folder + "/enabled", "w", encoding="ascii") as f:
            f.write(value)

    os.mkdir(folder)
    try:
        enable("1")
        new, = set(vsm.devices()) - set(before)
        with vsm.Device(new) as opened:
            yield opened, lambda: enable("0")
    finally:
        os.rmdir(folder)
