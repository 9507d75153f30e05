// SPDX-License-Identifier: MIT
/* Decoding of the instructions that only read and write registers of their own lane. */
#include <fnmatch.h>
#include <stdio.h>

#include "code/alu.h"
#include "code/alu_decoders.h"
#include "vsm_syntax.h"

static ptx_alu_decode_fn *const decoders[] = {
	ptx_int_decode,
	ptx_mov_decode,
	ptx_float_decode,
	ptx_compare_decode,
	ptx_cvt_decode,
	NULL,
};

/* Opcodes that sm_80 does not have, and the first target that has them, as ptxas says */
static const struct {
	const char *pattern;
	unsigned int target;
} newer[] = {
	{ "m[ai][nx].*xorsign*", 86 },
	{ "cvt.*e[45]m[32]x2*", 89 },
	{ "add.*[us]16x2", 90 },
	{ "m[ai][nx].*[us]16x2*", 90 },
	{ "m[ai][nx].*relu*", 90 },
	{ "fma.*oob*", 90 },
	{ "add.*bf16*", 90 },
	{ "sub.*bf16*", 90 },
	{ "mul.*bf16*", 90 },
	{ "ex2.*bf16*", 90 },
	{ "tanh.*bf16*", 90 },
	{ "set.*bf16*", 90 },
	{ "setp.*bf16*", 90 },
	{ "cvt.*bf16.[usb]*", 90 },
	{ "cvt.*bf16.f16", 90 },
	{ "cvt.*bf16.f64", 90 },
	{ "cvt.*[usf]16.bf16", 90 },
	{ "cvt.*[us]32.bf16", 90 },
	{ "cvt.*64.bf16", 90 },
	{ "cvt.*ftz.f32.bf16", 90 },
	{ "cvt.r[nz].*tf32.f32", 90 },
};

/* Adds an error if the target of the module does not have the opcode. */
static bool has_target(struct ptx_decoder *d, const struct ptx_insn *insn)
{
	char opcode[64];

	snprintf(opcode, sizeof(opcode), "%.*s", (int)insn->opcode.length, insn->opcode.text);
	for (unsigned int i = 0; i < ARRAY_SIZE(newer); i++) {
		if (d->module->target >= newer[i].target || fnmatch(newer[i].pattern, opcode, 0))
			continue;
		ptx_refuse(d, insn, "%s needs .target sm_%u or newer", opcode, newer[i].target);
		return false;
	}
	return true;
}

enum ptx_decoded ptx_alu_decode(struct ptx_decoder *d, const struct ptx_insn *insn,
				struct ptx_step *step)
{
	for (unsigned int i = 0; decoders[i]; i++) {
		enum ptx_decoded decoded = decoders[i](d, insn, step);

		if (decoded == DECODED && d->module->target < 90 && !has_target(d, insn))
			return REFUSED;
		if (decoded != NOT_MINE)
			return decoded;
	}
	return NOT_MINE;
}
