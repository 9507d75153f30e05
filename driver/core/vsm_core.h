/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules of the device: pure functions that look at an instruction and a
 * word and say what happens. They neither sleep nor lock nor allocate, and
 * compile in the kernel and on the host alike.
 */
#ifndef _VSM_CORE_H_
#define _VSM_CORE_H_

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/kernel.h>
#else
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#endif

#include <drm/vsm_drm.h>

#define VSM_MAX_CTAS	16
#define VSM_MAX_THREADS	1024
#define VSM_MAX_SMEM	(227 * 1024)
#define VSM_WARP_SIZE	32

/**
 * struct vsm_geometry - What the rules need to know of a cluster
 * @ctas: CTAs
 * @threads: Threads of a CTA
 * @smem_bytes: Bytes of a CTA's window
 * @layout: Layout of its mbarrier words
 * @strict: Misuse is checked beyond what silicon checks
 */
struct vsm_geometry {
	__u32 ctas;
	__u32 threads;
	__u32 smem_bytes;
	enum vsm_layout layout;
	bool strict;
};

static inline __u32 vsm_addr_rank(__u32 addr)
{
	return addr >> VSM_SHARED_RANK_SHIFT;
}

static inline __u32 vsm_addr_offset(__u32 addr)
{
	return addr & ((1U << VSM_SHARED_RANK_SHIFT) - 1);
}

bool vsm_geometry_valid(const struct vsm_geometry *geo);

/**
 * vsm_addr_check - Is a range of cluster shared memory there and aligned?
 * @geo: Geometry of the cluster
 * @addr: Cluster shared address
 * @size: Bytes
 * @align: Alignment, a power of two
 */
static inline enum drm_vsm_fault vsm_addr_check(const struct vsm_geometry *geo, __u32 addr,
						__u32 size, __u32 align)
{
	if (addr & (align - 1))
		return DRM_VSM_FAULT_MISALIGNED;
	if (vsm_addr_rank(addr) >= geo->ctas || size > geo->smem_bytes ||
	    vsm_addr_offset(addr) > geo->smem_bytes - size)
		return DRM_VSM_FAULT_OUT_OF_WINDOW;
	return DRM_VSM_FAULT_NONE;
}

int vsm_insn_check(const struct vsm_geometry *geo, __u32 cta,
		   const struct drm_vsm_insn *insn, enum drm_vsm_fault *fault);
bool vsm_insn_can_queue(const struct drm_vsm_insn *insn);

/* Does the instruction move data? */
static inline bool vsm_insn_is_copy(const struct drm_vsm_insn *insn)
{
	return insn->op == DRM_VSM_OP_CP_ASYNC_BULK_G2S || insn->op == DRM_VSM_OP_CP_ASYNC_BULK_S2G;
}

#endif
