/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ABI's structures, and instructions between user space and here.
 */
#ifndef _VSM_INSN_H_
#define _VSM_INSN_H_

#include <linux/build_bug.h>
#include <linux/uaccess.h>

#include <drm/vsm_drm.h>

/* The ABI is the same for 32-bit and 64-bit callers: no holes, no surprises. */
static_assert(sizeof(struct drm_vsm_device_info) == 80);
static_assert(sizeof(struct drm_vsm_cluster_create) == 48);
static_assert(sizeof(struct drm_vsm_buffer_create) == 24);
static_assert(sizeof(struct drm_vsm_object_info) == 48);
static_assert(sizeof(struct drm_vsm_mbarrier_operands) == 40);
static_assert(sizeof(struct drm_vsm_copy_operands) == 40);
static_assert(sizeof(struct drm_vsm_insn) == 64);
static_assert(offsetof(struct drm_vsm_insn, u) == 8);
static_assert(offsetof(struct drm_vsm_insn, result) == 6 * sizeof(u64));
static_assert(offsetof(struct drm_vsm_insn, fault) == 56);
static_assert(sizeof(struct drm_vsm_exec) == 40);
static_assert(offsetof(struct drm_vsm_exec, deadline) == 32);
static_assert(sizeof(struct drm_vsm_sync) == 16);
static_assert(sizeof(struct drm_vsm_submit) == 56);
static_assert(sizeof(struct drm_vsm_waitset_create) == 16);
static_assert(sizeof(struct drm_vsm_wait) == 48);
static_assert(sizeof(struct drm_vsm_waitset_arm) == 32);
static_assert(sizeof(struct drm_vsm_waitset_cancel) == 16);
static_assert(sizeof(struct drm_vsm_wait_record) == 24);

/**
 * vsm_insn_load - Read what an instruction says
 * @insn: Instruction (out), all but its results
 * @uptr: Its address in user space, a multiple of 8
 *
 * Word by word, because that is what a short copy costs least as.
 *
 * Return: 0 or -EFAULT.
 */
static inline int vsm_insn_load(struct drm_vsm_insn *insn, u64 uptr)
{
	const u64 __user *from = u64_to_user_ptr(uptr);
	u64 *to = (u64 *)insn;

	if (!user_read_access_begin(from, sizeof(*insn)))
		return -EFAULT;
	unsafe_get_user(to[0], &from[0], efault);
	unsafe_get_user(to[1], &from[1], efault);
	unsafe_get_user(to[2], &from[2], efault);
	unsafe_get_user(to[3], &from[3], efault);
	unsafe_get_user(to[4], &from[4], efault);
	unsafe_get_user(to[5], &from[5], efault);
	user_read_access_end();
	return 0;
efault:
	user_read_access_end();
	return -EFAULT;
}

/**
 * vsm_insn_store - Write the results of an instruction
 * @uptr: Its address in user space
 * @insn: Instruction with results
 *
 * Return: 0 or -EFAULT.
 */
static inline int vsm_insn_store(u64 uptr, const struct drm_vsm_insn *insn)
{
	struct drm_vsm_insn __user *to = u64_to_user_ptr(uptr);

	if (!user_write_access_begin(to, sizeof(*to)))
		return -EFAULT;
	unsafe_put_user(insn->result, &to->result, efault);
	unsafe_put_user(insn->fault, (u64 __user *)&to->fault, efault);
	user_write_access_end();
	return 0;
efault:
	user_write_access_end();
	return -EFAULT;
}

/* What EXEC reads of its argument, and what it writes: the same for each as above. */
static inline int vsm_exec_load(struct drm_vsm_exec *args, const void __user *uptr)
{
	const u64 __user *from = uptr;
	u64 *to = (u64 *)args;

	if (!user_read_access_begin(from, sizeof(*args)))
		return -EFAULT;
	unsafe_get_user(to[0], &from[0], efault);
	unsafe_get_user(to[1], &from[1], efault);
	unsafe_get_user(to[2], &from[2], efault);
	unsafe_get_user(to[3], &from[3], efault);
	unsafe_get_user(to[4], &from[4], efault);
	user_read_access_end();
	return 0;
efault:
	user_read_access_end();
	return -EFAULT;
}

static inline int vsm_exec_store(void __user *uptr, const struct drm_vsm_exec *args)
{
	struct drm_vsm_exec __user *to = uptr;

	if (!user_write_access_begin(to, sizeof(*to)))
		return -EFAULT;
	unsafe_put_user(args->retired, &to->retired, efault);
	unsafe_put_user(args->deadline, &to->deadline, efault);
	user_write_access_end();
	return 0;
efault:
	user_write_access_end();
	return -EFAULT;
}

#endif
