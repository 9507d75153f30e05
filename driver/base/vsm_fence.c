// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fences of jobs and of holds, and the syncobjs that get them.
 */
#include <linux/atomic.h>
#include <linux/dma-fence-chain.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include <drm/drm_syncobj.h>
#include <drm/vsm_drm.h>

#include "base/vsm_client.h"
#include "base/vsm_fault.h"
#include "base/vsm_fence.h"
#include "vsm_compat.h"
#include "vsm_drv.h"

/* --- fences ---------------------------------------------------------------------- */

/*
 * The fence of a job or of a hold. Only these have fences, because the device makes sure that they
 * end. User space decides whether a phase ever completes, so the completion of a phase must never
 * become a fence.
 */

/*
 * The number of fences of all devices. While there is any, the module has one reference on itself:
 * a syncobj or a sync file of another driver may keep a fence after the last file has been closed,
 * and then calls the ops of this file.
 */
static atomic_t vsm_fences;

/* A fence may outlive its channel, its device and every open file. */
struct vsm_fence {
	struct dma_fence base;
	spinlock_t lock; /* passed to dma_fence_init() */
	const char *timeline;
};

static const char *vsm_fence_driver_name(struct dma_fence *fence)
{
	return "vsm";
}

static const char *vsm_fence_timeline_name(struct dma_fence *fence)
{
	return container_of(fence, struct vsm_fence, base)->timeline;
}

/*
 * The module may be removed as soon as its last reference is put, even before this function has
 * returned. vsm_fence_exit() therefore waits until it has. A kernel that can preempt this function
 * but has no RCU for tasks cannot wait for that. In such a kernel fences only add up, and a module
 * that has had a fence can never be removed.
 */
static void vsm_fence_release(struct dma_fence *fence)
{
	dma_fence_free(fence);
	if ((!IS_ENABLED(CONFIG_PREEMPTION) || IS_ENABLED(CONFIG_TASKS_RCU)) &&
	    atomic_dec_and_test(&vsm_fences))
		module_put(THIS_MODULE);
}

static const struct dma_fence_ops vsm_fence_ops = {
	.get_driver_name = vsm_fence_driver_name,
	.get_timeline_name = vsm_fence_timeline_name,
	.release = vsm_fence_release,
};

/**
 * vsm_fence_alloc - Allocate memory for a fence
 *
 * Return: A fence for vsm_fence_init() or vsm_fence_drop(), or NULL.
 */
struct dma_fence *vsm_fence_alloc(void)
{
	struct vsm_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);

	BUILD_BUG_ON(offsetof(struct vsm_fence, base));
	return fence ? &fence->base : NULL;
}

/*
 * Initialise a fence.
 * @fence: From vsm_fence_alloc()
 * @timeline: What the fence belongs to, for programs that list fences; a constant
 */
void vsm_fence_init(struct dma_fence *fence, const char *timeline, u64 context, u64 seqno)
{
	struct vsm_fence *f = container_of(fence, struct vsm_fence, base);

	/* The caller's file still has a reference on the module. */
	if (atomic_inc_return(&vsm_fences) == 1)
		__module_get(THIS_MODULE);
	spin_lock_init(&f->lock);
	f->timeline = timeline;
	dma_fence_init(fence, &vsm_fence_ops, &f->lock, context, seqno);
}

/**
 * vsm_fence_drop - Free a fence that has not been initialised
 * @fence: From vsm_fence_alloc()
 */
void vsm_fence_drop(struct dma_fence *fence)
{
	kfree(container_of(fence, struct vsm_fence, base));
}

/**
 * vsm_fence_exit - Wait until no task or interrupt executes code of a fence
 *
 * This is called when the module is removed. No reference on a fence is left then. But a task or an
 * interrupt that has put the last one may still be in vsm_fence_release(). A task has left that
 * function when it has slept or returned to user space. An interrupt has left it when its processor
 * has passed a quiescent state. This function waits for both.
 */
void vsm_fence_exit(void)
{
	synchronize_rcu_tasks();
}

/* --- syncobjs -------------------------------------------------------------------- */

/*
 * Syncobjs that get a fence. What can fail happens before the fence exists.
 */

/*
 * Prepare a syncobj for a fence.
 * @out: What is prepared, for vsm_out_fence_put(); undefined after an error
 * @file: File that the handle belongs to
 * @point: Point of a timeline, or 0 for a binary syncobj
 *
 * Returns 0, -ENOENT or -ENOMEM.
 */
int vsm_out_fence_get(struct vsm_out_fence *out, struct drm_file *file, u32 handle, u64 point)
{
	*out = (struct vsm_out_fence) {
		.syncobj = drm_syncobj_find(file, handle),
		.point = point,
	};
	if (!out->syncobj)
		return -ENOENT;
	if (!point)
		return 0;
	out->chain = dma_fence_chain_alloc();
	if (out->chain)
		return 0;
	drm_syncobj_put(out->syncobj);
	return -ENOMEM;
}

/**
 * vsm_out_fence_attach - Give the fence to the syncobj
 * @out: From vsm_out_fence_get()
 * @fence: The fence; the syncobj takes a reference of its own
 */
void vsm_out_fence_attach(struct vsm_out_fence *out, struct dma_fence *fence)
{
	if (out->chain)
		drm_syncobj_add_point(out->syncobj, out->chain, fence, out->point);
	else
		drm_syncobj_replace_fence(out->syncobj, fence);
	out->chain = NULL;
}

/* Free what vsm_out_fence_get() has prepared, whether or not the syncobj has got a fence. */
void vsm_out_fence_put(struct vsm_out_fence *out)
{
	dma_fence_chain_free(out->chain);
	drm_syncobj_put(out->syncobj);
}

/* --- holds ----------------------------------------------------------------------- */

/*
 * Holds: fences that signal when the program says so. A job that has such a fence as an in-fence
 * waits until the hold ends.
 *
 * Other programs and the kernel may wait for the fence, so the driver does not rely on the program:
 * a timer ends the hold at its deadline, and the close of the file and the loss of the device end
 * it too. A hold ends once. These four can happen at the same time, and are ordered as follows:
 *
 * - Release, close and loss first take the hold out of &vsm_client.holds, under the lock of this
 *   array. Only one of them finds the hold there, and this one alone goes on.
 * - It then cancels the timer and waits until the timer's function does not run any more. After
 *   that the timer has either ended the hold or never will, and nobody else knows the hold: the
 *   owner reads &vsm_job_hold.late, ends the hold if it is still held, and frees it.
 */

/* The largest errno that a program may choose: later ones are for use inside the kernel. */
#define VSM_LAST_ERRNO	EHWPOISON

/**
 * struct vsm_job_hold - A fence that a program holds
 * @timer: Ends the hold at its deadline
 * @fence: The fence, with a reference
 * @late: @timer has ended the hold; read when @timer has been cancelled
 */
struct vsm_job_hold {
	struct hrtimer timer;
	struct dma_fence *fence;
	bool late;
};

static void vsm_job_hold_signal(struct vsm_job_hold *hold, int error)
{
	if (error)
		dma_fence_set_error(hold->fence, error);
	dma_fence_signal(hold->fence);
}

/* This runs in an interrupt. The callbacks of a fence must be able to run there in any case. */
static enum hrtimer_restart vsm_job_hold_timer(struct hrtimer *timer)
{
	struct vsm_job_hold *hold = container_of(timer, struct vsm_job_hold, timer);

	hold->late = true;
	vsm_job_hold_signal(hold, -ETIMEDOUT);
	return HRTIMER_NORESTART;
}

static struct vsm_job_hold *vsm_job_hold_create(struct vsm_client *client)
{
	struct vsm_job_hold *hold;
	int ret;

	ret = vsm_quota_charge(&client->quota, VSM_RES_JOBS, 1);
	if (ret)
		return ERR_PTR(ret);
	hold = vsm_quota_alloc(&client->quota, 1, sizeof(*hold));
	if (IS_ERR(hold)) {
		ret = PTR_ERR(hold);
		goto err_uncharge;
	}
	hold->fence = vsm_fence_alloc();
	if (!hold->fence) {
		ret = -ENOMEM;
		goto err_free;
	}
	vsm_fence_init(hold->fence, "hold", dma_fence_context_alloc(1), 1);
	hrtimer_setup(&hold->timer, vsm_job_hold_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	return hold;

err_free:
	vsm_quota_free(&client->quota, hold, 1, sizeof(*hold));
err_uncharge:
	vsm_quota_uncharge(&client->quota, VSM_RES_JOBS, 1);
	return ERR_PTR(ret);
}

/*
 * End a hold that nobody else can find, unless its time is over, and free it. Returns 0, or
 * -ETIMEDOUT if its time was over.
 */
static int vsm_job_hold_end(struct vsm_client *client, struct vsm_job_hold *hold, int error)
{
	bool late;

	hrtimer_cancel(&hold->timer);
	late = hold->late;
	/* Before the signal, as for a job: whoever hears of the end can make the next hold. */
	vsm_quota_uncharge(&client->quota, VSM_RES_JOBS, 1);
	if (!late)
		vsm_job_hold_signal(hold, error);
	dma_fence_put(hold->fence);
	vsm_quota_free(&client->quota, hold, 1, sizeof(*hold));
	return late ? -ETIMEDOUT : 0;
}

/*
 * Take out the first hold with at least this number. A number that is only reserved stays: the task
 * that has reserved it needs it.
 */
static struct vsm_job_hold *vsm_job_hold_take(struct vsm_client *client, unsigned long number,
					      unsigned long last)
{
	struct vsm_job_hold *hold;

	xa_lock(&client->holds);
	hold = xa_find(&client->holds, &number, last, XA_PRESENT);
	if (hold)
		__xa_erase(&client->holds, number);
	xa_unlock(&client->holds);
	return hold;
}

/*
 * End all holds of a client.
 * @client: Client, whose file is being closed or whose device is lost (&vsm_device.lost)
 *
 * When this returns, the client has no hold, and cannot create another one.
 */
void vsm_job_holds_stop(struct vsm_client *client, int error)
{
	struct vsm_job_hold *hold;

	while ((hold = vsm_job_hold_take(client, 0, ULONG_MAX))) {
		vsm_job_hold_end(client, hold, error);
		cond_resched();
	}
}

/*
 * Publish a hold under a number that is reserved. Either the device is lost already, or
 * vsm_job_holds_stop() takes the lock later, finds the hold and ends it.
 */
static int vsm_job_hold_publish(struct vsm_client *client, struct vsm_job_hold *hold, u32 number)
{
	bool lost;

	xa_lock(&client->holds);
	lost = READ_ONCE(client->vdev->lost);
	if (lost)
		__xa_erase(&client->holds, number);
	else
		/* This needs no memory, because the number is reserved. */
		__xa_store(&client->holds, number, hold, 0);
	xa_unlock(&client->holds);
	return lost ? -ENODEV : 0;
}

static ktime_t vsm_job_hold_deadline(s64 deadline)
{
	s64 most = ktime_to_ns(ktime_get()) + DRM_VSM_HOLD_NS;

	return ns_to_ktime(deadline ? clamp(deadline, (s64)1, most) : most);
}

int vsm_hold_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_client *client = file->driver_priv;
	struct drm_vsm_hold_create *args = data;
	struct vsm_job_hold *hold;
	struct vsm_out_fence out;
	struct dma_fence *fence;
	int ret;

	if (args->flags || args->pad)
		return vsm_invalid(drm, "HOLD_CREATE", args->flags ? "flags" : "pad");
	if (args->point && !vsm_device_has(client->vdev, DRM_VSM_FEATURE_CHANNELS))
		return -EOPNOTSUPP;
	ret = vsm_out_fence_get(&out, file, args->handle, args->point);
	if (ret)
		return ret;
	hold = vsm_job_hold_create(client);
	if (IS_ERR(hold)) {
		ret = PTR_ERR(hold);
		goto out_put;
	}
	ret = xa_alloc(&client->holds, &args->hold, NULL, xa_limit_31b, GFP_KERNEL);
	if (ret) {
		vsm_job_hold_end(client, hold, ret);
		goto out_put;
	}

	/* Once published, the hold may be released and freed before its fence is in the syncobj. */
	fence = dma_fence_get(hold->fence);
	hrtimer_start(&hold->timer, vsm_job_hold_deadline(args->deadline), HRTIMER_MODE_ABS);
	ret = vsm_job_hold_publish(client, hold, args->hold);
	if (ret)
		vsm_job_hold_end(client, hold, ret);
	else
		vsm_out_fence_attach(&out, fence);
	dma_fence_put(fence);
out_put:
	vsm_out_fence_put(&out);
	return ret == -EBUSY ? -ENOSPC : ret;
}

int vsm_hold_release_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_client *client = file->driver_priv;
	struct drm_vsm_hold_release *args = data;
	struct vsm_job_hold *hold;

	/* libdrm repeats a call that fails with one of these two. */
	if (args->error > VSM_LAST_ERRNO || args->error == EAGAIN || args->error == EINTR)
		return vsm_invalid(drm, "HOLD_RELEASE", "error");
	hold = vsm_job_hold_take(client, args->hold, args->hold);
	return hold ? vsm_job_hold_end(client, hold, -(int)args->error) : -ENOENT;
}
