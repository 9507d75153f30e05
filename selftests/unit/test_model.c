// SPDX-License-Identifier: MIT
/*
 * Random operations on one word, compared with the model after each operation. This tests the
 * inline functions of the uapi headers, and the verdicts of the checks on words that programs reach
 * only after many operations. test_program.c tests whole programs. VSM_TEST_SEED repeats a run.
 */
#include "unit.h"

#define OPS 300000

/* How often each case occurred. The tests fail if a case occurred too rarely. */
struct tally {
	unsigned long kinds[4];
	unsigned long no_complete;
	unsigned long expect_tx;
	unsigned long phases;
	unsigned long faults[32];
};

/* A random program on one object */
struct program {
	__u64 seed;			/* seed of the whole run */
	__u64 rng;			/* state of the random numbers */
	unsigned long ops;		/* operations performed so far */
	struct model m;			/* the object in the model */
	__u64 word;			/* the word of the object in the core */
	struct vsm_shadow shadow;	/* the shadow of that word */
	__u64 token[2];			/* for each parity, the last token */
	/* For each parity, the phase of that token; -1 if there is none */
	long long token_phase[2];
	struct tally tally;		/* how often each case has occurred */
};

static void check_equal(const struct program *p, const char *what, __u64 seen, __u64 wanted)
{
	if (seen != wanted)
		fail_msg("VSM_TEST_SEED=%#llx sm_%d operation %lu: %s %#llx, not %#llx",
			 p->seed, p->m.sm, p->ops, what, seen, wanted);
}

/* Draws a count. Most draws are at a limit at which the behaviour changes, or next to one. */
static long long draw_count(struct program *p)
{
	const struct model *m = &p->m;

	switch (unit_below(&p->rng, 8)) {
	case 0:
		return m->pending;
	case 1:
		return m->pending + 1 - (long long)unit_below(&p->rng, 3);
	case 2:
		return m->expected + 1 - (long long)unit_below(&p->rng, 3);
	case 3:
		return unit_below(&p->rng, MODEL_MAX + 1);
	case 4:
		return unit_below(&p->rng, 64) ? 1 : (__u32)unit_random(&p->rng);
	default:
		return unit_below(&p->rng, 5);
	}
}

static long long draw_tx(struct program *p)
{
	const struct model *m = &p->m;

	switch (unit_below(&p->rng, 8)) {
	case 0:
		return m->tx < 0 ? -m->tx : m->tx;
	case 1:
		return (m->tx < 0 ? -m->tx : m->tx) + 1 - (long long)unit_below(&p->rng, 3);
	case 2:
		return MODEL_MAX - m->tx + 1 - (long long)unit_below(&p->rng, 3);
	case 3:
		return MODEL_MAX + m->tx + 1 - (long long)unit_below(&p->rng, 3);
	case 4:
		return unit_below(&p->rng, 64) ? 16 : (__u32)unit_random(&p->rng);
	default:
		return unit_below(&p->rng, 256);
	}
}

static struct model_op draw_op(struct program *p)
{
	struct model_op op = { 0 };

	if (p->m.sm == 80) {
		op.kind = unit_below(&p->rng, 8) ? MODEL_ARRIVE : MODEL_ARRIVE_DROP;
		op.no_complete = unit_below(&p->rng, 2);
		op.counted = op.no_complete;
	} else {
		static const enum model_kind kinds[] = {
			MODEL_ARRIVE, MODEL_ARRIVE, MODEL_ARRIVE, MODEL_ARRIVE_DROP,
			MODEL_EXPECT_TX, MODEL_EXPECT_TX, MODEL_COMPLETE_TX, MODEL_COMPLETE_TX,
		};

		op.kind = kinds[unit_below(&p->rng, ARRAY_SIZE(kinds))];
		if (op.kind == MODEL_ARRIVE || op.kind == MODEL_ARRIVE_DROP) {
			op.counted = unit_below(&p->rng, 2);
			op.no_complete = op.counted && !unit_below(&p->rng, 4);
			op.expect_tx = !op.counted && unit_below(&p->rng, 2);
		}
	}
	if (op.counted)
		op.count = (__u32)draw_count(p);
	if (op.expect_tx || op.kind == MODEL_EXPECT_TX || op.kind == MODEL_COMPLETE_TX)
		op.tx = (__u32)draw_tx(p);
	return op;
}

static void object_init(struct program *p)
{
	static const __u32 counts[] = { 1, 2, 3, 4, 32, MODEL_MAX - 1, MODEL_MAX };
	__u32 count = counts[unit_below(&p->rng, ARRAY_SIZE(counts))];

	model_init(&p->m, p->m.sm, count);
	p->word = vsm_mbarrier_init(unit_layout(p->m.sm), count);
	p->shadow = unit_shadow(p->word);
	p->token_phase[0] = -1;
	p->token_phase[1] = -1;
	check_equal(p, "word of init", p->word, model_encode(&p->m));
}

/* Compares everything that the core says about the object with the model. */
static void check_object(struct program *p)
{
	enum vsm_layout layout = unit_layout(p->m.sm);
	struct vsm_mbarrier_fields f = vsm_mbarrier_decode(layout, p->word);
	struct vsm_geometry geo = unit_geometry(p->m.sm, true);
	struct drm_vsm_insn wait = { .op = OP(MBARRIER_TEST_WAIT) };
	__u64 next, result;
	unsigned int i;

	check_equal(p, "word", p->word, model_encode(&p->m));
	check_equal(p, "decoded phase", f.phase, p->m.phase % 2);
	check_equal(p, "decoded pending", f.pending, p->m.pending);
	check_equal(p, "decoded expected", f.expected, p->m.expected);
	check_equal(p, "decoded tx", f.tx, p->m.tx);
	check_equal(p, "decoded poison", f.poison, 0);
	check_equal(p, "decoded reserved", f.reserved, 0);

	wait.mods = MOD(PARITY);
	for (i = 0; i < 2; i++) {
		wait.u.mbarrier.parity = i;
		vsm_mbarrier_step(&geo, &p->shadow, &wait, 0, 0, p->word, &next, &result, NULL);
		check_equal(p, "wait of parity", result, model_wait_parity(&p->m, i));
		check_equal(p, "word after wait", next, p->word);
	}
	/*
	 * The parity of one of the two waits was that of the previous phase, which is now observed.
	 */
	p->m.observed = true;
	check_equal(p, "observed", p->shadow.observed, true);
	wait.mods = 0;
	wait.u.mbarrier.parity = 0;
	for (i = 0; i < 2; i++) {
		/*
		 * PTX allows a wait only with a token of the current or the immediately preceding
		 * phase.
		 */
		if (p->token_phase[i] < 0 || p->token_phase[i] < p->m.phase - 1)
			continue;
		wait.u.mbarrier.state = p->token[i];
		vsm_mbarrier_step(&geo, &p->shadow, &wait, 0, 0, p->word, &next, &result, NULL);
		check_equal(p, "wait of token", result, model_wait(&p->m, p->token_phase[i]));
	}
}

/* Performs the operation with the inline functions of the header, as user space would. */
static __u64 inline_step(int sm, __u64 word, const struct model_op *op)
{
	__u32 count = op->counted ? op->count : 1;

	switch (op->kind) {
	case MODEL_ARRIVE:
		return vsm_mbarrier_arrive(unit_layout(sm), word, count, 0, op->tx);
	case MODEL_ARRIVE_DROP:
		return vsm_mbarrier_arrive(unit_layout(sm), word, count, count, op->tx);
	case MODEL_EXPECT_TX:
		return vsm_mbarrier_expect_tx(word, op->tx);
	default:
		return vsm_mbarrier_complete_tx(word, op->tx);
	}
}

static void check_result(struct program *p, const struct drm_vsm_insn *insn,
			 const struct model *before, __u64 result)
{
	__u64 high = model_encode(before) >> 32;
	enum vsm_layout layout = unit_layout(p->m.sm);
	bool arrive = insn->op == OP(MBARRIER_ARRIVE) || insn->op == OP(MBARRIER_ARRIVE_DROP);

	if (!arrive || insn->mods & MOD(SINK)) {
		check_equal(p, "result", result, 0);
		return;
	}
	check_equal(p, "token's high word", result >> 32, high);
	p->token[before->phase % 2] = result;
	p->token_phase[before->phase % 2] = before->phase;
	if (!(insn->mods & MOD(NOCOMPLETE)))
		return;
	if (p->m.sm == 80)
		check_equal(p, "token's low word", (__u32)result, high);
	check_equal(p, "pending_count", vsm_mbarrier_pending_count(layout, result),
		    before->pending);
}

/* Performs a legal operation. Both policies must accept it and do the same as the model. */
static void perform(struct program *p, const struct model_op *op)
{
	struct drm_vsm_insn insn = unit_insn(op);
	__u32 thread = unit_below(&p->rng, 1024);
	const struct model before = p->m;
	enum drm_vsm_fault fault;
	__u64 word[2], result[2];
	int strict;

	if (op->kind <= MODEL_ARRIVE_DROP && !unit_below(&p->rng, 8))
		insn.mods |= MOD(SINK);
	p->ops++;
	p->tally.kinds[op->kind]++;
	p->tally.no_complete += op->no_complete;
	p->tally.expect_tx += op->expect_tx;
	p->tally.phases += model_apply(&p->m, op);
	for (strict = 0; strict < 2; strict++) {
		struct vsm_geometry geo = unit_geometry(p->m.sm, strict);

		check_equal(p, "check", check_insn(&geo, 0, &insn, &fault), 0);
		check_equal(p, "fault",
			    vsm_mbarrier_step(&geo, strict ? &p->shadow : NULL, &insn, 0, thread,
					      p->word, &word[strict], &result[strict], NULL), 0);
	}
	check_equal(p, "word under the hardware policy", word[0], word[1]);
	check_equal(p, "result's high word under the hardware policy", result[0] >> 32,
		    result[1] >> 32);
	if ((p->word ^ word[1]) >> 63)
		vsm_shadow_advance(&p->shadow);
	check_equal(p, "word of the inline transition", inline_step(p->m.sm, p->word, op), word[1]);
	p->word = word[1];
	check_result(p, &insn, &before, result[1]);
	check_object(p);
}

static void run_legal_programs(int sm)
{
	struct program p = { .seed = unit_seed(), .m.sm = sm };
	unsigned long wanted = OPS;
	unsigned int tries;
	int i;

	p.rng = p.seed + sm;
	while (p.ops < wanted) {
		object_init(&p);
		check_object(&p);
		/*
		 * A new object follows at random, or when 100 draws in a row gave no legal
		 * operation.
		 */
		for (tries = 0; tries < 100 && p.ops < wanted; tries++) {
			struct model_op op = draw_op(&p);

			if (model_faults(&p.m, &op))
				continue;
			perform(&p, &op);
			tries = 0;
			if (!unit_below(&p.rng, 1000))
				break;
		}
	}
	for (i = 0; i < (sm == 80 ? 2 : 4); i++)
		assert_in_range(p.tally.kinds[i], wanted / 1000, wanted);
	assert_in_range(p.tally.no_complete, wanted / 1000, wanted);
	if (sm == 90)
		assert_in_range(p.tally.expect_tx, wanted / 1000, wanted);
	assert_in_range(p.tally.phases, wanted / 1000, wanted);
}

TEST(legal_operations_on_sm_90_are_the_model_s)
{
	run_legal_programs(90);
}

TEST(legal_operations_on_sm_80_are_the_model_s)
{
	run_legal_programs(80);
}

static long long forge_count(struct program *p)
{
	switch (unit_below(&p->rng, 4)) {
	case 0:
		return unit_below(&p->rng, MODEL_MAX + 1);
	case 1:
		return MODEL_MAX - unit_below(&p->rng, 4);
	default:
		return unit_below(&p->rng, 4);
	}
}

/*
 * Makes an object with random counts in PTX's ranges, also counts that take many operations to
 * reach.
 */
static void object_forge(struct program *p)
{
	struct model *m = &p->m;

	do {
		m->phase = unit_below(&p->rng, 2);
		m->raised = unit_below(&p->rng, 2) ? 0 : unit_below(&p->rng, 4);
		m->pending = forge_count(p) + m->raised;
		m->expected = forge_count(p);
		m->tx = 0;
		if (m->sm == 90 && unit_below(&p->rng, 4)) {
			long long bound = unit_below(&p->rng, 2) ? 64 : MODEL_MAX;

			m->tx = (long long)unit_below(&p->rng, 2 * bound + 1) - bound;
		}
	} while (!model_legal(m));
	m->observed = unit_below(&p->rng, 8);
	m->initialiser = unit_below(&p->rng, 8) ? MODEL_VISIBLE : (int)unit_below(&p->rng, 1024);
	p->word = model_encode(m);
	p->shadow = unit_shadow(p->word);
	p->shadow.observed = m->observed;
	p->shadow.raised = m->raised;
	if (m->initialiser != MODEL_VISIBLE)
		p->shadow.initialiser = m->initialiser;
}

/*
 * Draws an operation whose verdict depends on the counts. If its form permits, it may be remote.
 */
static struct model_op draw_verdict(struct program *p, struct drm_vsm_insn *insn)
{
	struct model_op op = draw_op(p);

	if (unit_below(&p->rng, 8)) {
		*insn = unit_insn(&op);
	} else {
		op = (struct model_op) { .kind = MODEL_ISSUE, .noinc = unit_below(&p->rng, 2) };
		*insn = (struct drm_vsm_insn) {
			.op = OP(CP_ASYNC_MBARRIER_ARRIVE),
			.mods = op.noinc ? MOD(NOINC) : 0,
		};
	}
	op.remote = p->m.sm == 90 && op.kind != MODEL_ISSUE && !op.no_complete &&
		    unit_below(&p->rng, 2);
	if (op.remote) {
		insn->u.mbarrier.addr = vsm_shared_addr(1, 0);
		if (op.kind == MODEL_ARRIVE || op.kind == MODEL_ARRIVE_DROP)
			insn->mods |= MOD(SINK);
	}
	return op;
}

static void run_verdicts(int sm)
{
	struct program p = {
		.seed = unit_seed(),
		.m = { .sm = sm, .live = true },
	};
	struct vsm_geometry geo = unit_geometry(sm, true);
	unsigned long wanted = OPS;
	unsigned int code;

	p.rng = p.seed + 2 * sm;
	for (p.ops = 0; p.ops < wanted; p.ops++) {
		struct drm_vsm_insn insn;
		struct model_op op;
		enum drm_vsm_fault fault;
		unsigned int faults;
		__u64 next = POISON, result;
		int rc;

		object_forge(&p);
		op = draw_verdict(&p, &insn);
		faults = model_faults(&p.m, &op);
		rc = check_insn(&geo, 0, &insn, &fault);
		if (!rc)
			fault = vsm_mbarrier_step(&geo, &p.shadow, &insn, 0, 0, p.word, &next,
						  &result, NULL);
		else
			check_equal(&p, "check", rc, -EPROTO);
		p.tally.faults[fault]++;
		if (fault) {
			check_equal(&p, "breach of the rule named", 1, faults >> fault & 1);
			if (next != POISON)
				check_equal(&p, "refused word", next, p.word);
			continue;
		}
		check_equal(&p, "rules broken", 0, faults);
		model_apply(&p.m, &op);
		check_equal(&p, "word", next, model_encode(&p.m));
		check_equal(&p, "legal counts", model_legal(&p.m), true);
	}
	/* Each fault that the word can cause must have occurred, and so must a legal operation. */
	for (code = 0; code < 32; code++) {
		static const __u32 both = 1 << FAULT(NONE) | 1 << FAULT(BAD_COUNT) |
			1 << FAULT(NOCOMPLETE_COMPLETES) | 1 << FAULT(DROP_TO_ZERO) |
			1 << FAULT(PHASE_UNOBSERVED) | 1 << FAULT(PENDING_RANGE);
		/*
		 * In sm_80 only .noComplete has a count, and at least one arrival is always
		 * pending.
		 */
		static const __u32 sm_90 = 1 << FAULT(ARRIVAL_OVERFLOW) | 1 << FAULT(TX_RANGE) |
			1 << FAULT(TX_OVERDELIVERY) | 1 << FAULT(INIT_NOT_FENCED);

		if ((both | (sm == 90 ? sm_90 : 0)) >> code & 1)
			assert_in_range(p.tally.faults[code], wanted / 1000, wanted);
		else
			assert_int_equal(p.tally.faults[code], 0);
	}
}

TEST(verdicts_on_sm_90_are_the_model_s)
{
	run_verdicts(90);
}

TEST(verdicts_on_sm_80_are_the_model_s)
{
	run_verdicts(80);
}
