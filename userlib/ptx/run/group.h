/* SPDX-License-Identifier: MIT */
/*
 * Groups of lanes, the frames that they are in, and the steps that change the flow of control.
 * The first fault of a launch stops it.
 */
#ifndef _RUN_GROUP_H_
#define _RUN_GROUP_H_

#include "run/state.h"
#include "run/warp.h"

/* --- faults --------------------------------------------------------------- */

/*
 * Records a fault of the group at its step, and stops the launch. Only the first fault of a launch
 * is kept.
 */
void ptx_fail(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
	      const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same for an access to shared memory of a CTA whose threads have exited. */
void ptx_fail_gone(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		   uint32_t rank);
/* The same for an instruction that the device has refused, or for an error of the device. */
void ptx_fail_device(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		     int error, const struct drm_vsm_insn *insn);
/* The device has found that no thread of the cluster can go on. */
void ptx_fail_deadlock(struct ptx_warp *warp, const struct ptx_group *group);
/* Records a fault, if it is the first of the launch, and stops the launch. */
void ptx_fail_launch(struct vsm_ptx_launch *launch, const struct ptx_fault *fault);
/* Records an error of the device or of the host that has no place in the program. */
void ptx_fail_worker(struct ptx_worker *worker, int error);
/* Makes the workers of a launch stop. */
void ptx_launch_stop(struct vsm_ptx_launch *launch);

/* --- events of the device ------------------------------------------------- */

/*
 * Reads the events of the context's device, and records them as faults of the launches that they
 * belong to. Several workers may call it.
 */
void ptx_event_read(struct vsm_ptx_context *context);
/* Events of a cluster are found from the first call until the second one. */
void ptx_event_remember(struct ptx_cluster *cluster);
void ptx_event_forget(struct ptx_cluster *cluster);

/* --- groups and frames ---------------------------------------------------- */

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

/* --- control flow --------------------------------------------------------- */

/* Each executes a step for the lanes in @mask. Returns false after a fault. */
bool ptx_branch_indexed(struct ptx_warp *warp, struct ptx_group *group,
			const struct ptx_step *step, uint32_t mask);
bool ptx_call(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	      uint32_t mask);
/* Lanes return from a function; those whose guard is false go on. */
void ptx_return(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask);
/* Each records a fault: threads execute trap, or reach the closing brace of a function. */
void ptx_trap(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask);
void ptx_reach_end(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask);

#endif
