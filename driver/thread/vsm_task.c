// SPDX-License-Identifier: GPL-2.0-only
/*
 * A call of EXEC suspends its task while the thread that the task plays is suspended: in a
 * try_wait, or in a rendezvous.
 */
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "base/vsm_state.h"
#include "sync/vsm_rendezvous_wait.h"
#include "sync/vsm_waiter.h"
#include "thread/vsm_thread.h"
#include "vsm_drv.h"

/**
 * struct vsm_sleeper - A task that sleeps until its wait has ended
 * @task: The task
 * @error: Result of the wait; valid when @ended is set
 * @ended: The wait has ended
 * @phase: The waiter in the parking lot, if the instruction is a try_wait
 * @rendezvous: The waiter in a rendezvous, if it is another instruction
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

/*
 * The caller holds a spinlock, which makes this a read-side critical section of RCU: @task stays
 * valid until the end of this function.
 */
static void vsm_sleeper_end(struct vsm_waiter *waiter, int error, struct vsm_wakes *wakes)
{
	struct vsm_sleeper *sleeper = container_of(waiter, struct vsm_sleeper, phase.base);
	struct task_struct *task = sleeper->task;

	sleeper->error = error;
	/*
	 * Pairs with the acquire in vsm_sleeper_has_ended(). After this the sleeper, which is on
	 * the task's stack, may be gone.
	 */
	smp_store_release(&sleeper->ended, true);
	wake_up_process(task);
}

/* The lanes that are suspended while the task is. */
static u32 vsm_task_lanes(const struct vsm_stream *stream, const struct drm_vsm_exec *args)
{
	return args->flags & DRM_VSM_EXEC_WARP
		? vsm_cluster_lanes(stream->bo->cluster, args->thread)
		: BIT(stream->origin.thread % VSM_WARP_SIZE);
}

/*
 * Initialise a sleeper, and its waiter except what is particular to the kind of wait. Many kernels
 * clear local variables, which would cost more than these stores: the callers declare the sleeper
 * __uninitialized. After the wait the caller sets the lanes of the stream to 0 again.
 */
static inline void vsm_sleeper_init(struct vsm_sleeper *sleeper, struct vsm_stream *stream,
				    u32 lanes)
{
	struct vsm_waiter *waiter = &sleeper->phase.base;

	stream->origin.lanes = lanes;
	sleeper->task = current;
	sleeper->ended = false;
	waiter->cluster = stream->bo->cluster;
	waiter->armed = false;
	waiter->origin = &stream->origin;
	waiter->end = vsm_sleeper_end;
}

/*
 * Say which task waits, if the waiter is a task, and as which threads.
 * @state: List that the entry is in
 * @waiter: Waiter, which still waits; the caller holds the lock that protects this
 *
 * Returns false if the waiter is no task.
 */
bool vsm_task_describe(const struct vsm_state *state, const struct vsm_waiter *waiter,
		       struct drm_vsm_state_entry *entry)
{
	const struct vsm_sleeper *sleeper;

	if (waiter->end != vsm_sleeper_end)
		return false;
	sleeper = container_of(waiter, struct vsm_sleeper, phase.base);
	entry->flags |= DRM_VSM_STATE_SUSPENDED;
	entry->since = vsm_state_since(waiter->since);
	vsm_state_set_task(state, entry, waiter->origin->client, sleeper->task);
	if (entry->kind == DRM_VSM_STATE_RENDEZVOUS)
		return true;
	entry->cta = waiter->origin->cta;
	entry->thread = waiter->origin->thread;
	entry->lanes = waiter->origin->lanes;
	if (waiter->untimed)
		entry->flags |= DRM_VSM_STATE_NO_LIMIT;
	else
		entry->deadline = sleeper->phase.deadline;
	return true;
}

/* Has the wait ended? Its result then counts, even if a signal came too. */
static inline bool vsm_sleeper_has_ended(const struct vsm_sleeper *sleeper)
{
	/* Pairs with the release in vsm_sleeper_end(). */
	return smp_load_acquire(&sleeper->ended);
}

/* Sleep until the wait has ended (0), @deadline has come (0), or a signal comes (-ERESTARTSYS). */
static inline int vsm_sleeper_sleep(struct vsm_sleeper *sleeper, ktime_t deadline)
{
	int ret = 0;

	do {
		set_current_state(TASK_INTERRUPTIBLE);
		if (vsm_sleeper_has_ended(sleeper))
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
	} while (!vsm_sleeper_has_ended(sleeper));
	__set_current_state(TASK_RUNNING);
	return ret;
}

/*
 * Refuse an instruction because of a deadlock: nothing can ever resume a thread of the cluster.
 * @state: The word, or the state of a named barrier
 */
static int vsm_task_deadlock(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u64 state)
{
	insn->fault = DRM_VSM_FAULT_DEADLOCK;
	insn->info = READ_ONCE(cluster->live);
	insn->result = state;
	return -EPROTO;
}

/*
 * When the parking lot should end a wait with a time limit of @ns (jiffies). The parking lot never
 * ends the wait early. It may end it late: by two ticks, and by an eighth of the limit, which is
 * the granularity of the timer wheel. For a limit of up to two ticks that is too late. This
 * function then returns 0, and a timer of the task itself ends its sleep.
 */
static unsigned long vsm_task_expires(s64 ns)
{
	return ns > 2 * TICK_NSEC ? (jiffies + nsecs_to_jiffies(ns) + 1) ?: 1 : 0;
}

/*
 * Sleep until the phase completes (1), the time is up (0), a signal comes (-ERESTARTSYS), or the
 * wait ends with another error.
 */
static int vsm_sleeper_wait_phase(struct vsm_sleeper *sleeper)
{
	struct vsm_phase_waiter *phase = &sleeper->phase;
	int ret = vsm_sleeper_sleep(sleeper, phase->expires ? KTIME_MAX
							    : ns_to_ktime(phase->deadline));

	/*
	 * After a signal EXEC is called again. It repeats the try_wait, which reads the word again.
	 */
	if (!vsm_sleeper_has_ended(sleeper) && vsm_park_leave(phase)) {
		bool complete = !ret && vsm_park_completed(phase);

		if (vsm_is_recording())
			vsm_record_phase_wait_end(&phase->base, phase->index, phase->by_parity,
						  ret ? -EINTR : complete ? 0 : -ETIMEDOUT);
		return ret ?: complete;
	}
	if (sleeper->error == -ETIMEDOUT)
		return 0;
	return sleeper->error ?: 1;
}

/*
 * Suspend the task in a try_wait whose phase is not complete.
 * @args: Arguments of EXEC. This function sets @deadline to the time at which the try_wait ends,
 *	unless an earlier call, which a signal has interrupted, has set it
 * @insn: The try_wait; gets the word or the fault if it is refused
 *
 * Returns 1 if the phase has completed, 0 if time is up; -EPROTO, -EIO, -ENODEV or -ERESTARTSYS.
 */
int vsm_task_try_wait(struct vsm_stream *stream, struct drm_vsm_exec *args,
		      struct drm_vsm_insn *insn)
{
	const struct drm_vsm_mbarrier_operands *o = &insn->u.mbarrier;
	bool untimed = args->flags & DRM_VSM_EXEC_NO_LIMIT && !(insn->mods & DRM_VSM_MOD_HINT);
	struct vsm_cluster *cluster = stream->bo->cluster;
	struct vsm_sleeper sleeper __uninitialized;
	struct vsm_phase_waiter *phase = &sleeper.phase;
	u32 lanes = vsm_task_lanes(stream, args);
	enum drm_vsm_fault fault;
	s64 now;
	int ret;

	vsm_stream_pause(stream);
	now = ktime_to_ns(ktime_get());
	/*
	 * The deadline is set even if there is none: vsm_exec_report() takes a deadline that is not
	 * 0 as the sign that a signal has interrupted this try_wait.
	 */
	if (untimed)
		args->deadline = KTIME_MAX;
	else if (!args->deadline)
		args->deadline = now + (insn->mods & DRM_VSM_MOD_HINT
			? o->hint_ns : READ_ONCE(cluster->vdev->model.try_wait_limit_ns));
	if (args->deadline <= now)
		return 0;

	vsm_sleeper_init(&sleeper, stream, lanes);
	if (untimed)
		phase->base.warp = vsm_cluster_warp(cluster, args->cta, args->thread);
	phase->base.untimed = untimed ? lanes : 0;
	phase->index = vsm_cluster_index(cluster, o->addr);
	phase->by_parity = insn->mods & DRM_VSM_MOD_PARITY;
	phase->state = phase->by_parity ? vsm_mbarrier_parity(o->parity) : o->state;
	phase->expires = untimed ? 0 : vsm_task_expires(args->deadline - now);
	phase->deadline = args->deadline;

	ret = vsm_park_enter(phase, &fault, &insn->result);
	if (ret == -EPROTO)
		insn->fault = fault;
	if (!ret) {
		if (untimed)
			vsm_deadlock_check(cluster);
		ret = vsm_sleeper_wait_phase(&sleeper);
	}
	stream->origin.lanes = 0;
	if (ret != -EDEADLK)
		return ret;
	return vsm_task_deadlock(cluster, insn,
				 READ_ONCE(*vsm_cluster_word(cluster, phase->index)));
}

/* Sleep until the rendezvous is complete (1), or the wait ends with an error. */
static int vsm_sleeper_wait_rendezvous(struct vsm_sleeper *sleeper)
{
	const struct drm_vsm_insn *insn = sleeper->rendezvous.insn;
	int ret = vsm_sleeper_sleep(sleeper, KTIME_MAX);

	if (!vsm_sleeper_has_ended(sleeper) && vsm_rendezvous_leave(&sleeper->rendezvous))
		return ret;
	if (sleeper->error)
		return sleeper->error;
	return insn->fault ? -EPROTO : 1;
}

/*
 * Suspend the task in a rendezvous, or have its thread exit.
 * @insn: The instruction; gets the result or the fault
 *
 * Returns 1 if the stream continues, 0 if the thread has exited; -EPROTO, -EIO, -ENODEV, -ENOMEM,
 * -ENOSPC or -ERESTARTSYS.
 */
int vsm_task_rendezvous(struct vsm_stream *stream, const struct drm_vsm_exec *args,
			struct drm_vsm_insn *insn)
{
	struct vsm_cluster *cluster = stream->bo->cluster;
	struct vsm_sleeper sleeper __uninitialized;
	struct vsm_rendezvous_waiter *rendezvous = &sleeper.rendezvous;
	int ret;

	vsm_sleeper_init(&sleeper, stream, vsm_task_lanes(stream, args));
	rendezvous->source = DRM_VSM_SOURCE_EXEC;
	rendezvous->converged = args->flags & DRM_VSM_EXEC_WARP;
	rendezvous->suspends = true;
	rendezvous->lanes = 0;
	rendezvous->insn = insn;
	vsm_stream_pause(stream);
	ret = vsm_rendezvous_enter(rendezvous);
	if (!ret || (insn->op == DRM_VSM_OP_EXIT && ret > 0))
		vsm_deadlock_check(cluster);
	if (!ret)
		ret = vsm_sleeper_wait_rendezvous(&sleeper);
	else if (insn->op == DRM_VSM_OP_EXIT && ret > 0)
		ret = 0;
	stream->origin.lanes = 0;
	return ret == -EDEADLK ? vsm_task_deadlock(cluster, insn, insn->result) : ret;
}
