/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Injection of failures into calls.
 */
#ifndef _VSM_INJECT_CALL_H_
#define _VSM_INJECT_CALL_H_

#include "base/vsm_inject.h"

struct vsm_bo;

int vsm_client_inject_slow(struct vsm_client *client, enum drm_vsm_inject_where where);
int vsm_cluster_inject_slow(struct vsm_client *client, enum drm_vsm_inject_where where,
			    struct vsm_bo *bo, u32 channel);

/**
 * vsm_client_inject - Does a call of a client fail, or wait, because a rule says so?
 * @client: Client
 * @where: What the call does
 *
 * Return: 0 if the call goes on, or the error with which it fails.
 */
static inline int vsm_client_inject(struct vsm_client *client, enum drm_vsm_inject_where where)
{
	return vsm_injects(client, BIT(where)) ? vsm_client_inject_slow(client, where) : 0;
}

/**
 * vsm_cluster_inject - The same for a call that names a cluster, which a rule may kill
 * @client: Client
 * @where: What the call does
 * @bo: The cluster
 * @channel: Channel, if the call names one
 *
 * Return: 0 if the call goes on, or the error with which it fails.
 */
static inline int vsm_cluster_inject(struct vsm_client *client, enum drm_vsm_inject_where where,
				     struct vsm_bo *bo, u32 channel)
{
	return vsm_injects(client, BIT(where)) ?
			vsm_cluster_inject_slow(client, where, bo, channel) : 0;
}

#endif
