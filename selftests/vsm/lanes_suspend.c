// SPDX-License-Identifier: GPL-2.0-only
/*
 * EXEC for lanes with instructions that suspend: rendezvous, and waits for groups. A lane that is
 * suspended continues in a later call.
 */
#include "lanes.h"

#define MBAR	0x40

FIXTURE(meet) { struct cluster c; };

FIXTURE_SETUP(meet)
{
	ASSERT_EQ(0, rv_create(&self->c, 1, 80, DRM_VSM_POLICY_STRICT));
}

FIXTURE_TEARDOWN(meet)
{
	rv_destroy(&self->c);
}

/* --- rendezvous ----------------------------------------------------------------------- */

/* A warp operation of a whole warp is complete in the one call. */
TEST_F(meet, a_warp_votes_and_shuffles)
{
	struct drm_vsm_insn insns[LANES];
	int i;

	for (i = 0; i < LANES; i++)
		insns[i] = i_vote(MODE(BALLOT), i % 3 == 0, ALL_LANES);
	ASSERT_EQ(0, exec_lanes(&self->c, 0, ALL_LANES, insns, NULL));
	for (i = 0; i < LANES; i++)
		EXPECT_EQ(0x49249249, insns[i].result);
	for (i = 0; i < LANES; i++)
		insns[i] = i_shfl(MODE(IDX), 100 + i, 31 - i, 31, ALL_LANES);
	ASSERT_EQ(0, exec_lanes(&self->c, 32, ALL_LANES, insns, NULL));
	for (i = 0; i < LANES; i++)
		EXPECT_EQ((131 - i) | PRED, insns[i].result);
	for (i = 0; i < LANES; i++)
		insns[i] = i_match_any(i / 2, 0x0f);
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0x0f, insns, NULL));
	EXPECT_EQ(0x3, insns[0].result);
	EXPECT_EQ(0xc, insns[3].result);
}

/* Lanes that have to wait are suspended, and get their results when they execute it again. */
TEST_F(meet, lanes_meet_in_two_calls)
{
	struct drm_vsm_insn low[LANES], high[LANES];
	uint32_t suspended;
	int i;

	for (i = 0; i < LANES; i++)
		low[i] = i_match_any(i % 2, ALL_LANES);
	for (i = 0; i < LANES; i++)
		high[i] = i_match_any(i < 16 ? 0 : i % 2, ALL_LANES);
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0xffff, low, &suspended));
	EXPECT_EQ(0xffff, suspended);
	for (i = 0; i < 16; i++)
		EXPECT_EQ(0, low[i].result);
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0xffff, low, &suspended));
	EXPECT_EQ(0xffff, suspended);
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0xffff0000, high, &suspended));
	EXPECT_EQ(0, suspended);
	EXPECT_EQ(0xffff5555, high[0].result);
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0xff, low, NULL));
	EXPECT_EQ(0xffff5555, low[0].result);
	EXPECT_EQ(0xaaaa, low[1].result);
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0xff00, &low[8], NULL));
	EXPECT_EQ(0xaaaa, low[15].result);
}

/* The barrier of the CTA waits for the other warps. The last warp completes it at once. */
TEST_F(meet, warps_meet_at_a_barrier)
{
	uint32_t suspended;

	ASSERT_EQ(0, exec_same(&self->c, 0, ALL_LANES, i_barrier_sync(1), NULL, &suspended));
	EXPECT_EQ(ALL_LANES, suspended);
	ASSERT_EQ(0, exec_same(&self->c, 32, ALL_LANES, i_barrier_sync(1), NULL, &suspended));
	EXPECT_EQ(ALL_LANES, suspended);
	ASSERT_EQ(0, exec_same(&self->c, 64, 0xffff, i_barrier_sync(1), NULL, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 0, ALL_LANES, i_barrier_sync(1), NULL, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 32, ALL_LANES, i_barrier_sync(1), NULL, NULL));
}

/* A lane in a rendezvous can execute no other one. */
TEST_F(meet, a_suspended_lane_executes_nothing_else)
{
	struct drm_vsm_insn insn = i_warp_sync(0x3);
	struct drm_vsm_exec args = lanes_args(&self->c, 0, 0x1, &insn);

	ASSERT_EQ(0, exec_same(&self->c, 0, 0x1, i_warp_sync(0x7), NULL, &(uint32_t){ 0 }));
	EXPECT_EQ(-EPROTO, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(FAULT(THREAD_SUSPENDED), insn.fault);
	EXPECT_EQ(0, args.suspended);
}

/* The lanes before the refused one have arrived. */
TEST_F(meet, a_refused_rendezvous_stops_the_call)
{
	struct drm_vsm_insn insns[3] = { i_warp_sync(0x7), i_warp_sync(0x4), i_warp_sync(0x7) };
	struct drm_vsm_exec args = lanes_args(&self->c, 0, 0x7, insns);
	struct drm_vsm_event_fault event;

	EXPECT_EQ(-EPROTO, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(1, args.retired);
	EXPECT_EQ(0x1, args.suspended);
	EXPECT_EQ(FAULT(NOT_IN_MASK), insns[1].fault);
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(1, event.thread);
	EXPECT_EQ(0x4, event.insn.u.warp.membermask);
	insns[1] = i_warp_sync(0x7);
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(3, args.retired);
	EXPECT_EQ(0x1, args.suspended);
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0x1, insns, NULL));
}

/* An instruction that is refused when it completes is not retired; those behind it have results. */
TEST_F(meet, a_rendezvous_is_refused_at_its_end)
{
	struct drm_vsm_insn insns[4];
	struct drm_vsm_exec args;
	uint32_t suspended;
	struct cluster c;
	int i;

	ASSERT_EQ(0, rv_create_enforcing(&c, 1, 32, DRM_VSM_POLICY_STRICT, RULE(SHFL_SOURCE)));
	for (i = 0; i < 3; i++)
		insns[i] = i_shfl(MODE(IDX), 50 + i, i == 1 ? 3 : 0, 31, 0xf);
	ASSERT_EQ(0, exec_lanes(&c, 0, 0x7, insns, &suspended));
	EXPECT_EQ(0x7, suspended);
	ASSERT_EQ(0, exec_same(&c, 0, 0x8, i_exit(), NULL, NULL));
	args = lanes_args(&c, 0, 0x7, insns);
	EXPECT_EQ(-EPROTO, vsm_exec(c.fd, &args));
	EXPECT_EQ(1, args.retired);
	EXPECT_EQ(FAULT(SHFL_SOURCE), insns[1].fault);
	EXPECT_EQ(0, args.suspended);
	EXPECT_EQ(50 | PRED, insns[0].result);
	args.retired = 2;
	EXPECT_EQ(0, vsm_exec(c.fd, &args));
	EXPECT_EQ(50 | PRED, insns[2].result);
	rv_destroy(&c);
}

/*
 * Whichever lane is refused, the lanes before it have the result 0, because they are suspended, the
 * refused one has the result 0 and its fault, and those behind it have not been written.
 */
TEST_F(meet, a_refused_rendezvous_returns_zeros)
{
	const struct drm_vsm_insn wrong[] = {
		i_shfl(MODE(IDX), 7, 0, 31, 0x80000000), i_shfl(MODE(IDX), 7, 0, 31, 0x1ff),
	};
	struct drm_vsm_insn insns[8];
	struct drm_vsm_exec args;
	int i, refused, how;

	/* Lane 8 waits for all of them: their second mask can never be complete. */
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x100, i_warp_sync(0x1ff), NULL, &(uint32_t){ 0 }));
	for (how = 0; how < 2; how++) {
		for (refused = 0; refused < 8; refused++) {
			for (i = 0; i < 8; i++)
				insns[i] = i_shfl(MODE(IDX), 7 + i, 1, 31, 0x2ff);
			insns[refused] = wrong[how];
			insn_poison(insns, 8);
			args = lanes_args(&self->c, 0, 0xff, insns);
			ASSERT_EQ(-EPROTO, vsm_exec(self->c.fd, &args));
			ASSERT_EQ(refused, args.retired);
			EXPECT_EQ((1U << refused) - 1, args.suspended);
			for (i = 0; i <= refused; i++) {
				EXPECT_EQ(0, insns[i].result);
				EXPECT_EQ(i == refused, !!insns[i].fault);
			}
			for (; i < 8; i++)
				EXPECT_TRUE(insn_untouched(&insns[i]));
			EXPECT_EQ(how ? FAULT(WARP_MISMATCH) : FAULT(NOT_IN_MASK),
				  insns[refused].fault);
			EXPECT_EQ(how && !refused ? 8 : 0, insns[refused].info);
			/* The other lanes arrive, and the lanes leave the instruction. */
			for (i = 0; i < 8; i++)
				insns[i] = i_shfl(MODE(IDX), 7 + i, 1, 31, 0x2ff);
			ASSERT_EQ(0, exec_same(&self->c, 0, 0x200, insns[0], NULL,
					       &(uint32_t){ 0 }));
			ASSERT_EQ(0, exec_lanes(&self->c, 0, 0xff, insns, NULL));
			EXPECT_EQ(8 | PRED, insns[refused].result);
			ASSERT_EQ(0, exec_same(&self->c, 0, 0x200, insns[0], NULL, NULL));
		}
	}
}

/* A whole call that is refused, or finds the cluster lost, writes no result. */
TEST_F(meet, a_rendezvous_in_a_lost_cluster_writes_nothing)
{
	struct drm_vsm_insn insns[4];
	struct drm_vsm_exec args;
	struct cluster c;
	int i;

	ASSERT_EQ(0, rv_create(&c, 1, 32, DRM_VSM_POLICY_HARDWARE));
	atomic_store(word_at(&c, MBAR), 1ULL << 42);
	ASSERT_EQ(-EPROTO, exec_one(&c, i_arrive(MBAR)));
	for (i = 0; i < 4; i++)
		insns[i] = i_warp_sync(0xf);
	insn_poison(insns, 4);
	args = lanes_args(&c, 0, 0xf, insns);
	EXPECT_EQ(-EIO, vsm_exec(c.fd, &args));
	EXPECT_EQ(0, args.retired);
	EXPECT_EQ(0, args.suspended);
	for (i = 0; i < 4; i++)
		EXPECT_TRUE(insn_untouched(&insns[i]));
	rv_destroy(&c);
}

/* --- groups, copies, exit ----------------------------------------------------------------- */

FIXTURE(copies)
{
	struct cluster c;
	struct buffer b;
};

FIXTURE_SETUP(copies)
{
	ASSERT_EQ(0, rv_create(&self->c, 1, 64, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, self->c.fd, 4096));
	memset(self->b.map, 0x33, 4096);
}

FIXTURE_TEARDOWN(copies)
{
	munmap(self->b.map, self->b.size);
	rv_destroy(&self->c);
}

/* Each lane issues a cp.async of its own, and waits for its own group. */
TEST_F(copies, lanes_wait_for_their_groups)
{
	struct drm_vsm_insn insns[LANES];
	uint32_t suspended = 0;
	int i;

	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	for (i = 0; i < 8; i++)
		insns[i] = i_cp_async(16 * i, 16, self->b.handle, 16 * i);
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0xff, insns, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0xff, i_commit(), NULL, NULL));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, exec_same(&self->c, 0, ALL_LANES, i_wait_group(0), NULL, &suspended));
		EXPECT_EQ(0xff, suspended);
	}
	ASSERT_EQ(0, exec_same(&self->c, 0, ALL_LANES, i_wait_group(1), NULL, NULL));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	while (suspended)
		ASSERT_EQ(0, exec_same(&self->c, 0, ALL_LANES, i_wait_group(0), NULL, &suspended));
	for (i = 0; i < 128; i++)
		EXPECT_EQ(0x33, *(unsigned char *)cluster_mem(&self->c, i));
}

/* A suspended cp.async.wait_all has committed nothing. It commits one group when it completes. */
TEST_F(copies, wait_all_commits_once)
{
	struct drm_vsm_insn insn = i_cp_async(0, 16, self->b.handle, 0);
	uint32_t suspended = 0;

	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0x1, &insn, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x1, i_wait_all(), NULL, &suspended));
	EXPECT_EQ(0x1, suspended);
	/* The copy is in no group that has been committed. */
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x1, i_wait_group(0), NULL, NULL));
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	while (suspended)
		ASSERT_EQ(0, exec_same(&self->c, 0, 0x1, i_wait_all(), NULL, &suspended));
	/* The next copy is in a group of its own. */
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	insn = i_cp_async(16, 16, self->b.handle, 0);
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0x1, &insn, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x1, i_commit(), NULL, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x1, i_wait_group(1), NULL, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x1, i_wait_group(0), NULL, &suspended));
	EXPECT_EQ(0x1, suspended);
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
}

/* No thread has so many groups: the wait is complete, although a group is in flight. */
TEST_F(copies, a_wait_may_allow_any_number_of_groups)
{
	static const uint32_t counts[] = { 1, 2, ~0U >> 1, 1U << 31, (1U << 31) + 1, ~0U };
	struct drm_vsm_insn insns[2] = {
		i_cp_async(0, 16, self->b.handle, 0), i_cp_async(16, 16, self->b.handle, 0),
	};
	struct drm_vsm_insn bulk = i_s2g(32, 16, self->b.handle, 32);
	uint32_t suspended;
	size_t i;

	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0x3, insns, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x3, i_commit(), NULL, NULL));
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0x1, &bulk, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x1, i_bulk_commit(), NULL, NULL));
	for (i = 0; i < ITEMS(counts); i++) {
		EXPECT_EQ(0, exec_same(&self->c, 0, 0x3, i_wait_group(counts[i]), NULL, NULL));
		EXPECT_EQ(0, exec_same(&self->c, 0, 0x3, i_bulk_wait(counts[i]), NULL, NULL));
		EXPECT_EQ(0, exec_same(&self->c, 0, 0x3, i_bulk_wait_read(counts[i]), NULL, NULL));
		EXPECT_EQ(0, exec_one(&self->c, i_wait_group(counts[i])));
		EXPECT_EQ(0, exec_one(&self->c, i_bulk_wait(counts[i])));
	}
	EXPECT_EQ(0, exec_same(&self->c, 0, 0x3, i_wait_group(0), NULL, &suspended));
	EXPECT_EQ(0x3, suspended);
	EXPECT_EQ(0, exec_same(&self->c, 0, 0x3, i_bulk_wait(0), NULL, &suspended));
	EXPECT_EQ(0x1, suspended);
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
}

TEST_F(copies, bulk_groups)
{
	struct drm_vsm_insn insns[2] = {
		i_s2g(0, 16, self->b.handle, 0), i_s2g(16, 16, self->b.handle, 16),
	};
	uint32_t suspended = 0;

	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_lanes(&self->c, 0, 0x5, insns, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x5, i_bulk_commit(), NULL, NULL));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x7, i_bulk_wait_read(0), NULL, &suspended));
	EXPECT_EQ(0x5, suspended);
	ASSERT_EQ(0, cluster_hold(&self->c, 0));
	while (suspended)
		ASSERT_EQ(0, exec_same(&self->c, 0, 0x7, i_bulk_wait(0), NULL, &suspended));
	EXPECT_EQ(0, self->b.map[0]);
}

/* The lanes that exit are gone; the others are not. */
TEST_F(copies, lanes_exit)
{
	struct drm_vsm_insn insns[2] = { i_arrive(MBAR), i_arrive(MBAR) };
	struct drm_vsm_exec args = lanes_args(&self->c, 0, 0x3, insns);

	ASSERT_EQ(0, exec_one(&self->c, i_init(MBAR, 9)));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0xfffffffe, i_exit(), NULL, NULL));
	EXPECT_EQ(-EPROTO, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(1, args.retired);
	EXPECT_EQ(FAULT(THREAD_EXITED), insns[1].fault);
	EXPECT_EQ(8, vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(&self->c, MBAR)));
	ASSERT_EQ(0, exec_same(&self->c, 0, 0x1, i_warp_sync(ALL_LANES), NULL, NULL));
}

TEST_HARNESS_MAIN
