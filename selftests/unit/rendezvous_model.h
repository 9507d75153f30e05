/* SPDX-License-Identifier: MIT */
/*
 * What threads meet at, once more and slowly: a record for each thread and for each arrival
 * of a warp, from which everything else is found out anew at every step. Written from PTX
 * 9.7.9.6, 9.7.12.7, 9.7.13.1 to .3, .9, .10, .12 and .14 and the uapi header; shares no
 * code with the device.
 */
#ifndef VSM_UNIT_RENDEZVOUS_MODEL_H
#define VSM_UNIT_RENDEZVOUS_MODEL_H

#include <stdbool.h>

#include <drm/vsm_drm.h>

#define MEET_LANES	32
#define MEET_BARRIERS	16

/**
 * enum meet_state - What a thread does
 * @MEET_RUNNING: It is in no such instruction
 * @MEET_INSIDE: It has executed one, and waits
 * @MEET_RELEASED: The result is there, and has not been taken
 * @MEET_EXITED: Nothing any more
 */
enum meet_state {
	MEET_RUNNING,
	MEET_INSIDE,
	MEET_RELEASED,
	MEET_EXITED,
};

/**
 * enum meet_cluster - Where a thread is with the barrier of the cluster
 * @MEET_NOT_ARRIVED: It may arrive
 * @MEET_ARRIVED: It has, in the phase in progress
 * @MEET_COMPLETE: It has, and that phase is complete; it has not waited
 */
enum meet_cluster {
	MEET_NOT_ARRIVED,
	MEET_ARRIVED,
	MEET_COMPLETE,
};

/**
 * struct meet_thread - A thread
 * @insn: What it is in; if released, with the result, fault and info
 * @state: What it does
 * @cluster: Its barrier of the cluster
 * @lead: Lane that executes it for this one too; its own unless the warp is converged
 * @converged: The whole warp executes it
 * @watched: Somebody waits for its result
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
 * @waits: Its threads wait
 * @for_all: It gave no count
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
 * @once: A warp may arrive but once in a generation of a named barrier
 * @sources: A shfl.sync may read lanes alone that take part
 * @again: The last instruction made a warp arrive that had arrived in that generation
 * @phases: How often the barrier of the cluster has completed
 * @released: By the last instruction a warp has arrived there that releases what it knows
 * @cta: The CTAs
 * @given: Threads that the last instruction released, those that executed for others alone
 * @givens: How many
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

void meet_create(struct meet_model *m, unsigned int ctas, unsigned int threads);
void meet_destroy(struct meet_model *m);

static inline struct meet_thread *meet_thread(struct meet_model *m, unsigned int cta,
					      unsigned int thread)
{
	return &m->cta[cta].threads[thread];
}

/*
 * The thread executes a checked instruction, as the whole warp if it is converged. What is
 * refused changes nothing; @info gets what the fault says, or 0. A shfl.sync that reads what
 * is not there gets its own value, and SHFL_SOURCE with it, if that is not refused.
 */
enum drm_vsm_fault meet_execute(struct meet_model *m, unsigned int cta, unsigned int thread,
				bool converged, const struct drm_vsm_insn *insn, __u32 *info);

/* The thread goes on with its result. */
void meet_take(struct meet_model *m, unsigned int cta, unsigned int thread);

/* A suspended thread has never executed it. */
void meet_withdraw(struct meet_model *m, unsigned int cta, unsigned int thread);

/* The arrival by which the warp of a thread waits at a named barrier, or NULL. */
struct meet_arrival *meet_waits_at(struct meet_model *m, unsigned int cta, unsigned int thread,
				   unsigned int barrier);

/* Is it one that threads of a membermask execute? */
bool meet_is_warp_op(unsigned int op);

/* Where shfl.sync reads, by the lane and the operands of PTX; @pred gets p. */
unsigned int meet_shfl_source(unsigned int mode, unsigned int lane, __u32 b, __u32 c, bool *pred);

#endif
