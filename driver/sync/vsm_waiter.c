// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of waits. The callers ask vsm_recorder_is_on() before.
 */
#include "sync/vsm_waiter.h"

/* An event about the threads that wait. */
struct drm_vsm_trace_event vsm_waiter_event(const struct vsm_waiter *waiter)
{
	struct drm_vsm_trace_event event = vsm_event_of(waiter->origin, DRM_VSM_TRACE_SUSPEND);

	/* No thread waits in an armed wait for a phase. */
	if (waiter->armed && !waiter->origin->lanes)
		event.lanes = 0;
	return event;
}

/**
 * vsm_record_wait - Record that a wait begins
 * @waiter: The waiter; gets the number of the wait
 * @event: The event, from vsm_waiter_event()
 */
void vsm_record_wait(struct vsm_waiter *waiter, struct drm_vsm_trace_event *event)
{
	event->type = waiter->armed ? DRM_VSM_TRACE_WAIT_ARM : DRM_VSM_TRACE_SUSPEND;
	event->id = vsm_record_number(waiter->origin->recorder);
	vsm_record(waiter->origin->recorder, event);
	waiter->number = event->id;
	waiter->recorded = event->time;
}

/**
 * vsm_record_wait_end - Record that a wait ends
 * @waiter: The waiter
 * @event: The event, from vsm_waiter_event()
 * @error: Error with which the wait ends, or 0
 */
void vsm_record_wait_end(struct vsm_waiter *waiter, struct drm_vsm_trace_event *event, int error)
{
	event->type = waiter->armed ? DRM_VSM_TRACE_WAIT_END : DRM_VSM_TRACE_RESUME;
	event->id = waiter->number;
	event->cause = error ? 0 : vsm_number_shown(waiter->cause);
	event->error = error;
	if (waiter->number)
		event->value = ktime_get_ns() - waiter->recorded;
	vsm_record(waiter->origin->recorder, event);
}
