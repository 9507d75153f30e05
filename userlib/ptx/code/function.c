// SPDX-License-Identifier: MIT
/*
 * Functions that a kernel may call: their bodies and their addresses.
 */
#include <stdlib.h>

#include "code/function.h"

/*
 * The number of the body; -1 if the function has none in this program. The number in the function
 * may be that of a program that was built before.
 */
static int find_body(const struct ptx_program *program, const struct ptx_function *function)
{
	uint32_t body = function->body;

	return body < program->body_count && program->bodies[body].function == function ?
	       (int)body : -1;
}

int ptx_body_of(struct ptx_builder *b, const struct ptx_function *function)
{
	struct ptx_program *program = b->program;
	int body = find_body(program, function);
	struct ptx_body *bodies;

	if (body >= 0)
		return body;
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

	if (number >= program->module->function_count || !program->body_of[number])
		return NULL;
	return &program->bodies[program->body_of[number] - 1];
}

bool ptx_number_functions(struct ptx_program *program)
{
	const struct ptx_module *module = program->module;
	uint32_t i;

	program->body_of = calloc(module->function_count + 1, sizeof(*program->body_of));
	if (!program->body_of)
		return false;
	for (i = 0; i < module->function_count; i++)
		program->body_of[i] = find_body(program, module->functions[i]) + 1;
	return true;
}
