/* SPDX-License-Identifier: MIT */
/*
 * Threads for which others wait.
 */
#ifndef _PTX_RUN_MISSING_H_
#define _PTX_RUN_MISSING_H_

#include "run/stop.h"

/**
 * enum likelihood - How likely it is that a stop is the cause; the last one is the most likely
 *
 * A barrier for all threads and a warp operation only wait for threads that must come. If these
 * threads are elsewhere, that is the cause.
 */
enum likelihood {
	RANK_COMPLETE,	/* the phase is complete: the threads go on */
	RANK_ALL,	/* a barrier for all threads */
	RANK_WARP,	/* a warp operation */
	RANK_GROUPS,	/* copies in flight */
	RANK_NEVER,	/* nobody has ever arrived at the mbarrier */
	RANK_PHASE,	/* nothing of the phase has come */
	RANK_RUNS,	/* the threads run: perhaps they spin */
	RANK_COUNTED,	/* a barrier with a count of the program */
	RANK_PARTIAL,	/* a part of the phase has come */
	RANK_SKIPS,	/* the wait is for the phase after the one that is complete */
	RANK_DIVIDED,	/* a part of a warp is in setmaxnreg, which all lanes execute together */
	RANK_EXITED,	/* the missing threads have exited */
};

/* Finds what the threads of a stop wait for, and who is missing. */
void ptx_missing_find(struct ptx_hang *hang, struct ptx_stop *stop);

#endif
