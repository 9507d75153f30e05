// SPDX-License-Identifier: MIT
/*
 * Puts spans of time that overlap on different lines.
 */
#include <stdlib.h>

#include "base.h"
#include "trace/lines.h"

/**
 * struct heap - A binary heap of lines. The line with the lowest time is the first; of equal times
 *	that with the lowest number
 * @items: Lines and their times
 * @count: Number of @items
 */
struct heap {
	struct item {
		uint64_t time;
		uint32_t line;
	} *items;
	size_t count;
};

static bool is_before(const struct item *a, const struct item *b)
{
	return a->time < b->time || (a->time == b->time && a->line < b->line);
}

static void heap_push(struct heap *heap, uint64_t time, uint32_t line)
{
	struct item item = { time, line };
	size_t i;

	heap->items = grow(heap->items, heap->count, sizeof(*heap->items));
	for (i = heap->count++; i && is_before(&item, &heap->items[(i - 1) / 2]); i = (i - 1) / 2)
		heap->items[i] = heap->items[(i - 1) / 2];
	heap->items[i] = item;
}

static uint32_t heap_pop(struct heap *heap)
{
	uint32_t line = heap->items[0].line;
	struct item last = heap->items[--heap->count];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < heap->count) {
		if (child + 1 < heap->count &&
		    is_before(&heap->items[child + 1], &heap->items[child]))
			child++;
		if (!is_before(&heap->items[child], &last))
			break;
		heap->items[i] = heap->items[child];
		i = child;
	}
	heap->items[i] = last;
	return line;
}

static int compare(const void *left, const void *right)
{
	const struct time_span *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->what > b->what) - (a->what < b->what);
}

/* Puts the spans of one group, which are sorted, on lines. */
static void put_group(struct time_span *spans, size_t count)
{
	/* Lines with a span, by its end; and lines without one, by their number. */
	struct heap busy = { }, idle = { };
	uint32_t lines = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		while (busy.count && busy.items[0].time <= spans[i].start)
			heap_push(&idle, 0, heap_pop(&busy));
		spans[i].line = idle.count ? heap_pop(&idle) : lines++;
		heap_push(&busy, spans[i].end, spans[i].line);
	}
	free(busy.items);
	free(idle.items);
}

void put_on_lines(struct time_span *spans, size_t count)
{
	size_t first, next;

	if (count)
		qsort(spans, count, sizeof(*spans), compare);
	for (first = 0; first < count; first = next) {
		next = first + 1;
		while (next < count && spans[next].group == spans[first].group)
			next++;
		put_group(spans + first, next - first);
	}
}
