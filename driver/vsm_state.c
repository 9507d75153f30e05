// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctl CLUSTER_STATE lists who waits in a cluster, and for what, the operations in flight and
 * the jobs. A lock is held only for a bucket, a CTA, a thread, or one list of a channel. The parts
 * of the list are therefore not from the same moment.
 */
#include <linux/dma-fence-chain.h>
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "base/vsm_fault.h"
#include "base/vsm_state.h"
#include "base/vsm_uaccess.h"
#include "channel/vsm_channel.h"
#include "core/vsm_rendezvous.h"
#include "object/vsm_bo.h"
#include "object/vsm_cluster.h"
#include "sync/vsm_rendezvous_wait.h"
#include "sync/vsm_waiter.h"
#include "thread/vsm_thread.h"
#include "vsm_compat.h"
#include "vsm_drv.h"
#include "vsm_ioctl.h"
#include "vsm_wait.h"

/* Add to an entry who waits, and how long. The caller holds the lock of &vsm_waiter.waiting. */
static void vsm_state_describe(const struct vsm_state *state, const struct vsm_waiter *waiter,
			       struct drm_vsm_state_entry *entry)
{
	if (!vsm_task_describe(state, waiter, entry))
		vsm_wait_describe(state, waiter, entry);
}

/* --- waiters for phases ----------------------------------------------------------- */

/* Words of a cluster that share a bucket, with the parity of the phase that is waited for. */
#define VSM_STATE_RINGS	256

/* The most words of a cluster that share a bucket and are listed. */
struct vsm_ring_list {
	u32 count;
	u32 rings[VSM_STATE_RINGS];
};

static void vsm_phase_waiter_list(const struct vsm_phase_waiter *waiter, struct vsm_state *state)
{
	struct drm_vsm_state_entry *entry = vsm_state_add(state, DRM_VSM_STATE_PHASE);
	const struct vsm_cluster *cluster = waiter->base.cluster;
	struct drm_vsm_insn *insn = &entry->insn;

	insn->op = DRM_VSM_OP_MBARRIER_TRY_WAIT;
	insn->u.mbarrier.addr = vsm_cluster_addr(cluster, waiter->index);
	if (waiter->by_parity) {
		insn->mods = DRM_VSM_MOD_PARITY;
		insn->u.mbarrier.parity = vsm_mbarrier_phase(waiter->state);
	} else {
		insn->u.mbarrier.state = waiter->state;
	}
	entry->word = READ_ONCE(*vsm_cluster_word(cluster, waiter->index));
	vsm_state_describe(state, &waiter->base, entry);
}

/* Which words of the cluster have waiters in this bucket? */
static void vsm_bucket_rings(struct vsm_bucket *bucket, const struct vsm_cluster *cluster,
			     struct vsm_ring_list *list, struct vsm_state *state)
{
	struct vsm_phase_waiter *first;

	list->count = 0;
	spin_lock(&bucket->lock);
	hlist_for_each_entry(first, &bucket->words, node) {
		if (first->base.cluster != cluster)
			continue;
		if (list->count == VSM_STATE_RINGS) {
			state->more = true;
			break;
		}
		list->rings[list->count++] = first->index << 1 | vsm_mbarrier_phase(first->state);
	}
	spin_unlock(&bucket->lock);
}

static void vsm_ring_list(struct vsm_bucket *bucket, const struct vsm_cluster *cluster, u32 ring,
			  struct vsm_state *state)
{
	struct vsm_phase_waiter *first, *waiter;
	unsigned int count = 0;

	spin_lock(&bucket->lock);
	first = vsm_park_find(bucket, cluster, ring >> 1, ring & 1);
	if (first) {
		vsm_phase_waiter_list(first, state);
		list_for_each_entry(waiter, &first->peers, peers) {
			if (++count == VSM_STATE_BATCH) {
				state->more = true;
				break;
			}
			vsm_phase_waiter_list(waiter, state);
		}
	}
	spin_unlock(&bucket->lock);
}

/*
 * List the waiters for phases of a cluster's words. Returns 0, -ENOMEM, or -ERESTARTSYS if a
 * signal has come.
 */
static int vsm_park_list(struct vsm_cluster *cluster, struct vsm_state *state)
{
	struct vsm_ring_list *list = kmalloc(sizeof(*list), GFP_KERNEL_ACCOUNT);
	struct vsm_bucket *bucket;
	int ret = 0;
	u32 i, j;

	if (!list)
		return -ENOMEM;
	for (i = 0; (bucket = vsm_park_next_bucket(cluster->vdev, cluster, &i)); i++) {
		/* A waiter that parks at this moment need not be listed. */
		if (data_race(hlist_empty(&bucket->words)))
			continue;
		vsm_bucket_rings(bucket, cluster, list, state);
		for (j = 0; j < list->count; j++) {
			vsm_ring_list(bucket, cluster, list->rings[j], state);
			cond_resched();
		}
		if (signal_pending(current)) {
			ret = -ERESTARTSYS;
			break;
		}
	}
	kfree(list);
	return ret;
}

/* --- threads in a rendezvous ------------------------------------------------------ */

/*
 * The waiter for a lane, or NULL. An armed wait for several lanes is attached to the lowest of
 * them.
 */
static const struct vsm_rendezvous_waiter *vsm_lane_waiter(struct vsm_warp *warp, u32 number)
{
	const struct vsm_rendezvous_waiter *waiter = warp->lanes[number].waiter;
	u32 i;

	for (i = 0; i < number && !waiter; i++) {
		waiter = warp->lanes[i].waiter;
		if (waiter && !(waiter->lanes >> number & 1))
			waiter = NULL;
	}
	return waiter;
}

/* List the lanes that execute an instruction together. */
static void vsm_lane_list(struct vsm_warp *warp, const struct vsm_lane *lane, u32 exist,
			  bool across, struct drm_vsm_state_entry *entry, struct vsm_state *state)
{
	const struct vsm_rendezvous_waiter *waiter = vsm_lane_waiter(warp, lane - warp->lanes);
	u32 members = vsm_is_warp_op(&lane->insn) ? lane->insn.u.warp.membermask : ~0U;

	/* Values that threads bring to a rendezvous are left out: they may be of another user. */
	memcpy(&entry->insn, &lane->insn, offsetof(struct drm_vsm_insn, u));
	if (vsm_is_warp_op(&lane->insn)) {
		entry->insn.u.warp.membermask = lane->insn.u.warp.membermask;
	} else {
		entry->insn.u.barrier.barrier = lane->insn.u.barrier.barrier;
		entry->insn.u.barrier.count = lane->insn.u.barrier.count;
	}
	entry->lanes = lane->set;
	entry->mask = members & exist;
	if (across)
		entry->flags |= DRM_VSM_STATE_ACROSS;
	else
		entry->missing = entry->mask & ~warp->exited & ~warp->lanes[lane->first].present;
	if (waiter)
		vsm_state_describe(state, &waiter->base, entry);
	else
		entry->flags |= DRM_VSM_STATE_LEFT;
}

static void vsm_warp_list(struct vsm_cluster *cluster, struct vsm_warp *warp, u32 cta, u32 first,
			  struct vsm_state *state)
{
	u32 exist = vsm_cluster_lanes(cluster, first);
	u32 lanes = warp->waiting | warp->arrived;
	struct drm_vsm_state_entry *entry;
	struct vsm_lane *lane;

	if (warp->exited & exist) {
		entry = vsm_state_add(state, DRM_VSM_STATE_EXITED);
		entry->cta = cta;
		entry->thread = first;
		entry->lanes = warp->exited & exist;
	}
	if (warp->cluster_arrived) {
		entry = vsm_state_add(state, DRM_VSM_STATE_CLUSTER_ARRIVED);
		entry->cta = cta;
		entry->thread = first;
		entry->lanes = warp->cluster_arrived;
		if (warp->phase != cluster->rendezvous->rv.phase)
			entry->flags |= DRM_VSM_STATE_COMPLETE;
	}
	while ((lane = vsm_next_lead(warp, &lanes))) {
		u32 number = lane - warp->lanes;

		entry = vsm_state_add(state, DRM_VSM_STATE_RENDEZVOUS);
		entry->cta = cta;
		entry->thread = first + number;
		vsm_lane_list(warp, lane, exist, warp->arrived >> number & 1, entry, state);
	}
}

static void vsm_barrier_list(const struct vsm_cta *cta, u32 rank, u32 number,
			     struct vsm_state *state)
{
	const struct vsm_barrier *barrier = &cta->barriers[number];
	struct drm_vsm_state_entry *entry;

	if (!barrier->count)
		return;
	entry = vsm_state_add(state, DRM_VSM_STATE_BARRIER);
	entry->cta = rank;
	entry->id = number;
	entry->mask = barrier->waiting;
	entry->passed = barrier->passed;
	entry->missing = cta->live & ~barrier->waiting & ~barrier->passed;
	entry->count = barrier->arrivals;
	entry->total = barrier->count;
}

/* List the threads of a cluster that are in a rendezvous, and its barriers. */
static void vsm_rendezvous_list(struct vsm_cluster *cluster, struct vsm_state *state)
{
	struct vsm_cluster_rendezvous *threads = vsm_rendezvous_find(cluster);
	u32 rank, i, warps = vsm_geometry_warps(&cluster->geo);
	struct drm_vsm_state_entry *entry;

	if (!threads)
		return;
	for (rank = 0; rank < cluster->geo.ctas; rank++) {
		struct vsm_cta *cta = &threads->rv.ctas[rank];

		spin_lock(&threads->lock);
		if (!rank && threads->rv.arrived) {
			entry = vsm_state_add(state, DRM_VSM_STATE_CLUSTER_BARRIER);
			entry->count = threads->rv.arrived;
			entry->total = threads->rv.live;
		}
		for (i = 0; i < VSM_BARRIERS; i++)
			vsm_barrier_list(cta, rank, i, state);
		for (i = 0; i < warps; i++)
			vsm_warp_list(cluster, &cta->warps[i], rank, i * VSM_WARP_SIZE, state);
		spin_unlock(&threads->lock);
		cond_resched();
	}
}

/* --- groups ----------------------------------------------------------------------- */

/* The task that waits first for groups of a thread. */
static void vsm_group_list_task(struct vsm_group_queue *queue, struct drm_vsm_state_entry *entry,
				const struct vsm_state *state)
{
	const struct vsm_group_task *first;

	if (!wq_has_sleeper(&queue->wait))
		return;
	spin_lock_irq(&queue->wait.lock);
	first = list_first_entry_or_null(&queue->wait.head, struct vsm_group_task, entry.entry);
	if (first) {
		entry->flags |= DRM_VSM_STATE_SUSPENDED;
		vsm_state_set_task(state, entry, first->client, first->entry.private);
	}
	spin_unlock_irq(&queue->wait.lock);
}

static void vsm_group_list_thread(struct vsm_cluster *cluster, struct vsm_groups *groups,
				  enum vsm_group_kind kind, u32 cta, u32 thread,
				  struct vsm_state *state)
{
	struct vsm_group_queue *queue = &groups->queues[kind];
	struct drm_vsm_state_entry *entry;
	struct vsm_group_op *first;

	spin_lock(&groups->lock);
	first = list_first_entry_or_null(&queue->pending, struct vsm_group_op, link);
	if (first) {
		entry = vsm_state_add(state, DRM_VSM_STATE_GROUPS);
		entry->cta = cta;
		entry->thread = thread;
		entry->lanes = groups->lane;
		entry->id = kind;
		entry->count = first->group > queue->committed
			? 0 : queue->committed - first->group + 1;
		entry->insn.op = kind == VSM_GROUP_BULK ? DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP
							: DRM_VSM_OP_CP_ASYNC_WAIT_GROUP;
		if (groups->waiter && vsm_group_kind_of(groups->waiter->insn) == kind) {
			memcpy(&entry->insn, groups->waiter->insn,
			       offsetof(struct drm_vsm_insn, result));
			vsm_state_describe(state, &groups->waiter->base, entry);
		} else {
			vsm_group_list_task(queue, entry, state);
		}
	}
	spin_unlock(&groups->lock);
}

/* List the threads of a cluster that have groups which are not complete. */
static void vsm_group_list(struct vsm_cluster *cluster, struct vsm_state *state)
{
	struct vsm_groups *groups;
	unsigned int kind;
	unsigned long i;

	xa_for_each(&cluster->groups, i, groups) {
		/* An armed wait stays while both locks are held. */
		spin_lock(&cluster->vdev->group_waits_lock);
		for (kind = 0; kind < VSM_GROUP_KINDS; kind++)
			vsm_group_list_thread(cluster, groups, kind, i / VSM_MAX_THREADS,
					      i % VSM_MAX_THREADS, state);
		spin_unlock(&cluster->vdev->group_waits_lock);
		cond_resched();
	}
}

/* --- operations and jobs --------------------------------------------------------- */

/*
 * List an asynchronous operation.
 * @op: Operation, which does not end during this call
 * @channel: Channel on which it is launched or will be launched
 */
static void vsm_op_list(const struct vsm_op *op, u32 channel, u32 flags, struct vsm_state *state)
{
	struct drm_vsm_state_entry *entry = vsm_state_add(state, DRM_VSM_STATE_OPERATION);

	vsm_state_set_client(state, entry, op->origin.client);
	memcpy(&entry->insn, &op->insn, offsetof(struct drm_vsm_insn, result));
	if (!vsm_state_shows(state, op->origin.client)) {
		/* All operations have the first two at the same place, copies and stores all. */
		memset(&entry->insn.u, 0, sizeof(entry->insn.u));
		entry->insn.u.copy.addr = op->insn.u.copy.addr;
		entry->insn.u.copy.mbar = op->insn.u.copy.mbar;
		if (!(op->moves & VSM_TAKES_TENSOR))
			entry->insn.u.copy.size = op->insn.u.copy.size;
	}
	entry->flags = flags;
	entry->cta = op->origin.cta;
	entry->thread = op->origin.thread;
	entry->lanes = BIT(op->origin.thread % VSM_WARP_SIZE);
	entry->id = channel;
	entry->mask = op->bound;
	entry->count = op->moved ? op->left : op->tx;
	entry->total = op->tx;
	if (op->due)
		entry->deadline = op->due;
}

static void vsm_schedule_list(struct vsm_schedule *schedule, const struct vsm_cluster *cluster,
			      u32 channel, struct vsm_state *state)
{
	const struct vsm_op *op;
	unsigned int count = 0;

	spin_lock(&schedule->lock);
	list_for_each_entry(op, &schedule->ops, link) {
		if (++count > VSM_STATE_BATCH) {
			state->more = true;
			break;
		}
		if (op->cluster == cluster)
			vsm_op_list(op, channel, 0, state);
	}
	spin_unlock(&schedule->lock);
}

/* Name the fence that a queued job waits for. The job has a reference on it. */
static void vsm_job_name_fence(const struct vsm_job *job, struct drm_vsm_state_entry *entry)
{
	struct dma_fence *fence;

	/* Pairs with the release in vsm_job_in_fence_signalled(). */
	if (!smp_load_acquire(&job->waiting))
		return;
	fence = dma_fence_chain_contained(job->in[job->in_next - 1].fence);
	rcu_read_lock();
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags))
		snprintf(entry->name, sizeof(entry->name), "%s %s",
			 vsm_fence_driver(fence), vsm_fence_timeline(fence));
	rcu_read_unlock();
}

static void vsm_job_list(const struct vsm_job *job, u32 channel, u32 flags, struct vsm_state *state)
{
	struct drm_vsm_state_entry *entry = vsm_state_add(state, DRM_VSM_STATE_JOB);

	vsm_state_set_client(state, entry, job->origin.client);
	entry->flags = flags;
	entry->cta = job->origin.cta;
	entry->thread = job->origin.thread;
	entry->id = channel;
	entry->count = READ_ONCE(job->next);
	entry->total = job->count;
	if (flags & DRM_VSM_STATE_RUNNING)
		return;
	entry->missing = job->in_count - job->in_next + READ_ONCE(job->waiting);
	if (vsm_state_shows(state, job->origin.client))
		vsm_job_name_fence(job, entry);
}

/* A client has at most VSM_CLIENT_JOBS jobs. */
static void vsm_jobs_list(struct vsm_jobs *jobs, const struct vsm_cluster *cluster, u32 channel,
			  struct vsm_state *state)
{
	const struct vsm_job *job;

	spin_lock(&jobs->lock);
	job = jobs->running;
	if (job && job->bo->cluster == cluster)
		vsm_job_list(job, channel, DRM_VSM_STATE_RUNNING, state);
	list_for_each_entry(job, &jobs->list, link)
		if (job->bo->cluster == cluster)
			vsm_job_list(job, channel, 0, state);
	spin_unlock(&jobs->lock);
}

static void vsm_channel_list(struct vsm_channel *channel, const struct vsm_cluster *cluster,
			     u32 id, struct vsm_state *state)
{
	vsm_schedule_list(&channel->schedule, cluster, id, state);
	vsm_jobs_list(&channel->jobs, cluster, id, state);
	cond_resched();
}

static void vsm_client_list(struct vsm_client *client, const struct vsm_cluster *cluster,
			    struct vsm_state *state)
{
	struct vsm_channel *channel;
	u32 id;

	for (id = 0; id < VSM_MAX_CHANNELS; id++) {
		channel = vsm_channel_find(client, id);
		if (!channel)
			continue;
		vsm_channel_list(channel, cluster, id, state);
		vsm_channel_put(channel);
	}
}

/*
 * List the operations in flight and the jobs of a cluster. An operation that a channel is
 * performing at this moment is not listed. Returns 0, or -ERESTARTSYS if a signal has come.
 */
static int vsm_channels_list(struct vsm_cluster *cluster, struct vsm_state *state)
{
	struct vsm_device *vdev = cluster->vdev;
	struct vsm_client *client;
	u32 number = 1;

	/* Others open and close files meanwhile: the lock is held for one client at a time. */
	do {
		if (signal_pending(current) || mutex_lock_interruptible(&vdev->clients_lock))
			return -ERESTARTSYS;
		client = vsm_client_next_open(vdev, &number);
		if (client)
			vsm_client_list(client, cluster, state);
		mutex_unlock(&vdev->clients_lock);
	} while (client && number++ != U32_MAX);
	return 0;
}

/* --- the ioctl ------------------------------------------------------------------- */

/* List the operations that are held. They will be performed on channel 0 of their client. */
static void vsm_held_list(struct vsm_cluster *cluster, struct vsm_state *state)
{
	struct vsm_device *vdev = cluster->vdev;
	const struct vsm_thread_op *op;
	unsigned int count = 0;

	spin_lock(&vdev->hold_lock);
	list_for_each_entry(op, &cluster->held_ops, held) {
		if (++count > VSM_STATE_BATCH) {
			state->more = true;
			break;
		}
		vsm_op_list(&op->op, 0, DRM_VSM_STATE_HELD, state);
	}
	spin_unlock(&vdev->hold_lock);
}

/* Say who has created the cluster, if the reader may know it. */
static void vsm_state_set_creator(const struct vsm_state *state, const struct vsm_client *client,
				  struct drm_vsm_cluster_state *args)
{
	bool shows = vsm_state_shows(state, client);

	args->client = shows ? client->number : 0;
	args->pid = shows ? vsm_client_pid(client) : 0;
	strscpy_pad(args->comm, shows ? client->comm : "", sizeof(args->comm));
}

/*
 * List what is in a cluster. The caller sets @viewer, @entries and @size of the list; @args gets
 * what is known of the cluster as a whole. Returns 0, -ENOMEM or -ERESTARTSYS.
 */
static int vsm_state_gather(struct vsm_bo *bo, struct vsm_state *state,
			    struct drm_vsm_cluster_state *args)
{
	struct vsm_cluster *cluster = bo->cluster;
	const struct vsm_geometry *geo = &cluster->geo;
	s64 time = ktime_get_ns();
	int ret;

	ret = vsm_park_list(cluster, state);
	if (ret)
		return ret;
	vsm_rendezvous_list(cluster, state);
	vsm_group_list(cluster, state);
	if (signal_pending(current))
		return -ERESTARTSYS;
	vsm_held_list(cluster, state);
	ret = vsm_channels_list(cluster, state);
	if (ret)
		return ret;

	args->number = cluster->number;
	args->status = (READ_ONCE(cluster->lost) ? DRM_VSM_STATE_LOST : 0) |
		       (READ_ONCE(cluster->held) ? DRM_VSM_STATE_CLUSTER_HELD : 0) |
		       (state->more ? DRM_VSM_STATE_MORE : 0);
	args->count = min(state->total, state->size);
	args->total = state->total;
	args->ctas = geo->ctas;
	args->threads = geo->threads;
	args->smem_bytes = geo->smem_bytes;
	args->layout = geo->layout;
	args->policy = geo->strict ? DRM_VSM_POLICY_STRICT : DRM_VSM_POLICY_HARDWARE;
	args->live = READ_ONCE(cluster->live);
	args->suspended = atomic_read(&cluster->suspended);
	args->time = time;
	vsm_state_set_creator(state, cluster->client, args);
	return 0;
}

/* Find the cluster that the caller names, and may see. */
static struct vsm_bo *vsm_state_find(const struct vsm_state *state, struct drm_file *file,
				     const struct drm_vsm_cluster_state *args)
{
	struct vsm_client *client = file->driver_priv;
	u32 number = args->number;
	struct vsm_bo *bo;

	if (!args->flags)
		return vsm_cluster_lookup(file, args->handle) ?: ERR_PTR(-ENOENT);
	while ((bo = vsm_cluster_next(client->vdev, &number))) {
		if (args->flags == DRM_VSM_STATE_NUMBER && number != args->number)
			break;
		if (vsm_state_shows(state, bo->client))
			return bo;
		vsm_bo_put(bo);
		bo = NULL;
		if (args->flags == DRM_VSM_STATE_NUMBER || number == U32_MAX)
			break;
		number++;
		if (signal_pending(current))
			return ERR_PTR(-ERESTARTSYS);
		cond_resched();
	}
	vsm_bo_put(bo);
	return ERR_PTR(-ENOENT);
}

static int vsm_state_copy(const struct drm_vsm_cluster_state *args, const struct vsm_state *state,
			  u32 count)
{
	const size_t size = min_t(size_t, args->stride, sizeof(*state->entries));
	u32 i;

	if (args->stride == sizeof(*state->entries))
		return copy_to_user(u64_to_user_ptr(args->entries), state->entries, count * size)
			? -EFAULT : 0;
	for (i = 0; i < count; i++) {
		if (copy_to_user(u64_to_user_ptr(args->entries + (u64)i * args->stride),
				 &state->entries[i], size))
			return -EFAULT;
		cond_resched();
	}
	return 0;
}

/* Returns the field of the argument that is wrong, or NULL. */
static const char *vsm_state_invalid(const struct drm_vsm_cluster_state *args)
{
	if (args->flags & ~(DRM_VSM_STATE_NUMBER | DRM_VSM_STATE_NEXT) ||
	    args->flags == (DRM_VSM_STATE_NUMBER | DRM_VSM_STATE_NEXT))
		return "flags";
	if (args->flags && args->handle)
		return "handle";
	if (args->stride < VSM_FIRST_STATE || args->stride % 8)
		return "stride";
	return args->entries % 8 ? "entries" : NULL;
}

int vsm_cluster_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_client *client = file->driver_priv;
	struct drm_vsm_cluster_state *args = data;
	struct drm_vsm_cluster_state result = *args;
	struct vsm_state state = {
		.viewer = vsm_viewer_of(client),
		.size = args->count,
	};
	const char *field = vsm_state_invalid(args);
	struct vsm_bo *bo;
	int ret;

	if (field)
		return vsm_invalid(drm, "CLUSTER_STATE", field);
	if (args->count > VSM_MAX_STATE)
		return -E2BIG;
	bo = vsm_state_find(&state, file, args);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	if (args->count) {
		state.entries = vsm_quota_alloc(&client->quota, args->count,
						sizeof(*state.entries));
		if (IS_ERR(state.entries)) {
			ret = PTR_ERR(state.entries);
			goto out;
		}
	}
	ret = vsm_state_gather(bo, &state, &result) ?:
	      vsm_state_copy(&result, &state, result.count);
	if (!ret)
		*args = result;
	vsm_quota_free(&client->quota, state.entries, state.size,
		       sizeof(*state.entries));
out:
	vsm_bo_put(bo);
	return ret;
}
