// SPDX-License-Identifier: GPL-2.0-only
/*
 * What all waiters have in common: their events, and the two ways to end all waits of a cluster.
 * The device finds a deadlock, or the cluster is killed.
 */
#include "object/vsm_cluster.h"
#include "sync/vsm_engine.h"
#include "sync/vsm_rendezvous_wait.h"
#include "sync/vsm_waiter.h"
#include "vsm_drv.h"

/* --- events of waits ------------------------------------------------------------- */

/*
 * Events of waits. The callers ask vsm_recorder_is_on() before.
 */

/* An event about the threads that wait. */
struct drm_vsm_trace_event vsm_waiter_event(const struct vsm_waiter *waiter)
{
	struct drm_vsm_trace_event event = vsm_event_of(waiter->origin, DRM_VSM_TRACE_SUSPEND);

	/* No thread waits in an armed wait for a phase. */
	if (waiter->armed && !waiter->origin->lanes)
		event.lanes = 0;
	return event;
}

/**
 * vsm_record_wait - Record that a wait begins
 * @waiter: The waiter; gets the number of the wait
 * @event: The event, from vsm_waiter_event()
 */
void vsm_record_wait(struct vsm_waiter *waiter, struct drm_vsm_trace_event *event)
{
	event->type = waiter->armed ? DRM_VSM_TRACE_WAIT_ARM : DRM_VSM_TRACE_SUSPEND;
	event->id = vsm_record_number(waiter->origin->recorder);
	vsm_record(waiter->origin->recorder, event);
	waiter->number = event->id;
	waiter->recorded = event->time;
}

/*
 * Record that a wait ends.
 * @event: The event, from vsm_waiter_event()
 * @error: Error with which the wait ends, or 0
 */
void vsm_record_wait_end(struct vsm_waiter *waiter, struct drm_vsm_trace_event *event, int error)
{
	event->type = waiter->armed ? DRM_VSM_TRACE_WAIT_END : DRM_VSM_TRACE_RESUME;
	event->id = waiter->number;
	event->cause = error ? 0 : vsm_number_shown(waiter->cause);
	event->error = error;
	if (waiter->number)
		event->value = ktime_get_ns() - waiter->recorded;
	vsm_record(waiter->origin->recorder, event);
}

/* --- events of mbarriers --------------------------------------------------------- */

/*
 * Events of mbarriers: phases, and waits for phases. vsm_trace.c has those of instructions.
 */

/*
 * Record that a phase has completed.
 * @origin: The thread or the asynchronous operation that completed it
 * @index: Index of the word, whose bucket is locked
 * @next: The word in its new phase
 * @serial: Serial number of the phase that completed, or 0
 *
 * Returns number of the event; 0 if nobody looks.
 */
noinline u64 vsm_record_phase(const struct vsm_origin *origin, const struct vsm_cluster *cluster,
			      u32 index, u64 old, u64 next, u32 serial)
{
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_recorder_is_on(origin->recorder))
		return 0;
	event = vsm_event_of(origin, DRM_VSM_TRACE_PHASE);
	event.id = vsm_record_number(origin->recorder);
	event.cause = vsm_number_shown(origin->copy);
	event.word = old;
	event.next = next;
	event.addr = vsm_cluster_addr(cluster, index);
	event.serial = serial;
	vsm_record(origin->recorder, &event);
	return event.id;
}

/* The event that a wait for a phase begins or ends. */
static struct drm_vsm_trace_event vsm_phase_wait_event(const struct vsm_waiter *waiter, u32 index,
						       bool by_parity)
{
	struct drm_vsm_trace_event event = vsm_waiter_event(waiter);

	event.addr = vsm_cluster_addr(waiter->cluster, index);
	event.op = DRM_VSM_OP_MBARRIER_TRY_WAIT;
	event.mods = by_parity ? DRM_VSM_MOD_PARITY : 0;
	return event;
}

/*
 * Record that a wait for a phase begins.
 * @waiter: The waiter, which parks while the bucket of the word is locked
 * @by_parity: The program named the phase by its parity
 */
noinline void vsm_record_phase_wait(struct vsm_waiter *waiter, u32 index, bool by_parity,
				    u64 state, u64 word)
{
	const struct vsm_shadow *shadow = vsm_shadow_find_strict(waiter->cluster, index);
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_recorder_is_on(waiter->origin->recorder))
		return;
	event = vsm_phase_wait_event(waiter, index, by_parity);
	event.word = word;
	event.value = by_parity ? vsm_mbarrier_phase(state) : state;
	event.serial = shadow ? vsm_shadow_serial(shadow, word) : 0;
	vsm_record_wait(waiter, &event);
}

/*
 * Record that a wait for a phase has ended.
 * @waiter: The waiter, which has left the parking lot
 * @by_parity: The program named the phase by its parity
 * @error: Error with which the wait ends, or 0
 */
noinline void vsm_record_phase_wait_end(struct vsm_waiter *waiter, u32 index, bool by_parity,
					int error)
{
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_recorder_is_on(waiter->origin->recorder))
		return;
	event = vsm_phase_wait_event(waiter, index, by_parity);
	vsm_record_wait_end(waiter, &event, error);
}

/* --- deadlocks ------------------------------------------------------------------- */

/*
 * Detection of deadlocks. vsm_cluster_is_deadlocked() says why there is no false alarm.
 * vsm_cluster_remove_waker() and vsm_deadlock_detect() say why no deadlock is missed.
 */

/*
 * Are all threads suspended, and is there no waker? If this returns true, the caller counts as a
 * waker itself, so that no other task finds the same deadlock.
 *
 * Why there is no false alarm: when a waker resumes a thread, &vsm_cluster.suspended decreases
 * first, then &vsm_cluster.resumed increases, and only then the waker ends. This function reads
 * &vsm_cluster.resumed, then finds all threads suspended, then finds no waker, and then finds
 * &vsm_cluster.resumed unchanged. Therefore all threads were suspended at a time when there was no
 * waker.
 *
 * A new epoch begins in between. Every wait of the deadlock began in an earlier epoch. A thread
 * that parks again afterwards, and a wait that is armed afterwards, begin in this epoch or a later
 * one, and are not ended. A wait that was armed before is a waker, or one of those that end.
 *
 * An armed wait with %DRM_VSM_WAIT_NO_LIMIT is no waker: its threads count as suspended, as that of
 * a task that sleeps. The same argument holds for it. It is counted while its bucket or rendezvous
 * is locked, and whoever ends it takes it out of the count under the same lock, before anybody can
 * read its record. Its owner can do more than a task that sleeps: it can cancel the wait, close the
 * set, or execute something else as these threads. The first two are like a signal. The third is
 * like another task that plays the thread: the thread counts as suspended although it runs.
 */
static bool vsm_cluster_is_deadlocked(struct vsm_cluster *cluster)
{
	do {
		int epoch, resumed = atomic_read(&cluster->resumed);

		/*
		 * The reads have to be in this order. Pairs with the barriers in
		 * vsm_waiter_resume().
		 */
		smp_mb();
		if (atomic_read(&cluster->suspended) != vsm_cluster_threads(cluster) ||
		    !READ_ONCE(cluster->live) || atomic_read(&cluster->wakers))
			return false;
		epoch = atomic_inc_return(&cluster->deadlock_epoch);
		/*
		 * Fully ordered if it succeeds. Pairs with the barrier in vsm_cluster_add_waker().
		 */
		if (atomic_cmpxchg(&cluster->wakers, 0, 1))
			return false;
		if (atomic_read(&cluster->resumed) == resumed) {
			cluster->deadlock_resumed = resumed;
			cluster->deadlock_before = epoch;
			return true;
		}
	} while (atomic_dec_and_test(&cluster->wakers) && atomic_read(&cluster->suspended));
	return false;
}

/* End the waits that belong to a deadlock, unless a signal has resumed a thread meanwhile. */
static void vsm_deadlock_work(struct work_struct *work)
{
	struct vsm_cluster *cluster = container_of(work, struct vsm_cluster, deadlock_work);

	if (atomic_read(&cluster->resumed) == cluster->deadlock_resumed) {
		vsm_park_end_all(cluster->vdev, cluster, -EDEADLK);
		vsm_rendezvous_end_cluster(cluster, -EDEADLK);
	}
	vsm_cluster_remove_waker(cluster);
}

/*
 * Look for a deadlock, and queue the work that ends it.
 *
 * This is called after a thread has been suspended without a time limit or has exited, and after a
 * waker has ended. Nothing else makes the number of suspended threads higher, or that of wakers
 * lower. The last of these calls finds the deadlock.
 *
 * A work ends the waits, and not the caller. If the threads wait again and cause the next
 * deadlock, the work is queued again. Threads that do this for ever therefore hold up neither the
 * caller nor the copy engine.
 */
void vsm_deadlock_detect(struct vsm_cluster *cluster)
{
	if (vsm_cluster_is_deadlocked(cluster))
		queue_work(system_unbound_wq, &cluster->deadlock_work);
}

/* --- kills ----------------------------------------------------------------------- */

/*
 * Killing a cluster or the device: it is marked lost, and then all waits end with an error.
 *
 * Why no wait is missed: the mark is set before vsm_park_end_all() locks a bucket. A waiter for a
 * phase looks at the mark and parks while the bucket is locked. The waiter therefore either sees
 * the mark, or vsm_park_end_all() finds it. If a cluster is killed, buckets in rows without a note
 * of the cluster are left out (&vsm_cluster.parked). The waiter makes the note, or finds it, and
 * then looks at the mark. The task that kills the cluster sets the mark, and then
 * vsm_park_end_all() looks for the note. On both sides a full barrier is in between:
 * smp_mb__after_spinlock() and xchg(). The waiter therefore either sees the mark, or its note is
 * seen.
 *
 * The first argument also holds for a waiter in a rendezvous and the lock of that rendezvous;
 * vsm_rendezvous_end_cluster() says why it holds even if the rendezvous is just being created. A
 * task that waits for groups looks at the mark after it has entered the wait queue, and the queue
 * is woken after the mark was set.
 */

/* Make a dump of a cluster that is lost, with the words of its objects. */
static void vsm_cluster_dump(struct vsm_cluster *cluster)
{
	const struct vsm_shadow *shadow;
	struct drm_vsm_dump *dump;
	u32 first, i;

	dump = vsm_dump_begin(cluster, cluster->client, DRM_VSM_DUMP_CLUSTER_LOST, 0);
	if (!dump)
		return;
	dump->error = -EIO;
	for (first = 0; first < cluster->words; first += VSM_SHADOW_ROW) {
		shadow = vsm_shadow_find(cluster, first);
		for (i = 0; shadow && i < VSM_SHADOW_ROW; i++)
			if (READ_ONCE(shadow[i].live) && first + i < cluster->words)
				vsm_dump_add_word(dump, cluster, first + i);
		if (dump->words.count == VSM_DUMP_WORDS)
			break;
	}
	vsm_dump_end(cluster, dump);
}

/* Mark a cluster lost, with a dump if it @dumps. This does not sleep. */
static void vsm_cluster_mark_lost(struct vsm_cluster *cluster, bool dumps)
{
	struct drm_vsm_trace_event event = { .type = DRM_VSM_TRACE_CLUSTER_LOST };

	/* Several tasks may kill the cluster at once. The first one says so. */
	if (xchg(&cluster->lost, 1))
		return;
	if (vsm_is_recording() && vsm_recorder_is_on(&cluster->recorder))
		vsm_record(&cluster->recorder, &event);
	if (dumps)
		vsm_cluster_dump(cluster);
}

static void vsm_cluster_end(struct vsm_cluster *cluster, bool dumps)
{
	vsm_cluster_mark_lost(cluster, dumps);
	vsm_park_end_all(cluster->vdev, cluster, -EIO);
	vsm_groups_end_cluster(cluster, -EIO);
	vsm_rendezvous_end_cluster(cluster, -EIO);
}

/* Mark a cluster lost, and end all waits on it with -EIO. Context: may sleep. */
void vsm_cluster_kill(struct vsm_cluster *cluster)
{
	vsm_cluster_end(cluster, true);
}

/*
 * Announce a refused instruction, and kill the cluster if the instruction has trapped. Whoever lets
 * an instruction be performed calls this if it is refused, and holds no spinlock.
 *
 * The event comes before the mark, and nobody gets -EIO before the mark is set: whoever does, or
 * reads the record of a wait, can also read the event. Between the trap and the mark other tasks
 * execute as before. If they begin to wait, their waits end as the comment above says. No signal
 * leads the task that has trapped past this function.
 *
 * A job that traps makes a dump with its instructions when it ends. Another one would displace it.
 */
void vsm_cluster_refuse(struct vsm_cluster *cluster, const struct vsm_origin *origin,
			enum drm_vsm_source source, const struct drm_vsm_insn *insn)
{
	vsm_fault_announce(origin, source, insn);
	if (vsm_fault_is_trap(&cluster->geo, insn->fault))
		vsm_cluster_end(cluster, source != DRM_VSM_SOURCE_JOB);
}

static void vsm_kill_work(struct work_struct *work)
{
	vsm_cluster_kill(container_of(work, struct vsm_cluster, kill_work));
}

/*
 * Mark a cluster lost now, and let a work end the waits on it. A channel calls this: it must not
 * wait for the locks that the end of a wait takes.
 */
void vsm_cluster_lose(struct vsm_cluster *cluster)
{
	vsm_cluster_mark_lost(cluster, true);
	queue_work(system_unbound_wq, &cluster->kill_work);
}

/* Prepare the works that end the waits on a new cluster. */
void vsm_cluster_init_works(struct vsm_cluster *cluster)
{
	INIT_WORK(&cluster->deadlock_work, vsm_deadlock_work);
	INIT_WORK(&cluster->kill_work, vsm_kill_work);
}

/* Wait for these works. No task can reach the cluster any more, so there is no wait to end. */
void vsm_cluster_cancel_works(struct vsm_cluster *cluster)
{
	cancel_work_sync(&cluster->deadlock_work);
	cancel_work_sync(&cluster->kill_work);
}

/*
 * Mark a device lost, and end all waits on it with -ENODEV. Tasks that wait for groups do not end
 * their waits here. They do when the copy engine stops, with the operations of the groups.
 * Context: may sleep.
 */
void vsm_device_kill_waits(struct vsm_device *vdev)
{
	/* Pairs with the acquire in vsm_file_read(). */
	smp_store_release(&vdev->lost, true);
	if (vsm_is_recording())
		vsm_record_device(vdev, DRM_VSM_TRACE_DEVICE_LOST);
	vsm_park_end_all(vdev, NULL, -ENODEV);
	vsm_group_waits_end_device(vdev);
	vsm_rendezvous_end_device(vdev);
	/* Pairs with the acquire in vsm_waitset_hung_up(). */
	smp_store_release(&vdev->waits_ended, true);
}
