# SPDX-License-Identifier: MIT
"""Instructions, tensor maps, and the pointers of the library."""

from __future__ import annotations

import operator
import os
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Generic, NamedTuple, Optional, TypeVar, Union

from ._library import ffi, lib, string, text_of

if TYPE_CHECKING:
    from .memory import Buffer

    BufferLike = Union[Buffer, int]
else:
    BufferLike = Any

R = TypeVar("R")
S = TypeVar("S")


class Pair(NamedTuple):
    """The result of an instruction with the destination d|p."""

    value: int
    pred: bool


class Instruction(Generic[R]):
    """An instruction. The functions of :mod:`vsm.insn` make them. ``str()`` spells it as PTX."""

    __slots__ = "cdata", "kind", "keep"

    def __init__(self, cdata: Any, kind: Any, keep: Any = None) -> None:
        self.cdata = cdata
        self.kind = kind
        # The instruction contains the address of a tensor map, which must exist as long as it does.
        self.keep = keep

    def __str__(self) -> str:
        return text_of(lambda text, size: lib.vsm_insn_describe(self.cdata, text, size))

    def __repr__(self) -> str:
        return f"<Instruction {self}>"

    def result(self, number: int) -> R:
        """The result of the instruction that the device gives as a number."""
        result: Any = None
        if self.kind is Pair:
            result = Pair(number & 0xffffffff, bool(number & lib.DRM_VSM_RESULT_PRED))
        elif self.kind:
            result = self.kind(number)
        return result  # type: ignore[no-any-return]


def prepared(words: Any, kind: Any, keep: Any = None) -> Instruction[Any]:
    """The instruction that a constructor of the library has returned."""
    insn = ffi.new("struct drm_vsm_insn *")
    ffi.memmove(insn, ffi.addressof(words), ffi.sizeof(insn[0]))
    return Instruction(insn, kind, keep)


class TensorMap:
    """A tensor map, from :meth:`Buffer.tensor_map`."""

    def __init__(self, owner: Any, pointer: Any, buffer: Any) -> None:
        self._owner = owner
        self.pointer = pointer
        self.buffer = buffer

    def __bytes__(self) -> bytes:
        return bytes(ffi.buffer(self.pointer, ffi.sizeof("struct drm_vsm_tensor_map")))

    def cuda(self, address: int) -> bytes:
        """The CUtensorMap of this map, for a tensor at an address of a GPU or of a kernel."""
        data = ffi.new("char[128]")
        if lib.vsm_tensor_map_to_cuda(self.pointer, address, data):
            raise ValueError(f"a tensor map has no address 0x{address:x}")
        return bytes(ffi.buffer(data))


def handle_of(buffer: BufferLike) -> int:
    """The handle of a buffer, or the handle itself."""
    return buffer if isinstance(buffer, int) else int(buffer.handle)


def keeping(cdata: Any, owner: Any) -> Any:
    """The pointer @cdata as one that keeps @owner. A call of the library keeps its arguments."""
    # The function at its end must not be written in Python: a handler of a signal may run in it, and
    # its exception would be lost.
    return ffi.gc(cdata, partial(operator.is_, owner))


class Pointer:
    """A pointer to an object of the library. It is destroyed when nothing in Python refers to this
    object any more, but not before the objects that were made from it.

    After a fork, the device cannot tell the two processes apart. Only the process that has made an
    object destroys it.

    Python may finalise the objects of a circle in any order. A pointer therefore counts what needs
    it, and does not rely on that order. The operations on sets and lists are atomic."""

    __slots__ = "_p", "_destroy", "_parent", "_needed", "_pid", "__weakref__"

    def __init__(self, p: Any, destroy: Callable[[Any], Any],
                 parent: Optional[Pointer] = None) -> None:
        self._p = p
        self._pid = os.getpid()
        self._destroy = [destroy]
        self._parent = parent
        self._needed = {id(self)}
        if parent:
            parent._needed.add(id(self))

    def __del__(self) -> None:
        self._drop(id(self))

    @property
    def p(self) -> Any:
        """The pointer for the library. While the caller keeps it, another thread cannot destroy the
        object; but a structure in which the caller stores it does not keep it."""
        return keeping(self._p, self)

    @property
    def ours(self) -> bool:
        """Whether this process has made the object, and not the process that has forked it."""
        return self._pid == os.getpid()

    def _drop(self, user: int) -> None:
        self._needed.discard(user)
        if self._needed:
            return
        try:
            destroy = self._destroy.pop()
        except IndexError:
            return
        p, self._p = self._p, None
        if self.ours:
            destroy(p)
        if self._parent:
            self._parent._drop(id(self))


class Closable:
    """An object with a pointer that can be closed before Python drops it."""

    _pointer: Optional[Pointer] = None

    def _open(self) -> Pointer:
        """The pointer. While the caller keeps it, another thread cannot destroy the object."""
        pointer = self._pointer
        if pointer is None:
            raise ValueError(f"the {type(self).__name__} is closed")
        return pointer

    @property
    def closed(self) -> bool:
        """Whether the object was closed."""
        return self._pointer is None

    def close(self) -> None:
        """Give the object back. Closing it again has no effect."""
        self._pointer = None

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


T = TypeVar("T")


def unpack(cls: Callable[..., T], struct: Any) -> T:
    """A structure of :mod:`vsm.structs` with the members of a structure of the library."""
    return cls(*(_member(getattr(struct, name))
                 for name in cls.__dataclass_fields__))  # type: ignore[attr-defined]


def _member(value: Any) -> Any:
    if not isinstance(value, ffi.CData):
        return value
    kind = ffi.typeof(value)
    if kind.kind == "struct":
        return Instruction(ffi.new("struct drm_vsm_insn *", value), int)
    if kind.item.cname == "char":
        return string(value) if value != ffi.NULL else None
    return tuple(value)
