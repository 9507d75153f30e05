# SPDX-License-Identifier: MIT
"""Clusters and buffers: the memory of a device."""

from __future__ import annotations

import mmap
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from . import trace
from ._base import Closable, Pointer, TensorMap, unpack
from ._library import ffi, ioctl, lib, string
from .enums import TensorFill, TensorInterleave, TensorMode, TensorSwizzle, TensorType
from .errors import check
from .structs import ClusterState, MbarrierFields, Shape, StateEntry, TraceEvent
from .thread import Thread

if TYPE_CHECKING:
    from .device import Device


class _Object(Closable):
    """A GEM object.

    Python's mmap maps the memory, and not libvsm. The mapping therefore exists as long as a view of
    it, even if the object and the device are closed before."""

    def __init__(self, device: Device, p: Any, destroy: Any) -> None:
        self.device = device
        self._pointer = Pointer(p, destroy, device._open())
        self._map: Optional[mmap.mmap] = None
        device._add(self)

    def _info(self) -> Any:
        pointer = self._open()
        info = ffi.new("struct drm_vsm_object_info *", {"handle": self.handle})
        check(ioctl(self.device.fileno(), lib.DRM_IOCTL_VSM_OBJECT_INFO, info))
        del pointer
        return info

    @property
    def handle(self) -> int:
        """The GEM handle."""
        raise NotImplementedError

    @property
    def _memory(self) -> memoryview:
        """All bytes of the object."""
        if self._map is None:
            info = self._info()
            self._map = mmap.mmap(self.device.fileno(), info.size, offset=info.mmap_offset)
        return memoryview(self._map)

    def close(self) -> None:
        super().close()
        self._map = None


def _array(memory: memoryview, dtype: Any, shape: Any) -> Any:
    import numpy  # pylint: disable=import-outside-toplevel

    kind = numpy.dtype(dtype)
    if shape is None:
        shape = len(memory) // kind.itemsize
    return numpy.ndarray(shape, kind, memory)


class StateOf(NamedTuple):
    """What a cluster is doing."""

    cluster: ClusterState
    entries: List[StateEntry]


def state_of(read: Any) -> StateOf:
    """Call a function that writes the state of a cluster, until the list is long enough."""
    room = 64
    while True:
        state = ffi.new("struct drm_vsm_cluster_state *")
        entries = ffi.new("struct drm_vsm_state_entry[]", room)
        check(read(state, entries, room))
        if state.total <= room:
            return StateOf(unpack(ClusterState, state),
                           [unpack(StateEntry, entries[i]) for i in range(state.count)])
        room = 2 * state.total


class Cluster(_Object):
    """A cluster: CTAs, each with a window of shared memory. :meth:`Device.cluster` makes one."""

    def __init__(self, device: Device, p: Any) -> None:
        super().__init__(device, p, lib.vsm_cluster_destroy)
        self.shape: Shape = unpack(Shape, lib.vsm_cluster_shape(p))
        self.number: int = self._info().number

    @property
    def handle(self) -> int:
        return int(lib.vsm_cluster_handle(self._open().p))

    def close(self) -> None:
        recorder = self.device.recorder
        if recorder and self in recorder.kept:
            recorder.kept.remove(self)
            try:
                recorder.closed.add(self)
            except OSError:
                # It has no flight recorder, or the device is gone.
                pass
        super().close()

    def thread(self, cta: int, thread: int, **options: Any) -> Thread:
        """A device thread, to execute instructions as. The options are those of
        :class:`Thread`."""
        return Thread(self, cta, thread, **options)

    def warp(self, cta: int, warp: int, **options: Any) -> Thread:
        """A warp whose threads execute together. The results are those of its lane 0."""
        return Thread(self, cta, 32 * warp, warp=True, **options)

    def address(self, cta: int, offset: int) -> int:
        """The cluster shared address of a byte in the window of a CTA."""
        return int(lib.vsm_shared_addr(cta, offset))

    def window(self, cta: int = 0) -> memoryview:
        """The shared memory of a CTA, without a copy. The view stays valid when the cluster is
        closed. The device may change mbarrier words in it at any time."""
        self._open()
        if not 0 <= cta < self.shape.ctas:
            raise IndexError(f"there is no CTA {cta}: the cluster has {self.shape.ctas}")
        memory = self._memory
        begin = cta * (len(memory) // self.shape.ctas)
        return memory[begin:begin + self.shape.smem_bytes]

    def array(self, cta: int = 0, dtype: Any = "u1", offset: int = 0, shape: Any = None) -> Any:
        """A numpy array in the window of a CTA, without a copy. It begins at an offset, and ends at
        the end of the window if there is no shape."""
        return _array(self.window(cta)[offset:], dtype, shape)

    def mbarrier(self, addr: int) -> MbarrierFields:
        """The fields of the mbarrier word at a cluster shared address, as the word is now."""
        cta, offset = addr >> lib.VSM_SHARED_RANK_SHIFT, addr & (1 << lib.VSM_SHARED_RANK_SHIFT) - 1
        if offset % 8 or offset + 8 > self.shape.smem_bytes:
            raise IndexError(f"there is no mbarrier at {addr:#x}")
        word = self.window(cta)[offset:offset + 8].cast("Q")[0]
        return unpack(MbarrierFields, lib.vsm_mbarrier_decode(self.shape.layout, word))

    def hold(self) -> None:
        """Hold the asynchronous operations that threads issue from now on."""
        check(lib.vsm_cluster_hold(self._open().p, True))

    def release(self) -> None:
        """Release the held operations."""
        check(lib.vsm_cluster_hold(self._open().p, False))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the operations that are issued in a ``with`` block, and release them at its end."""
        process = os.getpid()
        self.hold()
        try:
            yield
        finally:
            # A process that was forked in the block ends the block, too.
            if os.getpid() == process:
                self.release()

    def drain(self) -> None:
        """Release the held operations, and wait until none is in flight any more."""
        pointer = self._open()
        hold = ffi.new("struct drm_vsm_cluster_hold *",
                       {"cluster": self.handle, "flags": lib.DRM_VSM_DRAIN})
        check(ioctl(self.device.fileno(), lib.DRM_IOCTL_VSM_CLUSTER_HOLD, hold))
        del pointer

    def state(self) -> StateOf:
        """Who waits in the cluster and for what, and what is in flight."""
        p = self._open().p
        return state_of(lambda *args: lib.vsm_cluster_state(p, *args))

    def events(self) -> Tuple[List[TraceEvent], int]:
        """The events of the flight recorder, and the number of older ones that it has lost. The
        cluster needs ``trace_events``."""
        raw, lost = self.events_raw()
        return [unpack(TraceEvent, event) for event in raw], lost

    def events_raw(self) -> Tuple[Any, int]:
        """The same as :meth:`events`, as an array of the structures of C."""
        return trace.read(self._open().p)

    def export(self) -> int:
        """A dma-buf, to share the cluster with another process. The caller closes it."""
        fd = ffi.new("int *")
        check(lib.vsm_cluster_export(self._open().p, fd))
        return int(fd[0])


def _new_map() -> Tuple[Any, Any]:
    """The memory of a tensor map, and the map, which is at a multiple of 64."""
    memory = ffi.new("char[]", ffi.sizeof("struct drm_vsm_tensor_map") + 63)
    return memory, ffi.cast("struct drm_vsm_tensor_map *",
                            int(ffi.cast("uintptr_t", memory)) + 63 & ~63)


class Buffer(_Object):
    """A buffer in global memory. :meth:`Device.buffer` makes one."""

    def __init__(self, device: Device, p: Any) -> None:
        super().__init__(device, p, lib.vsm_buffer_destroy)
        self.size: int = lib.vsm_buffer_size(p)

    def __len__(self) -> int:
        return self.size

    @property
    def handle(self) -> int:
        return int(lib.vsm_buffer_handle(self._open().p))

    def view(self) -> memoryview:
        """The memory of the buffer, without a copy. The view stays valid when the buffer is
        closed."""
        self._open()
        return self._memory

    def array(self, dtype: Any = "u1", shape: Any = None, offset: int = 0) -> Any:
        """A numpy array in the buffer, without a copy. It begins at an offset, and ends at the end
        of the buffer if there is no shape."""
        return _array(self.view()[offset:], dtype, shape)

    def export(self) -> int:
        """A dma-buf, to share the buffer with another process or driver. The caller closes it."""
        fd = ffi.new("int *")
        check(lib.vsm_buffer_export(self._open().p, fd))
        return int(fd[0])

    def tensor_map(self, type: TensorType,  # pylint: disable=redefined-builtin
                   size: Sequence[int], stride: Sequence[int], box: Sequence[int] = (),
                   element_stride: Optional[Sequence[int]] = None, offset: int = 0,
                   interleave: TensorInterleave = TensorInterleave.NONE,
                   swizzle: TensorSwizzle = TensorSwizzle.NONE,
                   fill: TensorFill = TensorFill.ZERO,
                   mode: TensorMode = TensorMode.TILED, lower: Sequence[int] = (),
                   upper: Sequence[int] = (), channels: int = 0, pixels: int = 0) -> TensorMap:
        """A tensor map of a tensor in this buffer. The lengths begin with the innermost dimension,
        as in CUDA: ``stride`` has one element less than ``size``."""
        pointer = self._open()
        config = ffi.new("struct vsm_tensor_config *", {
            "buffer": pointer.p, "offset": offset, "type": type, "rank": len(size),
            "size": list(size), "stride": list(stride), "box": list(box),
            "element_stride": list(element_stride or [1] * len(size)),
            "interleave": interleave, "swizzle": swizzle, "fill": fill, "lower": list(lower),
            "upper": list(upper), "channels": channels, "pixels": pixels})
        memory, aligned = _new_map()
        reason = ffi.new("char **")
        encode = lib.vsm_tensor_map_encode_im2col if mode == TensorMode.IM2COL \
            else lib.vsm_tensor_map_encode_tiled
        result = encode(aligned, config, reason)
        if result < 0 and reason[0]:
            raise ValueError(string(reason[0]))
        check(result)
        return TensorMap(memory, aligned, self)

    def tensor_map_from_cuda(self, cuda: bytes, offset: int = 0) -> TensorMap:
        """The tensor map that a CUtensorMap encodes, for a tensor in this buffer. Its address has
        no effect."""
        memory, aligned = _new_map()
        if len(cuda) != 128 or lib.vsm_tensor_map_from_cuda(ffi.from_buffer(cuda), aligned):
            raise ValueError("no encoder of CUDA makes these bytes")
        aligned.buffer, aligned.offset = self.handle, offset
        return TensorMap(memory, aligned, self)
