// SPDX-License-Identifier: MIT
/*
 * Warp operations: for which threads they wait, what is misuse, and which rules hold for every
 * thread that is in an instruction. Each test is for one rule.
 */
#include "rendezvous_steps.h"

static struct rv_test m;

/* --- which threads an instruction waits for -------------------------------- */

TEST(no_lane_continues_before_the_last_arrives)
{
	const struct drm_vsm_insn insn = i_warp_sync(EVERYONE);
	__u32 last, i, j;

	for (last = 0; last < 32; last++) {
		rv_begin(&m, 1, 32);
		for (i = 1; i < 32; i++) {
			play(&m, WAITS((last + i) % 32, insn));
			for (j = 0; j < 32; j++)
				assert_false(vsm_rendezvous_is_released(m.rv, 0, j));
		}
		play(&m, ENDS(last, insn), ALL_GIVE(0, 31, 0));
		rv_end(&m);
	}
}

TEST(masks_without_common_lanes_are_independent)
{
	scene(1, 32, WAITS(0, with(MATCH(ANY, B32), 0x0000000f, 1)),
	      WAITS(4, with(MATCH(ANY, B32), 0x000000f0, 1)),
	      WAITS(8, with(VOTE(BALLOT), 0x00000300, 1)),
	      WAITS(31, with(MATCH(ANY, B32), 0xc0000000, 1)),
	      WAITS(1, with(MATCH(ANY, B32), 0x0000000f, 2)),
	      WAITS(5, with(MATCH(ANY, B32), 0x000000f0, 1)),
	      ENDS(30, with(MATCH(ANY, B32), 0xc0000000, 1)),
	      WAITS(6, with(MATCH(ANY, B32), 0x000000f0, 1)),
	      WAITS(2, with(MATCH(ANY, B32), 0x0000000f, 2)), GIVES(30, 0xc0000000),
	      GIVES(31, 0xc0000000), ENDS(9, with(VOTE(BALLOT), 0x00000300, 0)),
	      ALL_GIVE(8, 9, 0x100), ENDS(7, with(MATCH(ANY, B32), 0x000000f0, 1)),
	      ALL_GIVE(4, 7, 0xf0), ENDS(3, with(MATCH(ANY, B32), 0x0000000f, 1)), GIVES(0, 0x9),
	      GIVES(1, 0x6), GIVES(2, 0x6), GIVES(3, 0x9));
}

TEST(a_thread_alone_waits_for_nobody)
{
	__u32 i;

	rv_begin(&m, 1, 32);
	for (i = 0; i < 32; i++) {
		play(&m, ENDS(i, with(MATCH(ALL, B64), 1U << i, i)), GIVES(i, PRED | 1U << i),
		     ENDS(i, with(ELECT, 1U << i, 0)), GIVES(i, PRED | i));
	}
	rv_end(&m);
}

TEST(warps_are_independent)
{
	scene(2, 64, WAITS(0, i_warp_sync(3)), WAITS(33, i_warp_sync(3)),
	      GOES(IN(1, 1), i_warp_sync(3)), STILL(0), STILL(33), STILL(IN(1, 1)),
	      ENDS(32, i_warp_sync(3)), STILL(0), STILL(IN(1, 1)), ALL_GIVE(32, 33, 0));
}

TEST(lanes_that_the_warp_lacks_have_exited)
{
	__u32 i;

	rv_begin(&m, 1, 37);
	for (i = 32; i < 36; i++)
		play(&m, WAITS(i, with(MATCH(ALL, B32), EVERYONE, 5)));
	play(&m, ENDS(36, with(MATCH(ALL, B32), EVERYONE, 5)), ALL_GIVE(32, 36, PRED | 0x1f));
	for (i = 32; i < 36; i++)
		play(&m, WAITS(i, with(VOTE(ALL), EVERYONE, 1)));
	play(&m, ENDS(36, with(VOTE(ALL), EVERYONE, 1)), ALL_GIVE(32, 36, 1));
	rv_end(&m);
}

/*
 * One lane exits: before the others arrive, between any two of them, or when all others wait for
 * it.
 */
TEST(exited_lanes_are_not_waited_for)
{
	const struct drm_vsm_insn insn = with(MATCH(ALL, B32), 0x1f, 9);
	__u32 gone, when, i, come;

	for (gone = 0; gone < 5; gone++) {
		for (when = 0; when < 5; when++) {
			rv_begin(&m, 1, 5);
			for (i = 0, come = 0; i < 5; i++) {
				const __u32 thread = (gone + 1 + i) % 5;

				if (come == when && !vsm_rendezvous_exited(m.rv, 0, gone))
					play(&m, EXITS(gone));
				if (thread == gone)
					continue;
				play(&m, GOES(thread, insn));
				come++;
			}
			if (!vsm_rendezvous_exited(m.rv, 0, gone))
				play(&m, EXITS(gone));
			for (i = 0; i < 5; i++)
				if (i != gone)
					play(&m, GIVES(i, PRED | (0x1f & ~(1U << gone))));
			rv_end(&m);
		}
	}
}

TEST(exits_count_in_all_masks_that_name_the_lane)
{
	scene(1, 32, WAITS(0, with(VOTE(BALLOT), 0x101, 1)), WAITS(1, with(VOTE(BALLOT), 0x106, 1)),
	      WAITS(2, with(VOTE(BALLOT), 0x106, 1)), WAITS(3, with(VOTE(BALLOT), 0x118, 1)),
	      EXITS(8), GIVES(0, 0x1), ALL_GIVE(1, 2, 0x6), ENDS(4, with(VOTE(BALLOT), 0x118, 1)),
	      ALL_GIVE(3, 4, 0x18));
}

TEST(the_lowest_lane_left_is_elected)
{
	__u32 i;

	rv_begin(&m, 1, 32);
	for (i = 0; i < 31; i++) {
		play(&m, WAITS(i, with(ELECT, 1U << i | 1U << 31, 0)),
		     ENDS(31, with(ELECT, 1U << i | 1U << 31, 0)), GIVES(i, PRED | i), GIVES(31, i),
		     EXITS(i), ENDS(31, with(ELECT, 1U << i | 1U << 31, 0)), GIVES(31, PRED | 31));
	}
	rv_end(&m);
}

/* "if (lane < 2) op(0x3); op(0xf);": lanes 2 and 3 already wait at the second op. This is legal. */
TEST(a_lane_may_wait_early_at_a_later_instruction)
{
	scene(1, 4, WAITS(2, i_warp_sync(0xf)), WAITS(3, i_warp_sync(0xf)),
	      WAITS(0, i_warp_sync(0x3)), ENDS(1, i_warp_sync(0x3)), ALL_GIVE(0, 1, 0),
	      WAITS(1, i_warp_sync(0xf)), ENDS(0, i_warp_sync(0xf)), ALL_GIVE(0, 3, 0));
}

/* --- misuse ---------------------------------------------------------------- */

TEST(a_lane_must_be_in_its_own_mask)
{
	static const struct kind kinds[] = {
		MATCH(ANY, B32), BAR, ELECT, VOTE(ANY), SHFL(IDX), REDUX(ADD, U32),
	};
	size_t i;

	rv_begin(&m, 1, 4);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		play(&m, WRONG(0, with(kinds[i], 0xe, 0), FAULT(NOT_IN_MASK)),
		     WRONG(3, with(kinds[i], 0x7, 0), FAULT(NOT_IN_MASK)),
		     WRONG(3, with(kinds[i], 0, 0), FAULT(NOT_IN_MASK)));
	}
	/*
	 * The refused instructions have changed nothing: a thread can execute another instruction.
	 */
	play(&m, ENDS(3, i_warp_sync(8)), GIVES(3, 0));
	rv_end(&m);
}

/* Two threads wait for each other in different instructions. The second instruction is refused. */
TEST(lanes_that_wait_for_each_other_must_execute_the_same)
{
	static const struct {
		const char *name;
		struct kind first, second;
		__u32 mask;	/* of the second instruction; the mask of the first is 3 */
	} pairs[] = {
		{ "another operation", BAR, ELECT, 3 },
		{ "another mode", MATCH(ANY, B32), MATCH(ALL, B32), 3 },
		{ "another type", MATCH(ANY, B32), MATCH(ANY, B64), 3 },
		{ "another vote", VOTE(ANY), VOTE(BALLOT), 3 },
		{ "another shuffle", SHFL(UP), SHFL(DOWN), 3 },
		{ "another reduction", REDUX(MIN, U32), REDUX(MAX, U32), 3 },
		{ "another sign", REDUX(MIN, U32), REDUX(MIN, S32), 3 },
		{ "another mask", BAR, BAR, 7 },
		{ "a mask with lanes that there are not", BAR, BAR, 0xfffffff3 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		const struct drm_vsm_insn x = with(pairs[i].first, 3, 0);
		const struct drm_vsm_insn y = with(pairs[i].second, pairs[i].mask, 0);

		print_message("# %s\n", pairs[i].name);
		rv_begin(&m, 1, 4);
		play(&m, WAITS(0, x), WRONG_WITH(1, y, FAULT(WARP_MISMATCH), 0),
		     /* The refused instruction has not changed the waiting thread. */
		     ENDS(1, x), TAKES(0), TAKES(1), WAITS(1, y),
		     WRONG_WITH(0, x, FAULT(WARP_MISMATCH), 1));
		rv_end(&m);
	}
}

TEST(a_circle_of_threads_is_misuse_of_the_last)
{
	rv_begin(&m, 1, 32);
	/* Lane 4 waits for lane 5, lane 5 for lane 6, and lane 6 for lanes 7 and 20. */
	play(&m, WAITS(4, i_warp_sync(0x30)), WAITS(5, i_warp_sync(0x60)),
	     WAITS(6, i_warp_sync(0x1000c0)),
	     WRONG_WITH(7, i_warp_sync(0x90), FAULT(WARP_MISMATCH), 4),
	     WRONG_WITH(7, i_warp_sync(0xa0), FAULT(WARP_MISMATCH), 5),
	     WRONG_WITH(7, i_warp_sync(0xb1), FAULT(WARP_MISMATCH), 4),
	     WRONG_WITH(20, i_warp_sync(0x100020), FAULT(WARP_MISMATCH), 5),
	     /* Lane 1 waits for lane 8, not for lane 7. */
	     WAITS(1, i_warp_sync(0x102)),
	     WRONG_WITH(7, i_warp_sync(0xa2), FAULT(WARP_MISMATCH), 5),
	     /* Lane 7 may wait for lane 9, because lane 9 waits for no lane. */
	     WAITS(7, i_warp_sync(0x280)),
	     WRONG_WITH(9, i_warp_sync(0x2c0), FAULT(WARP_MISMATCH), 6),
	     ENDS(9, i_warp_sync(0x280)));
	rv_end(&m);
}

/* A shfl.sync.idx with the lanes 0, 1, 2 and 5 in its mask. */
#define SHFL_IDX(a, b, c)	i_shfl(MODE(IDX), a, b, c, 0x27)

TEST(a_shuffle_from_a_lane_that_does_not_take_part_gives_the_own_value)
{
	scene(1, 5, WAITS(0, SHFL_IDX(10, 3, 0x1f)),
	      /* Lane 5 is in the mask, but the warp has only 5 lanes. */
	      WAITS(1, SHFL_IDX(0xffffffff, 5, 0x1f)),
	      /* The index is above the clamp: p is False, and the lane reads itself. */
	      ENDS(2, SHFL_IDX(12, 5, 1)), GIVES_OWN(0, 3, 10), GIVES_OWN(1, 5, 0xffffffff),
	      GIVES(2, 12),
	      /* The source exits before the instruction. */
	      EXITS(2), WAITS(0, SHFL_IDX(13, 2, 0x1f)), ENDS(1, SHFL_IDX(13, 0, 0x1f)),
	      GIVES_OWN(0, 2, 13), GIVES(1, PRED | 13),
	      /* The source exits while lane 0 waits for it. */
	      WAITS(0, SHFL_IDX(14, 1, 0x1f)), EXITS(1), GIVES_OWN(0, 1, 14),
	      /* In a converged warp the results are the same. */
	      TOGETHER(4, with(SHFL(IDX), 0x11, 15)), GIVES(4, PRED | 15),
	      TOGETHER(0, i_shfl(MODE(IDX), 14, 1, 0x1f, 0x11)), GIVES_OWN(0, 1, 14));
}

/*
 * Kernels reduce over the first lanes of a warp in this way. All lanes read, but the sum of lane 0
 * contains no value from beyond these lanes.
 */
TEST(a_reduction_over_12_lanes_is_right)
{
	__u32 values[12], lane, step;

	rv_begin(&m, 1, 32);
	for (lane = 0; lane < 12; lane++)
		values[lane] = 1 << lane;
	for (step = 8; step; step /= 2) {
		for (lane = 0; lane < 12; lane++)
			play(&m, GOES(lane, i_shfl(MODE(DOWN), values[lane], step, 0x1f, 0xfff)));
		for (lane = 0; lane < 12; lane++) {
			if (lane + step < 12)
				values[lane] += (__u32)rv_result(&m, lane);
			else
				play(&m, GIVES_OWN(lane, lane + step, values[lane]));
		}
	}
	assert_int_equal(values[0], 0xfff);
	rv_end(&m);
}

/* A cluster can enforce the rule that the source of a shuffle takes part. */
TEST(the_source_of_a_shuffle_must_take_part)
{
	scene(1, 5, ENFORCES(SHFL_SOURCE),
	      WRONG_WITH(0, SHFL_IDX(0, 3, 0x1f), FAULT(SHFL_SOURCE), 3),
	      /* Lane 5 is in the mask, but the warp has only 5 lanes. */
	      WRONG_WITH(0, SHFL_IDX(0, 5, 0x1f), FAULT(SHFL_SOURCE), 5), EXITS(2),
	      WRONG_WITH(0, SHFL_IDX(0, 2, 0x1f), FAULT(SHFL_SOURCE), 2),
	      /* The lane does not read a source above the clamp: this is legal. */
	      WAITS(0, SHFL_IDX(0, 2, 1)), ENDS(1, SHFL_IDX(8, 0, 1)), GIVES(0, 0), GIVES(1, PRED));
}

TEST(the_reader_gets_the_fault_if_the_source_exits)
{
	scene(1, 3, ENFORCES(SHFL_SOURCE), WAITS(0, i_shfl(MODE(BFLY), 10, 2, 0x1f, 7)),
	      WAITS(1, i_shfl(MODE(BFLY), 11, 1, 0x1f, 7)), EXITS(2),
	      FAULTS_WITH(0, FAULT(SHFL_SOURCE), 2), GIVES(1, PRED | 10));
}

/* --- being in an instruction ----------------------------------------------- */

TEST(an_instruction_that_is_repeated_arrives_once)
{
	struct drm_vsm_insn insn = with(VOTE(BALLOT), 7, 1);
	int i;

	rv_begin(&m, 1, 3);
	for (i = 0; i < 3; i++)
		play(&m, WAITS(0, insn));
	play(&m, WAITS(1, insn));
	insn.u.warp.a = 0;
	play(&m, ENDS(2, insn));
	for (i = 0; i < 3; i++)
		play(&m, ENDS(2, insn));
	play(&m, GIVES(2, 3));
	/* The other threads stay in the instruction until they have taken their results. */
	insn.u.warp.a = 1;
	play(&m, ENDS(0, insn), ALL_GIVE(0, 1, 3), WAITS(0, insn));
	rv_end(&m);
}

TEST(nothing_else_can_be_executed_meanwhile)
{
	const struct drm_vsm_insn in = with(VOTE(ANY), 3, 1);
	const struct drm_vsm_insn others[] = {
		with(VOTE(ANY), 3, 0), with(VOTE(ALL), 3, 1), with(VOTE(ANY), 1, 1),
		i_warp_sync(3), i_barrier_sync(0), i_cluster_arrive(),
		i_cluster_wait(), with(VOTE(ANY), 2, 1),
	};
	size_t i;

	rv_begin(&m, 1, 2);
	play(&m, WAITS(0, in));
	for (i = 0; i < ARRAY_SIZE(others); i++)
		play(&m, WRONG(0, others[i], FAULT(THREAD_SUSPENDED)));
	play(&m, TOGETHER_WRONG(0, in, FAULT(THREAD_SUSPENDED)), ENDS(1, in));
	for (i = 0; i < ARRAY_SIZE(others); i++)
		play(&m, WRONG(0, others[i], FAULT(THREAD_SUSPENDED)));
	play(&m, ALL_GIVE(0, 1, 1), ENDS(0, with(VOTE(ANY), 1, 1)));
	rv_end(&m);
}

TEST(one_task_at_a_time_plays_a_thread)
{
	const struct drm_vsm_insn in = i_warp_sync(3);
	int me;

	rv_begin(&m, 1, 2);
	play(&m, WAITS(0, in));
	vsm_rendezvous_lane(m.rv, 0, 0)->waiter = &me;
	play(&m, WRONG(0, in, FAULT(THREAD_SUSPENDED)),
	     WRONG(0, i_exit(), FAULT(THREAD_SUSPENDED)));
	assert_false(vsm_rendezvous_exited(m.rv, 0, 0));
	play(&m, ENDS(1, in));
	assert_ptr_equal(vsm_rendezvous_next(m.rv), vsm_rendezvous_lane(m.rv, 0, 0));
	play(&m, WRONG(0, in, FAULT(THREAD_SUSPENDED)), GIVES(0, 0), WAITS(0, in));
	rv_end(&m);
}

TEST(each_waiter_is_reported_once)
{
	int waiters[32], reports[32] = { 0 };
	struct vsm_lane *lane;
	__u32 i;

	rv_begin(&m, 1, 32);
	for (i = 0; i < 31; i++) {
		play(&m, WAITS(i, i_warp_sync(EVERYONE)));
		/* A signal has interrupted every third waiter: these threads have no waiter. */
		if (i % 3)
			vsm_rendezvous_lane(m.rv, 0, i)->waiter = &waiters[i];
	}
	assert_null(vsm_rendezvous_next(m.rv));
	play(&m, ENDS(31, i_warp_sync(EVERYONE)));
	while ((lane = vsm_rendezvous_next(m.rv)))
		reports[(int *)lane->waiter - waiters]++;
	for (i = 0; i < 31; i++)
		assert_int_equal(reports[i], i % 3 ? 1 : 0);
	play(&m, ALL_GIVE(0, 31, 0));
	rv_end(&m);
}

TEST(withdrawing_undoes_the_arrival)
{
	rv_begin(&m, 1, 3);
	play(&m, WAITS(0, with(VOTE(BALLOT), 7, 1)), WAITS(1, with(VOTE(BALLOT), 7, 1)), LEAVES(0),
	     FREE(0), WAITS(2, with(VOTE(BALLOT), 7, 0)),
	     /* Thread 0 may execute another instruction. The others still wait for it. */
	     ENDS(0, i_warp_sync(1)), GIVES(0, 0),
	     WRONG_WITH(0, i_warp_sync(7), FAULT(WARP_MISMATCH), 1),
	     ENDS(0, with(VOTE(BALLOT), 7, 0)), ALL_GIVE(0, 2, 2));

	/* First a thread that waits alone withdraws, then all threads of an instruction. */
	play(&m, WAITS(0, i_warp_sync(7)), LEAVES(0), WAITS(1, with(ELECT, 7, 0)),
	     WAITS(0, with(ELECT, 7, 0)), LEAVES(1), LEAVES(0), WAITS(2, i_warp_sync(7)));
	rv_end(&m);
}

/* Lanes 0 to 2 have waited together. Each time another of them is elsewhere by now. */
TEST(lanes_are_withdrawn_only_from_their_common_instruction)
{
	int waiter;

	/* All of them are in it. */
	rv_begin(&m, 1, 6);
	play(&m, ALL_WAIT(0, 2, i_warp_sync(0xf)));
	vsm_rendezvous_withdraw_lanes(m.rv, 0, 1, 0x7);
	play(&m, FREE(0), FREE(1), FREE(2), ENDS(1, i_warp_sync(0x2)), GIVES(1, 0));

	/* Lane 2 is in another instruction; then in one of the same kind with another mask. */
	play(&m, WAITS(0, i_warp_sync(0xf)), WAITS(2, with(VOTE(ANY), 0x14, 1)));
	vsm_rendezvous_withdraw_lanes(m.rv, 0, 0, 0x7);
	play(&m, FREE(0), STILL(2), ENDS(4, with(VOTE(ANY), 0x14, 0)), GIVES(2, 1), GIVES(4, 1));
	play(&m, WAITS(0, i_warp_sync(0xf)), WAITS(2, i_warp_sync(0x14)));
	vsm_rendezvous_withdraw_lanes(m.rv, 0, 0, 0x7);
	play(&m, FREE(0), STILL(2), ENDS(4, i_warp_sync(0x14)), GIVES(2, 0), GIVES(4, 0));

	/* Lane 2 has a waiter of its own. */
	play(&m, ALL_WAIT(0, 2, i_warp_sync(0xf)));
	vsm_rendezvous_lane(m.rv, 0, 2)->waiter = &waiter;
	vsm_rendezvous_withdraw_lanes(m.rv, 0, 0, 0x7);
	play(&m, FREE(0), FREE(1), STILL(2));
	assert_ptr_equal(vsm_rendezvous_lane(m.rv, 0, 2)->waiter, &waiter);
	vsm_rendezvous_lane(m.rv, 0, 2)->waiter = NULL;
	play(&m, LEAVES(2));
	rv_end(&m);
}

/* The wait of a barrier withdraws its lanes, and with them the arrival of the warp. */
TEST(lanes_are_withdrawn_from_a_barrier)
{
	rv_begin(&m, 1, 64);
	play(&m, ALL_WAIT(0, 31, i_barrier_sync(0)));
	vsm_rendezvous_withdraw_lanes(m.rv, 0, 4, 0x30);
	play(&m, STILL(0), FREE(4), FREE(5), STILL(6), ALL_WAIT(32, 63, i_barrier_sync(0)),
	     WAITS(4, i_barrier_sync(0)), ENDS(5, i_barrier_sync(0)), ALL_GIVE(0, 63, 0));
	rv_end(&m);
}

TEST(a_lane_that_exits_does_not_take_part)
{
	scene(1, 3, WAITS(0, with(VOTE(BALLOT), 7, 1)), WAITS(1, with(VOTE(BALLOT), 7, 1)),
	      EXITS(0), ENDS(2, with(VOTE(BALLOT), 7, 1)), ALL_GIVE(1, 2, 6),
	      /* Thread 2 exits with a result. It has no part in the next instruction. */
	      WAITS(1, with(VOTE(BALLOT), 7, 1)), ENDS(2, with(VOTE(BALLOT), 7, 1)), EXITS(2),
	      GIVES(1, 6), ENDS(1, with(VOTE(BALLOT), 7, 1)), GIVES(1, 2));
}

TEST(exited_threads_execute_nothing)
{
	const struct drm_vsm_insn insns[] = {
		i_warp_sync(1), i_warp_sync(2), i_barrier_sync(0),
		i_cluster_arrive(), i_cluster_wait(), i_exit(),
	};
	size_t i;

	rv_begin(&m, 1, 2);
	play(&m, EXITS(0));
	for (i = 0; i < ARRAY_SIZE(insns); i++) {
		play(&m, WRONG(0, insns[i], FAULT(THREAD_EXITED)),
		     TOGETHER_WRONG(0, insns[i], FAULT(THREAD_EXITED)));
	}
	rv_end(&m);
}

/* --- converged warps ------------------------------------------------------- */

TEST(a_converged_warp_completes_at_once)
{
	scene(1, 32, EXITS(30), TOGETHER(5, with(MATCH(ALL, B32), EVERYONE, 3)),
	      GIVES(5, PRED | (EVERYONE & ~(1U << 30))), TOGETHER(5, with(ELECT, 0xf0, 0)),
	      GIVES(5, 4), TOGETHER(4, with(ELECT, 0xf0, 0)), GIVES(4, PRED | 4),
	      TOGETHER(9, with(REDUX(ADD, S32), 0x700, ~0U)), GIVES(9, (__u32)-3),
	      TOGETHER_WRONG(1, i_warp_sync(0xf0), FAULT(NOT_IN_MASK)),
	      /* Thread 6 has no result to take, because other lanes have executed for it. */
	      ENDS(6, i_warp_sync(0x40)));
}

TEST(a_warp_that_has_diverged_is_not_converged)
{
	scene(1, 4, WAITS(0, i_warp_sync(3)),
	      TOGETHER_WRONG(1, i_warp_sync(3), FAULT(THREAD_SUSPENDED)),
	      TOGETHER_WRONG(2, i_warp_sync(0xf), FAULT(THREAD_SUSPENDED)),
	      TOGETHER_WRONG(2, i_barrier_sync(0), FAULT(THREAD_SUSPENDED)),
	      /* Lanes 2 and 3 are in no instruction. They may execute a converged one. */
	      TOGETHER(2, i_warp_sync(0xc)), GIVES(2, 0));
}

TEST(a_converged_warp_exits_as_one)
{
	__u32 i;

	rv_begin(&m, 1, 40);
	play(&m, EXITS(3), TOGETHER(7, i_exit()));
	for (i = 0; i < 40; i++)
		assert_int_equal(vsm_rendezvous_exited(m.rv, 0, i), i < 32);
	rv_end(&m);
}

/* A converged warp stays in its instruction as a whole. A single thread of it cannot exit. */
TEST(a_converged_warp_that_waits_exits_as_one_or_not_at_all)
{
	struct drm_vsm_insn sync = i_barrier_sync(0);

	rv_begin(&m, 1, 64);
	play(&m, TOGETHER(0, sync), WRONG(5, i_exit(), FAULT(THREAD_SUSPENDED)),
	     WRONG(0, i_exit(), FAULT(THREAD_SUSPENDED)), TOGETHER(0, sync));
	assert_false(vsm_rendezvous_is_released(m.rv, 0, 0));
	play(&m, TOGETHER(32, sync), GIVES(0, 0), GIVES(32, 0));

	play(&m, TOGETHER(0, sync), TOGETHER(5, i_exit()), TOGETHER(32, sync), GIVES(32, 0));
	rv_end(&m);
}
