// SPDX-License-Identifier: MIT
/*
 * Builds a program: finds the functions that a kernel may call, lays out their variables, and
 * decodes their instructions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/allocate.h"
#include "code/alu.h"
#include "code/build.h"
#include "code/loop.h"
#include "code/special.h"

#define ALIGN(value, align) (((value) + (align) - 1) & ~((uint64_t)(align) - 1))

/* The window of a CTA has at most 227 KiB; more than this cannot be launched. */
#define SHARED_MAX	(16u << 20)
/* A frame larger than this cannot be on any stack. */
#define LOCAL_MAX	(64u << 20)

void *ptx_grow(void *array, uint32_t count, size_t size)
{
	/* The space doubles whenever the number of elements is a power of two. */
	if (count & (count - 1))
		return array;
	return realloc(array, (count ? 2 * (size_t)count : 1) * size);
}

void *ptx_extra_alloc(struct ptx_builder *b, size_t size)
{
	struct ptx_extra *extra = calloc(1, sizeof(*extra) + size);

	if (!extra) {
		b->failed = true;
		return NULL;
	}
	extra->next = b->program->extras;
	b->program->extras = extra;
	return extra->data;
}

/* --- layout ----------------------------------------------------------------------- */

static bool lay_out(struct ptx_variable *var, uint64_t *bytes)
{
	*bytes = ALIGN(*bytes, var->align ? var->align : 1);
	var->address = *bytes;
	if (var->size > LOCAL_MAX || *bytes + var->size > LOCAL_MAX)
		return false;
	*bytes += var->size;
	return true;
}

/* Parameters of kernels have offsets of their own; all else is in the local memory of the frame. */
bool ptx_lay_out_function(struct ptx_function *function, uint32_t *local_bytes)
{
	uint64_t params = 0, bytes = 0;
	bool fits = true;
	unsigned int i;

	for (i = 0; i < function->param_count; i++)
		if (function->params[i].space == SPACE_PARAM)
			fits &= lay_out(&function->params[i], function->entry ? &params : &bytes);
	for (i = 0; i < function->return_count; i++)
		if (function->returns[i].space == SPACE_PARAM)
			fits &= lay_out(&function->returns[i], &bytes);
	for (i = 0; i < function->local_count; i++)
		if (function->locals[i]->space == SPACE_LOCAL ||
		    function->locals[i]->space == SPACE_PARAM)
			fits &= lay_out(function->locals[i], &bytes);
	*local_bytes = ALIGN(bytes, 16);
	return fits;
}

static uint64_t local_align(const struct ptx_function *function)
{
	uint64_t align = 16;
	unsigned int i;

	for (i = 0; !function->entry && i < function->param_count; i++)
		if (function->params[i].align > align)
			align = function->params[i].align;
	for (i = 0; i < function->return_count; i++)
		if (function->returns[i].align > align)
			align = function->returns[i].align;
	for (i = 0; i < function->local_count; i++)
		if (function->locals[i]->space != SPACE_SHARED &&
		    function->locals[i]->align > align)
			align = function->locals[i]->align;
	return align;
}

static bool add_shared(struct ptx_builder *b, const struct ptx_variable *var)
{
	struct ptx_program *program = b->program;
	struct ptx_shared *shared;
	uint32_t i;

	for (i = 0; i < program->shared_count; i++)
		if (program->shared[i].var == var)
			return true;
	shared = ptx_grow(program->shared, program->shared_count, sizeof(*shared));
	if (!shared)
		return false;
	program->shared = shared;
	shared[program->shared_count++].var = var;
	return true;
}

static bool is_dynamic(const struct ptx_variable *var)
{
	return !var->size;
}

/* Static variables come first, in the order of their declaration; all dynamic ones are behind. */
static void lay_out_shared(struct ptx_program *program)
{
	uint64_t bytes = 0;
	uint32_t align = 16;
	uint32_t i;

	for (i = 0; i < program->shared_count; i++) {
		struct ptx_shared *shared = &program->shared[i];

		if (is_dynamic(shared->var)) {
			program->dynamic = true;
			if (shared->var->align > align)
				align = shared->var->align;
			continue;
		}
		bytes = ALIGN(bytes, shared->var->align ? shared->var->align : 1);
		shared->offset = bytes;
		bytes += shared->var->size;
		if (shared->var->size > SHARED_MAX || bytes > SHARED_MAX)
			bytes = SHARED_MAX;
	}
	program->shared_bytes = bytes;
	program->dynamic_offset = program->dynamic ? ALIGN(bytes, align) : bytes;
	for (i = 0; i < program->shared_count; i++)
		if (is_dynamic(program->shared[i].var))
			program->shared[i].offset = program->dynamic_offset;
}

uint32_t ptx_shared_offset(const struct ptx_program *program, const struct ptx_variable *var)
{
	uint32_t i;

	for (i = 0; i < program->shared_count; i++)
		if (program->shared[i].var == var)
			return program->shared[i].offset;
	return 0;
}

/* --- functions -------------------------------------------------------------------- */

int ptx_body_of(struct ptx_builder *b, const struct ptx_function *function)
{
	struct ptx_program *program = b->program;
	struct ptx_body *bodies;
	uint32_t i;

	for (i = 0; i < program->body_count; i++)
		if (program->bodies[i].function == function)
			return i;
	bodies = ptx_grow(program->bodies, program->body_count, sizeof(*bodies));
	if (!bodies) {
		b->failed = true;
		return -1;
	}
	program->bodies = bodies;
	bodies[program->body_count] = (struct ptx_body){ .function = function };
	return program->body_count++;
}

/* Remembers a variable from whose initial value the kernel may read addresses. */
static bool add_table(struct ptx_builder *b, const struct ptx_variable *var)
{
	const struct ptx_variable **tables;
	uint32_t i;

	for (i = 0; i < b->table_count; i++)
		if (b->tables[i] == var)
			return true;
	tables = ptx_grow(b->tables, b->table_count, sizeof(*tables));
	if (!tables)
		return false;
	b->tables = tables;
	tables[b->table_count++] = var;
	return true;
}

static bool scan_table(struct ptx_builder *b, const struct ptx_variable *var)
{
	unsigned int i;

	for (i = 0; i < var->reloc_count; i++) {
		const struct ptx_reloc *reloc = &var->relocs[i];

		if (reloc->function && reloc->function->defined && !reloc->function->entry &&
		    ptx_body_of(b, reloc->function) < 0)
			return false;
		if (reloc->var && reloc->var->reloc_count && !add_table(b, reloc->var))
			return false;
	}
	return true;
}

static bool scan_operand(struct ptx_builder *b, const struct ptx_operand *operand)
{
	const struct ptx_variable *var = operand->var;
	unsigned int i;

	if (var && var->space == SPACE_SHARED &&
	    (operand->kind == OPERAND_VARIABLE || operand->kind == OPERAND_ADDRESS) &&
	    !add_shared(b, var))
		return false;
	if (var && var->reloc_count && !add_table(b, var))
		return false;
	if (operand->kind == OPERAND_FUNCTION && operand->function->defined &&
	    ptx_body_of(b, operand->function) < 0)
		return false;
	/* The parser limits how deep operands are nested. */
	for (i = 0; i < operand->count; i++)
		if (!scan_operand(b, &operand->elements[i]))
			return false;
	return true;
}

/* Finds all functions that the kernel may call, and all variables in shared memory. */
static bool scan(struct ptx_builder *b)
{
	uint32_t body = 0, table = 0, insn, operand;

	while (body < b->program->body_count || table < b->table_count) {
		const struct ptx_function *function;

		if (body == b->program->body_count) {
			if (!scan_table(b, b->tables[table++]))
				return false;
			continue;
		}
		function = b->program->bodies[body++].function;
		for (insn = 0; insn < function->insn_count; insn++)
			for (operand = 0; operand < function->insns[insn].operand_count; operand++)
				if (!scan_operand(b, &function->insns[insn].operands[operand]))
					return false;
	}
	return true;
}

uint64_t ptx_function_address(const struct ptx_module *module,
			      const struct ptx_function *function)
{
	unsigned int i;

	for (i = 0; i < module->function_count; i++)
		if (module->functions[i] == function)
			return PTX_CODE_BASE + i;
	return 0;
}

const struct ptx_body *ptx_program_function(const struct ptx_program *program, uint64_t address)
{
	uint64_t number = address - PTX_CODE_BASE;

	if (number >= program->module->function_count || !program->body_of[number])
		return NULL;
	return &program->bodies[program->body_of[number] - 1];
}

static bool number_functions(struct ptx_program *program)
{
	const struct ptx_module *module = program->module;
	uint32_t i, j;

	program->body_of = calloc(module->function_count + 1, sizeof(*program->body_of));
	if (!program->body_of)
		return false;
	for (i = 0; i < module->function_count; i++)
		for (j = 0; j < program->body_count; j++)
			if (program->bodies[j].function == module->functions[i])
				program->body_of[i] = j + 1;
	return true;
}

/* --- rows ------------------------------------------------------------------------- */

uint32_t ptx_frame_row(struct ptx_builder *b)
{
	return PTX_ROW(FILE_FRAME, b->body->rows++);
}

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

static bool shared_row(struct ptx_builder *b, uint32_t offset, uint32_t *row)
{
	struct ptx_program *program = b->program;
	uint32_t *rows;
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
		return shared_row(b, ptx_shared_offset(b->program, var) + offset, row);
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

/* --- decoding --------------------------------------------------------------------- */

static void step_init(struct ptx_step *step, const struct ptx_insn *insn)
{
	*step = (struct ptx_step){
		.guard = -1,
		.dst = PTX_NO_ROW,
		.dst2 = PTX_NO_ROW,
		.src = { PTX_NO_ROW, PTX_NO_ROW, PTX_NO_ROW, PTX_NO_ROW },
		.insn = insn,
	};
}

static enum ptx_decoded decode_alu(struct ptx_builder *b, const struct ptx_insn *insn,
				   struct ptx_step *step)
{
	return ptx_alu_decode(&b->d, insn, step);
}

static void decode_insn(struct ptx_builder *b, const struct ptx_insn *insn, struct ptx_step *step)
{
	static enum ptx_decoded (*const decoders[])(struct ptx_builder *b,
						    const struct ptx_insn *insn,
						    struct ptx_step *step) = {
		ptx_control_decode, ptx_memory_decode, ptx_window_decode, ptx_tensormap_decode,
		ptx_misc_decode, ptx_device_decode, decode_alu,
	};
	unsigned int i;

	step_init(step, insn);
	if (insn->guard >= 0) {
		step->guard = b->d.slots[insn->guard];
		step->guard_not = insn->guard_not;
		if (b->d.function->regs[insn->guard].type != TYPE_PRED) {
			ptx_refuse(&b->d, insn, "%s is no predicate",
				   b->d.function->regs[insn->guard].name);
			return;
		}
	}
	for (i = 0; i < sizeof(decoders) / sizeof(decoders[0]); i++)
		if (decoders[i](b, insn, step) != NOT_MINE)
			return;
	ptx_refuse(&b->d, insn, "vsm cannot execute %.*s", (int)insn->opcode.length,
		   insn->opcode.text);
}

static bool add_steps(struct ptx_builder *b, uint32_t count)
{
	struct ptx_program *program = b->program;
	struct ptx_step *steps = program->steps;

	/* A counter of steps has 32 bits, and a module far fewer instructions. */
	if (b->step_space - program->step_count < count) {
		b->step_space = (program->step_count + count) * 2;
		steps = realloc(steps, (size_t)b->step_space * sizeof(*steps));
		if (!steps) {
			b->failed = true;
			return false;
		}
		program->steps = steps;
	}
	return true;
}

static bool decode_body(struct ptx_builder *b, uint32_t index)
{
	struct ptx_program *program = b->program;
	struct ptx_body *body = &program->bodies[index];
	const struct ptx_function *function = body->function;
	struct ptx_step *step;
	uint32_t i;

	b->body = body;
	b->d.function = function;
	body->first = program->step_count;
	body->local_align = local_align(function);
	if (!ptx_lay_out_function((struct ptx_function *)function, &body->local_bytes)) {
		ptx_message(b->d.messages, b->d.module->path, function->place.line,
			    function->place.column, "%s has too much local memory",
			    function->name);
		return true;
	}
	body->slots = calloc(function->reg_count + 1, sizeof(*body->slots));
	if (!body->slots || !add_steps(b, function->insn_count + 1)) {
		b->failed = true;
		return false;
	}
	if (!ptx_allocate(function, body->slots, &body->rows, &body->preds)) {
		b->failed = true;
		return false;
	}
	b->d.slots = body->slots;
	for (i = 0; i < function->insn_count && !b->failed; i++) {
		step = &program->steps[program->step_count++];
		decode_insn(b, &function->insns[i], step);
		if (step->kind == STEP_DEVICE && ptx_wait_repeats(function, i))
			step->flags = PTX_STEP_REPEATS;
	}
	/* A function that does not end with ret or exit returns here. */
	step = &program->steps[program->step_count++];
	step_init(step, function->insn_count ? &function->insns[function->insn_count - 1] : NULL);
	step->kind = function->entry ? STEP_EXIT : STEP_RET;
	return !b->failed;
}

static bool decode(struct ptx_builder *b)
{
	uint32_t i;

	if (ptx_body_of(b, b->program->kernel) < 0 || !scan(b))
		return false;
	if (!number_functions(b->program))
		return false;
	lay_out_shared(b->program);
	for (i = 0; i < b->program->body_count; i++)
		if (!decode_body(b, i))
			return false;
	return true;
}

int ptx_program_build(const struct ptx_module *module, const struct ptx_function *kernel,
		      struct ptx_program **program, struct ptx_messages *messages)
{
	unsigned int before = messages->count;
	struct ptx_builder b = {
		.d = { .module = module, .messages = messages },
	};

	b.program = calloc(1, sizeof(*b.program));
	if (!b.program)
		return -ENOMEM;
	b.program->module = module;
	b.program->kernel = kernel;
	if (!decode(&b))
		b.failed = true;
	free(b.tables);
	b.program->consts = b.d.consts;
	b.program->const_count = b.d.const_count;
	if (b.failed || messages->failed || messages->count != before) {
		ptx_program_free(b.program);
		return b.failed || messages->failed ? -ENOMEM : -EOPNOTSUPP;
	}
	*program = b.program;
	return 0;
}

void ptx_program_free(struct ptx_program *program)
{
	struct ptx_extra *extra, *next;
	uint32_t i;

	if (!program)
		return;
	for (extra = program->extras; extra; extra = next) {
		next = extra->next;
		free(extra);
	}
	for (i = 0; i < program->body_count; i++) {
		free(program->bodies[i].addresses);
		free(program->bodies[i].slots);
	}
	free(program->bodies);
	free(program->body_of);
	free(program->steps);
	free(program->consts);
	free(program->shared);
	free(program->shared_rows);
	free(program);
}

const struct ptx_body *ptx_program_body(const struct ptx_program *program, uint32_t step)
{
	uint32_t i = program->body_count;

	while (i-- > 1)
		if (program->bodies[i].first <= step)
			return &program->bodies[i];
	return &program->bodies[0];
}
