// SPDX-License-Identifier: GPL-2.0-only
/*
 * As many waits for one word as a client may have. They end in batches, and each wait ends once. If
 * the batches block the kernel for too long, tools/vm/run finds a warning in the log.
 */
#include <sys/epoll.h>
#include <sys/resource.h>

#include "vsm_test.h"

#define A	AT(0, 0)
#define B	AT(0, 8)
#define EPOLLS	1000
#define CHUNK	4096

FIXTURE(many_waits)
{
	struct cluster c;
	int set;
	uint32_t count;
	struct drm_vsm_wait *waits;
	struct drm_vsm_wait_record *records;
	uint8_t *ended;				/* how often each wait has ended */
};

FIXTURE_SETUP(many_waits)
{
	ASSERT_EQ(0, cluster_open_plain(&self->c, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(B, 1)));
	self->set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_LE(0, self->set);
	self->count = repeat(vsm_info(self->c.fd).client_waits);
	/* Some tests arm a chunk, however small the share of the tests is. */
	if (self->count < CHUNK)
		self->count = CHUNK;
	self->waits = calloc(self->count, sizeof(*self->waits));
	self->records = calloc(CHUNK, sizeof(*self->records));
	self->ended = calloc(self->count, 1);
	ASSERT_NE(NULL, self->waits);
	ASSERT_NE(NULL, self->records);
	ASSERT_NE(NULL, self->ended);
}

FIXTURE_TEARDOWN(many_waits)
{
	if (self->set >= 0)
		close(self->set);
	EXPECT_EQ(0, cluster_close(&self->c));
	free(self->waits);
	free(self->records);
	free(self->ended);
}

/* Arms @count waits. Their user data are consecutive numbers, beginning with @first. */
static int arm(const struct cluster *c, int set, struct drm_vsm_wait *waits, uint32_t first,
	       uint32_t count, uint32_t addr, uint32_t parity, int64_t deadline)
{
	uint32_t i, some;
	int ret;

	for (i = 0; i < count; i++)
		waits[first + i] = wait_parity(c, addr, parity, deadline, first + i);
	for (i = 0; i < count; i += some) {
		some = count - i < 65536 ? count - i : 65536;
		ret = waitset_arm(c->fd, set, &waits[first + i], some, NULL);
		if (ret)
			return ret;
	}
	return 0;
}

#define ARM(first, n, addr, parity, deadline) \
	arm(&self->c, self->set, self->waits, first, n, addr, parity, deadline)

/*
 * Reads all records. Each must have @status, and they must come in the order of their user data.
 * Returns their number.
 */
static uint32_t read_in_order(int set, struct drm_vsm_wait_record *records, uint32_t first,
			      uint32_t status)
{
	uint32_t seen = 0;
	ssize_t got;
	int i;

	while ((got = read(set, records, CHUNK * sizeof(*records))) > 0)
		for (i = 0; i < got / (ssize_t)sizeof(*records); i++)
			if (records[i].status != status || records[i].user_data != first + seen++)
				return -1U;
	return seen;
}

#define READ(first, status) read_in_order(self->set, self->records, first, status)

TEST_F(many_waits, one_arrive_ends_all_waits_in_order_and_wakes_every_epoll)
{
	struct rlimit limit = { .rlim_cur = 2 * EPOLLS, .rlim_max = 2 * EPOLLS };
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int epolls[EPOLLS];
	int i, n = repeat(EPOLLS);

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	for (i = 0; i < n; i++) {
		epolls[i] = epoll_create1(0);
		ASSERT_LE(0, epolls[i]);
		ASSERT_EQ(0, epoll_ctl(epolls[i], EPOLL_CTL_ADD, self->set, &event));
		EXPECT_EQ(0, epoll_wait(epolls[i], &event, 1, 0));
		event.events = EPOLLIN | EPOLLET;
	}
	ASSERT_EQ(0, ARM(0, self->count, A, 0, -1));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	/* The arrive returns only after it has woken every epoll: a timeout of 0 is enough. */
	for (i = 0; i < n; i++)
		EXPECT_EQ(1, epoll_wait(epolls[i], &event, 1, 0));
	EXPECT_EQ(self->count, READ(0, DRM_VSM_WAIT_COMPLETE));
	for (i = 0; i < n; i++)
		close(epolls[i]);
}

TEST_F(many_waits, all_waits_expire_at_one_time_and_no_sooner)
{
	int64_t deadline = now_ns() + SECOND / 2;
	struct pollfd poll_fd = { .fd = self->set, .events = POLLIN };
	uint32_t seen = 0, i;
	ssize_t got;

	ASSERT_EQ(0, ARM(0, self->count, A, 0, deadline));
	while (seen < self->count) {
		ASSERT_EQ(1, poll(&poll_fd, 1, -1));
		ASSERT_LE(deadline, now_ns());
		got = read(self->set, self->records, CHUNK * sizeof(*self->records));
		ASSERT_LT(0, got);
		for (i = 0; i < got / sizeof(*self->records); i++) {
			ASSERT_EQ(DRM_VSM_WAIT_EXPIRED, self->records[i].status);
			ASSERT_GT(self->count, self->records[i].user_data);
			ASSERT_EQ(0, self->ended[self->records[i].user_data]++);
		}
		seen += i;
	}
	EXPECT_EQ(-EAGAIN, waitset_read(self->set, self->records));
}

TEST_F(many_waits, deadlines_that_are_over_already_expire_at_once)
{
	ASSERT_EQ(0, ARM(0, CHUNK, A, 0, now_ns()));
	EXPECT_EQ(CHUNK, READ(0, DRM_VSM_WAIT_EXPIRED));
}

TEST_F(many_waits, deadlines_end_in_their_order_however_they_were_armed)
{
	struct pollfd poll_fd = { .fd = self->set, .events = POLLIN };
	int64_t start = now_ns() + SECOND / 10;
	struct drm_vsm_wait_record record;
	uint64_t last = 0;
	uint32_t i;

	for (i = 0; i < 500; i++) {
		uint32_t place = i * 137 % 500;
		struct drm_vsm_wait wait = wait_parity(&self->c, place % 2 ? A : B, 0,
						       start + place * 100000, place);

		ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	}
	for (i = 0; i < 500; i++) {
		ASSERT_EQ(1, poll(&poll_fd, 1, -1));
		ASSERT_EQ(1, waitset_read(self->set, &record));
		ASSERT_EQ(DRM_VSM_WAIT_EXPIRED, record.status);
		ASSERT_LE(start + (int64_t)record.user_data * 100000, now_ns());
		last += record.user_data;
	}
	EXPECT_EQ(499 * 500 / 2, last);
}

TEST_F(many_waits, all_waits_end_with_the_cluster)
{
	struct cluster c;

	ASSERT_EQ(0, cluster_create(&c, self->c.fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, arm(&c, self->set, self->waits, 0, self->count, A, 0, -1));
	*word_at(&c, B) = VSM_SM_90_POISON;
	EXPECT_EQ(-EPROTO, exec_one(&c, i_arrive(B)));
	EXPECT_EQ(self->count, READ(0, DRM_VSM_WAIT_CLUSTER_LOST));
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(many_waits, waits_for_the_other_parity_do_not_end)
{
	uint64_t old = word(&self->c, A);

	ASSERT_EQ(0, ARM(0, 1000, A, 0, -1));
	/* A store of user space to the word ends no wait. */
	*word_at(&self->c, A) = old ^ VSM_MBARRIER_PHASE;
	ASSERT_EQ(0, ARM(1000, 1000, A, 1, -1));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(1000, READ(1000, DRM_VSM_WAIT_COMPLETE));
	ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(1000, READ(0, DRM_VSM_WAIT_COMPLETE));
}

/* A task that arrives when @go is set */
struct arriver {
	const struct cluster *c;
	atomic_bool go;	/* set when the task shall arrive */
	int ret;	/* result of the arrive */
};

static void *arrive_main(void *arg)
{
	struct arriver *a = arg;

	while (!a->go)
		sched_yield();
	a->ret = exec_one(a->c, i_arrive(A));
	return NULL;
}

TEST_F(many_waits, a_wait_is_cancelled_or_gives_its_record_and_never_both)
{
	struct arriver a = { .c = &self->c };
	uint32_t round, i, n = 2048;
	pthread_t task;

	for (round = 0; round < repeat(40); round++) {
		uint32_t cancelled = 0, seen = 0;
		ssize_t got;

		ASSERT_EQ(0, ARM(0, n, A, round % 2, -1));
		a.go = false;
		ASSERT_EQ(0, pthread_create(&task, NULL, arrive_main, &a));
		a.go = true;
		for (i = n; i--;) {
			int ret = waitset_cancel(self->c.fd, self->set, self->waits[i].id);

			self->ended[i] = !ret;
			cancelled += !ret;
			ASSERT_TRUE(!ret || ret == -ENOENT);
		}
		ASSERT_EQ(0, pthread_join(task, NULL));
		ASSERT_EQ(0, a.ret);
		while ((got = read(self->set, self->records,
				   CHUNK * sizeof(*self->records))) > 0) {
			for (i = 0; i < got / sizeof(*self->records); i++)
				ASSERT_EQ(0, self->ended[self->records[i].user_data]++);
			seen += i;
		}
		ASSERT_EQ(n, cancelled + seen);
		ASSERT_EQ(0, exec_look(&self->c, A));
	}
}

TEST_F(many_waits, a_set_is_closed_while_its_waits_end)
{
	struct arriver a = { .c = &self->c };
	pthread_t task;
	uint32_t round;

	for (round = 0; round < repeat(200); round++) {
		ASSERT_EQ(0, ARM(0, 1024, A, round % 2, -1));
		a.go = false;
		ASSERT_EQ(0, pthread_create(&task, NULL, arrive_main, &a));
		a.go = true;
		if (round % 3)
			sched_yield();
		ASSERT_EQ(0, close(self->set));
		ASSERT_EQ(0, pthread_join(task, NULL));
		ASSERT_EQ(0, a.ret);
		ASSERT_EQ(0, exec_look(&self->c, A));
		self->set = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
		ASSERT_LE(0, self->set);
	}
}

TEST_F(many_waits, a_wait_armed_meanwhile_for_the_next_phase_waits_for_it)
{
	int next = waitset_create(self->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	struct arriver a = { .c = &self->c };
	struct drm_vsm_wait_record record;
	uint32_t round, n = CHUNK;
	pthread_t task;

	for (round = 0; round < repeat(40); round++) {
		struct drm_vsm_wait wait;

		ASSERT_EQ(0, ARM(0, n, A, 0, -1));
		a.go = false;
		ASSERT_EQ(0, pthread_create(&task, NULL, arrive_main, &a));
		a.go = true;
		/*
		 * Until phase 0 completes, a wait for parity 1 refers to the phase before phase 0.
		 * Such a wait completes at once.
		 */
		do {
			wait = wait_parity(&self->c, A, 1, -1, 7);
			ASSERT_EQ(0, waitset_arm(self->c.fd, next, &wait, 1, NULL));
		} while (waitset_read(next, &record) == 1);
		ASSERT_EQ(0, pthread_join(task, NULL));
		ASSERT_EQ(0, a.ret);
		ASSERT_EQ(n, READ(0, DRM_VSM_WAIT_COMPLETE));
		ASSERT_EQ(-EAGAIN, waitset_read(next, &record));
		ASSERT_EQ(0, exec_one(&self->c, i_arrive(A)));
		ASSERT_EQ(1, waitset_read(next, &record));
		ASSERT_EQ(DRM_VSM_WAIT_COMPLETE, record.status);
		ASSERT_EQ(0, exec_look(&self->c, A));
	}
	close(next);
}

TEST_HARNESS_MAIN
