/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The structures of the ABI: their sizes, and functions that copy them from and to user space.
 */
#ifndef _VSM_UACCESS_H_
#define _VSM_UACCESS_H_

#include <linux/build_bug.h>
#include <linux/uaccess.h>

#include <drm/vsm_drm.h>

/* The ABI is the same for 32-bit and 64-bit callers, because the structures have no holes. */
static_assert(sizeof(struct drm_vsm_device_info) == 88);
static_assert(sizeof(struct drm_vsm_cluster_create) == 72);
static_assert(sizeof(struct drm_vsm_buffer_create) == 24);
static_assert(sizeof(struct drm_vsm_object_info) == 72);
static_assert(sizeof(struct drm_vsm_mbarrier_operands) == 40);
static_assert(sizeof(struct drm_vsm_copy_operands) == 40);
static_assert(sizeof(struct drm_vsm_tensor_operands) == 40);
static_assert(sizeof(struct drm_vsm_store_operands) == 40);
static_assert(sizeof(struct drm_vsm_warp_operands) == 40);
static_assert(sizeof(struct drm_vsm_barrier_operands) == 40);
static_assert(sizeof(struct drm_vsm_tensor_map) == 128);
static_assert(sizeof(struct drm_vsm_insn) == 64);
static_assert(offsetof(struct drm_vsm_insn, u) == 8);
static_assert(offsetof(struct drm_vsm_insn, result) == 48);
static_assert(offsetof(struct drm_vsm_insn, fault) == 56);
static_assert(sizeof(struct drm_vsm_exec) == 56);
static_assert(offsetof(struct drm_vsm_exec, deadline) == 32);
static_assert(offsetof(struct drm_vsm_exec, lanes) == 40);
static_assert(sizeof(struct drm_vsm_sync) == 16);
static_assert(sizeof(struct drm_vsm_submit) == 56);
static_assert(sizeof(struct drm_vsm_waitset_create) == 16);
static_assert(sizeof(struct drm_vsm_wait) == 56);
static_assert(offsetof(struct drm_vsm_wait, lanes) == 48);
static_assert(sizeof(struct drm_vsm_waitset_arm) == 32);
static_assert(sizeof(struct drm_vsm_waitset_cancel) == 16);
static_assert(sizeof(struct drm_vsm_wait_record) == 32);
static_assert(sizeof(struct drm_vsm_cluster_hold) == 8);
static_assert(sizeof(struct drm_vsm_channel_create) == 16);
static_assert(sizeof(struct drm_vsm_channel_destroy) == 8);
static_assert(sizeof(struct drm_vsm_event_fault) == 104);
static_assert(sizeof(struct drm_vsm_state_entry) == 184);
static_assert(offsetof(struct drm_vsm_state_entry, insn) == 120);
static_assert(sizeof(struct drm_vsm_cluster_state) == 96);
static_assert(sizeof(struct drm_vsm_trace_event) == 112);
static_assert(sizeof(struct drm_vsm_trace_read) == 40);
static_assert(sizeof(struct drm_vsm_hold_create) == 32);
static_assert(sizeof(struct drm_vsm_hold_release) == 8);

/*
 * Sizes of array elements in the first version of the ABI. They do not change when a structure
 * grows, because old programs still pass elements of these sizes.
 */
#define VSM_FIRST_INSN	64
#define VSM_FIRST_WAIT	48
#define VSM_FIRST_SYNC	16
#define VSM_FIRST_STATE	184

/*
 * Read words from user space.
 * @uptr: Address in user space, a multiple of 8
 * @bytes: Number of bytes, a constant and a multiple of 8
 *
 * This is for short structures, for which copy_from_user() would cost more than everything else
 * that is done with them. The caller declares the structure __uninitialized: many kernels are
 * built to clear all local variables first, which would cost as much as the copy.
 *
 * Returns 0 or -EFAULT.
 */
static __always_inline int vsm_load(void *to, u64 uptr, size_t bytes)
{
	const u64 __user *from = u64_to_user_ptr(uptr);
	u64 *word = to;
	size_t i;

	if (!user_read_access_begin(from, bytes))
		return -EFAULT;
#pragma GCC unroll 8
	for (i = 0; i < bytes / sizeof(u64); i++)
		unsafe_get_user(word[i], &from[i], efault);
	user_read_access_end();
	return 0;
efault:
	user_read_access_end();
	return -EFAULT;
}

/* Read the input of an instruction from user space. The caller writes its results later. */
static inline int vsm_insn_load(struct drm_vsm_insn *insn, u64 uptr)
{
	return vsm_load(insn, uptr, offsetof(struct drm_vsm_insn, result));
}

/* Write the results of an instruction to user space. */
static inline int vsm_insn_store(u64 uptr, const struct drm_vsm_insn *insn)
{
	struct drm_vsm_insn __user *to = u64_to_user_ptr(uptr);
	/* Often the compiler knows these values here, but not inside the section below. */
	u64 result = insn->result, fault_and_info = *(const u64 *)&insn->fault;

	if (!user_write_access_begin(to, sizeof(*to)))
		return -EFAULT;
	unsafe_put_user(result, &to->result, efault);
	unsafe_put_user(fault_and_info, (u64 __user *)&to->fault, efault);
	user_write_access_end();
	return 0;
efault:
	user_write_access_end();
	return -EFAULT;
}

/*
 * Write the first @size bytes of a record to user space, which may or may not include its result.
 */
static inline int vsm_record_store(u64 uptr, const struct drm_vsm_wait_record *record,
				   size_t size)
{
	struct drm_vsm_wait_record __user *to = u64_to_user_ptr(uptr);

	if (!user_write_access_begin(to, size))
		return -EFAULT;
	unsafe_put_user(record->user_data, &to->user_data, efault);
	unsafe_put_user(record->id, &to->id, efault);
	unsafe_put_user(record->status, &to->status, efault);
	unsafe_put_user(0, &to->pad, efault);
	if (size >= offsetofend(struct drm_vsm_wait_record, result))
		unsafe_put_user(record->result, &to->result, efault);
	user_write_access_end();
	return 0;
efault:
	user_write_access_end();
	return -EFAULT;
}

/* Write to user space the fields that the driver changes in an armed wait. */
static inline int vsm_wait_store(u64 uptr, u64 id, u32 fault)
{
	struct drm_vsm_wait __user *to = u64_to_user_ptr(uptr);

	if (!user_write_access_begin(to, VSM_FIRST_WAIT))
		return -EFAULT;
	unsafe_put_user(id, &to->id, efault);
	unsafe_put_user(fault, &to->fault, efault);
	user_write_access_end();
	return 0;
efault:
	user_write_access_end();
	return -EFAULT;
}

#endif
