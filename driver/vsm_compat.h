/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels that vsm builds on, 6.1 and newer.
 */
#ifndef _VSM_COMPAT_H_
#define _VSM_COMPAT_H_

#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/timer.h>
#include <linux/version.h>

#include <drm/drm_gem.h>
#include <drm/drm_gem_shmem_helper.h>
#include <drm/drm_prime.h>

/*
 * A kernel mapping of a GEM object, by a caller that holds no lock of it: 6.1
 * has a lock of its own for that in the shmem helper, later kernels a function
 * that takes the object's reservation, renamed in 6.16.
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

/* That of a dma-buf, likewise: 6.1 had but one lock for it, later kernels the reservation. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define vsm_dma_buf_vmap	dma_buf_vmap
#define vsm_dma_buf_vunmap	dma_buf_vunmap
#else
#define vsm_dma_buf_vmap	dma_buf_vmap_unlocked
#define vsm_dma_buf_vunmap	dma_buf_vunmap_unlocked
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define VSM_IMPORT_NS(ns) MODULE_IMPORT_NS(ns)
#else
#define VSM_IMPORT_NS(ns) MODULE_IMPORT_NS(#ns)
#endif

/* No mremap() makes a mapping larger. To be called from mmap(). */
static inline void vsm_vma_keep_size(struct vm_area_struct *vma)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	vma->vm_flags |= VM_DONTEXPAND;
#else
	vm_flags_set(vma, VM_DONTEXPAND);
#endif
}

/* Before 6.6 a driver had to ask for mmap() of its dma-bufs and for PRIME itself. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define VSM_PRIME_OPS \
	.prime_handle_to_fd = drm_gem_prime_handle_to_fd, \
	.prime_fd_to_handle = drm_gem_prime_fd_to_handle, \
	.gem_prime_mmap = drm_gem_prime_mmap,
#else
#define VSM_PRIME_OPS
#endif

/* From 6.18 on a handle can be given another number, without a word to the driver. */
#define VSM_HANDLES_STAY (LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0))

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

#endif
