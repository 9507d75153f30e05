/* SPDX-License-Identifier: MIT */
/*
 * Parses an opcode: the operation and its qualifiers.
 */
#ifndef _PTX_OPCODE_H_
#define _PTX_OPCODE_H_

#include "ptx/instruction.h"
#include "text/lex.h"

/**
 * struct ptx_order - An error that the scenario may want the device to find
 * @where: Place of a .sem or .scope that PTX does not have there; NULL if there is none
 * @message: Text of the error
 *
 * The device refuses such an instruction with the fault BAD_ORDER, which a scenario can expect.
 */
struct ptx_order {
	const char *where;
	char message[160];
};

bool ptx_parse_opcode(struct cursor *c, struct instruction *insn, struct ptx_order *order);

#endif
