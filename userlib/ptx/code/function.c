// SPDX-License-Identifier: MIT
/*
 * Functions that a kernel may call: their bodies and their addresses.
 */
#include <stdlib.h>

#include "code/function.h"

/* The function that has the body. All aliases share it. */
static const struct ptx_function *owner_of(const struct ptx_function *function)
{
	return function->alias_of ? function->alias_of : function;
}

/*
 * The number of the body; -1 if the function has none in this program. The number in the function
 * may be that of a program that was built before.
 */
static int find_body(const struct ptx_program *program, const struct ptx_function *function)
{
	const struct ptx_function *owner = owner_of(function);
	uint32_t body = owner->body;

	return body < program->body_count && program->bodies[body].function == owner ?
	       (int)body : -1;
}

int ptx_body_of(struct ptx_builder *b, const struct ptx_function *function)
{
	struct ptx_program *program = b->program;
	int body = find_body(program, function);
	struct ptx_body *bodies;

	if (body >= 0)
		return body;
	function = owner_of(function);
	bodies = ptx_grow(program->bodies, program->body_count, sizeof(*bodies));
	if (!bodies) {
		b->failed = true;
		return -1;
	}
	program->bodies = bodies;
	bodies[program->body_count] = (struct ptx_body){ .function = function };
	((struct ptx_function *)function)->body = program->body_count;
	return program->body_count++;
}

uint64_t ptx_function_address(const struct ptx_module *module,
			      const struct ptx_function *function)
{
	uint32_t index = function->index;

	return index < module->function_count && module->functions[index] == function ?
	       PTX_CODE_BASE + index : 0;
}

const struct ptx_body *ptx_program_function(const struct ptx_program *program, uint64_t address)
{
	uint64_t number = address - PTX_CODE_BASE;
	const struct ptx_function *owner;
	uint32_t low = 0, high = program->body_count;

	if (number >= program->module->function_count)
		return NULL;
	owner = owner_of(program->module->functions[number]);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct ptx_body *body = &program->bodies[program->by_index[middle]];

		if (body->function == owner)
			return body;
		if (body->function->index < owner->index)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static int compare_bodies(const void *a, const void *b, void *bodies)
{
	uint32_t x = ((struct ptx_body *)bodies)[*(const uint32_t *)a].function->index;
	uint32_t y = ((struct ptx_body *)bodies)[*(const uint32_t *)b].function->index;

	return x < y ? -1 : x > y;
}

bool ptx_sort_bodies(struct ptx_program *program)
{
	uint32_t i;

	program->by_index = calloc(program->body_count, sizeof(*program->by_index));
	if (!program->by_index)
		return false;
	for (i = 0; i < program->body_count; i++)
		program->by_index[i] = i;
	qsort_r(program->by_index, program->body_count, sizeof(*program->by_index),
		compare_bodies, program->bodies);
	return true;
}
