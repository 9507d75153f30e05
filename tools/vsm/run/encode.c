// SPDX-License-Identifier: MIT
/*
 * Encodes an instruction of a scenario for the device.
 */
#include <string.h>

#include "run/encode.h"

static int set_mbarrier_operand(const struct thread *t, const struct operand *operand,
				struct outcome *outcome, struct drm_vsm_mbarrier_operands *o)
{
	switch (operand->role) {
	case PTX_SHARED:
		return operand_shared_address(t, operand, outcome, &o->addr);
	case PTX_COUNT:
	case PTX_IN_FLIGHT:
		o->count = operand_value(t, operand);
		break;
	case PTX_TX_COUNT:
		o->tx_count = operand_value(t, operand);
		break;
	case PTX_STATE:
		o->state = operand_value(t, operand);
		break;
	case PTX_PARITY:
		o->parity = operand_value(t, operand);
		break;
	case PTX_HINT:
		o->hint_ns = operand_value(t, operand);
		break;
	}
	return 0;
}

static int set_copy_operand(const struct thread *t, const struct operand *operand,
			    struct outcome *outcome, struct drm_vsm_copy_operands *o)
{
	switch (operand->role) {
	case PTX_SHARED:
		return operand_shared_address(t, operand, outcome, &o->addr);
	case PTX_SOURCE:
		return operand_shared_address(t, operand, outcome, &o->src);
	case PTX_MBAR:
		return operand_shared_address(t, operand, outcome, &o->mbar);
	case PTX_GLOBAL:
		o->buffer = vsm_buffer_handle(t->objects->buffers[operand->buffer]);
		o->offset = operand_address(t, operand);
		break;
	case PTX_SIZE:
	case PTX_CP_SIZE:
		o->size = operand_value(t, operand);
		break;
	case PTX_SRC_SIZE:
		o->src_size = operand_value(t, operand);
		/*
		 * A predicate here is PTX's ignore-src: if it is True, no byte of the source is
		 * read.
		 */
		if (operand->kind == OPERAND_REGISTER && operand->bits == 1)
			o->src_size = o->src_size ? 0 : o->size;
		break;
	case PTX_CTA_MASK:
	case PTX_BYTE_MASK:
		o->mask = operand_value(t, operand);
		break;
	}
	return 0;
}

/* @index is the index of the operand in its vector of coordinates or offsets. */
static int set_tensor_operand(const struct thread *t, const struct operand *operand,
			      unsigned int index, unsigned int offset_bits,
			      struct outcome *outcome, struct drm_vsm_tensor_operands *o)
{
	uint64_t mask = (1U << offset_bits) - 1;

	switch (operand->role) {
	case PTX_SHARED:
		return operand_shared_address(t, operand, outcome, &o->addr);
	case PTX_MBAR:
		return operand_shared_address(t, operand, outcome, &o->mbar);
	case PTX_MAP:
		o->map = (uintptr_t)&t->objects->maps[operand->map];
		break;
	case PTX_COORD:
		o->coords[index] = operand_value(t, operand);
		break;
	case PTX_OFFSET:
		o->offsets |= (operand_value(t, operand) & mask) << index * offset_bits;
		break;
	case PTX_CTA_MASK:
		o->mask = operand_value(t, operand);
		break;
	}
	return 0;
}

static int set_store_operand(const struct thread *t, const struct operand *operand,
			     unsigned int index, unsigned int bytes, struct outcome *outcome,
			     struct drm_vsm_store_operands *o)
{
	unsigned int at = index * bytes;

	switch (operand->role) {
	case PTX_SHARED:
		return operand_shared_address(t, operand, outcome, &o->addr);
	case PTX_MBAR:
		return operand_shared_address(t, operand, outcome, &o->mbar);
	case PTX_VALUE:
		o->size = at + bytes;
		o->value[at / 8] |= operand_value(t, operand) << at % 8 * 8;
		break;
	}
	return 0;
}

static int set_warp_operand(const struct thread *t, const struct operand *operand,
			    struct drm_vsm_warp_operands *o)
{
	switch (operand->role) {
	case PTX_VALUE:
	case PTX_VOTE:
		o->a = operand_value(t, operand);
		break;
	case PTX_LANE:
		o->b = operand_value(t, operand);
		break;
	case PTX_CLAMP:
		o->c = operand_value(t, operand);
		break;
	case PTX_MEMBERMASK:
		o->membermask = operand_value(t, operand);
		break;
	}
	return 0;
}

static int set_barrier_operand(const struct thread *t, const struct operand *operand,
			       struct drm_vsm_barrier_operands *o)
{
	switch (operand->role) {
	case PTX_BARRIER:
		o->barrier = operand_value(t, operand);
		break;
	case PTX_THREADS:
		o->count = operand_value(t, operand);
		break;
	case PTX_PREDICATE:
		o->pred = operand_value(t, operand);
		break;
	}
	return 0;
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

/* The operands of each operation, of all its forms together. */
#define VSM_OP(NAME, sems, traits) \
	[DRM_VSM_OP_##NAME] = { 0
#define VSM_FORM(mods, takes) | (takes)
#define VSM_OP_END },
static const struct {
	uint32_t takes;
} ops[] = {
#include "vsm_ops.h"
};

static int set_operand(const struct thread *t, const struct instruction *insn,
		       const struct operand *operand, unsigned int index,
		       struct outcome *outcome, struct drm_vsm_insn *to)
{
	unsigned int bytes = ptx_type_bits(insn->opcode.quals[PTX_TYPE]) / 8;
	unsigned int dims = insn->opcode.op->dims;

	if (ops[to->op].takes & VSM_TAKES_COPY)
		return set_copy_operand(t, operand, outcome, &to->u.copy);
	if (ops[to->op].takes & VSM_TAKES_TENSOR)
		return set_tensor_operand(t, operand, index,
					  dims > 2 ? ptx_offset_bits(dims) : 0, outcome,
					  &to->u.tensor);
	if (ops[to->op].takes & VSM_TAKES_STORE)
		return set_store_operand(t, operand, index, bytes, outcome, &to->u.store);
	if (ops[to->op].takes & VSM_TAKES_WARP)
		return set_warp_operand(t, operand, &to->u.warp);
	if (ops[to->op].takes & VSM_TAKES_BARRIER)
		return set_barrier_operand(t, operand, &to->u.barrier);
	return set_mbarrier_operand(t, operand, outcome, &to->u.mbarrier);
}

/*
 * Returns the field red, which has the reduction, the mode and the type. Each kind of operation
 * encodes them in its own way.
 */
static unsigned int device_red(const struct instruction *insn)
{
	const struct ptx_op *op = insn->opcode.op;
	unsigned int type = device_type(insn->opcode.quals[PTX_TYPE]);

	if (op->dims)
		return DRM_VSM_RED_DIMS(insn->opcode.quals[PTX_REDUCTION], op->dims);
	if (op->op == DRM_VSM_OP_MATCH_SYNC)
		return DRM_VSM_MODE(op->mode, type);
	if (op->mode)
		return op->mode;
	if (op->op == DRM_VSM_OP_BARRIER_RED)
		return insn->opcode.quals[PTX_REDUCTION];
	return op->types ? DRM_VSM_RED(insn->opcode.quals[PTX_REDUCTION], type) : 0;
}

int encode(const struct thread *t, const struct instruction *insn, struct outcome *outcome,
	   struct drm_vsm_insn *to)
{
	unsigned int index = 0;
	unsigned int i;
	int err = 0;

	memset(to, 0, sizeof(*to));
	to->op = insn->opcode.op->op;
	to->mods = insn->mods;
	to->space = insn->opcode.quals[PTX_SPACE];
	/* st.async and red.async have only one order: their fields sem and scope must be 0. */
	if (!(ops[to->op].takes & VSM_TAKES_STORE)) {
		to->sem = insn->opcode.quals[PTX_SEM];
		to->scope = insn->opcode.quals[PTX_SCOPE];
	}
	to->red = device_red(insn);
	for (i = 0; !err && i < insn->count; i++) {
		if (!i || insn->operands[i].role != insn->operands[i - 1].role)
			index = 0;
		err = set_operand(t, insn, &insn->operands[i], index++, outcome, to);
	}
	return err;
}
