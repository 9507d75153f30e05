// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "../insn.h"
#include "draft.h"

static bool is_arrive(__u16 op)
{
	return op == OP(MBARRIER_ARRIVE) || op == OP(MBARRIER_ARRIVE_DROP);
}

static bool is_tx(__u16 op)
{
	return op == OP(MBARRIER_EXPECT_TX) || op == OP(MBARRIER_COMPLETE_TX);
}

static bool is_wait(__u16 op)
{
	return op == OP(MBARRIER_TEST_WAIT) || op == OP(MBARRIER_TRY_WAIT);
}

/* --- steps ----------------------------------------------------------------- */

struct generator_step *draft_step(struct generator *g, enum generator_action action)
{
	struct generator_step *s = &g->steps[g->made++];

	if (g->made > GENERATOR_STEPS)
		abort();
	s->action = action;
	s->cta = 0;
	s->thread = 0;
	s->insn = (struct drm_vsm_insn) { 0 };
	s->token = -1;
	s->twist = 0;
	s->slot = -1;
	s->async = -1;
	s->fault = 0;
	s->info = 0;
	s->result = 0;
	s->addr = GENERATOR_NOWHERE;
	s->word = 0;
	s->happened = 0;
	return s;
}

static struct generator_step *instruction(struct generator *g, const struct draft *d)
{
	struct generator_step *s = draft_step(g, GENERATOR_INSN);

	s->cta = d->cta;
	s->thread = d->thread;
	s->insn = d->insn;
	s->token = d->token;
	s->twist = d->twist;
	if (d->o) {
		s->addr = d->o->addr;
		s->word = d->o->word;
	}
	return s;
}

bool draft_refuse(struct generator *g, const struct draft *d, __u32 fault, __u64 word)
{
	struct generator_step *s = instruction(g, d);

	s->fault = fault;
	s->result = word;
	return true;
}

static int issue(struct generator *g, const struct draft *d)
{
	int i = 0;

	while (g->asyncs[i].used)
		i++;
	g->asyncs[i] = (struct generator_async) {
		.used = true,
		.object = d->o - g->objects,
		.op = {
			.kind = MODEL_DONE,
			.noinc = d->op.noinc,
			.token = model_token(&d->o->m, &d->op),
		},
		.cta = d->cta,
		.thread = d->thread,
		.insn = d->insn,
	};
	g->order[g->flying++] = i;
	return i;
}

/* Fills in the result of the step. The model has not performed the operation yet. */
static void answer(struct generator *g, struct generator_step *s, const struct draft *d)
{
	if (is_arrive(d->insn.op) && !(d->insn.mods & MOD(SINK))) {
		s->result = d->o->word & 0xffffffff00000000ULL;
		s->slot = draw(g, GENERATOR_TOKENS);
		s->returned = model_token(&d->o->m, &d->op);
		g->tokens[s->slot] = s->returned;
		g->has_token[s->slot] = true;
	} else if (is_wait(d->insn.op)) {
		s->result = model_answer(&d->o->m, &d->op);
	} else if (d->op.kind == MODEL_ISSUE) {
		s->async = issue(g, d);
	} else if (d->op.kind == MODEL_INIT) {
		d->o->m.object = ++g->inits;
	}
}

static void blame(struct generator_step *s, const struct draft *d, unsigned int faults)
{
	const struct model *m = &d->o->m;

	if (faults & (faults - 1))
		abort();
	while (faults >>= 1)
		s->fault++;
	s->result = d->o->word;
	if (s->fault == DRM_VSM_FAULT_INIT_OVER_LIVE)
		s->info = model_state(m);
	if (s->fault == DRM_VSM_FAULT_INVAL_IN_USE)
		s->info = m->bound;
	/* The device checks for these two faults before it reads the word. */
	if (s->fault == DRM_VSM_FAULT_BAD_COUNT || s->fault == DRM_VSM_FAULT_BAD_PARITY)
		s->result = 0;
}

/* Makes all inits of the CTA visible to the cluster, no matter which thread executed them. */
static void make_inits_visible(struct generator *g, __u16 cta)
{
	unsigned int i;

	for (i = 0; i < g->config.objects; i++)
		if (g->objects[i].m.live && draft_rank(&g->objects[i]) == cta)
			g->objects[i].m.initialiser = MODEL_VISIBLE;
}

void draft_deliver(struct generator *g, const struct draft *d)
{
	struct generator_step *s = instruction(g, d);
	unsigned int faults = model_faults(&d->o->m, &d->op);

	if (faults) {
		blame(s, d, faults);
		return;
	}
	answer(g, s, d);
	model_apply(&d->o->m, &d->op);
	if (is_arrive(d->insn.op) && d->insn.sem == DRM_VSM_SEM_RELEASE &&
	    d->insn.scope == DRM_VSM_SCOPE_CLUSTER)
		make_inits_visible(g, d->cta);
	d->o->word = model_encode(&d->o->m);
	s->word = d->o->word;
}

bool draft_misuse(struct generator *g, const struct draft *d, __u32 fault)
{
	if (model_faults(&d->o->m, &d->op) != 1U << fault)
		return false;
	draft_deliver(g, d);
	return true;
}

bool draft_legal(const struct draft *d)
{
	struct model m = d->o->m;

	if (model_faults(&m, &d->op))
		return false;
	if (model_apply(&m, &d->op))
		return !d->o->m.inflight;
	if (!m.live)
		return true;
	/*
	 * If only asynchronous arrivals are pending, the last of them may complete the phase at any
	 * time.
	 */
	if (m.pending > m.inflight)
		return true;
	return m.pending == m.inflight && m.tx >= 0 && (m.tx > 0 || m.observed);
}

/* --- asynchronous operations ----------------------------------------------- */

static void happen(struct generator *g, struct generator_step *s, int i)
{
	struct generator_async *async = &g->asyncs[i];
	struct generator_object *o = &g->objects[async->object];
	struct generator_done *done = &s->done[s->happened++];
	unsigned int faults = model_faults(&o->m, &async->op);

	*done = (struct generator_done) {
		.async = i,
		.cta = async->cta,
		.thread = async->thread,
		.insn = async->insn,
	};
	async->used = false;
	if (faults) {
		if (faults & (faults - 1))
			abort();
		while (faults >>= 1)
			done->insn.fault++;
		done->insn.result = o->word;
		model_refuse(&o->m, &async->op);
	} else {
		model_apply(&o->m, &async->op);
		o->word = model_encode(&o->m);
	}
	done->word = o->word;
}

void draft_complete(struct generator *g, unsigned int nth)
{
	struct generator_step *s = draft_step(g, GENERATOR_COMPLETE);

	happen(g, s, g->order[nth]);
	g->flying--;
	memmove(&g->order[nth], &g->order[nth + 1], (g->flying - nth) * sizeof(g->order[0]));
}

void draft_release(struct generator *g)
{
	struct generator_step *s = draft_step(g, GENERATOR_RELEASE);
	unsigned int i;

	for (i = 0; i < g->flying; i++)
		happen(g, s, g->order[i]);
	g->flying = 0;
	g->copying = 0;
}

/* --- drafts ---------------------------------------------------------------- */

static struct draft draft(struct generator *g, struct generator_object *o, __u16 op,
			  enum model_kind kind)
{
	struct draft d = { .o = o, .op.kind = kind, .token = -1 };

	d.op.thread = MODEL_VISIBLE;
	d.insn.op = op;
	d.insn.u.mbarrier.addr = o->addr;
	d.cta = draft_rank(o);
	d.thread = draw(g, g->config.threads);
	return d;
}

struct draft draft_init(struct generator *g, struct generator_object *o, __u32 count)
{
	struct draft d = draft(g, o, OP(MBARRIER_INIT), MODEL_INIT);

	d.insn.u.mbarrier.count = count;
	d.op.count = count;
	if (g->config.ctas > 1)
		d.op.thread = d.thread;
	return d;
}

struct draft draft_inval(struct generator *g, struct generator_object *o)
{
	return draft(g, o, OP(MBARRIER_INVAL), MODEL_INVAL);
}

struct draft draft_arrive(struct generator *g, struct generator_object *o, __u16 op, __u16 mods,
			  __u32 count, __u32 tx)
{
	struct draft d = draft(g, o, op, op == OP(MBARRIER_ARRIVE) ? MODEL_ARRIVE
								   : MODEL_ARRIVE_DROP);

	d.insn.mods = mods;
	if (mods & MOD(COUNT)) {
		d.op.counted = true;
		d.op.count = count;
		d.insn.u.mbarrier.count = count;
	}
	if (mods & MOD(EXPECT_TX)) {
		d.op.expect_tx = true;
		d.op.tx = tx;
		d.insn.u.mbarrier.tx_count = tx;
	}
	d.op.no_complete = mods & MOD(NOCOMPLETE);
	return d;
}

struct draft draft_tx(struct generator *g, struct generator_object *o, __u16 op, __u32 tx)
{
	struct draft d = draft(g, o, op, op == OP(MBARRIER_EXPECT_TX) ? MODEL_EXPECT_TX
								      : MODEL_COMPLETE_TX);

	d.insn.u.mbarrier.tx_count = tx;
	d.op.tx = tx;
	return d;
}

static void hint(struct generator *g, struct draft *d)
{
	if (d->insn.op != OP(MBARRIER_TRY_WAIT))
		return;
	if (g->config.held && !model_answer(&d->o->m, &d->op)) {
		d->insn.mods |= MOD(HINT);
		d->insn.u.mbarrier.hint_ns = draw(g, 1000);
	} else if (draw(g, 2)) {
		d->insn.mods |= MOD(HINT);
		d->insn.u.mbarrier.hint_ns = unit_random(&g->rng);
	}
}

struct draft draft_wait_parity(struct generator *g, struct generator_object *o, __u16 op,
			       __u32 parity)
{
	struct draft d = draft(g, o, op, MODEL_WAIT);

	d.insn.mods = MOD(PARITY);
	d.insn.u.mbarrier.parity = parity;
	d.op.by_parity = true;
	d.op.parity = parity;
	hint(g, &d);
	return d;
}

struct draft draft_wait_token(struct generator *g, struct generator_object *o, __u16 op,
			      int token)
{
	struct draft d = draft(g, o, op, MODEL_WAIT);

	d.token = token;
	d.op.token = g->tokens[token];
	hint(g, &d);
	return d;
}

struct draft draft_issue(struct generator *g, struct generator_object *o, bool noinc)
{
	struct draft d = draft(g, o, OP(CP_ASYNC_MBARRIER_ARRIVE), MODEL_ISSUE);

	d.insn.mods = noinc ? MOD(NOINC) : 0;
	d.op.noinc = noinc;
	return d;
}

void draft_remote(struct generator *g, struct draft *d)
{
	d->cta = (d->cta + 1 + draw(g, g->config.ctas - 1)) % g->config.ctas;
	d->op.remote = true;
	if (is_arrive(d->insn.op))
		d->insn.mods |= MOD(SINK);
}

/* Draws .relaxed or @strong (.release or .acquire). sm_80 has no .relaxed. */
static __u8 draw_sem(struct generator *g, __u8 strong)
{
	return g->config.sm == 90 && draw(g, 2) ? DRM_VSM_SEM_RELAXED : strong;
}

static __u8 draw_scope(struct generator *g)
{
	return g->config.sm == 90 && draw(g, 2) ? DRM_VSM_SCOPE_CLUSTER : DRM_VSM_SCOPE_CTA;
}

static void order(struct generator *g, struct drm_vsm_insn *insn)
{
	if (is_tx(insn->op)) {
		insn->sem = DRM_VSM_SEM_RELAXED;
		insn->scope = draw_scope(g);
	} else if (insn->mods & MOD(NOCOMPLETE)) {
		insn->sem = DRM_VSM_SEM_RELEASE;
		insn->scope = DRM_VSM_SCOPE_CTA;
	} else if (is_arrive(insn->op) || is_wait(insn->op)) {
		insn->sem = draw_sem(g, is_wait(insn->op) ? DRM_VSM_SEM_ACQUIRE
							  : DRM_VSM_SEM_RELEASE);
		insn->scope = draw_scope(g);
	}
}

void draft_qualify(struct generator *g, struct draft *d)
{
	struct drm_vsm_insn *insn = &d->insn;
	bool sink = is_tx(insn->op) || (is_arrive(insn->op) && insn->mods & MOD(SINK) &&
					!(insn->mods & MOD(NOCOMPLETE)));

	if (draw(g, 2))
		order(g, insn);
	if (draw(g, 2))
		return;
	if (g->config.sm == 90 && sink && (d->op.remote || draw(g, 2)))
		insn->space = DRM_VSM_SPACE_SHARED_CLUSTER;
	else if (!d->op.remote)
		insn->space = DRM_VSM_SPACE_SHARED_CTA;
}

/* --- any operation --------------------------------------------------------- */

struct generator_object *draft_object(struct generator *g, bool live)
{
	unsigned int n = g->config.objects, first = draw(g, n), i;

	for (i = 0; i < n; i++) {
		struct generator_object *o = &g->objects[(first + i) % n];

		if (o->m.live == live)
			return o;
	}
	return NULL;
}

/* Draws a count. Most draws are at a limit at which the behaviour changes, or next to one. */
static long long draw_count(struct generator *g, const struct generator_object *o)
{
	long long free = draft_free(o);

	switch (draw(g, 8)) {
	case 0:
	case 1:
		return free;
	case 2:
		return free - 1;
	case 3:
		return free > 0 ? 1 + draw(g, free) : 1;
	case 4:
		return o->m.expected - 1;
	default:
		return 1 + draw(g, 4);
	}
}

static long long draw_tx(struct generator *g, const struct generator_object *o, bool complete)
{
	long long tx = complete ? o->m.tx : -o->m.tx;

	switch (draw(g, 8)) {
	case 0:
	case 1:
	case 2:
		return tx > 0 ? tx : draw(g, 256);
	case 3:
		return tx > 0 ? draw(g, tx + 1) : draw(g, MODEL_MAX);
	case 4:
		/* The largest legal amount for expect-tx and complete-tx. */
		return complete ? MODEL_MAX + o->m.tx : MODEL_MAX - model_shown_tx(&o->m);
	default:
		return draw(g, 64);
	}
}

static struct draft any_arrive(struct generator *g, struct generator_object *o)
{
	static const __u16 forms[] = {
		0, MOD(COUNT), MOD(EXPECT_TX), MOD(COUNT) | MOD(NOCOMPLETE),
	};
	__u16 op = draw(g, 8) ? OP(MBARRIER_ARRIVE) : OP(MBARRIER_ARRIVE_DROP);
	__u16 mods = forms[g->config.sm == 90 ? draw(g, 4) : 3 * draw(g, 2)];
	long long count = draw_count(g, o);
	__u32 tx = draw_tx(g, o, false);
	struct draft d;

	if (!draw(g, 3))
		mods |= MOD(SINK);
	count = count < 1 ? 1 : count > MODEL_MAX ? MODEL_MAX : count;
	d = draft_arrive(g, o, op, mods, count, tx);
	if (g->config.sm == 90 && g->config.ctas > 1 && !(mods & MOD(NOCOMPLETE)) && !draw(g, 4))
		draft_remote(g, &d);
	return d;
}

static struct draft any_tx(struct generator *g, struct generator_object *o)
{
	bool complete = o->m.tx > 0 ? draw(g, 4) : !draw(g, 4);
	struct draft d = draft_tx(g, o, complete ? OP(MBARRIER_COMPLETE_TX)
						 : OP(MBARRIER_EXPECT_TX),
				  draw_tx(g, o, complete));

	if (g->config.ctas > 1 && !draw(g, 4))
		draft_remote(g, &d);
	return d;
}

static int draw_token(struct generator *g, const struct generator_object *o)
{
	unsigned int first = draw(g, GENERATOR_TOKENS), i;

	for (i = 0; i < GENERATOR_TOKENS; i++) {
		int token = (first + i) % GENERATOR_TOKENS;

		if (g->tokens[token].object == o->m.object && g->has_token[token] &&
		    g->tokens[token].phase >= o->m.phase - 1)
			return token;
	}
	return -1;
}

struct draft draft_any_wait(struct generator *g, struct generator_object *o)
{
	__u16 op = g->config.sm == 90 && draw(g, 2) ? OP(MBARRIER_TRY_WAIT)
						   : OP(MBARRIER_TEST_WAIT);
	int token = draw(g, 2) ? draw_token(g, o) : -1;

	if (token >= 0)
		return draft_wait_token(g, o, op, token);
	return draft_wait_parity(g, o, op, draw(g, 2));
}

struct draft draft_any(struct generator *g, struct generator_object *o)
{
	bool sm_90 = g->config.sm == 90;

	switch (draw(g, 16)) {
	default:
		return any_arrive(g, o);
	case 6:
	case 7:
	case 8:
		return sm_90 ? any_tx(g, o) : any_arrive(g, o);
	case 9:
	case 10:
	case 11:
		return draft_any_wait(g, o);
	case 12:
	case 13:
		return draft_issue(g, o, draw(g, 2));
	case 14:
		return draw(g, 8) ? draft_any_wait(g, o) : draft_inval(g, o);
	}
}

/* --- steps without an object ----------------------------------------------- */

struct drm_vsm_insn draft_copy(struct generator *g, __u16 cta)
{
	struct drm_vsm_insn insn = { .op = OP(CP_ASYNC) };
	__u32 size = 4U << draw(g, 3);
	__u32 blocks = g->config.smem_bytes / 64;

	insn.u.copy.size = size;
	insn.u.copy.addr = vsm_shared_addr(cta, draw(g, blocks) * 64 + DRAFT_COPIES * 16 +
						draw(g, 16 / size) * size);
	insn.u.copy.offset = draw(g, g->config.buffer_bytes / size) * size;
	if (size == 16 && draw(g, 2))
		insn.mods |= MOD(CG);
	if (draw(g, 2)) {
		insn.mods |= MOD(SRC_SIZE);
		insn.u.copy.src_size = draw(g, size + 1);
	}
	if (draw(g, 2))
		insn.space = DRM_VSM_SPACE_SHARED_CTA;
	return insn;
}

void draft_order(struct generator *g, __u16 cta, __u16 thread, __u8 sem, __u8 scope)
{
	struct generator_step *s = draft_step(g, GENERATOR_INSN);

	s->cta = cta;
	s->thread = thread;
	s->insn.op = OP(FENCE);
	s->insn.sem = sem;
	s->insn.scope = scope;
	if (sem != DRM_VSM_SEM_ACQUIRE && scope != DRM_VSM_SCOPE_CTA)
		make_inits_visible(g, cta);
}

void draft_fence(struct generator *g, __u16 cta, __u16 thread)
{
	struct generator_step *s = draft_step(g, GENERATOR_INSN);
	unsigned int i;

	s->cta = cta;
	s->thread = thread;
	s->insn.op = OP(FENCE_MBARRIER_INIT);
	s->insn.sem = DRM_VSM_SEM_RELEASE;
	s->insn.scope = DRM_VSM_SCOPE_CLUSTER;
	for (i = 0; i < g->config.objects; i++) {
		struct generator_object *o = &g->objects[i];

		if (o->m.live && draft_rank(o) == cta && o->m.initialiser == thread)
			o->m.initialiser = MODEL_VISIBLE;
	}
}
