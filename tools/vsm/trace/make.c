// SPDX-License-Identifier: MIT
/*
 * Makes a timeline from the events of a trace.
 */
#include "trace/build.h"
#include "trace/channel.h"
#include "trace/mbarrier.h"
#include "trace/warp.h"

static bool is_lost(const struct drm_vsm_trace_event *event)
{
	return event->type == DRM_VSM_TRACE_CLUSTER_LOST ||
	       event->type == DRM_VSM_TRACE_DEVICE_LOST;
}

static void add_event(struct build *b, size_t event)
{
	switch (event_at(b, event)->type) {
	case DRM_VSM_TRACE_INSN:
		mbarrier_add(b, event, warp_add(b, event, SLICE_INSN));
		break;
	case DRM_VSM_TRACE_COMMIT:
		warp_add(b, event, SLICE_INSN);
		break;
	case DRM_VSM_TRACE_PHASE:
		mbarrier_complete(b, event);
		break;
	case DRM_VSM_TRACE_SUSPEND:
	case DRM_VSM_TRACE_WAIT_ARM:
		warp_begin_wait(b, event);
		mbarrier_add(b, event, NO_SLICE);
		break;
	case DRM_VSM_TRACE_RESUME:
	case DRM_VSM_TRACE_WAIT_END:
		warp_end_wait(b, event);
		break;
	case DRM_VSM_TRACE_ARRIVE:
		warp_add(b, event, SLICE_ARRIVE);
		break;
	case DRM_VSM_TRACE_RELEASE:
		warp_release(b, event);
		break;
	case DRM_VSM_TRACE_COPY_ISSUE:
	case DRM_VSM_TRACE_COPY_BEGIN:
	case DRM_VSM_TRACE_COPY_END:
		channel_add_copy(b, event);
		break;
	case DRM_VSM_TRACE_COPY_DELIVER:
		mbarrier_add(b, event, NO_SLICE);
		break;
	case DRM_VSM_TRACE_JOB_QUEUE:
	case DRM_VSM_TRACE_JOB_BEGIN:
	case DRM_VSM_TRACE_JOB_END:
		channel_add_job(b, event);
		break;
	case DRM_VSM_TRACE_CHANNEL_RESET:
		channel_add_reset(b, event);
		break;
	case DRM_VSM_TRACE_FAULT:
		warp_add(b, event, SLICE_FAULT);
		break;
	}
}

void timeline_make(struct timeline *timeline, const struct trace *trace)
{
	struct build b = { .trace = trace };
	size_t i;

	if (trace->count) {
		b.start = trace->events[0].time;
		b.length = trace->events[trace->count - 1].time - b.start;
	}
	for (i = 0; i < trace->count; i++)
		add_event(&b, i);
	for (i = 0; i < trace->count; i++)
		if (is_lost(&trace->events[i]))
			warp_add_loss(&b, i);
	mbarrier_finish(&b);
	channel_finish(&b);
	build_finish(&b, timeline);
}
