// SPDX-License-Identifier: MIT
/* Parts of reports of faults and hangs. */
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"
#include "run/address.h"
#include "run/history.h"

/* --- parts ---------------------------------------------------------------- */

/* --- name.c: places, threads and variables -------------------------------------------- */

/* --- exit.c: where threads have exited ------------------------------------------------ */

/* --- phase.c: what has happened to an mbarrier ---------------------------------------- */

/* --- hang.c, context.c ---------------------------------------------------------------- */

/* --- names ---------------------------------------------------------------- */

/* --- places ------------------------------------------------------------------------- */

static const struct ptx_insn *find_insn(const struct vsm_ptx_launch *launch, int64_t step)
{
	return step < 0 || step >= launch->program->step_count ? NULL
							      : launch->program->steps[step].insn;
}

/* The name of a file without its folders; NULL if it is not known. */
static const char *base_name(const struct vsm_ptx_launch *launch, int32_t file)
{
	const char *path = ptx_module_file(launch->module->module, file);
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

/*
 * Writes "SOURCE:LINE". For inlined functions this is the outermost call, which is usually in the
 * user's own file. Returns false if it is not known.
 */
static bool report_source(FILE *out, const struct vsm_ptx_launch *launch,
			  const struct ptx_place *place)
{
	const struct ptx_inlined *outermost = ptx_outermost(place);
	const char *path = ptx_module_file(launch->module->module,
					   outermost ? outermost->file : place->file);

	if (!path)
		return false;
	fprintf(out, "%s:%u", path, outermost ? outermost->line : place->source_line);
	return true;
}

/* Writes the calls from behind the outermost one down to @inlined, each followed by a comma. */
static void report_calls(FILE *out, const struct vsm_ptx_launch *launch,
			 const struct ptx_inlined *inlined)
{
	const struct ptx_inlined *calls[PTX_MAX_INLINED];
	unsigned int count = 0;

	for (; inlined->outer; inlined = inlined->outer)
		calls[count++] = inlined;
	while (count--) {
		const char *name = base_name(launch, calls[count]->file);

		if (name)
			fprintf(out, "%s:%u, ", name, calls[count]->line);
	}
}

void ptx_report_place(FILE *out, const struct vsm_ptx_launch *launch, int64_t step)
{
	const struct ptx_insn *insn = find_insn(launch, step);
	const char *name;

	if (!insn) {
		fprintf(out, "\n");
		return;
	}
	if (report_source(out, launch, &insn->place))
		fprintf(out, ", ");
	fprintf(out, "%s:%u: %.*s\n", launch->module->module->path, insn->place.line,
		(int)insn->opcode.length, insn->opcode.text);
	name = base_name(launch, insn->place.file);
	if (!insn->place.inlined || !name)
		return;
	fprintf(out, "  inlined there: ");
	report_calls(out, launch, insn->place.inlined);
	fprintf(out, "%s:%u\n", name, insn->place.source_line);
}

void ptx_report_line(FILE *out, const struct vsm_ptx_launch *launch, int64_t step)
{
	const struct ptx_insn *insn = find_insn(launch, step);
	const char *name;

	if (!insn) {
		fprintf(out, "the end of the kernel");
		return;
	}
	if (!report_source(out, launch, &insn->place)) {
		fprintf(out, "PTX line %u (%.*s)", insn->place.line, (int)insn->opcode.length,
			insn->opcode.text);
		return;
	}
	name = base_name(launch, insn->place.file);
	if (insn->place.inlined && name)
		fprintf(out, " (inlined %s:%u)", name, insn->place.source_line);
	fprintf(out, ", PTX line %u", insn->place.line);
}

/* --- threads ------------------------------------------------------------------------ */

/* Writes "CTA (0,0,0)". */
static void ptx_report_cta(FILE *out, const struct ptx_cluster *cluster, uint32_t rank)
{
	const uint32_t *ctaid = cluster->ctas[rank].ctaid;

	fprintf(out, "CTA (%u,%u,%u)", ctaid[0], ctaid[1], ctaid[2]);
}

bool ptx_report_threads(FILE *out, const struct ptx_cluster *cluster, uint32_t rank,
			const uint32_t lanes[PTX_LANES])
{
	uint32_t all[PTX_LANES], warp;
	bool one;

	for (warp = 0; warp < PTX_LANES; warp++)
		all[warp] = ptx_warp_all_lanes(cluster->launch, warp);
	one = ptx_phrase_threads(out, lanes, all);
	fprintf(out, " of ");
	ptx_report_cta(out, cluster, rank);
	return one;
}

bool ptx_report_lanes(FILE *out, const struct ptx_cluster *cluster, uint32_t rank, uint32_t warp,
		      uint32_t lanes)
{
	uint32_t masks[PTX_LANES] = { };

	masks[warp % PTX_LANES] = lanes;
	return ptx_report_threads(out, cluster, rank, masks);
}

/* --- variables ---------------------------------------------------------------------- */

static void report_symbol(FILE *out, const char *symbol)
{
	struct span name = symbol_name(symbol);

	fprintf(out, "%.*s", (int)name.length, name.text);
}

/* Writes the variable at a cluster shared address: "full[1]" or "data+1024". */
static void ptx_report_variable(FILE *out, const struct ptx_cluster *cluster, uint32_t address)
{
	uint32_t offset = ptx_offset_of(address);
	const struct ptx_shared *shared = ptx_shared_at(cluster->launch->program, offset);
	uint32_t in;

	if (!shared) {
		fprintf(out, "the mbarrier");
		return;
	}
	in = offset - shared->offset;
	report_symbol(out, shared->var->name);
	if (ptx_is_mbarriers(shared) && !(in % 8))
		fprintf(out, "[%u]", in / 8);
	else if (in)
		fprintf(out, "+%u", in);
}

static void report_shared(FILE *out, const struct ptx_cluster *cluster, uint32_t address)
{
	uint32_t offset = ptx_offset_of(address), rank = ptx_rank_of(address);
	const struct ptx_shared *shared = ptx_shared_at(cluster->launch->program, offset);

	fprintf(out, " (");
	if (shared && offset != shared->offset) {
		report_symbol(out, shared->var->name);
		fprintf(out, "+%u", offset - shared->offset);
	} else if (shared) {
		report_symbol(out, shared->var->name);
	} else {
		fprintf(out, "shared memory");
	}
	fprintf(out, " in ");
	ptx_report_cta(out, cluster, rank);
	fprintf(out, ")");
}

static void report_global(FILE *out, const struct ptx_cluster *cluster, uint64_t address)
{
	const struct ptx_allocation *at = ptx_memory_find(cluster->launch->memory, address);

	if (!at || !at->name)
		return;
	fprintf(out, " (");
	report_symbol(out, at->name);
	if (address != at->address)
		fprintf(out, "+%llu", (unsigned long long)(address - at->address));
	fprintf(out, ")");
}

void ptx_report_memory(FILE *out, const struct ptx_cluster *cluster, uint64_t address)
{
	switch (ptx_space_of(address)) {
	case SPACE_SHARED:
		report_shared(out, cluster, address - PTX_SHARED_BASE);
		break;
	case SPACE_LOCAL:
		fprintf(out, " (local memory)");
		break;
	case SPACE_PARAM:
		fprintf(out, " (a parameter)");
		break;
	default:
		report_global(out, cluster, address);
		break;
	}
}

/* --- mbarriers ------------------------------------------------------------ */

static const char *const verbs[] = {
	[NOTE_ARRIVE] = "arrived",
	[NOTE_ARRIVE_ASYNC] = "arrived after copies",
	[NOTE_EXPECT] = "announced",
	[NOTE_COPY] = "copied",
	[NOTE_COMPLETE] = "completed",
	[NOTE_WAIT] = "waited",
};

/* Notes of the same kind and step, of warps of one CTA */
struct merged_note {
	enum ptx_note_kind kind;	/* enum ptx_note_kind */
	uint32_t rank;			/* rank of the CTA */
	uint32_t step;
	uint32_t first;			/* the first warp */
	uint64_t amount;		/* sum of the amounts */
	uint32_t address;		/* lowest destination of copies */
	uint32_t lanes[PTX_LANES];	/* lanes of each warp */
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

/* --- exits ---------------------------------------------------------------- */

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

void ptx_report_gone(FILE *out, const struct ptx_cluster *cluster, uint32_t rank,
		     const char *before)
{
	uint32_t exited[PTX_LANES];

	if (find_exited(cluster, rank, exited))
		report_exited(out, cluster, rank, exited, before);
}

/* --- what came before ----------------------------------------------------- */

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
	    insn->fault == DRM_VSM_FAULT_READ_OVER_LIVE ||
	    insn->fault == DRM_VSM_FAULT_PLAIN_ACCESS)
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
	ptx_report_init(out, cluster, object);
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
	case DRM_VSM_FAULT_PLAIN_ACCESS:
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
		ptx_report_gone(out, cluster, fault->gone - 1, "  ");
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
	if (fault->insn.fault == DRM_VSM_FAULT_OUT_OF_WINDOW && ptx_lacks_smem(launch))
		fprintf(out, "  %s\n", PTX_LACKS_SMEM);
	object = find_object(cluster, &fault->insn);
	if (!object)
		return;
	ptx_object_sync(cluster, object);
	report_mbarrier(out, cluster, object, fault->insn.fault);
}
