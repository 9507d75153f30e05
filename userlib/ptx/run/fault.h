/* SPDX-License-Identifier: MIT */
/*
 * Records what went wrong first in a launch, and stops it.
 */
#ifndef _PTX_RUN_FAULT_H_
#define _PTX_RUN_FAULT_H_

#include "run/state.h"

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

#endif
