// SPDX-License-Identifier: MIT
/*
 * Named barriers and the barrier of the cluster: who waits, for whom, how often, and what is
 * misuse. One test for each rule.
 */
#include "meet.h"

static struct meet m;

#define SYNC(id)		i_barrier_sync(id)
#define SYNC_N(id, count)	i_barrier_sync_n(id, count)
#define ARRIVE(id, count)	i_barrier_arrive(id, count)
#define RED_ALL(op, pred)	i_barrier_red(DRM_VSM_RED_##op, 0, pred)
#define RED_N(op, count, pred)	i_barrier_red_n(DRM_VSM_RED_##op, 0, count, pred)
#define CLUSTER_ARRIVE		i_cluster_arrive()
#define CLUSTER_WAIT		i_cluster_wait()

/* CTAs of four warps of one thread each, which are what barriers are about. */
static void four_warps(__u32 ctas)
{
	__u32 cta, i;

	meet_begin(&m, ctas, 128);
	for (cta = 0; cta < ctas; cta++)
		for (i = 0; i < 128; i++)
			if (i % 32)
				assert_int_equal(meet_go_as(&m, cta, i, false, i_exit()), 0);
}

#define WARP(n)		((n) * 32)

static void exit_warp(__u32 warp)
{
	meet_exit(&m, WARP(warp));
}

static bool warp_waits(__u32 warp)
{
	return meet_waits(&m, 0, WARP(warp));
}

/* --- named barriers -------------------------------------------------------- */

TEST(a_barrier_waits_for_all_threads_of_the_cta)
{
	meet_begin(&m, 1, 96);
	meet_all_wait(&m, 40, 95, SYNC(0));
	meet_all_wait(&m, 0, 38, SYNC(0));
	go_and_end(&m, 39, SYNC(0));
	meet_all_end(&m, 0, 95, 0);
	meet_end(&m);
}

TEST(a_count_is_of_whole_warps)
{
	__u32 warps, i;

	for (warps = 1; warps <= 4; warps++) {
		four_warps(1);
		for (i = 0; i < warps - 1; i++)
			go_and_wait(&m, WARP(3 - i), SYNC_N(15, warps * 32));
		go_and_end(&m, 0, SYNC_N(15, warps * 32));
		for (i = 0; i < warps - 1; i++)
			assert_int_equal(meet_result(&m, WARP(3 - i)), 0);
		meet_end(&m);
	}
}

/* 33 threads are two warps, whose counts are 32 and 64. */
TEST(a_warp_that_lacks_threads_counts_as_one)
{
	meet_begin(&m, 1, 33);
	go_and_wait(&m, 32, SYNC_N(1, 64));
	meet_all_wait(&m, 0, 30, SYNC_N(1, 64));
	go_and_end(&m, 31, SYNC_N(1, 64));
	meet_all_end(&m, 0, 32, 0);
	go_and_wait(&m, 32, SYNC(1));
	meet_all_wait(&m, 0, 30, SYNC(1));
	go_and_end(&m, 31, SYNC(1));
	meet_all_end(&m, 0, 32, 0);
	go_and_end(&m, 32, SYNC_N(1, 32));
	meet_all_end(&m, 32, 32, 0);
	meet_end(&m);
}

TEST(no_count_is_the_count_of_all)
{
	four_warps(1);
	go_and_wait(&m, WARP(0), SYNC(0));
	go_and_wait(&m, WARP(1), SYNC_N(0, 128));
	go_and_wait(&m, WARP(2), SYNC(0));
	go_and_end(&m, WARP(3), SYNC_N(0, 128));
	meet_all_end(&m, 0, 0, 0);
	meet_end(&m);
}

TEST(generations_follow_each_other)
{
	int i;

	four_warps(1);
	for (i = 0; i < 1000; i++) {
		go_and_wait(&m, WARP(i % 3), SYNC_N(3, 64));
		go_and_end(&m, WARP(3), SYNC_N(3, 64));
		assert_int_equal(meet_result(&m, WARP(3)), 0);
		assert_int_equal(meet_result(&m, WARP(i % 3)), 0);
	}
	/* The next may have another count, and a reduction. */
	go_and_wait(&m, WARP(0), SYNC_N(3, 96));
	go_and_wait(&m, WARP(1), SYNC_N(3, 96));
	go_and_end(&m, WARP(2), SYNC_N(3, 96));
	go_and_end(&m, WARP(3), i_barrier_red_n(DRM_VSM_RED_POPC, 3, 32, 1));
	assert_int_equal(meet_result(&m, WARP(3)), 1);
	meet_end(&m);
}

/* Those released have yet to take their result when others come to the next generation. */
TEST(the_next_generation_may_begin_at_once)
{
	four_warps(1);
	go_and_wait(&m, WARP(0), RED_N(POPC, 64, 1));
	go_and_end(&m, WARP(1), RED_N(POPC, 64, 1));
	go_and_wait(&m, WARP(2), RED_N(POPC, 64, 0));
	assert_int_equal(meet_result(&m, WARP(0)), 2);
	go_and_end(&m, WARP(0), RED_N(POPC, 64, 0));
	assert_int_equal(meet_result(&m, WARP(2)), 0);
	assert_int_equal(meet_result(&m, WARP(1)), 2);
	meet_end(&m);
}

TEST(sixteen_barriers_and_ctas_are_apart)
{
	__u32 i;

	meet_begin(&m, 2, 1024);
	for (i = 0; i < 1024; i++)
		if (i % 32)
			meet_exit(&m, i);
	for (i = 0; i < 16; i++)
		go_and_wait(&m, WARP(i), SYNC_N(i, 64));
	assert_int_equal(meet_go_as(&m, 1, 0, false, SYNC_N(0, 64)), FAULT(NONE));
	assert_true(meet_waits(&m, 1, 0));
	for (i = 0; i < 16; i++) {
		assert_true(warp_waits(15 - i));
		go_and_end(&m, WARP(16 + i), SYNC_N(15 - i, 64));
		assert_int_equal(meet_result(&m, WARP(15 - i)), 0);
	}
	assert_true(meet_waits(&m, 1, 0));
	meet_end(&m);
}

TEST(an_arrive_waits_for_its_warp_alone)
{
	meet_begin(&m, 1, 64);
	meet_all_wait(&m, 0, 30, ARRIVE(0, 64));
	go_and_end(&m, 31, ARRIVE(0, 64));
	meet_all_end(&m, 0, 31, 0);
	meet_all_wait(&m, 32, 62, SYNC_N(0, 64));
	go_and_end(&m, 63, SYNC_N(0, 64));
	meet_all_end(&m, 32, 63, 0);
	meet_end(&m);
}

/* PTX's producers and consumers: one buffer is full, the other empty. */
TEST(producers_and_consumers_alternate)
{
	int i;

	four_warps(1);
	for (i = 0; i < 100; i++) {
		/* The producer waits until it is empty. */
		go_and_wait(&m, WARP(0), SYNC_N(i % 2, 64));
		go_and_end(&m, WARP(1), ARRIVE(i % 2, 64));
		assert_int_equal(meet_result(&m, WARP(0)), 0);
		assert_int_equal(meet_result(&m, WARP(1)), 0);
		/* The consumer waits until it is full. */
		go_and_end(&m, WARP(0), ARRIVE(2 + i % 2, 64));
		go_and_end(&m, WARP(1), SYNC_N(2 + i % 2, 64));
		assert_int_equal(meet_result(&m, WARP(0)), 0);
		assert_int_equal(meet_result(&m, WARP(1)), 0);
	}
	meet_end(&m);
}

TEST(arrives_alone_complete_a_generation)
{
	int i;

	four_warps(1);
	for (i = 0; i < 4; i++) {
		go_and_end(&m, WARP(0), ARRIVE(0, 64));
		go_and_end(&m, WARP(1), ARRIVE(0, 64));
		meet_result(&m, WARP(0));
		meet_result(&m, WARP(1));
	}
	go_and_wait(&m, WARP(2), SYNC_N(0, 64));
	meet_end(&m);
}

static void arrive(__u32 warp, __u32 id, __u32 count)
{
	go_and_end(&m, WARP(warp), ARRIVE(id, count));
	assert_int_equal(meet_result(&m, WARP(warp)), 0);
}

/*
 * FlashAttention-3's warp scheduler: each warp syncs at its own barrier, works, and arrives at
 * the other's. The first turn is the first warp's, which has arrived at its barrier itself.
 */
TEST(two_warps_take_turns_if_the_first_arrives_at_its_own_barrier)
{
	int i;

	four_warps(1);
	arrive(0, 1, 64);
	go_and_wait(&m, WARP(1), SYNC_N(2, 64));
	go_and_end(&m, WARP(0), SYNC_N(1, 64));
	meet_result(&m, WARP(0));
	for (i = 0; i < 100; i++) {
		assert_true(warp_waits(1));
		arrive(0, 2, 64);
		meet_result(&m, WARP(1));
		go_and_wait(&m, WARP(0), SYNC_N(1, 64));
		arrive(1, 1, 64);
		meet_result(&m, WARP(0));
		go_and_wait(&m, WARP(1), SYNC_N(2, 64));
	}
	meet_end(&m);
}

/* And its epilogue: the last warp arrives as the others do, and then waits for all of them. */
TEST(the_last_warp_arrives_and_then_waits)
{
	four_warps(1);
	/* It comes first, */
	arrive(1, 1, 96);
	go_and_wait(&m, WARP(1), SYNC_N(1, 96));
	arrive(0, 1, 96);
	meet_result(&m, WARP(1));
	/* between the others, */
	arrive(0, 1, 128);
	arrive(1, 1, 128);
	go_and_wait(&m, WARP(1), SYNC_N(1, 128));
	arrive(2, 1, 128);
	meet_result(&m, WARP(1));
	/* and last. */
	arrive(0, 1, 96);
	arrive(1, 1, 96);
	go_and_end(&m, WARP(1), SYNC_N(1, 96));
	meet_result(&m, WARP(1));
	meet_end(&m);
}

TEST(a_count_may_be_above_the_threads_of_the_cta)
{
	int i, k;

	meet_begin(&m, 1, 1);
	for (k = 0; k < 10; k++) {
		for (i = 0; i < 2047; i++)
			arrive(0, 0, 65536);
		go_and_end(&m, WARP(0), SYNC_N(0, 65536));
		meet_result(&m, WARP(0));
	}
	meet_end(&m);

	/* However large it is, each arrival is one, and waiters stay suspended. */
	four_warps(1);
	go_and_wait(&m, WARP(3), SYNC_N(0, 0xffffffe0));
	go_and_wait(&m, WARP(2), SYNC_N(1, 0x80000000));
	for (i = 0; i < 10000; i++) {
		arrive(0, 0, 0xffffffe0);
		arrive(1, 1, 0x80000000);
	}
	assert_true(warp_waits(2) && warp_waits(3));
	go_wrong_with(&m, WARP(0), ARRIVE(0, 32), FAULT(BARRIER_MISMATCH), 0xffffffe0);
	go_wrong_with(&m, WARP(0), ARRIVE(1, 32), FAULT(BARRIER_MISMATCH), 0x80000000);
	meet_end(&m);
}

/* It hangs, and DEADLOCK is for that. */
TEST(arrivals_that_nobody_can_bring_are_awaited_until_one_exits)
{
	meet_begin(&m, 1, 1);
	go_and_wait(&m, 0, SYNC_N(0, 64));
	assert_true(warp_waits(0));
	meet_end(&m);
}

TEST(reductions_are_over_all_threads)
{
	static const struct {
		__u8 red;
		__u32 trues;	/* of 80 threads */
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
		meet_begin(&m, 1, 80);
		for (j = 0; j < 79; j++)
			go_and_wait(&m, 79 - j, i_barrier_red(reds[i].red, 0, j < reds[i].trues));
		go_and_end(&m, 0, i_barrier_red(reds[i].red, 0, j < reds[i].trues));
		meet_all_end(&m, 0, 79, reds[i].result);
		meet_end(&m);
	}
}

TEST(threads_that_have_exited_have_no_vote)
{
	meet_begin(&m, 1, 64);
	meet_exit(&m, 3);
	meet_all_wait(&m, 0, 2, RED_ALL(AND, 1));
	meet_all_wait(&m, 4, 31, RED_ALL(AND, 1));
	meet_all_wait(&m, 32, 62, RED_ALL(AND, 1));
	meet_exit(&m, 63);
	meet_all_end(&m, 32, 62, 1);
	meet_end(&m);
}

TEST(who_exits_from_an_arrived_warp_takes_its_vote_along)
{
	meet_begin(&m, 1, 66);
	meet_all_wait(&m, 0, 31, RED_ALL(POPC, 1));
	meet_all_wait(&m, 64, 65, RED_ALL(POPC, 1));
	meet_exit(&m, 7);
	/* The warp arrives anew, and with the votes that there are. */
	vsm_rendezvous_withdraw(m.rv, 0, 8);
	go_and_wait(&m, 8, RED_ALL(POPC, 0));
	meet_all_wait(&m, 32, 62, RED_ALL(POPC, 0));
	go_and_end(&m, 63, RED_ALL(POPC, 0));
	meet_all_end(&m, 32, 65, 30 + 2);
	meet_end(&m);
}

TEST(a_barrier_that_waits_for_exited_threads_is_released)
{
	/* The last thread of a warp, */
	meet_begin(&m, 1, 64);
	meet_all_wait(&m, 0, 31, SYNC(0));
	meet_all_wait(&m, 33, 63, SYNC(0));
	meet_exit(&m, 32);
	meet_all_end(&m, 33, 63, 0);
	meet_all_end(&m, 0, 31, 0);
	meet_end(&m);

	/* and the last warp, of those counted or not; */
	four_warps(1);
	go_and_wait(&m, WARP(0), SYNC(0));
	go_and_wait(&m, WARP(1), i_barrier_red_n(DRM_VSM_RED_POPC, 1, 96, 1));
	exit_warp(3);
	assert_true(warp_waits(0) && warp_waits(1));
	go_and_wait(&m, WARP(2), SYNC(0));
	assert_true(warp_waits(0));
	vsm_rendezvous_withdraw(m.rv, 0, WARP(0));
	go_and_wait(&m, WARP(0), i_barrier_red_n(DRM_VSM_RED_POPC, 1, 96, 1));
	exit_warp(2);
	assert_int_equal(meet_result(&m, WARP(0)), 2);
	assert_int_equal(meet_result(&m, WARP(1)), 2);
	/* and where nobody else is left nobody is waited for. */
	go_and_wait(&m, WARP(0), SYNC_N(0, 128));
	go_and_end(&m, WARP(1), SYNC_N(0, 128));
	meet_result(&m, WARP(0));
	meet_result(&m, WARP(1));
	exit_warp(1);
	go_and_end(&m, WARP(0), SYNC_N(0, 128));
	meet_end(&m);
}

/* A barrier with a count waits for arrivals, which whoever is left may bring. */
TEST(a_count_is_awaited_while_a_warp_is_left_that_does_not_wait)
{
	/* The exit is the third warp's; the arrivals are counted, whoever brings them. */
	meet_begin(&m, 1, 65);
	meet_exit(&m, WARP(2));
	assert_int_equal(meet_go_as(&m, 0, 0, true, ARRIVE(0, 96)), FAULT(NONE));
	meet_result(&m, 0);
	assert_int_equal(meet_go_as(&m, 0, 32, true, ARRIVE(0, 96)), FAULT(NONE));
	meet_result(&m, 32);
	assert_int_equal(meet_go_as(&m, 0, 0, true, SYNC_N(0, 96)), FAULT(NONE));
	assert_int_equal(meet_result(&m, 0), 0);
	meet_end(&m);

	/* Warp 1 has arrived, and may again. */
	four_warps(1);
	exit_warp(3);
	go_and_wait(&m, WARP(0), SYNC_N(0, 128));
	arrive(1, 0, 128);
	exit_warp(2);
	assert_true(warp_waits(0));
	arrive(1, 0, 128);
	assert_true(warp_waits(0));
	arrive(1, 0, 128);
	meet_result(&m, WARP(0));
	/* Or it exits, or waits there too. */
	go_and_wait(&m, WARP(0), SYNC_N(0, 128));
	arrive(1, 0, 128);
	go_and_end(&m, WARP(1), SYNC_N(0, 128));
	meet_result(&m, WARP(0));
	meet_result(&m, WARP(1));
	go_and_wait(&m, WARP(0), SYNC_N(0, 128));
	arrive(1, 0, 128);
	assert_true(warp_waits(0));
	exit_warp(1);
	meet_result(&m, WARP(0));
	/* What has been completed so is over. */
	go_and_end(&m, WARP(0), SYNC_N(0, 32));
	meet_result(&m, WARP(0));
	meet_end(&m);

	/* At another barrier it waits, and cannot come before that one is complete. */
	four_warps(1);
	exit_warp(3);
	go_and_wait(&m, WARP(0), SYNC_N(0, 128));
	go_and_wait(&m, WARP(1), SYNC_N(0, 128));
	go_and_wait(&m, WARP(2), SYNC_N(1, 64));
	assert_true(warp_waits(0) && warp_waits(1));
	vsm_rendezvous_withdraw(m.rv, 0, WARP(2));
	go_and_end(&m, WARP(2), SYNC_N(0, 128));
	meet_end(&m);
}

/* Without a count each warp is waited for once. */
TEST(all_threads_have_arrived_if_each_warp_has_or_has_exited)
{
	four_warps(1);
	arrive(0, 0, 128);
	go_and_wait(&m, WARP(1), SYNC(0));
	exit_warp(3);
	assert_true(warp_waits(1));
	go_and_end(&m, WARP(2), SYNC(0));
	meet_result(&m, WARP(1));
	meet_result(&m, WARP(2));
	/* One that waits so is enough, whatever form the others have. */
	arrive(0, 0, 128);
	go_and_wait(&m, WARP(1), SYNC_N(0, 128));
	go_and_end(&m, WARP(2), SYNC(0));
	meet_result(&m, WARP(1));
	meet_result(&m, WARP(2));
	/* It is by its waiting that it asks for all; and a warp counts as often as it arrives. */
	arrive(0, 0, 128);
	go_and_wait(&m, WARP(1), SYNC(0));
	vsm_rendezvous_withdraw(m.rv, 0, WARP(1));
	go_and_wait(&m, WARP(2), SYNC_N(0, 128));
	arrive(1, 0, 128);
	assert_true(warp_waits(2));
	arrive(1, 0, 128);
	meet_result(&m, WARP(2));
	meet_end(&m);

	/* Who has left it by exit does not ask any more. */
	four_warps(1);
	exit_warp(3);
	arrive(0, 0, 128);
	go_and_wait(&m, WARP(1), SYNC(0));
	exit_warp(1);
	go_and_wait(&m, WARP(2), SYNC_N(0, 128));
	arrive(0, 0, 128);
	meet_result(&m, WARP(2));
	meet_end(&m);
}

TEST(who_withdraws_takes_back_the_arrival_by_which_it_waits)
{
	four_warps(1);
	arrive(0, 0, 128);
	arrive(0, 0, 128);
	go_and_wait(&m, WARP(0), SYNC_N(0, 128));
	vsm_rendezvous_withdraw(m.rv, 0, WARP(0));
	go_wrong_with(&m, WARP(0), SYNC_N(0, 64), FAULT(BARRIER_MISMATCH), 128);
	go_and_wait(&m, WARP(1), SYNC_N(0, 128));
	go_and_end(&m, WARP(0), SYNC_N(0, 128));
	meet_result(&m, WARP(0));
	meet_result(&m, WARP(1));
	meet_end(&m);
}

TEST(who_withdraws_takes_the_warp_along)
{
	meet_begin(&m, 1, 34);
	meet_all_wait(&m, 0, 31, RED_ALL(POPC, 1));
	vsm_rendezvous_withdraw(m.rv, 0, 5);
	go_and_wait(&m, 33, RED_ALL(POPC, 1));
	go_and_wait(&m, 32, RED_ALL(POPC, 1));
	go_and_end(&m, 5, RED_ALL(POPC, 0));
	meet_all_end(&m, 0, 33, 33);
	/* With the last warp the generation is gone, and the next may have another count. */
	meet_all_wait(&m, 0, 31, SYNC(0));
	vsm_rendezvous_withdraw(m.rv, 0, 0);
	go_and_wait(&m, 33, SYNC_N(0, 32));
	go_and_end(&m, 32, SYNC_N(0, 32));
	meet_end(&m);
}

TEST(a_converged_warp_arrives_at_once)
{
	meet_begin(&m, 1, 96);
	assert_int_equal(meet_go_as(&m, 0, 3, true, RED_ALL(POPC, 1)), FAULT(NONE));
	assert_true(meet_waits(&m, 0, 3));
	assert_int_equal(meet_go_as(&m, 0, 40, true, RED_ALL(POPC, 0)), FAULT(NONE));
	/* Whom it plays is in it too, and not to be played by others. */
	go_wrong(&m, 4, i_warp_sync(0x10), FAULT(THREAD_SUSPENDED));
	go_wrong(&m, 4, RED_ALL(POPC, 1), FAULT(THREAD_SUSPENDED));
	go_wrong(&m, 3, RED_ALL(POPC, 1), FAULT(THREAD_SUSPENDED));
	assert_int_equal(meet_go_as(&m, 0, 3, true, RED_ALL(POPC, 1)), FAULT(NONE));
	assert_int_equal(meet_go_as(&m, 0, 65, true, RED_ALL(POPC, 1)), FAULT(NONE));
	assert_int_equal(meet_result(&m, 65), 64);
	assert_int_equal(meet_result(&m, 40), 64);
	assert_int_equal(meet_result(&m, 3), 64);
	assert_false(meet_waits(&m, 0, 4));
	meet_end(&m);
}

/* --- misuse of named barriers ---------------------------------------------- */

TEST(a_generation_has_one_count)
{
	four_warps(1);
	go_and_wait(&m, WARP(0), SYNC_N(0, 96));
	go_wrong_with(&m, WARP(1), SYNC_N(0, 64), FAULT(BARRIER_MISMATCH), 96);
	go_wrong_with(&m, WARP(1), SYNC(0), FAULT(BARRIER_MISMATCH), 96);
	go_wrong_with(&m, WARP(1), ARRIVE(0, 128), FAULT(BARRIER_MISMATCH), 96);
	go_and_end(&m, WARP(1), ARRIVE(0, 96));
	go_and_end(&m, WARP(2), SYNC_N(0, 96));
	meet_end(&m);
}

TEST(a_warp_that_arrives_again_is_noted)
{
	four_warps(1);
	arrive(0, 0, 96);
	assert_int_equal(m.rv->noted, FAULT(NONE));
	arrive(1, 0, 96);
	assert_int_equal(m.rv->noted, FAULT(NONE));
	go_and_end(&m, WARP(0), SYNC_N(0, 96));
	assert_int_equal(m.rv->noted, FAULT(BARRIER_OVERFLOW));
	m.rv->noted = FAULT(NONE);
	meet_result(&m, WARP(0));
	/* Not what is refused, what is taken back, or another generation. */
	arrive(0, 0, 96);
	go_wrong(&m, WARP(0), ARRIVE(0, 64), FAULT(BARRIER_MISMATCH));
	assert_int_equal(m.rv->noted, FAULT(NONE));
	go_and_wait(&m, WARP(1), SYNC_N(0, 96));
	vsm_rendezvous_withdraw(m.rv, 0, WARP(1));
	go_and_wait(&m, WARP(1), SYNC_N(0, 96));
	go_and_end(&m, WARP(2), SYNC_N(0, 96));
	arrive(0, 0, 96);
	assert_int_equal(m.rv->noted, FAULT(NONE));
	meet_end(&m);
}

/* If the cluster asks for it. */
TEST(a_warp_arrives_once_in_a_generation)
{
	four_warps(1);
	m.rv->geo.enforce = DRM_VSM_RULE(FAULT(BARRIER_OVERFLOW));
	go_and_end(&m, WARP(0), ARRIVE(0, 64));
	meet_result(&m, WARP(0));
	go_wrong(&m, WARP(0), ARRIVE(0, 64), FAULT(BARRIER_OVERFLOW));
	go_wrong(&m, WARP(0), SYNC_N(0, 64), FAULT(BARRIER_OVERFLOW));
	go_and_end(&m, WARP(0), ARRIVE(1, 64));
	meet_result(&m, WARP(0));
	go_and_end(&m, WARP(1), SYNC_N(0, 64));
	go_and_end(&m, WARP(0), ARRIVE(0, 64));
	meet_end(&m);
}

TEST(reductions_are_not_mixed)
{
	const struct {
		struct drm_vsm_insn x, y;
		bool mixed;
	} pairs[] = {
		{ SYNC_N(0, 64), RED_N(AND, 64, 1), true },
		{ ARRIVE(0, 64), RED_N(AND, 64, 1), true },
		{ RED_N(AND, 64, 1), SYNC_N(0, 64), true },
		{ RED_N(AND, 64, 1), ARRIVE(0, 64), true },
		{ RED_N(AND, 64, 1), RED_N(OR, 64, 1), true },
		{ RED_N(OR, 64, 1), RED_N(POPC, 64, 1), true },
		{ RED_N(OR, 64, 1), RED_N(OR, 64, 0), false },
		{ SYNC_N(0, 64), ARRIVE(0, 64), false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		four_warps(1);
		assert_int_equal(meet_go(&m, WARP(0), pairs[i].x), FAULT(NONE));
		go_wrong(&m, WARP(1), pairs[i].y, pairs[i].mixed ? FAULT(BARRIER_MIXED) : 0);
		meet_end(&m);
	}
}

/* It is who makes its warp complete that is told; or, if that one exits, all who wait. */
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
		meet_begin(&m, 1, 68);
		meet_all_wait(&m, 0, 31, pairs[i].before);
		meet_all_wait(&m, 65, 67, pairs[i].insn);
		go_wrong_with(&m, 64, pairs[i].insn, pairs[i].fault, pairs[i].info);
		assert_true(meet_waits(&m, 0, 65));
		meet_exit(&m, 64);
		assert_int_equal(meet_taken(&m, 0, 65, true), pairs[i].fault);
		assert_int_equal(m.info, pairs[i].info);
		assert_int_equal(meet_taken(&m, 0, 66, true), pairs[i].fault);
		assert_int_equal(meet_taken(&m, 0, 67, true), pairs[i].fault);
		/* And nothing has become of those there. */
		assert_true(meet_waits(&m, 0, 0));
		meet_all_wait(&m, 65, 66, pairs[i].before);
		go_and_end(&m, 67, pairs[i].before);
		meet_all_end(&m, 0, 31, 0);
		meet_end(&m);
	}
	meet_begin(&m, 1, 35);
	m.rv->geo.enforce = DRM_VSM_RULE(FAULT(BARRIER_OVERFLOW));
	meet_all_wait(&m, 32, 33, ARRIVE(0, 64));
	go_and_end(&m, 34, ARRIVE(0, 64));
	meet_all_end(&m, 32, 34, 0);
	meet_all_wait(&m, 32, 33, SYNC_N(0, 64));
	meet_exit(&m, 34);
	assert_int_equal(meet_taken(&m, 0, 32, true), FAULT(BARRIER_OVERFLOW));
	assert_int_equal(meet_taken(&m, 0, 33, true), FAULT(BARRIER_OVERFLOW));
	meet_end(&m);
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
		meet_begin(&m, 1, 33);
		go_and_wait(&m, 1, pairs[i][0]);
		go_wrong_with(&m, 0, pairs[i][1], FAULT(PARTIAL_WARP), 1);
		assert_int_equal(meet_go(&m, 0, pairs[i][0]), FAULT(NONE));
		meet_end(&m);
	}
	/* The other way round it is the warp operation that is wrong. */
	meet_begin(&m, 1, 3);
	go_and_wait(&m, 1, SYNC(0));
	go_wrong_with(&m, 0, i_warp_sync(3), FAULT(WARP_MISMATCH), 1);
	/* But not one that does without who waits. */
	go_and_wait(&m, 0, i_warp_sync(5));
	go_and_end(&m, 2, i_warp_sync(5));
	meet_all_end(&m, 0, 0, 0);
	meet_all_end(&m, 2, 2, 0);
	go_and_wait(&m, 0, SYNC(0));
	go_and_end(&m, 2, SYNC(0));
	meet_all_end(&m, 0, 2, 0);
	meet_end(&m);
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
			SYNC_N(id, count), ARRIVE(id, count), i_barrier_red_n(DRM_VSM_RED_OR, id, count, 0),
		};
		enum drm_vsm_fault fault = 0;

		geo.threads = checks[i / 6].threads;
		geo.strict = i % 2;
		assert_int_equal(check_insn(&geo, 0, &insns[i / 2 % 3], &fault),
				 checks[i / 6].fault ? -EPROTO : 0);
		assert_int_equal(fault, checks[i / 6].fault);
	}
	/* No count is not count 0, which PTX forbids. */
	for (i = 0; i < 3; i++) {
		struct drm_vsm_insn insn = { .op = OP(BARRIER_SYNC) + i, .mods = MOD(COUNT) };
		enum drm_vsm_fault fault = 0;

		insn.red = i == 2 ? DRM_VSM_RED_AND : 0;
		assert_int_equal(check_insn(&geo, 0, &insn, &fault), -EPROTO);
		assert_int_equal(fault, FAULT(BARRIER_COUNT));
	}
}

/* --- the barrier of the cluster -------------------------------------------- */

static enum drm_vsm_fault cluster_go(__u32 cta, __u32 thread, struct drm_vsm_insn insn)
{
	return meet_go_as(&m, cta, thread, false, insn);
}

static void cluster_arrive(__u32 cta, __u32 thread)
{
	assert_int_equal(cluster_go(cta, thread, CLUSTER_ARRIVE), FAULT(NONE));
	assert_int_equal(meet_taken(&m, cta, thread, false), 0);
}

static bool cluster_wait(__u32 cta, __u32 thread)
{
	assert_int_equal(cluster_go(cta, thread, CLUSTER_WAIT), FAULT(NONE));
	return !meet_waits(&m, cta, thread) && !meet_taken(&m, cta, thread, false);
}

TEST(a_phase_is_complete_when_all_threads_have_arrived)
{
	int i;

	meet_begin(&m, 3, 1);
	for (i = 0; i < 100; i++) {
		cluster_arrive(0, 0);
		assert_false(cluster_wait(0, 0));
		cluster_arrive(2, 0);
		assert_true(meet_waits(&m, 0, 0));
		cluster_arrive(1, 0);
		assert_int_equal(meet_taken(&m, 0, 0, false), 0);
		/* Who waits later goes on at once, and may be a phase behind. */
		assert_true(cluster_wait(1, 0));
		cluster_arrive(1, 0);
		cluster_arrive(0, 0);
		assert_false(cluster_wait(0, 0));
		assert_true(cluster_wait(2, 0));
		assert_false(cluster_wait(1, 0));
		cluster_arrive(2, 0);
		assert_int_equal(meet_taken(&m, 0, 0, false), 0);
		assert_int_equal(meet_taken(&m, 1, 0, false), 0);
		assert_true(cluster_wait(2, 0));
	}
	meet_end(&m);
}

TEST(cluster_arrive_and_wait_wait_for_the_warp)
{
	meet_begin(&m, 1, 33);
	cluster_arrive(0, 32);
	assert_false(cluster_wait(0, 32));
	meet_all_wait(&m, 0, 30, CLUSTER_ARRIVE);
	assert_true(meet_waits(&m, 0, 32));
	go_and_end(&m, 31, CLUSTER_ARRIVE);
	meet_all_end(&m, 0, 32, 0);
	meet_all_wait(&m, 0, 30, CLUSTER_WAIT);
	go_and_end(&m, 31, CLUSTER_WAIT);
	meet_all_end(&m, 0, 31, 0);
	/* Another phase, in which the warp converges. */
	assert_int_equal(meet_go_as(&m, 0, 9, true, CLUSTER_ARRIVE), FAULT(NONE));
	assert_int_equal(meet_result(&m, 9), 0);
	assert_int_equal(meet_go_as(&m, 0, 9, true, CLUSTER_WAIT), FAULT(NONE));
	assert_true(meet_waits(&m, 0, 9));
	cluster_arrive(0, 32);
	assert_int_equal(meet_result(&m, 9), 0);
	meet_end(&m);
}

TEST(orders_may_differ_between_warps)
{
	struct drm_vsm_insn relaxed = i_aligned(i_cluster_arrive_relaxed());
	struct drm_vsm_insn acquire = CLUSTER_WAIT;

	acquire.sem = DRM_VSM_SEM_ACQUIRE;
	meet_begin(&m, 2, 1);
	cluster_arrive(0, 0);
	go_and_wait(&m, 0, acquire);
	assert_int_equal(cluster_go(1, 0, relaxed), FAULT(NONE));
	assert_int_equal(meet_taken(&m, 1, 0, false), 0);
	meet_all_end(&m, 0, 0, 0);
	assert_true(cluster_wait(1, 0));
	meet_end(&m);
}

TEST(arrive_and_wait_alternate)
{
	meet_begin(&m, 2, 2);
	meet_exit(&m, 1);
	go_wrong(&m, 0, CLUSTER_WAIT, FAULT(CLUSTER_NOT_ARRIVED));
	cluster_arrive(0, 0);
	go_wrong(&m, 0, CLUSTER_ARRIVE, FAULT(CLUSTER_ARRIVED));
	assert_int_equal(cluster_go(1, 0, CLUSTER_ARRIVE), FAULT(NONE));
	assert_int_equal(cluster_go(1, 1, CLUSTER_ARRIVE), FAULT(NONE));
	/* Complete or not. */
	go_wrong(&m, 0, CLUSTER_ARRIVE, FAULT(CLUSTER_ARRIVED));
	assert_int_equal(meet_go_as(&m, 0, 0, true, CLUSTER_ARRIVE), FAULT(CLUSTER_ARRIVED));
	assert_true(cluster_wait(0, 0));
	go_wrong(&m, 0, CLUSTER_WAIT, FAULT(CLUSTER_NOT_ARRIVED));
	cluster_arrive(0, 0);
	meet_end(&m);
}

TEST(exits_complete_a_phase_and_count_in_none)
{
	/* The last one that has not arrived, */
	meet_begin(&m, 2, 1);
	cluster_arrive(0, 0);
	assert_false(cluster_wait(0, 0));
	assert_int_equal(cluster_go(1, 0, i_exit()), FAULT(NONE));
	meet_all_end(&m, 0, 0, 0);
	cluster_arrive(0, 0);
	assert_true(cluster_wait(0, 0));
	meet_end(&m);

	/* and one that has, in this phase or the last, or while it waits. */
	meet_begin(&m, 4, 1);
	cluster_arrive(0, 0);
	cluster_arrive(1, 0);
	assert_false(cluster_wait(1, 0));
	assert_int_equal(cluster_go(1, 0, i_exit()), FAULT(NONE));
	cluster_arrive(2, 0);
	meet_exit(&m, 0);
	assert_false(cluster_wait(2, 0));
	cluster_arrive(3, 0);
	assert_int_equal(meet_taken(&m, 2, 0, false), 0);
	cluster_arrive(2, 0);
	assert_false(cluster_wait(2, 0));
	assert_int_equal(cluster_go(3, 0, i_exit()), FAULT(NONE));
	assert_int_equal(meet_taken(&m, 2, 0, false), 0);
	meet_end(&m);
}

TEST(who_withdraws_from_a_wait_has_arrived)
{
	meet_begin(&m, 2, 2);
	go_and_wait(&m, 0, CLUSTER_ARRIVE);
	vsm_rendezvous_withdraw(m.rv, 0, 0);
	go_and_wait(&m, 1, CLUSTER_ARRIVE);
	go_and_end(&m, 0, CLUSTER_ARRIVE);
	meet_all_end(&m, 0, 1, 0);
	meet_all_wait(&m, 0, 1, CLUSTER_WAIT);
	vsm_rendezvous_withdraw(m.rv, 0, 0);
	go_wrong(&m, 0, CLUSTER_ARRIVE, FAULT(CLUSTER_ARRIVED));
	assert_int_equal(meet_go_as(&m, 1, 1, true, CLUSTER_ARRIVE), FAULT(NONE));
	/* Complete, but the other waits for its warp. */
	assert_true(meet_waits(&m, 0, 1));
	go_and_end(&m, 0, CLUSTER_WAIT);
	meet_all_end(&m, 0, 1, 0);
	meet_end(&m);
}
