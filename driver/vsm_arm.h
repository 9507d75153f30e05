/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arming of waits in wait sets.
 */
#ifndef _VSM_ARM_H_
#define _VSM_ARM_H_

struct drm_file;
struct drm_vsm_waitset_arm;
struct vsm_waitset;
struct vsm_wakes;

int vsm_waits_arm(struct vsm_waitset *set, struct drm_file *file, struct drm_vsm_waitset_arm *args,
		  struct vsm_wakes *wakes);

#endif
