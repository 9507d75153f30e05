/* SPDX-License-Identifier: MIT */
/*
 * Contexts, their device memory, and modules: loads them, gives their variables memory, and
 * describes their kernels.
 */
#ifndef _RUN_MEMORY_H_
#define _RUN_MEMORY_H_

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <vsm.h>

#include "code/steps.h"

/* --- device memory -------------------------------------------------------- */

/* What has to be freed with an allocation */
struct ptx_storage {
	unsigned int refs;	/* number of struct ptx_memory that have the allocation */
	uint8_t *host;		/* the memory */
	/* Buffer of the device; NULL if the context has no device */
	struct vsm_buffer *buffer;
	char *name;	/* Name of the variable; NULL for other memory. It outlives the module. */
};

/* Device memory */
struct ptx_allocation {
	uint64_t address;		/* first address, a multiple of 256 */
	uint64_t size;			/* bytes */
	uint8_t *host;			/* the memory */
	uint32_t handle;		/* GEM handle of the buffer */
	bool read_only;			/* kernels must not write to it (.const) */
	const char *name;		/* name of the variable; NULL for other memory */
	const void *owner;		/* module of the variable; NULL for other memory */
	struct ptx_storage *storage;	/* what has to be freed */
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

/* A context */
struct vsm_ptx_context {
	struct vsm_device *device;	/* device, or NULL */
	/* Protects all members below, the modules of the context, and all references */
	pthread_mutex_t lock;
	struct ptx_memory *memory;	/* allocations */
	uint64_t next;			/* where the next allocation may begin */
	struct vsm_ptx_module *modules;	/* modules that have not been unloaded */
	struct ptx_cluster *clusters;	/* clusters whose events are looked for */
	/* The heap of malloc (heap.h); NULL until a kernel that may call it is launched */
	struct ptx_heap *heap;
};

/*
 * Gives a context a heap, if it has none. Its memory is an allocation of the context. Launches that
 * have begun before do not see it.
 */
int ptx_context_need_heap(struct vsm_ptx_context *context);

/* Get and put the allocations of a context. */
struct ptx_memory *ptx_memory_get(struct vsm_ptx_context *context);
void ptx_memory_put(struct vsm_ptx_context *context, struct ptx_memory *memory);
/* The allocation that @address is in; NULL if there is none. */
const struct ptx_allocation *ptx_memory_find(const struct ptx_memory *memory, uint64_t address);
/* The allocation that is nearest to @address; NULL if there is no allocation. */
const struct ptx_allocation *ptx_memory_nearest(const struct ptx_memory *memory,
						uint64_t address);

/* --- modules -------------------------------------------------------------- */

/* A module in a context */
struct vsm_ptx_module {
	struct vsm_ptx_context *context;
	struct vsm_ptx_module *next;		/* next of vsm_ptx_context.modules */
	unsigned int refs;			/* 1 until it is unloaded, and 1 for each launch */
	/*
	 * Held while a kernel is decoded. Protects @programs, and the members of @module that code/
	 * sets. Decoding may take long: workers of other launches must not wait for it. No thread
	 * holds this lock and vsm_ptx_context.lock at the same time.
	 */
	pthread_mutex_t build_lock;
	struct ptx_module *module;		/* the module as it was read */
	const struct ptx_function **kernels;	/* the kernels, in order */
	/*
	 * Program of each kernel; NULL until the kernel is launched. A program does not change
	 * afterwards, and lives as long as the module.
	 */
	struct ptx_program **programs;
	uint32_t kernel_count;			/* number of kernels */
};

/*
 * A launch gets and puts its module: it may outlive the call of vsm_ptx_module_unload(). A call
 * that decodes a kernel has a reference, too, because that may take long.
 */
void ptx_module_get(struct vsm_ptx_module *module);
void ptx_module_put(struct vsm_ptx_module *module);
/* The program of a kernel, which belongs to the module. Decodes it if that has not been done. */
int ptx_module_program(struct vsm_ptx_module *module, uint32_t kernel,
		       struct ptx_program **program, struct ptx_messages *messages);
/* Bytes of all parameters of a kernel. */
uint32_t ptx_kernel_param_bytes(const struct ptx_function *kernel);

#endif
