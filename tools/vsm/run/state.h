/* SPDX-License-Identifier: MIT */
/*
 * A scenario that runs: the device, host threads in the place of device threads,
 * and what has come of the statements.
 */
#ifndef _VSM_PLAY_H_
#define _VSM_PLAY_H_

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "scenario/scenario.h"

/* Nothing that a scenario waits for takes longer, in seconds. */
#define PATIENCE 10

struct play;

/**
 * struct outcome - What has come of a statement
 * @err: 0 or a negative errno
 * @insn: The instruction as the device left it
 * @cta: CTA of the thread that executed it
 * @thread: The thread
 * @several: It is one of several that did
 * @note: What is to be said of @err, if it is not the device's
 * @told: An expectation has asked for the fault
 * @line: Line of the instruction that was refused, if it is not the statement's
 */
struct outcome {
	int err;
	struct drm_vsm_insn insn;
	uint16_t cta;
	uint16_t thread;
	bool several;
	char note[96];
	bool told;
	unsigned int line;
};

/**
 * struct actor - A host thread that plays a device thread
 * @play: What it takes part in
 * @place: Its CTA and number there
 * @registers: Values of its registers
 * @thread: The host thread
 * @tid: Its id, 0 until it has begun
 * @lock: Protects @task and @outcome while it is busy
 * @changed: @task has changed
 * @task: The statement that it executes, NULL if none
 * @executing: It is in the device or about to enter it: nothing else that it may
 *	sleep in comes before or after
 * @outcome: What has come of its last statement
 * @line: Line of the statement that it was started with and not joined since, or 0
 */
struct actor {
	struct play *play;
	struct scenario_thread place;
	uint64_t *registers;
	pthread_t thread;
	atomic_int tid;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const struct statement *task;
	atomic_bool executing;
	struct outcome outcome;
	unsigned int line;
};

/**
 * struct issued - Something asynchronous that was issued
 * @line: Line of the statement
 * @place: Thread that issued it
 * @insn: The instruction
 */
struct issued {
	unsigned int line;
	struct scenario_thread place;
	struct drm_vsm_insn insn;
};

/**
 * struct job - A job on a copy channel
 * @statement: What submitted it
 * @syncobj: Signalled when it is done
 * @told: Its status or its fault has been told
 * @err: How it ended, at the end of the scenario
 */
struct job {
	const struct statement *statement;
	uint32_t syncobj;
	bool told;
	int err;
};

/**
 * struct play - A scenario that runs
 * @scenario: The scenario
 * @no_limit: A try_wait without suspendTimeHint suspends until its phase completes
 * @device: The device
 * @cluster: The cluster
 * @buffers: Buffers, by index
 * @maps: Tensor maps, by index
 * @channels: The device's number of each channel, 0 if it has not been made
 * @actors: Device threads, by index
 * @lock: Protects @channels, @issued, @jobs and their counts
 * @issued: What has been issued that may fault later
 * @issued_count: Number of them
 * @jobs: Jobs in the order of their submission
 * @job_count: Number of them
 * @events: Faults of what was asynchronous, which no expectation has asked for yet
 * @event_count: Number of them
 * @reports: Events of rules that are only reported, which no expectation has asked for yet
 * @report_count: Number of them
 * @model: The model of time as it was, of what has been set
 * @own: What has come of the last hold or release
 * @last: The last statement that has an outcome
 * @started: Threads may still run it
 * @last_line: Its line
 * @checked: Expectations that have been checked
 * @failures: What has failed
 */
struct play {
	const struct scenario *scenario;
	bool no_limit;
	struct vsm_device *device;
	struct vsm_cluster *cluster;
	struct vsm_buffer **buffers;
	struct drm_vsm_tensor_map *maps;
	uint32_t channels[SCENARIO_CHANNELS];
	struct actor *actors;
	pthread_mutex_t lock;
	struct issued *issued;
	size_t issued_count;
	struct job *jobs;
	size_t job_count;
	struct drm_vsm_event_fault *events;
	size_t event_count;
	struct drm_vsm_event_fault *reports;
	size_t report_count;
	struct model model;
	struct outcome own;
	const struct statement *last;
	bool started;
	unsigned int last_line;
	unsigned int checked;
	unsigned int failures;
};

/* play.c */

/*
 * Run a scenario, say what fails as KTAP diagnostics. The process must end
 * afterwards: threads may be suspended for ever.
 */
bool play_scenario(struct vsm_device *device, const struct scenario *scenario, bool no_limit);
/* Something has failed: a diagnostic. Always false. */
bool play_fail(struct play *p, unsigned int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* PATIENCE from now on, CLOCK_MONOTONIC in ns. */
int64_t play_deadline(void);
/*
 * Wait until the threads of a statement have retired. Return whether they have; fail for each
 * that has not.
 */
bool play_wait(struct play *p, const struct statement *statement, unsigned int line);

/* async.c: what happens later */

/* An instruction is about to be issued that may fault later. */
int async_issue(struct actor *actor, unsigned int line, const struct drm_vsm_insn *insn);
/* May anything fault later? */
bool async_any(struct play *p);
/* Read the events that are there. */
void events_drain(struct play *p);
/* The next fault of something asynchronous; false if none comes in time. */
bool events_next(struct play *p, struct drm_vsm_event_fault *event);
/* The next rule that was only reported; false if none is in time. */
bool reports_next(struct play *p, struct drm_vsm_event_fault *event);
/* Fail for what no expectation has asked for. */
void events_report(struct play *p);
/* The device's number of a channel, which is made if need be. */
int channel_find(struct play *p, unsigned int channel, uint32_t *number);
/* A job has been submitted; its syncobj is taken over. 0 or -ENOMEM. */
int job_add(struct play *p, const struct statement *statement, uint32_t syncobj);
/*
 * How the last job of a thread ended: 0, a negative errno, -ETIME if it does not, -ENOENT
 * if all were refused.
 */
int job_status(struct play *p, unsigned int thread);
/* Wait for all jobs, fail for those that went wrong and nobody asked for. */
void jobs_wait(struct play *p);

/* model.c: the device's model of time */

bool model_set(struct play *p, unsigned int line, const struct model *model);
/* As it was before. */
void model_restore(struct play *p);

/* actor.c */

int actors_create(struct play *p);
/* Let an actor execute a statement; it has none. */
void actor_start(struct actor *actor, const struct statement *statement);
/* Wait until it has; false if @deadline passes first. */
bool actor_wait(struct actor *actor, int64_t deadline);
bool actor_busy(struct actor *actor);
/*
 * Wait until it is suspended in the device. False if it has retired instead, or is
 * not suspended before @deadline.
 */
bool actor_suspended(struct actor *actor, int64_t deadline);

/* encode.c: an instruction as the device takes it */

int encode(const struct actor *actor, const struct instruction *insn, struct outcome *outcome,
	   struct drm_vsm_insn *to);
uint64_t value_of(const struct actor *actor, const struct operand *operand);
/* Where an address is, in its window or buffer. */
uint64_t address_of(const struct actor *actor, const struct operand *operand);
int shared_address(const struct actor *actor, const struct operand *operand,
		   struct outcome *outcome, uint32_t *addr);
/* What is not the device's to refuse. Return @err. */
int refuse(struct outcome *outcome, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* step.c: execute an instruction or submit a job, as an actor */
void step(struct actor *actor, const struct statement *statement, struct outcome *outcome);

/* expect.c: check an expectation */
bool expect(struct play *p, const struct statement *statement);
#define OF_SIZE 24
/* " of CTA.THREAD" if it is one of several, or nothing. */
const char *outcome_of(const struct outcome *outcome, char text[OF_SIZE]);
#define OUTCOME_SIZE 512
/* What an outcome looks like. */
const char *outcome_text(const struct play *p, const struct outcome *outcome,
			 char text[OUTCOME_SIZE]);

#endif
