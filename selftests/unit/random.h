/* SPDX-License-Identifier: MIT */
/* Random numbers that are the same for the same seed. */
#ifndef VSM_UNIT_RANDOM_H
#define VSM_UNIT_RANDOM_H

#include <linux/types.h>

#include "../random.h"

/* random_next() for callers that use the kernel's types. */
static inline __u64 unit_random(__u64 *state)
{
	uint64_t next = *state;
	__u64 number = random_next(&next);

	*state = next;
	return number;
}

/* A random number below @bound, which is at most 2^32. Multiplication costs less than division. */
static inline __u64 unit_below(__u64 *state, __u64 bound)
{
	return ((unit_random(state) >> 32) * bound) >> 32;
}

#endif
