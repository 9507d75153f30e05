/* SPDX-License-Identifier: MIT */
/*
 * Instructions that all lanes of a warp execute together: those with .aligned, and setmaxnreg.
 */
#ifndef _PTX_RUN_ALIGNED_H_
#define _PTX_RUN_ALIGNED_H_

#include "run/warp.h"

/*
 * Do all lanes of the group execute this instruction, which has .aligned? @mask has the lanes whose
 * guard is true. Records a fault if it is true for only some of them.
 */
bool ptx_is_guarded_alike(struct ptx_warp *warp, const struct ptx_group *group, uint32_t mask);
/*
 * The same. It is also a fault if another group of the warp waits in a different instruction with
 * .aligned: all lanes of the warp have to execute the same one.
 */
bool ptx_is_together(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask);

/** enum ptx_meeting - What has become of lanes that execute setmaxnreg */
enum ptx_meeting {
	MEETING_OVER,		/* all lanes of the warp have executed it */
	MEETING_BEGUN,		/* groups have changed: the lanes wait on the device */
	MEETING_LATER,		/* there was a fault, or the lanes give way to others */
};

/*
 * All lanes of a warp execute setmaxnreg together. Lanes that are there first give way while others
 * can run. If all others wait, these lanes wait for them on the device, which then finds a deadlock
 * if the others wait for these lanes.
 */
enum ptx_meeting ptx_set_registers(struct ptx_warp *warp, struct ptx_group *group,
				   const struct ptx_step *step, uint32_t mask);
/*
 * Lanes must not wait in an operation of the warp for lanes that are in setmaxnreg. Records a fault
 * if they would.
 */
bool ptx_may_wait(struct ptx_warp *warp, const struct ptx_group *group,
		  const struct ptx_step *step, uint32_t mask);
/* Lanes must not exit while others wait for them in setmaxnreg. Records a fault if they do. */
bool ptx_may_exit(struct ptx_warp *warp);

#endif
