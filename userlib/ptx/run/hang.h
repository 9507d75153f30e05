/* SPDX-License-Identifier: MIT */
/*
 * Why a launch hangs: who waits where and for what, whose arrivals and bytes are missing, and which
 * of the waits is the cause of the others.
 */
#ifndef _RUN_HANG_H_
#define _RUN_HANG_H_

#include "run/history.h"

/* --- stops ---------------------------------------------------------------- */

/** enum ptx_wait_kind - What threads wait for */
enum ptx_wait_kind {
	WAIT_NOTHING,	/* they can run */
	WAIT_PHASE,	/* for a phase of an mbarrier */
	WAIT_BARRIER,	/* at a named barrier of their CTA */
	WAIT_CLUSTER,	/* at the barrier of the cluster */
	WAIT_WARP,	/* for other lanes of their warp */
	WAIT_GROUPS,	/* for their own copies */
};

/** enum ptx_missing_kind - Why threads are missing */
enum ptx_missing_kind {
	MISSING_ARRIVAL,	/* they arrived in the phase before, and not in this one */
	MISSING_COPY,		/* they copied in the phase before, and not in this one */
	MISSING_SIBLING,	/* they arrived at another mbarrier of the same array */
	MISSING_REST,		/* they are as many as the arrivals that the phase lacks */
	MISSING_LANES,		/* they have not come to a barrier or warp operation */
};

/*
 * How likely it is that a stop is the cause; the last one is the most likely A barrier for all
 * threads and a warp operation only wait for threads that must come. If these threads are
 * elsewhere, that is the cause.
 */
enum ptx_likelihood {
	LIKELY_COMPLETE,	/* the phase is complete: the threads go on */
	LIKELY_ALL,		/* a barrier for all threads */
	LIKELY_WARP,		/* a warp operation */
	LIKELY_GROUPS,		/* copies in flight */
	LIKELY_NEVER,		/* nobody has ever arrived at the mbarrier */
	LIKELY_PHASE,		/* nothing of the phase has come */
	LIKELY_RUNS,		/* the threads run: perhaps they spin */
	LIKELY_COUNTED,		/* a barrier with a count of the program */
	LIKELY_PARTIAL,		/* a part of the phase has come */
	LIKELY_MASK,		/* a multicast copy leaves the CTA out */
	LIKELY_FILLS,		/* a producer waits for the first phase before it fills anything */
	LIKELY_SKIPS,		/* the wait is for the phase after the one that is complete */
	LIKELY_DIVIDED,		/* a part of a warp is in setmaxnreg, which needs all lanes */
	LIKELY_EXITED,		/* the missing threads have exited */
};

/* Lanes of a warp that others wait for */
struct ptx_missing {
	enum ptx_missing_kind kind;	/* enum ptx_missing_kind */
	uint32_t rank;			/* rank of their CTA */
	uint32_t warp;			/* their warp */
	uint32_t lanes;			/* mask of the lanes */
	uint32_t step;	/* where they arrived or copied earlier; not for _REST and _LANES */
	int32_t stop;	/* index of the stop where they are now; -1 if they have exited */
};

/* Largest number of elements of &ptx_stop.missing. */
#define PTX_MISSING 48

/* Threads of a CTA that are at one step, and wait for the same */
struct ptx_stop {
	const struct ptx_cta *cta;			/* their CTA */
	/*
	 * The step. If @tests is set, they have tested the phase there, and may be elsewhere now.
	 */
	uint32_t pc;
	enum ptx_wait_kind kind;			/* enum ptx_wait_kind */
	struct drm_vsm_insn insn;	/* the instruction in which they wait, of one of them */
	uint32_t threads;				/* number of threads */
	uint32_t lanes[PTX_LANES];			/* mask of the lanes of each warp */
	bool tests;	/* WAIT_PHASE: all of them run, and have tested the phase last */
	struct ptx_look look;	/* WAIT_NOTHING: what one of them has read last */
	uint32_t looker;				/* WAIT_NOTHING: warp of this thread */
	struct ptx_object *object;	/* WAIT_PHASE: the mbarrier; NULL if it is not known */
	uint64_t word;					/* WAIT_PHASE: its word */
	struct vsm_mbarrier_fields fields;		/* WAIT_PHASE: the fields of the word */
	uint32_t parity;	/* WAIT_PHASE: parity of the phase that they wait for */
	bool complete;					/* WAIT_PHASE: that phase is complete */
	/* WAIT_PHASE: the phase before is complete, and no thread has waited for it */
	bool skips;
	bool partial;	/* WAIT_PHASE: some arrivals or bytes of the phase have come */
	int64_t multicast;	/* WAIT_PHASE: the step of LIKELY_MASK that copies; or -1 */
	uint32_t mask;		/* the CTAs that have its bytes: their ranks */
	int64_t fill;	/* WAIT_PHASE: the step of LIKELY_FILLS that fills after the wait; or -1 */
	bool rest;	/* the missing threads are of MISSING_REST */
	bool exited;	/* some of the missing threads have exited */
	bool explained;	/* all missing threads are known, and wait or run at another stop */
	enum ptx_likelihood likelihood;	/* how likely it is that the stop is the cause */
	struct ptx_missing missing[PTX_MISSING];	/* threads that are missing */
	uint32_t missing_count;				/* number of elements of @missing */
	bool missing_more;				/* there are more of them */
};

/* Why a cluster hangs */
struct ptx_hang {
	const struct ptx_cluster *cluster;
	/* Stops. The first is the cause, and those that it waits for follow. */
	struct ptx_stop *stops;
	uint32_t count;		/* number of stops */
	bool more;		/* there are more than PTX_STOPS */
	bool circle;		/* all threads wait for each other: no stop alone is the cause */
	uint32_t others;	/* number of other clusters that have not ended */
};

/* The variable that contains an offset in shared memory; NULL if there is none. */
const struct ptx_shared *ptx_shared_at(const struct ptx_program *program, uint32_t offset);
/* The instruction that the device executes in a step; NULL if it executes none. */
const struct drm_vsm_insn *ptx_step_insn(const struct vsm_ptx_launch *launch, int64_t step);
/* The next step after @step in which threads may wait, or exit. */
uint32_t ptx_step_next_stop(const struct vsm_ptx_launch *launch, uint32_t step);
/* The lanes that a warp has when it starts. */
uint32_t ptx_warp_all_lanes(const struct vsm_ptx_launch *launch, uint32_t warp);

/* --- causes --------------------------------------------------------------- */

/*
 * Finds the cause of a hang, when no worker of the launch runs any more. The caller holds
 * &vsm_ptx_launch.lock. Sets &ptx_fault.step. Returns NULL if there is no memory. The hang belongs
 * to the launch.
 */
const struct ptx_hang *ptx_hang_find(struct vsm_ptx_launch *launch);
void ptx_hang_free(struct ptx_hang *hang);

#endif
