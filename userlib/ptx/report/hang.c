// SPDX-License-Identifier: MIT
/*
 * Says why a launch hangs: the cause first, then the threads that it makes wait.
 */
#include <string.h>

#include "report/report.h"

/* Stops of which the report says everything. */
#define MAX_STOPS 24
/* Missing threads of a stop that are named. */
#define MAX_MISSING 12

/* --- who is missing ----------------------------------------------------------------- */

static void report_now(FILE *out, const struct ptx_hang *hang, const struct ptx_missing *missing)
{
	const struct ptx_stop *stop;
	bool one = !(missing->lanes & (missing->lanes - 1));

	if (missing->stop < 0) {
		fprintf(out, one ? "has exited" : "have exited");
		return;
	}
	stop = &hang->stops[missing->stop];
	if (stop->kind == WAIT_NOTHING)
		fprintf(out, one ? "runs at " : "run at ");
	else
		fprintf(out, one ? "waits at " : "wait at ");
	ptx_report_place(out, hang->cluster->launch, stop->pc);
}

static void report_missing(FILE *out, const struct ptx_hang *hang, const struct ptx_stop *stop,
			   const struct ptx_missing *missing)
{
	static const char *const earlier[] = {
		[MISSING_ARRIVAL] = "arrived in the phase before at ",
		[MISSING_COPY] = "copied in the phase before at ",
		[MISSING_SIBLING] = "arrived at another mbarrier of the array at ",
	};

	fprintf(out, "    %s: ", stop->kind == WAIT_BARRIER && stop->insn.mods & DRM_VSM_MOD_COUNT
				  ? "elsewhere" : "missing");
	ptx_report_lanes(out, hang->cluster, missing->rank, missing->warp, missing->lanes);
	fprintf(out, " ");
	if (missing->kind != MISSING_LANES) {
		fprintf(out, "%s", earlier[missing->kind]);
		ptx_report_place(out, hang->cluster->launch, missing->step);
		fprintf(out, " and now ");
	}
	report_now(out, hang, missing);
	fprintf(out, "\n");
}

static void report_all_missing(FILE *out, const struct ptx_hang *hang,
			       const struct ptx_stop *stop)
{
	uint32_t i;

	for (i = 0; i < stop->missing_count && i < MAX_MISSING; i++)
		report_missing(out, hang, stop, &stop->missing[i]);
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
	if (fields->pending) {
		ptx_report_count(out, fields->pending, "arrival");
		fprintf(out, " of %llu %s missing", (unsigned long long)phase->expected,
			fields->pending == 1 ? "is" : "are");
	} else {
		fprintf(out, "all arrivals have come");
	}
	if (fields->tx > 0) {
		fprintf(out, "; ");
		ptx_report_count(out, fields->tx, "byte");
		fprintf(out, " of %llu announced %s missing",
			(unsigned long long)phase->announced, fields->tx == 1 ? "is" : "are");
	} else if (fields->tx < 0) {
		fprintf(out, "; ");
		ptx_report_count(out, -(int64_t)fields->tx, "byte");
		fprintf(out, " more have come than the %llu that were announced",
			(unsigned long long)phase->announced);
	} else if (phase->announced) {
		fprintf(out, "; all %llu announced bytes have come",
			(unsigned long long)phase->announced);
	} else {
		fprintf(out, "; no bytes were announced");
	}
	if (phase->issued > came) {
		fprintf(out, "; ");
		ptx_report_count(out, phase->issued - came, "byte");
		fprintf(out, " are in flight");
	}
	fprintf(out, "\n");
}

/* Has a bare expect_tx announced bytes of the phase? */
static bool has_bare_expect(const struct ptx_program *program, const struct ptx_phase *phase)
{
	uint32_t i, j;

	for (i = 0; i < phase->count; i++) {
		const struct ptx_step *step;

		if (phase->notes[i].kind != NOTE_EXPECT ||
		    phase->notes[i].step >= program->step_count)
			continue;
		step = &program->steps[phase->notes[i].step];
		for (j = 0; step->insn && j < step->insn->part_count; j++)
			if (j == 1 && ptx_insn_part_is(step->insn, j, "expect_tx"))
				return true;
	}
	return false;
}

/* What is strange about the wait, if anything is. */
static void report_hint(FILE *out, const struct ptx_hang *hang, const struct ptx_stop *stop,
			const struct ptx_phase *phase)
{
	unsigned long long number = phase->number;

	if (stop->exited)
		fprintf(out, "    threads that this phase needs have exited\n");
	else if (stop->skips)
		fprintf(out, "    phase %llu is complete and no thread has waited for it: the parity of this wait may be wrong\n",
			number - 1);
	else if (!stop->fields.pending && stop->fields.tx > 0 && phase->issued < phase->announced)
		fprintf(out, "    the copies of this phase have only %llu of the %llu announced bytes\n",
			(unsigned long long)phase->issued, (unsigned long long)phase->announced);
	else if (stop->fields.pending && has_bare_expect(hang->cluster->launch->program, phase))
		fprintf(out, "    mbarrier.expect_tx announces bytes, but does not arrive\n");
	else if (stop->fields.pending && !stop->missing_count && phase->arrived)
		fprintf(out, "    no other thread has arrived in an earlier phase: the count %llu of the init may be wrong\n",
			(unsigned long long)stop->object->init.amount);
	else if (stop->fields.pending && !stop->missing_count && !stop->object->arrived)
		fprintf(out, "    no thread has ever arrived there\n");
}

static void report_word(FILE *out, const struct ptx_stop *stop)
{
	const struct vsm_mbarrier_fields *fields = &stop->fields;

	fprintf(out, "    word 0x%016llx: parity %u in progress, pending %u, expected %u, tx-count %d; the wait is for %s %u\n",
		(unsigned long long)stop->word, fields->phase, fields->pending, fields->expected,
		fields->tx, stop->insn.mods & DRM_VSM_MOD_PARITY ? "parity" : "a token of parity",
		stop->parity);
}

#define HELP (1 << NOTE_ARRIVE | 1 << NOTE_ARRIVE_ASYNC | 1 << NOTE_EXPECT | 1 << NOTE_COPY | \
	      1 << NOTE_COMPLETE)

static void report_wait_for_phase(FILE *out, const struct ptx_hang *hang,
				  const struct ptx_stop *stop)
{
	const struct ptx_phase *phase = stop->object ? ptx_object_phase(stop->object) : NULL;

	fprintf(out, " wait for ");
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
	report_all_missing(out, hang, stop);
	ptx_report_notes(out, hang->cluster, phase, HELP);
	ptx_report_init(out, hang->cluster, stop->object);
	report_word(out, stop);
}

/* --- barriers ----------------------------------------------------------------------- */

/* Threads that have arrived at a named barrier: every warp that waits there counts as 32. */
static uint32_t threads_at_barrier(const struct ptx_hang *hang, const struct ptx_stop *stop,
				   const struct ptx_barrier *barrier)
{
	uint32_t arrived = 0, warps = 0, warp, i;

	for (i = 0; i < hang->count; i++) {
		const struct ptx_stop *other = &hang->stops[i];

		if (other->cta != stop->cta || other->kind != WAIT_BARRIER ||
		    other->insn.u.barrier.barrier != stop->insn.u.barrier.barrier)
			continue;
		for (warp = 0; warp < PTX_LANES; warp++)
			warps |= (uint32_t)(other->lanes[warp] != 0) << warp;
	}
	arrived = __builtin_popcount(warps) * PTX_LANES;
	for (i = 0; barrier && i < barrier->note_count; i++)
		if (!(warps >> barrier->notes[i].warp & 1))
			arrived += barrier->notes[i].times * PTX_LANES;
	return arrived;
}

static void report_wait_at_barrier(FILE *out, const struct ptx_hang *hang,
				   const struct ptx_stop *stop)
{
	const struct vsm_ptx_launch *launch = hang->cluster->launch;
	const struct ptx_barrier *barrier = NULL;
	uint32_t number = stop->insn.u.barrier.barrier, count, arrived, i;

	if (hang->cluster->history && number < PTX_NAMED_BARRIERS)
		barrier = &hang->cluster->history
				   ->barriers[stop->cta->rank * PTX_NAMED_BARRIERS + number];
	count = stop->insn.mods & DRM_VSM_MOD_COUNT ? stop->insn.u.barrier.count
						    : ptx_block_warps(launch) * PTX_LANES;
	arrived = threads_at_barrier(hang, stop, barrier);
	fprintf(out, " wait at barrier %u for %u threads\n", number, count);
	if (arrived < count)
		fprintf(out, "    %u threads have arrived, %u are missing\n", arrived,
			count - arrived);
	report_all_missing(out, hang, stop);
	for (i = 0; barrier && i < barrier->note_count; i++) {
		fprintf(out, "    arrived: ");
		ptx_report_lanes(out, hang->cluster, stop->cta->rank, barrier->notes[i].warp,
				 ptx_warp_all_lanes(launch, barrier->notes[i].warp));
		fprintf(out, " at ");
		ptx_report_place(out, launch, barrier->notes[i].step);
		if (barrier->notes[i].amount)
			fprintf(out, " with count %llu",
				(unsigned long long)barrier->notes[i].amount);
		fprintf(out, "\n");
	}
}

/* --- stops -------------------------------------------------------------------------- */

static void report_wait(FILE *out, const struct ptx_hang *hang, const struct ptx_stop *stop)
{
	char text[256];

	switch (stop->kind) {
	case WAIT_NOTHING:
		fprintf(out, " run\n");
		return;
	case WAIT_PHASE:
		report_wait_for_phase(out, hang, stop);
		return;
	case WAIT_BARRIER:
		report_wait_at_barrier(out, hang, stop);
		return;
	case WAIT_CLUSTER:
		fprintf(out, " wait at the barrier of the cluster\n");
		break;
	case WAIT_WARP:
		vsm_insn_describe(&stop->insn, text, sizeof(text));
		fprintf(out, " wait for other lanes of the warp: %s\n", text);
		break;
	case WAIT_GROUPS:
		vsm_insn_describe(&stop->insn, text, sizeof(text));
		fprintf(out, " wait for copies of their own that are in flight: %s\n", text);
		break;
	}
	report_all_missing(out, hang, stop);
}

static void report_stop(FILE *out, const struct ptx_hang *hang, const struct ptx_stop *stop,
			bool place)
{
	if (place) {
		fprintf(out, "at ");
		ptx_report_place(out, hang->cluster->launch, stop->pc);
		fprintf(out, "\n");
	}
	fprintf(out, "  ");
	ptx_report_count(out, stop->threads, "thread");
	fprintf(out, ": ");
	ptx_report_threads(out, hang->cluster, stop->cta->rank, stop->lanes);
	report_wait(out, hang, stop);
}

void ptx_report_hang(FILE *out, struct vsm_ptx_launch *launch)
{
	const struct ptx_hang *hang = ptx_hang_find(launch);
	uint32_t i;

	fprintf(out, launch->fault.failure == FAILURE_DEADLOCK
			     ? "DEADLOCK" : "The time limit has passed");
	if (hang && hang->count) {
		fprintf(out, " at ");
		ptx_report_place(out, launch, hang->stops[0].pc);
	}
	fprintf(out, "\n");
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
