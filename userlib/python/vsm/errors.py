# SPDX-License-Identifier: MIT
"""The exceptions of the package. Those of the device are OSErrors.

An error number that Python has an exception for raises it, such as PermissionError for EACCES. A
timeout raises TimeoutError."""

from __future__ import annotations

import errno
import os
from typing import Any, Optional

from ._library import lib, string
from .enums import FaultCode
from .structs import LaunchResult


class Fault(OSError):
    """The device has refused an instruction, because it breaks a rule of PTX.

    ``code`` is the :class:`~vsm.enums.FaultCode`, or a number if this version does not know it.
    ``name`` is its name, such as ``"ARRIVAL_OVERFLOW"``. ``sentence`` says what was wrong and what
    to change. ``record`` is the refused instruction, or the event that reports the fault
    (:class:`~vsm.structs.EventFault`)."""

    def __init__(self, code: int, sentence: str, record: Any = None) -> None:
        super().__init__(errno.EPROTO, sentence)
        try:
            self.code: int = FaultCode(code)
        except ValueError:
            self.code = code
        self.name: str = string(lib.vsm_fault_name(code))
        self.sentence = sentence
        self.record = record

    def __str__(self) -> str:
        return f"{self.name}: {self.sentence}"

    def __reduce__(self) -> Any:
        return type(self), (self.code, self.sentence)


class NoDevice(OSError):
    """There is no such vsm device (ENODEV)."""


class DeviceLost(OSError):
    """The device is gone (ENODEV)."""


class ClusterLost(OSError):
    """The cluster is lost: a trap has killed it (EIO)."""


class JobFailed(OSError):
    """The job of a fence has ended with an error.

    ``errno`` is EIO after a fault, ETIMEDOUT if the job took too long, and ECANCELED if its channel
    was reset or destroyed."""


class UnsupportedError(OSError):
    """The device, the cluster's layout or the library lacks what was asked for (EOPNOTSUPP)."""


class PtxError(ValueError):
    """A PTX module has errors. The text has a line for each of them."""


class KernelFailed(RuntimeError):
    """A kernel has not ended as it should. ``report`` is the text that says why, and ``result`` the
    :class:`~vsm.structs.LaunchResult`, which names the line."""

    def __init__(self, report: str, result: LaunchResult) -> None:
        super().__init__(report, result)
        self.report = report
        self.result = result

    def __str__(self) -> str:
        return self.report


class KernelFault(KernelFailed):
    """A thread of a kernel did what is not allowed: misuse, a bad access, or trap."""

    @property
    def name(self) -> str:
        """The name of the fault if the device has refused an instruction, or ``"NONE"``."""
        return string(lib.vsm_fault_name(self.result.fault))


class KernelHang(KernelFailed):
    """No thread of a kernel can go on, or its time limit has passed."""


_CLASSES = {errno.ENODEV: DeviceLost, errno.EIO: ClusterLost, errno.EOPNOTSUPP: UnsupportedError,
            errno.ETIME: TimeoutError}


def error_of(result: int, text: Optional[str] = None) -> OSError:
    """The exception for a negative error number."""
    return _CLASSES.get(-result, OSError)(-result, text or os.strerror(-result))


def check(result: int, text: Optional[str] = None) -> int:
    """Return the result of a function of the library; raise an exception if it is an error."""
    if result < 0:
        raise error_of(result, text)
    return result
