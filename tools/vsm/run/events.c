// SPDX-License-Identifier: MIT
/*
 * What happens after the instruction that asked for it: fault events and jobs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "run/state.h"

int async_issue(struct actor *actor, unsigned int line, const struct drm_vsm_insn *insn)
{
	struct play *p = actor->play;
	struct issued *issued;

	pthread_mutex_lock(&p->lock);
	issued = reallocarray(p->issued, p->issued_count + 1, sizeof(*issued));
	if (issued) {
		p->issued = issued;
		issued[p->issued_count++] = (struct issued){
			.line = line,
			.place = actor->place,
			.insn = *insn,
		};
	}
	pthread_mutex_unlock(&p->lock);
	return issued ? 0 : -ENOMEM;
}

bool async_any(struct play *p)
{
	bool any;

	pthread_mutex_lock(&p->lock);
	any = p->issued_count;
	pthread_mutex_unlock(&p->lock);
	return any;
}

/* Line of what faulted: the event has the instruction as it was issued. */
static unsigned int line_of(struct play *p, const struct drm_vsm_event_fault *event)
{
	unsigned int line = p->last_line;
	size_t i;

	pthread_mutex_lock(&p->lock);
	for (i = 0; i < p->issued_count; i++) {
		const struct issued *issued = &p->issued[i];

		if (issued->place.cta == event->cta && issued->place.thread == event->thread &&
		    !memcmp(&issued->insn, &event->insn, offsetof(struct drm_vsm_insn, result))) {
			line = issued->line;
			break;
		}
	}
	pthread_mutex_unlock(&p->lock);
	return line;
}

/* What a call has returned as well is no news. */
static bool is_news(const struct drm_vsm_event_fault *event)
{
	return event->source == DRM_VSM_SOURCE_JOB || event->source == DRM_VSM_SOURCE_ASYNC;
}

static bool append(struct play *p, struct drm_vsm_event_fault **events, size_t *count,
		   const struct drm_vsm_event_fault *event)
{
	struct drm_vsm_event_fault *grown = reallocarray(*events, *count + 1, sizeof(*grown));

	if (!grown)
		return play_fail(p, p->last_line, "%s", strerror(ENOMEM));
	*events = grown;
	grown[(*count)++] = *event;
	return true;
}

static void pop(struct drm_vsm_event_fault *events, size_t *count,
		struct drm_vsm_event_fault *event)
{
	*event = events[0];
	memmove(events, events + 1, --*count * sizeof(*event));
}

static bool keep(struct play *p, const struct drm_vsm_event_fault *event)
{
	if (event->lost)
		play_fail(p, p->last_line, "expected no loss of events, seen %u lost",
			  event->lost);
	if (event->flags & DRM_VSM_EVENT_REPORTED)
		return append(p, &p->reports, &p->report_count, event);
	return !is_news(event) || append(p, &p->events, &p->event_count, event);
}

/* Returns whether there was one, of whatever kind. */
static bool read_events(struct play *p, int64_t deadline)
{
	struct drm_vsm_event_fault events[8];
	int count, i;

	count = vsm_event_read(p->device, events, ARRAY_SIZE(events), deadline);
	if (count < 0)
		return play_fail(p, p->last_line, "expected to read events, seen %s",
				 errno_name(-count));
	for (i = 0; i < count; i++)
		keep(p, &events[i]);
	return count;
}

void events_drain(struct play *p)
{
	while (read_events(p, 0))
		;
}

/* A job whose fault is told of need not be told of itself. */
static void tell_jobs(struct play *p, const struct drm_vsm_event_fault *event)
{
	size_t i;

	if (event->source != DRM_VSM_SOURCE_JOB)
		return;
	for (i = 0; i < p->job_count; i++) {
		const struct scenario_thread *t =
			&p->scenario->threads[p->jobs[i].statement->threads[0]];

		if (t->cta == event->cta && t->thread == event->thread)
			p->jobs[i].told = true;
	}
}

bool events_next(struct play *p, struct drm_vsm_event_fault *event)
{
	int64_t deadline = play_deadline();

	while (!p->event_count)
		if (!read_events(p, deadline))
			return false;
	pop(p->events, &p->event_count, event);
	tell_jobs(p, event);
	return true;
}

bool reports_next(struct play *p, struct drm_vsm_event_fault *event)
{
	int64_t deadline = play_deadline();

	while (!p->report_count)
		if (!read_events(p, deadline))
			return false;
	pop(p->reports, &p->report_count, event);
	return true;
}

void events_report(struct play *p)
{
	size_t i;

	for (i = 0; i < p->event_count; i++) {
		const struct drm_vsm_event_fault *event = &p->events[i];
		struct outcome outcome = {
			.err = -EPROTO,
			.insn = event->insn,
			.cta = event->cta,
		};
		char seen[OUTCOME_SIZE];

		play_fail(p, line_of(p, event), "expected no fault, seen %s",
			  outcome_text(p, &outcome, seen));
	}
}

int channel_find(struct play *p, unsigned int channel, uint32_t *number)
{
	int err = 0;

	pthread_mutex_lock(&p->lock);
	if (channel && !p->channels[channel])
		err = vsm_channel_create(p->device, 0, &p->channels[channel]);
	*number = p->channels[channel];
	pthread_mutex_unlock(&p->lock);
	return err;
}

int job_add(struct play *p, const struct statement *statement, uint32_t syncobj)
{
	struct job *jobs;

	pthread_mutex_lock(&p->lock);
	jobs = reallocarray(p->jobs, p->job_count + 1, sizeof(*jobs));
	if (jobs) {
		p->jobs = jobs;
		jobs[p->job_count++] = (struct job){ .statement = statement, .syncobj = syncobj };
	}
	pthread_mutex_unlock(&p->lock);
	return jobs ? 0 : -ENOMEM;
}

int job_status(struct play *p, unsigned int thread)
{
	size_t i = p->job_count;

	while (i--) {
		struct job *job = &p->jobs[i];

		if (job->statement->threads[0] != thread)
			continue;
		job->told = true;
		return vsm_syncobj_wait(p->device, job->syncobj, play_deadline());
	}
	return -ENOENT;
}

void jobs_wait(struct play *p)
{
	size_t i;

	for (i = 0; i < p->job_count; i++)
		p->jobs[i].err = vsm_syncobj_wait(p->device, p->jobs[i].syncobj, play_deadline());
	/* Events say which fault it was; they come before the fence. */
	events_drain(p);
	for (i = 0; i < p->event_count; i++)
		tell_jobs(p, &p->events[i]);
	for (i = 0; i < p->job_count; i++) {
		const struct job *job = &p->jobs[i];
		unsigned int line = job->statement->line;

		if (job->err == -ETIME)
			play_fail(p, line,
				  "expected the job to end, seen that it has not within %u s",
				  PATIENCE);
		else if (job->err && !job->told)
			play_fail(p, line,
				  "expected the job to succeed, seen that it ended with %s",
				  errno_name(-job->err));
	}
}
