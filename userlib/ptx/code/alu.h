/* SPDX-License-Identifier: MIT */
/* Instructions that only read and write registers of their own lane. */
#ifndef _PTX_CODE_ALU_H_
#define _PTX_CODE_ALU_H_

#include "code/decoder.h"

/*
 * Decode arithmetic, logic, comparison, conversion and moves between registers: everything that
 * reads and writes registers of its own lane only, and nothing else.
 */
enum ptx_decoded ptx_alu_decode(struct ptx_decoder *d, const struct ptx_insn *insn,
				struct ptx_step *step);

#endif
