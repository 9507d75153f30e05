// SPDX-License-Identifier: MIT
/*
 * Kernels in PTX.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel.h"
#include "measure.h"

/* Prints @text, if there is any, before it dies. */
static void die_with(const char *what, int error, const char *text)
{
	if (text)
		fprintf(stderr, "%s\n", text);
	die(what, error);
}

/* Returns the contents of file @path, which the caller frees. */
static char *read_text(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r"), *memory;
	char *text;
	int c;

	if (!file)
		die(path, errno);
	memory = open_memstream(&text, size);
	if (!memory)
		die(path, errno);
	while ((c = getc(file)) != EOF)
		putc(c, memory);
	if (ferror(file) || fclose(memory))
		die(path, EIO);
	fclose(file);
	return text;
}

struct kernel open_kernel(struct vsm_device *device, const char *path, const char *name)
{
	struct kernel kernel;
	char *messages = NULL, *text;
	size_t size;
	int ret;

	ret = vsm_ptx_context_create(device, &kernel.context);
	if (ret)
		die("vsm_ptx_context_create", -ret);
	text = read_text(path, &size);
	ret = vsm_ptx_module_load(kernel.context, path, text, size, &kernel.module, &messages);
	if (ret)
		die_with(path, -ret, messages);
	free(text);
	ret = vsm_ptx_kernel_find(kernel.module, name, &kernel.index);
	if (ret)
		die(name, -ret);
	return kernel;
}

void close_kernel(struct kernel *kernel)
{
	vsm_ptx_module_unload(kernel->module);
	vsm_ptx_context_destroy(kernel->context);
}

uint64_t kernel_memory(struct kernel *kernel, uint64_t size)
{
	uint64_t address;
	int ret;

	ret = vsm_ptx_memory_alloc(kernel->context, size, &address);
	if (ret)
		die("vsm_ptx_memory_alloc", -ret);
	return address;
}

struct vsm_ptx_result run_kernel(struct kernel *kernel, const struct vsm_ptx_config *config,
				 const void *params, size_t params_size)
{
	struct vsm_ptx_launch *launch;
	struct vsm_ptx_result result;
	char *messages = NULL;
	int ret;

	ret = vsm_ptx_launch(kernel->module, kernel->index, config, params, params_size, &launch,
			     &messages);
	if (ret)
		die_with("vsm_ptx_launch", -ret, messages);
	vsm_ptx_launch_wait(launch, VSM_NEVER, &result);
	if (result.outcome != VSM_PTX_DONE)
		die_with("a kernel", EIO, vsm_ptx_launch_report(launch));
	vsm_ptx_launch_destroy(launch);
	return result;
}
