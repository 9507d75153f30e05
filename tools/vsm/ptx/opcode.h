/* SPDX-License-Identifier: MIT */
/*
 * Parses an opcode: the operation and its qualifiers.
 */
#ifndef _PTX_OPCODE_H_
#define _PTX_OPCODE_H_

#include "ptx/instruction.h"
#include "text/lex.h"

/**
 * struct ptx_order - A wrong .sem or .scope
 * @where: Place of the .sem or .scope; NULL if there is no such error
 * @message: Text of the error
 *
 * The device refuses such an instruction with the fault BAD_ORDER. The error is reported unless the
 * scenario expects this fault.
 */
struct ptx_order {
	const char *where;
	char message[160];
};

bool ptx_parse_opcode(struct cursor *c, struct instruction *insn, struct ptx_order *order);

#endif
