// SPDX-License-Identifier: MIT
/*
 * The time limit of everything that a scenario waits for.
 */
#include "base.h"
#include "run/deadline.h"

int64_t deadline_from_now(void)
{
	return time_now() + TIME_LIMIT * 1000000000LL;
}
