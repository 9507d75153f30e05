/* SPDX-License-Identifier: MIT */
/* What the files of the integer ALU have in common. */
#ifndef _PTX_CODE_ALU_INT_H_
#define _PTX_CODE_ALU_INT_H_

#include "code/alu_decoders.h"
#include "code/alu_forms.h"

/* Integers of a size. A conversion to one of these keeps the low bits. */
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

/* Forms whose destination and sources all have the same type. */
#define FORM_1(modifiers, alu, type)	{ modifiers, alu, type, { type }, false }
#define FORM_2(modifiers, alu, type)	{ modifiers, alu, type, { type, type }, false }
#define FORM_3(modifiers, alu, type)	{ modifiers, alu, type, { type, type, type }, false }

/* Forms whose functions differ for signed and unsigned integers. */
#define FORMS_BY_SIGN(form, mode, op) \
	form(mode ".u16", op##_u16, TYPE_U16), \
	form(mode ".u32", op##_u32, TYPE_U32), \
	form(mode ".u64", op##_u64, TYPE_U64), \
	form(mode ".s16", op##_s16, TYPE_S16), \
	form(mode ".s32", op##_s32, TYPE_S32), \
	form(mode ".s64", op##_s64, TYPE_S64)

/* Forms that have the same function for signed and unsigned integers. */
#define FORMS_BY_SIZE(form, mode, op) \
	form(mode ".u16", op##_16, TYPE_U16), \
	form(mode ".u32", op##_32, TYPE_U32), \
	form(mode ".u64", op##_64, TYPE_U64), \
	form(mode ".s16", op##_16, TYPE_S16), \
	form(mode ".s32", op##_32, TYPE_S32), \
	form(mode ".s64", op##_64, TYPE_S64)

static inline u64 ptx_saturate_s32(s64 value)
{
	return (u32)(value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value);
}

#endif
