/* SPDX-License-Identifier: MIT */
/*
 * Parses operands.
 */
#ifndef _PTX_OPERAND_H_
#define _PTX_OPERAND_H_

#include "ptx/instruction.h"
#include "text/names.h"

struct parser;

/**
 * struct ptx_names - The names that operands can have
 * @parser: First argument of the functions
 * @read: Returns the index of a register that the instruction reads; -1 and an error at @where
 *	if it has no value
 * @write: Returns the index of a register that the instruction writes, and says what it holds
 *	from now on, and whether a guard may prevent that
 * @holds: What a register holds; HOLDS_SEVERAL if the threads do not agree
 * @buffers: Names of buffers
 * @maps: Names of tensor maps
 * @symbols: Names of places in shared memory
 * @symbol_offsets: Offset of each of these in the window
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

/* Sets the modifiers that depend on qualifiers and operands. */
void ptx_set_mods(struct instruction *insn);
/* Parses the rest of the line. */
bool ptx_parse_operands(struct cursor *c, struct instruction *insn,
			const struct ptx_names *names);
/*
 * Reads the name of a register, behind its %. @name begins with the %. The name says how wide the
 * register is: 1, 32 or 64 bits.
 */
bool ptx_parse_register(struct cursor *c, struct span *name, unsigned int *bits);

#endif
