// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arming of waits in wait sets: for a phase of a word, or with an instruction that threads execute.
 */
#include <linux/err.h>

#include "base/vsm_invalid.h"
#include "base/vsm_uaccess.h"
#include "object/vsm_handle.h"
#include "sync/vsm_deadlock.h"
#include "sync/vsm_kill.h"
#include "vsm_arm.h"
#include "vsm_drv.h"
#include "vsm_wait.h"

/* --- the memory of waits ------------------------------------------------------------- */

/**
 * struct vsm_arming - A call of WAITSET_ARM
 * @set: The wait set; the caller holds its mutex
 * @file: File of the client that arms the waits
 * @wakes: Gets the readers that the caller wakes after it has dropped its locks
 * @left: Number of waits that are left to arm
 * @charged: Number of waits that the client is charged for and that are not armed yet
 * @bo: Cluster of the wait that was armed last, or NULL. The reference is that of this wait, which
 *	nobody frees without the mutex
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
 * Charge the client for the next waits: for a batch if that is possible, else for one. What is not
 * armed is given back at the end of the call, so a charge of the same user may meanwhile fail that
 * is within the limit without the batch.
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
 * @arming: The call
 * @bo: The cluster. If this succeeds, the caller's reference is the wait's
 * @args: The wait, as user space has given it
 *
 * The caller sets &vsm_wait.kind and its waiter.
 *
 * Return: The wait, or a negative error code as a pointer.
 */
static __always_inline struct vsm_wait *vsm_wait_alloc(struct vsm_arming *arming,
						       struct vsm_bo *bo,
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
		vsm_cluster_add_waker(bo->cluster);
	wait->id = ++set->armed << VSM_SLOT_BITS | wait->slot;
	wait->bo = bo;
	wait->timed = args->deadline >= 0;
	if (wait->timed)
		wait->deadline.node.expires = args->deadline; /* for vsm_wait_describe() */
	wait->user_data = args->user_data;
	return wait;
}

/* A wait was not armed after all. */
static void vsm_wait_drop(struct vsm_wait *wait)
{
	struct vsm_disarmed disarmed = {};
	struct vsm_waitset *set = wait->set;

	vsm_wait_free(wait, &disarmed);
	vsm_disarmed_end(&disarmed, set);
}

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

/* Write to user space why no wait was armed. */
static int vsm_wait_refuse(u64 uptr, int error, enum drm_vsm_fault fault)
{
	if (vsm_wait_store(uptr, 0, error == -EPROTO ? fault : DRM_VSM_FAULT_NONE))
		return -EFAULT;
	return error;
}

/* Arm a wait for a phase. This takes over the caller's reference on @bo, even if it fails. */
static inline int vsm_wait_arm_phase(struct vsm_arming *arming, struct vsm_bo *bo,
				     const struct drm_vsm_wait *args, u64 uptr)
{
	struct drm_file *file = arming->file;
	struct vsm_cluster *cluster = bo->cluster;
	enum drm_vsm_fault fault = vsm_wait_check(&cluster->geo, args);
	struct vsm_phase_waiter *phase;
	struct vsm_wait *wait;
	u64 word = 0;
	int ret;

	if (fault == DRM_VSM_FAULT_BAD_PARITY && cluster->geo.report & DRM_VSM_RULE(fault)) {
		vsm_wait_record(file, cluster, args, fault, 0, false);
	} else if (fault) {
		vsm_wait_record(file, cluster, args, fault, 0, true);
		vsm_bo_put(bo);
		return vsm_wait_refuse(uptr, -EPROTO, fault);
	}
	wait = vsm_wait_alloc(arming, bo, args);
	if (IS_ERR(wait)) {
		vsm_bo_put(bo);
		return PTR_ERR(wait);
	}
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
		vsm_wait_drop(wait);
		return ret;
	}
	if (unlikely(fault))
		vsm_wait_record(file, cluster, args, fault, word, false);
	if (unlikely(ret || wait->timed))
		vsm_wait_armed(wait, ret, args->deadline, arming->wakes);
	return 0;
}

/* --- instructions -------------------------------------------------------------------- */

/**
 * struct vsm_armed - An instruction to arm
 * @args: The wait, as user space has given it
 * @uptr: Address of @args in user space
 * @bo: The cluster
 * @insn: The instruction
 * @origin: The thread that executes it, or the lowest of several
 * @lanes: The lanes that wait
 */
struct vsm_armed {
	const struct drm_vsm_wait *args;
	u64 uptr;
	struct vsm_bo *bo;
	struct drm_vsm_insn *insn;
	struct vsm_origin origin;
	u32 lanes;
};

/* Find out which threads wait. */
static int vsm_wait_threads(struct vsm_armed *armed)
{
	const struct drm_vsm_wait *args = armed->args;
	struct vsm_cluster *cluster = armed->bo->cluster;
	const struct vsm_geometry *geo = &cluster->geo;
	u32 cta = args->addr >> 16, thread = args->addr & 0xffff;
	struct drm_device *drm = &cluster->vdev->drm;

	if (cta >= geo->ctas || thread >= geo->threads)
		return vsm_invalid(drm, "WAITSET_ARM", "addr");
	cta = array_index_nospec(cta, geo->ctas);
	thread = array_index_nospec(thread, geo->threads);
	armed->lanes = BIT(thread % VSM_WARP_SIZE);
	if (args->flags & DRM_VSM_WAIT_WARP)
		armed->lanes = vsm_cluster_lanes(cluster, thread);
	if (args->flags & DRM_VSM_WAIT_LANES) {
		if (thread % VSM_WARP_SIZE || !args->lanes ||
		    args->lanes & ~vsm_cluster_lanes(cluster, thread))
			return vsm_invalid(drm, "WAITSET_ARM", "addr or lanes of a wait");
		armed->lanes = args->lanes;
		thread += __ffs(args->lanes);
	}
	armed->origin.recorder = &cluster->recorder;
	armed->origin.handle = args->cluster;
	armed->origin.site = args->site;
	armed->origin.lanes = armed->lanes;
	armed->origin.cta = cta;
	armed->origin.thread = thread;
	return 0;
}

/* Refuse the instruction. Its fault is set. */
static int vsm_armed_refuse(struct vsm_armed *armed, int ret)
{
	if (ret == -EPROTO)
		vsm_fault_record(&armed->origin, DRM_VSM_SOURCE_ARM, armed->insn);
	return vsm_wait_refuse(armed->uptr, ret, armed->insn->fault);
}

/* Say which of the lanes break the rule. */
static void vsm_armed_blame(struct vsm_armed *armed, u32 lanes)
{
	armed->origin.lanes = lanes;
	armed->origin.thread = round_down(armed->origin.thread, VSM_WARP_SIZE) + __ffs(lanes);
}

/* Has none of the lanes exited? If one has, it is the one that breaks the rule. */
static int vsm_wait_check_live(struct vsm_armed *armed)
{
	unsigned long lanes = armed->args->flags & DRM_VSM_WAIT_WARP
		? BIT(armed->origin.thread % VSM_WARP_SIZE) : armed->lanes;
	u32 first = round_down(armed->origin.thread, VSM_WARP_SIZE), lane;

	for_each_set_bit(lane, &lanes, VSM_WARP_SIZE)
		if (vsm_thread_has_exited(armed->bo->cluster, armed->origin.cta, first + lane)) {
			vsm_armed_blame(armed, BIT(lane));
			armed->insn->fault = DRM_VSM_FAULT_THREAD_EXITED;
			return -EPROTO;
		}
	return 0;
}

/* Read the instruction and check it. */
static int vsm_wait_load(struct vsm_armed *armed)
{
	const struct vsm_geometry *geo = &armed->bo->cluster->geo;
	struct drm_device *drm = &armed->bo->cluster->vdev->drm;
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	struct drm_vsm_insn *insn = armed->insn;
	struct vsm_report report = {};
	struct vsm_form form = {};
	int ret;

	if (armed->args->state % sizeof(u64))
		return vsm_invalid(drm, "WAITSET_ARM", "state");
	ret = vsm_wait_threads(armed);
	if (ret)
		return ret;
	if (vsm_insn_load(insn, armed->args->state))
		return -EFAULT;
	if (!vsm_insn_can_arm(insn))
		return vsm_invalid(drm, "WAITSET_ARM", "state: no instruction to arm");
	/* A rendezvous checks this itself. */
	if (!vsm_insn_is_rendezvous(insn)) {
		if (!vsm_device_has(armed->origin.client->vdev, DRM_VSM_FEATURE_LANES))
			return vsm_device_refusal(armed->origin.client->vdev,
						  DRM_VSM_FEATURE_LANES);
		ret = vsm_wait_check_live(armed);
		if (ret)
			return ret;
	}
	ret = vsm_insn_check(geo, armed->origin.cta, &form, insn, &fault);
	if (ret == VSM_REPORTS) {
		report.rules = DRM_VSM_RULE(fault);
		vsm_fault_report(&armed->origin, DRM_VSM_SOURCE_ARM, insn, &report);
		return 0;
	}
	insn->fault = fault;
	return ret == -EINVAL ? vsm_invalid_insn(drm, "WAITSET_ARM", 0, insn) : ret;
}

static int vsm_wait_enter_rendezvous(struct vsm_wait *wait, const struct vsm_armed *armed)
{
	u32 flags = armed->args->flags;

	wait->kind = VSM_WAIT_FOR_RENDEZVOUS;
	wait->rendezvous = (struct vsm_rendezvous_waiter) {
		.base.cluster = armed->bo->cluster,
		.base.armed = true,
		.base.origin = &wait->origin,
		.base.end = vsm_wait_waiter_end,
		.source = DRM_VSM_SOURCE_ARM,
		.converged = flags & DRM_VSM_WAIT_WARP,
		.suspends = flags & DRM_VSM_WAIT_NO_LIMIT,
		.lanes = flags & DRM_VSM_WAIT_LANES ? armed->lanes : 0,
		.insn = armed->insn,
	};
	return vsm_rendezvous_enter(&wait->rendezvous);
}

/* The suspendTimeHint of a try_wait has no effect: the wait has a deadline of its own. */
static int vsm_wait_enter_phase(struct vsm_wait *wait, const struct vsm_armed *armed)
{
	const struct drm_vsm_mbarrier_operands *o = &armed->insn->u.mbarrier;
	struct vsm_cluster *cluster = armed->bo->cluster;
	struct vsm_phase_waiter *phase = &wait->phase;
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	struct vsm_report report = {};
	u64 word = 0;
	int ret;

	wait->kind = VSM_WAIT_FOR_PHASE;
	phase->base.cluster = cluster;
	phase->base.warp = vsm_cluster_warp(cluster, armed->origin.cta, armed->origin.thread);
	phase->base.untimed = wait->wakes ? 0 : armed->lanes;
	phase->base.armed = true;
	phase->base.origin = &wait->origin;
	phase->base.end = vsm_wait_waiter_end;
	phase->index = vsm_cluster_index(cluster, o->addr);
	phase->by_parity = armed->insn->mods & DRM_VSM_MOD_PARITY;
	phase->state = phase->by_parity ? vsm_mbarrier_parity(o->parity) : o->state;
	phase->expires = 0;
	ret = vsm_park_enter(phase, &fault, &word);
	if (ret == -EPROTO) {
		armed->insn->fault = fault;
		armed->insn->result = word;
		if (fault == DRM_VSM_FAULT_POISONED)
			vsm_cluster_kill(cluster);
	} else if (ret >= 0 && fault) {
		report.rules = DRM_VSM_RULE(fault);
		report.word = word;
		vsm_fault_report(&armed->origin, DRM_VSM_SOURCE_ARM, armed->insn, &report);
	}
	if (ret == 1)
		armed->insn->result = 1;
	return ret;
}

static int vsm_wait_enter_groups(struct vsm_wait *wait, struct vsm_armed *armed)
{
	u32 thread = armed->origin.thread;
	int ret;

	wait->kind = VSM_WAIT_FOR_GROUPS;
	wait->groups.base.cluster = armed->bo->cluster;
	wait->groups.base.armed = true;
	wait->groups.base.end = vsm_wait_waiter_end;
	wait->groups.origin = armed->origin;
	/* Groups belong to a thread, also if its whole warp executes the wait. */
	if (armed->args->flags & DRM_VSM_WAIT_WARP)
		wait->groups.origin.lanes = BIT(thread % VSM_WARP_SIZE);
	wait->groups.insn = armed->insn;
	ret = vsm_group_enter(&wait->groups);
	if (ret == -EPROTO) {
		armed->insn->fault = DRM_VSM_FAULT_THREAD_SUSPENDED;
		vsm_armed_blame(armed, wait->groups.left);
	}
	return ret;
}

static int vsm_wait_enter(struct vsm_wait *wait, struct vsm_armed *armed)
{
	if (vsm_insn_is_rendezvous(armed->insn))
		return vsm_wait_enter_rendezvous(wait, armed);
	if (vsm_insn_is_group_wait(armed->insn))
		return vsm_wait_enter_groups(wait, armed);
	return vsm_wait_enter_phase(wait, armed);
}

/*
 * Arm a wait with an instruction. This takes over the caller's reference on @bo, even if it fails.
 */
static noinline int vsm_wait_arm_insn(struct vsm_arming *arming, struct vsm_bo *bo,
				      const struct drm_vsm_wait *args, u64 uptr)
{
	struct vsm_client *client = vsm_client_get(arming->file->driver_priv);
	struct vsm_armed armed = {
		.args = args,
		.uptr = uptr,
		.bo = bo,
		.origin = { .client = client },
	};
	struct vsm_wait *wait;
	int ret;

	armed.insn = vsm_quota_alloc(&client->quota, 1, sizeof(*armed.insn));
	if (IS_ERR(armed.insn)) {
		vsm_client_put(client);
		vsm_bo_put(bo);
		return vsm_wait_refuse(uptr, PTR_ERR(armed.insn), DRM_VSM_FAULT_NONE);
	}
	ret = vsm_wait_load(&armed);
	if (ret) {
		ret = vsm_armed_refuse(&armed, ret);
		goto err_free;
	}
	wait = vsm_wait_alloc(arming, bo, args);
	if (IS_ERR(wait)) {
		ret = PTR_ERR(wait);
		goto err_free;
	}
	wait->insn = armed.insn;
	wait->origin = armed.origin;
	ret = vsm_wait_store(uptr, wait->id, DRM_VSM_FAULT_NONE);
	if (!ret)
		ret = vsm_wait_enter(wait, &armed);
	if (ret == -EINVAL)
		vsm_invalid(&client->vdev->drm, "WAITSET_ARM", "lanes: not in the instruction");
	if (ret < 0) {
		ret = vsm_armed_refuse(&armed, ret);
		vsm_wait_drop(wait);
		return ret;
	}
	if (ret || wait->timed)
		vsm_wait_armed(wait, ret, args->deadline, arming->wakes);
	/* The threads count as suspended now. They may be the last ones. */
	if (!wait->wakes)
		vsm_deadlock_check(bo->cluster);
	return 0;

err_free:
	vsm_wait_free_insn(client, armed.insn);
	vsm_bo_put(bo);
	return ret;
}

/*
 * Are the fields valid that waits have got since ABI 0.5? A driver of ABI 0.5 does not read them,
 * and for a driver of 0.6 the site is a pad.
 */
static noinline bool vsm_wait_tail_valid(const struct vsm_waitset *set, struct drm_vsm_wait *args)
{
	const struct vsm_device *vdev = set->client->vdev;

	if (!(vdev->known & DRM_VSM_FEATURE_LANES)) {
		args->lanes = 0;
		args->site = 0;
	}
	return (!args->lanes || args->flags & DRM_VSM_WAIT_LANES) &&
	       (!args->site || vdev->known & DRM_VSM_FEATURE_TRACE);
}

/* Are the flags of a wait, and the fields that depend on them, allowed together? */
static bool vsm_wait_flags_valid(const struct vsm_waitset *set, struct drm_vsm_wait *args)
{
	const u32 insn_flags = DRM_VSM_WAIT_WARP | DRM_VSM_WAIT_LANES | DRM_VSM_WAIT_NO_LIMIT;

	/* Testing both fields costs no more than testing one. */
	if (unlikely(args->lanes | (u64)args->site << 32) && !vsm_wait_tail_valid(set, args))
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

/* Find the cluster of a wait, and take a reference. Returns NULL if the handle names no cluster. */
static inline struct vsm_bo *vsm_arming_lookup(const struct vsm_arming *arming, u32 handle)
{
	if (arming->bo && arming->handle == handle)
		return vsm_bo_get(arming->bo);
	return vsm_cluster_lookup(arming->file, handle);
}

/*
 * Arm the wait whose &struct drm_vsm_wait is at an address in user space. It gets id and fault, and
 * has @stride bytes.
 */
static inline int vsm_wait_arm(struct vsm_arming *arming, u64 uptr, u32 stride)
{
	struct drm_vsm_wait args __uninitialized;	/* written by vsm_load() */
	struct vsm_device *vdev = arming->set->client->vdev;
	struct vsm_bo *bo;
	int ret;

	args.lanes = 0;
	args.site = 0;
	if (stride < sizeof(args) ? vsm_load(&args, uptr, VSM_FIRST_WAIT)
				  : vsm_load(&args, uptr, sizeof(args)))
		return -EFAULT;
	if (!vsm_wait_flags_valid(arming->set, &args))
		return vsm_invalid(&vdev->drm, "WAITSET_ARM", "flags or lanes of a wait");

	bo = vsm_arming_lookup(arming, args.cluster);
	if (!bo)
		return -ENOENT;
	if (likely(!(args.flags & DRM_VSM_WAIT_INSN))) {
		ret = vsm_wait_arm_phase(arming, bo, &args, uptr);
	} else if (vsm_device_has(vdev, vsm_wait_needs(args.flags))) {
		ret = vsm_wait_arm_insn(arming, bo, &args, uptr);
	} else {
		vsm_bo_put(bo);
		return vsm_device_refusal(vdev, vsm_wait_needs(args.flags));
	}
	if (ret)
		return ret;
	arming->bo = bo;
	arming->handle = args.cluster;
	return 0;
}

/* vsm_waits_arm(), until a wait cannot be armed. */
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
 * @wakes: Gets the readers that the caller wakes after it has dropped its locks (out)
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
	if (arming.charged)
		vsm_quota_uncharge(&set->client->quota, VSM_RES_WAITS, arming.charged);
	return ret;
}
