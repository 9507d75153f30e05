// SPDX-License-Identifier: MIT
/*
 * The strict policy: each rule by itself, just inside and just outside its limit. The model makes
 * the words from their counts.
 */
#include "unit.h"

#define MAX MODEL_MAX

/* The word of sm_90 with these counts, in phase 1. */
static __u64 word_90(long long pending, long long tx, long long expected)
{
	const struct model m = {
		.sm = 90, .phase = 1, .pending = pending, .expected = expected, .tx = tx,
	};

	return model_encode(&m);
}

static __u64 word_80(long long pending, long long expected)
{
	const struct model m = { .sm = 80, .phase = 1, .pending = pending, .expected = expected };

	return model_encode(&m);
}

static enum drm_vsm_fault step(int sm, __u64 word, __u16 op, __u16 mods, __u32 count, __u32 tx)
{
	struct vsm_geometry geo = unit_geometry(sm, true);
	struct drm_vsm_insn insn = { .op = op, .mods = mods };
	struct vsm_shadow shadow = unit_shadow(word);
	__u64 next = POISON, result = POISON;
	enum drm_vsm_fault fault;

	insn.u.mbarrier.count = count;
	insn.u.mbarrier.tx_count = tx;
	if ((op == OP(MBARRIER_TEST_WAIT) || op == OP(MBARRIER_TRY_WAIT)) && !(mods & MOD(PARITY)))
		insn.u.mbarrier.state = vsm_token(geo.layout, &shadow, word, false);
	fault = vsm_mbarrier_step(&geo, &shadow, &insn, 0, 0, word, &next, &result, NULL);
	/* A refused step may set the next word to the old word, but to no other value. */
	if (fault)
		assert_true(next == POISON || next == word);
	else
		assert_true(next != POISON && result != POISON);
	return fault;
}

#define assert_passes(...) assert_int_equal(step(__VA_ARGS__), DRM_VSM_FAULT_NONE)
#define assert_faults(name, ...) assert_int_equal(step(__VA_ARGS__), DRM_VSM_FAULT_##name)

#define ARRIVE	OP(MBARRIER_ARRIVE)
#define DROP	OP(MBARRIER_ARRIVE_DROP)
#define EXPECT	OP(MBARRIER_EXPECT_TX)
#define COMPLETE OP(MBARRIER_COMPLETE_TX)
#define N	MOD(COUNT)
#define NC	(MOD(COUNT) | MOD(NOCOMPLETE))
#define TX	MOD(EXPECT_TX)

TEST(arrival_overflow_is_one_past_pending)
{
	assert_passes(90, word_90(3, 0, 8), ARRIVE, N, 3, 0);
	assert_faults(ARRIVAL_OVERFLOW, 90, word_90(3, 0, 8), ARRIVE, N, 4, 0);
	assert_faults(ARRIVAL_OVERFLOW, 90, word_90(3, 0, 8), ARRIVE, N, MAX, 0);
	assert_passes(90, word_90(MAX, 0, MAX), ARRIVE, N, MAX, 0);
	assert_faults(ARRIVAL_OVERFLOW, 90, word_90(MAX - 1, 0, MAX), ARRIVE, N, MAX, 0);
	assert_passes(90, word_90(1, 16, 8), ARRIVE, 0, 0, 0);
	assert_faults(ARRIVAL_OVERFLOW, 90, word_90(0, 16, 8), ARRIVE, 0, 0, 0);
	assert_faults(ARRIVAL_OVERFLOW, 90, word_90(0, 16, 8), ARRIVE, TX, 0, 16);
	assert_faults(ARRIVAL_OVERFLOW, 90, word_90(3, 0, 8), DROP, N, 4, 0);
	assert_faults(ARRIVAL_OVERFLOW, 90, word_90(0, 16, 8), DROP, 0, 0, 0);
	assert_passes(80, word_80(1, 8), ARRIVE, 0, 0, 0);
	assert_faults(ARRIVAL_OVERFLOW, 80, word_80(0, 8), ARRIVE, 0, 0, 0);
	assert_faults(ARRIVAL_OVERFLOW, 80, word_80(0, 8), DROP, 0, 0, 0);
}

TEST(nocomplete_must_leave_an_arrival_or_bytes)
{
	assert_passes(90, word_90(3, 0, 8), ARRIVE, NC, 2, 0);
	assert_faults(NOCOMPLETE_COMPLETES, 90, word_90(3, 0, 8), ARRIVE, NC, 3, 0);
	assert_faults(NOCOMPLETE_COMPLETES, 90, word_90(1, 0, 8), ARRIVE, NC, 1, 0);
	/* Bytes are pending: the last arrival does not complete the phase. */
	assert_passes(90, word_90(3, 16, 8), ARRIVE, NC, 3, 0);
	assert_passes(90, word_90(3, MAX, 8), DROP, NC, 3, 0);
	assert_faults(NOCOMPLETE_COMPLETES, 90, word_90(3, 16, 8), ARRIVE, NC, 4, 0);
	assert_faults(TX_OVERDELIVERY, 90, word_90(3, -16, 8), ARRIVE, NC, 3, 0);
	assert_faults(NOCOMPLETE_COMPLETES, 90, word_90(3, -16, 8), ARRIVE, NC, 4, 0);
	assert_passes(90, word_90(3, -16, 8), ARRIVE, NC, 2, 0);
	assert_passes(90, word_90(3, 0, 8), DROP, NC, 2, 0);
	assert_faults(NOCOMPLETE_COMPLETES, 90, word_90(3, 0, 8), DROP, NC, 3, 0);
	assert_passes(80, word_80(3, 8), ARRIVE, NC, 2, 0);
	assert_faults(NOCOMPLETE_COMPLETES, 80, word_80(3, 8), ARRIVE, NC, 3, 0);
	assert_passes(80, word_80(3, 8), DROP, NC, 2, 0);
	assert_faults(NOCOMPLETE_COMPLETES, 80, word_80(3, 8), DROP, NC, 3, 0);
	assert_passes(90, word_90(MAX, 0, MAX), ARRIVE, NC, MAX - 1, 0);
	assert_faults(NOCOMPLETE_COMPLETES, 90, word_90(MAX, 0, MAX), ARRIVE, NC, MAX, 0);
}

TEST(drop_must_leave_one_expected)
{
	assert_passes(90, word_90(2, 0, 2), DROP, 0, 0, 0);
	assert_faults(DROP_TO_ZERO, 90, word_90(1, 0, 1), DROP, 0, 0, 0);
	assert_faults(DROP_TO_ZERO, 90, word_90(1, 0, 1), DROP, TX, 0, 16);
	assert_passes(90, word_90(8, 0, 8), DROP, N, 7, 0);
	assert_faults(DROP_TO_ZERO, 90, word_90(8, 0, 8), DROP, N, 8, 0);
	assert_faults(DROP_TO_ZERO, 90, word_90(8, 0, 4), DROP, NC, 5, 0);
	assert_passes(80, word_80(2, 2), DROP, 0, 0, 0);
	assert_faults(DROP_TO_ZERO, 80, word_80(1, 1), DROP, 0, 0, 0);
	assert_passes(80, word_80(8, 8), DROP, NC, 7, 0);
	assert_faults(DROP_TO_ZERO, 80, word_80(8, 4), DROP, NC, 4, 0);
	/* The only expected arrival may arrive if it does not drop. */
	assert_passes(90, word_90(1, 0, 1), ARRIVE, 0, 0, 0);
}

TEST(tx_range_ends_at_two_to_the_20_less_one)
{
	assert_passes(90, word_90(1, 0, 1), EXPECT, 0, 0, MAX);
	assert_faults(TX_RANGE, 90, word_90(1, 0, 1), EXPECT, 0, 0, MAX + 1);
	assert_passes(90, word_90(1, MAX - 1, 1), EXPECT, 0, 0, 1);
	assert_faults(TX_RANGE, 90, word_90(1, MAX, 1), EXPECT, 0, 0, 1);
	assert_passes(90, word_90(1, MAX, 1), EXPECT, 0, 0, 0);
	assert_faults(TX_RANGE, 90, word_90(1, 0, 1), EXPECT, 0, 0, 0xffffffff);
	/* The operand has the same limit, whatever the tx-count is. An H100 traps too. */
	assert_passes(90, word_90(1, -MAX, 1), EXPECT, 0, 0, MAX);
	assert_faults(TX_RANGE, 90, word_90(1, -MAX, 1), EXPECT, 0, 0, MAX + 1);
	/* 2^21 would wrap the field to its old value. */
	assert_faults(TX_RANGE, 90, word_90(1, 0, 1), EXPECT, 0, 0, 1U << 21);
	assert_faults(TX_RANGE, 90, word_90(1, 0, 1), EXPECT, 0, 0, 0x80000000);

	assert_passes(90, word_90(2, 0, 2), ARRIVE, TX, 0, MAX);
	assert_faults(TX_RANGE, 90, word_90(2, 0, 2), ARRIVE, TX, 0, MAX + 1);
	assert_faults(TX_RANGE, 90, word_90(2, 1, 2), ARRIVE, TX, 0, MAX);
	assert_faults(TX_RANGE, 90, word_90(2, 0, 2), ARRIVE, TX, 0, 0xffffffff);
	assert_passes(90, word_90(2, 0, 2), DROP, TX, 0, MAX);
	assert_faults(TX_RANGE, 90, word_90(2, 0, 2), DROP, TX, 0, MAX + 1);

	assert_passes(90, word_90(1, 0, 1), COMPLETE, 0, 0, MAX);
	assert_faults(TX_RANGE, 90, word_90(1, 0, 1), COMPLETE, 0, 0, MAX + 1);
	assert_passes(90, word_90(1, 1 - MAX, 1), COMPLETE, 0, 0, 1);
	assert_faults(TX_RANGE, 90, word_90(1, -MAX, 1), COMPLETE, 0, 0, 1);
	assert_passes(90, word_90(1, MAX, 1), COMPLETE, 0, 0, MAX);
	assert_faults(TX_RANGE, 90, word_90(1, MAX, 1), COMPLETE, 0, 0, MAX + 1);
	assert_faults(TX_RANGE, 90, word_90(1, 0, 1), COMPLETE, 0, 0, 1U << 21);
	assert_faults(TX_RANGE, 90, word_90(1, 0, 1), COMPLETE, 0, 0, 0xffffffff);
}

TEST(no_pending_arrival_leaves_no_early_bytes)
{
	assert_passes(90, word_90(2, -1, 2), ARRIVE, 0, 0, 0);
	assert_faults(TX_OVERDELIVERY, 90, word_90(1, -1, 2), ARRIVE, 0, 0, 0);
	assert_faults(TX_OVERDELIVERY, 90, word_90(1, -MAX, 2), ARRIVE, 0, 0, 0);
	assert_faults(TX_OVERDELIVERY, 90, word_90(4, -1, 4), ARRIVE, N, 4, 0);
	assert_faults(TX_OVERDELIVERY, 90, word_90(1, -1, 2), DROP, 0, 0, 0);
	assert_passes(90, word_90(1, -64, 2), ARRIVE, TX, 0, 64);
	assert_passes(90, word_90(1, -64, 2), ARRIVE, TX, 0, 65);
	assert_faults(TX_OVERDELIVERY, 90, word_90(1, -64, 2), ARRIVE, TX, 0, 63);
	assert_faults(TX_OVERDELIVERY, 90, word_90(1, -64, 2), DROP, TX, 0, 63);
	assert_passes(90, word_90(0, 64, 2), COMPLETE, 0, 0, 64);
	assert_faults(TX_OVERDELIVERY, 90, word_90(0, 64, 2), COMPLETE, 0, 0, 65);
	assert_passes(90, word_90(1, 64, 2), COMPLETE, 0, 0, 65);
}

TEST(bits_that_no_operation_sets_are_no_mbarrier)
{
	static const __u16 ops[] = {
		ARRIVE, DROP, EXPECT, COMPLETE, OP(MBARRIER_TEST_WAIT), OP(MBARRIER_TRY_WAIT),
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		assert_passes(90, word_90(2, 0, 2), ops[i], 0, 0, 0);
		assert_faults(NOT_AN_MBARRIER, 90, word_90(2, 0, 2) | 1ULL << 42, ops[i], 0, 0, 0);
		assert_faults(NOT_AN_MBARRIER, 90, word_90(2, 0, 2) | 1, ops[i], 0, 0, 0);
		if (ops[i] == EXPECT || ops[i] == COMPLETE)
			continue;
		assert_passes(80, word_80(2, 2), ops[i], 0, 0, 0);
		assert_faults(NOT_AN_MBARRIER, 80, word_80(2, 2) | 1ULL << 30, ops[i], 0, 0, 0);
		assert_faults(NOT_AN_MBARRIER, 80, word_80(2, 2) | 1ULL << 31, ops[i], 0, 0, 0);
	}
}

TEST(word_check_looks_at_poison_and_reserved_alone)
{
	int sm, strict, bit;

	for (sm = 80; sm <= 90; sm += 10) {
		for (strict = 0; strict < 2; strict++) {
			struct vsm_geometry geo = unit_geometry(sm, strict);
			struct vsm_shadow shadow = unit_shadow(0);

			for (bit = 0; bit < 64; bit++) {
				bool poison = sm == 90 && bit == 42;
				bool reserved = sm == 90 ? bit == 0 : bit == 30 || bit == 31;
				enum drm_vsm_fault wanted = FAULT(NONE);

				if (strict && (poison || reserved))
					wanted = FAULT(NOT_AN_MBARRIER);
				else if (poison)
					wanted = FAULT(POISONED);
				assert_int_equal(vsm_word_check(geo.layout, strict, 0, &shadow,
								1ULL << bit), wanted);
			}
			assert_int_equal(vsm_word_check(geo.layout, strict, 0, &shadow, 0),
					 FAULT(NONE));
		}
	}
}

TEST(bad_count_is_outside_1_to_two_to_the_20_less_one)
{
	static const struct {
		__u16 op;
		__u16 mods;
		int sm;
	} forms[] = {
		{ OP(MBARRIER_INIT), 0, 90 },
		{ OP(MBARRIER_INIT), 0, 80 },
		{ ARRIVE, N, 90 },
		{ ARRIVE, NC, 90 },
		{ ARRIVE, NC, 80 },
		{ DROP, N, 90 },
		{ DROP, NC, 90 },
		{ DROP, NC, 80 },
	};
	static const struct {
		__u32 count;
		bool bad;
	} counts[] = {
		{ 0, true }, { 1, false }, { MAX, false }, { MAX + 1, true }, { 0xffffffff, true },
		{ 0x80000000, true }, { 0x80000001, true },
	};
	size_t i, j;
	int strict;

	for (i = 0; i < ARRAY_SIZE(forms) * ARRAY_SIZE(counts) * 2; i++) {
		const size_t f = i / 2 / ARRAY_SIZE(counts);
		struct drm_vsm_insn insn = { .op = forms[f].op, .mods = forms[f].mods };
		enum drm_vsm_fault fault = FAULT(NONE);
		struct vsm_geometry geo;
		bool refused;

		strict = i % 2;
		j = i / 2 % ARRAY_SIZE(counts);
		geo = unit_geometry(forms[f].sm, strict);
		insn.u.mbarrier.count = counts[j].count;
		refused = strict && counts[j].bad;
		assert_int_equal(check_insn(&geo, 0, &insn, &fault), refused ? -EPROTO : 0);
		assert_int_equal(fault, refused ? FAULT(BAD_COUNT) : FAULT(NONE));
	}
}

TEST(a_parity_is_0_or_1)
{
	static const __u32 parities[] = { 0, 1, 2, 3, 0x80000000, 0xffffffff };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(parities) * 2; i++) {
		struct vsm_geometry geo = unit_geometry(90, i % 2);
		__u32 parity = parities[i / 2];

		for (j = 0; j < 2; j++) {
			struct drm_vsm_insn insn = {
				.op = j ? OP(MBARRIER_TRY_WAIT) : OP(MBARRIER_TEST_WAIT),
				.mods = MOD(PARITY),
				.u.mbarrier.parity = parity,
			};
			bool refused = geo.strict && parity > 1;
			enum drm_vsm_fault fault = FAULT(NONE);

			assert_int_equal(check_insn(&geo, 0, &insn, &fault), refused ? -EPROTO : 0);
			assert_int_equal(fault, refused ? FAULT(BAD_PARITY) : FAULT(NONE));
		}
	}
}

/* --- rules of the shadow --------------------------------------------------- */

#define WAIT	OP(MBARRIER_TEST_WAIT)
#define TRY	OP(MBARRIER_TRY_WAIT)
#define ASYNC	OP(CP_ASYNC_MBARRIER_ARRIVE)
#define NOINC	MOD(NOINC)
#define PARITY	MOD(PARITY)

/*
 * Performs the operation with this shadow, while the cluster enforces @rules. If @remote, a thread
 * of another CTA executes it.
 */
static enum drm_vsm_fault step_with(int sm, __u64 rules, const struct vsm_shadow *shadow,
				    bool remote, __u64 word, __u16 op, __u16 mods, __u32 count,
				    __u32 tx)
{
	struct vsm_geometry geo = unit_geometry(sm, true);
	struct drm_vsm_insn insn = { .op = op, .mods = mods };
	struct vsm_shadow after = *shadow;
	__u64 next, result;
	enum drm_vsm_fault fault;

	geo.enforce = rules;
	insn.u.mbarrier.count = count;
	insn.u.mbarrier.tx_count = tx;
	fault = vsm_mbarrier_step(&geo, &after, &insn, remote, 0, word, &next, &result, NULL);
	/* For a wait, the core changes the shadow. For other operations its caller does so. */
	if (op != WAIT && op != TRY)
		assert_memory_equal(&after, shadow, sizeof(after));
	return fault;
}

static enum drm_vsm_fault step_as(int sm, const struct vsm_shadow *shadow, bool remote,
				  __u64 word, __u16 op, __u16 mods, __u32 count, __u32 tx)
{
	return step_with(sm, 0, shadow, remote, word, op, mods, count, tx);
}

static enum drm_vsm_fault step_raised(__u64 word, __u32 raised, __u16 op, __u16 mods, __u32 count,
				      __u32 tx)
{
	struct vsm_shadow shadow = unit_shadow(word);

	shadow.bound = raised;
	shadow.raised = raised;
	return step_as(90, &shadow, false, word, op, mods, count, tx);
}

#define LETTER	DRM_VSM_RULE(FAULT(PHASE_UNOBSERVED))

TEST(arrivals_need_the_phase_before_observed_to_the_letter)
{
	static const struct {
		__u16 op;
		__u16 mods;
		bool arrives;
	} rows[] = {
		{ ARRIVE, 0, true }, { ARRIVE, N, true }, { ARRIVE, NC, true },
		{ ARRIVE, TX, true }, { ARRIVE, MOD(SINK), true }, { DROP, 0, true },
		{ DROP, N, true }, { DROP, NC, true }, { DROP, TX, true }, { ASYNC, 0, true },
		{ ASYNC, NOINC, true },
		{ EXPECT, 0, false }, { COMPLETE, 0, false }, { WAIT, PARITY, false },
		{ TRY, PARITY, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows) * 2; i++) {
		int sm = i % 2 ? 80 : 90;
		__u64 word = sm == 80 ? word_80(5, 5) : word_90(5, 0, 5);
		struct vsm_shadow shadow = unit_shadow(word);
		__u16 op = rows[i / 2].op, mods = rows[i / 2].mods;

		if (sm == 80 && (op == EXPECT || op == COMPLETE || mods & TX))
			continue;
		assert_int_equal(step_with(sm, LETTER, &shadow, false, word, op, mods, 1, 0),
				 FAULT(NONE));
		shadow.observed = 0;
		assert_int_equal(step_with(sm, LETTER, &shadow, false, word, op, mods, 1, 0),
				 rows[i / 2].arrives ? FAULT(PHASE_UNOBSERVED) : FAULT(NONE));
		/*
		 * If the cluster does not enforce the rule, they pass: none of them completes the
		 * phase.
		 */
		assert_int_equal(step_as(sm, &shadow, false, word, op, mods, 1, 0), FAULT(NONE));
	}
}

TEST(what_completes_a_phase_needs_the_one_before_to_be_observed)
{
	static const struct {
		long long pending;
		long long tx;
		__u16 op;
		__u16 mods;
		__u32 count;
		__u32 bytes;
		bool completes;
	} rows[] = {
		{ 1, 0, ARRIVE, 0, 0, 0, true }, { 2, 0, ARRIVE, 0, 0, 0, false },
		{ 1, 0, ARRIVE, MOD(SINK), 0, 0, true },
		{ 3, 0, ARRIVE, N, 3, 0, true }, { 3, 0, ARRIVE, N, 2, 0, false },
		{ 1, 16, ARRIVE, 0, 0, 0, false }, { 1, -16, ARRIVE, TX, 0, 16, true },
		{ 1, -16, ARRIVE, TX, 0, 17, false }, { 1, 0, ARRIVE, TX, 0, 1, false },
		{ 1, 0, DROP, 0, 0, 0, true }, { 2, 0, DROP, 0, 0, 0, false },
		{ 2, 0, DROP, N, 2, 0, true }, { 2, 0, ARRIVE, NC, 1, 0, false },
		{ 1, 16, ARRIVE, NC, 1, 0, false },
		{ 0, 16, COMPLETE, 0, 0, 16, true }, { 0, 16, COMPLETE, 0, 0, 15, false },
		{ 1, 16, COMPLETE, 0, 0, 16, false }, { 1, -16, EXPECT, 0, 0, 16, false },
		{ 1, 0, ASYNC, 0, 0, 0, false }, { 1, 0, ASYNC, NOINC, 0, 0, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		__u64 word = word_90(rows[i].pending, rows[i].tx, 5);
		struct vsm_shadow shadow = unit_shadow(word);
		int observed;

		for (observed = 0; observed < 2; observed++) {
			shadow.observed = observed;
			assert_int_equal(step_as(90, &shadow, false, word, rows[i].op, rows[i].mods,
						 rows[i].count, rows[i].bytes),
					 rows[i].completes && !observed ? FAULT(PHASE_UNOBSERVED)
									: FAULT(NONE));
		}
		if (rows[i].tx || rows[i].op == COMPLETE || rows[i].mods & (TX | MOD(SINK)) ||
		    rows[i].mods == N)
			continue;
		word = word_80(rows[i].pending, 5);
		shadow = unit_shadow(word);
		shadow.observed = 0;
		assert_int_equal(step_as(80, &shadow, false, word, rows[i].op, rows[i].mods,
					 rows[i].count, 0),
				 rows[i].completes ? FAULT(PHASE_UNOBSERVED) : FAULT(NONE));
	}
}

TEST(only_an_answer_of_true_observes)
{
	static const __u16 ops[] = { WAIT, TRY };
	size_t i;
	int parity;

	for (i = 0; i < ARRAY_SIZE(ops) * 8; i++) {
		int sm = i % 2 ? 80 : 90;
		bool by_token = i / 2 % 2;
		struct vsm_geometry geo = unit_geometry(sm, true);
		/* In phase 1. */
		__u64 word = sm == 80 ? word_80(5, 5) : word_90(5, 0, 5);
		struct vsm_shadow shadow = unit_shadow(word);
		struct drm_vsm_insn insn = { .op = ops[i / 8], .mods = by_token ? 0 : PARITY };
		__u64 next, result;

		parity = i / 4 % 2;
		shadow.observed = 0;
		insn.u.mbarrier.parity = by_token ? 0 : parity;
		if (by_token)
			insn.u.mbarrier.state = (__u64)parity << 63 | (shadow.serial - 1 + parity);
		assert_int_equal(vsm_mbarrier_step(&geo, &shadow, &insn, 0, 0, word, &next,
						   &result, NULL), FAULT(NONE));
		assert_int_equal(result, !parity);
		assert_int_equal(shadow.observed, !parity);
	}
}

TEST(remote_operations_need_the_fence)
{
	static const struct {
		__u16 op;
		__u16 mods;
	} rows[] = {
		{ ARRIVE, MOD(SINK) }, { ARRIVE, MOD(SINK) | N }, { ARRIVE, MOD(SINK) | TX },
		{ DROP, MOD(SINK) }, { EXPECT, 0 }, { COMPLETE, 0 },
	};
	__u64 word = word_90(5, 0, 5);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct vsm_shadow shadow = unit_shadow(word);

		assert_int_equal(step_as(90, &shadow, true, word, rows[i].op, rows[i].mods, 1, 0),
				 FAULT(NONE));
		shadow.initialiser = 0;
		assert_int_equal(step_as(90, &shadow, true, word, rows[i].op, rows[i].mods, 1, 0),
				 FAULT(INIT_NOT_FENCED));
		shadow.initialiser = 1023;
		assert_int_equal(step_as(90, &shadow, true, word, rows[i].op, rows[i].mods, 1, 0),
				 FAULT(INIT_NOT_FENCED));
		/* A thread in the CTA of the object needs no fence. */
		assert_int_equal(step_as(90, &shadow, false, word, rows[i].op, rows[i].mods, 1, 0),
				 FAULT(NONE));
	}
}

TEST(no_object_is_no_object_whatever_the_word)
{
	static const __u16 ops[] = { ARRIVE, DROP, EXPECT, COMPLETE, WAIT, TRY, ASYNC };
	struct vsm_geometry geo = unit_geometry(90, true);
	__u64 word = word_90(5, 0, 5), next, result;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		struct drm_vsm_insn insn = { .op = ops[i] };
		struct vsm_shadow shadow = unit_shadow(word);

		shadow.live = 0;
		assert_int_equal(vsm_mbarrier_step(&geo, &shadow, &insn, 0, 0, word, &next,
						   &result, NULL), FAULT(NOT_AN_MBARRIER));
		memset(&shadow, 0, sizeof(shadow));
		assert_int_equal(vsm_mbarrier_step(&geo, &shadow, &insn, 1, 0, word, &next,
						   &result, NULL), FAULT(NOT_AN_MBARRIER));
		assert_int_equal(vsm_mbarrier_step(&geo, NULL, &insn, 0, 0, word, &next, &result,
						   NULL), FAULT(NOT_AN_MBARRIER));
	}
}

/* --- cp.async.mbarrier.arrive ---------------------------------------------- */

static __u64 word_after_issue(int sm, __u64 word, __u16 mods)
{
	struct vsm_geometry geo = unit_geometry(sm, true);
	struct drm_vsm_insn insn = { .op = ASYNC, .mods = mods };
	struct vsm_shadow shadow = unit_shadow(word);
	__u64 next = POISON, result = POISON;

	assert_int_equal(vsm_mbarrier_step(&geo, &shadow, &insn, 0, 0, word, &next,
					   &result, NULL), FAULT(NONE));
	assert_int_equal(result, 0);
	return next;
}

TEST(an_issued_arrival_is_pending_on_sm_80_and_a_transaction_on_sm_90)
{
	assert_int_equal(word_after_issue(80, word_80(3, 5), 0), word_80(4, 5));
	assert_int_equal(word_after_issue(80, word_80(MAX - 1, 5), 0), word_80(MAX, 5));
	assert_int_equal(word_after_issue(80, word_80(3, 5), NOINC), word_80(3, 5));
	assert_int_equal(word_after_issue(90, word_90(3, 0, 5), 0), word_90(3, 1, 5));
	assert_int_equal(word_after_issue(90, word_90(3, -1, 5), 0), word_90(3, 0, 5));
	assert_int_equal(word_after_issue(90, word_90(0, 7, 5), 0), word_90(0, 8, 5));
	assert_int_equal(word_after_issue(90, word_90(3, -MAX, 5), 0), word_90(3, 1 - MAX, 5));
	assert_int_equal(word_after_issue(90, word_90(3, 7, 5), NOINC), word_90(3, 7, 5));
}

TEST(pending_range_ends_at_two_to_the_20_less_one)
{
	assert_passes(80, word_80(MAX - 1, MAX), ASYNC, 0, 0, 0);
	assert_faults(PENDING_RANGE, 80, word_80(MAX, MAX), ASYNC, 0, 0, 0);
	assert_passes(80, word_80(MAX, MAX), ASYNC, NOINC, 0, 0);
	assert_passes(90, word_90(MAX - 1, 0, MAX), ASYNC, 0, 0, 0);
	assert_faults(PENDING_RANGE, 90, word_90(MAX, 0, MAX), ASYNC, 0, 0, 0);
	assert_passes(90, word_90(MAX, 0, MAX), ASYNC, NOINC, 0, 0);
	/*
	 * Arrivals in flight count as pending too, although the word of sm_90 does not show them.
	 */
	assert_int_equal(step_raised(word_90(MAX - 3, 2, MAX), 2, ASYNC, 0, 0, 0), FAULT(NONE));
	assert_int_equal(step_raised(word_90(MAX - 3, 3, MAX), 3, ASYNC, 0, 0, 0),
			 FAULT(PENDING_RANGE));
	assert_int_equal(step_raised(word_90(MAX - 3, 3, MAX), 3, ASYNC, NOINC, 0, 0), FAULT(NONE));
}

TEST(an_issued_arrival_needs_room_for_a_transaction_on_sm_90)
{
	assert_passes(90, word_90(3, MAX - 1, 5), ASYNC, 0, 0, 0);
	assert_faults(TX_RANGE, 90, word_90(3, MAX, 5), ASYNC, 0, 0, 0);
	assert_passes(90, word_90(3, MAX, 5), ASYNC, NOINC, 0, 0);
}

#define assert_raised(name, ...) assert_int_equal(step_raised(__VA_ARGS__), FAULT(name))

/*
 * The word of sm_90 shows an arrival in flight as a transaction. The rules do not count it as a
 * byte.
 */
TEST(an_arrival_in_flight_stands_for_no_byte)
{
	assert_raised(NONE, word_90(2, 1, 2), 1, ARRIVE, N, 2, 0);
	assert_raised(NONE, word_90(2, 0, 2), 1, ARRIVE, N, 1, 0);
	assert_raised(TX_OVERDELIVERY, word_90(2, 0, 2), 1, ARRIVE, N, 2, 0);
	assert_raised(TX_OVERDELIVERY, word_90(2, 4, 2), 5, ARRIVE, N, 2, 0);
	assert_raised(NONE, word_90(2, 5, 2), 5, ARRIVE, N, 2, 0);
	assert_raised(NONE, word_90(1, 4, 2), 5, ARRIVE, TX, 0, 1);
	assert_raised(TX_OVERDELIVERY, word_90(1, 3, 2), 5, ARRIVE, TX, 0, 1);
	assert_raised(NONE, word_90(0, 9, 2), 5, COMPLETE, 0, 0, 4);
	assert_raised(TX_OVERDELIVERY, word_90(0, 9, 2), 5, COMPLETE, 0, 0, 5);
	assert_raised(NONE, word_90(0, 9, 2), 5, EXPECT, 0, 0, 1);
	/*
	 * The transactions of arrivals in flight lower the upper limit of the range, not the lower
	 * limit.
	 */
	assert_raised(NONE, word_90(2, 4, 2), 5, COMPLETE, 0, 0, MAX - 1);
	assert_raised(TX_RANGE, word_90(2, 4, 2), 5, COMPLETE, 0, 0, MAX);
	assert_raised(NONE, word_90(2, 5, 2), 5, EXPECT, 0, 0, MAX - 5);
	assert_raised(TX_RANGE, word_90(2, 5, 2), 5, EXPECT, 0, 0, MAX - 4);
	/* .noComplete is legal because arrivals in flight keep the phase open. */
	assert_raised(NONE, word_90(2, 5, 2), 5, ARRIVE, NC, 2, 0);
	assert_raised(NOCOMPLETE_COMPLETES, word_90(2, 5, 2), 5, ARRIVE, NC, 3, 0);
}
