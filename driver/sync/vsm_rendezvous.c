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
 * struct vsm_meet - The rendezvous of a cluster, from its first one on
 * @lock: Protects @rv and the waiters attached to its lanes
 * @cluster: Cluster
 * @link: In &vsm_device.meets
 * @releasing: CTAs that publish inits when the phase of the cluster's barrier in progress is over
 * @inits: For each of them, up to which number; protected by @lock, as is @releasing
 * @rv: The state of its threads
 */
struct vsm_meet {
	spinlock_t lock; /* rv */
	struct vsm_cluster *cluster;
	struct list_head link;
	unsigned long releasing;
	u64 inits[VSM_MAX_CTAS];
	struct vsm_rendezvous rv;
};

static u64 vsm_meet_size(const struct vsm_cluster *cluster)
{
	return offsetof(struct vsm_meet, rv) + vsm_rendezvous_size(&cluster->geo);
}

static struct vsm_meet *vsm_meet_find(struct vsm_cluster *cluster)
{
	/* Pairs with the release in vsm_meet_make(). */
	return smp_load_acquire(&cluster->meet);
}

static struct vsm_meet *vsm_meet_alloc(struct vsm_cluster *cluster)
{
	struct vsm_meet *meet;
	int ret;

	ret = vsm_client_charge(cluster->client, VSM_RES_BYTES, vsm_meet_size(cluster));
	if (ret)
		return ERR_PTR(ret);
	meet = kvzalloc(vsm_meet_size(cluster), GFP_KERNEL_ACCOUNT);
	if (!meet) {
		vsm_client_uncharge(cluster->client, VSM_RES_BYTES, vsm_meet_size(cluster));
		return ERR_PTR(-ENOMEM);
	}
	spin_lock_init(&meet->lock);
	meet->cluster = cluster;
	vsm_rendezvous_init(&meet->rv, &cluster->geo);
	return meet;
}

static void vsm_meet_drop(struct vsm_meet *meet)
{
	struct vsm_cluster *cluster = meet->cluster;

	kvfree(meet);
	vsm_client_uncharge(cluster->client, VSM_RES_BYTES, vsm_meet_size(cluster));
}

/* It stays as long as the cluster. */
static struct vsm_meet *vsm_meet_make(struct vsm_cluster *cluster)
{
	struct vsm_device *vdev = cluster->vdev;
	struct vsm_meet *meet = vsm_meet_find(cluster), *other;

	if (meet)
		return meet;
	meet = vsm_meet_alloc(cluster);
	if (IS_ERR(meet))
		return meet;

	mutex_lock(&vdev->meets_lock);
	other = cluster->meet;
	if (!other) {
		list_add(&meet->link, &vdev->meets);
		/* Pairs with the acquire in vsm_meet_find(). */
		smp_store_release(&cluster->meet, meet);
	}
	mutex_unlock(&vdev->meets_lock);
	if (!other)
		return meet;
	/* Somebody was faster. */
	vsm_meet_drop(meet);
	return other;
}

void vsm_meet_free(struct vsm_cluster *cluster)
{
	struct vsm_meet *meet = cluster->meet;

	if (!meet)
		return;
	mutex_lock(&cluster->vdev->meets_lock);
	list_del(&meet->link);
	mutex_unlock(&cluster->vdev->meets_lock);
	vsm_meet_drop(meet);
}

static u32 vsm_meet_warp(const struct vsm_cluster *cluster, u32 cta, u32 thread)
{
	return cta * vsm_geometry_warps(&cluster->geo) + thread / VSM_WARP_SIZE;
}

static void vsm_meeter_attach(struct vsm_meeter *meeter, struct vsm_lane *lane)
{
	struct vsm_cluster *cluster = meeter->cluster;

	lane->waiter = meeter;
	meeter->attached = true;
	meeter->counted = 0;
	meeter->deadlock = atomic_read(&cluster->deadlocks);
}

/* The thread of a task that is about to sleep counts as suspended. */
static void vsm_meeter_count(struct vsm_meeter *meeter, const struct vsm_lane *lane)
{
	struct vsm_cluster *cluster = meeter->cluster;

	if (!meeter->attached || !meeter->sleeps)
		return;
	meeter->deadlock = atomic_read(&cluster->deadlocks);
	meeter->warp = vsm_meet_warp(cluster, meeter->cta, meeter->thread);
	meeter->counted = vsm_cluster_suspend(cluster, meeter->warp, lane->set);
}

static void vsm_meeter_detach(struct vsm_meeter *meeter, struct vsm_lane *lane)
{
	lane->waiter = NULL;
	meeter->attached = false;
	if (meeter->counted)
		vsm_cluster_resume(meeter->cluster, meeter->warp, meeter->counted);
}

/* A thread has broken a rule that its cluster does not enforce, and goes on. */
static void vsm_meet_note(const struct vsm_meeter *meeter, enum drm_vsm_fault rule, u32 info,
			  struct vsm_wakes *wakes)
{
	const struct vsm_report report = { .rules = DRM_VSM_RULE(rule), .info = info };

	if (meeter->cluster->geo.report & report.rules)
		vsm_fault_report_locked(meeter->client, meeter->source, meeter->handle,
					meeter->cta, meeter->thread, meeter->insn, &report, wakes);
	else
		vsm_fault_count(meeter->client->vdev, rule);
}

/* The result of a thread, which is there, goes to its instruction. */
static void vsm_meet_take(struct vsm_meet *meet, const struct vsm_meeter *meeter,
			  struct vsm_wakes *wakes)
{
	struct drm_vsm_insn *insn = meeter->insn;

	vsm_rendezvous_take(&meet->rv, meeter->cta, meeter->thread, insn);
	if (likely(!insn->fault) || vsm_rendezvous_refuses(&meet->rv, insn->fault))
		return;
	vsm_meet_note(meeter, insn->fault, insn->info, wakes);
	insn->fault = DRM_VSM_FAULT_NONE;
	insn->info = 0;
}

/* Give a waiter the result that is there. */
static void vsm_meeter_deliver(struct vsm_meet *meet, struct vsm_meeter *meeter,
			       struct vsm_lane *lane, struct vsm_wakes *wakes)
{
	vsm_meeter_detach(meeter, lane);
	vsm_meet_take(meet, meeter, wakes);
	meeter->end(meeter, 0, wakes);
}

/* Wake all whose results are there. Unlocks and locks again if they are many. */
static void vsm_meet_wake(struct vsm_meet *meet, struct vsm_wakes *wakes)
{
	struct vsm_lane *lane;
	unsigned int count = 0;

	lockdep_assert_held(&meet->lock);
	while ((lane = vsm_rendezvous_next(&meet->rv))) {
		vsm_meeter_deliver(meet, lane->waiter, lane, wakes);
		if (++count % VSM_WAKE_BATCH)
			continue;
		spin_unlock(&meet->lock);
		cond_resched();
		spin_lock(&meet->lock);
	}
}

/* Threads that have exited count as suspended for ever. */
static void vsm_meet_exit(struct vsm_meet *meet, const struct vsm_meeter *meeter)
{
	struct vsm_cluster *cluster = meet->cluster;
	u32 exited = vsm_rendezvous_warp(&meet->rv, meeter->cta, meeter->thread)->exited;

	/*
	 * Pairs with the acquire in vsm_meet_exited(). Whoever made the rendezvous made it before
	 * this thread found it, so it is there for whoever finds a thread gone.
	 */
	smp_store_release(&cluster->live, meet->rv.live);
	vsm_cluster_exit(cluster, vsm_meet_warp(cluster, meeter->cta, meeter->thread),
			 exited & vsm_cluster_lanes(cluster, meeter->thread));
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
static void vsm_meet_publish(struct vsm_meet *meet, u32 cta, u32 phase)
{
	struct vsm_cluster *cluster = meet->cluster;
	struct vsm_rendezvous *rv = &meet->rv;

	lockdep_assert_held(&meet->lock);
	if (unlikely(rv->release)) {
		rv->release = false;
		meet->inits[cta] = vsm_shadow_unpublished(cluster, cta);
		if (meet->inits[cta])
			meet->releasing |= BIT(cta);
	}
	if (likely(rv->phase == phase || !meet->releasing))
		return;
	for_each_set_bit(cta, &meet->releasing, VSM_MAX_CTAS)
		vsm_shadow_publish(cluster, cta, meet->inits[cta]);
	meet->releasing = 0;
}

static int vsm_meet_execute(struct vsm_meet *meet, struct vsm_meeter *meeter,
			    struct vsm_wakes *wakes)
{
	struct vsm_rendezvous *rv = &meet->rv;
	struct drm_vsm_insn *insn = meeter->insn;
	struct vsm_lane *lane = vsm_rendezvous_lane(rv, meeter->cta, meeter->thread);
	u32 phase = rv->phase;

	/* Another waiter of the thread has its result, and only its turn has not come. */
	if (vsm_lane_is_due(lane))
		vsm_meeter_deliver(meet, lane->waiter, lane, wakes);
	insn->fault = vsm_rendezvous_execute(rv, meeter->cta, meeter->thread, meeter->converged,
					     insn);
	if (insn->fault)
		return -EPROTO;
	if (unlikely(rv->noted)) {
		vsm_meet_note(meeter, rv->noted, 0, wakes);
		rv->noted = DRM_VSM_FAULT_NONE;
	}
	vsm_meet_publish(meet, meeter->cta, phase);
	if (insn->op == DRM_VSM_OP_EXIT) {
		vsm_meet_wake(meet, wakes);
		vsm_meet_exit(meet, meeter);
		return 1;
	}
	if (vsm_rendezvous_is_released(rv, meeter->cta, meeter->thread)) {
		vsm_meet_take(meet, meeter, wakes);
		vsm_meet_wake(meet, wakes);
		return insn->fault ? -EPROTO : 1;
	}
	vsm_meeter_attach(meeter, lane);
	/* Before this one may count as suspended: see vsm_cluster_is_deadlocked(). */
	vsm_meet_wake(meet, wakes);
	vsm_meeter_count(meeter, lane);
	return 0;
}

/**
 * vsm_meet_enter - Have a thread execute an instruction that meets
 * @meeter: Who waits for it; all is set but attached, deadlock, warp and counted.
 *	Its instruction gets the result, or the fault
 *
 * Who waits asleep calls vsm_cluster_suspended() then, as does who exits.
 *
 * Context: may sleep.
 *
 * Return: 0 if the thread is suspended and @meeter attached, which may have ended by now;
 * 1 if the result is there; -EPROTO, -EIO, -ENODEV, -ENOMEM or -ENOSPC.
 */
int vsm_meet_enter(struct vsm_meeter *meeter)
{
	struct vsm_cluster *cluster = meeter->cluster;
	struct vsm_meet *meet = vsm_meet_make(cluster);
	struct vsm_wakes wakes = {};
	int ret;

	meeter->attached = false;
	if (IS_ERR(meet))
		return PTR_ERR(meet);
	spin_lock(&meet->lock);
	/*
	 * Whoever loses them sets these before he takes the lock; or has not found @meet. Then
	 * this pairs with the barrier in vsm_meet_lose().
	 */
	smp_mb__after_spinlock();
	if (READ_ONCE(cluster->vdev->lost))
		ret = -ENODEV;
	else if (READ_ONCE(cluster->lost))
		ret = -EIO;
	else
		ret = vsm_meet_execute(meet, meeter, &wakes);
	spin_unlock(&meet->lock);
	vsm_wakes_run(&wakes);
	return ret;
}

/* End a wait that has not ended with @error, unless the result is there; false if it is. */
static bool vsm_meeter_end(struct vsm_meet *meet, struct vsm_meeter *meeter, int error,
			   struct vsm_wakes *wakes)
{
	struct vsm_lane *lane = vsm_rendezvous_lane(&meet->rv, meeter->cta, meeter->thread);

	lockdep_assert_held(&meet->lock);
	if (vsm_lane_is_due(lane)) {
		vsm_meeter_deliver(meet, meeter, lane, wakes);
		return false;
	}
	vsm_meeter_detach(meeter, lane);
	if (error)
		meeter->end(meeter, error, wakes);
	return true;
}

/**
 * vsm_meet_leave - Wait no longer for a thread, which stays where it is
 * @meeter: Who has entered
 *
 * Return: true if it was attached, false if it has ended already.
 */
bool vsm_meet_leave(struct vsm_meeter *meeter)
{
	struct vsm_meet *meet = vsm_meet_find(meeter->cluster);
	struct vsm_wakes wakes = {};
	bool attached;

	spin_lock(&meet->lock);
	attached = meeter->attached && vsm_meeter_end(meet, meeter, 0, &wakes);
	spin_unlock(&meet->lock);
	vsm_wakes_run(&wakes);
	return attached;
}

/**
 * vsm_meet_end - End a wait for a thread, if nobody has yet
 * @meeter: Who has entered
 * @error: What it ends with, unless the result is there
 * @wakes: Whom to wake without a lock (out)
 */
void vsm_meet_end(struct vsm_meeter *meeter, int error, struct vsm_wakes *wakes)
{
	struct vsm_meet *meet = vsm_meet_find(meeter->cluster);

	spin_lock(&meet->lock);
	if (meeter->attached)
		vsm_meeter_end(meet, meeter, error, wakes);
	spin_unlock(&meet->lock);
}

/* End the waits for threads of a warp; of a deadlock those who slept as it was found. */
static void vsm_meet_lose_warp(struct vsm_meet *meet, u32 cta, u32 warp, int error,
			       struct vsm_wakes *wakes)
{
	struct vsm_cluster *cluster = meet->cluster;
	struct vsm_rendezvous *rv = &meet->rv;
	u32 i;

	lockdep_assert_held(&meet->lock);
	for (i = 0; i < VSM_WARP_SIZE; i++) {
		u32 thread = warp * VSM_WARP_SIZE + i;
		struct vsm_meeter *meeter = vsm_rendezvous_lane(rv, cta, thread)->waiter;

		if (!meeter || (error == -EDEADLK &&
				(!meeter->sleeps ||
				 vsm_cluster_after_deadlock(cluster, meeter->deadlock))))
			continue;
		if (vsm_meeter_end(meet, meeter, error, wakes) && error == -EDEADLK)
			vsm_rendezvous_withdraw(rv, cta, thread);
	}
}

/**
 * vsm_meet_lose - End all waits for threads of a cluster
 * @cluster: Cluster, which is lost or deadlocked
 * @error: What they end with; -EDEADLK withdraws the threads
 */
void vsm_meet_lose(struct vsm_cluster *cluster, int error)
{
	struct vsm_wakes wakes = {};
	struct vsm_meet *meet;
	u32 cta, warp;

	/* Either this finds @meet, or who enters there finds the cluster lost. */
	smp_mb();
	meet = vsm_meet_find(cluster);
	if (!meet)
		return;
	for (cta = 0; cta < cluster->geo.ctas; cta++) {
		for (warp = 0; warp < vsm_geometry_warps(&cluster->geo); warp++) {
			spin_lock(&meet->lock);
			vsm_meet_lose_warp(meet, cta, warp, error, &wakes);
			spin_unlock(&meet->lock);
			cond_resched();
		}
	}
	vsm_wakes_run(&wakes);
}

/**
 * vsm_meet_lose_all - End all waits for threads of a device's clusters
 * @vdev: Device, which is lost
 */
void vsm_meet_lose_all(struct vsm_device *vdev)
{
	struct vsm_meet *meet;

	mutex_lock(&vdev->meets_lock);
	list_for_each_entry(meet, &vdev->meets, link)
		vsm_meet_lose(meet->cluster, -ENODEV);
	mutex_unlock(&vdev->meets_lock);
}

/* vsm_meet_exited() where threads have met. */
bool vsm_meet_has_exited(struct vsm_cluster *cluster, u32 cta, u32 thread)
{
	return vsm_rendezvous_exited(&vsm_meet_find(cluster)->rv, cta, thread);
}
