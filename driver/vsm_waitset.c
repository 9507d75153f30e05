// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wait sets: suspension without a task. A wait is armed on a word and stands in
 * the parking lot, or for a thread that meets others; when it ends it moves to its
 * set's list of ended waits, from where read() takes it.
 *
 * Whoever takes a wait out of the parking lot, under the bucket's lock, or away
 * from its thread, under the lock of its cluster's rendezvous, ends it:
 * the completion of its phase, its deadline, its cancellation, or the closing of
 * the set. All others find it gone.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/ktime.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>

#include <drm/drm_drv.h>

#include "vsm_compat.h"
#include "vsm_guest.h"
#include "base/vsm_uaccess.h"

/* A record without its result, as it was once. */
#define VSM_MIN_RECORD	offsetof(struct drm_vsm_wait_record, result)
#define VSM_MAX_RECORD	256
#define VSM_MAX_SPARE	64

/* The id of a wait is its slot, in the low bits, and how many were armed before it. */
#define VSM_SLOT_BITS	20

/**
 * struct vsm_waitset - A wait set
 * @ref: Held by the file, and by @wake while it is queued
 * @client: Who is charged for the waits; held by the file
 * @record_stride: Bytes of a record in read()
 * @mutex: Protects @waits and the life time of the waits in it
 * @waits: All waits by the slot in their id: armed, ended and spare
 * @spare: Waits whose records have been read, for the next to be armed
 * @spares: How many
 * @armed: Waits ever armed, the high bits of ids, so that an old one names nothing
 * @lock: Protects @ended, @last and @wake
 * @ended: Ended waits whose records have not been read, oldest first
 * @last: Where the next to end is linked
 * @wake: Wakes @readers when no lock is held
 * @readers: Who polls or reads
 * @link: In &vsm_device.waitsets
 */
struct vsm_waitset {
	struct kref ref;
	struct vsm_client *client;
	u32 record_stride;
	struct mutex mutex; /* waits and spare */
	struct xarray waits;
	struct vsm_wait *spare;
	u32 spares;
	u64 armed;
	spinlock_t lock; /* ended, last and wake */
	struct vsm_wait *ended;
	struct vsm_wait **last;
	struct vsm_wake wake;
	wait_queue_head_t readers;
	struct list_head link;
};

/**
 * struct vsm_wait - An armed or ended wait
 * @waiter: Place in the parking lot, if the wait is for a phase
 * @guest: The armed instruction; NULL if the wait is for a phase
 * @set: Its set
 * @bo: Cluster, held; NULL in a spare wait
 * @deadline: When the wait expires, if @timed
 * @timed: The wait has a deadline
 * @user_data: For the record
 * @slot: In &vsm_waitset.waits
 * @id: In the set
 * @status: &enum drm_vsm_wait_status
 * @next: In &vsm_waitset.ended or &vsm_waitset.spare
 */
struct vsm_wait {
	struct vsm_waiter waiter;
	struct vsm_guest *guest;
	struct vsm_waitset *set;
	struct vsm_bo *bo;
	struct vsm_deadline deadline;
	bool timed;
	u64 user_data;
	u64 id;
	u32 slot;
	u32 status;
	struct vsm_wait *next;
};

static const struct file_operations vsm_waitset_fops;

/*
 * No wait of the set will end any more: who sees this and then no record has read
 * all there ever were.
 */
static bool vsm_waitset_hung_up(const struct vsm_waitset *set)
{
	/* Pairs with the release in vsm_device_unplug(). */
	return smp_load_acquire(&set->client->vdev->waits_ended);
}

static void vsm_waitset_free(struct kref *ref)
{
	kfree(container_of(ref, struct vsm_waitset, ref));
}

/* Readers may have gone, and the file with them: then there is nobody to wake. */
static void vsm_waitset_wake(struct vsm_wake *wake)
{
	struct vsm_waitset *set = container_of(wake, struct vsm_waitset, wake);

	/* A wait that ends from here on queues it again; this wakes for those before. */
	spin_lock(&set->lock);
	wake->queued = false;
	spin_unlock(&set->lock);
	/* Pairs with the check after poll_wait() and with wait_event_interruptible(). */
	wake_up_poll(&set->readers, EPOLLIN | EPOLLRDNORM | EPOLLHUP);
	kref_put(&set->ref, vsm_waitset_free);
}

static void vsm_waitset_queue_wake(struct vsm_waitset *set, struct vsm_wakes *wakes)
{
	lockdep_assert_held(&set->lock);
	if (set->wake.queued)
		return;
	set->wake.queued = true;
	kref_get(&set->ref);
	vsm_wakes_add(wakes, &set->wake);
}

/*
 * A wait that has left the parking lot ends. Once a reader can take it, it may be gone, and the
 * set too but for the reference of its wake-up.
 */
static void vsm_wait_end(struct vsm_wait *wait, enum drm_vsm_wait_status status,
			 struct vsm_wakes *wakes)
{
	struct vsm_waitset *set = wait->set;

	wait->status = status;
	spin_lock(&set->lock);
	wait->next = NULL;
	WRITE_ONCE(*set->last, wait);
	set->last = &wait->next;
	vsm_waitset_queue_wake(set, wakes);
	spin_unlock(&set->lock);
}

static enum drm_vsm_wait_status vsm_wait_status(int error)
{
	if (!error)
		return DRM_VSM_WAIT_COMPLETE;
	switch (error) {
	case -ETIMEDOUT:
		return DRM_VSM_WAIT_EXPIRED;
	case -ENODEV:
		return DRM_VSM_WAIT_DEVICE_LOST;
	case -EPROTO:
		return DRM_VSM_WAIT_FAULT;
	default:
		return DRM_VSM_WAIT_CLUSTER_LOST;
	}
}

static void vsm_wait_waiter_end(struct vsm_waiter *waiter, int error, struct vsm_wakes *wakes)
{
	vsm_wait_end(container_of(waiter, struct vsm_wait, waiter), vsm_wait_status(error), wakes);
}

static void vsm_wait_guest_end(struct vsm_rendezvous_waiter *waiter, int error, struct vsm_wakes *wakes)
{
	struct vsm_guest *guest = container_of(waiter, struct vsm_guest, waiter);

	vsm_wait_end(guest->wait, vsm_wait_status(vsm_guest_tell(guest, error, wakes)), wakes);
}

static void vsm_wait_expire(struct vsm_deadline *deadline, struct vsm_wakes *wakes)
{
	struct vsm_wait *wait = container_of(deadline, struct vsm_wait, deadline);

	if (wait->guest)
		vsm_rendezvous_end(&wait->guest->waiter, -ETIMEDOUT, wakes);
	else
		vsm_park_end(&wait->waiter, -ETIMEDOUT, wakes);
}

/* True if it was armed still: then nobody else ends it any more. */
static bool vsm_wait_leave(struct vsm_wait *wait)
{
	return wait->guest ? vsm_rendezvous_leave(&wait->guest->waiter) : vsm_park_leave(&wait->waiter);
}

/* Let go of what an armed wait holds. Nobody else can reach the wait any more. */
static void vsm_wait_disarm(struct vsm_wait *wait)
{
	if (wait->timed)
		vsm_deadline_stop(&wait->deadline);
	if (unlikely(wait->guest)) {
		vsm_guest_free(wait->guest);
		wait->guest = NULL;
	}
	vsm_cluster_remove_waker(wait->bo->cluster);
	vsm_bo_put(wait->bo);
	wait->bo = NULL;
	vsm_client_uncharge(wait->set->client, VSM_RES_WAITS, 1);
}

static void vsm_wait_free(struct vsm_wait *wait)
{
	struct vsm_waitset *set = wait->set;

	lockdep_assert_held(&set->mutex);
	vsm_wait_disarm(wait);
	if (set->spares < VSM_MAX_SPARE) {
		wait->next = set->spare;
		set->spare = wait;
		set->spares++;
	} else {
		xa_erase(&set->waits, wait->slot);
		vsm_client_free(set->client, wait, 1, sizeof(*wait));
	}
}

static struct vsm_wait *vsm_wait_new(struct vsm_waitset *set)
{
	struct vsm_wait *wait;
	int ret;

	lockdep_assert_held(&set->mutex);
	wait = set->spare;
	if (wait) {
		set->spare = wait->next;
		set->spares--;
		return wait;
	}

	wait = vsm_client_alloc(set->client, 1, sizeof(*wait));
	if (IS_ERR(wait))
		return wait;
	ret = xa_alloc(&set->waits, &wait->slot, wait, XA_LIMIT(0, BIT(VSM_SLOT_BITS) - 1),
		       GFP_KERNEL_ACCOUNT);
	if (ret) {
		vsm_client_free(set->client, wait, 1, sizeof(*wait));
		return ERR_PTR(ret == -EBUSY ? -ENOSPC : ret);
	}
	wait->set = set;
	wait->waiter.end = vsm_wait_waiter_end;
	vsm_deadline_init(set->client->vdev, &wait->deadline, vsm_wait_expire);
	return wait;
}

/* Takes over the reference on @bo if it succeeds. */
static struct vsm_wait *vsm_wait_alloc(struct vsm_waitset *set, struct vsm_bo *bo,
				       const struct drm_vsm_wait *args)
{
	struct vsm_wait *wait;
	int ret;

	/* Half a year of arming without a pause: then the set has no id left. */
	if ((set->armed + 1) >> (64 - VSM_SLOT_BITS))
		return ERR_PTR(-ENOSPC);
	ret = vsm_client_charge(set->client, VSM_RES_WAITS, 1);
	if (ret)
		return ERR_PTR(ret);
	wait = vsm_wait_new(set);
	if (IS_ERR(wait)) {
		vsm_client_uncharge(set->client, VSM_RES_WAITS, 1);
		return wait;
	}

	vsm_cluster_add_waker(bo->cluster);
	wait->id = ++set->armed << VSM_SLOT_BITS | wait->slot;
	wait->bo = bo;
	wait->timed = args->deadline >= 0;
	wait->user_data = args->user_data;
	return wait;
}

/* What the operands of a wait for a phase tell alone, as of a try_wait. */
static enum drm_vsm_fault vsm_wait_check(const struct vsm_geometry *geo,
					 const struct drm_vsm_wait *args)
{
	enum drm_vsm_fault fault = vsm_addr_check(geo, args->addr, sizeof(u64), sizeof(u64));

	if (!fault && geo->strict && args->flags & DRM_VSM_WAIT_PARITY && args->state > 1)
		fault = DRM_VSM_FAULT_BAD_PARITY;
	return fault;
}

/* The place of a wait for a phase. */
static void vsm_wait_place(struct vsm_wait *wait, const struct drm_vsm_wait *args)
{
	struct vsm_cluster *cluster = wait->bo->cluster;

	wait->waiter.cluster = cluster;
	wait->waiter.index = vsm_cluster_index(cluster, args->addr);
	wait->waiter.parity = args->flags & DRM_VSM_WAIT_PARITY;
	wait->waiter.state = args->flags & DRM_VSM_WAIT_PARITY ? vsm_mbarrier_parity(args->state)
							       : args->state;
}

/*
 * Tell of a wait that breaks a rule, and was refused or not, as of the try_wait that it stands
 * for.
 */
static void vsm_wait_record(struct drm_file *file, const struct drm_vsm_wait *args,
			    enum drm_vsm_fault fault, u64 word, bool refused)
{
	const struct vsm_report report = { .rules = DRM_VSM_RULE(fault), .word = word };
	struct drm_vsm_insn insn = {
		.op = DRM_VSM_OP_MBARRIER_TRY_WAIT,
		.u.mbarrier.addr = args->addr,
		.result = word,
		.fault = fault,
	};

	if (args->flags & DRM_VSM_WAIT_PARITY) {
		insn.mods = DRM_VSM_MOD_PARITY;
		insn.u.mbarrier.parity = min_t(u64, args->state, U32_MAX);
	} else {
		insn.u.mbarrier.state = args->state;
	}
	if (refused)
		vsm_fault_record(file->driver_priv, DRM_VSM_SOURCE_ARM, args->cluster,
				 vsm_addr_rank(args->addr), 0, &insn);
	else
		vsm_fault_report(file->driver_priv, DRM_VSM_SOURCE_ARM, args->cluster,
				 vsm_addr_rank(args->addr), 0, &insn, &report);
}

/* Armed. It may have ended already, but is freed only under the mutex. */
static inline void vsm_wait_armed(struct vsm_wait *wait, bool complete, s64 deadline,
				  struct vsm_wakes *wakes)
{
	if (complete)
		vsm_wait_end(wait, DRM_VSM_WAIT_COMPLETE, wakes);
	else if (wait->timed && deadline > ktime_to_ns(ktime_get()))
		vsm_deadline_start(&wait->deadline, deadline);
	else if (wait->timed)
		vsm_wait_expire(&wait->deadline, wakes);
}

/* The wait is for a thread that meets others. */
static int vsm_waitset_arm_insn(struct vsm_waitset *set, struct drm_file *file, struct vsm_bo *bo,
				const struct drm_vsm_wait *args, u64 uptr,
				struct vsm_wakes *wakes)
{
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	struct vsm_guest *guest;
	struct vsm_wait *wait;
	int ret;

	lockdep_assert_held(&set->mutex);
	ret = vsm_guest_create(file, args, bo->cluster, &guest, &fault);
	if (ret)
		goto err_store;
	wait = vsm_wait_alloc(set, bo, args);
	if (IS_ERR(wait)) {
		vsm_guest_free(guest);
		return PTR_ERR(wait);
	}
	drm_gem_object_get(&bo->base.base);
	wait->guest = guest;
	guest->wait = wait;
	guest->waiter.end = vsm_wait_guest_end;
	ret = vsm_wait_store(uptr, wait->id, DRM_VSM_FAULT_NONE);
	if (!ret)
		ret = vsm_guest_enter(guest, &fault);
	if (ret < 0) {
		vsm_wait_free(wait);
		goto err_store;
	}

	vsm_wait_armed(wait, ret, args->deadline, wakes);
	return 0;

err_store:
	return vsm_wait_store(uptr, 0, ret == -EPROTO ? fault : DRM_VSM_FAULT_NONE) ? -EFAULT : ret;
}

static int vsm_waitset_arm_one(struct vsm_waitset *set, struct drm_file *file, u64 uptr,
			       struct vsm_wakes *wakes)
{
	struct drm_vsm_wait args;
	enum drm_vsm_fault fault;
	struct vsm_wait *wait;
	struct vsm_bo *bo;
	u64 word;
	int ret;

	lockdep_assert_held(&set->mutex);
	if (vsm_load(&args, uptr, sizeof(args)))
		return -EFAULT;
	if (args.flags & ~DRM_VSM_WAIT_PARITY &&
	    (args.flags & ~DRM_VSM_WAIT_WARP) != DRM_VSM_WAIT_INSN)
		return -EINVAL;

	bo = vsm_cluster_lookup(file, args.cluster);
	if (!bo)
		return -ENOENT;
	if (unlikely(args.flags & DRM_VSM_WAIT_INSN)) {
		ret = vsm_waitset_arm_insn(set, file, bo, &args, uptr, wakes);
		vsm_bo_put(bo);
		return ret;
	}
	fault = vsm_wait_check(&bo->cluster->geo, &args);
	if (fault == DRM_VSM_FAULT_BAD_PARITY && bo->cluster->geo.report & DRM_VSM_RULE(fault)) {
		vsm_wait_record(file, &args, fault, 0, false);
	} else if (fault) {
		vsm_wait_record(file, &args, fault, 0, true);
		ret = vsm_wait_store(uptr, 0, fault) ?: -EPROTO;
		goto err_put;
	}
	wait = vsm_wait_alloc(set, bo, &args);
	if (IS_ERR(wait)) {
		ret = PTR_ERR(wait);
		goto err_put;
	}
	vsm_wait_place(wait, &args);
	ret = vsm_wait_store(uptr, wait->id, DRM_VSM_FAULT_NONE);
	if (ret)
		goto err_free;
	ret = vsm_park_enter(&wait->waiter, &fault, &word);
	if (ret < 0) {
		if (ret == -EPROTO)
			vsm_wait_record(file, &args, fault, word, true);
		if (vsm_wait_store(uptr, 0, ret == -EPROTO ? fault : DRM_VSM_FAULT_NONE))
			ret = -EFAULT;
		goto err_free;
	}

	if (unlikely(fault))
		vsm_wait_record(file, &args, fault, word, false);
	vsm_wait_armed(wait, ret, args.deadline, wakes);
	return 0;

err_free:
	vsm_wait_free(wait);
	bo = NULL;
err_put:
	vsm_bo_put(bo);
	return ret;
}

/* The wait set of a file descriptor, whose file the caller puts. */
static struct file *vsm_waitset_fget(s32 fd, struct vsm_device *vdev)
{
	struct file *filp = fget(fd);
	struct vsm_waitset *set;

	if (!filp)
		return ERR_PTR(-EBADF);
	if (filp->f_op != &vsm_waitset_fops) {
		fput(filp);
		return ERR_PTR(-EBADF);
	}
	set = filp->private_data;
	if (set->client->vdev != vdev) {
		fput(filp);
		return ERR_PTR(-EINVAL);
	}
	return filp;
}

int vsm_waitset_arm_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsm_waitset_arm *args = data;
	struct vsm_wakes wakes = {};
	struct vsm_waitset *set;
	struct file *filp;
	int ret = 0;

	if (args->flags || args->pad || args->stride < VSM_FIRST_WAIT ||
	    (args->stride | args->waits) % sizeof(u64) || args->armed > args->count)
		return -EINVAL;
	if (args->count > VSM_MAX_EXEC)
		return -E2BIG;

	filp = vsm_waitset_fget(args->fd, to_vsm_device(drm));
	if (IS_ERR(filp))
		return PTR_ERR(filp);
	set = filp->private_data;

	if (mutex_lock_interruptible(&set->mutex)) {
		ret = -ERESTARTSYS;
		goto out;
	}
	while (args->armed < args->count) {
		ret = vsm_waitset_arm_one(set, file,
					  args->waits + (u64)args->armed * args->stride, &wakes);
		if (ret)
			break;
		if (++args->armed % VSM_WAKE_BATCH == 0)
			vsm_wakes_run(&wakes);
		if (fatal_signal_pending(current)) {
			ret = -EINTR;
			break;
		}
		if (need_resched())
			cond_resched();
	}
	mutex_unlock(&set->mutex);
	vsm_wakes_run(&wakes);
out:
	fput(filp);
	return ret;
}

int vsm_waitset_cancel_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsm_waitset_cancel *args = data;
	struct vsm_waitset *set;
	struct vsm_wait *wait;
	struct file *filp;
	int ret = -ENOENT;

	if (args->flags)
		return -EINVAL;
	filp = vsm_waitset_fget(args->fd, to_vsm_device(drm));
	if (IS_ERR(filp))
		return PTR_ERR(filp);
	set = filp->private_data;

	if (mutex_lock_interruptible(&set->mutex)) {
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
	fput(filp);
	return ret;
}

/* Takes the oldest ended wait off the list. */
static struct vsm_wait *vsm_waitset_pop(struct vsm_waitset *set)
{
	struct vsm_wait *wait;

	spin_lock(&set->lock);
	wait = set->ended;
	if (wait) {
		WRITE_ONCE(set->ended, wait->next);
		if (!wait->next)
			set->last = &set->ended;
	}
	spin_unlock(&set->lock);
	return wait;
}

/* A record that could not be delivered is the next to be read. */
static void vsm_waitset_unpop(struct vsm_waitset *set, struct vsm_wait *wait)
{
	spin_lock(&set->lock);
	wait->next = set->ended;
	if (!wait->next)
		set->last = &wait->next;
	WRITE_ONCE(set->ended, wait);
	spin_unlock(&set->lock);
}

static ssize_t vsm_waitset_read_records(struct vsm_waitset *set, char __user *buf, size_t size)
{
	size_t known = min_t(size_t, set->record_stride, sizeof(struct drm_vsm_wait_record));
	size_t rest = set->record_stride - known;
	struct vsm_wait *wait;
	ssize_t done = 0;

	lockdep_assert_held(&set->mutex);
	while (size - done >= set->record_stride) {
		struct drm_vsm_wait_record record;

		wait = vsm_waitset_pop(set);
		if (!wait)
			break;
		record.user_data = wait->user_data;
		record.id = wait->id;
		record.status = wait->status;
		record.result = wait->guest ? wait->guest->insn.result : 0;
		if (vsm_record_store((uintptr_t)buf + done, &record, known) ||
		    (rest && clear_user(buf + done + known, rest))) {
			vsm_waitset_unpop(set, wait);
			return done ?: -EFAULT;
		}
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

		if (mutex_lock_interruptible(&set->mutex))
			return -ERESTARTSYS;
		ret = vsm_waitset_read_records(set, buf, size);
		mutex_unlock(&set->mutex);
		if (ret)
			return ret;
		if (hung_up)
			return -ENODEV;
		/* read(), not an ioctl: nobody repeats EAGAIN for ever. */
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(set->readers,
					       READ_ONCE(set->ended) ||
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
	if (READ_ONCE(set->ended))
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
		/* After these lines nobody ends this wait any more. */
		if (wait->bo)
			vsm_wait_leave(wait);
		if (wait->bo && wait->timed)
			vsm_deadline_stop(&wait->deadline);
		cond_resched();
	}
	/* Nor any other: so nobody links a wait to one that is freed here. */
	xa_for_each(&set->waits, slot, wait) {
		if (wait->bo)
			vsm_wait_disarm(wait);
		/* One by one: xa_destroy() would free all nodes with interrupts off. */
		xa_erase(&set->waits, slot);
		vsm_client_free(set->client, wait, 1, sizeof(*wait));
		cond_resched();
	}

	mutex_destroy(&set->mutex);
	vsm_client_put(set->client);
	kref_put(&set->ref, vsm_waitset_free);
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
		return -EINVAL;

	set = kzalloc(sizeof(*set), GFP_KERNEL_ACCOUNT);
	if (!set)
		return -ENOMEM;
	kref_init(&set->ref);
	set->wake.wake = vsm_waitset_wake;
	set->client = vsm_client_get(file->driver_priv);
	set->record_stride = args->record_stride;
	mutex_init(&set->mutex);
	xa_init_flags(&set->waits, XA_FLAGS_ALLOC);
	spin_lock_init(&set->lock);
	set->last = &set->ended;
	init_waitqueue_head(&set->readers);
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
		kfree(set);
		drm_dev_put(drm);
		return fd;
	}
	args->fd = fd;
	return 0;
}

/**
 * vsm_waitset_kill - Tell the readers of all sets that the device is gone
 * @vdev: Device; lost, and its waits ended
 */
void vsm_waitset_kill(struct vsm_device *vdev)
{
	struct vsm_wakes wakes = {};
	struct vsm_waitset *set;
	unsigned int count = 0;
	LIST_HEAD(left);

	spin_lock(&vdev->waitsets_lock);
	/* A set may be closed while it is in this list. */
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
