/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How user space gives rules of injection.
 */
#ifndef _VSM_INJECT_IOCTL_H_
#define _VSM_INJECT_IOCTL_H_

#include "base/vsm_rules.h"

struct drm_device;
struct drm_file;

void vsm_rules_free(struct vsm_rules *rules);
int vsm_inject_add_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_inject_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_inject_remove_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
