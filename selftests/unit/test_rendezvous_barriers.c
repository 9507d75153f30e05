// SPDX-License-Identifier: MIT
/*
 * Named barriers: which threads wait, which threads they wait for, how often a warp may arrive, and
 * what is misuse. Each test is for one rule.
 */
#include "rendezvous_steps.h"

static struct rv_test m;

#define SYNC(id)		i_barrier_sync(id)
#define SYNC_N(id, count)	i_barrier_sync_n(id, count)
#define ARRIVE(id, count)	i_barrier_arrive(id, count)
#define RED_ALL(op, pred)	i_barrier_red(DRM_VSM_RED_##op, 0, pred)
#define CLUSTER_ARRIVE		i_cluster_arrive()
#define RED_N(op, count, pred)	i_barrier_red_n(DRM_VSM_RED_##op, 0, count, pred)

/* CTAs of four warps of one thread each: the others have exited. Barriers count warps. */
static void four_warps(__u32 ctas)
{
	__u32 cta, i;

	rv_begin(&m, ctas, 128);
	for (cta = 0; cta < ctas; cta++)
		for (i = 0; i < 128; i++)
			if (i % 32)
				play(&m, EXITS(IN(cta, i)));
}

#define WARP(n)		((n) * 32)

/* Performs the steps in a new cluster of one such CTA. */
#define scene_of_warps(...) do {	\
	four_warps(1);			\
	play(&m, __VA_ARGS__);		\
	rv_end(&m);			\
} while (0)

/* --- named barriers -------------------------------------------------------- */

TEST(a_barrier_waits_for_all_threads_of_the_cta)
{
	scene(1, 96, ALL_WAIT(40, 95, SYNC(0)), ALL_WAIT(0, 38, SYNC(0)), ENDS(39, SYNC(0)),
	      ALL_GIVE(0, 95, 0));
}

TEST(a_count_is_of_whole_warps)
{
	__u32 warps, i;

	for (warps = 1; warps <= 4; warps++) {
		four_warps(1);
		for (i = 0; i < warps - 1; i++)
			play(&m, WAITS(WARP(3 - i), SYNC_N(15, warps * 32)));
		play(&m, ENDS(0, SYNC_N(15, warps * 32)));
		for (i = 0; i < warps - 1; i++)
			play(&m, GIVES(WARP(3 - i), 0));
		rv_end(&m);
	}
}

/* 33 threads are two warps. A count of 32 waits for one of them, a count of 64 for both. */
TEST(a_warp_that_lacks_threads_counts_as_one)
{
	scene(1, 33, WAITS(32, SYNC_N(1, 64)), ALL_WAIT(0, 30, SYNC_N(1, 64)),
	      ENDS(31, SYNC_N(1, 64)), ALL_GIVE(0, 32, 0), WAITS(32, SYNC(1)),
	      ALL_WAIT(0, 30, SYNC(1)), ENDS(31, SYNC(1)), ALL_GIVE(0, 32, 0),
	      ENDS(32, SYNC_N(1, 32)), GIVES(32, 0));
}

TEST(no_count_is_the_count_of_all)
{
	scene_of_warps(WAITS(WARP(0), SYNC(0)), WAITS(WARP(1), SYNC_N(0, 128)),
		       WAITS(WARP(2), SYNC(0)), ENDS(WARP(3), SYNC_N(0, 128)), GIVES(0, 0));
}

TEST(generations_follow_each_other)
{
	int i;

	four_warps(1);
	for (i = 0; i < 1000; i++) {
		play(&m, WAITS(WARP(i % 3), SYNC_N(3, 64)), ENDS(WARP(3), SYNC_N(3, 64)),
		     GIVES(WARP(3), 0), GIVES(WARP(i % 3), 0));
	}
	/* The next generation may have another count, or a reduction. */
	play(&m, WAITS(WARP(0), SYNC_N(3, 96)), WAITS(WARP(1), SYNC_N(3, 96)),
	     ENDS(WARP(2), SYNC_N(3, 96)),
	     ENDS(WARP(3), i_barrier_red_n(DRM_VSM_RED_POPC, 3, 32, 1)), GIVES(WARP(3), 1));
	rv_end(&m);
}

/* A warp may arrive in the next generation before another warp has taken its result of this one. */
TEST(the_next_generation_may_begin_at_once)
{
	scene_of_warps(WAITS(WARP(0), RED_N(POPC, 64, 1)), ENDS(WARP(1), RED_N(POPC, 64, 1)),
		       WAITS(WARP(2), RED_N(POPC, 64, 0)), GIVES(WARP(0), 2),
		       ENDS(WARP(0), RED_N(POPC, 64, 0)), GIVES(WARP(2), 0), GIVES(WARP(1), 2));
}

TEST(sixteen_barriers_and_ctas_are_independent)
{
	__u32 i;

	rv_begin(&m, 2, 1024);
	for (i = 0; i < 1024; i++)
		if (i % 32)
			play(&m, EXITS(i));
	for (i = 0; i < 16; i++)
		play(&m, WAITS(WARP(i), SYNC_N(i, 64)));
	play(&m, GOES(IN(1, 0), SYNC_N(0, 64)), STILL(IN(1, 0)));
	for (i = 0; i < 16; i++) {
		play(&m, STILL(WARP(15 - i)), ENDS(WARP(16 + i), SYNC_N(15 - i, 64)),
		     GIVES(WARP(15 - i), 0));
	}
	play(&m, STILL(IN(1, 0)));
	rv_end(&m);
}

TEST(an_arrive_waits_only_for_its_warp)
{
	scene(1, 64, ALL_WAIT(0, 30, ARRIVE(0, 64)), ENDS(31, ARRIVE(0, 64)), ALL_GIVE(0, 31, 0),
	      ALL_WAIT(32, 62, SYNC_N(0, 64)), ENDS(63, SYNC_N(0, 64)), ALL_GIVE(32, 63, 0));
}

/*
 * PTX's example of a producer and a consumer with two buffers: each buffer has a barrier for
 * "empty" and one for "full".
 */
TEST(producers_and_consumers_alternate)
{
	int i;

	four_warps(1);
	for (i = 0; i < 100; i++) {
		/* The producer waits until the buffer is empty. */
		play(&m, WAITS(WARP(0), SYNC_N(i % 2, 64)), ENDS(WARP(1), ARRIVE(i % 2, 64)),
		     GIVES(WARP(0), 0), GIVES(WARP(1), 0),
		     /* The consumer waits until the buffer is full. */
		     ENDS(WARP(0), ARRIVE(2 + i % 2, 64)), ENDS(WARP(1), SYNC_N(2 + i % 2, 64)),
		     GIVES(WARP(0), 0), GIVES(WARP(1), 0));
	}
	rv_end(&m);
}

TEST(a_generation_may_consist_of_arrives_only)
{
	int i;

	four_warps(1);
	for (i = 0; i < 4; i++) {
		play(&m, ENDS(WARP(0), ARRIVE(0, 64)), ENDS(WARP(1), ARRIVE(0, 64)),
		     GIVES(WARP(0), 0), GIVES(WARP(1), 0));
	}
	play(&m, WAITS(WARP(2), SYNC_N(0, 64)));
	rv_end(&m);
}

/*
 * FlashAttention-3's warp scheduler: each warp syncs at its own barrier, works, and then arrives at
 * the barrier of the other warp. Warp 0 has the first turn, because it has arrived at its own
 * barrier before.
 */
TEST(two_warps_take_turns_if_the_first_arrives_at_its_own_barrier)
{
	int i;

	four_warps(1);
	play(&m, DOES(WARP(0), ARRIVE(1, 64)), WAITS(WARP(1), SYNC_N(2, 64)),
	     ENDS(WARP(0), SYNC_N(1, 64)), GIVES(WARP(0), 0));
	for (i = 0; i < 100; i++) {
		play(&m, STILL(WARP(1)), DOES(WARP(0), ARRIVE(2, 64)), GIVES(WARP(1), 0),
		     WAITS(WARP(0), SYNC_N(1, 64)), DOES(WARP(1), ARRIVE(1, 64)), GIVES(WARP(0), 0),
		     WAITS(WARP(1), SYNC_N(2, 64)));
	}
	rv_end(&m);
}

/* FlashAttention-3's epilogue: warp 1 arrives like the others, and then waits for all of them. */
TEST(the_last_warp_arrives_and_then_waits)
{
	four_warps(1);
	/* Warp 1 is the first to arrive. */
	play(&m, DOES(WARP(1), ARRIVE(1, 96)), WAITS(WARP(1), SYNC_N(1, 96)),
	     DOES(WARP(0), ARRIVE(1, 96)), GIVES(WARP(1), 0),
	     /* Warp 1 arrives between the other two. */
	     DOES(WARP(0), ARRIVE(1, 128)), DOES(WARP(1), ARRIVE(1, 128)),
	     WAITS(WARP(1), SYNC_N(1, 128)), DOES(WARP(2), ARRIVE(1, 128)), GIVES(WARP(1), 0),
	     /* Warp 1 is the last to arrive. */
	     DOES(WARP(0), ARRIVE(1, 96)), DOES(WARP(1), ARRIVE(1, 96)),
	     ENDS(WARP(1), SYNC_N(1, 96)), GIVES(WARP(1), 0));
	rv_end(&m);
}

TEST(a_count_may_be_above_the_threads_of_the_cta)
{
	int i, k;

	rv_begin(&m, 1, 1);
	for (k = 0; k < 10; k++) {
		for (i = 0; i < 2047; i++)
			play(&m, DOES(WARP(0), ARRIVE(0, 65536)));
		play(&m, ENDS(WARP(0), SYNC_N(0, 65536)), GIVES(WARP(0), 0));
	}
	rv_end(&m);

	/* With very large counts an arrival still counts 32 threads, and waiters stay suspended. */
	four_warps(1);
	play(&m, WAITS(WARP(3), SYNC_N(0, 0xffffffe0)), WAITS(WARP(2), SYNC_N(1, 0x80000000)));
	for (i = 0; i < 10000; i++) {
		play(&m, DOES(WARP(0), ARRIVE(0, 0xffffffe0)),
		     DOES(WARP(1), ARRIVE(1, 0x80000000)));
	}
	play(&m, STILL(WARP(2)), STILL(WARP(3)),
	     WRONG_WITH(WARP(0), ARRIVE(0, 32), FAULT(BARRIER_MISMATCH), 0xffffffe0),
	     WRONG_WITH(WARP(0), ARRIVE(1, 32), FAULT(BARRIER_MISMATCH), 0x80000000));
	rv_end(&m);
}

/* No other thread can arrive. The core lets the thread wait; the driver reports DEADLOCK. */
TEST(the_core_lets_a_thread_wait_for_impossible_arrivals)
{
	scene(1, 1, WAITS(0, SYNC_N(0, 64)), STILL(WARP(0)));
}

TEST(reductions_are_over_all_threads)
{
	static const struct {
		__u8 red;
		__u32 trues;	/* out of 80 threads */
		__u64 result;
	} reds[] = {
		{ DRM_VSM_RED_POPC, 0, 0 }, { DRM_VSM_RED_POPC, 1, 1 },
		{ DRM_VSM_RED_POPC, 45, 45 }, { DRM_VSM_RED_POPC, 80, 80 },
		{ DRM_VSM_RED_AND, 80, 1 }, { DRM_VSM_RED_AND, 79, 0 }, { DRM_VSM_RED_AND, 0, 0 },
		{ DRM_VSM_RED_OR, 0, 0 }, { DRM_VSM_RED_OR, 1, 1 }, { DRM_VSM_RED_OR, 80, 1 },
	};
	size_t i;
	__u32 j;

	for (i = 0; i < ARRAY_SIZE(reds); i++) {
		rv_begin(&m, 1, 80);
		for (j = 0; j < 79; j++)
			play(&m, WAITS(79 - j, i_barrier_red(reds[i].red, 0, j < reds[i].trues)));
		play(&m, ENDS(0, i_barrier_red(reds[i].red, 0, j < reds[i].trues)),
		     ALL_GIVE(0, 79, reds[i].result));
		rv_end(&m);
	}
}

TEST(threads_that_have_exited_have_no_vote)
{
	scene(1, 64, EXITS(3), ALL_WAIT(0, 2, RED_ALL(AND, 1)), ALL_WAIT(4, 31, RED_ALL(AND, 1)),
	      ALL_WAIT(32, 62, RED_ALL(AND, 1)), EXITS(63), ALL_GIVE(32, 62, 1));
}

TEST(the_vote_of_a_thread_that_exits_does_not_count)
{
	scene(1, 66, ALL_WAIT(0, 31, RED_ALL(POPC, 1)), ALL_WAIT(64, 65, RED_ALL(POPC, 1)),
	      EXITS(7),
	      /* Thread 8 withdraws its warp. The warp arrives again without thread 7. */
	      LEAVES(8), WAITS(8, RED_ALL(POPC, 0)), ALL_WAIT(32, 62, RED_ALL(POPC, 0)),
	      ENDS(63, RED_ALL(POPC, 0)), ALL_GIVE(32, 65, 30 + 2));
}

TEST(a_barrier_without_a_count_is_released_by_exits)
{
	const struct drm_vsm_insn red = i_barrier_red(DRM_VSM_RED_POPC, 1, 1);

	/* Thread 32 is the last of its warp that has not arrived. It exits. */
	scene(1, 64, ALL_WAIT(0, 31, SYNC(0)), ALL_WAIT(33, 63, SYNC(0)), EXITS(32),
	      ALL_GIVE(33, 63, 0), ALL_GIVE(0, 31, 0));

	/* The last warp that has not arrived exits. */
	scene_of_warps(WAITS(WARP(0), SYNC(0)), WAITS(WARP(1), red), EXITS(WARP(3)), STILL(WARP(0)),
		       STILL(WARP(1)), WAITS(WARP(2), SYNC(0)), STILL(WARP(0)), LEAVES(WARP(0)),
		       WAITS(WARP(0), red), EXITS(WARP(2)),
		       GIVES(WARP(0), 2), GIVES(WARP(1), 2),
		       /* Two warps are left. Both arrive, and the barrier is released. */
		       WAITS(WARP(0), SYNC(0)), ENDS(WARP(1), SYNC(0)), GIVES(WARP(0), 0),
		       GIVES(WARP(1), 0), EXITS(WARP(1)), ENDS(WARP(0), SYNC(0)));
}

/*
 * A barrier with a count waits for arrivals, whatever warps exit. The cases are those of
 * selftests/golden/h100/cases.xz.
 */
TEST(exits_never_release_a_barrier_with_a_count)
{
	static const struct {
		unsigned int warps;	/* warps of the CTA */
		__u32 id, count;	/* barrier and count of the instruction */
		unsigned int waiting;	/* so many warps wait. The others exit */
	} cases[] = {
		{ 2, 1, 64, 1 },	/* cases 25 and 34 */
		{ 2, 0, 64, 1 },	/* case 33 */
		{ 3, 1, 64, 1 },	/* case 36 */
		{ 3, 1, 96, 2 },	/* case 37 */
	};
	unsigned int i, j, late;

	for (i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		const struct drm_vsm_insn sync = SYNC_N(cases[i / 2].id, cases[i / 2].count);
		const unsigned int warps = cases[i / 2].warps, waiting = cases[i / 2].waiting;

		/* The warps exit before the others wait, or after that. */
		rv_begin(&m, 1, warps * 32);
		for (late = 0; late < 2; late++) {
			for (j = waiting; late == i % 2 && j < warps; j++)
				play(&m, TOGETHER(WARP(j), i_exit()));
			for (j = 0; !late && j < waiting; j++)
				play(&m, TOGETHER(WARP(j), sync));
		}
		for (j = 0; j < waiting; j++)
			play(&m, STILL(WARP(j)));
		/* The core says what the barrier has and lacks. */
		vsm_rendezvous_note_deadlock(m.rv, 0);
		assert_int_equal(vsm_rendezvous_lane(m.rv, 0, 0)->insn.result,
				 ((1ULL << warps) - (1ULL << waiting)) << 32 | 32 * waiting);
		rv_end(&m);
	}

	/* Case 38: an arrival before the exit counts. */
	scene(1, 64, TOGETHER(WARP(1), ARRIVE(1, 64)), GIVES(WARP(1), 0),
	      TOGETHER(WARP(1), i_exit()), TOGETHER(0, SYNC_N(1, 64)), GIVES(0, 0));
}

TEST(a_deadlock_is_noted_for_named_barriers_only)
{
	rv_begin(&m, 2, 64);
	play(&m, TOGETHER(0, SYNC(3)), WAITS(32, i_warp_sync(3)), WAITS(34, SYNC_N(1, 64)),
	     TOGETHER(IN(1, 32), i_exit()), TOGETHER(IN(1, 0), SYNC_N(1, 64)));
	vsm_rendezvous_note_deadlock(m.rv, 0);
	assert_int_equal(vsm_rendezvous_lane(m.rv, 0, 0)->insn.result, 32);
	assert_int_equal(vsm_rendezvous_lane(m.rv, 0, 32)->insn.result, 0);
	/* Thread 34 is in the instruction. Its warp has not arrived. */
	assert_int_equal(vsm_rendezvous_lane(m.rv, 0, 34)->insn.result, 0);
	assert_int_equal(vsm_rendezvous_lane(m.rv, 1, 0)->insn.result, 0);
	vsm_rendezvous_note_deadlock(m.rv, 1);
	assert_int_equal(vsm_rendezvous_lane(m.rv, 1, 0)->insn.result, 2ULL << 32 | 32);
	rv_end(&m);
}

TEST(an_exit_after_an_arrival_is_not_to_blame_for_a_deadlock)
{
	/* Warp 1 has arrived, warp 2 not. */
	rv_begin(&m, 1, 96);
	play(&m, TOGETHER(WARP(1), ARRIVE(1, 96)), GIVES(WARP(1), 0), TOGETHER(WARP(1), i_exit()),
	     TOGETHER(WARP(2), i_exit()), TOGETHER(0, SYNC_N(1, 96)));
	vsm_rendezvous_note_deadlock(m.rv, 0);
	assert_int_equal(vsm_rendezvous_lane(m.rv, 0, 0)->insn.result, 4ULL << 32 | 64);
	rv_end(&m);
	rv_begin(&m, 1, 128);	/* warp 2 lives and is not there */
	play(&m, TOGETHER(WARP(3), i_exit()), TOGETHER(0, SYNC_N(1, 96)),
	     TOGETHER(WARP(1), SYNC_N(1, 96)), TOGETHER(WARP(2), SYNC_N(2, 64)));
	vsm_rendezvous_note_deadlock(m.rv, 0);
	assert_int_equal(vsm_rendezvous_lane(m.rv, 0, 0)->insn.result, 64);
	rv_end(&m);
}

/* A barrier with a count waits for arrivals. Any warp that has not exited may make them. */
TEST(a_barrier_with_a_count_may_be_completed_by_any_warp)
{
	/* Warp 2 exits. The second arrival of warp 0 counts in place of an arrival of warp 2. */
	scene(1, 65, EXITS(WARP(2)), TOGETHER(0, ARRIVE(0, 96)), GIVES(0, 0),
	      TOGETHER(32, ARRIVE(0, 96)), GIVES(32, 0), TOGETHER(0, SYNC_N(0, 96)), GIVES(0, 0));

	/* Warp 1 has arrived and does not wait: it may arrive again. */
	scene_of_warps(EXITS(WARP(3)), WAITS(WARP(0), SYNC_N(0, 128)),
		       DOES(WARP(1), ARRIVE(0, 128)), EXITS(WARP(2)), STILL(WARP(0)),
		       DOES(WARP(1), ARRIVE(0, 128)), STILL(WARP(0)), DOES(WARP(1), ARRIVE(0, 128)),
		       GIVES(WARP(0), 0),
		       /* It is not released if warp 1 waits there too, or exits. */
		       WAITS(WARP(0), SYNC_N(0, 128)), DOES(WARP(1), ARRIVE(0, 128)),
		       WAITS(WARP(1), SYNC_N(0, 128)), STILL(WARP(0)), LEAVES(WARP(1)),
		       EXITS(WARP(1)), STILL(WARP(0)), LEAVES(WARP(0)),
		       /* The generation goes on: it has the arrival of warp 1, and its count. */
		       WRONG_WITH(WARP(0), SYNC_N(0, 32), FAULT(BARRIER_MISMATCH), 128),
		       DOES(WARP(0), ARRIVE(0, 128)), DOES(WARP(0), ARRIVE(0, 128)),
		       ENDS(WARP(0), SYNC_N(0, 128)), GIVES(WARP(0), 0));

	/* Warp 2 waits at barrier 1, and could arrive at barrier 0 later. Both barriers wait. */
	scene_of_warps(EXITS(WARP(3)), WAITS(WARP(0), SYNC_N(0, 96)),
		       WAITS(WARP(1), SYNC_N(0, 96)), WAITS(WARP(2), SYNC_N(1, 64)),
		       STILL(WARP(0)), STILL(WARP(1)), LEAVES(WARP(2)),
		       ENDS(WARP(2), SYNC_N(0, 96)));
}

/* If a warp waits without a count, the barrier waits for one arrival of each warp. */
TEST(all_threads_have_arrived_if_each_warp_has_or_has_exited)
{
	scene_of_warps(DOES(WARP(0), ARRIVE(0, 128)), WAITS(WARP(1), SYNC(0)), EXITS(WARP(3)),
		       STILL(WARP(1)), ENDS(WARP(2), SYNC(0)), GIVES(WARP(1), 0), GIVES(WARP(2), 0),
		       /* One warp that gives no count is enough; the others may give one. */
		       DOES(WARP(0), ARRIVE(0, 128)), WAITS(WARP(1), SYNC_N(0, 128)),
		       ENDS(WARP(2), SYNC(0)), GIVES(WARP(1), 0), GIVES(WARP(2), 0),
		       /* After that warp has withdrawn, the barrier waits for 128 threads again. */
		       DOES(WARP(0), ARRIVE(0, 128)), WAITS(WARP(1), SYNC(0)), LEAVES(WARP(1)),
		       WAITS(WARP(2), SYNC_N(0, 128)), DOES(WARP(1), ARRIVE(0, 128)),
		       STILL(WARP(2)), DOES(WARP(1), ARRIVE(0, 128)), GIVES(WARP(2), 0));

	/* The same happens after the warp that waits without a count has exited. */
	scene_of_warps(EXITS(WARP(3)), DOES(WARP(0), ARRIVE(0, 128)), WAITS(WARP(1), SYNC(0)),
		       EXITS(WARP(1)), WAITS(WARP(2), SYNC_N(0, 128)),
		       DOES(WARP(0), ARRIVE(0, 128)), GIVES(WARP(2), 0));
}

TEST(withdrawing_undoes_only_the_arrival_that_waits)
{
	scene_of_warps(DOES(WARP(0), ARRIVE(0, 128)), DOES(WARP(0), ARRIVE(0, 128)),
		       WAITS(WARP(0), SYNC_N(0, 128)), LEAVES(WARP(0)),
		       WRONG_WITH(WARP(0), SYNC_N(0, 64), FAULT(BARRIER_MISMATCH), 128),
		       WAITS(WARP(1), SYNC_N(0, 128)), ENDS(WARP(0), SYNC_N(0, 128)),
		       GIVES(WARP(0), 0), GIVES(WARP(1), 0));
}

TEST(a_thread_withdraws_its_whole_warp)
{
	scene(1, 34, ALL_WAIT(0, 31, RED_ALL(POPC, 1)), LEAVES(5), WAITS(33, RED_ALL(POPC, 1)),
	      WAITS(32, RED_ALL(POPC, 1)), ENDS(5, RED_ALL(POPC, 0)), ALL_GIVE(0, 33, 33),
	      /* When the last warp withdraws, the generation ends. A new count is legal. */
	      ALL_WAIT(0, 31, SYNC(0)), LEAVES(0), WAITS(33, SYNC_N(0, 32)),
	      ENDS(32, SYNC_N(0, 32)));
}

TEST(a_converged_warp_arrives_at_once)
{
	scene(1, 96, TOGETHER(3, RED_ALL(POPC, 1)), STILL(3), TOGETHER(40, RED_ALL(POPC, 0)),
	      /* Threads 4 and 3 are in the instruction that thread 3 executes for its warp. */
	      WRONG(4, i_warp_sync(0x10), FAULT(THREAD_SUSPENDED)),
	      WRONG(4, RED_ALL(POPC, 1), FAULT(THREAD_SUSPENDED)),
	      WRONG(3, RED_ALL(POPC, 1), FAULT(THREAD_SUSPENDED)), TOGETHER(3, RED_ALL(POPC, 1)),
	      TOGETHER(65, RED_ALL(POPC, 1)), GIVES(65, 64), GIVES(40, 64), GIVES(3, 64), FREE(4));
}

/* --- misuse of named barriers ---------------------------------------------- */

TEST(a_generation_has_one_count)
{
	scene_of_warps(WAITS(WARP(0), SYNC_N(0, 96)),
		       WRONG_WITH(WARP(1), SYNC_N(0, 64), FAULT(BARRIER_MISMATCH), 96),
		       WRONG_WITH(WARP(1), SYNC(0), FAULT(BARRIER_MISMATCH), 96),
		       WRONG_WITH(WARP(1), ARRIVE(0, 128), FAULT(BARRIER_MISMATCH), 96),
		       ENDS(WARP(1), ARRIVE(0, 96)), ENDS(WARP(2), SYNC_N(0, 96)));
}

TEST(a_second_arrival_of_a_warp_is_noted)
{
	four_warps(1);
	play(&m, DOES(WARP(0), ARRIVE(0, 96)));
	assert_int_equal(m.rv->noted, FAULT(NONE));
	play(&m, DOES(WARP(1), ARRIVE(0, 96)));
	assert_int_equal(m.rv->noted, FAULT(NONE));
	play(&m, ENDS(WARP(0), SYNC_N(0, 96)));
	assert_int_equal(m.rv->noted, FAULT(BARRIER_OVERFLOW));
	m.rv->noted = FAULT(NONE);
	play(&m, GIVES(WARP(0), 0),
	     /* Not noted: arrivals that are refused, withdrawn or of an earlier generation. */
	     DOES(WARP(0), ARRIVE(0, 96)), WRONG(WARP(0), ARRIVE(0, 64), FAULT(BARRIER_MISMATCH)));
	assert_int_equal(m.rv->noted, FAULT(NONE));
	play(&m, WAITS(WARP(1), SYNC_N(0, 96)), LEAVES(WARP(1)), WAITS(WARP(1), SYNC_N(0, 96)),
	     ENDS(WARP(2), SYNC_N(0, 96)), DOES(WARP(0), ARRIVE(0, 96)));
	assert_int_equal(m.rv->noted, FAULT(NONE));
	rv_end(&m);
}

/* A cluster can enforce the rule that a warp arrives once in a generation. */
TEST(a_warp_arrives_once_in_a_generation)
{
	scene_of_warps(ENFORCES(BARRIER_OVERFLOW), ENDS(WARP(0), ARRIVE(0, 64)), GIVES(WARP(0), 0),
		       WRONG(WARP(0), ARRIVE(0, 64), FAULT(BARRIER_OVERFLOW)),
		       WRONG(WARP(0), SYNC_N(0, 64), FAULT(BARRIER_OVERFLOW)),
		       ENDS(WARP(0), ARRIVE(1, 64)), GIVES(WARP(0), 0),
		       ENDS(WARP(1), SYNC_N(0, 64)), ENDS(WARP(0), ARRIVE(0, 64)));
}

TEST(reductions_are_not_mixed)
{
	const struct {
		struct drm_vsm_insn x, y;
		enum drm_vsm_fault fault;
	} pairs[] = {
		{ SYNC_N(0, 64), RED_N(AND, 64, 1), FAULT(BARRIER_MIXED) },
		{ ARRIVE(0, 64), RED_N(AND, 64, 1), FAULT(BARRIER_MIXED) },
		{ RED_N(AND, 64, 1), SYNC_N(0, 64), FAULT(BARRIER_MIXED) },
		{ RED_N(AND, 64, 1), ARRIVE(0, 64), FAULT(BARRIER_MIXED) },
		{ RED_N(AND, 64, 1), RED_N(OR, 64, 1), FAULT(BARRIER_MIXED) },
		{ RED_N(OR, 64, 1), RED_N(POPC, 64, 1), FAULT(BARRIER_MIXED) },
		{ RED_N(OR, 64, 1), RED_N(OR, 64, 0), FAULT(NONE) },
		{ SYNC_N(0, 64), ARRIVE(0, 64), FAULT(NONE) },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++)
		scene_of_warps(GOES(WARP(0), pairs[i].x),
			       WRONG(WARP(1), pairs[i].y, pairs[i].fault));
}

/*
 * A warp arrives when its last thread executes the instruction. That thread gets the fault. If it
 * exits instead, all waiting threads of the warp get the fault.
 */
TEST(the_warp_arrives_with_its_last_thread)
{
	const struct {
		struct drm_vsm_insn before, insn;
		enum drm_vsm_fault fault;
		__u32 info;
	} pairs[] = {
		{ SYNC_N(0, 64), SYNC_N(0, 96), FAULT(BARRIER_MISMATCH), 64 },
		{ RED_N(OR, 64, 0), SYNC_N(0, 64), FAULT(BARRIER_MIXED), 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		rv_begin(&m, 1, 68);
		play(&m, ALL_WAIT(0, 31, pairs[i].before), ALL_WAIT(65, 67, pairs[i].insn),
		     WRONG_WITH(64, pairs[i].insn, pairs[i].fault, pairs[i].info), STILL(65),
		     EXITS(64), FAULTS_WITH(65, pairs[i].fault, pairs[i].info),
		     FAULTS(66, pairs[i].fault), FAULTS(67, pairs[i].fault),
		     /* Warp 0, which has arrived before the fault, still waits. */
		     STILL(0), ALL_WAIT(65, 66, pairs[i].before), ENDS(67, pairs[i].before),
		     ALL_GIVE(0, 31, 0));
		rv_end(&m);
	}
	scene(1, 35, ENFORCES(BARRIER_OVERFLOW), ALL_WAIT(32, 33, ARRIVE(0, 64)),
	      ENDS(34, ARRIVE(0, 64)), ALL_GIVE(32, 34, 0), ALL_WAIT(32, 33, SYNC_N(0, 64)),
	      EXITS(34), FAULTS(32, FAULT(BARRIER_OVERFLOW)), FAULTS(33, FAULT(BARRIER_OVERFLOW)));
}

TEST(a_warp_is_at_one_barrier_at_a_time)
{
	const struct drm_vsm_insn pairs[][2] = {
		{ SYNC(0), SYNC(1) },
		{ SYNC(0), SYNC_N(0, 64) },
		{ SYNC_N(0, 64), SYNC_N(0, 32) },
		{ SYNC_N(0, 64), ARRIVE(0, 64) },
		{ SYNC(0), RED_ALL(AND, 0) },
		{ RED_ALL(OR, 0), RED_ALL(AND, 0) },
		{ SYNC(0), i_aligned(SYNC(0)) },
		{ SYNC(0), CLUSTER_ARRIVE },
		{ CLUSTER_ARRIVE, i_cluster_arrive_relaxed() },
		{ i_cluster_arrive_relaxed(),
		  { .op = OP(BARRIER_CLUSTER_ARRIVE), .sem = DRM_VSM_SEM_RELEASE } },
		{ i_warp_sync(3), SYNC(0) },
		{ i_warp_sync(EVERYONE), CLUSTER_ARRIVE },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		scene(1, 33, WAITS(1, pairs[i][0]),
		      WRONG_WITH(0, pairs[i][1], FAULT(PARTIAL_WARP), 1), GOES(0, pairs[i][0]));
	}
	/* If a thread of the mask already waits at a barrier, the warp operation is refused. */
	scene(1, 3, WAITS(1, SYNC(0)), WRONG_WITH(0, i_warp_sync(3), FAULT(WARP_MISMATCH), 1),
	      /* The waiting thread is not in this mask: the warp operation is legal. */
	      WAITS(0, i_warp_sync(5)), ENDS(2, i_warp_sync(5)), GIVES(0, 0), GIVES(2, 0),
	      WAITS(0, SYNC(0)), ENDS(2, SYNC(0)), ALL_GIVE(0, 2, 0));
}

TEST(barriers_are_0_to_15_and_counts_whole_warps)
{
	static const struct {
		__u32 id, count, threads;
		enum drm_vsm_fault fault;
	} checks[] = {
		{ 0, 32, 1, FAULT(NONE) }, { 15, 32, 1, FAULT(NONE) },
		{ 16, 32, 1, FAULT(BARRIER_ID) }, { ~0U, 32, 1, FAULT(BARRIER_ID) },
		{ 0, 1, 1, FAULT(BARRIER_COUNT) }, { 0, 33, 1024, FAULT(BARRIER_COUNT) },
		{ 0, 64, 32, FAULT(NONE) }, { 0, 1056, 1024, FAULT(NONE) },
		{ 0, 0x80000000, 1, FAULT(NONE) }, { 0, 0xffffffe0, 1, FAULT(NONE) },
		{ 0, 0x80000010, 1, FAULT(BARRIER_COUNT) },
		{ 0, ~0U, 1024, FAULT(BARRIER_COUNT) },
	};
	struct vsm_geometry geo = unit_geometry(90, true);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(checks) * 6; i++) {
		const __u32 id = checks[i / 6].id, count = checks[i / 6].count;
		const struct drm_vsm_insn insns[] = {
			SYNC_N(id, count), ARRIVE(id, count),
			i_barrier_red_n(DRM_VSM_RED_OR, id, count, 0),
		};
		enum drm_vsm_fault fault = 0;

		geo.threads = checks[i / 6].threads;
		geo.strict = i % 2;
		assert_int_equal(check_insn(&geo, 0, &insns[i / 2 % 3], &fault),
				 checks[i / 6].fault ? -EPROTO : 0);
		assert_int_equal(fault, checks[i / 6].fault);
	}
	/* PTX forbids a count of 0. It does not mean "no count". */
	for (i = 0; i < 3; i++) {
		struct drm_vsm_insn insn = { .op = OP(BARRIER_SYNC) + i, .mods = MOD(COUNT) };
		enum drm_vsm_fault fault = 0;

		insn.red = i == 2 ? DRM_VSM_RED_AND : 0;
		assert_int_equal(check_insn(&geo, 0, &insn, &fault), -EPROTO);
		assert_int_equal(fault, FAULT(BARRIER_COUNT));
	}
}
