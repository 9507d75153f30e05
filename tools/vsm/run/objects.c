// SPDX-License-Identifier: MIT
/*
 * The device, and the objects that a scenario has on it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/objects.h"

int objects_create(struct objects *o)
{
	const struct scenario *s = o->scenario;

	o->buffers = calloc(s->buffers.count + 1, sizeof(*o->buffers));
	o->maps = aligned_alloc(64, (s->maps.count + 1) * sizeof(*o->maps));
	if (!o->buffers || !o->maps)
		return -ENOMEM;
	return vsm_cluster_create(o->device, &s->config, &o->cluster);
}

int create_buffer(struct objects *o, unsigned int index)
{
	return vsm_buffer_create(o->device, o->scenario->buffer_sizes[index], &o->buffers[index]);
}

int create_tensor_map(struct objects *o, const struct tensor *t)
{
	const struct vsm_buffer *buffer = o->buffers[t->buffer];
	struct drm_vsm_tensor_map *map = &o->maps[t->map];

	if (t->mode == DRM_VSM_TENSOR_TILED)
		return vsm_tensor_map_encode_tiled(map, t->type, t->rank, buffer, t->offset,
						   t->dims, t->strides, t->box, t->element_strides,
						   t->interleave, t->swizzle, 0, t->fill);
	return vsm_tensor_map_encode_im2col(map, t->type, t->rank, buffer, t->offset, t->dims,
					    t->strides, t->lower, t->upper, t->channels,
					    t->pixels, t->element_strides, t->interleave,
					    t->swizzle, 0, t->fill);
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
