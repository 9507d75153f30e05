// SPDX-License-Identifier: GPL-2.0-only
/*
 * Killing a cluster or the device: it is marked lost, and then all waits end with an error.
 *
 * Why no wait is missed: the mark is set before this file locks a bucket. A waiter for a phase
 * looks at the mark and parks while the bucket is locked. The waiter therefore either sees the
 * mark, or is found here. If a cluster is killed, buckets in rows without a note of the cluster are
 * left out (&vsm_cluster.parked). The waiter makes the note, or finds it, and then looks at the
 * mark. This file sets the mark, and then looks for the note. On both sides a full barrier is in
 * between: smp_mb__after_spinlock() and xchg(). The waiter therefore either sees the mark, or its
 * note is seen here.
 *
 * The first argument also holds for a waiter in a rendezvous and the lock of that rendezvous;
 * vsm_rendezvous_end_cluster() says why it holds even if the rendezvous is just being created. A
 * task that waits for groups looks at the mark after it has entered the wait queue, and the queue
 * is woken after the mark was set.
 */
#include "object/vsm_cluster.h"
#include "object/vsm_dump.h"
#include "sync/vsm_group.h"
#include "sync/vsm_kill.h"
#include "sync/vsm_park.h"
#include "sync/vsm_rendezvous_wait.h"
#include "sync/vsm_shadow_table.h"
#include "vsm_drv.h"

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

/* Mark a cluster lost. This does not sleep. */
static void vsm_cluster_mark_lost(struct vsm_cluster *cluster)
{
	struct drm_vsm_trace_event event = { .type = DRM_VSM_TRACE_CLUSTER_LOST };

	/* A task that sees @lost sees this as well: the xchg() is a full barrier. */
	WRITE_ONCE(cluster->plain_words, 0);
	/* Several tasks may kill the cluster at once. The first one says so. */
	if (xchg(&cluster->lost, 1))
		return;
	if (vsm_is_recording() && vsm_recorder_is_on(&cluster->recorder))
		vsm_record(&cluster->recorder, &event);
	vsm_cluster_dump(cluster);
}

/**
 * vsm_cluster_kill - Mark a cluster lost, and end all waits on it with -EIO
 * @cluster: Cluster
 *
 * Context: may sleep.
 */
void vsm_cluster_kill(struct vsm_cluster *cluster)
{
	vsm_cluster_mark_lost(cluster);
	vsm_park_end_all(cluster->vdev, cluster, -EIO);
	vsm_groups_end_cluster(cluster, -EIO);
	vsm_rendezvous_end_cluster(cluster, -EIO);
}

static void vsm_kill_work(struct work_struct *work)
{
	vsm_cluster_kill(container_of(work, struct vsm_cluster, kill_work));
}

/**
 * vsm_cluster_lose - Mark a cluster lost now, and let a work end the waits on it
 * @cluster: Cluster
 *
 * A channel calls this: it must not wait for the locks that the end of a wait takes.
 */
void vsm_cluster_lose(struct vsm_cluster *cluster)
{
	vsm_cluster_mark_lost(cluster);
	queue_work(system_unbound_wq, &cluster->kill_work);
}

void vsm_kill_init(struct vsm_cluster *cluster)
{
	INIT_WORK(&cluster->kill_work, vsm_kill_work);
}

/* Wait for the work. No task can reach the cluster any more, so there is no wait to end. */
void vsm_kill_fini(struct vsm_cluster *cluster)
{
	cancel_work_sync(&cluster->kill_work);
}

/**
 * vsm_device_kill_waits - Mark a device lost, and end all waits on it with -ENODEV
 * @vdev: Device
 *
 * Tasks that wait for groups do not end their waits here. They do when the copy engine stops, with
 * the operations of the groups.
 *
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
