// SPDX-License-Identifier: MIT
/* How much memory a launch may use. (Tests have a function of their own instead of this file.) */
#include <unistd.h>

#include "run/limit.h"

uint64_t ptx_memory_limit(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 : 1ULL << 30;
}
