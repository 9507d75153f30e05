// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injection of failures into calls.
 */
#include "object/vsm_bo.h"
#include "object/vsm_cluster.h"
#include "sync/vsm_kill.h"
#include "vsm_inject_call.h"

int vsm_client_inject_slow(struct vsm_client *client, enum drm_vsm_inject_where where)
{
	const struct vsm_inject_at at = { .client = client, .where = where };
	struct vsm_injection injection;

	return vsm_inject_call(&at, &injection);
}

int vsm_cluster_inject_slow(struct vsm_client *client, enum drm_vsm_inject_where where,
			    struct vsm_bo *bo, u32 channel)
{
	const struct vsm_inject_at at = {
		.client = client,
		.where = where,
		.channel = channel,
		.number = bo->cluster->number,
		.cluster = bo->cluster,
	};
	struct vsm_injection injection;
	int ret = vsm_inject_call(&at, &injection);

	if (ret && injection.what == DRM_VSM_INJECT_LOSE_CLUSTER)
		vsm_cluster_kill(bo->cluster);
	return ret;
}
