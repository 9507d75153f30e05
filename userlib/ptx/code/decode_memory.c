// SPDX-License-Identifier: MIT
/*
 * Decodes instructions that access memory synchronously: ld, ldu, st, atom, red and fences (PTX
 * ISA, sections 9.7.9.8 to 9.7.9.12 and 9.7.13.4 to 9.7.13.7).
 */
#include <stdio.h>
#include <string.h>

#include "code/decoder.h"
#include "code/decoders.h"
#include "vsm_syntax.h"

/* --- qualifiers ----------------------------------------------------------- */

/* The parts of an opcode that are not read yet */
struct ptx_parts {
	const struct ptx_insn *insn;	/* the instruction */
	unsigned int at;		/* first part that is not read */
	uint32_t has;			/* mask of the groups of which the opcode has a qualifier */
	bool twice;			/* the opcode has two qualifiers of a group */
	bool is_volatile;		/* the order is .volatile */
	bool is_sys;			/* the scope is .sys */
	bool noftz;			/* there is a .noftz */
};

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

static const char *const vector_words[] = { "v2", "v4", "v8", NULL };

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

/* Takes the next part if it is @text. */
static bool ptx_take_part(struct ptx_parts *parts, const char *text)
{
	bool found = ptx_insn_part_is(parts->insn, parts->at, text);

	parts->at += found;
	return found;
}

/* Takes the part if it is one of @names, a list that ends with NULL. Returns its index or -1. */
static int ptx_take_one(struct ptx_parts *parts, const char *const *names)
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

/*
 * Takes .sem, .scope, .space, qualifiers of caches and .vec, in any order, as compilers differ in
 * it. libcu++ even writes them behind the operation: atom.add.acquire.cta.u32.
 */
static void ptx_take_qualifiers(struct ptx_parts *parts, struct ptx_access *access)
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
		vector = ptx_take_one(parts, vector_words);
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

/* Check that the qualifiers go together. They add an error if not. */
static bool ptx_check_load_store(struct ptx_builder *b, const struct ptx_parts *parts, bool load,
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

/* @result: It is atom, not red. */
static bool ptx_check_atom(struct ptx_builder *b, const struct ptx_parts *parts, bool result,
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

/* Checks that there are @count operands, and behind them the policy that .L2::cache_hint needs. */
static bool ptx_check_count(struct ptx_builder *b, const struct ptx_parts *parts,
			    unsigned int count)
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

/* --- decoding ------------------------------------------------------------- */

static enum ptx_decoded bad_part(struct ptx_builder *b, const struct ptx_parts *parts)
{
	const struct ptx_insn *insn = parts->insn;

	if (parts->at >= insn->part_count)
		return ptx_refuse(&b->d, insn, "%.*s has no type", (int)insn->opcode.length,
				  insn->opcode.text);
	return ptx_refuse(&b->d, insn, "vsm does not know .%.*s of %.*s",
			  (int)insn->parts[parts->at].length, insn->parts[parts->at].text,
			  (int)insn->parts[0].length, insn->parts[0].text);
}

static bool take_type(struct ptx_parts *parts, struct ptx_access *access)
{
	const struct ptx_insn *insn = parts->insn;

	if (parts->at >= insn->part_count)
		return false;
	access->type = ptx_type_named(insn->parts[parts->at].text, insn->parts[parts->at].length);
	access->size = ptx_type_size(access->type);
	if (!access->size)
		return false;
	parts->at++;
	return true;
}

static bool take_last_type(struct ptx_parts *parts, struct ptx_access *access)
{
	return take_type(parts, access) && parts->at == parts->insn->part_count;
}

/* An access of 128 bits: each register has two rows, as if it were two elements of 64 bits. */
static bool is_wide(const struct ptx_access *access)
{
	return access->type == TYPE_B128;
}

static enum ptx_decoded split_wide(struct ptx_builder *b, const struct ptx_insn *insn,
				   struct ptx_access *access)
{
	if (!is_wide(access))
		return DECODED;
	if (access->count > 1)
		return ptx_refuse(&b->d, insn, "there are no vectors of .b128");
	access->size = 8;
	access->count = 2;
	return DECODED;
}

/* The two rows of a register of 128 bits; PTX_NO_ROW for the sink. */
static void set_rows(uint32_t *rows, uint32_t row)
{
	rows[0] = row;
	rows[1] = row == PTX_NO_ROW ? row : row + 1;
}

/* Parameters of kernels are in memory of their own, those of functions in local memory. */
static void set_space_of_param(struct ptx_builder *b, const struct ptx_operand *operand,
			       struct ptx_access *access)
{
	if (access->space == SPACE_PARAM &&
	    !(operand->var ? ptx_is_kernel_param(b, operand->var) : b->d.function->entry))
		access->space = SPACE_LOCAL;
}

static enum ptx_decoded address(struct ptx_builder *b, const struct ptx_insn *insn,
				unsigned int index, struct ptx_access *access)
{
	const struct ptx_operand *operand = &insn->operands[index];

	if (index >= insn->operand_count)
		return ptx_refuse(&b->d, insn, "an operand is missing");
	/* Like NVIDIA's assembler, which takes the state space of the variable if there is none. */
	if (operand->kind == OPERAND_ADDRESS && operand->var && access->space == SPACE_GENERIC &&
	    (operand->var->space == SPACE_GLOBAL || operand->var->space == SPACE_SHARED ||
	     operand->var->space == SPACE_LOCAL))
		access->space = operand->var->space;
	if (operand->kind == OPERAND_ADDRESS &&
	    !ptx_check_exact_space(b, insn, operand, access->space))
		return REFUSED;
	set_space_of_param(b, operand, access);
	if (!ptx_address_operand(b, insn, operand, access->space, &access->address,
				 &access->offset, &access->framed))
		return REFUSED;
	return DECODED;
}

static bool is_bits(enum ptx_type type)
{
	return type >= TYPE_B8 && type <= TYPE_B128;
}

static bool is_half(enum ptx_type type)
{
	return type == TYPE_F16 || type == TYPE_F16X2 || type == TYPE_BF16 || type == TYPE_BF16X2;
}

/*
 * Registers of ld and st may be wider than the type. A register of floats has exactly its size, and
 * goes with a type of floats or .b<n>; a type of floats goes with a register of floats or .b<n>.
 */
static bool is_good_register(const struct ptx_access *access, enum ptx_type reg)
{
	bool is_float = ptx_type_is_float(access->type);

	if (ptx_type_is_float(reg))
		return ptx_type_size(reg) == access->size && (is_float || is_bits(access->type));
	return !is_float || is_bits(reg);
}

static enum ptx_decoded element(struct ptx_builder *b, const struct ptx_insn *insn,
				const struct ptx_operand *operand, bool load, unsigned int i,
				struct ptx_access *access)
{
	enum ptx_type type = ptx_operand_type(&b->d, operand);

	if (load && access->count == 1 && operand->kind == OPERAND_SINK)
		return ptx_refuse(&b->d, insn, "the destination of %.*s is a register, not _",
				  (int)insn->parts[0].length, insn->parts[0].text);
	if (type == TYPE_NONE)
		type = access->type;
	if (type == TYPE_B128)
		return ptx_refuse(&b->d, insn, "a register of the type .b128 goes with .b128 only");
	if (!(load ? ptx_target_row(&b->d, insn, operand, type, &access->rows[i])
		   : ptx_source_row(&b->d, insn, operand, type, &access->rows[i])))
		return REFUSED;
	access->bits[i] = 8 * ptx_type_size(type);
	if (access->bits[i] < 8U * access->size)
		return ptx_refuse(&b->d, insn, "a register is narrower than .%s",
				  ptx_type_name(access->type));
	if (!is_good_register(access, type))
		return ptx_refuse(&b->d, insn, "a register of the type .%s does not go with .%s",
				  ptx_type_name(type), ptx_type_name(access->type));
	if (i && access->bits[i] != access->bits[0])
		return ptx_refuse(&b->d, insn, "the registers of a vector have different sizes");
	return DECODED;
}

static enum ptx_decoded elements(struct ptx_builder *b, const struct ptx_insn *insn,
				 const struct ptx_operand *operand, bool load,
				 struct ptx_access *access)
{
	unsigned int i;

	if (is_wide(access)) {
		uint32_t row;

		if (operand->kind == OPERAND_SINK)
			return ptx_refuse(&b->d, insn, "%.*s takes a register, not _",
					  (int)insn->opcode.length, insn->opcode.text);
		if (!(load ? ptx_target_row(&b->d, insn, operand, TYPE_B128, &row)
			   : ptx_source_row(&b->d, insn, operand, TYPE_B128, &row)))
			return REFUSED;
		set_rows(access->rows, row);
		access->bits[0] = 64;
		access->bits[1] = 64;
		return DECODED;
	}
	if (access->count == 1 && operand->kind != OPERAND_VECTOR)
		return element(b, insn, operand, load, 0, access);
	if (operand->kind != OPERAND_VECTOR || operand->count != access->count)
		return ptx_refuse(&b->d, insn, "expected a vector of %u registers",
				  access->count);
	for (i = 0; i < access->count; i++)
		if (element(b, insn, &operand->elements[i], load, i, access) != DECODED)
			return REFUSED;
	return DECODED;
}

static struct ptx_access *access_alloc(struct ptx_builder *b, struct ptx_step *step)
{
	struct ptx_access *access = ptx_extra_alloc(b, sizeof(*access));

	if (!access)
		return NULL;
	step->extra = access;
	access->count = 1;
	/* Without .scope it is .gpu. */
	access->cluster_scope = true;
	return access;
}

static enum ptx_decoded decode_load_store(struct ptx_builder *b, const struct ptx_insn *insn,
					  bool load, struct ptx_step *step)
{
	struct ptx_access *access = access_alloc(b, step);
	struct ptx_parts parts = { .insn = insn, .at = 1 };

	if (!access)
		return REFUSED;
	step->kind = load ? STEP_LOAD : STEP_STORE;
	ptx_take_qualifiers(&parts, access);
	if (!take_last_type(&parts, access))
		return bad_part(b, &parts);
	if (is_half(access->type) || access->type == TYPE_TF32)
		return ptx_refuse(&b->d, insn,
				  "%.*s has no type .%s; registers of halves take .b16 or .b32",
				  (int)insn->parts[0].length, insn->parts[0].text,
				  ptx_type_name(access->type));
	if (split_wide(b, insn, access) != DECODED)
		return REFUSED;
	if (access->count * access->size > 32)
		return ptx_refuse(&b->d, insn, "%.*s accesses at most 32 bytes",
				  (int)insn->parts[0].length, insn->parts[0].text);
	if (ptx_insn_part_is(insn, 0, "ldu") &&
	    (parts.at > (access->count > 1 ? 4U : 3U) ||
	     (access->space != SPACE_GLOBAL && access->space != SPACE_GENERIC)))
		return ptx_refuse(&b->d, insn, "ldu takes {.global}{.vec}.type");
	if (!ptx_check_load_store(b, &parts, load, access) || !ptx_check_count(b, &parts, 2))
		return REFUSED;
	if (!load && access->space == SPACE_CONST)
		return ptx_refuse(&b->d, insn, "constant memory cannot be written");
	if (address(b, insn, load, access) != DECODED)
		return REFUSED;
	return elements(b, insn, &insn->operands[!load], load, access);
}

/* --- atomic operations ------------------------------------------------------------ */

static const char *const atom_names[] = {
	[ATOM_EXCH] = "exch",
	[ATOM_CAS] = "cas",
	[ATOM_ADD] = "add",
	[ATOM_INC] = "inc",
	[ATOM_DEC] = "dec",
	[ATOM_MIN] = "min",
	[ATOM_MAX] = "max",
	[ATOM_AND] = "and",
	[ATOM_OR] = "or",
	[ATOM_XOR] = "xor",
	NULL,
};

/* Is the type one that the operation takes? */
static bool takes_type(const struct ptx_access *access)
{
	enum ptx_type type = access->type;

	switch (access->atom) {
	case ATOM_CAS:
		return type == TYPE_B32 || type == TYPE_B64 || type == TYPE_B16 ||
		       type == TYPE_B128;
	case ATOM_ADD:
		return type == TYPE_U32 || type == TYPE_S32 || type == TYPE_U64 ||
		       type == TYPE_F32 || type == TYPE_F64 || is_half(type);
	case ATOM_INC:
	case ATOM_DEC:
		return type == TYPE_U32;
	case ATOM_MIN:
	case ATOM_MAX:
		return type == TYPE_U32 || type == TYPE_S32 || type == TYPE_U64 ||
		       type == TYPE_S64;
	case ATOM_EXCH:
		return type == TYPE_B32 || type == TYPE_B64 || type == TYPE_B128;
	default:
		return type == TYPE_B32 || type == TYPE_B64;
	}
}

static const char *const vector_names[] = { [1] = "", [2] = ".v2", [4] = ".v4", [8] = ".v8" };

/* Is it a vector that the operation takes? Vectors have 16 bytes at most. */
static bool takes_vector(const struct ptx_access *access)
{
	enum ptx_type type = access->type;

	if (access->count * access->size > 16)
		return false;
	if (type == TYPE_F32)
		return access->atom == ATOM_ADD;
	return is_half(type) &&
	       (access->atom == ATOM_ADD || access->atom == ATOM_MIN || access->atom == ATOM_MAX);
}

static enum ptx_decoded atom_elements(struct ptx_builder *b, const struct ptx_insn *insn,
				      unsigned int index, bool target,
				      const struct ptx_access *access, uint32_t *rows)
{
	const struct ptx_operand *operand = &insn->operands[index];
	unsigned int i;

	if (is_wide(access)) {
		uint32_t row;

		if (!(target ? ptx_target_row(&b->d, insn, operand, access->type, &row)
			     : ptx_source_row(&b->d, insn, operand, access->type, &row)))
			return REFUSED;
		set_rows(rows, row);
		return DECODED;
	}
	if (access->count > 1) {
		if (operand->kind != OPERAND_VECTOR || operand->count != access->count)
			return ptx_refuse(&b->d, insn, "expected a vector of %u registers",
					  access->count);
		operand = operand->elements;
	}
	for (i = 0; i < access->count; i++)
		if (!(target ? ptx_target_row(&b->d, insn, &operand[i], access->type, &rows[i])
			     : ptx_source_row(&b->d, insn, &operand[i], access->type, &rows[i])))
			return REFUSED;
	return DECODED;
}

/*
 * Reads the opcode: operation, vector and type. PTX has vector and type behind the operation, and
 * its examples have them before it: red.global.v2.f32.add.
 */
static bool take_atom(struct ptx_parts *parts, struct ptx_access *access)
{
	bool early;
	int atom;

	ptx_take_qualifiers(parts, access);
	early = access->count > 1;
	if (early && !take_type(parts, access))
		return false;
	atom = ptx_take_one(parts, atom_names);
	if (atom < 0)
		return false;
	access->atom = atom;
	parts->noftz = ptx_take_part(parts, "noftz");
	ptx_take_qualifiers(parts, access);
	return early ? parts->at == parts->insn->part_count : take_last_type(parts, access);
}

static enum ptx_decoded decode_atom(struct ptx_builder *b, const struct ptx_insn *insn,
				    bool result, struct ptx_step *step)
{
	struct ptx_access *access = access_alloc(b, step);
	struct ptx_parts parts = { .insn = insn, .at = 1 };
	unsigned int i;
	bool cas;

	if (!access)
		return REFUSED;
	step->kind = STEP_ATOM;
	access->order = ORDER_RELAXED;
	if (!take_atom(&parts, access))
		return bad_part(b, &parts);
	if (!(access->count > 1 ? takes_vector(access) : takes_type(access)))
		return ptx_refuse(&b->d, insn, ".%s has no type %s.%s", atom_names[access->atom],
				  vector_names[access->count], ptx_type_name(access->type));
	if (split_wide(b, insn, access) != DECODED)
		return REFUSED;
	if (access->count > 1 && !is_wide(access) && access->space != SPACE_GLOBAL &&
	    access->space != SPACE_GENERIC)
		return ptx_refuse(&b->d, insn, "only global memory has atomic vectors");
	if (parts.noftz != is_half(access->type))
		return ptx_refuse(&b->d, insn, "%s",
				  parts.noftz ? ".noftz is only for halves"
					      : "an operation of halves has .noftz");
	cas = access->atom == ATOM_CAS;
	if (!result && (cas || access->atom == ATOM_EXCH))
		return ptx_refuse(&b->d, insn, "red has no .%s", atom_names[access->atom]);
	if (!ptx_check_atom(b, &parts, result, access) ||
	    !ptx_check_count(b, &parts, result + 2U + cas))
		return REFUSED;
	for (i = 0; i < access->count; i++)
		access->dst[i] = PTX_NO_ROW;
	if (result && atom_elements(b, insn, 0, true, access, access->dst) != DECODED)
		return REFUSED;
	if (address(b, insn, result, access) != DECODED ||
	    atom_elements(b, insn, result + 1, false, access, access->rows) != DECODED)
		return REFUSED;
	if (!cas)
		return DECODED;
	return atom_elements(b, insn, result + 2, false, access, &access->rows[access->count]);
}

/* --- fences ----------------------------------------------------------------------- */

/*
 * A fence of proxies needs no work here: copies read and write the same memory as loads and stores.
 * It is still a memory barrier. Its syntax is in program.c.
 */
static enum ptx_decoded decode_fence(struct ptx_builder *b, const struct ptx_insn *insn,
				     struct ptx_step *step)
{
	/* .sync_restrict only weakens a fence, and is only for the cluster. */
	if (ptx_insn_part_is(insn, 1, "acquire") &&
	    ptx_insn_part_is(insn, 2, "sync_restrict::shared::cluster"))
		return ptx_device_decode_as(b, insn, "fence.acquire.cluster", step);
	if (ptx_insn_part_is(insn, 1, "release") &&
	    ptx_insn_part_is(insn, 2, "sync_restrict::shared::cta"))
		return ptx_device_decode_as(b, insn, "fence.release.cluster", step);
	if (!ptx_insn_part_is(insn, 1, "proxy"))
		return NOT_MINE;
	step->kind = STEP_FENCE;
	return DECODED;
}

enum ptx_decoded ptx_memory_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				   struct ptx_step *step)
{
	if (ptx_insn_part_is(insn, 0, "ld") || ptx_insn_part_is(insn, 0, "ldu"))
		return decode_load_store(b, insn, true, step);
	if (ptx_insn_part_is(insn, 1, "async") || ptx_insn_part_is(insn, 1, "bulk"))
		return NOT_MINE;
	if (ptx_insn_part_is(insn, 0, "st"))
		return decode_load_store(b, insn, false, step);
	if (ptx_insn_part_is(insn, 0, "atom"))
		return decode_atom(b, insn, true, step);
	if (ptx_insn_part_is(insn, 0, "red"))
		return decode_atom(b, insn, false, step);
	if (ptx_insn_part_is(insn, 0, "fence"))
		return decode_fence(b, insn, step);
	return NOT_MINE;
}
