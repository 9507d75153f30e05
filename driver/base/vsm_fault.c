// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of misuse: each is counted, traced, and sent to the client that caused it.
 */
#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>

#include "base/vsm_fault.h"
#include "core/vsm_core.h"
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

/*
 * Faults are counted in this order: those of mbarriers, from code 0 on, which is no fault; those
 * of copies; those of rendezvous.
 */
#define VSM_FAULTS	(DRM_VSM_FAULT_READ_OVER_LIVE + 1)
#define VSM_COPY_FAULTS	(DRM_VSM_FAULT_TENSOR_MAP - DRM_VSM_FAULT_COPY_SIZE + 1)
#define VSM_ALL_FAULTS	(VSM_FAULTS + VSM_COPY_FAULTS + \
			 DRM_VSM_FAULT_THREAD_SUSPENDED - DRM_VSM_FAULT_NOT_IN_MASK + 1)

static u32 vsm_fault_index(u32 fault)
{
	if (fault < DRM_VSM_FAULT_COPY_SIZE)
		return fault;
	if (fault < DRM_VSM_FAULT_NOT_IN_MASK)
		return fault - DRM_VSM_FAULT_COPY_SIZE + VSM_FAULTS;
	return fault - DRM_VSM_FAULT_NOT_IN_MASK + VSM_FAULTS + VSM_COPY_FAULTS;
}

/*
 * Wake the readers of a client's events. The entry holds the client until then. Polls have left
 * the queue before their file goes.
 */
static void vsm_fault_wake(struct vsm_wake *wake)
{
	struct vsm_client *client = container_of(wake, struct vsm_client, fault_wake);
	struct drm_device *drm = &client->vdev->drm;
	unsigned long flags;

	spin_lock_irqsave(&drm->event_lock, flags);
	/* Later events queue the entry again. This wake-up is for the events before. */
	wake->queued = false;
	spin_unlock_irqrestore(&drm->event_lock, flags);
	wake_up_interruptible_poll(&client->readers, EPOLLIN | EPOLLRDNORM);
	vsm_client_put(client);
}

void vsm_fault_init(struct vsm_client *client)
{
	client->fault_wake.wake = vsm_fault_wake;
}

/*
 * Queue an event for the readers. drm_send_event_locked() would wake them for each event, with
 * locks held. Here the caller wakes them once, from @wakes, after it has dropped its locks.
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
 * A client that does not read its events runs out of space for them, not of memory. A job must
 * not wait for memory, so an event that cannot be allocated is lost too, and counted.
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
	atomic64_inc(&vdev->fault_counts[vsm_fault_index(fault)]);
}

static void vsm_fault_emit(const struct vsm_origin *origin, enum drm_vsm_source source,
			   const struct drm_vsm_insn *insn, u32 flags, struct vsm_wakes *wakes)
{
	struct vsm_device *vdev = origin->client->vdev;
	struct drm_vsm_event_fault event = {
		.base.type = DRM_VSM_EVENT_FAULT,
		/*
		 * Without flags the event keeps its first length: read() gives whole events only.
		 */
		.base.length = flags ? sizeof(event) : offsetof(struct drm_vsm_event_fault, flags),
		.time = ktime_get_ns(),
		.cluster = origin->handle,
		.cta = origin->cta,
		.thread = origin->thread,
		.source = source,
		.insn = *insn,
		.flags = flags,
	};

	vsm_fault_count(vdev, insn->fault);
	trace_vsm_fault(vdev->index, &event);
	vsm_fault_send(origin->client, &event, wakes);
}

/**
 * vsm_fault_record_locked - Record a misuse while locks are held
 * @origin: Thread that caused it
 * @source: Where it was found
 * @insn: The instruction, with the fault
 * @wakes: Gets the readers to wake after the caller has dropped its locks (out)
 *
 * The locks are those before &drm_device.event_lock.
 */
void vsm_fault_record_locked(const struct vsm_origin *origin, enum drm_vsm_source source,
			     const struct drm_vsm_insn *insn, struct vsm_wakes *wakes)
{
	vsm_fault_emit(origin, source, insn, 0, wakes);
}

/* The same without a lock. */
void vsm_fault_record(const struct vsm_origin *origin, enum drm_vsm_source source,
		      const struct drm_vsm_insn *insn)
{
	struct vsm_wakes wakes = {};

	vsm_fault_record_locked(origin, source, insn, &wakes);
	vsm_wakes_run(&wakes);
}

/**
 * vsm_fault_report_locked - Record broken rules that are only reported, while locks are held
 * @origin: Thread that broke them
 * @source: Where that was found
 * @insn: The instruction
 * @report: The rules; may be none
 * @wakes: Gets the readers to wake after the caller has dropped its locks (out)
 *
 * The locks are those before &drm_device.event_lock.
 */
void vsm_fault_report_locked(const struct vsm_origin *origin, enum drm_vsm_source source,
			     const struct drm_vsm_insn *insn, const struct vsm_report *report,
			     struct vsm_wakes *wakes)
{
	struct drm_vsm_insn reported = *insn;
	unsigned long rules = report->rules;
	unsigned int bit;

	reported.result = report->word;
	reported.info = report->info;
	for_each_set_bit(bit, &rules, BITS_PER_TYPE(rules)) {
		reported.fault = vsm_rule_fault(bit);
		vsm_fault_emit(origin, source, &reported, DRM_VSM_EVENT_REPORTED, wakes);
	}
}

/* The same without a lock. */
void vsm_fault_report(const struct vsm_origin *origin, enum drm_vsm_source source,
		      const struct drm_vsm_insn *insn, const struct vsm_report *report)
{
	struct vsm_wakes wakes = {};

	vsm_fault_report_locked(origin, source, insn, report, &wakes);
	vsm_wakes_run(&wakes);
}

/* In the order of vsm_fault_index(), from 1 on. */
#define VSM_FAULT(NAME, name, enforced) #NAME,
static const char * const vsm_fault_names[] = {
#include <drm/vsm_faults.h>
};

static_assert(ARRAY_SIZE(vsm_fault_names) == VSM_ALL_FAULTS - 1);

/* A line for each fault: its name, and how often it was seen. */
static int vsm_faults_show(struct seq_file *m, void *unused)
{
	struct vsm_device *vdev = m->private;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(vsm_fault_names); i++)
		seq_printf(m, "%s %lld\n", vsm_fault_names[i],
			   atomic64_read(&vdev->fault_counts[i + 1]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(vsm_faults);

void vsm_faults_debugfs_init(struct vsm_device *vdev, struct dentry *root)
{
	debugfs_create_file("vsm_faults", 0444, root, vdev, &vsm_faults_fops);
}

int vsm_faults_init(struct vsm_device *vdev)
{
	vdev->fault_counts = drmm_kcalloc(&vdev->drm, VSM_ALL_FAULTS, sizeof(*vdev->fault_counts),
					  GFP_KERNEL);
	return vdev->fault_counts ? 0 : -ENOMEM;
}
