// SPDX-License-Identifier: MIT
/*
 * What the strict policy stores beside the word: serial numbers, tokens, observation, and the life
 * of an object. Each test is for one rule.
 */
#include "unit.h"

#include "device.h"

#define POW2(n)		(1ULL << (n))
#define NUMBERS		POW2(30)
#define LAST		(NUMBERS - 1)

/* --- serial numbers -------------------------------------------------------- */

TEST(first_serials_are_even_numbers_of_30_bits)
{
	__u32 n;

	for (n = 0; n < 1 << 20; n++) {
		assert_true(vsm_serial(n) < NUMBERS);
		assert_int_equal(vsm_serial(n) % 2, 0);
	}
	assert_true(vsm_serial(~0U) < NUMBERS);
}

static __u64 distance(__u64 a, __u64 b)
{
	__u64 d = (a + NUMBERS - b) % NUMBERS;

	return d < NUMBERS - d ? d : NUMBERS - d;
}

static int compare(const void *a, const void *b)
{
	__u32 x = *(const __u32 *)a, y = *(const __u32 *)b;

	return x < y ? -1 : x > y;
}

/* Returns the smallest distance between any two of @n consecutive serial numbers. */
static __u64 closest(__u32 from, __u32 n)
{
	static __u32 serials[1 << 16];
	__u64 min = NUMBERS;
	__u32 i;

	for (i = 0; i < n; i++)
		serials[i] = vsm_serial(from + i);
	qsort(serials, n, sizeof(serials[0]), compare);
	for (i = 0; i < n; i++)
		if (distance(serials[i], serials[(i + 1) % n]) < min)
			min = distance(serials[i], serials[(i + 1) % n]);
	return min;
}

TEST(first_serials_keep_the_documented_distance)
{
	__u64 min = NUMBERS;
	__u32 n;

	/*
	 * Serial number n is n times a constant. The distance between two serial numbers is
	 * therefore the distance between another serial number and 0: it is enough to compare each
	 * with 0.
	 */
	for (n = 1; n < 1 << 22; n++) {
		if (distance(vsm_serial(n), 0) < min)
			min = distance(vsm_serial(n), 0);
		if (min * 4 * (n + 1) < NUMBERS)
			fail_msg("of %u, two are %llu apart", n + 1, min);
	}
	/* Check some ranges also by comparing all their numbers with each other. */
	for (n = 2; n <= 1 << 16; n *= 2) {
		assert_true(closest(0, n) * 4 * n >= NUMBERS);
		assert_true(closest(1, n) * 4 * n >= NUMBERS);
		assert_true(closest(12345678, n) * 4 * n >= NUMBERS);
	}
}

TEST(each_phase_takes_the_next_number)
{
	struct vsm_shadow shadow;
	__u32 serial;

	vsm_shadow_init(&shadow, 0x1000, 5, 1);
	for (serial = 0x1001; serial < 0x1100; serial++) {
		vsm_shadow_advance(&shadow);
		assert_int_equal(shadow.serial, serial);
	}
	/* The number after the last one is 0. The parity of the numbers still alternates. */
	vsm_shadow_init(&shadow, LAST - 1, 5, 1);
	vsm_shadow_advance(&shadow);
	assert_int_equal(shadow.serial, LAST);
	vsm_shadow_advance(&shadow);
	assert_int_equal(shadow.serial, 0);
}

/* The init does not reset the count of operations bound to the word's previous object. */
TEST(a_fresh_object_is_observed_and_its_init_pending)
{
	struct vsm_shadow shadow;

	memset(&shadow, 0xa5, sizeof(shadow));
	shadow.bound = 3;
	vsm_shadow_init(&shadow, 0x1234, 1023, 1ULL << 40);
	assert_int_equal(shadow.serial, 0x1234);
	assert_int_equal(shadow.bound, 3);
	assert_int_equal(shadow.raised, 0);
	assert_int_equal(shadow.initialiser, 1023);
	assert_int_equal(shadow.init, 1ULL << 40);
	assert_int_equal(shadow.live, 1);
	assert_int_equal(shadow.observed, 1);
}

TEST(ready_is_fenced_live_and_observed)
{
	static const __u16 threads[] = { 0, 1, 1023, 0xff, 0xff00, VSM_VISIBLE };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(threads) * 4; i++) {
		struct vsm_shadow shadow = {
			.initialiser = threads[i / 4],
			.live = i % 2,
			.observed = i / 2 % 2,
		};

		assert_int_equal(shadow.state == VSM_SHADOW_READY,
				 shadow.initialiser == VSM_VISIBLE && shadow.live &&
				 shadow.observed);
	}
}

TEST(inits_are_numbered_from_1_on)
{
	struct vsm_inits inits = { 0 };
	__u64 i;

	assert_int_equal(vsm_inits_pending(&inits), 0);
	for (i = 1; i < 100; i++) {
		assert_int_equal(vsm_inits_add(&inits), i);
		assert_int_equal(inits.visible, 0);
		assert_int_equal(vsm_inits_pending(&inits), i);
	}
	inits.last = 0xffffffff;
	assert_true(vsm_inits_add(&inits) == 1ULL << 32);
}

TEST(what_is_visible_only_grows)
{
	struct vsm_inits inits = { .last = 7 };

	vsm_inits_make_visible(&inits, 5);
	assert_int_equal(inits.visible, 5);
	vsm_inits_make_visible(&inits, 3);
	vsm_inits_make_visible(&inits, 0);
	assert_int_equal(inits.visible, 5);
	assert_int_equal(vsm_inits_pending(&inits), 7);
	vsm_inits_make_visible(&inits, 7);
	assert_int_equal(inits.visible, 7);
	assert_int_equal(vsm_inits_pending(&inits), 0);
	assert_int_equal(inits.last, 7);
	assert_int_equal(vsm_inits_add(&inits), 8);
	assert_int_equal(vsm_inits_pending(&inits), 8);
}

TEST(releases_of_the_cta_or_fences_of_the_thread_make_an_init_visible)
{
	static const __u64 numbers[] = { 0, 1, 4, 5, 6, 1ULL << 32, ~0ULL };
	size_t i, n = ARRAY_SIZE(numbers);

	for (i = 0; i < n * n * n; i++) {
		const __u64 init = numbers[i % n], released = numbers[i / n % n];
		const __u64 fenced = numbers[i / n / n];
		const struct vsm_inits inits = { .last = ~0ULL, .visible = released };
		struct vsm_shadow shadow = { .initialiser = 9, .live = 1, .init = init };
		const struct vsm_shadow before = shadow;

		vsm_shadow_set_visible(&shadow, &inits, fenced);
		assert_int_equal(shadow.initialiser,
				 released >= init || fenced >= init ? VSM_VISIBLE : 9);
		shadow.initialiser = 9;
		assert_memory_equal(&shadow, &before, sizeof(shadow));
	}
}

TEST(retreat_undoes_advance)
{
	static const __u32 serials[] = { 0, 1, 2, 0x1000, 0x1001, LAST - 1, LAST };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(serials) * 2; i++) {
		struct vsm_shadow shadow = {
			.serial = serials[i / 2], .bound = 3, .raised = 2, .initialiser = 7,
			.live = 1, .observed = i % 2,
		};
		const struct vsm_shadow before = shadow;

		vsm_shadow_advance(&shadow);
		assert_int_equal(shadow.observed, 0);
		assert_int_equal(shadow.bound, 3);
		assert_int_equal(shadow.raised, 0);
		assert_int_equal(shadow.initialiser, 7);
		vsm_shadow_retreat(&shadow, before.observed, before.raised);
		assert_memory_equal(&shadow, &before, sizeof(shadow));
	}
}

TEST(observe_changes_nothing_else)
{
	struct vsm_shadow shadow, before;

	memset(&shadow, 0x5a, sizeof(shadow));
	shadow.observed = 0;
	before = shadow;
	before.observed = 1;
	vsm_shadow_observe(&shadow);
	assert_memory_equal(&shadow, &before, sizeof(shadow));
	vsm_shadow_observe(&shadow);
	assert_memory_equal(&shadow, &before, sizeof(shadow));
}

/* The shadow changes its phase before the word does. A reader may find it one phase ahead. */
TEST(the_word_s_parity_tells_whether_the_shadow_is_ahead)
{
	static const __u32 serials[] = { 0, 1, 2, 3, 0x1000, 0x1001, LAST - 1, LAST };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(serials); i++) {
		struct vsm_shadow shadow = { .serial = serials[i] };
		__u64 phase = serials[i] % 2;

		assert_int_equal(vsm_shadow_serial(&shadow, phase << 63), serials[i]);
		assert_int_equal(vsm_shadow_serial(&shadow, (1 - phase) << 63 | 0x123456789),
				 (serials[i] + LAST) % NUMBERS);
	}
}

/* --- tokens ---------------------------------------------------------------- */

static const enum vsm_layout layouts[] = { VSM_LAYOUT_SM_90, VSM_LAYOUT_SM_80 };

TEST(tokens_have_the_word_s_high_half_and_the_phase_s_number)
{
	struct vsm_shadow shadow = { .serial = 0x2abcdef1 };
	const __u64 word = 0xfedcba9876543210ULL;

	assert_int_equal(vsm_token(VSM_LAYOUT_SM_90, &shadow, word, false), 0xfedcba982abcdef1ULL);
	assert_int_equal(vsm_token(VSM_LAYOUT_SM_90, &shadow, word, true), 0xfedcba986abcdef1ULL);
	assert_int_equal(vsm_token(VSM_LAYOUT_SM_80, &shadow, word, false), 0xfedcba982abcdef1ULL);
	assert_int_equal(vsm_token(VSM_LAYOUT_SM_80, &shadow, word, true), 0xfedcba98fedcba98ULL);
	/* The word is in phase 0, but the shadow is already in phase 1. */
	assert_int_equal(vsm_token(VSM_LAYOUT_SM_90, &shadow, word ^ 1ULL << 63, false),
			 0x7edcba982abcdef0ULL);
}

static enum drm_vsm_fault wait_on(enum vsm_layout layout, __u32 serial, __u64 token)
{
	struct vsm_shadow shadow = { .serial = serial, .live = 1 };

	return vsm_token_check(layout, &shadow, token);
}

/* Returns the token of an arrive in phase @serial while 3 of 5 arrivals are pending. */
static __u64 token_of(enum vsm_layout layout, __u32 serial, bool no_complete)
{
	const struct model m = {
		.sm = layout == VSM_LAYOUT_SM_80 ? 80 : 90,
		.phase = serial % 2,
		.pending = 3,
		.expected = 5,
	};
	struct vsm_shadow shadow = { .serial = serial, .live = 1 };

	return vsm_token(layout, &shadow, model_encode(&m), no_complete);
}

TEST(tokens_of_this_phase_and_the_last_may_be_waited_on)
{
	static const __u32 serials[] = { 0, 1, 2, 0x1000, 0x1001, 0x20000000, LAST - 1, LAST };
	size_t i, l;
	int nc, bit;

	for (i = 0; i < ARRAY_SIZE(serials) * 4; i++) {
		const __u32 now = serials[i / 4];

		l = i % 2;
		nc = i / 2 % 2;
		if (nc && layouts[l] == VSM_LAYOUT_SM_80)
			continue;
		assert_int_equal(wait_on(layouts[l], now, token_of(layouts[l], now, nc)),
				 FAULT(NONE));
		assert_int_equal(wait_on(layouts[l], now,
					 token_of(layouts[l], (now + LAST) % NUMBERS, nc)),
				 FAULT(NONE));
		assert_int_equal(wait_on(layouts[l], now,
					 token_of(layouts[l], (now + LAST - 1) % NUMBERS, nc)),
				 FAULT(STALE_TOKEN));
		assert_int_equal(wait_on(layouts[l], now,
					 token_of(layouts[l], (now + LAST - 2) % NUMBERS, nc)),
				 FAULT(STALE_TOKEN));
		/* This token is of the next phase, which has not begun. */
		assert_int_equal(wait_on(layouts[l], now,
					 token_of(layouts[l], (now + 1) % NUMBERS, nc)),
				 FAULT(STALE_TOKEN));
		/* Each of these tokens is older by another power of two. */
		for (bit = 1; bit < 30; bit++) {
			__u32 old = (now + NUMBERS - POW2(bit)) % NUMBERS;

			assert_int_equal(wait_on(layouts[l], now, token_of(layouts[l], old, nc)),
					 FAULT(STALE_TOKEN));
		}
	}
}

TEST(every_bit_of_a_token_s_low_half_and_its_parity_count)
{
	size_t l;
	int nc, bit;

	for (l = 0; l < ARRAY_SIZE(layouts); l++) {
		for (nc = 0; nc < 2; nc++) {
			__u64 token = token_of(layouts[l], 0x2aaaaaab, nc);

			if (nc && layouts[l] == VSM_LAYOUT_SM_80)
				continue;
			assert_int_equal(wait_on(layouts[l], 0x2aaaaaab, token), FAULT(NONE));
			for (bit = 0; bit < 64; bit++) {
				/*
				 * The check ignores the pending count. In sm_90 it also ignores the
				 * kind of arrive.
				 */
				bool matters = bit < 30 || bit == 31 || bit == 63 ||
					       (bit == 30 && layouts[l] == VSM_LAYOUT_SM_80);

				assert_int_equal(wait_on(layouts[l], 0x2aaaaaab,
							 token ^ 1ULL << bit),
						 matters ? FAULT(STALE_TOKEN) : FAULT(NONE));
			}
		}
	}
}

/* A .noComplete token of sm_80 has no space for a serial number. It is accepted at any age. */
TEST(nocomplete_tokens_of_sm_80_pass_at_any_age)
{
	__u64 token = token_of(VSM_LAYOUT_SM_80, 0x1000, true);
	int bit;

	assert_int_equal(token, 0x7ffffffd7ffffffdULL);
	assert_int_equal(wait_on(VSM_LAYOUT_SM_80, 0x1000, token), FAULT(NONE));
	assert_int_equal(wait_on(VSM_LAYOUT_SM_80, 0x1002, token), FAULT(NONE));
	assert_int_equal(wait_on(VSM_LAYOUT_SM_80, 0x3abcdef0, token), FAULT(NONE));
	/* A value whose halves differ is not a .noComplete token. */
	for (bit = 0; bit < 64; bit++)
		assert_int_equal(wait_on(VSM_LAYOUT_SM_80, 0x1000, token ^ 1ULL << bit),
				 FAULT(STALE_TOKEN));
	assert_int_equal(wait_on(VSM_LAYOUT_SM_90, 0x1000, token), FAULT(STALE_TOKEN));
}

TEST(zeros_and_ones_are_no_tokens)
{
	size_t l;

	for (l = 0; l < ARRAY_SIZE(layouts); l++) {
		assert_int_equal(wait_on(layouts[l], 0x1000, 0), FAULT(STALE_TOKEN));
		assert_int_equal(wait_on(layouts[l], 0x1000, 1ULL << 63), FAULT(STALE_TOKEN));
	}
	assert_int_equal(wait_on(VSM_LAYOUT_SM_90, 0x1000, ~0ULL), FAULT(STALE_TOKEN));
}

TEST(pending_count_takes_only_nocomplete_tokens)
{
	size_t l;
	int bit;

	for (l = 0; l < ARRAY_SIZE(layouts) * 2; l++) {
		const enum vsm_layout layout = layouts[l / 2];
		struct vsm_geometry geo = unit_geometry(layout == VSM_LAYOUT_SM_80 ? 80 : 90, true);
		__u64 token = token_of(layout, 0x1000 + l % 2, true);
		__u64 other = token_of(layout, 0x1000 + l % 2, false);

		assert_int_equal(vsm_pending_token_check(&geo, token, NULL), FAULT(NONE));
		assert_int_equal(vsm_mbarrier_pending_count(layout, token), 3);
		assert_int_equal(vsm_pending_token_check(&geo, other, NULL),
				 FAULT(NOT_A_PENDING_TOKEN));
		assert_int_equal(vsm_pending_token_check(&geo, 0, NULL),
				 FAULT(NOT_A_PENDING_TOKEN));
		for (bit = 0; bit < 64; bit++) {
			bool checked = layout == VSM_LAYOUT_SM_80 || bit == 30 || bit == 31;

			assert_int_equal(vsm_pending_token_check(&geo, token ^ 1ULL << bit, NULL),
					 checked ? FAULT(NOT_A_PENDING_TOKEN) : FAULT(NONE));
		}
		/* The hardware policy checks nothing. */
		geo.strict = false;
		assert_int_equal(vsm_pending_token_check(&geo, other, NULL), FAULT(NONE));
		assert_int_equal(vsm_pending_token_check(&geo, 0, NULL), FAULT(NONE));
	}
}

/* --- the life of an object ------------------------------------------------- */

TEST(states_of_an_object_are_distinguished)
{
	static const struct {
		__u32 bound;
		__u8 observed;
		int pending, expected, tx;
		enum drm_vsm_mbarrier_state wanted;
	} rows[] = {
		{ 0, 1, 5, 5, 0, DRM_VSM_MBARRIER_IDLE },
		{ 1, 1, 5, 5, 0, DRM_VSM_MBARRIER_IN_PROGRESS },
		{ 0, 1, 4, 5, 0, DRM_VSM_MBARRIER_IN_PROGRESS },
		{ 0, 1, 6, 5, 0, DRM_VSM_MBARRIER_IN_PROGRESS },
		{ 0, 1, 5, 5, 1, DRM_VSM_MBARRIER_IN_PROGRESS },
		{ 0, 1, 5, 5, -1, DRM_VSM_MBARRIER_IN_PROGRESS },
		{ 0, 1, 0, 5, 7, DRM_VSM_MBARRIER_IN_PROGRESS },
		{ 0, 0, 5, 5, 0, DRM_VSM_MBARRIER_UNOBSERVED },
		{ 1, 0, 4, 5, 0, DRM_VSM_MBARRIER_UNOBSERVED },
	};
	size_t i;
	int sm;

	for (i = 0; i < ARRAY_SIZE(rows) * 2; i++) {
		const struct model m = {
			.sm = i % 2 ? 80 : 90,
			.pending = rows[i / 2].pending,
			.expected = rows[i / 2].expected,
			.tx = rows[i / 2].tx,
		};
		struct vsm_shadow shadow = {
			.bound = rows[i / 2].bound,
			.live = 1,
			.observed = rows[i / 2].observed,
		};
		struct vsm_geometry geo;
		__u32 info = 77;

		sm = m.sm;
		if (sm == 80 && m.tx)
			continue;
		geo = unit_geometry(sm, true);
		assert_int_equal(vsm_init_check(&geo, &shadow, model_encode(&m), &info, NULL),
				 FAULT(INIT_OVER_LIVE));
		assert_int_equal(info, rows[i / 2].wanted);
		/* If no object is live, an init is legal whatever value the word has. */
		shadow.live = 0;
		assert_int_equal(vsm_init_check(&geo, &shadow, model_encode(&m), &info, NULL),
				 FAULT(NONE));
		geo.strict = false;
		assert_int_equal(vsm_init_check(&geo, NULL, model_encode(&m), &info, NULL),
				 FAULT(NONE));
	}
}

TEST(inval_needs_an_object_that_nobody_uses)
{
	const struct vsm_geometry geo = unit_geometry(90, true);
	struct vsm_shadow shadow = { .live = 0 };
	__u32 info = 77;

	assert_int_equal(vsm_inval_check(&geo, NULL, false, &info, NULL), FAULT(NOT_AN_MBARRIER));
	assert_int_equal(vsm_inval_check(&geo, &shadow, false, &info, NULL),
			 FAULT(NOT_AN_MBARRIER));
	shadow.live = 1;
	assert_int_equal(vsm_inval_check(&geo, &shadow, false, &info, NULL), FAULT(NONE));
	shadow.observed = 1;
	assert_int_equal(vsm_inval_check(&geo, &shadow, false, &info, NULL), FAULT(NONE));
	assert_int_equal(info, 77);
	assert_int_equal(vsm_inval_check(&geo, &shadow, true, &info, NULL), FAULT(INVAL_IN_USE));
	assert_int_equal(info, 0);
	shadow.bound = 3;
	assert_int_equal(vsm_inval_check(&geo, &shadow, false, &info, NULL), FAULT(INVAL_IN_USE));
	assert_int_equal(info, 3);
	assert_int_equal(vsm_inval_check(&geo, &shadow, true, &info, NULL), FAULT(INVAL_IN_USE));
	assert_int_equal(info, 3);
}

TEST(a_completion_is_late_in_any_phase_but_its_own)
{
	struct vsm_shadow shadow = { .serial = 0x1000, .live = 1 };

	assert_int_equal(vsm_late_check(&shadow, 0x1000), FAULT(NONE));
	assert_int_equal(vsm_late_check(&shadow, 0xfff), FAULT(LATE_COMPLETION));
	assert_int_equal(vsm_late_check(&shadow, 0x1001), FAULT(LATE_COMPLETION));
	vsm_shadow_advance(&shadow);
	assert_int_equal(vsm_late_check(&shadow, 0x1000), FAULT(LATE_COMPLETION));
	vsm_shadow_retreat(&shadow, 1, 0);
	assert_int_equal(vsm_late_check(&shadow, 0x1000), FAULT(NONE));
	shadow.live = 0;
	assert_int_equal(vsm_late_check(&shadow, 0x1000), FAULT(LATE_COMPLETION));
}

/* --- on the device --------------------------------------------------------- */

static struct drm_vsm_insn exec(struct device *dev, __u16 op, __u16 mods, __u32 n)
{
	struct drm_vsm_insn insn = { .op = op, .mods = mods };
	int ret;

	insn.u.mbarrier.addr = 64;
	if (op == OP(MBARRIER_INIT) || mods & MOD(COUNT))
		insn.u.mbarrier.count = n;
	else if (mods & MOD(PARITY))
		insn.u.mbarrier.parity = n;
	else
		insn.u.mbarrier.tx_count = n;
	ret = device_exec(dev, 0, 0, &insn, 0);
	assert_int_equal(ret, insn.fault ? -EPROTO : 0);
	return insn;
}

/* User space writes the word while an operation is about to complete the phase. */
TEST(a_completion_that_loses_the_race_for_the_word_leaves_the_shadow)
{
	struct vsm_geometry geo = unit_geometry(90, true);
	struct vsm_shadow before;
	struct device dev;

	device_create(&dev, &geo);
	exec(&dev, OP(MBARRIER_INIT), 0, 1);
	exec(&dev, OP(MBARRIER_ARRIVE), 0, 0);
	exec(&dev, OP(MBARRIER_TEST_WAIT), MOD(PARITY), 0);
	before = *device_shadow(&dev, 64);
	assert_int_equal(before.observed, 1);

	/* User space makes 9 arrivals pending. The arrive then does not complete the phase. */
	dev.interfere = vsm_mbarrier_init(VSM_LAYOUT_SM_90, 9) | 1ULL << 63;
	dev.interferes = 1;
	assert_int_equal(exec(&dev, OP(MBARRIER_ARRIVE), MOD(SINK), 0).fault, FAULT(NONE));
	assert_int_equal(dev.interferes, 0);
	assert_memory_equal(&before, device_shadow(&dev, 64), sizeof(before));
	assert_int_equal(vsm_mbarrier_pending(VSM_LAYOUT_SM_90, *device_word(&dev, 64)), 8);
	/* The other 8 arrivals complete the phase. */
	exec(&dev, OP(MBARRIER_ARRIVE), MOD(COUNT) | MOD(SINK), 8);
	assert_int_equal(device_shadow(&dev, 64)->serial, before.serial + 1);
	assert_int_equal(device_shadow(&dev, 64)->observed, 0);
	device_destroy(&dev);
}

TEST(a_wait_observes_the_phase_that_it_returns_true_for)
{
	struct vsm_geometry geo = unit_geometry(90, true);
	struct device dev;

	device_create(&dev, &geo);
	exec(&dev, OP(MBARRIER_INIT), 0, 1);
	assert_int_equal(exec(&dev, OP(MBARRIER_ARRIVE), 0, 0).fault, FAULT(NONE));
	assert_int_equal(exec(&dev, OP(MBARRIER_ARRIVE), 0, 0).fault, FAULT(PHASE_UNOBSERVED));
	/* This wait is for the phase in progress: it returns False and observes nothing. */
	assert_int_equal(exec(&dev, OP(MBARRIER_TEST_WAIT), MOD(PARITY), 1).result, 0);
	assert_int_equal(exec(&dev, OP(MBARRIER_ARRIVE), 0, 0).fault, FAULT(PHASE_UNOBSERVED));
	/* Only an arrive-on needs the previous phase to be observed. These operations do not. */
	assert_int_equal(exec(&dev, OP(MBARRIER_EXPECT_TX), 0, 16).fault, FAULT(NONE));
	assert_int_equal(exec(&dev, OP(MBARRIER_COMPLETE_TX), 0, 16).fault, FAULT(NONE));
	assert_int_equal(exec(&dev, OP(MBARRIER_TRY_WAIT), MOD(PARITY), 0).result, 1);
	assert_int_equal(exec(&dev, OP(MBARRIER_ARRIVE), 0, 0).fault, FAULT(NONE));
	device_destroy(&dev);
}

/*
 * Without the lock, a task reads the word first, and the shadow possibly much later. The shadow may
 * then be in a later phase than the word that the wait has read, and must not be marked observed.
 */
TEST(a_wait_that_is_the_first_to_see_a_phase_needs_the_lock)
{
	const struct vsm_geometry geo = unit_geometry(90, true);
	const struct drm_vsm_insn wait = {
		.op = OP(MBARRIER_TEST_WAIT), .mods = MOD(PARITY), .u.mbarrier.parity = 0,
	};
	struct vsm_shadow shadow = {
		.live = 1, .observed = 1, .initialiser = VSM_VISIBLE, .serial = 5,
	};
	__u64 word = vsm_mbarrier_init(geo.layout, 1) ^ VSM_MBARRIER_PHASE;
	__u64 next, result;

	/* The phase is already observed, so that the wait need not mark it. */
	assert_int_equal(vsm_mbarrier_try_step(&geo, &shadow, &wait, 0, 0, word, &next, &result),
			 FAULT(NONE));
	assert_int_equal(result, 1);
	/* The shadow is now two phases ahead of the word. */
	vsm_shadow_advance(&shadow);
	vsm_shadow_advance(&shadow);
	assert_int_equal(vsm_mbarrier_try_step(&geo, &shadow, &wait, 0, 0, word, &next, &result),
			 VSM_STEP_LOCKED);
	assert_int_equal(shadow.observed, 0);
	/* A wait that returns False does not mark the phase as observed. */
	assert_int_equal(vsm_mbarrier_try_step(&geo, &shadow, &wait, 0, 0,
					       word ^ VSM_MBARRIER_PHASE, &next, &result),
			 FAULT(NONE));
	assert_int_equal(result, 0);
	assert_int_equal(shadow.observed, 0);
	/* With the lock held, the word and the shadow are in one phase: it can be marked. */
	assert_int_equal(vsm_mbarrier_step(&geo, &shadow, &wait, 0, 0, word, &next, &result, NULL),
			 FAULT(NONE));
	assert_int_equal(result, 1);
	assert_int_equal(shadow.observed, 1);
}
