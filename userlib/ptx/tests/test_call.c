// SPDX-License-Identifier: MIT
/* Calls of functions, their parameters and local memory, and addresses in all state spaces. */
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

TEST(parameters_of_all_sizes_are_passed)
{
	run_text(&run,
		 L(".func (.param .b64 r) f(.param .b8 a, .param .b64 b, .param .b16 c,")
		 L(".param .f32 d, .param .b8 e) {")
		 RUN_REGISTERS
		 L("ld.param.u8 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u16 %rd3, [c];")
		 L("ld.param.u32 %rd4, [d]; ld.param.s8 %rd5, [e];")
		 L("add.u64 %rd1, %rd1, %rd2; add.u64 %rd1, %rd1, %rd3; add.u64 %rd1, %rd1, %rd4;")
		 L("add.u64 %rd1, %rd1, %rd5; st.param.b64 [r], %rd1; ret; }")
		 RUN_ENTRY("k")
		 L("cvt.u64.u32 %rd2, %r0; shl.b64 %rd3, %rd2, 40; cvt.u16.u32 %h1, %r0;")
		 L("{ .param .b8 a; .param .b64 b; .param .b16 c; .param .f32 d; .param .b8 e;")
		 L(".param .b64 q;")
		 L("st.param.b8 [a], %h1; st.param.b64 [b], %rd3; st.param.b16 [c], 1000;")
		 L("st.param.f32 [d], 0f00000007; st.param.b8 [e], -1;")
		 L("call.uni (q), f, (a, b, c, d, e); ld.param.b64 %rd4, [q]; }")
		 L("add.u64 %rd1, %rd1, 0; mad.wide.u32 %rd5, %r0, 8, %rd0;")
		 L("st.global.u64 [%rd5], %rd4; }"), 300);
	for (uint64_t i = 0; i < 300; i++) {
		uint64_t got;

		memcpy(&got, run.words + 2 * i, 8);
		assert_int_equal(got, (i & 255) + (i << 40) + 1000 + 7 - 1);
	}
}

TEST(structures_are_passed_by_value)
{
	/* The function changes its own copy. */
	run_text(&run,
		 L(".func (.param .align 8 .b8 r[16]) f(.param .align 8 .b8 a[24], .param .b32 "
		   "n) {")
		 RUN_REGISTERS
		 L("ld.param.v2.u32 {%r1, %r2}, [a+8]; ld.param.u32 %r3, [n]; "
		   "ld.param.u64 %rd2, [a];")
		 L("st.param.u64 [a], 0; ld.param.u64 %rd3, [a];")
		 L("add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.param.b32 [r], %r1;")
		 L("add.u64 %rd2, %rd2, %rd3; st.param.b64 [r+8], %rd2; ret; }")
		 RUN_ENTRY("k")
		 L("{ .param .align 8 .b8 a[24]; .param .b32 n; .param .align 8 .b8 q[16];")
		 L("st.param.b64 [a], 5; st.param.v2.b32 [a+8], {%r0, 100}; "
		   "st.param.b32 [n], 1000;")
		 L("call (q), f, (a, n); ld.param.b32 %r1, [q]; ld.param.b32 %r2, [q+8];")
		 L("ld.param.b32 %r3, [a]; }")
		 L("add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.global.u32 [%rd1], %r1; "
		   "}"), 40);
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(run.words[i], i + 1100 + 5 + 5);
}

TEST(functions_call_themselves)
{
	static const uint32_t fibonacci[] = { 0, 1, 1, 2, 3, 5, 8, 13, 21, 34 };

	run_text(&run,
		 L(".func (.param .b32 r) fib(.param .b32 n) {")
		 RUN_REGISTERS
		 L("ld.param.u32 %r1, [n]; setp.lt.u32 %p1, %r1, 2; @!%p1 bra MORE;")
		 L("st.param.u32 [r], %r1; ret;")
		 L("MORE: sub.u32 %r2, %r1, 1; sub.u32 %r3, %r1, 2;")
		 L("{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r2; call (q), fib, (p);")
		 L("ld.param.b32 %r4, [q]; }")
		 L("{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r3; call (q), fib, (p);")
		 L("ld.param.b32 %r5, [q]; }")
		 L("add.u32 %r4, %r4, %r5; st.param.u32 [r], %r4; ret; }")
		 RUN_ENTRY("k")
		 L("rem.u32 %r1, %r0, 10;")
		 L("{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), fib, (p);")
		 L("ld.param.b32 %r4, [q]; } st.global.u32 [%rd1], %r4; }"), 70);
	for (uint32_t i = 0; i < 70; i++)
		assert_int_equal(run.words[i], fibonacci[i % 10]);
}

TEST(functions_call_each_other)
{
	run_text(&run,
		 L(".func (.param .b32 r) odd(.param .b32 n);")
		 L(".func (.param .b32 r) even(.param .b32 n) {")
		 RUN_REGISTERS
		 L("ld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 0; @%p1 st.param.u32 [r], 1; "
		   "@%p1 ret;")
		 L("sub.u32 %r1, %r1, 1; { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1;")
		 L("call (q), odd, (p); ld.param.b32 %r2, [q]; } st.param.b32 [r], %r2; ret; }")
		 L(".func (.param .b32 r) odd(.param .b32 n) {")
		 RUN_REGISTERS
		 L("ld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 0; @%p1 st.param.u32 [r], 0; "
		   "@%p1 ret;")
		 L("sub.u32 %r1, %r1, 1; { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1;")
		 L("call (q), even, (p); ld.param.b32 %r2, [q]; } st.param.b32 [r], %r2; ret; }")
		 RUN_ENTRY("k")
		 L("{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r0; call (q), even, (p);")
		 L("ld.param.b32 %r4, [q]; } st.global.u32 [%rd1], %r4; }"), 64);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(run.words[i], i % 2 == 0);
}

TEST(lanes_call_different_functions)
{
	run_text(&run,
		 L(".func (.param .b32 r) a(.param .b32 n) { .reg .u32 %r; ld.param.u32 %r, [n];")
		 L("add.u32 %r, %r, 100; st.param.u32 [r], %r; ret; }")
		 L(".func (.param .b32 r) b(.param .b32 n) { .reg .u32 %r; ld.param.u32 %r, [n];")
		 L("mul.lo.u32 %r, %r, 2; st.param.u32 [r], %r; ret; }")
		 L(".func (.param .b32 r) c(.param .b32 n) { st.param.u32 [r], 7; ret; }")
		 RUN_ENTRY("k")
		 L("mov.u64 %rd2, a; mov.u64 %rd3, b; mov.u64 %rd4, c; rem.u32 %r1, %r0, 3;")
		 L("setp.eq.u32 %p1, %r1, 1; setp.eq.u32 %p2, %r1, 2; "
		   "selp.b64 %rd5, %rd3, %rd2, %p1;")
		 L("selp.b64 %rd5, %rd4, %rd5, %p2; setp.ge.u32 %p3, %r0, 50; mov.u32 %r4, 1;")
		 L("{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r0; st.param.b32 [q], 1;")
		 L("proto: .callprototype (.param .b32 _) _ (.param .b32 _);")
		 L("@!%p3 call (q), %rd5, (p), proto; ld.param.b32 %r4, [q]; }")
		 L("st.global.u32 [%rd1], %r4; }"), 64);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(run.words[i], i >= 50 ? 1 : i % 3 == 0 ? i + 100 :
				 i % 3 == 1 ? 2 * i : 7);
}

TEST(a_call_without_arguments_may_have_a_table_of_functions)
{
	run_text(&run,
		 L(".global .u32 calls;")
		 L(".func a() { red.global.add.u32 [calls], 1; ret; }")
		 L(".func b() { red.global.add.u32 [calls], 100; ret; }")
		 RUN_ENTRY("k")
		 L("mov.u64 %rd2, a; mov.u64 %rd3, b;")
		 L("both: .calltargets a, b;")
		 L("call %rd2, both; call %rd3, both; call %rd3, both;")
		 L("ld.global.u32 %r1, [calls]; st.global.u32 [%rd1], %r1; }"), 1);
	assert_int_equal(run.words[0], 201);
}

TEST(each_call_has_local_memory_of_its_own)
{
	/* Each level writes its array, calls the next one, and reads its array again. */
	run_text(&run,
		 L(".func (.param .b32 r) f(.param .b32 n) {")
		 L(".local .align 32 .b8 own[72];")
		 RUN_REGISTERS
		 L("ld.param.u32 %r1, [n]; cvt.u64.u32 %rd1, %r1; mov.u64 %rd2, own; "
		   "mov.u32 %r3, 0;")
		 L("st.local.v4.u64 [%rd2+32], {%rd1, %rd1, %rd1, %rd1};")
		 L("setp.eq.u32 %p1, %r1, 0; @%p1 bra OUT; sub.u32 %r2, %r1, 1;")
		 L("{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r2; call (q), f, (p);")
		 L("ld.param.b32 %r3, [q]; }")
		 L("OUT: cvta.local.u64 %rd3, %rd2; ld.v4.u64 {%rd4, %rd5, %rd6, %rd7}, [%rd3+32];")
		 L("cvt.u32.u64 %r4, %rd7; add.u32 %r3, %r3, %r4; st.param.b32 [r], %r3; ret; }")
		 RUN_ENTRY("k")
		 L(".local .b8 odd[5]; st.local.u8 [odd+4], 1;")
		 L("{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r0; call (q), f, (p);")
		 L("ld.param.b32 %r4, [q]; } st.global.u32 [%rd1], %r4; }"), 64);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(run.words[i], i * (i + 1) / 2);
}

TEST(pointers_to_local_memory_are_passed)
{
	run_text(&run,
		 L(".func add(.param .b64 to, .param .b64 n) {")
		 RUN_REGISTERS
		 L("ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [n]; ld.u64 %rd3, [%rd1];")
		 L("add.u64 %rd3, %rd3, %rd2; st.u64 [%rd1], %rd3; ret; }")
		 RUN_ENTRY("k")
		 L(".local .u64 mine; .shared .u64 all[64];")
		 L("mov.u64 %rd2, mine; cvta.local.u64 %rd3, %rd2; cvt.u64.u32 %rd4, %r0;")
		 L("st.local.u64 [mine], 1000;")
		 L("{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd3; "
		   "st.param.b64 [b], %rd4;")
		 L("call add, (a, b); }")
		 L("mov.u64 %rd5, all; mad.wide.u32 %rd5, %r0, 8, %rd5; "
		   "cvta.shared.u64 %rd6, %rd5;")
		 L("ld.local.u64 %rd7, [mine]; st.shared.u64 [%rd5], %rd7;")
		 L("{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd6; "
		   "st.param.b64 [b], %rd4;")
		 L("call add, (a, b); }")
		 L("ld.shared.u32 %r1, [%rd5]; st.global.u32 [%rd1], %r1; }"), 64);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(run.words[i], 1000 + 2 * i);
}

/* A function gets whole .param variables of its caller. All else is refused at launch. */
TEST(only_whole_variables_are_passed)
{
	static const char *const calls[] = {
		/* An offset. */
		L("{ .param .b64 a; st.param.b64 [a], %rd1; call f, (a+4); }"),
		L("{ .param .b64 a; .param .b64 q; st.param.b64 [a], %rd1; call (q+4), g, (a); }"),
		/* The parameters of the kernel are in memory of their own. */
		L("call f, (k_out);"),
		L("{ .param .b64 a; st.param.b64 [a], 1; call (k_out), g, (a); }"),
	};
	char text[2000];

	for (unsigned int i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		snprintf(text, sizeof(text), "%s%s}\n",
			 L(".func f(.param .b64 p) { ret; }")
			 L(".func (.param .b64 r) g(.param .b64 p) { ret; }")
			 RUN_ENTRY("k"), calls[i]);
		run_load(&run, text);
		run_refused(&run, -EOPNOTSUPP, "only .param variables");
	}
}

/* A function may pass its own parameters on. */
TEST(functions_pass_their_parameters_on)
{
	run_text(&run,
		 L(".func (.param .b64 r) g(.param .b64 p, .param .b32 n) {")
		 RUN_REGISTERS
		 L("ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; cvt.u64.u32 %rd2, %r1;")
		 L("st.param.u64 [p], 0; add.u64 %rd1, %rd1, %rd2; st.param.b64 [r], %rd1; ret; }")
		 L(".func (.param .b64 r) f(.param .b32 n, .param .b64 p) {")
		 RUN_REGISTERS
		 L("call (r), g, (p, n); ld.param.u64 %rd1, [r]; ld.param.u64 %rd2, [p];")
		 L("add.u64 %rd1, %rd1, %rd2; st.param.b64 [r], %rd1; ret; }")
		 RUN_ENTRY("k")
		 L("{ .param .b32 n; .param .b64 p; .param .b64 q; st.param.b32 [n], %r0;")
		 L("st.param.b64 [p], 1000; call (q), f, (n, p); ld.param.b64 %rd2, [q]; }")
		 L("cvt.u32.u64 %r1, %rd2; st.global.u32 [%rd1], %r1; }"), 64);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(run.words[i], 2000 + i);
}

/* --- addresses ------------------------------------------------------------------------- */

TEST(isspacep_knows_the_space_of_an_address)
{
	run_text(&run,
		 L(".const .u32 c = 1; .shared .u32 s;")
		 RUN_ENTRY("k")
		 L(".local .u32 l; .reg .pred %q<8>; .reg .u64 %x<8>;")
		 L("mov.u64 %x1, l; cvta.local.u64 %x1, %x1; mov.u64 %x2, s; "
		   "cvta.shared.u64 %x2, %x2;")
		 L("mov.b64 %x3, k_out; cvta.param.u64 %x3, %x3; mov.u64 %x4, c;")
		 L("cvta.const.u64 %x4, %x4; mov.u64 %x5, 0;")
#define SPACES(x) \
		 L("isspacep.global %q1, " x "; isspacep.shared %q2, " x ";") \
		 L("isspacep.local %q3, " x ";") \
		 L("isspacep.param %q4, " x "; isspacep.shared::cluster %q5, " x ";") \
		 L("selp.u32 %r1, 1, 0, %q1; selp.u32 %r2, 2, 0, %q2; selp.u32 %r3, 4, 0, %q3;") \
		 L("selp.u32 %r4, 8, 0, %q4; selp.u32 %r5, 16, 0, %q5; add.u32 %r1, %r1, %r2;") \
		 L("add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5;") \
		 L("st.global.u32 [%rd0], %r1; add.u64 %rd0, %rd0, 4;")
		 SPACES("%rd1") SPACES("%x2") SPACES("%x1") SPACES("%x3") SPACES("%x5")
		 L("cvta.to.local.u64 %x1, %x1; st.local.u32 [%x1], 5; ld.local.u32 %r1, [l];")
		 L("st.global.u32 [%rd0], %r1;")
		 L("cvta.to.shared.u64 %x2, %x2; st.shared.u32 [%x2], 6; ld.shared.u32 %r1, [s];")
		 L("st.global.u32 [%rd0+4], %r1; ld.u64 %rd3, [%x3]; setp.eq.u64 %p1, %rd3, %rd1;")
		 L("selp.u32 %r1, 1, 0, %p1; st.global.u32 [%rd0+8], %r1; ld.u32 %r1, [%x4];")
		 L("st.global.u32 [%rd0+12], %r1; }"), 1);
	assert_int_equal(run.words[0], 1);
	assert_int_equal(run.words[1], 2 + 16);
	assert_int_equal(run.words[2], 4);
	assert_int_equal(run.words[3], 8);
	assert_int_equal(run.words[4], 0);
	assert_int_equal(run.words[5], 5);
	assert_int_equal(run.words[6], 6);
	assert_int_equal(run.words[7], 1);
	assert_int_equal(run.words[8], 1);
}

/* Each CTA writes to the window of the next one of its cluster. */
TEST(ctas_access_windows_of_their_cluster)
{
	static const char *const maps[] = {
		L("mov.u64 %rd2, s; mapa.shared::cluster.u64 %rd3, %rd2, %r3;")
		L("st.shared::cluster.u32 [%rd3], %r2; getctarank.shared::cluster.u64 %r5, %rd3;"),
		L("mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2; mapa.u64 %rd3, %rd2, %r3;")
		L("st.volatile.u32 [%rd3], %r2; getctarank.u64 %r5, %rd3;"),
		L("mov.u32 %r6, s; mapa.shared::cluster.u32 %r7, %r6, %r3;")
		L("st.shared::cluster.u32 [%r7], %r2; getctarank.shared::cluster.u32 %r5, %r7;"),
	};

	for (unsigned int i = 0; i < 3; i++) {
		char text[3000];

		snprintf(text, sizeof(text), "%s%s%s", L(".shared .u32 pad; .shared .u32 s;")
			 RUN_ENTRY("k")
			 L("mov.u32 %r1, %cluster_ctarank; mov.u32 %r4, %cluster_nctarank;")
			 L("st.shared.u32 [pad], 1;")
			 L("add.u32 %r2, %r1, 1; rem.u32 %r3, %r2, %r4; mov.u32 %r10, %ctaid.x;")
			 L("add.u32 %r2, %r10, 100; mad.wide.u32 %rd9, %r10, 8, %rd0;"), maps[i],
			 L("WAIT: ld.volatile.shared.u32 %r8, [s]; setp.eq.u32 %p1, %r8, 0;")
			 L("@%p1 bra WAIT; st.global.v2.u32 [%rd9], {%r8, %r5}; }"));
		run_load(&run, text);
		run.config.grid[0] = 12;
		run.config.cluster[0] = 4;
		run_done(&run, 1);
		for (uint32_t cta = 0; cta < 12; cta++) {
			assert_int_equal(run.words[2 * cta], 100 + cta / 4 * 4 + (cta + 3) % 4);
			assert_int_equal(run.words[2 * cta + 1], (cta + 1) % 4);
		}
	}
}

/* A call, by the name or by the address, gets to the body that they share. */
TEST(aliases_have_the_body_of_their_function)
{
	run_text(&run,
		 L(".func (.param .b32 r) a(.param .b32 x);")
		 L(".func (.param .b32 r) b(.param .b32 x);")
		 L(".func (.param .b32 r) f(.param .b32 x) {")
		 RUN_REGISTERS
		 L("ld.param.u32 %r1, [x]; add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }")
		 L(".alias a, f; .alias b, a;")
		 L(".global .u64 table[2] = { b, a };")
		 RUN_ENTRY("k")
		 L(".param .b32 p; .param .b32 q; st.param.b32 [p], 5;")
		 L("call (q), a, (p); ld.param.u32 %r1, [q]; st.global.u32 [%rd0], %r1;")
		 L("ld.global.u64 %rd2, [table]; st.param.b32 [p], 6;")
		 L("call (q), %rd2, (p), proto; ld.param.u32 %r1, [q];")
		 L("st.global.u32 [%rd0+4], %r1;")
		 L("ld.global.u64 %rd2, [table+8]; st.param.b32 [p], 7;")
		 L("call (q), %rd2, (p), proto; ld.param.u32 %r1, [q];")
		 L("st.global.u32 [%rd0+8], %r1;")
		 L("proto: .callprototype (.param .b32 _) _ (.param .b32 _); }"), 1);
	assert_int_equal(run.words[0], 6);
	assert_int_equal(run.words[1], 7);
	assert_int_equal(run.words[2], 8);
}

TEST_MAIN()
