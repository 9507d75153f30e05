// SPDX-License-Identifier: MIT
/* The results that warp operations give to each of their threads. */
#include "rendezvous_steps.h"
#include "rendezvous_warp.h"

static struct rv_test m;

/* All threads of the CTA execute the instruction, each with its value, thread 0 last. */
static void everyone(const struct drm_vsm_insn *insn, const __u64 *values)
{
	struct drm_vsm_insn mine = *insn;
	__u32 i;

	for (i = m.geo.threads - 1; i; i--) {
		mine.u.warp.a = values[i];
		play(&m, WAITS(i, mine));
	}
	mine.u.warp.a = values[0];
	play(&m, ENDS(0, mine));
}

/* A warp operation of four threads */
struct row {
	const char *name;	/* the case, for messages */
	struct kind kind;	/* the operation */
	__u64 values[4];	/* values of the threads */
	__u64 results[4];	/* results of the threads */
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

		rv_begin(&m, 1, 4);
		everyone(&insn, rows[i].values);
		for (j = 0; j < 4; j++) {
			__u64 result = rv_result(&m, j);

			if (result != rows[i].results[j])
				fail_msg("%s: thread %u has %#llx", rows[i].name, j, result);
		}
		rv_end(&m);
	}
}

/* Every lane, offset, clamp and segment of every mode, compared with the model of PTX 9.7.9.6. */
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

					if (source != rv_shfl_source(insn.red, lane, b,
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

/* Shuffles that libraries use: over the whole warp, over halves of it, and with a clamp. */
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
		rv_begin(&m, 1, 32);
		everyone(&insn, values);
		for (j = 0; j < 32; j++) {
			__u64 result = rv_result(&m, j);

			if (j == shfls[i].lane && result != wanted)
				fail_msg("row %zu: %#llx", i, result);
		}
		rv_end(&m);
	}
}

/* Threads of one shfl.sync may give different operands b and c. */
TEST(shfl_operands_need_not_agree)
{
	scene(1, 2, WAITS(0, i_shfl(MODE(IDX), 100, 1, 0x1f, 3)),
	      ENDS(1, i_shfl(MODE(IDX), 101, 0, 0x101f, 3)), GIVES(0, PRED | 101),
	      GIVES(1, PRED | 100));
}
