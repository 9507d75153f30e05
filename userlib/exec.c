// SPDX-License-Identifier: MIT
/*
 * Executing instructions as a device thread.
 */
#include <errno.h>

#include "internal.h"

int vsm_thread_fd(const struct vsm_thread *thread)
{
	return thread->cluster->object.device->fd;
}

/* Keep the refused instruction for the caller, if the device has named one. */
void vsm_thread_note_fault(const struct vsm_thread *thread, const struct drm_vsm_insn *insns,
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

	err = vsm_ioctl(vsm_thread_fd(thread), DRM_IOCTL_VSM_EXEC, &args);
	if (retired)
		*retired = args.retired;
	if (err == -EPROTO)
		vsm_thread_note_fault(thread, insns, count, args.retired);
	return err;
}

/* Execute one instruction; @result may be NULL. */
int vsm_execute(const struct vsm_thread *thread, struct drm_vsm_insn insn, uint64_t *result)
{
	int err = vsm_exec(thread, &insn, 1, NULL);

	if (!err && result)
		*result = insn.result;
	return err;
}
