// SPDX-License-Identifier: MIT
/*
 * Bodies of functions: scopes, labels, declarations and instructions.
 */
#include <errno.h>

#include "load/body.h"
#include "load/directive.h"
#include "load/head.h"
#include "load/inlined.h"
#include "load/instruction.h"
#include "load/name.h"
#include "load/operand.h"
#include "load/parser.h"
#include "load/token.h"
#include "load/variable.h"

/*
 * Resolves the branches of a scope whose label is in the scope, before the scope is closed. The
 * others are left to the scope around it.
 */
static void resolve(struct ptx_parser *p)
{
	unsigned int kept = p->names.scopes[p->names.scope].branches;
	struct ptx_branch *branches = p->branches.items;
	unsigned int i;

	for (i = kept; i < p->branches.count; i++) {
		struct ptx_operand *operand = branches[i].operand;
		const struct ptx_symbol *symbol = branches[i].word->symbol;
		bool here = symbol && symbol->scope == p->names.scope;

		/* A target in a list must not be a list: it could contain itself. */
		if (!here || (symbol->kind != SYMBOL_LABEL &&
			      (symbol->kind != SYMBOL_TABLE || branches[i].label))) {
			branches[kept++] = branches[i];
			continue;
		}
		if (!operand)
			continue;
		if (symbol->kind == SYMBOL_LABEL)
			operand->label = symbol->label;
		else
			ptx_table_operand(operand, symbol);
	}
	p->branches.count = kept;
}

static void report_unresolved(struct ptx_parser *p)
{
	struct ptx_branch *branches = p->branches.items;
	unsigned int i;

	for (i = 0; i < p->branches.count; i++) {
		if (branches[i].operand)
			ptx_unknown(p, branches[i].word, branches[i].line, branches[i].column,
				    branches[i].what);
	}
	p->branches.count = 0;
}

static struct ptx_symbol *table_declare(struct ptx_parser *p, struct ptx_word *word,
					const struct ptx_token *place)
{
	struct ptx_symbol *symbol = ptx_declare(p, word, SYMBOL_TABLE, place);

	if (!symbol)
		return NULL;
	symbol->table = ptx_new(p, 1, sizeof(*symbol->table));
	if (!symbol->table)
		return NULL;
	symbol->table->reg = -1;
	symbol->table->component = -1;
	return symbol;
}

/* Makes the targets that were read a list of the function, and @operand its name. */
static bool table_keep(struct ptx_parser *p, struct ptx_operand *operand)
{
	struct ptx_table *table = ptx_new(p, 1, sizeof(*table)), **slot;

	if (!table)
		return false;
	table->count = p->operands.count;
	table->elements = ptx_operands_keep(p, 0);
	slot = table->elements ? ptx_list_add(p, &p->tables, sizeof(*slot)) : NULL;
	if (!slot)
		return false;
	table->index = p->tables.count - 1;
	*slot = table;
	operand->kind = OPERAND_TABLE;
	operand->table = table;
	return true;
}

/* Reads the names behind .branchtargets or .calltargets. */
static bool read_targets(struct ptx_parser *p, struct ptx_word *word,
			 const struct ptx_token *place, bool calls)
{
	struct ptx_symbol *symbol = table_declare(p, word, place);

	if (!symbol)
		return false;
	p->operands.count = 0;
	do {
		struct ptx_token name = p->token;
		struct ptx_operand target, *slot;

		if (calls ? !ptx_operand(p, &target, false) : !ptx_branch_operand(p, &target))
			return false;
		if (calls && target.kind != OPERAND_FUNCTION)
			return ptx_error_at(p, name.line, name.column,
					    "expected the name of a function that is declared");
		slot = ptx_list_add(p, &p->operands, sizeof(*slot));
		if (!slot)
			return false;
		*slot = target;
	} while (ptx_take(p, ','));
	return table_keep(p, symbol->table) && ptx_need(p, ';');
}

static bool read_prototype(struct ptx_parser *p, struct ptx_word *word,
			   const struct ptx_token *place)
{
	struct ptx_symbol *symbol = table_declare(p, word, place);

	if (!symbol)
		return false;
	symbol->table->kind = OPERAND_FUNCTION;
	symbol->table->function = ptx_prototype(p, word->text, place);
	return symbol->table->function && ptx_need(p, ';');
}

/* Reads a label, and what .branchtargets and the like say about it. The token is its name. */
static bool read_label(struct ptx_parser *p)
{
	struct ptx_word *word = ptx_word(p, p->token.text, p->token.length);
	struct ptx_token place = p->token;
	struct ptx_symbol *symbol;

	if (!word)
		return false;
	ptx_next(p);
	if (!ptx_need(p, ':'))
		return false;
	if (ptx_take_word(p, ".branchtargets"))
		return read_targets(p, word, &place, false);
	if (ptx_take_word(p, ".calltargets"))
		return read_targets(p, word, &place, true);
	if (ptx_take_word(p, ".callprototype"))
		return read_prototype(p, word, &place);
	symbol = ptx_declare(p, word, SYMBOL_LABEL, &place);
	if (!symbol)
		return false;
	symbol->label = p->insns.count;
	p->leader = true;
	return true;
}

static bool read_directive(struct ptx_parser *p)
{
	enum ptx_linkage linkage;
	bool ok;

	if (ptx_token_is(&p->token, ".reg"))
		return ptx_registers(p);
	if (ptx_common_directive(p, &ok))
		return ok;
	linkage = ptx_linkage(p);
	if (ptx_space_named(&p->token) != SPACE_GENERIC)
		return ptx_variables(p, linkage);
	return ptx_unknown_directive(p, "in a function");
}

static bool read_statement(struct ptx_parser *p)
{
	if (ptx_at(p, '{')) {
		if (!ptx_scope_open(p)) {
			/* The braces no longer match: go no further. */
			p->error = p->error ? p->error : -EINVAL;
			return false;
		}
		ptx_next(p);
		return true;
	}
	if (p->token.kind == TOKEN_WORD && ptx_next_is(p, ':'))
		return read_label(p);
	return p->token.kind == TOKEN_DOTTED ? read_directive(p) : ptx_instruction(p);
}

/* The token is the closing brace of the body. */
static void set_end(const struct ptx_parser *p, struct ptx_function *function)
{
	function->end = p->source;
	function->end.line = p->token.line;
	function->end.column = p->token.column;
}

static bool finish(struct ptx_parser *p, struct ptx_function *function)
{
	report_unresolved(p);
	function->reg_count = p->regs.count;
	function->regs = ptx_list_keep(p, &p->regs, 0, sizeof(*function->regs));
	function->local_count = p->locals.count;
	function->locals = ptx_list_keep(p, &p->locals, 0, sizeof(*function->locals));
	function->table_count = p->tables.count;
	function->tables = ptx_list_keep(p, &p->tables, 0, sizeof(*function->tables));
	function->insn_count = p->insns.count;
	function->insns = ptx_list_keep(p, &p->insns, 0, sizeof(*function->insns));
	return !p->error;
}

bool ptx_body(struct ptx_parser *p, struct ptx_function *function)
{
	p->source = (struct ptx_place){ .file = -1 };
	ptx_inlined_begin(p);
	p->leader = false;
	while (p->token.kind != TOKEN_END) {
		if (!ptx_at(p, '}')) {
			if (!read_statement(p))
				ptx_recover(p);
			continue;
		}
		set_end(p, function);
		ptx_next(p);
		resolve(p);
		if (p->names.scope == PTX_SCOPE_FUNCTION)
			return finish(p, function);
		ptx_scope_close(p);
	}
	while (p->names.scope > PTX_SCOPE_FUNCTION)
		ptx_scope_close(p);
	return ptx_expected(p, "'}' at the end of the function");
}
