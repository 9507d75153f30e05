// SPDX-License-Identifier: MIT
/*
 * Parses operands of machine code.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "insn/lookup.h"
#include "sass/operand.h"

const struct ptx_op sass_exch = {
	.name = "SYNCS.EXCH.64", .action = PTX_EXCH,
	.roles = { PTX_STATE_OUT, PTX_SHARED, PTX_STATE },
};

/* --- registers ------------------------------------------------------------ */

static bool is_pair(const struct operand *operand)
{
	return operand->role == PTX_STATE_OUT || operand->role == PTX_STATE;
}

static bool wrong_register(struct sass_line *l, const struct sass_register *reg, const char *wanted)
{
	return error_at(l->c, reg->where, "%s takes %s here, not %s; the form is %s %s", l->name,
			wanted, reg->name, l->name, l->operands);
}

static bool check_file(struct sass_line *l, const struct sass_register *reg, enum sass_file file)
{
	static const char *const wanted[] = {
		[SASS_R] = "a register R... or RZ",
		[SASS_UR] = "a uniform register UR... or URZ",
		[SASS_P] = "a predicate P... or PT",
		[SASS_UP] = "a predicate UP... or UPT",
	};

	return reg->file == file || wrong_register(l, reg, wanted[file]);
}

static int read_register(struct sass_line *l, const struct sass_register *reg)
{
	return l->names->read(l->names->parser, l->c, reg->where, sass_name(reg));
}

/* A pair of 64 bits is a register with an even number and the register with the next number. */
static bool check_pair(struct sass_line *l, const struct sass_register *reg)
{
	if (reg->number % 2)
		return error_at(l->c, reg->where,
				"%s has 64 bits: they begin in a register with an even number, not in %s",
				l->name, reg->name);
	return !sass_is_last(reg) ||
	       error_at(l->c, reg->where, "%s has 64 bits: there is no register behind %s",
			l->name, reg->name);
}

static bool read_pair(struct sass_line *l, struct sass_register *reg, struct operand *operand)
{
	if (!check_pair(l, reg))
		return false;
	operand->reg = read_register(l, reg);
	sass_move(reg, 1);
	operand->second = read_register(l, reg);
	return operand->reg >= 0 && operand->second >= 0;
}

/*
 * SYNCS.PHASECHK reads one register: the upper half of a state, or a register whose highest bit is
 * a parity. It is a state if an arrive has written the register and the register before it.
 */
static bool read_phase(struct sass_line *l, struct sass_register *reg, struct operand *operand)
{
	const struct ptx_names *n = l->names;
	char opcode[48];

	operand->reg = read_register(l, reg);
	if (operand->reg < 0)
		return false;
	if (reg->number % 2 && n->holds(n->parser, operand->reg) == HOLDS_STATE_HIGH) {
		sass_move(reg, -1);
		operand->second = operand->reg;
		operand->reg = read_register(l, reg);
		if (operand->reg < 0)
			return false;
		if (n->holds(n->parser, operand->reg) == HOLDS_STATE_LOW)
			return true;
		operand->reg = operand->second;
		operand->second = -1;
	}
	operand->role = PTX_PARITY;
	operand->shift = 31;
	snprintf(opcode, sizeof(opcode), "%s.parity", l->insn->opcode.op->name);
	return form_opcode(opcode, "", l->insn);
}

static bool read_zero(struct sass_line *l, struct operand *operand)
{
	char opcode[48];

	operand->kind = OPERAND_NUMBER;
	if (l->insn->opcode.op->action != PTX_EXEC || operand->role != PTX_STATE)
		return true;
	operand->role = PTX_PARITY;
	snprintf(opcode, sizeof(opcode), "%s.parity", l->insn->opcode.op->name);
	return form_opcode(opcode, "", l->insn);
}

static bool read_source(struct sass_line *l, struct sass_register *reg, struct operand *operand)
{
	if (reg->number < 0)
		return read_zero(l, operand);
	operand->kind = OPERAND_REGISTER;
	operand->bits = 32;
	if (is_pair(operand))
		return l->insn->opcode.op == &sass_exch ? read_pair(l, reg, operand) :
					      read_phase(l, reg, operand);
	operand->reg = read_register(l, reg);
	return operand->reg >= 0;
}

static bool parse_destination(struct sass_line *l, enum sass_file file, struct operand *operand)
{
	struct sass_register reg;

	if (!sass_need_register(l->c, &reg) || !check_file(l, &reg, file))
		return false;
	if (reg.number < 0) {
		operand->kind = l->red ? OPERAND_SINK : OPERAND_NONE;
		return true;
	}
	if (l->red)
		return wrong_register(l, &reg, "RZ, because .RED returns nothing");
	if (is_pair(operand) && !check_pair(l, &reg))
		return false;
	operand->kind = OPERAND_REGISTER;
	operand->bits = file == SASS_P ? 1 : 32;
	l->written = reg;
	l->to = operand;
	return true;
}

void sass_write_registers(struct sass_line *l)
{
	const struct ptx_names *n = l->names;
	bool state = l->to && is_pair(l->to) && l->insn->opcode.op != &sass_exch;
	bool guarded = l->insn->guard >= 0;

	if (!l->to)
		return;
	l->to->reg = n->write(n->parser, sass_name(&l->written),
			      state ? HOLDS_STATE_LOW : holds_bits(l->to->bits), guarded);
	if (!is_pair(l->to))
		return;
	sass_move(&l->written, 1);
	l->to->second = n->write(n->parser, sass_name(&l->written),
				 state ? HOLDS_STATE_HIGH : HOLDS_32, guarded);
}

/* --- operands ------------------------------------------------------------- */

/* Parses an address: [R2], [UR4], [R2+UR4+0x10] or [0x40]. */
static bool parse_address(struct sass_line *l, struct operand *operand)
{
	struct cursor *c = l->c;

	if (!need(c, '['))
		return false;
	operand->kind = OPERAND_ADDRESS;
	do {
		struct sass_register reg;
		uint64_t number;
		int *to;

		if (at_number(c)) {
			if (!need_number(c, "an address", UINT32_MAX, &number))
				return false;
			operand->number += number;
			continue;
		}
		if (!sass_need_register(c, &reg))
			return false;
		if (reg.file != SASS_R && reg.file != SASS_UR)
			return error_at(c, reg.where, "a predicate is not an address");
		if (reg.number < 0)
			continue;
		to = operand->reg < 0 ? &operand->reg : &operand->second;
		if (*to >= 0)
			return error_at(c, reg.where, "an address has at most two registers");
		*to = read_register(l, &reg);
		if (*to < 0)
			return false;
	} while (take(c, '+'));
	return need(c, ']');
}

/* Parses RZ, or -RZ if @minus, in the place of an operand that the operation does not have. */
static bool parse_nothing(struct sass_line *l, bool minus)
{
	struct sass_register reg;

	if (minus && !need(l->c, '-'))
		return false;
	return sass_need_register(l->c, &reg) &&
	       ((reg.file == SASS_R && reg.number < 0) || wrong_register(l, &reg, "RZ"));
}

bool sass_parse_value(struct sass_line *l, bool uniform, struct operand *operand)
{
	struct sass_register reg;

	if (at_number(l->c)) {
		operand->kind = OPERAND_NUMBER;
		return need_number(l->c, "a number", UINT32_MAX, &operand->number);
	}
	if (!sass_need_register(l->c, &reg))
		return false;
	if (reg.file != SASS_UR && (uniform || reg.file != SASS_R))
		return wrong_register(l, &reg, uniform ? "a uniform register or a number" :
							 "a register or a number");
	return read_source(l, &reg, operand);
}

static bool parse_register(struct sass_line *l, enum sass_file file, struct operand *operand)
{
	struct sass_register reg;

	return sass_need_register(l->c, &reg) && check_file(l, &reg, file) &&
	       read_source(l, &reg, operand);
}

/*
 * Parses a number of type .f16. Its bits become the lower half of the operand, and what the operand
 * had before becomes the upper half.
 */
static bool parse_half(struct sass_line *l, struct operand *operand)
{
	char text[QUOTE_SIZE], digits[QUOTE_SIZE];
	struct span number;
	_Float16 half;
	uint16_t bits;
	char *end;

	skip_spaces(l->c);
	snprintf(digits, sizeof(digits), "%.*s", (int)(l->c->end - l->c->at), l->c->at);
	digits[strspn(digits, "0123456789.eE+-")] = '\0';
	half = strtod(digits, &end);
	if (end == digits)
		return error_at(l->c, l->c->at, "expected a number of type .f16, found %s",
				found(l->c, text));
	number = (struct span){ .text = l->c->at, .length = end - digits };
	if (isinf(half))
		return error_at(l->c, number.text, "%s is too large for a number of type .f16",
				quote(text, number));
	l->c->at += number.length;
	memcpy(&bits, &half, sizeof(bits));
	operand->kind = OPERAND_NUMBER;
	operand->number = operand->number << 16 | bits;
	return true;
}

static bool parse_special(struct sass_line *l, struct operand *operand)
{
	static const struct {
		const char *name;
		enum special special;
	} specials[] = {
		{ "SR_CgaCtaId", PTX_CTARANK },
		{ "SR_LANEID", PTX_LANEID },
		{ "SR_TID.X", PTX_TID },
	};
	struct span word = take_word(l->c);
	char text[QUOTE_SIZE];
	unsigned int i;

	if (span_is(word, "SR_TID") && l->c->end - l->c->at >= 2 && !memcmp(l->c->at, ".X", 2)) {
		l->c->at += 2;
		word.length += 2;
	}
	for (i = 0; i < ARRAY_SIZE(specials); i++) {
		if (!span_is(word, specials[i].name))
			continue;
		operand->kind = OPERAND_SPECIAL;
		operand->number = specials[i].special;
		return true;
	}
	l->c->at = word.text;
	return error_at(l->c, word.text, "expected SR_CgaCtaId, SR_LANEID or SR_TID.X, found %s",
			found(l->c, text));
}

/* Parses a scoreboard, SB0 to SB5. Scoreboards have no meaning in a scenario. */
static bool parse_scoreboard(struct sass_line *l)
{
	struct span word = take_word(l->c);
	char text[QUOTE_SIZE];

	if (word.length == 3 && !memcmp(word.text, "SB", 2) && word.text[2] >= '0' &&
	    word.text[2] <= '5')
		return true;
	l->c->at = word.text;
	return error_at(l->c, word.text, "expected a scoreboard, SB0 to SB5, found %s",
			found(l->c, text));
}

bool sass_parse_label(struct cursor *c)
{
	bool quoted = take(c, '`');
	struct span word;

	if ((quoted && !need(c, '(')) || !need(c, '.'))
		return false;
	word = take_word(c);
	return (word.length || error_at(c, c->at, "expected the name of a label")) &&
	       (!quoted || need(c, ')'));
}

static bool parse_number(struct cursor *c)
{
	uint64_t number;

	return need_number(c, "a number", UINT32_MAX, &number);
}

/* Parses one operand. @what is its notation in the table of instructions, such as Rd or [a]. */
static bool parse_operand(struct sass_line *l, struct span what)
{
	struct instruction *insn = l->insn;
	uint8_t role;

	if (span_is(what, "RZ") && l->role)
		return parse_nothing(l, false);
	if (span_is(what, "-RZ"))
		return parse_nothing(l, true);
	if (span_is(what, "half") && l->role > 1)
		return parse_half(l, &insn->operands[insn->count - 1]);
	if (span_is(what, "SB"))
		return parse_scoreboard(l);
	if (span_is(what, "n"))
		return parse_number(l->c);
	if (span_is(what, "label"))
		return sass_parse_label(l->c);
	/* An operation that only exists with .RED has no result: RZ is in its place. */
	if (span_is(what, "RZ") && insn->opcode.op->roles[0] != PTX_STATE_OUT)
		return parse_nothing(l, false);

	role = insn->opcode.op->roles[l->role++];
	instruction_add(insn, role);
	switch (what.text[0]) {
	case '[':
		return parse_address(l, &insn->operands[insn->count - 1]);
	case 'P':
		return parse_destination(l, SASS_P, &insn->operands[insn->count - 1]);
	case 'R':
		if (!span_is(what, "Rs"))
			return parse_destination(l, SASS_R, &insn->operands[insn->count - 1]);
		return parse_register(l, SASS_R, &insn->operands[insn->count - 1]);
	case 'U':
		if (!span_is(what, "URs"))
			return parse_destination(l, SASS_UR, &insn->operands[insn->count - 1]);
		return parse_register(l, SASS_UR, &insn->operands[insn->count - 1]);
	case 'S':
		return parse_special(l, &insn->operands[insn->count - 1]);
	case 'h':
		return parse_half(l, &insn->operands[insn->count - 1]);
	default:
		return sass_parse_value(l, what.text[0] == 'u', &insn->operands[insn->count - 1]);
	}
}

bool sass_parse_end(struct cursor *c)
{
	/* {!1,+1.W} */
	if (take(c, '{')) {
		while (c->at < c->end && *c->at != '}')
			c->at++;
		if (!need(c, '}'))
			return false;
	}
	take(c, ';');
	return need_end(c);
}

bool sass_parse_operands(struct sass_line *l)
{
	const char *next = l->operands;
	bool first = true;

	while (*next) {
		struct span what = { .text = next, .length = strcspn(next, ",") };

		if (at_end(l->c) || *l->c->at == ';' || *l->c->at == '{')
			return error_at(l->c, l->c->at, "%s lacks an operand; the form is %s %s",
					l->name, l->name, l->operands);
		if (!first && !need(l->c, ','))
			return false;
		first = false;
		if (!parse_operand(l, what))
			return false;
		next += what.length;
		next += strspn(next, ", ");
	}
	if (!at_end(l->c) && *l->c->at == ',')
		return error_at(l->c, l->c->at, "%s has too many operands; the form is %s %s",
				l->name, l->name, l->operands);
	return sass_parse_end(l->c);
}

bool sass_parse_guard(struct sass_line *l)
{
	struct sass_register reg;

	if (!take(l->c, '@'))
		return true;
	l->insn->unless = take(l->c, '!');
	if (!sass_need_register(l->c, &reg))
		return false;
	if (reg.number < 0 || reg.file == SASS_R || reg.file == SASS_UR)
		return error_at(l->c, reg.where, "a guard is a predicate, P0 to P6 or UP0 to UP6");
	l->insn->guard = read_register(l, &reg);
	return l->insn->guard >= 0;
}
