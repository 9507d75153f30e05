/* SPDX-License-Identifier: MIT */
/*
 * Host threads. Each one executes the statements of one device thread.
 */
#ifndef _RUN_HOST_H_
#define _RUN_HOST_H_

#include <pthread.h>
#include <sys/types.h>

#include "run/thread.h"

/**
 * struct host - A host thread
 * @thread: The device thread
 * @id: The host thread
 * @tid: Its id in the kernel; 0 until it has begun
 * @lock: Protects @task; and @outcome while @task is set
 * @changed: @task has changed
 * @task: Statement that the thread executes, or NULL
 * @outcome: Outcome of its last statement
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

/*
 * Creates a host thread for each device thread of the scenario. Each device thread is a copy of
 * @thread with its own place and registers. Returns 0 or a negative errno.
 */
int hosts_create(const struct thread *thread, struct host **hosts);
/* Gives a statement to a thread that has no task. */
void host_start(struct host *host, const struct statement *statement);
/* Waits for the end of its task. Returns false if that is later than @deadline. */
bool host_wait(struct host *host, int64_t deadline);
bool host_busy(struct host *host);
/*
 * Waits until the thread is suspended in the device. Returns false if the task ends instead, or
 * if that is later than @deadline.
 */
bool host_suspended(struct host *host, int64_t deadline);

#endif
