/* SPDX-License-Identifier: MIT */
/* The state of the rendezvous model: clusters, CTAs, warps and threads. */
#ifndef VSM_UNIT_RENDEZVOUS_STATE_H
#define VSM_UNIT_RENDEZVOUS_STATE_H

#include <stdbool.h>

#include "../insn.h"

#define MEET_LANES	32
#define MEET_BARRIERS	16

/**
 * enum meet_state - What a thread does
 * @MEET_RUNNING: The thread is in no instruction of a rendezvous
 * @MEET_INSIDE: The thread has executed one, and waits
 * @MEET_RELEASED: The thread has a result, which has not been taken
 * @MEET_EXITED: The thread has exited
 */
enum meet_state {
	MEET_RUNNING,
	MEET_INSIDE,
	MEET_RELEASED,
	MEET_EXITED,
};

/**
 * enum meet_cluster - What a thread has done at the barrier of the cluster
 * @MEET_NOT_ARRIVED: Nothing; it may arrive
 * @MEET_ARRIVED: It has arrived in the phase in progress
 * @MEET_COMPLETE: It has arrived in a phase that is complete, and has not waited
 */
enum meet_cluster {
	MEET_NOT_ARRIVED,
	MEET_ARRIVED,
	MEET_COMPLETE,
};

/**
 * struct meet_thread - A thread
 * @insn: The instruction that it is in; a released thread's has result, fault and info
 * @state: What the thread does
 * @cluster: What it has done at the barrier of the cluster
 * @lead: The lane that executes the instruction for it; its own unless the warp is converged
 * @converged: The whole warp executes the instruction
 * @watched: A waiter waits for the result
 */
struct meet_thread {
	struct drm_vsm_insn insn;
	enum meet_state state;
	enum meet_cluster cluster;
	unsigned int lead;
	bool converged;
	bool watched;
};

/**
 * struct meet_arrival - One arrival of a warp at a named barrier
 * @warp: The warp
 * @waits: The threads of the warp wait
 * @for_all: The instruction has no count
 * @count: Threads that the barrier waits for
 * @red: Reduction, or 0
 * @threads: Threads of the warp that executed it
 * @trues: Those of them whose predicate was true
 */
struct meet_arrival {
	unsigned int warp;
	bool waits;
	bool for_all;
	unsigned int count;
	unsigned int red;
	unsigned int threads;
	unsigned int trues;
};

/**
 * struct meet_generation - The generation in progress of a named barrier
 * @arrivals: Its arrivals, the first one first
 * @number: How many
 */
struct meet_generation {
	struct meet_arrival *arrivals;
	unsigned int number;
};

/**
 * struct meet_cta - A CTA
 * @threads: Its threads
 * @barriers: Its named barriers
 */
struct meet_cta {
	struct meet_thread *threads;
	struct meet_generation barriers[MEET_BARRIERS];
};

/**
 * struct meet_model - A cluster
 * @ctas: CTAs
 * @threads: Threads of each
 * @once: A warp may arrive only once in a generation of a named barrier
 * @sources: A shfl.sync may read only lanes that take part
 * @again: The last instruction made a warp arrive a second time in a generation
 * @phases: How often the barrier of the cluster has completed
 * @released: With the last instruction a warp has arrived there with .release
 * @cta: The CTAs
 * @given: Threads that the last instruction released; only the leads of converged warps
 * @givens: Number of entries in @given
 */
struct meet_model {
	unsigned int ctas;
	unsigned int threads;
	bool once;
	bool sources;
	bool again;
	unsigned long phases;
	bool released;
	struct meet_cta *cta;
	struct {
		unsigned int cta;
		unsigned int thread;
	} *given;
	unsigned int givens;
};

static inline struct meet_thread *meet_thread(struct meet_model *m, unsigned int cta,
					      unsigned int thread)
{
	return &m->cta[cta].threads[thread];
}

/**
 * struct party - A warp
 * @m: The model
 * @cta: Its CTA
 * @first: Its first thread
 * @lanes: How many it has
 */
struct party {
	struct meet_model *m;
	unsigned int cta;
	unsigned int first;
	unsigned int lanes;
};

static inline bool meet_is_warp_op(unsigned int op)
{
	return op >= OP(MATCH_SYNC) && op <= OP(REDUX_SYNC);
}

static inline bool is_named(unsigned int op)
{
	return op == OP(BARRIER_SYNC) || op == OP(BARRIER_ARRIVE) || op == OP(BARRIER_RED);
}

static inline struct party warp_of(struct meet_model *m, unsigned int cta, unsigned int thread)
{
	struct party w = { m, cta, thread / MEET_LANES * MEET_LANES, MEET_LANES };

	if (m->threads - w.first < MEET_LANES)
		w.lanes = m->threads - w.first;
	return w;
}

static inline struct meet_thread *lane_of(const struct party *w, unsigned int lane)
{
	return meet_thread(w->m, w->cta, w->first + lane);
}

static inline unsigned int warps_of(const struct meet_model *m)
{
	return (m->threads + MEET_LANES - 1) / MEET_LANES;
}

static inline bool lives(const struct party *w, unsigned int lane)
{
	return lane < w->lanes && lane_of(w, lane)->state != MEET_EXITED;
}

static inline bool warp_lives(const struct party *w)
{
	unsigned int i;

	for (i = 0; i < w->lanes; i++)
		if (lives(w, i))
			return true;
	return false;
}

/* Does an instruction concern a lane of the warp? */
static inline bool names(const struct drm_vsm_insn *insn, unsigned int lane)
{
	return !meet_is_warp_op(insn->op) || insn->u.warp.membermask >> lane & 1;
}

#endif
