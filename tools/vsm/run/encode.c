// SPDX-License-Identifier: MIT
/*
 * An instruction of a scenario as the device takes it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "run/state.h"

int refuse(struct outcome *outcome, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(outcome->note, sizeof(outcome->note), format, args);
	va_end(args);
	return err;
}

static uint64_t special_value(const struct actor *actor, enum ptx_special special)
{
	switch (special) {
	case PTX_LANEID:
		return actor->place.thread % 32;
	case PTX_TID:
		return actor->place.thread;
	default:
		return actor->place.cta;
	}
}

uint64_t value_of(const struct actor *actor, const struct operand *operand)
{
	switch (operand->kind) {
	case OPERAND_REGISTER:
		return actor->registers[operand->reg] ^ operand->inverted;
	case OPERAND_SPECIAL:
		return special_value(actor, operand->number);
	default:
		return operand->number ^ operand->inverted;
	}
}

uint64_t address_of(const struct actor *actor, const struct operand *operand)
{
	uint64_t address = operand->number;

	if (operand->reg >= 0)
		address += actor->registers[operand->reg];
	if (operand->own)
		address |= (uint64_t)actor->place.cta << VSM_SHARED_RANK_SHIFT;
	return address;
}

int shared_address(const struct actor *actor, const struct operand *operand,
		   struct outcome *outcome, uint32_t *addr)
{
	uint64_t address = address_of(actor, operand);

	if (address > UINT32_MAX)
		return refuse(outcome, -EFAULT, "the address 0x%" PRIx64 " has more than 32 bits",
			      address);
	*addr = address;
	return 0;
}

static int set_mbarrier_operand(const struct actor *actor, const struct operand *operand,
				struct outcome *outcome, struct drm_vsm_mbarrier_operands *o)
{
	switch (operand->role) {
	case PTX_SHARED:
		return shared_address(actor, operand, outcome, &o->addr);
	case PTX_COUNT:
	case PTX_IN_FLIGHT:
		o->count = value_of(actor, operand);
		break;
	case PTX_TX_COUNT:
		o->tx_count = value_of(actor, operand);
		break;
	case PTX_STATE:
		o->state = value_of(actor, operand);
		break;
	case PTX_PARITY:
		o->parity = value_of(actor, operand);
		break;
	case PTX_HINT:
		o->hint_ns = value_of(actor, operand);
		break;
	}
	return 0;
}

static int set_copy_operand(const struct actor *actor, const struct operand *operand,
			    struct outcome *outcome, struct drm_vsm_copy_operands *o)
{
	switch (operand->role) {
	case PTX_SHARED:
		return shared_address(actor, operand, outcome, &o->addr);
	case PTX_SOURCE:
		return shared_address(actor, operand, outcome, &o->src);
	case PTX_MBAR:
		return shared_address(actor, operand, outcome, &o->mbar);
	case PTX_GLOBAL:
		o->buffer = vsm_buffer_handle(actor->play->buffers[operand->buffer]);
		o->offset = address_of(actor, operand);
		break;
	case PTX_SIZE:
	case PTX_CP_SIZE:
		o->size = value_of(actor, operand);
		break;
	case PTX_SRC_SIZE:
		o->src_size = value_of(actor, operand);
		/* ignore-src */
		if (operand->kind == OPERAND_REGISTER && operand->bits == 1)
			o->src_size = o->src_size ? 0 : o->size;
		break;
	case PTX_CTA_MASK:
	case PTX_BYTE_MASK:
		o->mask = value_of(actor, operand);
		break;
	}
	return 0;
}

/* @index: Which of its vector's elements the operand is. */
static int set_tensor_operand(const struct actor *actor, const struct operand *operand,
			      unsigned int index, unsigned int offset_bits,
			      struct outcome *outcome, struct drm_vsm_tensor_operands *o)
{
	uint64_t mask = (1U << offset_bits) - 1;

	switch (operand->role) {
	case PTX_SHARED:
		return shared_address(actor, operand, outcome, &o->addr);
	case PTX_MBAR:
		return shared_address(actor, operand, outcome, &o->mbar);
	case PTX_MAP:
		o->map = (uintptr_t)&actor->play->maps[operand->map];
		break;
	case PTX_COORD:
		o->coords[index] = value_of(actor, operand);
		break;
	case PTX_OFFSET:
		o->offsets |= (value_of(actor, operand) & mask) << index * offset_bits;
		break;
	case PTX_CTA_MASK:
		o->mask = value_of(actor, operand);
		break;
	}
	return 0;
}

static int set_store_operand(const struct actor *actor, const struct operand *operand,
			     unsigned int index, unsigned int bytes, struct outcome *outcome,
			     struct drm_vsm_store_operands *o)
{
	unsigned int at = index * bytes;

	switch (operand->role) {
	case PTX_SHARED:
		return shared_address(actor, operand, outcome, &o->addr);
	case PTX_MBAR:
		return shared_address(actor, operand, outcome, &o->mbar);
	case PTX_VALUE:
		o->size = at + bytes;
		o->value[at / 8] |= value_of(actor, operand) << at % 8 * 8;
		break;
	}
	return 0;
}

static int set_warp_operand(const struct actor *actor, const struct operand *operand,
			    struct drm_vsm_warp_operands *o)
{
	switch (operand->role) {
	case PTX_VALUE:
	case PTX_VOTE:
		o->a = value_of(actor, operand);
		break;
	case PTX_LANE:
		o->b = value_of(actor, operand);
		break;
	case PTX_CLAMP:
		o->c = value_of(actor, operand);
		break;
	case PTX_MEMBERMASK:
		o->membermask = value_of(actor, operand);
		break;
	}
	return 0;
}

static int set_barrier_operand(const struct actor *actor, const struct operand *operand,
			       struct drm_vsm_barrier_operands *o)
{
	switch (operand->role) {
	case PTX_BARRIER:
		o->barrier = value_of(actor, operand);
		break;
	case PTX_THREADS:
		o->count = value_of(actor, operand);
		break;
	case PTX_PREDICATE:
		o->pred = value_of(actor, operand);
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

static int set_operand(const struct actor *actor, const struct instruction *insn,
		       const struct operand *operand, unsigned int index,
		       struct outcome *outcome, struct drm_vsm_insn *to)
{
	unsigned int bytes = ptx_type_bits(insn->quals[PTX_TYPE]) / 8;
	unsigned int dims = insn->op->dims;

	switch (to->op) {
	case DRM_VSM_OP_CP_ASYNC:
	case DRM_VSM_OP_CP_ASYNC_BULK_G2S:
	case DRM_VSM_OP_CP_ASYNC_BULK_S2G:
	case DRM_VSM_OP_CP_ASYNC_BULK_S2S:
	case DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH:
	case DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2G:
	case DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2S:
		return set_copy_operand(actor, operand, outcome, &to->u.copy);
	case DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S:
	case DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_S2G:
	case DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
	case DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH_TENSOR:
		return set_tensor_operand(actor, operand, index,
					  dims > 2 ? ptx_offset_bits(dims) : 0, outcome,
					  &to->u.tensor);
	case DRM_VSM_OP_ST_ASYNC:
	case DRM_VSM_OP_RED_ASYNC:
		return set_store_operand(actor, operand, index, bytes, outcome, &to->u.store);
	case DRM_VSM_OP_MATCH_SYNC:
	case DRM_VSM_OP_BAR_WARP_SYNC:
	case DRM_VSM_OP_ELECT_SYNC:
	case DRM_VSM_OP_VOTE_SYNC:
	case DRM_VSM_OP_SHFL_SYNC:
	case DRM_VSM_OP_REDUX_SYNC:
		return set_warp_operand(actor, operand, &to->u.warp);
	case DRM_VSM_OP_BARRIER_SYNC:
	case DRM_VSM_OP_BARRIER_ARRIVE:
	case DRM_VSM_OP_BARRIER_RED:
		return set_barrier_operand(actor, operand, &to->u.barrier);
	default:
		return set_mbarrier_operand(actor, operand, outcome, &to->u.mbarrier);
	}
}

/* Reduction, mode and type, in the way of each operation. */
static unsigned int device_red(const struct instruction *insn)
{
	const struct ptx_op *op = insn->op;
	unsigned int type = device_type(insn->quals[PTX_TYPE]);

	if (op->dims)
		return DRM_VSM_RED_DIMS(insn->quals[PTX_REDUCTION], op->dims);
	if (op->op == DRM_VSM_OP_MATCH_SYNC)
		return DRM_VSM_MODE(op->mode, type);
	if (op->mode)
		return op->mode;
	if (op->op == DRM_VSM_OP_BARRIER_RED)
		return insn->quals[PTX_REDUCTION];
	return op->types ? DRM_VSM_RED(insn->quals[PTX_REDUCTION], type) : 0;
}

int encode(const struct actor *actor, const struct instruction *insn, struct outcome *outcome,
	   struct drm_vsm_insn *to)
{
	unsigned int index = 0;
	unsigned int i;
	int err = 0;

	memset(to, 0, sizeof(*to));
	to->op = insn->op->op;
	to->mods = insn->mods;
	to->space = insn->quals[PTX_SPACE];
	/* st.async and red.async have but one order, which the device need not be told. */
	if (to->op != DRM_VSM_OP_ST_ASYNC && to->op != DRM_VSM_OP_RED_ASYNC) {
		to->sem = insn->quals[PTX_SEM];
		to->scope = insn->quals[PTX_SCOPE];
	}
	to->red = device_red(insn);
	for (i = 0; !err && i < insn->count; i++) {
		if (!i || insn->operands[i].role != insn->operands[i - 1].role)
			index = 0;
		err = set_operand(actor, insn, &insn->operands[i], index++, outcome, to);
	}
	return err;
}
