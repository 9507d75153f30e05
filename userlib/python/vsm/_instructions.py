# SPDX-License-Identifier: MIT
# userlib/python/generate.py has written this file from the headers of vsm. Do not change it.
"""The methods of threads that execute one instruction each."""

from typing import Sequence, TypeVar

from . import insn
from ._base import BufferLike, Instruction, Pair, TensorMap
from .enums import Mode, Red, Type

R = TypeVar("R")


class Instructions:
    """Executes instructions. :mod:`vsm.insn` describes parameters and results."""

    def execute(self, instruction: Instruction[R]) -> R:
        """Execute an instruction, and return its result."""
        raise NotImplementedError

    def mbarrier_init(self, addr: int, count: int, qual: int = 0) -> None:
        """mbarrier.init{.space}.b64 [addr], count"""
        return self.execute(insn.mbarrier_init(addr, count, qual))

    def mbarrier_inval(self, addr: int, qual: int = 0) -> None:
        """mbarrier.inval{.space}.b64 [addr]"""
        return self.execute(insn.mbarrier_inval(addr, qual))

    def mbarrier_expect_tx(self, addr: int, tx_count: int, qual: int = 0) -> None:
        """mbarrier.expect_tx{.sem.scope}{.space}.b64 [addr], txCount"""
        return self.execute(insn.mbarrier_expect_tx(addr, tx_count, qual))

    def mbarrier_complete_tx(self, addr: int, tx_count: int, qual: int = 0) -> None:
        """mbarrier.complete_tx{.sem.scope}{.space}.b64 [addr], txCount"""
        return self.execute(insn.mbarrier_complete_tx(addr, tx_count, qual))

    def mbarrier_arrive(self, addr: int, qual: int = 0) -> int:
        """mbarrier.arrive{.sem.scope}{.space}.b64 state, [addr]"""
        return self.execute(insn.mbarrier_arrive(addr, qual))

    def mbarrier_arrive_count(self, addr: int, count: int, qual: int = 0) -> int:
        """mbarrier.arrive{.sem.scope}{.space}.b64 state, [addr], count"""
        return self.execute(insn.mbarrier_arrive_count(addr, count, qual))

    def mbarrier_arrive_expect_tx(self, addr: int, tx_count: int, qual: int = 0) -> int:
        """mbarrier.arrive.expect_tx{.sem.scope}{.space}.b64 state, [addr], txCount"""
        return self.execute(insn.mbarrier_arrive_expect_tx(addr, tx_count, qual))

    def mbarrier_arrive_nocomplete(self, addr: int, count: int, qual: int = 0) -> int:
        """mbarrier.arrive.noComplete{.release.cta}{.space}.b64 state, [addr], count"""
        return self.execute(insn.mbarrier_arrive_nocomplete(addr, count, qual))

    def mbarrier_arrive_drop(self, addr: int, qual: int = 0) -> int:
        """mbarrier.arrive_drop{.sem.scope}{.space}.b64 state, [addr]"""
        return self.execute(insn.mbarrier_arrive_drop(addr, qual))

    def mbarrier_arrive_drop_count(self, addr: int, count: int, qual: int = 0) -> int:
        """mbarrier.arrive_drop{.sem.scope}{.space}.b64 state, [addr], count"""
        return self.execute(insn.mbarrier_arrive_drop_count(addr, count, qual))

    def mbarrier_arrive_drop_expect_tx(self, addr: int, tx_count: int, qual: int = 0) -> int:
        """mbarrier.arrive_drop.expect_tx{.sem.scope}{.space}.b64 state, [addr], txCount"""
        return self.execute(insn.mbarrier_arrive_drop_expect_tx(addr, tx_count, qual))

    def mbarrier_arrive_drop_nocomplete(self, addr: int, count: int, qual: int = 0) -> int:
        """mbarrier.arrive_drop.noComplete{.release.cta}{.space}.b64 state, [addr], count"""
        return self.execute(insn.mbarrier_arrive_drop_nocomplete(addr, count, qual))

    def mbarrier_test_wait(self, addr: int, state: int, qual: int = 0) -> bool:
        """mbarrier.test_wait{.sem.scope}{.space}.b64 waitComplete, [addr], state"""
        return self.execute(insn.mbarrier_test_wait(addr, state, qual))

    def mbarrier_test_wait_parity(self, addr: int, parity: int, qual: int = 0) -> bool:
        """mbarrier.test_wait.parity{.sem.scope}{.space}.b64 waitComplete, [addr], phaseParity"""
        return self.execute(insn.mbarrier_test_wait_parity(addr, parity, qual))

    def mbarrier_try_wait(self, addr: int, state: int, qual: int = 0) -> bool:
        """mbarrier.try_wait{.sem.scope}{.space}.b64 waitComplete, [addr], state"""
        return self.execute(insn.mbarrier_try_wait(addr, state, qual))

    def mbarrier_try_wait_hint(self, addr: int, state: int, hint_ns: int, qual: int = 0) -> bool:
        """mbarrier.try_wait{.sem.scope}{.space}.b64 waitComplete, [addr], state, suspendTimeHint"""
        return self.execute(insn.mbarrier_try_wait_hint(addr, state, hint_ns, qual))

    def mbarrier_try_wait_parity(self, addr: int, parity: int, qual: int = 0) -> bool:
        """mbarrier.try_wait.parity{.sem.scope}{.space}.b64 waitComplete, [addr], phaseParity"""
        return self.execute(insn.mbarrier_try_wait_parity(addr, parity, qual))

    def mbarrier_try_wait_parity_hint(self, addr: int, parity: int, hint_ns: int,
                                      qual: int = 0) -> bool:
        """mbarrier.try_wait.parity{.sem.scope}{.space}.b64 waitComplete, [addr], phaseParity,
        suspendTimeHint"""
        return self.execute(insn.mbarrier_try_wait_parity_hint(addr, parity, hint_ns, qual))

    def mbarrier_pending_count(self, state: int) -> int:
        """mbarrier.pending_count.b64 count, state"""
        return self.execute(insn.mbarrier_pending_count(state))

    def fence_mbarrier_init(self) -> None:
        """fence.mbarrier_init.release.cluster"""
        return self.execute(insn.fence_mbarrier_init())

    def fence(self, qual: int = 0) -> None:
        """fence{.sem}.scope"""
        return self.execute(insn.fence(qual))

    def cp_async_mbarrier_arrive(self, addr: int, qual: int = 0) -> None:
        """cp.async.mbarrier.arrive{.space}.b64 [addr]"""
        return self.execute(insn.cp_async_mbarrier_arrive(addr, qual))

    def cp_async_mbarrier_arrive_noinc(self, addr: int, qual: int = 0) -> None:
        """cp.async.mbarrier.arrive.noinc{.space}.b64 [addr]"""
        return self.execute(insn.cp_async_mbarrier_arrive_noinc(addr, qual))

    def cp_async(self, addr: int, buffer: BufferLike, offset: int, size: int,
                 qual: int = 0) -> None:
        """cp.async.ca.shared.global or cp.async.cg.shared.global [dst], [src], cp-size"""
        return self.execute(insn.cp_async(addr, buffer, offset, size, qual))

    def cp_async_src_size(self, addr: int, buffer: BufferLike, offset: int, size: int,
                          src_size: int, qual: int = 0) -> None:
        """cp.async.ca.shared.global or cp.async.cg.shared.global [dst], [src], cp-size, src-size"""
        return self.execute(insn.cp_async_src_size(addr, buffer, offset, size, src_size, qual))

    def cp_async_commit_group(self) -> None:
        """cp.async.commit_group"""
        return self.execute(insn.cp_async_commit_group())

    def cp_async_wait_group(self, groups: int) -> None:
        """cp.async.wait_group N"""
        return self.execute(insn.cp_async_wait_group(groups))

    def cp_async_wait_all(self) -> None:
        """cp.async.wait_all"""
        return self.execute(insn.cp_async_wait_all())

    def cp_async_bulk_g2s(self, addr: int, buffer: BufferLike, offset: int, size: int,
                          mbar: int) -> None:
        """cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [dstMem], [srcMem],
        size, [mbar]"""
        return self.execute(insn.cp_async_bulk_g2s(addr, buffer, offset, size, mbar))

    def cp_async_bulk_g2s_multicast(self, addr: int, buffer: BufferLike, offset: int, size: int,
                                    mbar: int, cta_mask: int) -> None:
        """cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
        [dstMem], [srcMem], size, [mbar], ctaMask"""
        return self.execute(insn.cp_async_bulk_g2s_multicast(addr, buffer, offset, size, mbar,
            cta_mask))

    def cp_async_bulk_s2g(self, buffer: BufferLike, offset: int, addr: int, size: int) -> None:
        """cp.async.bulk.global.shared::cta.bulk_group [dstMem], [srcMem], size"""
        return self.execute(insn.cp_async_bulk_s2g(buffer, offset, addr, size))

    def cp_async_bulk_s2g_mask(self, buffer: BufferLike, offset: int, addr: int, size: int,
                               byte_mask: int) -> None:
        """cp.async.bulk.global.shared::cta.bulk_group.cp_mask [dstMem], [srcMem], size, byteMask"""
        return self.execute(insn.cp_async_bulk_s2g_mask(buffer, offset, addr, size, byte_mask))

    def cp_async_bulk_s2s(self, dst: int, src: int, size: int, mbar: int) -> None:
        """cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dstMem],
        [srcMem], size, [mbar]"""
        return self.execute(insn.cp_async_bulk_s2s(dst, src, size, mbar))

    def cp_async_bulk_prefetch(self, buffer: BufferLike, offset: int, size: int) -> None:
        """cp.async.bulk.prefetch.L2.global [srcMem], size"""
        return self.execute(insn.cp_async_bulk_prefetch(buffer, offset, size))

    def cp_async_bulk_commit_group(self) -> None:
        """cp.async.bulk.commit_group"""
        return self.execute(insn.cp_async_bulk_commit_group())

    def cp_async_bulk_wait_group(self, groups: int) -> None:
        """cp.async.bulk.wait_group N"""
        return self.execute(insn.cp_async_bulk_wait_group(groups))

    def cp_async_bulk_wait_group_read(self, groups: int) -> None:
        """cp.async.bulk.wait_group.read N"""
        return self.execute(insn.cp_async_bulk_wait_group_read(groups))

    def cp_reduce_async_bulk_s2g(self, op: Red, type: Type, buffer: BufferLike, offset: int,
                                 addr: int, size: int) -> None:
        """cp.reduce.async.bulk.global.shared::cta.bulk_group.redOp.type [dstMem], [srcMem], size"""
        return self.execute(insn.cp_reduce_async_bulk_s2g(op, type, buffer, offset, addr, size))

    def cp_reduce_async_bulk_s2s(self, op: Red, type: Type, dst: int, src: int, size: int,
                                 mbar: int) -> None:
        """cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.redOp.type
        [dstMem], [srcMem], size, [mbar]"""
        return self.execute(insn.cp_reduce_async_bulk_s2s(op, type, dst, src, size, mbar))

    def cp_async_bulk_tensor_g2s(self, dims: int, addr: int, map: TensorMap, coords: Sequence[int],
                                 mbar: int) -> None:
        """cp.async.bulk.tensor.dim.shared::cluster.global.mbarrier::complete_tx::bytes [dstMem],
        [tensorMap, tensorCoords], [mbar]"""
        return self.execute(insn.cp_async_bulk_tensor_g2s(dims, addr, map, coords, mbar))

    def cp_async_bulk_tensor_g2s_multicast(self, dims: int, addr: int, map: TensorMap,
                                           coords: Sequence[int], mbar: int, cta_mask: int) -> None:
        """cp.async.bulk.tensor.dim.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
        [dstMem], [tensorMap, tensorCoords], [mbar], ctaMask"""
        return self.execute(insn.cp_async_bulk_tensor_g2s_multicast(dims, addr, map, coords, mbar,
            cta_mask))

    def cp_async_bulk_tensor_g2s_im2col(self, dims: int, addr: int, map: TensorMap,
                                        coords: Sequence[int], mbar: int,
                                        offsets: Sequence[int]) -> None:
        """cp.async.bulk.tensor.dim.shared::cluster.global.im2col.mbarrier::complete_tx::bytes
        [dstMem], [tensorMap, tensorCoords], [mbar], im2colOffsets"""
        return self.execute(insn.cp_async_bulk_tensor_g2s_im2col(dims, addr, map, coords, mbar,
            offsets))

    def cp_async_bulk_tensor_g2s_im2col_multicast(self, dims: int, addr: int, map: TensorMap,
                                                  coords: Sequence[int], mbar: int,
                                                  offsets: Sequence[int], cta_mask: int) -> None:
        """cp.async.bulk.tensor.dim.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster
        [dstMem], [tensorMap, tensorCoords], [mbar], im2colOffsets, ctaMask"""
        return self.execute(insn.cp_async_bulk_tensor_g2s_im2col_multicast(dims, addr, map, coords,
            mbar, offsets, cta_mask))

    def cp_async_bulk_tensor_s2g(self, dims: int, map: TensorMap, coords: Sequence[int],
                                 addr: int) -> None:
        """cp.async.bulk.tensor.dim.global.shared::cta.bulk_group [tensorMap, tensorCoords],
        [srcMem]"""
        return self.execute(insn.cp_async_bulk_tensor_s2g(dims, map, coords, addr))

    def cp_async_bulk_tensor_s2g_im2col(self, dims: int, map: TensorMap, coords: Sequence[int],
                                        addr: int) -> None:
        """cp.async.bulk.tensor.dim.global.shared::cta.im2col_no_offs.bulk_group [tensorMap,
        tensorCoords], [srcMem]"""
        return self.execute(insn.cp_async_bulk_tensor_s2g_im2col(dims, map, coords, addr))

    def cp_reduce_async_bulk_tensor(self, op: Red, dims: int, map: TensorMap, coords: Sequence[int],
                                    addr: int) -> None:
        """cp.reduce.async.bulk.tensor.dim.global.shared::cta.redOp.bulk_group [tensorMap,
        tensorCoords], [srcMem]"""
        return self.execute(insn.cp_reduce_async_bulk_tensor(op, dims, map, coords, addr))

    def cp_reduce_async_bulk_tensor_im2col(self, op: Red, dims: int, map: TensorMap,
                                           coords: Sequence[int], addr: int) -> None:
        """cp.reduce.async.bulk.tensor.dim.global.shared::cta.redOp.im2col_no_offs.bulk_group
        [tensorMap, tensorCoords], [srcMem]"""
        return self.execute(insn.cp_reduce_async_bulk_tensor_im2col(op, dims, map, coords, addr))

    def cp_async_bulk_prefetch_tensor(self, dims: int, map: TensorMap,
                                      coords: Sequence[int]) -> None:
        """cp.async.bulk.prefetch.tensor.dim.L2.global [tensorMap, tensorCoords]"""
        return self.execute(insn.cp_async_bulk_prefetch_tensor(dims, map, coords))

    def cp_async_bulk_prefetch_tensor_im2col(self, dims: int, map: TensorMap, coords: Sequence[int],
                                             offsets: Sequence[int]) -> None:
        """cp.async.bulk.prefetch.tensor.dim.L2.global.im2col [tensorMap, tensorCoords],
        im2colOffsets"""
        return self.execute(insn.cp_async_bulk_prefetch_tensor_im2col(dims, map, coords, offsets))

    def st_async(self, size: int, addr: int, value: bytes, mbar: int, qual: int = 0) -> None:
        """st.async.weak{.space}.mbarrier::complete_tx::bytes{.vec}.type [a], b, [mbar]"""
        return self.execute(insn.st_async(size, addr, value, mbar, qual))

    def red_async(self, op: Red, type: Type, addr: int, value: int, mbar: int,
                  qual: int = 0) -> None:
        """red.async.relaxed.cluster{.space}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar]"""
        return self.execute(insn.red_async(op, type, addr, value, mbar, qual))

    def match_any_sync_b32(self, a: int, membermask: int) -> int:
        """match.any.sync.b32 d, a, membermask"""
        return self.execute(insn.match_any_sync_b32(a, membermask))

    def match_any_sync_b64(self, a: int, membermask: int) -> int:
        """match.any.sync.b64 d, a, membermask"""
        return self.execute(insn.match_any_sync_b64(a, membermask))

    def match_all_sync_b32(self, a: int, membermask: int) -> Pair:
        """match.all.sync.b32 d|p, a, membermask"""
        return self.execute(insn.match_all_sync_b32(a, membermask))

    def match_all_sync_b64(self, a: int, membermask: int) -> Pair:
        """match.all.sync.b64 d|p, a, membermask"""
        return self.execute(insn.match_all_sync_b64(a, membermask))

    def bar_warp_sync(self, membermask: int) -> None:
        """bar.warp.sync membermask"""
        return self.execute(insn.bar_warp_sync(membermask))

    def elect_sync(self, membermask: int) -> Pair:
        """elect.sync d|p, membermask"""
        return self.execute(insn.elect_sync(membermask))

    def vote_sync(self, mode: Mode, a: bool, membermask: int) -> bool:
        """vote.sync.mode.pred p, a, membermask"""
        return self.execute(insn.vote_sync(mode, a, membermask))

    def vote_sync_ballot(self, a: bool, membermask: int) -> int:
        """vote.sync.ballot.b32 d, a, membermask"""
        return self.execute(insn.vote_sync_ballot(a, membermask))

    def shfl_sync(self, mode: Mode, a: int, b: int, c: int, membermask: int) -> Pair:
        """shfl.sync.mode.b32 d|p, a, b, c, membermask"""
        return self.execute(insn.shfl_sync(mode, a, b, c, membermask))

    def redux_sync(self, op: Red, type: Type, src: int, membermask: int) -> int:
        """redux.sync.op.type dst, src, membermask"""
        return self.execute(insn.redux_sync(op, type, src, membermask))

    def barrier_sync(self, barrier: int, qual: int = 0) -> None:
        """barrier.cta.sync{.aligned} a"""
        return self.execute(insn.barrier_sync(barrier, qual))

    def barrier_sync_count(self, barrier: int, count: int, qual: int = 0) -> None:
        """barrier.cta.sync{.aligned} a, b"""
        return self.execute(insn.barrier_sync_count(barrier, count, qual))

    def barrier_arrive(self, barrier: int, count: int, qual: int = 0) -> None:
        """barrier.cta.arrive{.aligned} a, b"""
        return self.execute(insn.barrier_arrive(barrier, count, qual))

    def barrier_red(self, op: Red, barrier: int, pred: bool, qual: int = 0) -> bool:
        """barrier.cta.red.op{.aligned}.pred p, a, c"""
        return self.execute(insn.barrier_red(op, barrier, pred, qual))

    def barrier_red_count(self, op: Red, barrier: int, count: int, pred: bool,
                          qual: int = 0) -> bool:
        """barrier.cta.red.op{.aligned}.pred p, a, b, c"""
        return self.execute(insn.barrier_red_count(op, barrier, count, pred, qual))

    def barrier_red_popc(self, barrier: int, pred: bool, qual: int = 0) -> int:
        """barrier.cta.red.popc{.aligned}.u32 d, a, c"""
        return self.execute(insn.barrier_red_popc(barrier, pred, qual))

    def barrier_red_popc_count(self, barrier: int, count: int, pred: bool, qual: int = 0) -> int:
        """barrier.cta.red.popc{.aligned}.u32 d, a, b, c"""
        return self.execute(insn.barrier_red_popc_count(barrier, count, pred, qual))

    def barrier_cluster_arrive(self, qual: int = 0) -> None:
        """barrier.cluster.arrive{.sem}{.aligned}"""
        return self.execute(insn.barrier_cluster_arrive(qual))

    def barrier_cluster_wait(self, qual: int = 0) -> None:
        """barrier.cluster.wait{.acquire}{.aligned}"""
        return self.execute(insn.barrier_cluster_wait(qual))

    def exit(self) -> None:
        """exit"""
        return self.execute(insn.exit())
