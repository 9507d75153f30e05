// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits without a time limit, under load. Threads, jobs, copies and host tasks wake each other in
 * turn, while some of them get signals or are killed. The driver must not take a wait for
 * deadlocked.
 */
#include <sys/time.h>

#include "async.h"
#include "fence.h"

#define A AT(0, 0x40)
#define RING(n) AT(0, 0x100 + 8 * (n))
#define NEVER(n) AT(0, 0x200 + 8 * (n))
#define BATCH 50

FIXTURE(untimed)
{
	int fd;
};

FIXTURE_SETUP(untimed)
{
	self->fd = vsm_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(untimed)
{
	/* No event was sent, because nothing here was misuse. */
	EXPECT_EQ(0, poll_events(self->fd));
	close(self->fd);
}

/* Creates a cluster of one CTA, with an mbarrier for each thread and mbarriers at A and END. */
static int make_cluster(struct cluster *c, int fd, uint32_t threads)
{
	int ret = cluster_make(c, fd, .ctas = 1, .threads = threads, .smem_bytes = 4096);
	uint32_t i;

	for (i = 0; !ret && i < threads; i++)
		ret = exec_one(c, i_init(RING(i), 1));
	if (!ret)
		ret = exec_one(c, i_init(A, 1));
	return ret ? ret : exec_one(c, i_init(END, 1));
}

/* A thread of a ring, which the previous thread wakes and which wakes the next one */
struct player {
	const struct cluster *c;
	uint32_t thread;
	uint32_t threads;	/* number of threads in the ring */
	int rounds;		/* number of times that the token goes round */
	int round;		/* number of completed rounds */
	int ret;		/* return value of the last EXEC */
	uint32_t fault;		/* fault of the last EXEC */
	atomic_int tid;
	pthread_t pthread;
};

static void *player_main(void *arg)
{
	struct player *p = arg;
	uint32_t next = RING((p->thread + 1) % p->threads);
	struct drm_vsm_insn insns[2 * BATCH];
	int i;

	atomic_store(&p->tid, get_tid());
	for (i = 0; i < BATCH; i++) {
		insns[2 * i] = i_try_parity_unlimited(RING(p->thread), i % 2);
		insns[2 * i + 1] = i_sink(i_arrive(next));
	}
	while (p->round < p->rounds) {
		struct drm_vsm_exec args = play_args(p->c, 0, p->thread, DRM_VSM_EXEC_NO_LIMIT,
						     insns, 2 * BATCH);

		do
			p->ret = vsm_exec(p->c->fd, &args);
		while (p->ret == -EINTR);
		if (p->ret) {
			p->fault = insns[args.retired].fault;
			return p;
		}
		p->round += BATCH;
	}
	return NULL;
}

/* Lets threads pass a token round a ring. If @signals, signals interrupt them all the time. */
static void play_ring(struct __test_metadata *_metadata, const struct cluster *c,
		      uint32_t threads, int rounds, bool signals)
{
	struct player players[16];
	uint32_t i, running = threads;
	uint64_t seed = threads;

	catch_signal(SIGUSR1, nothing, 0);
	rounds = (rounds + BATCH - 1) / BATCH * BATCH;
	/*
	 * Give the token to thread 0. From now on one thread can always run while the others wait.
	 */
	ASSERT_EQ(0, exec_one(c, i_arrive(RING(0))));
	for (i = 0; i < threads; i++) {
		players[i] = (struct player){
			.c = c, .thread = i, .threads = threads, .rounds = rounds,
		};
		ASSERT_EQ(0, pthread_create(&players[i].pthread, NULL, player_main, &players[i]));
	}
	while (running) {
		struct player *p = &players[running - 1];
		void *failed;

		if (signals) {
			pthread_kill(p->pthread, SIGUSR1);
			if (random_next(&seed) % 4 == 0)
				sched_yield();
			if (pthread_tryjoin_np(p->pthread, &failed))
				continue;
		} else {
			pthread_join(p->pthread, &failed);
		}
		EXPECT_EQ(NULL, failed)
			TH_LOG("thread %u in round %d: %d, fault %u", p->thread, p->round, p->ret,
			       p->fault);
		running--;
	}
	/* The token is back at thread 0. */
	EXPECT_EQ(1, exec_result(c, i_test_parity(RING(0), rounds % 2)));
}

/* --- threads that wake each other ------------------------------------------ */

TEST_F(untimed, threads_that_wake_each_other_in_turn_are_never_deadlocked)
{
	static const uint32_t sizes[] = { 2, 3, 5 };
	struct cluster c;
	size_t i;

	for (i = 0; i < ITEMS(sizes); i++) {
		ASSERT_EQ(0, make_cluster(&c, self->fd, sizes[i]));
		play_ring(_metadata, &c, sizes[i], repeat(10000) / sizes[i], false);
		EXPECT_EQ(0, cluster_destroy(&c));
	}
}

TEST_F(untimed, nor_while_signals_come)
{
	struct cluster c;

	ASSERT_EQ(0, make_cluster(&c, self->fd, 3));
	play_ring(_metadata, &c, 3, repeat(1000), true);
	EXPECT_EQ(0, cluster_destroy(&c));
}

/*
 * Executes thread 1, which waits for thread 0. Thread 0 waits for jobs and copies, and then for
 * thread 1.
 */
static void *follower_main(void *arg)
{
	struct player *p = arg;
	struct drm_vsm_insn insns[2 * BATCH];
	int i;

	for (i = 0; i < BATCH; i++) {
		insns[2 * i] = i_try_parity_unlimited(RING(1), i % 2);
		insns[2 * i + 1] = i_sink(i_arrive(RING(0)));
	}
	for (; p->round < p->rounds; p->round += BATCH) {
		struct drm_vsm_exec args = play_args(p->c, 0, 1, DRM_VSM_EXEC_NO_LIMIT, insns,
						     2 * BATCH);

		p->ret = vsm_exec(p->c->fd, &args);
		p->fault = insns[args.retired % (2 * BATCH)].fault;
		if (p->ret)
			return p;
	}
	return NULL;
}

TEST_F(untimed, threads_that_jobs_and_copies_wake_are_never_deadlocked)
{
	struct drm_vsm_insn insns[4 * BATCH], job = i_sink(i_arrive(A));
	int i, rounds = (repeat(5000) + BATCH - 1) / BATCH * BATCH;
	struct player follower;
	struct drm_vsm_exec args;
	struct cluster c;
	struct buffer b;
	void *failed;

	ASSERT_EQ(0, make_cluster(&c, self->fd, 2));
	ASSERT_EQ(0, buffer_create(&b, self->fd, 4096));
	follower = (struct player){ .c = &c, .rounds = 2 * rounds };
	ASSERT_EQ(0, pthread_create(&follower.pthread, NULL, follower_main, &follower));
	for (i = 0; i < BATCH; i++) {
		insns[4 * i] = i_noinc(i_cp_arrive(A));
		insns[4 * i + 1] = i_try_parity_unlimited(A, i % 2);
		insns[4 * i + 2] = i_sink(i_arrive(RING(1)));
		insns[4 * i + 3] = i_try_parity_unlimited(RING(0), i % 2);
	}
	for (i = 0; i < rounds; i += BATCH) {
		args = play_args(&c, 0, 0, DRM_VSM_EXEC_NO_LIMIT, insns, 4 * BATCH);
		ASSERT_EQ(0, vsm_exec(c.fd, &args)) TH_LOG("round %d, %u", i, args.retired);
	}
	for (i = 0; i < rounds; i++) {
		struct drm_vsm_insn work[] = {
			i_try_parity_unlimited(A, i % 2), i_sink(i_arrive(RING(1))),
			i_try_parity_unlimited(RING(0), i % 2),
		};

		ASSERT_EQ(0, submit_sync(&c, &job, 1, 0, 0));
		args = play_args(&c, 0, 0, DRM_VSM_EXEC_NO_LIMIT, work, 3);
		ASSERT_EQ(0, vsm_exec(c.fd, &args)) TH_LOG("round %d, %u", i, args.retired);
	}
	pthread_join(follower.pthread, &failed);
	EXPECT_EQ(NULL, failed)
		TH_LOG("round %d: %d, fault %u", follower.round, follower.ret, follower.fault);
	munmap(b.map, b.size);
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* There is no deadlock while a host task has an armed wait: it can wake a thread. */
TEST_F(untimed, a_thread_that_a_host_with_an_armed_wait_wakes_is_never_deadlocked)
{
	int i, set, rounds = repeat(1000);
	struct drm_vsm_insn *insns = calloc(2 * rounds, sizeof(*insns));
	struct drm_vsm_wait_record record;
	struct drm_vsm_wait wait;
	struct drm_vsm_exec args;
	struct exec_thread t;
	struct cluster c;

	ASSERT_EQ(0, make_cluster(&c, self->fd, 1));
	set = waitset_create(c.fd, 0);
	for (i = 0; i < rounds; i++) {
		insns[2 * i] = i_sink(i_arrive(RING(0)));
		insns[2 * i + 1] = i_try_parity_unlimited(A, i % 2);
	}
	args = play_args(&c, 0, 0, DRM_VSM_EXEC_NO_LIMIT, insns, 2 * rounds);
	for (i = 0; i <= rounds; i++) {
		wait = wait_parity(&c, RING(0), i % 2, -1, i);
		ASSERT_EQ(0, waitset_arm(c.fd, set, &wait, 1, NULL));
		if (!i) {
			ASSERT_EQ(0, exec_thread_run(&t, &c, args));
		} else {
			ASSERT_EQ(1, waitset_read(set, &record));
			ASSERT_EQ(i - 1, record.user_data);
			ASSERT_EQ(0, exec_one(&c, i_arrive(A)));
		}
		/* Arm the next wait before the record of this one is read. */
		if (i < rounds)
			ASSERT_EQ(1, poll(&(struct pollfd){ set, POLLIN }, 1, AMPLE_MS));
	}
	EXPECT_EQ(0, exec_thread_join(&t));
	EXPECT_EQ(2 * rounds, t.args.retired);
	close(set);
	free(insns);
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* A thread that continues after each deadlock with the other threads */
struct survivor {
	const struct cluster *c;
	uint32_t thread;
	int rounds;	/* number of deadlocks to survive */
	int round;	/* number of deadlocks survived */
	int ret;	/* return value of EXEC if it is not the expected one */
	uint32_t fault;	/* fault of that EXEC */
	pthread_t pthread;
};

#define SURVIVORS 3

static atomic_bool gone_early;

static void *survivor_main(void *arg)
{
	struct survivor *s = arg;
	uint32_t next = RING((s->thread + 1) % SURVIVORS);

	for (; s->round < s->rounds; s->round++) {
		struct drm_vsm_insn never = i_try_parity_unlimited(NEVER(s->thread), 0);
		struct drm_vsm_insn wait = i_try_parity_unlimited(RING(s->thread), s->round % 2);
		struct drm_vsm_insn arrive = i_sink(i_arrive(next));
		struct drm_vsm_insn ring[] = {
			s->thread ? wait : arrive, s->thread ? arrive : wait,
		};
		struct drm_vsm_exec args = play_args(s->c, 0, s->thread, DRM_VSM_EXEC_NO_LIMIT,
						     &never, 1);

		s->ret = vsm_exec(s->c->fd, &args);
		s->fault = never.fault;
		if (s->ret != -EPROTO || s->fault != DRM_VSM_FAULT_DEADLOCK)
			goto failed;
		args = play_args(s->c, 0, s->thread, DRM_VSM_EXEC_NO_LIMIT, ring, 2);
		s->ret = vsm_exec(s->c->fd, &args);
		s->fault = ring[args.retired % 2].fault;
		if (s->ret)
			goto failed;
	}
	return NULL;
failed:
	atomic_store(&gone_early, true);
	return s;
}

static void survive(struct __test_metadata *_metadata, int fd, int rounds)
{
	struct survivor s[SURVIVORS];
	struct cluster c;
	void *failed;
	int i;

	ASSERT_EQ(0, make_cluster(&c, fd, SURVIVORS));
	for (i = 0; i < SURVIVORS; i++)
		ASSERT_EQ(0, exec_one(&c, i_init(NEVER(i), 1)));
	for (i = 0; i < SURVIVORS; i++) {
		s[i] = (struct survivor){ .c = &c, .thread = i, .rounds = rounds };
		ASSERT_EQ(0, pthread_create(&s[i].pthread, NULL, survivor_main, &s[i]));
	}
	for (i = 0; i < SURVIVORS; i++) {
		/* If one thread ends too early, signals must end the waits of the others. */
		while (pthread_tryjoin_np(s[i].pthread, &failed)) {
			poll(NULL, 0, 5);
			if (atomic_load(&gone_early))
				pthread_kill(s[i].pthread, SIGUSR1);
		}
		EXPECT_EQ(NULL, failed)
			TH_LOG("thread %d in round %d: %d, fault %u", i, s[i].round, s[i].ret,
			       s[i].fault);
	}
	fault_drain(c.fd);
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* Uses several clusters, because the driver finds their waiters in different orders. */
TEST_F(untimed, a_deadlock_is_reported_once_and_the_program_continues)
{
	int i;

	catch_signal(SIGUSR1, nothing, 0);
	for (i = 0; i < 20 && !atomic_load(&gone_early); i++)
		survive(_metadata, self->fd, repeat(50));
}

/* --- signals during waits -------------------------------------------------- */

static struct drm_vsm_exec untimed_args(const struct cluster *c, uint32_t thread,
					struct drm_vsm_insn *insn)
{
	struct drm_vsm_exec args = play_args(c, 0, thread, DRM_VSM_EXEC_NO_LIMIT, insn, 1);

	return args;
}

TEST_F(untimed, a_signal_interrupts_and_the_same_call_goes_on)
{
	struct drm_vsm_insn waits[2] = {
		i_try_parity_unlimited(A, 0), i_try_parity_unlimited(RING(1), 0),
	};
	struct exec_thread t[2];
	struct cluster c;
	int i, round;

	catch_signal(SIGUSR1, nothing, 0);
	ASSERT_EQ(0, make_cluster(&c, self->fd, 2));
	for (round = 0; round < 10; round++) {
		ASSERT_EQ(0, exec_thread_run(&t[0], &c, untimed_args(&c, 0, &waits[0])));
		for (i = 0; i < 3; i++) {
			ASSERT_TRUE(exec_thread_suspended(&t[0]));
			pthread_kill(t[0].thread, SIGUSR1);
			ASSERT_EQ(-EINTR, exec_thread_join(&t[0]));
			EXPECT_EQ(0, t[0].args.retired);
			EXPECT_EQ(INT64_MAX, t[0].args.deadline);
			EXPECT_TRUE(insn_untouched(&waits[0]));
			if (i < 2)
				ASSERT_EQ(0, exec_thread_run(&t[0], &c, t[0].args));
		}
		/*
		 * The interrupted thread counts as running. There is no deadlock when the other
		 * thread waits.
		 */
		ASSERT_EQ(0, exec_thread_run(&t[1], &c, untimed_args(&c, 1, &waits[1])));
		ASSERT_TRUE(exec_thread_suspended(&t[1]));
		EXPECT_EQ(0, poll_events(c.fd));
		if (round % 2) {
			ASSERT_EQ(0, exec_one(&c, i_arrive(A)));
			ASSERT_EQ(0, exec_one(&c, i_arrive(RING(1))));
			ASSERT_EQ(0, exec_thread_run(&t[0], &c, t[0].args));
			for (i = 0; i < 2; i++) {
				EXPECT_EQ(0, exec_thread_join(&t[i]));
				EXPECT_EQ(1, waits[i].result);
				EXPECT_EQ(0, t[i].args.deadline);
				waits[i].u.mbarrier.parity ^= 1;
			}
			continue;
		}
		/* When the interrupted thread waits again, there is a deadlock. */
		ASSERT_EQ(0, exec_thread_run(&t[0], &c, t[0].args));
		for (i = 0; i < 2; i++) {
			EXPECT_EQ(-EPROTO, exec_thread_join(&t[i]));
			EXPECT_EQ(DRM_VSM_FAULT_DEADLOCK, waits[i].fault);
			EXPECT_EQ(2, waits[i].info);
		}
		fault_drain(c.fd);
	}
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(untimed, a_restarted_call_waits_on)
{
	struct drm_vsm_insn wait = i_try_parity_unlimited(A, 0);
	struct exec_thread t;
	struct cluster c;
	int i;

	catch_signal(SIGUSR1, nothing, SA_RESTART);
	ASSERT_EQ(0, make_cluster(&c, self->fd, 2));
	ASSERT_EQ(0, exec_thread_run(&t, &c, untimed_args(&c, 0, &wait)));
	for (i = 0; i < 200; i++) {
		if (i % 8 == 0)
			ASSERT_TRUE(exec_thread_suspended(&t));
		pthread_kill(t.thread, SIGUSR1);
	}
	EXPECT_FALSE(atomic_load(&t.done));
	ASSERT_EQ(0, exec_one(&c, i_arrive(A)));
	EXPECT_EQ(0, exec_thread_join(&t));
	EXPECT_EQ(1, wait.result);
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* The wait must last longer than the limit that the device sets for other waits. */
TEST_F(untimed, a_wait_does_not_end_by_itself)
{
	uint64_t limit = vsm_info(self->fd).try_wait_limit_ns;
	struct drm_vsm_insn wait = i_try_parity_unlimited(A, 0);
	struct exec_thread t;
	struct cluster c;

	ASSERT_EQ(0, make_cluster(&c, self->fd, 2));
	ASSERT_EQ(0, exec_thread_run(&t, &c, untimed_args(&c, 0, &wait)));
	ASSERT_TRUE(exec_thread_suspended(&t));
	poll(NULL, 0, 20 + 3 * limit / 1000000);
	EXPECT_FALSE(atomic_load(&t.done));
	ASSERT_EQ(0, exec_one(&c, i_arrive(A)));
	EXPECT_EQ(0, exec_thread_join(&t));
	EXPECT_EQ(1, wait.result);
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(untimed, the_loss_of_the_cluster_ends_it)
{
	struct drm_vsm_insn wait = i_try_parity_unlimited(A, 0);
	struct exec_thread t;
	struct cluster c;

	ASSERT_EQ(0, cluster_make(&c, self->fd, .ctas = 1, .threads = 2, .smem_bytes = 4096,
				  .policy = DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, exec_one(&c, i_init(A, 1)));
	ASSERT_EQ(0, exec_thread_run(&t, &c, untimed_args(&c, 0, &wait)));
	ASSERT_TRUE(exec_thread_suspended(&t));
	atomic_store(word_at(&c, 8), 1ULL << 42);
	EXPECT_EQ(-EPROTO, exec_one(&c, i_test_parity(8, 0)));
	EXPECT_EQ(-EIO, exec_thread_join(&t));
	fault_drain(c.fd);
	EXPECT_EQ(0, cluster_destroy(&c));
}

/* --- killed processes ------------------------------------------------------ */

/* Executes a ring until the process is killed. */
static void ring_child(int dmabuf, uint32_t threads, int ready)
{
	struct cluster c = { .fd = vsm_open() };
	struct player players[4];
	uint32_t i;

	if (drmPrimeFDToHandle(c.fd, dmabuf, &c.handle) || exec_one(&c, i_arrive(RING(0))))
		_exit(1);
	for (i = 0; i < threads; i++) {
		players[i] = (struct player){
			.c = &c, .thread = i, .threads = threads, .rounds = 1 << 30,
		};
		pthread_create(&players[i].pthread, NULL, player_main, &players[i]);
	}
	if (write(ready, "", 1) != 1)
		_exit(2);
	pause();
}

/* The waits of a killed thread end, and the thread does not count as waiting. */
TEST_F(untimed, killed_threads_leave_nothing_behind)
{
	enum { THREADS = 3 };
	struct drm_vsm_insn waits[THREADS];
	struct exec_thread t[THREADS];
	int i, round, dmabuf, status, ready[2];
	struct cluster c;
	char byte;

	ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
	for (round = 0; round < 10; round++) {
		pid_t pid;

		ASSERT_EQ(0, make_cluster(&c, self->fd, THREADS));
		ASSERT_EQ(0, drmPrimeHandleToFD(c.fd, c.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
		pid = fork_child();
		if (!pid)
			ring_child(dmabuf, THREADS, ready[1]);
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		poll(NULL, 0, round * 3);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
		close(dmabuf);

		/* All threads except one wait. This is no deadlock. */
		for (i = 0; i < THREADS; i++)
			waits[i] = i_try_parity_unlimited(A, 0);
		for (i = 0; i < THREADS - 1; i++) {
			ASSERT_EQ(0, exec_thread_run(&t[i], &c, untimed_args(&c, i, &waits[i])));
			ASSERT_TRUE(exec_thread_suspended(&t[i]));
		}
		EXPECT_EQ(0, poll_events(c.fd));
		/* Now all threads wait. The driver finds the deadlock. */
		ASSERT_EQ(0, exec_thread_run(&t[i], &c, untimed_args(&c, i, &waits[i])));
		for (i = 0; i < THREADS; i++) {
			EXPECT_EQ(-EPROTO, exec_thread_join(&t[i]));
			EXPECT_EQ(DRM_VSM_FAULT_DEADLOCK, waits[i].fault);
		}
		fault_drain(c.fd);
		for (i = 0; i < THREADS; i++)
			EXPECT_EQ(0, exec_one(&c, i_inval(RING(i))));
		EXPECT_EQ(0, cluster_destroy(&c));
	}
	close(ready[0]);
	close(ready[1]);
}

TEST_HARNESS_MAIN
