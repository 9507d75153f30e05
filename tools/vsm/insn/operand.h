/* SPDX-License-Identifier: MIT */
/*
 * Parses operands.
 */
#ifndef _INSN_OPERAND_H_
#define _INSN_OPERAND_H_

#include "insn/instruction.h"
#include "names.h"

struct parser;

/**
 * struct ptx_names - The names that operands can have
 * @parser: First argument of the functions @read, @write and @holds
 * @read: Returns the index of a register that the instruction reads. If the register has no value,
 *	reports an error at @where and returns -1
 * @write: Returns the index of a register that the instruction writes. Notes that the register
 *	holds @holds from now on. @guarded: a guard may prevent the write
 * @holds: Returns what a register holds; HOLDS_SEVERAL if that is not the same in all threads
 * @buffers: Names of buffers
 * @maps: Names of tensor maps
 * @symbols: Names of places in shared memory
 * @symbol_offsets: Offset of each symbol in the window
 */
struct ptx_names {
	struct parser *parser;
	int (*read)(struct parser *parser, struct cursor *c, const char *where, struct span name);
	int (*write)(struct parser *parser, struct span name, enum holds holds, bool guarded);
	enum holds (*holds)(struct parser *parser, int reg);
	const struct names *buffers;
	const struct names *maps;
	const struct names *symbols;
	const uint64_t *symbol_offsets;
};

/* Sets the modifiers, which follow from the operation, the qualifiers and the operands. */
void ptx_set_mods(struct instruction *insn);
/* Parses the operands, which are the rest of the line. */
bool ptx_parse_operands(struct cursor *c, struct instruction *insn,
			const struct ptx_names *names);
/*
 * Reads the name of a register at the cursor, which is behind the %. Sets @name to the name with
 * the %. The name says how wide the register is: @bits is 1, 32 or 64.
 */
bool ptx_parse_register(struct cursor *c, struct span *name, unsigned int *bits);

#endif
