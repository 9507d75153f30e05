// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of a thread's asynchronous operations (PTX 9.7.9.25.3.2 and .3, cp.async.commit_group and
 * .wait_group; 9.7.9.25.6.1 and .2, those of bulk copies).
 *
 * A group is only a number. The operations in flight are in a list, in the order of their issue.
 * All groups up to a number are complete when the first operation in the list is in a later group.
 */
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "base/vsm_client.h"
#include "core/vsm_core.h"
#include "sync/vsm_waiter.h"
#include "vsm_drv.h"

/**
 * vsm_groups_get_or_create - Find the groups of a thread, or allocate them
 * @cluster: Cluster
 * @cta: Rank of the thread's CTA
 * @thread: Thread
 *
 * The groups are freed with the cluster.
 *
 * Return: The groups, or -ENOMEM or -ENOSPC as a pointer.
 */
struct vsm_groups *vsm_groups_get_or_create(struct vsm_cluster *cluster, u32 cta, u32 thread)
{
	unsigned long index = cta * VSM_MAX_THREADS + thread;
	struct vsm_quota *quota = &cluster->client->quota;
	struct vsm_groups *made, *other;
	unsigned int kind;
	int ret;

	other = xa_load(&cluster->groups, index);
	if (other)
		return other;

	ret = vsm_quota_charge(quota, VSM_RES_BYTES, sizeof(*made));
	if (ret)
		return ERR_PTR(ret);
	made = kzalloc(sizeof(*made), GFP_KERNEL_ACCOUNT);
	if (!made) {
		other = ERR_PTR(-ENOMEM);
		goto out;
	}
	made->cluster = cluster;
	made->lane = BIT(thread % VSM_WARP_SIZE);
	spin_lock_init(&made->lock);
	for (kind = 0; kind < VSM_GROUP_KINDS; kind++) {
		INIT_LIST_HEAD(&made->queues[kind].pending);
		init_waitqueue_head(&made->queues[kind].wait);
	}
	other = xa_cmpxchg(&cluster->groups, index, NULL, made, GFP_KERNEL_ACCOUNT);
	if (!other)
		return made;
	/* Another task was faster, or the xarray got no memory. */
	kfree(made);
	if (xa_is_err(other))
		other = ERR_PTR(xa_err(other));
out:
	vsm_quota_uncharge(quota, VSM_RES_BYTES, sizeof(*made));
	return other;
}

void vsm_groups_free_all(struct vsm_cluster *cluster)
{
	struct vsm_groups *groups;
	unsigned long index;

	xa_for_each(&cluster->groups, index, groups) {
		kfree(groups);
		vsm_quota_uncharge(&cluster->client->quota, VSM_RES_BYTES, sizeof(*groups));
		cond_resched();
	}
	xa_destroy(&cluster->groups);
}

/* Are all groups up to a number complete? The caller holds the lock. */
static bool vsm_group_queue_done(struct vsm_group_queue *queue, u64 group)
{
	struct vsm_group_op *first;

	first = list_first_entry_or_null(&queue->pending, struct vsm_group_op, link);
	return !first || vsm_group_is_done(first->group, group);
}

/* The number of the last group that a wait for groups waits for, if the wait begins now. */
static u64 vsm_group_waited(const struct vsm_group_queue *queue, const struct drm_vsm_insn *insn)
{
	if (insn->op == DRM_VSM_OP_CP_ASYNC_WAIT_ALL)
		return queue->committed + 1;
	return vsm_group_last(queue->committed, insn->u.mbarrier.count);
}

/* A wait is complete: if it is a cp.async.wait_all, commit a group. */
static void vsm_group_commit_all(struct vsm_group_queue *queue, const struct drm_vsm_insn *insn)
{
	if (insn->op == DRM_VSM_OP_CP_ASYNC_WAIT_ALL)
		queue->committed++;
}

/* --- armed waits ------------------------------------------------------------------ */

/* Take a lane out of the wait that it is in. The caller holds both locks. */
static void vsm_group_detach(struct vsm_groups *groups)
{
	groups->waiter->left &= ~groups->lane;
	groups->waiter = NULL;
}

/* Is the armed wait of a thread complete? If so, the thread has left it. */
static bool vsm_group_check(struct vsm_groups *groups)
{
	struct vsm_group_queue *queue;
	bool done;

	lockdep_assert_held(&groups->cluster->vdev->group_waits_lock);
	spin_lock(&groups->lock);
	queue = &groups->queues[vsm_group_kind_of(groups->waiter->insn)];
	done = vsm_group_queue_done(queue, groups->waited);
	if (done) {
		vsm_group_commit_all(queue, groups->waiter->insn);
		vsm_group_detach(groups);
	}
	spin_unlock(&groups->lock);
	return done;
}

/* The groups of a lane of an armed wait. They exist. */
static struct vsm_groups *vsm_group_lane(const struct vsm_group_waiter *waiter, u32 lane)
{
	u32 first = round_down(waiter->origin.thread, VSM_WARP_SIZE);

	return xa_load(&waiter->base.cluster->groups,
		       waiter->origin.cta * VSM_MAX_THREADS + first + lane);
}

static noinline void vsm_group_record_begin(struct vsm_group_waiter *waiter)
{
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_recorder_is_on(waiter->origin.recorder))
		return;
	event = vsm_waiter_event(&waiter->base);
	event.op = waiter->insn->op;
	event.value = waiter->insn->u.mbarrier.count;
	vsm_record_wait(&waiter->base, &event);
}

static noinline void vsm_group_record_end(struct vsm_group_waiter *waiter, int error)
{
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_recorder_is_on(waiter->origin.recorder))
		return;
	event = vsm_waiter_event(&waiter->base);
	event.op = waiter->insn->op;
	vsm_record_wait_end(&waiter->base, &event, error);
}

/* End a wait. Lanes that are left in it leave it. */
static void vsm_group_finish(struct vsm_group_waiter *waiter, int error)
{
	unsigned long left = waiter->left;
	struct vsm_groups *groups;
	u32 lane;

	lockdep_assert_held(&waiter->base.cluster->vdev->group_waits_lock);
	for_each_set_bit(lane, &left, VSM_WARP_SIZE) {
		groups = vsm_group_lane(waiter, lane);
		spin_lock(&groups->lock);
		vsm_group_detach(groups);
		spin_unlock(&groups->lock);
	}
	waiter->base.waiting = false;
	list_del(&waiter->link);
	if (vsm_is_recording())
		vsm_group_record_end(waiter, error);
}

/* An operation of a thread with an armed wait has ended: end the wait if it is complete. */
static void vsm_group_look(struct vsm_groups *groups)
{
	struct vsm_device *vdev = groups->cluster->vdev;
	struct vsm_group_waiter *waiter;
	struct vsm_group_queue *queue;
	struct vsm_wakes wakes = {};

	spin_lock(&vdev->group_waits_lock);
	waiter = groups->waiter;
	if (waiter && vsm_group_check(groups) && !waiter->left) {
		queue = &groups->queues[vsm_group_kind_of(waiter->insn)];
		waiter->base.cause = READ_ONCE(queue->last);
		vsm_group_finish(waiter, 0);
		waiter->base.end(&waiter->base, 0, &wakes);
	}
	spin_unlock(&vdev->group_waits_lock);
	vsm_wakes_run(&wakes);
}

/*
 * Let the lanes wait whose groups are not complete. Returns 1 if there is none, 0 otherwise; or
 * -EPROTO if some of them, which @left gets, are already in an armed wait.
 */
static int vsm_group_attach(struct vsm_group_waiter *waiter, unsigned long lanes)
{
	struct vsm_groups *groups;
	u32 lane;

	for_each_set_bit(lane, &lanes, VSM_WARP_SIZE)
		if (vsm_group_lane(waiter, lane)->waiter)
			waiter->left |= BIT(lane);
	if (waiter->left)
		return -EPROTO;
	for_each_set_bit(lane, &lanes, VSM_WARP_SIZE) {
		groups = vsm_group_lane(waiter, lane);
		spin_lock(&groups->lock);
		groups->waiter = waiter;
		groups->waited =
			vsm_group_waited(&groups->queues[vsm_group_kind_of(waiter->insn)],
					 waiter->insn);
		waiter->left |= groups->lane;
		spin_unlock(&groups->lock);
		vsm_group_check(groups);
	}
	if (!waiter->left)
		return 1;
	waiter->base.waiting = true;
	list_add_tail(&waiter->link, &waiter->base.cluster->vdev->group_waits);
	if (vsm_is_recording())
		vsm_group_record_begin(waiter);
	return 0;
}

/*
 * Arm a wait for groups, unless they are complete.
 * @waiter: Waiter whose @base.cluster, @base.end, @origin and @insn are set
 *
 * Why no wake-up is lost: the wait is attached to the thread's groups before this function looks,
 * under the lock of the groups, whether they are complete. An operation leaves its group under the
 * same lock, and then either finds the wait, or is found to have left.
 *
 * Context: may sleep. Returns 0 if the wait is armed now; it may have ended. 1 if all groups are
 * complete. -EPROTO if lanes are in another armed wait, and @waiter->left says which; -EIO,
 * -ENODEV, -ENOMEM or -ENOSPC.
 */
int vsm_group_enter(struct vsm_group_waiter *waiter)
{
	struct vsm_cluster *cluster = waiter->base.cluster;
	struct vsm_device *vdev = cluster->vdev;
	u32 lane, first = round_down(waiter->origin.thread, VSM_WARP_SIZE);
	unsigned long bits = waiter->origin.lanes;
	struct vsm_groups *groups;
	int ret;

	waiter->base.waiting = false;
	waiter->base.counted = false;
	waiter->base.since = jiffies;
	waiter->base.origin = &waiter->origin;
	waiter->base.number = 0;
	waiter->base.cause = 0;
	waiter->left = 0;
	for_each_set_bit(lane, &bits, VSM_WARP_SIZE) {
		groups = vsm_groups_get_or_create(cluster, waiter->origin.cta, first + lane);
		if (IS_ERR(groups))
			return PTR_ERR(groups);
	}
	spin_lock(&vdev->group_waits_lock);
	/*
	 * vsm_waiter.c sets these marks before it looks for waits. Pairs with the barrier in
	 * vsm_groups_end_cluster(), which may not have found groups that were just made.
	 */
	smp_mb__after_spinlock();
	if (READ_ONCE(vdev->lost))
		ret = -ENODEV;
	else if (READ_ONCE(cluster->lost))
		ret = -EIO;
	else
		ret = vsm_group_attach(waiter, bits);
	spin_unlock(&vdev->group_waits_lock);
	return ret;
}

/*
 * Take back an armed wait, without ending it. Returns true if the wait was still armed, false if
 * it has ended already.
 */
bool vsm_group_leave(struct vsm_group_waiter *waiter)
{
	struct vsm_device *vdev = waiter->base.cluster->vdev;
	bool armed;

	spin_lock(&vdev->group_waits_lock);
	armed = waiter->base.waiting;
	if (armed)
		vsm_group_finish(waiter, -ECANCELED);
	spin_unlock(&vdev->group_waits_lock);
	return armed;
}

/*
 * End an armed wait whose time is up, unless it has ended.
 * @wakes: Gets the readers that the caller wakes after it has dropped its locks (out)
 */
void vsm_group_expire(struct vsm_group_waiter *waiter, struct vsm_wakes *wakes)
{
	struct vsm_device *vdev = waiter->base.cluster->vdev;
	unsigned long left;
	u32 lane;

	spin_lock(&vdev->group_waits_lock);
	if (waiter->base.waiting) {
		left = waiter->left;
		for_each_set_bit(lane, &left, VSM_WARP_SIZE)
			vsm_group_check(vsm_group_lane(waiter, lane));
		left = waiter->left;
		vsm_group_finish(waiter, left ? -ETIMEDOUT : 0);
		waiter->base.end(&waiter->base, left ? -ETIMEDOUT : 0, wakes);
	}
	spin_unlock(&vdev->group_waits_lock);
}

/**
 * vsm_groups_end_cluster - End all waits for groups of a cluster
 * @cluster: Cluster that has been marked lost
 * @error: Error with which armed waits end
 */
void vsm_groups_end_cluster(struct vsm_cluster *cluster, int error)
{
	struct vsm_group_waiter *waiter;
	struct vsm_wakes wakes = {};
	struct vsm_groups *groups;
	unsigned long index;
	unsigned int kind;

	/* Pairs with the barrier in vsm_group_enter(). */
	smp_mb();
	xa_for_each(&cluster->groups, index, groups) {
		for (kind = 0; kind < VSM_GROUP_KINDS; kind++)
			wake_up_all(&groups->queues[kind].wait);
		spin_lock(&cluster->vdev->group_waits_lock);
		waiter = groups->waiter;
		if (waiter) {
			vsm_group_finish(waiter, error);
			waiter->base.end(&waiter->base, error, &wakes);
		}
		spin_unlock(&cluster->vdev->group_waits_lock);
		vsm_wakes_batch(&wakes);
		cond_resched();
	}
	vsm_wakes_run(&wakes);
}

/* End all armed waits for groups of a device, which has been marked lost. */
void vsm_group_waits_end_device(struct vsm_device *vdev)
{
	struct vsm_group_waiter *waiter;
	struct vsm_wakes wakes = {};
	unsigned int count = 0;

	spin_lock(&vdev->group_waits_lock);
	while (!list_empty(&vdev->group_waits)) {
		waiter = list_first_entry(&vdev->group_waits, struct vsm_group_waiter, link);
		vsm_group_finish(waiter, -ENODEV);
		waiter->base.end(&waiter->base, -ENODEV, &wakes);
		if (++count % VSM_WAKE_BATCH)
			continue;
		spin_unlock(&vdev->group_waits_lock);
		vsm_wakes_batch(&wakes);
		cond_resched();
		spin_lock(&vdev->group_waits_lock);
	}
	spin_unlock(&vdev->group_waits_lock);
	vsm_wakes_run(&wakes);
}

/* --- operations and waits of tasks ------------------------------------------------ */

/* Add an operation to the group that has not been committed. */
void vsm_group_issue(struct vsm_groups *groups, enum vsm_group_kind kind, struct vsm_group_op *op)
{
	struct vsm_group_queue *queue = &groups->queues[kind];

	spin_lock(&groups->lock);
	op->groups = groups;
	op->queue = queue;
	op->group = queue->committed + 1;
	list_add_tail(&op->link, &queue->pending);
	spin_unlock(&groups->lock);
}

/**
 * vsm_group_end - Remove an operation that has ended from its group
 * @op: The operation's place; it may be in no group
 * @number: Number of the operation, or 0
 *
 * A task that finds the operation gone has taken the lock after this function. It therefore sees
 * everything that the operation has done.
 */
void vsm_group_end(struct vsm_group_op *op, u64 number)
{
	struct vsm_groups *groups = op->groups;
	struct vsm_group_queue *queue = op->queue;
	bool waited;

	if (!groups)
		return;
	spin_lock(&groups->lock);
	list_del(&op->link);
	WRITE_ONCE(queue->last, number);
	waited = groups->waiter;
	spin_unlock(&groups->lock);
	op->groups = NULL;
	if (unlikely(waited))
		vsm_group_look(groups);
	/* Pairs with the barrier in prepare_to_wait_event(), after which a task looks. */
	if (wq_has_sleeper(&queue->wait))
		wake_up_all(&queue->wait);
}

/* Make a group of the operations issued since the last commit. Returns number of the group. */
u64 vsm_group_commit(struct vsm_groups *groups, enum vsm_group_kind kind)
{
	u64 group;

	spin_lock(&groups->lock);
	group = ++groups->queues[kind].committed;
	spin_unlock(&groups->lock);
	return group;
}

/* Are all groups up to a number complete? */
static bool vsm_group_done(struct vsm_groups *groups, enum vsm_group_kind kind, u64 group)
{
	bool done;

	spin_lock(&groups->lock);
	done = vsm_group_queue_done(&groups->queues[kind], group);
	spin_unlock(&groups->lock);
	return done;
}

/*
 * Are the groups of a wait complete?
 * @insn: A checked wait for groups. If it is a cp.async.wait_all and is complete, a group has been
 *	committed
 *
 * Returns whether the wait is complete. If not, nothing has changed.
 */
bool vsm_group_poll(struct vsm_groups *groups, const struct drm_vsm_insn *insn)
{
	struct vsm_group_queue *queue = &groups->queues[vsm_group_kind_of(insn)];
	bool done;

	spin_lock(&groups->lock);
	done = vsm_group_queue_done(queue, vsm_group_waited(queue, insn));
	if (done)
		vsm_group_commit_all(queue, insn);
	spin_unlock(&groups->lock);
	return done;
}

/* Are all groups except the newest ones complete? */
bool vsm_group_are_done(struct vsm_groups *groups, enum vsm_group_kind kind, u32 left)
{
	struct vsm_group_queue *queue = &groups->queues[kind];
	bool done;

	spin_lock(&groups->lock);
	done = vsm_group_queue_done(queue, vsm_group_last(queue->committed, left));
	spin_unlock(&groups->lock);
	return done;
}

/* Has a wait for groups up to a number ended? */
static bool vsm_group_has_ended(struct vsm_groups *groups, enum vsm_group_kind kind, u64 group)
{
	return vsm_group_done(groups, kind, group) || READ_ONCE(groups->cluster->lost);
}

/*
 * Sleep until a wait for groups has ended (0) or a signal comes (-ERESTARTSYS). This is
 * wait_event_interruptible() with an entry that says who waits.
 */
static noinline int vsm_group_sleep(struct vsm_groups *groups, const struct vsm_client *client,
				    enum vsm_group_kind kind, u64 group)
{
	wait_queue_head_t *wait = &groups->queues[kind].wait;
	struct vsm_group_task task = { .client = client };
	int ret;

	init_wait_entry(&task.entry, 0);
	for (;;) {
		ret = prepare_to_wait_event(wait, &task.entry, TASK_INTERRUPTIBLE);
		if (vsm_group_has_ended(groups, kind, group)) {
			ret = 0;
			break;
		}
		if (ret)
			break;
		schedule();
	}
	finish_wait(wait, &task.entry);
	return ret;
}

/*
 * Wait until all groups except the newest ones are complete.
 * @left: Number of the newest groups that may still be incomplete
 *
 * Returns 0, -EIO, -ENODEV or -ERESTARTSYS.
 */
int vsm_group_wait(struct vsm_groups *groups, const struct vsm_client *client,
		   enum vsm_group_kind kind, u32 left)
{
	struct vsm_cluster *cluster = groups->cluster;
	int ret = 0;
	u64 group;

	/* Another task may play the same thread, and commit groups meanwhile. */
	spin_lock(&groups->lock);
	group = vsm_group_last(groups->queues[kind].committed, left);
	spin_unlock(&groups->lock);
	if (!vsm_group_has_ended(groups, kind, group))
		ret = vsm_group_sleep(groups, client, kind, group);
	if (ret)
		return ret;
	if (READ_ONCE(cluster->vdev->lost))
		return -ENODEV;
	return READ_ONCE(cluster->lost) ? -EIO : 0;
}
