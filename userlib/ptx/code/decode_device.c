// SPDX-License-Identifier: MIT
/* Decodes instructions that the device executes, with the table of operations (syntax/form.c). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/decoder.h"
#include "code/decoders.h"
#include "code/device.h"
#include "vsm_syntax.h"

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

static bool assign_roles(struct ptx_builder *b, const struct ptx_insn *insn,
			 const struct ptx_opcode *opcode, uint8_t assigned[PTX_OPERANDS])
{
	const struct ptx_op *op = opcode->op;

	if (!ptx_assign_roles(opcode, insn->operand_count, assigned))
		return true;
	ptx_refuse(&b->d, insn, "%s has %u operands; PTX has %s%s", op->name,
		   insn->operand_count, op->name, op->syntax);
	return false;
}

/* --- operands --------------------------------------------------------------------- */

static struct ptx_binding *add_binding(struct ptx_device_op *op, uint8_t role)
{
	struct ptx_binding *binding = &op->bindings[op->count++];
	struct ptx_field field = ptx_field_of(op->insn.op, role);

	binding->field = field.offset;
	binding->size = field.size;
	binding->row = PTX_NO_ROW;
	return binding;
}

static bool bind_value(struct ptx_builder *b, const struct ptx_insn *insn,
		       const struct ptx_operand *operand, uint8_t role, enum ptx_type type,
		       struct ptx_device_op *op)
{
	struct ptx_binding *binding = add_binding(op, role);

	if (role == PTX_VOTE || role == PTX_PREDICATE ||
	    (role == PTX_SRC_SIZE && ptx_operand_type(&b->d, operand) == TYPE_PRED)) {
		binding->kind = role == PTX_SRC_SIZE ? BIND_IGNORE_SRC : BIND_PRED;
		return ptx_source_pred(&b->d, insn, operand, &binding->row);
	}
	return ptx_source_row(&b->d, insn, operand, type, &binding->row);
}

/* Refuses numbers that no such instruction has. The device checks those in registers. */
static bool check_number(struct ptx_builder *b, const struct ptx_insn *insn,
			 const struct ptx_operand *operand, uint8_t role,
			 const struct ptx_opcode *opcode)
{
	bool number = operand->kind == OPERAND_INT;
	int64_t value = operand->number;
	const char *takes = NULL;

	switch (role) {
	case PTX_CP_SIZE:
		if (opcode->op->mods & DRM_VSM_MOD_CG)
			takes = number && value == 16 ? NULL : "16";
		else if (!number || (value != 4 && value != 8 && value != 16))
			takes = "4, 8 or 16";
		break;
	case PTX_IN_FLIGHT:
		if (!number || value < 0 || value > INT32_MAX)
			takes = "a number of groups";
		break;
	case PTX_PARITY:
		if (number && (value < 0 || value > 1))
			takes = "a parity, 0 or 1,";
		break;
	case PTX_SIZE:
		if (number && (value < 0 || value % 16 || value > UINT32_MAX))
			takes = "a size that is a multiple of 16";
		break;
	case PTX_SRC_SIZE:
		/* The cp-size is the operand before it. */
		if (number && (value < 0 || value > operand[-1].number))
			takes = "a size up to the cp-size";
		break;
	case PTX_COUNT:
		if (number && value <= 0 && opcode->op->op != DRM_VSM_OP_MBARRIER_INIT)
			takes = "a count that is at least 1";
		break;
	case PTX_BARRIER:
		if (number && (value < 0 || value > 15))
			takes = "a barrier from 0 to 15";
		break;
	case PTX_THREADS:
		if (number && (value < 0 || value % 32 || value > INT32_MAX))
			takes = "a number of threads that is a multiple of 32";
		else if (number && !value && opcode->op->op == DRM_VSM_OP_BARRIER_ARRIVE)
			takes = "a number of threads that is at least 32";
		break;
	default:
		break;
	}
	if (!takes)
		return true;
	ptx_refuse(&b->d, insn, "%s takes %s here", opcode->op->name, takes);
	return false;
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

/*
 * Is it a cp.async.mbarrier.arrive without a state space, with an address of 32 bits? libcu++ has
 * it. The assembler takes it for an address in shared memory, although a generic address has 64
 * bits.
 */
static bool is_short_arrive(const struct ptx_builder *b, const struct ptx_operand *operand,
			    const struct ptx_device_op *op)
{
	return op->insn.op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE &&
	       operand->kind == OPERAND_ADDRESS && operand->reg >= 0 &&
	       ptx_type_size(b->d.function->regs[ptx_operand_reg(operand)].type) == 4;
}

static bool bind_address(struct ptx_builder *b, const struct ptx_insn *insn,
			 const struct ptx_operand *operand, uint8_t role,
			 const struct ptx_opcode *opcode, struct ptx_device_op *op)
{
	struct ptx_binding *binding = add_binding(op, role);

	binding->kind = role == PTX_GLOBAL ? BIND_GLOBAL : BIND_SHARED;
	binding->space = space_of(opcode, op, role);
	/* The address of a variable is in .shared, whatever the opcode says. */
	if ((operand->var && role != PTX_GLOBAL) || is_short_arrive(b, operand, op))
		binding->space = SPACE_SHARED;
	return ptx_check_space(b, insn, operand, binding->space) &&
	       ptx_address_operand(b, insn, operand, binding->space, &binding->row,
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
	bool param;

	if (operand->kind != OPERAND_ADDRESS || operand->count != 1 ||
	    coords->kind != OPERAND_VECTOR || coords->count != dims) {
		ptx_refuse(&b->d, insn, "expected [tensorMap, {%u coordinates}]", dims);
		return false;
	}
	binding->kind = BIND_MAP;
	binding->space = SPACE_GENERIC;
	param = operand->var && ptx_is_kernel_param(b, operand->var);
	if ((!param && !ptx_check_space(b, insn, operand, SPACE_GENERIC)) ||
	    !ptx_address_operand(b, insn, operand, SPACE_GENERIC, &binding->row,
				 &binding->offset, &binding->framed))
		return false;
	if (param)
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
	switch (type) {
	case PTX_PRED:
		return TYPE_PRED;
	case PTX_F32:
		return TYPE_F32;
	case PTX_F64:
		return TYPE_F64;
	case PTX_B32:
		return TYPE_B32;
	case PTX_B64:
		return TYPE_B64;
	default:
		return ptx_type_bits(type) == 64 ? TYPE_U64 : TYPE_U32;
	}
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

/* The type of a result that is no pair. */
static enum ptx_type result_type(const struct ptx_opcode *opcode, uint8_t role)
{
	switch (role) {
	case PTX_STATE_OUT:
		return TYPE_U64;
	case PTX_COMPLETE_OUT:
		return TYPE_PRED;
	case PTX_VALUE_OUT:
		return value_type(opcode->quals[PTX_TYPE]);
	default:
		return TYPE_U32;
	}
}

static bool bind_result(struct ptx_builder *b, const struct ptx_insn *insn,
			const struct ptx_operand *operand, uint8_t role,
			const struct ptx_opcode *opcode, struct ptx_device_op *op,
			struct ptx_step *step)
{
	enum ptx_type type = result_type(opcode, role);

	if (role == PTX_STATE_OUT && operand->kind == OPERAND_SINK) {
		op->insn.mods |= DRM_VSM_MOD_SINK;
		return true;
	}
	if (role == PTX_STATE_OUT && op->insn.space == DRM_VSM_SPACE_SHARED_CLUSTER) {
		ptx_refuse(&b->d, insn, "%s has no state in .shared::cluster: its destination is _",
			   opcode->op->name);
		return false;
	}
	if (operand->kind == OPERAND_SINK) {
		ptx_refuse(&b->d, insn, "the destination of %s is a register, not _",
			   opcode->op->name);
		return false;
	}
	if (type == TYPE_PRED) {
		op->result = RESULT_PRED;
		return ptx_target_pred(&b->d, insn, operand, &step->dst);
	}
	op->result = RESULT_ROW;
	return ptx_target_row(&b->d, insn, operand, type, &step->dst);
}

static bool bind_pair(struct ptx_builder *b, const struct ptx_insn *insn,
		      const struct ptx_operand *operand, uint8_t role, struct ptx_device_op *op,
		      struct ptx_step *step)
{
	const struct ptx_operand *pair = operand->kind == OPERAND_PAIR ? operand->elements : NULL;
	const struct ptx_operand *first = pair ? &pair[0] : operand;

	if (role == PTX_ELECT_OUT && (!pair || pair[1].kind == OPERAND_SINK)) {
		ptx_refuse(&b->d, insn, "elect.sync takes a destination d|p with a predicate p");
		return false;
	}
	if (role == PTX_SHFL_OUT && first->kind == OPERAND_SINK) {
		ptx_refuse(&b->d, insn, "the destination of shfl.sync is a register, not _");
		return false;
	}
	op->result = RESULT_PAIR;
	return (!pair || ptx_target_pred(&b->d, insn, &pair[1], &step->dst2)) &&
	       ptx_target_row(&b->d, insn, first, TYPE_B32, &step->dst);
}

static bool bind_operand(struct ptx_builder *b, const struct ptx_insn *insn,
			 const struct ptx_operand *operand, uint8_t role,
			 const struct ptx_opcode *opcode, struct ptx_device_op *op,
			 struct ptx_step *step)
{
	uint32_t policy;

	if (!check_number(b, insn, operand, role, opcode))
		return false;
	switch (role) {
	case PTX_STATE_OUT:
	case PTX_COMPLETE_OUT:
	case PTX_COUNT_OUT:
	case PTX_VALUE_OUT:
	case PTX_MASK_OUT:
		return bind_result(b, insn, operand, role, opcode, op, step);
	case PTX_MATCH_OUT:
	case PTX_ELECT_OUT:
	case PTX_SHFL_OUT:
		return bind_pair(b, insn, operand, role, op, step);
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
		return ptx_source_row(&b->d, insn, operand, TYPE_U64, &policy);
	case PTX_VALUE:
		if (ptx_op_stores(op->insn.op))
			return bind_store(b, insn, operand, opcode, op);
		return bind_value(b, insn, operand, role,
				  value_type(opcode->quals[PTX_TYPE]), op);
	case PTX_STATE:
		return bind_value(b, insn, operand, role, TYPE_U64, op);
	case PTX_CTA_MASK:
	case PTX_BYTE_MASK:
		return bind_value(b, insn, operand, role, TYPE_U16, op);
	default:
		return bind_value(b, insn, operand, role, TYPE_U32, op);
	}
}

/* The address in global memory comes last: its check needs the size of the copy. */
static void order_bindings(struct ptx_device_op *op)
{
	struct ptx_binding global;
	unsigned int i;

	for (i = 0; i < op->count && op->bindings[i].kind != BIND_GLOBAL; i++)
		;
	if (i == op->count)
		return;
	global = op->bindings[i];
	for (; i + 1 < op->count; i++)
		op->bindings[i] = op->bindings[i + 1];
	op->bindings[i] = global;
}

/* --- the instruction -------------------------------------------------------------- */

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
	ptx_encode_opcode(&opcode, &op->insn);
	op->insn.mods = ptx_opcode_mods(&opcode);
	for (i = 0; i < insn->operand_count; i++) {
		op->insn.mods |= ptx_role_mod(op->insn.op, roles[i]);
		if (!bind_operand(b, insn, &insn->operands[i], roles[i], &opcode, op, step))
			return REFUSED;
	}
	order_bindings(op);
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
