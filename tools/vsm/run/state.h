/* SPDX-License-Identifier: MIT */
/*
 * The state of a scenario that runs: its threads, and the outcome of its last statement.
 */
#ifndef _RUN_STATE_H_
#define _RUN_STATE_H_

#include "run/events.h"
#include "run/host.h"
#include "run/jobs.h"

/**
 * struct waiting - A thread whose instruction has not begun
 * @statement: Statement with the instruction
 * @thread: Index of the thread
 * @late: The instruction begins only when a statement needs it
 */
struct waiting {
	const struct statement *statement;
	unsigned int thread;
	bool late;
};

/**
 * struct order - The order that a seed chooses
 * @seed: Seed; 0 if there is no such order
 * @random: State of the generator of random numbers
 * @shuffles: The device shuffles copies
 * @scenario_holds: The last hold of the scenario has no release yet
 * @copies_late: The copies in flight complete only when a statement needs them
 * @seen: Number of asynchronous instructions for which @copies_late was chosen
 * @released: Number of asynchronous instructions before the last release
 * @waiting: Threads whose instructions have not begun
 * @count: Number of these threads
 */
struct order {
	uint64_t seed;
	uint64_t random;
	bool shuffles;
	bool scenario_holds;
	bool copies_late;
	size_t seen;
	size_t released;
	struct waiting *waiting;
	size_t count;
};

/**
 * struct state - State of a scenario that runs
 * @scenario: The scenario
 * @no_limit: A try_wait without suspendTimeHint suspends until its phase completes
 * @report: Result of the scenario
 * @objects: Objects of the scenario
 * @events: Events of the device
 * @jobs: Jobs of the scenario
 * @hosts: The host thread of each device thread
 * @model: Parameters of the model of time before the scenario changed them
 * @order: Order that a seed chooses
 * @last: The last executed statement that has an outcome, or NULL
 * @started: The scenario has not waited for @last yet
 * @own: Outcome of @last if it is hold or release, which no thread executes
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
	struct order order;
	const struct statement *last;
	bool started;
	struct outcome own;
};

/*
 * Creates the cluster and the threads of a scenario. If that fails, reports it and returns false.
 */
bool state_create(struct state *state);

/* Sets @last and @started: @statement was executed, or only started. */
void state_set_last(struct state *state, const struct statement *statement, bool started);
/*
 * Waits for the threads of a statement. Reports each thread that does not finish the statement
 * within the time limit as a failure at @line, and then returns false.
 */
bool state_wait(struct state *state, const struct statement *statement, unsigned int line);
/* Waits for the threads of the last statement, if the scenario has not waited for them yet. */
bool state_wait_last(struct state *state, unsigned int line);
/*
 * Returns the next outcome of the last statement, of which each thread has one, or NULL after the
 * last outcome. Set @index to 0 before the first call.
 */
struct outcome *state_next_outcome(struct state *state, unsigned int *index);

/* Writes a description of an outcome to @text. Returns @text. */
const char *state_outcome_text(const struct state *state, const struct outcome *outcome,
			       char text[OUTCOME_SIZE]);
/* Reports an outcome that no expectation allows. Returns false. */
bool report_refused(struct state *state, const struct outcome *outcome, unsigned int line);
/* Reports a thread that has not finished its statement in time. Returns false. */
bool report_unfinished(struct state *state, const struct host *host, unsigned int line);

#endif
