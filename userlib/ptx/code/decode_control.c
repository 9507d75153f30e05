// SPDX-License-Identifier: MIT
/*
 * Decodes instructions that change the flow of control, convert addresses, change tensor maps,
 * control the warp or the caches, or read clocks.
 */
#include <string.h>

#include "code/alu.h"
#include "code/decoder.h"
#include "code/decoders.h"
#include "vsm_syntax.h"

/* --- the flow of control -------------------------------------------------- */

static enum ptx_decoded decode_branch(struct ptx_builder *b, const struct ptx_insn *insn,
				      struct ptx_step *step)
{
	if (insn->operand_count != 1 || insn->operands[0].kind != OPERAND_LABEL)
		return ptx_refuse(&b->d, insn, "bra needs a label");
	step->kind = STEP_BRANCH;
	step->imm = b->body->first + insn->operands[0].label;
	return DECODED;
}

static struct ptx_targets *targets_of(struct ptx_builder *b, const struct ptx_table *list)
{
	struct ptx_targets *targets = b->targets[list->index];
	unsigned int i;

	if (targets)
		return targets;
	targets = ptx_extra_alloc(b, sizeof(*targets) + list->count * sizeof(uint32_t));
	if (!targets)
		return NULL;
	targets->count = list->count;
	for (i = 0; i < list->count; i++)
		targets->targets[i] = b->body->first + list->elements[i].label;
	b->targets[list->index] = targets;
	return targets;
}

static enum ptx_decoded decode_brx(struct ptx_builder *b, const struct ptx_insn *insn,
				   struct ptx_step *step)
{
	const struct ptx_operand *list = &insn->operands[1];

	if (insn->operand_count != 2 || list->kind != OPERAND_TABLE)
		return ptx_refuse(&b->d, insn, "brx.idx needs an index and a list of targets");
	if (list->table->elements[0].kind != OPERAND_LABEL)
		return ptx_refuse(&b->d, insn, "a target of brx.idx is no label");
	if (!ptx_source_row(&b->d, insn, &insn->operands[0], TYPE_U32, &step->src[0]))
		return REFUSED;
	step->extra = targets_of(b, list->table);
	if (!step->extra)
		return REFUSED;
	step->kind = STEP_BRX;
	return DECODED;
}

/* --- calls ------------------------------------------------------------------------ */

/*
 * What a call has in its list number @which: 0 for return values, 1 for arguments. A call without
 * arguments may have the functions of a .calltargets in the place of the arguments.
 */
static const struct ptx_operand *call_list(const struct ptx_insn *insn, unsigned int which)
{
	const struct ptx_operand *operands = insn->operands;
	bool returns = insn->operand_count && operands[0].kind == OPERAND_LIST;
	const struct ptx_operand *list = &operands[returns + 1];

	if (!which)
		return returns ? &operands[0] : NULL;
	return insn->operand_count > returns + 1U && list->kind == OPERAND_LIST ? list : NULL;
}

/* A .param variable of the frame. The parameters of a kernel are in memory of their own. */
static bool is_param(const struct ptx_builder *b, const struct ptx_operand *operand)
{
	return operand->kind == OPERAND_VARIABLE && operand->var->space == SPACE_PARAM &&
	       !operand->number && !ptx_is_kernel_param(b, operand->var);
}

/*
 * The transfer of one argument or return value. @formal is NULL if the callee is not known; its
 * layout then follows from the order and the alignment of the actual parameters, @at.
 */
static bool add_transfer(struct ptx_builder *b, const struct ptx_insn *insn,
			 const struct ptx_operand *actual, const struct ptx_variable *formal,
			 uint64_t *at, struct ptx_call *call)
{
	struct ptx_transfer *transfer = &call->transfers[call->transfer_count++];

	if (!is_param(b, actual) || (formal && formal->space != SPACE_PARAM)) {
		ptx_refuse(&b->d, insn, "vsm passes only .param variables to functions");
		return false;
	}
	transfer->from = actual->var->address;
	transfer->size = actual->var->size;
	if (formal) {
		transfer->to = formal->address;
		if (formal->size != actual->var->size) {
			ptx_refuse(&b->d, insn, "%s has %llu bytes, but parameter %s has %llu",
				   actual->var->name, (unsigned long long)actual->var->size,
				   formal->name, (unsigned long long)formal->size);
			return false;
		}
		return true;
	}
	*at = (*at + actual->var->align - 1) & ~((uint64_t)actual->var->align - 1);
	transfer->to = *at;
	*at += actual->var->size;
	return true;
}

static bool add_transfers(struct ptx_builder *b, const struct ptx_insn *insn,
			  const struct ptx_function *callee, struct ptx_call *call)
{
	const struct ptx_operand *args = call_list(insn, 1), *returns = call_list(insn, 0);
	uint64_t at = 0;
	unsigned int i;

	if (callee && (callee->param_count != (args ? args->count : 0) ||
		       callee->return_count != (returns ? returns->count : 0))) {
		ptx_refuse(&b->d, insn, "%s takes %u parameters and returns %u values",
			   callee->name, callee->param_count, callee->return_count);
		return false;
	}
	/* In the frame of a function, parameters come before return values. */
	for (i = 0; args && i < args->count; i++)
		if (!add_transfer(b, insn, &args->elements[i],
				  callee ? &callee->params[i] : NULL, &at, call))
			return false;
	call->arg_count = call->transfer_count;
	for (i = 0; returns && i < returns->count; i++)
		if (!add_transfer(b, insn, &returns->elements[i],
				  callee ? &callee->returns[i] : NULL, &at, call))
			return false;
	return true;
}

/* Functions that the compilers call, and which no module defines. */
static const struct {
	const char *name;
	enum ptx_step_kind kind;
	unsigned int args;
} builtins[] = {
	{ "vprintf", STEP_PRINT, 2 },
	{ "__assertfail", STEP_ASSERT, 5 },
	{ "malloc", STEP_MALLOC, 1 },
	{ "free", STEP_FREE, 1 },
};

static enum ptx_decoded decode_builtin(struct ptx_builder *b, const struct ptx_insn *insn,
				       const struct ptx_function *callee, struct ptx_step *step)
{
	unsigned int i;

	for (i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
		const struct ptx_operand *args = call_list(insn, 1);

		if (strcmp(callee->name, builtins[i].name))
			continue;
		if (!args || args->count != builtins[i].args)
			return ptx_refuse(&b->d, insn, "%s takes %u parameters",
					  callee->name, builtins[i].args);
		step->kind = builtins[i].kind;
		b->program->needs_heap |= step->kind == STEP_MALLOC || step->kind == STEP_FREE;
		return DECODED;
	}
	return ptx_refuse(&b->d, insn, "function %s is not defined in the module", callee->name);
}

/*
 * What stands behind the arguments, from operand @at on: the prototype of the functions that a
 * register may name, or a list of these functions.
 */
static bool check_targets(struct ptx_builder *b, const struct ptx_insn *insn, unsigned int at,
			  bool direct)
{
	const struct ptx_operand *targets = &insn->operands[at];

	if (at >= insn->operand_count)
		return true;
	if (at + 1 == insn->operand_count && !direct &&
	    (targets->kind == OPERAND_FUNCTION ||
	     (targets->kind == OPERAND_TABLE &&
	      targets->table->elements[0].kind == OPERAND_FUNCTION)))
		return true;
	ptx_refuse(&b->d, insn, "%s",
		   direct ? "nothing follows the arguments when a function is called by its name"
			  : "only a prototype or a list of functions follows the arguments");
	return false;
}

static enum ptx_decoded decode_call(struct ptx_builder *b, const struct ptx_insn *insn,
				    struct ptx_step *step)
{
	const struct ptx_operand *args = call_list(insn, 1), *returns = call_list(insn, 0);
	const struct ptx_function *callee = NULL;
	const struct ptx_operand *target;
	unsigned int at = returns ? 1 : 0, i;
	struct ptx_call *call;
	enum ptx_decoded ret;

	if (insn->operand_count <= at)
		return ptx_refuse(&b->d, insn, "call needs a function");
	target = &insn->operands[at];
	if (!check_targets(b, insn, at + 1 + !!args, target->kind == OPERAND_FUNCTION))
		return REFUSED;
	call = ptx_extra_alloc(b, sizeof(*call) + ((args ? args->count : 0) +
						   (returns ? returns->count : 0)) *
							  sizeof(call->transfers[0]));
	if (!call)
		return REFUSED;
	step->extra = call;
	step->kind = STEP_CALL;
	call->body = -1;
	if (target->kind == OPERAND_FUNCTION) {
		callee = target->function;
		if (callee->entry)
			return ptx_refuse(&b->d, insn, "a kernel cannot be called");
		if (!callee->defined) {
			ret = decode_builtin(b, insn, callee, step);
			if (ret != DECODED)
				return ret;
			callee = NULL;
		} else {
			uint32_t bytes;

			call->body = ptx_body_of(b, callee);
			/* The body may not be decoded yet: lay its parameters out now. */
			ptx_lay_out_function(callee, &bytes);
		}
	} else if (!ptx_source_row(&b->d, insn, target, TYPE_U64, &step->src[0])) {
		return REFUSED;
	}
	if (!add_transfers(b, insn, callee, call))
		return REFUSED;
	for (i = 0; i < call->transfer_count; i++)
		if ((step->kind == STEP_MALLOC || step->kind == STEP_FREE) &&
		    call->transfers[i].size != 8)
			return ptx_refuse(&b->d, insn, "%s has parameters of 8 bytes",
					  target->function->name);
	return DECODED;
}

enum ptx_decoded ptx_control_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				    struct ptx_step *step)
{
	if (ptx_insn_part_is(insn, 0, "bra"))
		return decode_branch(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "brx"))
		return decode_brx(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "call"))
		return decode_call(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "ret"))
		step->kind = b->d.function->entry ? STEP_EXIT : STEP_RET;
	else if (ptx_insn_part_is(insn, 0, "exit"))
		step->kind = STEP_EXIT;
	else if (ptx_insn_part_is(insn, 0, "trap"))
		step->kind = STEP_TRAP;
	else
		return NOT_MINE;
	return DECODED;
}

/* --- conversions of addresses --------------------------------------------- */

static const struct {
	const char *name;
	enum ptx_space space;
	uint64_t base;
} windows[] = {
	{ "global", SPACE_GLOBAL, 0 },
	{ "const", SPACE_CONST, 0 },
	{ "shared", SPACE_SHARED, PTX_SHARED_BASE },
	{ "shared::cta", SPACE_SHARED, PTX_SHARED_BASE },
	{ "shared::cluster", SPACE_SHARED_CLUSTER, PTX_SHARED_BASE },
	{ "local", SPACE_LOCAL, PTX_LOCAL_BASE },
	{ "param", SPACE_PARAM, PTX_PARAM_BASE },
	{ "param::entry", SPACE_PARAM, PTX_PARAM_BASE },
};

static int find_window(const struct ptx_insn *insn, unsigned int part)
{
	unsigned int i;

	for (i = 0; i < sizeof(windows) / sizeof(windows[0]); i++)
		if (ptx_insn_part_is(insn, part, windows[i].name))
			return i;
	return -1;
}

/* Parameters of functions are in local memory. */
static uint64_t window_base(const struct ptx_builder *b, int window)
{
	if (windows[window].space == SPACE_PARAM && !b->d.function->entry)
		return PTX_LOCAL_BASE;
	return windows[window].base;
}

/* The type at the end of the opcode: .u32 or .u64. */
static enum ptx_type address_type(const struct ptx_insn *insn)
{
	return ptx_insn_part_is(insn, insn->part_count - 1, "u32") ? TYPE_U32 : TYPE_U64;
}

/* An address is in a register of @type, or it is that of a variable in @space. */
static bool address_row(struct ptx_builder *b, const struct ptx_insn *insn,
			const struct ptx_operand *operand, enum ptx_space space,
			enum ptx_type type, uint32_t *row)
{
	if (operand->kind == OPERAND_VARIABLE)
		type = TYPE_U64;
	return ptx_check_space(b, insn, operand, space) &&
	       ptx_source_row(&b->d, insn, operand, type, row);
}

static enum ptx_decoded decode_cvta(struct ptx_builder *b, const struct ptx_insn *insn,
				    struct ptx_step *step)
{
	bool to = ptx_insn_part_is(insn, 1, "to");
	int window = find_window(insn, 1 + to);

	step->kind = STEP_CVTA;
	step->imm = to ? -window_base(b, window) : window_base(b, window);
	if (!ptx_target_row(&b->d, insn, &insn->operands[0], TYPE_U64, &step->dst) ||
	    !address_row(b, insn, &insn->operands[1],
			 to ? SPACE_GENERIC : windows[window].space, TYPE_U64, &step->src[0]))
		return REFUSED;
	return DECODED;
}

static enum ptx_decoded decode_mapa(struct ptx_builder *b, const struct ptx_insn *insn,
				    struct ptx_step *step)
{
	bool shared = find_window(insn, 1) >= 0;
	enum ptx_type type = address_type(insn);
	struct ptx_operand *operands = insn->operands;

	step->kind = STEP_MAPA;
	step->imm = shared ? 0 : PTX_SHARED_BASE;
	if (!ptx_target_row(&b->d, insn, &operands[0], type, &step->dst) ||
	    !address_row(b, insn, &operands[1], SPACE_SHARED, type, &step->src[0]) ||
	    !ptx_source_row(&b->d, insn, &operands[2], TYPE_U32, &step->src[1]))
		return REFUSED;
	return DECODED;
}

static enum ptx_decoded decode_getctarank(struct ptx_builder *b, const struct ptx_insn *insn,
					  struct ptx_step *step)
{
	step->kind = STEP_GETCTARANK;
	step->imm = find_window(insn, 1) >= 0 ? 0 : PTX_SHARED_BASE;
	if (!ptx_target_row(&b->d, insn, &insn->operands[0], TYPE_U32, &step->dst) ||
	    !address_row(b, insn, &insn->operands[1], SPACE_SHARED, address_type(insn),
			 &step->src[0]))
		return REFUSED;
	return DECODED;
}

static enum ptx_decoded decode_isspacep(struct ptx_builder *b, const struct ptx_insn *insn,
					struct ptx_step *step)
{
	enum ptx_type type = ptx_operand_type(&b->d, &insn->operands[1]);
	int window = find_window(insn, 1);

	step->kind = STEP_ISSPACEP;
	step->imm = windows[window].space;
	if (!ptx_target_pred(&b->d, insn, &insn->operands[0], &step->dst) ||
	    !address_row(b, insn, &insn->operands[1], SPACE_GENERIC,
			 ptx_type_size(type) == 4 ? TYPE_U32 : TYPE_U64, &step->src[0]))
		return REFUSED;
	return DECODED;
}

static bool is_window_op(const struct ptx_insn *insn)
{
	return ptx_insn_part_is(insn, 0, "cvta") || ptx_insn_part_is(insn, 0, "mapa") ||
	       ptx_insn_part_is(insn, 0, "getctarank") || ptx_insn_part_is(insn, 0, "isspacep");
}

enum ptx_decoded ptx_window_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				   struct ptx_step *step)
{
	if (!is_window_op(insn))
		return NOT_MINE;
	if (insn->operands[0].kind == OPERAND_SINK)
		return ptx_refuse(&b->d, insn, "the destination of %.*s is a register, not _",
				  (int)insn->opcode.length, insn->opcode.text);
	if (ptx_insn_part_is(insn, 0, "cvta"))
		return decode_cvta(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "mapa"))
		return decode_mapa(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "getctarank"))
		return decode_getctarank(b, insn, step);
	return decode_isspacep(b, insn, step);
}

/* --- tensor maps ---------------------------------------------------------- */

/* The fields, in the order of enum ptx_replace_field; @ord: there is one for each dimension. */
static const struct {
	const char *name;
	bool ord;
	enum ptx_type type;
} fields[] = {
	[REPLACE_ADDRESS] = { "global_address", false, TYPE_B64 },
	[REPLACE_RANK] = { "rank", false, TYPE_B32 },
	[REPLACE_BOX] = { "box_dim", true, TYPE_B32 },
	[REPLACE_SIZE] = { "global_dim", true, TYPE_B32 },
	[REPLACE_STRIDE] = { "global_stride", true, TYPE_B64 },
	[REPLACE_ELEMENT_STRIDE] = { "element_stride", true, TYPE_B32 },
	[REPLACE_TYPE] = { "elemtype", false, TYPE_B32 },
	[REPLACE_INTERLEAVE] = { "interleave_layout", false, TYPE_B32 },
	[REPLACE_SWIZZLE] = { "swizzle_mode", false, TYPE_B32 },
	[REPLACE_FILL] = { "fill_mode", false, TYPE_B32 },
};

/* Is a number that is an operand in the range of the field? @value: it is not the dimension. */
static bool in_range(const struct ptx_operand *operand, unsigned int field, bool value)
{
	/* The ranges of values; other fields take any number. */
	static const uint8_t last[] = {
		[REPLACE_TYPE] = 12, [REPLACE_INTERLEAVE] = 2, [REPLACE_SWIZZLE] = 3,
		[REPLACE_FILL] = 1,
	};

	if (operand->kind != OPERAND_INT)
		return true;
	if (!value)
		return operand->number >= 0 && operand->number <= 4;
	return field < REPLACE_TYPE || (operand->number >= 0 && operand->number <= last[field]);
}

static enum ptx_space space_of(const struct ptx_insn *insn, unsigned int part)
{
	if (ptx_insn_part_is(insn, part, "global"))
		return SPACE_GLOBAL;
	if (ptx_insn_part_is(insn, part, "shared") || ptx_insn_part_is(insn, part, "shared::cta"))
		return SPACE_SHARED;
	return SPACE_GENERIC;
}

static bool map_address(struct ptx_builder *b, const struct ptx_insn *insn, unsigned int operand,
			enum ptx_space space, struct ptx_access *access)
{
	access->space = space;
	access->size = 128;
	access->count = 1;
	return ptx_check_space(b, insn, &insn->operands[operand], space) &&
	       ptx_address_operand(b, insn, &insn->operands[operand], space, &access->address,
				   &access->offset, &access->framed);
}

static enum ptx_decoded decode_replace(struct ptx_builder *b, const struct ptx_insn *insn,
				       struct ptx_step *step)
{
	struct ptx_access *access = ptx_extra_alloc(b, sizeof(*access));
	unsigned int field, value;

	if (!access)
		return REFUSED;
	for (field = 0; field < sizeof(fields) / sizeof(fields[0]); field++)
		if (ptx_insn_part_is(insn, 3, fields[field].name))
			break;
	if (!ptx_insn_part_is(insn, 2, "tile") || field == sizeof(fields) / sizeof(fields[0]))
		return ptx_refuse(&b->d, insn, "vsm has no %.*s", (int)insn->opcode.length,
				  insn->opcode.text);
	value = fields[field].ord ? 2 : 1;
	if (insn->operand_count != value + 1)
		return ptx_refuse(&b->d, insn, "tensormap.replace of %s has %u operands",
				  fields[field].name, value + 1);
	if (!in_range(&insn->operands[value], field, true) ||
	    (fields[field].ord && !in_range(&insn->operands[1], field, false)))
		return ptx_refuse(&b->d, insn, "tensormap.replace: %s has no such %s",
				  fields[field].name, fields[field].ord ? "dimension" : "value");
	step->kind = STEP_TENSORMAP;
	step->extra = access;
	step->imm = field;
	if (!map_address(b, insn, 0, space_of(insn, 4), access) ||
	    !ptx_source_row(&b->d, insn, &insn->operands[value], fields[field].type,
			    &step->src[0]))
		return REFUSED;
	if (fields[field].ord &&
	    !ptx_source_row(&b->d, insn, &insn->operands[1], TYPE_B32, &step->src[1]))
		return REFUSED;
	return DECODED;
}

static enum ptx_decoded decode_copy(struct ptx_builder *b, const struct ptx_insn *insn,
				    struct ptx_step *step)
{
	struct ptx_access *access = ptx_extra_alloc(b, 2 * sizeof(*access));

	if (!access)
		return REFUSED;
	if (insn->operand_count != 3 || insn->operands[2].kind != OPERAND_INT ||
	    insn->operands[2].number != 128)
		return ptx_refuse(&b->d, insn, "tensormap.cp_fenceproxy copies 128 bytes");
	step->kind = STEP_CP_FENCEPROXY;
	step->extra = access;
	return map_address(b, insn, 0, SPACE_GLOBAL, &access[0]) &&
	       map_address(b, insn, 1, SPACE_SHARED, &access[1]) ? DECODED : REFUSED;
}

enum ptx_decoded ptx_tensormap_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				      struct ptx_step *step)
{
	if (!ptx_insn_part_is(insn, 0, "tensormap"))
		return NOT_MINE;
	if (ptx_insn_part_is(insn, 1, "replace"))
		return decode_replace(b, insn, step);
	if (ptx_insn_part_is(insn, 1, "cp_fenceproxy"))
		return decode_copy(b, insn, step);
	return NOT_MINE;
}

/* --- warps, caches and clocks --------------------------------------------- */

/*
 * Instructions without effect: their opcodes, or the first two parts of them. wgmma.fence and the
 * group instructions of wgmma have nothing to wait for, because wgmma.mma_async is refused. brkpt
 * stops a kernel only in a debugger.
 */
static const char *const no_effect[][2] = {
	{ "griddepcontrol", NULL }, { "prefetch", NULL }, { "prefetchu", NULL },
	{ "discard", NULL }, { "applypriority", NULL }, { "pmevent", NULL }, { "brkpt", NULL },
	{ "wgmma", "fence" }, { "wgmma", "commit_group" }, { "wgmma", "wait_group" },
};

static bool has_no_effect(const struct ptx_insn *insn)
{
	unsigned int i;

	for (i = 0; i < sizeof(no_effect) / sizeof(no_effect[0]); i++)
		if (ptx_insn_part_is(insn, 0, no_effect[i][0]) &&
		    (!no_effect[i][1] || ptx_insn_part_is(insn, 1, no_effect[i][1])))
			return true;
	return false;
}

/* The clocks among operands, as bits of &ptx_step.flags. */
static uint16_t find_clocks(const struct ptx_operand *operands, unsigned int count)
{
	uint16_t clocks = 0;
	unsigned int i;

	/* The parser limits how deep operands are nested. */
	for (i = 0; i < count; i++) {
		if (operands[i].kind == OPERAND_SPECIAL && ptx_special_changes(operands[i].special))
			clocks |= 1u << (operands[i].special - SPECIAL_CLOCK);
		clocks |= find_clocks(operands[i].elements, operands[i].count);
	}
	return clocks;
}

/* mov or cvt of special registers whose values change, such as %clock64. */
static enum ptx_decoded decode_clock(struct ptx_builder *b, const struct ptx_insn *insn,
				     struct ptx_step *step)
{
	uint16_t clocks = find_clocks(insn->operands, insn->operand_count);
	enum ptx_decoded decoded;

	if (!clocks)
		return NOT_MINE;
	decoded = ptx_alu_decode(&b->d, insn, step);
	step->kind = STEP_CLOCK;
	step->flags = clocks;
	return decoded;
}

/*
 * Checks the operand of an instruction without effect: the number of pmevent, or an address. A
 * variable must be in the state space that the opcode names. (Other parts of opcodes than those in
 * the table name no space of a variable.)
 */
static bool check_hint(struct ptx_builder *b, const struct ptx_insn *insn)
{
	static const struct {
		const char *name;
		enum ptx_space space;
	} spaces[] = {
		{ "global", SPACE_GLOBAL }, { "local", SPACE_LOCAL }, { "const", SPACE_CONST },
		{ "param", SPACE_PARAM },
	};
	const struct ptx_operand *operand = insn->operands;
	unsigned int i;

	if (ptx_insn_part_is(insn, 0, "pmevent") && !ptx_insn_part_is(insn, 1, "mask"))
		return operand->number <= 15 ||
		       (ptx_refuse(&b->d, insn, "pmevent takes a number from 0 to 15"), false);
	if (ptx_insn_part_is(insn, 0, "pmevent"))
		return operand->number <= 0xffff ||
		       (ptx_refuse(&b->d, insn, "pmevent.mask takes a mask of 16 bits"), false);
	if (!insn->operand_count || operand->kind != OPERAND_ADDRESS)
		return true;
	if (ptx_insn_part_is(insn, 0, "prefetchu"))
		return ptx_check_space(b, insn, operand, SPACE_GENERIC);
	for (i = 0; i < ARRAY_SIZE(spaces); i++)
		if (ptx_insn_part_is(insn, 1, spaces[i].name))
			return ptx_check_exact_space(b, insn, operand, spaces[i].space);
	return true;
}

static enum ptx_decoded decode_nanosleep(struct ptx_builder *b, const struct ptx_insn *insn,
					 struct ptx_step *step)
{
	step->kind = STEP_NANOSLEEP;
	return ptx_source_row(&b->d, insn, &insn->operands[0], TYPE_U32, &step->src[0]) ? DECODED
											 : REFUSED;
}

static enum ptx_decoded decode_activemask(struct ptx_builder *b, const struct ptx_insn *insn,
					  struct ptx_step *step)
{
	step->kind = STEP_ACTIVEMASK;
	if (insn->operands[0].kind == OPERAND_SINK)
		return ptx_refuse(&b->d, insn, "the destination of activemask is a register");
	return ptx_target_row(&b->d, insn, &insn->operands[0], TYPE_B32, &step->dst) ? DECODED
										      : REFUSED;
}

static enum ptx_decoded decode_setmaxnreg(struct ptx_builder *b, const struct ptx_insn *insn,
					  struct ptx_step *step)
{
	int64_t count = insn->operands[0].number;

	if (count < 24 || count > 256 || count % 8)
		return ptx_refuse(&b->d, insn, "setmaxnreg takes 24 to 256, a multiple of 8");
	step->kind = STEP_SETMAXNREG;
	step->imm = count;
	return DECODED;
}

/* Numbers that are operands are fractions in (0, 1]; registers may have any value. */
static bool is_fraction(const struct ptx_operand *operand)
{
	uint32_t bits = (uint32_t)operand->number;
	double wide;
	float narrow;

	if (operand->kind == OPERAND_F64) {
		memcpy(&wide, &operand->number, sizeof(wide));
	} else if (operand->kind == OPERAND_F32) {
		memcpy(&narrow, &bits, sizeof(narrow));
		wide = narrow;
	} else {
		return true;
	}
	return wide > 0 && wide <= 1;
}

/* createpolicy: cache policies have no effect, and therefore all of them are the number 0. */
static enum ptx_decoded decode_createpolicy(struct ptx_builder *b, const struct ptx_insn *insn,
					    struct ptx_step *step)
{
	const struct ptx_operand *from = &insn->operands[2], *to = &insn->operands[3];

	if (ptx_insn_part_is(insn, 1, "fractional") && insn->operand_count == 2 &&
	    !is_fraction(&insn->operands[1]))
		return ptx_refuse(&b->d, insn, "a fraction is more than 0, and at most 1");
	if (ptx_insn_part_is(insn, 1, "range") && from->kind == OPERAND_INT &&
	    to->kind == OPERAND_INT && from->number > to->number)
		return ptx_refuse(&b->d, insn, "the primary size is not more than the total size");
	step->kind = STEP_CVTA;
	step->src[0] = ptx_const_row(&b->d, 0);
	return ptx_target_row(&b->d, insn, &insn->operands[0], TYPE_U64, &step->dst) ? DECODED
										      : REFUSED;
}

/* membar is an old spelling of fence.sc. */
static enum ptx_decoded decode_membar(struct ptx_builder *b, const struct ptx_insn *insn,
				      struct ptx_step *step)
{
	if (ptx_insn_part_is(insn, 1, "proxy") || ptx_insn_part_is(insn, 1, "cta")) {
		step->kind = STEP_FENCE;
		return DECODED;
	}
	return ptx_device_decode_as(b, insn, ptx_insn_part_is(insn, 1, "sys") ? "fence.sc.sys"
									       : "fence.sc.gpu",
				    step);
}

enum ptx_decoded ptx_misc_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				 struct ptx_step *step)
{
	if (has_no_effect(insn)) {
		step->kind = STEP_NOP;
		return check_hint(b, insn) ? DECODED : REFUSED;
	}
	if (ptx_insn_part_is(insn, 0, "mov") || ptx_insn_part_is(insn, 0, "cvt"))
		return decode_clock(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "nanosleep"))
		return decode_nanosleep(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "activemask"))
		return decode_activemask(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "setmaxnreg"))
		return decode_setmaxnreg(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "createpolicy"))
		return decode_createpolicy(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "membar"))
		return decode_membar(b, insn, step);
	return NOT_MINE;
}
