// SPDX-License-Identifier: GPL-2.0-only
/*
 * WAITSET_ARM: the waits of a call are armed one after the other. Most of them are waits for a
 * phase of a word.
 */
#include "base/vsm_invalid.h"
#include "object/vsm_handle.h"
#include "sync/vsm_kill.h"
#include "vsm_arm.h"
#include "vsm_arming.h"

/* --- waits for a phase -------------------------------------------------------------- */

/* Check the operands of a wait for a phase like those of a try_wait. */
static enum drm_vsm_fault vsm_wait_check(const struct vsm_geometry *geo,
					 const struct drm_vsm_wait *args)
{
	enum drm_vsm_fault fault = vsm_addr_check(geo, args->addr, sizeof(u64), sizeof(u64));

	if (!fault && geo->strict && args->flags & DRM_VSM_WAIT_PARITY && args->state > 1)
		fault = DRM_VSM_FAULT_BAD_PARITY;
	return fault;
}

/*
 * A wait for a phase breaks a rule. Record it as if the wait were the equivalent try_wait, because
 * a record names an instruction.
 */
static void vsm_wait_record(struct drm_file *file, struct vsm_cluster *cluster,
			    const struct drm_vsm_wait *args, enum drm_vsm_fault fault, u64 word,
			    bool refused)
{
	const struct vsm_report report = { .rules = DRM_VSM_RULE(fault), .word = word };
	const struct vsm_origin origin = {
		.client = file->driver_priv,
		.recorder = &cluster->recorder,
		.handle = args->cluster,
		.site = args->site,
		.cta = vsm_addr_rank(args->addr),
	};
	struct drm_vsm_insn insn = {
		.op = DRM_VSM_OP_MBARRIER_TRY_WAIT,
		.u.mbarrier.addr = args->addr,
		.result = word,
		.fault = fault,
	};

	if (args->flags & DRM_VSM_WAIT_PARITY) {
		insn.mods = DRM_VSM_MOD_PARITY;
		insn.u.mbarrier.parity = min_t(u64, args->state, U32_MAX);
	} else {
		insn.u.mbarrier.state = args->state;
	}
	if (refused)
		vsm_fault_record(&origin, DRM_VSM_SOURCE_ARM, &insn);
	else
		vsm_fault_report(&origin, DRM_VSM_SOURCE_ARM, &insn, &report);
}

/* Arm a wait for a phase. */
static inline int vsm_wait_arm_phase(struct vsm_arming *arming, const struct drm_vsm_wait *args,
				     u64 uptr)
{
	struct drm_file *file = arming->file;
	struct vsm_cluster *cluster = arming->bo->cluster;
	enum drm_vsm_fault fault = vsm_wait_check(&cluster->geo, args);
	struct vsm_phase_waiter *phase;
	struct vsm_wait *wait;
	u64 word = 0;
	int ret;

	if (fault == DRM_VSM_FAULT_BAD_PARITY && cluster->geo.report & DRM_VSM_RULE(fault)) {
		vsm_wait_record(file, cluster, args, fault, 0, false);
	} else if (fault) {
		vsm_wait_record(file, cluster, args, fault, 0, true);
		return vsm_wait_refuse(uptr, -EPROTO, fault);
	}
	wait = vsm_wait_alloc(arming, args);
	if (IS_ERR(wait))
		return PTR_ERR(wait);
	wait->kind = VSM_WAIT_FOR_PHASE;
	phase = &wait->phase;
	wait->origin = (struct vsm_origin) {
		.client = arming->set->client,
		.recorder = &cluster->recorder,
		.handle = args->cluster,
		.site = args->site,
		.cta = vsm_addr_rank(args->addr),
	};
	phase->base.cluster = cluster;
	phase->base.untimed = 0;
	phase->base.armed = true;
	phase->base.origin = &wait->origin;
	phase->base.end = vsm_wait_waiter_end;
	phase->index = vsm_cluster_index(cluster, args->addr);
	phase->by_parity = args->flags & DRM_VSM_WAIT_PARITY;
	phase->state = phase->by_parity ? vsm_mbarrier_parity(args->state) : args->state;
	phase->expires = 0;
	ret = vsm_wait_store(uptr, wait->id, DRM_VSM_FAULT_NONE);
	if (!ret) {
		ret = vsm_park_enter(phase, &fault, &word);
		if (ret == -EPROTO) {
			vsm_wait_record(file, cluster, args, fault, word, true);
			if (fault == DRM_VSM_FAULT_POISONED)
				vsm_cluster_kill(cluster);
		}
		if (ret < 0)
			ret = vsm_wait_refuse(uptr, ret, fault);
	}
	if (ret < 0) {
		vsm_wait_free(wait);
		return ret;
	}
	if (unlikely(fault))
		vsm_wait_record(file, cluster, args, fault, word, false);
	if (unlikely(ret || wait->timed))
		vsm_wait_armed(wait, ret, args->deadline, arming->wakes);
	return 0;
}

/* --- the call ------------------------------------------------------------------------ */

/* Are the flags of a wait, and the fields that depend on them, allowed together? */
static bool vsm_wait_flags_valid(const struct drm_vsm_wait *args)
{
	const u32 insn_flags = DRM_VSM_WAIT_WARP | DRM_VSM_WAIT_LANES | DRM_VSM_WAIT_NO_LIMIT;

	if (args->lanes && !(args->flags & DRM_VSM_WAIT_LANES))
		return false;
	if (!(args->flags & ~DRM_VSM_WAIT_PARITY))
		return true;
	if ((args->flags & ~insn_flags) != DRM_VSM_WAIT_INSN ||
	    (args->flags & DRM_VSM_WAIT_NO_LIMIT && args->deadline >= 0))
		return false;
	return (args->flags & (DRM_VSM_WAIT_WARP | DRM_VSM_WAIT_LANES)) !=
	       (DRM_VSM_WAIT_WARP | DRM_VSM_WAIT_LANES);
}

/* The features that a wait with these flags needs, &enum drm_vsm_feature. */
static u64 vsm_wait_needs(u32 flags)
{
	return (flags & DRM_VSM_WAIT_INSN ? DRM_VSM_FEATURE_RENDEZVOUS : 0) |
	       (flags & (DRM_VSM_WAIT_LANES | DRM_VSM_WAIT_NO_LIMIT) ? DRM_VSM_FEATURE_LANES : 0);
}

/* Put the cluster of the last wait. */
static inline void vsm_arming_put_cluster(struct vsm_arming *arming)
{
	if (arming->bo)
		vsm_bo_put(arming->bo);
}

/* Find the cluster of the next wait. Returns false if the handle names no cluster. */
static inline bool vsm_arming_find_cluster(struct vsm_arming *arming, u32 handle)
{
	if (!arming->bo || arming->handle != handle) {
		vsm_arming_put_cluster(arming);
		arming->bo = vsm_cluster_lookup(arming->file, handle);
		arming->handle = handle;
	}
	return arming->bo;
}

/*
 * Arm a wait. Its &struct drm_vsm_wait is at @uptr in user space, has @stride bytes, and gets the
 * id and the fault.
 */
static inline int vsm_wait_arm(struct vsm_arming *arming, u64 uptr, u32 stride)
{
	struct drm_vsm_wait args __uninitialized;	/* written by vsm_load() */
	struct vsm_device *vdev = arming->set->client->vdev;

	args.lanes = 0;
	args.site = 0;
	if (stride < sizeof(args) ? vsm_load(&args, uptr, VSM_FIRST_WAIT)
				  : vsm_load(&args, uptr, sizeof(args)))
		return -EFAULT;
	if (!vsm_wait_flags_valid(&args))
		return vsm_invalid(&vdev->drm, "WAITSET_ARM", "flags or lanes of a wait");

	if (!vsm_arming_find_cluster(arming, args.cluster))
		return -ENOENT;
	if (likely(!(args.flags & DRM_VSM_WAIT_INSN)))
		return vsm_wait_arm_phase(arming, &args, uptr);
	if (!vsm_device_has(vdev, vsm_wait_needs(args.flags)))
		return -EOPNOTSUPP;
	return vsm_wait_arm_insn(arming, &args, uptr);
}

/* Arm the waits that are left. Stops at the first wait that cannot be armed. */
static inline int vsm_arming_run(struct vsm_arming *arming, struct drm_vsm_waitset_arm *args)
{
	int ret;

	while (arming->left) {
		ret = vsm_wait_arm(arming, args->waits + (u64)args->armed * args->stride,
				   args->stride);
		if (ret)
			return ret;
		args->armed++;
		if (!--arming->left)
			break;
		if (args->armed % VSM_WAKE_BATCH == 0)
			vsm_wakes_run(arming->wakes);
		if (unlikely(read_thread_flags() & (_TIF_NEED_RESCHED | _TIF_SIGPENDING))) {
			if (fatal_signal_pending(current))
				return -EINTR;
			cond_resched();
		}
	}
	return 0;
}

/**
 * vsm_waits_arm - Arm waits
 * @set: The wait set; the caller holds its mutex
 * @file: File of the client that arms the waits
 * @args: The call, which is valid; its @armed is counted up
 * @wakes: Readers to wake. This function wakes them from time to time; the caller wakes the rest
 *	after it has dropped its locks
 *
 * Return: 0, or a negative error code.
 */
int vsm_waits_arm(struct vsm_waitset *set, struct drm_file *file, struct drm_vsm_waitset_arm *args,
		  struct vsm_wakes *wakes)
{
	struct vsm_arming arming = {
		.set = set,
		.file = file,
		.wakes = wakes,
		.left = args->count - args->armed,
	};
	int ret;

	lockdep_assert_held(&set->mutex);
	ret = vsm_arming_run(&arming, args);
	vsm_arming_put_cluster(&arming);
	if (arming.charged)
		vsm_quota_uncharge(&set->client->quota, VSM_RES_WAITS, arming.charged);
	return ret;
}
