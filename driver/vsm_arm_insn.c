// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arming of waits with an instruction that threads execute.
 */
#include "base/vsm_invalid.h"
#include "sync/vsm_kill.h"
#include "vsm_arming.h"

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

/**
 * vsm_wait_arm_insn - Arm a wait with an instruction
 * @arming: The call, with the cluster
 * @args: The wait, as user space has given it
 * @uptr: Its address in user space
 *
 * Return: 0, or a negative error code.
 */
int vsm_wait_arm_insn(struct vsm_arming *arming, const struct drm_vsm_wait *args, u64 uptr)
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
