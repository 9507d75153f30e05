// SPDX-License-Identifier: MIT
/*
 * One function for each operation that threads meet in, and exit.
 */
#include "internal.h"

static int meet(const struct vsm_thread *thread, struct drm_vsm_insn insn)
{
	return vsm_execute(thread, insn, NULL);
}

static int meet_for_word(const struct vsm_thread *thread, struct drm_vsm_insn insn, uint32_t *d)
{
	uint64_t result;
	int err = vsm_execute(thread, insn, &result);

	if (!err)
		*d = (uint32_t)result;
	return err;
}

static int meet_for_answer(const struct vsm_thread *thread, struct drm_vsm_insn insn, bool *p)
{
	uint64_t result;
	int err = vsm_execute(thread, insn, &result);

	if (!err)
		*p = result;
	return err;
}

/* d|p, each of which may be _. */
static int meet_for_both(const struct vsm_thread *thread, struct drm_vsm_insn insn, uint32_t *d,
			 bool *p)
{
	uint64_t result;
	int err = vsm_execute(thread, insn, &result);

	if (!err && d)
		*d = (uint32_t)result;
	if (!err && p)
		*p = result & DRM_VSM_RESULT_PRED;
	return err;
}

int vsm_thread_match_any_sync_b32(const struct vsm_thread *thread, uint32_t a,
				  uint32_t membermask, uint32_t *d)
{
	return meet_for_word(thread, vsm_prep_match_any_sync_b32(a, membermask), d);
}

int vsm_thread_match_any_sync_b64(const struct vsm_thread *thread, uint64_t a,
				  uint32_t membermask, uint32_t *d)
{
	return meet_for_word(thread, vsm_prep_match_any_sync_b64(a, membermask), d);
}

int vsm_thread_match_all_sync_b32(const struct vsm_thread *thread, uint32_t a,
				  uint32_t membermask, uint32_t *d, bool *p)
{
	return meet_for_both(thread, vsm_prep_match_all_sync_b32(a, membermask), d, p);
}

int vsm_thread_match_all_sync_b64(const struct vsm_thread *thread, uint64_t a,
				  uint32_t membermask, uint32_t *d, bool *p)
{
	return meet_for_both(thread, vsm_prep_match_all_sync_b64(a, membermask), d, p);
}

int vsm_thread_bar_warp_sync(const struct vsm_thread *thread, uint32_t membermask)
{
	return meet(thread, vsm_prep_bar_warp_sync(membermask));
}

int vsm_thread_elect_sync(const struct vsm_thread *thread, uint32_t membermask, uint32_t *d,
			  bool *p)
{
	return meet_for_both(thread, vsm_prep_elect_sync(membermask), d, p);
}

int vsm_thread_vote_sync(const struct vsm_thread *thread, enum drm_vsm_mode mode, bool a,
			 uint32_t membermask, bool *p)
{
	return meet_for_answer(thread, vsm_prep_vote_sync(mode, a, membermask), p);
}

int vsm_thread_vote_sync_ballot(const struct vsm_thread *thread, bool a, uint32_t membermask,
				uint32_t *d)
{
	return meet_for_word(thread, vsm_prep_vote_sync_ballot(a, membermask), d);
}

int vsm_thread_shfl_sync(const struct vsm_thread *thread, enum drm_vsm_mode mode, uint32_t a,
			 uint32_t b, uint32_t c, uint32_t membermask, uint32_t *d, bool *p)
{
	return meet_for_both(thread, vsm_prep_shfl_sync(mode, a, b, c, membermask), d, p);
}

int vsm_thread_redux_sync(const struct vsm_thread *thread, enum drm_vsm_red op,
			  enum drm_vsm_type type, uint32_t src, uint32_t membermask, uint32_t *dst)
{
	return meet_for_word(thread, vsm_prep_redux_sync(op, type, src, membermask), dst);
}

int vsm_thread_barrier_sync(const struct vsm_thread *thread, uint32_t barrier, unsigned int qual)
{
	return meet(thread, vsm_prep_barrier_sync(barrier, qual));
}

int vsm_thread_barrier_sync_count(const struct vsm_thread *thread, uint32_t barrier,
				  uint32_t count, unsigned int qual)
{
	return meet(thread, vsm_prep_barrier_sync_count(barrier, count, qual));
}

int vsm_thread_barrier_arrive(const struct vsm_thread *thread, uint32_t barrier, uint32_t count,
			      unsigned int qual)
{
	return meet(thread, vsm_prep_barrier_arrive(barrier, count, qual));
}

int vsm_thread_barrier_red(const struct vsm_thread *thread, enum drm_vsm_red op, uint32_t barrier,
			   bool pred, unsigned int qual, bool *p)
{
	return meet_for_answer(thread, vsm_prep_barrier_red(op, barrier, pred, qual), p);
}

int vsm_thread_barrier_red_count(const struct vsm_thread *thread, enum drm_vsm_red op,
				 uint32_t barrier, uint32_t count, bool pred, unsigned int qual,
				 bool *p)
{
	return meet_for_answer(thread, vsm_prep_barrier_red_count(op, barrier, count, pred, qual),
			       p);
}

int vsm_thread_barrier_red_popc(const struct vsm_thread *thread, uint32_t barrier, bool pred,
				unsigned int qual, uint32_t *d)
{
	return meet_for_word(thread, vsm_prep_barrier_red_popc(barrier, pred, qual), d);
}

int vsm_thread_barrier_red_popc_count(const struct vsm_thread *thread, uint32_t barrier,
				      uint32_t count, bool pred, unsigned int qual, uint32_t *d)
{
	return meet_for_word(thread, vsm_prep_barrier_red_popc_count(barrier, count, pred, qual),
			     d);
}

int vsm_thread_barrier_cluster_arrive(const struct vsm_thread *thread, unsigned int qual)
{
	return meet(thread, vsm_prep_barrier_cluster_arrive(qual));
}

int vsm_thread_barrier_cluster_wait(const struct vsm_thread *thread, unsigned int qual)
{
	return meet(thread, vsm_prep_barrier_cluster_wait(qual));
}

int vsm_thread_exit(const struct vsm_thread *thread)
{
	return vsm_execute(thread, vsm_prep_exit(), NULL);
}
