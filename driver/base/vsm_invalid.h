/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Malformed requests: they get EINVAL, and the kernel log gets the reason if drm.debug is set.
 */
#ifndef _VSM_INVALID_H_
#define _VSM_INVALID_H_

#include <linux/types.h>

struct drm_device;
struct drm_vsm_insn;

int vsm_invalid(const struct drm_device *drm, const char *request, const char *field);
int vsm_invalid_insn(const struct drm_device *drm, const char *request, u32 index,
		     const struct drm_vsm_insn *insn);

#endif
