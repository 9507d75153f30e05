// SPDX-License-Identifier: MIT
/*
 * vsm ps: what it says about a cluster. The sentences are those of the reports of kernels that
 * hang.
 */
#include <stdlib.h>

#include "ps_cluster.h"
#include "text.h"
#include "vsm_syntax.h"

/* --- threads ------------------------------------------------------------------------ */

/* The lanes that each warp of a CTA has. */
static void all_lanes(const struct ps_cluster *cluster, uint32_t all[PS_WARPS])
{
	uint32_t warp, threads;

	for (warp = 0; warp < PS_WARPS; warp++) {
		threads = cluster->state.threads > warp * 32 ? cluster->state.threads - warp * 32
							     : 0;
		all[warp] = threads < 32 ? (1u << threads) - 1 : ~0u;
	}
}

/* Writes "lane 3 of warp 1 of CTA 0". Returns true if that is one warp or one lane. */
static bool write_threads(FILE *out, const struct ps_cluster *cluster, uint32_t cta,
			  const uint32_t lanes[PS_WARPS])
{
	uint32_t all[PS_WARPS];
	bool one;

	all_lanes(cluster, all);
	one = ptx_phrase_threads(out, lanes, all);
	fprintf(out, " of CTA %u", cta);
	return one;
}

static uint32_t count_threads(const uint32_t lanes[PS_WARPS])
{
	uint32_t count = 0, warp;

	for (warp = 0; warp < PS_WARPS; warp++)
		count += __builtin_popcount(lanes[warp]);
	return count;
}

/* Writes "5.2 s" or "20 ms". */
static void write_time(FILE *out, int64_t ns)
{
	if (ns < 1000000000)
		fprintf(out, "%lld ms", (long long)(ns > 0 ? ns / 1000000 : 0));
	else
		fprintf(out, "%.1f s", ns / 1e9);
}

/* --- what is waited for -------------------------------------------------------------- */

static uint32_t rank_of(uint32_t addr)
{
	return addr >> VSM_SHARED_RANK_SHIFT;
}

static uint32_t offset_of(uint32_t addr)
{
	return addr & ((1u << VSM_SHARED_RANK_SHIFT) - 1);
}

/* The word that is compared with the mbarrier: only its parity counts. */
static uint64_t wanted(const struct drm_vsm_state_entry *entry)
{
	const struct drm_vsm_mbarrier_operands *o = &entry->insn.u.mbarrier;

	return entry->insn.mods & DRM_VSM_MOD_PARITY ? vsm_mbarrier_parity(o->parity) : o->state;
}

/* The entry of the barrier that threads wait at, or NULL. */
static const struct drm_vsm_state_entry *find_barrier(const struct ps_cluster *cluster,
						      const struct drm_vsm_state_entry *wait)
{
	bool named = wait->insn.op < DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE;
	uint32_t kind = named ? DRM_VSM_STATE_BARRIER : DRM_VSM_STATE_CLUSTER_BARRIER;
	const struct drm_vsm_state_entry *entry;
	uint32_t i;

	for (i = 0; i < cluster->state.count; i++) {
		entry = &cluster->entries[i];
		if (entry->kind == kind &&
		    (!named || (entry->cta == wait->cta &&
				entry->id == wait->insn.u.barrier.barrier)))
			return entry;
	}
	return NULL;
}

/* Writes what a wait is for, as the end of "... waits for". */
static void write_what(FILE *out, const struct ps_cluster *cluster,
		       const struct drm_vsm_state_entry *wait)
{
	const struct drm_vsm_state_entry *barrier;
	char text[256];

	switch (wait->kind) {
	case DRM_VSM_STATE_PHASE:
		fprintf(out, "the phase of parity %u of the mbarrier in CTA %u (offset %u)",
			vsm_mbarrier_phase(wanted(wait)), rank_of(wait->insn.u.mbarrier.addr),
			offset_of(wait->insn.u.mbarrier.addr));
		return;
	case DRM_VSM_STATE_GROUPS:
		vsm_insn_describe(&wait->insn, text, sizeof(text));
		fprintf(out, "its copies in flight: %s", text);
		return;
	}
	if (!(wait->flags & DRM_VSM_STATE_ACROSS)) {
		vsm_insn_describe(&wait->insn, text, sizeof(text));
		fprintf(out, "other lanes of the warp: %s", text);
		return;
	}
	if (wait->insn.op >= DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE) {
		fprintf(out, "the barrier of the cluster");
		return;
	}
	barrier = find_barrier(cluster, wait);
	ptx_phrase_barrier(out, wait->insn.u.barrier.barrier, barrier ? barrier->total : 0);
}

static void write_phase(FILE *out, const struct ps_cluster *cluster,
			const struct drm_vsm_state_entry *wait)
{
	struct vsm_mbarrier_fields fields;

	fields = vsm_mbarrier_decode(cluster->state.layout, wait->word);
	fprintf(out, "    ");
	if (vsm_mbarrier_wait(wait->word, wanted(wait)))
		fprintf(out, "the phase is complete: they can go on");
	else
		ptx_phrase_lack(out, &fields, fields.expected, PHRASE_UNKNOWN);
	fprintf(out, "\n    ");
	ptx_phrase_word(out, wait->word, &fields);
	fprintf(out, "\n");
}

static void write_barrier(FILE *out, const struct ps_cluster *cluster,
			  const struct drm_vsm_state_entry *wait)
{
	const struct drm_vsm_state_entry *barrier = find_barrier(cluster, wait);

	if (!barrier)
		return;
	fprintf(out, "    ");
	ptx_phrase_arrived(out, barrier->count, barrier->total);
	fprintf(out, "\n");
}

static void write_lack(FILE *out, const struct ps_cluster *cluster,
		       const struct drm_vsm_state_entry *wait)
{
	switch (wait->kind) {
	case DRM_VSM_STATE_PHASE:
		write_phase(out, cluster, wait);
		return;
	case DRM_VSM_STATE_GROUPS:
		fprintf(out, "    ");
		ptx_phrase_count(out, wait->count, "group");
		fprintf(out, " of copies %s not complete\n", wait->count == 1 ? "is" : "are");
		return;
	}
	if (wait->flags & DRM_VSM_STATE_ACROSS)
		write_barrier(out, cluster, wait);
}

/* --- why ---------------------------------------------------------------------------- */

/**
 * struct who - Threads of a CTA that do the same
 * @wait: Number of the wait that they are in, or %PS_RUNS
 * @lanes: Lanes of each warp
 */
struct who {
	int wait;
	uint32_t lanes[PS_WARPS];
};

/*
 * Must this thread arrive, or can it, so that a wait ends? For a phase of an mbarrier this can be
 * any thread that is not in the same wait.
 */
static bool is_missing(const struct ps_cluster *cluster, const struct ps_wait *wait, uint32_t cta,
		       uint32_t thread)
{
	const struct drm_vsm_state_entry *barrier, *entry = wait->entry;
	uint32_t i, warp = thread / 32, lane = thread % 32;

	if (cta == entry->cta && wait->lanes[warp] >> lane & 1)
		return false;
	if (entry->kind == DRM_VSM_STATE_PHASE)
		return true;
	if (entry->kind != DRM_VSM_STATE_RENDEZVOUS)
		return false;
	if (!(entry->flags & DRM_VSM_STATE_ACROSS))
		return cta == entry->cta && warp == entry->thread / 32u &&
		       entry->missing >> lane & 1;
	if (entry->insn.op < DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE) {
		barrier = find_barrier(cluster, entry);
		return barrier && cta == entry->cta && barrier->missing >> warp & 1;
	}
	for (i = 0; i < cluster->state.count; i++) {
		entry = &cluster->entries[i];
		if (entry->kind == DRM_VSM_STATE_CLUSTER_ARRIVED && entry->cta == cta &&
		    entry->thread / 32u == warp && !(entry->flags & DRM_VSM_STATE_COMPLETE) &&
		    entry->lanes >> lane & 1)
			return false;
	}
	return true;
}

/* Collects the missing threads of a CTA that are in the wait @in, or that run. */
static bool collect(const struct ps_cluster *cluster, const struct ps_wait *wait, uint32_t cta,
		    int in, struct who *who)
{
	uint32_t threads = cluster->state.threads, thread;
	bool any = false;

	*who = (struct who){ .wait = in };
	for (thread = 0; thread < threads; thread++) {
		if (cluster->threads[cta * threads + thread] != in ||
		    !is_missing(cluster, wait, cta, thread))
			continue;
		who->lanes[thread / 32] |= 1u << thread % 32;
		any = true;
	}
	return any;
}

/* Does a wait, directly or through others, wait for threads of the wait @goal? */
static bool leads_to(const struct ps_cluster *cluster, uint32_t from, uint32_t goal, bool *seen)
{
	const struct ps_wait *wait = &cluster->waits[from];
	uint32_t threads = cluster->state.threads, i;
	int next;

	if (from == goal)
		return true;
	if (seen[from])
		return false;
	seen[from] = true;
	for (i = 0; i < cluster->state.ctas * threads; i++) {
		next = cluster->threads[i];
		if (next >= 0 && !(next != (int)goal && seen[next]) &&
		    is_missing(cluster, wait, i / threads, i % threads) &&
		    leads_to(cluster, next, goal, seen))
			return true;
	}
	return false;
}

static bool is_circle(const struct ps_cluster *cluster, int missing, uint32_t goal)
{
	bool *seen = calloc(cluster->wait_count, sizeof(*seen));
	bool circle = seen && leads_to(cluster, missing, goal, seen);

	free(seen);
	return circle;
}

/* Which threads have to arrive, or can, and what they do now. */
static void write_missing(FILE *out, const struct ps_cluster *cluster, uint32_t number)
{
	const struct ps_wait *wait = &cluster->waits[number];
	bool phase = wait->entry->kind == DRM_VSM_STATE_PHASE, one;
	struct who who;
	uint32_t cta;
	int in;

	for (cta = 0; cta < cluster->state.ctas; cta++) {
		for (in = PS_EXITED; in < (int)cluster->wait_count; in++) {
			if ((in == PS_EXITED && phase) || !collect(cluster, wait, cta, in, &who))
				continue;
			fprintf(out, phase ? "    may arrive: " : "    missing: ");
			one = write_threads(out, cluster, cta, who.lanes);
			if (in == PS_EXITED) {
				fprintf(out, one ? " has exited\n" : " have exited\n");
				continue;
			}
			if (in == PS_RUNS) {
				fprintf(out, one ? " runs\n" : " run\n");
				continue;
			}
			fprintf(out, one ? " waits for " : " wait for ");
			write_what(out, cluster, cluster->waits[in].entry);
			if (is_circle(cluster, in, number))
				fprintf(out, ": they wait for each other");
			fprintf(out, "\n");
		}
	}
}

static void write_operation(FILE *out, const struct drm_vsm_state_entry *entry)
{
	char text[256];

	vsm_insn_describe(&entry->insn, text, sizeof(text));
	fprintf(out, "    in flight%s: ", entry->flags & DRM_VSM_STATE_HELD ? ", held" : "");
	ptx_phrase_count(out, entry->count, "byte");
	fprintf(out, " of %s, by lane %u of warp %u of CTA %u\n", text, entry->thread % 32,
		entry->thread / 32, entry->cta);
}

/* Is the operation one that a wait may be waiting for? */
static bool completes(const struct drm_vsm_state_entry *entry,
		      const struct drm_vsm_state_entry *wait)
{
	if (entry->kind != DRM_VSM_STATE_OPERATION)
		return false;
	if (wait->kind == DRM_VSM_STATE_GROUPS)
		return entry->cta == wait->cta && entry->thread == wait->thread;
	if (wait->kind != DRM_VSM_STATE_PHASE)
		return false;
	if (entry->insn.op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE)
		return entry->insn.u.mbarrier.addr == wait->insn.u.mbarrier.addr;
	/* The mbarriers of a multicast have the same offset in several CTAs. */
	return entry->mask >> rank_of(wait->insn.u.mbarrier.addr) & 1 &&
	       offset_of(entry->insn.u.copy.mbar) == offset_of(wait->insn.u.mbarrier.addr);
}

static void write_why(FILE *out, const struct ps_cluster *cluster, uint32_t number)
{
	static const char nothing[] = "no thread runs, and nothing is in flight";
	const struct drm_vsm_state_entry *wait = cluster->waits[number].entry;
	uint32_t i;

	for (i = 0; i < cluster->state.count; i++)
		if (completes(&cluster->entries[i], wait))
			write_operation(out, &cluster->entries[i]);
	write_missing(out, cluster, number);
	if (!ps_moves(cluster))
		fprintf(out, "    %s: nothing in this cluster can end this wait\n", nothing);
}

/* --- a cluster ----------------------------------------------------------------------- */

static void write_wait(FILE *out, const struct ps_cluster *cluster, uint32_t number, bool why)
{
	const struct ps_wait *wait = &cluster->waits[number];
	const struct drm_vsm_state_entry *entry = wait->entry;
	uint32_t threads = count_threads(wait->lanes);
	bool one;

	fprintf(out, "  ");
	if (threads) {
		ptx_phrase_count(out, threads, "thread");
		fprintf(out, ": ");
		one = write_threads(out, cluster, entry->cta, wait->lanes);
		fprintf(out, one ? " waits for " : " wait for ");
	} else {
		ptx_phrase_count(out, wait->count, "armed wait");
		fprintf(out, " for ");
	}
	write_what(out, cluster, entry);
	fprintf(out, "\n    ");
	if (entry->flags & DRM_VSM_STATE_LEFT)
		fprintf(out, "no task waits for the result now");
	else if (entry->flags & DRM_VSM_STATE_ARMED)
		fprintf(out, "armed");
	else
		fprintf(out, "suspended");
	if (wait->since) {
		fprintf(out, " for ");
		write_time(out, cluster->state.time - wait->since);
	}
	if (entry->pid)
		fprintf(out, ", by process %u", entry->pid);
	if (entry->tid && wait->count == 1 && entry->tid != entry->pid)
		fprintf(out, ", task %u", entry->tid);
	if (entry->deadline >= 0 && entry->deadline != INT64_MAX) {
		fprintf(out, ", at most ");
		write_time(out, entry->deadline - cluster->state.time);
		fprintf(out, " more");
	}
	fprintf(out, "\n");
	write_lack(out, cluster, entry);
	if (why)
		write_why(out, cluster, number);
}

static void write_job(FILE *out, const struct drm_vsm_state_entry *entry)
{
	fprintf(out, "  job on channel %u: ", entry->id);
	if (entry->flags & DRM_VSM_STATE_RUNNING) {
		fprintf(out, "runs, %u of %u instructions issued\n", entry->count, entry->total);
		return;
	}
	if (!entry->missing) {
		fprintf(out, "is queued\n");
		return;
	}
	fprintf(out, "waits for ");
	ptx_phrase_count(out, entry->missing, "fence");
	if (entry->name[0]) {
		fputs(" (", out);
		write_printable(out, entry->name, sizeof(entry->name));
		putc(')', out);
	}
	fprintf(out, "\n");
}

/* Writes what is in flight. Returns the number of jobs and operations. */
static uint32_t write_in_flight(FILE *out, const struct ps_cluster *cluster)
{
	uint32_t jobs = 0, operations = 0, held = 0, i;

	for (i = 0; i < cluster->state.count; i++) {
		const struct drm_vsm_state_entry *entry = &cluster->entries[i];

		if (entry->kind == DRM_VSM_STATE_JOB) {
			write_job(out, entry);
			jobs++;
		}
		if (entry->kind != DRM_VSM_STATE_OPERATION)
			continue;
		operations++;
		held += entry->flags & DRM_VSM_STATE_HELD ? 1 : 0;
	}
	if (operations) {
		fprintf(out, "  ");
		ptx_phrase_count(out, operations, "operation");
		fprintf(out, " in flight");
		if (held)
			fprintf(out, ", %u of them held", held);
		fprintf(out, "\n");
	}
	return jobs + operations;
}

void ps_write_text(FILE *out, const struct ps_cluster *cluster, bool why)
{
	const struct drm_vsm_cluster_state *state = &cluster->state;
	uint32_t in_flight, i;

	fprintf(out, "cluster %u of device %u", state->number, cluster->device);
	if (state->pid) {
		fprintf(out, ", by process %u (", state->pid);
		write_printable(out, state->comm, sizeof(state->comm));
		putc(')', out);
	}
	fprintf(out, ": %u CTAs of %u threads", state->ctas, state->threads);
	if (state->live != state->ctas * state->threads)
		fprintf(out, ", %u exited", state->ctas * state->threads - state->live);
	if (state->status & DRM_VSM_STATE_CLUSTER_HELD)
		fprintf(out, ", held");
	if (state->status & DRM_VSM_STATE_LOST)
		fprintf(out, ", lost");
	fprintf(out, "\n");
	for (i = 0; i < cluster->wait_count; i++)
		write_wait(out, cluster, i, why);
	in_flight = write_in_flight(out, cluster);
	if (state->status & DRM_VSM_STATE_MORE)
		fprintf(out, "  and more that is not listed\n");
	else if (!cluster->wait_count && !in_flight)
		fprintf(out, "  nothing waits, and nothing is in flight\n");
}
