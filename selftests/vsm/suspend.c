// SPDX-License-Identifier: GPL-2.0-only
/*
 * A try_wait suspends its caller until the phase completes or its time limit passes. Signals must
 * not make a program lose or repeat an instruction, and must not restart the limit.
 */
#include <sys/time.h>

#include "vsm_test.h"

#define A AT(0, 0x40)		/* the mbarrier for which the tests wait */
#define B AT(0, 0x800)		/* counts arrivals */
#define MANY 1000000
#define MS 1000000

FIXTURE(suspend)
{
	struct cluster c;
};

FIXTURE_SETUP(suspend)
{
	ASSERT_EQ(0, cluster_open_plain(&self->c, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(B, MANY)));
	ASSERT_EQ(0, exec_one(&self->c, i_fence()));
}

FIXTURE_TEARDOWN(suspend)
{
	/* No test leaves a waiter behind: otherwise inval would fail. */
	EXPECT_EQ(0, exec_one(&self->c, i_inval(A)));
	EXPECT_EQ(0, cluster_close(&self->c));
}

static uint32_t arrivals(const struct cluster *c)
{
	return MANY - vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(c, B));
}

TEST_F(suspend, completion_by_any_operation_wakes)
{
	const struct {
		uint32_t cta;
		struct drm_vsm_insn prepare, complete;
	} ways[] = {
		{ 0, i_expect_tx(A, 0), i_arrive(A) },
		{ 0, i_expect_tx(A, 0), i_sink(i_arrive(A)) },
		{ 0, i_expect_tx(A, 0), i_arrive_n(A, 1) },
		{ 0, i_expect_tx(A, 0), i_arrive_expect_tx(A, 0) },
		{ 0, i_arrive_expect_tx(A, 64), i_complete_tx(A, 64) },
		{ 1, i_expect_tx(A, 0), i_sink(i_arrive(A)) },
		{ 2, i_arrive_expect_tx(A, 64), i_complete_tx(A, 64) },
	};
	size_t i;

	for (i = 0; i < ITEMS(ways); i++) {
		struct drm_vsm_insn stream[] = { i_try_parity(A, i % 2, LONG_HINT),
						 i_sink(i_arrive(B)) };
		struct exec_thread t;

		ASSERT_EQ(0, exec_one(&self->c, ways[i].prepare));
		ASSERT_TRUE(suspend_as(&t, &self->c, 0, 0, 0, stream, 2));
		EXPECT_FALSE(atomic_load(&t.done));
		EXPECT_EQ(i, arrivals(&self->c));
		ASSERT_EQ(0, exec_at(&self->c, ways[i].cta, ways[i].complete, NULL));
		EXPECT_EQ(0, exec_thread_join(&t));
		EXPECT_EQ(2, t.args.retired);
		EXPECT_EQ(0, t.args.deadline);
		EXPECT_EQ(1, stream[0].result);
		EXPECT_EQ(0, stream[0].fault);
		EXPECT_EQ(i + 1, arrivals(&self->c));
	}
}

TEST_F(suspend, a_drop_that_completes_wakes_a_wait_by_token)
{
	struct drm_vsm_insn wait;
	struct exec_thread t;

	ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 2)));
	wait = i_try_wait(A, exec_result(&self->c, i_arrive(A)), LONG_HINT);
	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 0, 0, &wait, 1));
	ASSERT_EQ(0, exec_one(&self->c, i_drop(i_arrive(A))));
	EXPECT_EQ(0, exec_thread_join(&t));
	EXPECT_EQ(1, wait.result);
}

/* Starts a wait without a limit, because starting many tasks may take long. */
static int start_untimed(struct exec_thread *t, const struct cluster *c,
			 struct drm_vsm_insn *wait, uint32_t addr)
{
	struct drm_vsm_exec args = exec_args(c, wait, 1);

	*wait = i_try_parity_unlimited(addr, 0);
	args.flags = DRM_VSM_EXEC_NO_LIMIT;
	return exec_thread_run(t, c, args);
}

TEST_F(suspend, all_waiters_of_a_phase_wake_and_no_others)
{
	struct exec_thread t[40], other;
	struct drm_vsm_insn waits[40], wait;
	int i;

	ASSERT_EQ(0, exec_one(&self->c, i_init(AT(0, 0x48), 1)));
	ASSERT_EQ(0, start_untimed(&other, &self->c, &wait, AT(0, 0x48)));
	for (i = 0; i < 40; i++)
		ASSERT_EQ(0, start_untimed(&t[i], &self->c, &waits[i], A));
	for (i = 0; i < 40; i++)
		ASSERT_TRUE(exec_thread_suspended(&t[i]));
	ASSERT_TRUE(exec_thread_suspended(&other));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	for (i = 0; i < 40; i++) {
		EXPECT_EQ(0, exec_thread_join(&t[i]));
		EXPECT_EQ(1, waits[i].result);
	}
	EXPECT_FALSE(atomic_load(&other.done));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(AT(0, 0x48))));
	EXPECT_EQ(0, exec_thread_join(&other));
	EXPECT_EQ(1, wait.result);
}

TEST_F(suspend, the_hint_is_the_time_limit_and_false_ends_the_call)
{
	struct drm_vsm_insn stream[] = {
		i_arrive(B), i_try_parity(A, 0, 30 * MS), i_arrive(B), i_try_parity(A, 0, 0),
		i_arrive(B),
	};
	struct drm_vsm_exec args = exec_args(&self->c, stream, 5);
	int64_t start = now_ns();

	insn_poison(stream, 5);
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_LE(30 * MS, now_ns() - start);
	EXPECT_EQ(2, args.retired);
	EXPECT_EQ(0, args.deadline);
	EXPECT_EQ(0, stream[1].result);
	EXPECT_EQ(0, stream[1].fault);
	EXPECT_TRUE(insn_untouched(&stream[2]));
	EXPECT_EQ(1, arrivals(&self->c));

	/* A wait with a limit of 0 is never suspended. */
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(4, args.retired);
	EXPECT_EQ(0, args.deadline);
	EXPECT_EQ(0, stream[3].result);
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(5, args.retired);
	EXPECT_EQ(3, arrivals(&self->c));
}

TEST_F(suspend, each_of_several_limits_of_a_word_counts)
{
	const int64_t limits[] = { 60000LL * MS, 100 * MS, 300 * MS };
	struct drm_vsm_insn waits[3];
	struct exec_thread t[3];
	int i;

	/* The waits have different limits. Each limit ends only its own wait. */
	for (i = 0; i < 3; i++) {
		struct drm_vsm_exec args = exec_args(&self->c, &waits[i], 1);

		waits[i] = i_try_parity(A, 0, LONG_HINT);
		args.deadline = now_ns() + limits[i];
		ASSERT_EQ(0, exec_thread_run(&t[i], &self->c, args));
	}
	for (i = 1; i < 3; i++) {
		EXPECT_EQ(0, exec_thread_join(&t[i]));
		EXPECT_EQ(0, waits[i].result);
	}
	EXPECT_FALSE(atomic_load(&t[0].done));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(0, exec_thread_join(&t[0]));
	EXPECT_EQ(1, waits[0].result);
}

TEST_F(suspend, without_a_hint_the_device_s_limit_counts)
{
	uint64_t limit = vsm_info(self->c.fd).try_wait_limit_ns;
	struct drm_vsm_insn wait = i_try_parity_unlimited(A, 0);
	struct drm_vsm_exec args = exec_args(&self->c, &wait, 1);
	int64_t start = now_ns();

	ASSERT_LT(0, limit);
	ASSERT_GE(10 * SECOND, limit);
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_LE(limit, now_ns() - start);
	EXPECT_EQ(1, args.retired);
	EXPECT_EQ(0, wait.result);
	EXPECT_EQ(0, args.deadline);
}

TEST_F(suspend, a_wait_that_is_executed_again_gets_a_new_limit)
{
	struct drm_vsm_insn wait = i_try_parity(A, 0, 20 * MS);
	struct drm_vsm_exec args = exec_args(&self->c, &wait, 1);
	int64_t start = now_ns();

	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(1, args.retired);
	args.retired = 0;
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(1, args.retired);
	EXPECT_LE(40 * MS, now_ns() - start);
}

/*
 * A call with a deadline continues a wait, as a program does after EINTR. This test needs no signal
 * to do so.
 */
TEST_F(suspend, a_deadline_brought_along_is_kept)
{
	struct drm_vsm_insn wait = i_try_parity(A, 0, 1);
	struct drm_vsm_exec args = exec_args(&self->c, &wait, 1);
	int64_t start = now_ns();

	args.deadline = start + 50 * MS;
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_LE(start + 50 * MS, now_ns());
	EXPECT_EQ(1, args.retired);
	EXPECT_EQ(0, args.deadline);

	wait = i_try_parity(A, 0, LONG_HINT);
	args.retired = 0;
	args.deadline = 1;	/* long ago */
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(1, args.retired);
	EXPECT_EQ(0, wait.result);
}

/* --- signals during a wait ------------------------------------------------ */

static struct drm_vsm_exec *watched;
static volatile int64_t first_deadline;
static volatile sig_atomic_t signals, deadline_changes;

static void on_signal(int signum)
{
	int64_t deadline = watched->deadline;

	signals++;
	if (!deadline)
		return;
	if (first_deadline && first_deadline != deadline)
		deadline_changes++;
	first_deadline = deadline;
}

struct storm {
	pthread_t target;
	atomic_bool stop;
	pthread_t thread;
};

static void *storm_main(void *arg)
{
	struct storm *s = arg;

	while (!atomic_load(&s->stop)) {
		pthread_kill(s->target, SIGUSR1);
		sched_yield();
	}
	return NULL;
}

TEST_F(suspend, a_signal_interrupts_and_the_same_call_goes_on)
{
	struct drm_vsm_insn stream[] = { i_arrive(B), i_try_parity(A, 0, 200 * MS), i_arrive(B) };
	struct itimerval timer = { .it_interval.tv_usec = 3000, .it_value.tv_usec = 1000 };
	struct drm_vsm_exec args = exec_args(&self->c, stream, 3);
	int64_t deadline = 0;
	int ret, eintr = 0;

	watched = &args;
	catch_signal(SIGALRM, on_signal, 0);
	insn_poison(stream, 3);
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &timer, NULL));
	while ((ret = vsm_exec(self->c.fd, &args)) == -EINTR) {
		EXPECT_EQ(1, args.retired);
		EXPECT_EQ(1, arrivals(&self->c));
		EXPECT_TRUE(insn_untouched(&stream[1]));
		/* The first call has set the deadline. */
		EXPECT_LT(0, args.deadline);
		EXPECT_TRUE(!deadline || deadline == args.deadline);
		deadline = args.deadline;
		eintr++;
	}
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	EXPECT_EQ(0, ret);
	EXPECT_LT(0, eintr);
	EXPECT_LE(deadline, now_ns());
	EXPECT_EQ(2, args.retired);
	EXPECT_EQ(0, args.deadline);
	EXPECT_EQ(0, stream[1].result);
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	EXPECT_EQ(2, arrivals(&self->c));
}

TEST_F(suspend, a_restarted_call_does_not_restart_its_limit)
{
	struct itimerval timer = { .it_interval.tv_usec = 3000, .it_value.tv_usec = 1000 };
	struct drm_vsm_insn stream[] = { i_arrive(B), i_try_parity(A, 0, 200 * MS) };
	struct drm_vsm_exec args = exec_args(&self->c, stream, 2);

	watched = &args;
	catch_signal(SIGALRM, on_signal, SA_RESTART);
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &timer, NULL));
	/*
	 * If signals restarted the limit, the call would never return, because they come more often
	 * than that.
	 */
	EXPECT_EQ(0, vsm_exec(self->c.fd, &args));
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	EXPECT_LT(1, signals);
	EXPECT_EQ(0, deadline_changes);
	EXPECT_LE(first_deadline, now_ns());
	EXPECT_EQ(2, args.retired);
	EXPECT_EQ(0, stream[1].result);
	EXPECT_EQ(1, arrivals(&self->c));
}

static void run_storm(struct __test_metadata *_metadata, const struct cluster *c, int flags)
{
	enum { PAIRS = 300 };
	static struct drm_vsm_insn stream[2 * PAIRS];
	struct drm_vsm_exec args = exec_args(c, stream, 2 * PAIRS);
	struct storm storm = { .target = pthread_self() };
	int i, ret;

	for (i = 0; i < PAIRS; i++) {
		stream[2 * i] = i_arrive(B);
		stream[2 * i + 1] = i_try_parity(A, 0, 1 * MS);
	}
	watched = &args;
	catch_signal(SIGUSR1, on_signal, flags);
	ASSERT_EQ(0, pthread_create(&storm.thread, NULL, storm_main, &storm));
	while (args.retired < args.count) {
		ret = vsm_exec(c->fd, &args);
		if (ret != -EINTR || flags)
			ASSERT_EQ(0, ret);
		ASSERT_EQ((args.retired + 1) / 2, arrivals(c));
	}
	atomic_store(&storm.stop, true);
	pthread_join(storm.thread, NULL);
	EXPECT_EQ(PAIRS, arrivals(c));
	EXPECT_LT(0, signals);
	for (i = 0; i < PAIRS; i++)
		EXPECT_EQ(0, stream[2 * i + 1].result);
}

TEST_F(suspend, a_storm_of_signals_loses_and_repeats_nothing)
{
	run_storm(_metadata, &self->c, 0);
}

TEST_F(suspend, a_storm_of_restarting_signals_loses_and_repeats_nothing)
{
	run_storm(_metadata, &self->c, SA_RESTART);
}

/*
 * The phase completes when the signal arrives. The task gets True at once, or EINTR and then True
 * from the next call.
 */
TEST_F(suspend, a_completion_races_with_a_signal_and_is_not_lost)
{
	struct exec_thread t;
	int i;

	watched = &t.args;
	catch_signal(SIGUSR1, on_signal, 0);
	for (i = 0; i < 300; i++) {
		struct drm_vsm_insn wait = i_try_parity(A, i % 2, LONG_HINT);

		ASSERT_EQ(0, exec_thread_start(&t, &self->c, &wait, 1));
		if (i % 3)
			ASSERT_TRUE(exec_thread_suspended(&t));
		pthread_kill(t.thread, SIGUSR1);
		ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
		if (exec_thread_join(&t) == -EINTR)
			t.ret = vsm_exec(self->c.fd, &t.args);
		ASSERT_EQ(0, t.ret);
		ASSERT_EQ(1, t.args.retired);
		ASSERT_EQ(1, wait.result);
	}
}

/* --- stopped and killed processes ----------------------------------------- */

/* Starts a child process that executes a stream. It exits with 0 if the stream succeeds. */
static pid_t child_exec(const struct cluster *c, struct drm_vsm_insn *stream, uint32_t count)
{
	pid_t pid = fork_child();
	struct drm_vsm_exec args;

	if (pid)
		return pid;
	args = exec_args(c, stream, count);
	_exit(vsm_exec(c->fd, &args) ? 1 : args.retired != count ? 2 : !stream[count - 2].result);
}

TEST_F(suspend, a_stopped_and_continued_task_waits_again)
{
	struct drm_vsm_insn stream[] = { i_arrive(B), i_try_parity(A, 0, LONG_HINT), i_arrive(B) };
	pid_t pid = child_exec(&self->c, stream, 3);
	int i, status;

	ASSERT_LT(0, pid);
	for (i = 0; i < 5; i++) {
		ASSERT_TRUE(wait_until_blocked(pid, pid, SYS_ioctl));
		ASSERT_EQ(0, kill(pid, SIGSTOP));
		ASSERT_EQ(pid, waitpid(pid, &status, WUNTRACED));
		ASSERT_TRUE(WIFSTOPPED(status));
		EXPECT_EQ(1, arrivals(&self->c));
		if (i == 4)	/* let the phase complete while the task is stopped */
			ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
		ASSERT_EQ(0, kill(pid, SIGCONT));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status));
	EXPECT_EQ(2, arrivals(&self->c));
}

TEST_F(suspend, a_killed_task_leaves_no_waiter)
{
	struct drm_vsm_insn stream[] = { i_arrive(B), i_try_parity(A, 0, LONG_HINT), i_arrive(B) };
	int i, status;

	for (i = 0; i < 20; i++) {
		pid_t pid = child_exec(&self->c, stream, 3);

		ASSERT_LT(0, pid);
		if (i % 2)
			ASSERT_TRUE(wait_until_blocked(pid, pid, SYS_ioctl));
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		/* The killed task has left no waiter: otherwise inval would be refused. */
		ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
		ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	}
	EXPECT_GE(20, arrivals(&self->c));
	EXPECT_LE(10, arrivals(&self->c));
}

TEST_F(suspend, unmapping_and_closing_do_not_end_it)
{
	struct drm_vsm_insn *stream =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct cluster c;
	struct exec_thread t;
	int dmabuf, second = vsm_open();
	uint32_t handle;

	/* Two files have the same cluster. The first one is closed while its call is suspended. */
	ASSERT_EQ(0, cluster_create(&c, vsm_open(), VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
	ASSERT_EQ(0, drmPrimeHandleToFD(c.fd, c.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	ASSERT_EQ(0, drmPrimeFDToHandle(second, dmabuf, &handle));
	close(dmabuf);

	stream[0] = i_try_parity(A, 0, LONG_HINT);
	ASSERT_TRUE(suspend_as(&t, &c, 0, 0, 0, stream, 1));
	ASSERT_EQ(0, cluster_destroy(&c));
	ASSERT_EQ(0, close(c.fd));
	c.fd = second;
	c.handle = handle;
	EXPECT_FALSE(atomic_load(&t.done));
	ASSERT_EQ(0, exec_one(&c, i_arrive(A)));
	EXPECT_EQ(0, exec_thread_join(&t));
	EXPECT_EQ(1, stream[0].result);
	close(second);
}

/*
 * User space completes a phase by a store, which wakes no waiter. The waiters see the phase when
 * their time is up.
 */
TEST_F(suspend, a_wait_whose_time_is_up_looks_at_the_word_once_more)
{
	struct drm_vsm_insn wait = i_try_parity(A, 0, LONG_HINT);
	int set = waitset_create(self->c.fd, 0);
	struct drm_vsm_wait armed;
	struct exec_thread t;

	ASSERT_LE(0, set);
	armed = wait_parity(&self->c, A, 0, now_ns() + LONG_HINT, 0);
	ASSERT_EQ(0, waitset_arm(self->c.fd, set, &armed, 1, NULL));
	ASSERT_TRUE(suspend_as(&t, &self->c, 0, 0, 0, &wait, 1));
	atomic_fetch_xor(word_at(&self->c, A), VSM_MBARRIER_PHASE);
	ASSERT_EQ(0, exec_thread_join(&t));
	EXPECT_EQ(1, wait.result);
	ASSERT_EQ(1, record_is(set, 0, DRM_VSM_WAIT_COMPLETE, 0));
	close(set);
}

TEST_HARNESS_MAIN
