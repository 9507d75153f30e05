/* SPDX-License-Identifier: MIT */
/*
 * Parses an opcode: the operation and its qualifiers.
 */
#ifndef _PTX_TABLE_OPCODE_H_
#define _PTX_TABLE_OPCODE_H_

#include "table/form.h"
#include "text/lex.h"

/**
 * struct ptx_opcode - A parsed opcode
 * @op: Operation; NULL if there is none with this name
 * @quals: Qualifier of each group
 * @given: Mask of the groups of which the opcode has a qualifier
 */
struct ptx_opcode {
	const struct ptx_op *op;
	uint8_t quals[PTX_GROUPS];
	uint16_t given;
};

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

/*
 * Reads an opcode at the cursor. Sets @order and returns true if its only error is a wrong .sem or
 * .scope. Reports all other errors and returns false.
 */
bool ptx_parse_opcode(struct cursor *c, struct ptx_opcode *opcode, struct ptx_order *order);

#endif
