/* SPDX-License-Identifier: MIT */
/*
 * What is remembered of a cluster from one sample to the next, to tell whether anything happens in
 * it.
 */
#ifndef _TOP_PAST_H_
#define _TOP_PAST_H_

#include <stddef.h>
#include <stdint.h>

#include "ps_cluster.h"
#include "top/row.h"

/* A cluster with waits in which nothing happens for so long is stuck (ns). */
#define PAST_STUCK 5000000000LL

/**
 * struct past - What is remembered of a cluster
 * @device: Instance number of its device
 * @number: Number of the cluster
 * @picture: Hash of what its threads, operations and jobs do
 * @since: Time of the first sample since which nothing has happened (ns)
 * @quiet: Something waits, but no thread runs and nothing is in flight
 * @dead: It was quiet in the sample before, too, and nothing has happened since then
 */
struct past {
	uint32_t device;
	uint32_t number;
	uint64_t picture;
	int64_t since;
	bool quiet;
	bool dead;
};

/* Finds the cluster among those of the sample before. Returns NULL if it is new. */
const struct past *past_find(const struct past *pasts, size_t count,
			     const struct ps_cluster *cluster);
/*
 * Looks at a cluster. @progress: its client has completed phases or moved bytes since @old, which
 * is what was remembered before, or NULL.
 */
void past_look(struct past *past, const struct ps_cluster *cluster, bool progress,
	       const struct past *old);
void past_set_row(const struct past *past, const struct ps_cluster *cluster,
		  struct cluster_row *row);

#endif
