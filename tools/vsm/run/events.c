// SPDX-License-Identifier: MIT
/*
 * Reads the events of the device: faults of asynchronous instructions, and misuse that the cluster
 * only reports.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "run/deadline.h"
#include "run/events.h"
#include "run/outcome.h"

int events_issue(struct events *e, unsigned int line, struct scenario_thread place,
		 const struct drm_vsm_insn *insn)
{
	struct issued *issued;

	pthread_mutex_lock(&e->lock);
	issued = reallocarray(e->issued, e->issued_count + 1, sizeof(*issued));
	if (issued) {
		e->issued = issued;
		issued[e->issued_count++] = (struct issued){ line, place, *insn };
	}
	pthread_mutex_unlock(&e->lock);
	return issued ? 0 : -ENOMEM;
}

size_t events_issued(struct events *e)
{
	size_t count;

	pthread_mutex_lock(&e->lock);
	count = e->issued_count;
	pthread_mutex_unlock(&e->lock);
	return count;
}

/* Returns the line of the instruction that caused an event. */
static unsigned int line_of(struct events *e, const struct drm_vsm_event_fault *event)
{
	unsigned int line = e->report->line;
	size_t i;

	pthread_mutex_lock(&e->lock);
	for (i = 0; i < e->issued_count; i++) {
		const struct issued *issued = &e->issued[i];

		if (issued->place.cta == event->cta && issued->place.thread == event->thread &&
		    !memcmp(&issued->insn, &event->insn, offsetof(struct drm_vsm_insn, result))) {
			line = issued->line;
			break;
		}
	}
	pthread_mutex_unlock(&e->lock);
	return line;
}

static void append(struct events *e, struct event_queue *queue,
		   const struct drm_vsm_event_fault *event)
{
	struct drm_vsm_event_fault *grown;

	grown = reallocarray(queue->events, queue->count + 1, sizeof(*grown));
	if (!grown) {
		report_failure(e->report, e->report->line, "%s", strerror(ENOMEM));
		return;
	}
	queue->events = grown;
	grown[queue->count++] = *event;
}

static void keep(struct events *e, const struct drm_vsm_event_fault *event)
{
	if (event->lost)
		report_failure(e->report, e->report->line,
			       "expected no loss of events, seen %u lost", event->lost);
	if (event->flags & DRM_VSM_EVENT_REPORTED)
		append(e, &e->queues[EVENT_REPORT], event);
	else if (event->source == DRM_VSM_SOURCE_JOB || event->source == DRM_VSM_SOURCE_ASYNC)
		append(e, &e->queues[EVENT_FAULT], event);
	/* A call has also returned all other faults, so their events are not needed. */
}

/*
 * Waits for events and reads some. Returns false if none arrived before the deadline, or on an
 * error.
 */
static bool read_events(struct events *e, int64_t deadline)
{
	struct drm_vsm_event_fault events[8];
	int count, i;

	count = vsm_event_read(e->device, events, ARRAY_SIZE(events), deadline);
	if (count < 0)
		return report_failure(e->report, e->report->line,
				      "expected to read events, seen %s", errno_name(-count));
	for (i = 0; i < count; i++)
		keep(e, &events[i]);
	return count;
}

void events_drain(struct events *e)
{
	while (read_events(e, 0))
		;
}

bool events_next(struct events *e, enum event_kind kind, struct drm_vsm_event_fault *event)
{
	struct event_queue *queue = &e->queues[kind];
	int64_t deadline = deadline_from_now();

	while (!queue->count)
		if (!read_events(e, deadline))
			return false;
	*event = queue->events[0];
	memmove(queue->events, queue->events + 1, --queue->count * sizeof(*event));
	return true;
}

void events_report(struct events *e, enum vsm_layout layout)
{
	const struct event_queue *queue = &e->queues[EVENT_FAULT];
	size_t i;

	for (i = 0; i < queue->count; i++) {
		const struct drm_vsm_event_fault *event = &queue->events[i];
		struct outcome outcome = {
			.err = -EPROTO,
			.insn = event->insn,
			.cta = event->cta,
		};
		char seen[OUTCOME_SIZE];

		report_failure(e->report, line_of(e, event), "expected no fault, seen %s",
			       outcome_text(&outcome, layout, seen));
	}
}
