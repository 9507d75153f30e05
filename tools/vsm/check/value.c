// SPDX-License-Identifier: MIT
/*
 * Values of registers during the check of a scenario. A value is known if constants determine it.
 */
#include <stdlib.h>

#include "base.h"
#include "check/value.h"

struct value_thread *values_create(const struct scenario *s)
{
	struct value_thread *threads = must(calloc(s->thread_count + 1, sizeof(*threads)));
	size_t count = s->registers.count + 1;
	size_t i;

	for (i = 0; i < s->thread_count; i++) {
		threads[i].thread.place = s->threads[i];
		threads[i].thread.registers = must(calloc(count, sizeof(uint64_t)));
		threads[i].known = must(calloc(count, sizeof(bool)));
	}
	return threads;
}

void values_free(const struct scenario *s, struct value_thread *threads)
{
	size_t i;

	for (i = 0; i < s->thread_count; i++) {
		free(threads[i].thread.registers);
		free(threads[i].known);
	}
	free(threads);
}

bool value_known(const struct value_thread *t, const struct operand *operand)
{
	return (operand->reg < 0 || t->known[operand->reg]) &&
	       (operand->second < 0 || t->known[operand->second]);
}

bool value_decides(const struct value_thread *t, const struct instruction *insn)
{
	return insn->guard < 0 || t->known[insn->guard];
}

bool value_skips(const struct value_thread *t, const struct instruction *insn)
{
	return insn->guard >= 0 && t->known[insn->guard] &&
	       t->thread.registers[insn->guard] == insn->unless;
}

static bool inputs_known(const struct value_thread *t, const struct instruction *insn)
{
	unsigned int i;

	for (i = 1; i < insn->count; i++)
		if (!value_known(t, &insn->operands[i]))
			return false;
	return value_decides(t, insn);
}

static void set_known(struct value_thread *t, const struct instruction *insn, bool known)
{
	unsigned int i;

	for (i = 0; i < insn->count && insn->operands[i].role <= PTX_PRED_OUT; i++) {
		const struct operand *operand = &insn->operands[i];

		if (operand->kind != OPERAND_REGISTER)
			continue;
		t->known[operand->reg] = known;
		if (operand->second >= 0)
			t->known[operand->second] = known;
	}
}

/*
 * Computes the result of an instruction that vsm executes without the device. Returns whether it
 * did.
 */
static bool compute(struct value_thread *t, const struct instruction *insn)
{
	const struct operand *o = insn->operands;
	const struct thread *thread = &t->thread;
	uint64_t value;

	if (!inputs_known(t, insn))
		return false;
	switch (insn->opcode.op->action) {
	case PTX_MOV:
		value = operand_value(thread, &o[1]);
		break;
	case PTX_ADD:
		value = operand_value(thread, &o[1]) + operand_value(thread, &o[2]);
		break;
	case PTX_MAPA:
		if (operand_value(thread, &o[1]) > UINT32_MAX ||
		    operand_value(thread, &o[2]) > UINT8_MAX)
			return false;
		value = vsm_mapa(operand_value(thread, &o[1]), operand_value(thread, &o[2]));
		break;
	case PTX_PRMT:
		value = permuted(thread, insn);
		break;
	default:
		return false;
	}
	set_destination(&t->thread, insn, value);
	return true;
}

void value_step(struct value_thread *t, const struct instruction *insn)
{
	if (!value_skips(t, insn))
		set_known(t, insn, compute(t, insn));
}
