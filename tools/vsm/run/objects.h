/* SPDX-License-Identifier: MIT */
/*
 * The device, and the objects that a scenario has on it.
 */
#ifndef _RUN_OBJECTS_H_
#define _RUN_OBJECTS_H_

#include "scenario/scenario.h"

/**
 * struct objects - Objects of a scenario
 * @scenario: The scenario
 * @device: The device
 * @cluster: The cluster
 * @buffers: Buffers, by index
 * @maps: Tensor maps, by index
 */
struct objects {
	const struct scenario *scenario;
	struct vsm_device *device;
	struct vsm_cluster *cluster;
	struct vsm_buffer **buffers;
	struct drm_vsm_tensor_map *maps;
};

/* Creates the cluster, and room for the others. All functions return 0 or a negative errno. */
int objects_create(struct objects *objects);
int create_buffer(struct objects *objects, unsigned int index);
int create_tensor_map(struct objects *objects, const struct tensor *tensor, const char **reason);

/* Address of a place in this process. */
void *memory_at(const struct objects *objects, const struct place *place);
#define PLACE_SIZE 16
/* Name of the buffer, or "CTA RANK" in @text. */
const char *memory_name(const struct objects *objects, const struct place *place,
			char text[PLACE_SIZE]);
/* Executes a fill statement. */
void fill_memory(const struct objects *objects, const struct statement *fill);

#endif
