/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A wait set's wait for a thread that meets others: suspension without a task.
 */
#ifndef _VSM_GUEST_H_
#define _VSM_GUEST_H_

#include "vsm_drv.h"

struct vsm_wait;

/**
 * struct vsm_guest - What only a wait for a thread has
 * @waiter: Waits for the thread; holds the client
 * @wait: The wait, which the guest is of
 * @insn: What the thread executes
 */
struct vsm_guest {
	struct vsm_rendezvous_waiter waiter;
	struct vsm_wait *wait;
	struct drm_vsm_insn insn;
};

int vsm_guest_create(struct drm_file *file, const struct drm_vsm_wait *args,
		     struct vsm_cluster *cluster, struct vsm_guest **out,
		     enum drm_vsm_fault *fault);
int vsm_guest_enter(struct vsm_guest *guest, enum drm_vsm_fault *fault);
int vsm_guest_tell(struct vsm_guest *guest, int error, struct vsm_wakes *wakes);
void vsm_guest_free(struct vsm_guest *guest);

#endif
