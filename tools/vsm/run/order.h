/* SPDX-License-Identifier: MIT */
/*
 * The threads of a scenario that runs, and the order in which they begin.
 */
#ifndef _RUN_ORDER_H_
#define _RUN_ORDER_H_

#include <pthread.h>
#include <sys/types.h>

#include "run/outcome.h"
#include "run/step.h"
#include "scenario/scenario.h"

/* --- the model of time ---------------------------------------------------- */

/*
 * Sets parameters of the model. Saves the old value of each in @saved before its first change.
 * Returns 0, or a negative errno; @file is then the name of the file that could not be read or
 * written.
 */
int model_set(const struct vsm_device *device, const struct model *model, struct model *saved,
	      const char **file);
/* May this process set the model? */
bool model_writable(const struct vsm_device *device);
/* Sets the parameters in @saved to their old values. */
void model_restore(const struct vsm_device *device, const struct model *saved);

/* --- host threads --------------------------------------------------------- */

/**
 * struct host - A host thread
 * @thread: The device thread whose statements it executes
 * @id: The pthread
 * @tid: Thread ID of the pthread in the kernel; 0 until it has started
 * @lock: Protects @task, and, while @task is set, @outcome
 * @changed: Signalled when @task changes
 * @task: Statement that the thread executes, or NULL
 * @outcome: Outcome of the last statement that the thread executed
 * @line: Line of the statement that was started and has not been joined; 0 if there is none
 */
struct host {
	struct thread thread;
	pthread_t id;
	atomic_int tid;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const struct statement *task;
	struct outcome outcome;
	unsigned int line;
};

/* Waits until the thread has finished its task. Returns false if @deadline passes first. */
bool host_wait(struct host *host, int64_t deadline);
bool host_busy(struct host *host);
/*
 * Waits until the thread is suspended in the device. Returns false if the task ends instead, or if
 * @deadline passes first.
 */
bool host_suspended(struct host *host, int64_t deadline);

/* --- the state of a scenario ---------------------------------------------- */

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

/* --- the order ------------------------------------------------------------ */

/* Begins the order of a scenario, whose cluster exists. */
void order_begin(struct state *state);
/* Lets threads begin or copies complete before a statement, if the seed wants it. */
void order_turn(struct state *state);
/* Starts the instruction of a statement on its threads. */
void order_start(struct state *state, const struct statement *statement);
/* Does all that the threads of a statement may need in order to retire. */
void order_need(struct state *state, const struct statement *statement);
/* Lets the threads of a statement begin. */
void order_begin_threads(struct state *state, const struct statement *statement);
/* Does all that the scenario has left open. */
void order_need_all(struct state *state);
/* Executes hold or release. Returns 0 or a negative errno. */
int order_hold(struct state *state, bool hold);

#endif
