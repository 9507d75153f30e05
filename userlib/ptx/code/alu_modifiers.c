// SPDX-License-Identifier: MIT
/*
 * Modifiers and operands of the floating-point instructions.
 */
#include <stdio.h>

#include "code/alu_modifiers.h"

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
