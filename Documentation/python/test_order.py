# SPDX-License-Identifier: MIT
"""Two copies write the same bytes after each other. The second one must win in every order."""

import pytest

from vsm import Qual


@pytest.mark.vsm_seeds(range(1, 5))
def test_last_copy_wins(vsm_device):
    cluster = vsm_device.cluster()
    thread, bar = cluster.thread(0, 0), cluster.address(0, 0)
    thread.mbarrier_init(bar, 1)
    for phase, value in enumerate((1, 2)):
        buffer = vsm_device.buffer(64)
        buffer.array()[:] = value
        thread.mbarrier_arrive_expect_tx(bar, 64, Qual.SINK)
        thread.cp_async_bulk_g2s(cluster.address(0, 64), buffer, 0, 64, bar)
        thread.await_parity(bar, phase)
    assert (cluster.array(0, offset=64, shape=64) == 2).all()
