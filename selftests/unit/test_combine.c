// SPDX-License-Identifier: MIT
/*
 * Arrives of several lanes that are combined into one step of the word, compared with
 * vsm_mbarrier_try_step() for each lane.
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
					    vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1), 0));
	assert_false(combined(&geo, NULL, &insn, 32, vsm_mbarrier_init(geo.layout, 31), &all));
}
