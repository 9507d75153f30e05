// SPDX-License-Identifier: MIT
/* Makes the report of a fault or hang. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/device.h"
#include "report/parts.h"
#include "vsm_syntax.h"

/* --- hangs ---------------------------------------------------------------- */

/* Stops of which the report says everything. */
#define MAX_STOPS 24
/* Lines about missing threads of a stop. */
#define MAX_MISSING 12

/* --- who is missing ----------------------------------------------------------------- */

/* Missing threads of a CTA that have the same past, and are at the same stop */
struct absent {
	const struct ptx_missing *missing;	/* one of them */
	uint32_t lanes[PTX_LANES];		/* lanes of each warp */
};

static bool is_alike(const struct ptx_cluster *cluster, const struct ptx_missing *x,
		     const struct ptx_missing *y)
{
	if (x->kind != y->kind || x->rank != y->rank || x->step != y->step || x->stop != y->stop)
		return false;
	return x->stop >= 0 || ptx_report_exit_is_alike(cluster, x->rank, x->warp, y->warp);
}

/* Collects all missing threads that are like those of entry @first. */
static void collect_absent(const struct ptx_hang *hang, const struct ptx_stop *stop,
			   uint32_t first, struct absent *absent)
{
	uint32_t i;

	*absent = (struct absent){ .missing = &stop->missing[first] };
	for (i = first; i < stop->missing_count; i++) {
		if (!is_alike(hang->cluster, &stop->missing[i], &stop->missing[first]))
			continue;
		absent->lanes[stop->missing[i].warp] |= stop->missing[i].lanes;
	}
}

/* Do the threads run? */
static bool runs(const struct ptx_stop *stop)
{
	return stop->kind == WAIT_NOTHING || stop->tests;
}

/* @one: The threads were written as one warp or lane. */
static void report_now(FILE *out, const struct ptx_hang *hang, const struct absent *absent,
		       bool one)
{
	const struct ptx_missing *missing = absent->missing;
	const struct ptx_cluster *cluster = hang->cluster;

	if (missing->stop < 0) {
		ptx_report_exit(out, cluster, missing->rank, missing->warp, one);
		return;
	}
	if (hang->stops[missing->stop].tests)
		fprintf(out, one ? "runs, and has last tested a phase at "
				 : "run, and have last tested a phase at ");
	else if (runs(&hang->stops[missing->stop]))
		fprintf(out, one ? "runs at " : "run at ");
	else
		fprintf(out, one ? "waits at " : "wait at ");
	ptx_report_line(out, cluster->launch, hang->stops[missing->stop].pc);
}

static void report_absent(FILE *out, const struct ptx_hang *hang, const struct ptx_stop *stop,
			  const struct absent *absent)
{
	static const char *const earlier[] = {
		[MISSING_ARRIVAL] = "arrived in the phase before at ",
		[MISSING_COPY] = "copied in the phase before at ",
		[MISSING_SIBLING] = "arrived at another mbarrier of the array at ",
	};
	const struct ptx_missing *missing = absent->missing;
	bool one;

	if (missing->kind == MISSING_REST)
		fprintf(out, "    not arrived: ");
	else
		fprintf(out, stop->kind == WAIT_BARRIER && stop->insn.mods & DRM_VSM_MOD_COUNT
				     ? "    elsewhere: " : "    missing: ");
	one = ptx_report_threads(out, hang->cluster, missing->rank, absent->lanes);
	fprintf(out, " ");
	if (missing->kind < MISSING_REST) {
		fprintf(out, "%s", earlier[missing->kind]);
		ptx_report_line(out, hang->cluster->launch, missing->step);
		fprintf(out, missing->stop < 0 ? " and " : " and now ");
	}
	report_now(out, hang, absent, one);
	fprintf(out, "\n");
}

static void report_missing(FILE *out, const struct ptx_hang *hang, const struct ptx_stop *stop)
{
	uint32_t lines = 0, i, j;
	struct absent absent;

	for (i = 0; i < stop->missing_count && lines < MAX_MISSING; i++) {
		for (j = 0; j < i; j++)
			if (is_alike(hang->cluster, &stop->missing[i], &stop->missing[j]))
				break;
		if (j < i)
			continue;
		collect_absent(hang, stop, i, &absent);
		report_absent(out, hang, stop, &absent);
		lines++;
	}
	if (i < stop->missing_count || stop->missing_more)
		fprintf(out, "    and more threads\n");
}

/* --- phases ------------------------------------------------------------------------- */

/* Bytes of the phase that have come. */
static uint64_t delivered(const struct ptx_stop *stop, const struct ptx_phase *phase)
{
	int64_t bytes = (int64_t)phase->announced - stop->fields.tx;

	return bytes > 0 ? bytes : 0;
}

/* A line that says what the phase lacks. */
static void report_lack(FILE *out, const struct ptx_stop *stop, const struct ptx_phase *phase)
{
	const struct vsm_mbarrier_fields *fields = &stop->fields;
	uint64_t came = delivered(stop, phase);

	fprintf(out, "    ");
	ptx_phrase_lack(out, fields, phase->expected, phase->announced);
	if (phase->issued > came) {
		fprintf(out, "; ");
		ptx_phrase_count(out, phase->issued - came, "byte");
		fprintf(out, " are in flight");
	}
}

/* Are lanes missing that did what the note says? If nobody is known to be missing, they may be. */
static bool may_be_missing(const struct ptx_stop *stop, const struct ptx_note *note)
{
	uint32_t i;

	for (i = 0; i < stop->missing_count; i++)
		if (stop->missing[i].rank == note->rank && stop->missing[i].warp == note->warp &&
		    stop->missing[i].lanes & note->lanes)
			return true;
	return !stop->missing_count;
}

/*
 * A bare expect_tx that has announced bytes of the phase, by lanes that have not arrived; NULL if
 * there is none.
 */
static const struct ptx_note *find_bare_expect(const struct ptx_program *program,
					       const struct ptx_stop *stop,
					       const struct ptx_phase *phase)
{
	uint32_t i;

	for (i = 0; i < phase->count; i++) {
		const struct ptx_note *note = &phase->notes[i];
		const struct ptx_insn *insn = note->step < program->step_count
						      ? program->steps[note->step].insn : NULL;

		if (note->kind == NOTE_EXPECT && insn && ptx_insn_part_is(insn, 1, "expect_tx") &&
		    note->lanes & ~ptx_phase_arrived(phase, note->rank, note->warp) &&
		    may_be_missing(stop, note))
			return note;
	}
	return NULL;
}

static bool arrives(const struct drm_vsm_insn *insn)
{
	return insn && (insn->op == DRM_VSM_OP_MBARRIER_ARRIVE ||
			insn->op == DRM_VSM_OP_MBARRIER_ARRIVE_DROP ||
			insn->op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE);
}

/*
 * Nobody has ever arrived: names instructions that arrive and that no thread has executed yet,
 * without those that come next after the wait, because they do not arrive where it waits.
 */
static void report_never(FILE *out, const struct ptx_hang *hang, const struct ptx_stop *stop)
{
	const struct vsm_ptx_launch *launch = hang->cluster->launch;
	const char *before = ", and none has executed the arrive at ";
	uint32_t end = ptx_step_next_stop(launch, stop->pc), i;
	unsigned int count = 0;

	fprintf(out, ": no thread has ever arrived there");
	if (stop->fill >= 0) {
		fprintf(out, ", and these threads fill nothing before %s at ",
			arrives(ptx_step_insn(launch, stop->fill)) ? "the arrive" : "the copy");
		ptx_report_line(out, launch, stop->fill);
		fprintf(out, ": a producer begins to wait with parity 1");
		return;
	}
	for (i = 0; i < launch->program->step_count && count < 3; i++) {
		if (!arrives(ptx_step_insn(launch, i)) || (i > stop->pc && i < end) ||
		    ptx_history_executed(hang->cluster, i))
			continue;
		fprintf(out, "%s", before);
		ptx_report_line(out, launch, i);
		before = " or at ";
		count++;
	}
}

/* What is strange about the wait, if anything is. */
static void report_hint(FILE *out, const struct ptx_hang *hang, const struct ptx_stop *stop,
			const struct ptx_phase *phase)
{
	const struct vsm_ptx_launch *launch = hang->cluster->launch;
	const struct ptx_note *bare = find_bare_expect(launch->program, stop, phase);
	bool arrivals = stop->fields.pending;

	if (stop->rest && !bare) {
		fprintf(out, ": the threads below have not arrived");
		fprintf(out, ", or the count %llu of the init is wrong, at ",
			(unsigned long long)stop->object->init.amount);
		ptx_report_line(out, launch, stop->object->init.step);
	} else if (stop->exited && !stop->rest) {
		fprintf(out, ": threads that arrived or copied before have exited");
	} else if (stop->skips) {
		fprintf(out, ": phase %llu is complete and no thread has waited for it",
			(unsigned long long)phase->number - 1);
		fprintf(out, ", so the parity of this wait may be wrong");
	} else if (arrivals && bare) {
		fprintf(out, ": expect_tx announces bytes and does not arrive, at ");
		ptx_report_line(out, launch, bare->step);
	} else if (stop->multicast >= 0) {
		fprintf(out, ": the mask of a copy is 0x%x and leaves out this CTA", stop->mask);
		fprintf(out, ", which has rank %u, at ", ptx_rank_of(stop->object->address));
		ptx_report_line(out, launch, stop->multicast);
	} else if (!arrivals && stop->fields.tx > 0 && phase->issued < phase->announced) {
		fprintf(out, ": the copies have only %llu",
			(unsigned long long)phase->issued);
	} else if (arrivals && !stop->missing_count && phase->arrived) {
		fprintf(out, ": %sthe count %llu of the init may be wrong, at ",
			phase->number ? "nobody else arrived in the phase before, so " : "",
			(unsigned long long)stop->object->init.amount);
		ptx_report_line(out, launch, stop->object->init.step);
	} else if (arrivals && !stop->missing_count && !stop->object->arrived) {
		report_never(out, hang, stop);
	} else if (hang->circle && stop == hang->stops && stop->missing_count) {
		fprintf(out, ": these threads and the missing ones wait for each other");
	}
}

static void report_word(FILE *out, const struct ptx_stop *stop)
{
	const struct vsm_mbarrier_fields *fields = &stop->fields;

	fprintf(out, "    ");
	ptx_phrase_word(out, stop->word, fields);
	fprintf(out, "; the %s is for %s %u\n", stop->tests ? "test" : "wait",
		stop->insn.mods & DRM_VSM_MOD_PARITY ? "parity" : "a token of parity",
		stop->parity);
}

#define HELP (1 << NOTE_ARRIVE | 1 << NOTE_ARRIVE_ASYNC | 1 << NOTE_EXPECT | 1 << NOTE_COPY | \
	      1 << NOTE_COMPLETE)

static void report_wait_for_phase(FILE *out, const struct ptx_hang *hang,
				  const struct ptx_stop *stop)
{
	const struct ptx_phase *phase = stop->object ? ptx_object_phase(stop->object) : NULL;

	ptx_report_phase(out, hang->cluster, stop->insn.u.mbarrier.addr,
			 stop->complete ? NULL : phase);
	fprintf(out, "\n");
	if (stop->complete) {
		fprintf(out, "    the phase is complete: they can go on\n");
		report_word(out, stop);
		return;
	}
	if (!phase) {
		report_word(out, stop);
		return;
	}
	report_lack(out, stop, phase);
	report_hint(out, hang, stop, phase);
	fprintf(out, "\n");
	report_missing(out, hang, stop);
	ptx_report_notes(out, hang->cluster, phase, HELP);
	ptx_report_init(out, hang->cluster, stop->object);
	report_word(out, stop);
}

/* --- barriers ----------------------------------------------------------------------- */

/* The warps that wait at the named barrier of a stop. */
static uint32_t warps_at_barrier(const struct ptx_hang *hang, const struct ptx_stop *stop)
{
	uint32_t warps = 0, warp, i;

	for (i = 0; i < hang->count; i++) {
		const struct ptx_stop *other = &hang->stops[i];

		if (other->cta != stop->cta || other->kind != WAIT_BARRIER ||
		    other->insn.u.barrier.barrier != stop->insn.u.barrier.barrier)
			continue;
		for (warp = 0; warp < PTX_LANES; warp++)
			warps |= (uint32_t)(other->lanes[warp] != 0) << warp;
	}
	return warps;
}

/* Threads that have arrived at a named barrier: every one of the @warps that wait counts as 32. */
static uint32_t threads_at_barrier(uint32_t warps, const struct ptx_barrier *barrier)
{
	uint32_t arrived = __builtin_popcount(warps) * PTX_LANES, i;

	for (i = 0; barrier && i < barrier->note_count; i++)
		if (!(warps >> barrier->notes[i].warp & 1))
			arrived += barrier->notes[i].times * PTX_LANES;
	return arrived;
}

/*
 * The warps that have exited without an arrival at the barrier, if that is why it is not complete:
 * if every warp that lives has arrived. @arrived are those that wait. vsm_barrier_exits() of the
 * driver decides in the same way.
 */
static uint32_t warps_exited(const struct ptx_hang *hang, const struct ptx_stop *stop,
			     const struct ptx_barrier *barrier, uint32_t arrived)
{
	uint32_t exited = 0, i;

	for (i = 0; barrier && i < barrier->note_count; i++)
		arrived |= 1u << barrier->notes[i].warp;
	for (i = 0; i < ptx_block_warps(hang->cluster->launch); i++) {
		bool lives = stop->cta->warps[i].lanes, is_there = arrived >> i & 1;

		if (lives && !is_there)
			return 0;
		exited |= (uint32_t)(!lives && !is_there) << i;
	}
	return exited;
}

static void report_barrier_note(FILE *out, const struct ptx_cluster *cluster,
				const struct ptx_note *note)
{
	if (!note->times)
		return;
	fprintf(out, "    arrived: ");
	ptx_report_lanes(out, cluster, note->rank, note->warp,
			 ptx_warp_all_lanes(cluster->launch, note->warp));
	fprintf(out, " at ");
	ptx_report_line(out, cluster->launch, note->step);
	if (note->amount)
		fprintf(out, " with count %llu", (unsigned long long)note->amount);
	fprintf(out, "\n");
}

static void report_wait_at_barrier(FILE *out, const struct ptx_hang *hang,
				   const struct ptx_stop *stop)
{
	const struct vsm_ptx_launch *launch = hang->cluster->launch;
	const struct ptx_barrier *barrier = NULL;
	uint32_t number = stop->insn.u.barrier.barrier, count, waiting, arrived, exited, i;
	char warps[BITS_SIZE];

	if (hang->cluster->history && number < PTX_NAMED_BARRIERS)
		barrier = &hang->cluster->history
				   ->barriers[stop->cta->rank * PTX_NAMED_BARRIERS + number];
	count = stop->insn.mods & DRM_VSM_MOD_COUNT ? stop->insn.u.barrier.count
						    : ptx_block_warps(launch) * PTX_LANES;
	waiting = warps_at_barrier(hang, stop);
	arrived = threads_at_barrier(waiting, barrier);
	exited = stop->insn.mods & DRM_VSM_MOD_COUNT ? warps_exited(hang, stop, barrier, waiting)
						     : 0;
	ptx_phrase_barrier(out, number, count);
	fprintf(out, "\n");
	if (exited) {
		/* The message of DEADLOCK says the same. */
		fprintf(out, "    %u of %u arrivals; %s %s exited; %s %s\n", arrived, count,
			bits_text(warps, "warp", exited), exited & (exited - 1) ? "have" : "has",
			"a barrier with a count does not count",
			exited & (exited - 1) ? "them" : "it");
		ptx_report_gone(out, hang->cluster, stop->cta->rank, "    ");
	} else if (arrived < count) {
		fprintf(out, "    ");
		ptx_phrase_arrived(out, arrived, count);
		fprintf(out, "\n");
	}
	report_missing(out, hang, stop);
	for (i = 0; barrier && i < barrier->note_count; i++)
		if (!stop->lanes[barrier->notes[i].warp])
			report_barrier_note(out, hang->cluster, &barrier->notes[i]);
}

/* --- stops -------------------------------------------------------------------------- */

/* What one of the threads has read last: a loop on memory waits until it changes. */
static void report_look(FILE *out, const struct ptx_cluster *cluster, const struct ptx_stop *stop)
{
	const struct ptx_look *look = &stop->look;

	if (!look->kind)
		return;
	fprintf(out, "    last read: 0x%llx, ", (unsigned long long)look->value);
	ptx_phrase_count(out, look->size, "byte");
	fprintf(out, " at 0x%llx", (unsigned long long)look->address);
	ptx_report_memory(out, cluster, look->address);
	fprintf(out, ", by ");
	ptx_report_lanes(out, cluster, stop->cta->rank, stop->looker, look->lanes);
	fprintf(out, " at ");
	ptx_report_line(out, cluster->launch, look->step);
	fprintf(out, "\n");
}

static void report_wait(FILE *out, const struct ptx_hang *hang, const struct ptx_stop *stop)
{
	char text[256];

	switch (stop->kind) {
	case WAIT_NOTHING:
		report_look(out, hang->cluster, stop);
		return;
	case WAIT_PHASE:
		report_wait_for_phase(out, hang, stop);
		return;
	case WAIT_BARRIER:
		report_wait_at_barrier(out, hang, stop);
		return;
	case WAIT_CLUSTER:
		fprintf(out, "the barrier of the cluster\n");
		break;
	case WAIT_WARP:
		if (hang->cluster->launch->program->steps[stop->pc].kind == STEP_SETMAXNREG) {
			fprintf(out, "the other lanes of the warp to execute setmaxnreg\n");
			break;
		}
		vsm_insn_describe(&stop->insn, text, sizeof(text));
		fprintf(out, "other lanes of the warp: %s\n", text);
		break;
	case WAIT_GROUPS:
		vsm_insn_describe(&stop->insn, text, sizeof(text));
		fprintf(out, "its copies in flight: %s\n", text);
		break;
	}
	report_missing(out, hang, stop);
}

static void report_stop(FILE *out, const struct ptx_hang *hang, const struct ptx_stop *stop,
			bool place)
{
	bool one;

	if (place) {
		fprintf(out, "at ");
		ptx_report_place(out, hang->cluster->launch, stop->pc);
	}
	fprintf(out, "  ");
	ptx_phrase_count(out, stop->threads, "thread");
	fprintf(out, ": ");
	one = ptx_report_threads(out, hang->cluster, stop->cta->rank, stop->lanes);
	if (stop->kind == WAIT_NOTHING)
		fprintf(out, one ? " runs\n" : " run\n");
	else if (stop->tests)
		fprintf(out, one ? " runs, and has last tested " : " run, and have last tested ");
	else
		fprintf(out, one ? " waits for " : " wait for ");
	report_wait(out, hang, stop);
}

void ptx_report_hang(FILE *out, struct vsm_ptx_launch *launch)
{
	const struct ptx_hang *hang = ptx_hang_find(launch);
	uint32_t i;

	fprintf(out, launch->fault.failure == FAILURE_DEADLOCK
			     ? "DEADLOCK" : "The time limit has passed");
	if (hang && hang->count) {
		if (hang->stops[0].tests)
			fprintf(out, "; threads run, and have last tested a phase");
		else if (launch->fault.failure != FAILURE_DEADLOCK)
			fprintf(out, runs(&hang->stops[0]) ? "; threads run" : "; threads wait");
		fprintf(out, " at ");
		ptx_report_place(out, launch, hang->stops[0].pc);
	} else {
		fprintf(out, "\n");
	}
	for (i = 0; hang && i < hang->count && i < MAX_STOPS; i++)
		report_stop(out, hang, &hang->stops[i], i);
	if (hang && (i < hang->count || hang->more))
		fprintf(out, "and threads at %u other places\n", hang->count - i);
	if (hang && hang->others && launch->fault.failure != FAILURE_DEADLOCK)
		fprintf(out, "%u other cluster%s not ended either\n", hang->others,
			hang->others == 1 ? " has" : "s have");
	fprintf(out, "kernel %s", launch->program->kernel->name);
	if (launch->config.seed)
		fprintf(out, ", seed %llu", (unsigned long long)launch->config.seed);
	fprintf(out, "\n");
}

/* --- reports -------------------------------------------------------------- */

/* --- faults ------------------------------------------------------------------------- */

static void report_what(FILE *out, const struct vsm_ptx_launch *launch)
{
	const struct ptx_fault *fault = &launch->fault;
	char text[512];

	switch (fault->failure) {
	case FAILURE_DEVICE:
	case FAILURE_ASYNC:
		vsm_fault_message(launch->module->module->target >= 90 ? VSM_LAYOUT_SM_90
								       : VSM_LAYOUT_SM_80,
				  fault->rank, &fault->insn, text, sizeof(text));
		fprintf(out, "%s: %s%s\n", vsm_fault_name(fault->insn.fault), text,
			fault->failure == FAILURE_ASYNC ? " (found when the operation completed)"
							: "");
		break;
	case FAILURE_PROGRAM:
		fprintf(out, "%s\n", fault->text);
		break;
	default:
		fprintf(out, "%s", strerror(-fault->error));
		if (launch->config.cooperative && fault->step < 0)
			fprintf(out, "; a cooperative launch needs memory for all CTAs at once");
		fprintf(out, "\n");
		break;
	}
}

static void report_fault(FILE *out, const struct vsm_ptx_launch *launch)
{
	const struct ptx_fault *fault = &launch->fault;
	const uint32_t *block = launch->config.block;
	uint32_t thread = fault->warp * PTX_LANES + fault->lane;
	char lanes[BITS_SIZE];

	report_what(out, launch);
	if (fault->step < 0 && fault->failure != FAILURE_ASYNC)
		return;
	if (fault->step >= 0) {
		fprintf(out, "  at ");
		ptx_report_place(out, launch, fault->step);
	}
	if (fault->failure == FAILURE_DEVICE || fault->failure == FAILURE_ASYNC || fault->gone)
		ptx_report_context(out, launch);
	fprintf(out, "  kernel %s, CTA (%u,%u,%u)", launch->program->kernel->name, fault->ctaid[0],
		fault->ctaid[1], fault->ctaid[2]);
	if (launch->cluster_ctas > 1)
		fprintf(out, " with rank %u in its cluster", fault->rank);
	fprintf(out, ", thread (%u,%u,%u), warp %u, lane %u", thread % block[0],
		thread / block[0] % block[1], thread / block[0] / block[1], fault->warp,
		fault->lane);
	if (fault->lanes != 1u << fault->lane)
		fprintf(out, " (%s executed it)", bits_text(lanes, "lane", fault->lanes));
	fprintf(out, "\n");
	if (launch->config.seed)
		fprintf(out, "  seed %llu\n", (unsigned long long)launch->config.seed);
}

const char *vsm_ptx_launch_report(const struct vsm_ptx_launch *launch)
{
	struct vsm_ptx_launch *l = (struct vsm_ptx_launch *)launch;
	size_t size;
	FILE *out;

	pthread_mutex_lock(&l->lock);
	if (!l->report && !l->running && l->fault.failure) {
		out = open_memstream(&l->report, &size);
		if (out) {
			if (l->fault.failure == FAILURE_DEADLOCK ||
			    l->fault.failure == FAILURE_TIME)
				ptx_report_hang(out, l);
			else
				report_fault(out, l);
			fclose(out);
		}
	}
	pthread_mutex_unlock(&l->lock);
	return l->report ? l->report : "";
}
