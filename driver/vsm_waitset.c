// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wait sets. WAITSET_ARM arms the waits of a call one after the other; most of them are waits for a
 * phase of a word. From the file of the set, programs poll and read the records of waits that have
 * ended. vsm_wait.c says how a wait ends. The mutex of the set protects the life of its waits; a
 * spinlock protects the list of ended waits.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>

#include "base/vsm_fault.h"
#include "base/vsm_uaccess.h"
#include "object/vsm_bo.h"
#include "sync/vsm_waiter.h"
#include "vsm_drv.h"
#include "vsm_ioctl.h"
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

/* --- waits with an instruction --------------------------------------------------- */

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
		vsm_cluster_refuse(armed->bo->cluster, &armed->origin, DRM_VSM_SOURCE_ARM,
				   armed->insn);
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
			return -EOPNOTSUPP;
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
 * Arm a wait with an instruction.
 * @arming: The call, with the cluster
 * @args: The wait, as user space has given it
 *
 * Returns 0, or a negative error code.
 */
static int vsm_wait_arm_insn(struct vsm_arming *arming, const struct drm_vsm_wait *args, u64 uptr)
{
	struct vsm_client *client = vsm_client_get(arming->file->driver_priv);
	struct vsm_armed armed = {
		.args = args,
		.uptr = uptr,
		.bo = arming->bo,
		.origin = { .client = client },
	};
	struct vsm_wait *wait;
	int ret;

	armed.insn = vsm_quota_alloc(&client->quota, 1, sizeof(*armed.insn));
	if (IS_ERR(armed.insn)) {
		vsm_client_put(client);
		return vsm_wait_refuse(uptr, PTR_ERR(armed.insn), DRM_VSM_FAULT_NONE);
	}
	ret = vsm_wait_load(&armed);
	if (ret) {
		ret = vsm_armed_refuse(&armed, ret);
		goto err_free;
	}
	wait = vsm_wait_alloc(arming, args);
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
		vsm_wait_free(wait);
		return ret;
	}
	if (ret || wait->timed)
		vsm_wait_armed(wait, ret, args->deadline, arming->wakes);
	/* The threads count as suspended now. They may be the last ones. */
	if (!wait->wakes)
		vsm_deadlock_check(arming->bo->cluster);
	return 0;

err_free:
	vsm_wait_free_insn(client, armed.insn);
	return ret;
}

/* --- waits for a phase ------------------------------------------------------------ */

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
 * A wait for a phase breaks a rule. Announce the equivalent try_wait, because misuse is that of an
 * instruction.
 */
static void vsm_wait_misuse(struct drm_file *file, struct vsm_cluster *cluster,
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
		vsm_cluster_refuse(cluster, &origin, DRM_VSM_SOURCE_ARM, &insn);
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
		vsm_wait_misuse(file, cluster, args, fault, 0, false);
	} else if (fault) {
		vsm_wait_misuse(file, cluster, args, fault, 0, true);
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
		if (ret == -EPROTO)
			vsm_wait_misuse(file, cluster, args, fault, word, true);
		if (ret < 0)
			ret = vsm_wait_refuse(uptr, ret, fault);
	}
	if (ret < 0) {
		vsm_wait_free(wait);
		return ret;
	}
	if (unlikely(fault))
		vsm_wait_misuse(file, cluster, args, fault, word, false);
	if (unlikely(ret || wait->timed))
		vsm_wait_armed(wait, ret, args->deadline, arming->wakes);
	return 0;
}

/* --- WAITSET_ARM ----------------------------------------------------------------- */

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

/* Find the cluster of the next wait. Returns false if the handle names no cluster. */
static inline bool vsm_arming_find_cluster(struct vsm_arming *arming, u32 handle)
{
	if (!arming->bo || arming->handle != handle) {
		vsm_bo_put(arming->bo);
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
			if (vsm_is_killed())
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
static int vsm_waits_arm(struct vsm_waitset *set, struct drm_file *file,
			 struct drm_vsm_waitset_arm *args, struct vsm_wakes *wakes)
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
	vsm_bo_put(arming.bo);
	if (arming.charged)
		vsm_quota_uncharge(&set->client->quota, VSM_RES_WAITS, arming.charged);
	return ret;
}

/* --- wait sets ------------------------------------------------------------------- */

/* The first version of a record had no result. */
#define VSM_MIN_RECORD	offsetof(struct drm_vsm_wait_record, result)
#define VSM_MAX_RECORD	256

static const struct file_operations vsm_waitset_fops;

/*
 * Is it certain that no further wait of the set will end, because the device is gone? A reader that
 * finds this true, and then finds no record, has read all records.
 */
static bool vsm_waitset_hung_up(const struct vsm_waitset *set)
{
	/* Pairs with the release in vsm_device_kill_waits(). */
	return smp_load_acquire(&set->client->vdev->waits_ended);
}

/* The wait set of a file that a call has named, or an error code as a pointer. */
static inline struct vsm_waitset *vsm_waitset_of(struct file *filp, struct vsm_device *vdev)
{
	struct vsm_waitset *set;

	if (!filp || filp->f_op != &vsm_waitset_fops)
		return ERR_PTR(-EBADF);
	set = filp->private_data;
	if (set->client->vdev != vdev)
		return ERR_PTR(vsm_invalid(&vdev->drm, "WAITSET", "fd: a set of another device"));
	return set;
}

static noinline int vsm_arm_invalid(struct drm_device *drm, const struct drm_vsm_waitset_arm *args)
{
	return vsm_invalid(drm, "WAITSET_ARM",
			   args->flags ? "flags" : args->pad ? "pad" :
			   args->stride < VSM_FIRST_WAIT || args->stride % sizeof(u64) ? "stride" :
			   args->waits % sizeof(u64) ? "waits: not a multiple of 8" :
						       "armed: above count");
}

/*
 * Lock the mutex of a set. If it is free, mutex_trylock() costs half as much as
 * mutex_lock_interruptible().
 */
static inline int vsm_waitset_lock(struct vsm_waitset *set)
{
	return mutex_trylock(&set->mutex) ? 0 : mutex_lock_interruptible(&set->mutex);
}

int vsm_waitset_arm_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsm_waitset_arm *args = data;
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_wakes wakes = {};
	struct vsm_waitset *set;
	struct fd fd;
	int ret;

	if (args->flags || args->pad || args->stride < VSM_FIRST_WAIT ||
	    (args->stride | args->waits) % sizeof(u64) || args->armed > args->count)
		return vsm_arm_invalid(drm, args);
	if (args->count > VSM_MAX_EXEC)
		return -E2BIG;
	ret = vsm_client_inject(file->driver_priv, DRM_VSM_INJECT_ARM);
	if (ret)
		return ret;

	fd = fdget(args->fd);
	set = vsm_waitset_of(fd_file(fd), vdev);
	if (IS_ERR(set)) {
		ret = vsm_device_has(vdev, DRM_VSM_FEATURE_WAITSET) ? PTR_ERR(set) : -EOPNOTSUPP;
		goto out;
	}
	if (vsm_waitset_lock(set)) {
		ret = -ERESTARTSYS;
		goto out;
	}
	ret = vsm_waits_arm(set, file, args, &wakes);
	mutex_unlock(&set->mutex);
	vsm_wakes_run(&wakes);
out:
	fdput(fd);
	return ret;
}

int vsm_waitset_cancel_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsm_waitset_cancel *args = data;
	struct vsm_waitset *set;
	struct vsm_wait *wait;
	int ret = -ENOENT;
	struct fd fd;

	if (args->flags)
		return vsm_invalid(drm, "WAITSET_CANCEL", "flags");
	fd = fdget(args->fd);
	set = vsm_waitset_of(fd_file(fd), to_vsm_device(drm));
	if (IS_ERR(set)) {
		ret = PTR_ERR(set);
		goto out;
	}
	if (vsm_waitset_lock(set)) {
		ret = -ERESTARTSYS;
		goto out;
	}
	wait = xa_load(&set->waits, args->id & (BIT(VSM_SLOT_BITS) - 1));
	if (wait && wait->bo && wait->id == args->id && vsm_wait_leave(wait)) {
		vsm_wait_free(wait);
		ret = 0;
	}
	mutex_unlock(&set->mutex);
out:
	fdput(fd);
	return ret;
}

/* Is there a record to read? */
static inline bool vsm_waitset_has_record(const struct vsm_waitset *set)
{
	/* Pairs with the release in vsm_waitset_oldest(): who finds @ended empty sees @unread. */
	return smp_load_acquire(&set->ended) || READ_ONCE(set->unread);
}

/* The oldest ended wait whose record has not been read, or NULL. */
static inline struct vsm_wait *vsm_waitset_oldest(struct vsm_waitset *set)
{
	lockdep_assert_held(&set->mutex);
	if (set->unread || !READ_ONCE(set->ended))
		return set->unread;
	/* Take all waits out of the list at once. */
	spin_lock(&set->lock);
	WRITE_ONCE(set->unread, set->ended);
	/* Pairs with the acquire in vsm_waitset_has_record(). */
	smp_store_release(&set->ended, NULL);
	set->last = &set->ended;
	spin_unlock(&set->lock);
	return set->unread;
}

static ssize_t vsm_waitset_read_records(struct vsm_waitset *set, char __user *buf, size_t size)
{
	size_t known = min_t(size_t, set->record_stride, sizeof(struct drm_vsm_wait_record));
	size_t rest = set->record_stride - known;
	struct vsm_wait *wait;
	ssize_t done = 0;

	while (size - done >= set->record_stride && (wait = vsm_waitset_oldest(set))) {
		struct drm_vsm_wait_record record = {
			.user_data = wait->user_data,
			.id = wait->id,
			.status = wait->status,
			.result = wait->insn ? wait->insn->result : 0,
		};

		/* A record that cannot be stored is the next to be read. */
		if (vsm_record_store((uintptr_t)buf + done, &record, known) ||
		    (rest && clear_user(buf + done + known, rest))) {
			done = done ?: -EFAULT;
			break;
		}
		WRITE_ONCE(set->unread, wait->next);
		done += set->record_stride;
		vsm_wait_free(wait);
		if (need_resched())
			cond_resched();
	}
	return done;
}

static ssize_t vsm_waitset_read(struct file *filp, char __user *buf, size_t size, loff_t *pos)
{
	struct vsm_waitset *set = filp->private_data;
	ssize_t ret;

	if (size < set->record_stride)
		return -EINVAL;

	for (;;) {
		bool hung_up = vsm_waitset_hung_up(set);

		if (vsm_waitset_lock(set))
			return -ERESTARTSYS;
		ret = vsm_waitset_read_records(set, buf, size);
		mutex_unlock(&set->mutex);
		if (ret)
			return ret;
		if (hung_up)
			return -ENODEV;
		/*
		 * EAGAIN is safe here: programs do not repeat read() at once, as libdrm does with
		 * ioctls.
		 */
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(set->readers,
					       vsm_waitset_has_record(set) ||
					       vsm_waitset_hung_up(set));
		if (ret)
			return ret;
	}
}

static __poll_t vsm_waitset_poll(struct file *filp, poll_table *table)
{
	struct vsm_waitset *set = filp->private_data;
	__poll_t events = 0;

	poll_wait(filp, &set->readers, table);
	/* Pairs with vsm_waitset_queue_wake(). poll_wait() of older kernels has no barrier. */
	smp_mb();
	if (vsm_waitset_has_record(set))
		events |= EPOLLIN | EPOLLRDNORM;
	if (vsm_waitset_hung_up(set))
		events |= EPOLLHUP;
	return events;
}

static int vsm_waitset_release(struct inode *inode, struct file *filp)
{
	struct vsm_waitset *set = filp->private_data;
	struct vsm_device *vdev = set->client->vdev;
	struct vsm_wait *wait;
	unsigned long slot;

	spin_lock(&vdev->waitsets_lock);
	list_del(&set->link);
	spin_unlock(&vdev->waitsets_lock);

	xa_for_each(&set->waits, slot, wait) {
		/* Keep every other event from ending this wait. */
		if (wait->bo)
			vsm_wait_leave(wait);
		if (wait->bo && wait->timed)
			vsm_deadline_stop(&wait->deadline);
		cond_resched();
	}
	/*
	 * No wait can end any more. Only now can they be freed: a wait that ends is linked to the
	 * wait that ended before it.
	 */
	xa_for_each(&set->waits, slot, wait) {
		if (wait->bo)
			vsm_wait_disarm(wait);
		/* Erase one by one: xa_destroy() would free all nodes with interrupts off. */
		xa_erase(&set->waits, slot);
		vsm_quota_free(&set->client->quota, wait, 1, sizeof(*wait));
		cond_resched();
	}

	mutex_destroy(&set->mutex);
	vsm_client_put(set->client);
	vsm_waitset_put(set);
	drm_dev_put(&vdev->drm);
	return 0;
}

static const struct file_operations vsm_waitset_fops = {
	.owner = THIS_MODULE,
	.read = vsm_waitset_read,
	.poll = vsm_waitset_poll,
	.release = vsm_waitset_release,
	.llseek = noop_llseek,
};

int vsm_waitset_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsm_waitset_create *args = data;
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_waitset *set;
	int fd;

	if (args->flags & ~DRM_VSM_WAITSET_NONBLOCK || args->pad ||
	    args->record_stride < VSM_MIN_RECORD ||
	    args->record_stride > VSM_MAX_RECORD || args->record_stride % sizeof(u64))
		return vsm_invalid(drm, "WAITSET_CREATE",
				   args->flags & ~DRM_VSM_WAITSET_NONBLOCK ? "flags" :
				   args->pad ? "pad" : "record_stride");

	set = kzalloc(sizeof(*set), GFP_KERNEL_ACCOUNT);
	if (!set)
		return -ENOMEM;
	vsm_waitset_init(set);
	set->client = vsm_client_get(file->driver_priv);
	set->record_stride = args->record_stride;
	drm_dev_get(drm);

	spin_lock(&vdev->waitsets_lock);
	list_add(&set->link, &vdev->waitsets);
	spin_unlock(&vdev->waitsets_lock);

	fd = anon_inode_getfd("[vsm-waitset]", &vsm_waitset_fops, set,
			      O_RDONLY | O_CLOEXEC |
			      (args->flags & DRM_VSM_WAITSET_NONBLOCK ? O_NONBLOCK : 0));
	if (fd < 0) {
		spin_lock(&vdev->waitsets_lock);
		list_del(&set->link);
		spin_unlock(&vdev->waitsets_lock);
		vsm_client_put(set->client);
		mutex_destroy(&set->mutex);
		/*
		 * Only the reference is put here: if the device has been unplugged,
		 * vsm_waitset_kill() may have another one.
		 */
		vsm_waitset_put(set);
		drm_dev_put(drm);
		return fd;
	}
	args->fd = fd;
	return 0;
}

/**
 * vsm_waitset_kill - Wake the readers of all wait sets, because the device has gone
 * @vdev: Device that is lost and whose waits have ended
 *
 * The wake-ups do not wait in a queue (&vsm_waitset.wake): a WAITSET_ARM may keep that entry queued
 * as long as user space lets it sleep in a page fault. All readers are woken, also those that wait
 * exclusively (EPOLLEXCLUSIVE).
 *
 * Why no wake-up is lost: &vsm_device.waits_ended is already true. A reader enters the wait queue
 * under the queue's lock, and then calls vsm_waitset_hung_up(). wake_up_all() takes the same lock.
 * If the reader has entered before, it is woken. If it enters later, it finds that the device has
 * gone.
 */
void vsm_waitset_kill(struct vsm_device *vdev)
{
	struct vsm_waitset *set;
	LIST_HEAD(left);

	spin_lock(&vdev->waitsets_lock);
	/*
	 * While the lock is dropped, a set that is closed leaves the list that it is in, and a new
	 * set enters @vdev->waitsets. Therefore each turn takes the first set that is left.
	 */
	list_splice_init(&vdev->waitsets, &left);
	while (!list_empty(&left)) {
		set = list_first_entry(&left, struct vsm_waitset, link);
		list_move_tail(&set->link, &vdev->waitsets);
		/* A set in the list has the reference of its file. */
		kref_get(&set->ref);
		spin_unlock(&vdev->waitsets_lock);
		wake_up_all(&set->readers);
		vsm_waitset_put(set);
		cond_resched();
		spin_lock(&vdev->waitsets_lock);
	}
	spin_unlock(&vdev->waitsets_lock);
}
