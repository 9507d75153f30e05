// SPDX-License-Identifier: MIT
/* Executing instructions as a device thread. */
#include <errno.h>
#include <string.h>

#include "internal.h"

/* Can the library use the caller's @thread? */
int vsm_thread_check(const struct vsm_thread *thread)
{
	/* The size is wrong if the caller has not made the structure with vsm_thread_at(). */
	return thread->size == sizeof(*thread) ? 0 : -EINVAL;
}

/* Does the error mean that the device has checked, and refused, an instruction? */
static bool is_about_an_insn(int err)
{
	return err == -EPROTO || err == -EINVAL || err == -EOPNOTSUPP;
}

/* Is the call itself malformed? Then the device has read no instruction. */
static bool is_call_wrong(const struct vsm_thread *thread, const struct drm_vsm_insn *insns,
			  uint32_t how)
{
	const struct vsm_cluster_config shape = vsm_cluster_shape(thread->cluster);

	return !insns || (uintptr_t)insns % 8 ||
	       thread->cta >= shape.ctas || thread->thread >= shape.threads ||
	       (!(how & VSM_REFUSED_IN_JOB) && thread->exec_flags & ~VSM_EXEC_FLAGS);
}

/*
 * A call as @thread has failed. Keep the error, and the instruction that the device refused.
 *
 * After -EINVAL, keep the instruction only if vsm_insn_malformed() finds out what is wrong with it:
 * something else of the call may be wrong. vsm_thread_strerror() calls vsm_insn_malformed() again
 * and needs @how. Keep @how in the field info, to which the device has written nothing.
 */
void vsm_thread_remember(struct vsm_thread *thread, int err, const struct drm_vsm_insn *insns,
			 uint32_t count, uint32_t index, uint32_t how)
{
	struct drm_vsm_insn *refused = &thread->refused;

	thread->error = err;
	memset(refused, 0, sizeof(*refused));
	if (!is_about_an_insn(err) || index >= count ||
	    (err == -EINVAL && is_call_wrong(thread, insns, how)))
		return;
	*refused = insns[index];
	if (err == -EINVAL) {
		refused->info = how;
		if (!vsm_insn_malformed(refused, how))
			memset(refused, 0, sizeof(*refused));
	}
}

int vsm_exec(struct vsm_thread *thread, struct drm_vsm_insn *insns, uint32_t count,
	     uint32_t *retired)
{
	struct drm_vsm_exec args = {
		.insns = (uintptr_t)insns,
		.stride = sizeof(*insns),
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
	args.site = thread->site;

	err = vsm_ioctl(thread->cluster->object.device->fd, DRM_IOCTL_VSM_EXEC, &args);
	if (retired)
		*retired = args.retired;
	thread->retired = args.retired;
	if (err)
		vsm_thread_remember(thread, err, insns, count, args.retired, VSM_REFUSED_SURELY);
	return err;
}

/*
 * Can only an instruction be the reason why the device finds a call of vsm_exec_lanes()
 * malformed? @insns has @count instructions.
 */
static bool are_lanes_right(const struct vsm_thread *thread, uint32_t lanes,
			    const struct drm_vsm_insn *insns, uint32_t count)
{
	const uint32_t threads = vsm_cluster_shape(thread->cluster).threads;
	uint32_t i;

	if (!lanes || thread->exec_flags || thread->thread % 32 ||
	    thread->thread + 31u - (uint32_t)__builtin_clz(lanes) >= threads ||
	    !insns)
		return false;
	for (i = 1; i < count; i++)
		if (memcmp(insns, insns + i, offsetof(struct drm_vsm_insn, u)))
			return false;
	return vsm_device_info(thread->cluster->object.device).features & DRM_VSM_FEATURE_LANES;
}

/* The arguments of EXEC for lanes, with the thread checked. Returns 0 or a negative errno. */
static int lanes_args(const struct vsm_lanes_call *call, struct drm_vsm_exec *args)
{
	const struct vsm_thread *thread = call->thread;
	int err = vsm_thread_check(thread);

	*args = (struct drm_vsm_exec){
		.insns = (uintptr_t)call->insns,
		.stride = sizeof(*call->insns),
		.count = (uint32_t)__builtin_popcount(call->lanes),
		.lanes = call->lanes,
	};
	if (err)
		return err;
	args->cluster = vsm_cluster_handle(thread->cluster);
	args->cta = thread->cta;
	args->thread = thread->thread;
	args->flags = thread->exec_flags | DRM_VSM_EXEC_LANES;
	args->site = thread->site;
	return 0;
}

/* The device has executed, or refused, the call. Returns @err. */
static int lanes_ended(struct vsm_lanes_call *call, const struct drm_vsm_exec *args, int err)
{
	struct vsm_thread *thread = call->thread;

	call->suspended = args->suspended;
	thread->retired = args->retired;
	if (err == -EINVAL && !are_lanes_right(thread, call->lanes, call->insns, args->count))
		vsm_thread_remember(thread, err, NULL, 0, 0, VSM_REFUSED_SURELY);
	else if (err)
		vsm_thread_remember(thread, err, call->insns, args->count, args->retired,
				    VSM_REFUSED_SURELY);
	return err;
}

int vsm_exec_lanes(struct vsm_thread *thread, uint32_t lanes, struct drm_vsm_insn *insns,
		   uint32_t *suspended)
{
	struct vsm_lanes_call call = { .thread = thread, .lanes = lanes, .insns = insns };
	struct drm_vsm_exec args;
	int err;

	if (suspended)
		*suspended = 0;
	err = lanes_args(&call, &args);
	if (err)
		return err;
	err = vsm_ioctl(thread->cluster->object.device->fd, DRM_IOCTL_VSM_EXEC, &args);
	err = lanes_ended(&call, &args, err);
	if (suspended)
		*suspended = call.suspended;
	return err;
}

/* Calls that the device gets together. */
#define BATCH	32u

/* vsm_exec_batch() for at most BATCH calls, of which there is at least one. */
static int exec_some(struct vsm_lanes_call *calls, uint32_t count, uint32_t *done)
{
	struct drm_vsm_exec args[BATCH];
	struct drm_vsm_exec batch = {
		.insns = (uintptr_t)args,
		.stride = sizeof(args[0]),
		.flags = DRM_VSM_EXEC_BATCH,
	};
	int malformed = 0, err;
	uint32_t i;

	while (batch.count < count && !malformed) {
		malformed = lanes_args(&calls[batch.count], &args[batch.count]);
		if (!malformed)
			batch.count++;
	}
	err = batch.count ? vsm_ioctl(calls->thread->cluster->object.device->fd,
				      DRM_IOCTL_VSM_EXEC, &batch) : 0;
	for (i = 0; i < batch.retired; i++)
		lanes_ended(&calls[i], &args[i], 0);
	*done += batch.retired;
	return err ? lanes_ended(&calls[i], &args[i], err) : malformed;
}

int vsm_exec_batch(struct vsm_lanes_call *calls, uint32_t count, uint32_t *done)
{
	uint32_t executed = 0, i;
	int err = 0;

	for (i = 0; i < count; i++)
		calls[i].suspended = 0;
	while (!err && executed < count) {
		uint32_t left = count - executed;

		err = exec_some(&calls[executed], left < BATCH ? left : BATCH, &executed);
	}
	if (done)
		*done = executed;
	return err;
}
