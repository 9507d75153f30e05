/* SPDX-License-Identifier: MIT */
/* The state of the rendezvous model: clusters, CTAs, warps and threads. */
#ifndef VSM_UNIT_RENDEZVOUS_STATE_H
#define VSM_UNIT_RENDEZVOUS_STATE_H

#include <stdbool.h>

#include "../insn.h"

#define RV_LANES	32
#define RV_BARRIERS	16

/* What a thread does */
enum rv_state {
	RV_RUNNING,	/* the thread is in no instruction of a rendezvous */
	/* The thread has executed an instruction of a rendezvous, and waits for the result */
	RV_INSIDE,
	RV_RELEASED,	/* the thread has a result and has not taken it */
	RV_EXITED,	/* the thread has exited */
};

/* Where a thread is at the barrier of the cluster */
enum rv_cluster {
	RV_NOT_ARRIVED,	/* the thread may arrive */
	RV_ARRIVED,	/* the thread has arrived in the phase in progress */
	/* The thread has arrived in a phase that is complete, and has not waited for it */
	RV_COMPLETE,
};

/* A thread */
struct rv_thread {
	/* The instruction that it is in; after the release with result, fault and info */
	struct drm_vsm_insn insn;
	enum rv_state state;		/* what the thread does */
	enum rv_cluster cluster;	/* what it has done at the barrier of the cluster */
	/* The lane that executes the instruction for it; its own lane if the warp has diverged */
	unsigned int lead;
	bool converged;	/* the lane @lead executes the instruction for its whole warp */
	bool watched;			/* a waiter waits for the result of the thread */
};

/* One arrival of a warp at a named barrier */
struct rv_arrival {
	unsigned int warp;
	bool waits;		/* the threads of the warp wait; unset for barrier.arrive */
	bool for_all;		/* the instruction has no count */
	unsigned int count;	/* number of threads that the barrier waits for */
	unsigned int red;	/* reduction, or 0 */
	unsigned int threads;	/* number of threads of the warp that executed the instruction */
	unsigned int trues;	/* number of these threads whose predicate was true */
};

/* The generation in progress of a named barrier */
struct rv_generation {
	struct rv_arrival *arrivals;	/* its arrivals, in the order in which they were made */
	unsigned int number;		/* number of entries in @arrivals */
};

/* A CTA */
struct rv_cta {
	struct rv_thread *threads;
	struct rv_generation barriers[RV_BARRIERS];	/* its named barriers */
};

/* A cluster */
struct rv_model {
	unsigned int ctas;	/* number of CTAs */
	unsigned int threads;	/* number of threads of each CTA */
	/* The cluster enforces that a warp arrives only once in a generation of a named barrier */
	bool once;
	bool sources;	/* the cluster enforces that a shfl.sync reads only lanes that take part */
	bool again;	/* the last instruction made a warp arrive a second time in a generation */
	unsigned long phases;	/* how often the barrier of the cluster has completed */
	/* The last instruction made a warp arrive at the barrier of the cluster with .release */
	bool released;
	struct rv_cta *cta;
	struct {
		unsigned int cta;
		unsigned int thread;
	/*
	 * Threads that the last instruction released. A converged warp has one entry: its leading
	 * thread.
	 */
	} *given;
	unsigned int givens;	/* number of entries in @given */
};

static inline struct rv_thread *rv_thread(struct rv_model *m, unsigned int cta,
					  unsigned int thread)
{
	return &m->cta[cta].threads[thread];
}

/* A warp */
struct party {
	struct rv_model *m;
	unsigned int cta;	/* CTA of the warp */
	unsigned int first;	/* number of the warp's first thread in the CTA */
	unsigned int lanes;	/* number of threads in the warp */
};

static inline bool rv_is_warp_op(unsigned int op)
{
	return op >= OP(MATCH_SYNC) && op <= OP(REDUX_SYNC);
}

static inline bool is_named(unsigned int op)
{
	return op == OP(BARRIER_SYNC) || op == OP(BARRIER_ARRIVE) || op == OP(BARRIER_RED);
}

static inline struct party warp_of(struct rv_model *m, unsigned int cta, unsigned int thread)
{
	struct party w = { m, cta, thread / RV_LANES * RV_LANES, RV_LANES };

	if (m->threads - w.first < RV_LANES)
		w.lanes = m->threads - w.first;
	return w;
}

static inline struct rv_thread *lane_of(const struct party *w, unsigned int lane)
{
	return rv_thread(w->m, w->cta, w->first + lane);
}

static inline unsigned int warps_of(const struct rv_model *m)
{
	return (m->threads + RV_LANES - 1) / RV_LANES;
}

static inline bool lives(const struct party *w, unsigned int lane)
{
	return lane < w->lanes && lane_of(w, lane)->state != RV_EXITED;
}

static inline bool warp_lives(const struct party *w)
{
	unsigned int i;

	for (i = 0; i < w->lanes; i++)
		if (lives(w, i))
			return true;
	return false;
}

/* Does the mask of a warp operation contain the lane? Other instructions concern all lanes. */
static inline bool names(const struct drm_vsm_insn *insn, unsigned int lane)
{
	return !rv_is_warp_op(insn->op) || insn->u.warp.membermask >> lane & 1;
}

#endif
