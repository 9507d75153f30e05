// SPDX-License-Identifier: GPL-2.0-only
/*
 * EXEC: the calling task executes a stream of instructions as one device thread, one instruction of
 * each of several lanes of a warp, or the latter for several warps.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "base/vsm_fault.h"
#include "base/vsm_uaccess.h"
#include "object/vsm_bo.h"
#include "sync/vsm_engine.h"
#include "sync/vsm_rendezvous_wait.h"
#include "thread/vsm_thread.h"
#include "vsm_drv.h"
#include "vsm_ioctl.h"

/* --- lanes ----------------------------------------------------------------------- */

/*
 * EXEC for lanes (%DRM_VSM_EXEC_LANES): the calling task executes one instruction of each of
 * several threads of a warp, and does not sleep.
 *
 * All instructions are first copied from user memory. Then they are executed in the order of the
 * lanes. Neighbouring lanes often execute the same instruction with equal operands. If it is an
 * arrive, one exchange of the word performs it for all of them (vsm_step_arrives()). If it is a
 * wait, one read of the word gives the result of all of them.
 */

#define VSM_INSN_WORDS	(offsetof(struct drm_vsm_insn, result) / sizeof(u64))

/**
 * struct vsm_lanes - The instructions of a call
 * @left: Lanes whose instructions are not retired
 * @equal: The instructions at @retired and up to this index, without it, are equal. Of these only
 *	the first is in @words
 * @form: Form of the instructions
 * @busy: How often in a row an instruction could not change its word
 * @words: The instructions, by their index, without their results
 */
struct vsm_lanes {
	u32 left;
	u32 equal;
	struct vsm_form form;
	struct vsm_exec_busy busy;
	u64 words[VSM_WARP_SIZE][VSM_INSN_WORDS];
};

/* --- user memory ------------------------------------------------------------------ */

/*
 * No function may be called between user_*_access_begin() and user_*_access_end(). For an index
 * into an array whose size the compiler knows, UBSAN adds a check that calls a function. In these
 * sections the code therefore indexes only pointers.
 */

static u64 vsm_lanes_uptr(const struct drm_vsm_exec *args, u32 index)
{
	return args->insns + (u64)index * args->stride;
}

/*
 * Copy the instructions from @retired on. Returns 0; -EFAULT; or -EINVAL if one of them has another
 * head than the first.
 *
 * Instructions that are equal to the first are compared word by word and not stored: that is the
 * common case, and takes half the time.
 */
static int vsm_lanes_load(struct vsm_lanes *lanes, const struct drm_vsm_exec *args)
{
	u32 first = args->retired, count = args->count, i = first + 1, w;
	u64 *words = lanes->words[first], *to;
	const void __user *start = u64_to_user_ptr(vsm_lanes_uptr(args, first));
	u64 differ = 0, word;

	if (!user_read_access_begin(start, (u64)(count - 1 - first) * args->stride +
					   sizeof(struct drm_vsm_insn)))
		return -EFAULT;
#define FROM(index) ((const u64 __user *)(start + (u64)((index) - first) * args->stride))
	for (w = 0; w < VSM_INSN_WORDS; w++)
		unsafe_get_user(words[w], FROM(first) + w, efault);
	for (; i < count; i++) {
#pragma GCC unroll 6
		for (w = 0; w < VSM_INSN_WORDS; w++) {
			unsafe_get_user(word, FROM(i) + w, efault);
			if (word != words[w])
				goto differs;
		}
	}
differs:
	lanes->equal = i;
	to = words + (i - first) * VSM_INSN_WORDS;
	for (; i < count; i++, to += VSM_INSN_WORDS) {
		for (w = 0; w < VSM_INSN_WORDS; w++)
			unsafe_get_user(to[w], FROM(i) + w, efault);
		differ |= to[0] ^ words[0];
	}
#undef FROM
	user_read_access_end();
	return differ ? -EINVAL : 0;
efault:
	user_read_access_end();
	return -EFAULT;
}

/* Store the results of @count instructions that differ by @step and have no fault. */
static int vsm_lanes_store(const struct drm_vsm_exec *args, u32 index, u32 count,
			   const struct drm_vsm_insn *insn, u64 step)
{
	void __user *start = u64_to_user_ptr(vsm_lanes_uptr(args, index));
	struct drm_vsm_insn __user *to = start;
	u64 result = insn->result;

	if (!user_write_access_begin(start, (u64)(count - 1) * args->stride + sizeof(*to)))
		return -EFAULT;
	for (; count; count--, result += step, to = (void __user *)to + args->stride) {
		unsafe_put_user(result, &to->result, efault);
		/* fault and info */
		unsafe_put_user(0, (u64 __user *)&to->fault, efault);
	}
	user_write_access_end();
	return 0;
efault:
	user_write_access_end();
	return -EFAULT;
}

static int vsm_lanes_store_batch(const struct drm_vsm_exec *args, u32 index,
				 const struct vsm_lane_batch *batch)
{
	void __user *start = u64_to_user_ptr(vsm_lanes_uptr(args, index));
	const struct vsm_lane_result *from = batch->results;
	struct drm_vsm_insn __user *to = start;
	u32 i;

	if (!user_write_access_begin(start, (u64)(batch->count - 1) * args->stride + sizeof(*to)))
		return -EFAULT;
	for (i = 0; i < batch->count; i++, from++, to = (void __user *)to + args->stride) {
		unsafe_put_user(from->result, &to->result, efault);
		unsafe_put_user(0, &to->fault, efault);
		unsafe_put_user(from->info, &to->info, efault);
	}
	user_write_access_end();
	return 0;
efault:
	user_write_access_end();
	return -EFAULT;
}

/* --- one instruction of each lane ------------------------------------------------- */

static const u64 *vsm_lanes_words(const struct vsm_lanes *lanes, u32 first, u32 index)
{
	return lanes->words[index < lanes->equal ? first : index];
}

/* Retire @count instructions. @suspended is the mask of those of their lanes that are suspended. */
static void vsm_lanes_retire(struct vsm_lanes *lanes, struct drm_vsm_exec *args, u32 count,
			     u32 suspended)
{
	u32 left = lanes->left;

	args->retired += count;
	if (args->retired == args->count)
		left = 0;
	else
		while (count--)
			left &= left - 1;
	args->suspended = (args->suspended & ~(lanes->left & ~left)) | suspended;
	lanes->left = left;
}

/* The number of instructions that are equal to the one at @index, with that one. */
static u32 vsm_lanes_run(const struct vsm_lanes *lanes, const struct drm_vsm_exec *args, u32 first,
			 u32 index)
{
	const u64 *words = vsm_lanes_words(lanes, first, index);
	u32 end = max(index + 1, lanes->equal);

	if (index >= lanes->equal)
		while (end < args->count &&
		       !memcmp(words, lanes->words[end], sizeof(lanes->words[end])))
			end++;
	return end - index;
}

/* Is the instruction a test_wait or a try_wait, which here does the same? */
static bool vsm_insn_is_wait(const struct drm_vsm_insn *insn)
{
	return insn->op == DRM_VSM_OP_MBARRIER_TEST_WAIT ||
	       insn->op == DRM_VSM_OP_MBARRIER_TRY_WAIT;
}

/*
 * Does each lane execute the instruction alone, even if the next one executes the same? The lanes
 * of a wait do not. If the wait may break a rule that is reported, each lane reports it, and the
 * events are therefore those of one lane.
 */
static bool vsm_lanes_are_alone(const struct vsm_stream *stream, const struct drm_vsm_insn *insn)
{
	return !vsm_insn_is_wait(insn) ||
	       (vsm_is_recording() && stream->bo->cluster->geo.report);
}

/* Execute an instruction of an unusual form. Returns the same values as vsm_lanes_insn(). */
static noinline int vsm_lanes_rare(struct vsm_stream *stream, const struct drm_vsm_exec *args,
				   struct drm_vsm_insn *insn)
{
	struct vsm_cluster *cluster = stream->bo->cluster;
	int ret;

	if (vsm_insn_is_group_wait(insn)) {
		ret = vsm_stream_poll(stream, insn);
		return ret < 0 ? ret : !ret;
	}
	if (insn->op == DRM_VSM_OP_EXIT)
		return vsm_task_rendezvous(stream, args, insn);
	if (!vsm_insn_is_fence(insn) && !vsm_insn_is_mbarrier(insn))
		return vsm_stream_issue(stream, insn);
	if (!vsm_insn_makes_visible(insn))
		return vsm_engine_run(cluster, insn, &stream->origin);
	return vsm_engine_release(cluster, insn, &stream->origin);
}

/* A result of vsm_lanes_insn() */
#define VSM_LANE_SUSPENDED	1

/*
 * Execute the instruction of one lane. Returns 0, %VSM_LANE_SUSPENDED, or a negative error code.
 * @reports gets whether the instruction may have broken rules that are only reported.
 */
static int vsm_lanes_insn(struct vsm_stream *stream, const struct drm_vsm_exec *args,
			  struct vsm_form *form, struct drm_vsm_insn *insn, bool *reports)
{
	struct vsm_cluster *cluster = stream->bo->cluster;
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	int ret;

	*reports = false;
	insn->result = 0;
	insn->info = 0;
	insn->fault = DRM_VSM_FAULT_THREAD_EXITED;
	if (vsm_thread_has_exited(cluster, args->cta, stream->origin.thread))
		return -EPROTO;
	ret = vsm_insn_check(&cluster->geo, args->cta, form, insn, &fault);
	insn->fault = fault;
	if (ret < 0)
		return ret;
	if (!ret) {
		if (form->takes & VSM_FORM_RARE) {
			ret = vsm_lanes_rare(stream, args, insn);
			if (!vsm_insn_is_mbarrier(insn) && !vsm_insn_is_fence(insn))
				return ret;
		} else {
			ret = vsm_engine_run(cluster, insn, &stream->origin);
		}
	}
	if (ret != VSM_REPORTS)
		return ret;
	*reports = true;
	return vsm_exec_report(stream, args, insn);
}

/*
 * Perform an arrive for several lanes whose operands are equal. Returns false if nothing was done,
 * and the caller has to execute lane by lane.
 */
static bool vsm_lanes_arrive(struct vsm_stream *stream, const struct drm_vsm_exec *args,
			     struct vsm_form *form, struct drm_vsm_insn *insn, u32 count, u64 *step)
{
	struct vsm_cluster *cluster = stream->bo->cluster;
	enum drm_vsm_fault fault;

	if (insn->op != DRM_VSM_OP_MBARRIER_ARRIVE ||
	    READ_ONCE(cluster->live) != vsm_cluster_threads(cluster) ||
	    vsm_insn_check(&cluster->geo, args->cta, form, insn, &fault))
		return false;
	insn->result = 0;
	insn->info = 0;
	return vsm_engine_arrive_lanes(cluster, insn, &stream->origin, count, step);
}

/* An instruction has failed. Returns 0 if the caller is to execute it again. */
static noinline int vsm_lanes_failed(struct vsm_stream *stream, struct vsm_lanes *lanes,
				     const struct drm_vsm_exec *args,
				     const struct drm_vsm_insn *insn, int ret)
{
	struct vsm_cluster *cluster = stream->bo->cluster;

	switch (ret) {
	case -EBUSY:
		return vsm_exec_give_way(cluster, args, &lanes->busy);
	case -EINVAL:
		return vsm_invalid_insn(&cluster->vdev->drm, "EXEC", args->retired, insn);
	case -EPROTO:
		/* The lanes behind this one may be refused as well. Each refusal is an event. */
		stream->origin.lanes = 0;
		return vsm_exec_refuse(stream, args, insn);
	default:
		return ret;
	}
}

/* Let other tasks run. Returns 0, or -EINTR if a fatal signal came. */
static int vsm_lanes_pause(void)
{
	if (likely(!(read_thread_flags() & (_TIF_NEED_RESCHED | _TIF_SIGPENDING))))
		return 0;
	if (vsm_is_killed())
		return -EINTR;
	cond_resched();
	return 0;
}

/* Say in the events of an instruction which lanes execute it together. */
static noinline void vsm_lanes_name(struct vsm_stream *stream, const struct vsm_lanes *lanes,
				    const struct drm_vsm_insn *insn, u32 run)
{
	const struct vsm_cluster *cluster = stream->bo->cluster;
	u32 left = lanes->left;

	stream->origin.lanes = 0;
	if (READ_ONCE(cluster->live) != vsm_cluster_threads(cluster))
		return;
	while (run--)
		left &= left - 1;
	stream->origin.lanes = lanes->left & ~left;
}

/* Execute instructions that are no rendezvous. */
static noinline int vsm_lanes_each(struct vsm_stream *stream, struct vsm_lanes *lanes,
				   struct drm_vsm_exec *args)
{
	u32 first = args->retired;
	struct drm_vsm_insn insn __uninitialized; /* written by memcpy() and vsm_lanes_insn() */
	int ret;

	while (args->retired < args->count) {
		u32 index = args->retired, run = vsm_lanes_run(lanes, args, first, index);
		bool reports = false;
		u64 step = 0;

		stream->origin.thread = args->thread + __ffs(lanes->left);
		stream->groups = NULL;
		memcpy(&insn, vsm_lanes_words(lanes, first, index), sizeof(lanes->words[0]));
		ret = 0;
		if (vsm_is_recording())
			vsm_lanes_name(stream, lanes, &insn, run);
		if (run == 1 || !vsm_lanes_arrive(stream, args, &lanes->form, &insn, run, &step)) {
			bool alone = vsm_lanes_are_alone(stream, &insn);

			if (vsm_is_recording() && alone)
				stream->origin.lanes = 0;
			ret = vsm_lanes_insn(stream, args, &lanes->form, &insn, &reports);
			/* The same read of the word gives the result of all lanes. */
			if (ret || reports || alone ||
			    READ_ONCE(stream->bo->cluster->live) !=
				    vsm_cluster_threads(stream->bo->cluster))
				run = 1;
		}
		if (unlikely(ret < 0)) {
			ret = vsm_lanes_failed(stream, lanes, args, &insn, ret);
			if (ret)
				return ret;
			continue;
		}
		vsm_lanes_retire(lanes, args, run,
				 ret == VSM_LANE_SUSPENDED ? lanes->left & -lanes->left : 0);
		/* The instructions have taken effect, even if their results cannot be stored. */
		if (vsm_lanes_store(args, index, run, &insn, step))
			return -EFAULT;
		ret = vsm_lanes_pause();
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Check the instructions of a rendezvous. Returns how many can be executed; @ret gets the error of
 * the instruction behind them, or 0, and @insn that instruction.
 */
static u32 vsm_lanes_check(struct vsm_stream *stream, struct vsm_lanes *lanes,
			   const struct drm_vsm_exec *args, struct drm_vsm_insn *insn, int *ret)
{
	const struct vsm_geometry *geo = &stream->bo->cluster->geo;
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	u32 i, left = lanes->left;

	*ret = 0;
	insn->result = 0;
	insn->info = 0;
	for (i = args->retired; i < args->count; i++, left &= left - 1) {
		memcpy(insn, vsm_lanes_words(lanes, args->retired, i), sizeof(lanes->words[i]));
		if (vsm_thread_has_exited(stream->bo->cluster, args->cta,
					  args->thread + __ffs(left))) {
			insn->fault = DRM_VSM_FAULT_THREAD_EXITED;
			*ret = -EPROTO;
			break;
		}
		*ret = vsm_insn_check(geo, args->cta, &lanes->form, insn, &fault);
		insn->fault = fault;
		if (*ret)
			break;
	}
	return i - args->retired;
}

/* Execute a rendezvous for all lanes. */
static noinline int vsm_lanes_rendezvous(struct vsm_stream *stream, struct vsm_lanes *lanes,
					 struct drm_vsm_exec *args)
{
	u32 index = args->retired, i, left = lanes->left;
	struct drm_vsm_insn insn, malformed;
	struct vsm_lane_batch batch;
	struct vsm_rendezvous_waiter waiter = {
		.base.cluster = stream->bo->cluster,
		.base.origin = &stream->origin,
		.source = DRM_VSM_SOURCE_EXEC,
		.insn = &insn,
	};
	int ret, error;

	batch.count = vsm_lanes_check(stream, lanes, args, &malformed, &error);
	batch.suspended = 0;
	ret = 0;
	if (batch.count) {
		for (i = 0; i < batch.count; i++, left &= left - 1) {
			batch.results[i].thread = args->thread + __ffs(left);
			batch.insns[i] = vsm_lanes_words(lanes, index, index + i);
		}
		ret = vsm_rendezvous_enter_lanes(&waiter, &batch);
		vsm_lanes_retire(lanes, args, batch.count, batch.suspended);
		if (batch.count && vsm_lanes_store_batch(args, index, &batch))
			return -EFAULT;
	}
	if (!ret && error) {
		ret = error;
		insn = malformed;
		stream->origin.thread = args->thread + __ffs(lanes->left);
	}
	return ret ? vsm_lanes_failed(stream, lanes, args, &insn, ret) : vsm_lanes_pause();
}

static noinline int vsm_lanes_invalid(const struct vsm_cluster *cluster, const char *what)
{
	return vsm_invalid(&cluster->vdev->drm, "EXEC", what);
}

/**
 * vsm_lanes_exec - Execute one instruction of each of several lanes
 * @stream: Stream of the first thread of the warp
 * @args: Arguments of EXEC, with %DRM_VSM_EXEC_LANES
 *
 * Return: 0, or a negative error code.
 */
static int vsm_lanes_exec(struct vsm_stream *stream, struct drm_vsm_exec *args)
{
	const struct vsm_cluster *cluster = stream->bo->cluster;
	struct vsm_lanes lanes __uninitialized;	/* written by vsm_lanes_load() */
	u32 i;
	int ret;

	if (args->thread % VSM_WARP_SIZE || args->deadline)
		return vsm_lanes_invalid(cluster, args->deadline ? "deadline" : "thread");
	if (!args->lanes || args->lanes & ~vsm_cluster_lanes(cluster, args->thread) ||
	    args->suspended & ~args->lanes || args->count != hweight32(args->lanes))
		return vsm_lanes_invalid(cluster, "lanes, suspended or count");
	if (!vsm_device_has(cluster->vdev, DRM_VSM_FEATURE_LANES))
		return -EOPNOTSUPP;
	if (args->retired == args->count)
		return 0;

	lanes.left = args->lanes;
	for (i = 0; i < args->retired; i++)
		lanes.left &= lanes.left - 1;
	lanes.form = (struct vsm_form) {};
	lanes.busy = (struct vsm_exec_busy) {};
	ret = vsm_lanes_load(&lanes, args);
	if (ret)
		return ret == -EINVAL ? vsm_lanes_invalid(cluster, "instructions: they differ")
				      : ret;
	if (vsm_insn_is_rendezvous((void *)lanes.words[args->retired]) &&
	    ((struct drm_vsm_insn *)lanes.words[args->retired])->op != DRM_VSM_OP_EXIT)
		return vsm_lanes_rendezvous(stream, &lanes, args);
	return vsm_lanes_each(stream, &lanes, args);
}

/* --- streams --------------------------------------------------------------------- */

static inline int vsm_exec_insn(struct vsm_stream *stream, struct drm_vsm_exec *args,
				struct vsm_form *form, struct drm_vsm_insn *insn)
{
	struct vsm_cluster *cluster = stream->bo->cluster;
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	int ret;

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
	if (vsm_is_killed())
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

/* --- batches --------------------------------------------------------------------- */

static int vsm_batch_invalid(struct drm_device *drm, const struct drm_vsm_exec *args)
{
	return vsm_invalid(drm, "EXEC",
			   args->stride < sizeof(*args) || args->stride % sizeof(u64) ? "stride" :
			   args->insns % sizeof(u64) ? "insns: not a multiple of 8" :
			   args->retired > args->count ? "retired: above count" :
			   "a field that a batch does not use");
}

/*
 * EXEC for several warps (%DRM_VSM_EXEC_BATCH): each element of the array has the arguments of one
 * call for lanes, which does not suspend. It is written back when that call has ended, even on an
 * error: what has retired has taken effect.
 */
static noinline int vsm_exec_batch(struct drm_device *drm, struct drm_vsm_exec *args,
				   struct drm_file *file)
{
	struct drm_vsm_exec call;
	void __user *uptr;
	int ret;

	if (args->stride < sizeof(call) || (args->stride | args->insns) % sizeof(u64) ||
	    args->retired > args->count || args->cluster || args->cta || args->thread ||
	    args->deadline || args->lanes || args->suspended || args->site || args->pad)
		return vsm_batch_invalid(drm, args);
	if (args->count > VSM_MAX_EXEC)
		return -E2BIG;

	for (; args->retired < args->count; args->retired++) {
		uptr = u64_to_user_ptr(args->insns + (u64)args->retired * args->stride);
		if (copy_from_user(&call, uptr, sizeof(call)))
			return -EFAULT;
		if (call.flags != DRM_VSM_EXEC_LANES)
			return vsm_invalid(drm, "EXEC", "flags of a call in a batch");
		ret = vsm_exec_ioctl(drm, &call, file);
		if (copy_to_user(uptr, &call, sizeof(call)))
			return -EFAULT;
		if (!ret)
			ret = vsm_lanes_pause();
		if (ret)
			return ret;
	}
	return 0;
}

int vsm_exec_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsm_exec *args = data;
	const struct vsm_geometry *geo;
	struct vsm_bo *bo;
	int ret;

	if (unlikely(args->flags == DRM_VSM_EXEC_BATCH))
		return vsm_exec_batch(drm, args, file);
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
