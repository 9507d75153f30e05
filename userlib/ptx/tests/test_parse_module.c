// SPDX-License-Identifier: MIT
/* The parser of modules: variables, initialisers, functions, calls and places in the source. */
#include "parse_build.h"

/* The variable of the module with this name */
static const struct ptx_variable *variable(const struct ptx_module *module, const char *name)
{
	unsigned int i;

	for (i = 0; i < module->variable_count; i++) {
		if (!strcmp(module->variables[i]->name, name)) {
			assert_int_equal(module->variables[i]->index, i);
			return module->variables[i];
		}
	}
	fail_msg("there is no variable %s", name);
	return NULL;
}

static const struct ptx_function *function(const struct ptx_module *module, const char *name)
{
	const struct ptx_function *found = ptx_module_function(module, name);

	assert_non_null(found);
	assert_string_equal(found->name, name);
	return found;
}

TEST(variables_have_space_type_alignment_and_size)
{
	static const struct {
		const char *name;
		enum ptx_space space;
		enum ptx_type type;
		uint32_t align;
		uint64_t size;
		bool external;
	} expected[] = {
		{ "a", SPACE_GLOBAL, TYPE_B32, 4, 4, false },
		{ "b", SPACE_CONST, TYPE_F64, 8, 8, false },
		{ "c", SPACE_SHARED, TYPE_B8, 128, 1024, false },
		{ "d", SPACE_SHARED, TYPE_B8, 16, 0, true },
		{ "e", SPACE_GLOBAL, TYPE_U16, 2, 48, false },
		{ "f", SPACE_GLOBAL, TYPE_F32, 16, 32, false },
		{ "g", SPACE_GLOBAL, TYPE_S64, 8, 8, true },
		{ "h", SPACE_GLOBAL, TYPE_B128, 16, 16, false },
		{ "i", SPACE_GLOBAL, TYPE_U8, 1, 1, false },
		{ "j", SPACE_GLOBAL, TYPE_U8, 1, 6, false },
	};
	struct ptx_module *module;
	unsigned int i;

	module = parse(".global .b32 a; .visible .const .f64 b;\n"
		       ".shared .align 128 .b8 c[1024]; .extern .shared .align 16 .b8 d[];\n"
		       ".weak .global .u16 e[2][3][2*2]; .common .global .v4 .f32 f[2];\n"
		       ".extern .global .align 2 .s64 g; .global .attribute(.managed) .b128 h;\n"
		       ".global .attribute(.unified(1, 2)) .u8 i, j[6];");
	assert_int_equal(module->variable_count, ARRAY_SIZE(expected));
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct ptx_variable *var = variable(module, expected[i].name);

		assert_int_equal(var->space, expected[i].space);
		assert_int_equal(var->type, expected[i].type);
		assert_int_equal(var->align, expected[i].align);
		assert_int_equal(var->size, expected[i].size);
		assert_int_equal(var->external, expected[i].external);
		assert_null(var->init);
		assert_int_equal(var->reloc_count, 0);
	}
	assert_int_equal(variable(module, "c")->place.line, 5);
	assert_int_equal(variable(module, "c")->place.column, 24);
	ptx_module_free(module);
}

/* Parses the variable x. It must have @size bytes, equal to @bytes. */
static void check_init(const char *text, const void *bytes, size_t size)
{
	struct ptx_module *module = parse(text);
	const struct ptx_variable *x = variable(module, "x");

	assert_int_equal(x->size, size);
	assert_non_null(x->init);
	assert_memory_equal(x->init, bytes, size);
	ptx_module_free(module);
}

TEST(initialisers_are_bytes)
{
	static const float floats[] = { 1, -2.5, 0.1f, 0 };
	static const double doubles[] = { 1, 0.1 };

	check_init(".global .b8 x = 5;", "\5", 1);
	check_init(".global .b8 x[4] = {1, -1, 255, 0x1ff};", "\1\xff\xff\xff", 4);
	check_init(".global .b8 x[4] = {1, 2};", "\1\2\0\0", 4);
	check_init(".global .b8 x[4] = {};", "\0\0\0\0", 4);
	check_init(".const .u16 x[] = {1, 0x203};", "\1\0\3\2", 4);
	check_init(".global .u32 x = 0x04030201;", "\1\2\3\4", 4);
	check_init(".global .s64 x = -2;", "\xfe\xff\xff\xff\xff\xff\xff\xff", 8);
	check_init(".global .b8 x[2][3] = {{1, 2, 3}, {4}};", "\1\2\3\4\0\0", 6);
	check_init(".global .b8 x[][2] = {{1, 2}, {3}};", "\1\2\3\0", 4);
	check_init(".global .b8 x[][2] = {{}};", "\0\0", 2);
	check_init(".global .v2 .b8 x[2] = {{1, 2}, {3, 4}};", "\1\2\3\4", 4);
	check_init(".global .f32 x[4] = {1.0, -2.5, 0.1, 0f00000000};", floats, 16);
	check_init(".global .f64 x[2] = {0f3f800000, 0.1};", doubles, 16);
	check_init(".extern .global .b8 x[]; .global .b8 x[2] = {1, 2};", "\1\2", 2);
	check_init(".global .b8 x = WARP_SZ + 1;", "\41", 1);
}

TEST(initialisers_may_have_addresses)
{
	struct ptx_module *module;
	const struct ptx_variable *x, *t;

	module = parse(".global .b8 t[64]; .func f; .const .b32 c;\n"
		       ".global .u64 x[6] = {t, t+8, 7, generic(t)+4, f, generic(c)};\n"
		       ".global .u8 y[3] = {0xFF(t), 1, 0xFF0000(generic(t+1)+4)};");
	x = variable(module, "x");
	t = variable(module, "t");
	assert_int_equal(x->reloc_count, 5);
	assert_int_equal(x->relocs[0].offset, 0);
	assert_int_equal(x->relocs[0].size, 8);
	assert_int_equal(x->relocs[0].shift, 0);
	assert_false(x->relocs[0].generic);
	assert_ptr_equal(x->relocs[0].var, t);
	assert_null(x->relocs[0].function);
	assert_int_equal(x->relocs[1].addend, 8);
	assert_int_equal(x->relocs[2].offset, 24);
	assert_true(x->relocs[2].generic);
	assert_int_equal(x->relocs[2].addend, 4);
	assert_ptr_equal(x->relocs[3].function, function(module, "f"));
	assert_null(x->relocs[3].var);
	assert_ptr_equal(x->relocs[4].var, variable(module, "c"));
	assert_int_equal(x->init[16], 7);

	x = variable(module, "y");
	assert_int_equal(x->reloc_count, 2);
	assert_int_equal(x->relocs[0].size, 1);
	assert_int_equal(x->relocs[0].shift, 0);
	assert_int_equal(x->relocs[1].offset, 2);
	assert_int_equal(x->relocs[1].shift, 16);
	assert_true(x->relocs[1].generic);
	assert_int_equal(x->relocs[1].addend, 5);
	ptx_module_free(module);
}

TEST(kernels_have_parameters_and_limits)
{
	const struct ptx_function *k;
	struct ptx_module *module;

	module = parse(".visible .entry k(.param .u64 .ptr .global .align 16 a,\n"
		       ".param .u64 .ptr b, .param .align 64 .b8 c[128], .param .f32 d)\n"
		       ".maxntid 128, 2 .reqnctapercluster 2, 1, 1 .explicitcluster\n"
		       ".minnctapersm 2 .maxnctapersm 4 .maxnreg 64 .pragma \"x\";\n"
		       "{ ret; }\n"
		       ".entry e .reqntid 8, 4, 2 .maxclusterrank 8 .blocksareclusters { ret; }");
	k = function(module, "k");
	assert_true(k->entry);
	assert_true(k->defined);
	assert_int_equal(k->param_count, 4);
	assert_int_equal(k->return_count, 0);
	assert_int_equal(k->params[0].space, SPACE_PARAM);
	assert_int_equal(k->params[0].pointee_align, 16);
	assert_int_equal(k->params[1].pointee_align, 4);
	assert_int_equal(k->params[2].pointee_align, 0);
	assert_int_equal(k->params[2].align, 64);
	assert_int_equal(k->params[2].size, 128);
	assert_int_equal(k->params[3].index, 3);
	assert_string_equal(k->params[3].name, "d");
	assert_int_equal(k->maxntid[0], 128);
	assert_int_equal(k->maxntid[1], 2);
	assert_int_equal(k->maxntid[2], 1);
	assert_int_equal(k->reqntid[0], 0);
	assert_int_equal(k->reqnctapercluster[0], 2);
	assert_true(k->explicitcluster);
	assert_false(k->blocksareclusters);
	k = function(module, "e");
	assert_int_equal(k->param_count, 0);
	assert_int_equal(k->reqntid[2], 2);
	assert_int_equal(k->maxclusterrank, 8);
	assert_true(k->blocksareclusters);
	assert_null(ptx_module_function(module, "nothing"));
	ptx_module_free(module);
}

TEST(functions_may_be_declared_first)
{
	const struct ptx_function *f, *k;
	struct ptx_module *module;

	module = parse(".extern .func (.param .b32 r) f (.param .b64 p, .param .b8 rest[]);\n"
		       ".func g .noreturn; .func g;\n"
		       ".entry k() { .param .b32 r; .param .b64 p; .reg .b64 a;\n"
		       "call.uni (r), f, (p, p); call g; call g, (); call (r), a, (p), proto;\n"
		       "proto: .callprototype (.param .b32 _) _ (.param .b64 _); \n"
		       "list: .calltargets f, g; call a, (p), list; }\n"
		       ".func (.param .b32 r) f (.param .b64 q, .param .b8 rest[]) { ret; }\n"
		       ".func h(.param .b32 x); .func i(.param .b32 x) { ret; } .alias h, i;");
	assert_int_equal(module->function_count, 5);
	f = function(module, "f");
	assert_true(f->defined);
	assert_false(f->entry);
	assert_int_equal(f->place.line, 10);
	assert_string_equal(f->params[0].name, "q");
	assert_int_equal(f->params[1].size, 0);
	assert_int_equal(f->return_count, 1);
	assert_false(function(module, "g")->defined);
	assert_true(function(module, "g")->noreturn);

	k = function(module, "k");
	assert_int_equal(k->insn_count, 5);
	assert_int_equal(k->insns[0].operand_count, 3);
	assert_int_equal(k->insns[0].operands[0].kind, OPERAND_LIST);
	assert_int_equal(k->insns[0].operands[0].count, 1);
	assert_ptr_equal(k->insns[0].operands[0].elements[0].var, k->locals[0]);
	assert_int_equal(k->insns[0].operands[1].kind, OPERAND_FUNCTION);
	assert_ptr_equal(k->insns[0].operands[1].function, f);
	assert_int_equal(k->insns[0].operands[2].count, 2);
	assert_int_equal(k->insns[1].operand_count, 1);
	assert_int_equal(k->insns[2].operands[1].kind, OPERAND_LIST);
	assert_int_equal(k->insns[2].operands[1].count, 0);
	assert_int_equal(k->insns[3].operands[1].kind, OPERAND_REG);
	assert_int_equal(k->insns[3].operands[3].kind, OPERAND_FUNCTION);
	assert_string_equal(k->insns[3].operands[3].function->name, "proto");
	assert_int_equal(k->insns[3].operands[3].function->param_count, 1);
	assert_false(k->insns[3].operands[3].function->defined);
	assert_int_equal(k->insns[4].operands[2].kind, OPERAND_TABLE);
	assert_int_equal(k->insns[4].operands[2].count, 0);
	assert_int_equal(k->table_count, 1);
	assert_ptr_equal(k->insns[4].operands[2].table, k->tables[0]);
	assert_int_equal(k->tables[0]->count, 2);
	assert_ptr_equal(k->tables[0]->elements[1].function, function(module, "g"));

	/* An alias has the body of its target. */
	assert_true(function(module, "h")->defined);
	assert_ptr_equal(function(module, "h")->insns, function(module, "i")->insns);
	assert_ptr_equal(function(module, "h")->alias_of, function(module, "i"));
	assert_null(function(module, "i")->alias_of);
	ptx_module_free(module);
}

TEST(register_parameters_are_registers)
{
	const struct ptx_function *f;
	struct ptx_module *module;

	module = parse(".func (.reg .b32 r) f (.reg .pred p, .param .b32 x)\n"
		       "{ .reg .b32 a; @p mov.b32 r, a; ret; }");
	f = function(module, "f");
	assert_int_equal(f->reg_count, 3);
	assert_int_equal(f->returns[0].space, SPACE_REG);
	assert_string_equal(f->regs[f->returns[0].address].name, "r");
	assert_string_equal(f->regs[f->params[0].address].name, "p");
	assert_int_equal(f->params[1].space, SPACE_PARAM);
	assert_int_equal(f->insns[0].guard, (int32_t)f->params[0].address);
	assert_int_equal(f->insns[0].operands[0].reg, (int32_t)f->returns[0].address);
	ptx_module_free(module);
}

TEST(scopes_hide_names)
{
	struct ptx_module *module = NULL;
	struct ptx_messages messages = { };
	const struct ptx_function *f;
	size_t size;
	char *text = read_sample("scopes.ptx", &size);

	assert_int_equal(parse_bytes(text, size, &module, &messages), 0);
	free(text);
	f = module->functions[0];
	assert_int_equal(f->reqntid[0], 32);
	assert_int_equal(f->local_count, 2);
	assert_int_equal(f->locals[0]->size, 8);
	assert_int_equal(f->locals[1]->size, 16);
	/* a is a register of 32 bits outside, and another of 64 bits in the scope. */
	assert_int_equal(f->regs[f->insns[0].operands[0].reg].type, TYPE_B32);
	assert_int_equal(f->regs[f->insns[1].operands[0].reg].type, TYPE_B64);
	assert_int_equal(f->regs[f->insns[5].operands[1].reg].type, TYPE_B64);
	assert_int_equal(f->insns[7].operands[0].reg, f->insns[0].operands[0].reg);
	assert_ptr_equal(f->insns[1].operands[1].var, f->locals[0]);
	assert_ptr_equal(f->insns[2].operands[0].var, f->locals[1]);
	assert_ptr_equal(f->insns[5].operands[0].var, f->locals[0]);
	/* The label "again" is in two scopes. */
	assert_int_equal(f->insns[3].operands[0].label, 2);
	assert_int_equal(f->insns[4].operands[0].label, 11);
	assert_int_equal(f->insns[6].operands[0].label, 0);
	assert_int_equal(f->insns[10].operands[0].label, 0);
	ptx_module_free(module);
}

TEST(tables_of_branches_are_lists_of_labels)
{
	const struct ptx_function *k;
	const struct ptx_table *list;
	struct ptx_module *module;
	unsigned int i;

	/* The table may stand before the branch or behind it. */
	module = parse(".entry k() { .reg .b32 r; t: .branchtargets a, b, c, a;\n"
		       "brx.idx r, t; { brx.idx.uni r, u; u: .branchtargets a, b, c, a; }\n"
		       "a: nop; b: nop; c: nop; v: .branchtargets a; }");
	k = function(module, "k");
	assert_int_equal(k->table_count, 3);
	assert_false(k->tables[2]->used);
	for (i = 0; i < 2; i++) {
		assert_int_equal(k->insns[i].operands[1].kind, OPERAND_TABLE);
		list = k->insns[i].operands[1].table;
		assert_ptr_equal(list, k->tables[i]);
		assert_int_equal(list->index, i);
		assert_true(list->used);
		assert_int_equal(list->count, 4);
		assert_int_equal(list->elements[0].kind, OPERAND_LABEL);
		assert_int_equal(list->elements[0].label, 2);
		assert_int_equal(list->elements[1].label, 3);
		assert_int_equal(list->elements[2].label, 4);
		assert_int_equal(list->elements[3].label, 2);
	}
	ptx_module_free(module);
}

TEST(instructions_have_places_in_the_source)
{
	const struct ptx_insn *insns;
	struct ptx_module *module;

	module = parse(".entry k() { nop; .loc 2 7 3\n nop; .loc 2 0 0\n nop;\n"
		       ".loc 3 9 1, function_name $L__info+4, inlined_at 2 7 3\n nop; }\n"
		       ".entry e() { nop; }\n"
		       ".file 1 \"one \\\"1\\\"\" .file 2 \"dir\" \"two\", 1, 2\n"
		       ".file 4 \"dir\" \"/four\" md5 0x0123456789abcdef0123456789abcdef\n"
		       ".section .debug_str { $L__info: .b8 1,2 { } }");
	insns = function(module, "k")->insns;
	assert_int_equal(insns[0].place.file, -1);
	assert_int_equal(insns[1].place.file, 2);
	assert_int_equal(insns[1].place.source_line, 7);
	assert_int_equal(insns[1].place.source_column, 3);
	/* Line 0 is code without a line. */
	assert_int_equal(insns[2].place.source_line, 7);
	assert_int_equal(insns[3].place.file, 3);
	assert_int_equal(insns[3].place.source_line, 9);
	assert_int_equal(function(module, "e")->insns[0].place.file, -1);
	assert_int_equal(module->file_count, 5);
	assert_null(module->files[0]);
	assert_string_equal(module->files[1], "one \"1\"");
	assert_string_equal(module->files[2], "dir/two");
	assert_null(module->files[3]);
	assert_string_equal(module->files[4], "/four");
	ptx_module_free(module);

	/* Every .loc names an element of the list. */
	module = parse(".entry k() { .loc 7 1 1\n nop; }");
	assert_int_equal(module->file_count, 8);
	assert_null(module->files[7]);
	ptx_module_free(module);
}

/* Checks that the calls at an instruction are those at the lines of file 1; 0 is the end. */
static void expect_calls(const struct ptx_insn *insn, const uint32_t *lines)
{
	const struct ptx_inlined *inlined = insn->place.inlined;
	const struct ptx_inlined *outermost = NULL;

	for (; *lines; lines++, inlined = inlined->outer) {
		assert_non_null(inlined);
		assert_int_equal(inlined->line, *lines);
		assert_int_equal(inlined->file, 1);
		outermost = inlined;
	}
	assert_null(inlined);
	assert_ptr_equal(ptx_outermost(&insn->place), outermost);
}

TEST(instructions_have_the_calls_that_are_inlined)
{
	static const uint32_t calls[][4] = {
		{ }, { 15 }, { 7, 15 }, { 7, 15 }, { 16 }, { 7, 16 }, { 11, 17 }, { 20 },
		{ 30, 20 }, { 30 }, { }, { 7 }, { 41 }, { 41 },
	};
	const struct ptx_function *k;
	struct ptx_module *module;
	unsigned int i;

	module = parse(".entry first() {\n"
		       ".loc 1 15 2, function_name $L, inlined_at 1 99 2\n nop; }\n"
		       ".entry k() { .loc 1 15 2\n nop;\n"
		       ".loc 1 7 2, function_name $L, inlined_at 1 15 2\n nop;\n"
		       ".loc 2 3 2, function_name $L, inlined_at 1 7 2\n nop;\n"
		       /* A place without a line leaves the calls as they are. */
		       ".loc 2 0 2\n nop;\n"
		       ".loc 1 16 2\n"
		       ".loc 1 7 2, function_name $L, inlined_at 1 16 2\n nop;\n"
		       ".loc 2 3 2, function_name $L, inlined_at 1 7 2\n nop;\n"
		       ".loc 1 11 2, function_name $L, inlined_at 1 17 2\n"
		       ".loc 2 3 2, function_name $L, inlined_at 1 11 2\n nop;\n"
		       /* The column is part of the place. */
		       ".loc 1 30 5, function_name $L, inlined_at 1 20 2\n nop;\n"
		       ".loc 2 4 2, function_name $L, inlined_at 1 30 5\n nop;\n"
		       ".loc 2 4 3, function_name $L, inlined_at 1 30 6\n nop;\n"
		       /* What a .loc without inlined_at says replaces what was there before. */
		       ".loc 1 7 2\n nop;\n"
		       ".loc 2 3 2, function_name $L, inlined_at 1 7 2\n nop;\n"
		       /* A call without a line stands for the call around it. */
		       ".loc 1 0 2, function_name $L, inlined_at 1 41 2\n"
		       ".loc 2 9 2, function_name $L, inlined_at 1 0 2\n nop;\n"
		       ".loc 2 10 2, function_name $L, inlined_at 1 0 2\n nop; }\n"
		       ".entry last() { .loc 2 3 2\n nop; }\n"
		       ".loc 9 1 1, function_name $L, inlined_at 12 1 1\n");
	k = function(module, "k");
	assert_int_equal(k->insn_count, ARRAY_SIZE(calls));
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		expect_calls(&k->insns[i], calls[i]);
	assert_null(function(module, "last")->insns[0].place.inlined);
	/* The file of a call is an element of the list, too. */
	assert_int_equal(module->file_count, 13);
	assert_null(ptx_module_file(module, 12));
	assert_null(ptx_module_file(module, 13));
	assert_null(ptx_module_file(module, -1));
	ptx_module_free(module);
}

/* Line 2 is inlined in line 1, line 3 in line 2, and so on. */
TEST(chains_of_calls_have_a_limit)
{
	const unsigned int count = 1000;
	const struct ptx_insn *insns;
	struct ptx_module *module;
	unsigned int i, depth;
	size_t size;
	char *text;
	FILE *out;

	out = open_memstream(&text, &size);
	fprintf(out, ".entry k() {\n");
	for (i = 0; i < count; i++)
		fprintf(out, ".loc 1 %u 1, function_name $L, inlined_at 1 %u 1\n nop;\n", i + 2,
			i + 1);
	/* A place that is inlined in itself adds a call each time. */
	for (i = 0; i < count; i++)
		fprintf(out, ".loc 1 1 1, function_name $L, inlined_at 1 1 1\n nop;\n");
	fprintf(out, "}\n");
	fclose(out);
	module = parse(text);
	free(text);
	insns = function(module, "k")->insns;
	for (i = 0; i < 2 * count; i++) {
		const struct ptx_inlined *inlined = insns[i].place.inlined;

		for (depth = 0; inlined; inlined = inlined->outer)
			depth++;
		assert_int_equal(depth, i % count < PTX_MAX_INLINED ? i % count + 1
								    : PTX_MAX_INLINED);
		assert_int_equal(ptx_outermost(&insns[i].place)->line, 1);
	}
	ptx_module_free(module);
}

TEST(samples_of_compilers_are_read)
{
	static const struct {
		const char *name;
		unsigned int functions, variables, insns;
	} samples[] = {
		{ "clang.ptx", 4, 7, 150 },
		{ "nvcc.ptx", 4, 4, 46 },
		{ "data.ptx", 3, 12, 11 },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		struct ptx_messages messages = { };
		unsigned int insns = 0;
		struct ptx_module *module;
		size_t size;
		char *text = read_sample(samples[i].name, &size);

		assert_int_equal(parse_bytes(text, size, &module, &messages), 0);
		free(text);
		assert_int_equal(module->function_count, samples[i].functions);
		assert_int_equal(module->variable_count, samples[i].variables);
		for (j = 0; j < module->function_count; j++)
			insns += module->functions[j]->insn_count;
		assert_int_equal(insns, samples[i].insns);
		ptx_module_free(module);
	}
}

TEST_MAIN()
