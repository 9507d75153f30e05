// SPDX-License-Identifier: MIT
/*
 * Names of faults.
 */
#include "internal.h"

#define NAME(fault) case DRM_VSM_FAULT_##fault: return #fault

const char *vsm_fault_name(uint32_t fault)
{
	/* No default: the compiler says when a code is missing. */
	switch ((enum drm_vsm_fault)fault) {
	NAME(NONE);
	NAME(MISALIGNED);
	NAME(OUT_OF_WINDOW);
	NAME(NOT_AN_MBARRIER);
	NAME(INIT_OVER_LIVE);
	NAME(BAD_COUNT);
	NAME(INVAL_IN_USE);
	NAME(ARRIVAL_OVERFLOW);
	NAME(NOCOMPLETE_COMPLETES);
	NAME(DROP_TO_ZERO);
	NAME(TX_RANGE);
	NAME(TX_OVERDELIVERY);
	NAME(REMOTE_FORBIDDEN);
	NAME(BAD_ORDER);
	NAME(POISONED);
	NAME(COPY_SIZE);
	NAME(COPY_BOUNDS);
	NAME(COPY_MBARRIER);
	}
	return "UNKNOWN";
}
