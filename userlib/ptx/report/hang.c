// SPDX-License-Identifier: MIT
/*
 * Says why a launch hangs: which threads wait where, and for what.
 */
#include <string.h>

#include "report/report.h"

/** struct place - Lanes of a CTA that are at one step */
struct place {
	const struct ptx_cta *cta;
	uint32_t pc;
	enum ptx_state state;
	struct drm_vsm_insn insn;
	uint32_t threads;
	uint32_t first_warp;
	uint32_t last_warp;
	uint32_t warps;
};

#define MAX_PLACES 64

/** struct places - All places at which threads are */
struct places {
	struct place items[MAX_PLACES];
	unsigned int count;
	bool more;
};

static bool is_at(const struct place *place, const struct ptx_cta *cta,
		  const struct ptx_group *group)
{
	return place->cta == cta && place->pc == group->pc && place->state == group->state &&
	       (group->state != GROUP_WAITS ||
		!memcmp(&place->insn.u, &group->insn.u, sizeof(place->insn.u)));
}

static void add(struct places *places, const struct ptx_cta *cta, const struct ptx_warp *warp,
		const struct ptx_group *group)
{
	struct place *place = NULL;
	unsigned int i;

	for (i = 0; i < places->count; i++)
		if (is_at(&places->items[i], cta, group))
			place = &places->items[i];
	if (!place) {
		if (places->count == MAX_PLACES) {
			places->more = true;
			return;
		}
		place = &places->items[places->count++];
		*place = (struct place){
			.cta = cta, .pc = group->pc, .state = group->state, .insn = group->insn,
			.first_warp = warp->number,
		};
	}
	if (!place->warps || place->last_warp != warp->number)
		place->warps++;
	place->last_warp = warp->number;
	place->threads += __builtin_popcount(group->lanes);
}

static void collect(struct places *places, const struct vsm_ptx_launch *launch,
		    const struct ptx_cluster *cluster)
{
	uint32_t cta, warp, group;

	for (cta = 0; cta < launch->cluster_ctas; cta++) {
		for (warp = 0; warp < ptx_block_warps(launch); warp++) {
			const struct ptx_warp *w = &cluster->ctas[cta].warps[warp];

			for (group = 0; group < PTX_LANES; group++)
				if (w->groups[group].state != GROUP_FREE)
					add(places, &cluster->ctas[cta], w, &w->groups[group]);
		}
	}
}

static void report_wait(FILE *out, const struct place *place)
{
	char text[256];

	vsm_insn_describe(&place->insn, text, sizeof(text));
	fprintf(out, "    wait: %s\n", text);
}

static void report_place(FILE *out, const struct vsm_ptx_launch *launch,
			 const struct place *place)
{
	const uint32_t *ctaid = place->cta->ctaid;

	fprintf(out, "  CTA (%u,%u,%u): %u thread%s of warp%s %u", ctaid[0], ctaid[1], ctaid[2],
		place->threads, place->threads == 1 ? "" : "s", place->warps == 1 ? "" : "s",
		place->first_warp);
	if (place->warps > 1)
		fprintf(out, " to %u", place->last_warp);
	fprintf(out, place->state == GROUP_WAITS ? " wait at " : " run at ");
	ptx_report_place(out, launch, place->pc);
	fprintf(out, "\n");
	if (place->state == GROUP_WAITS)
		report_wait(out, place);
}

void ptx_report_hang(FILE *out, const struct vsm_ptx_launch *launch)
{
	const struct ptx_cluster *cluster;
	uint32_t i, j;

	fprintf(out, launch->fault.failure == FAILURE_DEADLOCK
			     ? "DEADLOCK: no thread of a cluster can go on\n"
			     : "the time limit has passed\n");
	fprintf(out, "  kernel %s", launch->program->kernel->name);
	if (launch->config.seed)
		fprintf(out, ", seed %llu", (unsigned long long)launch->config.seed);
	fprintf(out, "\n");
	for (i = 0; i < launch->worker_count; i++) {
		for (cluster = launch->workers[i].clusters; cluster; cluster = cluster->next) {
			struct places places = { };

			collect(&places, launch, cluster);
			for (j = 0; j < places.count; j++)
				report_place(out, launch, &places.items[j]);
			if (places.more)
				fprintf(out, "  and more\n");
		}
	}
}
