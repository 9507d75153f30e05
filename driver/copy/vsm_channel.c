// SPDX-License-Identifier: GPL-2.0-only
/*
 * The copy engine: each channel runs its jobs one at a time on the device's workqueue, and
 * has asynchronous operations in flight, which happen in the order of the list that they are
 * on. Channels run beside each other and take turns.
 *
 * Jobs always end, and when they do their fence is signalled. What lies between the start of
 * a job and its fence allocates nothing and waits for nothing but time: the parts of it are
 * marked for lockdep. The freeing of what has ended is outside of them.
 */
#include <linux/dma-fence-chain.h>
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/list_sort.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "vsm_compat.h"
#include "copy/vsm_job.h"

/* How long a channel keeps a worker while others may wait for one. */
#define VSM_CHANNEL_SLICE	(1 * NSEC_PER_MSEC)
/* Instructions between looks at the time. */
#define VSM_CHANNEL_STEPS	64
/* Attempts of 2^10 exchanges each, after which a cluster whose word keeps changing is lost. */
#define VSM_CHANNEL_BUSY	BIT(10)
/* How long what a client's threads have issued may still happen after it has closed. */
#define VSM_CHANNEL_PATIENCE	HZ

/* A model that lets nothing happen within an hour is as good as one that lets it never. */
#define VSM_MODEL_MAX_NS	(3600 * (s64)NSEC_PER_SEC)

/* --- operations in flight --------------------------------------------------------- */

static bool vsm_model_is_timed(const struct vsm_model *model)
{
	return READ_ONCE(model->latency_ns) || READ_ONCE(model->bandwidth);
}

/* When an operation is complete that is launched now, behind all that has been. */
static s64 vsm_channel_due(struct vsm_channel *channel, const struct vsm_op *async)
{
	const struct vsm_model *model = &channel->vdev->model;
	u64 bandwidth = READ_ONCE(model->bandwidth);
	u64 latency = READ_ONCE(model->latency_ns);
	s64 now = ktime_to_ns(ktime_get());
	u64 transfer = 0;

	if (bandwidth)
		transfer = div64_u64((u64)async->tx * NSEC_PER_SEC, bandwidth);
	channel->free_at = max(channel->free_at, now) + min_t(u64, transfer, VSM_MODEL_MAX_NS);
	return channel->free_at + min_t(u64, latency, VSM_MODEL_MAX_NS);
}

static int vsm_op_compare(void *unused, const struct list_head *a, const struct list_head *b)
{
	return list_entry(a, struct vsm_op, link)->key >
	       list_entry(b, struct vsm_op, link)->key;
}

/*
 * Random by the seed and by how many there have been. What cp.async.mbarrier.arrive waits
 * for stays before it.
 */
static void vsm_channel_shuffle(struct vsm_channel *channel, struct list_head *batch, u64 seed)
{
	struct vsm_op *async;
	u64 place = 0;

	list_for_each_entry(async, batch, link) {
		bool arrive = async->insn.op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE;
		u64 random = hash_64(hash_64(seed, 64) + ++channel->launched, 64);

		/* 2^18 operations are in flight at most. */
		place += arrive;
		async->key = place << 40 | hash_64(random ^ random >> 29, 40);
		place += arrive;
	}
	list_sort(NULL, batch, vsm_op_compare);
}

static int vsm_channel_add(struct vsm_channel *channel, struct list_head *batch)
{
	const struct vsm_model *model = &channel->vdev->model;
	u64 seed = READ_ONCE(model->shuffle_seed);
	struct vsm_op *async;
	int ret = 0;

	spin_lock(&channel->lock);
	if (channel->error) {
		ret = -ENODEV;
	} else {
		if (seed)
			vsm_channel_shuffle(channel, batch, seed);
		if (vsm_model_is_timed(model))
			list_for_each_entry(async, batch, link)
				async->due = vsm_channel_due(channel, async);
		list_splice_tail_init(batch, &channel->flight);
	}
	spin_unlock(&channel->lock);
	return ret;
}

/*
 * Have the work run. The job is not charged for the time from now until it runs: others may have
 * the workers.
 */
static void vsm_channel_queue(struct vsm_channel *channel)
{
	if (READ_ONCE(channel->running))
		atomic64_cmpxchg(&channel->queued, 0, ktime_to_ns(ktime_get()));
	queue_work(channel->vdev->wq, &channel->work);
}

/**
 * vsm_channel_launch - Put operations in flight
 * @channel: Channel
 * @batch: Operations that have begun; left as it is on an error
 *
 * Return: 0, or -ENODEV: the channel has stopped.
 */
int vsm_channel_launch(struct vsm_channel *channel, struct list_head *batch)
{
	int ret = vsm_channel_add(channel, batch);

	if (!ret)
		vsm_channel_queue(channel);
	return ret;
}

/*
 * Somebody else keeps writing a word that an operation or an instruction is to change. Other
 * channels get the worker before the next attempt. A cluster where all attempts fail is not
 * synchronising, and is lost.
 */
static void vsm_op_is_busy(struct vsm_op *async, struct vsm_cluster *cluster)
{
	if (++async->busy == VSM_CHANNEL_BUSY)
		vsm_cluster_kill(cluster);
}

static int vsm_channel_perform(struct vsm_op *async)
{
	struct vsm_job *job = async->job;
	bool cookie = dma_fence_begin_signalling();
	int ret;

	ret = vsm_op_perform(async);
	if (ret == -EBUSY)
		vsm_op_is_busy(async, async->cluster);
	if (ret == -EPROTO)
		vsm_fault_record(async->client, job ? DRM_VSM_SOURCE_JOB : DRM_VSM_SOURCE_ASYNC,
				 async->handle, async->cta, async->thread, &async->insn);
	dma_fence_end_signalling(cookie);
	if (ret == -EBUSY)
		return ret;
	if (!job) {
		vsm_stream_end_op(async);
		return 0;
	}
	async->flying = false;
	job->pending--;
	if (ret && !job->error)
		job->error = -EIO;
	return 0;
}

static void vsm_channel_drop(struct vsm_op *async)
{
	vsm_op_drop(async);
	async->flying = false;
	if (async->job)
		async->job->pending--;
	else
		vsm_stream_end_op(async);
}

/* Have the work look again when an operation is due, or the job's time is up before. */
static void vsm_channel_wait_until(struct vsm_channel *channel, s64 due)
{
	const struct vsm_job *job = channel->running;

	if (job && job->timed)
		due = min(due, channel->looked + job->left);
	hrtimer_start(&channel->timer, ns_to_ktime(due), HRTIMER_MODE_ABS);
}

static enum hrtimer_restart vsm_channel_timer(struct hrtimer *timer)
{
	struct vsm_channel *channel = container_of(timer, struct vsm_channel, timer);

	vsm_channel_queue(channel);
	return HRTIMER_NORESTART;
}

/* What threads have issued is still performed when their client closes, within reason. */
static bool vsm_channel_drops(const struct vsm_channel *channel, const struct vsm_op *async)
{
	return async->job || READ_ONCE(channel->vdev->lost) ||
	       time_after(jiffies, channel->patience);
}

/*
 * Perform the next operation, if it is due; a channel that stops waits for none. Returns 1 if
 * there was one, 0 if not; -EBUSY if other channels are to go first.
 */
static int vsm_channel_land(struct vsm_channel *channel)
{
	struct vsm_op *async;
	s64 due = 0;
	int error, ret;

	/* Whoever adds to it queues the work after that: what this overlooks is found then. */
	if (data_race(list_empty_careful(&channel->flight)))
		return 0;
	spin_lock(&channel->lock);
	error = channel->error;
	async = list_first_entry_or_null(&channel->flight, struct vsm_op, link);
	if (async && !error)
		due = async->due;
	if (due && due > ktime_to_ns(ktime_get()))
		async = NULL;
	if (async) {
		list_del(&async->link);
		channel->landing = true;
	}
	spin_unlock(&channel->lock);

	if (!async) {
		vsm_channel_wait_until(channel, due);
		return 0;
	}
	channel->moved += async->size;
	if (error && vsm_channel_drops(channel, async)) {
		vsm_channel_drop(async);
		ret = 0;
	} else {
		ret = vsm_channel_perform(async);
	}
	spin_lock(&channel->lock);
	if (ret)
		list_add(&async->link, &channel->flight);
	channel->landing = false;
	spin_unlock(&channel->lock);
	return ret ? ret : 1;
}

/* --- jobs ------------------------------------------------------------------------- */

static void vsm_job_retire(struct vsm_job *job)
{
	u32 i;

	/*
	 * Waits for a callback that has unblocked the job and not returned: it still
	 * uses the channel, and callbacks run with their fence locked.
	 */
	for (i = 0; i < job->in_next; i++)
		dma_fence_remove_callback(job->in[i].fence, &job->in[i].cb);
	vsm_job_free(job);
}

static void vsm_job_end(struct vsm_job *job)
{
	bool cookie = dma_fence_begin_signalling();

	if (job->error)
		dma_fence_set_error(job->fence, job->error);
	dma_fence_signal(job->fence);
	dma_fence_end_signalling(cookie);
}

static void vsm_job_in_fence_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct vsm_job *job = container_of(cb, struct vsm_in_fence, cb)->job;
	struct vsm_channel *channel = job->channel;

	/* Pairs with the acquire in vsm_job_is_blocked(). The job may be gone from here on. */
	smp_store_release(&job->waiting, false);
	vsm_channel_queue(channel);
}

/*
 * Has an in-fence not signalled? A job looks at one after the other: a fence that signals calls
 * back with interrupts off, once for each job at most, however often the job names it.
 */
static bool vsm_job_is_blocked(struct vsm_job *job)
{
	lockdep_assert_held(&job->channel->lock);
	/* Pairs with the release in vsm_job_in_fence_signalled(). */
	if (smp_load_acquire(&job->waiting))
		return true;
	while (job->in_next < job->in_count) {
		struct vsm_in_fence *in = &job->in[job->in_next++];

		in->job = job;
		WRITE_ONCE(job->waiting, true);
		if (!dma_fence_add_callback(in->fence, &in->cb, vsm_job_in_fence_signalled))
			return true;
		WRITE_ONCE(job->waiting, false);
	}
	return false;
}

/*
 * The next job, if nothing holds it back; taken off the queue. One that is to end with an
 * error need not wait for its fences.
 */
static struct vsm_job *vsm_channel_next(struct vsm_channel *channel)
{
	struct vsm_job *job, *next = NULL;

	spin_lock(&channel->lock);
	list_for_each_entry(job, &channel->jobs, link) {
		if (channel->error && !job->error)
			job->error = channel->error;
		if (job->error || !vsm_job_is_blocked(job)) {
			next = job;
			list_del_init(&job->link);
			break;
		}
		if (!channel->out_of_order)
			break;
	}
	spin_unlock(&channel->lock);
	return next;
}

/* An in-fence that has failed fails the job, a timeline's as well. */
static int vsm_job_in_error(const struct vsm_job *job)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < job->in_count && ret >= 0; i++)
		ret = dma_fence_get_status(dma_fence_chain_contained(job->in[i].fence));
	return min(ret, 0);
}

static void vsm_job_start(struct vsm_job *job)
{
	u32 timeout = READ_ONCE(job->channel->vdev->model.job_timeout_ms);

	if (!job->error)
		job->error = vsm_job_in_error(job);
	job->timed = timeout;
	job->left = (s64)timeout * NSEC_PER_MSEC;
	job->channel->looked = ktime_to_ns(ktime_get());
}

/* An instruction that is no operation in flight. */
static int vsm_job_step(struct vsm_job *job, struct vsm_op *op)
{
	struct vsm_cluster *cluster = job->bo->cluster;
	struct vsm_report report = {};
	int ret;

	if (vsm_insn_publishes(&op->insn))
		ret = vsm_engine_release(cluster, &op->insn, job->cta, job->thread);
	else
		ret = vsm_engine_run(cluster, &op->insn, job->cta, job->thread);
	if (ret == VSM_REPORTS) {
		ret = vsm_engine_run_reporting(cluster, &op->insn, job->cta, job->thread, &report);
		vsm_fault_report(job->client, DRM_VSM_SOURCE_JOB, job->handle, job->cta,
				 job->thread, &op->insn, &report);
	}
	return ret;
}

/* Issue the next instruction. Returns 1, or -EBUSY as vsm_channel_land(). */
static int vsm_job_issue(struct vsm_job *job)
{
	struct vsm_op *op = &job->ops[job->next];
	bool copy = vsm_insn_is_copy(&op->insn);
	bool cookie = dma_fence_begin_signalling();
	int ret;

	if (READ_ONCE(job->bo->cluster->lost))
		ret = -EIO;
	else
		ret = copy ? vsm_op_begin(op) : vsm_job_step(job, op);
	if (ret == -EBUSY)
		vsm_op_is_busy(op, job->bo->cluster);
	if (ret == -EPROTO)
		vsm_fault_record(job->client, DRM_VSM_SOURCE_JOB, job->handle, job->cta,
				 job->thread, &op->insn);
	dma_fence_end_signalling(cookie);
	if (ret == -EBUSY)
		return ret;
	job->next++;
	if (ret) {
		job->error = -EIO;
	} else if (copy) {
		op->flying = true;
		job->pending++;
		job->batched++;
		list_add_tail(&op->link, &job->batch);
	}
	return 1;
}

/*
 * Drop the operations of a job that are in flight. The job has few instructions to look through;
 * its channel may have very many operations in flight.
 */
static void vsm_job_drop(struct vsm_job *job)
{
	struct vsm_channel *channel = job->channel;
	struct vsm_op *async, *next;
	u32 i;

	spin_lock(&channel->lock);
	for (i = 0; i < job->next; i++)
		if (job->ops[i].flying)
			list_move_tail(&job->ops[i].link, &job->batch);
	spin_unlock(&channel->lock);
	list_for_each_entry_safe(async, next, &job->batch, link) {
		list_del(&async->link);
		vsm_channel_drop(async);
		cond_resched();
	}
}

/* Charge the job that runs with time up to @now, and with @most of it at most. */
static void vsm_channel_charge(struct vsm_channel *channel, s64 now, s64 most)
{
	struct vsm_job *job = channel->running;

	if (job && job->timed)
		job->left -= clamp_t(s64, now - channel->looked, 0, most);
	channel->looked = now;
}

/*
 * The work begins to run. If it had nothing to do when it last ended, the job has waited for its
 * operations from then until the work was queued again.
 */
static s64 vsm_channel_begin(struct vsm_channel *channel)
{
	s64 now = ktime_to_ns(ktime_get());
	s64 queued = atomic64_xchg(&channel->queued, 0);

	if (channel->idle)
		vsm_channel_charge(channel, queued ?: now, S64_MAX);
	channel->idle = false;
	channel->looked = now;
	return now;
}

/*
 * The work looks at the time. Between two looks it takes a slice at most, and one more for each
 * VSM_CORE_PIECE of a large operation. If more time has passed, somebody else has had the
 * processor.
 */
static s64 vsm_channel_look(struct vsm_channel *channel)
{
	s64 now = ktime_to_ns(ktime_get());

	vsm_channel_charge(channel, now,
			   VSM_CHANNEL_SLICE * (1 + channel->moved / VSM_CORE_PIECE));
	channel->moved = 0;
	return now;
}

/* If the time of the job that runs is up, end it, and with it what waits behind it. */
static void vsm_channel_check_time(struct vsm_channel *channel)
{
	struct vsm_job *job = channel->running;

	if (!job || !job->timed || job->left > 0)
		return;
	job->timed = false;
	vsm_job_drop(job);
	job->error = -ETIMEDOUT;
	spin_lock(&channel->lock);
	channel->free_at = 0;
	list_for_each_entry(job, &channel->jobs, link)
		job->error = -ECANCELED;
	spin_unlock(&channel->lock);
}

/*
 * Take the job that runs, or else the next one, a step further. Returns 1 if there was something
 * to do, 0 if not, or -EBUSY as vsm_channel_land().
 */
static int vsm_channel_step(struct vsm_channel *channel)
{
	struct vsm_job *job = channel->running;

	if (!job) {
		job = vsm_channel_next(channel);
		if (!job)
			return 0;
		WRITE_ONCE(channel->running, job);
		vsm_job_start(job);
	}
	if (READ_ONCE(channel->error) && !job->error)
		job->error = channel->error;

	if (!job->error && job->next < job->count && job->batched < VSM_OP_BATCH)
		return vsm_job_issue(job);
	/* What has been issued before a fault is not undone by it. */
	if (job->batched) {
		job->batched = 0;
		if (vsm_channel_add(channel, &job->batch))
			vsm_job_drop(job);
		return 1;
	}
	if (job->pending)
		return 0;
	/* Read by vsm_channel_is_idle(). */
	WRITE_ONCE(channel->running, NULL);
	vsm_job_end(job);
	vsm_job_retire(job);
	return 1;
}

/*
 * The work is queued whenever a job is submitted, an in-fence has signalled, operations are
 * launched or time has come. If that is while it runs, it runs again, so nothing that it has
 * not seen is left.
 */
static void vsm_channel_work(struct work_struct *work)
{
	struct vsm_channel *channel = container_of(work, struct vsm_channel, work);
	s64 start = vsm_channel_begin(channel);
	int landed, stepped;
	unsigned int steps;

	kcov_remote_start_common(channel->kcov);
	for (steps = 1;; steps++) {
		/* Neither waits for the other to have nothing left to do. */
		vsm_channel_check_time(channel);
		landed = vsm_channel_land(channel);
		stepped = vsm_channel_step(channel);
		if (!landed && !stepped) {
			channel->idle = true;
			break;
		}
		if (landed < 0 || stepped < 0)
			break;
		cond_resched();
		if (steps % VSM_CHANNEL_STEPS && channel->moved < VSM_CORE_PIECE)
			continue;
		if (vsm_channel_look(channel) >= start + VSM_CHANNEL_SLICE)
			break;
	}
	vsm_channel_look(channel);
	if (!channel->idle)
		queue_work(channel->vdev->wq, &channel->work);
	kcov_remote_stop();
}

/* Is the caller part of a channel's work, so that a fence may be waiting for it? */
bool vsm_channel_is_current(void)
{
	struct work_struct *work = current_work();

	return work && work->func == vsm_channel_work;
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

	spin_lock(&channel->lock);
	error = channel->error;
	if (error)
		goto out;

	/* Fences of a context are taken to signal in order. */
	if (channel->out_of_order)
		vsm_fence_init(job->fence, dma_fence_context_alloc(1), 1);
	else
		vsm_fence_init(job->fence, channel->context, ++channel->seqno);
	dma_fence_get(job->fence);
	list_add_tail(&job->link, &channel->jobs);
	/* vsm_channel_stop() waits for the work once it has had the lock. */
	vsm_channel_queue(channel);
out:
	spin_unlock(&channel->lock);
	return error;
}

/* --- channels --------------------------------------------------------------------- */

void vsm_channel_init(struct vsm_channel *channel, struct vsm_device *vdev)
{
	kref_init(&channel->ref);
	channel->vdev = vdev;
	spin_lock_init(&channel->lock);
	INIT_LIST_HEAD(&channel->jobs);
	INIT_LIST_HEAD(&channel->flight);
	INIT_WORK(&channel->work, vsm_channel_work);
	hrtimer_setup(&channel->timer, vsm_channel_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	channel->context = dma_fence_context_alloc(1);
	channel->kcov = kcov_common_handle();
}

static bool vsm_channel_is_idle(struct vsm_channel *channel)
{
	bool idle;

	spin_lock(&channel->lock);
	idle = !READ_ONCE(channel->running) && list_empty(&channel->jobs) &&
	       list_empty(&channel->flight) && !channel->landing;
	spin_unlock(&channel->lock);
	return idle;
}

/**
 * vsm_channel_stop - End all jobs of a channel, and all that come later
 * @channel: Channel
 * @error: What they end with, if they have not ended before
 *
 * No job is queued or running, and nothing in flight, when this returns.
 */
void vsm_channel_stop(struct vsm_channel *channel, int error)
{
	spin_lock(&channel->lock);
	if (!channel->error) {
		channel->patience = jiffies + VSM_CHANNEL_PATIENCE;
		WRITE_ONCE(channel->error, error);
	}
	spin_unlock(&channel->lock);

	/* It takes turns with others still. */
	do {
		queue_work(channel->vdev->wq, &channel->work);
		flush_work(&channel->work);
	} while (!vsm_channel_is_idle(channel));
	hrtimer_cancel(&channel->timer);
	/* A callback that unblocked a job, or the timer, may have queued it once more. */
	cancel_work_sync(&channel->work);
}

/**
 * vsm_channels_stop - vsm_channel_stop() for all channels of a client
 * @client: Client
 * @error: As there
 *
 * Context: holds &vsm_device.clients_lock, or nobody else has the client.
 */
void vsm_channels_stop(struct vsm_client *client, int error)
{
	struct vsm_channel *channel;
	unsigned long id;

	vsm_channel_stop(&client->channel, error);
	xa_for_each(&client->channels, id, channel)
		vsm_channel_stop(channel, error);
}

static void vsm_channel_free(struct kref *ref)
{
	kfree(container_of(ref, struct vsm_channel, ref));
}

/* The channel of a number, with a reference; NULL if there is none. */
struct vsm_channel *vsm_channel_find(struct vsm_client *client, u32 id)
{
	struct vsm_channel *channel = &client->channel;

	if (!id) {
		kref_get(&channel->ref);
		return channel;
	}
	xa_lock(&client->channels);
	channel = xa_load(&client->channels, id);
	if (channel)
		kref_get(&channel->ref);
	xa_unlock(&client->channels);
	return channel;
}

/* The first channel is part of its client, which keeps a reference as long as it is. */
void vsm_channel_put(struct vsm_channel *channel)
{
	kref_put(&channel->ref, vsm_channel_free);
}

int vsm_channel_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_client *client = file->driver_priv;
	struct drm_vsm_channel_create *args = data;
	struct vsm_channel *channel;
	int ret;

	if (args->flags & ~DRM_VSM_CHANNEL_OUT_OF_ORDER)
		return -EINVAL;
	channel = kzalloc(sizeof(*channel), GFP_KERNEL_ACCOUNT);
	if (!channel)
		return -ENOMEM;
	vsm_channel_init(channel, vdev);
	channel->out_of_order = args->flags & DRM_VSM_CHANNEL_OUT_OF_ORDER;

	/* vsm_device_unplug() stops it, or has not begun to. */
	mutex_lock(&vdev->clients_lock);
	if (READ_ONCE(vdev->lost))
		ret = -ENODEV;
	else
		ret = xa_alloc(&client->channels, &args->channel, channel,
			       XA_LIMIT(1, VSM_MAX_CHANNELS - 1), GFP_KERNEL_ACCOUNT);
	mutex_unlock(&vdev->clients_lock);
	if (ret)
		vsm_channel_put(channel);
	return ret == -EBUSY ? -ENOSPC : ret;
}

int vsm_channel_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_client *client = file->driver_priv;
	struct drm_vsm_channel_destroy *args = data;
	struct vsm_channel *channel;

	if (args->flags || !args->channel)
		return -EINVAL;
	mutex_lock(&vdev->clients_lock);
	channel = xa_erase(&client->channels, args->channel);
	mutex_unlock(&vdev->clients_lock);
	if (!channel)
		return -ENOENT;
	vsm_channel_stop(channel, -ECANCELED);
	vsm_channel_put(channel);
	return 0;
}
