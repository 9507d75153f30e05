// SPDX-License-Identifier: GPL-2.0-only
/*
 * Misuse of rendezvous. Each kind is refused with its fault under both policies, and changes
 * nothing for any thread. So are instructions that PTX cannot express.
 */
#include "rendezvous.h"

#define THREADS	66	/* two full warps, and a third one of threads 64 and 65 */
#define ACTS	6
#define AND	DRM_VSM_RED_AND
#define OR	DRM_VSM_RED_OR
#define POPC	DRM_VSM_RED_POPC

FIXTURE(rendezvous_misuse)
{
	struct cluster c;
};

FIXTURE_VARIANT(rendezvous_misuse) { uint32_t policy; };

FIXTURE_VARIANT_ADD(rendezvous_misuse, strict) { .policy = DRM_VSM_POLICY_STRICT };
FIXTURE_VARIANT_ADD(rendezvous_misuse, hardware) { .policy = DRM_VSM_POLICY_HARDWARE };

FIXTURE_SETUP(rendezvous_misuse)
{
	ASSERT_EQ(0, rv_create_enforcing(&self->c, 1, THREADS, variant->policy, ON_REQUEST));
}

FIXTURE_TEARDOWN(rendezvous_misuse)
{
	rv_destroy(&self->c);
}

/* An instruction, and the thread or warp that executes it */
struct act {
	struct drm_vsm_insn insn;	/* The instruction. An operation of 0 ends a list. */
	uint32_t thread;
	uint32_t flags;			/* flags of EXEC */
	bool waits;			/* the thread is suspended in the instruction */
	uint64_t result;		/* result of the instruction */
};

#define LANE(n, ...)		{ .thread = (n), .insn = __VA_ARGS__ }
#define LANE_WAITS(n, ...)	{ .thread = (n), .waits = true, .insn = __VA_ARGS__ }
#define WARP(n, ...)		{ .thread = (n) * LANES, .flags = DRM_VSM_EXEC_WARP, \
				  .insn = __VA_ARGS__ }
#define WARP_WAITS(n, ...)	{ .thread = (n) * LANES, .flags = DRM_VSM_EXEC_WARP, \
				  .waits = true, .insn = __VA_ARGS__ }
#define GETS(value)		.result = (value)

/* An instruction that is refused */
struct misuse {
	uint32_t fault;
	uint32_t info;			/* info of the fault */
	struct act bad;			/* the act that is refused */
	struct act before[ACTS];	/* acts of other threads before @bad */
	/* Acts after @bad, in this order, which let the suspended threads continue */
	struct act after[ACTS];
	bool either;			/* @bad is refused for a whole warp as well */
};

/*
 * Thread 64 waits in @first for thread 65. Thread 65 executes @other, which is refused, and then
 * @first.
 */
#define BESIDE(name, lane, first, other) \
	{ DRM_VSM_FAULT_##name, lane, LANE(65, other), \
	  { LANE_WAITS(64, first) }, { LANE(65, first) } }
/* Thread 64 is suspended in an instruction. A second task executes @other as thread 64. */
#define TWICE(other) \
	{ DRM_VSM_FAULT_THREAD_SUSPENDED, 0, LANE(64, other), \
	  { LANE_WAITS(64, i_warp_sync(3)) }, { LANE(65, i_warp_sync(3)) } }
/* Thread 5 has exited. @other is then refused. */
#define GONE(other) \
	{ DRM_VSM_FAULT_THREAD_EXITED, 0, LANE(5, other), { LANE(5, i_exit()) } }
/* @other is refused whatever other threads do. */
#define WRONG(name, other) \
	{ .fault = DRM_VSM_FAULT_##name, .either = true, .bad = LANE(3, other) }

/* --- executing one case of misuse ---------------------------------------------------- */

/* Acts that have begun. Each has a task of its own. */
struct stage {
	const struct cluster *c;
	uint32_t count;
	const struct act *acts[2 * ACTS];
	struct drm_vsm_insn insns[2 * ACTS];
	struct exec_thread tasks[2 * ACTS];
};

static void stage_begin(struct __test_metadata *_metadata, struct stage *stage,
			const struct act *act)
{
	uint32_t i = stage->count++;
	struct drm_vsm_exec args = play_args(stage->c, 0, act->thread, act->flags,
					     &stage->insns[i], 1);

	stage->acts[i] = act;
	stage->insns[i] = act->insn;
	ASSERT_EQ(0, exec_thread_run(&stage->tasks[i], stage->c, args));
	if (act->waits)
		ASSERT_TRUE(exec_thread_suspended(&stage->tasks[i]));
}

static void stage_end(struct __test_metadata *_metadata, struct stage *stage, uint32_t i)
{
	const struct act *act = stage->acts[i];

	if (!act)
		return;
	stage->acts[i] = NULL;
	if (act->insn.op == DRM_VSM_OP_EXIT) {
		EXPECT_EQ(0, exec_thread_join(&stage->tasks[i]));
		EXPECT_EQ(1, stage->tasks[i].args.retired);
	} else {
		EXPECT_EQ(0, rv_join(&stage->tasks[i]));
		EXPECT_EQ(act->result, stage->insns[i].result);
	}
}

static void stage_play(struct __test_metadata *_metadata, struct stage *stage,
		       const struct act *acts)
{
	uint32_t i;

	for (; acts->insn.op; acts++) {
		/* Wait until the thread's previous act has ended. */
		for (i = 0; i < stage->count; i++)
			if (stage->acts[i] && stage->acts[i]->thread == acts->thread)
				stage_end(_metadata, stage, i);
		stage_begin(_metadata, stage, acts);
		if (!acts->waits)
			stage_end(_metadata, stage, stage->count - 1);
	}
}

static void expect_event(struct __test_metadata *_metadata, const struct cluster *c,
			 const struct misuse *m, uint32_t source)
{
	struct drm_vsm_event_fault event;
	struct drm_vsm_insn insn = m->bad.insn;

	insn.result = 0;
	insn.fault = m->fault;
	insn.info = m->info;
	ASSERT_EQ(1, fault_read(c->fd, &event));
	EXPECT_EQ(source, event.source);
	EXPECT_EQ(c->handle, event.cluster);
	EXPECT_EQ(0, event.cta);
	EXPECT_EQ(m->bad.thread, event.thread);
	EXPECT_EQ(0, event.lost);
	EXPECT_EQ(0, memcmp(&insn, &event.insn, sizeof(insn)));
	EXPECT_EQ(0, poll_events(c->fd));
}

/* EXEC starts at the second instruction, which is refused. It touches no other instruction. */
static void refuse_exec(struct __test_metadata *_metadata, const struct cluster *c,
			const struct misuse *m)
{
	struct drm_vsm_insn insns[] = { i_fence(), m->bad.insn, i_fence() };
	struct drm_vsm_exec args = play_args(c, 0, m->bad.thread, m->bad.flags, insns, 3);

	insn_poison(insns, 3);
	args.retired = 1;
	EXPECT_EQ(-EPROTO, vsm_exec(c->fd, &args));
	EXPECT_EQ(1, args.retired);
	EXPECT_EQ(0, args.deadline);
	EXPECT_EQ(m->fault, insns[1].fault);
	EXPECT_EQ(m->info, insns[1].info);
	EXPECT_EQ(0, insns[1].result);
	EXPECT_TRUE(insn_untouched(&insns[0]));
	EXPECT_TRUE(insn_untouched(&insns[2]));
	expect_event(_metadata, c, m, DRM_VSM_SOURCE_EXEC);
}

static bool can_be_armed(const struct drm_vsm_insn *insn)
{
	return insn->op >= DRM_VSM_OP_MATCH_SYNC && insn->op != DRM_VSM_OP_EXIT;
}

static void refuse_arm(struct __test_metadata *_metadata, const struct cluster *c,
		       const struct misuse *m)
{
	struct drm_vsm_insn insn = m->bad.insn;
	struct drm_vsm_wait wait = wait_insn(c, 0, m->bad.thread,
					     m->bad.flags ? DRM_VSM_WAIT_WARP : 0, &insn);
	int set = waitset_create(c->fd, DRM_VSM_WAITSET_NONBLOCK);
	struct drm_vsm_wait_record record;
	uint32_t armed;

	insn_poison(&insn, 1);
	EXPECT_EQ(-EPROTO, waitset_arm(c->fd, set, &wait, 1, &armed));
	EXPECT_EQ(0, armed);
	EXPECT_EQ(0, wait.id);
	EXPECT_EQ(m->fault, wait.fault);
	EXPECT_TRUE(insn_untouched(&insn));
	EXPECT_EQ(-EAGAIN, waitset_read(set, &record));
	expect_event(_metadata, c, m, DRM_VSM_SOURCE_ARM);
	close(set);
}

static void expect_refused(struct __test_metadata *_metadata, uint32_t policy,
			   const struct misuse *m)
{
	struct stage stage = { 0 };
	uint32_t i, exited = 0;
	struct cluster c;

	ASSERT_EQ(0, rv_create_enforcing(&c, 1, THREADS, policy, ON_REQUEST));
	stage.c = &c;
	stage_play(_metadata, &stage, m->before);
	refuse_exec(_metadata, &c, m);
	refuse_exec(_metadata, &c, m);
	if (can_be_armed(&m->bad.insn))
		refuse_arm(_metadata, &c, m);
	for (i = 0; i < stage.count; i++) {
		if (stage.acts[i])
			EXPECT_TRUE(stays_suspended(&stage.tasks[i]));
		exited += m->before[i].insn.op == DRM_VSM_OP_EXIT;
	}
	stage_play(_metadata, &stage, m->after);
	for (i = 0; i < stage.count; i++)
		stage_end(_metadata, &stage, i);
	EXPECT_EQ(THREADS - exited, all_warps_rendezvous(&c));
	EXPECT_EQ(0, poll_events(c.fd));
	rv_destroy(&c);
}

static void expect_all_refused(struct __test_metadata *_metadata, uint32_t policy,
			       const struct misuse *cases, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		bool passed = __test_passed(_metadata);

		expect_refused(_metadata, policy, &cases[i]);
		if (cases[i].either) {
			struct misuse converged = cases[i];

			converged.bad.flags = DRM_VSM_EXEC_WARP;
			expect_refused(_metadata, policy, &converged);
		}
		if (passed && !__test_passed(_metadata))
			TH_LOG("case %u, fault 0x%x", i, cases[i].fault);
	}
}

#define EXPECT_REFUSED(cases) \
	expect_all_refused(_metadata, variant->policy, cases, ITEMS(cases))

/* --- the cases of misuse --------------------------------------------------------------- */

TEST_F(rendezvous_misuse, of_membermasks)
{
	const struct misuse cases[] = {
		WRONG(NOT_IN_MASK, i_match_any(5, 0x10)),
		WRONG(NOT_IN_MASK, i_match_all(5, 0)),
		WRONG(NOT_IN_MASK, i_warp_sync(0xfffffff0)),
		WRONG(NOT_IN_MASK, i_elect(0x80000000)),
		WRONG(NOT_IN_MASK, i_vote(DRM_VSM_MODE_ANY, true, 0x10)),
		WRONG(NOT_IN_MASK, i_shfl(DRM_VSM_MODE_IDX, 1, 3, 31, 0x10)),
		WRONG(NOT_IN_MASK, i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 1, 0x10)),
		/* Lane 2 uses a mask that lacks it. Lanes 0 and 1 use the same mask rightly. */
		{ DRM_VSM_FAULT_NOT_IN_MASK, 0, LANE(2, i_match_any(5, 0x3)),
		  { LANE_WAITS(0, i_match_any(5, 0x3), GETS(0x3)) },
		  { LANE(1, i_match_any(5, 0x3), GETS(0x3)) } },
	};

	EXPECT_REFUSED(cases);
}

TEST_F(rendezvous_misuse, of_lanes_that_wait_for_each_other_elsewhere)
{
	const struct misuse cases[] = {
		BESIDE(WARP_MISMATCH, 0, i_warp_sync(3), i_elect(3)),
		BESIDE(WARP_MISMATCH, 0, i_warp_sync(3), i_warp_sync(2 | 1 | 4)),
		BESIDE(WARP_MISMATCH, 0, i_warp_sync(ALL_LANES), i_warp_sync(3)),
		BESIDE(WARP_MISMATCH, 0, i_vote(DRM_VSM_MODE_ANY, false, 3),
		       i_vote(DRM_VSM_MODE_ALL, false, 3)),
		BESIDE(WARP_MISMATCH, 0, i_barrier_arrive(5, 32), i_warp_sync(3)),
		{ DRM_VSM_FAULT_WARP_MISMATCH, 0,
		  LANE(1, i_match(DRM_VSM_MODE_ANY, DRM_VSM_TYPE_B64, 5, 0x3)),
		  { LANE_WAITS(0, i_match_any(5, 0x3), GETS(0x3)) },
		  { LANE(1, i_match_any(5, 0x3), GETS(0x3)) } },
		{ DRM_VSM_FAULT_WARP_MISMATCH, 4,
		  LANE(9, i_redux(DRM_VSM_RED_MAX, DRM_VSM_TYPE_S32, 5, 0x210)),
		  { LANE_WAITS(4, i_redux(DRM_VSM_RED_MAX, DRM_VSM_TYPE_U32, 5, 0x210), GETS(7)) },
		  { LANE(9, i_redux(DRM_VSM_RED_MAX, DRM_VSM_TYPE_U32, 7, 0x210), GETS(7)) } },
		/* The mask of lane 1 lacks lane 2, but lanes 0 and 2 wait for all three lanes. */
		{ DRM_VSM_FAULT_WARP_MISMATCH, 0, LANE(1, i_warp_sync(0x3)),
		  { LANE_WAITS(0, i_warp_sync(0x7)), LANE_WAITS(2, i_warp_sync(0x7)) },
		  { LANE(1, i_warp_sync(0x7)) } },
		/*
		 * A cycle: lane 1 would wait for lane 2, lane 2 waits for lane 0, and lane 0 for
		 * lane 1.
		 */
		{ DRM_VSM_FAULT_WARP_MISMATCH, 2, LANE(1, i_warp_sync(0x6)),
		  { LANE_WAITS(0, i_warp_sync(0x3)), LANE_WAITS(2, i_warp_sync(0x5)) },
		  { LANE(1, i_warp_sync(0x3)), LANE(0, i_warp_sync(0x5)) } },
	};

	EXPECT_REFUSED(cases);
}

TEST_F(rendezvous_misuse, of_shfl_from_a_lane_that_does_not_take_part)
{
	const struct misuse cases[] = {
		{ DRM_VSM_FAULT_SHFL_SOURCE, 5, LANE(0, i_shfl(DRM_VSM_MODE_IDX, 1, 5, 31, 0x3)) },
		{ DRM_VSM_FAULT_SHFL_SOURCE, 2, LANE(3, i_shfl(DRM_VSM_MODE_UP, 1, 1, 0, 0xb)) },
		{ DRM_VSM_FAULT_SHFL_SOURCE, 7,
		  LANE(3, i_shfl(DRM_VSM_MODE_DOWN, 1, 4, 31, 0xb)) },
		{ DRM_VSM_FAULT_SHFL_SOURCE, 2, LANE(3, i_shfl(DRM_VSM_MODE_BFLY, 1, 1, 31, 0xb)) },
		/* The source lane does not exist or has exited. */
		{ DRM_VSM_FAULT_SHFL_SOURCE, 9,
		  LANE(64, i_shfl(DRM_VSM_MODE_IDX, 1, 9, 31, ALL_LANES)) },
		{ DRM_VSM_FAULT_SHFL_SOURCE, 9,
		  WARP(2, i_shfl(DRM_VSM_MODE_IDX, 1, 9, 31, ALL_LANES)) },
		{ DRM_VSM_FAULT_SHFL_SOURCE, 1, LANE(0, i_shfl(DRM_VSM_MODE_IDX, 1, 1, 31, 0x3)),
		  { LANE(1, i_exit()) },
		  { LANE(0, i_shfl(DRM_VSM_MODE_IDX, 8, 0, 31, 0x3), GETS(8 | PRED)) } },
		/* Lane 0 waits for lane 1, whose instruction is refused. */
		{ DRM_VSM_FAULT_SHFL_SOURCE, 6, LANE(1, i_shfl(DRM_VSM_MODE_IDX, 1, 6, 31, 0x3)),
		  { LANE_WAITS(0, i_shfl(DRM_VSM_MODE_IDX, 8, 1, 31, 0x3), GETS(9 | PRED)) },
		  { LANE(1, i_shfl(DRM_VSM_MODE_IDX, 9, 0, 31, 0x3), GETS(8 | PRED)) } },
	};

	EXPECT_REFUSED(cases);
}

TEST_F(rendezvous_misuse, of_barriers_by_part_of_a_warp)
{
	const struct act arrive[] = { WARP(0, i_cluster_arrive()), WARP(1, i_cluster_arrive()) };
	const struct act wait[] = { WARP(0, i_cluster_wait()), WARP(1, i_cluster_wait()),
				    WARP(2, i_cluster_wait()) };
	const struct misuse cases[] = {
		BESIDE(PARTIAL_WARP, 0, i_warp_sync(3), i_barrier_sync(0)),
		BESIDE(PARTIAL_WARP, 0, i_redux(OR, DRM_VSM_TYPE_B32, 0, 3), i_cluster_arrive()),
		BESIDE(PARTIAL_WARP, 0, i_barrier_arrive(1, 32), i_barrier_arrive(2, 32)),
		BESIDE(PARTIAL_WARP, 0, i_barrier_arrive(1, 32), i_barrier_arrive(1, 64)),
		BESIDE(PARTIAL_WARP, 0, i_barrier_arrive(1, 32), i_barrier_sync_n(1, 32)),
		BESIDE(PARTIAL_WARP, 0, i_barrier_arrive(1, 32),
		       i_aligned(i_barrier_arrive(1, 32))),
		BESIDE(PARTIAL_WARP, 0, i_barrier_sync_n(1, 32), i_barrier_red_n(OR, 1, 32, false)),
		BESIDE(PARTIAL_WARP, 0, i_barrier_red_n(AND, 1, 32, false),
		       i_barrier_red_n(OR, 1, 32, false)),
		BESIDE(PARTIAL_WARP, 0, i_barrier_sync_n(1, 32), i_cluster_arrive()),
		{ DRM_VSM_FAULT_PARTIAL_WARP, 0, LANE(65, i_cluster_arrive_relaxed()),
		  { LANE_WAITS(64, i_cluster_arrive()) },
		  { LANE(65, i_cluster_arrive()), arrive[0], arrive[1], wait[0], wait[1],
		    wait[2] } },
	};

	EXPECT_REFUSED(cases);
}

TEST_F(rendezvous_misuse, of_barriers_that_do_not_exist)
{
	const struct misuse cases[] = {
		WRONG(BARRIER_ID, i_barrier_sync(16)),
		WRONG(BARRIER_ID, i_aligned(i_barrier_sync_n(0xffffffff, 32))),
		WRONG(BARRIER_ID, i_barrier_arrive(16, 64)),
		WRONG(BARRIER_ID, i_barrier_red(POPC, 0x10000, true)),
		/* The CTA has three warps: a count must be a multiple of 32 and at most 96. */
		WRONG(BARRIER_COUNT, i_barrier_sync_n(0, 0)),
		WRONG(BARRIER_COUNT, i_barrier_sync_n(0, 16)),
		WRONG(BARRIER_COUNT, i_barrier_sync_n(0, 66)),
		WRONG(BARRIER_COUNT, i_barrier_sync_n(0, 0x80000010)),
		WRONG(BARRIER_COUNT, i_aligned(i_barrier_arrive(0, 0xffffffff))),
		WRONG(BARRIER_COUNT, i_barrier_arrive(0, 0)),
		WRONG(BARRIER_COUNT, i_barrier_red_n(AND, 0, 33, true)),
	};

	EXPECT_REFUSED(cases);
}

TEST_F(rendezvous_misuse, of_barriers_with_another_count)
{
	const struct misuse cases[] = {
		{ DRM_VSM_FAULT_BARRIER_MISMATCH, 64, WARP(1, i_barrier_sync_n(0, 96)),
		  { WARP_WAITS(0, i_barrier_sync_n(0, 64)) },
		  { WARP(1, i_barrier_sync_n(0, 64)) } },
		{ DRM_VSM_FAULT_BARRIER_MISMATCH, 64, WARP(1, i_aligned(i_barrier_sync(0))),
		  { WARP_WAITS(0, i_barrier_sync_n(0, 64)) },
		  { WARP(1, i_barrier_sync_n(0, 64)) } },
		{ DRM_VSM_FAULT_BARRIER_MISMATCH, 96, WARP(1, i_barrier_arrive(0, 64)),
		  { WARP(0, i_barrier_arrive(0, 96)), WARP(2, i_barrier_arrive(0, 96)) },
		  { WARP(1, i_barrier_sync(0)) } },
		{ DRM_VSM_FAULT_BARRIER_MISMATCH, 96, WARP(2, i_barrier_red_n(OR, 0, 64, true)),
		  { WARP_WAITS(0, i_barrier_red(OR, 0, false), GETS(1)),
		    WARP_WAITS(1, i_barrier_red(OR, 0, true), GETS(1)) },
		  { WARP(2, i_barrier_red_n(OR, 0, 96, false), GETS(1)) } },
		/*
		 * The driver finds the mismatch when the warp arrives. Thread 64 then still waits
		 * for thread 65.
		 */
		{ DRM_VSM_FAULT_BARRIER_MISMATCH, 64, LANE(65, i_barrier_sync_n(0, 96)),
		  { WARP_WAITS(0, i_barrier_sync_n(0, 64)),
		    LANE_WAITS(64, i_barrier_sync_n(0, 96)) },
		  { WARP(1, i_barrier_sync_n(0, 64)), LANE_WAITS(65, i_barrier_sync_n(0, 96)),
		    WARP(0, i_barrier_arrive(0, 96)), WARP(1, i_barrier_sync_n(0, 96)) } },
	};

	EXPECT_REFUSED(cases);
}

TEST_F(rendezvous_misuse, of_barriers_by_a_warp_that_has_arrived)
{
	const struct misuse cases[] = {
		{ DRM_VSM_FAULT_BARRIER_OVERFLOW, 0, WARP(0, i_barrier_arrive(0, 64)),
		  { WARP(0, i_barrier_arrive(0, 64)) }, { WARP(1, i_barrier_sync_n(0, 64)) } },
		{ DRM_VSM_FAULT_BARRIER_OVERFLOW, 0, WARP(0, i_barrier_sync(0)),
		  { WARP(0, i_barrier_arrive(0, 96)) },
		  { WARP(1, i_barrier_arrive(0, 96)), WARP(2, i_barrier_sync(0)) } },
		/*
		 * If an instruction has BARRIER_OVERFLOW and another fault, it gets
		 * BARRIER_OVERFLOW.
		 */
		{ DRM_VSM_FAULT_BARRIER_OVERFLOW, 0, WARP(1, i_barrier_red_n(AND, 0, 96, true)),
		  { WARP(1, i_barrier_arrive(0, 64)) }, { WARP(2, i_barrier_sync_n(0, 64)) } },
		{ DRM_VSM_FAULT_BARRIER_OVERFLOW, 0, LANE(65, i_barrier_sync_n(0, 64)),
		  { WARP(2, i_barrier_arrive(0, 64)), LANE_WAITS(64, i_barrier_sync_n(0, 64)) },
		  { WARP(1, i_barrier_sync_n(0, 64)), LANE_WAITS(65, i_barrier_sync_n(0, 64)),
		    WARP(0, i_barrier_sync_n(0, 64)) } },
	};

	EXPECT_REFUSED(cases);
}

#define BY_RED(other) \
	{ DRM_VSM_FAULT_BARRIER_MIXED, 0, WARP(1, other), \
	  { WARP_WAITS(0, i_barrier_red_n(POPC, 0, 64, true), GETS(32)) }, \
	  { WARP(1, i_barrier_red_n(POPC, 0, 64, false), GETS(32)) } }

TEST_F(rendezvous_misuse, of_barriers_where_others_reduce_something_else)
{
	const struct misuse cases[] = {
		BY_RED(i_barrier_sync_n(0, 64)),
		BY_RED(i_barrier_arrive(0, 64)),
		BY_RED(i_barrier_red_n(AND, 0, 64, true)),
		BY_RED(i_barrier_red_n(OR, 0, 96, true)),
		{ DRM_VSM_FAULT_BARRIER_MIXED, 0, WARP(1, i_barrier_red_n(OR, 0, 64, true)),
		  { WARP_WAITS(0, i_barrier_sync_n(0, 64)) },
		  { WARP(1, i_barrier_arrive(0, 64)) } },
		{ DRM_VSM_FAULT_BARRIER_MIXED, 0, WARP(1, i_barrier_red_n(POPC, 0, 64, true)),
		  { WARP(0, i_barrier_arrive(0, 64)) }, { WARP(1, i_barrier_sync_n(0, 64)) } },
	};

	EXPECT_REFUSED(cases);
}

TEST_F(rendezvous_misuse, of_the_barrier_of_the_cluster)
{
	const struct act arrive[] = { WARP(0, i_cluster_arrive()), WARP(1, i_cluster_arrive()),
				      WARP(2, i_cluster_arrive()) };
	const struct act wait[] = { WARP(0, i_cluster_wait()), WARP(1, i_cluster_wait()),
				    WARP(2, i_cluster_wait()) };
	const struct misuse cases[] = {
		{ DRM_VSM_FAULT_CLUSTER_ARRIVED, 0, arrive[0], { arrive[0] },
		  { arrive[1], arrive[2], wait[0], wait[1], wait[2] } },
		{ DRM_VSM_FAULT_CLUSTER_ARRIVED, 0, LANE(7, i_aligned(i_cluster_arrive_relaxed())),
		  { arrive[0], arrive[1] }, { arrive[2], wait[0], wait[1], wait[2] } },
		/* The phase is complete, but the warp has not waited for it. */
		{ DRM_VSM_FAULT_CLUSTER_ARRIVED, 0, arrive[1],
		  { arrive[0], arrive[1], arrive[2], wait[0] }, { wait[1], wait[2] } },
		WRONG(CLUSTER_NOT_ARRIVED, i_cluster_wait()),
		{ DRM_VSM_FAULT_CLUSTER_NOT_ARRIVED, 0, wait[0],
		  { arrive[0], arrive[1], arrive[2], wait[0] }, { wait[1], wait[2] } },
		/* A warp arrives when both of its threads have executed the arrive. */
		{ DRM_VSM_FAULT_CLUSTER_NOT_ARRIVED, 0, LANE(65, i_cluster_wait()),
		  { LANE_WAITS(64, i_cluster_arrive()) },
		  { LANE(65, i_cluster_arrive()), arrive[0], arrive[1], wait[0], wait[1],
		    wait[2] } },
	};

	/* The hardware policy executes them: report.c. */
	if (variant->policy == DRM_VSM_POLICY_STRICT)
		EXPECT_REFUSED(cases);
}

TEST_F(rendezvous_misuse, of_a_thread_that_has_exited)
{
	const struct misuse cases[] = {
		GONE(i_exit()),
		GONE(i_warp_sync(0x20)),
		GONE(i_match_any(1, 0x10)),	/* a mask without lane 5 */
		GONE(i_barrier_sync(0)),
		GONE(i_cluster_wait()),
		GONE(i_init(0x80, 1)),
		GONE(i_try_parity(0x80, 1, 0)),
		GONE(i_fence()),
		GONE(i_commit()),
		{ DRM_VSM_FAULT_THREAD_EXITED, 0,
		  { .thread = 5, .flags = DRM_VSM_EXEC_WARP, .insn = i_barrier_sync(0) },
		  { LANE(5, i_exit()) } },
		{ DRM_VSM_FAULT_THREAD_EXITED, 0,
		  { .thread = 5, .flags = DRM_VSM_EXEC_WARP, .insn = i_exit() },
		  { LANE(5, i_exit()) } },
	};

	EXPECT_REFUSED(cases);
}

TEST_F(rendezvous_misuse, of_a_thread_that_is_suspended)
{
	const struct misuse cases[] = {
		TWICE(i_warp_sync(3)),
		TWICE(i_elect(3)),
		TWICE(i_warp_sync(1)),
		TWICE(i_barrier_sync(0)),
		TWICE(i_cluster_arrive()),
		TWICE(i_exit()),
		/* Thread 64 is suspended. Thread 65 executes an instruction for the whole warp. */
		{ DRM_VSM_FAULT_THREAD_SUSPENDED, 0,
		  { .thread = 65, .flags = DRM_VSM_EXEC_WARP, .insn = i_warp_sync(3) },
		  { LANE_WAITS(64, i_warp_sync(3)) }, { LANE(65, i_warp_sync(3)) } },
		{ DRM_VSM_FAULT_THREAD_SUSPENDED, 0,
		  { .thread = 65, .flags = DRM_VSM_EXEC_WARP, .insn = i_exit() },
		  { LANE_WAITS(64, i_warp_sync(3)) }, { LANE(65, i_warp_sync(3)) } },
		/*
		 * A whole warp is suspended. A task executes an instruction as one of its threads.
		 */
		{ DRM_VSM_FAULT_THREAD_SUSPENDED, 0, LANE(7, i_warp_sync(0x80)),
		  { WARP_WAITS(0, i_barrier_sync_n(0, 64)) },
		  { WARP(1, i_barrier_sync_n(0, 64)) } },
		{ DRM_VSM_FAULT_THREAD_SUSPENDED, 0, LANE(7, i_barrier_sync_n(0, 64)),
		  { WARP_WAITS(0, i_barrier_sync_n(0, 64)) },
		  { WARP(1, i_barrier_sync_n(0, 64)) } },
		{ DRM_VSM_FAULT_THREAD_SUSPENDED, 0, LANE(7, i_exit()),
		  { WARP_WAITS(0, i_barrier_sync_n(0, 64)) },
		  { WARP(1, i_barrier_sync_n(0, 64)) } },
	};

	EXPECT_REFUSED(cases);
}

TEST_F(rendezvous_misuse, of_a_job_of_a_thread_that_has_exited)
{
	struct drm_vsm_insn insn = i_sink(i_arrive(0x80));
	struct drm_vsm_submit args = submit_args(&self->c, &insn, 1);
	struct drm_vsm_event_fault event;

	ASSERT_EQ(0, exec_one(&self->c, i_init(0x80, 2)));
	ASSERT_EQ(0, play_one(&self->c, 0, 9, 0, i_exit(), NULL));
	insn_poison(&insn, 1);
	args.thread = 9;
	EXPECT_EQ(-EPROTO, vsm_submit(self->c.fd, &args));
	EXPECT_EQ(0, args.refused);
	EXPECT_EQ(DRM_VSM_FAULT_THREAD_EXITED, insn.fault);
	EXPECT_EQ(0, insn.result);
	EXPECT_EQ(0, insn.info);
	ASSERT_EQ(1, fault_read(self->c.fd, &event));
	EXPECT_EQ(DRM_VSM_SOURCE_SUBMIT, event.source);
	EXPECT_EQ(9, event.thread);
	EXPECT_EQ(DRM_VSM_FAULT_THREAD_EXITED, event.insn.fault);
	EXPECT_EQ(0, poll_events(self->c.fd));
	EXPECT_EQ(word_of(VSM_LAYOUT_SM_90, 2, 0, 2, 0), word(&self->c, 0x80));
	/* A job may be submitted as another thread of the CTA. */
	args.thread = 8;
	EXPECT_EQ(0, vsm_submit(self->c.fd, &args));
}

/* --- faults that end a wait ---------------------------------------------------------------- */

/* Expects that the instruction was accepted, waited, and ended with a fault. */
static void expect_ended(struct __test_metadata *_metadata, struct exec_thread *t, uint32_t fault,
			 uint32_t info)
{
	struct drm_vsm_insn *insn = (struct drm_vsm_insn *)(uintptr_t)t->args.insns;
	struct drm_vsm_event_fault event;

	EXPECT_EQ(-EPROTO, exec_thread_join(t));
	EXPECT_EQ(0, t->args.retired);
	EXPECT_EQ(fault, insn->fault);
	EXPECT_EQ(info, insn->info);
	EXPECT_EQ(0, insn->result);
	ASSERT_EQ(1, fault_read(t->cluster->fd, &event));
	EXPECT_EQ(DRM_VSM_SOURCE_EXEC, event.source);
	EXPECT_EQ(t->args.thread, event.thread);
	EXPECT_EQ(0, memcmp(insn, &event.insn, sizeof(*insn)));
}

TEST_F(rendezvous_misuse, of_a_shfl_whose_source_exits_ends_the_lanes_that_read_it)
{
	struct drm_vsm_insn from_two = i_shfl(DRM_VSM_MODE_IDX, 5, 2, 31, 0x7);
	struct drm_vsm_insn from_zero = i_shfl(DRM_VSM_MODE_IDX, 6, 0, 31, 0x7);
	struct exec_thread t[2];
	uint64_t result;

	ASSERT_TRUE(suspend_as(&t[0], &self->c, 0, 0, 0, &from_two, 1));
	ASSERT_TRUE(suspend_as(&t[1], &self->c, 0, 1, 0, &from_zero, 1));
	EXPECT_EQ(0, play_one(&self->c, 0, 2, 0, i_exit(), NULL));
	expect_ended(_metadata, &t[0], DRM_VSM_FAULT_SHFL_SOURCE, 2);
	EXPECT_EQ(0, rv_join(&t[1]));
	EXPECT_EQ(5 | PRED, from_zero.result);
	EXPECT_EQ(0, poll_events(self->c.fd));
	/* The thread that got the fault can continue. */
	EXPECT_EQ(0, play_one(&self->c, 0, 0, 0, i_match_any(1, 0x5), &result));
	EXPECT_EQ(0x1, result);
	EXPECT_EQ(THREADS - 1, all_warps_rendezvous(&self->c));
}

TEST_F(rendezvous_misuse, of_a_barrier_by_a_warp_whose_last_thread_exits_ends_the_others)
{
	static const struct {
		uint32_t fault, info;
		struct drm_vsm_insn theirs, insn;
		uint64_t result;
	} rows[] = {
		{ DRM_VSM_FAULT_BARRIER_MISMATCH, 64,
		  BARRIER(SYNC, DRM_VSM_MOD_COUNT, .count = 64), BARRIER(SYNC, 0, 0), 0 },
		{ DRM_VSM_FAULT_BARRIER_MIXED, 0,
		  { .op = DRM_VSM_OP_BARRIER_RED, .mods = DRM_VSM_MOD_COUNT, .red = POPC,
		    .u.barrier = { .count = 64, .pred = 1 } },
		  BARRIER(SYNC, DRM_VSM_MOD_COUNT, .count = 64), 64 },
	};
	int i;

	for (i = 0; i < ITEMS(rows); i++) {
		struct drm_vsm_insn theirs = rows[i].theirs, insn = rows[i].insn;
		struct exec_thread t[2];
		struct cluster c;

		ASSERT_EQ(0, rv_create(&c, 1, THREADS, variant->policy));
		ASSERT_TRUE(suspend_as(&t[0], &c, 0, 0, DRM_VSM_EXEC_WARP, &theirs, 1));
		ASSERT_TRUE(suspend_as(&t[1], &c, 0, 64, 0, &insn, 1));
		EXPECT_EQ(0, play_one(&c, 0, 65, 0, i_exit(), NULL));
		expect_ended(_metadata, &t[1], rows[i].fault, rows[i].info);
		EXPECT_TRUE(stays_suspended(&t[0]));
		EXPECT_EQ(0, play_one(&c, 0, 32, DRM_VSM_EXEC_WARP, rows[i].theirs, NULL));
		EXPECT_EQ(0, rv_join(&t[0]));
		EXPECT_EQ(rows[i].result, theirs.result);
		EXPECT_EQ(THREADS - 1, all_warps_rendezvous(&c));
		EXPECT_EQ(0, poll_events(c.fd));
		rv_destroy(&c);
	}
}

/* --- instructions that PTX cannot express, calls and layouts that do not accept them ------- */

/* Expects that no instruction has had an effect, and that no event was sent. */
#define EXPECT_UNCHANGED() do { \
	EXPECT_EQ(0, poll_events(self->c.fd)); \
	EXPECT_EQ(THREADS, all_warps_rendezvous(&self->c)); \
} while (0)

#define SPELLED(insn, member, value) ({				\
	struct drm_vsm_insn spelled = insn;			\
								\
	spelled.member = value;					\
	spelled; })

/*
 * Malformed instructions are refused in EXEC and in a wait set. unit/test_forms.c checks every
 * form.
 */
TEST_F(rendezvous_misuse, malformed_instructions_are_invalid)
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
		struct drm_vsm_wait wait = wait_insn(&self->c, 0, 0, 0, &insn);
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
	EXPECT_UNCHANGED();
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

TEST_F(rendezvous_misuse, jobs_do_not_accept_any_instruction)
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
	EXPECT_UNCHANGED();
}

TEST_F(rendezvous_misuse, sm_80_has_all_but_elect_and_the_barrier_of_the_cluster)
{
	struct cluster c;
	int i;

	ASSERT_EQ(0, cluster_make(&c, vsm_open(), .ctas = 1, .threads = 1, .smem_bytes = 16,
				  .layout = VSM_LAYOUT_SM_80));
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
