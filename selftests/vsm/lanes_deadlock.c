// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deadlocks of threads that wait in wait sets (DRM_VSM_WAIT_NO_LIMIT).
 */
#include "lanes.h"

#define MBAR	0x40
#define OTHER	0x48
#define NO_LIMIT DRM_VSM_WAIT_NO_LIMIT

FIXTURE(armed_deadlock)
{
	struct cluster c;	/* one CTA of two warps */
	struct buffer b;
	int set;
};

FIXTURE_SETUP(armed_deadlock)
{
	ASSERT_EQ(0, rv_create(&self->c, 1, 64, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, self->c.fd, 4096));
	self->set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_LE(0, self->set);
	ASSERT_EQ(0, exec_one(&self->c, i_init(MBAR, 2)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(OTHER, 1)));
}

FIXTURE_TEARDOWN(armed_deadlock)
{
	close(self->set);
	munmap(self->b.map, self->b.size);
	rv_destroy(&self->c);
}

static int arm_phase(const struct cluster *c, int set, uint32_t first, uint32_t mask,
		     uint32_t flags)
{
	return arm_lanes(c, set, first, mask, flags, i_try_parity_unlimited(MBAR, 0));
}

/* Gives the driver time for a wrong alarm. */
static bool stays_armed(int set)
{
	int i;

	for (i = 0; i < 20; i++)
		sched_yield();
	poll(NULL, 0, 2);
	return no_record(set);
}

#define EXPECT_DEADLOCK(first) \
	EXPECT_EQ(1, record_is(self->set, first, DRM_VSM_WAIT_FAULT, FAULT(DEADLOCK)))

/* The last warp that waits completes the deadlock. An event names each wait. */
TEST_F(armed_deadlock, of_all_warps)
{
	struct drm_vsm_event_fault event;
	uint64_t before;

	ASSERT_EQ(0, exec_one(&self->c, i_arrive(MBAR)));
	before = word(&self->c, MBAR);
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 0, ALL_LANES, NO_LIMIT));
	EXPECT_TRUE(stays_armed(self->set));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 32, ALL_LANES, NO_LIMIT));
	EXPECT_DEADLOCK(0);
	EXPECT_DEADLOCK(32);
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(FAULT(DEADLOCK), event.insn.fault);
	EXPECT_EQ(DRM_VSM_SOURCE_ARM, event.source);
	EXPECT_EQ(64, event.insn.info);
	EXPECT_EQ(before, event.insn.result);
	EXPECT_EQ(OP(MBARRIER_TRY_WAIT), event.insn.op);
	EXPECT_EQ(0, event.thread);
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(32, event.thread);
	/* The cluster goes on. */
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 0, ALL_LANES, NO_LIMIT));
	ASSERT_EQ(0, exec_same(&self->c, 32, 0x1, i_arrive(MBAR), NULL, NULL));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 1));
}

TEST_F(armed_deadlock, of_single_threads_and_converged_warps)
{
	struct drm_vsm_insn insn = i_try_parity_unlimited(MBAR, 0);
	struct drm_vsm_wait wait = wait_lanes(&self->c, 32, 0, NO_LIMIT, &insn);
	uint32_t i;

	wait.flags = DRM_VSM_WAIT_INSN | DRM_VSM_WAIT_WARP | NO_LIMIT;
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	wait.flags = DRM_VSM_WAIT_INSN | NO_LIMIT;
	for (i = 0; i < LANES; i++) {
		EXPECT_TRUE(no_record(self->set));
		wait.addr = DRM_VSM_WAIT_THREAD(0, i);
		wait.user_data = 32;
		ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	}
	for (i = 0; i <= LANES; i++)
		EXPECT_DEADLOCK(32);
}

/* A thread that does not wait may still wake the others. When it exits, nobody can. */
TEST_F(armed_deadlock, none_while_a_thread_runs)
{
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 0, ALL_LANES, NO_LIMIT));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 32, 0x7fffffff, NO_LIMIT));
	EXPECT_TRUE(stays_armed(self->set));
	ASSERT_EQ(0, exec_same(&self->c, 32, 0x80000000, i_exit(), NULL, NULL));
	EXPECT_DEADLOCK(0);
	EXPECT_DEADLOCK(32);
}

/* The lanes of a rendezvous have not arrived after a deadlock, and can begin anew. */
TEST_F(armed_deadlock, takes_arrivals_back)
{
	ASSERT_EQ(0, exec_same(&self->c, 0, ALL_LANES, i_barrier_sync(0), NULL, &(uint32_t){ 0 }));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, ALL_LANES, NO_LIMIT, i_barrier_sync(0)));
	ASSERT_EQ(0, exec_same(&self->c, 32, 0xff, i_warp_sync(0x1ff), NULL, &(uint32_t){ 0 }));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 32, 0xff, NO_LIMIT, i_warp_sync(0x1ff)));
	EXPECT_TRUE(stays_armed(self->set));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 32, 0xffffff00, NO_LIMIT));
	EXPECT_EQ(1, record_is(self->set, 32, DRM_VSM_WAIT_FAULT, FAULT(DEADLOCK)));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_FAULT, FAULT(DEADLOCK)));
	EXPECT_EQ(1, record_is(self->set, 32, DRM_VSM_WAIT_FAULT, FAULT(DEADLOCK)));
	ASSERT_EQ(2, all_warps_rendezvous(&self->c) / 32);
	ASSERT_EQ(0, exec_same(&self->c, 0, ALL_LANES, i_barrier_sync(0), NULL, &(uint32_t){ 0 }));
	ASSERT_EQ(0, exec_same(&self->c, 32, ALL_LANES, i_barrier_sync(0), NULL, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 0, ALL_LANES, i_barrier_sync(0), NULL, NULL));
}

/* Armed lanes wait at a barrier with a count for a warp that has exited. */
TEST_F(armed_deadlock, of_a_barrier_with_a_count)
{
	const struct drm_vsm_insn sync = i_barrier_sync_n(0, 64);
	struct drm_vsm_event_fault event;

	ASSERT_EQ(0, exec_same(&self->c, 32, ALL_LANES, i_exit(), NULL, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 0, ALL_LANES, sync, NULL, &(uint32_t){ 0 }));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, ALL_LANES, NO_LIMIT, sync));
	EXPECT_DEADLOCK(0);
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(FAULT(DEADLOCK), event.insn.fault);
	EXPECT_EQ(2ULL << 32 | 32, event.insn.result);
	EXPECT_EQ(32, event.insn.info);
}

/* Lanes in a rendezvous count as suspended only while they wait. */
TEST_F(armed_deadlock, none_for_lanes_that_are_not_armed)
{
	ASSERT_EQ(0, exec_same(&self->c, 0, ALL_LANES, i_barrier_sync(0), NULL, &(uint32_t){ 0 }));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 32, ALL_LANES, NO_LIMIT));
	EXPECT_TRUE(stays_armed(self->set));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, ALL_LANES, NO_LIMIT, i_barrier_sync(0)));
	EXPECT_DEADLOCK(32);
	EXPECT_DEADLOCK(0);
}

/* A wait without NO_LIMIT may resume a thread, until it is cancelled. */
TEST_F(armed_deadlock, none_while_another_wait_is_armed)
{
	struct drm_vsm_insn insn = i_try_parity_unlimited(OTHER, 0);
	struct drm_vsm_wait wait = wait_lanes(&self->c, 0, 0x1, 0, &insn);

	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 0, ALL_LANES, NO_LIMIT));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 32, ALL_LANES, NO_LIMIT));
	EXPECT_TRUE(stays_armed(self->set));
	ASSERT_EQ(0, waitset_cancel(self->c.fd, self->set, wait.id));
	EXPECT_DEADLOCK(0);
	EXPECT_DEADLOCK(32);
}

TEST_F(armed_deadlock, none_while_a_copy_is_in_flight)
{
	struct drm_vsm_insn insns[2] = {
		i_arrive_expect_tx(OTHER, 16), i_g2s(0x400, OTHER, 16, self->b.handle, 0),
	};
	struct drm_vsm_insn wait = i_try_parity_unlimited(OTHER, 0);

	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_stream(&self->c, 0, insns, 2, NULL));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 0, ALL_LANES, NO_LIMIT));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 32, ALL_LANES, NO_LIMIT, wait));
	EXPECT_TRUE(stays_armed(self->set));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	EXPECT_EQ(1, record_is(self->set, 32, DRM_VSM_WAIT_COMPLETE, 1));
	EXPECT_TRUE(stays_armed(self->set));
	ASSERT_EQ(0, exec_same(&self->c, 32, 0x3, i_arrive(MBAR), NULL, NULL));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 1));
}

/* A wait for groups is never part of a deadlock: the copies that it waits for are in flight. */
TEST_F(armed_deadlock, none_while_groups_are_in_flight)
{
	struct drm_vsm_insn copy = i_cp_async(0x400, 16, self->b.handle, 0);

	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0x1, &copy, NULL));
	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, ALL_LANES, NO_LIMIT, i_wait_all()));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 32, ALL_LANES, NO_LIMIT));
	EXPECT_TRUE(stays_armed(self->set));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 0));
	EXPECT_TRUE(stays_armed(self->set));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 0, ALL_LANES, NO_LIMIT));
	EXPECT_DEADLOCK(32);
	EXPECT_DEADLOCK(0);
}

/* Cancelled waits, and those of a closed set, do not count. */
TEST_F(armed_deadlock, none_after_a_wait_is_cancelled)
{
	struct drm_vsm_insn insn = i_try_parity_unlimited(MBAR, 0);
	struct drm_vsm_wait wait = wait_lanes(&self->c, 0, ALL_LANES, NO_LIMIT, &insn);
	int set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);

	ASSERT_LE(0, set);
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	ASSERT_EQ(0, waitset_cancel(self->c.fd, self->set, wait.id));
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
	close(set);
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 32, ALL_LANES, NO_LIMIT));
	EXPECT_TRUE(stays_armed(self->set));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 0, ALL_LANES, NO_LIMIT));
	EXPECT_DEADLOCK(32);
	EXPECT_DEADLOCK(0);
}

/* Another task plays a thread that waits, and executes exit. Its wait ends, and it still counts. */
TEST_F(armed_deadlock, found_after_a_waiting_thread_has_exited)
{
	struct drm_vsm_insn other = i_try_parity_unlimited(OTHER, 0);

	ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, 0x1, NO_LIMIT, other));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 0, ~1U, NO_LIMIT));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x1, i_exit(), NULL, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 32, 0x1, i_arrive(OTHER), NULL, NULL));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_COMPLETE, 1));
	EXPECT_TRUE(stays_armed(self->set));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 32, ALL_LANES, NO_LIMIT));
	EXPECT_DEADLOCK(0);
	EXPECT_DEADLOCK(32);
}

/* Tasks in EXEC and armed waits are in one deadlock. */
TEST_F(armed_deadlock, with_tasks)
{
	struct drm_vsm_insn insn = i_try_parity_unlimited(MBAR, 0);
	struct exec_thread t;

	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 32, DRM_VSM_EXEC_NO_LIMIT | DRM_VSM_EXEC_WARP,
			       &insn, 1));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 0, ALL_LANES, NO_LIMIT));
	EXPECT_EQ(-EPROTO, exec_thread_join(&t));
	EXPECT_EQ(FAULT(DEADLOCK), insn.fault);
	EXPECT_DEADLOCK(0);
}

/* A task that plays a warp with a wait set */
struct player_set {
	const struct cluster *c;
	uint32_t first;	/* first thread of the warp */
	int rounds;	/* number of rounds */
	int error;	/* error of the task */
	pthread_t task;
};

/*
 * In each round both warps arrive, wait without a time limit, and meet at a barrier. One of them
 * may run at any time, so that there is never a deadlock.
 */
static void *play_rounds(void *arg)
{
	struct player_set *p = arg;
	int i, set = waitset_create(p->c->fd, DRM_VSM_WAITSET_NONBLOCK);
	uint32_t suspended;

	for (i = 0; i < p->rounds && !p->error; i++) {
		p->error = exec_same(p->c, p->first, 0x1, i_arrive(MBAR), NULL, NULL) ?:
			   arm_lanes(p->c, set, p->first, ALL_LANES, NO_LIMIT,
				     i_try_parity_unlimited(MBAR, i % 2));
		if (!p->error &&
		    record_is(set, p->first, DRM_VSM_WAIT_COMPLETE, 1) != 1)
			p->error = -EBADMSG;
		if (!p->error)
			p->error = exec_same(p->c, p->first, ALL_LANES, i_barrier_sync(1), NULL,
					     &suspended);
		if (p->error || !suspended)
			continue;
		p->error = arm_lanes(p->c, set, p->first, ALL_LANES, NO_LIMIT, i_barrier_sync(1));
		if (!p->error && record_is(set, p->first, DRM_VSM_WAIT_COMPLETE, 0) != 1)
			p->error = -EBADMSG;
		if (!p->error)
			p->error = exec_same(p->c, p->first, ~1U, i_barrier_sync(1), NULL, NULL);
	}
	close(set);
	return NULL;
}

TEST_F(armed_deadlock, none_in_a_program_that_goes_on)
{
	struct player_set players[2] = { 0 };
	int i;

	for (i = 0; i < 2; i++) {
		players[i].c = &self->c;
		players[i].first = 32 * i;
		players[i].rounds = repeat(2000);
		ASSERT_EQ(0, pthread_create(&players[i].task, NULL, play_rounds, &players[i]));
	}
	for (i = 0; i < 2; i++) {
		pthread_join(players[i].task, NULL);
		EXPECT_EQ(0, players[i].error);
	}
	EXPECT_EQ(0, poll_events(self->c.fd));
}

/* --- two waits of one thread ----------------------------------------------------------- */

/* What ends the first of two waits of the same threads. The other wait goes on. */
FIXTURE_VARIANT(armed_deadlock_twice)
{
	enum { COMPLETED, CANCELLED, CLOSED } end;
	bool rendezvous;	/* the other wait is a rendezvous */
};

FIXTURE(armed_deadlock_twice)
{
	struct cluster c;	/* one CTA of two warps */
	int set;
	int other;
};

FIXTURE_VARIANT_ADD(armed_deadlock_twice, completed) { .end = COMPLETED };
FIXTURE_VARIANT_ADD(armed_deadlock_twice, cancelled) { .end = CANCELLED };
FIXTURE_VARIANT_ADD(armed_deadlock_twice, closed) { .end = CLOSED };

FIXTURE_VARIANT_ADD(armed_deadlock_twice, cancelled_beside_a_rendezvous) {
	.end = CANCELLED, .rendezvous = true,
};

FIXTURE_SETUP(armed_deadlock_twice)
{
	ASSERT_EQ(0, rv_create(&self->c, 1, 64, DRM_VSM_POLICY_STRICT));
	self->set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_LE(0, self->set);
	self->other = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_LE(0, self->other);
	ASSERT_EQ(0, exec_one(&self->c, i_init(MBAR, 2)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(OTHER, 1)));
}

FIXTURE_TEARDOWN(armed_deadlock_twice)
{
	close(self->set);
	close(self->other);
	rv_destroy(&self->c);
}

/* Threads count as suspended until the last of their waits has ended. */
TEST_F(armed_deadlock_twice, found_when_one_of_two_waits_has_ended)
{
	struct drm_vsm_insn insn = i_try_parity_unlimited(OTHER, 0);
	struct drm_vsm_wait wait = wait_lanes(&self->c, 0, 0xffff, NO_LIMIT, &insn);

	ASSERT_EQ(0, waitset_arm(self->c.fd, self->other, &wait, 1, NULL));
	if (variant->rendezvous) {
		ASSERT_EQ(0, exec_same(&self->c, 0, ALL_LANES, i_barrier_sync(0), NULL,
				       &(uint32_t){ 0 }));
		ASSERT_EQ(0, arm_lanes(&self->c, self->set, 0, ALL_LANES, NO_LIMIT,
				       i_barrier_sync(0)));
	} else {
		ASSERT_EQ(0, arm_phase(&self->c, self->set, 0, ALL_LANES, NO_LIMIT));
	}
	if (variant->end == COMPLETED) {
		ASSERT_EQ(0, exec_same(&self->c, 32, 0x1, i_arrive(OTHER), NULL, NULL));
		EXPECT_EQ(1, record_is(self->other, 0, DRM_VSM_WAIT_COMPLETE, 1));
	} else if (variant->end == CANCELLED) {
		ASSERT_EQ(0, waitset_cancel(self->c.fd, self->other, wait.id));
	} else {
		close(self->other);
		self->other = -1;
	}
	EXPECT_TRUE(stays_armed(self->set));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 32, ALL_LANES, NO_LIMIT));
	EXPECT_EQ(1, record_is(self->set, variant->rendezvous ? 32 : 0, DRM_VSM_WAIT_FAULT,
			       FAULT(DEADLOCK)));
	EXPECT_EQ(1, record_is(self->set, variant->rendezvous ? 0 : 32, DRM_VSM_WAIT_FAULT,
			       FAULT(DEADLOCK)));
	/* No thread counts any more. */
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 0, ALL_LANES, NO_LIMIT));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 32, ~1U, NO_LIMIT));
	EXPECT_TRUE(stays_armed(self->set));
}

/* When the last wait has ended, the threads run. */
TEST_F(armed_deadlock_twice, none_when_both_have_ended)
{
	struct drm_vsm_insn insn = i_try_parity_unlimited(OTHER, 0);
	struct drm_vsm_wait wait = wait_lanes(&self->c, 0, ALL_LANES, NO_LIMIT, &insn);
	uint64_t id;
	int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, waitset_arm(self->c.fd, self->other, &wait, 1, NULL));
		id = wait.id;
		ASSERT_EQ(0, waitset_arm(self->c.fd, self->other, &wait, 1, NULL));
		ASSERT_EQ(0, waitset_cancel(self->c.fd, self->other, i % 2 ? id : wait.id));
		ASSERT_EQ(0, waitset_cancel(self->c.fd, self->other, i % 2 ? wait.id : id));
	}
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 32, ALL_LANES, NO_LIMIT));
	EXPECT_TRUE(stays_armed(self->set));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 0, ALL_LANES, NO_LIMIT));
	EXPECT_EQ(1, record_is(self->set, 32, DRM_VSM_WAIT_FAULT, FAULT(DEADLOCK)));
	EXPECT_EQ(1, record_is(self->set, 0, DRM_VSM_WAIT_FAULT, FAULT(DEADLOCK)));
}

/* A thread that has exited counts once, although it waits twice. */
TEST_F(armed_deadlock_twice, found_once_threads_of_two_waits_have_exited)
{
	struct drm_vsm_insn insn = i_try_parity_unlimited(OTHER, 0);
	struct drm_vsm_wait wait = wait_lanes(&self->c, 0, ALL_LANES, NO_LIMIT, &insn);
	int i;

	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, waitset_arm(self->c.fd, self->other, &wait, 1, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x3, i_exit(), NULL, NULL));
	ASSERT_EQ(0, waitset_cancel(self->c.fd, self->other, wait.id));
	ASSERT_EQ(0, arm_phase(&self->c, self->set, 32, ~3U, NO_LIMIT));
	ASSERT_EQ(0, exec_same(&self->c, 32, 0x1, i_exit(), NULL, NULL));
	EXPECT_TRUE(stays_armed(self->set));
	ASSERT_EQ(0, exec_same(&self->c, 32, 0x2, i_exit(), NULL, NULL));
	EXPECT_EQ(1, record_is(self->set, 32, DRM_VSM_WAIT_FAULT, FAULT(DEADLOCK)));
	EXPECT_EQ(1, record_is(self->other, 0, DRM_VSM_WAIT_FAULT, FAULT(DEADLOCK)));
}

TEST_HARNESS_MAIN
