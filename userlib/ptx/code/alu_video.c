// SPDX-License-Identifier: MIT
/*
 * Video instructions of two or four fields. clang emits them for the SIMD intrinsics of CUDA, and
 * nvcc emits vabsdiff2 and vabsdiff4 of them.
 */
#include "code/alu_int.h"

enum op {
	ADD, SUB, AVRG, ABSDIFF, MIN, MAX, EQ, NE, LT, LE, GT, GE,
};

#define SIGNED		1
#define SATURATE	2
#define SUM		4

static s32 compute(enum op op, s32 a, s32 b)
{
	switch (op) {
	case ADD:
		return a + b;
	case SUB:
		return a - b;
	case AVRG:
		/* The middle between two numbers is rounded away from 0. */
		return (a + b + (a + b >= 0)) >> 1;
	case ABSDIFF:
		return a < b ? b - a : a - b;
	case MIN:
		return a < b ? a : b;
	case MAX:
		return a < b ? b : a;
	case EQ:
		return a == b;
	case NE:
		return a != b;
	case LT:
		return a < b;
	case LE:
		return a <= b;
	case GT:
		return a > b;
	default:
		return a >= b;
	}
}

/* All fields are written: the third source has an effect only in a sum. */
static void execute(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask, enum op op,
		    unsigned int bits, unsigned int flags)
{
	const s32 field = (1 << bits) - 1, sign = flags & SIGNED ? 1 << (bits - 1) : 0;
	const u64 *x = ptx_row(regs, step->src[0]), *y = ptx_row(regs, step->src[1]);
	const u64 *z = ptx_row(regs, step->src[2]);
	u64 *d = ptx_row(regs, step->dst);

	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask), at;
		u32 fields = 0, sum = (u32)z[i];

		for (at = 0; at < 32; at += bits) {
			s32 a = (((s32)(x[i] >> at) & field) ^ sign) - sign;
			s32 b = (((s32)(y[i] >> at) & field) ^ sign) - sign;
			s32 value = compute(op, a, b);

			if (flags & SATURATE)
				value = value < -sign ? -sign :
					value > field - sign ? field - sign : value;
			fields |= (u32)(value & field) << at;
			sum += (u32)value;
		}
		d[i] = flags & SUM ? sum : fields;
	}
}

#define DEFINE(name, op, bits, flags) \
	static void name(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask) \
	{ \
		execute(step, regs, mask, op, bits, flags); \
	}

#define ARITHMETIC(name, op, bits) \
	DEFINE(name##_u, op, bits, 0) \
	DEFINE(name##_u_sat, op, bits, SATURATE) \
	DEFINE(name##_u_add, op, bits, SUM) \
	DEFINE(name##_s, op, bits, SIGNED) \
	DEFINE(name##_s_sat, op, bits, SIGNED | SATURATE) \
	DEFINE(name##_s_add, op, bits, SIGNED | SUM) \
	static const struct ptx_alu_form name##_forms[] = { \
		FORM_3(".u32.u32.u32", name##_u, TYPE_U32), \
		FORM_3(".u32.u32.u32.sat", name##_u_sat, TYPE_U32), \
		FORM_3(".u32.u32.u32.add", name##_u_add, TYPE_U32), \
		FORM_3(".s32.s32.s32", name##_s, TYPE_S32), \
		FORM_3(".s32.s32.s32.sat", name##_s_sat, TYPE_S32), \
		FORM_3(".s32.s32.s32.add", name##_s_add, TYPE_S32), \
	};

ARITHMETIC(vadd2, ADD, 16)
ARITHMETIC(vadd4, ADD, 8)
ARITHMETIC(vsub2, SUB, 16)
ARITHMETIC(vsub4, SUB, 8)
ARITHMETIC(vavrg2, AVRG, 16)
ARITHMETIC(vavrg4, AVRG, 8)
ARITHMETIC(vabsdiff2, ABSDIFF, 16)
ARITHMETIC(vabsdiff4, ABSDIFF, 8)
ARITHMETIC(vmin2, MIN, 16)
ARITHMETIC(vmin4, MIN, 8)
ARITHMETIC(vmax2, MAX, 16)
ARITHMETIC(vmax4, MAX, 8)

#define FUNCTIONS_COMPARE(name, op, bits) \
	DEFINE(name##_u, op, bits, 0) \
	DEFINE(name##_s, op, bits, SIGNED)

#define COMPARISONS(name, bits) \
	FUNCTIONS_COMPARE(name##_eq, EQ, bits) \
	FUNCTIONS_COMPARE(name##_ne, NE, bits) \
	FUNCTIONS_COMPARE(name##_lt, LT, bits) \
	FUNCTIONS_COMPARE(name##_le, LE, bits) \
	FUNCTIONS_COMPARE(name##_gt, GT, bits) \
	FUNCTIONS_COMPARE(name##_ge, GE, bits) \
	static const struct ptx_alu_form name##_forms[] = { \
		FORMS(name, eq), FORMS(name, ne), FORMS(name, lt), FORMS(name, le), \
		FORMS(name, gt), FORMS(name, ge), \
	};

#define FORMS(name, op) \
	FORM_3(".u32.u32." #op, name##_##op##_u, TYPE_U32), \
	FORM_3(".s32.s32." #op, name##_##op##_s, TYPE_S32)

COMPARISONS(vset2, 16)
COMPARISONS(vset4, 8)

static const struct ptx_alu_group groups[] = {
	PTX_GROUP("vadd2", vadd2_forms), PTX_GROUP("vadd4", vadd4_forms),
	PTX_GROUP("vsub2", vsub2_forms), PTX_GROUP("vsub4", vsub4_forms),
	PTX_GROUP("vavrg2", vavrg2_forms), PTX_GROUP("vavrg4", vavrg4_forms),
	PTX_GROUP("vabsdiff2", vabsdiff2_forms), PTX_GROUP("vabsdiff4", vabsdiff4_forms),
	PTX_GROUP("vmin2", vmin2_forms), PTX_GROUP("vmin4", vmin4_forms),
	PTX_GROUP("vmax2", vmax2_forms), PTX_GROUP("vmax4", vmax4_forms),
	PTX_GROUP("vset2", vset2_forms), PTX_GROUP("vset4", vset4_forms),
};

enum ptx_decoded ptx_video_decode(struct ptx_decoder *d, const struct ptx_insn *insn,
				  struct ptx_step *step)
{
	return ptx_alu_decode_forms(groups, ARRAY_SIZE(groups), d, insn, step);
}
