/* SPDX-License-Identifier: MIT */
/*
 * Device memory of a context: allocations and their addresses.
 */
#ifndef _PTX_RUN_MEMORY_H_
#define _PTX_RUN_MEMORY_H_

#include <pthread.h>
#include <vsm.h>

/**
 * struct ptx_storage - What has to be freed with an allocation
 * @refs: Number of &struct ptx_memory that have the allocation
 * @host: The memory
 * @buffer: Buffer of the device; NULL if the context has no device
 * @name: Name of the variable; NULL for other memory. It outlives the module
 */
struct ptx_storage {
	unsigned int refs;
	uint8_t *host;
	struct vsm_buffer *buffer;
	char *name;
};

/**
 * struct ptx_allocation - Device memory
 * @address: First address, a multiple of 256
 * @size: Bytes
 * @host: The memory
 * @handle: GEM handle of the buffer
 * @read_only: Kernels must not write to it (.const)
 * @name: Name of the variable; NULL for other memory
 * @owner: Module of the variable; NULL for other memory
 * @storage: What has to be freed
 */
struct ptx_allocation {
	uint64_t address;
	uint64_t size;
	uint8_t *host;
	uint32_t handle;
	bool read_only;
	const char *name;
	const void *owner;
	struct ptx_storage *storage;
};

/**
 * struct ptx_memory - The allocations of a context at one time
 * @refs: References
 * @count: Number of allocations
 * @space: Number of allocations that @items has room for
 * @items: The allocations, in the order of their addresses
 *
 * A launch uses the allocations that there were when it began, and needs no lock for that: as long
 * as it has a reference, they do not change. Their memory is freed when the last &struct ptx_memory
 * that has them is put.
 */
struct ptx_memory {
	unsigned int refs;
	uint32_t count;
	uint32_t space;
	struct ptx_allocation items[];
};

/**
 * struct vsm_ptx_context - A context
 * @device: Device, or NULL
 * @lock: Protects all members below, the modules of the context, and all references
 * @memory: Allocations
 * @next: Where the next allocation may begin
 * @modules: Modules that have not been unloaded
 * @clusters: Clusters whose events are looked for
 */
struct vsm_ptx_context {
	struct vsm_device *device;
	pthread_mutex_t lock;
	struct ptx_memory *memory;
	uint64_t next;
	struct vsm_ptx_module *modules;
	struct ptx_cluster *clusters;
};

/* Like vsm_ptx_memory_alloc(), for variables of the module @owner. */
int ptx_memory_add(struct vsm_ptx_context *context, uint64_t size, bool read_only,
		   const char *name, const void *owner, uint64_t *address);
/*
 * Like vsm_ptx_memory_free(), for all variables of the module @owner. If a launch uses them and no
 * memory is left for a new list, they stay until the context is destroyed.
 */
void ptx_memory_remove(struct vsm_ptx_context *context, const void *owner);
/* Get and put the allocations of a context. */
struct ptx_memory *ptx_memory_get(struct vsm_ptx_context *context);
void ptx_memory_put(struct vsm_ptx_context *context, struct ptx_memory *memory);
/* The allocation that @address is in; NULL if there is none. */
const struct ptx_allocation *ptx_memory_find(const struct ptx_memory *memory, uint64_t address);
/*
 * The allocation that has the buffer with this handle, if kernels must not write to it; otherwise
 * NULL.
 */
const struct ptx_allocation *ptx_memory_read_only(const struct ptx_memory *memory,
						  uint32_t handle);
/* The allocation that is nearest to @address; NULL if there is no allocation. */
const struct ptx_allocation *ptx_memory_nearest(const struct ptx_memory *memory,
						uint64_t address);

#endif
