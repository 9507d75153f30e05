# SPDX-License-Identifier: MIT
"""Loads libvsm-ffi and libvsm-ptx, and turns their results into what Python expects."""

from __future__ import annotations

import errno
import math
import os
import time
from functools import lru_cache
from typing import Any, Callable, Optional

import cffi

from . import _cdef

ffi: Any = cffi.FFI()
ffi.cdef(_cdef.SOURCE)
_libc_ffi: Any = cffi.FFI()
_libc_ffi.cdef("int ioctl(int fd, unsigned long request, void *arg); void free(void *);")
libc: Any = _libc_ffi.dlopen(None)


def _folder() -> Optional[str]:
    """The folder of the libraries: VSM_LIBRARY_PATH, or the build of the source tree that the
    package is in. None lets the dynamic linker search."""
    here = os.path.dirname(os.path.abspath(__file__))
    tree = os.path.normpath(os.path.join(here, "../../.."))
    build = os.path.join(tree, "build/userlib")
    if os.environ.get("VSM_LIBRARY_PATH"):
        return os.environ["VSM_LIBRARY_PATH"]
    if here == os.path.join(tree, "userlib/python/vsm") and os.path.isdir(build):
        return build
    return None


def _load(name: str) -> Any:
    folder = _folder()
    try:
        return ffi.dlopen(os.path.join(folder, name) if folder else name)
    except OSError as error:
        raise ImportError(f"{name} of vsm {_cdef.VERSION} cannot be loaded ({error}). Install vsm, or "
                          "set VSM_LIBRARY_PATH to the folder of the library") from error


lib: Any = _load(_cdef.FFI_SONAME)


@lru_cache(maxsize=None)
def ptx() -> Any:
    """libvsm-ptx, and the functions of the libvsm that it is linked with.

    A device of libvsm-ffi is not a device of that libvsm: kernels need one of their own."""
    if _folder():
        # libvsm-ptx finds this library by its SONAME, wherever it was loaded from.
        ptx_needs.append(_load(_cdef.SONAME))
    return _load(_cdef.PTX_SONAME)


ptx_needs: list[Any] = []


def ioctl(fd: int, request: int, argument: Any) -> int:
    """Call ioctl(), and return 0 or a negative error number.

    The functions of libvsm repeat a call that a signal has interrupted, and Python's handlers of
    signals would not run before its end. Here they run between the calls. If a handler raises an
    exception, such as KeyboardInterrupt, the call is not repeated."""
    while libc.ioctl(fd, request, _libc_ffi.cast("void *", int(ffi.cast("uintptr_t", argument)))):
        error: int = _libc_ffi.errno
        if error != errno.EINTR:
            return -error
    return 0


def deadline_of(timeout: Optional[float]) -> int:
    """The deadline for the library of a timeout in seconds; None is no timeout."""
    if timeout is None or math.isinf(timeout):
        return int(lib.VSM_NEVER)
    return time.monotonic_ns() + int(timeout * 1e9) if timeout > 0 else 0


# Time between two looks at what a call waits for, if Python cannot wait for it itself. Python's
# handlers of signals run after each look.
LOOK_NS = 50_000_000


def in_parts(call: Callable[[int], Any], deadline: int, passed: int) -> int:
    """Call a function that waits until a deadline, again and again, until @deadline has passed. The
    function returns @passed if its deadline has passed. Python handles signals meanwhile."""
    while True:
        until = time.monotonic_ns() + LOOK_NS
        last = 0 <= deadline <= until
        result: int = call(deadline if last else until)
        if last or result != passed:
            return result


def text_of(call: Callable[[Any, int], Any]) -> str:
    """The text that a function writes as snprintf() does."""
    size = 256
    while True:
        text = ffi.new("char[]", size)
        length = call(text, size)
        if length < size:
            return string(text)
        size = length + 1


def string(text: Any) -> str:
    """A text of the library."""
    return bytes(ffi.string(text)).decode(errors="replace")


def taken(texts: Any) -> str:
    """The text that the library has stored in texts[0] and that the caller frees."""
    if not texts[0]:
        return ""
    text = string(texts[0])
    libc.free(_libc_ffi.cast("void *", int(ffi.cast("uintptr_t", texts[0]))))
    return text
