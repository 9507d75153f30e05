/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels that vsm builds on, 6.1 and newer.
 */
#ifndef _VSM_COMPAT_H_
#define _VSM_COMPAT_H_

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/timer.h>
#include <linux/version.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_gem_shmem_helper.h>
#include <drm/drm_prime.h>

/*
 * Map a GEM object into the kernel. The caller holds no lock of the object. In 6.1 the shmem helper
 * takes a lock of its own. Later kernels have a function that takes the object's reservation; 6.16
 * renamed it.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define vsm_gem_vmap	drm_gem_shmem_object_vmap
#define vsm_gem_vunmap	drm_gem_shmem_object_vunmap
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define vsm_gem_vmap	drm_gem_vmap_unlocked
#define vsm_gem_vunmap	drm_gem_vunmap_unlocked
#else
#define vsm_gem_vmap	drm_gem_vmap
#define vsm_gem_vunmap	drm_gem_vunmap
#endif

/*
 * Map a dma-buf into the kernel. The caller holds no lock of the dma-buf. 6.1 takes the lock of the
 * dma-buf, later kernels take its reservation.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define vsm_dma_buf_vmap	dma_buf_vmap
#define vsm_dma_buf_vunmap	dma_buf_vunmap
#else
#define vsm_dma_buf_vmap	dma_buf_vmap_unlocked
#define vsm_dma_buf_vunmap	dma_buf_vunmap_unlocked
#endif

/* A local variable that the compiler does not clear. 6.1.100 and 6.9 have this name. */
#ifndef __uninitialized
#if __has_attribute(__uninitialized__)
#define __uninitialized __attribute__((__uninitialized__))
#else
#define __uninitialized
#endif
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define VSM_IMPORT_NS(ns) MODULE_IMPORT_NS(ns)
#else
#define VSM_IMPORT_NS(ns) MODULE_IMPORT_NS(#ns)
#endif

/* The file of a struct fd. Before 6.12 it was a member. */
#ifndef fd_file
#define fd_file(f)	((f).file)
#endif

/* Keep mremap() from making a mapping larger. The mmap() of a driver calls this. */
static inline void vsm_vma_keep_size(struct vm_area_struct *vma)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	vma->vm_flags |= VM_DONTEXPAND;
#else
	vm_flags_set(vma, VM_DONTEXPAND);
#endif
}

/* Before 6.6 a driver without these members has no PRIME, and its dma-bufs have no mmap(). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define VSM_PRIME_OPS \
	.prime_handle_to_fd = drm_gem_prime_handle_to_fd, \
	.prime_fd_to_handle = drm_gem_prime_fd_to_handle, \
	.gem_prime_mmap = drm_gem_prime_mmap,
#else
#define VSM_PRIME_OPS
#endif

#ifdef FOP_UNSIGNED_OFFSET
#define VSM_FOP_FLAGS .fop_flags = FOP_UNSIGNED_OFFSET,
#else
#define VSM_FOP_FLAGS
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define VSM_DRIVER_DATE .date = "20261121",
#else
#define VSM_DRIVER_DATE
#endif

/*
 * The names of a fence. The caller has a reference on the fence and is in a read-side critical
 * section of RCU, which newer kernels need.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
static inline const char *vsm_fence_driver(struct dma_fence *fence)
{
	return fence->ops->get_driver_name(fence);
}

static inline const char *vsm_fence_timeline(struct dma_fence *fence)
{
	return fence->ops->get_timeline_name(fence);
}
#else
static inline const char *vsm_fence_driver(struct dma_fence *fence)
{
	return (__force const char *)dma_fence_driver_name(fence);
}

static inline const char *vsm_fence_timeline(struct dma_fence *fence)
{
	return (__force const char *)dma_fence_timeline_name(fence);
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#define vsm_timer_delete_sync	del_timer_sync
#else
#define vsm_timer_delete_sync	timer_delete_sync
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* The uevent() of a device_type gets a const device since 6.3. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define VSM_UEVENT_CONST
#else
#define VSM_UEVENT_CONST	const
#endif

/*
 * Tell user space that the device is lost, and that it can be bound again. The DRM core has a
 * function for this since 6.15, which got an argument in 6.17. Older kernels send the same event
 * from here.
 */
static inline int vsm_wedged_event(struct drm_device *drm)
{
#if !defined(DRM_WEDGE_RECOVERY_REBIND)
	char *env[2] = { "WEDGED=rebind" };

	return kobject_uevent_env(&drm->primary->kdev->kobj, KOBJ_CHANGE, env);
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
	return drm_dev_wedged_event(drm, DRM_WEDGE_RECOVERY_REBIND);
#else
	return drm_dev_wedged_event(drm, DRM_WEDGE_RECOVERY_REBIND, NULL);
#endif
}

#endif
