/* SPDX-License-Identifier: MIT */
/*
 * Finds forms by their names in NVVM and in machine code.
 */
#ifndef _INSN_LOOKUP_H_
#define _INSN_LOOKUP_H_

#include "insn/instruction.h"
#include "names.h"

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
 * struct form_hint - The known name that is most similar to an unknown name
 * @nearest: The most similar name
 * @name: Memory for @nearest.name
 */
struct form_hint {
	struct nearest nearest;
	char name[QUOTE_SIZE];
};

/* Each finds the first form with this name. If there is none, it returns false and sets @hint. */
bool form_of_nvvm(struct span name, struct found_form *found, struct form_hint *hint);
bool form_of_machine(struct span name, struct found_form *found, struct form_hint *hint);

/* Writes a form in PTX, opcode and operands, to @text. Returns @text. */
const char *form_ptx(const struct ptx_op *op, const struct ptx_form *form, char text[PTX_SIZE]);

/* Returns the operands of the machine instruction; NULL if scenarios cannot contain it. */
const char *form_machine_operands(const struct ptx_form *form);

/*
 * Parses the opcode of @ptx, with @qualifiers appended, and with .b64 appended if it is an mbarrier
 * operation. Ignores the operands of @ptx.
 */
bool form_opcode(const char *ptx, const char *qualifiers, struct instruction *insn);

#endif
