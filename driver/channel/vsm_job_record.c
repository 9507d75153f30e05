// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of jobs.
 */
#include "channel/vsm_job_record.h"
#include "channel/vsm_work.h"

/**
 * vsm_job_record - Record what happens to a job; number the job when it is queued
 * @job: The job
 * @type: What happens
 * @error: Error of the job, or 0
 */
void vsm_job_record(struct vsm_job *job, enum drm_vsm_trace type, int error)
{
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_recorder_is_on(job->origin.recorder))
		return;
	if (type == DRM_VSM_TRACE_JOB_QUEUE)
		job->trace_id = vsm_record_number(job->origin.recorder);
	event = vsm_event_of(&job->origin, type);
	event.id = job->trace_id;
	event.channel = READ_ONCE(job->jobs->work->channel);
	event.error = error;
	if (type == DRM_VSM_TRACE_JOB_QUEUE)
		event.value = job->count;
	vsm_record(job->origin.recorder, &event);
}
