// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread that has executed an instruction of a rendezvous has arrived. Its arrival stays when a
 * signal interrupts the task that executes the thread, or when the task is stopped or killed. The
 * wait ends with an error if the cluster or the device is lost.
 */
#include <sys/time.h>

#include "driver.h"
#include "rendezvous.h"

#define A AT(0, 0x40)

static volatile sig_atomic_t signals;

static void on_signal(int signum)
{
	signals++;
}

/* Executes an instruction as thread 0 until a signal interrupts the task. */
static int interrupted(struct exec_thread *t, const struct cluster *c, struct drm_vsm_insn *insn)
{
	if (!suspend_as(t, c, 0, 0, 0, insn, 1))
		return -ETIME;
	pthread_kill(t->thread, SIGUSR1);
	return exec_thread_join(t);
}

FIXTURE(meet)
{
	struct cluster c;	/* cluster for one kind of rendezvous */
};

FIXTURE_SETUP(meet)
{
	catch_signal(SIGUSR1, on_signal, 0);
}

FIXTURE_TEARDOWN(meet) {}

/* Creates a small cluster for the kind @m. Returns @m, or NULL if @m is the end of the list. */
static const struct rv_kind *visit(struct __test_metadata *_metadata, struct cluster *c,
				   const struct rv_kind *m, uint32_t policy)
{
	if (!m->name)
		return NULL;
	EXPECT_EQ(0, small_cluster_create(c, m, policy)) TH_LOG("%s", m->name);
	return m;
}

/* Runs its body once for each kind of rendezvous, in a small cluster of its own. */
#define for_each_kind(m, policy) \
	for ((m) = rv_kinds(); ((m) = visit(_metadata, &self->c, m, policy)); \
	     (m)++, rv_destroy(&self->c))

/* --- signals during a rendezvous -------------------------------------------- */

TEST_F(meet, an_interrupted_thread_has_arrived_and_takes_the_result_later)
{
	const struct rv_kind *m;

	for_each_kind(m, DRM_VSM_POLICY_STRICT) {
		struct drm_vsm_insn insn = m->insn;
		struct exec_thread t;

		EXPECT_EQ(-EINTR, interrupted(&t, &self->c, &insn)) TH_LOG("%s", m->name);
		EXPECT_EQ(0, t.args.retired);
		EXPECT_EQ(0, t.args.deadline);
		EXPECT_TRUE(insn_untouched(&insn));
		/* The other threads continue while no task executes thread 0. */
		ASSERT_EQ(0, others_execute(&self->c, m)) TH_LOG("%s", m->name);
		EXPECT_EQ(0, vsm_exec(self->c.fd, &t.args)) TH_LOG("%s", m->name);
		EXPECT_TRUE(stream_retired(&t.args));
		EXPECT_EQ(m->result, insn.result) TH_LOG("%s", m->name);
		EXPECT_EQ(0, poll_events(self->c.fd));
	}
}

TEST_F(meet, an_interrupted_call_can_be_repeated_and_waits_again)
{
	const struct rv_kind *m;

	for_each_kind(m, DRM_VSM_POLICY_STRICT) {
		struct drm_vsm_insn insn = m->insn;
		struct exec_thread t;
		int i;

		for (i = 0; i < 4; i++) {
			ASSERT_EQ(-EINTR, interrupted(&t, &self->c, &insn));
			EXPECT_TRUE(insn_untouched(&insn));
		}
		ASSERT_TRUE(suspend_as(&t, &self->c, 0, 0, 0, &insn, 1));
		EXPECT_TRUE(stays_suspended(&t)) TH_LOG("%s", m->name);
		ASSERT_EQ(0, others_execute(&self->c, m)) TH_LOG("%s", m->name);
		EXPECT_EQ(0, rv_join(&t));
		EXPECT_EQ(m->result, insn.result) TH_LOG("%s", m->name);
	}
}

TEST_F(meet, a_signal_that_restarts_is_not_noticed)
{
	const struct rv_kind *m;

	catch_signal(SIGUSR1, on_signal, SA_RESTART);
	for_each_kind(m, DRM_VSM_POLICY_STRICT) {
		struct drm_vsm_insn insn = m->insn;
		struct exec_thread t;
		int i;

		ASSERT_TRUE(suspend_as(&t, &self->c, 0, 0, 0, &insn, 1));
		for (i = 0; i < 50; i++) {
			pthread_kill(t.thread, SIGUSR1);
			if (i % 8 == 0)
				ASSERT_TRUE(exec_thread_suspended(&t));
		}
		EXPECT_FALSE(atomic_load(&t.done)) TH_LOG("%s", m->name);
		ASSERT_EQ(0, others_execute(&self->c, m)) TH_LOG("%s", m->name);
		EXPECT_EQ(0, rv_join(&t));
		EXPECT_EQ(m->result, insn.result) TH_LOG("%s", m->name);
	}
	EXPECT_LT(0, signals);
}

/* The task gets the result at once, or gets EINTR and then the result from the next call. */
TEST_F(meet, a_signal_races_with_the_last_arrival)
{
	int i, rounds = repeat(300), interruptions = 0;
	struct cluster c;

	ASSERT_EQ(0, rv_create(&c, 1, 2, DRM_VSM_POLICY_STRICT));
	for (i = 0; i < rounds; i++) {
		struct drm_vsm_insn insn = i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, i, 3);
		struct exec_thread t;
		uint64_t sum;

		ASSERT_EQ(0, exec_thread_run(&t, &c, play_args(&c, 0, 0, 0, &insn, 1)));
		if (i % 3)
			ASSERT_TRUE(exec_thread_suspended(&t));
		pthread_kill(t.thread, SIGUSR1);
		/* In some rounds wait until the signal has interrupted the task. */
		while (i % 9 == 8 && !atomic_load(&t.done))
			sched_yield();
		ASSERT_EQ(0, play_one(&c, 0, 1, 0, i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 1, 3),
				      &sum));
		EXPECT_EQ(i + 1, sum);
		if (exec_thread_join(&t) == -EINTR) {
			interruptions++;
			t.ret = vsm_exec(c.fd, &t.args);
		}
		ASSERT_EQ(0, t.ret);
		ASSERT_TRUE(stream_retired(&t.args));
		ASSERT_EQ(i + 1, insn.result);
	}
	EXPECT_LT(0, interruptions);
	rv_destroy(&c);
}

/* If a signal interrupts a converged warp, all its threads stay in the instruction. */
TEST_F(meet, a_warp_is_interrupted_as_one)
{
	struct drm_vsm_insn insn = i_barrier_red(DRM_VSM_RED_POPC, 0, true);
	struct drm_vsm_exec args;
	struct cluster c;
	struct exec_thread t;
	uint64_t count;
	int i;

	ASSERT_EQ(0, rv_create(&c, 1, 64, DRM_VSM_POLICY_STRICT));
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(suspend_as(&t, &c, 0, 7, DRM_VSM_EXEC_WARP, &insn, 1));
		pthread_kill(t.thread, SIGUSR1);
		ASSERT_EQ(-EINTR, exec_thread_join(&t));
	}
	/*
	 * No thread of the warp can execute another instruction, or this instruction alone. Only
	 * the thread that executed the instruction for the warp can continue it.
	 */
	EXPECT_FAULT(THREAD_SUSPENDED, play_fault(&c, 0, 8, 0, i_warp_sync(1 << 8), NULL));
	EXPECT_FAULT(THREAD_SUSPENDED, play_fault(&c, 0, 7, 0, insn, NULL));
	EXPECT_FAULT(THREAD_SUSPENDED, play_fault(&c, 0, 8, DRM_VSM_EXEC_WARP, insn, NULL));
	ASSERT_EQ(0, play_one(&c, 0, 40, DRM_VSM_EXEC_WARP, insn, &count));
	EXPECT_EQ(64, count);
	args = play_args(&c, 0, 7, DRM_VSM_EXEC_WARP, &insn, 1);
	EXPECT_EQ(0, vsm_exec(c.fd, &args));
	EXPECT_EQ(64, insn.result);
	EXPECT_EQ(0, play_one(&c, 0, 8, 0, i_warp_sync(1 << 8), NULL));
	rv_destroy(&c);
}

/* --- another task or a wait set continues --------------------------------- */

enum {
	HEIR_TASK,	/* another task with the same device file */
	HEIR_FILE,	/* another file of the device; the first one is closed */
	HEIR_CHILD,	/* a child process with the inherited file */
	HEIR_WAITSET,	/* no task: an instruction that is armed */
	HEIRS,
};

/*
 * Starts a child process that executes an instruction of thread 0. It exits with 0 if it gets
 * @result.
 */
static pid_t child_plays(const struct cluster *c, struct drm_vsm_insn insn, uint64_t result)
{
	pid_t pid = fork_child();
	uint64_t got;

	if (!pid)
		_exit(play_one(c, 0, 0, 0, insn, &got) ? 1 : 2 * (got != result));
	return pid;
}

static bool child_ends_well(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void go_on(struct __test_metadata *_metadata, const struct cluster *c,
		  const struct rv_kind *m, int heir, bool after)
{
	int set = waitset_create(c->fd, 0);
	struct drm_vsm_wait_record record;
	struct drm_vsm_insn insn = m->insn;
	struct drm_vsm_wait wait = {
		.cluster = c->handle, .addr = DRM_VSM_WAIT_THREAD(0, 0),
		.state = (uintptr_t)&insn, .deadline = -1, .flags = DRM_VSM_WAIT_INSN,
	};
	struct exec_thread t;
	pid_t pid = 0;

	if (after)
		ASSERT_EQ(0, others_execute(c, m));
	if (heir == HEIR_CHILD) {
		pid = child_plays(c, m->insn, m->result);
		if (!after)
			ASSERT_TRUE(wait_until_blocked(pid, pid, SYS_ioctl));
	} else if (heir == HEIR_WAITSET) {
		ASSERT_EQ(0, waitset_arm(c->fd, set, &wait, 1, NULL));
	} else {
		ASSERT_EQ(0, exec_thread_run(&t, c, play_args(c, 0, 0, 0, &insn, 1)));
		if (!after)
			ASSERT_TRUE(exec_thread_suspended(&t));
	}
	if (!after)
		ASSERT_EQ(0, others_execute(c, m));
	if (heir == HEIR_CHILD) {
		EXPECT_TRUE(child_ends_well(pid));
	} else if (heir == HEIR_WAITSET) {
		ASSERT_EQ(1, waitset_read(set, &record));
		EXPECT_EQ(DRM_VSM_WAIT_COMPLETE, record.status);
		EXPECT_EQ(m->result, record.result);
	} else {
		EXPECT_EQ(0, rv_join(&t));
		EXPECT_EQ(m->result, insn.result);
	}
	close(set);
}

TEST_F(meet, another_player_continues_or_takes_the_result)
{
	const struct rv_kind *m;
	int heir, after;

	for (heir = 0; heir < HEIRS; heir++) {
		for (after = 0; after < 2; after++) {
			for_each_kind(m, DRM_VSM_POLICY_STRICT) {
				struct drm_vsm_insn insn = m->insn;
				struct exec_thread t;
				struct cluster other;

				ASSERT_EQ(-EINTR, interrupted(&t, &self->c, &insn));
				if (heir == HEIR_FILE) {
					ASSERT_EQ(0, cluster_share(&other, vsm_open(), &self->c));
					rv_destroy(&self->c);
					self->c = other;
				}
				go_on(_metadata, &self->c, m, heir, after);
			}
		}
	}
}

/* --- misuse by a suspended thread ------------------------------------------- */

/*
 * Expects that thread 0 waits in @in: every other rendezvous is refused, and all other instructions
 * work.
 */
static void expect_busy(struct __test_metadata *_metadata, const struct cluster *c,
			const struct rv_kind *in)
{
	const struct rv_kind *m;
	struct drm_vsm_insn rest[] = {
		i_arrive(A), i_test_parity(A, 0), i_try_parity(A, 0, 0), i_cp_arrive(A), i_commit(),
		i_wait_all(), i_fence(), i_bulk_commit(), i_bulk_wait(0),
	};
	struct drm_vsm_insn other;
	size_t i;

	for (m = rv_kinds(); m->name; m++)
		if (strcmp(in->name, m->name))
			EXPECT_FAULT(THREAD_SUSPENDED, play_fault(c, 0, 0, 0, m->insn, NULL))
				TH_LOG("%s in %s", m->name, in->name);
	/* The instruction of @in is also refused with another operand, and for the whole warp. */
	other = in->insn;
	if (other.op == DRM_VSM_OP_MATCH_SYNC || other.op == DRM_VSM_OP_SHFL_SYNC ||
	    other.op == DRM_VSM_OP_VOTE_SYNC)
		other.u.warp.a ^= 1;
	else if (other.op == DRM_VSM_OP_BARRIER_RED)
		other.u.barrier.pred ^= 1;
	else if (other.op < DRM_VSM_OP_BARRIER_SYNC)
		other.u.warp.membermask = 1;
	else
		other = i_aligned(other);
	EXPECT_FAULT(THREAD_SUSPENDED, play_fault(c, 0, 0, 0, other, NULL))
		TH_LOG("%s", in->name);
	EXPECT_EQ(DRM_VSM_FAULT_THREAD_SUSPENDED,
		  play_fault(c, 0, 0, DRM_VSM_EXEC_WARP, in->insn, NULL)) TH_LOG("%s", in->name);
	for (i = 0; i < ITEMS(rest); i++) {
		other = rest[i];
		EXPECT_EQ(0, play_one(c, 0, 0, 0, other, NULL))
			TH_LOG("operation %u in %s", other.op, in->name);
	}
	fault_drain(c->fd);
}

TEST_F(meet, a_thread_is_in_one_instruction_at_a_time)
{
	const struct rv_kind *m;

	for_each_kind(m, DRM_VSM_POLICY_STRICT) {
		struct drm_vsm_insn insn = m->insn;
		struct exec_thread t;

		ASSERT_EQ(0, exec_one(&self->c, i_init(A, 9)));
		ASSERT_TRUE(suspend_as(&t, &self->c, 0, 0, 0, &insn, 1));
		expect_busy(_metadata, &self->c, m);
		/*
		 * While a task executes the thread, no other task may continue its instruction or
		 * make it exit.
		 */
		EXPECT_EQ(DRM_VSM_FAULT_THREAD_SUSPENDED,
			  play_fault(&self->c, 0, 0, 0, m->insn, NULL)) TH_LOG("%s", m->name);
		EXPECT_EQ(DRM_VSM_FAULT_THREAD_SUSPENDED,
			  play_fault(&self->c, 0, 0, 0, i_exit(), NULL)) TH_LOG("%s", m->name);
		EXPECT_TRUE(stays_suspended(&t));
		pthread_kill(t.thread, SIGUSR1);
		ASSERT_EQ(-EINTR, exec_thread_join(&t));
		expect_busy(_metadata, &self->c, m);
		/* The rendezvous is complete, but thread 0 has not taken its result. */
		ASSERT_EQ(0, others_execute(&self->c, m)) TH_LOG("%s", m->name);
		EXPECT_EQ(DRM_VSM_FAULT_THREAD_SUSPENDED,
			  play_fault(&self->c, 0, 0, 0, i_match_any(1, 1), NULL));
		EXPECT_EQ(0, vsm_exec(self->c.fd, &t.args)) TH_LOG("%s", m->name);
		EXPECT_EQ(m->result, insn.result) TH_LOG("%s", m->name);
		EXPECT_EQ(0, play_one(&self->c, 0, 0, 0, i_match_any(1, 1), NULL));
	}
}

/* --- processes that are stopped, killed and end ------------------------------- */

TEST_F(meet, a_stopped_and_continued_task_waits_again)
{
	const struct rv_kind *m;

	for_each_kind(m, DRM_VSM_POLICY_STRICT) {
		pid_t pid = child_plays(&self->c, m->insn, m->result);
		int i, status;

		for (i = 0; i < 3; i++) {
			ASSERT_TRUE(wait_until_blocked(pid, pid, SYS_ioctl));
			ASSERT_EQ(0, kill(pid, SIGSTOP));
			ASSERT_EQ(pid, waitpid(pid, &status, WUNTRACED));
			ASSERT_TRUE(WIFSTOPPED(status));
			if (i == 2)	/* let the rendezvous complete while the task is stopped */
				ASSERT_EQ(0, others_execute(&self->c, m)) TH_LOG("%s", m->name);
			ASSERT_EQ(0, kill(pid, SIGCONT));
		}
		EXPECT_TRUE(child_ends_well(pid)) TH_LOG("%s", m->name);
	}
}

TEST_F(meet, the_thread_of_a_killed_task_has_arrived)
{
	const struct rv_kind *m;
	int round;

	for (round = 0; round < 3; round++) {
		for_each_kind(m, DRM_VSM_POLICY_STRICT) {
			pid_t pid = child_plays(&self->c, m->insn, m->result);
			uint64_t result;
			int status;

			ASSERT_TRUE(wait_until_blocked(pid, pid, SYS_ioctl));
			ASSERT_EQ(0, kill(pid, SIGKILL));
			ASSERT_EQ(pid, waitpid(pid, &status, 0));
			ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
			if (!round)	/* destroy the cluster while the thread waits in it */
				continue;
			ASSERT_EQ(0, others_execute(&self->c, m)) TH_LOG("%s", m->name);
			if (round == 1)	/* destroy the cluster with the result */
				continue;
			EXPECT_EQ(0, play_one(&self->c, 0, 0, 0, m->insn, &result));
			EXPECT_EQ(m->result, result) TH_LOG("%s", m->name);
		}
	}
}

/* Executes all threads of a warp except one, and writes a byte when all of them are suspended. */
static void warp_child(const struct cluster *c, int ready)
{
	static struct exec_thread t[LANES - 1];
	static struct drm_vsm_insn insns[LANES - 1];
	int i;

	for (i = 0; i < LANES - 1; i++) {
		insns[i] = i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 1, ALL_LANES);
		if (!suspend_as(&t[i], c, 0, i, 0, &insns[i], 1))
			_exit(1);
	}
	if (write(ready, "", 1) != 1)
		_exit(1);
	pause();
}

TEST_F(meet, a_process_of_many_threads_dies_in_it)
{
	int i, ready[2], status, rounds = repeat(20);
	struct cluster c;
	uint64_t sum;
	char byte;

	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, rv_create(&c, 1, 32, DRM_VSM_POLICY_STRICT));
	for (i = 0; i < rounds; i++) {
		struct drm_vsm_insn insn = i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 1, ALL_LANES);
		pid_t pid = fork_child();

		if (!pid)
			warp_child(&c, ready[1]);
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		ASSERT_EQ(0, kill(pid, SIGKILL));
		if (i % 2)
			ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, play_one(&c, 0, 31, 0, insn, &sum));
		EXPECT_EQ(32, sum);
		if (i % 2 == 0)
			ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_TRUE(WIFSIGNALED(status));
		/* The results of the killed threads are still available. */
		if (i % 2) {
			uint32_t lane;

			for (lane = 0; lane < LANES - 1; lane++) {
				ASSERT_EQ(0, play_one(&c, 0, lane, 0, insn, &sum));
				ASSERT_EQ(32, sum);
			}
			continue;
		}
		rv_destroy(&c);
		ASSERT_EQ(0, rv_create(&c, 1, 32, DRM_VSM_POLICY_STRICT));
	}
	rv_destroy(&c);
	close(ready[0]);
	close(ready[1]);
}

TEST_F(meet, closing_the_handle_and_the_file_does_not_end_it)
{
	const struct rv_kind *m;

	for_each_kind(m, DRM_VSM_POLICY_STRICT) {
		struct drm_vsm_insn insn = m->insn;
		struct cluster other;
		struct exec_thread t;

		ASSERT_EQ(0, cluster_share(&other, vsm_open(), &self->c));
		ASSERT_TRUE(suspend_as(&t, &self->c, 0, 0, 0, &insn, 1));
		rv_destroy(&self->c);
		self->c = other;
		EXPECT_FALSE(atomic_load(&t.done));
		ASSERT_EQ(0, others_execute(&self->c, m)) TH_LOG("%s", m->name);
		EXPECT_EQ(0, rv_join(&t));
		EXPECT_EQ(m->result, insn.result) TH_LOG("%s", m->name);
	}
}

/* Without a handle no other thread can arrive. The wait ends only when a signal interrupts it. */
TEST_F(meet, the_cluster_lives_while_a_thread_is_suspended_in_it)
{
	const struct rv_kind *m;

	for_each_kind(m, DRM_VSM_POLICY_STRICT) {
		struct drm_vsm_insn insn = m->insn;
		struct exec_thread t;

		ASSERT_TRUE(suspend_as(&t, &self->c, 0, 0, 0, &insn, 1));
		EXPECT_EQ(0, cluster_destroy(&self->c));
		EXPECT_TRUE(stays_suspended(&t));
		pthread_kill(t.thread, SIGUSR1);
		EXPECT_EQ(-EINTR, exec_thread_join(&t));
		EXPECT_EQ(-ENOENT, vsm_exec(self->c.fd, &t.args));
		/* Create a cluster for the loop to destroy. */
		ASSERT_EQ(0, cluster_create(&self->c, self->c.fd, 0, 0));
	}
}

/* --- many signals, many rounds ------------------------------------------------ */

/* A task that executes each kind of rendezvous again and again */
struct repeater {
	const struct cluster *c;
	uint32_t cta;
	uint32_t thread;
	int rounds;		/* rounds to execute */
	atomic_int round;	/* number of completed rounds */
	bool restarts;		/* signals restart EXEC, which therefore never returns EINTR */
	int eintr;		/* how often EXEC returned EINTR */
	int ret;		/* error of the last EXEC, or EBADMSG for a wrong result */
	uint32_t fault;		/* fault of the last EXEC */
	atomic_bool done;
	pthread_t pthread;
};

#define REPEATERS 4

/*
 * Makes the instructions of a round, and the expected results, which differ between rounds. All
 * threads use the barrier of the cluster. Those of CTA 0 also use named barriers, and threads 0 and
 * 1 also use redux.sync.
 */
static uint32_t round_insns(const struct repeater *v, int round, struct drm_vsm_insn *insns,
			    uint64_t *results)
{
	uint32_t i, n = 0, trues = 0;

	for (i = 0; i < 3; i++)
		trues += (round >> i & 1);
	if (!v->cta) {
		results[n] = 0;
		insns[n++] = i_barrier_sync(round % 16);
		results[n] = trues;
		insns[n++] = i_barrier_red(DRM_VSM_RED_POPC, round % 16,
					   round >> v->thread % 30 & 1);
	}
	results[n] = 0;
	insns[n++] = i_cluster_arrive();
	if (!v->cta && v->thread < 2) {
		results[n] = (uint32_t)(3 * round + 1);
		insns[n++] = i_redux(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32,
				     v->thread ? 2 * round + 1 : round, 3);
	}
	results[n] = 0;
	insns[n++] = i_cluster_wait();
	return n;
}

static void *member_main(void *arg)
{
	struct repeater *v = arg;

	for (; v->round < v->rounds; v->round++) {
		struct drm_vsm_insn insns[5];
		uint64_t results[5];
		uint32_t i, n = round_insns(v, v->round, insns, results);
		struct drm_vsm_exec args = play_args(v->c, v->cta, v->thread, 0, insns, n);

		while ((v->ret = vsm_exec(v->c->fd, &args)) == -EINTR && !v->restarts)
			v->eintr++;
		if (v->ret) {
			v->fault = insns[args.retired % 5].fault;
			break;
		}
		for (i = 0; i < n && !v->ret; i++)
			if (insns[i].result != results[i])
				v->ret = -EBADMSG;
		if (v->ret)
			break;
	}
	atomic_store(&v->done, true);
	return NULL;
}

/* Sends signals to each task, by pthread_kill() and from a timer, until all rounds are complete. */
static void storm(struct __test_metadata *_metadata, int flags, int rounds)
{
	struct itimerval timer = { .it_interval.tv_usec = 500, .it_value.tv_usec = 500 };
	static const uint32_t where[REPEATERS][2] = { { 0, 0 }, { 0, 1 }, { 0, 32 }, { 1, 0 } };
	struct rv_kind nothing = {};
	struct repeater v[REPEATERS];
	struct cluster c;
	int i, left = REPEATERS, eintr = 0;

	ASSERT_EQ(0, small_cluster_create(&c, &nothing, DRM_VSM_POLICY_STRICT));
	catch_signal(SIGUSR1, on_signal, flags);
	catch_signal(SIGALRM, on_signal, flags);
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &timer, NULL));
	for (i = 0; i < REPEATERS; i++) {
		v[i] = (struct repeater){
			.c = &c, .cta = where[i][0], .thread = where[i][1], .rounds = rounds,
			.restarts = flags & SA_RESTART,
		};
		ASSERT_EQ(0, pthread_create(&v[i].pthread, NULL, member_main, &v[i]));
	}
	while (left) {
		for (i = 0, left = 0; i < REPEATERS; i++) {
			if (atomic_load(&v[i].done))
				continue;
			left++;
			pthread_kill(v[i].pthread, SIGUSR1);
		}
		sched_yield();
	}
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	for (i = 0; i < REPEATERS; i++) {
		pthread_join(v[i].pthread, NULL);
		EXPECT_EQ(0, v[i].ret)
			TH_LOG("CTA %u thread %u in round %d, fault %#x", v[i].cta, v[i].thread,
			       v[i].round, v[i].fault);
		EXPECT_EQ(rounds, v[i].round);
		eintr += v[i].eintr;
	}
	if (!(flags & SA_RESTART))
		EXPECT_LT(rounds / 10, eintr);
	EXPECT_LT(rounds / 10, signals);
	EXPECT_EQ(0, poll_events(c.fd));
	rv_destroy(&c);
}

TEST_F(meet, a_storm_of_signals_loses_and_repeats_nothing)
{
	storm(_metadata, 0, repeat(2000));
}

TEST_F(meet, a_storm_of_restarting_signals_loses_and_repeats_nothing)
{
	storm(_metadata, SA_RESTART, repeat(2000));
}

/* --- loss of the cluster or the device -------------------------------------- */

/* A task that is suspended as thread 0, and an armed instruction of thread 32. */
struct victim {
	struct drm_vsm_insn insn;
	struct drm_vsm_insn armed;
	struct exec_thread t;
	int set;
};

static void suspend_victim(struct __test_metadata *_metadata, struct victim *v,
			   const struct cluster *c, const struct rv_kind *m)
{
	struct drm_vsm_wait wait = wait_insn(c, 0, 32, 0, &v->armed);

	v->insn = m->insn;
	v->armed = i_barrier_sync(7);
	v->set = waitset_create(c->fd, 0);
	ASSERT_EQ(0, waitset_arm(c->fd, v->set, &wait, 1, NULL));
	ASSERT_TRUE(suspend_as(&v->t, c, 0, 0, 0, &v->insn, 1)) TH_LOG("%s", m->name);
}

static void expect_lost(struct __test_metadata *_metadata, struct victim *v, int error,
			enum drm_vsm_wait_status status)
{
	EXPECT_EQ(error, exec_thread_join(&v->t));
	EXPECT_EQ(0, v->t.args.retired);
	EXPECT_TRUE(insn_untouched(&v->insn));
	ASSERT_EQ(1, record_is(v->set, 32, status, 0));
	/* The thread cannot continue: the next EXEC gets the same error. */
	EXPECT_EQ(error, vsm_exec(v->t.cluster->fd, &v->t.args));
	close(v->set);
}

TEST_F(meet, the_loss_of_the_cluster_ends_it)
{
	const struct rv_kind *m;

	for_each_kind(m, DRM_VSM_POLICY_HARDWARE) {
		struct drm_vsm_insn insn;
		struct victim victim;
		struct exec_thread t;
		int i;

		for (i = 0; i < 2; i++) {
			/* In the second round a signal interrupts thread 0 before the loss. */
			if (i) {
				rv_destroy(&self->c);
				ASSERT_EQ(0, small_cluster_create(&self->c, m,
								  DRM_VSM_POLICY_HARDWARE));
				insn = m->insn;
				ASSERT_EQ(-EINTR, interrupted(&t, &self->c, &insn));
			}
			suspend_victim(_metadata, &victim, &self->c, m);
			atomic_store(word_at(&self->c, 8), VSM_SM_90_POISON);
			EXPECT_EQ(-EPROTO, exec_one(&self->c, i_test_parity(8, 0)));
			expect_lost(_metadata, &victim, -EIO, DRM_VSM_WAIT_CLUSTER_LOST);
			EXPECT_EQ(-EIO, play_one(&self->c, 0, 1, 0, i_warp_sync(2), NULL));
			EXPECT_EQ(-EIO, play_one(&self->c, 0, 1, 0, i_exit(), NULL));
		}
	}
}

/* A cluster in which no thread has executed a rendezvous yet. */
TEST_F(meet, a_lost_cluster_has_no_rendezvous)
{
	struct cluster c;

	ASSERT_EQ(0, rv_create(&c, 1, 32, DRM_VSM_POLICY_HARDWARE));
	atomic_store(word_at(&c, 8), VSM_SM_90_POISON);
	EXPECT_EQ(-EPROTO, exec_one(&c, i_test_parity(8, 0)));
	EXPECT_EQ(-EIO, play_one(&c, 0, 0, 0, i_warp_sync(1), NULL));
	EXPECT_EQ(-EIO, play_one(&c, 0, 0, 0, i_exit(), NULL));
	rv_destroy(&c);
}

FIXTURE(unbound)
{
	struct cluster c[RV_KINDS];
};

FIXTURE_SETUP(unbound)
{
	const struct rv_kind *all = rv_kinds();
	int i;

	catch_signal(SIGUSR1, on_signal, 0);
	for (i = 0; i < RV_KINDS; i++)
		ASSERT_EQ(0, small_cluster_create(&self->c[i], &all[i], DRM_VSM_POLICY_STRICT));
}

FIXTURE_TEARDOWN(unbound)
{
	size_t i;

	for (i = 0; i < ITEMS(self->c); i++) {
		munmap(self->c[i].map, self->c[i].size);
		close(self->c[i].fd);
	}
	EXPECT_EQ(0, device_bind());
}

TEST_F(unbound, all_ends)
{
	const struct rv_kind *all = rv_kinds();
	static struct victim victims[RV_KINDS];
	size_t i;

	for (i = 0; i < RV_KINDS; i++)
		suspend_victim(_metadata, &victims[i], &self->c[i], &all[i]);
	ASSERT_EQ(0, device_unbind());
	for (i = 0; i < RV_KINDS; i++) {
		expect_lost(_metadata, &victims[i], -ENODEV, DRM_VSM_WAIT_DEVICE_LOST);
		/* No event was sent, because this is not misuse. */
		EXPECT_EQ(POLLHUP, poll_events(self->c[i].fd));
	}
}

TEST_F(unbound, an_interrupted_thread_gets_the_error)
{
	const struct rv_kind *all = rv_kinds();
	struct drm_vsm_insn insns[RV_KINDS];
	struct exec_thread t[RV_KINDS];
	size_t i;

	for (i = 0; i < RV_KINDS; i++) {
		insns[i] = all[i].insn;
		ASSERT_EQ(-EINTR, interrupted(&t[i], &self->c[i], &insns[i]));
	}
	ASSERT_EQ(0, device_unbind());
	for (i = 0; i < RV_KINDS; i++)
		EXPECT_EQ(-ENODEV, vsm_exec(self->c[i].fd, &t[i].args));
}

TEST_F(unbound, tasks_that_repeat_a_rendezvous_get_the_error)
{
	static const uint32_t where[REPEATERS][2] = { { 0, 0 }, { 0, 1 }, { 0, 32 }, { 1, 0 } };
	struct repeater v[REPEATERS];
	int i;

	for (i = 0; i < REPEATERS; i++) {
		v[i] = (struct repeater){
			.c = &self->c[0], .cta = where[i][0], .thread = where[i][1],
			.rounds = 1 << 30,
		};
		ASSERT_EQ(0, pthread_create(&v[i].pthread, NULL, member_main, &v[i]));
	}
	while (atomic_load(&v[0].round) < 20 && !atomic_load(&v[0].done))
		sched_yield();
	ASSERT_EQ(0, device_unbind());
	for (i = 0; i < REPEATERS; i++) {
		pthread_join(v[i].pthread, NULL);
		EXPECT_EQ(-ENODEV, v[i].ret);
	}
}

TEST_HARNESS_MAIN
