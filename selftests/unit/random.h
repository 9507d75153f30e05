/* SPDX-License-Identifier: MIT */
/* Random numbers that a seed repeats. */
#ifndef VSM_UNIT_RANDOM_H
#define VSM_UNIT_RANDOM_H

#include <linux/types.h>

/* splitmix64 */
static inline __u64 unit_random(__u64 *state)
{
	__u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Below @bound, which is at most 2^32: by multiplication, which costs less than division. */
static inline __u64 unit_below(__u64 *state, __u64 bound)
{
	return ((unit_random(state) >> 32) * bound) >> 32;
}

#endif
