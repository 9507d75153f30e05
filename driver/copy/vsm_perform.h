/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Issue, completion and drop of an operation.
 */
#ifndef _VSM_PERFORM_H_
#define _VSM_PERFORM_H_

struct vsm_op;

int vsm_op_begin(struct vsm_op *op);
unsigned long vsm_op_targets(const struct vsm_op *op);
int vsm_op_move_to_windows(struct vsm_op *op);
int vsm_op_perform(struct vsm_op *op);
void vsm_op_drop(struct vsm_op *op);

#endif
