// SPDX-License-Identifier: MIT
/*
 * Operands of instructions (PTX ISA, chapter 6).
 */
#include <string.h>

#include "load/constant.h"
#include "load/name.h"
#include "load/operand.h"
#include "load/parser.h"
#include "load/token.h"
#include "vsm_syntax.h"

static struct ptx_operand new_operand(const struct ptx_parser *p)
{
	return (struct ptx_operand){ .reg = -1, .component = -1, .column = p->token.column };
}

struct ptx_operand *ptx_operands_keep(struct ptx_parser *p, unsigned int first)
{
	unsigned int count = p->operands.count - first;
	struct ptx_branch *branches = p->branches.items;
	struct ptx_operand *operands;
	unsigned int i;

	operands = ptx_list_keep(p, &p->operands, first, sizeof(*operands));
	if (!operands)
		return NULL;
	/* Until now the label was the number of the branch: its operand had no place to stay. */
	for (i = 0; i < count; i++) {
		if (operands[i].kind == OPERAND_LABEL)
			branches[operands[i].label].operand = &operands[i];
	}
	return operands;
}

static bool operand_add(struct ptx_parser *p, const struct ptx_operand *operand)
{
	struct ptx_operand *slot = ptx_list_add(p, &p->operands, sizeof(*slot));

	if (!slot)
		return false;
	*slot = *operand;
	return true;
}

/* Makes the operands from @first on the elements of @operand. */
static bool set_elements(struct ptx_parser *p, struct ptx_operand *operand, unsigned int first)
{
	operand->count = p->operands.count - first;
	operand->elements = ptx_operands_keep(p, first);
	return operand->elements;
}

static bool branch_to(struct ptx_parser *p, struct ptx_operand *operand, struct ptx_word *word,
		      const char *what)
{
	struct ptx_branch *branch = ptx_list_add(p, &p->branches, sizeof(*branch));

	if (!branch)
		return false;
	branch->word = word;
	branch->what = what;
	branch->label = false;
	branch->line = p->token.line;
	branch->column = p->token.column;
	operand->kind = OPERAND_LABEL;
	operand->label = p->branches.count - 1;
	ptx_next(p);
	return true;
}

bool ptx_branch_operand(struct ptx_parser *p, struct ptx_operand *operand)
{
	struct ptx_word *word;

	*operand = new_operand(p);
	if (p->token.kind != TOKEN_WORD)
		return ptx_expected(p, "a label");
	word = ptx_word(p, p->token.text, p->token.length);
	if (!word || !branch_to(p, operand, word, "label"))
		return false;
	((struct ptx_branch *)p->branches.items)[operand->label].label = true;
	return true;
}

void ptx_table_operand(struct ptx_operand *operand, const struct ptx_symbol *symbol)
{
	uint32_t column = operand->column;

	*operand = *symbol->table;
	operand->column = column;
	if (operand->table)
		operand->table->used = true;
}

/* The number of a component .x to .w or .r to .a; -1 if the token names none. */
static int component_of(const struct ptx_token *token)
{
	static const char names[][2] = {
		{ 'x', 'r' }, { 'y', 'g' }, { 'z', 'b' }, { 'w', 'a' },
	};
	int i;

	if (token->length != 2)
		return -1;
	for (i = 0; i < 4; i++) {
		if (token->text[1] == names[i][0] || token->text[1] == names[i][1])
			return i;
	}
	return -1;
}

/*
 * Is it a selector of a video instruction, which names bytes or halves of a register: .b0, .h1,
 * .b7610, .h32?
 */
static bool is_selector(const struct ptx_token *token)
{
	char kind = token->text[1];
	unsigned int i;

	if (token->length < 3 || token->length > 6 || (kind != 'b' && kind != 'h'))
		return false;
	for (i = 2; i < token->length; i++) {
		if (token->text[i] < '0' || token->text[i] > (kind == 'b' ? '7' : '3'))
			return false;
	}
	return true;
}

/* Reads what may follow the name of a register: a component. The token is behind the name. */
static bool register_operand(struct ptx_parser *p, struct ptx_operand *operand,
			     const struct ptx_symbol *symbol)
{
	unsigned int first = p->operands.count;
	int component, i;

	operand->kind = OPERAND_REG;
	operand->reg = symbol->reg;
	if (p->token.kind == TOKEN_DOTTED && p->video && is_selector(&p->token)) {
		/* No video instruction is executed. */
		ptx_next(p);
		return true;
	}
	if (p->token.kind == TOKEN_DOTTED) {
		component = component_of(&p->token);
		if (component < 0 || component >= symbol->width || symbol->width == 1)
			return ptx_error(p, "'%s' has no component %.*s", symbol->word->text,
					 p->token.length, p->token.text);
		operand->component = component;
		ptx_next(p);
		return true;
	}
	if (symbol->width == 1)
		return true;
	/* A whole vector is the same as a list of its components. */
	for (i = 0; i < symbol->width; i++) {
		struct ptx_operand element = *operand;

		element.component = i;
		if (!operand_add(p, &element))
			return false;
	}
	operand->kind = OPERAND_VECTOR;
	operand->reg = -1;
	return set_elements(p, operand, first);
}

/* Makes the operand a component of a special register. */
static void set_special(struct ptx_operand *operand, const struct ptx_symbol *symbol, int dim)
{
	/* PTX has a fourth component, which is always 0. */
	operand->kind = dim == 3 ? OPERAND_INT : OPERAND_SPECIAL;
	operand->special = symbol->special;
	operand->dim = dim == 3 ? 0 : dim;
}

static bool special_operand(struct ptx_parser *p, struct ptx_operand *operand,
			    const struct ptx_symbol *symbol)
{
	unsigned int first = p->operands.count;
	int dim;

	set_special(operand, symbol, 0);
	if (symbol->width == 1)
		return p->token.kind != TOKEN_DOTTED ||
		       ptx_error(p, "'%s' has no components", symbol->word->text);
	if (p->token.kind == TOKEN_DOTTED) {
		dim = component_of(&p->token);
		if (dim < 0)
			return ptx_error(p, "'%s' has no component %.*s", symbol->word->text,
					 p->token.length, p->token.text);
		set_special(operand, symbol, dim);
		ptx_next(p);
		return true;
	}
	/* A whole vector is the same as a list of its components. */
	for (dim = 0; dim < 4; dim++) {
		struct ptx_operand element = *operand;

		set_special(&element, symbol, dim);
		if (!operand_add(p, &element))
			return false;
	}
	operand->kind = OPERAND_VECTOR;
	return set_elements(p, operand, first);
}

/* Is it a special register that PTX has, but that is not supported here? */
static bool is_unsupported(const struct ptx_word *word)
{
	static const char *const stems[] = {
		"%envreg", "%pm", "%reserved_smem_offset_", "%current_graph_exec",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(stems); i++) {
		if (!strncmp(word->text, stems[i], strlen(stems[i])))
			return true;
	}
	return false;
}

static bool number_operand(struct ptx_parser *p, struct ptx_operand *operand)
{
	struct ptx_number number;

	if (!ptx_constant(p, &number))
		return false;
	operand->kind = number.kind == NUMBER_F32 ? OPERAND_F32 :
			number.kind == NUMBER_F64 ? OPERAND_F64 : OPERAND_INT;
	operand->number = number.bits;
	return true;
}

static bool is_sink(const struct ptx_token *token)
{
	return token->kind == TOKEN_WORD && token->length == 1 && token->text[0] == '_';
}

static bool name_operand(struct ptx_parser *p, struct ptx_operand *operand)
{
	struct ptx_word *word = ptx_word(p, p->token.text, p->token.length);
	const struct ptx_symbol *symbol;

	if (!word)
		return false;
	symbol = word->symbol;
	if (!symbol && is_unsupported(word)) {
		operand->kind = OPERAND_SPECIAL;
		operand->special = SPECIALS;
		operand->unsupported = word->text;
		ptx_next(p);
		return true;
	}
	if (!symbol && word->text[0] == '%')
		return ptx_unknown(p, word, p->token.line, p->token.column, "register");
	if (!symbol || symbol->kind == SYMBOL_LABEL)
		return branch_to(p, operand, word, "register, variable, function or label");
	if (symbol->kind == SYMBOL_NUMBER)
		return number_operand(p, operand);
	ptx_next(p);
	switch (symbol->kind) {
	case SYMBOL_REG:
		return register_operand(p, operand, symbol);
	case SYMBOL_SPECIAL:
		return special_operand(p, operand, symbol);
	case SYMBOL_VARIABLE:
		operand->kind = OPERAND_VARIABLE;
		operand->var = symbol->var;
		return ptx_addend(p, &operand->number);
	case SYMBOL_FUNCTION:
		operand->kind = OPERAND_FUNCTION;
		operand->function = symbol->function;
		return true;
	default:
		ptx_table_operand(operand, symbol);
		return true;
	}
}

/* Reads operands with commas between them, and the closing mark. */
static bool read_elements(struct ptx_parser *p, struct ptx_operand *operand, char close)
{
	unsigned int first = p->operands.count;
	struct ptx_operand element;

	do {
		if (!ptx_operand(p, &element, false) || !operand_add(p, &element))
			return false;
	} while (ptx_take(p, ','));
	return ptx_need(p, close) && set_elements(p, operand, first);
}

static bool address_base(struct ptx_parser *p, struct ptx_operand *operand)
{
	struct ptx_token place = p->token;
	const struct ptx_symbol *symbol;
	struct ptx_operand base;
	struct ptx_word *word;

	if (place.kind != TOKEN_WORD) {
		base = new_operand(p);
		if (place.kind != TOKEN_NUMBER && !ptx_at(p, '(') && !ptx_at(p, '-'))
			return ptx_expected(p, "a register, a variable or a number");
		if (!number_operand(p, &base))
			return false;
		if (base.kind != OPERAND_INT)
			return ptx_error_at(p, place.line, place.column,
					    "an address must be a whole number");
		operand->number = base.number;
		return true;
	}
	word = ptx_word(p, place.text, place.length);
	if (!word)
		return false;
	symbol = word->symbol;
	if (!symbol || (symbol->kind != SYMBOL_REG && symbol->kind != SYMBOL_VARIABLE))
		return ptx_unknown(p, word, place.line, place.column, "register or variable");
	ptx_next(p);
	if (symbol->kind == SYMBOL_VARIABLE) {
		operand->var = symbol->var;
	} else {
		base = new_operand(p);
		if (!register_operand(p, &base, symbol))
			return false;
		if (base.kind != OPERAND_REG)
			return ptx_error_at(p, place.line, place.column,
					    "the vector '%s' cannot be an address", word->text);
		operand->reg = base.reg;
		operand->component = base.component;
	}
	return ptx_addend(p, &operand->number);
}

static bool address_operand(struct ptx_parser *p, struct ptx_operand *operand)
{
	operand->kind = OPERAND_ADDRESS;
	if (!address_base(p, operand))
		return false;
	return ptx_take(p, ',') ? read_elements(p, operand, ']') : ptx_need(p, ']');
}

/* Reads the right side of a|b. @operand is the left side, and becomes the pair. */
static bool pair_operand(struct ptx_parser *p, struct ptx_operand *operand)
{
	unsigned int first = p->operands.count;
	struct ptx_operand right;

	if (!operand_add(p, operand))
		return false;
	if (p->token.kind != TOKEN_WORD)
		return ptx_expected(p, "a register or _");
	if (!ptx_operand(p, &right, false) || !operand_add(p, &right))
		return false;
	*operand = (struct ptx_operand){
		.kind = OPERAND_PAIR, .reg = -1, .component = -1, .column = operand->column,
	};
	return set_elements(p, operand, first);
}

static bool read_operand(struct ptx_parser *p, struct ptx_operand *operand, bool call)
{
	if (ptx_take(p, '!')) {
		struct ptx_token place = p->token;

		if (place.kind != TOKEN_WORD || !name_operand(p, operand))
			return place.kind == TOKEN_WORD ? false : ptx_expected(p, "a predicate");
		if (operand->kind != OPERAND_REG)
			return ptx_error_at(p, place.line, place.column,
					    "expected a predicate behind !");
		operand->inverted = true;
		return true;
	}
	if (ptx_take(p, '{')) {
		operand->kind = OPERAND_VECTOR;
		return read_elements(p, operand, '}');
	}
	if (ptx_take(p, '['))
		return address_operand(p, operand);
	if (call && ptx_take(p, '(')) {
		operand->kind = OPERAND_LIST;
		return ptx_take(p, ')') || read_elements(p, operand, ')');
	}
	if (is_sink(&p->token)) {
		operand->kind = OPERAND_SINK;
		ptx_next(p);
		return true;
	}
	if (p->token.kind == TOKEN_WORD)
		return name_operand(p, operand);
	if (p->token.kind != TOKEN_NUMBER && !ptx_at(p, '-') && !ptx_at(p, '+') &&
	    !ptx_at(p, '~') && !ptx_at(p, '('))
		return ptx_expected(p, "an operand");
	return number_operand(p, operand);
}

bool ptx_operand(struct ptx_parser *p, struct ptx_operand *operand, bool call)
{
	bool done;

	*operand = new_operand(p);
	if (p->nesting >= PTX_MAX_NESTING)
		return ptx_error(p, "the operand is nested too deeply");
	p->nesting++;
	done = read_operand(p, operand, call);
	if (done && (operand->kind == OPERAND_REG || operand->kind == OPERAND_SINK) &&
	    ptx_take(p, '|'))
		done = pair_operand(p, operand);
	p->nesting--;
	return done;
}
