// SPDX-License-Identifier: MIT
/* What all decoders need: errors, rows, places of variables, functions, addresses and operands. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/decoder.h"

/* --- errors and constants ------------------------------------------------- */

/* At most this number of different constants of a decoder; each has a row of 256 bytes. */
#define MAX_CONSTS	(1u << 20)

enum ptx_decoded ptx_refuse(struct ptx_decoder *d, const struct ptx_insn *insn,
			    const char *format, ...)
{
	char text[1536];
	va_list args;

	/* A name may be long, and nobody would read the message. */
	if (d->messages->count >= PTX_MAX_MESSAGES)
		return REFUSED;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	ptx_message(d->messages, d->module->path, insn->place.line, insn->place.column, "%s", text);
	return REFUSED;
}

/* The hash of a number. */
static uint64_t ptx_hash(const struct ptx_decoder *d, uint64_t value)
{
	uint64_t hash = (value ^ d->seed) * 0x9e3779b97f4a7c15ull;

	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93ull;
	return hash ^ hash >> 32;
}

/*
 * The memory behind @consts holds @const_space rows, and after them a hash table of twice as many
 * numbers: the index of a constant plus 1, or 0.
 */
static uint32_t *const_table(const struct ptx_decoder *d)
{
	return (uint32_t *)(d->consts + (size_t)d->const_space * PTX_LANES);
}

/* The place of the constant in the table, or the free place where it belongs. */
static uint32_t *const_find(const struct ptx_decoder *d, uint64_t value)
{
	uint32_t *table = const_table(d);
	uint32_t last = 2 * d->const_space - 1;
	uint32_t at = (uint32_t)ptx_hash(d, value) & last;

	while (table[at] && d->consts[(size_t)(table[at] - 1) * PTX_LANES] != value)
		at = (at + 1) & last;
	return &table[at];
}

static bool const_grow(struct ptx_decoder *d)
{
	uint32_t space = d->const_space ? 2 * d->const_space : 16;
	size_t rows = (size_t)space * PTX_LANES * sizeof(uint64_t);
	uint64_t *consts;

	if (space > MAX_CONSTS)
		return false;
	consts = realloc(d->consts, rows + (size_t)space * 2 * sizeof(uint32_t));
	if (!consts)
		return false;
	memset((char *)consts + rows, 0, (size_t)space * 2 * sizeof(uint32_t));
	d->consts = consts;
	d->const_space = space;
	for (uint32_t i = 0; i < d->const_count; i++)
		*const_find(d, consts[(size_t)i * PTX_LANES]) = i + 1;
	return true;
}

uint32_t ptx_const_row(struct ptx_decoder *d, uint64_t value)
{
	uint32_t *found;

	if (d->const_count == d->const_space && !const_grow(d)) {
		ptx_message(d->messages, d->module->path, d->function->place.line,
			    d->function->place.column, "no memory for the constants of %s",
			    d->function->name);
		return PTX_NO_ROW;
	}
	found = const_find(d, value);
	if (!*found) {
		uint64_t *row = d->consts + (size_t)d->const_count * PTX_LANES;

		for (unsigned int i = 0; i < PTX_LANES; i++)
			row[i] = value;
		*found = ++d->const_count;
	}
	return PTX_ROW(FILE_CONST, *found - 1);
}

/* --- a program that is being built ---------------------------------------- */

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

/* A row of the frame for a value that no register has. */
static uint32_t ptx_frame_row(struct ptx_builder *b)
{
	return PTX_ROW(FILE_FRAME, b->body->rows++);
}

/* --- places of variables -------------------------------------------------- */

#define ALIGN(value, align) (((value) + (align) - 1) & ~((uint64_t)(align) - 1))

/* The window of a CTA has at most 227 KiB; more than this cannot be launched. */
#define SHARED_MAX	(16u << 20)
/* A frame larger than this cannot be on any stack. */
#define LOCAL_MAX	(64u << 20)

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
static void lay_out_all(struct ptx_function *function)
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
	function->local_end = bytes;
	function->fits = fits;
	function->laid_out = true;
}

bool ptx_lay_out_function(const struct ptx_function *function, uint32_t *local_end)
{
	if (function->alias_of)
		function = function->alias_of;
	if (!function->laid_out)
		lay_out_all((struct ptx_function *)function);
	*local_end = function->local_end;
	return function->fits;
}

uint64_t ptx_local_align(const struct ptx_function *function)
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

/* The entry of a variable; NULL if the program does not have it. */
static struct ptx_shared *find_shared(const struct ptx_program *program,
				      const struct ptx_variable *var)
{
	/* The number may be that of a program that was built before. */
	return var->slot < program->shared_count && program->shared[var->slot].var == var ?
	       &program->shared[var->slot] : NULL;
}

bool ptx_add_shared(struct ptx_program *program, const struct ptx_variable *var)
{
	struct ptx_shared *shared;

	if (find_shared(program, var))
		return true;
	shared = ptx_grow(program->shared, program->shared_count, sizeof(*shared));
	if (!shared)
		return false;
	program->shared = shared;
	((struct ptx_variable *)var)->slot = program->shared_count;
	shared[program->shared_count++].var = var;
	return true;
}

static bool is_dynamic(const struct ptx_variable *var)
{
	return !var->size;
}

/* Static variables come first, in the order of their declaration; all dynamic ones are behind. */
void ptx_lay_out_shared(struct ptx_program *program)
{
	uint64_t bytes = program->reserved_bytes;
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
	program->shared_bytes = bytes - program->reserved_bytes;
	program->dynamic_offset = program->dynamic ? ALIGN(bytes, align) : bytes;
	for (i = 0; i < program->shared_count; i++)
		if (is_dynamic(program->shared[i].var))
			program->shared[i].offset = program->dynamic_offset;
}

/* The offset of a variable in the window of a CTA. */
static uint32_t ptx_shared_offset(const struct ptx_program *program, const struct ptx_variable *var)
{
	const struct ptx_shared *shared = find_shared(program, var);

	return shared ? shared->offset : 0;
}

/* --- functions ------------------------------------------------------------ */

/* The function that has the body. All aliases share it. */
static const struct ptx_function *owner_of(const struct ptx_function *function)
{
	return function->alias_of ? function->alias_of : function;
}

/*
 * The number of the body; -1 if the function has none in this program. The number in the function
 * may be that of a program that was built before.
 */
static int find_body(const struct ptx_program *program, const struct ptx_function *function)
{
	const struct ptx_function *owner = owner_of(function);
	uint32_t body = owner->body;

	return body < program->body_count && program->bodies[body].function == owner ?
	       (int)body : -1;
}

int ptx_body_of(struct ptx_builder *b, const struct ptx_function *function)
{
	struct ptx_program *program = b->program;
	int body = find_body(program, function);
	struct ptx_body *bodies;

	if (body >= 0)
		return body;
	function = owner_of(function);
	bodies = ptx_grow(program->bodies, program->body_count, sizeof(*bodies));
	if (!bodies) {
		b->failed = true;
		return -1;
	}
	program->bodies = bodies;
	bodies[program->body_count] = (struct ptx_body){ .function = function };
	((struct ptx_function *)function)->body = program->body_count;
	return program->body_count++;
}

uint64_t ptx_function_address(const struct ptx_module *module,
			      const struct ptx_function *function)
{
	uint32_t index = function->index;

	return index < module->function_count && module->functions[index] == function ?
	       PTX_CODE_BASE + index : 0;
}

const struct ptx_body *ptx_program_function(const struct ptx_program *program, uint64_t address)
{
	uint64_t number = address - PTX_CODE_BASE;
	const struct ptx_function *owner;
	uint32_t low = 0, high = program->body_count;

	if (number >= program->module->function_count)
		return NULL;
	owner = owner_of(program->module->functions[number]);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct ptx_body *body = &program->bodies[program->by_index[middle]];

		if (body->function == owner)
			return body;
		if (body->function->index < owner->index)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static int compare_bodies(const void *a, const void *b, void *bodies)
{
	uint32_t x = ((struct ptx_body *)bodies)[*(const uint32_t *)a].function->index;
	uint32_t y = ((struct ptx_body *)bodies)[*(const uint32_t *)b].function->index;

	return x < y ? -1 : x > y;
}

bool ptx_sort_bodies(struct ptx_program *program)
{
	uint32_t i;

	program->by_index = calloc(program->body_count, sizeof(*program->by_index));
	if (!program->by_index)
		return false;
	for (i = 0; i < program->body_count; i++)
		program->by_index[i] = i;
	qsort_r(program->by_index, program->body_count, sizeof(*program->by_index),
		compare_bodies, program->bodies);
	return true;
}

/* --- addresses ------------------------------------------------------------ */

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

/* The row of the address of a variable, plus @offset, in its state space. */
static bool ptx_variable_row(struct ptx_builder *b, const struct ptx_variable *var, int64_t offset,
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

/* The row of the address of a variable or function. */
static bool ptx_address_row(struct ptx_decoder *d, const struct ptx_insn *insn,
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

/* --- operands ------------------------------------------------------------- */

/* Adds an error. For functions that return false after an error. */
#define refuse(d, insn, ...)	(ptx_refuse(d, insn, __VA_ARGS__), false)

/* The register that the operand names. Returns false if there is no such register. */
static bool find_register(const struct ptx_decoder *d, const struct ptx_operand *operand,
			  uint32_t *index)
{
	int64_t reg = (int64_t)operand->reg + (operand->component > 0 ? operand->component : 0);

	if (reg < 0 || reg >= (int64_t)d->function->reg_count)
		return false;
	*index = (uint32_t)reg;
	return true;
}

enum ptx_type ptx_operand_type(const struct ptx_decoder *d, const struct ptx_operand *operand)
{
	uint32_t index;

	if (operand->kind == OPERAND_REG && find_register(d, operand, &index))
		return d->function->regs[index].type;
	if (operand->kind == OPERAND_SPECIAL)
		return ptx_special_type(operand->special);
	return TYPE_NONE;
}

static const char *kind_name(const struct ptx_operand *operand)
{
	switch (operand->kind) {
	case OPERAND_REG:
		return "a register";
	case OPERAND_INT:
		return "an integer";
	case OPERAND_F32:
	case OPERAND_F64:
		return "a floating-point number";
	case OPERAND_SPECIAL:
		return "a special register";
	case OPERAND_VARIABLE:
		return "the address of a variable";
	case OPERAND_FUNCTION:
		return "the address of a function";
	case OPERAND_LABEL:
		return "a label";
	case OPERAND_ADDRESS:
		return "an address in brackets";
	case OPERAND_VECTOR:
		return "a vector";
	case OPERAND_PAIR:
		return "a pair a|b";
	case OPERAND_LIST:
		return "a list in parentheses";
	case OPERAND_SINK:
		return "_";
	case OPERAND_TABLE:
		return "a list of targets";
	}
	return "an unknown operand";
}

static bool is_bits(enum ptx_type type)
{
	return type >= TYPE_B8 && type <= TYPE_B128;
}

/*
 * May a register of type @reg be an operand of type @type? Sizes must be equal; the types .b<n>
 * agree with all types of their size, integers with integers, and floats with the same floats.
 */
static bool types_agree(enum ptx_type reg, enum ptx_type type)
{
	if (reg == TYPE_PRED || type == TYPE_PRED || reg == TYPE_NONE || type == TYPE_NONE)
		return false;
	if (ptx_type_size(reg) != ptx_type_size(type))
		return false;
	if (is_bits(reg) || is_bits(type) || reg == type)
		return true;
	return !ptx_type_is_float(type) && !ptx_type_is_float(reg);
}

static bool register_row(struct ptx_decoder *d, const struct ptx_insn *insn,
			 const struct ptx_operand *operand, enum ptx_type type, uint32_t *row)
{
	const struct ptx_register *reg;
	uint32_t index;

	if (!find_register(d, operand, &index))
		return refuse(d, insn, "the vector register has no such component");
	reg = &d->function->regs[index];
	if (operand->inverted)
		return refuse(d, insn, "!%s: only predicates are inverted with !", reg->name);
	if (operand->selector)
		return refuse(d, insn, "vsm cannot execute %.*s with parts of registers",
			      (int)insn->opcode.length, insn->opcode.text);
	if (!types_agree(reg->type, type))
		return refuse(d, insn, "register %s has the type .%s, but %.*s takes .%s here",
			      reg->name, ptx_type_name(reg->type), (int)insn->opcode.length,
			      insn->opcode.text, ptx_type_name(type));
	*row = d->slots[index];
	return true;
}

static uint64_t float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static uint64_t double_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* A number as 64 bits, zero-extended from the size of the type. False if the kind is wrong. */
static bool number_bits(const struct ptx_operand *operand, enum ptx_type type, uint64_t *bits)
{
	uint64_t number = (uint64_t)operand->number;
	uint32_t low = (uint32_t)number;
	double wide;
	float narrow;

	switch (operand->kind) {
	case OPERAND_INT:
		if (ptx_type_is_float(type) || ptx_type_size(type) > 8)
			return false;
		*bits = ptx_type_size(type) == 8 ?
			number : number & ((1ull << 8 * ptx_type_size(type)) - 1);
		return true;
	case OPERAND_F32:
		if (type == TYPE_F64) {
			memcpy(&narrow, &low, sizeof(narrow));
			*bits = double_bits(narrow);
			return true;
		}
		*bits = low;
		return type == TYPE_F32 || type == TYPE_B32;
	case OPERAND_F64:
		if (type == TYPE_F32) {
			memcpy(&wide, &number, sizeof(wide));
			*bits = float_bits((float)wide);
			return true;
		}
		*bits = number;
		return type == TYPE_F64 || type == TYPE_B64;
	default:
		return false;
	}
}

/* May an operand be a special register? An element of a vector may be one in any instruction. */
static bool reads_special(const struct ptx_insn *insn)
{
	return ptx_insn_part_is(insn, 0, "mov") ||
	       (ptx_insn_part_is(insn, 0, "cvt") && !ptx_insn_part_is(insn, 1, "pack"));
}

/* May an operand be the address of a variable or function? */
static bool reads_address(const struct ptx_insn *insn)
{
	return ptx_insn_part_is(insn, 0, "mov") || ptx_insn_part_is(insn, 0, "mapa") ||
	       ptx_insn_part_is(insn, 0, "getctarank") ||
	       (ptx_insn_part_is(insn, 0, "cvta") && !ptx_insn_part_is(insn, 1, "to"));
}

/* Is the operand one of the instruction, and not an element of a vector? */
static bool is_outer(const struct ptx_insn *insn, const struct ptx_operand *operand)
{
	return operand >= insn->operands && operand < insn->operands + insn->operand_count;
}

static bool special_row(struct ptx_decoder *d, const struct ptx_insn *insn,
			const struct ptx_operand *operand, enum ptx_type type, uint32_t *row)
{
	enum ptx_special special = operand->special;

	if ((unsigned int)special >= SPECIALS && operand->unsupported)
		return refuse(d, insn, "the special register %s is not supported",
			      operand->unsupported);
	if ((unsigned int)special >= SPECIALS ||
	    operand->dim > (PTX_SPECIAL_VECTORS >> special & 1 ? 2 : 0))
		return refuse(d, insn, "this special register is not supported");
	if (ptx_special_changes(special) && !reads_special(insn))
		return refuse(d, insn, "%.*s cannot read a clock; only mov and cvt can",
			      (int)insn->opcode.length, insn->opcode.text);
	if (ptx_special_type(special) == TYPE_PRED ? type != TYPE_PRED :
	    !types_agree(ptx_special_type(special), type))
		return refuse(d, insn,
			      "the special register has the type .%s, but %.*s takes .%s here",
			      ptx_type_name(ptx_special_type(special)), (int)insn->opcode.length,
			      insn->opcode.text, ptx_type_name(type));
	*row = PTX_ROW(FILE_WARP, ptx_special_row(special, operand->dim));
	return true;
}

bool ptx_source_row(struct ptx_decoder *d, const struct ptx_insn *insn,
		    const struct ptx_operand *operand, enum ptx_type type, uint32_t *row)
{
	uint64_t bits;

	switch (operand->kind) {
	case OPERAND_REG:
		return register_row(d, insn, operand, type, row);
	case OPERAND_INT:
	case OPERAND_F32:
	case OPERAND_F64:
		if (type == TYPE_PRED || !number_bits(operand, type, &bits))
			return refuse(d, insn, "%.*s takes .%s here, not %s",
				      (int)insn->opcode.length, insn->opcode.text,
				      ptx_type_name(type), kind_name(operand));
		*row = ptx_const_row(d, bits);
		return *row != PTX_NO_ROW;
	case OPERAND_SPECIAL:
		if (is_outer(insn, operand) && !reads_special(insn))
			return refuse(d, insn,
				      "%.*s takes no special register; read it with mov first",
				      (int)insn->opcode.length, insn->opcode.text);
		return special_row(d, insn, operand, type, row);
	case OPERAND_VARIABLE:
	case OPERAND_FUNCTION:
		if (!is_outer(insn, operand) || !reads_address(insn))
			return refuse(d, insn, "%.*s does not take %s; read it with mov first",
				      (int)insn->opcode.length, insn->opcode.text,
				      kind_name(operand));
		if (ptx_type_size(type) != 8 || ptx_type_is_float(type))
			return refuse(d, insn, "an address has 64 bits, but %.*s takes .%s here",
				      (int)insn->opcode.length, insn->opcode.text,
				      ptx_type_name(type));
		return ptx_address_row(d, insn, operand, row);
	default:
		return refuse(d, insn,
			      "%.*s takes a register or number of the type .%s here, not %s",
			      (int)insn->opcode.length, insn->opcode.text, ptx_type_name(type),
			      kind_name(operand));
	}
}

static bool register_pred(struct ptx_decoder *d, const struct ptx_insn *insn,
			  const struct ptx_operand *operand, uint32_t *pred)
{
	const struct ptx_register *reg;
	uint32_t index;

	if (operand->kind != OPERAND_REG)
		return refuse(d, insn, "%.*s takes a predicate here, not %s",
			      (int)insn->opcode.length, insn->opcode.text, kind_name(operand));
	if (!find_register(d, operand, &index))
		return refuse(d, insn, "the vector register has no such component");
	reg = &d->function->regs[index];
	if (reg->type != TYPE_PRED)
		return refuse(d, insn,
			      "register %s has the type .%s, but %.*s takes a predicate here",
			      reg->name, ptx_type_name(reg->type), (int)insn->opcode.length,
			      insn->opcode.text);
	*pred = d->slots[index];
	return true;
}

bool ptx_source_pred(struct ptx_decoder *d, const struct ptx_insn *insn,
		     const struct ptx_operand *operand, uint32_t *pred)
{
	if (operand->kind == OPERAND_INT) {
		/* Compilers write true as 1 or as -1. */
		if (operand->number < -1 || operand->number > 1)
			return refuse(d, insn, "a predicate is 0 or 1, not %lld",
				      (long long)operand->number);
		*pred = operand->number ? PTX_TRUE : PTX_TRUE | PTX_NOT;
		return true;
	}
	if (!register_pred(d, insn, operand, pred))
		return false;
	if (operand->inverted)
		*pred |= PTX_NOT;
	return true;
}

static bool refuse_inverted(struct ptx_decoder *d, const struct ptx_insn *insn,
			    const struct ptx_operand *operand)
{
	return !operand->inverted || refuse(d, insn, "a destination cannot be inverted with !");
}

/* Remembers that the step writes the first operand: code/allocate.c has to know it before. */
static void note_target(struct ptx_decoder *d, const struct ptx_insn *insn,
			const struct ptx_operand *target)
{
	const struct ptx_operand *first = insn->operands;

	if (target == first || (target >= first->elements &&
				target < first->elements + first->count))
		d->wrote_first = true;
}

bool ptx_target_row(struct ptx_decoder *d, const struct ptx_insn *insn,
		    const struct ptx_operand *operand, enum ptx_type type, uint32_t *row)
{
	note_target(d, insn, operand);
	if (operand->kind == OPERAND_SINK) {
		*row = PTX_NO_ROW;
		return true;
	}
	if (operand->kind != OPERAND_REG)
		return refuse(d, insn, "the destination of %.*s is a register, not %s",
			      (int)insn->opcode.length, insn->opcode.text, kind_name(operand));
	return refuse_inverted(d, insn, operand) && register_row(d, insn, operand, type, row);
}

bool ptx_target_pred(struct ptx_decoder *d, const struct ptx_insn *insn,
		     const struct ptx_operand *operand, uint32_t *pred)
{
	note_target(d, insn, operand);
	if (operand->kind == OPERAND_SINK) {
		*pred = PTX_NO_ROW;
		return true;
	}
	return refuse_inverted(d, insn, operand) && register_pred(d, insn, operand, pred);
}
