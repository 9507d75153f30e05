// SPDX-License-Identifier: MIT
/*
 * Contexts, and the device memory of a context.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/steps.h"
#include "run/memory.h"
#include "vsm_ptx.h"

#define ALIGNMENT	256
/* Between two allocations there are at least so many bytes that belong to none. */
#define GAP		4096
/* Addresses have 47 bits, as user space has on most machines. */
#define LAST_ADDRESS	(1ULL << 47)

int vsm_ptx_context_create(struct vsm_device *device, struct vsm_ptx_context **context)
{
	struct vsm_ptx_context *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->memory = calloc(1, sizeof(*c->memory));
	if (!c->memory) {
		free(c);
		return -ENOMEM;
	}
	c->memory->refs = 1;
	c->device = device;
	c->next = PTX_GLOBAL_BASE;
	pthread_mutex_init(&c->lock, NULL);
	*context = c;
	return 0;
}

static void allocation_free(const struct ptx_allocation *allocation)
{
	if (!allocation->buffer)
		free(allocation->host);
	else if (allocation->owned)
		vsm_buffer_destroy(allocation->buffer);
}

void vsm_ptx_context_destroy(struct vsm_ptx_context *context)
{
	uint32_t i;

	if (!context)
		return;
	for (i = 0; i < context->memory->count; i++)
		allocation_free(&context->memory->items[i]);
	free(context->memory);
	pthread_mutex_destroy(&context->lock);
	free(context);
}

/* --- the set of allocations --------------------------------------------------------- */

struct ptx_memory *ptx_memory_get(struct vsm_ptx_context *context)
{
	struct ptx_memory *memory;

	pthread_mutex_lock(&context->lock);
	memory = context->memory;
	memory->refs++;
	pthread_mutex_unlock(&context->lock);
	return memory;
}

static void memory_unref(struct ptx_memory *memory)
{
	if (!--memory->refs)
		free(memory);
}

void ptx_memory_put(struct vsm_ptx_context *context, struct ptx_memory *memory)
{
	pthread_mutex_lock(&context->lock);
	memory_unref(memory);
	pthread_mutex_unlock(&context->lock);
}

/* A copy of the allocations with room for one more. */
static struct ptx_memory *memory_copy(const struct ptx_memory *from)
{
	size_t bytes = sizeof(*from) + from->count * sizeof(from->items[0]);
	struct ptx_memory *memory = malloc(bytes + sizeof(from->items[0]));

	if (!memory)
		return NULL;
	memcpy(memory, from, bytes);
	memory->refs = 1;
	return memory;
}

const struct ptx_allocation *ptx_memory_nearest(const struct ptx_memory *memory,
						uint64_t address)
{
	uint32_t low = 0, high = memory->count;
	const struct ptx_allocation *below, *above;

	/* Find the first allocation that begins above the address. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (memory->items[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	below = low ? &memory->items[low - 1] : NULL;
	above = low < memory->count ? &memory->items[low] : NULL;
	if (!below || !above)
		return below ? below : above;
	if (address < below->address + below->size)
		return below;
	return address - (below->address + below->size) < above->address - address ? below : above;
}

const struct ptx_allocation *ptx_memory_find(const struct ptx_memory *memory, uint64_t address)
{
	const struct ptx_allocation *nearest = ptx_memory_nearest(memory, address);

	/* An address below the allocation gives a number that is above every size. */
	return nearest && address - nearest->address < nearest->size ? nearest : NULL;
}

/* --- allocation --------------------------------------------------------------------- */

static int allocation_init(struct vsm_ptx_context *context, struct ptx_allocation *allocation)
{
	int err;

	if (!context->device) {
		allocation->host = calloc(1, allocation->size);
		return allocation->host ? 0 : -ENOMEM;
	}
	if (!allocation->buffer) {
		err = vsm_buffer_create(context->device, allocation->size, &allocation->buffer);
		if (err)
			return err;
		allocation->owned = true;
	}
	allocation->handle = vsm_buffer_handle(allocation->buffer);
	allocation->host = vsm_buffer_map(allocation->buffer);
	return allocation->host ? 0 : -ENOMEM;
}

static int memory_insert(struct vsm_ptx_context *context, struct ptx_allocation *allocation)
{
	struct ptx_memory *memory;

	if (LAST_ADDRESS - context->next < allocation->size + GAP + ALIGNMENT)
		return -ENOSPC;
	memory = memory_copy(context->memory);
	if (!memory)
		return -ENOMEM;
	allocation->address = context->next;
	/* Addresses only grow, so that the new allocation is the last one. */
	memory->items[memory->count++] = *allocation;
	context->next = (allocation->address + allocation->size + GAP + ALIGNMENT - 1) &
			~(uint64_t)(ALIGNMENT - 1);
	memory_unref(context->memory);
	context->memory = memory;
	return 0;
}

static int allocate(struct vsm_ptx_context *context, struct ptx_allocation allocation,
		    uint64_t *address)
{
	int err;

	if (!allocation.size)
		return -EINVAL;
	if (allocation.size > LAST_ADDRESS)
		return -ENOSPC;
	err = allocation_init(context, &allocation);
	if (err) {
		allocation_free(&allocation);
		return err;
	}
	pthread_mutex_lock(&context->lock);
	err = memory_insert(context, &allocation);
	pthread_mutex_unlock(&context->lock);
	if (err)
		allocation_free(&allocation);
	else
		*address = allocation.address;
	return err;
}

int ptx_memory_add(struct vsm_ptx_context *context, uint64_t size, bool read_only,
		   const char *name, uint64_t *address)
{
	return allocate(context, (struct ptx_allocation){
		.size = size, .read_only = read_only, .name = name,
	}, address);
}

int vsm_ptx_memory_alloc(struct vsm_ptx_context *context, uint64_t size, uint64_t *address)
{
	return allocate(context, (struct ptx_allocation){ .size = size }, address);
}

int vsm_ptx_memory_import(struct vsm_ptx_context *context, struct vsm_buffer *buffer,
			  uint64_t *address)
{
	if (!context->device)
		return -EINVAL;
	return allocate(context, (struct ptx_allocation){
		.size = vsm_buffer_size(buffer), .buffer = buffer,
	}, address);
}

int vsm_ptx_memory_free(struct vsm_ptx_context *context, uint64_t address)
{
	struct ptx_allocation freed;
	struct ptx_memory *memory;
	int err = -ENOENT;
	uint32_t i;

	pthread_mutex_lock(&context->lock);
	for (i = 0; i < context->memory->count; i++)
		if (context->memory->items[i].address == address)
			break;
	if (i < context->memory->count) {
		memory = memory_copy(context->memory);
		err = memory ? 0 : -ENOMEM;
	}
	if (!err) {
		freed = memory->items[i];
		memory->count--;
		memmove(&memory->items[i], &memory->items[i + 1],
			(memory->count - i) * sizeof(memory->items[0]));
		memory_unref(context->memory);
		context->memory = memory;
	}
	pthread_mutex_unlock(&context->lock);
	if (!err)
		allocation_free(&freed);
	return err;
}

void *vsm_ptx_memory_map(struct vsm_ptx_context *context, uint64_t address, uint64_t size)
{
	const struct ptx_allocation *allocation;
	void *host = NULL;

	pthread_mutex_lock(&context->lock);
	allocation = ptx_memory_find(context->memory, address);
	if (allocation && size <= allocation->size - (address - allocation->address))
		host = allocation->host + (address - allocation->address);
	pthread_mutex_unlock(&context->lock);
	return host;
}

const struct vsm_buffer *vsm_ptx_memory_buffer(struct vsm_ptx_context *context, uint64_t address,
					       uint64_t *offset)
{
	const struct vsm_buffer *buffer = NULL;
	const struct ptx_allocation *allocation;

	pthread_mutex_lock(&context->lock);
	allocation = ptx_memory_find(context->memory, address);
	if (allocation && allocation->buffer) {
		buffer = allocation->buffer;
		*offset = address - allocation->address;
	}
	pthread_mutex_unlock(&context->lock);
	return buffer;
}
