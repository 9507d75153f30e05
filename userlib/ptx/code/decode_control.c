// SPDX-License-Identifier: MIT
/*
 * Decodes instructions that change the flow of control (PTX ISA, section 9.7.12).
 */
#include <string.h>

#include "code/address.h"
#include "code/decode_operand.h"
#include "code/decoders.h"
#include "code/function.h"
#include "code/layout.h"

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
	unsigned int at = returns ? 1 : 0;
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
	return add_transfers(b, insn, callee, call) ? DECODED : REFUSED;
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
	else if (ptx_insn_part_is(insn, 0, "trap") || ptx_insn_part_is(insn, 0, "brkpt"))
		step->kind = STEP_TRAP;
	else
		return NOT_MINE;
	return DECODED;
}
