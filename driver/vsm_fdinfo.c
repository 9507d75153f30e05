// SPDX-License-Identifier: GPL-2.0-only
/*
 * What /proc/PID/fdinfo shows of a client, with the keys of Documentation/gpu/drm-usage-stats.rst
 * in the kernel. Tools such as gputop read it.
 *
 * drm_show_fdinfo() would print the first keys, but 6.1 does not have it. It prints nothing for a
 * device that has been unplugged, whose clients still have their memory. There is no drm-pdev,
 * because the device is not on PCI.
 *
 * The file is open while it is shown: the kernel holds a reference. Its client therefore keeps its
 * channels. The text is about this client only; the kernel decides who may read it.
 */
#include <linux/bitops.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "base/vsm_client.h"
#include "channel/vsm_channel.h"
#include "object/vsm_bo.h"
#include "object/vsm_cluster.h"
#include "vsm_drv.h"
#include "vsm_fdinfo.h"

/* Objects that are looked at before the lock is dropped. A client may have very many. */
#define VSM_FDINFO_BATCH 64

/*
 * Sum up the memory of all objects for which the client has a handle, and the phases of clusters.
 * Handles may be created and closed meanwhile. An object in the table has the reference of its
 * handle.
 */
static void vsm_fdinfo_sum(struct drm_file *file, struct vsm_memory *sum, u64 *phases)
{
	struct drm_gem_object *obj;
	struct vsm_bo *bo;
	unsigned long handle = 0;

	do {
		unsigned int count = 0;

		spin_lock(&file->table_lock);
		do {
			obj = idr_get_next_ul(&file->object_idr, &handle);
			if (!obj)
				break;
			bo = to_vsm_bo(obj);
			vsm_bo_add_memory(bo, sum);
			if (bo->cluster)
				*phases += atomic64_read(&bo->cluster->phases);
			handle++;
		} while (++count < VSM_FDINFO_BATCH);
		spin_unlock(&file->table_lock);
		cond_resched();
	} while (obj && !fatal_signal_pending(current));
}

/*
 * The number of a client is unique on its device. Without drm-pdev the id has to be unique among
 * all devices, so its upper half is the number of the device.
 */
static u64 vsm_fdinfo_client_id(const struct vsm_client *client)
{
	return (u64)client->vdev->index << 32 | client->number;
}

/* Objects consist of whole pages, so their sizes are multiples of 1 KiB. */
static void vsm_fdinfo_print(struct seq_file *m, const char *what, u64 bytes)
{
	seq_printf(m, "drm-%s-memory:\t%llu KiB\n", what, bytes / SZ_1K);
}

void vsm_fdinfo_show(struct seq_file *m, struct file *filp)
{
	struct drm_file *file = filp->private_data;
	struct vsm_client *client = file->driver_priv;
	struct vsm_memory sum = {};
	struct vsm_channels_usage usage;
	unsigned long channels;
	unsigned int id;
	u64 phases = 0;

	vsm_channels_get_usage(client, &usage);
	channels = usage.exist;
	vsm_fdinfo_sum(file, &sum, &phases);

	seq_printf(m, "drm-driver:\t%s\n", file->minor->dev->driver->name);
	seq_printf(m, "drm-client-id:\t%llu\n", vsm_fdinfo_client_id(client));
	seq_printf(m, "drm-engine-copy:\t%llu ns\n", usage.busy);
	seq_printf(m, "drm-engine-capacity-copy:\t%u\n", (unsigned int)hweight_long(channels));
	vsm_fdinfo_print(m, "total", sum.total);
	vsm_fdinfo_print(m, "shared", sum.shared);
	vsm_fdinfo_print(m, "resident", sum.resident);
	vsm_fdinfo_print(m, "active", sum.active);

	seq_printf(m, "vsm-moved:\t%llu\n", usage.moved);
	for_each_set_bit(id, &channels, VSM_MAX_CHANNELS)
		seq_printf(m, "vsm-moved-%u:\t%llu\n", id, usage.channel_moved[id]);
	seq_printf(m, "vsm-phases:\t%llu\n", phases);
	seq_printf(m, "vsm-faults:\t%llu\n", (u64)atomic64_read(&client->faults));
}
