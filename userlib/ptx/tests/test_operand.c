// SPDX-License-Identifier: MIT
/*
 * Operands of instructions: rows of registers and constants, predicates, and the errors about
 * operands and opcodes. (Special registers and addresses are in test_mov.c.)
 */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include <stdio.h>

#include "testing.h"
#include "alu_build.h"

static struct build b;

static int setup(void **state)
{
	build_init(&b);
	return 0;
}

static int teardown(void **state)
{
	build_free(&b);
	return 0;
}

static void build_pred(int reg)
{
	build_reg(&b, reg, TYPE_PRED);
	b.slots[reg] = (uint32_t)reg;
}

static void build_kind(int kind)
{
	build_operand(&b, (struct ptx_operand){ .kind = kind, .component = -1 });
}

/* Constants */

TEST(equal_constants_share_a_row)
{
	/* Enough constants that the memory grows several times. */
	for (uint32_t round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < 5000; i++) {
			uint64_t value = i * 0x100000001ull - 7;

			assert_int_equal(ptx_const_row(b.decoder, value),
					 PTX_ROW(FILE_CONST, (uint32_t)i));
		}
	}
	assert_int_equal(b.decoder->const_count, 5000);
	for (uint64_t i = 0; i < 5000; i++) {
		for (unsigned int lane = 0; lane < PTX_LANES; lane++)
			assert_int_equal(b.decoder->consts[i * PTX_LANES + lane],
					 i * 0x100000001ull - 7);
	}
}

/* The number to which a constant is converted for a type. */
static uint64_t converted(int kind, int64_t number, enum ptx_type type)
{
	struct ptx_operand operand = { .kind = kind, .number = number };
	uint32_t row;

	build_opcode(&b, "mov.type");
	assert_true(ptx_source_row(b.decoder, &b.insn, &operand, type, &row));
	assert_int_equal(row >> 30, FILE_CONST);
	return b.decoder->consts[(size_t)PTX_ROW_INDEX(row) * PTX_LANES];
}

TEST(constants_are_converted_to_the_type)
{
	assert_int_equal(converted(OPERAND_INT, -1, TYPE_U8), 0xff);
	assert_int_equal(converted(OPERAND_INT, -1, TYPE_S16), 0xffff);
	assert_int_equal(converted(OPERAND_INT, 0x123456789, TYPE_B32), 0x23456789);
	assert_int_equal(converted(OPERAND_INT, -1, TYPE_S64), ~0ull);
	assert_int_equal(converted(OPERAND_F32, 0x3fc00000, TYPE_F32), 0x3fc00000);
	assert_int_equal(converted(OPERAND_F32, 0x3fc00000, TYPE_B32), 0x3fc00000);
	assert_int_equal(converted(OPERAND_F32, 0x3fc00000, TYPE_F64), 0x3ff8000000000000);
	assert_int_equal(converted(OPERAND_F64, 0x3ff8000000000000, TYPE_F32), 0x3fc00000);
	assert_int_equal(converted(OPERAND_F64, 0x3ff8000000000000, TYPE_F64), 0x3ff8000000000000);
	assert_int_equal(converted(OPERAND_F64, 0x3ff8000000000000, TYPE_B64), 0x3ff8000000000000);
	/* 0.1 is rounded to the nearest float. */
	assert_int_equal(converted(OPERAND_F64, 0x3fb999999999999a, TYPE_F32), 0x3dcccccd);
}

TEST(constants_of_the_wrong_kind_are_refused)
{
	build_opcode(&b, "mov.f32");
	build_reg(&b, 0, TYPE_F32);
	build_operand(&b, operand_int(1));
	assert_refused(&b, "mov.f32 takes .f32 here, not an integer");

	build_opcode(&b, "add.u32");
	build_reg(&b, 0, TYPE_U32);
	build_reg(&b, 1, TYPE_U32);
	build_kind(OPERAND_F32);
	assert_refused(&b, "add.u32 takes .u32 here, not a floating-point number");

	build_opcode(&b, "mov.b32");
	build_reg(&b, 0, TYPE_B32);
	build_kind(OPERAND_F64);
	assert_refused(&b, "mov.b32 takes .b32 here, not a floating-point number");
}

/* Registers */

TEST(bits_agree_with_all_types_of_their_size)
{
	static const enum ptx_type types[] = { TYPE_B32, TYPE_U32, TYPE_S32, TYPE_F32,
					       TYPE_F16X2, TYPE_BF16X2 };

	for (unsigned int i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		build_opcode(&b, "and.b32");
		build_reg(&b, 0, types[i]);
		build_reg(&b, 1, types[i]);
		build_reg(&b, 2, TYPE_B32);
		assert_decoded(&b);
	}
	build_opcode(&b, "add.s32");
	build_reg(&b, 0, TYPE_U32);
	build_reg(&b, 1, TYPE_B32);
	build_reg(&b, 2, TYPE_S32);
	assert_decoded(&b);
}

TEST(registers_of_the_wrong_type_are_refused)
{
	static const enum ptx_type wrong[] = { TYPE_B16, TYPE_B64, TYPE_F32, TYPE_PRED, TYPE_U8 };

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[128];

		snprintf(text, sizeof(text),
			 "register %%r has the type .%s, but add.u32 takes .u32 here",
			 ptx_type_name(wrong[i]));
		for (int at = 0; at < 3; at++) {
			build_opcode(&b, "add.u32");
			for (int reg = 0; reg < 3; reg++)
				build_reg(&b, reg, reg == at ? wrong[i] : TYPE_U32);
			assert_refused(&b, text);
		}
	}
}

TEST(components_of_a_vector_are_registers)
{
	struct ptx_operand component = { .kind = OPERAND_REG, .reg = 4 };

	for (int i = 0; i < 4; i++) {
		b.regs[4 + i].type = TYPE_U32;
		build_opcode(&b, "mov.u32");
		build_reg(&b, 0, TYPE_U32);
		component.component = (int8_t)i;
		build_operand(&b, component);
		assert_decoded(&b);
		assert_int_equal(b.step.src[0], PTX_ROW(FILE_FRAME, 4u + (uint32_t)i));
		assert_int_equal(ptx_operand_type(b.decoder, &component), TYPE_U32);
	}
	component.reg = BUILD_REGS - 1;
	component.component = 1;
	build_opcode(&b, "mov.u32");
	build_reg(&b, 0, TYPE_U32);
	build_operand(&b, component);
	assert_refused(&b, "the vector register has no such component");
	assert_int_equal(ptx_operand_type(b.decoder, &component), TYPE_NONE);
}

TEST(other_operands_are_refused)
{
	static const struct {
		int kind;
		const char *name;
	} kinds[] = {
		{ OPERAND_LABEL, "a label" }, { OPERAND_ADDRESS, "an address in brackets" },
		{ OPERAND_VECTOR, "a vector" }, { OPERAND_PAIR, "a pair a|b" },
		{ OPERAND_LIST, "a list in parentheses" }, { OPERAND_SINK, "_" },
		{ OPERAND_TABLE, "a list of targets" },
	};

	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		build_opcode(&b, "add.u32");
		build_reg(&b, 0, TYPE_U32);
		build_reg(&b, 1, TYPE_U32);
		build_kind(kinds[i].kind);
		assert_refused(&b, kinds[i].name);
	}
	build_opcode(&b, "add.u32");
	build_operand(&b, operand_int(3));
	build_reg(&b, 1, TYPE_U32);
	build_reg(&b, 2, TYPE_U32);
	assert_refused(&b, "the destination of add.u32 is a register, not an integer");
	build_opcode(&b, "add.u32");
	build_kind(OPERAND_SINK);
	build_reg(&b, 1, TYPE_U32);
	build_reg(&b, 2, TYPE_U32);
	assert_refused(&b, "add.u32 takes a register as its destination, not _");
	build_opcode(&b, "mov.u32");
	build_kind(OPERAND_SINK);
	build_reg(&b, 1, TYPE_U32);
	assert_refused(&b, "the destination of mov is a register, not _");
}

TEST(only_predicates_are_inverted)
{
	build_opcode(&b, "not.b32");
	build_reg(&b, 0, TYPE_B32);
	build_reg(&b, 1, TYPE_B32);
	b.operands[1].inverted = true;
	assert_refused(&b, "only predicates are inverted with !");
	build_opcode(&b, "not.pred");
	build_pred(0);
	build_pred(1);
	b.operands[0].inverted = true;
	assert_refused(&b, "a destination cannot be inverted");
}

/* Opcodes */

TEST(wrong_numbers_of_operands_are_refused)
{
	build_opcode(&b, "add.u32");
	assert_refused(&b, "add.u32 takes 3 operands, not 0");
	build_reg(&b, 0, TYPE_U32);
	build_reg(&b, 1, TYPE_U32);
	assert_refused(&b, "add.u32 takes 3 operands, not 2");
	build_reg(&b, 2, TYPE_U32);
	build_reg(&b, 3, TYPE_U32);
	assert_refused(&b, "add.u32 takes 3 operands, not 4");
	build_opcode(&b, "mov.u32");
	build_reg(&b, 0, TYPE_U32);
	assert_refused(&b, "mov.u32 takes 2 operands, not 1");
}

TEST(unknown_modifiers_and_types_are_refused)
{
	build_opcode(&b, "sub.s8");
	assert_refused(&b,
		       "sub.s8 is not supported; sub takes .u16 .u32 .u64 .s16 .s32 .s64 .sat.s32");
	build_opcode(&b, "sub.s8");
	assert_refused(&b, ".sat.s32 and types of floats");
	build_opcode(&b, "add.sat.u32");
	assert_refused(&b, "add.sat.u32 is not supported; add takes");
	build_opcode(&b, "sub");
	assert_refused(&b, "sub is not supported; sub takes");
	build_opcode(&b, "add.cc.u16");
	assert_refused(&b, "add.cc.u16 is not supported; add.cc takes .u32 .s32 .u64 .s64");
	build_opcode(&b, "shf.l.b32");
	assert_refused(&b, "shf takes .l.clamp.b32 .l.wrap.b32 .r.clamp.b32 .r.wrap.b32");
	build_opcode(&b, "mov.b256");
	build_reg(&b, 0, TYPE_B64);
	build_reg(&b, 1, TYPE_B64);
	assert_refused(&b, "mov.b256 is not supported; mov takes .pred .b16 .b32 .b64");
	build_opcode(&b, "mov.u32.x");
	assert_refused(&b, "mov.u32.x is not supported");
}

TEST(opcodes_of_others_are_left_alone)
{
	static const char *const opcodes[] = {
		"bra", "addx.u32", "vadd.u32.u32.u32", "ld.global.u32", "movmatrix.sync", "a",
		"prmt2.b32", "cvta.global.u64", "mbarrier.init.shared.b64",
	};

	for (unsigned int i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		build_opcode(&b, opcodes[i]);
		assert_int_equal(build_decode(&b), NOT_MINE);
		assert_int_equal(b.messages.count, 0);
	}
}

TEST(the_table_of_lop3_has_256_entries)
{
	static const int64_t wrong[] = { -1, 256, INT64_MIN, INT64_MAX };

	for (unsigned int i = 0; i <= 4; i++) {
		build_opcode(&b, "lop3.b32");
		for (int reg = 0; reg < 4; reg++)
			build_reg(&b, reg, TYPE_B32);
		if (i < 4)
			build_operand(&b, operand_int(wrong[i]));
		else
			build_reg(&b, 4, TYPE_B32);
		assert_refused(&b, "operand 5 of lop3.b32 is a number from 0 to 255");
	}
	build_opcode(&b, "lop3.or.b32");
	for (int reg = 0; reg < 4; reg++)
		build_reg(&b, reg, TYPE_B32);
	build_operand(&b, operand_int(1));
	build_pred(5);
	assert_refused(&b, "lop3.or.b32 takes a destination d|p");
}

/* Predicates */

TEST(predicates_are_computed_for_all_lanes)
{
	static const struct {
		const char *opcode;
		int table;	/* results for q, p = 00, 01, 10, 11 */
		int sources;
	} forms[] = {
		{ "and.pred", 8, 2 }, { "or.pred", 14, 2 }, { "xor.pred", 6, 2 },
		{ "not.pred", 5, 1 }, { "mov.pred", 10, 1 },
	};

	for (unsigned int i = 0; i < 5 * 4; i++) {
		int not_p = i & 1;
		int not_q = i >> 1 & 1;
		uint32_t mask = 0xf0f01234;

		build_opcode(&b, forms[i / 4].opcode);
		build_pred(0);
		build_pred(1);
		b.operands[1].inverted = not_p;
		if (forms[i / 4].sources == 2) {
			build_pred(2);
			b.operands[2].inverted = not_q;
		}
		assert_decoded(&b);
		b.preds[0] = 0xaaaa5555;
		b.preds[1] = 0xff0ff0f0;
		b.preds[2] = 0x0fcccccc;
		build_execute(&b, mask);
		for (int lane = 0; lane < 32; lane++) {
			int p = (int)(0xff0ff0f0 >> lane & 1) ^ not_p;
			int q = (int)(0x0fcccccc >> lane & 1) ^ not_q;
			int result = forms[i / 4].table >> (2 * q + p) & 1;

			if (!(mask >> lane & 1))
				result = 0xaaaa5555 >> lane & 1;
			else if (forms[i / 4].sources == 1)
				result = forms[i / 4].table >> p & 1;
			assert_int_equal(b.preds[0] >> lane & 1, result);
		}
		assert_int_equal(b.preds[1], 0xff0ff0f0);
		assert_int_equal(b.preds[2], 0x0fcccccc);
	}
}

TEST(predicates_may_be_constants)
{
	static const struct {
		int64_t number;
		uint32_t lanes;
	} constants[] = { { 0, 0 }, { 1, ~0u }, { -1, ~0u } };

	for (unsigned int i = 0; i < 3; i++) {
		build_opcode(&b, "mov.pred");
		build_pred(0);
		build_operand(&b, operand_int(constants[i].number));
		assert_decoded(&b);
		b.preds[0] = 0x12345678;
		build_execute(&b, 0xffff);
		assert_int_equal(b.preds[0], 0x12340000 | (constants[i].lanes & 0xffff));
	}
	build_opcode(&b, "mov.pred");
	build_pred(0);
	build_operand(&b, operand_int(2));
	assert_refused(&b, "a predicate is 0 or 1, not 2");
	build_opcode(&b, "mov.pred");
	build_pred(0);
	build_reg(&b, 1, TYPE_B32);
	assert_refused(&b, "register %r has the type .b32, but mov.pred takes a predicate here");
	build_opcode(&b, "selp.u32");
	for (int reg = 0; reg < 3; reg++)
		build_reg(&b, reg, TYPE_U32);
	build_kind(OPERAND_LABEL);
	assert_refused(&b, "selp.u32 takes a predicate here, not a label");
}

TEST_MAIN()
