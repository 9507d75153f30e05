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

/* Result of a scenario */
struct report {
	/*
	 * Stream for the failures: for each failure its line and its message, both as texts that
	 * end with a 0.
	 */
	FILE *out;
	/* Line of the last instruction; failures that belong to no line are reported with it */
	unsigned int line;
	unsigned int checked;	/* number of expectations that were checked */
	unsigned int failures;	/* number of failures */
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

/* Outcome of a statement */
struct outcome {
	int err;	/* 0 or a negative errno */
	/* The instruction, in which the device has written its result or its fault */
	struct drm_vsm_insn insn;
	uint16_t cta;	/* CTA of the thread that executed the statement */
	uint16_t thread;
	bool several;	/* several threads executed the statement */
	char note[96];	/* reason of @err, if the error is not from the device */
	bool expected;	/* an expectation has used the fault */
	/* Line of the refused instruction if it is not the line of the statement, else 0 */
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

/* An asynchronous instruction */
struct issued {
	unsigned int line;		/* line of the instruction */
	struct scenario_thread place;	/* thread that issued it */
	struct drm_vsm_insn insn;	/* the instruction as it was issued */
};

/* Events of one kind that no expectation has used yet */
struct event_queue {
	struct drm_vsm_event_fault *events;
	size_t count;	/* number of events */
};

/* Events of the device */
struct events {
	struct vsm_device *device;
	struct report *report;	/* receives failures */
	pthread_mutex_t lock;	/* protects @issued and @issued_count */
	struct issued *issued;	/* asynchronous instructions, which may fault at any later time */
	size_t issued_count;	/* number of these instructions */
	/* Events that were read, in a queue for each kind */
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

/* A job on a copy channel */
struct job {
	const struct statement *statement;	/* statement that submitted it */
	struct scenario_thread place;		/* thread that submitted it */
	uint32_t syncobj;			/* syncobj that gets the fence of the job */
	bool expected;	/* an expectation has used the status or a fault of the job */
	int err;				/* status of the job at the end of the scenario */
};

/* All jobs of a scenario */
struct jobs {
	struct vsm_device *device;
	struct report *report;	/* receives failures */
	pthread_mutex_t lock;	/* protects the following fields */
	/* Number of each channel in the device; 0 if the channel does not exist yet */
	uint32_t channels[SCENARIO_CHANNELS];
	struct job *jobs;	/* jobs in the order of submission */
	size_t count;		/* number of jobs */
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
