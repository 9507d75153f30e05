/* SPDX-License-Identifier: MIT */
/* The memory that malloc gives to kernels: one heap for each context, as in CUDA. */
#ifndef _PTX_RUN_HEAP_H_
#define _PTX_RUN_HEAP_H_

#include <stdbool.h>
#include <stdint.h>

/* Bytes of a heap: the default of CUDA. */
#define PTX_HEAP_BYTES	(8u << 20)

struct ptx_heap;

/* A heap in the memory at @address, of PTX_HEAP_BYTES; NULL if no memory is left to describe it. */
struct ptx_heap *ptx_heap_create(uint64_t address);
void ptx_heap_destroy(struct ptx_heap *heap);
/* The address of @size bytes, a multiple of 16; 0 if the heap has no such memory. */
uint64_t ptx_heap_alloc(struct ptx_heap *heap, uint64_t size);
/* Returns false if ptx_heap_alloc() did not return the address, or if it has been freed. */
bool ptx_heap_free(struct ptx_heap *heap, uint64_t address);

#endif
