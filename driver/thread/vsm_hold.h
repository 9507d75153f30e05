/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Held clusters: operations that threads issue on them are launched when the cluster is released.
 */
#ifndef _VSM_HOLD_H_
#define _VSM_HOLD_H_

struct drm_device;
struct drm_file;
struct list_head;
struct vsm_client;
struct vsm_cluster;

int vsm_hold_batch(struct vsm_client *client, struct vsm_cluster *cluster,
		   struct list_head *batch);
void vsm_hold_release(struct vsm_cluster *cluster);
int vsm_cluster_hold_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
