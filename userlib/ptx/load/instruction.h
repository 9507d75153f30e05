/* SPDX-License-Identifier: MIT */
/*
 * Instructions.
 */
#ifndef _PTX_LOAD_INSTRUCTION_H_
#define _PTX_LOAD_INSTRUCTION_H_

#include "load/state.h"

/* Reads an instruction with its semicolon. The token is its guard or its opcode. */
bool ptx_instruction(struct ptx_parser *p);

#endif
