// SPDX-License-Identifier: MIT
/*
 * Misuse of phases: arrivals before the previous phase is observed, old tokens, late completions.
 */
#include "misuse.h"

static struct generator_object *unobserved(struct generator *g)
{
	struct generator_object *o = misuse_live(g);

	if (o && o->m.observed && !misuse_lead_complete(g, o))
		return NULL;
	return o;
}

static bool arrive_unobserved(struct generator *g)
{
	/* The layout sm_80 has only the first two forms. */
	static const __u16 forms[] = { 0, NC, MOD(COUNT), MOD(EXPECT_TX) };
	struct generator_object *o = unobserved(g);
	struct draft d;
	__u16 mods;

	if (!o)
		return false;
	mods = forms[draw(g, misuse_sm_90(g) ? 4 : 2)];
	d = draft_arrive(g, o, misuse_arrive_op(g), mods, 1, draw(g, 64));
	if (misuse_sm_90(g) && g->config.ctas > 1 && mods != NC && draw(g, 2))
		draft_remote(g, &d);
	return misuse_qualified(g, &d, FAULT(PHASE_UNOBSERVED));
}

static bool issue_unobserved(struct generator *g)
{
	struct generator_object *o = unobserved(g);
	struct draft d;

	if (!o)
		return false;
	d = draft_issue(g, o, draw(g, 2));
	return draft_misuse(g, &d, FAULT(PHASE_UNOBSERVED));
}

/* Makes all pending arrivals except one, so that the phase is not complete. */
static struct generator_object *one_left_unobserved(struct generator *g)
{
	struct generator_object *o = unobserved(g);

	if (!o || o->m.inflight || o->m.tx || !o->m.pending)
		return NULL;
	if (o->m.pending > 1)
		misuse_lead_arrive(g, o, misuse_sm_90(g) && draw(g, 2) ? MOD(COUNT) : NC,
				   o->m.pending - 1);
	return o;
}

static bool complete_unobserved(struct generator *g)
{
	struct generator_object *o = one_left_unobserved(g);
	struct draft d;
	__u16 op;

	if (!o)
		return false;
	op = o->m.expected > 1 ? misuse_arrive_op(g) : ARRIVE;
	d = draft_arrive(g, o, op, misuse_sm_90(g) && draw(g, 2) ? MOD(COUNT) : 0, 1, 0);
	if (misuse_sm_90(g) && g->config.ctas > 1 && draw(g, 2))
		draft_remote(g, &d);
	return misuse_qualified(g, &d, FAULT(PHASE_UNOBSERVED));
}

static bool complete_tx_unobserved(struct generator *g)
{
	struct generator_object *o = one_left_unobserved(g);
	__u32 tx = 1 + draw(g, 1000);
	struct draft d;

	if (!o)
		return false;
	d = draft_arrive(g, o, ARRIVE, MOD(EXPECT_TX), 0, tx);
	if (!misuse_lead(g, &d))
		return false;
	d = draft_tx(g, o, OP(MBARRIER_COMPLETE_TX), tx);
	return misuse_from_anywhere(g, &d, FAULT(PHASE_UNOBSERVED));
}

/*
 * The last arrival is asynchronous, and no thread has waited for the previous phase when it comes.
 */
static bool complete_unobserved_later(struct generator *g)
{
	struct generator_object *o;
	struct draft d;

	if (g->flying)
		return false;
	o = one_left_unobserved(g);
	if (!o)
		return false;
	d = draft_issue(g, o, true);
	draft_deliver(g, &d);
	if (g->config.held)
		draft_release(g);
	else
		draft_complete(g, 0);
	return true;
}

static int find_token(struct generator *g, bool no_complete)
{
	int first = draw(g, GENERATOR_TOKENS), i;

	for (i = 0; i < GENERATOR_TOKENS; i++) {
		int token = (first + i) % GENERATOR_TOKENS;

		if (g->has_token[token] && g->tokens[token].no_complete == no_complete)
			return token;
	}
	return -1;
}

static __u16 any_wait_op(struct generator *g)
{
	return misuse_sm_90(g) && draw(g, 2) ? OP(MBARRIER_TRY_WAIT) : OP(MBARRIER_TEST_WAIT);
}

static bool wait_on(struct generator *g, struct generator_object *o, int token)
{
	struct draft d = draft_wait_token(g, o, any_wait_op(g), token);

	return misuse_qualified(g, &d, FAULT(STALE_TOKEN));
}

static bool old_token(struct generator *g)
{
	int token = find_token(g, misuse_sm_90(g) && draw(g, 2));
	unsigned int i;

	if (token < 0)
		return false;
	for (i = 0; i < g->config.objects; i++) {
		struct generator_object *o = &g->objects[i];

		if (!o->m.live || o->m.object != g->tokens[token].object)
			continue;
		/* The token must be at least two phases old. */
		while (o->m.phase < g->tokens[token].phase + 2)
			if (!misuse_lead_complete(g, o))
				return false;
		return wait_on(g, o, token);
	}
	return false;
}

static bool token_of_another(struct generator *g)
{
	int token = find_token(g, misuse_sm_90(g) && draw(g, 2));
	struct generator_object *o = misuse_live(g);

	if (token < 0 || !o || g->tokens[token].object == o->m.object)
		return false;
	return wait_on(g, o, token);
}

/* Makes the first arrival on a new object and returns the index of its token. */
static int first_token(struct generator *g, struct generator_object *o)
{
	struct draft d = draft_arrive(g, o, ARRIVE, 0, 0, 0);

	draft_deliver(g, &d);
	return g->steps[g->made - 1].slot;
}

/* The token comes from the previous object at the same address. */
static bool token_of_the_last(struct generator *g)
{
	struct generator_object *o = misuse_fresh(g, 1);
	struct draft d;
	int token;

	if (!o)
		return false;
	token = first_token(g, o);
	misuse_lead_inval(g, o);
	d = draft_init(g, o, 1);
	draft_deliver(g, &d);
	return wait_on(g, o, token);
}

/* The program flips one bit of the token. */
static bool forged_token(struct generator *g)
{
	struct generator_object *o = misuse_fresh(g, 1 + draw(g, 4));
	__u64 twist = draw(g, 2) ? 1ULL << 31 : 1ULL << 63;
	struct draft d;

	if (!o)
		return false;
	d = draft_wait_token(g, o, any_wait_op(g), first_token(g, o));
	d.twist = twist;
	return draft_refuse(g, &d, FAULT(STALE_TOKEN), o->word);
}

static bool pending_count_of(struct generator *g, int token, __u64 twist)
{
	struct draft d = { .token = token, .twist = twist };

	if (token < 0)
		return false;
	d.cta = draw(g, g->config.ctas);
	d.thread = draw(g, g->config.threads);
	d.insn.op = OP(MBARRIER_PENDING_COUNT);
	return draft_refuse(g, &d, FAULT(NOT_A_PENDING_TOKEN), 0);
}

static bool pending_count_of_a_token(struct generator *g)
{
	return pending_count_of(g, find_token(g, false), 0);
}

static bool pending_count_of_a_forgery(struct generator *g)
{
	return pending_count_of(g, find_token(g, true), draw(g, 2) ? 1ULL << 30 : 1ULL << 31);
}

/* --- completions that come too late ---------------------------------------- */

/*
 * The threads make all arrivals of a phase, although one of them was meant for the asynchronous
 * operation in flight. The device can report this only when that operation arrives.
 */
static bool late(struct generator *g, bool noinc, int more)
{
	struct generator_object *o;
	struct draft d;

	if (g->flying)
		return false;
	o = misuse_fresh(g, 2 + draw(g, 3));
	if (!o)
		return false;
	d = draft_issue(g, o, noinc);
	draft_deliver(g, &d);
	if (misuse_sm_90(g)) {
		d = draft_arrive(g, o, ARRIVE, MOD(COUNT), o->m.pending, 0);
	} else {
		d = draft_arrive(g, o, ARRIVE, NC, o->m.pending - 1, 0);
		draft_deliver(g, &d);
		d = draft_arrive(g, o, ARRIVE, 0, 0, 0);
	}
	draft_deliver(g, &d);
	while (more--)
		misuse_lead_complete(g, o);
	if (g->config.held)
		draft_release(g);
	else
		draft_complete(g, 0);
	return true;
}

static bool late_noinc(struct generator *g)
{
	return late(g, true, draw(g, 4));
}

static bool late_raised(struct generator *g)
{
	return late(g, false, draw(g, 4));
}

const struct generator_misuse misuse_phases[] = {
	WAY(PHASE_UNOBSERVED, LETTER, "arrive, no wait since", arrive_unobserved),
	WAY(PHASE_UNOBSERVED, LETTER, "cp.async.mbarrier.arrive, no wait since", issue_unobserved),
	WAY(PHASE_UNOBSERVED, NO_LETTER, "the last arrive, no wait since", complete_unobserved),
	WAY(PHASE_UNOBSERVED, NO_LETTER | SM_90, "the last bytes, no wait since",
	    complete_tx_unobserved),
	WAY(PHASE_UNOBSERVED, NO_LETTER, "the last arrival in flight, no wait since",
	    complete_unobserved_later),
	WAY(STALE_TOKEN, ANY, "a token from two phases ago", old_token),
	WAY(STALE_TOKEN, ANY, "another object's token", token_of_another),
	WAY(STALE_TOKEN, ANY, "the token of the object before", token_of_the_last),
	WAY(STALE_TOKEN, ANY, "a forged token", forged_token),
	WAY(NOT_A_PENDING_TOKEN, ANY, "not a .noComplete token", pending_count_of_a_token),
	WAY(NOT_A_PENDING_TOKEN, ANY, "a forged .noComplete token", pending_count_of_a_forgery),
	WAY(LATE_COMPLETION, ANY, "a late .noinc arrival", late_noinc),
	WAY(LATE_COMPLETION, SM_80, "a late arrival", late_raised),
	{ .name = NULL },
};
