// SPDX-License-Identifier: MIT
/*
 * Says what has happened to an mbarrier.
 */
#include <stdlib.h>

#include "report/parts.h"

static const char *const verbs[] = {
	[NOTE_ARRIVE] = "arrived",
	[NOTE_ARRIVE_ASYNC] = "arrived after copies",
	[NOTE_EXPECT] = "announced",
	[NOTE_COPY] = "copied",
	[NOTE_COMPLETE] = "completed",
	[NOTE_WAIT] = "waited",
};

/**
 * struct deed - Notes of the same kind and step, of warps of one CTA
 * @kind: &enum ptx_note_kind
 * @rank: Rank of the CTA
 * @step: The step
 * @first: The first warp
 * @amount: Sum of the amounts
 * @address: Lowest destination of copies
 * @lanes: Lanes of each warp
 */
struct deed {
	enum ptx_note_kind kind;
	uint32_t rank;
	uint32_t step;
	uint32_t first;
	uint64_t amount;
	uint32_t address;
	uint32_t lanes[PTX_LANES];
};

static int compare_deeds(const void *a, const void *b)
{
	const struct deed *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->step < y->step ? -1 : x->step > y->step;
}

static void add_deed(struct deed *deeds, uint32_t *count, const struct ptx_note *note)
{
	struct deed *deed = deeds;

	while (deed < deeds + *count && (deed->kind != note->kind || deed->rank != note->rank ||
					 deed->step != note->step))
		deed++;
	if (deed == deeds + *count) {
		*deed = (struct deed){
			.kind = note->kind, .rank = note->rank, .step = note->step,
			.first = note->warp, .address = note->address,
		};
		(*count)++;
	}
	if (note->warp < deed->first)
		deed->first = note->warp;
	if (note->address < deed->address)
		deed->address = note->address;
	deed->amount += note->amount;
	deed->lanes[note->warp % PTX_LANES] |= note->lanes;
}

static void report_deed(FILE *out, const struct ptx_cluster *cluster, const struct deed *deed)
{
	bool arrivals = deed->kind == NOTE_ARRIVE || deed->kind == NOTE_ARRIVE_ASYNC;

	fprintf(out, "    %s: ", verbs[deed->kind]);
	if (deed->kind != NOTE_WAIT) {
		ptx_report_count(out, deed->amount, arrivals ? "arrival" : "byte");
		if (deed->kind == NOTE_COPY) {
			fprintf(out, " to ");
			ptx_report_variable(out, cluster, deed->address);
		}
		fprintf(out, arrivals ? " of " : " by ");
	}
	ptx_report_threads(out, cluster, deed->rank, deed->lanes);
	fprintf(out, " at ");
	ptx_report_line(out, cluster->launch, deed->step);
	fprintf(out, "\n");
}

void ptx_report_notes(FILE *out, const struct ptx_cluster *cluster, const struct ptx_phase *phase,
		      unsigned int kinds)
{
	struct deed deeds[PTX_NOTES];
	uint32_t count = 0, i;

	for (i = 0; i < phase->count; i++)
		if (kinds >> phase->notes[i].kind & 1)
			add_deed(deeds, &count, &phase->notes[i]);
	qsort(deeds, count, sizeof(deeds[0]), compare_deeds);
	for (i = 0; i < count; i++)
		report_deed(out, cluster, &deeds[i]);
	if (phase->lost)
		fprintf(out, "    and more that were not recorded\n");
}

void ptx_report_init(FILE *out, const struct ptx_cluster *cluster,
		     const struct ptx_object *object)
{
	fprintf(out, "    initialised: count %llu by ", (unsigned long long)object->init.amount);
	ptx_report_lanes(out, cluster, object->init.rank, object->init.warp, object->init.lanes);
	fprintf(out, " at ");
	ptx_report_line(out, cluster->launch, object->init.step);
	fprintf(out, "\n");
	if (object->live)
		return;
	fprintf(out, "    invalidated: by ");
	ptx_report_lanes(out, cluster, object->inval.rank, object->inval.warp,
			 object->inval.lanes);
	fprintf(out, " at ");
	ptx_report_line(out, cluster->launch, object->inval.step);
	fprintf(out, "\n");
}

void ptx_report_phase(FILE *out, const struct ptx_cluster *cluster, uint32_t address,
		      const struct ptx_phase *phase)
{
	if (phase)
		fprintf(out, "phase %llu of ", (unsigned long long)phase->number);
	ptx_report_variable(out, cluster, address);
	fprintf(out, " in ");
	ptx_report_cta(out, cluster, address >> PTX_RANK_SHIFT);
	fprintf(out, " (offset %u)", address & ((1u << PTX_RANK_SHIFT) - 1));
}
