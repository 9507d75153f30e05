// SPDX-License-Identifier: MIT
/*
 * Running instructions: at once, and on the copy channel.
 */
#include <errno.h>

#include "internal.h"

static int thread_fd(const struct vsm_thread *thread)
{
	return thread->cluster->object.device->fd;
}

static void note_fault(const struct vsm_thread *thread, const struct drm_vsm_insn *insns,
		       uint32_t count, uint32_t index)
{
	if (thread->fault && index < count)
		*thread->fault = insns[index];
}

int vsm_exec(const struct vsm_thread *thread, struct drm_vsm_insn *insns, uint32_t count,
	     uint32_t *retired)
{
	struct drm_vsm_exec args = {
		.cluster = vsm_cluster_handle(thread->cluster),
		.cta = thread->cta,
		.thread = thread->thread,
		.insns = (uintptr_t)insns,
		.stride = sizeof(*insns),
		.count = count,
		.retired = retired ? *retired : 0,
		.flags = thread->exec_flags,
	};
	int err;

	err = vsm_ioctl(thread_fd(thread), DRM_IOCTL_VSM_EXEC, &args);
	if (retired)
		*retired = args.retired;
	if (err == -EPROTO)
		note_fault(thread, insns, count, args.retired);
	return err;
}

int vsm_submit(const struct vsm_thread *thread, struct drm_vsm_insn *insns, uint32_t count,
	       const struct drm_vsm_sync *syncs, uint32_t sync_count, uint32_t *refused)
{
	struct drm_vsm_submit args = {
		.cluster = vsm_cluster_handle(thread->cluster),
		.cta = thread->cta,
		.thread = thread->thread,
		.insns = (uintptr_t)insns,
		.stride = sizeof(*insns),
		.count = count,
		.syncs = (uintptr_t)syncs,
		.sync_stride = sizeof(*syncs),
		.sync_count = sync_count,
	};
	int err;

	err = vsm_ioctl(thread_fd(thread), DRM_IOCTL_VSM_SUBMIT, &args);
	if (refused && (err == -EPROTO || err == -EOPNOTSUPP))
		*refused = args.refused;
	if (err == -EPROTO)
		note_fault(thread, insns, count, args.refused);
	return err;
}
