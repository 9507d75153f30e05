// SPDX-License-Identifier: MIT
/*
 * Traces: their parts, their order, and the names of what they are about.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <vsm_mbarrier.h>

#include "trace/trace.h"

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

const struct trace_cluster *trace_find_cluster(const struct trace *trace, uint32_t number)
{
	size_t place = cluster_place(trace, number);

	if (place == trace->cluster_count || trace->clusters[place].number != number)
		return NULL;
	return &trace->clusters[place];
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

const struct trace_site *trace_find_site(const struct trace *trace, uint32_t site)
{
	size_t place = site_place(trace, site);

	if (!site || place == trace->site_count || trace->sites[place].site != site)
		return NULL;
	return &trace->sites[place];
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
