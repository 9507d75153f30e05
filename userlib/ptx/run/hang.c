// SPDX-License-Identifier: MIT
/*
 * Finds the cause of a hang.
 *
 * For each stop whose threads wait, the threads that are missing are known, or some of them. They
 * are at other stops, which explain the wait. A stop that nothing explains is the cause. If all are
 * explained, they wait for each other in a circle, and the stop that is the least usual in a
 * correct program is reported as the cause.
 */
#include <stdlib.h>
#include <string.h>

#include "run/hang.h"
#include "run/missing.h"

/* --- the cause ---------------------------------------------------------------------- */

/* Do other stops explain why the threads of a stop wait? */
static bool is_explained(const struct ptx_hang *hang, const struct ptx_stop *stop)
{
	uint32_t i;

	if (stop->kind == WAIT_NOTHING || stop->exited)
		return false;
	if (stop->complete)
		return true;
	/* Nobody has ever arrived: anybody else may be the one who is missing. */
	if (!stop->missing_count)
		return stop->likelihood == LIKELY_NEVER && hang->count > 1;
	for (i = 0; i < stop->missing_count; i++)
		if (&hang->stops[stop->missing[i].stop] == stop)
			return false;
	return true;
}

static uint32_t find_cause(struct ptx_hang *hang)
{
	uint32_t best = 0, i;

	hang->circle = true;
	for (i = 0; i < hang->count; i++)
		hang->circle &= hang->stops[i].explained;
	for (i = 0; i < hang->count; i++) {
		const struct ptx_stop *stop = &hang->stops[i], *other = &hang->stops[best];

		if (stop->explained && !hang->circle)
			continue;
		if ((other->explained && !hang->circle) || stop->likelihood > other->likelihood)
			best = i;
	}
	return best;
}

/* Puts the cause first, then the stops of the threads that it misses, and so on. */
static bool sort_stops(struct ptx_hang *hang)
{
	uint32_t *order = malloc(2 * hang->count * sizeof(*order)), *at = order + hang->count;
	struct ptx_stop *sorted = calloc(hang->count, sizeof(*sorted));
	uint32_t done = 0, next = 0, i, j;

	if (!order || !sorted) {
		free(order);
		free(sorted);
		return false;
	}
	for (i = 0; i < hang->count; i++)
		at[i] = ~0u;
	i = find_cause(hang);
	do {
		if (at[i] == ~0u) {
			at[i] = done;
			order[done++] = i;
		}
		for (; next < done; next++) {
			const struct ptx_stop *stop = &hang->stops[order[next]];

			for (j = 0; j < stop->missing_count; j++) {
				int32_t to = stop->missing[j].stop;

				if (to >= 0 && at[to] == ~0u) {
					at[to] = done;
					order[done++] = to;
				}
			}
		}
		for (i = 0; i < hang->count && at[i] != ~0u; i++)
			;
	} while (i < hang->count);
	for (i = 0; i < hang->count; i++) {
		sorted[i] = hang->stops[order[i]];
		for (j = 0; j < sorted[i].missing_count; j++)
			if (sorted[i].missing[j].stop >= 0)
				sorted[i].missing[j].stop = at[sorted[i].missing[j].stop];
	}
	free(hang->stops);
	free(order);
	hang->stops = sorted;
	return true;
}

static struct ptx_hang *analyse(const struct ptx_cluster *cluster)
{
	struct ptx_hang *hang = calloc(1, sizeof(*hang));
	uint32_t i;

	if (!hang)
		return NULL;
	hang->cluster = cluster;
	hang->stops = calloc(PTX_STOPS, sizeof(*hang->stops));
	if (!hang->stops)
		goto failed;
	ptx_stop_collect(hang);
	for (i = 0; i < hang->count; i++)
		ptx_missing_find(hang, &hang->stops[i]);
	for (i = 0; i < hang->count; i++)
		hang->stops[i].explained = is_explained(hang, &hang->stops[i]);
	if (!hang->count || sort_stops(hang))
		return hang;
failed:
	ptx_hang_free(hang);
	return NULL;
}

/* Is @x a better explanation than @y? */
static bool is_better(const struct ptx_hang *x, const struct ptx_hang *y)
{
	if (!x->count || !y->count)
		return x->count > y->count;
	if (x->stops[0].likelihood != y->stops[0].likelihood)
		return x->stops[0].likelihood > y->stops[0].likelihood;
	return x->cluster->index < y->cluster->index;
}

/* The device has found a deadlock in one cluster. The others were only stopped. */
static bool is_concerned(const struct vsm_ptx_launch *launch, const struct ptx_cluster *cluster)
{
	return launch->fault.failure != FAILURE_DEADLOCK ||
	       !memcmp(cluster->ctas[launch->fault.rank].ctaid, launch->fault.ctaid,
		       sizeof(launch->fault.ctaid));
}

static void set_fault(struct ptx_fault *fault, const struct ptx_stop *stop)
{
	uint32_t thread = ptx_stop_first(stop);

	fault->step = stop->pc;
	memcpy(fault->ctaid, stop->cta->ctaid, sizeof(fault->ctaid));
	fault->rank = stop->cta->rank;
	fault->warp = thread / PTX_LANES;
	fault->lane = thread % PTX_LANES;
	fault->lanes = stop->lanes[fault->warp];
}

const struct ptx_hang *ptx_hang_find(struct vsm_ptx_launch *launch)
{
	struct ptx_hang *best = NULL, *hang;
	const struct ptx_cluster *cluster;
	uint32_t others = 0, i;

	if (launch->hang)
		return launch->hang;
	for (i = 0; i < launch->worker_count; i++) {
		for (cluster = launch->workers[i].clusters; cluster; cluster = cluster->next) {
			others++;
			hang = is_concerned(launch, cluster) ? analyse(cluster) : NULL;
			if (!hang)
				continue;
			if (best && !is_better(hang, best)) {
				ptx_hang_free(hang);
				continue;
			}
			ptx_hang_free(best);
			best = hang;
		}
	}
	if (!best)
		return NULL;
	best->others = others - 1;
	if (best->count)
		set_fault(&launch->fault, &best->stops[0]);
	launch->hang = best;
	return best;
}

void ptx_hang_free(struct ptx_hang *hang)
{
	if (!hang)
		return;
	free(hang->stops);
	free(hang);
}
