/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs: small operations of threads that a channel performs together.
 */
#ifndef _VSM_RUN_H_
#define _VSM_RUN_H_

#include "copy/vsm_op.h"

/* The most operations that are performed together */
#define VSM_RUN_OPS	16

/*
 * May an operation of a thread or a job be performed together with others? An operation is
 * performed alone if a rule of injection has stopped it, if it has to wait for its time, or if its
 * first attempt found a busy word.
 */
static inline bool vsm_op_can_run(const struct vsm_op *op)
{
	return op->bound && op->moves & VSM_OP_TO_WINDOW && op->drains &&
	       !(op->moved | op->stage) && !op->more && !op->due;
}

u64 vsm_ops_perform_run(struct list_head *run);

#endif
