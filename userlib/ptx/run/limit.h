/* SPDX-License-Identifier: MIT */
/* How much memory a launch may use, and uses. */
#ifndef _PTX_RUN_LIMIT_H_
#define _PTX_RUN_LIMIT_H_

#include "run/state.h"

/* Bytes of the machine's memory that a launch may use. */
uint64_t ptx_memory_limit(void);

/* Charges bytes to a launch. Returns false, and charges nothing, if that exceeds its limit. */
static inline bool ptx_charge(struct vsm_ptx_launch *launch, uint64_t bytes)
{
	uint64_t used = __atomic_add_fetch(&launch->memory_used, bytes, __ATOMIC_RELAXED);

	if (used <= launch->memory_limit)
		return true;
	__atomic_sub_fetch(&launch->memory_used, bytes, __ATOMIC_RELAXED);
	return false;
}

/* Gives back bytes that were charged. */
static inline void ptx_uncharge(struct vsm_ptx_launch *launch, uint64_t bytes)
{
	__atomic_sub_fetch(&launch->memory_used, bytes, __ATOMIC_RELAXED);
}

#endif
