# SPDX-License-Identifier: MIT
"""Flight recorders, and the files that ``vsm trace`` reads."""

from __future__ import annotations

import os
import struct
from typing import Any, BinaryIO, Iterable, List, Tuple, Union

from ._library import ffi, lib
from .errors import check
from .structs import Shape

AT_ONCE = 1024


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
        self._clusters: List[bytes] = []
        self._events: List[bytes] = []

    def add_cluster(self, number: int, shape: Shape) -> None:
        """Describe a cluster that events are about."""
        self._clusters.append(struct.pack("<5I", number, shape.ctas, shape.threads, shape.layout,
                                          shape.policy))

    def add_events(self, events: Any, lost: int = 0) -> None:
        """Add events, as an array of the structures of C."""
        self._events.append(bytes(ffi.buffer(events)))
        self.lost += lost

    def add(self, cluster: Any) -> None:
        """Add a :class:`Cluster`, and the events of its flight recorder."""
        self.add_cluster(cluster.number, cluster.shape)
        self.add_events(*cluster.events_raw())

    @property
    def count(self) -> int:
        """Number of events."""
        return sum(map(len, self._events)) // int(ffi.sizeof("struct drm_vsm_trace_event"))

    def write(self, path: Union[str, os.PathLike[str]]) -> None:
        """Write the trace to a file, in the binary form. Its name should end in ``.trace``."""
        with open(path, "wb") as file:
            file.write(struct.pack("<8sII", b"VSMTRACE", 1, 0))
            _chunk(file, 1, 0, [self.title.encode()])
            _chunk(file, 2, 0, [struct.pack("<Q", self.lost)])
            for cluster in self._clusters:
                _chunk(file, 3, 0, [cluster])
            _chunk(file, 6, ffi.sizeof("struct drm_vsm_trace_event"), self._events)
            if self.note:
                _chunk(file, 7, 0, [self.note.encode()])


def _chunk(file: BinaryIO, kind: int, stride: int, parts: Iterable[bytes]) -> None:
    data = b"".join(parts)
    file.write(struct.pack("<IIQ", kind, stride, len(data)) + data)
