// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of cp.async and of bulk copies: which of them a thread waits for. Waits that end before
 * their groups complete, and groups whose threads, clients, cluster or device end before them.
 */
#include <sys/time.h>

#include "groups.h"

#define B	AT(0, 0x90)	/* counts arrivals */
#define MANY	1000

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

/* --- waits and groups that end early ----------------------------------------- */

FIXTURE(group_ends) { struct groups g; };
FIXTURE_VARIANT(group_ends) { enum kind kind; };
FIXTURE_VARIANT_ADD(group_ends, cp_async) { .kind = CP_ASYNC };
FIXTURE_VARIANT_ADD(group_ends, bulk) { .kind = BULK };
FIXTURE_VARIANT_ADD(group_ends, bulk_read) { .kind = BULK_READ };

/* Two groups are in flight, and stay in flight because the cluster is held. */
FIXTURE_SETUP(group_ends)
{
	self->g.kind = variant->kind;
	ASSERT_EQ(0, groups_init(&self->g, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&self->g.c, i_init(B, MANY)));
	ASSERT_EQ(0, cluster_hold(&self->g.c, DRM_VSM_HOLD));
	ASSERT_EQ(0, issue_groups(&self->g, 0, 0, 0, 2));
}

FIXTURE_TEARDOWN(group_ends)
{
	groups_fini(&self->g);
}

/* --- signals during waits ------------------------------------------------- */

static volatile sig_atomic_t signals, release_at;
static const struct cluster *signalled;

static void on_signal(int signum)
{
	if (++signals == release_at)
		cluster_hold(signalled, 0);
}

static void handle(const struct cluster *c, int flags, int release)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };
	struct itimerval timer = { .it_interval.tv_usec = 3000, .it_value.tv_usec = 1000 };

	signalled = c;
	release_at = release;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void handle_no_more(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
}

static uint32_t arrivals(const struct cluster *c)
{
	return MANY - vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(c, B));
}

TEST_F(group_ends, a_signal_interrupts_and_the_same_call_goes_on)
{
	const struct groups *g = &self->g;
	struct drm_vsm_insn stream[] = {
		i_arrive(B), copy_of(g, 0, 2), commit_of(g), wait_of(g, 0), i_arrive(B),
	};
	struct drm_vsm_exec args = exec_args(&g->c, stream, ITEMS(stream));
	int ret, eintr = 0;

	insn_poison(stream, ITEMS(stream));
	handle(&g->c, 0, 10);
	while ((ret = vsm_exec(g->c.fd, &args)) == -EINTR) {
		ASSERT_EQ(3, args.retired);
		EXPECT_EQ(0, args.deadline);
		EXPECT_EQ(1, arrivals(&g->c));
		EXPECT_TRUE(insn_untouched(&stream[3]));
		eintr++;
	}
	handle_no_more();
	EXPECT_EQ(0, ret);
	EXPECT_LT(0, eintr);
	EXPECT_EQ(5, args.retired);
	EXPECT_EQ(2, arrivals(&g->c));
	EXPECT_EQ(0, stream[3].result);
	EXPECT_EQ(0, stream[3].fault);
	EXPECT_TRUE(has_happened(g, 0, 2));
	EXPECT_EQ(0, poll_events(g->c.fd));
}

TEST_F(group_ends, a_restarted_call_waits_on)
{
	const struct groups *g = &self->g;
	struct drm_vsm_insn stream[] = {
		i_arrive(B), g->kind == CP_ASYNC ? i_wait_all() : wait_of(g, 1), i_arrive(B),
	};

	handle(&g->c, SA_RESTART, 10);
	EXPECT_EQ(0, exec_stream(&g->c, 0, stream, ITEMS(stream), NULL));
	handle_no_more();
	EXPECT_LE(10, signals);
	EXPECT_EQ(2, arrivals(&g->c));
	EXPECT_TRUE(has_happened(g, 0, 0));
}

/* --- loss of the device or the cluster ------------------------------------ */

TEST_F(group_ends, the_device_goes)
{
	const struct groups *g = &self->g;
	struct waiter w[4];
	int i;

	for (i = 0; i < 4; i++) {
		if (i)
			ASSERT_EQ(0, issue_groups(g, i, i, 4 + i, 1));
		ASSERT_EQ(0, waiter_start(&w[i], g, i, i, wait_of(g, 0), 0));
	}
	for (i = 0; i < 4; i++)
		EXPECT_TRUE(waiter_suspended(&w[i]));
	ASSERT_EQ(0, device_unbind());
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(-ENODEV, waiter_join(&w[i]));
		EXPECT_EQ(0, w[i].t.args.retired);
		EXPECT_TRUE(insn_untouched(&w[i].insns[0]));
	}
	EXPECT_FALSE(has_happened(g, 0, 0));
	EXPECT_EQ(-ENODEV, exec_one(&g->c, wait_of(g, 0)));
	EXPECT_EQ(0, device_bind());
}

TEST_F(group_ends, the_cluster_is_lost)
{
	struct groups lost = self->g;
	struct waiter w[2];
	int i;

	ASSERT_EQ(0, cluster_create(&lost.c, self->g.c.fd, VSM_LAYOUT_SM_90,
				    DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, cluster_hold(&lost.c, DRM_VSM_HOLD));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, issue_groups(&lost, i, i, 4 * i, 2));
		ASSERT_EQ(0, waiter_start(&w[i], &lost, i, i, wait_of(&lost, 1), 4 * i));
	}
	for (i = 0; i < 2; i++)
		EXPECT_TRUE(waiter_suspended(&w[i]));
	/* A poisoned word traps, and the cluster is marked lost. */
	atomic_store(word_at(&lost.c, 8), 1ULL << 42);
	EXPECT_EQ(-EPROTO, exec_one(&lost.c, i_test_parity(8, 0)));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(-EIO, waiter_join(&w[i]));
		EXPECT_EQ(0, w[i].t.args.retired);
	}
	EXPECT_EQ(-EIO, exec_one(&lost.c, wait_of(&lost, 0)));
	EXPECT_EQ(-EIO, exec_one(&lost.c, commit_of(&lost)));
	EXPECT_EQ(-EIO, exec_one(&lost.c, copy_of(&lost, 0, 9)));
	EXPECT_EQ(0, cluster_destroy(&lost.c));
	/* The other cluster still works. */
	ASSERT_EQ(0, cluster_hold(&self->g.c, 0));
	EXPECT_EQ(0, exec_one(&self->g.c, wait_of(&self->g, 0)));
	EXPECT_TRUE(has_happened(&self->g, 0, 1));
}

/* --- closing handles and clients ------------------------------------------ */

TEST_F(group_ends, the_handle_is_closed)
{
	const struct groups *g = &self->g;
	struct waiter w;

	/* Closing a handle releases the cluster: the wait completes. */
	ASSERT_EQ(0, waiter_start(&w, g, 0, 0, wait_of(g, 0), 0));
	EXPECT_TRUE(waiter_suspended(&w));
	ASSERT_EQ(0, gem_close(g->c.fd, g->c.handle));
	EXPECT_EQ(0, waiter_join(&w));
	EXPECT_TRUE(has_happened(g, 0, 1));
}

/* Closing a client also closes its handle of the cluster, which releases the cluster. */
TEST_F(group_ends, the_client_closes_that_has_issued_them)
{
	const struct groups *g = &self->g;
	struct groups other = *g;
	struct waiter w;

	ASSERT_EQ(0, cluster_share(&other.c, vsm_open(), &g->c));
	ASSERT_EQ(0, buffer_create(&other.b, other.c.fd, 2 * PAGE));
	ASSERT_EQ(0, issue_groups(&other, 1, 1, 8, 1));
	ASSERT_EQ(0, issue_groups(g, 1, 1, 9, 1));
	ASSERT_EQ(0, waiter_start(&w, g, 1, 1, wait_of(g, 1), 8));
	EXPECT_TRUE(waiter_suspended(&w));
	groups_fini(&other);
	EXPECT_EQ(0, waiter_join(&w));
	EXPECT_EQ(0, exec_one_as(&g->c, 1, 1, wait_of(g, 0)));
	EXPECT_TRUE(has_happened(g, 1, 9));
}

TEST_F(group_ends, clients_close_behind_their_groups)
{
	const struct groups *g = &self->g;
	struct groups own = *g;
	int i;

	for (i = 0; i < repeat(200); i++) {
		ASSERT_EQ(0, groups_init(&own, VSM_LAYOUT_SM_90, i / 4 % 2));
		if (i % 2)
			ASSERT_EQ(0, cluster_hold(&own.c, DRM_VSM_HOLD));
		ASSERT_EQ(0, issue_groups(&own, i % 4, i % 64, 0, 1 + i % 10));
		if (i / 2 % 2)
			ASSERT_EQ(0, gem_close(own.c.fd, own.c.handle));
		groups_fini(&own);
	}
}

TEST_F(group_ends, a_waiting_thread_is_killed)
{
	const struct groups *g = &self->g;
	int i, dmabuf, status;

	ASSERT_EQ(0, drmPrimeHandleToFD(g->c.fd, g->c.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	for (i = 0; i < 10; i++) {
		pid_t pid = fork_child();

		if (!pid) {
			struct groups own = *g;

			own.c.fd = vsm_open();
			if (drmPrimeFDToHandle(own.c.fd, dmabuf, &own.c.handle) ||
			    buffer_create(&own.b, own.c.fd, 2 * PAGE) ||
			    issue_groups(&own, 2, 7, 0, 3))
				_exit(1);
			_exit(exec_one_as(&own.c, 2, 7, wait_of(&own, i % 3)) ? 2 : 3);
		}
		ASSERT_TRUE(wait_until_blocked(pid, pid, SYS_ioctl));
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
		/* The kill has ended the client's groups: the wait returns at once. */
		EXPECT_EQ(0, exec_one_as(&g->c, 2, 7, wait_of(g, 0)));
		EXPECT_EQ(0, issue_groups(g, 2, 7, 4, 1));
		EXPECT_EQ(0, exec_one_as(&g->c, 2, 7, wait_of(g, 1)));
		ASSERT_EQ(0, cluster_hold(&g->c, 0));
		EXPECT_EQ(0, exec_one_as(&g->c, 2, 7, wait_of(g, 0)));
		ASSERT_EQ(0, cluster_hold(&g->c, DRM_VSM_HOLD));
	}
	close(dmabuf);
}

/* --- other waiters --------------------------------------------------------- */

/*
 * All threads are suspended. One of them waits for copies in flight and will then wake the other.
 */
TEST_F(group_ends, a_wait_without_limit_beside_it_is_no_deadlock)
{
	const struct groups *g = &self->g;
	struct drm_vsm_cluster_create args = { .ctas = 1, .threads = 2, .smem_bytes = 4096 };
	struct groups two = *g;
	struct drm_vsm_insn wait = i_try_parity_unlimited(B, 0), stream[4];
	struct drm_vsm_exec untimed;
	struct exec_thread t[2];

	ASSERT_EQ(0, cluster_create_args(&two.c, g->c.fd, &args));
	ASSERT_EQ(0, exec_one(&two.c, i_init(B, 1)));
	ASSERT_EQ(0, cluster_hold(&two.c, DRM_VSM_HOLD));
	stream[0] = copy_of(&two, 0, 4);
	stream[1] = commit_of(&two);
	stream[2] = wait_of(&two, 0);
	stream[3] = i_arrive(B);
	ASSERT_EQ(0, exec_thread_start(&t[0], &two.c, stream, 4));
	ASSERT_TRUE(exec_thread_suspended(&t[0]));
	untimed = exec_args(&two.c, &wait, 1);
	untimed.thread = 1;
	untimed.flags = DRM_VSM_EXEC_NO_LIMIT;
	ASSERT_EQ(0, exec_thread_run(&t[1], &two.c, untimed));
	ASSERT_TRUE(exec_thread_suspended(&t[1]));
	ASSERT_EQ(0, cluster_hold(&two.c, 0));
	EXPECT_EQ(0, exec_thread_join(&t[0]));
	EXPECT_EQ(0, exec_thread_join(&t[1]));
	EXPECT_EQ(1, wait.result);
	EXPECT_EQ(0, cluster_destroy(&two.c));
}

/* --- many groups ---------------------------------------------------------- */

TEST_F(group_ends, all_threads_of_the_largest_cluster_have_groups)
{
	struct drm_vsm_device_info info = vsm_info(self->g.c.fd);
	struct drm_vsm_cluster_create args = {
		.ctas = info.max_ctas, .threads = info.max_threads, .smem_bytes = 16 * 1024,
	};
	uint32_t cta, thread, some = repeat(info.max_threads), last = info.max_threads - 1;
	struct groups all = self->g;
	struct waiter w;

	ASSERT_EQ(0, cluster_create_args(&all.c, self->g.c.fd, &args));
	ASSERT_EQ(0, cluster_hold(&all.c, DRM_VSM_HOLD));
	for (cta = 0; cta < info.max_ctas; cta++) {
		for (thread = 0; thread < some; thread++) {
			uint32_t n = all.kind == CP_ASYNC ? thread % 256 : 0;
			struct drm_vsm_insn insns[] = {
				i_cp_async(AT(cta, 16 * (last - thread)), 16, all.b.handle, 16 * n),
				i_commit(), i_bulk_commit(), i_wait_group(1), i_bulk_wait(0),
			};

			ASSERT_EQ(0, exec_as(&all.c, cta, last - thread, insns, ITEMS(insns)));
		}
	}
	ASSERT_EQ(0, waiter_start(&w, &all, info.max_ctas - 1, last, i_wait_group(0), 0));
	EXPECT_TRUE(waiter_suspended(&w));
	ASSERT_EQ(0, cluster_hold(&all.c, 0));
	EXPECT_EQ(0, waiter_join(&w));
	for (cta = 0; cta < info.max_ctas; cta++)
		for (thread = 0; thread < some; thread++)
			ASSERT_EQ(0, exec_one_as(&all.c, cta, last - thread, i_wait_group(0)));
	EXPECT_EQ(0, cluster_destroy(&all.c));
}

/* Makes the largest buffer, of at most @size bytes, that the limits allow. */
static struct drm_vsm_buffer_create largest_buffer(int fd, uint64_t size)
{
	struct drm_vsm_buffer_create args = { .size = size };

	while (args.size && vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args) == -ENOSPC)
		args.size -= PAGE;
	return args;
}

/* The first group of a thread allocates the thread's state. */
TEST_F(group_ends, threads_are_charged_to_the_client_of_their_cluster)
{
	struct drm_vsm_device_info info = vsm_info(self->g.c.fd);
	struct drm_vsm_buffer_create all, args;
	struct cluster c, again;
	int ret = 0, fd = vsm_open();
	uint32_t i, first;

	/* Other files of the user already use a part of its bytes. */
	all = largest_buffer(fd, info.client_bytes & ~(PAGE - 1ULL));
	ASSERT_LT(0, all.handle);
	ASSERT_EQ(0, gem_close(fd, all.handle));
	ASSERT_EQ(0, cluster_create(&c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	/* Leave less than a page. */
	args = largest_buffer(fd, all.size);
	ASSERT_LT(0, args.handle);
	for (i = 0; !ret && i < 256; i++)
		ret = exec_one_as(&c, i / 64, i % 64, commit_of(&self->g));
	EXPECT_EQ(-ENOSPC, ret);
	first = i - 1;
	/*
	 * Another client gets the same error. Threads that already have their state need no more
	 * memory.
	 */
	ASSERT_EQ(0, cluster_share(&again, vsm_open(), &c));
	EXPECT_EQ(-ENOSPC, exec_one_as(&again, first / 64, first % 64, wait_of(&self->g, 0)));
	for (i = 0; i < first; i++)
		EXPECT_EQ(0, exec_one_as(&again, i / 64, i % 64, wait_of(&self->g, 0)));

	ASSERT_EQ(0, gem_close(fd, args.handle));
	for (i = first; i < 256; i++)
		EXPECT_EQ(0, exec_one_as(&again, i / 64, i % 64, commit_of(&self->g)));
	/* The end of the cluster frees the state of all threads. */
	EXPECT_EQ(-ENOSPC, vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	EXPECT_EQ(0, cluster_destroy(&again));
	EXPECT_EQ(0, cluster_destroy(&c));
	EXPECT_EQ(0, vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &all));
	close(again.fd);
	close(fd);
}

TEST_HARNESS_MAIN
