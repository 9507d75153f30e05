// SPDX-License-Identifier: MIT
/*
 * Declarations of variables and registers (PTX ISA, section 5.4).
 */
#include <string.h>

#include "load/constant.h"
#include "load/directive.h"
#include "load/init.h"
#include "load/name.h"
#include "load/parser.h"
#include "load/token.h"
#include "load/variable.h"
#include "vsm_syntax.h"

enum ptx_space ptx_space_named(const struct ptx_token *token)
{
	static const struct {
		const char *name;
		enum ptx_space space;
	} spaces[] = {
		{ ".reg", SPACE_REG }, { ".global", SPACE_GLOBAL }, { ".shared", SPACE_SHARED },
		{ ".local", SPACE_LOCAL }, { ".const", SPACE_CONST }, { ".param", SPACE_PARAM },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(spaces); i++) {
		if (ptx_token_is(token, spaces[i].name))
			return spaces[i].space;
	}
	return SPACE_GENERIC;
}

static bool read_align(struct ptx_parser *p, uint32_t *align)
{
	struct ptx_token place = p->token;
	uint64_t number;

	if (!ptx_count(p, "the alignment", 1, PTX_MAX_ALIGN, &number))
		return false;
	if (number & (number - 1))
		return ptx_error_at(p, place.line, place.column,
				    "the alignment must be a power of two");
	*align = number;
	return true;
}

/* Reads what follows .ptr. */
static bool read_pointer(struct ptx_parser *p, struct ptx_declaration *declaration)
{
	declaration->pointer = true;
	/* The alignment that PTX assumes if none is given */
	declaration->pointee_align = 4;
	if (ptx_space_named(&p->token) != SPACE_GENERIC || ptx_token_is(&p->token, ".generic"))
		ptx_next(p);
	return !ptx_take_word(p, ".align") || read_align(p, &declaration->pointee_align);
}

static bool read_type(struct ptx_parser *p, struct ptx_declaration *declaration)
{
	enum ptx_type type = ptx_type_named(p->token.text + 1, p->token.length - 1);
	bool opaque = ptx_token_is(&p->token, ".texref") ||
		      ptx_token_is(&p->token, ".samplerref") ||
		      ptx_token_is(&p->token, ".surfref");
	char text[QUOTE_SIZE];

	/* A texture, sampler or surface: code/ refuses every instruction that uses it. */
	if (opaque && (declaration->space == SPACE_GLOBAL || declaration->space == SPACE_PARAM)) {
		declaration->opaque = true;
		type = TYPE_B64;
	}

	if (type == TYPE_NONE)
		return ptx_error(p, "unknown type or attribute %s",
				 quote(text, ptx_token_span(&p->token)));
	if (declaration->type != TYPE_NONE)
		return ptx_error(p, "the declaration has two types: .%s and .%s",
				 ptx_type_name(declaration->type), ptx_type_name(type));
	declaration->type = type;
	ptx_next(p);
	return true;
}

bool ptx_declaration(struct ptx_parser *p, struct ptx_declaration *declaration)
{
	declaration->vector = 1;
	while (p->token.kind == TOKEN_DOTTED) {
		bool done = true;

		if (ptx_take_word(p, ".align"))
			done = read_align(p, &declaration->align);
		else if (ptx_take_word(p, ".attribute"))
			done = ptx_skip_parentheses(p);
		else if (ptx_take_word(p, ".ptr"))
			done = read_pointer(p, declaration);
		else if (ptx_take_word(p, ".v2"))
			declaration->vector = 2;
		else if (ptx_take_word(p, ".v4"))
			declaration->vector = 4;
		else if (ptx_take_word(p, ".v8"))
			declaration->vector = 8;
		else
			done = read_type(p, declaration);
		if (!done)
			return false;
	}
	if (declaration->type == TYPE_NONE)
		return ptx_expected(p, "a type such as .b32");
	if (declaration->type == TYPE_PRED && declaration->space != SPACE_REG)
		return ptx_error(p, "a predicate must be a register (.reg .pred)");
	if (declaration->vector > 1 &&
	    (declaration->type == TYPE_PRED ||
	     declaration->vector * ptx_type_size(declaration->type) > 32))
		return ptx_error(p, ".v%u .%s is not a vector type", declaration->vector,
				 ptx_type_name(declaration->type));
	return true;
}

static bool multiply_size(struct ptx_parser *p, uint64_t *size, uint64_t by)
{
	if (__builtin_mul_overflow(*size, by, size) || *size > PTX_MAX_SIZE)
		return ptx_error(p, "the variable is larger than %llu bytes", PTX_MAX_SIZE);
	return true;
}

bool ptx_variable_shape(struct ptx_parser *p, const struct ptx_declaration *declaration,
			struct ptx_variable *var, uint64_t *dims, unsigned int *dim_count)
{
	uint64_t size = ptx_type_size(declaration->type) * declaration->vector;
	unsigned int count = 0;

	var->space = declaration->space;
	var->type = declaration->type;
	var->opaque = declaration->opaque;
	var->pointee_align = declaration->pointee_align;
	var->align = declaration->align > size ? declaration->align : size;
	while (ptx_take(p, '[')) {
		/* A vector needs a dimension, too. */
		if (count == PTX_MAX_DIMS - 1)
			return ptx_error(p, "an array may have at most %d dimensions",
					 PTX_MAX_DIMS - 1);
		dims[count] = 0;
		if ((count || !ptx_at(p, ']')) &&
		    (!ptx_count(p, "the dimension", 1, PTX_MAX_SIZE, &dims[count]) ||
		     !multiply_size(p, &size, dims[count])))
			return false;
		if (!ptx_need(p, ']'))
			return false;
		count++;
	}
	var->size = count && !dims[0] ? 0 : size;
	if (declaration->vector > 1)
		dims[count++] = declaration->vector;
	*dim_count = count;
	return true;
}

/* Is this a declaration of a variable that was .extern before, or the other way round? */
static bool redeclares(const struct ptx_variable *old, const struct ptx_variable *var)
{
	return (old->external || var->external) && old->space == var->space &&
	       old->type == var->type &&
	       (old->size == var->size || !old->size || !var->size);
}

/*
 * Makes the variable known. If it was declared .extern before, *@result is the old one, which takes
 * over what the new declaration says.
 */
static bool variable_add(struct ptx_parser *p, struct ptx_word *word, const struct ptx_token *place,
			 const struct ptx_variable *var, bool local, struct ptx_variable **result)
{
	struct ptx_list *list = local ? &p->locals : &p->variables;
	struct ptx_symbol *symbol = word->symbol;
	struct ptx_variable **slot;

	if (symbol && symbol->scope == p->names.scope && symbol->kind == SYMBOL_VARIABLE &&
	    redeclares(symbol->var, var)) {
		struct ptx_variable *old = symbol->var;

		*result = old;
		old->align = var->align > old->align ? var->align : old->align;
		old->size = var->size ? var->size : old->size;
		if (!var->external) {
			old->external = false;
			old->place = var->place;
		}
		return true;
	}
	symbol = ptx_declare(p, word, SYMBOL_VARIABLE, place);
	if (!symbol)
		return false;
	symbol->var = ptx_new(p, 1, sizeof(*var));
	if (!symbol->var)
		return false;
	*symbol->var = *var;
	symbol->var->index = list->count;
	slot = ptx_list_add(p, list, sizeof(*slot));
	if (!slot)
		return false;
	*slot = symbol->var;
	*result = symbol->var;
	return true;
}

static bool may_have_init(struct ptx_parser *p, const struct ptx_variable *var)
{
	if (var->space != SPACE_GLOBAL && var->space != SPACE_CONST)
		return ptx_error(p, "only .global and .const variables may have an initialiser");
	if (var->external)
		return ptx_error(p, "a variable that is .extern may have no initialiser");
	return true;
}

/* Reads one variable of a declaration: name, dimensions, initialiser. */
static bool read_variable(struct ptx_parser *p, const struct ptx_declaration *declaration)
{
	bool local = p->names.scope > PTX_SCOPE_MODULE && declaration->space != SPACE_GLOBAL &&
		     declaration->space != SPACE_CONST;
	struct ptx_variable var = { }, *added;
	struct ptx_token place = p->token;
	uint64_t dims[PTX_MAX_DIMS];
	unsigned int dim_count;
	struct ptx_word *word;

	if (place.kind != TOKEN_WORD)
		return ptx_expected(p, "the name of a variable");
	word = ptx_word(p, place.text, place.length);
	if (!word)
		return false;
	ptx_next(p);
	if (!ptx_variable_shape(p, declaration, &var, dims, &dim_count))
		return false;
	var.name = word->text;
	var.external = declaration->linkage == LINKAGE_EXTERN;
	var.place = (struct ptx_place){ .line = place.line, .column = place.column, .file = -1 };
	if (!var.size && !var.external && !ptx_at(p, '='))
		return ptx_error_at(p, place.line, place.column,
				    "the array %s needs a size: only .extern arrays have none",
				    var.name);
	if (!variable_add(p, word, &place, &var, local, &added))
		return false;
	if (!ptx_at(p, '='))
		return true;
	if (!may_have_init(p, &var))
		return false;
	ptx_next(p);
	/* How a sampler filters is not needed. */
	if (var.opaque)
		return ptx_skip_braces(p);
	return ptx_init(p, added, dims, dim_count);
}

bool ptx_variables(struct ptx_parser *p, enum ptx_linkage linkage)
{
	struct ptx_declaration declaration = {
		.linkage = linkage, .space = ptx_space_named(&p->token),
	};
	bool module = p->names.scope == PTX_SCOPE_MODULE;

	if (declaration.space == SPACE_PARAM && module)
		return ptx_error(p, ".param may stand in the head of a function or in its body");
	if (declaration.space == SPACE_LOCAL && module)
		return ptx_error(p, ".local variables must be declared in a function");
	ptx_next(p);
	if (ptx_at(p, '['))
		return ptx_error(p, "banks of constants (.const[N]) are not supported");
	if (!ptx_declaration(p, &declaration))
		return false;
	if (declaration.pointer)
		return ptx_error(p, ".ptr is for parameters of kernels");
	do {
		if (!read_variable(p, &declaration))
			return false;
	} while (ptx_take(p, ','));
	return ptx_need(p, ';');
}

int32_t ptx_register_add(struct ptx_parser *p, const char *name, enum ptx_type type,
			 unsigned int width)
{
	static const char components[] = "xyzwstuv";
	int32_t first = p->regs.count;
	unsigned int i;

	if (width > PTX_MAX_REGS - p->all_regs) {
		ptx_error(p, "a module may have at most %u registers", PTX_MAX_REGS);
		return -1;
	}
	p->all_regs += width;
	for (i = 0; i < width; i++) {
		struct ptx_register *reg = ptx_list_add(p, &p->regs, sizeof(*reg));
		size_t length = strlen(name);
		char *part;

		if (!reg)
			return -1;
		*reg = (struct ptx_register){ .name = name, .type = type };
		if (width == 1)
			break;
		part = ptx_new(p, length + 3, 1);
		if (!part)
			return -1;
		memcpy(part, name, length);
		part[length] = '.';
		part[length + 1] = components[i];
		reg->name = part;
	}
	return first;
}

static bool register_declare(struct ptx_parser *p, const struct ptx_token *place, const char *name,
			     unsigned int length, const struct ptx_declaration *declaration,
			     uint32_t range)
{
	struct ptx_word *word = ptx_word(p, name, length);
	struct ptx_symbol *symbol;

	if (!word)
		return false;
	symbol = ptx_declare(p, word, SYMBOL_REG, place);
	if (!symbol)
		return false;
	symbol->width = declaration->vector;
	symbol->range = range;
	symbol->reg = ptx_register_add(p, word->text, declaration->type, declaration->vector);
	return symbol->reg >= 0;
}

/* Writes a number behind the stem of a name. Returns the length of the name. */
static unsigned int number_name(char *name, unsigned int stem, uint32_t number)
{
	char digits[10];
	unsigned int count = 0;

	do {
		digits[count++] = '0' + number % 10;
		number /= 10;
	} while (number);
	while (count)
		name[stem++] = digits[--count];
	return stem;
}

/* Reads <N>, and declares name0 to name(N - 1). The token is <. */
static bool register_range(struct ptx_parser *p, const struct ptx_token *place,
			   const struct ptx_declaration *declaration)
{
	uint64_t range;
	uint32_t i;
	char *name;

	ptx_next(p);
	if (!ptx_count(p, "the number of registers", 1, PTX_MAX_REGS, &range) || !ptx_need(p, '>'))
		return false;
	name = ptx_new(p, place->length + 10, 1);
	if (!name)
		return false;
	memcpy(name, place->text, place->length);
	for (i = 0; i < range; i++) {
		if (!register_declare(p, place, name, number_name(name, place->length, i),
				      declaration, range))
			return false;
	}
	return true;
}

bool ptx_registers(struct ptx_parser *p)
{
	struct ptx_declaration declaration = { .space = SPACE_REG };

	if (p->names.scope == PTX_SCOPE_MODULE)
		return ptx_error(p, "registers must be declared in a function");
	ptx_next(p);
	if (!ptx_declaration(p, &declaration))
		return false;
	do {
		struct ptx_token place = p->token;

		if (place.kind != TOKEN_WORD)
			return ptx_expected(p, "the name of a register");
		ptx_next(p);
		if (ptx_at(p, '<') ? !register_range(p, &place, &declaration) :
		    !register_declare(p, &place, place.text, place.length, &declaration, 0))
			return false;
	} while (ptx_take(p, ','));
	return ptx_need(p, ';');
}
