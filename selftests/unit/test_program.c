// SPDX-License-Identifier: MIT
/*
 * Whole programs of generator.c, executed by the core. In a legal program nothing may be refused,
 * and every result, token and word must be the model's. In the other programs a misuse is planted.
 * The core must report it with the right fault, and it must change nothing. VSM_TEST_SEED repeats a
 * run. VSM_TEST_OPS sets the number of legal operations.
 */
#include "unit.h"

#include "device.h"
#include "generator.h"

#define DEFAULT_OPS	10000000
#define PROGRAM_OPS	20000	/* in each cluster */
#define PLANTED		2000	/* how often each misuse is planted */

enum { STRICT, HARDWARE, POLICIES };

/* A program on devices of both policies */
struct player {
	__u64 seed;					/* seed of the whole run */
	unsigned long ops;				/* steps performed so far in all programs */
	struct generator g;				/* the program */
	struct device dev[POLICIES];			/* the devices, one for each policy */
	bool runs[POLICIES];	/* which of these devices execute the program */
	__u64 tokens[POLICIES][GENERATOR_TOKENS];	/* the tokens that the devices returned */
	struct model_token known[GENERATOR_TOKENS];	/* what the model knows of each token */
	bool has[GENERATOR_TOKENS];			/* which tokens exist */
	/* The misuse that has been planted; NULL in a legal program */
	const struct generator_misuse *planted;
};

static void check_equal(const struct player *p, const struct generator_step *s, const char *what,
			__u64 seen, __u64 wanted)
{
	if (seen == wanted)
		return;
	print_error("action %d, CTA %u, thread %u: op %u, mods %#x, addr %#x, count %u, tx %u\n",
		    s->action, s->cta, s->thread, s->insn.op, s->insn.mods,
		    s->insn.u.mbarrier.addr, s->insn.u.mbarrier.count,
		    s->insn.u.mbarrier.tx_count);
	fail_msg("VSM_TEST_SEED=%#llx sm_%d step %lu (%s): %s %#llx, not %#llx", p->seed,
		 p->g.config.sm, p->ops, p->planted ? p->planted->name : "legal", what, seen,
		 wanted);
}

/*
 * Two tokens must have the same low word if they come from the same object, phase and kind of
 * arrive, and otherwise different low words.
 */
static void check_token(const struct player *p, const struct generator_step *s, int policy)
{
	const struct model_token *mine = &s->returned;
	__u64 token = p->tokens[policy][s->slot];
	int i;

	if (p->g.config.sm == 80 && mine->no_complete) {
		check_equal(p, s, "token's low word", (__u32)token, token >> 32);
		return;
	}
	if (policy == HARDWARE) {
		if (mine->no_complete)
			check_equal(p, s, "token's low word", (__u32)token, 1U << s->thread % 32);
		return;
	}
	for (i = 0; i < GENERATOR_TOKENS; i++) {
		const struct model_token *other = &p->known[i];
		bool same = other->object == mine->object && other->phase == mine->phase &&
			    other->no_complete == mine->no_complete;

		if (p->has[i] && !(p->g.config.sm == 80 && other->no_complete))
			check_equal(p, s, "low word is another token's",
				    (__u32)p->tokens[policy][i] == (__u32)token, same);
	}
}

static void play_insn(struct player *p, const struct generator_step *s, int policy)
{
	struct device *dev = &p->dev[policy];
	struct drm_vsm_insn insn = s->insn;
	int ret;

	if (s->token >= 0)
		insn.u.mbarrier.state = p->tokens[policy][s->token] ^ s->twist;
	ret = device_exec(dev, s->cta, s->thread, &insn, s->async);
	check_equal(p, s, "fault", insn.fault, s->fault);
	check_equal(p, s, "return value", ret, s->fault ? -EPROTO : 0);
	check_equal(p, s, "info", insn.info, s->info);
	if (s->slot < 0) {
		check_equal(p, s, "result", insn.result, s->result);
		return;
	}
	check_equal(p, s, "token's high word", insn.result >> 32, s->result >> 32);
	p->tokens[policy][s->slot] = insn.result;
	p->known[s->slot] = s->returned;
	p->has[s->slot] = true;
	check_token(p, s, policy);
}

static void play_done(struct player *p, const struct generator_step *s,
		      const struct generator_done *done, int policy)
{
	struct device *dev = &p->dev[policy];
	struct drm_vsm_insn insn;
	int ret = device_complete(dev, done->async, &insn);

	check_equal(p, s, "fault as it happens", insn.fault, done->insn.fault);
	check_equal(p, s, "return value as it happens", ret, insn.fault ? -EPROTO : 0);
	check_equal(p, s, "result as it happens", insn.result, done->insn.result);
	check_equal(p, s, "word as it happens", *device_word(dev, insn.u.mbarrier.addr),
		    done->word);
}

static void play_on(struct player *p, const struct generator_step *s, int policy)
{
	struct device *dev = &p->dev[policy];
	unsigned int i;

	switch (s->action) {
	case GENERATOR_INSN:
		play_insn(p, s, policy);
		break;
	case GENERATOR_COMPLETE:
	case GENERATOR_RELEASE:
		for (i = 0; i < s->happened; i++)
			play_done(p, s, &s->done[i], policy);
		break;
	case GENERATOR_WRITE:
		*device_word(dev, s->addr) = s->word;
		break;
	case GENERATOR_ARM:
	case GENERATOR_DISARM:
		device_wait(dev, s->addr, s->action == GENERATOR_ARM);
		break;
	}
	if (s->addr != GENERATOR_NOWHERE)
		check_equal(p, s, "word", *device_word(dev, s->addr), s->word);
}

/* Performs the next step on each device. */
static const struct generator_step *play(struct player *p)
{
	const struct generator_step *s = generator_next(&p->g);
	unsigned int i;
	int policy;

	p->ops++;
	for (policy = 0; policy < POLICIES; policy++) {
		if (!p->runs[policy])
			continue;
		play_on(p, s, policy);
		/*
		 * play_on() compares only the word of the step. Compare all words every 64 steps.
		 */
		for (i = 0; p->ops % 64 == 0 && i < p->g.config.objects; i++)
			if (!generator_busy(&p->g))
				check_equal(p, s, "some word",
					    *device_word(&p->dev[policy], p->g.objects[i].addr),
					    p->g.objects[i].word);
	}
	return s;
}

static struct generator_config draw_config(__u64 *rng, int sm)
{
	static const __u32 ctas[] = { 1, 2, 3, 4, 16 };
	static const __u32 threads[] = { 1, 2, 33, 1024 };
	static const __u32 smem[] = { 1024, 4096, 227 * 1024 };

	return (struct generator_config) {
		.seed = unit_random(rng),
		.sm = sm,
		.ctas = ctas[unit_below(rng, ARRAY_SIZE(ctas))],
		.threads = threads[unit_below(rng, ARRAY_SIZE(threads))],
		.smem_bytes = smem[unit_below(rng, ARRAY_SIZE(smem))],
		.objects = 1 + unit_below(rng, GENERATOR_OBJECTS),
		.buffer_bytes = 4096,
		.held = unit_below(rng, 2),
		.letter = unit_below(rng, 2),
	};
}

static void player_begin(struct player *p, const struct generator_config *config)
{
	int policy;

	generator_init(&p->g, config);
	memset(p->has, 0, sizeof(p->has));
	for (policy = 0; policy < POLICIES; policy++) {
		struct vsm_geometry geo = {
			.ctas = config->ctas,
			.threads = config->threads,
			.smem_bytes = config->smem_bytes,
			.layout = unit_layout(config->sm),
			.strict = policy == STRICT,
			.enforce = config->letter ? DRM_VSM_RULE(FAULT(PHASE_UNOBSERVED)) : 0,
		};

		if (p->runs[policy])
			device_create(&p->dev[policy], &geo);
	}
}

static void player_end(struct player *p)
{
	int policy;

	for (policy = 0; policy < POLICIES; policy++)
		if (p->runs[policy])
			device_destroy(&p->dev[policy]);
}

/* --- legal programs -------------------------------------------------------- */

#define OPS	(OP(CP_ASYNC_MBARRIER_ARRIVE) + 1)
#define MODS	(MOD(CG) << 1)
#define QUALS	(3 * 4 * 3)

/* The operations, modifiers and qualifiers that have been executed. */
struct forms {
	unsigned char seen[OPS][MODS][QUALS];
	unsigned char fences[8][8];
};

static void note_form(struct forms *forms, const struct drm_vsm_insn *insn)
{
	if (insn->op == OP(FENCE))
		forms->fences[insn->sem][insn->scope] = 1;
	else
		forms->seen[insn->op][insn->mods]
			   [(insn->space * 4 + insn->sem) * 3 + insn->scope] = 1;
}

/* EXEC accepts these forms from a thread. The programs must have executed each of them. */
static void check_forms(const struct forms *forms, int sm)
{
	struct vsm_geometry geo = unit_geometry(sm, true);
	unsigned int i, taken = 0;

	for (i = 0; i < OPS * MODS * QUALS; i++) {
		unsigned int quals = i % QUALS;
		struct drm_vsm_insn insn = {
			.op = i / QUALS / MODS,
			.mods = i / QUALS % MODS,
			.space = quals / 12,
			.sem = quals / 3 % 4,
			.scope = quals % 3,
		};
		enum drm_vsm_fault fault;

		if (insn.op == OP(CP_ASYNC))
			insn.u.copy.size = 16;
		else if (insn.mods & MOD(COUNT) || insn.op == OP(MBARRIER_INIT))
			insn.u.mbarrier.count = 1;
		if (vsm_insn_is_job_op(&insn) || check_insn(&geo, 0, &insn, &fault))
			continue;
		taken++;
		if (!forms->seen[insn.op][insn.mods][quals])
			fail_msg("sm_%d op %u mods %#x space %u sem %u scope %u was never executed",
				 sm, insn.op, insn.mods, insn.space, insn.sem, insn.scope);
	}
	for (i = 0; i < 8 * 8; i++) {
		struct drm_vsm_insn insn = { .op = OP(FENCE), .sem = i % 8, .scope = i / 8 };
		enum drm_vsm_fault fault;

		if (check_insn(&geo, 0, &insn, &fault))
			continue;
		taken++;
		if (!forms->fences[insn.sem][insn.scope])
			fail_msg("sm_%d fence sem %u scope %u was never executed", sm, insn.sem,
				 insn.scope);
	}
	print_message("# all %u forms with their qualifiers\n", taken);
}

static void play_legal(int sm)
{
	static struct player p;
	static struct forms forms;
	const char *ops = getenv("VSM_TEST_OPS");
	unsigned long wanted = (ops ? strtoul(ops, NULL, 0) : DEFAULT_OPS) / 2;
	unsigned long kinds[64] = { 0 }, happened = 0, remote = 0;
	__u64 rng = unit_seed() + sm;
	unsigned int i;

	memset(&forms, 0, sizeof(forms));
	p = (struct player) { .seed = unit_seed(), .runs = { true, true } };
	while (p.ops < wanted) {
		struct generator_config config = draw_config(&rng, sm);

		player_begin(&p, &config);
		for (i = 0; i < PROGRAM_OPS && p.ops < wanted; i++) {
			const struct generator_step *s = play(&p);

			check_equal(&p, s, "fault in a legal program", s->fault, 0);
			kinds[s->insn.op]++;
			note_form(&forms, &s->insn);
			happened += s->happened;
			remote += s->addr != GENERATOR_NOWHERE && s->action == GENERATOR_INSN &&
				  s->addr >> 24 != s->cta;
		}
		player_end(&p);
	}
	/* Fail if an operation was executed too rarely: it was not tested then. */
	for (i = OP(MBARRIER_INIT); i <= OP(CP_ASYNC_MBARRIER_ARRIVE); i++) {
		bool not_here = i == OP(CP_ASYNC_BULK_G2S) || i == OP(CP_ASYNC_BULK_S2G) ||
				(sm == 80 && (i == OP(MBARRIER_EXPECT_TX) ||
					      i == OP(MBARRIER_COMPLETE_TX) ||
					      i == OP(MBARRIER_TRY_WAIT) ||
					      i == OP(FENCE_MBARRIER_INIT)));

		assert_in_range(kinds[i], not_here ? 0 : wanted / 1000, not_here ? 0 : wanted);
	}
	assert_in_range(kinds[OP(FENCE)], wanted / 1000, wanted);
	assert_in_range(happened, wanted / 1000, wanted);
	assert_in_range(remote, sm == 80 ? 0 : wanted / 1000, sm == 80 ? 0 : wanted);
	if (wanted >= 100000)
		check_forms(&forms, sm);
	print_message("# %lu operations, %lu of them from other CTAs, %lu completions\n", p.ops,
		      remote, happened);
}

TEST(legal_programs_on_sm_90_are_never_refused)
{
	play_legal(90);
}

TEST(legal_programs_on_sm_80_are_never_refused)
{
	play_legal(80);
}

/* --- misuse ---------------------------------------------------------------- */

/* How often each misuse has been planted, and how often each fault has been reported. */
struct tally {
	unsigned long ways[128];
	unsigned long codes[0x200];
};

/* Returns the number of a misuse that must be planted more often, or -1 if there is none. */
static int next_way(const struct tally *tally, const struct generator_config *config, __u64 *rng)
{
	const struct generator_misuse *misuse;
	int left[ARRAY_SIZE(tally->ways)];
	unsigned int i, n = 0;

	for (i = 0; (misuse = generator_misuse(i)); i++) {
		assert_in_range(i, 0, ARRAY_SIZE(left) - 1);
		if (generator_allows(config, misuse) && tally->ways[i] < PLANTED)
			left[n++] = i;
	}
	return n ? left[unit_below(rng, n)] : -1;
}

/* Performs steps until the misuse has been planted. It must be reported exactly once. */
static void play_misuse(struct player *p, struct tally *tally,
			const struct generator_misuse *misuse)
{
	unsigned int steps, i, named = 0;

	p->planted = misuse;
	for (steps = 0; generator_busy(&p->g); steps++) {
		const struct generator_step *s = play(p);

		named += s->fault == misuse->fault;
		tally->codes[s->fault] += !!s->fault;
		for (i = 0; i < s->happened; i++) {
			named += s->done[i].insn.fault == misuse->fault;
			tally->codes[s->done[i].insn.fault] += !!s->done[i].insn.fault;
		}
		if (steps == 100000)
			fail_msg("%s is never possible", misuse->name);
	}
	assert_int_equal(named, 1);
}

static void play_misuses(int sm, bool hardware)
{
	/* A configuration that allows every misuse of the layout and policy. */
	const struct generator_config all = {
		.sm = sm, .ctas = 2, .buffer_bytes = 16, .hardware = hardware,
	};
	static struct player p;
	struct tally tally = { 0 };
	__u64 rng = unit_seed() + sm + hardware;
	unsigned int i, legal;
	int way;

	p = (struct player) { .seed = unit_seed(), .runs = { !hardware, hardware } };
	while (next_way(&tally, &all, &rng) >= 0) {
		struct generator_config config = draw_config(&rng, sm);

		config.hardware = hardware;
		player_begin(&p, &config);
		for (i = 0; i < 200 && !p.g.over; i++) {
			/* Each misuse is planted after some legal steps. Legal steps follow it. */
			p.planted = NULL;
			for (legal = unit_below(&rng, 40); legal; legal--)
				assert_int_equal(play(&p)->fault, 0);
			way = next_way(&tally, &config, &rng);
			if (way < 0)
				break;
			assert_true(generator_plant(&p.g, generator_misuse(way)));
			play_misuse(&p, &tally, generator_misuse(way));
			tally.ways[way]++;
		}
		player_end(&p);
	}
	for (i = 0; i < ARRAY_SIZE(tally.codes); i++)
		if (tally.codes[i])
			print_message("# code %#x named %lu times\n", i, tally.codes[i]);
}

TEST(misuse_on_sm_90_is_named_and_harms_nothing)
{
	play_misuses(90, false);
}

TEST(misuse_on_sm_80_is_named_and_harms_nothing)
{
	play_misuses(80, false);
}

TEST(traps_of_the_hardware_policy_are_named)
{
	play_misuses(90, true);
}
