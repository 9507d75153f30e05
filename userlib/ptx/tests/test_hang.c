// SPDX-License-Identifier: MIT
/* Reports of hangs: the cause comes first, and the report says who and what is missing. */

#define TEST_SETUP	state_setup
#define TEST_TEARDOWN	state_teardown
#include "testing.h"
#include "tests/hang_state.h"

#define FULL	0
#define EMPTY	16
#define REMOTE	(1u << PTX_RANK_SHIFT)
#define ALL	(~0u)

#define INIT	DRM_VSM_OP_MBARRIER_INIT
#define ARRIVE	DRM_VSM_OP_MBARRIER_ARRIVE
#define EXPECT	DRM_VSM_OP_MBARRIER_EXPECT_TX
#define WAIT	DRM_VSM_OP_MBARRIER_TRY_WAIT

/* Thread 0 initialises full[0] with a count of 1 and empty[0] with a count of 2. */
static void init(struct state *s, uint32_t full)
{
	state_exec(s, 0, 0, 1, 0, state_insn(INIT, FULL, full));
	state_exec(s, 0, 0, 1, 1, state_insn(INIT, EMPTY, 2));
}

/* The producer announces and copies 64 bytes, and arrives at full[0]. */
static void produce(struct state *s)
{
	struct drm_vsm_insn arrive = state_insn(ARRIVE, FULL, 1);

	arrive.mods = DRM_VSM_MOD_EXPECT_TX;
	arrive.u.mbarrier.tx_count = 64;
	state_exec(s, 0, 2, 1, 3, arrive);
	state_exec(s, 0, 2, 1, 4, state_copy(FULL, 64));
}

/* Two warps wait for full[0] and arrive at empty[0]. */
static void consume(struct state *s, uint32_t parity)
{
	unsigned int warp;

	for (warp = 0; warp < 2; warp++) {
		state_exec(s, 0, warp, ALL, 6, state_insn(WAIT, FULL, parity));
		state_exec(s, 0, warp, 1, 7, state_insn(ARRIVE, EMPTY, 1));
	}
}

/* The program has an instruction of the device in a step. */
static void set_op(struct state *s, uint32_t step, unsigned int op, unsigned int mods)
{
	s->steps[step].kind = STEP_DEVICE;
	s->ops[step].insn = (struct drm_vsm_insn){ .op = op, .mods = mods };
}

TEST(a_report_of_a_bare_expect_tx_is_complete)
{
	struct state *s = *state;

	s->insns[3].parts[1] = (struct ptx_name){ "expect_tx", 9 };
	s->insns[3].part_count = 2;
	init(s, 1);
	state_exec(s, 0, 2, 1, 3, state_insn(EXPECT, FULL, 64));
	state_exec(s, 0, 2, 1, 4, state_copy(FULL, 64));
	state_wait(s, 0, 0, ALL, 6, state_insn(WAIT, FULL, 0));
	state_wait(s, 0, 1, ALL, 6, state_insn(WAIT, FULL, 0));
	state_wait(s, 0, 2, 1, 2, state_insn(WAIT, EMPTY, 0));
	assert_string_equal(state_report(s),
			    "DEADLOCK at kernel.cu:16, kernel.ptx:106: op\n"
			    "  64 threads: warps 0 and 1 of CTA (0,0,0) wait for phase 0 of full[0] in CTA (0,0,0) (offset 0)\n"
			    "    1 arrival of 1 is missing; all 64 announced bytes have come: expect_tx announces bytes and does not arrive, at kernel.cu:13, PTX line 103\n"
			    "    announced: 64 bytes by lane 0 of warp 2 of CTA (0,0,0) at kernel.cu:13, PTX line 103\n"
			    "    copied: 64 bytes to data by lane 0 of warp 2 of CTA (0,0,0) at kernel.cu:14, PTX line 104\n"
			    "    initialised: count 1 by lane 0 of warp 0 of CTA (0,0,0) at kernel.cu:10, PTX line 100\n"
			    "    word 0x7ffff800001ffffe: phase parity 0, pending 1, expected 1, tx-count 0; the wait is for parity 0\n"
			    "at kernel.cu:12, kernel.ptx:102: op\n"
			    "  1 thread: lane 0 of warp 2 of CTA (0,0,0) waits for phase 0 of empty[0] in CTA (0,0,0) (offset 16)\n"
			    "    2 arrivals of 2 are missing; no bytes were announced: no thread has ever arrived there\n"
			    "    initialised: count 2 by lane 0 of warp 0 of CTA (0,0,0) at kernel.cu:11, PTX line 101\n"
			    "    word 0x7ffff000001ffffc: phase parity 0, pending 2, expected 2, tx-count 0; the wait is for parity 0\n"
			    "kernel kernel, seed 7\n");
	assert_int_equal(s->launch.fault.step, 6);
}

/* All lanes of warp 1 but the last arrive, after lane 0 of @producer has announced bytes. */
static void miss_one(struct state *s, unsigned int producer)
{
	s->insns[3].parts[1] = (struct ptx_name){ "expect_tx", 9 };
	s->insns[3].part_count = 2;
	init(s, 32);
	state_exec(s, 0, producer, 1, 3, state_insn(EXPECT, FULL, 64));
	state_exec(s, 0, producer, 1, 4, state_copy(FULL, 64));
	state_exec(s, 0, 1, ALL >> 1, 5, state_insn(ARRIVE, FULL, 1));
	state_wait(s, 0, 1, ALL >> 1, 6, state_insn(WAIT, FULL, 0));
	state_wait(s, 0, 1, 1u << 31, 9, state_barrier(DRM_VSM_OP_BARRIER_SYNC, 0, 0));
}

TEST(a_missing_thread_is_told_before_an_expect_tx)
{
	static const char told[] =
		"DEADLOCK at kernel.cu:16, kernel.ptx:106: op\n"
		"  31 threads: lanes 0 to 30 of warp 1 of CTA (0,0,0) wait for phase 0 of full[0] in CTA (0,0,0) (offset 0)\n"
		"    1 arrival of 32 is missing; all 64 announced bytes have come: the threads below have not arrived, or the count 32 of the init is wrong, at kernel.cu:10, PTX line 100\n"
		"    not arrived: lane 31 of warp 1 of CTA (0,0,0) waits at kernel.cu:19";
	struct state *s = *state;

	/* The thread that announces need not arrive, or has arrived. */
	miss_one(s, 2);
	assert_says(state_report(s), told);
	state_destroy(s);
	s = *state = state_create();
	miss_one(s, 1);
	assert_says(state_report(s), told);
}

TEST(a_thread_that_is_missing_since_the_phase_before_is_told_before_an_expect_tx)
{
	struct state *s = *state;

	miss_one(s, 2);
	state_exec(s, 0, 1, 1u << 31, 5, state_insn(ARRIVE, FULL, 1));
	state_exec(s, 0, 1, ALL, 6, state_insn(WAIT, FULL, 0));
	state_exec(s, 0, 2, 1, 3, state_insn(EXPECT, FULL, 64));
	state_exec(s, 0, 1, ALL >> 1, 5, state_insn(ARRIVE, FULL, 1));
	state_wait(s, 0, 1, ALL >> 1, 6, state_insn(WAIT, FULL, 1));
	assert_says(state_report(s),
		    "missing: lane 31 of warp 1 of CTA (0,0,0) arrived in the phase before at");
	assert_null(strstr(s->text, "does not arrive"));
}

TEST(half_a_warp_that_has_exited_is_named)
{
	struct state *s = *state;

	init(s, 32);
	/* Others have exited, too, but no lane of their warps has arrived. */
	ptx_note_exit(&s->warps[0][0], 12, 0);
	ptx_note_exit(&s->warps[0][1], 11, 0);
	s->warps[0][1].lanes = 0xffff;
	state_exec(s, 0, 1, 0xffff, 5, state_insn(ARRIVE, FULL, 1));
	state_wait(s, 0, 1, 0xffff, 6, state_insn(WAIT, FULL, 0));
	assert_says(state_report(s),
		    "16 arrivals of 32 are missing; no bytes were announced: the threads below have not arrived, or the count 32 of the init is wrong, at kernel.cu:10, PTX line 100\n"
		    "    not arrived: lanes 16 to 31 of warp 1 of CTA (0,0,0) have exited at kernel.cu:21, PTX line 111\n"
		    "    arrived: ");
}

TEST(inlined_functions_are_named_with_the_line_of_the_outermost_call)
{
	const struct ptx_inlined outer = { .file = 1, .line = 45, .depth = 1 };
	const struct ptx_inlined middle = { .file = 2, .line = 30, .outer = &outer, .depth = 2 };
	const struct ptx_inlined inner = { .file = 3, .line = 60, .outer = &middle, .depth = 3 };
	const struct ptx_inlined unknown = { .file = 0, .line = 9, .depth = 1 };
	struct state *s = *state;

	s->files[2] = "user/pipeline.cuh";
	s->files[3] = "/sdk/include/barrier.h";
	s->module.file_count = 4;
	s->insns[0].place.inlined = &unknown;
	s->insns[1].place.inlined = &outer;
	s->insns[6].place.inlined = &inner;
	s->insns[6].place.file = 3;
	s->insns[8].place.inlined = &outer;
	s->insns[8].place.file = 3;
	init(s, 1);
	state_wait(s, 0, 0, ALL, 6, state_insn(WAIT, FULL, 0));
	state_wait(s, 0, 1, ALL, 8, state_insn(WAIT, EMPTY, 0));
	assert_says(state_report(s),
		    "DEADLOCK at kernel.cu:45, kernel.ptx:106: op\n"
		    "  inlined there: pipeline.cuh:30, barrier.h:60, barrier.h:16\n"
		    "  32 threads: warp 0 ");
	assert_says(s->text, "\nat kernel.cu:45, kernel.ptx:108: op\n"
			     "  inlined there: barrier.h:18\n"
			     "  32 threads: warp 1 ");
	assert_says(s->text, "at kernel.cu:45 (inlined kernel.cu:11), PTX line 101\n");
	assert_says(s->text, "at PTX line 100 (op)\n");
}

TEST(a_count_that_is_too_high_is_suspected)
{
	struct state *s = *state;

	init(s, 33);
	produce(s);
	state_wait(s, 0, 0, ALL, 6, state_insn(WAIT, FULL, 0));
	assert_says(state_report(s),
		    "32 arrivals of 33 are missing; all 64 announced bytes have come: the count 33 of the init may be wrong, at kernel.cu:10");
	assert_says(s->text, "arrived: 1 arrival of lane 0 of warp 2");
}

TEST(missing_bytes_are_those_that_nobody_copies)
{
	struct state *s = *state;
	struct drm_vsm_insn arrive = state_insn(ARRIVE, FULL, 1);

	init(s, 1);
	arrive.mods = DRM_VSM_MOD_EXPECT_TX;
	arrive.u.mbarrier.tx_count = 128;
	state_exec(s, 0, 2, 1, 3, arrive);
	state_exec(s, 0, 2, 1, 4, state_copy(FULL, 64));
	state_wait(s, 0, 0, ALL, 6, state_insn(WAIT, FULL, 0));
	assert_says(state_report(s),
		    "all arrivals have come; 64 bytes of 128 announced are missing: the copies have only 64");
}

TEST(bytes_of_copies_that_have_not_come_are_in_flight)
{
	struct state *s = *state;
	struct drm_vsm_insn copy = state_copy(FULL, 64);

	s->launch.fault.failure = FAILURE_TIME;
	init(s, 1);
	state_exec(s, 0, 2, 1, 3, state_insn(EXPECT, FULL, 64));
	/* The history knows of the copy, and the device has not completed it. */
	ptx_note_before(&s->warps[0][2], 1, &copy);
	ptx_note_after(&s->warps[0][2], 4, 1, &copy);
	state_wait(s, 0, 0, ALL, 6, state_insn(WAIT, FULL, 0));
	assert_says(state_report(s), "The time limit has passed; threads wait at kernel.cu:16");
	assert_says(s->text, "64 bytes of 64 announced are missing; 64 bytes are in flight");
}

TEST(a_multicast_that_leaves_out_a_cta_is_named_with_its_mask)
{
	struct drm_vsm_insn arrive = state_insn(ARRIVE, FULL, 1), copy = state_copy(FULL, 64);
	struct state *s = *state;
	unsigned int rank;

	set_op(s, 4, DRM_VSM_OP_CP_ASYNC_BULK_G2S, DRM_VSM_MOD_MULTICAST);
	arrive.mods = DRM_VSM_MOD_EXPECT_TX;
	arrive.u.mbarrier.tx_count = 64;
	copy.mods = DRM_VSM_MOD_MULTICAST;
	copy.u.copy.mask = 1;
	for (rank = 0; rank < 2; rank++) {
		arrive.u.mbarrier.addr = FULL | rank << PTX_RANK_SHIFT;
		state_exec(s, rank, 0, 1, 0, state_insn(INIT, arrive.u.mbarrier.addr, 1));
		state_exec(s, rank, 2, 1, 3, arrive);
	}
	state_exec(s, 0, 2, 1, 4, copy);
	/* CTA 0 is one phase ahead, and a part of its next phase has come. */
	state_exec(s, 0, 0, ALL, 6, state_insn(WAIT, FULL, 0));
	state_exec(s, 0, 0, 1, 1, state_insn(INIT, EMPTY, 2));
	state_exec(s, 0, 0, 1, 7, state_insn(ARRIVE, EMPTY, 1));
	state_wait(s, 0, 2, 1, 2, state_insn(WAIT, EMPTY, 0));
	state_wait(s, 1, 0, ALL, 6, state_insn(WAIT, FULL | REMOTE, 0));
	assert_says(state_report(s),
		    "DEADLOCK at kernel.cu:16, kernel.ptx:106: op\n"
		    "  32 threads: warp 0 of CTA (1,0,0) waits for phase 0 of full[0] in CTA (1,0,0) (offset 0)\n"
		    "    all arrivals have come; 64 bytes of 64 announced are missing: the mask of a copy is 0x1 and leaves out this CTA, which has rank 1, at kernel.cu:14, PTX line 104\n");
}

TEST(the_missing_arriver_and_its_wait_are_named)
{
	struct state *s = *state;

	init(s, 1);
	produce(s);
	consume(s, 0);
	state_wait(s, 0, 0, ALL, 6, state_insn(WAIT, FULL, 1));
	state_wait(s, 0, 1, ALL, 6, state_insn(WAIT, FULL, 1));
	state_wait(s, 0, 2, 1, 9, state_barrier(DRM_VSM_OP_BARRIER_SYNC, 3, 64));
	assert_says(state_report(s),
		    "missing: lane 0 of warp 2 of CTA (0,0,0) arrived in the phase before at kernel.cu:13, PTX line 103 and now waits at kernel.cu:19");
	/* Nobody comes to the barrier with a count: that is the cause. */
	assert_int_equal(s->launch.fault.step, 9);
}

TEST(threads_that_have_exited_are_the_cause)
{
	struct state *s = *state;

	init(s, 1);
	produce(s);
	consume(s, 0);
	ptx_note_exit(&s->warps[0][0], 11, 0);
	state_exec(s, 0, 2, 1, 2, state_insn(WAIT, EMPTY, 0));
	state_wait(s, 0, 2, 1, 2, state_insn(WAIT, EMPTY, 1));
	state_wait(s, 0, 1, ALL, 6, state_insn(WAIT, FULL, 1));
	assert_says(state_report(s),
		    "threads that arrived or copied before have exited\n"
		    "    missing: lane 0 of warp 0 of CTA (0,0,0) arrived in the phase before at kernel.cu:17, PTX line 107 and has exited at kernel.cu:21");
	assert_int_equal(s->launch.fault.step, 2);
}

TEST(a_wait_that_skips_a_phase_is_the_cause)
{
	struct state *s = *state;

	init(s, 1);
	produce(s);
	consume(s, 0);
	/* Phase 0 of empty[0] is complete. The producer waits for phase 1. */
	state_wait(s, 0, 0, ALL, 6, state_insn(WAIT, FULL, 1));
	state_wait(s, 0, 1, ALL, 6, state_insn(WAIT, FULL, 1));
	state_wait(s, 0, 2, 1, 2, state_insn(WAIT, EMPTY, 1));
	assert_says(state_report(s),
		    "phase 0 is complete and no thread has waited for it, so the parity of this wait may be wrong");
	assert_says(s->text, "lane 0 of warps 0 and 1 of CTA (0,0,0) arrived in the phase before");
	assert_int_equal(s->launch.fault.step, 2);
}

TEST(a_producer_that_begins_with_the_parity_of_a_consumer_is_the_cause)
{
	struct state *s = *state;

	set_op(s, 2, WAIT, DRM_VSM_MOD_PARITY);
	set_op(s, 3, ARRIVE, DRM_VSM_MOD_EXPECT_TX);
	set_op(s, 4, DRM_VSM_OP_CP_ASYNC_BULK_G2S, 0);
	s->steps[5].kind = STEP_EXIT;
	set_op(s, 6, WAIT, DRM_VSM_MOD_PARITY);
	set_op(s, 7, ARRIVE, 0);
	init(s, 1);
	state_wait(s, 0, 0, ALL, 6, state_insn(WAIT, FULL, 0));
	state_wait(s, 0, 1, ALL, 6, state_insn(WAIT, FULL, 0));
	state_wait(s, 0, 2, 1, 2, state_insn(WAIT, EMPTY, 0));
	assert_says(state_report(s),
		    "DEADLOCK at kernel.cu:12, kernel.ptx:102: op\n"
		    "  1 thread: lane 0 of warp 2 of CTA (0,0,0) waits for phase 0 of empty[0] in CTA (0,0,0) (offset 16)\n"
		    "    2 arrivals of 2 are missing; no bytes were announced: no thread has ever arrived there, and these threads fill nothing before the arrive at kernel.cu:13, PTX line 103: a producer begins to wait with parity 1\n");
	/* The arrive that comes next after the wait is none that the wait lacks. */
	assert_says(s->text,
		    "no thread has ever arrived there, and none has executed the arrive at kernel.cu:13, PTX line 103\n");
}

TEST(a_producer_that_has_filled_a_stage_began_with_the_right_parity)
{
	struct state *s = *state;

	set_op(s, 2, WAIT, DRM_VSM_MOD_PARITY);
	set_op(s, 3, ARRIVE, DRM_VSM_MOD_EXPECT_TX);
	init(s, 1);
	produce(s);
	state_exec(s, 0, 0, ALL, 6, state_insn(WAIT, FULL, 0));
	state_wait(s, 0, 0, ALL, 6, state_insn(WAIT, FULL, 1));
	state_wait(s, 0, 2, 1, 2, state_insn(WAIT, EMPTY, 0));
	assert_says(state_report(s), "2 arrivals of 2 are missing; no bytes were announced");
	assert_null(strstr(s->text, "begins to wait"));
}

TEST(threads_that_wait_for_one_another_are_a_circle)
{
	struct state *s = *state;

	set_op(s, 7, ARRIVE, 0);
	set_op(s, 6, WAIT, DRM_VSM_MOD_PARITY);
	init(s, 1);
	produce(s);
	state_exec(s, 0, 0, ALL, 6, state_insn(WAIT, FULL, 0));
	state_wait(s, 0, 2, 1, 2, state_insn(WAIT, EMPTY, 0));
	state_wait(s, 0, 0, ALL, 6, state_insn(WAIT, FULL, 1));
	assert_says(state_report(s), "these threads and the missing ones wait for each other");
	assert_says(s->text,
		    "no thread has ever arrived there, and none has executed the arrive at kernel.cu:17");
	assert_int_equal(s->launch.fault.step, 6);
}

TEST(arrivals_at_another_mbarrier_of_the_array_name_the_missing_thread)
{
	struct state *s = *state;

	init(s, 1);
	state_exec(s, 0, 0, 1, 0, state_insn(INIT, FULL + 8, 1));
	state_exec(s, 0, 3, 1, 3, state_insn(ARRIVE, FULL + 8, 1));
	state_wait(s, 0, 0, ALL, 6, state_insn(WAIT, FULL, 0));
	state_wait(s, 0, 3, 1, 2, state_insn(WAIT, EMPTY, 0));
	assert_says(state_report(s),
		    "missing: lane 0 of warp 3 of CTA (0,0,0) arrived at another mbarrier of the array at kernel.cu:13, PTX line 103 and now waits");
}

TEST(a_wait_for_a_token_says_so)
{
	struct state *s = *state;
	struct drm_vsm_insn wait = state_insn(WAIT, FULL, 0);

	wait.mods = 0;
	init(s, 1);
	state_wait(s, 0, 0, ALL, 6, wait);
	assert_says(state_report(s), "the wait is for a token of parity 0");
}

/* --- barriers ----------------------------------------------------------------------- */

TEST(warps_that_miss_a_counted_barrier_are_named)
{
	struct drm_vsm_insn arrive = state_barrier(DRM_VSM_OP_BARRIER_ARRIVE, 1, 128);
	struct drm_vsm_insn sync = state_barrier(DRM_VSM_OP_BARRIER_SYNC, 1, 128);
	struct state *s = *state;

	state_wait(s, 0, 3, ALL, 12, state_barrier(DRM_VSM_OP_BARRIER_SYNC, 0, 0));
	state_exec(s, 0, 3, ALL, 10, arrive);
	state_wait(s, 0, 0, ALL, 9, sync);
	state_wait(s, 0, 1, ALL, 9, sync);
	state_wait(s, 0, 2, ALL, 12, state_barrier(DRM_VSM_OP_BARRIER_SYNC, 0, 0));
	assert_says(state_report(s),
		    "DEADLOCK at kernel.cu:19, kernel.ptx:109: op\n"
		    "  64 threads: warps 0 and 1 of CTA (0,0,0) wait for barrier 1, which needs 128 threads\n"
		    "    96 threads have arrived, 32 are missing\n"
		    "    elsewhere: warp 2 of CTA (0,0,0) waits at kernel.cu:22");
	assert_says(s->text,
		    "    arrived: warp 3 of CTA (0,0,0) at kernel.cu:20, PTX line 110 with count 128\n");
	assert_says(s->text,
		    "barrier 0, which needs 128 threads\n"
		    "    64 threads have arrived, 64 are missing\n"
		    "    missing: warps 0 and 1 of CTA");
}

TEST(a_barrier_with_a_count_does_not_count_exits)
{
	struct drm_vsm_insn sync = state_barrier(DRM_VSM_OP_BARRIER_SYNC, 1, 96);
	struct state *s = *state;

	s->warps[0][3].lanes = ALL;
	state_exec(s, 0, 3, ALL, 10, state_barrier(DRM_VSM_OP_BARRIER_ARRIVE, 1, 96));
	state_wait(s, 0, 0, ALL, 9, sync);
	s->warps[0][3].lanes = 0;
	ptx_note_exit(&s->warps[0][1], 11, 0);
	ptx_note_exit(&s->warps[0][2], 11, 0);
	ptx_note_exit(&s->warps[0][3], 12, 0);
	assert_says(state_report(s),
		    "  32 threads: warp 0 of CTA (0,0,0) waits for barrier 1, which needs 96 threads\n"
		    "    64 of 96 arrivals; warps 1 and 2 have exited; a barrier with a count does not count them\n"
		    "    warps 1 and 2 of CTA (0,0,0) have exited at kernel.cu:21");
	assert_says(s->text, "    warp 3 of CTA (0,0,0) has exited at kernel.cu:22");
	assert_says(s->text, "    arrived: warp 3 of CTA (0,0,0) at kernel.cu:20");
}

TEST(an_exit_is_not_to_blame_if_a_warp_that_lives_is_missing)
{
	struct drm_vsm_insn sync = state_barrier(DRM_VSM_OP_BARRIER_SYNC, 1, 96);
	struct state *s = *state;

	state_wait(s, 0, 0, ALL, 9, sync);
	state_wait(s, 0, 1, ALL, 9, sync);
	state_wait(s, 0, 2, ALL, 12, state_barrier(DRM_VSM_OP_BARRIER_SYNC, 2, 64));
	ptx_note_exit(&s->warps[0][3], 11, 0);
	assert_says(state_report(s),
		    "wait for barrier 1, which needs 96 threads\n"
		    "    64 threads have arrived, 32 are missing\n"
		    "    elsewhere: warp 2 of CTA (0,0,0) waits");
	assert_null(strstr(s->text, "does not count"));
}

TEST(a_barrier_that_exits_complete_has_no_arrivals)
{
	struct drm_vsm_insn sync = state_barrier(DRM_VSM_OP_BARRIER_SYNC, 1, 0);
	struct state *s = *state;
	struct ptx_barrier *barrier = &s->cluster->history->barriers[1];
	unsigned int round;

	sync.mods &= ~DRM_VSM_MOD_COUNT;
	for (round = 0; round < 3; round++) {
		s->warps[0][0].lanes = ALL;
		s->warps[0][1].lanes = ALL;
		state_exec(s, 0, 0, ALL, 9, sync);
		state_exec(s, 0, 1, ALL, 9, sync);
		assert_int_equal(barrier->arrived, 64);
		/* Exits have completed it. Warp 0 comes back before warp 1 goes on. */
		ptx_note_passed(&s->warps[0][0], &sync);
		assert_int_equal(barrier->arrived, 0);
		state_exec(s, 0, 0, ALL, 9, sync);
		ptx_note_passed(&s->warps[0][1], &sync);
		assert_int_equal(barrier->arrived, 32);
		ptx_note_passed(&s->warps[0][0], &sync);
		assert_int_equal(barrier->arrived, 0);
	}
}

TEST(one_warp_that_has_exited_is_no_warps)
{
	struct drm_vsm_insn sync = state_barrier(DRM_VSM_OP_BARRIER_SYNC, 0, 128);
	struct state *s = *state;
	unsigned int warp;

	for (warp = 0; warp < 3; warp++)
		state_wait(s, 0, warp, ALL, 9, sync);
	assert_says(state_report(s),
		    "    96 of 128 arrivals; warp 3 has exited; a barrier with a count does not count it\n");
}

TEST(a_barrier_that_is_complete_has_no_arrivals)
{
	struct drm_vsm_insn sync = state_barrier(DRM_VSM_OP_BARRIER_SYNC, 1, 64);
	struct state *s = *state;
	unsigned int warp;

	for (warp = 0; warp < 3; warp++)
		state_wait(s, 0, warp, ALL, 9, sync);
	assert_int_equal(s->cluster->history->barriers[1].arrived, 32);
	assert_int_equal(s->cluster->history->barriers[1].note_count, 1);
	assert_int_equal(s->cluster->history->barriers[1].notes[0].warp, 2);
}

TEST(threads_that_miss_the_barrier_of_the_cluster_are_named)
{
	const struct drm_vsm_insn arrive = { .op = DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE };
	const struct drm_vsm_insn wait = { .op = DRM_VSM_OP_BARRIER_CLUSTER_WAIT };
	struct state *s = *state;

	state_exec(s, 0, 0, ALL, 0, state_insn(INIT, FULL, 1));
	state_exec(s, 1, 0, ALL, 13, arrive);
	state_wait(s, 1, 0, ALL, 14, wait);
	/* A warp that has arrived and waits elsewhere is not missing. */
	state_exec(s, 0, 1, ALL, 13, arrive);
	state_wait(s, 0, 1, ALL, 6, state_insn(WAIT, FULL, 0));
	state_wait(s, 0, 0, 0xff00, 5, state_insn(WAIT, FULL, 0));
	assert_says(state_report(s),
		    "32 threads: warp 0 of CTA (1,0,0) waits for the barrier of the cluster\n"
		    "    missing: lanes 8 to 15 of warp 0 of CTA (0,0,0) wait at kernel.cu:15");
	assert_null(strstr(s->text, "missing: warp 1"));
}

TEST(lanes_that_miss_a_warp_operation_are_named)
{
	struct drm_vsm_insn sync = { .op = DRM_VSM_OP_BAR_WARP_SYNC, .u.warp.membermask = 7 };
	struct state *s = *state;

	state_wait(s, 0, 0, 1, 8, sync);
	state_wait(s, 0, 0, 4, 8, sync);
	state_run(s, 0, 0, 2, 5);
	s->launch.fault.failure = FAILURE_TIME;
	assert_says(state_report(s), "The time limit has passed; threads run at kernel.cu:15");
	assert_says(s->text,
		    "2 threads: lanes 0 and 2 of warp 0 of CTA (0,0,0) wait for other lanes of the warp: bar.warp.sync 0x7\n"
		    "    missing: lane 1 of warp 0 of CTA (0,0,0) runs at kernel.cu:15");
}

/* Some lanes run that have tested a phase, in a loop that is no wait. */
TEST(threads_that_test_a_phase_say_what_it_lacks)
{
	struct state *s = *state;
	struct ptx_group *group = &s->warps[0][1].groups[0];

	init(s, 2);
	state_exec(s, 0, 2, 1, 3, state_insn(ARRIVE, FULL, 1));
	state_run(s, 0, 1, 0xff, 7);
	group->look = (struct ptx_look){ .kind = LOOK_TEST, .lanes = 0xff0f, .step = 5 };
	group->insn = state_insn(WAIT, FULL, 0);
	s->launch.fault.failure = FAILURE_TIME;
	assert_says(state_report(s),
		    "The time limit has passed; threads run, and have last tested a phase at kernel.cu:15, kernel.ptx:105: op\n"
		    "  4 threads: lanes 0 to 3 of warp 1 of CTA (0,0,0) run, and have last tested phase 0 of full[0] in CTA (0,0,0) (offset 0)\n"
		    "    1 arrival of 2 is missing; no bytes were announced");
	assert_says(s->text, "; the test is for parity 0\n");
	assert_says(s->text, "4 threads: lanes 4 to 7 of warp 1 of CTA (0,0,0) run\n");
}

TEST(a_phase_that_was_tested_and_is_complete_explains_nothing)
{
	struct state *s = *state;
	struct ptx_group *group = &s->warps[0][1].groups[0];

	init(s, 1);
	state_exec(s, 0, 2, 1, 3, state_insn(ARRIVE, FULL, 1));
	state_run(s, 0, 1, 1, 7);
	group->look = (struct ptx_look){ .kind = LOOK_TEST, .lanes = 1, .step = 5 };
	group->insn = state_insn(WAIT, FULL, 0);
	s->launch.fault.failure = FAILURE_TIME;
	assert_says(state_report(s),
		    "threads run at kernel.cu:17, kernel.ptx:107: op\n"
		    "  1 thread: lane 0 of warp 1 of CTA (0,0,0) runs\nkernel");
}

TEST(copies_of_the_waiting_threads_are_in_flight)
{
	struct state *s = *state;

	state_wait(s, 0, 0, ALL, 8,
		   (struct drm_vsm_insn){ .op = DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP });
	assert_says(state_report(s),
		    "warp 0 of CTA (0,0,0) waits for its copies in flight: cp.async.bulk.wait_group 0");
}

/* --- the history -------------------------------------------------------------------- */

TEST(phases_follow_the_word)
{
	struct state *s = *state;
	struct ptx_object *object;
	unsigned int i;

	init(s, 1);
	for (i = 0; i < 5; i++) {
		produce(s);
		consume(s, i & 1);
		state_exec(s, 0, 2, 1, 2, state_insn(WAIT, EMPTY, i & 1));
	}
	object = ptx_history_object(s->cluster, FULL);
	ptx_object_sync(s->cluster, object);
	assert_int_equal(ptx_object_phase(object)->number, 5);
	assert_int_equal(ptx_object_phase(object)->count, 0);
	assert_int_equal(ptx_object_before(object)->announced, 64);
	assert_int_equal(ptx_object_before(object)->issued, 64);
	assert_true(ptx_object_before(object)->observed);
	object = ptx_history_object(s->cluster, EMPTY);
	assert_int_equal(ptx_object_before(object)->number, 4);
	assert_int_equal(ptx_object_before(object)->arrived, 2);
	assert_int_equal(object->arrived, 10);
}

TEST(the_history_is_limited)
{
	struct state *s = *state;
	struct ptx_phase *phase;
	uint32_t step, address;

	state_exec(s, 0, 0, 1, 0, state_insn(INIT, FULL, 1 << 16));
	for (step = 0; step < PTX_NOTES + 10; step++)
		state_exec(s, step / 64, step / 16 % 4, 1, step % 16,
			   state_insn(ARRIVE, FULL, 1));
	phase = ptx_object_phase(ptx_history_object(s->cluster, FULL));
	assert_int_equal(phase->count, PTX_NOTES);
	assert_int_equal(phase->lost, 10);
	assert_int_equal(phase->arrived, PTX_NOTES + 10);
	/* The rest of the mbarriers is not recorded. Addresses outside the window do no harm. */
	for (address = 0; address < 8 * (PTX_OBJECTS + 10); address += 8) {
		struct drm_vsm_insn insn = state_insn(INIT, address, 1);

		ptx_note_before(&s->warps[0][0], 1, &insn);
		ptx_note_after(&s->warps[0][0], 0, 1, &insn);
	}
	assert_int_equal(s->cluster->history->objects.count, PTX_OBJECTS);
	assert_null(ptx_history_object(s->cluster, 8 * PTX_OBJECTS));
	assert_int_equal(s->launch.memory_used, PTX_OBJECTS * sizeof(struct ptx_object));
}

TEST(a_multicast_delivers_to_each_cta)
{
	struct state *s = *state;
	struct drm_vsm_insn copy = state_copy(FULL, 64);
	unsigned int rank;

	for (rank = 0; rank < 2; rank++)
		state_exec(s, rank, 0, 1, 0, state_insn(INIT, FULL | rank << PTX_RANK_SHIFT, 1));
	copy.mods = DRM_VSM_MOD_MULTICAST;
	copy.u.copy.mask = 3;
	ptx_note_before(&s->warps[1][0], 1, &copy);
	ptx_note_after(&s->warps[1][0], 4, 1, &copy);
	for (rank = 0; rank < 2; rank++) {
		uint32_t address = FULL | rank << PTX_RANK_SHIFT;
		struct ptx_phase *phase =
			ptx_object_phase(ptx_history_object(s->cluster, address));

		assert_int_equal(phase->issued, 64);
		assert_int_equal(phase->notes[0].rank, 1);
		assert_int_equal(phase->notes[0].address, 128 | rank << PTX_RANK_SHIFT);
	}
}

/* --- faults ------------------------------------------------------------------------- */

static const char *context(struct state *s, uint32_t fault, struct drm_vsm_insn insn)
{
	size_t size;
	FILE *out = open_memstream(&s->text, &size);

	insn.fault = fault;
	s->launch.fault = (struct ptx_fault){ .failure = FAILURE_DEVICE, .insn = insn };
	ptx_report_context(out, &s->launch);
	fclose(out);
	return s->text;
}

TEST(an_overflow_says_who_has_arrived)
{
	struct state *s = *state;

	init(s, 1);
	state_exec(s, 0, 2, 1, 3, state_insn(EXPECT, FULL, 64));
	state_exec(s, 0, 2, 1, 4, state_insn(ARRIVE, FULL, 1));
	assert_string_equal(context(s, DRM_VSM_FAULT_ARRIVAL_OVERFLOW, state_insn(ARRIVE, FULL, 1)),
			    "  phase 0 of full[0] in CTA (0,0,0) (offset 0) expects 1 arrival, and 1 has come\n"
			    "    arrived: 1 arrival of lane 0 of warp 2 of CTA (0,0,0) at kernel.cu:14, PTX line 104\n"
			    "    initialised: count 1 by lane 0 of warp 0 of CTA (0,0,0) at kernel.cu:10, PTX line 100\n");
}

TEST(too_many_bytes_say_who_has_announced_how_many)
{
	struct state *s = *state;

	init(s, 1);
	state_exec(s, 0, 2, 1, 3, state_insn(EXPECT, FULL, 64));
	assert_says(context(s, DRM_VSM_FAULT_TX_OVERDELIVERY, state_copy(FULL, 128)),
		    "64 bytes were announced at kernel.cu:13, PTX line 103, copies have 0 bytes\n"
		    "    announced: 64 bytes by lane 0 of warp 2");
}

TEST(a_write_over_an_mbarrier_says_who_has_initialised_it)
{
	struct drm_vsm_insn copy = state_copy(FULL, 64);
	struct state *s = *state;

	init(s, 1);
	copy.info = EMPTY;
	assert_says(context(s, DRM_VSM_FAULT_WRITE_OVER_LIVE, copy),
		    "empty[0] in CTA (0,0,0) (offset 16):\n"
		    "    initialised: count 2 by lane 0");
}

TEST(a_launch_without_its_dynamic_shared_memory_says_so)
{
	const struct drm_vsm_insn copy = state_copy(FULL, 64);
	struct state *s = *state;

	assert_string_equal(context(s, DRM_VSM_FAULT_OUT_OF_WINDOW, copy), "");
	free(s->text);
	s->program.dynamic = true;
	assert_string_equal(context(s, DRM_VSM_FAULT_OUT_OF_WINDOW, copy),
			    "  the kernel uses dynamic shared memory, and the launch gives it none: set its smem\n");
	free(s->text);
	s->launch.config.smem_bytes = 16;
	assert_string_equal(context(s, DRM_VSM_FAULT_OUT_OF_WINDOW, copy), "");
}

TEST(use_after_inval_says_who_has_invalidated_it)
{
	struct state *s = *state;

	init(s, 1);
	state_exec(s, 0, 1, 2, 5, state_insn(DRM_VSM_OP_MBARRIER_INVAL, FULL, 0));
	assert_says(context(s, DRM_VSM_FAULT_NOT_AN_MBARRIER, state_insn(ARRIVE, FULL, 1)),
		    "invalidated: by lane 1 of warp 1 of CTA (0,0,0) at kernel.cu:15");
}

TEST(an_unobserved_phase_says_who_has_completed_it)
{
	struct state *s = *state;

	init(s, 1);
	state_exec(s, 0, 2, 1, 4, state_insn(ARRIVE, FULL, 1));
	assert_says(context(s, DRM_VSM_FAULT_PHASE_UNOBSERVED, state_insn(ARRIVE, FULL, 1)),
		    "phase 0 of full[0] in CTA (0,0,0) (offset 0) is complete, and no wait has found it complete\n"
		    "    initialised: count 1 by lane 0 of warp 0 of CTA (0,0,0) at kernel.cu:10, PTX line 100\n"
		    "    arrived: 1 arrival of lane 0 of warp 2");
}

TEST_MAIN()
