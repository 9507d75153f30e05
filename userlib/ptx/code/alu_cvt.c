// SPDX-License-Identifier: MIT
/*
 * Conversion between types: cvt (PTX ISA, 9.7.9.21). cvt.pack is in another file.
 *
 * A value is taken apart into a sign, an exponent and 64 bits, rounded as integers are, and put
 * together: exact for all types and rounding modes, whatever the mode of the machine is.
 */
#include "code/alu_decoders.h"
#include "code/alu_float_ops.h"
#include "code/decoder.h"

#define INTS \
	(TYPE_BIT(TYPE_U8) | TYPE_BIT(TYPE_U16) | TYPE_BIT(TYPE_U32) | TYPE_BIT(TYPE_U64) | \
	 TYPE_BIT(TYPE_S8) | TYPE_BIT(TYPE_S16) | TYPE_BIT(TYPE_S32) | TYPE_BIT(TYPE_S64))
#define FLOATS \
	(TYPE_BIT(TYPE_F16) | TYPE_BIT(TYPE_BF16) | TYPE_BIT(TYPE_F32) | TYPE_BIT(TYPE_F64))
#define PACKED	(TYPE_BIT(TYPE_F16X2) | TYPE_BIT(TYPE_BF16X2))

/* In &ptx_step.imm, above the modifiers. */
#define IMM_TO(imm)	((enum ptx_type)((imm) >> 32 & 0xff))
#define IMM_FROM(imm)	((enum ptx_type)((imm) >> 40 & 0xff))
#define IMM_WIDTH(imm)	((unsigned int)((imm) >> 48 & 0xff))	/* bits of the register */

/* Types that enum ptx_type does not have: two values in 16 bits. */
#define TYPE_E4M3X2	((enum ptx_type)TYPES)
#define TYPE_E5M2X2	((enum ptx_type)(TYPES + 1))

static const struct ptx_format *format_of(enum ptx_type type)
{
	switch ((unsigned int)type) {
	case TYPE_E4M3X2:
		return &ptx_e4m3;
	case TYPE_E5M2X2:
		return &ptx_e5m2;
	case TYPE_F16:
	case TYPE_F16X2:
		return &ptx_f16;
	case TYPE_BF16:
	case TYPE_BF16X2:
		return &ptx_bf16;
	case TYPE_TF32:
		return &ptx_tf32;
	case TYPE_F32:
		return &ptx_f32;
	case TYPE_F64:
		return &ptx_f64;
	default:
		return NULL;
	}
}

static unsigned int bits_of(enum ptx_type type)
{
	return 8 * ptx_type_size(type);
}

static uint64_t low_bits(uint64_t value, unsigned int bits)
{
	return bits >= 64 ? value : value & ((1ull << bits) - 1);
}

/* The lowest 64 - @shift bits, extended to 64. */
static inline uint64_t extend(uint64_t value, unsigned int shift, bool sign)
{
	value <<= shift;
	return sign ? (uint64_t)((int64_t)value >> shift) : value >> shift;
}

static struct ptx_number load(uint64_t imm, uint64_t bits)
{
	enum ptx_type from = IMM_FROM(imm);
	const struct ptx_format *format = format_of(from);
	struct ptx_number number = { .kind = NUMBER_FINITE };

	if (format) {
		/* An H100 does not flush the source of a conversion to f16. */
		if (from == TYPE_F32 && imm & MOD_FTZ && IMM_TO(imm) != TYPE_F16)
			bits = f32_flush((uint32_t)bits);
		return ptx_float_unpack(format, bits);
	}
	number.fraction = extend(bits, 64 - bits_of(from), ptx_type_is_signed(from));
	if (ptx_type_is_signed(from) && number.fraction >> 63) {
		number.sign = true;
		number.fraction = -number.fraction;
	}
	return number;
}

/* An integer limited to the range of its type. */
static uint64_t store_integer(uint64_t imm, struct ptx_number number)
{
	enum ptx_type to = IMM_TO(imm);
	unsigned int bits = bits_of(to);
	bool is_signed = ptx_type_is_signed(to);
	uint64_t largest = ~0ull >> (64 - bits + is_signed);
	uint64_t magnitude;

	if (number.kind == NUMBER_NAN)
		return IMM_FROM(imm) != TYPE_F64 && bits < 64 ? 0 : 1ull << (bits - 1);
	if (number.kind == NUMBER_FINITE)
		ptx_float_round(&number, ptx_form_round((uint32_t)imm));
	if (number.kind == NUMBER_FINITE && !number.fraction)
		return 0;
	if (number.sign)
		largest = is_signed ? largest + 1 : 0;
	if (number.kind == NUMBER_INF || number.exponent > __builtin_clzll(number.fraction))
		magnitude = largest;
	else
		magnitude = number.fraction << number.exponent;
	if (magnitude > largest)
		magnitude = largest;
	return number.sign ? -magnitude : magnitude;
}

/* The NaN that a NaN becomes on an H100. Each line is for some pairs of types. */
static uint64_t nan_of(uint64_t imm, const struct ptx_number *number)
{
	enum ptx_type to = IMM_TO(imm), from = IMM_FROM(imm);
	const struct ptx_format *format = format_of(to);
	const uint64_t last = 1ull << format->shift, sign = ptx_float_sign(format);
	const uint64_t quiet = last << (format->fraction - 1);
	uint64_t kept = (number->sign ? sign : 0) | ptx_float_inf(format) |
			number->fraction >> (64 - format->fraction) << format->shift;

	if (to == TYPE_E4M3X2 || to == TYPE_E5M2X2)
		return 0x7f;
	if (!(imm & (MOD_FTZ | MOD_IRND)) &&
	    (to == from ? to == TYPE_F32 || to == TYPE_F64 : to == TYPE_F32 && from == TYPE_BF16))
		return kept;
	if (imm & MOD_RNA)
		return imm & MOD_SATFINITE ? kept - last : kept;
	if (to == TYPE_F64 && imm & MOD_FTZ)
		return F64_INF | (uint64_t)(F32_NAN & ~F32_INF) << 29;
	if (to == TYPE_F64 || from == TYPE_F64)
		return kept | quiet;
	return sign - last;
}

static uint64_t store_float(uint64_t imm, struct ptx_number number)
{
	enum ptx_type to = IMM_TO(imm);
	const struct ptx_format *format = format_of(to);
	uint64_t sign = ptx_float_sign(format);
	uint64_t inf = ptx_float_inf(format);
	enum ptx_round mode = ptx_form_round((uint32_t)imm);
	uint64_t bits;

	if (number.kind == NUMBER_NAN)
		return imm & MOD_SAT ? 0 : nan_of(imm, &number);
	if (number.kind == NUMBER_INF) {
		bits = inf | (number.sign ? sign : 0);
	} else {
		if (imm & MOD_IRND)
			ptx_float_round(&number, mode);
		bits = ptx_float_pack(format, mode, &number);
	}
	if (imm & MOD_SATFINITE && (bits & ~sign) == inf)
		bits = (bits & sign) | ptx_float_max(format);
	if (to == TYPE_F32 && imm & MOD_FTZ)
		bits = f32_flush((uint32_t)bits);
	if (imm & (MOD_SAT | MOD_RELU) && bits & sign)
		return 0;
	if (imm & MOD_SAT) {
		const struct ptx_number one = { .kind = NUMBER_FINITE, .fraction = 1 };
		uint64_t limit = ptx_float_pack(format, ROUND_NEAREST, &one);

		return bits > limit ? limit : bits;
	}
	return bits;
}

static void any_to_float(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	uint64_t *d = ptx_row(regs, step->dst);
	const uint64_t *a = ptx_row(regs, step->src[0]);

	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);

		d[i] = store_float(step->imm, load(step->imm, a[i]));
	}
}

static void float_to_int(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	const unsigned int shift = 64 - bits_of(IMM_TO(step->imm));
	const bool sign = ptx_type_is_signed(IMM_TO(step->imm));
	const unsigned int width = IMM_WIDTH(step->imm);
	uint64_t *d = ptx_row(regs, step->dst);
	const uint64_t *a = ptx_row(regs, step->src[0]);

	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);
		uint64_t value = store_integer(step->imm, load(step->imm, a[i]));

		d[i] = low_bits(extend(value, shift, sign), width);
	}
}

/* With .sat; a number that is too large or too small for the type is limited as floats are. */
static void int_to_int_sat(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	float_to_int(step, regs, mask);
}

static void int_to_int(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	const enum ptx_type from = IMM_FROM(step->imm);
	const enum ptx_type to = IMM_TO(step->imm);
	const unsigned int from_shift = 64 - bits_of(from);
	const unsigned int to_shift = 64 - bits_of(to);
	const uint64_t width = low_bits(~0ull, IMM_WIDTH(step->imm));
	uint64_t *d = ptx_row(regs, step->dst);
	const uint64_t *a = ptx_row(regs, step->src[0]);

	if (!ptx_type_is_signed(from) && !ptx_type_is_signed(to))
		FOR_FLOAT_LANES(mask, d, i,
				extend(extend(a[i], from_shift, false), to_shift, false) & width);
	else
		FOR_FLOAT_LANES(mask, d, i,
				extend(extend(a[i], from_shift, ptx_type_is_signed(from)),
				       to_shift, ptx_type_is_signed(to)) & width);
}

/* d, a, b: a becomes the upper half of d, b the lower half. */
static void f32_to_packed(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	uint64_t *d = ptx_row(regs, step->dst);
	const uint64_t *a = ptx_row(regs, step->src[0]);
	const uint64_t *b = ptx_row(regs, step->src[1]);

	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);

		d[i] = store_float(step->imm, load(step->imm, a[i])) << 16 |
		       store_float(step->imm, load(step->imm, b[i]));
	}
}

/* d, a, b: a becomes the upper byte of d, b the lower byte. */
static void f32_to_fp8(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	uint64_t *d = ptx_row(regs, step->dst);
	const uint64_t *a = ptx_row(regs, step->src[0]);
	const uint64_t *b = ptx_row(regs, step->src[1]);

	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);

		d[i] = store_float(step->imm, load(step->imm, a[i])) << 8 |
		       store_float(step->imm, load(step->imm, b[i]));
	}
}

static void f16x2_to_fp8(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	uint64_t *d = ptx_row(regs, step->dst);
	const uint64_t *a = ptx_row(regs, step->src[0]);

	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);

		d[i] = store_float(step->imm, load(step->imm, a[i] >> 16 & 0xffff)) << 8 |
		       store_float(step->imm, load(step->imm, a[i] & 0xffff));
	}
}

static void fp8_to_f16x2(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	uint64_t *d = ptx_row(regs, step->dst);
	const uint64_t *a = ptx_row(regs, step->src[0]);

	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);

		d[i] = store_float(step->imm, load(step->imm, a[i] >> 8 & 0xff)) << 16 |
		       store_float(step->imm, load(step->imm, a[i] & 0xff));
	}
}

/* Does @to have numbers that @from does not, so that .sat can change something? */
static bool can_saturate(enum ptx_type to, enum ptx_type from)
{
	if (ptx_type_is_signed(from))
		return !ptx_type_is_signed(to) || bits_of(to) < bits_of(from);
	return bits_of(to) < bits_of(from) + (ptx_type_is_signed(to) ? 1 : 0);
}

/* Does a value of @from always fit @to exactly? */
static bool is_exact(enum ptx_type to, enum ptx_type from)
{
	const struct ptx_format *t = format_of(to);
	const struct ptx_format *f = format_of(from);

	return t->exponent >= f->exponent && t->fraction >= f->fraction;
}

/* Modifiers that the conversion takes, and of which it needs one. */
static void rules_of(enum ptx_type to, enum ptx_type from, uint32_t *takes, uint32_t *needs)
{
	const bool to_int = TYPE_BIT(to) & INTS;
	const bool from_int = TYPE_BIT(from) & INTS;
	const uint32_t ftz = to == TYPE_F32 || from == TYPE_F32 ? MOD_FTZ : 0;
	const uint32_t sat = to == TYPE_BF16 || from == TYPE_BF16 ? 0 : MOD_SAT;

	*needs = 0;
	if (to_int && from_int) {
		*takes = can_saturate(to, from) ? MOD_SAT : 0;
	} else if (to_int) {
		*takes = MOD_IRND | ftz | sat;
		*needs = MOD_IRND;
	} else if (from_int) {
		*takes = MOD_RND | ftz | sat;
		*needs = MOD_RND;
	} else if (to == from) {
		*takes = MOD_IRND | ftz | sat;
	} else if (is_exact(to, from)) {
		/* A rounding of bf16 has no effect, but ptxas takes it, and wants it for f64. */
		*takes = ftz | sat | (from == TYPE_BF16 ? MOD_RND : 0);
	} else {
		*takes = MOD_RND | ftz | sat;
		/* Between the types of 16 bits it rounds to nearest without a modifier. */
		*needs = ptx_type_size(to) < ptx_type_size(from) ? MOD_RND : 0;
		if (from == TYPE_F32)
			*takes |= MOD_RELU | MOD_SATFINITE;
	}
}

/* May registers be wider than their types? Not in conversions of these types. */
static bool takes_wider(enum ptx_type to, enum ptx_type from)
{
	return !((TYPE_BIT(to) | TYPE_BIT(from)) &
		 (TYPE_BIT(TYPE_BF16) | TYPE_BIT(TYPE_BF16X2) | TYPE_BIT(TYPE_TF32)));
}

/* Is the operand a register that is wider than the type, and that can be used for it? */
static bool is_wider(struct ptx_decoder *d, const struct ptx_operand *operand, enum ptx_type type)
{
	const uint32_t bit_types = TYPE_BIT(TYPE_B16) | TYPE_BIT(TYPE_B32) | TYPE_BIT(TYPE_B64);
	enum ptx_type reg = ptx_operand_type(d, operand);

	if (ptx_type_size(reg) <= ptx_type_size(type))
		return false;
	return TYPE_BIT(reg) & (TYPE_BIT(type) & INTS ? bit_types | INTS : bit_types);
}

static enum ptx_decoded refuse_sink(struct ptx_decoder *d, const struct ptx_insn *insn)
{
	return ptx_refuse(d, insn, "%.*s takes a register as its destination, not _",
			  (int)insn->opcode.length, insn->opcode.text);
}

static bool decode_operands(struct ptx_decoder *d, const struct ptx_insn *insn,
			    struct ptx_step *step, enum ptx_type to, enum ptx_type from,
			    unsigned int sources)
{
	const struct ptx_operand *dst = &insn->operands[0];
	bool wider = takes_wider(to, from);
	enum ptx_type reg = to;

	if (!ptx_form_operands(d, insn, 1 + sources))
		return false;
	if (wider && is_wider(d, dst, to))
		reg = ptx_operand_type(d, dst);
	if (!ptx_target_row(d, insn, dst, reg, &step->dst))
		return false;
	if (step->dst == PTX_NO_ROW) {
		refuse_sink(d, insn);
		return false;
	}
	step->imm |= (uint64_t)bits_of(reg) << 48;
	for (unsigned int i = 0; i < sources; i++) {
		const struct ptx_operand *src = &insn->operands[1 + i];

		if (src->kind == OPERAND_SPECIAL &&
		    !(TYPE_BIT(to) & INTS && TYPE_BIT(from) & INTS)) {
			ptx_refuse(d, insn,
				   "%.*s takes no special register; read it with mov first",
				   (int)insn->opcode.length, insn->opcode.text);
			return false;
		}
		if (!ptx_source_row(d, insn, src,
				    wider && is_wider(d, src, from) ?
				    ptx_operand_type(d, src) : from, &step->src[i]))
			return false;
	}
	return true;
}

static enum ptx_decoded decode_packed(struct ptx_decoder *d, const struct ptx_insn *insn,
				      struct ptx_step *step, uint32_t *mods)
{
	if (!ptx_form_modifiers(d, insn, 1, insn->part_count - 2,
				MOD_RN | MOD_RZ | MOD_RELU | MOD_SATFINITE, MOD_RN | MOD_RZ, mods))
		return REFUSED;
	step->alu = f32_to_packed;
	return DECODED;
}

static enum ptx_decoded decode_tf32(struct ptx_decoder *d, const struct ptx_insn *insn,
				    struct ptx_step *step, uint32_t *mods)
{
	if (!ptx_form_modifiers(d, insn, 1, insn->part_count - 2,
				MOD_RN | MOD_RZ | MOD_RNA | MOD_RELU | MOD_SATFINITE,
				MOD_RN | MOD_RZ | MOD_RNA, mods))
		return REFUSED;
	if ((*mods & MOD_RNA) && (*mods & MOD_RELU))
		return ptx_refuse(d, insn, "cvt.tf32.f32 takes .relu with .rn or .rz only");
	if ((*mods & MOD_SATFINITE) && !(*mods & MOD_RNA))
		return ptx_refuse(d, insn, "cvt.tf32.f32 takes .satfinite with .rna only");
	step->alu = any_to_float;
	return DECODED;
}

static enum ptx_type fp8_type(const struct ptx_insn *insn, unsigned int part)
{
	if (ptx_insn_part_is(insn, part, "e4m3x2"))
		return TYPE_E4M3X2;
	return ptx_insn_part_is(insn, part, "e5m2x2") ? TYPE_E5M2X2 : TYPE_NONE;
}

/* Conversions to and from two values of 8 bits in a register of 16 bits. */
static enum ptx_decoded decode_fp8(struct ptx_decoder *d, const struct ptx_insn *insn,
				   struct ptx_step *step)
{
	enum ptx_type to = fp8_type(insn, insn->part_count - 2);
	enum ptx_type from = fp8_type(insn, insn->part_count - 1);
	enum ptx_type other = ptx_form_type(insn, insn->part_count - (to ? 1 : 2));
	bool from_f32 = to && other == TYPE_F32;
	uint32_t mods;

	if ((to && from) || (other != TYPE_F16X2 && !from_f32))
		return ptx_refuse(d, insn, "%.*s: types of 8 bits convert with .f32 and .f16x2",
				  (int)insn->opcode.length, insn->opcode.text);
	if (!ptx_form_modifiers(d, insn, 1, insn->part_count - 2,
				MOD_RN | MOD_RELU | (to ? MOD_SATFINITE : 0), MOD_RN, &mods))
		return REFUSED;
	if (to && !(mods & MOD_SATFINITE))
		return ptx_refuse(d, insn, "%.*s needs .satfinite", (int)insn->opcode.length,
				  insn->opcode.text);
	if (!ptx_form_operands(d, insn, from_f32 ? 3 : 2) ||
	    !ptx_target_row(d, insn, &insn->operands[0], to ? TYPE_B16 : TYPE_F16X2, &step->dst))
		return REFUSED;
	if (step->dst == PTX_NO_ROW)
		return refuse_sink(d, insn);
	if (ptx_operand_type(d, &insn->operands[!to]) != TYPE_B16)
		return ptx_refuse(d, insn, "%.*s takes a .b16 register for the type of 8 bits",
				  (int)insn->opcode.length, insn->opcode.text);
	for (unsigned int i = 1; i < insn->operand_count; i++)
		if (!ptx_source_row(d, insn, &insn->operands[i], to ? other : TYPE_B16,
				    &step->src[i - 1]))
			return REFUSED;
	/* Halves are taken one by one, as f16. */
	other = from_f32 ? TYPE_F32 : TYPE_F16;
	step->imm = mods | (uint64_t)(to ? to : other) << 32 | (uint64_t)(to ? other : from) << 40;
	step->alu = from_f32 ? f32_to_fp8 : to ? f16x2_to_fp8 : fp8_to_f16x2;
	return DECODED;
}

static enum ptx_decoded decode_scalar(struct ptx_decoder *d, const struct ptx_insn *insn,
				      struct ptx_step *step, enum ptx_type to, enum ptx_type from,
				      uint32_t *mods)
{
	uint32_t takes, needs;

	rules_of(to, from, &takes, &needs);
	if (!ptx_form_modifiers(d, insn, 1, insn->part_count - 2, takes, needs, mods))
		return REFUSED;
	if ((*mods & (MOD_RELU | MOD_SATFINITE)) && (*mods & (MOD_RM | MOD_RP | MOD_FTZ | MOD_SAT)))
		return ptx_refuse(d, insn, "%.*s: .relu and .satfinite need .rn or .rz",
				  (int)insn->opcode.length, insn->opcode.text);
	if (!(TYPE_BIT(to) & INTS))
		step->alu = any_to_float;
	else if (!(TYPE_BIT(from) & INTS))
		step->alu = float_to_int;
	else
		step->alu = *mods & MOD_SAT ? int_to_int_sat : int_to_int;
	return DECODED;
}

#define SUPPORTED \
	"integers, .f16, .bf16, .f32 and .f64; .tf32, .f16x2 and .bf16x2 from .f32; " \
	".e4m3x2 and .e5m2x2 from .f32 and .f16x2"

enum ptx_decoded ptx_cvt_decode(struct ptx_decoder *d, const struct ptx_insn *insn,
				struct ptx_step *step)
{
	enum ptx_decoded decoded;
	enum ptx_type to, from;
	uint32_t mods = 0;
	ptx_alu_fn *fast;

	if (!ptx_insn_part_is(insn, 0, "cvt") || ptx_insn_part_is(insn, 1, "pack"))
		return NOT_MINE;
	if (insn->part_count < 3)
		return ptx_refuse(d, insn, "%.*s: cvt takes two types, .to.from",
				  (int)insn->opcode.length, insn->opcode.text);
	if (fp8_type(insn, insn->part_count - 1) || fp8_type(insn, insn->part_count - 2))
		return decode_fp8(d, insn, step);
	to = ptx_form_type(insn, insn->part_count - 2);
	from = ptx_form_type(insn, insn->part_count - 1);
	if ((TYPE_BIT(to) & PACKED) && from == TYPE_F32)
		decoded = decode_packed(d, insn, step, &mods);
	else if (to == TYPE_TF32 && from == TYPE_F32)
		decoded = decode_tf32(d, insn, step, &mods);
	else if ((TYPE_BIT(to) & (INTS | FLOATS)) && (TYPE_BIT(from) & (INTS | FLOATS)))
		decoded = decode_scalar(d, insn, step, to, from, &mods);
	else
		return ptx_refuse(d, insn, "%.*s is not supported; cvt takes " SUPPORTED,
				  (int)insn->opcode.length, insn->opcode.text);
	if (decoded != DECODED)
		return decoded;
	fast = ptx_cvt_fast(to, from, mods);
	step->imm = mods | (uint64_t)to << 32 | (uint64_t)from << 40;
	if (!decode_operands(d, insn, step, to, from, TYPE_BIT(to) & PACKED ? 2 : 1))
		return REFUSED;
	if (fast && IMM_WIDTH(step->imm) == bits_of(to))
		step->alu = fast;
	return DECODED;
}
