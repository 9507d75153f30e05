/* SPDX-License-Identifier: MIT */
/*
 * PTX's mbarrier in plain integers. The tests compare the device's words, tokens and checks with
 * it. It is written from PTX 9.7.13.15 and Documentation/mbarrier.rst, and shares no code with the
 * device: it computes with numbers, where the device uses bit masks.
 */
#ifndef VSM_UNIT_MODEL_H
#define VSM_UNIT_MODEL_H

#include <stdbool.h>

#define MODEL_MAX 1048575LL	/* 2^20 - 1, the limit of counts and of +-tx-count */
#define MODEL_VISIBLE (-1)

/* An mbarrier object, also after its invalidation */
struct model {
	int sm;			/* layout, 90 or 80 */
	long long phase;	/* number of the phase in progress, from 0 */
	long long pending;	/* arrivals that the phase still waits for */
	long long expected;	/* arrivals that the next phase will wait for */
	long long tx;		/* the tx-count */
	long long object;	/* a number that no other object has */
	/*
	 * How many of @pending are arrivals in flight that cp.async.mbarrier.arrive without .noinc
	 * has added; sm_90 shows them as transactions.
	 */
	long long raised;
	/* Asynchronous arrivals in flight that belong to the phase in progress */
	long long inflight;
	long long bound;	/* asynchronous arrivals in flight, of all phases */
	/* Thread that must still execute fence.mbarrier_init, or MODEL_VISIBLE */
	int initialiser;
	bool live;		/* the object is initialised and not invalidated */
	bool observed;		/* a wait returned True for the phase before the one in progress */
	/*
	 * An arrive-on is legal only after the previous phase was observed; if unset, this applies
	 * only to an operation that completes a phase.
	 */
	bool letter;
};

/* What a state token says */
struct model_token {
	long long object;	/* model.object of the object that the arrive was on */
	long long phase;	/* model.phase when the arrive returned the token */
	/* Arrivals that were pending before that arrive, as the layout counts them */
	long long pending;
	bool no_complete;	/* the arrive that returned the token had .noComplete */
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
	MODEL_DONE,	/* arrival of a cp.async.mbarrier.arrive */
};

/* An operation on an object */
struct model_op {
	enum model_kind kind;	/* kind of the operation */
	bool counted;		/* the arrive has a count operand; without it the count is 1 */
	bool expect_tx;		/* the arrive has .expect_tx */
	bool no_complete;	/* the arrive has .noComplete */
	bool noinc;		/* the cp.async.mbarrier.arrive has .noinc */
	bool by_parity;		/* the wait is for @parity; if unset, it is for @token */
	bool remote;		/* a thread of another CTA executes the operation */
	bool waited;		/* a thread waits on the object that inval ends */
	long long count;	/* the count operand */
	long long tx;		/* the tx operand */
	int thread;	/* thread that executes init, or MODEL_VISIBLE if the init needs no fence */
	unsigned int parity;	/* the phaseParity operand */
	/* The state operand; for MODEL_DONE the object and the phase when it was issued */
	struct model_token token;
};

/* Initialises an object whose init needs no fence. */
void model_init(struct model *m, int sm, long long count);

/* Returns all rules that @op would break on @m, as a mask of 1 << DRM_VSM_FAULT_*. */
unsigned int model_faults(const struct model *m, const struct model_op *op);

/* Performs a legal @op. Returns true if it completed the phase. init keeps &model.object. */
bool model_apply(struct model *m, const struct model_op *op);

/* Notes that @op was refused: an asynchronous arrival is no longer in flight. */
void model_refuse(struct model *m, const struct model_op *op);

/* Returns the token that an arrive would return now. */
struct model_token model_token(const struct model *m, const struct model_op *op);

/* Return waitComplete: for the wait @op, for a number of a phase, or for a parity. */
bool model_answer(const struct model *m, const struct model_op *op);
bool model_wait(const struct model *m, long long phase);
bool model_wait_parity(const struct model *m, unsigned int parity);

/* Are all counts in the ranges that PTX allows between two operations? */
bool model_legal(const struct model *m);

/* Returns the state of a valid object, &enum drm_vsm_mbarrier_state. */
unsigned int model_state(const struct model *m);

/* Return a count as the word of the layout shows it. */
long long model_shown_pending(const struct model *m);
long long model_shown_tx(const struct model *m);

/*
 * Convert between the model and a word. model_decode() returns false if a poison or reserved bit is
 * set.
 */
unsigned long long model_encode(const struct model *m);
bool model_decode(struct model *m, int sm, unsigned long long word);

#endif
