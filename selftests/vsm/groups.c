// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of cp.async and of bulk copies: which of them a thread waits for. group_ends.c tests waits
 * that end before the groups complete, and groups whose threads are killed or exit.
 */
#include "groups.h"

FIXTURE(groups) { struct groups g; };

FIXTURE_VARIANT(groups)
{
	enum kind kind;
	uint32_t layout;
};

FIXTURE_VARIANT_ADD(groups, cp_async) { .kind = CP_ASYNC, .layout = VSM_LAYOUT_SM_90 };
FIXTURE_VARIANT_ADD(groups, cp_async_sm_80) { .kind = CP_ASYNC, .layout = VSM_LAYOUT_SM_80 };
FIXTURE_VARIANT_ADD(groups, bulk) { .kind = BULK, .layout = VSM_LAYOUT_SM_90 };
FIXTURE_VARIANT_ADD(groups, bulk_read) { .kind = BULK_READ, .layout = VSM_LAYOUT_SM_90 };

FIXTURE_SETUP(groups)
{
	self->g.kind = variant->kind;
	ASSERT_EQ(0, groups_init(&self->g, variant->layout, DRM_VSM_POLICY_STRICT));
}

FIXTURE_TEARDOWN(groups)
{
	EXPECT_EQ(0, poll_events(self->g.c.fd));
	groups_fini(&self->g);
}

static const uint32_t any_count[] = { 0, 1, 2, 100, 0x7fffffff, 0x80000000, 0xffffffff };

TEST_F(groups, with_none_in_flight_there_is_nothing_to_wait_for)
{
	const struct groups *g = &self->g;
	size_t i, round;

	/*
	 * In the first round the thread has issued nothing. In the later rounds its groups have
	 * completed.
	 */
	for (round = 0; round < 3; round++) {
		for (i = 0; i < ITEMS(any_count); i++)
			EXPECT_EQ(0, exec_one_as(&g->c, 3, 63, wait_of(g, any_count[i])));
		if (g->kind == CP_ASYNC)
			EXPECT_EQ(0, exec_one_as(&g->c, 3, 63, i_wait_all()));
		ASSERT_EQ(0, issue_groups(g, 3, 63, 4 * round, 3));
		EXPECT_EQ(0, exec_one_as(&g->c, 3, 63, wait_of(g, 0)));
		for (i = 0; i < 3; i++)
			EXPECT_TRUE(has_happened(g, 3, 4 * round + i));
	}
}

TEST_F(groups, as_many_of_the_newest_as_are_named_may_be_in_flight)
{
	enum { COUNT = 4 };
	const struct groups *g = &self->g;
	uint32_t n, i, first;

	for (n = 0; n < COUNT; n++) {
		struct waiter w;

		first = COUNT * n;
		ASSERT_EQ(0, cluster_hold(&g->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, issue_groups(g, 0, 0, first, COUNT));
		for (i = 0; i < ITEMS(any_count); i++)
			if (any_count[i] >= COUNT)
				EXPECT_EQ(0, exec_one(&g->c, wait_of(g, any_count[i])));
		EXPECT_EQ(0, exec_one(&g->c, wait_of(g, COUNT)));
		ASSERT_EQ(0, waiter_start(&w, g, 0, 0, wait_of(g, n), first + COUNT - 1 - n));
		EXPECT_TRUE(waiter_suspended(&w));
		EXPECT_FALSE(has_happened(g, 0, first));
		ASSERT_EQ(0, cluster_hold(&g->c, 0));
		EXPECT_EQ(0, waiter_join(&w)) TH_LOG("wait_group %u", n);
		EXPECT_TRUE(has_happened(g, 0, first + COUNT - 1 - n));
		ASSERT_EQ(0, async_finish(&g->c));
	}
}

TEST_F(groups, that_are_complete_are_not_waited_for)
{
	const struct groups *g = &self->g;
	struct waiter w;

	ASSERT_EQ(0, issue_groups(g, 0, 0, 0, 3));
	ASSERT_EQ(0, async_finish(&g->c));
	ASSERT_EQ(0, cluster_hold(&g->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, issue_groups(g, 0, 0, 3, 2));
	EXPECT_EQ(0, exec_one(&g->c, wait_of(g, 2)));
	ASSERT_EQ(0, waiter_start(&w, g, 0, 0, wait_of(g, 1), 3));
	EXPECT_TRUE(waiter_suspended(&w));
	ASSERT_EQ(0, cluster_hold(&g->c, 0));
	EXPECT_EQ(0, waiter_join(&w));
}

TEST_F(groups, without_a_copy_count_too)
{
	const struct groups *g = &self->g;
	struct drm_vsm_insn empty[] = { commit_of(g), commit_of(g) };
	struct waiter w;

	EXPECT_EQ(0, exec_as(&g->c, 0, 0, empty, 2));
	EXPECT_EQ(0, exec_one(&g->c, wait_of(g, 0)));
	ASSERT_EQ(0, cluster_hold(&g->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, issue_groups(g, 0, 0, 0, 1));
	EXPECT_EQ(0, exec_as(&g->c, 0, 0, empty, 2));
	/* The group with the copy is the oldest of three. */
	EXPECT_EQ(0, exec_one(&g->c, wait_of(g, 3)));
	ASSERT_EQ(0, waiter_start(&w, g, 0, 0, wait_of(g, 2), 0));
	EXPECT_TRUE(waiter_suspended(&w));
	ASSERT_EQ(0, cluster_hold(&g->c, 0));
	EXPECT_EQ(0, waiter_join(&w));
}

TEST_F(groups, copies_before_a_commit_are_in_none)
{
	const struct groups *g = &self->g;
	struct waiter w;

	ASSERT_EQ(0, cluster_hold(&g->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&g->c, copy_of(g, 0, 0)));
	EXPECT_EQ(0, exec_one(&g->c, wait_of(g, 0)));
	EXPECT_FALSE(has_happened(g, 0, 0));
	/*
	 * cp.async.wait_all also waits for copies without a commit. Bulk copies have no wait_all.
	 */
	if (g->kind != CP_ASYNC)
		ASSERT_EQ(0, exec_one(&g->c, commit_of(g)));
	ASSERT_EQ(0, waiter_start(&w, g, 0, 0, g->kind == CP_ASYNC ? i_wait_all() : wait_of(g, 0),
				  0));
	EXPECT_TRUE(waiter_suspended(&w));
	ASSERT_EQ(0, cluster_hold(&g->c, 0));
	EXPECT_EQ(0, waiter_join(&w));
	EXPECT_TRUE(has_happened(g, 0, 0));
}

TEST_F(groups, copies_after_a_commit_are_not_in_it)
{
	const struct groups *g = &self->g;

	ASSERT_EQ(0, issue_groups(g, 0, 0, 0, 1));
	ASSERT_EQ(0, async_finish(&g->c));
	ASSERT_EQ(0, cluster_hold(&g->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&g->c, copy_of(g, 0, 1)));
	EXPECT_EQ(0, exec_one(&g->c, wait_of(g, 0)));
	ASSERT_EQ(0, exec_one(&g->c, commit_of(g)));
	EXPECT_EQ(0, exec_one(&g->c, wait_of(g, 1)));
	EXPECT_FALSE(has_happened(g, 0, 1));
}

TEST_F(groups, a_group_is_complete_with_the_last_of_its_copies)
{
	enum { COPIES = 20 };
	const struct groups *g = &self->g;
	struct drm_vsm_insn insns[COPIES + 1];
	struct waiter w;
	uint32_t i;

	for (i = 0; i < COPIES; i++)
		insns[i] = copy_of(g, 0, i);
	insns[COPIES] = commit_of(g);
	ASSERT_EQ(0, cluster_hold(&g->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_as(&g->c, 0, 0, insns, COPIES + 1));
	ASSERT_EQ(0, waiter_start(&w, g, 0, 0, wait_of(g, 0), COPIES - 1));
	EXPECT_TRUE(waiter_suspended(&w));
	ASSERT_EQ(0, cluster_hold(&g->c, 0));
	EXPECT_EQ(0, waiter_join(&w));
	for (i = 0; i < COPIES; i++)
		EXPECT_TRUE(has_happened(g, 0, i));
}

TEST_F(groups, each_thread_has_its_own)
{
	static const struct {
		uint32_t cta, thread;
	} others[] = { { 0, 1 }, { 0, 63 }, { 1, 0 }, { 3, 0 }, { 3, 63 } };
	const struct groups *g = &self->g;
	struct waiter w[ITEMS(others)];
	size_t i;

	ASSERT_EQ(0, cluster_hold(&g->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, issue_groups(g, 0, 0, 0, 2));
	for (i = 0; i < ITEMS(others); i++)
		EXPECT_EQ(0, exec_one_as(&g->c, others[i].cta, others[i].thread, wait_of(g, 0)));
	for (i = 0; i < ITEMS(others); i++) {
		ASSERT_EQ(0, issue_groups(g, others[i].cta, others[i].thread, 8 + i, 1));
		ASSERT_EQ(0, waiter_start(&w[i], g, others[i].cta, others[i].thread,
					  wait_of(g, 0), 8 + i));
		EXPECT_EQ(0, exec_one(&g->c, wait_of(g, 2)));
	}
	for (i = 0; i < ITEMS(others); i++)
		EXPECT_TRUE(waiter_suspended(&w[i]));
	ASSERT_EQ(0, cluster_hold(&g->c, 0));
	for (i = 0; i < ITEMS(others); i++)
		EXPECT_EQ(0, waiter_join(&w[i]));
}

/* The cluster keeps the groups of its threads, whichever tasks execute the threads. */
TEST_F(groups, of_one_thread_wake_all_its_tasks)
{
	struct groups other = self->g;
	struct waiter w[3];
	int i;

	ASSERT_EQ(0, cluster_share(&other.c, vsm_open(), &self->g.c));
	ASSERT_EQ(0, buffer_create(&other.b, other.c.fd, 2 * PAGE));
	ASSERT_EQ(0, cluster_hold(&self->g.c, DRM_VSM_HOLD));
	ASSERT_EQ(0, issue_groups(&self->g, 2, 5, 0, 1));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, waiter_start(&w[i], i ? &other : &self->g, 2, 5,
					  wait_of(&self->g, 0), 0));
	/* After the wait, each task executes a commit instead of a copy. */
	for (i = 0; i < 3; i++) {
		w[i].insns[1] = commit_of(&self->g);
		EXPECT_TRUE(waiter_suspended(&w[i]));
	}
	ASSERT_EQ(0, cluster_hold(&self->g.c, 0));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, waiter_join(&w[i]));
	groups_fini(&other);
}

TEST_F(groups, are_not_for_jobs)
{
	const struct groups *g = &self->g;
	struct drm_vsm_insn insns[] = {
		commit_of(g), wait_of(g, 0), wait_of(g, 1), i_commit(), i_wait_group(0),
		i_wait_all(),
	};
	size_t i;

	for (i = 0; i < ITEMS(insns); i++)
		EXPECT_EQ(-EINVAL, submit_sync(&g->c, &insns[i], 1, 0, 0));
}

/* --- which copies are in groups -------------------------------------------- */

FIXTURE(members) { struct groups g; };

FIXTURE_SETUP(members)
{
	self->g.kind = BULK;
	ASSERT_EQ(0, groups_init(&self->g, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&self->g.c, i_init(0x80, 1)));
	ASSERT_EQ(0, cluster_hold(&self->g.c, DRM_VSM_HOLD));
}

FIXTURE_TEARDOWN(members)
{
	EXPECT_EQ(0, poll_events(self->g.c.fd));
	groups_fini(&self->g);
}

TEST_F(members, the_two_kinds_of_groups_are_apart)
{
	const struct groups *g = &self->g;
	struct drm_vsm_insn cp[] = { i_cp_async(DATA, 16, g->b.handle, 0), i_commit(),
				     i_bulk_commit(), i_bulk_wait(0), i_bulk_wait_read(0),
				     i_wait_group(1) };
	struct drm_vsm_insn bulk[] = { i_s2g(DATA + 256, 16, g->b.handle, OUT), i_bulk_commit(),
				       i_commit(), i_wait_group(0), i_wait_all(), i_bulk_wait(1) };

	EXPECT_EQ(0, exec_as(&g->c, 0, 0, cp, ITEMS(cp)));
	EXPECT_EQ(0, exec_as(&g->c, 0, 1, bulk, ITEMS(bulk)));
}

TEST_F(members, copies_that_complete_an_mbarrier_are_in_none)
{
	const struct groups *g = &self->g;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = {
		.type = DRM_VSM_TENSOR_UINT8, .rank = 1, .mode = DRM_VSM_TENSOR_TILED,
		.buffer = g->b.handle, .size = { 16 }, .box = { 16 }, .element_stride = { 1 },
	};
	struct drm_vsm_insn insns[] = {
		i_g2s(DATA, 0x80, 16, g->b.handle, 0),
		i_s2s(DATA + 16, 0x80, 16, DATA + 128),
		i_reduce(i_s2s(DATA + 32, 0x80, 16, DATA + 128), RED(ADD, U32)),
		i_st_async(DATA + 48, 0x80, 16, 0),
		i_red_async(RED(ADD, U32), DATA + 64, 0x80, 4, 1),
		i_tensor(TENSOR_G2S, &map, .addr = DATA + 256, .mbar = 0x80),
		i_prefetch(16, g->b.handle, 0), i_tensor(PREFETCH_TENSOR, &map),
		i_noinc(i_cp_arrive(0x80)),
		i_bulk_commit(), i_bulk_wait(0), i_bulk_wait_read(0), i_wait_all(),
	};

	EXPECT_EQ(0, exec_as(&g->c, 0, 0, insns, ITEMS(insns)));
	EXPECT_EQ(0, word(&g->c, 0x80) >> 63);
}

TEST_F(members, all_copies_to_global_memory_are_in_bulk_groups)
{
	const struct groups *g = &self->g;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = {
		.type = DRM_VSM_TENSOR_UINT32, .rank = 1, .mode = DRM_VSM_TENSOR_TILED,
		.buffer = g->b.handle, .offset = OUT, .size = { 4 }, .box = { 4 },
		.element_stride = { 1 },
	};
	const struct drm_vsm_insn copies[] = {
		i_s2g(DATA, 16, g->b.handle, OUT),
		i_cp_mask(i_s2g(DATA, 16, g->b.handle, OUT), 1),
		i_reduce(i_s2g(DATA, 16, g->b.handle, OUT), RED(ADD, U32)),
		i_tensor(TENSOR_S2G, &map, .addr = DATA),
		i_reduce(i_tensor(TENSOR_S2G, &map, .addr = DATA), DRM_VSM_RED_ADD),
	};
	size_t i;

	for (i = 0; i < ITEMS(copies); i++) {
		struct drm_vsm_insn insns[] = { copies[i], i_bulk_commit() };
		struct waiter w;

		ASSERT_EQ(0, cluster_hold(&g->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_as(&g->c, 0, 0, insns, 2));
		ASSERT_EQ(0, waiter_start(&w, g, 0, 0, i % 2 ? i_bulk_wait(0) : i_bulk_wait_read(0),
					  0));
		EXPECT_TRUE(waiter_suspended(&w)) TH_LOG("copy %zu", i);
		ASSERT_EQ(0, cluster_hold(&g->c, 0));
		EXPECT_EQ(0, waiter_join(&w)) TH_LOG("copy %zu", i);
		ASSERT_EQ(0, async_finish(&g->c));
	}
}

/*
 * A pipeline of two stages in one stream. An instruction that used the bytes of a copy in flight
 * would be refused.
 */
TEST_F(members, a_stream_goes_on_with_what_it_has_waited_for)
{
	enum { STEPS = 128, EACH = 7 };
	const struct groups *g = &self->g;
	static struct drm_vsm_insn insns[EACH * STEPS];
	uint32_t i, n = 0, round, rounds = repeat(40);

	ASSERT_EQ(0, cluster_hold(&g->c, 0));
	for (i = 0; i < STEPS; i++) {
		uint32_t stage = DATA + 32 * (i % 2), before = DATA + 32 * ((i + 1) % 2);

		insns[n++] = i_cp_async(stage, 16, g->b.handle, 32 * i);
		insns[n++] = i_cp_async(stage + 16, 16, g->b.handle, 32 * i + 16);
		insns[n++] = i_commit();
		if (!i)
			continue;
		insns[n++] = i_wait_group(1);
		insns[n++] = i_s2g(before, 32, g->b.handle, OUT + 32 * (i - 1));
		insns[n++] = i_bulk_commit();
		insns[n++] = i_bulk_wait_read(0);
	}
	for (round = 0; round < rounds; round++) {
		memset(g->b.map + OUT, 0, 32 * STEPS);
		ASSERT_EQ(0, exec_as(&g->c, 0, 0, insns, n));
		ASSERT_EQ(0, exec_one(&g->c, i_wait_all()));
		ASSERT_EQ(0, exec_one(&g->c, i_bulk_wait(0)));
		ASSERT_EQ(0, memcmp(g->b.map, g->b.map + OUT, 32 * (STEPS - 1)));
	}
}

TEST_HARNESS_MAIN
