// SPDX-License-Identifier: GPL-2.0-only
/*
 * The barrier of a cluster, barrier.cluster.arrive and .wait, and which mbarrier.inits it makes
 * visible to other CTAs.
 */
#include "rendezvous.h"

#define CTAS	16
#define THREADS	40	/* two warps, the last of 8 */
#define WARPS	(CTAS * 2)
#define A	AT(0, 0x80)
#define B	AT(1, 0x80)
#define SLOT(cta, warp) AT(cta, 0x400 + 8 * (warp))

FIXTURE(cluster_barrier)
{
	struct cluster c;
	struct cluster two;	/* two CTAs of one thread each */
};

FIXTURE_SETUP(cluster_barrier)
{
	ASSERT_EQ(0, rv_create(&self->c, CTAS, THREADS, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, rv_create(&self->two, 2, 1, DRM_VSM_POLICY_STRICT));
}

FIXTURE_TEARDOWN(cluster_barrier)
{
	rv_destroy(&self->c);
	rv_destroy(&self->two);
}

static struct drm_vsm_insn with_sem(struct drm_vsm_insn insn, uint8_t sem)
{
	insn.sem = sem;
	return insn;
}

/* --- which threads the barrier waits for ------------------------------------------ */

TEST_F(cluster_barrier, nobody_goes_on_before_all_ctas_have_arrived)
{
	struct drm_vsm_insn insns[WARPS][2];
	struct tasks waiters = { 0 };
	int i, k, last;

	for (last = 0; last < WARPS; last += WARPS - 1) {
		for (i = 0; i < WARPS; i++) {
			insns[i][0] = i_cluster_arrive();
			insns[i][1] = i_cluster_wait();
			if (i == last)
				continue;
			ASSERT_EQ(0, tasks_add(&waiters, &self->c, i / 2, i % 2 * LANES,
					       DRM_VSM_EXEC_WARP, insns[i], 2));
			ASSERT_TRUE(exec_thread_suspended(&waiters.tasks[waiters.count - 1]));
		}
		EXPECT_TRUE(stays_suspended(&waiters.tasks[0]));
		for (k = 1; k < WARPS - 1; k++)
			EXPECT_FALSE(atomic_load(&waiters.tasks[k].done));
		/*
		 * The last warp's arrival releases the other warps. The last warp itself has not
		 * waited.
		 */
		EXPECT_EQ(0, play(&self->c, last / 2, last % 2 * LANES, DRM_VSM_EXEC_WARP,
				  insns[last], 1));
		EXPECT_EQ(0, tasks_join(&waiters));
		EXPECT_EQ(0, play(&self->c, last / 2, last % 2 * LANES, DRM_VSM_EXEC_WARP,
				  &insns[last][1], 1));
	}
}

TEST_F(cluster_barrier, arrive_waits_for_its_warp_alone_and_wait_for_all_of_it)
{
	struct drm_vsm_insn arrives[8], waits[8];
	struct tasks waiters = { 0 };
	int i, k;

	for (i = 0; i < WARPS - 1; i++)
		ASSERT_EQ(0, play_one(&self->c, i / 2, i % 2 * LANES, DRM_VSM_EXEC_WARP,
				      i_cluster_arrive(), NULL));
	for (i = 0; i < 8; i++) {
		arrives[i] = i_aligned(i_cluster_arrive());
		waits[i] = i_aligned(i_cluster_wait());
	}
	for (k = 0; k < 2; k++) {
		struct drm_vsm_insn *insns = k ? waits : arrives;

		ASSERT_EQ(0, tasks_add_lanes(&waiters, &self->c, CTAS - 1, LANES, 0x7f, insns));
		for (i = 0; i < 7; i++)
			ASSERT_TRUE(exec_thread_suspended(&waiters.tasks[i]));
		EXPECT_TRUE(stays_suspended(&waiters.tasks[0]));
		EXPECT_EQ(0, play(&self->c, CTAS - 1, LANES + 7, 0, &insns[7], 1));
		EXPECT_EQ(0, tasks_join(&waiters));
	}
	for (i = 0; i < WARPS - 1; i++)
		EXPECT_EQ(0, play_one(&self->c, i / 2, i % 2 * LANES, DRM_VSM_EXEC_WARP,
				      i_cluster_wait(), NULL));
}

/*
 * A CTA may arrive for the next phase before another CTA has waited for the current one. The next
 * phase completes only when the other CTA has waited and arrived too.
 */
TEST_F(cluster_barrier, lets_a_cta_arrive_for_the_next_phase_before_another_has_waited)
{
	const struct cluster *c = &self->two;
	struct drm_vsm_insn wait = i_cluster_wait();
	struct exec_thread t;
	int i;

	ASSERT_EQ(0, exec_at(c, 1, i_cluster_arrive(), NULL));
	for (i = 0; i < 20; i++) {
		EXPECT_EQ(0, exec_at(c, 0, i_cluster_arrive(), NULL));
		EXPECT_EQ(0, exec_at(c, 0, i_cluster_wait(), NULL));
		EXPECT_EQ(0, exec_at(c, 0, i_cluster_arrive(), NULL));
		EXPECT_EQ(0, exec_at(c, 1, i_cluster_wait(), NULL));
		ASSERT_TRUE(suspend_as(&t, c, 0, 0, 0, &wait, 1));
		EXPECT_TRUE(stays_suspended(&t));
		EXPECT_EQ(0, exec_at(c, 1, i_cluster_arrive(), NULL));
		EXPECT_EQ(0, rv_join(&t));
		EXPECT_EQ(0, exec_at(c, 1, i_cluster_wait(), NULL));
		EXPECT_EQ(0, exec_at(c, 1, i_cluster_arrive(), NULL));
	}
}

/* CTA 0 has one task for each thread, the other CTAs have one for each warp. */
TEST_F(cluster_barrier, single_threads_and_converged_warps_share_the_barrier)
{
	enum { ROUNDS = 20 };
	static struct drm_vsm_insn insns[THREADS][2 * ROUNDS], converged[WARPS][2 * ROUNDS];
	struct tasks waiters = { 0 };
	int i, k;

	for (k = 0; k < 2 * ROUNDS; k++) {
		for (i = 0; i < THREADS; i++)
			insns[i][k] = k % 2 ? i_cluster_wait() : i_cluster_arrive();
		for (i = 2; i < WARPS; i++)
			converged[i][k] = i_aligned(k % 2 ? i_cluster_wait()
							  : i_cluster_arrive_relaxed());
	}
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, tasks_add(&waiters, &self->c, 0, i, 0, insns[i], 2 * ROUNDS));
	for (i = 2; i < WARPS; i++)
		ASSERT_EQ(0, tasks_add(&waiters, &self->c, i / 2, i % 2 * LANES, DRM_VSM_EXEC_WARP,
				       converged[i], 2 * ROUNDS));
	EXPECT_EQ(0, tasks_join(&waiters));
}

/* Each warp writes into its own CTA's window and reads all windows. */
static void write_sync_read(struct player *p)
{
	uint32_t round, i, warp = p->thread / LANES, rounds = repeat(100);

	for (round = 1; round <= rounds && !p->error; round++) {
		*(uint64_t *)cluster_mem(p->c, SLOT(p->cta, warp)) = round;
		player_do(p, i_cluster_arrive());
		player_do(p, i_cluster_wait());
		for (i = 0; i < WARPS; i++)
			player_expect(p, *(uint64_t *)cluster_mem(p->c, SLOT(i / 2, i % 2)) ==
					 round);
		player_do(p, i_cluster_arrive());
		player_do(p, i_cluster_wait());
	}
}

TEST_F(cluster_barrier, what_ctas_have_written_before_all_read_after_it)
{
	struct player players[WARPS];
	int i;

	for (i = 0; i < WARPS; i++)
		players[i] = (struct player) {
			.c = &self->c, .cta = i / 2, .thread = i % 2 * LANES,
			.flags = DRM_VSM_EXEC_WARP, .program = write_sync_read,
		};
	EXPECT_EQ(0, players_run(players, WARPS));
}

/* --- mbarriers of other CTAs --------------------------------------------------------- */

/*
 * Executes expect_tx of 0 bytes on an mbarrier of another CTA, which changes nothing. Returns its
 * fault or 0.
 */
static int remote_fault(const struct cluster *c, uint32_t addr)
{
	int ret = exec_fault(c, !(addr >> 24), i_expect_tx(addr, 0), NULL);

	return ret == -EISCONN ? 0 : ret;
}

#define EXPECT_VISIBLE(addr) EXPECT_EQ(0, remote_fault(&self->two, addr))
#define EXPECT_NOT_FENCED(addr) \
	EXPECT_EQ(DRM_VSM_FAULT_INIT_NOT_FENCED, remote_fault(&self->two, addr))

/* Completes a phase of the barrier: CTA 0 arrives with the instruction @zero, CTA 1 with @one. */
static int pass(const struct cluster *c, struct drm_vsm_insn zero, struct drm_vsm_insn one)
{
	return exec_at(c, 0, zero, NULL) ?: exec_at(c, 1, one, NULL) ?:
	       exec_at(c, 0, i_cluster_wait(), NULL) ?: exec_at(c, 1, i_cluster_wait(), NULL);
}

static int pass_relaxed(const struct cluster *c)
{
	return pass(c, i_cluster_arrive_relaxed(), i_cluster_arrive_relaxed());
}

/* CTA 1 arrives on an mbarrier of CTA 0, which then invalidates it and initialises it again. */
static void handshake(struct player *p)
{
	struct drm_vsm_insn remote = i_sink(i_arrive(A));
	uint32_t round;

	remote.space = DRM_VSM_SPACE_SHARED_CLUSTER;
	remote.sem = DRM_VSM_SEM_RELEASE;
	remote.scope = DRM_VSM_SCOPE_CLUSTER;
	for (round = 0; round < repeat(300) && !p->error; round++) {
		if (!p->cta)
			player_do(p, i_init(A, 1));
		player_do(p, with_sem(i_cluster_arrive(), round % 2 ? DRM_VSM_SEM_RELEASE : 0));
		player_do(p, with_sem(i_cluster_wait(), round % 2 ? DRM_VSM_SEM_ACQUIRE : 0));
		if (p->cta) {
			*(uint64_t *)cluster_mem(p->c, SLOT(0, 0)) = round;
			player_do(p, remote);
		} else {
			while (!p->error && !player_do(p, i_try_parity(A, 0, LONG_HINT)))
				;
			player_expect(p, *(uint64_t *)cluster_mem(p->c, SLOT(0, 0)) == round);
			player_do(p, i_inval(A));
		}
	}
}

TEST_F(cluster_barrier, lets_another_cta_arrive_on_an_mbarrier)
{
	struct player players[2] = {
		{ .c = &self->two, .cta = 0, .program = handshake },
		{ .c = &self->two, .cta = 1, .program = handshake },
	};

	EXPECT_EQ(0, players_run(players, 2));
}

TEST_F(cluster_barrier, makes_inits_visible_if_their_cta_arrives_with_release)
{
	const struct {
		struct drm_vsm_insn zero, one;
		bool fence, visible;
	} rows[] = {
		{ i_cluster_arrive(), i_cluster_arrive(), false, true },
		{ with_sem(i_cluster_arrive(), DRM_VSM_SEM_RELEASE), i_cluster_arrive_relaxed(),
		  false, true },
		{ i_aligned(i_cluster_arrive()), i_cluster_arrive_relaxed(), false, true },
		{ i_cluster_arrive_relaxed(), i_cluster_arrive_relaxed(), false, false },
		{ i_cluster_arrive_relaxed(), i_cluster_arrive(), false, false },
		{ i_aligned(i_cluster_arrive_relaxed()), i_cluster_arrive(), false, false },
		{ i_cluster_arrive_relaxed(), i_cluster_arrive_relaxed(), true, true },
		{ i_cluster_arrive(), i_cluster_arrive(), true, true },
	};
	int i;

	for (i = 0; i < ITEMS(rows); i++) {
		ASSERT_EQ(0, exec_one(&self->two, i_init(A, 1)));
		EXPECT_NOT_FENCED(A);
		if (rows[i].fence)
			ASSERT_EQ(0, exec_one(&self->two, i_fence()));
		EXPECT_EQ(0, pass(&self->two, rows[i].zero, rows[i].one));
		EXPECT_EQ(rows[i].visible ? 0 : DRM_VSM_FAULT_INIT_NOT_FENCED,
			  remote_fault(&self->two, A));
		/*
		 * A pending init of CTA 0 becomes visible when a phase completes for which CTA 0
		 * has arrived with release.
		 */
		EXPECT_EQ(0, pass(&self->two, i_cluster_arrive(), i_cluster_arrive_relaxed()));
		EXPECT_VISIBLE(A);
		EXPECT_EQ(0, exec_at(&self->two, 1, i_sink(i_arrive(A)), NULL));
		ASSERT_EQ(0, exec_one(&self->two, i_inval(A)));
	}
}

TEST_F(cluster_barrier, makes_nothing_visible_before_the_phase_completes)
{
	ASSERT_EQ(0, exec_one(&self->two, i_init(A, 1)));
	ASSERT_EQ(0, exec_at(&self->two, 1, i_init(B, 1), NULL));
	ASSERT_EQ(0, exec_at(&self->two, 0, i_cluster_arrive(), NULL));
	EXPECT_NOT_FENCED(A);
	ASSERT_EQ(0, exec_at(&self->two, 1, i_cluster_arrive_relaxed(), NULL));
	EXPECT_VISIBLE(A);
	EXPECT_NOT_FENCED(B);
}

TEST_F(cluster_barrier, makes_no_init_visible_that_comes_after_the_arrive)
{
	ASSERT_EQ(0, exec_at(&self->two, 0, i_cluster_arrive(), NULL));
	ASSERT_EQ(0, exec_one(&self->two, i_init(A, 1)));
	ASSERT_EQ(0, exec_at(&self->two, 1, i_cluster_arrive(), NULL));
	EXPECT_NOT_FENCED(A);
	ASSERT_EQ(0, exec_at(&self->two, 0, i_cluster_wait(), NULL));
	ASSERT_EQ(0, exec_at(&self->two, 1, i_cluster_wait(), NULL));
	EXPECT_NOT_FENCED(A);
	EXPECT_EQ(0, pass(&self->two, i_cluster_arrive(), i_cluster_arrive()));
	EXPECT_VISIBLE(A);
	/*
	 * A release makes the mbarrier visible that existed then, not a new one at the same
	 * address.
	 */
	ASSERT_EQ(0, exec_one(&self->two, i_inval(A)));
	ASSERT_EQ(0, exec_one(&self->two, i_init(A, 1)));
	EXPECT_NOT_FENCED(A);
	ASSERT_EQ(0, exec_at(&self->two, 0, i_cluster_arrive(), NULL));
	ASSERT_EQ(0, exec_one(&self->two, i_inval(A)));
	ASSERT_EQ(0, exec_one(&self->two, i_init(A, 1)));
	ASSERT_EQ(0, exec_at(&self->two, 1, i_cluster_arrive(), NULL));
	EXPECT_NOT_FENCED(A);
}

TEST_F(cluster_barrier, makes_nothing_visible_by_an_arrive_that_is_refused)
{
	ASSERT_EQ(0, exec_one(&self->two, i_init(A, 1)));
	ASSERT_EQ(0, exec_at(&self->two, 0, i_cluster_arrive_relaxed(), NULL));
	EXPECT_FAULT(CLUSTER_ARRIVED, play_fault(&self->two, 0, 0, 0, i_cluster_arrive(), NULL));
	ASSERT_EQ(0, exec_at(&self->two, 1, i_cluster_arrive(), NULL));
	ASSERT_EQ(0, exec_at(&self->two, 0, i_cluster_wait(), NULL));
	ASSERT_EQ(0, exec_at(&self->two, 1, i_cluster_wait(), NULL));
	EXPECT_NOT_FENCED(A);
}

/* A fence makes the init visible even if the phase never completes. */
TEST_F(cluster_barrier, a_fence_makes_inits_visible_before_the_phase_completes)
{
	ASSERT_EQ(0, exec_one(&self->two, i_init(A, 1)));
	ASSERT_EQ(0, exec_at(&self->two, 0, i_cluster_arrive(), NULL));
	EXPECT_NOT_FENCED(A);
	ASSERT_EQ(0, exec_one(&self->two, i_fence()));
	EXPECT_VISIBLE(A);
}

/* A CTA has 256 inits. A fence has made some of them visible before. */
TEST_F(cluster_barrier, makes_all_inits_of_the_cta_visible)
{
	int i;

	for (i = 0; i < 256; i++) {
		ASSERT_EQ(0, exec_at(&self->two, 1, i_init(AT(1, 8 * i), 1), NULL));
		if (i == 100)
			ASSERT_EQ(0, exec_at(&self->two, 1, i_fence(), NULL));
	}
	EXPECT_NOT_FENCED(AT(1, 8 * 254));
	EXPECT_EQ(0, pass(&self->two, i_cluster_arrive_relaxed(), i_cluster_arrive()));
	for (i = 0; i < 256; i++)
		EXPECT_VISIBLE(AT(1, 8 * i));
}

TEST_F(cluster_barrier, copies_may_complete_on_an_init_that_it_made_visible)
{
	struct drm_vsm_insn insn = i_st_async(AT(0, 0x200), A, 8, 0x1122334455667788ULL);

	ASSERT_EQ(0, exec_one(&self->two, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&self->two, i_arrive_expect_tx(A, 8)));
	EXPECT_EQ(0, pass(&self->two, i_cluster_arrive(), i_cluster_arrive()));
	EXPECT_EQ(0, exec_at(&self->two, 1, insn, NULL));
	EXPECT_EQ(1, exec_result(&self->two, i_try_parity(A, 0, LONG_HINT)));
	EXPECT_EQ(0x1122334455667788ULL, word(&self->two, AT(0, 0x200)));
}

/* --- the barrier after many phases -------------------------------------------------- */

enum { PHASES = 40000, SOME = 16384 };	/* a power of two at which a counter may wrap */

TEST_F(cluster_barrier, that_is_relaxed_never_makes_an_init_visible)
{
	int i;

	ASSERT_EQ(0, exec_one(&self->two, i_init(A, 1)));
	for (i = 0; i < PHASES; i++) {
		ASSERT_EQ(0, pass_relaxed(&self->two));
		if (i % 997 == 0 || (i + 2) % SOME < 4)
			EXPECT_NOT_FENCED(A);
	}
	EXPECT_NOT_FENCED(A);
	EXPECT_EQ(0, pass(&self->two, i_cluster_arrive(), i_cluster_arrive()));
	EXPECT_VISIBLE(A);
}

TEST_F(cluster_barrier, makes_inits_visible_for_ever)
{
	int i;

	ASSERT_EQ(0, exec_one(&self->two, i_init(A, 1)));
	ASSERT_EQ(0, pass(&self->two, i_cluster_arrive(), i_cluster_arrive()));
	for (i = 1; i < SOME; i++)
		ASSERT_EQ(0, pass_relaxed(&self->two));
	/* No operation has used the mbarrier during these phases. */
	EXPECT_VISIBLE(A);
}

/* CTA 1 has exited. CTA 0 completes all further phases alone. */
TEST_F(cluster_barrier, makes_inits_of_an_exited_cta_visible_for_ever)
{
	struct drm_vsm_insn insns[128];
	int i, k;

	ASSERT_EQ(0, exec_at(&self->two, 1, i_init(B, 1), NULL));
	ASSERT_EQ(0, exec_at(&self->two, 1, i_cluster_arrive(), NULL));
	ASSERT_EQ(0, exec_at(&self->two, 0, i_cluster_arrive(), NULL));
	ASSERT_EQ(0, exec_at(&self->two, 1, i_exit(), NULL));
	ASSERT_EQ(0, exec_at(&self->two, 0, i_cluster_wait(), NULL));
	for (i = 1; i + 63 < SOME; i += 63) {
		for (k = 0; k < 126; k++)
			insns[k] = k % 2 ? i_cluster_wait() : i_cluster_arrive_relaxed();
		ASSERT_EQ(0, exec_stream(&self->two, 0, insns, 126, NULL));
	}
	for (; i <= SOME + 1; i++) {
		if (i == SOME)
			EXPECT_VISIBLE(B);
		ASSERT_EQ(0, exec_stream(&self->two, 0, insns, 2, NULL));
	}
	EXPECT_VISIBLE(B);
}

/* --- the barrier beside many inits ------------------------------------------------- */

/* Makes all threads of a warp exit, except lane 0 of warp 0. */
static int leave(const struct cluster *c, uint32_t cta, uint32_t warp)
{
	int lane, ret;

	if (warp)
		return play_one(c, cta, warp * LANES, DRM_VSM_EXEC_WARP, i_exit(), NULL);
	for (lane = 1, ret = 0; lane < LANES && !ret; lane++)
		ret = play_one(c, cta, lane, 0, i_exit(), NULL);
	return ret;
}

/* Initialises every word as an mbarrier. Only the last init, in CTA 15, has no fence after it. */
static int fill(const struct cluster *c, uint32_t smem)
{
	struct drm_vsm_insn *insns = calloc(smem / 8 + 1, sizeof(*insns));
	uint32_t cta, i;
	int ret = insns ? 0 : -ENOMEM;

	for (cta = 0; cta < 16 && !ret; cta++) {
		for (i = 0; i < smem / 8; i++)
			insns[i] = i_init(AT(cta, 8 * i), 1);
		insns[i] = i_fence();
		if (cta == 15) {
			insns[i] = insns[i - 1];
			insns[i - 1] = i_fence();
		}
		ret = play(c, cta, 0, 0, insns, i + 1);
	}
	free(insns);
	return ret;
}

/* If the barrier examined each mbarrier when it completes, this test would time out. */
TEST_F(cluster_barrier, of_the_largest_cluster_completes_often_beside_a_pending_init)
{
	enum { OFTEN = 10000, SMEM = 227 * 1024 };
	struct cluster c;
	uint32_t i, cta, warp;

	ASSERT_EQ(0, cluster_make_open(&c, .ctas = 16, .threads = 1024, .smem_bytes = SMEM));
	ASSERT_EQ(0, fill(&c, SMEM));
	for (cta = 0; cta < 16; cta++)
		for (warp = 0; warp < 32; warp++)
			ASSERT_EQ(0, leave(&c, cta, warp));
	for (i = 0; i < OFTEN; i++) {
		for (cta = 0; cta < 16; cta++) {
			struct drm_vsm_insn insns[] = {
				i_cluster_wait(),
				cta < 15 ? i_cluster_arrive() : i_cluster_arrive_relaxed(),
			};

			ASSERT_EQ(0, play(&c, cta, 0, 0, &insns[!i], 2 - !i));
		}
	}
	EXPECT_EQ(0, remote_fault(&c, AT(15, SMEM - 16)));
	EXPECT_EQ(DRM_VSM_FAULT_INIT_NOT_FENCED, remote_fault(&c, AT(15, SMEM - 8)));
	cluster_close(&c);
}

TEST_HARNESS_MAIN
