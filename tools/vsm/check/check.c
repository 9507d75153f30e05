// SPDX-License-Identifier: MIT
/*
 * Checks a scenario without a device, and finds errors that the verifiers of compilers find.
 *
 * The check follows the lines of the scenario in order, and uses the addresses, counts and bytes
 * that constants determine. It assumes that asynchronous operations complete at once. In no real
 * execution can a phase complete earlier, so a phase that is not complete here cannot be complete
 * on the device. After an operation with an unknown value on an mbarrier, the state of the mbarrier
 * is unsure, and the check reports no more errors about it.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base.h"
#include "check/check.h"
#include "run/step.h"

/* --- the state of an mbarrier --------------------------------------------- */

/* Kinds of mbarriers in Tile IR, in the order in which object_raise_kind() raises them. */
enum kind {
	KIND_ORDINARY,
	KIND_TRANSACTION,
	KIND_CLUSTER,
};

/* An mbarrier */
struct object {
	uint32_t addr;		/* cluster shared address */
	unsigned int line;	/* line of the init that made it */
	unsigned int inval;	/* line of the inval that ended it; 0 if it is valid */
	enum kind kind;		/* enum kind */
	bool unsure;		/* the state of the mbarrier is not known */
	bool async;		/* an asynchronous operation or a job has worked on it */
	unsigned int phase;	/* phases that have completed */
	int64_t expected;	/* arrivals of a phase */
	int64_t pending;	/* arrivals that the phase in progress still needs */
	int64_t tx;		/* bytes that the phase in progress still needs */
	int64_t announced;	/* bytes that were expected since its init */
	int64_t delivered;	/* bytes that were completed since its init */
};

static const char *object_kind(const struct object *o)
{
	static const char *const names[] = {
		[KIND_ORDINARY] = "ordinary",
		[KIND_TRANSACTION] = "transaction",
		[KIND_CLUSTER] = "cluster",
	};

	return names[o->kind];
}

static void evaluate(struct object *o)
{
	if (o->pending < 0)
		o->unsure = true;
	if (o->pending || o->tx)
		return;
	o->phase++;
	o->pending = o->expected;
}

static void object_raise_kind(struct object *o, enum kind kind)
{
	if (kind > o->kind)
		o->kind = kind;
}

static void object_expect_tx(struct object *o, int64_t bytes)
{
	object_raise_kind(o, KIND_TRANSACTION);
	o->tx += bytes;
	o->announced += bytes;
}

static void object_complete_tx(struct object *o, int64_t bytes)
{
	object_raise_kind(o, KIND_TRANSACTION);
	o->tx -= bytes;
	o->delivered += bytes;
	evaluate(o);
}

static void object_arrive(struct object *o, int64_t count, bool drop)
{
	if (drop)
		o->expected -= count;
	o->pending -= count;
	evaluate(o);
}

/* --- registers whose values are known ------------------------------------- */

/* Registers of a device thread */
struct value_thread {
	struct thread thread;	/* the device thread, whose registers have the values */
	bool *known;		/* for each register, whether its value is known */
};

/* Creates the registers of each thread of the scenario. No value is known at first. */
static struct value_thread *values_create(const struct scenario *s)
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

static void values_free(const struct scenario *s, struct value_thread *threads)
{
	size_t i;

	for (i = 0; i < s->thread_count; i++) {
		free(threads[i].thread.registers);
		free(threads[i].known);
	}
	free(threads);
}

static bool value_known(const struct value_thread *t, const struct operand *operand)
{
	return (operand->reg < 0 || t->known[operand->reg]) &&
	       (operand->second < 0 || t->known[operand->second]);
}

/*
 * Returns whether it is known if the instruction executes: it has no guard, or the guard's value is
 * known.
 */
static bool value_decides(const struct value_thread *t, const struct instruction *insn)
{
	return insn->guard < 0 || t->known[insn->guard];
}

/* Returns whether it is known that the guard of an instruction skips it. */
static bool value_skips(const struct value_thread *t, const struct instruction *insn)
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

/* Updates the registers as the instruction would. A result of the device is not known. */
static void value_step(struct value_thread *t, const struct instruction *insn)
{
	if (!value_skips(t, insn))
		set_known(t, insn, compute(t, insn));
}

/* The result of a wait */
struct waiting {
	int object;		/* index of the mbarrier; -1 if there is none */
	unsigned int phase;	/* the phase that the wait is for, which was in progress */
};

/* State of the check */
struct checker {
	const struct scenario *s;	/* the scenario */
	FILE *wrong;	/* file that errors are printed to; NULL if they are not printed */
	bool good;			/* no error has been found */
	unsigned int line;		/* line of the statement that is checked */
	struct value_thread *values;	/* registers of the threads */
	/* For each register of each thread, the wait whose result is in the register */
	struct waiting *waits;
	/* All mbarriers so far; of several at one address, the last one is valid */
	struct object *objects;
	size_t count;			/* number of mbarriers */
	/* An instruction with an unknown address may have made an mbarrier anywhere */
	bool blind;
};

static void complain(struct checker *k, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void complain(struct checker *k, const char *format, ...)
{
	va_list args;

	if (!k->wrong)
		return;
	k->good = false;
	fprintf(k->wrong, "%s:%u: ", k->s->path, k->line);
	va_start(args, format);
	vfprintf(k->wrong, format, args);
	va_end(args);
	fputc('\n', k->wrong);
}

#define PLACE 40

static const char *place_of(uint32_t addr, char text[PLACE])
{
	snprintf(text, PLACE, "CTA %u + 0x%x", addr >> VSM_SHARED_RANK_SHIFT,
		 addr & ((1U << VSM_SHARED_RANK_SHIFT) - 1));
	return text;
}

/* --- objects -------------------------------------------------------------- */

static struct object *find_object(struct checker *k, uint32_t addr)
{
	size_t i;

	for (i = k->count; i-- > 0;)
		if (k->objects[i].addr == addr)
			return &k->objects[i];
	return NULL;
}

static struct object *add_object(struct checker *k, uint32_t addr, int64_t count)
{
	k->objects = grow(k->objects, k->count, sizeof(*k->objects));
	k->objects[k->count] = (struct object){
		.addr = addr, .line = k->line, .expected = count, .pending = count,
	};
	return &k->objects[k->count++];
}

static void all_unsure(struct checker *k)
{
	size_t i;

	k->blind = true;
	for (i = 0; i < k->count; i++)
		k->objects[i].unsure = true;
}

/*
 * A multicast completes bytes on mbarriers at the same offset in several windows: their state is
 * unsure.
 */
static void offset_unsure(struct checker *k, uint32_t addr)
{
	size_t i;

	for (i = 0; i < k->count; i++) {
		if ((k->objects[i].addr ^ addr) << (32 - VSM_SHARED_RANK_SHIFT))
			continue;
		k->objects[i].unsure = true;
		k->objects[i].kind = KIND_CLUSTER;
	}
}

static void arrive(struct checker *k, struct object *o, int64_t count, bool drop)
{
	if (!o->unsure && count > o->expected)
		complain(k, "%" PRId64 " arrivals cannot balance: the mbarrier of line %u expects %"
			    PRId64 " in a phase", count, o->line, o->expected);
	object_arrive(o, count, drop);
}

/* --- instructions --------------------------------------------------------- */

static const struct operand *find_operand(const struct instruction *insn, uint8_t role)
{
	unsigned int i;

	for (i = 0; i < insn->count; i++)
		if (insn->operands[i].role == role)
			return &insn->operands[i];
	return NULL;
}

static bool is_mbarrier_op(const struct instruction *insn)
{
	switch (insn->opcode.op->op) {
	case DRM_VSM_OP_MBARRIER_INIT:
	case DRM_VSM_OP_MBARRIER_INVAL:
	case DRM_VSM_OP_MBARRIER_ARRIVE:
	case DRM_VSM_OP_MBARRIER_ARRIVE_DROP:
	case DRM_VSM_OP_MBARRIER_EXPECT_TX:
	case DRM_VSM_OP_MBARRIER_COMPLETE_TX:
	case DRM_VSM_OP_MBARRIER_TEST_WAIT:
	case DRM_VSM_OP_MBARRIER_TRY_WAIT:
	case DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE:
		return insn->opcode.op->action == PTX_EXEC || insn->opcode.op->action == PTX_ISSUE;
	default:
		return false;
	}
}

/* Returns the operand that is the address of an instruction's mbarrier; NULL if it has none. */
static const struct operand *mbarrier_of(const struct instruction *insn)
{
	if (is_mbarrier_op(insn) || insn->opcode.op->action == PTX_EXCH)
		return find_operand(insn, PTX_SHARED);
	return find_operand(insn, PTX_MBAR);
}

/* Returns whether the instruction works only on mbarriers in the window of its own CTA. */
static bool needs_own_window(const struct instruction *insn)
{
	switch (insn->opcode.op->op) {
	case DRM_VSM_OP_MBARRIER_EXPECT_TX:
	case DRM_VSM_OP_MBARRIER_COMPLETE_TX:
		return insn->opcode.quals[PTX_SPACE] == DRM_VSM_SPACE_SHARED_CTA;
	case DRM_VSM_OP_MBARRIER_ARRIVE:
	case DRM_VSM_OP_MBARRIER_ARRIVE_DROP:
		return !(insn->mods & DRM_VSM_MOD_SINK) ||
		       insn->opcode.quals[PTX_SPACE] == DRM_VSM_SPACE_SHARED_CTA;
	default:
		return is_mbarrier_op(insn);
	}
}

/* Computes an address. Returns false if it has more than 32 bits, which is an error. */
static bool find_address(struct checker *k, const struct value_thread *t,
			 const struct operand *operand, bool excused, uint32_t *addr)
{
	uint64_t address = operand_address(&t->thread, operand);

	*addr = address;
	if (*addr == address)
		return true;
	if (!excused)
		complain(k, "wrong address space: 0x%" PRIx64 " has more than 32 bits", address);
	return false;
}

static bool check_space(struct checker *k, const struct value_thread *t,
			const struct instruction *insn, uint32_t addr)
{
	uint32_t rank = addr >> VSM_SHARED_RANK_SHIFT;
	uint32_t offset = addr & ((1U << VSM_SHARED_RANK_SHIFT) - 1);
	char place[PLACE];

	if (rank >= k->s->config.ctas || offset + 8 > k->s->config.smem_bytes) {
		complain(k, "wrong address space: %s is in no window", place_of(addr, place));
		return false;
	}
	if (rank == t->thread.place.cta || !needs_own_window(insn))
		return true;
	complain(k, "wrong address space: %s%s needs an address in CTA %u, not %s",
		 insn->opcode.op->name,
		 insn->opcode.op->op == DRM_VSM_OP_MBARRIER_ARRIVE ||
		 insn->opcode.op->op == DRM_VSM_OP_MBARRIER_ARRIVE_DROP ? " with a state" : "",
		 t->thread.place.cta, place_of(addr, place));
	return false;
}

static bool check_object(struct checker *k, const struct instruction *insn, uint32_t addr,
			 const struct object *o)
{
	char place[PLACE];

	if (k->blind || (o && !o->inval))
		return true;
	if (o)
		complain(k,
			 "the operand of %s must be mbarrier barrier type, but got %s, which line %u invalidated",
			 insn->opcode.op->name, place_of(addr, place), o->inval);
	else
		complain(k,
			 "the operand of %s must be mbarrier barrier type, but got %s, which no mbarrier.init initialised",
			 insn->opcode.op->name, place_of(addr, place));
	return false;
}

/*
 * Returns the value of an operand as the device gets it, or @absent if the instruction lacks the
 * operand. Sets @sure to false if the value is not known.
 */
static uint32_t constant(const struct value_thread *t, const struct instruction *insn, uint8_t role,
			 uint32_t absent, bool *sure)
{
	const struct operand *operand = find_operand(insn, role);

	if (!operand)
		return absent;
	*sure &= value_known(t, operand);
	return value_known(t, operand) ? operand_value(&t->thread, operand) : 0;
}

/* Returns the number of bytes that an asynchronous operation completes on its mbarrier. */
static int64_t bytes_of(const struct value_thread *t, const struct instruction *insn, bool *sure)
{
	unsigned int i, elements = 0;

	if (insn->opcode.op->op != DRM_VSM_OP_ST_ASYNC &&
	    insn->opcode.op->op != DRM_VSM_OP_RED_ASYNC) {
		/* The bytes of a tensor copy depend on its map. */
		*sure &= !!find_operand(insn, PTX_SIZE);
		return constant(t, insn, PTX_SIZE, 0, sure);
	}
	for (i = 0; i < insn->count; i++)
		elements += insn->operands[i].role == PTX_VALUE;
	return elements * ptx_type_bits(insn->opcode.quals[PTX_TYPE]) / 8;
}

/*
 * Applies the effect of an instruction to its mbarrier. Returns false if the effect is not known.
 */
static bool apply(struct checker *k, struct object *o, const struct value_thread *t,
		  const struct instruction *insn)
{
	bool drop = insn->opcode.op->op == DRM_VSM_OP_MBARRIER_ARRIVE_DROP;
	bool sure = true;
	int64_t count, bytes;

	switch (insn->opcode.op->op) {
	case DRM_VSM_OP_MBARRIER_INVAL:
		o->inval = k->line;
		return sure;
	case DRM_VSM_OP_MBARRIER_ARRIVE:
	case DRM_VSM_OP_MBARRIER_ARRIVE_DROP:
		count = constant(t, insn, PTX_COUNT, 1, &sure);
		bytes = constant(t, insn, PTX_TX_COUNT, 0, &sure);
		if (!sure)
			return false;
		if (insn->mods & DRM_VSM_MOD_EXPECT_TX)
			object_expect_tx(o, bytes);
		arrive(k, o, count, drop);
		return true;
	case DRM_VSM_OP_MBARRIER_EXPECT_TX:
		object_expect_tx(o, constant(t, insn, PTX_TX_COUNT, 0, &sure));
		return sure;
	case DRM_VSM_OP_MBARRIER_COMPLETE_TX:
		bytes = constant(t, insn, PTX_TX_COUNT, 0, &sure);
		if (sure)
			object_complete_tx(o, bytes);
		return sure;
	case DRM_VSM_OP_MBARRIER_TEST_WAIT:
	case DRM_VSM_OP_MBARRIER_TRY_WAIT:
		return true;
	case DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE:
		o->async = true;
		if (insn->mods & DRM_VSM_MOD_NOINC)
			arrive(k, o, 1, false);
		return sure;
	default:
		o->async = true;
		bytes = bytes_of(t, insn, &sure);
		if (sure)
			object_complete_tx(o, bytes);
		object_raise_kind(o, KIND_TRANSACTION);
		return sure;
	}
}

/*
 * Returns whether the instruction initialises an mbarrier: mbarrier.init, and SYNCS.EXCH.64 with
 * the word of a newly initialised mbarrier. Sets @count to the number of arrivals.
 */
static bool is_init(struct checker *k, const struct value_thread *t, const struct instruction *insn,
		    int64_t *count, bool *sure)
{
	enum vsm_layout layout = k->s->config.layout;
	const struct operand *operand;
	uint64_t word;

	if (insn->opcode.op->op == DRM_VSM_OP_MBARRIER_INIT) {
		*count = constant(t, insn, PTX_COUNT, 0, sure);
		return true;
	}
	if (insn->opcode.op->action != PTX_EXCH)
		return false;
	operand = find_operand(insn, PTX_STATE);
	*sure &= value_known(t, operand);
	word = operand_value(&t->thread, operand);
	*count = vsm_mbarrier_expected(layout, word);
	return !*sure || (*count && word == vsm_mbarrier_init(layout, *count));
}

static struct waiting *wait_of(struct checker *k, unsigned int thread, int reg)
{
	return &k->waits[thread * k->s->registers.count + reg];
}

/* If the instruction waits for the phase in progress, remembers which register gets the result. */
static void note_wait(struct checker *k, unsigned int thread, const struct instruction *insn,
		      const struct object *o)
{
	const struct operand *result = find_operand(insn, PTX_COMPLETE_OUT);
	const struct operand *parity = find_operand(insn, PTX_PARITY);
	const struct value_thread *t = &k->values[thread];
	struct waiting *w;

	if (!result || result->kind != OPERAND_REGISTER)
		return;
	w = wait_of(k, thread, result->reg);
	w->object = -1;
	/*
	 * Before any phase has completed, every state is one of the first phase. Later, the phase
	 * of a state is not known here.
	 */
	if (!parity && o->phase)
		return;
	if (parity && !(value_known(t, parity) &&
			operand_value(&t->thread, parity) == (o->phase & 1)))
		return;
	w->object = o - k->objects;
	w->phase = o->phase;
}

/*
 * Checks an instruction and applies its effect. With @excused, the device may refuse the
 * instruction, or it may have no effect: then no error is reported, and its mbarrier becomes
 * unsure.
 */
static void check_instruction(struct checker *k, unsigned int thread,
			      const struct instruction *insn, bool excused)
{
	struct value_thread *t = &k->values[thread];
	const struct operand *operand = mbarrier_of(insn);
	bool sure = !excused;
	int64_t count = 0;
	struct object *o;
	uint32_t addr;

	if (!operand)
		return;
	if (!value_known(t, operand)) {
		all_unsure(k);
		return;
	}
	if (!find_address(k, t, operand, excused, &addr))
		return;
	o = find_object(k, addr);
	if (!excused && !check_space(k, t, insn, addr))
		return;
	if (is_init(k, t, insn, &count, &sure)) {
		o = add_object(k, addr, count);
		o->unsure = !sure;
		return;
	}
	if (insn->opcode.op->action == PTX_EXCH)
		return;
	if (!excused && !check_object(k, insn, addr, o))
		return;
	if (insn->mods & DRM_VSM_MOD_MULTICAST)
		offset_unsure(k, addr);
	if (!o)
		return;
	if (addr >> VSM_SHARED_RANK_SHIFT != t->thread.place.cta)
		object_raise_kind(o, KIND_CLUSTER);
	if (excused) {
		o->unsure = true;
		return;
	}
	if (!apply(k, o, t, insn))
		o->unsure = true;
	note_wait(k, thread, insn, o);
}

/* --- statements ----------------------------------------------------------- */

static bool is_refusal(enum statement_kind kind)
{
	return kind == EXPECT_FAULT || kind == EXPECT_ERRNO || kind == EXPECT_REPORT;
}

/*
 * Returns whether the scenario may expect that the device refuses a statement. With @later, the
 * statement is a job or ends later: any later expectation may then be for it.
 */
static bool is_excused(const struct scenario *s, size_t index, bool later)
{
	while (++index < s->count && (later || s->statements[index].kind >= EXPECT_SUSPENDED))
		if (is_refusal(s->statements[index].kind) ||
		    s->statements[index].kind == EXPECT_JOB)
			return true;
	return false;
}

static void forget_waits(struct checker *k, unsigned int thread, const struct instruction *insn)
{
	unsigned int i;

	for (i = 0; i < insn->count && insn->operands[i].role <= PTX_PRED_OUT; i++)
		if (insn->operands[i].kind == OPERAND_REGISTER)
			wait_of(k, thread, insn->operands[i].reg)->object = -1;
}

static void check_run(struct checker *k, size_t index)
{
	const struct statement *st = &k->s->statements[index];
	bool later = st->starts || st->insn->opcode.op->action == PTX_ISSUE;
	bool excused = is_excused(k->s, index, later);
	unsigned int i;

	for (i = 0; i < st->thread_count; i++) {
		unsigned int thread = st->threads[i];

		if (value_skips(&k->values[thread], st->insn))
			continue;
		forget_waits(k, thread, st->insn);
		check_instruction(k, thread, st->insn,
				  excused || !value_decides(&k->values[thread], st->insn));
		value_step(&k->values[thread], st->insn);
	}
}

static void check_submit(struct checker *k, size_t index)
{
	const struct statement *st = &k->s->statements[index];
	bool excused = is_excused(k->s, index, true);
	size_t i;

	for (i = 0; i < st->job_count; i++) {
		const struct operand *operand = mbarrier_of(st->job[i].insn);
		const struct value_thread *t = &k->values[st->threads[0]];
		struct object *o;
		uint32_t addr;

		k->line = st->job[i].line;
		check_instruction(k, st->threads[0], st->job[i].insn, excused);
		if (!operand || !value_known(t, operand) ||
		    !find_address(k, t, operand, true, &addr))
			continue;
		o = find_object(k, addr);
		if (o)
			o->async = true;
	}
}

/*
 * Checks an expectation that the result of a wait is True: the phase must be complete. If
 * asynchronous operations work on the mbarrier, the device may have been in an earlier phase when
 * it executed the wait, so only the first phase is checked.
 */
static void check_true(struct checker *k, const struct statement *st)
{
	char place[PLACE];
	unsigned int i;

	for (i = 0; i < st->thread_count; i++) {
		const struct waiting *w = wait_of(k, st->threads[i], st->reg);
		const struct object *o;

		if (w->object < 0 || (st->values ? st->values[i] : st->value) != 1)
			continue;
		o = &k->objects[w->object];
		if (o->unsure || o->phase != w->phase || (o->async && o->phase))
			continue;
		complain(k,
			 "phase %u of the mbarrier at %s cannot be complete: it lacks %" PRId64
			 " arrival%s and %s%" PRId64 " bytes%s", o->phase,
			 place_of(o->addr, place), o->pending, o->pending == 1 ? "" : "s",
			 o->tx < 0 ? "has " : "", o->tx < 0 ? -o->tx : o->tx,
			 o->tx < 0 ? " too many" : "");
		return;
	}
}

/* At the end of the scenario, no mbarrier may have got more bytes than were expected on it. */
static void check_bytes(struct checker *k)
{
	size_t i;

	for (i = 0; i < k->count; i++) {
		const struct object *o = &k->objects[i];

		k->line = o->line;
		if (!o->unsure && o->delivered > o->announced)
			complain(k, "bytes cannot balance: the mbarrier gets %" PRId64
				    " bytes, and expects %" PRId64, o->delivered, o->announced);
	}
}

bool check_scenario(const struct scenario *s, FILE *wrong, FILE *objects)
{
	struct checker k = { .s = s, .good = true };
	size_t waits = s->thread_count * s->registers.count;
	char place[PLACE];
	size_t i;

	/*
	 * With the hardware policy or reports, a scenario shows on purpose what a wrong program
	 * does.
	 */
	if (s->config.policy == DRM_VSM_POLICY_STRICT && !s->config.report)
		k.wrong = wrong;
	k.values = values_create(s);
	k.waits = must(calloc(waits + 1, sizeof(*k.waits)));
	for (i = 0; i < waits; i++)
		k.waits[i].object = -1;
	for (i = 0; i < s->count; i++) {
		const struct statement *st = &s->statements[i];

		k.line = st->line;
		if (st->kind == STATEMENT_RUN)
			check_run(&k, i);
		else if (st->kind == STATEMENT_SUBMIT)
			check_submit(&k, i);
		else if (st->kind == EXPECT_REGISTER)
			check_true(&k, st);
	}
	check_bytes(&k);
	for (i = 0; objects && i < k.count; i++)
		fprintf(objects, "%s:%u: mbarrier at %s: %s\n", s->path, k.objects[i].line,
			place_of(k.objects[i].addr, place), object_kind(&k.objects[i]));
	values_free(s, k.values);
	free(k.waits);
	free(k.objects);
	return k.good;
}
