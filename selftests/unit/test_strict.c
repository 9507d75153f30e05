// SPDX-License-Identifier: MIT
/*
 * The strict policy: each rule by itself, on both sides of its boundary. Words
 * are written as counts and encoded by the model.
 */
#include "unit.h"

#define MAX MODEL_MAX

/* A legal word by its counts. */
static __u64 word_90(long long pending, long long tx, long long expected)
{
	const struct model m = { 90, 1, pending, expected, tx };

	return model_encode(&m);
}

static __u64 word_80(long long pending, long long expected)
{
	const struct model m = { 80, 1, pending, expected, 0 };

	return model_encode(&m);
}

static enum drm_vsm_fault step(int sm, __u64 word, __u16 op, __u16 mods, __u32 count, __u32 tx)
{
	struct vsm_geometry geo = unit_geometry(sm, true);
	struct drm_vsm_insn insn = { .op = op, .mods = mods };
	__u64 next = UNTOUCHED, result = UNTOUCHED;
	enum drm_vsm_fault fault;

	insn.u.mbarrier.count = count;
	insn.u.mbarrier.tx_count = tx;
	fault = vsm_mbarrier_step(&geo, &insn, 0, word, &next, &result);
	/* Refused, the caller may be left with the word as it was, never with another. */
	if (fault)
		assert_true(next == UNTOUCHED || next == word);
	else
		assert_true(next != UNTOUCHED && result != UNTOUCHED);
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

static void arrival_overflow_is_one_past_pending(void **state)
{
	(void)state;
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

static void nocomplete_must_leave_one_pending(void **state)
{
	(void)state;
	assert_passes(90, word_90(3, 0, 8), ARRIVE, NC, 2, 0);
	assert_faults(NOCOMPLETE_COMPLETES, 90, word_90(3, 0, 8), ARRIVE, NC, 3, 0);
	assert_faults(NOCOMPLETE_COMPLETES, 90, word_90(1, 0, 8), ARRIVE, NC, 1, 0);
	/* Bytes that are left do not excuse it: the count is not below pending. */
	assert_faults(NOCOMPLETE_COMPLETES, 90, word_90(3, 16, 8), ARRIVE, NC, 3, 0);
	assert_passes(90, word_90(3, 0, 8), DROP, NC, 2, 0);
	assert_faults(NOCOMPLETE_COMPLETES, 90, word_90(3, 0, 8), DROP, NC, 3, 0);
	assert_passes(80, word_80(3, 8), ARRIVE, NC, 2, 0);
	assert_faults(NOCOMPLETE_COMPLETES, 80, word_80(3, 8), ARRIVE, NC, 3, 0);
	assert_passes(80, word_80(3, 8), DROP, NC, 2, 0);
	assert_faults(NOCOMPLETE_COMPLETES, 80, word_80(3, 8), DROP, NC, 3, 0);
	assert_passes(90, word_90(MAX, 0, MAX), ARRIVE, NC, MAX - 1, 0);
	assert_faults(NOCOMPLETE_COMPLETES, 90, word_90(MAX, 0, MAX), ARRIVE, NC, MAX, 0);
}

static void drop_must_leave_one_expected(void **state)
{
	(void)state;
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
	/* An arrive that drops nothing may be the only one. */
	assert_passes(90, word_90(1, 0, 1), ARRIVE, 0, 0, 0);
}

static void tx_range_ends_at_two_to_the_20_less_one(void **state)
{
	(void)state;
	assert_passes(90, word_90(1, 0, 1), EXPECT, 0, 0, MAX);
	assert_faults(TX_RANGE, 90, word_90(1, 0, 1), EXPECT, 0, 0, MAX + 1);
	assert_passes(90, word_90(1, MAX - 1, 1), EXPECT, 0, 0, 1);
	assert_faults(TX_RANGE, 90, word_90(1, MAX, 1), EXPECT, 0, 0, 1);
	assert_passes(90, word_90(1, MAX, 1), EXPECT, 0, 0, 0);
	assert_faults(TX_RANGE, 90, word_90(1, 0, 1), EXPECT, 0, 0, 0xffffffff);
	/* -2^20 + 1 lifted by 2^21 - 2 is the end of the range, whatever fits in the field. */
	assert_passes(90, word_90(1, -MAX, 1), EXPECT, 0, 0, 2 * MAX);
	assert_faults(TX_RANGE, 90, word_90(1, -MAX, 1), EXPECT, 0, 0, 2 * MAX + 1);
	/* A whole turn of the field is not nothing. */
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
	assert_passes(90, word_90(1, MAX, 1), COMPLETE, 0, 0, 2 * MAX);
	assert_faults(TX_RANGE, 90, word_90(1, MAX, 1), COMPLETE, 0, 0, 2 * MAX + 1);
	assert_faults(TX_RANGE, 90, word_90(1, 0, 1), COMPLETE, 0, 0, 1U << 21);
	assert_faults(TX_RANGE, 90, word_90(1, 0, 1), COMPLETE, 0, 0, 0xffffffff);
}

static void no_pending_arrival_leaves_no_early_bytes(void **state)
{
	(void)state;
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

static void bits_that_no_operation_sets_are_no_mbarrier(void **state)
{
	static const __u16 ops[] = {
		ARRIVE, DROP, EXPECT, COMPLETE, OP(MBARRIER_TEST_WAIT), OP(MBARRIER_TRY_WAIT),
	};
	size_t i;

	(void)state;
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

static void word_check_looks_at_poison_and_reserved_alone(void **state)
{
	int sm, strict, bit;

	(void)state;
	for (sm = 80; sm <= 90; sm += 10) {
		for (strict = 0; strict < 2; strict++) {
			struct vsm_geometry geo = unit_geometry(sm, strict);

			for (bit = 0; bit < 64; bit++) {
				bool poison = sm == 90 && bit == 42;
				bool reserved = sm == 90 ? bit == 0 : bit == 30 || bit == 31;
				enum drm_vsm_fault wanted = FAULT(NONE);

				if (strict && (poison || reserved))
					wanted = FAULT(NOT_AN_MBARRIER);
				else if (poison)
					wanted = FAULT(POISONED);
				assert_int_equal(vsm_word_check(&geo, 1ULL << bit), wanted);
			}
			assert_int_equal(vsm_word_check(&geo, 0), FAULT(NONE));
		}
	}
}

static void bad_count_is_outside_1_to_two_to_the_20_less_one(void **state)
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

	(void)state;
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrival_overflow_is_one_past_pending),
		cmocka_unit_test(nocomplete_must_leave_one_pending),
		cmocka_unit_test(drop_must_leave_one_expected),
		cmocka_unit_test(tx_range_ends_at_two_to_the_20_less_one),
		cmocka_unit_test(no_pending_arrival_leaves_no_early_bytes),
		cmocka_unit_test(bits_that_no_operation_sets_are_no_mbarrier),
		cmocka_unit_test(word_check_looks_at_poison_and_reserved_alone),
		cmocka_unit_test(bad_count_is_outside_1_to_two_to_the_20_less_one),
	};

	return cmocka_run_group_tests_name("strict", tests, NULL, NULL);
}
