// SPDX-License-Identifier: GPL-2.0-only
/*
 * The calling task is suspended as the thread that it plays: in a try_wait, or in a rendezvous.
 */
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "sync/vsm_deadlock.h"
#include "sync/vsm_kill.h"
#include "sync/vsm_park.h"
#include "sync/vsm_rendezvous_wait.h"
#include "thread/vsm_stream.h"
#include "thread/vsm_task.h"
#include "vsm_drv.h"

/**
 * struct vsm_sleeper - A task that sleeps until its wait has ended
 * @task: The task
 * @error: Result of the wait, set before @ended
 * @ended: The wait has ended
 * @phase: Place in the parking lot, of a try_wait
 * @rendezvous: Place in a rendezvous, of another instruction
 */
struct vsm_sleeper {
	struct task_struct *task;
	int error;
	bool ended;
	union {
		struct vsm_phase_waiter phase;
		struct vsm_rendezvous_waiter rendezvous;
	};
};

static_assert(!offsetof(struct vsm_phase_waiter, base));
static_assert(!offsetof(struct vsm_rendezvous_waiter, base));

/* Called with a spinlock held, which makes this a read-side section of RCU. */
static void vsm_sleeper_end(struct vsm_waiter *waiter, int error, struct vsm_wakes *wakes)
{
	struct vsm_sleeper *sleeper = container_of(waiter, struct vsm_sleeper, phase.base);
	struct task_struct *task = sleeper->task;

	sleeper->error = error;
	/*
	 * Pairs with the acquires in vsm_sleeper_sleep() and vsm_sleeper_has_ended(). After this
	 * the sleeper's stack frame may be gone. The task's own memory is not: it outlives this
	 * section.
	 */
	smp_store_release(&sleeper->ended, true);
	wake_up_process(task);
}

static inline void vsm_sleeper_init(struct vsm_sleeper *sleeper)
{
	sleeper->task = current;
	sleeper->ended = false;
}

/* Sleep until the wait has ended (0), the time comes (0), or a signal does (-ERESTARTSYS). */
static inline int vsm_sleeper_sleep(struct vsm_sleeper *sleeper, ktime_t deadline)
{
	int ret = 0;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		/* Pairs with the release in vsm_sleeper_end(). */
		if (smp_load_acquire(&sleeper->ended))
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

/* A wait that has ended meanwhile counts, even if a signal came. */
static bool vsm_sleeper_has_ended(const struct vsm_sleeper *sleeper)
{
	/* Pairs with the release in vsm_sleeper_end(). */
	return smp_load_acquire(&sleeper->ended);
}

/* All threads are suspended, and none can ever be resumed. */
static int vsm_task_deadlock(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u64 word)
{
	insn->fault = DRM_VSM_FAULT_DEADLOCK;
	insn->info = READ_ONCE(cluster->live);
	insn->result = word;
	return -EPROTO;
}

/* The lanes that are suspended with the task. */
static u32 vsm_task_lanes(const struct vsm_cluster *cluster, const struct drm_vsm_exec *args)
{
	return args->flags & DRM_VSM_EXEC_WARP ? vsm_cluster_lanes(cluster, args->thread)
					       : BIT(args->thread % VSM_WARP_SIZE);
}

/*
 * When the parking lot is to end a wait of @ns. It never ends it early, and ends it late by at most
 * the granularity of the timer wheel, which is an eighth, and two ticks. 0 for a short limit, for
 * which that is too late: then the task's own timer ends its sleep.
 */
static unsigned long vsm_task_expires(s64 ns)
{
	return ns > 2 * TICK_NSEC ? (jiffies + nsecs_to_jiffies(ns) + 1) ?: 1 : 0;
}

/*
 * Sleep until the phase completes (1), time is up (0), a signal comes, or the wait ends with
 * another error.
 */
static int vsm_sleeper_wait_phase(struct vsm_sleeper *sleeper)
{
	struct vsm_phase_waiter *phase = &sleeper->phase;
	int ret = vsm_sleeper_sleep(sleeper, phase->expires ? KTIME_MAX
							    : ns_to_ktime(phase->deadline));

	/* After a signal the try_wait is repeated, and looks at the word again. */
	if (!vsm_sleeper_has_ended(sleeper) && vsm_park_leave(phase))
		return ret ?: vsm_park_completed(phase);
	if (sleeper->error == -ETIMEDOUT)
		return 0;
	return sleeper->error ?: 1;
}

/**
 * vsm_task_try_wait - Suspend the task in a try_wait whose phase is not complete
 * @stream: Stream of instructions
 * @args: Arguments of EXEC; @deadline is that of the try_wait, set here unless it goes on after a
 *	signal
 * @insn: The try_wait; gets the word or the fault if it is refused
 *
 * Return: 1 if the phase has completed, 0 if time is up; -EPROTO, -EIO, -ENODEV or -ERESTARTSYS.
 */
int vsm_task_try_wait(struct vsm_stream *stream, struct drm_vsm_exec *args,
		      struct drm_vsm_insn *insn)
{
	const struct drm_vsm_mbarrier_operands *o = &insn->u.mbarrier;
	bool untimed = args->flags & DRM_VSM_EXEC_NO_LIMIT && !(insn->mods & DRM_VSM_MOD_HINT);
	struct vsm_cluster *cluster = stream->bo->cluster;
	struct vsm_sleeper sleeper;
	struct vsm_phase_waiter *phase = &sleeper.phase;
	enum drm_vsm_fault fault;
	s64 now;
	int ret;

	vsm_stream_pause(stream);
	now = ktime_to_ns(ktime_get());
	/*
	 * Not 0 while suspended: it tells vsm_exec_report() that the wait goes on after a signal.
	 */
	if (untimed)
		args->deadline = KTIME_MAX;
	else if (!args->deadline)
		args->deadline = now + (insn->mods & DRM_VSM_MOD_HINT
						? o->hint_ns : cluster->vdev->try_wait_limit_ns);
	if (args->deadline <= now)
		return 0;

	vsm_sleeper_init(&sleeper);
	phase->base.cluster = cluster;
	phase->base.warp = vsm_cluster_warp(cluster, args->cta, args->thread);
	phase->base.untimed = untimed ? vsm_task_lanes(cluster, args) : 0;
	phase->base.end = vsm_sleeper_end;
	phase->index = vsm_cluster_index(cluster, o->addr);
	phase->by_parity = insn->mods & DRM_VSM_MOD_PARITY;
	phase->state = phase->by_parity ? vsm_mbarrier_parity(o->parity) : o->state;
	phase->expires = untimed ? 0 : vsm_task_expires(args->deadline - now);
	phase->deadline = args->deadline;

	ret = vsm_park_enter(phase, &fault, &insn->result);
	if (ret == -EPROTO) {
		insn->fault = fault;
		if (fault == DRM_VSM_FAULT_POISONED)
			vsm_cluster_kill(cluster);
	}
	if (ret)
		return ret;
	if (untimed)
		vsm_deadlock_check(cluster);
	ret = vsm_sleeper_wait_phase(&sleeper);
	/* Another task may have exited as the same thread. Then the thread still counts. */
	if (untimed)
		vsm_deadlock_check(cluster);
	if (ret != -EDEADLK)
		return ret;
	return vsm_task_deadlock(cluster, insn,
				 READ_ONCE(*vsm_cluster_word(cluster, phase->index)));
}

/**
 * vsm_task_rendezvous - Suspend the task in a rendezvous, or have its thread exit
 * @stream: Stream of instructions
 * @args: Arguments of EXEC
 * @insn: The instruction; gets the result or the fault
 *
 * Return: 1 if the stream goes on, 0 if the thread has exited; -EPROTO, -EIO, -ENODEV, -ENOMEM,
 * -ENOSPC or -ERESTARTSYS.
 */
int vsm_task_rendezvous(struct vsm_stream *stream, const struct drm_vsm_exec *args,
			struct drm_vsm_insn *insn)
{
	struct vsm_cluster *cluster = stream->bo->cluster;
	struct vsm_sleeper sleeper = {
		.task = current,
		.rendezvous = {
			.base.cluster = cluster,
			.base.end = vsm_sleeper_end,
			.origin = stream->origin,
			.source = DRM_VSM_SOURCE_EXEC,
			.converged = args->flags & DRM_VSM_EXEC_WARP,
			.sleeps = true,
			.insn = insn,
		},
	};
	int ret;

	vsm_stream_pause(stream);
	ret = vsm_rendezvous_enter(&sleeper.rendezvous);
	if (insn->op == DRM_VSM_OP_EXIT && ret > 0) {
		vsm_deadlock_check(cluster);
		return 0;
	}
	if (ret)
		return ret;
	vsm_deadlock_check(cluster);
	ret = vsm_sleeper_sleep(&sleeper, KTIME_MAX);
	if (!vsm_sleeper_has_ended(&sleeper) && vsm_rendezvous_leave(&sleeper.rendezvous))
		return ret;
	if (sleeper.error == -EDEADLK)
		return vsm_task_deadlock(cluster, insn, 0);
	if (sleeper.error)
		return sleeper.error;
	return insn->fault ? -EPROTO : 1;
}
