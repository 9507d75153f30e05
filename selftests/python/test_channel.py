# SPDX-License-Identifier: MIT
"""Jobs, channels and fences."""

import asyncio
import errno
import os
import signal
import threading

import pytest

import vsm
from vsm import Qual, insn


@pytest.fixture
def arrive(cluster, bar):
    """A job that arrives at the mbarrier."""
    return cluster.thread(0, 0), [insn.mbarrier_arrive(bar, Qual.SINK)]


def test_job_signals_its_fence(device, cluster, bar, arrive):
    done = device.syncobj()
    device.channel0.submit(*arrive, signals=[done])
    done.wait()
    assert done.status()
    assert cluster.mbarrier(bar).phase == 1


def test_jobs_follow_each_other_on_a_timeline(device, cluster):
    timeline, hold = device.syncobj(), device.syncobj()
    held = hold.hold()
    first, second = device.channel(), device.channel(priority=vsm.Priority.LOW)
    cluster.thread(0, 0).mbarrier_init(64, 2)
    job = cluster.thread(0, 0), [insn.mbarrier_arrive(64, Qual.SINK)]
    first.submit(*job, waits=[hold], signals=[(timeline, 1)])
    second.submit(*job, waits=[(timeline, 1)], signals=[(timeline, 2)])
    with pytest.raises(TimeoutError):
        timeline.wait(2, timeout=0.01)
    assert not timeline.status(1)
    held.release()
    timeline.wait(2)
    assert cluster.mbarrier(64).phase == 1


def test_failed_job_is_an_exception(device, cluster, bar):
    done = device.syncobj()
    device.channel0.submit(cluster.thread(0, 0), [insn.mbarrier_arrive_expect_tx(bar, 8, Qual.SINK),
                                                  insn.mbarrier_arrive(bar, Qual.SINK)],
                           signals=[done])
    with pytest.raises(vsm.JobFailed) as caught:
        done.wait()
    assert caught.value.errno == errno.EIO
    with pytest.raises(vsm.JobFailed):
        done.status()
    fault, = device.faults(60)
    assert fault.record.source == vsm.enums.FaultSource.JOB
    assert fault.code is vsm.FaultCode.ARRIVAL_OVERFLOW


def test_cancelled_job_is_an_exception(device, arrive):
    done, hold = device.syncobj(), device.syncobj()
    channel = device.channel()
    with hold.hold():
        channel.submit(*arrive, waits=[hold], signals=[done])
        channel.close()
        with pytest.raises(vsm.JobFailed) as caught:
            done.wait()
    assert caught.value.errno == errno.ECANCELED
    with pytest.raises(ValueError, match="the Channel is closed"):
        channel.submit(*arrive)


def test_refused_job_raises_a_fault(device, cluster, bar):
    with pytest.raises(OSError, match="barrier.cta.sync") as caught:
        device.channel0.submit(cluster.thread(0, 0), [insn.barrier_sync(0)])
    assert caught.value.errno == errno.EINVAL
    with pytest.raises(vsm.Fault) as fault:
        device.channel0.submit(cluster.thread(0, 0), [insn.mbarrier_arrive(bar + 4, Qual.SINK)])
    assert fault.value.code is vsm.FaultCode.MISALIGNED


def test_syncobj_without_a_fence(device):
    with pytest.raises(OSError) as caught:
        device.syncobj().wait()
    assert caught.value.errno == errno.EINVAL


def test_sync_file_carries_the_fence(device, arrive):
    done, other = device.syncobj(), device.syncobj()
    device.channel0.submit(*arrive, signals=[done])
    fd = done.export_sync_file()
    other.import_sync_file(fd)
    os.close(fd)
    other.wait(timeout=60)
    with pytest.raises(OSError):
        other.import_sync_file(0)


def test_hold_can_fail(device, arrive):
    hold, done = device.syncobj(), device.syncobj()
    held = hold.hold(timeout=5)
    device.channel0.submit(*arrive, waits=[hold], signals=[done])
    held.release(errno.EIO)
    with pytest.raises(vsm.JobFailed):
        done.wait()
    with pytest.raises(ValueError, match="the Hold is closed"):
        held.release()


def test_task_awaits_a_fence(device, cluster, bar, arrive):
    done, hold = device.syncobj(), device.syncobj()
    held = hold.hold()
    device.channel0.submit(*arrive, waits=[hold], signals=[done])

    async def main():
        task = asyncio.ensure_future(done.signalled())
        await asyncio.sleep(0)
        assert not task.done()
        held.release()
        await asyncio.wait_for(task, 60)

    asyncio.run(main())
    assert cluster.mbarrier(bar).phase == 1


def test_task_gets_the_error_of_the_fence_that_it_awaits(device, arrive):
    timeline, hold = device.syncobj(), device.syncobj()
    held = hold.hold()
    device.channel0.submit(*arrive, waits=[hold], signals=[(timeline, 3)])

    async def main():
        task = asyncio.ensure_future(timeline.signalled(3))
        await asyncio.sleep(0)
        held.release(errno.EIO)
        with pytest.raises(vsm.JobFailed):
            await asyncio.wait_for(task, 60)

    asyncio.run(main())


def test_cancelled_task_leaves_no_file_open(device, arrive):
    done, hold = device.syncobj(), device.syncobj()

    async def main():
        files = os.listdir("/proc/self/fd")
        task = asyncio.ensure_future(done.signalled())
        await asyncio.sleep(0)
        assert len(os.listdir("/proc/self/fd")) == len(files) + 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert os.listdir("/proc/self/fd") == files

    with hold.hold():
        device.channel0.submit(*arrive, waits=[hold], signals=[done])
        asyncio.run(main())


def test_task_cannot_await_a_fence_that_does_not_exist(device):
    with pytest.raises(OSError) as caught:
        asyncio.run(device.syncobj().signalled())
    assert caught.value.errno == errno.EINVAL


def test_status_of_a_channel(device, cluster, arrive):
    channel = device.channel()
    assert channel.status().status == 0


def test_signal_interrupts_a_wait_for_a_fence(device):
    class Interruption(Exception):
        pass

    def raise_it(*_):
        raise Interruption

    before = signal.signal(signal.SIGUSR1, raise_it)
    timeline = device.syncobj()
    sender = threading.Timer(0.1, signal.pthread_kill,
                             (threading.main_thread().ident, signal.SIGUSR1))
    sender.start()
    try:
        with pytest.raises(Interruption):
            timeline.wait(1)
    finally:
        sender.join()
        signal.signal(signal.SIGUSR1, before)
