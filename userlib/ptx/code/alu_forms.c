// SPDX-License-Identifier: MIT
/* Decoding of instructions by a list of their spellings. */
#include <stdio.h>
#include <string.h>

#include "code/alu_forms.h"

/* --- spellings ------------------------------------------------------------ */

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
	if (group->floats && ends_with_float(insn))
		return NOT_MINE;
	for (unsigned int i = 0; i < group->count; i++) {
		if (is_form(&insn->opcode, (unsigned int)strlen(group->name),
			    group->forms[i].modifiers))
			return decode_form(&group->forms[i], d, insn, step);
	}
	return refuse_form(group, d, insn);
}

/* --- modifiers of floats -------------------------------------------------- */

static const char *const names[] = {
	"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi", "approx", "full", "ftz", "oob",
	"NaN", "xorsign", "abs", "sat", "relu", "satfinite",
};

#define MODIFIERS (sizeof(names) / sizeof(names[0]))
#define EXCLUSIVE (MOD_RND | MOD_RNA | MOD_IRND | MOD_APPROX | MOD_FULL)

/* Room for the names of all modifiers, or of all types. */
struct list {
	char text[256];
};

static void add_name(struct list *list, const char *name)
{
	size_t length = strlen(list->text);

	snprintf(list->text + length, sizeof(list->text) - length, "%s.%s", length ? " " : "",
		 name);
}

static const char *modifier_list(struct list *list, uint32_t modifiers)
{
	list->text[0] = 0;
	for (unsigned int i = 0; i < MODIFIERS; i++)
		if (modifiers & 1u << i)
			add_name(list, names[i]);
	return list->text[0] ? list->text : "no modifiers";
}

enum ptx_type ptx_form_type(const struct ptx_insn *insn, unsigned int part)
{
	if (part >= insn->part_count)
		return TYPE_NONE;
	return ptx_type_named(insn->parts[part].text, insn->parts[part].length);
}

/* The opcode and its types, which identify the form: add.f32, cvt.f16x2.f32. */
static const char *form_name(struct list *list, const struct ptx_insn *insn)
{
	unsigned int i = insn->part_count;

	while (i > 1 && ptx_form_type(insn, i - 1) != TYPE_NONE)
		i--;
	snprintf(list->text, sizeof(list->text), "%.*s", (int)insn->parts[0].length,
		 insn->parts[0].text);
	for (; i < insn->part_count; i++) {
		size_t length = strlen(list->text);

		snprintf(list->text + length, sizeof(list->text) - length, ".%.*s",
			 (int)insn->parts[i].length, insn->parts[i].text);
	}
	return list->text;
}

static uint32_t modifier_named(const struct ptx_insn *insn, unsigned int part)
{
	for (unsigned int i = 0; i < MODIFIERS; i++)
		if (ptx_insn_part_is(insn, part, names[i]))
			return 1u << i;
	return 0;
}

bool ptx_form_modifiers(struct ptx_decoder *d, const struct ptx_insn *insn, unsigned int first,
			unsigned int last, uint32_t takes, uint32_t needs, uint32_t *modifiers)
{
	struct list form, list;

	*modifiers = 0;
	for (unsigned int i = first; i < last; i++) {
		uint32_t modifier = modifier_named(insn, i);

		if (!(modifier & takes)) {
			ptx_refuse(d, insn, "%s does not take .%.*s; it takes %s",
				   form_name(&form, insn), (int)insn->parts[i].length,
				   insn->parts[i].text, modifier_list(&list, takes));
			return false;
		}
		if ((*modifiers & modifier) ||
		    ((*modifiers & EXCLUSIVE) && (modifier & EXCLUSIVE))) {
			ptx_refuse(d, insn, "%s: .%.*s does not go together with .%.*s",
				   form_name(&form, insn), (int)insn->parts[i].length,
				   insn->parts[i].text, (int)insn->parts[i - 1].length,
				   insn->parts[i - 1].text);
			return false;
		}
		*modifiers |= modifier;
	}
	if (needs && !(*modifiers & needs)) {
		ptx_refuse(d, insn, "%s needs one of %s", form_name(&form, insn),
			   modifier_list(&list, needs));
		return false;
	}
	return true;
}

enum ptx_decoded ptx_form_refuse_type(struct ptx_decoder *d, const struct ptx_insn *insn,
				      uint32_t types)
{
	struct list list = { "" };

	for (unsigned int type = 0; type < TYPES; type++)
		if (types & TYPE_BIT(type))
			add_name(&list, ptx_type_name(type));
	return ptx_refuse(d, insn, "%.*s does not take this type; it takes %s",
			  (int)insn->opcode.length, insn->opcode.text, list.text);
}

bool ptx_form_operands(struct ptx_decoder *d, const struct ptx_insn *insn, unsigned int count)
{
	struct list form;

	if (insn->operand_count == count)
		return true;
	ptx_refuse(d, insn, "%s has %u operands, not %u", form_name(&form, insn), count,
		   insn->operand_count);
	return false;
}

enum ptx_round ptx_form_round(uint32_t modifiers)
{
	if (modifiers & (MOD_RZ | MOD_RZI))
		return ROUND_ZERO;
	if (modifiers & (MOD_RM | MOD_RMI))
		return ROUND_DOWN;
	if (modifiers & (MOD_RP | MOD_RPI))
		return ROUND_UP;
	return modifiers & MOD_RNA ? ROUND_AWAY : ROUND_NEAREST;
}
