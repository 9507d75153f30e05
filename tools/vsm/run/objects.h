/* SPDX-License-Identifier: MIT */
/*
 * The objects of a scenario: its cluster, its buffers and its tensor maps.
 */
#ifndef _RUN_OBJECTS_H_
#define _RUN_OBJECTS_H_

#include "scenario/scenario.h"

/**
 * struct objects - Objects of a scenario
 * @scenario: The scenario
 * @device: The device
 * @records: The cluster has a flight recorder, and events name the lines of the scenario
 * @cluster: The cluster
 * @buffers: Buffers in the order of their statements; NULL before the statement
 * @maps: Tensor maps in the order of their statements
 */
struct objects {
	const struct scenario *scenario;
	struct vsm_device *device;
	bool records;
	struct vsm_cluster *cluster;
	struct vsm_buffer **buffers;
	struct drm_vsm_tensor_map *maps;
};

/*
 * objects_create() creates the cluster, and allocates the arrays of buffers and maps. The other two
 * functions create one object. All three return 0 or a negative errno.
 */
int objects_create(struct objects *objects);
int create_buffer(struct objects *objects, unsigned int index);
int create_tensor_map(struct objects *objects, const struct tensor *tensor, const char **reason);

/* Returns the address at which this process has mapped a place. */
void *memory_at(const struct objects *objects, const struct place *place);
#define PLACE_SIZE 16
/* Returns the name of a place's buffer, or writes "CTA RANK" to @text and returns @text. */
const char *memory_name(const struct objects *objects, const struct place *place,
			char text[PLACE_SIZE]);
/* Executes a fill statement. */
void fill_memory(const struct objects *objects, const struct statement *fill);

#endif
