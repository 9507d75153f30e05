/* SPDX-License-Identifier: MIT */
/* Instructions of scenarios. */
#ifndef _INSN_H_
#define _INSN_H_

#include <stdbool.h>

#include "names.h"
#include "vsm_syntax.h"

/* --- an instruction ------------------------------------------------------- */

/**
 * enum holds - What a register holds
 * @HOLDS_STATE_LOW: Lower half of a state that is in two registers of 32 bits
 * @HOLDS_STATE_HIGH: Upper half of such a state
 * @HOLDS_SEVERAL: Not the same in all threads of a statement
 *
 * A state in a register of 64 bits is HOLDS_64.
 */
enum holds {
	HOLDS_NOTHING,
	HOLDS_PREDICATE,
	HOLDS_32,
	HOLDS_64,
	HOLDS_STATE_LOW,
	HOLDS_STATE_HIGH,
	HOLDS_SEVERAL,
};

static inline enum holds holds_bits(unsigned int bits)
{
	return bits == 1 ? HOLDS_PREDICATE : bits == 64 ? HOLDS_64 : HOLDS_32;
}

/* Special registers, such as %laneid. Only mov can read them. */
enum special {
	PTX_LANEID,
	PTX_TID,
	PTX_CTARANK,
};

/**
 * struct operand - An operand of an instruction
 * @kind: Kind of the operand
 * @role: &enum ptx_role
 * @own: The address is an offset in the window of the executing CTA
 * @inverted: The operand is a predicate with a ! before it
 * @bits: Width of a register operand; 1 for a predicate
 * @shift: The value of the register is shifted right by this number of bits
 * @reg: Index of the register; -1 if there is none. An address may have a register too
 * @second: Index of a second register; -1 if there is none. In an address it is added. In other
 *	operands it has the upper 32 bits
 * @buffer: Index of the buffer of an address; -1 if the address is in shared memory
 * @map: Index of the tensor map
 * @number: A number; in an address, an offset; of a special register, &enum special
 */
struct operand {
	enum {
		OPERAND_NONE,
		OPERAND_SINK,
		OPERAND_NUMBER,
		OPERAND_REGISTER,
		OPERAND_ADDRESS,
		OPERAND_MAP,
		OPERAND_SPECIAL,
	} kind;
	uint8_t role;
	bool own;
	bool inverted;
	uint8_t bits;
	uint8_t shift;
	int reg;
	int second;
	int buffer;
	int map;
	uint64_t number;
};

/* An instruction of a scenario */
struct instruction {
	struct ptx_opcode opcode;
	uint16_t mods;		/* mask of enum drm_vsm_mod */
	/* Operands in order. Each element of a vector is an operand of its own. */
	struct operand operands[PTX_ELEMENTS];
	unsigned int count;	/* number of operands */
	int guard;		/* index of the predicate that is the guard; -1 if there is none */
	/* The guard has a !: the instruction has no effect if the predicate is True */
	bool unless;
	bool untimed;		/* it is a wait without a time limit */
	bool tries;	/* It is SYNCS.PHASECHK.TRANS64.TRYWAIT. NANOSLEEP.SYNCS can repeat it. */
};

/* Appends an operand of the kind OPERAND_NONE. */
static inline struct operand *instruction_add(struct instruction *insn, uint8_t role)
{
	struct operand *operand = &insn->operands[insn->count++];

	*operand = (struct operand){ .role = role, .reg = -1, .second = -1, .buffer = -1 };
	return operand;
}

/* --- lookup --------------------------------------------------------------- */

#define FORM_SIZE	256

/* A form and its PTX */
struct found_form {
	const struct ptx_form *form;
	char ptx[FORM_SIZE];	/* opcode and operands in PTX */
};

/* The known name that is most similar to an unknown name */
struct form_hint {
	struct nearest nearest;	/* the most similar name */
	char name[QUOTE_SIZE];	/* memory for @nearest.name */
};

/* Each finds the first form with this name. If there is none, it returns false and sets @hint. */
bool form_of_nvvm(struct span name, struct found_form *found, struct form_hint *hint);
bool form_of_machine(struct span name, struct found_form *found, struct form_hint *hint);

/* Writes a form in PTX, opcode and operands, to @text. Returns @text. */
const char *form_ptx(const struct ptx_op *op, const struct ptx_form *form, char text[FORM_SIZE]);

/* Returns the operands of the machine instruction; NULL if scenarios cannot contain it. */
const char *form_machine_operands(const struct ptx_form *form);

/*
 * Parses the opcode of @ptx, with @qualifiers appended, and with .b64 appended if it is an mbarrier
 * operation. Ignores the operands of @ptx.
 */
bool form_opcode(const char *ptx, const char *qualifiers, struct instruction *insn);

/* --- operands ------------------------------------------------------------- */

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

#endif
