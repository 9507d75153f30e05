/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reductions of cp.reduce.async.bulk, cp.reduce.async.bulk.tensor and red.async: which exist,
 * and what they do to memory. They compute with integers only, because the kernel does not use the
 * floating point unit.
 */
#ifndef _VSM_REDUCE_H_
#define _VSM_REDUCE_H_

#include "vsm_core.h"

/**
 * enum vsm_reduce_where - Which instruction reduces, and where the result is
 * @VSM_REDUCE_GLOBAL: cp.reduce.async.bulk.global (PTX 9.7.9.25.4.2)
 * @VSM_REDUCE_SHARED: cp.reduce.async.bulk.shared::cluster (PTX 9.7.9.25.4.2)
 * @VSM_REDUCE_TENSOR: cp.reduce.async.bulk.tensor, whose type comes from the tensor map (PTX
 *	9.7.9.25.5.3)
 * @VSM_REDUCE_RED_ASYNC: red.async.relaxed.cluster (PTX 9.7.13.7)
 */
enum vsm_reduce_where {
	VSM_REDUCE_GLOBAL,
	VSM_REDUCE_SHARED,
	VSM_REDUCE_TENSOR,
	VSM_REDUCE_RED_ASYNC,
};

bool vsm_reduce_valid(__u8 red, enum vsm_reduce_where where);
__u32 vsm_reduce_size(__u8 red);
void vsm_reduce(__u8 red, void *to, const void *from, __u32 size);

#endif
