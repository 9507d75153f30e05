// SPDX-License-Identifier: MIT
/*
 * The objects of a scenario: its cluster, its buffers and its tensor maps.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/objects.h"
#include "run/recording.h"

int objects_create(struct objects *o)
{
	const struct scenario *s = o->scenario;
	struct vsm_cluster_config config = s->config;

	if (o->records)
		config.trace_events = RECORD_EVENTS;
	o->buffers = calloc(s->buffers.count + 1, sizeof(*o->buffers));
	o->maps = aligned_alloc(64, (s->maps.count + 1) * sizeof(*o->maps));
	if (!o->buffers || !o->maps)
		return -ENOMEM;
	return vsm_cluster_create(o->device, &config, &o->cluster);
}

int create_buffer(struct objects *o, unsigned int index)
{
	return vsm_buffer_create(o->device, o->scenario->buffer_sizes[index], &o->buffers[index]);
}

int create_tensor_map(struct objects *o, const struct tensor *t, const char **reason)
{
	return tensor_encode(t, o->buffers[t->buffer], t->offset, &o->maps[t->map], reason);
}

void *memory_at(const struct objects *o, const struct place *place)
{
	char *start = place->buffer >= 0 ? vsm_buffer_map(o->buffers[place->buffer])
					 : vsm_cluster_window(o->cluster, place->rank);

	return start + place->offset;
}

const char *memory_name(const struct objects *o, const struct place *place, char text[PLACE_SIZE])
{
	if (place->buffer >= 0)
		return o->scenario->buffers.names[place->buffer];
	snprintf(text, PLACE_SIZE, "CTA %u", place->rank);
	return text;
}

void fill_memory(const struct objects *o, const struct statement *fill)
{
	uint8_t *to = memory_at(o, &fill->at);
	uint64_t i;

	for (i = 0; i < fill->length; i++)
		to[i] = fill->iota ? i : fill->value;
}
