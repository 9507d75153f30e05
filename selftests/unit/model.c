// SPDX-License-Identifier: MIT
#include "model.h"

#include <drm/vsm_drm.h>

#define POW2(n) (1ULL << (n))
#define FAULT(name) (1U << DRM_VSM_FAULT_##name)

void model_init(struct model *m, int sm, long long count)
{
	m->sm = sm;
	m->phase = 0;
	m->pending = count;
	m->expected = count;
	m->tx = 0;
}

static long long arrivals(const struct model_op *op)
{
	if (op->kind != MODEL_ARRIVE && op->kind != MODEL_ARRIVE_DROP)
		return 0;
	return op->counted ? op->count : 1;
}

/* How far the operation moves the tx-count. */
static long long tx_change(const struct model_op *op)
{
	if (op->kind == MODEL_COMPLETE_TX)
		return -op->tx;
	return op->kind == MODEL_EXPECT_TX || op->expect_tx ? op->tx : 0;
}

unsigned int model_faults(const struct model *m, const struct model_op *op)
{
	long long pending = m->pending - arrivals(op);
	long long tx = m->tx + tx_change(op);
	unsigned int faults = 0;

	if (op->counted && (op->count < 1 || op->count > MODEL_MAX))
		faults |= FAULT(BAD_COUNT);
	if (pending < 0)
		faults |= FAULT(ARRIVAL_OVERFLOW);
	if (op->no_complete && pending < 1)
		faults |= FAULT(NOCOMPLETE_COMPLETES);
	if (op->kind == MODEL_ARRIVE_DROP && m->expected - arrivals(op) < 1)
		faults |= FAULT(DROP_TO_ZERO);
	if (tx < -MODEL_MAX || tx > MODEL_MAX)
		faults |= FAULT(TX_RANGE);
	if (op->kind != MODEL_EXPECT_TX && pending <= 0 && tx < 0)
		faults |= FAULT(TX_OVERDELIVERY);
	return faults;
}

bool model_apply(struct model *m, const struct model_op *op)
{
	m->tx += tx_change(op);
	if (op->kind == MODEL_ARRIVE_DROP)
		m->expected -= arrivals(op);
	m->pending -= arrivals(op);

	/* expect-tx is the one operation that does not look for completion. */
	if (op->kind == MODEL_EXPECT_TX || m->pending != 0 || m->tx != 0)
		return false;
	m->phase += 1;
	m->pending = m->expected;
	return true;
}

bool model_wait(const struct model *m, long long phase)
{
	return phase < m->phase;
}

bool model_wait_parity(const struct model *m, unsigned int parity)
{
	/* The current phase has the parity, or the phase before it does. */
	return m->phase % 2 != parity % 2;
}

bool model_legal(const struct model *m)
{
	if (m->pending < 0 || m->pending > MODEL_MAX)
		return false;
	if (m->expected < 1 || m->expected > MODEL_MAX)
		return false;
	if (m->tx < -MODEL_MAX || m->tx > MODEL_MAX)
		return false;
	/* Without a pending arrival, the phase waits for bytes or is over. */
	return m->pending > 0 || m->tx > 0;
}

/* Taken off a power of two, in a field of as many values. */
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
		return word + negative(m->pending, POW2(31)) * POW2(32) +
		       negative(m->expected, POW2(30));
	return word + negative(m->pending, POW2(20)) * POW2(43) +
	       negative(m->tx, POW2(21)) * POW2(21) + negative(m->expected, POW2(20)) * 2;
}

bool model_decode(struct model *m, int sm, unsigned long long word)
{
	m->sm = sm;
	m->phase = word / POW2(63);
	if (sm == 80) {
		m->pending = negative(word / POW2(32) % POW2(31), POW2(31));
		m->expected = negative(word % POW2(30), POW2(30));
		m->tx = 0;
	} else {
		m->pending = negative(word / POW2(43) % POW2(20), POW2(20));
		m->expected = negative(word / 2 % POW2(20), POW2(20));
		m->tx = negative(word / POW2(21) % POW2(21), POW2(21));
		if (m->tx >= (long long)POW2(20))
			m->tx -= POW2(21);
	}
	/* What the fields do not explain is poison or reserved. */
	return model_encode(m) == word;
}
