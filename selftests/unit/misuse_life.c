// SPDX-License-Identifier: MIT
/* Misuse of the life of an object: init, inval, and other uses of its memory. */
#include "misuse.h"

static bool never_initialised(struct generator *g)
{
	struct draft d = misuse_anything(g);

	if (d.insn.op == OP(MBARRIER_INIT))
		return false;
	d.insn.u.mbarrier.addr = misuse_nowhere(g, draft_rank(d.o));
	d.o = NULL;
	return draft_refuse(g, &d, FAULT(NOT_AN_MBARRIER), 0);
}

static bool invalidated(struct generator *g)
{
	struct generator_object *o = draft_object(g, false);
	struct draft d;

	if (!o) {
		o = misuse_live(g);
		if (!misuse_lead_inval(g, o))
			return false;
	}
	d = draft_any(g, o);
	return misuse_qualified(g, &d, FAULT(NOT_AN_MBARRIER));
}

/* User space sets a bit that no operation sets. After the misuse it restores the word. */
static bool written_over(struct generator *g)
{
	__u64 bits = misuse_sm_90(g) ? 1ULL | 1ULL << 42 : 3ULL << 30;
	struct generator_object *o = misuse_live(g);
	struct generator_step *s;
	__u64 word, bad;
	struct draft d;

	if (!o)
		return false;
	word = o->word;
	do
		bad = unit_random(&g->rng) & bits;
	while (!bad);
	d = draft_any(g, o);
	if (d.insn.op == OP(MBARRIER_INIT) || d.insn.op == OP(MBARRIER_INVAL))
		return false;
	s = draft_step(g, GENERATOR_WRITE);
	s->addr = o->addr;
	s->word = word ^ bad;
	o->word = word ^ bad;
	draft_refuse(g, &d, FAULT(NOT_AN_MBARRIER), o->word);
	o->word = word;
	s = draft_step(g, GENERATOR_WRITE);
	s->addr = o->addr;
	s->word = word;
	return true;
}

static bool init_in_state(struct generator *g, struct generator_object *o, unsigned int state)
{
	struct draft d;

	if (!o || model_state(&o->m) != state)
		return false;
	d = draft_init(g, o, 1 + draw(g, MODEL_MAX));
	return misuse_qualified(g, &d, FAULT(INIT_OVER_LIVE));
}

static bool init_over_idle(struct generator *g)
{
	return init_in_state(g, draw(g, 2) ? misuse_fresh(g, 1 + draw(g, 9)) : misuse_live(g),
			     DRM_VSM_MBARRIER_IDLE);
}

static bool init_over_a_phase(struct generator *g)
{
	return init_in_state(g, misuse_live(g), DRM_VSM_MBARRIER_IN_PROGRESS);
}

static bool init_over_unobserved(struct generator *g)
{
	struct generator_object *o = misuse_live(g);

	if (o && o->m.observed && !misuse_lead_complete(g, o))
		return false;
	return init_in_state(g, o, DRM_VSM_MBARRIER_UNOBSERVED);
}

static bool inval_bound(struct generator *g)
{
	struct generator_object *o = misuse_live(g);
	struct draft d;

	if (!o || !o->m.bound)
		return false;
	d = draft_inval(g, o);
	return draft_misuse(g, &d, FAULT(INVAL_IN_USE));
}

static bool inval_waited(struct generator *g)
{
	struct generator_object *o = misuse_live(g);
	struct generator_step *s;
	struct draft d;
	int i;

	if (!o)
		return false;
	for (i = 0; i < 2; i++) {
		s = draft_step(g, i ? GENERATOR_DISARM : GENERATOR_ARM);
		s->addr = o->addr;
		s->word = o->word;
		s->result = o->m.phase % 2;
		s->cta = draft_rank(o);
		if (i)
			break;
		d = draft_inval(g, o);
		d.op.waited = true;
		draft_deliver(g, &d);
	}
	return true;
}

static bool write_over_live(struct generator *g)
{
	struct generator_object *o = misuse_live(g);
	struct generator_step *s;
	struct draft d = { .token = -1 };
	__u32 size = 4U << draw(g, 3);
	__u32 before;

	if (!o)
		return false;
	d.cta = draft_rank(o);
	d.thread = draw(g, g->config.threads);
	d.insn.op = OP(CP_ASYNC);
	d.insn.u.copy.size = size;
	d.insn.u.copy.addr = (o->addr + draw(g, 8)) / size * size;
	d.insn.u.copy.offset = draw(g, g->config.buffer_bytes / size) * size;
	/* The device reports the first valid object that the copy would overwrite. */
	before = d.insn.u.copy.addr / 8 * 8;
	if (before < o->addr) {
		unsigned int i;

		for (i = 0; i < g->config.objects; i++)
			if (g->objects[i].addr == before && g->objects[i].m.live)
				o = &g->objects[i];
	}
	d.o = o;
	draft_refuse(g, &d, FAULT(WRITE_OVER_LIVE), o->word);
	s = &g->steps[g->made - 1];
	s->info = o->addr;
	return true;
}

/* --- clusters -------------------------------------------------------------- */

static bool remote_misuse(struct generator *g, struct generator_object *o)
{
	struct draft d = draw(g, 2) ? draft_tx(g, o, draw(g, 2) ? OP(MBARRIER_EXPECT_TX)
							       : OP(MBARRIER_COMPLETE_TX), 1)
				    : draft_arrive(g, o, ARRIVE, draw(g, 2) ? MOD(EXPECT_TX) : 0,
						   0, draw(g, 64));

	draft_remote(g, &d);
	return misuse_qualified(g, &d, FAULT(INIT_NOT_FENCED));
}

static bool before_the_fence(struct generator *g)
{
	struct generator_object *o = misuse_fresh(g, 1 + draw(g, 4));

	return o && remote_misuse(g, o);
}

static bool after_another_s_fence(struct generator *g)
{
	struct generator_object *o = misuse_fresh(g, 1 + draw(g, 4));

	if (!o)
		return false;
	if (g->config.threads > 1)
		draft_fence(g, draft_rank(o), (o->m.initialiser + 1) % g->config.threads);
	/* The thread with the same number, but in another CTA, executes a fence. */
	draft_fence(g, (draft_rank(o) + 1) % g->config.ctas, o->m.initialiser);
	return remote_misuse(g, o);
}

static bool after_an_earlier_fence(struct generator *g)
{
	struct generator_object *o = misuse_fresh(g, 1 + draw(g, 4));

	if (!o)
		return false;
	draft_fence(g, draft_rank(o), o->m.initialiser);
	if (!misuse_lead_inval(g, o))
		return false;
	if (!misuse_lead(g, (struct draft[]) { draft_init(g, o, 1 + draw(g, 4)) }))
		return false;
	return remote_misuse(g, o);
}

/*
 * None of these fences makes the init visible to the cluster: the first does not release, the
 * second releases only to the CTA, and a thread of another CTA executes the third.
 */
static bool after_a_fence_of_less(struct generator *g)
{
	struct generator_object *o = misuse_fresh(g, 1 + draw(g, 4));
	__u16 thread = draw(g, g->config.threads);

	if (!o)
		return false;
	draft_order(g, draft_rank(o), thread, DRM_VSM_SEM_ACQUIRE,
		    DRM_VSM_SCOPE_CTA + draw(g, 4));
	draft_order(g, draft_rank(o), thread, draw(g, 2) ? DRM_VSM_SEM_SC : DRM_VSM_SEM_RELEASE,
		    DRM_VSM_SCOPE_CTA);
	draft_order(g, (draft_rank(o) + 1) % g->config.ctas, thread, DRM_VSM_SEM_ACQ_REL,
		    DRM_VSM_SCOPE_CLUSTER + draw(g, 3));
	return remote_misuse(g, o);
}

const struct generator_misuse misuse_lives[] = {
	WAY(NOT_AN_MBARRIER, ANY, "never initialised", never_initialised),
	WAY(NOT_AN_MBARRIER, ANY, "after inval, or before init", invalidated),
	WAY(NOT_AN_MBARRIER, ANY, "a word with bits that no operation sets", written_over),
	WAY(INIT_OVER_LIVE, ANY, "init of an idle object", init_over_idle),
	WAY(INIT_OVER_LIVE, ANY, "init in a phase", init_over_a_phase),
	WAY(INIT_OVER_LIVE, ANY, "init after an unobserved phase", init_over_unobserved),
	WAY(INVAL_IN_USE, ANY, "inval with operations in flight", inval_bound),
	WAY(INVAL_IN_USE, ANY, "inval with a waiter", inval_waited),
	WAY(INIT_NOT_FENCED, SM_90 | CTAS, "remote, no fence yet", before_the_fence),
	WAY(INIT_NOT_FENCED, SM_90 | CTAS, "remote, only others' fences", after_another_s_fence),
	WAY(INIT_NOT_FENCED, SM_90 | CTAS, "remote, a fence before init", after_an_earlier_fence),
	WAY(INIT_NOT_FENCED, SM_90 | CTAS, "remote, weak fences", after_a_fence_of_less),
	WAY(WRITE_OVER_LIVE, BUFFER, "cp.async to an object", write_over_live),
	{ .name = NULL },
};
