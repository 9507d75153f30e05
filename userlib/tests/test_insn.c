// SPDX-License-Identifier: MIT
/* Tests the constructors of mbarrier operations, in every form and with every qualifier. */
#include "insn.h"

#define STATE 0x7fff000012345678ULL

static struct drm_vsm_insn expected(uint16_t op, uint16_t mods)
{
	struct drm_vsm_insn insn;

	memset(&insn, 0, sizeof(insn));
	insn.op = op;
	insn.mods = mods;
	insn.u.mbarrier.addr = ADDR;
	return insn;
}

/* These numbers must never change: they are compiled into programs. */
TEST(test_numbers_of_qualifiers)
{
	assert_int_equal(VSM_RELAXED, 0x1);
	assert_int_equal(VSM_ACQUIRE, 0x2);
	assert_int_equal(VSM_RELEASE, 0x4);
	assert_int_equal(VSM_ACQ_REL, 0x8);
	assert_int_equal(VSM_CTA, 0x10);
	assert_int_equal(VSM_CLUSTER, 0x20);
	assert_int_equal(VSM_GPU, 0x40);
	assert_int_equal(VSM_SYS, 0x80);
	assert_int_equal(VSM_SHARED_CTA, 0x100);
	assert_int_equal(VSM_SHARED_CLUSTER, 0x200);
	assert_int_equal(VSM_SC, 0x400);
	assert_int_equal(VSM_SINK, 0x1000);
	assert_int_equal(VSM_CG, 0x2000);
	assert_int_equal(VSM_ALIGNED, 0x4000);
	assert_true(VSM_NEVER == -1);
}

TEST(test_init)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_INIT, 0);

	insn.u.mbarrier.count = 5;
	insn.space = DRM_VSM_SPACE_SHARED_CTA;
	assert_insn(vsm_prep_mbarrier_init(ADDR, 5, VSM_SHARED_CTA), &insn);
}

TEST(test_inval)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_INVAL, 0);

	assert_insn(vsm_prep_mbarrier_inval(ADDR, 0), &insn);
}

TEST(test_expect_tx)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_EXPECT_TX, 0);

	insn.u.mbarrier.tx_count = 512;
	insn.sem = DRM_VSM_SEM_RELAXED;
	insn.scope = DRM_VSM_SCOPE_CLUSTER;
	insn.space = DRM_VSM_SPACE_SHARED_CLUSTER;
	assert_insn(vsm_prep_mbarrier_expect_tx(ADDR, 512,
						VSM_RELAXED | VSM_CLUSTER | VSM_SHARED_CLUSTER),
		    &insn);
}

TEST(test_complete_tx)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_COMPLETE_TX, 0);

	insn.u.mbarrier.tx_count = 512;
	assert_insn(vsm_prep_mbarrier_complete_tx(ADDR, 512, 0), &insn);
}

/*
 * Four forms of arrive and four of arrive_drop, each with a state and with a sink as its
 * destination.
 */
TEST(test_arrives)
{
	const uint16_t ops[] = { DRM_VSM_OP_MBARRIER_ARRIVE, DRM_VSM_OP_MBARRIER_ARRIVE_DROP };
	unsigned int drop, sink, qual;
	struct drm_vsm_insn insn;

	for (drop = 0; drop < 2; drop++) {
		for (sink = 0; sink < 2; sink++) {
			qual = VSM_RELEASE | VSM_CTA | VSM_SHARED_CTA | (sink ? VSM_SINK : 0);
			insn = expected(ops[drop], sink ? DRM_VSM_MOD_SINK : 0);
			insn.sem = DRM_VSM_SEM_RELEASE;
			insn.scope = DRM_VSM_SCOPE_CTA;
			insn.space = DRM_VSM_SPACE_SHARED_CTA;
			assert_insn(drop ? vsm_prep_mbarrier_arrive_drop(ADDR, qual) :
					   vsm_prep_mbarrier_arrive(ADDR, qual),
				    &insn);

			insn.mods |= DRM_VSM_MOD_COUNT;
			insn.u.mbarrier.count = 77;
			assert_insn(drop ? vsm_prep_mbarrier_arrive_drop_count(ADDR, 77, qual) :
					   vsm_prep_mbarrier_arrive_count(ADDR, 77, qual),
				    &insn);
			insn.mods |= DRM_VSM_MOD_NOCOMPLETE;
			assert_insn(drop ? vsm_prep_mbarrier_arrive_drop_nocomplete(ADDR, 77,
										    qual) :
					   vsm_prep_mbarrier_arrive_nocomplete(ADDR, 77, qual),
				    &insn);

			insn.mods &= DRM_VSM_MOD_SINK;
			insn.mods |= DRM_VSM_MOD_EXPECT_TX;
			insn.u.mbarrier.count = 0;
			insn.u.mbarrier.tx_count = 77;
			assert_insn(drop ? vsm_prep_mbarrier_arrive_drop_expect_tx(ADDR, 77, qual) :
					   vsm_prep_mbarrier_arrive_expect_tx(ADDR, 77, qual),
				    &insn);
		}
	}
}

TEST(test_waits)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_TEST_WAIT, 0);

	insn.u.mbarrier.state = STATE;
	insn.sem = DRM_VSM_SEM_ACQUIRE;
	insn.scope = DRM_VSM_SCOPE_CLUSTER;
	assert_insn(vsm_prep_mbarrier_test_wait(ADDR, STATE, VSM_ACQUIRE | VSM_CLUSTER), &insn);
	insn = expected(DRM_VSM_OP_MBARRIER_TRY_WAIT, 0);
	insn.u.mbarrier.state = STATE;
	assert_insn(vsm_prep_mbarrier_try_wait(ADDR, STATE, 0), &insn);
	insn.mods = DRM_VSM_MOD_HINT;
	insn.u.mbarrier.hint_ns = 1000;
	assert_insn(vsm_prep_mbarrier_try_wait_hint(ADDR, STATE, 1000, 0), &insn);
}

TEST(test_waits_for_parity)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_TEST_WAIT, DRM_VSM_MOD_PARITY);

	insn.u.mbarrier.parity = 1;
	assert_insn(vsm_prep_mbarrier_test_wait_parity(ADDR, 1, 0), &insn);
	insn.op = DRM_VSM_OP_MBARRIER_TRY_WAIT;
	assert_insn(vsm_prep_mbarrier_try_wait_parity(ADDR, 1, 0), &insn);
	insn.mods |= DRM_VSM_MOD_HINT;
	insn.u.mbarrier.hint_ns = 1000;
	assert_insn(vsm_prep_mbarrier_try_wait_parity_hint(ADDR, 1, 1000, 0), &insn);
}

TEST(test_pending_count)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_PENDING_COUNT, 0);

	insn.u.mbarrier.addr = 0;
	insn.u.mbarrier.state = STATE;
	assert_insn(vsm_prep_mbarrier_pending_count(STATE), &insn);
}

TEST(test_fence_mbarrier_init)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_FENCE_MBARRIER_INIT, 0);

	insn.u.mbarrier.addr = 0;
	insn.sem = DRM_VSM_SEM_RELEASE;
	insn.scope = DRM_VSM_SCOPE_CLUSTER;
	assert_insn(vsm_prep_fence_mbarrier_init(), &insn);
}

TEST(test_fence)
{
	static const struct {
		unsigned int sem;
		enum drm_vsm_sem expected;
	} sems[] = {
		{ 0, DRM_VSM_SEM_DEFAULT }, { VSM_ACQ_REL, DRM_VSM_SEM_ACQ_REL },
		{ VSM_SC, DRM_VSM_SEM_SC }, { VSM_ACQUIRE, DRM_VSM_SEM_ACQUIRE },
		{ VSM_RELEASE, DRM_VSM_SEM_RELEASE },
	};
	static const struct {
		unsigned int scope;
		enum drm_vsm_scope expected;
	} scopes[] = {
		{ VSM_CTA, DRM_VSM_SCOPE_CTA }, { VSM_CLUSTER, DRM_VSM_SCOPE_CLUSTER },
		{ VSM_GPU, DRM_VSM_SCOPE_GPU }, { VSM_SYS, DRM_VSM_SCOPE_SYS },
	};
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_FENCE, 0);
	size_t i;

	insn.u.mbarrier.addr = 0;
	for (i = 0; i < 5 * 4; i++) {
		unsigned int qual = sems[i % 5].sem | scopes[i / 5].scope;

		insn.sem = sems[i % 5].expected;
		insn.scope = scopes[i / 5].expected;
		assert_insn(vsm_prep_fence(qual), &insn);
	}
}

TEST(test_cp_async_mbarrier_arrive)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE, 0);

	insn.space = DRM_VSM_SPACE_SHARED_CTA;
	assert_insn(vsm_prep_cp_async_mbarrier_arrive(ADDR, VSM_SHARED_CTA), &insn);
	insn.mods = DRM_VSM_MOD_NOINC;
	assert_insn(vsm_prep_cp_async_mbarrier_arrive_noinc(ADDR, VSM_SHARED_CTA), &insn);
}

/* Two qualifiers of one kind never become a third qualifier that exists. */
TEST(test_bad_qualifiers)
{
	assert_true(vsm_prep_mbarrier_arrive(0, VSM_RELAXED | VSM_ACQUIRE).sem >
		    DRM_VSM_SEM_SC);
	assert_true(vsm_prep_mbarrier_arrive(0, VSM_RELAXED | VSM_RELEASE).sem >
		    DRM_VSM_SEM_SC);
	assert_true(vsm_prep_fence(VSM_SC | VSM_ACQ_REL).sem > DRM_VSM_SEM_SC);
	assert_true(vsm_prep_mbarrier_arrive(0, VSM_CTA | VSM_CLUSTER).scope >
		    DRM_VSM_SCOPE_SYS);
	assert_true(vsm_prep_fence(VSM_GPU | VSM_SYS).scope > DRM_VSM_SCOPE_SYS);
	assert_true(vsm_prep_mbarrier_arrive(0, VSM_SHARED_CTA | VSM_SHARED_CLUSTER).space >
		    DRM_VSM_SPACE_SHARED_CLUSTER);
	assert_int_equal(vsm_prep_mbarrier_arrive(0, VSM_SINK).mods, DRM_VSM_MOD_SINK);
	assert_int_equal(vsm_prep_mbarrier_arrive(0, VSM_CG).mods, DRM_VSM_MOD_CG);
}

TEST_MAIN()
