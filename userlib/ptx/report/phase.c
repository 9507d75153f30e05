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
 * struct merged_note - Notes of the same kind and step, of warps of one CTA
 * @kind: &enum ptx_note_kind
 * @rank: Rank of the CTA
 * @step: The step
 * @first: The first warp
 * @amount: Sum of the amounts
 * @address: Lowest destination of copies
 * @lanes: Lanes of each warp
 */
struct merged_note {
	enum ptx_note_kind kind;
	uint32_t rank;
	uint32_t step;
	uint32_t first;
	uint64_t amount;
	uint32_t address;
	uint32_t lanes[PTX_LANES];
};

static int compare_merged(const void *a, const void *b)
{
	const struct merged_note *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->step < y->step ? -1 : x->step > y->step;
}

static void merge_note(struct merged_note *merged, uint32_t *count, const struct ptx_note *note)
{
	struct merged_note *entry = merged;

	while (entry < merged + *count &&
	       (entry->kind != note->kind || entry->rank != note->rank ||
		entry->step != note->step))
		entry++;
	if (entry == merged + *count) {
		*entry = (struct merged_note){
			.kind = note->kind, .rank = note->rank, .step = note->step,
			.first = note->warp, .address = note->address,
		};
		(*count)++;
	}
	if (note->warp < entry->first)
		entry->first = note->warp;
	if (note->address < entry->address)
		entry->address = note->address;
	entry->amount += note->amount;
	entry->lanes[note->warp % PTX_LANES] |= note->lanes;
}

static void report_merged(FILE *out, const struct ptx_cluster *cluster,
			  const struct merged_note *entry)
{
	bool arrivals = entry->kind == NOTE_ARRIVE || entry->kind == NOTE_ARRIVE_ASYNC;

	fprintf(out, "    %s: ", verbs[entry->kind]);
	if (entry->kind != NOTE_WAIT) {
		ptx_phrase_count(out, entry->amount, arrivals ? "arrival" : "byte");
		if (entry->kind == NOTE_COPY) {
			fprintf(out, " to ");
			ptx_report_variable(out, cluster, entry->address);
		}
		fprintf(out, arrivals ? " of " : " by ");
	}
	ptx_report_threads(out, cluster, entry->rank, entry->lanes);
	fprintf(out, " at ");
	ptx_report_line(out, cluster->launch, entry->step);
	fprintf(out, "\n");
}

void ptx_report_notes(FILE *out, const struct ptx_cluster *cluster, const struct ptx_phase *phase,
		      unsigned int kinds)
{
	struct merged_note merged[PTX_NOTES];
	uint32_t count = 0, i;

	for (i = 0; i < phase->count; i++)
		if (kinds >> phase->notes[i].kind & 1)
			merge_note(merged, &count, &phase->notes[i]);
	qsort(merged, count, sizeof(merged[0]), compare_merged);
	for (i = 0; i < count; i++)
		report_merged(out, cluster, &merged[i]);
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
	ptx_report_cta(out, cluster, ptx_rank_of(address));
	fprintf(out, " (offset %u)", ptx_offset_of(address));
}
