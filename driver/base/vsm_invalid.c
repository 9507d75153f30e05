// SPDX-License-Identifier: GPL-2.0-only
/*
 * Malformed requests. If the kernel logs the messages of DRM drivers (drm.debug=0x2), a program
 * that gets EINVAL finds the reason in the kernel log.
 */
#include <linux/sched.h>

#include <drm/drm_device.h>
#include <drm/drm_print.h>
#include <drm/vsm_drm.h>

#include "base/vsm_invalid.h"

/**
 * vsm_invalid - Refuse a request with a field that has an invalid value
 * @drm: DRM device
 * @request: Name of the request
 * @field: Name of the field, or what is wrong with it
 *
 * Return: -EINVAL.
 */
int vsm_invalid(const struct drm_device *drm, const char *request, const char *field)
{
	drm_dbg_driver(drm, "%s[%d]: %s: invalid %s\n", current->comm, current->pid, request,
		       field);
	return -EINVAL;
}

/**
 * vsm_invalid_insn - Refuse a request that contains a malformed instruction
 * @drm: DRM device
 * @request: Name of the request
 * @index: Number of the instruction
 * @insn: The instruction
 *
 * Return: -EINVAL.
 */
int vsm_invalid_insn(const struct drm_device *drm, const char *request, u32 index,
		     const struct drm_vsm_insn *insn)
{
	drm_dbg_driver(drm, "%s[%d]: %s: invalid instruction %u: op %u mods %#x red %#x\n",
		       current->comm, current->pid, request, index, insn->op, insn->mods,
		       insn->red);
	return -EINVAL;
}
