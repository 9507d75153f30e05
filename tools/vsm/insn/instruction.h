/* SPDX-License-Identifier: MIT */
/*
 * A parsed instruction of a scenario.
 */
#ifndef _INSN_INSTRUCTION_H_
#define _INSN_INSTRUCTION_H_

#include <stdbool.h>

#include "table/opcode.h"

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

/**
 * struct instruction - An instruction of a scenario
 * @opcode: Opcode
 * @mods: Mask of &enum drm_vsm_mod
 * @operands: Operands in order. Each element of a vector is an operand of its own
 * @count: Number of operands
 * @guard: Index of the predicate that is the guard; -1 if there is none
 * @unless: The guard has a !: the instruction has no effect if the predicate is True
 * @untimed: It is a wait without a time limit
 * @tries: It is SYNCS.PHASECHK.TRANS64.TRYWAIT. NANOSLEEP.SYNCS can repeat it
 */
struct instruction {
	struct ptx_opcode opcode;
	uint16_t mods;
	struct operand operands[PTX_ELEMENTS];
	unsigned int count;
	int guard;
	bool unless;
	bool untimed;
	bool tries;
};

/* Appends an operand of the kind OPERAND_NONE. */
static inline struct operand *instruction_add(struct instruction *insn, uint8_t role)
{
	struct operand *operand = &insn->operands[insn->count++];

	*operand = (struct operand){ .role = role, .reg = -1, .second = -1, .buffer = -1 };
	return operand;
}

#endif
