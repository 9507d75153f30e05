// SPDX-License-Identifier: MIT
/*
 * How warps execute control flow: lanes diverge in every way and meet again, nobody starves, and
 * orders depend on the seed.
 */
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

/* Runs the kernel with several sizes and orders, and compares the word of each thread. */
static void expect(const char *text, uint32_t (*want)(uint32_t thread))
{
	static const uint32_t sizes[] = { 1, 31, 32, 33, 200, 1024 };

	run_load(&run, text);
	for (unsigned int i = 0; i < 12; i++) {
		uint32_t threads = sizes[i % 6];

		memset(run.words, 0, threads * 4);
		run.config.seed = i / 6 * (i + 1);
		run_done(&run, threads);
		for (uint32_t thread = 0; thread < threads; thread++)
			if (run.words[thread] != want(thread))
				fail_msg("thread %u of %u: 0x%x, not 0x%x", thread, threads,
					 run.words[thread], want(thread));
	}
}

#define END	L("st.global.u32 [%rd1], %r1;") "}\n"

static uint32_t want_if(uint32_t thread)
{
	return (thread % 2 ? 10 : 20) + (thread % 3 ? 0 : 100) + 7;
}

TEST(lanes_take_both_sides_of_a_branch)
{
	expect(RUN_ENTRY("k")
	       L("and.b32 %r2, %r0, 1; setp.ne.u32 %p0, %r2, 0; @%p0 bra ODD;")
	       L("mov.u32 %r1, 20; bra JOIN;")
	       L("ODD: mov.u32 %r1, 10;")
	       L("JOIN: rem.u32 %r2, %r0, 3; setp.eq.u32 %p1, %r2, 0; @!%p1 bra.uni NEXT;")
	       L("add.u32 %r1, %r1, 100;")
	       L("NEXT: add.u32 %r1, %r1, 7;")
	       END, want_if);
}

static uint32_t want_loop(uint32_t thread)
{
	return thread % 37 * 3 + 1;
}

TEST(lanes_leave_a_loop_at_different_times)
{
	expect(RUN_ENTRY("k")
	       L("rem.u32 %r2, %r0, 37; mov.u32 %r1, 0; mov.u32 %r3, 0;")
	       L("HEAD: setp.ge.u32 %p0, %r3, %r2; @%p0 bra EXIT;")
	       L("add.u32 %r1, %r1, 3; add.u32 %r3, %r3, 1; bra HEAD;")
	       L("EXIT: add.u32 %r1, %r1, 1;")
	       END, want_loop);
}

static uint32_t want_nested(uint32_t thread)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < thread % 5; i++)
		for (uint32_t j = 0; j < (thread + i) % 4; j++) {
			if (i == j)
				continue;
			sum += 10 * i + j;
			if (sum > 50)
				goto out;
		}
out:
	return sum;
}

TEST(loops_are_nested_with_break_and_continue)
{
	expect(RUN_ENTRY("k")
	       L("rem.u32 %r2, %r0, 5; mov.u32 %r1, 0; mov.u32 %r3, 0;")
	       L("OUTER: setp.ge.u32 %p0, %r3, %r2; @%p0 bra OUT;")
	       L("add.u32 %r4, %r0, %r3; and.b32 %r4, %r4, 3; mov.u32 %r5, 0;")
	       L("INNER: setp.ge.u32 %p0, %r5, %r4; @%p0 bra NEXT;")
	       L("setp.eq.u32 %p1, %r3, %r5; @%p1 bra CONTINUE;")
	       L("mad.lo.u32 %r1, %r3, 10, %r1; add.u32 %r1, %r1, %r5;")
	       L("setp.gt.u32 %p2, %r1, 50; @%p2 bra OUT;")
	       L("CONTINUE: add.u32 %r5, %r5, 1; bra INNER;")
	       L("NEXT: add.u32 %r3, %r3, 1; bra OUTER;")
	       L("OUT:")
	       END, want_nested);
}

static uint32_t want_switch(uint32_t thread)
{
	/* Case 1 falls through into case 2; case 3 is odd. */
	static const uint32_t want[] = { 1, 6, 4, 8, 1 };

	return thread % 3 == 2 ? 99 : want[thread % 5];
}

TEST(lanes_take_all_targets_of_a_switch)
{
	expect(RUN_ENTRY("k")
	       L("targets: .branchtargets ZERO, ONE, TWO, THREE, ZERO;")
	       L("rem.u32 %r2, %r0, 5; rem.u32 %r3, %r0, 3; setp.eq.u32 %p0, %r3, 2;")
	       L("mov.u32 %r1, 0;")
	       L("@!%p0 brx.idx %r2, targets;")
	       L("mov.u32 %r1, 99; bra OUT;")
	       L("ZERO: mov.u32 %r1, 1; bra OUT;")
	       L("ONE: add.u32 %r1, %r1, 2;")
	       L("TWO: add.u32 %r1, %r1, 4; bra OUT;")
	       L("THREE: mov.u32 %r1, 8;")
	       L("OUT:")
	       END, want_switch);
}

static uint32_t want_exit(uint32_t thread)
{
	return thread % 4 ? thread % 4 : 0;
}

TEST(lanes_exit_in_a_loop)
{
	expect(RUN_ENTRY("k")
	       L("and.b32 %r2, %r0, 3; mov.u32 %r1, 0;")
	       L("HEAD: setp.eq.u32 %p0, %r2, 0; @%p0 exit;")
	       L("add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1;")
	       L("sub.u32 %r2, %r2, 1; bra HEAD; }"), want_exit);
	expect(RUN_ENTRY("k")
	       L("and.b32 %r2, %r0, 3; mov.u32 %r1, 0;")
	       L("HEAD: setp.eq.u32 %p0, %r2, 0; @%p0 ret;")
	       L("add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1;")
	       L("sub.u32 %r2, %r2, 1; bra HEAD; }"), want_exit);
}

static uint32_t want_callee(uint32_t thread)
{
	return thread % 2 ? thread + 5 : thread % 4 ? 50 : 0;
}

TEST(lanes_return_and_exit_in_a_function)
{
	/* Odd threads return early, of the even ones every other exits in the function. */
	expect(L(".func (.param .u32 r) f(.param .u32 a) {")
	       L(".reg .u32 %r<4>; .reg .pred %p<3>;")
	       L("ld.param.u32 %r1, [a]; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1;")
	       L("add.u32 %r3, %r1, 5; @%p1 st.param.u32 [r], %r3; @%p1 ret;")
	       L("and.b32 %r2, %r1, 3; setp.eq.u32 %p2, %r2, 0; @%p2 exit;")
	       L("st.param.u32 [r], 50; ret; }")
	       RUN_ENTRY("k")
	       L("{ .param .u32 p; .param .u32 q; st.param.u32 [p], %r0; call (q), f, (p);")
	       L("ld.param.u32 %r1, [q]; }")
	       END, want_callee);
}

static uint32_t want_5(uint32_t thread)
{
	return 5;
}

/* Without a debugger brkpt does not stop a kernel. */
TEST(instructions_without_effect_go_on)
{
	expect(RUN_ENTRY("k")
	       L("mov.u32 %r1, 2; brkpt; pmevent 15; griddepcontrol.wait; setp.eq.u32 %p1, %r0, 0;")
	       L("@%p1 brkpt; prefetch.global.L2 [%rd0]; add.u32 %r1, %r1, 3;")
	       END, want_5);
}

static uint32_t want_guard(uint32_t thread)
{
	return thread % 2 ? 0x1234 : 5;
}

/* A guard stands before an instruction of each kind: it has no effect for the other lanes. */
TEST(guards_stand_before_every_kind_of_instruction)
{
	run.params[0] = run.out;
	expect(L(".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);")
	       L(".func f() { .reg .u64 %x; .reg .pred %q; ret; }")
	       L(".shared .u32 s[4]; .global .b8 text[2] = {65, 0};")
	       RUN_ENTRY("k")
	       L("targets: .branchtargets BAD;")
	       L("and.b32 %r2, %r0, 1; setp.ne.u32 %p0, %r2, 0;")
	       /* A null pointer and an index that is too large: the guard must prevent faults. */
	       L("mov.u64 %rd3, 0; mov.u32 %r1, 5; setp.ne.u32 %p1, 0, 0;")
	       L("@%p1 ld.global.u32 %r1, [%rd3]; @%p1 st.global.u32 [%rd3], %r1;")
	       L("@%p1 atom.global.add.u32 %r1, [%rd3], 1; @%p1 red.global.add.u32 [%rd3], 1;")
	       L("@%p1 brx.idx %r1, targets; @%p1 call %rd3, (), proto; @%p1 trap;")
	       L("@%p1 exit; @%p1 ret; @%p1 bra BAD; @%p1 brkpt;")
	       L("@%p1 mov.u32 %r1, %clock; @%p1 activemask.b32 %r1; @%p1 nanosleep.u32 1;")
	       L("@%p1 mapa.shared::cluster.u32 %r1, %r1, 0;")
	       L("@%p1 getctarank.shared::cluster.u32 %r1, %r1;")
	       L("@%p1 isspacep.global %p2, %rd3; @%p1 cvta.shared.u64 %rd3, %rd3;")
	       L("@%p1 fence.proxy.async; @%p1 membar.cta; @%p1 call f, ();")
	       L("@%p0 mov.u32 %r1, 0x1234; @%p0 call f, (); @!%p0 call f, ();")
	       L("{ .param .b64 p; .param .b64 q; .param .b32 z;")
	       L("@%p1 call (z), vprintf, (p, q); }")
	       L("bra OUT;")
	       L("proto: .callprototype _ ();")
	       L("BAD: mov.u32 %r1, 77;")
	       L("OUT:")
	       END, want_guard);
	assert_string_equal(run.printed, "");
}

/* --- nobody starves ------------------------------------------------------------------ */

static uint32_t want_thread(uint32_t thread)
{
	return thread;
}

TEST(a_lane_waits_for_the_next_one_of_its_warp)
{
	/* Lane n waits until lane n+1 has written; the last one of a warp goes first. */
	expect(RUN_ENTRY("k")
	       L(".shared .u32 done[1025];")
	       L("mov.u64 %rd2, done; mad.wide.u32 %rd3, %r0, 4, %rd2;")
	       L("mov.u32 %r2, %ntid.x; sub.u32 %r2, %r2, 1; setp.eq.u32 %p0, %r0, %r2;")
	       L("and.b32 %r3, %r0, 31; setp.eq.or.u32 %p0, %r3, 31, %p0;")
	       L("@%p0 bra READY;")
	       L("WAIT: ld.volatile.shared.u32 %r4, [%rd3+4]; setp.eq.u32 %p1, %r4, 0;")
	       L("@%p1 bra WAIT;")
	       L("READY: mov.u32 %r1, %r0; st.volatile.shared.u32 [%rd3], 1;")
	       END, want_thread);
}

TEST(a_lane_holds_a_spin_lock_that_others_want)
{
	expect(RUN_ENTRY("k")
	       L(".shared .u32 lock; .shared .u32 count;")
	       /* The order of the qualifiers is that of PTX, and then that of libcu++. */
	       L("LOCK: atom.acquire.cta.shared.cas.b32 %r2, [lock], 0, 1;")
	       L("setp.ne.u32 %p0, %r2, 0;")
	       L("@%p0 bra LOCK;")
	       L("ld.volatile.shared.u32 %r3, [count]; add.u32 %r3, %r3, 1;")
	       L("st.volatile.shared.u32 [count], %r3;")
	       L("atom.shared.exch.release.cta.b32 %r2, [lock], 0;")
	       L("mov.u32 %r4, %ntid.x;")
	       L("ALL: ld.volatile.shared.u32 %r3, [count]; setp.lt.u32 %p0, %r3, %r4;")
	       L("@%p0 nanosleep.u32 20; @%p0 bra ALL;")
	       L("mov.u32 %r1, %r0;")
	       END, want_thread);
}

/* The first CTA waits for the last one, as far as both are resident. */
TEST(ctas_wait_for_later_ones)
{
	run_load(&run, RUN_ENTRY("k")
		 L("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; sub.u32 %r2, %r2, 1;")
		 L("mad.wide.u32 %rd2, %r1, 4, %rd0; setp.eq.u32 %p0, %r1, %r2;")
		 L("@%p0 bra READY;")
		 L("WAIT: ld.acquire.gpu.global.u32 %r4, [%rd2+4]; setp.eq.u32 %p1, %r4, 0;")
		 L("@%p1 bra WAIT;")
		 L("READY: st.release.gpu.global.u32 [%rd2], 1; }"));
	for (unsigned int i = 0; i < 6; i++) {
		memset(run.words, 0, 400);
		run.config.seed = i % 2 ? i : 0;
		run.config.host_threads = i;
		run.config.grid[0] = 80;
		run.config.cluster[0] = i < 3 ? 1 : 4;
		run_done(&run, 40);
		for (unsigned int j = 0; j < 80; j++)
			assert_int_equal(run.words[j], 1);
	}
}

/* --- seeds ----------------------------------------------------------------------------- */

/* The order in which 64 warps come to an atomic operation. */
static void order_of(uint64_t seed, uint32_t order[64])
{
	memset(run.words, 0, 65 * 4);
	run.config.seed = seed;
	run.config.grid[0] = 8;
	run_done(&run, 256);
	assert_int_equal(run.words[0], 64);
	memcpy(order, run.words + 1, 64 * 4);
}

TEST(a_seed_gives_one_order_and_others_give_others)
{
	uint32_t first[64], second[64];
	unsigned int same = 0;

	run_load(&run, RUN_ENTRY("k")
		 L("mov.u32 %r2, 0;")
		 L("HEAD: add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 300; @%p0 bra HEAD;")
		 L("mov.u32 %r1, %laneid; setp.ne.u32 %p1, %r1, 0; @%p1 exit;")
		 L("mov.u32 %r3, %ctaid.x; shr.u32 %r4, %r0, 5; mad.lo.u32 %r3, %r3, 8, %r4;")
		 L("atom.global.add.u32 %r5, [%rd0], 1; mad.wide.u32 %rd2, %r5, 4, %rd0;")
		 L("st.global.u32 [%rd2+4], %r3; }"));
	for (uint64_t seed = 1; seed < 20; seed++) {
		order_of(seed, first);
		order_of(seed, second);
		assert_memory_equal(first, second, sizeof(first));
		order_of(seed + 1, second);
		same += !memcmp(first, second, sizeof(first));
	}
	assert_int_equal(same, 0);
}

TEST(instructions_are_counted)
{
	run_load(&run, L(".entry k() { .reg .u32 %a; mov.u32 %a, 1; mov.u32 %a, 2; ret; }"));
	run.config.grid[0] = 3;
	run_done(&run, 33);
	assert_int_equal(run.result.thread_insns, 3 * 33 * 3);
	assert_int_equal(run.result.warp_insns, 3 * 2 * 3);
	assert_int_equal(run.result.device_calls, 0);
}

/* The headers of CUDA write a modifier behind the type. */
TEST(modifiers_may_stand_behind_the_type)
{
	run_text(&run, RUN_ENTRY("k")
		 L("mov.f32 %f1, 0fC3000000; ex2.approx.f32 %f2, %f1; ex2.approx.f32.ftz %f3, %f1;")
		 L("mov.b32 %r1, 0xfff60003; mov.b32 %r2, 0xfff50005; mov.b32 %r3, -2;")
		 L("max.s16x2.relu %r4, %r1, %r2; min.s32.relu %r5, %r3, 7;")
		 L("st.global.v4.b32 [%rd0], {%f2, %f3, %r4, %r5}; }"), 1);
	assert_int_equal(run.words[0], 0x200000);
	assert_int_equal(run.words[1], 0);
	assert_int_equal(run.words[2], 5);
	assert_int_equal(run.words[3], 0);
}

TEST_MAIN()
