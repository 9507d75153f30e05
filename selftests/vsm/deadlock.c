// SPDX-License-Identifier: GPL-2.0-only
/*
 * DRM_VSM_EXEC_NO_LIMIT: when nothing can wake any waiter any more, all untimed waits of the
 * cluster end at once with DEADLOCK. They never end before that.
 */
#include "async.h"
#include "fence.h"

#define A AT(0, 0x40)
#define B AT(0, 0x48)
#define C AT(0, 0x50)
#define DATA AT(0, 0x400)

FIXTURE(deadlock)
{
	struct cluster c;	/* has one thread */
	struct cluster two;	/* has two threads */
	struct buffer b;
};

static int make_cluster(struct cluster *c, int fd, uint32_t ctas, uint32_t threads)
{
	int ret = cluster_make(c, fd, .ctas = ctas, .threads = threads, .smem_bytes = 4096);

	if (!ret)
		ret = exec_one(c, i_init(A, 1));
	if (!ret)
		ret = exec_one(c, i_init(B, 1));
	if (!ret)
		ret = exec_one(c, i_init(C, 1));
	if (!ret)
		ret = exec_one(c, i_init(END, 1));
	return ret ? ret : exec_one(c, i_fence());
}

FIXTURE_SETUP(deadlock)
{
	int fd = vsm_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, make_cluster(&self->c, fd, 1, 1));
	ASSERT_EQ(0, make_cluster(&self->two, fd, 1, 2));
	ASSERT_EQ(0, buffer_create(&self->b, fd, 4096));
}

FIXTURE_TEARDOWN(deadlock)
{
	/* No waiter is left, so inval succeeds. */
	EXPECT_EQ(0, exec_one(&self->c, i_inval(A)));
	EXPECT_EQ(0, exec_one(&self->two, i_inval(A)));
	EXPECT_EQ(0, exec_one(&self->two, i_inval(B)));
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_destroy(&self->c));
	EXPECT_EQ(0, cluster_destroy(&self->two));
	close(self->c.fd);
}

static struct drm_vsm_exec untimed(const struct cluster *c, uint32_t cta, uint32_t thread,
				   struct drm_vsm_insn *insns, uint32_t count)
{
	struct drm_vsm_exec args = play_args(c, cta, thread, DRM_VSM_EXEC_NO_LIMIT, insns, count);

	return args;
}

/*
 * Starts a task that executes an untimed wait as a thread of CTA 0. Returns whether it is
 * suspended.
 */
static bool suspend(struct exec_thread *t, const struct cluster *c, uint32_t thread,
		    struct drm_vsm_insn *wait)
{
	return !exec_thread_run(t, c, untimed(c, 0, thread, wait, 1)) && exec_thread_suspended(t);
}

/* Gives the driver time to end the wait. Returns whether the task is still suspended. */
static bool stays(struct exec_thread *t)
{
	int i;

	for (i = 0; i < 20; i++)
		sched_yield();
	poll(NULL, 0, 2);
	return !atomic_load(&t->done);
}

/* Expects that the wait ended with DEADLOCK, that info is @threads, and that nothing changed. */
static void expect_deadlock(struct __test_metadata *_metadata, struct exec_thread *t,
			    uint32_t threads)
{
	struct drm_vsm_insn *insn = (struct drm_vsm_insn *)(uintptr_t)t->args.insns;

	EXPECT_EQ(-EPROTO, exec_thread_join(t));
	EXPECT_EQ(0, t->args.retired);
	EXPECT_EQ(0, t->args.deadline);
	EXPECT_EQ(DRM_VSM_FAULT_DEADLOCK, insn->fault);
	EXPECT_EQ(threads, insn->info);
	EXPECT_EQ(word(t->cluster, insn->u.mbarrier.addr), insn->result);
}

#define EXPECT_DEADLOCK(t, threads) expect_deadlock(_metadata, t, threads)

/* --- deadlocks ------------------------------------------------------------- */

TEST_F(deadlock, of_one_thread_that_nobody_can_wake)
{
	struct drm_vsm_insn by_token, insns[3];
	struct drm_vsm_event_fault event;
	struct drm_vsm_exec args;
	int i;

	ASSERT_EQ(0, exec_one(&self->c, i_inval(C)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(C, 2)));
	by_token = i_try_wait(C, exec_result(&self->c, i_arrive(C)), 0);
	by_token.mods = 0;
	for (i = 0; i < 3; i++) {
		uint64_t before = word(&self->c, i == 2 ? C : A);

		insns[0] = i_test_parity(B, 0);
		insns[1] = i == 2 ? by_token : i_try_parity_unlimited(A, 0);
		insns[2] = i_test_parity(B, 1);
		if (i == 1) {
			insns[1].sem = DRM_VSM_SEM_RELAXED;
			insns[1].scope = DRM_VSM_SCOPE_CLUSTER;
		}
		insn_poison(insns, 3);
		args = untimed(&self->c, 0, 0, insns, 3);
		EXPECT_EQ(-EPROTO, vsm_exec(self->c.fd, &args));
		EXPECT_EQ(1, args.retired);
		EXPECT_EQ(0, args.deadline);
		EXPECT_EQ(DRM_VSM_FAULT_DEADLOCK, insns[1].fault);
		EXPECT_EQ(1, insns[1].info);
		EXPECT_EQ(before, insns[1].result);
		EXPECT_EQ(before, word(&self->c, i == 2 ? C : A));
		EXPECT_TRUE(insn_untouched(&insns[2]));
		ASSERT_EQ(1, fault_read(self->c.fd, &event));
		EXPECT_EQ(0, memcmp(&insns[1], &event.insn, sizeof(event.insn)));
		EXPECT_EQ(DRM_VSM_SOURCE_EXEC, event.source);
		EXPECT_EQ(0, poll_events(self->c.fd));
		/* The program may continue after the wait, or may execute the wait again. */
		args.retired = 2;
		EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	}
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	args = untimed(&self->c, 0, 0, insns, 3);
	insns[1] = i_try_parity_unlimited(A, 0);
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(1, insns[1].result);
}

TEST_F(deadlock, of_two_threads_that_wait_for_each_other)
{
	struct drm_vsm_insn waits[] = {
		i_try_parity_unlimited(A, 0), i_try_parity_unlimited(B, 0),
	};
	struct drm_vsm_event_fault event;
	struct exec_thread t[2];
	unsigned int i, seen = 0;

	ASSERT_TRUE(suspend(&t[0], &self->two, 0, &waits[0]));
	EXPECT_TRUE(stays(&t[0]));
	ASSERT_EQ(0, exec_thread_run(&t[1], &self->two, untimed(&self->two, 0, 1, &waits[1], 1)));
	for (i = 0; i < 2; i++)
		EXPECT_DEADLOCK(&t[i], 2);
	/* There is an event for each waiter. It names the thread and the mbarrier. */
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(1, fault_read(self->two.fd, &event));
		EXPECT_EQ(DRM_VSM_FAULT_DEADLOCK, event.insn.fault);
		EXPECT_EQ(self->two.handle, event.cluster);
		EXPECT_EQ(event.thread ? B : A, event.insn.u.mbarrier.addr);
		seen |= 1 << event.thread;
	}
	EXPECT_EQ(3, seen);
	EXPECT_EQ(0, poll_events(self->two.fd));
	/* The mbarrier works as if no thread had waited. */
	EXPECT_EQ(0, exec_one(&self->two, i_arrive(A)));
	EXPECT_EQ(1, exec_result(&self->two, i_test_parity(A, 0)));
}

TEST_F(deadlock, of_all_threads_of_all_ctas_and_on_one_word_or_many)
{
	enum { CTAS = 4, THREADS = 10, ALL = CTAS * THREADS };
	struct drm_vsm_insn waits[ALL];
	struct exec_thread t[ALL];
	struct cluster c;
	int i, round;

	ASSERT_EQ(0, make_cluster(&c, self->c.fd, CTAS, THREADS));
	for (i = 0; i < ALL; i++)
		ASSERT_EQ(0, exec_at(&c, i / THREADS, i_init(AT(i / THREADS, 0x100 + 8 * i), 1),
				     NULL));
	for (round = 0; round < 4; round++) {
		for (i = 0; i < ALL; i++) {
			uint32_t cta = i / THREADS, own = AT(cta, 0x100 + 8 * i);
			uint32_t one = AT(cta, 0x100 + 8 * (cta * THREADS));

			waits[i] = i_try_parity_unlimited(round % 2 ? own : one, 0);
			ASSERT_EQ(0, exec_thread_run(&t[i], &c, untimed(&c, cta, i % THREADS,
									&waits[i], 1)));
			if (i < ALL - 1)
				ASSERT_TRUE(exec_thread_suspended(&t[i]));
		}
		for (i = 0; i < ALL; i++)
			EXPECT_DEADLOCK(&t[i], ALL);
		fault_drain(c.fd);
	}
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(deadlock, under_the_hardware_policy_too)
{
	struct drm_vsm_insn wait = i_try_parity_unlimited(0, 0);
	struct drm_vsm_exec args;
	struct cluster c;

	ASSERT_EQ(0, cluster_make(&c, self->c.fd, .ctas = 1, .threads = 1, .smem_bytes = 16,
				  .policy = DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, exec_one(&c, i_init(0, 1)));
	args = untimed(&c, 0, 0, &wait, 1);
	EXPECT_EQ(-EPROTO, vsm_exec(c.fd, &args));
	EXPECT_EQ(DRM_VSM_FAULT_DEADLOCK, wait.fault);
	/* A deadlock is no trap: the cluster still works. */
	EXPECT_EQ(0, exec_one(&c, i_arrive(0)));
	EXPECT_EQ(0, vsm_exec(c.fd, &args));
	EXPECT_EQ(1, wait.result);
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* --- no deadlock while something may still wake a waiter -------------------- */

TEST_F(deadlock, none_while_a_thread_runs)
{
	struct drm_vsm_insn waits[] = {
		i_try_parity_unlimited(A, 0), i_try_parity_unlimited(A, 0),
	};
	struct exec_thread t[2];
	int i;

	ASSERT_TRUE(suspend(&t[0], &self->two, 0, &waits[0]));
	for (i = 0; i < 20; i++) {
		struct drm_vsm_insn work[] = { i_arrive(B), i_test_parity(B, i % 2) };
		struct drm_vsm_exec args = untimed(&self->two, 0, 1, work, 2);

		EXPECT_EQ(0, vsm_exec(self->two.fd, &args));
		EXPECT_EQ(2, args.retired);
	}
	EXPECT_TRUE(stays(&t[0]));
	/* a second task that executes thread 0 */
	ASSERT_TRUE(suspend(&t[1], &self->two, 0, &waits[1]));
	EXPECT_TRUE(stays(&t[1]));
	ASSERT_EQ(0, exec_one(&self->two, i_arrive(A)));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, exec_thread_join(&t[i]));
		EXPECT_EQ(1, t[i].args.retired);
		EXPECT_EQ(1, waits[i].result);
	}
}

TEST_F(deadlock, none_while_a_wait_has_a_time_limit)
{
	struct drm_vsm_insn waits[] = {
		i_try_parity_unlimited(A, 0), i_try_parity(B, 0, 50000000),
	};
	struct exec_thread t[2];
	int i;

	/*
	 * The instruction's hint limits the wait in the first round, the device's limit in the
	 * second.
	 */
	for (i = 0; i < 2; i++) {
		struct drm_vsm_exec args = untimed(&self->two, 0, 1, &waits[1], 1);

		ASSERT_TRUE(suspend(&t[0], &self->two, 0, &waits[0]));
		if (i) {
			waits[1] = i_try_parity_unlimited(B, 0);
			args.flags = 0;
		}
		EXPECT_EQ(0, vsm_exec(self->two.fd, &args));
		EXPECT_EQ(1, args.retired);
		EXPECT_EQ(0, waits[1].result);
		/* The thread whose wait had a limit runs again. There is still no deadlock. */
		EXPECT_TRUE(stays(&t[0]));
		waits[1] = i_try_parity_unlimited(B, 0);
		ASSERT_EQ(0, exec_thread_run(&t[1], &self->two,
					     untimed(&self->two, 0, 1, &waits[1], 1)));
		EXPECT_DEADLOCK(&t[0], 2);
		EXPECT_DEADLOCK(&t[1], 2);
	}
}

TEST_F(deadlock, none_while_a_wait_is_armed)
{
	struct drm_vsm_insn wait = i_try_parity_unlimited(A, 0);
	struct drm_vsm_wait_record record;
	struct exec_thread t;
	int i, set;

	for (i = 0; i < 4; i++) {
		struct drm_vsm_wait armed[] = {
			wait_parity(&self->c, B, 0, i == 1 ? now_ns() + 20000000 : -1, 1),
			wait_parity(&self->c, C, 0, -1, 2),
		};

		set = waitset_create(self->c.fd, 0);
		ASSERT_EQ(0, waitset_arm(self->c.fd, set, armed, 2, NULL));
		ASSERT_TRUE(suspend(&t, &self->c, 0, &wait));
		ASSERT_EQ(0, waitset_cancel(self->c.fd, set, armed[1].id));
		EXPECT_TRUE(stays(&t));
		switch (i) {
		case 0:
			ASSERT_EQ(0, waitset_cancel(self->c.fd, set, armed[0].id));
			break;
		case 1:		/* expires; the reader of its record wakes no thread */
			ASSERT_EQ(1, waitset_read(set, &record));
			EXPECT_EQ(DRM_VSM_WAIT_EXPIRED, record.status);
			break;
		case 2:
			close(set);
			break;
		case 3:		/* completes */
			ASSERT_EQ(0, exec_one(&self->c, i_arrive(B)));
			ASSERT_EQ(1, waitset_read(set, &record));
			EXPECT_EQ(DRM_VSM_WAIT_COMPLETE, record.status);
			break;
		}
		EXPECT_DEADLOCK(&t, 1);
		if (i != 2)
			close(set);
	}
	/* A wait armed on another cluster does not prevent the deadlock. */
	set = waitset_create(self->c.fd, 0);
	ASSERT_EQ(0, waitset_arm(self->c.fd, set,
				 (struct drm_vsm_wait[]){ wait_parity(&self->two, B, 0, -1, 1) },
				 1, NULL));
	ASSERT_EQ(0, exec_thread_run(&t, &self->c, untimed(&self->c, 0, 0, &wait, 1)));
	EXPECT_DEADLOCK(&t, 1);
	close(set);
}

/* The task that reads the record then wakes the suspended thread with an arrive. */
TEST_F(deadlock, none_when_the_reader_of_a_record_wakes_the_thread)
{
	int i, set = waitset_create(self->c.fd, 0), rounds = repeat(200);

	for (i = 0; i < rounds; i++) {
		struct drm_vsm_insn wait = i_try_parity_unlimited(A, i % 2);
		struct drm_vsm_wait armed = wait_parity(&self->c, B, 0, now_ns() + 100000, 1);
		struct drm_vsm_wait_record record;
		struct exec_thread t;

		ASSERT_EQ(0, waitset_arm(self->c.fd, set, &armed, 1, NULL));
		ASSERT_EQ(0, waitset_arm(self->c.fd, set, &armed, 1, NULL));
		ASSERT_EQ(0, exec_thread_run(&t, &self->c, untimed(&self->c, 0, 0, &wait, 1)));
		ASSERT_EQ(1, waitset_read(set, &record));
		ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
		ASSERT_EQ(1, waitset_read(set, &record));
		ASSERT_EQ(0, exec_thread_join(&t));
		ASSERT_EQ(1, wait.result);
	}
	close(set);
}

TEST_F(deadlock, none_while_a_job_is_queued)
{
	struct drm_vsm_insn job, wait = i_try_parity_unlimited(A, 0);
	struct exec_thread t;
	struct hold hold;
	int i;

	for (i = 0; i < 2; i++) {
		uint32_t in;

		if (hold_init(&hold) == -ENODEV)
			SKIP(return, "needs vgem");
		in = syncobj_import(self->c.fd, hold.file);
		job = i_sink(i_arrive(i ? A : B));
		ASSERT_EQ(0, submit_sync(&self->c, &job, 1, in, 0));
		ASSERT_TRUE(suspend(&t, &self->c, 0, &wait));
		EXPECT_TRUE(stays(&t));
		ASSERT_EQ(0, hold_release(&hold));
		if (i) {
			EXPECT_EQ(0, exec_thread_join(&t));
			EXPECT_EQ(1, wait.result);
		} else {
			EXPECT_DEADLOCK(&t, 1);
		}
	}
}

TEST_F(deadlock, none_while_a_job_is_queued_that_its_client_s_end_cancels)
{
	struct drm_vsm_insn job = i_sink(i_arrive(A)), wait = i_try_parity_unlimited(A, 0);
	struct cluster other;
	struct exec_thread t;
	struct hold hold;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	ASSERT_EQ(0, cluster_share(&other, vsm_open(), &self->c));
	ASSERT_EQ(0, submit_sync(&other, &job, 1, syncobj_import(other.fd, hold.file), 0));
	ASSERT_TRUE(suspend(&t, &self->c, 0, &wait));
	EXPECT_TRUE(stays(&t));
	munmap(other.map, other.size);
	close(other.fd);
	EXPECT_DEADLOCK(&t, 1);
	ASSERT_EQ(0, hold_release(&hold));
}

TEST_F(deadlock, none_while_an_asynchronous_operation_is_in_flight)
{
	struct drm_vsm_insn wait = i_try_parity_unlimited(A, 0);
	struct drm_vsm_insn work[] = {
		i_cp_async(DATA, 8, self->b.handle, 0), i_cp_arrive(B), i_noinc(i_cp_arrive(A)),
	};
	struct exec_thread t;
	uint32_t i;

	for (i = 0; i < ITEMS(work); i++) {
		ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_one(&self->c, work[i]));
		ASSERT_TRUE(suspend(&t, &self->c, 0, &wait));
		EXPECT_TRUE(stays(&t));
		ASSERT_EQ(0, cluster_hold(&self->c, 0));
		if (i == 2) {
			EXPECT_EQ(0, exec_thread_join(&t));
			EXPECT_EQ(1, wait.result);
		} else {
			EXPECT_DEADLOCK(&t, 1);
		}
	}
}

TEST_F(deadlock, none_while_another_client_s_operation_is_in_flight)
{
	struct drm_vsm_insn wait = i_try_parity_unlimited(A, 0);
	struct cluster other;
	struct exec_thread t;
	int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, cluster_share(&other, vsm_open(), &self->c));
		ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_one(&other, i_cp_arrive(B)));
		ASSERT_TRUE(suspend(&t, &self->c, 0, &wait));
		EXPECT_TRUE(stays(&t));
		munmap(other.map, other.size);
		if (i)		/* drop the operation with its client, or complete it */
			close(other.fd);
		else
			ASSERT_EQ(0, cluster_hold(&self->c, 0));
		EXPECT_DEADLOCK(&t, 1);
		if (!i)
			close(other.fd);
	}
}

/* --- two tasks, one thread ------------------------------------------------- */

TEST_F(deadlock, two_tasks_of_one_thread_count_as_one_thread)
{
	struct drm_vsm_insn waits[3];
	struct exec_thread t[3];
	int i, round;

	for (round = 0; round < 5; round++) {
		for (i = 0; i < 3; i++)
			waits[i] = i_try_parity_unlimited(i % 2 ? B : A, 0);
		ASSERT_TRUE(suspend(&t[0], &self->two, 0, &waits[0]));
		ASSERT_TRUE(suspend(&t[1], &self->two, 0, &waits[1]));
		EXPECT_TRUE(stays(&t[0]));
		EXPECT_TRUE(stays(&t[1]));
		ASSERT_EQ(0, exec_thread_run(&t[2], &self->two,
					     untimed(&self->two, 0, 1, &waits[2], 1)));
		for (i = 0; i < 3; i++)
			EXPECT_DEADLOCK(&t[i], 2);
	}
}

/* The thread counts as suspended until the last of its tasks runs again. */
TEST_F(deadlock, a_thread_is_suspended_while_one_of_its_two_tasks_is)
{
	struct drm_vsm_insn first = i_try_parity_unlimited(A, 0);
	struct drm_vsm_insn second = i_try_parity_unlimited(B, 0);
	struct drm_vsm_insn last = i_try_parity_unlimited(B, 0);
	struct exec_thread t[3];

	ASSERT_TRUE(suspend(&t[0], &self->two, 0, &first));
	ASSERT_TRUE(suspend(&t[1], &self->two, 0, &second));
	ASSERT_EQ(0, exec_one(&self->two, i_arrive(A)));
	EXPECT_EQ(0, exec_thread_join(&t[0]));
	EXPECT_EQ(1, first.result);
	EXPECT_TRUE(stays(&t[1]));
	ASSERT_EQ(0, exec_thread_run(&t[2], &self->two, untimed(&self->two, 0, 1, &last, 1)));
	EXPECT_DEADLOCK(&t[1], 2);
	EXPECT_DEADLOCK(&t[2], 2);
}

/* Only untimed waits end with DEADLOCK. */
TEST_F(deadlock, a_wait_with_a_time_limit_goes_on)
{
	struct drm_vsm_insn limited = i_try_parity(A, 0, LONG_HINT);
	struct drm_vsm_insn wait = i_try_parity_unlimited(A, 0);
	struct exec_thread t, other;

	ASSERT_TRUE(suspend_as(&other, &self->c, 0, 0, 0, &limited, 1));
	ASSERT_EQ(0, exec_thread_run(&t, &self->c, untimed(&self->c, 0, 0, &wait, 1)));
	EXPECT_DEADLOCK(&t, 1);
	EXPECT_TRUE(stays(&other));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(0, exec_thread_join(&other));
	EXPECT_EQ(1, limited.result);
}

TEST_HARNESS_MAIN
