// SPDX-License-Identifier: MIT
/*
 * Rows that have addresses, and operands that are addresses.
 */
#include "code/address.h"
#include "code/function.h"
#include "code/layout.h"
#include "code/special.h"

static bool local_row(struct ptx_builder *b, uint64_t offset, uint32_t *row)
{
	struct ptx_body *body = b->body;
	struct ptx_address *addresses;
	uint32_t i;

	for (i = 0; i < body->address_count; i++) {
		if (body->addresses[i].offset == offset) {
			*row = body->addresses[i].row;
			return true;
		}
	}
	addresses = ptx_grow(body->addresses, body->address_count, sizeof(*addresses));
	if (!addresses) {
		b->failed = true;
		return false;
	}
	body->addresses = addresses;
	*row = ptx_frame_row(b);
	addresses[body->address_count++] = (struct ptx_address){ *row, offset };
	return true;
}

static bool shared_row(struct ptx_builder *b, uint64_t offset, uint32_t *row)
{
	struct ptx_program *program = b->program;
	uint64_t *rows;
	uint32_t i;

	for (i = 0; i < program->shared_row_count && program->shared_rows[i] != offset; i++)
		;
	if (i == program->shared_row_count) {
		rows = ptx_grow(program->shared_rows, i, sizeof(*rows));
		if (!rows) {
			b->failed = true;
			return false;
		}
		program->shared_rows = rows;
		rows[program->shared_row_count++] = offset;
	}
	*row = PTX_ROW(FILE_WARP, PTX_SPECIAL_ROWS + i);
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
			return ptx_refuse(&b->d, insn, "an address %s is in a register of %s "
					  "bits, without a type of floats", space_name(space),
					  wide ? "64" : "32 or 64") == DECODED;
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
