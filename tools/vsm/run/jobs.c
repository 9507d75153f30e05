// SPDX-License-Identifier: MIT
/*
 * Jobs on copy channels.
 */
#include <errno.h>
#include <stdlib.h>

#include "run/deadline.h"
#include "run/jobs.h"

int jobs_channel(struct jobs *j, unsigned int channel, uint32_t *number)
{
	int err = 0;

	pthread_mutex_lock(&j->lock);
	if (channel && !j->channels[channel])
		err = vsm_channel_create(j->device, 0, &j->channels[channel]);
	*number = j->channels[channel];
	pthread_mutex_unlock(&j->lock);
	return err;
}

int jobs_add(struct jobs *j, const struct statement *statement, struct scenario_thread place,
	     uint32_t syncobj)
{
	struct job *jobs;

	pthread_mutex_lock(&j->lock);
	jobs = reallocarray(j->jobs, j->count + 1, sizeof(*jobs));
	if (jobs) {
		j->jobs = jobs;
		jobs[j->count++] = (struct job){
			.statement = statement,
			.place = place,
			.syncobj = syncobj,
		};
	}
	pthread_mutex_unlock(&j->lock);
	return jobs ? 0 : -ENOMEM;
}

int jobs_status(struct jobs *j, unsigned int thread)
{
	size_t i = j->count;

	while (i--) {
		struct job *job = &j->jobs[i];

		if (job->statement->threads[0] != thread)
			continue;
		job->expected = true;
		return vsm_syncobj_wait(j->device, job->syncobj, 0, deadline_from_now());
	}
	return -ENOENT;
}

void jobs_expect(struct jobs *j, const struct drm_vsm_event_fault *event)
{
	size_t i;

	if (event->source != DRM_VSM_SOURCE_JOB)
		return;
	for (i = 0; i < j->count; i++) {
		struct job *job = &j->jobs[i];

		if (job->place.cta == event->cta && job->place.thread == event->thread)
			job->expected = true;
	}
}

static void report_job(struct jobs *j, const struct job *job)
{
	unsigned int line = job->statement->line;

	if (job->err == -ETIME)
		report_failure(j->report, line,
			       "expected the job to end, seen that it has not within %u s",
			       TIME_LIMIT);
	else if (job->err && !job->expected)
		report_failure(j->report, line,
			       "expected the job to succeed, seen that it ended with %s",
			       errno_name(-job->err));
}

void jobs_wait(struct jobs *j, struct events *events)
{
	const struct event_queue *faults = &events->queues[EVENT_FAULT];
	size_t i;

	for (i = 0; i < j->count; i++)
		j->jobs[i].err =
			vsm_syncobj_wait(j->device, j->jobs[i].syncobj, 0, deadline_from_now());
	/*
	 * The event of a fault exists before its job ends. An unexpected fault of a job is
	 * therefore reported once, by its event, and not a second time by the status of the job.
	 */
	events_drain(events);
	for (i = 0; i < faults->count; i++)
		jobs_expect(j, &faults->events[i]);
	for (i = 0; i < j->count; i++)
		report_job(j, &j->jobs[i]);
}
