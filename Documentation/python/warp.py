# SPDX-License-Identifier: MIT
"""Each lane of a warp is a task of asyncio. The lanes wait for each other and for an mbarrier."""

import asyncio

import vsm
from vsm import insn


async def lane(waitset, cluster, number):
    total = await waitset.execute(
        cluster.thread(0, number),
        insn.redux_sync(vsm.Red.ADD, vsm.Type.U32, number, 0xffffffff))
    if number == 5:
        cluster.thread(0, number).mbarrier_arrive(0, vsm.Qual.SINK)
    await waitset.parity(cluster, 0, 0, timeout=10)
    return total


async def main():
    with vsm.Device() as device:
        cluster, waitset = device.cluster(threads=32), device.waitset()
        cluster.thread(0, 0).mbarrier_init(0, 1)
        totals = await asyncio.gather(*(lane(waitset, cluster, i) for i in range(32)))
        print("all lanes have the sum", *set(totals))


asyncio.run(main())
