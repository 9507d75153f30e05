// SPDX-License-Identifier: MIT
/*
 * Decodes instructions that access memory synchronously: ld, ldu, st, atom, red and fences (PTX
 * ISA, sections 9.7.9.8 to 9.7.9.12 and 9.7.13.4 to 9.7.13.7).
 */
#include <stdio.h>
#include <string.h>

#include "code/address.h"
#include "code/decode_operand.h"
#include "code/decoders.h"

/** struct parts - The parts of an opcode that are not read yet */
struct parts {
	const struct ptx_insn *insn;
	unsigned int at;
};

static bool at_part(const struct parts *parts, const char *text)
{
	return ptx_insn_part_is(parts->insn, parts->at, text);
}

static bool take_part(struct parts *parts, const char *text)
{
	bool found = at_part(parts, text);

	parts->at += found;
	return found;
}

/* Takes the part if it is one of @names, a list that ends with NULL. Returns its index or -1. */
static int take_one(struct parts *parts, const char *const *names)
{
	int i;

	for (i = 0; names[i]; i++)
		if (take_part(parts, names[i]))
			return i;
	return -1;
}

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

static void take_space(struct parts *parts, struct ptx_access *access)
{
	unsigned int i;

	for (i = 0; i < sizeof(space_names) / sizeof(space_names[0]); i++) {
		if (take_part(parts, space_names[i].name)) {
			access->space = space_names[i].space;
			return;
		}
	}
}

/* Takes qualifiers of caches, which have no effect here. */
static bool take_cache(struct parts *parts)
{
	static const char *const names[] = {
		"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "unified", "mmio",
		"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last",
		"L1::no_allocate", "L2::evict_normal", "L2::evict_first", "L2::evict_last",
		"L2::cache_hint", "L2::64B", "L2::128B", "L2::256B", "level::eviction_priority",
		NULL
	};

	return take_one(parts, names) >= 0;
}

/*
 * Takes .sem, .scope, .space, qualifiers of caches and .vec, in any order, as compilers differ in
 * it. libcu++ even writes them behind the operation: atom.add.acquire.cta.u32.
 */
static void take_qualifiers(struct parts *parts, struct ptx_access *access)
{
	static const char *const vectors[] = { "v2", "v4", "v8", NULL };

	for (;;) {
		unsigned int before = parts->at;
		int order = take_one(parts, order_names), scope, vector;

		if (order >= 0)
			access->order = order;
		if (take_part(parts, "volatile"))
			access->order = ORDER_RELAXED;
		scope = take_one(parts, scope_names);
		if (scope >= 0)
			access->cluster_scope = scope > 0;
		take_space(parts, access);
		take_cache(parts);
		vector = take_one(parts, vectors);
		if (vector >= 0)
			access->count = 2 << vector;
		if (parts->at == before)
			return;
	}
}

static enum ptx_decoded bad_part(struct ptx_builder *b, const struct parts *parts)
{
	const struct ptx_insn *insn = parts->insn;

	if (parts->at >= insn->part_count)
		return ptx_refuse(&b->d, insn, "%.*s has no type", (int)insn->opcode.length,
				  insn->opcode.text);
	return ptx_refuse(&b->d, insn, "vsm does not know .%.*s of %.*s",
			  (int)insn->parts[parts->at].length, insn->parts[parts->at].text,
			  (int)insn->parts[0].length, insn->parts[0].text);
}

static bool take_type(struct parts *parts, struct ptx_access *access)
{
	const struct ptx_insn *insn = parts->insn;

	if (parts->at >= insn->part_count)
		return false;
	access->type = ptx_type_named(insn->parts[parts->at].text, insn->parts[parts->at].length);
	access->size = ptx_type_size(access->type);
	if (!access->size || access->size > 8)
		return false;
	parts->at++;
	return true;
}

static bool take_last_type(struct parts *parts, struct ptx_access *access)
{
	return take_type(parts, access) && parts->at == parts->insn->part_count;
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
	if (operand->kind == OPERAND_ADDRESS &&
	    !ptx_check_exact_space(b, insn, operand, access->space))
		return REFUSED;
	set_space_of_param(b, operand, access);
	if (!ptx_address_operand(b, insn, operand, access->space, &access->address,
				 &access->offset, &access->framed))
		return REFUSED;
	return DECODED;
}

/* Registers of ld and st may be wider than the type. */
static bool is_wide_enough(const struct ptx_access *access, unsigned int bits)
{
	return bits >= 8U * access->size;
}

static enum ptx_decoded element(struct ptx_builder *b, const struct ptx_insn *insn,
				const struct ptx_operand *operand, bool load, unsigned int i,
				struct ptx_access *access)
{
	enum ptx_type type = ptx_operand_type(&b->d, operand);

	if (type == TYPE_NONE)
		type = access->type;
	if (!(load ? ptx_target_row(&b->d, insn, operand, type, &access->rows[i])
		   : ptx_source_row(&b->d, insn, operand, type, &access->rows[i])))
		return REFUSED;
	access->bits[i] = 8 * ptx_type_size(type);
	if (!is_wide_enough(access, access->bits[i]))
		return ptx_refuse(&b->d, insn, "a register is narrower than .%s",
				  ptx_type_name(access->type));
	return DECODED;
}

static enum ptx_decoded elements(struct ptx_builder *b, const struct ptx_insn *insn,
				 const struct ptx_operand *operand, bool load,
				 struct ptx_access *access)
{
	unsigned int i;

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
	struct parts parts = { .insn = insn, .at = 1 };

	if (!access)
		return REFUSED;
	step->kind = load ? STEP_LOAD : STEP_STORE;
	take_qualifiers(&parts, access);
	if (!take_last_type(&parts, access))
		return bad_part(b, &parts);
	if (access->count * access->size > 32)
		return ptx_refuse(&b->d, insn, "%.*s accesses at most 32 bytes",
				  (int)insn->parts[0].length, insn->parts[0].text);
	if (insn->operand_count < 2)
		return ptx_refuse(&b->d, insn, "an operand is missing");
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
	case ATOM_EXCH:
	case ATOM_CAS:
		return type == TYPE_B32 || type == TYPE_B64 || (type == TYPE_B16);
	case ATOM_ADD:
		return ptx_type_size(type) >= 4 ? type != TYPE_B32 && type != TYPE_B64 &&
							  type != TYPE_TF32
						: type == TYPE_F16 || type == TYPE_BF16;
	case ATOM_INC:
	case ATOM_DEC:
		return type == TYPE_U32;
	case ATOM_MIN:
	case ATOM_MAX:
		return type == TYPE_U32 || type == TYPE_S32 || type == TYPE_U64 ||
		       type == TYPE_S64;
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
	return (type == TYPE_F16 || type == TYPE_BF16 || type == TYPE_F16X2 ||
		type == TYPE_BF16X2) &&
	       (access->atom == ATOM_ADD || access->atom == ATOM_MIN || access->atom == ATOM_MAX);
}

static enum ptx_decoded atom_elements(struct ptx_builder *b, const struct ptx_insn *insn,
				      unsigned int index, bool target,
				      const struct ptx_access *access, uint32_t *rows)
{
	const struct ptx_operand *operand = &insn->operands[index];
	unsigned int i;

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
static bool take_atom(struct parts *parts, struct ptx_access *access)
{
	bool early;
	int atom;

	take_qualifiers(parts, access);
	early = access->count > 1;
	if (early && !take_type(parts, access))
		return false;
	atom = take_one(parts, atom_names);
	if (atom < 0)
		return false;
	access->atom = atom;
	take_part(parts, "noftz");
	take_qualifiers(parts, access);
	return early ? parts->at == parts->insn->part_count : take_last_type(parts, access);
}

static enum ptx_decoded decode_atom(struct ptx_builder *b, const struct ptx_insn *insn,
				    bool result, struct ptx_step *step)
{
	struct ptx_access *access = access_alloc(b, step);
	struct parts parts = { .insn = insn, .at = 1 };
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
	if (access->count > 1 && access->space != SPACE_GLOBAL && access->space != SPACE_GENERIC)
		return ptx_refuse(&b->d, insn, "only global memory has atomic vectors");
	cas = access->atom == ATOM_CAS;
	if (insn->operand_count < result + 2U + cas)
		return ptx_refuse(&b->d, insn, "an operand is missing");
	for (i = 0; i < access->count; i++)
		access->dst[i] = PTX_NO_ROW;
	if (result && atom_elements(b, insn, 0, true, access, access->dst) != DECODED)
		return REFUSED;
	if (address(b, insn, result, access) != DECODED ||
	    atom_elements(b, insn, result + 1, false, access, access->rows) != DECODED)
		return REFUSED;
	return cas ? atom_elements(b, insn, result + 2, false, access, &access->rows[1]) : DECODED;
}

/* --- fences ----------------------------------------------------------------------- */

/*
 * A fence of proxies needs no work here: copies read and write the same memory as loads and stores.
 * It is still a memory barrier.
 */
static enum ptx_decoded decode_fence(struct ptx_builder *b, const struct ptx_insn *insn,
				     struct ptx_step *step)
{
	/* .sync_restrict only weakens a fence, and is only for the cluster. */
	if (ptx_insn_part_is(insn, 2, "sync_restrict::shared::cluster") ||
	    ptx_insn_part_is(insn, 2, "sync_restrict::shared::cta"))
		return ptx_device_decode_as(b, insn, ptx_insn_part_is(insn, 1, "acquire") ?
					    "fence.acquire.cluster" : "fence.release.cluster",
					    step);
	if (ptx_insn_part_is(insn, 0, "fence") && !ptx_insn_part_is(insn, 1, "proxy"))
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
