// SPDX-License-Identifier: MIT
/*
 * What happens after the instruction that asked for it: jobs and fault events.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "play.h"

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

static bool keep(struct play *p, const struct drm_vsm_event_fault *event)
{
	struct drm_vsm_event_fault *events;

	if (event->lost)
		play_fail(p, p->last_line, "expected no loss of events, seen %u lost",
			  event->lost);
	if (!is_news(event))
		return true;
	if (event->source == DRM_VSM_SOURCE_JOB)
		p->job_faults++;
	events = reallocarray(p->events, p->event_count + 1, sizeof(*events));
	if (!events)
		return play_fail(p, p->last_line, "%s", strerror(ENOMEM));
	p->events = events;
	events[p->event_count++] = *event;
	return true;
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

bool events_next(struct play *p, struct drm_vsm_event_fault *event)
{
	int64_t deadline = play_deadline();

	while (!p->event_count)
		if (!read_events(p, deadline))
			return false;
	*event = p->events[0];
	p->event_count--;
	memmove(p->events, p->events + 1, p->event_count * sizeof(*event));
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

int job_add(struct play *p, const struct statement *statement, uint32_t syncobj)
{
	struct job *job = malloc(sizeof(*job));
	struct job **jobs;
	int index = -ENOMEM;

	if (!job)
		return -ENOMEM;
	*job = (struct job){ .statement = statement, .syncobj = syncobj };
	pthread_mutex_lock(&p->lock);
	jobs = reallocarray(p->jobs, p->job_count + 1, sizeof(*jobs));
	if (jobs) {
		p->jobs = jobs;
		index = p->job_count++;
		jobs[index] = job;
	}
	pthread_mutex_unlock(&p->lock);
	if (!jobs)
		free(job);
	return index;
}

struct job *job_at(struct play *p, size_t index)
{
	struct job *job;

	pthread_mutex_lock(&p->lock);
	job = index < p->job_count ? p->jobs[index] : NULL;
	pthread_mutex_unlock(&p->lock);
	return job;
}

int job_wait(struct play *p, struct job *job)
{
	if (!job->done) {
		job->err = vsm_syncobj_wait(p->device, job->syncobj, play_deadline());
		job->done = true;
	}
	return job->err;
}

bool jobs_wait(struct play *p)
{
	unsigned int faults = 0;
	bool good = true;
	struct job *job;
	size_t i;

	for (i = 0; (job = job_at(p, i)); i++) {
		bool known = job->done;
		int err = job_wait(p, job);

		faults += err == -EPROTO;
		if (known || !err || err == -EPROTO)
			continue;
		good = false;
		if (err == -ETIME)
			play_fail(p, job->statement->line,
				  "expected the copy to end, seen that it has not within %u s",
				  PATIENCE);
		else
			play_fail(p, job->statement->line,
				  "expected the copy to succeed, seen that it ended with %s",
				  errno_name(-err));
	}
	if (!faults)
		return good;
	/* Events say which fault it was; they come before the fence. */
	events_drain(p);
	if (p->job_faults < faults)
		return play_fail(p, p->last_line,
				 "expected an event for each copy that faulted, seen %u for %u",
				 p->job_faults, faults);
	return good;
}
