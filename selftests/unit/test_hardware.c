// SPDX-License-Identifier: MIT
/*
 * The hardware policy: for any word, a count wraps inside its own field and no other field changes.
 * The words are random. The test takes them apart by division, the core by masks.
 */
#include "unit.h"

#define WORDS 300000
#define POW2(n) (1ULL << (n))

/* The fields of a word as plain numbers */
struct parts {
	__u64 phase;	/* bit 63 */
	__u64 pending;	/* the pending field, a number below pending_size() */
	__u64 poison;	/* bit 42 of a word of sm_90 */
	__u64 tx;	/* the tx field of sm_90, a number below 2^21 */
	__u64 rest;	/* reserved bits */
	__u64 expected;	/* the expected field, a number below expected_size() */
};

static __u64 pending_size(int sm)
{
	return sm == 80 ? POW2(31) : POW2(20);
}

static __u64 expected_size(int sm)
{
	return sm == 80 ? POW2(30) : POW2(20);
}

static struct parts take_apart(int sm, __u64 word)
{
	if (sm == 80)
		return (struct parts) {
			.phase = word / POW2(63),
			.pending = word / POW2(32) % POW2(31),
			.rest = word / POW2(30) % 4,
			.expected = word % POW2(30),
		};
	return (struct parts) {
		.phase = word / POW2(63),
		.pending = word / POW2(43) % POW2(20),
		.poison = word / POW2(42) % 2,
		.tx = word / POW2(21) % POW2(21),
		.expected = word / 2 % POW2(20),
		.rest = word % 2,
	};
}

static bool is_arrive(const struct model_op *op)
{
	return op->kind == MODEL_ARRIVE || op->kind == MODEL_ARRIVE_DROP;
}

static bool nothing_expected(const struct parts *p)
{
	return !p->pending && !p->tx;
}

/* Changes the fields in the way in which silicon is assumed to do it. */
static void transition(int sm, struct parts *p, const struct model_op *op)
{
	__u64 count = op->counted ? op->count : 1;

	if (op->kind == MODEL_COMPLETE_TX)
		p->tx = (p->tx + op->tx) % POW2(21);
	else
		p->tx = (p->tx + POW2(32) - op->tx) % POW2(21);
	if (is_arrive(op))
		p->pending = (p->pending + count) % pending_size(sm);
	if (op->kind == MODEL_ARRIVE_DROP)
		p->expected = (p->expected + count) % expected_size(sm);
	/*
	 * Poison: more bytes have completed than were expected, and no pending arrival can expect
	 * more.
	 */
	if (op->kind == MODEL_COMPLETE_TX && !p->pending && p->tx >= POW2(20))
		p->poison = 1;
	if (op->kind == MODEL_EXPECT_TX || p->pending || p->tx)
		return;
	p->phase = 1 - p->phase;
	/* Copy the expected count. In sm_80 the two fields have different widths. */
	p->pending = p->expected ? pending_size(sm) - (expected_size(sm) - p->expected) : 0;
}

static void check_parts(__u64 seed, int sm, __u64 old, const struct drm_vsm_insn *insn,
			__u64 next, const struct parts *wanted)
{
	struct parts seen = take_apart(sm, next);

	if (!memcmp(&seen, wanted, sizeof(seen)))
		return;
	print_error("phase %llu %llu, pending %#llx %#llx, tx %#llx %#llx, expected %#llx %#llx\n",
		    seen.phase, wanted->phase, seen.pending, wanted->pending, seen.tx, wanted->tx,
		    seen.expected, wanted->expected);
	fail_msg("VSM_TEST_SEED=%#llx sm_%d %016llx op %d mods %#x count %#x tx %#x gives %016llx",
		 seed, sm, old, insn->op, insn->mods, insn->u.mbarrier.count,
		 insn->u.mbarrier.tx_count, next);
}

static __u32 draw(__u64 *rng)
{
	return unit_below(rng, 2) ? unit_below(rng, 4) : unit_random(rng);
}

static struct model_op draw_op(__u64 *rng, int sm)
{
	struct model_op op = { .kind = unit_below(rng, sm == 80 ? 2 : 4) };

	if (op.kind == MODEL_EXPECT_TX || op.kind == MODEL_COMPLETE_TX) {
		op.tx = draw(rng);
		return op;
	}
	op.counted = unit_below(rng, 2);
	op.no_complete = op.counted && (sm == 80 || unit_below(rng, 2));
	if (op.counted)
		op.count = draw(rng);
	op.expect_tx = sm == 90 && !op.counted && unit_below(rng, 2);
	if (op.expect_tx)
		op.tx = draw(rng);
	return op;
}

/* Half of the words are one step away from completion: in random words no phase would complete. */
static __u64 draw_word(__u64 *rng, int sm, const struct model_op *op)
{
	__u64 word = unit_random(rng);
	struct model near = { .sm = sm };

	if (sm == 90)
		word &= ~POW2(42);
	if (unit_below(rng, 2))
		return word;
	near.phase = unit_below(rng, 2);
	near.expected = unit_random(rng) % expected_size(sm);
	near.tx = op->kind == MODEL_COMPLETE_TX ? op->tx : -op->tx;
	if (is_arrive(op))
		near.pending = op->counted ? op->count : 1;
	return model_encode(&near);
}

static void fields_wrap(int sm)
{
	struct vsm_geometry geo = unit_geometry(sm, false);
	__u64 seed = unit_seed();
	__u64 rng = seed + sm;
	unsigned int flips = 0;
	unsigned int i;

	for (i = 0; i < WORDS; i++) {
		struct model_op op = draw_op(&rng, sm);
		__u64 old = draw_word(&rng, sm, &op);
		struct drm_vsm_insn insn = unit_insn(&op);
		struct parts wanted = take_apart(sm, old);
		enum drm_vsm_fault fault;
		__u64 next, result;

		assert_int_equal(check_insn(&geo, 0, &insn, &fault), 0);
		fault = vsm_mbarrier_step(&geo, NULL, &insn, 0, 0, old, &next, &result, NULL);
		if (sm == 90 && is_arrive(&op) && nothing_expected(&wanted)) {
			assert_int_equal(fault, FAULT(POISONED));
			continue;
		}
		assert_int_equal(fault, FAULT(NONE));
		transition(sm, &wanted, &op);
		check_parts(seed, sm, old, &insn, next, &wanted);
		flips += (old ^ next) >> 63;
	}
	assert_in_range(flips, WORDS / 10, WORDS);
}

TEST(fields_wrap_on_sm_90)
{
	fields_wrap(90);
}

TEST(fields_wrap_on_sm_80)
{
	fields_wrap(80);
}

TEST(poison_traps_every_operation)
{
	static const __u16 ops[] = {
		OP(MBARRIER_ARRIVE), OP(MBARRIER_ARRIVE_DROP), OP(MBARRIER_EXPECT_TX),
		OP(MBARRIER_COMPLETE_TX), OP(MBARRIER_TEST_WAIT), OP(MBARRIER_TRY_WAIT),
	};
	struct vsm_geometry geo = unit_geometry(90, false);
	__u64 rng = unit_seed();
	size_t i;

	for (i = 0; i < 1000 * ARRAY_SIZE(ops); i++) {
		struct drm_vsm_insn insn = { .op = ops[i % ARRAY_SIZE(ops)] };
		__u64 old = unit_random(&rng) | POW2(42);
		__u64 next = POISON, result;

		assert_int_equal(vsm_mbarrier_step(&geo, NULL, &insn, 0, 0, old, &next, &result,
						   NULL), FAULT(POISONED));
		assert_true(next == POISON || next == old);
	}
}

TEST(waits_leave_any_word)
{
	__u64 rng = unit_seed();
	unsigned int i;

	for (i = 0; i < 10000; i++) {
		struct vsm_geometry geo = unit_geometry(i % 2 ? 90 : 80, false);
		struct drm_vsm_insn insn = { .op = OP(MBARRIER_TEST_WAIT) };
		__u64 old = unit_random(&rng);
		__u64 next, result;

		if (i % 2)
			old &= ~POW2(42);
		insn.u.mbarrier.state = unit_random(&rng);
		assert_int_equal(vsm_mbarrier_step(&geo, NULL, &insn, 0, 0, old, &next, &result,
						   NULL), FAULT(NONE));
		assert_int_equal(next, old);
		assert_int_equal(result, old / POW2(63) != insn.u.mbarrier.state / POW2(63));
	}
}

/* The compiler's code for init subtracts the count from both halves of the word without a check. */
TEST(init_takes_any_count)
{
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_90, 0), 0);
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1U << 20), 0);
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_90, (1U << 20) + 32),
			 0x7fff0000001fffc0ULL);
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_80, 0), 0x8000000040000000ULL);
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_80, 1U << 20), 0x7ff000003ff00000ULL);
}

static enum drm_vsm_fault step(int sm, __u64 old, __u16 op, __u16 mods, __u32 n, __u64 *next)
{
	struct vsm_geometry geo = unit_geometry(sm, false);
	struct drm_vsm_insn insn = { .op = op, .mods = mods };
	__u64 result;

	if (mods & MOD(COUNT))
		insn.u.mbarrier.count = n;
	else
		insn.u.mbarrier.tx_count = n;
	*next = old;
	return vsm_mbarrier_step(&geo, NULL, &insn, 0, 0, old, next, &result, NULL);
}

/* The word of sm_90 with these counts, in phase 0. */
static __u64 word_90(long long pending, long long tx, long long expected)
{
	const struct model m = { .sm = 90, .pending = pending, .expected = expected, .tx = tx };

	return model_encode(&m);
}

TEST(init_with_0_completes_at_once_on_sm_90)
{
	struct vsm_geometry geo = unit_geometry(90, false);

	assert_int_equal(vsm_init_word(&geo, 0), POW2(63));
	assert_int_equal(vsm_init_word(&geo, 1 << 20), POW2(63));
	assert_int_equal(vsm_init_word(&geo, 1), 0x7ffff800001ffffeULL);
	assert_int_equal(vsm_init_word(&geo, (1 << 20) + 32), 0x7fff0000001fffc0ULL);
	geo = unit_geometry(80, false);
	assert_int_equal(vsm_init_word(&geo, 0), 0x8000000040000000ULL);
	assert_int_equal(vsm_init_word(&geo, 1), 0x7fffffff3fffffffULL);
}

#define arrive(word) step(90, word, OP(MBARRIER_ARRIVE), 0, 0, &next)
#define complete(word, tx) step(90, word, OP(MBARRIER_COMPLETE_TX), 0, tx, &next)
#define expect(word, tx) step(90, word, OP(MBARRIER_EXPECT_TX), 0, tx, &next)

TEST(arrive_where_nothing_is_expected_traps_on_sm_90)
{
	static const __u64 words[] = { 0, POW2(63), 1, 0x1ffffe, POW2(63) | 0x1ffffe };
	__u64 next;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		assert_int_equal(arrive(words[i]), FAULT(POISONED));
		assert_int_equal(next, words[i]);
		assert_int_equal(step(90, words[i], OP(MBARRIER_ARRIVE_DROP), 0, 0, &next),
				 FAULT(POISONED));
		assert_int_equal(step(90, words[i], OP(MBARRIER_ARRIVE), MOD(EXPECT_TX), 16, &next),
				 FAULT(POISONED));
		assert_int_equal(expect(words[i], 16), FAULT(NONE));
		assert_int_equal(complete(words[i], 0), FAULT(NONE));
		assert_int_equal(step(90, words[i], OP(MBARRIER_TEST_WAIT), MOD(PARITY), 0, &next),
				 FAULT(NONE));
		/* In sm_80 an arrive does not trap: its count wraps. */
		assert_int_equal(step(80, words[i] & POW2(63), OP(MBARRIER_ARRIVE), 0, 0, &next),
				 FAULT(NONE));
	}
	/* If an arrival or a byte is pending, an arrive does not trap. */
	assert_int_equal(arrive(word_90(1, 0, 0)), FAULT(NONE));
	assert_int_equal(arrive(word_90(0, 1, 0)), FAULT(NONE));
}

TEST(overdelivery_poisons_the_word)
{
	__u64 next;

	assert_int_equal(complete(word_90(0, 16, 3), 15), FAULT(NONE));
	assert_int_equal(next, word_90(0, 1, 3));
	assert_int_equal(complete(word_90(0, 16, 3), 16), FAULT(NONE));
	assert_int_equal(next, word_90(3, 0, 3) | POW2(63));
	assert_int_equal(complete(word_90(0, 16, 3), 17), FAULT(NONE));
	assert_int_equal(next, word_90(0, -1, 3) | POW2(42));
	assert_int_equal(step(90, next, OP(MBARRIER_TEST_WAIT), MOD(PARITY), 0, &next),
			 FAULT(POISONED));
	/*
	 * A complete-tx while arrivals are pending, an arrive and an expect-tx do not poison the
	 * word.
	 */
	assert_int_equal(complete(word_90(1, 16, 3), 17), FAULT(NONE));
	assert_int_equal(next, word_90(1, -1, 3));
	assert_int_equal(arrive(word_90(1, -1, 3)), FAULT(NONE));
	assert_int_equal(next, word_90(0, -1, 3));
	assert_int_equal(expect(word_90(0, -2, 3), 1), FAULT(NONE));
	assert_int_equal(next, word_90(0, -1, 3));
}

TEST(an_issued_arrival_wraps_too)
{
	const __u16 op = OP(CP_ASYNC_MBARRIER_ARRIVE);
	__u64 next;

	assert_int_equal(step(90, word_90(MODEL_MAX, 0, 3), op, 0, 0, &next), FAULT(NONE));
	assert_int_equal(next, word_90(MODEL_MAX, 1, 3));
	assert_int_equal(step(90, word_90(3, MODEL_MAX, 3), op, 0, 0, &next), FAULT(NONE));
	assert_int_equal(next, word_90(3, MODEL_MAX + 1, 3));
	assert_int_equal(step(90, 0, op, 0, 0, &next), FAULT(NONE));
	assert_int_equal(next, word_90(0, 1, 0));
	assert_int_equal(step(90, word_90(3, 5, 3), op, MOD(NOINC), 0, &next), FAULT(NONE));
	assert_int_equal(next, word_90(3, 5, 3));
	assert_int_equal(step(80, 0x0000000012345678ULL, op, 0, 0, &next), FAULT(NONE));
	assert_int_equal(next, 0x7fffffff12345678ULL);
	assert_int_equal(step(80, 0xfffffffd3ffffffdULL, op, MOD(NOINC), 0, &next), FAULT(NONE));
	assert_int_equal(next, 0xfffffffd3ffffffdULL);
}
