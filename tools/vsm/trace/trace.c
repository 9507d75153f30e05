// SPDX-License-Identifier: MIT
/*
 * A trace: events of the device, and what is needed to name what they are about. It keeps its parts
 * in order, and says in words what an event says.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <vsm_mbarrier.h>

#include "names.h"
#include "trace/trace.h"
#include "vsm_syntax.h"

/* --- a trace -------------------------------------------------------------- */

#define OFFSET_MASK ((1U << VSM_SHARED_RANK_SHIFT) - 1)

void trace_init(struct trace *trace, const char *title)
{
	*trace = (struct trace){ .title = strdup(title) };
}

void trace_free(struct trace *trace)
{
	size_t i;

	for (i = 0; i < trace->site_count; i++) {
		free(trace->sites[i].text);
		free(trace->sites[i].insn);
	}
	for (i = 0; i < trace->name_count; i++)
		free(trace->names[i].text);
	free(trace->sites);
	free(trace->names);
	free(trace->clusters);
	free(trace->events);
	free(trace->title);
	free(trace->note);
	*trace = (struct trace){ };
}

/*
 * Makes place for @more elements behind the @count elements of @array. The size of the array is the
 * smallest power of two that holds all elements, as in grow().
 */
static int reserve(void **array, size_t count, size_t more, size_t size)
{
	size_t old = 1, capacity;
	void *moved;

	while (old < count)
		old *= 2;
	for (capacity = old; capacity < count + more;)
		if (__builtin_mul_overflow(capacity, 2, &capacity))
			return -ENOMEM;
	if (*array && capacity == old)
		return 0;
	moved = reallocarray(*array, capacity, size);
	if (!moved)
		return -ENOMEM;
	*array = moved;
	return 0;
}

#define RESERVE(array, count, more) reserve((void **)&(array), count, more, sizeof(*(array)))

int trace_add_events(struct trace *trace, const struct drm_vsm_trace_event *events, size_t count)
{
	if (!count)
		return 0;
	if (count > SIZE_MAX / 2 - trace->count || RESERVE(trace->events, trace->count, count))
		return -ENOMEM;
	memcpy(trace->events + trace->count, events, count * sizeof(*events));
	trace->count += count;
	return 0;
}

/* Returns the index of the first cluster whose number is not lower. */
static size_t cluster_place(const struct trace *trace, uint32_t number)
{
	size_t low = 0, high = trace->cluster_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (trace->clusters[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct trace_cluster *trace_find_cluster(const struct trace *trace, uint32_t number)
{
	size_t place = cluster_place(trace, number);

	if (place == trace->cluster_count || trace->clusters[place].number != number)
		return NULL;
	return &trace->clusters[place];
}

int trace_add_cluster(struct trace *trace, const struct trace_cluster *cluster)
{
	size_t place = cluster_place(trace, cluster->number);

	if (trace_find_cluster(trace, cluster->number))
		return 0;
	if (RESERVE(trace->clusters, trace->cluster_count, 1))
		return -ENOMEM;
	memmove(trace->clusters + place + 1, trace->clusters + place,
		(trace->cluster_count - place) * sizeof(*cluster));
	trace->clusters[place] = *cluster;
	trace->cluster_count++;
	return 0;
}

/* Returns the index of the first site whose number is not lower. */
static size_t site_place(const struct trace *trace, uint32_t site)
{
	size_t low = 0, high = trace->site_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (trace->sites[middle].site < site)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct trace_site *trace_find_site(const struct trace *trace, uint32_t site)
{
	size_t place = site_place(trace, site);

	if (!site || place == trace->site_count || trace->sites[place].site != site)
		return NULL;
	return &trace->sites[place];
}

int trace_add_site(struct trace *trace, uint32_t site, const char *text, const char *insn)
{
	struct trace_site new = { .site = site };
	size_t place;

	if (trace_find_site(trace, site))
		return 0;
	if (RESERVE(trace->sites, trace->site_count, 1))
		return -ENOMEM;
	new.text = strdup(text);
	new.insn = strdup(insn);
	if (!new.text || !new.insn) {
		free(new.text);
		free(new.insn);
		return -ENOMEM;
	}
	place = site_place(trace, site);
	memmove(trace->sites + place + 1, trace->sites + place,
		(trace->site_count - place) * sizeof(new));
	trace->sites[place] = new;
	trace->site_count++;
	return 0;
}

int trace_add_name(struct trace *trace, const struct trace_name *name)
{
	struct trace_name new = *name;

	if (RESERVE(trace->names, trace->name_count, 1))
		return -ENOMEM;
	new.text = strdup(name->text);
	if (!new.text)
		return -ENOMEM;
	trace->names[trace->name_count++] = new;
	return 0;
}

int trace_set_note(struct trace *trace, const char *note)
{
	char *new = strdup(note);

	if (!new)
		return -ENOMEM;
	free(trace->note);
	trace->note = new;
	return 0;
}

static bool is_sorted(const struct trace *trace)
{
	size_t i;

	for (i = 1; i < trace->count; i++)
		if (trace->events[i].time < trace->events[i - 1].time)
			return false;
	return true;
}

/* Merges the sorted ranges @from to @middle and @middle to @to. Equal times stay in order. */
static void merge(const struct drm_vsm_trace_event *in, struct drm_vsm_trace_event *out,
		  size_t from, size_t middle, size_t to)
{
	size_t left = from, right = middle, i;

	for (i = from; i < to; i++) {
		bool take_left = right == to ||
				 (left < middle && in[left].time <= in[right].time);

		out[i] = in[take_left ? left++ : right++];
	}
}

/*
 * Inserts each event where it belongs. This needs no memory. It is slow if many events are far from
 * their places, and trace_sort() uses it only if there is no memory.
 */
static void sort_in_place(struct trace *trace)
{
	size_t i, j;

	for (i = 1; i < trace->count; i++) {
		struct drm_vsm_trace_event event = trace->events[i];

		for (j = i; j && trace->events[j - 1].time > event.time; j--)
			trace->events[j] = trace->events[j - 1];
		trace->events[j] = event;
	}
}

void trace_sort(struct trace *trace)
{
	struct drm_vsm_trace_event *from = trace->events, *to, *swap;
	size_t width, i;

	if (is_sorted(trace))
		return;
	to = reallocarray(NULL, trace->count, sizeof(*to));
	if (!to) {
		sort_in_place(trace);
		return;
	}
	for (width = 1; width < trace->count; width *= 2) {
		for (i = 0; i < trace->count; i += 2 * width) {
			size_t rest = trace->count - i;

			merge(from, to, i, i + (rest < width ? rest : width),
			      i + (rest < 2 * width ? rest : 2 * width));
		}
		swap = from;
		from = to;
		to = swap;
	}
	/* The array of trace->events may have more place than @to has, for reserve(). */
	if (from != trace->events) {
		memcpy(trace->events, from, trace->count * sizeof(*from));
		to = from;
	}
	free(to);
}

void trace_print_address(FILE *out, const struct trace *trace, uint32_t cluster, uint32_t addr)
{
	uint32_t offset = addr & OFFSET_MASK;
	size_t i;

	for (i = 0; i < trace->name_count; i++) {
		const struct trace_name *name = &trace->names[i];
		uint32_t inside = offset - name->offset;

		if ((name->cluster && name->cluster != cluster) || offset < name->offset ||
		    inside >= name->size)
			continue;
		fputs(name->text, out);
		if (name->stride) {
			fprintf(out, "[%" PRIu32 "]", inside / name->stride);
			inside %= name->stride;
		}
		if (inside)
			fprintf(out, " + 0x%" PRIx32, inside);
		return;
	}
	fprintf(out, "0x%" PRIx32, offset);
}

/* --- one event in words --------------------------------------------------- */

static const char *const types[EVENT_TYPES] = {
#define VSM_TRACE(NAME, name) \
	[DRM_VSM_TRACE_##NAME] = #name,
#include <vsm_trace_types.h>
};

/* Names of the operations in the text form, and in PTX. */
#define VSM_OP(NAME, sems, traits) \
	[DRM_VSM_OP_##NAME] = { #NAME,
#define VSM_PTX(name, rest) name
#define VSM_OP_END },
static const struct {
	const char *name;
	const char *ptx;
} ops[EVENT_OPS] = {
#include "vsm_ops.h"
};

const char *event_type_name(unsigned int type)
{
	return type < EVENT_TYPES ? types[type] : NULL;
}

const char *event_op_name(unsigned int op)
{
	return op < EVENT_OPS ? ops[op].name : NULL;
}

const char *event_error_name(int32_t error)
{
	/* INT32_MIN has no positive number. */
	return errno_name(error < 0 && error != INT32_MIN ? -error : error);
}

bool event_op_has_mbarrier(unsigned int op)
{
	return (op >= DRM_VSM_OP_MBARRIER_INIT && op <= DRM_VSM_OP_MBARRIER_TRY_WAIT) ||
	       op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE;
}

bool event_op_has_barrier(unsigned int op)
{
	return op >= DRM_VSM_OP_BARRIER_SYNC && op <= DRM_VSM_OP_BARRIER_RED;
}

/* The value of the event that ends a wait is its time. */
static bool has_membermask(const struct drm_vsm_trace_event *event)
{
	return event->op >= DRM_VSM_OP_MATCH_SYNC && event->op <= DRM_VSM_OP_REDUX_SYNC &&
	       (event->type == DRM_VSM_TRACE_ARRIVE || event->type == DRM_VSM_TRACE_RELEASE ||
		event->type == DRM_VSM_TRACE_SUSPEND || event->type == DRM_VSM_TRACE_WAIT_ARM);
}

bool event_has_mbarrier(const struct drm_vsm_trace_event *event, uint32_t *addr)
{
	*addr = event->addr;
	switch (event->type) {
	case DRM_VSM_TRACE_PHASE:
		return true;
	case DRM_VSM_TRACE_COPY_DELIVER:
		*addr = event->mbar;
		return true;
	case DRM_VSM_TRACE_COPY_ISSUE:
	case DRM_VSM_TRACE_COPY_BEGIN:
	case DRM_VSM_TRACE_COPY_END:
	case DRM_VSM_TRACE_ARRIVE:
	case DRM_VSM_TRACE_RELEASE:
	case DRM_VSM_TRACE_COMMIT:
		return false;
	default:
		return event_op_has_mbarrier(event->op);
	}
}

enum vsm_layout event_layout(const struct trace *trace, uint32_t cluster)
{
	const struct trace_cluster *found = trace_find_cluster(trace, cluster);

	return found ? found->layout : VSM_LAYOUT_SM_90;
}

void event_print_op(FILE *out, const struct drm_vsm_trace_event *event)
{
	if (event->op >= EVENT_OPS || !ops[event->op].ptx) {
		fprintf(out, "operation %u", event->op);
		return;
	}
	/* $q and its like stand for a qualifier, which the event does not have. */
	fprintf(out, "%.*s", (int)strcspn(ops[event->op].ptx, "$"), ops[event->op].ptx);
	if (event->op == DRM_VSM_OP_MATCH_SYNC)
		fputs(".sync", out);
	if (event->mods & DRM_VSM_MOD_EXPECT_TX)
		fputs(".expect_tx", out);
	if (event->mods & DRM_VSM_MOD_NOCOMPLETE)
		fputs(".noComplete", out);
	if (event->mods & DRM_VSM_MOD_READ)
		fputs(".read", out);
}

/* Writes the number of a named barrier, or the membermask of a warp operation. */
static void print_rendezvous(FILE *out, const struct drm_vsm_trace_event *event)
{
	if (event_op_has_barrier(event->op))
		fprintf(out, " %" PRIu32, event->addr);
	else if (has_membermask(event))
		fprintf(out, " 0x%llx", event->value);
}

/* Writes lanes: "lane 3", "lanes 0-15", "lanes 0xa". */
static void event_print_lanes(FILE *out, uint32_t lanes)
{
	unsigned int first = lanes ? __builtin_ctz(lanes) : 0;
	unsigned int count = __builtin_popcount(lanes);
	uint64_t mask = ((1ULL << count) - 1) << first;

	if (count == 1)
		fprintf(out, "lane %u", first);
	else if (lanes && mask == lanes)
		fprintf(out, "lanes %u-%u", first, first + count - 1);
	else
		fprintf(out, "lanes 0x%" PRIx32, lanes);
}

void event_print_address(FILE *out, const struct trace *trace,
			 const struct drm_vsm_trace_event *event, uint32_t addr, uint32_t cta)
{
	trace_print_address(out, trace, event->cluster, addr);
	if (addr >> VSM_SHARED_RANK_SHIFT != cta)
		fprintf(out, " of CTA %" PRIu32, addr >> VSM_SHARED_RANK_SHIFT);
}

static void print_thread(FILE *out, const struct drm_vsm_trace_event *event)
{
	fprintf(out, "cluster %" PRIu32 ", CTA %u, warp %u, ", event->cluster, event->cta,
		event->thread / 32);
	event_print_lanes(out, event->lanes);
}

static void print_who(FILE *out, const struct drm_vsm_trace_event *event)
{
	switch (event->type) {
	case DRM_VSM_TRACE_COPY_BEGIN:
	case DRM_VSM_TRACE_JOB_QUEUE:
	case DRM_VSM_TRACE_JOB_BEGIN:
	case DRM_VSM_TRACE_JOB_END:
	case DRM_VSM_TRACE_CHANNEL_RESET:
		fprintf(out, "client %" PRIu32 ", channel %" PRIu32, event->client,
			event->channel);
		return;
	}
	if (event->lanes)
		print_thread(out, event);
	else if (event->cluster)
		fprintf(out, "cluster %" PRIu32, event->cluster);
	else if (event->client)
		fprintf(out, "client %" PRIu32, event->client);
	else
		fputs("device", out);
}

/* Does the event say which word an operation has left? */
static bool has_next(const struct drm_vsm_trace_event *event)
{
	return event->type == DRM_VSM_TRACE_INSN || event->type == DRM_VSM_TRACE_PHASE ||
	       event->type == DRM_VSM_TRACE_COPY_DELIVER;
}

/* Writes what the word was and is. What has not changed is there once. */
static void print_words(FILE *out, enum vsm_layout layout, uint64_t word, uint64_t next)
{
	struct vsm_mbarrier_fields old = vsm_mbarrier_decode(layout, word);
	struct vsm_mbarrier_fields new = vsm_mbarrier_decode(layout, next);

	fprintf(out, "parity %u", old.phase);
	if (new.phase != old.phase)
		fprintf(out, " -> %u", new.phase);
	fprintf(out, ", pending %" PRIu32, old.pending);
	if (new.pending != old.pending)
		fprintf(out, " -> %" PRIu32, new.pending);
	if (old.tx || new.tx)
		fprintf(out, ", tx %" PRId32, old.tx);
	if (new.tx != old.tx)
		fprintf(out, " -> %" PRId32, new.tx);
	fputs(ptx_word_marks(&new), out);
}

/* Writes how the word has changed, or what it is. */
static void print_change(FILE *out, const struct trace *trace,
			 const struct drm_vsm_trace_event *event)
{
	enum vsm_layout layout = event_layout(trace, event->cluster);
	bool left = has_next(event), init = left && event->op == DRM_VSM_OP_MBARRIER_INIT;
	uint64_t first = init ? event->next : event->word;

	if (event->type == DRM_VSM_TRACE_INSN && (event->op == DRM_VSM_OP_MBARRIER_TEST_WAIT ||
						  event->op == DRM_VSM_OP_MBARRIER_TRY_WAIT))
		fputs(event->value ? ", True" : ", False", out);
	fputs(": ", out);
	print_words(out, layout, first, left ? event->next : first);
}

static const char *type_text(unsigned int type)
{
	static const char *const texts[EVENT_TYPES] = {
		[DRM_VSM_TRACE_INSN] = "",
		[DRM_VSM_TRACE_PHASE] = "phase completed",
		[DRM_VSM_TRACE_SUSPEND] = "suspended in",
		[DRM_VSM_TRACE_RESUME] = "resumed from",
		[DRM_VSM_TRACE_WAIT_ARM] = "wait armed:",
		[DRM_VSM_TRACE_WAIT_END] = "armed wait ended:",
		[DRM_VSM_TRACE_ARRIVE] = "arrived:",
		[DRM_VSM_TRACE_RELEASE] = "releases threads at",
		[DRM_VSM_TRACE_COPY_ISSUE] = "copy issued:",
		[DRM_VSM_TRACE_COPY_BEGIN] = "copy begun:",
		[DRM_VSM_TRACE_COPY_DELIVER] = "copy delivered:",
		[DRM_VSM_TRACE_COPY_END] = "copy ended:",
		[DRM_VSM_TRACE_COMMIT] = "group committed:",
		[DRM_VSM_TRACE_JOB_QUEUE] = "job queued",
		[DRM_VSM_TRACE_JOB_BEGIN] = "job begun",
		[DRM_VSM_TRACE_JOB_END] = "job ended",
		[DRM_VSM_TRACE_CHANNEL_RESET] = "channel reset",
		[DRM_VSM_TRACE_CLUSTER_LOST] = "cluster lost",
		[DRM_VSM_TRACE_DEVICE_LOST] = "device lost",
		[DRM_VSM_TRACE_FAULT] = "fault:",
		[DRM_VSM_TRACE_CLUSTER_CREATE] = "cluster created:",
	};

	return type < EVENT_TYPES && texts[type] ? texts[type] : "unknown event";
}

static bool has_bytes(const struct drm_vsm_trace_event *event)
{
	return event->size && (event->type == DRM_VSM_TRACE_COPY_ISSUE ||
			       event->type == DRM_VSM_TRACE_COPY_DELIVER);
}

static bool ends_wait(const struct drm_vsm_trace_event *event)
{
	return event->type == DRM_VSM_TRACE_RESUME || event->type == DRM_VSM_TRACE_WAIT_END;
}

static bool is_job(const struct drm_vsm_trace_event *event)
{
	return event->type >= DRM_VSM_TRACE_JOB_QUEUE && event->type <= DRM_VSM_TRACE_JOB_END;
}

static void print_shape(FILE *out, const struct drm_vsm_trace_event *event)
{
	fprintf(out, " %u CTA%s of %u thread%s, each with %" PRIu32 " bytes of shared memory",
		event->cta, event->cta == 1 ? "" : "s", event->thread,
		event->thread == 1 ? "" : "s", event->size);
	if (event->mods == VSM_LAYOUT_SM_80)
		fputs(", sm_80", out);
	if (event->info == DRM_VSM_POLICY_HARDWARE)
		fputs(", hardware policy", out);
}

void event_print(FILE *out, const struct trace *trace, const struct drm_vsm_trace_event *event)
{
	const struct trace_site *site = trace_find_site(trace, event->site);
	const char *text = type_text(event->type);
	uint32_t addr;

	print_who(out, event);
	fprintf(out, ": %s", text);
	if (event->op) {
		fputs(*text ? " " : "", out);
		event_print_op(out, event);
		print_rendezvous(out, event);
	}
	if (event_has_mbarrier(event, &addr)) {
		putc(' ', out);
		event_print_address(out, trace, event, addr, event->cta);
		if (!ends_wait(event))
			print_change(out, trace, event);
	}
	if (has_bytes(event))
		fprintf(out, ", %" PRIu32 " bytes", event->size);
	if (event->type == DRM_VSM_TRACE_COMMIT)
		fprintf(out, " %llu", event->value);
	if (event->type == DRM_VSM_TRACE_CLUSTER_CREATE)
		print_shape(out, event);
	if (ends_wait(event))
		fprintf(out, ", after %llu ns", event->value);
	if (event->id)
		fprintf(out, " #%llu", event->id);
	if (event->cause)
		fprintf(out, " by #%llu", event->cause);
	if (event->fault)
		fprintf(out, ", %s", vsm_fault_name(event->fault));
	if (event->error)
		fprintf(out, ", %s", event_error_name(event->error));
	if (site)
		fprintf(out, " (%s)", site->text);
}

static void print_detail_word(FILE *out, const struct trace *trace,
			      const struct drm_vsm_trace_event *event, const char *name,
			      uint64_t word)
{
	fprintf(out, "%s: ", name);
	print_words(out, event_layout(trace, event->cluster), word, word);
	fprintf(out, " (0x%016" PRIx64 ")\n", word);
}

static void print_mbarrier_details(FILE *out, const struct trace *trace,
				   const struct drm_vsm_trace_event *event, uint32_t addr)
{
	fputs("mbarrier: ", out);
	event_print_address(out, trace, event, addr, event->cta);
	fprintf(out, " (CTA %" PRIu32 " + 0x%" PRIx32 ")\n", addr >> VSM_SHARED_RANK_SHIFT,
		addr & ((1U << VSM_SHARED_RANK_SHIFT) - 1));
	if (ends_wait(event))
		return;
	if (has_next(event)) {
		if (event->op != DRM_VSM_OP_MBARRIER_INIT)
			print_detail_word(out, trace, event, "before", event->word);
		print_detail_word(out, trace, event, "after", event->next);
	} else {
		print_detail_word(out, trace, event, "found", event->word);
	}
}

void event_print_details(FILE *out, const struct trace *trace,
			 const struct drm_vsm_trace_event *event)
{
	const struct trace_site *site = trace_find_site(trace, event->site);
	uint32_t addr;

	if (event->op) {
		fputs("operation: ", out);
		event_print_op(out, event);
		putc('\n', out);
	}
	if (event->lanes) {
		fputs("thread: ", out);
		print_thread(out, event);
		putc('\n', out);
	}
	if (event_has_mbarrier(event, &addr))
		print_mbarrier_details(out, trace, event, addr);
	if (event_op_has_barrier(event->op))
		fprintf(out, "barrier: %" PRIu32 "\n", event->addr);
	if (has_membermask(event))
		fprintf(out, "membermask: 0x%08llx\n", event->value);
	if (event->type == DRM_VSM_TRACE_PHASE && event->serial)
		fprintf(out, "serial number of the phase: %" PRIu32 "\n", event->serial);
	if (has_bytes(event))
		fprintf(out, "bytes: %" PRIu32 "\n", event->size);
	if (event->type == DRM_VSM_TRACE_COPY_ISSUE && event->buffer)
		fprintf(out, "buffer: %" PRIu32 " + 0x%llx\n", event->buffer, event->value);
	if (event->type == DRM_VSM_TRACE_COMMIT)
		fprintf(out, "group: %llu\n", event->value);
	if (event->type == DRM_VSM_TRACE_JOB_QUEUE)
		fprintf(out, "instructions: %llu\n", event->value);
	if (is_job(event) || event->type == DRM_VSM_TRACE_COPY_BEGIN)
		fprintf(out, "channel: %" PRIu32 " of client %" PRIu32 "\n", event->channel,
			event->client);
	if (event->id)
		fprintf(out, "number: %llu\n", event->id);
	if (event->fault)
		fprintf(out, "fault: %s\n", vsm_fault_name(event->fault));
	if (event->error)
		fprintf(out, "error: %s\n", event_error_name(event->error));
	if (site) {
		fprintf(out, "place: %s\n", site->text);
		if (*site->insn)
			fprintf(out, "instruction: %s\n", site->insn);
	}
}
