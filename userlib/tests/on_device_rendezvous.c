// SPDX-License-Identifier: MIT
/* Rendezvous on a real device: each test calls a function, and checks its effect. */
#include "on_device_fixture.h"

#include <sched.h>
#include <signal.h>

#define LANES 4
#define ALL ((1U << LANES) - 1)
#define SIGNALS 50

static struct vsm_cluster *small;

/* A cluster of one warp. Tasks of the test execute as its threads, or the test itself does. */
static int setup_small(void **state)
{
	const struct vsm_cluster_config config = {
		.ctas = 1, .threads = LANES, .smem_bytes = 1024,
		.enforce = DRM_VSM_RULE(DRM_VSM_FAULT_SHFL_SOURCE),
	};

	if (setup(state))
		return -1;
	return vsm_cluster_create(device, &config, &small);
}

static int teardown_small(void **state)
{
	vsm_cluster_destroy(small);
	small = NULL;
	return teardown(state);
}

static struct vsm_thread lane_at(uint16_t lane)
{
	struct vsm_thread t = vsm_thread_at(small, 0, lane);

	return t;
}

/*
 * struct task - A task that executes as a lane
 * @id: Handle of the task
 * @t: Device thread of the lane
 * @lane: Number of the lane
 * @run: Function that the task runs
 * @failed: Line of the first wrong result, or 0. cmocka's assertions work only in the main task
 */
struct task {
	pthread_t id;
	struct vsm_thread t;
	uint32_t lane;
	void (*run)(struct task *task);
	int failed;
};

static struct task tasks[LANES];

static void check(struct task *task, bool condition, int line)
{
	if (!condition && !task->failed)
		__atomic_store_n(&task->failed, line, __ATOMIC_RELAXED);
}

#define expect(condition) check(task, condition, __LINE__)

static void *run_task(void *arg)
{
	struct task *task = arg;

	task->run(task);
	return NULL;
}

static void play_all(void (*run)(struct task *task))
{
	struct task *task;

	for (task = tasks; task < tasks + LANES; task++) {
		task->lane = task - tasks;
		task->t = vsm_thread_at(small, 0, task->lane);
		task->run = run;
		task->failed = 0;
		assert_int_equal(pthread_create(&task->id, NULL, run_task, task), 0);
	}
	for (task = tasks; task < tasks + LANES; task++)
		pthread_join(task->id, NULL);
	for (task = tasks; task < tasks + LANES; task++)
		assert_int_equal(task->failed, 0);
}

static void match(struct task *task)
{
	struct vsm_thread *t = &task->t;
	uint32_t lane = task->lane, odd = lane & 1;
	uint64_t d = 99;

	expect(!vsm_execute(t, vsm_prep_match_any_sync_b32(odd, ALL), &d) && d == 0x5U << odd);
	/* Values that differ only in their upper half are different. */
	expect(!vsm_execute(t, vsm_prep_match_any_sync_b64((uint64_t)lane << 32, ALL), &d) &&
	       d == 1U << lane);
	expect(!vsm_execute(t, vsm_prep_match_all_sync_b32(7, ALL), &d));
	expect(vsm_result_value(d) == ALL && vsm_result_pred(d));
	expect(!vsm_execute(t, vsm_prep_match_all_sync_b64((uint64_t)odd << 32, ALL), &d));
	expect(!vsm_result_value(d) && !vsm_result_pred(d));
	/* Two rendezvous take place at once, each with its own mask. */
	expect(!vsm_execute(t, vsm_prep_match_all_sync_b64(odd, 0x5U << odd), &d));
	expect(vsm_result_value(d) == 0x5U << odd);
}

TEST_WITH(test_match, setup_small, teardown_small)
{
	play_all(match);
}

static void vote(struct task *task)
{
	struct vsm_thread *t = &task->t;
	uint32_t lane = task->lane;
	uint64_t d = 99;

	expect(!run(t, vsm_prep_bar_warp_sync(ALL)));
	/* Lane 0 elects alone, the other lanes together. */
	expect(!vsm_execute(t, vsm_prep_elect_sync(lane ? ALL & ~1U : 1), &d));
	expect(vsm_result_value(d) == (lane ? 1 : 0) && vsm_result_pred(d) == (lane <= 1));
	expect(!vsm_execute(t, vsm_prep_vote_sync(DRM_VSM_MODE_ALL, lane, ALL), &d) && !d);
	expect(!vsm_execute(t, vsm_prep_vote_sync(DRM_VSM_MODE_ANY, lane, ALL), &d) && d == 1);
	expect(!vsm_execute(t, vsm_prep_vote_sync(DRM_VSM_MODE_UNI, false, ALL), &d) && d == 1);
	expect(!vsm_execute(t, vsm_prep_vote_sync_ballot(lane > 1, ALL), &d) && d == 0xc);
}

TEST_WITH(test_vote, setup_small, teardown_small)
{
	play_all(vote);
}

/* Does shfl.sync return this d and p? */
static void expect_shuffled(struct task *task, enum drm_vsm_mode mode, uint32_t b, uint32_t c,
			    uint32_t d, bool p)
{
	uint64_t result = 99;

	expect(!vsm_execute(&task->t, vsm_prep_shfl_sync(mode, 100 + task->lane, b, c, ALL),
			    &result));
	expect(vsm_result_value(result) == d && vsm_result_pred(result) == p);
}

static void shuffle(struct task *task)
{
	uint32_t lane = task->lane, a = 100 + lane;
	struct vsm_thread *t = &task->t;
	bool last = lane == LANES - 1;
	uint64_t d = 99;

	expect_shuffled(task, DRM_VSM_MODE_UP, 1, 0, lane ? a - 1 : a, lane > 0);
	expect_shuffled(task, DRM_VSM_MODE_DOWN, 1, LANES - 1, last ? a : a + 1, !last);
	expect_shuffled(task, DRM_VSM_MODE_BFLY, 1, 0x1f, 100 + (lane ^ 1), true);
	expect_shuffled(task, DRM_VSM_MODE_IDX, 2, 0x1f, 102, true);
	expect(!vsm_execute(t, vsm_prep_redux_sync(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, a, ALL), &d));
	expect(d == 406);
	expect(!vsm_execute(t, vsm_prep_redux_sync(DRM_VSM_RED_MIN, DRM_VSM_TYPE_S32, -lane, ALL),
			    &d));
	expect(d == (uint32_t)-3);
}

TEST_WITH(test_shuffle, setup_small, teardown_small)
{
	play_all(shuffle);
}

static void sync_at_barrier(struct task *task)
{
	struct vsm_thread *t = &task->t;
	uint32_t lane = task->lane;
	uint64_t d = 99;

	/* The cluster has one warp, which counts as 32 threads. */
	expect(!run(t, vsm_prep_barrier_sync(0, 0)));
	expect(!run(t, vsm_prep_barrier_sync_count(0, 32, VSM_ALIGNED)));
	expect(!run(t, vsm_prep_barrier_arrive(15, 32, 0)));
	expect(!vsm_execute(t, vsm_prep_barrier_red(DRM_VSM_RED_AND, 0, lane, 0), &d) && !d);
	expect(!vsm_execute(t, vsm_prep_barrier_red_count(DRM_VSM_RED_OR, 0, 32, lane, 0), &d) &&
	       d == 1);
	expect(!vsm_execute(t, vsm_prep_barrier_red_popc(0, lane, 0), &d) && d == LANES - 1);
	expect(!vsm_execute(t, vsm_prep_barrier_red_popc_count(0, 32, true, 0), &d) && d == LANES);
}

TEST_WITH(test_barriers, setup_small, teardown_small)
{
	play_all(sync_at_barrier);
}

/* One task executes as two whole warps. */
TEST(test_warps)
{
	struct vsm_thread producer = vsm_warp_at(cluster, 0, 0);
	struct vsm_thread consumer = vsm_warp_at(cluster, 0, 1);
	uint64_t d = 0;
	int i;

	for (i = 0; i < 3; i++) {
		must_run(&producer, vsm_prep_barrier_arrive(1, 64, VSM_ALIGNED));
		must_run(&consumer, vsm_prep_barrier_sync_count(1, 64, VSM_ALIGNED));
	}
	assert_result(&consumer, vsm_prep_barrier_red_popc_count(1, 32, true, 0), 32);
	assert_int_equal(vsm_execute(&consumer, vsm_prep_vote_sync_ballot(true, 0xff00), &d),
			 -EPROTO);
	consumer.thread = 32 + 8;
	assert_result(&consumer, vsm_prep_vote_sync_ballot(true, 0xff00), 0xff00);
	d = result_of(&consumer, vsm_prep_elect_sync(0xff00));
	assert_int_equal(vsm_result_value(d), 8);
	assert_true(vsm_result_pred(d));

	/* Only lane 0 executes an arrive on an mbarrier. The whole warp executes exit. */
	must_run(&consumer, vsm_prep_mbarrier_init(MBAR, 1, 0));
	must_run(&consumer, vsm_prep_mbarrier_arrive(MBAR, VSM_SINK));
	assert_int_equal(vsm_await_parity(&consumer, MBAR, 0, 0, VSM_NEVER), 0);
	must_run(&consumer, vsm_prep_exit());
	must_run(&producer, vsm_prep_barrier_sync(0, VSM_ALIGNED));
}

/* Each warp of the cluster arrives, then each warp waits. */
static void arrive_and_wait(unsigned int qual)
{
	struct vsm_thread t;
	uint16_t i;

	for (i = 0; i < 4; i++) {
		t = vsm_warp_at(cluster, i / 2, i % 2);
		must_run(&t, vsm_prep_barrier_cluster_arrive(qual));
	}
	for (i = 0; i < 4; i++) {
		t = vsm_warp_at(cluster, i / 2, i % 2);
		must_run(&t, vsm_prep_barrier_cluster_wait(VSM_ACQUIRE));
	}
}

TEST(test_cluster_barrier)
{
	struct vsm_thread remote = vsm_thread_at(cluster, 1, 0);

	must_run(&thread, vsm_prep_mbarrier_init(MBAR, 1, 0));
	arrive_and_wait(VSM_RELAXED | VSM_ALIGNED);
	must_fault(&remote, vsm_prep_mbarrier_arrive(MBAR, VSM_SHARED_CLUSTER | VSM_SINK),
		   DRM_VSM_FAULT_INIT_NOT_FENCED);
	arrive_and_wait(VSM_RELEASE);
	must_run(&remote, vsm_prep_mbarrier_arrive(MBAR, VSM_SHARED_CLUSTER | VSM_SINK));

	must_fault(&thread, vsm_prep_barrier_cluster_arrive(VSM_ACQUIRE), DRM_VSM_FAULT_BAD_ORDER);
}

TEST_WITH(test_exit, setup_small, teardown_small)
{
	struct vsm_thread first = lane_at(0), t;
	uint16_t lane;

	for (lane = 1; lane < LANES; lane++) {
		t = lane_at(lane);
		must_run(&t, vsm_prep_exit());
	}
	assert_result(&first, vsm_prep_match_any_sync_b32(7, ALL), 1);
	must_run(&first, vsm_prep_barrier_sync(0, 0));
	assert_int_equal(run(&t, vsm_prep_mbarrier_init(MBAR, 1, 0)), -EPROTO);
	assert_int_equal(t.refused.op, DRM_VSM_OP_MBARRIER_INIT);
	assert_int_equal(t.refused.fault, DRM_VSM_FAULT_THREAD_EXITED);
	assert_int_equal(run(&t, vsm_prep_exit()), -EPROTO);
}

static void assert_refused(struct vsm_thread *t, struct drm_vsm_insn insn, uint32_t code,
			   uint32_t info)
{
	must_fault(t, insn, code);
	assert_int_equal(t->refused.info, info);
}

TEST_WITH(test_warp_misuse, setup_small, teardown_small)
{
	struct drm_vsm_insn insn = vsm_prep_bar_warp_sync(3);
	struct vsm_thread first = lane_at(0), t = lane_at(1);
	struct vsm_waitset *set;
	struct drm_vsm_wait wait;

	assert_refused(&t, vsm_prep_bar_warp_sync(0xd), DRM_VSM_FAULT_NOT_IN_MASK, 0);
	assert_refused(&t, vsm_prep_shfl_sync(DRM_VSM_MODE_IDX, 1, 0, 0x1f, 2),
		       DRM_VSM_FAULT_SHFL_SOURCE, 0);

	assert_int_equal(vsm_waitset_create(device, &set), 0);
	wait = vsm_waitset_prep_insn(&first, &insn, VSM_NEVER, 0);
	assert_int_equal(vsm_waitset_arm(set, &wait, 1, NULL), 0);
	assert_refused(&t, vsm_prep_match_any_sync_b32(1, 3), DRM_VSM_FAULT_WARP_MISMATCH, 0);
	assert_refused(&t, vsm_prep_barrier_sync(0, 0), DRM_VSM_FAULT_PARTIAL_WARP, 0);
	assert_refused(&first, vsm_prep_match_any_sync_b32(1, 3), DRM_VSM_FAULT_THREAD_SUSPENDED,
		       0);
	assert_int_equal(vsm_waitset_arm(set, &wait, 1, NULL), -EPROTO);
	assert_int_equal(wait.fault, DRM_VSM_FAULT_THREAD_SUSPENDED);
	vsm_waitset_destroy(set);
}

TEST(test_barrier_misuse)
{
	struct vsm_thread w0 = vsm_warp_at(cluster, 0, 0), w1 = vsm_warp_at(cluster, 0, 1);

	assert_refused(&w0, vsm_prep_barrier_sync(16, 0), DRM_VSM_FAULT_BARRIER_ID, 0);
	assert_refused(&w0, vsm_prep_barrier_sync_count(0, 33, 0), DRM_VSM_FAULT_BARRIER_COUNT, 0);
	must_run(&w0, vsm_prep_barrier_arrive(0, 64, 0));
	assert_refused(&w1, vsm_prep_barrier_arrive(0, 32, 0), DRM_VSM_FAULT_BARRIER_MISMATCH, 64);
	assert_refused(&w1, vsm_prep_barrier_red_popc(0, true, 0), DRM_VSM_FAULT_BARRIER_MIXED, 0);
	/* The barrier has not counted the refused arrivals. */
	must_run(&w1, vsm_prep_barrier_sync(0, 0));

	assert_refused(&w0, vsm_prep_barrier_cluster_wait(0), DRM_VSM_FAULT_CLUSTER_NOT_ARRIVED, 0);
	must_run(&w0, vsm_prep_barrier_cluster_arrive(0));
	assert_refused(&w0, vsm_prep_barrier_cluster_arrive(0), DRM_VSM_FAULT_CLUSTER_ARRIVED, 0);
}

/* One caller executes for all lanes by arming their instructions. */
TEST_WITH(test_waits_for_insns, setup_small, teardown_small)
{
	struct drm_vsm_wait_record records[LANES];
	struct drm_vsm_insn insns[LANES];
	struct drm_vsm_wait waits[LANES];
	struct vsm_waitset *set;
	struct vsm_thread t;
	uint16_t lane;
	int got = 0, count;

	assert_int_equal(vsm_waitset_create(device, &set), 0);
	for (lane = 0; lane < LANES; lane++) {
		t = lane_at(lane);
		insns[lane] = vsm_prep_match_any_sync_b32(lane & 1, ALL);
		waits[lane] = vsm_waitset_prep_insn(&t, &insns[lane], VSM_NEVER, lane);
	}
	assert_int_equal(vsm_waitset_arm(set, waits, LANES - 1, NULL), 0);
	assert_int_equal(vsm_waitset_read(set, records, LANES, 0), 0);
	/*
	 * Lane 0 keeps its arrival after the cancellation. It gets its result when it executes the
	 * instruction again.
	 */
	assert_int_equal(vsm_waitset_cancel(set, waits[0].id), 0);
	assert_result(&t, vsm_prep_match_any_sync_b32(1, ALL), 0xa);
	while (got < 2) {
		count = vsm_waitset_read(set, records + got, LANES - got, VSM_NEVER);
		assert_true(count > 0);
		got += count;
	}
	for (lane = 0; lane < 2; lane++) {
		assert_int_equal(records[lane].status, DRM_VSM_WAIT_COMPLETE);
		assert_int_equal(records[lane].result, records[lane].user_data & 1 ? 0xa : 0x5);
	}
	t = lane_at(0);
	assert_result(&t, vsm_prep_match_any_sync_b32(0, ALL), 0x5);
	vsm_waitset_destroy(set);
}

/* If the instruction is refused at its completion, the wait ends with the fault. */
TEST_WITH(test_waits_end_by_fault, setup_small, teardown_small)
{
	struct drm_vsm_insn insn = vsm_prep_shfl_sync(DRM_VSM_MODE_IDX, 1, 1, 0x1f, 3);
	struct vsm_thread t = lane_at(0), other = lane_at(1);
	struct drm_vsm_wait_record record;
	struct drm_vsm_event_fault event;
	struct vsm_waitset *set;
	struct drm_vsm_wait wait;

	assert_int_equal(vsm_waitset_create(device, &set), 0);
	wait = vsm_waitset_prep_insn(&t, &insn, VSM_NEVER, 0);
	assert_int_equal(vsm_waitset_arm(set, &wait, 1, NULL), 0);
	must_run(&other, vsm_prep_exit());
	assert_int_equal(vsm_waitset_read(set, &record, 1, VSM_NEVER), 1);
	assert_int_equal(record.status, DRM_VSM_WAIT_FAULT);
	assert_int_equal(record.result, DRM_VSM_FAULT_SHFL_SOURCE);
	assert_int_equal(vsm_event_read(device, &event, 1, after_ms(600000)), 1);
	assert_int_equal(event.source, DRM_VSM_SOURCE_ARM);
	assert_int_equal(event.insn.info, 1);

	t = vsm_warp_at(small, 0, 0);
	insn = vsm_prep_barrier_red_popc(0, true, 0);
	wait = vsm_waitset_prep_insn(&t, &insn, VSM_NEVER, 0);
	assert_int_equal(vsm_waitset_arm(set, &wait, 1, NULL), 0);
	assert_int_equal(vsm_waitset_read(set, &record, 1, VSM_NEVER), 1);
	assert_int_equal(record.status, DRM_VSM_WAIT_COMPLETE);
	assert_int_equal(record.result, LANES - 1);
	vsm_waitset_destroy(set);
}

static _Atomic int signals;

static void on_signal(int sig)
{
	signals++;
}

/* Send each signal only after the handler has seen the previous one. */
static void interrupt_lane_0(void)
{
	int seen, i;

	for (i = 0; i < SIGNALS; i++) {
		seen = signals;
		pthread_kill(tasks[0].id, SIGUSR1);
		while (signals == seen && !__atomic_load_n(&tasks[0].failed, __ATOMIC_RELAXED))
			sched_yield();
	}
}

static void match_through_signals(struct task *task)
{
	uint64_t d = 99;

	if (task->lane == 1)
		interrupt_lane_0();
	/* Lane 0 goes to the match at once, and waits there during the signals. */
	if (task->lane)
		expect(!run(&task->t, vsm_prep_bar_warp_sync(ALL & ~1U)));
	expect(!vsm_execute(&task->t, vsm_prep_match_any_sync_b32(7, ALL), &d) && d == ALL);
}

TEST_WITH(test_signals, setup_small, teardown_small)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	signals = 0;
	play_all(match_through_signals);
	assert_int_equal(signals, SIGNALS);
}

static void wait_in_a_circle(struct task *task)
{
	const struct drm_vsm_insn *why = &task->t.refused;

	if (task->lane == 3) {
		expect(!run(&task->t, vsm_prep_exit()));
		return;
	}
	if (task->lane == 0)
		expect(vsm_await_parity(&task->t, MBAR, 0, 0, VSM_NEVER) == -EPROTO);
	else
		expect(run(&task->t, vsm_prep_bar_warp_sync(ALL)) == -EPROTO);
	expect(why->fault == DRM_VSM_FAULT_DEADLOCK && why->info == 3);
}

TEST_WITH(test_deadlock, setup_small, teardown_small)
{
	struct vsm_thread t = lane_at(0);

	must_run(&t, vsm_prep_mbarrier_init(MBAR, 1, 0));
	play_all(wait_in_a_circle);
}
