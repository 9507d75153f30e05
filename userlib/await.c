// SPDX-License-Identifier: MIT
/* Waiting until a phase of an mbarrier is complete. */
#include <errno.h>

#include "internal.h"

/* Execute @try_wait without a time limit until it returns True. */
static int await_untimed(struct vsm_thread *thread, struct drm_vsm_insn try_wait)
{
	const uint32_t flags = thread->exec_flags;
	uint64_t complete;
	int err;

	thread->exec_flags |= DRM_VSM_EXEC_NO_LIMIT;
	do {
		err = vsm_execute(thread, try_wait, &complete);
	} while (!err && !complete);
	thread->exec_flags = flags;
	return err;
}

/*
 * Execute @try_wait until it returns True or @deadline has passed. suspendTimeHint is the remaining
 * time.
 */
static int await_until(struct vsm_thread *thread, struct drm_vsm_insn try_wait, int64_t deadline)
{
	uint64_t complete;
	int64_t left;
	int err;

	try_wait.mods |= DRM_VSM_MOD_HINT;
	do {
		left = vsm_time_left(deadline);
		try_wait.u.mbarrier.hint_ns = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
		err = vsm_execute(thread, try_wait, &complete);
		if (err || complete)
			return err;
	} while (left);
	return -ETIME;
}

static int await(struct vsm_thread *thread, struct drm_vsm_insn try_wait, int64_t deadline)
{
	int err = vsm_thread_check(thread);

	if (err)
		return err;
	if (deadline < 0)
		return await_untimed(thread, try_wait);
	return await_until(thread, try_wait, deadline);
}

int vsm_await_phase(struct vsm_thread *thread, uint32_t addr, uint64_t state, unsigned int qual,
		    int64_t deadline)
{
	return await(thread, vsm_prep_mbarrier_try_wait(addr, state, qual), deadline);
}

int vsm_await_parity(struct vsm_thread *thread, uint32_t addr, uint32_t parity, unsigned int qual,
		     int64_t deadline)
{
	return await(thread, vsm_prep_mbarrier_try_wait_parity(addr, parity, qual), deadline);
}
