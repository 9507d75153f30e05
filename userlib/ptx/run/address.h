/* SPDX-License-Identifier: MIT */
/*
 * Addresses: finds the memory behind them, and says what is wrong with those that lead nowhere.
 * Executes the steps that only need that.
 */
#ifndef _RUN_ADDRESS_H_
#define _RUN_ADDRESS_H_

#include "run/warp.h"

/* --- addresses ------------------------------------------------------------ */

/*
 * Finds @size bytes at an address in a state space, for a lane. Records a fault and returns NULL if
 * the access is not allowed.
 */
uint8_t *ptx_resolve(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		     enum ptx_space space, uint64_t address, uint64_t size, bool write);

/* Addresses behind which there is one piece of memory */
struct ptx_span {
	uint64_t first;	/* first address */
	uint64_t bytes;	/* number of addresses */
	uint8_t *host;	/* memory of lane 0 at the first address */
	/* Bytes from the memory of one lane to that of the next; 0 if all lanes have the same */
	uint64_t pitch;
};

/*
 * As ptx_resolve(). If the access is allowed, @span gets the addresses around the given one that
 * the lanes of the group may access in the same way, as long as they execute this step.
 */
uint8_t *ptx_resolve_span(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
			  enum ptx_space space, uint64_t address, uint64_t size, bool write,
			  struct ptx_span *span);
/*
 * May the warp still access the window of the CTA with this rank? Records a fault if the threads of
 * that CTA have exited: the multiprocessor may already have given its shared memory to another CTA.
 * A rank that does not exist is no fault here.
 */
bool ptx_window_lives(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		      uint32_t rank);
/* Number of elements of &ptx_valid.words. */
uint32_t ptx_valid_words(const struct vsm_ptx_launch *launch);
/* An mbarrier was initialised (@value is true) or invalidated at a cluster shared address. */
void ptx_valid_set(struct ptx_cluster *cluster, uint32_t address, bool value);
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

/* --- conversions ---------------------------------------------------------- */

/* Executes cvta, mapa or getctarank. Returns false after a fault. */
bool ptx_window_convert(struct ptx_warp *warp, struct ptx_group *group,
			const struct ptx_step *step, uint32_t mask);
/* Executes isspacep. */
void ptx_window_test(struct ptx_warp *warp, struct ptx_regs *regs, const struct ptx_step *step,
		     uint32_t mask);

/* --- tensor maps ---------------------------------------------------------- */

/* Each executes a step for the lanes in @mask. Returns false after a fault. */
bool ptx_replace(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		 uint32_t mask);
bool ptx_copy_map(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		  uint32_t mask);
/*
 * Reads the CUtensorMap at a generic address for a copy, which writes to the tensor if @write.
 * Records a fault if there are no bytes of a map, or if the tensor to write is in constant memory.
 * All other mistakes are those that the device finds in @map.
 */
bool ptx_map_read(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		  uint64_t address, bool write, struct drm_vsm_tensor_map *map);
/* The bytes that a tensor copy moves; 0 if the device refuses the map. */
uint64_t ptx_tensor_bytes(const struct drm_vsm_tensor_map *map);
/*
 * The device has found no buffer for the map. Returns whether it has recorded a fault: the tensor
 * is in no allocation.
 */
bool ptx_fail_map(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		  const struct drm_vsm_tensor_map *map);

/* --- functions of the system ---------------------------------------------- */

/* Each executes a step for the lanes in @mask. Returns false after a fault. */
bool ptx_print(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	       uint32_t mask);
bool ptx_assert(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		uint32_t mask);
void ptx_malloc(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		uint32_t mask);
bool ptx_free(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	      uint32_t mask);

#endif
