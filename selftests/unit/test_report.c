// SPDX-License-Identifier: MIT
/*
 * Rules that a cluster only reports. Every broken rule is reported, and the other rules are still
 * enforced. The operation does the same as in the hardware policy, and the shadow still agrees with
 * the word.
 */
#include "device.h"
#include "unit.h"

#define OPS 200000

/* The rules that the model knows, as a mask. They have the numbers below 32. */
#define RULES (vsm_rules_report() & 0xffffffffU)

TEST(every_fault_has_a_bit_of_its_own)
{
	static const unsigned int last[] = {
		FAULT(PLAIN_ACCESS), FAULT(TENSOR_MAP), FAULT(THREAD_SUSPENDED),
	};
	__u64 seen = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(last); i++) {
		unsigned int code;

		for (code = (last[i] & ~0xffU) + 1; code <= last[i]; code++) {
			__u64 rule = DRM_VSM_RULE(code);

			assert_int_equal(rule & (rule - 1), 0);
			assert_int_equal(seen & rule, 0);
			assert_int_equal(vsm_rule_fault(__builtin_ctzll(rule)), code);
			seen |= rule;
		}
	}
	assert_int_equal((vsm_rules_report() | vsm_rules_enforce()) & ~seen, 0);
}

TEST(a_rule_refuses_unless_it_is_reported)
{
	struct vsm_geometry geo = unit_geometry(90, true);
	__u64 broken = DRM_VSM_RULE(FAULT(TX_RANGE));

	geo.report = DRM_VSM_RULE(FAULT(STALE_TOKEN));
	assert_true(vsm_rule_refuses(&geo, NULL, FAULT(STALE_TOKEN)));
	assert_true(vsm_rule_refuses(&geo, &broken, FAULT(DROP_TO_ZERO)));
	assert_int_equal(broken, DRM_VSM_RULE(FAULT(TX_RANGE)));
	assert_false(vsm_rule_refuses(&geo, &broken, FAULT(STALE_TOKEN)));
	assert_int_equal(broken, DRM_VSM_RULE(FAULT(TX_RANGE)) | DRM_VSM_RULE(FAULT(STALE_TOKEN)));
}

/* --- one operation on any object -------------------------------------------- */

static long long near(__u64 *rng, long long count)
{
	switch (unit_below(rng, 4)) {
	case 0:
		return unit_below(rng, 4);
	case 1:
		return unit_random(rng) & 0xffffffff;
	default:
		return (count + 2 - (long long)unit_below(rng, 5)) & 0xffffffff;
	}
}

static struct model forge(__u64 *rng, int sm)
{
	struct model m = { .sm = sm, .live = true };

	do {
		m.phase = unit_below(rng, 2);
		m.raised = sm == 90 && unit_below(rng, 4) == 0;
		m.pending = unit_below(rng, 8) ? unit_below(rng, 5)
					       : MODEL_MAX - unit_below(rng, 3);
		m.expected = unit_below(rng, 8) ? unit_below(rng, 5) : MODEL_MAX;
		m.tx = sm == 90 && unit_below(rng, 2) ? (long long)unit_below(rng, 65) - 32 : 0;
		if (sm == 90 && unit_below(rng, 16) == 0)
			m.tx = MODEL_MAX * (unit_below(rng, 2) ? 1 : -1);
	} while (!model_legal(&m));
	m.observed = unit_below(rng, 2);
	m.letter = unit_below(rng, 2);
	m.initialiser = unit_below(rng, 4) ? MODEL_VISIBLE : 7;
	return m;
}

static struct model_op draw_op(__u64 *rng, const struct model *m, struct drm_vsm_insn *insn)
{
	struct model_op op = { .kind = unit_below(rng, m->sm == 80 ? 2 : 4) };

	if (unit_below(rng, 8) == 0) {
		op = (struct model_op) { .kind = MODEL_ISSUE, .noinc = unit_below(rng, 2) };
		*insn = (struct drm_vsm_insn) {
			.op = OP(CP_ASYNC_MBARRIER_ARRIVE), .mods = op.noinc ? MOD(NOINC) : 0,
		};
		return op;
	}
	if (op.kind == MODEL_ARRIVE || op.kind == MODEL_ARRIVE_DROP) {
		op.counted = unit_below(rng, 2);
		op.no_complete = op.counted && (m->sm == 80 || unit_below(rng, 2));
		op.expect_tx = m->sm == 90 && !op.counted && unit_below(rng, 2);
	}
	if (op.counted)
		op.count = near(rng, unit_below(rng, 2) ? m->pending : m->expected);
	if (op.expect_tx || op.kind == MODEL_EXPECT_TX || op.kind == MODEL_COMPLETE_TX)
		op.tx = near(rng, op.kind == MODEL_COMPLETE_TX ? model_shown_tx(m)
							       : -model_shown_tx(m));
	op.remote = m->sm == 90 && !op.no_complete && unit_below(rng, 2);
	*insn = unit_insn(&op);
	if (!op.remote)
		return op;
	insn->u.mbarrier.addr = vsm_shared_addr(1, 0);
	if (op.kind == MODEL_ARRIVE || op.kind == MODEL_ARRIVE_DROP)
		insn->mods |= MOD(SINK);
	return op;
}

/* How often each rule was reported, alone or while another rule refused the operation. */
struct tally {
	unsigned long reported[32];
	unsigned long beside[32];
	unsigned long done;
};

static void note(unsigned long counts[32], unsigned int faults)
{
	unsigned int i;

	for (i = 0; i < 32; i++)
		counts[i] += faults >> i & 1;
}

static void check_verdict(__u64 *rng, struct tally *tally, int sm)
{
	struct model m = forge(rng, sm);
	__u64 word = model_encode(&m), next[2] = { word, word }, result[2], broken = 0;
	struct vsm_geometry geo = unit_geometry(sm, true), hardware = unit_geometry(sm, false);
	struct vsm_shadow shadow = unit_shadow(word), before;
	enum drm_vsm_fault fault, trapped;
	struct drm_vsm_insn insn;
	struct model_op op = draw_op(rng, &m, &insn);
	unsigned int faults = model_faults(&m, &op);
	int rc;

	geo.report = vsm_rules_report();
	if (unit_below(rng, 4))
		geo.report &= unit_random(rng);
	geo.enforce = m.letter ? DRM_VSM_RULE(FAULT(PHASE_UNOBSERVED)) : 0;
	shadow.observed = m.observed;
	shadow.raised = m.raised;
	if (m.initialiser != MODEL_VISIBLE)
		shadow.initialiser = m.initialiser;
	before = shadow;

	rc = check_insn(&geo, 0, &insn, &fault);
	if (faults & 1 << FAULT(BAD_COUNT)) {
		assert_int_equal(fault, FAULT(BAD_COUNT));
		assert_int_equal(rc, geo.report & 1 << FAULT(BAD_COUNT) ? VSM_REPORTS : -EPROTO);
		broken = geo.report & 1 << FAULT(BAD_COUNT);
	} else {
		assert_int_equal(rc, 0);
	}
	if (rc < 0)
		return;
	fault = vsm_mbarrier_step(&geo, &shadow, &insn, 0, 0, word, &next[0], &result[0], &broken);
	/* The shadow must not change here. The caller of vsm_mbarrier_step() changes it. */
	assert_memory_equal(&shadow, &before, sizeof(shadow));
	assert_int_equal(broken & ~geo.report, 0);
	assert_int_equal(broken & ~(__u64)faults, 0);
	/* What does the same operation do in the hardware policy? */
	trapped = vsm_mbarrier_step(&hardware, NULL, &insn, 0, 0, word, &next[1], &result[1], NULL);
	if (faults & ~geo.report) {
		assert_int_equal(faults >> fault & 1, 1);
		/* It trapped before the core came to a rule that is enforced. */
		if (geo.report >> fault & 1)
			assert_int_equal(fault, trapped);
		note(tally->beside, broken);
		return;
	}
	assert_int_equal(fault, trapped);
	note(tally->reported, broken);
	tally->done++;
	if (trapped) {
		assert_int_equal(broken >> trapped & 1, 1);
		return;
	}
	assert_int_equal(broken, faults);
	assert_int_equal(next[0], next[1]);
	assert_int_equal(result[0] >> 32, result[1] >> 32);
}

static void check_verdicts(int sm)
{
	static const unsigned int both = 1 << FAULT(BAD_COUNT) | 1 << FAULT(NOCOMPLETE_COMPLETES) |
		1 << FAULT(DROP_TO_ZERO) | 1 << FAULT(PHASE_UNOBSERVED) |
		1 << FAULT(ARRIVAL_OVERFLOW) | 1 << FAULT(PENDING_RANGE);
	static const unsigned int sm_90 = 1 << FAULT(TX_RANGE) | 1 << FAULT(TX_OVERDELIVERY) |
		1 << FAULT(INIT_NOT_FENCED);
	struct tally tally = { 0 };
	__u64 seed = unit_seed(), rng = seed + sm;
	unsigned int i;

	for (i = 0; i < OPS; i++)
		check_verdict(&rng, &tally, sm);
	assert_in_range(tally.done, OPS / 10, OPS);
	for (i = 0; i < 32; i++) {
		if (!((both | (sm == 90 ? sm_90 : 0)) >> i & 1))
			continue;
		assert_in_range(tally.reported[i], 20, OPS);
		/*
		 * The core checks these two rules last, so that no later rule can refuse the
		 * operation.
		 */
		if (i != FAULT(PHASE_UNOBSERVED) && i != FAULT(PENDING_RANGE))
			assert_in_range(tally.beside[i], 20, OPS);
	}
}

TEST(all_that_an_operation_breaks_is_reported_on_sm_90)
{
	check_verdicts(90);
}

TEST(all_that_an_operation_breaks_is_reported_on_sm_80)
{
	check_verdicts(80);
}

/* --- programs ---------------------------------------------------------------- */

#define WORDS	4
#define TOKENS	8

/* A program on a cluster that reports every rule and on one of the hardware policy */
struct twins {
	__u64 seed;			/* seed of the program */
	__u64 rng;			/* state of the random numbers */
	struct device strict;		/* the cluster that reports every rule */
	struct device hardware;		/* the cluster of the hardware policy */
	__u64 tokens[TOKENS];		/* tokens that @strict has returned */
	unsigned long done;		/* instructions that both have performed */
	unsigned long reported[64];	/* how often each rule was reported, or trapped on */
};

static __u32 draw_address(struct twins *t)
{
	return unit_below(&t->rng, WORDS) * sizeof(__u64);
}

static struct drm_vsm_insn draw_wait(struct twins *t, int sm)
{
	struct drm_vsm_insn insn = { .op = sm == 90 && unit_below(&t->rng, 2)
					   ? OP(MBARRIER_TRY_WAIT) : OP(MBARRIER_TEST_WAIT) };

	if (unit_below(&t->rng, 2)) {
		insn.mods = MOD(PARITY);
		insn.u.mbarrier.parity = unit_below(&t->rng, unit_below(&t->rng, 4) ? 2 : 5);
	} else {
		insn.u.mbarrier.state = t->tokens[unit_below(&t->rng, TOKENS)];
	}
	return insn;
}

static struct drm_vsm_insn draw_insn(struct twins *t, int sm)
{
	struct drm_vsm_insn insn = { .op = OP(MBARRIER_PENDING_COUNT) };
	__u64 *rng = &t->rng;
	struct model m;

	switch (unit_below(rng, 16)) {
	case 0:
		insn.u.mbarrier.state = t->tokens[unit_below(rng, TOKENS)];
		return insn;
	case 1:
		insn.op = OP(MBARRIER_INIT);
		insn.u.mbarrier.count = unit_below(rng, 8) ? 1 + (long long)unit_below(rng, 3)
							   : near(rng, 1 << 20);
		break;
	case 2:
		insn.op = unit_below(rng, 2) ? OP(MBARRIER_INVAL) : OP(MBARRIER_INIT);
		insn.u.mbarrier.count = insn.op == OP(MBARRIER_INIT);
		break;
	case 3:
	case 4:
	case 5:
	case 6:
		insn = draw_wait(t, sm);
		break;
	case 7:
		insn.op = OP(CP_ASYNC_MBARRIER_ARRIVE);
		insn.mods = unit_below(rng, 2) ? MOD(NOINC) : 0;
		break;
	default:
		insn.u.mbarrier.addr = draw_address(t);
		model_decode(&m, sm, *device_word(&t->strict, insn.u.mbarrier.addr));
		draw_op(rng, &m, &insn);
		if (insn.op == OP(CP_ASYNC_MBARRIER_ARRIVE) || unit_below(rng, 4))
			break;
		/* Replace most operations by a plain arrive. */
		insn = (struct drm_vsm_insn) { .op = OP(MBARRIER_ARRIVE) };
	}
	insn.u.mbarrier.addr = draw_address(t);
	return insn;
}

static void check_equal(const struct twins *t, const char *what, __u64 strict, __u64 hardware)
{
	if (strict != hardware)
		fail_msg("VSM_TEST_SEED=%#llx insn %lu: %s is %#llx, in hardware %#llx",
			 t->seed, t->done, what, strict, hardware);
}

static void execute(struct twins *t, int sm, int async)
{
	struct drm_vsm_insn insn = draw_insn(t, sm), same = insn;
	unsigned int bit;
	int ret;

	ret = device_exec(&t->strict, 0, 0, &insn, async);
	for (bit = 0; bit < 64; bit++)
		t->reported[bit] += t->strict.broken >> bit & 1;
	if (ret) {
		/* There is no object, or the operation traps in both clusters. */
		assert_int_equal(ret, -EPROTO);
		if (insn.fault == FAULT(NOT_AN_MBARRIER))
			return;
		assert_true(t->strict.lost);
		assert_int_equal(t->strict.broken >> insn.fault & 1, 0);
		t->reported[insn.fault]++;
	}
	check_equal(t, "return value", ret, device_exec(&t->hardware, 0, 0, &same, async));
	check_equal(t, "fault", insn.fault, same.fault);
	check_equal(t, "result's high word", insn.result >> 32, same.result >> 32);
	if (insn.op == OP(MBARRIER_ARRIVE) || insn.op == OP(MBARRIER_ARRIVE_DROP))
		t->tokens[unit_below(&t->rng, TOKENS)] = insn.result;
	else
		check_equal(t, "result", insn.result, same.result);
	t->done++;
}

static void complete(struct twins *t, int async)
{
	struct drm_vsm_insn insn, same;
	unsigned int bit;
	int ret;

	ret = device_complete(&t->strict, async, &insn);
	for (bit = 0; bit < 64; bit++)
		t->reported[bit] += t->strict.broken >> bit & 1;
	if (ret && insn.fault == FAULT(NOT_AN_MBARRIER)) {
		t->hardware.asyncs[async].used = false;
		return;
	}
	check_equal(t, "return value as it happens", ret,
		    device_complete(&t->hardware, async, &same));
	check_equal(t, "fault as it happens", insn.fault, same.fault);
}

static void check_shadows(struct twins *t, int sm)
{
	unsigned int i, j;

	for (i = 0; i < WORDS; i++) {
		const struct vsm_shadow *shadow = device_shadow(&t->strict, i * 8);
		__u64 word = *device_word(&t->strict, i * 8);
		__u32 bound = 0, raised = 0;

		check_equal(t, "word", word, *device_word(&t->hardware, i * 8));
		for (j = 0; j < DEVICE_ASYNCS; j++) {
			const struct device_async *a = &t->strict.asyncs[j];

			if (!a->used || a->insn.u.mbarrier.addr != i * 8)
				continue;
			bound++;
			raised += sm == 90 && !(a->insn.mods & MOD(NOINC)) &&
				  a->serial == shadow->serial;
		}
		if (!shadow)
			continue;
		check_equal(t, "bound", shadow->bound, bound);
		check_equal(t, "raised", shadow->live ? shadow->raised : raised, raised);
		check_equal(t, "parity", shadow->live ? shadow->serial & 1 : word >> 63,
			    word >> 63);
	}
}

static void play(struct twins *t, int sm)
{
	struct vsm_geometry strict = unit_geometry(sm, true), hardware = unit_geometry(sm, false);
	unsigned int i, ops = 1 + unit_below(&t->rng, 200);

	strict.report = vsm_rules_report();
	strict.enforce = unit_below(&t->rng, 2) ? DRM_VSM_RULE(FAULT(PHASE_UNOBSERVED)) : 0;
	device_create(&t->strict, &strict);
	device_create(&t->hardware, &hardware);
	memset(t->tokens, 0, sizeof(t->tokens));
	for (i = 0; i < ops && !t->strict.lost; i++) {
		int async = unit_below(&t->rng, 8);

		if (t->strict.asyncs[async].used)
			complete(t, async);
		else if (unit_below(&t->rng, 16))
			execute(t, sm, async);
		else
			device_wait(&t->strict, draw_address(t), unit_below(&t->rng, 2));
		check_shadows(t, sm);
		check_equal(t, "loss", t->strict.lost, t->hardware.lost);
	}
	device_destroy(&t->strict);
	device_destroy(&t->hardware);
}

static void play_twins(int sm)
{
	struct twins t = { .seed = unit_seed() };
	unsigned int code;

	t.rng = t.seed + 3 * sm;
	while (t.done < OPS)
		play(&t, sm);
	for (code = 1; code < 32; code++) {
		/*
		 * These rules cannot be broken here: the program has no remote operation and no
		 * copy, and sm_80 has no transactions.
		 */
		if (code == FAULT(INIT_NOT_FENCED) || code == FAULT(WRITE_OVER_LIVE) ||
		    code == FAULT(READ_OVER_LIVE) ||
		    (sm == 80 && (code == FAULT(TX_RANGE) || code == FAULT(TX_OVERDELIVERY))))
			continue;
		if (RULES >> code & 1 && t.reported[code] < 20)
			fail_msg("sm_%d: rule %u was reported %lu times", sm, code,
				 t.reported[code]);
	}
}

TEST(reporting_all_does_what_hardware_does_on_sm_90)
{
	play_twins(90);
}

TEST(reporting_all_does_what_hardware_does_on_sm_80)
{
	play_twins(80);
}
