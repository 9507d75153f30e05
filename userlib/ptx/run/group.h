/* SPDX-License-Identifier: MIT */
/*
 * Groups of lanes, and the frames that they are in.
 */
#ifndef _PTX_RUN_GROUP_H_
#define _PTX_RUN_GROUP_H_

#include "run/warp.h"

/*
 * A frame for @body, with all registers 0. @parent is the frame of the caller; NULL for the kernel.
 * Returns NULL if there is no memory.
 */
struct ptx_frame *ptx_frame_create(struct ptx_warp *warp, struct ptx_frame *parent,
				   const struct ptx_body *body);
/* Takes lanes out of a frame, and frees frames that no lane is in. */
void ptx_frame_leave(struct ptx_frame *frame, uint32_t lanes);
/*
 * Moves some lanes of a group to a group of their own, which is runnable and at the same step.
 * There is always room: a warp has not more groups than lanes.
 */
struct ptx_group *ptx_group_split(struct ptx_warp *warp, struct ptx_group *group, uint32_t lanes);
/*
 * The group that runs next, or NULL if none can. Groups at the same step of the same frame become
 * one. If @longest, it is the group that has not run for the longest time; otherwise the one with
 * the lowest step.
 */
struct ptx_group *ptx_group_pick(struct ptx_warp *warp, bool longest);
/* The lanes of a group call a function. Returns false after a fault. */
bool ptx_group_call(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_body *body,
		    const struct ptx_call *call);
/* The lanes of a group return to their caller. */
void ptx_group_return(struct ptx_warp *warp, struct ptx_group *group);

#endif
