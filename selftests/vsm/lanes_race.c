// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lanes in a rendezvous whose waits are just ending, because it has completed or because of a
 * deadlock, while the lanes do something else; and tasks that arrive at one mbarrier.
 */
#include "lanes.h"

#define MBAR	0x40
#define NO_LIMIT DRM_VSM_WAIT_NO_LIMIT

/* --- many waits end ---------------------------------------------------------------- */

#define WARPS	32
#define LAST	((WARPS - 1) * LANES)	/* first thread of the last warp */
#define EARLY	(LAST - 1)		/* this thread is the first that is woken */

/* A task whose wait is one of the first that end */
struct early {
	const struct cluster *c;
	int set;
	atomic_int tid;	/* task id, 0 until the task runs */
	int error;	/* error of the task */
	int armed;	/* result of arming a wait for lanes whose waits end later */
	pthread_t task;
};

/* While the task can run, no other task and no worker of the kernel runs on its processor. */
static int run_first(void)
{
	const struct sched_param first = { .sched_priority = 1 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus) ||
	       sched_setscheduler(0, SCHED_FIFO, &first) ? -errno : 0;
}

static void *wake_early(void *arg)
{
	struct early *e = arg;

	e->error = run_first();
	atomic_store(&e->tid, get_tid());
	if (!e->error)
		e->error = play_one(e->c, 0, EARLY, 0, i_barrier_sync(1), NULL);
	e->armed = arm_lanes(e->c, e->set, 0, 0x3, NO_LIMIT, i_barrier_sync(1));
	return NULL;
}

/* All threads but those of the last warp, and @EARLY, wait at the barrier in a wait set. */
static int wait_each(const struct cluster *c, int set, const struct drm_vsm_insn *insn)
{
	static struct drm_vsm_wait waits[EARLY];
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && i < LAST; i += LANES)
		ret = exec_same(c, i, i + LANES < LAST ? ALL_LANES : ALL_LANES >> 1, *insn, NULL,
				&(uint32_t){ 0 });
	for (i = 0; i < EARLY; i++)
		waits[i] = wait_lanes(c, i / LANES * LANES, 1U << i % LANES, 0, insn);
	return ret ? ret : waitset_arm(c->fd, set, waits, EARLY, NULL);
}

/*
 * The last warp completes the barrier. The driver ends the waits in batches, those of the lowest
 * lanes last. The task that plays @EARLY runs between two batches. A lane whose wait has not ended
 * yet is then no more in the barrier than a lane whose wait has: no wait can be armed for it.
 */
TEST(lanes_with_a_result_are_not_in_the_rendezvous)
{
	const struct drm_vsm_insn insn = i_barrier_sync(1);
	struct drm_vsm_wait_record record;
	struct early e = { 0 };
	struct cluster c;
	cpu_set_t first;
	int i, set;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(first), &first));
	ASSERT_EQ(0, rv_create(&c, 1, WARPS * LANES, DRM_VSM_POLICY_STRICT));
	set = waitset_create(c.fd, DRM_VSM_WAITSET_NONBLOCK);
	e.c = &c;
	e.set = waitset_create(c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_EQ(0, wait_each(&c, set, &insn));
	ASSERT_EQ(0, pthread_create(&e.task, NULL, wake_early, &e));
	ASSERT_TRUE(wait_until_thread_blocked(&e.tid, SYS_ioctl));
	ASSERT_EQ(0, exec_same(&c, LAST, ALL_LANES, insn, NULL, NULL));
	pthread_join(e.task, NULL);
	EXPECT_EQ(0, e.error);
	EXPECT_EQ(-EINVAL, e.armed);
	EXPECT_TRUE(no_record(e.set));
	for (i = 0; i < EARLY; i++) {
		ASSERT_EQ(1, waitset_read(set, &record));
		EXPECT_EQ(DRM_VSM_WAIT_COMPLETE, record.status);
	}
	close(e.set);
	close(set);
	rv_destroy(&c);
}

/* --- deadlocks ----------------------------------------------------------------------- */

/* Reads two records, in any order, which both say that a deadlock has ended the wait. */
static bool two_deadlocks(int set)
{
	return record_is(set, 0, DRM_VSM_WAIT_FAULT, FAULT(DEADLOCK)) == 1 &&
	       record_is(set, 0, DRM_VSM_WAIT_FAULT, FAULT(DEADLOCK)) == 1;
}

/*
 * All threads are suspended. One wait is armed after the deadlock was found, and before the driver
 * has ended the other waits: it is not part of the deadlock. Returns whether that is so. If the
 * driver ends the waits earlier, on another processor, there is no such wait.
 */
static bool outlive_a_deadlock(const struct cluster *c, int set, int *error)
{
	struct drm_vsm_insn meet = i_warp_sync(0x1f);
	struct drm_vsm_wait waits[] = {
		wait_lanes(c, 0, 0x7, NO_LIMIT, &meet), wait_lanes(c, 0, 0x6, NO_LIMIT, &meet),
	};
	int ret;

	*error = exec_same(c, 0, 0x7, meet, NULL, &(uint32_t){ 0 }) ?:
		 arm_lanes(c, set, 0, ~0x7U, NO_LIMIT, i_try_parity_unlimited(MBAR, 0));
	if (*error)
		return false;
	ret = waitset_arm(c->fd, set, waits, 2, NULL);
	if (ret != -EINVAL)
		*error = ret;
	if (!two_deadlocks(set))
		*error = -EBADMSG;
	return !ret;
}

/*
 * The first deadlock has taken lanes 0 and 2 out of their rendezvous, although a wait for lanes 1
 * and 2 goes on. Lane 2 then executes something else. The next deadlock ends the wait. It must not
 * take lane 2 out of the other instruction.
 */
TEST(a_deadlock_takes_back_only_the_instruction_of_its_wait)
{
	struct cluster c;
	int set, error = 0, tries = 0;
	uint32_t suspended;

	ASSERT_EQ(0, rv_create(&c, 1, LANES, DRM_VSM_POLICY_STRICT));
	set = waitset_create(c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_EQ(0, exec_one(&c, i_init(MBAR, 1)));
	ASSERT_EQ(0, run_first());
	while (!outlive_a_deadlock(&c, set, &error) && !error && ++tries < 10000)
		;
	ASSERT_EQ(0, error);
	ASSERT_GT(10000, tries);
	ASSERT_EQ(0, exec_same(&c, 0, 0x4, i_warp_sync(0x24), NULL, &suspended));
	ASSERT_EQ(0x4, suspended);
	ASSERT_EQ(0, arm_lanes(&c, set, 0, ALL_LANES, NO_LIMIT, i_try_parity_unlimited(MBAR, 0)));
	ASSERT_TRUE(two_deadlocks(set));
	ASSERT_EQ(0, exec_same(&c, 0, 0x20, i_warp_sync(0x24), NULL, &suspended));
	EXPECT_EQ(0, suspended);
	ASSERT_EQ(0, exec_same(&c, 0, 0x4, i_warp_sync(0x24), NULL, &suspended));
	EXPECT_EQ(0, suspended);
	/* Lane 1 has left its instruction. */
	ASSERT_EQ(0, exec_same(&c, 0, 0x1f, i_warp_sync(0x1f), NULL, NULL));
	close(set);
	rv_destroy(&c);
}

/* --- arrives ------------------------------------------------------------------------- */

#define TASKS	4
#define COUNT	((1 << 20) - 1)	/* the largest count of an mbarrier */

/* A task whose lanes arrive at an mbarrier */
struct arriver {
	const struct cluster *c;
	uint32_t n;	/* Number of the task. Tasks 0 and 1 play the same lanes. */
	int rounds;	/* number of rounds */
	bool bytes;	/* the task also announces bytes, and completes them */
	int error;	/* error of the task */
	pthread_t task;
};

static void *arrive(void *arg)
{
	struct arriver *a = arg;
	uint64_t results[LANES];
	uint32_t first = a->n / 2 * LANES;
	int i, lane;

	for (i = 0; i < a->rounds && !a->error; i++) {
		if (a->bytes)
			a->error = exec_same(a->c, first, ALL_LANES, i_expect_tx(MBAR, 16), NULL,
					     NULL) ?:
				   exec_same(a->c, first, ALL_LANES, i_complete_tx(MBAR, 16), NULL,
					     NULL);
		if (!a->error)
			a->error = exec_same(a->c, first, ALL_LANES, i_arrive(MBAR), results, NULL);
		/* Each lane arrives after the one before it. */
		for (lane = 1; lane < LANES && !a->error; lane++)
			if (vsm_mbarrier_pending(VSM_LAYOUT_SM_90, results[lane]) >=
			    vsm_mbarrier_pending(VSM_LAYOUT_SM_90, results[lane - 1]))
				a->error = -EBADMSG;
	}
	return NULL;
}

/* No arrival is lost or counted twice, although other tasks change the word all the time. */
TEST(arrives_of_lanes_are_counted_once)
{
	struct arriver tasks[TASKS];
	struct cluster c;
	int i, rounds = repeat(1000);

	ASSERT_EQ(0, rv_create(&c, 1, 64, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&c, i_init(MBAR, COUNT)));
	for (i = 0; i < TASKS; i++) {
		tasks[i] = (struct arriver){ .c = &c, .n = i, .rounds = rounds, .bytes = i == 3 };
		ASSERT_EQ(0, pthread_create(&tasks[i].task, NULL, arrive, &tasks[i]));
	}
	for (i = 0; i < TASKS; i++) {
		pthread_join(tasks[i].task, NULL);
		EXPECT_EQ(0, tasks[i].error);
	}
	EXPECT_EQ(COUNT - TASKS * LANES * rounds,
		  vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(&c, MBAR)));
	EXPECT_EQ(0, vsm_mbarrier_tx(VSM_LAYOUT_SM_90, word(&c, MBAR)));
	EXPECT_EQ(0, poll_events(c.fd));
	rv_destroy(&c);
}

/* --- the count of suspended threads ----------------------------------------------------- */

#define OTHER	0x48
#define RUNS	63	/* this thread never waits, so that there is no deadlock */

/* A task that arms and ends waits of the threads of two warps */
struct waiter {
	const struct cluster *c;
	uint32_t n;	/* number of the task */
	int rounds;	/* number of rounds */
	int error;	/* error of the task */
	pthread_t task;
};

/* Arms a wait of random lanes. Cancels every second one, and leaves the others to their set. */
static int arm_some(const struct waiter *w, int set, uint64_t *seed)
{
	struct drm_vsm_insn insn = i_try_parity_unlimited(random_next(seed) % 2 ? MBAR : OTHER,
							  random_next(seed) % 2);
	uint32_t first = random_next(seed) % 2 * LANES, mask = random_next(seed) | 1;
	struct drm_vsm_wait wait;
	int ret;

	if (first)
		mask &= ALL_LANES >> 1;
	wait = wait_lanes(w->c, first, mask, NO_LIMIT, &insn);
	ret = waitset_arm(w->c->fd, set, &wait, 1, NULL);
	if (ret || random_next(seed) % 2)
		return ret;
	ret = waitset_cancel(w->c->fd, set, wait.id);
	return ret == -ENOENT ? 0 : ret;
}

/* Tasks 0 and 1 use wait sets, the others suspend as the same threads. */
static void *wait_often(void *arg)
{
	struct waiter *w = arg;
	uint64_t seed = w->n + 1;
	int i, set = -1;

	for (i = 0; i < w->rounds && !w->error; i++) {
		if (w->n < 2) {
			if (i % 8 == 0) {
				close(set);
				set = waitset_create(w->c->fd, DRM_VSM_WAITSET_NONBLOCK);
			}
			w->error = arm_some(w, set, &seed);
			continue;
		}
		w->error = play_one(w->c, 0, random_next(&seed) % RUNS,
				    DRM_VSM_EXEC_NO_LIMIT, i_try_parity_unlimited(MBAR, i % 2),
				    NULL);
		if (w->error == -EINTR)
			w->error = 0;
	}
	close(set);
	return NULL;
}

/*
 * Waits of the same threads begin and end all the time, in every way. Afterwards no thread counts
 * as suspended, and each counts once when all wait again.
 */
TEST(waits_that_end_leave_no_thread_suspended)
{
	struct sigaction action = { .sa_handler = nothing };
	struct waiter tasks[TASKS] = { 0 };
	uint64_t seed = 1;
	struct cluster c;
	int i, set;

	sigaction(SIGUSR1, &action, NULL);
	ASSERT_EQ(0, rv_create(&c, 1, 64, DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, exec_one(&c, i_init(MBAR, 1)));
	ASSERT_EQ(0, exec_one(&c, i_init(OTHER, 1)));
	for (i = 0; i < TASKS; i++) {
		tasks[i].c = &c;
		tasks[i].n = i;
		tasks[i].rounds = repeat(4000);
		ASSERT_EQ(0, pthread_create(&tasks[i].task, NULL, wait_often, &tasks[i]));
	}
	for (i = 0; i < TASKS; i++) {
		while (pthread_tryjoin_np(tasks[i].task, NULL)) {
			pthread_kill(tasks[i].task, SIGUSR1);
			exec_one(&c, i_sink(i_arrive(random_next(&seed) % 2 ? MBAR : OTHER)));
		}
		EXPECT_EQ(0, tasks[i].error);
	}
	EXPECT_EQ(0, poll_events(c.fd));

	set = waitset_create(c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_EQ(0, exec_one(&c, i_inval(MBAR)));
	ASSERT_EQ(0, exec_one(&c, i_init(MBAR, 1)));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, arm_lanes(&c, set, i * LANES, i ? ALL_LANES >> 1 : ALL_LANES, NO_LIMIT,
				       i_try_parity_unlimited(MBAR, 0)));
		poll(NULL, 0, 2);
		EXPECT_TRUE(no_record(set));
	}
	ASSERT_EQ(0, arm_lanes(&c, set, LANES, 1U << (RUNS - LANES), NO_LIMIT,
			       i_try_parity_unlimited(MBAR, 0)));
	EXPECT_EQ(1, record_is(set, 0, DRM_VSM_WAIT_FAULT, FAULT(DEADLOCK)));
	EXPECT_EQ(1, record_is(set, LANES, DRM_VSM_WAIT_FAULT, FAULT(DEADLOCK)));
	EXPECT_EQ(1, record_is(set, LANES, DRM_VSM_WAIT_FAULT, FAULT(DEADLOCK)));
	close(set);
	rv_destroy(&c);
}

TEST_HARNESS_MAIN
