// SPDX-License-Identifier: MIT
/*
 * Says where threads have exited, and which branch has led them there.
 */
#include <string.h>

#include "report/parts.h"

void ptx_report_exit(FILE *out, const struct ptx_cluster *cluster, uint32_t rank, uint32_t warp,
		     bool one)
{
	struct ptx_exit left = ptx_history_exit(cluster, rank, warp);

	fprintf(out, one ? "has exited" : "have exited");
	if (left.step < 0)
		return;
	fprintf(out, " at ");
	ptx_report_line(out, cluster->launch, left.step);
	if (left.branch < 0)
		return;
	fprintf(out, ", after the branch at ");
	ptx_report_line(out, cluster->launch, left.branch);
}

bool ptx_report_exit_is_alike(const struct ptx_cluster *cluster, uint32_t rank, uint32_t x,
			      uint32_t y)
{
	struct ptx_exit one = ptx_history_exit(cluster, rank, x);
	struct ptx_exit other = ptx_history_exit(cluster, rank, y);

	return one.step == other.step && one.branch == other.branch;
}

/* Writes a line that begins with @before for all warps that have exited at the same place. */
static void report_exited(FILE *out, const struct ptx_cluster *cluster, uint32_t rank,
			  const uint32_t exited[PTX_LANES], const char *before)
{
	uint32_t left[PTX_LANES], alike[PTX_LANES], first, warp;
	bool one;

	memcpy(left, exited, sizeof(left));
	for (first = 0; first < PTX_LANES; first++) {
		if (!left[first])
			continue;
		memset(alike, 0, sizeof(alike));
		for (warp = first; warp < PTX_LANES; warp++) {
			if (!left[warp] || !ptx_report_exit_is_alike(cluster, rank, first, warp))
				continue;
			alike[warp] = left[warp];
			left[warp] = 0;
		}
		fprintf(out, "%s", before);
		one = ptx_report_threads(out, cluster, rank, alike);
		fprintf(out, " ");
		ptx_report_exit(out, cluster, rank, first, one);
		fprintf(out, "\n");
	}
}

/* Lanes of a CTA that have exited. Returns their number. */
static uint32_t find_exited(const struct ptx_cluster *cluster, uint32_t rank,
			    uint32_t exited[PTX_LANES])
{
	uint32_t warps = ptx_block_warps(cluster->launch), count = 0, warp;

	memset(exited, 0, PTX_LANES * sizeof(exited[0]));
	for (warp = 0; warp < warps; warp++) {
		exited[warp] = ptx_warp_all_lanes(cluster->launch, warp) &
			       ~cluster->ctas[rank].warps[warp].lanes;
		count += __builtin_popcount(exited[warp]);
	}
	return count;
}

void ptx_report_gone(FILE *out, const struct ptx_cluster *cluster, uint32_t rank)
{
	uint32_t exited[PTX_LANES];

	if (find_exited(cluster, rank, exited))
		report_exited(out, cluster, rank, exited, "  ");
}

/* Lanes of a CTA that have exited and not arrived in the phase. Returns their number. */
static uint32_t find_absent(const struct ptx_cluster *cluster, uint32_t rank,
			    const struct ptx_phase *phase, uint32_t absent[PTX_LANES])
{
	uint32_t count = 0, i;

	find_exited(cluster, rank, absent);
	for (i = 0; i < phase->count; i++) {
		const struct ptx_note *note = &phase->notes[i];

		if (note->rank == rank &&
		    (note->kind == NOTE_ARRIVE || note->kind == NOTE_ARRIVE_ASYNC))
			absent[note->warp % PTX_LANES] &= ~note->lanes;
	}
	for (i = 0; i < PTX_LANES; i++)
		count += __builtin_popcount(absent[i]);
	return count;
}

void ptx_report_absent(FILE *out, const struct ptx_cluster *cluster,
		       const struct ptx_phase *phase, uint32_t pending)
{
	uint32_t absent[PTX_LANES], count = 0, rank;

	for (rank = 0; rank < cluster->launch->cluster_ctas; rank++)
		count += find_absent(cluster, rank, phase, absent);
	if (count != pending)
		return;
	for (rank = 0; rank < cluster->launch->cluster_ctas; rank++)
		if (find_absent(cluster, rank, phase, absent))
			report_exited(out, cluster, rank, absent, "    not arrived: ");
}
