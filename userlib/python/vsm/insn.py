# SPDX-License-Identifier: MIT
# userlib/python/generate.py has written this file from the headers of vsm. Do not change it.
"""The constructors of instructions, one for each form that PTX has.

A constructor returns an :class:`Instruction`. It executes nothing:
:meth:`Thread.execute`, :meth:`Thread.run`, :meth:`Channel.submit` and :meth:`WaitSet.execute`
do. A thread has a method of the same name for each of them.
"""

from typing import Sequence

from ._base import BufferLike, Instruction, Pair, TensorMap, handle_of, prepared
from ._library import ffi, lib
from .enums import Mode, Red, Type


def mbarrier_init(addr: int, count: int, qual: int = 0) -> Instruction[None]:
    """mbarrier.init{.space}.b64 [addr], count

    See PTX ISA, section 9.7.13.15.9.

    :param addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA

    :param count: Number of expected arrivals, 1 to ``VSM_MBARRIER_MAX_COUNT``

    :param qual: ``Qual.SHARED_CTA``, or 0 for generic addressing
    """
    return prepared(lib.vsm_prep_mbarrier_init(addr, count, qual), None)


def mbarrier_inval(addr: int, qual: int = 0) -> Instruction[None]:
    """mbarrier.inval{.space}.b64 [addr]

    See PTX ISA, section 9.7.13.15.10.

    :param addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA

    :param qual: ``Qual.SHARED_CTA``, or 0 for generic addressing
    """
    return prepared(lib.vsm_prep_mbarrier_inval(addr, qual), None)


def mbarrier_expect_tx(addr: int, tx_count: int, qual: int = 0) -> Instruction[None]:
    """mbarrier.expect_tx{.sem.scope}{.space}.b64 [addr], txCount

    See PTX ISA, section 9.7.13.15.11.

    :param addr: Cluster shared address of the mbarrier object, in any CTA

    :param tx_count: Transactions (bytes) to expect

    :param qual: Mask of any of: ``Qual.RELAXED`` with ``Qual.CTA`` or ``Qual.CLUSTER``;
        ``Qual.SHARED_CTA`` or ``Qual.SHARED_CLUSTER``
    """
    return prepared(lib.vsm_prep_mbarrier_expect_tx(addr, tx_count, qual), None)


def mbarrier_complete_tx(addr: int, tx_count: int, qual: int = 0) -> Instruction[None]:
    """mbarrier.complete_tx{.sem.scope}{.space}.b64 [addr], txCount

    See PTX ISA, section 9.7.13.15.12.

    :param addr: Cluster shared address of the mbarrier object, in any CTA

    :param tx_count: Transactions (bytes) that are complete

    :param qual: Mask of any of: ``Qual.RELAXED`` with ``Qual.CTA`` or ``Qual.CLUSTER``;
        ``Qual.SHARED_CTA`` or ``Qual.SHARED_CLUSTER``
    """
    return prepared(lib.vsm_prep_mbarrier_complete_tx(addr, tx_count, qual), None)


def mbarrier_arrive(addr: int, qual: int = 0) -> Instruction[int]:
    """mbarrier.arrive{.sem.scope}{.space}.b64 state, [addr]

    See PTX ISA, section 9.7.13.15.13.

    :param addr: Cluster shared address of the mbarrier object, which may be in another CTA only
        with ``Qual.SINK``

    :param qual: Mask of any of: ``Qual.RELEASE`` or ``Qual.RELAXED``, with ``Qual.CTA`` or
        ``Qual.CLUSTER``; ``Qual.SHARED_CTA`` or ``Qual.SHARED_CLUSTER``; ``Qual.SINK``

    :returns: Its result is the state token, or 0 with ``Qual.SINK``.
    """
    return prepared(lib.vsm_prep_mbarrier_arrive(addr, qual), int)


def mbarrier_arrive_count(addr: int, count: int, qual: int = 0) -> Instruction[int]:
    """mbarrier.arrive{.sem.scope}{.space}.b64 state, [addr], count

    See PTX ISA, section 9.7.13.15.13. Layout sm_80 does not have this form.

    :param addr: Cluster shared address of the mbarrier object, which may be in another CTA only
        with ``Qual.SINK``

    :param count: Number of arrivals, 1 to ``VSM_MBARRIER_MAX_COUNT``

    :param qual: Mask of any of: ``Qual.RELEASE`` or ``Qual.RELAXED``, with ``Qual.CTA`` or
        ``Qual.CLUSTER``; ``Qual.SHARED_CTA`` or ``Qual.SHARED_CLUSTER``; ``Qual.SINK``

    :returns: Its result is the state token, or 0 with ``Qual.SINK``.
    """
    return prepared(lib.vsm_prep_mbarrier_arrive_count(addr, count, qual), int)


def mbarrier_arrive_expect_tx(addr: int, tx_count: int, qual: int = 0) -> Instruction[int]:
    """mbarrier.arrive.expect_tx{.sem.scope}{.space}.b64 state, [addr], txCount

    See PTX ISA, section 9.7.13.15.13. Layout sm_80 does not have this form.

    :param addr: Cluster shared address of the mbarrier object, which may be in another CTA only
        with ``Qual.SINK``

    :param tx_count: Transactions (bytes) to expect: the instruction adds them to the tx-count, and
        then arrives once

    :param qual: Mask of any of: ``Qual.RELEASE`` or ``Qual.RELAXED``, with ``Qual.CTA`` or
        ``Qual.CLUSTER``; ``Qual.SHARED_CTA`` or ``Qual.SHARED_CLUSTER``; ``Qual.SINK``

    :returns: Its result is the state token, or 0 with ``Qual.SINK``.
    """
    return prepared(lib.vsm_prep_mbarrier_arrive_expect_tx(addr, tx_count, qual), int)


def mbarrier_arrive_nocomplete(addr: int, count: int, qual: int = 0) -> Instruction[int]:
    """mbarrier.arrive.noComplete{.release.cta}{.space}.b64 state, [addr], count

    See PTX ISA, section 9.7.13.15.13.

    :param addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA

    :param count: Number of arrivals. They must not complete the phase

    :param qual: Mask of any of: ``Qual.RELEASE`` with ``Qual.CTA``; ``Qual.SHARED_CTA``;
        ``Qual.SINK``

    :returns: Its result is the state token, or 0 with ``Qual.SINK``.
    """
    return prepared(lib.vsm_prep_mbarrier_arrive_nocomplete(addr, count, qual), int)


def mbarrier_arrive_drop(addr: int, qual: int = 0) -> Instruction[int]:
    """mbarrier.arrive_drop{.sem.scope}{.space}.b64 state, [addr]

    See PTX ISA, section 9.7.13.15.14.

    :param addr: Cluster shared address of the mbarrier object, which may be in another CTA only
        with ``Qual.SINK``

    :param qual: Mask of any of: ``Qual.RELEASE`` or ``Qual.RELAXED``, with ``Qual.CTA`` or
        ``Qual.CLUSTER``; ``Qual.SHARED_CTA`` or ``Qual.SHARED_CLUSTER``; ``Qual.SINK``

    :returns: Its result is the state token, or 0 with ``Qual.SINK``.
    """
    return prepared(lib.vsm_prep_mbarrier_arrive_drop(addr, qual), int)


def mbarrier_arrive_drop_count(addr: int, count: int, qual: int = 0) -> Instruction[int]:
    """mbarrier.arrive_drop{.sem.scope}{.space}.b64 state, [addr], count

    See PTX ISA, section 9.7.13.15.14. Layout sm_80 does not have this form.

    :param addr: Cluster shared address of the mbarrier object, which may be in another CTA only
        with ``Qual.SINK``

    :param count: Number of arrivals to perform in this phase, and to drop from all later phases

    :param qual: Mask of any of: ``Qual.RELEASE`` or ``Qual.RELAXED``, with ``Qual.CTA`` or
        ``Qual.CLUSTER``; ``Qual.SHARED_CTA`` or ``Qual.SHARED_CLUSTER``; ``Qual.SINK``

    :returns: Its result is the state token, or 0 with ``Qual.SINK``.
    """
    return prepared(lib.vsm_prep_mbarrier_arrive_drop_count(addr, count, qual), int)


def mbarrier_arrive_drop_expect_tx(addr: int, tx_count: int, qual: int = 0) -> Instruction[int]:
    """mbarrier.arrive_drop.expect_tx{.sem.scope}{.space}.b64 state, [addr], txCount

    See PTX ISA, section 9.7.13.15.14. Layout sm_80 does not have this form.

    :param addr: Cluster shared address of the mbarrier object, which may be in another CTA only
        with ``Qual.SINK``

    :param tx_count: Transactions (bytes) to expect: the instruction adds them to the tx-count, and
        then arrives once

    :param qual: Mask of any of: ``Qual.RELEASE`` or ``Qual.RELAXED``, with ``Qual.CTA`` or
        ``Qual.CLUSTER``; ``Qual.SHARED_CTA`` or ``Qual.SHARED_CLUSTER``; ``Qual.SINK``

    :returns: Its result is the state token, or 0 with ``Qual.SINK``.
    """
    return prepared(lib.vsm_prep_mbarrier_arrive_drop_expect_tx(addr, tx_count, qual), int)


def mbarrier_arrive_drop_nocomplete(addr: int, count: int, qual: int = 0) -> Instruction[int]:
    """mbarrier.arrive_drop.noComplete{.release.cta}{.space}.b64 state, [addr], count

    See PTX ISA, section 9.7.13.15.14.

    :param addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA

    :param count: Number of arrivals to perform in this phase, which they must not complete, and to
        drop from all later phases

    :param qual: Mask of any of: ``Qual.RELEASE`` with ``Qual.CTA``; ``Qual.SHARED_CTA``;
        ``Qual.SINK``

    :returns: Its result is the state token, or 0 with ``Qual.SINK``.
    """
    return prepared(lib.vsm_prep_mbarrier_arrive_drop_nocomplete(addr, count, qual), int)


def mbarrier_test_wait(addr: int, state: int, qual: int = 0) -> Instruction[bool]:
    """mbarrier.test_wait{.sem.scope}{.space}.b64 waitComplete, [addr], state

    See PTX ISA, section 9.7.13.15.16.

    :param addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA

    :param state: Token of an arrive in the current or the immediately preceding phase

    :param qual: Mask of any of: ``Qual.ACQUIRE`` or ``Qual.RELAXED``, with ``Qual.CTA`` or
        ``Qual.CLUSTER``; ``Qual.SHARED_CTA``

    :returns: Its result is waitComplete: 1 if the phase is complete, else 0.
    """
    return prepared(lib.vsm_prep_mbarrier_test_wait(addr, state, qual), bool)


def mbarrier_test_wait_parity(addr: int, parity: int, qual: int = 0) -> Instruction[bool]:
    """mbarrier.test_wait.parity{.sem.scope}{.space}.b64 waitComplete, [addr], phaseParity

    See PTX ISA, section 9.7.13.15.16.

    :param addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA

    :param parity: phaseParity of the current or the immediately preceding phase, 0 or 1

    :param qual: Mask of any of: ``Qual.ACQUIRE`` or ``Qual.RELAXED``, with ``Qual.CTA`` or
        ``Qual.CLUSTER``; ``Qual.SHARED_CTA``

    :returns: Its result is waitComplete: 1 if the phase is complete, else 0.
    """
    return prepared(lib.vsm_prep_mbarrier_test_wait_parity(addr, parity, qual), bool)


def mbarrier_try_wait(addr: int, state: int, qual: int = 0) -> Instruction[bool]:
    """mbarrier.try_wait{.sem.scope}{.space}.b64 waitComplete, [addr], state

    See PTX ISA, section 9.7.13.15.16. The thread suspends until the phase is complete, or until
    ``drm_vsm_device_info.try_wait_limit_ns`` have passed. With ``DRM_VSM_EXEC_NO_LIMIT`` there is
    no time limit.

    :param addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA

    :param state: Token of an arrive in the current or the immediately preceding phase

    :param qual: Mask of any of: ``Qual.ACQUIRE`` or ``Qual.RELAXED``, with ``Qual.CTA`` or
        ``Qual.CLUSTER``; ``Qual.SHARED_CTA``

    :returns: Its result is waitComplete: 1 if the phase is complete, else 0.
    """
    return prepared(lib.vsm_prep_mbarrier_try_wait(addr, state, qual), bool)


def mbarrier_try_wait_hint(addr: int, state: int, hint_ns: int, qual: int = 0) -> Instruction[bool]:
    """mbarrier.try_wait{.sem.scope}{.space}.b64 waitComplete, [addr], state, suspendTimeHint

    See PTX ISA, section 9.7.13.15.16. The thread suspends until the phase is complete, or until
    ``hint_ns`` have passed.

    :param addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA

    :param state: Token of an arrive in the current or the immediately preceding phase

    :param hint_ns: suspendTimeHint in ns

    :param qual: Mask of any of: ``Qual.ACQUIRE`` or ``Qual.RELAXED``, with ``Qual.CTA`` or
        ``Qual.CLUSTER``; ``Qual.SHARED_CTA``

    :returns: Its result is waitComplete: 1 if the phase is complete, else 0.
    """
    return prepared(lib.vsm_prep_mbarrier_try_wait_hint(addr, state, hint_ns, qual), bool)


def mbarrier_try_wait_parity(addr: int, parity: int, qual: int = 0) -> Instruction[bool]:
    """mbarrier.try_wait.parity{.sem.scope}{.space}.b64 waitComplete, [addr], phaseParity

    See PTX ISA, section 9.7.13.15.16. The thread suspends until the phase is complete, or until
    ``drm_vsm_device_info.try_wait_limit_ns`` have passed. With ``DRM_VSM_EXEC_NO_LIMIT`` there is
    no time limit.

    :param addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA

    :param parity: phaseParity of the current or the immediately preceding phase, 0 or 1

    :param qual: Mask of any of: ``Qual.ACQUIRE`` or ``Qual.RELAXED``, with ``Qual.CTA`` or
        ``Qual.CLUSTER``; ``Qual.SHARED_CTA``

    :returns: Its result is waitComplete: 1 if the phase is complete, else 0.
    """
    return prepared(lib.vsm_prep_mbarrier_try_wait_parity(addr, parity, qual), bool)


def mbarrier_try_wait_parity_hint(addr: int, parity: int, hint_ns: int,
                                  qual: int = 0) -> Instruction[bool]:
    """mbarrier.try_wait.parity{.sem.scope}{.space}.b64 waitComplete, [addr], phaseParity,
    suspendTimeHint

    See PTX ISA, section 9.7.13.15.16. The thread suspends until the phase is complete, or until
    ``hint_ns`` have passed.

    :param addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA

    :param parity: phaseParity of the current or the immediately preceding phase, 0 or 1

    :param hint_ns: suspendTimeHint in ns

    :param qual: Mask of any of: ``Qual.ACQUIRE`` or ``Qual.RELAXED``, with ``Qual.CTA`` or
        ``Qual.CLUSTER``; ``Qual.SHARED_CTA``

    :returns: Its result is waitComplete: 1 if the phase is complete, else 0.
    """
    return prepared(lib.vsm_prep_mbarrier_try_wait_parity_hint(addr, parity, hint_ns, qual), bool)


def mbarrier_pending_count(state: int) -> Instruction[int]:
    """mbarrier.pending_count.b64 count, state

    See PTX ISA, section 9.7.13.15.17.

    :param state: Token of a .noComplete arrive or arrive_drop

    :returns: Its result is the number of arrivals that were pending before that arrive.
    """
    return prepared(lib.vsm_prep_mbarrier_pending_count(state), int)


def fence_mbarrier_init() -> Instruction[None]:
    """fence.mbarrier_init.release.cluster

    See PTX ISA, section 9.7.13.4. The instruction makes the earlier mbarrier.init of the thread
    visible to the cluster. Afterwards threads of other CTAs may use the objects.
    """
    return prepared(lib.vsm_prep_fence_mbarrier_init(), None)


def fence(qual: int = 0) -> Instruction[None]:
    """fence{.sem}.scope

    See PTX ISA, section 9.7.13.4. Layout sm_80 does not have ``Qual.CLUSTER``, ``Qual.ACQUIRE`` and
    ``Qual.RELEASE``.

    The fence is a memory barrier for the task that executes it. If the scope is ``Qual.CLUSTER`` or
    wider, and .sem is not ``Qual.ACQUIRE``, the fence also makes the earlier mbarrier.init of all
    threads of the CTA visible to the cluster.

    The device does not see the stores and atomic operations of a thread. Before one of them that
    has .release and scope .cluster or wider, the program must therefore execute this fence: with
    ``Qual.RELEASE`` or ``Qual.ACQ_REL``, and with the same scope.

    :param qual: A scope: ``Qual.CTA``, ``Qual.CLUSTER``, ``Qual.GPU`` or ``Qual.SYS``; and
        ``Qual.ACQ_REL`` (the default), ``Qual.SC``, ``Qual.ACQUIRE`` or ``Qual.RELEASE``
    """
    return prepared(lib.vsm_prep_fence(qual), None)


def cp_async_mbarrier_arrive(addr: int, qual: int = 0) -> Instruction[None]:
    """cp.async.mbarrier.arrive{.space}.b64 [addr]

    See PTX ISA, section 9.7.13.15.15. The instruction performs an arrive-on when every cp.async
    that the thread issued before is complete. The instruction first adds one pending arrival for
    it: the count of mbarrier.init must not include this arrival. vsm_exec() executes the
    instruction; vsm_submit() refuses it.

    :param addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA

    :param qual: ``Qual.SHARED_CTA``, or 0 for generic addressing
    """
    return prepared(lib.vsm_prep_cp_async_mbarrier_arrive(addr, qual), None)


def cp_async_mbarrier_arrive_noinc(addr: int, qual: int = 0) -> Instruction[None]:
    """cp.async.mbarrier.arrive.noinc{.space}.b64 [addr]

    See PTX ISA, section 9.7.13.15.15. The instruction performs an arrive-on when every cp.async
    that the thread issued before is complete. The count of mbarrier.init must include this arrival.
    vsm_exec() executes the instruction; vsm_submit() refuses it.

    :param addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA

    :param qual: ``Qual.SHARED_CTA``, or 0 for generic addressing
    """
    return prepared(lib.vsm_prep_cp_async_mbarrier_arrive_noinc(addr, qual), None)


def cp_async(addr: int, buffer: BufferLike, offset: int, size: int,
             qual: int = 0) -> Instruction[None]:
    """cp.async.ca.shared.global or cp.async.cg.shared.global [dst], [src], cp-size

    See PTX ISA, cp.async. The copy is asynchronous. It is complete when a later
    :func:`cp_async_mbarrier_arrive` has arrived, or when a wait for its group returns. vsm_exec()
    executes the instruction; vsm_submit() refuses it.

    :param addr: Destination, a cluster shared address in the executing thread's own CTA, a multiple
        of ``size``

    :param buffer: vsm_buffer_handle() of the source

    :param offset: Byte offset in ``buffer``, a multiple of ``size``

    :param size: Number of bytes: 4, 8 or 16; with ``Qual.CG`` it must be 16

    :param qual: Mask of any of: ``Qual.CG``; ``Qual.SHARED_CTA``
    """
    return prepared(lib.vsm_prep_cp_async(addr, handle_of(buffer), offset, size, qual), None)


def cp_async_src_size(addr: int, buffer: BufferLike, offset: int, size: int, src_size: int,
                      qual: int = 0) -> Instruction[None]:
    """cp.async.ca.shared.global or cp.async.cg.shared.global [dst], [src], cp-size, src-size

    See PTX ISA, cp.async. The copy is asynchronous. It is complete when a later
    :func:`cp_async_mbarrier_arrive` has arrived, or when a wait for its group returns. vsm_exec()
    executes the instruction; vsm_submit() refuses it.

    :param addr: Destination, a cluster shared address in the executing thread's own CTA, a multiple
        of ``size``

    :param buffer: vsm_buffer_handle() of the source

    :param offset: Byte offset in ``buffer``, a multiple of ``size``

    :param size: Number of bytes to write: 4, 8 or 16; with ``Qual.CG`` it must be 16

    :param src_size: Number of bytes to copy, 0 to ``size``. The remaining bytes of the destination
        become zero

    :param qual: Mask of any of: ``Qual.CG``; ``Qual.SHARED_CTA``
    """
    return prepared(lib.vsm_prep_cp_async_src_size(addr, handle_of(buffer), offset, size, src_size,
        qual), None)


def cp_async_commit_group() -> Instruction[None]:
    """cp.async.commit_group

    See PTX ISA, cp.async.commit_group. The instruction makes one group of all earlier cp.async of
    the thread that are in no group. The group may be empty. vsm_exec() executes the instruction;
    vsm_submit() refuses it.
    """
    return prepared(lib.vsm_prep_cp_async_commit_group(), None)


def cp_async_wait_group(groups: int) -> Instruction[None]:
    """cp.async.wait_group N

    See PTX ISA, cp.async.wait_group. The thread suspends until all groups of the thread except the
    last ``groups`` are complete. vsm_exec() executes the instruction; vsm_submit() refuses it.

    :param groups: Number of the thread's most recent groups that may still be in flight. 0 waits
        for all groups
    """
    return prepared(lib.vsm_prep_cp_async_wait_group(groups), None)


def cp_async_wait_all() -> Instruction[None]:
    """cp.async.wait_all

    See PTX ISA, cp.async.wait_all. The thread suspends until all earlier cp.async of the thread are
    complete, whether they are in a group or not. vsm_exec() executes the instruction; vsm_submit()
    refuses it.
    """
    return prepared(lib.vsm_prep_cp_async_wait_all(), None)


def cp_async_bulk_g2s(addr: int, buffer: BufferLike, offset: int, size: int,
                      mbar: int) -> Instruction[None]:
    """cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [dstMem], [srcMem], size,
    [mbar]

    See PTX ISA, cp.async.bulk. The copy is asynchronous. It is complete when the phase of ``mbar``
    that expects its bytes is complete.

    :param addr: Destination, a cluster shared address that is a multiple of 16

    :param buffer: vsm_buffer_handle() of the source

    :param offset: Byte offset in ``buffer``, a multiple of 16

    :param size: Number of bytes, a multiple of 16

    :param mbar: Cluster shared address of the mbarrier object on which complete-tx is performed, in
        the CTA of ``addr``
    """
    return prepared(lib.vsm_prep_cp_async_bulk_g2s(addr, handle_of(buffer), offset, size,
        mbar), None)


def cp_async_bulk_g2s_multicast(addr: int, buffer: BufferLike, offset: int, size: int, mbar: int,
                                cta_mask: int) -> Instruction[None]:
    """cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
    [dstMem], [srcMem], size, [mbar], ctaMask

    See PTX ISA, cp.async.bulk. The instruction copies the same bytes to several CTAs. The copy is
    asynchronous. It is complete in a CTA when the phase that expects its bytes is complete on the
    mbarrier object of that CTA.

    :param addr: Destination: the copy writes at the offset of this address in the window of each
        CTA of ``cta_mask``

    :param buffer: vsm_buffer_handle() of the source

    :param offset: Byte offset in ``buffer``, a multiple of 16

    :param size: Number of bytes, a multiple of 16

    :param mbar: Address of an mbarrier object. complete-tx is performed on the object at the offset
        of this address in each CTA of ``cta_mask``

    :param cta_mask: Mask of CTAs: bit n is the CTA of rank n
    """
    return prepared(lib.vsm_prep_cp_async_bulk_g2s_multicast(addr, handle_of(buffer), offset, size,
        mbar, cta_mask), None)


def cp_async_bulk_s2g(buffer: BufferLike, offset: int, addr: int, size: int) -> Instruction[None]:
    """cp.async.bulk.global.shared::cta.bulk_group [dstMem], [srcMem], size

    See PTX ISA, cp.async.bulk. The copy is asynchronous. It is complete when a wait for its bulk
    group returns, or when its job is done.

    :param buffer: vsm_buffer_handle() of the destination

    :param offset: Byte offset in ``buffer``, a multiple of 16

    :param addr: Source, a cluster shared address in the executing thread's own CTA, a multiple of
        16

    :param size: Number of bytes, a multiple of 16
    """
    return prepared(lib.vsm_prep_cp_async_bulk_s2g(handle_of(buffer), offset, addr, size), None)


def cp_async_bulk_s2g_mask(buffer: BufferLike, offset: int, addr: int, size: int,
                           byte_mask: int) -> Instruction[None]:
    """cp.async.bulk.global.shared::cta.bulk_group.cp_mask [dstMem], [srcMem], size, byteMask

    See PTX ISA, cp.async.bulk. The copy is asynchronous. It is complete when a wait for its bulk
    group returns, or when its job is done.

    :param buffer: vsm_buffer_handle() of the destination

    :param offset: Byte offset in ``buffer``, a multiple of 16

    :param addr: Source, a cluster shared address in the executing thread's own CTA, a multiple of
        16

    :param size: Number of bytes, a multiple of 16

    :param byte_mask: Mask: byte n of every 16 bytes is copied if bit n is set
    """
    return prepared(lib.vsm_prep_cp_async_bulk_s2g_mask(handle_of(buffer), offset, addr, size,
        byte_mask), None)


def cp_async_bulk_s2s(dst: int, src: int, size: int, mbar: int) -> Instruction[None]:
    """cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dstMem], [srcMem],
    size, [mbar]

    See PTX ISA, cp.async.bulk. The operation is asynchronous. It is complete when the phase of
    ``mbar`` that expects its bytes is complete.

    :param dst: Destination, a cluster shared address that is a multiple of 16

    :param src: Source, a cluster shared address in the executing thread's own CTA, a multiple of 16

    :param size: Number of bytes, a multiple of 16

    :param mbar: Cluster shared address of the mbarrier object on which complete-tx is performed, in
        the CTA of ``dst``
    """
    return prepared(lib.vsm_prep_cp_async_bulk_s2s(dst, src, size, mbar), None)


def cp_async_bulk_prefetch(buffer: BufferLike, offset: int, size: int) -> Instruction[None]:
    """cp.async.bulk.prefetch.L2.global [srcMem], size

    See PTX ISA, cp.async.bulk.prefetch. The device checks the operands. The instruction has no
    other effect.

    :param buffer: vsm_buffer_handle() of the source

    :param offset: Byte offset in ``buffer``, a multiple of 16

    :param size: Number of bytes, a multiple of 16
    """
    return prepared(lib.vsm_prep_cp_async_bulk_prefetch(handle_of(buffer), offset, size), None)


def cp_async_bulk_commit_group() -> Instruction[None]:
    """cp.async.bulk.commit_group

    See PTX ISA, cp.async.bulk.commit_group. The instruction makes one bulk group of all earlier
    copies of the thread with .bulk_group that are in no group. The group may be empty. vsm_exec()
    executes the instruction; vsm_submit() refuses it.
    """
    return prepared(lib.vsm_prep_cp_async_bulk_commit_group(), None)


def cp_async_bulk_wait_group(groups: int) -> Instruction[None]:
    """cp.async.bulk.wait_group N

    See PTX ISA, cp.async.bulk.wait_group. The thread suspends until all bulk groups of the thread
    except the last ``groups`` are complete. vsm_exec() executes the instruction; vsm_submit()
    refuses it.

    :param groups: Number of the thread's most recent bulk groups that may still be in flight. 0
        waits for all groups
    """
    return prepared(lib.vsm_prep_cp_async_bulk_wait_group(groups), None)


def cp_async_bulk_wait_group_read(groups: int) -> Instruction[None]:
    """cp.async.bulk.wait_group.read N

    See PTX ISA, cp.async.bulk.wait_group. The thread suspends until all bulk groups of the thread
    except the last ``groups`` have read their sources. The program may then write to the sources
    again. vsm_exec() executes the instruction; vsm_submit() refuses it.

    :param groups: Number of the thread's most recent bulk groups that need not have read their
        sources. 0 waits for all groups
    """
    return prepared(lib.vsm_prep_cp_async_bulk_wait_group_read(groups), None)


def cp_reduce_async_bulk_s2g(op: Red, type: Type, buffer: BufferLike, offset: int, addr: int,
                             size: int) -> Instruction[None]:
    """cp.reduce.async.bulk.global.shared::cta.bulk_group.redOp.type [dstMem], [srcMem], size

    See PTX ISA, cp.reduce.async.bulk. ``op`` is performed on each element of the destination and
    its counterpart in the source; the result replaces the element of the destination. The operation
    is asynchronous. It is complete when a wait for its bulk group returns, or when its job is done.

    Types: .and, .or and .xor take .b32 and .b64. .add takes .u32, .s32, .u64, .f16, .bf16, .f32 and
    .f64. .inc and .dec take .u32. .min and .max take .u32, .s32, .u64, .s64, .f16 and .bf16.

    :param op: Reduction operation, .redOp

    :param type: Type of the elements, .type

    :param buffer: vsm_buffer_handle() of the destination

    :param offset: Byte offset in ``buffer``, a multiple of 16

    :param addr: Source, a cluster shared address in the executing thread's own CTA, a multiple of
        16

    :param size: Number of bytes, a multiple of 16
    """
    return prepared(lib.vsm_prep_cp_reduce_async_bulk_s2g(op, type, handle_of(buffer), offset, addr,
        size), None)


def cp_reduce_async_bulk_s2s(op: Red, type: Type, dst: int, src: int, size: int,
                             mbar: int) -> Instruction[None]:
    """cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.redOp.type
    [dstMem], [srcMem], size, [mbar]

    See PTX ISA, cp.reduce.async.bulk. ``op`` is performed on each element of the destination and
    its counterpart in the source; the result replaces the element of the destination. The operation
    is asynchronous. It is complete when the phase of ``mbar`` that expects its bytes is complete.

    Types: .and, .or and .xor take .b32. .add takes .u32, .s32 and .u64. .inc and .dec take .u32.
    .min and .max take .u32 and .s32.

    :param op: Reduction operation, .redOp

    :param type: Type of the elements, .type

    :param dst: Destination, a cluster shared address that is a multiple of 16

    :param src: Source, a cluster shared address in the executing thread's own CTA, a multiple of 16

    :param size: Number of bytes, a multiple of 16

    :param mbar: Cluster shared address of the mbarrier object on which complete-tx is performed, in
        the CTA of ``dst``
    """
    return prepared(lib.vsm_prep_cp_reduce_async_bulk_s2s(op, type, dst, src, size, mbar), None)


def cp_async_bulk_tensor_g2s(dims: int, addr: int, map: TensorMap, coords: Sequence[int],
                             mbar: int) -> Instruction[None]:
    """cp.async.bulk.tensor.dim.shared::cluster.global.mbarrier::complete_tx::bytes [dstMem],
    [tensorMap, tensorCoords], [mbar]

    See PTX ISA, cp.async.bulk.tensor with .tile. The operation is asynchronous. It is complete when
    the phase of ``mbar`` that expects its bytes is complete.

    :param dims: Number of dimensions of the tensor, .dim, 1 to 5

    :param addr: Destination, a cluster shared address that is a multiple of 128

    :param map: Tensor map, at a multiple of 64 bytes. The device reads it when the instruction is
        issued

    :param coords: tensorCoords: ``dims`` coordinates of the first element of the box, innermost
        first

    :param mbar: Cluster shared address of the mbarrier object on which complete-tx of the box's
        bytes is performed, in the CTA of ``addr``
    """
    return prepared(lib.vsm_prep_cp_async_bulk_tensor_g2s(dims, addr, map.pointer,
        ffi.new("int32_t[5]", coords), mbar), None, map)


def cp_async_bulk_tensor_g2s_multicast(dims: int, addr: int, map: TensorMap, coords: Sequence[int],
                                       mbar: int, cta_mask: int) -> Instruction[None]:
    """cp.async.bulk.tensor.dim.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
    [dstMem], [tensorMap, tensorCoords], [mbar], ctaMask

    See PTX ISA, cp.async.bulk.tensor with .tile. The instruction copies the same bytes to several
    CTAs. The copy is asynchronous. It is complete in a CTA when the phase that expects its bytes is
    complete on the mbarrier object of that CTA.

    :param dims: Number of dimensions of the tensor, .dim, 1 to 5

    :param addr: Destination: the copy writes at the offset of this address in the window of each
        CTA of ``cta_mask``

    :param map: Tensor map, at a multiple of 64 bytes

    :param coords: tensorCoords: ``dims`` coordinates of the first element of the box, innermost
        first

    :param mbar: Address of an mbarrier object. complete-tx of the box's bytes is performed on the
        object at the offset of this address in each CTA of ``cta_mask``

    :param cta_mask: Mask of CTAs: bit n is the CTA of rank n
    """
    return prepared(lib.vsm_prep_cp_async_bulk_tensor_g2s_multicast(dims, addr, map.pointer,
        ffi.new("int32_t[5]", coords), mbar, cta_mask), None, map)


def cp_async_bulk_tensor_g2s_im2col(dims: int, addr: int, map: TensorMap, coords: Sequence[int],
                                    mbar: int, offsets: Sequence[int]) -> Instruction[None]:
    """cp.async.bulk.tensor.dim.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [dstMem],
    [tensorMap, tensorCoords], [mbar], im2colOffsets

    See PTX ISA, cp.async.bulk.tensor with .im2col. The operation is asynchronous. It is complete
    when the phase of ``mbar`` that expects its bytes is complete.

    :param dims: Number of dimensions of the tensor, .dim, 3 to 5

    :param addr: Destination, a cluster shared address that is a multiple of 128

    :param map: Tensor map of an im2col tensor, at a multiple of 64 bytes

    :param coords: tensorCoords: ``dims`` coordinates of the first channel and pixel, innermost
        first

    :param mbar: Cluster shared address of the mbarrier object on which complete-tx is performed, in
        the CTA of ``addr``

    :param offsets: im2colOffsets: ``dims`` - 2 offsets, innermost first, below 2^16 with 3
        dimensions, 2^8 with 4, 2^5 with 5. The constructor drops the upper bits of larger offsets
    """
    return prepared(lib.vsm_prep_cp_async_bulk_tensor_g2s_im2col(dims, addr, map.pointer,
        ffi.new("int32_t[5]", coords), mbar, ffi.new("uint16_t[5]", offsets)), None, map)


def cp_async_bulk_tensor_g2s_im2col_multicast(dims: int, addr: int, map: TensorMap,
                                              coords: Sequence[int], mbar: int,
                                              offsets: Sequence[int],
                                              cta_mask: int) -> Instruction[None]:
    """cp.async.bulk.tensor.dim.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster
    [dstMem], [tensorMap, tensorCoords], [mbar], im2colOffsets, ctaMask

    See PTX ISA, cp.async.bulk.tensor with .im2col. The instruction copies the same bytes to several
    CTAs. The copy is asynchronous. It is complete in a CTA when the phase that expects its bytes is
    complete on the mbarrier object of that CTA.

    :param dims: Number of dimensions of the tensor, .dim, 3 to 5

    :param addr: Destination: the copy writes at the offset of this address in the window of each
        CTA of ``cta_mask``

    :param map: Tensor map of an im2col tensor, at a multiple of 64 bytes

    :param coords: tensorCoords: ``dims`` coordinates of the first channel and pixel, innermost
        first

    :param mbar: Address of an mbarrier object. complete-tx is performed on the object at the offset
        of this address in each CTA of ``cta_mask``

    :param offsets: im2colOffsets: ``dims`` - 2 offsets, innermost first, below 2^16 with 3
        dimensions, 2^8 with 4, 2^5 with 5. The constructor drops the upper bits of larger offsets

    :param cta_mask: Mask of CTAs: bit n is the CTA of rank n
    """
    return prepared(lib.vsm_prep_cp_async_bulk_tensor_g2s_im2col_multicast(dims, addr, map.pointer,
        ffi.new("int32_t[5]", coords), mbar, ffi.new("uint16_t[5]", offsets), cta_mask), None, map)


def cp_async_bulk_tensor_s2g(dims: int, map: TensorMap, coords: Sequence[int],
                             addr: int) -> Instruction[None]:
    """cp.async.bulk.tensor.dim.global.shared::cta.bulk_group [tensorMap, tensorCoords], [srcMem]

    See PTX ISA, cp.async.bulk.tensor with .tile. The operation is asynchronous. It is complete when
    a wait for its bulk group returns, or when its job is done.

    :param dims: Number of dimensions of the tensor, .dim, 1 to 5

    :param map: Tensor map, at a multiple of 64 bytes. The device reads it when the instruction is
        issued

    :param coords: tensorCoords: ``dims`` coordinates of the first element of the box, innermost
        first

    :param addr: Source, a cluster shared address in the executing thread's own CTA, a multiple of
        128
    """
    return prepared(lib.vsm_prep_cp_async_bulk_tensor_s2g(dims, map.pointer,
        ffi.new("int32_t[5]", coords), addr), None, map)


def cp_async_bulk_tensor_s2g_im2col(dims: int, map: TensorMap, coords: Sequence[int],
                                    addr: int) -> Instruction[None]:
    """cp.async.bulk.tensor.dim.global.shared::cta.im2col_no_offs.bulk_group [tensorMap,
    tensorCoords], [srcMem]

    See PTX ISA, cp.async.bulk.tensor with .im2col. The operation is asynchronous. It is complete
    when a wait for its bulk group returns, or when its job is done.

    :param dims: Number of dimensions of the tensor, .dim, 3 to 5

    :param map: Tensor map of an im2col tensor, at a multiple of 64 bytes

    :param coords: tensorCoords: ``dims`` coordinates of the first channel and pixel, innermost
        first

    :param addr: Source, a cluster shared address in the executing thread's own CTA, a multiple of
        128
    """
    return prepared(lib.vsm_prep_cp_async_bulk_tensor_s2g_im2col(dims, map.pointer,
        ffi.new("int32_t[5]", coords), addr), None, map)


def cp_reduce_async_bulk_tensor(op: Red, dims: int, map: TensorMap, coords: Sequence[int],
                                addr: int) -> Instruction[None]:
    """cp.reduce.async.bulk.tensor.dim.global.shared::cta.redOp.bulk_group [tensorMap,
    tensorCoords], [srcMem]

    See PTX ISA, cp.reduce.async.bulk.tensor with .tile. ``op`` is performed on each element of the
    box in the tensor and its counterpart in the source; the result replaces the element of the
    tensor. The operation is asynchronous. It is complete when a wait for its bulk group returns, or
    when its job is done.

    :param op: Reduction operation, .redOp. The type is that of the tensor map

    :param dims: Number of dimensions of the tensor, .dim, 1 to 5

    :param map: Tensor map, at a multiple of 64 bytes. The device reads it when the instruction is
        issued

    :param coords: tensorCoords: ``dims`` coordinates of the first element of the box, innermost
        first

    :param addr: Source, a cluster shared address in the executing thread's own CTA, a multiple of
        128
    """
    return prepared(lib.vsm_prep_cp_reduce_async_bulk_tensor(op, dims, map.pointer,
        ffi.new("int32_t[5]", coords), addr), None, map)


def cp_reduce_async_bulk_tensor_im2col(op: Red, dims: int, map: TensorMap, coords: Sequence[int],
                                       addr: int) -> Instruction[None]:
    """cp.reduce.async.bulk.tensor.dim.global.shared::cta.redOp.im2col_no_offs.bulk_group
    [tensorMap, tensorCoords], [srcMem]

    See PTX ISA, cp.reduce.async.bulk.tensor with .im2col. ``op`` is performed on each element of
    the box in the tensor and its counterpart in the source; the result replaces the element of the
    tensor. The operation is asynchronous. It is complete when a wait for its bulk group returns, or
    when its job is done.

    :param op: Reduction operation, .redOp. The type is that of the tensor map

    :param dims: Number of dimensions of the tensor, .dim, 3 to 5

    :param map: Tensor map of an im2col tensor, at a multiple of 64 bytes

    :param coords: tensorCoords: ``dims`` coordinates of the first channel and pixel, innermost
        first

    :param addr: Source, a cluster shared address in the executing thread's own CTA, a multiple of
        128
    """
    return prepared(lib.vsm_prep_cp_reduce_async_bulk_tensor_im2col(op, dims, map.pointer,
        ffi.new("int32_t[5]", coords), addr), None, map)


def cp_async_bulk_prefetch_tensor(dims: int, map: TensorMap,
                                  coords: Sequence[int]) -> Instruction[None]:
    """cp.async.bulk.prefetch.tensor.dim.L2.global [tensorMap, tensorCoords]

    See PTX ISA, cp.async.bulk.prefetch.tensor with .tile. The device checks the operands. The
    instruction has no other effect.

    :param dims: Number of dimensions of the tensor, .dim, 1 to 5

    :param map: Tensor map, at a multiple of 64 bytes. The device reads it when the instruction is
        issued

    :param coords: tensorCoords: ``dims`` coordinates of the first element of the box, innermost
        first
    """
    return prepared(lib.vsm_prep_cp_async_bulk_prefetch_tensor(dims, map.pointer,
        ffi.new("int32_t[5]", coords)), None, map)


def cp_async_bulk_prefetch_tensor_im2col(dims: int, map: TensorMap, coords: Sequence[int],
                                         offsets: Sequence[int]) -> Instruction[None]:
    """cp.async.bulk.prefetch.tensor.dim.L2.global.im2col [tensorMap, tensorCoords], im2colOffsets

    See PTX ISA, cp.async.bulk.prefetch.tensor with .im2col. The device checks the operands. The
    instruction has no other effect.

    :param dims: Number of dimensions of the tensor, .dim, 3 to 5

    :param map: Tensor map of an im2col tensor, at a multiple of 64 bytes

    :param coords: tensorCoords: ``dims`` coordinates of the first channel and pixel, innermost
        first

    :param offsets: im2colOffsets: ``dims`` - 2 offsets, innermost first, below 2^16 with 3
        dimensions, 2^8 with 4, 2^5 with 5. The constructor drops the upper bits of larger offsets
    """
    return prepared(lib.vsm_prep_cp_async_bulk_prefetch_tensor_im2col(dims, map.pointer,
        ffi.new("int32_t[5]", coords), ffi.new("uint16_t[5]", offsets)), None, map)


def st_async(size: int, addr: int, value: bytes, mbar: int, qual: int = 0) -> Instruction[None]:
    """st.async.weak{.space}.mbarrier::complete_tx::bytes{.vec}.type [a], b, [mbar]

    See PTX ISA, st.async. The operation is asynchronous. It is complete when the phase of ``mbar``
    that expects its bytes is complete.

    :param size: Number of bytes: 4 (.b32), 8 (.b64) or 16 (.v2.b64)

    :param addr: Destination, a cluster shared address that is a multiple of ``size``

    :param value: Value to store, b: the constructor copies ``size`` bytes

    :param mbar: Cluster shared address of the mbarrier object on which complete-tx of ``size`` is
        performed, in the CTA of ``addr``

    :param qual: ``Qual.SHARED_CTA`` or ``Qual.SHARED_CLUSTER``, or 0 for generic addressing
    """
    return prepared(lib.vsm_prep_st_async(size, addr, ffi.new("char[16]", bytes(value)), mbar,
        qual), None)


def red_async(op: Red, type: Type, addr: int, value: int, mbar: int,
              qual: int = 0) -> Instruction[None]:
    """red.async.relaxed.cluster{.space}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar]

    See PTX ISA, red.async. ``op`` is performed on the value at ``addr`` and ``value``; the result
    replaces the value at ``addr``. The operation is asynchronous. It is complete when the phase of
    ``mbar`` that expects its bytes is complete.

    Types: .and, .or and .xor take .b32. .add takes .u32, .s32 and .u64. .inc and .dec take .u32.
    .min and .max take .u32 and .s32.

    :param op: Reduction operation, .op

    :param type: Type of the elements, .type

    :param addr: Destination, a cluster shared address that is a multiple of the type's size

    :param value: Operand of the reduction, b. The constructor drops bits above the size of ``type``

    :param mbar: Cluster shared address of the mbarrier object on which complete-tx of the type's
        size is performed, in the CTA of ``addr``

    :param qual: ``Qual.SHARED_CTA`` or ``Qual.SHARED_CLUSTER``, or 0 for generic addressing
    """
    return prepared(lib.vsm_prep_red_async(op, type, addr, value, mbar, qual), None)


def match_any_sync_b32(a: int, membermask: int) -> Instruction[int]:
    """match.any.sync.b32 d, a, membermask

    See PTX ISA, section 9.7.13.10. The thread suspends until all threads of ``membermask`` that
    have not exited have executed the instruction with the same ``membermask``.

    :param a: Value to compare

    :param membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the
        executing lane

    :returns: Its result is d, the mask of the threads whose ``a`` is equal to that of the executing
        thread.
    """
    return prepared(lib.vsm_prep_match_any_sync_b32(a, membermask), int)


def match_any_sync_b64(a: int, membermask: int) -> Instruction[int]:
    """match.any.sync.b64 d, a, membermask

    See PTX ISA, section 9.7.13.10. The thread suspends until all threads of ``membermask`` that
    have not exited have executed the instruction with the same ``membermask``.

    :param a: Value to compare

    :param membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the
        executing lane

    :returns: Its result is d, the mask of the threads whose ``a`` is equal to that of the executing
        thread.
    """
    return prepared(lib.vsm_prep_match_any_sync_b64(a, membermask), int)


def match_all_sync_b32(a: int, membermask: int) -> Instruction[Pair]:
    """match.all.sync.b32 d|p, a, membermask

    See PTX ISA, section 9.7.13.10. The thread suspends until all threads of ``membermask`` that
    have not exited have executed the instruction with the same ``membermask``.

    :param a: Value to compare

    :param membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the
        executing lane

    :returns: If all threads of ``membermask`` that have not exited have the same ``a``, its result
        is d, the mask of these threads, with ``DRM_VSM_RESULT_PRED``. Otherwise its result is 0.
    """
    return prepared(lib.vsm_prep_match_all_sync_b32(a, membermask), Pair)


def match_all_sync_b64(a: int, membermask: int) -> Instruction[Pair]:
    """match.all.sync.b64 d|p, a, membermask

    See PTX ISA, section 9.7.13.10. The thread suspends until all threads of ``membermask`` that
    have not exited have executed the instruction with the same ``membermask``.

    :param a: Value to compare

    :param membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the
        executing lane

    :returns: If all threads of ``membermask`` that have not exited have the same ``a``, its result
        is d, the mask of these threads, with ``DRM_VSM_RESULT_PRED``. Otherwise its result is 0.
    """
    return prepared(lib.vsm_prep_match_all_sync_b64(a, membermask), Pair)


def bar_warp_sync(membermask: int) -> Instruction[None]:
    """bar.warp.sync membermask

    See PTX ISA, section 9.7.13.2. The thread suspends until all threads of ``membermask`` that have
    not exited have executed the instruction with the same ``membermask``.

    :param membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the
        executing lane
    """
    return prepared(lib.vsm_prep_bar_warp_sync(membermask), None)


def elect_sync(membermask: int) -> Instruction[Pair]:
    """elect.sync d|p, membermask

    See PTX ISA, section 9.7.13.14. Layout sm_80 does not have this instruction. elect.sync elects
    the lowest lane of ``membermask`` that has not exited. The thread suspends until all threads of
    ``membermask`` that have not exited have executed the instruction with the same ``membermask``.

    :param membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the
        executing lane

    :returns: Its result is d, the elected lane, with ``DRM_VSM_RESULT_PRED`` if the executing lane
        is elected.
    """
    return prepared(lib.vsm_prep_elect_sync(membermask), Pair)


def vote_sync(mode: Mode, a: bool, membermask: int) -> Instruction[bool]:
    """vote.sync.mode.pred p, a, membermask

    See PTX ISA, section 9.7.13.9. The thread suspends until all threads of ``membermask`` that have
    not exited have executed the instruction with the same ``membermask``.

    :param mode: ``Mode.ALL`` (all are true), ``Mode.ANY`` (at least one is true) or ``Mode.UNI``
        (all are equal)

    :param a: Predicate of the executing thread

    :param membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the
        executing lane

    :returns: Its result is p, 0 or 1.
    """
    return prepared(lib.vsm_prep_vote_sync(mode, a, membermask), bool)


def vote_sync_ballot(a: bool, membermask: int) -> Instruction[int]:
    """vote.sync.ballot.b32 d, a, membermask

    See PTX ISA, section 9.7.13.9. The thread suspends until all threads of ``membermask`` that have
    not exited have executed the instruction with the same ``membermask``.

    :param a: Predicate of the executing thread

    :param membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the
        executing lane

    :returns: Its result is d, the mask of the threads whose ``a`` is true.
    """
    return prepared(lib.vsm_prep_vote_sync_ballot(a, membermask), int)


def shfl_sync(mode: Mode, a: int, b: int, c: int, membermask: int) -> Instruction[Pair]:
    """shfl.sync.mode.b32 d|p, a, b, c, membermask

    See PTX ISA, section 9.7.9.6. The thread suspends until all threads of ``membermask`` that have
    not exited have executed the instruction with the same ``membermask``.

    :param mode: ``Mode.UP``, ``Mode.DOWN``, ``Mode.BFLY`` or ``Mode.IDX``

    :param a: Value that other lanes can read

    :param b: Lane (.idx), mask (.bfly) or offset (.up, .down), in bits 4:0

    :param c: Clamp value in bits 4:0, segment mask in bits 12:8

    :param membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the
        executing lane

    :returns: Its result is d, the ``a`` of the source lane, with ``DRM_VSM_RESULT_PRED`` if the
        source lane is in range. If the source lane is not in range, is not in ``membermask`` or has
        exited, d is the ``a`` of the executing thread; in the last two cases PTX leaves d
        undefined.
    """
    return prepared(lib.vsm_prep_shfl_sync(mode, a, b, c, membermask), Pair)


def redux_sync(op: Red, type: Type, src: int, membermask: int) -> Instruction[int]:
    """redux.sync.op.type dst, src, membermask

    See PTX ISA, section 9.7.13.12. The thread suspends until all threads of ``membermask`` that
    have not exited have executed the instruction with the same ``membermask``.

    Types: .add, .min and .max take .u32 and .s32. .and, .or and .xor take .b32.

    :param op: Reduction operation, .op

    :param type: Type of the elements, .type

    :param src: Value to reduce

    :param membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the
        executing lane

    :returns: Its result is dst, which is ``op`` of the ``src`` of these threads.
    """
    return prepared(lib.vsm_prep_redux_sync(op, type, src, membermask), int)


def barrier_sync(barrier: int, qual: int = 0) -> Instruction[None]:
    """barrier.cta.sync{.aligned} a

    See PTX ISA, section 9.7.13.1. The thread suspends until all threads of the CTA that have not
    exited have arrived.

    A named barrier belongs to the CTA and is not in memory. It has no transactions, and a thread
    cannot test its phase. An mbarrier (:func:`mbarrier_init`) is an object in shared memory, with
    transactions and a phase that threads can test.

    :param barrier: Number of a named barrier of the executing thread's CTA, a: 0 to 15

    :param qual: ``Qual.ALIGNED`` or 0. PTX has three more spellings for ``Qual.ALIGNED``:
        bar.cta.sync, bar.sync and barrier.sync.aligned
    """
    return prepared(lib.vsm_prep_barrier_sync(barrier, qual), None)


def barrier_sync_count(barrier: int, count: int, qual: int = 0) -> Instruction[None]:
    """barrier.cta.sync{.aligned} a, b

    See PTX ISA, section 9.7.13.1. The thread suspends until ``count`` threads have arrived. Each
    arrival of a warp counts as 32 threads. A warp may arrive several times with
    :func:`barrier_arrive` before it waits; therefore ``count`` may be larger than the number of
    threads of the CTA.

    :param barrier: Number of a named barrier of the executing thread's CTA, a: 0 to 15

    :param count: Number of threads whose arrival completes the barrier, b: a multiple of 32 above 0

    :param qual: ``Qual.ALIGNED`` or 0
    """
    return prepared(lib.vsm_prep_barrier_sync_count(barrier, count, qual), None)


def barrier_arrive(barrier: int, count: int, qual: int = 0) -> Instruction[None]:
    """barrier.cta.arrive{.aligned} a, b

    See PTX ISA, section 9.7.13.1. The thread does not wait for the barrier: it suspends only until
    all threads of the warp have executed the instruction.

    :param barrier: Number of a named barrier of the executing thread's CTA, a: 0 to 15

    :param count: Number of threads whose arrival completes the barrier, b: a multiple of 32 above
        0. The arrival of the executing warp counts as 32 of them

    :param qual: ``Qual.ALIGNED`` or 0
    """
    return prepared(lib.vsm_prep_barrier_arrive(barrier, count, qual), None)


def barrier_red(op: Red, barrier: int, pred: bool, qual: int = 0) -> Instruction[bool]:
    """barrier.cta.red.op{.aligned}.pred p, a, c

    See PTX ISA, section 9.7.13.1. The thread suspends until all threads of the CTA that have not
    exited have arrived.

    :param op: ``Red.AND`` or ``Red.OR``

    :param barrier: Number of a named barrier of the executing thread's CTA, a: 0 to 15

    :param pred: Predicate of the executing thread, c

    :param qual: ``Qual.ALIGNED`` or 0

    :returns: Its result is p, which is ``op`` of the ``pred`` of all threads that arrive: 0 or 1.
    """
    return prepared(lib.vsm_prep_barrier_red(op, barrier, pred, qual), bool)


def barrier_red_count(op: Red, barrier: int, count: int, pred: bool,
                      qual: int = 0) -> Instruction[bool]:
    """barrier.cta.red.op{.aligned}.pred p, a, b, c

    See PTX ISA, section 9.7.13.1. The thread suspends until ``count`` threads have arrived. Each
    arrival of a warp counts as 32 threads.

    :param op: ``Red.AND`` or ``Red.OR``

    :param barrier: Number of a named barrier of the executing thread's CTA, a: 0 to 15

    :param count: Number of threads whose arrival completes the barrier, b: a multiple of 32 above 0

    :param pred: Predicate of the executing thread, c

    :param qual: ``Qual.ALIGNED`` or 0

    :returns: Its result is p, which is ``op`` of the ``pred`` of all threads that arrive: 0 or 1.
    """
    return prepared(lib.vsm_prep_barrier_red_count(op, barrier, count, pred, qual), bool)


def barrier_red_popc(barrier: int, pred: bool, qual: int = 0) -> Instruction[int]:
    """barrier.cta.red.popc{.aligned}.u32 d, a, c

    See PTX ISA, section 9.7.13.1. The thread suspends until all threads of the CTA that have not
    exited have arrived.

    :param barrier: Number of a named barrier of the executing thread's CTA, a: 0 to 15

    :param pred: Predicate of the executing thread, c

    :param qual: ``Qual.ALIGNED`` or 0

    :returns: Its result is d, the number of threads whose ``pred`` is true.
    """
    return prepared(lib.vsm_prep_barrier_red_popc(barrier, pred, qual), int)


def barrier_red_popc_count(barrier: int, count: int, pred: bool, qual: int = 0) -> Instruction[int]:
    """barrier.cta.red.popc{.aligned}.u32 d, a, b, c

    See PTX ISA, section 9.7.13.1. The thread suspends until ``count`` threads have arrived. Each
    arrival of a warp counts as 32 threads.

    :param barrier: Number of a named barrier of the executing thread's CTA, a: 0 to 15

    :param count: Number of threads whose arrival completes the barrier, b: a multiple of 32 above 0

    :param pred: Predicate of the executing thread, c

    :param qual: ``Qual.ALIGNED`` or 0

    :returns: Its result is d, the number of threads whose ``pred`` is true.
    """
    return prepared(lib.vsm_prep_barrier_red_popc_count(barrier, count, pred, qual), int)


def barrier_cluster_arrive(qual: int = 0) -> Instruction[None]:
    """barrier.cluster.arrive{.sem}{.aligned}

    See PTX ISA, section 9.7.13.3. Layout sm_80 does not have this instruction. The thread does not
    wait for the barrier: it suspends only until all threads of the warp have executed the
    instruction. With .release, the earlier mbarrier.init of all threads of the CTA are visible to
    the cluster when the barrier completes. With .relaxed, the threads must execute
    :func:`fence_mbarrier_init` before, to make them visible.

    :param qual: Mask of any of: ``Qual.RELEASE`` (the default) or ``Qual.RELAXED``;
        ``Qual.ALIGNED``
    """
    return prepared(lib.vsm_prep_barrier_cluster_arrive(qual), None)


def barrier_cluster_wait(qual: int = 0) -> Instruction[None]:
    """barrier.cluster.wait{.acquire}{.aligned}

    See PTX ISA, section 9.7.13.3. Layout sm_80 does not have this instruction. The thread suspends
    until all threads of the cluster that have not exited have executed
    :func:`barrier_cluster_arrive`. The executing thread must have executed it too.

    :param qual: Mask of any of: ``Qual.ACQUIRE`` (the default); ``Qual.ALIGNED``
    """
    return prepared(lib.vsm_prep_barrier_cluster_wait(qual), None)


def exit() -> Instruction[None]:
    """exit

    See PTX ISA, section 9.7.12.7. The thread executes nothing afterwards, as long as the cluster
    exists. Threads that wait only for this thread continue.
    """
    return prepared(lib.vsm_prep_exit(), None)
