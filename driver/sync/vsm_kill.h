/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Killing a cluster or the device: all waits on it end.
 */
#ifndef _VSM_KILL_H_
#define _VSM_KILL_H_

struct vsm_cluster;
struct vsm_device;

void vsm_cluster_kill(struct vsm_cluster *cluster);
void vsm_cluster_lose(struct vsm_cluster *cluster);
void vsm_kill_init(struct vsm_cluster *cluster);
void vsm_kill_fini(struct vsm_cluster *cluster);
void vsm_device_kill_waits(struct vsm_device *vdev);

#endif
