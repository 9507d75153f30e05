// SPDX-License-Identifier: MIT
/*
 * Random programs whose threads execute rendezvous, on the core and on the model. In a legal
 * program nothing is refused and every thread reaches the end. The other programs have random
 * misuse. Threads run in random order, are interrupted, resume, withdraw and exit. VSM_TEST_SEED
 * repeats a run. VSM_TEST_OPS sets the number of instructions.
 */
#include "unit.h"

#include "../rendezvous_program.h"
#include "rendezvous_check.h"

#define DEFAULT_OPS	10000000
#define TRACE		12

/* A random program, and statistics of all programs */
struct player {
	struct rv_check c;		/* the cluster in the core and in the model */
	__u64 rng;			/* state of the random numbers */
	struct program program;
	bool legal;			/* the program has no misuse */
	bool converged;	/* all warps are converged: one thread executes for its warp */
	/* One of @junk instructions does not come from the program; 0 if all of them do */
	unsigned int junk;
	unsigned int *pc;	/* for each thread of the cluster, its place in the program */
	unsigned long ops;		/* instructions executed so far by all programs */
	/* How often each operation has ended without a fault */
	unsigned long done[OP(EXIT) + 1];
	/* How often each fault was returned by the call that executed an instruction */
	unsigned long refused[0x20e];
	/* How often each fault was the result of a waiting thread */
	unsigned long late[0x20e];
	/* How often a shfl.sync got its own value because its source did not take part */
	unsigned long noted;
	unsigned long again;		/* how often a warp arrived a second time in a generation */
	unsigned long deadlocks;	/* how often no thread could continue */
	unsigned long withdrawn;	/* how often a thread withdrew without a deadlock */
	unsigned long resumed;		/* how often an interrupted thread continued to wait */
	struct {
		char what[12];
		unsigned int cta, thread;
		struct drm_vsm_insn insn;
		unsigned int fault;
	} trace[TRACE];			/* the last actions, printed after a failure */
	unsigned long traced;		/* number of actions so far */
};

static void fail_player(const struct player *p, const char *why)
{
	unsigned int i;

	for (i = 0; i < TRACE; i++) {
		const typeof(p->trace[0]) *t = &p->trace[(p->traced + i) % TRACE];
		const struct drm_vsm_warp_operands *o = &t->insn.u.warp;

		print_error("%s CTA %u thread %u: op %u mods %#x sem %u red %#x ", t->what, t->cta,
			    t->thread, t->insn.op, t->insn.mods, t->insn.sem, t->insn.red);
		print_error("{ %#x %#x %#x %#llx }: %#x\n", o->membermask, o->b, o->c, o->a,
			    t->fault);
	}
	fail_msg("VSM_TEST_SEED=%#llx op %lu, %u CTAs of %u threads: %s", unit_seed(), p->ops,
		 p->c.geo.ctas, p->c.geo.threads, why);
}

static void check(const struct player *p)
{
	if (p->c.wrong[0])
		fail_player(p, p->c.wrong);
}

static bool chance(struct player *p, unsigned int one_in)
{
	return one_in && !unit_below(&p->rng, one_in);
}

/* --- programs -------------------------------------------------------------- */

static bool enforces(const struct player *p, enum drm_vsm_fault rule)
{
	return p->c.geo.enforce & DRM_VSM_RULE(rule);
}

/*
 * In a program with misuse some warps differ from the others at a named barrier: they execute
 * another operation there, use another barrier, or give another count.
 */
static void spoil(const struct player *p, struct drm_vsm_insn *insn, unsigned int pc,
		  unsigned int cta, unsigned int thread)
{
	const __u64 how = drawn(&p->program, pc, cta, thread / VSM_WARP_SIZE, 10);

	if (insn->op < OP(BARRIER_SYNC) || insn->op > OP(BARRIER_RED) || how & 1)
		return;
	if (how & 2)
		insn->op = OP(BARRIER_SYNC) + (how >> 8) % 3;
	if (insn->op != OP(BARRIER_RED)) {
		insn->red = 0;
		insn->u.barrier.pred = 0;
	} else if (!insn->red) {
		insn->red = DRM_VSM_RED_POPC;
	}
	if (how & 4)
		insn->u.barrier.barrier &= 1;
	if (insn->op == OP(BARRIER_ARRIVE) || !(how >> 3 & 3)) {
		insn->mods |= MOD(COUNT);
		insn->u.barrier.count = (1 + (how >> 16) % program_warps(&p->program)) *
					VSM_WARP_SIZE;
	}
}

/* Returns the instruction at a place of the program. Beyond its end it is exit. */
static struct drm_vsm_insn scripted(const struct player *p, unsigned int pc, unsigned int cta,
				    unsigned int thread)
{
	struct drm_vsm_insn insn = program_insn(&p->program, pc, cta, thread);

	if (!p->legal)
		spoil(p, &insn, pc, cta, thread);
	return insn;
}

/* Draws an instruction that may be wrong for the thread, or for threads that wait for it. */
static struct drm_vsm_insn junk(struct player *p, unsigned int pc, unsigned int cta,
				unsigned int thread)
{
	static const __u32 masks[] = { 1, 2, 3, 5, 6, 7, 0xf, 0x1f, ~0U, 0xfffe, 0x80000001 };
	const __u64 r = unit_random(&p->rng);
	struct drm_vsm_insn insn;

	/*
	 * Take an instruction of the program that is near this place, or of a neighbouring thread.
	 */
	thread = (thread + (r >> 8) % 3) % p->c.geo.threads;
	insn = scripted(p, (pc + r % 5) % p->program.length, cta, thread);
	switch (r >> 16 & 7) {
	case 0:
		return insn;
	case 1:
		insn = (struct drm_vsm_insn) { .op = OP(BAR_WARP_SYNC) + (r >> 20 & 1) };
		insn.u.warp.membermask = masks[(r >> 24) % ARRAY_SIZE(masks)];
		return insn;
	case 2:
		return (struct drm_vsm_insn) {
			.op = r >> 20 & 1 ? OP(BARRIER_CLUSTER_WAIT) : OP(BARRIER_CLUSTER_ARRIVE),
		};
	case 3:
		return (struct drm_vsm_insn) { .op = r >> 20 & 7 ? OP(BAR_WARP_SYNC) : OP(EXIT),
					       .u.warp.membermask = r >> 20 & 7 ? ~0U : 0 };
	case 4:
		insn = (struct drm_vsm_insn) { .op = OP(SHFL_SYNC), .red = DRM_VSM_MODE_IDX };
		insn.u.warp.membermask = masks[(r >> 24) % ARRAY_SIZE(masks)];
		insn.u.warp.b = r >> 32;
		insn.u.warp.c = 0x1f;
		return insn;
	default:
		insn = (struct drm_vsm_insn) { .op = OP(BARRIER_SYNC) + (r >> 20) % 3 };
		if (insn.op == OP(BARRIER_RED))
			insn.red = r >> 24 & 1 ? DRM_VSM_RED_AND : DRM_VSM_RED_POPC;
		if (insn.op == OP(BARRIER_ARRIVE) || r >> 25 & 1) {
			insn.mods = MOD(COUNT);
			insn.u.barrier.count = ((r >> 32 & 3) + 1) * VSM_WARP_SIZE;
			insn.u.barrier.count -= !(r >> 34 & 15);
		}
		insn.u.barrier.barrier = r >> 40 & 15 ? r >> 44 & 1 : VSM_BARRIERS;
		return insn;
	}
}

/* --- playing --------------------------------------------------------------- */

static unsigned int *pc_of(struct player *p, unsigned int cta, unsigned int thread)
{
	return &p->pc[cta * p->c.geo.threads + thread];
}

static void trace(struct player *p, const char *what, unsigned int cta, unsigned int thread,
		  const struct drm_vsm_insn *insn, unsigned int fault)
{
	typeof(p->trace[0]) *t = &p->trace[p->traced++ % TRACE];

	snprintf(t->what, sizeof(t->what), "%s", what);
	t->cta = cta;
	t->thread = thread;
	t->insn = *insn;
	t->fault = fault;
}

static void step_pc(struct player *p, unsigned int cta, unsigned int thread)
{
	const unsigned int first = thread - thread % VSM_WARP_SIZE;
	unsigned int i;

	if (!p->converged) {
		++*pc_of(p, cta, thread);
		return;
	}
	for (i = first; i < first + VSM_WARP_SIZE && i < p->c.geo.threads; i++)
		++*pc_of(p, cta, i);
}

static void take(struct player *p, unsigned int cta, unsigned int thread)
{
	struct drm_vsm_insn insn = rv_thread(&p->c.model, cta, thread)->insn;

	rv_check_take(&p->c, cta, thread, &insn);
	check(p);
	if (insn.fault == FAULT(SHFL_SOURCE) && !enforces(p, FAULT(SHFL_SOURCE))) {
		insn.fault = 0;
		p->noted++;
	}
	if (p->legal && insn.fault)
		fail_player(p, "a fault in a legal program, in the end");
	if (insn.fault)
		p->late[insn.fault]++;
	else
		p->done[insn.op]++;
	step_pc(p, cta, thread);
}

static enum drm_vsm_fault execute(struct player *p, unsigned int cta, unsigned int thread,
				  bool converged, struct drm_vsm_insn *insn, const char *what)
{
	struct vsm_form form = { 0 };
	enum drm_vsm_fault fault = 0;
	int rc = vsm_insn_check(&p->c.geo, cta, &form, insn, &fault);

	if (rc && rc != -EPROTO)
		fail_player(p, "a malformed instruction");
	if (!rc)
		fault = rv_check_execute(&p->c, cta, thread, converged, insn);
	p->ops++;
	trace(p, what, cta, thread, insn, fault);
	check(p);
	p->refused[fault]++;
	p->again += !fault && p->c.model.again;
	return fault;
}

/* Moves all threads of a warp to the place of one of them, because they have diverged. */
static void recover(struct player *p, unsigned int cta, unsigned int thread)
{
	const unsigned int first = thread - thread % VSM_WARP_SIZE;
	const unsigned int pc = *pc_of(p, cta, thread);
	unsigned int i;

	for (i = first; i < first + VSM_WARP_SIZE && i < p->c.geo.threads; i++) {
		*pc_of(p, cta, i) = pc;
		if (rv_check_state(&p->c, cta, i) != RV_INSIDE)
			continue;
		rv_check_withdraw(&p->c, cta, i);
		check(p);
		p->withdrawn++;
	}
}

static void run(struct player *p, unsigned int cta, unsigned int thread)
{
	const bool is_junk = chance(p, p->junk);
	const unsigned int pc = *pc_of(p, cta, thread);
	struct drm_vsm_insn insn = is_junk ? junk(p, pc, cta, thread) :
					     scripted(p, pc, cta, thread);
	bool converged = p->converged || (is_junk && chance(p, 4));
	enum drm_vsm_fault fault;

	fault = execute(p, cta, thread, converged, &insn, is_junk ? "junk" : "run");
	if (p->legal && fault)
		fail_player(p, "a fault in a legal program");
	if (fault) {
		/*
		 * Mostly the thread skips the refused instruction. Otherwise it executes it again.
		 */
		if (unit_below(&p->rng, 8))
			step_pc(p, cta, thread);
		if ((fault == FAULT(WARP_MISMATCH) || fault == FAULT(PARTIAL_WARP)) && chance(p, 3))
			recover(p, cta, thread);
		return;
	}
	switch (rv_check_state(&p->c, cta, thread)) {
	case RV_RELEASED:
		if (unit_below(&p->rng, 4))
			take(p, cta, thread);
		break;
	case RV_INSIDE:
		if (unit_below(&p->rng, 4))
			rv_check_watch(&p->c, cta, thread, true);
		break;
	default:
		p->done[OP(EXIT)]++;
		break;
	}
}

/* Does something unusual to a thread that waits or that has a result. */
static void disturb(struct player *p, unsigned int cta, unsigned int thread)
{
	const struct rv_thread *t = rv_thread(&p->c.model, cta, thread);
	const bool led = rv_check_is_led(&p->c, cta, thread);
	struct drm_vsm_insn insn = t->insn;
	enum drm_vsm_fault fault;

	switch (unit_below(&p->rng, 8)) {
	case 0:
	case 1:
	case 2:
		/* A signal interrupts the waiter, or the interrupted waiter waits again. */
		if (led)
			break;
		if (t->watched) {
			rv_check_watch(&p->c, cta, thread, false);
			break;
		}
		fault = execute(p, cta, thread, t->converged, &insn, "resume");
		if (fault)
			fail_player(p, "a thread that cannot come back");
		p->resumed++;
		if (t->state == RV_INSIDE)
			rv_check_watch(&p->c, cta, thread, true);
		else
			take(p, cta, thread);
		break;
	case 3:
		execute(p, cta, thread, chance(p, 4), &insn, "again");
		break;
	case 4:
		insn = junk(p, *pc_of(p, cta, thread), cta, thread);
		if (p->legal && insn.op == OP(EXIT))
			break;
		execute(p, cta, thread, false, &insn, "other");
		break;
	case 5:
		if (t->state != RV_INSIDE)
			break;
		trace(p, "withdraw", cta, thread, &insn, 0);
		rv_check_withdraw(&p->c, cta, thread);
		check(p);
		p->withdrawn++;
		break;
	case 6:
		if (p->legal)
			break;
		insn = (struct drm_vsm_insn) { .op = OP(EXIT) };
		if (chance(p, 4))
			execute(p, cta, thread, chance(p, 4), &insn, "exit");
		break;
	}
}

/* Withdraws most of the waiting threads. They skip the instruction. */
static void break_deadlock(struct player *p)
{
	unsigned int cta, i;

	if (p->legal)
		fail_player(p, "nobody can go on in a legal program");
	p->deadlocks++;
	for (cta = 0; cta < p->c.geo.ctas; cta++) {
		for (i = 0; i < p->c.geo.threads; i++) {
			if (rv_check_state(&p->c, cta, i) != RV_INSIDE ||
			    rv_check_is_led(&p->c, cta, i) || chance(p, 8))
				continue;
			rv_check_withdraw(&p->c, cta, i);
			check(p);
			step_pc(p, cta, i);
		}
	}
	rv_check_all(&p->c);
	check(p);
}

/* May the thread act? In a converged warp only the first thread acts that has not exited. */
static bool can_act(struct player *p, unsigned int cta, unsigned int thread)
{
	unsigned int i;

	if (rv_check_state(&p->c, cta, thread) == RV_INSIDE ||
	    rv_check_state(&p->c, cta, thread) == RV_EXITED)
		return false;
	for (i = thread - thread % VSM_WARP_SIZE; p->converged && i < thread; i++)
		if (rv_check_state(&p->c, cta, i) != RV_EXITED)
			return false;
	return true;
}

static void execute_exited(struct player *p, unsigned int cta, unsigned int thread)
{
	struct drm_vsm_insn insn = scripted(p, 0, cta, thread);

	execute(p, cta, thread, chance(p, 4), &insn, "exited");
}

/* A random thread does something. Returns false if all threads have exited. */
static bool play(struct player *p)
{
	const unsigned int threads = p->c.geo.ctas * p->c.geo.threads;
	unsigned int start = unit_below(&p->rng, threads), i;
	bool left = false;

	for (i = start; i < start + threads; i++) {
		const unsigned int cta = i % threads / p->c.geo.threads;
		const unsigned int thread = i % threads % p->c.geo.threads;

		if (rv_check_state(&p->c, cta, thread) == RV_EXITED) {
			if (i == start && chance(p, 4) && !p->legal)
				execute_exited(p, cta, thread);
			continue;
		}
		left = true;
		if (i == start && rv_check_state(&p->c, cta, thread) != RV_RUNNING &&
		    chance(p, 4)) {
			disturb(p, cta, thread);
			return true;
		}
		if (!can_act(p, cta, thread))
			continue;
		if (rv_check_state(&p->c, cta, thread) == RV_RELEASED)
			take(p, cta, thread);
		else
			run(p, cta, thread);
		return true;
	}
	if (left)
		break_deadlock(p);
	return left;
}

static void begin(struct player *p, bool legal)
{
	static const __u32 ctas[] = { 1, 1, 1, 1, 2, 2, 3, 4 };
	static const __u32 threads[] = {
		1, 2, 2, 3, 3, 4, 5, 6, 8, 12, 17, 31, 32, 33, 33, 34, 34, 40, 64, 65, 66, 70, 99,
	};
	struct vsm_geometry geo = unit_geometry(90, true);

	geo.ctas = ctas[unit_below(&p->rng, ARRAY_SIZE(ctas))];
	geo.threads = threads[unit_below(&p->rng, ARRAY_SIZE(threads))];
	if (chance(p, 5000)) {
		geo.ctas = chance(p, 4) ? VSM_MAX_CTAS : 1;
		geo.threads = VSM_MAX_THREADS - unit_below(&p->rng, 40);
	}
	if (chance(p, 2))
		geo.enforce = DRM_VSM_RULE(FAULT(SHFL_SOURCE)) |
			      DRM_VSM_RULE(FAULT(BARRIER_OVERFLOW));
	rv_check_create(&p->c, &geo);
	p->pc = calloc(geo.ctas * geo.threads, sizeof(*p->pc));
	assert_non_null(p->pc);
	p->legal = legal;
	p->converged = chance(p, 5);
	p->program = (struct program) {
		.seed = unit_random(&p->rng),
		.ctas = geo.ctas,
		.threads = geo.threads,
		.length = BLOCK * (1 + unit_below(&p->rng, 8)),
		.leave = unit_below(&p->rng, LEAVE_ANYBODY + 1),
		.converged = p->converged ? ~0ULL : 0,
		.enforced = geo.enforce,
	};
	p->junk = legal ? 0 : 4 << unit_below(&p->rng, 8);
}

static void end(struct player *p)
{
	rv_check_all(&p->c);
	check(p);
	rv_check_destroy(&p->c);
	free(p->pc);
}

static void play_programs(struct player *p, bool legal)
{
	const char *ops = getenv("VSM_TEST_OPS");
	const unsigned long wanted = (ops ? strtoul(ops, NULL, 0) : DEFAULT_OPS) / 2;
	unsigned long programs = 0, threads = 0;

	*p = (struct player) { .rng = unit_seed() + legal };
	while (p->ops < wanted) {
		begin(p, legal);
		threads += p->c.geo.ctas * p->c.geo.threads;
		while (play(p) && p->ops < wanted)
			;
		end(p);
		programs++;
	}
	print_message("# %lu programs, %lu threads, %lu instructions\n", programs, threads, p->ops);
	print_message("# %lu deadlocks, %lu withdrawn, %lu resumed\n", p->deadlocks, p->withdrawn,
		      p->resumed);
}

/* Fails if a case occurred too rarely: it was not tested then. */
static void check_happened(const unsigned long *counts, unsigned int first, unsigned int last,
			   const struct player *p, unsigned long one_in, const char *what)
{
	unsigned int i;

	for (i = first; i <= last; i++) {
		print_message("# %s %#x: %lu\n", what, i, counts[i]);
		/* In few instructions, what is rare may not happen with some seeds. */
		if ((p->ops >= DEFAULT_OPS / 2 || p->ops / one_in >= 50) &&
		    counts[i] < p->ops / one_in)
			fail_msg("%s %#x happened %lu times", what, i, counts[i]);
	}
}

TEST(legal_programs_are_never_refused_and_end)
{
	static struct player p;

	play_programs(&p, true);
	check_happened(p.done, OP(MATCH_SYNC), OP(EXIT), &p, 1000, "operation");
	check_happened(&p.noted, 0, 0, &p, 1000, "a value of its own");
	check_happened(&p.again, 0, 0, &p, 5000, "arrived again");
	assert_in_range(p.resumed, p.ops / 1000, p.ops);
	assert_in_range(p.withdrawn, p.ops / 1000, p.ops);
}

TEST(misuse_is_named_and_harms_nobody_else)
{
	static struct player p;

	play_programs(&p, false);
	check_happened(p.done, OP(MATCH_SYNC), OP(EXIT), &p, 1000, "operation");
	check_happened(p.refused, FAULT(NOT_IN_MASK), FAULT(THREAD_SUSPENDED), &p, 50000,
		       "fault");
	/* Faults that waiting threads get because another thread exits. */
	check_happened(p.late, FAULT(SHFL_SOURCE), FAULT(SHFL_SOURCE), &p, 50000, "late fault");
	check_happened(p.late, FAULT(BARRIER_MISMATCH), FAULT(BARRIER_MIXED), &p, 500000,
		       "late fault");
	check_happened(&p.noted, 0, 0, &p, 1000, "a value of its own");
	check_happened(&p.again, 0, 0, &p, 10000, "arrived again");
	assert_in_range(p.deadlocks, p.ops / 20000, p.ops);
}
