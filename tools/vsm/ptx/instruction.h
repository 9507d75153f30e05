/* SPDX-License-Identifier: MIT */
/*
 * An instruction of a scenario, parsed.
 */
#ifndef _PTX_INSTRUCTION_H_
#define _PTX_INSTRUCTION_H_

#include <stdbool.h>

#include "ptx/form.h"

/* What a register holds. A state is in two registers of 32 bits, or in one of 64. */
enum holds {
	HOLDS_NOTHING,
	HOLDS_PREDICATE,
	HOLDS_32,
	HOLDS_64,
	HOLDS_STATE_LOW,
	HOLDS_STATE_HIGH,
	HOLDS_SEVERAL,		/* the threads do not agree */
};

static inline enum holds holds_bits(unsigned int bits)
{
	return bits == 1 ? HOLDS_PREDICATE : bits == 64 ? HOLDS_64 : HOLDS_32;
}

/**
 * struct operand - An operand of an instruction
 * @kind: Kind of the operand
 * @role: &enum ptx_role
 * @own: The address is an offset in the window of the executing CTA
 * @inverted: A ! stands before the predicate
 * @bits: Width of a register operand, 1 for a predicate
 * @shift: The value is the register's, shifted right by so many bits
 * @reg: Index of the register, -1 if there is none. An address may also have a register
 * @second: Index of a second register, -1 if there is none. It is added to an address. It has the
 *	upper 32 bits of any other operand
 * @buffer: Index of the buffer of an address, -1 if the address is in shared memory
 * @map: Index of the tensor map
 * @number: Number; offset that is added to the register of an address; &enum ptx_special
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
 * @op: Form of the instruction
 * @mods: Mask of &enum drm_vsm_mod
 * @quals: Qualifier of each group
 * @given: Mask of the groups that the instruction has
 * @operands: Operands in order; each element of a vector is an operand here
 * @count: Number of operands
 * @guard: Index of the predicate without which the instruction has no effect, -1 if there is none
 * @unless: The guard must be False, not True
 * @untimed: A wait without a time limit
 * @tries: SYNCS.PHASECHK.TRANS64.TRYWAIT: NANOSLEEP.SYNCS can repeat it
 */
struct instruction {
	const struct ptx_op *op;
	uint16_t mods;
	uint8_t quals[PTX_GROUPS];
	uint16_t given;
	struct operand operands[PTX_ELEMENTS];
	unsigned int count;
	int guard;
	bool unless;
	bool untimed;
	bool tries;
};

/* Appends an operand of no kind. */
static inline struct operand *instruction_add(struct instruction *insn, uint8_t role)
{
	struct operand *operand = &insn->operands[insn->count++];

	*operand = (struct operand){ .role = role, .reg = -1, .second = -1, .buffer = -1 };
	return operand;
}

#endif
