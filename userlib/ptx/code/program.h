/* SPDX-License-Identifier: MIT */
/* Builds a program from a kernel of a module. */
#ifndef _CODE_PROGRAM_H_
#define _CODE_PROGRAM_H_

#include "code/steps.h"

/**
 * ptx_program_build - Decode a kernel
 * @module: Module, whose variables in global and constant memory have their addresses
 * @kernel: Kernel
 * @program: The program (out)
 * @messages: Gets a message for each instruction that cannot be executed
 *
 * Return: 0; -EOPNOTSUPP if there is such an instruction; -ENOMEM.
 */
int ptx_program_build(const struct ptx_module *module, const struct ptx_function *kernel,
		      struct ptx_program **program, struct ptx_messages *messages);
void ptx_program_free(struct ptx_program *program);

#endif
