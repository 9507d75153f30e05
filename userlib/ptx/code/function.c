// SPDX-License-Identifier: MIT
/*
 * Functions that a kernel may call: their bodies and their addresses.
 */
#include <stdlib.h>

#include "code/function.h"

int ptx_body_of(struct ptx_builder *b, const struct ptx_function *function)
{
	struct ptx_program *program = b->program;
	struct ptx_body *bodies;
	uint32_t i;

	for (i = 0; i < program->body_count; i++)
		if (program->bodies[i].function == function)
			return i;
	bodies = ptx_grow(program->bodies, program->body_count, sizeof(*bodies));
	if (!bodies) {
		b->failed = true;
		return -1;
	}
	program->bodies = bodies;
	bodies[program->body_count] = (struct ptx_body){ .function = function };
	return program->body_count++;
}

uint64_t ptx_function_address(const struct ptx_module *module,
			      const struct ptx_function *function)
{
	unsigned int i;

	for (i = 0; i < module->function_count; i++)
		if (module->functions[i] == function)
			return PTX_CODE_BASE + i;
	return 0;
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
	uint32_t i, j;

	program->body_of = calloc(module->function_count + 1, sizeof(*program->body_of));
	if (!program->body_of)
		return false;
	for (i = 0; i < module->function_count; i++)
		for (j = 0; j < program->body_count; j++)
			if (program->bodies[j].function == module->functions[i])
				program->body_of[i] = j + 1;
	return true;
}
