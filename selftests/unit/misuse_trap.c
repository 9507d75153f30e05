// SPDX-License-Identifier: MIT
/* Misuse that the hardware policy reports: the operations on which silicon traps. */
#include "misuse.h"

static void trap(struct generator *g, struct generator_object *o, struct draft d)
{
	draft_refuse(g, &d, FAULT(POISONED), o->word);
	g->over = true;
}

static void write_word(struct generator *g, struct generator_object *o, __u64 word)
{
	struct generator_step *s = draft_step(g, GENERATOR_WRITE);

	s->addr = o->addr;
	s->word = word;
	o->word = word;
}

static struct draft anything_on(struct generator *g, struct generator_object *o)
{
	struct draft d;

	do
		d = draft_any(g, o);
	while (d.insn.op == OP(MBARRIER_INVAL));
	draft_qualify(g, &d);
	return d;
}

static bool poison_written(struct generator *g)
{
	struct generator_object *o = &g->objects[draw(g, g->config.objects)];

	write_word(g, o, unit_random(&g->rng) | 1ULL << 42);
	trap(g, o, anything_on(g, o));
	return true;
}

static bool poison_by_overdelivery(struct generator *g)
{
	struct generator_object *o = misuse_fresh(g, 1);
	struct draft d;

	if (!o)
		return false;
	d = draft_arrive(g, o, ARRIVE, MOD(EXPECT_TX) | MOD(SINK), 0, 1 + draw(g, 100));
	draft_deliver(g, &d);
	d = draft_tx(g, o, OP(MBARRIER_COMPLETE_TX), o->m.tx + 1 + draw(g, 100));
	/* The device does not refuse this operation, but it leaves the word poisoned. */
	o->m.tx -= d.op.tx;
	o->word = model_encode(&o->m) + (1ULL << 42);
	draft_refuse(g, &d, FAULT(NONE), 0);
	trap(g, o, anything_on(g, o));
	return true;
}

static bool arrive_where_none_is_expected(struct generator *g)
{
	struct generator_object *o = misuse_fresh(g, 1);
	struct draft d;

	if (!o)
		return false;
	d = draft_arrive(g, o, DROP, MOD(SINK), 0, 0);
	o->m.phase++;
	o->m.pending = 0;
	o->m.expected = 0;
	o->word = model_encode(&o->m);
	draft_refuse(g, &d, FAULT(NONE), 0);
	d = draft_arrive(g, o, misuse_arrive_op(g), draw(g, 2) ? MOD(EXPECT_TX) : 0, 0,
			 draw(g, 64));
	trap(g, o, d);
	return true;
}

static bool arrive_after_init_0(struct generator *g)
{
	struct generator_object *o = &g->objects[draw(g, g->config.objects)];
	struct draft d = draft_init(g, o, 0);

	o->word = 1ULL << 63;
	draft_refuse(g, &d, FAULT(NONE), 0);
	trap(g, o, draft_arrive(g, o, misuse_arrive_op(g), draw(g, 2) ? NC : 0, 1, 0));
	return true;
}

const struct generator_misuse misuse_traps[] = {
	WAY(POISONED, TRAP, "a poisoned word", poison_written),
	WAY(POISONED, TRAP, "after more bytes than expected", poison_by_overdelivery),
	WAY(POISONED, TRAP, "arrive after all dropped", arrive_where_none_is_expected),
	WAY(POISONED, TRAP, "arrive after init with 0", arrive_after_init_0),
	{ .name = NULL },
};
