// SPDX-License-Identifier: MIT
/*
 * Records what went wrong first in a launch, and stops it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run/fault.h"

void ptx_launch_stop(struct vsm_ptx_launch *launch)
{
	uint64_t one = 1;

	__atomic_store_n(&launch->stop, 1, __ATOMIC_RELAXED);
	/* A worker that waits for memory must not wait for ever. */
	pthread_mutex_lock(&launch->lock);
	pthread_cond_broadcast(&launch->room);
	pthread_mutex_unlock(&launch->lock);
	/* It stays readable for ever, so that every worker that sleeps or will sleep wakes up. */
	if (write(launch->wake, &one, sizeof(one)) < 0)
		return;	/* the counter is at its limit: it is readable */
}

void ptx_fail_launch(struct vsm_ptx_launch *launch, const struct ptx_fault *fault)
{
	pthread_mutex_lock(&launch->lock);
	if (!launch->fault.failure && !launch->cancelled)
		launch->fault = *fault;
	pthread_mutex_unlock(&launch->lock);
	ptx_launch_stop(launch);
}

static void fault_at(struct ptx_fault *fault, const struct ptx_warp *warp,
		     const struct ptx_group *group, uint32_t lane)
{
	const struct ptx_cta *cta = warp->cta;

	fault->step = group ? (int64_t)group->pc : -1;
	memcpy(fault->ctaid, cta->ctaid, sizeof(fault->ctaid));
	fault->rank = cta->rank;
	fault->warp = warp->number;
	fault->lane = lane;
	fault->lanes = group ? group->lanes : 1u << lane;
}

void ptx_fail(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
	      const char *format, ...)
{
	struct ptx_fault fault = { .failure = FAILURE_PROGRAM };
	va_list args;

	fault_at(&fault, warp, group, lane);
	va_start(args, format);
	vsnprintf(fault.text, sizeof(fault.text), format, args);
	va_end(args);
	ptx_fail_launch(ptx_launch_of(warp), &fault);
}

void ptx_fail_gone(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		   uint32_t rank)
{
	struct ptx_fault fault = { .failure = FAILURE_PROGRAM, .gone = rank + 1 };

	fault_at(&fault, warp, group, lane);
	snprintf(fault.text, sizeof(fault.text),
		 "access to shared memory of CTA %u of the cluster, whose threads have exited; let all CTAs wait for each other at a cluster barrier before they exit",
		 rank);
	ptx_fail_launch(ptx_launch_of(warp), &fault);
}

void ptx_fail_device(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		     int error, const struct drm_vsm_insn *insn)
{
	struct ptx_fault fault = {
		.failure = insn && insn->fault ? FAILURE_DEVICE : FAILURE_ERROR,
		.error = error,
	};

	fault_at(&fault, warp, group, lane);
	if (insn)
		fault.insn = *insn;
	ptx_fail_launch(ptx_launch_of(warp), &fault);
}

void ptx_fail_deadlock(struct ptx_warp *warp, const struct ptx_group *group)
{
	struct ptx_fault fault = {
		.failure = FAILURE_DEADLOCK,
		.error = -EDEADLK,
		.insn.fault = DRM_VSM_FAULT_DEADLOCK,
	};

	fault_at(&fault, warp, group, __builtin_ctz(group->lanes));
	ptx_fail_launch(ptx_launch_of(warp), &fault);
}

void ptx_fail_worker(struct ptx_worker *worker, int error)
{
	struct ptx_fault fault = { .failure = FAILURE_ERROR, .error = error, .step = -1 };

	ptx_fail_launch(worker->launch, &fault);
}
