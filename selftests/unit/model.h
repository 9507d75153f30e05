/* SPDX-License-Identifier: MIT */
/*
 * PTX's mbarrier in plain integers. The tests compare the device's words, tokens and checks with
 * it. It is written from PTX 9.7.13.15 and Documentation/mbarrier.rst, and shares no code with the
 * device: it calculates where the device masks.
 */
#ifndef VSM_UNIT_MODEL_H
#define VSM_UNIT_MODEL_H

#include <stdbool.h>

#define MODEL_MAX 1048575LL	/* 2^20 - 1: counts, and the magnitude of a tx-count */
#define MODEL_VISIBLE (-1)

/**
 * struct model - An mbarrier object, or what is left of it
 * @sm: 90 or 80
 * @phase: Number of the phase in progress, from 0
 * @pending: Arrivals that it still waits for
 * @expected: Arrivals that the next phase will wait for
 * @tx: tx-count
 * @object: A number that no other object has
 * @raised: Those of @pending that cp.async.mbarrier.arrive without .noinc added and
 *	that are still in flight; sm_90 shows them as transactions
 * @inflight: Asynchronous arrivals in flight that belong to the phase in progress
 * @bound: Asynchronous arrivals in flight, of all phases
 * @initialiser: Thread whose fence.mbarrier_init is still missing, or %MODEL_VISIBLE
 * @live: Initialised and not invalidated
 * @observed: A wait returned True for the phase before the one in progress
 * @letter: Each arrive-on needs the phase before to be observed; otherwise only an operation
 *	that completes a phase does
 */
struct model {
	int sm;
	long long phase;
	long long pending;
	long long expected;
	long long tx;
	long long object;
	long long raised;
	long long inflight;
	long long bound;
	int initialiser;
	bool live;
	bool observed;
	bool letter;
};

/**
 * struct model_token - What a program may know by a state token
 * @object: &model.object
 * @phase: &model.phase as of the arrive that returned it
 * @pending: Arrivals that were pending before that arrive, as the layout counts them
 * @no_complete: That arrive was a .noComplete
 */
struct model_token {
	long long object;
	long long phase;
	long long pending;
	bool no_complete;
};

enum model_kind {
	MODEL_ARRIVE,
	MODEL_ARRIVE_DROP,
	MODEL_EXPECT_TX,
	MODEL_COMPLETE_TX,
	MODEL_INIT,
	MODEL_INVAL,
	MODEL_WAIT,
	MODEL_ISSUE,	/* cp.async.mbarrier.arrive */
	MODEL_DONE,	/* the arrival that it issued */
};

/**
 * struct model_op - An operation on an object
 * @kind: Kind of the operation
 * @counted: An arrive whose count operand is given; else it arrives once
 * @expect_tx: An arrive with .expect_tx
 * @no_complete: An arrive with .noComplete
 * @noinc: A cp.async.mbarrier.arrive with .noinc
 * @by_parity: A wait for @parity; else for @token
 * @remote: By a thread of another CTA
 * @waited: An inval while somebody waits on the object
 * @count: The count operand
 * @tx: The tx operand
 * @thread: Who initialises, %MODEL_VISIBLE if no fence will be due
 * @parity: phaseParity
 * @token: State token; of MODEL_DONE, the object and phase as it was issued
 */
struct model_op {
	enum model_kind kind;
	bool counted;
	bool expect_tx;
	bool no_complete;
	bool noinc;
	bool by_parity;
	bool remote;
	bool waited;
	long long count;
	long long tx;
	int thread;
	unsigned int parity;
	struct model_token token;
};

/* A fresh object that needs no fence. */
void model_init(struct model *m, int sm, long long count);

/* Every rule of PTX that @op would break on @m, as a mask of 1 << DRM_VSM_FAULT_*. */
unsigned int model_faults(const struct model *m, const struct model_op *op);

/* Performs @op, which breaks no rule; true if it completed the phase. init keeps &model.object. */
bool model_apply(struct model *m, const struct model_op *op);

/* Notes that @op was refused: an asynchronous arrival is no longer in flight. */
void model_refuse(struct model *m, const struct model_op *op);

/* The token that an arrive would return now. */
struct model_token model_token(const struct model *m, const struct model_op *op);

/* waitComplete of a wait, for a phase's number, or for a parity. */
bool model_answer(const struct model *m, const struct model_op *op);
bool model_wait(const struct model *m, long long phase);
bool model_wait_parity(const struct model *m, unsigned int parity);

/* Are all counts where PTX says they may be between two operations? */
bool model_legal(const struct model *m);

/* What a valid object is doing, &enum drm_vsm_mbarrier_state. */
unsigned int model_state(const struct model *m);

/* Counts as the layout's word shows them. */
long long model_shown_pending(const struct model *m);
long long model_shown_tx(const struct model *m);

/*
 * Convert between the model and a word. model_decode() returns false if a poison or reserved bit is
 * set.
 */
unsigned long long model_encode(const struct model *m);
bool model_decode(struct model *m, int sm, unsigned long long word);

#endif
