# SPDX-License-Identifier: MIT
"""Channels, and the fences of their jobs."""

from __future__ import annotations

import asyncio
import errno
import os
from typing import TYPE_CHECKING, Any, Iterable, Optional, Tuple, Union

from ._base import Closable, Instruction, Pointer, unpack
from ._library import deadline_of, ffi, in_parts, lib
from .errors import DeviceLost, JobFailed, check, error_of
from .structs import ChannelStatus
from .thread import Thread, array_of

if TYPE_CHECKING:
    from .device import Device

# Errors with which a job ends. The same errors of a call mean something else.
JOB_ERRORS = (errno.EIO, errno.ETIMEDOUT, errno.ECANCELED)


class Hold(Closable):
    """A fence that the program signals. :meth:`Syncobj.hold` makes one."""

    def __init__(self, device: Device, number: int) -> None:
        self.device = device
        self.number = number
        self._process = os.getpid()
        self._pointer = device._open()
        device._add(self)

    def release(self, error: int = 0) -> None:
        """Signal the fence, with a positive error number or without an error."""
        pointer = self._open()
        self._pointer = None
        check(lib.vsm_hold_release(pointer.p, self.number, error))

    def close(self) -> None:
        """Signal the fence, if it was not signalled."""
        if self._process != os.getpid():
            # The process that has forked this one signals it.
            self._pointer = None
        if self._pointer is not None:
            try:
                self.release()
            except OSError:
                # Its time was over, or the device is gone: the fence has signalled.
                pass


class Syncobj(Closable):
    """A DRM syncobj: a fence, or a timeline with a fence at each of its points.
    :meth:`Device.syncobj` makes one."""

    def __init__(self, device: Device) -> None:
        number = ffi.new("uint32_t *")
        parent = device._open()
        check(lib.vsm_syncobj_create(parent.p, number))
        self.device = device
        self.handle: int = number[0]
        handle = self.handle
        self._pointer = Pointer(parent.p, lambda p: lib.vsm_syncobj_destroy(p, handle), parent)
        device._add(self)

    def wait(self, point: int = 0, timeout: Optional[float] = None) -> None:
        """Wait for the fence, or for a point of the timeline, which need not exist yet.

        :raises JobFailed: The job of the fence has ended with an error
        :raises TimeoutError: The fence has not signalled within the timeout in seconds
        """
        pointer = self._open()
        result = in_parts(lambda until: lib.vsm_syncobj_wait(pointer.p, self.handle, point,
                                                                 until),
                          deadline_of(timeout), -errno.ETIME)
        if -result in JOB_ERRORS:
            raise job_error(result)
        check(result, "the fence has not signalled in time" if result == -errno.ETIME else None)

    async def signalled(self, point: int = 0) -> None:
        """Wait for the fence, or for a point of the timeline. Other tasks of the event loop run
        meanwhile. The fence must exist: submit its job before.

        :raises JobFailed: The job of the fence has ended with an error
        """
        # The syncobj may get another fence meanwhile.
        with self.device.syncobj() as fence:
            fd = self.export_sync_file(point)
            loop, ready = asyncio.get_running_loop(), asyncio.Event()
            try:
                fence.import_sync_file(fd)
                loop.add_reader(fd, ready.set)
                try:
                    await ready.wait()
                finally:
                    loop.remove_reader(fd)
            finally:
                os.close(fd)
            fence.status()

    def status(self, point: int = 0) -> bool:
        """Whether the fence has signalled.

        :raises JobFailed: It has, and its job has ended with an error
        """
        status = ffi.new("int *")
        check(lib.vsm_syncobj_status(self._open().p, self.handle, point, status))
        if status[0] < 0:
            raise job_error(status[0])
        return bool(status[0])

    def export_sync_file(self, point: int = 0) -> int:
        """A sync_file of the fence, for other drivers and for poll(). The caller closes it."""
        fd = ffi.new("int *")
        check(lib.vsm_syncobj_export_sync_file(self._open().p, self.handle, point, fd))
        return int(fd[0])

    def import_sync_file(self, sync_file: int, point: int = 0) -> None:
        """Take the fence of a sync_file."""
        check(lib.vsm_syncobj_import_sync_file(self._open().p, self.handle, point, sync_file))

    def hold(self, point: int = 0, timeout: Optional[float] = None) -> Hold:
        """Take a fence that the program signals with :meth:`Hold.release`, at the latest after the
        timeout in seconds, which is ten seconds at most."""
        hold = ffi.new("uint32_t *")
        deadline = 0 if timeout is None else deadline_of(timeout)
        check(lib.vsm_hold_create(self._open().p, self.handle, point, deadline, hold))
        return Hold(self.device, hold[0])


def job_error(error: int) -> OSError:
    """The exception for the error of a job."""
    if error == -errno.ENODEV:
        return DeviceLost(errno.ENODEV, "the device is gone")
    text = {errno.EIO: "a fault has ended the job, or the cluster is lost: see Device.faults()",
            errno.ETIMEDOUT: "the job took too long",
            errno.ECANCELED: "the job was cancelled"}.get(-error)
    return JobFailed(-error, text or error_of(error).strerror)


# A syncobj, or a syncobj and a point of its timeline.
Fence = Union[Syncobj, Tuple[Syncobj, int]]


class Channel(Closable):
    """A copy channel, which runs jobs. :meth:`Device.channel` makes one."""

    def __init__(self, device: Device, number: int) -> None:
        self.device = device
        self.number = number
        if number:
            parent = device._open()
            self._pointer = Pointer(parent.p, lambda p: lib.vsm_channel_destroy(p, number), parent)

    def _open(self) -> Pointer:
        return super()._open() if self.number else self.device._open()

    @property
    def closed(self) -> bool:
        return super().closed if self.number else self.device.closed

    def submit(self, thread: Thread, instructions: Iterable[Instruction[Any]],
               waits: Iterable[Fence] = (), signals: Iterable[Fence] = ()) -> None:
        """Queue a job: instructions of a thread that cannot suspend. It begins when the fences in
        @waits have signalled, and gives its own fence to those in @signals. A fence is a
        :class:`Syncobj`, or a tuple of it and a point of its timeline.

        The call does not wait for the job. :meth:`Syncobj.wait` does, and raises an exception if
        the job fails."""
        # Nobody else can get the numbers of these objects before the call returns.
        waits, signals = list(waits), list(signals)
        kept = [self._open(), *(_syncobj(fence)._open() for fence in waits + signals)]
        # The instructions keep the tensor maps that the library reads.
        given = list(instructions)
        array = array_of(given)
        fences = [lib.vsm_sync_in(*_fence(fence)) for fence in waits] + \
            [lib.vsm_sync_out(*_fence(fence)) for fence in signals]
        syncs = ffi.new("struct drm_vsm_sync[]", fences)
        refused = ffi.new("uint32_t *")
        struct = thread.struct()
        result = lib.vsm_channel_submit(struct, self.number, array, len(array), syncs, len(fences),
                                        refused)
        del kept
        if result < 0:
            raise thread.error(result, struct.refused if struct.refused.op else None)

    def status(self, flags: int = 0) -> ChannelStatus:
        """Whether jobs of the channel have failed or suffered from a failure, and how often."""
        status = ffi.new("struct drm_vsm_channel_status *")
        check(lib.vsm_channel_status(self._open().p, self.number, flags, status))
        return unpack(ChannelStatus, status)


def _syncobj(fence: Fence) -> Syncobj:
    return fence[0] if isinstance(fence, tuple) else fence


def _fence(fence: Fence) -> Tuple[int, int]:
    return _syncobj(fence).handle, fence[1] if isinstance(fence, tuple) else 0
