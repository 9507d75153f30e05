// SPDX-License-Identifier: GPL-2.0-only
/*
 * Named barriers: barrier.cta.sync, .arrive and .red. A task executes either one thread or a whole
 * warp.
 */
#include "rendezvous.h"

#define THREADS	72	/* three warps, the last with 8 threads; barriers count 3 * 32 */
#define ALL	96
#define WARPS	3
#define SLOT(n)	AT(0, 0x400 + 8 * (n))

FIXTURE(barrier)
{
	struct cluster c;
	struct cluster big;	/* one CTA of 32 warps */
};

FIXTURE_SETUP(barrier)
{
	ASSERT_EQ(0, rv_create(&self->c, 2, THREADS, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, rv_create(&self->big, 1, 1024, DRM_VSM_POLICY_STRICT));
}

FIXTURE_TEARDOWN(barrier)
{
	rv_destroy(&self->c);
	rv_destroy(&self->big);
}

/* Starts a task that executes @insn as a converged warp of CTA 0 and is suspended in it. */
static bool suspend_warp(struct exec_thread *t, const struct cluster *c, uint32_t warp,
			 struct drm_vsm_insn *insn)
{
	return suspend_as(t, c, 0, warp * LANES, DRM_VSM_EXEC_WARP, insn, 1);
}

static int play_warp(const struct cluster *c, uint32_t warp, struct drm_vsm_insn insn,
		     uint64_t *result)
{
	return play_one(c, 0, warp * LANES, DRM_VSM_EXEC_WARP, insn, result);
}

/* --- barrier.cta.sync -------------------------------------------------------- */

TEST_F(barrier, sync_waits_for_every_thread_of_the_cta)
{
	const struct drm_vsm_insn forms[] = {
		i_barrier_sync(0), i_barrier_sync_n(15, ALL), i_aligned(i_barrier_sync(7)),
		i_aligned(i_barrier_sync_n(0, ALL)),
	};
	struct drm_vsm_insn insns[THREADS];
	struct tasks waiters = { 0 };
	int i, k;

	for (k = 0; k < ITEMS(forms); k++) {
		uint32_t last = k * 23;

		for (i = 0; i < THREADS; i++) {
			insns[i] = forms[k];
			if (i != last)
				ASSERT_EQ(0, tasks_add(&waiters, &self->c, 0, i, 0, &insns[i], 1));
		}
		for (i = 0; i < THREADS - 1; i++)
			ASSERT_TRUE(exec_thread_suspended(&waiters.tasks[i]));
		EXPECT_TRUE(stays_suspended(&waiters.tasks[0]));
		for (i = 1; i < THREADS - 1; i++)
			EXPECT_FALSE(atomic_load(&waiters.tasks[i].done));
		EXPECT_EQ(0, play(&self->c, 0, last, 0, &insns[last], 1));
		EXPECT_EQ(0, tasks_join(&waiters));
		for (i = 0; i < THREADS; i++)
			EXPECT_EQ(0, insns[i].result);
	}
}

/*
 * One task executes the first warp; every other thread has a task of its own. Instructions with and
 * without .aligned use the same barrier.
 */
TEST_F(barrier, converged_warps_and_single_threads_share_a_barrier)
{
	enum { ROUNDS = 40 };
	static struct drm_vsm_insn insns[THREADS][ROUNDS];
	struct tasks waiters = { 0 };
	int i, k;

	for (i = 0; i < THREADS; i++) {
		for (k = 0; k < ROUNDS; k++) {
			insns[i][k] = i_barrier_sync(k % 16);
			if (i < LANES ? k % 2 : k % 3)
				insns[i][k] = i_aligned(insns[i][k]);
		}
		if (!i)
			ASSERT_EQ(0, tasks_add(&waiters, &self->c, 0, i, DRM_VSM_EXEC_WARP,
					       insns[i], ROUNDS));
		if (i >= LANES)
			ASSERT_EQ(0, tasks_add(&waiters, &self->c, 0, i, 0, insns[i], ROUNDS));
	}
	EXPECT_EQ(0, tasks_join(&waiters));
}

TEST_F(barrier, a_count_lets_some_warps_go_on)
{
	struct drm_vsm_insn insns[WARPS];
	struct exec_thread t[WARPS];
	int i;

	/*
	 * A barrier with a count of 64 needs two warps. The last warp counts as 32, although it has
	 * 8 threads.
	 */
	insns[0] = i_barrier_sync_n(3, 64);
	ASSERT_TRUE(suspend_warp(&t[0], &self->c, 0, &insns[0]));
	EXPECT_EQ(0, play_warp(&self->c, 2, i_barrier_sync_n(3, 64), NULL));
	EXPECT_EQ(0, rv_join(&t[0]));
	/* Warp 1 was not needed. It begins the next use of the barrier, whose count may differ. */
	insns[1] = i_barrier_sync_n(3, 96);
	ASSERT_TRUE(suspend_warp(&t[1], &self->c, 1, &insns[1]));
	EXPECT_TRUE(stays_suspended(&t[1]));
	for (i = 0; i < WARPS; i += 2) {
		insns[i] = i_barrier_sync(3);
		ASSERT_EQ(0, exec_thread_run(&t[i], &self->c,
					     play_args(&self->c, 0, i * LANES, DRM_VSM_EXEC_WARP,
						       &insns[i], 1)));
	}
	for (i = 0; i < WARPS; i++)
		EXPECT_EQ(0, rv_join(&t[i]));
	/* With a count of 32 one warp completes the barrier alone. */
	EXPECT_EQ(0, play_warp(&self->c, 1, i_barrier_sync_n(3, 32), NULL));
}

TEST_F(barrier, each_cta_has_barriers_of_its_own)
{
	struct drm_vsm_insn insns[2] = { i_barrier_sync_n(0, 64), i_barrier_sync_n(0, 64) };
	struct exec_thread t[2];
	int i;

	for (i = 0; i < 2; i++)
		ASSERT_TRUE(suspend_as(&t[i], &self->c, i, 0, DRM_VSM_EXEC_WARP, &insns[i], 1));
	EXPECT_TRUE(stays_suspended(&t[0]));
	EXPECT_TRUE(stays_suspended(&t[1]));
	EXPECT_EQ(0, play_one(&self->c, 1, 32, DRM_VSM_EXEC_WARP, insns[0], NULL));
	EXPECT_EQ(0, rv_join(&t[1]));
	EXPECT_TRUE(stays_suspended(&t[0]));
	EXPECT_EQ(0, play_one(&self->c, 0, 32, DRM_VSM_EXEC_WARP, insns[0], NULL));
	EXPECT_EQ(0, rv_join(&t[0]));
}

/* Warps i and i + 16 synchronise at barrier i. Barrier 15 is completed first. */
TEST_F(barrier, sixteen_barriers_at_once)
{
	struct drm_vsm_insn insns[16];
	struct exec_thread t[16];
	int i, k, round;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < 16; i++) {
			insns[i] = i_barrier_sync_n(i, 64);
			ASSERT_TRUE(suspend_warp(&t[i], &self->big, i, &insns[i]));
		}
		for (i = 15; i >= 0; i--) {
			for (k = 0; k <= i; k++)
				EXPECT_FALSE(atomic_load(&t[k].done));
			EXPECT_EQ(0, play_warp(&self->big, i + 16, i_barrier_sync_n(i, 64), NULL));
			EXPECT_EQ(0, rv_join(&t[i]));
		}
	}
}

TEST_F(barrier, all_1024_threads_of_a_cta_synchronise)
{
	enum { ROUNDS = 20 };
	static struct drm_vsm_insn insns[32][ROUNDS];
	struct tasks waiters = { 0 };
	int i, k;

	for (i = 0; i < 32; i++) {
		for (k = 0; k < ROUNDS; k++)
			insns[i][k] = i_barrier_red(DRM_VSM_RED_POPC, k % 2, (i + k) % 4 == 0);
		ASSERT_EQ(0, tasks_add(&waiters, &self->big, 0, i * LANES, DRM_VSM_EXEC_WARP,
				       insns[i], ROUNDS));
	}
	EXPECT_EQ(0, tasks_join(&waiters));
	for (i = 0; i < 32; i++)
		for (k = 0; k < ROUNDS; k++)
			EXPECT_EQ(256, insns[i][k].result);
}

/* --- barrier.cta.red ------------------------------------------------------------ */

TEST_F(barrier, red_reduces_the_predicates_of_the_threads_there_are)
{
	/* The predicate is true for .count threads, beginning with thread .first. */
	static const struct {
		uint32_t first, count;
	} trues[] = { { 0, 0 }, { 0, THREADS }, { 71, 1 }, { 0, 71 }, { 30, 5 } };
	static struct drm_vsm_insn insns[THREADS][3 * ITEMS(trues)];
	uint64_t want[3 * ITEMS(trues)];
	struct tasks waiters = { 0 };
	int i, k;

	for (k = 0; k < 3 * ITEMS(trues); k++) {
		uint32_t first = trues[k / 3].first, count = trues[k / 3].count;
		enum drm_vsm_red op = k % 3 == 0 ? DRM_VSM_RED_POPC :
				      k % 3 == 1 ? DRM_VSM_RED_AND : DRM_VSM_RED_OR;

		want[k] = op == DRM_VSM_RED_POPC ? count :
			  op == DRM_VSM_RED_AND ? count == THREADS : count != 0;
		for (i = 0; i < THREADS; i++) {
			insns[i][k] = i_barrier_red(op, 2, i >= first && i < first + count);
			if (k % 2)
				insns[i][k] = i_aligned(insns[i][k]);
		}
	}
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, tasks_add(&waiters, &self->c, 0, i, 0, insns[i], 3 * ITEMS(trues)));
	EXPECT_EQ(0, tasks_join(&waiters));
	for (i = 0; i < THREADS; i++)
		for (k = 0; k < 3 * ITEMS(trues); k++)
			EXPECT_EQ(want[k], insns[i][k].result) TH_LOG("row %d, thread %d", k, i);
}

TEST_F(barrier, red_of_converged_warps_has_the_predicate_of_all_their_threads)
{
	struct drm_vsm_insn insn = i_barrier_red_n(DRM_VSM_RED_POPC, 4, 64, true);
	struct exec_thread t;
	uint64_t result;
	int i;

	for (i = 0; i < 4; i++) {
		ASSERT_TRUE(suspend_warp(&t, &self->c, 0, &insn));
		EXPECT_EQ(0, play_warp(&self->c, 2,
				       i_barrier_red_n(DRM_VSM_RED_POPC, 4, 64, i % 2), &result));
		EXPECT_EQ(0, rv_join(&t));
		EXPECT_EQ(i % 2 ? 40 : 32, result);
		EXPECT_EQ(result, insn.result);
	}
}

/* --- barrier.cta.arrive ------------------------------------------------------------ */

TEST_F(barrier, arrive_waits_for_its_warp_alone)
{
	struct drm_vsm_insn insns[LANES], wait = i_barrier_sync_n(1, 64);
	struct tasks waiters = { 0 };
	struct exec_thread t;
	int i;

	/* An arrive suspends its thread until all threads of the warp have executed it. */
	for (i = 0; i < LANES; i++)
		insns[i] = i_barrier_arrive(1, 64);
	ASSERT_EQ(0, tasks_add_lanes(&waiters, &self->c, 0, LANES, 0x7fffffff, insns));
	for (i = 0; i < LANES - 1; i++)
		ASSERT_TRUE(exec_thread_suspended(&waiters.tasks[i]));
	ASSERT_TRUE(suspend_warp(&t, &self->c, 0, &wait));
	EXPECT_TRUE(stays_suspended(&waiters.tasks[0]));
	EXPECT_TRUE(stays_suspended(&t));
	EXPECT_EQ(0, play(&self->c, 0, 2 * LANES - 1, 0, &insns[LANES - 1], 1));
	EXPECT_EQ(0, tasks_join(&waiters));
	EXPECT_EQ(0, rv_join(&t));
	/* The barrier keeps arrivals until another warp waits. */
	EXPECT_EQ(0, play_warp(&self->c, 0, i_barrier_arrive(1, 96), NULL));
	EXPECT_EQ(0, play_warp(&self->c, 2, i_barrier_arrive(1, 96), NULL));
	EXPECT_EQ(0, play_warp(&self->c, 1, i_barrier_sync(1), NULL));
	/* Arrivals alone may complete a barrier: no thread has to wait. */
	EXPECT_EQ(0, play_warp(&self->c, 0, i_barrier_arrive(1, 64), NULL));
	EXPECT_EQ(0, play_warp(&self->c, 1, i_barrier_arrive(1, 64), NULL));
	EXPECT_EQ(0, play_warp(&self->c, 0, i_barrier_arrive(1, 32), NULL));
	EXPECT_EQ(0, play_warp(&self->c, 0, i_barrier_arrive(1, 32), NULL));
}

/*
 * FlashAttention-3 schedules its warps this way: a warp arrives at a barrier and later waits at it.
 * The barrier counts the warp twice.
 */
TEST_F(barrier, warps_take_turns_after_the_first_arrived_at_its_own_barrier)
{
	struct drm_vsm_insn wait = i_barrier_sync_n(2, 64);
	struct exec_thread t;
	int i;

	EXPECT_EQ(0, play_warp(&self->c, 0, i_barrier_arrive(1, 64), NULL));
	for (i = 0; i < 10; i++) {
		ASSERT_TRUE(suspend_warp(&t, &self->c, 1, &wait));
		EXPECT_EQ(0, play_warp(&self->c, 0, i_barrier_sync_n(1, 64), NULL));
		EXPECT_TRUE(stays_suspended(&t));
		EXPECT_EQ(0, play_warp(&self->c, 0, i_barrier_arrive(2, 64), NULL));
		EXPECT_EQ(0, rv_join(&t));
		EXPECT_EQ(0, play_warp(&self->c, 1, i_barrier_arrive(1, 64), NULL));
	}
	EXPECT_EQ(0, poll_events(self->c.fd));
}

/*
 * The epilogue of FlashAttention-3: the last warp arrives like the others, then waits for all of
 * them. The barrier counts the last warp twice.
 */
TEST_F(barrier, a_warp_arrives_and_then_waits_for_the_others)
{
	struct drm_vsm_insn wait = i_barrier_sync_n(1, 128);
	struct exec_thread t;

	EXPECT_EQ(0, play_warp(&self->c, 2, i_barrier_arrive(1, 128), NULL));
	ASSERT_TRUE(suspend_warp(&t, &self->c, 2, &wait));
	EXPECT_EQ(0, play_warp(&self->c, 0, i_barrier_arrive(1, 128), NULL));
	EXPECT_TRUE(stays_suspended(&t));
	EXPECT_EQ(0, play_warp(&self->c, 1, i_barrier_arrive(1, 128), NULL));
	EXPECT_EQ(0, rv_join(&t));
	/* The warp that waits may itself be the last to arrive. */
	EXPECT_EQ(0, play_warp(&self->c, 0, i_barrier_arrive(1, 96), NULL));
	EXPECT_EQ(0, play_warp(&self->c, 2, i_barrier_arrive(1, 96), NULL));
	EXPECT_EQ(0, play_warp(&self->c, 2, i_barrier_sync_n(1, 96), NULL));
	EXPECT_EQ(0, play_warp(&self->c, 2, i_barrier_arrive(1, 96), NULL));
	EXPECT_EQ(0, play_warp(&self->c, 2, i_barrier_arrive(1, 96), NULL));
	EXPECT_EQ(0, play_warp(&self->c, 2, i_barrier_sync_n(1, 96), NULL));
	EXPECT_EQ(0, poll_events(self->c.fd));
}

/*
 * If the cluster reports BARRIER_OVERFLOW, a warp that arrives again before the barrier completes
 * causes an event.
 */
TEST_F(barrier, arriving_again_is_reported_if_the_cluster_wants_that)
{
	struct drm_vsm_insn insn = i_barrier_arrive(3, 128), last = i_barrier_sync_n(3, 128);
	struct drm_vsm_insn insns[LANES];
	struct drm_vsm_event_fault event;
	struct tasks waiters = { 0 };
	struct exec_thread t;
	struct cluster c;
	int i;

	ASSERT_EQ(0, cluster_make_open(&c, .ctas = 1, .threads = 64, .smem_bytes = 4096,
				       .report = DRM_VSM_RULE(DRM_VSM_FAULT_BARRIER_OVERFLOW)));
	EXPECT_EQ(0, play_one(&c, 0, 0, DRM_VSM_EXEC_WARP, insn, NULL));
	EXPECT_EQ(0, poll_events(c.fd));
	EXPECT_EQ(0, play_one(&c, 0, 5, DRM_VSM_EXEC_WARP, insn, NULL));
	ASSERT_EQ(1, fault_read(c.fd, &event));
	EXPECT_EQ(DRM_VSM_SOURCE_EXEC, event.source);
	EXPECT_EQ(c.handle, event.cluster);
	EXPECT_EQ(5, event.thread);
	EXPECT_EQ(DRM_VSM_OP_BARRIER_ARRIVE, event.insn.op);
	EXPECT_EQ(3, event.insn.u.barrier.barrier);
	EXPECT_EQ(DRM_VSM_FAULT_BARRIER_OVERFLOW, event.insn.fault);
	EXPECT_EQ(0, event.insn.info);
	EXPECT_EQ(DRM_VSM_EVENT_REPORTED, event.flags);
	/* The event comes when the warp arrives, not when the barrier completes. */
	ASSERT_TRUE(suspend_as(&t, &c, 0, 0, DRM_VSM_EXEC_WARP, &last, 1));
	ASSERT_EQ(1, fault_read(c.fd, &event));
	EXPECT_EQ(DRM_VSM_OP_BARRIER_SYNC, event.insn.op);
	EXPECT_EQ(0, play_one(&c, 0, 32, DRM_VSM_EXEC_WARP, insn, NULL));
	EXPECT_EQ(0, rv_join(&t));
	EXPECT_EQ(0, last.fault);
	EXPECT_EQ(0, poll_events(c.fd));
	/* An exit may make the warp arrive. The event then names the exit. */
	EXPECT_EQ(0, play_one(&c, 0, 0, DRM_VSM_EXEC_WARP, insn, NULL));
	for (i = 0; i < LANES - 1; i++) {
		insns[i] = insn;
		ASSERT_EQ(0, tasks_add(&waiters, &c, 0, i, 0, &insns[i], 1));
		ASSERT_TRUE(exec_thread_suspended(&waiters.tasks[i]));
	}
	EXPECT_EQ(0, poll_events(c.fd));
	EXPECT_EQ(0, play_one(&c, 0, LANES - 1, 0, i_exit(), NULL));
	EXPECT_EQ(0, tasks_join(&waiters));
	ASSERT_EQ(1, fault_read(c.fd, &event));
	EXPECT_EQ(LANES - 1, event.thread);
	EXPECT_EQ(DRM_VSM_OP_EXIT, event.insn.op);
	EXPECT_EQ(DRM_VSM_FAULT_BARRIER_OVERFLOW, event.insn.fault);
	EXPECT_EQ(0, poll_events(c.fd));
	rv_destroy(&c);
}

/* --- programs that use barriers ------------------------------------------------------ */

#define FULL	5
#define EMPTY	6

static uint64_t item(uint32_t lane, uint32_t generation)
{
	return (uint64_t)generation << 32 | (lane + 1);
}

static uint32_t generations(const struct player *p)
{
	return repeat(p->flags & DRM_VSM_EXEC_WARP ? 1000 : 100);
}

/* Writes the items of the lanes that this task executes: one lane or a whole warp. */
static void produce(struct player *p)
{
	uint32_t i, n, lane = p->thread % LANES;

	for (n = 0; n < generations(p) && !p->error; n++) {
		player_do(p, i_barrier_sync_n(EMPTY, 64));
		for (i = lane; i < (p->flags & DRM_VSM_EXEC_WARP ? LANES : lane + 1); i++)
			*(uint64_t *)cluster_mem(p->c, SLOT(i)) = item(i, n);
		player_do(p, i_barrier_arrive(FULL, 64));
	}
}

/* Checks the items of all lanes of the producer. */
static void consume(struct player *p)
{
	uint32_t i, n;

	for (n = 0; n < generations(p) && !p->error; n++) {
		player_do(p, i_barrier_arrive(EMPTY, 64));
		player_do(p, i_barrier_sync_n(FULL, 64));
		for (i = 0; i < LANES; i++)
			player_expect(p, *(uint64_t *)cluster_mem(p->c, SLOT(i)) == item(i, n));
	}
}

TEST_F(barrier, a_warp_produces_and_another_consumes)
{
	struct player players[2 * LANES];
	int i;

	for (i = 0; i < 2; i++)
		players[i] = (struct player) {
			.c = &self->c, .thread = i * LANES, .flags = DRM_VSM_EXEC_WARP,
			.program = i ? consume : produce,
		};
	EXPECT_EQ(0, players_run(players, 2));
	/* Run the program again, with one task for each thread. */
	for (i = 0; i < 2 * LANES; i++)
		players[i] = (struct player) {
			.c = &self->c, .thread = i, .program = i >= LANES ? consume : produce,
		};
	EXPECT_EQ(0, players_run(players, 2 * LANES));
}

/* The second barrier keeps a thread from writing again before all others have read. */
static void write_sync_read(struct player *p)
{
	uint32_t round, i, rounds = repeat(p->flags & DRM_VSM_EXEC_WARP ? 1500 : 60);

	for (round = 1; round <= rounds && !p->error; round++) {
		*(uint64_t *)cluster_mem(p->c, SLOT(p->thread)) = round;
		if (player_do(p, i_barrier_red(DRM_VSM_RED_AND, 0, round % 2)) != round % 2)
			player_expect(p, false);
		for (i = 0; i < THREADS; i += p->flags & DRM_VSM_EXEC_WARP ? LANES : 1)
			player_expect(p, *(uint64_t *)cluster_mem(p->c, SLOT(i)) == round);
		player_do(p, i_barrier_sync(1));
	}
}

TEST_F(barrier, what_threads_have_written_before_all_read_after_it)
{
	struct player players[THREADS];
	int i;

	for (i = 0; i < WARPS; i++)
		players[i] = (struct player) {
			.c = &self->c, .thread = i * LANES, .flags = DRM_VSM_EXEC_WARP,
			.program = write_sync_read,
		};
	EXPECT_EQ(0, players_run(players, WARPS));
	for (i = 0; i < THREADS; i++)
		players[i] = (struct player) {
			.c = &self->c, .thread = i, .program = write_sync_read,
		};
	EXPECT_EQ(0, players_run(players, THREADS));
}

/* A named barrier changes no mbarrier, and an arrival on an mbarrier completes no named barrier. */
TEST_F(barrier, a_named_barrier_is_no_mbarrier)
{
	const uint32_t addr = AT(0, 0x80);
	struct drm_vsm_insn insn = i_aligned(i_barrier_sync(0));
	uint64_t before;
	struct exec_thread t;

	ASSERT_EQ(0, exec_one(&self->c, i_init(addr, 1)));
	before = word(&self->c, addr);
	ASSERT_TRUE(suspend_warp(&t, &self->c, 0, &insn));
	EXPECT_EQ(before, word(&self->c, addr));
	EXPECT_EQ(0, exec_one(&self->c, i_sink(i_arrive(addr))));
	EXPECT_EQ(1, exec_result(&self->c, i_test_parity(addr, 0)));
	EXPECT_TRUE(stays_suspended(&t));
	EXPECT_EQ(0, play_warp(&self->c, 1, i_barrier_arrive(0, 96), NULL));
	EXPECT_EQ(0, play_warp(&self->c, 2, i_barrier_arrive(0, 96), NULL));
	EXPECT_EQ(0, rv_join(&t));
}

TEST_HARNESS_MAIN
