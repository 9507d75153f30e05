// SPDX-License-Identifier: MIT
/*
 * Measures one phase in which several tasks wait for each other: in a match.sync, at a named
 * barrier, or at a pthread_barrier.
 */
#include <pthread.h>

#include "device.h"
#include "rows.h"

#define TASKS	32	/* largest number of tasks */
#define TURNS	200

/* Only task 0 takes times. Each of the other tasks executes the same number of phases. */
static struct tasks {
	void (*phase)(unsigned int task);
	unsigned int turns;
	struct drm_vsm_insn insns[TASKS];
	struct drm_vsm_exec args[TASKS];
	pthread_barrier_t barrier;
} tasks;

static void *run_other(void *arg)
{
	unsigned int i;

	for (i = 0; i < tasks.turns; i++)
		tasks.phase((uintptr_t)arg);
	return NULL;
}

static void run_first(unsigned int n)
{
	while (n--)
		tasks.phase(0);
}

static double measure_once(unsigned int count)
{
	pthread_t threads[TASKS];
	double took;
	uintptr_t i;
	int ret;

	tasks.turns = TURNS / 4 + 1 + TURNS * REPEATS;
	for (i = 1; i < count; i++) {
		ret = pthread_create(&threads[i], NULL, run_other, (void *)i);
		if (ret)
			die("pthread_create", ret);
	}
	took = measure(run_first, TURNS);
	for (i = 1; i < count; i++)
		pthread_join(threads[i], NULL);
	return took;
}

/*
 * Within one set of tasks the order in which they run does not change, and it affects the time.
 * Therefore several sets of tasks are measured, and the median counts.
 */
static double measure_tasks(unsigned int count)
{
	double took[REPEATS];
	unsigned int i;

	for (i = 0; i < REPEATS; i++)
		took[i] = measure_once(count);
	return median(took, REPEATS);
}

static void phase_exec(unsigned int task)
{
	exec(&tasks.args[task]);
}

static void phase_pthread(unsigned int task)
{
	(void)task;
	pthread_barrier_wait(&tasks.barrier);
}

static void init_task(unsigned int task, struct drm_vsm_insn insn, unsigned int thread,
		      uint32_t flags)
{
	tasks.insns[task] = insn;
	tasks.args[task] = exec_of(&tasks.insns[task], 1);
	tasks.args[task].thread = thread;
	tasks.args[task].flags = flags;
}

double phase_of_match(unsigned int lanes)
{
	unsigned int i;

	tasks.phase = phase_exec;
	for (i = 0; i < lanes; i++)
		init_task(i, vsm_prep_match_any_sync_b32(i, ~0U >> (32 - lanes)), i, 0);
	return measure_tasks(lanes);
}

double phase_of_barrier(unsigned int warps)
{
	unsigned int i;

	tasks.phase = phase_exec;
	for (i = 0; i < warps; i++)
		init_task(i, vsm_prep_barrier_sync_count(1, 32 * warps, VSM_ALIGNED), 32 * i,
			  DRM_VSM_EXEC_WARP);
	return measure_tasks(warps);
}

double phase_of_pthread(unsigned int threads)
{
	double took;

	tasks.phase = phase_pthread;
	pthread_barrier_init(&tasks.barrier, NULL, threads);
	took = measure_tasks(threads);
	pthread_barrier_destroy(&tasks.barrier);
	return took;
}
