// SPDX-License-Identifier: MIT
/*
 * The device memory of a context.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code/steps.h"
#include "run/memory.h"
#include "vsm_ptx.h"

#define ALIGNMENT	256
/* Between two allocations there are at least so many bytes that belong to none. */
#define GAP		4096
/* A number that no allocation has. */
#define ALL		UINT32_MAX
/* Addresses have 47 bits, as user space has on most machines. */
#define LAST_ADDRESS	(1ULL << 47)

static void storage_free(struct ptx_storage *storage)
{
	if (storage->buffer)
		vsm_buffer_destroy(storage->buffer);
	else
		free(storage->host);
	free(storage->name);
	free(storage);
}

static void memory_unref(struct ptx_memory *memory)
{
	uint32_t i;

	if (--memory->refs)
		return;
	for (i = 0; i < memory->count; i++)
		if (!--memory->items[i].storage->refs)
			storage_free(memory->items[i].storage);
	free(memory);
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

void ptx_memory_put(struct vsm_ptx_context *context, struct ptx_memory *memory)
{
	pthread_mutex_lock(&context->lock);
	memory_unref(memory);
	pthread_mutex_unlock(&context->lock);
}

/*
 * A copy of the allocations without number @skip, with room for one more. ALL leaves out none of
 * them.
 */
static struct ptx_memory *memory_copy(const struct ptx_memory *from, uint32_t skip)
{
	struct ptx_memory *memory = malloc(sizeof(*from) +
					   (from->count + 1) * sizeof(from->items[0]));
	uint32_t i;

	if (!memory)
		return NULL;
	memory->refs = 1;
	memory->count = 0;
	for (i = 0; i < from->count; i++) {
		if (i == skip)
			continue;
		from->items[i].storage->refs++;
		memory->items[memory->count++] = from->items[i];
	}
	return memory;
}

/* Replaces the allocations of a context, whose lock is held. */
static void memory_replace(struct vsm_ptx_context *context, struct ptx_memory *memory)
{
	memory_unref(context->memory);
	context->memory = memory;
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

const struct ptx_allocation *ptx_memory_read_only(const struct ptx_memory *memory, uint32_t handle)
{
	uint32_t i;

	for (i = 0; i < memory->count; i++)
		if (memory->items[i].read_only && memory->items[i].handle == handle)
			return &memory->items[i];
	return NULL;
}

/* --- allocation --------------------------------------------------------------------- */

/*
 * The context opens a buffer of the caller once more. The caller may then destroy it, even while a
 * launch uses it.
 */
static int open_again(struct vsm_ptx_context *context, struct vsm_buffer *buffer,
		      struct vsm_buffer **again)
{
	int err, dmabuf;

	err = vsm_buffer_export(buffer, &dmabuf);
	if (err)
		return err;
	err = vsm_buffer_import(context->device, dmabuf, again);
	close(dmabuf);
	return err;
}

/* @buffer is one of the caller; NULL for new memory. */
static int storage_init(struct vsm_ptx_context *context, struct ptx_storage *storage,
			struct vsm_buffer *buffer, uint64_t size, const char *name)
{
	int err = 0;

	storage->refs = 1;
	if (name) {
		storage->name = strdup(name);
		if (!storage->name)
			return -ENOMEM;
	}
	if (!context->device) {
		storage->host = calloc(1, size);
		return storage->host ? 0 : -ENOMEM;
	}
	if (buffer)
		err = open_again(context, buffer, &storage->buffer);
	else
		err = vsm_buffer_create(context->device, size, &storage->buffer);
	if (err)
		return err;
	storage->host = vsm_buffer_map(storage->buffer);
	return storage->host ? 0 : -ENOMEM;
}

static int memory_insert(struct vsm_ptx_context *context, struct ptx_allocation *allocation)
{
	struct ptx_memory *memory;

	if (LAST_ADDRESS - context->next < allocation->size + GAP + ALIGNMENT)
		return -ENOSPC;
	memory = memory_copy(context->memory, ALL);
	if (!memory)
		return -ENOMEM;
	allocation->address = context->next;
	/* Addresses only grow, so that the new allocation is the last one. */
	memory->items[memory->count++] = *allocation;
	context->next = (allocation->address + allocation->size + GAP + ALIGNMENT - 1) &
			~(uint64_t)(ALIGNMENT - 1);
	memory_replace(context, memory);
	return 0;
}

static int allocate(struct vsm_ptx_context *context, struct ptx_allocation allocation,
		    struct vsm_buffer *buffer, uint64_t *address)
{
	struct ptx_storage *storage;
	int err;

	if (!allocation.size)
		return -EINVAL;
	if (allocation.size > LAST_ADDRESS)
		return -ENOSPC;
	storage = calloc(1, sizeof(*storage));
	if (!storage)
		return -ENOMEM;
	err = storage_init(context, storage, buffer, allocation.size, allocation.name);
	if (err)
		goto free;
	allocation.storage = storage;
	allocation.host = storage->host;
	allocation.name = storage->name;
	if (storage->buffer)
		allocation.handle = vsm_buffer_handle(storage->buffer);
	pthread_mutex_lock(&context->lock);
	err = memory_insert(context, &allocation);
	pthread_mutex_unlock(&context->lock);
	if (err)
		goto free;
	*address = allocation.address;
	return 0;

free:
	storage_free(storage);
	return err;
}

int ptx_memory_add(struct vsm_ptx_context *context, uint64_t size, bool read_only,
		   const char *name, uint64_t *address)
{
	return allocate(context, (struct ptx_allocation){
		.size = size, .read_only = read_only, .name = name,
	}, NULL, address);
}

int vsm_ptx_memory_alloc(struct vsm_ptx_context *context, uint64_t size, uint64_t *address)
{
	return allocate(context, (struct ptx_allocation){ .size = size }, NULL, address);
}

int vsm_ptx_memory_import(struct vsm_ptx_context *context, struct vsm_buffer *buffer,
			  uint64_t *address)
{
	if (!context->device)
		return -EINVAL;
	return allocate(context, (struct ptx_allocation){ .size = vsm_buffer_size(buffer) },
			buffer, address);
}

int vsm_ptx_memory_free(struct vsm_ptx_context *context, uint64_t address)
{
	struct ptx_memory *memory;
	int err = -ENOENT;
	uint32_t i;

	pthread_mutex_lock(&context->lock);
	for (i = 0; i < context->memory->count; i++)
		if (context->memory->items[i].address == address)
			break;
	if (i < context->memory->count) {
		memory = memory_copy(context->memory, i);
		err = memory ? 0 : -ENOMEM;
	}
	if (!err)
		memory_replace(context, memory);
	pthread_mutex_unlock(&context->lock);
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
	if (allocation && allocation->storage->buffer) {
		buffer = allocation->storage->buffer;
		*offset = address - allocation->address;
	}
	pthread_mutex_unlock(&context->lock);
	return buffer;
}
