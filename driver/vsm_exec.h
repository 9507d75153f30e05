/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * EXEC.
 */
#ifndef _VSM_EXEC_H_
#define _VSM_EXEC_H_

struct drm_device;
struct drm_file;

#define VSM_MAX_EXEC	65536

int vsm_exec_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
