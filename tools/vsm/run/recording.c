// SPDX-License-Identifier: MIT
/*
 * The events of a scenario, which runs in a process of its own.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "base.h"
#include "run/recording.h"

struct recording *recording_create(void)
{
	void *memory = mmap(NULL, sizeof(struct recording), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return must(memory == MAP_FAILED ? NULL : memory);
}

void recording_free(struct recording *recording)
{
	if (recording)
		munmap(recording, sizeof(*recording));
}

void recording_clear(struct recording *recording)
{
	recording->count = 0;
	recording->lost = 0;
}

int recording_read(struct recording *recording, struct vsm_cluster *cluster)
{
	uint64_t next = 0, lost;
	int count;

	do {
		count = vsm_trace_read(cluster, recording->events + recording->count,
				       RECORD_EVENTS - recording->count, &next, &lost);
		if (count < 0)
			return count;
		recording->count += count;
		recording->lost += lost;
	} while (count && recording->count < RECORD_EVENTS);
	return 0;
}
