/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Holds: fences that signal when the program says so.
 */
#ifndef _VSM_JOB_HOLD_H_
#define _VSM_JOB_HOLD_H_

struct drm_device;
struct drm_file;
struct vsm_client;

void vsm_job_holds_stop(struct vsm_client *client, int error);
int vsm_hold_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_hold_release_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
