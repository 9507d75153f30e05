/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One of each instruction that threads meet in: for what is true of all of them.
 */
#ifndef VSM_TEST_RENDEZVOUS_KINDS_H
#define VSM_TEST_RENDEZVOUS_KINDS_H

#include "rendezvous.h"

/**
 * struct guest - Somebody whom a thread meets
 * @cta: CTA
 * @thread: Thread
 * @insn: What he executes, op 0 behind the last
 * @result: What he gets
 */
struct guest {
	uint32_t cta;
	uint32_t thread;
	struct drm_vsm_insn insn;
	uint64_t result;
};

#define GUESTS 3

/**
 * struct meeting - What thread 0 of a village meets others in
 * @name: The instruction
 * @late: All but two of them have something to do first: thread 0 and its neighbour have
 *	arrived at the barrier of the cluster
 * @insn: What it executes
 * @result: What it gets
 * @alone: What it gets if the others exit
 * @guests: Those whom it waits for
 */
struct meeting {
	const char *name;
	bool late;
	struct drm_vsm_insn insn;
	uint64_t result;
	uint64_t alone;
	struct guest guests[GUESTS];
};

/* Lanes 0 and 1. */
#define PAIR(text, mine, got, then, other, theirs) \
	{ .name = text, .insn = mine, .result = got, .alone = then, \
	  .guests = { { 0, 1, other, theirs } } }

#define ALONG(text, same, ...) \
	{ .name = text, .insn = same, .guests = { { 0, 1, same }, __VA_ARGS__ } }

#define MEETING_KINDS 13

/* All of them, and one without a name behind the last. */
static inline const struct meeting *meetings(void)
{
	static struct meeting all[MEETING_KINDS + 1];
	const struct meeting list[] = {
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
		  .guests = { { 0, 1, i_barrier_red(DRM_VSM_RED_POPC, 3, false), 2 },
			      { 0, 32, i_barrier_red(DRM_VSM_RED_POPC, 3, true), 2 } } },
		ALONG("barrier.cluster.arrive", i_cluster_arrive()),
		{ .name = "barrier.cluster.wait", .late = true, .insn = i_cluster_wait(),
		  .guests = { { 0, 1, i_cluster_wait() }, { 0, 32, i_cluster_arrive() },
			      { 1, 0, i_cluster_arrive_relaxed() } } },
	};

	_Static_assert(ITEMS(list) == MEETING_KINDS, "all have a place");
	memcpy(all, list, sizeof(list));
	return all;
}

/* Threads first to last - 1 of a CTA exit. */
static inline int exit_all(const struct cluster *c, uint32_t cta, uint32_t first, uint32_t last)
{
	int ret = 0;

	for (; first < last && !ret; first++)
		ret = play_one(c, cta, first, 0, i_exit(), NULL);
	return ret;
}

/*
 * A cluster in which few are left who could meet: threads 0 and 1 of CTA 0, thread 32, which
 * is a warp of its own, and thread 0 of CTA 1.
 */
static inline int village_create(struct cluster *c, const struct meeting *m, uint32_t policy)
{
	struct drm_vsm_insn arrive[2] = { i_cluster_arrive(), i_cluster_arrive() };
	int ret = meet_create(c, 2, 33, policy);

	if (!ret)
		ret = exit_all(c, 0, 2, 32);
	if (!ret)
		ret = exit_all(c, 1, 1, 33);
	return !ret && m->late ? play_lanes(c, 0, 0, 3, arrive) : ret;
}

/* The others do what thread 0 waits for: 0 if they have gone on, as they should. */
static inline int guests_come(const struct cluster *c, const struct meeting *m)
{
	struct drm_vsm_insn insns[GUESTS];
	struct crowd crowd = { 0 };
	int i, ret = 0;

	for (i = 0; i < GUESTS && m->guests[i].insn.op && !ret; i++) {
		insns[i] = m->guests[i].insn;
		ret = crowd_add(&crowd, c, m->guests[i].cta, m->guests[i].thread, 0, &insns[i], 1);
	}
	if (!ret)
		ret = crowd_join(&crowd);
	while (i-- && !ret)
		if (insns[i].result != m->guests[i].result)
			ret = -EBADMSG;
	return ret;
}

#endif
