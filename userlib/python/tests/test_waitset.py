# SPDX-License-Identifier: MIT
"""What wakes those who wait for a wait set, with a library that ends waits on request."""

import asyncio
import errno
import os
import threading
import time

import pytest

import vsm
from stub import Library
from vsm.enums import WaitStatus

SECONDS = 20


class Waits(Library):
    """Its wait set has the records that :meth:`end` makes."""

    def __init__(self, monkeypatch):
        super().__init__(monkeypatch)
        self.there, self.here = os.pipe()
        self.vsm_device_fd = self.vsm_waitset_fd
        self.armed, self.records, self.error = {}, [], 0

    def vsm_waitset_fd(self, _):
        return self.there

    def vsm_waitset_arm(self, pointer, waits, *_):
        waits[0].id = waits[0].user_data
        self.armed[waits[0].id] = waits[0].user_data
        self.during("vsm_waitset_arm")
        return self.error

    def vsm_waitset_cancel(self, _, number):
        return -errno.ENOENT if self.armed.pop(number, None) is None else self.error

    def vsm_waitset_read(self, _, records, *__):
        if self.error:
            return self.error
        count = len(self.records)
        if count:
            os.read(self.there, count)
        for i in range(count):
            records[i].user_data, records[i].status = self.records.pop(0), WaitStatus.COMPLETE
        return count

    def end(self):
        """End the first wait that is armed."""
        self.records.append(self.armed.pop(min(self.armed)))
        os.write(self.here, b"x")


@pytest.fixture
def library(monkeypatch):
    made = Waits(monkeypatch)
    yield made
    os.close(made.there)
    os.close(made.here)


@pytest.fixture
def waitset(library):
    return vsm.Device().waitset()


@pytest.fixture
def cluster(waitset):
    return waitset.device.cluster()


def run(main):
    async def limited():
        return await asyncio.wait_for(main(), SECONDS)
    return asyncio.run(limited())


async def collect(waitset):
    return [record.status async for record in waitset]


async def started(coroutine):
    task = asyncio.ensure_future(coroutine)
    await asyncio.sleep(0)
    return task


def in_thread(function):
    return asyncio.get_running_loop().run_in_executor(None, function)


def test_iteration_ends_when_its_last_wait_is_cancelled(waitset, cluster):
    async def main():
        wait = waitset.arm_parity(cluster, 0, 0)
        task = await started(collect(waitset))
        assert waitset.cancel(wait)
        return await task

    assert run(main) == []


def test_iteration_ends_when_another_thread_cancels_its_last_wait(waitset, cluster):
    async def main():
        wait = waitset.arm_parity(cluster, 0, 0)
        task = await started(collect(waitset))
        assert await in_thread(lambda: waitset.cancel(wait))
        return await task

    assert run(main) == []


def test_iteration_ends_when_somebody_else_reads_the_last_record(library, waitset, cluster):
    async def main():
        wait = waitset.arm_parity(cluster, 0, 0)
        task = await started(collect(waitset))
        library.end()
        # The event loop does not run before the record is read.
        assert [record.wait for record in waitset.read(0)] == [wait]
        return await task

    assert run(main) == []


def test_iteration_ends_when_arming_fails(library, waitset, cluster):
    async def main():
        going, ending = threading.Event(), threading.Event()

        def during(name):
            if name != "vsm_waitset_arm":
                return
            going.set()
            ending.wait(SECONDS)
            library.error = -errno.ENOMEM

        library.during = during
        arming = in_thread(lambda: waitset.arm_parity(cluster, 0, 0))
        await in_thread(going.wait)
        task = await started(collect(waitset))
        ending.set()
        with pytest.raises(OSError):
            await arming
        library.error = 0
        return await task

    assert run(main) == []


def test_record_of_a_cancelled_task_wakes_the_iteration(library, waitset, cluster):
    async def main():
        task = await started(waitset.parity(cluster, 0, 0))
        waitset.arm_parity(cluster, 0, 0)
        first = await started(waitset.__anext__())
        library.end()
        waitset._readable()
        # The task has not run since.
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return (await first).status

    assert run(main) is WaitStatus.COMPLETE


def test_closing_in_another_thread_ends_what_awaits(waitset, cluster):
    async def main():
        waitset.arm_parity(cluster, 0, 0)
        tasks = [await started(waitset.parity(cluster, 0, 0)), await started(collect(waitset))]
        begin = time.monotonic()
        threading.Thread(target=waitset.device.close).start()
        for task in tasks:
            with pytest.raises(ValueError, match="the WaitSet is closed"):
                await task
        # The time limit of run() would wake the event loop, too.
        assert time.monotonic() - begin < SECONDS / 2

    run(main)


@pytest.mark.parametrize("name, wait", [
    ("WaitSet", lambda waitset: waitset.read()),
    ("Device", lambda waitset: waitset.device.faults(timeout=None))])
def test_closing_ends_a_read_of_another_thread(library, waitset, name, wait):
    reading = threading.Event()
    failed = []

    def read():
        reading.set()
        try:
            wait(waitset)
        except ValueError as error:
            failed.append(str(error))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    assert reading.wait(SECONDS)
    waitset.device.close()
    thread.join(SECONDS)
    assert failed == [f"the {name} is closed"]


def test_cancelled_task_stays_cancelled_when_its_wait_has_failed(library, waitset, cluster):
    async def main():
        task = await started(waitset.parity(cluster, 0, 0))
        library.error = -errno.ENODEV
        waitset._readable()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main)


def test_cancelled_task_stays_cancelled_when_the_device_is_gone(library, waitset, cluster):
    async def main():
        task = await started(waitset.parity(cluster, 0, 0))
        library.error = -errno.ENODEV
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main)


def test_record_that_is_read_during_the_arming_reaches_its_task(library, waitset, cluster):
    """Another thread reads the record before the arming returns."""
    def during():
        library.end()
        reader = threading.Thread(target=waitset.read, args=(0,))
        reader.start()
        reader.join()

    async def main():
        library.during = lambda name: name == "vsm_waitset_arm" and during()
        await waitset.parity(cluster, 0, 0)

    run(main)
