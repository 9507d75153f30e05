// SPDX-License-Identifier: MIT
/*
 * The arithmetic of atomic operations.
 */
#include "code/float_bits.h"
#include "run/atom_value.h"

/*
 * The machine rounds to nearest here: instructions with another rounding restore this mode. With
 * @flush, operands and results that are subnormal become zeros of the same sign.
 */
static uint32_t add_f32(uint32_t a, uint32_t b, bool flush)
{
	uint32_t sum;

	if (flush) {
		a = f32_flush(a);
		b = f32_flush(b);
	}
	sum = f32_bits(f32_value(a) + f32_value(b));
	if (f32_is_nan(sum))
		return F32_NAN;
	return flush ? f32_flush(sum) : sum;
}

static uint64_t add_f64(uint64_t a, uint64_t b)
{
	uint64_t sum = f64_bits(f64_value(a) + f64_value(b));

	if (!f64_is_nan(sum))
		return sum;
	if (f64_is_nan(a))
		return a | F64_QUIET;
	return f64_is_nan(b) ? b | F64_QUIET : F64_NAN;
}

/* A sum of two f16 is exact as a double. */
static uint32_t add_f16(uint16_t a, uint16_t b)
{
	return f16_from_f64((double)f32_value(f32_from_f16(a)) +
			    (double)f32_value(f32_from_f16(b)));
}

/*
 * A double has more than twice the bits of a bf16 and two more, so that rounding the sum twice is
 * the same as rounding it once.
 */
static uint32_t add_bf16(uint16_t a, uint16_t b)
{
	return bf16_from_f64((double)f32_value(f32_from_bf16(a)) +
			     (double)f32_value(f32_from_bf16(b)));
}

static uint64_t add(enum ptx_type type, uint64_t old, uint64_t b, bool flush)
{
	switch (type) {
	case TYPE_F32:
		return add_f32(old, b, flush);
	case TYPE_F64:
		return add_f64(old, b);
	case TYPE_F16:
		return add_f16(old, b);
	case TYPE_F16X2:
		return add_f16(old, b) | add_f16(old >> 16, b >> 16) << 16;
	case TYPE_BF16:
		return add_bf16(old, b);
	case TYPE_BF16X2:
		return add_bf16(old, b) | add_bf16(old >> 16, b >> 16) << 16;
	default:
		return old + b;
	}
}

/*
 * min or max of two halves. A number wins against a NaN, and +0 is more than -0: the order of the
 * bits is that of the values, if those of negative values are inverted.
 */
static uint64_t min_max_half(bool max, uint16_t nan, uint16_t x, uint16_t y)
{
	uint16_t x_order = x & 0x8000 ? ~x : x | 0x8000;
	uint16_t y_order = y & 0x8000 ? ~y : y | 0x8000;

	if ((x & 0x7fff) > nan)
		return (y & 0x7fff) > nan ? 0x7fff : y;
	if ((y & 0x7fff) > nan)
		return x;
	return (x_order < y_order) == max ? y : x;
}

static uint64_t min_max_halves(const struct ptx_access *access, uint64_t old, uint64_t b)
{
	uint16_t nan = access->type == TYPE_F16 || access->type == TYPE_F16X2 ? 0x7c00 : 0x7f80;
	bool max = access->atom == ATOM_MAX;
	uint64_t low = min_max_half(max, nan, old, b);

	return access->size == 2 ? low
				 : low | min_max_half(max, nan, old >> 16, b >> 16) << 16;
}

static bool is_half(enum ptx_type type)
{
	return type == TYPE_F16 || type == TYPE_F16X2 || type == TYPE_BF16 || type == TYPE_BF16X2;
}

static bool less(enum ptx_type type, uint64_t x, uint64_t y)
{
	switch (type) {
	case TYPE_S32:
		return (int32_t)x < (int32_t)y;
	case TYPE_S64:
		return (int64_t)x < (int64_t)y;
	default:
		return x < y;
	}
}

uint64_t ptx_atom_value(const struct ptx_access *access, uint64_t old, uint64_t b, uint64_t c,
			bool flush)
{
	if (is_half(access->type) && access->atom != ATOM_ADD)
		return min_max_halves(access, old, b);
	switch (access->atom) {
	case ATOM_CAS:
		return old == b ? c : old;
	case ATOM_ADD:
		return add(access->type, old, b, flush);
	case ATOM_INC:
		return old >= b ? 0 : old + 1;
	case ATOM_DEC:
		return !old || old > b ? b : old - 1;
	case ATOM_MIN:
		return less(access->type, b, old) ? b : old;
	case ATOM_MAX:
		return less(access->type, old, b) ? b : old;
	case ATOM_AND:
		return old & b;
	case ATOM_OR:
		return old | b;
	case ATOM_XOR:
		return old ^ b;
	default: /* ATOM_EXCH */
		return b;
	}
}
