// SPDX-License-Identifier: GPL-2.0-only
/*
 * SUBMIT: make a job of a stream of instructions and of fences, and queue it.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_syncobj.h>

#include "vsm_insn.h"
#include "vsm_job.h"

/**
 * struct vsm_out_fences - Syncobjs that get a job's fence
 * @count: How many
 * @syncobj: The syncobjs, held
 */
struct vsm_out_fences {
	u32 count;
	struct drm_syncobj *syncobj[VSM_MAX_SYNCS];
};

/**
 * vsm_job_free - Free a job
 * @job: Job that is not on a channel, in any state of construction
 */
void vsm_job_free(struct vsm_job *job)
{
	u32 i;

	for (i = 0; i < job->count; i++)
		vsm_bo_put(job->insns[i].buffer);
	for (i = 0; i < job->in_count; i++)
		dma_fence_put(job->in[i].fence);
	vsm_client_uncharge(job->client, VSM_RES_INSNS, job->charged);
	kvfree(job->insns);
	kvfree(job->in);
	dma_fence_put(job->fence);
	vsm_cluster_remove_waker(job->cluster->cluster);
	vsm_bo_put(job->cluster);
	vsm_client_uncharge(job->client, VSM_RES_JOBS, 1);
	vsm_client_put(job->client);
	kfree(job);
}

static int vsm_job_add_insn(struct vsm_job *job, struct drm_file *file,
			    const struct drm_vsm_submit *args, struct vsm_form *form, u64 uptr)
{
	struct vsm_cluster *cluster = job->cluster->cluster;
	struct vsm_job_insn *ji = &job->insns[job->count];
	const struct drm_vsm_copy_operands *o = &ji->insn.u.copy;
	enum drm_vsm_fault fault;
	struct vsm_bo *buffer;
	int ret;

	ret = vsm_insn_load(&ji->insn, uptr);
	if (ret)
		return ret;
	ji->insn.result = 0;
	ji->insn.fault = DRM_VSM_FAULT_NONE;
	ji->insn.info = 0;
	ret = vsm_insn_check(&cluster->geo, args->cta, form, &ji->insn, &fault);
	if (ret)
		goto out;
	if (!vsm_insn_can_queue(&ji->insn))
		return -EINVAL;

	if (vsm_insn_is_copy(&ji->insn)) {
		buffer = vsm_buffer_lookup(file, o->buffer);
		if (!buffer)
			return -ENOENT;
		if (o->size > buffer->base.base.size ||
		    o->offset > buffer->base.base.size - o->size) {
			vsm_bo_put(buffer);
			fault = DRM_VSM_FAULT_COPY_BOUNDS;
			ret = -EPROTO;
			goto out;
		}
		ret = vsm_bo_vmap(buffer);
		if (ret) {
			vsm_bo_put(buffer);
			return ret;
		}
		ji->buffer = buffer;
	}
	job->count++;
	return 0;

out:
	if (ret == -EPROTO) {
		ji->insn.fault = fault;
		vsm_fault_record(job->client, DRM_VSM_SOURCE_SUBMIT, job->handle, job->cta,
				 job->thread, &ji->insn);
		if (vsm_insn_store(uptr, &ji->insn))
			ret = -EFAULT;
	}
	return ret;
}

static int vsm_job_add_insns(struct vsm_job *job, struct drm_file *file,
			     struct drm_vsm_submit *args)
{
	struct vsm_form form = {};
	int ret;

	ret = vsm_client_charge(job->client, VSM_RES_INSNS, args->count);
	if (ret)
		return ret;
	job->charged = args->count;
	job->insns = kvcalloc(args->count, sizeof(*job->insns), GFP_KERNEL_ACCOUNT);
	if (!job->insns)
		return -ENOMEM;
	while (!ret && job->count < args->count) {
		args->refused = job->count;
		ret = vsm_job_add_insn(job, file, args, &form,
				       args->insns + (u64)job->count * args->stride);
		cond_resched();
	}
	return ret;
}

static int vsm_job_add_sync(struct vsm_job *job, struct vsm_out_fences *out,
			    struct drm_file *file, const struct drm_vsm_sync *sync)
{
	struct drm_syncobj *syncobj;
	int ret;

	if (sync->flags == DRM_VSM_SYNC_WAIT) {
		ret = drm_syncobj_find_fence(file, sync->handle, sync->point, 0,
					     &job->in[job->in_count].fence);
		if (ret)
			return ret;
		job->in_count++;
		return 0;
	}

	syncobj = drm_syncobj_find(file, sync->handle);
	if (!syncobj)
		return -ENOENT;
	out->syncobj[out->count++] = syncobj;
	return 0;
}

static int vsm_job_add_syncs(struct vsm_job *job, struct vsm_out_fences *out,
			     struct drm_file *file, const struct drm_vsm_submit *args)
{
	struct drm_vsm_sync sync;
	int ret;
	u32 i;

	if (!args->sync_count)
		return 0;
	job->in = kvcalloc(args->sync_count, sizeof(*job->in), GFP_KERNEL_ACCOUNT);
	if (!job->in)
		return -ENOMEM;

	for (i = 0; i < args->sync_count; i++) {
		if (copy_from_user(&sync, u64_to_user_ptr(args->syncs +
							  (u64)i * args->sync_stride),
				   sizeof(sync)))
			return -EFAULT;
		if ((sync.flags != DRM_VSM_SYNC_WAIT && sync.flags != DRM_VSM_SYNC_SIGNAL) ||
		    sync.point)
			return -EINVAL;
		ret = vsm_job_add_sync(job, out, file, &sync);
		if (ret)
			return ret;
	}
	return 0;
}

static struct vsm_job *vsm_job_create(struct vsm_client *client, struct vsm_bo *cluster,
				      const struct drm_vsm_submit *args)
{
	struct vsm_job *job;
	int ret;

	ret = vsm_client_charge(client, VSM_RES_JOBS, 1);
	if (ret)
		return ERR_PTR(ret);
	job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	if (!job) {
		vsm_client_uncharge(client, VSM_RES_JOBS, 1);
		return ERR_PTR(-ENOMEM);
	}
	job->channel = &client->channel;
	job->client = vsm_client_get(client);
	job->cluster = cluster;
	vsm_cluster_add_waker(cluster->cluster);
	job->handle = args->cluster;
	job->cta = args->cta;
	job->thread = args->thread;
	return job;
}

static int vsm_submit(struct vsm_client *client, struct drm_file *file, struct vsm_bo *cluster,
		      struct drm_vsm_submit *args, struct vsm_out_fences *out)
{
	struct dma_fence *fence;
	struct vsm_job *job;
	int ret;
	u32 i;

	drm_gem_object_get(&cluster->base.base);
	job = vsm_job_create(client, cluster, args);
	if (IS_ERR(job)) {
		vsm_bo_put(cluster);
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

	/* The job may end, and be gone, before its fence reaches the syncobjs. */
	job->fence = fence;
	ret = vsm_channel_submit(job->channel, job);
	if (ret) {
		job->fence = NULL;
		vsm_fence_drop(fence);
		goto err_free;
	}
	for (i = 0; i < out->count; i++)
		drm_syncobj_replace_fence(out->syncobj[i], fence);
	dma_fence_put(fence);
	return 0;

err_free:
	vsm_job_free(job);
	return ret;
}

int vsm_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsm_submit *args = data;
	struct vsm_out_fences *out;
	struct vsm_bo *cluster;
	int ret;

	if (args->flags || args->pad || args->channel || !args->count ||
	    args->stride < sizeof(struct drm_vsm_insn) ||
	    (args->stride | args->insns) % sizeof(u64) ||
	    (args->sync_count && (args->sync_stride < sizeof(struct drm_vsm_sync) ||
				  args->sync_stride % sizeof(u64))))
		return -EINVAL;
	if (args->count > VSM_MAX_SUBMIT || args->sync_count > VSM_MAX_SYNCS)
		return -E2BIG;

	out = kzalloc(sizeof(*out), GFP_KERNEL);
	if (!out)
		return -ENOMEM;
	cluster = vsm_cluster_lookup(file, args->cluster);
	if (!cluster)
		ret = -ENOENT;
	else if (args->cta >= cluster->cluster->geo.ctas ||
		 args->thread >= cluster->cluster->geo.threads)
		ret = -EINVAL;
	else if (READ_ONCE(cluster->cluster->lost))
		ret = -EIO;
	else
		ret = vsm_submit(file->driver_priv, file, cluster, args, out);

	vsm_bo_put(cluster);
	while (out->count)
		drm_syncobj_put(out->syncobj[--out->count]);
	kfree(out);
	return ret;
}
