// SPDX-License-Identifier: MIT
/* Tests executing instructions, and waiting for phases. */
#define TEST_SETUP	mock_setup_cluster
#define TEST_TEARDOWN	mock_teardown_cluster
#include "mock.h"

#include <time.h>

#define TOKEN 0x8ffff00000000000ULL

static struct drm_vsm_insn insns[3];

static void fill_insns(void)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		insns[i] = vsm_prep_mbarrier_arrive(8 * i, 0);
}

TEST(test_exec_all)
{
	struct vsm_thread t = vsm_thread_at(cluster, 1, 2);
	uint32_t retired = 0;

	fill_insns();
	mock.results[2] = 42;
	assert_int_equal(vsm_exec(&t, insns, 3, &retired), 0);
	assert_int_equal(retired, 3);
	assert_int_equal(mock.exec.cluster, vsm_cluster_handle(cluster));
	assert_int_equal(mock.exec.cta, 1);
	assert_int_equal(mock.exec.thread, 2);
	assert_int_equal(mock.exec.count, 3);
	assert_int_equal(insns[2].result, 42);
	assert_int_equal(vsm_exec(&t, insns, 3, NULL), 0);
	assert_int_equal(mock.exec.retired, 0);
}

TEST(test_exec_continues)
{
	struct vsm_thread t = vsm_thread_at(cluster, 0, 0);
	uint32_t retired = 0;

	fill_insns();
	mock.retire = 2;
	assert_int_equal(vsm_exec(&t, insns, 3, &retired), 0);
	assert_int_equal(retired, 2);
	assert_int_equal(t.retired, 2);
	mock.retire = 1;
	assert_int_equal(vsm_exec(&t, insns, 3, &retired), 0);
	assert_int_equal(mock.exec.retired, 2);
	assert_int_equal(mock.exec.deadline, 0);
	assert_int_equal(retired, 3);
}

TEST(test_exec_flags)
{
	struct vsm_thread t = vsm_thread_at(cluster, 0, 0);

	fill_insns();
	assert_int_equal(vsm_exec(&t, insns, 3, NULL), 0);
	assert_int_equal(mock.exec.flags, 0);
	t.exec_flags = DRM_VSM_EXEC_NO_LIMIT;
	assert_int_equal(vsm_exec(&t, insns, 3, NULL), 0);
	assert_int_equal(mock.exec.flags, DRM_VSM_EXEC_NO_LIMIT);
	/* SUBMIT does not take this flag, so the library does not pass it. */
	assert_int_equal(vsm_submit(&t, insns, 3, NULL, 0, NULL), 0);
	assert_int_equal(mock.submit.flags, 0);
}

/* The thread keeps a refused instruction until the next one is refused. */
TEST(test_exec_misuse)
{
	struct vsm_thread t = vsm_thread_at(cluster, 0, 0);
	uint32_t retired = 0;

	fill_insns();
	mock.retire = 1;
	mock.fault = DRM_VSM_FAULT_ARRIVAL_OVERFLOW;
	assert_int_equal(vsm_exec(&t, insns, 3, &retired), -EPROTO);
	assert_int_equal(retired, 1);
	assert_int_equal(insns[1].fault, DRM_VSM_FAULT_ARRIVAL_OVERFLOW);
	assert_memory_equal(&t.refused, &insns[1], sizeof(t.refused));
	assert_int_equal(t.error, -EPROTO);

	mock.retire = 0;
	mock.fault = 0;
	assert_int_equal(vsm_exec(&t, insns, 3, NULL), 0);
	assert_int_equal(t.error, -EPROTO);
	assert_int_equal(t.refused.fault, DRM_VSM_FAULT_ARRIVAL_OVERFLOW);
}

/* After an error that is not about an instruction, the thread contains no refused instruction. */
TEST(test_exec_error)
{
	struct vsm_thread t = vsm_thread_at(cluster, 0, 0);
	const struct drm_vsm_insn none = { 0 };
	uint32_t retired = 1;

	fill_insns();
	memset(&t.refused, 0x5a, sizeof(t.refused));
	mock.fail_request = DRM_IOCTL_VSM_EXEC;
	mock.fail_errno = EIO;
	assert_int_equal(vsm_exec(&t, insns, 3, &retired), -EIO);
	assert_int_equal(retired, 1);
	assert_int_equal(t.error, -EIO);
	assert_memory_equal(&t.refused, &none, sizeof(none));
}

/* The caller has not made the thread with vsm_thread_at(). */
TEST(test_thread_of_other_size)
{
	static const uint32_t sizes[] = { 0, sizeof(struct vsm_thread) - 8, 0xffffffff };
	struct vsm_thread t = vsm_thread_at(cluster, 0, 0);
	unsigned int i;

	fill_insns();
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int calls = mock.calls;

		t.size = sizes[i];
		assert_int_equal(vsm_exec(&t, insns, 3, NULL), -EINVAL);
		assert_int_equal(vsm_execute(&t, insns[0], NULL), -EINVAL);
		assert_int_equal(vsm_exec_lanes(&t, 0x7, insns, NULL), -EINVAL);
		assert_int_equal(vsm_submit(&t, insns, 3, NULL, 0, NULL), -EINVAL);
		assert_int_equal(vsm_await_parity(&t, 0, 0, 0, VSM_NEVER), -EINVAL);
		assert_int_equal(mock.calls, calls);
	}
}

TEST(test_execute)
{
	struct drm_vsm_insn insn = vsm_prep_mbarrier_arrive(64, VSM_RELAXED | VSM_CTA);
	struct vsm_thread t = vsm_thread_at(cluster, 1, 33);
	uint64_t token = 99;

	mock.results[0] = TOKEN;
	assert_int_equal(vsm_execute(&t, insn, &token), 0);
	assert_true(token == TOKEN);
	assert_int_equal(mock.exec.cluster, vsm_cluster_handle(cluster));
	assert_int_equal(mock.exec.cta, 1);
	assert_int_equal(mock.exec.thread, 33);
	assert_int_equal(mock.exec.count, 1);
	assert_int_equal(mock.exec.retired, 0);
	assert_int_equal(mock.exec.flags, 0);
	assert_memory_equal(&mock.insns[0], &insn, sizeof(insn));
	/* The caller passes NULL if it does not need the result. */
	assert_int_equal(vsm_execute(&t, insn, NULL), 0);

	mock.fault = DRM_VSM_FAULT_POISONED;
	assert_int_equal(vsm_execute(&t, insn, &token), -EPROTO);
	assert_true(token == TOKEN);
	assert_int_equal(t.refused.fault, DRM_VSM_FAULT_POISONED);
	assert_int_equal(t.refused.op, DRM_VSM_OP_MBARRIER_ARRIVE);
}

static void assert_awaited(struct drm_vsm_insn insn, uint32_t flags, int calls)
{
	assert_int_equal(mock.calls, calls);
	assert_int_equal(mock.exec.flags, flags);
	assert_memory_equal(&mock.insns[0], &insn, sizeof(insn));
}

/* vsm_await_phase() repeats the try_wait, without a time limit, while it returns False. */
TEST(test_await)
{
	const unsigned int qual = VSM_ACQUIRE | VSM_CTA;
	struct vsm_thread t = vsm_thread_at(cluster, 1, 33);
	int calls = mock.calls;

	mock.results[2] = 1;
	mock.results[3] = 1;
	assert_int_equal(vsm_await_phase(&t, 64, TOKEN, qual, VSM_NEVER), 0);
	assert_awaited(vsm_prep_mbarrier_try_wait(64, TOKEN, qual), DRM_VSM_EXEC_NO_LIMIT,
		       calls + 3);
	assert_int_equal(t.exec_flags, 0);
	assert_int_equal(vsm_await_parity(&t, 64, 1, 0, VSM_NEVER), 0);
	assert_awaited(vsm_prep_mbarrier_try_wait_parity(64, 1, 0), DRM_VSM_EXEC_NO_LIMIT,
		       calls + 4);
}

/* The library passes the time until the deadline as suspendTimeHint. */
TEST(test_await_until)
{
	struct vsm_thread t = vsm_thread_at(cluster, 1, 33);
	struct timespec now;
	int calls = mock.calls;

	assert_int_equal(vsm_await_phase(&t, 64, TOKEN, 0, 0), -ETIME);
	assert_awaited(vsm_prep_mbarrier_try_wait_hint(64, TOKEN, 0, 0), 0, calls + 1);
	assert_int_equal(vsm_await_parity(&t, 64, 1, 0, 0), -ETIME);
	assert_awaited(vsm_prep_mbarrier_try_wait_parity_hint(64, 1, 0, 0), 0, calls + 2);

	clock_gettime(CLOCK_MONOTONIC, &now);
	mock.results[2] = 1;
	mock.results[3] = 1;
	assert_int_equal(vsm_await_parity(&t, 64, 1, 0, (now.tv_sec + 1) * 1000000000LL), 0);
	assert_in_range(mock.insns[0].u.mbarrier.hint_ns, 0, 1000000000);
	/* An hour does not fit in the suspendTimeHint of one try_wait. */
	assert_int_equal(vsm_await_parity(&t, 64, 1, 0, (now.tv_sec + 3600) * 1000000000LL), 0);
	assert_int_equal(mock.insns[0].u.mbarrier.hint_ns, UINT32_MAX);
	assert_int_equal(mock.calls, calls + 4);
}

TEST(test_await_refused)
{
	struct vsm_thread t = vsm_thread_at(cluster, 1, 33);
	int calls = mock.calls;

	mock.fault = DRM_VSM_FAULT_DEADLOCK;
	assert_int_equal(vsm_await_parity(&t, 64, 0, 0, VSM_NEVER), -EPROTO);
	assert_int_equal(t.refused.fault, DRM_VSM_FAULT_DEADLOCK);
	assert_int_equal(t.refused.op, DRM_VSM_OP_MBARRIER_TRY_WAIT);
	assert_int_equal(t.exec_flags, 0);
	mock.fail_request = DRM_IOCTL_VSM_EXEC;
	mock.fail_errno = EIO;
	assert_int_equal(vsm_await_phase(&t, 64, TOKEN, 0, VSM_NEVER), -EIO);
	assert_int_equal(vsm_await_phase(&t, 64, TOKEN, 0, 0), -EIO);
	assert_int_equal(mock.calls, calls + 3);
}

/* The instructions are those of the lanes in ascending order. */
TEST(test_lanes)
{
	struct vsm_thread t = vsm_thread_at(cluster, 1, 32);
	uint32_t suspended = 99;

	fill_insns();
	mock.results[2] = 42;
	mock.suspended = 0x10;
	assert_int_equal(vsm_exec_lanes(&t, 0x80000011, insns, &suspended), 0);
	assert_int_equal(mock.exec.cluster, vsm_cluster_handle(cluster));
	assert_int_equal(mock.exec.cta, 1);
	assert_int_equal(mock.exec.thread, 32);
	assert_int_equal(mock.exec.flags, DRM_VSM_EXEC_LANES);
	assert_int_equal(mock.exec.lanes, 0x80000011);
	assert_int_equal(mock.exec.count, 3);
	assert_int_equal(mock.exec.retired, 0);
	assert_int_equal(mock.exec.suspended, 0);
	assert_int_equal(mock.exec.deadline, 0);
	assert_int_equal(suspended, 0x10);
	assert_int_equal(t.retired, 3);
	assert_int_equal(insns[2].result, 42);
	assert_int_equal(vsm_exec_lanes(&t, 0x1, insns, NULL), 0);
	assert_int_equal(t.retired, 1);
}

TEST(test_lanes_refused)
{
	struct vsm_thread t = vsm_thread_at(cluster, 0, 0);
	uint32_t suspended = 0;

	fill_insns();
	mock.retire = 1;
	mock.suspended = 0x1;
	mock.fault = DRM_VSM_FAULT_MISALIGNED;
	assert_int_equal(vsm_exec_lanes(&t, 0x7, insns, &suspended), -EPROTO);
	assert_int_equal(t.retired, 1);
	assert_int_equal(suspended, 0x1);
	assert_int_equal(t.error, -EPROTO);
	assert_memory_equal(&t.refused, &insns[1], sizeof(t.refused));
}

/* The thread has a malformed instruction only if nothing else of the call can be wrong. */
#define CALLS 40

/* The device gets 32 calls at once. */
TEST(test_batch)
{
	struct vsm_thread threads[CALLS];
	struct vsm_lanes_call calls[CALLS];
	uint32_t done = 99, before = mock.calls, i;

	fill_insns();
	mock.suspended = 0x1;
	for (i = 0; i < CALLS; i++) {
		threads[i] = vsm_thread_at(cluster, 1, 32);
		calls[i] = (struct vsm_lanes_call){
			.thread = &threads[i], .insns = insns, .lanes = 0x5, .suspended = 99,
		};
	}
	assert_int_equal(vsm_exec_batch(calls, CALLS, &done), 0);
	assert_int_equal(done, CALLS);
	assert_int_equal(mock.calls, before + 2);
	assert_int_equal(mock.batch.flags, DRM_VSM_EXEC_BATCH);
	assert_int_equal(mock.batch.count, CALLS - 32);
	assert_int_equal(mock.exec.cluster, vsm_cluster_handle(cluster));
	assert_int_equal(mock.exec.cta, 1);
	assert_int_equal(mock.exec.thread, 32);
	assert_int_equal(mock.exec.flags, DRM_VSM_EXEC_LANES);
	assert_int_equal(mock.exec.lanes, 0x5);
	assert_int_equal(mock.exec.count, 2);
	for (i = 0; i < CALLS; i++) {
		assert_int_equal(calls[i].suspended, 0x1);
		assert_int_equal(threads[i].retired, 2);
	}
	assert_int_equal(vsm_exec_batch(NULL, 0, &done), 0);
	assert_int_equal(done, 0);
	assert_int_equal(vsm_exec_batch(calls, 1, NULL), 0);
}

/* The calls behind the refused one have not begun. */
TEST(test_batch_refused)
{
	struct vsm_thread threads[2];
	struct vsm_lanes_call calls[2];
	uint32_t done = 99, i;

	fill_insns();
	for (i = 0; i < 2; i++) {
		threads[i] = vsm_thread_at(cluster, 0, 0);
		calls[i] = (struct vsm_lanes_call){
			.thread = &threads[i], .insns = insns, .lanes = 0x7, .suspended = 99,
		};
	}
	mock.retire = 1;
	mock.fault = DRM_VSM_FAULT_MISALIGNED;
	assert_int_equal(vsm_exec_batch(calls, 2, &done), -EPROTO);
	assert_int_equal(done, 0);
	assert_int_equal(threads[0].retired, 1);
	assert_int_equal(threads[0].error, -EPROTO);
	assert_memory_equal(&threads[0].refused, &insns[1], sizeof(insns[1]));
	assert_int_equal(threads[1].error, 0);
	assert_int_equal(calls[1].suspended, 0);
}

/* The calls before a thread that vsm_thread_at() has not made are executed. */
TEST(test_batch_malformed)
{
	struct vsm_thread thread = vsm_thread_at(cluster, 0, 0), unset = { };
	struct vsm_lanes_call calls[] = {
		{ .thread = &thread, .insns = insns, .lanes = 0x1 },
		{ .thread = &unset, .insns = insns, .lanes = 0x1 },
	};
	uint32_t done = 99;

	fill_insns();
	assert_int_equal(vsm_exec_batch(calls, 2, &done), -EINVAL);
	assert_int_equal(done, 1);
	assert_int_equal(thread.retired, 1);
	assert_int_equal(vsm_exec_batch(&calls[1], 1, &done), -EINVAL);
	assert_int_equal(done, 0);
}

TEST(test_lanes_malformed)
{
	const struct drm_vsm_insn none = { 0 };
	struct vsm_thread t;
	unsigned int i;

	mock.fail_request = DRM_IOCTL_VSM_EXEC;
	mock.fail_errno = EINVAL;
	for (i = 0; i < 6; i++) {
		t = vsm_thread_at(cluster, 0, i == 1 ? 1 : 32);
		t.exec_flags = i == 2 ? DRM_VSM_EXEC_NO_LIMIT : 0;
		fill_insns();
		insns[0].u.mbarrier.parity = 1;
		insns[1].mods = i == 3 ? DRM_VSM_MOD_SINK : 0;
		if (i == 4)
			insns[0].u.mbarrier.parity = 0;
		assert_int_equal(vsm_exec_lanes(&t, i == 5 ? 0 : 0x7, insns, NULL), -EINVAL);
		assert_int_equal(t.error, -EINVAL);
		assert_int_equal(t.retired, 0);
		if (i)
			assert_memory_equal(&t.refused, &none, sizeof(none));
		else
			assert_int_equal(t.refused.u.mbarrier.parity, 1);
	}
}

/* A device without the feature answers EINVAL, whatever the instructions are. */
TEST(test_lanes_without_feature)
{
	const struct drm_vsm_insn none = { 0 };
	struct vsm_cluster *c;
	struct vsm_device *old;
	struct vsm_thread t;
	const struct vsm_cluster_config config = { .ctas = 1, .threads = 32, .smem_bytes = 16 };

	mock.no_lanes = true;
	assert_int_equal(vsm_device_open(mock.nodes[0], &old), 0);
	assert_int_equal(vsm_cluster_create(old, &config, &c), 0);
	t = vsm_thread_at(c, 0, 0);
	fill_insns();
	insns[0].u.mbarrier.parity = 1;
	mock.fail_request = DRM_IOCTL_VSM_EXEC;
	mock.fail_errno = EINVAL;
	assert_int_equal(vsm_exec_lanes(&t, 0x7, insns, NULL), -EINVAL);
	assert_memory_equal(&t.refused, &none, sizeof(none));
	vsm_cluster_destroy(c);
	vsm_device_close(old);
}

TEST_MAIN()
