/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ioctls and the file of wait sets.
 */
#ifndef _VSM_WAITSET_H_
#define _VSM_WAITSET_H_

struct drm_device;
struct drm_file;
struct vsm_device;

int vsm_waitset_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_waitset_arm_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_waitset_cancel_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
void vsm_waitset_kill(struct vsm_device *vdev);

#endif
