// SPDX-License-Identifier: GPL-2.0-only
/*
 * EXEC: the calling task runs a stream of instructions as one device thread.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "base/vsm_invalid.h"
#include "base/vsm_uaccess.h"
#include "object/vsm_handle.h"
#include "sync/vsm_engine.h"
#include "sync/vsm_rendezvous_wait.h"
#include "thread/vsm_refuse.h"
#include "thread/vsm_stream.h"
#include "thread/vsm_task.h"
#include "vsm_drv.h"
#include "vsm_exec.h"
#include "vsm_inject_call.h"
#include "vsm_lanes.h"

/*
 * Execute one instruction. Returns 1 if the stream continues after it; 0 if the caller has to look
 * whether it does, because the thread has exited or a try_wait may have ended with False; or a
 * negative error code. -EBUSY means the same as for vsm_engine_run().
 */
static inline int vsm_exec_insn(struct vsm_stream *stream, struct drm_vsm_exec *args,
				struct vsm_form *form, struct drm_vsm_insn *insn)
{
	struct vsm_cluster *cluster = stream->bo->cluster;
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	int ret;

	/* A plain wait needs no check of its form, and sets all results. It may have to suspend. */
	if (vsm_insn_is_plain_wait(insn, args->cta) &&
	    vsm_engine_wait_plain(cluster, insn, &stream->origin))
		goto performed;
	insn->result = 0;
	insn->info = 0;
	ret = vsm_insn_check(&cluster->geo, args->cta, form, insn, &fault);
	insn->fault = fault;
	if (unlikely(ret)) {
		if (ret == VSM_REPORTS)
			ret = vsm_exec_report(stream, args, insn);
		if (ret)
			return ret;
		goto performed;
	}
	if (unlikely(form->takes & VSM_FORM_RARE)) {
		if (vsm_insn_is_rendezvous(insn))
			return vsm_task_rendezvous(stream, args, insn);
		/* All other operations are asynchronous, or operations of groups. */
		if (!vsm_insn_is_fence(insn) && !vsm_insn_is_mbarrier(insn))
			return vsm_stream_issue(stream, insn) ?: 1;
		if (vsm_insn_makes_visible(insn)) {
			ret = vsm_engine_release(cluster, insn, &stream->origin);
			if (ret == VSM_REPORTS)
				ret = vsm_exec_report(stream, args, insn);
			return ret ?: 1;
		}
	}
	ret = vsm_engine_run(cluster, insn, &stream->origin);
	if (unlikely(ret)) {
		if (ret == VSM_REPORTS)
			ret = vsm_exec_report(stream, args, insn);
		if (ret)
			return ret;
	}

performed:
	if (insn->op != DRM_VSM_OP_MBARRIER_TRY_WAIT || insn->result)
		return 1;
	ret = vsm_task_try_wait(stream, args, insn);
	if (ret < 0)
		return ret;
	insn->result = ret;
	return 0;
}

/* The thread has exited. If instructions are left, refuse the next one. */
static int vsm_exec_exited(struct vsm_stream *stream, struct drm_vsm_exec *args)
{
	struct drm_vsm_insn insn = {};

	if (args->retired == args->count)
		return 0;
	if (vsm_insn_load(&insn, args->insns + (u64)args->retired * args->stride))
		return -EFAULT;
	insn.fault = DRM_VSM_FAULT_THREAD_EXITED;
	args->deadline = 0;
	return vsm_exec_refuse(stream, args, &insn);
}

/* An instruction has failed. Returns 0 if the caller is to execute it again. */
static noinline int vsm_exec_failed(struct vsm_stream *stream, struct drm_vsm_exec *args,
				    struct vsm_exec_busy *busy, const struct drm_vsm_insn *insn,
				    int ret)
{
	struct vsm_cluster *cluster = stream->bo->cluster;

	if (ret == -EBUSY) {
		ret = vsm_exec_give_way(cluster, args, busy);
		if (!ret)
			return 0;
	}
	/* After a signal a repeated try_wait has the rest of its time limit. */
	if (ret != -ERESTARTSYS)
		args->deadline = 0;
	if (ret == -EINVAL)
		return vsm_invalid_insn(&cluster->vdev->drm, "EXEC", args->retired, insn);
	return ret == -EPROTO ? vsm_exec_refuse(stream, args, insn) : ret;
}

/*
 * An instruction has taken effect. It counts even if its results cannot be stored. Returns 0 or
 * -EFAULT.
 */
static inline int vsm_exec_retire(struct drm_vsm_exec *args, u64 uptr,
				  const struct drm_vsm_insn *insn)
{
	args->retired++;
	args->deadline = 0;
	return vsm_insn_store(uptr, insn);
}

/* Let other tasks run. Returns 0, or -EINTR if a fatal signal came. */
static noinline int vsm_exec_pause(struct vsm_stream *stream)
{
	if (fatal_signal_pending(current))
		return -EINTR;
	cond_resched();
	if (vsm_is_recording())
		vsm_record_renew(stream->origin.recorder);
	return 0;
}

static int vsm_exec_run(struct vsm_stream *stream, struct drm_vsm_exec *args)
{
	struct vsm_cluster *cluster = stream->bo->cluster;
	u64 uptr = args->insns + (u64)args->retired * args->stride;
	struct vsm_form form = {};
	struct drm_vsm_insn insn __uninitialized; /* by vsm_insn_load() and whoever executes it */
	struct vsm_exec_busy busy = {};
	int ret;

	if (vsm_thread_has_exited(cluster, args->cta, args->thread))
		return vsm_exec_exited(stream, args);
	if (args->retired == args->count)
		return 0;

	for (;;) {
		ret = vsm_insn_load(&insn, uptr);
		if (ret)
			return ret;

		if (vsm_engine_arrive_plain(cluster, &insn, &stream->origin)) {
			if (vsm_exec_retire(args, uptr, &insn))
				return -EFAULT;
		} else {
			ret = vsm_exec_insn(stream, args, &form, &insn);
			if (unlikely(ret < 0)) {
				ret = vsm_exec_failed(stream, args, &busy, &insn, ret);
				if (ret)
					return ret;
				continue;
			}
			if (vsm_exec_retire(args, uptr, &insn))
				return -EFAULT;
			if (!ret) {
				if (vsm_thread_has_exited(cluster, args->cta, args->thread))
					return vsm_exec_exited(stream, args);
				if (!insn.result)
					return 0;
			}
		}
		uptr += args->stride;

		/*
		 * After the last instruction other tasks run on return to user space, when the
		 * cluster has been put.
		 */
		if (args->retired == args->count)
			return 0;
		/* Testing both flags costs no more than testing one. */
		if (unlikely(read_thread_flags() & (_TIF_NEED_RESCHED | _TIF_SIGPENDING))) {
			ret = vsm_exec_pause(stream);
			if (ret)
				return ret;
		}
	}
}

static noinline int vsm_exec_invalid(struct drm_device *drm, const struct drm_vsm_exec *args)
{
	return vsm_invalid(drm, "EXEC",
			   args->flags & ~(DRM_VSM_EXEC_NO_LIMIT | DRM_VSM_EXEC_WARP) &&
			   args->flags != DRM_VSM_EXEC_LANES ? "flags" :
			   args->stride < VSM_FIRST_INSN || args->stride % sizeof(u64) ? "stride" :
			   args->insns % sizeof(u64) ? "insns: not a multiple of 8" :
			   args->retired > args->count ? "retired: above count" :
			   args->pad ? "pad" :
			   args->lanes || args->suspended ? "lanes or suspended" : "deadline");
}

static __always_inline int vsm_exec_thread(struct drm_file *file, struct vsm_bo *bo,
					   struct drm_vsm_exec *args)
{
	struct vsm_stream stream = vsm_stream_of(file, bo, args->cluster, args->cta, args->thread);
	int ret;

	stream.origin.site = args->site;
	stream.insns = args->count - args->retired;
	if (vsm_is_recording())
		vsm_record_renew(stream.origin.recorder);
	ret = unlikely(args->flags & DRM_VSM_EXEC_LANES) ? vsm_lanes_exec(&stream, args)
							 : vsm_exec_run(&stream, args);
	vsm_stream_pause(&stream);
	return ret;
}

int vsm_exec_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsm_exec *args = data;
	const struct vsm_geometry *geo;
	struct vsm_bo *bo;
	int ret;

	if ((args->flags & ~(DRM_VSM_EXEC_NO_LIMIT | DRM_VSM_EXEC_WARP) &&
	     args->flags != DRM_VSM_EXEC_LANES) ||
	    args->stride < VSM_FIRST_INSN ||
	    (args->stride | args->insns) % sizeof(u64) || args->retired > args->count ||
	    args->deadline < 0 || args->pad ||
	    ((args->lanes | args->suspended) && args->flags != DRM_VSM_EXEC_LANES))
		return vsm_exec_invalid(drm, args);
	if (args->count > VSM_MAX_EXEC)
		return -E2BIG;

	bo = vsm_cluster_lookup(file, args->cluster);
	if (!bo)
		return -ENOENT;
	geo = &bo->cluster->geo;
	if (args->cta < geo->ctas && args->thread < geo->threads) {
		args->cta = array_index_nospec(args->cta, geo->ctas);
		args->thread = array_index_nospec(args->thread, geo->threads);
		ret = vsm_cluster_inject(file->driver_priv, DRM_VSM_INJECT_EXEC, bo, 0);
		if (likely(!ret))
			ret = vsm_exec_thread(file, bo, args);
	} else {
		ret = vsm_invalid(drm, "EXEC", args->cta < geo->ctas ? "thread" : "cta");
	}
	vsm_bo_put(bo);
	return ret;
}
