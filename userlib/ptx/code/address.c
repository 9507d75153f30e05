// SPDX-License-Identifier: MIT
/*
 * Rows that have addresses, and operands that are addresses.
 */
#include <stdlib.h>

#include "code/address.h"
#include "code/function.h"
#include "code/layout.h"
#include "code/special.h"

/* The slot of an offset in a table, or the free slot where it belongs. */
static struct ptx_address *find_slot(const struct ptx_builder *b, const struct ptx_offsets *offsets,
				     uint64_t offset)
{
	uint32_t last = offsets->space - 1;
	uint32_t at = (uint32_t)ptx_hash(&b->d, offset) & last;

	while (offsets->slots[at].row != PTX_NO_ROW && offsets->slots[at].offset != offset)
		at = (at + 1) & last;
	return &offsets->slots[at];
}

static bool offsets_grow(const struct ptx_builder *b, struct ptx_offsets *offsets)
{
	struct ptx_offsets bigger = { .space = offsets->space ? 2 * offsets->space : 16 };
	uint32_t i;

	bigger.slots = malloc(bigger.space * sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (i = 0; i < bigger.space; i++)
		bigger.slots[i].row = PTX_NO_ROW;
	for (i = 0; i < offsets->space; i++)
		if (offsets->slots[i].row != PTX_NO_ROW)
			*find_slot(b, &bigger, offsets->slots[i].offset) = offsets->slots[i];
	bigger.count = offsets->count;
	free(offsets->slots);
	*offsets = bigger;
	return true;
}

/* The slot of an offset. If it is new, its row is PTX_NO_ROW, and the caller sets it. */
static struct ptx_address *offset_slot(struct ptx_builder *b, struct ptx_offsets *offsets,
				       uint64_t offset)
{
	struct ptx_address *slot;

	if (2 * offsets->count >= offsets->space && !offsets_grow(b, offsets)) {
		b->failed = true;
		return NULL;
	}
	slot = find_slot(b, offsets, offset);
	if (slot->row == PTX_NO_ROW)
		offsets->count++;
	slot->offset = offset;
	return slot;
}

void ptx_offsets_clear(struct ptx_offsets *offsets)
{
	free(offsets->slots);
	*offsets = (struct ptx_offsets){ };
}

static bool local_row(struct ptx_builder *b, uint64_t offset, uint32_t *row)
{
	struct ptx_address *slot = offset_slot(b, &b->local_offsets, offset);
	struct ptx_body *body = b->body;
	struct ptx_address *addresses;

	if (!slot)
		return false;
	if (slot->row == PTX_NO_ROW) {
		addresses = ptx_grow(body->addresses, body->address_count, sizeof(*addresses));
		if (!addresses) {
			b->failed = true;
			return false;
		}
		body->addresses = addresses;
		slot->row = ptx_frame_row(b);
		addresses[body->address_count++] = *slot;
	}
	*row = slot->row;
	return true;
}

static bool shared_row(struct ptx_builder *b, uint64_t offset, uint32_t *row)
{
	struct ptx_address *slot = offset_slot(b, &b->shared_offsets, offset);
	struct ptx_program *program = b->program;
	uint64_t *rows;

	if (!slot)
		return false;
	if (slot->row == PTX_NO_ROW) {
		rows = ptx_grow(program->shared_rows, program->shared_row_count, sizeof(*rows));
		if (!rows) {
			b->failed = true;
			return false;
		}
		program->shared_rows = rows;
		slot->row = PTX_ROW(FILE_WARP, PTX_SPECIAL_ROWS + program->shared_row_count);
		rows[program->shared_row_count++] = offset;
	}
	*row = slot->row;
	return true;
}

bool ptx_variable_row(struct ptx_builder *b, const struct ptx_variable *var, int64_t offset,
		      uint32_t *row)
{
	switch (var->space) {
	case SPACE_SHARED:
		return shared_row(b, ptx_shared_offset(b->program, var) + (uint64_t)offset, row);
	case SPACE_LOCAL:
		return local_row(b, var->address + offset, row);
	case SPACE_PARAM:
		if (!b->d.function->entry)
			return local_row(b, var->address + offset, row);
		break;
	default:
		break;
	}
	*row = ptx_const_row(&b->d, var->address + offset);
	return *row != PTX_NO_ROW;
}

bool ptx_address_row(struct ptx_decoder *d, const struct ptx_insn *insn,
		     const struct ptx_operand *operand, uint32_t *row)
{
	if (operand->kind == OPERAND_VARIABLE && operand->var->space == SPACE_PARAM &&
	    d->function->entry && !ptx_is_kernel_param(to_builder(d), operand->var))
		return ptx_refuse(d, insn, "%s has no address: it is a .param variable of the body",
				  operand->var->name) == DECODED;
	if (operand->kind == OPERAND_VARIABLE)
		return ptx_variable_row(to_builder(d), operand->var, operand->number, row);
	if (operand->kind != OPERAND_FUNCTION || !operand->function->defined)
		return ptx_refuse(d, insn, "expected the address of a variable or function") ==
		       DECODED;
	*row = ptx_const_row(d, ptx_function_address(d->module, operand->function));
	return *row != PTX_NO_ROW;
}

static const char *space_name(enum ptx_space space)
{
	switch (space) {
	case SPACE_GLOBAL:
		return "in .global";
	case SPACE_SHARED:
		return "in .shared";
	case SPACE_SHARED_CLUSTER:
		return "in .shared::cluster";
	case SPACE_LOCAL:
		return "in .local";
	case SPACE_CONST:
		return "in .const";
	case SPACE_PARAM:
		return "in .param";
	default:
		return "that is generic";
	}
}

bool ptx_check_exact_space(struct ptx_builder *b, const struct ptx_insn *insn,
			   const struct ptx_operand *operand, enum ptx_space space)
{
	const struct ptx_variable *var = operand->var;

	if (!var || var->space == (space == SPACE_SHARED_CLUSTER ? SPACE_SHARED : space))
		return true;
	return ptx_refuse(&b->d, insn, "%s is %s, but %.*s takes an address %s here", var->name,
			  space_name(var->space), (int)insn->opcode.length, insn->opcode.text,
			  space_name(space)) == DECODED;
}

bool ptx_check_space(struct ptx_builder *b, const struct ptx_insn *insn,
		     const struct ptx_operand *operand, enum ptx_space space)
{
	const struct ptx_variable *var = operand->var;

	if (space == SPACE_GENERIC && var &&
	    (var->space == SPACE_GLOBAL || var->space == SPACE_CONST))
		return true;
	return ptx_check_exact_space(b, insn, operand, space);
}

bool ptx_is_kernel_param(const struct ptx_builder *b, const struct ptx_variable *var)
{
	const struct ptx_function *function = b->d.function;

	return function->entry && var >= function->params &&
	       var < function->params + function->param_count;
}

bool ptx_address_operand(struct ptx_builder *b, const struct ptx_insn *insn,
			 const struct ptx_operand *operand, enum ptx_space space, uint32_t *row,
			 int64_t *offset, bool *framed)
{
	const struct ptx_variable *var = operand->var;

	*row = PTX_NO_ROW;
	*offset = operand->number;
	*framed = false;
	if (operand->kind != OPERAND_ADDRESS)
		return ptx_refuse(&b->d, insn, "expected an address in brackets") == DECODED;
	if (operand->reg >= 0) {
		enum ptx_type type = b->d.function->regs[ptx_operand_reg(operand)].type;
		bool wide = space == SPACE_GENERIC || space == SPACE_GLOBAL;
		unsigned int size = ptx_type_size(type);

		if ((size != 8 && (wide || size != 4)) || ptx_type_is_float(type))
			return ptx_refuse(&b->d, insn,
					  "an address %s is in a register of %s bits, without a type of floats",
					  space_name(space), wide ? "64" : "32 or 64") == DECODED;
		*row = b->d.slots[ptx_operand_reg(operand)];
		return true;
	}
	if (!var)
		return true;
	if (var->space == SPACE_LOCAL || space == SPACE_LOCAL) {
		*offset += var->address;
		*framed = true;
		return true;
	}
	if (var->space != SPACE_SHARED) {
		*offset += var->address;
		return true;
	}
	return ptx_variable_row(b, var, 0, row);
}
