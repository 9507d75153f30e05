/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists the operations in flight and the jobs of a cluster.
 */
#ifndef _VSM_CHANNEL_STATE_H_
#define _VSM_CHANNEL_STATE_H_

#include "base/vsm_state_list.h"
#include "object/vsm_cluster.h"

struct vsm_op;

void vsm_op_list(const struct vsm_op *op, u32 channel, u32 flags, struct vsm_state *state);
int vsm_channels_list(struct vsm_cluster *cluster, struct vsm_state *state);

#endif
