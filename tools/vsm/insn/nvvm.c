// SPDX-License-Identifier: MIT
/*
 * Parses operations of NVVM in the textual form of MLIR:
 *
 *	%result = operation operands {attributes} : types
 *
 * The table of syntax/form.c has the PTX of each operation.
 */
#include <ctype.h>
#include <string.h>

#include "base.h"
#include "insn/insn.h"
#include "insn/nvvm.h"

/* A line that is being parsed */
struct line {
	struct cursor *c;		/* the cursor */
	struct instruction *insn;	/* the instruction */
	const struct ptx_names *names;	/* names that operands can have */
	struct span name;		/* name of the operation */
	struct span result;		/* name of the result; empty if there is none */
	/* The name ends with .shared: addresses are in the window of the executing CTA */
	bool shared;
	unsigned int count;		/* number of operands without the result */
	const char *order;		/* value of the attribute order; NULL if it is not given */
	const char *scope;		/* value of the attribute scope; NULL if it is not given */
	bool aligned;			/* the attribute aligned is given */
};

static bool begins_with(struct span span, const char *text)
{
	return span.length >= strlen(text) && !memcmp(span.text, text, strlen(text));
}

static bool ends_with(struct span span, const char *text)
{
	size_t length = strlen(text);

	return span.length >= length && !memcmp(span.text + span.length - length, text, length);
}

bool nvvm_begins(const struct cursor *c)
{
	static const char *const dialects[] = { "%", "nvvm.", "llvm.", "memref.", "arith." };
	struct span rest = { .text = c->at, .length = c->end - c->at };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(dialects); i++)
		if (begins_with(rest, dialects[i]))
			return true;
	return false;
}

/* --- values --------------------------------------------------------------- */

/* Reads the name of a value. @name includes the %. */
static bool need_value(struct cursor *c, const char *what, struct span *name)
{
	char text[QUOTE_SIZE];
	const char *where;

	skip_spaces(c);
	where = c->at;
	if (!take(c, '%'))
		return error_at(c, where, "expected %s, a value %%... or a number, found %s", what,
				found(c, text));
	*name = take_word(c);
	if (name->text != where + 1 || !name->length)
		return error_at(c, where + 1, "expected the name of a value behind %%");
	name->text--;
	name->length++;
	return true;
}

static bool is_destination(uint8_t role)
{
	return role && role <= PTX_PRED_OUT;
}

static unsigned int destination_bits(uint8_t role)
{
	switch (role) {
	case PTX_COMPLETE_OUT:
		return 1;
	case PTX_STATE_OUT:
		return 64;
	default:
		return 32;
	}
}

static const char *role_name(uint8_t role)
{
	switch (role) {
	case PTX_SHARED:
		return "an mbarrier";
	case PTX_COUNT:
		return "a count";
	case PTX_TX_COUNT:
		return "a number of bytes";
	case PTX_STATE:
		return "a state";
	case PTX_PARITY:
		return "a parity";
	case PTX_HINT:
		return "a time in nanoseconds";
	case PTX_RANK:
		return "a CTA";
	case PTX_MEMBERMASK:
		return "a mask of lanes";
	default:
		return "an operand";
	}
}

/* Checks the width of a value: 32 or 64 bits for an address, the width that PTX has for others. */
static bool check_width(struct line *l, const struct operand *operand, struct span name)
{
	static const char *const held[] = {
		[HOLDS_PREDICATE] = "i1",
		[HOLDS_32] = "i32",
		[HOLDS_64] = "i64",
		[HOLDS_SEVERAL] = "different types in these threads",
	};
	enum holds holds = l->names->holds(l->names->parser, operand->reg);
	bool address = operand->role == PTX_SHARED || operand->role == PTX_VALUE;
	enum holds wanted = operand->role == PTX_STATE ? HOLDS_64 : HOLDS_32;

	/* A register holds nothing only after an error that has been reported. */
	if (holds == HOLDS_NOTHING || holds == wanted || (address && holds == HOLDS_64))
		return true;
	return error_at(l->c, name.text, "%s of %.*s must be %s, but %.*s has %s",
			role_name(operand->role), (int)l->name.length, l->name.text,
			address ? "i32 or i64" : held[wanted], (int)name.length, name.text,
			held[holds]);
}

static uint64_t largest_number(uint8_t role)
{
	switch (role) {
	case PTX_STATE:
		return UINT64_MAX;
	case PTX_RANK:
		return UINT8_MAX;
	default:
		return UINT32_MAX;
	}
}

static bool parse_operand(struct line *l, uint8_t role)
{
	struct operand *operand = instruction_add(l->insn, role);
	struct span name;

	operand->kind = role == PTX_SHARED ? OPERAND_ADDRESS : OPERAND_NUMBER;
	if (at_number(l->c)) {
		if (!need_number(l->c, role_name(role), largest_number(role),
				 &operand->number))
			return false;
		operand->own = l->shared && operand->number < 1U << VSM_SHARED_RANK_SHIFT;
		return true;
	}
	if (!need_value(l->c, role_name(role), &name))
		return false;
	if (role != PTX_SHARED)
		operand->kind = OPERAND_REGISTER;
	operand->bits = 64;
	operand->reg = l->names->read(l->names->parser, l->c, name.text, name);
	return operand->reg >= 0 && check_width(l, operand, name);
}

/* Adds the destination. Without "%result =" it has no register, because nothing reads it. */
static void add_result(struct line *l, uint8_t role)
{
	struct operand *operand = instruction_add(l->insn, role);

	operand->bits = destination_bits(role);
	if (l->result.length)
		operand->kind = OPERAND_REGISTER;
}

/* To be called after all operands: they must not see the value that the operation defines. */
static void write_result(struct line *l)
{
	struct operand *operand = &l->insn->operands[0];

	if (l->result.length)
		operand->reg = l->names->write(l->names->parser, l->result,
					       holds_bits(operand->bits), false);
}

/* --- attributes and types ------------------------------------------------- */

/*
 * Parses the value of an attribute, as in order = relaxed. MLIR writes #nvvm.mem_order<relaxed>,
 * but in scenarios a # begins a comment.
 */
static bool parse_enum(struct cursor *c, const char *const *words, unsigned int count,
		       const char **word)
{
	unsigned int choice;

	if (!need(c, '=') || !need_choice(c, words, count, &choice))
		return false;
	*word = words[choice];
	return true;
}

static bool parse_attribute(struct line *l)
{
	static const char *const keys[] = { "aligned", "order", "scope", "relaxed" };
	static const char *const orders[] = { "acquire", "release", "relaxed", "acq_rel", "sc" };
	static const char *const scopes[] = { "cta", "cluster", "gpu", "sys" };
	static const char *const truths[] = { "false", "true" };
	const char *truth;
	unsigned int key;

	if (!need_choice(l->c, keys, ARRAY_SIZE(keys), &key))
		return false;
	switch (key) {
	case 0:
		l->aligned = true;
		return true;
	case 1:
		return parse_enum(l->c, orders, ARRAY_SIZE(orders), &l->order);
	case 2:
		return parse_enum(l->c, scopes, ARRAY_SIZE(scopes), &l->scope);
	default:
		if (!parse_enum(l->c, truths, ARRAY_SIZE(truths), &truth))
			return false;
		if (truth == truths[1])
			l->order = orders[2];
		return true;
	}
}

static bool parse_attributes(struct line *l)
{
	if (!take(l->c, '{') || take(l->c, '}'))
		return true;
	do {
		if (!parse_attribute(l))
			return false;
	} while (take(l->c, ','));
	return need(l->c, '}');
}

/* Takes the next of the types behind a colon. It ends at a comma or an arrow outside of <>. */
static struct span take_type(struct cursor *c)
{
	struct span type;
	int depth = 0;

	skip_spaces(c);
	type.text = c->at;
	for (; c->at < c->end; c->at++) {
		if (depth <= 0 && strchr(",-;", *c->at))
			break;
		depth += *c->at == '<' || *c->at == '(';
		depth -= *c->at == '>' || *c->at == ')';
	}
	type.length = c->at - type.text;
	while (type.length && isspace((unsigned char)type.text[type.length - 1]))
		type.length--;
	return type;
}

/* Checks the type of the address of an mbarrier, and the address space in the type. */
static bool check_type(struct line *l, struct span type)
{
	char text[QUOTE_SIZE];
	bool space_3 = ends_with(type, "<3>") || ends_with(type, ", 3>");

	if (!begins_with(type, "!llvm.ptr") && !begins_with(type, "memref<"))
		return error_at(l->c, type.text,
				"operand 0 must be mbarrier barrier type, but got %s",
				quote(text, type));
	if (l->shared && !space_3)
		return error_at(l->c, type.text,
				"%.*s takes an address in address space 3, not %s",
				(int)l->name.length, l->name.text, quote(text, type));
	if (!l->shared && begins_with(type, "!llvm.ptr<3>"))
		return error_at(l->c, type.text,
				"%.*s takes a generic address; with .shared it takes %s",
				(int)l->name.length, l->name.text, quote(text, type));
	return true;
}

/* Parses ": types". Checks only the type of an mbarrier: the operation implies all others. */
static bool parse_types(struct line *l)
{
	unsigned int count = 0;
	struct span first = { };

	if (take(l->c, ':')) {
		do {
			struct span type = take_type(l->c);

			if (!count++)
				first = type;
		} while (take(l->c, ','));
		if (take(l->c, '-') && (!need(l->c, '>') || !take_type(l->c).length))
			return error_at(l->c, l->c->at, "expected a type behind ->");
	}
	take(l->c, ';');
	if (!need_end(l->c))
		return false;
	return count < l->count || !count || l->insn->opcode.op->action == PTX_MOV ||
	       l->insn->operands[l->insn->count - l->count].role != PTX_SHARED ||
	       check_type(l, first);
}

/* --- operations of NVVM --------------------------------------------------- */

/* Returns the class name of a wait, which the messages of its verifier contain. */
static const char *wait_class(const struct ptx_form *form)
{
	static const struct {
		const char *name;
		const char *class;
	} classes[] = {
		{ "nvvm.mbarrier.wait.parity", "MBarrierWaitParityOp" },
		{ "nvvm.mbarrier.wait", "MBarrierWaitOp" },
		{ "nvvm.mbarrier.try_wait.parity", "MBarrierTryWaitParityTimeLimitOp" },
		{ "nvvm.mbarrier.test.wait", "MBarrierTestWaitOp" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(classes); i++)
		if (!strncmp(form->nvvm, classes[i].name, strlen(classes[i].name)))
			return classes[i].class;
	return NULL;
}

/* Sets the opcode of the PTX. The attributes of the operation become its qualifiers. */
static bool set_opcode(struct line *l, const struct found_form *found)
{
	const char *class = wait_class(found->form);
	const char *order = l->order, *scope = l->scope;
	bool txn = !strcmp(found->form->nvvm, "nvvm.mbarrier.txn, MBarrierTransactionCTASpaceOp");
	char qualifiers[64];

	if (class && order && strcmp(order, "acquire") && strcmp(order, "relaxed"))
		return error_at(l->c, l->name.text,
				"Only acquire/relaxed ordering supported for %s.", class);
	if (txn || scope)
		order = order ?: txn ? "relaxed" : class ? "acquire" : "release";
	if (order && !scope)
		scope = txn ? "cluster" : "cta";
	snprintf(qualifiers, sizeof(qualifiers), "%s%s%s%s%s%s", order ? "." : "", order ?: "",
		 scope ? "." : "", scope ?: "", l->aligned ? ".aligned" : "",
		 l->shared ? ".shared::cta" : "");
	return form_opcode(found->ptx, qualifiers, l->insn) ||
	       error_at(l->c, l->name.text,
			"%.*s does not take these attributes: vsm knows PTX up to 8.6, without %.*s%s",
			(int)l->name.length, l->name.text, (int)strcspn(found->ptx, " "),
			found->ptx, qualifiers);
}

/* Counts the operands in the PTX of a form. */
static unsigned int count_operands(const char *ptx)
{
	unsigned int count = 0;

	for (ptx += strcspn(ptx, " "); *ptx && *ptx != ';'; ptx++)
		count += *ptx == ' ';
	return count;
}

/*
 * Can scenarios contain the operation? Not if its attributes say which PTX operation it is, as
 * those of nvvm.barrier do, or if it has operands with other roles than these.
 */
static bool is_readable(const struct found_form *found, struct instruction *insn)
{
	static const uint8_t simple[] = {
		PTX_STATE_OUT, PTX_COMPLETE_OUT, PTX_VALUE_OUT, PTX_SHARED, PTX_COUNT,
		PTX_TX_COUNT, PTX_STATE, PTX_PARITY, PTX_HINT, PTX_VALUE, PTX_RANK, PTX_MEMBERMASK,
	};
	const char *nvvm = found->form->nvvm;
	unsigned int i;

	if (strncmp(nvvm, "nvvm.", 5) || !strncmp(nvvm, "nvvm.barrier", 12) ||
	    !form_opcode(found->ptx, "", insn))
		return false;
	for (i = 0; i < count_operands(found->ptx); i++)
		if (!memchr(simple, insn->opcode.op->roles[i], sizeof(simple)))
			return false;
	return true;
}

static bool parse_operands(struct line *l, const struct found_form *found)
{
	const struct ptx_op *op = l->insn->opcode.op;
	unsigned int count = count_operands(found->ptx);
	bool result = is_destination(op->roles[0]);
	unsigned int i;

	if (l->result.length && !result)
		return error_at(l->c, l->result.text, "%.*s has no result", (int)l->name.length,
				l->name.text);
	l->count = count - result;
	for (i = 0; i < count; i++) {
		if (i == 0 && result) {
			add_result(l, op->roles[0]);
			continue;
		}
		if (at_end(l->c) || strchr("{:;", *l->c->at))
			return error_at(l->c, l->c->at, "%.*s lacks %s", (int)l->name.length,
					l->name.text, role_name(op->roles[i]));
		if ((i > result && !need(l->c, ',')) || !parse_operand(l, op->roles[i]))
			return false;
	}
	return true;
}

/*
 * A wait of NVVM is a loop around a try_wait. A try_wait without a result is such a loop too. The
 * loop ends only when the phase completes, so the time limit of a single try_wait has no effect.
 */
static void set_loop(struct line *l, const struct found_form *found)
{
	struct instruction *insn = l->insn;
	bool no_result = insn->opcode.op->op == DRM_VSM_OP_MBARRIER_TRY_WAIT && !l->result.length;

	insn->untimed = no_result || strstr(found->ptx, "in a loop");
	if (no_result && insn->operands[insn->count - 1].role == PTX_HINT)
		insn->count--;
}

static bool parse_form(struct line *l)
{
	struct found_form found;
	struct form_hint hint;
	char text[QUOTE_SIZE], nearest[MEANT_SIZE];

	if (!form_of_nvvm(l->name, &found, &hint))
		return error_at(l->c, l->name.text,
				"%s is no operation of NVVM that vsm knows%s",
				quote(text, l->name), meant(&hint.nearest, "", nearest));
	if (!is_readable(&found, l->insn))
		return error_at(l->c, l->name.text,
				"scenarios do not read %.*s; write it as PTX, for example: %s",
				(int)l->name.length, l->name.text, found.ptx);
	l->shared = ends_with(l->name, ".shared");
	if (!parse_operands(l, &found) || !parse_attributes(l) || !set_opcode(l, &found) ||
	    !parse_types(l))
		return false;
	set_loop(l, &found);
	return true;
}

/* --- values from elsewhere ------------------------------------------------ */

/* Parses memref.get_global @NAME: the address of a symbol in the window of the executing CTA. */
static bool parse_symbol(struct line *l, struct operand *operand)
{
	struct span name;
	int symbol;

	if (!need(l->c, '@') || !need_name(l->c, "the name of a symbol", &name))
		return false;
	symbol = names_need(l->names->symbols, l->c, "symbol", name);
	if (symbol < 0)
		return false;
	operand->kind = OPERAND_ADDRESS;
	operand->own = true;
	operand->number = l->names->symbol_offsets[symbol];
	return true;
}

static bool parse_constant_type(struct line *l, struct span *name, unsigned int *bits)
{
	static const char *const types[] = { "i1", "i32", "i64", "index" };
	static const unsigned int widths[] = { 1, 32, 64, 64 };
	struct cursor ahead = *l->c;
	unsigned int type;

	if (!take(&ahead, ':'))
		return true;
	*l->c = ahead;
	*name = take_word(&ahead);
	if (!need_choice(l->c, types, ARRAY_SIZE(types), &type))
		return false;
	if (*bits && *bits != widths[type])
		return error_at(l->c, name->text, "a constant has one type, not two");
	*bits = widths[type];
	return true;
}

/*
 * Parses a constant, arith.constant N : type or llvm.mlir.constant(N : type) : type. A constant
 * without a type is i32. Sets @bits to its width.
 */
static bool parse_constant(struct line *l, struct operand *operand, unsigned int *bits)
{
	bool llvm = begins_with(l->name, "llvm.");
	struct span type = { .text = "i32", .length = 3 };
	char number[QUOTE_SIZE];
	struct span digits;

	operand->kind = OPERAND_NUMBER;
	*bits = 0;
	if (llvm && !need(l->c, '('))
		return false;
	skip_spaces(l->c);
	digits.text = l->c->at;
	if (!need_number(l->c, "a constant", UINT64_MAX, &operand->number))
		return false;
	digits.length = l->c->at - digits.text;
	if (llvm && (!parse_constant_type(l, &type, bits) || !need(l->c, ')')))
		return false;
	if (!parse_constant_type(l, &type, bits))
		return false;
	if (!*bits)
		*bits = 32;
	return *bits == 64 || !(operand->number >> *bits) ||
	       error_at(l->c, digits.text, "%s is too large for %.*s", quote(number, digits),
			(int)type.length, type.text);
}

static bool parse_definition(struct line *l, bool symbol)
{
	struct operand *to, *from;
	unsigned int bits = 64;

	if (!l->result.length)
		return error_at(l->c, l->name.text, "%.*s without a result does nothing",
				(int)l->name.length, l->name.text);
	if (!form_opcode("mov.b64", "", l->insn))
		return false;
	to = instruction_add(l->insn, PTX_VALUE_OUT);
	to->kind = OPERAND_REGISTER;
	from = instruction_add(l->insn, PTX_VALUE);
	if (symbol ? !parse_symbol(l, from) : !parse_constant(l, from, &bits))
		return false;
	to->bits = bits;
	return parse_types(l);
}

bool nvvm_parse(struct cursor *c, struct instruction *insn, const struct ptx_names *names)
{
	struct line l = { .c = c, .insn = insn, .names = names };
	bool good;

	if (!at_end(c) && *c->at == '%' &&
	    (!need_value(c, "a result", &l.result) || !need(c, '=')))
		return false;
	l.name = take_dotted(c);
	if (span_is(l.name, "memref.get_global"))
		good = parse_definition(&l, true);
	else if (span_is(l.name, "arith.constant") || span_is(l.name, "llvm.mlir.constant"))
		good = parse_definition(&l, false);
	else
		good = parse_form(&l);
	if (!good)
		return false;
	write_result(&l);
	ptx_set_mods(insn);
	return true;
}
