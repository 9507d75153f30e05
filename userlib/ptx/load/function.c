// SPDX-License-Identifier: MIT
/*
 * Functions and kernels.
 */
#include <string.h>

#include "load/body.h"
#include "load/function.h"
#include "load/head.h"
#include "load/name.h"
#include "load/parser.h"
#include "load/token.h"
#include "load/variable.h"

/* Makes the parameters known in the body. */
static bool declare_params(struct ptx_parser *p, struct ptx_variable *params, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct ptx_token place = {
			.line = params[i].place.line, .column = params[i].place.column,
		};
		struct ptx_word *word = ptx_word(p, params[i].name, strlen(params[i].name));
		struct ptx_symbol *symbol;
		bool reg = params[i].space == SPACE_REG;

		if (!word)
			return false;
		if (word->length == 1 && word->text[0] == '_' && !reg)
			continue;
		symbol = ptx_declare(p, word, reg ? SYMBOL_REG : SYMBOL_VARIABLE, &place);
		if (!symbol)
			return false;
		symbol->var = &params[i];
		if (!reg)
			continue;
		symbol->reg = ptx_register_add(p, word->text, params[i].type, 1);
		if (symbol->reg < 0)
			return false;
		params[i].address = symbol->reg;
	}
	return true;
}

/* Reads the body. The token is the opening brace. */
static bool read_body(struct ptx_parser *p, struct ptx_function *function)
{
	bool done;

	if (!ptx_scope_open(p))
		return false;
	p->regs.count = 0;
	p->locals.count = 0;
	p->tables.count = 0;
	p->insns.count = 0;
	p->branches.count = 0;
	declare_params(p, function->returns, function->return_count);
	declare_params(p, function->params, function->param_count);
	function->defined = true;
	ptx_next(p);
	done = ptx_body(p, function);
	ptx_scope_close(p);
	return done;
}

/* Finds the function that the head declares, or adds it. */
static struct ptx_function *function_find(struct ptx_parser *p, struct ptx_word *word,
					  const struct ptx_function *head)
{
	struct ptx_token place = { .line = head->place.line, .column = head->place.column };
	struct ptx_symbol *symbol = word->symbol;
	struct ptx_function **slot;

	if (symbol && symbol->kind == SYMBOL_FUNCTION) {
		if (ptx_at(p, '{') && symbol->function->defined)
			ptx_error_at(p, place.line, place.column,
				     "'%s' has a body in line %u already", head->name,
				     symbol->function->place.line);
		else if (!ptx_function_agrees(symbol->function, head))
			ptx_error_at(p, place.line, place.column,
				     "'%s' is declared differently in line %u", head->name,
				     symbol->line);
		else
			return symbol->function;
		return NULL;
	}
	symbol = ptx_declare(p, word, SYMBOL_FUNCTION, &place);
	if (!symbol)
		return NULL;
	symbol->function = ptx_new(p, 1, sizeof(*head));
	slot = symbol->function ? ptx_list_add(p, &p->functions, sizeof(*slot)) : NULL;
	if (!slot)
		return NULL;
	*symbol->function = *head;
	*slot = symbol->function;
	return symbol->function;
}

bool ptx_function(struct ptx_parser *p)
{
	struct ptx_function head = { .entry = ptx_token_is(&p->token, ".entry") }, *function;
	struct ptx_word *word;

	ptx_next(p);
	if (!ptx_head(p, &head, &word))
		return false;
	if (!ptx_at(p, '{') && !ptx_at(p, ';'))
		return ptx_expected(p, "'{' or ';'");
	function = function_find(p, word, &head);
	if (!function)
		return false;
	if (ptx_take(p, ';'))
		return true;
	*function = head;
	return read_body(p, function);
}
