// SPDX-License-Identifier: GPL-2.0-only
/* The manager of buffers: blocks from big buffers, which it keeps until somebody trims them. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <xf86drm.h>

#include "stack.h"

#define PAGE 4096
#define MAP_TRIES 8

/* Where a bus error of this thread goes on. The compiler does not see that the handler reads it. */
static __thread void *volatile bus_jump;

static void on_bus_error(int signal)
{
	if (!bus_jump)
		abort();
	siglongjmp(*(sigjmp_buf *)bus_jump, signal);
}

/* Touch all pages. A page that is not there raises SIGBUS. */
static bool touch(const volatile unsigned char *map, uint64_t size)
{
	struct sigaction action = { .sa_handler = on_bus_error };
	sigjmp_buf jump;
	uint64_t i;

	sigaction(SIGBUS, &action, NULL);
	if (sigsetjmp(jump, 1)) {
		bus_jump = NULL;
		return false;
	}
	bus_jump = &jump;
	for (i = 0; i < size; i += PAGE)
		(void)map[i];
	bus_jump = NULL;
	return true;
}

/* Map an object, with all of its pages. Returns NULL if that fails. */
void *map_object(int fd, uint64_t offset, uint64_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	int i;

	if (map == MAP_FAILED)
		return NULL;
	for (i = 0; i < MAP_TRIES; i++)
		if (touch(map, size))
			return map;
	munmap(map, size);
	return NULL;
}

static int slab_create(int fd, uint32_t *handle, unsigned char **map)
{
	struct drm_vsm_buffer_create args = { .size = BLOCK * BLOCKS };
	int ret = stack_call(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args);

	if (ret)
		return ret;
	*map = map_object(fd, args.mmap_offset, args.size);
	if (!*map) {
		drmCloseBufferHandle(fd, args.handle);
		return -EFAULT;
	}
	*handle = args.handle;
	return 0;
}

/* A buffer with a free block. A failure is worth a second try. */
static struct slab *slab_find(struct stack *stack)
{
	struct slab *slab;
	int i;

	for (slab = stack->slabs; slab; slab = slab->next)
		if (slab->count < BLOCKS)
			return slab;
	slab = calloc(1, sizeof(*slab));
	for (i = 0; slab && i < TRIES; i++) {
		if (!slab_create(stack->fd, &slab->handle, &slab->map)) {
			slab->next = stack->slabs;
			stack->slabs = slab;
			return slab;
		}
	}
	free(slab);
	return NULL;
}

/* Returns NULL if there is no memory. */
struct block *block_get(struct stack *stack)
{
	struct block *block = calloc(1, sizeof(*block));

	pthread_mutex_lock(&stack->lock);
	if (block)
		block->slab = slab_find(stack);
	if (block && block->slab) {
		while (block->slab->used[block->index])
			block->index++;
		block->slab->used[block->index] = true;
		block->slab->count++;
	} else {
		free(block);
		block = NULL;
	}
	pthread_mutex_unlock(&stack->lock);
	return block;
}

void block_put(struct stack *stack, struct block *block)
{
	pthread_mutex_lock(&stack->lock);
	block->slab->used[block->index] = false;
	block->slab->count--;
	pthread_mutex_unlock(&stack->lock);
	free(block);
}

static unsigned char *block_bytes(const struct block *block)
{
	return block->slab->map + block->index * BLOCK;
}

/* The mapping of a block changes when the device is lost, but not while somebody has the lock. */
void block_fill(struct stack *stack, struct block *block, const void *bytes)
{
	pthread_mutex_lock(&stack->lock);
	memcpy(block_bytes(block), bytes, BLOCK);
	block->sum = block_sum(block);
	pthread_mutex_unlock(&stack->lock);
}

bool block_is(struct stack *stack, const struct block *block, const void *bytes)
{
	bool is;

	pthread_mutex_lock(&stack->lock);
	is = !memcmp(block_bytes(block), bytes, BLOCK);
	pthread_mutex_unlock(&stack->lock);
	return is;
}

/* FNV-1a over the words of the block. */
uint64_t block_sum(const struct block *block)
{
	const uint64_t *words = (const uint64_t *)block_bytes(block);
	uint64_t sum = 0xcbf29ce484222325;
	uint32_t i;

	for (i = 0; i < BLOCK / sizeof(*words); i++)
		sum = (sum ^ words[i]) * 0x100000001b3;
	return sum;
}

/* Free the buffers that have no block in use. */
void bufmgr_trim(struct stack *stack)
{
	struct slab **place = &stack->slabs;

	pthread_mutex_lock(&stack->lock);
	while (*place) {
		struct slab *slab = *place;

		if (slab->count) {
			place = &slab->next;
			continue;
		}
		*place = slab->next;
		munmap(slab->map, BLOCK * BLOCKS);
		drmCloseBufferHandle(stack->fd, slab->handle);
		free(slab);
	}
	pthread_mutex_unlock(&stack->lock);
}

/*
 * Create all buffers on another device, with what they contain: their old mappings exist even
 * without their device. The caller has the lock.
 */
int bufmgr_restore(struct stack *stack, int fd)
{
	struct slab *slab;

	for (slab = stack->slabs; slab; slab = slab->next) {
		unsigned char *map;
		uint32_t handle;
		int ret = slab_create(fd, &handle, &map);

		if (ret)
			return ret;
		memcpy(map, slab->map, BLOCK * BLOCKS);
		munmap(slab->map, BLOCK * BLOCKS);
		slab->map = map;
		slab->handle = handle;
	}
	return 0;
}
