// SPDX-License-Identifier: MIT
/*
 * Bad programs: each ends with a fault whose report says what is wrong, in which thread and line.
 */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include <stdio.h>

#include "run/limit.h"
#include "run_kernel.h"

uint64_t ptx_memory_limit(void)
{
	return 256 << 20;
}

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

/* Runs the instructions for one thread, and expects a fault with the message. */
static void expect(const char *insns, const char *message)
{
	char *text;

	assert_true(asprintf(&text, "%s%s%s\n}\n",
			     L(".shared .align 16 .b8 own[64]; .const .u32 fixed[2] = {1, 2};")
			     L(".global .u32 named[4];"),
			     RUN_ENTRY("k") L(".local .align 8 .b8 depot[32]; .reg .b64 %rl<4>;"),
			     insns) > 0);
	run_fault(&run, text, 1, message);
	free(text);
}

static void expect_at(uint64_t address, const char *insn, const char *message)
{
	char insns[200];

	snprintf(insns, sizeof(insns), "mov.u64 %%rd2, 0x%llx; %s",
		 (unsigned long long)address, insn);
	expect(insns, message);
}

TEST(the_report_names_the_place)
{
	run.config.grid[0] = 4;
	run.config.grid[1] = 3;
	run.config.cluster[0] = 2;
	run.config.block[1] = 8;
	run.config.seed = 5;
	run_fault(&run, L(".file 1 \"dir/source.cu\"") RUN_ENTRY("k")
		  L(".loc 1 77 5")
		  L("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %tid.y;")
		  L("setp.ne.u32 %p0, %r1, 3; setp.ne.or.u32 %p0, %r2, 1, %p0;")
		  L("setp.ne.or.u32 %p0, %r3, 5, %p0; setp.ne.or.u32 %p0, %r0, 2, %p0;")
		  L("mov.u64 %rd2, 16;")
		  L(".loc 1 78 9")
		  L("@!%p0 st.global.u32 [%rd2], %r1;")
		  L(".loc 1 79 9")
		  L("ret; }"), 8,
		  "write of 4 bytes at 0x10, which is in no allocation");
	assert_non_null(strstr(run.report, "dir/source.cu:78, test.ptx:17: st.global.u32"));
	assert_non_null(strstr(run.report, "kernel k, CTA (3,1,0) with rank 1 in its cluster, "
			       "thread (2,5,0), warp 1, lane 10 (lanes 0 to 31 executed it)"));
	assert_non_null(strstr(run.report, "seed 5"));
	assert_int_equal(run.result.line, 17);
	assert_int_equal(run.result.source_line, 78);
	assert_string_equal(run.result.source_file, "dir/source.cu");
	assert_int_equal(run.result.inlined_line, 0);
	assert_null(run.result.inlined_file);
	assert_int_equal(run.result.fault, 0);
}

TEST(the_report_names_the_line_where_a_function_is_inlined)
{
	run_fault(&run, L(".file 1 \"dir/source.cu\"") L(".file 2 \"/sdk/ld.h\"") RUN_ENTRY("k")
		  L(".loc 1 50 3, function_name $L__info_string0, inlined_at 1 77 5")
		  L(".loc 2 20 9, function_name $L__info_string1+5, inlined_at 1 50 3")
		  L("mov.u64 %rd2, 16; ld.global.u32 %r1, [%rd2];") "ret; }\n", 1,
		  "read of 4 bytes at 0x10, which is in no allocation");
	assert_non_null(strstr(run.report, "\n  at dir/source.cu:77, test.ptx:14: ld.global.u32\n"
			       "  inlined there: source.cu:50, ld.h:20\n"));
	assert_int_equal(run.result.source_line, 77);
	assert_string_equal(run.result.source_file, "dir/source.cu");
	assert_int_equal(run.result.inlined_line, 20);
	assert_string_equal(run.result.inlined_file, "/sdk/ld.h");
}

TEST(addresses_in_no_allocation)
{
	uint64_t other, end = run.out + RUN_WORDS * 4;
	char message[200];

	assert_int_equal(vsm_ptx_memory_alloc(run.context, 100, &other), 0);
	expect_at(0, "ld.global.u32 %r1, [%rd2];", "read of 4 bytes at 0x0, which is in no "
	  "allocation");
	expect_at(0, "ld.u64 %rd3, [%rd2];", "read of 8 bytes at 0x0, which is in no allocation");
	expect_at(0, "red.global.add.u32 [%rd2+8], 1;", "write of 4 bytes at 0x8, which is in no");
	expect_at(UINT64_MAX - 7, "ld.u64 %rd3, [%rd2];", "at 0xfffffffffffffff8");
	expect_at(UINT64_MAX - 7, "ld.global.u64 %rd3, [%rd2+16];", "at 0x8, which is in no alloc");
	expect_at(1ULL << 63, "ld.v4.u64 {%rd3, %rd4, %rd5, %rd6}, [%rd2];", "32 bytes at 0x8000");
	snprintf(message, sizeof(message),
		 "4 bytes behind the end of an allocation of 65536 bytes at 0x%llx",
		 (unsigned long long)run.out);
	expect_at(end + 4, "st.global.u32 [%rd2], 1;", message);
	snprintf(message, sizeof(message), "256 bytes before an allocation of 65536 bytes at "
	  "0x%llx",
		 (unsigned long long)run.out);
	expect_at(run.out - 256, "ld.global.u8 %h1, [%rd2];", message);
	snprintf(message, sizeof(message),
		 "it reaches over the end of an allocation of 100 bytes at 0x%llx",
		 (unsigned long long)other);
	expect_at(other + 96, "ld.global.u64 %rd3, [%rd2];", message);
	snprintf(message, sizeof(message), "8 bytes before an allocation of 100 bytes at 0x%llx",
		 (unsigned long long)other);
	expect_at(other - 8, "ld.global.u32 %r3, [%rd2];", message);
	expect("mov.u64 %rd2, named; ld.global.u32 %r1, [%rd2+16];",
	       "0 bytes behind the end of named of 16 bytes");
	/* Generic addresses between the windows, of functions, and below the first window. */
	expect_at(4ULL << 32, "ld.u32 %r3, [%rd2];", "in no allocation");
	expect_at(5ULL << 32, "st.u32 [%rd2], 1;", "in no allocation");
	expect_at(0xffffffff, "ld.u8 %h1, [%rd2];", "in no allocation");
}

TEST(misaligned_addresses)
{
	expect("ld.global.u32 %r1, [%rd0+2];", "which is not a multiple of 4");
	expect("ld.global.u64 %rd2, [%rd0+4];", "which is not a multiple of 8");
	expect("ld.global.v2.u64 {%rd2, %rd3}, [%rd0+8];", "which is not a multiple of 16");
	expect("ld.global.v4.u64 {%rd2, %rd3, %rd4, %rd5}, [%rd0+16];", "not a multiple of 32");
	expect("ld.u16 %h1, [%rd0+1];", "which is not a multiple of 2");
	expect("atom.global.add.u64 %rd2, [%rd0+4], 1;", "which is not a multiple of 8");
	expect("st.shared.u32 [own+2], 1;", "write of 4 bytes at 0x2, which is not a multiple of "
	  "4");
	expect("mov.u64 %rd2, own; ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2+8];", "of 16");
	expect("st.local.u32 [depot+1], 1;", "which is not a multiple of 4");
	expect("ld.const.u32 %r1, [fixed+2];", "which is not a multiple of 4");
	expect("ld.param.u32 %r1, [k_out+2];", "which is not a multiple of 4");
}

TEST(writes_to_constant_memory_and_parameters)
{
	expect("mov.u64 %rd2, fixed; st.global.u32 [%rd2], 1;",
	       "write to fixed, which is in constant memory");
	expect("mov.u64 %rd2, fixed; cvta.const.u64 %rd2, %rd2; st.u32 [%rd2+4], 1;",
	       "write to fixed, which is in constant memory");
	expect("mov.u64 %rd2, fixed; atom.global.add.u32 %r1, [%rd2], 1;",
	       "write to fixed, which is in constant memory");
	expect("mov.b64 %rd2, k_out; cvta.param.u64 %rd2, %rd2; st.u32 [%rd2], 1;",
	       "write to a parameter of the kernel");
	expect("mov.b64 %rd2, k_out; ld.param.u64 %rd3, [%rd2+8];",
	       "read of 8 bytes at 0x8 of the parameters, which has 8 bytes");
	expect("ld.param.u64 %rd3, [k_out+8];", "of the parameters");
	expect("ld.param.u64 %rd3, [k_out+-8];", "");
}

TEST(addresses_outside_shared_memory)
{
	expect("st.shared.u32 [own+64], 1;",
	       "write of 4 bytes at 0x40 of the shared memory of CTA 0, which has 64 bytes");
	expect("ld.shared.v2.u64 {%rd2, %rd3}, [own+1048576];", "of the shared memory of CTA 0");
	expect("ld.shared.u32 %r1, [own+-4];", "");
	expect_at(1ULL << 32, "ld.shared.u32 %r1, [%rd2];",
		  "0x100000000 is no address in shared memory");
	expect_at(1 << 24, "ld.shared::cta.u32 %r1, [%rd2];",
		  "0x1000000 is in the window of another CTA, and not in .shared::cta");
	expect_at(1 << 24, "ld.shared::cluster.u32 %r1, [%rd2];",
		  "read at 0x1000000 of shared memory: there is no CTA 1 in the cluster");
	expect_at((1ULL << 32) + (3 << 24), "st.u32 [%rd2], 1;", "there is no CTA 3 in the "
	  "cluster");
	expect("mov.u64 %rd2, own; cvta.shared.u64 %rd2, %rd2; ld.u32 %r1, [%rd2+64];",
	       "of the shared memory of CTA 0, which has 64 bytes");
}

TEST(a_launch_without_the_dynamic_shared_memory_of_its_kernel)
{
	run_fault(&run, L(".extern .shared .b8 dynamic[];")
		  RUN_ENTRY("k") L("st.shared.u32 [dynamic], 1; }"), 1,
		  "write of 4 bytes at 0x0 of the shared memory of CTA 0: the kernel uses dynamic shared memory, and the launch gives it none: set its smem");
}

TEST(addresses_in_another_state_space)
{
	expect("mov.u64 %rd2, own; cvta.shared.u64 %rd2, %rd2; ld.global.u32 %r1, [%rd2];",
	       " is in shared memory, and not in .global");
	expect("mov.u64 %rd2, own; cvta.shared.u64 %rd2, %rd2; ld.const.u32 %r1, [%rd2];",
	       " is in shared memory, and not in .const");
	expect("mov.b64 %rl1, depot; cvta.local.u64 %rl1, %rl1; st.global.u32 [%rl1], 1;",
	       " is in local memory, and not in .global");
	expect("mov.b64 %rl1, k_out; cvta.param.u64 %rl1, %rl1; ld.global.u64 %rd3, [%rl1];",
	       " is in the parameters, and not in .global");
	/* Generic addresses of global memory, minus the base of the window */
	expect_at(-1ULL << 33, "ld.local.u32 %r1, [%rd2];", "is no address in local memory");
	expect_at(-3ULL << 32, "ld.param.u32 %r1, [%rd2];", "is no address in the parameters");
}

TEST(windows_of_other_ctas)
{
	run.config.grid[0] = 2;
	run.config.cluster[0] = 2;
	expect("mapa.shared::cluster.u32 %r1, %r0, 1; mov.u32 %r2, %cluster_ctarank;"
	       "setp.eq.u32 %p0, %r2, 0; @%p0 ld.shared::cta.u32 %r3, [%r1];",
	       "0x1000000 is in the window of another CTA");
	/* A rank that does not exist is a fault only if the address is used. */
	expect("mov.u64 %rd2, own; cvta.shared.u64 %rd2, %rd2; mapa.u64 %rd3, %rd2, 2;"
	       "mapa.u64 %rd4, %rd2, 1; ld.u32 %r1, [%rd4]; ld.u32 %r1, [%rd3];",
	       "there is no CTA 2 in the cluster");
	expect("mapa.shared::cluster.u32 %r1, own, 256; ld.shared::cluster.u32 %r1, [%r1];",
	       "there is no CTA 255 in the cluster");
}

TEST(mapa_of_addresses_outside_shared_memory)
{
	run.config.grid[0] = 2;
	run.config.cluster[0] = 2;
	expect("mov.u64 %rd2, own; mapa.u64 %rd3, %rd2, 1;",
	       "which is no generic address in the shared memory of the cluster");
	expect("mapa.u64 %rd3, %rd0, 1;",
	       "which is no generic address in the shared memory of the cluster");
	expect_at(0x2000000, "mapa.shared::cluster.u64 %rd3, %rd2, 1;",
		  "mapa of 0x2000000, which is no address in the shared memory of the cluster");
	expect_at(0x100000040, "mapa.shared::cluster.u64 %rd3, %rd2, 1;", "mapa of 0x100000040");
	expect("mov.u32 %r1, 0xfffffff0; mapa.shared::cluster.u32 %r2, %r1, 0;",
	       "mapa of 0xfffffff0");
}

TEST(addresses_outside_local_memory)
{
	expect("mov.u64 %rl1, depot; "
	  "ld.local.u32 %r1, [%rl1+1048576];", "of local memory, which has");
	expect("mov.u64 %rl1, depot; st.local.u32 [%rl1+-4], 1;", "");
	expect_at((2ULL << 32) + (1 << 30), "ld.u32 %r1, [%rd2];", "of local memory, which has");
	expect_at(1ULL << 33, "ld.local.u32 %r1, [%rd2];", "");
	/* The frame of the kernel has 32 bytes, though the memory behind it is there. */
	expect("st.local.u32 [depot+96], 1;",
	       "write of 4 bytes at 0x60 of local memory, which has 32 bytes: 64 bytes behind the "
	       "end of depot of 32 bytes at 0x0");
	expect("ld.local.u64 %rd2, [depot+32];", "0 bytes behind the end of depot of 32 bytes");
	expect(".local .b8 odd[5]; st.local.u16 [odd+4], 1;",
	       "write of 2 bytes at 0x24 of local memory, which has 37 bytes: it reaches over the "
	       "end of odd of 5 bytes at 0x20");
	run_text(&run, RUN_ENTRY("k") L(".local .b8 odd[5]; st.local.u8 [odd+4], 1; }"), 32);
}

/* A function has returned: what was its local memory belongs to nobody. */
TEST(local_memory_of_a_function_that_has_returned)
{
	static const char text[] =
		L(".func (.param .b64 r) f(.param .b32 a) { .reg .u64 %x; .local .b8 mine[16];")
		L("mov.u64 %x, mine; cvta.local.u64 %x, %x; st.u32 [%x+12], 5;")
		L("st.param.b64 [r], %x; ret; }")
		RUN_ENTRY("k") L(".local .align 8 .b8 depot[24]; .reg .b64 %rl<4>;")
		L("{ .param .b32 p; .param .b64 q; st.param.b32 [p], 1; call (q), f, (p);")
		L("ld.param.b64 %rd2, [q]; } st.local.u32 [depot+20], 1; ld.u32 %r1, [%rd2];")
		"}\n";

	run_fault(&run, text, 1, "read of 4 bytes at");
}

TEST(traps_and_assertions)
{
	expect("trap;", "trap");
	run_fault(&run,
		  L(".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c,")
		  L(".param .b64 d, .param .b64 e) .noreturn;")
		  L(".global .align 1 .b8 what[6] = {105, 32, 60, 32, 110};")
		  L(".global .align 1 .b8 file[5] = {97, 46, 99, 117};")
		  L(".global .align 1 .b8 func[2] = {102};")
		  RUN_ENTRY("k")
		  L("mov.u64 %rd2, what; cvta.global.u64 %rd2, %rd2;")
		  L("mov.u64 %rd3, file; mov.u64 %rd4, func;")
		  L("setp.ne.u32 %p0, %r0, 9; @%p0 ret;")
		  L("{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;")
		  L("st.param.b64 [a], %rd2; st.param.b64 [b], %rd3; st.param.b32 [c], 123;")
		  L("st.param.b64 [d], %rd4; st.param.b64 [e], 1;")
		  L("call.uni __assertfail, (a, b, c, d, e); }")
		  "}\n", 32, "assertion \"i < n\" in f of a.cu:123 is false");
	assert_non_null(strstr(run.report, "thread (9,0,0), warp 0, lane 9"));
}

TEST(bad_indices_and_functions)
{
	expect("ts: .branchtargets A, B; mov.u32 %r1, 2; brx.idx %r1, ts; A: B:",
	       "brx.idx: index 2 of 2 targets");
	expect("ts: .branchtargets A; mov.u32 %r1, -1; brx.idx.uni %r1, ts; A:",
	       "brx.idx: index 4294967295 of 1 targets");
	expect("proto: .callprototype _ (); mov.u64 %rd2, 0; call %rd2, (), proto;",
	       "call of 0x0, which is no function");
	expect("proto: .callprototype _ (); call %rd0, (), proto;", "which is no function");
	/* The address of a kernel. */
	expect("proto: .callprototype _ (); mov.u64 %rd2, 0x400000000; call %rd2, (), proto;",
	       "which is no function");
	expect("proto: .callprototype _ (); mov.u64 %rd2, 0x400000001; call %rd2, (), proto;",
	       "which is no function");
}

TEST(calls_with_parameters_of_another_type)
{
	static const char *const calls[] = {
		L("{ .param .b64 p; proto: .callprototype _ (.param .b64 _); "
		  "call %rd2, (p), proto; }"),
		L("{ proto: .callprototype _ (); call %rd2, (), proto; }"),
		L("{ .param .b32 p; .param .b32 q; proto: .callprototype (.param .b32 _) _ ")
		L("(.param .b32 _); call (q), %rd2, (p), proto; }"),
		L("{ .param .b32 p; .param .b32 q; proto: .callprototype _ ")
		L("(.param .b32 _, .param .b32 _); call %rd2, (p, q), proto; }"),
		L("{ .param .b8 p[4096]; proto: .callprototype _ (.param .b8 _[4096]); ")
		L("call %rd2, (p), proto; }"),
	};

	for (unsigned int i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		char text[2000];

		snprintf(text, sizeof(text), "%s%s%s}\n", L(".func f(.param .b32 a) { ret; }"),
			 RUN_ENTRY("k") L("mov.u64 %rd2, f;"), calls[i]);
		run_fault(&run, text, 5, "call of f with parameters of another type");
	}
}

/* A run ends only at ret or exit. Code that no thread reaches may end without them. */
TEST(a_missing_return)
{
	run.config.grid[0] = 3;
	run_fault(&run, L(".file 1 \"source.cu\"")
		  RUN_ENTRY("k")
		  L("mov.u32 %r1, %ctaid.x; setp.ne.u32 %p0, %r1, 2; "
		    "setp.ne.or.u32 %p0, %r0, 37, %p0;")
		  L(".loc 1 9 5")
		  L("@%p0 ret;")
		  L("}")
		  L(".func f() {") "}\n", 64,
		  "the thread has reached the end of the kernel k: a ret or exit is missing");
	assert_non_null(strstr(run.report, "source.cu:9, test.ptx:14: }"));
	assert_non_null(strstr(run.report, "CTA (2,0,0)"));
	assert_non_null(strstr(run.report, "thread (37,0,0), warp 1, lane 5"));
	assert_int_equal(run.result.line, 14);
	assert_int_equal(run.result.source_line, 9);
	/* A function; a kernel without instructions; a branch to a label at the end. */
	run_fault(&run, L(".func f() {") L(".reg .pred %p; .reg .b32 %x; mov.u32 %x, %tid.x;")
		  L("setp.ne.u32 %p, %x, 3; @%p ret; }") RUN_ENTRY("k") L("call f;") "}\n", 32,
		  "the thread has reached the end of the function f: a ret is missing");
	assert_int_equal(run.result.line, 6);
	assert_non_null(strstr(run.report, "thread (3,0,0), warp 0, lane 3"));
	run_fault(&run, ".visible .entry k() { }\n.func f() { }\n", 1, "the end of the kernel k");
	assert_int_equal(run.result.line, 4);
	run_fault(&run, RUN_ENTRY("k") L("bra END; ret; END:") L("}") ".func f() { }\n", 1,
		  "the end of the kernel k");
	assert_int_equal(run.result.line, 11);
	/* No thread gets to these ends. */
	run_text(&run, L(".func f() .noreturn { exit; }") L(".func g() { LOOP: exit; bra LOOP; }")
		 RUN_ENTRY("k") L("setp.lt.u32 %p0, %r0, 7; @%p0 bra FEW; call f; FEW: call g;")
		 "}\n.func h() { }\n", 32);
}

TEST(endless_recursion)
{
	run_fault(&run,
		  L(".func f() { call f, (); ret; }")
		  RUN_ENTRY("k") L("call f, ();") "}\n", 40, "stack overflow: f is called with "
		    "5242");
	run_fault(&run,
		  L(".func g();")
		  L(".func f(.param .b32 a) { .local .b8 big[60000]; .reg .u64 %x; "
		    "mov.u64 %x, big;")
		  L("call g, (); ret; }")
		  L(".func g() { .param .b32 p; call f, (p); ret; }")
		  RUN_ENTRY("k") L("call g, ();") "}\n", 40, "stack overflow: f is called with 48");
	assert_non_null(strstr(run.report, "of 524288 bytes in use"));
	run.config.stack_bytes = 1000;
	run_fault(&run, L(".func f() { .local .b8 x[900]; .reg .u64 %x; mov.u64 %x, x; ret; }")
		  RUN_ENTRY("k") L("call f, ();") "}\n", 1, "stack overflow: f is called with 64 "
		    "of 1000");
	run_load(&run, RUN_ENTRY("k") L(".local .b8 x[1001]; mov.u64 %rd2, x; }"));
	run_refused(&run, -EINVAL, "k needs 1008 bytes of local memory, and the stack of a "
	  "thread has");
}

/* Much memory is an error of the launch, and must not be one of the machine. */
TEST(the_memory_of_the_machine_is_the_limit)
{
	run.config.stack_bytes = UINT64_MAX;
	run.config.block[0] = 1024;
	run.config.grid[0] = 100;
	run_load(&run, RUN_ENTRY("k") L(".local .b8 x[7000000]; mov.u64 %rd2, x; }"));
	run_kernel(&run, "k");
	assert_int_equal(run.result.outcome, VSM_PTX_ERROR);
	assert_int_equal(run.result.error, -ENOMEM);
	assert_string_equal(run.report, "Cannot allocate memory\n");
	/* If a cluster needs much memory, one after the other runs. */
	run.config.grid[0] = 4;
	run_text(&run, RUN_ENTRY("k") L(".local .b8 x[3000000]; st.local.u8 [x+2999999], 1; }"),
		 32);
	/* A call that fails has a place. */
	run_load(&run, L(".func f() { .local .b8 x[7000000]; .reg .u64 %x; mov.u64 %x, x; ret; }")
		 RUN_ENTRY("k") L("call f, ();") "}\n");
	run.config.block[0] = 1024;
	run_kernel(&run, "k");
	assert_int_equal(run.result.outcome, VSM_PTX_ERROR);
	assert_int_equal(run.result.error, -ENOMEM);
	assert_non_null(strstr(run.report, "memory"));
	assert_non_null(strstr(run.report, "test.ptx:"));
}

TEST(other_threads_do_not_hide_the_first_fault)
{
	run.config.grid[0] = 50;
	run_fault(&run, RUN_ENTRY("k") L("mov.u64 %rd2, 0; ld.global.u32 %r1, [%rd2]; }"), 1024,
		  "read of 4 bytes at 0x0");
	assert_non_null(strstr(run.report, "lane 0 (lanes 0 to 31 executed it)"));
}

/* What the ALU does is no fault. */
TEST(division_by_zero_has_a_result)
{
	run_text(&run, RUN_ENTRY("k")
		 L("mov.u32 %r1, 0; div.u32 %r2, %r0, %r1; div.s32 %r3, %r0, %r1;")
		 L("rem.u32 %r4, %r0, %r1; mov.u64 %rd2, 0; div.s64 %rd3, %rd0, %rd2;")
		 L("mov.u32 %r5, 0x80000000; mov.u32 %r6, -1; div.s32 %r7, %r5, %r6;")
		 L("rem.s32 %r8, %r5, %r6; div.rn.f32 %f1, 0f3F800000, 0f00000000;")
		 L("st.global.f32 [%rd1], %f1; }"), 64);
	assert_int_equal(run.words[63], 0x7f800000);
}

TEST_MAIN()
