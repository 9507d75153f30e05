/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arming of waits in wait sets.
 */
#ifndef _VSM_ARM_H_
#define _VSM_ARM_H_

#include <linux/types.h>

struct drm_file;
struct vsm_waitset;
struct vsm_wakes;

int vsm_wait_arm(struct vsm_waitset *set, struct drm_file *file, u64 uptr, u32 stride,
		 struct vsm_wakes *wakes);

#endif
