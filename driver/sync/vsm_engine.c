// SPDX-License-Identifier: GPL-2.0-only
/*
 * The SYNCS engine, which performs mbarrier operations on words, completes phases, and binds
 * asynchronous operations to phases.
 */
#include <linux/bits.h>
#include <linux/sched.h>

#include "base/vsm_fault.h"
#include "core/vsm_step.h"
#include "object/vsm_cluster.h"
#include "sync/vsm_engine.h"
#include "sync/vsm_waiter.h"

/* --- the exchange of a word ------------------------------------------------------ */

/*
 * The exchange of a word for its next value, and the completion of phases. The section "operations"
 * below says which order the exchange gives.
 *
 * A phase completes while the bucket of the word is locked. The shadow enters the next phase before
 * the word does, the events are recorded, and then the waiters of the phase are woken.
 */

/**
 * struct vsm_release - Inits that an operation makes visible if it is performed
 * @cta: Rank of the CTA that did the inits
 * @number: The inits of the CTA up to this number become visible (vsm_shadow_pending())
 */
struct vsm_release {
	u32 cta;
	u64 number;
};

/*
 * Exchange the word with release semantics, and make inits visible if that succeeds. Both happen
 * under @visible_lock. A thread that acquires the word afterwards, and finds an init that is not
 * visible, takes the same lock in vsm_shadow_update() and then finds the init visible. No thread
 * finds it visible before the exchange.
 */
static inline bool vsm_engine_exchange_release(struct vsm_cluster *cluster, u64 *p, u64 old,
					       u64 next, const struct vsm_release *release)
{
	bool done;

	if (likely(!release))
		return cmpxchg_release(p, old, next) == old;
	spin_lock(&cluster->visible_lock);
	done = cmpxchg_release(p, old, next) == old;
	if (done)
		vsm_inits_make_visible(&cluster->visible[release->cta].inits, release->number);
	spin_unlock(&cluster->visible_lock);
	return done;
}

/*
 * Record an operation that has completed a phase, and the phase. The waiters of the phase have not
 * been woken: their events come later, and name the phase.
 */
static void vsm_engine_record(const struct vsm_cluster *cluster, struct vsm_bucket *bucket,
			      const struct vsm_shadow *shadow, const struct vsm_origin *origin,
			      const struct drm_vsm_insn *insn, u32 index, u64 old, u64 next)
{
	u32 serial = shadow ? vsm_shadow_serial(shadow, old) : 0;

	vsm_record_insn(origin, insn, old, next);
	bucket->cause = vsm_record_phase(origin, cluster, index, old, next, serial);
}

/*
 * vsm_engine_complete_locked(), inline for the callers in this file. If @origin is NULL, nothing is
 * recorded.
 */
static __always_inline bool
vsm_engine_complete_inline(struct vsm_cluster *cluster, struct vsm_bucket *bucket,
			   struct vsm_shadow *shadow, const struct vsm_origin *origin,
			   const struct drm_vsm_insn *insn, u32 index, u64 old, u64 next,
			   const struct vsm_release *release, struct vsm_wakes *wakes)
{
	u64 *p = vsm_cluster_word(cluster, index);
	u32 raised = 0;
	u8 observed = 0;
	bool done;

	lockdep_assert_held(&bucket->lock);
	if (shadow) {
		observed = shadow->observed;
		raised = shadow->raised;
		vsm_shadow_advance(shadow);
	}
	/*
	 * The exchange is a release. Pairs with the acquire of the word: a thread that reads the
	 * new phase finds the shadow in that phase.
	 */
	done = vsm_engine_exchange_release(cluster, p, old, next, release);
	if (done) {
		atomic64_inc(&cluster->phases);
		if (origin)
			vsm_engine_record(cluster, bucket, shadow, origin, insn, index, old, next);
		vsm_park_wake(bucket, cluster, index, next, shadow, wakes);
		if (origin)
			bucket->cause = 0;
	} else if (shadow) {
		vsm_shadow_retreat(shadow, observed, raised);
	}
	return done;
}

/*
 * Exchange the word for that of the next phase.
 * @bucket: Bucket of the word, which is locked (vsm_park.c says why)
 * @shadow: Shadow of the object, or NULL
 * @origin: Thread or asynchronous operation that executes @insn
 * @insn: The instruction, with its result
 * @old: Value of the word that was read
 * @next: Value of the word in its next phase
 * @release: Inits to make visible, or NULL
 * @wakes: Gets the readers that the caller wakes after it has dropped its locks (out)
 *
 * The caller unlocks the bucket with vsm_park_unlock().
 *
 * Returns whether the word was exchanged.
 */
static bool vsm_engine_complete_locked(struct vsm_cluster *cluster, struct vsm_bucket *bucket,
				       struct vsm_shadow *shadow, const struct vsm_origin *origin,
				       const struct drm_vsm_insn *insn, u32 index, u64 old,
				       u64 next, const struct vsm_release *release,
				       struct vsm_wakes *wakes)
{
	return vsm_engine_complete_inline(cluster, bucket, shadow,
					  vsm_is_recording() ? origin : NULL, insn, index, old,
					  next, release, wakes);
}

static bool vsm_engine_complete(struct vsm_cluster *cluster, struct vsm_shadow *shadow, u32 index,
				u64 old, u64 next, const struct vsm_release *release)
{
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	struct vsm_wakes wakes = {};
	bool done;

	spin_lock(&bucket->lock);
	done = vsm_engine_complete_inline(cluster, bucket, shadow, NULL, NULL, index, old, next,
					  release, &wakes);
	vsm_park_unlock(bucket, &wakes);
	return done;
}

/* vsm_engine_complete(), and record the operation and the phase. */
static noinline bool vsm_engine_complete_recording(struct vsm_cluster *cluster,
						   struct vsm_shadow *shadow,
						   const struct drm_vsm_insn *insn,
						   const struct vsm_origin *origin, u32 index,
						   u64 old, u64 next,
						   const struct vsm_release *release)
{
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	struct vsm_wakes wakes = {};
	bool done;

	spin_lock(&bucket->lock);
	done = vsm_engine_complete_inline(cluster, bucket, shadow, origin, insn, index, old, next,
					  release, &wakes);
	vsm_park_unlock(bucket, &wakes);
	return done;
}

/* Exchange the word for the result of an operation; false if it is no longer @old. */
static __always_inline bool vsm_engine_exchange(struct vsm_cluster *cluster,
						struct vsm_shadow *shadow,
						const struct drm_vsm_insn *insn,
						const struct vsm_origin *origin, u32 index,
						u64 old, u64 next,
						const struct vsm_release *release)
{
	u64 *p = vsm_cluster_word(cluster, index);
	bool done;

	if ((old ^ next) & VSM_MBARRIER_PHASE) {
		if (vsm_is_recording())
			return vsm_engine_complete_recording(cluster, shadow, insn, origin, index,
							     old, next, release);
		return vsm_engine_complete(cluster, shadow, index, old, next, release);
	}
	if (insn->sem == DRM_VSM_SEM_RELAXED)
		done = cmpxchg_relaxed(p, old, next) == old;
	else
		done = vsm_engine_exchange_release(cluster, p, old, next, release);
	if (vsm_is_recording() && done)
		vsm_record_insn(origin, insn, old, next);
	return done;
}

/* --- operations ------------------------------------------------------------------ */

/*
 * The SYNCS engine: performs mbarrier operations on words in the windows.
 *
 * The word in the window is the state of an mbarrier. User space has the window mapped and may
 * write to the word at any time. The engine therefore changes the word only by
 * compare-and-exchange, and accepts every bit pattern. The safety of the kernel does not depend on
 * the word.
 *
 * Ordering: everything that a thread did before an operation with release semantics happened before
 * what another thread does after it has acquired the word. The exchange of the word is a release,
 * and the load of the word by a wait is an acquire. A suspended waiter gets the same order from the
 * bucket's lock, under which its phase has completed. Relaxed forms need no order, with one
 * exception: no thread may see the complete-tx of a copy before the copy's data. The copy engine
 * therefore performs a complete-tx with release semantics.
 *
 * While the bucket is locked, the shadow enters the next phase before the word does. A thread that
 * acquires the word in its new phase therefore reads the shadow in that phase too. A thread that
 * has read the word shortly before may find the shadow one phase ahead; the parity of the serial
 * number shows that.
 *
 * The first wait that finds a phase complete sets @observed in the shadow, while the bucket is
 * locked. Without the lock, the word that the wait has read may be of an older phase, or the shadow
 * may be in a phase that does not begin because the exchange of the word fails.
 */

/*
 * Count that an operation has ended with -EBUSY.
 * @busy: How often the operation has ended so in a row; incremented
 *
 * Other tasks keep writing the word. After %VSM_MAX_BUSY failures in a row this kills the cluster,
 * and the next attempt ends with -EIO.
 */
void vsm_engine_count_busy(struct vsm_cluster *cluster, u16 *busy)
{
	if (++*busy == VSM_MAX_BUSY)
		vsm_cluster_kill(cluster);
}

/*
 * Refuse an instruction that breaks a rule.
 * @insn: The instruction; gets fault and word
 * @report: Where the caller collects broken rules; NULL if it does not collect them. A trap takes
 *	its rule out, because the refusal names it
 *
 * The caller has to pass the refused instruction to vsm_cluster_refuse(), which knows whether it is
 * a trap.
 *
 * Returns -EPROTO; or %VSM_REPORTS if @report is NULL and the cluster only reports the rule: then
 * the caller has to use vsm_engine_run_reporting().
 */
static int vsm_engine_refuse(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
			     enum drm_vsm_fault fault, u64 word, struct vsm_report *report)
{
	if (!report && cluster->geo.report & DRM_VSM_RULE(fault))
		return VSM_REPORTS;
	insn->result = word;
	insn->fault = fault;
	if (report)
		report->rules &= ~DRM_VSM_RULE(fault);
	return -EPROTO;
}

/* The mask to which vsm_step.h adds broken rules; NULL if the first one refuses the operation. */
static u64 *vsm_report_rules(struct vsm_report *report)
{
	return report ? &report->rules : NULL;
}

static void vsm_report_found(struct vsm_report *report, u64 word, u32 info)
{
	if (!report)
		return;
	report->word = word;
	report->info = info;
}

static int vsm_engine_init(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
			   const struct vsm_origin *origin, u32 index, struct vsm_report *report)
{
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	u64 *p = vsm_cluster_word(cluster, index);
	u64 next = vsm_mbarrier_init(cluster->geo.layout, insn->u.mbarrier.count);
	bool remote = cluster->geo.ctas > 1 && cluster->geo.layout == VSM_LAYOUT_SM_90;
	struct vsm_shadow *shadow = NULL;
	struct vsm_wakes wakes = {};
	enum drm_vsm_fault fault;
	u64 word, number = 0;
	u32 info = 0;

	if (cluster->geo.strict) {
		shadow = vsm_shadow_get_or_create(cluster, index);
		if (IS_ERR(shadow))
			return PTR_ERR(shadow);
	}

	spin_lock(&bucket->lock);
	word = READ_ONCE(*p);
	fault = vsm_init_check(&cluster->geo, shadow, word, &info, vsm_report_rules(report));
	if (!fault) {
		if (shadow && remote)
			number = vsm_shadow_number(cluster, origin->cta);
		xchg(p, next);
		if (shadow)
			vsm_shadow_init(shadow, vsm_serial(atomic_inc_return(&cluster->objects)),
					remote ? origin->thread : VSM_VISIBLE, number);
		/* A count out of range, which is only reported, may set the parity to 1. */
		if (shadow && vsm_mbarrier_phase(next))
			vsm_shadow_advance(shadow);
		/* Pairs with the acquire in vsm_op_begin(). */
		atomic_inc_return_release(&cluster->inits);
		if (vsm_is_recording())
			vsm_record_insn(origin, insn, word, next);
		vsm_park_wake(bucket, cluster, index, next, NULL, &wakes);
	}
	vsm_park_unlock(bucket, &wakes);
	vsm_report_found(report, word, info);
	if (!fault)
		return 0;
	insn->info = info;
	return vsm_engine_refuse(cluster, insn, fault, word, report);
}

static int vsm_engine_inval(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
			    const struct vsm_origin *origin, u32 index, struct vsm_report *report)
{
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	struct vsm_shadow *shadow;
	enum drm_vsm_fault fault;
	u32 info = 0;
	u64 word;

	if (!cluster->geo.strict) {
		if (vsm_is_recording()) {
			word = READ_ONCE(*vsm_cluster_word(cluster, index));
			vsm_record_insn(origin, insn, word, word);
		}
		return 0;
	}

	spin_lock(&bucket->lock);
	shadow = vsm_shadow_find(cluster, index);
	word = READ_ONCE(*vsm_cluster_word(cluster, index));
	fault = vsm_inval_check(&cluster->geo, shadow, vsm_park_occupied(bucket, cluster, index),
				&info, vsm_report_rules(report));
	if (!fault) {
		WRITE_ONCE(shadow->live, 0);
		if (vsm_is_recording())
			vsm_record_insn(origin, insn, word, word);
	}
	spin_unlock(&bucket->lock);
	vsm_report_found(report, word, info);
	if (!fault)
		return 0;
	insn->info = info;
	return vsm_engine_refuse(cluster, insn, fault, word, report);
}

/* An operation has left the word as it was. */
static __always_inline int vsm_engine_looked(const struct drm_vsm_insn *insn,
					     const struct vsm_origin *origin, u64 word)
{
	if (vsm_is_recording())
		vsm_record_insn(origin, insn, word, word);
	return 0;
}

/*
 * Repeat a step that was refused, this time with the bucket locked, so that word and shadow are in
 * the same phase. A wait is performed here. For other operations the caller exchanges the word.
 */
static enum drm_vsm_fault vsm_engine_judge(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
					   const struct vsm_origin *origin, u32 index, u64 *old,
					   u64 *next, u64 *broken)
{
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	struct vsm_shadow *shadow;
	enum drm_vsm_fault fault;

	spin_lock(&bucket->lock);
	shadow = vsm_shadow_find_strict(cluster, index);
	if (shadow)
		vsm_shadow_update(cluster, shadow, vsm_addr_rank(insn->u.mbarrier.addr));
	/* The acquire pairs with the exchange that completes a phase. */
	*old = smp_load_acquire(vsm_cluster_word(cluster, index));
	fault = vsm_mbarrier_step(&cluster->geo, shadow, insn, origin->cta, origin->thread, *old,
				  next, &insn->result, broken);
	spin_unlock(&bucket->lock);
	return fault;
}

/*
 * Perform a step in a loop until the exchange of the word succeeds. This is for steps that were
 * refused or whose exchange has failed, for steps that make inits visible, and for steps that may
 * break a rule which the cluster only reports. An exchange fails only if another writer has changed
 * the word.
 */
static noinline int vsm_engine_retry(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
				     const struct vsm_origin *origin, u32 index,
				     const struct vsm_release *release, struct vsm_report *report)
{
	unsigned int tries;

	for (tries = 0; tries < VSM_ENGINE_TRIES; tries++) {
		/* The shadow is looked up in each attempt, because an init may have created it. */
		struct vsm_shadow *shadow = vsm_shadow_find_strict(cluster, index);
		/* The acquire pairs with the exchange that completes a phase. */
		u64 old = smp_load_acquire(vsm_cluster_word(cluster, index));
		enum drm_vsm_fault fault = VSM_STEP_LOCKED;
		u64 next;

		if (!report)
			fault = vsm_mbarrier_try_step(&cluster->geo, shadow, insn, origin->cta,
						      origin->thread, old, &next, &insn->result);
		if (fault) {
			if (report)
				report->rules = 0;
			fault = vsm_engine_judge(cluster, insn, origin, index, &old, &next,
						 vsm_report_rules(report));
			vsm_report_found(report, old, 0);
			if (fault)
				return vsm_engine_refuse(cluster, insn, fault, old, report);
			shadow = vsm_shadow_find_strict(cluster, index);
		}
		if (next == old)
			return vsm_engine_looked(insn, origin, old);
		if (vsm_engine_exchange(cluster, shadow, insn, origin, index, old, next, release))
			return 0;
	}
	/* Nothing has been performed. The next call finds the broken rules again. */
	if (report)
		report->rules = 0;
	return -EBUSY;
}

/*
 * Perform an operation that makes the next word from the present one. Layout and policy are
 * compile-time constants, so that the compiler makes code for each pair of them.
 */
static __always_inline int vsm_engine_step(enum vsm_layout layout, bool strict,
					   struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
					   const struct vsm_origin *origin, u32 index)
{
	struct vsm_shadow *shadow = strict ? vsm_shadow_find(cluster, index) : NULL;
	/* The acquire is for a wait. It pairs with the exchange that completes a phase. */
	u64 old = smp_load_acquire(vsm_cluster_word(cluster, index));
	u64 next;

	if (likely(!vsm_step(layout, strict, false, &cluster->geo, NULL, shadow, insn, origin->cta,
			     origin->thread, old, &next, &insn->result))) {
		if (next == old)
			return vsm_engine_looked(insn, origin, old);
		if (vsm_engine_exchange(cluster, shadow, insn, origin, index, old, next, NULL))
			return 0;
	}
	return vsm_engine_retry(cluster, insn, origin, index, NULL, NULL);
}

static noinline int vsm_engine_step_sm_90(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
					  const struct vsm_origin *origin, u32 index)
{
	return vsm_engine_step(VSM_LAYOUT_SM_90, true, cluster, insn, origin, index);
}

static noinline int vsm_engine_step_sm_90_hardware(struct vsm_cluster *cluster,
						   struct drm_vsm_insn *insn,
						   const struct vsm_origin *origin, u32 index)
{
	return vsm_engine_step(VSM_LAYOUT_SM_90, false, cluster, insn, origin, index);
}

static noinline int vsm_engine_step_sm_80(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
					  const struct vsm_origin *origin, u32 index)
{
	if (cluster->geo.strict)
		return vsm_engine_step(VSM_LAYOUT_SM_80, true, cluster, insn, origin, index);
	return vsm_engine_step(VSM_LAYOUT_SM_80, false, cluster, insn, origin, index);
}

/* Execute a fence. It is a full memory barrier, whatever its .sem and .scope. */
static void vsm_engine_fence(struct vsm_cluster *cluster, const struct drm_vsm_insn *insn, u32 cta)
{
	u64 number;

	/*
	 * Pairs with the exchange in vsm_engine_init(): if the thread has seen the effect of an
	 * init, by any load, it finds the init counted below.
	 */
	smp_mb();
	if (!vsm_insn_makes_visible(insn))
		return;
	number = vsm_shadow_pending(cluster, cta);
	if (number)
		vsm_shadow_make_visible(cluster, cta, number);
	/*
	 * A thread that acquires a value which this thread stores afterwards finds the inits
	 * visible.
	 */
	smp_mb();
}

/*
 * Does the instruction make the next word of the present one? vsm_engine_run_other() performs the
 * others: init and inval come before these in enum drm_vsm_op, pending_count and fences after them.
 */
static inline bool vsm_insn_is_step(const struct drm_vsm_insn *insn)
{
	static_assert(DRM_VSM_OP_MBARRIER_INVAL + 1 == DRM_VSM_OP_MBARRIER_ARRIVE);
	static_assert(DRM_VSM_OP_MBARRIER_TRY_WAIT - DRM_VSM_OP_MBARRIER_ARRIVE == 5);
	static_assert(DRM_VSM_OP_MBARRIER_TRY_WAIT + 1 == DRM_VSM_OP_MBARRIER_PENDING_COUNT);

	return insn->op >= DRM_VSM_OP_MBARRIER_ARRIVE && insn->op <= DRM_VSM_OP_MBARRIER_TRY_WAIT;
}

/* Perform an operation that is not a step of the word. */
static noinline int vsm_engine_run_other(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
					 const struct vsm_origin *origin, u32 index,
					 struct vsm_report *report)
{
	enum drm_vsm_fault fault;

	switch (insn->op) {
	case DRM_VSM_OP_MBARRIER_INIT:
		return vsm_engine_init(cluster, insn, origin, index, report);
	case DRM_VSM_OP_MBARRIER_INVAL:
		return vsm_engine_inval(cluster, insn, origin, index, report);
	case DRM_VSM_OP_FENCE_MBARRIER_INIT:
		return vsm_shadow_fence(cluster, origin->cta, origin->thread) ?:
		       vsm_engine_looked(insn, origin, 0);
	case DRM_VSM_OP_FENCE:
		vsm_engine_fence(cluster, insn, origin->cta);
		return vsm_engine_looked(insn, origin, 0);
	default: /* DRM_VSM_OP_MBARRIER_PENDING_COUNT */
		fault = vsm_pending_token_check(&cluster->geo, insn->u.mbarrier.state,
						vsm_report_rules(report));
		if (fault)
			return vsm_engine_refuse(cluster, insn, fault, 0, report);
		insn->result = vsm_mbarrier_pending_count(cluster->geo.layout,
							  insn->u.mbarrier.state);
		return vsm_engine_looked(insn, origin, 0);
	}
}

/*
 * Perform an mbarrier operation or a fence.
 * @insn: Checked instruction. Its results are 0 before the call; they are set. A try_wait that
 *	would suspend gets the result 0
 *
 * Context: may sleep. Returns 0; %VSM_REPORTS if nothing was done and the caller has to call
 * vsm_engine_run_reporting(); -EPROTO, with the unchanged word as the result; -EIO, -ENOMEM or
 * -ENOSPC; -EBUSY if nothing was done because others keep writing the word. After -EBUSY the
 * caller calls vsm_engine_count_busy(), lets other tasks run, and tries again.
 */
int vsm_engine_run(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
		   const struct vsm_origin *origin)
{
	u32 index = vsm_cluster_index(cluster, insn->u.mbarrier.addr);

	if (unlikely(READ_ONCE(cluster->lost)))
		return -EIO;
	if (unlikely(!vsm_insn_is_step(insn)))
		return vsm_engine_run_other(cluster, insn, origin, index, NULL);
	if (cluster->geo.layout == VSM_LAYOUT_SM_80)
		return vsm_engine_step_sm_80(cluster, insn, origin, index);
	if (!cluster->geo.strict)
		return vsm_engine_step_sm_90_hardware(cluster, insn, origin, index);
	return vsm_engine_step_sm_90(cluster, insn, origin, index);
}

static __always_inline bool vsm_engine_combine(bool strict, struct vsm_cluster *cluster,
					       struct drm_vsm_insn *insn,
					       const struct vsm_origin *origin, u32 lanes,
					       u64 *step)
{
	u32 index = vsm_cluster_index(cluster, insn->u.mbarrier.addr);
	struct vsm_shadow *shadow = strict ? vsm_shadow_find(cluster, index) : NULL;
	u64 old = READ_ONCE(*vsm_cluster_word(cluster, index));
	u64 next;

	return vsm_step_arrives(VSM_LAYOUT_SM_90, strict, &cluster->geo, shadow, insn, origin->cta,
				origin->thread, lanes, old, &next, &insn->result, step) &&
	       vsm_engine_exchange(cluster, shadow, insn, origin, index, old, next, NULL);
}

/*
 * Perform equal arrives of several lanes of a warp with one exchange.
 * @insn: Checked mbarrier instruction. Its results are 0 before the call; they become those of the
 *	first lane
 * @lanes: Number of lanes, more than 0
 * @step: Gets the difference between the results of a lane and of the one before it
 *
 * Returns true if all lanes have arrived; false if nothing was done, and the caller has to call
 * vsm_engine_run() for each lane.
 */
bool vsm_engine_arrive_lanes(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
			     const struct vsm_origin *origin, u32 lanes, u64 *step)
{
	if (insn->op != DRM_VSM_OP_MBARRIER_ARRIVE || READ_ONCE(cluster->lost) ||
	    cluster->geo.layout != VSM_LAYOUT_SM_90 ||
	    (vsm_insn_makes_visible(insn) && vsm_shadow_pending(cluster, origin->cta)))
		return false;
	return cluster->geo.strict ? vsm_engine_combine(true, cluster, insn, origin, lanes, step)
				   : vsm_engine_combine(false, cluster, insn, origin, lanes, step);
}

/*
 * Perform an mbarrier operation that makes the inits of its CTA visible.
 * @insn: Checked mbarrier instruction that vsm_insn_makes_visible(). Its results are 0 before the
 *	call; they are set
 *
 * An operation that is refused makes nothing visible.
 *
 * Context: may sleep. Returns the same values as vsm_engine_run().
 */
int vsm_engine_release(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
		       const struct vsm_origin *origin)
{
	struct vsm_release release = {
		.cta = origin->cta,
		.number = vsm_shadow_pending(cluster, origin->cta),
	};

	if (!release.number || insn->op == DRM_VSM_OP_FENCE)
		return vsm_engine_run(cluster, insn, origin);
	if (READ_ONCE(cluster->lost))
		return -EIO;
	return vsm_engine_retry(cluster, insn, origin,
				vsm_cluster_index(cluster, insn->u.mbarrier.addr), &release, NULL);
}

/*
 * Perform an mbarrier operation that may break reported rules.
 * @insn: The instruction, as for vsm_engine_run() or vsm_engine_release()
 * @report: Rules that the operation breaks and that the cluster only reports, even if it is
 *	refused because of another rule (out)
 *
 * Context: may sleep. Returns the same values as vsm_engine_run(), except %VSM_REPORTS.
 */
int vsm_engine_run_reporting(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
			     const struct vsm_origin *origin, struct vsm_report *report)
{
	u32 index = vsm_cluster_index(cluster, insn->u.mbarrier.addr);
	struct vsm_release release = {
		.cta = origin->cta,
		.number =
			vsm_insn_makes_visible(insn) ? vsm_shadow_pending(cluster, origin->cta) : 0,
	};

	*report = (struct vsm_report) {};
	/* A call of vsm_engine_run() that returned VSM_REPORTS may have set it. */
	insn->info = 0;
	if (READ_ONCE(cluster->lost))
		return -EIO;
	if (!vsm_insn_is_step(insn))
		return vsm_engine_run_other(cluster, insn, origin, index, report);
	return vsm_engine_retry(cluster, insn, origin, index, release.number ? &release : NULL,
				report);
}

/* --- bindings -------------------------------------------------------------------- */

/*
 * Bindings of asynchronous operations to phases. An operation that is issued is bound to the phase
 * of its mbarrier that is in progress. When the operation completes, that phase must still be in
 * progress. The strict policy checks this. It also refuses to end an object while an operation is
 * bound to it. The hardware policy has no bindings.
 */

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
		vsm_shadow_bind(cluster->geo.layout, shadow, false);
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
		vsm_shadow_bind(cluster->geo.layout, shadow, binding->raised);
	}
	/* Without .noinc the arrive that will come counts as pending from now on. */
	if (done && next != old && vsm_is_recording())
		vsm_record_insn(origin, insn, old, next);
	spin_unlock(&bucket->lock);
	if (fault)
		return vsm_engine_refuse(cluster, insn, fault, old, report);
	return done ? 0 : -EBUSY;
}

/*
 * Issue a cp.async.mbarrier.arrive, and bind it.
 * @insn: Checked cp.async.mbarrier.arrive. Its results are 0 before the call; they are set
 * @binding: Binding whose @addr and @raised are set; gets @serial
 * @report: Rules that the instruction breaks and that the cluster only reports (out)
 *
 * The issue of the instruction never completes a phase.
 *
 * Returns 0; -EPROTO if it was refused; -EBUSY if nothing was done because others keep writing the
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

/* Unbind an operation that ends without completing. */
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
		vsm_shadow_bind(cluster->geo.layout, shadow, lowered);
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

/*
 * Perform the last mbarrier operation of a bound operation, and unbind it.
 * @insn: The mbarrier operation on the object of the binding; as for vsm_engine_run()
 * @report: Rules that the operation breaks and that the cluster only reports (out); zeros before
 *	the call
 *
 * The word is exchanged and the operation is unbound while the bucket is locked. Therefore the
 * object cannot end before the operation has, however often the exchange fails. A thread that
 * finds the phase complete, by whatever means, has to take the same lock before it can look which
 * operations are bound, and then finds this one unbound.
 *
 * Returns the same values as vsm_engine_run_reporting(). After -EBUSY the operation is still
 * bound.
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

/*
 * Perform one complete-tx for several bound operations, and unbind them.
 * @binding: Binding that all the operations, which threads of one CTA have issued, have: the same
 *	phase of the same mbarrier
 * @tx: Bytes that the operations complete together
 * @origin: The thread that has issued the last of them
 *
 * This does the same as one complete-tx after the other. As long as the phase expects at least @tx
 * bytes, only the last of them can complete the phase, and none of them breaks a rule unless the
 * last one does.
 *
 * Returns false if nothing has been done, and the operations have to complete one by one: a rule
 * is broken, the word is busy, the phase expects fewer than @tx bytes, the cluster is lost, or its
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
