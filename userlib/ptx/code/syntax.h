/* SPDX-License-Identifier: MIT */
/*
 * The syntax of instructions whose decoders read only a few parts of the opcode.
 */
#ifndef _PTX_CODE_SYNTAX_H_
#define _PTX_CODE_SYNTAX_H_

#include "code/decoder.h"

/*
 * Is the opcode one that PTX has, with as many operands, and of the right kinds? If not, it adds an
 * error and returns false. An instruction for which this file has no syntax passes: its decoder
 * checks it.
 */
bool ptx_check_syntax(struct ptx_decoder *d, const struct ptx_insn *insn);

#endif
