/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Creation and end of GEM objects.
 */
#ifndef _VSM_GEM_H_
#define _VSM_GEM_H_

#include <linux/types.h>

struct drm_device;
struct drm_file;
struct drm_gem_object;

struct drm_gem_object *vsm_gem_create_object(struct drm_device *drm, size_t size);
int vsm_cluster_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_buffer_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_object_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
