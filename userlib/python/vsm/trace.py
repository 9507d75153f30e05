# SPDX-License-Identifier: MIT
"""Flight recorders, and the files that ``vsm trace`` reads."""

from __future__ import annotations

import os
import struct
from typing import Any, BinaryIO, List, Tuple, Union

from ._library import ffi, lib
from .errors import check
from .structs import Shape

AT_ONCE = 1024

# Kinds of chunks in a file.
TITLE, LOST, CLUSTER, SITE, NAME, EVENTS, NOTE = range(1, 8)


def read(cluster: Any) -> Tuple[Any, int]:
    """The events of a flight recorder, and how many older ones are lost."""
    place, lost = ffi.new("uint64_t *"), ffi.new("uint64_t *")
    parts: List[bytes] = []
    missing = 0
    while True:
        events = ffi.new("struct drm_vsm_trace_event[]", AT_ONCE)
        count = check(lib.vsm_trace_read(cluster, events, AT_ONCE, place, lost))
        missing += lost[0]
        parts.append(bytes(ffi.buffer(events, count * ffi.sizeof("struct drm_vsm_trace_event"))))
        if not count:
            break
    data = b"".join(parts)
    array = ffi.new("struct drm_vsm_trace_event[]",
                    len(data) // ffi.sizeof("struct drm_vsm_trace_event"))
    ffi.memmove(array, data, len(data))
    return array, missing


class Recording:
    """A trace: what has happened on the clusters of a device, as a file for ``vsm trace``."""

    def __init__(self, title: str = "") -> None:
        self.title = title
        self.note = ""
        self.lost = 0
        self._chunks: List[Tuple[int, bytes]] = []
        self._events: List[bytes] = []

    def add_cluster(self, number: int, shape: Shape) -> None:
        """Describe a cluster that events are about."""
        self._chunks.append((CLUSTER, struct.pack("<5I", number, shape.ctas, shape.threads,
                                                  shape.layout, shape.policy)))

    def add_site(self, site: int, text: str, insn: str) -> None:
        """Describe a place that events have: where it is, and the instruction there."""
        data = text.encode()
        self._chunks.append((SITE, struct.pack("<2I", site, len(data)) + data + insn.encode()))

    def add_name(self, name: str, offset: int, size: int, stride: int = 0,
                 cluster: int = 0) -> None:
        """Name a part of shared memory. With a stride it is an array."""
        self._chunks.append((NAME, struct.pack("<4I", cluster, offset, size, stride) +
                             name.encode()))

    def add_events(self, events: Any, lost: int = 0) -> None:
        """Add events, as an array of the structures of C."""
        self._events.append(bytes(ffi.buffer(events)))
        self.lost += lost

    def add(self, cluster: Any) -> None:
        """Add a :class:`Cluster`, and the events of its flight recorder."""
        events, lost = cluster.events_raw()
        self.add_cluster(cluster.number, cluster.shape)
        self.add_events(events, lost)

    def append(self, other: Recording) -> None:
        """Add what another trace has."""
        self.lost += other.lost
        self._chunks += other._chunks
        self._events += other._events

    @property
    def count(self) -> int:
        """Number of events."""
        return sum(map(len, self._events)) // int(ffi.sizeof("struct drm_vsm_trace_event"))

    def write(self, path: Union[str, os.PathLike[str]]) -> None:
        """Write the trace to a file, in the binary form. Its name should end in ``.trace``."""
        with open(path, "wb") as file:
            file.write(struct.pack("<8sII", b"VSMTRACE", 1, 0))
            _chunk(file, TITLE, self.title.encode())
            _chunk(file, LOST, struct.pack("<Q", self.lost))
            for kind, data in self._chunks:
                _chunk(file, kind, data)
            _chunk(file, EVENTS, b"".join(self._events),
                   ffi.sizeof("struct drm_vsm_trace_event"))
            if self.note:
                _chunk(file, NOTE, self.note.encode())


class Recorder:
    """Keeps what happens on a device, until somebody wants it: the events of clusters that are
    closed, and the recordings of launches. :attr:`Device.recorder` may be one."""

    def __init__(self, title: str = "") -> None:
        self.title = title
        self.closed = Recording(title)
        self.launches: List[Recording] = []
        # Clusters that the program has dropped without closing them.
        self.kept: List[Any] = []

    def launch(self, kernel: str) -> Recording:
        """A recording for the launch of a kernel."""
        recording = Recording(f"{self.title}: {kernel}")
        self.launches.append(recording)
        return recording


def _chunk(file: BinaryIO, kind: int, data: bytes, stride: int = 0) -> None:
    file.write(struct.pack("<IIQ", kind, stride, len(data)) + data)
