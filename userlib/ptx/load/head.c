// SPDX-License-Identifier: MIT
/*
 * Heads of functions and kernels: parameters and performance directives (PTX ISA, sections 11.2
 * to 11.4).
 */
#include "load/constant.h"
#include "load/directive.h"
#include "load/head.h"
#include "load/name.h"
#include "load/parser.h"
#include "load/token.h"
#include "load/variable.h"
#include "vsm_syntax.h"

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

struct ptx_function *ptx_prototype(struct ptx_parser *p, const char *name,
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
