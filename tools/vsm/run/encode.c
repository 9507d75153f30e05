// SPDX-License-Identifier: MIT
/*
 * Encodes an instruction of a scenario for the device.
 */
#include <string.h>

#include "run/encode.h"
#include "table/encode.h"

/*
 * Sets the operand's bytes in @to. @index is the index of the operand in its vector. The elements
 * of the vector have @bytes bytes each.
 */
static void set_field(struct drm_vsm_insn *to, const struct operand *operand, uint64_t value,
		      unsigned int index, unsigned int bytes)
{
	struct ptx_field field = ptx_field_of(to->op, operand->role);

	if (bytes) {
		field.offset += index * bytes;
		field.size = bytes;
	}
	memcpy((char *)to + field.offset, &value, field.size);
}

static int set_operand(const struct thread *t, const struct instruction *insn,
		       const struct operand *operand, unsigned int index,
		       struct outcome *outcome, struct drm_vsm_insn *to)
{
	unsigned int bits = ptx_type_bits(insn->opcode.quals[PTX_TYPE]);
	unsigned int bytes = 0;
	uint32_t address;
	uint64_t value;
	int err;

	switch (operand->role) {
	case PTX_SHARED:
	case PTX_SOURCE:
	case PTX_MBAR:
		err = operand_shared_address(t, operand, outcome, &address);
		if (err)
			return err;
		value = address;
		break;
	case PTX_GLOBAL:
		to->u.copy.buffer = vsm_buffer_handle(t->objects->buffers[operand->buffer]);
		value = operand_address(t, operand);
		break;
	case PTX_MAP:
		value = (uintptr_t)&t->objects->maps[operand->map];
		break;
	case PTX_COORD:
		value = operand_value(t, operand);
		bytes = sizeof(to->u.tensor.coords[0]);
		break;
	case PTX_OFFSET:
		bits = ptx_offset_bits(insn->opcode.op->dims);
		value = to->u.tensor.offsets |
			(operand_value(t, operand) & ((1U << bits) - 1)) << index * bits;
		break;
	case PTX_SRC_SIZE:
		value = operand_value(t, operand);
		/*
		 * A predicate here is PTX's ignore-src: if it is True, no byte of the source is
		 * read.
		 */
		if (operand->kind == OPERAND_REGISTER && operand->bits == 1)
			value = value ? 0 : to->u.copy.size;
		break;
	case PTX_VALUE:
		value = operand_value(t, operand);
		if (ptx_op_stores(to->op)) {
			bytes = bits / 8;
			to->u.store.size = (index + 1) * bytes;
		}
		break;
	default:
		value = operand_value(t, operand);
		break;
	}
	set_field(to, operand, value, index, bytes);
	return 0;
}

int encode(const struct thread *t, const struct instruction *insn, struct outcome *outcome,
	   struct drm_vsm_insn *to)
{
	unsigned int index = 0;
	unsigned int i;
	int err = 0;

	memset(to, 0, sizeof(*to));
	ptx_encode_opcode(&insn->opcode, to);
	to->mods = insn->mods;
	for (i = 0; !err && i < insn->count; i++) {
		if (!i || insn->operands[i].role != insn->operands[i - 1].role)
			index = 0;
		err = set_operand(t, insn, &insn->operands[i], index++, outcome, to);
	}
	return err;
}
