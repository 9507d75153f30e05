// SPDX-License-Identifier: MIT
/*
 * Assigns rows to registers: finds where each register is live, and lets registers share a row if
 * their intervals do not overlap.
 */
#include <stdlib.h>
#include <string.h>

#include "code/allocate.h"

/*
 * If the sets of live registers need more words than this for each instruction and register, or
 * more than MAX_WORDS in all, each register gets a row of its own.
 */
#define SIZE_WORDS	64
#define MAX_WORDS	(16u << 20)
/*
 * The same if the search takes longer than this, in words of sets for each instruction and
 * register. It goes through all blocks until no set changes, which takes few rounds, except with
 * many jumps back. An instruction counts as INSN_WORK words.
 */
#define SIZE_WORK	1024
#define INSN_WORK	16

/* Instructions without a jump between them */
struct block {
	uint32_t first;	/* index of the first instruction */
	uint32_t end;	/* index behind the last one */
};

/* Which registers are live where */
struct liveness {
	const struct ptx_function *function;
	struct block *blocks;
	uint32_t block_count;	/* number of blocks */
	uint32_t *block_at;	/* for each instruction its block */
	uint32_t words;		/* words of a set of registers */
	uint32_t sets;	/* number of sets: one for each block, and one for each list of targets */
	/*
	 * For each block the set of registers that are live at its beginning. For a list of targets
	 * those that are live at one of them.
	 */
	uint64_t *in;
	uint64_t *now;		/* the set that is computed */
	uint32_t *first;	/* for each register the first instruction at which it is live */
	uint32_t *last;		/* for each register the last instruction at which it is live */
	uint64_t work;		/* how long the search has taken */
	uint64_t max_work;	/* how long it may take */
	bool found;		/* the search has ended: @first and @last are known */
};

/* --- registers of an instruction ------------------------------------------------------ */

typedef void visit_fn(struct liveness *live, uint32_t reg, uint32_t at);

static void visit_operand(struct liveness *live, const struct ptx_operand *operand, uint32_t at,
			  visit_fn *visit)
{
	unsigned int i;

	if (operand->reg >= 0 &&
	    (operand->kind == OPERAND_REG || operand->kind == OPERAND_ADDRESS))
		visit(live, ptx_operand_reg(operand), at);
	for (i = 0; i < operand->count; i++)
		visit_operand(live, &operand->elements[i], at, visit);
}

/*
 * An opcode that only reads a register there must be in this list. The decoder refuses an
 * instruction whose opcode is missing.
 */
bool ptx_writes_first(const struct ptx_insn *insn)
{
	static const char *const readers[] = {
		"st", "red", "bra", "brx", "call", "ret", "exit", "trap", "bar", "barrier", "cp",
		"fence", "membar", "prefetch", "prefetchu", "nanosleep", "setmaxnreg", "discard",
		"applypriority", "tensormap", "wgmma", "griddepcontrol", "pmevent",
	};
	unsigned int i;

	if (!insn->operand_count || insn->operands[0].kind == OPERAND_ADDRESS)
		return false;
	/* bar.red and barrier.red have a destination, which may well be taken as read. */
	for (i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (ptx_insn_part_is(insn, 0, readers[i]))
			return false;
	return true;
}

/* A guarded instruction may leave the old value in its destination. */
static bool kills_first(const struct ptx_insn *insn)
{
	return insn->guard < 0 && ptx_writes_first(insn);
}

static void visit_reads(struct liveness *live, const struct ptx_insn *insn, uint32_t at,
			visit_fn *visit)
{
	unsigned int i;

	for (i = ptx_writes_first(insn); i < insn->operand_count; i++)
		visit_operand(live, &insn->operands[i], at, visit);
}

/* --- blocks --------------------------------------------------------------------------- */

static bool is_jump(const struct ptx_insn *insn)
{
	return ptx_insn_part_is(insn, 0, "bra") || ptx_insn_part_is(insn, 0, "brx");
}

static bool ends_block(const struct ptx_insn *insn)
{
	return is_jump(insn) || ptx_insn_part_is(insn, 0, "ret") ||
	       ptx_insn_part_is(insn, 0, "exit");
}

static bool find_blocks(struct liveness *live)
{
	const struct ptx_function *function = live->function;
	uint32_t i;

	live->blocks = calloc(function->insn_count + 1, sizeof(*live->blocks));
	live->block_at = calloc(function->insn_count + 1, sizeof(*live->block_at));
	if (!live->blocks || !live->block_at)
		return false;
	for (i = 0; i < function->insn_count; i++) {
		if (!i || function->insns[i].leader || ends_block(&function->insns[i - 1]))
			live->blocks[live->block_count++].first = i;
		live->block_at[i] = live->block_count - 1;
		live->blocks[live->block_count - 1].end = i + 1;
	}
	return true;
}

static uint64_t *live_in(struct liveness *live, uint32_t block)
{
	return live->in + (size_t)block * live->words;
}

/* The sets of lists of targets are behind those of blocks. */
static uint32_t table_set(const struct liveness *live, const struct ptx_table *table)
{
	return live->block_count + table->index;
}

static void clear_now(struct liveness *live)
{
	live->work += live->words;
	memset(live->now, 0, live->words * sizeof(*live->now));
}

static void add_set(struct liveness *live, uint32_t set)
{
	const uint64_t *in = live_in(live, set);
	uint32_t i;

	live->work += live->words;
	for (i = 0; i < live->words; i++)
		live->now[i] |= in[i];
}

static void add_successor(struct liveness *live, uint32_t insn)
{
	if (insn < live->function->insn_count)
		add_set(live, live->block_at[insn]);
}

/* Sets @now to the registers that are live at the end of a block. */
static void live_out(struct liveness *live, const struct block *block)
{
	const struct ptx_insn *last = &live->function->insns[block->end - 1];
	unsigned int i;

	clear_now(live);
	if (is_jump(last)) {
		for (i = 0; i < last->operand_count; i++) {
			const struct ptx_operand *operand = &last->operands[i];

			if (operand->kind == OPERAND_LABEL)
				add_successor(live, operand->label);
			else if (operand->kind == OPERAND_TABLE)
				add_set(live, table_set(live, operand->table));
		}
	}
	if (!ends_block(last) || last->guard >= 0)
		add_successor(live, block->end);
}

/* --- liveness ------------------------------------------------------------------------- */

static void kill(struct liveness *live, uint32_t reg, uint32_t at)
{
	(void)at;
	live->now[reg / 64] &= ~(1ULL << reg % 64);
}

static void use(struct liveness *live, uint32_t reg, uint32_t at)
{
	(void)at;
	live->now[reg / 64] |= 1ULL << reg % 64;
}

static void extend(struct liveness *live, uint32_t reg, uint32_t at)
{
	if (at < live->first[reg])
		live->first[reg] = at;
	if (at + 1 > live->last[reg])
		live->last[reg] = at + 1;
}

/* Stores @now. Returns whether it has changed. */
static bool store_set(struct liveness *live, uint32_t set)
{
	size_t bytes = live->words * sizeof(*live->now);

	live->work += live->words;
	if (!memcmp(live_in(live, set), live->now, bytes))
		return false;
	memcpy(live_in(live, set), live->now, bytes);
	return true;
}

static bool update_table(struct liveness *live, const struct ptx_table *table)
{
	unsigned int i;

	if (!table->used || table->elements[0].kind != OPERAND_LABEL)
		return false;
	clear_now(live);
	for (i = 0; i < table->count; i++)
		add_successor(live, table->elements[i].label);
	return store_set(live, table_set(live, table));
}

static bool update(struct liveness *live, uint32_t block)
{
	const struct ptx_function *function = live->function;
	uint32_t i;

	live_out(live, &live->blocks[block]);
	for (i = live->blocks[block].end; i-- > live->blocks[block].first;) {
		const struct ptx_insn *insn = &function->insns[i];

		live->work += INSN_WORK;
		if (kills_first(insn))
			visit_operand(live, &insn->operands[0], i, kill);
		visit_reads(live, insn, i, use);
	}
	return store_set(live, block);
}

/* Extends the intervals of registers that are in the set, but not in @seen, and adds them there. */
static void extend_new(struct liveness *live, const uint64_t *set, uint64_t *seen, uint32_t at)
{
	uint32_t i;

	for (i = 0; i < live->words; i++) {
		uint64_t left = set[i] & ~seen[i];

		seen[i] |= left;
		for (; left; left &= left - 1)
			extend(live, i * 64 + __builtin_ctzll(left), at);
	}
}

/* Registers are live from the first block on in whose sets they are, up to the last one. */
static void extend_over_blocks(struct liveness *live, uint64_t *seen)
{
	uint32_t i;

	for (i = 0; i < live->block_count; i++) {
		extend_new(live, live_in(live, i), seen, live->blocks[i].first);
		live_out(live, &live->blocks[i]);
		extend_new(live, live->now, seen, live->blocks[i].end - 1);
	}
	memset(seen, 0, live->words * sizeof(*seen));
	for (i = live->block_count; i-- > 0;) {
		live_out(live, &live->blocks[i]);
		extend_new(live, live->now, seen, live->blocks[i].end - 1);
		extend_new(live, live_in(live, i), seen, live->blocks[i].first);
	}
}

static bool find_intervals(struct liveness *live)
{
	const struct ptx_function *function = live->function;
	uint64_t *seen = calloc(live->words + 1, sizeof(*seen));
	uint32_t i, j;

	if (!seen)
		return false;
	for (i = 0; i < function->reg_count; i++)
		live->first[i] = ~0u;
	extend_over_blocks(live, seen);
	free(seen);
	for (i = 0; i < function->insn_count; i++)
		for (j = 0; j < function->insns[i].operand_count; j++)
			visit_operand(live, &function->insns[i].operands[j], i, extend);
	return true;
}

/* Goes through all lists and blocks once. Returns whether a set has changed. */
static bool go_round(struct liveness *live)
{
	const struct ptx_function *function = live->function;
	bool changed = false;
	uint32_t i;

	for (i = 0; i < function->table_count && live->work < live->max_work; i++)
		changed |= update_table(live, function->tables[i]);
	for (i = live->block_count; i-- > 0 && live->work < live->max_work;)
		changed |= update(live, i);
	return changed;
}

/* Finds where registers are live, unless that takes too long. Returns false if memory runs out. */
static bool analyse(struct liveness *live)
{
	uint32_t regs = live->function->reg_count;

	live->in = calloc((size_t)live->words * live->sets + 1, sizeof(*live->in));
	live->now = calloc(live->words + 1, sizeof(*live->now));
	live->first = calloc(regs + 1, sizeof(*live->first));
	live->last = calloc(regs + 1, sizeof(*live->last));
	if (!live->in || !live->now || !live->first || !live->last)
		return false;
	while (live->work < live->max_work && go_round(live))
		;
	live->found = live->work < live->max_work;
	return !live->found || find_intervals(live);
}

/* --- rows ----------------------------------------------------------------------------- */

/* Is it worth while, and possible, to look for registers that can share a row? */
static bool is_feasible(struct liveness *live)
{
	const struct ptx_function *function = live->function;
	uint64_t size = (uint64_t)function->insn_count + function->reg_count;

	live->words = (function->reg_count + 63) / 64;
	live->sets = live->block_count + function->table_count;
	live->max_work = (size + 1) * SIZE_WORK;
	return (uint64_t)live->words * live->sets <=
	       (size * SIZE_WORDS < MAX_WORDS ? size * SIZE_WORDS : MAX_WORDS);
}

static void allocate_separately(const struct ptx_function *function, uint32_t *slots,
				uint32_t *rows, uint32_t *preds)
{
	uint32_t i;

	*rows = 0;
	*preds = 0;
	for (i = 0; i < function->reg_count; i++) {
		slots[i] = function->regs[i].type == TYPE_PRED ? (*preds)++ : (*rows)++;
		/* The upper half of a register of 128 bits is in the next row. */
		*rows += function->regs[i].type == TYPE_B128;
	}
}

/* Where a register is live */
struct interval {
	uint32_t reg;	/* the register */
	uint32_t first;	/* first instruction */
	uint32_t last;	/* index behind the last instruction */
};

static int by_first(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->reg < y->reg ? -1 : x->reg > y->reg;
}

/* Rows by the ends of their last intervals: the earliest end is the first element */
struct heap {
	uint64_t *ends;	/* ends, shifted left by 32, plus rows */
	uint32_t count;	/* number of rows */
};

static void heap_add(struct heap *heap, uint64_t end)
{
	uint32_t at = heap->count++;

	for (; at && heap->ends[(at - 1) / 2] > end; at = (at - 1) / 2)
		heap->ends[at] = heap->ends[(at - 1) / 2];
	heap->ends[at] = end;
}

static void heap_replace_first(struct heap *heap, uint64_t end)
{
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < heap->count) {
		if (child + 1 < heap->count && heap->ends[child + 1] < heap->ends[child])
			child++;
		if (heap->ends[child] >= end)
			break;
		heap->ends[at] = heap->ends[child];
		at = child;
	}
	heap->ends[at] = end;
}

/*
 * Gives each interval the row that has been free for the longest time. A row is free behind the
 * last instruction of its register, so that no instruction writes to a row that it still reads.
 */
static bool share_rows(struct interval *intervals, uint32_t count, uint32_t *slots,
		       uint32_t *rows)
{
	struct heap heap = { .ends = calloc(count + 1, sizeof(*heap.ends)) };
	uint32_t i;

	if (!heap.ends)
		return false;
	qsort(intervals, count, sizeof(*intervals), by_first);
	for (i = 0; i < count; i++) {
		const struct interval *interval = &intervals[i];
		uint64_t end = (uint64_t)interval->last << 32;

		if (heap.count && heap.ends[0] >> 32 <= interval->first) {
			slots[interval->reg] = (uint32_t)heap.ends[0];
			heap_replace_first(&heap, end | slots[interval->reg]);
		} else {
			slots[interval->reg] = heap.count;
			heap_add(&heap, end | slots[interval->reg]);
		}
	}
	*rows = heap.count;
	free(heap.ends);
	return true;
}

static bool allocate_shared(const struct liveness *live, uint32_t *slots, uint32_t *rows,
			    uint32_t *preds)
{
	const struct ptx_function *function = live->function;
	struct interval *intervals = calloc(function->reg_count + 1, sizeof(*intervals));
	uint32_t count = 0, i;
	bool good;

	if (!intervals)
		return false;
	*preds = 0;
	for (i = 0; i < function->reg_count; i++) {
		if (function->regs[i].type == TYPE_PRED) {
			slots[i] = (*preds)++;
		} else if (live->first[i] != ~0u && function->regs[i].type != TYPE_B128) {
			intervals[count++] = (struct interval){
				.reg = i, .first = live->first[i], .last = live->last[i],
			};
		} else {
			/* No instruction has the register, or it gets two rows below. */
			slots[i] = 0;
		}
	}
	good = share_rows(intervals, count, slots, rows);
	free(intervals);
	/* A register of 128 bits has two rows, and shares them with no other. */
	for (i = 0; i < function->reg_count; i++) {
		if (live->first[i] != ~0u && function->regs[i].type == TYPE_B128) {
			slots[i] = *rows;
			*rows += 2;
		}
	}
	/* Row 0 exists, even if no register is used. */
	if (!*rows)
		*rows = 1;
	return good;
}

bool ptx_allocate(const struct ptx_function *function, uint32_t *slots, uint32_t *rows,
		  uint32_t *preds)
{
	struct liveness live = { .function = function };
	bool good = find_blocks(&live);

	if (good && is_feasible(&live))
		good = analyse(&live);
	if (good && live.found)
		good = allocate_shared(&live, slots, rows, preds);
	else if (good)
		allocate_separately(function, slots, rows, preds);
	free(live.blocks);
	free(live.block_at);
	free(live.in);
	free(live.now);
	free(live.first);
	free(live.last);
	return good;
}
