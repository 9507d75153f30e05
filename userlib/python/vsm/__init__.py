# SPDX-License-Identifier: MIT
"""vsm: a device that synchronises threads as a GPU does.

    import vsm

    with vsm.Device() as device:
        cluster = device.cluster(threads=32, smem_bytes=8192)
        producer = cluster.thread(0, 0)
        bar = cluster.address(0, 0)
        producer.mbarrier_init(bar, 1)

The Python page of the manual has an introduction. :mod:`vsm.insn` has all instructions,
:mod:`vsm.enums` and :mod:`vsm.structs` what the device fills, and :mod:`vsm.errors` the exceptions.
:mod:`pytest_vsm` is a plugin for pytest.
"""

from . import enums, errors, insn, structs
from ._base import Instruction, Pair, TensorMap
from ._cdef import VERSION as __version__
from .channel import Channel, Hold, Syncobj
from .device import Device, devices
from .enums import (FaultCode, Feature, InjectWhat, InjectWhere, Layout, Mode, Policy, Priority,
                    Qual, Red, Type)
from .errors import (ClusterLost, DeviceLost, Fault, JobFailed, KernelFailed, KernelFault,
                     KernelHang, NoDevice, PtxError, UnsupportedError)
from .inject import Rule
from .kernel import Context, Kernel, Module, launch
from .memory import Buffer, Cluster
from .thread import Thread
from .trace import Recording
from .waitset import Record, Wait, WaitSet

__all__ = [
    "Buffer", "Channel", "Cluster", "ClusterLost", "Context", "Device", "DeviceLost", "Fault",
    "FaultCode", "Feature", "Hold", "InjectWhat", "InjectWhere", "Instruction", "JobFailed",
    "Kernel", "KernelFailed", "KernelFault", "KernelHang", "Layout", "Mode", "Module", "NoDevice",
    "Pair", "Policy", "Priority", "PtxError", "Qual", "Record", "Recording", "Red", "Rule",
    "Syncobj", "TensorMap", "Thread", "Type", "UnsupportedError", "Wait", "WaitSet", "__version__",
    "devices", "enums", "errors", "insn", "launch", "structs",
]
