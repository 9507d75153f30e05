// SPDX-License-Identifier: MIT
/*
 * Finds waits that a program only repeats until they return True, by following the instructions
 * that are executed after the wait has returned False, in one lane. If it is not known which way a
 * branch goes, both ways must lead back to the wait: cuda::barrier::wait() counts its attempts, and
 * looks at the clock to choose how long it sleeps.
 *
 * A register holds a value: a number, or what it held when the path began, or the result of an
 * instruction with certain values. Results of the same instruction with the same values are equal,
 * whatever they are. A loop may therefore compute the operands of its wait anew each time.
 */
#include <stdlib.h>
#include <string.h>

#include "code/allocate.h"
#include "code/loop.h"

/* A loop is not recognised beyond these limits. Of one way through it: */
#define MAX_INSNS	192	/* instructions */
#define MAX_BRANCHES	12	/* branches that may go both ways, and returns to all callers */
#define MAX_FRAMES	6	/* functions that it is in at the same time */
#define MAX_PLACES	256	/* registers, and pieces of local memory, that it sets */
/* Of all ways behind one wait: */
#define MAX_ALL_INSNS	1024	/* instructions */
#define MAX_VALUES	512	/* values */
/* Instructions that are followed behind all waits, for each instruction of the program. */
#define MAX_PER_STEP	64

#define BUCKETS 256

/* The most operands of an instruction whose results are followed. */
#define MAX_OPERANDS 6

/* A value; its number in &loops.values stands for it. */
struct value {
	enum {
		VALUE_NUMBER,	/* @number, zero-extended; of a predicate 0 or 1 */
		VALUE_INITIAL,	/* what the place @number of frame @index held at first */
		VALUE_OPERAND,	/* an operand that is no register; @index is its kind */
		/*
		 * Destination number @index of the instruction @opcode. Without @opcode, the lowest
		 * @number bytes of its source.
		 */
		VALUE_RESULT,
		VALUE_UNKNOWN,	/* equal to no other value */
	} kind;
	uint32_t index;
	uint64_t number;
	const void *object;		/* VALUE_OPERAND: variable or function, or NULL */
	struct ptx_name opcode;
	uint32_t sources[MAX_OPERANDS];	/* VALUE_OPERAND, VALUE_RESULT: what it is made of */
	uint32_t source_count;
	uint32_t next;			/* 1 + the next value in the same bucket */
};

/* A call */
struct call {
	uint32_t step;
	uint32_t next;		/* 1 + the number of the next one of the same body */
};

/* What all ways behind all waits of a program share */
struct loops {
	const struct ptx_program *program;
	uint32_t *first_call;		/* for each body 1 + the number of a call of it, or 0 */
	struct call *calls;		/* all calls */
	uint32_t call_count;
	bool indirect;			/* a call takes its function from a register */
	struct ptx_regs regs;		/* registers in which instructions are executed */
	struct value values[MAX_VALUES];
	uint32_t value_count;
	uint32_t buckets[BUCKETS];	/* 1 + the first value */
	unsigned int left;		/* instructions that may still be followed behind a wait */
	uint64_t all_left;		/* the same behind all waits */
	int32_t frames;			/* number of frames so far */
	bool full;			/* there are too many values */
};

/* A register, or bytes of the local memory of a frame */
struct place {
	int32_t frame;
	uint32_t index;		/* register, or offset */
	uint32_t size;		/* bytes; 0 of a register */
	uint32_t value;		/* number of the value */
};

/* A function that the path is in */
struct frame {
	int32_t id;
	const struct ptx_body *body;
	uint32_t call;		/* the call, a step; not known of the outermost frame */
};

/* The instructions behind a wait */
struct path {
	struct loops *loops;
	uint32_t wait;			/* the step of the wait */
	struct frame frames[MAX_FRAMES];
	unsigned int depth;		/* index of the frame that the path is in */
	uint32_t at;			/* the next step */
	struct place places[MAX_PLACES];
	unsigned int count;		/* number of elements of @places */
	unsigned int insns;		/* number of instructions that were followed */
	unsigned int branches;		/* number of branches that may go both ways */
	bool fixed;			/* @operands is known */
	uint32_t operands[MAX_OPERANDS];	/* values with which the wait is executed */
};

/* --- values ----------------------------------------------------------------------- */

static bool same_name(const struct ptx_name *x, const struct ptx_name *y)
{
	return x->length == y->length && (x->length == 0 || !memcmp(x->text, y->text, x->length));
}

static bool same_value(const struct value *x, const struct value *y)
{
	return x->kind == y->kind && x->index == y->index && x->number == y->number &&
	       x->object == y->object && x->source_count == y->source_count &&
	       same_name(&x->opcode, &y->opcode) &&
	       !memcmp(x->sources, y->sources, x->source_count * sizeof(x->sources[0]));
}

static uint32_t bucket_of(const struct value *value)
{
	uint64_t hash = value->kind + value->index * 31 + value->number * 17;
	uint32_t i;

	for (i = 0; i < value->source_count; i++)
		hash = hash * 31 + value->sources[i];
	return (hash ^ hash >> 32) % BUCKETS;
}

static uint32_t value_find(struct loops *loops, const struct value *wanted)
{
	uint32_t *bucket = &loops->buckets[bucket_of(wanted)], i;

	for (i = wanted->kind == VALUE_UNKNOWN ? 0 : *bucket; i; i = loops->values[i - 1].next)
		if (same_value(&loops->values[i - 1], wanted))
			return i - 1;
	if (loops->value_count == MAX_VALUES) {
		loops->full = true;
		return 0;
	}
	loops->values[loops->value_count] = *wanted;
	loops->values[loops->value_count].next = *bucket;
	*bucket = ++loops->value_count;
	return loops->value_count - 1;
}

static uint32_t value_number(struct loops *loops, uint64_t n)
{
	return value_find(loops, &(struct value){ .kind = VALUE_NUMBER, .number = n });
}

static uint32_t unknown(struct loops *loops)
{
	return value_find(loops, &(struct value){ .kind = VALUE_UNKNOWN });
}

/* Is the value a number? */
static bool is_number(const struct loops *loops, uint32_t value, uint64_t *n)
{
	*n = loops->values[value].number;
	return loops->values[value].kind == VALUE_NUMBER;
}

/* Do they have a byte in common? Registers have no bytes. */
static bool overlap(const struct place *place, int32_t frame, uint32_t index, uint32_t size)
{
	if (place->frame != frame || !place->size != !size)
		return false;
	return size ? place->index < index + size && index < place->index + place->size
		    : place->index == index;
}

static uint32_t read_place(struct path *path, int32_t frame, uint32_t index, uint32_t size)
{
	unsigned int i;

	for (i = 0; i < path->count; i++) {
		const struct place *place = &path->places[i];

		if (!overlap(place, frame, index, size))
			continue;
		if (place->index == index && place->size == size)
			return place->value;
		return unknown(path->loops);
	}
	return value_find(path->loops, &(struct value){
		.kind = VALUE_INITIAL, .index = (uint32_t)frame,
		.number = (uint64_t)size << 32 | index,
	});
}

static void add_place(struct path *path, int32_t frame, uint32_t index, uint32_t size,
		      uint32_t value)
{
	if (path->count == MAX_PLACES)
		path->loops->full = true;
	else
		path->places[path->count++] = (struct place){ frame, index, size, value };
}

static void write_place(struct path *path, int32_t frame, uint32_t index, uint32_t size,
			uint32_t value)
{
	uint32_t end = index + size;
	unsigned int i = 0;

	while (i < path->count) {
		const struct place old = path->places[i];

		if (!overlap(&old, frame, index, size)) {
			i++;
			continue;
		}
		path->places[i] = path->places[--path->count];
		/* What is left on both sides is no longer what it was at first. */
		if (old.index < index)
			add_place(path, frame, old.index, index - old.index, unknown(path->loops));
		if (old.index + old.size > end)
			add_place(path, frame, end, old.index + old.size - end,
				  unknown(path->loops));
	}
	add_place(path, frame, index, size, value);
}

static uint32_t read_reg(struct path *path, int32_t reg)
{
	return read_place(path, path->frames[path->depth].id, (uint32_t)reg, 0);
}

static void write_reg(struct path *path, int32_t reg, uint32_t value)
{
	write_place(path, path->frames[path->depth].id, (uint32_t)reg, 0, value);
}

static uint32_t value_of(struct path *path, const struct ptx_operand *operand)
{
	struct value v = {
		.kind = VALUE_OPERAND, .index = operand->kind, .number = (uint64_t)operand->number,
		.object = operand->var ? (const void *)operand->var : operand->function,
	};
	uint64_t n;
	unsigned int i;

	if (operand->kind == OPERAND_REG) {
		uint32_t held = read_reg(path, ptx_operand_reg(operand));

		if (operand->inverted && is_number(path->loops, held, &n))
			return value_number(path->loops, !n);
		if (!operand->inverted && !operand->selector)
			return held;
		v.number = operand->inverted;
		v.sources[v.source_count++] = held;
	} else if (operand->kind == OPERAND_SPECIAL) {
		v.number = (uint64_t)operand->special << 8 | operand->dim;
	} else if (operand->reg >= 0 && operand->kind == OPERAND_ADDRESS) {
		v.sources[v.source_count++] = read_reg(path, ptx_operand_reg(operand));
	}
	if (operand->count > MAX_OPERANDS - v.source_count || operand->table ||
	    operand->unsupported)
		return unknown(path->loops);
	for (i = 0; i < operand->count; i++)
		v.sources[v.source_count++] = value_of(path, &operand->elements[i]);
	return value_find(path->loops, &v);
}

/* --- instructions ----------------------------------------------------------------- */

static const struct ptx_step *step_at(const struct path *path)
{
	return &path->loops->program->steps[path->at];
}

static const struct ptx_body *body_of(const struct path *path)
{
	return path->frames[path->depth].body;
}

static bool is_pred(const struct path *path, int32_t reg)
{
	return body_of(path)->function->regs[reg].type == TYPE_PRED;
}

/* Is the register wider than a number? */
static bool is_wide(const struct path *path, int32_t reg)
{
	return ptx_type_size(body_of(path)->function->regs[reg].type) > sizeof(uint64_t);
}

/* Gives the registers of a source their values. Returns false if one of them is no number. */
static bool load_source(struct path *path, const struct ptx_operand *operand)
{
	struct ptx_regs *regs = &path->loops->regs;
	int32_t reg = ptx_operand_reg(operand);
	unsigned int i;
	uint64_t n;

	for (i = 0; i < operand->count; i++)
		if (!load_source(path, &operand->elements[i]))
			return false;
	if (operand->kind != OPERAND_REG)
		return operand->kind != OPERAND_SPECIAL && !operand->var && !operand->function;
	if (is_wide(path, reg) || !is_number(path->loops, read_reg(path, reg), &n))
		return false;
	if (is_pred(path, reg))
		regs->preds[body_of(path)->slots[reg]] = (uint32_t)n;
	else
		*ptx_row(regs, body_of(path)->slots[reg]) = n;
	return true;
}

/* Executes the step if all of its sources are numbers. */
static bool compute(struct path *path)
{
	const struct ptx_step *step = step_at(path);
	unsigned int i;

	for (i = 1; i < step->insn->operand_count; i++)
		if (!load_source(path, &step->insn->operands[i]))
			return false;
	step->alu(step, &path->loops->regs, 1);
	return true;
}

/* Sets the registers of a destination: to what was computed, or to parts of a result. */
static void set_results(struct path *path, const struct ptx_operand *operand, bool computed,
			struct value *result)
{
	const struct ptx_regs *regs = &path->loops->regs;
	int32_t reg = ptx_operand_reg(operand);
	unsigned int i;

	for (i = 0; i < operand->count; i++)
		set_results(path, &operand->elements[i], computed, result);
	if (operand->kind != OPERAND_REG)
		return;
	if (computed && is_pred(path, reg))
		write_reg(path, reg,
			  value_number(path->loops, regs->preds[body_of(path)->slots[reg]] & 1));
	else if (computed && !is_wide(path, reg))
		write_reg(path, reg,
			  value_number(path->loops, *ptx_row(regs, body_of(path)->slots[reg])));
	else
		write_reg(path, reg, value_find(path->loops, result));
	result->index++;
}

/* An instruction with a carry has a source or a destination that is no operand. */
static bool has_carry(const struct ptx_insn *insn)
{
	unsigned int i;

	for (i = 1; i < insn->part_count; i++)
		if (ptx_insn_part_is(insn, i, "cc"))
			return true;
	return ptx_insn_part_is(insn, 0, "addc") || ptx_insn_part_is(insn, 0, "subc") ||
	       ptx_insn_part_is(insn, 0, "madc");
}

/* Does the result depend on the operands only? */
static bool depends_on_operands_only(const struct ptx_step *step)
{
	const struct ptx_access *access = step->extra;

	switch (step->kind) {
	case STEP_ALU:
		return !has_carry(step->insn);
	case STEP_LOAD:
		return access->space == SPACE_PARAM || access->space == SPACE_CONST;
	case STEP_CVTA:
	case STEP_MAPA:
	case STEP_GETCTARANK:
	case STEP_ISSPACEP:
		return true;
	default:
		return false;
	}
}

/* An instruction that only writes registers: its first operand. */
static bool only_writes_registers(const struct ptx_step *step)
{
	return (depends_on_operands_only(step) || step->kind == STEP_ALU ||
		step->kind == STEP_CLOCK) && ptx_writes_first(step->insn);
}

/* The register whose value a mov or selp copies; NULL if it is none, or is not known. */
static const struct ptx_operand *copied(struct path *path, const struct ptx_insn *insn)
{
	const struct ptx_register *regs = body_of(path)->function->regs;
	const struct ptx_operand *from = &insn->operands[1];
	uint64_t n;

	if (ptx_insn_part_is(insn, 0, "selp") && insn->operand_count == 4 &&
	    insn->operands[3].kind == OPERAND_REG && !insn->operands[3].inverted &&
	    is_number(path->loops, read_reg(path, ptx_operand_reg(&insn->operands[3])), &n))
		from = &insn->operands[n ? 1 : 2];
	else if (!ptx_insn_part_is(insn, 0, "mov") || insn->operand_count != 2)
		return NULL;
	/* One of the registers could be wider than the type. */
	if (insn->operands[0].kind != OPERAND_REG || from->kind != OPERAND_REG ||
	    from->inverted || from->selector ||
	    regs[ptx_operand_reg(from)].type != regs[ptx_operand_reg(&insn->operands[0])].type ||
	    ptx_type_size(regs[ptx_operand_reg(from)].type) !=
	    ptx_type_size(ptx_type_named(insn->parts[1].text, insn->parts[1].length)))
		return NULL;
	return from;
}

static void follow_result(struct path *path, bool certain)
{
	const struct ptx_step *step = step_at(path);
	const struct ptx_insn *insn = step->insn;
	struct value result = { .kind = VALUE_UNKNOWN };
	const struct ptx_operand *from = certain ? copied(path, insn) : NULL;
	bool computed = false;
	unsigned int i;

	if (from) {
		write_reg(path, ptx_operand_reg(&insn->operands[0]), value_of(path, from));
		return;
	}
	if (certain && depends_on_operands_only(step) && insn->operand_count <= MAX_OPERANDS + 1) {
		computed = step->kind == STEP_ALU && compute(path);
		result.kind = VALUE_RESULT;
		result.opcode = insn->opcode;
		for (i = 1; i < insn->operand_count; i++)
			result.sources[result.source_count++] = value_of(path, &insn->operands[i]);
	}
	set_results(path, &insn->operands[0], computed, &result);
}

/* A load or store of a parameter of a function, or of a variable whose offset is known. */
static bool is_local_access(const struct ptx_step *step)
{
	const struct ptx_access *access = step->extra;

	return (step->kind == STEP_LOAD || step->kind == STEP_STORE) &&
	       access->space == SPACE_LOCAL && access->framed && access->address == PTX_NO_ROW &&
	       access->count == 1 && access->order == ORDER_WEAK &&
	       step->insn->operand_count == 2;
}

/* The value that is left of another one in so many bytes. */
static uint32_t narrow(struct path *path, uint32_t from, uint32_t size)
{
	uint64_t n;

	if (is_number(path->loops, from, &n))
		return value_number(path->loops, size < 8 ? n & ((1ULL << 8 * size) - 1) : n);
	return value_find(path->loops, &(struct value){
		.kind = VALUE_RESULT, .number = size, .sources = { from }, .source_count = 1,
	});
}

/* An access that cannot be seen by anybody else. */
static bool follow_local(struct path *path, bool certain)
{
	const struct ptx_step *step = step_at(path);
	const struct ptx_access *access = step->extra;
	const struct ptx_operand *reg = &step->insn->operands[step->kind == STEP_STORE];
	int32_t frame = path->frames[path->depth].id;
	uint32_t offset = (uint32_t)access->offset, held;

	if (step->kind == STEP_STORE) {
		held = certain ? value_of(path, reg) : unknown(path->loops);
		if (reg->kind == OPERAND_INT)
			held = value_number(path->loops, (uint64_t)reg->number);
		if (reg->kind != OPERAND_REG || access->bits[0] != 8 * access->size)
			held = narrow(path, held, access->size);
		write_place(path, frame, offset, access->size, held);
		return true;
	}
	if (reg->kind != OPERAND_REG)
		return false;
	held = certain ? read_place(path, frame, offset, access->size) : unknown(path->loops);
	/* A signed number that is wider in its register would have other upper bits. */
	if (ptx_type_is_signed(access->type) && access->bits[0] != 8 * access->size)
		held = unknown(path->loops);
	write_reg(path, ptx_operand_reg(reg), held);
	return true;
}

/* --- calls ------------------------------------------------------------------------ */

/* Copies an argument or return value. */
static void transfer(struct path *path, int32_t from, uint32_t from_at, int32_t to,
		     uint32_t to_at, uint32_t size)
{
	unsigned int i, count;
	bool pieces = false;

	write_place(path, to, to_at, size, unknown(path->loops));
	count = path->count;
	for (i = 0; i < count; i++) {
		struct place place = path->places[i];

		if (!place.size || place.frame != from || place.index < from_at ||
		    place.index + place.size > from_at + size)
			continue;
		pieces = true;
		write_place(path, to, to_at + place.index - from_at, place.size, place.value);
	}
	if (!pieces && size <= 8)
		write_place(path, to, to_at, size, read_place(path, from, from_at, size));
}

static bool follow_call(struct path *path)
{
	const struct ptx_step *step = step_at(path);
	const struct ptx_call *call = step->extra;
	const struct frame *caller = &path->frames[path->depth];
	struct frame *callee = &path->frames[path->depth + 1];
	unsigned int i;

	if (call->body < 0 || path->depth + 1 == MAX_FRAMES)
		return false;
	*callee = (struct frame){
		.id = path->loops->frames++,
		.body = &path->loops->program->bodies[call->body],
		.call = path->at,
	};
	for (i = 0; i < call->arg_count; i++)
		transfer(path, caller->id, call->transfers[i].from, callee->id,
			 call->transfers[i].to, call->transfers[i].size);
	path->depth++;
	path->at = callee->body->first;
	return true;
}

/* Returns from @callee to the innermost frame, which has made the call @at. */
static void return_to(struct path *path, int32_t callee, uint32_t at)
{
	const struct ptx_call *call = path->loops->program->steps[at].extra;
	unsigned int i;

	for (i = call->arg_count; i < call->transfer_count; i++)
		transfer(path, callee, call->transfers[i].to, path->frames[path->depth].id,
			 call->transfers[i].from, call->transfers[i].size);
	path->at = at + 1;
}

/* --- paths ------------------------------------------------------------------------ */

static bool comes_back(struct path *path);

/* Bodies are in the order of their steps. */
static const struct ptx_body *body_at(const struct ptx_program *program, uint32_t step)
{
	uint32_t first = 0, end = program->body_count;

	while (end - first > 1) {
		uint32_t middle = first + (end - first) / 2;

		if (program->bodies[middle].first > step)
			end = middle;
		else
			first = middle;
	}
	return &program->bodies[first];
}

/* The path leaves the function that it began in: each call of this function must lead back. */
static bool all_callers_come_back(struct path *path)
{
	const struct ptx_program *program = path->loops->program;
	const struct frame *callee = &path->frames[0];
	uint32_t i = path->loops->first_call[callee->body - program->bodies];

	if (path->loops->indirect || !i || path->branches++ == MAX_BRANCHES)
		return false;
	for (; i; i = path->loops->calls[i - 1].next) {
		uint32_t at = path->loops->calls[i - 1].step;
		struct path other = *path;

		other.frames[0] = (struct frame){
			.id = path->loops->frames++, .body = body_at(program, at),
		};
		return_to(&other, callee->id, at);
		if (!comes_back(&other))
			return false;
	}
	return true;
}

/* Is the guard true (1), false (0), or not known (-1)? */
static int guard_of(struct path *path, const struct ptx_insn *insn)
{
	uint64_t n;

	if (insn->guard < 0)
		return 1;
	if (!is_number(path->loops, read_reg(path, insn->guard), &n))
		return -1;
	return insn->guard_not ? !n : !!n;
}

static void set_guard(struct path *path, const struct ptx_insn *insn, bool holds)
{
	if (insn->guard >= 0)
		write_reg(path, insn->guard, value_number(path->loops, holds != insn->guard_not));
}

static bool is_wait(const struct ptx_step *step)
{
	const struct ptx_insn *insn = step->insn;

	return step->kind == STEP_DEVICE && ptx_insn_part_is(insn, 0, "mbarrier") &&
	       (ptx_insn_part_is(insn, 1, "try_wait") || ptx_insn_part_is(insn, 1, "test_wait")) &&
	       insn->operand_count && insn->operand_count <= MAX_OPERANDS &&
	       insn->operands[0].kind == OPERAND_REG;
}

/* Executes a wait with the operands that it should have. It returns False. */
static bool follow_wait(struct path *path, const struct ptx_insn *insn)
{
	const struct ptx_insn *wait = path->loops->program->steps[path->wait].insn;
	unsigned int i;

	if (!same_name(&insn->opcode, &wait->opcode) ||
	    insn->operand_count != wait->operand_count)
		return false;
	for (i = 1; i < insn->operand_count; i++) {
		uint32_t operand = value_of(path, &insn->operands[i]);

		if (!path->fixed)
			path->operands[i] = operand;
		if (path->operands[i] != operand)
			return false;
	}
	path->fixed = true;
	write_reg(path, ptx_operand_reg(&insn->operands[0]), value_number(path->loops, 0));
	path->at++;
	return true;
}

/* A branch of which it is not known which way it goes. */
static bool both_come_back(struct path *path)
{
	const struct ptx_step *step = step_at(path);
	struct path other;

	if (path->branches++ == MAX_BRANCHES)
		return false;
	other = *path;
	set_guard(&other, step->insn, true);
	other.at = (uint32_t)step->imm;
	set_guard(path, step->insn, false);
	path->at++;
	return comes_back(&other) && comes_back(path);
}

/* Follows an instruction that is no wait, and no way out. Returns false if the path ends here. */
static bool follow(struct path *path, int guard)
{
	const struct ptx_step *step = step_at(path);

	if (step->kind == STEP_BRANCH && guard > 0) {
		path->at = (uint32_t)step->imm;
		return true;
	}
	if (step->kind == STEP_CALL && guard > 0)
		return follow_call(path);
	if (only_writes_registers(step))
		follow_result(path, guard > 0);
	else if (is_local_access(step) ? !follow_local(path, guard > 0)
				       : step->kind != STEP_NANOSLEEP)
		return false;
	path->at++;
	return true;
}

/* Do all ways lead back to the wait, with operands that are always the same? */
static bool comes_back(struct path *path)
{
	struct loops *loops = path->loops;

	while (loops->left && loops->all_left && path->insns++ < MAX_INSNS && !loops->full) {
		const struct ptx_step *step = step_at(path);
		int guard = guard_of(path, step->insn);
		bool fixed = path->fixed;

		loops->left--;
		loops->all_left--;
		if (!guard) {
			path->at++;
		} else if (is_wait(step)) {
			uint32_t at = path->at;

			if (guard < 0 || !follow_wait(path, step->insn))
				return false;
			if (fixed && at == path->wait)
				return !loops->full;
		} else if (step->kind == STEP_BRANCH && guard < 0) {
			return both_come_back(path);
		} else if (step->kind == STEP_RET && guard > 0 && !path->depth) {
			return all_callers_come_back(path);
		} else if (step->kind == STEP_RET && guard > 0) {
			const struct frame *callee = &path->frames[path->depth--];

			return_to(path, callee->id, callee->call);
		} else if (!follow(path, guard)) {
			return false;
		}
	}
	return false;
}

/*
 * Follows the instructions immediately before the wait. A loop that computes the operands anew then
 * gets the same values.
 */
static void begin(struct path *path)
{
	const struct ptx_body *body = body_of(path);
	const struct ptx_step *steps = path->loops->program->steps;
	uint32_t at = path->wait;

	while (at > body->first && !steps[at].insn->leader && only_writes_registers(&steps[at - 1]))
		at--;
	for (path->at = at; path->at < path->wait; path->at++) {
		int guard = guard_of(path, step_at(path)->insn);

		if (guard)
			follow_result(path, guard > 0);
	}
}

/*
 * @fixed: true: all executions of the wait must have the operands of the first one. false: those of
 * the second one.
 */
static bool is_repeated(struct loops *loops, const struct ptx_body *body, uint32_t wait,
			bool fixed)
{
	const struct ptx_insn *insn = loops->program->steps[wait].insn;
	struct path path = { .loops = loops, .wait = wait };

	loops->value_count = 0;
	memset(loops->buckets, 0, sizeof(loops->buckets));
	loops->left = MAX_ALL_INSNS;
	loops->full = false;
	loops->frames = 1;
	path.frames[0].body = body;
	begin(&path);
	/* The wait has been executed, and has returned False. */
	set_guard(&path, insn, true);
	if (!follow_wait(&path, insn))
		return false;
	path.fixed = fixed;
	return comes_back(&path);
}

static bool is_call(const struct ptx_step *step)
{
	return step->kind == STEP_CALL;
}

static uint32_t count_steps(const struct ptx_program *program,
			    bool (*is)(const struct ptx_step *step))
{
	uint32_t n = 0, i;

	for (i = 0; i < program->step_count; i++)
		n += is(&program->steps[i]);
	return n;
}

static void add_call(struct loops *loops, uint32_t at)
{
	int32_t body = ((struct ptx_call *)loops->program->steps[at].extra)->body;

	if (body < 0) {
		loops->indirect = true;
		return;
	}
	loops->calls[loops->call_count] = (struct call){ at, loops->first_call[body] };
	loops->first_call[body] = ++loops->call_count;
}

static bool prepare(struct loops *loops, struct ptx_program *program)
{
	uint32_t i, rows = 1, preds = 1;

	memset(loops, 0, sizeof(*loops));
	loops->program = program;
	loops->all_left = (uint64_t)program->step_count * MAX_PER_STEP;
	for (i = 0; i < program->body_count; i++) {
		if (rows < program->bodies[i].rows)
			rows = program->bodies[i].rows;
		if (preds < program->bodies[i].preds)
			preds = program->bodies[i].preds;
	}
	loops->first_call = calloc(program->body_count, sizeof(*loops->first_call));
	loops->calls = calloc(count_steps(program, is_call) + 1, sizeof(*loops->calls));
	loops->regs.rows[FILE_FRAME] = calloc(rows, PTX_LANES * sizeof(uint64_t));
	loops->regs.rows[FILE_CONST] = program->consts;
	loops->regs.preds = calloc(preds, sizeof(uint32_t));
	if (!loops->first_call || !loops->calls || !loops->regs.rows[FILE_FRAME] ||
	    !loops->regs.preds)
		return false;
	for (i = 0; i < program->step_count; i++)
		if (is_call(&program->steps[i]))
			add_call(loops, i);
	return true;
}

bool ptx_mark_waits(struct ptx_program *program)
{
	struct loops *loops;
	bool ready;
	uint32_t i;

	if (!count_steps(program, is_wait))
		return true;
	loops = malloc(sizeof(*loops));
	ready = loops && prepare(loops, program);
	for (i = 0; ready && i < program->step_count; i++) {
		struct ptx_step *step = &program->steps[i];
		const struct ptx_body *body;

		if (!is_wait(step))
			continue;
		body = body_at(program, i);
		if (is_repeated(loops, body, i, true))
			step->flags = PTX_STEP_REPEATS;
		else if (is_repeated(loops, body, i, false))
			step->flags = PTX_STEP_REPEATS_LATER;
	}
	if (loops) {
		free(loops->first_call);
		free(loops->calls);
		free(loops->regs.rows[FILE_FRAME]);
		free(loops->regs.preds);
	}
	free(loops);
	return ready;
}
