/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ioctl that reads a flight recorder.
 */
#ifndef _VSM_TRACE_READ_H_
#define _VSM_TRACE_READ_H_

struct drm_device;
struct drm_file;

int vsm_trace_read_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
