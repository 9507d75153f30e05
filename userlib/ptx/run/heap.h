/* SPDX-License-Identifier: MIT */
/* The memory that malloc gives to kernels: one heap for each context, as in CUDA. */
#ifndef _PTX_RUN_HEAP_H_
#define _PTX_RUN_HEAP_H_

#include "run/memory.h"

/* Bytes of a heap: the default of CUDA. */
#define PTX_HEAP_BYTES	(8u << 20)

/*
 * Gives a context a heap, if it has none. Its memory is an allocation of the context. Launches that
 * have begun before do not see it.
 */
int ptx_heap_create(struct vsm_ptx_context *context);
void ptx_heap_destroy(struct ptx_heap *heap);
/* The address of @size bytes, a multiple of 16; 0 if the heap has no such memory. */
uint64_t ptx_heap_alloc(struct ptx_heap *heap, uint64_t size);
/* Returns false if ptx_heap_alloc() did not return the address, or if it has been freed. */
bool ptx_heap_free(struct ptx_heap *heap, uint64_t address);

#endif
