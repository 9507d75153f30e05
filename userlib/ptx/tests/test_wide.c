// SPDX-License-Identifier: MIT
/* Registers and accesses of 128 bits. */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include <stdio.h>

#include "run_kernel.h"

static struct run run;

#define WIDE_ENTRY	RUN_ENTRY("k") L(".reg .b128 %q<8>; .local .align 16 .b8 l[32];") \
			L("mad.wide.u32 %rd1, %r0, 32, %rd0; cvt.u64.u32 %rd2, %r0;") \
			L("add.u64 %rd3, %rd2, 0x100000000; not.b64 %rd4, %rd2;")

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

/* Expects four numbers of 64 bits in the words of a thread. */
static void expect(uint32_t thread, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const uint64_t expected[4] = { a, b, c, d };

	assert_memory_equal(&run.words[8 * thread], expected, sizeof(expected));
}

TEST(registers_are_packed_and_unpacked)
{
	run_text(&run, WIDE_ENTRY
		 L("mov.b128 %q1, {%rd3, %rd4}; mov.b128 %q2, %q1; setp.lt.u32 %p1, %r0, 10;")
		 L("@%p1 mov.b128 %q2, {%rd4, 5}; mov.b128 {%rd5, %rd6}, %q2;")
		 L("mov.b128 {%r1, %r2, %r3, %r4}, %q1; mov.b128 %q3, {%r4, %r3, %r2, %r1};")
		 L("mov.b128 {%rd7, _}, %q3; mov.b128 {_, %rd8}, %q3;")
		 L("st.global.v2.u64 [%rd1], {%rd5, %rd6};")
		 L("st.global.v2.u64 [%rd1+16], {%rd7, %rd8}; }"), 40);
	for (uint64_t i = 0; i < 40; i++)
		expect((uint32_t)i, i < 10 ? ~i : i + 0x100000000, i < 10 ? 5 : ~i,
		       ~i << 32 | 0xffffffff, i << 32 | 1);
}

/* Without and with an order, in all state spaces. */
TEST(memory_is_read_and_written)
{
	static const struct {
		const char *space, *address, *load, *store;
	} accesses[] = {
		{ "global", "%rd1+16", "ld.global", "st.global" },
		{ "generic", "%rd1+16", "ld", "st" },
		{ "global", "%rd1+16", "ld.relaxed.gpu.global", "st.relaxed.gpu.global" },
		{ "global", "%rd1+16", "ld.volatile.global", "st.volatile.global" },
		{ "shared", "%rd9", "ld.shared", "st.shared" },
		{ "shared", "%rd9", "ld.relaxed.cta.shared", "st.relaxed.cta.shared" },
		{ "local", "l+16", "ld.local", "st.local" },
	};

	for (unsigned int i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
		char text[3000];

		snprintf(text, sizeof(text), "%s%s.b128 [%s], %%q1; %s.b128 %%q2, [%s];\n%s",
			 WIDE_ENTRY L(".shared .align 16 .b8 s[1024]; mov.u64 %rd9, s;")
			 L("mad.wide.u32 %rd9, %r0, 16, %rd9; mov.b128 %q1, {%rd3, %rd4};")
			 L("st.global.v2.u64 [%rd1+16], {1, 2};"),
			 accesses[i].store, accesses[i].address, accesses[i].load,
			 accesses[i].address,
			 L("mov.b128 {%rd5, %rd6}, %q2; st.global.v2.u64 [%rd1], {%rd6, %rd5}; }"));
		run_text(&run, text, 40);
		for (uint64_t n = 0; n < 40; n++) {
			bool in_global = !strcmp(accesses[i].address, "%rd1+16");

			expect((uint32_t)n, ~n, n + 0x100000000,
			       in_global ? n + 0x100000000 : 1, in_global ? ~n : 2);
		}
	}
	run_text(&run, ".const .align 16 .b64 c[2] = { 3, 4 };\n" WIDE_ENTRY
		 L("ld.const.b128 %q1, [c]; st.global.b128 [%rd1], %q1; }"), 1);
	expect(0, 3, 4, 0, 0);
	run_fault(&run, WIDE_ENTRY L("ld.global.b128 %q1, [%rd1+8]; }"), 1,
		  "which is not a multiple of 16");
}

TEST(atomic_operations_have_their_results)
{
	run_text(&run, WIDE_ENTRY
		 L("mov.b128 %q1, {%rd3, %rd4}; mov.b128 %q2, {%rd2, 6}; mov.b128 %q5, {0, 0};")
		 L("atom.global.exch.b128 %q3, [%rd1], %q1;")
		 L("atom.acq_rel.gpu.global.cas.b128 %q3, [%rd1], %q1, %q2;")
		 L("st.global.b128 [%rd1+16], %q3; atom.cas.b128 %q4, [%rd1], %q1, %q5;")
		 L("setp.lt.u32 %p1, %r0, 8; @%p1 atom.exch.b128 _, [%rd1+16], %q4; }"), 40);
	for (uint64_t i = 0; i < 40; i++)
		expect((uint32_t)i, i, 6, i < 8 ? i : i + 0x100000000, i < 8 ? 6 : ~i);
}

/* Threads on several processors count with compare-and-swap; both halves stay together. */
TEST(atomic_operations_are_atomic)
{
	run_load(&run, WIDE_ENTRY L(".reg .b128 %old; mov.u32 %r2, 0;")
		 L("AGAIN: ld.relaxed.gpu.global.b128 %old, [%rd0]; mov.b128 {%rd5, %rd6}, %old;")
		 L("add.u64 %rd7, %rd5, 1; sub.u64 %rd8, %rd6, 1; add.u64 %rd9, %rd5, %rd6;")
		 L("setp.ne.u64 %p2, %rd9, 0; @%p2 trap;")
		 L("mov.b128 %q1, {%rd7, %rd8}; atom.global.cas.b128 %q2, [%rd0], %old, %q1;")
		 L("mov.b128 {%rd7, %rd8}, %q2; xor.b64 %rd7, %rd7, %rd5;")
		 L("xor.b64 %rd8, %rd8, %rd6; or.b64 %rd7, %rd7, %rd8;")
		 L("setp.ne.u64 %p1, %rd7, 0; @%p1 bra AGAIN;")
		 L("add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 20; @%p1 bra AGAIN; }"));
	run.config.grid[0] = 16;
	run_done(&run, 64);
	run.config.grid[0] = 0;
	expect(0, 16 * 64 * 20, -(uint64_t)(16 * 64 * 20), 0, 0);
}

TEST(wrong_uses_are_refused)
{
	static const struct {
		const char *insn, *message;
	} wrong[] = {
		{ "ld.global.v2.b128 {%q1, %q2}, [%rd0];", "there are no vectors of .b128" },
		{ "ld.global.b128 %rd1, [%rd0];", "register %rd1 has the type .b64" },
		{ "ld.global.b128 _, [%rd0];", "ld.global.b128 takes a register, not _" },
		{ "ld.global.b64 %q1, [%rd0];", "a register of the type .b128 goes with .b128" },
		{ "st.global.u32 [%rd0], %q1;", "a register of the type .b128 goes with .b128" },
		{ "mov.b128 %q1, {%r1, %r2};", "register %r1 has the type .b32" },
		{ "mov.b64 %rd1, %q1;", "register %q1 has the type .b128" },
		{ "and.b128 %q1, %q2, %q3;", "and.b128 is not supported" },
		{ "atom.global.add.b128 %q1, [%rd0], %q2;", ".add has no type .b128" },
		{ "red.global.exch.b128 [%rd0], %q2;", "red has no .exch" },
		{ "atom.global.cas.b128 %q1, [%rd0], %rd1, %q2;", "register %rd1 has the type" },
	};

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[1000];

		snprintf(text, sizeof(text), "%s%s\n}\n", WIDE_ENTRY, wrong[i].insn);
		run_load(&run, text);
		run_refused(&run, -EOPNOTSUPP, wrong[i].message);
	}
}

TEST_MAIN()
