// SPDX-License-Identifier: MIT
/*
 * Logic: and, or, xor, not, cnot, lop3.
 */
#include "code/alu_int.h"

PTX_ALU_2(and_row, x & y)
PTX_ALU_2(or_row, x | y)
PTX_ALU_2(xor_row, x ^ y)
PTX_ALU_1(not_16, (u16)~x)
PTX_ALU_1(not_32, (u32)~x)
PTX_ALU_1(not_64, ~x)
PTX_ALU_1(cnot_row, !x)

static void and_pred(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	ptx_set_pred(regs, step->dst, mask,
		     ptx_pred(regs, step->src[0]) & ptx_pred(regs, step->src[1]));
}

static void or_pred(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	ptx_set_pred(regs, step->dst, mask,
		     ptx_pred(regs, step->src[0]) | ptx_pred(regs, step->src[1]));
}

static void xor_pred(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	ptx_set_pred(regs, step->dst, mask,
		     ptx_pred(regs, step->src[0]) ^ ptx_pred(regs, step->src[1]));
}

static void not_pred(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	ptx_set_pred(regs, step->dst, mask, ~ptx_pred(regs, step->src[0]));
}

/* struct lop3_table - The table of lop3: for each index 4a + 2b + c all bits 0, or all bits 1 */
struct lop3_table {
	u32 bits[8];
};

static struct lop3_table lop3_table(uint64_t imm)
{
	struct lop3_table table;

	for (unsigned int i = 0; i < 8; i++)
		table.bits[i] = imm >> i & 1 ? ~0u : 0;
	return table;
}

/* Each bit of @which selects a bit of @one or of @zero. */
static inline u32 choose(u32 which, u32 one, u32 zero)
{
	return zero ^ (which & (one ^ zero));
}

static inline u32 lop3(const struct lop3_table *table, u64 a, u64 b, u64 c)
{
	const u32 *t = table->bits;
	u32 c0 = choose((u32)c, t[1], t[0]);
	u32 c1 = choose((u32)c, t[3], t[2]);
	u32 c2 = choose((u32)c, t[5], t[4]);
	u32 c3 = choose((u32)c, t[7], t[6]);

	return choose((u32)a, choose((u32)b, c3, c2), choose((u32)b, c1, c0));
}

static void lop3_row(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	const struct lop3_table table = lop3_table(step->imm);
	u64 *d = ptx_row(regs, step->dst);
	const u64 *a = ptx_row(regs, step->src[0]);
	const u64 *b = ptx_row(regs, step->src[1]);
	const u64 *c = ptx_row(regs, step->src[2]);

	PTX_FOR_LANES(mask, i, d[i] = lop3(&table, a[i], b[i], c[i]));
}

/* The lanes whose result is not 0. The result is written to the destination, if there is one. */
static u32 lop3_nonzero(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	const struct lop3_table table = lop3_table(step->imm);
	u64 *d = step->dst == PTX_NO_ROW ? NULL : ptx_row(regs, step->dst);
	const u64 *a = ptx_row(regs, step->src[0]);
	const u64 *b = ptx_row(regs, step->src[1]);
	const u64 *c = ptx_row(regs, step->src[2]);
	u32 nonzero = 0;

	for (u32 left = mask; left; left &= left - 1) {
		u32 i = (u32)__builtin_ctz(left);
		u32 result = lop3(&table, a[i], b[i], c[i]);

		nonzero |= (u32)!!result << i;
		if (d)
			d[i] = result;
	}
	return nonzero;
}

static void lop3_or(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	u32 nonzero = lop3_nonzero(step, regs, mask);

	ptx_set_pred(regs, step->dst2, mask, nonzero | ptx_pred(regs, step->src[3]));
}

static void lop3_and(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	u32 nonzero = lop3_nonzero(step, regs, mask);

	ptx_set_pred(regs, step->dst2, mask, nonzero & ptx_pred(regs, step->src[3]));
}

#define FORMS_LOGIC(op) \
	FORM_2(".pred", op##_pred, TYPE_PRED), \
	FORM_2(".b16", op##_row, TYPE_B16), \
	FORM_2(".b32", op##_row, TYPE_B32), \
	FORM_2(".b64", op##_row, TYPE_B64)

#define FORM_LOP3_SOURCES	TYPE_B32, TYPE_B32, TYPE_B32, PTX_FORM_IMM

static const struct ptx_alu_form and_forms[] = { FORMS_LOGIC(and) };
static const struct ptx_alu_form or_forms[] = { FORMS_LOGIC(or) };
static const struct ptx_alu_form xor_forms[] = { FORMS_LOGIC(xor) };

static const struct ptx_alu_form not_forms[] = {
	FORM_1(".pred", not_pred, TYPE_PRED),
	FORM_1(".b16", not_16, TYPE_B16),
	FORM_1(".b32", not_32, TYPE_B32),
	FORM_1(".b64", not_64, TYPE_B64),
};

static const struct ptx_alu_form cnot_forms[] = {
	FORM_1(".b16", cnot_row, TYPE_B16),
	FORM_1(".b32", cnot_row, TYPE_B32),
	FORM_1(".b64", cnot_row, TYPE_B64),
};

static const struct ptx_alu_form lop3_forms[] = {
	{ ".b32", lop3_row, TYPE_B32, { FORM_LOP3_SOURCES }, false },
	{ ".or.b32", lop3_or, TYPE_B32, { FORM_LOP3_SOURCES, TYPE_PRED }, true },
	{ ".and.b32", lop3_and, TYPE_B32, { FORM_LOP3_SOURCES, TYPE_PRED }, true },
};

static const struct ptx_alu_group groups[] = {
	PTX_GROUP("and", and_forms),
	PTX_GROUP("or", or_forms),
	PTX_GROUP("xor", xor_forms),
	PTX_GROUP("not", not_forms),
	PTX_GROUP("cnot", cnot_forms),
	PTX_GROUP("lop3", lop3_forms),
};

enum ptx_decoded ptx_logic_decode(struct ptx_decoder *d, const struct ptx_insn *insn,
				  struct ptx_step *step)
{
	return ptx_alu_decode_forms(groups, ARRAY_SIZE(groups), d, insn, step);
}
