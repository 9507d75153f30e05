// SPDX-License-Identifier: GPL-2.0-only
/* No rendezvous waits for a thread that has exited, and the thread executes nothing any more. */
#include "async.h"
#include "rendezvous.h"

#define A AT(0, 0x40)

FIXTURE(leave)
{
	struct cluster c;	/* one CTA of three warps */
};

FIXTURE_SETUP(leave)
{
	ASSERT_EQ(0, rv_create(&self->c, 1, 96, DRM_VSM_POLICY_STRICT));
}

FIXTURE_TEARDOWN(leave)
{
	rv_destroy(&self->c);
}

static int leave(const struct cluster *c, uint32_t thread)
{
	return play_one(c, 0, thread, 0, i_exit(), NULL);
}

static int warp_leaves(const struct cluster *c, uint32_t thread)
{
	return play_one(c, 0, thread, DRM_VSM_EXEC_WARP, i_exit(), NULL);
}

/* Executes an instruction as a thread until a signal interrupts the task. */
static int interrupted(const struct cluster *c, uint32_t thread, uint32_t flags,
		       struct drm_vsm_insn insn)
{
	struct exec_thread t;

	catch_signal(SIGUSR1, nothing, 0);
	if (!suspend_as(&t, c, 0, thread, flags, &insn, 1))
		return -ETIME;
	pthread_kill(t.thread, SIGUSR1);
	return exec_thread_join(&t);
}

#define INTERRUPTED(thread, flags, insn) \
	ASSERT_EQ(-EINTR, interrupted(&self->c, thread, flags, insn))

/* --- a thread executes nothing after its exit --------------------------------- */

TEST_F(leave, the_stream_ends_with_it)
{
	struct drm_vsm_insn stream[] = { i_init(A, 1), i_exit(), i_arrive(A) };
	struct drm_vsm_exec args = play_args(&self->c, 0, 5, 0, stream, 3);
	struct drm_vsm_event_fault event;

	insn_poison(stream, 3);
	EXPECT_EQ(-EPROTO, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(2, args.retired);
	EXPECT_EQ(0, stream[1].fault);
	EXPECT_EQ(0, stream[1].result);
	EXPECT_EQ(DRM_VSM_FAULT_THREAD_EXITED, stream[2].fault);
	EXPECT_EQ(0, stream[2].result);
	EXPECT_EQ(word_of(VSM_LAYOUT_SM_90, 1, 0, 1, 0), word(&self->c, A));
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(DRM_VSM_SOURCE_EXEC, event.source);
	EXPECT_EQ(5, event.thread);
	EXPECT_EQ(DRM_VSM_FAULT_THREAD_EXITED, event.insn.fault);
	/*
	 * An exit at the end of a stream causes no error. EXEC then accepts an empty stream of the
	 * thread.
	 */
	EXPECT_EQ(0, leave(&self->c, 6));
	args.retired = 3;
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(0, poll_events(self->c.fd));
}

TEST_F(leave, no_instruction_is_executed_any_more)
{
	struct drm_vsm_insn others[] = {
		i_init(A + 8, 1), i_inval(A), i_arrive(A), i_drop(i_arrive(A)), i_expect_tx(A, 16),
		i_complete_tx(A, 16), i_test_parity(A, 1), i_try_parity(A, 1, 0),
		i_pending_count(0), i_fence(), i_cp_arrive(A), i_commit(), i_wait_group(0),
		i_wait_all(), i_bulk_commit(), i_bulk_wait(0), i_st_async(AT(0, 0x100), A, 4, 1),
		i_s2s(AT(0, 0x100), A, 16, 0x200), i_cp_async(AT(0, 0x100), 16, 1, 0), i_exit(),
	};
	const struct rv_kind *m;
	uint32_t i, flags;

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 2)));
	ASSERT_EQ(0, leave(&self->c, 0));
	for (flags = 0; flags <= DRM_VSM_EXEC_WARP; flags += DRM_VSM_EXEC_WARP) {
		for (i = 0; i < ITEMS(others); i++) {
			struct drm_vsm_insn insn = others[i];

			EXPECT_FAULT(THREAD_EXITED, play_fault(&self->c, 0, 0, flags, insn, NULL))
				TH_LOG("operation %u", insn.op);
		}
		for (m = rv_kinds(); m->name; m++)
			EXPECT_EQ(DRM_VSM_FAULT_THREAD_EXITED,
				  play_fault(&self->c, 0, 0, flags, m->insn, NULL))
				TH_LOG("%s", m->name);
	}
	EXPECT_EQ(word_of(VSM_LAYOUT_SM_90, 2, 0, 2, 0), word(&self->c, A));
	fault_drain(self->c.fd);
}

TEST_F(leave, nothing_is_armed_any_more)
{
	struct drm_vsm_insn insn = i_barrier_sync(0);
	struct drm_vsm_wait wait = wait_insn(&self->c, 0, 7, 0, &insn);
	int set = waitset_create(self->c.fd, 0);
	struct drm_vsm_event_fault event;

	ASSERT_EQ(0, leave(&self->c, 7));
	EXPECT_EQ(-EPROTO, waitset_arm(self->c.fd, set, &wait, 1, NULL));
	EXPECT_EQ(DRM_VSM_FAULT_THREAD_EXITED, wait.fault);
	EXPECT_EQ(0, wait.id);
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(DRM_VSM_SOURCE_ARM, event.source);
	EXPECT_EQ(7, event.thread);
	EXPECT_EQ(DRM_VSM_OP_BARRIER_SYNC, event.insn.op);
	/* A wait for a phase does not belong to a thread, and can be armed. */
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	wait = wait_parity(&self->c, A, 1, -1, 0);
	EXPECT_EQ(0, waitset_arm(self->c.fd, set, &wait, 1, NULL));
	close(set);
}

TEST_F(leave, operations_issued_before_the_exit_happen)
{
	struct drm_vsm_insn stream[] = {
		i_expect_tx(A, 8), i_st_async(AT(0, 0x100), A, 8, 0x1234),
		i_noinc(i_cp_arrive(A)), i_exit(),
	};

	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, play(&self->c, 0, 3, 0, stream, ITEMS(stream)));
	EXPECT_EQ(0, word(&self->c, AT(0, 0x100)));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	ASSERT_EQ(0, await_phase(&self->c, A, 0));
	EXPECT_EQ(0x1234, word(&self->c, AT(0, 0x100)));
}

/* A thread that has exited has exited for all clients, as long as the cluster exists. */
TEST_F(leave, for_all_clients)
{
	struct cluster other;

	ASSERT_EQ(0, leave(&self->c, 0));
	ASSERT_EQ(0, cluster_share(&other, vsm_open(), &self->c));
	rv_destroy(&self->c);
	self->c = other;
	EXPECT_FAULT(THREAD_EXITED, play_fault(&other, 0, 0, 0, i_exit(), NULL));
	EXPECT_EQ(0, leave(&other, 1));
	/* The same thread of another cluster has not exited. */
	ASSERT_EQ(0, rv_create(&other, 1, 96, DRM_VSM_POLICY_STRICT));
	EXPECT_EQ(0, play_one(&other, 0, 0, 0, i_warp_sync(1), NULL));
	rv_destroy(&other);
}

TEST_F(leave, all_threads_of_a_cluster_can_exit)
{
	uint32_t i;

	for (i = 0; i < 96; i++)
		ASSERT_EQ(0, leave(&self->c, i));
	for (i = 0; i < 96; i += 19)
		EXPECT_FAULT(THREAD_EXITED, play_fault(&self->c, 0, i, 0, i_init(A, 1), NULL));
	EXPECT_EQ(0, word(&self->c, A));
	fault_drain(self->c.fd);
}

/* --- other threads continue --------------------------------------------------- */

TEST_F(leave, a_rendezvous_completes_without_threads_that_exit)
{
	const struct rv_kind *m;
	struct cluster c;
	int i;

	for (m = rv_kinds(); m->name; m++) {
		struct drm_vsm_insn insn = m->insn;
		struct exec_thread t;

		if (m->counted)
			continue;
		ASSERT_EQ(0, small_cluster_create(&c, m, DRM_VSM_POLICY_STRICT));
		ASSERT_TRUE(suspend_as(&t, &c, 0, 0, 0, &insn, 1));
		for (i = 0; i < MAX_OTHERS && m->others[i].insn.op; i++) {
			EXPECT_TRUE(stays_suspended(&t)) TH_LOG("%s", m->name);
			ASSERT_EQ(0, play_one(&c, m->others[i].cta, m->others[i].thread, 0,
					      i_exit(), NULL));
		}
		EXPECT_EQ(0, rv_join(&t)) TH_LOG("%s", m->name);
		EXPECT_EQ(m->alone, insn.result) TH_LOG("%s", m->name);
		EXPECT_EQ(0, poll_events(c.fd));
		rv_destroy(&c);
	}
}

TEST_F(leave, a_rendezvous_does_not_wait_for_threads_that_have_exited)
{
	const struct rv_kind *m;
	struct cluster c;
	int i;

	for (m = rv_kinds(); m->name; m++) {
		uint64_t result;

		if (m->counted)
			continue;
		ASSERT_EQ(0, small_cluster_create(&c, m, DRM_VSM_POLICY_STRICT));
		for (i = 0; i < MAX_OTHERS && m->others[i].insn.op; i++)
			ASSERT_EQ(0, play_one(&c, m->others[i].cta, m->others[i].thread, 0,
					      i_exit(), NULL));
		EXPECT_EQ(0, play_one(&c, 0, 0, 0, m->insn, &result)) TH_LOG("%s", m->name);
		EXPECT_EQ(m->alone, result) TH_LOG("%s", m->name);
		EXPECT_EQ(0, poll_events(c.fd));
		rv_destroy(&c);
	}
}

TEST_F(leave, the_next_lane_is_elected)
{
	uint64_t result;
	uint32_t lane;

	for (lane = 0; lane < LANES - 1; lane++) {
		ASSERT_EQ(0, play_one(&self->c, 0, 31, DRM_VSM_EXEC_WARP, i_elect(ALL_LANES),
				      &result));
		EXPECT_EQ(lane, result);
		ASSERT_EQ(0, leave(&self->c, lane));
	}
	ASSERT_EQ(0, play_one(&self->c, 0, 31, 0, i_elect(ALL_LANES), &result));
	EXPECT_EQ(PRED | 31, result);
}

/* Lanes wait with several masks. The exit of a lane completes every mask that contains it. */
TEST_F(leave, an_exit_completes_every_mask_that_waits_for_it)
{
	const uint32_t masks[] = { 0x103, 0x10c, 0x30, 0x1c0 };
	struct drm_vsm_insn insns[8];
	struct exec_thread t[8];
	int i;

	for (i = 0; i < 8; i++) {
		insns[i] = i_vote(DRM_VSM_MODE_BALLOT, true, masks[i / 2]);
		ASSERT_EQ(0, exec_thread_run(&t[i], &self->c,
					     play_args(&self->c, 0, i, 0, &insns[i], 1)));
		/*
		 * The mask of lanes 4 and 5 names no other lane. It completes when lane 5 arrives.
		 */
		if (i != 5)
			ASSERT_TRUE(exec_thread_suspended(&t[i]));
	}
	for (i = 4; i < 6; i++) {
		EXPECT_EQ(0, rv_join(&t[i]));
		EXPECT_EQ(0x30, insns[i].result);
	}
	for (i = 0; i < 4; i++)
		EXPECT_TRUE(stays_suspended(&t[i]));
	ASSERT_EQ(0, leave(&self->c, 8));
	for (i = 0; i < 8; i++) {
		if (i / 2 == 2)
			continue;
		EXPECT_EQ(0, rv_join(&t[i]));
		EXPECT_EQ(masks[i / 2] & ~0x100, insns[i].result);
	}
}

/* --- named barriers ----------------------------------------------------------- */

/* Suspends warps 0 and 1 at a barrier. Then warp 2 exits. */
static void wait_for_third(struct __test_metadata *_metadata, const struct cluster *c,
			   struct drm_vsm_insn insn, uint64_t result, bool by_lanes)
{
	struct drm_vsm_insn insns[2] = { insn, insn };
	struct exec_thread t[2];
	uint32_t i;

	for (i = 0; i < 2; i++)
		ASSERT_TRUE(suspend_as(&t[i], c, 0, LANES * i, DRM_VSM_EXEC_WARP, &insns[i], 1));
	if (by_lanes) {
		for (i = 64; i < 95; i++)
			ASSERT_EQ(0, leave(c, i));
		for (i = 0; i < 2; i++)
			EXPECT_TRUE(stays_suspended(&t[i]));
		ASSERT_EQ(0, leave(c, 95));
	} else {
		ASSERT_EQ(0, warp_leaves(c, 70));
	}
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, rv_join(&t[i]));
		EXPECT_EQ(result, insns[i].result);
	}
}

TEST_F(leave, a_barrier_does_not_wait_for_a_warp_that_has_exited)
{
	const struct {
		struct drm_vsm_insn insn;
		uint64_t result;
	} ways[] = {
		{ i_barrier_sync(0), 0 },
		{ i_aligned(i_barrier_sync(15)), 0 },
		{ i_barrier_red(DRM_VSM_RED_POPC, 1, true), 64 },
		{ i_barrier_red(DRM_VSM_RED_AND, 1, true), 1 },
		{ i_barrier_red(DRM_VSM_RED_OR, 1, false), 0 },
	};
	size_t i;

	for (i = 0; i < 2 * ITEMS(ways); i++) {
		rv_destroy(&self->c);
		ASSERT_EQ(0, rv_create(&self->c, 1, 96, DRM_VSM_POLICY_STRICT));
		wait_for_third(_metadata, &self->c, ways[i / 2].insn, ways[i / 2].result, i % 2);
		/* Later barriers do not wait for warp 1 either, after it has exited too. */
		ASSERT_EQ(0, warp_leaves(&self->c, 40));
		EXPECT_EQ(0, play_one(&self->c, 0, 0, DRM_VSM_EXEC_WARP, i_barrier_sync(3), NULL));
	}
}

/*
 * The barrier counts two warps. One has arrived and one has exited, but a third could still arrive.
 */
TEST_F(leave, a_barrier_waits_while_another_warp_could_come)
{
	struct drm_vsm_insn insn = i_barrier_sync_n(2, 64);
	struct exec_thread t;

	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 0, DRM_VSM_EXEC_WARP, &insn, 1));
	ASSERT_EQ(0, warp_leaves(&self->c, 32));
	EXPECT_TRUE(stays_suspended(&t));
	ASSERT_EQ(0, play_one(&self->c, 0, 64, DRM_VSM_EXEC_WARP, insn, NULL));
	EXPECT_EQ(0, rv_join(&t));
}

/* A warp exits. This completes the one barrier of sixteen that waits only for that warp. */
TEST_F(leave, an_exit_completes_every_barrier_that_waits_for_it)
{
	struct drm_vsm_insn arrives[16], sync = i_barrier_sync(15);
	struct exec_thread t;
	uint32_t i;

	for (i = 0; i < 16; i++)
		arrives[i] = i_barrier_arrive(i, 96);
	ASSERT_EQ(0, play(&self->c, 0, 0, DRM_VSM_EXEC_WARP, arrives, 16));
	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 32, DRM_VSM_EXEC_WARP, &sync, 1));
	ASSERT_EQ(0, warp_leaves(&self->c, 64));
	EXPECT_EQ(0, rv_join(&t));
	/*
	 * Barriers 0 to 14 also wait for warp 1, which now completes them. Then all barriers can be
	 * used again.
	 */
	for (i = 0; i < 15; i++)
		ASSERT_EQ(0, play_one(&self->c, 0, 32, DRM_VSM_EXEC_WARP, i_barrier_sync(i), NULL));
	EXPECT_EQ(0, play(&self->c, 0, 0, DRM_VSM_EXEC_WARP, arrives, 16));
}

/*
 * A barrier with a count waits for so many arrivals. They may come from any warps that have not
 * exited. rendezvous_deadlock.c has barriers that wait for ever.
 */
TEST_F(leave, a_barrier_with_a_count_waits_while_a_warp_could_arrive)
{
	const struct drm_vsm_insn arrive = i_barrier_arrive(4, 96);
	const struct drm_vsm_insn insn = i_barrier_sync_n(4, 96);

	ASSERT_EQ(0, play_one(&self->c, 0, 0, DRM_VSM_EXEC_WARP, arrive, NULL));
	ASSERT_EQ(0, play_one(&self->c, 0, 32, DRM_VSM_EXEC_WARP, arrive, NULL));
	ASSERT_EQ(0, warp_leaves(&self->c, 64));
	/* The third arrival is one more of warp 0. */
	ASSERT_EQ(0, play_one(&self->c, 0, 0, DRM_VSM_EXEC_WARP, insn, NULL));

	/* The arrival of warp 1 stays when it exits, and warp 0 makes the other ones. */
	ASSERT_EQ(0, play_one(&self->c, 0, 32, DRM_VSM_EXEC_WARP, arrive, NULL));
	ASSERT_EQ(0, warp_leaves(&self->c, 32));
	ASSERT_EQ(0, play_one(&self->c, 0, 0, DRM_VSM_EXEC_WARP, arrive, NULL));
	ASSERT_EQ(0, play_one(&self->c, 0, 0, DRM_VSM_EXEC_WARP, insn, NULL));
}

TEST_F(leave, a_warp_may_exit_after_its_arrival)
{
	struct drm_vsm_insn insn = i_barrier_sync_n(4, 96);
	struct exec_thread t;

	ASSERT_EQ(0, play_one(&self->c, 0, 0, DRM_VSM_EXEC_WARP, i_barrier_arrive(4, 96), NULL));
	ASSERT_EQ(0, warp_leaves(&self->c, 0));
	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 32, DRM_VSM_EXEC_WARP, &insn, 1));
	EXPECT_TRUE(stays_suspended(&t));
	ASSERT_EQ(0, play_one(&self->c, 0, 64, DRM_VSM_EXEC_WARP, i_barrier_arrive(4, 96), NULL));
	EXPECT_EQ(0, rv_join(&t));
}

/* Suspends lanes 0 to 30 of warp 0, which wait for lane 31. Then lane 31 exits. */
static void lanes_wait(struct __test_metadata *_metadata, struct tasks *crowd,
		       const struct cluster *c, struct drm_vsm_insn insn,
		       struct drm_vsm_insn *insns)
{
	uint32_t i;

	for (i = 0; i < LANES; i++)
		insns[i] = insn;
	ASSERT_EQ(0, tasks_add_lanes(crowd, c, 0, 0, ALL_LANES >> 1, insns));
	for (i = 0; i < LANES - 1; i++)
		ASSERT_TRUE(exec_thread_suspended(&crowd->tasks[i]));
	EXPECT_TRUE(stays_suspended(&crowd->tasks[5]));
	ASSERT_EQ(0, leave(c, 31));
}

TEST_F(leave, an_exit_makes_the_rest_of_the_warp_arrive)
{
	struct drm_vsm_insn insns[LANES];
	struct tasks crowd = { 0 };
	uint64_t result;
	uint32_t i;

	ASSERT_EQ(0, warp_leaves(&self->c, 64));
	lanes_wait(_metadata, &crowd, &self->c, i_barrier_red(DRM_VSM_RED_POPC, 0, true), insns);
	for (i = 0; i < LANES - 1; i++)
		EXPECT_TRUE(!atomic_load(&crowd.tasks[i].done));
	ASSERT_EQ(0, play_one(&self->c, 0, 32, DRM_VSM_EXEC_WARP,
			      i_barrier_red(DRM_VSM_RED_POPC, 0, true), &result));
	EXPECT_EQ(63, result);
	EXPECT_EQ(0, tasks_join(&crowd));
	for (i = 0; i < LANES - 1; i++)
		EXPECT_EQ(63, insns[i].result);
}

/*
 * The exit of a lane makes its warp arrive, and this arrival is misuse. The waiting lanes get the
 * fault, not the lane that exits.
 */
TEST_F(leave, the_lanes_that_wait_get_the_fault_of_their_warp)
{
	static const uint32_t faults[] = {
		DRM_VSM_FAULT_BARRIER_MISMATCH, DRM_VSM_FAULT_BARRIER_MIXED,
		DRM_VSM_FAULT_BARRIER_OVERFLOW,
	};
	const struct drm_vsm_insn before[] = {
		i_barrier_arrive(0, 96), i_barrier_red(DRM_VSM_RED_OR, 0, true),
		i_barrier_arrive(0, 96),
	};
	struct drm_vsm_insn insns[LANES], first;
	uint32_t i, lane;

	for (i = 0; i < ITEMS(before); i++) {
		const uint32_t count = i ? 96 : 64;
		struct tasks crowd = { 0 };
		struct exec_thread t;

		rv_destroy(&self->c);
		ASSERT_EQ(0, rv_create_enforcing(&self->c, 1, 96, DRM_VSM_POLICY_STRICT,
						 ON_REQUEST));
		first = before[i];
		ASSERT_EQ(0, exec_thread_run(&t, &self->c, play_args(&self->c, 0, i < 2 ? 32 : 0,
								     DRM_VSM_EXEC_WARP, &first,
								     1)));
		if (i == 1)
			ASSERT_TRUE(exec_thread_suspended(&t));
		if (i != 1)
			ASSERT_EQ(0, rv_join(&t));
		lanes_wait(_metadata, &crowd, &self->c, i_barrier_sync_n(0, count), insns);
		for (lane = 0; lane < LANES - 1; lane++) {
			EXPECT_EQ(-EPROTO, exec_thread_join(&crowd.tasks[lane]));
			EXPECT_EQ(0, crowd.tasks[lane].args.retired);
			EXPECT_EQ(faults[i], insns[lane].fault);
			EXPECT_EQ(i ? 0 : 96, insns[lane].info);
		}
		fault_drain(self->c.fd);
		/* The lanes have not arrived, and can execute another instruction. */
		if (i == 1) {
			ASSERT_EQ(0, warp_leaves(&self->c, 64));
			EXPECT_EQ(0, play_one(&self->c, 0, 0, DRM_VSM_EXEC_WARP, before[i], NULL));
			EXPECT_EQ(0, rv_join(&t));
			EXPECT_EQ(1, first.result);
		} else if (!i) {
			EXPECT_EQ(0, play_one(&self->c, 0, 0, DRM_VSM_EXEC_WARP, before[i], NULL));
			EXPECT_EQ(0, play_one(&self->c, 0, 64, DRM_VSM_EXEC_WARP,
					      i_barrier_sync_n(0, 96), NULL));
		}
	}
}

/* --- the barrier of the cluster ------------------------------------------------- */

TEST_F(leave, the_barrier_of_the_cluster_does_not_wait_for_exited_warps)
{
	struct drm_vsm_insn stream[2] = { i_cluster_arrive(), i_cluster_wait() };
	struct exec_thread t;
	struct cluster c;
	uint32_t cta, round;

	/* CTAs 1 to 3 exit before they arrive, before they wait, or after they have waited. */
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, rv_create(&c, 4, 32, DRM_VSM_POLICY_STRICT));
		if (round == 2)
			for (cta = 1; cta < 4; cta++)
				ASSERT_EQ(0, play_one(&c, cta, 0, DRM_VSM_EXEC_WARP, stream[0],
						      NULL));
		if (round == 2) {
			ASSERT_EQ(0, play(&c, 0, 0, DRM_VSM_EXEC_WARP, stream, 2));
			for (cta = 1; cta < 4; cta++)
				ASSERT_EQ(0, play_one(&c, cta, 0, DRM_VSM_EXEC_WARP, stream[1],
						      NULL));
		}
		ASSERT_TRUE(suspend_as(&t, &c, 0, 0, DRM_VSM_EXEC_WARP, stream, 2));
		for (cta = 1; cta < 4; cta++) {
			EXPECT_TRUE(stays_suspended(&t));
			if (round == 1 && cta < 3)
				ASSERT_EQ(0, play_one(&c, cta, 0, DRM_VSM_EXEC_WARP, stream[0],
						      NULL));
			ASSERT_EQ(0, play_one(&c, cta, 0, DRM_VSM_EXEC_WARP, i_exit(), NULL));
		}
		EXPECT_EQ(0, rv_join(&t));
		/* CTA 0 is the only one left. Its barriers complete at once. */
		EXPECT_EQ(0, play(&c, 0, 0, DRM_VSM_EXEC_WARP, stream, 2));
		EXPECT_EQ(0, play(&c, 0, 0, DRM_VSM_EXEC_WARP, stream, 2));
		rv_destroy(&c);
	}
}

/*
 * The barrier does not wait for a CTA that has arrived and then exited, neither in this phase nor
 * in the next.
 */
TEST_F(leave, an_arrival_goes_with_its_thread)
{
	struct drm_vsm_insn stream[2] = { i_cluster_arrive(), i_cluster_wait() };
	struct exec_thread t;
	struct cluster c;

	ASSERT_EQ(0, rv_create(&c, 3, 32, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, play_one(&c, 1, 0, DRM_VSM_EXEC_WARP, stream[0], NULL));
	ASSERT_EQ(0, play_one(&c, 1, 0, DRM_VSM_EXEC_WARP, i_exit(), NULL));
	ASSERT_TRUE(suspend_as(&t, &c, 0, 0, DRM_VSM_EXEC_WARP, stream, 2));
	EXPECT_TRUE(stays_suspended(&t));
	ASSERT_EQ(0, play(&c, 2, 0, DRM_VSM_EXEC_WARP, stream, 2));
	EXPECT_EQ(0, rv_join(&t));
	ASSERT_TRUE(suspend_as(&t, &c, 0, 0, DRM_VSM_EXEC_WARP, stream, 2));
	EXPECT_TRUE(stays_suspended(&t));
	ASSERT_EQ(0, play(&c, 2, 0, DRM_VSM_EXEC_WARP, stream, 2));
	EXPECT_EQ(0, rv_join(&t));
	/* CTA 0 exits after its arrival in a phase that has completed. */
	ASSERT_EQ(0, play_one(&c, 0, 0, DRM_VSM_EXEC_WARP, stream[0], NULL));
	ASSERT_EQ(0, play(&c, 2, 0, DRM_VSM_EXEC_WARP, stream, 2));
	ASSERT_EQ(0, play_one(&c, 2, 0, DRM_VSM_EXEC_WARP, stream[0], NULL));
	ASSERT_EQ(0, play_one(&c, 0, 0, DRM_VSM_EXEC_WARP, i_exit(), NULL));
	EXPECT_EQ(0, play_one(&c, 2, 0, DRM_VSM_EXEC_WARP, stream[1], NULL));
	rv_destroy(&c);
}

/* --- interrupted threads exit --------------------------------------------------- */

TEST_F(leave, an_interrupted_thread_withdraws)
{
	struct drm_vsm_insn insn = i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 100, 7), two;
	struct exec_thread t;
	uint64_t result;

	INTERRUPTED(0, 0, insn);
	two = i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 10, 7);
	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 1, 0, &two, 1));
	ASSERT_EQ(0, leave(&self->c, 0));
	EXPECT_TRUE(stays_suspended(&t));
	EXPECT_FAULT(THREAD_EXITED, play_fault(&self->c, 0, 0, 0, insn, NULL));
	ASSERT_EQ(0, play_one(&self->c, 0, 2, 0, i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 1, 7),
			      &result));
	EXPECT_EQ(11, result);
	EXPECT_EQ(0, rv_join(&t));
	EXPECT_EQ(11, two.result);
}

TEST_F(leave, an_interrupted_thread_withdraws_from_everything)
{
	const struct rv_kind *m;
	struct cluster c;
	int came;

	for (came = 0; came < 2; came++) {
		for (m = rv_kinds(); m->name; m++) {
			ASSERT_EQ(0, small_cluster_create(&c, m, DRM_VSM_POLICY_STRICT));
			ASSERT_EQ(-EINTR, interrupted(&c, 0, 0, m->insn)) TH_LOG("%s", m->name);
			/*
			 * In the second round the rendezvous is complete, but its result is not
			 * taken.
			 */
			if (came)
				ASSERT_EQ(0, others_execute(&c, m)) TH_LOG("%s", m->name);
			ASSERT_EQ(0, leave(&c, 0)) TH_LOG("%s", m->name);
			EXPECT_EQ(DRM_VSM_FAULT_THREAD_EXITED,
				  play_fault(&c, 0, 0, 0, m->insn, NULL)) TH_LOG("%s", m->name);
			/*
			 * The other threads have not arrived. They can use other rendezvous without
			 * the thread that exited.
			 */
			EXPECT_EQ(0, play_one(&c, 0, 1, 0, i_warp_sync(3), NULL))
				TH_LOG("%s", m->name);
			EXPECT_EQ(0, leave(&c, 32));
			EXPECT_EQ(0, play_one(&c, 0, 1, 0, i_barrier_sync(9), NULL))
				TH_LOG("%s", m->name);
			rv_destroy(&c);
		}
	}
}

/*
 * A warp has arrived at a barrier and waits for the next warp. The exit of one of its threads does
 * not take back the arrival.
 */
TEST_F(leave, an_interrupted_thread_leaves_a_barrier_that_its_warp_has_arrived_at)
{
	struct drm_vsm_insn insns[LANES], red = i_barrier_red(DRM_VSM_RED_POPC, 0, true);
	struct tasks crowd = { 0 };
	uint64_t result;
	uint32_t i;

	ASSERT_EQ(0, warp_leaves(&self->c, 64));
	for (i = 0; i < LANES; i++)
		insns[i] = red;
	INTERRUPTED(0, 0, red);
	ASSERT_EQ(0, tasks_add_lanes(&crowd, &self->c, 0, 0, ~1U, insns));
	for (i = 0; i < LANES - 1; i++)
		ASSERT_TRUE(exec_thread_suspended(&crowd.tasks[i]));
	EXPECT_TRUE(stays_suspended(&crowd.tasks[0]));
	ASSERT_EQ(0, leave(&self->c, 0));
	EXPECT_TRUE(stays_suspended(&crowd.tasks[0]));
	ASSERT_EQ(0, play_one(&self->c, 0, 32, DRM_VSM_EXEC_WARP, red, &result));
	EXPECT_EQ(0, tasks_join(&crowd));
	/* The barrier does not count the vote of the thread that has exited. */
	EXPECT_EQ(63, result);
	for (i = 1; i < LANES; i++)
		EXPECT_EQ(63, insns[i].result);
}

/* --- converged warps ------------------------------------------------------------ */

TEST_F(leave, a_converged_warp_leaves_as_one)
{
	uint32_t i;

	ASSERT_EQ(0, leave(&self->c, 40));
	ASSERT_EQ(0, warp_leaves(&self->c, 50));
	for (i = 32; i < 64; i++)
		EXPECT_EQ(DRM_VSM_FAULT_THREAD_EXITED,
			  play_fault(&self->c, 0, i, 0, i_warp_sync(1U << (i - 32)), NULL));
	EXPECT_EQ(0, play_one(&self->c, 0, 31, 0, i_warp_sync(1U << 31), NULL));
	EXPECT_EQ(0, play_one(&self->c, 0, 64, 0, i_warp_sync(1), NULL));
	fault_drain(self->c.fd);
}

TEST_F(leave, a_converged_warp_cannot_exit_while_a_lane_is_suspended)
{
	struct drm_vsm_insn insn = i_warp_sync(6);
	struct exec_thread t;

	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 1, 0, &insn, 1));
	EXPECT_EQ(DRM_VSM_FAULT_THREAD_SUSPENDED,
		  play_fault(&self->c, 0, 0, DRM_VSM_EXEC_WARP, i_exit(), NULL));
	/* The refused exit has changed nothing. */
	EXPECT_EQ(0, play_one(&self->c, 0, 0, 0, i_warp_sync(1), NULL));
	EXPECT_TRUE(stays_suspended(&t));
	EXPECT_EQ(0, play_one(&self->c, 0, 2, 0, insn, NULL));
	EXPECT_EQ(0, rv_join(&t));
	/* The exit of a converged warp includes a lane that a signal has interrupted. */
	INTERRUPTED(1, 0, insn);
	EXPECT_EQ(0, warp_leaves(&self->c, 0));
	EXPECT_FAULT(THREAD_EXITED, play_fault(&self->c, 0, 1, 0, insn, NULL));
}

TEST_F(leave, a_warp_that_was_interrupted_as_one_withdraws)
{
	struct drm_vsm_insn red = i_barrier_red(DRM_VSM_RED_POPC, 0, true);
	uint64_t result;

	INTERRUPTED(0, DRM_VSM_EXEC_WARP, red);
	ASSERT_EQ(0, warp_leaves(&self->c, 3));
	INTERRUPTED(32, DRM_VSM_EXEC_WARP, red);
	ASSERT_EQ(0, play_one(&self->c, 0, 64, DRM_VSM_EXEC_WARP, red, &result));
	EXPECT_EQ(64, result);
}

/* --- warps that are not full ------------------------------------------------------ */

TEST_F(leave, lanes_that_a_warp_lacks_have_exited)
{
	static const uint32_t sizes[] = { 1, 2, 31, 33, 40, 63 };
	struct drm_vsm_insn insns[LANES];
	uint32_t i, lane, rest;
	struct cluster c;
	uint64_t result;

	for (i = 0; i < ITEMS(sizes); i++) {
		const uint32_t first = sizes[i] > LANES ? LANES : 0;

		rest = ALL_LANES >> (LANES - (sizes[i] - first));
		ASSERT_EQ(0, rv_create(&c, 1, sizes[i], DRM_VSM_POLICY_STRICT));
		for (lane = 0; lane < LANES; lane++)
			insns[lane] = i_vote(DRM_VSM_MODE_BALLOT, true, ALL_LANES);
		ASSERT_EQ(0, play_lanes(&c, 0, first, rest, insns));
		for (lane = 0; lane < LANES; lane++)
			if (rest >> lane & 1)
				EXPECT_EQ(rest, insns[lane].result);
		/*
		 * Threads that do not exist have no vote. A barrier with a count counts the warp as
		 * 32 threads.
		 */
		if (first)
			ASSERT_EQ(0, warp_leaves(&c, 0));
		for (lane = 0; lane < LANES; lane++)
			insns[lane] = i_barrier_red(DRM_VSM_RED_POPC, 0, true);
		ASSERT_EQ(0, play_lanes(&c, 0, first, rest, insns));
		EXPECT_EQ(sizes[i] - first, insns[0].result);
		EXPECT_EQ(0, play_one(&c, 0, first, DRM_VSM_EXEC_WARP,
				      i_barrier_sync_n(1, LANES), NULL));
		ASSERT_EQ(0, play_one(&c, 0, first, DRM_VSM_EXEC_WARP,
				      i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 1, ALL_LANES),
				      &result));
		EXPECT_EQ(sizes[i] - first, result);
		/* No rendezvous waits for the threads of this warp that have exited. */
		for (lane = 1; lane < sizes[i] - first; lane++)
			ASSERT_EQ(0, leave(&c, first + lane));
		EXPECT_EQ(0, play_one(&c, 0, first, 0, i_warp_sync(ALL_LANES), NULL));
		EXPECT_EQ(0, play_one(&c, 0, first, 0, i_barrier_sync(0), NULL));
		rv_destroy(&c);
	}
}

/* --- exits in many tasks ---------------------------------------------------------- */

TEST_F(leave, tasks_exit_while_others_execute_barriers)
{
	static struct drm_vsm_insn insns[96][8];
	int round, rounds = repeat(40);
	uint64_t seed = 7;
	uint32_t i, j;

	for (round = 0; round < rounds; round++) {
		struct tasks crowd = { 0 };
		uint32_t left[96], trues;

		for (i = 0; i < 96; i++) {
			/*
			 * Index of the instruction that the exit replaces. The thread does not exit
			 * if this is 8.
			 */
			left[i] = random_next(&seed) % 3 ? 8 : random_next(&seed) % 8;
			for (j = 0; j < 8; j++)
				insns[i][j] = j == left[i] ? i_exit() :
					i_barrier_red(DRM_VSM_RED_POPC, j % 16, i % 3);
		}
		for (i = 0; i < 96; i++)
			ASSERT_EQ(0, tasks_add(&crowd, &self->c, 0, i, 0, insns[i],
					       left[i] < 8 ? left[i] + 1 : 8));
		EXPECT_EQ(0, tasks_join(&crowd));
		for (j = 0; j < 8; j++) {
			for (i = 0, trues = 0; i < 96; i++)
				trues += left[i] > j && i % 3;
			for (i = 0; i < 96; i++)
				if (left[i] > j)
					EXPECT_EQ(trues, insns[i][j].result)
						TH_LOG("round %d, thread %u, %u", round, i, j);
		}
		rv_destroy(&self->c);
		ASSERT_EQ(0, rv_create(&self->c, 1, 96, DRM_VSM_POLICY_STRICT));
	}
}

TEST_HARNESS_MAIN
