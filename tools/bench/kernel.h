/* SPDX-License-Identifier: MIT */
/*
 * Kernels in PTX.
 */
#ifndef _KERNEL_H_
#define _KERNEL_H_

#include <vsm_ptx.h>

/**
 * struct kernel - A kernel of a file, in a context of its own
 * @context: Context, with or without a device
 * @module: Module with the kernel
 * @index: Number of the kernel in @module
 */
struct kernel {
	struct vsm_ptx_context *context;
	struct vsm_ptx_module *module;
	uint32_t index;
};

/*
 * Loads kernel @name of file @path. @device may be NULL. This function and the other functions exit
 * if they fail.
 */
struct kernel open_kernel(struct vsm_device *device, const char *path, const char *name);
void close_kernel(struct kernel *kernel);

/* Returns the address of @size bytes of device memory, which contain zeros. */
uint64_t kernel_memory(struct kernel *kernel, uint64_t size);

/* Runs the kernel to its end. Returns what it did. */
struct vsm_ptx_result run_kernel(struct kernel *kernel, const struct vsm_ptx_config *config,
				 const void *params, size_t params_size);

#endif
