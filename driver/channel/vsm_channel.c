// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copy channels. The work of a channel takes turns: it performs one launched operation, or a few
 * small ones, and then takes one step of a job.
 */
#include <linux/build_bug.h>
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "base/vsm_invalid.h"
#include "channel/vsm_channel.h"
#include "channel/vsm_job_reset.h"
#include "channel/vsm_priority.h"
#include "vsm_drv.h"

/*
 * The work of a channel. It is queued whenever a job is submitted, an in-fence signals, operations
 * are launched, the time has come at which an operation is due, another channel of the group is
 * reset, or a rule changes. If the work is running at that moment, it runs once more afterwards,
 * and therefore misses nothing.
 */
static void vsm_channel_run(struct work_struct *base)
{
	struct vsm_channel *channel = container_of(base, struct vsm_channel, work.base);
	struct vsm_work *work = &channel->work;
	unsigned int steps = 0;
	int performed, stepped;
	s64 start;

	if (vsm_priority_gives_way(work))
		return;
	vsm_work_begin(work);
	start = work->looked;
	do {
		/*
		 * Operations and jobs take turns: neither waits until nothing is left of the other.
		 */
		work->due = 0;
		/* Before the time limit: a job that is cancelled must not count as late, too. */
		if (unlikely(READ_ONCE(channel->jobs.cancels_running)))
			vsm_jobs_cancel_running(&channel->jobs);
		/* When the channel stops, even a late job ends with the error of the stop. */
		if (vsm_work_is_late(work) && !READ_ONCE(channel->jobs.error))
			vsm_jobs_reset(&channel->jobs, -ETIMEDOUT, true);
		performed = vsm_schedule_is_empty(&channel->schedule) ?
				0 : vsm_schedule_perform(&channel->schedule);
		stepped = vsm_jobs_step(&channel->jobs);
		work->idle = !performed && !stepped;
		if (work->idle || performed < 0 || stepped < 0)
			break;
		cond_resched();
		steps += max(performed, 1);
	} while (vsm_work_goes_on(work, start, &steps));
	vsm_work_end(work);
	vsm_priority_ends(work);
}

static struct vsm_channel *vsm_channel_create(struct vsm_device *vdev, bool out_of_order,
					      s32 priority)
{
	struct vsm_channel *channel = kzalloc(sizeof(*channel), GFP_KERNEL_ACCOUNT);

	if (!channel)
		return NULL;
	kref_init(&channel->ref);
	vsm_work_init(&channel->work, vdev, vsm_channel_run);
	vsm_priority_set(&channel->work, priority);
	vsm_schedule_init(&channel->schedule, &channel->work);
	vsm_jobs_init(&channel->jobs, &channel->work, &channel->schedule);
	channel->jobs.out_of_order = out_of_order;
	return channel;
}

static void vsm_channel_free(struct kref *ref)
{
	struct vsm_channel *channel = container_of(ref, struct vsm_channel, ref);

	vsm_reset_group_put(channel->jobs.group);
	kfree(channel);
}

void vsm_channel_put(struct vsm_channel *channel)
{
	kref_put(&channel->ref, vsm_channel_free);
}

/*
 * Stop a channel: its jobs end with an error, and later ones are refused. When this returns, no job
 * is queued or running, and no launched operation is left.
 */
static void vsm_channel_stop(struct vsm_channel *channel, int error)
{
	vsm_reset_group_leave(&channel->jobs);
	/*
	 * In this order: a job whose operations are dropped must find the error that it ends with.
	 */
	vsm_jobs_stop(&channel->jobs, error);
	vsm_schedule_stop(&channel->schedule, error);

	WRITE_ONCE(channel->work.stopping, true);

	/* The work gives way to other channels now and then. Queue it until nothing is left. */
	do {
		queue_work(channel->work.vdev->wq, &channel->work.base);
		flush_work(&channel->work.base);
	} while (!vsm_jobs_are_idle(&channel->jobs) || !vsm_schedule_is_idle(&channel->schedule));
	vsm_work_fini(&channel->work);
	vsm_priority_leave(&channel->work);
}

/**
 * vsm_channel_launch - Launch operations of threads
 * @channel: Channel
 * @batch: Operations that have begun; empty afterwards, unchanged after an error
 *
 * Return: 0, or -ENODEV if the channel has stopped.
 */
int vsm_channel_launch(struct vsm_channel *channel, struct list_head *batch)
{
	int ret = vsm_schedule_add(&channel->schedule, batch);

	if (!ret)
		vsm_work_queue(&channel->work);
	return ret;
}

static void vsm_channel_add_usage(struct vsm_channel *channel, unsigned int id,
				  struct vsm_channels_usage *usage)
{
	u64 moved = vsm_work_moved(&channel->work);

	usage->busy += vsm_work_busy(&channel->work);
	usage->moved += moved;
	usage->exist |= BIT(id);
	usage->channel_moved[id] = moved;
}

/* Find out what the copy engine has done for a client, whose file is open. */
void vsm_channels_get_usage(struct vsm_client *client, struct vsm_channels_usage *usage)
{
	struct vsm_channels *channels = client->channels;
	struct vsm_channel *channel;
	unsigned long id;

	BUILD_BUG_ON(ARRAY_SIZE(usage->channel_moved) > BITS_PER_TYPE(usage->exist));
	xa_lock(&channels->others);
	*usage = (struct vsm_channels_usage) {
		.busy = channels->past_busy,
		.moved = channels->past_moved,
	};
	vsm_channel_add_usage(channels->first, 0, usage);
	xa_for_each(&channels->others, id, channel)
		vsm_channel_add_usage(channel, id, usage);
	xa_unlock(&channels->others);
}

/* Give a new client its first channel. Returns 0 or -ENOMEM. */
int vsm_channels_create(struct vsm_client *client)
{
	struct vsm_channels *channels = kzalloc(sizeof(*channels), GFP_KERNEL_ACCOUNT);

	if (!channels)
		return -ENOMEM;
	channels->first = vsm_channel_create(client->vdev, false, DRM_VSM_PRIORITY_NORMAL);
	if (!channels->first) {
		kfree(channels);
		return -ENOMEM;
	}
	xa_init_flags(&channels->others, XA_FLAGS_ALLOC1);
	client->channels = channels;
	return 0;
}

/* Queue the works of all channels: a rule because of which some may stand still has changed. */
void vsm_channels_queue(struct vsm_client *client)
{
	struct vsm_channels *channels = client->channels;
	struct vsm_channel *channel;
	unsigned long id;

	xa_lock(&channels->others);
	vsm_work_queue(&channels->first->work);
	xa_for_each(&channels->others, id, channel)
		vsm_work_queue(&channel->work);
	xa_unlock(&channels->others);
}

/**
 * vsm_channels_stop - Stop all channels of a client
 * @client: Client
 * @error: Error with which their jobs end
 *
 * Context: the caller holds &vsm_device.clients_lock, or no other task can reach the client.
 */
void vsm_channels_stop(struct vsm_client *client, int error)
{
	struct vsm_channels *channels = client->channels;
	struct vsm_channel *channel;
	unsigned long id;

	vsm_channel_stop(channels->first, error);
	xa_for_each(&channels->others, id, channel)
		vsm_channel_stop(channel, error);
}

/* Free the channels of a client. They have stopped, and no other task can reach the client. */
void vsm_channels_free(struct vsm_client *client)
{
	struct vsm_channels *channels = client->channels;
	struct vsm_channel *channel;
	unsigned long id;

	xa_for_each(&channels->others, id, channel)
		vsm_channel_put(channel);
	xa_destroy(&channels->others);
	vsm_channel_put(channels->first);
	kfree(channels);
	client->channels = NULL;
}

/* Find the channel with a number, and take a reference. Returns NULL if there is none. */
struct vsm_channel *vsm_channel_find(struct vsm_client *client, u32 id)
{
	struct vsm_channels *channels = client->channels;
	struct vsm_channel *channel = channels->first;

	if (!id) {
		kref_get(&channel->ref);
		return channel;
	}
	xa_lock(&channels->others);
	channel = xa_load(&channels->others, id);
	if (channel)
		kref_get(&channel->ref);
	xa_unlock(&channels->others);
	return channel;
}

/*
 * Let a new channel join a group. If the client has a group with this number, the channel joins it.
 * Otherwise the channel joins @group, which is new.
 */
static void vsm_channel_join(struct vsm_client *client, struct vsm_channel *channel,
			     struct vsm_reset_group *group)
{
	struct vsm_channel *other;
	unsigned long id;

	lockdep_assert_held(&client->vdev->clients_lock);
	xa_for_each(&client->channels->others, id, other) {
		if (other->jobs.group && other->jobs.group->number == group->number) {
			group = other->jobs.group;
			break;
		}
	}
	vsm_reset_group_join(group, &channel->jobs);
}

int vsm_channel_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_client *client = file->driver_priv;
	struct drm_vsm_channel_create *args = data;
	struct vsm_reset_group *group = NULL;
	struct vsm_channel *channel;
	int ret;

	if (args->flags & ~DRM_VSM_CHANNEL_OUT_OF_ORDER)
		return vsm_invalid(drm, "CHANNEL_CREATE", "flags");
	if (args->priority < DRM_VSM_PRIORITY_LOW || args->priority > DRM_VSM_PRIORITY_HIGH)
		return vsm_invalid(drm, "CHANNEL_CREATE", "priority");
	if (args->priority && !vsm_device_has(vdev, DRM_VSM_FEATURE_PRIORITY))
		return -EOPNOTSUPP;
	if (args->group && !vsm_device_has(vdev, DRM_VSM_FEATURE_GROUP))
		return -EOPNOTSUPP;
	/* Otherwise any user could delay the channels of all others. */
	if (args->priority > DRM_VSM_PRIORITY_NORMAL && !capable(CAP_SYS_NICE))
		return -EACCES;
	channel = vsm_channel_create(vdev, args->flags & DRM_VSM_CHANNEL_OUT_OF_ORDER,
				     args->priority);
	if (!channel)
		return -ENOMEM;
	if (args->group) {
		group = vsm_reset_group_create(args->group);
		if (!group) {
			vsm_channel_put(channel);
			return -ENOMEM;
		}
	}

	/*
	 * Either the device is lost already, or vsm_files_unplug() finds the new channel and stops
	 * it.
	 */
	mutex_lock(&vdev->clients_lock);
	if (READ_ONCE(vdev->lost))
		ret = -ENODEV;
	else
		ret = xa_alloc(&client->channels->others, &args->channel, NULL,
			       XA_LIMIT(1, vdev->max_channels - 1), GFP_KERNEL_ACCOUNT);
	if (!ret) {
		/* Another task may use the channel as soon as it is stored. */
		channel->work.channel = args->channel;
		if (group)
			vsm_channel_join(client, channel, group);
		xa_store(&client->channels->others, args->channel, channel, GFP_KERNEL_ACCOUNT);
	}
	mutex_unlock(&vdev->clients_lock);
	vsm_reset_group_put(group);
	if (ret)
		vsm_channel_put(channel);
	return ret == -EBUSY ? -ENOSPC : ret;
}

int vsm_channel_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_client *client = file->driver_priv;
	struct drm_vsm_channel_destroy *args = data;
	struct vsm_channels *channels = client->channels;
	struct vsm_channel *channel;
	u64 busy = 0, moved = 0;

	if (args->flags || !args->channel)
		return vsm_invalid(drm, "CHANNEL_DESTROY", args->flags ? "flags" : "channel");
	mutex_lock(&vdev->clients_lock);
	xa_lock(&channels->others);
	channel = __xa_erase(&channels->others, args->channel);
	if (channel) {
		busy = vsm_work_busy(&channel->work);
		moved = vsm_work_moved(&channel->work);
		channels->past_busy += busy;
		channels->past_moved += moved;
	}
	xa_unlock(&channels->others);
	mutex_unlock(&vdev->clients_lock);
	if (!channel)
		return -ENOENT;
	vsm_channel_stop(channel, -ECANCELED);
	xa_lock(&channels->others);
	channels->past_busy += vsm_work_busy(&channel->work) - busy;
	channels->past_moved += vsm_work_moved(&channel->work) - moved;
	xa_unlock(&channels->others);
	vsm_channel_put(channel);
	return 0;
}

int vsm_channel_status_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_client *client = file->driver_priv;
	struct drm_vsm_channel_status *args = data;
	struct vsm_channel *channel;

	if (args->flags & ~DRM_VSM_CHANNEL_STATUS_CLEAR)
		return vsm_invalid(drm, "CHANNEL_STATUS", "flags");
	channel = vsm_channel_find(client, args->channel);
	if (!channel)
		return -ENOENT;
	vsm_jobs_get_reset_status(&channel->jobs, args);
	vsm_channel_put(channel);
	return 0;
}
