// SPDX-License-Identifier: MIT
/*
 * Finds waits that a program only repeats until they return True, by following the instructions
 * that are executed after the wait has returned False.
 */
#include <string.h>

#include "code/loop.h"

/* A loop of more instructions than this is not recognised. */
#define MAX_INSNS 24

/** struct known - What is known of a register after the wait has returned False */
struct known {
	int32_t reg;
	bool constant;
	int64_t value;
};

/**
 * struct path - The instructions behind a wait
 * @function: Function
 * @wait: The wait
 * @known: Registers that the path has written
 * @count: Number of elements of @known
 */
struct path {
	const struct ptx_function *function;
	const struct ptx_insn *wait;
	struct known known[MAX_INSNS + 1];
	unsigned int count;
};

static struct known *find(struct path *path, int32_t reg)
{
	unsigned int i;

	for (i = 0; i < path->count; i++)
		if (path->known[i].reg == reg)
			return &path->known[i];
	return NULL;
}

static void set(struct path *path, int32_t reg, bool constant, int64_t value)
{
	struct known *known = find(path, reg);

	/* Each instruction writes one register, so that there is always room. */
	if (!known)
		known = &path->known[path->count++];
	*known = (struct known){ .reg = reg, .constant = constant, .value = value };
}

static bool value_of(struct path *path, const struct ptx_operand *operand, int64_t *value)
{
	const struct known *known;

	if (operand->kind == OPERAND_INT) {
		*value = operand->number;
		return true;
	}
	if (operand->kind != OPERAND_REG)
		return false;
	known = find(path, ptx_operand_reg(operand));
	if (!known || !known->constant)
		return false;
	*value = operand->inverted ? !known->value : known->value;
	return true;
}

/* Computes the result of the few instructions that compilers put into such loops. */
static bool compute(struct path *path, const struct ptx_insn *insn, int64_t *result)
{
	const struct ptx_operand *operands = insn->operands;
	int64_t a, b, c;

	if (insn->operand_count == 2 && value_of(path, &operands[1], &a)) {
		*result = ptx_insn_part_is(insn, 0, "not") ? !a : a;
		return ptx_insn_part_is(insn, 0, "mov") || ptx_insn_part_is(insn, 0, "cvt") ||
		       (ptx_insn_part_is(insn, 0, "not") && ptx_insn_part_is(insn, 1, "pred"));
	}
	if (insn->operand_count == 3 && value_of(path, &operands[1], &a) &&
	    value_of(path, &operands[2], &b)) {
		if (ptx_insn_part_is(insn, 0, "setp") && insn->part_count == 3) {
			*result = ptx_insn_part_is(insn, 1, "eq") ? a == b : a != b;
			return ptx_insn_part_is(insn, 1, "eq") || ptx_insn_part_is(insn, 1, "ne");
		}
		*result = ptx_insn_part_is(insn, 0, "and") ? (a & b)
			  : ptx_insn_part_is(insn, 0, "or") ? (a | b) : (a ^ b);
		return ptx_insn_part_is(insn, 0, "and") || ptx_insn_part_is(insn, 0, "or") ||
		       ptx_insn_part_is(insn, 0, "xor");
	}
	if (insn->operand_count == 4 && ptx_insn_part_is(insn, 0, "selp") &&
	    value_of(path, &operands[3], &c))
		return value_of(path, &operands[c ? 1 : 2], result);
	return false;
}

/* Instructions that only write their first operand, a register. */
static bool only_writes_register(const struct ptx_insn *insn)
{
	static const char *const opcodes[] = {
		"mov", "cvt", "not", "and", "or", "xor", "selp", "setp", "add", "sub", "shl",
		"shr", "mul", "mad", "min", "max",
	};
	unsigned int i;

	if (!insn->operand_count || insn->operands[0].kind != OPERAND_REG)
		return false;
	for (i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
		if (ptx_insn_part_is(insn, 0, opcodes[i]))
			return true;
	return false;
}

/* Is the guard true (1), false (0), or not known (-1)? */
static int guard_of(struct path *path, const struct ptx_insn *insn)
{
	const struct known *known;

	if (insn->guard < 0)
		return 1;
	known = find(path, insn->guard);
	if (!known || !known->constant)
		return -1;
	return insn->guard_not ? !known->value : !!known->value;
}

/* Does the path leave the operands of the wait as they were? */
static bool keeps_operands(struct path *path, const struct ptx_operand *operand)
{
	unsigned int i;

	if (operand->reg >= 0 &&
	    (operand->kind == OPERAND_REG || operand->kind == OPERAND_ADDRESS) &&
	    find(path, ptx_operand_reg(operand)))
		return false;
	for (i = 0; i < operand->count; i++)
		if (!keeps_operands(path, &operand->elements[i]))
			return false;
	return true;
}

static bool keeps_all_operands(struct path *path)
{
	unsigned int i;

	for (i = 1; i < path->wait->operand_count; i++)
		if (!keeps_operands(path, &path->wait->operands[i]))
			return false;
	return path->wait->guard < 0 || !find(path, path->wait->guard);
}

static bool is_wait(const struct ptx_insn *insn)
{
	return ptx_insn_part_is(insn, 0, "mbarrier") &&
	       (ptx_insn_part_is(insn, 1, "try_wait") || ptx_insn_part_is(insn, 1, "test_wait")) &&
	       insn->operand_count && insn->operands[0].kind == OPERAND_REG;
}

/* Follows one instruction. Returns the index of the next one, or -1 if the path ends here. */
static int64_t follow(struct path *path, uint32_t at)
{
	const struct ptx_insn *insn = &path->function->insns[at];
	int guard = guard_of(path, insn);
	int64_t result = 0;
	bool constant;

	if (!guard)
		return at + 1;
	if (ptx_insn_part_is(insn, 0, "bra") && guard > 0 && insn->operand_count == 1)
		return insn->operands[0].label;
	if (ptx_insn_part_is(insn, 0, "bra"))
		return -1;
	if (ptx_insn_part_is(insn, 0, "nanosleep"))
		return at + 1;
	if (!only_writes_register(insn))
		return -1;
	constant = compute(path, insn, &result);
	set(path, ptx_operand_reg(&insn->operands[0]), constant && guard > 0, result);
	return at + 1;
}

bool ptx_wait_repeats(const struct ptx_function *function, uint32_t index)
{
	struct path path = { .function = function, .wait = &function->insns[index] };
	int64_t at = index + 1;
	unsigned int i;

	if (!is_wait(path.wait))
		return false;
	set(&path, ptx_operand_reg(&path.wait->operands[0]), true, 0);
	for (i = 0; i < MAX_INSNS && at >= 0 && at < function->insn_count; i++) {
		at = follow(&path, at);
		if (at == index)
			return keeps_all_operands(&path);
	}
	return false;
}
