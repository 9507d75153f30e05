/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs: small operations of threads that a channel performs together.
 */
#ifndef _VSM_RUN_H_
#define _VSM_RUN_H_

#include <linux/types.h>

struct vsm_op;

bool vsm_op_can_run(const struct vsm_op *op);
u64 vsm_ops_perform_run(struct list_head *run);

#endif
