// SPDX-License-Identifier: MIT
/* Decoding of the arithmetic of floats (PTX ISA, 9.7.3 to 9.7.5). */
#include "code/alu_decoders.h"
#include "code/alu_float_ops.h"
#include "code/decoder.h"

#define F32	TYPE_BIT(TYPE_F32)
#define F64	TYPE_BIT(TYPE_F64)
#define F16	(TYPE_BIT(TYPE_F16) | TYPE_BIT(TYPE_F16X2))
#define BF16	(TYPE_BIT(TYPE_BF16) | TYPE_BIT(TYPE_BF16X2))

#define MIN_MAX	(MOD_NAN | MOD_XORSIGN | MOD_ABS)

/* An instruction and the modifiers that it takes */
struct float_form {
	const char *name;	/* first part of the opcode */
	uint32_t types;		/* types for which the line is */
	uint32_t takes;		/* modifiers */
	uint32_t needs;		/* one of these must be there; 0 if none must */
	enum ptx_float_op op;	/* operation */
	uint8_t sources;	/* number of sources */
};

static const struct float_form forms[] = {
	{ "add", F32, MOD_RND | MOD_FTZ | MOD_SAT, 0, FLOAT_ADD, 2 },
	{ "add", F64, MOD_RND, 0, FLOAT_ADD, 2 },
	{ "add", F16, MOD_RN | MOD_FTZ | MOD_SAT, 0, FLOAT_ADD, 2 },
	{ "add", BF16, MOD_RN, 0, FLOAT_ADD, 2 },
	{ "sub", F32, MOD_RND | MOD_FTZ | MOD_SAT, 0, FLOAT_SUB, 2 },
	{ "sub", F64, MOD_RND, 0, FLOAT_SUB, 2 },
	{ "sub", F16, MOD_RN | MOD_FTZ | MOD_SAT, 0, FLOAT_SUB, 2 },
	{ "sub", BF16, MOD_RN, 0, FLOAT_SUB, 2 },
	{ "mul", F32, MOD_RND | MOD_FTZ | MOD_SAT, 0, FLOAT_MUL, 2 },
	{ "mul", F64, MOD_RND, 0, FLOAT_MUL, 2 },
	{ "mul", F16, MOD_RN | MOD_FTZ | MOD_SAT, 0, FLOAT_MUL, 2 },
	{ "mul", BF16, MOD_RN, 0, FLOAT_MUL, 2 },
	{ "fma", F32, MOD_RND | MOD_FTZ | MOD_SAT, MOD_RND, FLOAT_FMA, 3 },
	{ "fma", F64, MOD_RND, MOD_RND, FLOAT_FMA, 3 },
	{ "fma", F16, MOD_RN | MOD_FTZ | MOD_OOB | MOD_SAT | MOD_RELU, MOD_RN, FLOAT_FMA, 3 },
	{ "fma", BF16, MOD_RN | MOD_OOB | MOD_RELU, MOD_RN, FLOAT_FMA, 3 },
	{ "mad", F32, MOD_RND | MOD_FTZ | MOD_SAT, MOD_RND, FLOAT_FMA, 3 },
	{ "mad", F64, MOD_RND, MOD_RND, FLOAT_FMA, 3 },
	{ "div", F32, MOD_RND | MOD_APPROX | MOD_FULL | MOD_FTZ, MOD_RND | MOD_APPROX | MOD_FULL,
	  FLOAT_DIV, 2 },
	{ "div", F64, MOD_RND, MOD_RND, FLOAT_DIV, 2 },
	{ "rcp", F32 | F64, MOD_RND | MOD_APPROX | MOD_FTZ, MOD_RND | MOD_APPROX, FLOAT_RCP, 1 },
	{ "sqrt", F32, MOD_RND | MOD_APPROX | MOD_FTZ, MOD_RND | MOD_APPROX, FLOAT_SQRT, 1 },
	{ "sqrt", F64, MOD_RND, MOD_RND, FLOAT_SQRT, 1 },
	{ "rsqrt", F32 | F64, MOD_APPROX | MOD_FTZ, MOD_APPROX, FLOAT_RSQRT, 1 },
	{ "sin", F32, MOD_APPROX | MOD_FTZ, MOD_APPROX, FLOAT_SIN, 1 },
	{ "cos", F32, MOD_APPROX | MOD_FTZ, MOD_APPROX, FLOAT_COS, 1 },
	{ "lg2", F32, MOD_APPROX | MOD_FTZ, MOD_APPROX, FLOAT_LG2, 1 },
	{ "ex2", F32 | BF16, MOD_APPROX | MOD_FTZ, MOD_APPROX, FLOAT_EX2, 1 },
	{ "ex2", F16, MOD_APPROX, MOD_APPROX, FLOAT_EX2, 1 },
	{ "tanh", F32 | F16 | BF16, MOD_APPROX, MOD_APPROX, FLOAT_TANH, 1 },
	{ "neg", F32 | F16, MOD_FTZ, 0, FLOAT_NEG, 1 },
	{ "neg", F64 | BF16, 0, 0, FLOAT_NEG, 1 },
	{ "abs", F32 | F16, MOD_FTZ, 0, FLOAT_ABS, 1 },
	{ "abs", F64 | BF16, 0, 0, FLOAT_ABS, 1 },
	{ "copysign", F32 | F64, 0, 0, FLOAT_COPYSIGN, 2 },
	{ "min", F32 | F16, MOD_FTZ | MIN_MAX, 0, FLOAT_MIN, 2 },
	{ "min", BF16, MIN_MAX, 0, FLOAT_MIN, 2 },
	{ "min", F64, 0, 0, FLOAT_MIN, 2 },
	{ "max", F32 | F16, MOD_FTZ | MIN_MAX, 0, FLOAT_MAX, 2 },
	{ "max", BF16, MIN_MAX, 0, FLOAT_MAX, 2 },
	{ "max", F64, 0, 0, FLOAT_MAX, 2 },
};

/* Instructions that exist for integers, too: other files decode those. */
static bool is_shared(const struct ptx_insn *insn)
{
	static const char *const names[] = {
		"add", "sub", "mul", "mad", "div", "neg", "abs", "min", "max",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		if (ptx_insn_part_is(insn, 0, names[i]))
			return true;
	return false;
}

/* Does the opcode end with a type of floats? It may be one that enum ptx_type does not have. */
static bool ends_with_float(const struct ptx_insn *insn)
{
	const struct ptx_name *last = &insn->parts[insn->part_count - 1];

	return last->length > 1 && (last->text[0] == 'f' || !memcmp(last->text, "bf", 2));
}

static const struct float_form *find_form(const struct ptx_insn *insn, uint32_t type,
					  uint32_t *types)
{
	*types = 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(forms); i++) {
		if (!ptx_insn_part_is(insn, 0, forms[i].name))
			continue;
		*types |= forms[i].types;
		if (forms[i].types & type)
			return &forms[i];
	}
	return NULL;
}

/* Rules between modifiers that the table cannot say. Returns false after an error. */
static bool check_modifiers(struct ptx_decoder *d, const struct ptx_insn *insn,
			    const struct float_form *form, enum ptx_type type, uint32_t mods)
{
	const bool approx = mods & MOD_APPROX;
	const bool ftz = mods & MOD_FTZ;
	const char *wrong = NULL;

	if ((mods & MOD_SAT) && (mods & MOD_RELU))
		wrong = "takes .sat or .relu, not both";
	else if ((mods & MOD_OOB) && ftz)
		wrong = "takes .ftz or .oob, not both";
	else if (form->op == FLOAT_RCP && type == TYPE_F64 && approx != ftz)
		wrong = "takes .approx and .ftz together only";
	else if (form->op == FLOAT_EX2 && !ftz &&
		 (type == TYPE_BF16 || type == TYPE_BF16X2))
		wrong = "needs .ftz";
	else if (!(mods & MOD_XORSIGN) != !(mods & MOD_ABS))
		wrong = "takes .xorsign and .abs together only";
	if (!wrong)
		return true;
	ptx_refuse(d, insn, "%.*s: %.*s.%s %s", (int)insn->opcode.length, insn->opcode.text,
		   (int)insn->parts[0].length, insn->parts[0].text, ptx_type_name(type), wrong);
	return false;
}

static bool decode_operands(struct ptx_decoder *d, const struct ptx_insn *insn,
			    struct ptx_step *step, const struct float_form *form,
			    enum ptx_type type)
{
	if (!ptx_form_operands(d, insn, 1 + form->sources) ||
	    !ptx_target_row(d, insn, &insn->operands[0], type, &step->dst))
		return false;
	if (step->dst == PTX_NO_ROW) {
		ptx_refuse(d, insn, "%.*s takes a register as its destination, not _",
			   (int)insn->opcode.length, insn->opcode.text);
		return false;
	}
	for (unsigned int i = 0; i < form->sources; i++)
		if (!ptx_source_row(d, insn, &insn->operands[1 + i], type, &step->src[i]))
			return false;
	for (unsigned int i = form->sources; i < 3; i++)
		step->src[i] = step->src[0];
	return true;
}

static ptx_alu_fn *choose(enum ptx_float_op op, enum ptx_type type, uint64_t *imm)
{
	switch (type) {
	case TYPE_F32:
	case TYPE_F64:
		if (*imm & (MOD_APPROX | MOD_FULL))
			return ptx_approx_alu(op, *imm, type);
		return type == TYPE_F32 ? ptx_f32_alu(op, *imm) : ptx_f64_alu(op, *imm);
	case TYPE_BF16:
	case TYPE_BF16X2:
		*imm |= FLOAT_BF16;
		break;
	default:
		break;
	}
	if (type == TYPE_F16X2 || type == TYPE_BF16X2)
		*imm |= FLOAT_X2;
	return ptx_half_alu(op);
}

enum ptx_decoded ptx_float_decode(struct ptx_decoder *d, const struct ptx_insn *insn,
				  struct ptx_step *step)
{
	/* The headers of CUDA have ex2.approx.f32.ftz. */
	bool late_ftz = insn->part_count > 2 &&
			ptx_insn_part_is(insn, insn->part_count - 1, "ftz");
	unsigned int last = insn->part_count - 1 - late_ftz;
	enum ptx_type type = ptx_form_type(insn, last);
	const struct float_form *form;
	uint32_t mods, types;

	if (insn->part_count < 2) {
		form = find_form(insn, 0, &types);
		return types && !is_shared(insn) ? ptx_form_refuse_type(d, insn, types) : NOT_MINE;
	}
	if (is_shared(insn) && !ends_with_float(insn))
		return NOT_MINE;
	form = find_form(insn, TYPE_BIT(type), &types);
	if (!form)
		return types ? ptx_form_refuse_type(d, insn, types) : NOT_MINE;
	if (late_ftz && !(form->takes & MOD_FTZ))
		return ptx_refuse(d, insn, "%.*s does not take .ftz", (int)insn->parts[0].length,
				  insn->parts[0].text);
	if (!ptx_form_modifiers(d, insn, 1, last, form->takes & (late_ftz ? ~MOD_FTZ : ~0u),
				form->needs, &mods))
		return REFUSED;
	if (late_ftz)
		mods |= MOD_FTZ;
	if (!check_modifiers(d, insn, form, type, mods))
		return REFUSED;
	step->flags = (uint16_t)form->op;
	step->imm |= mods;
	if (!decode_operands(d, insn, step, form, type))
		return REFUSED;
	step->alu = choose(form->op, type, &step->imm);
	return DECODED;
}
