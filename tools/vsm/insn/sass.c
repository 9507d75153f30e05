// SPDX-License-Identifier: MIT
/*
 * Parses machine code of sm_90. The instructions of the SYNCS unit are forms of operations, in the
 * table of syntax/form.c. This file adds instructions that compiled code has around them: they move
 * values to registers, have no effect in a scenario, or are a part of a form.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "insn/insn.h"
#include "insn/sass.h"

/* --- registers ------------------------------------------------------------ */

static const struct {
	const char *prefix;
	char none;
	int last;
} files[] = {
	[SASS_R] = { "R", 'Z', 254 },
	[SASS_UR] = { "UR", 'Z', 62 },
	[SASS_P] = { "P", 'T', 6 },
	[SASS_UP] = { "UP", 'T', 6 },
};

static void set_name(struct sass_register *reg)
{
	const char *prefix = files[reg->file].prefix;

	if (reg->number < 0)
		snprintf(reg->name, sizeof(reg->name), "%s%c", prefix, files[reg->file].none);
	else
		snprintf(reg->name, sizeof(reg->name), "%s%d", prefix, reg->number);
}

/* Is @word the name of a register of the set @file? Sets @reg, except for its name. */
static bool is_register(struct span word, enum sass_file file, struct sass_register *reg)
{
	size_t length = strlen(files[file].prefix);
	size_t i;

	if (word.length <= length || memcmp(word.text, files[file].prefix, length))
		return false;
	reg->file = file;
	reg->number = -1;
	if (word.length == length + 1 && word.text[length] == files[file].none)
		return true;
	reg->number = 0;
	for (i = length; i < word.length; i++) {
		if (!isdigit((unsigned char)word.text[i]) || i > length + 2)
			return false;
		reg->number = 10 * reg->number + word.text[i] - '0';
	}
	return reg->number <= files[file].last;
}

bool sass_at_register(const struct cursor *c)
{
	struct cursor ahead = *c;

	skip_spaces(&ahead);
	return ahead.at < ahead.end && strchr("RUP", *ahead.at);
}

bool sass_need_register(struct cursor *c, struct sass_register *reg)
{
	struct span word = take_word(c);
	char text[QUOTE_SIZE];
	unsigned int file;

	reg->where = word.text;
	for (file = 0; file < ARRAY_SIZE(files); file++) {
		if (!is_register(word, file, reg))
			continue;
		set_name(reg);
		return true;
	}
	c->at = word.text;
	return error_at(c, word.text,
			"%s is not a register: there are R0 to R254 and RZ, UR0 to UR62 and URZ, P0 to P6 and PT, UP0 to UP6 and UPT",
			found(c, text));
}

/* Has the register the highest number of its set? */
static bool sass_is_last(const struct sass_register *reg)
{
	return reg->number == files[reg->file].last;
}

/* Adds @distance to the number of the register, and changes its name. */
static void sass_move(struct sass_register *reg, int distance)
{
	reg->number += distance;
	set_name(reg);
}

struct span sass_name(const struct sass_register *reg)
{
	return (struct span){ .text = reg->name, .length = strlen(reg->name) };
}

/* --- a line that is being parsed ------------------------------------------ */

/* SYNCS.EXCH.64. It can do more than the PTX operation of which it is a form, mbarrier.init. */
extern const struct ptx_op sass_exch;

/* A line that is being parsed */
struct sass_line {
	struct cursor *c;		/* the cursor */
	struct instruction *insn;	/* the instruction */
	const struct ptx_names *names;	/* names that operands can have */
	char name[QUOTE_SIZE];		/* name of the machine instruction */
	/* Operands of the machine instruction, in the notation of syntax/form.c and sass.c */
	const char *operands;
	unsigned int role;		/* index of the role of the next operand */
	bool red;			/* the name has .RED: there is no result */
	/* Register that is written; for 64 bits, the first of two registers */
	struct sass_register written;
	struct operand *to;		/* destination; NULL if there is none */
};

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

/* Marks the destination as written. To be called last: sources must not see the new value. */
static void sass_write_registers(struct sass_line *l)
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

/* Parses a register or a number. If @uniform, the register must be uniform. */
static bool sass_parse_value(struct sass_line *l, bool uniform, struct operand *operand)
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

/* .L_x_0, also `(.L_x_0) */
static bool sass_parse_label(struct cursor *c)
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

/* Parses the end of the line: scheduling hints in braces and a semicolon. Both are optional. */
static bool sass_parse_end(struct cursor *c)
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

/* All operands. */
static bool sass_parse_operands(struct sass_line *l)
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

/* Parses a guard, @P0 or @!P0, if there is one. */
static bool sass_parse_guard(struct sass_line *l)
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

#define VALUES	{ PTX_VALUE_OUT, PTX_VALUE, PTX_VALUE, PTX_VALUE }

static const struct ptx_op prmt = { .name = "PRMT", .action = PTX_PRMT, .roles = VALUES };
static const struct ptx_op nop = { .name = "NOP", .action = PTX_NOP };
static const struct ptx_op first = {
	.name = "SYNCS.ARRIVE.TRANS64.RED.A0T1", .action = PTX_NOP, .roles = { PTX_SHARED },
};

static const struct ptx_op branch = { .name = "BRA", .action = PTX_BRANCH };
static const struct ptx_op nanosleep = {
	.name = "NANOSLEEP.SYNCS", .action = PTX_SLEEP, .roles = { PTX_HINT },
};

/**
 * struct other - An instruction that is no form of an operation
 * @name: Name
 * @operands: Operands, in the notation of syntax/form.c and
 *	s	a register, uniform or not, or a number
 *	us	a uniform register or a number
 *	-RZ	RZ with a minus sign
 *	half	a number of type .f16, one half of a 32-bit value
 *	SR	a special register
 *	SB	a scoreboard
 *	n	a number
 *	label	the label to which a branch goes
 * @ptx: Opcode of the PTX instruction that does the same; NULL if there is none
 * @op: Operation, if @ptx is NULL
 */
static const struct other {
	const char *name;
	const char *operands;
	const char *ptx;
	const struct ptx_op *op;
} others[] = {
	{ "MOV", "Rd, s", "mov.b32", NULL },
	{ "UMOV", "URd, us", "mov.b32", NULL },
	{ "IMAD.MOV", "Rd, RZ, RZ, s", "mov.b32", NULL },
	{ "IMAD.MOV.U32", "Rd, RZ, RZ, s", "mov.b32", NULL },
	{ "HFMA2.MMA", "Rd, -RZ, RZ, half, half", "mov.b32", NULL },
	{ "S2R", "Rd, SR", "mov.b32", NULL },
	{ "S2UR", "URd, SR", "mov.b32", NULL },
	{ "PRMT", "Rd, s, s, s", NULL, &prmt },
	{ "UPRMT", "URd, us, us, us", NULL, &prmt },
	{ "FENCE.VIEW.ASYNC.S", "", NULL, &nop },
	{ "DEPBAR.LE", "SB, n", NULL, &nop },
	{ "NOP", "", NULL, &nop },
	{ "BRA", "label", NULL, &branch },
	{ "EXIT", "", "exit", NULL },
	{ "NANOSLEEP.SYNCS", "s", NULL, &nanosleep },
	/* These two are one cp.async.mbarrier.arrive. The device executes it at the second. */
	{ "SYNCS.ARRIVE.TRANS64.RED.A0T1", "RZ, [a], RZ", NULL, &first },
	{ "ARRIVES.LDGSTSBAR.64.TRANSCNT", "[a]", "cp.async.mbarrier.arrive", NULL },
};

/* --- names ---------------------------------------------------------------- */

/*
 * Finds the form of a machine instruction. Two spellings are not in the table: every arrive may
 * have .RED, and .A1TR means the same as no suffix.
 */
static bool find_form(struct sass_line *l, struct span name, struct found_form *form,
		      struct form_hint *hint)
{
	static const char red[] = "SYNCS.ARRIVE.TRANS64.RED";
	char plain[QUOTE_SIZE];

	if (span_is(name, "SYNCS.ARRIVE.TRANS64.A1TR") ||
	    span_is(name, "SYNCS.ARRIVE.TRANS64.OPTOUT.A1TR") ||
	    span_is(name, "SYNCS.ARRIVE.TRANS64.RED.A1TR") ||
	    span_is(name, "SYNCS.ARRIVE.TRANS64.RED.OPTOUT.A1TR"))
		name.length -= strlen(".A1TR");
	if (name.length < QUOTE_SIZE && name.length >= sizeof(red) - 1 &&
	    !memcmp(name.text, red, sizeof(red) - 1)) {
		snprintf(plain, sizeof(plain), "SYNCS.ARRIVE.TRANS64%.*s",
			 (int)(name.length - sizeof(red) + 1), name.text + sizeof(red) - 1);
		l->red = strncmp(plain, red, sizeof(red) - 1) &&
			 form_of_machine((struct span){ plain, strlen(plain) }, form, hint);
		if (l->red)
			return true;
	}
	return form_of_machine(name, form, hint);
}

static const struct other *find_other(struct span name, struct nearest *nearest)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (span_is(name, others[i].name))
			return &others[i];
		nearest_try(nearest, others[i].name);
	}
	return NULL;
}

static bool set_other(struct sass_line *l, const struct other *other)
{
	l->operands = other->operands;
	l->insn->opcode.op = other->op;
	return !other->ptx || form_opcode(other->ptx, "", l->insn);
}

static bool find(struct sass_line *l, struct span name, const struct other **other)
{
	struct cursor *c = l->c;
	struct form_hint hint;
	char text[QUOTE_SIZE], nearest[MEANT_SIZE];
	struct found_form form;
	bool has_form = find_form(l, name, &form, &hint);

	snprintf(l->name, sizeof(l->name), "%.*s", (int)name.length, name.text);
	hint.nearest.word = name;
	*other = find_other(name, &hint.nearest);
	if (*other)
		return set_other(l, *other);
	if (!has_form)
		return error_at(c, name.text, "%s is no instruction of sm_90 that vsm knows%s",
				quote(text, name), meant(&hint.nearest, "", nearest));
	l->operands = form_machine_operands(form.form);
	if (!l->operands)
		return error_at(c, name.text,
				"scenarios do not read %s; write it as PTX, for example: %s",
				l->name, form.ptx);
	if (!strcmp(l->name, sass_exch.name)) {
		l->insn->opcode.op = &sass_exch;
		return true;
	}
	return form_opcode(form.ptx, "", l->insn);
}

/* --- lines ---------------------------------------------------------------- */

bool sass_begins(const struct cursor *c)
{
	const char *at = c->at;

	if (at < c->end && *at == '@') {
		at++;
		at += at < c->end && *at == '!';
		return at < c->end && strchr("PU", *at);
	}
	if (at + 1 < c->end && *at == '.')
		return at[1] == 'L';
	return at < c->end && isupper((unsigned char)*at);
}

bool sass_parse(struct cursor *c, struct instruction *insn, const struct ptx_names *names,
		bool tried)
{
	struct sass_line l = { .c = c, .insn = insn, .names = names };
	const struct other *other = NULL;
	struct span name;

	if (!at_end(c) && *c->at == '.') {
		insn->opcode.op = &nop;
		return sass_parse_label(c) && need(c, ':') && need_end(c);
	}
	if (!sass_parse_guard(&l))
		return false;
	name = take_dotted(c);
	if (!find(&l, name, &other))
		return false;
	if (insn->opcode.op == &branch && insn->guard < 0)
		return error_at(c, name.text,
				"a scenario is straight-line: BRA needs a guard, and must not be taken");
	if (insn->opcode.op == &nanosleep && !tried)
		return error_at(c, name.text,
				"NANOSLEEP.SYNCS needs a SYNCS.PHASECHK.TRANS64.TRYWAIT before it");
	if (!sass_parse_operands(&l))
		return false;
	insn->tries = insn->opcode.op->op == DRM_VSM_OP_MBARRIER_TRY_WAIT;
	sass_write_registers(&l);
	ptx_set_mods(insn);
	return true;
}
