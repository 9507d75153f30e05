/* SPDX-License-Identifier: MIT */
/*
 * An instruction of a scenario, parsed.
 */
#ifndef _PTX_INSTRUCTION_H_
#define _PTX_INSTRUCTION_H_

#include <stdbool.h>

#include "ptx/form.h"

/**
 * struct operand - An operand of an instruction
 * @kind: Kind of the operand
 * @role: &enum ptx_role
 * @own: The address is an offset in the window of the executing CTA
 * @inverted: A ! stands before the predicate
 * @bits: Width of a register operand, 1 for a predicate
 * @reg: Index of the register, -1 if there is none. An address may also have a register
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
	int reg;
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
 */
struct instruction {
	const struct ptx_op *op;
	uint16_t mods;
	uint8_t quals[PTX_GROUPS];
	uint16_t given;
	struct operand operands[PTX_ELEMENTS];
	unsigned int count;
};

#endif
