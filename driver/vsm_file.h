/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of a client: open, close, and read() of fault events.
 */
#ifndef _VSM_FILE_H_
#define _VSM_FILE_H_

#include <linux/fs.h>
#include <linux/poll.h>

struct drm_device;
struct drm_file;
struct vsm_device;

int vsm_file_open(struct drm_device *drm, struct drm_file *file);
void vsm_file_postclose(struct drm_device *drm, struct drm_file *file);
void vsm_files_unplug(struct vsm_device *vdev);
int vsm_file_release(struct inode *inode, struct file *filp);
ssize_t vsm_file_read(struct file *filp, char __user *buf, size_t count, loff_t *pos);
__poll_t vsm_file_poll(struct file *filp, poll_table *table);

#endif
