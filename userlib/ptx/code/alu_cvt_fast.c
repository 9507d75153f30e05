// SPDX-License-Identifier: MIT
/*
 * Conversions that compilers use most, with the arithmetic of the machine, which rounds to nearest.
 * Each gives the same results as the functions in alu_cvt.c.
 */
#include "code/alu_float_ops.h"

#define CVT(name, expression) \
	static void name(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask) \
	{ \
		uint64_t *d = ptx_row(regs, step->dst); \
		const uint64_t *a = ptx_row(regs, step->src[0]); \
		\
		FOR_FLOAT_LANES(mask, d, i, expression); \
	}

#define CVT_2(name, expression) \
	static void name(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask) \
	{ \
		uint64_t *d = ptx_row(regs, step->dst); \
		const uint64_t *a = ptx_row(regs, step->src[0]); \
		const uint64_t *b = ptx_row(regs, step->src[1]); \
		\
		FOR_FLOAT_LANES(mask, d, i, expression); \
	}

static inline uint64_t f64_from_f32(uint32_t bits)
{
	uint64_t payload = (uint64_t)(bits & 0x7fffff) << 29;

	if (f32_is_nan(bits))
		return (uint64_t)(bits & F32_SIGN) << 32 | F64_INF | F64_QUIET | payload;
	return f64_bits(f32_value(bits));
}

static inline uint32_t s32_from_f32(float value)
{
	if (value >= 0x1p31f)
		return INT32_MAX;
	/* A NaN is not greater, and becomes 0. */
	if (!(value > -0x1p31f))
		return value <= -0x1p31f ? (uint32_t)INT32_MIN : 0;
	return (uint32_t)(int32_t)value;
}

static inline uint32_t u32_from_f32(float value)
{
	if (!(value > 0))
		return 0;
	return value >= 0x1p32f ? UINT32_MAX : (uint32_t)value;
}

#define F32_OF(i)	f32_value((uint32_t)(i))

CVT(f32_f16, ptx_f32_result(f32_from_f16((uint16_t)a[i]), 0))
CVT(f32_bf16, f32_from_bf16((uint16_t)a[i]))
CVT(f32_f64, f32_bits((float)f64_value(a[i])))
CVT(f32_s32, f32_bits((float)(int32_t)a[i]))
CVT(f32_u32, f32_bits((float)(uint32_t)a[i]))
CVT(f64_f32, f64_from_f32((uint32_t)a[i]))
CVT(f64_s32, f64_bits((double)(int32_t)a[i]))
CVT(f64_u32, f64_bits((double)(uint32_t)a[i]))
CVT(s32_f32, s32_from_f32(F32_OF(a[i])))
CVT(u32_f32, u32_from_f32(F32_OF(a[i])))
CVT(f16_f32, f16_from_f64((double)F32_OF(a[i])))
CVT(bf16_f32, bf16_from_f64((double)F32_OF(a[i])))
CVT_2(f16x2_f32, f16_from_f64((double)F32_OF(a[i])) << 16 | f16_from_f64((double)F32_OF(b[i])))
CVT_2(bf16x2_f32, bf16_from_f64((double)F32_OF(a[i])) << 16 | bf16_from_f64((double)F32_OF(b[i])))

ptx_alu_fn *ptx_cvt_fast(enum ptx_type to, enum ptx_type from, uint32_t modifiers)
{
	static const struct {
		uint8_t to;
		uint8_t from;
		uint32_t modifiers;
		ptx_alu_fn *alu;
	} conversions[] = {
		{ TYPE_F32, TYPE_F16, 0, f32_f16 },
		{ TYPE_F32, TYPE_BF16, 0, f32_bf16 },
		{ TYPE_F32, TYPE_F64, MOD_RN, f32_f64 },
		{ TYPE_F32, TYPE_S32, MOD_RN, f32_s32 },
		{ TYPE_F32, TYPE_U32, MOD_RN, f32_u32 },
		{ TYPE_F64, TYPE_F32, 0, f64_f32 },
		{ TYPE_F64, TYPE_S32, MOD_RN, f64_s32 },
		{ TYPE_F64, TYPE_U32, MOD_RN, f64_u32 },
		{ TYPE_S32, TYPE_F32, MOD_RZI, s32_f32 },
		{ TYPE_U32, TYPE_F32, MOD_RZI, u32_f32 },
		{ TYPE_F16, TYPE_F32, MOD_RN, f16_f32 },
		{ TYPE_BF16, TYPE_F32, MOD_RN, bf16_f32 },
		{ TYPE_F16X2, TYPE_F32, MOD_RN, f16x2_f32 },
		{ TYPE_BF16X2, TYPE_F32, MOD_RN, bf16x2_f32 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(conversions); i++)
		if (conversions[i].to == to && conversions[i].from == from &&
		    conversions[i].modifiers == modifiers)
			return conversions[i].alu;
	return NULL;
}
