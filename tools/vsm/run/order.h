/* SPDX-License-Identifier: MIT */
/* The threads of a scenario that runs, and the order in which they begin. */
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

/* A host thread */
struct host {
	struct thread thread;		/* the device thread whose statements it executes */
	pthread_t id;			/* the pthread */
	atomic_int tid;	/* thread ID of the pthread in the kernel; 0 until it has started */
	pthread_mutex_t lock;		/* protects @task, and, while @task is set, @outcome */
	pthread_cond_t changed;		/* signalled when @task changes */
	const struct statement *task;	/* statement that the thread executes, or NULL */
	struct outcome outcome;		/* outcome of the last statement that the thread executed */
	/* Line of the statement that was started and has not been joined; 0 if there is none */
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

/* A thread whose instruction has not begun */
struct waiting {
	const struct statement *statement;	/* statement with the instruction */
	unsigned int thread;
	bool late;	/* the instruction begins only when a statement needs it */
};

/* The order that a seed chooses */
struct order {
	uint64_t seed;			/* seed; 0 if there is no such order */
	uint64_t random;		/* state of the generator of random numbers */
	bool shuffles;			/* the device shuffles copies */
	bool scenario_holds;		/* the last hold of the scenario has no release yet */
	bool copies_late;	/* the copies in flight complete only when a statement needs them */
	size_t seen;	/* number of asynchronous instructions for which @copies_late was chosen */
	size_t released;	/* number of asynchronous instructions before the last release */
	struct waiting *waiting;	/* threads whose instructions have not begun */
	size_t count;			/* number of these threads */
};

/* State of a scenario that runs */
struct state {
	const struct scenario *scenario;
	bool no_limit;	/* a try_wait without suspendTimeHint suspends until its phase completes */
	struct report report;	/* result of the scenario */
	struct objects objects;	/* objects of the scenario */
	struct events events;	/* events of the device */
	struct jobs jobs;	/* jobs of the scenario */
	struct host *hosts;	/* the host thread of each device thread */
	/* Parameters of the model of time before the scenario changed them */
	struct model model;
	struct order order;	/* order that a seed chooses */
	/* The last executed statement that has an outcome, or NULL */
	const struct statement *last;
	bool started;		/* the scenario has not waited for @last yet */
	/* Outcome of @last if it is hold or release, which no thread executes */
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
