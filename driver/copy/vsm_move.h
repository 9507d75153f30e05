/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moving the bytes of an operation.
 */
#ifndef _VSM_MOVE_H_
#define _VSM_MOVE_H_

#include <linux/types.h>

struct vsm_op;

void vsm_op_move_to_window(struct vsm_op *op, u32 rank);
void vsm_op_move_to_buffer(struct vsm_op *op);

#endif
