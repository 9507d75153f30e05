// SPDX-License-Identifier: MIT
/* How fast the TSC of this machine counts. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdint.h>
#include <time.h>

#include "agent.h"

#ifdef __x86_64__
struct instant {
	int64_t ns;
	uint64_t tsc;
};

/*
 * Reads both clocks at nearly the same time: the shortest of many readings. Interrupts and other
 * processes lengthen the others.
 */
static struct instant read_clocks(void)
{
	struct instant best = { 0, 0 };
	int64_t shortest = INT64_MAX;

	for (int i = 0; i < 1000; i++) {
		struct timespec before, after;
		uint64_t tsc;
		int64_t ns;

		clock_gettime(CLOCK_MONOTONIC_RAW, &before);
		tsc = __builtin_ia32_rdtsc();
		clock_gettime(CLOCK_MONOTONIC_RAW, &after);
		ns = (after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec;
		if (ns < shortest) {
			shortest = ns;
			best.ns = before.tv_sec * 1000000000LL + before.tv_nsec;
			best.tsc = tsc;
		}
	}
	return best;
}

uint64_t tsc_khz(void)
{
	const struct timespec pause = { .tv_nsec = 50 * 1000 * 1000 };
	struct instant at[3];
	uint64_t khz[2];

	for (int i = 0; i < 3; i++) {
		if (i)
			nanosleep(&pause, NULL);
		at[i] = read_clocks();
		if (!i)
			continue;
		if (at[i].ns <= at[i - 1].ns || at[i].tsc <= at[i - 1].tsc)
			return 0;
		khz[i - 1] = (at[i].tsc - at[i - 1].tsc) * 1000000 / (at[i].ns - at[i - 1].ns);
	}
	return imaxabs((intmax_t)(khz[1] - khz[0])) <= khz[0] / 1000 ? khz[1] : 0;
}
#else
uint64_t tsc_khz(void)
{
	return 0;
}
#endif
