// SPDX-License-Identifier: MIT
/*
 * Operands of instructions (PTX ISA, chapter 6), and constant expressions (PTX ISA, section 4.5).
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/operand.h"
#include "vsm_syntax.h"

/* --- numbers and constant expressions ------------------------------------- */

/* Longest decimal fraction, with its exponent */
#define MAX_FRACTION 400

/* Returns 0, -EINVAL if a character is no digit, or -ERANGE if the number has more than 64 bits. */
static int read_digits(const char *text, const char *end, unsigned int base, uint64_t *value)
{
	int error = 0;

	*value = 0;
	for (; text < end; text++) {
		unsigned int digit = *text >= 'a' ? *text - 'a' + 10 :
				     *text >= 'A' ? *text - 'A' + 10 : *text - '0';

		if (digit >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(*value, base, value) ||
		    __builtin_add_overflow(*value, digit, value))
			error = -ERANGE;
	}
	return error;
}

/* Reads 0f and eight, or 0d and sixteen hexadecimal digits. */
static bool read_bits(struct ptx_parser *p, struct ptx_number *number)
{
	const char *text = p->token.text;
	bool is_double = text[1] == 'd' || text[1] == 'D';
	unsigned int digits = is_double ? 16 : 8;

	number->kind = is_double ? NUMBER_F64 : NUMBER_F32;
	if (p->token.length != digits + 2 ||
	    read_digits(text + 2, text + 2 + digits, 16, &number->bits))
		return ptx_error(p, "%.2s must be followed by %u hexadecimal digits", text, digits);
	return true;
}

static bool read_fraction(struct ptx_parser *p, struct ptx_number *number)
{
	char text[MAX_FRACTION + 1], shown[QUOTE_SIZE];
	locale_t c;
	double value;
	char *end;

	if (p->token.length > MAX_FRACTION)
		return ptx_error(p, "the number has more than %d characters", MAX_FRACTION);
	memcpy(text, p->token.text, p->token.length);
	text[p->token.length] = '\0';
	c = newlocale(LC_ALL_MASK, "C", NULL);
	if (!c) {
		ptx_out_of_memory(p);
		return false;
	}
	value = strtod_l(text, &end, c);
	freelocale(c);
	if (*end)
		return ptx_error(p, "%s is not a number",
				 quote(shown, ptx_token_span(&p->token)));
	number->kind = NUMBER_F64;
	memcpy(&number->bits, &value, sizeof(value));
	return true;
}

static bool is_fraction(const char *text, unsigned int length)
{
	return memchr(text, '.', length) || memchr(text, 'e', length) ||
	       memchr(text, 'E', length);
}

static bool read_integer(struct ptx_parser *p, struct ptx_number *number)
{
	const char *text = p->token.text;
	const char *end = text + p->token.length;
	char kind = p->token.length > 1 && text[0] == '0' ? text[1] : '\0';
	bool is_unsigned = end[-1] == 'U' || end[-1] == 'u';
	unsigned int base = 10;
	char shown[QUOTE_SIZE];
	int error;

	end -= is_unsigned;
	if (kind == 'x' || kind == 'X')
		base = 16;
	else if (kind == 'b' || kind == 'B')
		base = 2;
	else if (text[0] == '0' && end - text > 1)
		base = 8;
	if (base == 16 || base == 2)
		text += 2;
	else if (is_fraction(text, p->token.length))
		return read_fraction(p, number);
	error = text == end ? -EINVAL : read_digits(text, end, base, &number->bits);
	if (error)
		return ptx_error(p, error == -ERANGE ? "%s has more than 64 bits" :
				 "%s is not a number", quote(shown, ptx_token_span(&p->token)));
	number->kind = is_unsigned || number->bits > INT64_MAX ? NUMBER_UNSIGNED : NUMBER_SIGNED;
	return true;
}

bool ptx_number(struct ptx_parser *p, struct ptx_number *number)
{
	const char *text = p->token.text;

	if (p->token.length > 1 && text[0] == '0' && strchr("fFdD", text[1]))
		return read_bits(p, number);
	return read_integer(p, number);
}

static bool is_integer(const struct ptx_number *number)
{
	return number->kind == NUMBER_SIGNED || number->kind == NUMBER_UNSIGNED;
}

static double to_double(const struct ptx_number *number)
{
	double value;

	if (number->kind == NUMBER_SIGNED)
		return (int64_t)number->bits;
	if (number->kind == NUMBER_UNSIGNED)
		return number->bits;
	memcpy(&value, &number->bits, sizeof(value));
	return value;
}

static void set_double(struct ptx_number *number, double value)
{
	number->kind = NUMBER_F64;
	memcpy(&number->bits, &value, sizeof(value));
}

static void set_truth(struct ptx_number *number, bool truth)
{
	*number = (struct ptx_number){ .kind = NUMBER_SIGNED, .bits = truth };
}

/* Operators, the strongest level first. */
static const struct {
	int mark;
	unsigned int level;
} operators[] = {
	{ '*', 10 }, { '/', 10 }, { '%', 10 }, { '+', 9 }, { '-', 9 },
	{ MARK('<', '<'), 8 }, { MARK('>', '>'), 8 },
	{ '<', 7 }, { '>', 7 }, { MARK('<', '='), 7 }, { MARK('>', '='), 7 },
	{ MARK('=', '='), 6 }, { MARK('!', '='), 6 }, { '&', 5 }, { '^', 4 }, { '|', 3 },
	{ MARK('&', '&'), 2 }, { MARK('|', '|'), 1 },
};

#define LEVEL_SUM 9
#define LEVEL_ALL 1

static unsigned int level_of(const struct ptx_parser *p)
{
	unsigned int i;

	if (p->token.kind != TOKEN_MARK)
		return 0;
	for (i = 0; i < ARRAY_SIZE(operators); i++) {
		if (operators[i].mark == p->token.mark)
			return operators[i].level;
	}
	return 0;
}

static bool apply_double(struct ptx_number *left, int mark, const struct ptx_number *right)
{
	double a = to_double(left), b = to_double(right);

	switch (mark) {
	case '*':
		set_double(left, a * b);
		return true;
	case '/':
		set_double(left, a / b);
		return true;
	case '+':
		set_double(left, a + b);
		return true;
	case '-':
		set_double(left, a - b);
		return true;
	case '<':
		set_truth(left, a < b);
		return true;
	case '>':
		set_truth(left, a > b);
		return true;
	case MARK('<', '='):
		set_truth(left, a <= b);
		return true;
	case MARK('>', '='):
		set_truth(left, a >= b);
		return true;
	case MARK('=', '='):
		set_truth(left, a == b);
		return true;
	case MARK('!', '='):
		set_truth(left, a != b);
		return true;
	}
	return false;
}

/* Division and remainder. The caller has made sure that @b is not 0. */
static uint64_t divide(uint64_t a, bool remainder, uint64_t b, bool is_signed)
{
	if (!is_signed)
		return remainder ? a % b : a / b;
	/* INT64_MIN / -1 would overflow. */
	if (b == UINT64_MAX)
		return remainder ? 0 : -a;
	return remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b;
}

static uint64_t shift(uint64_t a, bool left, uint64_t by, bool is_signed)
{
	if (by > 63)
		return !left && is_signed && (int64_t)a < 0 ? UINT64_MAX : 0;
	if (left)
		return a << by;
	return is_signed ? (uint64_t)((int64_t)a >> by) : a >> by;
}

static void apply_integer(struct ptx_number *left, int mark, const struct ptx_number *right)
{
	bool is_shift = mark == MARK('<', '<') || mark == MARK('>', '>');
	bool is_signed = left->kind == NUMBER_SIGNED &&
			 (is_shift || right->kind == NUMBER_SIGNED);
	uint64_t a = left->bits, b = right->bits;
	bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

	left->kind = is_signed ? NUMBER_SIGNED : NUMBER_UNSIGNED;
	switch (mark) {
	case '*':
		left->bits = a * b;
		break;
	case '/':
		left->bits = divide(a, false, b, is_signed);
		break;
	case '%':
		left->bits = divide(a, true, b, is_signed);
		break;
	case '+':
		left->bits = a + b;
		break;
	case '-':
		left->bits = a - b;
		break;
	case '&':
		left->bits = a & b;
		break;
	case '^':
		left->bits = a ^ b;
		break;
	case '|':
		left->bits = a | b;
		break;
	case MARK('<', '<'):
		left->bits = shift(a, true, b, is_signed);
		break;
	case MARK('>', '>'):
		left->bits = shift(a, false, b, is_signed);
		break;
	case '<':
		set_truth(left, less);
		break;
	case '>':
		set_truth(left, !less && a != b);
		break;
	case MARK('<', '='):
		set_truth(left, less || a == b);
		break;
	case MARK('>', '='):
		set_truth(left, !less);
		break;
	case MARK('=', '='):
		set_truth(left, a == b);
		break;
	case MARK('!', '='):
		set_truth(left, a != b);
		break;
	case MARK('&', '&'):
		set_truth(left, a && b);
		break;
	case MARK('|', '|'):
		set_truth(left, a || b);
		break;
	}
}

static bool apply(struct ptx_parser *p, struct ptx_number *left, const struct ptx_token *operator,
		  const struct ptx_number *right)
{
	if (left->kind == NUMBER_F32 || right->kind == NUMBER_F32)
		return ptx_error_at(p, operator->line, operator->column,
				    "a number written as 0f... cannot be part of an expression");
	if (!is_integer(left) || !is_integer(right)) {
		if (!apply_double(left, operator->mark, right))
			return ptx_error_at(p, operator->line, operator->column,
					    "the operator %.*s needs whole numbers",
					    operator->length, operator->text);
		return true;
	}
	if ((operator->mark == '/' || operator->mark == '%') && !right->bits)
		return ptx_error_at(p, operator->line, operator->column, "division by zero");
	apply_integer(left, operator->mark, right);
	return true;
}

static bool read_expression(struct ptx_parser *p, struct ptx_number *number);
static bool unary(struct ptx_parser *p, struct ptx_number *number);

/* Reads what follows ( : a cast, or an expression with its closing parenthesis. */
static bool parenthesis(struct ptx_parser *p, struct ptx_number *number)
{
	struct ptx_token place = p->token;
	bool is_signed = ptx_token_is(&p->token, ".s64");

	if (!is_signed && !ptx_token_is(&p->token, ".u64"))
		return read_expression(p, number) && ptx_need(p, ')');
	ptx_next(p);
	if (!ptx_need(p, ')') || !unary(p, number))
		return false;
	if (number->kind == NUMBER_F32)
		return ptx_error_at(p, place.line, place.column,
				    "a number written as 0f... cannot be converted");
	if (number->kind == NUMBER_F64) {
		double value = to_double(number);

		/* Both bounds are exact; a NaN is outside. */
		if (is_signed ? !(value >= -0x1p63 && value < 0x1p63) :
				!(value > -1 && value < 0x1p64))
			return ptx_error_at(p, place.line, place.column,
					    "the number to convert has more than 64 bits");
		number->bits = is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
	}
	number->kind = is_signed ? NUMBER_SIGNED : NUMBER_UNSIGNED;
	return true;
}

static bool apply_unary(struct ptx_parser *p, const struct ptx_token *operator,
			struct ptx_number *number)
{
	int mark = operator->mark;

	if (number->kind == NUMBER_F32 || (number->kind == NUMBER_F64 && mark == '~'))
		return ptx_error_at(p, operator->line, operator->column,
				    "the operator %c cannot be used with this number", mark);
	if (mark == '!')
		set_truth(number, is_integer(number) ? !number->bits : !to_double(number));
	else if (mark == '~')
		number->bits = ~number->bits;
	else if (mark == '-' && number->kind == NUMBER_F64)
		set_double(number, -to_double(number));
	else if (mark == '-')
		number->bits = -number->bits;
	return true;
}

static bool primary(struct ptx_parser *p, struct ptx_number *number)
{
	struct ptx_word *word;

	if (p->token.kind == TOKEN_NUMBER) {
		if (!ptx_number(p, number))
			return false;
		ptx_next(p);
		return true;
	}
	if (p->token.kind == TOKEN_WORD) {
		word = ptx_word(p, p->token.text, p->token.length);
		if (word && word->symbol && word->symbol->kind == SYMBOL_NUMBER) {
			*number = (struct ptx_number){ .bits = word->symbol->number };
			ptx_next(p);
			return true;
		}
	}
	return ptx_take(p, '(') ? parenthesis(p, number) : ptx_expected(p, "a number");
}

static bool unary(struct ptx_parser *p, struct ptx_number *number)
{
	struct ptx_token operator = p->token;
	bool done;

	if (p->nesting >= PTX_MAX_NESTING)
		return ptx_error(p, "the expression is nested too deeply");
	p->nesting++;
	if (ptx_at(p, '-') || ptx_at(p, '+') || ptx_at(p, '~') || ptx_at(p, '!')) {
		ptx_next(p);
		done = unary(p, number) && apply_unary(p, &operator, number);
	} else {
		done = primary(p, number);
	}
	p->nesting--;
	return done;
}

/* Reads operators of at least this level behind @left, and what they are applied to. */
static bool binary(struct ptx_parser *p, struct ptx_number *left, unsigned int min)
{
	unsigned int level;

	while ((level = level_of(p)) >= min && level) {
		struct ptx_token operator = p->token;
		struct ptx_number right;

		ptx_next(p);
		/* Each call has a higher level: the recursion is not deep. */
		if (!unary(p, &right) || !binary(p, &right, level + 1) ||
		    !apply(p, left, &operator, &right))
			return false;
	}
	return true;
}

static bool conditional(struct ptx_parser *p, struct ptx_number *number)
{
	struct ptx_number yes, no;
	bool truth;

	if (!ptx_take(p, '?'))
		return true;
	truth = is_integer(number) ? number->bits != 0 : to_double(number) != 0;
	if (!read_expression(p, &yes) || !ptx_need(p, ':') || !read_expression(p, &no))
		return false;
	*number = truth ? yes : no;
	if (is_integer(&yes) && is_integer(&no) && yes.kind != no.kind)
		number->kind = NUMBER_UNSIGNED;
	return true;
}

static bool read_expression(struct ptx_parser *p, struct ptx_number *number)
{
	bool done;

	if (p->nesting >= PTX_MAX_NESTING)
		return ptx_error(p, "the expression is nested too deeply");
	p->nesting++;
	done = unary(p, number) && binary(p, number, LEVEL_ALL) && conditional(p, number);
	p->nesting--;
	return done;
}

bool ptx_constant(struct ptx_parser *p, struct ptx_number *number)
{
	return read_expression(p, number);
}

bool ptx_addend(struct ptx_parser *p, int64_t *addend)
{
	struct ptx_number sum = { .bits = *addend };

	if (!ptx_at(p, '+') && !ptx_at(p, '-'))
		return true;
	if (!binary(p, &sum, LEVEL_SUM))
		return false;
	if (!is_integer(&sum))
		return ptx_error(p, "an offset must be a whole number");
	*addend = sum.bits;
	return true;
}

bool ptx_count(struct ptx_parser *p, const char *what, uint64_t min, uint64_t max, uint64_t *count)
{
	struct ptx_token place = p->token;
	struct ptx_number number;

	if (p->token.kind != TOKEN_NUMBER && !ptx_at(p, '(') && !ptx_at(p, '-') &&
	    !ptx_token_is(&p->token, "WARP_SZ"))
		return ptx_expected(p, what);
	if (!unary(p, &number) || !binary(p, &number, LEVEL_SUM))
		return false;
	if (!is_integer(&number) || (number.kind == NUMBER_SIGNED && (int64_t)number.bits < 0) ||
	    number.bits < min || number.bits > max)
		return ptx_error_at(p, place.line, place.column,
				    "%s must be a whole number from %llu to %llu", what,
				    (unsigned long long)min, (unsigned long long)max);
	*count = number.bits;
	return true;
}

/* --- operands ------------------------------------------------------------- */

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
		operand->selector = true;
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
	static const char *const stems[] = { "%pm", "%current_graph_exec" };
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
