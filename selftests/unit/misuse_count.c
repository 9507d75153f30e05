// SPDX-License-Identifier: MIT
/* Misuse of the counts: arrivals, drops and transactions. */
#include "misuse.h"

static bool more_than_pending(struct generator *g)
{
	struct generator_object *o = misuse_arrivable(g);
	__u32 pending = o ? model_shown_pending(&o->m) : 0;
	struct draft d;

	if (!o)
		return false;
	if (!pending && draw(g, 2))
		d = draft_arrive(g, o, misuse_arrive_op(g), draw(g, 2) ? MOD(EXPECT_TX) : 0, 0,
				 draw(g, 64));
	else
		d = draft_arrive(g, o, misuse_arrive_op(g), MOD(COUNT),
				 pending + 1 + (draw(g, 2) ? 0 : draw(g, MODEL_MAX - pending)), 0);
	if (d.insn.mods & MOD(COUNT) && d.op.count > MODEL_MAX)
		return false;
	return misuse_from_anywhere(g, &d, FAULT(ARRIVAL_OVERFLOW));
}

/*
 * The init counts no arrival for the asynchronous operation. All arrivals are made, and the phase
 * waits only for bytes, when the operation arrives.
 */
static bool more_than_pending_later(struct generator *g)
{
	struct generator_object *o;
	struct draft d;

	if (g->flying)
		return false;
	o = misuse_fresh(g, 1 + draw(g, 3));
	if (!o)
		return false;
	d = draft_issue(g, o, true);
	draft_deliver(g, &d);
	d = draft_tx(g, o, OP(MBARRIER_EXPECT_TX), 1 + draw(g, 1000));
	draft_deliver(g, &d);
	d = draft_arrive(g, o, ARRIVE, MOD(COUNT), o->m.pending, 0);
	draft_deliver(g, &d);
	if (g->config.held)
		draft_release(g);
	else
		draft_complete(g, 0);
	return true;
}

static bool nocomplete_equal(struct generator *g)
{
	struct generator_object *o = misuse_arrivable(g);
	struct draft d;

	if (!o)
		return false;
	d = draft_arrive(g, o, misuse_arrive_op(g), NC, model_shown_pending(&o->m), 0);
	return misuse_qualified(g, &d, FAULT(NOCOMPLETE_COMPLETES));
}

static bool nocomplete_above(struct generator *g)
{
	struct generator_object *o = misuse_arrivable(g);
	__u32 pending = o ? model_shown_pending(&o->m) : MODEL_MAX;
	struct draft d;

	if (pending == MODEL_MAX)
		return false;
	d = draft_arrive(g, o, misuse_arrive_op(g), NC,
			 pending + 1 + (draw(g, 2) ? 0 : draw(g, MODEL_MAX - pending)), 0);
	draft_qualify(g, &d);
	/* The operation breaks two rules. The device reports the one that it checks first. */
	if (model_faults(&o->m, &d.op) != (1U << FAULT(NOCOMPLETE_COMPLETES) |
					   1U << FAULT(ARRIVAL_OVERFLOW)))
		return false;
	return draft_refuse(g, &d, FAULT(NOCOMPLETE_COMPLETES), o->word);
}

static bool drop_the_last(struct generator *g)
{
	struct generator_object *o = misuse_fresh(g, 1);
	struct draft d;
	__u16 mods;

	if (!o)
		return false;
	mods = misuse_sm_90(g) && draw(g, 2) ? MOD(EXPECT_TX) : 0;
	d = draft_arrive(g, o, DROP, mods, 0, draw(g, 64));
	return misuse_qualified(g, &d, FAULT(DROP_TO_ZERO));
}

static bool drop_all(struct generator *g)
{
	struct generator_object *o = misuse_arrivable(g);
	struct draft d;

	if (!o)
		return false;
	d = draft_arrive(g, o, DROP, MOD(COUNT), o->m.expected, 0);
	if (g->config.ctas > 1 && draw(g, 2))
		draft_remote(g, &d);
	return draft_misuse(g, &d, FAULT(DROP_TO_ZERO));
}

/* An expected byte or an arrival in flight keeps the phase open, so that .noComplete is legal. */
static bool drop_all_nocomplete(struct generator *g)
{
	struct generator_object *o;
	struct draft d;

	if (g->flying == GENERATOR_ASYNCS)
		return false;
	o = misuse_fresh(g, 1 + draw(g, draw(g, 2) ? 4 : MODEL_MAX - 1));
	if (!o)
		return false;
	d = misuse_sm_90(g) ? draft_tx(g, o, OP(MBARRIER_EXPECT_TX), 1 + draw(g, 64))
		     : draft_issue(g, o, false);
	draft_deliver(g, &d);
	d = draft_arrive(g, o, DROP, NC, o->m.expected, 0);
	return draft_misuse(g, &d, FAULT(DROP_TO_ZERO));
}

/* Returns @most + 1 in half of the cases, otherwise any larger number. */
static __u32 too_much(struct generator *g, long long most)
{
	return most + 1 + (draw(g, 2) ? 0 : draw(g, 0xffffffff - most));
}

static bool expect_too_much(struct generator *g)
{
	struct generator_object *o = misuse_arrivable(g);
	__u32 tx = o ? too_much(g, MODEL_MAX - model_shown_tx(&o->m)) : 0;
	struct draft d;

	if (!o)
		return false;
	d = draw(g, 2) ? draft_tx(g, o, OP(MBARRIER_EXPECT_TX), tx)
		       : draft_arrive(g, o, misuse_arrive_op(g), MOD(EXPECT_TX), 0, tx);
	return misuse_from_anywhere(g, &d, FAULT(TX_RANGE));
}

static bool complete_too_much(struct generator *g)
{
	struct generator_object *o = misuse_live(g);
	struct draft d;

	if (!o)
		return false;
	d = draft_tx(g, o, OP(MBARRIER_COMPLETE_TX), too_much(g, MODEL_MAX + o->m.tx));
	return misuse_qualified(g, &d, FAULT(TX_RANGE));
}

/* In layout sm_90 the word counts an asynchronous arrival in flight as a transaction. */
static bool issue_over_tx(struct generator *g)
{
	struct generator_object *o = misuse_arrivable(g);
	struct draft d;

	if (!o)
		return false;
	d = draft_tx(g, o, OP(MBARRIER_EXPECT_TX), MODEL_MAX - model_shown_tx(&o->m));
	if (!misuse_lead(g, &d))
		return false;
	d = draft_issue(g, o, false);
	return draft_misuse(g, &d, FAULT(TX_RANGE));
}

static bool arrive_after_early_bytes(struct generator *g)
{
	struct generator_object *o = misuse_arrivable(g);
	long long pending;
	struct draft d;

	if (!o || !model_shown_pending(&o->m))
		return false;
	if (o->m.tx >= 0) {
		d = draft_tx(g, o, OP(MBARRIER_COMPLETE_TX), o->m.tx + 1 + draw(g, 64));
		if (!misuse_lead(g, &d))
			return false;
	}
	pending = model_shown_pending(&o->m);
	if (pending > 1 || draw(g, 2))
		d = draft_arrive(g, o, misuse_arrive_op(g), MOD(COUNT), pending, 0);
	else
		d = draft_arrive(g, o, misuse_arrive_op(g), MOD(EXPECT_TX), 0, draw(g, -o->m.tx));
	return misuse_from_anywhere(g, &d, FAULT(TX_OVERDELIVERY));
}

static bool complete_more_than_expected(struct generator *g)
{
	struct generator_object *o = misuse_arrivable(g);
	long long phase = o ? o->m.phase : 0;
	struct draft d;

	if (!o || model_shown_pending(&o->m) != draft_free(o))
		return false;
	if (model_shown_pending(&o->m)) {
		d = draft_tx(g, o, OP(MBARRIER_EXPECT_TX), 1 + draw(g, 100));
		if (!misuse_lead(g, &d) ||
		    !misuse_lead_arrive(g, o, MOD(COUNT), model_shown_pending(&o->m)) ||
		    o->m.phase != phase)
			return false;
	}
	d = draft_tx(g, o, OP(MBARRIER_COMPLETE_TX), o->m.tx + 1 + draw(g, 100));
	return misuse_from_anywhere(g, &d, FAULT(TX_OVERDELIVERY));
}

/* More bytes complete than are expected, and only an arrival in flight keeps the phase open. */
static bool early_bytes_with_raised(struct generator *g)
{
	struct generator_object *o = misuse_arrivable(g);
	struct draft d;

	if (!o || !model_shown_pending(&o->m))
		return false;
	if (!o->m.raised) {
		d = draft_issue(g, o, false);
		if (!misuse_lead(g, &d))
			return false;
	}
	if (o->m.tx >= 0) {
		d = draft_tx(g, o, OP(MBARRIER_COMPLETE_TX), o->m.tx + 1 + draw(g, 3));
		if (!misuse_lead(g, &d))
			return false;
	}
	d = draft_arrive(g, o, misuse_arrive_op(g), MOD(COUNT), model_shown_pending(&o->m), 0);
	return draft_misuse(g, &d, FAULT(TX_OVERDELIVERY));
}

static bool raise_over_range(struct generator *g)
{
	struct generator_object *o;
	struct draft d;

	if (g->flying == GENERATOR_ASYNCS)
		return false;
	o = misuse_fresh(g, MODEL_MAX - draw(g, 2));
	if (!o)
		return false;
	d = draft_issue(g, o, false);
	if (o->m.pending < MODEL_MAX)
		draft_deliver(g, &d);
	d = draft_issue(g, o, false);
	return draft_misuse(g, &d, FAULT(PENDING_RANGE));
}

const struct generator_misuse misuse_counts[] = {
	WAY(ARRIVAL_OVERFLOW, SM_90, "more arrivals than are pending", more_than_pending),
	WAY(ARRIVAL_OVERFLOW, SM_90, "one asynchronous arrival too many", more_than_pending_later),
	WAY(NOCOMPLETE_COMPLETES, ANY, ".noComplete with all that are pending", nocomplete_equal),
	WAY(NOCOMPLETE_COMPLETES, ANY, ".noComplete with more", nocomplete_above),
	WAY(DROP_TO_ZERO, ANY, "the last expected arrival drops", drop_the_last),
	WAY(DROP_TO_ZERO, SM_90, "all drop at once", drop_all),
	WAY(DROP_TO_ZERO, ANY, "all drop, with .noComplete", drop_all_nocomplete),
	WAY(TX_RANGE, SM_90, "expect-tx beyond the range", expect_too_much),
	WAY(TX_RANGE, SM_90, "complete-tx beyond the range", complete_too_much),
	WAY(TX_RANGE, SM_90, "cp.async.mbarrier.arrive at the end of the range", issue_over_tx),
	WAY(TX_OVERDELIVERY, SM_90, "the last arrives, bytes are early", arrive_after_early_bytes),
	WAY(TX_OVERDELIVERY, SM_90, "more bytes than expected", complete_more_than_expected),
	WAY(TX_OVERDELIVERY, SM_90, "bytes in place of an arrival", early_bytes_with_raised),
	WAY(PENDING_RANGE, ANY, "an arrival above the range of pending", raise_over_range),
	{ .name = NULL },
};
