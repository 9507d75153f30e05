// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dumps of failures: a guilty job, a lost cluster. devcoredump shows them to root.
 *
 * A dump is collected where a job ends, on a workqueue on which fences signal. There it may not
 * wait for memory: if there is none, the dump is given up and counted. A work of the system hands
 * the dump to devcoredump, which allocates and sleeps. The device has at most one dump on its way,
 * and makes at most VSM_DUMPS in a second, because any program can make its own jobs fail.
 * devcoredump itself drops dumps while it has one of the same device that nobody has removed.
 *
 * devcoredump gets memory that it can free without the driver. The module can therefore be removed
 * while there is a dump.
 */
#include <linux/devcoredump.h>
#include <linux/ktime.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include <drm/drm_managed.h>

#include "base/vsm_client.h"
#include "base/vsm_trace.h"
#include "object/vsm_cluster.h"
#include "vsm_drv.h"

/* The most dumps in a second */
#define VSM_DUMPS	10

/**
 * struct vsm_dumps - Dumps of a device
 * @vdev: Device
 * @work: Hands @dump to devcoredump
 * @lock: Protects the other fields
 * @busy: A dump is being collected, or is on its way
 * @dump: The dump that @work takes
 * @limit: Limits the dumps of a second
 * @missed: Number of dumps that were given up since the last one that was not
 * @stopped: The device is being lost: no more dumps
 */
struct vsm_dumps {
	struct vsm_device *vdev;
	struct work_struct work;
	spinlock_t lock; /* all below */
	bool busy;
	struct drm_vsm_dump *dump;
	struct ratelimit_state limit;
	u64 missed;
	bool stopped;
};

/* Bytes of a dump, whose last part are the events. */
static size_t vsm_dump_bytes(const struct drm_vsm_dump *dump)
{
	return dump->events.offset + dump->events.count * dump->events.stride;
}

static void vsm_dumps_work(struct work_struct *work)
{
	struct vsm_dumps *dumps = container_of(work, struct vsm_dumps, work);
	struct drm_vsm_dump *dump;
	void *copy = NULL;
	size_t size = 0;

	spin_lock(&dumps->lock);
	dump = dumps->dump;
	dumps->dump = NULL;
	spin_unlock(&dumps->lock);
	if (dump) {
		size = vsm_dump_bytes(dump);
		copy = vmalloc(size);
	}
	if (copy) {
		memcpy(copy, dump, size);
		/* This frees the copy, at once or when the dump is removed. */
		dev_coredumpv(dumps->vdev->drm.dev, copy, size, GFP_KERNEL);
	}
	spin_lock(&dumps->lock);
	if (dump && !copy)
		dumps->missed++;
	if (dump)
		dumps->busy = false;
	spin_unlock(&dumps->lock);
	kfree(dump);
}

int vsm_dumps_init(struct vsm_device *vdev)
{
	struct vsm_dumps *dumps = drmm_kzalloc(&vdev->drm, sizeof(*dumps), GFP_KERNEL);

	if (!dumps)
		return -ENOMEM;
	dumps->vdev = vdev;
	ratelimit_state_init(&dumps->limit, HZ, VSM_DUMPS);
	/* The next dump says how many were given up, and the kernel log does not. */
	ratelimit_set_flags(&dumps->limit, RATELIMIT_MSG_ON_RELEASE);
	spin_lock_init(&dumps->lock);
	INIT_WORK(&dumps->work, vsm_dumps_work);
	vdev->dumps = dumps;
	return 0;
}

/* The device is lost: there are no more dumps. Waits for the one that is on its way. */
void vsm_dumps_stop(struct vsm_device *vdev)
{
	struct vsm_dumps *dumps = vdev->dumps;

	spin_lock(&dumps->lock);
	dumps->stopped = true;
	spin_unlock(&dumps->lock);
	flush_work(&dumps->work);
}

/* May a dump be made now? If so, no other one may until this one has ended. */
static bool vsm_dumps_take(struct vsm_dumps *dumps, u64 *missed)
{
	bool taken = false;

	spin_lock(&dumps->lock);
	if (dumps->stopped || dumps->busy || !__ratelimit(&dumps->limit)) {
		dumps->missed++;
	} else {
		taken = true;
		dumps->busy = true;
		*missed = dumps->missed;
		dumps->missed = 0;
	}
	spin_unlock(&dumps->lock);
	return taken;
}

static void vsm_dumps_give_up(struct vsm_dumps *dumps, u64 missed)
{
	spin_lock(&dumps->lock);
	dumps->busy = false;
	dumps->missed += missed + 1;
	spin_unlock(&dumps->lock);
}

static size_t vsm_dump_place(struct drm_vsm_dump_part *part, size_t offset, u32 stride, u32 most)
{
	part->offset = offset;
	part->stride = stride;
	return offset + (size_t)stride * most;
}

/**
 * vsm_dump_begin - Begin a dump
 * @cluster: Cluster that the dump is about
 * @client: Client that the dump names
 * @reason: Why it is made
 * @insns: Number of instructions that the caller will add, up to VSM_DUMP_INSNS
 *
 * Context: does not sleep. The caller holds no lock.
 *
 * Return: The dump, for vsm_dump_end(); or NULL if it is given up. It says all but what is about a
 * job. It has place for @insns instructions and for VSM_DUMP_WORDS words.
 */
struct drm_vsm_dump *vsm_dump_begin(struct vsm_cluster *cluster, const struct vsm_client *client,
				    enum drm_vsm_dump_reason reason, u32 insns)
{
	struct vsm_dumps *dumps = cluster->vdev->dumps;
	const struct vsm_geometry *geo = &cluster->geo;
	struct vsm_ring *ring = cluster->recorder.ring;
	struct drm_vsm_dump_part parts[3] = {};
	struct drm_vsm_dump *dump;
	size_t size;
	u64 missed;

	if (!IS_ENABLED(CONFIG_DEV_COREDUMP) || !vsm_dumps_take(dumps, &missed))
		return NULL;
	size = vsm_dump_place(&parts[0], sizeof(*dump), sizeof(struct drm_vsm_insn), insns);
	size = vsm_dump_place(&parts[1], size, sizeof(struct drm_vsm_dump_word), VSM_DUMP_WORDS);
	size = vsm_dump_place(&parts[2], size, sizeof(struct drm_vsm_trace_event),
			      ring ? VSM_DUMP_EVENTS : 0);
	dump = kzalloc(size, GFP_NOWAIT | __GFP_NOWARN);
	if (!dump) {
		vsm_dumps_give_up(dumps, missed);
		return NULL;
	}
	*dump = (struct drm_vsm_dump) {
		.magic = DRM_VSM_DUMP_MAGIC,
		.size = sizeof(*dump),
		.reason = reason,
		.time = ktime_get_ns(),
		.missed = missed,
		.abi_major = DRM_VSM_ABI_MAJOR,
		.abi_minor = DRM_VSM_ABI_MINOR,
		.device = cluster->vdev->index,
		.cluster = cluster->number,
		.client = client->number,
		.pid = vsm_client_global_pid(client),
		.ctas = geo->ctas,
		.threads = geo->threads,
		.smem_bytes = geo->smem_bytes,
		.layout = geo->layout,
		.policy = geo->strict ? DRM_VSM_POLICY_STRICT : DRM_VSM_POLICY_HARDWARE,
		.lost = READ_ONCE(cluster->lost),
		.insns = parts[0],
		.words = parts[1],
		.events = parts[2],
	};
	static_assert(sizeof(dump->comm) == sizeof(client->comm));
	memcpy(dump->comm, client->comm, sizeof(dump->comm));
	return dump;
}

/* Add a word to a dump. */
void vsm_dump_add_word(struct drm_vsm_dump *dump, const struct vsm_cluster *cluster, u32 index)
{
	struct drm_vsm_dump_word *words = vsm_dump_at(dump, &dump->words);
	u32 i, addr = vsm_cluster_addr(cluster, index);

	for (i = 0; i < dump->words.count; i++)
		if (words[i].addr == addr)
			return;
	dump->words.total++;
	if (dump->words.count == VSM_DUMP_WORDS)
		return;
	words[dump->words.count++] = (struct drm_vsm_dump_word) {
		.word = READ_ONCE(*vsm_cluster_word(cluster, index)),
		.addr = addr,
	};
}

/* Add the last events of the cluster's flight recorder. */
static void vsm_dump_add_events(struct drm_vsm_dump *dump, const struct vsm_cluster *cluster)
{
	union vsm_ring_place *to = vsm_dump_at(dump, &dump->events);
	struct vsm_ring *ring = cluster->recorder.ring;
	u64 lost = 0, next, end;
	u32 count;

	if (!ring)
		return;
	static_assert(sizeof(*to) == sizeof(struct drm_vsm_trace_event));
	end = vsm_ring_end(ring);
	next = end > VSM_DUMP_EVENTS ? end - VSM_DUMP_EVENTS : 0;
	dump->events.total = min_t(u64, end, U32_MAX);
	while (dump->events.count < VSM_DUMP_EVENTS && next < end) {
		count = vsm_ring_take(ring, cluster->number, &next, &lost,
				      min_t(u64, end - next, 8), to + dump->events.count);
		if (!count)
			break;
		dump->events.count += count;
	}
}

/*
 * A dump is complete, except for the events: hand it to devcoredump.
 * @dump: From vsm_dump_begin()
 *
 * Context: does not sleep. The caller holds no lock.
 */
void vsm_dump_end(const struct vsm_cluster *cluster, struct drm_vsm_dump *dump)
{
	struct vsm_dumps *dumps = cluster->vdev->dumps;
	struct drm_vsm_dump *dropped = NULL;

	vsm_dump_add_events(dump, cluster);
	spin_lock(&dumps->lock);
	if (dumps->stopped) {
		dropped = dump;
		dumps->busy = false;
	} else {
		dumps->dump = dump;
		queue_work(system_unbound_wq, &dumps->work);
	}
	spin_unlock(&dumps->lock);
	kfree(dropped);
}
