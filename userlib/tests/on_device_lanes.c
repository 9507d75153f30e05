// SPDX-License-Identifier: MIT
/* Calls for several lanes of a warp on a real device, and the drain of their copies. */
#include "on_device_fixture.h"

#define LANES 32
#define ALL 0xffffffffU
#define POISON 0xa5a5a5a5a5a5a5a5ULL

static struct drm_vsm_insn insns[LANES];
static struct vsm_waitset *set;

static int setup_set(void **state)
{
	return setup(state) || vsm_waitset_create(device, &set) ? -1 : 0;
}

static int teardown_set(void **state)
{
	vsm_waitset_destroy(set);
	set = NULL;
	return teardown(state);
}

/* All lanes get the same instruction, and a result that the device has to replace. */
static void fill(struct drm_vsm_insn insn)
{
	int i;

	insn.result = POISON;
	for (i = 0; i < LANES; i++)
		insns[i] = insn;
}

static void init(uint32_t count)
{
	must_run(&thread, vsm_prep_mbarrier_init(MBAR, count, 0));
}

TEST(test_arrive)
{
	struct vsm_thread warp = vsm_thread_at(cluster, 0, 32);
	uint32_t suspended = 99;
	int i;

	init(LANES + 1);
	fill(vsm_prep_mbarrier_arrive(MBAR, 0));
	assert_int_equal(vsm_exec_lanes(&warp, ALL, insns, &suspended), 0);
	assert_int_equal(suspended, 0);
	assert_int_equal(warp.retired, LANES);
	for (i = 0; i < LANES; i++)
		assert_int_not_equal(insns[i].result, POISON);
	assert_result(&thread, vsm_prep_mbarrier_test_wait(MBAR, insns[31].result, 0), 0);
	fill(vsm_prep_mbarrier_arrive(MBAR, VSM_SINK));
	assert_int_equal(vsm_exec_lanes(&warp, 0x80000000, insns, NULL), 0);
	assert_int_equal(insns[0].result, 0);
	assert_int_equal(insns[1].result, POISON);
	assert_result(&thread, vsm_prep_mbarrier_test_wait_parity(MBAR, 0, 0), 1);
}

/* Lanes 0 to 7 wait for lane 8, and get their results when they execute the instruction again. */
TEST(test_suspended)
{
	struct vsm_thread warp = vsm_thread_at(cluster, 1, 0);
	uint32_t suspended = 0, i;

	for (i = 0; i < 9; i++)
		insns[i] = vsm_prep_shfl_sync(DRM_VSM_MODE_IDX, 50 + i, 8 - i, 31, 0x1ff);
	assert_int_equal(vsm_exec_lanes(&warp, 0xff, insns, &suspended), 0);
	assert_int_equal(suspended, 0xff);
	assert_int_equal(vsm_exec_lanes(&warp, 0x100, &insns[8], &suspended), 0);
	assert_int_equal(suspended, 0);
	assert_int_equal(vsm_exec_lanes(&warp, 0xff, insns, &suspended), 0);
	assert_int_equal(suspended, 0);
	for (i = 0; i < 9; i++) {
		assert_int_equal(vsm_result_value(insns[i].result), 58 - i);
		assert_true(vsm_result_pred(insns[i].result));
	}
}

/* The lanes before the refused one have arrived. The call is repeated behind it. */
TEST(test_refused)
{
	struct vsm_thread warp = vsm_thread_at(cluster, 0, 0);
	struct drm_vsm_event_fault event;
	uint32_t suspended = 99;
	char text[200];

	init(3);
	fill(vsm_prep_mbarrier_arrive(MBAR, VSM_SINK));
	insns[2].u.mbarrier.addr = MBAR + 4;
	assert_int_equal(vsm_exec_lanes(&warp, 0xf0, insns, &suspended), -EPROTO);
	assert_int_equal(suspended, 0);
	assert_int_equal(warp.retired, 2);
	assert_int_equal(warp.error, -EPROTO);
	assert_int_equal(warp.refused.fault, DRM_VSM_FAULT_MISALIGNED);
	assert_int_equal(warp.refused.u.mbarrier.addr, MBAR + 4);
	assert_int_equal(insns[2].fault, DRM_VSM_FAULT_MISALIGNED);
	assert_int_equal(insns[3].result, POISON);
	assert_true(vsm_thread_strerror(&warp, text, sizeof(text)) > 0);
	assert_non_null(strstr(text, "must be a multiple of 8"));
	assert_int_equal(vsm_event_read(device, &event, 1, after_ms(600000)), 1);
	assert_int_equal(event.thread, 6);
	assert_int_equal(vsm_exec_lanes(&warp, 0x80, &insns[3], NULL), 0);
	assert_int_equal(warp.retired, 1);
	assert_result(&thread, vsm_prep_mbarrier_test_wait_parity(MBAR, 0, 0), 1);
}

/* Two warps meet at a barrier: the second batch has the results of the first warp. */
TEST(test_batch)
{
	struct vsm_thread warps[] = { vsm_thread_at(cluster, 0, 0), vsm_thread_at(cluster, 0, 32) };
	struct drm_vsm_insn others[LANES];
	struct vsm_lanes_call calls[] = {
		{ .thread = &warps[0], .insns = insns, .lanes = ALL },
		{ .thread = &warps[1], .insns = others, .lanes = ALL },
	};
	uint32_t done = 0;

	fill(vsm_prep_barrier_red_popc(1, true, 0));
	memcpy(others, insns, sizeof(others));
	assert_int_equal(vsm_exec_batch(calls, 2, &done), 0);
	assert_int_equal(done, 2);
	assert_int_equal(calls[0].suspended, ALL);
	assert_int_equal(calls[1].suspended, 0);
	assert_int_equal(others[0].result, 64);
	assert_int_equal(vsm_exec_batch(calls, 1, NULL), 0);
	assert_int_equal(calls[0].suspended, 0);
	assert_int_equal(insns[LANES - 1].result, 64);
}

TEST(test_malformed)
{
	struct vsm_thread warp = vsm_thread_at(cluster, 0, 0);
	struct vsm_thread middle = vsm_thread_at(cluster, 0, 1);
	struct vsm_thread beyond = vsm_thread_at(cluster, 0, 64);
	struct vsm_thread converged = vsm_warp_at(cluster, 0, 0);
	struct vsm_thread unset;
	uint32_t suspended;

	init(3);
	fill(vsm_prep_mbarrier_arrive(MBAR, 0));
	assert_int_equal(vsm_exec_lanes(&warp, 0, insns, NULL), -EINVAL);
	assert_int_equal(vsm_exec_lanes(&middle, 0x1, insns, NULL), -EINVAL);
	assert_int_equal(vsm_exec_lanes(&beyond, 0x1, insns, NULL), -EINVAL);
	assert_int_equal(vsm_exec_lanes(&converged, 0x1, insns, NULL), -EINVAL);
	assert_int_equal(vsm_exec_lanes(&warp, 0x1, NULL, NULL), -EFAULT);
	memset(&unset, 0, sizeof(unset));
	suspended = 99;
	assert_int_equal(vsm_exec_lanes(&unset, 0x1, insns, &suspended), -EINVAL);
	assert_int_equal(suspended, 0);
	insns[1] = vsm_prep_mbarrier_arrive(MBAR, VSM_SINK);
	assert_int_equal(vsm_exec_lanes(&warp, 0x3, insns, NULL), -EINVAL);
	assert_int_equal(warp.retired, 0);
	assert_int_equal(insns[0].result, POISON);
}

/* Read the next record, which must be there in time. */
static void assert_record(int64_t deadline, uint64_t user_data, uint32_t status, uint64_t result)
{
	struct drm_vsm_wait_record record;

	assert_int_equal(vsm_waitset_read(set, &record, 1, deadline), 1);
	assert_int_equal(record.user_data, user_data);
	assert_int_equal(record.status, status);
	assert_int_equal(record.result, result);
}

static int arm(const struct vsm_thread *warp, uint32_t lanes, struct drm_vsm_insn insn,
	       unsigned int flags, uint64_t user_data)
{
	struct drm_vsm_wait wait = vsm_waitset_prep_lanes(warp, lanes, &insn, flags, VSM_NEVER,
							  user_data);

	return vsm_waitset_arm(set, &wait, 1, NULL);
}

TEST_WITH(test_wait, setup_set, teardown_set)
{
	struct vsm_thread warp = vsm_thread_at(cluster, 0, 0);
	struct vsm_thread other = vsm_thread_at(cluster, 0, 32);
	uint32_t suspended = 0;

	init(1);
	assert_int_equal(arm(&warp, ALL, vsm_prep_mbarrier_try_wait_parity(MBAR, 0, 0), 0, 1), 0);
	must_run(&thread, vsm_prep_mbarrier_arrive(MBAR, VSM_SINK));
	assert_record(VSM_NEVER, 1, DRM_VSM_WAIT_COMPLETE, 1);

	/* A barrier waits only for lanes that have executed it. */
	assert_int_equal(arm(&warp, ALL, vsm_prep_barrier_sync(0, 0), 0, 2), -EINVAL);
	fill(vsm_prep_barrier_sync(0, 0));
	assert_int_equal(vsm_exec_lanes(&warp, ALL, insns, &suspended), 0);
	assert_int_equal(suspended, ALL);
	assert_int_equal(arm(&warp, ALL, vsm_prep_barrier_sync(0, 0), 0, 3), 0);
	assert_int_equal(vsm_exec_lanes(&other, ALL, insns, &suspended), 0);
	assert_int_equal(suspended, 0);
	assert_record(VSM_NEVER, 3, DRM_VSM_WAIT_COMPLETE, 0);
	assert_int_equal(vsm_exec_lanes(&warp, ~1U, insns, &suspended), 0);
	assert_int_equal(suspended, 0);
}

/* All threads wait without a time limit. */
TEST_WITH(test_deadlock, setup_set, teardown_set)
{
	const struct vsm_cluster_config config = { .ctas = 1, .threads = 40, .smem_bytes = 1024 };
	struct vsm_thread warp, rest;
	struct vsm_cluster *small;
	struct drm_vsm_wait wait;
	struct drm_vsm_insn insn = vsm_prep_mbarrier_try_wait_parity(MBAR, 0, 0);

	assert_int_equal(vsm_cluster_create(device, &config, &small), 0);
	warp = vsm_thread_at(small, 0, 0);
	rest = vsm_thread_at(small, 0, 32);
	must_run(&warp, vsm_prep_mbarrier_init(MBAR, 1, 0));
	assert_int_equal(arm(&warp, ALL, insn, DRM_VSM_WAIT_NO_LIMIT, 1), 0);
	wait = vsm_waitset_prep_lanes(&rest, 0xff, &insn, DRM_VSM_WAIT_NO_LIMIT, 0, 2);
	assert_int_equal(vsm_waitset_arm(set, &wait, 1, NULL), -EINVAL);
	assert_int_equal(arm(&rest, 0x1ff, insn, DRM_VSM_WAIT_NO_LIMIT, 2), -EINVAL);
	assert_int_equal(arm(&rest, 0x7f, insn, DRM_VSM_WAIT_NO_LIMIT, 2), 0);
	fill(vsm_prep_exit());
	assert_int_equal(vsm_exec_lanes(&rest, 0x80, insns, NULL), 0);
	assert_record(VSM_NEVER, 1, DRM_VSM_WAIT_FAULT, DRM_VSM_FAULT_DEADLOCK);
	assert_record(VSM_NEVER, 2, DRM_VSM_WAIT_FAULT, DRM_VSM_FAULT_DEADLOCK);
	vsm_cluster_destroy(small);
}

/* After the drain the copies have happened, and the records of the waits for them are there. */
TEST_WITH(test_drain, setup_set, teardown_set)
{
	struct vsm_thread warp = vsm_thread_at(cluster, 0, 0);
	char *data = (char *)vsm_cluster_window(cluster, 0) + DATA;
	uint32_t suspended = 0, i;

	memset(vsm_buffer_map(buffer), 0x5a, 16 * LANES);
	assert_int_equal(vsm_cluster_drain(cluster), 0);
	assert_int_equal(vsm_cluster_hold(cluster, true), 0);
	for (i = 0; i < LANES; i++)
		insns[i] = vsm_prep_cp_async(DATA + 16 * i, vsm_buffer_handle(buffer), 16 * i, 16,
					     0);
	assert_int_equal(vsm_exec_lanes(&warp, ALL, insns, NULL), 0);
	fill(vsm_prep_cp_async_commit_group());
	assert_int_equal(vsm_exec_lanes(&warp, 0xffff, insns, NULL), 0);
	fill(vsm_prep_cp_async_wait_group(0));
	assert_int_equal(vsm_exec_lanes(&warp, ALL, insns, &suspended), 0);
	assert_int_equal(suspended, 0xffff);
	assert_int_equal(arm(&warp, ALL, vsm_prep_cp_async_wait_group(0), 0, 1), 0);
	assert_int_equal(arm(&warp, 0xffff, vsm_prep_cp_async_wait_group(0), 0, 2), -EPROTO);
	assert_int_equal(data[0], 0);
	assert_int_equal(vsm_cluster_drain(cluster), 0);
	assert_record(0, 1, DRM_VSM_WAIT_COMPLETE, 0);
	assert_int_equal(data[0], 0x5a);
	assert_int_equal(data[16 * LANES - 1], 0x5a);
	assert_int_equal(vsm_exec_lanes(&warp, ALL, insns, &suspended), 0);
	assert_int_equal(suspended, 0);
}
