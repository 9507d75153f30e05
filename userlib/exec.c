// SPDX-License-Identifier: MIT
/*
 * Executing instructions as a device thread.
 */
#include <errno.h>

#include "internal.h"

/* The thread that @thread names, or -errno. */
int vsm_thread_get(struct vsm_thread *to, const struct vsm_thread *thread)
{
	int err;

	/* 0 is of one that vsm_thread_at() did not make. */
	if (thread->size < VSM_THREAD_FIRST)
		return -EINVAL;
	err = vsm_struct_get(to, sizeof(*to), thread, thread->size);
	to->size = sizeof(*to);
	return err;
}

/*
 * Keep the refused instruction for the caller, if the device has named one. The caller's stride
 * may have room for more than an instruction.
 */
void vsm_thread_note_fault(const struct vsm_thread *thread, const struct drm_vsm_insn *insns,
			   uint32_t stride, uint32_t count, uint32_t index)
{
	const char *insn = (const char *)insns + (size_t)index * stride;

	if (thread->fault && index < count)
		vsm_struct_copy(thread->fault, thread->fault_size, insn,
				stride < sizeof(*insns) ? stride : sizeof(*insns));
}

int vsm_exec_sized(const struct vsm_thread *thread, struct drm_vsm_insn *insns, uint32_t stride,
		   uint32_t count, uint32_t *retired)
{
	struct drm_vsm_exec args = {
		.insns = (uintptr_t)insns,
		.stride = stride,
		.count = count,
		.retired = retired ? *retired : 0,
	};
	struct vsm_thread t;
	int err;

	err = vsm_thread_get(&t, thread);
	if (err)
		return err;
	args.cluster = vsm_cluster_handle(t.cluster);
	args.cta = t.cta;
	args.thread = t.thread;
	args.flags = t.exec_flags;

	err = vsm_ioctl(t.cluster->object.device->fd, DRM_IOCTL_VSM_EXEC, &args);
	if (retired)
		*retired = args.retired;
	if (err == -EPROTO)
		vsm_thread_note_fault(&t, insns, stride, count, args.retired);
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
