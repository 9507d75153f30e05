/* SPDX-License-Identifier: MIT */
/*
 * Runs the core and the model side by side: both execute each instruction, and their answers
 * and the state of every thread must be the same.
 */
#ifndef VSM_UNIT_RENDEZVOUS_CHECK_H
#define VSM_UNIT_RENDEZVOUS_CHECK_H

#include <vsm_rendezvous.h>

#include "rendezvous_model.h"

/* A cluster in the core and in the model */
struct rv_check {
	struct vsm_geometry geo;	/* shape of the cluster */
	struct vsm_rendezvous *rv;	/* state of the core */
	size_t size;			/* size of @rv in bytes */
	void *before;	/* a copy of @rv from before the instruction; NULL if @rv is large */
	struct rv_model model;		/* state of the model */
	/* For each thread of the cluster, how often the core has reported its waiter */
	unsigned char *woken;
	unsigned long steps;		/* number of instructions executed */
	/* Text of the first difference between core and model; empty if there is none */
	char wrong[160];
};

void rv_check_create(struct rv_check *c, const struct vsm_geometry *geo);
void rv_check_destroy(struct rv_check *c);

/*
 * The thread executes an instruction that vsm_insn_check() has accepted, and does not take its
 * result. @insn gets the info of a fault.
 */
enum drm_vsm_fault rv_check_execute(struct rv_check *c, unsigned int cta, unsigned int thread,
				    bool converged, struct drm_vsm_insn *insn);

/* The thread takes its result into @insn. It must have one. */
void rv_check_take(struct rv_check *c, unsigned int cta, unsigned int thread,
		   struct drm_vsm_insn *insn);

void rv_check_withdraw(struct rv_check *c, unsigned int cta, unsigned int thread);

/* Sets whether a waiter waits for a suspended thread. A signal may interrupt the waiter. */
void rv_check_watch(struct rv_check *c, unsigned int cta, unsigned int thread, bool watched);

/* Compares all threads and barriers of the cluster in core and model. */
void rv_check_all(struct rv_check *c);

static inline enum rv_state rv_check_state(struct rv_check *c, unsigned int cta,
					   unsigned int thread)
{
	return rv_thread(&c->model, cta, thread)->state;
}

/* Is the thread in an instruction that another lane executes for the converged warp? */
static inline bool rv_check_is_led(struct rv_check *c, unsigned int cta, unsigned int thread)
{
	return rv_thread(&c->model, cta, thread)->lead != thread % RV_LANES;
}

#endif
