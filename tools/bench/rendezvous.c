// SPDX-License-Identifier: MIT
/*
 * A phase in which many tasks meet: of match.sync, of a named barrier, of a pthread_barrier.
 */
#include <pthread.h>

#include "bench.h"

#define CREW	32	/* at most */
#define TURNS	200

/* Members 1 and up meet as often as member 0 does, which is measured. */
static struct crew {
	void (*meet)(unsigned int member);
	unsigned int turns;
	struct drm_vsm_insn insns[CREW];
	struct drm_vsm_exec args[CREW];
	pthread_barrier_t barrier;
} crew;

static void *play_member(void *arg)
{
	unsigned int i;

	for (i = 0; i < crew.turns; i++)
		crew.meet((uintptr_t)arg);
	return NULL;
}

static void play_first(unsigned int n)
{
	while (n--)
		crew.meet(0);
}

static double meet_once(unsigned int members)
{
	pthread_t threads[CREW];
	double took;
	uintptr_t i;
	int ret;

	crew.turns = TURNS / 4 + 1 + TURNS * REPEATS;
	for (i = 1; i < members; i++) {
		ret = pthread_create(&threads[i], NULL, play_member, (void *)i);
		if (ret)
			die("pthread_create", ret);
	}
	took = measure(play_first, TURNS);
	for (i = 1; i < members; i++)
		pthread_join(threads[i], NULL);
	return took;
}

/* In which order a crew's tasks run stays as it began: one crew alone says little. */
static double meet(unsigned int members)
{
	double took[REPEATS];
	unsigned int i;

	for (i = 0; i < REPEATS; i++)
		took[i] = meet_once(members);
	return median(took);
}

static void meet_exec(unsigned int member)
{
	exec(&crew.args[member]);
}

static void meet_pthread(unsigned int member)
{
	(void)member;
	pthread_barrier_wait(&crew.barrier);
}

static void init_member(unsigned int member, struct drm_vsm_insn insn, unsigned int thread,
			uint32_t flags)
{
	crew.insns[member] = insn;
	crew.args[member] = exec_of(&crew.insns[member], 1);
	crew.args[member].thread = thread;
	crew.args[member].flags = flags;
}

/* @lanes tasks, each a thread of a warp, which match values that all differ. */
double meet_by_match(unsigned int lanes)
{
	unsigned int i;

	crew.meet = meet_exec;
	for (i = 0; i < lanes; i++)
		init_member(i, vsm_insn_match_any_sync_b32(i, ~0U >> (32 - lanes)), i, 0);
	return meet(lanes);
}

/* @warps tasks, each a warp. */
double meet_by_barrier(unsigned int warps)
{
	unsigned int i;

	crew.meet = meet_exec;
	for (i = 0; i < warps; i++)
		init_member(i, vsm_insn_barrier_sync_count(1, 32 * warps, VSM_ALIGNED), 32 * i,
			    DRM_VSM_EXEC_WARP);
	return meet(warps);
}

double meet_by_pthread(unsigned int threads)
{
	double took;

	crew.meet = meet_pthread;
	pthread_barrier_init(&crew.barrier, NULL, threads);
	took = meet(threads);
	pthread_barrier_destroy(&crew.barrier);
	return took;
}
