// SPDX-License-Identifier: GPL-2.0-only
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
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include <drm/vsm_drm.h>

#include "base/vsm_client.h"
#include "base/vsm_fence.h"
#include "base/vsm_invalid.h"
#include "base/vsm_job_hold.h"
#include "base/vsm_out_fence.h"
#include "vsm_compat.h"
#include "vsm_drv.h"

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
	if (!late)
		vsm_job_hold_signal(hold, error);
	dma_fence_put(hold->fence);
	vsm_quota_free(&client->quota, hold, 1, sizeof(*hold));
	vsm_quota_uncharge(&client->quota, VSM_RES_JOBS, 1);
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

/**
 * vsm_job_holds_stop - End all holds of a client
 * @client: Client, whose file is being closed or whose device is lost (&vsm_device.lost)
 * @error: Error of their fences
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
