/* SPDX-License-Identifier: MIT */
/*
 * The events of a scenario, which runs in a process of its own.
 */
#ifndef _RUN_RECORDING_H_
#define _RUN_RECORDING_H_

#include <stdint.h>
#include <vsm.h>

/* Events of a scenario that the device keeps. */
#define RECORD_EVENTS 65536

/**
 * struct recording - Events of a scenario, in memory that two processes share
 * @count: Number of @events
 * @lost: Number of events before them that the device has not kept
 * @events: Events
 */
struct recording {
	uint64_t count;
	uint64_t lost;
	struct drm_vsm_trace_event events[RECORD_EVENTS];
};

/* Returns memory that this process shares with the processes that it will start. */
struct recording *recording_create(void);
void recording_free(struct recording *recording);
/* Forgets all events. */
void recording_clear(struct recording *recording);
/* Reads the events of a cluster, which was created with RECORD_EVENTS of them. */
int recording_read(struct recording *recording, struct vsm_cluster *cluster);

#endif
