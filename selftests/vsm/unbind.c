// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unbinding the device, as a hot unplug does. Every waiter gets an error, and no task hangs. Memory
 * stays mapped, and a new device can be bound.
 */
#include <sys/epoll.h>
#include <sys/ioctl.h>

#include "async.h"
#include "channel.h"
#include "driver.h"
#include "load.h"
#include "missing_page.h"

#define A AT(0, 0x40)
#define PAGE 4096

FIXTURE(unbind)
{
	struct cluster c;
	int set;
};

FIXTURE_SETUP(unbind)
{
	int fd = vsm_open();

	/* The previous test may have left the device unbound. */
	if (fd == -ENODEV && !device_bind())
		fd = vsm_open();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cluster_create(&self->c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	self->set = waitset_create(fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_LE(0, self->set);
}

FIXTURE_TEARDOWN(unbind)
{
	struct cluster c;
	int fd;

	munmap(self->c.map, self->c.size);
	close(self->c.fd);
	close(self->set);
	/* A test that was skipped has left the device bound. */
	device_unbind();
	/* A new device can be bound, and it works. */
	EXPECT_EQ(0, device_bind());
	fd = vsm_open();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cluster_create(&c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	EXPECT_EQ(0, exec_one(&c, i_init(A, 1)));
	EXPECT_EQ(0, exec_one(&c, i_arrive(A)));
	EXPECT_EQ(1, exec_result(&c, i_try_parity(A, 0, LONG_HINT)));
	EXPECT_EQ(0, cluster_destroy(&c));
	close(fd);
}

/* Waits for a phase with and without a time limit, and for groups of copies that are held. */
TEST_F(unbind, ends_suspended_streams_with_enodev)
{
	enum { WAITS = 8, STREAMS = 2 * WAITS + 2 };
	struct drm_vsm_insn streams[STREAMS][3];
	struct exec_thread t[STREAMS];
	struct buffer b;
	uint32_t i, count;

	ASSERT_EQ(0, buffer_create(&b, self->c.fd, PAGE));
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	for (i = 0; i < STREAMS; i++) {
		bool bulk = i == STREAMS - 1, unlimited = i >= WAITS && i < 2 * WAITS;

		count = i < 2 * WAITS ? 1 : 3;
		if (count == 1) {
			streams[i][0] = unlimited ? i_try_parity_unlimited(A, 0)
						  : i_try_parity(A, 0, LONG_HINT);
		} else {
			streams[i][0] = bulk ? i_s2g(0, 16, b.handle, 0)
					     : i_cp_async(0x400, 16, b.handle, 16);
			streams[i][1] = bulk ? i_bulk_commit() : i_commit();
			streams[i][2] = bulk ? i_bulk_wait(0) : i_wait_group(0);
		}
		ASSERT_EQ(0, exec_thread_run(&t[i], &self->c,
					     play_args(&self->c, 0, i < WAITS ? 0 : i,
						       unlimited ? DRM_VSM_EXEC_NO_LIMIT : 0,
						       streams[i], count)));
	}
	for (i = 0; i < STREAMS; i++)
		ASSERT_TRUE(exec_thread_suspended(&t[i]));
	ASSERT_EQ(0, device_unbind());
	for (i = 0; i < STREAMS; i++) {
		count = i < 2 * WAITS ? 1 : 3;
		EXPECT_EQ(-ENODEV, exec_thread_join(&t[i])) TH_LOG("stream %u", i);
		EXPECT_EQ(count - 1, t[i].args.retired) TH_LOG("stream %u", i);
		EXPECT_TRUE(insn_untouched(&streams[i][count - 1])) TH_LOG("stream %u", i);
	}
	/* No event was sent, because this is not misuse. */
	EXPECT_EQ(POLLHUP, poll_events(self->c.fd));
	munmap(b.map, b.size);
}

TEST_F(unbind, every_call_is_enodev_afterwards)
{
	struct drm_vsm_channel_create channel = {};
	struct drm_vsm_channel_destroy destroy = { .channel = 1 };
	struct drm_vsm_channel_status status = {};
	struct drm_vsm_insn insn = i_sink(i_arrive(A));
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, -1, 0);
	struct drm_vsm_device_info info;
	struct drm_vsm_object_info object = { .handle = self->c.handle };
	struct cluster c;
	struct buffer b;

	ASSERT_EQ(0, device_unbind());
	EXPECT_EQ(-ENODEV, exec_one(&self->c, i_arrive(A)));
	EXPECT_EQ(-ENODEV, submit_sync(&self->c, &insn, 1, 0, 0));
	EXPECT_EQ(-ENODEV, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_CHANNEL_CREATE, &channel));
	EXPECT_EQ(-ENODEV, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_CHANNEL_DESTROY, &destroy));
	EXPECT_EQ(-ENODEV, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_CHANNEL_STATUS, &status));
	EXPECT_EQ(-ENODEV, cluster_hold(&self->c, DRM_VSM_HOLD));
	EXPECT_EQ(-ENODEV, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	EXPECT_EQ(-ENODEV, waitset_cancel(self->c.fd, self->set, 0));
	EXPECT_EQ(-ENODEV, waitset_create(self->c.fd, 0));
	EXPECT_EQ(-ENODEV, cluster_create(&c, self->c.fd, 0, 0));
	EXPECT_EQ(-ENODEV, buffer_create(&b, self->c.fd, PAGE));
	EXPECT_EQ(-ENODEV, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_OBJECT_INFO, &object));
	EXPECT_EQ(-ENODEV, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_DEVICE_INFO, &info));
	EXPECT_EQ(-ENODEV, job_hold_create(self->c.fd, 1, 0, 0));
	EXPECT_EQ(-ENODEV, job_hold_release(self->c.fd, 1, 0));
	EXPECT_EQ(-ENODEV, vsm_open());
}

TEST_F(unbind, memory_stays_mapped)
{
	struct drm_vsm_object_info object = { .handle = self->c.handle };
	struct buffer b, exported;
	int dmabuf;

	ASSERT_EQ(0, buffer_create(&b, self->c.fd, 4 * PAGE));
	ASSERT_EQ(0, buffer_create(&exported, self->c.fd, 4 * PAGE));
	ASSERT_EQ(0, drmPrimeHandleToFD(self->c.fd, exported.handle, DRM_CLOEXEC | DRM_RDWR,
					&dmabuf));
	ASSERT_EQ(0, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_OBJECT_INFO, &object));
	munmap(exported.map, exported.size);
	b.map[0] = 5;
	ASSERT_EQ(0, device_unbind());

	EXPECT_EQ(0x7ffff800001ffffe, word(&self->c, A));	/* 1, 0, 1 */
	atomic_store(word_at(&self->c, AT(3, 8)), 77);
	EXPECT_EQ(77, word(&self->c, AT(3, 8)));
	EXPECT_EQ(5, b.map[0]);
	/* Pages that no task has touched can be used too. A new mapping fails. */
	EXPECT_EQ(0, b.map[3 * PAGE]);
	b.map[3 * PAGE] = 6;
	EXPECT_EQ(6, b.map[3 * PAGE]);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->c.size, PROT_READ, MAP_SHARED, self->c.fd,
				   object.mmap_offset));
	EXPECT_EQ(ENODEV, errno);
	/* The mapping stays valid when the file is closed. */
	close(self->c.fd);
	self->c.fd = -1;
	b.map[3 * PAGE + 1] = 7;
	EXPECT_EQ(7, b.map[3 * PAGE + 1]);
	munmap(b.map, b.size);
	close(dmabuf);
}

TEST_F(unbind, readers_and_pollers_without_a_wait_wake)
{
	int blocking = waitset_create(self->c.fd, 0), ep = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	struct drm_vsm_wait_record record;
	int status, i;
	pid_t pids[2];

	for (i = 0; i < 2; i++) {
		pids[i] = fork_child();
		if (!pids[i] && i) {
			struct pollfd p = { .fd = blocking, .events = POLLIN };

			_exit(poll(&p, 1, -1) != 1 || p.revents != POLLHUP);
		}
		if (!pids[i])
			_exit(waitset_read(blocking, &record) != -ENODEV);
	}
	ASSERT_TRUE(wait_until_blocked(pids[0], pids[0], SYS_read));
	ASSERT_TRUE(wait_until_blocked(pids[1], pids[1], SYS_poll));
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->set, &event));
	EXPECT_EQ(0, epoll_wait(ep, &event, 1, 0));
	ASSERT_EQ(0, device_unbind());
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status));
	}
	EXPECT_EQ(1, epoll_wait(ep, &event, 1, 0));
	EXPECT_EQ(EPOLLHUP, event.events);
	EXPECT_EQ(-ENODEV, waitset_read(self->set, &record));
	EXPECT_EQ(-ENODEV, waitset_read(blocking, &record));
	close(ep);
	close(blocking);
}

TEST_F(unbind, records_come_before_the_hangup)
{
	struct drm_vsm_wait waits[] = {
		wait_parity(&self->c, A, 0, -1, 1), wait_parity(&self->c, A, 1, -1, 2),
		wait_parity(&self->c, A, 0, now_ns() + 1000 * SECOND, 3),
		wait_parity(&self->c, A, 0, 1, 4),
	};
	int i, lost = 0, complete = 0, expired = 0;
	struct drm_vsm_wait_record record;

	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, waits, 4, NULL));
	ASSERT_EQ(0, device_unbind());
	EXPECT_EQ(POLLIN | POLLHUP, poll_events(self->set));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(1, waitset_read(self->set, &record));
		complete += record.status == DRM_VSM_WAIT_COMPLETE && record.user_data == 2;
		expired += record.status == DRM_VSM_WAIT_EXPIRED && record.user_data == 4;
		lost += record.status == DRM_VSM_WAIT_DEVICE_LOST && record.user_data % 2;
	}
	EXPECT_EQ(1, complete);
	EXPECT_EQ(1, expired);
	EXPECT_EQ(2, lost);
	EXPECT_EQ(POLLHUP, poll_events(self->set));
	EXPECT_EQ(-ENODEV, waitset_read(self->set, &record));
}

/* A task that reads a wait set until it gets an error */
struct drain {
	int set;
	int records;	/* number of records that it has read */
	int ret;	/* return value of the last read */
	pthread_t thread;
};

static void *drain_main(void *arg)
{
	struct drain *d = arg;
	struct drm_vsm_wait_record record;

	do {
		d->ret = waitset_read(d->set, &record);
		d->records += d->ret == 1;
	} while (d->ret == 1 || d->ret == -EAGAIN);
	return NULL;
}

static int arm_many(const struct cluster *c, int set, uint32_t count)
{
	struct drm_vsm_wait *waits = calloc(count, sizeof(*waits));
	uint32_t i, words = count < 2048 ? count : 2048;
	int ret = 0;

	for (i = 0; !ret && i < words; i++)
		ret = exec_at(c, i / 512, i_init(AT(i / 512, 8 * (i % 512)), 1), NULL);
	for (i = 0; i < count; i++)
		waits[i] = wait_parity(c, AT(i % words / 512, 8 * (i % 512)), 0, -1, i);
	if (!ret)
		ret = waitset_arm(c->fd, set, waits, count, NULL);
	free(waits);
	return ret;
}

/*
 * With few waits, the set may have no record while waits are still armed. The reader must not take
 * this for the end of all waits.
 */
static void drain_while_unbound(struct __test_metadata *_metadata, uint32_t flags)
{
	static const int counts[] = { 20000, 1, 2, 4, 16, 64, 1, 2, 4, 16 };
	size_t i;

	for (i = 0; i < ITEMS(counts); i++) {
		struct drain d = { .ret = 0 };
		struct cluster c;

		if (i)
			ASSERT_EQ(0, device_bind());
		ASSERT_EQ(0, cluster_create(&c, vsm_open(), VSM_LAYOUT_SM_90,
					    DRM_VSM_POLICY_STRICT));
		d.set = waitset_create(c.fd, flags);
		ASSERT_EQ(0, arm_many(&c, d.set, counts[i]));
		ASSERT_EQ(0, pthread_create(&d.thread, NULL, drain_main, &d));
		ASSERT_EQ(0, device_unbind());
		pthread_join(d.thread, NULL);
		EXPECT_EQ(-ENODEV, d.ret);
		EXPECT_EQ(counts[i], d.records);
		munmap(c.map, c.size);
		close(c.fd);
		close(d.set);
	}
}

TEST_F(unbind, a_reader_that_never_blocks_gets_every_record_before_enodev)
{
	drain_while_unbound(_metadata, DRM_VSM_WAITSET_NONBLOCK);
}

TEST_F(unbind, a_reader_that_blocks_gets_every_record_before_enodev)
{
	drain_while_unbound(_metadata, 0);
}

TEST_F(unbind, queued_jobs_end_with_enodev)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	struct hold hold;
	int i, files[4];
	uint32_t in;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	in = syncobj_import(self->c.fd, hold.file);
	for (i = 0; i < 4; i++) {
		uint32_t out = syncobj_create(self->c.fd);

		ASSERT_EQ(0, submit_sync(&self->c, &arrive, 1, i % 2 ? 0 : in, out));
		files[i] = syncobj_export(self->c.fd, out);
	}
	ASSERT_EQ(0, device_unbind());
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(-ENODEV, sync_file_status(files[i]));
		close(files[i]);
	}
	EXPECT_EQ(0, hold_release(&hold));
	EXPECT_EQ(0x7ffff800001ffffe, word(&self->c, A));
}

TEST_F(unbind, running_jobs_end)
{
	enum { JOBS = 50, COPIES = 2000 };
	struct drm_vsm_insn *insns = calloc(COPIES, sizeof(struct drm_vsm_insn));
	int i, status, files[JOBS], ended = 0;
	struct hold hold;
	struct buffer b;
	uint32_t in;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	in = syncobj_import(self->c.fd, hold.file);
	ASSERT_EQ(0, buffer_create(&b, self->c.fd, COPIES * PAGE));
	for (i = 0; i < COPIES; i++)
		insns[i] = i_s2g(0x400, 3072, b.handle, i * PAGE);
	for (i = 0; i < JOBS; i++) {
		uint32_t out = syncobj_create(self->c.fd);

		ASSERT_EQ(0, submit_sync(&self->c, insns, COPIES, i ? 0 : in, out));
		files[i] = syncobj_export(self->c.fd, out);
	}
	/* All jobs are queued before the first one begins. Together they copy 300 MB. */
	EXPECT_EQ(0, hold_release(&hold));
	ASSERT_EQ(0, device_unbind());
	for (i = 0; i < JOBS; i++) {
		status = sync_file_status(files[i]);
		EXPECT_TRUE(status == 1 || status == -ENODEV) TH_LOG("job %d: %d", i, status);
		ended += status == -ENODEV;
		close(files[i]);
	}
	EXPECT_LT(0, ended);
	munmap(b.map, b.size);
	free(insns);
}

TEST_F(unbind, operations_in_flight_do_not_happen_any_more)
{
	struct drm_vsm_insn insns[100];
	struct buffer b;
	int i;

	ASSERT_EQ(0, buffer_create(&b, self->c.fd, PAGE));
	memset(b.map, 0x3c, PAGE);
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	for (i = 0; i < 100; i++)
		insns[i] = i % 2 ? i_noinc(i_cp_arrive(A))
				 : i_cp_async(0x400 + 16 * i, 16, b.handle, 0);
	ASSERT_EQ(0, exec_stream(&self->c, 0, insns, 100, NULL));
	ASSERT_EQ(0, device_unbind());
	for (i = 0; i < 100; i++)
		EXPECT_EQ(0, word(&self->c, 0x400 + 16 * i));
	EXPECT_EQ(0x7ffff800001ffffe, word(&self->c, A));
	munmap(b.map, b.size);
}

/* --- fault events ---------------------------------------------------------- */

TEST_F(unbind, events_come_before_the_hangup)
{
	struct drm_vsm_event_fault event;
	int i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(-EPROTO, exec_one(&self->c, i_init(A, 5 + i)));
	EXPECT_EQ(POLLIN, poll_events(self->c.fd));
	ASSERT_EQ(0, device_unbind());
	EXPECT_EQ(POLLIN | POLLHUP, poll_events(self->c.fd));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(1, fault_read(self->c.fd, &event));
		EXPECT_EQ(5 + i, event.insn.u.mbarrier.count);
	}
	EXPECT_EQ(POLLHUP, poll_events(self->c.fd));
	EXPECT_EQ(-1, read(self->c.fd, &event, sizeof(event)));
	EXPECT_EQ(ENODEV, errno);
	ASSERT_EQ(0, fcntl(self->c.fd, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-1, read(self->c.fd, &event, sizeof(event)));
	EXPECT_EQ(ENODEV, errno);
}

struct event_reader {
	int fd;
	bool by_poll;
	atomic_int tid;
	int ret;
	int error;
	pthread_t thread;
};

static void *event_reader_main(void *arg)
{
	struct event_reader *r = arg;
	struct drm_vsm_event_fault event;
	struct pollfd p = { .fd = r->fd, .events = POLLIN };

	atomic_store(&r->tid, get_tid());
	do {
		r->ret = r->by_poll ? poll(&p, 1, -1) : read(r->fd, &event, sizeof(event));
		r->error = r->by_poll ? p.revents : errno;
	} while (r->by_poll ? !(p.revents & POLLHUP) : r->ret > 0);
	return NULL;
}

/*
 * Several tasks read events of one file. Each event goes to one of them. All are woken when the
 * device is unbound.
 */
TEST_F(unbind, readers_of_events_wake)
{
	struct event_reader r[4];
	int i, round;

	for (i = 0; i < 4; i++) {
		r[i] = (struct event_reader){ .fd = self->c.fd, .by_poll = i == 3 };
		ASSERT_EQ(0, pthread_create(&r[i].thread, NULL, event_reader_main, &r[i]));
	}
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 3; i++)
			ASSERT_TRUE(wait_until_thread_blocked(&r[i].tid, SYS_read));
		if (round < 2)
			ASSERT_EQ(-EPROTO, exec_one(&self->c, i_init(A, 1)));
	}
	ASSERT_EQ(0, device_unbind());
	for (i = 0; i < 4; i++) {
		pthread_join(r[i].thread, NULL);
		EXPECT_EQ(i == 3 ? 1 : -1, r[i].ret);
		EXPECT_EQ(i == 3 ? POLLHUP : ENODEV, r[i].error);
	}
}

/*
 * A task that waits in its own epoll with EPOLLEXCLUSIVE. An event need not wake more than one such
 * task.
 */
struct exclusive_poller {
	int fd;
	atomic_int tid;
	int ret;
	struct epoll_event event;
	pthread_t thread;
};

static void *exclusive_poller_main(void *arg)
{
	struct exclusive_poller *p = arg;
	int ep = epoll_create1(EPOLL_CLOEXEC);

	p->event.events = EPOLLIN | EPOLLEXCLUSIVE;
	p->ret = epoll_ctl(ep, EPOLL_CTL_ADD, p->fd, &p->event);
	atomic_store(&p->tid, get_tid());
	if (!p->ret)
		p->ret = epoll_pwait(ep, &p->event, 1, AMPLE_MS, NULL);
	close(ep);
	return NULL;
}

TEST_F(unbind, exclusive_pollers_all_wake)
{
	struct exclusive_poller p[6] = {};
	int i;

	for (i = 0; i < 6; i++) {
		p[i].fd = i % 2 ? self->set : self->c.fd;
		ASSERT_EQ(0, pthread_create(&p[i].thread, NULL, exclusive_poller_main, &p[i]));
		ASSERT_TRUE(wait_until_thread_blocked(&p[i].tid, SYS_epoll_pwait));
	}
	ASSERT_EQ(0, device_unbind());
	for (i = 0; i < 6; i++) {
		pthread_join(p[i].thread, NULL);
		EXPECT_EQ(1, p[i].ret);
		EXPECT_EQ(EPOLLHUP, p[i].event.events);
	}
}

/*
 * Unbinds the device while the ARM of a test sleeps in a page fault. The ARM goes on when the
 * poller has woken.
 */
struct fault {
	int fd;
	struct exclusive_poller poller;
	int ret;
};

static void *fault_main(void *arg)
{
	struct fault *f = arg;

	f->ret = missing_page_await(f->fd) ?: device_unbind();
	pthread_join(f->poller.thread, NULL);
	close(f->fd);
	return NULL;
}

TEST_F(unbind, pollers_wake_although_an_arm_sleeps_in_a_page_fault)
{
	struct fault f = { .poller.fd = self->set };
	struct drm_vsm_wait *waits;
	pthread_t thread;
	char *pages;

	pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, pages);
	f.fd = missing_page_make(pages + PAGE);
	if (f.fd == -ENOSYS || f.fd == -EPERM)
		SKIP(return, "needs userfaultfd");
	ASSERT_LE(0, f.fd);
	/* The first wait is complete and queues a wake-up. The second is in the missing page. */
	waits = (struct drm_vsm_wait *)(pages + PAGE) - 1;
	waits[0] = wait_parity(&self->c, A, 1, -1, 1);
	ASSERT_EQ(0, pthread_create(&f.poller.thread, NULL, exclusive_poller_main, &f.poller));
	ASSERT_TRUE(wait_until_thread_blocked(&f.poller.tid, SYS_epoll_pwait));
	ASSERT_EQ(0, pthread_create(&thread, NULL, fault_main, &f));
	waitset_arm(self->c.fd, self->set, waits, 2, NULL);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, f.ret);
	EXPECT_EQ(1, f.poller.ret);
	EXPECT_EQ(EPOLLIN | EPOLLHUP, f.poller.event.events);
	munmap(pages, 2 * PAGE);
}

/* The client's file is closed. Only its wait set is left. */
TEST_F(unbind, a_set_without_its_file_gets_the_error)
{
	struct drm_vsm_wait wait = wait_parity(&self->c, A, 0, -1, 1);
	struct drm_vsm_wait_record record;

	ASSERT_EQ(0, waitset_arm(self->c.fd, self->set, &wait, 1, NULL));
	munmap(self->c.map, self->c.size);
	close(self->c.fd);
	ASSERT_EQ(0, device_unbind());
	ASSERT_EQ(1, waitset_read(self->set, &record));
	EXPECT_EQ(DRM_VSM_WAIT_DEVICE_LOST, record.status);
	EXPECT_EQ(-ENODEV, waitset_read(self->set, &record));
	self->c.map = NULL;
	self->c.size = 0;
}

/* --- unbinding under load ------------------------------------------------- */

TEST_F(unbind, under_load_everybody_gets_enodev)
{
	int round;

	for (round = 0; round < 5; round++) {
		struct load l = {};

		if (round)
			ASSERT_EQ(0, device_bind());
		ASSERT_EQ(0, load_open(&l));
		ASSERT_EQ(0, load_start(&l));
		ASSERT_EQ(0, device_unbind());
		load_expect_enodev(_metadata, &l);
	}
}

TEST_HARNESS_MAIN
