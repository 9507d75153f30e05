/* SPDX-License-Identifier: MIT */
/*
 * Host threads: each of them executes the statements of one device thread.
 */
#ifndef _RUN_HOST_H_
#define _RUN_HOST_H_

#include <pthread.h>
#include <sys/types.h>

#include "run/thread.h"

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

/*
 * Creates a host thread for each device thread of the scenario. Each device thread is a copy of
 * @thread with its own place and registers. Returns 0 or a negative errno.
 */
int hosts_create(const struct thread *thread, struct host **hosts);
/* Starts a statement on a host thread, which must have no task. */
void host_start(struct host *host, const struct statement *statement);
/* Waits until the thread has finished its task. Returns false if @deadline passes first. */
bool host_wait(struct host *host, int64_t deadline);
bool host_busy(struct host *host);
/*
 * Waits until the thread is suspended in the device. Returns false if the task ends instead, or if
 * @deadline passes first.
 */
bool host_suspended(struct host *host, int64_t deadline);

#endif
