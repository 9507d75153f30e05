# SPDX-License-Identifier: MIT
"""A copy fills a tile of shared memory. One of two threads makes a mistake first."""

import vsm

with vsm.Device() as device:
    cluster = device.cluster(threads=32, smem_bytes=8192)
    bar, tile = cluster.address(0, 0), cluster.address(0, 1024)
    producer, consumer = cluster.thread(0, 0), cluster.thread(0, 1)
    buffer = device.buffer(4096)
    buffer.array("f4")[:] = 42

    # The mbarrier expects one arrival and 4096 bytes. The consumer must not arrive, too.
    producer.mbarrier_init(bar, 1)
    producer.mbarrier_arrive_expect_tx(bar, 4096, vsm.Qual.SINK)
    try:
        consumer.mbarrier_arrive(bar, vsm.Qual.SINK)
    except vsm.Fault as fault:
        print(fault)

    # A refused instruction has no effect. The copy completes the phase.
    producer.cp_async_bulk_g2s(tile, buffer, 0, 4096, bar)
    consumer.await_parity(bar, 0)
    print("the tile holds", cluster.array(0, "f4", offset=1024, shape=(32, 32))[31, 31])
