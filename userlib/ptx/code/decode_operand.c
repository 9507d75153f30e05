// SPDX-License-Identifier: MIT
/*
 * Operands of an instruction: the rows of its registers and constants, and the errors about them.
 */
#include <string.h>

#include "code/address.h"
#include "code/decode_operand.h"
#include "code/special.h"

/* Adds an error. For functions that return false after an error. */
#define refuse(d, insn, ...)	(ptx_refuse(d, insn, __VA_ARGS__), false)

/* The register that the operand names. Returns false if there is no such register. */
static bool find_register(const struct ptx_decoder *d, const struct ptx_operand *operand,
			  uint32_t *index)
{
	int64_t reg = (int64_t)operand->reg + (operand->component > 0 ? operand->component : 0);

	if (reg < 0 || reg >= (int64_t)d->function->reg_count)
		return false;
	*index = (uint32_t)reg;
	return true;
}

enum ptx_type ptx_operand_type(const struct ptx_decoder *d, const struct ptx_operand *operand)
{
	uint32_t index;

	if (operand->kind == OPERAND_REG && find_register(d, operand, &index))
		return d->function->regs[index].type;
	if (operand->kind == OPERAND_SPECIAL)
		return ptx_special_type(operand->special);
	return TYPE_NONE;
}

static const char *kind_name(const struct ptx_operand *operand)
{
	switch (operand->kind) {
	case OPERAND_REG:
		return "a register";
	case OPERAND_INT:
		return "an integer";
	case OPERAND_F32:
	case OPERAND_F64:
		return "a floating-point number";
	case OPERAND_SPECIAL:
		return "a special register";
	case OPERAND_VARIABLE:
		return "the address of a variable";
	case OPERAND_FUNCTION:
		return "the address of a function";
	case OPERAND_LABEL:
		return "a label";
	case OPERAND_ADDRESS:
		return "an address in brackets";
	case OPERAND_VECTOR:
		return "a vector";
	case OPERAND_PAIR:
		return "a pair a|b";
	case OPERAND_LIST:
		return "a list in parentheses";
	case OPERAND_SINK:
		return "_";
	case OPERAND_TABLE:
		return "a list of targets";
	}
	return "an unknown operand";
}

static bool is_bits(enum ptx_type type)
{
	return type >= TYPE_B8 && type <= TYPE_B128;
}

/*
 * May a register of type @reg be an operand of type @type? Sizes must be equal; the types .b<n>
 * agree with all types of their size, integers with integers, and floats with the same floats.
 */
static bool types_agree(enum ptx_type reg, enum ptx_type type)
{
	if (reg == TYPE_PRED || type == TYPE_PRED || reg == TYPE_NONE || type == TYPE_NONE)
		return false;
	if (ptx_type_size(reg) != ptx_type_size(type))
		return false;
	if (is_bits(reg) || is_bits(type) || reg == type)
		return true;
	return !ptx_type_is_float(type) && !ptx_type_is_float(reg);
}

static bool register_row(struct ptx_decoder *d, const struct ptx_insn *insn,
			 const struct ptx_operand *operand, enum ptx_type type, uint32_t *row)
{
	const struct ptx_register *reg;
	uint32_t index;

	if (!find_register(d, operand, &index))
		return refuse(d, insn, "the vector register has no such component");
	reg = &d->function->regs[index];
	if (operand->inverted)
		return refuse(d, insn, "!%s: only predicates are inverted with !", reg->name);
	if (!types_agree(reg->type, type))
		return refuse(d, insn, "register %s has the type .%s, but %.*s takes .%s here",
			      reg->name, ptx_type_name(reg->type), (int)insn->opcode.length,
			      insn->opcode.text, ptx_type_name(type));
	*row = d->slots[index];
	return true;
}

static uint64_t float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static uint64_t double_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* A number as 64 bits, zero-extended from the size of the type. False if the kind is wrong. */
static bool number_bits(const struct ptx_operand *operand, enum ptx_type type, uint64_t *bits)
{
	uint64_t number = (uint64_t)operand->number;
	uint32_t low = (uint32_t)number;
	double wide;
	float narrow;

	switch (operand->kind) {
	case OPERAND_INT:
		if (ptx_type_is_float(type) || ptx_type_size(type) > 8)
			return false;
		*bits = ptx_type_size(type) == 8 ?
			number : number & ((1ull << 8 * ptx_type_size(type)) - 1);
		return true;
	case OPERAND_F32:
		if (type == TYPE_F64) {
			memcpy(&narrow, &low, sizeof(narrow));
			*bits = double_bits(narrow);
			return true;
		}
		*bits = low;
		return type == TYPE_F32 || type == TYPE_B32;
	case OPERAND_F64:
		if (type == TYPE_F32) {
			memcpy(&wide, &number, sizeof(wide));
			*bits = float_bits((float)wide);
			return true;
		}
		*bits = number;
		return type == TYPE_F64 || type == TYPE_B64;
	default:
		return false;
	}
}

/* May an operand be a special register? An element of a vector may be one in any instruction. */
static bool reads_special(const struct ptx_insn *insn)
{
	return ptx_insn_part_is(insn, 0, "mov") ||
	       (ptx_insn_part_is(insn, 0, "cvt") && !ptx_insn_part_is(insn, 1, "pack"));
}

/* May an operand be the address of a variable or function? */
static bool reads_address(const struct ptx_insn *insn)
{
	return ptx_insn_part_is(insn, 0, "mov") || ptx_insn_part_is(insn, 0, "mapa") ||
	       ptx_insn_part_is(insn, 0, "getctarank") ||
	       (ptx_insn_part_is(insn, 0, "cvta") && !ptx_insn_part_is(insn, 1, "to"));
}

/* Is the operand one of the instruction, and not an element of a vector? */
static bool is_outer(const struct ptx_insn *insn, const struct ptx_operand *operand)
{
	return operand >= insn->operands && operand < insn->operands + insn->operand_count;
}

static bool special_row(struct ptx_decoder *d, const struct ptx_insn *insn,
			const struct ptx_operand *operand, enum ptx_type type, uint32_t *row)
{
	enum ptx_special special = operand->special;

	if ((unsigned int)special >= SPECIALS && operand->unsupported)
		return refuse(d, insn, "the special register %s is not supported",
			      operand->unsupported);
	if ((unsigned int)special >= SPECIALS ||
	    operand->dim > (PTX_SPECIAL_VECTORS >> special & 1 ? 2 : 0))
		return refuse(d, insn, "this special register is not supported");
	if (ptx_special_changes(special) && !reads_special(insn))
		return refuse(d, insn, "%.*s cannot read a clock; only mov and cvt can",
			      (int)insn->opcode.length, insn->opcode.text);
	if (ptx_special_type(special) == TYPE_PRED ? type != TYPE_PRED :
	    !types_agree(ptx_special_type(special), type))
		return refuse(d, insn,
			      "the special register has the type .%s, but %.*s takes .%s here",
			      ptx_type_name(ptx_special_type(special)), (int)insn->opcode.length,
			      insn->opcode.text, ptx_type_name(type));
	*row = PTX_ROW(FILE_WARP, ptx_special_row(special, operand->dim));
	return true;
}

bool ptx_source_row(struct ptx_decoder *d, const struct ptx_insn *insn,
		    const struct ptx_operand *operand, enum ptx_type type, uint32_t *row)
{
	uint64_t bits;

	switch (operand->kind) {
	case OPERAND_REG:
		return register_row(d, insn, operand, type, row);
	case OPERAND_INT:
	case OPERAND_F32:
	case OPERAND_F64:
		if (type == TYPE_PRED || !number_bits(operand, type, &bits))
			return refuse(d, insn, "%.*s takes .%s here, not %s",
				      (int)insn->opcode.length, insn->opcode.text,
				      ptx_type_name(type), kind_name(operand));
		*row = ptx_const_row(d, bits);
		return *row != PTX_NO_ROW;
	case OPERAND_SPECIAL:
		if (is_outer(insn, operand) && !reads_special(insn))
			return refuse(d, insn,
				      "%.*s takes no special register; read it with mov first",
				      (int)insn->opcode.length, insn->opcode.text);
		return special_row(d, insn, operand, type, row);
	case OPERAND_VARIABLE:
	case OPERAND_FUNCTION:
		if (!is_outer(insn, operand) || !reads_address(insn))
			return refuse(d, insn, "%.*s does not take %s; read it with mov first",
				      (int)insn->opcode.length, insn->opcode.text,
				      kind_name(operand));
		if (ptx_type_size(type) != 8 || ptx_type_is_float(type))
			return refuse(d, insn, "an address has 64 bits, but %.*s takes .%s here",
				      (int)insn->opcode.length, insn->opcode.text,
				      ptx_type_name(type));
		return ptx_address_row(d, insn, operand, row);
	default:
		return refuse(d, insn,
			      "%.*s takes a register or number of the type .%s here, not %s",
			      (int)insn->opcode.length, insn->opcode.text, ptx_type_name(type),
			      kind_name(operand));
	}
}

static bool register_pred(struct ptx_decoder *d, const struct ptx_insn *insn,
			  const struct ptx_operand *operand, uint32_t *pred)
{
	const struct ptx_register *reg;
	uint32_t index;

	if (operand->kind != OPERAND_REG)
		return refuse(d, insn, "%.*s takes a predicate here, not %s",
			      (int)insn->opcode.length, insn->opcode.text, kind_name(operand));
	if (!find_register(d, operand, &index))
		return refuse(d, insn, "the vector register has no such component");
	reg = &d->function->regs[index];
	if (reg->type != TYPE_PRED)
		return refuse(d, insn,
			      "register %s has the type .%s, but %.*s takes a predicate here",
			      reg->name, ptx_type_name(reg->type), (int)insn->opcode.length,
			      insn->opcode.text);
	*pred = d->slots[index];
	return true;
}

bool ptx_source_pred(struct ptx_decoder *d, const struct ptx_insn *insn,
		     const struct ptx_operand *operand, uint32_t *pred)
{
	if (operand->kind == OPERAND_INT) {
		/* Compilers write true as 1 or as -1. */
		if (operand->number < -1 || operand->number > 1)
			return refuse(d, insn, "a predicate is 0 or 1, not %lld",
				      (long long)operand->number);
		*pred = operand->number ? PTX_TRUE : PTX_TRUE | PTX_NOT;
		return true;
	}
	if (!register_pred(d, insn, operand, pred))
		return false;
	if (operand->inverted)
		*pred |= PTX_NOT;
	return true;
}

static bool refuse_inverted(struct ptx_decoder *d, const struct ptx_insn *insn,
			    const struct ptx_operand *operand)
{
	return !operand->inverted || refuse(d, insn, "a destination cannot be inverted with !");
}

/* Remembers that the step writes the first operand: code/allocate.c has to know it before. */
static void note_target(struct ptx_decoder *d, const struct ptx_insn *insn,
			const struct ptx_operand *target)
{
	const struct ptx_operand *first = insn->operands;

	if (target == first || (target >= first->elements &&
				target < first->elements + first->count))
		d->wrote_first = true;
}

bool ptx_target_row(struct ptx_decoder *d, const struct ptx_insn *insn,
		    const struct ptx_operand *operand, enum ptx_type type, uint32_t *row)
{
	note_target(d, insn, operand);
	if (operand->kind == OPERAND_SINK) {
		*row = PTX_NO_ROW;
		return true;
	}
	if (operand->kind != OPERAND_REG)
		return refuse(d, insn, "the destination of %.*s is a register, not %s",
			      (int)insn->opcode.length, insn->opcode.text, kind_name(operand));
	return refuse_inverted(d, insn, operand) && register_row(d, insn, operand, type, row);
}

bool ptx_target_pred(struct ptx_decoder *d, const struct ptx_insn *insn,
		     const struct ptx_operand *operand, uint32_t *pred)
{
	note_target(d, insn, operand);
	if (operand->kind == OPERAND_SINK) {
		*pred = PTX_NO_ROW;
		return true;
	}
	return refuse_inverted(d, insn, operand) && register_pred(d, insn, operand, pred);
}
