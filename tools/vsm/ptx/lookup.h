/* SPDX-License-Identifier: MIT */
/*
 * Finds forms by their names in NVVM and in machine code.
 */
#ifndef _PTX_LOOKUP_H_
#define _PTX_LOOKUP_H_

#include "ptx/instruction.h"
#include "text/names.h"

#define PTX_SIZE	256

/**
 * struct found_form - A form and its PTX
 * @form: The form
 * @ptx: Opcode and operands in PTX
 */
struct found_form {
	const struct ptx_form *form;
	char ptx[PTX_SIZE];
};

/**
 * struct form_hint - The name that is most like a word that is no name
 * @nearest: The nearest name
 * @name: Memory of this name
 */
struct form_hint {
	struct nearest nearest;
	char name[QUOTE_SIZE];
};

/* Find the first form with this name. If there is none, return false and set @hint. */
bool form_of_nvvm(struct span name, struct found_form *found, struct form_hint *hint);
bool form_of_machine(struct span name, struct found_form *found, struct form_hint *hint);

/* Writes the opcode and the operands of a form in PTX. Returns @text. */
const char *form_ptx(const struct ptx_op *op, const struct ptx_form *form, char text[PTX_SIZE]);

/* Operands of the machine form; NULL if scenarios do not read this machine form. */
const char *form_machine_operands(const struct ptx_form *form);

/* Parses the opcode of PTX with more qualifiers behind it, and with its type. */
bool form_opcode(const char *ptx, const char *qualifiers, struct instruction *insn);

#endif
