// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rendezvous: threads that meet (core/vsm_rendezvous.h), and who waits for them, a task or
 * an armed wait.
 *
 * A thread has arrived once it has executed the instruction, whatever becomes of the one that
 * waits for it: he may leave for a signal, and he or another one come back for the result.
 *
 * Why no wake-up is lost: a waiter is attached to its thread under the lock under which it
 * has executed, and found that the result was not there; whoever brings the result finds it
 * attached. And why none is woken twice: ending it, or leaving, detaches it under the lock.
 *
 * Many may be released at once. Their waits end in batches, between which the lock is free:
 * a waiter whose turn has not come is still attached, and whoever would end its wait for
 * another reason gives it the result that is there.
 *
 * Ordering: all that a thread did before it arrived happened before what anybody does who was
 * released after that, since both have had the lock. So .relaxed orders as .release does; what it
 * does not do is to publish inits.
 */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "core/vsm_rendezvous.h"
#include "vsm_drv.h"

/**
 * struct vsm_cluster_rendezvous - The rendezvous of a cluster, from its first one on
 * @lock: Protects @rv and the waiters attached to its lanes
 * @cluster: Cluster
 * @link: In &vsm_device.rendezvous
 * @releasing: CTAs that publish inits when the phase of the cluster's barrier in progress is over
 * @inits: For each of them, up to which number; protected by @lock, as is @releasing
 * @rv: The state of its threads
 */
struct vsm_cluster_rendezvous {
	spinlock_t lock; /* rv */
	struct vsm_cluster *cluster;
	struct list_head link;
	unsigned long releasing;
	u64 inits[VSM_MAX_CTAS];
	struct vsm_rendezvous rv;
};

static u64 vsm_rendezvous_bytes(const struct vsm_cluster *cluster)
{
	return offsetof(struct vsm_cluster_rendezvous, rv) + vsm_rendezvous_size(&cluster->geo);
}

static struct vsm_cluster_rendezvous *vsm_rendezvous_find(struct vsm_cluster *cluster)
{
	/* Pairs with the release in vsm_rendezvous_get_or_create(). */
	return smp_load_acquire(&cluster->rendezvous);
}

static struct vsm_cluster_rendezvous *vsm_rendezvous_alloc(struct vsm_cluster *cluster)
{
	struct vsm_cluster_rendezvous *site;
	int ret;

	ret = vsm_client_charge(cluster->client, VSM_RES_BYTES, vsm_rendezvous_bytes(cluster));
	if (ret)
		return ERR_PTR(ret);
	site = kvzalloc(vsm_rendezvous_bytes(cluster), GFP_KERNEL_ACCOUNT);
	if (!site) {
		vsm_client_uncharge(cluster->client, VSM_RES_BYTES, vsm_rendezvous_bytes(cluster));
		return ERR_PTR(-ENOMEM);
	}
	spin_lock_init(&site->lock);
	site->cluster = cluster;
	vsm_rendezvous_init(&site->rv, &cluster->geo);
	return site;
}

static void vsm_rendezvous_drop(struct vsm_cluster_rendezvous *site)
{
	struct vsm_cluster *cluster = site->cluster;

	kvfree(site);
	vsm_client_uncharge(cluster->client, VSM_RES_BYTES, vsm_rendezvous_bytes(cluster));
}

/* It stays as long as the cluster. */
static struct vsm_cluster_rendezvous *vsm_rendezvous_get_or_create(struct vsm_cluster *cluster)
{
	struct vsm_device *vdev = cluster->vdev;
	struct vsm_cluster_rendezvous *site = vsm_rendezvous_find(cluster), *other;

	if (site)
		return site;
	site = vsm_rendezvous_alloc(cluster);
	if (IS_ERR(site))
		return site;

	mutex_lock(&vdev->rendezvous_lock);
	other = cluster->rendezvous;
	if (!other) {
		list_add(&site->link, &vdev->rendezvous);
		/* Pairs with the acquire in vsm_rendezvous_find(). */
		smp_store_release(&cluster->rendezvous, site);
	}
	mutex_unlock(&vdev->rendezvous_lock);
	if (!other)
		return site;
	/* Somebody was faster. */
	vsm_rendezvous_drop(site);
	return other;
}

void vsm_rendezvous_free(struct vsm_cluster *cluster)
{
	struct vsm_cluster_rendezvous *site = cluster->rendezvous;

	if (!site)
		return;
	mutex_lock(&cluster->vdev->rendezvous_lock);
	list_del(&site->link);
	mutex_unlock(&cluster->vdev->rendezvous_lock);
	vsm_rendezvous_drop(site);
}

static u32 vsm_cluster_warp(const struct vsm_cluster *cluster, u32 cta, u32 thread)
{
	return cta * vsm_geometry_warps(&cluster->geo) + thread / VSM_WARP_SIZE;
}

static void vsm_rendezvous_waiter_attach(struct vsm_rendezvous_waiter *waiter, struct vsm_lane *lane)
{
	struct vsm_cluster *cluster = waiter->cluster;

	lane->waiter = waiter;
	waiter->attached = true;
	waiter->counted = 0;
	waiter->deadlock = atomic_read(&cluster->deadlocks);
}

/* The thread of a task that is about to sleep counts as suspended. */
static void vsm_rendezvous_waiter_count(struct vsm_rendezvous_waiter *waiter, const struct vsm_lane *lane)
{
	struct vsm_cluster *cluster = waiter->cluster;

	if (!waiter->attached || !waiter->sleeps)
		return;
	waiter->deadlock = atomic_read(&cluster->deadlocks);
	waiter->warp = vsm_cluster_warp(cluster, waiter->cta, waiter->thread);
	waiter->counted = vsm_cluster_suspend(cluster, waiter->warp, lane->set);
}

static void vsm_rendezvous_waiter_detach(struct vsm_rendezvous_waiter *waiter, struct vsm_lane *lane)
{
	lane->waiter = NULL;
	waiter->attached = false;
	if (waiter->counted)
		vsm_cluster_resume(waiter->cluster, waiter->warp, waiter->counted);
}

/* A thread has broken a rule that its cluster does not enforce, and goes on. */
static void vsm_rendezvous_note(const struct vsm_rendezvous_waiter *waiter, enum drm_vsm_fault rule, u32 info,
			  struct vsm_wakes *wakes)
{
	const struct vsm_report report = { .rules = DRM_VSM_RULE(rule), .info = info };

	if (waiter->cluster->geo.report & report.rules)
		vsm_fault_report_locked(waiter->client, waiter->source, waiter->handle,
					waiter->cta, waiter->thread, waiter->insn, &report, wakes);
	else
		vsm_fault_count(waiter->client->vdev, rule);
}

/* The result of a thread, which is there, goes to its instruction. */
static void vsm_rendezvous_take_result(struct vsm_cluster_rendezvous *site, const struct vsm_rendezvous_waiter *waiter,
			  struct vsm_wakes *wakes)
{
	struct drm_vsm_insn *insn = waiter->insn;

	vsm_rendezvous_take(&site->rv, waiter->cta, waiter->thread, insn);
	if (likely(!insn->fault) || vsm_rendezvous_refuses(&site->rv, insn->fault))
		return;
	vsm_rendezvous_note(waiter, insn->fault, insn->info, wakes);
	insn->fault = DRM_VSM_FAULT_NONE;
	insn->info = 0;
}

/* Give a waiter the result that is there. */
static void vsm_rendezvous_waiter_deliver(struct vsm_cluster_rendezvous *site, struct vsm_rendezvous_waiter *waiter,
			       struct vsm_lane *lane, struct vsm_wakes *wakes)
{
	vsm_rendezvous_waiter_detach(waiter, lane);
	vsm_rendezvous_take_result(site, waiter, wakes);
	waiter->end(waiter, 0, wakes);
}

/* Wake all whose results are there. Unlocks and locks again if they are many. */
static void vsm_rendezvous_wake(struct vsm_cluster_rendezvous *site, struct vsm_wakes *wakes)
{
	struct vsm_lane *lane;
	unsigned int count = 0;

	lockdep_assert_held(&site->lock);
	while ((lane = vsm_rendezvous_next(&site->rv))) {
		vsm_rendezvous_waiter_deliver(site, lane->waiter, lane, wakes);
		if (++count % VSM_WAKE_BATCH)
			continue;
		spin_unlock(&site->lock);
		cond_resched();
		spin_lock(&site->lock);
	}
}

/* Threads that have exited count as suspended for ever. */
static void vsm_rendezvous_exit(struct vsm_cluster_rendezvous *site, const struct vsm_rendezvous_waiter *waiter)
{
	struct vsm_cluster *cluster = site->cluster;
	u32 exited = vsm_rendezvous_warp(&site->rv, waiter->cta, waiter->thread)->exited;

	/*
	 * Pairs with the acquire in vsm_thread_has_exited(). Whoever made the rendezvous made it before
	 * this thread found it, so it is there for whoever finds a thread gone.
	 */
	smp_store_release(&cluster->live, site->rv.live);
	vsm_cluster_exit(cluster, vsm_cluster_warp(cluster, waiter->cta, waiter->thread),
			 exited & vsm_cluster_lanes(cluster, waiter->thread));
}

/*
 * A thread of @cta has executed an instruction. Before that the barrier of the cluster was in
 * @phase.
 *
 * A warp that arrives there with .release releases all inits that its threads know of. Whoever
 * waits for the phase acquires them once it is over. So they are published when the phase is over,
 * before anybody can find it over. If several warps of a CTA arrive with .release, the number of
 * the last one counts: it is the highest.
 */
static void vsm_rendezvous_publish(struct vsm_cluster_rendezvous *site, u32 cta, u32 phase)
{
	struct vsm_cluster *cluster = site->cluster;
	struct vsm_rendezvous *rv = &site->rv;

	lockdep_assert_held(&site->lock);
	if (unlikely(rv->release)) {
		rv->release = false;
		site->inits[cta] = vsm_shadow_unpublished(cluster, cta);
		if (site->inits[cta])
			site->releasing |= BIT(cta);
	}
	if (likely(rv->phase == phase || !site->releasing))
		return;
	for_each_set_bit(cta, &site->releasing, VSM_MAX_CTAS)
		vsm_shadow_publish(cluster, cta, site->inits[cta]);
	site->releasing = 0;
}

static int vsm_rendezvous_run(struct vsm_cluster_rendezvous *site, struct vsm_rendezvous_waiter *waiter,
			    struct vsm_wakes *wakes)
{
	struct vsm_rendezvous *rv = &site->rv;
	struct drm_vsm_insn *insn = waiter->insn;
	struct vsm_lane *lane = vsm_rendezvous_lane(rv, waiter->cta, waiter->thread);
	u32 phase = rv->phase;

	/* Another waiter of the thread has its result, and only its turn has not come. */
	if (vsm_lane_is_due(lane))
		vsm_rendezvous_waiter_deliver(site, lane->waiter, lane, wakes);
	insn->fault = vsm_rendezvous_execute(rv, waiter->cta, waiter->thread, waiter->converged,
					     insn);
	if (insn->fault)
		return -EPROTO;
	if (unlikely(rv->noted)) {
		vsm_rendezvous_note(waiter, rv->noted, 0, wakes);
		rv->noted = DRM_VSM_FAULT_NONE;
	}
	vsm_rendezvous_publish(site, waiter->cta, phase);
	if (insn->op == DRM_VSM_OP_EXIT) {
		vsm_rendezvous_wake(site, wakes);
		vsm_rendezvous_exit(site, waiter);
		return 1;
	}
	if (vsm_rendezvous_is_released(rv, waiter->cta, waiter->thread)) {
		vsm_rendezvous_take_result(site, waiter, wakes);
		vsm_rendezvous_wake(site, wakes);
		return insn->fault ? -EPROTO : 1;
	}
	vsm_rendezvous_waiter_attach(waiter, lane);
	/* Before this one may count as suspended: see vsm_cluster_is_deadlocked(). */
	vsm_rendezvous_wake(site, wakes);
	vsm_rendezvous_waiter_count(waiter, lane);
	return 0;
}

/**
 * vsm_rendezvous_enter - Have a thread execute an instruction that meets
 * @waiter: Who waits for it; all is set but attached, deadlock, warp and counted.
 *	Its instruction gets the result, or the fault
 *
 * Who waits asleep calls vsm_cluster_suspended() then, as does who exits.
 *
 * Context: may sleep.
 *
 * Return: 0 if the thread is suspended and @waiter attached, which may have ended by now;
 * 1 if the result is there; -EPROTO, -EIO, -ENODEV, -ENOMEM or -ENOSPC.
 */
int vsm_rendezvous_enter(struct vsm_rendezvous_waiter *waiter)
{
	struct vsm_cluster *cluster = waiter->cluster;
	struct vsm_cluster_rendezvous *site = vsm_rendezvous_get_or_create(cluster);
	struct vsm_wakes wakes = {};
	int ret;

	waiter->attached = false;
	if (IS_ERR(site))
		return PTR_ERR(site);
	spin_lock(&site->lock);
	/*
	 * Whoever loses them sets these before he takes the lock; or has not found @site. Then
	 * this pairs with the barrier in vsm_rendezvous_kill().
	 */
	smp_mb__after_spinlock();
	if (READ_ONCE(cluster->vdev->lost))
		ret = -ENODEV;
	else if (READ_ONCE(cluster->lost))
		ret = -EIO;
	else
		ret = vsm_rendezvous_run(site, waiter, &wakes);
	spin_unlock(&site->lock);
	vsm_wakes_run(&wakes);
	return ret;
}

/* End a wait that has not ended with @error, unless the result is there; false if it is. */
static bool vsm_rendezvous_waiter_end(struct vsm_cluster_rendezvous *site, struct vsm_rendezvous_waiter *waiter, int error,
			   struct vsm_wakes *wakes)
{
	struct vsm_lane *lane = vsm_rendezvous_lane(&site->rv, waiter->cta, waiter->thread);

	lockdep_assert_held(&site->lock);
	if (vsm_lane_is_due(lane)) {
		vsm_rendezvous_waiter_deliver(site, waiter, lane, wakes);
		return false;
	}
	vsm_rendezvous_waiter_detach(waiter, lane);
	if (error)
		waiter->end(waiter, error, wakes);
	return true;
}

/**
 * vsm_rendezvous_leave - Wait no longer for a thread, which stays where it is
 * @waiter: Who has entered
 *
 * Return: true if it was attached, false if it has ended already.
 */
bool vsm_rendezvous_leave(struct vsm_rendezvous_waiter *waiter)
{
	struct vsm_cluster_rendezvous *site = vsm_rendezvous_find(waiter->cluster);
	struct vsm_wakes wakes = {};
	bool attached;

	spin_lock(&site->lock);
	attached = waiter->attached && vsm_rendezvous_waiter_end(site, waiter, 0, &wakes);
	spin_unlock(&site->lock);
	vsm_wakes_run(&wakes);
	return attached;
}

/**
 * vsm_rendezvous_end - End a wait for a thread, if nobody has yet
 * @waiter: Who has entered
 * @error: What it ends with, unless the result is there
 * @wakes: Whom to wake without a lock (out)
 */
void vsm_rendezvous_end(struct vsm_rendezvous_waiter *waiter, int error, struct vsm_wakes *wakes)
{
	struct vsm_cluster_rendezvous *site = vsm_rendezvous_find(waiter->cluster);

	spin_lock(&site->lock);
	if (waiter->attached)
		vsm_rendezvous_waiter_end(site, waiter, error, wakes);
	spin_unlock(&site->lock);
}

/* End the waits for threads of a warp; of a deadlock those who slept as it was found. */
static void vsm_rendezvous_kill_warp(struct vsm_cluster_rendezvous *site, u32 cta, u32 warp, int error,
			       struct vsm_wakes *wakes)
{
	struct vsm_cluster *cluster = site->cluster;
	struct vsm_rendezvous *rv = &site->rv;
	u32 i;

	lockdep_assert_held(&site->lock);
	for (i = 0; i < VSM_WARP_SIZE; i++) {
		u32 thread = warp * VSM_WARP_SIZE + i;
		struct vsm_rendezvous_waiter *waiter = vsm_rendezvous_lane(rv, cta, thread)->waiter;

		if (!waiter || (error == -EDEADLK &&
				(!waiter->sleeps ||
				 vsm_cluster_after_deadlock(cluster, waiter->deadlock))))
			continue;
		if (vsm_rendezvous_waiter_end(site, waiter, error, wakes) && error == -EDEADLK)
			vsm_rendezvous_withdraw(rv, cta, thread);
	}
}

/**
 * vsm_rendezvous_kill - End all waits for threads of a cluster
 * @cluster: Cluster, which is lost or deadlocked
 * @error: What they end with; -EDEADLK withdraws the threads
 */
void vsm_rendezvous_kill(struct vsm_cluster *cluster, int error)
{
	struct vsm_wakes wakes = {};
	struct vsm_cluster_rendezvous *site;
	u32 cta, warp;

	/* Either this finds @site, or who enters there finds the cluster lost. */
	smp_mb();
	site = vsm_rendezvous_find(cluster);
	if (!site)
		return;
	for (cta = 0; cta < cluster->geo.ctas; cta++) {
		for (warp = 0; warp < vsm_geometry_warps(&cluster->geo); warp++) {
			spin_lock(&site->lock);
			vsm_rendezvous_kill_warp(site, cta, warp, error, &wakes);
			spin_unlock(&site->lock);
			cond_resched();
		}
	}
	vsm_wakes_run(&wakes);
}

/**
 * vsm_rendezvous_kill_all - End all waits for threads of a device's clusters
 * @vdev: Device, which is lost
 */
void vsm_rendezvous_kill_all(struct vsm_device *vdev)
{
	struct vsm_cluster_rendezvous *site;

	mutex_lock(&vdev->rendezvous_lock);
	list_for_each_entry(site, &vdev->rendezvous, link)
		vsm_rendezvous_kill(site->cluster, -ENODEV);
	mutex_unlock(&vdev->rendezvous_lock);
}

/* vsm_thread_has_exited() where threads have met. */
bool vsm_rendezvous_has_exited(struct vsm_cluster *cluster, u32 cta, u32 thread)
{
	return vsm_rendezvous_exited(&vsm_rendezvous_find(cluster)->rv, cta, thread);
}
