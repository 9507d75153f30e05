/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ioctl SUBMIT.
 */
#ifndef _VSM_SUBMIT_H_
#define _VSM_SUBMIT_H_

struct drm_device;
struct drm_file;

#define VSM_MAX_SUBMIT	4096
#define VSM_MAX_SYNCS	64

int vsm_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
