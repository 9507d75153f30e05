// SPDX-License-Identifier: GPL-2.0-only
/*
 * What makes the inits of a CTA visible to the cluster, and what does not. init.c tests
 * fence.mbarrier_init, and cluster_barrier.c the barrier of the cluster.
 */
#include "fence.h"
#include "rendezvous.h"

#define A	AT(0, 0x80)	/* mbarrier of CTA 0, whose init is not visible to CTA 1 */
#define LIVE	AT(0, 0x100)	/* mbarrier of CTA 0, whose init is visible */
#define DEAD	AT(0, 0x108)	/* no object */
#define B	AT(1, 0x80)	/* mbarrier of CTA 1, whose init is visible */
#define FRESH	AT(1, 0x88)	/* mbarrier of CTA 1, whose init is not visible */
#define NOWHERE	AT(7, 0x80)

FIXTURE(visible)
{
	struct cluster c;	/* two CTAs of one warp */
};

FIXTURE_SETUP(visible)
{
	struct drm_vsm_insn zero[] = { i_init(LIVE, 2), i_fence(), i_init(A, 2) };
	struct drm_vsm_insn one[] = { i_init(B, 2), i_fence(), i_init(FRESH, 2) };

	ASSERT_EQ(0, rv_create(&self->c, 2, LANES, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, play(&self->c, 0, 0, 0, zero, ITEMS(zero)));
	ASSERT_EQ(0, play(&self->c, 1, 0, 0, one, ITEMS(one)));
}

FIXTURE_TEARDOWN(visible)
{
	rv_destroy(&self->c);
}

static struct drm_vsm_insn ordered(struct drm_vsm_insn insn, uint8_t sem, uint8_t scope)
{
	insn.sem = sem;
	insn.scope = scope;
	return insn;
}

/*
 * Makes an arrive a release of cluster scope. It has no result, because it must be valid in jobs.
 */
static struct drm_vsm_insn release(struct drm_vsm_insn arrive)
{
	return ordered(i_sink(arrive), DRM_VSM_SEM_RELEASE, DRM_VSM_SCOPE_CLUSTER);
}

/*
 * Executes an expect_tx of 0 bytes on an mbarrier as a thread of the other CTA. Returns 0 if the
 * init is visible, otherwise the fault.
 */
static int ask(const struct cluster *c, uint32_t addr)
{
	int ret = exec_fault(c, !(addr >> 24), i_expect_tx(addr, 0), NULL);

	return ret == -EISCONN ? 0 : ret;
}

#define EXPECT_KNOWN(addr) EXPECT_EQ(0, ask(&self->c, addr))
#define EXPECT_UNKNOWN(addr) EXPECT_EQ(DRM_VSM_FAULT_INIT_NOT_FENCED, ask(&self->c, addr))

/* Replaces an mbarrier by a new one in the same word. */
static int renew(const struct cluster *c, uint32_t addr)
{
	return exec_at(c, addr >> 24, i_inval(addr), NULL) ?:
	       exec_at(c, addr >> 24, i_init(addr, 2), NULL);
}

/* --- releases on mbarriers --------------------------------------------------------- */

TEST_F(visible, a_release_of_cluster_scope_does)
{
	const struct drm_vsm_insn rows[] = {
		i_arrive(LIVE), i_arrive(B), i_arrive_n(B, 1), i_arrive(A),
		i_arrive_expect_tx(B, 0), i_drop(i_arrive(B)),
	};
	int i;

	for (i = 0; i < 2 * ITEMS(rows); i++) {
		struct drm_vsm_insn insn = rows[i / 2];

		ASSERT_EQ(0, renew(&self->c, A));
		ASSERT_EQ(0, renew(&self->c, LIVE));
		ASSERT_EQ(0, exec_one(&self->c, i_fence()));
		ASSERT_EQ(0, renew(&self->c, A));
		ASSERT_EQ(0, renew(&self->c, B));
		ASSERT_EQ(0, exec_at(&self->c, 1, i_fence(), NULL));
		ASSERT_EQ(0, renew(&self->c, FRESH));

		EXPECT_UNKNOWN(A);
		EXPECT_EQ(i % 2, i % 2 ? job_status(&self->c, 0, release(insn))
				       : exec_one(&self->c, release(insn)));
		EXPECT_KNOWN(A);
		/* The inits of CTA 1 stay invisible. */
		EXPECT_UNKNOWN(FRESH);
	}
}

/* Neither other scopes and orders nor the default ones make an init visible. */
TEST_F(visible, no_other_operation_on_an_mbarrier_does)
{
	const struct drm_vsm_insn rows[] = {
		i_arrive(LIVE), i_sink(i_arrive(LIVE)),
		ordered(i_arrive(LIVE), DRM_VSM_SEM_RELEASE, DRM_VSM_SCOPE_CTA),
		ordered(i_arrive(LIVE), DRM_VSM_SEM_RELAXED, DRM_VSM_SCOPE_CLUSTER),
		ordered(i_sink(i_arrive(B)), DRM_VSM_SEM_RELAXED, DRM_VSM_SCOPE_CLUSTER),
		ordered(i_drop(i_arrive(LIVE)), DRM_VSM_SEM_RELAXED, DRM_VSM_SCOPE_CLUSTER),
		i_arrive_nocomplete(LIVE, 1), i_expect_tx(LIVE, 16), i_complete_tx(LIVE, 16),
		ordered(i_expect_tx(B, 16), DRM_VSM_SEM_RELAXED, DRM_VSM_SCOPE_CLUSTER),
		ordered(i_test_parity(LIVE, 1), DRM_VSM_SEM_ACQUIRE, DRM_VSM_SCOPE_CLUSTER),
		i_inval(LIVE),
	};
	int i;

	for (i = 0; i < ITEMS(rows); i++) {
		ASSERT_EQ(0, renew(&self->c, LIVE));
		ASSERT_EQ(0, renew(&self->c, B));
		ASSERT_EQ(0, exec_at(&self->c, 1, i_fence(), NULL));
		if (rows[i].op == DRM_VSM_OP_MBARRIER_COMPLETE_TX)
			ASSERT_EQ(0, exec_one(&self->c, i_expect_tx(LIVE, 16)));
		EXPECT_EQ(0, exec_one(&self->c, rows[i])) TH_LOG("row %d", i);
		EXPECT_UNKNOWN(A);
	}
}

TEST_F(visible, a_release_that_is_refused_does_not)
{
	const struct {
		struct drm_vsm_insn insn;
		int fault;
		bool early;	/* SUBMIT refuses it, not the job */
	} rows[] = {
		{ i_arrive_n(LIVE, 3), DRM_VSM_FAULT_ARRIVAL_OVERFLOW },
		{ i_arrive_n(B, 3), DRM_VSM_FAULT_ARRIVAL_OVERFLOW },
		{ i_arrive_n(B, 0), DRM_VSM_FAULT_BAD_COUNT, true },
		{ i_arrive(DEAD), DRM_VSM_FAULT_NOT_AN_MBARRIER },
		{ i_arrive(FRESH), DRM_VSM_FAULT_INIT_NOT_FENCED },
		{ i_arrive(LIVE + 4), DRM_VSM_FAULT_MISALIGNED, true },
		{ i_arrive(NOWHERE), DRM_VSM_FAULT_OUT_OF_WINDOW, true },
		{ i_arrive_expect_tx(B, 1 << 20), DRM_VSM_FAULT_TX_RANGE },
		{ i_drop(i_arrive_n(B, 2)), DRM_VSM_FAULT_DROP_TO_ZERO },
		{ i_drop(i_arrive_n(LIVE, 3)), DRM_VSM_FAULT_ARRIVAL_OVERFLOW },
	};
	int i;

	for (i = 0; i < ITEMS(rows); i++) {
		struct drm_vsm_insn insn = release(rows[i].insn);

		EXPECT_EQ(-EPROTO, exec_stream(&self->c, 0, &insn, 1, NULL));
		EXPECT_EQ(rows[i].fault, insn.fault);
		EXPECT_UNKNOWN(A);
		EXPECT_EQ(rows[i].early ? -EPROTO : -EIO,
			  job_status(&self->c, 0, release(rows[i].insn)));
		EXPECT_UNKNOWN(A);
	}
	EXPECT_EQ(0, exec_one(&self->c, release(i_arrive(B))));
	EXPECT_KNOWN(A);
}

/*
 * CTA 0 initialises an mbarrier and makes it visible by a release. CTA 1 acquires and then uses the
 * mbarrier at once.
 */
static void announce(struct player *p)
{
	struct drm_vsm_insn arrive = release(i_arrive(p->cta ? A : B));
	struct drm_vsm_insn look = ordered(i_test_parity(p->cta ? B : A, 0), DRM_VSM_SEM_ACQUIRE,
					   DRM_VSM_SCOPE_CLUSTER);
	uint32_t i;

	for (i = 0; i < repeat(20000) && !p->error; i++) {
		if (!p->cta) {
			player_do(p, i_init(A, 1));
			player_do(p, arrive);
		}
		look.u.mbarrier.parity = p->cta ? i % 2 : 0;
		while (!p->error && !player_do(p, look))
			;
		if (p->cta)
			player_do(p, arrive);
		else
			player_do(p, i_inval(A));
	}
}

TEST_F(visible, an_acquire_of_a_release_allows_to_use_the_object)
{
	struct player players[] = {
		{ .c = &self->c, .cta = 0, .program = announce },
		{ .c = &self->c, .cta = 1, .program = announce },
	};

	ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
	ASSERT_EQ(0, exec_at(&self->c, 1, i_inval(B), NULL));
	ASSERT_EQ(0, exec_at(&self->c, 1, i_init(B, 1), NULL));
	ASSERT_EQ(0, exec_at(&self->c, 1, i_fence(), NULL));
	EXPECT_EQ(0, players_run(players, ITEMS(players)));
}

/* --- fences that release ----------------------------------------------------------- */

static const uint8_t sems[] = {
	DRM_VSM_SEM_DEFAULT, DRM_VSM_SEM_ACQUIRE, DRM_VSM_SEM_RELEASE, DRM_VSM_SEM_ACQ_REL,
	DRM_VSM_SEM_SC,
};

TEST_F(visible, a_fence_that_releases_to_the_cluster_does)
{
	uint8_t scope;
	int i;

	for (i = 0; i < 2 * ITEMS(sems); i++) {
		for (scope = DRM_VSM_SCOPE_CTA; scope <= DRM_VSM_SCOPE_SYS; scope++) {
			struct drm_vsm_insn insn = i_order(sems[i / 2], scope);
			bool releases = insn.sem != DRM_VSM_SEM_ACQUIRE &&
					scope != DRM_VSM_SCOPE_CTA;

			ASSERT_EQ(0, renew(&self->c, A));
			/* A warp or a job of the CTA executes the fence. */
			EXPECT_EQ(i % 2, i % 2 ? job_status(&self->c, 0, insn)
					       : play_one(&self->c, 0, scope, DRM_VSM_EXEC_WARP,
							  insn, NULL));
			EXPECT_EQ(releases ? 0 : DRM_VSM_FAULT_INIT_NOT_FENCED,
				  ask(&self->c, A)) TH_LOG("sem %u scope %u", insn.sem, scope);
			EXPECT_UNKNOWN(FRESH);
		}
	}
}

TEST_F(visible, a_fence_has_result_0_and_no_operands)
{
	const struct drm_vsm_insn fence = i_order(DRM_VSM_SEM_SC, DRM_VSM_SCOPE_CLUSTER);
	const struct drm_vsm_insn wrong[] = {
		i_order(DRM_VSM_SEM_DEFAULT, DRM_VSM_SCOPE_DEFAULT),
		i_order(DRM_VSM_SEM_SC, DRM_VSM_SCOPE_DEFAULT),
		i_order(DRM_VSM_SEM_RELAXED, DRM_VSM_SCOPE_CLUSTER),
		i_order(DRM_VSM_SEM_SC + 1, DRM_VSM_SCOPE_CLUSTER),
		i_order(DRM_VSM_SEM_SC, DRM_VSM_SCOPE_SYS + 1),
		i_order(255, 255),
		ordered(i_arrive(A), DRM_VSM_SEM_ACQ_REL, DRM_VSM_SCOPE_CLUSTER),
		ordered(i_arrive(A), DRM_VSM_SEM_RELEASE, DRM_VSM_SCOPE_GPU),
		ordered(i_fence(), DRM_VSM_SEM_RELEASE, DRM_VSM_SCOPE_SYS),
	};
	struct drm_vsm_insn insn;
	uint64_t result = ~0ULL;
	int i;

	EXPECT_EQ(0, exec_at(&self->c, 1, fence, &result));
	EXPECT_EQ(0, result);
	for (i = 0; i < ITEMS(wrong); i++) {
		EXPECT_EQ(-EINVAL, exec_one(&self->c, wrong[i])) TH_LOG("row %d", i);
		EXPECT_EQ(-EINVAL, job_status(&self->c, 0, wrong[i])) TH_LOG("row %d", i);
	}
	for (i = 0; i < 4; i++) {
		insn = fence;
		insn.mods = i == 0;
		insn.space = i == 1;
		insn.red = i == 2;
		insn.u.mbarrier.count = i == 3;
		EXPECT_EQ(-EINVAL, exec_one(&self->c, insn));
	}
	EXPECT_UNKNOWN(A);
}

/* In layout sm_80 the device refuses fences that need sm_90 in PTX. */
TEST_F(visible, fences_of_sm_80_are_those_that_ptx_has_there)
{
	struct cluster c;
	uint8_t scope;
	int i;

	ASSERT_EQ(0, cluster_make_open(&c, .ctas = 2, .threads = 1, .smem_bytes = 4096,
				       .layout = VSM_LAYOUT_SM_80));
	for (i = 0; i < ITEMS(sems); i++) {
		for (scope = DRM_VSM_SCOPE_CTA; scope <= DRM_VSM_SCOPE_SYS; scope++) {
			struct drm_vsm_insn insn = i_order(sems[i], scope);
			bool there = scope != DRM_VSM_SCOPE_CLUSTER &&
				     insn.sem != DRM_VSM_SEM_ACQUIRE &&
				     insn.sem != DRM_VSM_SEM_RELEASE;

			EXPECT_EQ(there ? 0 : -EOPNOTSUPP, exec_one(&c, insn));
			EXPECT_EQ(there ? 1 : -EOPNOTSUPP, job_status(&c, 0, insn));
		}
	}
	cluster_close(&c);
}

TEST_F(visible, a_fence_of_the_hardware_policy_orders_and_no_more)
{
	struct cluster c;

	ASSERT_EQ(0, rv_create(&c, 2, 1, DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 2)));
	EXPECT_EQ(0, exec_one(&c, i_order(DRM_VSM_SEM_SC, DRM_VSM_SCOPE_SYS)));
	EXPECT_EQ(0, exec_at(&c, 1, i_sink(i_arrive(A)), NULL));
	rv_destroy(&c);
}

enum { STOP = 0xffffffff };

/* Waits until the player of the other CTA has stored @number. */
static void player_await(struct player *p, _Atomic uint32_t *flag, uint32_t number)
{
	uint32_t seen;

	while (!p->error && (seen = atomic_load_explicit(flag, memory_order_acquire)) != number) {
		player_expect(p, seen != STOP);
		sched_yield();
	}
}

/*
 * Like announce(), but CTA 0 releases by a fence and a store, which the device does not see. CTA 1
 * loads the flag.
 */
static void announce_by_store(struct player *p)
{
	_Atomic uint32_t *flag = cluster_mem(p->c, AT(1, 0x200));
	const struct drm_vsm_insn fence = i_order(DRM_VSM_SEM_RELEASE, DRM_VSM_SCOPE_CLUSTER);
	uint32_t i;

	for (i = 0; i < 2 * repeat(20000) && !p->error; i += 2) {
		if (p->cta) {
			player_await(p, flag, i + 1);
			player_do(p, i_expect_tx(A, 0));
		} else {
			player_await(p, flag, i);
			if (i)
				player_do(p, i_inval(A));
			player_do(p, i_init(A, 1));
			player_do(p, fence);
		}
		atomic_store_explicit(flag, p->error ? STOP : i + 1 + p->cta,
				      memory_order_release);
	}
}

TEST_F(visible, an_acquire_of_a_store_after_a_fence_allows_to_use_the_object)
{
	struct player players[] = {
		{ .c = &self->c, .cta = 0, .program = announce_by_store },
		{ .c = &self->c, .cta = 1, .program = announce_by_store },
	};

	ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
	EXPECT_EQ(0, players_run(players, ITEMS(players)));
}

/* --- the barrier of the cluster ------------------------------------------------------ */

/*
 * A lane waits in arrive.release for the other lane of its warp. A deadlock takes back its arrival.
 */
TEST_F(visible, an_arrival_that_deadlock_takes_back_does_not)
{
	struct drm_vsm_insn insns[2][LANES], wait = i_cluster_wait();
	struct tasks crowd = { 0 };
	struct cluster *c = &self->c;
	int i;

	/* Only two threads of CTA 0's warp have not exited. CTA 1 waits for them at the barrier. */
	for (i = 2; i < LANES; i++)
		ASSERT_EQ(0, play_one(c, 0, i, 0, i_exit(), NULL));
	ASSERT_EQ(0, play_one(c, 1, 0, DRM_VSM_EXEC_WARP, i_cluster_arrive_relaxed(), NULL));
	insns[0][0] = i_cluster_arrive();
	insns[0][1] = i_try_parity_unlimited(A, 0);
	insns[1][0] = wait;
	ASSERT_EQ(0, tasks_add(&crowd, c, 0, 0, 0, &insns[0][0], 1));
	ASSERT_EQ(0, tasks_add(&crowd, c, 1, 0, DRM_VSM_EXEC_WARP, &insns[1][0], 1));
	ASSERT_EQ(0, tasks_add(&crowd, c, 0, 1, DRM_VSM_EXEC_NO_LIMIT, &insns[0][1], 1));
	EXPECT_EQ(-EPROTO, tasks_join(&crowd));
	EXPECT_EQ(DRM_VSM_FAULT_DEADLOCK, insns[0][0].fault);

	/* The phase completes by relaxed arrivals, which make nothing visible. */
	for (i = 0; i < 2; i++)
		insns[0][i] = i_cluster_arrive_relaxed();
	ASSERT_EQ(0, play_lanes(c, 0, 0, 3, insns[0]));
	ASSERT_EQ(0, play_one(c, 1, 0, DRM_VSM_EXEC_WARP, wait, NULL));
	EXPECT_UNKNOWN(A);
}

TEST_HARNESS_MAIN
