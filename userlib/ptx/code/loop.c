// SPDX-License-Identifier: MIT
/*
 * Finds waits that a program only repeats until they return True, by following the instructions
 * that are executed after the wait has returned False. If it is not known which way a branch goes,
 * both ways must lead back to the wait: cuda::barrier::wait() counts its attempts, and looks at the
 * clock to choose how long it sleeps.
 */
#include <string.h>

#include "code/loop.h"

/* A loop is not recognised if one way through it has more instructions than this, ... */
#define MAX_INSNS 64
/* ... or more branches that may go both ways, ... */
#define MAX_BRANCHES 8
/* ... or if all ways together have more instructions. */
#define MAX_ALL_INSNS 512

/* What is known of a register after the wait has returned False */
struct known {
	int32_t reg;	/* register */
	bool constant;	/* it has the same value whenever the path is followed */
	uint64_t value;	/* this value, zero-extended; of a predicate 0 or 1 */
};

/* The instructions behind a wait */
struct path {
	const struct ptx_function *function;
	const struct ptx_step *steps;
	const struct ptx_insn *wait;
	struct known known[MAX_INSNS + 1];	/* registers that the path has written */
	unsigned int count;			/* number of elements of @known */
	unsigned int insns;			/* number of instructions that were followed */
	unsigned int branches;			/* number of branches that may go both ways */
};

static struct known *find(struct path *path, int32_t reg)
{
	unsigned int i;

	for (i = 0; i < path->count; i++)
		if (path->known[i].reg == reg)
			return &path->known[i];
	return NULL;
}

static void set(struct path *path, int32_t reg, bool constant, uint64_t value)
{
	struct known *known = find(path, reg);

	/* Each instruction writes one register, so that there is always room. */
	if (!known)
		known = &path->known[path->count++];
	*known = (struct known){ .reg = reg, .constant = constant, .value = value };
}

/* The lower bits of a value that a type has; of a predicate, whether it is true. */
static uint64_t fit(uint64_t value, enum ptx_type type)
{
	unsigned int bits = 8 * ptx_type_size(type);

	if (type == TYPE_PRED)
		return !!value;
	return bits < 64 ? value & ((1ULL << bits) - 1) : value;
}

/* The value of a source of the type @type, if it is known. */
static bool value_of(struct path *path, const struct ptx_operand *operand, enum ptx_type type,
		     uint64_t *value)
{
	const struct known *known;

	if (operand->kind == OPERAND_INT && !ptx_type_is_float(type)) {
		*value = fit(operand->number, type);
		return true;
	}
	if (operand->kind != OPERAND_REG)
		return false;
	known = find(path, ptx_operand_reg(operand));
	if (!known || !known->constant)
		return false;
	*value = fit(operand->inverted ? !known->value : known->value, type);
	return true;
}

static enum ptx_type type_of(const struct ptx_insn *insn, unsigned int part)
{
	enum ptx_type type;

	if (part >= insn->part_count)
		return TYPE_NONE;
	type = ptx_type_named(insn->parts[part].text, insn->parts[part].length);
	return type == TYPE_B128 ? TYPE_NONE : type;
}

/* cvt from one type of integers to another, without modifiers. */
static bool compute_cvt(struct path *path, const struct ptx_insn *insn, uint64_t *result)
{
	enum ptx_type to = type_of(insn, 1), from = type_of(insn, 2);
	unsigned int unused = 64 - 8 * ptx_type_size(from);
	uint64_t a;

	if (insn->part_count != 3 || ptx_type_is_float(to) || ptx_type_is_float(from) ||
	    !ptx_type_size(to) || !ptx_type_size(from) ||
	    !value_of(path, &insn->operands[1], from, &a))
		return false;
	if (ptx_type_is_signed(from))
		a = (uint64_t)((int64_t)(a << unused) >> unused);
	*result = fit(a, to);
	return true;
}

/* setp.eq or setp.ne of integers. */
static bool compute_setp(struct path *path, const struct ptx_insn *insn, uint64_t *result)
{
	bool equal = ptx_insn_part_is(insn, 1, "eq");
	enum ptx_type type = type_of(insn, 2);
	uint64_t a, b;

	if (insn->part_count != 3 || (!equal && !ptx_insn_part_is(insn, 1, "ne")) ||
	    type == TYPE_NONE || ptx_type_is_float(type) ||
	    !value_of(path, &insn->operands[1], type, &a) ||
	    !value_of(path, &insn->operands[2], type, &b))
		return false;
	*result = (a == b) == equal;
	return true;
}

static bool compute_selp(struct path *path, const struct ptx_insn *insn, enum ptx_type type,
			 uint64_t *result)
{
	uint64_t c;

	return value_of(path, &insn->operands[3], TYPE_PRED, &c) &&
	       value_of(path, &insn->operands[c ? 1 : 2], type, result);
}

static bool compute_logic(struct path *path, const struct ptx_insn *insn, enum ptx_type type,
			  uint64_t *result)
{
	uint64_t a, b;

	if (!value_of(path, &insn->operands[1], type, &a) ||
	    !value_of(path, &insn->operands[2], type, &b))
		return false;
	if (ptx_insn_part_is(insn, 0, "and"))
		*result = a & b;
	else if (ptx_insn_part_is(insn, 0, "or"))
		*result = a | b;
	else if (ptx_insn_part_is(insn, 0, "xor"))
		*result = a ^ b;
	else
		return false;
	return true;
}

static bool compute_one(struct path *path, const struct ptx_insn *insn, enum ptx_type type,
			uint64_t *result)
{
	if (!value_of(path, &insn->operands[1], type, result))
		return false;
	if (ptx_insn_part_is(insn, 0, "mov"))
		return true;
	*result = fit(type == TYPE_PRED ? !*result : ~*result, type);
	return ptx_insn_part_is(insn, 0, "not");
}

/*
 * Computes the result of the few instructions that compilers put into such loops, with the width
 * that they have. Returns false if it is not known.
 */
static bool compute(struct path *path, const struct ptx_insn *insn, uint64_t *result)
{
	enum ptx_type type = type_of(insn, 1);

	if (insn->operand_count == 2 && ptx_insn_part_is(insn, 0, "cvt"))
		return compute_cvt(path, insn, result);
	if (insn->operand_count == 3 && ptx_insn_part_is(insn, 0, "setp"))
		return compute_setp(path, insn, result);
	if (insn->part_count != 2 || type == TYPE_NONE)
		return false;
	if (insn->operand_count == 2)
		return compute_one(path, insn, type, result);
	if (insn->operand_count == 3)
		return compute_logic(path, insn, type, result);
	return insn->operand_count == 4 && ptx_insn_part_is(insn, 0, "selp") &&
	       compute_selp(path, insn, type, result);
}

/* Is the destination as wide as the result? Otherwise it has other upper bits. */
static bool fills_register(const struct path *path, const struct ptx_insn *insn)
{
	enum ptx_type type = ptx_insn_part_is(insn, 0, "setp") ? TYPE_PRED : type_of(insn, 1);
	uint32_t reg = ptx_operand_reg(&insn->operands[0]);
	enum ptx_type own;

	if (reg >= path->function->reg_count)
		return false;
	own = path->function->regs[reg].type;
	return ptx_type_size(own) == ptx_type_size(type) &&
	       (own == TYPE_PRED) == (type == TYPE_PRED);
}

/* Does the step only write a register, the first operand of its instruction? */
static bool only_writes_register(const struct ptx_step *step)
{
	return (step->kind == STEP_ALU || step->kind == STEP_CLOCK) &&
	       step->insn->operand_count && step->insn->operands[0].kind == OPERAND_REG;
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
	uint64_t result = 0;
	bool constant;

	if (!guard)
		return at + 1;
	if (ptx_insn_part_is(insn, 0, "bra") && guard > 0 && insn->operand_count == 1)
		return insn->operands[0].label;
	if (ptx_insn_part_is(insn, 0, "bra"))
		return -1;
	if (ptx_insn_part_is(insn, 0, "nanosleep"))
		return at + 1;
	if (!only_writes_register(&path->steps[at]))
		return -1;
	constant = compute(path, insn, &result) && fills_register(path, insn);
	set(path, ptx_operand_reg(&insn->operands[0]), constant && guard > 0, result);
	return at + 1;
}

/* A branch of which it is not known which way it goes. */
static bool goes_both_ways(struct path *path, const struct ptx_insn *insn)
{
	return ptx_insn_part_is(insn, 0, "bra") && insn->operand_count == 1 &&
	       guard_of(path, insn) < 0;
}

/*
 * Do all ways from the instruction @at lead back to the wait? @left is the number of instructions
 * that may be followed on all of them together.
 */
static bool comes_back(struct path *path, int64_t at, unsigned int *left)
{
	const struct ptx_function *function = path->function;
	struct path other;

	while (at >= 0 && at < function->insn_count) {
		const struct ptx_insn *insn = &function->insns[at];

		if (insn == path->wait)
			return keeps_all_operands(path);
		if (!*left || path->insns++ == MAX_INSNS)
			return false;
		--*left;
		if (goes_both_ways(path, insn)) {
			if (path->branches++ == MAX_BRANCHES)
				return false;
			other = *path;
			if (!comes_back(&other, insn->operands[0].label, left))
				return false;
			at++;
		} else {
			at = follow(path, at);
		}
	}
	return false;
}

bool ptx_wait_repeats(const struct ptx_function *function, const struct ptx_step *steps,
		      uint32_t index)
{
	struct path path = {
		.function = function, .steps = steps, .wait = &function->insns[index],
	};
	unsigned int left = MAX_ALL_INSNS;

	if (!is_wait(path.wait))
		return false;
	set(&path, ptx_operand_reg(&path.wait->operands[0]), true, 0);
	return comes_back(&path, index + 1, &left);
}
