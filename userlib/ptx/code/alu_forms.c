// SPDX-License-Identifier: MIT
/*
 * Decoding of instructions by a list of their spellings.
 */
#include <stdio.h>
#include <string.h>

#include "code/alu_forms.h"
#include "code/decode_operand.h"

static bool in_group(const struct ptx_name *opcode, const char *name)
{
	unsigned int length = (unsigned int)strlen(name);

	return opcode->length >= length && !memcmp(opcode->text, name, length) &&
	       (opcode->length == length || opcode->text[length] == '.');
}

static bool is_form(const struct ptx_name *opcode, unsigned int skip, const char *modifiers)
{
	unsigned int length = (unsigned int)strlen(modifiers);

	return opcode->length - skip == length && !memcmp(opcode->text + skip, modifiers, length);
}

/* Does the opcode end with a type of floats, including those that enum ptx_type does not have? */
static bool ends_with_float(const struct ptx_insn *insn)
{
	const struct ptx_name *last = &insn->parts[insn->part_count - 1];

	return insn->part_count > 1 && last->length > 1 &&
	       (last->text[0] == 'f' || !memcmp(last->text, "bf", 2));
}

static bool has_carry(const struct ptx_insn *insn)
{
	for (unsigned int i = 1; i < insn->part_count; i++) {
		if (insn->parts[i].length == 2 && !memcmp(insn->parts[i].text, "cc", 2))
			return true;
	}
	return false;
}

static enum ptx_decoded refuse_form(const struct ptx_alu_group *group, struct ptx_decoder *d,
				    const struct ptx_insn *insn)
{
	char forms[1024];
	size_t used = 0;

	forms[0] = 0;
	for (unsigned int i = 0; i < group->count; i++) {
		int n = snprintf(forms + used, sizeof(forms) - used, " %s",
				 group->forms[i].modifiers);

		if (n < 0 || (size_t)n >= sizeof(forms) - used)
			break;
		used += (size_t)n;
	}
	return ptx_refuse(d, insn, "%.*s is not supported; %s takes%s%s",
			  (int)insn->opcode.length, insn->opcode.text, group->name, forms,
			  group->floats ? " and types of floats" : "");
}

/* Is it a register that may have two integers of 16 bits? Adds an error if not. */
static bool check_x2(struct ptx_decoder *d, const struct ptx_insn *insn,
		     const struct ptx_operand *operand)
{
	enum ptx_type type = ptx_operand_type(d, operand);

	if (operand->kind == OPERAND_REG && (type == TYPE_B32 || type == TYPE_F16X2))
		return true;
	ptx_refuse(d, insn, "%.*s takes registers of the type .b32 only",
		   (int)insn->opcode.length, insn->opcode.text);
	return false;
}

static bool check_byte(struct ptx_decoder *d, const struct ptx_insn *insn,
		       const struct ptx_operand *operand)
{
	if (operand->kind == OPERAND_INT && operand->number >= 0 && operand->number <= 255)
		return true;
	ptx_refuse(d, insn, "operand %u of %.*s is a number from 0 to 255",
		   (unsigned int)(operand - insn->operands) + 1, (int)insn->opcode.length,
		   insn->opcode.text);
	return false;
}

static bool decode_dst(const struct ptx_alu_form *form, struct ptx_decoder *d,
		       const struct ptx_insn *insn, struct ptx_step *step)
{
	const struct ptx_operand *dst = insn->operands;

	if (form->pair) {
		if (dst->kind != OPERAND_PAIR || dst->count != 2) {
			ptx_refuse(d, insn, "%.*s takes a destination d|p",
				   (int)insn->opcode.length, insn->opcode.text);
			return false;
		}
		return ptx_target_row(d, insn, &dst->elements[0], form->dst, &step->dst) &&
		       ptx_target_pred(d, insn, &dst->elements[1], &step->dst2);
	}
	if (dst->kind == OPERAND_SINK) {
		ptx_refuse(d, insn, "%.*s takes a register as its destination, not _",
			   (int)insn->opcode.length, insn->opcode.text);
		return false;
	}
	if (form->dst == TYPE_PRED)
		return ptx_target_pred(d, insn, dst, &step->dst);
	if (form->dst == PTX_FORM_X2)
		return check_x2(d, insn, dst) &&
		       ptx_target_row(d, insn, dst, TYPE_B32, &step->dst);
	return ptx_target_row(d, insn, dst, form->dst, &step->dst);
}

static enum ptx_decoded decode_form(const struct ptx_alu_form *form, struct ptx_decoder *d,
				    const struct ptx_insn *insn, struct ptx_step *step)
{
	unsigned int count = 0;
	unsigned int rows = 0;

	while (count < ARRAY_SIZE(form->src) && form->src[count] != TYPE_NONE)
		count++;
	if (insn->operand_count != 1 + count)
		return ptx_refuse(d, insn, "%.*s takes %u operands, not %u",
				  (int)insn->opcode.length, insn->opcode.text, 1 + count,
				  insn->operand_count);
	if (!decode_dst(form, d, insn, step))
		return REFUSED;
	for (unsigned int i = 0; i < count; i++) {
		const struct ptx_operand *operand = &insn->operands[1 + i];
		uint8_t type = form->src[i];

		if (type == PTX_FORM_X2 && !check_x2(d, insn, operand))
			return REFUSED;
		if (type == PTX_FORM_BYTE && operand->kind == OPERAND_INT &&
		    !check_byte(d, insn, operand))
			return REFUSED;
		if (type > PTX_FORM_IMM)
			type = type == PTX_FORM_X2 ? TYPE_B32 : TYPE_U32;
		if (type == PTX_FORM_IMM) {
			if (!check_byte(d, insn, operand))
				return REFUSED;
			step->imm = (uint64_t)operand->number;
		} else if (type == TYPE_PRED) {
			if (!ptx_source_pred(d, insn, operand, &step->src[rows++]))
				return REFUSED;
		} else if (!ptx_source_row(d, insn, operand, type, &step->src[rows++])) {
			return REFUSED;
		}
	}
	step->alu = form->alu;
	return DECODED;
}

enum ptx_decoded ptx_alu_decode_forms(const struct ptx_alu_group *groups, unsigned int count,
				      struct ptx_decoder *d, const struct ptx_insn *insn,
				      struct ptx_step *step)
{
	const struct ptx_alu_group *group = groups;

	while (group < groups + count && !in_group(&insn->opcode, group->name))
		group++;
	if (group == groups + count)
		return NOT_MINE;
	if ((group->floats && ends_with_float(insn)) || (group->carry && has_carry(insn)))
		return NOT_MINE;
	for (unsigned int i = 0; i < group->count; i++) {
		if (is_form(&insn->opcode, (unsigned int)strlen(group->name),
			    group->forms[i].modifiers))
			return decode_form(&group->forms[i], d, insn, step);
	}
	return refuse_form(group, d, insn);
}
