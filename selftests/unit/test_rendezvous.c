// SPDX-License-Identifier: MIT
/*
 * Warp operations: what they give, whom they wait for, and what is misuse; and what holds for
 * every thread that is in an instruction. One test for each rule.
 */
#include "meet.h"
#include "rendezvous_model.h"

static struct meet m;

/* An operation with its qualifiers. */
struct kind {
	__u16 op;
	__u8 red;
};

#define KIND(op, red)		((struct kind) { OP(op), red })
#define MATCH(mode, type)	KIND(MATCH_SYNC, DRM_VSM_MODE(MODE(mode), DRM_VSM_TYPE_##type))
#define VOTE(mode)		KIND(VOTE_SYNC, MODE(mode))
#define SHFL(mode)		KIND(SHFL_SYNC, MODE(mode))
#define REDUX(op, type)		KIND(REDUX_SYNC, RED(op, type))
#define ELECT			KIND(ELECT_SYNC, 0)
#define BAR			KIND(BAR_WARP_SYNC, 0)

static struct drm_vsm_insn with(struct kind kind, __u32 mask, __u64 a)
{
	return (struct drm_vsm_insn) {
		.op = kind.op, .red = kind.red, .u.warp = { .membermask = mask, .a = a },
	};
}

/* --- results --------------------------------------------------------------- */

/* All threads of the CTA execute it, each with its value, the first of them last. */
static void everyone(const struct drm_vsm_insn *insn, const __u64 *values)
{
	struct drm_vsm_insn mine = *insn;
	__u32 i;

	for (i = m.geo.threads - 1; i; i--) {
		mine.u.warp.a = values[i];
		go_and_wait(&m, i, mine);
	}
	mine.u.warp.a = values[0];
	go_and_end(&m, 0, mine);
}

/**
 * struct row - A warp operation of four threads
 * @name: What it shows
 * @kind: It
 * @values: Of the threads
 * @results: What they get
 */
struct row {
	const char *name;
	struct kind kind;
	__u64 values[4];
	__u64 results[4];
};

#define UPPER(x)		((__u64)(x) << 32 | 5)
#define SAME(x)			{ x, x, x, x }

static const struct row rows[] = {
	{ "match.any: lanes with the same value", MATCH(ANY, B32), { 7, 8, 7, 0 },
	  { 5, 2, 5, 8 } },
	{ "match.any: zero is a value", MATCH(ANY, B32), SAME(0), SAME(0xf) },
	{ "match.any: all different", MATCH(ANY, B32), { 1, 2, 3, 4 }, { 1, 2, 4, 8 } },
	{ "match.any.b32: the highest bit counts", MATCH(ANY, B32),
	  { 0x80000000, 0, 0x80000000, 0 }, { 5, 10, 5, 10 } },
	{ "match.any.b64: the upper half counts", MATCH(ANY, B64),
	  { UPPER(1), UPPER(2), UPPER(1), UPPER(0) }, { 5, 2, 5, 8 } },
	{ "match.any.b64: the lower half counts", MATCH(ANY, B64),
	  { 1ULL << 32 | 1, 1ULL << 32, 1ULL << 32, 1 }, { 1, 6, 6, 8 } },
	{ "match.all: the same value", MATCH(ALL, B32), SAME(~0U), SAME(PRED | 0xf) },
	{ "match.all: another value", MATCH(ALL, B32), { 3, 3, 3, 2 }, SAME(0) },
	{ "match.all.b64: the same value", MATCH(ALL, B64), SAME(~0ULL), SAME(PRED | 0xf) },
	{ "match.all.b64: another upper half", MATCH(ALL, B64),
	  { UPPER(1), UPPER(1), UPPER(1 << 31), UPPER(1) }, SAME(0) },

	{ "vote.all: all", VOTE(ALL), SAME(1), SAME(1) },
	{ "vote.all: all but one", VOTE(ALL), { 1, 1, 0, 1 }, SAME(0) },
	{ "vote.any: none", VOTE(ANY), SAME(0), SAME(0) },
	{ "vote.any: one", VOTE(ANY), { 0, 0, 0, 1 }, SAME(1) },
	{ "vote.uni: all", VOTE(UNI), SAME(1), SAME(1) },
	{ "vote.uni: none", VOTE(UNI), SAME(0), SAME(1) },
	{ "vote.uni: some", VOTE(UNI), { 1, 0, 1, 1 }, SAME(0) },
	{ "vote.ballot", VOTE(BALLOT), { 0, 1, 0, 1 }, SAME(10) },
	{ "vote.ballot: none", VOTE(BALLOT), SAME(0), SAME(0) },

	{ "elect: the first", ELECT, SAME(0), { PRED, 0, 0, 0 } },
	{ "bar.warp.sync gives nothing", BAR, SAME(0), SAME(0) },

	{ "redux.add.u32", REDUX(ADD, U32), { 1, 20, 300, 4000 }, SAME(4321) },
	{ "redux.add.u32 is modulo 2^32", REDUX(ADD, U32), { ~0U, ~0U, 5, 0 }, SAME(3) },
	{ "redux.add.s32", REDUX(ADD, S32), { (__u32)-5, 2, 0, 0 }, SAME((__u32)-3) },
	{ "redux.add.s32 is modulo 2^32", REDUX(ADD, S32), { 0x7fffffff, 1, 0, 0 },
	  SAME(0x80000000) },
	{ "redux.min.u32", REDUX(MIN, U32), { 9, 0x80000000, 8, ~0U }, SAME(8) },
	{ "redux.min.s32", REDUX(MIN, S32), { 9, 0x80000000, 8, ~0U }, SAME(0x80000000) },
	{ "redux.min.s32: minus one", REDUX(MIN, S32), { 9, 0, 8, ~0U }, SAME(~0U) },
	{ "redux.max.u32", REDUX(MAX, U32), { 9, 0x80000000, 8, 0x7fffffff }, SAME(0x80000000) },
	{ "redux.max.s32", REDUX(MAX, S32), { 9, 0x80000000, 8, ~0U }, SAME(9) },
	{ "redux.max.s32: all negative", REDUX(MAX, S32), { (__u32)-9, (__u32)-8, ~0U, 0x80000000 },
	  SAME(~0U) },
	{ "redux.and", REDUX(AND, B32), { 0xff, 0xf5, 0x1f7, ~0U }, SAME(0xf5) },
	{ "redux.or", REDUX(OR, B32), { 1, 0x80000000, 0x10, 0 }, SAME(0x80000011) },
	{ "redux.xor", REDUX(XOR, B32), { 1, 3, 0x80000000, 0x80000004 }, SAME(6) },
};

TEST(results_are_those_of_the_table)
{
	size_t i;
	__u32 j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct drm_vsm_insn insn = with(rows[i].kind, 0xf, 0);

		meet_begin(&m, 1, 4);
		everyone(&insn, rows[i].values);
		for (j = 0; j < 4; j++) {
			__u64 result = meet_result(&m, j);

			if (result != rows[i].results[j])
				fail_msg("%s: thread %u has %#llx", rows[i].name, j, result);
		}
		meet_end(&m);
	}
}

/* PTX 9.7.9.6, every lane, offset, clamp and segment of every mode. */
TEST(shfl_sources_are_those_of_ptx)
{
	struct drm_vsm_insn insn = { .op = OP(SHFL_SYNC) };
	__u32 lane, b, c;

	for (insn.red = MODE(UP); insn.red <= MODE(IDX); insn.red++) {
		for (c = 0; c < 32 * 32; c++) {
			for (b = 0; b < 32; b++) {
				insn.u.warp.b = b;
				insn.u.warp.c = c / 32 << 8 | c % 32;
				for (lane = 0; lane < 32; lane++) {
					bool seen, wanted;
					__u32 source = vsm_shfl_source(&insn, lane, &seen);

					if (source != meet_shfl_source(insn.red, lane, b,
								       insn.u.warp.c, &wanted) ||
					    seen != wanted)
						fail_msg("mode %u lane %u b %u c %#x: %u", insn.red,
							 lane, b, insn.u.warp.c, source);
				}
			}
		}
	}
}

TEST(shfl_ignores_the_other_bits_of_b_and_c)
{
	struct drm_vsm_insn insn = { .op = OP(SHFL_SYNC) }, noisy;
	__u64 rng = unit_seed();
	int i;

	for (i = 0; i < 10000; i++) {
		const __u32 lane = unit_below(&rng, 32);
		bool pred, same;

		insn.red = MODE(UP) + i % 4;
		insn.u.warp.b = unit_below(&rng, 32);
		insn.u.warp.c = unit_random(&rng) & 0x1f1f;
		noisy = insn;
		noisy.u.warp.b |= unit_random(&rng) & ~0x1fU;
		noisy.u.warp.c |= unit_random(&rng) & ~0x1f1fU;
		assert_int_equal(vsm_shfl_source(&insn, lane, &pred),
				 vsm_shfl_source(&noisy, lane, &same));
		assert_int_equal(pred, same);
	}
}

/* As libraries have them: the whole warp, halves, and the last four lanes by a clamp. */
TEST(shfl_moves_values)
{
	static const struct {
		__u8 mode;
		__u32 b, c;
		__u8 lane, source;
		bool pred;
	} shfls[] = {
		{ MODE(UP), 1, 0, 5, 4, true },
		{ MODE(UP), 1, 0, 0, 0, false },
		{ MODE(UP), 16, 0, 15, 15, false },
		{ MODE(UP), 16, 0, 31, 15, true },
		{ MODE(UP), 1, 0x1000, 16, 16, false },
		{ MODE(DOWN), 1, 0x1f, 30, 31, true },
		{ MODE(DOWN), 1, 0x1f, 31, 31, false },
		{ MODE(DOWN), 4, 0x180f, 3, 7, true },
		{ MODE(DOWN), 4, 0x1807, 4, 4, false },
		{ MODE(DOWN), 1, 0x1b, 27, 27, false },
		{ MODE(BFLY), 16, 0x1f, 3, 19, true },
		{ MODE(BFLY), 1, 0x1f, 31, 30, true },
		{ MODE(BFLY), 4, 3, 3, 3, false },
		{ MODE(IDX), 0, 0x1f, 31, 0, true },
		{ MODE(IDX), 31, 0x1f, 0, 31, true },
		{ MODE(IDX), 3, 0x181f, 29, 27, true },
		{ MODE(IDX), 9, 7, 2, 2, false },
	};
	__u64 values[32];
	size_t i;
	__u32 j;

	for (i = 0; i < ARRAY_SIZE(shfls); i++) {
		struct drm_vsm_insn insn = i_shfl(shfls[i].mode, 0, shfls[i].b,
							 shfls[i].c, EVERYONE);
		const __u64 wanted = (0x80000000 + shfls[i].source) | (shfls[i].pred ? PRED : 0);

		for (j = 0; j < 32; j++)
			values[j] = 0x80000000 + j;
		meet_begin(&m, 1, 32);
		everyone(&insn, values);
		for (j = 0; j < 32; j++) {
			__u64 result = meet_result(&m, j);

			if (j == shfls[i].lane && result != wanted)
				fail_msg("row %zu: %#llx", i, result);
		}
		meet_end(&m);
	}
}

/* Each thread has its own b and c. */
TEST(shfl_operands_need_not_agree)
{
	struct drm_vsm_insn insn = with(SHFL(IDX), 3, 100);

	meet_begin(&m, 1, 2);
	insn.u.warp.c = 0x1f;
	insn.u.warp.b = 1;
	go_and_wait(&m, 0, insn);
	insn.u.warp.b = 0;
	insn.u.warp.a = 101;
	insn.u.warp.c = 0x101f;
	go_and_end(&m, 1, insn);
	assert_int_equal(meet_result(&m, 0), PRED | 101);
	assert_int_equal(meet_result(&m, 1), PRED | 100);
	meet_end(&m);
}

/* --- whom they wait for ---------------------------------------------------- */

TEST(nobody_goes_on_before_the_last_has_come)
{
	const struct drm_vsm_insn insn = i_warp_sync(EVERYONE);
	__u32 last, i, j;

	for (last = 0; last < 32; last++) {
		meet_begin(&m, 1, 32);
		for (i = 1; i < 32; i++) {
			go_and_wait(&m, (last + i) % 32, insn);
			for (j = 0; j < 32; j++)
				assert_false(vsm_rendezvous_is_released(m.rv, 0, j));
		}
		go_and_end(&m, last, insn);
		meet_all_end(&m, 0, 31, 0);
		meet_end(&m);
	}
}

TEST(masks_that_share_no_lane_are_apart)
{
	meet_begin(&m, 1, 32);
	go_and_wait(&m, 0, with(MATCH(ANY, B32), 0x0000000f, 1));
	go_and_wait(&m, 4, with(MATCH(ANY, B32), 0x000000f0, 1));
	go_and_wait(&m, 8, with(VOTE(BALLOT), 0x00000300, 1));
	go_and_wait(&m, 31, with(MATCH(ANY, B32), 0xc0000000, 1));
	go_and_wait(&m, 1, with(MATCH(ANY, B32), 0x0000000f, 2));
	go_and_wait(&m, 5, with(MATCH(ANY, B32), 0x000000f0, 1));
	go_and_end(&m, 30, with(MATCH(ANY, B32), 0xc0000000, 1));
	go_and_wait(&m, 6, with(MATCH(ANY, B32), 0x000000f0, 1));
	go_and_wait(&m, 2, with(MATCH(ANY, B32), 0x0000000f, 2));
	assert_int_equal(meet_result(&m, 30), 0xc0000000);
	assert_int_equal(meet_result(&m, 31), 0xc0000000);
	go_and_end(&m, 9, with(VOTE(BALLOT), 0x00000300, 0));
	meet_all_end(&m, 8, 9, 0x100);
	go_and_end(&m, 7, with(MATCH(ANY, B32), 0x000000f0, 1));
	meet_all_end(&m, 4, 7, 0xf0);
	go_and_end(&m, 3, with(MATCH(ANY, B32), 0x0000000f, 1));
	assert_int_equal(meet_result(&m, 0), 0x9);
	assert_int_equal(meet_result(&m, 1), 0x6);
	assert_int_equal(meet_result(&m, 2), 0x6);
	assert_int_equal(meet_result(&m, 3), 0x9);
	meet_end(&m);
}

TEST(a_thread_alone_waits_for_nobody)
{
	__u32 i;

	meet_begin(&m, 1, 32);
	for (i = 0; i < 32; i++) {
		go_and_end(&m, i, with(MATCH(ALL, B64), 1U << i, i));
		assert_int_equal(meet_result(&m, i), PRED | 1U << i);
		go_and_end(&m, i, with(ELECT, 1U << i, 0));
		assert_int_equal(meet_result(&m, i), PRED | i);
	}
	meet_end(&m);
}

TEST(warps_are_apart)
{
	meet_begin(&m, 2, 64);
	go_and_wait(&m, 0, i_warp_sync(3));
	go_and_wait(&m, 33, i_warp_sync(3));
	assert_int_equal(meet_go_as(&m, 1, 1, false, i_warp_sync(3)), FAULT(NONE));
	assert_true(meet_waits(&m, 0, 0) && meet_waits(&m, 0, 33) && meet_waits(&m, 1, 1));
	go_and_end(&m, 32, i_warp_sync(3));
	assert_true(meet_waits(&m, 0, 0) && meet_waits(&m, 1, 1));
	meet_all_end(&m, 32, 33, 0);
	meet_end(&m);
}

TEST(lanes_that_the_warp_lacks_have_exited)
{
	__u32 i;

	meet_begin(&m, 1, 37);
	for (i = 32; i < 36; i++)
		go_and_wait(&m, i, with(MATCH(ALL, B32), EVERYONE, 5));
	go_and_end(&m, 36, with(MATCH(ALL, B32), EVERYONE, 5));
	meet_all_end(&m, 32, 36, PRED | 0x1f);
	for (i = 32; i < 36; i++)
		go_and_wait(&m, i, with(VOTE(ALL), EVERYONE, 1));
	go_and_end(&m, 36, with(VOTE(ALL), EVERYONE, 1));
	meet_all_end(&m, 32, 36, 1);
	meet_end(&m);
}

/* One exits first, between any two of the others, or when all of them wait for it. */
TEST(who_has_exited_is_not_waited_for)
{
	const struct drm_vsm_insn insn = with(MATCH(ALL, B32), 0x1f, 9);
	__u32 gone, when, i, come;

	for (gone = 0; gone < 5; gone++) {
		for (when = 0; when < 5; when++) {
			meet_begin(&m, 1, 5);
			for (i = 0, come = 0; i < 5; i++) {
				const __u32 thread = (gone + 1 + i) % 5;

				if (come == when && !vsm_rendezvous_exited(m.rv, 0, gone))
					meet_exit(&m, gone);
				if (thread == gone)
					continue;
				assert_int_equal(meet_go(&m, thread, insn), FAULT(NONE));
				come++;
			}
			if (!vsm_rendezvous_exited(m.rv, 0, gone))
				meet_exit(&m, gone);
			for (i = 0; i < 5; i++)
				if (i != gone)
					assert_int_equal(meet_result(&m, i),
							 PRED | (0x1f & ~(1U << gone)));
			meet_end(&m);
		}
	}
}

TEST(exits_count_in_all_masks_that_name_the_lane)
{
	meet_begin(&m, 1, 32);
	go_and_wait(&m, 0, with(VOTE(BALLOT), 0x101, 1));
	go_and_wait(&m, 1, with(VOTE(BALLOT), 0x106, 1));
	go_and_wait(&m, 2, with(VOTE(BALLOT), 0x106, 1));
	go_and_wait(&m, 3, with(VOTE(BALLOT), 0x118, 1));
	meet_exit(&m, 8);
	assert_int_equal(meet_result(&m, 0), 0x1);
	meet_all_end(&m, 1, 2, 0x6);
	go_and_end(&m, 4, with(VOTE(BALLOT), 0x118, 1));
	meet_all_end(&m, 3, 4, 0x18);
	meet_end(&m);
}

TEST(the_lowest_lane_left_is_elected)
{
	__u32 i;

	meet_begin(&m, 1, 32);
	for (i = 0; i < 31; i++) {
		go_and_wait(&m, i, with(ELECT, 1U << i | 1U << 31, 0));
		go_and_end(&m, 31, with(ELECT, 1U << i | 1U << 31, 0));
		assert_int_equal(meet_result(&m, i), PRED | i);
		assert_int_equal(meet_result(&m, 31), i);
		meet_exit(&m, i);
		go_and_end(&m, 31, with(ELECT, 1U << i | 1U << 31, 0));
		assert_int_equal(meet_result(&m, 31), PRED | 31);
	}
	meet_end(&m);
}

/* if (lane < 2) op(0x3); op(0xf): two of them wait early, and nothing is wrong. */
TEST(who_comes_early_to_a_later_one_waits)
{
	meet_begin(&m, 1, 4);
	go_and_wait(&m, 2, i_warp_sync(0xf));
	go_and_wait(&m, 3, i_warp_sync(0xf));
	go_and_wait(&m, 0, i_warp_sync(0x3));
	go_and_end(&m, 1, i_warp_sync(0x3));
	meet_all_end(&m, 0, 1, 0);
	go_and_wait(&m, 1, i_warp_sync(0xf));
	go_and_end(&m, 0, i_warp_sync(0xf));
	meet_all_end(&m, 0, 3, 0);
	meet_end(&m);
}

/* --- misuse ---------------------------------------------------------------- */

TEST(who_executes_is_in_its_mask)
{
	static const struct kind kinds[] = {
		MATCH(ANY, B32), BAR, ELECT, VOTE(ANY), SHFL(IDX), REDUX(ADD, U32),
	};
	size_t i;

	meet_begin(&m, 1, 4);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		go_wrong(&m, 0, with(kinds[i], 0xe, 0), FAULT(NOT_IN_MASK));
		go_wrong(&m, 3, with(kinds[i], 0x7, 0), FAULT(NOT_IN_MASK));
		go_wrong(&m, 3, with(kinds[i], 0, 0), FAULT(NOT_IN_MASK));
	}
	/* And can go on as if nothing had been. */
	go_and_end(&m, 3, i_warp_sync(8));
	assert_int_equal(meet_result(&m, 3), 0);
	meet_end(&m);
}

/* Two threads of which each waits for the other in something else. */
TEST(what_two_wait_in_for_one_another_is_the_same)
{
	static const struct {
		const char *name;
		struct kind first, second;
		__u32 mask;	/* of the second; of the first it is 3 */
	} pairs[] = {
		{ "another operation", BAR, ELECT, 3 },
		{ "another mode", MATCH(ANY, B32), MATCH(ALL, B32), 3 },
		{ "another type", MATCH(ANY, B32), MATCH(ANY, B64), 3 },
		{ "another vote", VOTE(ANY), VOTE(BALLOT), 3 },
		{ "another shuffle", SHFL(UP), SHFL(DOWN), 3 },
		{ "another reduction", REDUX(MIN, U32), REDUX(MAX, U32), 3 },
		{ "another sign", REDUX(MIN, U32), REDUX(MIN, S32), 3 },
		{ "another mask", BAR, BAR, 7 },
		{ "a mask with lanes that there are not", BAR, BAR, 0xfffffff3 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		const struct drm_vsm_insn x = with(pairs[i].first, 3, 0);
		const struct drm_vsm_insn y = with(pairs[i].second, pairs[i].mask, 0);

		print_message("# %s\n", pairs[i].name);
		meet_begin(&m, 1, 4);
		go_and_wait(&m, 0, x);
		go_wrong_with(&m, 1, y, FAULT(WARP_MISMATCH), 0);
		/* Nothing has happened to who waited. */
		go_and_end(&m, 1, x);
		meet_taken(&m, 0, 0, false);
		meet_taken(&m, 0, 1, false);
		go_and_wait(&m, 1, y);
		go_wrong_with(&m, 0, x, FAULT(WARP_MISMATCH), 1);
		meet_end(&m);
	}
}

TEST(a_circle_of_threads_is_misuse_of_the_last)
{
	meet_begin(&m, 1, 32);
	/* 4 waits for 5, 5 for 6, 6 for 7 and 20; 9 is waited for by 7. */
	go_and_wait(&m, 4, i_warp_sync(0x30));
	go_and_wait(&m, 5, i_warp_sync(0x60));
	go_and_wait(&m, 6, i_warp_sync(0x1000c0));
	go_wrong_with(&m, 7, i_warp_sync(0x90), FAULT(WARP_MISMATCH), 4);
	go_wrong_with(&m, 7, i_warp_sync(0xa0), FAULT(WARP_MISMATCH), 5);
	go_wrong_with(&m, 7, i_warp_sync(0xb1), FAULT(WARP_MISMATCH), 4);
	go_wrong_with(&m, 20, i_warp_sync(0x100020), FAULT(WARP_MISMATCH), 5);
	/* 1 waits too, but not for 7. */
	go_and_wait(&m, 1, i_warp_sync(0x102));
	go_wrong_with(&m, 7, i_warp_sync(0xa2), FAULT(WARP_MISMATCH), 5);
	/* It is no circle to wait for one who is not waiting for this one. */
	go_and_wait(&m, 7, i_warp_sync(0x280));
	go_wrong_with(&m, 9, i_warp_sync(0x2c0), FAULT(WARP_MISMATCH), 6);
	go_and_end(&m, 9, i_warp_sync(0x280));
	meet_end(&m);
}

/* The result of a thread that reads a lane which does not take part. */
static __u64 own_value(__u32 thread, __u32 source)
{
	struct drm_vsm_insn insn = { .result = POISON };

	assert_true(vsm_rendezvous_is_released(m.rv, 0, thread));
	vsm_rendezvous_take(m.rv, 0, thread, &insn);
	assert_int_equal(insn.fault, FAULT(SHFL_SOURCE));
	assert_int_equal(insn.info, source);
	return insn.result;
}

TEST(a_shuffle_from_who_does_not_take_part_gives_the_value_of_its_own)
{
	struct drm_vsm_insn insn = with(SHFL(IDX), 0x27, 0);

	meet_begin(&m, 1, 5);
	insn.u.warp.c = 0x1f;
	insn.u.warp.b = 3;
	insn.u.warp.a = 10;
	go_and_wait(&m, 0, insn);
	/* In the mask, but not in the warp. */
	insn.u.warp.b = 5;
	insn.u.warp.a = 0xffffffff;
	go_and_wait(&m, 1, insn);
	/* p is False, and the source the lane itself. */
	insn.u.warp.c = 1;
	insn.u.warp.a = 12;
	go_and_end(&m, 2, insn);
	assert_int_equal(own_value(0, 3), PRED | 10);
	assert_int_equal(own_value(1, 5), PRED | 0xffffffff);
	assert_int_equal(meet_result(&m, 2), 12);
	/* It has exited before, */
	meet_exit(&m, 2);
	insn.u.warp.c = 0x1f;
	insn.u.warp.b = 2;
	insn.u.warp.a = 13;
	go_and_wait(&m, 0, insn);
	insn.u.warp.b = 0;
	go_and_end(&m, 1, insn);
	assert_int_equal(own_value(0, 2), PRED | 13);
	assert_int_equal(meet_result(&m, 1), PRED | 13);
	/* or meanwhile. */
	insn.u.warp.b = 1;
	insn.u.warp.a = 14;
	go_and_wait(&m, 0, insn);
	meet_exit(&m, 1);
	assert_int_equal(own_value(0, 1), PRED | 14);
	/* A converged warp does the same. */
	assert_int_equal(meet_go_as(&m, 0, 4, true, with(SHFL(IDX), 0x11, 15)), FAULT(NONE));
	assert_int_equal(meet_result(&m, 4), PRED | 15);
	insn.u.warp.membermask = 0x11;
	assert_int_equal(meet_go_as(&m, 0, 0, true, insn), FAULT(NONE));
	assert_int_equal(own_value(0, 1), PRED | 14);
	meet_end(&m);
}

/* As kernels reduce over some lanes: all read, and who reads beyond them does not look at it. */
TEST(a_reduction_over_12_lanes_is_right)
{
	__u32 values[12], lane, step;

	meet_begin(&m, 1, 32);
	for (lane = 0; lane < 12; lane++)
		values[lane] = 1 << lane;
	for (step = 8; step; step /= 2) {
		for (lane = 0; lane < 12; lane++) {
			struct drm_vsm_insn insn = with(SHFL(DOWN), 0xfff, values[lane]);

			insn.u.warp.b = step;
			insn.u.warp.c = 0x1f;
			assert_int_equal(meet_go(&m, lane, insn), FAULT(NONE));
		}
		for (lane = 0; lane < 12; lane++) {
			if (lane + step < 12)
				values[lane] += (__u32)meet_result(&m, lane);
			else
				assert_int_equal(own_value(lane, lane + step), PRED | values[lane]);
		}
	}
	assert_int_equal(values[0], 0xfff);
	meet_end(&m);
}

/* If the cluster asks for it. */
TEST(what_a_shuffle_reads_takes_part)
{
	struct drm_vsm_insn insn = with(SHFL(IDX), 0x27, 0);

	meet_begin(&m, 1, 5);
	m.rv->geo.enforce = DRM_VSM_RULE(FAULT(SHFL_SOURCE));
	insn.u.warp.c = 0x1f;
	insn.u.warp.b = 3;
	go_wrong_with(&m, 0, insn, FAULT(SHFL_SOURCE), 3);
	/* In the mask, but not in the warp. */
	insn.u.warp.b = 5;
	go_wrong_with(&m, 0, insn, FAULT(SHFL_SOURCE), 5);
	meet_exit(&m, 2);
	insn.u.warp.b = 2;
	go_wrong_with(&m, 0, insn, FAULT(SHFL_SOURCE), 2);
	/* Out of range is not read. */
	insn.u.warp.c = 1;
	go_and_wait(&m, 0, insn);
	insn.u.warp.b = 0;
	insn.u.warp.a = 8;
	go_and_end(&m, 1, insn);
	meet_all_end(&m, 0, 0, 0);
	assert_int_equal(meet_result(&m, 1), PRED);
	meet_end(&m);
}

TEST(a_source_that_exits_meanwhile_is_the_readers_fault)
{
	struct drm_vsm_insn insn = with(SHFL(BFLY), 0x7, 0);

	meet_begin(&m, 1, 3);
	m.rv->geo.enforce = DRM_VSM_RULE(FAULT(SHFL_SOURCE));
	insn.u.warp.c = 0x1f;
	insn.u.warp.b = 2;
	insn.u.warp.a = 10;
	go_and_wait(&m, 0, insn);
	insn.u.warp.b = 1;
	insn.u.warp.a = 11;
	go_and_wait(&m, 1, insn);
	meet_exit(&m, 2);
	assert_int_equal(meet_taken(&m, 0, 0, true), FAULT(SHFL_SOURCE));
	assert_int_equal(m.info, 2);
	assert_int_equal(meet_result(&m, 1), PRED | 10);
	meet_end(&m);
}

/* --- being in an instruction ----------------------------------------------- */

TEST(the_same_again_goes_on_and_arrives_once)
{
	struct drm_vsm_insn insn = with(VOTE(BALLOT), 7, 1);
	int i;

	meet_begin(&m, 1, 3);
	for (i = 0; i < 3; i++)
		go_and_wait(&m, 0, insn);
	go_and_wait(&m, 1, insn);
	insn.u.warp.a = 0;
	go_and_end(&m, 2, insn);
	for (i = 0; i < 3; i++)
		go_and_end(&m, 2, insn);
	assert_int_equal(meet_result(&m, 2), 3);
	/* The others are in it too until they have taken theirs. */
	insn.u.warp.a = 1;
	go_and_end(&m, 0, insn);
	meet_all_end(&m, 0, 1, 3);
	go_and_wait(&m, 0, insn);
	meet_end(&m);
}

TEST(nothing_else_can_be_executed_meanwhile)
{
	const struct drm_vsm_insn in = with(VOTE(ANY), 3, 1);
	const struct drm_vsm_insn others[] = {
		with(VOTE(ANY), 3, 0), with(VOTE(ALL), 3, 1), with(VOTE(ANY), 1, 1),
		i_warp_sync(3), i_barrier_sync(0), i_cluster_arrive(),
		i_cluster_wait(), with(VOTE(ANY), 2, 1),
	};
	size_t i;

	meet_begin(&m, 1, 2);
	go_and_wait(&m, 0, in);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		go_wrong(&m, 0, others[i], FAULT(THREAD_SUSPENDED));
	assert_int_equal(meet_go_as(&m, 0, 0, true, in), FAULT(THREAD_SUSPENDED));
	go_and_end(&m, 1, in);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		go_wrong(&m, 0, others[i], FAULT(THREAD_SUSPENDED));
	meet_all_end(&m, 0, 1, 1);
	go_and_end(&m, 0, with(VOTE(ANY), 1, 1));
	meet_end(&m);
}

TEST(one_task_at_a_time_plays_a_thread)
{
	const struct drm_vsm_insn in = i_warp_sync(3);
	int me;

	meet_begin(&m, 1, 2);
	go_and_wait(&m, 0, in);
	vsm_rendezvous_lane(m.rv, 0, 0)->waiter = &me;
	go_wrong(&m, 0, in, FAULT(THREAD_SUSPENDED));
	go_wrong(&m, 0, i_exit(), FAULT(THREAD_SUSPENDED));
	assert_false(vsm_rendezvous_exited(m.rv, 0, 0));
	go_and_end(&m, 1, in);
	assert_ptr_equal(vsm_rendezvous_next(m.rv), vsm_rendezvous_lane(m.rv, 0, 0));
	go_wrong(&m, 0, in, FAULT(THREAD_SUSPENDED));
	assert_int_equal(meet_result(&m, 0), 0);
	go_and_wait(&m, 0, in);
	meet_end(&m);
}

TEST(each_waiter_is_told_once)
{
	int waiters[32], told[32] = { 0 };
	struct vsm_lane *lane;
	__u32 i;

	meet_begin(&m, 1, 32);
	for (i = 0; i < 31; i++) {
		go_and_wait(&m, i, i_warp_sync(EVERYONE));
		/* A signal has interrupted every third. */
		if (i % 3)
			vsm_rendezvous_lane(m.rv, 0, i)->waiter = &waiters[i];
	}
	assert_null(vsm_rendezvous_next(m.rv));
	go_and_end(&m, 31, i_warp_sync(EVERYONE));
	while ((lane = vsm_rendezvous_next(m.rv)))
		told[(int *)lane->waiter - waiters]++;
	for (i = 0; i < 31; i++)
		assert_int_equal(told[i], i % 3 ? 1 : 0);
	meet_all_end(&m, 0, 31, 0);
	meet_end(&m);
}

TEST(who_withdraws_has_never_come)
{
	meet_begin(&m, 1, 3);
	go_and_wait(&m, 0, with(VOTE(BALLOT), 7, 1));
	go_and_wait(&m, 1, with(VOTE(BALLOT), 7, 1));
	vsm_rendezvous_withdraw(m.rv, 0, 0);
	assert_false(meet_waits(&m, 0, 0));
	go_and_wait(&m, 2, with(VOTE(BALLOT), 7, 0));
	/* It is free to do other things, and waited for. */
	go_and_end(&m, 0, i_warp_sync(1));
	assert_int_equal(meet_result(&m, 0), 0);
	go_wrong_with(&m, 0, i_warp_sync(7), FAULT(WARP_MISMATCH), 1);
	go_and_end(&m, 0, with(VOTE(BALLOT), 7, 0));
	meet_all_end(&m, 0, 2, 2);

	/* Alone, and all of them. */
	go_and_wait(&m, 0, i_warp_sync(7));
	vsm_rendezvous_withdraw(m.rv, 0, 0);
	go_and_wait(&m, 1, with(ELECT, 7, 0));
	go_and_wait(&m, 0, with(ELECT, 7, 0));
	vsm_rendezvous_withdraw(m.rv, 0, 1);
	vsm_rendezvous_withdraw(m.rv, 0, 0);
	go_and_wait(&m, 2, i_warp_sync(7));
	meet_end(&m);
}

TEST(who_exits_in_the_middle_is_not_there)
{
	meet_begin(&m, 1, 3);
	go_and_wait(&m, 0, with(VOTE(BALLOT), 7, 1));
	go_and_wait(&m, 1, with(VOTE(BALLOT), 7, 1));
	meet_exit(&m, 0);
	go_and_end(&m, 2, with(VOTE(BALLOT), 7, 1));
	meet_all_end(&m, 1, 2, 6);
	/* Nor who does with a result that it has not taken. */
	go_and_wait(&m, 1, with(VOTE(BALLOT), 7, 1));
	go_and_end(&m, 2, with(VOTE(BALLOT), 7, 1));
	meet_exit(&m, 2);
	assert_int_equal(meet_result(&m, 1), 6);
	go_and_end(&m, 1, with(VOTE(BALLOT), 7, 1));
	assert_int_equal(meet_result(&m, 1), 2);
	meet_end(&m);
}

TEST(who_has_exited_executes_nothing)
{
	const struct drm_vsm_insn insns[] = {
		i_warp_sync(1), i_warp_sync(2), i_barrier_sync(0),
		i_cluster_arrive(), i_cluster_wait(), i_exit(),
	};
	size_t i;

	meet_begin(&m, 1, 2);
	meet_exit(&m, 0);
	for (i = 0; i < ARRAY_SIZE(insns); i++) {
		go_wrong(&m, 0, insns[i], FAULT(THREAD_EXITED));
		assert_int_equal(meet_go_as(&m, 0, 0, true, insns[i]), FAULT(THREAD_EXITED));
	}
	meet_end(&m);
}

/* --- converged warps ------------------------------------------------------- */

TEST(a_converged_warp_meets_at_once)
{
	meet_begin(&m, 1, 32);
	meet_exit(&m, 30);
	assert_int_equal(meet_go_as(&m, 0, 5, true, with(MATCH(ALL, B32), EVERYONE, 3)), 0);
	assert_int_equal(meet_result(&m, 5), PRED | (EVERYONE & ~(1U << 30)));
	assert_int_equal(meet_go_as(&m, 0, 5, true, with(ELECT, 0xf0, 0)), 0);
	assert_int_equal(meet_result(&m, 5), 4);
	assert_int_equal(meet_go_as(&m, 0, 4, true, with(ELECT, 0xf0, 0)), 0);
	assert_int_equal(meet_result(&m, 4), PRED | 4);
	assert_int_equal(meet_go_as(&m, 0, 9, true, with(REDUX(ADD, S32), 0x700, ~0U)), 0);
	assert_int_equal(meet_result(&m, 9), (__u32)-3);
	assert_int_equal(meet_go_as(&m, 0, 1, true, i_warp_sync(0xf0)), FAULT(NOT_IN_MASK));
	/* Nobody but the one has anything to take. */
	go_and_end(&m, 6, i_warp_sync(0x40));
	meet_end(&m);
}

TEST(a_warp_that_has_come_apart_is_not_converged)
{
	meet_begin(&m, 1, 4);
	go_and_wait(&m, 0, i_warp_sync(3));
	assert_int_equal(meet_go_as(&m, 0, 1, true, i_warp_sync(3)), FAULT(THREAD_SUSPENDED));
	assert_int_equal(meet_go_as(&m, 0, 2, true, i_warp_sync(0xf)), FAULT(THREAD_SUSPENDED));
	assert_int_equal(meet_go_as(&m, 0, 2, true, i_barrier_sync(0)),
			 FAULT(THREAD_SUSPENDED));
	/* Those of a mask that have not. */
	assert_int_equal(meet_go_as(&m, 0, 2, true, i_warp_sync(0xc)), FAULT(NONE));
	assert_int_equal(meet_result(&m, 2), 0);
	meet_end(&m);
}

TEST(a_converged_warp_exits_as_one)
{
	__u32 i;

	meet_begin(&m, 1, 40);
	meet_exit(&m, 3);
	assert_int_equal(meet_go_as(&m, 0, 7, true, i_exit()), FAULT(NONE));
	for (i = 0; i < 40; i++)
		assert_int_equal(vsm_rendezvous_exited(m.rv, 0, i), i < 32);
	meet_end(&m);
}

/* An interrupted warp is in the instruction as one: none of its threads exits alone. */
TEST(a_converged_warp_that_waits_exits_as_one_or_not_at_all)
{
	struct drm_vsm_insn sync = i_barrier_sync(0);

	meet_begin(&m, 1, 64);
	assert_int_equal(meet_go_as(&m, 0, 0, true, sync), FAULT(NONE));
	assert_int_equal(meet_go(&m, 5, i_exit()), FAULT(THREAD_SUSPENDED));
	assert_int_equal(meet_go(&m, 0, i_exit()), FAULT(THREAD_SUSPENDED));
	assert_int_equal(meet_go_as(&m, 0, 0, true, sync), FAULT(NONE));
	assert_false(vsm_rendezvous_is_released(m.rv, 0, 0));
	assert_int_equal(meet_go_as(&m, 0, 32, true, sync), FAULT(NONE));
	meet_result(&m, 0);
	meet_result(&m, 32);

	assert_int_equal(meet_go_as(&m, 0, 0, true, sync), FAULT(NONE));
	assert_int_equal(meet_go_as(&m, 0, 5, true, i_exit()), FAULT(NONE));
	assert_int_equal(meet_go_as(&m, 0, 32, true, sync), FAULT(NONE));
	meet_result(&m, 32);
	meet_end(&m);
}
