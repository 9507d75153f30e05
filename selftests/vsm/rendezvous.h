/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers that execute streams of threads in a rendezvous, in this task or in tasks of their own.
 */
#ifndef VSM_TEST_RENDEZVOUS_H
#define VSM_TEST_RENDEZVOUS_H

#include "vsm_test.h"

#define LANES		32
#define ALL_LANES	0xffffffffU
#define MAX_TASKS	256	/* largest number of tasks in struct tasks */

/*
 * Creates a cluster with windows of 4 KiB on a new device file. The cluster enforces the rules in
 * @enforce.
 */
static inline int rv_create_enforcing(struct cluster *c, uint32_t ctas, uint32_t threads,
				      uint32_t policy, uint64_t enforce)
{
	struct drm_vsm_cluster_create args = {
		.ctas = ctas, .threads = threads, .smem_bytes = 4096, .policy = policy,
		.enforce = enforce,
	};

	return cluster_open(c, &args);
}

static inline int rv_create(struct cluster *c, uint32_t ctas, uint32_t threads, uint32_t policy)
{
	return rv_create_enforcing(c, ctas, threads, policy, 0);
}

static inline void rv_destroy(struct cluster *c)
{
	cluster_close(c);
}

/* Returns whether EXEC has set its outputs as for a stream that has retired. */
static inline bool stream_retired(const struct drm_vsm_exec *args)
{
	const struct drm_vsm_insn *insn = (struct drm_vsm_insn *)(uintptr_t)args->insns;
	uint32_t i;

	for (i = 0; i < args->count; i++)
		if (insn[i].fault || insn[i].info)
			return false;
	return args->retired == args->count && !args->deadline;
}

/* --- threads executed by this task ------------------------------------------ */

/* Executes a stream as a thread. Returns 0 if the whole stream has retired. */
static inline int play(const struct cluster *c, uint32_t cta, uint32_t thread, uint32_t flags,
		       struct drm_vsm_insn *insns, uint32_t count)
{
	struct drm_vsm_exec args = play_args(c, cta, thread, flags, insns, count);
	int ret;

	insn_poison(insns, count);
	ret = vsm_exec(c->fd, &args);
	return !ret && !stream_retired(&args) ? -EBADMSG : ret;
}

/* Executes one instruction. Stores its result in @result, unless that is NULL. */
static inline int play_one(const struct cluster *c, uint32_t cta, uint32_t thread, uint32_t flags,
			   struct drm_vsm_insn insn, uint64_t *result)
{
	int ret = play(c, cta, thread, flags, &insn, 1);

	if (result)
		*result = insn.result;
	return ret;
}

/*
 * Executes an instruction that must be refused without a result. Returns its fault, or a negative
 * errno. Stores the info of the fault in @info; if that is NULL, the info must be 0.
 */
static inline int play_fault(const struct cluster *c, uint32_t cta, uint32_t thread,
			     uint32_t flags, struct drm_vsm_insn insn, uint32_t *info)
{
	struct drm_vsm_exec args = play_args(c, cta, thread, flags, &insn, 1);
	int ret;

	insn_poison(&insn, 1);
	ret = vsm_exec(c->fd, &args);
	if (info)
		*info = insn.info;
	if (ret != -EPROTO)
		return ret ? ret : -EISCONN;
	if (args.retired || args.deadline || !insn.fault || insn.result || (!info && insn.info))
		return -EBADMSG;
	return insn.fault;
}

/* --- threads executed by tasks of their own ----------------------------------- */

/* Gives the driver some time. Returns whether the task is still suspended then. */
static inline bool stays_suspended(struct exec_thread *t)
{
	int i;

	for (i = 0; i < 20; i++)
		sched_yield();
	poll(NULL, 0, 2);
	return !atomic_load(&t->done);
}

/* Waits for the task. Returns 0 if its whole stream has retired. */
static inline int rv_join(struct exec_thread *t)
{
	int ret = exec_thread_join(t);

	return !ret && !stream_retired(&t->args) ? -EBADMSG : ret;
}

/* Tasks that execute threads at the same time */
struct tasks {
	const struct cluster *c;
	uint32_t count;	/* number of tasks that have been started and not joined */
	struct exec_thread tasks[MAX_TASKS];
};

/* Starts a task that executes a stream as a thread. */
static inline int tasks_add(struct tasks *crowd, const struct cluster *c, uint32_t cta,
			    uint32_t thread, uint32_t flags, struct drm_vsm_insn *insns,
			    uint32_t count)
{
	if (crowd->count == MAX_TASKS)
		return -ENOSPC;
	return exec_thread_run(&crowd->tasks[crowd->count++], c,
			       play_args(c, cta, thread, flags, insns, count));
}

/* Waits for all tasks. Returns 0 if all streams have retired, otherwise the error of one task. */
static inline int tasks_join(struct tasks *crowd)
{
	int ret = 0;

	while (crowd->count) {
		int error = rv_join(&crowd->tasks[--crowd->count]);

		if (error)
			ret = error;
	}
	return ret;
}

/*
 * Starts a task for each bit b of @mask. The task executes @insns[b] as thread @first + b of a CTA.
 */
static inline int tasks_add_lanes(struct tasks *crowd, const struct cluster *c, uint32_t cta,
				  uint32_t first, uint32_t mask, struct drm_vsm_insn *insns)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && i < LANES; i++)
		if (mask >> i & 1)
			ret = tasks_add(crowd, c, cta, first + i, 0, &insns[i], 1);
	return ret;
}

/* Executes one instruction in each lane of @mask. Returns 0 if all these instructions complete. */
static inline int play_lanes(const struct cluster *c, uint32_t cta, uint32_t first, uint32_t mask,
			     struct drm_vsm_insn *insns)
{
	struct tasks crowd = { 0 };
	int ret = tasks_add_lanes(&crowd, c, cta, first, mask, insns);

	return ret ? ret : tasks_join(&crowd);
}

/*
 * Executes every kind of barrier with all warps of a cluster of one CTA, at most three. No thread
 * may be in another instruction. Returns how many threads took part, or a negative errno.
 */
static inline int all_warps_rendezvous(const struct cluster *c)
{
	struct drm_vsm_object_info info = { .handle = c->handle };
	struct drm_vsm_insn insns[3][5];
	struct tasks crowd = { 0 };
	int i, warps, ret = vsm_ioctl(c->fd, DRM_IOCTL_VSM_OBJECT_INFO, &info);

	warps = (info.threads + LANES - 1) / LANES;
	for (i = 0; !ret && i < warps; i++) {
		insns[i][0] = i_warp_sync(ALL_LANES);
		insns[i][1] = i_barrier_red(DRM_VSM_RED_POPC, 0, true);
		insns[i][2] = i_barrier_red(DRM_VSM_RED_POPC, 5, true);
		insns[i][3] = i_cluster_arrive();
		insns[i][4] = i_cluster_wait();
		ret = tasks_add(&crowd, c, 0, i * LANES, DRM_VSM_EXEC_WARP, insns[i], 5);
	}
	ret = ret ? ret : tasks_join(&crowd);
	for (i = 0; !ret && i < warps; i++)
		if (insns[i][1].result != insns[0][1].result ||
		    insns[i][2].result != insns[0][1].result)
			ret = -EBADMSG;
	return ret ? ret : insns[0][1].result;
}

/* --- programs that tasks execute -------------------------------------------------- */

/* A task that executes a program as a thread or as a warp */
struct player {
	const struct cluster *c;
	uint32_t cta;
	uint32_t thread;
	uint32_t flags;	/* flags of EXEC */
	int error;	/* error of an instruction, or the error that the program has found */
	/* The program. After an error its instructions are skipped. */
	void (*program)(struct player *player);
	pthread_t task;
};

/* Executes an instruction of a program. Returns its result, or 0 if it has failed. */
static inline uint64_t player_do(struct player *player, struct drm_vsm_insn insn)
{
	uint64_t result = 0;

	if (!player->error)
		player->error = play_one(player->c, player->cta, player->thread, player->flags,
					 insn, &result);
	return result;
}

static inline void player_expect(struct player *player, bool right)
{
	if (!right && !player->error)
		player->error = -EBADMSG;
}

static inline void *player_main(void *arg)
{
	struct player *player = arg;

	player->program(player);
	/* After an error the thread exits: otherwise other threads would wait for it for ever. */
	if (player->error)
		play_one(player->c, player->cta, player->thread, player->flags, i_exit(), NULL);
	return NULL;
}

/* Runs all players at the same time. Returns 0, or the error of one of them. */
static inline int players_run(struct player *players, uint32_t count)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < count; i++) {
		players[i].error = 0;
		if (pthread_create(&players[i].task, NULL, player_main, &players[i]))
			return -EAGAIN;
	}
	for (i = 0; i < count; i++) {
		pthread_join(players[i].task, NULL);
		if (players[i].error)
			ret = players[i].error;
	}
	return ret;
}

/* --- one rendezvous of each kind, for tests that apply to all kinds ------------------- */

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
	bool counted;	/* an exit does not release it: it is a barrier with a count */
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
		{ .name = "barrier.sync with a count", .counted = true,
		  .insn = i_barrier_sync_n(15, 64),
		  .others = { { 0, 1, i_barrier_sync_n(15, 64) },
			      { 0, 32, i_barrier_arrive(15, 64) } } },
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
