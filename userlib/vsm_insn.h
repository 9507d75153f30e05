/* SPDX-License-Identifier: MIT */
/*
 * Instructions of vsm, one constructor for each PTX form.
 */
#ifndef _VSM_INSN_H_
#define _VSM_INSN_H_

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "vsm_drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * enum vsm_qual - Qualifiers of an instruction, a mask
 * @VSM_RELAXED: .sem is .relaxed
 * @VSM_ACQUIRE: .sem is .acquire
 * @VSM_RELEASE: .sem is .release
 * @VSM_ACQ_REL: .sem is .acq_rel (fence)
 * @VSM_SC: .sem is .sc (fence)
 * @VSM_CTA: .scope is .cta
 * @VSM_CLUSTER: .scope is .cluster
 * @VSM_GPU: .scope is .gpu (fence)
 * @VSM_SYS: .scope is .sys (fence)
 * @VSM_SHARED_CTA: .space is .shared::cta, also spelled .shared
 * @VSM_SHARED_CLUSTER: .space is .shared::cluster
 * @VSM_SINK: The destination is _ (arrive and arrive_drop)
 * @VSM_CG: cp.async has .cg; without this bit it has .ca
 * @VSM_ALIGNED: barrier.cta or barrier.cluster has .aligned
 *
 * A mask has at most one .sem, one .scope and one .space. It has .sem and .scope together or
 * neither of them, with two exceptions: barrier.cluster has no .scope, and fence always has one. 0
 * selects PTX's defaults: .release for arrives, .acquire for waits, .cta, and generic addressing.
 *
 * The constructors do not check the mask. The device refuses an instruction with two of one kind
 * with EINVAL. It refuses a .sem or .scope that PTX does not have for the instruction with EPROTO.
 */
enum vsm_qual {
	VSM_RELAXED = 1 << 0,
	VSM_ACQUIRE = 1 << 1,
	VSM_RELEASE = 1 << 2,
	VSM_ACQ_REL = 1 << 3,
	VSM_CTA = 1 << 4,
	VSM_CLUSTER = 1 << 5,
	VSM_GPU = 1 << 6,
	VSM_SYS = 1 << 7,
	VSM_SHARED_CTA = 1 << 8,
	VSM_SHARED_CLUSTER = 1 << 9,
	VSM_SC = 1 << 10,
	VSM_SINK = 1 << 12,
	VSM_CG = 1 << 13,
	VSM_ALIGNED = 1 << 14,
};

/*
 * For arguments that an instruction cannot hold: no enum of vsm_drm.h has this value, and the
 * device refuses it.
 */
#define VSM_QUAL_BAD 0xff

static inline uint8_t __vsm_qual_sem(unsigned int qual)
{
	switch (qual & (VSM_RELAXED | VSM_ACQUIRE | VSM_RELEASE | VSM_ACQ_REL | VSM_SC)) {
	case 0:
		return DRM_VSM_SEM_DEFAULT;
	case VSM_RELAXED:
		return DRM_VSM_SEM_RELAXED;
	case VSM_ACQUIRE:
		return DRM_VSM_SEM_ACQUIRE;
	case VSM_RELEASE:
		return DRM_VSM_SEM_RELEASE;
	case VSM_ACQ_REL:
		return DRM_VSM_SEM_ACQ_REL;
	case VSM_SC:
		return DRM_VSM_SEM_SC;
	default:
		return VSM_QUAL_BAD;
	}
}

static inline uint8_t __vsm_qual_scope(unsigned int qual)
{
	switch (qual & (VSM_CTA | VSM_CLUSTER | VSM_GPU | VSM_SYS)) {
	case 0:
		return DRM_VSM_SCOPE_DEFAULT;
	case VSM_CTA:
		return DRM_VSM_SCOPE_CTA;
	case VSM_CLUSTER:
		return DRM_VSM_SCOPE_CLUSTER;
	case VSM_GPU:
		return DRM_VSM_SCOPE_GPU;
	case VSM_SYS:
		return DRM_VSM_SCOPE_SYS;
	default:
		return VSM_QUAL_BAD;
	}
}

static inline uint8_t __vsm_qual_space(unsigned int qual)
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

static inline struct drm_vsm_insn __vsm_prep(enum drm_vsm_op op, unsigned int mods,
					     unsigned int qual)
{
	struct drm_vsm_insn insn;

	if (qual & VSM_SINK)
		mods |= DRM_VSM_MOD_SINK;
	if (qual & VSM_CG)
		mods |= DRM_VSM_MOD_CG;
	if (qual & VSM_ALIGNED)
		mods |= DRM_VSM_MOD_ALIGNED;
	memset(&insn, 0, sizeof(insn));
	insn.op = (uint16_t)op;
	insn.mods = (uint16_t)mods;
	insn.space = __vsm_qual_space(qual);
	insn.sem = __vsm_qual_sem(qual);
	insn.scope = __vsm_qual_scope(qual);
	return insn;
}

static inline struct drm_vsm_insn __vsm_prep_mbarrier(enum drm_vsm_op op, unsigned int mods,
						      uint32_t addr, unsigned int qual)
{
	struct drm_vsm_insn insn = __vsm_prep(op, mods, qual);

	insn.u.mbarrier.addr = addr;
	return insn;
}

static inline struct drm_vsm_insn __vsm_prep_mbarrier_n(enum drm_vsm_op op, unsigned int mods,
							uint32_t addr, uint32_t count,
							unsigned int qual)
{
	struct drm_vsm_insn insn = __vsm_prep_mbarrier(op, mods, addr, qual);

	insn.u.mbarrier.count = count;
	return insn;
}

static inline struct drm_vsm_insn __vsm_prep_mbarrier_tx(enum drm_vsm_op op, unsigned int mods,
							 uint32_t addr, uint32_t tx_count,
							 unsigned int qual)
{
	struct drm_vsm_insn insn = __vsm_prep_mbarrier(op, mods, addr, qual);

	insn.u.mbarrier.tx_count = tx_count;
	return insn;
}

static inline struct drm_vsm_insn __vsm_prep_mbarrier_await(enum drm_vsm_op op, unsigned int mods,
							    uint32_t addr, uint64_t state,
							    uint32_t parity, uint32_t hint_ns,
							    unsigned int qual)
{
	struct drm_vsm_insn insn = __vsm_prep_mbarrier(op, mods, addr, qual);

	insn.u.mbarrier.state = state;
	insn.u.mbarrier.parity = parity;
	insn.u.mbarrier.hint_ns = hint_ns;
	return insn;
}

/**
 * vsm_prep_mbarrier_init - mbarrier.init{.space}.b64 [addr], count
 * @addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA
 * @count: Number of expected arrivals, 1 to %VSM_MBARRIER_MAX_COUNT
 * @qual: VSM_SHARED_CTA, or 0 for generic addressing
 *
 * See PTX ISA, section 9.7.13.15.9.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_mbarrier_init(uint32_t addr, uint32_t count,
							 unsigned int qual)
{
	return __vsm_prep_mbarrier_n(DRM_VSM_OP_MBARRIER_INIT, 0, addr, count, qual);
}

/**
 * vsm_prep_mbarrier_inval - mbarrier.inval{.space}.b64 [addr]
 * @addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA
 * @qual: VSM_SHARED_CTA, or 0 for generic addressing
 *
 * See PTX ISA, section 9.7.13.15.10.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_mbarrier_inval(uint32_t addr, unsigned int qual)
{
	return __vsm_prep_mbarrier(DRM_VSM_OP_MBARRIER_INVAL, 0, addr, qual);
}

/**
 * vsm_prep_mbarrier_expect_tx - mbarrier.expect_tx{.sem.scope}{.space}.b64 [addr], txCount
 * @addr: Cluster shared address of the mbarrier object, in any CTA
 * @tx_count: Transactions (bytes) to expect
 * @qual: Mask of any of: VSM_RELAXED with VSM_CTA or VSM_CLUSTER; VSM_SHARED_CTA or
 *	VSM_SHARED_CLUSTER
 *
 * See PTX ISA, section 9.7.13.15.11.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_mbarrier_expect_tx(uint32_t addr, uint32_t tx_count,
							      unsigned int qual)
{
	return __vsm_prep_mbarrier_tx(DRM_VSM_OP_MBARRIER_EXPECT_TX, 0, addr, tx_count, qual);
}

/**
 * vsm_prep_mbarrier_complete_tx - mbarrier.complete_tx{.sem.scope}{.space}.b64 [addr], txCount
 * @addr: Cluster shared address of the mbarrier object, in any CTA
 * @tx_count: Transactions (bytes) that are complete
 * @qual: Mask of any of: VSM_RELAXED with VSM_CTA or VSM_CLUSTER; VSM_SHARED_CTA or
 *	VSM_SHARED_CLUSTER
 *
 * See PTX ISA, section 9.7.13.15.12.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_mbarrier_complete_tx(uint32_t addr, uint32_t tx_count,
								unsigned int qual)
{
	return __vsm_prep_mbarrier_tx(DRM_VSM_OP_MBARRIER_COMPLETE_TX, 0, addr, tx_count, qual);
}

/**
 * vsm_prep_mbarrier_arrive - mbarrier.arrive{.sem.scope}{.space}.b64 state, [addr]
 * @addr: Cluster shared address of the mbarrier object, which may be in another CTA only with
 *	VSM_SINK
 * @qual: Mask of any of: VSM_RELEASE or VSM_RELAXED, with VSM_CTA or VSM_CLUSTER; VSM_SHARED_CTA or
 *	VSM_SHARED_CLUSTER; VSM_SINK
 *
 * See PTX ISA, section 9.7.13.15.13.
 *
 * Return: The instruction. Its result is the state token, or 0 with VSM_SINK.
 */
static inline struct drm_vsm_insn vsm_prep_mbarrier_arrive(uint32_t addr, unsigned int qual)
{
	return __vsm_prep_mbarrier(DRM_VSM_OP_MBARRIER_ARRIVE, 0, addr, qual);
}

/**
 * vsm_prep_mbarrier_arrive_count - mbarrier.arrive{.sem.scope}{.space}.b64 state, [addr], count
 * @addr: Cluster shared address of the mbarrier object, which may be in another CTA only with
 *	VSM_SINK
 * @count: Number of arrivals, 1 to %VSM_MBARRIER_MAX_COUNT
 * @qual: Mask of any of: VSM_RELEASE or VSM_RELAXED, with VSM_CTA or VSM_CLUSTER; VSM_SHARED_CTA or
 *	VSM_SHARED_CLUSTER; VSM_SINK
 *
 * See PTX ISA, section 9.7.13.15.13. Layout sm_80 does not have this form.
 *
 * Return: The instruction. Its result is the state token, or 0 with VSM_SINK.
 */
static inline struct drm_vsm_insn vsm_prep_mbarrier_arrive_count(uint32_t addr, uint32_t count,
								 unsigned int qual)
{
	return __vsm_prep_mbarrier_n(DRM_VSM_OP_MBARRIER_ARRIVE, DRM_VSM_MOD_COUNT, addr, count,
				     qual);
}

/**
 * vsm_prep_mbarrier_arrive_expect_tx - mbarrier.arrive.expect_tx{.sem.scope}{.space}.b64 state,
 * [addr], txCount
 * @addr: Cluster shared address of the mbarrier object, which may be in another CTA only with
 *	VSM_SINK
 * @tx_count: Transactions (bytes) to expect: the instruction adds them to the tx-count, and then
 *	arrives once
 * @qual: Mask of any of: VSM_RELEASE or VSM_RELAXED, with VSM_CTA or VSM_CLUSTER; VSM_SHARED_CTA or
 *	VSM_SHARED_CLUSTER; VSM_SINK
 *
 * See PTX ISA, section 9.7.13.15.13. Layout sm_80 does not have this form.
 *
 * Return: The instruction. Its result is the state token, or 0 with VSM_SINK.
 */
static inline struct drm_vsm_insn
vsm_prep_mbarrier_arrive_expect_tx(uint32_t addr, uint32_t tx_count, unsigned int qual)
{
	return __vsm_prep_mbarrier_tx(DRM_VSM_OP_MBARRIER_ARRIVE, DRM_VSM_MOD_EXPECT_TX, addr,
				      tx_count, qual);
}

/**
 * vsm_prep_mbarrier_arrive_nocomplete - mbarrier.arrive.noComplete{.release.cta}{.space}.b64 state,
 * [addr], count
 * @addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA
 * @count: Number of arrivals. They must not complete the phase
 * @qual: Mask of any of: VSM_RELEASE with VSM_CTA; VSM_SHARED_CTA; VSM_SINK
 *
 * See PTX ISA, section 9.7.13.15.13.
 *
 * Return: The instruction. Its result is the state token, or 0 with VSM_SINK.
 */
static inline struct drm_vsm_insn vsm_prep_mbarrier_arrive_nocomplete(uint32_t addr, uint32_t count,
								      unsigned int qual)
{
	return __vsm_prep_mbarrier_n(DRM_VSM_OP_MBARRIER_ARRIVE,
				     DRM_VSM_MOD_COUNT | DRM_VSM_MOD_NOCOMPLETE, addr, count, qual);
}

/**
 * vsm_prep_mbarrier_arrive_drop - mbarrier.arrive_drop{.sem.scope}{.space}.b64 state, [addr]
 * @addr: Cluster shared address of the mbarrier object, which may be in another CTA only with
 *	VSM_SINK
 * @qual: Mask of any of: VSM_RELEASE or VSM_RELAXED, with VSM_CTA or VSM_CLUSTER; VSM_SHARED_CTA or
 *	VSM_SHARED_CLUSTER; VSM_SINK
 *
 * See PTX ISA, section 9.7.13.15.14.
 *
 * Return: The instruction. Its result is the state token, or 0 with VSM_SINK.
 */
static inline struct drm_vsm_insn vsm_prep_mbarrier_arrive_drop(uint32_t addr, unsigned int qual)
{
	return __vsm_prep_mbarrier(DRM_VSM_OP_MBARRIER_ARRIVE_DROP, 0, addr, qual);
}

/**
 * vsm_prep_mbarrier_arrive_drop_count - mbarrier.arrive_drop{.sem.scope}{.space}.b64 state, [addr],
 * count
 * @addr: Cluster shared address of the mbarrier object, which may be in another CTA only with
 *	VSM_SINK
 * @count: Number of arrivals to perform in this phase, and to drop from all later phases
 * @qual: Mask of any of: VSM_RELEASE or VSM_RELAXED, with VSM_CTA or VSM_CLUSTER; VSM_SHARED_CTA or
 *	VSM_SHARED_CLUSTER; VSM_SINK
 *
 * See PTX ISA, section 9.7.13.15.14. Layout sm_80 does not have this form.
 *
 * Return: The instruction. Its result is the state token, or 0 with VSM_SINK.
 */
static inline struct drm_vsm_insn vsm_prep_mbarrier_arrive_drop_count(uint32_t addr, uint32_t count,
								      unsigned int qual)
{
	return __vsm_prep_mbarrier_n(DRM_VSM_OP_MBARRIER_ARRIVE_DROP, DRM_VSM_MOD_COUNT, addr,
				     count, qual);
}

/**
 * vsm_prep_mbarrier_arrive_drop_expect_tx - mbarrier.arrive_drop.expect_tx{.sem.scope}{.space} .b64
 * state, [addr], txCount
 * @addr: Cluster shared address of the mbarrier object, which may be in another CTA only with
 *	VSM_SINK
 * @tx_count: Transactions (bytes) to expect: the instruction adds them to the tx-count, and then
 *	arrives once
 * @qual: Mask of any of: VSM_RELEASE or VSM_RELAXED, with VSM_CTA or VSM_CLUSTER; VSM_SHARED_CTA or
 *	VSM_SHARED_CLUSTER; VSM_SINK
 *
 * See PTX ISA, section 9.7.13.15.14. Layout sm_80 does not have this form.
 *
 * Return: The instruction. Its result is the state token, or 0 with VSM_SINK.
 */
static inline struct drm_vsm_insn
vsm_prep_mbarrier_arrive_drop_expect_tx(uint32_t addr, uint32_t tx_count, unsigned int qual)
{
	return __vsm_prep_mbarrier_tx(DRM_VSM_OP_MBARRIER_ARRIVE_DROP, DRM_VSM_MOD_EXPECT_TX, addr,
				      tx_count, qual);
}

/**
 * vsm_prep_mbarrier_arrive_drop_nocomplete - mbarrier.arrive_drop.noComplete{.release.cta}
 * {.space}.b64 state, [addr], count
 * @addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA
 * @count: Number of arrivals to perform in this phase, which they must not complete, and to drop
 *	from all later phases
 * @qual: Mask of any of: VSM_RELEASE with VSM_CTA; VSM_SHARED_CTA; VSM_SINK
 *
 * See PTX ISA, section 9.7.13.15.14.
 *
 * Return: The instruction. Its result is the state token, or 0 with VSM_SINK.
 */
static inline struct drm_vsm_insn
vsm_prep_mbarrier_arrive_drop_nocomplete(uint32_t addr, uint32_t count, unsigned int qual)
{
	return __vsm_prep_mbarrier_n(DRM_VSM_OP_MBARRIER_ARRIVE_DROP,
				     DRM_VSM_MOD_COUNT | DRM_VSM_MOD_NOCOMPLETE, addr, count, qual);
}

/**
 * vsm_prep_mbarrier_test_wait - mbarrier.test_wait{.sem.scope}{.space}.b64 waitComplete, [addr],
 * state
 * @addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA
 * @state: Token of an arrive in the current or the immediately preceding phase
 * @qual: Mask of any of: VSM_ACQUIRE or VSM_RELAXED, with VSM_CTA or VSM_CLUSTER; VSM_SHARED_CTA
 *
 * See PTX ISA, section 9.7.13.15.16.
 *
 * Return: The instruction. Its result is waitComplete: 1 if the phase is complete, else 0.
 */
static inline struct drm_vsm_insn vsm_prep_mbarrier_test_wait(uint32_t addr, uint64_t state,
							      unsigned int qual)
{
	return __vsm_prep_mbarrier_await(DRM_VSM_OP_MBARRIER_TEST_WAIT, 0, addr, state, 0, 0, qual);
}

/**
 * vsm_prep_mbarrier_test_wait_parity - mbarrier.test_wait.parity{.sem.scope}{.space}.b64
 * waitComplete, [addr], phaseParity
 * @addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA
 * @parity: phaseParity of the current or the immediately preceding phase, 0 or 1
 * @qual: Mask of any of: VSM_ACQUIRE or VSM_RELAXED, with VSM_CTA or VSM_CLUSTER; VSM_SHARED_CTA
 *
 * See PTX ISA, section 9.7.13.15.16.
 *
 * Return: The instruction. Its result is waitComplete: 1 if the phase is complete, else 0.
 */
static inline struct drm_vsm_insn vsm_prep_mbarrier_test_wait_parity(uint32_t addr, uint32_t parity,
								     unsigned int qual)
{
	return __vsm_prep_mbarrier_await(DRM_VSM_OP_MBARRIER_TEST_WAIT, DRM_VSM_MOD_PARITY, addr, 0,
					 parity, 0, qual);
}

/**
 * vsm_prep_mbarrier_try_wait - mbarrier.try_wait{.sem.scope}{.space}.b64 waitComplete, [addr],
 * state
 * @addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA
 * @state: Token of an arrive in the current or the immediately preceding phase
 * @qual: Mask of any of: VSM_ACQUIRE or VSM_RELAXED, with VSM_CTA or VSM_CLUSTER; VSM_SHARED_CTA
 *
 * See PTX ISA, section 9.7.13.15.16. The thread suspends until the phase is complete, or until
 * &drm_vsm_device_info.try_wait_limit_ns have passed. With %DRM_VSM_EXEC_NO_LIMIT there is no time
 * limit.
 *
 * Return: The instruction. Its result is waitComplete: 1 if the phase is complete, else 0.
 */
static inline struct drm_vsm_insn vsm_prep_mbarrier_try_wait(uint32_t addr, uint64_t state,
							     unsigned int qual)
{
	return __vsm_prep_mbarrier_await(DRM_VSM_OP_MBARRIER_TRY_WAIT, 0, addr, state, 0, 0, qual);
}

/**
 * vsm_prep_mbarrier_try_wait_hint - mbarrier.try_wait{.sem.scope}{.space}.b64 waitComplete, [addr],
 * state, suspendTimeHint
 * @addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA
 * @state: Token of an arrive in the current or the immediately preceding phase
 * @hint_ns: suspendTimeHint in ns
 * @qual: Mask of any of: VSM_ACQUIRE or VSM_RELAXED, with VSM_CTA or VSM_CLUSTER; VSM_SHARED_CTA
 *
 * See PTX ISA, section 9.7.13.15.16. The thread suspends until the phase is complete, or until
 * @hint_ns have passed.
 *
 * Return: The instruction. Its result is waitComplete: 1 if the phase is complete, else 0.
 */
static inline struct drm_vsm_insn
vsm_prep_mbarrier_try_wait_hint(uint32_t addr, uint64_t state, uint32_t hint_ns, unsigned int qual)
{
	return __vsm_prep_mbarrier_await(DRM_VSM_OP_MBARRIER_TRY_WAIT, DRM_VSM_MOD_HINT, addr,
					 state, 0, hint_ns, qual);
}

/**
 * vsm_prep_mbarrier_try_wait_parity - mbarrier.try_wait.parity{.sem.scope}{.space}.b64
 * waitComplete, [addr], phaseParity
 * @addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA
 * @parity: phaseParity of the current or the immediately preceding phase, 0 or 1
 * @qual: Mask of any of: VSM_ACQUIRE or VSM_RELAXED, with VSM_CTA or VSM_CLUSTER; VSM_SHARED_CTA
 *
 * See PTX ISA, section 9.7.13.15.16. The thread suspends until the phase is complete, or until
 * &drm_vsm_device_info.try_wait_limit_ns have passed. With %DRM_VSM_EXEC_NO_LIMIT there is no time
 * limit.
 *
 * Return: The instruction. Its result is waitComplete: 1 if the phase is complete, else 0.
 */
static inline struct drm_vsm_insn vsm_prep_mbarrier_try_wait_parity(uint32_t addr, uint32_t parity,
								    unsigned int qual)
{
	return __vsm_prep_mbarrier_await(DRM_VSM_OP_MBARRIER_TRY_WAIT, DRM_VSM_MOD_PARITY, addr, 0,
					 parity, 0, qual);
}

/**
 * vsm_prep_mbarrier_try_wait_parity_hint - mbarrier.try_wait.parity{.sem.scope}{.space}.b64
 * waitComplete, [addr], phaseParity, suspendTimeHint
 * @addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA
 * @parity: phaseParity of the current or the immediately preceding phase, 0 or 1
 * @hint_ns: suspendTimeHint in ns
 * @qual: Mask of any of: VSM_ACQUIRE or VSM_RELAXED, with VSM_CTA or VSM_CLUSTER; VSM_SHARED_CTA
 *
 * See PTX ISA, section 9.7.13.15.16. The thread suspends until the phase is complete, or until
 * @hint_ns have passed.
 *
 * Return: The instruction. Its result is waitComplete: 1 if the phase is complete, else 0.
 */
static inline struct drm_vsm_insn vsm_prep_mbarrier_try_wait_parity_hint(uint32_t addr,
									 uint32_t parity,
									 uint32_t hint_ns,
									 unsigned int qual)
{
	return __vsm_prep_mbarrier_await(DRM_VSM_OP_MBARRIER_TRY_WAIT,
					 DRM_VSM_MOD_PARITY | DRM_VSM_MOD_HINT, addr, 0, parity,
					 hint_ns, qual);
}

/**
 * vsm_prep_mbarrier_pending_count - mbarrier.pending_count.b64 count, state
 * @state: Token of a .noComplete arrive or arrive_drop
 *
 * See PTX ISA, section 9.7.13.15.17.
 *
 * Return: The instruction. Its result is the number of arrivals that were pending before that
 * arrive.
 */
static inline struct drm_vsm_insn vsm_prep_mbarrier_pending_count(uint64_t state)
{
	return __vsm_prep_mbarrier_await(DRM_VSM_OP_MBARRIER_PENDING_COUNT, 0, 0, state, 0, 0, 0);
}

/**
 * vsm_prep_fence_mbarrier_init - fence.mbarrier_init.release.cluster
 *
 * See PTX ISA, section 9.7.13.4. The instruction makes the earlier mbarrier.init of the thread
 * visible to the cluster. Afterwards threads of other CTAs may use the objects.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_fence_mbarrier_init(void)
{
	return __vsm_prep(DRM_VSM_OP_FENCE_MBARRIER_INIT, 0, VSM_RELEASE | VSM_CLUSTER);
}

/**
 * vsm_prep_fence - fence{.sem}.scope
 * @qual: A scope: VSM_CTA, VSM_CLUSTER, VSM_GPU or VSM_SYS; and VSM_ACQ_REL (the default), VSM_SC,
 *	VSM_ACQUIRE or VSM_RELEASE
 *
 * See PTX ISA, section 9.7.13.4. Layout sm_80 does not have VSM_CLUSTER, VSM_ACQUIRE and
 * VSM_RELEASE.
 *
 * The fence is a memory barrier for the task that executes it. If the scope is VSM_CLUSTER or
 * wider, and .sem is not VSM_ACQUIRE, the fence also makes the earlier mbarrier.init of all threads
 * of the CTA visible to the cluster.
 *
 * The device does not see the stores and atomic operations of a thread. Before one of them that has
 * .release and scope .cluster or wider, the program must therefore execute this fence: with
 * VSM_RELEASE or VSM_ACQ_REL, and with the same scope.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_fence(unsigned int qual)
{
	return __vsm_prep(DRM_VSM_OP_FENCE, 0, qual);
}

/**
 * vsm_prep_cp_async_mbarrier_arrive - cp.async.mbarrier.arrive{.space}.b64 [addr]
 * @addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA
 * @qual: VSM_SHARED_CTA, or 0 for generic addressing
 *
 * See PTX ISA, section 9.7.13.15.15. The instruction performs an arrive-on when every cp.async that
 * the thread issued before is complete. The instruction first adds one pending arrival for it: the
 * count of mbarrier.init must not include this arrival. vsm_exec() executes the instruction;
 * vsm_submit() refuses it.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_cp_async_mbarrier_arrive(uint32_t addr,
								    unsigned int qual)
{
	return __vsm_prep_mbarrier(DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE, 0, addr, qual);
}

/**
 * vsm_prep_cp_async_mbarrier_arrive_noinc - cp.async.mbarrier.arrive.noinc{.space}.b64 [addr]
 * @addr: Cluster shared address of the mbarrier object, in the executing thread's own CTA
 * @qual: VSM_SHARED_CTA, or 0 for generic addressing
 *
 * See PTX ISA, section 9.7.13.15.15. The instruction performs an arrive-on when every cp.async that
 * the thread issued before is complete. The count of mbarrier.init must include this arrival.
 * vsm_exec() executes the instruction; vsm_submit() refuses it.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_cp_async_mbarrier_arrive_noinc(uint32_t addr,
									  unsigned int qual)
{
	return __vsm_prep_mbarrier(DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE, DRM_VSM_MOD_NOINC, addr,
				   qual);
}

static inline struct drm_vsm_insn __vsm_prep_copy(enum drm_vsm_op op, unsigned int mods,
						  uint32_t addr, uint32_t buffer, uint64_t offset,
						  uint32_t size, unsigned int qual)
{
	struct drm_vsm_insn insn = __vsm_prep(op, mods, qual);

	insn.u.copy.addr = addr;
	insn.u.copy.buffer = buffer;
	insn.u.copy.offset = offset;
	insn.u.copy.size = size;
	return insn;
}

/**
 * vsm_prep_cp_async - cp.async.ca.shared.global or cp.async.cg.shared.global [dst], [src], cp-size
 * @addr: Destination, a cluster shared address in the executing thread's own CTA, a multiple of
 *	@size
 * @buffer: vsm_buffer_handle() of the source
 * @offset: Byte offset in @buffer, a multiple of @size
 * @size: Number of bytes: 4, 8 or 16; with VSM_CG it must be 16
 * @qual: Mask of any of: VSM_CG; VSM_SHARED_CTA
 *
 * See PTX ISA, cp.async. The copy is asynchronous. It is complete when a later
 * vsm_prep_cp_async_mbarrier_arrive() has arrived, or when a wait for its group returns. vsm_exec()
 * executes the instruction; vsm_submit() refuses it.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_cp_async(uint32_t addr, uint32_t buffer, uint64_t offset,
						    uint32_t size, unsigned int qual)
{
	return __vsm_prep_copy(DRM_VSM_OP_CP_ASYNC, 0, addr, buffer, offset, size, qual);
}

/**
 * vsm_prep_cp_async_src_size - cp.async.ca.shared.global or cp.async.cg.shared.global [dst], [src],
 * cp-size, src-size
 * @addr: Destination, a cluster shared address in the executing thread's own CTA, a multiple of
 *	@size
 * @buffer: vsm_buffer_handle() of the source
 * @offset: Byte offset in @buffer, a multiple of @size
 * @size: Number of bytes to write: 4, 8 or 16; with VSM_CG it must be 16
 * @src_size: Number of bytes to copy, 0 to @size. The remaining bytes of the destination become
 *	zero
 * @qual: Mask of any of: VSM_CG; VSM_SHARED_CTA
 *
 * See PTX ISA, cp.async. The copy is asynchronous. It is complete when a later
 * vsm_prep_cp_async_mbarrier_arrive() has arrived, or when a wait for its group returns. vsm_exec()
 * executes the instruction; vsm_submit() refuses it.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_cp_async_src_size(uint32_t addr, uint32_t buffer,
							     uint64_t offset, uint32_t size,
							     uint32_t src_size, unsigned int qual)
{
	struct drm_vsm_insn insn = __vsm_prep_copy(DRM_VSM_OP_CP_ASYNC, DRM_VSM_MOD_SRC_SIZE, addr,
						   buffer, offset, size, qual);

	insn.u.copy.src_size = src_size;
	return insn;
}

/**
 * vsm_prep_cp_async_commit_group - cp.async.commit_group
 *
 * See PTX ISA, cp.async.commit_group. The instruction makes one group of all earlier cp.async of
 * the thread that are in no group. The group may be empty. vsm_exec() executes the instruction;
 * vsm_submit() refuses it.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_cp_async_commit_group(void)
{
	return __vsm_prep(DRM_VSM_OP_CP_ASYNC_COMMIT_GROUP, 0, 0);
}

/**
 * vsm_prep_cp_async_wait_group - cp.async.wait_group N
 * @groups: Number of the thread's most recent groups that may still be in flight. 0 waits for all
 *	groups
 *
 * See PTX ISA, cp.async.wait_group. The thread suspends until all groups of the thread except the
 * last @groups are complete. vsm_exec() executes the instruction; vsm_submit() refuses it.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_cp_async_wait_group(uint32_t groups)
{
	return __vsm_prep_mbarrier_n(DRM_VSM_OP_CP_ASYNC_WAIT_GROUP, 0, 0, groups, 0);
}

/**
 * vsm_prep_cp_async_wait_all - cp.async.wait_all
 *
 * See PTX ISA, cp.async.wait_all. The thread suspends until all earlier cp.async of the thread are
 * complete, whether they are in a group or not. vsm_exec() executes the instruction; vsm_submit()
 * refuses it.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_cp_async_wait_all(void)
{
	return __vsm_prep(DRM_VSM_OP_CP_ASYNC_WAIT_ALL, 0, 0);
}

/**
 * vsm_prep_cp_async_bulk_g2s - cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
 * [dstMem], [srcMem], size, [mbar]
 * @addr: Destination, a cluster shared address that is a multiple of 16
 * @buffer: vsm_buffer_handle() of the source
 * @offset: Byte offset in @buffer, a multiple of 16
 * @size: Number of bytes, a multiple of 16
 * @mbar: Cluster shared address of the mbarrier object on which complete-tx is performed, in the
 *	CTA of @addr
 *
 * See PTX ISA, cp.async.bulk. The copy is asynchronous. It is complete when the phase of @mbar that
 * expects its bytes is complete.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_cp_async_bulk_g2s(uint32_t addr, uint32_t buffer,
							     uint64_t offset, uint32_t size,
							     uint32_t mbar)
{
	struct drm_vsm_insn insn =
		__vsm_prep_copy(DRM_VSM_OP_CP_ASYNC_BULK_G2S, 0, addr, buffer, offset, size, 0);

	insn.u.copy.mbar = mbar;
	return insn;
}

/**
 * vsm_prep_cp_async_bulk_g2s_multicast - cp.async.bulk.shared::cluster.global
 * .mbarrier::complete_tx::bytes.multicast::cluster [dstMem], [srcMem], size, [mbar], ctaMask
 * @addr: Destination: the copy writes at the offset of this address in the window of each CTA of
 *	@cta_mask
 * @buffer: vsm_buffer_handle() of the source
 * @offset: Byte offset in @buffer, a multiple of 16
 * @size: Number of bytes, a multiple of 16
 * @mbar: Address of an mbarrier object. complete-tx is performed on the object at the offset of
 *	this address in each CTA of @cta_mask
 * @cta_mask: Mask of CTAs: bit n is the CTA of rank n
 *
 * See PTX ISA, cp.async.bulk. The instruction copies the same bytes to several CTAs. The copy is
 * asynchronous. It is complete in a CTA when the phase that expects its bytes is complete on the
 * mbarrier object of that CTA.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn
vsm_prep_cp_async_bulk_g2s_multicast(uint32_t addr, uint32_t buffer, uint64_t offset, uint32_t size,
				     uint32_t mbar, uint16_t cta_mask)
{
	struct drm_vsm_insn insn = __vsm_prep_copy(DRM_VSM_OP_CP_ASYNC_BULK_G2S,
						   DRM_VSM_MOD_MULTICAST, addr, buffer, offset,
						   size, 0);

	insn.u.copy.mbar = mbar;
	insn.u.copy.mask = cta_mask;
	return insn;
}

/**
 * vsm_prep_cp_async_bulk_s2g - cp.async.bulk.global.shared::cta.bulk_group [dstMem], [srcMem], size
 * @buffer: vsm_buffer_handle() of the destination
 * @offset: Byte offset in @buffer, a multiple of 16
 * @addr: Source, a cluster shared address in the executing thread's own CTA, a multiple of 16
 * @size: Number of bytes, a multiple of 16
 *
 * See PTX ISA, cp.async.bulk. The copy is asynchronous. It is complete when a wait for its bulk
 * group returns, or when its job is done.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_cp_async_bulk_s2g(uint32_t buffer, uint64_t offset,
							     uint32_t addr, uint32_t size)
{
	return __vsm_prep_copy(DRM_VSM_OP_CP_ASYNC_BULK_S2G, 0, addr, buffer, offset, size, 0);
}

/**
 * vsm_prep_cp_async_bulk_s2g_mask - cp.async.bulk.global.shared::cta.bulk_group.cp_mask [dstMem],
 * [srcMem], size, byteMask
 * @buffer: vsm_buffer_handle() of the destination
 * @offset: Byte offset in @buffer, a multiple of 16
 * @addr: Source, a cluster shared address in the executing thread's own CTA, a multiple of 16
 * @size: Number of bytes, a multiple of 16
 * @byte_mask: Mask: byte n of every 16 bytes is copied if bit n is set
 *
 * See PTX ISA, cp.async.bulk. The copy is asynchronous. It is complete when a wait for its bulk
 * group returns, or when its job is done.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_cp_async_bulk_s2g_mask(uint32_t buffer, uint64_t offset,
								  uint32_t addr, uint32_t size,
								  uint16_t byte_mask)
{
	struct drm_vsm_insn insn = __vsm_prep_copy(DRM_VSM_OP_CP_ASYNC_BULK_S2G,
						   DRM_VSM_MOD_CP_MASK, addr, buffer, offset,
						   size, 0);

	insn.u.copy.mask = byte_mask;
	return insn;
}

static inline struct drm_vsm_insn __vsm_prep_copy_s2s(enum drm_vsm_op op, uint32_t dst,
						      uint32_t src, uint32_t size, uint32_t mbar)
{
	struct drm_vsm_insn insn = __vsm_prep_copy(op, 0, dst, 0, 0, size, 0);

	insn.u.copy.src = src;
	insn.u.copy.mbar = mbar;
	return insn;
}

/**
 * vsm_prep_cp_async_bulk_s2s - cp.async.bulk.shared::cluster.shared::cta
 * .mbarrier::complete_tx::bytes [dstMem], [srcMem], size, [mbar]
 * @dst: Destination, a cluster shared address that is a multiple of 16
 * @src: Source, a cluster shared address in the executing thread's own CTA, a multiple of 16
 * @size: Number of bytes, a multiple of 16
 * @mbar: Cluster shared address of the mbarrier object on which complete-tx is performed, in the
 *	CTA of @dst
 *
 * See PTX ISA, cp.async.bulk. The operation is asynchronous. It is complete when the phase of @mbar
 * that expects its bytes is complete.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_cp_async_bulk_s2s(uint32_t dst, uint32_t src,
							     uint32_t size, uint32_t mbar)
{
	return __vsm_prep_copy_s2s(DRM_VSM_OP_CP_ASYNC_BULK_S2S, dst, src, size, mbar);
}

/**
 * vsm_prep_cp_async_bulk_prefetch - cp.async.bulk.prefetch.L2.global [srcMem], size
 * @buffer: vsm_buffer_handle() of the source
 * @offset: Byte offset in @buffer, a multiple of 16
 * @size: Number of bytes, a multiple of 16
 *
 * See PTX ISA, cp.async.bulk.prefetch. The device checks the operands. The instruction has no other
 * effect.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_cp_async_bulk_prefetch(uint32_t buffer, uint64_t offset,
								  uint32_t size)
{
	return __vsm_prep_copy(DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH, 0, 0, buffer, offset, size, 0);
}

/**
 * vsm_prep_cp_async_bulk_commit_group - cp.async.bulk.commit_group
 *
 * See PTX ISA, cp.async.bulk.commit_group. The instruction makes one bulk group of all earlier
 * copies of the thread with .bulk_group that are in no group. The group may be empty. vsm_exec()
 * executes the instruction; vsm_submit() refuses it.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_cp_async_bulk_commit_group(void)
{
	return __vsm_prep(DRM_VSM_OP_CP_ASYNC_BULK_COMMIT_GROUP, 0, 0);
}

/**
 * vsm_prep_cp_async_bulk_wait_group - cp.async.bulk.wait_group N
 * @groups: Number of the thread's most recent bulk groups that may still be in flight. 0 waits for
 *	all groups
 *
 * See PTX ISA, cp.async.bulk.wait_group. The thread suspends until all bulk groups of the thread
 * except the last @groups are complete. vsm_exec() executes the instruction; vsm_submit() refuses
 * it.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_cp_async_bulk_wait_group(uint32_t groups)
{
	return __vsm_prep_mbarrier_n(DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP, 0, 0, groups, 0);
}

/**
 * vsm_prep_cp_async_bulk_wait_group_read - cp.async.bulk.wait_group.read N
 * @groups: Number of the thread's most recent bulk groups that need not have read their sources. 0
 *	waits for all groups
 *
 * See PTX ISA, cp.async.bulk.wait_group. The thread suspends until all bulk groups of the thread
 * except the last @groups have read their sources. The program may then write to the sources again.
 * vsm_exec() executes the instruction; vsm_submit() refuses it.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_cp_async_bulk_wait_group_read(uint32_t groups)
{
	return __vsm_prep_mbarrier_n(DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP, DRM_VSM_MOD_READ, 0,
				     groups, 0);
}

/* The value of &drm_vsm_insn.red. The device refuses the value for arguments that do not fit. */
static inline uint8_t __vsm_red(unsigned int op, unsigned int more)
{
	if (op > 0xf || more > 0xf)
		return VSM_QUAL_BAD;
	return (uint8_t)(op | more << 4);
}

/**
 * vsm_prep_cp_reduce_async_bulk_s2g - cp.reduce.async.bulk.global.shared::cta.bulk_group
 * .redOp.type [dstMem], [srcMem], size
 * @op: Reduction operation, .redOp
 * @type: Type of the elements, .type
 * @buffer: vsm_buffer_handle() of the destination
 * @offset: Byte offset in @buffer, a multiple of 16
 * @addr: Source, a cluster shared address in the executing thread's own CTA, a multiple of 16
 * @size: Number of bytes, a multiple of 16
 *
 * See PTX ISA, cp.reduce.async.bulk. @op is performed on each element of the destination and its
 * counterpart in the source; the result replaces the element of the destination. The operation is
 * asynchronous. It is complete when a wait for its bulk group returns, or when its job is done.
 *
 * Types: .and, .or and .xor take .b32 and .b64. .add takes .u32, .s32, .u64, .f16, .bf16, .f32 and
 * .f64. .inc and .dec take .u32. .min and .max take .u32, .s32, .u64, .s64, .f16 and .bf16.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn
vsm_prep_cp_reduce_async_bulk_s2g(enum drm_vsm_red op, enum drm_vsm_type type, uint32_t buffer,
				  uint64_t offset, uint32_t addr, uint32_t size)
{
	struct drm_vsm_insn insn = __vsm_prep_copy(DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2G, 0, addr,
						   buffer, offset, size, 0);

	insn.red = __vsm_red(op, type);
	return insn;
}

/**
 * vsm_prep_cp_reduce_async_bulk_s2s - cp.reduce.async.bulk.shared::cluster.shared::cta
 * .mbarrier::complete_tx::bytes.redOp.type [dstMem], [srcMem], size, [mbar]
 * @op: Reduction operation, .redOp
 * @type: Type of the elements, .type
 * @dst: Destination, a cluster shared address that is a multiple of 16
 * @src: Source, a cluster shared address in the executing thread's own CTA, a multiple of 16
 * @size: Number of bytes, a multiple of 16
 * @mbar: Cluster shared address of the mbarrier object on which complete-tx is performed, in the
 *	CTA of @dst
 *
 * See PTX ISA, cp.reduce.async.bulk. @op is performed on each element of the destination and its
 * counterpart in the source; the result replaces the element of the destination. The operation is
 * asynchronous. It is complete when the phase of @mbar that expects its bytes is complete.
 *
 * Types: .and, .or and .xor take .b32. .add takes .u32, .s32 and .u64. .inc and .dec take .u32.
 * .min and .max take .u32 and .s32.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_cp_reduce_async_bulk_s2s(enum drm_vsm_red op,
								    enum drm_vsm_type type,
								    uint32_t dst, uint32_t src,
								    uint32_t size, uint32_t mbar)
{
	struct drm_vsm_insn insn =
		__vsm_prep_copy_s2s(DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2S, dst, src, size, mbar);

	insn.red = __vsm_red(op, type);
	return insn;
}

static inline struct drm_vsm_insn
__vsm_prep_tensor(enum drm_vsm_op op, unsigned int mods, unsigned int red, unsigned int dims,
		  uint32_t addr, const struct drm_vsm_tensor_map *map, const int32_t *coords)
{
	struct drm_vsm_insn insn = __vsm_prep(op, mods, 0);
	unsigned int i;

	insn.red = __vsm_red(red, dims);
	insn.u.tensor.addr = addr;
	insn.u.tensor.map = (uintptr_t)map;
	for (i = 0; i < dims && i < 5; i++)
		insn.u.tensor.coords[i] = coords[i];
	return insn;
}

/* All im2colOffsets share 16 bits. Mask each of them: excess bits would change the next one. */
static inline uint16_t __vsm_im2col_offsets(unsigned int dims, const uint16_t *offsets)
{
	unsigned int bits = dims == 3 ? 16 : dims == 4 ? 8 : 5;
	unsigned int packed = 0;
	unsigned int i;

	for (i = 0; i + 2 < dims && i < 3; i++)
		packed |= (offsets[i] & ((1U << bits) - 1)) << i * bits;
	return (uint16_t)packed;
}

/**
 * vsm_prep_cp_async_bulk_tensor_g2s - cp.async.bulk.tensor.dim.shared::cluster.global
 * .mbarrier::complete_tx::bytes [dstMem], [tensorMap, tensorCoords], [mbar]
 * @dims: Number of dimensions of the tensor, .dim, 1 to 5
 * @addr: Destination, a cluster shared address that is a multiple of 128
 * @map: Tensor map, at a multiple of 64 bytes. The device reads it when the instruction is issued
 * @coords: tensorCoords: @dims coordinates of the first element of the box, innermost first
 * @mbar: Cluster shared address of the mbarrier object on which complete-tx of the box's bytes is
 *	performed, in the CTA of @addr
 *
 * See PTX ISA, cp.async.bulk.tensor with .tile. The operation is asynchronous. It is complete when
 * the phase of @mbar that expects its bytes is complete.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn
vsm_prep_cp_async_bulk_tensor_g2s(unsigned int dims, uint32_t addr,
				  const struct drm_vsm_tensor_map *map, const int32_t *coords,
				  uint32_t mbar)
{
	struct drm_vsm_insn insn = __vsm_prep_tensor(DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S, 0, 0,
						     dims, addr, map, coords);

	insn.u.tensor.mbar = mbar;
	return insn;
}

/**
 * vsm_prep_cp_async_bulk_tensor_g2s_multicast - cp.async.bulk.tensor.dim.shared::cluster.global
 * .mbarrier::complete_tx::bytes.multicast::cluster [dstMem], [tensorMap, tensorCoords], [mbar],
 * ctaMask
 * @dims: Number of dimensions of the tensor, .dim, 1 to 5
 * @addr: Destination: the copy writes at the offset of this address in the window of each CTA of
 *	@cta_mask
 * @map: Tensor map, at a multiple of 64 bytes
 * @coords: tensorCoords: @dims coordinates of the first element of the box, innermost first
 * @mbar: Address of an mbarrier object. complete-tx of the box's bytes is performed on the object
 *	at the offset of this address in each CTA of @cta_mask
 * @cta_mask: Mask of CTAs: bit n is the CTA of rank n
 *
 * See PTX ISA, cp.async.bulk.tensor with .tile. The instruction copies the same bytes to several
 * CTAs. The copy is asynchronous. It is complete in a CTA when the phase that expects its bytes is
 * complete on the mbarrier object of that CTA.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn
vsm_prep_cp_async_bulk_tensor_g2s_multicast(unsigned int dims, uint32_t addr,
					    const struct drm_vsm_tensor_map *map,
					    const int32_t *coords, uint32_t mbar, uint16_t cta_mask)
{
	struct drm_vsm_insn insn = __vsm_prep_tensor(DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S,
						     DRM_VSM_MOD_MULTICAST, 0, dims, addr, map,
						     coords);

	insn.u.tensor.mbar = mbar;
	insn.u.tensor.mask = cta_mask;
	return insn;
}

/**
 * vsm_prep_cp_async_bulk_tensor_g2s_im2col - cp.async.bulk.tensor.dim.shared::cluster.global
 * .im2col.mbarrier::complete_tx::bytes [dstMem], [tensorMap, tensorCoords], [mbar], im2colOffsets
 * @dims: Number of dimensions of the tensor, .dim, 3 to 5
 * @addr: Destination, a cluster shared address that is a multiple of 128
 * @map: Tensor map of an im2col tensor, at a multiple of 64 bytes
 * @coords: tensorCoords: @dims coordinates of the first channel and pixel, innermost first
 * @mbar: Cluster shared address of the mbarrier object on which complete-tx is performed, in the
 *	CTA of @addr
 * @offsets: im2colOffsets: @dims - 2 offsets, innermost first, below 2^16 with 3 dimensions, 2^8
 *	with 4, 2^5 with 5. The constructor drops the upper bits of larger offsets
 *
 * See PTX ISA, cp.async.bulk.tensor with .im2col. The operation is asynchronous. It is complete
 * when the phase of @mbar that expects its bytes is complete.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn
vsm_prep_cp_async_bulk_tensor_g2s_im2col(unsigned int dims, uint32_t addr,
					 const struct drm_vsm_tensor_map *map,
					 const int32_t *coords, uint32_t mbar,
					 const uint16_t *offsets)
{
	struct drm_vsm_insn insn = __vsm_prep_tensor(DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S,
						     DRM_VSM_MOD_IM2COL, 0, dims, addr, map,
						     coords);

	insn.u.tensor.mbar = mbar;
	insn.u.tensor.offsets = __vsm_im2col_offsets(dims, offsets);
	return insn;
}

/**
 * vsm_prep_cp_async_bulk_tensor_g2s_im2col_multicast - cp.async.bulk.tensor.dim.shared::cluster
 * .global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [dstMem], [tensorMap,
 * tensorCoords], [mbar], im2colOffsets, ctaMask
 * @dims: Number of dimensions of the tensor, .dim, 3 to 5
 * @addr: Destination: the copy writes at the offset of this address in the window of each CTA of
 *	@cta_mask
 * @map: Tensor map of an im2col tensor, at a multiple of 64 bytes
 * @coords: tensorCoords: @dims coordinates of the first channel and pixel, innermost first
 * @mbar: Address of an mbarrier object. complete-tx is performed on the object at the offset of
 *	this address in each CTA of @cta_mask
 * @offsets: im2colOffsets: @dims - 2 offsets, innermost first, below 2^16 with 3 dimensions, 2^8
 *	with 4, 2^5 with 5. The constructor drops the upper bits of larger offsets
 * @cta_mask: Mask of CTAs: bit n is the CTA of rank n
 *
 * See PTX ISA, cp.async.bulk.tensor with .im2col. The instruction copies the same bytes to several
 * CTAs. The copy is asynchronous. It is complete in a CTA when the phase that expects its bytes is
 * complete on the mbarrier object of that CTA.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn
vsm_prep_cp_async_bulk_tensor_g2s_im2col_multicast(unsigned int dims, uint32_t addr,
						   const struct drm_vsm_tensor_map *map,
						   const int32_t *coords, uint32_t mbar,
						   const uint16_t *offsets, uint16_t cta_mask)
{
	struct drm_vsm_insn insn = __vsm_prep_tensor(DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S,
						     DRM_VSM_MOD_IM2COL | DRM_VSM_MOD_MULTICAST, 0,
						     dims, addr, map, coords);

	insn.u.tensor.mbar = mbar;
	insn.u.tensor.offsets = __vsm_im2col_offsets(dims, offsets);
	insn.u.tensor.mask = cta_mask;
	return insn;
}

/**
 * vsm_prep_cp_async_bulk_tensor_s2g - cp.async.bulk.tensor.dim.global.shared::cta.bulk_group
 * [tensorMap, tensorCoords], [srcMem]
 * @dims: Number of dimensions of the tensor, .dim, 1 to 5
 * @map: Tensor map, at a multiple of 64 bytes. The device reads it when the instruction is issued
 * @coords: tensorCoords: @dims coordinates of the first element of the box, innermost first
 * @addr: Source, a cluster shared address in the executing thread's own CTA, a multiple of 128
 *
 * See PTX ISA, cp.async.bulk.tensor with .tile. The operation is asynchronous. It is complete when
 * a wait for its bulk group returns, or when its job is done.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn
vsm_prep_cp_async_bulk_tensor_s2g(unsigned int dims, const struct drm_vsm_tensor_map *map,
				  const int32_t *coords, uint32_t addr)
{
	return __vsm_prep_tensor(DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_S2G, 0, 0, dims, addr, map,
				 coords);
}

/**
 * vsm_prep_cp_async_bulk_tensor_s2g_im2col - cp.async.bulk.tensor.dim.global.shared::cta
 * .im2col_no_offs.bulk_group [tensorMap, tensorCoords], [srcMem]
 * @dims: Number of dimensions of the tensor, .dim, 3 to 5
 * @map: Tensor map of an im2col tensor, at a multiple of 64 bytes
 * @coords: tensorCoords: @dims coordinates of the first channel and pixel, innermost first
 * @addr: Source, a cluster shared address in the executing thread's own CTA, a multiple of 128
 *
 * See PTX ISA, cp.async.bulk.tensor with .im2col. The operation is asynchronous. It is complete
 * when a wait for its bulk group returns, or when its job is done.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn
vsm_prep_cp_async_bulk_tensor_s2g_im2col(unsigned int dims, const struct drm_vsm_tensor_map *map,
					 const int32_t *coords, uint32_t addr)
{
	return __vsm_prep_tensor(DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_S2G, DRM_VSM_MOD_IM2COL, 0, dims,
				 addr, map, coords);
}

/**
 * vsm_prep_cp_reduce_async_bulk_tensor - cp.reduce.async.bulk.tensor.dim.global.shared::cta
 * .redOp.bulk_group [tensorMap, tensorCoords], [srcMem]
 * @op: Reduction operation, .redOp. The type is that of the tensor map
 * @dims: Number of dimensions of the tensor, .dim, 1 to 5
 * @map: Tensor map, at a multiple of 64 bytes. The device reads it when the instruction is issued
 * @coords: tensorCoords: @dims coordinates of the first element of the box, innermost first
 * @addr: Source, a cluster shared address in the executing thread's own CTA, a multiple of 128
 *
 * See PTX ISA, cp.reduce.async.bulk.tensor with .tile. @op is performed on each element of the box
 * in the tensor and its counterpart in the source; the result replaces the element of the tensor.
 * The operation is asynchronous. It is complete when a wait for its bulk group returns, or when its
 * job is done.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn
vsm_prep_cp_reduce_async_bulk_tensor(enum drm_vsm_red op, unsigned int dims,
				     const struct drm_vsm_tensor_map *map, const int32_t *coords,
				     uint32_t addr)
{
	return __vsm_prep_tensor(DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR, 0, op, dims, addr, map,
				 coords);
}

/**
 * vsm_prep_cp_reduce_async_bulk_tensor_im2col - cp.reduce.async.bulk.tensor.dim.global
 * .shared::cta.redOp.im2col_no_offs.bulk_group [tensorMap, tensorCoords], [srcMem]
 * @op: Reduction operation, .redOp. The type is that of the tensor map
 * @dims: Number of dimensions of the tensor, .dim, 3 to 5
 * @map: Tensor map of an im2col tensor, at a multiple of 64 bytes
 * @coords: tensorCoords: @dims coordinates of the first channel and pixel, innermost first
 * @addr: Source, a cluster shared address in the executing thread's own CTA, a multiple of 128
 *
 * See PTX ISA, cp.reduce.async.bulk.tensor with .im2col. @op is performed on each element of the
 * box in the tensor and its counterpart in the source; the result replaces the element of the
 * tensor. The operation is asynchronous. It is complete when a wait for its bulk group returns, or
 * when its job is done.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn
vsm_prep_cp_reduce_async_bulk_tensor_im2col(enum drm_vsm_red op, unsigned int dims,
					    const struct drm_vsm_tensor_map *map,
					    const int32_t *coords, uint32_t addr)
{
	return __vsm_prep_tensor(DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR, DRM_VSM_MOD_IM2COL, op,
				 dims, addr, map, coords);
}

/**
 * vsm_prep_cp_async_bulk_prefetch_tensor - cp.async.bulk.prefetch.tensor.dim.L2.global [tensorMap,
 * tensorCoords]
 * @dims: Number of dimensions of the tensor, .dim, 1 to 5
 * @map: Tensor map, at a multiple of 64 bytes. The device reads it when the instruction is issued
 * @coords: tensorCoords: @dims coordinates of the first element of the box, innermost first
 *
 * See PTX ISA, cp.async.bulk.prefetch.tensor with .tile. The device checks the operands. The
 * instruction has no other effect.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn
vsm_prep_cp_async_bulk_prefetch_tensor(unsigned int dims, const struct drm_vsm_tensor_map *map,
				       const int32_t *coords)
{
	return __vsm_prep_tensor(DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH_TENSOR, 0, 0, dims, 0, map,
				 coords);
}

/**
 * vsm_prep_cp_async_bulk_prefetch_tensor_im2col - cp.async.bulk.prefetch.tensor.dim.L2.global
 * .im2col [tensorMap, tensorCoords], im2colOffsets
 * @dims: Number of dimensions of the tensor, .dim, 3 to 5
 * @map: Tensor map of an im2col tensor, at a multiple of 64 bytes
 * @coords: tensorCoords: @dims coordinates of the first channel and pixel, innermost first
 * @offsets: im2colOffsets: @dims - 2 offsets, innermost first, below 2^16 with 3 dimensions, 2^8
 *	with 4, 2^5 with 5. The constructor drops the upper bits of larger offsets
 *
 * See PTX ISA, cp.async.bulk.prefetch.tensor with .im2col. The device checks the operands. The
 * instruction has no other effect.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn
vsm_prep_cp_async_bulk_prefetch_tensor_im2col(unsigned int dims,
					      const struct drm_vsm_tensor_map *map,
					      const int32_t *coords, const uint16_t *offsets)
{
	struct drm_vsm_insn insn = __vsm_prep_tensor(DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH_TENSOR,
						     DRM_VSM_MOD_IM2COL, 0, dims, 0, map, coords);

	insn.u.tensor.offsets = __vsm_im2col_offsets(dims, offsets);
	return insn;
}

static inline struct drm_vsm_insn __vsm_prep_store(enum drm_vsm_op op, uint32_t size, uint32_t addr,
						   const void *value, uint32_t mbar,
						   unsigned int qual)
{
	struct drm_vsm_insn insn = __vsm_prep(op, 0, qual);

	insn.u.store.addr = addr;
	insn.u.store.mbar = mbar;
	insn.u.store.size = size;
	memcpy(insn.u.store.value, value, size < 16 ? size : 16);
	return insn;
}

/**
 * vsm_prep_st_async - st.async.weak{.space}.mbarrier::complete_tx::bytes{.vec}.type [a], b, [mbar]
 * @size: Number of bytes: 4 (.b32), 8 (.b64) or 16 (.v2.b64)
 * @addr: Destination, a cluster shared address that is a multiple of @size
 * @value: Value to store, b: the constructor copies @size bytes
 * @mbar: Cluster shared address of the mbarrier object on which complete-tx of @size is performed,
 *	in the CTA of @addr
 * @qual: VSM_SHARED_CTA or VSM_SHARED_CLUSTER, or 0 for generic addressing
 *
 * See PTX ISA, st.async. The operation is asynchronous. It is complete when the phase of @mbar that
 * expects its bytes is complete.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_st_async(uint32_t size, uint32_t addr, const void *value,
						    uint32_t mbar, unsigned int qual)
{
	return __vsm_prep_store(DRM_VSM_OP_ST_ASYNC, size, addr, value, mbar, qual);
}

/* Bytes of a type that red.async takes; 0 for any other type. */
static inline uint32_t __vsm_red_size(enum drm_vsm_type type)
{
	switch (type) {
	case DRM_VSM_TYPE_B32:
	case DRM_VSM_TYPE_U32:
	case DRM_VSM_TYPE_S32:
		return 4;
	case DRM_VSM_TYPE_B64:
	case DRM_VSM_TYPE_U64:
	case DRM_VSM_TYPE_S64:
		return 8;
	default:
		return 0;
	}
}

/**
 * vsm_prep_red_async - red.async.relaxed.cluster{.space}.mbarrier::complete_tx::bytes.op.type [a],
 * b, [mbar]
 * @op: Reduction operation, .op
 * @type: Type of the elements, .type
 * @addr: Destination, a cluster shared address that is a multiple of the type's size
 * @value: Operand of the reduction, b. The constructor drops bits above the size of @type
 * @mbar: Cluster shared address of the mbarrier object on which complete-tx of the type's size is
 *	performed, in the CTA of @addr
 * @qual: VSM_SHARED_CTA or VSM_SHARED_CLUSTER, or 0 for generic addressing
 *
 * See PTX ISA, red.async. @op is performed on the value at @addr and @value; the result replaces
 * the value at @addr. The operation is asynchronous. It is complete when the phase of @mbar that
 * expects its bytes is complete.
 *
 * Types: .and, .or and .xor take .b32. .add takes .u32, .s32 and .u64. .inc and .dec take .u32.
 * .min and .max take .u32 and .s32.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_red_async(enum drm_vsm_red op, enum drm_vsm_type type,
						     uint32_t addr, uint64_t value, uint32_t mbar,
						     unsigned int qual)
{
	uint32_t size = __vsm_red_size(type);
	struct drm_vsm_insn insn;

	if (size < sizeof(value))
		value &= (1ULL << size * 8) - 1;
	insn = __vsm_prep_store(DRM_VSM_OP_RED_ASYNC, size, addr, &value, mbar, qual);
	insn.red = __vsm_red(op, type);
	return insn;
}

/*
 * Warp operations and barriers. Such an instruction suspends the thread without a time limit until
 * the other threads have arrived. vsm_exec() and vsm_waitset_prep_insn() take it. If a signal
 * interrupts the thread, or its wait is cancelled, the thread has still arrived: it continues when
 * it executes the same instruction again. Until then it can execute no other instruction of this
 * section except exit.
 */

static inline struct drm_vsm_insn __vsm_prep_warp(enum drm_vsm_op op, unsigned int mode,
						  unsigned int type, uint64_t a,
						  uint32_t membermask)
{
	struct drm_vsm_insn insn = __vsm_prep(op, 0, 0);

	insn.red = __vsm_red(mode, type);
	insn.u.warp.a = a;
	insn.u.warp.membermask = membermask;
	return insn;
}

/**
 * vsm_prep_match_any_sync_b32 - match.any.sync.b32 d, a, membermask
 * @a: Value to compare
 * @membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the executing
 *	lane
 *
 * See PTX ISA, section 9.7.13.10. The thread suspends until all threads of @membermask that have
 * not exited have executed the instruction with the same @membermask.
 *
 * Return: The instruction. Its result is d, the mask of the threads whose @a is equal to that of
 * the executing thread.
 */
static inline struct drm_vsm_insn vsm_prep_match_any_sync_b32(uint32_t a, uint32_t membermask)
{
	return __vsm_prep_warp(DRM_VSM_OP_MATCH_SYNC, DRM_VSM_MODE_ANY, DRM_VSM_TYPE_B32, a,
			       membermask);
}

/**
 * vsm_prep_match_any_sync_b64 - match.any.sync.b64 d, a, membermask
 * @a: Value to compare
 * @membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the executing
 *	lane
 *
 * See PTX ISA, section 9.7.13.10. The thread suspends until all threads of @membermask that have
 * not exited have executed the instruction with the same @membermask.
 *
 * Return: The instruction. Its result is d, the mask of the threads whose @a is equal to that of
 * the executing thread.
 */
static inline struct drm_vsm_insn vsm_prep_match_any_sync_b64(uint64_t a, uint32_t membermask)
{
	return __vsm_prep_warp(DRM_VSM_OP_MATCH_SYNC, DRM_VSM_MODE_ANY, DRM_VSM_TYPE_B64, a,
			       membermask);
}

/**
 * vsm_prep_match_all_sync_b32 - match.all.sync.b32 d|p, a, membermask
 * @a: Value to compare
 * @membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the executing
 *	lane
 *
 * See PTX ISA, section 9.7.13.10. The thread suspends until all threads of @membermask that have
 * not exited have executed the instruction with the same @membermask.
 *
 * Return: The instruction. If all threads of @membermask that have not exited have the same @a, its
 * result is d, the mask of these threads, with %DRM_VSM_RESULT_PRED. Otherwise its result is 0.
 */
static inline struct drm_vsm_insn vsm_prep_match_all_sync_b32(uint32_t a, uint32_t membermask)
{
	return __vsm_prep_warp(DRM_VSM_OP_MATCH_SYNC, DRM_VSM_MODE_ALL, DRM_VSM_TYPE_B32, a,
			       membermask);
}

/**
 * vsm_prep_match_all_sync_b64 - match.all.sync.b64 d|p, a, membermask
 * @a: Value to compare
 * @membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the executing
 *	lane
 *
 * See PTX ISA, section 9.7.13.10. The thread suspends until all threads of @membermask that have
 * not exited have executed the instruction with the same @membermask.
 *
 * Return: The instruction. If all threads of @membermask that have not exited have the same @a, its
 * result is d, the mask of these threads, with %DRM_VSM_RESULT_PRED. Otherwise its result is 0.
 */
static inline struct drm_vsm_insn vsm_prep_match_all_sync_b64(uint64_t a, uint32_t membermask)
{
	return __vsm_prep_warp(DRM_VSM_OP_MATCH_SYNC, DRM_VSM_MODE_ALL, DRM_VSM_TYPE_B64, a,
			       membermask);
}

/**
 * vsm_prep_bar_warp_sync - bar.warp.sync membermask
 * @membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the executing
 *	lane
 *
 * See PTX ISA, section 9.7.13.2. The thread suspends until all threads of @membermask that have not
 * exited have executed the instruction with the same @membermask.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_bar_warp_sync(uint32_t membermask)
{
	return __vsm_prep_warp(DRM_VSM_OP_BAR_WARP_SYNC, 0, 0, 0, membermask);
}

/**
 * vsm_prep_elect_sync - elect.sync d|p, membermask
 * @membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the executing
 *	lane
 *
 * See PTX ISA, section 9.7.13.14. Layout sm_80 does not have this instruction. elect.sync elects
 * the lowest lane of @membermask that has not exited. The thread suspends until all threads of
 * @membermask that have not exited have executed the instruction with the same @membermask.
 *
 * Return: The instruction. Its result is d, the elected lane, with %DRM_VSM_RESULT_PRED if the
 * executing lane is elected.
 */
static inline struct drm_vsm_insn vsm_prep_elect_sync(uint32_t membermask)
{
	return __vsm_prep_warp(DRM_VSM_OP_ELECT_SYNC, 0, 0, 0, membermask);
}

/**
 * vsm_prep_vote_sync - vote.sync.mode.pred p, a, membermask
 * @mode: %DRM_VSM_MODE_ALL (all are true), %DRM_VSM_MODE_ANY (at least one is true) or
 *	%DRM_VSM_MODE_UNI (all are equal)
 * @a: Predicate of the executing thread
 * @membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the executing
 *	lane
 *
 * See PTX ISA, section 9.7.13.9. The thread suspends until all threads of @membermask that have not
 * exited have executed the instruction with the same @membermask.
 *
 * Return: The instruction. Its result is p, 0 or 1.
 */
static inline struct drm_vsm_insn vsm_prep_vote_sync(enum drm_vsm_mode mode, bool a,
						     uint32_t membermask)
{
	return __vsm_prep_warp(DRM_VSM_OP_VOTE_SYNC, mode, 0, a, membermask);
}

/**
 * vsm_prep_vote_sync_ballot - vote.sync.ballot.b32 d, a, membermask
 * @a: Predicate of the executing thread
 * @membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the executing
 *	lane
 *
 * See PTX ISA, section 9.7.13.9. The thread suspends until all threads of @membermask that have not
 * exited have executed the instruction with the same @membermask.
 *
 * Return: The instruction. Its result is d, the mask of the threads whose @a is true.
 */
static inline struct drm_vsm_insn vsm_prep_vote_sync_ballot(bool a, uint32_t membermask)
{
	return __vsm_prep_warp(DRM_VSM_OP_VOTE_SYNC, DRM_VSM_MODE_BALLOT, 0, a, membermask);
}

/**
 * vsm_prep_shfl_sync - shfl.sync.mode.b32 d|p, a, b, c, membermask
 * @mode: %DRM_VSM_MODE_UP, %DRM_VSM_MODE_DOWN, %DRM_VSM_MODE_BFLY or %DRM_VSM_MODE_IDX
 * @a: Value that other lanes can read
 * @b: Lane (.idx), mask (.bfly) or offset (.up, .down), in bits 4:0
 * @c: Clamp value in bits 4:0, segment mask in bits 12:8
 * @membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the executing
 *	lane
 *
 * See PTX ISA, section 9.7.9.6. The thread suspends until all threads of @membermask that have not
 * exited have executed the instruction with the same @membermask.
 *
 * Return: The instruction. Its result is d, the @a of the source lane, with %DRM_VSM_RESULT_PRED if
 * the source lane is in range. If the source lane is not in range, is not in @membermask or has
 * exited, d is the @a of the executing thread; in the last two cases PTX leaves d undefined.
 */
static inline struct drm_vsm_insn vsm_prep_shfl_sync(enum drm_vsm_mode mode, uint32_t a, uint32_t b,
						     uint32_t c, uint32_t membermask)
{
	struct drm_vsm_insn insn = __vsm_prep_warp(DRM_VSM_OP_SHFL_SYNC, mode, 0, a, membermask);

	insn.u.warp.b = b;
	insn.u.warp.c = c;
	return insn;
}

/**
 * vsm_prep_redux_sync - redux.sync.op.type dst, src, membermask
 * @op: Reduction operation, .op
 * @type: Type of the elements, .type
 * @src: Value to reduce
 * @membermask: Mask of the lanes that take part, with lane 0 in bit 0. It includes the executing
 *	lane
 *
 * See PTX ISA, section 9.7.13.12. The thread suspends until all threads of @membermask that have
 * not exited have executed the instruction with the same @membermask.
 *
 * Types: .add, .min and .max take .u32 and .s32. .and, .or and .xor take .b32.
 *
 * Return: The instruction. Its result is dst, which is @op of the @src of these threads.
 */
static inline struct drm_vsm_insn vsm_prep_redux_sync(enum drm_vsm_red op, enum drm_vsm_type type,
						      uint32_t src, uint32_t membermask)
{
	return __vsm_prep_warp(DRM_VSM_OP_REDUX_SYNC, op, type, src, membermask);
}

static inline struct drm_vsm_insn __vsm_prep_barrier(enum drm_vsm_op op, unsigned int mods,
						     unsigned int red, uint32_t barrier,
						     uint32_t count, bool pred, unsigned int qual)
{
	struct drm_vsm_insn insn = __vsm_prep(op, mods, qual);

	insn.red = __vsm_red(red, 0);
	insn.u.barrier.barrier = barrier;
	insn.u.barrier.count = count;
	insn.u.barrier.pred = pred;
	return insn;
}

/**
 * vsm_prep_barrier_sync - barrier.cta.sync{.aligned} a
 * @barrier: Number of a named barrier of the executing thread's CTA, a: 0 to 15
 * @qual: VSM_ALIGNED or 0. PTX has three more spellings for VSM_ALIGNED: bar.cta.sync, bar.sync and
 *	barrier.sync.aligned
 *
 * See PTX ISA, section 9.7.13.1. The thread suspends until all threads of the CTA that have not
 * exited have arrived.
 *
 * A named barrier belongs to the CTA and is not in memory. It has no transactions, and a thread
 * cannot test its phase. An mbarrier (vsm_prep_mbarrier_init()) is an object in shared memory, with
 * transactions and a phase that threads can test.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_barrier_sync(uint32_t barrier, unsigned int qual)
{
	return __vsm_prep_barrier(DRM_VSM_OP_BARRIER_SYNC, 0, 0, barrier, 0, false, qual);
}

/**
 * vsm_prep_barrier_sync_count - barrier.cta.sync{.aligned} a, b
 * @barrier: Number of a named barrier of the executing thread's CTA, a: 0 to 15
 * @count: Number of threads whose arrival completes the barrier, b: a multiple of 32 above 0
 * @qual: VSM_ALIGNED or 0
 *
 * See PTX ISA, section 9.7.13.1. The thread suspends until @count threads have arrived. Each
 * arrival of a warp counts as 32 threads. A warp may arrive several times with
 * vsm_prep_barrier_arrive() before it waits; therefore @count may be larger than the number of
 * threads of the CTA.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_barrier_sync_count(uint32_t barrier, uint32_t count,
							      unsigned int qual)
{
	return __vsm_prep_barrier(DRM_VSM_OP_BARRIER_SYNC, DRM_VSM_MOD_COUNT, 0, barrier, count,
				  false, qual);
}

/**
 * vsm_prep_barrier_arrive - barrier.cta.arrive{.aligned} a, b
 * @barrier: Number of a named barrier of the executing thread's CTA, a: 0 to 15
 * @count: Number of threads whose arrival completes the barrier, b: a multiple of 32 above 0. The
 *	arrival of the executing warp counts as 32 of them
 * @qual: VSM_ALIGNED or 0
 *
 * See PTX ISA, section 9.7.13.1. The thread does not wait for the barrier: it suspends only until
 * all threads of the warp have executed the instruction.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_barrier_arrive(uint32_t barrier, uint32_t count,
							  unsigned int qual)
{
	return __vsm_prep_barrier(DRM_VSM_OP_BARRIER_ARRIVE, DRM_VSM_MOD_COUNT, 0, barrier, count,
				  false, qual);
}

/**
 * vsm_prep_barrier_red - barrier.cta.red.op{.aligned}.pred p, a, c
 * @op: %DRM_VSM_RED_AND or %DRM_VSM_RED_OR
 * @barrier: Number of a named barrier of the executing thread's CTA, a: 0 to 15
 * @pred: Predicate of the executing thread, c
 * @qual: VSM_ALIGNED or 0
 *
 * See PTX ISA, section 9.7.13.1. The thread suspends until all threads of the CTA that have not
 * exited have arrived.
 *
 * Return: The instruction. Its result is p, which is @op of the @pred of all threads that arrive: 0
 * or 1.
 */
static inline struct drm_vsm_insn vsm_prep_barrier_red(enum drm_vsm_red op, uint32_t barrier,
						       bool pred, unsigned int qual)
{
	return __vsm_prep_barrier(DRM_VSM_OP_BARRIER_RED, 0, op, barrier, 0, pred, qual);
}

/**
 * vsm_prep_barrier_red_count - barrier.cta.red.op{.aligned}.pred p, a, b, c
 * @op: %DRM_VSM_RED_AND or %DRM_VSM_RED_OR
 * @barrier: Number of a named barrier of the executing thread's CTA, a: 0 to 15
 * @count: Number of threads whose arrival completes the barrier, b: a multiple of 32 above 0
 * @pred: Predicate of the executing thread, c
 * @qual: VSM_ALIGNED or 0
 *
 * See PTX ISA, section 9.7.13.1. The thread suspends until @count threads have arrived. Each
 * arrival of a warp counts as 32 threads.
 *
 * Return: The instruction. Its result is p, which is @op of the @pred of all threads that arrive: 0
 * or 1.
 */
static inline struct drm_vsm_insn vsm_prep_barrier_red_count(enum drm_vsm_red op, uint32_t barrier,
							     uint32_t count, bool pred,
							     unsigned int qual)
{
	return __vsm_prep_barrier(DRM_VSM_OP_BARRIER_RED, DRM_VSM_MOD_COUNT, op, barrier, count,
				  pred, qual);
}

/**
 * vsm_prep_barrier_red_popc - barrier.cta.red.popc{.aligned}.u32 d, a, c
 * @barrier: Number of a named barrier of the executing thread's CTA, a: 0 to 15
 * @pred: Predicate of the executing thread, c
 * @qual: VSM_ALIGNED or 0
 *
 * See PTX ISA, section 9.7.13.1. The thread suspends until all threads of the CTA that have not
 * exited have arrived.
 *
 * Return: The instruction. Its result is d, the number of threads whose @pred is true.
 */
static inline struct drm_vsm_insn vsm_prep_barrier_red_popc(uint32_t barrier, bool pred,
							    unsigned int qual)
{
	return __vsm_prep_barrier(DRM_VSM_OP_BARRIER_RED, 0, DRM_VSM_RED_POPC, barrier, 0, pred,
				  qual);
}

/**
 * vsm_prep_barrier_red_popc_count - barrier.cta.red.popc{.aligned}.u32 d, a, b, c
 * @barrier: Number of a named barrier of the executing thread's CTA, a: 0 to 15
 * @count: Number of threads whose arrival completes the barrier, b: a multiple of 32 above 0
 * @pred: Predicate of the executing thread, c
 * @qual: VSM_ALIGNED or 0
 *
 * See PTX ISA, section 9.7.13.1. The thread suspends until @count threads have arrived. Each
 * arrival of a warp counts as 32 threads.
 *
 * Return: The instruction. Its result is d, the number of threads whose @pred is true.
 */
static inline struct drm_vsm_insn vsm_prep_barrier_red_popc_count(uint32_t barrier, uint32_t count,
								  bool pred, unsigned int qual)
{
	return __vsm_prep_barrier(DRM_VSM_OP_BARRIER_RED, DRM_VSM_MOD_COUNT, DRM_VSM_RED_POPC,
				  barrier, count, pred, qual);
}

/**
 * vsm_prep_barrier_cluster_arrive - barrier.cluster.arrive{.sem}{.aligned}
 * @qual: Mask of any of: VSM_RELEASE (the default) or VSM_RELAXED; VSM_ALIGNED
 *
 * See PTX ISA, section 9.7.13.3. Layout sm_80 does not have this instruction. The thread does not
 * wait for the barrier: it suspends only until all threads of the warp have executed the
 * instruction. With .release, the earlier mbarrier.init of all threads of the CTA are visible to
 * the cluster when the barrier completes. With .relaxed, the threads must execute
 * vsm_prep_fence_mbarrier_init() before, to make them visible.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_barrier_cluster_arrive(unsigned int qual)
{
	return __vsm_prep(DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE, 0, qual);
}

/**
 * vsm_prep_barrier_cluster_wait - barrier.cluster.wait{.acquire}{.aligned}
 * @qual: Mask of any of: VSM_ACQUIRE (the default); VSM_ALIGNED
 *
 * See PTX ISA, section 9.7.13.3. Layout sm_80 does not have this instruction. The thread suspends
 * until all threads of the cluster that have not exited have executed
 * vsm_prep_barrier_cluster_arrive(). The executing thread must have executed it too.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_barrier_cluster_wait(unsigned int qual)
{
	return __vsm_prep(DRM_VSM_OP_BARRIER_CLUSTER_WAIT, 0, qual);
}

/**
 * vsm_prep_exit - exit
 *
 * See PTX ISA, section 9.7.12.7. The thread executes nothing afterwards, as long as the cluster
 * exists. Threads that wait only for this thread continue.
 *
 * Return: The instruction.
 */
static inline struct drm_vsm_insn vsm_prep_exit(void)
{
	return __vsm_prep(DRM_VSM_OP_EXIT, 0, 0);
}

#if defined(__cplusplus)
}
#endif

#endif
