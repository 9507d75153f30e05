// SPDX-License-Identifier: GPL-2.0-only
/*
 * The longest section with preemption, bottom halves or interrupts off, at every documented
 * maximum. The kernel's tracer of such sections measures it.
 *
 * Run this with tools/vm/run --icount and the kernel that tools/vm/debug-kernel latency builds. One
 * nanosecond is one instruction there, and the figures are the same in every run.
 */
#include <linux/aio_abi.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "async.h"
#include "channel.h"
#include "driver.h"
#include "fdinfo.h"
#include "rendezvous.h"
#include "model.h"

#define CTAS		16
#define THREADS		1024
#define SMEM		(227 << 10)
#define WORDS		(SMEM / 8)
#define EPOLLS		1000
#define OBJECTS		30000
#define LANES_WAITING	(CTAS * THREADS - LANES)
#define ARM_AT_ONCE	65536
#define A		AT(0, 0)

/* --- the tracer --------------------------------------------------------------------- */

#define LIMIT_US	2000
#define TRACING		"/sys/kernel/tracing/"

static bool tracer_init(void)
{
	return !write_file(TRACING "current_tracer", "preemptirqsoff") &&
	       !write_file(TRACING "tracing_on", "0");
}

static int measure(void)
{
	return write_file(TRACING "tracing_max_latency", "0") ?:
	       write_file(TRACING "tracing_on", "1");
}

static long tracer_stop(void)
{
	FILE *file;
	long us = -1;

	write_file(TRACING "tracing_on", "0");
	file = fopen(TRACING "tracing_max_latency", "re");
	if (!file || fscanf(file, "%ld", &us) != 1)
		us = -1;
	if (file)
		fclose(file);
	return us;
}

/* Prints where the longest section began and ended, and the stack there. */
static void tracer_explain(void)
{
	FILE *trace = fopen(TRACING "trace", "re");
	bool stack = false;
	char line[256];

	while (trace && fgets(line, sizeof(line), trace)) {
		char *text = strstr(line, "=> ");

		stack |= !!strstr(line, "<stack trace>");
		if (text && (stack || strstr(line, "ed at: ")))
			fprintf(stderr, "#     %s", text);
	}
	if (trace)
		fclose(trace);
}

/* Returns the number of runnable tasks, including this one, or 0 if the number is unknown. */
static int runnable(void)
{
	FILE *file = fopen("/proc/loadavg", "re");
	int n = 0;

	if (!file || fscanf(file, "%*f %*f %*f %d/", &n) != 1)
		n = 0;
	if (file)
		fclose(file);
	return n;
}

/*
 * Waits until all work that the test has caused is done: no worker is runnable, and the RCU
 * callbacks have been called. The one processor calls callbacks in the order in which they were
 * queued. io_destroy() queues one more callback and returns after that has been called. A callback
 * may queue work, and work may queue a callback. The loop therefore ends only when no task is
 * runnable directly after io_destroy().
 *
 * Timers that expire later are not measured.
 */
static int wait_until_idle(void)
{
	int64_t limit = now_ns() + AMPLE;

	do {
		aio_context_t context = 0;

		if (syscall(SYS_io_setup, 1, &context) || syscall(SYS_io_destroy, context))
			return -errno;
		if (now_ns() > limit)
			return -ETIME;
	} while (runnable() != 1);
	return 0;
}

/* Prints and returns the length of the longest section since measure(), in microseconds. */
static long measured(const char *what)
{
	int ret = wait_until_idle();
	long us = tracer_stop();

	fprintf(stderr, "# %7ld us  %s\n", us, what);
	if (ret)
		fprintf(stderr, "# not idle: %s\n", strerror(-ret));
	tracer_explain();
	return ret || us < 0 ? LIMIT_US + 1 : us;
}

#define EXPECT_SHORT(what) EXPECT_GE(LIMIT_US, measured(what))

/* Measures an expression, whose value must be 0. */
#define EXPECT_TAKES_SHORT(what, expression) do {	\
	ASSERT_EQ(0, measure());			\
	ASSERT_EQ(0, expression);			\
	EXPECT_SHORT(what);				\
} while (0)

/* --- maximum numbers of waits and lanes -------------------------------------------- */

FIXTURE(latency)
{
	struct cluster c;		/* the largest possible */
	int set;
	uint32_t count;			/* number of waits */
	struct drm_vsm_wait *waits;
	struct drm_vsm_wait_record *records;
};

static int largest_cluster(struct cluster *c, uint32_t policy)
{
	return cluster_make_open(c, .ctas = CTAS, .threads = THREADS, .smem_bytes = SMEM,
				 .policy = policy);
}

FIXTURE_SETUP(latency)
{
	struct rlimit files = { 1 << 16, 1 << 16 };

	if (!tracer_init())
		SKIP(return, "no tracer: run make test-latency");
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	/*
	 * Keep the kernel's memory management out of the figures: it must not make huge pages, and
	 * must not free many pages together.
	 */
	write_file("/sys/kernel/mm/transparent_hugepage/enabled", "never");
	write_file("/proc/sys/vm/percpu_pagelist_high_fraction", "10000");
	ASSERT_EQ(0, largest_cluster(&self->c, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_fence()));
	self->set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_LE(0, self->set);
	self->count = vsm_info(self->c.fd).client_waits;
	self->waits = calloc(self->count, sizeof(*self->waits));
	self->records = calloc(self->count, sizeof(*self->records));
	ASSERT_NE(NULL, self->waits);
	ASSERT_NE(NULL, self->records);
	ASSERT_EQ(0, mlockall(MCL_CURRENT));
}

FIXTURE_TEARDOWN(latency)
{
	if (self->set >= 0)
		close(self->set);
	cluster_close(&self->c);
	free(self->waits);
	free(self->records);
	write_file(TRACING "current_tracer", "nop");
}

static int arm_all(const struct cluster *c, int set, struct drm_vsm_wait *waits, uint32_t count)
{
	uint32_t i, some;
	int ret;

	for (i = 0; i < count; i += some) {
		some = count - i < ARM_AT_ONCE ? count - i : ARM_AT_ONCE;
		ret = waitset_arm(c->fd, set, waits + i, some, NULL);
		if (ret)
			return ret;
	}
	return 0;
}

/* Arms @count waits for one word. */
static int arm_word(const struct cluster *c, int set, struct drm_vsm_wait *waits, uint32_t count,
		    int64_t deadline)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		waits[i] = wait_parity(c, A, 0, deadline, i);
	return arm_all(c, set, waits, count);
}

/*
 * Lets all warps of the largest cluster, except the last, arrive and wait at its barrier. A wait
 * set plays their lanes. Returns the number of these lanes.
 */
static int arm_lanes(const struct cluster *c, int set, struct drm_vsm_wait *waits)
{
	struct drm_vsm_insn arrive = i_cluster_arrive(), wait = i_cluster_wait();
	uint32_t cta, thread, i, count = 0;
	int ret;

	for (i = 0; i < 2; i++) {
		count = 0;
		for (cta = 0; cta < CTAS; cta++)
			for (thread = 0; thread < THREADS; thread++)
				waits[count++] = (struct drm_vsm_wait){
					.cluster = c->handle,
					.addr = DRM_VSM_WAIT_THREAD(cta, thread),
					.state = (uintptr_t)(i ? &wait : &arrive), .deadline = -1,
					.flags = DRM_VSM_WAIT_INSN,
				};
		count -= LANES;
		ret = arm_all(c, set, waits, count);
		if (ret)
			return ret;
	}
	return count;
}

/* --- many waits -------------------------------------------------------------------- */

/* Makes a thousand epolls watch a file. */
static int watch(int file)
{
	struct epoll_event event = { .events = EPOLLIN };
	int i;

	for (i = 0; i < EPOLLS; i++)
		if (epoll_ctl(epoll_create1(0), EPOLL_CTL_ADD, file, &event))
			return -errno;
	return 0;
}

TEST_F(latency, one_arrive_ends_all_waits_on_a_word_with_a_thousand_epolls)
{
	ASSERT_EQ(0, watch(self->set));
	EXPECT_TAKES_SHORT("131072 waits are armed on one word",
			   arm_word(&self->c, self->set, self->waits, self->count, -1));
	EXPECT_TAKES_SHORT("131072 waits on one word, 1000 epolls: one arrive",
			   exec_one(&self->c, i_arrive(A)));
	ASSERT_EQ(0, measure());
	ASSERT_EQ(self->count * sizeof(*self->records),
		  read(self->set, self->records, self->count * sizeof(*self->records)));
	EXPECT_SHORT("131072 records are read");
}

/* Measures the whole arrive: if every wait woke every epoll, it would take minutes. */
TEST_F(latency, epolls_do_not_multiply_what_one_arrive_costs)
{
	int64_t took[2];
	int i;

	for (i = 0; i < 2; i++) {
		int64_t start;

		ASSERT_EQ(0, i ? watch(self->set) : 0);
		ASSERT_EQ(0, arm_word(&self->c, self->set, self->waits, self->count, -1));
		start = now_ns();
		ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
		took[i] = now_ns() - start;
		ASSERT_EQ(self->count * sizeof(*self->records),
			  read(self->set, self->records, self->count * sizeof(*self->records)));
		ASSERT_EQ(0, exec_one(&self->c, i_inval(A)));
		ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
		ASSERT_EQ(0, exec_one(&self->c, i_fence()));
	}
	EXPECT_GT(2 * took[0], took[1])
		TH_LOG("%lld ns, %lld with epolls", (long long)took[0], (long long)took[1]);
}

TEST_F(latency, all_waits_expire_in_one_tick)
{
	struct pollfd poll_fd = { .fd = self->set, .events = POLLIN };
	int64_t deadline = now_ns() + 10 * SECOND;
	uint32_t seen = 0;

	ASSERT_EQ(0, arm_word(&self->c, self->set, self->waits, self->count, deadline));
	ASSERT_EQ(0, measure());
	while (seen < self->count) {
		ssize_t got;

		ASSERT_EQ(1, poll(&poll_fd, 1, -1));
		got = read(self->set, self->records, self->count * sizeof(*self->records));
		ASSERT_LT(0, got);
		seen += got / sizeof(*self->records);
	}
	EXPECT_SHORT("131072 waits expire in one tick");
}

TEST_F(latency, a_wait_set_is_closed_with_all_waits_armed)
{
	ASSERT_EQ(0, arm_word(&self->c, self->set, self->waits, self->count,
			      now_ns() + 3600 * SECOND));
	EXPECT_TAKES_SHORT("a wait set with 131072 armed waits is closed", close(self->set));
	self->set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_EQ(0, arm_word(&self->c, self->set, self->waits, self->count, -1));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_TAKES_SHORT("a wait set with 131072 records is closed", close(self->set));
	self->set = -1;
}

TEST_F(latency, a_cluster_is_lost_with_all_waits_armed)
{
	struct cluster c;

	ASSERT_EQ(0, largest_cluster(&c, DRM_VSM_POLICY_HARDWARE));
	close(self->set);
	self->set = waitset_create(c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_EQ(0, arm_word(&c, self->set, self->waits, self->count, -1));
	*word_at(&c, AT(0, 8)) = VSM_SM_90_POISON;
	ASSERT_EQ(0, measure());
	ASSERT_EQ(-EPROTO, exec_one(&c, i_arrive(AT(0, 8))));
	EXPECT_SHORT("a cluster with 131072 armed waits is lost");
	cluster_close(&c);
}

/* --- many threads ------------------------------------------------------------------- */

TEST_F(latency, all_lanes_of_the_largest_cluster_are_released_together)
{
	int count = arm_lanes(&self->c, self->set, self->waits);

	ASSERT_EQ(LANES_WAITING, count);
	/* Read the records of the barrier.cluster.arrive instructions. */
	ASSERT_EQ(count * sizeof(*self->records),
		  read(self->set, self->records, self->count * sizeof(*self->records)));
	EXPECT_TAKES_SHORT("16352 lanes are released together",
			   play_one(&self->c, CTAS - 1, THREADS - LANES, DRM_VSM_EXEC_WARP,
				    i_cluster_arrive(), NULL));
	ASSERT_EQ(count * sizeof(*self->records),
		  read(self->set, self->records, self->count * sizeof(*self->records)));
}

TEST_F(latency, all_lanes_are_released_by_an_exit)
{
	ASSERT_EQ(LANES_WAITING, arm_lanes(&self->c, self->set, self->waits));
	EXPECT_TAKES_SHORT("16352 lanes are released by an exit",
			   play_one(&self->c, CTAS - 1, THREADS - LANES, DRM_VSM_EXEC_WARP,
				    i_exit(), NULL));
}

TEST_F(latency, a_wait_set_is_closed_with_all_lanes_in_it)
{
	ASSERT_EQ(LANES_WAITING, arm_lanes(&self->c, self->set, self->waits));
	EXPECT_TAKES_SHORT("a wait set with 16352 lanes is closed", close(self->set));
	self->set = -1;
}

#define WARPS (CTAS * THREADS / LANES)

TEST_F(latency, all_warps_of_the_largest_cluster_are_in_a_deadlock)
{
	static struct exec_thread tasks[WARPS];
	static struct drm_vsm_insn insns[WARPS];
	const uint32_t warps = THREADS / LANES;
	int i;

	/* Two warps wait at each barrier, which needs three. The last warp finds the deadlock. */
	for (i = 0; i < WARPS; i++) {
		insns[i] = i_barrier_sync_n(i % 16, 3 * LANES);
		if (i == WARPS - 1)
			ASSERT_EQ(0, measure());
		ASSERT_EQ(0, exec_thread_run(&tasks[i], &self->c,
					     play_args(&self->c, i / warps, i % warps * LANES,
						       DRM_VSM_EXEC_WARP, &insns[i], 1)));
		if (i < WARPS - 1)
			ASSERT_TRUE(exec_thread_suspended(&tasks[i]));
	}
	for (i = 0; i < WARPS; i++)
		exec_thread_join(&tasks[i]);
	EXPECT_SHORT("512 warps deadlock");
	for (i = 0; i < WARPS; i++)
		EXPECT_EQ(-EPROTO, tasks[i].ret);
}

/* --- many objects -------------------------------------------------------------------- */

/*
 * Initialises all words of a CTA. The last init stays pending: a fence before it makes the others
 * visible.
 */
static int init_words(const struct cluster *c, uint32_t cta, struct drm_vsm_insn *insns)
{
	uint32_t i, n = 0;

	for (i = cta ? 0 : 1; i < WORDS; i++) {
		if (i == WORDS - 1)
			insns[n++] = i_fence();
		insns[n++] = i_init(AT(cta, i * 8), 1);
	}
	return play(c, cta, 0, 0, insns, n);
}

TEST_F(latency, every_word_of_the_largest_cluster_is_an_object_and_some_inits_are_pending)
{
	static struct drm_vsm_insn insns[ARM_AT_ONCE];
	uint32_t cta, i;

	ASSERT_EQ(0, measure());
	for (cta = 0; cta < CTAS; cta++)
		ASSERT_EQ(0, init_words(&self->c, cta, insns));
	EXPECT_SHORT("464896 inits");

	ASSERT_EQ(0, measure());
	insns[0] = i_arrive(A);
	insns[0].sem = DRM_VSM_SEM_RELEASE;
	insns[0].scope = DRM_VSM_SCOPE_CLUSTER;
	ASSERT_EQ(0, play(&self->c, 0, 1, 0, insns, 1));
	EXPECT_SHORT("arrive.release.cluster with a pending init");

	EXPECT_TAKES_SHORT("fence.mbarrier_init in a full window",
			   play_one(&self->c, 1, 0, 0, i_fence(), NULL));

	/* Every CTA has a pending init. The first arrival of the CTA has to handle it. */
	ASSERT_EQ(0, measure());
	for (cta = 0; cta < CTAS; cta++)
		for (i = 0; i < THREADS; i += LANES)
			ASSERT_EQ(0, play_one(&self->c, cta, i, DRM_VSM_EXEC_WARP,
					      i_cluster_arrive(), NULL));
	EXPECT_SHORT("barrier.cluster.arrive with a pending init");
	for (cta = 0; cta < CTAS; cta++)
		for (i = 0; i < THREADS; i += LANES)
			ASSERT_EQ(0, play_one(&self->c, cta, i, DRM_VSM_EXEC_WARP,
					      i_cluster_wait(), NULL));

	/* One warp is left. Its init stays pending because its arrivals are relaxed. */
	for (cta = 0; cta < CTAS; cta++)
		for (i = 0; i < THREADS; i += LANES)
			if (cta || i)
				ASSERT_EQ(0, play_one(&self->c, cta, i, DRM_VSM_EXEC_WARP,
						      i_exit(), NULL));
	insns[0] = i_inval(AT(0, 8));
	insns[1] = i_init(AT(0, 8), 1);
	ASSERT_EQ(0, play(&self->c, 0, 0, 0, insns, 2));
	for (i = 0; i < 40000; i += 2) {
		insns[i] = i_cluster_arrive_relaxed();
		insns[i + 1] = i_cluster_wait();
	}
	EXPECT_TAKES_SHORT("20000 phases of barrier.cluster with a pending init",
			   play(&self->c, 0, 0, DRM_VSM_EXEC_WARP, insns, 40000));

	ASSERT_EQ(0, measure());
	cluster_destroy(&self->c);
	EXPECT_SHORT("a cluster of 464896 objects is closed");
	ASSERT_EQ(0, cluster_create(&self->c, self->c.fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
}

/* --- a client that uses all its limits ----------------------------------------------- */

#define JOBS		1024
#define JOB_INSNS	128
#define CLUSTERS	1000
#define HELD		(131072 - CTAS)
#define CHANNELS	15

/*
 * Runs as a client that fills every limit on what may be in flight. Writes a byte to @ready and
 * then sleeps. The device delays copies by an hour, so jobs stay in flight.
 */
static int everything(int ready)
{
	static struct drm_vsm_insn insns[ARM_AT_ONCE];
	struct cluster c, little, held;
	struct drm_vsm_wait *waits;
	struct buffer b;
	uint32_t i, n;
	int set, ret, fd;

	ret = largest_cluster(&c, DRM_VSM_POLICY_STRICT);
	if (ret)
		return ret;
	fd = c.fd;
	set = waitset_create(fd, DRM_VSM_WAITSET_NONBLOCK);
	waits = calloc(vsm_info(fd).client_waits, sizeof(*waits));
	ret = buffer_create(&b, fd, 1 << 20);
	if (set < 0 || !waits || ret)
		return ret ? ret : -ENOMEM;

	for (i = 0; i < CTAS && !ret; i++)
		ret = play_one(&c, i, 0, 0, i_init(AT(i, 0), 1), NULL);
	/*
	 * Some waits are for instructions of lanes. The others are for one word, half of them with
	 * deadlines.
	 */
	ret = ret ? ret : arm_lanes(&c, set, waits);
	if (ret < 0)
		return ret;
	for (i = 2 * ret, n = 0; i < vsm_info(fd).client_waits; i++, n++)
		waits[n] = wait_parity(&c, A, 0, i % 2 ? -1 : now_ns() + 7200 * SECOND, i);
	ret = arm_all(&c, set, waits, n);

	/* Issue copies in a cluster that is held. */
	if (!ret)
		ret = cluster_create(&held, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_HARDWARE) ? :
		      cluster_hold(&held, DRM_VSM_HOLD);
	for (i = 0; i < HELD && !ret; i += n) {
		n = HELD - i < ARM_AT_ONCE ? HELD - i : ARM_AT_ONCE;
		for (uint32_t k = 0; k < n; k++)
			insns[k] = i_g2s(AT(0, 1024 + k % 64 * 16), AT(0, 8), 16, b.handle, 0);
		ret = play(&held, 0, 0, 0, insns, n);
	}

	/* Jobs on all channels. */
	for (i = 0; i < JOBS && !ret; i++) {
		struct drm_vsm_submit args = submit_args(&c, insns, JOB_INSNS);

		if (i < CHANNELS)
			ret = channel_create(fd, i % 2 ? DRM_VSM_CHANNEL_OUT_OF_ORDER : 0);
		args.channel = i % (CHANNELS + 1);
		for (n = 0; n < JOB_INSNS; n++)
			insns[n] = i_s2g(AT(0, 4096), 16, b.handle, n * 16);
		ret = ret < 0 ? ret : vsm_submit(fd, &args);
	}
	for (i = 0; i < CLUSTERS && !ret; i++) {
		struct drm_vsm_cluster_create args = { .ctas = 1, .threads = 32, .smem_bytes = 16 };

		ret = cluster_create_args(&little, fd, &args) ? :
		      play_one(&little, 0, 0, 0, i_init(A, 1), NULL);
	}
	if (ret)
		return ret;
	if (write(ready, "", 1) != 1)
		return -errno;
	for (;;)
		pause();
}

/*
 * Runs everything() in a process of its own and waits until it is ready. Returns the process id, or
 * -1.
 */
static pid_t everything_start(int fd)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (model_set(fd, "latency_ns", NEVER) || pipe2(ends, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		int ret = everything(ends[1]);

		fprintf(stderr, "# %s\n", strerror(-ret));
		_exit(1);
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(ends[0]);
	return pid;
}

TEST_F(latency, a_client_with_everything_in_flight_is_killed)
{
	pid_t pid = everything_start(self->c.fd);

	ASSERT_LT(0, pid);
	ASSERT_EQ(0, measure());
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_SHORT("a client with everything in flight is killed");
	EXPECT_EQ(0, model_set(self->c.fd, "latency_ns", 0));
}

TEST_F(latency, the_device_is_unplugged_with_everything_in_flight)
{
	pid_t pid = everything_start(self->c.fd);

	ASSERT_LT(0, pid);
	EXPECT_TAKES_SHORT("unplug of a client with everything in flight", device_unbind());
	ASSERT_EQ(0, measure());
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_SHORT("a client with everything in flight is killed after that");
	ASSERT_EQ(0, device_bind());
}

TEST_F(latency, fdinfo_of_a_client_with_many_objects_is_read)
{
	struct drm_vsm_buffer_create args = { .size = 1 };
	struct usage u;
	int i;

	for (i = 0; i < OBJECTS; i++)
		ASSERT_EQ(0, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args));
	EXPECT_TAKES_SHORT("fdinfo of a client with 30000 objects is read",
			   usage_read(self->c.fd, &u));
	EXPECT_EQ(self->c.size + OBJECTS * 4096ULL, u.total);
}

TEST_HARNESS_MAIN
