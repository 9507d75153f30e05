/* SPDX-License-Identifier: MIT */
/*
 * Runs the core and the model side by side: both execute each instruction, and their answers
 * and the state of every thread must be the same.
 */
#ifndef VSM_UNIT_RENDEZVOUS_CHECK_H
#define VSM_UNIT_RENDEZVOUS_CHECK_H

#include <vsm_rendezvous.h>

#include "rendezvous_model.h"

/**
 * struct rv_check - A cluster, twice
 * @geo: Its shape
 * @rv: The core
 * @size: Bytes of @rv
 * @before: A copy of @rv from before the instruction, if @rv is small
 * @model: The model
 * @woken: By number of the thread in the cluster, how often its waiter was woken
 * @steps: Number of instructions executed
 * @wrong: The first difference, empty if there is none
 */
struct rv_check {
	struct vsm_geometry geo;
	struct vsm_rendezvous *rv;
	size_t size;
	void *before;
	struct rv_model model;
	unsigned char *woken;
	unsigned long steps;
	char wrong[160];
};

void rv_check_create(struct rv_check *c, const struct vsm_geometry *geo);
void rv_check_destroy(struct rv_check *c);

/*
 * The thread executes an instruction that vsm_insn_check() has passed, and takes no result
 * yet. @insn gets the info of a fault.
 */
enum drm_vsm_fault rv_check_execute(struct rv_check *c, unsigned int cta, unsigned int thread,
				    bool converged, struct drm_vsm_insn *insn);

/* The thread takes its result, which must be there, into @insn. */
void rv_check_take(struct rv_check *c, unsigned int cta, unsigned int thread,
		   struct drm_vsm_insn *insn);

void rv_check_withdraw(struct rv_check *c, unsigned int cta, unsigned int thread);

/* Sets whether a waiter waits for a suspended thread; a signal may interrupt the waiter. */
void rv_check_watch(struct rv_check *c, unsigned int cta, unsigned int thread, bool watched);

/* Compares the whole cluster. */
void rv_check_all(struct rv_check *c);

static inline enum rv_state rv_check_state(struct rv_check *c, unsigned int cta,
					   unsigned int thread)
{
	return rv_thread(&c->model, cta, thread)->state;
}

/* Is the thread in an instruction that another thread executes for it? */
static inline bool rv_check_is_led(struct rv_check *c, unsigned int cta, unsigned int thread)
{
	return rv_thread(&c->model, cta, thread)->lead != thread % RV_LANES;
}

#endif
