// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wait sets: how waits end, and what read() and poll() then return. arm.c tests what can be armed,
 * lifetime.c and unbind.c the loss of the device.
 */
#include <sys/epoll.h>
#include <sys/resource.h>

#include "vsm_test.h"

#define WORD(n) AT((n) % 4, 8 * ((n) / 4))
#define WORDS 64
#define MS 1000000

FIXTURE(waitset)
{
	struct cluster c;
	int set;
	uint32_t parity[WORDS];		/* of the phase in progress */
};

FIXTURE_SETUP(waitset)
{
	int i, fd = vsm_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cluster_create(&self->c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	for (i = 0; i < WORDS; i++) {
		ASSERT_EQ(0, exec_at(&self->c, i % 4, i_init(WORD(i), 1), NULL));
		self->parity[i] = 0;
	}
	self->set = waitset_create(fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_LE(0, self->set);
}

FIXTURE_TEARDOWN(waitset)
{
	int i;

	close(self->set);
	/* A closed set leaves no waiter behind: otherwise inval would fail. */
	for (i = 0; i < WORDS; i++)
		EXPECT_EQ(0, exec_at(&self->c, i % 4, i_inval(WORD(i)), NULL));
	EXPECT_EQ(0, cluster_close(&self->c));
}

static int arm_on(const struct cluster *c, int set, uint32_t n, uint32_t parity, int64_t deadline,
		  uint64_t data, uint64_t *id)
{
	struct drm_vsm_wait wait = wait_parity(c, WORD(n), parity, deadline, data);
	int ret = waitset_arm(c->fd, set, &wait, 1, NULL);

	if (!ret && (wait.fault || wait.id == POISON))
		return -EBADMSG;
	if (id)
		*id = wait.id;
	return ret;
}

static int complete(const struct cluster *c, uint32_t n)
{
	return exec_at(c, n % 4, i_arrive(WORD(n)), NULL);
}

#define ARM(n, data) arm_on(&self->c, self->set, n, self->parity[n], -1, data, NULL)
#define COMPLETE(n) (self->parity[n] ^= 1, complete(&self->c, n))

TEST_F(waitset, malformed_creation_is_refused)
{
	static const struct drm_vsm_waitset_create bad[] = {
		{ .flags = 2, .record_stride = 24 }, { .flags = 1U << 31, .record_stride = 24 },
		{ .pad = 1, .record_stride = 24 }, { .record_stride = 0 }, { .record_stride = 16 },
		{ .record_stride = 28 }, { .record_stride = 25 }, { .record_stride = 264 },
		{ .record_stride = 0xfffffff8 },
	};
	struct rlimit limit, few;
	size_t i;

	for (i = 0; i < ITEMS(bad); i++) {
		struct drm_vsm_waitset_create args = bad[i];

		EXPECT_EQ(-EINVAL, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_WAITSET_CREATE, &args));
	}
	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
	few = limit;
	few.rlim_cur = self->set + 1;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &few));
	EXPECT_EQ(-EMFILE, waitset_create(self->c.fd, 0));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
}

TEST_F(waitset, flags_of_the_descriptor_are_as_asked)
{
	int blocking = waitset_create(self->c.fd, 0);
	char byte = 0;

	EXPECT_EQ(FD_CLOEXEC, fcntl(self->set, F_GETFD) & FD_CLOEXEC);
	EXPECT_EQ(FD_CLOEXEC, fcntl(blocking, F_GETFD) & FD_CLOEXEC);
	EXPECT_EQ(O_NONBLOCK, fcntl(self->set, F_GETFL) & O_NONBLOCK);
	EXPECT_EQ(0, fcntl(blocking, F_GETFL) & O_NONBLOCK);
	EXPECT_EQ(-1, write(blocking, &byte, 1));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, blocking, 0));
	close(blocking);
}

TEST_F(waitset, a_completed_phase_gives_one_record)
{
	uint64_t id;
	struct drm_vsm_wait_record record;

	ASSERT_EQ(0, arm_on(&self->c, self->set, 5, 0, -1, 0x1122334455667788, &id));
	EXPECT_EQ(0, poll_events(self->set));
	EXPECT_EQ(-EAGAIN, waitset_read(self->set, &record));
	ASSERT_EQ(0, COMPLETE(5));
	EXPECT_EQ(POLLIN, poll_events(self->set));
	ASSERT_EQ(1, waitset_read(self->set, &record));
	EXPECT_EQ(0x1122334455667788, record.user_data);
	EXPECT_EQ(id, record.id);
	EXPECT_EQ(DRM_VSM_WAIT_COMPLETE, record.status);
	EXPECT_EQ(0, record.pad);
	EXPECT_EQ(0, poll_events(self->set));
	EXPECT_EQ(-EAGAIN, waitset_read(self->set, &record));
	/* The wait has ended: later phases give no record. */
	ASSERT_EQ(0, COMPLETE(5));
	EXPECT_EQ(0, poll_events(self->set));
}

TEST_F(waitset, what_is_complete_already_ends_at_once)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, WORD(3), 0, -1, 8);
	struct drm_vsm_wait_record record;
	uint64_t token;

	ASSERT_EQ(0, arm_on(&self->c, self->set, 3, 1, -1, 7, NULL));	/* a fresh object */
	EXPECT_EQ(POLLIN, poll_events(self->set));
	ASSERT_EQ(1, waitset_read(self->set, &record));
	EXPECT_EQ(7, record.user_data);
	EXPECT_EQ(DRM_VSM_WAIT_COMPLETE, record.status);

	/*
	 * The deadline has passed and the phase is complete. The wait then completes and does not
	 * expire.
	 */
	ASSERT_EQ(0, exec_at(&self->c, 3, i_arrive(WORD(3)), &token));
	wait.flags = 0;
	wait.state = token;
	wait.deadline = 1;
	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	ASSERT_EQ(1, waitset_read(self->set, &record));
	EXPECT_EQ(8, record.user_data);
	EXPECT_EQ(DRM_VSM_WAIT_COMPLETE, record.status);
}

TEST_F(waitset, records_come_in_the_order_of_completion)
{
	struct drm_vsm_wait_record records[WORDS + 1];
	int i;

	for (i = 0; i < WORDS; i++)
		ASSERT_EQ(0, ARM(i, i));
	for (i = 0; i < WORDS; i++)
		ASSERT_EQ(0, COMPLETE(i * 37 % WORDS));
	/* read() returns as many whole records as fit. */
	EXPECT_EQ(2 * sizeof(struct drm_vsm_wait_record),
		  read(self->set, records, 3 * sizeof(struct drm_vsm_wait_record) - 1));
	EXPECT_EQ((WORDS - 2) * sizeof(struct drm_vsm_wait_record),
		  read(self->set, records + 2,
		       sizeof(records) - 2 * sizeof(struct drm_vsm_wait_record)));
	for (i = 0; i < WORDS; i++) {
		EXPECT_EQ(i * 37 % WORDS, records[i].user_data);
		EXPECT_EQ(DRM_VSM_WAIT_COMPLETE, records[i].status);
	}
	EXPECT_EQ(0, poll_events(self->set));
}

TEST_F(waitset, a_buffer_for_less_than_a_record_is_einval)
{
	char buffer[sizeof(struct drm_vsm_wait_record)];

	EXPECT_EQ(-1, read(self->set, buffer, sizeof(buffer) - 1));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(0, ARM(0, 0));
	ASSERT_EQ(0, COMPLETE(0));
	EXPECT_EQ(-1, read(self->set, buffer, sizeof(buffer) - 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, read(self->set, buffer, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(sizeof(buffer), read(self->set, buffer, sizeof(buffer)));
}

TEST_F(waitset, a_larger_record_is_filled_up_with_zeros)
{
	struct drm_vsm_waitset_create args = { .record_stride = 256, .flags = 1 };
	unsigned char buffer[3 * 256];
	int i;

	ASSERT_EQ(0, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_WAITSET_CREATE, &args));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, arm_on(&self->c, args.fd, 9, 1, -1, 100 + i, NULL));
	memset(buffer, 0xa5, sizeof(buffer));
	EXPECT_EQ(-1, read(args.fd, buffer, 255));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(512, read(args.fd, buffer, sizeof(buffer)));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(100 + i, ((struct drm_vsm_wait_record *)(buffer + 256 * i))->user_data);
	for (i = sizeof(struct drm_vsm_wait_record); i < 512; i++) {
		if (i < 256 || i >= 256 + sizeof(struct drm_vsm_wait_record))
			EXPECT_EQ(0, buffer[i]);
	}
	for (; i < sizeof(buffer); i++)
		EXPECT_EQ(0xa5, buffer[i]);
	close(args.fd);
}

TEST_F(waitset, a_record_that_cannot_be_delivered_is_kept)
{
	unsigned char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_vsm_wait_record record;
	int i;

	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, ARM(i, i));
		ASSERT_EQ(0, COMPLETE(i));
	}
	ASSERT_EQ(0, mprotect(pages + 4096, 4096, PROT_NONE));
	EXPECT_EQ(-1, read(self->set, pages + 4096, 4096));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, read(self->set, pages + 4096 - 8, 4096));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(POLLIN, poll_events(self->set));
	/*
	 * Two records fit before the inaccessible page. The third one is kept for the next read().
	 */
	EXPECT_EQ(2 * sizeof(struct drm_vsm_wait_record),
		  read(self->set, pages + 4096 - 2 * sizeof(struct drm_vsm_wait_record) - 8, 4096));
	for (i = 2; i < 4; i++) {
		ASSERT_EQ(1, waitset_read(self->set, &record));
		EXPECT_EQ(i, record.user_data);
	}
	EXPECT_EQ(-EAGAIN, waitset_read(self->set, &record));

	/* If the only record cannot be delivered, it is also kept. Later records come after it. */
	ASSERT_EQ(0, ARM(4, 4));
	ASSERT_EQ(0, COMPLETE(4));
	EXPECT_EQ(-1, read(self->set, pages + 4096, 4096));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(0, ARM(5, 5));
	ASSERT_EQ(0, COMPLETE(5));
	for (i = 4; i < 6; i++) {
		ASSERT_EQ(1, waitset_read(self->set, &record));
		EXPECT_EQ(i, record.user_data);
	}
	EXPECT_EQ(-EAGAIN, waitset_read(self->set, &record));
}

/* --- blocking read() and poll() ------------------------------------------- */

struct reader {
	int set;
	bool by_poll;
	atomic_int tid;
	int ret;
	struct drm_vsm_wait_record record;
	pthread_t thread;
};

static void *reader_main(void *arg)
{
	struct reader *r = arg;
	struct pollfd p = { .fd = r->set, .events = POLLIN };

	atomic_store(&r->tid, get_tid());
	r->ret = r->by_poll ? poll(&p, 1, -1) : waitset_read(r->set, &r->record);
	if (r->by_poll && r->ret == 1)
		r->ret = p.revents;
	return NULL;
}

TEST_F(waitset, read_blocks_until_a_wait_ends)
{
	struct reader r = { .set = waitset_create(self->c.fd, 0) };
	int i;

	for (i = 0; i < 20; i++) {
		atomic_store(&r.tid, 0);
		if (i % 2)
			ASSERT_EQ(0, arm_on(&self->c, r.set, 1, i / 2 % 2, -1, i, NULL));
		ASSERT_EQ(0, pthread_create(&r.thread, NULL, reader_main, &r));
		ASSERT_TRUE(wait_until_thread_blocked(&r.tid, SYS_read));
		/* A completion wakes the reader, and so does arming a wait that is complete. */
		ASSERT_EQ(0, i % 2 ? complete(&self->c, 1)
				   : arm_on(&self->c, r.set, 0, 1, -1, i, NULL));
		pthread_join(r.thread, NULL);
		ASSERT_EQ(1, r.ret);
		EXPECT_EQ(i, r.record.user_data);
	}
	close(r.set);
}

TEST_F(waitset, poll_blocks_until_a_wait_ends)
{
	struct reader r = { .set = self->set, .by_poll = true };
	struct drm_vsm_wait_record record;
	int i;

	for (i = 0; i < 20; i++) {
		atomic_store(&r.tid, 0);
		ASSERT_EQ(0, ARM(i, i));
		ASSERT_EQ(0, pthread_create(&r.thread, NULL, reader_main, &r));
		ASSERT_TRUE(wait_until_thread_blocked(&r.tid, SYS_poll));
		ASSERT_EQ(0, COMPLETE(i));
		pthread_join(r.thread, NULL);
		EXPECT_EQ(POLLIN, r.ret);
		ASSERT_EQ(1, waitset_read(self->set, &record));
	}
}

TEST_F(waitset, a_signal_interrupts_a_blocking_read)
{
	struct reader r = { .set = waitset_create(self->c.fd, 0) };

	catch_signal(SIGUSR1, nothing, 0);
	ASSERT_EQ(0, pthread_create(&r.thread, NULL, reader_main, &r));
	ASSERT_TRUE(wait_until_thread_blocked(&r.tid, SYS_read));
	pthread_kill(r.thread, SIGUSR1);
	pthread_join(r.thread, NULL);
	EXPECT_EQ(-EINTR, r.ret);

	catch_signal(SIGUSR1, nothing, SA_RESTART);
	atomic_store(&r.tid, 0);
	ASSERT_EQ(0, pthread_create(&r.thread, NULL, reader_main, &r));
	ASSERT_TRUE(wait_until_thread_blocked(&r.tid, SYS_read));
	pthread_kill(r.thread, SIGUSR1);
	ASSERT_EQ(0, arm_on(&self->c, r.set, 0, 1, -1, 9, NULL));
	pthread_join(r.thread, NULL);
	EXPECT_EQ(1, r.ret);
	EXPECT_EQ(9, r.record.user_data);
	close(r.set);
}

static int epoll_on(int set, uint32_t events)
{
	struct epoll_event event = { .events = events };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	return epoll_ctl(ep, EPOLL_CTL_ADD, set, &event) ? -errno : ep;
}

TEST_F(waitset, epoll_by_level_tells_while_there_are_records)
{
	struct epoll_event event;
	int i, ep = epoll_on(self->set, EPOLLIN);
	struct drm_vsm_wait_record record;

	ASSERT_LE(0, ep);
	EXPECT_EQ(0, epoll_wait(ep, &event, 1, 0));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, ARM(i, i));
	EXPECT_EQ(0, epoll_wait(ep, &event, 1, 0));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, COMPLETE(i));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(1, epoll_wait(ep, &event, 1, 0));
		EXPECT_EQ(EPOLLIN, event.events);
		ASSERT_EQ(1, waitset_read(self->set, &record));
	}
	EXPECT_EQ(0, epoll_wait(ep, &event, 1, 0));
	close(ep);
}

TEST_F(waitset, epoll_by_edge_tells_of_each_completion)
{
	struct epoll_event event;
	int i, ep = epoll_on(self->set, EPOLLIN | EPOLLET);

	ASSERT_LE(0, ep);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, ARM(i, i));
		EXPECT_EQ(0, epoll_wait(ep, &event, 1, 0));
		ASSERT_EQ(0, COMPLETE(i));
		EXPECT_EQ(1, epoll_wait(ep, &event, 1, 0));
		EXPECT_EQ(0, epoll_wait(ep, &event, 1, 0));	/* the record has not been read */
	}
	close(ep);
}

/* --- waits that expire ---------------------------------------------------- */

TEST_F(waitset, a_deadline_that_has_passed_expires_at_once)
{
	struct reader r = { .set = waitset_create(self->c.fd, 0) };
	int64_t deadlines[] = { 0, 1, now_ns() };
	size_t i;

	for (i = 0; i < ITEMS(deadlines); i++) {
		ASSERT_EQ(0, arm_on(&self->c, r.set, 2, 0, deadlines[i], 50 + i, NULL));
		reader_main(&r);
		ASSERT_EQ(1, r.ret);
		EXPECT_EQ(50 + i, r.record.user_data);
		EXPECT_EQ(DRM_VSM_WAIT_EXPIRED, r.record.status);
	}
	close(r.set);
}

/*
 * Waits that one processor has armed end in the order of their deadlines, if all were armed before
 * the first deadline. If the machine was too slow for that, the test tries again with more time.
 */
TEST_F(waitset, waits_expire_in_order_and_not_before_their_deadlines)
{
	static const int after[] = { 3, 1, 2 };
	struct reader r = { .set = waitset_create(self->c.fd, 0) };
	bool in_time = false;
	int64_t start, gap;
	int i;

	pin(0);
	for (gap = 10 * MS; !in_time; gap *= 2) {
		start = now_ns();
		for (i = 0; i < 3; i++)
			ASSERT_EQ(0, arm_on(&self->c, r.set, 2, 0, start + after[i] * gap,
					    after[i], NULL));
		in_time = now_ns() < start + gap;
		for (i = 1; i <= 3; i++) {
			reader_main(&r);
			ASSERT_EQ(1, r.ret);
			EXPECT_LE(start + (int64_t)r.record.user_data * gap, now_ns());
			EXPECT_EQ(DRM_VSM_WAIT_EXPIRED, r.record.status);
			if (in_time)
				EXPECT_EQ(i, r.record.user_data);
		}
	}
	close(r.set);
}

TEST_F(waitset, never_and_late_deadlines_leave_the_phase_to_complete)
{
	static const int64_t deadlines[] = { -1, INT64_MIN, INT64_MAX, INT64_MAX / 2 };
	struct drm_vsm_wait_record record;
	size_t i;

	for (i = 0; i < ITEMS(deadlines); i++)
		ASSERT_EQ(0, arm_on(&self->c, self->set, i, 0, deadlines[i], i, NULL));
	EXPECT_EQ(0, poll_events(self->set));
	for (i = 0; i < ITEMS(deadlines); i++) {
		ASSERT_EQ(0, COMPLETE(i));
		ASSERT_EQ(1, waitset_read(self->set, &record));
		EXPECT_EQ(i, record.user_data);
		EXPECT_EQ(DRM_VSM_WAIT_COMPLETE, record.status);
	}
}

TEST_F(waitset, expiry_and_completion_race_for_one_record)
{
	/* How long it took the last time from before the arm to the completion, in ns */
	int64_t took = 0;
	int i, expired = 0;

	for (i = 0; i < 2000; i++) {
		int64_t begin = now_ns();
		int n = i % WORDS;
		struct drm_vsm_wait_record record;

		ASSERT_EQ(0, arm_on(&self->c, self->set, n, self->parity[n],
				    begin + i % 50 * took / 25, i, NULL));
		ASSERT_EQ(0, COMPLETE(n));
		took = now_ns() - begin;
		ASSERT_EQ(1, waitset_read(self->set, &record));
		ASSERT_EQ(i, record.user_data);
		ASSERT_TRUE(record.status == DRM_VSM_WAIT_COMPLETE ||
			    record.status == DRM_VSM_WAIT_EXPIRED);
		expired += record.status == DRM_VSM_WAIT_EXPIRED;
		ASSERT_EQ(0, exec_look(&self->c, WORD(n)));
		ASSERT_EQ(-EAGAIN, waitset_read(self->set, &record));
	}
	EXPECT_LT(0, expired);
	EXPECT_GT(2000, expired);
}

/* --- cancelling ----------------------------------------------------------- */

TEST_F(waitset, a_cancelled_wait_gives_no_record)
{
	struct drm_vsm_wait_record record;
	uint64_t id;

	ASSERT_EQ(0, arm_on(&self->c, self->set, 0, 0, now_ns() + 30 * SECOND, 1, &id));
	EXPECT_EQ(0, waitset_cancel(self->c.fd, self->set, id));
	EXPECT_EQ(-ENOENT, waitset_cancel(self->c.fd, self->set, id));
	ASSERT_EQ(0, COMPLETE(0));
	EXPECT_EQ(-EAGAIN, waitset_read(self->set, &record));
}

TEST_F(waitset, an_ended_wait_cannot_be_cancelled_and_keeps_its_record)
{
	struct drm_vsm_wait_record record;
	uint64_t id;

	ASSERT_EQ(0, arm_on(&self->c, self->set, 0, 0, -1, 1, &id));
	ASSERT_EQ(0, COMPLETE(0));
	EXPECT_EQ(-ENOENT, waitset_cancel(self->c.fd, self->set, id));
	ASSERT_EQ(1, waitset_read(self->set, &record));
	EXPECT_EQ(id, record.id);
	EXPECT_EQ(-ENOENT, waitset_cancel(self->c.fd, self->set, id));
}

TEST_F(waitset, cancelling_what_is_not_there_is_refused)
{
	struct drm_vsm_waitset_cancel args = { .fd = self->set, .flags = 1 };
	int other = waitset_create(self->c.fd, 0);
	uint64_t id;

	ASSERT_EQ(0, arm_on(&self->c, self->set, 0, 0, -1, 1, &id));
	EXPECT_EQ(-ENOENT, waitset_cancel(self->c.fd, self->set, id + 1));
	EXPECT_EQ(-ENOENT, waitset_cancel(self->c.fd, self->set, id + (1ULL << 32)));
	EXPECT_EQ(-ENOENT, waitset_cancel(self->c.fd, self->set, ~0ULL));
	EXPECT_EQ(-ENOENT, waitset_cancel(self->c.fd, other, id));
	EXPECT_EQ(-EBADF, waitset_cancel(self->c.fd, -1, id));
	EXPECT_EQ(-EBADF, waitset_cancel(self->c.fd, self->c.fd, id));
	args.id = id;
	EXPECT_EQ(-EINVAL, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_WAITSET_CANCEL, &args));
	EXPECT_EQ(0, waitset_cancel(self->c.fd, self->set, id));
	close(other);
}

struct racer {
	const struct cluster *c;
	atomic_int round;
	int rounds;
	int ret;
};

static void *race_main(void *arg)
{
	struct racer *r = arg;
	int i;

	for (i = 1; i <= r->rounds && !r->ret; i++) {
		while (atomic_load(&r->round) < i)
			sched_yield();
		r->ret = complete(r->c, 0);
	}
	return NULL;
}

TEST_F(waitset, cancel_and_completion_have_one_winner)
{
	struct racer r = { .c = &self->c, .rounds = repeat(10000) };
	int i, cancelled = 0;
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, race_main, &r));
	for (i = 1; i <= r.rounds; i++) {
		uint32_t parity = (i - 1) % 2;
		struct drm_vsm_wait_record record;
		uint64_t id;
		int ret;

		ASSERT_EQ(0, arm_on(&self->c, self->set, 0, parity, -1, i, &id));
		atomic_store(&r.round, i);
		while (i % 3 == 1 && word(&self->c, WORD(0)) >> 63 == parity)
			sched_yield();
		ret = waitset_cancel(self->c.fd, self->set, id);
		while (word(&self->c, WORD(0)) >> 63 == parity)
			sched_yield();
		if (ret == -ENOENT) {
			struct pollfd p = { .fd = self->set, .events = POLLIN };

			/* The word changes a moment before its waits end: wait for the record. */
			ASSERT_EQ(1, poll(&p, 1, AMPLE_MS));
			ASSERT_EQ(1, waitset_read(self->set, &record));
			ASSERT_EQ(id, record.id);
			ASSERT_EQ(i, record.user_data);
		} else {
			ASSERT_EQ(0, ret);
			ASSERT_EQ(0, exec_look(&self->c, WORD(0)));
			cancelled++;
		}
		ASSERT_EQ(-EAGAIN, waitset_read(self->set, &record));
	}
	pthread_join(thread, NULL);
	EXPECT_EQ(0, r.ret);
	EXPECT_LT(0, cancelled);
	EXPECT_GT(r.rounds, cancelled);
	self->parity[0] = 0;
}

TEST_HARNESS_MAIN
