/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ioctls of a device, and the file of a client.
 */
#ifndef _VSM_IOCTL_H_
#define _VSM_IOCTL_H_

#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/types.h>

#include <drm/drm_ioctl.h>
#include <drm/vsm_drm.h>

#include "base/vsm_client.h"
#include "base/vsm_state.h"

struct drm_device;
struct drm_file;
struct drm_gem_object;
struct file;
struct seq_file;

/* --- ioctls ---------------------------------------------------------------------- */

#define VSM_IOCTLS	(DRM_VSM_HOLD_RELEASE + 1)

extern const struct drm_ioctl_desc vsm_ioctls[VSM_IOCTLS];

long vsm_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
#ifdef CONFIG_COMPAT
long vsm_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
#else
#define vsm_compat_ioctl NULL
#endif

/* Most instructions of one EXEC, and most waits of one WAITSET_ARM. */
#define VSM_MAX_EXEC	65536

int vsm_exec_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#define VSM_MAX_SUBMIT	4096
#define VSM_MAX_SYNCS	64

int vsm_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

struct drm_gem_object *vsm_gem_create_object(struct drm_device *drm, size_t size);
int vsm_cluster_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_buffer_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_object_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* The most entries that one call of CLUSTER_STATE lists. */
#define VSM_MAX_STATE	BIT(17)

int vsm_cluster_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

int vsm_trace_read_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

int vsm_waitset_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_waitset_arm_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_waitset_cancel_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
void vsm_waitset_kill(struct vsm_device *vdev);

void vsm_rules_free(struct vsm_rules *rules);
int vsm_inject_add_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_inject_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_inject_remove_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* --- injection into calls -------------------------------------------------------- */

int vsm_client_inject_slow(struct vsm_client *client, enum drm_vsm_inject_where where);
int vsm_cluster_inject_slow(struct vsm_client *client, enum drm_vsm_inject_where where,
			    struct vsm_bo *bo, u32 channel);

/*
 * Does a call of a client fail, or wait, because a rule says so? Returns 0 if the call goes on, or
 * the error with which it fails.
 */
static inline int vsm_client_inject(struct vsm_client *client, enum drm_vsm_inject_where where)
{
	return vsm_injects(client, BIT(where)) ? vsm_client_inject_slow(client, where) : 0;
}

/*
 * The same for a call that names a cluster, which a rule may kill.
 * @channel: Channel, if the call names one
 *
 * Returns 0 if the call goes on, or the error with which it fails.
 */
static inline int vsm_cluster_inject(struct vsm_client *client, enum drm_vsm_inject_where where,
				     struct vsm_bo *bo, u32 channel)
{
	return vsm_injects(client, BIT(where)) ?
			vsm_cluster_inject_slow(client, where, bo, channel) : 0;
}

/* --- files ----------------------------------------------------------------------- */

int vsm_file_open(struct drm_device *drm, struct drm_file *file);
void vsm_file_postclose(struct drm_device *drm, struct drm_file *file);
void vsm_files_unplug(struct vsm_device *vdev);
int vsm_file_release(struct inode *inode, struct file *filp);
ssize_t vsm_file_read(struct file *filp, char __user *buf, size_t count, loff_t *pos);
__poll_t vsm_file_poll(struct file *filp, poll_table *table);

void vsm_fdinfo_show(struct seq_file *m, struct file *filp);

#endif
