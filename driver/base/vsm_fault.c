// SPDX-License-Identifier: GPL-2.0-only
/*
 * What user space is told about errors: malformed requests, misuse, and events for udev.
 */
#include <linux/debugfs.h>
#include <linux/kobject.h>
#include <linux/ktime.h>
#include <linux/poll.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include <drm/vsm_drm.h>

#include "base/vsm_fault.h"
#include "core/vsm_core.h"
#include "vsm_compat.h"
#include "vsm_drv.h"

/* --- malformed requests ---------------------------------------------------------- */

/*
 * Malformed requests. If the kernel logs the messages of DRM drivers (drm.debug=0x2), a program
 * that gets EINVAL finds the reason in the kernel log.
 */

/*
 * Refuse a request with a field that has an invalid value.
 * @field: Name of the field, or what is wrong with it
 *
 * Returns -EINVAL.
 */
int vsm_invalid(const struct drm_device *drm, const char *request, const char *field)
{
	drm_dbg_driver(drm, "%s[%d]: %s: invalid %s\n", current->comm, current->pid, request,
		       field);
	return -EINVAL;
}

/* Refuse a request that contains a malformed instruction. Returns -EINVAL. */
int vsm_invalid_insn(const struct drm_device *drm, const char *request, u32 index,
		     const struct drm_vsm_insn *insn)
{
	drm_dbg_driver(drm, "%s[%d]: %s: invalid instruction %u: op %u mods %#x red %#x\n",
		       current->comm, current->pid, request, index, insn->op, insn->mods,
		       insn->red);
	return -EINVAL;
}

/* --- misuse ---------------------------------------------------------------------- */

/*
 * Misuse: an instruction breaks a rule. Each misuse is counted, recorded (vsm_trace.c), and sent
 * as an event to the client that caused it. The rule either refuses the instruction
 * (vsm_fault_announce()), or the cluster only reports it (vsm_fault_report()).
 */

/**
 * struct vsm_fault_event - A fault event on its way to the client
 * @base: The part that the DRM core uses
 * @event: The part that read() returns
 */
struct vsm_fault_event {
	struct drm_pending_event base;
	struct drm_vsm_event_fault event;
};

/*
 * The counters of faults are in this order: faults of mbarriers, from code 0 (no fault) on; faults
 * of copies; faults of rendezvous.
 */
#define VSM_FAULTS	(DRM_VSM_FAULT_PLAIN_ACCESS + 1)
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
 * Wake the readers of a client's events. The queued entry has a reference on the client. The file
 * may be closed by now; then nobody reads.
 */
static void vsm_fault_wake(struct vsm_wake *wake)
{
	struct vsm_client *client = container_of(wake, struct vsm_client, fault_wake);
	struct drm_device *drm = &client->vdev->drm;
	unsigned long flags;

	spin_lock_irqsave(&drm->event_lock, flags);
	/* From here on a new event queues the entry again. */
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
 * Queue an event for the readers. drm_send_event_locked() would wake the readers for each event,
 * while locks are held. Here the caller wakes them once, from @wakes, after it has dropped its
 * locks.
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
 * Send an event to a client. If the client does not read its events, the space that the DRM core
 * allows for them runs out, and the event is lost. An event is also lost if it cannot be allocated,
 * because a job must not wait for memory. The next event says how many were lost.
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
	/*
	 * event_space is negative if a reader has put an event back. The DRM core compares it as an
	 * unsigned number, and would find enough space.
	 */
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

/* Count a breach of a rule. */
void vsm_fault_count(struct vsm_device *vdev, enum drm_vsm_fault fault)
{
	atomic64_inc(&vdev->fault_counts[vsm_fault_index(fault)]);
}

static noinline void vsm_fault_trace(const struct vsm_origin *origin, enum drm_vsm_source source,
				     const struct drm_vsm_insn *insn, u32 flags)
{
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_recorder_is_on(origin->recorder))
		return;
	event = vsm_event_of(origin, DRM_VSM_TRACE_FAULT);
	/* No thread executes an armed wait for a phase. */
	if (source == DRM_VSM_SOURCE_ARM && !origin->lanes)
		event.lanes = 0;
	event.id = vsm_number_shown(origin->copy);
	event.word = insn->result;
	/* All operands with an address have it at this offset. */
	event.addr = insn->u.mbarrier.addr;
	event.error = flags & DRM_VSM_EVENT_REPORTED ? 0 : -EPROTO;
	event.info = insn->info;
	event.source = source;
	event.fault = insn->fault;
	event.mods = insn->mods;
	event.op = insn->op;
	vsm_record(origin->recorder, &event);
}

static void vsm_fault_emit(const struct vsm_origin *origin, enum drm_vsm_source source,
			   const struct drm_vsm_insn *insn, u32 flags, struct vsm_wakes *wakes)
{
	struct vsm_device *vdev = origin->client->vdev;
	struct drm_vsm_event_fault event = {
		.base.type = DRM_VSM_EVENT_FAULT,
		/*
		 * An event without flags has the length that it had in the first version of the
		 * uAPI. The buffer of an old program then has space for it: read() returns only
		 * whole events.
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
	atomic64_inc(&origin->client->faults);
	if (vsm_is_recording())
		vsm_fault_trace(origin, source, insn, flags);
	if (vsm_device_has(origin->client->vdev, DRM_VSM_FEATURE_FAULTS))
		vsm_fault_send(origin->client, &event, wakes);
}

/*
 * Announce a refused instruction while locks are held. @wakes gets the readers that the caller
 * wakes after it has dropped its locks.
 *
 * The caller may hold any lock that comes before &drm_device.event_lock in vsm_drv.h.
 */
void vsm_fault_announce_locked(const struct vsm_origin *origin, enum drm_vsm_source source,
			       const struct drm_vsm_insn *insn, struct vsm_wakes *wakes)
{
	vsm_fault_emit(origin, source, insn, 0, wakes);
}

/* Announce a refused instruction and wake the readers. The caller holds no lock. */
void vsm_fault_announce(const struct vsm_origin *origin, enum drm_vsm_source source,
			const struct drm_vsm_insn *insn)
{
	struct vsm_wakes wakes = {};

	vsm_fault_announce_locked(origin, source, insn, &wakes);
	vsm_wakes_run(&wakes);
}

/*
 * Announce broken rules that are only reported, while locks are held. @wakes gets the readers that
 * the caller wakes after it has dropped its locks.
 *
 * The caller may hold any lock that comes before &drm_device.event_lock in vsm_drv.h.
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

/* Announce broken rules that are only reported, and wake the readers. The caller holds no lock. */
void vsm_fault_report(const struct vsm_origin *origin, enum drm_vsm_source source,
		      const struct drm_vsm_insn *insn, const struct vsm_report *report)
{
	struct vsm_wakes wakes = {};

	vsm_fault_report_locked(origin, source, insn, report, &wakes);
	vsm_wakes_run(&wakes);
}

/* The names of the faults, in the order of vsm_fault_index(), from index 1 on. */
#define VSM_FAULT(NAME, name, enforced) #NAME,
static const char * const vsm_fault_names[] = {
#include <drm/vsm_faults.h>
};

static_assert(ARRAY_SIZE(vsm_fault_names) == VSM_ALL_FAULTS - 1);

/* Print a line for each fault: its name, and how often it has occurred. */
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

/* --- events for udev ------------------------------------------------------------- */

/*
 * Events for udev rules and monitors. They are uevents of the device's primary node.
 *
 * Sending a uevent allocates memory and may sleep. The work of a channel must do neither, because
 * fences signal there. It only puts a uevent into a list, from which a work of the system sends it.
 *
 * Any program can make its own jobs fail, and each uevent wakes all who listen. So a device sends
 * at most VSM_UEVENTS in a second. It counts the others, and the next event says how many.
 */

/* The most uevents in a second */
#define VSM_UEVENTS	10

/**
 * struct vsm_uevents - Uevents of a device that have not been sent
 * @vdev: Device
 * @work: Sends what is in @list
 * @lock: Protects the other fields
 * @list: Uevents that @work has not taken yet
 * @count: Number of uevents in @list
 * @limit: Limits the uevents of a second
 * @missed: Number of uevents that were left out since the last one that was not
 * @closed: The device is being lost: no more uevents
 */
struct vsm_uevents {
	struct vsm_device *vdev;
	struct work_struct work;
	spinlock_t lock; /* all below */
	struct vsm_reset_uevent list[VSM_UEVENTS];
	u32 count;
	struct ratelimit_state limit;
	u64 missed;
	bool closed;
};

static void vsm_uevent_send(struct vsm_device *vdev, const struct vsm_reset_uevent *uevent)
{
	char text[8][32];
	char *env[10] = {
		"RESET=channel", text[0], text[1], text[2], text[3], text[4], text[5], text[6],
		text[7],
	};

	snprintf(text[0], sizeof(text[0]), "CLIENT=%u", uevent->client);
	snprintf(text[1], sizeof(text[1]), "PID=%d", uevent->pid);
	snprintf(text[2], sizeof(text[2]), "CHANNEL=%u", uevent->channel);
	snprintf(text[3], sizeof(text[3]), "ERROR=%d", uevent->error);
	snprintf(text[4], sizeof(text[4]), "JOB=%llu", uevent->job);
	snprintf(text[5], sizeof(text[5]), "SITE=%u", uevent->site);
	snprintf(text[6], sizeof(text[6]), "MISSED=%llu", uevent->missed);
	snprintf(text[7], sizeof(text[7]), "GROUP=%u", uevent->group);
	/* An event that cannot be sent is lost, as any uevent. */
	kobject_uevent_env(&vdev->drm.primary->kdev->kobj, KOBJ_CHANGE, env);
}

static void vsm_uevents_send(struct work_struct *work)
{
	struct vsm_uevents *uevents = container_of(work, struct vsm_uevents, work);
	struct vsm_reset_uevent list[VSM_UEVENTS];
	u32 i, count;

	spin_lock(&uevents->lock);
	count = uevents->count;
	memcpy(list, uevents->list, count * sizeof(*list));
	uevents->count = 0;
	spin_unlock(&uevents->lock);
	for (i = 0; i < count; i++)
		vsm_uevent_send(uevents->vdev, &list[i]);
}

int vsm_uevents_init(struct vsm_device *vdev)
{
	struct vsm_uevents *uevents = drmm_kzalloc(&vdev->drm, sizeof(*uevents), GFP_KERNEL);

	if (!uevents)
		return -ENOMEM;
	uevents->vdev = vdev;
	ratelimit_state_init(&uevents->limit, HZ, VSM_UEVENTS);
	/* The next uevent says how many were left out, and the kernel log does not. */
	ratelimit_set_flags(&uevents->limit, RATELIMIT_MSG_ON_RELEASE);
	spin_lock_init(&uevents->lock);
	INIT_WORK(&uevents->work, vsm_uevents_send);
	vdev->uevents = uevents;
	return 0;
}

/*
 * Announce that a channel was reset.
 * @uevent: What happened; &vsm_reset_uevent.missed is not used
 *
 * Context: process context; does not sleep and allocates nothing.
 */
void vsm_uevent_reset(struct vsm_device *vdev, const struct vsm_reset_uevent *uevent)
{
	struct vsm_uevents *uevents = vdev->uevents;

	spin_lock(&uevents->lock);
	if (uevents->closed || uevents->count == VSM_UEVENTS || !__ratelimit(&uevents->limit)) {
		uevents->missed++;
	} else {
		uevents->list[uevents->count] = *uevent;
		uevents->list[uevents->count++].missed = uevents->missed;
		uevents->missed = 0;
		queue_work(system_unbound_wq, &uevents->work);
	}
	spin_unlock(&uevents->lock);
}

/**
 * vsm_uevent_lost - Announce that the device goes, if that is a failure
 * @vdev: Device, which is still registered. Afterwards there are no more events
 *
 * Context: may sleep.
 */
void vsm_uevent_lost(struct vsm_device *vdev)
{
	struct vsm_uevents *uevents = vdev->uevents;

	spin_lock(&uevents->lock);
	uevents->closed = true;
	spin_unlock(&uevents->lock);
	/* The work uses the device's primary node, which goes away now. */
	flush_work(&uevents->work);
	/* Whoever has unbound the device does not want it to be bound again. */
	if (READ_ONCE(vdev->wedged))
		vsm_wedged_event(&vdev->drm);
}
