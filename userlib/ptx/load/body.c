// SPDX-License-Identifier: MIT
/*
 * Functions: heads, parameters and performance directives (PTX ISA, sections 11.2 to 11.4), scopes,
 * labels, declarations and instructions.
 */
#include <errno.h>
#include <string.h>

#include "load/body.h"
#include "load/operand.h"
#include "load/order.h"
#include "load/variable.h"
#include "vsm_syntax.h"

/* --- instructions --------------------------------------------------------- */

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

/* Makes the opcode of its parts: it has spaces before its dots, or modifiers in another order. */
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
	bool moved;

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
	moved = ptx_order_parts(insn);
	return (!moved && insn->opcode.text + insn->opcode.length == end) || join_parts(p, insn);
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

/* Reads an instruction with its semicolon. The token is its guard or its opcode. */
static bool ptx_instruction(struct ptx_parser *p)
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

/* --- heads ---------------------------------------------------------------- */

/* Reads a parameter. A prototype needs no names. */
static bool read_param(struct ptx_parser *p, bool entry)
{
	struct ptx_declaration declaration = { .space = ptx_space_named(&p->token) };
	struct ptx_variable var = { }, *slot;
	struct ptx_token place;
	uint64_t dims[PTX_MAX_DIMS];
	unsigned int dim_count;
	struct ptx_word *word;

	if (declaration.space != SPACE_PARAM && (entry || declaration.space != SPACE_REG))
		return ptx_expected(p, entry ? "'.param'" : "'.param' or '.reg'");
	ptx_next(p);
	if (!ptx_declaration(p, &declaration))
		return false;
	if (declaration.pointer && !entry)
		return ptx_error(p, ".ptr is for parameters of kernels");
	if (declaration.vector > 1)
		return ptx_error(p, "a parameter cannot be a vector");
	place = p->token;
	word = ptx_word(p, place.kind == TOKEN_WORD ? place.text : "_",
			place.kind == TOKEN_WORD ? place.length : 1);
	if (!word)
		return false;
	if (place.kind == TOKEN_WORD)
		ptx_next(p);
	else if (!ptx_at(p, ',') && !ptx_at(p, ')'))
		return ptx_expected(p, "the name of a parameter");
	if (!ptx_variable_shape(p, &declaration, &var, dims, &dim_count))
		return false;
	if (dim_count && declaration.space == SPACE_REG)
		return ptx_error(p, "a register cannot be an array");
	if (!var.size && (entry || !ptx_at(p, ')')) && declaration.type != TYPE_PRED)
		return ptx_error(p, "only the last parameter of a function may have no size");
	var.name = word->text;
	var.place = (struct ptx_place){ .line = place.line, .column = place.column, .file = -1 };
	var.index = p->params.count;
	slot = ptx_list_add(p, &p->params, sizeof(*slot));
	if (!slot)
		return false;
	*slot = var;
	return true;
}

/* Reads parameters in parentheses. The token is the opening one. */
static bool read_params(struct ptx_parser *p, bool entry, struct ptx_variable **params,
			unsigned int *count)
{
	p->params.count = 0;
	ptx_next(p);
	if (!ptx_at(p, ')')) {
		do {
			if (!read_param(p, entry))
				return false;
		} while (ptx_take(p, ','));
	}
	*count = p->params.count;
	*params = ptx_list_keep(p, &p->params, 0, sizeof(**params));
	return *params && ptx_need(p, ')');
}

/* Reads one to three numbers. Those that are missing are 1. */
static bool read_dims(struct ptx_parser *p, uint32_t dims[3])
{
	unsigned int i = 0;
	uint64_t number;

	dims[1] = 1;
	dims[2] = 1;
	do {
		if (i == 3)
			return ptx_error(p, "there are at most three dimensions");
		if (!ptx_count(p, "the dimension", 1, UINT32_MAX, &number))
			return false;
		dims[i++] = number;
	} while (ptx_take(p, ','));
	return true;
}

/* Performance directives that have one number, which is not used here */
static const char *const ignored[] = {
	".maxnreg", ".minnctapersm", ".maxnctapersm", ".abi_preserve", ".abi_preserve_control",
};

static bool read_ignored(struct ptx_parser *p, bool *known)
{
	uint64_t number;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ignored); i++) {
		*known = ptx_take_word(p, ignored[i]);
		if (*known)
			return ptx_count(p, "a number", 0, UINT32_MAX, &number);
	}
	return true;
}

/* Reads a directive between the head and the body. */
static bool read_performance(struct ptx_parser *p, struct ptx_function *function)
{
	uint64_t number;
	bool ok, known;

	if (ptx_take_word(p, ".noreturn"))
		return function->noreturn = true;
	if (ptx_take_word(p, ".maxntid"))
		return read_dims(p, function->maxntid);
	if (ptx_take_word(p, ".reqntid"))
		return read_dims(p, function->reqntid);
	if (ptx_take_word(p, ".reqnctapercluster"))
		return read_dims(p, function->reqnctapercluster);
	if (ptx_take_word(p, ".explicitcluster"))
		return function->explicitcluster = true;
	if (ptx_take_word(p, ".blocksareclusters"))
		return function->blocksareclusters = true;
	if (ptx_take_word(p, ".maxclusterrank")) {
		if (!ptx_count(p, "the number of CTAs", 1, UINT32_MAX, &number))
			return false;
		function->maxclusterrank = number;
		return true;
	}
	ok = read_ignored(p, &known);
	if (known)
		return ok;
	if (ptx_token_is(&p->token, ".pragma") || ptx_token_is(&p->token, ".loc")) {
		ptx_common_directive(p, &ok);
		return ok;
	}
	return ptx_unknown_directive(p, "between the head of a function and its body");
}

bool ptx_head(struct ptx_parser *p, struct ptx_function *function, struct ptx_word **word)
{
	struct ptx_token place;

	if (ptx_take_word(p, ".attribute") && !ptx_skip_parentheses(p))
		return false;
	if (!function->entry && ptx_at(p, '(') &&
	    !read_params(p, false, &function->returns, &function->return_count))
		return false;
	place = p->token;
	if (place.kind != TOKEN_WORD)
		return ptx_expected(p, "the name of a function");
	*word = ptx_word(p, place.text, place.length);
	if (!*word)
		return false;
	function->name = (*word)->text;
	function->place = (struct ptx_place){
		.line = place.line, .column = place.column, .file = -1,
	};
	ptx_next(p);
	if (ptx_at(p, '(') &&
	    !read_params(p, function->entry, &function->params, &function->param_count))
		return false;
	while (p->token.kind == TOKEN_DOTTED) {
		if (!read_performance(p, function))
			return false;
	}
	return true;
}

/* Reads what follows .callprototype. The result has the name and place of the label. */
static struct ptx_function *ptx_prototype(struct ptx_parser *p, const char *name,
					  const struct ptx_token *place)
{
	struct ptx_function *function = ptx_new(p, 1, sizeof(*function));
	struct ptx_word *word;

	if (!function || !ptx_head(p, function, &word))
		return NULL;
	/* The name of a prototype is _ . Its label is more useful. */
	function->name = name;
	function->place = (struct ptx_place){
		.line = place->line, .column = place->column, .file = -1,
	};
	return function;
}

static bool params_agree(const struct ptx_variable *a, const struct ptx_variable *b,
			 unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (a[i].space != b[i].space || a[i].size != b[i].size || a[i].align != b[i].align)
			return false;
	}
	return true;
}

bool ptx_function_agrees(const struct ptx_function *a, const struct ptx_function *b)
{
	return a->entry == b->entry && a->param_count == b->param_count &&
	       a->return_count == b->return_count &&
	       params_agree(a->params, b->params, a->param_count) &&
	       params_agree(a->returns, b->returns, a->return_count);
}

/* --- bodies --------------------------------------------------------------- */

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
