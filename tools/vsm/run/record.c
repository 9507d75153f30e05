// SPDX-License-Identifier: MIT
/*
 * The events of a scenario, which runs in a process of its own.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "base.h"
#include "run/record.h"

struct record *record_create(void)
{
	void *memory = mmap(NULL, sizeof(struct record), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return must(memory == MAP_FAILED ? NULL : memory);
}

void record_free(struct record *record)
{
	if (record)
		munmap(record, sizeof(*record));
}

void record_clear(struct record *record)
{
	record->count = 0;
	record->lost = 0;
}

int record_read(struct record *record, struct vsm_cluster *cluster)
{
	uint64_t next = 0, lost;
	int count;

	do {
		count = vsm_trace_read(cluster, record->events + record->count,
				       RECORD_EVENTS - record->count, &next, &lost);
		if (count < 0)
			return count;
		record->count += count;
		record->lost += lost;
	} while (count && record->count < RECORD_EVENTS);
	return 0;
}
