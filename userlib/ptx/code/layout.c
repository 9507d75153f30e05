// SPDX-License-Identifier: MIT
/*
 * Where variables are in shared and in local memory.
 */
#include <stdlib.h>

#include "code/build.h"
#include "code/layout.h"

#define ALIGN(value, align) (((value) + (align) - 1) & ~((uint64_t)(align) - 1))

/* The window of a CTA has at most 227 KiB; more than this cannot be launched. */
#define SHARED_MAX	(16u << 20)
/* A frame larger than this cannot be on any stack. */
#define LOCAL_MAX	(64u << 20)

static bool lay_out(struct ptx_variable *var, uint64_t *bytes)
{
	*bytes = ALIGN(*bytes, var->align ? var->align : 1);
	var->address = *bytes;
	if (var->size > LOCAL_MAX || *bytes + var->size > LOCAL_MAX)
		return false;
	*bytes += var->size;
	return true;
}

/* Parameters of kernels have offsets of their own; all else is in the local memory of the frame. */
static void lay_out_all(struct ptx_function *function)
{
	uint64_t params = 0, bytes = 0;
	bool fits = true;
	unsigned int i;

	for (i = 0; i < function->param_count; i++)
		if (function->params[i].space == SPACE_PARAM)
			fits &= lay_out(&function->params[i], function->entry ? &params : &bytes);
	for (i = 0; i < function->return_count; i++)
		if (function->returns[i].space == SPACE_PARAM)
			fits &= lay_out(&function->returns[i], &bytes);
	for (i = 0; i < function->local_count; i++)
		if (function->locals[i]->space == SPACE_LOCAL ||
		    function->locals[i]->space == SPACE_PARAM)
			fits &= lay_out(function->locals[i], &bytes);
	function->local_end = bytes;
	function->fits = fits;
	function->laid_out = true;
}

bool ptx_lay_out_function(const struct ptx_function *function, uint32_t *local_end)
{
	if (function->alias_of)
		function = function->alias_of;
	if (!function->laid_out)
		lay_out_all((struct ptx_function *)function);
	*local_end = function->local_end;
	return function->fits;
}

uint64_t ptx_local_align(const struct ptx_function *function)
{
	uint64_t align = 16;
	unsigned int i;

	for (i = 0; !function->entry && i < function->param_count; i++)
		if (function->params[i].align > align)
			align = function->params[i].align;
	for (i = 0; i < function->return_count; i++)
		if (function->returns[i].align > align)
			align = function->returns[i].align;
	for (i = 0; i < function->local_count; i++)
		if (function->locals[i]->space != SPACE_SHARED &&
		    function->locals[i]->align > align)
			align = function->locals[i]->align;
	return align;
}

/* The entry of a variable; NULL if the program does not have it. */
static struct ptx_shared *find_shared(const struct ptx_program *program,
				      const struct ptx_variable *var)
{
	/* The number may be that of a program that was built before. */
	return var->slot < program->shared_count && program->shared[var->slot].var == var ?
	       &program->shared[var->slot] : NULL;
}

bool ptx_add_shared(struct ptx_program *program, const struct ptx_variable *var)
{
	struct ptx_shared *shared;

	if (find_shared(program, var))
		return true;
	shared = ptx_grow(program->shared, program->shared_count, sizeof(*shared));
	if (!shared)
		return false;
	program->shared = shared;
	((struct ptx_variable *)var)->slot = program->shared_count;
	shared[program->shared_count++].var = var;
	return true;
}

static bool is_dynamic(const struct ptx_variable *var)
{
	return !var->size;
}

/* Static variables come first, in the order of their declaration; all dynamic ones are behind. */
void ptx_lay_out_shared(struct ptx_program *program)
{
	uint64_t bytes = 0;
	uint32_t align = 16;
	uint32_t i;

	for (i = 0; i < program->shared_count; i++) {
		struct ptx_shared *shared = &program->shared[i];

		if (is_dynamic(shared->var)) {
			program->dynamic = true;
			if (shared->var->align > align)
				align = shared->var->align;
			continue;
		}
		bytes = ALIGN(bytes, shared->var->align ? shared->var->align : 1);
		shared->offset = bytes;
		bytes += shared->var->size;
		if (shared->var->size > SHARED_MAX || bytes > SHARED_MAX)
			bytes = SHARED_MAX;
	}
	program->shared_bytes = bytes;
	program->dynamic_offset = program->dynamic ? ALIGN(bytes, align) : bytes;
	for (i = 0; i < program->shared_count; i++)
		if (is_dynamic(program->shared[i].var))
			program->shared[i].offset = program->dynamic_offset;
}

uint32_t ptx_shared_offset(const struct ptx_program *program, const struct ptx_variable *var)
{
	const struct ptx_shared *shared = find_shared(program, var);

	return shared ? shared->offset : 0;
}
