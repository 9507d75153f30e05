/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of asynchronous operations. The callers ask vsm_is_recording() before.
 */
#ifndef _VSM_OP_RECORD_H_
#define _VSM_OP_RECORD_H_

#include "copy/vsm_op.h"

void vsm_op_record_issue(struct vsm_op *op, u64 job);
void vsm_op_record_begin(struct vsm_op *op, u32 channel);
void vsm_op_record_end(const struct vsm_op *op, int error);

#endif
