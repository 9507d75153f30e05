// SPDX-License-Identifier: GPL-2.0-only
/*
 * The threads of a cluster in a rendezvous, and the waiters for them.
 */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/sched.h>

#include "base/vsm_client.h"
#include "base/vsm_fault.h"
#include "sync/vsm_engine.h"
#include "sync/vsm_rendezvous_wait.h"
#include "sync/vsm_waiter.h"
#include "vsm_drv.h"

/* --- the state of the threads ---------------------------------------------------- */

/*
 * The state of the threads of a cluster in a rendezvous: it is made at the first rendezvous of the
 * cluster, and freed with the cluster.
 */

static u64 vsm_rendezvous_bytes(const struct vsm_cluster *cluster)
{
	return offsetof(struct vsm_cluster_rendezvous, rv) + vsm_rendezvous_size(&cluster->geo);
}

static struct vsm_cluster_rendezvous *vsm_rendezvous_alloc(struct vsm_cluster *cluster)
{
	struct vsm_cluster_rendezvous *threads;

	threads = vsm_quota_alloc(&cluster->client->quota, 1, vsm_rendezvous_bytes(cluster));
	if (IS_ERR(threads))
		return threads;
	spin_lock_init(&threads->lock);
	threads->cluster = cluster;
	vsm_rendezvous_init(&threads->rv, &cluster->geo);
	return threads;
}

static void vsm_rendezvous_drop(struct vsm_cluster_rendezvous *threads)
{
	struct vsm_cluster *cluster = threads->cluster;

	vsm_quota_free(&cluster->client->quota, threads, 1, vsm_rendezvous_bytes(cluster));
}

/**
 * vsm_rendezvous_create - Allocate the state of a cluster's threads, unless another task is faster
 * @cluster: Cluster; its client is charged for the state
 *
 * Return: The state, which is freed with the cluster; -ENOMEM or -ENOSPC as a pointer.
 */
struct vsm_cluster_rendezvous *vsm_rendezvous_create(struct vsm_cluster *cluster)
{
	struct vsm_cluster_rendezvous *threads = vsm_rendezvous_alloc(cluster), *other;
	struct vsm_device *vdev = cluster->vdev;

	if (IS_ERR(threads))
		return threads;

	mutex_lock(&vdev->rendezvous_lock);
	other = cluster->rendezvous;
	if (!other) {
		list_add(&threads->link, &vdev->rendezvous);
		/* Pairs with the acquire in vsm_rendezvous_find(). */
		smp_store_release(&cluster->rendezvous, threads);
	}
	mutex_unlock(&vdev->rendezvous_lock);
	if (!other)
		return threads;
	/* Another task was faster. */
	vsm_rendezvous_drop(threads);
	return other;
}

void vsm_rendezvous_free(struct vsm_cluster *cluster)
{
	struct vsm_cluster_rendezvous *threads = cluster->rendezvous;

	if (!threads)
		return;
	mutex_lock(&cluster->vdev->rendezvous_lock);
	list_del(&threads->link);
	mutex_unlock(&cluster->vdev->rendezvous_lock);
	vsm_rendezvous_drop(threads);
}

/* --- events ---------------------------------------------------------------------- */

/*
 * Events of rendezvous: threads arrive, and the last of them releases the others.
 */

/* Set what an event says of the instruction. */
static void vsm_event_set_rendezvous(struct drm_vsm_trace_event *event,
				     const struct drm_vsm_insn *insn)
{
	event->op = insn->op;
	event->mods = insn->mods;
	if (insn->op >= DRM_VSM_OP_MATCH_SYNC && insn->op <= DRM_VSM_OP_REDUX_SYNC) {
		event->value = insn->u.warp.membermask;
	} else if (insn->op >= DRM_VSM_OP_BARRIER_SYNC && insn->op <= DRM_VSM_OP_BARRIER_RED) {
		event->addr = insn->u.barrier.barrier;
		event->value = insn->u.barrier.count;
	}
}

/* Give the arrivals that follow a number, if somebody looks at the cluster. */
static noinline void vsm_arrivals_number(struct vsm_cluster_rendezvous *threads)
{
	struct vsm_recorder *recorder = &threads->cluster->recorder;

	if (!vsm_recorder_is_on(recorder))
		return;
	/* The lower half of the number is not 0. */
	do {
		threads->number = vsm_record_number(recorder);
		threads->rv.cause = threads->number;
	} while (!threads->rv.cause);
	threads->rv.releases = false;
	threads->arrived = 0;
}

/*
 * Threads of a warp are going to arrive. If somebody looks, this gives their arrival a number: that
 * of its event, and the cause of what it brings about.
 */
static inline void vsm_arrivals_begin(struct vsm_cluster_rendezvous *threads)
{
	lockdep_assert_held(&threads->lock);
	threads->rv.cause = 0;
	if (vsm_is_recording())
		vsm_arrivals_number(threads);
}

/*
 * A thread is going to arrive, unless it is in the instruction already and executes it again to get
 * the result. If its instruction is refused, the caller takes it out of @arrived again.
 */
static noinline void vsm_arrivals_add(struct vsm_cluster_rendezvous *threads, u32 cta, u32 thread)
{
	if (!vsm_rendezvous_is_in(&threads->rv, cta, thread))
		threads->arrived |= BIT(thread % VSM_WARP_SIZE);
}

/*
 * Record that threads have arrived, and whether this releases threads.
 * @origin: One of the threads; its @lanes are all of them, or 0 if @threads knows them
 */
static noinline void vsm_arrivals_record(struct vsm_cluster_rendezvous *threads,
					 const struct vsm_origin *origin,
					 const struct drm_vsm_insn *insn)
{
	struct drm_vsm_trace_event event __uninitialized;

	lockdep_assert_held(&threads->lock);
	/* If recording began after vsm_arrivals_begin(), nobody knows who has arrived. */
	if (!threads->rv.cause || !threads->arrived)
		return;
	event = vsm_event_of(origin, DRM_VSM_TRACE_ARRIVE);
	event.lanes = origin->lanes ?: threads->arrived;
	event.thread = round_down(origin->thread, VSM_WARP_SIZE) + __ffs(event.lanes);
	vsm_event_set_rendezvous(&event, insn);
	event.id = threads->number;
	vsm_record(origin->recorder, &event);
	if (!threads->rv.releases)
		return;
	event.type = DRM_VSM_TRACE_RELEASE;
	vsm_record(origin->recorder, &event);
}

/*
 * Record the arrivals so far, if the next lane arrives at something else.
 * @origin: The last thread that has arrived
 * @insn: Its instruction; the results are not read
 * @next: The instruction of the next thread, with the same operation
 */
static noinline void vsm_arrivals_split(struct vsm_cluster_rendezvous *threads,
					const struct vsm_origin *origin,
					const struct drm_vsm_insn *insn,
					const struct drm_vsm_insn *next)
{
	struct drm_vsm_trace_event one = {}, other = {};

	vsm_event_set_rendezvous(&one, insn);
	vsm_event_set_rendezvous(&other, next);
	if (one.addr == other.addr && one.value == other.value)
		return;
	vsm_arrivals_record(threads, origin, insn);
	vsm_arrivals_begin(threads);
}

/* Record that a wait begins. */
static noinline void vsm_record_rendezvous(struct vsm_waiter *waiter,
					   const struct drm_vsm_insn *insn)
{
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_recorder_is_on(waiter->origin->recorder))
		return;
	event = vsm_waiter_event(waiter);
	vsm_event_set_rendezvous(&event, insn);
	vsm_record_wait(waiter, &event);
}

/* The number of the arrival that made the result of a lane ready, or 0. */
static u64 vsm_lane_cause(const struct vsm_cluster_rendezvous *threads, const struct vsm_lane *lane)
{
	/* There have been fewer than 2^32 arrivals since. */
	return lane->cause ? threads->number - (u32)((u32)threads->number - lane->cause) : 0;
}

/* Record that a wait has ended. */
static noinline void vsm_record_rendezvous_end(struct vsm_waiter *waiter,
					       const struct drm_vsm_insn *insn, int error)
{
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_recorder_is_on(waiter->origin->recorder))
		return;
	event = vsm_waiter_event(waiter);
	vsm_event_set_rendezvous(&event, insn);
	vsm_record_wait_end(waiter, &event, error);
}

/* Record that a wait has ended because the result of the lane is ready. */
static noinline void vsm_record_rendezvous_result(const struct vsm_cluster_rendezvous *threads,
						  const struct vsm_lane *lane,
						  struct vsm_waiter *waiter,
						  const struct drm_vsm_insn *insn)
{
	lockdep_assert_held(&threads->lock);
	waiter->cause = vsm_lane_cause(threads, lane);
	vsm_record_rendezvous_end(waiter, insn, insn->fault ? -EPROTO : 0);
}

/* --- waiters --------------------------------------------------------------------- */

/*
 * The waiters for threads in a rendezvous: tasks and armed waits. core/vsm_rendezvous.h has the
 * state of the threads.
 *
 * A thread that has executed the instruction stays in it, even if its waiter leaves because of a
 * signal. The same waiter or another one may later execute the instruction again to get the result.
 *
 * Why no wake-up is lost: a waiter executes the instruction, finds that the result is not ready,
 * and is attached to its thread, all under one lock. The task that makes the result ready takes the
 * same lock and finds the waiter attached. Why no waiter is woken twice: a waiter is detached under
 * the lock when its wait ends or when it leaves.
 *
 * Many threads may be released at once. Their waits end in batches, and the lock is dropped between
 * two batches. A waiter that is not in a batch yet is still attached. If another event ends its
 * wait first, the waiter still gets the result.
 *
 * Ordering: both the thread that arrives and a thread that is released afterwards take the lock.
 * Everything that the first did before it arrived therefore happened before everything that the
 * second does afterwards. This is true for .release and for .relaxed, but .relaxed makes no inits
 * visible.
 */

static struct vsm_lane *vsm_rendezvous_lane_of(struct vsm_cluster_rendezvous *threads,
					       const struct vsm_rendezvous_waiter *waiter)
{
	const struct vsm_origin *origin = waiter->base.origin;

	return vsm_rendezvous_lane(&threads->rv, origin->cta, origin->thread);
}

static void vsm_rendezvous_attach(struct vsm_rendezvous_waiter *waiter, struct vsm_lane *lane)
{
	lane->waiter = waiter;
	waiter->base.waiting = true;
	waiter->base.counted = false;
	waiter->base.since = jiffies;
	waiter->base.epoch = atomic_read(&waiter->base.cluster->deadlock_epoch);
	waiter->base.number = 0;
	if (vsm_is_recording())
		vsm_record_rendezvous(&waiter->base, waiter->insn);
}

/*
 * Count the lanes of a wait as suspended. If the wait has ended meanwhile, or may itself resume a
 * thread, there is nothing to count.
 */
static void vsm_rendezvous_suspend(struct vsm_rendezvous_waiter *waiter,
				   const struct vsm_lane *lane)
{
	const struct vsm_origin *origin = waiter->base.origin;
	struct vsm_cluster *cluster = waiter->base.cluster;

	if (!waiter->base.waiting || !waiter->suspends)
		return;
	waiter->base.epoch = atomic_read(&cluster->deadlock_epoch);
	waiter->base.warp = vsm_cluster_warp(cluster, origin->cta, origin->thread);
	waiter->base.untimed = waiter->lanes ?: lane->set;
	vsm_waiter_suspend(&waiter->base);
}

static void vsm_rendezvous_detach(struct vsm_rendezvous_waiter *waiter, struct vsm_lane *lane)
{
	lane->waiter = NULL;
	waiter->base.waiting = false;
	if (waiter->base.counted)
		vsm_waiter_resume(&waiter->base);
}

/* Report, or at least count, a breach of a rule that the cluster does not enforce. */
static void vsm_rendezvous_note(const struct vsm_rendezvous_waiter *waiter,
				enum drm_vsm_fault rule, u32 info, struct vsm_wakes *wakes)
{
	const struct vsm_report report = { .rules = DRM_VSM_RULE(rule), .info = info };
	struct vsm_cluster *cluster = waiter->base.cluster;

	if (cluster->geo.report & report.rules)
		vsm_fault_report_locked(waiter->base.origin, waiter->source, waiter->insn, &report,
					wakes);
	else
		vsm_fault_count(cluster->vdev, rule);
}

/* Copy the result of a thread into the waiter's instruction. The result is ready. */
static inline void vsm_rendezvous_take_result(struct vsm_cluster_rendezvous *threads,
					      const struct vsm_rendezvous_waiter *waiter,
					      struct vsm_wakes *wakes)
{
	const struct vsm_origin *origin = waiter->base.origin;
	struct drm_vsm_insn *insn = waiter->insn;

	vsm_rendezvous_take(&threads->rv, origin->cta, origin->thread, insn);
	if (likely(!insn->fault) || vsm_rendezvous_refuses(&threads->rv, insn->fault))
		return;
	vsm_rendezvous_note(waiter, insn->fault, insn->info, wakes);
	insn->fault = DRM_VSM_FAULT_NONE;
	insn->info = 0;
}

/* End a wait with the result, which is ready. */
static inline void vsm_rendezvous_deliver(struct vsm_cluster_rendezvous *threads,
					  struct vsm_rendezvous_waiter *waiter,
					  struct vsm_lane *lane, struct vsm_wakes *wakes)
{
	vsm_rendezvous_detach(waiter, lane);
	vsm_rendezvous_take_result(threads, waiter, wakes);
	if (vsm_is_recording())
		vsm_record_rendezvous_result(threads, lane, &waiter->base, waiter->insn);
	waiter->base.end(&waiter->base, 0, wakes);
}

/*
 * Stop counting the threads of the next batch of released waiters as suspended, before the first of
 * their waits ends. Waiters that follow each other in the list are usually for lanes of one warp:
 * these lanes leave the count together, which takes the lock of the warp's count once.
 */
static void vsm_rendezvous_resume_batch(struct vsm_cluster_rendezvous *threads)
{
	struct vsm_lane *lane = threads->rv.released;
	u32 count, warp = 0, lanes = 0;

	for (count = 0; lane && count < VSM_WAKE_BATCH; count++, lane = lane->next) {
		struct vsm_rendezvous_waiter *waiter = lane->waiter;

		if (!waiter->base.counted)
			continue;
		waiter->base.counted = false;
		/* A lane that two waiters suspend leaves the count twice. */
		if (lanes && (waiter->base.warp != warp || lanes & waiter->base.untimed)) {
			vsm_cluster_resume(threads->cluster, warp, lanes);
			lanes = 0;
		}
		warp = waiter->base.warp;
		lanes |= waiter->base.untimed;
	}
	if (lanes)
		vsm_cluster_resume(threads->cluster, warp, lanes);
}

static void vsm_rendezvous_deliver_batch(struct vsm_cluster_rendezvous *threads,
					 struct vsm_wakes *wakes)
{
	struct vsm_lane *lane;
	u32 count;

	for (count = 0; count < VSM_WAKE_BATCH; count++) {
		lane = vsm_rendezvous_next(&threads->rv);
		if (!lane)
			break;
		vsm_rendezvous_deliver(threads, lane->waiter, lane, wakes);
	}
}

/*
 * End the waits for all threads whose results are ready. The lock is dropped between two batches.
 */
static noinline void vsm_rendezvous_wake_all(struct vsm_cluster_rendezvous *threads,
					     struct vsm_wakes *wakes)
{
	for (;;) {
		lockdep_assert_held(&threads->lock);
		vsm_rendezvous_resume_batch(threads);
		vsm_rendezvous_deliver_batch(threads, wakes);
		if (!threads->rv.released)
			return;
		spin_unlock(&threads->lock);
		cond_resched();
		spin_lock(&threads->lock);
	}
}

static inline void vsm_rendezvous_wake(struct vsm_cluster_rendezvous *threads,
				       struct vsm_wakes *wakes)
{
	if (threads->rv.released)
		vsm_rendezvous_wake_all(threads, wakes);
}

/* Count the threads that have exited as suspended for ever. */
static void vsm_rendezvous_exit(struct vsm_cluster_rendezvous *threads,
				const struct vsm_rendezvous_waiter *waiter)
{
	struct vsm_cluster *cluster = threads->cluster;
	u32 cta = waiter->base.origin->cta, thread = waiter->base.origin->thread;
	u32 exited = vsm_rendezvous_warp(&threads->rv, cta, thread)->exited;

	/*
	 * Pairs with the acquire in vsm_thread_has_exited(). The rendezvous was created before this
	 * thread found it. A task that reads this value of live therefore finds the rendezvous too.
	 */
	smp_store_release(&cluster->live, threads->rv.live);
	vsm_cluster_exit(cluster, vsm_cluster_warp(cluster, cta, thread),
			 exited & vsm_cluster_lanes(cluster, thread));
}

/*
 * Make inits visible after a thread of @cta has executed an instruction. @phase is the phase of the
 * barrier of the cluster before the instruction.
 *
 * A warp that arrives at that barrier with .release releases all inits that its threads know of.
 * Threads that wait for the phase acquire these inits when the phase completes. The inits therefore
 * become visible when the phase completes, before any thread can find it complete. If several warps
 * of a CTA arrive with .release, the number of the last one is the highest, and is used.
 */
static noinline void vsm_rendezvous_make_visible(struct vsm_cluster_rendezvous *threads, u32 cta,
						 u32 phase)
{
	struct vsm_cluster *cluster = threads->cluster;
	struct vsm_rendezvous *rv = &threads->rv;

	lockdep_assert_held(&threads->lock);
	if (rv->release) {
		rv->release = false;
		threads->inits[cta] = vsm_shadow_pending(cluster, cta);
		if (threads->inits[cta])
			threads->releasing |= BIT(cta);
	}
	if (rv->phase == phase || !threads->releasing)
		return;
	for_each_set_bit(cta, &threads->releasing, VSM_MAX_CTAS)
		vsm_shadow_make_visible(cluster, cta, threads->inits[cta]);
	threads->releasing = 0;
}

/*
 * End the waits of lanes whose results are ready but whose batch has not come. Such a lane leaves
 * its instruction when its wait ends. Until then it would pass as a lane that is still in it.
 */
static noinline void vsm_lanes_end_released(struct vsm_cluster_rendezvous *threads,
					    const struct vsm_rendezvous_waiter *waiter,
					    struct vsm_wakes *wakes)
{
	u32 i, thread = waiter->base.origin->thread;
	struct vsm_warp *warp = vsm_rendezvous_warp(&threads->rv, waiter->base.origin->cta, thread);
	unsigned long lanes = waiter->lanes ?: BIT(thread % VSM_WARP_SIZE);

	for_each_set_bit(i, &lanes, VSM_WARP_SIZE)
		if (vsm_lane_is_due(&warp->lanes[i]))
			vsm_rendezvous_deliver(threads, warp->lanes[i].waiter, &warp->lanes[i],
					       wakes);
}

/* There are such lanes only while vsm_rendezvous_wake() has dropped the lock. */
static inline void vsm_lanes_end_due(struct vsm_cluster_rendezvous *threads,
				     const struct vsm_rendezvous_waiter *waiter,
				     struct vsm_wakes *wakes)
{
	if (unlikely(threads->rv.released))
		vsm_lanes_end_released(threads, waiter, wakes);
}

/*
 * Execute the instruction of a waiter: the thread is in it afterwards, or has exited. Returns 0 or
 * -EPROTO. The caller then wakes others with vsm_rendezvous_wake().
 */
static inline int vsm_rendezvous_execute_for(struct vsm_cluster_rendezvous *threads,
					     struct vsm_rendezvous_waiter *waiter,
					     struct vsm_wakes *wakes)
{
	u32 cta = waiter->base.origin->cta, thread = waiter->base.origin->thread;
	struct drm_vsm_insn *insn = waiter->insn;
	struct vsm_rendezvous *rv = &threads->rv;
	u32 phase = rv->phase;

	if (vsm_is_recording())
		vsm_arrivals_add(threads, cta, thread);
	insn->fault = vsm_rendezvous_execute(rv, cta, thread, waiter->converged, insn);
	if (insn->fault) {
		threads->arrived &= ~BIT(thread % VSM_WARP_SIZE);
		return -EPROTO;
	}
	if (unlikely(rv->noted)) {
		vsm_rendezvous_note(waiter, rv->noted, 0, wakes);
		rv->noted = DRM_VSM_FAULT_NONE;
	}
	if (unlikely(rv->release || rv->phase != phase))
		vsm_rendezvous_make_visible(threads, cta, phase);
	return 0;
}

static int vsm_rendezvous_run(struct vsm_cluster_rendezvous *threads,
			      struct vsm_rendezvous_waiter *waiter, struct vsm_wakes *wakes)
{
	u32 cta = waiter->base.origin->cta, thread = waiter->base.origin->thread;
	struct vsm_lane *lane = vsm_rendezvous_lane_of(threads, waiter);
	struct drm_vsm_insn *insn = waiter->insn;
	struct vsm_rendezvous *rv = &threads->rv;
	int ret;

	vsm_lanes_end_due(threads, waiter, wakes);
	if (waiter->lanes && !vsm_rendezvous_are_in(rv, cta, thread, waiter->lanes, insn))
		return -EINVAL;
	vsm_arrivals_begin(threads);
	ret = vsm_rendezvous_execute_for(threads, waiter, wakes);
	if (ret)
		return ret;
	if (vsm_is_recording())
		vsm_arrivals_record(threads, waiter->base.origin, insn);
	if (insn->op == DRM_VSM_OP_EXIT) {
		vsm_rendezvous_wake(threads, wakes);
		vsm_rendezvous_exit(threads, waiter);
		return 1;
	}
	if (vsm_rendezvous_is_released(rv, cta, thread)) {
		vsm_rendezvous_take_result(threads, waiter, wakes);
		vsm_rendezvous_wake(threads, wakes);
		return insn->fault ? -EPROTO : 1;
	}
	vsm_rendezvous_attach(waiter, lane);
	/*
	 * The others are woken before this thread counts as suspended: vsm_waiter.c needs this
	 * order.
	 */
	vsm_rendezvous_wake(threads, wakes);
	vsm_rendezvous_suspend(waiter, lane);
	return 0;
}

/*
 * Execute a rendezvous, or exit, for a thread.
 * @waiter: Waiter whose @base.cluster, @base.armed, @base.origin, @base.end, @source, @converged,
 *	@suspends, @lanes and @insn are set. The instruction gets the result, or the fault
 *
 * If threads count as suspended now, or the thread has exited, the caller calls
 * vsm_deadlock_check() afterwards.
 *
 * Context: may sleep. Returns 0 if the result was not ready and @waiter was attached to the
 * thread; the wait may have ended by now. 1 if the result is ready, or the thread has exited.
 * -EPROTO, -EIO, -ENODEV, -ENOMEM or -ENOSPC; -EINVAL if @lanes are not in the instruction.
 */
int vsm_rendezvous_enter(struct vsm_rendezvous_waiter *waiter)
{
	struct vsm_cluster *cluster = waiter->base.cluster;
	struct vsm_cluster_rendezvous *threads = vsm_rendezvous_get_or_create(cluster);
	struct vsm_wakes wakes = {};
	int ret;

	waiter->base.waiting = false;
	if (IS_ERR(threads))
		return PTR_ERR(threads);
	spin_lock(&threads->lock);
	/*
	 * vsm_waiter.c sets these marks before it takes the lock. If it has not found @threads, it
	 * takes no lock. Then this barrier pairs with the one in vsm_rendezvous_end_cluster(), and
	 * the mark is seen here.
	 */
	smp_mb__after_spinlock();
	if (READ_ONCE(cluster->vdev->lost))
		ret = -ENODEV;
	else if (READ_ONCE(cluster->lost))
		ret = -EIO;
	else
		ret = vsm_rendezvous_run(threads, waiter, &wakes);
	spin_unlock(&threads->lock);
	vsm_wakes_run(&wakes);
	return ret;
}

/*
 * Take the results of lanes that have executed their instructions. Returns 0; or -EPROTO if an
 * instruction is refused now that it is complete: @batch then ends before it.
 */
static int vsm_rendezvous_take_lanes(struct vsm_cluster_rendezvous *threads,
				     struct vsm_rendezvous_waiter *waiter,
				     struct vsm_lane_batch *batch, struct vsm_wakes *wakes)
{
	struct drm_vsm_insn *insn = waiter->insn;
	u32 i, cta = waiter->base.origin->cta;

	for (i = 0; i < batch->count; i++) {
		struct vsm_lane_result *result = &batch->results[i];

		waiter->base.origin->thread = result->thread;
		memcpy(insn, batch->insns[i], offsetof(struct drm_vsm_insn, result));
		insn->result = 0;
		insn->fault = DRM_VSM_FAULT_NONE;
		insn->info = 0;
		if (!vsm_rendezvous_is_released(&threads->rv, cta, result->thread)) {
			batch->suspended |= BIT(result->thread % VSM_WARP_SIZE);
		} else {
			vsm_rendezvous_take_result(threads, waiter, wakes);
			if (insn->fault) {
				batch->count = i;
				return -EPROTO;
			}
		}
		result->result = insn->result;
		result->info = insn->info;
	}
	return 0;
}

/**
 * vsm_rendezvous_enter_lanes - Execute a rendezvous for several lanes of a warp, without a waiter
 * @waiter: Has @base.cluster, @base.origin, @source and @insn. @insn gets the fault if an
 *	instruction is refused, and @base.origin the thread
 * @batch: The lanes, and the values that they bring; gets the results
 *
 * Every lane that is not complete afterwards stays in its instruction and has no waiter, as after a
 * signal.
 *
 * The lock is held for all lanes, which costs far less than to take it for each. They are at most
 * 32, and at most one of them completes a barrier.
 *
 * Return: 0; -EPROTO if the instruction behind those that @batch counts is refused; -EIO, -ENODEV,
 * -ENOMEM or -ENOSPC if nothing was done.
 */
int vsm_rendezvous_enter_lanes(struct vsm_rendezvous_waiter *waiter, struct vsm_lane_batch *batch)
{
	struct vsm_cluster *cluster = waiter->base.cluster;
	struct vsm_cluster_rendezvous *threads = vsm_rendezvous_get_or_create(cluster);
	struct drm_vsm_insn *insn = waiter->insn;
	struct drm_vsm_insn refused;
	struct vsm_wakes wakes = {};
	u32 i, count = batch->count;
	int ret;

	batch->count = 0;
	if (IS_ERR(threads))
		return PTR_ERR(threads);
	spin_lock(&threads->lock);
	/* Pairs with the barrier in vsm_rendezvous_end_cluster(), as in vsm_rendezvous_enter(). */
	smp_mb__after_spinlock();
	ret = READ_ONCE(cluster->vdev->lost) ? -ENODEV : READ_ONCE(cluster->lost) ? -EIO : 0;
	vsm_arrivals_begin(threads);
	for (i = 0; i < count && !ret; i++) {
		if (vsm_is_recording() && i)
			vsm_arrivals_split(threads, waiter->base.origin,
					   (void *)batch->insns[i - 1], (void *)batch->insns[i]);
		waiter->base.origin->thread = batch->results[i].thread;
		memcpy(insn, batch->insns[i], offsetof(struct drm_vsm_insn, result));
		insn->result = 0;
		insn->info = 0;
		vsm_lanes_end_due(threads, waiter, &wakes);
		ret = vsm_rendezvous_execute_for(threads, waiter, &wakes);
	}
	if (ret == -EPROTO) {
		i--;
		refused = *insn;
	}
	batch->count = i;
	if (vsm_is_recording())
		vsm_arrivals_record(threads, waiter->base.origin, insn);
	if (i && vsm_rendezvous_take_lanes(threads, waiter, batch, &wakes)) {
		ret = -EPROTO;
	} else if (ret == -EPROTO) {
		*insn = refused;
		waiter->base.origin->thread = batch->results[i].thread;
	}
	vsm_rendezvous_wake(threads, &wakes);
	spin_unlock(&threads->lock);
	vsm_wakes_run(&wakes);
	return ret;
}

/* End a wait with @error, or with the result if that is ready. Returns false if it was ready. */
static bool vsm_rendezvous_finish(struct vsm_cluster_rendezvous *threads,
				  struct vsm_rendezvous_waiter *waiter, int error,
				  struct vsm_wakes *wakes)
{
	struct vsm_lane *lane = vsm_rendezvous_lane_of(threads, waiter);

	lockdep_assert_held(&threads->lock);
	if (vsm_lane_is_due(lane)) {
		vsm_rendezvous_deliver(threads, waiter, lane, wakes);
		return false;
	}
	vsm_rendezvous_detach(waiter, lane);
	if (vsm_is_recording())
		vsm_record_rendezvous_end(&waiter->base, waiter->insn,
					  error ?: waiter->base.armed ? -ECANCELED : -EINTR);
	if (error)
		waiter->base.end(&waiter->base, error, wakes);
	return true;
}

/*
 * Detach a waiter from its thread, which stays in the rendezvous. Returns true if the waiter was
 * attached, false if its wait has ended already.
 */
bool vsm_rendezvous_leave(struct vsm_rendezvous_waiter *waiter)
{
	struct vsm_cluster_rendezvous *threads = vsm_rendezvous_find(waiter->base.cluster);
	struct vsm_wakes wakes = {};
	bool attached;

	spin_lock(&threads->lock);
	attached = waiter->base.waiting && vsm_rendezvous_finish(threads, waiter, 0, &wakes);
	spin_unlock(&threads->lock);
	vsm_wakes_run(&wakes);
	return attached;
}

/*
 * End a wait for a thread, unless it has ended.
 * @error: Error with which the wait ends, unless the result of the rendezvous is ready
 * @wakes: Gets the readers that the caller wakes after it has dropped its locks (out)
 */
void vsm_rendezvous_end(struct vsm_rendezvous_waiter *waiter, int error, struct vsm_wakes *wakes)
{
	struct vsm_cluster_rendezvous *threads = vsm_rendezvous_find(waiter->base.cluster);

	spin_lock(&threads->lock);
	if (waiter->base.waiting)
		vsm_rendezvous_finish(threads, waiter, error, wakes);
	spin_unlock(&threads->lock);
}

/* A deadlock ends only waits of suspended threads that had begun before it was found. */
static bool vsm_rendezvous_ends_with(const struct vsm_rendezvous_waiter *waiter, int error)
{
	return error != -EDEADLK || (waiter->suspends && !vsm_waiter_is_younger(&waiter->base));
}

static void vsm_rendezvous_end_warp(struct vsm_cluster_rendezvous *threads, u32 cta, u32 warp,
				    int error, struct vsm_wakes *wakes)
{
	struct vsm_rendezvous *rv = &threads->rv;
	u32 i;

	lockdep_assert_held(&threads->lock);
	for (i = 0; i < VSM_WARP_SIZE; i++) {
		u32 thread = warp * VSM_WARP_SIZE + i;
		struct vsm_lane *lane = vsm_rendezvous_lane(rv, cta, thread);
		struct vsm_rendezvous_waiter *waiter = lane->waiter;
		u32 lanes;

		if (!waiter || !vsm_rendezvous_ends_with(waiter, error))
			continue;
		/* After its end the waiter may be gone. */
		lanes = waiter->lanes ?: BIT(i);
		if (error == -EDEADLK)
			waiter->insn->result = lane->insn.result;
		if (vsm_rendezvous_finish(threads, waiter, error, wakes) && error == -EDEADLK)
			vsm_rendezvous_withdraw_lanes(rv, cta, thread, lanes);
	}
}

/**
 * vsm_rendezvous_end_cluster - End all waits for threads of a cluster
 * @cluster: Cluster that is lost or deadlocked
 * @error: Error with which the waits end; -EDEADLK also withdraws the threads from their rendezvous
 */
void vsm_rendezvous_end_cluster(struct vsm_cluster *cluster, int error)
{
	struct vsm_cluster_rendezvous *threads;
	struct vsm_wakes wakes = {};
	u32 cta, warp;

	/*
	 * Pairs with the barrier in vsm_rendezvous_enter(). Either this function finds @threads,
	 * or a thread that enters there finds the cluster lost.
	 */
	smp_mb();
	threads = vsm_rendezvous_find(cluster);
	if (!threads)
		return;
	for (cta = 0; cta < cluster->geo.ctas; cta++) {
		if (error == -EDEADLK) {
			spin_lock(&threads->lock);
			vsm_rendezvous_note_deadlock(&threads->rv, cta);
			spin_unlock(&threads->lock);
		}
		for (warp = 0; warp < vsm_geometry_warps(&cluster->geo); warp++) {
			spin_lock(&threads->lock);
			vsm_rendezvous_end_warp(threads, cta, warp, error, &wakes);
			spin_unlock(&threads->lock);
			cond_resched();
		}
	}
	vsm_wakes_run(&wakes);
}

/* End all waits for threads of a device's clusters. */
void vsm_rendezvous_end_device(struct vsm_device *vdev)
{
	struct vsm_cluster_rendezvous *threads;

	mutex_lock(&vdev->rendezvous_lock);
	list_for_each_entry(threads, &vdev->rendezvous, link)
		vsm_rendezvous_end_cluster(threads->cluster, -ENODEV);
	mutex_unlock(&vdev->rendezvous_lock);
}

/* Has a thread exited? The cluster has a rendezvous. Others call vsm_thread_has_exited(). */
bool vsm_rendezvous_has_exited(struct vsm_cluster *cluster, u32 cta, u32 thread)
{
	return vsm_rendezvous_exited(&vsm_rendezvous_find(cluster)->rv, cta, thread);
}
