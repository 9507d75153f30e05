// SPDX-License-Identifier: GPL-2.0-only
/*
 * DEADLOCK in a rendezvous: all threads wait without a time limit, in a rendezvous or for a phase.
 * The driver finds the deadlock when the last thread is suspended or exits, never before. It takes
 * back the arrivals of the threads whose waits it ends.
 */
#include "rendezvous.h"

#define A(cta) AT(cta, 0x40)	/* its phase never completes by itself */
#define B(cta) AT(cta, 0x48)
#define DATA AT(0, 0x400)
#define NO_LIMIT DRM_VSM_EXEC_NO_LIMIT
#define WARP DRM_VSM_EXEC_WARP

FIXTURE(deadlock)
{
	struct cluster c;	/* a small cluster in most tests */
	struct exec_thread t[4];
	struct drm_vsm_insn insns[4];
};

static const uint32_t homes[4][2] = { { 0, 0 }, { 0, 1 }, { 0, 32 }, { 1, 0 } };

FIXTURE_SETUP(deadlock)
{
	catch_signal(SIGUSR1, nothing, 0);
}

FIXTURE_TEARDOWN(deadlock) {}

static int make_small_cluster(struct cluster *c, const struct rv_kind *m, uint32_t policy)
{
	static const struct rv_kind none;
	int ret = small_cluster_create(c, m ? m : &none, policy);
	uint32_t cta;

	for (cta = 0; cta < 2 && !ret; cta++) {
		struct drm_vsm_insn insns[] = { i_init(A(cta), 1), i_init(B(cta), 1), i_fence() };

		ret = play(c, cta, 0, 0, insns, ITEMS(insns));
	}
	return ret;
}

#define SMALL_CLUSTER(m) ASSERT_EQ(0, make_small_cluster(&self->c, m, DRM_VSM_POLICY_STRICT))

/*
 * Starts a task that executes the instruction as thread @n of the small cluster, without a time
 * limit.
 */
#define START(n, insn) \
	do { \
		self->insns[n] = insn; \
		ASSERT_EQ(0, exec_thread_run(&self->t[n], &self->c, \
					     play_args(&self->c, homes[n][0], homes[n][1], \
						       NO_LIMIT, &self->insns[n], 1))); \
	} while (0)

/* Like START(). The thread must stay suspended, because there is no deadlock yet. */
#define SUSPEND(n, insn) \
	do { \
		START(n, insn); \
		ASSERT_TRUE(exec_thread_suspended(&self->t[n])); \
		EXPECT_TRUE(stays_suspended(&self->t[n])); \
	} while (0)

/*
 * Expects that the task's stream ended with DEADLOCK, and that this ended the waits of @threads
 * threads.
 */
static void expect_deadlock(struct __test_metadata *_metadata, struct exec_thread *t,
			    uint32_t threads)
{
	struct drm_vsm_insn *insn;

	EXPECT_EQ(-EPROTO, exec_thread_join(t));
	insn = (struct drm_vsm_insn *)(uintptr_t)t->args.insns + t->args.retired;
	EXPECT_EQ(0, t->args.deadline);
	EXPECT_EQ(DRM_VSM_FAULT_DEADLOCK, insn->fault);
	EXPECT_EQ(threads, insn->info);
	/* A test of its own looks at the results of named barriers. */
	if (insn->op < DRM_VSM_OP_BARRIER_SYNC || insn->op > DRM_VSM_OP_BARRIER_RED)
		EXPECT_EQ(insn->op < DRM_VSM_OP_MATCH_SYNC ?
			  word(t->cluster, insn->u.mbarrier.addr) : 0, insn->result);
}

#define EXPECT_DEADLOCK(n, threads) expect_deadlock(_metadata, &self->t[n], threads)

static struct drm_vsm_insn never(int n)
{
	return i_try_parity_unlimited(A(homes[n][0]), 0);
}

/* Threads 2 and 3 wait for something else than the others: all four threads deadlock. */
#define DEADLOCK() \
	do { \
		SUSPEND(2, never(2)); \
		START(3, never(3)); \
		for (i = 0; i < 4; i++) \
			EXPECT_DEADLOCK(i, 4); \
	} while (0)

/* Reads the events of a DEADLOCK: one for each thread of @mask, and no others. */
static void expect_events(struct __test_metadata *_metadata, int fd, uint32_t mask)
{
	struct drm_vsm_event_fault event;
	int i;

	while (mask) {
		ASSERT_EQ(1, fault_read(fd, &event));
		EXPECT_EQ(DRM_VSM_FAULT_DEADLOCK, event.insn.fault);
		EXPECT_EQ(DRM_VSM_SOURCE_EXEC, event.source);
		for (i = 0; i < 4; i++)
			if (homes[i][0] == event.cta && homes[i][1] == event.thread)
				break;
		ASSERT_TRUE(i < 4 && mask >> i & 1);
		mask &= ~(1 << i);
	}
	EXPECT_EQ(0, poll_events(fd));
}

/* --- a deadlock is found -------------------------------------------------------- */

TEST_F(deadlock, in_each_rendezvous_when_the_others_wait_for_something_else)
{
	const struct rv_kind *m;
	int i, last;

	for (m = rv_kinds(); m->name; m++) {
		last = (m - rv_kinds()) % 4;
		SMALL_CLUSTER(m);
		for (i = 0; i < 4; i++)
			if (i != last)
				SUSPEND(i, i ? never(i) : m->insn);
		START(last, last ? never(last) : m->insn);
		for (i = 0; i < 4; i++)
			EXPECT_DEADLOCK(i, 4);
		expect_events(_metadata, self->c.fd, 0xf);
		/* DEADLOCK has taken back all arrivals: the rendezvous works as if it were new. */
		ASSERT_TRUE(suspend_as(&self->t[0], &self->c, 0, 0, 0, self->insns, 1))
			TH_LOG("%s", m->name);
		EXPECT_TRUE(stays_suspended(&self->t[0])) TH_LOG("%s", m->name);
		ASSERT_EQ(0, others_execute(&self->c, m)) TH_LOG("%s", m->name);
		EXPECT_EQ(0, rv_join(&self->t[0]));
		EXPECT_EQ(m->result, self->insns[0].result) TH_LOG("%s", m->name);
		EXPECT_EQ(0, poll_events(self->c.fd));
		rv_destroy(&self->c);
	}
}

TEST_F(deadlock, in_each_rendezvous_when_the_last_other_exits)
{
	const struct rv_kind *m;
	int i;

	for (m = rv_kinds(); m->name; m++) {
		int leaver = 2 + (m - rv_kinds()) % 2;

		SMALL_CLUSTER(m);
		for (i = 0; i < 4; i++)
			if (i != leaver)
				SUSPEND(i, i ? never(i) : m->insn);
		EXPECT_EQ(0, poll_events(self->c.fd));
		ASSERT_EQ(0, play_one(&self->c, homes[leaver][0], homes[leaver][1], 0, i_exit(),
				      NULL));
		for (i = 0; i < 4; i++)
			if (i != leaver)
				EXPECT_DEADLOCK(i, 3);
		expect_events(_metadata, self->c.fd, 0xf & ~(1 << leaver));
		rv_destroy(&self->c);
	}
}

TEST_F(deadlock, of_all_kinds_at_once)
{
	struct drm_vsm_insn match[LANES], shfl[LANES], lane_8 = never(0);
	struct drm_vsm_insn sync = i_barrier_sync(0), red = i_barrier_red(DRM_VSM_RED_AND, 3, true);
	struct drm_vsm_insn cluster[2] = { i_cluster_arrive(), i_cluster_wait() };
	enum { LANE_8, MATCH, SHFL, SYNC, CLUSTER, RED, PARTS };
	static struct tasks crowd;
	const uint32_t live = 2 * 64 - 7;
	int last, part, i;

	for (i = 0; i < LANES; i++) {
		match[i] = i_match_any(i / 2, 0x1ff);
		/* Lane 8 reads its own value. */
		shfl[i] = i_shfl(DRM_VSM_MODE_BFLY, i, i != 8, 0x1f, 0xffff0100);
	}
	/* All kinds of waits at the same time. In each round another kind waits last. */
	for (last = 0; last < PARTS; last++) {
		ASSERT_EQ(0, rv_create(&self->c, 2, 64, DRM_VSM_POLICY_STRICT));
		ASSERT_EQ(0, exec_one(&self->c, i_init(A(0), 1)));
		ASSERT_EQ(0, exit_all(&self->c, 0, 9, 16));
		crowd.count = 0;
		for (part = last + 1; part <= last + PARTS; part++) {
			int ret = 0, first = crowd.count;

			switch (part % PARTS) {
			case LANE_8:
				ret = tasks_add(&crowd, &self->c, 0, 8, NO_LIMIT, &lane_8, 1);
				break;
			case MATCH:
				ret = tasks_add_lanes(&crowd, &self->c, 0, 0, 0xff, match);
				break;
			case SHFL:
				ret = tasks_add_lanes(&crowd, &self->c, 0, 0, 0xffff0000, shfl);
				break;
			case SYNC:
				ret = tasks_add(&crowd, &self->c, 0, 40, WARP, &sync, 1);
				break;
			case CLUSTER:
				ret = tasks_add(&crowd, &self->c, 1, 0, WARP, cluster, 2);
				break;
			case RED:
				ret = tasks_add(&crowd, &self->c, 1, 63, WARP, &red, 1);
				break;
			}
			ASSERT_EQ(0, ret);
			if (part == last + PARTS)
				break;
			for (i = first; i < crowd.count; i++)
				ASSERT_TRUE(exec_thread_suspended(&crowd.tasks[i]));
			EXPECT_TRUE(stays_suspended(&crowd.tasks[first]));
			EXPECT_EQ(0, poll_events(self->c.fd));
		}
		for (i = 0; i < crowd.count; i++)
			expect_deadlock(_metadata, &crowd.tasks[i], live);
		fault_drain(self->c.fd);

		/* Now lane 8 takes part, and the same program completes. */
		crowd.count = 0;
		ASSERT_EQ(0, tasks_add_lanes(&crowd, &self->c, 0, 0, 0x1ff, match));
		EXPECT_EQ(0, tasks_join(&crowd));
		ASSERT_EQ(0, tasks_add_lanes(&crowd, &self->c, 0, 0, 0xffff0100, shfl));
		ASSERT_EQ(0, exec_thread_run(&self->t[0], &self->c,
					     play_args(&self->c, 0, 40, WARP, &sync, 1)));
		EXPECT_EQ(0, tasks_join(&crowd));
		ASSERT_EQ(0, play_one(&self->c, 0, 0, WARP, sync, NULL));
		EXPECT_EQ(0, rv_join(&self->t[0]));
		rv_destroy(&self->c);
	}
}

TEST_F(deadlock, of_converged_warps)
{
	struct drm_vsm_insn insns[2];
	struct exec_thread t[2];
	struct cluster c;
	int i, round;

	for (round = 0; round < 4; round++) {
		ASSERT_EQ(0, rv_create(&c, 1, 60, DRM_VSM_POLICY_STRICT));
		ASSERT_EQ(0, exec_one(&c, i_init(A(0), 1)));
		if (round == 3)
			ASSERT_EQ(0, exit_all(&c, 0, 10, 20));
		insns[0] = i_barrier_sync(0);
		insns[1] = round % 2 ? i_barrier_sync(1) : i_try_parity_unlimited(A(0), 0);
		for (i = 0; i < 2; i++) {
			/* The second task's wait makes this a deadlock. */
			ASSERT_EQ(0, exec_thread_run(&t[i], &c,
						     play_args(&c, 0, LANES * i, WARP | NO_LIMIT,
							       &insns[i], 1)));
			if (!i)
				ASSERT_TRUE(exec_thread_suspended(&t[0]));
		}
		for (i = 0; i < 2; i++)
			expect_deadlock(_metadata, &t[i], round == 3 ? 50 : 60);
		fault_drain(c.fd);
		/* Now both warps use the same barrier. */
		insns[1] = i_barrier_sync(0);
		ASSERT_TRUE(suspend_as(&t[0], &c, 0, 0, WARP, &insns[0], 1));
		EXPECT_EQ(0, play_one(&c, 0, 50, WARP, insns[1], NULL));
		EXPECT_EQ(0, rv_join(&t[0]));
		rv_destroy(&c);
	}
}

TEST_F(deadlock, under_the_hardware_policy_too)
{
	int i;

	ASSERT_EQ(0, make_small_cluster(&self->c, NULL, DRM_VSM_POLICY_HARDWARE));
	SUSPEND(0, i_barrier_sync(0));
	SUSPEND(1, never(1));
	SUSPEND(2, never(2));
	START(3, i_cluster_arrive());
	ASSERT_EQ(0, rv_join(&self->t[3]));
	START(3, i_cluster_wait());
	for (i = 0; i < 4; i++)
		EXPECT_DEADLOCK(i, 4);
	/* DEADLOCK is no trap: the cluster still works. */
	EXPECT_EQ(0, exec_one(&self->c, i_arrive(A(0))));
	EXPECT_EQ(1, exec_result(&self->c, i_test_parity(A(0), 0)));
	rv_destroy(&self->c);
}

/*
 * Exits do not release a barrier with a count, as on an H100: cases 22, 25, 33, 34, 36 and 37 of
 * selftests/golden/h100/cases.xz.
 */
TEST_F(deadlock, of_a_barrier_with_a_count_when_warps_exit)
{
	static const struct {
		uint32_t warps, id, count;	/* shape of the CTA, operands of the barrier */
		uint32_t waiting;		/* so many warps wait; the others exit */
	} cases[] = {
		{ 2, 1, 96, 2 }, { 2, 1, 64, 1 }, { 2, 0, 64, 1 }, { 3, 1, 64, 1 },
		{ 3, 1, 96, 2 }, { 4, 1, 64, 1 },
	};
	const uint32_t policies[] = { DRM_VSM_POLICY_STRICT, DRM_VSM_POLICY_HARDWARE };
	uint32_t i, j, round;

	for (i = 0; i < 4 * ITEMS(cases); i++) {
		const uint32_t warps = cases[i / 4].warps, waiting = cases[i / 4].waiting;
		const uint64_t exited = (1ULL << warps) - (1ULL << waiting);

		ASSERT_EQ(0, rv_create(&self->c, 1, warps * LANES, policies[i % 2]));
		for (round = 0; round < 2; round++) {
			/* The other warps exit first, or while these wait. */
			for (j = waiting; j < warps && round == i / 2 % 2; j++)
				ASSERT_EQ(0, play_one(&self->c, 0, j * LANES, WARP, i_exit(),
						      NULL));
			for (j = 0; j < waiting && !round; j++) {
				self->insns[j] = i_barrier_sync_n(cases[i / 4].id,
								  cases[i / 4].count);
				ASSERT_EQ(0, exec_thread_run(&self->t[j], &self->c,
							     play_args(&self->c, 0, j * LANES, WARP,
								       &self->insns[j], 1)));
				if (j < waiting - 1 || (i / 2 % 2 && exited))
					ASSERT_TRUE(exec_thread_suspended(&self->t[j]));
			}
		}
		/* Every warp finds the arrivals of all of them. */
		for (j = 0; j < waiting; j++) {
			expect_deadlock(_metadata, &self->t[j], waiting * LANES);
			EXPECT_EQ(exited << 32 | waiting * LANES, self->insns[j].result);
		}
		fault_drain(self->c.fd);
		/* Without a count the exits release the barrier. */
		for (j = 0; j < waiting; j++) {
			self->insns[j] = i_barrier_sync(1);
			ASSERT_EQ(0, exec_thread_run(&self->t[j], &self->c,
						     play_args(&self->c, 0, j * LANES, WARP,
							       &self->insns[j], 1)));
		}
		for (j = 0; j < waiting; j++)
			EXPECT_EQ(0, rv_join(&self->t[j]));
		rv_destroy(&self->c);
	}
}

/* Threads that have exited cannot wake the last thread, and no rendezvous waits for them. */
TEST_F(deadlock, of_the_last_thread_that_is_left)
{
	SMALL_CLUSTER(NULL);
	ASSERT_EQ(0, exit_all(&self->c, 0, 1, 2));
	ASSERT_EQ(0, exit_all(&self->c, 0, 32, 33));
	EXPECT_EQ(0, play_one(&self->c, 0, 0, NO_LIMIT, i_barrier_sync(0), NULL));
	EXPECT_EQ(0, play_one(&self->c, 0, 0, NO_LIMIT, i_warp_sync(ALL_LANES), NULL));
	SUSPEND(0, never(0));
	ASSERT_EQ(0, exit_all(&self->c, 1, 0, 1));
	EXPECT_DEADLOCK(0, 1);
	START(0, never(0));
	EXPECT_DEADLOCK(0, 1);
	EXPECT_EQ(0, play_one(&self->c, 0, 0, NO_LIMIT, i_cluster_arrive(), NULL));
	EXPECT_EQ(0, play_one(&self->c, 0, 0, NO_LIMIT, i_cluster_wait(), NULL));
	/* The last thread exits. No thread is left that could get a fault. */
	EXPECT_EQ(0, play_one(&self->c, 0, 0, 0, i_exit(), NULL));
	rv_destroy(&self->c);
}

/* Two tasks execute one thread. One of them exits while the other is suspended. */
TEST_F(deadlock, a_thread_that_exits_counts_though_a_task_is_suspended_as_it)
{
	struct drm_vsm_insn stream[] = { never(0), i_arrive(B(0)) };
	int i, end;

	for (end = 0; end < 2; end++) {
		SMALL_CLUSTER(NULL);
		ASSERT_TRUE(suspend_as(&self->t[0], &self->c, 0, 0, NO_LIMIT | (end ? WARP : 0),
				       stream, 2));
		/* In the second round a whole warp is suspended, and one of its lanes exits. */
		ASSERT_EQ(0, play_one(&self->c, 0, end, 0, i_exit(), NULL));
		ASSERT_EQ(0, play_one(&self->c, 0, 32, 0, i_arrive(A(0)), NULL));
		if (end) {
			EXPECT_EQ(0, rv_join(&self->t[0]));
			START(0, i_try_parity_unlimited(A(0), 1));
		} else {
			EXPECT_EQ(-EPROTO, exec_thread_join(&self->t[0]));
			EXPECT_EQ(1, self->t[0].args.retired);
			EXPECT_EQ(1, stream[0].result);
			EXPECT_EQ(DRM_VSM_FAULT_THREAD_EXITED, stream[1].fault);
			START(1, i_try_parity_unlimited(A(0), 1));
		}
		fault_drain(self->c.fd);
		ASSERT_TRUE(exec_thread_suspended(&self->t[!end]));
		SUSPEND(2, i_barrier_sync(0));
		START(3, never(3));
		for (i = 0; i < 4; i++)
			if (i != end)
				EXPECT_DEADLOCK(i, 3);
		rv_destroy(&self->c);
	}
}

/* --- no deadlock is found yet --------------------------------------------------- */

/* Suspends all threads except thread 0 of CTA 1, in three kinds of waits. */
#define SUSPEND_THREE() \
	do { \
		SMALL_CLUSTER(NULL); \
		SUSPEND(0, i_match_any(0, 3)); \
		SUSPEND(1, never(1)); \
		SUSPEND(2, i_barrier_sync(0)); \
	} while (0)

#define EXPECT_NONE_OF_THREE() \
	do { \
		for (i = 0; i < 3; i++) \
			EXPECT_TRUE(stays_suspended(&self->t[i])); \
		EXPECT_EQ(0, poll_events(self->c.fd)); \
	} while (0)

#define EXPECT_ALL() \
	do { \
		for (i = 0; i < 4; i++) \
			EXPECT_DEADLOCK(i, 4); \
		expect_events(_metadata, self->c.fd, 0xf); \
		rv_destroy(&self->c); \
	} while (0)

TEST_F(deadlock, none_while_a_thread_runs)
{
	int i;

	SUSPEND_THREE();
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, play_one(&self->c, 1, 0, 0, i_barrier_sync(i % 16), NULL));
	EXPECT_NONE_OF_THREE();
	START(3, never(3));
	EXPECT_ALL();
}

TEST_F(deadlock, none_while_a_wait_has_a_time_limit)
{
	struct drm_vsm_insn wait = i_try_parity(A(1), 0, 40000000);
	int i;

	SUSPEND_THREE();
	EXPECT_EQ(0, play(&self->c, 1, 0, 0, &wait, 1));
	EXPECT_EQ(0, wait.result);
	EXPECT_NONE_OF_THREE();
	START(3, never(3));
	EXPECT_ALL();
}

/* A thread whose wait a signal has interrupted can execute other instructions, at least exit. */
TEST_F(deadlock, none_while_a_thread_that_was_interrupted_stays_away)
{
	int i, round;

	for (round = 0; round < 3; round++) {
		SMALL_CLUSTER(NULL);
		ASSERT_EQ(0, play_one(&self->c, 1, 0, 0, i_cluster_arrive(), NULL));
		SUSPEND(3, round < 2 ? i_cluster_wait() : never(3));
		pthread_kill(self->t[3].thread, SIGUSR1);
		ASSERT_EQ(-EINTR, exec_thread_join(&self->t[3]));
		SUSPEND(0, i_match_any(0, 3));
		SUSPEND(1, never(1));
		SUSPEND(2, i_barrier_sync(0));
		EXPECT_NONE_OF_THREE();
		if (round) {
			START(3, self->insns[3]);
			EXPECT_ALL();
			continue;
		}
		ASSERT_EQ(0, play_one(&self->c, 1, 0, 0, i_exit(), NULL));
		for (i = 0; i < 3; i++)
			EXPECT_DEADLOCK(i, 3);
		rv_destroy(&self->c);
	}
}

TEST_F(deadlock, none_while_a_wait_is_armed)
{
	struct drm_vsm_wait_record record;
	int i, end, set;

	for (end = 0; end < 4; end++) {
		struct drm_vsm_wait wait;

		SUSPEND_THREE();
		set = waitset_create(self->c.fd, 0);
		wait = wait_parity(&self->c, B(0), 0, end == 1 ? now_ns() + 20000000 : -1, 1);
		ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
		SUSPEND(3, never(3));
		EXPECT_NONE_OF_THREE();
		switch (end) {
		case 0:
			ASSERT_EQ(0, waitset_cancel(self->c.fd, set, wait.id));
			break;
		case 1:
			ASSERT_EQ(1, waitset_read(set, &record));
			EXPECT_EQ(DRM_VSM_WAIT_EXPIRED, record.status);
			break;
		case 2:
			ASSERT_EQ(0, exec_one(&self->c, i_arrive(B(0))));
			EXPECT_NONE_OF_THREE();
			ASSERT_EQ(1, waitset_read(set, &record));
			break;
		}
		if (end == 3)
			close(set);
		EXPECT_ALL();
		if (end < 3)
			close(set);
	}
}

/*
 * A thread with an armed instruction counts as running, until the wait ends and a task executes the
 * instruction again.
 */
TEST_F(deadlock, none_while_the_instruction_of_a_thread_is_armed)
{
	struct drm_vsm_insn insn = i_cluster_wait();
	int i, end, set;

	for (end = 0; end < 3; end++) {
		struct drm_vsm_wait wait;

		SUSPEND_THREE();
		ASSERT_EQ(0, play_one(&self->c, 1, 0, 0, i_cluster_arrive(), NULL));
		set = waitset_create(self->c.fd, 0);
		wait = wait_insn(&self->c, 1, 0, 0, &insn);
		ASSERT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
		EXPECT_NONE_OF_THREE();
		if (end == 0)
			ASSERT_EQ(0, waitset_cancel(self->c.fd, set, wait.id));
		if (end == 1)
			close(set);
		if (end < 2) {
			/*
			 * No task executes the thread now. It counts as running, like a thread
			 * after a signal.
			 */
			EXPECT_NONE_OF_THREE();
			START(3, insn);
			EXPECT_ALL();
		} else {
			struct drm_vsm_wait_record record;

			/* Let the rendezvous of the armed instruction complete. */
			for (i = 0; i < 3; i++)
				ASSERT_EQ(0, pthread_kill(self->t[i].thread, SIGUSR1));
			for (i = 0; i < 3; i++)
				ASSERT_EQ(-EINTR, exec_thread_join(&self->t[i]));
			for (i = 0; i < 3; i++)
				ASSERT_EQ(0, play_one(&self->c, 0, homes[i][1], 0, i_exit(), NULL));
			ASSERT_EQ(1, waitset_read(set, &record));
			EXPECT_EQ(DRM_VSM_WAIT_COMPLETE, record.status);
			EXPECT_EQ(0, poll_events(self->c.fd));
			rv_destroy(&self->c);
		}
		if (end != 1)
			close(set);
	}
}

TEST_F(deadlock, none_while_an_operation_is_in_flight)
{
	struct buffer b;
	int i, kind;

	for (kind = 0; kind < 4; kind++) {
		struct drm_vsm_insn work;

		SUSPEND_THREE();
		ASSERT_EQ(0, buffer_create(&b, self->c.fd, 4096));
		work = kind == 0 ? i_cp_async(DATA, 8, b.handle, 0) :
		       kind == 1 ? i_cp_arrive(B(0)) : i_s2g(DATA, 16, b.handle, 0);
		ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_one(&self->c, kind < 3 ? work : i_noinc(i_cp_arrive(A(0)))));
		SUSPEND(3, never(3));
		EXPECT_NONE_OF_THREE();
		ASSERT_EQ(0, cluster_hold(&self->c, 0));
		if (kind < 3) {
			EXPECT_ALL();
		} else {
			/*
			 * The operation completes the phase that lane 1 waits for. Lane 1 then
			 * executes the instruction in which lane 0 waits.
			 */
			EXPECT_EQ(0, rv_join(&self->t[1]));
			EXPECT_TRUE(stays_suspended(&self->t[0]));
			START(1, i_match_any(0, 3));
			EXPECT_EQ(0, rv_join(&self->t[0]));
			EXPECT_EQ(0, rv_join(&self->t[1]));
			START(1, i_barrier_sync(0));
			START(0, i_barrier_sync(0));
			for (i = 0; i < 3; i++)
				EXPECT_EQ(0, rv_join(&self->t[i]));
			EXPECT_EQ(0, poll_events(self->c.fd));
			ASSERT_EQ(0, exec_at(&self->c, 1, i_arrive(A(1)), NULL));
			EXPECT_EQ(0, rv_join(&self->t[3]));
			rv_destroy(&self->c);
		}
		munmap(b.map, b.size);
	}
}

/* --- a deadlock takes arrivals back ----------------------------------------------- */

TEST_F(deadlock, votes_are_taken_back)
{
	const struct drm_vsm_insn yes = i_barrier_red(DRM_VSM_RED_POPC, 0, true);
	const struct drm_vsm_insn no = i_barrier_red(DRM_VSM_RED_POPC, 0, false);
	int i, round;

	SMALL_CLUSTER(NULL);
	for (round = 0; round < 3; round++) {
		/* One warp has arrived at the barrier. The other warp waits for a phase. */
		SUSPEND(0, yes);
		SUSPEND(1, yes);
		DEADLOCK();
		expect_events(_metadata, self->c.fd, 0xf);
	}
	/* Afterwards the threads may vote differently. */
	SUSPEND(0, no);
	SUSPEND(2, yes);
	START(1, no);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, rv_join(&self->t[i]));
		EXPECT_EQ(1, self->insns[i].result);
	}
	/* They may also use the barrier with a count, or without a reduction. */
	SUSPEND(0, i_barrier_sync_n(0, 64));
	SUSPEND(1, i_barrier_sync_n(0, 64));
	ASSERT_EQ(0, play_one(&self->c, 0, 32, 0, i_barrier_arrive(0, 64), NULL));
	EXPECT_EQ(0, rv_join(&self->t[0]));
	EXPECT_EQ(0, rv_join(&self->t[1]));
	rv_destroy(&self->c);
}

TEST_F(deadlock, an_arrival_at_the_cluster_s_barrier_stays)
{
	int i;

	SMALL_CLUSTER(rv_kinds() + RV_KINDS - 1);
	SUSPEND(0, i_cluster_wait());
	SUSPEND(1, i_cluster_wait());
	DEADLOCK();
	EXPECT_FAULT(CLUSTER_ARRIVED, play_fault(&self->c, 0, 0, 0, i_cluster_arrive(), NULL));
	ASSERT_EQ(0, play_one(&self->c, 0, 32, 0, i_cluster_arrive(), NULL));
	ASSERT_EQ(0, play_one(&self->c, 1, 0, 0, i_cluster_arrive(), NULL));
	START(0, i_cluster_wait());
	START(1, i_cluster_wait());
	EXPECT_EQ(0, rv_join(&self->t[0]));
	EXPECT_EQ(0, rv_join(&self->t[1]));
	/* A deadlock takes back an arrival for which the thread was still waiting. */
	SUSPEND(0, i_cluster_arrive());
	SUSPEND(1, never(1));
	DEADLOCK();
	EXPECT_FAULT(CLUSTER_NOT_ARRIVED, play_fault(&self->c, 0, 0, 0, i_cluster_wait(), NULL));
	fault_drain(self->c.fd);
	rv_destroy(&self->c);
}

TEST_F(deadlock, an_arrival_without_a_wait_stays)
{
	uint32_t info;
	int i;

	SMALL_CLUSTER(NULL);
	ASSERT_EQ(0, play_one(&self->c, 0, 32, 0, i_barrier_arrive(5, 64), NULL));
	SUSPEND(0, i_barrier_sync_n(5, 64));
	SUSPEND(1, never(1));
	DEADLOCK();
	EXPECT_EQ(DRM_VSM_FAULT_BARRIER_MISMATCH,
		  play_fault(&self->c, 0, 32, 0, i_barrier_arrive(5, 32), &info));
	EXPECT_EQ(64, info);
	START(0, i_barrier_sync_n(5, 64));
	START(1, i_barrier_sync_n(5, 64));
	EXPECT_EQ(0, rv_join(&self->t[0]));
	EXPECT_EQ(0, rv_join(&self->t[1]));
	rv_destroy(&self->c);
}

/*
 * A warp arrives twice and then waits at the barrier. A deadlock takes back only its third arrival.
 */
TEST_F(deadlock, arrivals_before_the_wait_stay)
{
	struct drm_vsm_insn arrive = i_barrier_arrive(5, 128);
	int i;

	SMALL_CLUSTER(NULL);
	ASSERT_EQ(0, play_one(&self->c, 0, 0, DRM_VSM_EXEC_WARP, arrive, NULL));
	ASSERT_EQ(0, play_one(&self->c, 0, 0, DRM_VSM_EXEC_WARP, arrive, NULL));
	SUSPEND(0, i_barrier_sync_n(5, 128));
	SUSPEND(1, i_barrier_sync_n(5, 128));
	DEADLOCK();
	/* Two of the four arrivals that the barrier counts are left. */
	SUSPEND(2, i_barrier_sync_n(5, 128));
	ASSERT_EQ(0, play_one(&self->c, 0, 0, DRM_VSM_EXEC_WARP, arrive, NULL));
	EXPECT_EQ(0, rv_join(&self->t[2]));
	EXPECT_EQ(0, play_one(&self->c, 0, 32, 0, i_barrier_sync_n(5, 32), NULL));
	fault_drain(self->c.fd);
	rv_destroy(&self->c);
}

/* --- many rounds with and without deadlock ------------------------------------------ */

/* A task that executes a thread of the small cluster, round after round */
struct walker {
	const struct cluster *c;
	int n;		/* number of the thread */
	int rounds;	/* rounds to execute */
	bool deadlocks;	/* each round begins with a deadlock */
	int round;	/* number of completed rounds */
	int ret;	/* return value of the last EXEC */
	uint32_t fault;	/* fault of the last EXEC */
	pthread_t pthread;
};

/*
 * Returns the instruction in which thread @n deadlocks. Thread 0 uses each kind of rendezvous in
 * turn; the others wait for a phase or at a barrier.
 */
static struct drm_vsm_insn stuck(int n, int round)
{
	if (n == 0 && round % RV_KINDS < RV_KINDS - 1)
		return rv_kinds()[round % RV_KINDS].insn;
	if (n == 2 && round % 2)
		return i_barrier_sync(3);
	return i_try_parity_unlimited(B(homes[n][0]), 0);
}

/*
 * Makes the instructions of a round, in which the threads wait for each other in turn, for phases
 * and in rendezvous. At least one thread can always continue, and in most cases only one.
 */
static uint32_t round_of(const struct walker *w, struct drm_vsm_insn *insns)
{
	uint32_t n = 0, parity = w->round % 2;

	switch (w->n) {
	case 0:
		insns[n++] = i_sink(i_arrive(A(0)));
		insns[n++] = i_match_any(1, 3);
		insns[n++] = i_barrier_sync(1);
		break;
	case 1:
		insns[n++] = i_try_parity_unlimited(A(0), parity);
		insns[n++] = i_match_any(1, 3);
		insns[n++] = i_barrier_sync(1);
		break;
	case 2:
		insns[n++] = i_barrier_sync(1);
		insns[n++] = i_sink(i_arrive(A(1)));
		break;
	default:
		insns[n++] = i_try_parity_unlimited(A(1), parity);
	}
	insns[n++] = i_cluster_arrive();
	insns[n++] = i_cluster_wait();
	return n;
}

static atomic_bool gone_early;

static void *walk(void *arg)
{
	struct walker *w = arg;

	for (; w->round < w->rounds; w->round++) {
		struct drm_vsm_insn insns[8], insn = stuck(w->n, w->round);
		struct drm_vsm_exec args = play_args(w->c, homes[w->n][0], homes[w->n][1], NO_LIMIT,
						     &insn, 1);

		if (w->deadlocks) {
			w->ret = vsm_exec(w->c->fd, &args);
			w->fault = insn.fault;
			if (w->ret != -EPROTO || w->fault != DRM_VSM_FAULT_DEADLOCK)
				break;
		}
		args = play_args(w->c, homes[w->n][0], homes[w->n][1], NO_LIMIT, insns,
				 round_of(w, insns));
		do
			w->ret = vsm_exec(w->c->fd, &args);
		while (w->ret == -EINTR && !atomic_load(&gone_early));
		w->fault = insns[args.retired % 8].fault;
		if (w->ret)
			break;
	}
	if (w->round < w->rounds)
		atomic_store(&gone_early, true);
	return w;
}

static void walk_all(struct __test_metadata *_metadata, struct cluster *c, int rounds,
		     bool deadlocks, bool signals)
{
	struct walker w[4];
	int i;

	ASSERT_EQ(0, make_small_cluster(c, NULL, DRM_VSM_POLICY_STRICT));
	for (i = 0; i < 4; i++) {
		w[i] = (struct walker){ .c = c, .n = i, .rounds = rounds, .deadlocks = deadlocks };
		ASSERT_EQ(0, pthread_create(&w[i].pthread, NULL, walk, &w[i]));
	}
	for (i = 0; i < 4; i++) {
		while (pthread_tryjoin_np(w[i].pthread, NULL)) {
			poll(NULL, 0, signals ? 0 : 5);
			/*
			 * If one thread ends too early, signals must end the waits of the others.
			 */
			if (signals || atomic_load(&gone_early))
				pthread_kill(w[i].pthread, SIGUSR1);
		}
		EXPECT_EQ(rounds, w[i].round)
			TH_LOG("thread %d in round %d: %d, fault %#x", i, w[i].round, w[i].ret,
			       w[i].fault);
	}
	if (!deadlocks)
		EXPECT_EQ(0, poll_events(c->fd));
	rv_destroy(c);
}

TEST_F(deadlock, never_of_threads_that_wake_each_other_in_turn)
{
	walk_all(_metadata, &self->c, repeat(1000), false, false);
}

TEST_F(deadlock, nor_while_signals_come)
{
	walk_all(_metadata, &self->c, repeat(1000), false, true);
}

TEST_F(deadlock, it_is_reported_once_and_the_program_continues)
{
	walk_all(_metadata, &self->c, repeat(300), true, false);
}

TEST_HARNESS_MAIN
