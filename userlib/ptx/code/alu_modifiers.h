/* SPDX-License-Identifier: MIT */
/*
 * Modifiers and operands of the floating-point instructions.
 */
#ifndef _PTX_CODE_ALU_MODIFIERS_H_
#define _PTX_CODE_ALU_MODIFIERS_H_

#include "code/alu_forms.h"
#include "code/float_bits.h"

/* Modifiers, in the order in which PTX writes them. */
#define MOD_RN		(1u << 0)
#define MOD_RZ		(1u << 1)
#define MOD_RM		(1u << 2)
#define MOD_RP		(1u << 3)
#define MOD_RNA		(1u << 4)
#define MOD_RNI		(1u << 5)
#define MOD_RZI		(1u << 6)
#define MOD_RMI		(1u << 7)
#define MOD_RPI		(1u << 8)
#define MOD_APPROX	(1u << 9)
#define MOD_FULL	(1u << 10)
#define MOD_FTZ		(1u << 11)
#define MOD_OOB		(1u << 12)
#define MOD_NAN		(1u << 13)
#define MOD_XORSIGN	(1u << 14)
#define MOD_ABS		(1u << 15)
#define MOD_SAT		(1u << 16)
#define MOD_RELU	(1u << 17)
#define MOD_SATFINITE	(1u << 18)

#define MOD_RND		(MOD_RN | MOD_RZ | MOD_RM | MOD_RP)
#define MOD_IRND	(MOD_RNI | MOD_RZI | MOD_RMI | MOD_RPI)

/* A set of types is a mask of these bits. */
#define TYPE_BIT(type)	(1u << (type))

/* The type that a part of the opcode names; TYPE_NONE if it names none. */
enum ptx_type ptx_form_type(const struct ptx_insn *insn, unsigned int part);

/*
 * Read the parts @first to @last - 1 of the opcode as modifiers. Adds an error and returns false
 * if there is one that is not in @takes, if one is there twice, or if @needs is not 0 and none of
 * it is there. All rounding modes, .approx and .full exclude each other.
 */
bool ptx_form_modifiers(struct ptx_decoder *d, const struct ptx_insn *insn, unsigned int first,
			unsigned int last, uint32_t takes, uint32_t needs, uint32_t *modifiers);

/* Adds an error that says which types the opcode takes. Always returns REFUSED. */
enum ptx_decoded ptx_form_refuse_type(struct ptx_decoder *d, const struct ptx_insn *insn,
				      uint32_t types);

/* Adds an error and returns false if the instruction does not have @count operands. */
bool ptx_form_operands(struct ptx_decoder *d, const struct ptx_insn *insn, unsigned int count);

/* The rounding mode that the modifiers name; to nearest if they name none. */
enum ptx_round ptx_form_round(uint32_t modifiers);

#endif
