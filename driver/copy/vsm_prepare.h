/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Preparation of an operation: its buffer, its tensor map and its bounds.
 */
#ifndef _VSM_PREPARE_H_
#define _VSM_PREPARE_H_

#include "copy/vsm_op.h"
#include "object/vsm_handle.h"

u32 vsm_op_more_bytes(const struct vsm_cluster *cluster, const struct drm_vsm_insn *insn);
int vsm_op_prepare(struct vsm_op *op, struct vsm_bo_cache *cache);
void vsm_op_unprepare(struct vsm_op *op);

/**
 * vsm_op_extra - Memory that an operation needs in addition to its &struct vsm_op
 * @cluster: Cluster
 * @insn: Checked instruction
 *
 * Return: Bytes.
 */
static inline u32 vsm_op_extra(const struct vsm_cluster *cluster, const struct drm_vsm_insn *insn)
{
	/* A tensor copy has its number of dimensions in &drm_vsm_insn.red, which is not 0 then. */
	if (likely(!(insn->mods & DRM_VSM_MOD_MULTICAST) && !insn->red))
		return 0;
	return vsm_op_more_bytes(cluster, insn);
}

#endif
