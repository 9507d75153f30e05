// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device executes random programs of selftests/unit/generator.h. In legal programs it refuses
 * nothing, and every word, token and result equals the model's. Other programs contain misuse: the
 * device reports each misuse by its fault, and the misuse changes nothing.
 */
#include "async.h"
#include "generator.h"

#define PROGRAM		500	/* operations of a program */
#define BATCH		32

/* A task that executes programs */
struct player {
	int fd;	/* DRM file descriptor. Only this player gets its events. */
	struct buffer b;			/* source of copies */
	/* Cluster whose operation completes after all operations issued before it */
	struct cluster marker;
	struct cluster c;			/* cluster of the program */
	int set;
	struct drm_vsm_wait wait;		/* the armed wait */
	struct generator g;			/* the program */
	uint64_t tokens[GENERATOR_TOKENS];	/* tokens that arrives have returned */
	/* Instructions of one thread that have not been executed */
	struct drm_vsm_insn insns[BATCH];
	struct generator_step steps[BATCH];	/* the generator's steps for @insns */
	uint32_t count;				/* number of @insns */
	uint32_t batch;	/* largest number of instructions in one call of EXEC */
	uint32_t operations;			/* number of operations executed */
	uint32_t refused;			/* number of operations refused */
	uint64_t seed;	/* random seed, which determines everything that the player does */
	int sm;					/* architecture, which determines the layout */
	bool misuse;				/* the programs contain misuse */
	char failure[512];			/* description of the failure, or empty */
	pthread_t thread;
};

static bool fail(struct player *p, const struct generator_step *s, const char *what,
		 uint64_t seen, uint64_t wanted)
{
	const struct generator_misuse *m = p->g.misuse;

	snprintf(p->failure, sizeof(p->failure),
		 "sm_%d seed %#llx operation %u (%s): action %d cta %u thread %u op %u mods %#x addr %#x count %u tx %u state %#llx: %s %#llx, not %#llx",
		 p->sm, (unsigned long long)p->g.config.seed, p->operations,
		 m ? m->name : "legal or near it", s->action, s->cta, s->thread, s->insn.op,
		 s->insn.mods, s->insn.u.mbarrier.addr, s->insn.u.mbarrier.count,
		 s->insn.u.mbarrier.tx_count, (unsigned long long)s->insn.u.mbarrier.state, what,
		 (unsigned long long)seen, (unsigned long long)wanted);
	return false;
}

static bool equal(struct player *p, const struct generator_step *s, const char *what,
		  uint64_t seen, uint64_t wanted)
{
	return seen == wanted || fail(p, s, what, seen, wanted);
}

/* Checks that the next event reports this instruction, with its fault and this source. */
static bool expect_event(struct player *p, const struct generator_step *s,
			 const struct drm_vsm_insn *insn, uint16_t cta, uint16_t thread,
			 uint32_t source)
{
	struct drm_vsm_event_fault e;

	p->refused++;
	return equal(p, s, "event", fault_read(p->fd, &e), 1) &&
	       equal(p, s, "event's cluster", e.cluster, p->c.handle) &&
	       equal(p, s, "event's CTA", e.cta, cta) &&
	       equal(p, s, "event's thread", e.thread, thread) &&
	       equal(p, s, "event's source", e.source, source) &&
	       equal(p, s, "event's operation", e.insn.op, insn->op) &&
	       equal(p, s, "event's fault", e.insn.fault, insn->fault) &&
	       equal(p, s, "event's info", e.insn.info, insn->info) &&
	       equal(p, s, "event's word", e.insn.result, insn->result);
}

/*
 * Compares the outputs of an instruction with those that the generator expects, and keeps its
 * token.
 */
static bool check_insn(struct player *p, const struct generator_step *s,
		       const struct drm_vsm_insn *insn)
{
	if (!equal(p, s, "fault", insn->fault, s->fault) ||
	    !equal(p, s, "info", insn->info, s->info))
		return false;
	if (s->slot < 0)
		return equal(p, s, "result", insn->result, s->result);
	p->tokens[s->slot] = insn->result;
	return equal(p, s, "token's high word", insn->result >> 32, s->result >> 32);
}

/* Executes the instructions collected so far. Only the last one may be refused. */
static bool flush(struct player *p)
{
	struct drm_vsm_exec args = exec_args(&p->c, p->insns, p->count);
	struct generator_step *last = &p->steps[p->count - 1];
	uint32_t i, j;
	int ret = 0;

	if (!p->count)
		return true;
	args.cta = last->cta;
	args.thread = last->thread;
	insn_poison(p->insns, p->count);
	/* EXEC also returns after a try_wait whose answer is False. */
	while (!ret && args.retired < p->count)
		ret = vsm_exec(p->fd, &args);
	if (!equal(p, last, "return value", ret, last->fault ? -EPROTO : 0) ||
	    !equal(p, last, "retired", args.retired, p->count - !!last->fault))
		return false;
	for (i = 0; i < p->count; i++) {
		struct generator_step *s = &p->steps[i];

		if (!check_insn(p, s, &p->insns[i]))
			return false;
		for (j = i + 1; j < p->count && p->steps[j].addr != s->addr; j++)
			;
		if (j == p->count && s->addr != GENERATOR_NOWHERE &&
		    !equal(p, s, "word", word(&p->c, s->addr), s->word))
			return false;
	}
	i = p->count;
	p->count = 0;
	return !last->fault || expect_event(p, last, &p->insns[i - 1], last->cta, last->thread,
					    DRM_VSM_SOURCE_EXEC);
}

/* Returns whether the step uses the token of an instruction that has not been executed yet. */
static bool needs_batch(const struct player *p, const struct generator_step *s)
{
	uint32_t i;

	for (i = 0; i < p->count; i++)
		if (s->token >= 0 && p->steps[i].slot == s->token)
			return true;
	return false;
}

static bool add_insn(struct player *p, const struct generator_step *s)
{
	struct drm_vsm_insn *insn;

	if (p->count && (p->count == p->batch || needs_batch(p, s) ||
			 p->steps[0].cta != s->cta || p->steps[0].thread != s->thread) &&
	    !flush(p))
		return false;
	p->steps[p->count] = *s;
	insn = &p->insns[p->count++];
	*insn = s->insn;
	if (s->token >= 0)
		insn->u.mbarrier.state = p->tokens[s->token] ^ s->twist;
	if (insn->op == DRM_VSM_OP_CP_ASYNC)
		insn->u.copy.buffer = p->b.handle;
	return !s->fault || flush(p);
}

/* Releases the operations that are in flight and waits for them. */
static bool release(struct player *p, const struct generator_step *s)
{
	unsigned int i, j;

	if (cluster_hold(&p->c, 0) || async_finish(&p->marker) ||
	    cluster_hold(&p->c, DRM_VSM_HOLD))
		return fail(p, s, "release", 0, 0);
	for (i = 0; i < s->happened; i++) {
		const struct generator_done *d = &s->done[i];
		uint32_t addr = d->insn.u.mbarrier.addr;

		for (j = i + 1; j < s->happened; j++)
			if (s->done[j].insn.u.mbarrier.addr == addr)
				break;
		if (j == s->happened && !equal(p, s, "word afterwards", word(&p->c, addr), d->word))
			return false;
		if (d->insn.fault && !expect_event(p, s, &d->insn, d->cta, d->thread,
						   DRM_VSM_SOURCE_ASYNC))
			return false;
	}
	return true;
}

static bool arm(struct player *p, const struct generator_step *s)
{
	p->wait = wait_parity(&p->c, s->addr, s->result, -1, 0);
	return equal(p, s, "arming", waitset_arm(p->fd, p->set, &p->wait, 1, NULL), 0);
}

static bool disarm(struct player *p, const struct generator_step *s)
{
	struct drm_vsm_wait_record record;
	int ret = waitset_cancel(p->fd, p->set, p->wait.id);

	return ret == -ENOENT ? equal(p, s, "record", waitset_read(p->set, &record), 1)
			      : equal(p, s, "cancelling", ret, 0);
}

/* Executes the next step, or adds its instruction to the batch. */
static bool play(struct player *p)
{
	const struct generator_step *s = generator_next(&p->g);

	p->operations++;
	if (s->action == GENERATOR_INSN)
		return add_insn(p, s);
	if (!flush(p))
		return false;
	switch (s->action) {
	case GENERATOR_RELEASE:
		return release(p, s);
	case GENERATOR_WRITE:
		atomic_store(word_at(&p->c, s->addr), s->word);
		return true;
	case GENERATOR_ARM:
		return arm(p, s);
	case GENERATOR_DISARM:
		return disarm(p, s);
	default:
		return fail(p, s, "unexpected action", s->action, 0);
	}
}

static bool begin(struct player *p, uint64_t *rng, bool hardware)
{
	static const uint32_t ctas[] = { 1, 1, 2, 4, 16 }, threads[] = { 1, 1, 2, 33 };
	struct generator_config config = {
		.seed = random_next(rng),
		.sm = p->sm,
		.ctas = ctas[random_next(rng) % ITEMS(ctas)],
		.threads = threads[random_next(rng) % ITEMS(threads)],
		.smem_bytes = random_next(rng) % 2 ? 1024 : 16384,
		.objects = 1 + random_next(rng) % GENERATOR_OBJECTS,
		.buffer_bytes = 4096,
		.held = true,
		.hardware = hardware,
		.letter = random_next(rng) % 2,
	};
	struct drm_vsm_cluster_create args = {
		.ctas = config.ctas, .threads = config.threads, .smem_bytes = config.smem_bytes,
		.layout = p->sm == 80 ? VSM_LAYOUT_SM_80 : VSM_LAYOUT_SM_90,
		.policy = hardware ? DRM_VSM_POLICY_HARDWARE : DRM_VSM_POLICY_STRICT,
		.enforce = config.letter ? DRM_VSM_RULE(DRM_VSM_FAULT_PHASE_UNOBSERVED) : 0,
	};
	struct generator_step none = { .action = GENERATOR_INSN };

	generator_init(&p->g, &config);
	p->batch = random_next(rng) % 2 ? BATCH : 1;
	if (cluster_create_args(&p->c, p->fd, &args) || cluster_hold(&p->c, DRM_VSM_HOLD))
		return fail(p, &none, "cluster", 0, 0);
	return true;
}

/* Destroys the cluster. There must be no event left to read. */
static bool end(struct player *p)
{
	struct generator_step none = { .action = GENERATOR_INSN };

	return flush(p) &&
	       equal(p, &none, "closing", cluster_destroy(&p->c), 0) &&
	       equal(p, &none, "finish", async_finish(&p->marker), 0) &&
	       equal(p, &none, "events", poll_events(p->fd), 0);
}

static bool play_legal(struct player *p)
{
	uint64_t rng = p->seed;
	uint32_t i, wanted = repeat(25000);

	while (p->operations < wanted) {
		if (!begin(p, &rng, false))
			return false;
		for (i = 0; i < PROGRAM; i++)
			if (!play(p))
				return false;
		if (!end(p))
			return false;
	}
	return true;
}

/* Puts each kind of misuse a few times into legal programs. */
static bool play_misuses(struct player *p)
{
	const struct generator_misuse *m;
	uint64_t rng = p->seed;
	uint32_t i, way, round, rounds = repeat(6), steps;

	for (round = 0; round < rounds; round++) {
		for (way = 0; (m = generator_misuse(way)); way++) {
			bool hardware = m->needs & GENERATOR_NEEDS_HARDWARE;
			uint32_t refused = p->refused;

			if (m->needs & (p->sm == 80 ? GENERATOR_NEEDS_SM_90
						    : GENERATOR_NEEDS_SM_80))
				continue;
			do {
				if (!begin(p, &rng, hardware))
					return false;
				for (i = random_next(&rng) % 40; i; i--)
					if (!play(p))
						return false;
				if (generator_plant(&p->g, m))
					break;
			} while (end(p));
			for (steps = 0; generator_busy(&p->g) && steps < 10000; steps++)
				if (!play(p))
					return false;
			if (!flush(p))
				return false;
			if (p->refused != refused + 1) {
				snprintf(p->failure, sizeof(p->failure), "%s: refused %u times",
					 m->name, p->refused - refused);
				return false;
			}
			for (i = p->g.over ? 0 : 20; i; i--)
				if (!play(p))
					return false;
			if (!end(p))
				return false;
		}
	}
	return true;
}

static void *player_main(void *arg)
{
	struct player *p = arg;
	bool ok = p->misuse ? play_misuses(p) : play_legal(p);

	return ok ? NULL : p;
}

FIXTURE(programs) { struct player players[2]; };

FIXTURE_VARIANT(programs) { int sm; };
FIXTURE_VARIANT_ADD(programs, sm_90) { .sm = 90 };
FIXTURE_VARIANT_ADD(programs, sm_80) { .sm = 80 };

FIXTURE_SETUP(programs)
{
	uint64_t seed = 1;
	int i;

	if (getenv("VSM_TEST_SEED"))
		seed = strtoull(getenv("VSM_TEST_SEED"), NULL, 0);
	for (i = 0; i < 2; i++) {
		struct player *p = &self->players[i];

		*p = (struct player){
			.fd = vsm_open(), .sm = variant->sm, .seed = 1000 * seed + i + variant->sm,
		};
		ASSERT_LE(0, p->fd);
		ASSERT_EQ(0, buffer_create(&p->b, p->fd, 4096));
		ASSERT_EQ(0, cluster_create(&p->marker, p->fd, 0, 0));
		ASSERT_EQ(0, exec_one(&p->marker, i_init(END, 1)));
		p->set = waitset_create(p->fd, 0);
		ASSERT_LE(0, p->set);
	}
}

FIXTURE_TEARDOWN(programs)
{
	int i;

	for (i = 0; i < 2; i++) {
		struct player *p = &self->players[i];

		munmap(p->b.map, p->b.size);
		cluster_destroy(&p->marker);
		close(p->set);
		close(p->fd);
	}
}

/* Runs two players at a time. Each uses clusters of its own. */
static void play_both(struct __test_metadata *_metadata, struct player *players, bool misuse)
{
	void *failed;
	int i;

	for (i = 0; i < 2; i++) {
		players[i].misuse = misuse;
		ASSERT_EQ(0, pthread_create(&players[i].thread, NULL, player_main, &players[i]));
	}
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_join(players[i].thread, &failed));
		EXPECT_EQ(NULL, failed) TH_LOG("%s", players[i].failure);
		TH_LOG("%u operations, %u refused", players[i].operations, players[i].refused);
	}
}

TEST_F(programs, legal_programs_are_never_refused_and_match_the_model)
{
	play_both(_metadata, self->players, false);
	EXPECT_EQ(0, self->players[0].refused + self->players[1].refused);
}

TEST_F(programs, misuse_is_reported_by_its_name_and_the_program_continues)
{
	play_both(_metadata, self->players, true);
}

TEST_HARNESS_MAIN
