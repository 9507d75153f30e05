// SPDX-License-Identifier: MIT
/*
 * The barrier of the cluster: which threads wait, which threads they wait for, and what is misuse.
 * Each test is for one rule.
 */
#include "rendezvous_steps.h"

static struct rv_test m;

#define CLUSTER_ARRIVE		i_cluster_arrive()
#define CLUSTER_WAIT		i_cluster_wait()

TEST(a_phase_is_complete_when_all_threads_have_arrived)
{
	int i;

	rv_begin(&m, 3, 1);
	for (i = 0; i < 100; i++) {
		play(&m, DOES(0, CLUSTER_ARRIVE), WAITS(0, CLUSTER_WAIT),
		     DOES(IN(2, 0), CLUSTER_ARRIVE), STILL(0), DOES(IN(1, 0), CLUSTER_ARRIVE),
		     GIVES(0, 0),
		     /* A thread that waits later continues at once, even in the next phase. */
		     DOES(IN(1, 0), CLUSTER_WAIT), DOES(IN(1, 0), CLUSTER_ARRIVE),
		     DOES(0, CLUSTER_ARRIVE), WAITS(0, CLUSTER_WAIT), DOES(IN(2, 0), CLUSTER_WAIT),
		     WAITS(IN(1, 0), CLUSTER_WAIT), DOES(IN(2, 0), CLUSTER_ARRIVE), GIVES(0, 0),
		     GIVES(IN(1, 0), 0), DOES(IN(2, 0), CLUSTER_WAIT));
	}
	rv_end(&m);
}

TEST(cluster_arrive_and_wait_wait_for_the_warp)
{
	scene(1, 33, DOES(32, CLUSTER_ARRIVE), WAITS(32, CLUSTER_WAIT),
	      ALL_WAIT(0, 30, CLUSTER_ARRIVE), STILL(32), ENDS(31, CLUSTER_ARRIVE),
	      ALL_GIVE(0, 32, 0), ALL_WAIT(0, 30, CLUSTER_WAIT), ENDS(31, CLUSTER_WAIT),
	      ALL_GIVE(0, 31, 0),
	      /* In the next phase warp 0 is converged. */
	      TOGETHER(9, CLUSTER_ARRIVE), GIVES(9, 0), TOGETHER(9, CLUSTER_WAIT), STILL(9),
	      DOES(32, CLUSTER_ARRIVE), GIVES(9, 0));
}

TEST(orders_may_differ_between_warps)
{
	struct drm_vsm_insn relaxed = i_aligned(i_cluster_arrive_relaxed());
	struct drm_vsm_insn acquire = CLUSTER_WAIT;

	acquire.sem = DRM_VSM_SEM_ACQUIRE;
	scene(2, 1, DOES(0, CLUSTER_ARRIVE), WAITS(0, acquire), GOES(IN(1, 0), relaxed),
	      GIVES(IN(1, 0), 0), GIVES(0, 0), DOES(IN(1, 0), CLUSTER_WAIT));
}

TEST(arrive_and_wait_alternate)
{
	scene(2, 2, EXITS(1), WRONG(0, CLUSTER_WAIT, FAULT(CLUSTER_NOT_ARRIVED)),
	      DOES(0, CLUSTER_ARRIVE), WRONG(0, CLUSTER_ARRIVE, FAULT(CLUSTER_ARRIVED)),
	      GOES(IN(1, 0), CLUSTER_ARRIVE), GOES(IN(1, 1), CLUSTER_ARRIVE),
	      /* A second arrive is refused whether the phase is complete or not. */
	      WRONG(0, CLUSTER_ARRIVE, FAULT(CLUSTER_ARRIVED)),
	      TOGETHER_WRONG(0, CLUSTER_ARRIVE, FAULT(CLUSTER_ARRIVED)), DOES(0, CLUSTER_WAIT),
	      WRONG(0, CLUSTER_WAIT, FAULT(CLUSTER_NOT_ARRIVED)), DOES(0, CLUSTER_ARRIVE));
}

/*
 * The hardware policy does what an H100 does (cases 26, 45 and 46 of
 * selftests/golden/h100/cases.xz), and so does a cluster that only reports the rules.
 */
TEST(arrive_and_wait_need_not_alternate_in_hardware)
{
	const __u64 rules = DRM_VSM_RULE(FAULT(CLUSTER_ARRIVED)) |
			    DRM_VSM_RULE(FAULT(CLUSTER_NOT_ARRIVED));
	int i;

	for (i = 0; i < 2; i++) {
		rv_begin(&m, 2, 1);
		m.rv->geo.strict = i;
		m.rv->geo.report = i ? rules : 0;
		play(&m, DOES(0, CLUSTER_WAIT));
		assert_int_equal(m.rv->noted, FAULT(CLUSTER_NOT_ARRIVED));
		m.rv->noted = FAULT(NONE);
		play(&m, DOES(0, CLUSTER_ARRIVE));
		assert_int_equal(m.rv->noted, FAULT(NONE));
		/* The second arrive of CTA 0 is not one of CTA 1. */
		play(&m, DOES(0, CLUSTER_ARRIVE));
		assert_int_equal(m.rv->noted, FAULT(CLUSTER_ARRIVED));
		m.rv->noted = FAULT(NONE);
		play(&m, WAITS(0, CLUSTER_WAIT), DOES(IN(1, 0), CLUSTER_ARRIVE), GIVES(0, 0));
		assert_int_equal(m.rv->phase, 1);
		/* Nor is an arrive of CTA 1, before it waits, one in the next phase. */
		play(&m, DOES(IN(1, 0), CLUSTER_ARRIVE), DOES(0, CLUSTER_ARRIVE),
		     DOES(IN(1, 0), CLUSTER_WAIT), WAITS(0, CLUSTER_WAIT));
		assert_int_equal(m.rv->phase, 1);
		play(&m, DOES(IN(1, 0), CLUSTER_ARRIVE), GIVES(0, 0));
		/* A thread that has arrived twice exits once. */
		play(&m, DOES(IN(1, 0), CLUSTER_WAIT), DOES(IN(1, 0), CLUSTER_ARRIVE),
		     DOES(IN(1, 0), CLUSTER_ARRIVE), EXITS(IN(1, 0)));
		assert_int_equal(m.rv->arrived, 0);
		play(&m, DOES(0, CLUSTER_ARRIVE), DOES(0, CLUSTER_WAIT));
		rv_end(&m);
	}
	/* Each rule is one of its own. */
	rv_begin(&m, 2, 1);
	m.rv->geo.report = DRM_VSM_RULE(FAULT(CLUSTER_ARRIVED));
	play(&m, WRONG(0, CLUSTER_WAIT, FAULT(CLUSTER_NOT_ARRIVED)), DOES(0, CLUSTER_ARRIVE),
	     DOES(0, CLUSTER_ARRIVE));
	rv_end(&m);
}

TEST(exits_complete_a_phase_and_count_in_none)
{
	/* The last thread that has not arrived exits. */
	scene(2, 1, DOES(0, CLUSTER_ARRIVE), WAITS(0, CLUSTER_WAIT), GOES(IN(1, 0), i_exit()),
	      GIVES(0, 0), DOES(0, CLUSTER_ARRIVE), DOES(0, CLUSTER_WAIT));

	/*
	 * Threads exit that wait, that have arrived in this phase, or that have not waited for it.
	 */
	scene(4, 1, DOES(0, CLUSTER_ARRIVE), DOES(IN(1, 0), CLUSTER_ARRIVE),
	      WAITS(IN(1, 0), CLUSTER_WAIT), GOES(IN(1, 0), i_exit()),
	      DOES(IN(2, 0), CLUSTER_ARRIVE), EXITS(0), WAITS(IN(2, 0), CLUSTER_WAIT),
	      DOES(IN(3, 0), CLUSTER_ARRIVE), GIVES(IN(2, 0), 0), DOES(IN(2, 0), CLUSTER_ARRIVE),
	      WAITS(IN(2, 0), CLUSTER_WAIT), GOES(IN(3, 0), i_exit()), GIVES(IN(2, 0), 0));
}

TEST(withdrawing_from_cluster_wait_keeps_the_arrival)
{
	scene(2, 2, WAITS(0, CLUSTER_ARRIVE), LEAVES(0), WAITS(1, CLUSTER_ARRIVE),
	      ENDS(0, CLUSTER_ARRIVE), ALL_GIVE(0, 1, 0), ALL_WAIT(0, 1, CLUSTER_WAIT), LEAVES(0),
	      WRONG(0, CLUSTER_ARRIVE, FAULT(CLUSTER_ARRIVED)), TOGETHER(IN(1, 1), CLUSTER_ARRIVE),
	      /* The phase is complete, but thread 1 waits until thread 0 of its warp waits too. */
	      STILL(1), ENDS(0, CLUSTER_WAIT), ALL_GIVE(0, 1, 0));
}
