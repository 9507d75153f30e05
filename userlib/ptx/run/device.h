/* SPDX-License-Identifier: MIT */
/* Steps that the device executes, and waits that it has suspended. */
#ifndef _RUN_DEVICE_H_
#define _RUN_DEVICE_H_

#include <stdint.h>
#include <time.h>

#include "run/state.h"
#include "run/warp.h"

/* --- clocks --------------------------------------------------------------- */

/* CLOCK_MONOTONIC in ns. */
static inline int64_t ptx_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Executes a step that reads clocks: fills their rows, and lets the ALU read them. */
void ptx_clock_read(struct ptx_warp *warp, struct ptx_regs *regs, const struct ptx_step *step,
		    uint32_t mask);

/* --- operands ------------------------------------------------------------- */

/*
 * Makes the instructions of the lanes in @mask for a step of the device, in order. Those with a
 * tensor map refer to elements of @maps, which is NULL if the step has none. Returns false after a
 * fault.
 */
bool ptx_device_encode(struct ptx_warp *warp, const struct ptx_group *group,
		       const struct ptx_device_op *op, uint32_t mask, struct drm_vsm_insn *insns,
		       struct drm_vsm_tensor_map *maps);

/* --- sites ---------------------------------------------------------------- */

/* The instruction of a step. Returns false if none belongs to it. */
bool ptx_site_of(const struct vsm_ptx_launch *launch, uint32_t step, struct vsm_ptx_site *site);

/* The library enforces this rule only on request; the device does so in every strict cluster. */
#define PTX_RULE_PARITY DRM_VSM_RULE(DRM_VSM_FAULT_BAD_PARITY)

/* --- flight recorders ----------------------------------------------------- */

/* Events that the device keeps for a cluster. */
#define PTX_TRACE_EVENTS 4096

/* Does the caller want events? */
static inline bool ptx_traces(const struct vsm_ptx_launch *launch)
{
	return launch->config.trace;
}

/* Hands all events of a cluster to the caller that he has not got yet. */
void ptx_trace_read(struct ptx_cluster *cluster);

/* --- execution ------------------------------------------------------------ */

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

/*
 * Executes the instructions that have been put off. Returns false if the launch has failed, or
 * stops.
 */
bool ptx_device_flush(struct ptx_worker *worker);

#endif
