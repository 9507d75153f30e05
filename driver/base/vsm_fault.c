// SPDX-License-Identifier: GPL-2.0-only
/*
 * Misuse is told of here: counted, traced, and sent to the client that caused it.
 */
#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "vsm_drv.h"

#define CREATE_TRACE_POINTS
#include "base/vsm_trace.h"

/**
 * struct vsm_fault_event - A fault event on its way to the client
 * @base: What the DRM core keeps of it
 * @event: What read() returns
 */
struct vsm_fault_event {
	struct drm_pending_event base;
	struct drm_vsm_event_fault event;
};

/* Where a fault is counted. */
static u32 vsm_fault_index(u32 fault)
{
	if (fault < DRM_VSM_FAULT_COPY_SIZE)
		return fault;
	if (fault < DRM_VSM_FAULT_NOT_IN_MASK)
		return fault - DRM_VSM_FAULT_COPY_SIZE + VSM_FAULTS;
	return fault - DRM_VSM_FAULT_NOT_IN_MASK + VSM_FAULTS + VSM_COPY_FAULTS;
}

/* The readers of a client's events. The client stays; polls have left before their file goes. */
static void vsm_fault_wake(struct vsm_wake *wake)
{
	struct vsm_client *client = container_of(wake, struct vsm_client, fault_wake);
	struct drm_device *drm = &client->vdev->drm;
	unsigned long flags;

	spin_lock_irqsave(&drm->event_lock, flags);
	/* An event that comes from here on queues it again; this wakes for those before. */
	wake->queued = false;
	spin_unlock_irqrestore(&drm->event_lock, flags);
	wake_up_interruptible_poll(&client->readers, EPOLLIN | EPOLLRDNORM);
	vsm_client_put(client);
}

void vsm_fault_init(struct vsm_client *client)
{
	init_waitqueue_head(&client->readers);
	client->fault_wake.wake = vsm_fault_wake;
}

/*
 * Queue an event for the readers. drm_send_event_locked() would wake them here, for each event and
 * with locks held. That costs as much as there are polls and epolls, so the caller does it once,
 * from @wakes, after it has dropped its locks.
 */
static void vsm_fault_queue(struct vsm_client *client, struct vsm_fault_event *sent,
			    struct vsm_wakes *wakes)
{
	lockdep_assert_held(&client->vdev->drm.event_lock);
	list_del(&sent->base.pending_link);
	list_add_tail(&sent->base.link, &client->file->event_list);
	if (client->fault_wake.queued)
		return;
	client->fault_wake.queued = true;
	vsm_client_get(client);
	vsm_wakes_add(wakes, &client->fault_wake);
}

/*
 * A client that does not read its events runs out of space for them, not of memory.
 * In a job nothing may wait for memory: an event that there is none for is lost too.
 */
static void vsm_fault_send(struct vsm_client *client, const struct drm_vsm_event_fault *event,
			   struct vsm_wakes *wakes)
{
	struct drm_device *drm = &client->vdev->drm;
	struct vsm_fault_event *sent;
	unsigned long flags;

	sent = kzalloc(sizeof(*sent), GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT);
	if (sent)
		sent->event = *event;

	spin_lock_irqsave(&drm->event_lock, flags);
	/* The DRM core's check fails where a reader has put an event back: event_space < 0. */
	if (sent && client->file && client->file->event_space >= (int)event->base.length &&
	    !drm_event_reserve_init_locked(drm, client->file, &sent->base, &sent->event.base)) {
		sent->event.lost = client->lost_events;
		client->lost_events = 0;
		vsm_fault_queue(client, sent, wakes);
		sent = NULL;
	} else {
		client->lost_events++;
	}
	spin_unlock_irqrestore(&drm->event_lock, flags);
	kfree(sent);
}

/**
 * vsm_fault_count - Count a breach of a rule
 * @vdev: Device
 * @fault: The rule
 */
void vsm_fault_count(struct vsm_device *vdev, enum drm_vsm_fault fault)
{
	atomic64_inc(&vdev->faults[vsm_fault_index(fault)]);
}

static void vsm_fault_tell(struct vsm_client *client, enum drm_vsm_source source, u32 handle,
			   u32 cta, u32 thread, const struct drm_vsm_insn *insn, u32 flags,
			   struct vsm_wakes *wakes)
{
	struct vsm_device *vdev = client->vdev;
	struct drm_vsm_event_fault event = {
		.base.type = DRM_VSM_EVENT_FAULT,
		/* Without flags no longer than ever: read() gives whole events alone. */
		.base.length = flags ? sizeof(event) : offsetof(struct drm_vsm_event_fault, flags),
		.time = ktime_get_ns(),
		.cluster = handle,
		.cta = cta,
		.thread = thread,
		.source = source,
		.insn = *insn,
		.flags = flags,
	};

	vsm_fault_count(vdev, insn->fault);
	trace_vsm_fault(vdev->index, &event);
	vsm_fault_send(client, &event, wakes);
}

/**
 * vsm_fault_record_locked - Tell of a misuse under locks that come before &drm_device.event_lock
 * @client: Who caused it
 * @source: Where
 * @handle: Handle of the cluster
 * @cta: Rank of the thread's CTA
 * @thread: Thread
 * @insn: The instruction, which tells the fault
 * @wakes: Whom to wake when the caller has dropped its locks (out)
 */
void vsm_fault_record_locked(struct vsm_client *client, enum drm_vsm_source source, u32 handle,
			     u32 cta, u32 thread, const struct drm_vsm_insn *insn,
			     struct vsm_wakes *wakes)
{
	vsm_fault_tell(client, source, handle, cta, thread, insn, 0, wakes);
}

/* Likewise without a lock. */
void vsm_fault_record(struct vsm_client *client, enum drm_vsm_source source, u32 handle,
		      u32 cta, u32 thread, const struct drm_vsm_insn *insn)
{
	struct vsm_wakes wakes = {};

	vsm_fault_record_locked(client, source, handle, cta, thread, insn, &wakes);
	vsm_wakes_run(&wakes);
}

/**
 * vsm_fault_report_locked - Tell of rules that are only reported, under locks as there
 * @client: Who has broken them
 * @source: Where
 * @handle: Handle of the cluster
 * @cta: Rank of the thread's CTA
 * @thread: Thread
 * @insn: The instruction
 * @report: The rules, which may be none
 * @wakes: Whom to wake when the caller has dropped its locks (out)
 */
void vsm_fault_report_locked(struct vsm_client *client, enum drm_vsm_source source, u32 handle,
			     u32 cta, u32 thread, const struct drm_vsm_insn *insn,
			     const struct vsm_report *report, struct vsm_wakes *wakes)
{
	struct drm_vsm_insn told = *insn;
	unsigned long rules = report->rules;
	unsigned int bit;

	told.result = report->word;
	told.info = report->info;
	for_each_set_bit(bit, &rules, BITS_PER_TYPE(rules)) {
		told.fault = vsm_rule_fault(bit);
		vsm_fault_tell(client, source, handle, cta, thread, &told,
			       DRM_VSM_EVENT_REPORTED, wakes);
	}
}

/* Likewise without a lock. */
void vsm_fault_report(struct vsm_client *client, enum drm_vsm_source source, u32 handle,
		      u32 cta, u32 thread, const struct drm_vsm_insn *insn,
		      const struct vsm_report *report)
{
	struct vsm_wakes wakes = {};

	vsm_fault_report_locked(client, source, handle, cta, thread, insn, report, &wakes);
	vsm_wakes_run(&wakes);
}

/* By code, from 1 on; the copies' follow, then those of threads that meet. */
static const char * const vsm_fault_names[] = {
	"MISALIGNED", "OUT_OF_WINDOW", "NOT_AN_MBARRIER", "INIT_OVER_LIVE", "BAD_COUNT",
	"INVAL_IN_USE", "ARRIVAL_OVERFLOW", "NOCOMPLETE_COMPLETES", "DROP_TO_ZERO", "TX_RANGE",
	"TX_OVERDELIVERY", "REMOTE_FORBIDDEN", "BAD_ORDER", "POISONED", "PHASE_UNOBSERVED",
	"STALE_TOKEN", "NOT_A_PENDING_TOKEN", "INIT_NOT_FENCED", "WRITE_OVER_LIVE",
	"LATE_COMPLETION", "DEADLOCK", "PENDING_RANGE", "BAD_PARITY", "READ_OVER_LIVE",
	"COPY_SIZE", "COPY_BOUNDS", "COPY_MBARRIER", "COPY_OVERLAP", "COPY_INCOMPLETE",
	"TENSOR_MAP",
	"NOT_IN_MASK", "WARP_MISMATCH", "SHFL_SOURCE", "PARTIAL_WARP", "BARRIER_ID",
	"BARRIER_COUNT", "BARRIER_MISMATCH", "BARRIER_OVERFLOW", "BARRIER_MIXED",
	"CLUSTER_ARRIVED", "CLUSTER_NOT_ARRIVED", "THREAD_EXITED", "THREAD_SUSPENDED",
};

static_assert(ARRAY_SIZE(vsm_fault_names) ==
	      VSM_FAULTS - 1 + VSM_COPY_FAULTS + VSM_RENDEZVOUS_FAULTS);

/* A line for each fault: its name, and how often it was seen. */
static int vsm_faults_show(struct seq_file *m, void *unused)
{
	struct vsm_device *vdev = m->private;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(vsm_fault_names); i++)
		seq_printf(m, "%s %lld\n", vsm_fault_names[i],
			   atomic64_read(&vdev->faults[i + 1]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(vsm_faults);

/*
 * The model of time is set here and not with configfs: it is a knob of a device that there is
 * already, for tests, and no promise.
 */
void vsm_debugfs_init(struct drm_minor *minor)
{
	struct vsm_device *vdev = to_vsm_device(minor->dev);
	struct dentry *copy = debugfs_create_dir("vsm_copy", minor->debugfs_root);

	debugfs_create_file("vsm_faults", 0444, minor->debugfs_root, vdev, &vsm_faults_fops);
	debugfs_create_u64("latency_ns", 0600, copy, &vdev->model.latency_ns);
	debugfs_create_u64("bandwidth", 0600, copy, &vdev->model.bandwidth);
	debugfs_create_u64("shuffle_seed", 0600, copy, &vdev->model.shuffle_seed);
	debugfs_create_u32("split_bytes", 0600, copy, &vdev->model.split_bytes);
	debugfs_create_u32("job_timeout_ms", 0600, copy, &vdev->model.job_timeout_ms);
}
