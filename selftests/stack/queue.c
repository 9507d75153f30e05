// SPDX-License-Identifier: GPL-2.0-only
/*
 * The worker of a queue: it submits jobs, waits for them, and recovers.
 *
 * A job is submitted when the jobs that it depends on are in flight or done. An error of a job
 * shows in the status of the channel. Then the worker waits until nothing is in flight, reads the
 * error of each job, reports the error of the guilty one, and submits the others again.
 */
#include <errno.h>
#include <time.h>

#include "stack.h"

static void list_add(struct job **list, struct job *job)
{
	while (*list)
		list = &(*list)->next;
	job->next = NULL;
	*list = job;
}

static struct job *list_take(struct job **list)
{
	struct job *job = *list;

	*list = job->next;
	return job;
}

static void job_finish(struct job *job, int result)
{
	job->result = result;
	job->state = JOB_DONE;
	pthread_cond_broadcast(&job->queue->stack->changed);
	if (job->queue->stack->awaited == job)
		pthread_cond_signal(&job->queue->stack->ended);
}

/* Put jobs that were in flight in front of those that are pending. */
static void queue_again(struct queue *queue, struct job *again)
{
	struct job **end = &again;

	while (*end)
		end = &(*end)->next;
	*end = queue->pending;
	queue->pending = again;
}

static void job_unfly(struct job *job)
{
	job->queue->busy &= ~(1u << job->slot);
	job->queue->flights--;
	job->state = JOB_QUEUED;
	pthread_cond_broadcast(&job->queue->stack->changed);
}

/* Has everything that the job depends on been done, in the attempt that the job has waited for? */
static bool deps_are_right(const struct job *job)
{
	uint32_t i;

	for (i = 0; i < job->dep_count; i++)
		if (job->deps[i]->state != JOB_DONE || job->deps[i]->result ||
		    job->deps[i]->attempt != job->dep_attempt[i])
			return false;
	return true;
}

/* 1 if the job can be submitted, 0 if it has to wait, or the error of a job that it depends on. */
static int deps_allow(const struct job *job)
{
	uint32_t i;

	for (i = 0; i < job->dep_count; i++) {
		if (job->deps[i]->state == JOB_DONE && job->deps[i]->result)
			return -ECANCELED;
		if (job->deps[i]->state == JOB_QUEUED)
			return 0;
	}
	return 1;
}

/* How a job in flight has ended: 0, an error for the user, or 1 if it has to be submitted again. */
static int judge(struct queue *queue, struct job *job, const struct drm_vsm_channel_status *status)
{
	int error;

	if (job->stages < STAGES)
		return ++job->tries < TRIES ? 1 : job->refusal;
	error = job_error(queue, job);
	if (!error && !deps_are_right(job))
		return 1;
	if (!error && job_is_right(queue, job))
		return 0;
	if (!error)
		queue->stack->noticed++;
	else if (status->status == DRM_VSM_RESET_GUILTY && status->guilty_site == job->id)
		return status->guilty_error;
	else if (error == -ECANCELED || status->status == DRM_VSM_RESET_NONE)
		return 1;
	return ++job->tries < TRIES ? 1 : error ? error : -EBADMSG;
}

/* Make the channel, the cluster and the slots good again. Returns 0 or -ENODEV. */
static int queue_repair(struct queue *queue, const struct drm_vsm_channel_status *status,
			bool cluster_is_lost)
{
	struct stack *stack = queue->stack;
	uint32_t slot;
	int ret = 0;

	if (status->status != DRM_VSM_RESET_NONE) {
		stack->resets++;
		ret = queue_new_channel(queue);
	}
	if (cluster_is_lost || status->unknown) {
		stack->clusters++;
		queue_drop_cluster(queue);
	}
	for (slot = 0; slot < SLOTS && queue->cluster && !ret; slot++) {
		if (slot_is_idle(queue, slot))
			continue;
		ret = slot_reset(queue, slot);
		if (ret == -EIO) {
			stack->clusters++;
			queue_drop_cluster(queue);
			ret = 0;
		}
	}
	return ret ? ret : queue_build(queue);
}

/* Wait for all jobs in flight. A job that does not end is cancelled with its channel. */
static int queue_drain(struct queue *queue)
{
	struct job *job;
	int ret;

	for (job = queue->flying; job; job = job->next) {
		ret = job_wait_fences(queue, job);
		if (ret == -ETIME) {
			queue->stack->hung++;
			queue_new_channel(queue);
			ret = job_wait_fences(queue, job);
		}
		if (ret)
			return ret;
	}
	return 0;
}

/* Something has failed. The caller has the lock. */
static int queue_recover(struct queue *queue, bool cluster_is_lost)
{
	struct drm_vsm_channel_status status = {
		.channel = queue->channel, .flags = DRM_VSM_CHANNEL_STATUS_CLEAR,
	};
	struct stack *stack = queue->stack;
	struct job *job, *again = NULL;
	int ret;

	pthread_mutex_unlock(&stack->lock);
	ret = queue_drain(queue);
	if (!ret)
		ret = stack_call(stack->fd, DRM_IOCTL_VSM_CHANNEL_STATUS, &status);
	pthread_mutex_lock(&stack->lock);
	while (!ret && queue->flying) {
		int result;

		job = list_take(&queue->flying);
		result = judge(queue, job, &status);
		job_unfly(job);
		if (result == 1)
			list_add(&again, job);
		else
			job_finish(job, result);
	}
	queue_again(queue, again);
	pthread_mutex_unlock(&stack->lock);
	if (!ret)
		ret = queue_repair(queue, &status, cluster_is_lost);
	pthread_mutex_lock(&stack->lock);
	return ret;
}

/* Submit the first pending job, which may be submitted. */
static int queue_launch(struct queue *queue)
{
	struct stack *stack = queue->stack;
	struct job *job = list_take(&queue->pending);
	uint32_t i;
	int ret;

	for (i = 0; i < job->dep_count; i++)
		job->dep_attempt[i] = job->deps[i]->attempt;
	stack->retries += !!job->attempt++;
	job->slot = __builtin_ctz(~queue->busy);
	queue->busy |= 1u << job->slot;
	queue->flights++;
	job->point = ++queue->point;
	job->stages = 0;
	list_add(&queue->flying, job);
	pthread_mutex_unlock(&stack->lock);
	ret = job_launch(queue, job);
	pthread_mutex_lock(&stack->lock);
	if (ret == -ENODEV)
		return ret;
	if (ret) {
		job->refusal = ret;
		return queue_recover(queue, ret == -EIO);
	}
	job->state = JOB_FLYING;
	pthread_cond_broadcast(&stack->changed);
	return 0;
}

/*
 * Wait until no other queue still looks at a job that this one depends on. That ends: each queue
 * has its jobs in the order of their numbers, and a job depends on earlier ones only.
 */
static void wait_for_deps(const struct job *job)
{
	struct stack *stack = job->queue->stack;
	uint32_t i;

	for (i = 0; i < job->dep_count; i++)
		while (job->deps[i]->state == JOB_FLYING && !stack->lost &&
		       job->deps[i]->attempt == job->dep_attempt[i])
			pthread_cond_wait(&stack->changed, &stack->lock);
}

/* Wait for the oldest job in flight. */
static int queue_retire(struct queue *queue)
{
	struct drm_vsm_channel_status status = { .channel = queue->channel };
	struct stack *stack = queue->stack;
	struct job *job = queue->flying;
	int ret;

	pthread_mutex_unlock(&stack->lock);
	ret = job_wait_fences(queue, job);
	if (!ret)
		ret = stack_call(stack->fd, DRM_IOCTL_VSM_CHANNEL_STATUS, &status);
	pthread_mutex_lock(&stack->lock);
	if (ret && ret != -ETIME)
		return ret;
	if (!ret && !status.status)
		wait_for_deps(job);
	if (ret || status.status || !deps_are_right(job) || !job_is_right(queue, job))
		return queue_recover(queue, false);
	list_take(&queue->flying);
	job_unfly(job);
	job_finish(job, 0);
	return 0;
}

/* The device is lost: wait for a new one, and submit everything there again. */
static void queue_lose(struct queue *queue)
{
	struct stack *stack = queue->stack;
	struct job *job;

	for (job = queue->flying; job; job = job->next)
		job_unfly(job);
	queue_again(queue, queue->flying);
	queue->flying = NULL;
	queue_forget(queue);
	stack_park(stack);
}

static int queue_step(struct queue *queue)
{
	struct stack *stack = queue->stack;
	struct job *job = queue->pending;
	int ret = job ? deps_allow(job) : 0;

	if (stack->dead || ret < 0) {
		if (job)
			job_finish(list_take(&queue->pending), stack->dead ? -ENODEV : ret);
		return 0;
	}
	if (!queue->ready && job) {
		pthread_mutex_unlock(&stack->lock);
		ret = queue_build(queue);
		pthread_mutex_lock(&stack->lock);
		if (ret && ret != -ENODEV)
			job_finish(list_take(&queue->pending), ret);
		return ret == -ENODEV ? ret : 0;
	}
	if (ret && queue->flights < SLOTS)
		return queue_launch(queue);
	if (queue->flying)
		return queue_retire(queue);
	pthread_cond_wait(&stack->changed, &stack->lock);
	return 0;
}

void *queue_worker(void *arg)
{
	struct queue *queue = arg;
	struct stack *stack = queue->stack;
	int ret;

	pthread_mutex_lock(&stack->lock);
	while (!stack->stop || queue->pending || queue->flying) {
		ret = stack->lost ? -ENODEV : queue_step(queue);
		if (ret)
			queue_lose(queue);
	}
	pthread_mutex_unlock(&stack->lock);
	return NULL;
}

/* Give a job to a queue. The caller has filled in its copies and what it depends on. */
void job_submit(struct stack *stack, struct job *job, uint32_t queue)
{
	uint32_t i;

	pthread_mutex_lock(&stack->lock);
	job->queue = &stack->queues[queue];
	job->id = ++stack->ids;
	for (i = 0; i < job->count; i++)
		job->to[i]->sum = job->from[i]->sum;
	list_add(&job->queue->pending, job);
	pthread_cond_broadcast(&stack->changed);
	pthread_mutex_unlock(&stack->lock);
}

/* Wait for the end of a job. Returns its result, or -ETIMEDOUT. Only one thread may call this. */
int job_wait(struct stack *stack, struct job *job, int64_t ns)
{
	int64_t end = stack_now() + ns;
	struct timespec ts = { .tv_sec = end / 1000000000, .tv_nsec = end % 1000000000 };
	int ret = 0;

	pthread_mutex_lock(&stack->lock);
	stack->awaited = job;
	while (job->state != JOB_DONE && !ret)
		ret = pthread_cond_timedwait(&stack->ended, &stack->lock, &ts);
	stack->awaited = NULL;
	ret = job->state == JOB_DONE ? job->result : -ETIMEDOUT;
	pthread_mutex_unlock(&stack->lock);
	return ret;
}
