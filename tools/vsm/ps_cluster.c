// SPDX-License-Identifier: MIT
/*
 * What vsm ps knows about a cluster, and how it says it: as text, whose sentences are those of the
 * reports of kernels that hang, or as JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "ps_cluster.h"
#include "text.h"
#include "vsm_syntax.h"

/* --- reading --------------------------------------------------------------------- */

/* The most entries that a device lists. */
#define MAX_ENTRIES 131072

static bool is_wait(const struct drm_vsm_state_entry *entry)
{
	return entry->kind == DRM_VSM_STATE_PHASE || entry->kind == DRM_VSM_STATE_RENDEZVOUS ||
	       (entry->kind == DRM_VSM_STATE_GROUPS &&
		entry->flags & (DRM_VSM_STATE_SUSPENDED | DRM_VSM_STATE_ARMED));
}

/* Do two entries wait for the same thing? */
static bool is_same(const struct drm_vsm_state_entry *a, const struct drm_vsm_state_entry *b)
{
	if (a->kind != b->kind || a->flags != b->flags || a->cta != b->cta || a->pid != b->pid ||
	    a->client != b->client || !a->lanes != !b->lanes ||
	    memcmp(&a->insn, &b->insn, offsetof(struct drm_vsm_insn, result)))
		return false;
	/* The lanes of a warp operation wait for each other, and not for those of other warps. */
	return a->kind != DRM_VSM_STATE_RENDEZVOUS || a->flags & DRM_VSM_STATE_ACROSS ||
	       a->thread / 32 == b->thread / 32;
}

static int compare_waits(const void *a, const void *b)
{
	const struct ps_wait *x = a, *y = b;

	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* A number that is the same for entries that wait for the same thing. */
static uint32_t hash_of(const struct drm_vsm_state_entry *entry)
{
	const unsigned char *bytes = (const unsigned char *)&entry->insn;
	uint32_t hash = 2166136261u ^ entry->cta;
	size_t i;

	for (i = 0; i < offsetof(struct drm_vsm_insn, result); i++)
		hash = (hash ^ bytes[i]) * 16777619u;
	return hash;
}

/*
 * Finds the wait of an entry in a hash table of numbers of waits, which has @size places, a power
 * of two. Number 0 is an empty place. A device lists so many entries that a search among all waits
 * would take minutes.
 */
static struct ps_wait *find_wait(struct ps_cluster *cluster, uint32_t *table, uint32_t size,
				 const struct drm_vsm_state_entry *entry)
{
	uint32_t at = hash_of(entry) & (size - 1);
	struct ps_wait *wait;

	for (; table[at]; at = (at + 1) & (size - 1)) {
		wait = &cluster->waits[table[at] - 1];
		if (is_same(wait->entry, entry))
			return wait;
	}
	wait = &cluster->waits[cluster->wait_count++];
	*wait = (struct ps_wait){ .entry = entry, .since = entry->since };
	table[at] = cluster->wait_count;
	return wait;
}

static void add_wait(struct ps_wait *wait, const struct drm_vsm_state_entry *entry)
{
	wait->count++;
	if (entry->since < wait->since)
		wait->since = entry->since;
	wait->lanes[entry->thread / 32 % PS_WARPS] |= entry->lanes;
}

/* Marks the threads of a mask as those of a wait, or as exited. */
static void mark(struct ps_cluster *cluster, uint32_t cta, uint32_t warp, uint32_t lanes, int as)
{
	uint32_t lane, thread;

	for (lane = 0; lanes && lane < 32; lane++) {
		thread = warp * 32 + lane;
		if (lanes >> lane & 1 && cta < cluster->state.ctas &&
		    thread < cluster->state.threads)
			cluster->threads[cta * cluster->state.threads + thread] = as;
	}
}

void ps_sort(struct ps_cluster *cluster)
{
	uint32_t threads = cluster->state.ctas * cluster->state.threads, i, warp;
	const struct drm_vsm_state_entry *entry;
	uint32_t size = 1, *table;

	while (size <= 2 * cluster->state.count)
		size *= 2;
	table = must(calloc(size, sizeof(*table)));
	cluster->wait_count = 0;
	cluster->waits = must(calloc(cluster->state.count + 1, sizeof(*cluster->waits)));
	cluster->threads = must(calloc(threads + 1, sizeof(*cluster->threads)));
	for (i = 0; i < threads; i++)
		cluster->threads[i] = PS_RUNS;
	for (i = 0; i < cluster->state.count; i++) {
		entry = &cluster->entries[i];
		if (is_wait(entry))
			add_wait(find_wait(cluster, table, size, entry), entry);
		if (entry->kind == DRM_VSM_STATE_EXITED)
			mark(cluster, entry->cta, entry->thread / 32, entry->lanes, PS_EXITED);
	}
	free(table);
	qsort(cluster->waits, cluster->wait_count, sizeof(*cluster->waits), compare_waits);
	for (i = 0; i < cluster->wait_count; i++)
		for (warp = 0; warp < PS_WARPS; warp++)
			mark(cluster, cluster->waits[i].entry->cta, warp,
			     cluster->waits[i].lanes[warp], i);
}

int ps_read(struct vsm_device *device, uint32_t number, uint32_t flag, struct ps_cluster *cluster)
{
	uint32_t max = 64;
	int err;

	for (;;) {
		cluster->entries = must(calloc(max, sizeof(*cluster->entries)));
		err = vsm_device_state(device, number, flag, &cluster->state, cluster->entries,
				       max);
		if (!err && (cluster->state.total <= max || max == MAX_ENTRIES)) {
			ps_sort(cluster);
			return 0;
		}
		free(cluster->entries);
		if (err)
			return err;
		/* More waits may begin until the next call. */
		max = cluster->state.total + cluster->state.total / 8;
		if (max > MAX_ENTRIES)
			max = MAX_ENTRIES;
	}
}

void ps_free(struct ps_cluster *cluster)
{
	free(cluster->entries);
	free(cluster->waits);
	free(cluster->threads);
}

bool ps_moves(const struct ps_cluster *cluster)
{
	uint32_t i;

	for (i = 0; i < cluster->state.count; i++)
		if (cluster->entries[i].kind == DRM_VSM_STATE_OPERATION ||
		    cluster->entries[i].kind == DRM_VSM_STATE_JOB)
			return true;
	for (i = 0; i < cluster->state.ctas * cluster->state.threads; i++)
		if (cluster->threads[i] == PS_RUNS)
			return true;
	return false;
}

/* --- text ------------------------------------------------------------------------ */

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

/* Threads of a CTA that do the same */
struct who {
	int wait;			/* number of the wait that they are in, or PS_RUNS */
	uint32_t lanes[PS_WARPS];	/* lanes of each warp */
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

/* --- JSON ------------------------------------------------------------------------ */

static void add_flags(struct json_object *json, uint32_t flags)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
#define VSM_STATE_FLAG(NAME, name) \
		{ DRM_VSM_STATE_##NAME, name },
#include "vsm_states.h"
	};
	struct json_object *list = json_add_array(json, "flags");
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (flags & names[i].flag)
			json_add_string(list, NULL, names[i].name);
}

/* Writes a number unless it is 0. */
static void add_number(struct json_object *json, const char *key, uint64_t number)
{
	if (number)
		json_add_number(json, key, number);
}

static void add_phase(struct json_object *json, const struct ps_cluster *cluster,
		      const struct drm_vsm_state_entry *entry)
{
	const struct drm_vsm_mbarrier_operands *o = &entry->insn.u.mbarrier;
	struct vsm_mbarrier_fields fields;

	fields = vsm_mbarrier_decode(cluster->state.layout, entry->word);
	json_add_number(json, "address", o->addr);
	json_add_hex(json, "word", entry->word);
	if (entry->insn.mods & DRM_VSM_MOD_PARITY)
		json_add_number(json, "parity", o->parity);
	else
		json_add_hex(json, "token", o->state);
	json_add_number(json, "missing_arrivals", fields.pending);
	json_add_signed(json, "missing_bytes", fields.tx);
}

static void add_entry(struct json_object *list, const struct ps_cluster *cluster,
		      const struct drm_vsm_state_entry *entry)
{
	bool barrier = entry->kind == DRM_VSM_STATE_BARRIER;
	struct json_object *json = json_add_object(list, NULL);
	char text[256];

	json_add_string(json, "kind", vsm_state_name(entry->kind));
	add_flags(json, entry->flags);
	add_number(json, "client", entry->client);
	add_number(json, "pid", entry->pid);
	add_number(json, "tid", entry->tid);
	if (entry->kind != DRM_VSM_STATE_CLUSTER_BARRIER) {
		json_add_number(json, "cta", entry->cta);
		json_add_number(json, "thread", entry->thread);
	}
	if (entry->lanes)
		json_add_hex(json, "lanes", entry->lanes);
	if (entry->since)
		json_add_signed(json, "waits_ns", cluster->state.time - entry->since);
	if (entry->deadline >= 0 && entry->deadline != INT64_MAX)
		json_add_signed(json, "left_ns", entry->deadline - cluster->state.time);
	if (entry->insn.op) {
		vsm_insn_describe(&entry->insn, text, sizeof(text));
		json_add_string(json, "instruction", text);
	}
	if (entry->kind == DRM_VSM_STATE_PHASE)
		add_phase(json, cluster, entry);
	if (entry->mask)
		json_add_hex(json, barrier ? "waiting_warps" : "mask", entry->mask);
	if (entry->passed)
		json_add_hex(json, "passed_warps", entry->passed);
	if (entry->kind == DRM_VSM_STATE_JOB)
		json_add_number(json, "missing_fences", entry->missing);
	else if (entry->missing)
		json_add_hex(json, barrier ? "missing_warps" : "missing_lanes", entry->missing);
	if (barrier || entry->kind == DRM_VSM_STATE_OPERATION || entry->kind == DRM_VSM_STATE_JOB)
		json_add_number(json, barrier ? "barrier" : "channel", entry->id);
	if (entry->total || entry->count) {
		json_add_number(json, "count", entry->count);
		json_add_number(json, "total", entry->total);
	}
	if (entry->name[0])
		json_add_bytes(json, "fence", entry->name,
			       strnlen(entry->name, sizeof(entry->name)));
	add_number(json, "user_data", entry->user_data);
}

void ps_add_json(struct json_object *list, const struct ps_cluster *cluster)
{
	const struct drm_vsm_cluster_state *state = &cluster->state;
	struct json_object *json = json_add_object(list, NULL), *entries;
	uint32_t i;

	json_add_number(json, "device", cluster->device);
	json_add_number(json, "number", state->number);
	json_add_number(json, "client", state->client);
	json_add_number(json, "pid", state->pid);
	json_add_bytes(json, "comm", state->comm, strnlen(state->comm, sizeof(state->comm)));
	json_add_number(json, "ctas", state->ctas);
	json_add_number(json, "threads", state->threads);
	json_add_number(json, "live", state->live);
	json_add_number(json, "suspended", state->suspended);
	json_add_bool(json, "held", state->status & DRM_VSM_STATE_CLUSTER_HELD);
	json_add_bool(json, "lost", state->status & DRM_VSM_STATE_LOST);
	json_add_bool(json, "more", state->status & DRM_VSM_STATE_MORE);
	entries = json_add_array(json, "entries");
	for (i = 0; i < state->count; i++)
		add_entry(entries, cluster, &cluster->entries[i]);
}
