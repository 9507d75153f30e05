// SPDX-License-Identifier: MIT
/*
 * Host threads: each of them executes the statements of one device thread.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "run/host.h"
#include "run/step.h"

/* There may be thousands of host threads, so each gets only a small stack, which is enough. */
#define STACK_SIZE (256 << 10)

static void *host_run(void *data)
{
	struct host *host = data;

	atomic_store(&host->tid, gettid());
	pthread_mutex_lock(&host->lock);
	for (;;) {
		const struct statement *task = host->task;

		if (!task) {
			pthread_cond_wait(&host->changed, &host->lock);
			continue;
		}
		pthread_mutex_unlock(&host->lock);
		step(&host->thread, task, &host->outcome);
		pthread_mutex_lock(&host->lock);
		host->task = NULL;
		pthread_cond_broadcast(&host->changed);
	}
	return NULL;
}

static int host_create(struct host *host, const struct thread *thread,
		       const pthread_attr_t *attr, const pthread_condattr_t *cond)
{
	host->thread = *thread;
	host->thread.registers = calloc(thread->objects->scenario->registers.count + 1,
					sizeof(uint64_t));
	if (!host->thread.registers)
		return -ENOMEM;
	pthread_mutex_init(&host->lock, NULL);
	pthread_cond_init(&host->changed, cond);
	return -pthread_create(&host->id, attr, host_run, host);
}

int hosts_create(const struct thread *thread, struct host **hosts)
{
	const struct scenario *s = thread->objects->scenario;
	struct thread first = *thread;
	pthread_condattr_t cond;
	pthread_attr_t attr;
	int err = 0;
	size_t i;

	*hosts = calloc(s->thread_count + 1, sizeof(**hosts));
	if (!*hosts)
		return -ENOMEM;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_condattr_init(&cond);
	pthread_condattr_setclock(&cond, CLOCK_MONOTONIC);
	for (i = 0; !err && i < s->thread_count; i++) {
		first.place = s->threads[i];
		err = host_create(&(*hosts)[i], &first, &attr, &cond);
	}
	pthread_condattr_destroy(&cond);
	pthread_attr_destroy(&attr);
	return err;
}

void host_start(struct host *host, const struct statement *statement)
{
	pthread_mutex_lock(&host->lock);
	host->task = statement;
	pthread_cond_broadcast(&host->changed);
	pthread_mutex_unlock(&host->lock);
}

bool host_busy(struct host *host)
{
	bool busy;

	pthread_mutex_lock(&host->lock);
	busy = host->task;
	pthread_mutex_unlock(&host->lock);
	return busy;
}

bool host_wait(struct host *host, int64_t deadline)
{
	struct timespec until = {
		.tv_sec = deadline / 1000000000,
		.tv_nsec = deadline % 1000000000,
	};
	int err = 0;

	pthread_mutex_lock(&host->lock);
	while (host->task && err != ETIMEDOUT)
		err = pthread_cond_timedwait(&host->changed, &host->lock, &until);
	if (!host->task)
		err = 0;
	pthread_mutex_unlock(&host->lock);
	return !err;
}

/* Returns whether a host thread is in an interruptible sleep. */
static bool asleep(pid_t tid)
{
	char path[48], stat[256];
	const char *state;
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	size = fread(stat, 1, sizeof(stat) - 1, file);
	fclose(file);
	stat[size] = '\0';
	/* TID (NAME) STATE ... */
	state = strrchr(stat, ')');
	return state && state[1] == ' ' && state[2] == 'S';
}

/*
 * A host thread sets @executing before it calls the device, and clears it after the call. If the
 * thread sleeps interruptibly while @executing is set, it sleeps in the device, because nothing
 * else that it does in this time can sleep like that.
 */
bool host_suspended(struct host *host, int64_t deadline)
{
	struct timespec pause = { .tv_nsec = 100000 };
	struct timespec now;

	do {
		if (!host_busy(host))
			return false;
		if (atomic_load(&host->thread.executing) && asleep(atomic_load(&host->tid)) &&
		    atomic_load(&host->thread.executing))
			return true;
		nanosleep(&pause, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec * 1000000000LL + now.tv_nsec < deadline);
	return false;
}
