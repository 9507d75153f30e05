# SPDX-License-Identifier: MIT
"""Devices."""

from __future__ import annotations

import errno
import os
import select
import time
import weakref
from contextlib import suppress
from typing import Any, Dict, Iterable, List, Optional, Union

from . import trace
from ._base import Closable, Pointer, unpack
from ._library import LOOK_NS, deadline_of, ffi, lib, text_of
from .channel import Channel, Syncobj
from .enums import (ChannelFlags, FaultCode, Feature, InjectWhat, InjectWhere, Layout, Policy,
                    Priority, StateFlags)
from .errors import Fault, NoDevice, check
from .inject import Rule
from .memory import Buffer, Cluster, StateOf, state_of
from .structs import DeviceInfo, EventFault
from .waitset import WaitSet


def devices() -> List[int]:
    """The numbers of the vsm devices of this machine, ascending."""
    count = check(lib.vsm_device_list(ffi.NULL, 0))
    while True:
        numbers = ffi.new("uint32_t[]", count)
        found = check(lib.vsm_device_list(numbers, count))
        if found <= count:
            return [numbers[i] for i in range(found)]
        count = found


def mask_of(faults: Iterable[FaultCode]) -> int:
    """The mask of rules with these faults (``DRM_VSM_RULE()``)."""
    return sum({1 << (code if code < 0x100 else (32, 40)[code >= 0x200] + (code & 0xff))
                for code in faults})


class Device(Closable):
    """An open device.

    :param which: Number of the device (:func:`devices`), path of its node, or None for the device
        with the lowest number
    :param fd: A file descriptor of a device to use instead. It remains the caller's
    :param trace_events: Number of events that the flight recorder of each new cluster keeps, if
        :meth:`cluster` does not say it

    :meth:`close`, or the end of a ``with`` block, closes everything that was made from the device,
    too. Views of its memory stay valid.

    Several threads may use the device and its objects. An object that one of them closes exists
    until the calls that use it have returned. After a fork, only one of the two processes may use
    the device; closing an object in the child only lets the child forget it.
    """

    def __init__(self, which: Union[int, str, os.PathLike[str], None] = None, *,
                 fd: Optional[int] = None, trace_events: int = 0) -> None:
        out = ffi.new("struct vsm_device **")
        if fd is not None:
            result = lib.vsm_device_open_fd(fd, out)
        elif isinstance(which, int):
            result = lib.vsm_device_open_index(which, out)
        else:
            path = ffi.NULL if which is None else os.fsencode(which)
            result = lib.vsm_device_open(path if which is None else ffi.new("char[]", path), out)
        if result == -errno.ENODEV:
            raise NoDevice(errno.ENODEV, "there is no vsm device" if which is None and fd is None
                           else f"this is not a vsm device: {which if fd is None else fd}")
        if result < 0:
            raise OSError(-result, os.strerror(-result), which)
        self._pointer = Pointer(out[0], lib.vsm_device_close)
        self._made: weakref.WeakValueDictionary[int, Closable] = weakref.WeakValueDictionary()
        self.trace_events = trace_events
        self.rules: List[Rule] = []
        self.recorder: Optional[trace.Recorder] = None
        info = ffi.new("struct drm_vsm_device_info *", lib.vsm_device_info(out[0]))
        self.info: DeviceInfo = unpack(DeviceInfo, info)
        self.channel0 = Channel(self, 0)

    def __repr__(self) -> str:
        return f"<Device {self.info.index}{' (closed)' if self.closed else ''}>"

    def _add(self, made: Closable) -> None:
        self._made[id(made)] = made
        if self.recorder and isinstance(made, Cluster):
            self.recorder.kept.append(made)

    def _alive(self) -> List[Closable]:
        """What was made from the device. Another thread may make more meanwhile."""
        return [made for made in (ref() for ref in self._made.valuerefs()) if made is not None]

    def close(self) -> None:
        for made in self._alive():
            made.close()
        super().close()

    def fileno(self) -> int:
        """The DRM file descriptor. It becomes readable when there are :meth:`faults`."""
        return int(lib.vsm_device_fd(self._open().p))

    @property
    def features(self) -> Feature:
        """What the device can do."""
        return Feature(self.info.features)

    def cluster(self, ctas: int = 1, threads: int = 32, smem_bytes: int = 4096, *,
                layout: Layout = Layout.SM_90, policy: Policy = Policy.STRICT,
                report: Iterable[FaultCode] = (), enforce: Iterable[FaultCode] = (),
                trace_events: Optional[int] = None) -> Cluster:
        """Make a cluster.

        :param ctas: Number of CTAs
        :param threads: Threads of each CTA
        :param smem_bytes: Bytes of each CTA's window, a multiple of 16
        :param layout: Layout of the mbarrier words
        :param policy: What the device does about misuse
        :param report: Rules that are only reported, see :meth:`faults`
        :param enforce: Rules that are enforced only on request
        :param trace_events: Number of the last events that its flight recorder keeps, see
            :meth:`Cluster.events`
        """
        config = ffi.new("struct vsm_cluster_config *", {
            "ctas": ctas, "threads": threads, "smem_bytes": smem_bytes, "layout": layout,
            "policy": policy, "report": mask_of(report), "enforce": mask_of(enforce),
            "trace_events": self.trace_events if trace_events is None else trace_events})
        out = ffi.new("struct vsm_cluster **")
        check(lib.vsm_cluster_create(self._open().p, config, out))
        return Cluster(self, out[0])

    def import_cluster(self, dmabuf: int) -> Cluster:
        """Open a cluster that another process has exported."""
        out = ffi.new("struct vsm_cluster **")
        check(lib.vsm_cluster_import(self._open().p, dmabuf, out))
        return Cluster(self, out[0])

    def buffer(self, size: int) -> Buffer:
        """Make a buffer of at least this number of bytes; the device rounds up to whole pages."""
        out = ffi.new("struct vsm_buffer **")
        check(lib.vsm_buffer_create(self._open().p, size, out))
        return Buffer(self, out[0])

    def import_buffer(self, dmabuf: int) -> Buffer:
        """Open a buffer that another process or driver has exported."""
        out = ffi.new("struct vsm_buffer **")
        check(lib.vsm_buffer_import(self._open().p, dmabuf, out))
        return Buffer(self, out[0])

    def waitset(self) -> WaitSet:
        """Make a wait set."""
        return WaitSet(self)

    def syncobj(self) -> Syncobj:
        """Make a DRM syncobj."""
        return Syncobj(self)

    def channel(self, flags: ChannelFlags = ChannelFlags(0),
                priority: Priority = Priority.NORMAL, group: int = 0) -> Channel:
        """Make a channel. Every device also has :attr:`channel0`."""
        config = ffi.new("struct vsm_channel_config *",
                         {"flags": flags, "priority": priority, "group": group})
        number = ffi.new("uint32_t *")
        check(lib.vsm_channel_create_as(self._open().p, config, number))
        channel = Channel(self, number[0])
        self._add(channel)
        return channel

    def faults(self, timeout: Optional[float] = 0) -> List[Fault]:
        """The faults that the device has found in what this program executes, in order. They
        include those of jobs and of copies, for which no call raises an exception.

        The list is empty if none comes within the timeout in seconds. ``record`` of each fault is a
        :class:`~vsm.structs.EventFault`; with ``EventFlags.REPORTED`` in its ``flags`` the cluster
        only reports the rule."""
        pointer = self._open()
        deadline = deadline_of(timeout)
        ready = select.poll()
        ready.register(self.fileno(), select.POLLIN)
        while True:
            # Another thread may close the device.
            self._open()
            left = None if deadline < 0 else max(0, deadline - time.monotonic_ns()) / 1e6
            ready.poll(LOOK_NS / 1e6 if left is None else min(left, LOOK_NS / 1e6))
            events = ffi.new("struct drm_vsm_event_fault[]", 42)
            count = check(lib.vsm_event_read(pointer.p, events, 42, 0))
            if count or left == 0:
                return [self._fault(events[i]) for i in range(count)]

    def _fault(self, event: Any) -> Fault:
        layout: int = Layout.SM_90
        for made in self._alive():
            if isinstance(made, Cluster):
                # Another thread may close it at any time.
                with suppress(ValueError):
                    if made.handle == event.cluster:
                        layout = made.shape.layout
        insn = ffi.new("struct drm_vsm_insn *", event.insn)
        sentence = text_of(lambda text, size: lib.vsm_fault_message(layout, event.cta, insn, text,
                                                                    size))
        return Fault(event.insn.fault, sentence, unpack(EventFault, event))

    def inject(self, where: InjectWhere, what: InjectWhat, **fields: Any) -> Rule:
        """Make something fail. The fields are those of :class:`~vsm.structs.InjectRule`, such as
        ``error``, ``first``, ``every`` and ``times``. ``channel=`` and ``object=`` limit the rule
        to a :class:`Channel`, or to a :class:`Cluster` or :class:`Buffer`."""
        return Rule(self, where, what, fields)

    def state_of(self, number: int) -> StateOf:
        """What a cluster of any process of this user is doing."""
        pointer = self._open()
        return state_of(lambda *args: lib.vsm_device_state(pointer.p, number,
                                                           StateFlags.NUMBER, *args))

    def states(self) -> List[StateOf]:
        """What all clusters of the device that this user may see are doing."""
        pointer, number = self._open(), 0
        found: List[StateOf] = []
        while True:
            try:
                state = state_of(lambda *args: lib.vsm_device_state(pointer.p, number,
                                                                    StateFlags.NEXT, *args))
            except FileNotFoundError:
                return found
            found.append(state)
            number = state.cluster.number + 1

    def recording(self, title: str = "") -> trace.Recording:
        """A trace with the events of all open clusters that have a flight recorder. If there is a
        :attr:`recorder`, it also has the events of clusters that are closed."""
        recording = trace.Recording(title)
        if self.recorder:
            recording.append(self.recorder.closed)
        for made in sorted((m for m in self._alive() if isinstance(m, Cluster)),
                           key=lambda cluster: cluster.number):
            # It has no flight recorder, or is closed.
            with suppress(FileNotFoundError, ValueError):
                recording.add(made)
        return recording

    def model(self, **values: int) -> Dict[str, int]:
        """Set how the copy engine copies: ``latency_ns``, ``bandwidth``, ``shuffle_seed`` and the
        other files of ``vsm_copy`` in debugfs. Returns the values before. Needs the rights of
        root."""
        pointer = self._open()
        minor = os.minor(os.fstat(self.fileno()).st_rdev)
        del pointer
        before = {}
        for name, value in values.items():
            path = f"/sys/kernel/debug/dri/{minor}/vsm_copy/{name}"
            with open(path, encoding="ascii") as file:
                before[name] = int(file.read())
            with open(path, "w", encoding="ascii") as file:
                file.write(str(value))
        return before

    def dumps(self) -> List[bytes]:
        """The dumps of failures of vsm devices that the kernel has now (devcoredump). Reading them
        needs the rights of root, and takes nothing away."""
        found, top = [], "/sys/class/devcoredump"
        for name in sorted(os.listdir(top)) if os.path.isdir(top) else []:
            driver = os.path.join(top, name, "failing_device/driver")
            if os.path.basename(os.path.realpath(driver)) == "vsm":
                with open(os.path.join(top, name, "data"), "rb") as file:
                    found.append(file.read())
        return found


