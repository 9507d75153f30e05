// SPDX-License-Identifier: MIT
/*
 * Compares a plan with the kernels of its module.
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "launch/check.h"

/**
 * struct check - A check of a plan
 * @plan: Plan
 * @module: Module
 * @errors: Errors
 */
struct check {
	struct plan *plan;
	const struct vsm_ptx_module *module;
	struct errors errors;
};

/* --- kernels -------------------------------------------------------------- */

static void report_unknown_kernel(struct check *check, unsigned int line,
				  const struct plan_launch *launch)
{
	struct nearest nearest = { .word = { launch->kernel, strlen(launch->kernel) } };
	struct vsm_ptx_kernel kernel;
	char hint[MEANT_SIZE];
	uint32_t i;

	for (i = 0; !vsm_ptx_kernel_info(check->module, i, &kernel); i++)
		nearest_try(&nearest, kernel.name);
	error_add(&check->errors, line, launch->column, "%s has no kernel '%s'%s",
		  check->plan->module, launch->kernel, meant(&nearest, "", hint));
}

static bool find_kernel(struct check *check, unsigned int line, struct plan_launch *launch)
{
	uint32_t count = vsm_ptx_kernel_count(check->module);

	if (launch->kernel) {
		if (!vsm_ptx_kernel_find(check->module, launch->kernel, &launch->index))
			return true;
		report_unknown_kernel(check, line, launch);
		return false;
	}
	launch->index = 0;
	if (count == 1)
		return true;
	if (count)
		error_add(&check->errors, line, launch->column,
			  "%s has %u kernels: name one (--list lists them)", check->plan->module,
			  count);
	else
		error_add(&check->errors, line, launch->column, "%s has no kernel",
			  check->plan->module);
	return false;
}

/* --- arguments ------------------------------------------------------------ */

static bool is_float(const struct vsm_ptx_param *param)
{
	return param->type[0] == 'f';
}

/* Returns what is wrong with an argument; NULL if nothing is. */
static const char *find_mistake(const struct plan_arg *arg, const struct vsm_ptx_param *param)
{
	switch (arg->kind) {
	case ARG_POINTER:
		return param->size == 8 && !is_float(param) ? NULL : "a pointer has 8 bytes";
	case ARG_TENSOR:
		return param->size == 128 ? NULL : "a tensor map has 128 bytes";
	case ARG_STRUCT:
		return param->size == arg->size ? NULL : "the sizes differ";
	default:
		if (param->size != arg->type->bytes)
			return "the sizes differ";
		if (is_float(param) && arg->type->kind != VALUE_FLOAT &&
		    arg->type->kind != VALUE_BITS)
			return "an integer is no floating-point number";
		if ((param->type[0] == 'u' || param->type[0] == 's') &&
		    arg->type->kind == VALUE_FLOAT)
			return "a floating-point number is no integer";
		return NULL;
	}
}

static const char *kind_of(const struct plan_arg *arg)
{
	switch (arg->kind) {
	case ARG_POINTER:
		return "a buffer";
	case ARG_TENSOR:
		return "a tensor map";
	case ARG_STRUCT:
		return "a structure";
	default:
		return arg->type->name;
	}
}

static void check_arg(struct check *check, unsigned int number, const struct plan_arg *arg,
		      const struct vsm_ptx_kernel *kernel, const struct vsm_ptx_param *param)
{
	const char *mistake = find_mistake(arg, param);

	if (mistake)
		error_add(&check->errors, arg->line, arg->column,
			  "argument %u of %s is %s, but parameter %s is .%s of %u byte%s: %s",
			  number + 1, kernel->name, kind_of(arg), param->name, param->type,
			  param->size, param->size == 1 ? "" : "s", mistake);
}

static void check_args(struct check *check, unsigned int line, const struct plan_launch *launch)
{
	struct vsm_ptx_kernel kernel;
	struct vsm_ptx_param param;
	uint32_t i;

	if (vsm_ptx_kernel_info(check->module, launch->index, &kernel))
		return;
	if (launch->arg_count != kernel.param_count)
		error_add(&check->errors, line, launch->column,
			  "%s has %u parameter%s; %zu argument%s given", kernel.name,
			  kernel.param_count, kernel.param_count == 1 ? "" : "s",
			  launch->arg_count, launch->arg_count == 1 ? " is" : "s are");
	for (i = 0; i < kernel.param_count && i < launch->arg_count; i++)
		if (!vsm_ptx_kernel_param(check->module, launch->index, i, &param))
			check_arg(check, i, &launch->args[i], &kernel, &param);
}

/* By default a CTA has the threads that its kernel requires. */
static void set_block(const struct check *check, struct plan_launch *launch)
{
	struct vsm_ptx_kernel kernel;

	if (!launch->config.block[0] &&
	    !vsm_ptx_kernel_info(check->module, launch->index, &kernel))
		memcpy(launch->config.block, kernel.reqntid, sizeof(kernel.reqntid));
}

bool plan_check(struct plan *plan, const struct vsm_ptx_module *module)
{
	struct check check = {
		.plan = plan,
		.module = module,
		.errors = { .path = plan->from_file ? plan->path : "vsm: launch", .out = stderr },
	};
	size_t i;

	for (i = 0; i < plan->step_count; i++) {
		struct plan_launch *launch = &plan->steps[i].launch;

		if (plan->steps[i].kind != STEP_LAUNCH ||
		    !find_kernel(&check, plan->steps[i].line, launch))
			continue;
		check_args(&check, plan->steps[i].line, launch);
		set_block(&check, launch);
	}
	return !check.errors.count;
}
