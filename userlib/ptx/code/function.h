/* SPDX-License-Identifier: MIT */
/*
 * Functions that a kernel may call: their bodies and their addresses.
 */
#ifndef _PTX_CODE_FUNCTION_H_
#define _PTX_CODE_FUNCTION_H_

#include "code/build.h"

/* The number of the body of a function. Adds a body if there is none. -1 if memory runs out. */
int ptx_body_of(struct ptx_builder *b, const struct ptx_function *function);
/* Prepares ptx_program_function(), when all bodies are known. Returns false if memory runs out. */
bool ptx_sort_bodies(struct ptx_program *program);

/* The address of a function in generic addressing; 0 if the module does not define it. */
uint64_t ptx_function_address(const struct ptx_module *module,
			      const struct ptx_function *function);
/* The body that has this address; NULL if the kernel cannot call it. */
const struct ptx_body *ptx_program_function(const struct ptx_program *program, uint64_t address);

#endif
