/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A call of WAITSET_ARM, and the memory and the charges of the waits that it arms.
 */
#ifndef _VSM_ARMING_H_
#define _VSM_ARMING_H_

#include <linux/err.h>

#include "base/vsm_uaccess.h"
#include "vsm_drv.h"
#include "vsm_wait.h"

/**
 * struct vsm_arming - A call of WAITSET_ARM
 * @set: The wait set; the caller holds its mutex
 * @file: File of the client that arms the waits
 * @wakes: Readers to wake while no spinlock is held
 * @left: Number of waits that are left to arm
 * @charged: Number of waits that the client is charged for and that are not armed yet
 * @bo: Cluster of the next wait, from vsm_cluster_lookup(), or NULL. It is kept for a run of waits
 *	with equal handles
 * @handle: Handle of @bo
 */
struct vsm_arming {
	struct vsm_waitset *set;
	struct drm_file *file;
	struct vsm_wakes *wakes;
	u32 left;
	u32 charged;
	struct vsm_bo *bo;
	u32 handle;
};

/*
 * Charge the client for the next waits: for a batch if that is possible, else for one. The charges
 * that are not used are given back at the end of the call. Until then they count, and another call
 * of the same user may fail although its own waits alone would fit.
 */
static __always_inline int vsm_arming_charge(struct vsm_arming *arming)
{
	struct vsm_quota *quota = &arming->set->client->quota;

	arming->charged = min_t(u32, arming->left, VSM_WAKE_BATCH);
	if (!vsm_quota_charge(quota, VSM_RES_WAITS, arming->charged))
		return 0;
	arming->charged = 1;
	if (!vsm_quota_charge(quota, VSM_RES_WAITS, 1))
		return 0;
	arming->charged = 0;
	return -ENOSPC;
}

/**
 * vsm_wait_alloc - Allocate a wait with a new id
 * @arming: The call, with the cluster
 * @args: The wait, as user space has given it
 *
 * The caller sets &vsm_wait.kind and its waiter.
 *
 * Return: The wait, or a negative error code as a pointer.
 */
static __always_inline struct vsm_wait *vsm_wait_alloc(struct vsm_arming *arming,
						       const struct drm_vsm_wait *args)
{
	struct vsm_waitset *set = arming->set;
	struct vsm_wait *wait;
	int ret;

	/* The high bits of the id are used up. That takes half a year of arming without a pause. */
	if ((set->armed + 1) >> (64 - VSM_SLOT_BITS))
		return ERR_PTR(-ENOSPC);
	if (!arming->charged) {
		ret = vsm_arming_charge(arming);
		if (ret)
			return ERR_PTR(ret);
	}
	wait = vsm_wait_new(set);
	if (IS_ERR(wait))
		return wait;

	arming->charged--;
	wait->wakes = !(args->flags & DRM_VSM_WAIT_NO_LIMIT);
	if (wait->wakes)
		vsm_cluster_add_waker(arming->bo->cluster);
	wait->id = ++set->armed << VSM_SLOT_BITS | wait->slot;
	wait->bo = vsm_bo_get(arming->bo);
	wait->timed = args->deadline >= 0;
	if (wait->timed)
		wait->deadline.node.expires = args->deadline; /* for vsm_wait_describe() */
	wait->user_data = args->user_data;
	return wait;
}

/* Write to user space why no wait was armed. */
static inline int vsm_wait_refuse(u64 uptr, int error, enum drm_vsm_fault fault)
{
	if (vsm_wait_store(uptr, 0, error == -EPROTO ? fault : DRM_VSM_FAULT_NONE))
		return -EFAULT;
	return error;
}

int vsm_wait_arm_insn(struct vsm_arming *arming, const struct drm_vsm_wait *args, u64 uptr);

#endif
