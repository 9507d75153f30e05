/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules of injection for a whole device, as text in debugfs.
 */
#ifndef _VSM_INJECT_DEBUGFS_H_
#define _VSM_INJECT_DEBUGFS_H_

struct dentry;
struct vsm_device;

void vsm_inject_debugfs_init(struct vsm_device *vdev, struct dentry *root);

#endif
