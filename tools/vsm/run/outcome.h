/* SPDX-License-Identifier: MIT */
/*
 * What the statements of a scenario lead to: outcomes of instructions, events of the device, jobs
 * on copy channels. Failures are reported, and nothing is waited for without a limit.
 */
#ifndef _RUN_OUTCOME_H_
#define _RUN_OUTCOME_H_

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <vsm.h>

#include "scenario/scenario.h"

/* --- failures ------------------------------------------------------------- */

/**
 * struct report - Result of a scenario
 * @out: Stream for the failures: for each failure its line and its message, both as texts that end
 *	with a 0
 * @line: Line of the last instruction; failures that belong to no line are reported with it
 * @checked: Number of expectations that were checked
 * @failures: Number of failures
 */
struct report {
	FILE *out;
	unsigned int line;
	unsigned int checked;
	unsigned int failures;
};

/*
 * Writes and counts a failure; @line is 0 if it belongs to no line. Returns false. Only the main
 * thread may call this.
 */
bool report_failure(struct report *report, unsigned int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* --- the time limit ------------------------------------------------------- */

/* The longest time that a scenario waits for anything, in seconds. */
#define TIME_LIMIT 10

/* Returns the time that is TIME_LIMIT from now, as nanoseconds of CLOCK_MONOTONIC. */
int64_t deadline_from_now(void);

/* --- outcomes ------------------------------------------------------------- */

/**
 * struct outcome - Outcome of a statement
 * @err: 0 or a negative errno
 * @insn: The instruction, in which the device has written its result or its fault
 * @cta: CTA of the thread that executed the statement
 * @thread: Number of the thread
 * @several: Several threads executed the statement
 * @note: Reason of @err, if the error is not from the device
 * @expected: An expectation has used the fault
 * @line: Line of the refused instruction if it is not the line of the statement, else 0
 */
struct outcome {
	int err;
	struct drm_vsm_insn insn;
	uint16_t cta;
	uint16_t thread;
	bool several;
	char note[96];
	bool expected;
	unsigned int line;
};

/* Writes the note of an outcome. Returns @err. */
int refuse(struct outcome *outcome, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#define OF_SIZE 24
/* Writes " of CTA.THREAD" if several threads executed the statement, or nothing. */
const char *outcome_of(const struct outcome *outcome, char text[OF_SIZE]);

#define OUTCOME_SIZE 512
/* Writes a description of an outcome to @text. Returns @text. */
const char *outcome_text(const struct outcome *outcome, enum vsm_layout layout,
			 char text[OUTCOME_SIZE]);

/* --- events of the device ------------------------------------------------- */

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

/* --- jobs on copy channels ------------------------------------------------ */

/**
 * struct job - A job on a copy channel
 * @statement: Statement that submitted it
 * @place: Thread that submitted it
 * @syncobj: Syncobj that gets the fence of the job
 * @expected: An expectation has used the status or a fault of the job
 * @err: Status of the job at the end of the scenario
 */
struct job {
	const struct statement *statement;
	struct scenario_thread place;
	uint32_t syncobj;
	bool expected;
	int err;
};

/**
 * struct jobs - All jobs of a scenario
 * @device: The device
 * @report: Receives failures
 * @lock: Protects the following fields
 * @channels: Number of each channel in the device; 0 if the channel does not exist yet
 * @jobs: Jobs in the order of submission
 * @count: Number of jobs
 */
struct jobs {
	struct vsm_device *device;
	struct report *report;
	pthread_mutex_t lock;
	uint32_t channels[SCENARIO_CHANNELS];
	struct job *jobs;
	size_t count;
};

/*
 * Sets @number to the number that a channel of the scenario has in the device. Creates the
 * channel if necessary. Returns 0 or a negative errno.
 */
int jobs_channel(struct jobs *jobs, unsigned int channel, uint32_t *number);
/* Adds a submitted job, which owns the syncobj from now on. Returns 0 or -ENOMEM. */
int jobs_add(struct jobs *jobs, const struct statement *statement, struct scenario_thread place,
	     uint32_t syncobj);
/*
 * Returns the status of the last job of a thread: 0 or a negative errno. It is -ETIME if the job
 * does not end within the time limit, and -ENOENT if the device has refused all jobs of the thread.
 */
int jobs_status(struct jobs *jobs, unsigned int thread);
/*
 * Notes that an expectation has used a fault. If it is the fault of a job, the status of the job is
 * then expected.
 */
void jobs_expect(struct jobs *jobs, const struct drm_vsm_event_fault *event);
/* Waits for all jobs. Reports each job that failed although no expectation allows it. */
void jobs_wait(struct jobs *jobs, struct events *events);

#endif
