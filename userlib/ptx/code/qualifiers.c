// SPDX-License-Identifier: MIT
/*
 * Qualifiers of ld, st, atom and red (PTX ISA, sections 9.7.9.8 to 9.7.9.12 and 9.7.13.5 to
 * 9.7.13.7).
 */
#include "code/decode_operand.h"
#include "code/qualifiers.h"
#include "vsm_syntax.h"

/* Groups of qualifiers. An opcode has at most one qualifier of each. */
#define HAS_ORDER	(1u << 0)
#define HAS_SCOPE	(1u << 1)
#define HAS_SPACE	(1u << 2)
#define HAS_VECTOR	(1u << 3)
#define HAS_NC		(1u << 4)
#define HAS_MMIO	(1u << 5)
#define HAS_CACHE	(1u << 6)	/* .cg and .cs, for ld and st */
#define HAS_L1		(1u << 7)	/* .L1::evict_first and others */
#define HAS_L2		(1u << 8)	/* .L2::evict_first and others */
#define HAS_HINT	(1u << 9)	/* .L2::cache_hint */
#define HAS_PREFETCH	(1u << 10)	/* .L2::64B and others */
#define HAS_LD_CACHE	(1u << 11)	/* .ca, .lu and .cv */
#define HAS_ST_CACHE	(1u << 12)	/* .wb and .wt */

static const char *const group_names[] = {
	"ordering", "scope", "state space", "vector", ".nc", ".mmio",
	"cache operation", "priority in L1", "priority in L2", ".L2::cache_hint", "prefetch size",
	"cache operation", "cache operation",
};

static const char *const order_names[] = {
	[ORDER_WEAK] = "weak",
	[ORDER_RELAXED] = "relaxed",
	[ORDER_ACQUIRE] = "acquire",
	[ORDER_RELEASE] = "release",
	[ORDER_ACQ_REL] = "acq_rel",
	[ORDER_SC] = "sc",
	NULL,
};

static const char *const scope_names[] = { "cta", "cluster", "gpu", "sys", NULL };

#define SCOPE_SYS 3

static const char *const vector_names[] = { "v2", "v4", "v8", NULL };

static const struct {
	const char *name;
	enum ptx_space space;
} space_names[] = {
	{ "global", SPACE_GLOBAL },
	{ "shared", SPACE_SHARED },
	{ "shared::cta", SPACE_SHARED },
	{ "shared::cluster", SPACE_SHARED_CLUSTER },
	{ "local", SPACE_LOCAL },
	{ "const", SPACE_CONST },
	{ "param", SPACE_PARAM },
	{ "param::entry", SPACE_PARAM },
	{ "param::func", SPACE_PARAM },
};

/* Qualifiers that have no effect here. */
static const struct {
	const char *name;
	uint32_t group;
} cache_names[] = {
	{ "ca", HAS_LD_CACHE },
	{ "cg", HAS_CACHE },
	{ "cs", HAS_CACHE },
	{ "lu", HAS_LD_CACHE },
	{ "cv", HAS_LD_CACHE },
	{ "wb", HAS_ST_CACHE },
	{ "wt", HAS_ST_CACHE },
	{ "nc", HAS_NC },
	{ "mmio", HAS_MMIO },
	{ "L1::evict_normal", HAS_L1 },
	{ "L1::evict_unchanged", HAS_L1 },
	{ "L1::evict_first", HAS_L1 },
	{ "L1::evict_last", HAS_L1 },
	{ "L1::no_allocate", HAS_L1 },
	{ "L2::evict_normal", HAS_L2 },
	{ "L2::evict_first", HAS_L2 },
	{ "L2::evict_last", HAS_L2 },
	{ "L2::cache_hint", HAS_HINT },
	{ "L2::64B", HAS_PREFETCH },
	{ "L2::128B", HAS_PREFETCH },
	{ "L2::256B", HAS_PREFETCH },
};

/* --- reading ---------------------------------------------------------------------- */

bool ptx_take_part(struct ptx_parts *parts, const char *text)
{
	bool found = ptx_insn_part_is(parts->insn, parts->at, text);

	parts->at += found;
	return found;
}

int ptx_take_one(struct ptx_parts *parts, const char *const *names)
{
	int i;

	for (i = 0; names[i]; i++)
		if (ptx_take_part(parts, names[i]))
			return i;
	return -1;
}

/* Remembers that the opcode has a qualifier of this group. */
static void note(struct ptx_parts *parts, uint32_t group)
{
	const uint32_t caches = HAS_CACHE | HAS_LD_CACHE | HAS_ST_CACHE;

	if (parts->has & (group & caches ? caches : group))
		parts->twice = true;
	parts->has |= group;
}

static void take_order(struct ptx_parts *parts, struct ptx_access *access)
{
	int order = ptx_take_one(parts, order_names);

	if (order >= 0) {
		note(parts, HAS_ORDER);
		access->order = order;
	} else if (ptx_take_part(parts, "volatile")) {
		note(parts, HAS_ORDER);
		access->order = ORDER_RELAXED;
		parts->is_volatile = true;
	}
}

static void take_space(struct ptx_parts *parts, struct ptx_access *access)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(space_names); i++) {
		if (ptx_take_part(parts, space_names[i].name)) {
			note(parts, HAS_SPACE);
			access->space = space_names[i].space;
			return;
		}
	}
}

static void take_cache(struct ptx_parts *parts)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cache_names); i++) {
		if (ptx_take_part(parts, cache_names[i].name)) {
			note(parts, cache_names[i].group);
			return;
		}
	}
}

void ptx_take_qualifiers(struct ptx_parts *parts, struct ptx_access *access)
{
	unsigned int before;

	do {
		int scope, vector;

		before = parts->at;
		take_order(parts, access);
		scope = ptx_take_one(parts, scope_names);
		if (scope >= 0) {
			note(parts, HAS_SCOPE);
			parts->is_sys = scope == SCOPE_SYS;
			access->cluster_scope = scope > 0;
		}
		take_space(parts, access);
		take_cache(parts);
		vector = ptx_take_one(parts, vector_names);
		if (vector >= 0) {
			note(parts, HAS_VECTOR);
			access->count = 2 << vector;
		}
	} while (parts->at != before);
}

/* --- which qualifiers go together --------------------------------------------------- */

/* Adds an error. For functions that return false after an error. */
#define refuse(b, parts, format, ...) \
	(ptx_refuse(&(b)->d, (parts)->insn, format, ##__VA_ARGS__), false)

/* Refuses qualifiers that are there twice, or that are in none of the groups @takes. */
static bool check_groups(struct ptx_builder *b, const struct ptx_parts *parts, uint32_t takes)
{
	const struct ptx_name *opcode = &parts->insn->opcode;
	uint32_t wrong = parts->has & ~takes;

	if (parts->twice)
		return refuse(b, parts, "%.*s has two qualifiers of the same kind",
			      (int)opcode->length, opcode->text);
	if (wrong)
		return refuse(b, parts, "the other qualifiers of %.*s allow no %s",
			      (int)opcode->length, opcode->text,
			      group_names[__builtin_ctz(wrong)]);
	return true;
}

/* .relaxed, .acquire and .release of ld and st have a scope; .weak and .volatile have none. */
static bool check_order(struct ptx_builder *b, const struct ptx_parts *parts, bool load,
			const struct ptx_access *access)
{
	enum ptx_order_kind strongest = load ? ORDER_ACQUIRE : ORDER_RELEASE;
	enum ptx_space space = access->space;
	bool ordered = access->order != ORDER_WEAK && !parts->is_volatile;
	const char *name = load ? "ld" : "st";

	if (access->order > ORDER_RELAXED && access->order != strongest)
		return refuse(b, parts, "%s takes .weak, .volatile, .relaxed and .%s", name,
			      order_names[strongest]);
	if (ordered && !(parts->has & HAS_SCOPE))
		return refuse(b, parts, "%s needs a scope behind .%s", name,
			      order_names[access->order]);
	if (!ordered && parts->has & HAS_SCOPE)
		return refuse(b, parts, "%s has a scope only behind .relaxed and .%s", name,
			      order_names[strongest]);
	if (access->order != ORDER_WEAK &&
	    (space == SPACE_CONST || space == SPACE_PARAM || space == SPACE_LOCAL))
		return refuse(b, parts, "%s is always .weak in .const, .param and .local", name);
	return true;
}

bool ptx_check_load_store(struct ptx_builder *b, const struct ptx_parts *parts, bool load,
			  const struct ptx_access *access)
{
	bool global = access->space == SPACE_GLOBAL || access->space == SPACE_GENERIC;
	uint32_t takes = HAS_ORDER | HAS_SCOPE | HAS_SPACE | HAS_VECTOR;

	if (access->order == ORDER_WEAK && !(parts->has & (HAS_L1 | HAS_L2)))
		takes |= HAS_CACHE | (load ? HAS_LD_CACHE : HAS_ST_CACHE);
	if (access->order == ORDER_RELAXED && parts->is_sys && global)
		takes |= HAS_MMIO;
	if (load && access->space == SPACE_GLOBAL && !(parts->has & HAS_ORDER))
		takes |= HAS_NC;
	if (global)
		takes |= HAS_HINT;
	if (global && !(parts->has & HAS_MMIO) && !parts->is_volatile)
		takes |= HAS_L1;
	if (load && global && !(parts->has & HAS_MMIO))
		takes |= HAS_PREFETCH;
	/* Only accesses of 32 bytes have a priority in L2. */
	if (global && access->count * access->size == 32)
		takes |= HAS_L2;
	return check_order(b, parts, load, access) && check_groups(b, parts, takes);
}

bool ptx_check_atom(struct ptx_builder *b, const struct ptx_parts *parts, bool result,
		    const struct ptx_access *access)
{
	enum ptx_order_kind order = access->order;

	if (parts->is_volatile || order == ORDER_WEAK || order == ORDER_SC ||
	    (!result && order != ORDER_RELAXED && order != ORDER_RELEASE))
		return refuse(b, parts, "%s",
			      result ? "atom takes .relaxed, .acquire, .release and .acq_rel"
				     : "red takes .relaxed and .release");
	if (access->space == SPACE_LOCAL || access->space == SPACE_CONST ||
	    access->space == SPACE_PARAM)
		return refuse(b, parts, "atom and red take memory in .global and .shared");
	return check_groups(b, parts, HAS_ORDER | HAS_SCOPE | HAS_SPACE | HAS_VECTOR | HAS_HINT);
}

bool ptx_check_count(struct ptx_builder *b, const struct ptx_parts *parts, unsigned int count)
{
	const struct ptx_insn *insn = parts->insn;
	bool hint = parts->has & HAS_HINT;
	uint32_t row;

	if (insn->operand_count < count + hint)
		return refuse(b, parts, "an operand is missing");
	if (insn->operand_count > count + hint)
		return refuse(b, parts, "%.*s has %u operands, not %u", (int)insn->opcode.length,
			      insn->opcode.text, count + hint, insn->operand_count);
	return !hint || ptx_source_row(&b->d, insn, &insn->operands[count], TYPE_U64, &row);
}
