// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bindings of asynchronous operations to phases. An operation that is issued is bound to the phase
 * of its mbarrier that is in progress. When the operation completes, that phase must still be in
 * progress. The strict policy checks this. It also refuses to end an object while an operation is
 * bound to it. The hardware policy has no bindings.
 */
#include <linux/sched.h>

#include "core/vsm_step.h"
#include "sync/vsm_bind.h"
#include "sync/vsm_engine.h"
#include "sync/vsm_engine_record.h"
#include "sync/vsm_exchange.h"
#include "sync/vsm_park.h"
#include "sync/vsm_shadow_table.h"

/**
 * vsm_binding_enter - Bind an asynchronous operation to the phase in progress
 * @cluster: Cluster
 * @binding: Binding whose @addr and @raised are set; gets @serial
 *
 * Return: %DRM_VSM_FAULT_NONE, or the rule for which the operation is refused.
 */
enum drm_vsm_fault vsm_binding_enter(struct vsm_cluster *cluster, struct vsm_binding *binding)
{
	u32 index = vsm_cluster_index(cluster, binding->addr);
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	struct vsm_shadow *shadow;

	if (!cluster->geo.strict)
		return DRM_VSM_FAULT_NONE;
	spin_lock(&bucket->lock);
	shadow = vsm_shadow_find(cluster, index);
	if (shadow && shadow->live) {
		binding->serial = shadow->serial;
		vsm_shadow_bind(shadow, false);
	} else {
		fault = DRM_VSM_FAULT_NOT_AN_MBARRIER;
	}
	spin_unlock(&bucket->lock);
	return fault;
}

/* One attempt of vsm_binding_arrive(). Returns -EBUSY if another writer was faster. */
static int vsm_binding_try_arrive(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
				  const struct vsm_origin *origin, struct vsm_binding *binding,
				  struct vsm_report *report)
{
	u32 index = vsm_cluster_index(cluster, binding->addr);
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	u64 *p = vsm_cluster_word(cluster, index);
	struct vsm_shadow *shadow;
	enum drm_vsm_fault fault;
	bool done = false;
	u64 old, next;

	spin_lock(&bucket->lock);
	shadow = vsm_shadow_find_strict(cluster, index);
	old = READ_ONCE(*p);
	*report = (struct vsm_report) { .word = old };
	fault = vsm_mbarrier_step(&cluster->geo, shadow, insn, origin->cta, origin->thread, old,
				  &next, &insn->result, &report->rules);
	if (!fault)
		done = cmpxchg_relaxed(p, old, next) == old;
	if (done && shadow) {
		binding->serial = shadow->serial;
		vsm_shadow_bind(shadow, next != old && cluster->geo.layout == VSM_LAYOUT_SM_90);
	}
	/* Without .noinc the arrive that will come counts as pending from now on. */
	if (done && next != old && vsm_is_recording())
		vsm_record_insn(origin, insn, old, next);
	spin_unlock(&bucket->lock);
	if (fault)
		return vsm_engine_refuse(cluster, insn, fault, old, report);
	return done ? 0 : -EBUSY;
}

/**
 * vsm_binding_arrive - Issue a cp.async.mbarrier.arrive, and bind it
 * @cluster: Cluster
 * @insn: A checked cp.async.mbarrier.arrive whose results are 0; gets the results
 * @origin: Executing thread
 * @binding: Binding whose @addr and @raised are set; gets @serial
 * @report: Rules that the instruction breaks and that the cluster only reports (out)
 *
 * The issue of the instruction never completes a phase.
 *
 * Return: 0; -EPROTO if it was refused; -EBUSY if nothing was done because others keep writing the
 * word.
 */
int vsm_binding_arrive(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
		       const struct vsm_origin *origin, struct vsm_binding *binding,
		       struct vsm_report *report)
{
	unsigned int tries;
	int ret;

	for (tries = 0; tries < VSM_ENGINE_TRIES; tries++) {
		ret = vsm_binding_try_arrive(cluster, insn, origin, binding, report);
		if (ret != -EBUSY)
			return ret;
	}
	/* Nothing has been performed. The next call finds the broken rules again. */
	report->rules = 0;
	return -EBUSY;
}

/**
 * vsm_binding_drop - Unbind an operation that ends without completing
 * @cluster: Cluster
 * @binding: Binding of the operation
 */
void vsm_binding_drop(struct vsm_cluster *cluster, const struct vsm_binding *binding)
{
	u32 index = vsm_cluster_index(cluster, binding->addr);
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	struct vsm_shadow *shadow;

	if (!cluster->geo.strict)
		return;
	spin_lock(&bucket->lock);
	shadow = vsm_shadow_find(cluster, index);
	vsm_shadow_unbind(cluster->geo.layout, shadow, binding->serial, binding->raised);
	spin_unlock(&bucket->lock);
}

/*
 * Call vsm_mbarrier_step(). Nearly every copy ends with a complete-tx in layout sm_90. That case
 * calls vsm_step() instead, with the layout and the policy as constants.
 */
static __always_inline enum drm_vsm_fault vsm_binding_step(const struct vsm_geometry *geo,
							   struct vsm_shadow *shadow,
							   const struct drm_vsm_insn *insn,
							   const struct vsm_origin *origin, u64 old,
							   u64 *next, u64 *result, u64 *broken)
{
	if (likely(geo->layout == VSM_LAYOUT_SM_90 && insn->op == DRM_VSM_OP_MBARRIER_COMPLETE_TX))
		return vsm_step(VSM_LAYOUT_SM_90, true, true, geo, broken, shadow, insn,
				origin->cta, origin->thread, old, next, result);
	return vsm_mbarrier_step(geo, shadow, insn, origin->cta, origin->thread, old, next, result,
				 broken);
}

/* One attempt of vsm_binding_complete(). Returns -EBUSY if another writer was faster. */
static int vsm_binding_try_complete(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
				    const struct vsm_origin *origin,
				    const struct vsm_binding *binding, struct vsm_report *report)
{
	u32 index = vsm_cluster_index(cluster, binding->addr);
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	u64 *p = vsm_cluster_word(cluster, index);
	struct vsm_wakes wakes = {};
	struct vsm_shadow *shadow;
	enum drm_vsm_fault fault;
	bool lowered, completes, done = false;
	u64 old, next;

	spin_lock(&bucket->lock);
	shadow = vsm_shadow_find(cluster, index);
	if (unlikely(shadow->initialiser != VSM_VISIBLE))
		vsm_shadow_update(cluster, shadow, vsm_addr_rank(binding->addr));
	old = READ_ONCE(*p);
	*report = (struct vsm_report) { .word = old };
	fault = vsm_late_check(shadow, binding->serial);
	if (fault && !vsm_rule_refuses(&cluster->geo, &report->rules, fault))
		fault = DRM_VSM_FAULT_NONE;
	lowered = vsm_shadow_unbind(cluster->geo.layout, shadow, binding->serial, binding->raised);
	if (!fault)
		fault = vsm_binding_step(&cluster->geo, shadow, insn, origin, old, &next,
					 &insn->result, &report->rules);
	completes = !fault && (old ^ next) & VSM_MBARRIER_PHASE;
	if (completes)
		done = vsm_engine_complete_locked(cluster, bucket, shadow, origin, insn, index,
						  old, next, NULL, &wakes);
	else if (!fault)
		done = cmpxchg_release(p, old, next) == old;
	if (done && !completes && vsm_is_recording())
		vsm_record_insn(origin, insn, old, next);
	if (!fault && !done)
		vsm_shadow_bind(shadow, lowered);
	/*
	 * If no phase completes here, other woken waiters in the bucket are left to the tasks that
	 * completed their phases.
	 */
	if (completes)
		vsm_park_unlock(bucket, &wakes);
	else
		spin_unlock(&bucket->lock);
	if (fault)
		return vsm_engine_refuse(cluster, insn, fault, old, report);
	return done ? 0 : -EBUSY;
}

/**
 * vsm_binding_complete - Perform the last mbarrier operation of a bound operation, and unbind it
 * @cluster: Cluster
 * @insn: The mbarrier operation on the object of the binding; as for vsm_engine_run()
 * @origin: Executing thread
 * @binding: Binding of the operation
 * @report: Rules that the operation breaks and that the cluster only reports (out); zeros before
 *	the call
 *
 * The word is exchanged and the operation is unbound while the bucket is locked. Therefore the
 * object cannot end before the operation has, however often the exchange fails. A thread that finds
 * the phase complete, by whatever means, has to take the same lock before it can look which
 * operations are bound, and then finds this one unbound.
 *
 * Return: The same values as vsm_engine_run_reporting(). After -EBUSY the operation is still bound.
 */
int vsm_binding_complete(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
			 const struct vsm_origin *origin, const struct vsm_binding *binding,
			 struct vsm_report *report)
{
	unsigned int tries;
	int ret;

	if (unlikely(READ_ONCE(cluster->lost))) {
		vsm_binding_drop(cluster, binding);
		return -EIO;
	}
	if (!cluster->geo.strict)
		return vsm_engine_run(cluster, insn, origin);
	for (tries = 0; tries < VSM_ENGINE_TRIES; tries++) {
		ret = vsm_binding_try_complete(cluster, insn, origin, binding, report);
		if (ret != -EBUSY)
			return ret;
	}
	/* Nothing has been performed. The next call finds the broken rules again. */
	report->rules = 0;
	return -EBUSY;
}

/**
 * vsm_binding_complete_run - Perform one complete-tx for several bound operations, and unbind them
 * @cluster: Cluster
 * @binding: Binding that all the operations, which threads of one CTA have issued, have: the same
 *	phase of the same mbarrier
 * @count: Number of operations
 * @tx: Bytes that the operations complete together
 * @origin: The thread that has issued the last of them
 *
 * This does the same as one complete-tx after the other. As long as the phase expects at least @tx
 * bytes, only the last of them can complete the phase, and none of them breaks a rule unless the
 * last one does.
 *
 * Return: false if nothing has been done, and the operations have to complete one by one: a rule is
 * broken, the word is busy, the phase expects fewer than @tx bytes, the cluster is lost, or its
 * policy is not strict or its layout not sm_90.
 */
bool vsm_binding_complete_run(struct vsm_cluster *cluster, const struct vsm_binding *binding,
			      u32 count, u32 tx, const struct vsm_origin *origin)
{
	struct drm_vsm_insn insn = {
		.op = DRM_VSM_OP_MBARRIER_COMPLETE_TX,
		.u.mbarrier = { .addr = binding->addr, .tx_count = tx },
	};
	u32 index = vsm_cluster_index(cluster, binding->addr);
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	u64 *p = vsm_cluster_word(cluster, index);
	struct vsm_wakes wakes = {};
	struct vsm_shadow *shadow;
	bool done = false;
	u64 old, next;

	if (!cluster->geo.strict || cluster->geo.layout != VSM_LAYOUT_SM_90 ||
	    READ_ONCE(cluster->lost))
		return false;
	spin_lock(&bucket->lock);
	shadow = vsm_shadow_find(cluster, index);
	old = READ_ONCE(*p);
	if (!vsm_shadow_in_phase(shadow, binding->serial) ||
	    vsm_mbarrier_tx(VSM_LAYOUT_SM_90, old) < (s64)tx ||
	    vsm_step(VSM_LAYOUT_SM_90, true, false, &cluster->geo, NULL, shadow, &insn,
		     origin->cta, origin->thread, old, &next, &insn.result)) {
		spin_unlock(&bucket->lock);
		return false;
	}
	WRITE_ONCE(shadow->bound, shadow->bound - count);
	if ((old ^ next) & VSM_MBARRIER_PHASE)
		done = vsm_engine_complete_locked(cluster, bucket, shadow, origin, &insn, index,
						  old, next, NULL, &wakes);
	else
		done = cmpxchg_release(p, old, next) == old;
	if (!done)
		WRITE_ONCE(shadow->bound, shadow->bound + count);
	vsm_park_unlock(bucket, &wakes);
	return done;
}
