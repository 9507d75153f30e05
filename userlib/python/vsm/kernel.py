# SPDX-License-Identifier: MIT
"""Kernels in PTX, which libvsm-ptx runs."""

from __future__ import annotations

import errno
import os
import struct
import sys
from typing import Any, Callable, List, Optional, Sequence, Set, Tuple, Union

from ._base import Closable, Pointer, TensorMap, unpack
from ._library import deadline_of, ffi, in_parts, lib, ptx, string, taken
from .device import Device, devices
from .enums import Policy, PtxOutcome
from .errors import KernelFault, KernelHang, PtxError, UnsupportedError, check, error_of
from .memory import Buffer
from .structs import KernelInfo, LaunchResult, Param, Shape
from .trace import Recording

Dim = Union[int, Sequence[int]]


def _dim(dim: Dim) -> List[int]:
    return [dim] if isinstance(dim, int) else list(dim)


class _Arguments:
    """The arguments of a launch: their bytes, and the memory that they need."""

    def __init__(self, context: Context, kernel: Kernel, values: Sequence[Any]) -> None:
        self.context = context
        self.p = context._open()
        self.process = os.getpid()
        self.memory: List[Tuple[int, Any]] = []
        self.data = bytearray(kernel.info.param_size)
        if len(values) != len(kernel.params):
            raise TypeError(f"{kernel.info.name} takes {len(kernel.params)} arguments, "
                            f"and {len(values)} are given")
        try:
            for param, value in zip(kernel.params, values):
                data = self._bytes(param, value)
                if len(data) != param.size:
                    raise TypeError(f"{param.name} has {param.size} bytes, "
                                    f"and the argument has {len(data)}")
                self.data[param.offset:param.offset + param.size] = data
        except BaseException:
            self.free()
            raise

    def _bytes(self, param: Param, value: Any) -> bytes:
        if isinstance(value, Buffer):
            return self._import(value).to_bytes(8, "little")
        if isinstance(value, TensorMap):
            return value.cuda(self._import(value.buffer) + value.pointer.offset)
        if isinstance(value, (int, bool)):
            bits = 8 * param.size
            if not -1 << (bits - 1) <= value < 1 << bits:
                raise OverflowError(f"{param.name}: {value} does not fit into .{param.type}")
            if param.type.startswith("f"):
                return _float(param, float(value))
            return (value & (1 << bits) - 1).to_bytes(param.size, "little")
        if isinstance(value, float):
            return _float(param, value)
        view = memoryview(value)
        # A structure, or a number of numpy, is the argument itself. An array is memory.
        if param.type == "b8" or (not view.shape and view.nbytes == param.size):
            return view.tobytes()
        return self._copy(view).to_bytes(8, "little")

    def _address(self, call: Callable[[Any], Any]) -> int:
        address = ffi.new("uint64_t *")
        check(call(address))
        return int(address[0])

    def _copy(self, view: memoryview) -> int:
        """Copy an array to device memory."""
        address = self._address(lambda out: ptx().vsm_ptx_memory_alloc(
            self.p.p, max(1, view.nbytes), out))
        self.memory.append((address, view))
        ffi.memmove(self._mapped(address, view.nbytes), view.tobytes(), view.nbytes)
        return address

    def _mapped(self, address: int, size: int) -> Any:
        return ptx().vsm_ptx_memory_map(self.p.p, address, max(1, size))

    def _import(self, buffer: Buffer) -> int:
        """Let kernels use a buffer."""
        device = self.context._device
        if not device:
            raise UnsupportedError(errno.EOPNOTSUPP, "the context has no device")
        fd = buffer.export()
        try:
            out = ffi.new("struct vsm_buffer **")
            check(ptx().vsm_buffer_import(device.p, fd, out))
        finally:
            os.close(fd)
        try:
            address = self._address(lambda a: ptx().vsm_ptx_memory_import(self.p.p, out[0], a))
        finally:
            ptx().vsm_buffer_destroy(out[0])
        self.memory.append((address, None))
        return address

    def copy_back(self) -> None:
        """Copy device memory to the arrays."""
        for address, view in self.memory:
            if view is not None and not view.readonly:
                _assign(view, bytes(ffi.buffer(self._mapped(address, view.nbytes), view.nbytes)))

    def free(self) -> None:
        # The memory stays that of the process that has forked this one.
        for address, _ in self.memory if self.process == os.getpid() else ():
            ptx().vsm_ptx_memory_free(self.p.p, address)
        self.memory = []


def _assign(view: memoryview, data: bytes) -> None:
    """Write bytes to an array, which need not be contiguous."""
    if not data:
        return
    if view.c_contiguous:
        view.cast("B")[:] = data
        return
    import numpy  # pylint: disable=import-outside-toplevel

    array = numpy.asarray(view)
    array[...] = numpy.frombuffer(data, array.dtype).reshape(array.shape)


def _float(param: Param, value: float) -> bytes:
    letter = {2: "<e", 4: "<f", 8: "<d"}.get(param.size)
    if param.type[0] not in "fb" or not letter:
        raise TypeError(f"{param.name} is .{param.type}, and the argument is a float")
    return struct.pack(letter, value)


class Context(Closable):
    """Memory and modules of kernels.

    :param device: Device to run on. Without one, kernels run that contain no instruction for the
        device. The context opens the device once more: the faults of kernels do not mix with
        those of the program
    """

    def __init__(self, device: Optional[Device] = None) -> None:
        self._device: Optional[Pointer] = None
        self.recorder = device.recorder if device else None
        if device:
            opened = ffi.new("struct vsm_device **")
            check(ptx().vsm_device_open_index(device.info.index, opened))
            self._device = Pointer(opened[0], ptx().vsm_device_close)
        out = ffi.new("struct vsm_ptx_context **")
        check(ptx().vsm_ptx_context_create(self._device.p if self._device else ffi.NULL, out))
        self._pointer = Pointer(out[0], ptx().vsm_ptx_context_destroy, self._device)

    def load(self, source: Union[str, bytes, os.PathLike[str]], name: str = "<ptx>") -> Module:
        """Load PTX: a text, or a path of a file.

        :param source: The text (str or bytes), or a path (``pathlib.Path``)
        :param name: Name for messages, if it is a text
        :raises PtxError: The text has errors
        """
        if isinstance(source, os.PathLike):
            name = os.fspath(source)
            with open(source, "rb") as file:
                source = file.read()
        return Module(self, source.encode() if isinstance(source, str) else source, name)


class Module(Closable):
    """A PTX module. :meth:`Context.load` makes one."""

    def __init__(self, context: Context, text: bytes, name: str) -> None:
        self.context = context
        self.name = name
        out, messages = ffi.new("struct vsm_ptx_module **"), ffi.new("char **")
        parent = context._open()
        result = ptx().vsm_ptx_module_load(parent.p, name.encode(), text, len(text), out, messages)
        said = taken(messages)
        if result == -errno.EINVAL:
            raise PtxError(said.strip() or "the module has errors")
        check(result)
        self._pointer = Pointer(out[0], ptx().vsm_ptx_module_unload, parent)

    def kernels(self) -> List[str]:
        """The names of the kernels."""
        return [Kernel(self, i).info.name
                for i in range(ptx().vsm_ptx_kernel_count(self._open().p))]

    def kernel(self, name: str) -> Kernel:
        """The kernel with a name. LookupError if there is none."""
        index = ffi.new("uint32_t *")
        if ptx().vsm_ptx_kernel_find(self._open().p, name.encode(), index):
            raise LookupError(f"{self.name} has no kernel {name}, but "
                              f"{', '.join(self.kernels()) or 'none'}")
        return Kernel(self, index[0])


class Kernel:
    """A kernel of a module. :meth:`Module.kernel` finds one."""

    def __init__(self, module: Module, index: int) -> None:
        self.module = module
        self.index = index
        p = module._open().p
        kernel = ffi.new("struct vsm_ptx_kernel *")
        check(ptx().vsm_ptx_kernel_info(p, index, kernel))
        self.info: KernelInfo = unpack(KernelInfo, kernel)
        self.params: List[Param] = []
        for i in range(self.info.param_count):
            param = ffi.new("struct vsm_ptx_param *")
            check(ptx().vsm_ptx_kernel_param(p, index, i, param))
            self.params.append(unpack(Param, param))

    def launch(self, grid: Dim, block: Dim, args: Sequence[Any] = (), *, cluster: Dim = (),
               smem_bytes: int = 0, cooperative: bool = False,
               policy: Policy = Policy.STRICT, seed: int = 0,
               host_threads: int = 0, resident: int = 0, time_limit: Optional[float] = None,
               stack_bytes: int = 0, output: Optional[Callable[[str], Any]] = None,
               trace: Optional[Recording] = None) -> LaunchResult:
        """Run the kernel, and wait until it has ended.

        :param grid: CTAs in each dimension, as a number or a sequence
        :param block: Threads of a CTA in each dimension
        :param args: One argument for each parameter. An array (numpy, bytearray, and everything
            else with a buffer) is copied to device memory, and back when the kernel has ended, also
            after an error. A :class:`Buffer` is used without a copy. A :class:`TensorMap` is a
            tensor map. bytes are a structure, or memory that the kernel only reads
        :param cluster: CTAs of a cluster in each dimension
        :param smem_bytes: Bytes of dynamic shared memory
        :param cooperative: Run all CTAs at the same time, so that they can wait for each other
        :param policy: What the device does about misuse
        :param seed: Not 0: run everything in one thread, in an order that depends only on the seed
        :param host_threads: Threads of the host; 0 for the number of processors
        :param resident: Largest number of CTAs that run at the same time; 0 for the default
        :param time_limit: Seconds after which the launch ends with a hang
        :param stack_bytes: Largest stack of a thread; 0 for the default
        :param output: Gets what the kernel prints. The default is ``sys.stdout.write``
        :param trace: Gets the events of the launch
        :raises KernelFault: A thread did what is not allowed
        :raises KernelHang: No thread can go on, or the time limit has passed
        :raises UnsupportedError: The kernel needs what the library or the context lacks
        :raises ValueError: The configuration is wrong
        """
        module = self.module._open()
        arguments = _Arguments(self.module.context, self, args)
        if trace is None and self.module.context.recorder:
            trace = self.module.context.recorder.launch(self.info.name)
        run = _Run(self.module.name, output or sys.stdout.write, trace)
        config = ffi.new("struct vsm_ptx_config *", {
            "grid": _dim(grid), "block": _dim(block), "cluster": _dim(cluster),
            "smem_bytes": smem_bytes, "cooperative": cooperative, "policy": policy, "seed": seed,
            "host_threads": host_threads, "resident": resident,
            "time_limit_ns": 0 if time_limit is None else max(1, int(time_limit * 1e9)),
            "stack_bytes": stack_bytes, "print": run.print})
        if trace:
            config.trace = run.events
        out, messages = ffi.new("struct vsm_ptx_launch **"), ffi.new("char **")
        try:
            result = ptx().vsm_ptx_launch(module.p, self.index, config, bytes(arguments.data),
                                          len(arguments.data), out, messages)
            said = taken(messages).strip()
            if result == -errno.EINVAL:
                raise ValueError(said or "the configuration of the launch is wrong")
            check(result, said or None)
            launch = Pointer(out[0], ptx().vsm_ptx_launch_destroy, module)
            return run.wait(launch, arguments)
        finally:
            arguments.free()


class _Run:
    """A launch that runs: what its callbacks collect, and its end."""

    def __init__(self, name: str, output: Callable[[str], Any],
                 trace: Optional[Recording]) -> None:
        self.name = name
        self.trace = trace
        self.clusters: Set[int] = set()
        self.failed: List[BaseException] = []

        def write(_: Any, text: Any, length: int) -> None:
            output(bytes(ffi.buffer(text, length)).decode(errors="replace"))

        def record(_: Any, events: Any, count: int, lost: int) -> None:
            if trace and count:
                self.clusters |= {event.cluster for event in events[0:count]}
                trace.add_events(ffi.cast(f"struct drm_vsm_trace_event(*)[{count}]", events)[0],
                                 lost)

        def failed(_: Any, error: BaseException, __: Any) -> None:
            self.failed.append(error)

        self.print = ffi.callback("void(void *, const char *, size_t)", write, onerror=failed)
        self.events = ffi.callback(
            "void(void *, const struct drm_vsm_trace_event *, uint32_t, uint64_t)", record,
            onerror=failed)

    def wait(self, launch: Pointer, arguments: _Arguments) -> LaunchResult:
        result = ffi.new("struct vsm_ptx_result *")
        try:
            in_parts(lambda until: ptx().vsm_ptx_launch_wait(launch.p, until, result),
                     deadline_of(None), -errno.ETIME)
        except BaseException:
            # An exception in a handler of a signal: the kernel must not go on. It runs only in the
            # process that has launched it.
            if launch.ours:
                ptx().vsm_ptx_launch_cancel(launch.p)
                ptx().vsm_ptx_launch_wait(launch.p, lib.VSM_NEVER, result)
            raise
        arguments.copy_back()
        if self.trace:
            self._describe(launch, self.trace)
        if self.failed:
            raise self.failed[0]
        ended: LaunchResult = unpack(LaunchResult, result)
        report = string(ptx().vsm_ptx_launch_report(launch.p)).rstrip("\n")
        if ended.outcome == PtxOutcome.FAULT:
            raise KernelFault(report, ended)
        if ended.outcome == PtxOutcome.HANG:
            raise KernelHang(report, ended)
        if ended.outcome == PtxOutcome.ERROR:
            raise error_of(ended.error, report or None)
        return ended

    def _describe(self, launch: Pointer, trace: Recording) -> None:
        """Add to the trace what the events are about: clusters, places and names."""
        config = ptx().vsm_ptx_launch_shape(launch.p)
        for cluster in sorted(self.clusters):
            trace.add_cluster(cluster, unpack(Shape, config))
        number, site = 1, ffi.new("struct vsm_ptx_site *")
        while not ptx().vsm_ptx_launch_site(launch.p, number, site):
            text = f"{self.name}:{site.line}"
            if site.source_file != ffi.NULL:
                text = f"{string(site.source_file)}:{site.source_line}, {text}"
            trace.add_site(number, text, bytes(ffi.buffer(site.insn, site.insn_length)).decode())
            number += 1
        number, shared = 0, ffi.new("struct vsm_ptx_shared *")
        while not ptx().vsm_ptx_launch_shared(launch.p, number, shared):
            name = bytes(ffi.buffer(shared.name, shared.name_length)).decode()
            trace.add_name(name, shared.offset, shared.size, shared.stride)
            number += 1


def launch(source: Union[str, bytes, os.PathLike[str]], kernel: str, grid: Dim, block: Dim,
           args: Sequence[Any] = (), *, device: Optional[Device] = None,
           **options: Any) -> LaunchResult:
    """Run a kernel, and wait until it has ended.

    :param source: Text of a PTX module, or the path of one (``pathlib.Path``)
    :param device: Device to run on. The default is the device with the lowest number. If there is
        none, kernels run that contain no instruction for the device

    :meth:`Kernel.launch` describes the other parameters and the exceptions.

    Use :class:`Context` to launch kernels of a module several times."""
    opened = device
    if device is None and devices():
        opened = Device()
    try:
        with Context(opened) as context, context.load(source) as module:
            return module.kernel(kernel).launch(grid, block, args, **options)
    finally:
        if opened and opened is not device:
            opened.close()
