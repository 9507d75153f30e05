/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ioctls of a device.
 */
#ifndef _VSM_IOCTL_H_
#define _VSM_IOCTL_H_

#include <drm/drm_ioctl.h>
#include <drm/vsm_drm.h>

struct file;

#define VSM_IOCTLS	(DRM_VSM_HOLD_RELEASE + 1)

extern const struct drm_ioctl_desc vsm_ioctls[VSM_IOCTLS];

long vsm_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
#ifdef CONFIG_COMPAT
long vsm_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
#else
#define vsm_compat_ioctl NULL
#endif

#endif
