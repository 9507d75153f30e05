// SPDX-License-Identifier: MIT
/* Atomic operations of all types, in global and in shared memory. */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include <stdio.h>

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

static uint64_t old_of(uint64_t value, unsigned int bits)
{
	return bits == 64 ? value : value & ((1ULL << bits) - 1);
}

/* Executes an atomic operation on @a in a state space, with the operands @b and @c. */
static void expect_atom(const char *op, const char *type, unsigned int bits, uint64_t a, uint64_t b,
			uint64_t c, uint64_t want)
{
	const char *reg = bits == 16 ? "%h" : bits == 32 ? "%r" : "%rd";
	bool cas = !strcmp(op, "cas"), exchanges = cas || !strcmp(op, "exch");

	for (unsigned int i = 0; i < 8; i++) {
		static const char *const spaces[] = { ".global", ".shared", "", ".shared" };
		const char *space = spaces[i % 4];
		bool result = i < 4 || exchanges;
		uint64_t got[3];
		char text[3000];

		snprintf(text, sizeof(text),
			 "%s%s" "st.b%u [%%rd9], %s4; %s%s.%s.%s %s%s [%%rd8], %s5%s%s%s;"
			 "ld.b%u %s8, [%%rd9]; st.global.b%u [%%rd0], %s7;"
			 "st.global.b%u [%%rd0+8], %s8; }\n",
			 L(".shared .u64 s;")
			 L(".visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b,")
			 L(".param .u64 c) {") RUN_REGISTERS
			 L("ld.param.u64 %rd0, [out]; ld.param.u64 %rd4, [a];")
			 L("ld.param.u64 %rd5, [b]; ld.param.u64 %rd6, [c];")
			 L("cvt.u32.u64 %r4, %rd4; cvt.u32.u64 %r5, %rd5; cvt.u32.u64 %r6, %rd6;")
			 L("cvt.u16.u64 %h4, %rd4; cvt.u16.u64 %h5, %rd5; cvt.u16.u64 %h6, %rd6;"),
			 i % 2 ? "mov.u64 %rd8, s; cvta.shared.u64 %rd9, %rd8;\n"
			       : "add.u64 %rd8, %rd0, 64; mov.u64 %rd9, %rd8;\n",
			 bits, reg, result ? "atom" : "red", space, op, type, result ? reg : "",
			 result ? "7," : "", reg, cas ? ", " : "", cas ? reg : "", cas ? "6" : "",
			 bits, reg, bits, reg, bits, reg);
		run_load(&run, text);
		run.params[0] = a;
		run.params[1] = b;
		run.params[2] = c;
		run.param_count = 3;
		run_done(&run, 1);
		memcpy(got, run.words, sizeof(got));
		if (got[1] != want || (result && got[0] != old_of(a, bits)))
			fail_msg("%s\nold 0x%llx, new 0x%llx, not 0x%llx", text,
				 (unsigned long long)got[0], (unsigned long long)got[1],
				 (unsigned long long)want);
	}
	run.param_count = 0;
}

TEST(integers_are_changed_atomically)
{
	static const uint64_t pairs[][2] = {
		{ 5, 7 }, { 0xffffffff, 1 }, { 0x80000000, 0x7fffffff }, { 7, 7 },
		{ 0x8000000000000000, 1 }, { 0, 0 },
	};

	for (unsigned int i = 0; i < 6; i++) {
		uint64_t a = pairs[i][0], b = pairs[i][1];
		uint32_t a32 = (uint32_t)a, b32 = (uint32_t)b;

		expect_atom("add", "u32", 32, a, b, 0, a32 + b32);
		expect_atom("add", "s32", 32, a, b, 0, a32 + b32);
		expect_atom("add", "u64", 64, a, b, 0, a + b);
		expect_atom("min", "u32", 32, a, b, 0, a32 < b32 ? a32 : b32);
		expect_atom("min", "s32", 32, a, b, 0, (int32_t)a32 < (int32_t)b32 ? a32 : b32);
		expect_atom("max", "u64", 64, a, b, 0, a > b ? a : b);
		expect_atom("max", "s64", 64, a, b, 0, (int64_t)a > (int64_t)b ? a : b);
		expect_atom("min", "s64", 64, a, b, 0, (int64_t)a < (int64_t)b ? a : b);
		expect_atom("and", "b32", 32, a, b, 0, a32 & b32);
		expect_atom("or", "b64", 64, a, b, 0, a | b);
		expect_atom("xor", "b32", 32, a, b, 0, a32 ^ b32);
		expect_atom("exch", "b32", 32, a, b, 0, b32);
		expect_atom("exch", "b64", 64, a, b, 0, b);
		expect_atom("cas", "b32", 32, a, b, 99, a32 == b32 ? 99 : a32);
		expect_atom("cas", "b64", 64, a, b, 99, a == b ? 99 : a);
		expect_atom("cas", "b16", 16, a, b, 99,
			    (uint16_t)a == (uint16_t)b ? 99 : (uint16_t)a);
		expect_atom("inc", "u32", 32, a, b, 0, a32 >= b32 ? 0 : a32 + 1);
		expect_atom("dec", "u32", 32, a, b, 0, !a32 || a32 > b32 ? b32 : a32 - 1);
	}
}

TEST(floats_are_added_atomically)
{
	static const struct {
		const char *type;
		unsigned int bits;
		uint64_t a, b, want;
	} sums[] = {
		{ "f32", 32, 0x3f800000, 0x40000000, 0x40400000 },
		{ "f32", 32, 0x3f800000, 0x33800000, 0x3f800000 },
		{ "f64", 64, 0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000 },
		/* Ties go to even; too large sums are infinite; subnormal numbers stay. */
		{ "noftz.f16", 16, 0x3c00, 0x1000, 0x3c00 },
		{ "noftz.f16", 16, 0x3c01, 0x1000, 0x3c02 },
		{ "noftz.f16", 16, 0x7bff, 0x4c00, 0x7c00 },
		{ "noftz.f16", 16, 0x0001, 0x0001, 0x0002 },
		{ "noftz.f16", 16, 0x03ff, 0x0001, 0x0400 },
		{ "noftz.f16", 16, 0x8000, 0x8000, 0x8000 },
		{ "noftz.f16", 16, 0x3c00, 0xbc00, 0x0000 },
		{ "noftz.f16", 16, 0x7c00, 0xfc00, 0x7fff },
		{ "noftz.f16x2", 32, 0x3c017bff, 0x10004c00, 0x3c027c00 },
		{ "noftz.bf16", 16, 0x3f80, 0x3b80, 0x3f80 },
		{ "noftz.bf16", 16, 0x3f81, 0x3b80, 0x3f82 },
		{ "noftz.bf16", 16, 0x7f7f, 0x7f7f, 0x7f80 },
		{ "noftz.bf16", 16, 0x0001, 0x0001, 0x0002 },
		{ "noftz.bf16", 16, 0x7f80, 0xff80, 0x7fff },
		{ "noftz.bf16x2", 32, 0x3f817f7f, 0x3b807f7f, 0x3f827f80 },
	};

	for (unsigned int i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		expect_atom("add", sums[i].type, sums[i].bits, sums[i].a, sums[i].b, 0,
			    sums[i].want);
}

TEST(subnormal_sums_are_flushed_in_global_memory_only)
{
	/* Operands, and the sums in global and in shared memory */
	static const uint32_t sums[][4] = {
		{ 0x00000001, 0x00000002, 0x00000000, 0x00000003 },
		{ 0x80000001, 0x80000000, 0x80000000, 0x80000001 },
		{ 0x3f800000, 0x007fffff, 0x3f800000, 0x3f800000 },
		{ 0x00800000, 0x00000001, 0x00800000, 0x00800001 },
		{ 0x80800001, 0x00800000, 0x80000000, 0x80000001 },
	};
	static const char *const places[] = { "", ".global", "", ".shared", ".shared::cluster" };

	for (unsigned int i = 0; i < 2 * sizeof(sums) / sizeof(sums[0]); i++) {
		const uint32_t *sum = sums[i / 2];
		const char *op = i % 2 ? "red" : "atom", *old = i % 2 ? "" : "%r2,";
		char text[3000];

		snprintf(text, sizeof(text),
			 "%s" "%s%s.add.f32 %s [%%rd0], %%r1; %s%s.add.f32 %s [%%rd0+4], %%r1;"
			 "%s%s.add.f32 %s [%%rd2], %%r1; %s%s.add.f32 %s [s+4], %%r1;"
			 "%s%s.add.f32 %s [s+8], %%r1;"
			 L("ld.shared.u32 %%r3, [s]; st.global.u32 [%%rd0+8], %%r3;")
			 L("ld.shared.u32 %%r3, [s+4]; st.global.u32 [%%rd0+12], %%r3;")
			 L("ld.shared.u32 %%r3, [s+8]; st.global.u32 [%%rd0+16], %%r3; }"),
			 L(".shared .u32 s[4];")
			 L(".visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b) {")
			 RUN_REGISTERS L("ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [a];")
			 L("ld.param.u32 %r1, [b]; mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2;")
			 L("st.global.v2.u32 [%rd0], {%r0, %r0}; st.shared.u32 [s], %r0;")
			 L("st.shared.u32 [s+4], %r0; st.shared.u32 [s+8], %r0;"),
			 op, places[0], old, op, places[1], old, op, places[2], old, op,
			 places[3], old, op, places[4], old);
		run_load(&run, text);
		run.params[0] = sum[0];
		run.params[1] = sum[1];
		run.param_count = 2;
		run_done(&run, 1);
		for (unsigned int j = 0; j < 5; j++)
			if (run.words[j] != sum[j < 2 ? 2 : 3])
				fail_msg("%s%s.add.f32 of 0x%x and 0x%x: 0x%x, not 0x%x", op,
					 places[j], sum[0], sum[1], run.words[j],
					 sum[j < 2 ? 2 : 3]);
	}
	run.param_count = 0;
}

#define SUMS 1024

/* Random numbers of all kinds; every other pair has equal exponents, so that sums are ties. */
static void fill_with_random(uint64_t *words, unsigned int count)
{
	uint64_t number = 88172645463325252;

	for (unsigned int i = 0; i < 2 * count; i++) {
		number ^= number << 13;
		number ^= number >> 7;
		number ^= number << 17;
		words[i] = number;
		if (i >= count && i % 2)
			words[i] = words[i - count] ^ (number & 0x800f800f800f);
	}
}

/* Runs an atomic addition and the instruction add on the same numbers: the bits must be equal. */
static void expect_equal_sums(const char *atom, const char *add, unsigned int bits)
{
	const char *reg = bits == 32 ? "%r" : "%rd";
	uint64_t *words = (uint64_t *)run.words;
	char text[2000];

	snprintf(text, sizeof(text),
		 "%s" "ld.global.b%u %s3, [%%rd1]; ld.global.b%u %s4, [%%rd1+%u];"
		 "st.global.b%u [%%rd1+%u], %s3; red.global.add.%s [%%rd1+%u], %s4;"
		 "add.%s %s5, %s3, %s4; st.global.b%u [%%rd1+%u], %s5; }\n",
		 RUN_ENTRY("k") L("mad.wide.u32 %rd1, %r0, 8, %rd0;"),
		 bits, reg, bits, reg, 8 * SUMS, bits, 16 * SUMS, reg, atom, 16 * SUMS, reg,
		 add, reg, reg, reg, bits, 24 * SUMS, reg);
	run_load(&run, text);
	fill_with_random(words, SUMS);
	run_done(&run, SUMS);
	for (unsigned int i = 0; i < SUMS; i++)
		if (words[2 * SUMS + i] != words[3 * SUMS + i])
			fail_msg("%s of 0x%llx and 0x%llx: 0x%llx, but add makes 0x%llx", atom,
				 (unsigned long long)words[i], (unsigned long long)words[SUMS + i],
				 (unsigned long long)words[2 * SUMS + i],
				 (unsigned long long)words[3 * SUMS + i]);
}

TEST(atomic_additions_round_as_add_does)
{
	/* Registers of .b32 and .b64 take all types of their size. */
	/* In global memory, atom.add.f32 flushes subnormal numbers. */
	expect_equal_sums("f32", "rn.ftz.f32", 32);
	expect_equal_sums("f64", "rn.f64", 64);
	expect_equal_sums("noftz.f16x2", "rn.f16x2", 32);
	expect_equal_sums("noftz.bf16x2", "rn.bf16x2", 32);
}

/* Executes an operation on 16 bytes, with the vector @b of @count elements of @bits bits. */
static void expect_vector(const char *op, unsigned int count, unsigned int bits,
			  const uint32_t *a, const uint32_t *b, const uint32_t *want)
{
	char old[200] = "", elements[200] = "", loads[1000] = "", stores[1000] = "", text[4000];
	const char *reg = bits == 16 ? "%h" : "%r";

	for (unsigned int i = 0; i < count; i++) {
		const char *comma = i ? ", " : "";

		snprintf(old + strlen(old), 200 - strlen(old), "%s%s%u", comma, reg, i + 10);
		snprintf(elements + strlen(elements), 200 - strlen(elements), "%s%s%u", comma, reg,
			 i + 1);
		snprintf(loads + strlen(loads), 1000 - strlen(loads),
			 "ld.global.b%u %s%u, [%%rd0+%u];", bits, reg, i + 1, 16 + i * bits / 8);
		snprintf(stores + strlen(stores), 1000 - strlen(stores),
			 "st.global.b%u [%%rd0+%u], %s%u;", bits, 32 + i * bits / 8, reg, i + 10);
	}
	for (unsigned int red = 0; red < 2; red++) {
		uint32_t bytes = count * bits / 8;

		if (red)
			snprintf(text, sizeof(text), "%s%sred.%s [%%rd0], {%s}; }",
				 RUN_ENTRY("k"), loads, op, elements);
		else
			snprintf(text, sizeof(text), "%s%satom.%s {%s}, [%%rd0], {%s}; %s }",
				 RUN_ENTRY("k"), loads, op, old, elements, stores);
		run_load(&run, text);
		memcpy(run.words, a, 16);
		memcpy(run.words + 4, b, 16);
		run_done(&run, 1);
		if (memcmp(run.words, want, bytes))
			fail_msg("%s: 0x%08x 0x%08x 0x%08x 0x%08x", text, run.words[0],
				 run.words[1], run.words[2], run.words[3]);
		/* What is behind the vector stays as it was. */
		assert_memory_equal((uint8_t *)run.words + bytes, (const uint8_t *)a + bytes,
				    16 - bytes);
		if (!red)
			assert_memory_equal(run.words + 8, a, bytes);
	}
}

TEST(each_element_of_a_vector_is_changed_atomically)
{
	static const uint32_t floats[4] = { 0x3f800000, 0x40000000, 0x80000000, 0x7f7fffff };
	static const uint32_t terms[4] = { 0x40000000, 0xc0000000, 0x80000000, 0x7f7fffff };
	static const uint32_t sums[4] = { 0x40400000, 0x00000000, 0x80000000, 0x7f800000 };
	/* -0 and +0, NaNs, and numbers of both signs. */
	static const uint32_t halves[4] = { 0x00008000, 0x7e003c00, 0xbc00c000, 0x7e01fc00 };
	static const uint32_t others[4] = { 0x80000000, 0x3c007e00, 0xc0003c00, 0xfe007c00 };
	static const uint32_t least[4] = { 0x80008000, 0x3c003c00, 0xc000c000, 0x7ffffc00 };
	static const uint32_t most[4] = { 0x00000000, 0x3c003c00, 0xbc003c00, 0x7fff7c00 };
	static const uint32_t f16_sums[4] = { 0x00000000, 0x7fff7fff, 0xc200bc00, 0x7fff7fff };
	/* The same numbers as bf16: 0x3c00 and 0x7c00 are small and large numbers. */
	static const uint32_t bf16_most[4] = { 0x00000000, 0x7e007e00, 0xbc003c00, 0x7e017c00 };

	expect_vector("global.add.v2.f32", 2, 32, floats, terms, sums);
	expect_vector("global.add.v4.f32", 4, 32, floats, terms, sums);
	expect_vector("relaxed.gpu.global.v4.f32.add", 4, 32, floats, terms, sums);
	expect_vector("add.v2.f32", 2, 32, floats, terms, sums);
	for (unsigned int count = 2; count <= 8; count *= 2) {
		char op[60];

		snprintf(op, sizeof(op), "global.min.noftz.v%u.f16", count);
		expect_vector(op, count, 16, halves, others, least);
		snprintf(op, sizeof(op), "global.v%u.f16.max.noftz", count);
		expect_vector(op, count, 16, halves, others, most);
		snprintf(op, sizeof(op), "global.max.noftz.v%u.bf16", count);
		expect_vector(op, count, 16, halves, others, bf16_most);
		snprintf(op, sizeof(op), "global.add.noftz.v%u.f16", count);
		expect_vector(op, count, 16, halves, others, f16_sums);
	}
	expect_vector("global.min.noftz.v4.f16x2", 4, 32, halves, others, least);
	expect_vector("global.max.noftz.v2.bf16x2", 2, 32, halves, others, bf16_most);
	expect_vector("global.add.noftz.v4.f16x2", 4, 32, halves, others, f16_sums);
}

TEST(vectors_of_atomic_operations_have_sinks_and_policies)
{
	run_load(&run, RUN_ENTRY("k")
		 L("mov.b64 %rd2, 0; mov.f32 %f1, 0f3F800000;")
		 L("red.relaxed.gpu.global.add.L2::cache_hint.v2.f32 [%rd0], {%f1, %f1}, %rd2;")
		 L("atom.global.add.v2.f32 {_, %f1}, [%rd0], {%f1, %f1};")
		 L("st.global.f32 [%rd0+8], %f1; }"));
	run.words[1] = 0x40000000;
	run_done(&run, 1);
	assert_int_equal(run.words[0], 0x40000000);
	assert_int_equal(run.words[1], 0x40800000);
	assert_int_equal(run.words[2], 0x40400000);
}

TEST(threads_do_not_lose_additions)
{
	run_load(&run, RUN_ENTRY("k")
		 L("red.global.add.u32 [%rd0], 1; atom.global.add.f32 %f1, [%rd0+4], 0f3F800000;")
		 L("red.global.add.u64 [%rd0+8], 3; atom.global.inc.u32 %r1, [%rd0+16], 999; }"));
	run.config.grid[0] = 20;
	run.config.host_threads = 4;
	run_done(&run, 200);
	assert_int_equal(run.words[0], 4000);
	assert_int_equal(run.words[1], 0x457a0000);
	assert_int_equal(run.words[2], 12000);
	assert_int_equal(run.words[4], 0);
}

TEST_MAIN()
