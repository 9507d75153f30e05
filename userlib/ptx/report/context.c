// SPDX-License-Identifier: MIT
/*
 * Says what came before a fault: who has arrived, who has announced bytes, who has initialised the
 * mbarrier, where threads have exited.
 */
#include <string.h>

#include "report/parts.h"
#include "run/target.h"

#define ARRIVALS (1 << NOTE_ARRIVE | 1 << NOTE_ARRIVE_ASYNC)
#define BYTES (1 << NOTE_EXPECT | 1 << NOTE_COPY | 1 << NOTE_COMPLETE)

static const struct ptx_cluster *find_cluster(const struct vsm_ptx_launch *launch)
{
	const struct ptx_fault *fault = &launch->fault;
	const struct ptx_cluster *cluster;
	uint32_t i;

	for (i = 0; i < launch->worker_count; i++)
		for (cluster = launch->workers[i].clusters; cluster; cluster = cluster->next)
			if (!memcmp(cluster->ctas[fault->rank].ctaid, fault->ctaid,
				    sizeof(fault->ctaid)))
				return cluster;
	return NULL;
}

/* --- mbarriers ---------------------------------------------------------------------- */

/* The mbarrier that a fault concerns. */
static struct ptx_object *find_object(const struct ptx_cluster *cluster,
				      const struct drm_vsm_insn *insn)
{
	uint32_t address;

	if (insn->fault == DRM_VSM_FAULT_WRITE_OVER_LIVE ||
	    insn->fault == DRM_VSM_FAULT_READ_OVER_LIVE)
		address = insn->info;
	else if (!ptx_insn_mbarrier(insn, &address))
		return NULL;
	return ptx_history_object(cluster, address);
}

static void report_title(FILE *out, const struct ptx_cluster *cluster,
			 const struct ptx_object *object, const struct ptx_phase *phase,
			 const char *text)
{
	fprintf(out, "  ");
	ptx_report_phase(out, cluster, object->address, phase);
	fprintf(out, "%s\n", text);
}

static void report_arrivals(FILE *out, const struct ptx_cluster *cluster,
			    struct ptx_object *object)
{
	const struct ptx_phase *phase = ptx_object_phase(object);
	char text[80];

	snprintf(text, sizeof(text), " expects %llu arrival%s, and %llu %s come",
		 (unsigned long long)phase->expected, phase->expected == 1 ? "" : "s",
		 (unsigned long long)phase->arrived, phase->arrived == 1 ? "has" : "have");
	report_title(out, cluster, object, phase, text);
	ptx_report_notes(out, cluster, phase, ARRIVALS);
	ptx_report_init(out, cluster, object);
}

static void report_bytes(FILE *out, const struct ptx_cluster *cluster, struct ptx_object *object,
			 const struct ptx_phase *phase)
{
	const struct ptx_note *announced = NULL;
	uint32_t i;

	for (i = 0; i < phase->count && !announced; i++)
		if (phase->notes[i].kind == NOTE_EXPECT)
			announced = &phase->notes[i];
	fprintf(out, "  ");
	ptx_report_phase(out, cluster, object->address, phase);
	fprintf(out, ": %llu bytes were announced", (unsigned long long)phase->announced);
	if (announced) {
		fprintf(out, " at ");
		ptx_report_line(out, cluster->launch, announced->step);
	}
	fprintf(out, ", copies have %llu bytes\n", (unsigned long long)phase->issued);
	ptx_report_notes(out, cluster, phase, BYTES);
}

static void report_unobserved(FILE *out, const struct ptx_cluster *cluster,
			      struct ptx_object *object)
{
	const struct ptx_phase *before = ptx_object_before(object);

	if (!ptx_object_phase(object)->number)
		return;
	report_title(out, cluster, object, before,
		     " is complete, and no wait has found it complete");
	ptx_report_notes(out, cluster, before, ARRIVALS);
}

static void report_mbarrier(FILE *out, const struct ptx_cluster *cluster,
			    struct ptx_object *object, uint32_t fault)
{
	switch (fault) {
	case DRM_VSM_FAULT_ARRIVAL_OVERFLOW:
	case DRM_VSM_FAULT_NOCOMPLETE_COMPLETES:
	case DRM_VSM_FAULT_PENDING_RANGE:
		report_arrivals(out, cluster, object);
		break;
	case DRM_VSM_FAULT_LATE_COMPLETION:
		if (ptx_object_phase(object)->number)
			report_bytes(out, cluster, object, ptx_object_before(object));
		report_bytes(out, cluster, object, ptx_object_phase(object));
		break;
	case DRM_VSM_FAULT_TX_OVERDELIVERY:
	case DRM_VSM_FAULT_TX_RANGE:
		report_bytes(out, cluster, object, ptx_object_phase(object));
		break;
	case DRM_VSM_FAULT_PHASE_UNOBSERVED:
		report_unobserved(out, cluster, object);
		break;
	case DRM_VSM_FAULT_INIT_OVER_LIVE:
	case DRM_VSM_FAULT_WRITE_OVER_LIVE:
	case DRM_VSM_FAULT_READ_OVER_LIVE:
	case DRM_VSM_FAULT_INIT_NOT_FENCED:
	case DRM_VSM_FAULT_NOT_AN_MBARRIER:
	case DRM_VSM_FAULT_DROP_TO_ZERO:
	case DRM_VSM_FAULT_INVAL_IN_USE:
		report_title(out, cluster, object, NULL, ":");
		ptx_report_init(out, cluster, object);
		break;
	default:
		break;
	}
}

/* --- barriers and warp operations --------------------------------------------------- */

static void report_barrier(FILE *out, const struct ptx_cluster *cluster, uint32_t rank,
			   uint32_t number)
{
	const struct ptx_barrier *barrier;
	uint32_t i;

	if (number >= PTX_NAMED_BARRIERS)
		return;
	barrier = &cluster->history->barriers[rank * PTX_NAMED_BARRIERS + number];
	if (!barrier->note_count)
		return;
	fprintf(out, "  barrier %u of ", number);
	ptx_report_cta(out, cluster, rank);
	fprintf(out, " waits for %u threads\n", barrier->count);
	for (i = 0; i < barrier->note_count; i++) {
		const struct ptx_note *note = &barrier->notes[i];

		if (!note->times)
			continue;
		fprintf(out, "    arrived: ");
		ptx_report_lanes(out, cluster, rank, note->warp,
				 ptx_warp_all_lanes(cluster->launch, note->warp));
		if (note->amount)
			fprintf(out, " with count %llu", (unsigned long long)note->amount);
		fprintf(out, " at ");
		ptx_report_line(out, cluster->launch, note->step);
		fprintf(out, "\n");
	}
}

/* The lane with which the instruction was to meet is elsewhere. */
static void report_other_lane(FILE *out, const struct ptx_cluster *cluster,
			      const struct ptx_fault *fault)
{
	const struct ptx_warp *warp = &cluster->ctas[fault->rank].warps[fault->warp];
	uint32_t lane = fault->insn.info & 31, i;

	for (i = 0; i < PTX_LANES; i++) {
		const struct ptx_group *group = &warp->groups[i];
		bool one;

		if (group->state == GROUP_FREE || !(group->lanes >> lane & 1) ||
		    group->pc == fault->step)
			continue;
		fprintf(out, "  ");
		one = ptx_report_lanes(out, cluster, fault->rank, fault->warp, group->lanes);
		if (group->state == GROUP_WAITS)
			fprintf(out, one ? " waits at " : " wait at ");
		else
			fprintf(out, one ? " is at " : " are at ");
		ptx_report_line(out, cluster->launch, group->pc);
		fprintf(out, "\n");
	}
}

void ptx_report_context(FILE *out, const struct vsm_ptx_launch *launch)
{
	const struct ptx_fault *fault = &launch->fault;
	const struct ptx_cluster *cluster = find_cluster(launch);
	struct ptx_object *object;

	if (!cluster || !cluster->history)
		return;
	if (fault->gone) {
		ptx_report_gone(out, cluster, fault->gone - 1);
		return;
	}
	switch (fault->insn.fault) {
	case DRM_VSM_FAULT_BARRIER_MISMATCH:
	case DRM_VSM_FAULT_BARRIER_MIXED:
	case DRM_VSM_FAULT_BARRIER_OVERFLOW:
		report_barrier(out, cluster, fault->rank, fault->insn.u.barrier.barrier);
		return;
	case DRM_VSM_FAULT_WARP_MISMATCH:
	case DRM_VSM_FAULT_PARTIAL_WARP:
		report_other_lane(out, cluster, fault);
		return;
	default:
		break;
	}
	object = find_object(cluster, &fault->insn);
	if (!object)
		return;
	ptx_object_sync(cluster, object);
	report_mbarrier(out, cluster, object, fault->insn.fault);
}
