/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dumps of failures, for devcoredump.
 */
#ifndef _VSM_DUMP_H_
#define _VSM_DUMP_H_

#include <drm/vsm_dump.h>

struct vsm_client;
struct vsm_cluster;
struct vsm_device;

/* The most instructions, words and events in a dump */
#define VSM_DUMP_INSNS	512
#define VSM_DUMP_WORDS	64
#define VSM_DUMP_EVENTS	256

int vsm_dumps_init(struct vsm_device *vdev);
void vsm_dumps_stop(struct vsm_device *vdev);
struct drm_vsm_dump *vsm_dump_begin(struct vsm_cluster *cluster, const struct vsm_client *client,
				    enum drm_vsm_dump_reason reason, u32 insns);
void vsm_dump_add_word(struct drm_vsm_dump *dump, const struct vsm_cluster *cluster, u32 index);
void vsm_dump_end(const struct vsm_cluster *cluster, struct drm_vsm_dump *dump);

/* The part of a dump at its offset */
static inline void *vsm_dump_at(struct drm_vsm_dump *dump, const struct drm_vsm_dump_part *part)
{
	return (void *)dump + part->offset;
}

#endif
