// SPDX-License-Identifier: MIT
/*
 * Says what has happened to an mbarrier.
 */
#include "report/report.h"

static const char *const verbs[] = {
	[NOTE_ARRIVE] = "arrived",
	[NOTE_ARRIVE_ASYNC] = "arrived after copies",
	[NOTE_EXPECT] = "announced",
	[NOTE_COPY] = "copied",
	[NOTE_COMPLETE] = "completed",
	[NOTE_WAIT] = "waited",
};

static void report_note(FILE *out, const struct ptx_cluster *cluster, const struct ptx_note *note)
{
	fprintf(out, "    %s: ", verbs[note->kind]);
	switch (note->kind) {
	case NOTE_ARRIVE:
	case NOTE_ARRIVE_ASYNC:
		ptx_report_count(out, note->amount, "arrival");
		fprintf(out, " of ");
		break;
	case NOTE_EXPECT:
	case NOTE_COMPLETE:
		ptx_report_count(out, note->amount, "byte");
		fprintf(out, " by ");
		break;
	case NOTE_COPY:
		ptx_report_count(out, note->amount, "byte");
		fprintf(out, " to ");
		ptx_report_variable(out, cluster, note->address);
		fprintf(out, " by ");
		break;
	default:
		break;
	}
	ptx_report_lanes(out, cluster, note->rank, note->warp, note->lanes);
	fprintf(out, " at ");
	ptx_report_place(out, cluster->launch, note->step);
	fprintf(out, "\n");
}

void ptx_report_notes(FILE *out, const struct ptx_cluster *cluster, const struct ptx_phase *phase,
		      unsigned int kinds)
{
	uint32_t i;

	for (i = 0; i < phase->count; i++)
		if (kinds >> phase->notes[i].kind & 1)
			report_note(out, cluster, &phase->notes[i]);
	if (phase->lost)
		fprintf(out, "    and more that were not recorded\n");
}

void ptx_report_init(FILE *out, const struct ptx_cluster *cluster,
		     const struct ptx_object *object)
{
	fprintf(out, "    initialised: count %llu by ", (unsigned long long)object->init.amount);
	ptx_report_lanes(out, cluster, object->init.rank, object->init.warp, object->init.lanes);
	fprintf(out, " at ");
	ptx_report_place(out, cluster->launch, object->init.step);
	fprintf(out, "\n");
	if (object->live)
		return;
	fprintf(out, "    invalidated: by ");
	ptx_report_lanes(out, cluster, object->inval.rank, object->inval.warp,
			 object->inval.lanes);
	fprintf(out, " at ");
	ptx_report_place(out, cluster->launch, object->inval.step);
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
