/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Injection of failures into asynchronous operations.
 */
#ifndef _VSM_OP_INJECT_H_
#define _VSM_OP_INJECT_H_

#include "copy/vsm_op.h"

#define VSM_OP_PLACES	(BIT(DRM_VSM_INJECT_COPY) | BIT(DRM_VSM_INJECT_COMPLETE))

/* The operation is performed later, at &vsm_op.due. This is no error code. */
#define VSM_OP_LATER	2

int vsm_op_perform_injected(struct vsm_op *op, u32 channel);

/* Must vsm_op_perform_injected() perform the operation? */
static inline bool vsm_op_is_injected(const struct vsm_op *op)
{
	return vsm_injects(op->origin.client, VSM_OP_PLACES) || unlikely(op->stage);
}

/* The operation is not due yet. Does it wait for the end of a hang that is over? */
static inline bool vsm_op_is_released(const struct vsm_op *op)
{
	return unlikely(op->injection.rule) &&
	       !vsm_injection_lasts(op->origin.client, &op->injection);
}

#endif
