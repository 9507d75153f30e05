// SPDX-License-Identifier: GPL-2.0-only
/*
 * The copy engine: each channel runs its jobs in order, one at a time, on the
 * device's workqueue; channels run beside each other.
 *
 * Jobs always end, and when they do their fence is signalled. What lies between
 * the start of a job and its fence allocates nothing and waits for nothing.
 */
#include <linux/sched.h>

#include "vsm_job.h"

static void vsm_job_retire(struct vsm_job *job)
{
	u32 i;

	/*
	 * Waits for a callback that has unblocked the job and not returned: it still
	 * uses the channel, and callbacks run with their fence locked.
	 */
	for (i = 0; i < job->in_count; i++)
		dma_fence_remove_callback(job->in[i].fence, &job->in[i].cb);
	vsm_job_free(job);
}

/*
 * The data is in place before anybody can see the complete-tx: vsm_syncs_run()
 * performs it as a release, since the instruction made here is not .relaxed.
 */
static int vsm_job_copy(struct vsm_job *job, struct vsm_job_insn *ji)
{
	const struct drm_vsm_copy_operands *o = &ji->insn.u.copy;
	struct vsm_cluster *cluster = job->cluster->cluster;
	void *shared = vsm_cluster_mem(cluster, o->addr);
	void *global = ji->buffer->map.vaddr + o->offset;
	struct drm_vsm_insn complete = {
		.op = DRM_VSM_OP_MBARRIER_COMPLETE_TX,
		.u.mbarrier.addr = o->mbar,
		.u.mbarrier.tx_count = o->size,
	};
	u32 serial = 0;
	int ret;

	if (ji->insn.op == DRM_VSM_OP_CP_ASYNC_BULK_S2G) {
		memcpy(global, shared, o->size);
		return 0;
	}
	ret = vsm_syncs_check_write(cluster, &ji->insn);
	if (ret)
		return ret;
	/* Without bytes to come nothing keeps the phase: there is nothing to be late for. */
	if (o->size) {
		complete.fault = vsm_syncs_bind(cluster, o->mbar, &serial);
		if (!complete.fault) {
			memcpy(shared, global, o->size);
			complete.fault = vsm_syncs_unbind(cluster, o->mbar, false, serial);
		}
	}
	if (complete.fault) {
		complete.result = READ_ONCE(*(u64 *)vsm_cluster_mem(cluster, o->mbar));
		ret = -EPROTO;
	} else {
		ret = vsm_syncs_run(cluster, &complete, job->cta, job->thread);
	}
	ji->insn.fault = complete.fault;
	ji->insn.result = complete.result;
	return ret;
}

static int vsm_job_step(struct vsm_job *job, struct vsm_job_insn *ji)
{
	struct vsm_cluster *cluster = job->cluster->cluster;

	if (vsm_insn_publishes(&ji->insn))
		vsm_shadow_fence(cluster, job->cta, VSM_ANY_THREAD);
	return vsm_syncs_run(cluster, &ji->insn, job->cta, job->thread);
}

static int vsm_job_run(struct vsm_job *job)
{
	struct vsm_cluster *cluster = job->cluster->cluster;
	int ret = READ_ONCE(job->channel->error);
	u32 i;

	/* A channel that is stopped runs even jobs that are blocked, to end them in order. */
	if (ret)
		return ret;
	for (i = 0; i < job->in_count; i++) {
		ret = dma_fence_get_status(job->in[i].fence);
		if (ret < 0)
			return ret;
	}
	for (i = 0; i < job->count; i++) {
		struct vsm_job_insn *ji = &job->insns[i];

		ret = READ_ONCE(job->channel->error);
		if (!ret && READ_ONCE(cluster->lost))
			ret = -EIO;
		if (!ret)
			ret = ji->buffer ? vsm_job_copy(job, ji)
					 : vsm_job_step(job, ji);
		if (ret == -EPROTO)
			vsm_fault_record(job->client, DRM_VSM_SOURCE_JOB, job->handle, job->cta,
					 job->thread, &ji->insn);
		if (ret)
			return ret;
		cond_resched();
	}
	return 0;
}

/* The next job, if nothing holds it back; taken off the queue. */
static struct vsm_job *vsm_channel_next(struct vsm_channel *channel)
{
	struct vsm_job *job;

	spin_lock(&channel->lock);
	job = list_first_entry_or_null(&channel->jobs, struct vsm_job, link);
	if (job && !channel->error && atomic_read_acquire(&job->blocked))
		job = NULL;
	if (job)
		list_del_init(&job->link);
	spin_unlock(&channel->lock);
	return job;
}

/*
 * The work is queued whenever a job's last in-fence has signalled. Should that
 * be while it runs it runs again, so a job that it found blocked is not left.
 */
static void vsm_channel_work(struct work_struct *work)
{
	struct vsm_channel *channel = container_of(work, struct vsm_channel, work);
	struct vsm_job *job;

	while ((job = vsm_channel_next(channel))) {
		bool cookie = dma_fence_begin_signalling();
		int error = vsm_job_run(job);

		if (error)
			dma_fence_set_error(job->fence, error);
		dma_fence_signal(job->fence);
		dma_fence_end_signalling(cookie);
		vsm_job_retire(job);
	}
}

static void vsm_job_unblock(struct vsm_job *job)
{
	struct vsm_channel *channel = job->channel;

	/* Once it is 0 the job may run and be gone. */
	if (atomic_dec_and_test(&job->blocked))
		queue_work(channel->vdev->wq, &channel->work);
}

static void vsm_job_in_fence_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	vsm_job_unblock(container_of(cb, struct vsm_in_fence, cb)->job);
}

/**
 * vsm_channel_submit - Queue a job
 * @channel: Channel
 * @job: Job; the channel's if this succeeds. Its fence is from vsm_fence_alloc()
 *
 * Return: 0, the fence being a fence now and the caller holding a reference on it
 * besides the job's; or what the channel was stopped with.
 */
int vsm_channel_submit(struct vsm_channel *channel, struct vsm_job *job)
{
	int error;
	u32 i;

	spin_lock(&channel->lock);
	error = channel->error;
	if (error)
		goto out;

	vsm_fence_init(job->fence, channel->context, ++channel->seqno);
	dma_fence_get(job->fence);
	list_add_tail(&job->link, &channel->jobs);

	/* Blocked by this function itself too, so that the callbacks find a job. */
	atomic_set(&job->blocked, 1 + job->in_count);
	for (i = 0; i < job->in_count; i++) {
		struct vsm_in_fence *in = &job->in[i];

		in->job = job;
		if (dma_fence_add_callback(in->fence, &in->cb, vsm_job_in_fence_signalled))
			vsm_job_unblock(job);
	}
	vsm_job_unblock(job);
out:
	spin_unlock(&channel->lock);
	return error;
}

void vsm_channel_init(struct vsm_channel *channel, struct vsm_device *vdev)
{
	channel->vdev = vdev;
	spin_lock_init(&channel->lock);
	INIT_LIST_HEAD(&channel->jobs);
	INIT_WORK(&channel->work, vsm_channel_work);
	channel->context = dma_fence_context_alloc(1);
}

/**
 * vsm_channel_stop - End all jobs of a channel, and all that come later
 * @channel: Channel
 * @error: What they end with, if they have not ended before
 *
 * No job is queued or running when this returns.
 */
void vsm_channel_stop(struct vsm_channel *channel, int error)
{
	spin_lock(&channel->lock);
	if (!channel->error)
		WRITE_ONCE(channel->error, error);
	spin_unlock(&channel->lock);

	queue_work(channel->vdev->wq, &channel->work);
	flush_work(&channel->work);
	/* A callback that unblocked a job may have queued it once more. */
	cancel_work_sync(&channel->work);
}
