// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fence of a job or of a hold. Only these have fences, because the device makes sure that they
 * end. User space decides whether a phase ever completes, so the completion of a phase must never
 * become a fence.
 */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "base/vsm_fence.h"

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
 * but has no RCU for tasks cannot wait for that. In such a kernel no reference is put here, and a
 * module that has had a fence can never be removed.
 */
static void vsm_fence_release(struct dma_fence *fence)
{
	dma_fence_free(fence);
	if (atomic_dec_and_test(&vsm_fences) &&
	    (!IS_ENABLED(CONFIG_PREEMPTION) || IS_ENABLED(CONFIG_TASKS_RCU)))
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

/**
 * vsm_fence_init - Initialise a fence
 * @fence: From vsm_fence_alloc()
 * @timeline: What the fence belongs to, for programs that list fences; a constant
 * @context: Fence context
 * @seqno: Sequence number in the context
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
