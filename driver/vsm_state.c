// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctl CLUSTER_STATE: what a cluster is doing. Each layer lists what it keeps.
 */
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "base/vsm_invalid.h"
#include "base/vsm_uaccess.h"
#include "channel/vsm_channel_state.h"
#include "object/vsm_handle.h"
#include "sync/vsm_sync_state.h"
#include "thread/vsm_task.h"
#include "thread/vsm_thread_ops.h"
#include "vsm_drv.h"
#include "vsm_state.h"
#include "vsm_wait.h"

static void vsm_state_describe(const struct vsm_state *state, const struct vsm_waiter *waiter,
			       struct drm_vsm_state_entry *entry)
{
	if (!vsm_task_describe(state, waiter, entry))
		vsm_wait_describe(state, waiter, entry);
}

/* List the operations that are held. They will be performed on channel 0 of their client. */
static void vsm_held_list(struct vsm_cluster *cluster, struct vsm_state *state)
{
	struct vsm_device *vdev = cluster->vdev;
	const struct vsm_thread_op *op;
	unsigned int count = 0;

	spin_lock(&vdev->hold_lock);
	list_for_each_entry(op, &cluster->held_ops, held) {
		if (++count > VSM_STATE_BATCH) {
			state->more = true;
			break;
		}
		vsm_op_list(&op->op, 0, DRM_VSM_STATE_HELD, state);
	}
	spin_unlock(&vdev->hold_lock);
}

/* Say who has created the cluster, if the reader may know it. */
static void vsm_state_set_creator(const struct vsm_state *state, const struct vsm_client *client,
				  struct drm_vsm_cluster_state *args)
{
	bool shows = vsm_state_shows(state, client);

	args->client = shows ? client->number : 0;
	args->pid = shows ? vsm_client_pid(client) : 0;
	strscpy_pad(args->comm, shows ? client->comm : "", sizeof(args->comm));
}

/*
 * List what is in a cluster. The caller sets @viewer, @entries and @size of the list; @args gets
 * what is known of the cluster as a whole. Returns 0, -ENOMEM or -ERESTARTSYS.
 */
static int vsm_state_gather(struct vsm_bo *bo, struct vsm_state *state,
			    struct drm_vsm_cluster_state *args)
{
	struct vsm_cluster *cluster = bo->cluster;
	const struct vsm_geometry *geo = &cluster->geo;
	s64 time = ktime_get_ns();
	int ret;

	state->describe = vsm_state_describe;
	ret = vsm_park_list(cluster, state);
	if (ret)
		return ret;
	vsm_rendezvous_list(cluster, state);
	vsm_group_list(cluster, state);
	if (signal_pending(current))
		return -ERESTARTSYS;
	vsm_held_list(cluster, state);
	ret = vsm_channels_list(cluster, state);
	if (ret)
		return ret;

	args->number = cluster->number;
	args->status = (READ_ONCE(cluster->lost) ? DRM_VSM_STATE_LOST : 0) |
		       (READ_ONCE(cluster->held) ? DRM_VSM_STATE_CLUSTER_HELD : 0) |
		       (state->more ? DRM_VSM_STATE_MORE : 0);
	args->count = min(state->total, state->size);
	args->total = state->total;
	args->ctas = geo->ctas;
	args->threads = geo->threads;
	args->smem_bytes = geo->smem_bytes;
	args->layout = geo->layout;
	args->policy = geo->strict ? DRM_VSM_POLICY_STRICT : DRM_VSM_POLICY_HARDWARE;
	args->live = READ_ONCE(cluster->live);
	args->suspended = atomic_read(&cluster->suspended);
	args->time = time;
	vsm_state_set_creator(state, cluster->client, args);
	return 0;
}

/* Find the cluster that the caller names, and may see. */
static struct vsm_bo *vsm_state_find(const struct vsm_state *state, struct drm_file *file,
				     const struct drm_vsm_cluster_state *args)
{
	struct vsm_client *client = file->driver_priv;
	u32 number = args->number;
	struct vsm_bo *bo;

	if (!args->flags)
		return vsm_cluster_lookup(file, args->handle) ?: ERR_PTR(-ENOENT);
	while ((bo = vsm_cluster_next(client->vdev, &number))) {
		if (args->flags == DRM_VSM_STATE_NUMBER && number != args->number)
			break;
		if (vsm_state_shows(state, bo->client))
			return bo;
		vsm_bo_put(bo);
		bo = NULL;
		if (args->flags == DRM_VSM_STATE_NUMBER || number == U32_MAX)
			break;
		number++;
		if (signal_pending(current))
			return ERR_PTR(-ERESTARTSYS);
		cond_resched();
	}
	vsm_bo_put(bo);
	return ERR_PTR(-ENOENT);
}

static int vsm_state_copy(const struct drm_vsm_cluster_state *args, const struct vsm_state *state,
			  u32 count)
{
	const size_t size = min_t(size_t, args->stride, sizeof(*state->entries));
	u32 i;

	if (args->stride == sizeof(*state->entries))
		return copy_to_user(u64_to_user_ptr(args->entries), state->entries, count * size)
			? -EFAULT : 0;
	for (i = 0; i < count; i++) {
		if (copy_to_user(u64_to_user_ptr(args->entries + (u64)i * args->stride),
				 &state->entries[i], size))
			return -EFAULT;
		cond_resched();
	}
	return 0;
}

/* Returns the field of the argument that is wrong, or NULL. */
static const char *vsm_state_invalid(const struct drm_vsm_cluster_state *args)
{
	if (args->flags & ~(DRM_VSM_STATE_NUMBER | DRM_VSM_STATE_NEXT) ||
	    args->flags == (DRM_VSM_STATE_NUMBER | DRM_VSM_STATE_NEXT))
		return "flags";
	if (args->flags && args->handle)
		return "handle";
	if (args->stride < VSM_FIRST_STATE || args->stride % 8)
		return "stride";
	return args->entries % 8 ? "entries" : NULL;
}

int vsm_cluster_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_client *client = file->driver_priv;
	struct drm_vsm_cluster_state *args = data;
	struct drm_vsm_cluster_state result = *args;
	struct vsm_state state = {
		.viewer = vsm_viewer_of(client),
		.size = args->count,
	};
	const char *field = vsm_state_invalid(args);
	struct vsm_bo *bo;
	int ret;

	if (field)
		return vsm_invalid(drm, "CLUSTER_STATE", field);
	if (args->count > VSM_MAX_STATE)
		return -E2BIG;
	bo = vsm_state_find(&state, file, args);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	if (args->count) {
		state.entries = vsm_quota_alloc(&client->quota, args->count,
						sizeof(*state.entries));
		if (IS_ERR(state.entries)) {
			ret = PTR_ERR(state.entries);
			goto out;
		}
	}
	ret = vsm_state_gather(bo, &state, &result) ?:
	      vsm_state_copy(&result, &state, result.count);
	if (!ret)
		*args = result;
	vsm_quota_free(&client->quota, state.entries, state.size,
		       sizeof(*state.entries));
out:
	vsm_bo_put(bo);
	return ret;
}
