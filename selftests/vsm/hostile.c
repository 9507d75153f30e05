// SPDX-License-Identifier: GPL-2.0-only
/*
 * All hostile actions at once. Tasks race on one cluster with streams of random and mutated
 * instructions and with random calls. Other tasks scribble over its words. Processes are killed at
 * any instruction, or close files in use. Rules of injection make things fail. The device is
 * unbound and bound again under all of them. Every call must return 0 or a documented errno, and
 * the device must work afterwards. The test runner looks for kernel errors in the log.
 *
 * The environment variable VSM_TEST_OPS sets the number of operations. A call is one operation, and
 * so is each instruction of stream() that the device executes or refuses. VSM_TEST_SEED sets the
 * seed.
 */
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include "driver.h"
#include "inject.h"
#include "nonsense.h"

/* The number of operations decides how long a test runs. alarm() ends a test that hangs. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 0
#define HANGS		1800	/* a test hangs if no operation executes for so many seconds */

#define CTAS		4
#define QUIET		8
#define STREAM		4096
#define STREAMERS	6
#define CALLERS		2

static struct counts {
	atomic_ullong executed;		/* instructions */
	atomic_ullong refused;
	atomic_ullong calls;		/* ioctls and reads */
	atomic_ullong scribbled;	/* words */
	atomic_ullong processes;
	atomic_ullong killed;
	atomic_ullong unplugged;
	atomic_int undocumented;	/* an undocumented result of a call */
	atomic_bool stop;
	unsigned long long limit;
} *counts;

static unsigned long long done(void)
{
	return counts->executed + counts->refused + counts->calls;
}

struct life {
	struct cluster c;
	uint32_t syncobjs[SYNCOBJS];
	uint64_t seed;
	bool sm_80;
	atomic_ulong calls;
	atomic_bool stop;
};

/*
 * Records the result of a call if it is undocumented. Returns false if the cluster or the device is
 * lost.
 */
static bool check_result(int ret)
{
	if (!documented(ret))
		atomic_store(&counts->undocumented, ret);
	return ret != -EIO && ret != -ENODEV;
}

static uint64_t a_seed(struct life *life)
{
	static atomic_ulong more;

	return life->seed + 1000003 * atomic_fetch_add(&more, 1);
}

/*
 * Returns the address of an mbarrier that is seldom overwritten or invalidated. A phase of it needs
 * 2^19 arrivals.
 */
static uint32_t quiet_word(uint32_t cta, uint32_t i)
{
	return AT(cta, 0x20 + 8 * i);
}

static int quiet_init(const struct cluster *c)
{
	struct drm_vsm_insn insns[QUIET + 1];
	struct drm_vsm_exec args = exec_args(c, insns, QUIET + 1);
	uint32_t cta, i;
	int ret = 0;

	for (cta = 0; cta < CTAS && !ret; cta++) {
		for (i = 0; i < QUIET; i++)
			insns[i] = i_init(quiet_word(cta, i), 1 << 19);
		insns[i] = i_fence();
		args.cta = cta;
		args.retired = 0;
		ret = vsm_exec(c->fd, &args);
		/* Layout sm_80 lacks the fence, which is the last instruction. */
		if (ret == -EOPNOTSUPP && args.retired == QUIET)
			ret = 0;
	}
	return ret;
}

/*
 * Makes an instruction that the thread may execute in most cases, to let streams run far. The
 * instruction is no rendezvous and does not wait for an arrival.
 */
static struct drm_vsm_insn passing_insn(const struct life *life, uint32_t cta, uint64_t *seed)
{
	uint32_t quiet = quiet_word(random_next(seed) % 64 ? cta : random_next(seed) % CTAS,
				    random_next(seed) % QUIET);
	enum { SM_80_TOO = 3 };
	struct drm_vsm_insn often[] = {
		i_arrive(quiet), i_test_parity(quiet, 0), i_arrive(quiet),
		/* Layout sm_80 lacks the following instructions. */
		i_sink(i_arrive(quiet)), i_expect_tx(quiet, 16), i_complete_tx(quiet, 16),
		i_order(DRM_VSM_SEM_RELEASE, DRM_VSM_SCOPE_CLUSTER),
	};
	struct drm_vsm_insn insn;

	if (random_next(seed) % 32)
		return often[random_next(seed) % (life->sm_80 ? SM_80_TOO : ITEMS(often))];
	insn = random_insn(seed);
	if (insn.op == DRM_VSM_OP_MBARRIER_TRY_WAIT)
		insn.op = DRM_VSM_OP_MBARRIER_TEST_WAIT;
	if (insn.op >= DRM_VSM_OP_MATCH_SYNC && insn.op <= DRM_VSM_OP_EXIT)
		return i_arrive(random_addr(seed));
	return insn;
}

/* Executes one stream again and again. Replaces instructions that are refused, and some others. */
static void *stream(void *arg)
{
	struct life *life = arg;
	uint64_t seed = a_seed(life);
	struct drm_vsm_insn *insns = calloc(STREAM, sizeof(*insns));
	uint32_t cta = random_next(&seed) % CTAS, i, at;
	int ret = 0;

	for (i = 0; insns && i < STREAM; i++)
		insns[i] = passing_insn(life, cta, &seed);
	while (insns && !atomic_load(&life->stop)) {
		struct drm_vsm_exec args = play_args(&life->c, cta, 0, 0, insns, STREAM);

		do {
			at = args.retired;
			ret = vsm_exec(life->c.fd, &args);
			counts->executed += args.retired - at;
			counts->calls++;
			life->calls++;
			if (!ret || !check_result(ret) || ret == -EINTR || ret == -ENOMEM)
				break;
			counts->refused++;
			insns[args.retired] = passing_insn(life, cta, &seed);
			args.retired++;
		} while (args.retired < STREAM);
		if (!check_result(ret))
			break;
		for (i = random_next(&seed) % (STREAM / 16); i; i--) {
			at = random_next(&seed) % STREAM;
			insns[at] = passing_insn(life, cta, &seed);
			if (random_next(&seed) % 8 == 0)
				mutate(&insns[at], sizeof(insns[at]), &seed);
		}
	}
	free(insns);
	return NULL;
}

static void *call(void *arg)
{
	struct life *life = arg;
	struct actor a = { .c = &life->c, .syncobjs = life->syncobjs, .seed = a_seed(life) };

	a.set = waitset_create(a.c->fd, DRM_VSM_WAITSET_NONBLOCK);
	while (!atomic_load(&life->stop) && check_result(random_call(&a))) {
		counts->calls++;
		life->calls++;
	}
	close(a.set);
	return NULL;
}

static void *scribbler(void *arg)
{
	const uint64_t low = (1 << 18) - 1, tame = VSM_MBARRIER_PHASE | low << VSM_SM_90_TX_SHIFT |
		low << VSM_SM_90_PENDING_SHIFT | low << VSM_SM_90_EXPECTED_SHIFT;
	struct life *life = arg;
	struct actor a = { .c = &life->c, .seed = a_seed(life) };

	while (!atomic_load(&life->stop)) {
		uint64_t r = random_next(&a.seed);

		/* A trap loses the cluster: most words have no poison, and moderate counts. */
		if (r % 4096)
			r = vsm_mbarrier_init(VSM_LAYOUT_SM_90, 1 << 19) ^ (r & tame);
		atomic_store(word_at(a.c, random_addr(&a.seed)), r);
		counts->scribbled++;
		sched_yield();
	}
	return NULL;
}

/* Adds rules of every kind, which the other tasks run into, and removes them. */
static void *rules(void *arg)
{
	struct life *life = arg;
	uint64_t seed = a_seed(life);

	while (!atomic_load(&life->stop)) {
		inject(life->c.fd, random_rule(&seed));
		poll(NULL, 0, 1);
		if (random_next(&seed) % 4 == 0)
			inject_remove(life->c.fd, 0);
	}
	return NULL;
}

/* A rule has refused a page of a mapping. */
static void no_page(int signum)
{
	_exit(0);
}

/* Kills this process after @ns, whatever it is executing then. */
static void kill_later(uint64_t ns)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
	struct itimerspec when = { .it_value = { ns / SECOND, ns % SECOND } };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &when, NULL))
		_exit(1);
}

/* Makes a cluster and tasks, and ends its process without cleaning up. */
static void live(uint64_t seed)
{
	uint64_t r = random_next(&seed);
	struct drm_vsm_cluster_create args = {
		.ctas = CTAS, .threads = r >> 7 & 1 ? 40 : 1, .smem_bytes = 4096,
		.layout = r & 1 && r & 2 ? VSM_LAYOUT_SM_80 : VSM_LAYOUT_SM_90,
		.policy = r & 4 ? DRM_VSM_POLICY_HARDWARE : DRM_VSM_POLICY_STRICT,
		.report = r & 32 ? REPORTABLE & random_next(&seed) : 0,
		.trace_events = r >> 40 & 1 ? 256 : 0,
	};
	static struct life life;
	unsigned long calls, budget = 1 + (r >> 8) % 16384;
	struct buffer b;
	pthread_t task;
	int i, fd, ret;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while ((fd = vsm_open()) < 0) {
		if (counts->stop)
			_exit(0);
		poll(NULL, 0, 1);	/* until the device is back */
	}
	life.seed = seed;
	life.sm_80 = args.layout == VSM_LAYOUT_SM_80;
	life.c.fd = fd;
	ret = buffer_create(&b, fd, 8192) ? : cluster_create_args(&life.c, fd, &args) ? :
	      quiet_init(&life.c);
	if (ret)
		_exit(ret != -ENODEV);	/* the device may be unbound again */
	for (i = 0; i < SYNCOBJS; i++)
		life.syncobjs[i] = syncobj_create(fd);
	if (r & 8)
		kill_later((r >> 24) % 100000000);
	/* A quarter of the processes have rules. */
	if (r >> 41 & 1 && r >> 42 & 1 &&
	    (signal(SIGBUS, no_page) == SIG_ERR || pthread_create(&task, NULL, rules, &life)))
		_exit(1);
	/* Half of the processes have no scribbler: their streams run further. */
	for (i = 0; i < STREAMERS + CALLERS + (r >> 6) % 2; i++)
		if (pthread_create(&task, NULL, i < STREAMERS ? stream :
				   i < STREAMERS + CALLERS ? call : scribbler, &life))
			_exit(1);
	/*
	 * Wait until the tasks have made enough calls. Also end when they make no more calls: they
	 * may be suspended for ever, or the cluster may be lost. The tasks are not joined, because
	 * the process shall end while they are inside calls.
	 */
	do {
		calls = life.calls;
		poll(NULL, 0, 100);
	} while (life.calls != calls && life.calls < budget && done() < counts->limit);
	if (r & 16)
		close(fd);
	_exit(0);
}

static void *unplug(void *arg)
{
	unsigned long long next = 0;

	while (!counts->stop) {
		if (counts->processes >= next) {
			next = counts->processes + 20;
			if (device_unbind())
				break;	/* this user is not root, or there is no such device */
			counts->unplugged++;
			while (device_bind() == -EBUSY && !counts->stop)
				sched_yield();
		}
		poll(NULL, 0, 10);
	}
	return NULL;
}

static void print_counts(uint64_t seed, int64_t start)
{
	fprintf(stderr, "# seed %llu: %llu instructions executed, %llu refused; %llu calls; "
		"%llu words scribbled; %llu processes, of which %llu were killed; %llu unplugs; "
		"%llu s\n", (unsigned long long)seed, counts->executed, counts->refused,
		counts->calls, counts->scribbled, counts->processes, counts->killed,
		counts->unplugged, (now_ns() - start) / SECOND);
}

TEST(everything_hostile_at_once_harms_nobody)
{
	const char *ops = getenv("VSM_TEST_OPS"), *first = getenv("VSM_TEST_SEED");
	uint64_t seed = first ? strtoull(first, NULL, 0) : 1;
	int i, running = 0, status, workers = 2 * sysconf(_SC_NPROCESSORS_ONLN);
	int64_t start = now_ns(), printed = start;
	unsigned long long seen = 0;
	struct cluster c;
	pthread_t task;

	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	ASSERT_NE(MAP_FAILED, counts);
	counts->limit = ops ? strtoull(ops, NULL, 0) : repeat(1000000);
	alarm(HANGS);
	ASSERT_EQ(0, pthread_create(&task, NULL, unplug, NULL));
	while (running || done() < counts->limit) {
		if (running < workers && done() < counts->limit) {
			pid_t pid = fork();

			ASSERT_LE(0, pid);
			if (!pid)
				live(seed * 1000000007ULL + counts->processes);
			counts->processes++;
			running++;
			continue;
		}
		if (done() != seen) {
			seen = done();
			alarm(HANGS);
		}
		ASSERT_LT(0, wait(&status));
		running--;
		if (WIFSIGNALED(status)) {
			EXPECT_EQ(SIGKILL, WTERMSIG(status));
			counts->killed++;
		} else {
			EXPECT_EQ(0, WEXITSTATUS(status));
		}
		if (now_ns() - printed > 60 * SECOND) {
			printed = now_ns();
			print_counts(seed, start);
		}
	}
	counts->stop = true;
	pthread_join(task, NULL);
	EXPECT_EQ(0, counts->undocumented);
	print_counts(seed, start);

	ASSERT_EQ(0, cluster_open(&c, &(struct drm_vsm_cluster_create){
		.ctas = 1, .threads = 1, .smem_bytes = 64 }));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, exec_one(&c, i ? i_arrive(AT(0, 0)) : i_init(AT(0, 0), 1)));
	cluster_close(&c);
}

TEST_HARNESS_MAIN
