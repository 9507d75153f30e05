/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an operation needs, and what it moves.
 */
#ifndef _VSM_PREPARE_H_
#define _VSM_PREPARE_H_

#include "copy/vsm_op.h"

/* What an operation does: where from, where to, and how. */
#define VSM_FROM_BUFFER	BIT(0)
#define VSM_FROM_WINDOW	BIT(1)
#define VSM_TO_BUFFER	BIT(2)
#define VSM_TO_WINDOW	BIT(3)
#define VSM_COMPLETES	BIT(4)	/* by complete-tx on an mbarrier */
#define VSM_REDUCES	BIT(5)
#define VSM_TENSOR	BIT(6)

u32 vsm_op_extra(const struct vsm_cluster *cluster, const struct drm_vsm_insn *insn);
int vsm_op_prepare(struct vsm_op *op, struct vsm_bo_cache *cache);
void vsm_op_unprepare(struct vsm_op *op);

#endif
