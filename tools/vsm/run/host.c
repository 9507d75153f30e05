// SPDX-License-Identifier: MIT
/*
 * Host threads in the place of device threads.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "run/state.h"

/* There may be thousands of them, and none does much. */
#define STACK_SIZE (256 << 10)

static void *actor_run(void *data)
{
	struct actor *actor = data;

	atomic_store(&actor->tid, gettid());
	pthread_mutex_lock(&actor->lock);
	for (;;) {
		const struct statement *task = actor->task;

		if (!task) {
			pthread_cond_wait(&actor->changed, &actor->lock);
			continue;
		}
		pthread_mutex_unlock(&actor->lock);
		step(actor, task, &actor->outcome);
		pthread_mutex_lock(&actor->lock);
		actor->task = NULL;
		pthread_cond_broadcast(&actor->changed);
	}
	return NULL;
}

static int actor_create(struct play *p, struct actor *actor, struct scenario_thread place,
			const pthread_attr_t *thread, const pthread_condattr_t *cond)
{
	actor->play = p;
	actor->place = place;
	actor->registers = calloc(p->scenario->register_count + 1, sizeof(uint64_t));
	if (!actor->registers)
		return -ENOMEM;
	pthread_mutex_init(&actor->lock, NULL);
	pthread_cond_init(&actor->changed, cond);
	return -pthread_create(&actor->thread, thread, actor_run, actor);
}

int actors_create(struct play *p)
{
	const struct scenario *s = p->scenario;
	pthread_condattr_t cond;
	pthread_attr_t thread;
	int err = 0;
	size_t i;

	p->actors = calloc(s->thread_count + 1, sizeof(*p->actors));
	if (!p->actors)
		return -ENOMEM;
	pthread_attr_init(&thread);
	pthread_attr_setstacksize(&thread, STACK_SIZE);
	pthread_condattr_init(&cond);
	pthread_condattr_setclock(&cond, CLOCK_MONOTONIC);
	for (i = 0; !err && i < s->thread_count; i++)
		err = actor_create(p, &p->actors[i], s->threads[i], &thread, &cond);
	pthread_condattr_destroy(&cond);
	pthread_attr_destroy(&thread);
	return err;
}

void actor_start(struct actor *actor, const struct statement *statement)
{
	pthread_mutex_lock(&actor->lock);
	actor->task = statement;
	pthread_cond_broadcast(&actor->changed);
	pthread_mutex_unlock(&actor->lock);
}

bool actor_busy(struct actor *actor)
{
	bool busy;

	pthread_mutex_lock(&actor->lock);
	busy = actor->task;
	pthread_mutex_unlock(&actor->lock);
	return busy;
}

bool actor_wait(struct actor *actor, int64_t deadline)
{
	struct timespec until = {
		.tv_sec = deadline / 1000000000,
		.tv_nsec = deadline % 1000000000,
	};
	int err = 0;

	pthread_mutex_lock(&actor->lock);
	while (actor->task && err != ETIMEDOUT)
		err = pthread_cond_timedwait(&actor->changed, &actor->lock, &until);
	if (!actor->task)
		err = 0;
	pthread_mutex_unlock(&actor->lock);
	return !err;
}

/* Does the kernel say that the thread sleeps? */
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
 * A thread that is about to execute an instruction says so first. If it sleeps after
 * that, and has not said that it is back, it sleeps in the device: nothing else that
 * it does there is interruptible.
 */
bool actor_suspended(struct actor *actor, int64_t deadline)
{
	struct timespec pause = { .tv_nsec = 100000 };
	struct timespec now;

	do {
		if (!actor_busy(actor))
			return false;
		if (atomic_load(&actor->executing) && asleep(atomic_load(&actor->tid)) &&
		    atomic_load(&actor->executing))
			return true;
		nanosleep(&pause, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec * 1000000000LL + now.tv_nsec < deadline);
	return false;
}
