// SPDX-License-Identifier: MIT
/* Parses opcodes, and finds what their operands are and where the device's instruction has them. */
#include <ctype.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "vsm_syntax.h"

/* --- opcodes -------------------------------------------------------------- */

#define MAX_PARTS	16

static const struct qualifier {
	const char *name;
	uint8_t group;
	uint8_t value;
} qualifiers[] = {
	{ "acquire", PTX_SEM, DRM_VSM_SEM_ACQUIRE },
	{ "release", PTX_SEM, DRM_VSM_SEM_RELEASE },
	{ "relaxed", PTX_SEM, DRM_VSM_SEM_RELAXED },
	{ "acq_rel", PTX_SEM, DRM_VSM_SEM_ACQ_REL },
	{ "sc", PTX_SEM, DRM_VSM_SEM_SC },
	{ "weak", PTX_SEM, PTX_SEM_WEAK },
	{ "volatile", PTX_SEM, PTX_SEM_VOLATILE },
	{ "cta", PTX_SCOPE, DRM_VSM_SCOPE_CTA },
	{ "cluster", PTX_SCOPE, DRM_VSM_SCOPE_CLUSTER },
	{ "gpu", PTX_SCOPE, DRM_VSM_SCOPE_GPU },
	{ "sys", PTX_SCOPE, DRM_VSM_SCOPE_SYS },
	{ "shared::cta", PTX_SPACE, DRM_VSM_SPACE_SHARED_CTA },
	{ "shared::cluster", PTX_SPACE, DRM_VSM_SPACE_SHARED_CLUSTER },
	{ "global", PTX_SPACE, PTX_SPACE_GLOBAL },
	{ "local", PTX_SPACE, PTX_SPACE_LOCAL },
	{ "const", PTX_SPACE, PTX_SPACE_CONST },
	{ "param", PTX_SPACE, PTX_SPACE_PARAM },
	{ "tile", PTX_MODE, PTX_MODE_TILE },
	{ "im2col", PTX_MODE, PTX_MODE_IM2COL },
	{ "im2col_no_offs", PTX_MODE, PTX_MODE_IM2COL_NO_OFFS },
	{ "mbarrier::complete_tx::bytes", PTX_COMPLETION, PTX_COMPLETION_MBARRIER },
	{ "bulk_group", PTX_COMPLETION, PTX_COMPLETION_GROUP },
	{ "multicast::cluster", PTX_MULTICAST, 0 },
	{ "tile::gather4", PTX_NEWER, PTX_NEWER_LOAD },
	{ "im2col::w", PTX_NEWER, PTX_NEWER_LOAD },
	{ "im2col::w::128", PTX_NEWER, PTX_NEWER_LOAD },
	{ "tile::scatter4", PTX_NEWER, PTX_NEWER_STORE },
	{ "cta_group::1", PTX_NEWER, PTX_NEWER_GROUP },
	{ "cta_group::2", PTX_NEWER, PTX_NEWER_GROUP },
	{ "L2::cache_hint", PTX_CACHE_HINT, 0 },
	{ "cp_mask", PTX_CP_MASK, 0 },
	{ "L2::64B", PTX_PREFETCH, PTX_PREFETCH_64B },
	{ "L2::128B", PTX_PREFETCH, PTX_PREFETCH_128B },
	{ "L2::256B", PTX_PREFETCH, PTX_PREFETCH_256B },
	{ "v2", PTX_VECTOR, 2 },
	{ "v4", PTX_VECTOR, 4 },
	{ "add", PTX_REDUCTION, DRM_VSM_RED_ADD },
	{ "min", PTX_REDUCTION, DRM_VSM_RED_MIN },
	{ "max", PTX_REDUCTION, DRM_VSM_RED_MAX },
	{ "inc", PTX_REDUCTION, DRM_VSM_RED_INC },
	{ "dec", PTX_REDUCTION, DRM_VSM_RED_DEC },
	{ "and", PTX_REDUCTION, DRM_VSM_RED_AND },
	{ "or", PTX_REDUCTION, DRM_VSM_RED_OR },
	{ "xor", PTX_REDUCTION, DRM_VSM_RED_XOR },
	{ "popc", PTX_REDUCTION, DRM_VSM_RED_POPC },
	{ "noftz", PTX_NOFTZ, 0 },
	{ "aligned", PTX_ALIGNED, 0 },
	{ "b8", PTX_TYPE, PTX_B8 },
	{ "b16", PTX_TYPE, PTX_B16 },
	{ "b32", PTX_TYPE, PTX_B32 },
	{ "b64", PTX_TYPE, PTX_B64 },
	{ "u8", PTX_TYPE, PTX_U8 },
	{ "u16", PTX_TYPE, PTX_U16 },
	{ "u32", PTX_TYPE, PTX_U32 },
	{ "u64", PTX_TYPE, PTX_U64 },
	{ "s8", PTX_TYPE, PTX_S8 },
	{ "s16", PTX_TYPE, PTX_S16 },
	{ "s32", PTX_TYPE, PTX_S32 },
	{ "s64", PTX_TYPE, PTX_S64 },
	{ "pred", PTX_TYPE, PTX_PRED },
	{ "b128", PTX_TYPE, PTX_B128 },
	{ "f16", PTX_TYPE, PTX_F16 },
	{ "bf16", PTX_TYPE, PTX_BF16 },
	{ "f32", PTX_TYPE, PTX_F32 },
	{ "f64", PTX_TYPE, PTX_F64 },
};

static const char *const group_nouns[] = {
	[PTX_SEM] = "ordering",
	[PTX_SCOPE] = "scope",
	[PTX_SPACE] = "state space",
	[PTX_MODE] = "mode",
	[PTX_COMPLETION] = "completion",
	[PTX_MULTICAST] = "multicast",
	[PTX_NEWER] = "newer qualifier",
	[PTX_CACHE_HINT] = "cache hint",
	[PTX_CP_MASK] = "mask",
	[PTX_PREFETCH] = "prefetch size",
	[PTX_VECTOR] = "vector",
	[PTX_REDUCTION] = "reduction",
	[PTX_NOFTZ] = "subnormals",
	[PTX_ALIGNED] = "alignment",
	[PTX_TYPE] = "type",
};

/* An opcode, split at its dots */
struct opcode {
	struct span parts[MAX_PARTS];
	unsigned int count;	/* number of parts */
	unsigned int next;	/* index of the next part to parse */
	int at[PTX_GROUPS];	/* index of the part that is the qualifier of each group */
};

/* Builds a list ".a, .b and .c" for a message. A list that is too long for @text is cut off. */
struct list {
	char text[320];
	size_t used;
	const char *last;
	unsigned int count;
};

static void list_write(struct list *list, const char *before)
{
	size_t left = sizeof(list->text) - list->used;
	int length = snprintf(list->text + list->used, left, "%s.%s", before, list->last);

	list->used += (size_t)length < left ? (size_t)length : left - 1;
}

static void list_add(struct list *list, const char *name)
{
	if (list->last)
		list_write(list, list->count > 1 ? ", " : "");
	list->last = name;
	list->count++;
}

static const char *list_end(struct list *list, const char *and)
{
	char before[8] = "";

	if (list->count > 1)
		snprintf(before, sizeof(before), " %s ", and);
	if (list->last)
		list_write(list, before);
	return list->text;
}

/* The first part of a name or of the rest of a name: "cta" of "cta.b64". */
static struct span first_part(const char *name)
{
	return (struct span){ .text = name, .length = strcspn(name, ".") };
}

static bool part_is(struct span part, struct span name, bool bulk)
{
	/* PTX: .shared is short for .shared::cta, except in the names of bulk copies. */
	if (!bulk && span_is(name, "shared::cta") && span_is(part, "shared"))
		return true;
	return part.length == name.length && !memcmp(part.text, name.text, name.length);
}

/*
 * Returns the number of parts with which both the opcode and @name begin. Sets @rest to the other
 * parts of @name.
 */
static unsigned int match_name(const struct opcode *opcode, const char *name, const char **rest)
{
	bool bulk = false;
	unsigned int i;

	for (i = 0; i < opcode->count && *name; i++) {
		struct span part = first_part(name);

		if (!part_is(opcode->parts[i], part, bulk))
			break;
		bulk |= span_is(part, "bulk");
		name += part.length;
		if (*name == '.')
			name++;
	}
	*rest = name;
	return i;
}

/* Lists up to @max parts that can follow the first @count parts of the opcode. */
static void list_next(const struct opcode *opcode, unsigned int count, struct list *list,
		      struct nearest *nearest, char names[][QUOTE_SIZE], unsigned int max)
{
	unsigned int used = 0;
	unsigned int i, j;

	for (i = 0; i < ptx_op_count; i++) {
		const char *rest;
		struct span part;

		if (match_name(opcode, ptx_ops[i].name, &rest) != count || !*rest)
			continue;
		part = first_part(rest);
		snprintf(names[used], QUOTE_SIZE, "%.*s", (int)part.length, part.text);
		for (j = 0; j < used && strcmp(names[j], names[used]); j++)
			;
		if (j < used)
			continue;
		nearest_try(nearest, names[used]);
		list_add(list, names[used]);
		if (++used == max)
			return;
	}
}

static bool no_such_op(const struct cursor *c, const struct opcode *opcode, unsigned int depth)
{
	struct nearest nearest = { };
	struct list list = { };
	char names[16][QUOTE_SIZE];
	char text[QUOTE_SIZE], hint[MEANT_SIZE];
	struct span before;

	if (depth < opcode->count) {
		nearest.word = opcode->parts[depth];
		list_next(opcode, depth, &list, &nearest, names, ARRAY_SIZE(names) - 1);
	}
	if (!depth)
		return error_at(c, opcode->parts[0].text, "%s is not an instruction%s",
				quote(text, opcode->parts[0]), meant(&nearest, "", hint));

	before = (struct span){
		.text = opcode->parts[0].text,
		.length = opcode->parts[depth - 1].text + opcode->parts[depth - 1].length -
			  opcode->parts[0].text,
	};
	if (depth == opcode->count) {
		nearest.word = (struct span){ .text = "", .length = 0 };
		list_next(opcode, depth, &list, &nearest, names, ARRAY_SIZE(names) - 1);
		return error_at(c, before.text + before.length, "%s must be followed by %s",
				quote(text, before), list_end(&list, "or"));
	}
	return error_at(c, opcode->parts[depth].text, "%s must be followed by %s%s",
			quote(text, before), list_end(&list, "or"), meant(&nearest, ".", hint));
}

/* Finds the longest name in ptx_lacking, of @depth parts or more, with which the opcode begins. */
static const char *find_lacking(const struct opcode *opcode, unsigned int depth)
{
	const char *found = NULL;
	unsigned int i;

	for (i = 0; ptx_lacking[i]; i++) {
		const char *rest;
		unsigned int parts = match_name(opcode, ptx_lacking[i], &rest);

		if (*rest || parts < depth)
			continue;
		found = ptx_lacking[i];
		depth = parts;
	}
	return found;
}

/* Finds the operation with the longest name with which the opcode begins. */
static bool find_op(const struct cursor *c, struct opcode *opcode, struct ptx_opcode *parsed)
{
	unsigned int deepest = 0;
	const char *lacking;
	unsigned int i;

	parsed->op = NULL;
	for (i = 0; i < ptx_op_count; i++) {
		const char *rest;
		unsigned int depth = match_name(opcode, ptx_ops[i].name, &rest);

		if (depth > deepest)
			deepest = depth;
		if (!*rest && depth > opcode->next) {
			parsed->op = &ptx_ops[i];
			opcode->next = depth;
		}
	}
	lacking = find_lacking(opcode, parsed->op ? opcode->next + 1 : deepest ? deepest : 1);
	if (lacking)
		return error_at(c, opcode->parts[0].text, "vsm does not have %s", lacking);
	if (!parsed->op)
		return no_such_op(c, opcode, deepest);
	return true;
}

static bool split(struct cursor *c, struct opcode *opcode)
{
	const char *at;

	skip_spaces(c);
	for (;;) {
		struct span part;

		at = c->at;
		while (c->at < c->end && (isalnum((unsigned char)*c->at) || *c->at == '_' ||
					  *c->at == ':'))
			c->at++;
		part = (struct span){ .text = at, .length = c->at - at };
		if (!part.length) {
			char text[QUOTE_SIZE];

			return error_at(c, at, "expected %s, found %s",
					opcode->count ? "a qualifier" : "an instruction",
					found(c, text));
		}
		if (opcode->count == MAX_PARTS)
			return error_at(c, at, "no instruction has so many qualifiers");
		opcode->parts[opcode->count++] = part;
		if (c->at == c->end || *c->at != '.')
			return true;
		c->at++;
	}
}

static const struct qualifier *find_qualifier(struct span part)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(qualifiers); i++)
		if (part_is(part, first_part(qualifiers[i].name), false))
			return &qualifiers[i];
	return NULL;
}

/* Moves the mode of a tensor copy behind the state spaces. PTX's examples have it before them. */
static void move_mode(struct opcode *opcode)
{
	struct span mode = opcode->parts[5];
	const struct qualifier *qualifier;

	if (opcode->count < 8 || !span_is(opcode->parts[3], "tensor"))
		return;
	qualifier = find_qualifier(mode);
	if (!qualifier || (qualifier->group != PTX_MODE && qualifier->group != PTX_NEWER))
		return;
	opcode->parts[5] = opcode->parts[6];
	opcode->parts[6] = opcode->parts[7];
	opcode->parts[7] = mode;
}

static const char *value_list(unsigned int group, uint32_t values, const char *and,
			      struct list *list)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(qualifiers); i++)
		if (qualifiers[i].group == group && values & BIT(qualifiers[i].value))
			list_add(list, qualifiers[i].name);
	return list_end(list, and);
}

static const char *group_list(const struct ptx_op *op, unsigned int group, const char *and,
			      struct list *list)
{
	return value_list(group, op->quals[group], and, list);
}

/* Keeps the first wrong .sem or .scope. It is reported unless the scenario expects the fault. */
static void __attribute__((format(printf, 3, 4)))
order_wrong(struct ptx_order *order, const char *where, const char *format, ...)
{
	va_list args;

	if (order->where)
		return;
	order->where = where;
	va_start(args, format);
	vsnprintf(order->message, sizeof(order->message), format, args);
	va_end(args);
}

static bool unknown_qualifier(const struct cursor *c, const struct opcode *opcode,
			      const struct ptx_op *op, struct span part)
{
	struct nearest nearest = { .word = part };
	struct list list = { };
	char names[16][QUOTE_SIZE];
	char text[QUOTE_SIZE], hint[MEANT_SIZE];
	unsigned int i, depth;
	const char *rest;

	depth = match_name(opcode, op->name, &rest);
	list_next(opcode, depth, &list, &nearest, names, ARRAY_SIZE(names) - 1);
	for (i = 0; i < list.count; i++)
		if (span_is(part, names[i]))
			return error_at(c, part.text, ".%s must follow %s at once", names[i],
					op->name);
	for (i = 0; i < ARRAY_SIZE(qualifiers); i++)
		if (op->quals[qualifiers[i].group] & BIT(qualifiers[i].value))
			nearest_try(&nearest, qualifiers[i].name);
	return error_at(c, part.text, "%s is not a qualifier of %s%s; PTX has %s%s",
			quote(text, part), op->name, meant(&nearest, ".", hint), op->name,
			op->syntax);
}

/*
 * Does the device accept an instruction with a wrong .sem or .scope and then refuse it with a
 * fault? Not if the operation requires a .sem or .scope.
 */
static bool device_has_orders(const struct ptx_op *op)
{
	return (op->action == PTX_EXEC || op->action == PTX_ISSUE) &&
	       !(op->required & (BIT(PTX_SEM) | BIT(PTX_SCOPE)));
}

/* Does this wrong .sem or .scope cause a fault? One that only fences have causes EINVAL. */
static bool causes_fault(const struct ptx_op *op, const struct qualifier *qualifier)
{
	if (qualifier->group == PTX_SEM)
		return qualifier->value <= DRM_VSM_SEM_RELEASE && device_has_orders(op);
	if (qualifier->group == PTX_SCOPE)
		return qualifier->value <= DRM_VSM_SCOPE_CLUSTER && device_has_orders(op);
	return false;
}

static bool parse_qualifier(const struct cursor *c, struct opcode *opcode,
			    struct ptx_opcode *parsed, struct ptx_order *order)
{
	struct span part = opcode->parts[opcode->next];
	const struct qualifier *qualifier = find_qualifier(part);
	const struct ptx_op *op = parsed->op;
	struct list list = { };
	char text[QUOTE_SIZE];
	const char *allowed;
	unsigned int group;

	if (!qualifier)
		return unknown_qualifier(c, opcode, op, part);
	group = qualifier->group;
	if (parsed->given & BIT(group))
		return error_at(c, part.text, "%s: %s has its %s already", quote(text, part),
				op->name, group_nouns[group]);
	parsed->given |= BIT(group);
	parsed->quals[group] = qualifier->value;
	opcode->at[group] = opcode->next;
	if (op->quals[group] & BIT(qualifier->value))
		return group != PTX_NEWER ||
		       error_at(c, part.text, "vsm does not have .%s of %s", qualifier->name,
				op->name);

	if (!op->quals[group]) {
		if (causes_fault(op, qualifier))
			order_wrong(order, part.text, "%s takes no %s", op->name,
				    group_nouns[group]);
		else
			error_at(c, part.text, "%s is not supported for %s; PTX has %s%s",
				 quote(text, part), op->name, op->name, op->syntax);
		return causes_fault(op, qualifier);
	}
	allowed = group_list(op, group, "and", &list);
	if (causes_fault(op, qualifier)) {
		order_wrong(order, part.text, "only %s %s %s supported for %s", allowed,
			    group_nouns[group], list.count > 1 ? "are" : "is", op->name);
		return true;
	}
	return error_at(c, part.text, "only %s %s %s supported for %s", allowed,
			group_nouns[group], list.count > 1 ? "are" : "is", op->name);
}

/*
 * Returns the place of a group in the opcode. Groups with the same place may have any order,
 * because PTX's examples have them in both orders: .sem.scope and .space, and the mode and the
 * completion of a tensor copy. The reduction of a tensor copy is before its mode and completion.
 */
static unsigned int place_of(const struct ptx_op *op, unsigned int group)
{
	if (group <= PTX_SPACE)
		return 0;
	if (group == PTX_REDUCTION && op->dims)
		return 1;
	return group <= PTX_COMPLETION ? PTX_COMPLETION : group;
}

static bool check_places(const struct cursor *c, const struct opcode *opcode,
			 const struct ptx_opcode *parsed)
{
	unsigned int first, second;
	char text[QUOTE_SIZE], other[QUOTE_SIZE];

	for (first = 0; first < PTX_GROUPS; first++) {
		for (second = 0; second < PTX_GROUPS; second++) {
			bool pair = first == PTX_SEM && second == PTX_SCOPE;
			int distance = opcode->at[second] - opcode->at[first];

			if (~parsed->given & (BIT(first) | BIT(second)) ||
			    (distance > 0 && (!pair || distance == 1)) ||
			    (place_of(parsed->op, first) >= place_of(parsed->op, second) && !pair))
				continue;
			return error_at(c, opcode->parts[opcode->at[second]].text,
					"%s must stand %safter %s; PTX has %s%s",
					quote(text, opcode->parts[opcode->at[second]]),
					pair ? "directly " : "",
					quote(other, opcode->parts[opcode->at[first]]),
					parsed->op->name, parsed->op->syntax);
		}
	}
	return true;
}

/* An instruction has both .sem and .scope or neither. With .weak or .volatile it has no .scope. */
static bool check_pair(const struct cursor *c, const struct opcode *opcode,
		       const struct ptx_opcode *parsed, struct ptx_order *order)
{
	bool sem = parsed->given & BIT(PTX_SEM);
	bool scope = parsed->given & BIT(PTX_SCOPE);
	const char *where;

	if (sem && parsed->quals[PTX_SEM] >= PTX_BEYOND) {
		if (!scope)
			return true;
		return error_at(c, opcode->parts[opcode->at[PTX_SCOPE]].text,
				".weak and .volatile take no scope");
	}
	/* Exceptions: barrier.cluster has no .scope; fence and st.async may have no .sem. */
	if (sem == scope || (parsed->op->quals[PTX_SEM] && !parsed->op->quals[PTX_SCOPE]) ||
	    (!sem && parsed->op->required & BIT(PTX_SCOPE)) ||
	    (!sem && parsed->op->quals[PTX_SEM] == BIT(PTX_SEM_WEAK)))
		return true;
	where = opcode->parts[opcode->at[sem ? PTX_SEM : PTX_SCOPE]].text;
	if (!device_has_orders(parsed->op))
		return error_at(c, where, ".sem and .scope must be given together");
	order_wrong(order, where, "%s has %s: .sem and .scope are given together or not at all",
		    parsed->op->name, sem ? "an ordering, no scope" : "a scope, no ordering");
	return true;
}

static bool check_required(const struct cursor *c, const struct ptx_opcode *parsed)
{
	uint16_t missing = parsed->op->required & ~parsed->given;
	struct list list = { };
	unsigned int group;

	if (!missing)
		return true;
	group = __builtin_ctz(missing);
	return error_at(c, c->at, "%s needs its %s, %s; PTX has %s%s", parsed->op->name,
			group_nouns[group], group_list(parsed->op, group, "or", &list),
			parsed->op->name, parsed->op->syntax);
}

/* Checks that the type fits the vector, the reduction and .noftz. */
static bool check_type(const struct cursor *c, const struct opcode *opcode,
		       const struct ptx_opcode *parsed)
{
	unsigned int reduction = parsed->quals[PTX_REDUCTION];
	unsigned int type = parsed->quals[PTX_TYPE];
	const struct ptx_op *op = parsed->op;
	const struct span *parts = opcode->parts;
	bool noftz = parsed->given & BIT(PTX_NOFTZ);
	struct list list = { };
	const char *allowed;

	if (parsed->quals[PTX_VECTOR] * ptx_type_bits(type) > 128)
		return error_at(c, parts[opcode->at[PTX_VECTOR]].text,
				"a vector has at most 16 bytes");
	if (!op->types)
		return true;
	if (!(op->types[reduction] & BIT(type))) {
		allowed = value_list(PTX_TYPE, op->types[reduction], "and", &list);
		return error_at(c, parts[opcode->at[PTX_TYPE]].text,
				"only %s type %s supported for .%.*s of %s", allowed,
				list.count > 1 ? "are" : "is",
				(int)parts[opcode->at[PTX_REDUCTION]].length,
				parts[opcode->at[PTX_REDUCTION]].text, op->name);
	}
	if (reduction == DRM_VSM_RED_ADD && (type == PTX_F16 || type == PTX_BF16))
		return noftz || error_at(c, parts[opcode->at[PTX_TYPE]].text,
					 ".add of .f16 and .bf16 must be .add.noftz");
	return !noftz || error_at(c, parts[opcode->at[PTX_NOFTZ]].text,
				  ".noftz is only for .add of .f16 and .bf16");
}

bool ptx_parse_opcode(struct cursor *c, struct ptx_opcode *parsed, struct ptx_order *order)
{
	struct opcode opcode = { };
	bool good = true;

	*parsed = (struct ptx_opcode){ };
	if (!split(c, &opcode))
		return false;
	move_mode(&opcode);
	if (!find_op(c, &opcode, parsed))
		return false;
	parsed->quals[PTX_SEM] = parsed->op->sem;
	parsed->quals[PTX_SPACE] = parsed->op->space;
	for (; opcode.next < opcode.count; opcode.next++)
		good &= parse_qualifier(c, &opcode, parsed, order);
	return good && check_places(c, &opcode, parsed) && check_required(c, parsed) &&
	       check_type(c, &opcode, parsed) && check_pair(c, &opcode, parsed, order);
}

/* --- operands ------------------------------------------------------------- */

/* --- operands --------------------------------------------------------------------- */

const char *ptx_required_by(const struct ptx_opcode *opcode, uint8_t role, bool *given)
{
	switch (role) {
	case PTX_POLICY:
		*given = opcode->given & BIT(PTX_CACHE_HINT);
		return ".L2::cache_hint";
	case PTX_CTA_MASK:
		*given = opcode->given & BIT(PTX_MULTICAST);
		return ".multicast::cluster";
	case PTX_BYTE_MASK:
		*given = opcode->given & BIT(PTX_CP_MASK);
		return ".cp_mask";
	case PTX_OFFSET:
		*given = opcode->quals[PTX_MODE] == PTX_MODE_IM2COL;
		return ".im2col";
	default:
		return NULL;
	}
}

int ptx_assign_roles(const struct ptx_opcode *opcode, unsigned int count,
		     uint8_t assigned[PTX_OPERANDS])
{
	const struct ptx_op *op = opcode->op;
	unsigned int wanted = 0, optional = 0;
	unsigned int i;

	for (i = 0; i < PTX_OPERANDS && op->roles[i]; i++) {
		bool given = false;

		if (ptx_required_by(opcode, op->roles[i], &given) ? given : i < op->needs)
			assigned[wanted++] = op->roles[i];
		else if (!ptx_required_by(opcode, op->roles[i], &given))
			optional = 1;
	}
	if (count < wanted || count > wanted + optional)
		return (int)count - (int)(count < wanted ? wanted : wanted + optional);
	if (count == wanted)
		return 0;
	/* The instruction has the optional operand, behind those that all instructions have. */
	memmove(assigned + op->needs + 1, assigned + op->needs, wanted - op->needs);
	assigned[op->needs] = op->roles[op->needs];
	/* Exception: the optional count of barrier.red is before the predicate. */
	if (assigned[op->needs] == PTX_THREADS && assigned[op->needs - 1] == PTX_PREDICATE) {
		assigned[op->needs - 1] = PTX_THREADS;
		assigned[op->needs] = PTX_PREDICATE;
	}
	return 0;
}

/* --- modifiers -------------------------------------------------------------------- */

uint16_t ptx_opcode_mods(const struct ptx_opcode *opcode)
{
	uint16_t mods = opcode->op->mods;

	if (opcode->given & BIT(PTX_MULTICAST))
		mods |= DRM_VSM_MOD_MULTICAST;
	if (opcode->given & BIT(PTX_CP_MASK))
		mods |= DRM_VSM_MOD_CP_MASK;
	if (opcode->given & BIT(PTX_ALIGNED))
		mods |= DRM_VSM_MOD_ALIGNED;
	if (opcode->quals[PTX_MODE] != PTX_MODE_TILE)
		mods |= DRM_VSM_MOD_IM2COL;
	return mods;
}

uint16_t ptx_role_mod(unsigned int op, uint8_t role)
{
	switch (role) {
	case PTX_HINT:
		return DRM_VSM_MOD_HINT;
	case PTX_SRC_SIZE:
		return DRM_VSM_MOD_SRC_SIZE;
	case PTX_THREADS:
		return DRM_VSM_MOD_COUNT;
	case PTX_COUNT:
		return op == DRM_VSM_OP_MBARRIER_INIT ? 0 : DRM_VSM_MOD_COUNT;
	default:
		return 0;
	}
}

/* --- the device's instruction ----------------------------------------------------- */

/* The traits of each operation, and the operands of all its forms together. */
#define VSM_OP(NAME, sems, traits) \
	[DRM_VSM_OP_##NAME] = { (traits), 0
#define VSM_FORM(mods, takes) | (takes)
#define VSM_OP_END },
static const struct { uint32_t traits, takes; } ops[] = {
#include "vsm_ops.h"
};

uint32_t ptx_op_traits(unsigned int op)
{
	return ops[op].traits;
}

bool ptx_op_stores(unsigned int op)
{
	return ops[op].takes & VSM_TAKES_STORE;
}

static unsigned int device_type(unsigned int type)
{
	static const uint8_t types[] = {
		[PTX_B32] = DRM_VSM_TYPE_B32,
		[PTX_U32] = DRM_VSM_TYPE_U32,
		[PTX_S32] = DRM_VSM_TYPE_S32,
		[PTX_B64] = DRM_VSM_TYPE_B64,
		[PTX_U64] = DRM_VSM_TYPE_U64,
		[PTX_S64] = DRM_VSM_TYPE_S64,
		[PTX_F16] = DRM_VSM_TYPE_F16,
		[PTX_F32] = DRM_VSM_TYPE_F32,
		[PTX_F64] = DRM_VSM_TYPE_F64,
		[PTX_BF16] = DRM_VSM_TYPE_BF16,
	};

	return types[type];
}

/*
 * Returns the field red, which has the reduction, the mode and the type. Each kind of operation
 * encodes them in its own way.
 */
static unsigned int device_red(const struct ptx_opcode *opcode)
{
	const struct ptx_op *op = opcode->op;
	unsigned int type = device_type(opcode->quals[PTX_TYPE]);

	if (op->dims)
		return DRM_VSM_RED_DIMS(opcode->quals[PTX_REDUCTION], op->dims);
	if (op->op == DRM_VSM_OP_MATCH_SYNC)
		return DRM_VSM_MODE(op->mode, type);
	if (op->mode)
		return op->mode;
	if (op->op == DRM_VSM_OP_BARRIER_RED)
		return opcode->quals[PTX_REDUCTION];
	return op->types ? DRM_VSM_RED(opcode->quals[PTX_REDUCTION], type) : 0;
}

void ptx_encode_opcode(const struct ptx_opcode *opcode, struct drm_vsm_insn *insn)
{
	insn->op = opcode->op->op;
	insn->space = opcode->quals[PTX_SPACE];
	/* st.async and red.async have only one order: their fields sem and scope must be 0. */
	if (!ptx_op_stores(insn->op)) {
		insn->sem = opcode->quals[PTX_SEM];
		insn->scope = opcode->quals[PTX_SCOPE];
	}
	insn->red = device_red(opcode);
}

#define FIELD(member) \
	{ offsetof(struct drm_vsm_insn, u.member), \
	  sizeof(((struct drm_vsm_insn *)0)->u.member) }

/* The field of an operand, for the structure of operands that the operation takes. */
static const struct {
	uint32_t takes;
	uint8_t role;
	struct ptx_field field;
} fields[] = {
	{ VSM_TAKES_COPY, PTX_SHARED, FIELD(copy.addr) },
	{ VSM_TAKES_COPY, PTX_SOURCE, FIELD(copy.src) },
	{ VSM_TAKES_COPY, PTX_MBAR, FIELD(copy.mbar) },
	{ VSM_TAKES_COPY, PTX_GLOBAL, FIELD(copy.offset) },
	{ VSM_TAKES_COPY, PTX_SIZE, FIELD(copy.size) },
	{ VSM_TAKES_COPY, PTX_CP_SIZE, FIELD(copy.size) },
	{ VSM_TAKES_COPY, PTX_SRC_SIZE, FIELD(copy.src_size) },
	{ VSM_TAKES_COPY, PTX_CTA_MASK, FIELD(copy.mask) },
	{ VSM_TAKES_COPY, PTX_BYTE_MASK, FIELD(copy.mask) },
	{ VSM_TAKES_TENSOR, PTX_SHARED, FIELD(tensor.addr) },
	{ VSM_TAKES_TENSOR, PTX_MBAR, FIELD(tensor.mbar) },
	{ VSM_TAKES_TENSOR, PTX_MAP, FIELD(tensor.map) },
	{ VSM_TAKES_TENSOR, PTX_COORD, FIELD(tensor.coords[0]) },
	{ VSM_TAKES_TENSOR, PTX_OFFSET, FIELD(tensor.offsets) },
	{ VSM_TAKES_TENSOR, PTX_CTA_MASK, FIELD(tensor.mask) },
	{ VSM_TAKES_STORE, PTX_SHARED, FIELD(store.addr) },
	{ VSM_TAKES_STORE, PTX_MBAR, FIELD(store.mbar) },
	{ VSM_TAKES_STORE, PTX_VALUE, FIELD(store.value) },
	{ VSM_TAKES_WARP, PTX_VALUE, FIELD(warp.a) },
	{ VSM_TAKES_WARP, PTX_VOTE, FIELD(warp.a) },
	{ VSM_TAKES_WARP, PTX_LANE, FIELD(warp.b) },
	{ VSM_TAKES_WARP, PTX_CLAMP, FIELD(warp.c) },
	{ VSM_TAKES_WARP, PTX_MEMBERMASK, FIELD(warp.membermask) },
	{ VSM_TAKES_BARRIER, PTX_BARRIER, FIELD(barrier.barrier) },
	{ VSM_TAKES_BARRIER, PTX_THREADS, FIELD(barrier.count) },
	{ VSM_TAKES_BARRIER, PTX_PREDICATE, FIELD(barrier.pred) },
	{ 0, PTX_SHARED, FIELD(mbarrier.addr) },
	{ 0, PTX_COUNT, FIELD(mbarrier.count) },
	{ 0, PTX_IN_FLIGHT, FIELD(mbarrier.count) },
	{ 0, PTX_TX_COUNT, FIELD(mbarrier.tx_count) },
	{ 0, PTX_STATE, FIELD(mbarrier.state) },
	{ 0, PTX_PARITY, FIELD(mbarrier.parity) },
	{ 0, PTX_HINT, FIELD(mbarrier.hint_ns) },
};

#define STRUCTURES	(VSM_TAKES_COPY | VSM_TAKES_TENSOR | VSM_TAKES_STORE | VSM_TAKES_WARP | \
			 VSM_TAKES_BARRIER)

struct ptx_field ptx_field_of(unsigned int op, uint8_t role)
{
	uint32_t takes = ops[op].takes & STRUCTURES;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].takes == takes && fields[i].role == role)
			return fields[i].field;
	return (struct ptx_field){ };
}
