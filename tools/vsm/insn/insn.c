// SPDX-License-Identifier: MIT
/* Instructions of scenarios, in the spelling of PTX: looks up opcodes, and reads operands. */
#include <inttypes.h>
#include <string.h>

#include "base.h"
#include "insn/insn.h"
#include "vsm_syntax.h"

/* --- lookup --------------------------------------------------------------- */

/*
 * Returns the next name of a list of names, without its operands. Moves @list to the name after it,
 * or to the end.
 */
static struct span next_name(const char **list)
{
	struct span name = { .text = *list, .length = strcspn(*list, ", ") };

	*list += name.length;
	if (**list == ' ')
		*list += strlen(*list);
	*list += strspn(*list, ", ");
	return name;
}

/* Is @name the name @listed? If @listed is "a{.shared}", it stands for "a" and "a.shared". */
static bool is_name(struct span name, struct span listed)
{
	struct span shared = { .text = "{.shared}", .length = 9 };

	if (listed.length > shared.length &&
	    !memcmp(listed.text + listed.length - shared.length, shared.text, shared.length)) {
		listed.length -= shared.length;
		if (name.length == listed.length + 7 &&
		    !memcmp(name.text + listed.length, ".shared", 7))
			name.length -= 7;
	}
	return name.length == listed.length && !memcmp(name.text, listed.text, name.length);
}

static void try_name(struct form_hint *hint, struct span name)
{
	char text[QUOTE_SIZE];

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(name.text, "{, "), name.text);
	nearest_try(&hint->nearest, text);
	if (hint->nearest.name != text)
		return;
	memcpy(hint->name, text, sizeof(text));
	hint->nearest.name = hint->name;
}

static bool is_listed(struct span name, const char *list, struct form_hint *hint)
{
	while (*list) {
		struct span listed = next_name(&list);

		if (is_name(name, listed))
			return true;
		try_name(hint, listed);
	}
	return false;
}

const char *form_ptx(const struct ptx_op *op, const struct ptx_form *form, char text[FORM_SIZE])
{
	snprintf(text, FORM_SIZE, "%s%s", op->name, form->rest);
	return text;
}

/* Finds a form by the name of its machine instruction if @machine, or else by its NVVM name. */
static bool find_form(struct span name, bool machine, struct found_form *found,
		      struct form_hint *hint)
{
	unsigned int i, j;

	*hint = (struct form_hint){ .nearest.word = name };
	for (i = 0; i < ptx_op_count; i++) {
		const struct ptx_op *op = &ptx_ops[i];

		for (j = 0; j < PTX_FORMS && op->forms[j].rest; j++) {
			const struct ptx_form *form = &op->forms[j];

			if (!is_listed(name, machine ? form->machine : form->nvvm, hint))
				continue;
			found->form = form;
			form_ptx(op, form, found->ptx);
			return true;
		}
	}
	return false;
}

bool form_of_nvvm(struct span name, struct found_form *found, struct form_hint *hint)
{
	return find_form(name, false, found, hint);
}

bool form_of_machine(struct span name, struct found_form *found, struct form_hint *hint)
{
	return find_form(name, true, found, hint);
}

const char *form_machine_operands(const struct ptx_form *form)
{
	const char *machine = form->machine + strcspn(form->machine, ", ");

	return *machine == ' ' ? machine + 1 : NULL;
}

bool form_opcode(const char *ptx, const char *qualifiers, struct instruction *insn)
{
	bool typed = !strncmp(ptx, "mbarrier.", 9) || !strncmp(ptx, "cp.async.mbarrier.", 18);
	/* Begin with MAX_ERRORS errors, because then the parser prints no error. */
	struct errors errors = { .count = MAX_ERRORS };
	struct ptx_order order = { };
	struct cursor c = { .errors = &errors };
	char opcode[128];
	int length;

	length = snprintf(opcode, sizeof(opcode), "%.*s%s%s", (int)strcspn(ptx, " "), ptx,
			  qualifiers, typed ? ".b64" : "");
	if (length >= (int)sizeof(opcode))
		return false;
	c.start = opcode;
	c.at = opcode;
	c.end = opcode + length;
	return ptx_parse_opcode(&c, &insn->opcode, &order) && !order.where && c.at == c.end;
}

/* --- operands ------------------------------------------------------------- */

/* Values of struct role.bits. OF_TYPE: the operand has the width of the instruction's type. */
#define OF_TYPE		0
#define PREDICATE	1

static const struct role {
	const char *name;
	enum { DESTINATION, PAIR, SOURCE, ADDRESS, TENSOR } kind;
	unsigned int bits;
} roles[] = {
	[PTX_STATE_OUT] = { "state", DESTINATION, 64 },
	[PTX_COMPLETE_OUT] = { "waitComplete", DESTINATION, PREDICATE },
	[PTX_COUNT_OUT] = { "count", DESTINATION, 32 },
	[PTX_VALUE_OUT] = { "d", DESTINATION, OF_TYPE },
	[PTX_MASK_OUT] = { "d", DESTINATION, 32 },
	[PTX_PRED_OUT] = { "p", DESTINATION, PREDICATE },
	[PTX_MATCH_OUT] = { "d|p", PAIR, 0 },
	[PTX_ELECT_OUT] = { "d|p", PAIR, 0 },
	[PTX_SHFL_OUT] = { "d|p", PAIR, 0 },
	[PTX_SHARED] = { "address in shared memory", ADDRESS, 0 },
	[PTX_SOURCE] = { "address of the source", ADDRESS, 0 },
	[PTX_MBAR] = { "mbar", ADDRESS, 0 },
	[PTX_GLOBAL] = { "address in global memory", ADDRESS, 0 },
	[PTX_MEMORY] = { "address", ADDRESS, 0 },
	[PTX_TENSOR] = { "tensor", TENSOR, 0 },
	[PTX_COORD] = { "tensorCoords", SOURCE, 32 },
	[PTX_COUNT] = { "count", SOURCE, 32 },
	[PTX_TX_COUNT] = { "txCount", SOURCE, 32 },
	[PTX_STATE] = { "state", SOURCE, 64 },
	[PTX_PARITY] = { "phaseParity", SOURCE, 32 },
	[PTX_HINT] = { "suspendTimeHint", SOURCE, 32 },
	[PTX_SIZE] = { "size", SOURCE, 32 },
	[PTX_CP_SIZE] = { "cp-size", SOURCE, 32 },
	[PTX_SRC_SIZE] = { "src-size", SOURCE, 32 },
	[PTX_POLICY] = { "cache-policy", SOURCE, 64 },
	[PTX_VALUE] = { "value", SOURCE, OF_TYPE },
	[PTX_RANK] = { "rank", SOURCE, 32 },
	[PTX_IN_FLIGHT] = { "N", SOURCE, 32 },
	[PTX_CTA_MASK] = { "ctaMask", SOURCE, 16 },
	[PTX_BYTE_MASK] = { "byteMask", SOURCE, 16 },
	[PTX_OFFSET] = { "im2colOffsets", SOURCE, 16 },
	[PTX_MEMBERMASK] = { "membermask", SOURCE, 32 },
	[PTX_LANE] = { "b", SOURCE, 32 },
	[PTX_CLAMP] = { "c", SOURCE, 32 },
	[PTX_VOTE] = { "a", SOURCE, PREDICATE },
	[PTX_BARRIER] = { "a", SOURCE, 32 },
	[PTX_THREADS] = { "b", SOURCE, 32 },
	[PTX_PREDICATE] = { "c", SOURCE, PREDICATE },
};

static const char *width_name(unsigned int bits)
{
	switch (bits) {
	case PREDICATE:
		return "a predicate (%p...)";
	case 64:
		return "a register of 64 bits (%rd...)";
	default:
		return "a register of 32 bits (%r...)";
	}
}

/*
 * Reads the name of a register at the cursor, which is behind the %. Sets @name to the name with
 * the %. The name says how wide the register is: @bits is 1, 32 or 64.
 */
static bool ptx_parse_register(struct cursor *c, struct span *name, unsigned int *bits)
{
	const char *start = c->at;
	char text[QUOTE_SIZE];

	/* The % has been taken. */
	*name = take_word(c);
	if (name->text != start || !name->length)
		return error_at(c, start, "expected a register's name after %%");
	if (name->text[0] == 'p')
		*bits = PREDICATE;
	else if (name->length > 1 && name->text[0] == 'r' && name->text[1] == 'd')
		*bits = 64;
	else if (name->text[0] == 'r')
		*bits = 32;
	else
		return error_at(c, start,
				"%s is not a register: there are %%r... (32 bits), %%rd... (64 bits) and %%p... (predicates)",
				quote(text, *name));
	name->text--;
	name->length++;
	return true;
}

/* Returns the width in bits that an operand must have. */
static unsigned int role_bits(const struct instruction *insn, const struct operand *operand)
{
	unsigned int bits = roles[operand->role].bits;

	return bits == OF_TYPE ? ptx_type_bits(insn->opcode.quals[PTX_TYPE]) : bits;
}

static bool register_fits(const struct instruction *insn, const struct operand *operand,
			  unsigned int bits)
{
	unsigned int wanted = role_bits(insn, operand);

	/* In PTX the registers of ld and st may be wider than the value in memory. */
	if (insn->opcode.op->action == PTX_LD || insn->opcode.op->action == PTX_ST)
		return bits != PREDICATE && bits >= wanted;
	/* PTX: a predicate in the place of src-size is the operand ignore-src. */
	if (operand->role == PTX_SRC_SIZE && bits == PREDICATE)
		return true;
	/* Scenarios have no registers of 16 bits. Registers of 32 bits hold such operands. */
	return bits == (wanted == 16 ? 32 : wanted);
}

/*
 * The name of a PTX register says how wide it is. But an earlier NVVM operation may have written a
 * value of another width to a register of this name.
 */
static bool check_holds(const struct cursor *c, const char *where, const struct ptx_names *names,
			int reg, struct span name, unsigned int bits)
{
	enum holds holds = names->holds(names->parser, reg);

	return holds == HOLDS_NOTHING || holds == holds_bits(bits) ||
	       error_at(c, where, "%.*s is %s, but an operation of NVVM has given it another width",
			(int)name.length, name.text, width_name(bits));
}

static bool parse_register_operand(struct cursor *c, const struct instruction *insn,
				   const struct ptx_names *names, struct operand *operand)
{
	const char *where = c->at - 1;
	unsigned int bits;
	struct span name;

	if (!ptx_parse_register(c, &name, &bits))
		return false;
	if (!register_fits(insn, operand, bits))
		return error_at(c, where, "%s of %s must be %s, not %.*s",
				roles[operand->role].name, insn->opcode.op->name,
				width_name(role_bits(insn, operand)), (int)name.length, name.text);
	if (operand->role == PTX_CP_SIZE || operand->role == PTX_IN_FLIGHT)
		return error_at(c, where, "%s is a number, not a register",
				roles[operand->role].name);
	operand->kind = OPERAND_REGISTER;
	operand->reg = names->read(names->parser, c, where, name);
	operand->bits = bits;
	return operand->reg >= 0 && check_holds(c, where, names, operand->reg, name, bits);
}

static bool check_cp_size(const struct cursor *c, const char *where,
			  const struct instruction *insn, uint64_t size)
{
	bool cg = insn->opcode.op->mods & DRM_VSM_MOD_CG;

	if (size == 16 || (!cg && (size == 4 || size == 8)))
		return true;
	return error_at(c, where, "only %s bytes are supported for %s", cg ? "16" : "4, 8 and 16",
			cg ? "cp.async.cg" : "cp.async.ca");
}

/* Returns the largest number that an operand may be. */
static uint64_t role_max(const struct instruction *insn, const struct operand *operand)
{
	unsigned int bits = role_bits(insn, operand);

	switch (operand->role) {
	case PTX_RANK:
		return UINT8_MAX;
	case PTX_OFFSET:
		return (1U << ptx_offset_bits(insn->opcode.op->dims)) - 1;
	default:
		return bits == 64 ? UINT64_MAX : (1ULL << bits) - 1;
	}
}

/* Takes a special register without its %. A CTA has one dimension: of %tid only %tid.x exists. */
static bool take_special(struct cursor *c, struct operand *operand)
{
	static const char *const names[] = {
		[PTX_LANEID] = "laneid",
		[PTX_TID] = "tid",
		[PTX_CTARANK] = "cluster_ctarank",
	};
	struct cursor ahead = *c;
	struct span name = take_word(&ahead);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!span_is(name, names[i]))
			continue;
		if (i == PTX_TID && !(take(&ahead, '.') && span_is(take_word(&ahead), "x")))
			return false;
		operand->kind = OPERAND_SPECIAL;
		operand->number = i;
		*c = ahead;
		return true;
	}
	return false;
}

static bool parse_source(struct cursor *c, const struct instruction *insn,
			 const struct ptx_names *names, struct operand *operand)
{
	const char *name = roles[operand->role].name;
	const char *where;
	char text[QUOTE_SIZE];
	bool mask = operand->role == PTX_MEMBERMASK;
	int64_t number;

	if (operand->role == PTX_VOTE || operand->role == PTX_PREDICATE)
		operand->inverted = take(c, '!');
	skip_spaces(c);
	where = c->at;
	if (take(c, '%')) {
		if (!take_special(c, operand))
			return parse_register_operand(c, insn, names, operand);
		return (insn->opcode.op->action == PTX_MOV && role_bits(insn, operand) == 32) ||
		       error_at(c, where, "only mov of 32 bits reads a special register");
	}
	operand->kind = OPERAND_NUMBER;
	if ((operand->role == PTX_COORD || mask) && (at_number(c) || *where == '-')) {
		if (!need_signed(c, name, INT32_MIN, mask ? UINT32_MAX : INT32_MAX, &number))
			return false;
		operand->number = (uint32_t)number;
		return true;
	}
	if (!at_number(c))
		return error_at(c, where, "expected %s, a register or a number, found %s", name,
				found(c, text));
	if (!need_number(c, name, role_max(insn, operand), &operand->number))
		return false;
	return operand->role != PTX_CP_SIZE || check_cp_size(c, where, insn, operand->number);
}

/* Parses a destination. It may be _ if @sink is true. */
static bool parse_destination(struct cursor *c, const struct instruction *insn,
			      struct operand *operand, bool sink, struct span *name)
{
	const char *where;
	unsigned int bits;
	char text[QUOTE_SIZE];

	skip_spaces(c);
	where = c->at;
	if (sink && take(c, '_')) {
		operand->kind = OPERAND_SINK;
		return true;
	}
	if (!take(c, '%'))
		return error_at(c, where, "expected %s, a register%s, found %s",
				roles[operand->role].name, sink ? " or _" : "", found(c, text));
	if (!ptx_parse_register(c, name, &bits))
		return false;
	if (!register_fits(insn, operand, bits))
		return error_at(c, where, "%s of %s must be %s, not %.*s",
				roles[operand->role].name, insn->opcode.op->name,
				width_name(role_bits(insn, operand)), (int)name->length,
				name->text);
	if (operand->role == PTX_STATE_OUT &&
	    insn->opcode.quals[PTX_SPACE] == DRM_VSM_SPACE_SHARED_CLUSTER)
		return error_at(c, where, "%s.shared::cluster returns no state: write _",
				insn->opcode.op->name);
	operand->kind = OPERAND_REGISTER;
	operand->bits = bits;
	return true;
}

/*
 * Parses the pair of destinations d|p. elect.sync has both; match.sync and shfl.sync may have only
 * d. In elect.sync d may be _, in match.sync d or p.
 */
static bool parse_pair(struct cursor *c, struct instruction *insn, uint8_t role,
		       struct span written[2])
{
	struct operand *d = instruction_add(insn, PTX_MASK_OUT);
	struct operand *p = NULL;
	const char *where;

	skip_spaces(c);
	where = c->at;
	if (!parse_destination(c, insn, d, role != PTX_SHFL_OUT, &written[0]))
		return false;
	if (role == PTX_ELECT_OUT ? need(c, '|') : take(c, '|'))
		p = instruction_add(insn, PTX_PRED_OUT);
	else if (role == PTX_ELECT_OUT)
		return false;
	if (p && !parse_destination(c, insn, p, role == PTX_MATCH_OUT, &written[1]))
		return false;
	return d->kind != OPERAND_SINK || (p && p->kind != OPERAND_SINK) ||
	       error_at(c, where, "_ may replace only one of d and p: %s writes the other",
			insn->opcode.op->name);
}

static bool is_global(const struct instruction *insn, const struct operand *operand)
{
	return operand->role == PTX_GLOBAL ||
	       (operand->role == PTX_MEMORY && insn->opcode.quals[PTX_SPACE] == PTX_SPACE_GLOBAL);
}

/* Parses one of the terms of an address: a register, a number or, if @global, a buffer. */
static bool parse_term(struct cursor *c, const struct ptx_names *names, struct operand *operand,
		       bool global)
{
	char text[QUOTE_SIZE];
	const char *where;
	struct span name;
	unsigned int bits;
	uint64_t number;

	skip_spaces(c);
	where = c->at;
	if (take(c, '%')) {
		if (!ptx_parse_register(c, &name, &bits))
			return false;
		if (bits == PREDICATE)
			return error_at(c, where, "a predicate is not an address");
		if (operand->reg >= 0)
			return error_at(c, where, "an address has at most one register");
		operand->reg = names->read(names->parser, c, where, name);
		return operand->reg >= 0;
	}
	if (at_number(c)) {
		if (!need_number(c, "an address", UINT64_MAX, &number))
			return false;
		if (__builtin_add_overflow(operand->number, number, &operand->number))
			return error_at(c, where, "the address has more than 64 bits");
		return true;
	}
	name = take_word(c);
	if (!name.length)
		return error_at(c, where, "expected a register, a number or a buffer, found %s",
				found(c, text));
	if (!global)
		return error_at(c, where,
				"an address in shared memory is a number or a register, not a name");
	if (operand->buffer >= 0)
		return error_at(c, where, "an address names only one buffer");
	operand->buffer = names_need(names->buffers, c, "buffer", name);
	return operand->buffer >= 0;
}

static bool parse_address(struct cursor *c, const struct instruction *insn,
			  const struct ptx_names *names, struct operand *operand)
{
	bool global = is_global(insn, operand);
	const char *where;

	skip_spaces(c);
	where = c->at;
	if (!need(c, '['))
		return false;
	operand->kind = OPERAND_ADDRESS;
	do {
		if (!parse_term(c, names, operand, global))
			return false;
	} while (take(c, '+'));
	if (!need(c, ']'))
		return false;
	if (global) {
		if (operand->buffer < 0)
			return error_at(c, where,
					"an address in global memory names its buffer: [buffer+offset]");
		return true;
	}
	if (operand->number > UINT32_MAX)
		return error_at(c, where, "an address in shared memory has 32 bits");
	operand->own = operand->reg < 0 && operand->number < 1U << VSM_SHARED_RANK_SHIFT &&
		       (operand->role == PTX_SOURCE ||
			insn->opcode.quals[PTX_SPACE] == DRM_VSM_SPACE_SHARED_CTA);
	return true;
}

/* Parses {a, b, ...}: exactly @elements sources, all with the same role. */
static bool parse_vector(struct cursor *c, struct instruction *insn,
			 const struct ptx_names *names, uint8_t role, unsigned int elements)
{
	unsigned int i;

	if (!need(c, '{'))
		return false;
	for (i = 0; i < elements; i++) {
		if (i && !take(c, ','))
			break;
		if (!parse_source(c, insn, names, instruction_add(insn, role)))
			return false;
	}
	if (i < elements || !take(c, '}'))
		return error_at(c, c->at, "%s of %s must have %u element%s", roles[role].name,
				insn->opcode.op->name, elements, elements == 1 ? "" : "s");
	return true;
}

/* Parses [tensorMap, {coordinates}]. */
static bool parse_tensor(struct cursor *c, struct instruction *insn,
			 const struct ptx_names *names)
{
	struct operand *operand = instruction_add(insn, PTX_MAP);
	struct span name;

	if (!need(c, '[') || !need_name(c, "a tensor map", &name))
		return false;
	operand->kind = OPERAND_MAP;
	operand->map = names_need(names->maps, c, "tensor map", name);
	return operand->map >= 0 && need(c, ',') &&
	       parse_vector(c, insn, names, PTX_COORD, insn->opcode.op->dims) && need(c, ']');
}

/*
 * Counts the operands in the rest of the line. An address, a vector and a [tensorMap,
 * {coordinates}] are one operand each.
 */
static unsigned int count_operands(const struct cursor *c)
{
	bool address = false, vector = false;
	struct cursor ahead = *c;
	unsigned int count = 1;

	if (at_end(&ahead) || *ahead.at == ';')
		return 0;
	while (!at_end(&ahead)) {
		char character = *ahead.at++;

		if (character == '[')
			address = true;
		else if (character == '{')
			vector = true;
		else if (character == '}' || character == ']')
			vector = false;
		else if (character == ',' && !vector)
			count += !address || at_end(&ahead) || *ahead.at != '{';
		if (character == ']')
			address = false;
	}
	return count;
}

void ptx_set_mods(struct instruction *insn)
{
	unsigned int i;

	insn->mods = ptx_opcode_mods(&insn->opcode);
	for (i = 0; i < insn->count; i++) {
		const struct operand *operand = &insn->operands[i];

		if (operand->kind == OPERAND_SINK && operand->role == PTX_STATE_OUT)
			insn->mods |= DRM_VSM_MOD_SINK;
		insn->mods |= ptx_role_mod(insn->opcode.op->op, operand->role);
	}
}

/* Appends to the text " without QUALIFIER or QUALIFIER". */
static void add_without(char *text, size_t size, const char *qualifier)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s", used ? " or " : " without ", qualifier);
}

static bool assign_roles(const struct cursor *c, const struct instruction *insn,
			 unsigned int count, uint8_t assigned[PTX_OPERANDS])
{
	int surplus = ptx_assign_roles(&insn->opcode, count, assigned);
	const struct ptx_op *op = insn->opcode.op;
	char without[96] = "";
	unsigned int i;

	if (surplus < 0)
		return error_at(c, c->end, "%s lacks its %s; PTX has %s%s", op->name,
				roles[assigned[count]].name, op->name, op->syntax);
	if (!surplus)
		return true;
	for (i = 0; surplus == 1 && i < PTX_OPERANDS; i++) {
		const char *qualifier;
		bool given = false;

		qualifier = ptx_required_by(&insn->opcode, op->roles[i], &given);
		if (qualifier && !given)
			add_without(without, sizeof(without), qualifier);
	}
	return error_at(c, c->at, "%s has too many operands%s; PTX has %s%s", op->name, without,
			op->name, op->syntax);
}

static bool parse_operand(struct cursor *c, struct instruction *insn,
			  const struct ptx_names *names, uint8_t role, struct span written[2])
{
	unsigned int elements = role == PTX_OFFSET ? insn->opcode.op->dims - 2U :
						     insn->opcode.quals[PTX_VECTOR];

	switch (roles[role].kind) {
	case DESTINATION:
		return parse_destination(c, insn, instruction_add(insn, role),
					 role == PTX_STATE_OUT, &written[0]);
	case PAIR:
		return parse_pair(c, insn, role, written);
	case ADDRESS:
		return parse_address(c, insn, names, instruction_add(insn, role));
	case TENSOR:
		return parse_tensor(c, insn, names);
	default:
		if (role == PTX_OFFSET || (role == PTX_VALUE && elements))
			return parse_vector(c, insn, names, role, elements);
		return parse_source(c, insn, names, instruction_add(insn, role));
	}
}

bool ptx_parse_operands(struct cursor *c, struct instruction *insn,
			const struct ptx_names *names)
{
	uint8_t assigned[PTX_OPERANDS];
	struct span written[2] = { };
	const char *behind = c->at;
	unsigned int count, i;

	if (!at_end(c) && c->at == behind && *c->at != ';') {
		char text[QUOTE_SIZE];

		return error_at(c, c->at, "expected a space after %s, found %s",
				insn->opcode.op->name, found(c, text));
	}
	count = count_operands(c);
	if (!assign_roles(c, insn, count, assigned))
		return false;
	for (i = 0; i < count; i++)
		if ((i && !need(c, ',')) || !parse_operand(c, insn, names, assigned[i], written))
			return false;
	take(c, ';');
	if (!need_end(c))
		return false;
	/* Write the destinations last: the sources must not see the new values. */
	for (i = 0; i < ARRAY_SIZE(written); i++)
		if (written[i].length)
			insn->operands[i].reg =
				names->write(names->parser, written[i],
					     holds_bits(insn->operands[i].bits), false);
	ptx_set_mods(insn);
	return true;
}
