// SPDX-License-Identifier: MIT
/* The parser of modules: instructions, operands, labels and scopes. */
#include "parse_build.h"

/* Instruction @i of the first function. */
static const struct ptx_insn *insn(const struct ptx_module *module, unsigned int i)
{
	assert_true(module->function_count > 0);
	assert_true(i < module->functions[0]->insn_count);
	return &module->functions[0]->insns[i];
}

/* Operand @j of instruction @i. It must be of the kind @kind. */
static const struct ptx_operand *operand(const struct ptx_module *module, unsigned int i,
					 unsigned int j, int kind)
{
	assert_true(j < insn(module, i)->operand_count);
	assert_int_equal(insn(module, i)->operands[j].kind, kind);
	return &insn(module, i)->operands[j];
}

static const char *reg_name(const struct ptx_module *module, int32_t reg)
{
	assert_in_range(reg, 0, module->functions[0]->reg_count - 1);
	return module->functions[0]->regs[reg].name;
}

#define assert_reg(module, operand, name) \
	assert_string_equal(reg_name(module, (operand)->reg), name)

TEST(the_beginning_of_a_module_is_read)
{
	struct ptx_module *module;

	module = parse_whole("// comment\n.version 8.5 /* x */\n.target sm_90a, debug\n"
			     ".address_size 64\n");
	assert_string_equal(module->path, "t.ptx");
	assert_int_equal(module->version, 85);
	assert_int_equal(module->target, 90);
	assert_int_equal(module->arch, 'a');
	assert_int_equal(module->address_size, 64);
	assert_int_equal(module->function_count, 0);
	assert_int_equal(module->variable_count, 0);
	assert_int_equal(module->file_count, 0);
	ptx_module_free(module);

	module = parse_whole(".version 7.8 .target texmode_independent, sm_86 .address_size 64");
	assert_int_equal(module->version, 78);
	assert_int_equal(module->target, 86);
	assert_int_equal(module->arch, 0);
	ptx_module_free(module);

	module = parse_whole(".version 9.9\n.target sm_89\n.address_size 64\n.target sm_90\n");
	assert_int_equal(module->version, 99);
	assert_int_equal(module->target, 90);
	ptx_module_free(module);
	ptx_module_free(NULL);
}

TEST(opcodes_are_split_at_their_dots)
{
	static const char opcode[] = "mbarrier.try_wait.parity.shared::cta.b64";
	struct ptx_module *module;
	const struct ptx_insn *wait;

	module = parse(KERNEL(REGS "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;\n"
			      "\t@!%p1 add .s32\n.sat /**/ %r1, %r1, 1;"));
	wait = insn(module, 0);
	assert_int_equal(wait->opcode.length, strlen(opcode));
	assert_memory_equal(wait->opcode.text, opcode, strlen(opcode));
	assert_int_equal(wait->part_count, 5);
	assert_true(ptx_insn_part_is(wait, 0, "mbarrier"));
	assert_true(ptx_insn_part_is(wait, 1, "try_wait"));
	assert_true(ptx_insn_part_is(wait, 3, "shared::cta"));
	assert_true(ptx_insn_part_is(wait, 4, "b64"));
	assert_false(ptx_insn_part_is(wait, 4, "b6"));
	assert_false(ptx_insn_part_is(wait, 4, "b644"));
	assert_false(ptx_insn_part_is(wait, 5, ""));
	assert_int_equal(wait->guard, -1);
	assert_false(wait->leader);
	assert_int_equal(wait->place.line, 7);
	assert_int_equal(wait->place.column, 1);
	assert_int_equal(wait->place.file, -1);

	assert_int_equal(insn(module, 1)->opcode.length, strlen("add.sat.s32"));
	assert_memory_equal(insn(module, 1)->opcode.text, "add.sat.s32", strlen("add.sat.s32"));
	assert_int_equal(insn(module, 1)->part_count, 3);
	assert_true(insn(module, 1)->guard_not);
	assert_string_equal(reg_name(module, insn(module, 1)->guard), "%p1");
	assert_int_equal(insn(module, 1)->place.line, 8);
	assert_int_equal(insn(module, 1)->place.column, 2);

	assert_int_equal(insn(module, 2)->part_count, 1);
	assert_int_equal(insn(module, 2)->operand_count, 0);
	ptx_module_free(module);
}

TEST(registers_are_operands)
{
	const struct ptx_operand *o;
	struct ptx_module *module;

	module = parse(KERNEL(REGS ".reg .v4 .f32 v, w;\n"
			      "mov.b32 %r1, %r8; mov.f32 w.x, v.a; mov.b128 v, {%f1, _, v.z, 1};\n"
			      "setp.eq.and.b32 %p0|%p1, %r1, %r2, !%p2; elect.sync _|%p1, -1;"));
	o = operand(module, 0, 0, OPERAND_REG);
	assert_reg(module, o, "%r1");
	assert_int_equal(o->component, -1);
	assert_int_equal(o->column, 9);
	assert_reg(module, operand(module, 0, 1, OPERAND_REG), "%r8");

	o = operand(module, 1, 0, OPERAND_REG);
	assert_reg(module, o, "w.x");
	assert_int_equal(o->component, 0);
	o = operand(module, 1, 1, OPERAND_REG);
	assert_reg(module, o, "v.x");
	assert_int_equal(o->component, 3);
	assert_string_equal(reg_name(module, o->reg + 3), "v.w");

	o = operand(module, 2, 0, OPERAND_VECTOR);
	assert_int_equal(o->count, 4);
	assert_reg(module, &o->elements[3], "v.x");
	assert_int_equal(o->elements[3].component, 3);
	o = operand(module, 2, 1, OPERAND_VECTOR);
	assert_int_equal(o->count, 4);
	assert_reg(module, &o->elements[0], "%f1");
	assert_int_equal(o->elements[1].kind, OPERAND_SINK);
	assert_int_equal(o->elements[2].component, 2);
	assert_int_equal(o->elements[3].number, 1);

	o = operand(module, 3, 0, OPERAND_PAIR);
	assert_int_equal(o->count, 2);
	assert_reg(module, &o->elements[0], "%p0");
	assert_reg(module, &o->elements[1], "%p1");
	o = operand(module, 3, 3, OPERAND_REG);
	assert_true(o->inverted);
	assert_reg(module, o, "%p2");
	o = operand(module, 4, 0, OPERAND_PAIR);
	assert_int_equal(o->elements[0].kind, OPERAND_SINK);
	assert_reg(module, &o->elements[1], "%p1");
	ptx_module_free(module);
}

TEST(ranges_declare_registers)
{
	struct ptx_module *module = parse(KERNEL(".reg .b32 a<3>, b, %x1<2>; .reg .pred p;"));
	const struct ptx_function *function = module->functions[0];
	static const char *const names[] = { "a0", "a1", "a2", "b", "%x10", "%x11", "p" };
	unsigned int i;

	assert_int_equal(function->reg_count, ARRAY_SIZE(names));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		assert_string_equal(function->regs[i].name, names[i]);
		assert_int_equal(function->regs[i].type, i < 6 ? TYPE_B32 : TYPE_PRED);
	}
	ptx_module_free(module);
}

/** struct number - A number as PTX writes it, and what it is */
struct number {
	const char *text;
	int kind;
	uint64_t bits;
};

TEST(numbers_are_operands)
{
	static const struct number numbers[] = {
		{ "0", OPERAND_INT, 0 },
		{ "1234567890123", OPERAND_INT, 1234567890123 },
		{ "-1", OPERAND_INT, UINT64_MAX },
		{ "+7", OPERAND_INT, 7 },
		{ "0xFFFFFFFFFFFFFFFFU", OPERAND_INT, UINT64_MAX },
		{ "0x1f", OPERAND_INT, 31 },
		{ "0Xa5", OPERAND_INT, 0xa5 },
		{ "017", OPERAND_INT, 15 },
		{ "0b101", OPERAND_INT, 5 },
		{ "0B11U", OPERAND_INT, 3 },
		{ "9223372036854775808", OPERAND_INT, 1ull << 63 },
		{ "WARP_SZ", OPERAND_INT, 32 },
		{ "WARP_SZ*2", OPERAND_INT, 64 },
		{ "0f3F800000", OPERAND_F32, 0x3f800000 },
		{ "0Fbf800000", OPERAND_F32, 0xbf800000 },
		{ "0d3FF0000000000000", OPERAND_F64, 0x3ff0000000000000 },
		{ "0D7ff8000000000001", OPERAND_F64, 0x7ff8000000000001 },
		{ "1.5", OPERAND_F64, 0x3ff8000000000000 },
		{ "-1.5", OPERAND_F64, 0xbff8000000000000 },
		{ ".5", OPERAND_F64, 0x3fe0000000000000 },
		{ "1.", OPERAND_F64, 0x3ff0000000000000 },
		{ "25e-1", OPERAND_F64, 0x4004000000000000 },
		{ "1E+2", OPERAND_F64, 0x4059000000000000 },
		{ "1e999", OPERAND_F64, 0x7ff0000000000000 },
		{ "1+2*3", OPERAND_INT, 7 },
		{ "(1+2)*3", OPERAND_INT, 9 },
		{ "7-2-1", OPERAND_INT, 4 },
		{ "100/7/2", OPERAND_INT, 7 },
		{ "-7/2", OPERAND_INT, -3ull },
		{ "-7 % 4", OPERAND_INT, -3ull },
		{ "-7U / 2", OPERAND_INT, (uint64_t)-7 / 2 },
		{ "(.u64)-7 % 4", OPERAND_INT, (uint64_t)-7 % 4 },
		{ "(.s64)0xFFFFFFFFFFFFFFFF/2", OPERAND_INT, 0 },
		{ "-9223372036854775808/-1", OPERAND_INT, 0 },
		{ "(.s64)0x8000000000000000/-1", OPERAND_INT, 1ull << 63 },
		{ "(.s64)0x8000000000000000 % -1", OPERAND_INT, 0 },
		{ "1<<4", OPERAND_INT, 16 },
		{ "1<<64", OPERAND_INT, 0 },
		{ "-16>>2", OPERAND_INT, -4ull },
		{ "-16>>99", OPERAND_INT, UINT64_MAX },
		{ "-16U>>60", OPERAND_INT, 15 },
		{ "1<2", OPERAND_INT, 1 },
		{ "-1<0U", OPERAND_INT, 0 },
		{ "2>=2", OPERAND_INT, 1 },
		{ "2<=1", OPERAND_INT, 0 },
		{ "2>1", OPERAND_INT, 1 },
		{ "1==1", OPERAND_INT, 1 },
		{ "1!=1", OPERAND_INT, 0 },
		{ "6&3", OPERAND_INT, 2 },
		{ "6^3", OPERAND_INT, 5 },
		{ "6|3", OPERAND_INT, 7 },
		{ "6&&0", OPERAND_INT, 0 },
		{ "6||0", OPERAND_INT, 1 },
		{ "1|2^3&4", OPERAND_INT, 1 | (2 ^ (3 & 4)) },
		{ "~5", OPERAND_INT, ~5ull },
		{ "(!5)", OPERAND_INT, 0 },
		{ "1?2:3", OPERAND_INT, 2 },
		{ "0?2:0?4:5", OPERAND_INT, 5 },
		{ "1.5+2.5*2.0", OPERAND_F64, 0x401a000000000000 },
		{ "3.0/2", OPERAND_F64, 0x3ff8000000000000 },
		{ "1.0-2.0", OPERAND_F64, 0xbff0000000000000 },
		{ "1.5<2.5", OPERAND_INT, 1 },
		{ "1.5==2.5", OPERAND_INT, 0 },
		{ "0.0?1:2", OPERAND_INT, 2 },
		{ "(.s64)-2.9", OPERAND_INT, -2ull },
		{ "(.u64)1e19", OPERAND_INT, 10000000000000000000u },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		const struct number *number = &numbers[i];
		struct ptx_module *module;
		char text[200];

		snprintf(text, sizeof(text), ".entry k() { .reg .b64 a; mov.b64 a,%s; }",
			 number->text);
		module = parse(text);
		assert_int_equal(operand(module, 0, 1, number->kind)->number, number->bits);
		ptx_module_free(module);
	}
}

TEST(special_registers_are_operands)
{
	const struct ptx_operand *o;
	struct ptx_module *module;

	module = parse(KERNEL(REGS "mov.u32 %r1, %tid.x; mov.u32 %r1, %cluster_nctaid.z;\n"
			      "mov.u64 %rd1, %globaltimer; mov.u32 %r1, %nctaid.w;\n"
			      "mov.u32 %r1, %aggr_smem_size; mov.u32 %r1, %envreg31;\n"
			      "mov.u32 %r1, %envreg1; mov.u32 %r1, %envreg2; mov.u32 %r1, %pm7;\n"
			      "{ .reg .b32 %laneid; mov.u32 %laneid, %lanemask_gt; }"));
	o = operand(module, 0, 1, OPERAND_SPECIAL);
	assert_int_equal(o->special, SPECIAL_TID);
	assert_int_equal(o->dim, 0);
	o = operand(module, 1, 1, OPERAND_SPECIAL);
	assert_int_equal(o->special, SPECIAL_CLUSTER_NCTAID);
	assert_int_equal(o->dim, 2);
	assert_int_equal(operand(module, 2, 1, OPERAND_SPECIAL)->special, SPECIAL_GLOBALTIMER);
	assert_int_equal(operand(module, 3, 1, OPERAND_INT)->number, 0);
	assert_int_equal(operand(module, 4, 1, OPERAND_SPECIAL)->special, SPECIAL_AGGR_SMEM_SIZE);
	assert_int_equal(operand(module, 5, 1, OPERAND_SPECIAL)->special, SPECIAL_ENVREG);
	assert_int_equal(operand(module, 6, 1, OPERAND_SPECIAL)->special, SPECIAL_ENVREG1);
	assert_int_equal(operand(module, 7, 1, OPERAND_SPECIAL)->special, SPECIAL_ENVREG2);
	assert_int_equal(operand(module, 8, 1, OPERAND_SPECIAL)->special, SPECIALS);
	assert_reg(module, operand(module, 9, 0, OPERAND_REG), "%laneid");
	assert_int_equal(operand(module, 9, 1, OPERAND_SPECIAL)->special, SPECIAL_LANEMASK_GT);
	ptx_module_free(module);
}

TEST(addresses_are_operands)
{
	const struct ptx_operand *o;
	struct ptx_module *module;

	module = parse(".global .b8 g[64];\n"
		       KERNEL(REGS ".reg .v2 .b64 v;\n"
			      "ld.b32 %r1, [%rd1]; ld.b32 %r1, [%rd1+4]; ld.b32 %r1, [%rd1+-8];\n"
			      "ld.b32 %r1, [%rd1-8]; ld.b32 %r1, [g]; ld.b32 %r1, [g+4*2-1];\n"
			      "ld.b32 %r1, [in+0]; ld.b32 %r1, [0x10]; ld.b32 %r1, [-4];\n"
			      "x [%rd1, {%r1, %r2}], [%r3]; x [g, %r1, {%r2}]; x [v.y+8];\n"
			      "mov.b64 %rd1, g; mov.b64 %rd1, g+8; mov.b64 %rd1, g-1;\n"
			      "mov.b64 %rd1, k;"));
	o = operand(module, 0, 1, OPERAND_ADDRESS);
	assert_reg(module, o, "%rd1");
	assert_int_equal(o->number, 0);
	assert_null(o->var);
	assert_int_equal(o->count, 0);
	assert_int_equal(operand(module, 1, 1, OPERAND_ADDRESS)->number, 4);
	assert_int_equal(operand(module, 2, 1, OPERAND_ADDRESS)->number, -8);
	assert_int_equal(operand(module, 3, 1, OPERAND_ADDRESS)->number, -8);
	o = operand(module, 4, 1, OPERAND_ADDRESS);
	assert_int_equal(o->reg, -1);
	assert_ptr_equal(o->var, module->variables[0]);
	assert_int_equal(operand(module, 5, 1, OPERAND_ADDRESS)->number, 7);
	assert_ptr_equal(operand(module, 6, 1, OPERAND_ADDRESS)->var,
			 &module->functions[0]->params[0]);
	o = operand(module, 7, 1, OPERAND_ADDRESS);
	assert_int_equal(o->reg, -1);
	assert_null(o->var);
	assert_int_equal(o->number, 16);
	assert_int_equal(operand(module, 8, 1, OPERAND_ADDRESS)->number, -4);

	o = operand(module, 9, 0, OPERAND_ADDRESS);
	assert_int_equal(o->count, 1);
	assert_int_equal(o->elements[0].kind, OPERAND_VECTOR);
	assert_reg(module, &o->elements[0].elements[1], "%r2");
	assert_reg(module, operand(module, 9, 1, OPERAND_ADDRESS), "%r3");
	o = operand(module, 10, 0, OPERAND_ADDRESS);
	assert_int_equal(o->count, 2);
	assert_reg(module, &o->elements[0], "%r1");
	assert_int_equal(o->elements[1].kind, OPERAND_VECTOR);
	o = operand(module, 11, 0, OPERAND_ADDRESS);
	assert_reg(module, o, "v.x");
	assert_int_equal(o->component, 1);
	assert_int_equal(o->number, 8);

	o = operand(module, 12, 1, OPERAND_VARIABLE);
	assert_ptr_equal(o->var, module->variables[0]);
	assert_int_equal(o->number, 0);
	assert_int_equal(operand(module, 13, 1, OPERAND_VARIABLE)->number, 8);
	assert_int_equal(operand(module, 14, 1, OPERAND_VARIABLE)->number, -1);
	assert_ptr_equal(operand(module, 15, 1, OPERAND_FUNCTION)->function, module->functions[0]);
	ptx_module_free(module);
}

TEST(labels_are_numbers_of_instructions)
{
	struct ptx_module *module;

	module = parse(KERNEL(REGS "start: again: @%p1 bra end;\n$L__BB0_1: bra again;\n"
			      "bra.uni $L__BB0_1;\n{ again: bra again; bra last; }\n"
			      "bra again;\nlast: end:")
		       ".entry e() { bra end; end: }");
	assert_int_equal(operand(module, 0, 0, OPERAND_LABEL)->label, 6);
	assert_true(insn(module, 0)->leader);
	assert_int_equal(operand(module, 1, 0, OPERAND_LABEL)->label, 0);
	assert_true(insn(module, 1)->leader);
	assert_int_equal(operand(module, 2, 0, OPERAND_LABEL)->label, 1);
	assert_false(insn(module, 2)->leader);
	assert_int_equal(operand(module, 3, 0, OPERAND_LABEL)->label, 3);
	assert_int_equal(operand(module, 4, 0, OPERAND_LABEL)->label, 6);
	assert_int_equal(operand(module, 5, 0, OPERAND_LABEL)->label, 0);
	/* A label may be at the end of a function. */
	assert_int_equal(module->functions[1]->insn_count, 1);
	assert_int_equal(module->functions[1]->insns[0].operands[0].label, 1);
	ptx_module_free(module);
}

TEST_MAIN()
