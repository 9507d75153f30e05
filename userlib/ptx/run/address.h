/* SPDX-License-Identifier: MIT */
/*
 * Addresses, and the memory behind them.
 */
#ifndef _PTX_RUN_ADDRESS_H_
#define _PTX_RUN_ADDRESS_H_

#include "run/warp.h"

/*
 * Finds @size bytes at an address in a state space, for a lane. Records a fault and returns NULL if
 * the access is not allowed.
 */
uint8_t *ptx_resolve(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		     enum ptx_space space, uint64_t address, uint64_t size, bool write);

/**
 * struct ptx_span - Addresses behind which there is one piece of memory
 * @first: First address
 * @bytes: Number of addresses
 * @host: Memory of lane 0 at the first address
 * @pitch: Bytes from the memory of one lane to that of the next; 0 if all lanes have the same
 */
struct ptx_span {
	uint64_t first;
	uint64_t bytes;
	uint8_t *host;
	uint64_t pitch;
};

/*
 * As ptx_resolve(). If the access is allowed, @span gets the addresses around the given one that
 * the lanes of the group may access in the same way, as long as they execute this step.
 */
uint8_t *ptx_resolve_span(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
			  enum ptx_space space, uint64_t address, uint64_t size, bool write,
			  struct ptx_span *span);
/* Records the fault that a kernel writes to constant memory. Returns false. */
bool ptx_fail_read_only(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
			const struct ptx_allocation *allocation);
/*
 * May the warp still access the window of the CTA with this rank? Records a fault if the threads of
 * that CTA have exited: the multiprocessor may already have given its shared memory to another CTA.
 * A rank that does not exist is no fault here.
 */
bool ptx_window_lives(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		      uint32_t rank);
/*
 * The sum of a base address and an offset. Shared and local memory have addresses of 32 bits, which
 * wrap: compilers add an offset to a base that is below the variable.
 */
static inline uint64_t ptx_add_offset(enum ptx_space space, uint64_t base, uint64_t offset)
{
	bool narrow = space == SPACE_SHARED || space == SPACE_SHARED_CLUSTER ||
		      space == SPACE_LOCAL;

	return narrow && !(base >> 32) ? (uint32_t)(base + offset) : base + offset;
}

/* The generic address of an address in a state space. */
uint64_t ptx_generic(const struct ptx_warp *warp, enum ptx_space space, uint64_t address);
/* The state space of a generic address: SPACE_GENERIC if it is in none. */
enum ptx_space ptx_space_of(uint64_t generic);

#endif
