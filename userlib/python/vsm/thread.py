# SPDX-License-Identifier: MIT
"""Device threads, which execute instructions."""

from __future__ import annotations

import errno
import time
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, TypeVar

from . import insn as insns
from ._base import Instruction, keeping
from ._instructions import Instructions
from ._library import deadline_of, ffi, ioctl, lib, text_of
from .errors import Fault, error_of

if TYPE_CHECKING:
    from .memory import Cluster

R = TypeVar("R")


def array_of(instructions: Iterable[Instruction[Any]]) -> Any:
    """The instructions as an array for the library."""
    return ffi.new("struct drm_vsm_insn[]", [i.cdata[0] for i in instructions])


class Thread(Instructions):
    """A device thread: it executes instructions, and waits while they suspend.

    The object only names a thread. It can be made again at any time. Several tasks need not share
    it, but may. Python's other threads run during a wait, and so do handlers of signals: if one of
    them raises an exception, such as KeyboardInterrupt, the wait ends. A thread in a barrier has
    then still arrived there, and continues when it executes the same instruction again.

    :param cluster: The cluster
    :param cta: Rank of the CTA
    :param thread: Number of the thread in the CTA
    :param warp: Execute as all threads of the warp, which are converged
    :param no_limit: Every try_wait suspends without a time limit. The device then finds deadlocks
    :param site: Number for the events of what this thread executes, such as a line
    """

    def __init__(self, cluster: Cluster, cta: int, thread: int, warp: bool = False,
                 no_limit: bool = False, site: int = 0) -> None:
        self.cluster = cluster
        self.cta = cta
        self.number = thread
        self.flags: int = (lib.DRM_VSM_EXEC_WARP if warp else 0) | \
            (lib.DRM_VSM_EXEC_NO_LIMIT if no_limit else 0)
        self.site = site

    def __repr__(self) -> str:
        return f"<Thread {self.number} of CTA {self.cta}>"

    def struct(self) -> Any:
        """The structure that the library names a thread by. It keeps the cluster."""
        cluster = self.cluster._open()
        return keeping(ffi.new("struct vsm_thread *", {
            "size": ffi.sizeof("struct vsm_thread"), "cluster": cluster.p, "cta": self.cta,
            "thread": self.number, "exec_flags": self.flags, "site": self.site}), cluster)

    def error(self, result: int, refused: Any = None) -> OSError:
        """The exception for an error of a call, of which the device has refused an
        instruction."""
        thread = self.struct()
        thread.error = result
        if refused is not None and -result in (errno.EPROTO, errno.EINVAL, errno.EOPNOTSUPP):
            thread.refused = refused
        sentence = text_of(lambda text, size: lib.vsm_thread_strerror(thread, text, size))
        if result == -errno.EPROTO and refused is not None:
            record: Instruction[Any] = Instruction(ffi.new("struct drm_vsm_insn *", refused), int)
            return Fault(refused.fault, sentence, record)
        return error_of(result, sentence)

    def _exec(self, array: Any, count: int, flags: int) -> int:
        """Execute instructions. Returns how many are retired: all, or those up to a try_wait whose
        time limit has passed."""
        cluster = self.cluster._open()
        call = ffi.new("struct drm_vsm_exec *", {
            "cluster": lib.vsm_cluster_handle(cluster.p), "cta": self.cta, "thread": self.number,
            "insns": int(ffi.cast("uintptr_t", array)),
            "stride": ffi.sizeof("struct drm_vsm_insn"), "count": count, "flags": flags,
            "site": self.site})
        result = ioctl(self.cluster.device.fileno(), lib.DRM_IOCTL_VSM_EXEC, call)
        if result:
            at = call.retired
            raise self.error(result, array[at] if at < count else None)
        return int(call.retired)

    def execute(self, instruction: Instruction[R]) -> R:
        array = array_of([instruction])
        self._exec(array, 1, self.flags)
        return instruction.result(array[0].result)

    def run(self, instructions: Iterable[Instruction[Any]]) -> List[Any]:
        """Execute a stream of instructions in one call, and return their results.

        If the time limit of a try_wait passes, the stream ends there: its False is then the last
        result. The caller decides what to do next."""
        given = list(instructions)
        array = array_of(given)
        retired = self._exec(array, len(given), self.flags)
        return [insn.result(array[i].result) for i, insn in enumerate(given[:retired])]

    def lanes(self, instructions: Mapping[int, Instruction[R]]) -> Dict[int, R]:
        """Execute one instruction of each of several lanes of the warp that begins with this thread,
        in one call. Returns the results.

        The keys are the lanes. The instructions may differ only in their operands. The call does not
        wait: a try_wait returns False if its phase is not complete, and a lane that is suspended has
        no result. To get it later, execute the instruction of this lane again."""
        order = sorted(instructions)
        array = array_of(instructions[lane] for lane in order)
        thread, suspended = self.struct(), ffi.new("uint32_t *")
        result = lib.vsm_exec_lanes(thread, sum(1 << lane for lane in order), array, suspended)
        if result:
            at = thread.retired
            raise self.error(result, array[at] if at < len(order) else None)
        return {lane: instructions[lane].result(array[i].result)
                for i, lane in enumerate(order) if not suspended[0] >> lane & 1}

    def await_phase(self, addr: int, state: int, qual: int = 0,
                    timeout: Optional[float] = None) -> None:
        """Wait until the phase of a state token is complete.

        Without a timeout, the device knows that the thread waits without a limit: if no thread can
        be woken any more, the call raises a :class:`Fault` with ``FaultCode.DEADLOCK``. With a
        timeout in seconds, it raises TimeoutError."""
        self._await(insns.mbarrier_try_wait(addr, state, qual), timeout)

    def await_parity(self, addr: int, parity: int, qual: int = 0,
                     timeout: Optional[float] = None) -> None:
        """Wait until the phase with a parity is complete, as :meth:`await_phase` does."""
        self._await(insns.mbarrier_try_wait_parity(addr, parity, qual), timeout)

    def _await(self, try_wait: Instruction[bool], timeout: Optional[float]) -> None:
        deadline = deadline_of(timeout)
        array = array_of([try_wait])
        while True:
            left = max(0, deadline - time.monotonic_ns())
            if deadline >= 0:
                array[0].mods |= lib.DRM_VSM_MOD_HINT
                array[0].u.mbarrier.hint_ns = min(left, 0xffffffff)
            self._exec(array, 1, self.flags | (deadline < 0 and lib.DRM_VSM_EXEC_NO_LIMIT))
            if array[0].result:
                return
            if deadline >= 0 and not left:
                raise error_of(-errno.ETIME, "the phase was not complete in time")
