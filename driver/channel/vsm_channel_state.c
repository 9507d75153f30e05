// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists the operations in flight and the jobs of a cluster. A lock is held for one list of one
 * channel. The parts of the result are therefore not from the same moment.
 */
#include <linux/dma-fence-chain.h>
#include <linux/sched/signal.h>

#include "channel/vsm_channel.h"
#include "channel/vsm_channel_state.h"
#include "vsm_compat.h"
#include "vsm_drv.h"

/**
 * vsm_op_list - List an asynchronous operation
 * @op: Operation, which does not end during this call
 * @channel: Channel on which it is launched or will be launched
 * @flags: Flags of the entry
 * @state: List to add it to
 */
void vsm_op_list(const struct vsm_op *op, u32 channel, u32 flags, struct vsm_state *state)
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

/**
 * vsm_channels_list - List the operations in flight and the jobs of a cluster
 * @cluster: Cluster
 * @state: List to add them to
 *
 * An operation that a channel is performing at this moment is not listed.
 *
 * Return: 0, or -ERESTARTSYS if a signal has come.
 */
int vsm_channels_list(struct vsm_cluster *cluster, struct vsm_state *state)
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
