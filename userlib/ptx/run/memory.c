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
#define FIRST_SPACE	16
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

static void storage_put(struct ptx_storage *storage)
{
	if (!--storage->refs)
		storage_free(storage);
}

static void memory_unref(struct ptx_memory *memory)
{
	uint32_t i;

	if (--memory->refs)
		return;
	for (i = 0; i < memory->count; i++)
		storage_put(memory->items[i].storage);
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
 * Returns the allocations of a context, whose lock is held, so that they can be changed, with room
 * for @more of them. If a launch uses them, the context gets a copy. The room doubles: a module may
 * have many variables. Returns NULL if memory runs out.
 */
static struct ptx_memory *memory_own(struct vsm_ptx_context *context, uint32_t more)
{
	struct ptx_memory *old = context->memory, *memory;
	uint32_t space = old->space, i;

	if (space - old->count < more)
		space = space ? 2 * space : FIRST_SPACE;
	if (old->refs == 1 && space == old->space)
		return old;
	memory = malloc(sizeof(*memory) + space * sizeof(memory->items[0]));
	if (!memory)
		return NULL;
	memory->refs = 1;
	memory->count = old->count;
	memory->space = space;
	for (i = 0; i < old->count; i++) {
		old->items[i].storage->refs++;
		memory->items[i] = old->items[i];
	}
	memory_unref(old);
	context->memory = memory;
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
	memory = memory_own(context, 1);
	if (!memory)
		return -ENOMEM;
	allocation->address = context->next;
	/* Addresses only grow, so that the new allocation is the last one. */
	memory->items[memory->count++] = *allocation;
	context->next = (allocation->address + allocation->size + GAP + ALIGNMENT - 1) &
			~(uint64_t)(ALIGNMENT - 1);
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
		   const char *name, const void *owner, uint64_t *address)
{
	return allocate(context, (struct ptx_allocation){
		.size = size, .read_only = read_only, .name = name, .owner = owner,
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
	const struct ptx_allocation *found;
	struct ptx_memory *memory;
	int err = -ENOENT;
	uint32_t at;

	pthread_mutex_lock(&context->lock);
	found = ptx_memory_find(context->memory, address);
	if (found && found->address == address) {
		at = found - context->memory->items;
		memory = memory_own(context, 0);
		err = memory ? 0 : -ENOMEM;
	}
	if (!err) {
		storage_put(memory->items[at].storage);
		memory->count--;
		memmove(&memory->items[at], &memory->items[at + 1],
			(memory->count - at) * sizeof(memory->items[0]));
	}
	pthread_mutex_unlock(&context->lock);
	return err;
}

void ptx_memory_remove(struct vsm_ptx_context *context, const void *owner)
{
	struct ptx_memory *memory;
	uint32_t i, kept = 0;

	pthread_mutex_lock(&context->lock);
	memory = memory_own(context, 0);
	for (i = 0; memory && i < memory->count; i++) {
		if (memory->items[i].owner == owner)
			storage_put(memory->items[i].storage);
		else
			memory->items[kept++] = memory->items[i];
	}
	if (memory)
		memory->count = kept;
	pthread_mutex_unlock(&context->lock);
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
