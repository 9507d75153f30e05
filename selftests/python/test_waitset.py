# SPDX-License-Identifier: MIT
"""Wait sets, with and without asyncio."""

import asyncio
import errno

import pytest

import vsm
from vsm import Qual, insn
from vsm.enums import WaitStatus


@pytest.fixture
def waitset(device):
    return device.waitset()


@pytest.fixture
def thread(cluster):
    return cluster.thread(0, 0)


def test_records_name_their_waits(waitset, cluster, bar, thread):
    token = thread.mbarrier_arrive(bar)
    first = waitset.arm_phase(cluster, bar, token, tag="first")
    second = waitset.arm_parity(cluster, bar, 1)
    assert len(waitset) == 2
    record, = waitset.read()
    assert record.wait is first and record.wait.tag == "first"
    assert record.status is WaitStatus.COMPLETE and record.result() is None
    assert waitset.read(0) == [] == waitset.read(0.01)
    thread.mbarrier_arrive(bar, Qual.SINK)
    assert [r.wait for r in waitset.read()] == [second]
    assert len(waitset) == 0


def test_expired_wait_is_a_timeout(waitset, cluster, bar):
    waitset.arm_parity(cluster, bar, 0, timeout=0.01)
    record, = waitset.read()
    with pytest.raises(TimeoutError, match="parity 0 of 0x0"):
        record.result()


def test_instructions_of_many_threads(waitset, device):
    cluster = device.cluster(threads=32)
    for lane in range(32):
        waitset.arm(cluster.thread(0, lane),
                    insn.vote_sync_ballot(lane % 2 == 0, 0xffffffff), tag=lane)
    records = []
    while len(records) < 32:
        records += waitset.read()
    assert {record.wait.tag for record in records} == set(range(32))
    assert {record.result() for record in records} == {0x55555555}


def test_cancelled_wait_has_no_record(waitset, cluster, bar, thread):
    wait = waitset.arm_parity(cluster, bar, 0)
    assert waitset.cancel(wait) and len(waitset) == 0
    thread.mbarrier_arrive(bar, Qual.SINK)
    assert waitset.read(0) == []
    wait = waitset.arm_parity(cluster, bar, 0)
    assert not waitset.cancel(wait)
    assert [record.wait for record in waitset.read()] == [wait]


def test_refused_wait_raises_a_fault(waitset, cluster, bar, thread):
    with pytest.raises(vsm.Fault) as caught:
        waitset.arm_parity(cluster, 4, 0)
    assert caught.value.code is vsm.FaultCode.MISALIGNED
    with pytest.raises(vsm.Fault) as caught:
        waitset.arm(thread, insn.bar_warp_sync(2))
    assert caught.value.code is vsm.FaultCode.NOT_IN_MASK
    assert "membermask" in caught.value.sentence
    with pytest.raises(OSError) as other:
        waitset.arm(thread, insn.mbarrier_arrive(bar))
    assert other.value.errno == errno.EINVAL
    assert len(waitset) == 0


def test_deadlock_in_a_wait_set_is_a_fault(waitset, device):
    cluster = device.cluster(threads=1)
    thread = cluster.thread(0, 0, no_limit=True)
    thread.mbarrier_init(0, 1)
    waitset.arm(thread, insn.mbarrier_try_wait_parity(0, 0))
    record, = waitset.read()
    with pytest.raises(vsm.Fault) as caught:
        record.result()
    assert caught.value.code is vsm.FaultCode.DEADLOCK


def test_lost_cluster_and_device(waitset, device, cluster, bar):
    other = device.cluster()
    waitset.arm_parity(cluster, bar, 0, tag="cluster")
    other.thread(0, 0).mbarrier_init(0, 1)
    waitset.arm_parity(other, 0, 0, tag="device")
    device.inject(vsm.InjectWhere.EXEC, vsm.InjectWhat.LOSE_CLUSTER, object=cluster, times=1)
    with pytest.raises(vsm.ClusterLost):
        cluster.thread(0, 0).mbarrier_arrive(bar)
    record, = waitset.read()
    assert record.wait.tag == "cluster"
    with pytest.raises(vsm.ClusterLost):
        record.result()
    assert waitset.read(0) == []


def test_closed_wait_set_says_so(waitset, cluster, bar):
    waitset.close()
    with pytest.raises(ValueError, match="the WaitSet is closed"):
        waitset.arm_parity(cluster, bar, 0)
    with pytest.raises(ValueError, match="the WaitSet is closed"):
        waitset.read()


# --- asyncio --------------------------------------------------------------------


def test_phases_are_awaited(waitset, cluster, bar, thread):
    async def main():
        first = asyncio.ensure_future(waitset.parity(cluster, bar, 0))
        await asyncio.sleep(0)
        assert not first.done()
        token = thread.mbarrier_arrive(bar)
        await first
        await waitset.phase(cluster, bar, token)
        with pytest.raises(TimeoutError):
            await waitset.parity(cluster, bar, 1, timeout=0.01)

    asyncio.run(main())
    # Another event loop may use it then.
    asyncio.run(waitset.parity(cluster, bar, 0))


def test_threads_meet_at_a_barrier_in_one_task_each(waitset, device):
    cluster = device.cluster(threads=32)

    async def lane(number):
        total = await waitset.execute(cluster.thread(0, number),
                                      insn.redux_sync(vsm.Red.ADD, vsm.Type.U32, number,
                                                      0xffffffff))
        _, pred = await waitset.execute(cluster.thread(0, number), insn.elect_sync(0xffffffff))
        return total, pred

    async def main():
        return await asyncio.gather(*map(lane, range(32)))

    assert asyncio.run(main()) == [(sum(range(32)), number == 0) for number in range(32)]


def test_cancelled_task_disarms_its_wait(waitset, cluster, bar, thread):
    async def main():
        task = asyncio.ensure_future(waitset.parity(cluster, bar, 0))
        await asyncio.sleep(0)
        assert len(waitset) == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(waitset) == 0
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(waitset.parity(cluster, bar, 0), 0.01)

    asyncio.run(main())
    assert len(waitset) == 0


def test_cancelled_task_loses_no_record(waitset, cluster, bar, thread):
    """The phase completes, and the task is cancelled before the event loop reads the record."""
    async def main():
        task = asyncio.ensure_future(waitset.parity(cluster, bar, 0))
        await asyncio.sleep(0)
        thread.mbarrier_arrive(bar, Qual.SINK)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return [record.status async for record in waitset]

    assert asyncio.run(main()) == [WaitStatus.COMPLETE]
    assert len(waitset) == 0


def test_cancelled_task_loses_no_record_that_was_read(waitset, cluster, bar, thread):
    """The event loop reads the record, and the task is cancelled before it runs again."""
    async def main():
        task = asyncio.ensure_future(waitset.parity(cluster, bar, 0))
        await asyncio.sleep(0)
        thread.mbarrier_arrive(bar, Qual.SINK)
        waitset._readable()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert [record.status for record in waitset.read()] == [WaitStatus.COMPLETE]


def test_records_are_iterated(waitset, cluster, bar, thread):
    async def main():
        cluster.thread(0, 1).mbarrier_init(64, 1)
        waitset.arm_parity(cluster, bar, 0, tag="first")
        waitset.arm_parity(cluster, 64, 0, tag="second")
        awaited = asyncio.ensure_future(waitset.parity(cluster, 64, 0))
        seen = []
        thread.mbarrier_arrive(bar, Qual.SINK)
        async for record in waitset:
            seen.append(record.wait.tag)
            if len(seen) == 1:
                thread.mbarrier_arrive(64, Qual.SINK)
        await awaited
        return seen

    assert asyncio.run(main()) == ["first", "second"]


def test_iteration_without_waits_ends(waitset):
    async def main():
        return [record async for record in waitset]

    assert asyncio.run(main()) == []


def test_refused_instruction_is_raised_where_it_is_awaited(waitset, thread):
    with pytest.raises(vsm.Fault) as caught:
        asyncio.run(waitset.execute(thread, insn.bar_warp_sync(2)))
    assert caught.value.code is vsm.FaultCode.NOT_IN_MASK


def test_record_of_an_awaiting_task_goes_to_it(waitset, cluster, bar, thread):
    async def main():
        task = asyncio.ensure_future(waitset.parity(cluster, bar, 0))
        await asyncio.sleep(0)
        thread.mbarrier_arrive(bar, Qual.SINK)
        assert waitset.read(0) == []
        await task

    asyncio.run(main())


def test_wait_set_belongs_to_one_event_loop_at_a_time(waitset, cluster, bar):
    async def inner():
        with pytest.raises(RuntimeError, match="another event loop"):
            await waitset.parity(cluster, bar, 0)

    async def main():
        task = asyncio.ensure_future(waitset.parity(cluster, bar, 0))
        await asyncio.sleep(0)
        await asyncio.get_running_loop().run_in_executor(None, asyncio.run, inner())
        assert len(waitset) == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_lost_device_ends_all_waits(spare):
    spare_device, unplug = spare
    waitset, cluster = spare_device.waitset(), spare_device.cluster()
    cluster.thread(0, 0).mbarrier_init(0, 1)

    async def main():
        task = asyncio.ensure_future(waitset.parity(cluster, 0, 0))
        await asyncio.sleep(0)
        unplug()
        with pytest.raises(vsm.DeviceLost):
            cluster.thread(0, 0).mbarrier_arrive(0)
        with pytest.raises(vsm.DeviceLost):
            await task
        with pytest.raises(vsm.DeviceLost):
            await waitset.parity(cluster, 0, 0)

    asyncio.run(main())
    with pytest.raises(vsm.DeviceLost):
        waitset.read()
    with pytest.raises(vsm.DeviceLost):
        spare_device.buffer(1)


def test_closed_wait_set_ends_what_awaits(waitset, cluster, bar):
    async def collect():
        return [record async for record in waitset]

    async def main():
        waitset.arm_parity(cluster, bar, 0)
        tasks = [asyncio.ensure_future(waitset.parity(cluster, bar, 0)),
                 asyncio.ensure_future(collect())]
        await asyncio.sleep(0)
        waitset.close()
        for task in tasks:
            with pytest.raises(ValueError, match="the WaitSet is closed"):
                await task

    asyncio.run(main())
