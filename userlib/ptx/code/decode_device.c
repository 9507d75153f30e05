// SPDX-License-Identifier: MIT
/*
 * Decodes instructions that the device executes, with the table of operations (table/form.c).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/address.h"
#include "code/decode_operand.h"
#include "code/decoders.h"
#include "code/device.h"
#include "table/opcode.h"
#include "text/macros.h"

/* --- opcode ----------------------------------------------------------------------- */

/* The first parts of opcodes that the device may execute. */
static bool is_device_op(const struct ptx_insn *insn)
{
	static const char *const heads[] = {
		"mbarrier", "cp", "bar", "barrier", "match", "vote", "shfl", "redux", "elect",
		"fence",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(heads); i++)
		if (ptx_insn_part_is(insn, 0, heads[i]))
			return true;
	return (ptx_insn_part_is(insn, 0, "st") || ptx_insn_part_is(insn, 0, "red")) &&
	       ptx_insn_part_is(insn, 1, "async");
}

/* Adds the first error about the opcode, which is a line "FILE:LINE:COLUMN: message". */
static void refuse_with(struct ptx_builder *b, const struct ptx_insn *insn, const char *errors)
{
	const char *message = strstr(errors, ": ");

	message = message ? message + 2 : errors;
	ptx_refuse(&b->d, insn, "%.*s", (int)strcspn(message, "\n"), message);
}

static bool parse_opcode(struct ptx_builder *b, const struct ptx_insn *insn, const char *text,
			 size_t length, struct ptx_opcode *opcode)
{
	struct ptx_order order = { };
	struct errors errors = { .path = "" };
	struct cursor c = {
		.errors = &errors, .line = 1, .start = text, .at = text, .end = text + length,
	};
	char *written = NULL;
	size_t size;
	bool good;

	errors.out = open_memstream(&written, &size);
	if (!errors.out) {
		b->failed = true;
		return false;
	}
	good = ptx_parse_opcode(&c, opcode, &order);
	if (fclose(errors.out)) {
		b->failed = true;
		good = false;
	} else if (!good) {
		refuse_with(b, insn, written);
	} else if (order.where) {
		ptx_refuse(&b->d, insn, "%s", order.message);
		good = false;
	}
	free(written);
	return good;
}

/* --- roles ------------------------------------------------------------------------ */

/* Is the role one of an operand that a qualifier requires? Sets @given if the opcode has it. */
static bool has_qualifier(const struct ptx_opcode *opcode, uint8_t role, bool *given)
{
	switch (role) {
	case PTX_POLICY:
		*given = opcode->given & BIT(PTX_CACHE_HINT);
		return true;
	case PTX_CTA_MASK:
		*given = opcode->given & BIT(PTX_MULTICAST);
		return true;
	case PTX_BYTE_MASK:
		*given = opcode->given & BIT(PTX_CP_MASK);
		return true;
	case PTX_OFFSET:
		*given = opcode->quals[PTX_MODE] == PTX_MODE_IM2COL;
		return true;
	default:
		return false;
	}
}

/*
 * Finds the roles of the operands: those that the operation always has, those that a qualifier
 * requires, and one that is optional, if there is an operand more.
 */
static bool assign_roles(struct ptx_builder *b, const struct ptx_insn *insn,
			 const struct ptx_opcode *opcode, uint8_t assigned[PTX_OPERANDS])
{
	const struct ptx_op *op = opcode->op;
	unsigned int wanted = 0, more = 0;
	unsigned int i;

	for (i = 0; i < PTX_OPERANDS && op->roles[i]; i++) {
		bool given = false;

		if (has_qualifier(opcode, op->roles[i], &given) ? given : i < op->needs)
			assigned[wanted++] = op->roles[i];
		else if (!has_qualifier(opcode, op->roles[i], &given))
			more = 1;
	}
	if (insn->operand_count < wanted || insn->operand_count > wanted + more) {
		ptx_refuse(&b->d, insn, "%s has %u operands; PTX has %s%s", op->name,
			   insn->operand_count, op->name, op->syntax);
		return false;
	}
	if (insn->operand_count == wanted)
		return true;
	memmove(assigned + op->needs + 1, assigned + op->needs, wanted - op->needs);
	assigned[op->needs] = op->roles[op->needs];
	/* Exception: the optional count of barrier.red is before the predicate. */
	if (assigned[op->needs] == PTX_THREADS && assigned[op->needs - 1] == PTX_PREDICATE) {
		assigned[op->needs - 1] = PTX_THREADS;
		assigned[op->needs] = PTX_PREDICATE;
	}
	return true;
}

/* --- operands --------------------------------------------------------------------- */

/* The operands of each operation, of all its forms together. */
#define VSM_OP(NAME, sems, traits) \
	[DRM_VSM_OP_##NAME] = { 0
#define VSM_FORM(mods, takes) | (takes)
#define VSM_OP_END },
static const struct { uint32_t takes; } op_forms[] = {
#include "vsm_ops.h"
};

#define FIELD(member) \
	.field = offsetof(struct drm_vsm_insn, u.member), \
	.size = sizeof(((struct drm_vsm_insn *)0)->u.member)

/* The field of an operand, for the structure of operands that the operation takes. */
static const struct {
	uint32_t takes;
	uint8_t role;
	uint8_t field;
	uint8_t size;
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

static struct ptx_binding *add_binding(struct ptx_device_op *op, uint8_t role)
{
	struct ptx_binding *binding = &op->bindings[op->count++];
	uint32_t takes = op_forms[op->insn.op].takes & STRUCTURES;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (fields[i].takes == takes && fields[i].role == role) {
			binding->field = fields[i].field;
			binding->size = fields[i].size;
		}
	}
	binding->row = PTX_NO_ROW;
	return binding;
}

static bool bind_value(struct ptx_builder *b, const struct ptx_insn *insn,
		       const struct ptx_operand *operand, uint8_t role, enum ptx_type type,
		       struct ptx_device_op *op)
{
	struct ptx_binding *binding = add_binding(op, role);
	enum ptx_type own = ptx_operand_type(&b->d, operand);

	if (own == TYPE_PRED || role == PTX_VOTE || role == PTX_PREDICATE) {
		binding->kind = role == PTX_SRC_SIZE ? BIND_IGNORE_SRC : BIND_PRED;
		return ptx_source_pred(&b->d, insn, operand, &binding->row);
	}
	/* The registers of counts, sizes and masks may have any width. */
	return ptx_source_row(&b->d, insn, operand, own == TYPE_NONE ? type : own, &binding->row);
}

/* The state space of the address with this role. The opcode names the first one only. */
static enum ptx_space space_of(const struct ptx_opcode *opcode, const struct ptx_device_op *op,
			       uint8_t role)
{
	if (role == PTX_GLOBAL)
		return SPACE_GLOBAL;
	if (role == PTX_SOURCE)
		return SPACE_SHARED;
	if (opcode->op->space == DRM_VSM_SPACE_SHARED_CTA)
		return SPACE_SHARED;
	if (opcode->op->space || op->insn.space == DRM_VSM_SPACE_SHARED_CLUSTER)
		return SPACE_SHARED_CLUSTER;
	return op->insn.space ? SPACE_SHARED : SPACE_GENERIC;
}

static bool bind_address(struct ptx_builder *b, const struct ptx_insn *insn,
			 const struct ptx_operand *operand, uint8_t role,
			 const struct ptx_opcode *opcode, struct ptx_device_op *op)
{
	struct ptx_binding *binding = add_binding(op, role);

	binding->kind = role == PTX_GLOBAL ? BIND_GLOBAL : BIND_SHARED;
	binding->space = space_of(opcode, op, role);
	/* The address of a variable in shared memory is in .shared, whatever the opcode says. */
	if (operand->var && operand->var->space == SPACE_SHARED && role != PTX_GLOBAL)
		binding->space = SPACE_SHARED;
	return ptx_address_operand(b, insn, operand, binding->space, &binding->row,
				   &binding->offset, &binding->framed);
}

/* [tensorMap, {coordinates}] */
static bool bind_tensor(struct ptx_builder *b, const struct ptx_insn *insn,
			const struct ptx_operand *operand, unsigned int dims,
			struct ptx_device_op *op)
{
	struct ptx_binding *binding = add_binding(op, PTX_MAP);
	const struct ptx_operand *coords = operand->elements;
	unsigned int i;

	if (operand->kind != OPERAND_ADDRESS || operand->count != 1 ||
	    coords->kind != OPERAND_VECTOR || coords->count != dims) {
		ptx_refuse(&b->d, insn, "expected [tensorMap, {%u coordinates}]", dims);
		return false;
	}
	binding->kind = BIND_MAP;
	binding->space = SPACE_GENERIC;
	if (!ptx_address_operand(b, insn, operand, SPACE_GENERIC, &binding->row,
				 &binding->offset, &binding->framed))
		return false;
	if (operand->var && operand->var->space == SPACE_PARAM)
		binding->offset += PTX_PARAM_BASE;
	for (i = 0; i < dims; i++) {
		if (!bind_value(b, insn, &coords->elements[i], PTX_COORD, TYPE_S32, op))
			return false;
		op->bindings[op->count - 1].field += i * sizeof(int32_t);
		op->bindings[op->count - 1].size = sizeof(int32_t);
	}
	return true;
}

static bool bind_offsets(struct ptx_builder *b, const struct ptx_insn *insn,
			 const struct ptx_operand *operand, unsigned int dims,
			 struct ptx_device_op *op)
{
	unsigned int bits = ptx_offset_bits(dims);
	unsigned int i;

	if (operand->kind != OPERAND_VECTOR || operand->count != dims - 2) {
		ptx_refuse(&b->d, insn, "expected %u im2colOffsets", dims - 2);
		return false;
	}
	for (i = 0; i < operand->count; i++) {
		struct ptx_binding *binding;

		if (!bind_value(b, insn, &operand->elements[i], PTX_OFFSET, TYPE_U16, op))
			return false;
		binding = &op->bindings[op->count - 1];
		binding->kind = BIND_BITS;
		binding->shift = i * bits;
		binding->bits = bits;
	}
	return true;
}

static enum ptx_type value_type(unsigned int type)
{
	return ptx_type_bits(type) == 64 ? TYPE_B64 : TYPE_B32;
}

/* The value of st.async may be a vector. */
static bool bind_store(struct ptx_builder *b, const struct ptx_insn *insn,
		       const struct ptx_operand *operand, const struct ptx_opcode *opcode,
		       struct ptx_device_op *op)
{
	unsigned int bytes = ptx_type_bits(opcode->quals[PTX_TYPE]) / 8;
	unsigned int count = opcode->quals[PTX_VECTOR] ? opcode->quals[PTX_VECTOR] : 1;
	unsigned int i;

	if (count > 1 && (operand->kind != OPERAND_VECTOR || operand->count != count)) {
		ptx_refuse(&b->d, insn, "expected a vector of %u registers", count);
		return false;
	}
	op->insn.u.store.size = count * bytes;
	for (i = 0; i < count; i++) {
		if (!bind_value(b, insn, count > 1 ? &operand->elements[i] : operand, PTX_VALUE,
				value_type(opcode->quals[PTX_TYPE]), op))
			return false;
		op->bindings[op->count - 1].field += i * bytes;
		op->bindings[op->count - 1].size = bytes;
	}
	return true;
}

/* --- destinations ----------------------------------------------------------------- */

static bool bind_result(struct ptx_builder *b, const struct ptx_insn *insn,
			const struct ptx_operand *operand, uint8_t role,
			struct ptx_device_op *op, struct ptx_step *step)
{
	if (role == PTX_STATE_OUT && operand->kind == OPERAND_SINK) {
		op->insn.mods |= DRM_VSM_MOD_SINK;
		return true;
	}
	if (operand->kind == OPERAND_SINK)
		return true;
	if (ptx_operand_type(&b->d, operand) == TYPE_PRED) {
		op->result = RESULT_PRED;
		return ptx_target_pred(&b->d, insn, operand, &step->dst);
	}
	op->result = RESULT_ROW;
	return ptx_target_row(&b->d, insn, operand, ptx_operand_type(&b->d, operand), &step->dst);
}

static bool bind_pair(struct ptx_builder *b, const struct ptx_insn *insn,
		      const struct ptx_operand *operand, struct ptx_device_op *op,
		      struct ptx_step *step)
{
	const struct ptx_operand *first = operand;

	op->result = RESULT_PAIR;
	if (operand->kind == OPERAND_PAIR) {
		first = &operand->elements[0];
		if (!ptx_target_pred(&b->d, insn, &operand->elements[1], &step->dst2))
			return false;
	}
	return ptx_target_row(&b->d, insn, first, TYPE_B32, &step->dst);
}

static bool bind_operand(struct ptx_builder *b, const struct ptx_insn *insn,
			 const struct ptx_operand *operand, uint8_t role,
			 const struct ptx_opcode *opcode, struct ptx_device_op *op,
			 struct ptx_step *step)
{
	switch (role) {
	case PTX_STATE_OUT:
	case PTX_COMPLETE_OUT:
	case PTX_COUNT_OUT:
	case PTX_VALUE_OUT:
	case PTX_MASK_OUT:
		return bind_result(b, insn, operand, role, op, step);
	case PTX_MATCH_OUT:
	case PTX_ELECT_OUT:
	case PTX_SHFL_OUT:
		return bind_pair(b, insn, operand, op, step);
	case PTX_SHARED:
	case PTX_SOURCE:
	case PTX_MBAR:
	case PTX_GLOBAL:
		return bind_address(b, insn, operand, role, opcode, op);
	case PTX_TENSOR:
		return bind_tensor(b, insn, operand, opcode->op->dims, op);
	case PTX_OFFSET:
		return bind_offsets(b, insn, operand, opcode->op->dims, op);
	case PTX_POLICY:
		return true;
	case PTX_VALUE:
		if (op_forms[op->insn.op].takes & VSM_TAKES_STORE)
			return bind_store(b, insn, operand, opcode, op);
		return bind_value(b, insn, operand, role,
				  value_type(opcode->quals[PTX_TYPE]), op);
	case PTX_STATE:
		return bind_value(b, insn, operand, role, TYPE_B64, op);
	default:
		return bind_value(b, insn, operand, role, TYPE_U32, op);
	}
}

/* --- the instruction -------------------------------------------------------------- */

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

static void encode_opcode(const struct ptx_opcode *opcode, struct drm_vsm_insn *insn)
{
	insn->op = opcode->op->op;
	insn->mods = opcode->op->mods;
	insn->space = opcode->quals[PTX_SPACE];
	/* st.async and red.async have only one order: their fields sem and scope must be 0. */
	if (!(op_forms[insn->op].takes & VSM_TAKES_STORE)) {
		insn->sem = opcode->quals[PTX_SEM];
		insn->scope = opcode->quals[PTX_SCOPE];
	}
	insn->red = device_red(opcode);
	if (opcode->given & BIT(PTX_MULTICAST))
		insn->mods |= DRM_VSM_MOD_MULTICAST;
	if (opcode->given & BIT(PTX_CP_MASK))
		insn->mods |= DRM_VSM_MOD_CP_MASK;
	if (opcode->given & BIT(PTX_ALIGNED))
		insn->mods |= DRM_VSM_MOD_ALIGNED;
	if (opcode->quals[PTX_MODE] != PTX_MODE_TILE)
		insn->mods |= DRM_VSM_MOD_IM2COL;
}

/* The modifier that says that the operand with this role is there. */
static uint16_t mod_of_role(uint8_t role, unsigned int op)
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

static enum ptx_decoded decode(struct ptx_builder *b, const struct ptx_insn *insn,
			       const char *text, size_t length, struct ptx_step *step)
{
	struct ptx_opcode opcode = { };
	uint8_t roles[PTX_OPERANDS];
	struct ptx_device_op *op;
	unsigned int i;

	if (!parse_opcode(b, insn, text, length, &opcode))
		return REFUSED;
	if (!opcode.op->op)
		return NOT_MINE;
	op = ptx_extra_alloc(b, sizeof(*op));
	if (!op || !assign_roles(b, insn, &opcode, roles))
		return REFUSED;
	step->kind = STEP_DEVICE;
	step->extra = op;
	encode_opcode(&opcode, &op->insn);
	for (i = 0; i < insn->operand_count; i++) {
		op->insn.mods |= mod_of_role(roles[i], op->insn.op);
		if (!bind_operand(b, insn, &insn->operands[i], roles[i], &opcode, op, step))
			return REFUSED;
	}
	op->aligned = op->insn.mods & DRM_VSM_MOD_ALIGNED;
	b->program->needs_device = true;
	return DECODED;
}

enum ptx_decoded ptx_device_decode_as(struct ptx_builder *b, const struct ptx_insn *insn,
				      const char *opcode, struct ptx_step *step)
{
	return decode(b, insn, opcode, strlen(opcode), step);
}

enum ptx_decoded ptx_device_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				   struct ptx_step *step)
{
	if (!is_device_op(insn))
		return NOT_MINE;
	return decode(b, insn, insn->opcode.text, insn->opcode.length, step);
}
