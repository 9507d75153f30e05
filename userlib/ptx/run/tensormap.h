/* SPDX-License-Identifier: MIT */
/*
 * Tensor maps: tensormap.replace, tensormap.cp_fenceproxy, and what copies with a map need.
 */
#ifndef _PTX_RUN_TENSORMAP_H_
#define _PTX_RUN_TENSORMAP_H_

#include "run/warp.h"

/* Each executes a step for the lanes in @mask. Returns false after a fault. */
bool ptx_replace(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		 uint32_t mask);
bool ptx_copy_map(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		  uint32_t mask);
/*
 * The bytes that a tensor copy moves, for the map at this address of the host. The kernel may have
 * changed the map since the device has checked it: 0 if it is no map any more.
 */
uint64_t ptx_tensor_bytes(uint64_t address);
/*
 * A copy writes to the tensor of the map at this address of the host. Records a fault if the tensor
 * is in constant memory. This finds mistakes. It is no protection: the kernel may change the map
 * before the device reads it.
 */
bool ptx_may_write_map(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		       uint64_t address);
/*
 * The device has found no buffer for the map at this address of the host. Returns whether it has
 * recorded a fault: tensormap.replace has written an address that is in no allocation.
 */
bool ptx_fail_map(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		  uint64_t address);

#endif
