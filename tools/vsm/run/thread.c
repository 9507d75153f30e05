// SPDX-License-Identifier: MIT
/*
 * The registers of a device thread, and the values of operands.
 */
#include <errno.h>
#include <inttypes.h>

#include "run/thread.h"

static uint64_t special_value(const struct thread *t, enum special special)
{
	switch (special) {
	case PTX_LANEID:
		return t->place.thread % 32;
	case PTX_TID:
		return t->place.thread;
	default:
		return t->place.cta;
	}
}

static uint64_t register_value(const struct thread *t, const struct operand *operand)
{
	uint64_t value = t->registers[operand->reg];

	if (operand->second >= 0)
		value |= t->registers[operand->second] << 32;
	return value >> operand->shift;
}

uint64_t operand_value(const struct thread *t, const struct operand *operand)
{
	switch (operand->kind) {
	case OPERAND_REGISTER:
		return register_value(t, operand) ^ operand->inverted;
	case OPERAND_ADDRESS:
		return operand_address(t, operand);
	case OPERAND_SPECIAL:
		return special_value(t, operand->number);
	default:
		return operand->number ^ operand->inverted;
	}
}

uint64_t operand_address(const struct thread *t, const struct operand *operand)
{
	uint64_t address = operand->number;

	if (operand->reg >= 0)
		address += t->registers[operand->reg];
	if (operand->second >= 0)
		address += t->registers[operand->second];
	if (operand->own)
		address |= (uint64_t)t->place.cta << VSM_SHARED_RANK_SHIFT;
	return address;
}

int operand_shared_address(const struct thread *t, const struct operand *operand,
			   struct outcome *outcome, uint32_t *addr)
{
	uint64_t address = operand_address(t, operand);

	if (address > UINT32_MAX)
		return refuse(outcome, -EFAULT, "the address 0x%" PRIx64 " has more than 32 bits",
			      address);
	*addr = address;
	return 0;
}

uint32_t permuted(const struct thread *t, const struct instruction *insn)
{
	uint64_t bytes = operand_value(t, &insn->operands[1]) |
			 operand_value(t, &insn->operands[3]) << 32;
	uint64_t selector = operand_value(t, &insn->operands[2]);
	uint32_t value = 0;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		unsigned int select = selector >> 4 * i & 15;
		uint8_t byte = bytes >> 8 * (select & 7);

		/*
		 * If the highest bit of the selector is set, every bit of the byte becomes a copy
		 * of its sign bit.
		 */
		if (select & 8)
			byte = byte & 0x80 ? 0xff : 0;
		value |= (uint32_t)byte << 8 * i;
	}
	return value;
}

static uint64_t truncated(uint64_t value, unsigned int bits)
{
	return bits < 64 ? value & ((1ULL << bits) - 1) : value;
}

void set_destination(struct thread *t, const struct instruction *insn, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < insn->count && insn->operands[i].role <= PTX_PRED_OUT; i++) {
		const struct operand *operand = &insn->operands[i];

		if (operand->kind != OPERAND_REGISTER)
			continue;
		if (operand->role == PTX_PRED_OUT)
			t->registers[operand->reg] = !!(value & DRM_VSM_RESULT_PRED);
		else
			t->registers[operand->reg] = truncated(value, operand->bits);
		if (operand->second >= 0)
			t->registers[operand->second] = value >> 32;
	}
}
