/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What clusters are doing: the ioctl CLUSTER_STATE.
 */
#ifndef _VSM_STATE_H_
#define _VSM_STATE_H_

#include "base/vsm_state_list.h"

struct drm_device;
struct drm_file;
struct vsm_bo;
struct vsm_device;

/* The most entries that one call of CLUSTER_STATE lists. */
#define VSM_MAX_STATE	BIT(17)

int vsm_cluster_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
