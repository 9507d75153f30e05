// SPDX-License-Identifier: MIT
/*
 * The hardware policy: for any word, an operation traps or changes only the fields of its counts.
 * In sm_80 counts wrap inside their fields. The words are random. The test takes them apart by
 * division, the core by masks.
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

/* What a field stands for: it holds the negative of a count. */
static long long count_of(__u64 field, __u64 size)
{
	return (size - field) % size;
}

/* Returns the rule for which an H100 traps, if it does. */
static enum drm_vsm_fault trap(const struct parts *p, const struct model_op *op)
{
	long long count = !is_arrive(op) ? 0 : op->counted ? op->count : 1;
	long long tx = count_of(p->tx, POW2(21));

	if (tx > MODEL_MAX)
		tx -= POW2(21);
	if (count > MODEL_MAX)
		return FAULT(BAD_COUNT);
	if (count > count_of(p->pending, POW2(20)))
		return FAULT(ARRIVAL_OVERFLOW);
	if (op->kind == MODEL_ARRIVE_DROP && count > count_of(p->expected, POW2(20)))
		return FAULT(DROP_TO_ZERO);
	if (is_arrive(op) && !op->tx)
		return FAULT(NONE);
	tx += op->kind == MODEL_COMPLETE_TX ? -op->tx : op->tx;
	return op->tx > MODEL_MAX || tx > MODEL_MAX || tx < -MODEL_MAX ? FAULT(TX_RANGE)
								       : FAULT(NONE);
}

/* Changes the fields in the way in which an H100 does it. */
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
	if (p->pending || p->tx)
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
	if (unit_below(rng, 2))
		return unit_below(rng, 4);
	return unit_below(rng, 4) ? unit_below(rng, POW2(20)) : unit_random(rng);
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

static void any_word(int sm)
{
	struct vsm_geometry geo = unit_geometry(sm, false);
	__u64 seed = unit_seed();
	__u64 rng = seed + sm;
	unsigned int flips = 0, traps = 0;
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
		assert_int_equal(fault, sm == 90 ? trap(&wanted, &op) : FAULT(NONE));
		if (fault) {
			traps++;
			continue;
		}
		transition(sm, &wanted, &op);
		check_parts(seed, sm, old, &insn, next, &wanted);
		flips += (old ^ next) >> 63;
	}
	assert_in_range(flips, WORDS / 10, WORDS);
	assert_in_range(traps, sm == 90 ? WORDS / 10 : 0, sm == 90 ? WORDS / 2 : 0);
}

TEST(fields_change_or_the_operation_traps_on_sm_90)
{
	any_word(90);
}

TEST(fields_wrap_on_sm_80)
{
	any_word(80);
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

/* init subtracts the count in both halves of the word, and masks no field. */
TEST(init_takes_any_count)
{
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_90, 0), 0x8000000000200000ULL);
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1), 0x7ffff800001ffffeULL);
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1U << 20), 0);
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_90, (1U << 20) + 32),
			 0xffff0000ffffffc0ULL);
	assert_int_equal(vsm_mbarrier_init(VSM_LAYOUT_SM_80, 1), 0x7fffffff3fffffffULL);
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

#define arrive(word) step(90, word, OP(MBARRIER_ARRIVE), 0, 0, &next)
#define complete(word, tx) step(90, word, OP(MBARRIER_COMPLETE_TX), 0, tx, &next)
#define expect(word, tx) step(90, word, OP(MBARRIER_EXPECT_TX), 0, tx, &next)

TEST(arrive_where_nothing_is_expected_traps_on_sm_90)
{
	static const __u64 words[] = { 0, POW2(63), 1, 0x1ffffe, POW2(63) | 0x1ffffe };
	__u64 next;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		assert_int_equal(arrive(words[i]), FAULT(ARRIVAL_OVERFLOW));
		assert_int_equal(next, words[i]);
		assert_int_equal(step(90, words[i], OP(MBARRIER_ARRIVE_DROP), 0, 0, &next),
				 FAULT(ARRIVAL_OVERFLOW));
		assert_int_equal(step(90, words[i], OP(MBARRIER_ARRIVE), MOD(EXPECT_TX), 16, &next),
				 FAULT(ARRIVAL_OVERFLOW));
		assert_int_equal(expect(words[i], 16), FAULT(NONE));
		assert_int_equal(complete(words[i], 0), FAULT(NONE));
		assert_int_equal(step(90, words[i], OP(MBARRIER_TEST_WAIT), MOD(PARITY), 0, &next),
				 FAULT(NONE));
		/* In sm_80 an arrive does not trap: its count wraps. */
		assert_int_equal(step(80, words[i] & POW2(63), OP(MBARRIER_ARRIVE), 0, 0, &next),
				 FAULT(NONE));
	}
	assert_int_equal(arrive(word_90(1, 0, 0)), FAULT(NONE));
	assert_int_equal(arrive(word_90(0, 1, 0)), FAULT(ARRIVAL_OVERFLOW));
}

TEST(overdelivery_completes_nothing)
{
	__u64 next;

	assert_int_equal(complete(word_90(0, 16, 3), 15), FAULT(NONE));
	assert_int_equal(next, word_90(0, 1, 3));
	assert_int_equal(complete(word_90(0, 16, 3), 16), FAULT(NONE));
	assert_int_equal(next, word_90(3, 0, 3) | POW2(63));
	assert_int_equal(complete(word_90(0, 16, 3), 17), FAULT(NONE));
	assert_int_equal(next, word_90(0, -1, 3));
	/* An expect-tx of the missing byte completes the phase. */
	assert_int_equal(expect(next, 1), FAULT(NONE));
	assert_int_equal(next, word_90(3, 0, 3) | POW2(63));
	assert_int_equal(arrive(word_90(1, -1, 3)), FAULT(NONE));
	assert_int_equal(next, word_90(0, -1, 3));
}

/* Where an arrive would trap, the end of a cp.async.mbarrier.arrive poisons the word. */
TEST(an_asynchronous_arrival_poisons_the_word)
{
	const __u64 poisoned = word_90(0, 0, 3) | POW2(42);
	__u64 next;

	assert_int_equal(step(90, word_90(1, 0, 3), OP(MBARRIER_ARRIVE), MOD(NOINC), 0, &next),
			 FAULT(NONE));
	assert_int_equal(next, word_90(3, 0, 3) | POW2(63));
	assert_int_equal(step(90, word_90(0, 0, 3), OP(MBARRIER_ARRIVE), MOD(NOINC), 0, &next),
			 FAULT(NONE));
	assert_int_equal(next, poisoned);
	assert_int_equal(step(90, poisoned, OP(MBARRIER_ARRIVE), MOD(NOINC), 0, &next),
			 FAULT(NONE));
	assert_int_equal(next, poisoned);
	assert_int_equal(step(90, poisoned, OP(CP_ASYNC_MBARRIER_ARRIVE), 0, 0, &next),
			 FAULT(NONE));
	assert_int_equal(next, poisoned);
	assert_int_equal(step(90, poisoned, OP(MBARRIER_TEST_WAIT), MOD(PARITY), 0, &next),
			 FAULT(POISONED));
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
