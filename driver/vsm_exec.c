// SPDX-License-Identifier: GPL-2.0-only
/*
 * EXEC: the calling task runs a stream of instructions as one device thread.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "copy/vsm_op.h"
#include "base/vsm_uaccess.h"

/**
 * struct vsm_sleep - Sleep of a task
 * @task: The task
 * @ended: What it waits for has ended, with @error; set last
 * @error: 0 if that came which it waits for
 */
struct vsm_sleep {
	struct task_struct *task;
	int error;
	bool ended;
};

static inline void vsm_sleep_init(struct vsm_sleep *sleep)
{
	sleep->task = current;
	sleep->ended = false;
}

/* To be called with a spinlock held, which makes it a read-side section of RCU. */
static void vsm_sleep_end(struct vsm_sleep *sleep, int error)
{
	struct task_struct *task = sleep->task;

	sleep->error = error;
	/*
	 * Pairs with the acquires in vsm_sleep_until() and of who calls it. The sleeper's
	 * stack frame may be gone from here on; the task itself is not, since its memory
	 * outlives this section.
	 */
	smp_store_release(&sleep->ended, true);
	wake_up_process(task);
}

/* Sleep until that ends, or the time comes (0), or a signal (-ERESTARTSYS). */
static inline int vsm_sleep_until(struct vsm_sleep *sleep, ktime_t deadline)
{
	int ret = 0;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		/* Pairs with the release in vsm_sleep_end(). */
		if (smp_load_acquire(&sleep->ended))
			break;
		if (signal_pending(current)) {
			ret = -ERESTARTSYS;
			break;
		}
		if (deadline == KTIME_MAX)
			schedule();
		else if (!schedule_hrtimeout_range(&deadline, current->timer_slack_ns,
						   HRTIMER_MODE_ABS))
			break;
	}
	__set_current_state(TASK_RUNNING);
	return ret;
}

/**
 * struct vsm_sleeper - A task suspended in a try_wait
 * @waiter: Its place in the parking lot
 * @sleep: Its sleep
 */
struct vsm_sleeper {
	struct vsm_waiter waiter;
	struct vsm_sleep sleep;
};

static void vsm_sleeper_end(struct vsm_waiter *waiter, int error, struct vsm_wakes *wakes)
{
	vsm_sleep_end(&container_of(waiter, struct vsm_sleeper, waiter)->sleep, error);
}

/*
 * Sleep until the wait ends, the deadline passes or a signal arrives. Returns 1
 * if the phase completed, 0 if time ran out, or a negative error code.
 */
static int vsm_sleeper_wait(struct vsm_sleeper *sleeper, ktime_t deadline)
{
	struct vsm_sleep *sleep = &sleeper->sleep;
	int ret = vsm_sleep_until(sleep, sleeper->waiter.expires ? KTIME_MAX : deadline);

	/* A phase that completed meanwhile counts, whatever else came. */
	if (!smp_load_acquire(&sleep->ended) && vsm_park_leave(&sleeper->waiter))
		/* After a signal the try_wait is repeated, and looks at the word. */
		return ret ?: vsm_park_completed(&sleeper->waiter);
	if (sleep->error == -ETIMEDOUT)
		return 0;
	return sleep->error ?: 1;
}

/**
 * struct vsm_member - A task whose thread meets others
 * @waiter: Waits for the thread
 * @sleep: The task's sleep
 */
struct vsm_member {
	struct vsm_rendezvous_waiter waiter;
	struct vsm_sleep sleep;
};

static void vsm_member_end(struct vsm_rendezvous_waiter *waiter, int error, struct vsm_wakes *wakes)
{
	vsm_sleep_end(&container_of(waiter, struct vsm_member, waiter)->sleep, error);
}

/* Everybody is suspended, and nobody can ever go on. */
static int vsm_exec_deadlock(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u64 word)
{
	insn->fault = DRM_VSM_FAULT_DEADLOCK;
	insn->info = READ_ONCE(cluster->live);
	insn->result = word;
	return -EPROTO;
}

/*
 * When the parking lot is to end a wait of @ns: never early, and late by what the
 * timer wheel is, an eighth at most, and two ticks. 0 if that is too late, for short
 * limits, which are worth a timer of their own.
 */
static unsigned long vsm_sleeper_expires(s64 ns)
{
	return ns > 2 * TICK_NSEC ? (jiffies + nsecs_to_jiffies(ns) + 1) ?: 1 : 0;
}

/* The lanes that are suspended when the task is. */
static u32 vsm_exec_lanes(const struct vsm_cluster *cluster, const struct drm_vsm_exec *args)
{
	return args->flags & DRM_VSM_EXEC_WARP ? vsm_cluster_lanes(cluster, args->thread)
					       : BIT(args->thread % VSM_WARP_SIZE);
}

/* A try_wait on a phase that is not complete. Returns as vsm_sleeper_wait(). */
static int vsm_exec_suspend(struct vsm_cluster *cluster, struct drm_vsm_exec *args,
			    struct drm_vsm_insn *insn)
{
	const struct drm_vsm_mbarrier_operands *o = &insn->u.mbarrier;
	bool endless = args->flags & DRM_VSM_EXEC_NO_LIMIT && !(insn->mods & DRM_VSM_MOD_HINT);
	s64 now = ktime_to_ns(ktime_get()), deadline;
	struct vsm_sleeper sleeper;
	enum drm_vsm_fault fault;
	int ret;

	/* Not 0 while suspended: tells vsm_exec_report() that the wait goes on after a signal. */
	if (endless)
		args->deadline = KTIME_MAX;
	else if (!args->deadline)
		args->deadline = now + (insn->mods & DRM_VSM_MOD_HINT
						? o->hint_ns : cluster->vdev->try_wait_limit_ns);
	deadline = args->deadline;
	if (deadline <= now)
		return 0;

	sleeper.waiter.cluster = cluster;
	sleeper.waiter.index = vsm_cluster_index(cluster, o->addr);
	sleeper.waiter.state = insn->mods & DRM_VSM_MOD_PARITY ? vsm_mbarrier_parity(o->parity)
							       : o->state;
	sleeper.waiter.parity = insn->mods & DRM_VSM_MOD_PARITY;
	sleeper.waiter.endless = endless ? vsm_exec_lanes(cluster, args) : 0;
	sleeper.waiter.warp = args->cta * vsm_geometry_warps(&cluster->geo) +
			      args->thread / VSM_WARP_SIZE;
	sleeper.waiter.expires = endless ? 0 : vsm_sleeper_expires(deadline - now);
	sleeper.waiter.deadline = deadline;
	sleeper.waiter.end = vsm_sleeper_end;
	vsm_sleep_init(&sleeper.sleep);

	ret = vsm_park_enter(&sleeper.waiter, &fault, &insn->result);
	if (ret == -EPROTO)
		insn->fault = fault;
	if (ret)
		return ret;
	if (endless)
		vsm_cluster_suspended(cluster);
	ret = vsm_sleeper_wait(&sleeper, ns_to_ktime(deadline));
	/* Another task may have exited as the thread, which still counts then. */
	if (endless)
		vsm_cluster_suspended(cluster);
	if (ret != -EDEADLK)
		return ret;
	return vsm_exec_deadlock(cluster, insn,
				 READ_ONCE(*vsm_cluster_word(cluster, sleeper.waiter.index)));
}

/* An instruction that meets. Returns as vsm_exec_insn(). */
static noinline int vsm_exec_meet(struct vsm_stream *stream, struct drm_vsm_exec *args,
				  struct drm_vsm_insn *insn)
{
	struct vsm_cluster *cluster = stream->bo->cluster;
	struct vsm_member member;
	int ret;

	/* What the others wait for may be in the batch. */
	if (stream->count)
		vsm_stream_flush(stream);
	vsm_bo_cache_drop(&stream->cache);

	member.waiter.cluster = cluster;
	member.waiter.client = stream->client;
	member.waiter.handle = args->cluster;
	member.waiter.source = DRM_VSM_SOURCE_EXEC;
	member.waiter.cta = args->cta;
	member.waiter.thread = args->thread;
	member.waiter.converged = args->flags & DRM_VSM_EXEC_WARP;
	member.waiter.sleeps = true;
	member.waiter.insn = insn;
	member.waiter.end = vsm_member_end;
	vsm_sleep_init(&member.sleep);

	ret = vsm_rendezvous_enter(&member.waiter);
	if (insn->op == DRM_VSM_OP_EXIT && ret > 0) {
		vsm_cluster_suspended(cluster);
		return 0;
	}
	if (ret)
		return ret;
	vsm_cluster_suspended(cluster);
	ret = vsm_sleep_until(&member.sleep, KTIME_MAX);
	/* A thread that was released meanwhile has its result, whatever else came. */
	if (!smp_load_acquire(&member.sleep.ended) && vsm_rendezvous_leave(&member.waiter))
		return ret;
	if (member.sleep.error == -EDEADLK)
		return vsm_exec_deadlock(cluster, insn, 0);
	if (member.sleep.error)
		return member.sleep.error;
	return insn->fault ? -EPROTO : 1;
}

/*
 * Run an mbarrier operation that breaks rules which are only reported. Returns 0, or a negative
 * error code: a rule that it breaks beside them is enforced.
 */
static noinline int vsm_exec_report(struct vsm_stream *stream, const struct drm_vsm_exec *args,
				    struct drm_vsm_insn *insn)
{
	struct vsm_report report = {};
	int ret;

	/* An operand breaks a rule: told once, not again when a try_wait goes on after a signal. */
	if (insn->fault) {
		report.rules = DRM_VSM_RULE(insn->fault);
		insn->fault = DRM_VSM_FAULT_NONE;
		if (insn->op != DRM_VSM_OP_MBARRIER_TRY_WAIT || !args->deadline)
			vsm_fault_report(stream->client, DRM_VSM_SOURCE_EXEC, args->cluster,
					 args->cta, args->thread, insn, &report);
	}
	ret = vsm_engine_run_reporting(stream->bo->cluster, insn, args->cta, args->thread, &report);
	vsm_fault_report(stream->client, DRM_VSM_SOURCE_EXEC, args->cluster, args->cta,
			 args->thread, insn, &report);
	return ret;
}

/*
 * Run one instruction. Returns 1 if the stream goes on after it, 0 if it may not: the thread
 * was suspended in a try_wait, whose result tells, or has exited; or a negative error code.
 */
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
		if (vsm_insn_meets(insn))
			return vsm_exec_meet(stream, args, insn);
		if (!vsm_insn_is_fence(insn) && insn->op >= DRM_VSM_OP_CP_ASYNC_BULK_G2S)
			return vsm_stream_issue(stream, insn) ?: 1;
		if (vsm_insn_publishes(insn)) {
			ret = vsm_engine_release(cluster, insn, args->cta, args->thread);
			if (ret == VSM_REPORTS)
				ret = vsm_exec_report(stream, args, insn);
			return ret ?: 1;
		}
	}
	ret = vsm_engine_run(cluster, insn, args->cta, args->thread);
	if (unlikely(ret)) {
		if (ret == VSM_REPORTS)
			ret = vsm_exec_report(stream, args, insn);
		if (ret)
			return ret;
	}

performed:
	if (insn->op != DRM_VSM_OP_MBARRIER_TRY_WAIT || insn->result)
		return 1;
	/* What it waits for may be in the batch. */
	if (stream->count)
		vsm_stream_flush(stream);
	vsm_bo_cache_drop(&stream->cache);
	ret = vsm_exec_suspend(cluster, args, insn);
	if (ret < 0)
		return ret;
	insn->result = ret;
	return 0;
}

/* The instruction at @retired is refused. */
static int vsm_exec_refuse(struct vsm_stream *stream, struct drm_vsm_exec *args,
			   const struct drm_vsm_insn *insn)
{
	vsm_fault_record(stream->client, DRM_VSM_SOURCE_EXEC, args->cluster, args->cta,
			 args->thread, insn);
	return vsm_insn_store(args->insns + (u64)args->retired * args->stride, insn) ? -EFAULT
										      : -EPROTO;
}

/* A thread that has exited executes nothing. */
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

static int vsm_exec_run(struct vsm_stream *stream, struct drm_vsm_exec *args)
{
	struct vsm_form form = {};
	struct drm_vsm_insn insn;
	int ret;

	if (vsm_thread_has_exited(stream->bo->cluster, args->cta, args->thread))
		return vsm_exec_exited(stream, args);

	while (args->retired < args->count) {
		u64 uptr = args->insns + (u64)args->retired * args->stride;

		ret = vsm_insn_load(&insn, uptr);
		if (ret)
			return ret;

		ret = vsm_exec_insn(stream, args, &form, &insn);
		if (unlikely(ret < 0)) {
			/* The limit of a try_wait that a signal interrupted runs on. */
			if (ret != -ERESTARTSYS)
				args->deadline = 0;
			return ret == -EPROTO ? vsm_exec_refuse(stream, args, &insn) : ret;
		}

		/* It has happened: it counts even if its result cannot be stored. */
		args->retired++;
		args->deadline = 0;
		if (vsm_insn_store(uptr, &insn))
			return -EFAULT;
		if (!ret) {
			if (vsm_thread_has_exited(stream->bo->cluster, args->cta, args->thread))
				return vsm_exec_exited(stream, args);
			if (!insn.result)
				return 0;
		}

		/* One look at both costs no more than one at need_resched() alone. */
		if (unlikely(read_thread_flags() & (_TIF_NEED_RESCHED | _TIF_SIGPENDING))) {
			if (fatal_signal_pending(current))
				return -EINTR;
			cond_resched();
		}
	}
	return 0;
}

int vsm_exec_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsm_exec *args = data;
	struct vsm_stream stream;
	struct vsm_bo *bo;
	int ret;

	if (args->flags & ~(DRM_VSM_EXEC_NO_LIMIT | DRM_VSM_EXEC_WARP) ||
	    args->stride < VSM_FIRST_INSN ||
	    (args->stride | args->insns) % sizeof(u64) || args->retired > args->count ||
	    args->deadline < 0)
		return -EINVAL;
	if (args->count > VSM_MAX_EXEC)
		return -E2BIG;

	bo = vsm_cluster_lookup(file, args->cluster);
	if (!bo)
		return -ENOENT;
	if (args->cta < bo->cluster->geo.ctas && args->thread < bo->cluster->geo.threads) {
		args->cta = array_index_nospec(args->cta, bo->cluster->geo.ctas);
		args->thread = array_index_nospec(args->thread, bo->cluster->geo.threads);
		vsm_stream_init(&stream, file, bo, args->cluster, args->cta, args->thread);
		ret = vsm_exec_run(&stream, args);
		vsm_stream_end(&stream);
	} else {
		ret = -EINVAL;
	}
	vsm_bo_put(bo);
	return ret;
}
