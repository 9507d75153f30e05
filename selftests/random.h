/* SPDX-License-Identifier: (GPL-2.0-only OR MIT) */
/* Random numbers. The same seed gives the same numbers. */
#ifndef VSM_SELFTESTS_RANDOM_H
#define VSM_SELFTESTS_RANDOM_H

#include <stdint.h>

/* splitmix64 */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

#endif
