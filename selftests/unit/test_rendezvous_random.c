// SPDX-License-Identifier: MIT
/*
 * Random programs of threads that meet, on the core and the model: legal ones, in which
 * nothing is refused and everybody arrives at the end, and ones with any misuse. Threads are
 * interleaved at random, are interrupted, come back, withdraw and exit. VSM_TEST_SEED repeats
 * a run; VSM_TEST_OPS sets the instructions.
 */
#include "unit.h"

#include "rendezvous_check.h"
#include "rendezvous_warp.h"

#define DEFAULT_OPS	10000000
#define TRACE		12
#define BLOCK		4	/* instructions of a program that belong together */

/**
 * enum exits - Who exits before the end of a program
 * @EXIT_NONE: Nobody
 * @EXIT_LANES: Lanes, but one of each warp
 * @EXIT_WARPS: Lanes and whole warps
 */
enum exits {
	EXIT_NONE,
	EXIT_LANES,
	EXIT_WARPS,
	EXIT_MODES,
};

/**
 * struct player - A program, and what has become of all of them
 * @c: The cluster
 * @rng: What all is drawn from
 * @seed: What the program is
 * @length: Its instructions, without exit
 * @exits: Who leaves early
 * @legal: Nothing is wrong with it
 * @converged: One task plays each warp
 * @junk: One instruction in so many is not the program's, 0 if none is
 * @pc: By number of thread, where it is
 * @ops: Instructions executed so far by all programs
 * @done: How often each operation has ended well
 * @refused: How often each fault was the answer of an instruction
 * @late: How often a thread that waited ended with it
 * @noted: How often a shfl.sync got its own value as its source did not take part
 * @again: How often a warp arrived that had arrived in that generation
 * @deadlocks: How often nobody could go on
 * @withdrawn: Arrivals withdrawn while others could
 * @resumed: How often a thread came back
 * @trace: What was done last
 * @traced: How much has been there
 */
struct player {
	struct meet_check c;
	__u64 rng;
	__u64 seed;
	unsigned int length;
	enum exits exits;
	bool legal;
	bool converged;
	unsigned int junk;
	unsigned int *pc;
	unsigned long ops;
	unsigned long done[OP(EXIT) + 1];
	unsigned long refused[0x20e];
	unsigned long late[0x20e];
	unsigned long noted;
	unsigned long again;
	unsigned long deadlocks;
	unsigned long withdrawn;
	unsigned long resumed;
	struct {
		char what[12];
		unsigned int cta, thread;
		struct drm_vsm_insn insn;
		unsigned int fault;
	} trace[TRACE];
	unsigned long traced;
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

/* A number that the program has for a place in it, the same whenever it is asked for. */
static __u64 drawn(const struct player *p, unsigned int pc, unsigned int cta, unsigned int who,
		   unsigned int what)
{
	__u64 state = p->seed ^ (((__u64)pc << 40) + ((__u64)cta << 32) + (who << 8) + what);

	return unit_random(&state);
}

#define NOBODY	0xffffff

/* Where a thread exits. */
static unsigned int exit_pc(const struct player *p, unsigned int cta, unsigned int thread)
{
	const unsigned int warp = thread / VSM_WARP_SIZE;
	__u64 r = drawn(p, 0, cta, warp, 1);

	if (p->exits == EXIT_WARPS && r % 4 == 0)
		return r / 4 % p->length;
	r = drawn(p, 0, cta, thread, 2);
	if (p->exits == EXIT_NONE || p->converged || r % 4 ||
	    (p->exits == EXIT_LANES && thread % VSM_WARP_SIZE == 0))
		return p->length;
	return r / 4 % p->length;
}

static bool enforces(const struct player *p, enum drm_vsm_fault rule)
{
	return p->c.geo.enforce & DRM_VSM_RULE(rule);
}

static void give_shfl(const struct player *p, struct drm_vsm_insn *insn, unsigned int pc,
		      unsigned int cta, unsigned int thread, __u64 r)
{
	struct drm_vsm_warp_operands *o = &insn->u.warp;
	unsigned int lane = thread % VSM_WARP_SIZE, source;
	bool pred;

	o->b = r;
	o->c = r >> 32;
	/* Segments of half a warp and less, and the whole one, are what programs have. */
	if (r >> 40 & 1)
		o->c = (r >> 41 & 1 ? 0 : 0x1f) | (32 - (1 << (r >> 42) % 6)) << 8;
	source = meet_shfl_source(insn->red, lane, o->b, o->c, &pred);
	thread += source - lane;
	if (!p->legal || !enforces(p, FAULT(SHFL_SOURCE)) ||
	    (o->membermask >> source & 1 && thread < p->c.geo.threads &&
	     exit_pc(p, cta, thread) > pc))
		return;
	/* From itself, then. */
	o->b = 0;
	o->c = 0x1f1f;
}

static void give_warp_op(const struct player *p, struct drm_vsm_insn *insn, unsigned int pc,
			 unsigned int cta, unsigned int thread)
{
	static const __u8 redux[] = {
		RED(ADD, U32),
		RED(ADD, S32),
		RED(MIN, U32),
		RED(MIN, S32),
		RED(MAX, U32),
		RED(MAX, S32),
		RED(AND, B32),
		RED(OR, B32),
		RED(XOR, B32),
	};
	const unsigned int warp = thread / VSM_WARP_SIZE, lane = thread % VSM_WARP_SIZE;
	const __u64 masks = drawn(p, pc, cta, warp, 3), mine = drawn(p, pc, cta, thread, 4);
	/* The lanes fall into up to four masks, which share no lane. */
	__u32 mask = masks >> 63 || p->converged ? ~0U : (__u32)masks;
	__u32 other = masks >> 62 & 1 ? ~0U : (__u32)(masks >> 16);
	__u64 r;

	mask = mask >> lane & 1 ? mask : ~mask;
	if (!p->converged)
		mask &= other >> lane & 1 ? other : ~other;
	insn->u.warp.membermask = mask;
	/* Who shares the mask draws the same. */
	r = drawn(p, pc, cta, mask % NOBODY, 5);
	insn->op = OP(MATCH_SYNC) + r % 6;
	r >>= 8;
	switch (insn->op) {
	case OP(MATCH_SYNC):
		insn->red = DRM_VSM_MODE(DRM_VSM_MODE_ANY + r % 2,
					 r & 2 ? DRM_VSM_TYPE_B64 : DRM_VSM_TYPE_B32);
		/* Few values, in either half. */
		insn->u.warp.a = r & 4 ? 7 : mine & 1;
		if (r & 2)
			insn->u.warp.a |= (r & 8 ? 7 : mine >> 1 & 1) << 32;
		break;
	case OP(VOTE_SYNC):
		insn->red = DRM_VSM_MODE_ANY + r % 4;
		insn->u.warp.a = r & 8 ? r >> 4 & 1 : mine & 1;
		break;
	case OP(SHFL_SYNC):
		insn->red = DRM_VSM_MODE_UP + r % 4;
		insn->u.warp.a = (__u32)(mine >> 32);
		give_shfl(p, insn, pc, cta, thread, r & 8 ? drawn(p, pc, cta, warp, 6) : mine);
		break;
	case OP(REDUX_SYNC):
		insn->red = redux[r % ARRAY_SIZE(redux)];
		insn->u.warp.a = (__u32)(r & 0x100 ? mine : mine % 5 - 2);
		break;
	}
}

/* Is a thread of the warp left that executes what the program has in this place? */
static bool warp_is_left(const struct player *p, unsigned int pc, unsigned int cta,
			 unsigned int warp)
{
	unsigned int i, first = warp * VSM_WARP_SIZE;

	for (i = first; i < first + VSM_WARP_SIZE && i < p->c.geo.threads; i++)
		if (exit_pc(p, cta, i) > pc)
			return true;
	return false;
}

/* @how is the warp's alone. */
static void give_barrier(const struct player *p, struct drm_vsm_insn *insn, __u16 op,
			 unsigned int id, unsigned int warps, __u64 how)
{
	/* A warp that does not do what the others do. */
	if (!p->legal && how >> 8 & 1) {
		op = how >> 9 & 1 ? op : OP(BARRIER_SYNC) + (how >> 11) % 3;
		id &= how >> 14 & 1 ? ~0U : 1;
		warps = how >> 16 & 3 ? warps : 1 + (how >> 20) % vsm_geometry_warps(&p->c.geo);
		how |= 2;
	}
	if (op == OP(BARRIER_RED))
		insn->red = DRM_VSM_RED_POPC;
	insn->op = op;
	insn->u.barrier.barrier = id % VSM_BARRIERS;
	if (how & 1)
		insn->mods |= MOD(ALIGNED);
	/* Whether all are counted or named makes no difference to other warps. */
	if (op == OP(BARRIER_ARRIVE) || how & 2 || warps < vsm_geometry_warps(&p->c.geo)) {
		insn->mods |= MOD(COUNT);
		insn->u.barrier.count = warps * VSM_WARP_SIZE;
	}
}

/* What all threads meet at in the block; false if it is nothing there. */
static bool give_meeting(const struct player *p, struct drm_vsm_insn *insn, unsigned int pc,
			 unsigned int cta, unsigned int thread)
{
	const unsigned int slot = pc % BLOCK, block = pc - slot, warp = thread / VSM_WARP_SIZE;
	const unsigned int warps = vsm_geometry_warps(&p->c.geo);
	const __u64 ids = drawn(p, block, cta, NOBODY, 8), how = drawn(p, pc, cta, warp, 9);
	const unsigned int odd = warp % 2;

	/* All CTAs do the same, so that clusters meet. */
	switch (drawn(p, block, 0, NOBODY, 7) % 9) {
	case 0:
		if (slot != 0 && slot != 2)
			return false;
		insn->op = slot ? OP(BARRIER_CLUSTER_WAIT) : OP(BARRIER_CLUSTER_ARRIVE);
		insn->mods = how & 1 ? MOD(ALIGNED) : 0;
		if (how & 2)
			insn->sem = slot ? DRM_VSM_SEM_ACQUIRE :
				    how & 4 ? DRM_VSM_SEM_RELEASE : DRM_VSM_SEM_RELAXED;
		return true;
	case 1:
		if (slot != 1)
			return false;
		give_barrier(p, insn, OP(BARRIER_SYNC), ids, warps, how);
		return true;
	case 2:
		/*
		 * Producers and consumers; nobody comes again before all have been there. If warps
		 * exit, a consumer is left, and waits for those who are.
		 */
		if (slot > 1 || (!slot && !warp_is_left(p, block, cta, 0)))
			return false;
		give_barrier(p, insn, !slot && odd ? OP(BARRIER_ARRIVE) : OP(BARRIER_SYNC),
			     ids + slot, warps, p->exits == EXIT_WARPS ? how & ~2ULL : how);
		return true;
	case 3:
		if (slot != 2)
			return false;
		give_barrier(p, insn, OP(BARRIER_RED), ids, warps, how);
		if (insn->op != OP(BARRIER_RED))
			return true;
		insn->red = ids >> 8 & 1 ? DRM_VSM_RED_POPC :
			    ids >> 9 & 1 ? DRM_VSM_RED_AND : DRM_VSM_RED_OR;
		insn->u.barrier.pred = ids >> 10 & 1 ? ids >> 11 & 1 :
				       drawn(p, pc, cta, thread, 10) & 1;
		return true;
	case 4:
		/* Two groups of warps, each with a barrier and all of its warps. */
		if (slot > 1 || p->exits == EXIT_WARPS)
			return false;
		if (slot)
			give_barrier(p, insn, OP(BARRIER_SYNC), ids, warps, how);
		else
			give_barrier(p, insn, OP(BARRIER_SYNC), ids + 1 + odd,
				     (warps + !odd) / 2, how | 2);
		return true;
	case 5:
		/* Some warps arrive once or twice before all wait, and are counted each time. */
		if (slot > 2 || p->exits == EXIT_WARPS || (slot < 2 && ids >> (8 + slot) & odd) ||
		    enforces(p, FAULT(BARRIER_OVERFLOW)))
			return false;
		give_barrier(p, insn, slot < 2 ? OP(BARRIER_ARRIVE) : OP(BARRIER_SYNC), ids,
			     3 * warps - (ids >> 8 & 1 ? warps / 2 : 0) -
				     (ids >> 9 & 1 ? warps / 2 : 0), how | 2);
		return true;
	default:
		return false;
	}
}

/* The instruction of a program at some place; far from it there is exit. */
static struct drm_vsm_insn scripted(const struct player *p, unsigned int pc, unsigned int cta,
				    unsigned int thread)
{
	struct drm_vsm_insn insn = { 0 };

	if (pc >= exit_pc(p, cta, thread))
		insn.op = OP(EXIT);
	else if (!give_meeting(p, &insn, pc, cta, thread))
		give_warp_op(p, &insn, pc, cta, thread);
	return insn;
}

/* Something that has perhaps to do with what others are in. */
static struct drm_vsm_insn junk(struct player *p, unsigned int pc, unsigned int cta,
				unsigned int thread)
{
	static const __u32 masks[] = { 1, 2, 3, 5, 6, 7, 0xf, 0x1f, ~0U, 0xfffe, 0x80000001 };
	const __u64 r = unit_random(&p->rng);
	struct drm_vsm_insn insn;

	/* Another place, or another thread's. */
	thread = (thread + (r >> 8) % 3) % p->c.geo.threads;
	insn = scripted(p, (pc + r % 5) % p->length, cta, thread);
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
	struct drm_vsm_insn insn = meet_thread(&p->c.model, cta, thread)->insn;

	meet_check_take(&p->c, cta, thread, &insn);
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
		fault = meet_check_execute(&p->c, cta, thread, converged, insn);
	p->ops++;
	trace(p, what, cta, thread, insn, fault);
	check(p);
	p->refused[fault]++;
	p->again += !fault && p->c.model.again;
	return fault;
}

/* The threads of a warp that has come apart meet where one of them is. */
static void recover(struct player *p, unsigned int cta, unsigned int thread)
{
	const unsigned int first = thread - thread % VSM_WARP_SIZE;
	const unsigned int pc = *pc_of(p, cta, thread);
	unsigned int i;

	for (i = first; i < first + VSM_WARP_SIZE && i < p->c.geo.threads; i++) {
		*pc_of(p, cta, i) = pc;
		if (meet_check_state(&p->c, cta, i) != MEET_INSIDE)
			continue;
		meet_check_withdraw(&p->c, cta, i);
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
		/* Most programs would stop here; this one may come again, or go on. */
		if (unit_below(&p->rng, 8))
			step_pc(p, cta, thread);
		if ((fault == FAULT(WARP_MISMATCH) || fault == FAULT(PARTIAL_WARP)) && chance(p, 3))
			recover(p, cta, thread);
		return;
	}
	switch (meet_check_state(&p->c, cta, thread)) {
	case MEET_RELEASED:
		if (unit_below(&p->rng, 4))
			take(p, cta, thread);
		break;
	case MEET_INSIDE:
		if (unit_below(&p->rng, 4))
			meet_check_watch(&p->c, cta, thread, true);
		break;
	default:
		p->done[OP(EXIT)]++;
		break;
	}
}

/* Does something to a thread that waits, or could go on. */
static void disturb(struct player *p, unsigned int cta, unsigned int thread)
{
	const struct meet_thread *t = meet_thread(&p->c.model, cta, thread);
	const bool led = meet_check_is_led(&p->c, cta, thread);
	struct drm_vsm_insn insn = t->insn;
	enum drm_vsm_fault fault;

	switch (unit_below(&p->rng, 8)) {
	case 0:
	case 1:
	case 2:
		/* A signal; or whoever it was comes back, and waits on. */
		if (led)
			break;
		if (t->watched) {
			meet_check_watch(&p->c, cta, thread, false);
			break;
		}
		fault = execute(p, cta, thread, t->converged, &insn, "resume");
		if (fault)
			fail_player(p, "a thread that cannot come back");
		p->resumed++;
		if (t->state == MEET_INSIDE)
			meet_check_watch(&p->c, cta, thread, true);
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
		if (t->state != MEET_INSIDE)
			break;
		trace(p, "withdraw", cta, thread, &insn, 0);
		meet_check_withdraw(&p->c, cta, thread);
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

/* As if they had never executed it; they go on with what comes then. */
static void break_deadlock(struct player *p)
{
	unsigned int cta, i;

	if (p->legal)
		fail_player(p, "nobody can go on in a legal program");
	p->deadlocks++;
	for (cta = 0; cta < p->c.geo.ctas; cta++) {
		for (i = 0; i < p->c.geo.threads; i++) {
			if (meet_check_state(&p->c, cta, i) != MEET_INSIDE ||
			    meet_check_is_led(&p->c, cta, i) || chance(p, 8))
				continue;
			meet_check_withdraw(&p->c, cta, i);
			check(p);
			step_pc(p, cta, i);
		}
	}
	meet_check_all(&p->c);
	check(p);
}

/* May the thread act? Of a converged warp its first does that has not exited. */
static bool can_act(struct player *p, unsigned int cta, unsigned int thread)
{
	unsigned int i;

	if (meet_check_state(&p->c, cta, thread) == MEET_INSIDE ||
	    meet_check_state(&p->c, cta, thread) == MEET_EXITED)
		return false;
	for (i = thread - thread % VSM_WARP_SIZE; p->converged && i < thread; i++)
		if (meet_check_state(&p->c, cta, i) != MEET_EXITED)
			return false;
	return true;
}

static void execute_exited(struct player *p, unsigned int cta, unsigned int thread)
{
	struct drm_vsm_insn insn = scripted(p, 0, cta, thread);

	execute(p, cta, thread, chance(p, 4), &insn, "exited");
}

/* One thread does something; false if none is left. */
static bool play(struct player *p)
{
	const unsigned int threads = p->c.geo.ctas * p->c.geo.threads;
	unsigned int start = unit_below(&p->rng, threads), i;
	bool left = false;

	for (i = start; i < start + threads; i++) {
		const unsigned int cta = i % threads / p->c.geo.threads;
		const unsigned int thread = i % threads % p->c.geo.threads;

		if (meet_check_state(&p->c, cta, thread) == MEET_EXITED) {
			if (i == start && chance(p, 4) && !p->legal)
				execute_exited(p, cta, thread);
			continue;
		}
		left = true;
		if (i == start && meet_check_state(&p->c, cta, thread) != MEET_RUNNING &&
		    chance(p, 4)) {
			disturb(p, cta, thread);
			return true;
		}
		if (!can_act(p, cta, thread))
			continue;
		if (meet_check_state(&p->c, cta, thread) == MEET_RELEASED)
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
	meet_check_create(&p->c, &geo);
	p->pc = calloc(geo.ctas * geo.threads, sizeof(*p->pc));
	assert_non_null(p->pc);
	p->seed = unit_random(&p->rng);
	p->length = BLOCK * (1 + unit_below(&p->rng, 8));
	p->exits = unit_below(&p->rng, EXIT_MODES);
	p->legal = legal;
	p->converged = chance(p, 5);
	p->junk = legal ? 0 : 4 << unit_below(&p->rng, 8);
}

static void end(struct player *p)
{
	meet_check_all(&p->c);
	check(p);
	meet_check_destroy(&p->c);
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

/* What did not happen was not tested. */
static void check_happened(const unsigned long *counts, unsigned int first, unsigned int last,
			   const struct player *p, unsigned long one_in, const char *what)
{
	unsigned int i;

	for (i = first; i <= last; i++) {
		print_message("# %s %#x: %lu\n", what, i, counts[i]);
		if (p->ops >= 100000 && counts[i] < p->ops / one_in)
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
	/* What a thread that exits leaves to those who wait. */
	check_happened(p.late, FAULT(SHFL_SOURCE), FAULT(SHFL_SOURCE), &p, 50000, "late fault");
	check_happened(p.late, FAULT(BARRIER_MISMATCH), FAULT(BARRIER_MIXED), &p, 500000,
		       "late fault");
	check_happened(&p.noted, 0, 0, &p, 1000, "a value of its own");
	check_happened(&p.again, 0, 0, &p, 10000, "arrived again");
	assert_in_range(p.deadlocks, p.ops / 20000, p.ops);
}
