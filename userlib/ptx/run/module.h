/* SPDX-License-Identifier: MIT */
/*
 * A module in a context: its variables have memory, and its kernels programs.
 */
#ifndef _PTX_RUN_MODULE_H_
#define _PTX_RUN_MODULE_H_

#include "code/steps.h"
#include "run/memory.h"

/**
 * struct vsm_ptx_module - A module in a context
 * @context: Context
 * @next: Next of &vsm_ptx_context.modules
 * @refs: 1 until it is unloaded, and 1 for each launch
 * @build_lock: Held while a kernel is decoded. Protects @programs, and the members of @module that
 *	code/ sets. Decoding may take long: workers of other launches must not wait for it. No
 *	thread holds this lock and &vsm_ptx_context.lock at the same time
 * @module: The module as it was read
 * @kernels: The kernels, in order
 * @programs: Program of each kernel; NULL until the kernel is launched. A program does not change
 *	afterwards, and lives as long as the module
 * @kernel_count: Number of kernels
 */
struct vsm_ptx_module {
	struct vsm_ptx_context *context;
	struct vsm_ptx_module *next;
	unsigned int refs;
	pthread_mutex_t build_lock;
	struct ptx_module *module;
	const struct ptx_function **kernels;
	struct ptx_program **programs;
	uint32_t kernel_count;
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
