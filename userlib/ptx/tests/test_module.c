// SPDX-License-Identifier: MIT
/* Modules: their variables have memory with the right contents, and their kernels are described. */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include "run_kernel.h"

static struct run run;

static int setup(void **state)
{
	run_open(&run, NULL);
	return 0;
}

static int teardown(void **state)
{
	run_close(&run);
	return 0;
}

static void *variable(const char *name, uint64_t want_size, uint64_t *address)
{
	uint64_t size = 0;

	assert_int_equal(vsm_ptx_module_variable(run.module, name, address, &size), 0);
	assert_int_equal(size, want_size);
	return vsm_ptx_memory_map(run.context, *address, size);
}

TEST(variables_have_their_initial_values)
{
	static const uint32_t numbers[] = { 1, 2, 3, 0, 0, 0, 0, 0 };
	uint64_t address;
	float f = 1.5f;

	run_load(&run,
		 L(".global .u32 numbers[8] = {1, 2, 3};")
		 L(".visible .global .align 16 .b8 text[4] = {104, 105, 33, 0};")
		 L(".const .f32 f = 0f3FC00000;")
		 L(".global .u64 zero;")
		 L(".global .align 8 .b8 empty[24];"));
	assert_memory_equal(variable("numbers", 32, &address), numbers, 32);
	assert_string_equal(variable("text", 4, &address), "hi!");
	assert_memory_equal(variable("f", 4, &address), &f, 4);
	assert_int_equal(*(uint64_t *)variable("zero", 8, &address), 0);
	variable("empty", 24, &address);
	assert_int_equal(vsm_ptx_module_variable(run.module, "none", &address, &address), -ENOENT);
}

TEST(initialisers_contain_addresses)
{
	uint64_t a, b, c, at;
	const uint64_t *list;
	const uint8_t *bytes;

	run_load(&run,
		 L(".global .u32 a[4];")
		 L(".global .b32 b[2];")
		 L(".global .u64 list[5] = {a, a+8, generic(b), b+4, 7};")
		 L(".const .u64 c = a;")
		 L(".global .b8 bytes[10] = {1, 0xFF(a), 0xFF00(a), 0xFF0000(a), 0xFF000000(a),")
		 L("  0xFF00000000(a), 0xFF0000000000(a), 0xFF000000000000(a),")
		 L("  0xFF00000000000000(a), 2};"));
	list = variable("list", 40, &at);
	bytes = variable("bytes", 10, &at);
	variable("a", 16, &a);
	variable("b", 8, &b);
	assert_int_equal(list[0], a);
	assert_int_equal(list[1], a + 8);
	assert_int_equal(list[2], b);
	assert_int_equal(list[3], b + 4);
	assert_int_equal(list[4], 7);
	assert_int_equal(*(uint64_t *)variable("c", 8, &c), a);
	assert_int_equal(bytes[0], 1);
	assert_memory_equal(bytes + 1, &a, 8);
	assert_int_equal(bytes[9], 2);
}

/* A function's address in a table is the one that a kernel calls. */
TEST(initialisers_contain_addresses_of_functions)
{
	run_text(&run,
		 L(".func (.param .u32 r) first() {")
		 L("  st.param.u32 [r], 11; ret; }")
		 L(".func (.param .u32 r) second() {")
		 L("  st.param.u32 [r], 22; ret; }")
		 L(".global .u64 table[2] = {second, first};")
		 RUN_ENTRY("k")
		 L("and.b32 %r1, %r0, 1;")
		 L("mul.wide.u32 %rd2, %r1, 8;")
		 L("mov.u64 %rd3, table;")
		 L("add.u64 %rd3, %rd3, %rd2;")
		 L("ld.global.u64 %rd4, [%rd3];")
		 L("{ .param .b32 got;")
		 L("PROTO: .callprototype (.param .b32 _) _ ();")
		 L("call (got), %rd4, (), PROTO;")
		 L("ld.param.u32 %r2, [got]; }")
		 L("st.global.u32 [%rd1], %r2;")
		 "}\n", 40);
	for (unsigned int i = 0; i < 40; i++)
		assert_int_equal(run.words[i], i % 2 ? 11 : 22);
}

TEST(kernels_read_and_write_variables)
{
	uint64_t at;

	run_text(&run,
		 L(".global .u32 sum = 5;")
		 L(".const .u32 by[2] = {100, 7};")
		 RUN_ENTRY("k")
		 L("ld.const.u32 %r1, [by+4];")
		 L("red.global.add.u32 [sum], %r1;")
		 "}\n", 64);
	assert_int_equal(*(uint32_t *)variable("sum", 4, &at), 5 + 64 * 7);
	/* A variable keeps its value until the module is unloaded. */
	run_done(&run, 64);
	assert_int_equal(*(uint32_t *)variable("sum", 4, &at), 5 + 2 * 64 * 7);
}

TEST(variables_go_with_their_module)
{
	uint64_t address;

	run_load(&run, L(".global .u32 x = 5;"));
	variable("x", 4, &address);
	run_load(&run, L(".global .u32 y = 5;"));
	assert_null(vsm_ptx_memory_map(run.context, address, 1));
	assert_int_equal(vsm_ptx_module_variable(run.module, "x", &address, &address), -ENOENT);
}

TEST(kernels_are_described)
{
	static const struct {
		const char *name;
		const char *type;
		uint32_t offset;
		uint32_t size;
		uint32_t align;
	} want[] = {
		{ "a", "u8", 0, 1, 1 },
		{ "b", "u64", 8, 8, 8 },
		{ "c", "b8", 64, 128, 64 },
		{ "d", "u16", 192, 2, 2 },
		{ "e", "f32", 196, 4, 4 },
	};
	struct vsm_ptx_kernel kernel;
	struct vsm_ptx_param param;
	uint32_t index;

	run_load(&run,
		 L(".extern .shared .align 16 .b8 dynamic[];")
		 L(".func helper() { ret; }")
		 L(".entry first(.param .u8 a, .param .u64 b, .param .align 64 .b8 c[128],")
		 L("  .param .u16 d, .param .f32 e)")
		 L(".maxntid 128, 2 {")
		 L("  .shared .align 8 .b8 own[24]; .reg .u64 %x; mov.u64 %x, own; ret; }")
		 L(".entry second() .reqntid 32 .reqnctapercluster 2, 1, 1 {")
		 L("  .reg .u64 %x; mov.u64 %x, dynamic; ret; }"));
	assert_int_equal(vsm_ptx_kernel_count(run.module), 2);
	assert_int_equal(vsm_ptx_kernel_find(run.module, "helper", &index), -ENOENT);
	assert_int_equal(vsm_ptx_kernel_find(run.module, "first", &index), 0);
	assert_int_equal(vsm_ptx_kernel_info(run.module, index, &kernel), 0);
	assert_string_equal(kernel.name, "first");
	assert_int_equal(kernel.param_count, 5);
	assert_int_equal(kernel.param_size, 200);
	assert_int_equal(kernel.smem_bytes, 24);
	assert_false(kernel.dynamic_smem);
	assert_int_equal(kernel.maxntid[0], 128);
	assert_int_equal(kernel.maxntid[1], 2);
	assert_int_equal(kernel.maxntid[2], 1);
	assert_int_equal(kernel.reqntid[0], 0);
	assert_int_equal(kernel.reqnctapercluster[0], 0);
	for (unsigned int i = 0; i < 5; i++) {
		assert_int_equal(vsm_ptx_kernel_param(run.module, index, i, &param), 0);
		assert_string_equal(param.name, want[i].name);
		assert_string_equal(param.type, want[i].type);
		assert_int_equal(param.offset, want[i].offset);
		assert_int_equal(param.size, want[i].size);
		assert_int_equal(param.align, want[i].align);
	}
	assert_int_equal(vsm_ptx_kernel_param(run.module, index, 5, &param), -ENOENT);
	assert_int_equal(vsm_ptx_kernel_param(run.module, 2, 0, &param), -ENOENT);
	assert_int_equal(vsm_ptx_kernel_find(run.module, "second", &index), 0);
	assert_int_equal(vsm_ptx_kernel_info(run.module, index, &kernel), 0);
	assert_true(kernel.dynamic_smem);
	assert_int_equal(kernel.smem_bytes, 0);
	assert_int_equal(kernel.param_size, 0);
	assert_int_equal(kernel.reqntid[0], 32);
	assert_int_equal(kernel.reqnctapercluster[0], 2);
	assert_int_equal(vsm_ptx_kernel_info(run.module, 2, &kernel), -ENOENT);
}

TEST(errors_of_a_module_have_lines)
{
	run_load_fails(&run, L("") L(".entry k() { bra NOWHERE; }"), "test.ptx:5:");
	run_load_fails(&run, L(".global .u32 x[2] = {1, 2, 3};"), "test.ptx:4:");
	run_load_fails(&run, L(".global .u64 x = y;"), "test.ptx:4:");
	run_load_fails(&run, L(".global .align 3 .u64 x;"), "test.ptx:4:");
	run_load_fails(&run, L(".global .b8 x[99999999999999];"), "test.ptx:4:");
	assert_null(run.module);
}

TEST(modules_share_a_context)
{
	struct vsm_ptx_module *first;
	uint64_t address, size, x;

	run_load(&run, L(".global .u32 x = 1;"));
	first = run.module;
	run.module = NULL;
	run_load(&run, L(".global .u32 x = 2;"));
	assert_int_equal(*(uint32_t *)variable("x", 4, &x), 2);
	assert_int_equal(vsm_ptx_module_variable(first, "x", &address, &size), 0);
	assert_int_not_equal(address, x);
	assert_int_equal(*(uint32_t *)vsm_ptx_memory_map(run.context, address, 4), 1);
	vsm_ptx_module_unload(first);
	assert_non_null(vsm_ptx_memory_map(run.context, x, 4));
}

/* The sanitizer finds modules that a context leaves behind. */
TEST(modules_go_with_their_context)
{
	static const char text[] = RUN_HEAD L(".global .u32 x = 1;");
	struct vsm_ptx_module *modules[3];
	struct vsm_ptx_context *context;
	unsigned int i;

	assert_int_equal(vsm_ptx_context_create(NULL, &context), 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(vsm_ptx_module_load(context, "test.ptx", text, strlen(text),
						     &modules[i], NULL), 0);
	vsm_ptx_module_unload(modules[1]);
	vsm_ptx_context_destroy(context);
}

TEST_MAIN()
