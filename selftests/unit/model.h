/* SPDX-License-Identifier: MIT */
/*
 * PTX's mbarrier in plain integers: what the words and the checks of the device
 * are compared with. Written from PTX 9.7.13.15 and Documentation/mbarrier.rst;
 * shares no code with the device, and calculates where the device masks.
 */
#ifndef VSM_UNIT_MODEL_H
#define VSM_UNIT_MODEL_H

#include <stdbool.h>

#define MODEL_MAX 1048575LL	/* 2^20 - 1: counts, and the magnitude of a tx-count */

/**
 * struct model - An mbarrier object
 * @sm: 90 or 80
 * @phase: Number of the phase in progress, from 0
 * @pending: Arrivals that it still waits for
 * @expected: Arrivals that the next phase will wait for
 * @tx: tx-count
 */
struct model {
	int sm;
	long long phase;
	long long pending;
	long long expected;
	long long tx;
};

enum model_kind {
	MODEL_ARRIVE,
	MODEL_ARRIVE_DROP,
	MODEL_EXPECT_TX,
	MODEL_COMPLETE_TX,
};

/**
 * struct model_op - An operation that changes an object
 * @kind: Which
 * @counted: An arrive whose count operand is given; else it arrives once
 * @expect_tx: An arrive with .expect_tx
 * @no_complete: An arrive with .noComplete
 * @count: The count operand
 * @tx: The tx operand
 */
struct model_op {
	enum model_kind kind;
	bool counted;
	bool expect_tx;
	bool no_complete;
	long long count;
	long long tx;
};

void model_init(struct model *m, int sm, long long count);

/* Every rule of PTX that @op would break on @m, as a mask of 1 << DRM_VSM_FAULT_*. */
unsigned int model_faults(const struct model *m, const struct model_op *op);

/* Performs a legal @op; true if it completed the phase. */
bool model_apply(struct model *m, const struct model_op *op);

/* waitComplete for a phase's number, or for a parity. */
bool model_wait(const struct model *m, long long phase);
bool model_wait_parity(const struct model *m, unsigned int parity);

/* Are all counts where PTX says they may be between two operations? */
bool model_legal(const struct model *m);

/* Between the model and a word. Decoding gives false if a poison or reserved bit is set. */
unsigned long long model_encode(const struct model *m);
bool model_decode(struct model *m, int sm, unsigned long long word);

#endif
