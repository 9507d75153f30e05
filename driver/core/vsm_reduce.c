// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addition and order of binary floating point numbers, computed with integers. A number is held in
 * the low bits of a __u64.
 */
#include "vsm_core.h"

/* --- floating-point numbers ------------------------------------------------------ */

#ifdef __KERNEL__
#include <linux/bitops.h>
#else
static inline int fls64(__u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}
#endif

/**
 * struct vsm_float - A floating point format
 * @mantissa: Stored bits of the mantissa, at most 59 (the hidden bit is not counted)
 * @exponent: Bits of the exponent
 * @flush: Addition replaces subnormal operands and results by zeros of the same sign
 * @payload: If an operand is NaN, the sum is that NaN made quiet; if both are, the first one
 * @nan: The NaN that a sum is otherwise
 */
struct vsm_float {
	int mantissa;
	int exponent;
	bool flush;
	bool payload;
	__u64 nan;
};

static __always_inline __u64 vsm_float_sign(const struct vsm_float *f)
{
	return 1ULL << (f->exponent + f->mantissa);
}

static __always_inline __u64 vsm_float_inf(const struct vsm_float *f)
{
	return vsm_float_sign(f) - (1ULL << f->mantissa);
}

static __always_inline bool vsm_float_is_nan(const struct vsm_float *f, __u64 a)
{
	return (a & (vsm_float_sign(f) - 1)) > vsm_float_inf(f);
}

/* Map numbers that are not NaN to unsigned integers of the same order. -0 is below +0. */
static __always_inline __u64 vsm_float_order(const struct vsm_float *f, __u64 a)
{
	return a & vsm_float_sign(f) ? ~a & (vsm_float_sign(f) - 1) : a | vsm_float_sign(f);
}

static __always_inline __u64 vsm_float_flush(const struct vsm_float *f, __u64 a)
{
	return a & vsm_float_inf(f) ? a : a & vsm_float_sign(f);
}

static __always_inline __u64 vsm_float_nan_sum(const struct vsm_float *f, __u64 a, __u64 b)
{
	const __u64 quiet = 1ULL << (f->mantissa - 1);

	if (f->payload && vsm_float_is_nan(f, a))
		return a | quiet;
	if (f->payload && vsm_float_is_nan(f, b))
		return b | quiet;
	return f->nan;
}

/*
 * The sum of two finite numbers. @large and @small are their magnitudes, of which @large is not
 * below @small. @sign is the sign of the number with magnitude @large.
 */
static __always_inline __u64 vsm_float_finite_sum(const struct vsm_float *f, __u64 sign,
						  __u64 large, __u64 small, bool subtract)
{
	const __u64 hidden = 1ULL << f->mantissa;
	__u64 sum = large & (hidden - 1), other = small & (hidden - 1), lost;
	int exp = large >> f->mantissa, other_exp = small >> f->mantissa, shift;

	/* Subnormal numbers have the exponent 1 and no hidden bit. */
	if (exp)
		sum |= hidden;
	else
		exp = 1;
	if (other_exp)
		other |= hidden;
	else
		other_exp = 1;

	/*
	 * Three more bits: guard, round and sticky. The sticky bit is set if a bit below it was
	 * set.
	 */
	sum <<= 3;
	other <<= 3;
	shift = exp - other_exp;
	if (shift > f->mantissa + 4)
		shift = f->mantissa + 4;
	lost = other & ((1ULL << shift) - 1);
	other >>= shift;
	if (lost)
		other |= 1;

	if (subtract) {
		sum -= other;
		if (!sum)
			return 0;
		shift = f->mantissa + 4 - fls64(sum);
		if (shift > exp - 1)
			shift = exp - 1;
		sum <<= shift;
		exp -= shift;
	} else {
		sum += other;
		if (sum >= hidden << 4) {
			sum = sum >> 1 | (sum & 1);
			exp++;
		}
	}

	/* The hidden bit adds 1 to the exponent. Rounding up may add 1 as well. */
	lost = sum & 7;
	sum = (sum >> 3) + ((__u64)(exp - 1) << f->mantissa);
	if (lost > 4 || (lost == 4 && sum & 1))
		sum++;
	return sign | (sum < vsm_float_inf(f) ? sum : vsm_float_inf(f));
}

/*
 * Add two numbers, rounding to nearest even.
 * @f: Format of both numbers, a compile-time constant
 */
static __always_inline __u64 vsm_float_add(const struct vsm_float *f, __u64 a, __u64 b)
{
	const __u64 sign = vsm_float_sign(f), inf = vsm_float_inf(f);
	__u64 large, small, sum;

	if (f->flush) {
		a = vsm_float_flush(f, a);
		b = vsm_float_flush(f, b);
	}
	large = a & (sign - 1);
	small = b & (sign - 1);
	if (large >= inf || small >= inf) {
		if (large > inf || small > inf || (large == small && a != b))
			return vsm_float_nan_sum(f, a, b);
		return large == inf ? a : b;
	}
	if (large >= small)
		sum = vsm_float_finite_sum(f, a & sign, large, small, (a ^ b) & sign);
	else
		sum = vsm_float_finite_sum(f, b & sign, small, large, (a ^ b) & sign);
	return f->flush ? vsm_float_flush(f, sum) : sum;
}

/*
 * The smaller of two numbers.
 * @f: Format of both numbers, a compile-time constant
 *
 * The result is NaN only if both numbers are NaN. -0 is smaller than +0.
 */
static __always_inline __u64 vsm_float_min(const struct vsm_float *f, __u64 a, __u64 b)
{
	if (vsm_float_is_nan(f, a))
		return vsm_float_is_nan(f, b) ? f->nan : b;
	if (vsm_float_is_nan(f, b))
		return a;
	return vsm_float_order(f, a) < vsm_float_order(f, b) ? a : b;
}

/*
 * The larger of two numbers.
 * @f: Format of both numbers, a compile-time constant
 *
 * The result is NaN only if both numbers are NaN. +0 is larger than -0.
 */
static __always_inline __u64 vsm_float_max(const struct vsm_float *f, __u64 a, __u64 b)
{
	if (vsm_float_is_nan(f, a))
		return vsm_float_is_nan(f, b) ? f->nan : b;
	if (vsm_float_is_nan(f, b))
		return a;
	return vsm_float_order(f, a) > vsm_float_order(f, b) ? a : b;
}

/* --- reductions ------------------------------------------------------------------ */

/*
 *  Reductions. Each pair of type and operation has its own loop.
 */

#ifdef __KERNEL__
#include <linux/atomic.h>
#endif

#ifndef try_cmpxchg_relaxed
#define try_cmpxchg_relaxed(p, old, new)					\
	__atomic_compare_exchange_n(p, old, new, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#endif

/*
 * After this many lost races for one element a reduction stores its value without a compare. User
 * space can write to the element all the time, and must not keep the reduction from ending. If only
 * reductions write to it, none loses that many races.
 */
#define VSM_REDUCE_TRIES (1 << 14)

#define RED(op, type)	DRM_VSM_RED(DRM_VSM_RED_##op, DRM_VSM_TYPE_##type)

#define GLOBAL		(1 << VSM_REDUCE_GLOBAL | 1 << VSM_REDUCE_TENSOR)
#define EVERYWHERE	(GLOBAL | 1 << VSM_REDUCE_SHARED | 1 << VSM_REDUCE_RED_ASYNC)

/* Which kinds of instruction have each reduction: a mask of enum vsm_reduce_where. */
static const __u8 reductions[256] = {
	[RED(ADD, U32)] = EVERYWHERE,
	[RED(ADD, S32)] = EVERYWHERE,
	[RED(ADD, U64)] = EVERYWHERE,
	[RED(ADD, F16)] = GLOBAL,
	[RED(ADD, BF16)] = GLOBAL,
	[RED(ADD, F32)] = GLOBAL,
	[RED(ADD, F64)] = 1 << VSM_REDUCE_GLOBAL,
	[RED(MIN, U32)] = EVERYWHERE,
	[RED(MIN, S32)] = EVERYWHERE,
	[RED(MIN, U64)] = GLOBAL,
	[RED(MIN, S64)] = GLOBAL,
	[RED(MIN, F16)] = GLOBAL,
	[RED(MIN, BF16)] = GLOBAL,
	[RED(MAX, U32)] = EVERYWHERE,
	[RED(MAX, S32)] = EVERYWHERE,
	[RED(MAX, U64)] = GLOBAL,
	[RED(MAX, S64)] = GLOBAL,
	[RED(MAX, F16)] = GLOBAL,
	[RED(MAX, BF16)] = GLOBAL,
	[RED(INC, U32)] = EVERYWHERE,
	[RED(DEC, U32)] = EVERYWHERE,
	[RED(AND, B32)] = EVERYWHERE,
	[RED(AND, B64)] = GLOBAL,
	[RED(OR, B32)] = EVERYWHERE,
	[RED(OR, B64)] = GLOBAL,
	[RED(XOR, B32)] = EVERYWHERE,
	[RED(XOR, B64)] = GLOBAL,
};

/* The formats. The NaNs are those that CUDA's headers call canonical. */
static const struct vsm_float f16 = { .mantissa = 10, .exponent = 5, .nan = 0x7fff };
static const struct vsm_float bf16 = { .mantissa = 7, .exponent = 8, .nan = 0x7fff };
static const struct vsm_float f32 = {
	.mantissa = 23, .exponent = 8, .flush = true, .nan = 0x7fffffff,
};

static const struct vsm_float f64 = {
	.mantissa = 52, .exponent = 11, .payload = true, .nan = 0xfff8000000000000,
};

/* The new value of an element with value @a. With a constant @red the compiler keeps one case. */
static __always_inline __u64 vsm_reduce_value(__u8 red, __u64 a, __u64 b)
{
	switch (red) {
	case RED(ADD, U32):
	case RED(ADD, S32):
	case RED(ADD, U64):
		return a + b;
	case RED(ADD, F16):
		return vsm_float_add(&f16, a, b);
	case RED(ADD, BF16):
		return vsm_float_add(&bf16, a, b);
	case RED(ADD, F32):
		return vsm_float_add(&f32, a, b);
	case RED(ADD, F64):
		return vsm_float_add(&f64, a, b);
	case RED(MIN, U32):
	case RED(MIN, U64):
		return a < b ? a : b;
	case RED(MIN, S32):
		return (__s32)a < (__s32)b ? a : b;
	case RED(MIN, S64):
		return (__s64)a < (__s64)b ? a : b;
	case RED(MIN, F16):
		return vsm_float_min(&f16, a, b);
	case RED(MIN, BF16):
		return vsm_float_min(&bf16, a, b);
	case RED(MAX, U32):
	case RED(MAX, U64):
		return a > b ? a : b;
	case RED(MAX, S32):
		return (__s32)a > (__s32)b ? a : b;
	case RED(MAX, S64):
		return (__s64)a > (__s64)b ? a : b;
	case RED(MAX, F16):
		return vsm_float_max(&f16, a, b);
	case RED(MAX, BF16):
		return vsm_float_max(&bf16, a, b);
	case RED(INC, U32):
		return a >= b ? 0 : a + 1;
	case RED(DEC, U32):
		return !a || a > b ? b : a - 1;
	case RED(AND, B32):
	case RED(AND, B64):
		return a & b;
	case RED(OR, B32):
	case RED(OR, B64):
		return a | b;
	case RED(XOR, B32):
	case RED(XOR, B64):
		return a ^ b;
	}
	return a;
}

#define VSM_REDUCE_LOOP(bits, type)							\
static __always_inline void vsm_reduce_##bits(__u8 red, void *to, const void *from, __u32 size)	\
{											\
	type *element = to, *end = to + size;						\
	const type *operand = from;							\
											\
	for (; element < end; element++, operand++) {					\
		type b = READ_ONCE(*operand), a = READ_ONCE(*element), value;		\
		__u32 tries = 0;							\
											\
		do {									\
			value = vsm_reduce_value(red, a, b);				\
			if (++tries > VSM_REDUCE_TRIES) {				\
				WRITE_ONCE(*element, value);				\
				break;							\
			}								\
		} while (!try_cmpxchg_relaxed(element, &a, value));			\
	}										\
}

VSM_REDUCE_LOOP(16, __u16)
VSM_REDUCE_LOOP(32, __u32)
VSM_REDUCE_LOOP(64, __u64)

/*
 * Is there such a reduction?
 * @red: DRM_VSM_RED(), or any other byte
 */
bool vsm_reduce_valid(__u8 red, enum vsm_reduce_where where)
{
	return reductions[red] & 1 << where;
}

/**
 * vsm_reduce_size - Bytes of an element
 * @red: DRM_VSM_RED(), or any other byte
 *
 * Return: 2, 4 or 8, or 0 if there is no such type.
 */
__u32 vsm_reduce_size(__u8 red)
{
	switch (red >> 4) {
	case DRM_VSM_TYPE_F16:
	case DRM_VSM_TYPE_BF16:
		return 2;
	case DRM_VSM_TYPE_B32:
	case DRM_VSM_TYPE_U32:
	case DRM_VSM_TYPE_S32:
	case DRM_VSM_TYPE_F32:
		return 4;
	case DRM_VSM_TYPE_B64:
	case DRM_VSM_TYPE_U64:
	case DRM_VSM_TYPE_S64:
	case DRM_VSM_TYPE_F64:
		return 8;
	}
	return 0;
}

#define CASE(op, type, bits)								\
	case RED(op, type):								\
		vsm_reduce_##bits(DRM_VSM_RED(DRM_VSM_RED_##op, DRM_VSM_TYPE_##type),	\
				  to, from, size);					\
		return

static void vsm_reduce_piece(__u8 red, void *to, const void *from, __u32 size)
{
	switch (red) {
	CASE(ADD, U32, 32);
	CASE(ADD, S32, 32);
	CASE(ADD, U64, 64);
	CASE(ADD, F16, 16);
	CASE(ADD, BF16, 16);
	CASE(ADD, F32, 32);
	CASE(ADD, F64, 64);
	CASE(MIN, U32, 32);
	CASE(MIN, S32, 32);
	CASE(MIN, U64, 64);
	CASE(MIN, S64, 64);
	CASE(MIN, F16, 16);
	CASE(MIN, BF16, 16);
	CASE(MAX, U32, 32);
	CASE(MAX, S32, 32);
	CASE(MAX, U64, 64);
	CASE(MAX, S64, 64);
	CASE(MAX, F16, 16);
	CASE(MAX, BF16, 16);
	CASE(INC, U32, 32);
	CASE(DEC, U32, 32);
	CASE(AND, B32, 32);
	CASE(AND, B64, 64);
	CASE(OR, B32, 32);
	CASE(OR, B64, 64);
	CASE(XOR, B32, 32);
	CASE(XOR, B64, 64);
	}
}

/**
 * vsm_reduce - Reduce elements into memory
 * @red: A reduction that vsm_reduce_valid() accepts; any other value does nothing
 * @to: The elements, aligned to their size
 * @from: As many operands, aligned to the same size
 * @size: Bytes, a multiple of vsm_reduce_size()
 *
 * Each element is reduced by an atomic, relaxed operation of its own. .add of floating point
 * numbers rounds to nearest even. .add.f32 replaces subnormal operands and results by zeros of the
 * same sign; the other types keep subnormal numbers. .min and .max of .f16 and .bf16 return NaN
 * only if both operands are NaN, and -0 is less than +0. A result that is NaN is the canonical NaN,
 * except that .add.f64 keeps the payload of a NaN operand; if both operands are NaN, it keeps the
 * payload of the element. See PTX 9.7.9.25.4.2, 9.7.9.25.5.3 and 9.7.13.7; PTX 9.7.3 and 9.7.4
 * leave NaNs open.
 *
 * Context: may sleep between pieces of 16 KiB.
 */
void vsm_reduce(__u8 red, void *to, const void *from, __u32 size)
{
	for (; size > VSM_CORE_PIECE; size -= VSM_CORE_PIECE) {
		vsm_reduce_piece(red, to, from, VSM_CORE_PIECE);
		to += VSM_CORE_PIECE;
		from += VSM_CORE_PIECE;
		vsm_core_resched();
	}
	vsm_reduce_piece(red, to, from, size);
}
