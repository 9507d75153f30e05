/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ioctl EXEC.
 */
#ifndef _VSM_EXEC_H_
#define _VSM_EXEC_H_

struct drm_device;
struct drm_file;

/* Most instructions of one EXEC, and most waits of one WAITSET_ARM. */
#define VSM_MAX_EXEC	65536

int vsm_exec_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
