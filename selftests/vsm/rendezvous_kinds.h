/* SPDX-License-Identifier: GPL-2.0-only */
/* One rendezvous of each kind, for tests that apply to all kinds. */
#ifndef VSM_TEST_RENDEZVOUS_KINDS_H
#define VSM_TEST_RENDEZVOUS_KINDS_H

#include "rendezvous.h"

/* Another thread in the rendezvous */
struct participant {
	uint32_t cta;
	uint32_t thread;	/* its number in the CTA */
	/* Instruction that it executes. In the element after the last participant, the op is 0. */
	struct drm_vsm_insn insn;
	uint64_t result;	/* result of the instruction */
};

#define MAX_OTHERS 3

/* A rendezvous of thread 0 of a small cluster with other threads */
struct rv_kind {
	const char *name;			/* name of the instruction */
	/* Thread 0 and its neighbour have arrived at the barrier of the cluster before */
	bool late;
	struct drm_vsm_insn insn;		/* instruction of thread 0 */
	uint64_t result;			/* result that thread 0 gets */
	uint64_t alone;	/* result that thread 0 gets if the other threads exit */
	struct participant others[MAX_OTHERS];	/* threads for which thread 0 waits */
};

/* Makes a rendezvous of lanes 0 and 1. */
#define PAIR(text, mine, got, then, other, theirs) \
	{ .name = text, .insn = mine, .result = got, .alone = then, \
	  .others = { { 0, 1, other, theirs } } }

#define ALONG(text, same, ...) \
	{ .name = text, .insn = same, .others = { { 0, 1, same }, __VA_ARGS__ } }

#define RV_KINDS 13

/* Returns an array of all kinds. The element after the last one has no name. */
static inline const struct rv_kind *rv_kinds(void)
{
	static struct rv_kind all[RV_KINDS + 1];
	const struct rv_kind list[] = {
		PAIR("match.any", i_match_any(7, 3), 3, 1, i_match_any(7, 3), 3),
		PAIR("match.all",
		     i_match(DRM_VSM_MODE_ALL, DRM_VSM_TYPE_B64, 1ULL << 40, 3), PRED | 3, PRED | 1,
		     i_match(DRM_VSM_MODE_ALL, DRM_VSM_TYPE_B64, 1ULL << 40, 3), PRED | 3),
		ALONG("bar.warp.sync", i_warp_sync(3)),
		PAIR("elect", i_elect(3), PRED, PRED, i_elect(3), 0),
		PAIR("vote", i_vote(DRM_VSM_MODE_BALLOT, true, 3), 3, 1,
		     i_vote(DRM_VSM_MODE_BALLOT, true, 3), 3),
		PAIR("shfl", i_shfl(DRM_VSM_MODE_IDX, 5, 1, 0x1f, 3), PRED | 9, PRED | 5,
		     i_shfl(DRM_VSM_MODE_IDX, 9, 0, 0x1f, 3), PRED | 5),
		PAIR("redux", i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 5, 3), 14, 5,
		     i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 9, 3), 14),
		ALONG("barrier.sync", i_barrier_sync(3), { 0, 32, i_aligned(i_barrier_sync(3)) }),
		ALONG("barrier.sync with a count", i_barrier_sync_n(15, 64),
		      { 0, 32, i_barrier_arrive(15, 64) }),
		ALONG("barrier.arrive", i_barrier_arrive(0, 64)),
		{ .name = "barrier.red", .insn = i_barrier_red(DRM_VSM_RED_POPC, 3, true),
		  .result = 2, .alone = 1,
		  .others = { { 0, 1, i_barrier_red(DRM_VSM_RED_POPC, 3, false), 2 },
			      { 0, 32, i_barrier_red(DRM_VSM_RED_POPC, 3, true), 2 } } },
		ALONG("barrier.cluster.arrive", i_cluster_arrive()),
		{ .name = "barrier.cluster.wait", .late = true, .insn = i_cluster_wait(),
		  .others = { { 0, 1, i_cluster_wait() }, { 0, 32, i_cluster_arrive() },
			      { 1, 0, i_cluster_arrive_relaxed() } } },
	};

	_Static_assert(ITEMS(list) == RV_KINDS, "all have a place");
	memcpy(all, list, sizeof(list));
	return all;
}

/* Makes threads @first to @last - 1 of a CTA exit. */
static inline int exit_all(const struct cluster *c, uint32_t cta, uint32_t first, uint32_t last)
{
	int ret = 0;

	for (; first < last && !ret; first++)
		ret = play_one(c, cta, first, 0, i_exit(), NULL);
	return ret;
}

/*
 * Creates a cluster in which only four threads have not exited: threads 0 and 1 of CTA 0, its
 * thread 32, which is a warp of its own, and thread 0 of CTA 1.
 */
static inline int small_cluster_create(struct cluster *c, const struct rv_kind *m, uint32_t policy)
{
	struct drm_vsm_insn arrive[2] = { i_cluster_arrive(), i_cluster_arrive() };
	int ret = rv_create(c, 2, 33, policy);

	if (!ret)
		ret = exit_all(c, 0, 2, 32);
	if (!ret)
		ret = exit_all(c, 1, 1, 33);
	return !ret && m->late ? play_lanes(c, 0, 0, 3, arrive) : ret;
}

/*
 * Lets the threads for which thread 0 waits execute their instructions. Returns 0 if the results
 * are right.
 */
static inline int others_execute(const struct cluster *c, const struct rv_kind *m)
{
	struct drm_vsm_insn insns[MAX_OTHERS];
	struct tasks crowd = { 0 };
	int i, ret = 0;

	for (i = 0; i < MAX_OTHERS && m->others[i].insn.op && !ret; i++) {
		insns[i] = m->others[i].insn;
		ret = tasks_add(&crowd, c, m->others[i].cta, m->others[i].thread, 0, &insns[i], 1);
	}
	if (!ret)
		ret = tasks_join(&crowd);
	while (i-- && !ret)
		if (insns[i].result != m->others[i].result)
			ret = -EBADMSG;
	return ret;
}

#endif
