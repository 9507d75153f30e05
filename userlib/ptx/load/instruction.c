// SPDX-License-Identifier: MIT
/*
 * Instructions: guard, opcode and operands.
 */
#include <string.h>

#include "load/instruction.h"
#include "load/name.h"
#include "load/operand.h"
#include "load/parser.h"
#include "load/token.h"
#include "vsm_syntax.h"

/* Reads @p or @!p. The token is the @. */
static bool read_guard(struct ptx_parser *p, struct ptx_insn *insn)
{
	struct ptx_token place;
	struct ptx_symbol *symbol;
	struct ptx_word *word;

	ptx_next(p);
	insn->guard_not = ptx_take(p, '!');
	place = p->token;
	if (place.kind != TOKEN_WORD)
		return ptx_expected(p, "a predicate");
	word = ptx_word(p, place.text, place.length);
	if (!word)
		return false;
	symbol = word->symbol;
	if (!symbol)
		return ptx_unknown(p, word, place.line, place.column, "predicate");
	if (symbol->kind != SYMBOL_REG ||
	    ((struct ptx_register *)p->regs.items)[symbol->reg].type != TYPE_PRED)
		return ptx_error(p, "the guard '%s' is not a predicate (.reg .pred)", word->text);
	insn->guard = symbol->reg;
	ptx_next(p);
	return true;
}

/* Copies an opcode that has spaces before its dots. */
static bool join_parts(struct ptx_parser *p, struct ptx_insn *insn)
{
	unsigned int i, length = insn->part_count - 1;
	char *text;

	for (i = 0; i < insn->part_count; i++)
		length += insn->parts[i].length;
	text = ptx_new(p, length, 1);
	if (!text)
		return false;
	insn->opcode = (struct ptx_name){ .text = text, .length = length };
	for (i = 0; i < insn->part_count; i++) {
		if (i)
			*text++ = '.';
		memcpy(text, insn->parts[i].text, insn->parts[i].length);
		text += insn->parts[i].length;
	}
	return true;
}

static bool read_opcode(struct ptx_parser *p, struct ptx_insn *insn)
{
	const char *end;

	if (p->token.kind != TOKEN_WORD || p->token.text[0] == '%')
		return ptx_expected(p, "an instruction");
	insn->opcode = (struct ptx_name){ .text = p->token.text };
	do {
		bool dot = p->token.kind == TOKEN_DOTTED;

		if (insn->part_count == PTX_PARTS)
			return ptx_error(p, "the opcode has more than %d parts", PTX_PARTS);
		insn->parts[insn->part_count++] = (struct ptx_name){
			.text = p->token.text + dot, .length = p->token.length - dot,
		};
		insn->opcode.length += p->token.length;
		end = p->token.text + p->token.length;
		ptx_next(p);
	} while (p->token.kind == TOKEN_DOTTED);
	return insn->opcode.text + insn->opcode.length == end || join_parts(p, insn);
}

/* Is it a video instruction: vadd, vadd2, vadd4 and the like? */
static bool is_video(const struct ptx_insn *insn)
{
	static const char *const stems[] = {
		"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vmad", "vset",
		"vavrg",
	};
	struct ptx_name name = insn->parts[0];
	unsigned int i;

	if (name.text[name.length - 1] == '2' || name.text[name.length - 1] == '4')
		name.length--;
	for (i = 0; i < ARRAY_SIZE(stems); i++) {
		if (strlen(stems[i]) == name.length && !memcmp(stems[i], name.text, name.length))
			return true;
	}
	return false;
}

static bool read_operands(struct ptx_parser *p, struct ptx_insn *insn)
{
	bool call = ptx_insn_part_is(insn, 0, "call");
	bool branch = ptx_insn_part_is(insn, 0, "bra");

	p->operands.count = 0;
	p->video = is_video(insn);
	if (!ptx_at(p, ';')) {
		do {
			struct ptx_operand operand, *slot;

			if (branch ? !ptx_branch_operand(p, &operand) :
				     !ptx_operand(p, &operand, call))
				return false;
			slot = ptx_list_add(p, &p->operands, sizeof(*slot));
			if (!slot)
				return false;
			*slot = operand;
		} while (ptx_take(p, ','));
	}
	if (!ptx_at(p, ';'))
		return ptx_expected(p, "',' or ';'");
	insn->operand_count = p->operands.count;
	insn->operands = ptx_operands_keep(p, 0);
	return insn->operands;
}

bool ptx_instruction(struct ptx_parser *p)
{
	struct ptx_insn insn = { .guard = -1, .leader = p->leader, .place = p->source }, *slot;

	insn.place.line = p->token.line;
	insn.place.column = p->token.column;
	if (ptx_at(p, '@') && !read_guard(p, &insn))
		return false;
	if (!read_opcode(p, &insn) || !read_operands(p, &insn))
		return false;
	slot = ptx_list_add(p, &p->insns, sizeof(*slot));
	if (!slot)
		return false;
	*slot = insn;
	p->leader = false;
	return ptx_need(p, ';');
}

bool ptx_insn_part_is(const struct ptx_insn *insn, unsigned int part, const char *text)
{
	return part < insn->part_count && strlen(text) == insn->parts[part].length &&
	       !memcmp(insn->parts[part].text, text, insn->parts[part].length);
}
