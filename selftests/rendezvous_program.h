/* SPDX-License-Identifier: (GPL-2.0-only OR MIT) */
/*
 * Random programs for threads that execute warp operations and barriers. No instruction of a
 * program is refused, in whatever order the threads run: all threads execute their rendezvous in
 * the same order, and no thread exits inside a rendezvous.
 */
#ifndef VSM_SELFTESTS_RENDEZVOUS_PROGRAM_H
#define VSM_SELFTESTS_RENDEZVOUS_PROGRAM_H

#include "insn.h"
#include "random.h"

#define LANES	32
#define BLOCK	4	/* number of consecutive instructions for which barriers are planned */
#define NOBODY	0xffff

/* Which threads exit before the end of a program */
enum leave {
	LEAVE_NOBODY,	/* no thread exits early */
	LEAVE_LANES,	/* some lanes exit early, but never the first lane of a warp */
	LEAVE_WARPS,	/* some lanes exit early, and some warps exit as a whole */
	LEAVE_ANYBODY,	/* any lane may exit early, and any warp as a whole */
};

/* What determines a random program */
struct program {
	uint64_t seed;		/* seed of all random choices in the program */
	uint32_t ctas;		/* number of CTAs */
	uint32_t threads;	/* number of threads in each CTA */
	/* Number of instructions that a thread executes if it does not exit early */
	uint32_t length;
	enum leave leave;	/* which threads exit early */
	/*
	 * Bit n is set if the warps n, n + 64, n + 128 ... are converged; the warps of all CTAs are
	 * numbered from 0.
	 */
	uint64_t converged;
	bool enforced;	/* the cluster enforces the rules that are enforced only on request */
};

static inline uint32_t program_warps(const struct program *p)
{
	return (p->threads + LANES - 1) / LANES;
}

static inline uint32_t program_warp(const struct program *p, uint32_t cta, uint32_t thread)
{
	return cta * program_warps(p) + thread / LANES;
}

static inline bool program_converged(const struct program *p, uint32_t cta, uint32_t thread)
{
	return p->converged >> program_warp(p, cta, thread) % 64 & 1;
}

/* A random number that depends only on the program and the arguments. */
static inline uint64_t drawn(const struct program *p, uint32_t pc, uint32_t cta, uint32_t who,
			     uint32_t what)
{
	uint64_t state = p->seed ^ ((uint64_t)pc << 36 | (uint64_t)cta << 32 | who << 8 | what);

	return random_next(&state);
}

/* The place in the program at which the thread exits. */
static inline uint32_t program_exit(const struct program *p, uint32_t cta, uint32_t thread)
{
	uint64_t r = drawn(p, 0, cta, thread / LANES, 1);

	if (p->leave >= LEAVE_WARPS && r % 4 == 0)
		return r / 4 % p->length;
	r = drawn(p, 0, cta, thread, 2);
	if (p->leave == LEAVE_NOBODY || program_converged(p, cta, thread) || r % 4 ||
	    (p->leave != LEAVE_ANYBODY && thread % LANES == 0))
		return p->length;
	return r / 4 % p->length;
}

/* Does the source lane of the thread's shfl.sync take part in it? */
static inline bool program_reads(const struct program *p, uint32_t pc, uint32_t cta,
				 uint32_t thread, const struct drm_vsm_insn *insn)
{
	int b = insn->u.warp.b & 31, c = insn->u.warp.c & 31, seg = insn->u.warp.c >> 8 & 31;
	int lane = thread % LANES, last = (lane & seg) | (c & ~seg), from;

	if (insn->red == DRM_VSM_MODE_IDX)
		from = (lane & seg) | (b & ~seg);
	else if (insn->red == DRM_VSM_MODE_BFLY)
		from = lane ^ b;
	else
		from = insn->red == DRM_VSM_MODE_UP ? lane - b : lane + b;
	if (insn->red == DRM_VSM_MODE_UP ? from < last : from > last)
		from = lane;
	thread += from - lane;
	return insn->u.warp.membermask >> from & 1 && thread < p->threads &&
	       program_exit(p, cta, thread) > pc;
}

/* The warp operation of a thread. The lanes of its warp are divided among up to four masks. */
static inline struct drm_vsm_insn program_warp_op(const struct program *p, uint32_t pc,
						  uint32_t cta, uint32_t thread)
{
	static const uint8_t reds[] = {
		RED(ADD, U32), RED(ADD, S32), RED(MIN, U32), RED(MIN, S32), RED(MAX, U32),
		RED(MAX, S32), RED(AND, B32), RED(OR, B32), RED(XOR, B32),
	};
	uint64_t masks = drawn(p, pc, cta, thread / LANES, 3), mine = drawn(p, pc, cta, thread, 4);
	uint32_t lane = thread % LANES, one = masks >> 63 ? ~0U : (uint32_t)masks;
	uint32_t two = masks >> 62 & 1 ? ~0U : (uint32_t)(masks >> 16), mask;
	struct drm_vsm_insn insn;
	uint64_t r;

	mask = (one >> lane & 1 ? one : ~one) & (two >> lane & 1 ? two : ~two);
	/* All lanes of a mask draw the same number: they must execute the same operation. */
	r = drawn(p, pc, cta, mask % NOBODY, 5);
	switch (r % 6) {
	case 0:
		/* The lanes have at most four different values, so that many of them match. */
		insn = i_match(DRM_VSM_MODE_ANY + (r >> 8) % 2, DRM_VSM_TYPE_B32,
			       r >> 9 & 1 ? 7 : mine & 1, mask);
		if (r >> 10 & 1) {
			insn.red = DRM_VSM_MODE(DRM_VSM_MODE_ANY + (r >> 8) % 2, DRM_VSM_TYPE_B64);
			insn.u.warp.a |= (mine >> 1 & 1) << 32;
		}
		return insn;
	case 1:
		return i_warp_sync(mask);
	case 2:
		return i_elect(mask);
	case 3:
		return i_vote(DRM_VSM_MODE_ANY + (r >> 8) % 4, r >> 10 & 1 ? r >> 11 & 1 : mine & 1,
			      mask);
	case 4:
		insn = i_shfl(DRM_VSM_MODE_UP + (r >> 8) % 4, mine >> 32, mine, mine >> 16, mask);
		if (r >> 10 & 1)	/* c with the segments that real programs use */
			insn.u.warp.c = (insn.red == DRM_VSM_MODE_UP ? 0 : 0x1f) |
					(32 - (1 << (r >> 11) % 6)) << 8;
		if (p->enforced && !program_reads(p, pc, cta, thread, &insn)) {
			insn.u.warp.b = 0;
			insn.u.warp.c = 0x1f1f;
		}
		return insn;
	default:
		insn = i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32,
			       r >> 16 & 1 ? mine : mine % 5 - 2, mask);
		insn.red = reds[(r >> 8) % sizeof(reds)];
		return insn;
	}
}

/*
 * Returns @insn in one of its equivalent forms. The random number @how selects the form. A barrier
 * with a count is another one if warps exit: it waits for their arrivals.
 */
static inline struct drm_vsm_insn program_spell(const struct program *p, struct drm_vsm_insn insn,
						uint64_t how)
{
	if (!(insn.mods & DRM_VSM_MOD_COUNT) && how & 1 && p->leave < LEAVE_WARPS) {
		insn.mods |= DRM_VSM_MOD_COUNT;
		insn.u.barrier.count = program_warps(p) * LANES;
	}
	return how & 2 ? i_aligned(insn) : insn;
}

/* Does any thread of the warp exit later than at this place of the program? */
static inline bool program_warp_is_left(const struct program *p, uint32_t pc, uint32_t cta,
					uint32_t warp)
{
	uint32_t i;

	for (i = warp * LANES; i < (warp + 1) * LANES && i < p->threads; i++)
		if (program_exit(p, cta, i) > pc)
			return true;
	return false;
}

/* The barrier instruction at a place of the program. Its op is 0 if there is none at that place. */
static inline struct drm_vsm_insn program_barrier(const struct program *p, uint32_t pc,
						  uint32_t cta, uint32_t thread)
{
	uint32_t slot = pc % BLOCK, warps = program_warps(p), odd = thread / LANES % 2;
	uint64_t r = drawn(p, pc - slot, cta, NOBODY, 6);
	uint64_t how = drawn(p, pc, cta, thread / LANES, 7), mine = drawn(p, pc, cta, thread, 8);
	uint32_t id = r % 16, kind = drawn(p, pc - slot, 0, NOBODY, 9) % 9;
	struct drm_vsm_insn insn = {};

	if (kind == 0 && slot == 0) {
		insn = how & 1 ? i_cluster_arrive() : i_cluster_arrive_relaxed();
		return how & 2 ? i_aligned(insn) : insn;
	}
	if (kind == 0 && slot == 2)
		return how & 2 ? i_aligned(i_cluster_wait()) : i_cluster_wait();
	if (kind == 1 && slot == 1)
		return program_spell(p, i_barrier_sync(id), how);
	/*
	 * Warps with odd numbers are producers: they arrive and do not wait. The other warps wait
	 * until all warps have arrived. If warps may exit, at least warp 0 must wait, and the
	 * waiting warps give no count: the barrier then waits only for warps that have not exited.
	 */
	if (kind == 2 && slot == 0 && program_warp_is_left(p, pc, cta, 0))
		return program_spell(p, odd ? i_barrier_arrive(id, warps * LANES)
					    : i_barrier_sync(id), how);
	if (kind == 2 && slot == 1)
		return program_spell(p, i_barrier_sync((id + 1) % 16), how);
	if (kind == 3 && slot == 2) {
		insn = i_barrier_red(r >> 8 & 1 ? DRM_VSM_RED_POPC :
				     r >> 9 & 1 ? DRM_VSM_RED_AND : DRM_VSM_RED_OR, id,
				     r >> 10 & 1 ? r >> 11 & 1 : mine & 1);
		return program_spell(p, insn, how);
	}
	/*
	 * Even warps use one barrier, odd warps another. Each barrier waits for all of its warps.
	 */
	if (kind == 4 && slot == 0 && p->leave < LEAVE_WARPS)
		return program_spell(p, i_barrier_sync_n((id + odd) % 16,
							 (warps + !odd) / 2 * LANES), how);
	if (kind == 4 && slot == 1)
		return program_spell(p, i_barrier_sync((id + 2) % 16), how);
	/* Even warps arrive twice before all warps wait. Each of these arrivals counts. */
	if (kind == 5 && slot < 3 && p->leave < LEAVE_WARPS && !p->enforced &&
	    (slot == 2 || !odd)) {
		uint32_t count = (warps + 2 * ((warps + 1) / 2)) * LANES;

		return program_spell(p, slot < 2 ? i_barrier_arrive(id, count)
						 : i_barrier_sync_n(id, count), how);
	}
	return insn;
}

/* The instruction of a thread at a place of the program. The last one of each thread is exit. */
static inline struct drm_vsm_insn program_insn(const struct program *p, uint32_t pc, uint32_t cta,
					       uint32_t thread)
{
	struct drm_vsm_insn insn;

	if (pc >= program_exit(p, cta, thread))
		return i_exit();
	insn = program_barrier(p, pc, cta, thread);
	return insn.op ? insn : program_warp_op(p, pc, cta, thread);
}

#endif
