// SPDX-License-Identifier: MIT
/*
 * Executing instructions as a device thread.
 */
#include <errno.h>
#include <string.h>

#include "internal.h"

/* Can the library use the caller's @thread? */
int vsm_thread_check(const struct vsm_thread *thread)
{
	/* The size is 0 if the caller has not made the structure with vsm_thread_at(). */
	if (thread->size < VSM_THREAD_FIRST)
		return -EINVAL;
	return vsm_struct_check(thread, thread->size, sizeof(*thread));
}

/* Does the error mean that the device has checked, and refused, an instruction? */
static bool is_about_an_insn(int err)
{
	return err == -EPROTO || err == -EINVAL || err == -EOPNOTSUPP;
}

/* Is the call itself malformed? Then the device has read no instruction. */
static bool is_call_wrong(const struct vsm_thread *thread, const struct drm_vsm_insn *insns,
			  uint32_t stride, uint32_t how)
{
	const struct vsm_cluster_config shape = vsm_cluster_shape(thread->cluster);

	return !insns || ((uintptr_t)insns | stride) % 8 || stride < VSM_INSN_FIRST ||
	       thread->cta >= shape.ctas || thread->thread >= shape.threads ||
	       (!(how & VSM_REFUSED_IN_JOB) && thread->exec_flags & ~VSM_EXEC_FLAGS);
}

/* The site of a thread, or 0 if the caller's structure has no space for it. */
uint32_t vsm_thread_site(const struct vsm_thread *thread)
{
	return thread->size >= sizeof(*thread) ? thread->site : 0;
}

/* Keep the number of retired instructions, unless the caller's structure has no space for it. */
static void set_retired(struct vsm_thread *thread, uint32_t retired)
{
	if (thread->size >= offsetof(struct vsm_thread, retired) + sizeof(thread->retired))
		thread->retired = retired;
}

/*
 * A call as @thread has failed. Keep the error, and the instruction that the device refused. The
 * caller's elements may be longer than an instruction.
 *
 * After -EINVAL, keep the instruction only if vsm_insn_malformed() finds out what is wrong with it:
 * something else of the call may be wrong. vsm_thread_strerror() calls vsm_insn_malformed() again
 * and needs @how. Keep @how in the field info, to which the device has written nothing.
 */
void vsm_thread_remember(struct vsm_thread *thread, int err, const struct drm_vsm_insn *insns,
			 uint32_t stride, uint32_t count, uint32_t index, uint32_t how)
{
	const char *insn = (const char *)insns + (size_t)index * stride;
	struct drm_vsm_insn *refused = &thread->refused;

	thread->error = err;
	memset(refused, 0, sizeof(*refused));
	if (!is_about_an_insn(err) || index >= count ||
	    (err == -EINVAL && is_call_wrong(thread, insns, stride, how)))
		return;
	vsm_struct_copy(refused, sizeof(*refused), insn,
			stride < sizeof(*insns) ? stride : sizeof(*insns));
	if (err == -EINVAL) {
		refused->info = how;
		if (!vsm_insn_malformed(refused, how))
			memset(refused, 0, sizeof(*refused));
	}
}

int vsm_exec_sized(struct vsm_thread *thread, struct drm_vsm_insn *insns, uint32_t stride,
		   uint32_t count, uint32_t *retired)
{
	struct drm_vsm_exec args = {
		.insns = (uintptr_t)insns,
		.stride = stride,
		.count = count,
		.retired = retired ? *retired : 0,
	};
	int err;

	err = vsm_thread_check(thread);
	if (err)
		return err;
	args.cluster = vsm_cluster_handle(thread->cluster);
	args.cta = thread->cta;
	args.thread = thread->thread;
	args.flags = thread->exec_flags;
	args.site = vsm_thread_site(thread);

	err = vsm_ioctl(thread->cluster->object.device->fd, DRM_IOCTL_VSM_EXEC, &args);
	if (retired)
		*retired = args.retired;
	set_retired(thread, args.retired);
	if (err)
		vsm_thread_remember(thread, err, insns, stride, count, args.retired,
				    VSM_REFUSED_SURELY);
	return err;
}

/*
 * Can only the instruction at @index be the reason why the device finds a call of
 * vsm_exec_lanes_sized() malformed? @insns has @count instructions.
 */
static bool are_lanes_right(const struct vsm_thread *thread, uint32_t lanes, const void *insns,
			    uint32_t stride, uint32_t count)
{
	const uint32_t threads = vsm_cluster_shape(thread->cluster).threads;
	uint32_t i;

	if (!lanes || thread->exec_flags || thread->thread % 32 ||
	    thread->thread + 31u - (uint32_t)__builtin_clz(lanes) >= threads ||
	    !insns || stride < VSM_INSN_FIRST)
		return false;
	for (i = 1; i < count; i++)
		if (memcmp(insns, (const char *)insns + (size_t)i * stride,
			   offsetof(struct drm_vsm_insn, u)))
			return false;
	return vsm_device_info(thread->cluster->object.device).features & DRM_VSM_FEATURE_LANES;
}

int vsm_exec_lanes_sized(struct vsm_thread *thread, uint32_t lanes, struct drm_vsm_insn *insns,
			 uint32_t stride, uint32_t *suspended)
{
	const uint32_t count = (uint32_t)__builtin_popcount(lanes);
	struct drm_vsm_exec args = {
		.insns = (uintptr_t)insns,
		.stride = stride,
		.count = count,
		.lanes = lanes,
	};
	int err;

	if (suspended)
		*suspended = 0;
	err = vsm_thread_check(thread);
	if (err)
		return err;
	args.cluster = vsm_cluster_handle(thread->cluster);
	args.cta = thread->cta;
	args.thread = thread->thread;
	args.flags = thread->exec_flags | DRM_VSM_EXEC_LANES;
	args.site = vsm_thread_site(thread);

	err = vsm_ioctl(thread->cluster->object.device->fd, DRM_IOCTL_VSM_EXEC, &args);
	if (suspended)
		*suspended = args.suspended;
	set_retired(thread, args.retired);
	if (!err)
		return 0;
	if (err == -EINVAL && !are_lanes_right(thread, lanes, insns, stride, count))
		vsm_thread_remember(thread, err, NULL, stride, 0, 0, VSM_REFUSED_SURELY);
	else
		vsm_thread_remember(thread, err, insns, stride, count, args.retired,
				    VSM_REFUSED_SURELY);
	return err;
}
