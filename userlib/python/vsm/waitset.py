# SPDX-License-Identifier: MIT
"""Wait sets: waiting for many phases and instructions at once, also with asyncio."""

from __future__ import annotations

import asyncio
import collections
import errno
import itertools
import select
import time
from contextlib import suppress
from typing import (TYPE_CHECKING, Any, Deque, Dict, Generic, List, NamedTuple, Optional, Tuple,
                    TypeVar)

from ._base import Closable, Instruction, Pointer
from ._library import LOOK_NS, deadline_of, ffi, lib, text_of
from .enums import WaitFlags, WaitStatus
from .errors import ClusterLost, DeviceLost, Fault, check, error_of
from .thread import Thread

if TYPE_CHECKING:
    from .device import Device
    from .memory import Cluster

R = TypeVar("R")


class Wait(Generic[R]):
    """A wait that is armed, or was."""

    def __init__(self, what: str, cluster: Cluster, tag: Any,
                 instruction: Optional[Instruction[R]] = None,
                 thread: Optional[Thread] = None) -> None:
        self.what = what
        self.cluster = cluster
        self.tag = tag
        self.instruction = instruction
        self.thread = thread
        self.id = 0
        self.future: Optional[asyncio.Future[Record]] = None

    def __repr__(self) -> str:
        return f"<Wait for {self.what}>"


class Record(NamedTuple):
    """How a wait has ended.

    :param wait: The wait, as :meth:`WaitSet.arm_parity` and the others have returned it
    :param status: How it ended
    :param number: The result of the instruction, or with ``WaitStatus.FAULT`` the fault
    """

    wait: Wait[Any]
    status: WaitStatus
    number: int

    def result(self) -> Any:
        """The result of the instruction, or None for a phase.

        :raises TimeoutError: The wait has expired
        :raises Fault: The instruction was refused when it completed
        :raises ClusterLost: The cluster is lost
        :raises DeviceLost: The device is gone
        """
        if self.status == WaitStatus.COMPLETE:
            return self.wait.instruction.result(self.number) if self.wait.instruction else None
        if self.status == WaitStatus.EXPIRED:
            raise error_of(-errno.ETIME, f"{self.wait.what}: the deadline has passed")
        if self.status == WaitStatus.FAULT:
            raise self._fault()
        if self.status == WaitStatus.CLUSTER_LOST:
            raise ClusterLost(errno.EIO, "the cluster is lost")
        raise DeviceLost(errno.ENODEV, "the device is gone")

    def _fault(self) -> Fault:
        insn, thread = self.wait.instruction, self.wait.thread
        if not insn or not thread:
            return Fault(self.number, self.wait.what, self)
        refused = ffi.new("struct drm_vsm_insn *", insn.cdata[0])
        refused.fault = self.number
        layout, cta = self.wait.cluster.shape.layout, thread.cta
        return Fault(self.number,
                     text_of(lambda text, size: lib.vsm_fault_message(layout, cta, refused, text,
                                                                      size)),
                     self)


# A wait that is not armed, its structure for the library, and the cluster whose number is there.
Prepared = Tuple[Wait[R], Any, Pointer]


def _phase(cluster: Cluster, addr: int, state: int, timeout: Optional[float],
           tag: Any = None) -> Prepared[None]:
    pointer = cluster._open()
    return (Wait(f"the phase of {addr:#x}", cluster, tag),
            lib.vsm_waitset_prep_state(pointer.p, addr, state, deadline_of(timeout), 0), pointer)


def _parity(cluster: Cluster, addr: int, parity: int, timeout: Optional[float],
            tag: Any = None) -> Prepared[None]:
    pointer = cluster._open()
    return (Wait(f"parity {parity} of {addr:#x}", cluster, tag),
            lib.vsm_waitset_prep_parity(pointer.p, addr, parity, deadline_of(timeout), 0), pointer)


def _instruction(thread: Thread, instruction: Instruction[R], timeout: Optional[float],
                 tag: Any = None) -> Prepared[R]:
    pointer = thread.cluster._open()
    prepared = lib.vsm_waitset_prep_insn(thread.struct(), instruction.cdata, deadline_of(timeout), 0)
    if timeout is None and thread.flags & lib.DRM_VSM_EXEC_NO_LIMIT:
        prepared.flags |= WaitFlags.NO_LIMIT
    return Wait(str(instruction), thread.cluster, tag, instruction, thread), prepared, pointer


class WaitSet(Closable):
    """A wait set. :meth:`Device.waitset` makes one.

    Without asyncio, :meth:`arm_parity`, :meth:`arm_phase` and :meth:`arm` arm waits, and
    :meth:`read` reads how they ended. With asyncio, ``await`` :meth:`parity`, :meth:`phase` or
    :meth:`execute`; ``async for record in waitset`` yields the records of all other waits.

    If a task that awaits is cancelled, its wait is disarmed. If the wait has ended by then, its
    record is not lost: ``async for``, or :meth:`read`, gets it.

    The awaiting methods must be called in one event loop at a time.
    """

    def __init__(self, device: Device) -> None:
        out = ffi.new("struct vsm_waitset **")
        parent = device._open()
        check(lib.vsm_waitset_create(parent.p, out))
        self.device = device
        self._pointer = Pointer(out[0], lib.vsm_waitset_destroy, parent)
        self._numbers = itertools.count(1)
        self._waits: Dict[int, Wait[Any]] = {}
        self._unclaimed: Deque[Record] = collections.deque()
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._readers = 0
        self._arrival: Optional[asyncio.Event] = None
        # What the event loop watches, which must not end before.
        self._watched: Optional[Pointer] = None
        self._gone: Optional[OSError] = None
        device._add(self)

    def fileno(self) -> int:
        """The file descriptor, which becomes readable when there are records."""
        return int(lib.vsm_waitset_fd(self._open().p))

    def __len__(self) -> int:
        """Number of waits that are armed or whose records were not read."""
        return len(self._waits) + len(self._unclaimed)

    def close(self) -> None:
        """Close the wait set. Tasks that await get a ValueError."""
        pointer, loop = self._pointer, self._loop
        super().close()
        if pointer and pointer.ours and self._readers and loop:
            # With a closed event loop, no task awaits any more.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._fail, ValueError("the WaitSet is closed"))

    # --- arming ----------------------------------------------------------------

    def arm_phase(self, cluster: Cluster, addr: int, state: int, timeout: Optional[float] = None,
                  tag: Any = None) -> Wait[None]:
        """Arm a wait for the phase of a state token. @tag is kept in the :class:`Wait`."""
        return self._arm(_phase(cluster, addr, state, timeout, tag))

    def arm_parity(self, cluster: Cluster, addr: int, parity: int,
                   timeout: Optional[float] = None, tag: Any = None) -> Wait[None]:
        """Arm a wait for the phase with a parity."""
        return self._arm(_parity(cluster, addr, parity, timeout, tag))

    def arm(self, thread: Thread, instruction: Instruction[R], timeout: Optional[float] = None,
            tag: Any = None) -> Wait[R]:
        """Arm an instruction of a thread, such as a barrier or a try_wait. The thread arrives at
        once, and nobody blocks."""
        return self._arm(_instruction(thread, instruction, timeout, tag))

    def _arm(self, armed: Prepared[R]) -> Wait[R]:
        wait, prepared, _ = armed
        pointer = self._open()
        number = next(self._numbers)
        prepared.user_data = number
        waits = ffi.new("struct drm_vsm_wait[]", [prepared])
        # Another thread may read the record before the call returns.
        self._waits[number] = wait
        result = lib.vsm_waitset_arm(pointer.p, waits, 1, ffi.NULL)
        if result < 0:
            del self._waits[number]
            self._changed()
            if result == -errno.EPROTO:
                raise Record(wait, WaitStatus.FAULT, waits[0].fault)._fault()
            raise error_of(result)
        wait.id = waits[0].id
        return wait

    def cancel(self, wait: Wait[Any]) -> bool:
        """Disarm a wait. Returns False if it has already ended: then there is a record of it."""
        result = lib.vsm_waitset_cancel(self._open().p, wait.id)
        if result == -errno.ENOENT:
            return False
        check(result)
        for number, armed in list(self._waits.items()):
            if armed is wait:
                del self._waits[number]
        self._changed()
        return True

    # --- reading ---------------------------------------------------------------

    def _records(self, pointer: Pointer) -> List[Record]:
        """The records that can be read now."""
        records = ffi.new("struct drm_vsm_wait_record[]", 64)
        count = check(lib.vsm_waitset_read(pointer.p, records, 64, 0))
        return [Record(self._waits.pop(r.user_data), WaitStatus(r.status), r.result)
                for r in records[0:count]]

    def read(self, timeout: Optional[float] = None) -> List[Record]:
        """Read how waits ended. The list is empty if none ends within the timeout in seconds.
        Records that a task awaits go to that task.

        :raises DeviceLost: The device is gone and all records were read
        """
        pointer = self._open()
        deadline = deadline_of(timeout)
        ready = select.poll()
        ready.register(self.fileno(), select.POLLIN)
        while True:
            self._open()
            found: List[Record] = []
            with suppress(IndexError):
                while True:
                    found.append(self._unclaimed.popleft())
            for record in self._records(pointer):
                future = record.wait.future
                try:
                    if future:
                        future.get_loop().call_soon_threadsafe(self._give, record)
                        continue
                except RuntimeError:
                    # The event loop is closed, and the task will never run again.
                    pass
                found.append(record)
            if found:
                self._changed()
            left = None if deadline < 0 else max(0, deadline - time.monotonic_ns()) / 1e6
            if found or left == 0:
                return found
            # The event loop may take the record, and another thread may close the wait set.
            ready.poll(LOOK_NS / 1e6 if left is None else min(left, LOOK_NS / 1e6))

    # --- asyncio ---------------------------------------------------------------

    def _readable(self) -> None:
        """The event loop calls this when there are records."""
        assert self._watched and self._loop
        try:
            records = self._records(self._watched)
        except OSError as error:
            # The device is gone: no wait gets a record any more.
            self._gone = error
            self._loop.remove_reader(lib.vsm_waitset_fd(self._watched.p))
            self._fail(error)
            return
        for record in records:
            self._give(record)

    def _fail(self, error: Exception) -> None:
        """End all tasks that await. Only for the thread of the event loop."""
        for wait in list(self._waits.values()):
            if wait.future and not wait.future.done():
                wait.future.set_exception(error)
        if self._arrival:
            self._arrival.set()

    def _changed(self) -> None:
        """Let ``async for`` look again whether there are records and waits. For all threads."""
        loop, arrival = self._loop, self._arrival
        if self._readers and loop and arrival:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(arrival.set)

    def _give(self, record: Record) -> None:
        """Give a record to the task that awaits it, or keep it. Only for the thread of the event
        loop."""
        future = record.wait.future
        if future and not future.done():
            future.set_result(record)
        else:
            self._unclaimed.append(record)
            if self._arrival:
                self._arrival.set()

    def _begin(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.get_running_loop()
        if self._readers and loop is not self._loop:
            raise RuntimeError("the wait set is used in another event loop")
        pointer = self._open()
        if not self._readers:
            self._loop, self._arrival, self._watched = loop, asyncio.Event(), pointer
            loop.add_reader(lib.vsm_waitset_fd(pointer.p), self._readable)
        self._readers += 1
        if self.closed:
            # Another thread has closed it meanwhile, and may not have seen this reader.
            self._end()
            self._open()
        return loop

    def _end(self) -> None:
        self._readers -= 1
        if not self._readers and self._loop and self._watched:
            if not self._loop.is_closed():
                self._loop.remove_reader(lib.vsm_waitset_fd(self._watched.p))
            self._watched = None

    async def _await(self, prepared: Prepared[R]) -> R:
        # Another thread may read the record before the arming returns: the future comes first.
        future: asyncio.Future[Record] = self._begin().create_future()
        try:
            wait = prepared[0]
            wait.future = future
            self._arm(prepared)
            # The cluster may be closed while the task awaits.
            del prepared
            try:
                record = await future
            except (asyncio.CancelledError, GeneratorExit):
                wait.future = None
                if not future.done() or future.cancelled():
                    # It may be closed, or the device gone.
                    with suppress(OSError, ValueError):
                        self.cancel(wait)
                elif not future.exception():
                    self._give(future.result())
                raise
            result: R = record.result()
            return result
        finally:
            self._end()

    async def phase(self, cluster: Cluster, addr: int, state: int,
                    timeout: Optional[float] = None) -> None:
        """Wait for the phase of a state token. TimeoutError after the timeout in seconds."""
        await self._await(_phase(cluster, addr, state, timeout))

    async def parity(self, cluster: Cluster, addr: int, parity: int,
                     timeout: Optional[float] = None) -> None:
        """Wait for the phase with a parity. TimeoutError after the timeout in seconds."""
        await self._await(_parity(cluster, addr, parity, timeout))

    async def execute(self, thread: Thread, instruction: Instruction[R],
                      timeout: Optional[float] = None) -> R:
        """Execute an instruction that suspends, such as a barrier, and return its result. Other
        tasks of the event loop run meanwhile."""
        return await self._await(_instruction(thread, instruction, timeout))

    def __aiter__(self) -> WaitSet:
        return self

    async def __anext__(self) -> Record:
        """The next record of a wait that no task awaits. The loop ends when there is no such
        wait."""
        self._begin()
        try:
            while True:
                self._open()
                with suppress(IndexError):
                    return self._unclaimed.popleft()
                if not any(wait.future is None for wait in list(self._waits.values())):
                    raise StopAsyncIteration
                if self._gone:
                    raise self._gone
                assert self._arrival
                self._arrival.clear()
                await self._arrival.wait()
        finally:
            self._end()
