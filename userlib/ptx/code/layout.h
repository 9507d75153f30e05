/* SPDX-License-Identifier: MIT */
/*
 * Where variables are in shared and in local memory.
 */
#ifndef _PTX_CODE_LAYOUT_H_
#define _PTX_CODE_LAYOUT_H_

#include "code/steps.h"

/*
 * Sets the addresses of parameters and of variables in local memory, if this has not been done, and
 * finds where the last of these variables ends. Returns false if the frame is too large.
 */
bool ptx_lay_out_function(const struct ptx_function *function, uint32_t *local_end);
/* The alignment of the local memory of a frame. */
uint64_t ptx_local_align(const struct ptx_function *function);
/* Adds a variable in shared memory, if it is a new one. Returns false if memory runs out. */
bool ptx_add_shared(struct ptx_program *program, const struct ptx_variable *var);
/* Sets the offsets of all variables in shared memory. */
void ptx_lay_out_shared(struct ptx_program *program);
/* The offset of a variable in the window of a CTA. */
uint32_t ptx_shared_offset(const struct ptx_program *program, const struct ptx_variable *var);

#endif
