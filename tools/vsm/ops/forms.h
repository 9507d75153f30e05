/* SPDX-License-Identifier: MIT */
/*
 * The forms of the operations in all languages: PTX, NVVM, machine code, libvsm. The parsers of
 * scenarios and "vsm ops" use this table.
 */
#ifndef _OPS_FORMS_H_
#define _OPS_FORMS_H_

#include "ptx/instruction.h"
#include "text/names.h"

/**
 * struct op_form - A form of an operation. Strings are "" if there is no such form
 * @op: &enum drm_vsm_op; 0 if the device does not execute it
 * @mods: Mask of &enum drm_vsm_mod
 * @ptx: Opcode and operands in PTX
 * @nvvm: Names of operations of NVVM, separated by commas
 * @machine: Instruction of sm_90 with its operands, or names of instructions
 * @lib: Ends of the names of functions of libvsm, and flags
 */
struct op_form {
	uint16_t op;
	uint16_t mods;
	const char *ptx;
	const char *nvvm;
	const char *machine;
	const char *lib;
};

extern const struct op_form op_forms[];
extern const unsigned int op_form_count;

/**
 * struct form_hint - The name that is most like a word that is no name
 * @nearest: The nearest name
 * @name: Memory of this name
 */
struct form_hint {
	struct nearest nearest;
	char name[QUOTE_SIZE];
};

/* The form that an operation of NVVM has; NULL and a hint if there is none. */
const struct op_form *form_of_nvvm(struct span name, struct form_hint *hint);
/* The first form that has an instruction of sm_90; NULL and a hint if there is none. */
const struct op_form *form_of_machine(struct span name, struct form_hint *hint);

/* Operands of the machine form; NULL if scenarios do not read this machine form. */
const char *form_machine_operands(const struct op_form *form);

/* Parses the opcode of PTX with more qualifiers behind it, and with its type. */
bool form_opcode(const char *ptx, const char *qualifiers, struct instruction *insn);

#endif
