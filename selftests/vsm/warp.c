// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions that the threads of a warp execute together: match.sync, vote.sync, shfl.sync,
 * redux.sync, elect.sync and bar.warp.sync. Each thread has a task of its own, or one task executes
 * the whole warp.
 */
#include "rendezvous.h"

#define THREADS	72	/* the last warp has 8 */
#define LAST	64	/* its first thread */
#define SLOT(thread) AT(0, 0x400 + 8 * (thread))

FIXTURE(warp)
{
	struct cluster c;
};

FIXTURE_SETUP(warp)
{
	ASSERT_EQ(0, rv_create(&self->c, 2, THREADS, DRM_VSM_POLICY_STRICT));
}

FIXTURE_TEARDOWN(warp)
{
	rv_destroy(&self->c);
}

#define ROWS 100

/* The instructions of each lane of warp 0, which has a task of its own */
struct script {
	uint32_t rows[LANES];			/* number of instructions of each lane */
	struct drm_vsm_insn insns[LANES][ROWS];	/* instructions of each lane */
	uint64_t want[LANES][ROWS];		/* results that each lane must get */
};

static struct script script;

static void script_add(uint32_t lane, struct drm_vsm_insn insn, uint64_t want)
{
	uint32_t row = script.rows[lane]++;

	if (row >= ROWS)
		abort();
	script.insns[lane][row] = insn;
	script.want[lane][row] = want;
}

static void expect_script(struct __test_metadata *_metadata, const struct cluster *c)
{
	struct tasks crowd = { 0 };
	uint32_t i, k;

	for (i = 0; i < LANES; i++) {
		if (script.rows[i])
			ASSERT_EQ(0, tasks_add(&crowd, c, 0, i, 0, script.insns[i],
					       script.rows[i]));
	}
	EXPECT_NE(0, crowd.count);
	EXPECT_EQ(0, tasks_join(&crowd));
	for (i = 0; i < LANES; i++)
		for (k = 0; k < script.rows[i]; k++)
			EXPECT_EQ(script.want[i][k], script.insns[i][k].result)
				TH_LOG("lane %u, row %u", i, k);
}

#define EXPECT_SCRIPT() expect_script(_metadata, &self->c)

/* Returns the lanes of @mask that have this value. */
static uint32_t same_as(const uint64_t *values, uint32_t mask, uint64_t value)
{
	uint32_t i, same = 0;

	for (i = 0; i < LANES; i++)
		if (mask & 1U << i && values[i] == value)
			same |= 1U << i;
	return same;
}

/* --- match.sync ---------------------------------------------------------------- */

TEST_F(warp, match_any_tells_each_lane_who_has_the_same_value)
{
	static const uint32_t kinds[] = { 1, 2, 3, 5, 32 };
	uint64_t values[LANES];
	int i, k, wide;

	for (k = 0; k < 2 * ITEMS(kinds); k++) {
		wide = k % 2;
		/* Values of 64 bits differ only in the upper half. */
		for (i = 0; i < LANES; i++)
			values[i] = (uint64_t)(i * 7 % kinds[k / 2]) << (wide ? 32 : 0) | 0x40;
		for (i = 0; i < LANES; i++)
			script_add(i, i_match(DRM_VSM_MODE_ANY,
					      wide ? DRM_VSM_TYPE_B64 : DRM_VSM_TYPE_B32,
					      values[i], ALL_LANES),
				   same_as(values, ALL_LANES, values[i]));
	}
	EXPECT_SCRIPT();
}

TEST_F(warp, match_all_is_true_if_no_lane_differs)
{
	const struct {
		enum drm_vsm_type type;
		uint64_t common, different;
	} rows[] = {
		{ DRM_VSM_TYPE_B32, 0, 0 },
		{ DRM_VSM_TYPE_B32, 0xffffffff, 0xffffffff },
		{ DRM_VSM_TYPE_B32, 5, 6 },
		{ DRM_VSM_TYPE_B64, 1ULL << 63 | 5, 1ULL << 63 | 5 },
		{ DRM_VSM_TYPE_B64, 5, 1ULL << 32 | 5 },
	};
	static const uint32_t masks[] = { ALL_LANES, 0x80000001, 0x00ffff00, 0x55555555 };
	int i, m, k;

	for (k = 0; k < ITEMS(rows); k++) {
		for (m = 0; m < ITEMS(masks); m++) {
			for (i = 0; i < LANES; i++) {
				bool last = !(masks[m] & ~1U << i);

				if (!(masks[m] >> i & 1))
					continue;
				script_add(i, i_match(DRM_VSM_MODE_ALL, rows[k].type,
						      last ? rows[k].different : rows[k].common,
						      masks[m]),
					   rows[k].common == rows[k].different ?
					   masks[m] | DRM_VSM_RESULT_PRED : 0);
			}
		}
	}
	EXPECT_SCRIPT();
}

/* --- vote.sync, redux.sync, shfl.sync ------------------------------------------------ */

TEST_F(warp, vote_counts_the_lanes_of_the_mask_alone)
{
	static const uint32_t masks[] = { ALL_LANES, 0xff, 0xa0000005, 1U << 31 };
	static const uint32_t trues[] = { 0, ALL_LANES, 1, 1U << 31, 0x0f0f0f0f };
	int i, m, t, mode;

	for (m = 0; m < ITEMS(masks); m++) {
		for (t = 0; t < ITEMS(trues) * 4; t++) {
			uint32_t ballot = trues[t / 4] & masks[m];
			uint64_t results[] = {
				[DRM_VSM_MODE_ANY] = ballot != 0,
				[DRM_VSM_MODE_ALL] = ballot == masks[m],
				[DRM_VSM_MODE_UNI] = !ballot || ballot == masks[m],
				[DRM_VSM_MODE_BALLOT] = ballot,
			};

			mode = DRM_VSM_MODE_ANY + t % 4;
			for (i = 0; i < LANES; i++)
				if (masks[m] >> i & 1)
					script_add(i, i_vote(mode, trues[t / 4] >> i & 1, masks[m]),
						   results[mode]);
		}
	}
	EXPECT_SCRIPT();
}

TEST_F(warp, redux_reduces_the_values_of_the_mask)
{
	/*
	 * These lanes take part, with these values. The other lanes of the warp are not in the
	 * mask.
	 */
	static const uint32_t lanes[] = { 0, 3, 17, 30 }, mask = 0x40020009;
	static const uint32_t values[] = { 0x80000001, 0xffffffff, 0x7fffff0f, 0x0000000f };
	static const struct {
		enum drm_vsm_red op;
		enum drm_vsm_type type;
		uint64_t want;
	} rows[] = {
		{ DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 0xffffff1e },
		{ DRM_VSM_RED_ADD, DRM_VSM_TYPE_S32, 0xffffff1e },
		{ DRM_VSM_RED_MIN, DRM_VSM_TYPE_U32, 0x0000000f },
		{ DRM_VSM_RED_MIN, DRM_VSM_TYPE_S32, 0x80000001 },
		{ DRM_VSM_RED_MAX, DRM_VSM_TYPE_U32, 0xffffffff },
		{ DRM_VSM_RED_MAX, DRM_VSM_TYPE_S32, 0x7fffff0f },
		{ DRM_VSM_RED_AND, DRM_VSM_TYPE_B32, 0x00000001 },
		{ DRM_VSM_RED_OR, DRM_VSM_TYPE_B32, 0xffffffff },
		{ DRM_VSM_RED_XOR, DRM_VSM_TYPE_B32, 0x000000fe },
	};
	int i, k;

	for (k = 0; k < ITEMS(rows); k++)
		for (i = 0; i < ITEMS(lanes); i++)
			script_add(lanes[i], i_redux(rows[k].op, rows[k].type, values[i], mask),
				   rows[k].want);
	EXPECT_SCRIPT();
}

/*
 * Returns the result of shfl.sync in segments of @width lanes, as the programming guide describes
 * it.
 */
static uint64_t shfl_of(enum drm_vsm_mode mode, int lane, int b, int width, const uint64_t *values)
{
	int first = lane - lane % width, end = first + width;
	int from = mode == DRM_VSM_MODE_UP ? lane - b :
		   mode == DRM_VSM_MODE_DOWN ? lane + b :
		   mode == DRM_VSM_MODE_BFLY ? lane ^ b : first + b % width;
	/* .bfly may also read from earlier segments. */
	bool in = from < end && (from >= first || mode == DRM_VSM_MODE_BFLY);

	return in ? values[from] | DRM_VSM_RESULT_PRED : values[lane];
}

TEST_F(warp, shfl_moves_values_within_segments)
{
	static const int widths[] = { 32, 16, 4, 1 }, offsets[] = { 0, 1, 3, 16, 31 };
	uint64_t values[LANES];
	int i, w, b, mode;

	for (i = 0; i < LANES; i++)
		values[i] = 0x80000000U + 17 * i;
	for (mode = DRM_VSM_MODE_UP; mode <= DRM_VSM_MODE_IDX; mode++) {
		for (w = 0; w < ITEMS(widths); w++) {
			uint32_t c = (LANES - widths[w]) << 8 | (mode == DRM_VSM_MODE_UP ? 0 : 31);

			/* Set other bits of b and c too: they have no effect. */
			for (b = 0; b < ITEMS(offsets); b++)
				for (i = 0; i < LANES; i++)
					script_add(i, i_shfl(mode, values[i],
							     offsets[b] | 0xfe0 * (i % 2),
							     c | (i % 3 ? 0xffffe0e0 : 0),
							     ALL_LANES),
						   shfl_of(mode, i, offsets[b], widths[w], values));
		}
	}
	EXPECT_SCRIPT();
}

/*
 * A reduction as kernels write it: all lanes execute the shuffle, and a lane ignores values that
 * would come from lanes above 11.
 */
TEST_F(warp, a_reduction_over_12_lanes_is_right)
{
	uint64_t values[12], got[12];
	uint32_t i, step;

	for (i = 0; i < 12; i++)
		values[i] = 1 << i;
	memset(&script, 0, sizeof(script));
	for (step = 8; step; step /= 2) {
		for (i = 0; i < 12; i++) {
			/* If the source lane is not in the mask, the lane gets its own value. */
			got[i] = i + step < 12 ? values[i + step] : values[i];
			script_add(i, i_shfl(DRM_VSM_MODE_DOWN, values[i], step, 31, 0xfff),
				   got[i] | DRM_VSM_RESULT_PRED);
		}
		for (i = 0; i + step < 12; i++)
			values[i] += got[i];
	}
	EXPECT_EQ(0xfff, values[0]);
	expect_script(_metadata, &self->c);
	EXPECT_EQ(0, poll_events(self->c.fd));
}

TEST_F(warp, a_shuffle_from_an_absent_lane_is_reported_on_request)
{
	const uint64_t rule = DRM_VSM_RULE(DRM_VSM_FAULT_SHFL_SOURCE);
	struct drm_vsm_cluster_create args = {
		.ctas = 1, .threads = 32, .smem_bytes = 4096, .report = rule,
	};
	int enforce;

	for (enforce = 0; enforce < 2; enforce++) {
		struct drm_vsm_insn insns[3];
		struct drm_vsm_event_fault event;
		struct tasks crowd = { 0 };
		struct cluster c;
		uint64_t result;
		int i;

		/* A rule that is in .report and in .enforce is reported. */
		args.enforce = enforce ? rule : 0;
		ASSERT_EQ(0, cluster_open(&c, &args));
		for (i = 0; i < 3; i++) {
			insns[i] = i_shfl(DRM_VSM_MODE_DOWN, 10 + i, 2, 31, 7);
			ASSERT_EQ(0, tasks_add(&crowd, &c, 0, i, 0, &insns[i], 1));
		}
		EXPECT_EQ(0, tasks_join(&crowd));
		EXPECT_EQ(12 | DRM_VSM_RESULT_PRED, insns[0].result);
		EXPECT_EQ(11 | DRM_VSM_RESULT_PRED, insns[1].result);
		EXPECT_EQ(12 | DRM_VSM_RESULT_PRED, insns[2].result);
		for (i = 0; i < 2; i++) {
			ASSERT_EQ(1, fault_read(c.fd, &event));
			EXPECT_EQ(DRM_VSM_SOURCE_EXEC, event.source);
			EXPECT_EQ(DRM_VSM_EVENT_REPORTED, event.flags);
			EXPECT_EQ(DRM_VSM_FAULT_SHFL_SOURCE, event.insn.fault);
			EXPECT_TRUE(event.thread == 1 || event.thread == 2);
			EXPECT_EQ(event.thread + 2, event.insn.info);
			EXPECT_EQ(event.thread + 10, event.insn.u.warp.a);
		}
		/* For a converged warp, the event names the thread of the call. */
		EXPECT_EQ(0, play_one(&c, 0, 1, DRM_VSM_EXEC_WARP,
				      i_shfl(DRM_VSM_MODE_IDX, 5, 9, 31, 7), &result));
		EXPECT_EQ(5 | DRM_VSM_RESULT_PRED, result);
		ASSERT_EQ(1, fault_read(c.fd, &event));
		EXPECT_EQ(1, event.thread);
		EXPECT_EQ(9, event.insn.info);
		EXPECT_EQ(0, poll_events(c.fd));
		rv_destroy(&c);
	}
}

TEST_F(warp, shfl_goes_by_the_operands_of_each_lane)
{
	int i;

	/* A lane whose source lane is above the clamp gets its own value. */
	for (i = 0; i < LANES; i++)
		script_add(i, i_shfl(DRM_VSM_MODE_IDX, 100 + i, 31 - i, i % 2 ? 31 : 15, ALL_LANES),
			   i % 2 || 31 - i <= 15 ? (100 + 31 - i) | DRM_VSM_RESULT_PRED : 100 + i);
	EXPECT_SCRIPT();
}

/* --- elect.sync ------------------------------------------------------------------ */

TEST_F(warp, elect_elects_one_lane_of_the_mask)
{
	static const uint32_t masks[] = { ALL_LANES, 0xff00, 1U << 31, 0x80000010 };
	int i, m;

	for (m = 0; m < ITEMS(masks); m++) {
		uint32_t leader = __builtin_ctz(masks[m]);

		for (i = 0; i < LANES; i++)
			if (masks[m] >> i & 1)
				script_add(i, i_elect(masks[m]),
					   leader | (i == leader ? DRM_VSM_RESULT_PRED : 0));
	}
	EXPECT_SCRIPT();
}

/* --- all lanes of the mask must come ------------------------------------------------- */

TEST_F(warp, no_lane_continues_before_the_last_one_has_come)
{
	struct drm_vsm_insn insns[LANES];
	struct tasks crowd = { 0 };
	int i, last, op;

	for (last = 0; last < LANES; last += 31) {
		for (op = 0; op < 3; op++) {
			for (i = 0; i < LANES; i++)
				insns[i] = op == 0 ? i_warp_sync(ALL_LANES) :
					   op == 1 ? i_match_any(i, ALL_LANES) : i_elect(ALL_LANES);
			ASSERT_EQ(0, tasks_add_lanes(&crowd, &self->c, 0, 0,
						     ALL_LANES & ~(1U << last), insns));
			for (i = 0; i < LANES - 1; i++)
				ASSERT_TRUE(exec_thread_suspended(&crowd.tasks[i]));
			EXPECT_TRUE(stays_suspended(&crowd.tasks[0]));
			for (i = 1; i < LANES - 1; i++)
				EXPECT_FALSE(atomic_load(&crowd.tasks[i].done));
			EXPECT_EQ(0, play(&self->c, 0, last, 0, &insns[last], 1));
			EXPECT_EQ(0, tasks_join(&crowd));
		}
	}
}

TEST_F(warp, disjoint_masks_work_independently_at_the_same_time)
{
	enum { GROUPS = 4, ROUNDS = 50 };
	int i, k;

	for (i = 0; i < LANES; i++) {
		uint32_t mask = 0x11111111U << i % GROUPS;

		for (k = 0; k < ROUNDS; k++) {
			switch (i % GROUPS) {
			case 0:
				script_add(i, i_match_any(i / 16 + k, mask),
					   i < 16 ? 0x1111 : 0x11110000);
				break;
			case 1:
				script_add(i, i_vote(DRM_VSM_MODE_BALLOT, i / 4 == k % 8, mask),
					   1U << (4 * (k % 8) + 1));
				break;
			case 2:		/* lanes 2, 6, … 30 */
				script_add(i, i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, i + k,
						      mask), 128 + 8 * k);
				break;
			case 3:
				script_add(i, i_shfl(DRM_VSM_MODE_BFLY, i + k, 4, 31, mask),
					   ((i ^ 4) + k) | DRM_VSM_RESULT_PRED);
				break;
			}
		}
	}
	EXPECT_SCRIPT();
}

/*
 * Lanes 0 and 1 execute code like "if (lane < 2) { ... }" before an instruction of all four lanes.
 * The other two lanes may arrive first.
 */
TEST_F(warp, lanes_may_wait_for_lanes_in_another_rendezvous)
{
	struct drm_vsm_insn early[4], two[2][2];
	struct exec_thread t[4];
	int i;

	for (i = 2; i < 4; i++) {
		early[i] = i_match_any(9, 0xf);
		ASSERT_TRUE(suspend_as(&t[i], &self->c, 0, i, 0, &early[i], 1));
	}
	for (i = 0; i < 2; i++) {
		two[i][0] = i_match_any(i, 0x3);
		two[i][1] = i_match_any(9, 0xf);
		ASSERT_EQ(0, exec_thread_run(&t[i], &self->c,
					     play_args(&self->c, 0, i, 0, two[i], 2)));
	}
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(0, rv_join(&t[i]));
		EXPECT_EQ(0xf, i < 2 ? two[i][1].result : early[i].result);
		if (i < 2)
			EXPECT_EQ(1 << i, two[i][0].result);
	}
}

TEST_F(warp, equal_lanes_of_other_warps_and_ctas_are_independent)
{
	struct drm_vsm_insn insn = i_match_any(7, 0x3);
	struct exec_thread t;
	uint64_t result;

	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 0, 0, &insn, 1));
	EXPECT_EQ(0, play_one(&self->c, 0, 33, 0, i_match_any(7, 0x2), &result));
	EXPECT_EQ(0x2, result);
	EXPECT_EQ(0, play_one(&self->c, 1, 1, 0, i_match_any(7, 0x2), &result));
	EXPECT_EQ(0x2, result);
	EXPECT_TRUE(stays_suspended(&t));
	EXPECT_EQ(0, play_one(&self->c, 0, 1, 0, i_match_any(7, 0x3), &result));
	EXPECT_EQ(0x3, result);
	EXPECT_EQ(0, rv_join(&t));
	EXPECT_EQ(0x3, insn.result);
}

/* The last warp of 72 threads has no lanes 8 to 31. No instruction waits for them. */
TEST_F(warp, lanes_that_the_warp_lacks_are_not_waited_for)
{
	static const uint32_t masks[] = { ALL_LANES, 0xff, 0xffffff80 };
	struct drm_vsm_insn insns[LANES];
	int i, m, op;

	for (m = 0; m < ITEMS(masks); m++) {
		uint32_t there = masks[m] & 0xff;

		for (op = 0; op < 3; op++) {
			for (i = 0; i < 8; i++)
				insns[i] = op == 0 ? i_match_all(3, masks[m]) :
					   op == 1 ? i_vote(DRM_VSM_MODE_ALL, true, masks[m]) :
					   i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 5, masks[m]);
			EXPECT_EQ(0, play_lanes(&self->c, 0, LAST, there, insns));
			for (i = 0; i < 8; i++) {
				if (there >> i & 1)
					EXPECT_EQ(op == 0 ? there | DRM_VSM_RESULT_PRED : op == 1 ?
						  1 : 5 * __builtin_popcount(there),
						  insns[i].result);
			}
		}
	}
}

/* --- a converged warp ------------------------------------------------------------------ */

TEST_F(warp, one_task_plays_a_converged_warp)
{
	const uint32_t mask = 0xfff0;
	const struct {
		struct drm_vsm_insn insn;
		uint32_t thread;
		uint64_t want;
	} rows[] = {
		{ i_warp_sync(ALL_LANES), 0, 0 },
		{ i_match_any(3, ALL_LANES), 31, ALL_LANES },
		{ i_match_any(3, mask), 4, mask },
		{ i_match_all(3, mask), 15, mask | DRM_VSM_RESULT_PRED },
		{ i_elect(ALL_LANES), 0, DRM_VSM_RESULT_PRED },
		{ i_elect(ALL_LANES), 1, 0 },
		{ i_elect(mask), 4, 4 | DRM_VSM_RESULT_PRED },
		{ i_vote(DRM_VSM_MODE_ALL, true, ALL_LANES), 7, 1 },
		{ i_vote(DRM_VSM_MODE_BALLOT, true, mask), 7, mask },
		{ i_vote(DRM_VSM_MODE_BALLOT, false, mask), 7, 0 },
		{ i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 3, ALL_LANES), 7, 96 },
		{ i_redux(DRM_VSM_RED_XOR, DRM_VSM_TYPE_B32, 3, mask | 1), 7, 3 },
		{ i_shfl(DRM_VSM_MODE_UP, 77, 1, 0, ALL_LANES), 1, 77 | DRM_VSM_RESULT_PRED },
		{ i_shfl(DRM_VSM_MODE_UP, 77, 1, 0, ALL_LANES), 0, 77 },
		/* The last warp. */
		{ i_match_any(3, ALL_LANES), LAST, 0xff },
		{ i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 3, ALL_LANES), LAST + 7, 24 },
	};
	uint64_t result;
	int i;

	for (i = 0; i < ITEMS(rows); i++) {
		EXPECT_EQ(0, play_one(&self->c, 1, rows[i].thread, DRM_VSM_EXEC_WARP, rows[i].insn,
				      &result));
		EXPECT_EQ(rows[i].want, result) TH_LOG("row %d", i);
	}
}

TEST_F(warp, other_instructions_of_a_converged_warp_are_executed_by_one_thread)
{
	struct drm_vsm_insn insns[] = {
		i_init(AT(0, 0x80), 32), i_elect(ALL_LANES), i_arrive(AT(0, 0x80)),
		i_warp_sync(ALL_LANES),
	};

	EXPECT_EQ(0, play(&self->c, 0, 0, DRM_VSM_EXEC_WARP, insns, 4));
	EXPECT_EQ(word_of(VSM_LAYOUT_SM_90, 31, 0, 32, 0), word(&self->c, AT(0, 0x80)));
}

/*
 * One task executes half of the warp, and each lane of the other half has a task of its own. Then
 * one task executes all lanes.
 */
TEST_F(warp, some_lanes_may_be_converged_and_others_not)
{
	const uint32_t half = 0x0000ffff;
	struct drm_vsm_insn insns[LANES], together;
	struct tasks crowd = { 0 };
	uint64_t result;
	int i, round;

	for (round = 0; round < 10; round++) {
		for (i = 0; i < LANES; i++)
			insns[i] = i_match_any(i % 2, ~half);
		ASSERT_EQ(0, tasks_add_lanes(&crowd, &self->c, 0, 0, ~half, insns));
		EXPECT_EQ(0, play_one(&self->c, 0, 3, DRM_VSM_EXEC_WARP, i_match_any(1, half),
				      &result));
		EXPECT_EQ(half, result);
		EXPECT_EQ(0, tasks_join(&crowd));
		for (i = 16; i < LANES; i++)
			EXPECT_EQ(i % 2 ? 0xaaaa0000 : 0x55550000, insns[i].result);
		together = i_match_all(round, ALL_LANES);
		EXPECT_EQ(0, play(&self->c, 0, 0, DRM_VSM_EXEC_WARP, &together, 1));
		EXPECT_EQ(ALL_LANES | DRM_VSM_RESULT_PRED, together.result);
	}
}

/* --- programs of warps --------------------------------------------------------------- */

/* Computes the sum and the maximum over all lanes, by butterfly shuffles. */
static void reduce_by_butterflies(struct player *p)
{
	uint32_t lane = p->thread % LANES, round, sum, max, delta, other;

	for (round = 0; round < repeat(40) && !p->error; round++) {
		sum = lane + round;
		max = lane * 7 % 32;
		for (delta = 16; delta; delta /= 2) {
			sum += player_do(p, i_shfl(DRM_VSM_MODE_BFLY, sum, delta, 31, ALL_LANES));
			other = player_do(p, i_shfl(DRM_VSM_MODE_BFLY, max, delta, 31, ALL_LANES));
			max = other > max ? other : max;
		}
		player_expect(p, sum == 496 + 32 * round && max == 31);
		player_expect(p, player_do(p, i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32,
						      lane + round, ALL_LANES)) == sum);
	}
}

TEST_F(warp, a_butterfly_of_shuffles_sums_up)
{
	struct player players[LANES];
	int i;

	for (i = 0; i < LANES; i++)
		players[i] = (struct player) {
			.c = &self->c, .thread = i, .program = reduce_by_butterflies,
		};
	EXPECT_EQ(0, players_run(players, LANES));
}

/* No lane writes again before all lanes have read. */
static void write_sync_read(struct player *p)
{
	uint64_t *slot, round;
	int i;

	for (round = 1; round <= repeat(200) && !p->error; round++) {
		slot = cluster_mem(p->c, SLOT(p->thread));
		*slot = round;
		player_do(p, i_warp_sync(0xff));
		for (i = 0; i < 8; i++) {
			slot = cluster_mem(p->c, SLOT(LAST + i));
			player_expect(p, *slot == round);
		}
		player_do(p, i_warp_sync(ALL_LANES));
	}
}

TEST_F(warp, what_lanes_have_written_before_bar_warp_sync_all_read_after_it)
{
	struct player players[8];
	int i;

	for (i = 0; i < 8; i++)
		players[i] = (struct player) {
			.c = &self->c, .thread = LAST + i, .program = write_sync_read,
		};
	EXPECT_EQ(0, players_run(players, 8));
}

TEST_HARNESS_MAIN
