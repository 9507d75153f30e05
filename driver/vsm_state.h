/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What clusters are doing: the ioctl CLUSTER_STATE, and the file vsm_state of debugfs.
 */
#ifndef _VSM_STATE_H_
#define _VSM_STATE_H_

#include "base/vsm_state_list.h"

struct dentry;
struct drm_device;
struct drm_file;
struct vsm_bo;
struct vsm_device;

/* The most entries that one call of CLUSTER_STATE lists. */
#define VSM_MAX_STATE	BIT(17)

int vsm_state_gather(struct vsm_bo *bo, struct vsm_state *state,
		     struct drm_vsm_cluster_state *args);
int vsm_cluster_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
void vsm_state_debugfs_init(struct vsm_device *vdev, struct dentry *root);

#endif
