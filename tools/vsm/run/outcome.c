// SPDX-License-Identifier: MIT
/*
 * What the statements of a scenario lead to: outcomes of instructions, events of the device, jobs
 * on copy channels. Failures are reported, and nothing is waited for without a limit.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "names.h"
#include "run/outcome.h"

/* --- failures ------------------------------------------------------------- */

bool report_failure(struct report *report, unsigned int line, const char *format, ...)
{
	va_list args;

	report->failures++;
	fprintf(report->out, "%u%c", line, 0);
	va_start(args, format);
	vfprintf(report->out, format, args);
	va_end(args);
	fputc('\0', report->out);
	return false;
}

/* --- the time limit ------------------------------------------------------- */

int64_t deadline_from_now(void)
{
	return time_now() + TIME_LIMIT * 1000000000LL;
}

/* --- outcomes ------------------------------------------------------------- */

int refuse(struct outcome *outcome, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(outcome->note, sizeof(outcome->note), format, args);
	va_end(args);
	return err;
}

const char *outcome_of(const struct outcome *outcome, char text[OF_SIZE])
{
	text[0] = '\0';
	if (outcome->several)
		snprintf(text, OF_SIZE, " of %u.%u", outcome->cta, outcome->thread);
	return text;
}

const char *outcome_text(const struct outcome *outcome, enum vsm_layout layout,
			 char text[OUTCOME_SIZE])
{
	char message[OUTCOME_SIZE - 64];

	if (!outcome->err) {
		snprintf(text, OUTCOME_SIZE, "success");
	} else if (outcome->note[0]) {
		snprintf(text, OUTCOME_SIZE, "%s: %s", errno_name(-outcome->err), outcome->note);
	} else if (outcome->err == -EPROTO && outcome->insn.fault) {
		vsm_fault_message(layout, outcome->cta, &outcome->insn, message, sizeof(message));
		snprintf(text, OUTCOME_SIZE, "fault %s: %s", vsm_fault_name(outcome->insn.fault),
			 message);
	} else {
		snprintf(text, OUTCOME_SIZE, "errno %s", errno_name(-outcome->err));
	}
	return text;
}

/* --- events of the device ------------------------------------------------- */

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

/* --- jobs on copy channels ------------------------------------------------ */

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
