// SPDX-License-Identifier: MIT
/*
 * Heads of functions and kernels: parameters and performance directives (PTX ISA, sections 11.2
 * to 11.4).
 */
#include <string.h>

#include "load/parser.h"

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
			return ptx_count(p, "the number", 0, UINT32_MAX, &number);
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

/* Reads from the return parameters to the performance directives. */
static bool read_head(struct ptx_parser *p, struct ptx_function *function, struct ptx_word **word)
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

struct ptx_function *ptx_prototype(struct ptx_parser *p, const char *name,
				   const struct ptx_token *place)
{
	struct ptx_function *function = ptx_new(p, 1, sizeof(*function));
	struct ptx_word *word;

	if (!function || !read_head(p, function, &word))
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
	slot = ptx_list_add(p, &p->functions, sizeof(*slot));
	if (!symbol->function || !slot)
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
	if (!read_head(p, &head, &word))
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
