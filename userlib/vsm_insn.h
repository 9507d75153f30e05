/* SPDX-License-Identifier: MIT */
/*
 * Instructions of vsm, one constructor for each PTX form.
 */
#ifndef _VSM_INSN_H_
#define _VSM_INSN_H_

#include <stdint.h>
#include <string.h>

#include "vsm_drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * enum vsm_qual - Qualifiers of an instruction, a mask
 * @VSM_RELAXED: .relaxed
 * @VSM_ACQUIRE: .acquire
 * @VSM_RELEASE: .release
 * @VSM_CTA: Scope .cta
 * @VSM_CLUSTER: Scope .cluster
 * @VSM_SHARED_CTA: State space .shared::cta, which .shared is short for
 * @VSM_SHARED_CLUSTER: State space .shared::cluster
 * @VSM_SINK: Destination _ (arrive and arrive_drop)
 * @VSM_CG: .cg (cp.async); without it .ca
 *
 * At most one of each group; .sem and .scope together or not at all. 0 means what
 * PTX defaults to: release for arrives and acquire for waits, scope .cta, generic
 * addressing. The constructors do not check: an instruction with two of a group is
 * refused with EINVAL by the device, one that PTX does not have with EPROTO.
 */
enum vsm_qual {
	VSM_RELAXED = 1 << 0,
	VSM_ACQUIRE = 1 << 1,
	VSM_RELEASE = 1 << 2,
	VSM_CTA = 1 << 4,
	VSM_CLUSTER = 1 << 5,
	VSM_SHARED_CTA = 1 << 8,
	VSM_SHARED_CLUSTER = 1 << 9,
	VSM_SINK = 1 << 12,
	VSM_CG = 1 << 13,
};

/* A value that no enum of vsm_drm.h has. */
#define VSM_QUAL_BAD 0xff

static inline uint8_t vsm_qual_sem(unsigned int qual)
{
	switch (qual & (VSM_RELAXED | VSM_ACQUIRE | VSM_RELEASE)) {
	case 0:
		return DRM_VSM_SEM_DEFAULT;
	case VSM_RELAXED:
		return DRM_VSM_SEM_RELAXED;
	case VSM_ACQUIRE:
		return DRM_VSM_SEM_ACQUIRE;
	case VSM_RELEASE:
		return DRM_VSM_SEM_RELEASE;
	default:
		return VSM_QUAL_BAD;
	}
}

static inline uint8_t vsm_qual_scope(unsigned int qual)
{
	switch (qual & (VSM_CTA | VSM_CLUSTER)) {
	case 0:
		return DRM_VSM_SCOPE_DEFAULT;
	case VSM_CTA:
		return DRM_VSM_SCOPE_CTA;
	case VSM_CLUSTER:
		return DRM_VSM_SCOPE_CLUSTER;
	default:
		return VSM_QUAL_BAD;
	}
}

static inline uint8_t vsm_qual_space(unsigned int qual)
{
	switch (qual & (VSM_SHARED_CTA | VSM_SHARED_CLUSTER)) {
	case 0:
		return DRM_VSM_SPACE_GENERIC;
	case VSM_SHARED_CTA:
		return DRM_VSM_SPACE_SHARED_CTA;
	case VSM_SHARED_CLUSTER:
		return DRM_VSM_SPACE_SHARED_CLUSTER;
	default:
		return VSM_QUAL_BAD;
	}
}

static inline struct drm_vsm_insn vsm_insn(enum drm_vsm_op op, unsigned int mods,
					   unsigned int qual)
{
	struct drm_vsm_insn insn;

	if (qual & VSM_SINK)
		mods |= DRM_VSM_MOD_SINK;
	if (qual & VSM_CG)
		mods |= DRM_VSM_MOD_CG;
	memset(&insn, 0, sizeof(insn));
	insn.op = (uint16_t)op;
	insn.mods = (uint16_t)mods;
	insn.space = vsm_qual_space(qual);
	insn.sem = vsm_qual_sem(qual);
	insn.scope = vsm_qual_scope(qual);
	return insn;
}

static inline struct drm_vsm_insn vsm_insn_mbarrier(enum drm_vsm_op op, unsigned int mods,
						    uint32_t addr, unsigned int qual)
{
	struct drm_vsm_insn insn = vsm_insn(op, mods, qual);

	insn.u.mbarrier.addr = addr;
	return insn;
}

static inline struct drm_vsm_insn vsm_insn_mbarrier_n(enum drm_vsm_op op, unsigned int mods,
						      uint32_t addr, uint32_t count,
						      unsigned int qual)
{
	struct drm_vsm_insn insn = vsm_insn_mbarrier(op, mods, addr, qual);

	insn.u.mbarrier.count = count;
	return insn;
}

static inline struct drm_vsm_insn vsm_insn_mbarrier_tx(enum drm_vsm_op op, unsigned int mods,
						       uint32_t addr, uint32_t tx_count,
						       unsigned int qual)
{
	struct drm_vsm_insn insn = vsm_insn_mbarrier(op, mods, addr, qual);

	insn.u.mbarrier.tx_count = tx_count;
	return insn;
}

static inline struct drm_vsm_insn vsm_insn_mbarrier_await(enum drm_vsm_op op, unsigned int mods,
							  uint32_t addr, uint64_t state,
							  uint32_t parity, uint32_t hint_ns,
							  unsigned int qual)
{
	struct drm_vsm_insn insn = vsm_insn_mbarrier(op, mods, addr, qual);

	insn.u.mbarrier.state = state;
	insn.u.mbarrier.parity = parity;
	insn.u.mbarrier.hint_ns = hint_ns;
	return insn;
}

/**
 * vsm_insn_mbarrier_init - mbarrier.init{.space}.b64 [addr], count
 * @addr: Cluster shared address, in the executing thread's own CTA
 * @count: Expected arrivals, 1 to %VSM_MBARRIER_MAX_COUNT
 * @qual: .space
 *
 * PTX 9.7.13.15.9.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_init(uint32_t addr, uint32_t count,
							 unsigned int qual)
{
	return vsm_insn_mbarrier_n(DRM_VSM_OP_MBARRIER_INIT, 0, addr, count, qual);
}

/**
 * vsm_insn_mbarrier_inval - mbarrier.inval{.space}.b64 [addr]
 * @addr: mbarrier object
 * @qual: .space
 *
 * PTX 9.7.13.15.10.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_inval(uint32_t addr, unsigned int qual)
{
	return vsm_insn_mbarrier(DRM_VSM_OP_MBARRIER_INVAL, 0, addr, qual);
}

/**
 * vsm_insn_mbarrier_expect_tx - mbarrier.expect_tx{.sem.scope}{.space}.b64 [addr], txCount
 * @addr: mbarrier object, in any CTA
 * @tx_count: Transactions (bytes) to expect
 * @qual: .relaxed and a scope or neither; .space
 *
 * PTX 9.7.13.15.11.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_expect_tx(uint32_t addr, uint32_t tx_count,
							      unsigned int qual)
{
	return vsm_insn_mbarrier_tx(DRM_VSM_OP_MBARRIER_EXPECT_TX, 0, addr, tx_count, qual);
}

/**
 * vsm_insn_mbarrier_complete_tx - mbarrier.complete_tx{.sem.scope}{.space}.b64 [addr], txCount
 * @addr: mbarrier object, in any CTA
 * @tx_count: Transactions (bytes) that are complete
 * @qual: .relaxed and a scope or neither; .space
 *
 * PTX 9.7.13.15.12.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_complete_tx(uint32_t addr, uint32_t tx_count,
								unsigned int qual)
{
	return vsm_insn_mbarrier_tx(DRM_VSM_OP_MBARRIER_COMPLETE_TX, 0, addr, tx_count, qual);
}

/**
 * vsm_insn_mbarrier_arrive - mbarrier.arrive{.sem.scope}{.space}.b64 state, [addr]
 * @addr: mbarrier object; in another CTA only with VSM_SINK
 * @qual: .release or .relaxed and a scope, or neither; .space; VSM_SINK
 *
 * PTX 9.7.13.15.13.
 *
 * Return: The instruction; its result is the state token, 0 with VSM_SINK.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_arrive(uint32_t addr, unsigned int qual)
{
	return vsm_insn_mbarrier(DRM_VSM_OP_MBARRIER_ARRIVE, 0, addr, qual);
}

/**
 * vsm_insn_mbarrier_arrive_count - mbarrier.arrive{.sem.scope}{.space}.b64 state, [addr], count
 * @addr: mbarrier object; in another CTA only with VSM_SINK
 * @count: Arrivals, 1 to %VSM_MBARRIER_MAX_COUNT
 * @qual: As vsm_insn_mbarrier_arrive()
 *
 * PTX 9.7.13.15.13; not in layout sm_80.
 *
 * Return: The instruction; its result is the state token, 0 with VSM_SINK.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_arrive_count(uint32_t addr, uint32_t count,
								 unsigned int qual)
{
	return vsm_insn_mbarrier_n(DRM_VSM_OP_MBARRIER_ARRIVE, DRM_VSM_MOD_COUNT, addr, count,
				   qual);
}

/**
 * vsm_insn_mbarrier_arrive_expect_tx - mbarrier.arrive.expect_tx{.sem.scope}{.space}.b64 state,
 * [addr], txCount
 * @addr: mbarrier object; in another CTA only with VSM_SINK
 * @tx_count: Transactions (bytes) to expect, before the one arrival
 * @qual: As vsm_insn_mbarrier_arrive()
 *
 * PTX 9.7.13.15.13; not in layout sm_80.
 *
 * Return: The instruction; its result is the state token, 0 with VSM_SINK.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_arrive_expect_tx(uint32_t addr,
								     uint32_t tx_count,
								     unsigned int qual)
{
	return vsm_insn_mbarrier_tx(DRM_VSM_OP_MBARRIER_ARRIVE, DRM_VSM_MOD_EXPECT_TX, addr,
				    tx_count, qual);
}

/**
 * vsm_insn_mbarrier_arrive_nocomplete - mbarrier.arrive.noComplete{.release.cta}{.space}.b64
 * state, [addr], count
 * @addr: mbarrier object, in the executing thread's own CTA
 * @count: Arrivals that do not complete the phase
 * @qual: VSM_RELEASE | VSM_CTA or neither; .space; VSM_SINK
 *
 * PTX 9.7.13.15.13.
 *
 * Return: The instruction; its result is the state token, 0 with VSM_SINK.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_arrive_nocomplete(uint32_t addr,
								      uint32_t count,
								      unsigned int qual)
{
	return vsm_insn_mbarrier_n(DRM_VSM_OP_MBARRIER_ARRIVE,
				   DRM_VSM_MOD_COUNT | DRM_VSM_MOD_NOCOMPLETE, addr, count, qual);
}

/**
 * vsm_insn_mbarrier_arrive_drop - mbarrier.arrive_drop{.sem.scope}{.space}.b64 state, [addr]
 * @addr: mbarrier object; in another CTA only with VSM_SINK
 * @qual: As vsm_insn_mbarrier_arrive()
 *
 * PTX 9.7.13.15.14.
 *
 * Return: The instruction; its result is the state token, 0 with VSM_SINK.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_arrive_drop(uint32_t addr, unsigned int qual)
{
	return vsm_insn_mbarrier(DRM_VSM_OP_MBARRIER_ARRIVE_DROP, 0, addr, qual);
}

/**
 * vsm_insn_mbarrier_arrive_drop_count - mbarrier.arrive_drop{.sem.scope}{.space}.b64 state,
 * [addr], count
 * @addr: mbarrier object; in another CTA only with VSM_SINK
 * @count: Arrivals, which no later phase expects any more
 * @qual: As vsm_insn_mbarrier_arrive()
 *
 * PTX 9.7.13.15.14; not in layout sm_80.
 *
 * Return: The instruction; its result is the state token, 0 with VSM_SINK.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_arrive_drop_count(uint32_t addr,
								      uint32_t count,
								      unsigned int qual)
{
	return vsm_insn_mbarrier_n(DRM_VSM_OP_MBARRIER_ARRIVE_DROP, DRM_VSM_MOD_COUNT, addr,
				   count, qual);
}

/**
 * vsm_insn_mbarrier_arrive_drop_expect_tx - mbarrier.arrive_drop.expect_tx{.sem.scope}{.space}
 * .b64 state, [addr], txCount
 * @addr: mbarrier object; in another CTA only with VSM_SINK
 * @tx_count: Transactions (bytes) to expect, before the one arrival
 * @qual: As vsm_insn_mbarrier_arrive()
 *
 * PTX 9.7.13.15.14; not in layout sm_80.
 *
 * Return: The instruction; its result is the state token, 0 with VSM_SINK.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_arrive_drop_expect_tx(uint32_t addr,
									  uint32_t tx_count,
									  unsigned int qual)
{
	return vsm_insn_mbarrier_tx(DRM_VSM_OP_MBARRIER_ARRIVE_DROP, DRM_VSM_MOD_EXPECT_TX, addr,
				    tx_count, qual);
}

/**
 * vsm_insn_mbarrier_arrive_drop_nocomplete - mbarrier.arrive_drop.noComplete{.release.cta}
 * {.space}.b64 state, [addr], count
 * @addr: mbarrier object, in the executing thread's own CTA
 * @count: Arrivals that do not complete the phase, and which no later phase expects
 *	any more
 * @qual: VSM_RELEASE | VSM_CTA or neither; .space; VSM_SINK
 *
 * PTX 9.7.13.15.14.
 *
 * Return: The instruction; its result is the state token, 0 with VSM_SINK.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_arrive_drop_nocomplete(uint32_t addr,
									   uint32_t count,
									   unsigned int qual)
{
	return vsm_insn_mbarrier_n(DRM_VSM_OP_MBARRIER_ARRIVE_DROP,
				   DRM_VSM_MOD_COUNT | DRM_VSM_MOD_NOCOMPLETE, addr, count, qual);
}

/**
 * vsm_insn_mbarrier_test_wait - mbarrier.test_wait{.sem.scope}{.space}.b64 waitComplete, [addr],
 * state
 * @addr: mbarrier object, in the executing thread's own CTA
 * @state: Token of an arrive in the current or the immediately preceding phase
 * @qual: .acquire or .relaxed and a scope, or neither; .space
 *
 * PTX 9.7.13.15.16.
 *
 * Return: The instruction; its result is waitComplete, 0 or 1.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_test_wait(uint32_t addr, uint64_t state,
							      unsigned int qual)
{
	return vsm_insn_mbarrier_await(DRM_VSM_OP_MBARRIER_TEST_WAIT, 0, addr, state, 0, 0, qual);
}

/**
 * vsm_insn_mbarrier_test_wait_parity - mbarrier.test_wait.parity{.sem.scope}{.space}.b64
 * waitComplete, [addr], phaseParity
 * @addr: mbarrier object, in the executing thread's own CTA
 * @parity: phaseParity, of which bit 0 counts
 * @qual: As vsm_insn_mbarrier_test_wait()
 *
 * PTX 9.7.13.15.16.
 *
 * Return: The instruction; its result is waitComplete, 0 or 1.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_test_wait_parity(uint32_t addr,
								     uint32_t parity,
								     unsigned int qual)
{
	return vsm_insn_mbarrier_await(DRM_VSM_OP_MBARRIER_TEST_WAIT, DRM_VSM_MOD_PARITY, addr, 0,
				       parity, 0, qual);
}

/**
 * vsm_insn_mbarrier_try_wait - mbarrier.try_wait{.sem.scope}{.space}.b64 waitComplete, [addr],
 * state
 * @addr: mbarrier object, in the executing thread's own CTA
 * @state: Token of an arrive in the current or the immediately preceding phase
 * @qual: As vsm_insn_mbarrier_test_wait()
 *
 * PTX 9.7.13.15.16. Suspends up to &drm_vsm_device_info.try_wait_limit_ns.
 *
 * Return: The instruction; its result is waitComplete, 0 or 1.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_try_wait(uint32_t addr, uint64_t state,
							     unsigned int qual)
{
	return vsm_insn_mbarrier_await(DRM_VSM_OP_MBARRIER_TRY_WAIT, 0, addr, state, 0, 0, qual);
}

/**
 * vsm_insn_mbarrier_try_wait_hint - mbarrier.try_wait{.sem.scope}{.space}.b64 waitComplete,
 * [addr], state, suspendTimeHint
 * @addr: mbarrier object, in the executing thread's own CTA
 * @state: Token of an arrive in the current or the immediately preceding phase
 * @hint_ns: suspendTimeHint in ns
 * @qual: As vsm_insn_mbarrier_test_wait()
 *
 * PTX 9.7.13.15.16. Suspends up to @hint_ns.
 *
 * Return: The instruction; its result is waitComplete, 0 or 1.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_try_wait_hint(uint32_t addr, uint64_t state,
								  uint32_t hint_ns,
								  unsigned int qual)
{
	return vsm_insn_mbarrier_await(DRM_VSM_OP_MBARRIER_TRY_WAIT, DRM_VSM_MOD_HINT, addr,
				       state, 0, hint_ns, qual);
}

/**
 * vsm_insn_mbarrier_try_wait_parity - mbarrier.try_wait.parity{.sem.scope}{.space}.b64
 * waitComplete, [addr], phaseParity
 * @addr: mbarrier object, in the executing thread's own CTA
 * @parity: phaseParity, of which bit 0 counts
 * @qual: As vsm_insn_mbarrier_test_wait()
 *
 * PTX 9.7.13.15.16. Suspends up to &drm_vsm_device_info.try_wait_limit_ns.
 *
 * Return: The instruction; its result is waitComplete, 0 or 1.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_try_wait_parity(uint32_t addr,
								    uint32_t parity,
								    unsigned int qual)
{
	return vsm_insn_mbarrier_await(DRM_VSM_OP_MBARRIER_TRY_WAIT, DRM_VSM_MOD_PARITY, addr, 0,
				       parity, 0, qual);
}

/**
 * vsm_insn_mbarrier_try_wait_parity_hint - mbarrier.try_wait.parity{.sem.scope}{.space}.b64
 * waitComplete, [addr], phaseParity, suspendTimeHint
 * @addr: mbarrier object, in the executing thread's own CTA
 * @parity: phaseParity, of which bit 0 counts
 * @hint_ns: suspendTimeHint in ns
 * @qual: As vsm_insn_mbarrier_test_wait()
 *
 * PTX 9.7.13.15.16. Suspends up to @hint_ns.
 *
 * Return: The instruction; its result is waitComplete, 0 or 1.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_try_wait_parity_hint(uint32_t addr,
									 uint32_t parity,
									 uint32_t hint_ns,
									 unsigned int qual)
{
	return vsm_insn_mbarrier_await(DRM_VSM_OP_MBARRIER_TRY_WAIT,
				       DRM_VSM_MOD_PARITY | DRM_VSM_MOD_HINT, addr, 0, parity,
				       hint_ns, qual);
}

/**
 * vsm_insn_mbarrier_pending_count - mbarrier.pending_count.b64 count, state
 * @state: Token of a .noComplete arrive or arrive_drop
 *
 * PTX 9.7.13.15.17.
 *
 * Return: The instruction; its result is the count.
 */
static inline struct drm_vsm_insn vsm_insn_mbarrier_pending_count(uint64_t state)
{
	return vsm_insn_mbarrier_await(DRM_VSM_OP_MBARRIER_PENDING_COUNT, 0, 0, state, 0, 0, 0);
}

/**
 * vsm_insn_fence_mbarrier_init - fence.mbarrier_init.release.cluster
 *
 * PTX 9.7.13.4. Makes the mbarrier.init that the thread executed before visible to
 * the cluster; other CTAs' threads may use the objects after it.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_insn_fence_mbarrier_init(void)
{
	return vsm_insn(DRM_VSM_OP_FENCE_MBARRIER_INIT, 0, VSM_RELEASE | VSM_CLUSTER);
}

/**
 * vsm_insn_cp_async_mbarrier_arrive - cp.async.mbarrier.arrive{.space}.b64 [addr]
 * @addr: mbarrier object, in the executing thread's own CTA
 * @qual: .space
 *
 * PTX 9.7.13.15.15. An arrive-on when every cp.async that the thread issued before is
 * complete. The phase expects it from now on: it need not be counted by
 * mbarrier.init. For vsm_exec().
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_insn_cp_async_mbarrier_arrive(uint32_t addr,
								    unsigned int qual)
{
	return vsm_insn_mbarrier(DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE, 0, addr, qual);
}

/**
 * vsm_insn_cp_async_mbarrier_arrive_noinc - cp.async.mbarrier.arrive.noinc{.space}.b64 [addr]
 * @addr: mbarrier object, in the executing thread's own CTA
 * @qual: .space
 *
 * PTX 9.7.13.15.15. As vsm_insn_cp_async_mbarrier_arrive(), but one of the arrivals
 * that mbarrier.init counted.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_insn_cp_async_mbarrier_arrive_noinc(uint32_t addr,
									  unsigned int qual)
{
	return vsm_insn_mbarrier(DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE, DRM_VSM_MOD_NOINC, addr,
				 qual);
}

static inline struct drm_vsm_insn vsm_insn_copy(enum drm_vsm_op op, unsigned int mods,
						uint32_t addr, uint32_t buffer, uint64_t offset,
						uint32_t size, unsigned int qual)
{
	struct drm_vsm_insn insn = vsm_insn(op, mods, qual);

	insn.u.copy.addr = addr;
	insn.u.copy.buffer = buffer;
	insn.u.copy.offset = offset;
	insn.u.copy.size = size;
	return insn;
}

/**
 * vsm_insn_cp_async - cp.async.ca.shared.global or cp.async.cg.shared.global [dst], [src], cp-size
 * @addr: Destination: cluster shared address in the executing thread's own CTA, a
 *	multiple of @size
 * @buffer: Source: vsm_buffer_handle()
 * @offset: Byte offset in @buffer, a multiple of @size
 * @size: Bytes: 4, 8 or 16; 16 with VSM_CG
 * @qual: VSM_CG; .space
 *
 * PTX cp.async. Asynchronous: complete when an arrive of
 * vsm_insn_cp_async_mbarrier_arrive() after it is. For vsm_exec().
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_insn_cp_async(uint32_t addr, uint32_t buffer,
						    uint64_t offset, uint32_t size,
						    unsigned int qual)
{
	return vsm_insn_copy(DRM_VSM_OP_CP_ASYNC, 0, addr, buffer, offset, size, qual);
}

/**
 * vsm_insn_cp_async_src_size - cp.async.ca.shared.global or cp.async.cg.shared.global [dst], [src],
 * cp-size, src-size
 * @addr: As vsm_insn_cp_async()
 * @buffer: Source: vsm_buffer_handle()
 * @offset: Byte offset in @buffer, a multiple of @size
 * @size: Bytes to write: 4, 8 or 16; 16 with VSM_CG
 * @src_size: Bytes to copy, 0 to @size; the rest is filled with zeros
 * @qual: As vsm_insn_cp_async()
 *
 * PTX cp.async. As vsm_insn_cp_async().
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_insn_cp_async_src_size(uint32_t addr, uint32_t buffer,
							     uint64_t offset, uint32_t size,
							     uint32_t src_size, unsigned int qual)
{
	struct drm_vsm_insn insn = vsm_insn_copy(DRM_VSM_OP_CP_ASYNC, DRM_VSM_MOD_SRC_SIZE, addr,
						 buffer, offset, size, qual);

	insn.u.copy.src_size = src_size;
	return insn;
}

/**
 * vsm_insn_cp_async_bulk_g2s - cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
 * [dstMem], [srcMem], size, [mbar]
 * @addr: Destination: cluster shared address, a multiple of 16
 * @buffer: Source: vsm_buffer_handle()
 * @offset: Byte offset in @buffer, a multiple of 16
 * @size: Bytes, a multiple of 16
 * @mbar: mbarrier object on which complete-tx is performed, in the CTA of @addr
 *
 * For vsm_submit().
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_insn_cp_async_bulk_g2s(uint32_t addr, uint32_t buffer,
							     uint64_t offset, uint32_t size,
							     uint32_t mbar)
{
	struct drm_vsm_insn insn = vsm_insn_copy(DRM_VSM_OP_CP_ASYNC_BULK_G2S, 0, addr, buffer,
						 offset, size, 0);

	insn.u.copy.mbar = mbar;
	return insn;
}

/**
 * vsm_insn_cp_async_bulk_s2g - cp.async.bulk.global.shared::cta [dstMem], [srcMem], size
 * @buffer: Destination: vsm_buffer_handle()
 * @offset: Byte offset in @buffer, a multiple of 16
 * @addr: Source: cluster shared address in the submitting CTA, a multiple of 16
 * @size: Bytes, a multiple of 16
 *
 * For vsm_submit(); complete when the job is.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_insn_cp_async_bulk_s2g(uint32_t buffer, uint64_t offset,
							     uint32_t addr, uint32_t size)
{
	return vsm_insn_copy(DRM_VSM_OP_CP_ASYNC_BULK_S2G, 0, addr, buffer, offset, size, 0);
}

#if defined(__cplusplus)
}
#endif

#endif
