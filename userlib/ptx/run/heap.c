// SPDX-License-Identifier: MIT
/*
 * The memory that malloc gives to kernels. What is allocated is known outside of this memory: a
 * kernel that writes behind its blocks does not harm the heap.
 */
#include <pthread.h>
#include <stdlib.h>

#include "run/heap.h"

#define UNIT	16
#define UNITS	(PTX_HEAP_BYTES / UNIT)

struct ptx_heap {
	pthread_mutex_t lock;	/* protects the members below */
	uint64_t address;	/* address in kernels; it does not change */
	uint32_t free;		/* units that are in no block */
	uint32_t next;		/* where the next search begins: at a block or a free piece */
	/*
	 * Where a block begins, its length in units; where a free piece begins, its length as a
	 * negative number. The entry of any other unit is 0, or negative if a piece began there
	 * that is now part of another: only the first unit of a block has a positive entry.
	 */
	int32_t units[UNITS];
};

struct ptx_heap *ptx_heap_create(uint64_t address)
{
	struct ptx_heap *heap = calloc(1, sizeof(*heap));

	if (!heap)
		return NULL;
	pthread_mutex_init(&heap->lock, NULL);
	heap->address = address;
	heap->free = UNITS;
	heap->units[0] = -(int32_t)UNITS;
	return heap;
}

void ptx_heap_destroy(struct ptx_heap *heap)
{
	if (!heap)
		return;
	pthread_mutex_destroy(&heap->lock);
	free(heap);
}

/* The length of the block at @at, or of the free piece, to which those behind it are added. */
static uint32_t piece_length(struct ptx_heap *heap, uint32_t at)
{
	uint32_t end = at;

	if (heap->units[at] > 0)
		return heap->units[at];
	while (end < UNITS && heap->units[end] < 0)
		end -= heap->units[end];
	heap->units[at] = (int32_t)at - (int32_t)end;
	return end - at;
}

/* Makes the begin of a free piece of @length units a block of @count. */
static void take(struct ptx_heap *heap, uint32_t at, uint32_t length, uint32_t count)
{
	heap->units[at] = count;
	if (length > count)
		heap->units[at + count] = (int32_t)count - (int32_t)length;
	heap->free -= count;
	heap->next = (at + count) % UNITS;
}

uint64_t ptx_heap_alloc(struct ptx_heap *heap, uint64_t size)
{
	uint32_t count, at, seen, length;
	uint64_t address = 0;

	if (size > PTX_HEAP_BYTES)
		return 0;
	count = size ? (size + UNIT - 1) / UNIT : 1;
	pthread_mutex_lock(&heap->lock);
	at = heap->next;
	/* The search merges free pieces, and @next may then be in the middle of one. */
	heap->next = 0;
	for (seen = 0; count <= heap->free && seen < UNITS && !address; seen += length) {
		length = piece_length(heap, at);
		if (heap->units[at] < 0 && length >= count) {
			take(heap, at, length, count);
			address = heap->address + (uint64_t)at * UNIT;
		}
		at = (at + length) % UNITS;
	}
	pthread_mutex_unlock(&heap->lock);
	return address;
}

bool ptx_heap_free(struct ptx_heap *heap, uint64_t address)
{
	uint64_t offset = address - heap->address;
	bool freed = false;
	int32_t *unit;

	if (offset >= PTX_HEAP_BYTES || offset % UNIT)
		return false;
	unit = &heap->units[offset / UNIT];
	pthread_mutex_lock(&heap->lock);
	if (*unit > 0) {
		heap->free += *unit;
		*unit = -*unit;
		freed = true;
	}
	pthread_mutex_unlock(&heap->lock);
	return freed;
}
