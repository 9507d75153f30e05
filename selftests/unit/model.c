// SPDX-License-Identifier: MIT
#include "model.h"

#include <drm/vsm_drm.h>

#define POW2(n) (1ULL << (n))
#define FAULT(name) (1U << DRM_VSM_FAULT_##name)

void model_init(struct model *m, int sm, long long count)
{
	*m = (struct model) {
		.sm = sm,
		.pending = count,
		.expected = count,
		.initialiser = MODEL_VISIBLE,
		.live = true,
		.observed = true,
	};
}

long long model_shown_pending(const struct model *m)
{
	return m->sm == 80 ? m->pending : m->pending - m->raised;
}

long long model_shown_tx(const struct model *m)
{
	return m->sm == 80 ? m->tx : m->tx + m->raised;
}

static bool is_arrive(const struct model_op *op)
{
	return op->kind == MODEL_ARRIVE || op->kind == MODEL_ARRIVE_DROP;
}

static long long arrivals(const struct model_op *op)
{
	if (!is_arrive(op))
		return op->kind == MODEL_DONE;
	return op->counted ? op->count : 1;
}

/* Returns the number that the operation adds to the tx-count. */
static long long tx_change(const struct model_op *op)
{
	if (op->kind == MODEL_COMPLETE_TX)
		return -op->tx;
	return op->kind == MODEL_EXPECT_TX || op->expect_tx ? op->tx : 0;
}

/* A .noComplete token of sm_80 holds the pending count twice, and no phase. */
static bool token_says_nothing(const struct model *m, const struct model_token *token)
{
	return m->sm == 80 && token->no_complete;
}

static unsigned int wait_faults(const struct model *m, const struct model_op *op)
{
	if (op->by_parity || token_says_nothing(m, &op->token))
		return 0;
	if (op->token.object != m->object || op->token.phase < m->phase - 1)
		return FAULT(STALE_TOKEN);
	return 0;
}

static unsigned int issue_faults(const struct model *m, const struct model_op *op)
{
	unsigned int faults = m->letter && !m->observed ? FAULT(PHASE_UNOBSERVED) : 0;

	if (op->noinc)
		return faults;
	if (m->pending + 1 > MODEL_MAX)
		faults |= FAULT(PENDING_RANGE);
	if (m->sm == 90 && model_shown_tx(m) + 1 > MODEL_MAX)
		faults |= FAULT(TX_RANGE);
	return faults;
}

/* The rules about counts. */
static unsigned int count_faults(const struct model *m, const struct model_op *op)
{
	/* sm_90 shows a raised arrival as a transaction, not as a pending arrival. */
	bool as_tx = op->kind == MODEL_DONE && !op->noinc && m->sm == 90;
	long long left = model_shown_pending(m) - (as_tx ? 0 : arrivals(op));
	long long tx = m->tx + tx_change(op);
	unsigned int faults = 0;

	if (op->no_complete && (left < 0 || (left == 0 && model_shown_tx(m) == 0)))
		faults |= FAULT(NOCOMPLETE_COMPLETES);
	if (left < 0)
		faults |= FAULT(ARRIVAL_OVERFLOW);
	if (op->kind == MODEL_ARRIVE_DROP && m->expected - arrivals(op) < 1)
		faults |= FAULT(DROP_TO_ZERO);
	if (op->tx > MODEL_MAX || tx < -MODEL_MAX ||
	    model_shown_tx(m) + tx_change(op) > MODEL_MAX)
		faults |= FAULT(TX_RANGE);
	if (op->kind != MODEL_EXPECT_TX && left == 0 && tx < 0)
		faults |= FAULT(TX_OVERDELIVERY);
	return faults;
}

/* Would the operation complete the phase if the checks allowed it? The fields of the word wrap. */
static bool completes(const struct model *m, const struct model_op *op)
{
	bool as_tx = op->kind == MODEL_DONE && !op->noinc && m->sm == 90;
	long long left = model_shown_pending(m) - (as_tx ? 0 : arrivals(op));
	long long tx = model_shown_tx(m) + (as_tx ? -1 : tx_change(op));

	return op->kind != MODEL_EXPECT_TX && left % (long long)POW2(m->sm == 80 ? 31 : 20) == 0 &&
	       tx % (long long)POW2(21) == 0;
}

unsigned int model_faults(const struct model *m, const struct model_op *op)
{
	unsigned int faults = 0;

	if ((op->counted || op->kind == MODEL_INIT) && (op->count < 1 || op->count > MODEL_MAX))
		faults |= FAULT(BAD_COUNT);
	if (op->kind == MODEL_WAIT && op->by_parity && op->parity > 1)
		faults |= FAULT(BAD_PARITY);
	if (op->kind == MODEL_INIT)
		return m->live ? faults | FAULT(INIT_OVER_LIVE) : faults;
	if (op->kind == MODEL_DONE &&
	    (!m->live || op->token.object != m->object || op->token.phase != m->phase))
		return FAULT(LATE_COMPLETION);
	if (!m->live)
		return faults | FAULT(NOT_AN_MBARRIER);
	if (op->remote && m->initialiser != MODEL_VISIBLE)
		faults |= FAULT(INIT_NOT_FENCED);

	switch (op->kind) {
	case MODEL_INVAL:
		return faults | (op->waited || m->bound ? FAULT(INVAL_IN_USE) : 0);
	case MODEL_WAIT:
		return faults | wait_faults(m, op);
	case MODEL_ISSUE:
		return faults | issue_faults(m, op);
	default:
		if (!m->observed && ((m->letter && is_arrive(op)) || completes(m, op)))
			faults |= FAULT(PHASE_UNOBSERVED);
		return faults | count_faults(m, op);
	}
}

static void issue(struct model *m, const struct model_op *op)
{
	m->bound += 1;
	m->inflight += 1;
	if (op->noinc)
		return;
	m->pending += 1;
	m->raised += 1;
}

bool model_apply(struct model *m, const struct model_op *op)
{
	long long object = m->object;
	bool letter = m->letter;

	switch (op->kind) {
	case MODEL_INIT:
		model_init(m, m->sm, op->count);
		m->object = object;
		m->letter = letter;
		m->initialiser = op->thread;
		return false;
	case MODEL_INVAL:
		m->live = false;
		return false;
	case MODEL_WAIT:
		m->observed = m->observed || model_answer(m, op);
		return false;
	case MODEL_ISSUE:
		issue(m, op);
		return false;
	case MODEL_DONE:
		m->bound -= 1;
		m->inflight -= 1;
		m->raised -= op->noinc ? 0 : 1;
		break;
	default:
		break;
	}

	m->tx += tx_change(op);
	if (op->kind == MODEL_ARRIVE_DROP)
		m->expected -= arrivals(op);
	m->pending -= arrivals(op);

	/* expect-tx is the only operation that never completes a phase. */
	if (op->kind == MODEL_EXPECT_TX || m->pending != 0 || m->tx != 0)
		return false;
	m->phase += 1;
	m->pending = m->expected;
	m->observed = false;
	m->raised = 0;
	m->inflight = 0;
	return true;
}

void model_refuse(struct model *m, const struct model_op *op)
{
	if (op->kind != MODEL_DONE)
		return;
	m->bound -= 1;
	if (op->token.phase == m->phase)
		m->inflight -= 1;
}

struct model_token model_token(const struct model *m, const struct model_op *op)
{
	return (struct model_token) {
		.object = m->object,
		.phase = m->phase,
		.pending = model_shown_pending(m),
		.no_complete = op->no_complete,
	};
}

bool model_wait(const struct model *m, long long phase)
{
	return phase < m->phase;
}

bool model_wait_parity(const struct model *m, unsigned int parity)
{
	/*
	 * The wait asks for the current phase if the parities are equal, otherwise for the previous
	 * one.
	 */
	return m->phase % 2 != parity % 2;
}

bool model_answer(const struct model *m, const struct model_op *op)
{
	if (op->by_parity)
		return model_wait_parity(m, op->parity);
	if (token_says_nothing(m, &op->token))
		return model_wait_parity(m, op->token.phase % 2);
	return model_wait(m, op->token.phase);
}

bool model_legal(const struct model *m)
{
	if (model_shown_pending(m) < 0 || m->pending > MODEL_MAX)
		return false;
	if (m->expected < 1 || m->expected > MODEL_MAX)
		return false;
	if (m->tx < -MODEL_MAX || model_shown_tx(m) > MODEL_MAX)
		return false;
	/*
	 * If no arrival is pending, the phase must still wait for bytes. Otherwise it would be
	 * complete.
	 */
	return model_shown_pending(m) > 0 || (m->tx >= 0 && model_shown_tx(m) > 0);
}

unsigned int model_state(const struct model *m)
{
	if (!m->observed)
		return DRM_VSM_MBARRIER_UNOBSERVED;
	if (m->bound || model_shown_tx(m) || model_shown_pending(m) != m->expected)
		return DRM_VSM_MBARRIER_IN_PROGRESS;
	return DRM_VSM_MBARRIER_IDLE;
}

/* The value that a field of @values possible values holds for -@count. */
static unsigned long long negative(long long count, unsigned long long values)
{
	long long rest = -count % (long long)values;

	if (rest < 0)
		rest += values;
	return rest;
}

unsigned long long model_encode(const struct model *m)
{
	unsigned long long word = m->phase % 2 * POW2(63);

	if (m->sm == 80)
		return word + negative(model_shown_pending(m), POW2(31)) * POW2(32) +
		       negative(m->expected, POW2(30));
	return word + negative(model_shown_pending(m), POW2(20)) * POW2(43) +
	       negative(model_shown_tx(m), POW2(21)) * POW2(21) +
	       negative(m->expected, POW2(20)) * 2;
}

bool model_decode(struct model *m, int sm, unsigned long long word)
{
	*m = (struct model) {
		.sm = sm,
		.phase = word / POW2(63),
		.initialiser = MODEL_VISIBLE,
		.live = true,
		.observed = true,
	};
	if (sm == 80) {
		m->pending = negative(word / POW2(32) % POW2(31), POW2(31));
		m->expected = negative(word % POW2(30), POW2(30));
	} else {
		m->pending = negative(word / POW2(43) % POW2(20), POW2(20));
		m->expected = negative(word / 2 % POW2(20), POW2(20));
		m->tx = negative(word / POW2(21) % POW2(21), POW2(21));
		if (m->tx >= (long long)POW2(20))
			m->tx -= POW2(21);
	}
	/* If encoding does not give the same word, the poison bit or a reserved bit is set. */
	return model_encode(m) == word;
}
