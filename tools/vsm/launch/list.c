// SPDX-License-Identifier: MIT
/*
 * Prints the kernels of a module.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "launch/list.h"

#define WIDTH 9

static void print_dimensions(const char *name, const char *what, const uint32_t dimensions[3])
{
	if (dimensions[0])
		print_field(WIDTH, name, "%s%u,%u,%u", what, dimensions[0], dimensions[1] ?: 1,
			    dimensions[2] ?: 1);
}

static void print_param(unsigned int number, const struct vsm_ptx_param *param)
{
	char name[16];

	snprintf(name, sizeof(name), "arg %u", number);
	print_field(WIDTH, name, "%-4s %4u byte%s %s", param->type, param->size,
		    param->size == 1 ? ", " : "s,", param->name);
}

static void print_kernel(const struct vsm_ptx_module *module, uint32_t index)
{
	struct vsm_ptx_kernel kernel;
	struct vsm_ptx_param param;
	uint32_t i;

	if (vsm_ptx_kernel_info(module, index, &kernel))
		return;
	puts(kernel.name);
	for (i = 0; !vsm_ptx_kernel_param(module, index, i, &param); i++)
		print_param(i + 1, &param);
	if (kernel.smem_bytes || kernel.dynamic_smem)
		print_field(WIDTH, "smem", "%u bytes%s", kernel.smem_bytes,
			    kernel.dynamic_smem ? ", and dynamic shared memory" : "");
	print_dimensions("block", "", kernel.reqntid);
	print_dimensions("block", "up to ", kernel.maxntid);
	print_dimensions("cluster", "", kernel.reqnctapercluster);
}

int plan_list(const struct plan *plan)
{
	struct vsm_ptx_context *context;
	struct vsm_ptx_module *module = NULL;
	char *messages = NULL;
	int status = EXIT_OK, err;
	uint32_t i;

	err = vsm_ptx_context_create(NULL, &context);
	if (err)
		return failed("launch: %s", strerror(-err));
	err = vsm_ptx_module_load(context, plan->module, plan->text, plan->text_size, &module,
				  &messages);
	if (err == -EINVAL) {
		fputs(messages ?: "", stderr);
		status = EXIT_USAGE;
	} else if (err) {
		status = failed("launch: %s: %s", plan->module, strerror(-err));
	} else {
		for (i = 0; i < vsm_ptx_kernel_count(module); i++)
			print_kernel(module, i);
	}
	free(messages);
	vsm_ptx_module_unload(module);
	vsm_ptx_context_destroy(context);
	return status;
}
