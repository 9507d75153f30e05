// SPDX-License-Identifier: MIT
/* Misuse that the hardware policy reports: the operations on which silicon traps. */
#include "misuse.h"

static bool trap(struct generator *g, struct generator_object *o, struct draft d, __u32 fault)
{
	draft_refuse(g, &d, fault, o->word);
	g->over = true;
	return true;
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
	while (d.insn.op == OP(MBARRIER_INVAL) || d.insn.op == OP(CP_ASYNC_MBARRIER_ARRIVE));
	draft_qualify(g, &d);
	return d;
}

static bool poison_written(struct generator *g)
{
	struct generator_object *o = &g->objects[draw(g, g->config.objects)];

	write_word(g, o, unit_random(&g->rng) | 1ULL << 42);
	return trap(g, o, anything_on(g, o), FAULT(POISONED));
}

static bool count_above_pending(struct generator *g)
{
	struct generator_object *o = misuse_arrivable(g);
	__u32 pending = o ? model_shown_pending(&o->m) : MODEL_MAX;

	if (pending == MODEL_MAX)
		return false;
	return trap(g, o, draft_arrive(g, o, misuse_arrive_op(g), draw(g, 2) ? NC : MOD(COUNT),
				       pending + 1 + draw(g, MODEL_MAX - pending), 0),
		    FAULT(ARRIVAL_OVERFLOW));
}

static bool count_out_of_range(struct generator *g)
{
	struct generator_object *o = &g->objects[draw(g, g->config.objects)];

	return trap(g, o, draft_arrive(g, o, misuse_arrive_op(g), draw(g, 2) ? NC : MOD(COUNT),
				       MODEL_MAX + 1 + draw(g, MODEL_MAX), 0), FAULT(BAD_COUNT));
}

static bool tx_out_of_range(struct generator *g)
{
	struct generator_object *o = &g->objects[draw(g, g->config.objects)];

	return trap(g, o, draft_tx(g, o, draw(g, 2) ? OP(MBARRIER_EXPECT_TX)
						    : OP(MBARRIER_COMPLETE_TX),
				   MODEL_MAX + 1 + draw(g, MODEL_MAX)), FAULT(TX_RANGE));
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
	return trap(g, o, d, FAULT(ARRIVAL_OVERFLOW));
}

static bool arrive_after_init_0(struct generator *g)
{
	struct generator_object *o = &g->objects[draw(g, g->config.objects)];
	struct draft d = draft_init(g, o, 0);

	o->word = 0x8000000000200000ULL;
	draft_refuse(g, &d, FAULT(NONE), 0);
	return trap(g, o, draft_arrive(g, o, misuse_arrive_op(g), draw(g, 2) ? NC : 0, 1, 0),
		    FAULT(ARRIVAL_OVERFLOW));
}

const struct generator_misuse misuse_traps[] = {
	WAY(POISONED, TRAP, "a poisoned word", poison_written),
	WAY(ARRIVAL_OVERFLOW, TRAP, "a trap: more than pending", count_above_pending),
	WAY(BAD_COUNT, TRAP, "a trap: a count above the range", count_out_of_range),
	WAY(TX_RANGE, TRAP, "a trap: a tx-count above the range", tx_out_of_range),
	WAY(ARRIVAL_OVERFLOW, TRAP, "arrive after all dropped", arrive_where_none_is_expected),
	WAY(ARRIVAL_OVERFLOW, TRAP, "arrive after init with 0", arrive_after_init_0),
	{ .name = NULL },
};
