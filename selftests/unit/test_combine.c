// SPDX-License-Identifier: MIT
/*
 * Short ways to perform instructions, compared with vsm_mbarrier_try_step(): arrives of several
 * lanes that are combined into one step of the word, plain arrives, and plain waits.
 */
#include "unit.h"

#include "vsm_step.h"

#define RUNS 2000000

/* What arrives lead to */
struct outcome {
	__u64 word;			/* the word after them */
	__u64 results[VSM_WARP_SIZE];	/* their results */
};

/*
 * Executes arrives one after the other. Returns false if one of them is refused, or has to be
 * repeated with the lock, or if one before the last completes the phase.
 */
static bool one_by_one(const struct vsm_geometry *geo, struct vsm_shadow *shadow,
		       const struct drm_vsm_insn *insn, __u32 lanes, __u64 old,
		       struct outcome *outcome)
{
	__u64 next;
	__u32 i;

	for (i = 0; i < lanes; i++, old = next) {
		if (vsm_mbarrier_try_step(geo, shadow, insn, 0, i, old, &next,
					  &outcome->results[i]))
			return false;
		if (i + 1 < lanes && (old ^ next) & VSM_MBARRIER_PHASE)
			return false;
	}
	outcome->word = old;
	return true;
}

static bool combined(const struct vsm_geometry *geo, struct vsm_shadow *shadow,
		     const struct drm_vsm_insn *insn, __u32 lanes, __u64 old,
		     struct outcome *outcome)
{
	__u64 result, step;
	__u32 i;

	if (!(geo->strict ? vsm_step_arrives(VSM_LAYOUT_SM_90, true, geo, shadow, insn, 0, 0, lanes,
					     old, &outcome->word, &result, &step)
			  : vsm_step_arrives(VSM_LAYOUT_SM_90, false, geo, NULL, insn, 0, 0, lanes,
					     old, &outcome->word, &result, &step)))
		return false;
	for (i = 0; i < lanes; i++)
		outcome->results[i] = result + i * step;
	return true;
}

/* A word in which few arrivals are pending, sometimes with any other bits. */
static __u64 random_word(__u64 *seed)
{
	__u32 most = unit_below(seed, 4) ? 70 : 2;
	__u64 word = vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1 + unit_below(seed, most));

	if (unit_below(seed, 4) == 0)
		word = vsm_mbarrier_expect_tx(word, unit_below(seed, 3) * 16);
	if (unit_below(seed, 4) == 0)
		word ^= VSM_MBARRIER_PHASE;
	if (unit_below(seed, 8) == 0)
		word ^= 1ULL << unit_below(seed, 64);
	return word;
}

static struct drm_vsm_insn random_arrive(__u64 *seed)
{
	struct drm_vsm_insn insn = { .op = DRM_VSM_OP_MBARRIER_ARRIVE };

	if (unit_below(seed, 3) == 0) {
		insn.mods |= DRM_VSM_MOD_COUNT;
		insn.u.mbarrier.count = unit_below(seed, 5);
	}
	if (unit_below(seed, 4) == 0)
		insn.mods |= DRM_VSM_MOD_SINK;
	if (unit_below(seed, 16) == 0)
		insn.mods |= DRM_VSM_MOD_NOCOMPLETE | DRM_VSM_MOD_COUNT;
	if (unit_below(seed, 16) == 0) {
		insn.mods |= DRM_VSM_MOD_EXPECT_TX;
		insn.u.mbarrier.tx_count = unit_below(seed, 2) * 16;
	}
	if (unit_below(seed, 16) == 0)
		insn.op = DRM_VSM_OP_MBARRIER_ARRIVE_DROP;
	return insn;
}

static struct vsm_shadow random_shadow(__u64 *seed, __u64 word)
{
	struct vsm_shadow shadow = { .serial = 0 };

	vsm_shadow_init(&shadow, vsm_serial(unit_below(seed, 1000)) + vsm_mbarrier_phase(word),
			unit_below(seed, 8) ? VSM_VISIBLE : 3, 1);
	shadow.observed = !!unit_below(seed, 8);
	shadow.live = !!unit_below(seed, 16);
	if (unit_below(seed, 8) == 0)
		shadow.raised = unit_below(seed, 40);
	return shadow;
}

/* Compares @RUNS random cases of a policy. Counts those that were combined. */
static unsigned int compare(bool strict)
{
	struct vsm_geometry geo = {
		.ctas = 1, .threads = 32, .smem_bytes = 1024, .layout = VSM_LAYOUT_SM_90,
		.strict = strict,
	};
	__u64 seed = unit_seed() + strict;
	unsigned int i, found = 0;

	for (i = 0; i < RUNS; i++) {
		__u64 begin = seed, old = random_word(&seed);
		struct vsm_shadow shadow = random_shadow(&seed, old);
		struct drm_vsm_insn insn = random_arrive(&seed);
		__u32 lanes = 1 + unit_below(&seed, VSM_WARP_SIZE);
		struct outcome one = { 0 }, all = { 0 };

		geo.enforce = unit_below(&seed, 4) ? 0 : vsm_rules_enforce();
		geo.report = unit_below(&seed, 4) ? 0 : vsm_rules_report();
		if (!combined(&geo, strict ? &shadow : NULL, &insn, lanes, old, &all))
			continue;
		found++;
		if (!one_by_one(&geo, strict ? &shadow : NULL, &insn, lanes, old, &one))
			fail_msg("seed %#llx: %u arrives on %#llx are refused one by one", begin,
				 lanes, old);
		if (one.word != all.word || memcmp(one.results, all.results,
						   lanes * sizeof(one.results[0])))
			fail_msg("seed %#llx: %u arrives on %#llx: %#llx, combined %#llx", begin,
				 lanes, old, one.word, all.word);
	}
	return found;
}

TEST(combined_arrives_are_the_single_ones_in_the_strict_policy)
{
	assert_true(compare(true) > RUNS / 20);
}

TEST(combined_arrives_are_the_single_ones_in_the_hardware_policy)
{
	assert_true(compare(false) > RUNS / 20);
}

/* The arrives of a warp are combined on a barrier that expects more than them, or just them. */
TEST(arrives_of_a_warp_are_combined)
{
	const struct drm_vsm_insn insn = { .op = DRM_VSM_OP_MBARRIER_ARRIVE };
	const struct vsm_geometry geo = {
		.ctas = 1, .threads = 32, .smem_bytes = 1024, .layout = VSM_LAYOUT_SM_90,
	};
	struct outcome all;

	assert_true(combined(&geo, NULL, &insn, 32, vsm_mbarrier_init(geo.layout, 33), &all));
	assert_int_equal(vsm_mbarrier_pending(VSM_LAYOUT_SM_90, all.word), 1);
	assert_true(combined(&geo, NULL, &insn, 32, vsm_mbarrier_init(geo.layout, 32), &all));
	assert_int_equal(vsm_mbarrier_phase(all.word), 1);
	assert_int_equal(all.results[31],
			 vsm_mbarrier_state(VSM_LAYOUT_SM_90,
					    vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1)));
	assert_false(combined(&geo, NULL, &insn, 32, vsm_mbarrier_init(geo.layout, 31), &all));
}

/*
 * Performs an arrive as vsm_engine_arrive_plain() does. Returns false if it is no plain arrive. In
 * these tests it stands in CTA 1.
 */
static bool plain(bool strict, const struct vsm_shadow *shadow, const struct drm_vsm_insn *insn,
		  __u64 old, struct outcome *outcome)
{
	__u64 *next = &outcome->word, *result = &outcome->results[0];

	return vsm_insn_is_plain_arrive(insn, 1) &&
	       (vsm_step_plain_arrive(strict, shadow, insn, old, next, result) ||
		vsm_step_plain_last_arrive(strict, shadow, insn, old, next, result));
}

/*
 * Give a plain instruction an address in CTA 1 or, rarely, in CTA 0. Sometimes flip a bit of the
 * instruction, make the shadow one phase ahead, or choose other rules.
 */
static void randomise(__u64 *seed, struct drm_vsm_insn *insn, struct vsm_shadow *shadow,
		      struct vsm_geometry *geo)
{
	insn->u.mbarrier.addr = vsm_shared_addr(unit_below(seed, 8) > 0, 64);
	if (unit_below(seed, 16) == 0)
		((__u8 *)insn)[unit_below(seed, offsetof(struct drm_vsm_insn, result))] ^=
			1U << unit_below(seed, 8);
	/* Another task may be about to complete the phase. */
	if (unit_below(seed, 16) == 0)
		shadow->serial ^= 1;
	geo->enforce = unit_below(seed, 4) ? 0 : vsm_rules_enforce();
	geo->report = unit_below(seed, 4) ? 0 : vsm_rules_report();
}

/*
 * Is a plain instruction valid? vsm_engine_is_plain_word() has checked its offset, which is not
 * part of these tests.
 */
static bool valid(const struct vsm_geometry *geo, struct drm_vsm_insn insn)
{
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	struct vsm_form form = { 0 };

	insn.u.mbarrier.addr = vsm_shared_addr(vsm_addr_rank(insn.u.mbarrier.addr), 64);
	return !vsm_insn_check(geo, 1, &form, &insn, &fault) && !vsm_insn_makes_visible(&insn);
}

static struct vsm_geometry two_ctas(bool strict)
{
	return (struct vsm_geometry) {
		.ctas = 2, .threads = 32, .smem_bytes = 1024, .layout = VSM_LAYOUT_SM_90,
		.strict = strict,
	};
}

/*
 * Compares @RUNS random arrives of a policy. Counts the plain ones: those that complete no phase,
 * and those that do.
 */
static void compare_plain(bool strict, unsigned int found[2])
{
	struct vsm_geometry geo = two_ctas(strict);
	__u64 seed = unit_seed() + 2 + strict;
	unsigned int i;

	for (i = 0; i < RUNS; i++) {
		__u64 begin = seed, old = random_word(&seed), next, result;
		struct vsm_shadow shadow = random_shadow(&seed, old);
		struct drm_vsm_insn insn = random_arrive(&seed);
		struct outcome outcome;

		randomise(&seed, &insn, &shadow, &geo);
		if (!plain(strict, &shadow, &insn, old, &outcome))
			continue;
		if (!valid(&geo, insn) ||
		    vsm_mbarrier_try_step(&geo, strict ? &shadow : NULL, &insn, 1, 0, old, &next,
					  &result))
			fail_msg("seed %#llx: a plain arrive on %#llx is refused", begin, old);
		if (outcome.word != next || outcome.results[0] != result)
			fail_msg("seed %#llx: an arrive on %#llx: %#llx, plain %#llx", begin, old,
				 next, outcome.word);
		found[(old ^ next) >> VSM_MBARRIER_PHASE_SHIFT]++;
	}
}

static void plain_arrives_are_arrives(bool strict)
{
	unsigned int found[2] = { 0 };

	compare_plain(strict, found);
	assert_true(found[0] > RUNS / 20);
	assert_true(found[1] > RUNS / 500);
}

TEST(plain_arrives_are_arrives_in_the_strict_policy)
{
	plain_arrives_are_arrives(true);
}

TEST(plain_arrives_are_arrives_in_the_hardware_policy)
{
	plain_arrives_are_arrives(false);
}

/* An arrive is not plain if the phase still lacks bytes, or if no arrival is pending. */
TEST(plain_arrives_complete_phases_without_bytes)
{
	struct drm_vsm_insn insn = { .op = DRM_VSM_OP_MBARRIER_ARRIVE };
	struct outcome outcome;
	__u64 word, next;
	__u32 count;

	insn.u.mbarrier.addr = vsm_shared_addr(1, 0);
	for (count = 1; count <= VSM_MBARRIER_MAX_COUNT; count++) {
		word = vsm_mbarrier_init(VSM_LAYOUT_SM_90, count);
		assert_int_equal(vsm_step_plain_arrive(false, NULL, &insn, word, &next,
						       &outcome.results[0]), count > 1);
		assert_true(plain(false, NULL, &insn, word, &outcome));
		assert_int_equal(vsm_mbarrier_phase(outcome.word), count == 1);
	}
	word = vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1);
	assert_false(plain(false, NULL, &insn, vsm_mbarrier_expect_tx(word, 16), &outcome));
	assert_false(plain(false, NULL, &insn, vsm_mbarrier_expect_tx(0, 16), &outcome));
	assert_false(plain(false, NULL, &insn, 0, &outcome));
}

static struct drm_vsm_insn random_wait(__u64 *seed)
{
	return (struct drm_vsm_insn) {
		.op = unit_below(seed, 2) ? DRM_VSM_OP_MBARRIER_TEST_WAIT
					  : DRM_VSM_OP_MBARRIER_TRY_WAIT,
		.mods = DRM_VSM_MOD_PARITY,
		.u.mbarrier.parity = unit_below(seed, 2),
	};
}

/* Performs the same wait as any other instruction. */
static bool wait_step(const struct vsm_geometry *geo, bool locked, struct vsm_shadow *shadow,
		      const struct drm_vsm_insn *insn, __u64 old, __u64 *result)
{
	struct vsm_shadow *known = geo->strict ? shadow : NULL;
	__u64 next;

	if (locked ? vsm_mbarrier_step(geo, known, insn, 1, 0, old, &next, result, NULL)
		   : vsm_mbarrier_try_step(geo, known, insn, 1, 0, old, &next, result))
		return false;
	return next == old;
}

/* Compares @RUNS random waits of a policy, with the lock or without. Counts the plain ones. */
static unsigned int compare_plain_waits(bool strict, bool locked)
{
	struct vsm_geometry geo = two_ctas(strict);
	__u64 seed = unit_seed() + 4 + strict + 2 * locked;
	unsigned int i, found = 0;

	for (i = 0; i < RUNS; i++) {
		__u64 begin = seed, old = random_word(&seed), result, other;
		struct vsm_shadow shadow = random_shadow(&seed, old), copy;
		struct drm_vsm_insn insn = random_wait(&seed);

		randomise(&seed, &insn, &shadow, &geo);
		copy = shadow;
		if (!vsm_insn_is_plain_wait(&insn, 1) ||
		    !vsm_step_plain_wait(strict, locked, &shadow, &insn, old, &result))
			continue;
		if (!valid(&geo, insn) || !wait_step(&geo, locked, &copy, &insn, old, &other))
			fail_msg("seed %#llx: a plain wait for %#llx is refused", begin, old);
		if (result != other || memcmp(&shadow, &copy, sizeof(copy)))
			fail_msg("seed %#llx: a plain wait for %#llx: %llu", begin, old, result);
		found++;
	}
	return found;
}

TEST(plain_waits_are_waits_in_the_strict_policy)
{
	assert_true(compare_plain_waits(true, false) > RUNS / 4);
	assert_true(compare_plain_waits(true, true) > RUNS / 4);
}

TEST(plain_waits_are_waits_in_the_hardware_policy)
{
	assert_true(compare_plain_waits(false, false) > RUNS / 4);
}

/* The first wait that finds a phase complete marks it observed, which takes the lock. */
TEST(a_plain_wait_observes_its_phase_with_the_lock)
{
	struct drm_vsm_insn insn = {
		.op = DRM_VSM_OP_MBARRIER_TEST_WAIT, .mods = DRM_VSM_MOD_PARITY,
	};
	struct vsm_shadow shadow = { .live = 1 };
	__u64 word = vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1) ^ VSM_MBARRIER_PHASE, result;

	assert_false(vsm_step_plain_wait(true, false, &shadow, &insn, word, &result));
	assert_int_equal(shadow.observed, 0);
	assert_true(vsm_step_plain_wait(true, true, &shadow, &insn, word, &result));
	assert_int_equal(shadow.observed, 1);
	assert_int_equal(result, 1);
	assert_true(vsm_step_plain_wait(true, false, &shadow, &insn, word, &result));
	shadow.live = 0;
	assert_false(vsm_step_plain_wait(true, true, &shadow, &insn, word, &result));
}
