// SPDX-License-Identifier: MIT
/*
 * The words are worked out by hand. A field of n bits that counts c holds 2^n - c.
 *
 * Layout sm_90: bits 63:43 are the pending count with the parity on top, bit 42 is the poison bit,
 * bits 41:21 are the tx-count, bits 20:1 are the expected count, bit 0 is 0. A pending count of c
 * subtracts c * 2^43, an expected count c * 2, and a tx-count c * 2^21.
 *
 * Layout sm_80: the high word is 0x80000000 - pending with the parity on top; the low word is
 * 0x40000000 - expected.
 *
 * For example sm_90, parity 0, pending 3, tx 64, expected 3:
 *
 *	pending  (0x100000 - 3)  * 2^43 = 0x7fffe80000000000
 *	tx       (0x200000 - 64) * 2^21 = 0x000003fff8000000
 *	expected (0x100000 - 3)  * 2    = 0x00000000001ffffa
 *	                                  0x7fffebfff81ffffa
 */
#include "unit.h"

/*
 * The words that the tests use. A name is W<layout>_<parity>_<pending>_<tx>_<expected>; sm_80 has
 * no tx.
 */
#define W90_0_32_0_32	0x7fff0000001fffc0ULL
#define W90_0_8_0_8	0x7fffc000001ffff0ULL
#define W90_0_5_0_8	0x7fffd800001ffff0ULL
#define W90_0_5_0_5	0x7fffd800001ffff6ULL
#define W90_0_3_0_3	0x7fffe800001ffffaULL
#define W90_0_3_64_3	0x7fffebfff81ffffaULL
#define W90_0_3_M64_3	0x7fffe800081ffffaULL	/* -64 is stored as 64 * 2^21 = 0x8000000 */
#define W90_0_2_M64_3	0x7ffff000081ffffaULL
#define W90_0_2_0_3	0x7ffff000001ffffaULL
#define W90_0_2_64_3	0x7ffff3fff81ffffaULL
#define W90_0_1_0_3	0x7ffff800001ffffaULL
#define W90_1_3_0_3	0xffffe800001ffffaULL
#define W90_0_2_0_2	0x7ffff000001ffffcULL
#define W90_0_2_64_2	0x7ffff3fff81ffffcULL
#define W90_0_1_0_2	0x7ffff800001ffffcULL
#define W90_1_2_0_2	0xfffff000001ffffcULL
#define W90_0_1_0_1	0x7ffff800001ffffeULL
#define W90_1_1_0_1	0xfffff800001ffffeULL
#define W90_0_1_48_1	0x7ffffbfffa1ffffeULL	/* (0x200000 - 48) * 2^21 = 0x3fffa000000 */
#define W90_0_0_48_1	0x000003fffa1ffffeULL
#define W90_1_1_16_1	0xfffffbfffe1ffffeULL
#define W90_0_3_MAX_3	0x7fffea00003ffffaULL	/* (0x200000 - 0xfffff) * 2^21 = 0x20000200000 */
#define W90_0_3_MIN_3	0x7fffe9fffffffffaULL	/* 0xfffff * 2^21 = 0x1ffffe00000 */
#define W90_0_MAX_0_MAX	0x0000080000000002ULL

#define W80_0_32_32	0x7fffffe03fffffe0ULL
#define W80_0_8_8	0x7ffffff83ffffff8ULL
#define W80_0_5_8	0x7ffffffb3ffffff8ULL
#define W80_0_5_5	0x7ffffffb3ffffffbULL
#define W80_0_3_3	0x7ffffffd3ffffffdULL
#define W80_0_2_3	0x7ffffffe3ffffffdULL
#define W80_0_1_3	0x7fffffff3ffffffdULL
#define W80_1_3_3	0xfffffffd3ffffffdULL
#define W80_0_2_2	0x7ffffffe3ffffffeULL
#define W80_0_1_2	0x7fffffff3ffffffeULL
#define W80_1_2_2	0xfffffffe3ffffffeULL
#define W80_0_1_1	0x7fffffff3fffffffULL
#define W80_1_1_1	0xffffffff3fffffffULL
#define W80_0_MAX_MAX	0x7ff000013ff00001ULL

/* The token of an arrive on sm_90: the high half of the word before the arrive. */
#define HIGH(word) ((word) & 0xffffffff00000000ULL)

/* A .noComplete token of sm_90 ends in 1 << lane. Thread 37 is lane 5 of its warp. */
#define THREAD 37
#define LANE 0x20

struct row {
	const char *name;
	int sm;
	__u64 old;
	__u16 op;
	__u16 mods;
	__u32 count;
	__u32 tx;
	__u64 next;
	__u64 result;
};

#define A	OP(MBARRIER_ARRIVE)
#define D	OP(MBARRIER_ARRIVE_DROP)
#define X	OP(MBARRIER_EXPECT_TX)
#define C	OP(MBARRIER_COMPLETE_TX)
#define M_C	MOD(COUNT)
#define M_N	(MOD(COUNT) | MOD(NOCOMPLETE))
#define M_X	MOD(EXPECT_TX)
#define M_S	MOD(SINK)

static const struct row rows[] = {
	/* arrive */
	{ "arrive", 90, W90_0_3_0_3, A, 0, 0, 0, W90_0_2_0_3, HIGH(W90_0_3_0_3) },
	{ "arrive, last", 90, W90_0_1_0_2, A, 0, 0, 0, 0xfffff000001ffffcULL,
	  HIGH(W90_0_1_0_2) },
	{ "arrive, in phase 1", 90, W90_1_1_0_1, A, 0, 0, 0, W90_0_1_0_1, HIGH(W90_1_1_0_1) },
	{ "arrive, bytes left", 90, W90_0_1_48_1, A, 0, 0, 0, W90_0_0_48_1, HIGH(W90_0_1_48_1) },
	{ "arrive, bytes early", 90, W90_0_3_M64_3, A, 0, 0, 0, W90_0_2_M64_3,
	  HIGH(W90_0_3_M64_3) },
	{ "arrive _", 90, W90_0_3_0_3, A, M_S, 0, 0, W90_0_2_0_3, 0 },
	{ "arrive _, last", 90, W90_0_1_0_3, A, M_S, 0, 0, W90_1_3_0_3, 0 },
	{ "arrive", 80, W80_0_3_3, A, 0, 0, 0, W80_0_2_3, W80_0_3_3 },
	{ "arrive, last", 80, W80_0_1_3, A, 0, 0, 0, W80_1_3_3, W80_0_1_3 },
	{ "arrive, in phase 1", 80, W80_1_1_1, A, 0, 0, 0, W80_0_1_1, W80_1_1_1 },
	{ "arrive _", 80, W80_0_3_3, A, M_S, 0, 0, W80_0_2_3, 0 },
	/* arrive, n */
	{ "arrive, 3", 90, W90_0_8_0_8, A, M_C, 3, 0, W90_0_5_0_8, HIGH(W90_0_8_0_8) | 3 },
	{ "arrive, 3, last", 90, W90_0_3_0_3, A, M_C, 3, 0, W90_1_3_0_3, HIGH(W90_0_3_0_3) | 3 },
	{ "arrive _, 3", 90, W90_0_8_0_8, A, M_C | M_S, 3, 0, W90_0_5_0_8, 0 },
	{ "arrive, 2^20 - 1", 90, W90_0_MAX_0_MAX, A, M_C, 0xfffff, 0, 0x8000080000000002ULL,
	  HIGH(W90_0_MAX_0_MAX) | 0xfffff },
	/* arrive.expect_tx */
	{ "arrive.expect_tx 64", 90, W90_0_3_0_3, A, M_X, 0, 64, W90_0_2_64_3,
	  HIGH(W90_0_3_0_3) | 64 },
	{ "arrive.expect_tx 48, last", 90, W90_0_1_0_1, A, M_X, 0, 48, W90_0_0_48_1,
	  HIGH(W90_0_1_0_1) | 48 },
	{ "arrive.expect_tx 0, last", 90, W90_0_1_0_1, A, M_X, 0, 0, W90_1_1_0_1,
	  HIGH(W90_0_1_0_1) },
	/* The arrive announces the 64 bytes that came early, and thereby completes the phase. */
	{ "arrive.expect_tx 64, bytes early", 90, 0x7ffff800081ffffaULL, A, M_X, 0, 64,
	  W90_1_3_0_3, 0x7ffff80000000040ULL },
	{ "arrive.expect_tx _, 64", 90, W90_0_3_0_3, A, M_X | M_S, 0, 64, W90_0_2_64_3, 0 },
	/* arrive.noComplete */
	{ "arrive.noComplete, 3", 90, W90_0_8_0_8, A, M_N, 3, 0, W90_0_5_0_8,
	  HIGH(W90_0_8_0_8) | LANE },
	{ "arrive.noComplete _, 3", 90, W90_0_8_0_8, A, M_N | M_S, 3, 0, W90_0_5_0_8, 0 },
	{ "arrive.noComplete, 3", 80, W80_0_8_8, A, M_N, 3, 0, W80_0_5_8,
	  0x7ffffff87ffffff8ULL },
	{ "arrive.noComplete _, 3", 80, W80_0_8_8, A, M_N | M_S, 3, 0, W80_0_5_8, 0 },
	/* arrive_drop also lowers the expected count of the following phases. */
	{ "arrive_drop", 90, W90_0_3_0_3, D, 0, 0, 0, W90_0_2_0_2, HIGH(W90_0_3_0_3) },
	{ "arrive_drop, last", 90, W90_0_1_0_3, D, 0, 0, 0, W90_1_2_0_2, HIGH(W90_0_1_0_3) },
	{ "arrive_drop, 3", 90, W90_0_8_0_8, D, M_C, 3, 0, W90_0_5_0_5, HIGH(W90_0_8_0_8) | 3 },
	{ "arrive_drop.expect_tx 64", 90, W90_0_3_0_3, D, M_X, 0, 64, W90_0_2_64_2,
	  HIGH(W90_0_3_0_3) | 64 },
	{ "arrive_drop.noComplete, 3", 90, W90_0_8_0_8, D, M_N, 3, 0, W90_0_5_0_5,
	  HIGH(W90_0_8_0_8) | LANE },
	{ "arrive_drop _", 90, W90_0_3_0_3, D, M_S, 0, 0, W90_0_2_0_2, 0 },
	{ "arrive_drop", 80, W80_0_3_3, D, 0, 0, 0, W80_0_2_2, 0x7ffffffd00000000ULL },
	{ "arrive_drop, last", 80, W80_0_1_3, D, 0, 0, 0, W80_1_2_2, 0x7fffffff00000000ULL },
	{ "arrive_drop.noComplete, 3", 80, W80_0_8_8, D, M_N, 3, 0, W80_0_5_5,
	  0x7ffffff87ffffff8ULL },
	/* expect_tx */
	{ "expect_tx 64", 90, W90_0_3_0_3, X, 0, 0, 64, W90_0_3_64_3, 0 },
	{ "expect_tx 2^20 - 1", 90, W90_0_3_0_3, X, 0, 0, 0xfffff, W90_0_3_MAX_3, 0 },
	{ "expect_tx 64, bytes early", 90, W90_0_3_M64_3, X, 0, 0, 64, W90_0_3_0_3, 0 },
	{ "expect_tx 0, no arrival left", 90, W90_0_0_48_1, X, 0, 0, 0, W90_0_0_48_1, 0 },
	/* complete_tx */
	{ "complete_tx 64", 90, W90_0_3_64_3, C, 0, 0, 64, W90_0_3_0_3, 0 },
	{ "complete_tx 64, early", 90, W90_0_3_0_3, C, 0, 0, 64, W90_0_3_M64_3, 0 },
	{ "complete_tx 2^20 - 1, early", 90, W90_0_3_0_3, C, 0, 0, 0xfffff, W90_0_3_MIN_3, 0 },
	{ "complete_tx 48, last", 90, W90_0_0_48_1, C, 0, 0, 48, W90_1_1_0_1, 0 },
	/* (0x200000 - 16) * 2^21 = 0x3fffe000000 */
	{ "complete_tx 32, 16 left", 90, W90_0_0_48_1, C, 0, 0, 32, 0x000003fffe1ffffeULL, 0 },
};

/* Waits on an object of each layout in both phases, by parity and by token. */
static const struct wait_row {
	int sm;
	__u64 word;
	bool parity;
	__u64 state;
	__u64 complete;
} waits[] = {
	/*
	 * A new object: the parity of the phase before the first one is 1. That phase is complete.
	 */
	{ 90, W90_0_1_0_1, true, 0, 0 },
	{ 90, W90_0_1_0_1, true, 1, 1 },
	{ 90, W90_1_1_0_1, true, 0, 1 },
	{ 90, W90_1_1_0_1, true, 1, 0 },
	{ 90, W90_1_1_0_1, true, 0xfffffffe, 1 },
	{ 90, W90_1_1_0_1, true, 0xffffffff, 0 },
	{ 90, W90_0_2_0_3, false, HIGH(W90_0_3_0_3), 0 },
	{ 90, W90_1_3_0_3, false, HIGH(W90_0_1_0_3), 1 },
	{ 90, W90_1_1_16_1, false, HIGH(W90_1_1_0_1), 0 },
	{ 90, W90_0_1_0_1, false, HIGH(W90_1_1_0_1), 1 },
	{ 90, W90_1_1_0_1, false, 0x7fffffffffffffffULL, 1 },
	{ 80, W80_0_1_1, true, 0, 0 },
	{ 80, W80_0_1_1, true, 1, 1 },
	{ 80, W80_1_1_1, true, 0, 1 },
	{ 80, W80_1_1_1, true, 1, 0 },
	{ 80, W80_0_2_3, false, W80_0_3_3, 0 },
	{ 80, W80_1_3_3, false, W80_0_1_3, 1 },
	{ 80, W80_0_1_1, false, W80_1_1_1, 1 },
};

TEST(init_gives_the_worked_words)
{
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_90, 32), W90_0_32_0_32);
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_90, 3), W90_0_3_0_3);
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1), W90_0_1_0_1);
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_90, 0xfffff), W90_0_MAX_0_MAX);
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_80, 32), W80_0_32_32);
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_80, 3), W80_0_3_3);
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_80, 1), W80_0_1_1);
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_80, 0xfffff), W80_0_MAX_MAX);
}

TEST(documented_sequences_give_the_worked_words)
{
	enum vsm_layout l = VSM_LAYOUT_SM_90;
	__u64 word;

	word = vsm_mbarrier_expect_tx(vsm_mbarrier_init(l, 3), 64);
	assert_int_equal(word, 0x7fffebfff81ffffaULL);
	word = vsm_mbarrier_init(l, 2);
	word = vsm_mbarrier_arrive(l, word, 1, 0, 0);
	word = vsm_mbarrier_arrive(l, word, 1, 0, 0);
	assert_int_equal(word, 0xfffff000001ffffcULL);
}

/*
 * The table has the tokens of silicon, with one exception: in sm_80 the low half of a token without
 * .noComplete is the low half of the word. In the strict policy the low half of a token is the
 * serial number of its phase, here that of unit_shadow().
 */
static __u64 worked_result(const struct row *r, bool strict)
{
	const __u64 serial = 0x100 | r->old >> 63;
	bool no_complete = r->mods & MOD(NOCOMPLETE);

	if (!r->result || (r->sm == 80 && no_complete))
		return r->result;
	if (!strict)
		return r->sm == 80 ? r->old : r->result;
	return HIGH(r->result) | (no_complete ? 1 << 30 : 0) | serial;
}

TEST(step_gives_the_worked_words)
{
	size_t i;
	int strict;

	for (i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i / 2];
		struct drm_vsm_insn insn = { .op = r->op, .mods = r->mods };
		struct vsm_shadow shadow = unit_shadow(r->old);
		struct vsm_geometry geo;
		enum drm_vsm_fault fault;
		__u64 next, result;
		int rc;

		strict = i % 2;
		geo = unit_geometry(r->sm, strict);
		insn.u.mbarrier.count = r->count;
		insn.u.mbarrier.tx_count = r->tx;
		rc = check_insn(&geo, 0, &insn, &fault);
		if (rc)
			fail_msg("sm_%d %s: check returns %d", r->sm, r->name, rc);
		fault = vsm_mbarrier_step(&geo, &shadow, &insn, 0, THREAD, r->old, &next, &result,
					  NULL);
		if (fault)
			fail_msg("sm_%d %s: fault %d", r->sm, r->name, fault);
		if (next != r->next)
			fail_msg("sm_%d %s: word %016llx, not %016llx", r->sm, r->name, next,
				 r->next);
		if (result != worked_result(r, strict))
			fail_msg("sm_%d %s: result %016llx, not %016llx", r->sm, r->name, result,
				 worked_result(r, strict));
	}
}

TEST(waits_answer_as_worked_and_leave_the_word)
{
	static const __u16 ops[] = { OP(MBARRIER_TEST_WAIT), OP(MBARRIER_TRY_WAIT) };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(waits); i++) {
		const struct wait_row *r = &waits[i];
		struct vsm_geometry geo = unit_geometry(r->sm, true);

		for (j = 0; j < ARRAY_SIZE(ops); j++) {
			struct vsm_shadow shadow = unit_shadow(r->word);
			struct drm_vsm_insn insn = { .op = ops[j] };
			__u64 next = POISON, result = POISON;

			if (r->parity) {
				insn.mods = MOD(PARITY);
				insn.u.mbarrier.parity = r->state;
			} else {
				/*
				 * The serial number of the phase in the word, or of the previous
				 * phase.
				 */
				insn.u.mbarrier.state = HIGH(r->state) |
					(shadow.serial - (r->state >> 63 != r->word >> 63));
			}
			assert_int_equal(vsm_mbarrier_step(&geo, &shadow, &insn, 0, 0, r->word,
							   &next, &result, NULL), FAULT(NONE));
			if (result != r->complete)
				fail_msg("wait %zu: %llu", i, result);
			assert_int_equal(next, r->word);
		}
	}
}

TEST(pending_count_reads_a_nocomplete_token)
{
	assert_int_equal(vsm_mbarrier_pending_count(VSM_LAYOUT_SM_90, HIGH(W90_0_8_0_8) | LANE), 8);
	assert_int_equal(vsm_mbarrier_pending_count(VSM_LAYOUT_SM_90, HIGH(W90_1_3_0_3)), 3);
	assert_int_equal(vsm_mbarrier_pending_count(VSM_LAYOUT_SM_90,
						    HIGH(W90_0_MAX_0_MAX) | ~0U), 0xfffff);
	assert_int_equal(vsm_mbarrier_pending_count(VSM_LAYOUT_SM_80, 0x7ffffff87ffffff8ULL), 8);
	assert_int_equal(vsm_mbarrier_pending_count(VSM_LAYOUT_SM_80, 0xfffffffdfffffffdULL), 3);
	assert_int_equal(vsm_mbarrier_pending_count(VSM_LAYOUT_SM_80, 0x7ff000017ff00001ULL),
			 0xfffff);
}

TEST(decode_takes_the_worked_words_apart)
{
	struct vsm_mbarrier_fields f;

	f = vsm_mbarrier_decode(VSM_LAYOUT_SM_90, W90_1_1_16_1);
	assert_int_equal(f.phase, 1);
	assert_int_equal(f.pending, 1);
	assert_int_equal(f.tx, 16);
	assert_int_equal(f.expected, 1);
	assert_false(f.poison || f.reserved);

	f = vsm_mbarrier_decode(VSM_LAYOUT_SM_90, W90_0_3_MIN_3 | 1ULL << 42 | 1);
	assert_int_equal(f.phase, 0);
	assert_int_equal(f.pending, 3);
	assert_int_equal(f.tx, -0xfffff);
	assert_int_equal(f.expected, 3);
	assert_true(f.poison && f.reserved);

	assert_int_equal(vsm_mbarrier_decode(VSM_LAYOUT_SM_90, W90_0_3_MAX_3).tx, 0xfffff);
	/* The field can hold one value outside PTX's range, -2^20. Only bit 41 is set then. */
	assert_int_equal(vsm_mbarrier_decode(VSM_LAYOUT_SM_90, 1ULL << 41).tx, -0x100000);

	f = vsm_mbarrier_decode(VSM_LAYOUT_SM_80, W80_0_5_8);
	assert_int_equal(f.phase, 0);
	assert_int_equal(f.pending, 5);
	assert_int_equal(f.tx, 0);
	assert_int_equal(f.expected, 8);
	assert_false(f.poison || f.reserved);

	assert_true(vsm_mbarrier_decode(VSM_LAYOUT_SM_80, W80_0_5_8 | 1U << 30).reserved);
	assert_true(vsm_mbarrier_decode(VSM_LAYOUT_SM_80, W80_0_5_8 | 1U << 31).reserved);
}

TEST(tokens_have_the_documented_halves)
{
	assert_int_equal(vsm_mbarrier_state(VSM_LAYOUT_SM_90, W90_0_3_64_3, 64),
			 0x7fffebff00000040ULL);
	assert_int_equal(vsm_mbarrier_state(VSM_LAYOUT_SM_80, W80_0_5_8, 2), W80_0_5_8);
	assert_int_equal(vsm_mbarrier_state_nocomplete(VSM_LAYOUT_SM_90, W90_0_3_64_3, 0xf),
			 0x7fffebff0000000fULL);
	assert_int_equal(vsm_mbarrier_state_nocomplete(VSM_LAYOUT_SM_80, W80_0_5_8, 0xf),
			 0x7ffffffb7ffffffbULL);
}

TEST(cluster_addresses_are_rank_and_offset)
{
	assert_int_equal(vsm_shared_addr(0, 0x40), 0x40);
	assert_int_equal(vsm_shared_addr(3, 0x40), 0x03000040);
	assert_int_equal(vsm_shared_addr(15, 0xffffff), 0x0fffffff);
	assert_int_equal(vsm_shared_addr(1, 0x1000040), 0x01000040);
	assert_int_equal(vsm_mapa(0x03000040, 0), 0x40);
	assert_int_equal(vsm_mapa(0x00000040, 15), 0x0f000040);
	assert_int_equal(vsm_addr_rank(0x0f123456), 15);
	assert_int_equal(vsm_addr_offset(0x0f123456), 0x123456);
}

#define KNOWN(sm_, phase_, pending_, expected_, tx_)						\
	{ .sm = sm_, .phase = phase_, .pending = pending_, .expected = expected_, .tx = tx_ }

TEST(the_model_encodes_the_worked_words)
{
	static const struct {
		struct model m;
		__u64 word;
	} known[] = {
		{ KNOWN(90, 0, 32, 32, 0), W90_0_32_0_32 },
		{ KNOWN(90, 0, 3, 3, 64), W90_0_3_64_3 },
		{ KNOWN(90, 0, 3, 3, -64), W90_0_3_M64_3 },
		{ KNOWN(90, 1, 2, 2, 0), W90_1_2_0_2 },
		{ KNOWN(90, 0, 0, 1, 48), W90_0_0_48_1 },
		{ KNOWN(90, 0, 3, 3, MODEL_MAX), W90_0_3_MAX_3 },
		{ KNOWN(90, 0, 3, 3, -MODEL_MAX), W90_0_3_MIN_3 },
		{ KNOWN(90, 0, MODEL_MAX, MODEL_MAX, 0), W90_0_MAX_0_MAX },
		{ KNOWN(80, 0, 5, 8, 0), W80_0_5_8 },
		{ KNOWN(80, 1, 3, 3, 0), W80_1_3_3 },
		{ KNOWN(80, 0, MODEL_MAX, MODEL_MAX, 0), W80_0_MAX_MAX },
	};
	struct model m;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		assert_int_equal(model_encode(&known[i].m), known[i].word);
		assert_true(model_decode(&m, known[i].m.sm, known[i].word));
		assert_int_equal(m.phase, known[i].m.phase);
		assert_int_equal(m.pending, known[i].m.pending);
		assert_int_equal(m.expected, known[i].m.expected);
		assert_int_equal(m.tx, known[i].m.tx);
		assert_true(model_legal(&m));
	}
}
