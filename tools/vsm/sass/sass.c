// SPDX-License-Identifier: MIT
/*
 * Parses machine code of sm_90. The instructions of the SYNCS unit are forms of operations, in the
 * table of table/form.c. This file adds instructions that compiled code has around them: they move
 * values to registers, have no effect in a scenario, or are a part of a form.
 */
#include <ctype.h>
#include <string.h>

#include "base.h"
#include "insn/lookup.h"
#include "sass/operand.h"
#include "sass/sass.h"

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
 * @operands: Operands, in the notation of table/form.c and
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
