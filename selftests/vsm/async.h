/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asynchronous operations: when they have happened, and what they found wrong.
 */
#ifndef VSM_TEST_ASYNC_H
#define VSM_TEST_ASYNC_H

#include "vsm_test.h"

#define END AT(0, 0x88)		/* completes a phase when all before it has happened */

/* Spins until the phase of that parity is complete, and looks at it: 0, or a negative errno. */
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

/* Waits until all that this client has issued has happened; END has one arrival. */
static inline int async_finish(const struct cluster *c)
{
	uint64_t parity = word(c, END) >> 63;
	int ret = exec_one(c, i_noinc(i_cp_arrive(END)));

	return ret ? ret : await_phase(c, END, parity);
}

/* The same for a cluster that is held. */
static inline int async_release(const struct cluster *c)
{
	int ret = cluster_hold(c, 0);

	return ret ? ret : async_finish(c);
}

/* The fault of the next asynchronous operation that found one; it goes to @insn. */
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
