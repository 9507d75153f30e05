/* SPDX-License-Identifier: MIT */
/*
 * Reads the events of the device: faults of asynchronous instructions, and misuse that the cluster
 * only reports.
 */
#ifndef _RUN_EVENTS_H_
#define _RUN_EVENTS_H_

#include <pthread.h>

#include "run/report.h"
#include "scenario/scenario.h"

/* Kinds of events for which there are expectations. */
enum event_kind {
	EVENT_FAULT,	/* a fault that no call has returned */
	EVENT_REPORT,	/* misuse that the cluster only reports */
	EVENT_KINDS,
};

/**
 * struct issued - An asynchronous instruction
 * @line: Line of the instruction
 * @place: Thread that issued it
 * @insn: The instruction as it was issued
 */
struct issued {
	unsigned int line;
	struct scenario_thread place;
	struct drm_vsm_insn insn;
};

/**
 * struct event_queue - Events of one kind that no expectation has used yet
 * @events: The events
 * @count: Number of events
 */
struct event_queue {
	struct drm_vsm_event_fault *events;
	size_t count;
};

/**
 * struct events - Events of the device
 * @device: The device
 * @report: Receives failures
 * @lock: Protects @issued and @issued_count
 * @issued: Asynchronous instructions, which may fault at any later time
 * @issued_count: Number of these instructions
 * @queues: Events that were read, in a queue for each kind
 */
struct events {
	struct vsm_device *device;
	struct report *report;
	pthread_mutex_t lock;
	struct issued *issued;
	size_t issued_count;
	struct event_queue queues[EVENT_KINDS];
};

/* Records an asynchronous instruction before a thread issues it. Returns 0 or -ENOMEM. */
int events_issue(struct events *events, unsigned int line, struct scenario_thread place,
		 const struct drm_vsm_insn *insn);
/* Returns the number of asynchronous instructions that were issued. */
size_t events_issued(struct events *events);
/* Reads all events that the device has now. */
void events_drain(struct events *events);
/*
 * Removes the next event of a kind from its queue. Returns false if there is none within the time
 * limit.
 */
bool events_next(struct events *events, enum event_kind kind, struct drm_vsm_event_fault *event);
/* Reports as failures all faults that no expectation has used. */
void events_report(struct events *events, enum vsm_layout layout);

#endif
