// SPDX-License-Identifier: MIT
/* Which waits the program only repeats until they return True. */
#include "code/loop.h"
#include "code/program.h"
#include "parse_build.h"

#define LOOP_REGS \
	".reg .pred %p<6>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<3>;\n" \
	".reg .b128 %q<2>; .local .align 8 .b8 l0[16];\n"
#define TRY	"mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;"

#define CHANGE	"xor.b32 %r3, %r3, 1;"

/* PTX_STEP_REPEATS* of the first or last wait of a module. */
static unsigned int flags_of_wait(const char *text, bool last)
{
	struct ptx_messages messages = { };
	struct ptx_program *program;
	struct ptx_module *module = parse(text);
	uint32_t i, found = UINT32_MAX;
	unsigned int flags;

	if (ptx_program_build(module, module->functions[module->function_count - 1], &program,
			      &messages))
		fail_msg("%s%s", messages.text, text);
	for (i = 0; i < program->step_count; i++)
		if (program->steps[i].kind == STEP_DEVICE && (last || found == UINT32_MAX))
			found = i;
	assert_true(found < program->step_count);
	flags = program->steps[found].flags;
	ptx_program_free(program);
	ptx_module_free(module);
	return flags;
}

static unsigned int flags_of(const char *text)
{
	return flags_of_wait(text, false);
}

static unsigned int flags_in_kernel(const char *body)
{
	char text[2000];

	snprintf(text, sizeof(text), ".visible .entry k(.param .u32 arg) {\n%s%s\nret; }\n",
		 LOOP_REGS, body);
	return flags_of(text);
}

static void expect_all(const char *const *bodies, unsigned int count, unsigned int flags)
{
	for (unsigned int i = 0; i < count; i++)
		if (flags_in_kernel(bodies[i]) != flags)
			fail_msg("%s a loop: %s", flags ? "not" : "taken for", bodies[i]);
}

TEST(loops_of_compilers_are_found)
{
	static const char *const bodies[] = {
		"A: " TRY " @!%p1 bra A;",
		"A: " TRY " @%p1 bra B; bra.uni A; B:",
		"A: " TRY " @%p1 bra B; nanosleep.u32 20; bra A; B:",
		"A: mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r1], %r2; @!%p1 bra A;",
		"A: mbarrier.try_wait.shared::cta.b64 %p1, [%rd1+8], %rd2; @!%p1 bra A;",
		/* A function returns bool, and the caller tests it. */
		"A: " TRY " selp.u32 %r3, 1, 0, %p1; setp.eq.s32 %p2, %r3, 0; @%p2 bra A;",
		"A: " TRY " selp.b32 %r3, 1, 0, %p1; cvt.u16.u32 %h1, %r3; and.b16 %h1, %h1, 1;"
		"setp.ne.b16 %p2, %h1, 0; @%p2 bra B; bra A; B:",
		"A: " TRY " selp.b16 %h1, -1, 0, %p1; cvt.u32.u16 %r3, %h1;"
		"setp.eq.u32 %p2, %r3, 65535; @!%p2 bra A;",
		"A: " TRY " not.pred %p2, %p1; @%p2 bra A;",
		"A: " TRY " xor.pred %p2, %p1, -1; xor.pred %p2, %p2, 1; @!%p2 bra A;",
		"A: " TRY " selp.s32 %r3, 1, 0, %p1; cvt.s64.s32 %rd1, %r3; not.b64 %rd1, %rd1;"
		"setp.eq.s64 %p2, %rd1, -1; @%p2 bra A;",
		/* How often the wait has returned False is not important if nobody asks. */
		"mov.u32 %r3, 0; A: " TRY " add.u32 %r3, %r3, 1; @!%p1 bra A;",
		/* All instructions that only write a register are followed. */
		"A: " TRY " lop3.b32 %r3, %r4, %r5, %r6, 0x1b; mov.u32 %r4, %clock; @!%p1 bra A;",
		"A: " TRY " shf.l.wrap.b32 %r3, %r4, %r5, %r6; abs.s32 %r4, %r5; @!%p1 bra A;",
		/* The way into the loop is not important. */
		"@%p3 bra MIDDLE; A: " TRY " MIDDLE: @!%p1 bra A; @%p4 bra A;",
		/* The guard of the wait is still true when it is executed again. */
		"A: @%p3 " TRY " @!%p1 bra A;",
		"A: @!%p1 " TRY " @!%p1 bra A;",
		/* The wait is executed every other time. */
		"A: @%p3 " TRY " not.pred %p3, %p3; @!%p1 bra A;",
		/* The loop sets operands of the wait, always to the same value. */
		"A: mov.u32 %r2, 0; " TRY " @!%p1 bra A;",
		"A: add.u32 %r1, %r3, 8; and.b32 %r2, %r4, 1; " TRY " @!%p1 bra A;",
		"A: cvt.u32.u64 %r1, %rd1; shr.u32 %r2, %r5, 3; and.b32 %r2, %r2, 1; " TRY
		"@%p1 bra B; add.u32 %r6, %r6, 1; nanosleep.u32 20; bra A; B:",
		".shared .b64 bars[4]; A: mov.u32 %r1, bars; ld.param.u32 %r2, [arg]; " TRY
		"@!%p1 bra A;",
		"A: mov.u32 %r2, %r3; mov.u32 %r3, %r2; " TRY " @!%p1 bra A;",
		"A: xor.b32 %r5, %r2, 1; " TRY " selp.b32 %r2, %r5, %r2, %p1; @!%p1 bra A;",
		/* Unrolled */
		"A: " TRY " @%p1 bra B;" TRY " @!%p1 bra A; B:",
		"A: mov.u32 %r2, 1; " TRY " @%p1 bra B; mov.u32 %r3, 1;"
		"mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], %r3; @!%p2 bra A; B:",
		/* If it is the same predicate, the branch goes the same way. */
		"A: " TRY " @%p2 bra B; @!%p2 bra A; B: @%p2 bra A; st.shared.u32 [%r3], %r4;",
		/* cuda::barrier::wait(): some attempts, and then sleeps that grow with the time. */
		"mov.u32 %r3, 0; mov.u64 %rd1, %globaltimer;"
		"A: " TRY " selp.b32 %r4, 1, 0, %p1; setp.ne.s32 %p2, %r4, 0; @%p2 bra DONE;"
		"setp.gt.s32 %p3, %r3, 15; @%p3 bra LATE; add.s32 %r3, %r3, 1; bra A;"
		"LATE: mov.u64 %rd2, %globaltimer; sub.s64 %rd2, %rd2, %rd1; shr.s64 %rd3, %rd2, 2;"
		"setp.lt.s64 %p4, %rd3, 1000000; @%p4 bra SHORT; mov.u32 %r5, 1000000;"
		"nanosleep.u32 %r5; bra.uni A;"
		"SHORT: setp.lt.s64 %p4, %rd3, 10000; @%p4 bra A; cvt.u32.u64 %r5, %rd3;"
		"nanosleep.u32 %r5; bra.uni A; DONE:",
		/* Which way the branch goes is not important if both lead back. */
		"A: " TRY " @%p1 bra B; @%p2 bra A; @%p3 bra A; nanosleep.u32 20; bra A; B:",
	};

	expect_all(bodies, ARRAY_SIZE(bodies), PTX_STEP_REPEATS);
}

TEST(other_code_behind_a_wait_is_no_loop)
{
	static const char *const bodies[] = {
		TRY,
		"A: " TRY " @%p1 bra A;",
		"A: " TRY " bra B; B: ret; bra A;",
		/* The program gives up at some time. */
		"mov.u32 %r3, 0; A: " TRY " add.u32 %r3, %r3, 1; setp.gt.u32 %p2, %r3, 1000;"
		"@%p2 bra B; @!%p1 bra A; B:",
		"A: " TRY " mov.u32 %r3, %clock; setp.gt.u32 %p2, %r3, 1000; @%p2 bra B;"
		"@!%p1 bra A; B:",
		/* One way leaves the loop, changes an operand, has an effect, or is endless. */
		"A: " TRY " @%p1 bra B; @%p2 bra B; bra A; B:",
		"A: " TRY " @%p1 bra B; @!%p2 bra A; @%p3 bra A; B:",
		"A: " TRY " @%p1 bra B; @%p2 bra A; add.u32 %r1, %r1, 8; bra A; B:",
		"A: " TRY " @%p1 bra B; @%p2 bra C; bra A; C: st.shared.u32 [%r3], %r4; bra A; B:",
		"A: " TRY " @%p1 bra B; @!%p2 bra A; C: nanosleep.u32 20; bra C; B:",
		"A: " TRY " @%p1 bra B; C: nanosleep.u32 20; @%p2 bra C; bra A; B:",
		/* The predicate is inverted twice. */
		"A: " TRY " not.pred %p2, %p1; @!%p2 bra A;",
		"A: " TRY " not.pred %p2, %p1; not.pred %p2, %p2; @%p2 bra A;",
		/* Another predicate. */
		"A: " TRY " @!%p2 bra A;",
		/* Only some threads set the predicate again. */
		"A: " TRY " @%p3 mov.pred %p1, 1; @!%p1 bra A;",
		/* Each of the operands is that of the wait before the last. */
		"A: " TRY " @%p1 bra B; mov.u32 %r4, %r2; mov.u32 %r2, %r3; mov.u32 %r3, %r4;"
		"bra A; B:",
		/* It is the same instruction with the same operands, but there is a carry. */
		"A: add.cc.u32 %r4, %r5, %r5; addc.u32 %r2, %r3, 0; " TRY
		" add.u32 %r5, %r5, 1; @!%p1 bra A;",
		"A: mov.u32 %r2, %clock; " TRY " @!%p1 bra A;",
		"A: ld.shared.u32 %r2, [%r3]; " TRY " @!%p1 bra A;",
		"A: @%p3 mov.u32 %r2, 0; " TRY " add.u32 %r2, %r2, 1; @!%p1 bra A;",
		/* Two barriers. */
		"A: " TRY " @!%p1 bra B; ret; B: "
		"mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], %r2; bra A;",
		/* Side effects. */
		"A: " TRY " st.shared.u32 [%r3], %r4; @!%p1 bra A;",
		"A: " TRY " ld.volatile.shared.u32 %r3, [%r4]; @!%p1 bra A;",
		"A: " TRY " red.global.add.u32 [%rd1], 1; @!%p1 bra A;",
		"A: " TRY " fence.acq_rel.cta; @!%p1 bra A;",
		"A: " TRY " activemask.b32 %r3; @!%p1 bra A;",
		/* The operands or the guard of the wait change. */
		"A: " TRY " add.u32 %r1, %r1, 8; @!%p1 bra A;",
		"A: " TRY " xor.b32 %r2, %r2, 1; @!%p1 bra A;",
		/* An operand is a part of what changes, or has a part that changes. */
		"A: " TRY CHANGE "st.local.b32 [l0], %r3; ld.local.u8 %r2, [l0]; @!%p1 bra A;",
		"A: " TRY CHANGE "st.local.b32 [l0], %r3; ld.local.b64 %rd1, [l0];"
		"cvt.u32.u64 %r2, %rd1; @!%p1 bra A;",
		"A: " TRY CHANGE "mov.b64 %rd1, {%r3, %r3}; st.local.b64 [l0], %rd1;"
		"st.local.b8 [l0], %r5; ld.local.b32 %r2, [l0+4]; @!%p1 bra A;",
		"A: " TRY CHANGE "mov.b64 %rd1, {%r3, %r3}; st.local.b64 [l0], %rd1;"
		"st.local.b8 [l0+7], %r5; ld.local.b32 %r2, [l0]; @!%p1 bra A;",
	};

	expect_all(bodies, ARRAY_SIZE(bodies), 0);
}

/* Each of these leaves the loop, which only the width or the type of an instruction shows. */
TEST(widths_and_types_count)
{
	static const char *const bodies[] = {
		/* -1 and 0xffffffff are the same 32 bits. */
		"A: " TRY " selp.b32 %r3, 0, 0xffffffff, %p1; setp.ne.s32 %p2, %r3, -1;"
		"@%p2 bra A;",
		"A: " TRY " selp.b16 %h1, 0, 65535, %p1; setp.ne.b16 %p2, %h1, -1; @%p2 bra A;",
		/* What cvt leaves of a number. */
		"A: " TRY " selp.b32 %r3, 0, 0x100, %p1; cvt.u16.u8 %h1, %r3;"
		"setp.ne.u16 %p2, %h1, 0; @%p2 bra A;",
		"A: " TRY " selp.b32 %r3, 0, 0x10000, %p1; cvt.u16.u32 %h1, %r3;"
		"setp.ne.u16 %p2, %h1, 0; @%p2 bra A;",
		"A: " TRY " selp.b32 %r3, 0, 0x80000000, %p1; cvt.s64.s32 %rd1, %r3;"
		"setp.eq.s64 %p2, %rd1, 0x80000000; @%p2 bra A;",
		"A: " TRY " selp.b16 %h1, 0, -1, %p1; cvt.u32.u16 %r3, %h1;"
		"setp.eq.u32 %p2, %r3, -1; @%p2 bra A;",
		/* 256 saturates to 255. */
		"A: " TRY " selp.b32 %r3, 0, 256, %p1; cvt.sat.u16.u32 %h1, %r3;"
		"cvt.sat.u8.u16 %h1, %h1; setp.eq.u16 %p2, %h1, 256; @%p2 bra A;",
		/* The float 1 is not the number 1, and a NaN does not equal itself. */
		"A: " TRY " selp.b32 %r3, 0, 1, %p1; cvt.rn.f32.u32 %f1, %r3; mov.b32 %r3, %f1;"
		"setp.eq.u32 %p2, %r3, 1; @%p2 bra A;",
		"A: " TRY " selp.b32 %r3, 0, 0x7fc00000, %p1; mov.b32 %f1, %r3;"
		"setp.eq.f32 %p2, %f1, %f1; @%p2 bra A;",
		"A: " TRY " selp.b32 %r3, 0, 0x80000000, %p1; mov.b32 %f1, %r3;"
		"mov.b32 %f2, 0; setp.ne.f32 %p2, %f1, %f2; @%p2 bra A;",
		/* True as -1 is the same as true as 1. */
		"A: " TRY " mov.pred %p2, -1; xor.pred %p2, %p2, 1; @%p2 bra A;",
		/* The value is as wide as the register, of which setp reads a part. */
		"A: " TRY " selp.b64 %rd1, 0, 0x100000000, %p1; cvt.u32.u64 %r3, %rd1;"
		"setp.ne.u32 %p2, %r3, 0; @%p2 bra A;",
	};

	expect_all(bodies, ARRAY_SIZE(bodies), 0);
}

/* The operands are other ones before the wait returns False for the first time. */
TEST(operands_may_be_others_at_first)
{
	static const char *const bodies[] = {
		"mov.u32 %r2, %r4; A: " TRY " mov.u32 %r2, 0; @!%p1 bra A;",
		"A: " TRY " mov.u32 %r2, %r3; @!%p1 bra A;",
		"A: " TRY " @%p1 bra B; mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r3], %r4;"
		"@%p1 bra B; mov.u32 %r1, %r3; mov.u32 %r2, %r4; bra A; B:",
	};

	expect_all(bodies, ARRAY_SIZE(bodies), PTX_STEP_REPEATS_LATER);
}

#define FUNCTION(body) \
	".func (.param .b32 result) f(.param .b64 p, .param .b32 q) {\n" LOOP_REGS \
	"ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [q]; cvt.u32.u64 %r1, %rd1;" body " ret; }\n"
#define LOOP_KERNEL(body)	".visible .entry k() {\n" LOOP_REGS body " ret; }\n"
#define CALL	"{ .param .b64 a; .param .b32 b; .param .b32 c; st.param.b64 [a], %rd1;" \
		"st.param.b32 [b], %r2; call (c), f, (a, b); ld.param.b32 %r3, [c]; }"
#define PASS(in, out)	CHANGE "{ .param .align 8 .b8 s[8]; .param .align 8 .b8 t[8];" in \
			"call (t), f, (s);" out " } @!%p1 bra A;"
#define STRUCT_FUNCTION(body) \
	".func (.param .align 8 .b8 t[8]) f(.param .align 8 .b8 s[8]) {\n" LOOP_REGS body \
	" ret; }\n"
#define WIDE(upper)	"mov.b64 %rd1, 0; mov.b64 %rd2, " upper "; mov.b128 %q0, {%rd1, %rd2};" \
			"call f; mov.b128 {%rd1, %rd2}, %q0; cvt.u32.u64 %r2, %rd2;"
#define TRY_AND_RETURN	TRY " selp.u32 %r3, 1, 0, %p1; st.param.b32 [result], %r3;"

TEST(loops_through_calls_are_found)
{
	static const struct {
		unsigned int flags;
		const char *text;
	} modules[] = {
		/* The function has the wait. */
		{ PTX_STEP_REPEATS_LATER, FUNCTION(TRY_AND_RETURN)
		  LOOP_KERNEL("A: " CALL "setp.eq.u32 %p2, %r3, 0; @%p2 bra A;") },
		{ PTX_STEP_REPEATS_LATER, FUNCTION(TRY_AND_RETURN)
		  LOOP_KERNEL("A: mov.u32 %r2, 1; " CALL "setp.ne.u32 %p2, %r3, 0;"
			 "@%p2 bra B; bra A;"
			 "B: " CALL "setp.eq.u32 %p2, %r3, 0; @%p2 bra B;") },
		/* One of the calls is in no loop, or with another operand each time. */
		{ 0, FUNCTION(TRY_AND_RETURN)
		  LOOP_KERNEL("A: " CALL "setp.eq.u32 %p2, %r3, 0; @%p2 bra A; " CALL) },
		{ 0, FUNCTION(TRY_AND_RETURN)
		  LOOP_KERNEL("A: " CALL "setp.eq.u32 %p2, %r3, 0; xor.b32 %r2, %r2, 1;"
			      "@%p2 bra A;") },
		{ 0, FUNCTION(TRY_AND_RETURN)
		  LOOP_KERNEL("A: " CALL "st.shared.u32 [%r4], %r3; setp.eq.u32 %p2, %r3, 0;"
			 "@%p2 bra A;") },
		/* The result is not asked for, or is another one. */
		{ 0, FUNCTION(TRY_AND_RETURN) LOOP_KERNEL("A: " CALL "@%p2 bra A;") },
		{ 0, FUNCTION(TRY "selp.u32 %r3, 1, 0, %p1; st.param.b8 [result+1], %r3;"
			      "st.param.b32 [result], %r4;")
		  LOOP_KERNEL("A: " CALL "setp.eq.u32 %p2, %r3, 0; @%p2 bra A;") },
		/* The loop calls a function, which has no effect. */
		{ PTX_STEP_REPEATS, FUNCTION("st.param.b32 [result], %r2;")
		  LOOP_KERNEL("A: " TRY "@%p1 bra B; " CALL "bra A; B:") },
		{ 0, FUNCTION("st.param.b32 [result], %r2; st.shared.u32 [%r1], %r2;")
		  LOOP_KERNEL("A: " TRY "@%p1 bra B; " CALL "bra A; B:") },
		/* A structure with a part that changes is read in other parts than written. */
		{ 0, STRUCT_FUNCTION("ld.param.b64 %rd1, [s]; st.param.b64 [t], %rd1;")
		  LOOP_KERNEL("A: " TRY PASS("st.param.b32 [s], %r3; st.param.b32 [s+4], %r4;",
					     "ld.param.b64 %rd1, [t]; cvt.u32.u64 %r2, %rd1;")) },
		{ 0, STRUCT_FUNCTION("ld.param.b64 %rd1, [s]; st.param.b64 [t], %rd1;")
		  LOOP_KERNEL("A: " TRY PASS("mov.b64 %rd1, {%r3, %r3}; st.param.b64 [s], %rd1;",
					     "ld.param.b32 %r2, [t+4];")) },
		/* The upper half of a wide register changes, and the function overwrites it. */
		{ 0, ".func f() {\n" LOOP_REGS "mov.b64 %rd0, 7; mov.b64 %rd1, 7; mov.b64 %rd2, 7;"
		  "mov.b64 %rd3, 7; mov.b128 %q0, {%rd0, %rd1}; mov.b128 %q1, {%rd2, %rd3};"
		  "add.u64 %rd0, %rd1, %rd2; add.u64 %rd0, %rd0, %rd3;"
		  "mov.b128 {%rd0, %rd1}, %q0; mov.b128 {%rd2, %rd3}, %q1; ret; }\n"
		  LOOP_KERNEL("A: " WIDE("0") TRY "@%p1 bra B;" WIDE("1") TRY "@!%p1 bra A; B:") },
		/* The other part, which does not change, is read as it was written. */
		{ PTX_STEP_REPEATS_LATER,
		  STRUCT_FUNCTION("ld.param.b32 %r1, [s+4]; st.param.b32 [t+4], %r1;")
		  LOOP_KERNEL("A: " TRY PASS("st.param.b32 [s], %r3; st.param.b32 [s+4], %r4;",
					     "ld.param.b32 %r2, [t+4];")) },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(modules); i++)
		if (flags_of(modules[i].text) != modules[i].flags)
			fail_msg("%u: %s", flags_of(modules[i].text), modules[i].text);
}

#define BEGIN		".visible .entry k() {\n" LOOP_REGS "A: "
#define NEST(n, below)	".func f" #n "() { call f" #below "; ret; }\n"
#define NESTS \
	".func f0() { ret; }\n" NEST(1, 0) NEST(2, 1) NEST(3, 2) NEST(4, 3) NEST(5, 4)
#define ASK(label)	"mov.u32 %r3, %clock; setp.eq.u32 %p2, %r3, 0; @%p2 bra " label ";"
#define ASK_4		ASK("C") ASK("C") ASK("C") ASK("C")

/* Loops that are just within a limit of code/loop.c. Repeated once more, they are beyond it. */
static const struct {
	const char *first, *repeated;
	unsigned int count;
	const char *last;
} limits[] = {
	/* MAX_INSNS, MAX_BRANCHES, MAX_PLACES */
	{ BEGIN TRY, "add.u32 %r3, %r3, 1;", 190, "@!%p1 bra A;" },
	{ BEGIN TRY "@%p1 bra B;", ASK("A"), 12, "bra A; B:" },
	{ ".func f() {\n" LOOP_REGS "mov.b64 {%r0, %r1}, %rd0; mov.b64 {%r2, %r3}, %rd1;"
	  "mov.b64 {%h0, %h1, %h2, %h3}, %rd2; ret; }\n" BEGIN TRY, "call f;", 31,
	  "@!%p1 bra A;" },
	/* MAX_ALL_INSNS, MAX_VALUES */
	{ BEGIN TRY "@%p1 bra B;" ASK_4 ASK_4 ASK_4 "bra A; C:", "add.u32 %r4, %r4, 1;", 80,
	  "bra A; B:" },
	{ BEGIN TRY, "@%p3 mov.b64 {%h0, %h1, %h2, %h3}, %rd1;", 126, "@!%p1 bra A;" },
	/* MAX_PER_STEP */
	{ BEGIN, TRY "@%p1 bra B;", 64, "bra A; B:" },
};

TEST(long_loops_are_not_found)
{
	static char text[20000];

	for (unsigned int i = 0; i < ARRAY_SIZE(limits); i++) {
		for (unsigned int more = 0; more < 2; more++) {
			char *to = stpcpy(text, limits[i].first);
			unsigned int flags;

			for (unsigned int j = 0; j < limits[i].count + more; j++)
				to = stpcpy(to, limits[i].repeated);
			stpcpy(stpcpy(to, limits[i].last), " ret; }\n");
			flags = flags_of_wait(text, true);
			if (flags != (more ? 0 : PTX_STEP_REPEATS))
				fail_msg("%u: %u times %s", flags, limits[i].count + more,
					 limits[i].repeated);
		}
	}
	/* MAX_FRAMES */
	assert_int_equal(flags_of(NESTS BEGIN TRY "call f4; @!%p1 bra A; ret; }\n"),
			 PTX_STEP_REPEATS);
	assert_int_equal(flags_of(NESTS BEGIN TRY "call f5; @!%p1 bra A; ret; }\n"), 0);
}

TEST_MAIN()
