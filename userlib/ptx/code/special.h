/* SPDX-License-Identifier: MIT */
/*
 * Where a warp keeps its special registers: the rows of FILE_WARP. Registers that are vectors have
 * a row for each of their components x, y and z; the others have one row.
 */
#ifndef _PTX_CODE_SPECIAL_H_
#define _PTX_CODE_SPECIAL_H_

#include "load/module.h"

/* The registers that are vectors. */
#define PTX_SPECIAL_VECTORS \
	(1ull << SPECIAL_TID | 1ull << SPECIAL_NTID | \
	 1ull << SPECIAL_CTAID | 1ull << SPECIAL_NCTAID | \
	 1ull << SPECIAL_CLUSTERID | 1ull << SPECIAL_NCLUSTERID | \
	 1ull << SPECIAL_CLUSTER_CTAID | 1ull << SPECIAL_CLUSTER_NCTAID)

/* Rows that ptx_special_row() may return: 0 to PTX_SPECIAL_ROWS - 1. */
#define PTX_SPECIAL_ROWS	(SPECIALS + 2 * 8)

/* The index in FILE_WARP of a special register; @dim is 0 for a register that is not a vector. */
static inline uint32_t ptx_special_row(enum ptx_special special, unsigned int dim)
{
	uint64_t before = PTX_SPECIAL_VECTORS & ((1ull << special) - 1);

	return (uint32_t)special + 2 * (uint32_t)__builtin_popcountll(before) + dim;
}

/* Does the register change while a warp runs? Only STEP_CLOCK reads the row of such a register. */
static inline bool ptx_special_changes(enum ptx_special special)
{
	return special >= SPECIAL_CLOCK && special <= SPECIAL_GLOBALTIMER_HI;
}

/* The type with which PTX declares the register. */
static inline enum ptx_type ptx_special_type(enum ptx_special special)
{
	switch (special) {
	case SPECIAL_IS_EXPLICIT_CLUSTER:
		return TYPE_PRED;
	case SPECIAL_GRIDID:
	case SPECIAL_CLOCK64:
	case SPECIAL_GLOBALTIMER:
		return TYPE_U64;
	default:
		return TYPE_U32;
	}
}

#endif
