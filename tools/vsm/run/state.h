/* SPDX-License-Identifier: MIT */
/*
 * A scenario that runs: its threads, and the outcome of its last statement.
 */
#ifndef _RUN_STATE_H_
#define _RUN_STATE_H_

#include "run/events.h"
#include "run/host.h"
#include "run/jobs.h"

/**
 * struct state - State of a scenario that runs
 * @scenario: The scenario
 * @no_limit: A try_wait without suspendTimeHint suspends until its phase completes
 * @report: Its result
 * @objects: Its objects
 * @events: Events of the device
 * @jobs: Its jobs
 * @hosts: Host threads, by index of the device thread
 * @model: Parameters of the model of time before the scenario changed them
 * @last: Last statement that has an outcome, or NULL
 * @started: The scenario has not waited for @last yet
 * @own: Outcome of @last if no thread executed it (hold, release)
 */
struct state {
	const struct scenario *scenario;
	bool no_limit;
	struct report report;
	struct objects objects;
	struct events events;
	struct jobs jobs;
	struct host *hosts;
	struct model model;
	const struct statement *last;
	bool started;
	struct outcome own;
};

/* Creates the objects and the threads. Reports a failure. */
bool state_create(struct state *state);

/* A statement that has an outcome. @started: the scenario does not wait for it. */
void state_set_last(struct state *state, const struct statement *statement, bool started);
/*
 * Waits for the threads of a statement. Reports each one that does not finish it within the time
 * limit, as a failure of @line.
 */
bool state_wait(struct state *state, const struct statement *statement, unsigned int line);
/* Waits for the last statement if the scenario has not done that yet. */
bool state_wait_last(struct state *state, unsigned int line);
/* The next outcome of the last statement, or NULL. @index begins with 0. */
struct outcome *state_next_outcome(struct state *state, unsigned int *index);

/* Describes an outcome in words. */
const char *state_outcome_text(const struct state *state, const struct outcome *outcome,
			       char text[OUTCOME_SIZE]);
/* Reports an outcome that no expectation allows. Returns false. */
bool report_refused(struct state *state, const struct outcome *outcome, unsigned int line);
/* Reports a thread that has not finished its statement in time. Returns false. */
bool report_unfinished(struct state *state, const struct host *host, unsigned int line);

#endif
