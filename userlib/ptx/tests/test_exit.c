// SPDX-License-Identifier: MIT
/* Reports say where missing threads have exited, and which branch has led them there. */

#define TEST_SETUP	state_setup
#define TEST_TEARDOWN	state_teardown
#include "testing.h"
#include "run/group.h"
#include "tests/hang_state.h"

#define FULL	0
#define EMPTY	16
#define ALL	(~0u)

/* The branch of step 8, as groups have it. */
#define BRANCH	(1 + 8)

#define INIT	DRM_VSM_OP_MBARRIER_INIT
#define ARRIVE	DRM_VSM_OP_MBARRIER_ARRIVE
#define WAIT	DRM_VSM_OP_MBARRIER_TRY_WAIT

/*
 * Warps 0 and 1 have arrived in phase 0 of empty[0] and then exited. Lane 0 of warp 2 waits for
 * phase 1.
 */
static void exit_early(struct state *s, uint32_t branch, uint32_t other)
{
	state_exec(s, 0, 0, 1, 1, state_insn(INIT, EMPTY, 2));
	state_exec(s, 0, 0, 1, 7, state_insn(ARRIVE, EMPTY, 1));
	state_exec(s, 0, 1, 1, 7, state_insn(ARRIVE, EMPTY, 1));
	ptx_note_exit(&s->warps[0][0], 11, branch);
	ptx_note_exit(&s->warps[0][1], 11, other);
	state_exec(s, 0, 2, 1, 2, state_insn(WAIT, EMPTY, 0));
	state_wait(s, 0, 2, 1, 2, state_insn(WAIT, EMPTY, 1));
}

TEST(the_branch_before_the_exit_is_named)
{
	struct state *s = *state;

	exit_early(s, BRANCH, BRANCH);
	assert_says(state_report(s),
		    "missing: lane 0 of warps 0 and 1 of CTA (0,0,0) arrived in the phase before at kernel.cu:17, PTX line 107 and have exited at kernel.cu:21, PTX line 111, after the branch at kernel.cu:18, PTX line 108\n");
}

TEST(an_exit_with_a_condition_needs_no_branch)
{
	struct state *s = *state;

	s->steps[11].guard = 0;
	exit_early(s, BRANCH, BRANCH);
	assert_says(state_report(s), "and have exited at kernel.cu:21, PTX line 111\n");
}

TEST(warps_that_have_exited_in_different_ways_have_lines_of_their_own)
{
	struct state *s = *state;

	exit_early(s, BRANCH, 0);
	assert_says(state_report(s),
		    "missing: lane 0 of warp 0 of CTA (0,0,0) arrived in the phase before at kernel.cu:17, PTX line 107 and has exited at kernel.cu:21, PTX line 111, after the branch at kernel.cu:18, PTX line 108\n");
	assert_says(s->text,
		    "missing: lane 0 of warp 1 of CTA (0,0,0) arrived in the phase before at kernel.cu:17, PTX line 107 and has exited at kernel.cu:21, PTX line 111\n");
}

/* Warp 3 of CTA 0 and lanes 8 to 31 of warp 2 of CTA 1 have exited. The others are there. */
static void exit_without_arrival(struct state *s)
{
	unsigned int rank, warp;

	for (rank = 0; rank < STATE_CTAS; rank++)
		for (warp = 0; warp < STATE_WARPS; warp++)
			s->warps[rank][warp].lanes = ALL;
	s->warps[0][3].lanes = 0;
	ptx_note_exit(&s->warps[0][3], 11, BRANCH);
	s->warps[1][2].lanes = 0xff;
	ptx_note_exit(&s->warps[1][2], 12, 0);
}

/* full[0] expects @count arrivals. Warp 0 arrives and waits. */
static void arrive_and_wait(struct state *s, uint32_t count)
{
	state_exec(s, 0, 0, 1, 0, state_insn(INIT, FULL, count));
	state_exec(s, 0, 0, ALL, 3, state_insn(ARRIVE, FULL, 1));
	state_wait(s, 0, 0, ALL, 6, state_insn(WAIT, FULL, 0));
}

TEST(threads_that_have_exited_without_an_arrival_are_named)
{
	struct state *s = *state;

	exit_without_arrival(s);
	arrive_and_wait(s, 32 + 32 + 24);
	assert_says(state_report(s),
		    "    not arrived: warp 3 of CTA (0,0,0) has exited at kernel.cu:21, PTX line 111, after the branch at kernel.cu:18, PTX line 108\n"
		    "    not arrived: lanes 8 to 31 of warp 2 of CTA (1,0,0) have exited at kernel.cu:22, PTX line 112\n"
		    "    arrived: 32 arrivals of warp 0 of CTA (0,0,0)");
}

TEST(threads_that_have_arrived_before_they_exited_are_not_named)
{
	struct state *s = *state;

	exit_without_arrival(s);
	state_exec(s, 0, 0, 1, 0, state_insn(INIT, FULL, 1 + 32 + 24));
	state_exec(s, 0, 0, 1, 3, state_insn(ARRIVE, FULL, 1));
	state_exec(s, 0, 3, ALL, 3, state_insn(ARRIVE, FULL, 1));
	state_wait(s, 0, 0, ALL, 6, state_insn(WAIT, FULL, 0));
	assert_says(state_report(s), "not arrived: lanes 8 to 31 of warp 2 of CTA (1,0,0)");
	assert_null(strstr(s->text, "not arrived: warp 3"));
}

TEST(threads_that_have_exited_are_named_only_if_their_number_is_missing)
{
	struct state *s = *state;

	exit_without_arrival(s);
	arrive_and_wait(s, 32 + 32 + 24 + 1);
	assert_says(state_report(s), "57 arrivals of 89 are missing");
	assert_null(strstr(s->text, "not arrived"));
}

TEST(an_access_to_a_window_that_is_gone_says_where_its_threads_have_exited)
{
	struct state *s = *state;
	unsigned int warp;

	state_run(s, 0, 0, ALL, 5);
	s->warps[1][3].lanes = ALL;
	for (warp = 0; warp < 3; warp++)
		ptx_note_exit(&s->warps[1][warp], 11, warp < 2 ? BRANCH : 0);
	s->launch.fault.failure = FAILURE_NONE;
	ptx_fail_gone(&s->warps[0][0], s->warps[0][0].groups, 0, 1);
	assert_says(vsm_ptx_launch_report(&s->launch),
		    "  at kernel.cu:15, kernel.ptx:105: op\n"
		    "  warps 0 and 1 of CTA (1,0,0) have exited at kernel.cu:21, PTX line 111, after the branch at kernel.cu:18, PTX line 108\n"
		    "  warp 2 of CTA (1,0,0) has exited at kernel.cu:21, PTX line 111\n"
		    "  kernel ");
	free(s->launch.report);
}

/* --- the branch of a group ---------------------------------------------------------- */

TEST(lanes_that_leave_a_group_have_its_branch)
{
	struct state *s = *state;
	struct ptx_warp *warp = &s->warps[0][0];

	state_run(s, 0, 0, ALL, 5);
	warp->groups[0].branch = BRANCH;
	assert_int_equal(ptx_group_split(warp, &warp->groups[0], 0xf)->branch, BRANCH);
}

TEST(groups_that_meet_keep_the_branch_that_they_have_in_common)
{
	struct state *s = *state;
	struct ptx_warp *warp = &s->warps[0][0];
	uint32_t other;

	for (other = BRANCH; other <= BRANCH + 1; other++) {
		warp->groups[0].state = GROUP_FREE;
		state_run(s, 0, 0, 0xf, 5);
		state_run(s, 0, 0, 0xf0, 5);
		warp->groups[0].branch = BRANCH;
		warp->groups[1].branch = other;
		assert_int_equal(ptx_group_pick(warp, false)->lanes, 0xff);
		assert_int_equal(warp->groups[0].branch, other == BRANCH ? BRANCH : 0);
	}
}

TEST_MAIN()
