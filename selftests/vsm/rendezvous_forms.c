// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions of a rendezvous that PTX cannot express, and calls and layouts that do not accept
 * any instruction of a rendezvous.
 */
#include "rendezvous.h"

#define THREADS	66

FIXTURE(rendezvous_forms)
{
	struct cluster c;
};

FIXTURE_SETUP(rendezvous_forms)
{
	ASSERT_EQ(0, rv_create(&self->c, 1, THREADS, DRM_VSM_POLICY_STRICT));
}

FIXTURE_TEARDOWN(rendezvous_forms)
{
	/* No instruction has had an effect, and no event was sent. */
	EXPECT_EQ(0, poll_events(self->c.fd));
	EXPECT_EQ(THREADS, all_warps_rendezvous(&self->c));
	rv_destroy(&self->c);
}

#define SPELLED(insn, member, value) ({				\
	struct drm_vsm_insn spelled = insn;			\
								\
	spelled.member = value;					\
	spelled; })

/*
 * Malformed instructions are refused in EXEC and in a wait set. unit/test_forms.c checks every
 * form.
 */
TEST_F(rendezvous_forms, is_invalid_if_malformed)
{
	const struct drm_vsm_insn insns[] = {
		{ .op = OPERATIONS },
		i_match(DRM_VSM_MODE_UNI, DRM_VSM_TYPE_B32, 1, ALL_LANES),
		SPELLED(i_warp_sync(1), mods, DRM_VSM_MOD_ALIGNED),
		SPELLED(i_barrier_sync(0), space, DRM_VSM_SPACE_SHARED_CTA),
		SPELLED(i_cluster_arrive(), sem, DRM_VSM_SEM_RELEASE + 1),
		SPELLED(i_elect(1), u.warp.a, 1),
		SPELLED(i_barrier_arrive(0, 32), u.barrier.pred, 1),
		SPELLED(i_exit(), u.warp.membermask, 1),
	};
	struct drm_vsm_insn one = i_warp_sync(1);
	struct drm_vsm_exec args;
	int i;

	for (i = 0; i < ITEMS(insns); i++) {
		struct drm_vsm_insn insn = insns[i];
		struct drm_vsm_wait wait = {
			.cluster = self->c.handle, .state = (uintptr_t)&insn, .deadline = -1,
			.flags = DRM_VSM_WAIT_INSN,
		};
		int set = waitset_create(self->c.fd, 0);

		args = play_args(&self->c, 0, 0, 0, &insn, 1);
		insn_poison(&insn, 1);
		EXPECT_EQ(-EINVAL, vsm_exec(self->c.fd, &args)) TH_LOG("row %d", i);
		EXPECT_EQ(0, args.retired);
		EXPECT_TRUE(insn_untouched(&insn));
		EXPECT_EQ(-EINVAL, waitset_arm(self->c.fd, set, &wait, 1, NULL));
		close(set);
	}
	args = play_args(&self->c, 0, 0, DRM_VSM_EXEC_WARP << 1, &one, 1);
	EXPECT_EQ(-EINVAL, vsm_exec(self->c.fd, &args));
}

static const struct {
	struct drm_vsm_insn insn;
	bool sm_90;
} kinds[] = {
	{ { .op = DRM_VSM_OP_MATCH_SYNC,
	    .red = DRM_VSM_MODE(MODE(ALL), DRM_VSM_TYPE_B32), .u.warp.membermask = 1 } },
	{ { .op = DRM_VSM_OP_BAR_WARP_SYNC, .u.warp.membermask = 1 } },
	{ { .op = DRM_VSM_OP_ELECT_SYNC, .u.warp.membermask = 1 }, true },
	{ { .op = DRM_VSM_OP_VOTE_SYNC, .red = DRM_VSM_MODE_UNI, .u.warp.membermask = 1 } },
	{ { .op = DRM_VSM_OP_SHFL_SYNC, .red = DRM_VSM_MODE_IDX, .u.warp.membermask = 1 } },
	{ { .op = DRM_VSM_OP_REDUX_SYNC, .u.warp.membermask = 1,
	    .red = RED(ADD, U32) } },
	{ { .op = DRM_VSM_OP_BARRIER_SYNC } },
	{ { .op = DRM_VSM_OP_BARRIER_ARRIVE, .mods = DRM_VSM_MOD_COUNT, .u.barrier.count = 32 } },
	{ { .op = DRM_VSM_OP_BARRIER_RED, .red = DRM_VSM_RED_OR } },
	{ { .op = DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE }, true },
	{ { .op = DRM_VSM_OP_BARRIER_CLUSTER_WAIT }, true },
	{ { .op = DRM_VSM_OP_EXIT } },
};

TEST_F(rendezvous_forms, is_not_for_jobs)
{
	int i;

	_Static_assert(ITEMS(kinds) == DRM_VSM_OP_EXIT - DRM_VSM_OP_MATCH_SYNC + 1, "all");
	for (i = 0; i < ITEMS(kinds); i++) {
		struct drm_vsm_insn insns[] = { i_sink(i_arrive(0x80)), kinds[i].insn };
		struct drm_vsm_submit args = submit_args(&self->c, insns, 2);

		EXPECT_EQ(DRM_VSM_OP_MATCH_SYNC + i, kinds[i].insn.op);
		insn_poison(insns, 2);
		EXPECT_EQ(-EINVAL, vsm_submit(self->c.fd, &args)) TH_LOG("row %d", i);
		EXPECT_TRUE(insn_untouched(&insns[0]));
		EXPECT_TRUE(insn_untouched(&insns[1]));
		EXPECT_EQ(0, word(&self->c, 0x80));
	}
}

TEST_F(rendezvous_forms, sm_80_has_all_but_elect_and_the_barrier_of_the_cluster)
{
	struct drm_vsm_cluster_create create = {
		.ctas = 1, .threads = 1, .smem_bytes = 16, .layout = VSM_LAYOUT_SM_80,
	};
	struct cluster c;
	int i;

	ASSERT_EQ(0, cluster_create_args(&c, vsm_open(), &create));
	for (i = 0; i < ITEMS(kinds); i++) {
		struct drm_vsm_insn insn = kinds[i].insn;
		struct drm_vsm_exec args = play_args(&c, 0, 0, 0, &insn, 1);

		insn_poison(&insn, 1);
		EXPECT_EQ(kinds[i].sm_90 ? -EOPNOTSUPP : 0, vsm_exec(c.fd, &args))
			TH_LOG("row %d", i);
		EXPECT_EQ(!kinds[i].sm_90, args.retired);
		EXPECT_EQ(kinds[i].sm_90, insn_untouched(&insn));
	}
	EXPECT_EQ(0, poll_events(c.fd));
	rv_destroy(&c);
}

TEST_HARNESS_MAIN
