/* SPDX-License-Identifier: MIT */
/*
 * Steps that the device executes, and waits that it has suspended.
 */
#ifndef _PTX_RUN_DEVICE_H_
#define _PTX_RUN_DEVICE_H_

#include "run/state.h"

/* The instruction of a step that the device executes: STEP_DEVICE, and STEP_SETMAXNREG. */
const struct ptx_device_op *ptx_device_op(const struct ptx_step *step);
/*
 * Executes a step of the device. Lanes that have executed it are in @group afterwards, at the next
 * step; those that are suspended are in a group of their own, which waits. If all are suspended,
 * @group waits. Returns false after a fault.
 */
bool ptx_device(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		uint32_t mask);
/* The lanes exit. Returns false after a fault. */
bool ptx_exit(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask);
/*
 * Before a release at cluster scope: makes the mbarriers that the CTA has initialised visible to
 * the cluster. Returns false after a fault.
 */
bool ptx_publish(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask);
/*
 * The wait of a group has ended. Sets the results and makes the group runnable, or records a fault.
 */
void ptx_device_resume(struct ptx_worker *worker, struct ptx_group *group,
		       const struct drm_vsm_wait_record *record);
/*
 * With a seed: ends the waits of the worker whose time limits have passed. Returns whether there
 * were any.
 */
bool ptx_device_expire(struct ptx_worker *worker);
/* Arms the waits that have been collected. Returns 0 or a negative error number. */
int ptx_device_arm(struct ptx_worker *worker);

#endif
