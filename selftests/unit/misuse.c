// SPDX-License-Identifier: MIT
#include "misuse.h"

bool misuse_lead(struct generator *g, const struct draft *d)
{
	if (!draft_legal(d) || (d->op.kind == MODEL_ISSUE && g->flying == GENERATOR_ASYNCS))
		return false;
	draft_deliver(g, d);
	return true;
}

bool misuse_lead_inval(struct generator *g, struct generator_object *o)
{
	struct draft d = draft_inval(g, o);

	return misuse_lead(g, &d);
}

bool misuse_qualified(struct generator *g, struct draft *d, __u32 fault)
{
	draft_qualify(g, d);
	return draft_misuse(g, d, fault);
}

bool misuse_from_anywhere(struct generator *g, struct draft *d, __u32 fault)
{
	if (g->config.ctas > 1 && draw(g, 2))
		draft_remote(g, d);
	return misuse_qualified(g, d, fault);
}

struct generator_object *misuse_fresh(struct generator *g, __u32 count)
{
	struct generator_object *o = &g->objects[draw(g, g->config.objects)];
	struct draft d;

	if (o->m.live && !misuse_lead_inval(g, o))
		return NULL;
	d = draft_init(g, o, count);
	draft_deliver(g, &d);
	return o;
}

void misuse_lead_observe(struct generator *g, struct generator_object *o)
{
	struct draft d = draft_wait_parity(g, o, OP(MBARRIER_TEST_WAIT), 1 - o->m.phase % 2);

	draft_deliver(g, &d);
}

bool misuse_lead_arrive(struct generator *g, struct generator_object *o, __u16 mods, __u32 count)
{
	struct draft d = draft_arrive(g, o, ARRIVE, mods | MOD(SINK), count, 0);

	return misuse_lead(g, &d);
}

bool misuse_lead_complete(struct generator *g, struct generator_object *o)
{
	long long phase = o->m.phase;
	struct draft d;

	if (o->m.inflight)
		return false;
	if (!o->m.observed)
		misuse_lead_observe(g, o);
	if (o->m.tx < 0) {
		d = draft_tx(g, o, OP(MBARRIER_EXPECT_TX), -o->m.tx);
		draft_deliver(g, &d);
	}
	if (misuse_sm_90(g) && o->m.pending)
		misuse_lead_arrive(g, o, MOD(COUNT), o->m.pending);
	if (!misuse_sm_90(g) && o->m.pending > 1)
		misuse_lead_arrive(g, o, NC, o->m.pending - 1);
	if (!misuse_sm_90(g))
		misuse_lead_arrive(g, o, 0, 0);
	if (o->m.phase == phase) {
		d = draft_tx(g, o, OP(MBARRIER_COMPLETE_TX), o->m.tx);
		draft_deliver(g, &d);
	}
	return true;
}

struct generator_object *misuse_arrivable(struct generator *g)
{
	struct generator_object *o = misuse_live(g);

	if (o && !o->m.observed)
		misuse_lead_observe(g, o);
	return o;
}

struct draft misuse_anything(struct generator *g)
{
	struct draft d = draft_any(g, &g->objects[draw(g, g->config.objects)]);

	draft_qualify(g, &d);
	return d;
}

__u32 misuse_nowhere(struct generator *g, __u16 rank)
{
	return vsm_shared_addr(rank, draw(g, g->config.smem_bytes / 64) * 64 + DRAFT_NOTHING * 16 +
				     draw(g, 2) * 8);
}
