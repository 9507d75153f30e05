/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who may see what a client does: readers of the state and of the flight recorder of a cluster that
 * several clients share.
 */
#ifndef _VSM_VIEWER_H_
#define _VSM_VIEWER_H_

#include <linux/xarray.h>

#include <drm/vsm_trace.h>

#include "base/vsm_client.h"

/**
 * struct vsm_viewer - Who reads
 * @client: Client of the reader; NULL if @all is true
 * @all: The reader sees all clients
 */
struct vsm_viewer {
	const struct vsm_client *client;
	bool all;
};

/**
 * struct vsm_sharers - Clients that have had a handle of a cluster with a flight recorder
 * @owner: Client that has created the cluster; NULL if there is no flight recorder
 * @others: The other clients, by number, with a reference on each: events name them after their
 *	files have been closed
 * @count: Number of @others
 */
struct vsm_sharers {
	const struct vsm_client *owner;
	struct xarray others;
	atomic_t count;
};

struct vsm_viewer vsm_viewer_of(const struct vsm_client *client);
bool vsm_viewer_sees(const struct vsm_viewer *viewer, const struct vsm_client *client);

void vsm_sharers_init(struct vsm_sharers *sharers);
void vsm_sharers_fini(struct vsm_sharers *sharers);
int vsm_sharers_add(struct vsm_sharers *sharers, struct vsm_client *client);
void vsm_sharers_hide(struct vsm_sharers *sharers, const struct vsm_viewer *viewer,
		      struct drm_vsm_trace_event *events, u32 count);

#endif
