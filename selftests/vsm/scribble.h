/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks that write words as fast as they can, each on a processor of its own. The device therefore
 * seldom manages to change these words.
 */
#ifndef VSM_TEST_SCRIBBLE_H
#define VSM_TEST_SCRIBBLE_H

#include <drm/vsm_mbarrier.h>

#include "vsm_test.h"

#define SCRIBBLED	8		/* words at most */
#define SCRIBBLED_COUNT	(1 << 19)	/* arrivals that the mbarriers in these words expect */

/* Tasks that write words */
struct scribbler {
	_Atomic uint64_t *words[SCRIBBLED];	/* the words, of layout sm_90 */
	int used;				/* number of words */
	atomic_bool stop;			/* ends the tasks when it is set */
	atomic_int running;			/* number of tasks that have begun */
	int count;				/* number of tasks */
	pthread_t threads[3];			/* the tasks */
};

static inline void *scribbler_main(void *arg)
{
	struct scribbler *s = arg;
	uint64_t word = vsm_mbarrier_init(VSM_LAYOUT_SM_90, SCRIBBLED_COUNT), n;
	int i;

	atomic_fetch_add(&s->running, 1);
	/* The number of pending arrivals takes 2^18 values in turn, none of them small. */
	for (n = 0; !atomic_load_explicit(&s->stop, memory_order_relaxed); n++)
		for (i = 0; i < s->used; i++)
			atomic_store_explicit(s->words[i],
					      word ^ n % (1 << 18) << VSM_SM_90_PENDING_SHIFT,
					      memory_order_relaxed);
	return NULL;
}

/* Starts tasks that write the words, on all processors except the first. */
static inline int scribbler_start(struct scribbler *s)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), ret = 0;
	pthread_attr_t attr;
	cpu_set_t set;

	pthread_attr_init(&attr);
	while (!ret && s->count < 3 && s->count < cpus - 1) {
		CPU_ZERO(&set);
		CPU_SET(s->count + 1, &set);
		pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
		ret = pthread_create(&s->threads[s->count], &attr, scribbler_main, s);
		s->count += !ret;
	}
	pthread_attr_destroy(&attr);
	while (!ret && atomic_load(&s->running) < s->count)
		sched_yield();
	return ret;
}

/*
 * Waits until the first word is written. The task's processor may be stopped for a while if it is a
 * virtual one.
 */
static inline void scribbler_await(const struct scribbler *s)
{
	uint64_t word = atomic_load(s->words[0]);

	while (atomic_load(s->words[0]) == word)
		;
}

static inline void scribbler_end(struct scribbler *s)
{
	atomic_store(&s->stop, true);
	while (s->count)
		pthread_join(s->threads[--s->count], NULL);
}

#endif
