/* SPDX-License-Identifier: MIT */
/*
 * The instructions of a step for the device.
 */
#ifndef _PTX_RUN_OPERAND_H_
#define _PTX_RUN_OPERAND_H_

#include "run/warp.h"

/* Does the instruction begin an asynchronous operation? */
bool ptx_device_is_async(const struct drm_vsm_insn *insn);
/*
 * Makes the instructions of the lanes in @mask for a step of the device, in order. Returns false
 * after a fault.
 */
bool ptx_device_encode(struct ptx_warp *warp, const struct ptx_group *group,
		       const struct ptx_device_op *op, uint32_t mask, struct drm_vsm_insn *insns);

#endif
