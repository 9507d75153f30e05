/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for asynchronous operations: waiting until they have completed, and reading their faults.
 */
#ifndef VSM_TEST_ASYNC_H
#define VSM_TEST_ASYNC_H

#include "vsm_test.h"

/*
 * Address of an mbarrier with a count of 1. async_finish() issues an asynchronous arrive on it and
 * waits for the phase to complete.
 */
#define END AT(0, 0x88)

/*
 * Spins until the phase of @parity is complete, and observes it with a wait. Returns 0 or a
 * negative errno.
 */
static inline int await_phase(const struct cluster *c, uint32_t addr, uint64_t parity)
{
	int64_t limit = now_ns() + AMPLE;

	while (word(c, addr) >> 63 == parity) {
		if (now_ns() > limit)
			return -ETIME;
		sched_yield();
	}
	return exec_look(c, addr);
}

/*
 * Waits until all operations that this client has issued have completed. Uses the mbarrier at END.
 */
static inline int async_finish(const struct cluster *c)
{
	uint64_t parity = word(c, END) >> 63;
	int ret = exec_one(c, i_noinc(i_cp_arrive(END)));

	return ret ? ret : await_phase(c, END, parity);
}

/* Releases a held cluster and waits until all operations of this client have completed. */
static inline int async_release(const struct cluster *c)
{
	int ret = cluster_hold(c, 0);

	return ret ? ret : async_finish(c);
}

/*
 * Reads events until one is the fault of an asynchronous operation. Stores the instruction in @insn
 * and returns its fault; if there is no such event, returns the result of fault_read().
 */
static inline int async_fault(const struct cluster *c, struct drm_vsm_insn *insn)
{
	struct drm_vsm_event_fault event;
	int ret;

	do
		ret = fault_read(c->fd, &event);
	while (ret == 1 && event.source != DRM_VSM_SOURCE_ASYNC);
	*insn = event.insn;
	return ret == 1 ? (int)event.insn.fault : ret;
}

#endif
