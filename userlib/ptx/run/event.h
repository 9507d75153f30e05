/* SPDX-License-Identifier: MIT */
/*
 * Events of the device: asynchronous operations that broke a rule when they completed.
 */
#ifndef _PTX_RUN_EVENT_H_
#define _PTX_RUN_EVENT_H_

#include "run/state.h"

/*
 * Reads the events of the context's device, and records them as faults of the launches that they
 * belong to. Several workers may call it.
 */
void ptx_event_read(struct vsm_ptx_context *context);
/*
 * Waits until the asynchronous operations of a cluster have ended, and records what the device
 * reports about them.
 */
void ptx_cluster_drain(struct ptx_cluster *cluster);
/* Events of a cluster are found from the first call until the second one. */
void ptx_event_remember(struct ptx_cluster *cluster);
void ptx_event_forget(struct ptx_cluster *cluster);

#endif
