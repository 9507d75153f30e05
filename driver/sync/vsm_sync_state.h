/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists who waits in a cluster, and for what.
 */
#ifndef _VSM_SYNC_STATE_H_
#define _VSM_SYNC_STATE_H_

#include "base/vsm_state_list.h"
#include "object/vsm_cluster.h"

int vsm_park_list(struct vsm_cluster *cluster, struct vsm_state *state);
void vsm_rendezvous_list(struct vsm_cluster *cluster, struct vsm_state *state);
void vsm_group_list(struct vsm_cluster *cluster, struct vsm_state *state);

#endif
