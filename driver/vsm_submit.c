// SPDX-License-Identifier: GPL-2.0-only
/*
 * SUBMIT makes a job from a stream of instructions and from syncobjs, and queues it on a channel.
 */
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_syncobj.h>

#include "base/vsm_fault.h"
#include "base/vsm_fence.h"
#include "base/vsm_uaccess.h"
#include "channel/vsm_channel.h"
#include "channel/vsm_job.h"
#include "copy/vsm_op.h"
#include "object/vsm_bo.h"
#include "sync/vsm_rendezvous_wait.h"
#include "sync/vsm_waiter.h"
#include "vsm_drv.h"
#include "vsm_ioctl.h"

/**
 * struct vsm_out_fences - All syncobjs that get a job's fence
 * @count: Number of syncobjs in @out
 * @out: The syncobjs
 */
struct vsm_out_fences {
	u32 count;
	struct vsm_out_fence out[VSM_MAX_SYNCS];
};

static int vsm_job_charge_extra(struct vsm_op *op)
{
	u32 extra = vsm_op_extra(op->cluster, &op->insn);
	int ret;

	if (!extra)
		return 0;
	ret = vsm_quota_charge(&op->origin.client->quota, VSM_RES_BYTES, extra);
	if (!ret)
		op->extra = extra;
	return ret;
}

/* Check what can be checked of an instruction before the job runs. */
static int vsm_job_check_insn(struct vsm_job *job, struct vsm_form *form,
			      struct drm_vsm_insn *insn)
{
	struct vsm_cluster *cluster = job->bo->cluster;
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	int ret;

	ret = vsm_insn_check(&cluster->geo, job->origin.cta, form, insn, &fault);
	insn->fault = fault;
	if (ret == -EINVAL || (ret >= 0 && !vsm_insn_can_queue(insn)))
		return vsm_invalid_insn(&cluster->vdev->drm, "SUBMIT", job->count, insn);
	if (ret == VSM_REPORTS) {
		const struct vsm_report report = { .rules = DRM_VSM_RULE(fault) };

		insn->fault = DRM_VSM_FAULT_NONE;
		vsm_fault_report(&job->origin, DRM_VSM_SOURCE_SUBMIT, insn, &report);
		ret = 0;
	}
	if (!ret && vsm_thread_has_exited(cluster, job->origin.cta, job->origin.thread)) {
		insn->fault = DRM_VSM_FAULT_THREAD_EXITED;
		ret = -EPROTO;
	}
	return ret;
}

static int vsm_job_add_insn(struct vsm_job *job, struct vsm_bo_cache *cache,
			    struct vsm_form *form, u64 uptr)
{
	struct vsm_job_op *job_op = &job->ops[job->count];
	struct vsm_op *op = &job_op->op;
	int ret;

	ret = vsm_insn_load(&op->insn, uptr);
	if (ret)
		return ret;
	op->insn.result = 0;
	op->insn.info = 0;
	ret = vsm_job_check_insn(job, form, &op->insn);
	if (!ret) {
		/* From here on vsm_job_free() frees what is allocated for this instruction. */
		job->count++;
		if (vsm_insn_is_job_op(&op->insn)) {
			vsm_job_op_init(job, job_op);
			ret = vsm_job_charge_extra(op) ?: vsm_op_prepare(op, cache);
		}
	}
	if (ret == -EPROTO) {
		vsm_fault_announce(&job->origin, DRM_VSM_SOURCE_SUBMIT, &op->insn);
		if (vsm_insn_store(uptr, &op->insn))
			ret = -EFAULT;
	}
	return ret;
}

static int vsm_job_add_insns(struct vsm_job *job, struct drm_file *file,
			     struct drm_vsm_submit *args)
{
	struct vsm_bo_cache cache = { .file = file };
	struct vsm_form form = {};
	struct vsm_job_op *ops;
	int ret;
	u32 i;

	ret = vsm_quota_charge(&job->origin.client->quota, VSM_RES_INSNS, args->count);
	if (ret)
		return ret;
	job->charged = args->count;
	ops = vsm_quota_alloc(&job->origin.client->quota, args->count, sizeof(*ops));
	if (IS_ERR(ops))
		return PTR_ERR(ops);
	job->ops = ops;
	for (i = 0; i < args->count && !ret; i++) {
		args->refused = i;
		ret = vsm_job_add_insn(job, &cache, &form, args->insns + (u64)i * args->stride);
		if (!ret && vsm_is_killed())
			ret = -EINTR;
		cond_resched();
	}
	vsm_bo_put(cache.buffer);
	return ret;
}

static int vsm_job_add_sync(struct vsm_job *job, struct vsm_out_fences *out,
			    struct drm_file *file, const struct drm_vsm_sync *sync)
{
	int ret;

	if (sync->point && !vsm_device_has(job->origin.client->vdev, DRM_VSM_FEATURE_CHANNELS))
		return -EOPNOTSUPP;
	if (sync->flags == DRM_VSM_SYNC_WAIT) {
		ret = drm_syncobj_find_fence(file, sync->handle, sync->point, 0,
					     &job->in[job->in_count].fence);
		if (ret)
			return ret;
		job->in_count++;
		return 0;
	}

	ret = vsm_out_fence_get(&out->out[out->count], file, sync->handle, sync->point);
	if (!ret)
		out->count++;
	return ret;
}

/* Give a job's fence to its syncobjs. */
static void vsm_out_fences_attach(struct vsm_out_fences *out, struct dma_fence *fence)
{
	u32 i;

	for (i = 0; i < out->count; i++)
		vsm_out_fence_attach(&out->out[i], fence);
}

static void vsm_out_fences_free(struct vsm_out_fences *out)
{
	u32 i;

	for (i = 0; i < out->count; i++)
		vsm_out_fence_put(&out->out[i]);
	kfree(out);
}

static int vsm_job_add_syncs(struct vsm_job *job, struct vsm_out_fences *out,
			     struct drm_file *file, const struct drm_vsm_submit *args)
{
	struct vsm_in_fence *in;
	struct drm_vsm_sync sync;
	int ret;
	u32 i;

	if (!args->sync_count)
		return 0;
	in = vsm_quota_alloc(&job->origin.client->quota, args->sync_count, sizeof(*in));
	if (IS_ERR(in))
		return PTR_ERR(in);
	job->in = in;
	job->in_size = args->sync_count;

	for (i = 0; i < args->sync_count; i++) {
		if (copy_from_user(&sync, u64_to_user_ptr(args->syncs +
							  (u64)i * args->sync_stride),
				   sizeof(sync)))
			return -EFAULT;
		if (sync.flags != DRM_VSM_SYNC_WAIT && sync.flags != DRM_VSM_SYNC_SIGNAL)
			return vsm_invalid(&job->origin.client->vdev->drm, "SUBMIT",
					   "flags of a sync");
		ret = vsm_job_add_sync(job, out, file, &sync);
		if (ret)
			return ret;
	}
	return 0;
}

static struct vsm_job *vsm_job_create(struct vsm_client *client, struct vsm_bo *bo,
				      const struct drm_vsm_submit *args)
{
	struct vsm_job *job;
	int ret;

	ret = vsm_quota_charge(&client->quota, VSM_RES_JOBS, 1);
	if (ret)
		return ERR_PTR(ret);
	job = vsm_quota_alloc(&client->quota, 1, sizeof(*job));
	if (IS_ERR(job)) {
		vsm_quota_uncharge(&client->quota, VSM_RES_JOBS, 1);
		return job;
	}
	INIT_LIST_HEAD(&job->batch);
	job->origin = (struct vsm_origin) {
		.client = vsm_client_get(client),
		.recorder = &bo->cluster->recorder,
		.site = args->site,
		.handle = args->cluster,
		.cta = array_index_nospec(args->cta, bo->cluster->geo.ctas),
		.thread = array_index_nospec(args->thread, bo->cluster->geo.threads),
	};
	job->bo = bo;
	vsm_bo_begin_use(bo);
	vsm_cluster_add_waker(bo->cluster);
	return job;
}

static int vsm_submit(struct vsm_channel *channel, struct drm_file *file, struct vsm_bo *bo,
		      struct drm_vsm_submit *args, struct vsm_out_fences *out)
{
	struct dma_fence *fence;
	struct vsm_job *job;
	int ret;

	job = vsm_job_create(file->driver_priv, vsm_bo_get(bo), args);
	if (IS_ERR(job)) {
		vsm_bo_put(bo);
		return PTR_ERR(job);
	}
	ret = vsm_job_add_insns(job, file, args);
	if (!ret)
		ret = vsm_job_add_syncs(job, out, file, args);
	if (ret)
		goto err_free;
	fence = vsm_fence_alloc();
	if (!fence) {
		ret = -ENOMEM;
		goto err_free;
	}

	/* Once submitted, the job may end and be freed before its fence reaches the syncobjs. */
	job->fence = fence;
	ret = vsm_jobs_submit(&channel->jobs, job);
	if (ret) {
		job->fence = NULL;
		vsm_fence_drop(fence);
		goto err_free;
	}
	vsm_out_fences_attach(out, fence);
	dma_fence_put(fence);
	return 0;

err_free:
	vsm_job_uncharge(job);
	vsm_job_free(job);
	/* -ECANCELED means that another task has destroyed the channel meanwhile. */
	return ret == -ECANCELED ? -ENOENT : ret;
}

static int vsm_submit_invalid(struct drm_device *drm, const struct drm_vsm_submit *args)
{
	return vsm_invalid(drm, "SUBMIT",
			   args->flags ? "flags" : !args->count ? "count" :
			   args->stride < VSM_FIRST_INSN || args->stride % sizeof(u64) ? "stride" :
			   args->insns % sizeof(u64) ? "insns: not a multiple of 8" :
						       "sync_stride");
}

int vsm_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsm_submit *args = data;
	struct vsm_out_fences *out;
	struct vsm_channel *channel;
	struct vsm_bo *bo;
	int ret;

	if (args->flags || !args->count ||
	    args->stride < VSM_FIRST_INSN ||
	    (args->stride | args->insns) % sizeof(u64) ||
	    (args->sync_count && (args->sync_stride < VSM_FIRST_SYNC ||
				  args->sync_stride % sizeof(u64))))
		return vsm_submit_invalid(drm, args);
	if (args->count > VSM_MAX_SUBMIT || args->sync_count > VSM_MAX_SYNCS)
		return -E2BIG;

	channel = vsm_channel_find(file->driver_priv, args->channel);
	if (!channel)
		return -ENOENT;
	out = kzalloc(sizeof(*out), GFP_KERNEL_ACCOUNT);
	if (!out) {
		vsm_channel_put(channel);
		return -ENOMEM;
	}
	bo = vsm_cluster_lookup(file, args->cluster);
	if (!bo)
		ret = -ENOENT;
	else if (args->cta >= bo->cluster->geo.ctas || args->thread >= bo->cluster->geo.threads)
		ret = vsm_invalid(drm, "SUBMIT", args->cta >= bo->cluster->geo.ctas ? "cta"
										    : "thread");
	else if (READ_ONCE(bo->cluster->lost))
		ret = -EIO;
	else
		ret = vsm_cluster_inject(file->driver_priv, DRM_VSM_INJECT_SUBMIT, bo,
					 args->channel) ?:
		      vsm_submit(channel, file, bo, args, out);

	vsm_bo_put(bo);
	vsm_out_fences_free(out);
	vsm_channel_put(channel);
	return ret;
}
