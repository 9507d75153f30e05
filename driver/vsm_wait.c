// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a wait in a wait set. The wait is armed on a word and put into the parking lot, or it
 * is armed with an instruction and put into a rendezvous. When the wait ends, it moves to its set's
 * list of ended waits, from which read() takes it.
 *
 * A wait ends when its phase or rendezvous completes, when its deadline comes, when it is
 * cancelled, when its set is closed, or when its cluster or the device is lost. Each of these
 * events first takes the wait out of the parking lot or the rendezvous, under a lock. Therefore
 * exactly one event ends the wait; the others find that it has left.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "base/vsm_invalid.h"
#include "base/vsm_uaccess.h"
#include "sync/vsm_deadlock.h"
#include "sync/vsm_kill.h"
#include "vsm_compat.h"
#include "vsm_drv.h"
#include "vsm_wait.h"

#define VSM_MAX_SPARE	64

static_assert(!offsetof(struct vsm_phase_waiter, base));
static_assert(!offsetof(struct vsm_rendezvous_waiter, base));

/* --- the end of a wait ------------------------------------------------------------ */

static void vsm_waitset_free(struct kref *ref)
{
	kfree(container_of(ref, struct vsm_waitset, ref));
}

void vsm_waitset_put(struct vsm_waitset *set)
{
	kref_put(&set->ref, vsm_waitset_free);
}

/* Wake the readers of a set. The file may be closed by now; then nobody reads. */
static void vsm_waitset_wake(struct vsm_wake *wake)
{
	struct vsm_waitset *set = container_of(wake, struct vsm_waitset, wake);

	/* From here on a wait that ends queues the entry again. */
	spin_lock(&set->lock);
	wake->queued = false;
	spin_unlock(&set->lock);
	/*
	 * A reader first enters the wait queue (poll_wait(), wait_event_interruptible()) and then
	 * looks for ended waits. It therefore finds them, or is woken here.
	 */
	wake_up_poll(&set->readers, EPOLLIN | EPOLLRDNORM | EPOLLHUP);
	vsm_waitset_put(set);
}

/* Add the readers of a set to those that the caller wakes after it has dropped its locks. */
void vsm_waitset_queue_wake(struct vsm_waitset *set, struct vsm_wakes *wakes)
{
	lockdep_assert_held(&set->lock);
	if (set->wake.queued)
		return;
	set->wake.queued = true;
	kref_get(&set->ref);
	vsm_wakes_add(wakes, &set->wake);
}

/* Initialise those fields of a set that this file uses. */
void vsm_waitset_init(struct vsm_waitset *set)
{
	kref_init(&set->ref);
	mutex_init(&set->mutex);
	xa_init_flags(&set->waits, XA_FLAGS_ALLOC);
	spin_lock_init(&set->lock);
	set->last = &set->ended;
	set->wake.wake = vsm_waitset_wake;
	init_waitqueue_head(&set->readers);
}

/*
 * Move a wait, which has left the parking lot or the rendezvous, to the set's ended waits. From
 * then on a reader may free the wait, and the file may be closed: only the reference of the queued
 * wake-up keeps the set.
 */
static void vsm_wait_end(struct vsm_wait *wait, enum drm_vsm_wait_status status,
			 struct vsm_wakes *wakes)
{
	struct vsm_waitset *set = wait->set;

	wait->status = status;
	spin_lock(&set->lock);
	wait->next = NULL;
	WRITE_ONCE(*set->last, wait);
	set->last = &wait->next;
	vsm_waitset_queue_wake(set, wakes);
	spin_unlock(&set->lock);
}

static enum drm_vsm_wait_status vsm_wait_status(int error)
{
	if (!error)
		return DRM_VSM_WAIT_COMPLETE;
	switch (error) {
	case -ETIMEDOUT:
		return DRM_VSM_WAIT_EXPIRED;
	case -ENODEV:
		return DRM_VSM_WAIT_DEVICE_LOST;
	default:
		return DRM_VSM_WAIT_CLUSTER_LOST;
	}
}

static void vsm_wait_waiter_end(struct vsm_waiter *waiter, int error, struct vsm_wakes *wakes)
{
	struct vsm_wait *wait = container_of(waiter, struct vsm_wait, phase.base);
	enum drm_vsm_wait_status status = vsm_wait_status(error);
	struct drm_vsm_insn *insn = wait->insn;

	/* The rendezvous has completed without an error, but this instruction is refused. */
	if (insn && !error && insn->fault) {
		vsm_fault_record_locked(&wait->rendezvous.origin, wait->rendezvous.source, insn,
					wakes);
		insn->result = insn->fault;
		status = DRM_VSM_WAIT_FAULT;
	}
	vsm_wait_end(wait, status, wakes);
}

static void vsm_wait_expire(struct vsm_deadline *deadline, struct vsm_wakes *wakes)
{
	struct vsm_wait *wait = container_of(deadline, struct vsm_wait, deadline);

	if (wait->insn)
		vsm_rendezvous_end(&wait->rendezvous, -ETIMEDOUT, wakes);
	else
		vsm_park_end(&wait->phase, -ETIMEDOUT, wakes);
}

/*
 * Take a wait out of the parking lot or the rendezvous. Returns true if the wait was still armed:
 * then only the caller can end it.
 */
bool vsm_wait_leave(struct vsm_wait *wait)
{
	return wait->insn ? vsm_rendezvous_leave(&wait->rendezvous) : vsm_park_leave(&wait->phase);
}

/* --- memory of waits -------------------------------------------------------------- */

static void vsm_wait_free_insn(struct vsm_client *client, struct drm_vsm_insn *insn)
{
	vsm_quota_free(&client->quota, insn, 1, sizeof(*insn));
	vsm_client_put(client);
}

/* Put everything that an armed wait has a reference on. Nobody else can reach the wait any more. */
void vsm_wait_disarm(struct vsm_wait *wait)
{
	if (wait->timed)
		vsm_deadline_stop(&wait->deadline);
	if (unlikely(wait->insn)) {
		vsm_wait_free_insn(wait->rendezvous.origin.client, wait->insn);
		wait->insn = NULL;
	}
	vsm_cluster_remove_waker(wait->bo->cluster);
	vsm_bo_put(wait->bo);
	wait->bo = NULL;
	vsm_quota_uncharge(&wait->set->client->quota, VSM_RES_WAITS, 1);
}

void vsm_wait_free(struct vsm_wait *wait)
{
	struct vsm_waitset *set = wait->set;

	lockdep_assert_held(&set->mutex);
	vsm_wait_disarm(wait);
	if (set->spares < VSM_MAX_SPARE) {
		wait->next = set->spare;
		set->spare = wait;
		set->spares++;
	} else {
		xa_erase(&set->waits, wait->slot);
		vsm_quota_free(&set->client->quota, wait, 1, sizeof(*wait));
	}
}

static struct vsm_wait *vsm_wait_new(struct vsm_waitset *set)
{
	struct vsm_wait *wait;
	int ret;

	lockdep_assert_held(&set->mutex);
	wait = set->spare;
	if (wait) {
		set->spare = wait->next;
		set->spares--;
		return wait;
	}

	wait = vsm_quota_alloc(&set->client->quota, 1, sizeof(*wait));
	if (IS_ERR(wait))
		return wait;
	ret = xa_alloc(&set->waits, &wait->slot, wait, XA_LIMIT(0, BIT(VSM_SLOT_BITS) - 1),
		       GFP_KERNEL_ACCOUNT);
	if (ret) {
		vsm_quota_free(&set->client->quota, wait, 1, sizeof(*wait));
		return ERR_PTR(ret == -EBUSY ? -ENOSPC : ret);
	}
	wait->set = set;
	vsm_deadline_init(set->client->vdev, &wait->deadline, vsm_wait_expire);
	return wait;
}

/* Allocate a wait with a new id. If this succeeds, the caller's reference on @bo is the wait's. */
static struct vsm_wait *vsm_wait_alloc(struct vsm_waitset *set, struct vsm_bo *bo,
				       const struct drm_vsm_wait *args)
{
	struct vsm_wait *wait;
	int ret;

	/* The high bits of the id are used up. That takes half a year of arming without a pause. */
	if ((set->armed + 1) >> (64 - VSM_SLOT_BITS))
		return ERR_PTR(-ENOSPC);
	ret = vsm_quota_charge(&set->client->quota, VSM_RES_WAITS, 1);
	if (ret)
		return ERR_PTR(ret);
	wait = vsm_wait_new(set);
	if (IS_ERR(wait)) {
		vsm_quota_uncharge(&set->client->quota, VSM_RES_WAITS, 1);
		return wait;
	}

	vsm_cluster_add_waker(bo->cluster);
	wait->id = ++set->armed << VSM_SLOT_BITS | wait->slot;
	wait->bo = bo;
	wait->timed = args->deadline >= 0;
	wait->user_data = args->user_data;
	return wait;
}

/* --- arming ----------------------------------------------------------------------- */

/*
 * Start the deadline of a wait, or end the wait if it is complete already. Another task may have
 * ended the wait by now. The caller holds the set's mutex, so the wait is not freed.
 */
static inline void vsm_wait_armed(struct vsm_wait *wait, bool complete, s64 deadline,
				  struct vsm_wakes *wakes)
{
	if (complete)
		vsm_wait_end(wait, DRM_VSM_WAIT_COMPLETE, wakes);
	else if (wait->timed && deadline > ktime_to_ns(ktime_get()))
		vsm_deadline_start(&wait->deadline, deadline);
	else if (wait->timed)
		vsm_wait_expire(&wait->deadline, wakes);
}

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
static void vsm_wait_record(struct drm_file *file, const struct drm_vsm_wait *args,
			    enum drm_vsm_fault fault, u64 word, bool refused)
{
	const struct vsm_report report = { .rules = DRM_VSM_RULE(fault), .word = word };
	const struct vsm_origin origin = {
		.client = file->driver_priv,
		.handle = args->cluster,
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
static int vsm_wait_arm_phase(struct vsm_waitset *set, struct drm_file *file, struct vsm_bo *bo,
			      const struct drm_vsm_wait *args, u64 uptr, struct vsm_wakes *wakes)
{
	struct vsm_cluster *cluster = bo->cluster;
	enum drm_vsm_fault fault = vsm_wait_check(&cluster->geo, args);
	struct vsm_phase_waiter *phase;
	struct vsm_wait *wait;
	u64 word = 0;
	int ret;

	if (fault == DRM_VSM_FAULT_BAD_PARITY && cluster->geo.report & DRM_VSM_RULE(fault)) {
		vsm_wait_record(file, args, fault, 0, false);
	} else if (fault) {
		vsm_wait_record(file, args, fault, 0, true);
		vsm_bo_put(bo);
		return vsm_wait_refuse(uptr, -EPROTO, fault);
	}
	wait = vsm_wait_alloc(set, bo, args);
	if (IS_ERR(wait)) {
		vsm_bo_put(bo);
		return PTR_ERR(wait);
	}
	phase = &wait->phase;
	phase->base.cluster = cluster;
	phase->base.untimed = 0;
	phase->base.end = vsm_wait_waiter_end;
	phase->index = vsm_cluster_index(cluster, args->addr);
	phase->by_parity = args->flags & DRM_VSM_WAIT_PARITY;
	phase->state = phase->by_parity ? vsm_mbarrier_parity(args->state) : args->state;
	phase->expires = 0;
	ret = vsm_wait_store(uptr, wait->id, DRM_VSM_FAULT_NONE);
	if (!ret) {
		ret = vsm_park_enter(phase, &fault, &word);
		if (ret == -EPROTO) {
			vsm_wait_record(file, args, fault, word, true);
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
		vsm_wait_record(file, args, fault, word, false);
	vsm_wait_armed(wait, ret, args->deadline, wakes);
	return 0;
}

/* Read the instruction that a wait is armed with, and find out which thread executes it. */
static int vsm_wait_load(const struct drm_vsm_wait *args, const struct vsm_geometry *geo,
			 struct drm_vsm_insn *insn, struct vsm_origin *origin)
{
	u32 cta = args->addr >> 16, thread = args->addr & 0xffff;
	struct drm_device *drm = &origin->client->vdev->drm;
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	struct vsm_form form = {};
	int ret;

	if (args->state % sizeof(u64) || cta >= geo->ctas || thread >= geo->threads)
		return vsm_invalid(drm, "WAITSET_ARM",
				   args->state % sizeof(u64) ? "state" : "addr");
	if (vsm_insn_load(insn, args->state))
		return -EFAULT;
	origin->handle = args->cluster;
	origin->cta = array_index_nospec(cta, geo->ctas);
	origin->thread = array_index_nospec(thread, geo->threads);
	if (!vsm_insn_can_arm(insn))
		return vsm_invalid(drm, "WAITSET_ARM", "state: no instruction to arm");
	ret = vsm_insn_check(geo, origin->cta, &form, insn, &fault);
	insn->fault = fault;
	if (ret == -EINVAL)
		return vsm_invalid_insn(drm, "WAITSET_ARM", 0, insn);
	if (ret == -EPROTO)
		vsm_fault_record(origin, DRM_VSM_SOURCE_ARM, insn);
	return ret;
}

/*
 * Arm a wait with an instruction. This takes over the caller's reference on @bo, even if it fails.
 */
static int vsm_wait_arm_insn(struct vsm_waitset *set, struct drm_file *file, struct vsm_bo *bo,
			     const struct drm_vsm_wait *args, u64 uptr, struct vsm_wakes *wakes)
{
	struct vsm_client *client = vsm_client_get(file->driver_priv);
	struct vsm_origin origin = { .client = client };
	struct vsm_cluster *cluster = bo->cluster;
	struct drm_vsm_insn *insn;
	struct vsm_wait *wait;
	int ret;

	insn = vsm_quota_alloc(&client->quota, 1, sizeof(*insn));
	if (IS_ERR(insn)) {
		vsm_client_put(client);
		vsm_bo_put(bo);
		return vsm_wait_refuse(uptr, PTR_ERR(insn), DRM_VSM_FAULT_NONE);
	}
	ret = vsm_wait_load(args, &cluster->geo, insn, &origin);
	if (ret) {
		ret = vsm_wait_refuse(uptr, ret, insn->fault);
		goto err_free;
	}
	wait = vsm_wait_alloc(set, bo, args);
	if (IS_ERR(wait)) {
		ret = PTR_ERR(wait);
		goto err_free;
	}
	wait->insn = insn;
	wait->rendezvous = (struct vsm_rendezvous_waiter) {
		.base.cluster = cluster,
		.base.end = vsm_wait_waiter_end,
		.origin = origin,
		.source = DRM_VSM_SOURCE_ARM,
		.converged = args->flags & DRM_VSM_WAIT_WARP,
		.insn = insn,
	};
	ret = vsm_wait_store(uptr, wait->id, DRM_VSM_FAULT_NONE);
	if (!ret)
		ret = vsm_rendezvous_enter(&wait->rendezvous);
	if (ret == -EPROTO)
		vsm_fault_record(&origin, DRM_VSM_SOURCE_ARM, insn);
	if (ret < 0) {
		ret = vsm_wait_refuse(uptr, ret, insn->fault);
		vsm_wait_free(wait);
		return ret;
	}
	vsm_wait_armed(wait, ret, args->deadline, wakes);
	return 0;

err_free:
	vsm_wait_free_insn(client, insn);
	vsm_bo_put(bo);
	return ret;
}

/**
 * vsm_wait_arm - Arm a wait
 * @set: The wait set; the caller holds its mutex
 * @file: File of the client that arms the wait
 * @uptr: Address of the &struct drm_vsm_wait in user space, which gets id and fault
 * @stride: Bytes of the wait in user space, at least %VSM_FIRST_WAIT
 * @wakes: Gets the readers that the caller wakes after it has dropped its locks (out)
 *
 * Return: 0, or a negative error code.
 */
int vsm_wait_arm(struct vsm_waitset *set, struct drm_file *file, u64 uptr, u32 stride,
		 struct vsm_wakes *wakes)
{
	struct drm_vsm_wait args __uninitialized;	/* written by vsm_load() */
	struct vsm_bo *bo;

	lockdep_assert_held(&set->mutex);
	args.lanes = 0;
	args.pad = 0;
	if (stride < sizeof(args) ? vsm_load(&args, uptr, VSM_FIRST_WAIT)
				  : vsm_load(&args, uptr, sizeof(args)))
		return -EFAULT;
	if (args.lanes || args.pad)
		return vsm_invalid(&set->client->vdev->drm, "WAITSET_ARM", "lanes or pad of a wait");
	if (args.flags & ~DRM_VSM_WAIT_PARITY &&
	    (args.flags & ~DRM_VSM_WAIT_WARP) != DRM_VSM_WAIT_INSN)
		return vsm_invalid(&set->client->vdev->drm, "WAITSET_ARM", "flags of a wait");

	bo = vsm_cluster_lookup(file, args.cluster);
	if (!bo)
		return -ENOENT;
	if (unlikely(args.flags & DRM_VSM_WAIT_INSN))
		return vsm_wait_arm_insn(set, file, bo, &args, uptr, wakes);
	return vsm_wait_arm_phase(set, file, bo, &args, uptr, wakes);
}
