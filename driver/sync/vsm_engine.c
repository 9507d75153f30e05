// SPDX-License-Identifier: GPL-2.0-only
/*
 * The SYNCS engine: performs mbarrier operations on words in the windows.
 *
 * The word is the truth. User space has it mapped and may write it at any time,
 * so it is changed by compare-and-exchange only, every bit pattern is acceptable
 * and the kernel's own safety depends on none.
 *
 * Ordering: a release operation orders what its thread did before against
 * whoever acquires the word afterwards: the exchange is a release and a wait's
 * load of the word an acquire. A suspended waiter gets the same from the
 * bucket's lock, under which its phase has completed. Relaxed forms ask for
 * nothing, except that the complete-tx of a copy must not be seen before the
 * copy's data; the copy engine says release for it.
 *
 * The shadow follows the word: under the bucket's lock it enters the next phase
 * before the word does. So whoever acquires the word in its new phase reads the
 * shadow there too. Who has read the word just before finds the shadow one phase
 * ahead, which the parity of the serial number shows.
 *
 * The first wait that sees a phase complete notes that in the shadow (observed), and does so
 * with the lock held: without it the word that it read may be that of a phase long gone, or the
 * shadow may be in a phase that does not come about.
 */
#include <linux/bits.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "core/vsm_step.h"
#include "vsm_drv.h"

/*
 * An exchange fails only if somebody else has written the word in between. A task gives way to
 * others after VSM_CAS_TRIES_AT_ONCE failures, and the cluster is lost after VSM_CAS_TRIES. A
 * worker returns -EBUSY after VSM_CAS_TRIES_AT_ONCE; its channel counts the attempts.
 */
#define VSM_CAS_TRIES		BIT(20)
#define VSM_CAS_TRIES_AT_ONCE	BIT(10)

/* The shadow of a word; the hardware policy has none. */
static inline struct vsm_shadow *vsm_engine_shadow(const struct vsm_cluster *cluster, u32 index)
{
	return cluster->geo.strict ? vsm_shadow_find(cluster, index) : NULL;
}

/**
 * vsm_engine_check_wait - May the word be waited on?
 * @cluster: Cluster
 * @waiter: Who would wait
 * @word: The word
 */
enum drm_vsm_fault vsm_engine_check_wait(const struct vsm_cluster *cluster,
					const struct vsm_waiter *waiter, u64 word)
{
	const struct vsm_shadow *shadow = vsm_engine_shadow(cluster, waiter->index);
	const struct vsm_geometry *geo = &cluster->geo;
	enum drm_vsm_fault fault;

	fault = vsm_word_check(geo->layout, geo->strict, geo->report, shadow, word);
	if (fault || !geo->strict || waiter->parity)
		return fault;
	return vsm_token_check(geo->layout, shadow, waiter->state);
}

/**
 * vsm_engine_observe - A wait that was checked answers True
 * @cluster: Cluster
 * @index: Index of the word
 */
void vsm_engine_observe(const struct vsm_cluster *cluster, u32 index)
{
	struct vsm_shadow *shadow = vsm_engine_shadow(cluster, index);

	if (shadow)
		vsm_shadow_observe(shadow);
}

/**
 * vsm_cluster_kill - End a cluster: every wait on it, and whatever comes later
 * @cluster: Cluster
 */
void vsm_cluster_kill(struct vsm_cluster *cluster)
{
	WRITE_ONCE(cluster->lost, true);
	vsm_park_kill(cluster->vdev, cluster, -EIO);
	vsm_groups_wake_all(cluster);
	vsm_rendezvous_kill(cluster, -EIO);
}

/*
 * An instruction breaks a rule. Refuse it; or, if the rule is only reported and @report is NULL,
 * ask for vsm_engine_run_reporting().
 */
static int vsm_engine_refuse(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
			    enum drm_vsm_fault fault, u64 word, const struct vsm_report *report)
{
	if (!report && cluster->geo.report & DRM_VSM_RULE(fault))
		return VSM_REPORTS;
	insn->result = word;
	insn->fault = fault;
	if (fault == DRM_VSM_FAULT_POISONED)
		vsm_cluster_kill(cluster);
	return -EPROTO;
}

/* Where vsm_step.h collects the broken rules; NULL: the first one refuses. */
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

static int vsm_engine_init(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 cta,
			  u32 thread, u32 index, struct vsm_report *report)
{
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	u64 *p = vsm_cluster_word(cluster, index);
	u64 next = vsm_init_word(&cluster->geo, insn->u.mbarrier.count);
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
			number = vsm_shadow_number(cluster, cta);
		xchg(p, next);
		if (shadow)
			vsm_shadow_init(shadow,
					vsm_serial(atomic_inc_return(&cluster->objects)),
					remote ? thread : VSM_FENCED, number);
		/* Reported: a count of 0 arrivals, which are there already. */
		if (shadow && vsm_mbarrier_phase(next))
			vsm_shadow_advance(shadow);
		/* Pairs with the acquire in vsm_op_begin(). */
		atomic_inc_return_release(&cluster->inits);
		vsm_park_wake(bucket, cluster, index, next, NULL, &wakes);
	}
	vsm_park_unlock(bucket, &wakes);
	vsm_report_found(report, word, info);
	if (!fault)
		return 0;
	insn->info = info;
	return vsm_engine_refuse(cluster, insn, fault, word, report);
}

static int vsm_engine_inval(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 index,
			   struct vsm_report *report)
{
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	struct vsm_shadow *shadow;
	enum drm_vsm_fault fault;
	u32 info = 0;
	u64 word;

	if (!cluster->geo.strict)
		return 0;

	spin_lock(&bucket->lock);
	shadow = vsm_shadow_find(cluster, index);
	word = READ_ONCE(*vsm_cluster_word(cluster, index));
	fault = vsm_inval_check(&cluster->geo, shadow, vsm_park_occupied(bucket, cluster, index),
				&info, vsm_report_rules(report));
	if (!fault)
		WRITE_ONCE(shadow->live, 0);
	spin_unlock(&bucket->lock);
	vsm_report_found(report, word, info);
	if (!fault)
		return 0;
	insn->info = info;
	return vsm_engine_refuse(cluster, insn, fault, word, report);
}

/**
 * vsm_engine_bind - Bind an asynchronous operation to the phase in progress
 * @cluster: Cluster
 * @addr: Checked address of the object
 * @serial: The phase (out)
 *
 * Return: %DRM_VSM_FAULT_NONE, or why the operation is refused.
 */
enum drm_vsm_fault vsm_engine_bind(struct vsm_cluster *cluster, u32 addr, u32 *serial)
{
	u32 index = vsm_cluster_index(cluster, addr);
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	struct vsm_shadow *shadow;

	if (!cluster->geo.strict)
		return DRM_VSM_FAULT_NONE;
	spin_lock(&bucket->lock);
	shadow = vsm_shadow_find(cluster, index);
	if (shadow && shadow->live) {
		*serial = shadow->serial;
		vsm_shadow_bind(shadow, false);
	} else {
		fault = DRM_VSM_FAULT_NOT_AN_MBARRIER;
	}
	spin_unlock(&bucket->lock);
	return fault;
}

/**
 * vsm_engine_issue - Issue a cp.async.mbarrier.arrive, and bind it
 * @cluster: Cluster
 * @insn: The instruction, as for vsm_engine_run()
 * @cta: Rank of the executing thread's CTA
 * @thread: Executing thread in its CTA
 * @serial: The phase that it is bound to (out)
 * @report: Rules that it breaks (out)
 *
 * It never completes a phase.
 *
 * Return: As vsm_engine_run_reporting().
 */
int vsm_engine_issue(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 cta, u32 thread,
		    u32 *serial, struct vsm_report *report)
{
	u32 index = vsm_cluster_index(cluster, insn->u.mbarrier.addr);
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	u64 *p = vsm_cluster_word(cluster, index);
	unsigned int tries;

	for (tries = 0; tries < VSM_CAS_TRIES; tries++) {
		struct vsm_shadow *shadow;
		enum drm_vsm_fault fault;
		bool done = false;
		u64 old, next;

		spin_lock(&bucket->lock);
		shadow = vsm_engine_shadow(cluster, index);
		old = READ_ONCE(*p);
		*report = (struct vsm_report) { .word = old };
		fault = vsm_mbarrier_step(&cluster->geo, shadow, insn, cta, thread, old, &next,
					  &insn->result, &report->rules);
		if (!fault)
			done = cmpxchg_relaxed(p, old, next) == old;
		if (done && shadow) {
			*serial = shadow->serial;
			vsm_shadow_bind(shadow,
					next != old && cluster->geo.layout == VSM_LAYOUT_SM_90);
		}
		spin_unlock(&bucket->lock);
		if (fault)
			return vsm_engine_refuse(cluster, insn, fault, old, report);
		if (done)
			return 0;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	vsm_cluster_kill(cluster);
	return -EIO;
}

/**
 * vsm_engine_unbind - An asynchronous operation is dropped
 * @cluster: Cluster
 * @addr: As for vsm_engine_bind()
 * @raised: It counts as a pending arrival
 * @serial: The phase that it is bound to
 */
void vsm_engine_unbind(struct vsm_cluster *cluster, u32 addr, bool raised, u32 serial)
{
	u32 index = vsm_cluster_index(cluster, addr);
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	struct vsm_shadow *shadow;

	if (!cluster->geo.strict)
		return;
	spin_lock(&bucket->lock);
	shadow = vsm_shadow_find(cluster, index);
	vsm_shadow_unbind(cluster->geo.layout, shadow, serial, raised);
	spin_unlock(&bucket->lock);
}

/**
 * vsm_engine_finds_object - Is there a valid object in a range of bytes?
 * @cluster: Cluster
 * @addr: Checked address of the first byte
 * @size: Bytes
 * @word: Word of the first object there (out, if there is one)
 * @info: Its cluster shared address (out, likewise)
 *
 * The hardware policy knows of none.
 */
bool vsm_engine_finds_object(const struct vsm_cluster *cluster, u32 addr, u32 size, u64 *word,
			    u32 *info)
{
	u32 index = vsm_cluster_index(cluster, addr);
	u32 end = vsm_cluster_index(cluster, addr + size - 1) + 1;
	u32 live;

	if (!cluster->geo.strict || !size)
		return false;
	live = vsm_shadow_live(cluster, index, end - index);
	if (live == end)
		return false;
	*word = READ_ONCE(*vsm_cluster_word(cluster, live));
	*info = round_down(addr, sizeof(u64)) + (live - index) * sizeof(u64);
	return true;
}

/**
 * struct vsm_release - What an operation publishes if it is performed
 * @cta: The inits of this CTA
 * @number: Those up to this number (vsm_shadow_unpublished())
 */
struct vsm_release {
	u32 cta;
	u64 number;
};

/*
 * Exchange the word with release semantics, and publish inits if that succeeds. Whoever acquires
 * the word afterwards and finds an init unpublished waits for the lock in vsm_shadow_look(), so
 * he finds it published. And whoever finds it published does so after the exchange.
 */
static bool vsm_engine_exchange_release(struct vsm_cluster *cluster, u64 *p, u64 old, u64 next,
				       const struct vsm_release *release)
{
	bool done;

	if (likely(!release))
		return cmpxchg_release(p, old, next) == old;
	spin_lock(&cluster->publish_lock);
	done = cmpxchg_release(p, old, next) == old;
	if (done)
		vsm_inits_publish(&cluster->published[release->cta].inits, release->number);
	spin_unlock(&cluster->publish_lock);
	return done;
}

/* Exchange the word for that of the next phase, with its bucket locked: see vsm_park.c for why. */
static bool vsm_engine_complete_locked(struct vsm_cluster *cluster, struct vsm_bucket *bucket,
				      struct vsm_shadow *shadow, u32 index, u64 old, u64 next,
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
	/* Pairs with the acquire of the word: the shadow is in the next phase already. */
	done = vsm_engine_exchange_release(cluster, p, old, next, release);
	if (done)
		vsm_park_wake(bucket, cluster, index, next, shadow, wakes);
	else if (shadow)
		vsm_shadow_retreat(shadow, observed, raised);
	return done;
}

static bool vsm_engine_complete(struct vsm_cluster *cluster, struct vsm_shadow *shadow, u32 index,
			       u64 old, u64 next, const struct vsm_release *release)
{
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	struct vsm_wakes wakes = {};
	bool done;

	spin_lock(&bucket->lock);
	done = vsm_engine_complete_locked(cluster, bucket, shadow, index, old, next, release,
					 &wakes);
	vsm_park_unlock(bucket, &wakes);
	return done;
}

/* Exchange the word for what an operation makes of it; false if it is not @old. */
static __always_inline bool vsm_engine_exchange(struct vsm_cluster *cluster,
					       struct vsm_shadow *shadow,
					       const struct drm_vsm_insn *insn, u32 index,
					       u64 old, u64 next,
					       const struct vsm_release *release)
{
	u64 *p = vsm_cluster_word(cluster, index);

	if ((old ^ next) & VSM_MBARRIER_PHASE)
		return vsm_engine_complete(cluster, shadow, index, old, next, release);
	if (insn->sem == DRM_VSM_SEM_RELAXED)
		return cmpxchg_relaxed(p, old, next) == old;
	return vsm_engine_exchange_release(cluster, p, old, next, release);
}

/*
 * Look again at a step that was refused, now that word and shadow cannot change beside each
 * other. A wait is performed here, another operation when the word is exchanged.
 */
static enum drm_vsm_fault vsm_engine_judge(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
					  u32 cta, u32 thread, u32 index, u64 *old, u64 *next,
					  u64 *broken)
{
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	struct vsm_shadow *shadow;
	enum drm_vsm_fault fault;

	spin_lock(&bucket->lock);
	shadow = vsm_engine_shadow(cluster, index);
	if (shadow)
		vsm_shadow_look(cluster, shadow, vsm_addr_rank(insn->u.mbarrier.addr));
	/* As in vsm_engine_step(). */
	*old = smp_load_acquire(vsm_cluster_word(cluster, index));
	fault = vsm_mbarrier_step(&cluster->geo, shadow, insn, cta, thread, *old, next,
				  &insn->result, broken);
	spin_unlock(&bucket->lock);
	return fault;
}

/* A step that was refused, or whose exchange has failed; or one that publishes inits or reports. */
static noinline int vsm_engine_retry(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
				    u32 cta, u32 thread, u32 index,
				    const struct vsm_release *release,
				    struct vsm_report *report)
{
	unsigned int tries;

	for (tries = 1; tries < VSM_CAS_TRIES; tries++) {
		/* Again each time: an init may have made it since the last. */
		struct vsm_shadow *shadow = vsm_engine_shadow(cluster, index);
		/* As in vsm_engine_step(). */
		u64 old = smp_load_acquire(vsm_cluster_word(cluster, index));
		enum drm_vsm_fault fault = VSM_STEP_LOCKED;
		u64 next;

		if (!report)
			fault = vsm_mbarrier_try_step(&cluster->geo, shadow, insn, cta, thread,
						      old, &next, &insn->result);
		if (fault) {
			if (report)
				report->rules = 0;
			fault = vsm_engine_judge(cluster, insn, cta, thread, index, &old, &next,
						vsm_report_rules(report));
			vsm_report_found(report, old, 0);
			if (fault)
				return vsm_engine_refuse(cluster, insn, fault, old, report);
			shadow = vsm_engine_shadow(cluster, index);
		}
		if (next == old ||
		    vsm_engine_exchange(cluster, shadow, insn, index, old, next, release))
			return 0;
		if (tries % VSM_CAS_TRIES_AT_ONCE)
			continue;
		/* It has not been performed: what it breaks is found again. */
		if (report)
			report->rules = 0;
		/* A channel comes back later, and counts. */
		if (vsm_channel_is_current())
			return -EBUSY;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	if (report)
		report->rules = 0;
	vsm_cluster_kill(cluster);
	return -EIO;
}

/*
 * An operation that is a step from one value of the word to the next, for one layout
 * and one policy, which are constants.
 */
static __always_inline int vsm_engine_step(enum vsm_layout layout, bool strict,
					  struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
					  u32 cta, u32 thread, u32 index)
{
	struct vsm_shadow *shadow = strict ? vsm_shadow_find(cluster, index) : NULL;
	/* Pairs with the exchange that completes a phase, for a wait that finds it so. */
	u64 old = smp_load_acquire(vsm_cluster_word(cluster, index));
	u64 next;

	if (likely(!vsm_step(layout, strict, false, &cluster->geo, NULL, shadow, insn, cta, thread,
			     old, &next, &insn->result)) &&
	    (next == old || vsm_engine_exchange(cluster, shadow, insn, index, old, next, NULL)))
		return 0;
	return vsm_engine_retry(cluster, insn, cta, thread, index, NULL, NULL);
}

static noinline int vsm_engine_step_sm_90(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
					 u32 cta, u32 thread, u32 index)
{
	return vsm_engine_step(VSM_LAYOUT_SM_90, true, cluster, insn, cta, thread, index);
}

static noinline int vsm_engine_step_sm_90_hardware(struct vsm_cluster *cluster,
						  struct drm_vsm_insn *insn, u32 cta, u32 thread,
						  u32 index)
{
	return vsm_engine_step(VSM_LAYOUT_SM_90, false, cluster, insn, cta, thread, index);
}

static noinline int vsm_engine_step_sm_80(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
					 u32 cta, u32 thread, u32 index)
{
	if (cluster->geo.strict)
		return vsm_engine_step(VSM_LAYOUT_SM_80, true, cluster, insn, cta, thread, index);
	return vsm_engine_step(VSM_LAYOUT_SM_80, false, cluster, insn, cta, thread, index);
}

/* fence, a full barrier whatever its .sem and .scope. */
static void vsm_engine_fence(struct vsm_cluster *cluster, const struct drm_vsm_insn *insn, u32 cta)
{
	u64 number;

	/* What the thread has loaded before, by whatever instruction, it knows of. */
	smp_mb();
	if (!vsm_insn_publishes(insn))
		return;
	number = vsm_shadow_unpublished(cluster, cta);
	if (number)
		vsm_shadow_publish(cluster, cta, number);
	/* Whoever acquires what the thread stores afterwards finds the inits published. */
	smp_mb();
}

/* The operations that are no step. */
static noinline int vsm_engine_run_other(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
					u32 cta, u32 thread, u32 index, struct vsm_report *report)
{
	enum drm_vsm_fault fault;

	switch (insn->op) {
	case DRM_VSM_OP_MBARRIER_INIT:
		return vsm_engine_init(cluster, insn, cta, thread, index, report);
	case DRM_VSM_OP_MBARRIER_INVAL:
		return vsm_engine_inval(cluster, insn, index, report);
	case DRM_VSM_OP_FENCE_MBARRIER_INIT:
		return vsm_shadow_fence(cluster, cta, thread);
	case DRM_VSM_OP_FENCE:
		vsm_engine_fence(cluster, insn, cta);
		return 0;
	default: /* DRM_VSM_OP_MBARRIER_PENDING_COUNT */
		fault = vsm_pending_token_check(&cluster->geo, insn->u.mbarrier.state,
						vsm_report_rules(report));
		if (fault)
			return vsm_engine_refuse(cluster, insn, fault, 0, report);
		insn->result = vsm_mbarrier_pending_count(cluster->geo.layout,
							  insn->u.mbarrier.state);
		return 0;
	}
}

/**
 * vsm_engine_run - Perform an mbarrier operation
 * @cluster: Cluster
 * @insn: A checked mbarrier instruction, its results being 0; gets them. For a
 *	try_wait that would suspend the result is 0
 * @cta: Rank of the executing thread's CTA
 * @thread: Executing thread in its CTA
 *
 * Context: may sleep.
 *
 * Return: 0; %VSM_REPORTS, nothing having been done: vsm_engine_run_reporting() is to do it;
 * -EPROTO, the word being unchanged and in the result; -EIO, -ENOMEM, -ENOSPC, -EINTR if the
 * task is being killed, or -EBUSY, the word being unchanged, if the caller is a channel's work
 * and somebody else keeps writing it.
 */
int vsm_engine_run(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 cta, u32 thread)
{
	u32 index = vsm_cluster_index(cluster, insn->u.mbarrier.addr);

	if (unlikely(READ_ONCE(cluster->lost)))
		return -EIO;
	if (unlikely(insn->op < DRM_VSM_OP_MBARRIER_ARRIVE ||
		     insn->op > DRM_VSM_OP_MBARRIER_TRY_WAIT))
		return vsm_engine_run_other(cluster, insn, cta, thread, index, NULL);
	if (cluster->geo.layout == VSM_LAYOUT_SM_80)
		return vsm_engine_step_sm_80(cluster, insn, cta, thread, index);
	if (!cluster->geo.strict)
		return vsm_engine_step_sm_90_hardware(cluster, insn, cta, thread, index);
	return vsm_engine_step_sm_90(cluster, insn, cta, thread, index);
}

/**
 * vsm_engine_release - Perform an mbarrier operation that publishes the inits of its CTA
 * @cluster: Cluster
 * @insn: As for vsm_engine_run(); vsm_insn_publishes()
 * @cta: Rank of the executing thread's CTA
 * @thread: Executing thread in its CTA
 *
 * An operation that is refused publishes nothing.
 *
 * Context: may sleep.
 *
 * Return: As vsm_engine_run().
 */
int vsm_engine_release(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 cta, u32 thread)
{
	struct vsm_release release = {
		.cta = cta,
		.number = vsm_shadow_unpublished(cluster, cta),
	};

	if (!release.number || insn->op == DRM_VSM_OP_FENCE)
		return vsm_engine_run(cluster, insn, cta, thread);
	if (READ_ONCE(cluster->lost))
		return -EIO;
	return vsm_engine_retry(cluster, insn, cta, thread,
			       vsm_cluster_index(cluster, insn->u.mbarrier.addr), &release, NULL);
}

/**
 * vsm_engine_run_reporting - Perform an mbarrier operation that may break rules
 * @cluster: Cluster
 * @insn: As for vsm_engine_run(), or vsm_engine_release()
 * @cta: Rank of the executing thread's CTA
 * @thread: Executing thread in its CTA
 * @report: The rules that it breaks and that the cluster only reports, also if it is refused for
 *	another one (out)
 *
 * Context: may sleep.
 *
 * Return: As vsm_engine_run(), but for %VSM_REPORTS.
 */
int vsm_engine_run_reporting(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 cta,
			    u32 thread, struct vsm_report *report)
{
	u32 index = vsm_cluster_index(cluster, insn->u.mbarrier.addr);
	struct vsm_release release = {
		.cta = cta,
		.number = vsm_insn_publishes(insn) ? vsm_shadow_unpublished(cluster, cta) : 0,
	};

	*report = (struct vsm_report) {};
	/* vsm_engine_run() may have left it. */
	insn->info = 0;
	if (READ_ONCE(cluster->lost))
		return -EIO;
	if (insn->op < DRM_VSM_OP_MBARRIER_ARRIVE || insn->op > DRM_VSM_OP_MBARRIER_TRY_WAIT)
		return vsm_engine_run_other(cluster, insn, cta, thread, index, report);
	return vsm_engine_retry(cluster, insn, cta, thread, index,
			       release.number ? &release : NULL, report);
}

/*
 * As vsm_mbarrier_step(). Nearly every copy ends with a complete-tx in layout sm_90: that has code
 * of its own here.
 */
static __always_inline enum drm_vsm_fault
vsm_engine_step_bound(const struct vsm_geometry *geo, struct vsm_shadow *shadow,
		     const struct drm_vsm_insn *insn, u32 cta, u32 thread, u64 old, u64 *next,
		     u64 *result, u64 *broken)
{
	if (likely(geo->layout == VSM_LAYOUT_SM_90 && insn->op == DRM_VSM_OP_MBARRIER_COMPLETE_TX))
		return vsm_step(VSM_LAYOUT_SM_90, true, true, geo, broken, shadow, insn, cta,
				thread, old, next, result);
	return vsm_mbarrier_step(geo, shadow, insn, cta, thread, old, next, result, broken);
}

/* An attempt of vsm_engine_run_bound(): 0, -EBUSY, or what refuses the operation. */
static int vsm_engine_try_bound(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 cta,
			       u32 thread, bool raised, u32 serial, struct vsm_report *report)
{
	u32 index = vsm_cluster_index(cluster, insn->u.mbarrier.addr);
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, index);
	u64 *p = vsm_cluster_word(cluster, index);
	struct vsm_wakes wakes = {};
	struct vsm_shadow *shadow;
	enum drm_vsm_fault fault;
	bool lowered, completes, done = false;
	u64 old, next;

	spin_lock(&bucket->lock);
	shadow = vsm_shadow_find(cluster, index);
	if (unlikely(shadow->unfenced != VSM_FENCED))
		vsm_shadow_look(cluster, shadow, vsm_addr_rank(insn->u.mbarrier.addr));
	old = READ_ONCE(*p);
	*report = (struct vsm_report) { .word = old };
	fault = vsm_late_check(shadow, serial);
	if (fault && !vsm_rule_refuses(&cluster->geo, &report->rules, fault))
		fault = DRM_VSM_FAULT_NONE;
	lowered = vsm_shadow_unbind(cluster->geo.layout, shadow, serial, raised);
	if (!fault)
		fault = vsm_engine_step_bound(&cluster->geo, shadow, insn, cta, thread, old, &next,
					     &insn->result, &report->rules);
	completes = !fault && (old ^ next) & VSM_MBARRIER_PHASE;
	if (completes)
		done = vsm_engine_complete_locked(cluster, bucket, shadow, index, old, next, NULL,
						 &wakes);
	else if (!fault)
		done = cmpxchg_release(p, old, next) == old;
	if (!fault && !done)
		vsm_shadow_bind(shadow, lowered);
	/* Other woken waits in the bucket are ended by those who have completed their phases. */
	if (completes)
		vsm_park_unlock(bucket, &wakes);
	else
		spin_unlock(&bucket->lock);
	if (fault)
		return vsm_engine_refuse(cluster, insn, fault, old, report);
	return done ? 0 : -EBUSY;
}

/**
 * vsm_engine_run_bound - Perform what an asynchronous operation ends with, and unbind it
 * @cluster: Cluster
 * @insn: As for vsm_engine_run()
 * @cta: Rank of the executing thread's CTA
 * @thread: Executing thread in its CTA
 * @raised: The asynchronous operation counts as a pending arrival
 * @serial: The phase that it is bound to
 * @report: Zeros; the rules that it breaks, as vsm_engine_run_reporting() gives them (out)
 *
 * The word is exchanged and the operation unbound under the lock of the bucket. So the object
 * cannot end before the operation has, however often the exchange fails; and a thread that finds
 * the phase over, by whatever means, has to wait for the lock before it can ask who is bound.
 *
 * Context: the work of a channel.
 *
 * Return: As vsm_engine_run_reporting(). After -EBUSY the operation is bound as it was.
 */
int vsm_engine_run_bound(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 cta,
			u32 thread, bool raised, u32 serial, struct vsm_report *report)
{
	unsigned int tries;
	int ret;

	if (unlikely(READ_ONCE(cluster->lost))) {
		vsm_engine_unbind(cluster, insn->u.mbarrier.addr, raised, serial);
		return -EIO;
	}
	if (!cluster->geo.strict)
		return vsm_engine_run(cluster, insn, cta, thread);
	for (tries = 0; tries < VSM_CAS_TRIES_AT_ONCE; tries++) {
		ret = vsm_engine_try_bound(cluster, insn, cta, thread, raised, serial, report);
		if (ret != -EBUSY)
			return ret;
	}
	/* It has not been performed: what it breaks is found again. */
	report->rules = 0;
	return -EBUSY;
}
