// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wait sets: the file, from which programs poll and read the records of waits that have ended.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>

#include "base/vsm_invalid.h"
#include "base/vsm_uaccess.h"
#include "vsm_arm.h"
#include "vsm_drv.h"
#include "vsm_exec.h"
#include "vsm_inject_call.h"
#include "vsm_wait.h"
#include "vsm_waitset.h"

/* The first version of a record had no result. */
#define VSM_MIN_RECORD	offsetof(struct drm_vsm_wait_record, result)
#define VSM_MAX_RECORD	256

static const struct file_operations vsm_waitset_fops;

/*
 * Is it certain that no further wait of the set will end, because the device is gone? A reader that
 * finds this true, and then finds no record, has read all records.
 */
static bool vsm_waitset_hung_up(const struct vsm_waitset *set)
{
	/* Pairs with the release in vsm_device_kill_waits(). */
	return smp_load_acquire(&set->client->vdev->waits_ended);
}

/* The wait set of a file that a call has named, or an error code as a pointer. */
static inline struct vsm_waitset *vsm_waitset_of(struct file *filp, struct vsm_device *vdev)
{
	struct vsm_waitset *set;

	if (!filp || filp->f_op != &vsm_waitset_fops)
		return ERR_PTR(-EBADF);
	set = filp->private_data;
	if (set->client->vdev != vdev)
		return ERR_PTR(vsm_invalid(&vdev->drm, "WAITSET", "fd: a set of another device"));
	return set;
}

static noinline int vsm_arm_invalid(struct drm_device *drm, const struct drm_vsm_waitset_arm *args)
{
	return vsm_invalid(drm, "WAITSET_ARM",
			   args->flags ? "flags" : args->pad ? "pad" :
			   args->stride < VSM_FIRST_WAIT || args->stride % sizeof(u64) ? "stride" :
			   args->waits % sizeof(u64) ? "waits: not a multiple of 8" :
						       "armed: above count");
}

/*
 * Lock the mutex of a set. If it is free, mutex_trylock() costs half as much as
 * mutex_lock_interruptible().
 */
static inline int vsm_waitset_lock(struct vsm_waitset *set)
{
	return mutex_trylock(&set->mutex) ? 0 : mutex_lock_interruptible(&set->mutex);
}

int vsm_waitset_arm_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsm_waitset_arm *args = data;
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_wakes wakes = {};
	struct vsm_waitset *set;
	struct fd fd;
	int ret;

	if (args->flags || args->pad || args->stride < VSM_FIRST_WAIT ||
	    (args->stride | args->waits) % sizeof(u64) || args->armed > args->count)
		return vsm_arm_invalid(drm, args);
	if (args->count > VSM_MAX_EXEC)
		return -E2BIG;
	ret = vsm_client_inject(file->driver_priv, DRM_VSM_INJECT_ARM);
	if (ret)
		return ret;

	fd = fdget(args->fd);
	set = vsm_waitset_of(fd_file(fd), vdev);
	if (IS_ERR(set)) {
		ret = vsm_device_has(vdev, DRM_VSM_FEATURE_WAITSET) ? PTR_ERR(set) : -EOPNOTSUPP;
		goto out;
	}
	if (vsm_waitset_lock(set)) {
		ret = -ERESTARTSYS;
		goto out;
	}
	ret = vsm_waits_arm(set, file, args, &wakes);
	mutex_unlock(&set->mutex);
	vsm_wakes_run(&wakes);
out:
	fdput(fd);
	return ret;
}

int vsm_waitset_cancel_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsm_waitset_cancel *args = data;
	struct vsm_waitset *set;
	struct vsm_wait *wait;
	int ret = -ENOENT;
	struct fd fd;

	if (args->flags)
		return vsm_invalid(drm, "WAITSET_CANCEL", "flags");
	fd = fdget(args->fd);
	set = vsm_waitset_of(fd_file(fd), to_vsm_device(drm));
	if (IS_ERR(set)) {
		ret = PTR_ERR(set);
		goto out;
	}
	if (vsm_waitset_lock(set)) {
		ret = -ERESTARTSYS;
		goto out;
	}
	wait = xa_load(&set->waits, args->id & (BIT(VSM_SLOT_BITS) - 1));
	if (wait && wait->bo && wait->id == args->id && vsm_wait_leave(wait)) {
		vsm_wait_free(wait);
		ret = 0;
	}
	mutex_unlock(&set->mutex);
out:
	fdput(fd);
	return ret;
}

/* Is there a record to read? */
static inline bool vsm_waitset_has_record(const struct vsm_waitset *set)
{
	/* Pairs with the release in vsm_waitset_oldest(): who finds @ended empty sees @unread. */
	return smp_load_acquire(&set->ended) || READ_ONCE(set->unread);
}

/* The oldest ended wait whose record has not been read, or NULL. */
static inline struct vsm_wait *vsm_waitset_oldest(struct vsm_waitset *set)
{
	lockdep_assert_held(&set->mutex);
	if (set->unread || !READ_ONCE(set->ended))
		return set->unread;
	/* Take all waits out of the list at once. */
	spin_lock(&set->lock);
	WRITE_ONCE(set->unread, set->ended);
	/* Pairs with the acquire in vsm_waitset_has_record(). */
	smp_store_release(&set->ended, NULL);
	set->last = &set->ended;
	spin_unlock(&set->lock);
	return set->unread;
}

static ssize_t vsm_waitset_read_records(struct vsm_waitset *set, char __user *buf, size_t size)
{
	size_t known = min_t(size_t, set->record_stride, sizeof(struct drm_vsm_wait_record));
	size_t rest = set->record_stride - known;
	struct vsm_wait *wait;
	ssize_t done = 0;

	while (size - done >= set->record_stride && (wait = vsm_waitset_oldest(set))) {
		struct drm_vsm_wait_record record = {
			.user_data = wait->user_data,
			.id = wait->id,
			.status = wait->status,
			.result = wait->insn ? wait->insn->result : 0,
		};

		/* A record that cannot be stored is the next to be read. */
		if (vsm_record_store((uintptr_t)buf + done, &record, known) ||
		    (rest && clear_user(buf + done + known, rest))) {
			done = done ?: -EFAULT;
			break;
		}
		WRITE_ONCE(set->unread, wait->next);
		done += set->record_stride;
		vsm_wait_free(wait);
		if (need_resched())
			cond_resched();
	}
	return done;
}

static ssize_t vsm_waitset_read(struct file *filp, char __user *buf, size_t size, loff_t *pos)
{
	struct vsm_waitset *set = filp->private_data;
	ssize_t ret;

	if (size < set->record_stride)
		return -EINVAL;

	for (;;) {
		bool hung_up = vsm_waitset_hung_up(set);

		if (vsm_waitset_lock(set))
			return -ERESTARTSYS;
		ret = vsm_waitset_read_records(set, buf, size);
		mutex_unlock(&set->mutex);
		if (ret)
			return ret;
		if (hung_up)
			return -ENODEV;
		/*
		 * EAGAIN is safe here: programs do not repeat read() at once, as libdrm does with
		 * ioctls.
		 */
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(set->readers,
					       vsm_waitset_has_record(set) ||
					       vsm_waitset_hung_up(set));
		if (ret)
			return ret;
	}
}

static __poll_t vsm_waitset_poll(struct file *filp, poll_table *table)
{
	struct vsm_waitset *set = filp->private_data;
	__poll_t events = 0;

	poll_wait(filp, &set->readers, table);
	/* Pairs with vsm_waitset_queue_wake(). poll_wait() of older kernels has no barrier. */
	smp_mb();
	if (vsm_waitset_has_record(set))
		events |= EPOLLIN | EPOLLRDNORM;
	if (vsm_waitset_hung_up(set))
		events |= EPOLLHUP;
	return events;
}

static int vsm_waitset_release(struct inode *inode, struct file *filp)
{
	struct vsm_waitset *set = filp->private_data;
	struct vsm_device *vdev = set->client->vdev;
	struct vsm_wait *wait;
	unsigned long slot;

	spin_lock(&vdev->waitsets_lock);
	list_del(&set->link);
	spin_unlock(&vdev->waitsets_lock);

	xa_for_each(&set->waits, slot, wait) {
		/* Keep every other event from ending this wait. */
		if (wait->bo)
			vsm_wait_leave(wait);
		if (wait->bo && wait->timed)
			vsm_deadline_stop(&wait->deadline);
		cond_resched();
	}
	/*
	 * No wait can end any more. Only now can they be freed: a wait that ends is linked to the
	 * wait that ended before it.
	 */
	xa_for_each(&set->waits, slot, wait) {
		if (wait->bo)
			vsm_wait_disarm(wait);
		/* Erase one by one: xa_destroy() would free all nodes with interrupts off. */
		xa_erase(&set->waits, slot);
		vsm_quota_free(&set->client->quota, wait, 1, sizeof(*wait));
		cond_resched();
	}

	mutex_destroy(&set->mutex);
	vsm_client_put(set->client);
	vsm_waitset_put(set);
	drm_dev_put(&vdev->drm);
	return 0;
}

static const struct file_operations vsm_waitset_fops = {
	.owner = THIS_MODULE,
	.read = vsm_waitset_read,
	.poll = vsm_waitset_poll,
	.release = vsm_waitset_release,
	.llseek = noop_llseek,
};

int vsm_waitset_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsm_waitset_create *args = data;
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_waitset *set;
	int fd;

	if (args->flags & ~DRM_VSM_WAITSET_NONBLOCK || args->pad ||
	    args->record_stride < VSM_MIN_RECORD ||
	    args->record_stride > VSM_MAX_RECORD || args->record_stride % sizeof(u64))
		return vsm_invalid(drm, "WAITSET_CREATE",
				   args->flags & ~DRM_VSM_WAITSET_NONBLOCK ? "flags" :
				   args->pad ? "pad" : "record_stride");

	set = kzalloc(sizeof(*set), GFP_KERNEL_ACCOUNT);
	if (!set)
		return -ENOMEM;
	vsm_waitset_init(set);
	set->client = vsm_client_get(file->driver_priv);
	set->record_stride = args->record_stride;
	drm_dev_get(drm);

	spin_lock(&vdev->waitsets_lock);
	list_add(&set->link, &vdev->waitsets);
	spin_unlock(&vdev->waitsets_lock);

	fd = anon_inode_getfd("[vsm-waitset]", &vsm_waitset_fops, set,
			      O_RDONLY | O_CLOEXEC |
			      (args->flags & DRM_VSM_WAITSET_NONBLOCK ? O_NONBLOCK : 0));
	if (fd < 0) {
		spin_lock(&vdev->waitsets_lock);
		list_del(&set->link);
		spin_unlock(&vdev->waitsets_lock);
		vsm_client_put(set->client);
		mutex_destroy(&set->mutex);
		/*
		 * Only the reference is put here: if the device has been unplugged, the wake-up of
		 * the set may be queued.
		 */
		vsm_waitset_put(set);
		drm_dev_put(drm);
		return fd;
	}
	args->fd = fd;
	return 0;
}

/**
 * vsm_waitset_kill - Wake the readers of all wait sets, because the device has gone
 * @vdev: Device that is lost and whose waits have ended
 */
void vsm_waitset_kill(struct vsm_device *vdev)
{
	struct vsm_wakes wakes = {};
	struct vsm_waitset *set;
	unsigned int count = 0;
	LIST_HEAD(left);

	spin_lock(&vdev->waitsets_lock);
	/* The lock is dropped below, and a set may then be closed while it is in this list. */
	list_splice_init(&vdev->waitsets, &left);
	while (!list_empty(&left)) {
		set = list_first_entry(&left, struct vsm_waitset, link);
		list_move_tail(&set->link, &vdev->waitsets);
		spin_lock(&set->lock);
		vsm_waitset_queue_wake(set, &wakes);
		spin_unlock(&set->lock);
		if (++count % VSM_WAKE_BATCH)
			continue;
		spin_unlock(&vdev->waitsets_lock);
		vsm_wakes_run(&wakes);
		cond_resched();
		spin_lock(&vdev->waitsets_lock);
	}
	spin_unlock(&vdev->waitsets_lock);
	vsm_wakes_run(&wakes);
}
