// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds: fences that signal when the program says so, and at their deadline, when the file is
 * closed or when the device goes at the latest.
 */
#include "channel.h"
#include "driver.h"

#define A AT(0, 0x40)		/* counts arrivals */
#define ARRIVALS 1000000

FIXTURE(holds)
{
	struct cluster c;
	uint32_t syncobj;
	struct drm_vsm_insn arrive;
};

FIXTURE_SETUP(holds)
{
	int fd = vsm_open();

	/* The previous test may have left the device unbound. */
	if (fd == -ENODEV && !device_bind())
		fd = vsm_open();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cluster_create(&self->c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, ARRIVALS)));
	self->syncobj = syncobj_create(fd);
	ASSERT_NE(0, self->syncobj);
	self->arrive = i_sink(i_arrive(A));
}

FIXTURE_TEARDOWN(holds)
{
	munmap(self->c.map, self->c.size);
	close(self->c.fd);
}

static uint32_t arrived(const struct cluster *c)
{
	return ARRIVALS - vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(c, A));
}

/* Puts a hold into a syncobj and exports its fence as a sync_file. Returns the hold's number. */
static int hold_file(int fd, uint32_t syncobj, int64_t deadline, int *file)
{
	int hold = job_hold_create(fd, syncobj, 0, deadline);

	*file = hold < 0 ? -1 : syncobj_export(fd, syncobj);
	return hold;
}

/* --- order ---------------------------------------------------------------- */

TEST_F(holds, jobs_of_different_channels_begin_in_the_order_of_release)
{
	enum { JOBS = 6 };
	static const int orders[][JOBS] = { { 0, 1, 2, 3, 4, 5 }, { 5, 2, 0, 4, 1, 3 } };
	int i, j, order, files[JOBS], numbers[JOBS];

	for (order = 0; order < ITEMS(orders); order++) {
		for (i = 0; i < JOBS; i++) {
			uint32_t in = syncobj_create(self->c.fd);

			numbers[i] = job_hold_create(self->c.fd, in, 0, 0);
			ASSERT_LT(0, numbers[i]);
			files[i] = job_start(&self->c, channel_create(self->c.fd, 0),
					     &self->arrive, 1, in);
			ASSERT_LE(0, files[i]);
		}
		for (i = 0; i < JOBS; i++) {
			j = orders[order][i];
			/* Jobs without a hold run meanwhile. */
			EXPECT_EQ(1, job_status(&self->c, 0, self->arrive));
			EXPECT_EQ(order * 2 * JOBS + 2 * i + 1, arrived(&self->c));
			EXPECT_EQ(0, sync_file_status(files[j]));
			EXPECT_EQ(0, job_hold_release(self->c.fd, numbers[j], 0));
			EXPECT_EQ(1, job_end(files[j]));
			EXPECT_EQ(order * 2 * JOBS + 2 * i + 2, arrived(&self->c));
		}
	}
}

TEST_F(holds, a_job_waits_for_all_of_its_holds)
{
	struct drm_vsm_sync syncs[4] = { sync_signal(self->syncobj, 0) };
	int i, file, numbers[3];

	for (i = 0; i < 3; i++) {
		syncs[1 + i] = sync_wait(syncobj_create(self->c.fd), 0);
		numbers[i] = job_hold_create(self->c.fd, syncs[1 + i].handle, 0, 0);
	}
	ASSERT_EQ(0, submit_on(&self->c, 0, &self->arrive, 1, syncs, 4));
	file = syncobj_export(self->c.fd, self->syncobj);
	for (i = 2; i >= 0; i--) {
		EXPECT_EQ(0, sync_file_status(file));
		EXPECT_EQ(0, job_hold_release(self->c.fd, numbers[i], 0));
	}
	EXPECT_EQ(1, job_end(file));
}

TEST_F(holds, a_point_of_a_timeline_is_held)
{
	struct drm_vsm_sync syncs[] = {
		sync_wait(self->syncobj, 5), sync_signal(syncobj_create(self->c.fd), 0),
	};
	int hold = job_hold_create(self->c.fd, self->syncobj, 5, 0), file;
	uint64_t point = POISON;

	ASSERT_LT(0, hold);
	ASSERT_EQ(0, submit_on(&self->c, 0, &self->arrive, 1, syncs, 2));
	file = syncobj_export(self->c.fd, syncs[1].handle);
	EXPECT_EQ(0, drmSyncobjQuery(self->c.fd, &self->syncobj, &point, 1));
	EXPECT_EQ(0, point);
	EXPECT_EQ(0, sync_file_status(file));
	EXPECT_EQ(0, job_hold_release(self->c.fd, hold, EIO));
	EXPECT_EQ(-EIO, job_end(file));
	EXPECT_EQ(0, drmSyncobjQuery(self->c.fd, &self->syncobj, &point, 1));
	EXPECT_EQ(5, point);
	EXPECT_EQ(0, arrived(&self->c));
}

TEST_F(holds, the_fence_has_a_name)
{
	struct sync_fence_info fence = {};
	struct sync_file_info info = {
		.num_fences = 1, .sync_fence_info = (uintptr_t)&fence,
	};
	int file, hold = hold_file(self->c.fd, self->syncobj, 0, &file);

	ASSERT_EQ(0, ioctl(file, SYNC_IOC_FILE_INFO, &info));
	EXPECT_EQ(1, info.num_fences);
	EXPECT_STREQ("vsm", fence.driver_name);
	EXPECT_STREQ("hold", fence.obj_name);
	EXPECT_EQ(0, job_hold_release(self->c.fd, hold, 0));
	close(file);
}

/* --- errors --------------------------------------------------------------- */

TEST_F(holds, every_error_goes_through_to_the_job)
{
	uint32_t error;

	for (error = 1; error <= EHWPOISON; error++) {
		bool repeats = error == EINTR || error == EAGAIN;
		int hold, held, job;

		hold = hold_file(self->c.fd, self->syncobj, 0, &held);
		job = job_start(&self->c, 0, &self->arrive, 1, self->syncobj);
		EXPECT_EQ(repeats ? -EINVAL : 0, job_hold_release(self->c.fd, hold, error));
		if (repeats) {
			EXPECT_EQ(0, sync_file_status(held));
			EXPECT_EQ(0, job_hold_release(self->c.fd, hold, EIO));
		}
		EXPECT_EQ(repeats ? -EIO : -(int)error, job_end(held));
		EXPECT_EQ(repeats ? -EIO : -(int)error, job_end(job));
	}
	EXPECT_EQ(0, arrived(&self->c));
}

TEST_F(holds, malformed_arguments_are_refused)
{
	struct drm_vsm_hold_create wrong[] = {
		{ .handle = self->syncobj, .flags = 1 },
		{ .handle = self->syncobj, .flags = 1U << 31 },
		{ .handle = self->syncobj, .pad = 1 },
	};
	int i, file, hold = hold_file(self->c.fd, self->syncobj, 0, &file);

	for (i = 0; i < ITEMS(wrong); i++)
		EXPECT_EQ(-EINVAL, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_HOLD_CREATE, &wrong[i]));
	EXPECT_EQ(-ENOENT, job_hold_create(self->c.fd, 0, 0, 0));
	EXPECT_EQ(-ENOENT, job_hold_create(self->c.fd, self->syncobj + 1000, 1, 0));
	EXPECT_EQ(-EINVAL, job_hold_release(self->c.fd, hold, EHWPOISON + 1));
	EXPECT_EQ(-EINVAL, job_hold_release(self->c.fd, hold, -EIO));
	EXPECT_EQ(-EINVAL, job_hold_release(self->c.fd, hold, 1U << 31));
	EXPECT_EQ(-ENOENT, job_hold_release(self->c.fd, 0, 0));
	EXPECT_EQ(-ENOENT, job_hold_release(self->c.fd, hold + 1, 0));
	EXPECT_EQ(-ENOENT, job_hold_release(self->c.fd, ~0U, 0));
	EXPECT_EQ(-ENOENT, job_hold_release(self->c.fd, 1U << 31, 0));
	/* The refused calls have not changed the hold. */
	EXPECT_EQ(0, sync_file_status(file));
	EXPECT_EQ(0, job_hold_release(self->c.fd, hold, 0));
	EXPECT_EQ(-ENOENT, job_hold_release(self->c.fd, hold, 0));
	EXPECT_EQ(1, job_end(file));
}

TEST_F(holds, numbers_are_those_of_the_file)
{
	int file, hold = hold_file(self->c.fd, self->syncobj, 0, &file), other = vsm_open();

	EXPECT_EQ(-ENOENT, job_hold_release(other, hold, 0));
	EXPECT_EQ(0, sync_file_status(file));
	close(other);
	EXPECT_EQ(0, sync_file_status(file));
	EXPECT_EQ(0, job_hold_release(self->c.fd, hold, 0));
	EXPECT_EQ(1, job_end(file));
}

/* --- deadlines ------------------------------------------------------------ */

TEST_F(holds, end_with_etimedout_at_their_deadline)
{
	int64_t deadline = now_ns() + SECOND / 20;
	int file, hold = hold_file(self->c.fd, self->syncobj, deadline, &file);
	int job = job_start(&self->c, 0, &self->arrive, 1, self->syncobj);

	EXPECT_EQ(-ETIMEDOUT, job_end(file));
	EXPECT_LE(deadline, now_ns());
	EXPECT_EQ(-ETIMEDOUT, job_end(job));
	EXPECT_EQ(0, arrived(&self->c));
	EXPECT_EQ(-ETIMEDOUT, job_hold_release(self->c.fd, hold, 0));
	EXPECT_EQ(-ENOENT, job_hold_release(self->c.fd, hold, 0));
}

TEST_F(holds, end_at_once_if_their_deadline_is_over)
{
	int64_t over[] = { 1, -1, INT64_MIN, now_ns() };
	int i, hold, file;

	for (i = 0; i < ITEMS(over); i++) {
		hold = hold_file(self->c.fd, self->syncobj, over[i], &file);
		ASSERT_LT(0, hold);
		EXPECT_EQ(-ETIMEDOUT, job_end(file));
		EXPECT_EQ(-ETIMEDOUT, job_hold_release(self->c.fd, hold, 0));
	}
}

TEST_F(holds, last_ten_seconds_and_not_longer)
{
	int64_t start = now_ns(), deadlines[] = { 0, INT64_MAX, start + 3600 * SECOND };
	int i, files[3], numbers[3];

	for (i = 0; i < 3; i++)
		numbers[i] = hold_file(self->c.fd, self->syncobj, deadlines[i], &files[i]);
	EXPECT_EQ(10 * SECOND, DRM_VSM_HOLD_NS);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-ETIMEDOUT, job_end(files[i]));
		EXPECT_LE(start + DRM_VSM_HOLD_NS, now_ns());
		EXPECT_EQ(-ETIMEDOUT, job_hold_release(self->c.fd, numbers[i], 0));
	}
}

/* --- limits --------------------------------------------------------------- */

/* Creates holds with this deadline until there can be no more. Returns how many there are. */
static uint32_t fill(int fd, uint32_t syncobj, int64_t deadline)
{
	uint32_t n = 0;

	while (job_hold_create(fd, syncobj, 0, deadline) > 0)
		n++;
	return n;
}

TEST_F(holds, count_as_jobs)
{
	struct drm_vsm_hold_create wrong = { .handle = self->syncobj, .pad = 1 };
	uint32_t i, limit = vsm_info(self->c.fd).client_jobs;

	/* Refused calls do not count. */
	for (i = 0; i < limit; i++) {
		EXPECT_EQ(-EINVAL, vsm_ioctl(self->c.fd, DRM_IOCTL_VSM_HOLD_CREATE, &wrong));
		EXPECT_EQ(-ENOENT, job_hold_create(self->c.fd, 0, 0, 0));
	}
	/* A hold counts after its deadline, too: until it is released. */
	EXPECT_EQ(limit, fill(self->c.fd, self->syncobj, 1));
	EXPECT_EQ(-ENOSPC, job_hold_create(self->c.fd, self->syncobj, 0, 0));
	EXPECT_EQ(-ENOSPC, job_status(&self->c, 0, self->arrive));
	EXPECT_EQ(-ETIMEDOUT, syncobj_status(self->c.fd, self->syncobj));
	EXPECT_EQ(-ETIMEDOUT, job_hold_release(self->c.fd, limit / 2, 0));
	EXPECT_EQ(1, job_status(&self->c, 0, self->arrive));
	EXPECT_EQ(limit / 2, job_hold_create(self->c.fd, self->syncobj, 0, 0));
	EXPECT_EQ(-ENOSPC, job_hold_create(self->c.fd, self->syncobj, 0, 0));
	for (i = 1; i <= limit; i++)
		EXPECT_EQ(i == limit / 2 ? 0 : -ETIMEDOUT, job_hold_release(self->c.fd, i, 0));
	EXPECT_EQ(limit, fill(self->c.fd, self->syncobj, 0));
}

/*
 * A deadline starts the job, so that this task can look at it all the time. Its signal takes long,
 * because it calls all those who wait for the fence.
 */
TEST_F(holds, a_job_does_not_count_any_more_when_its_fence_signals)
{
	uint32_t round, limit = vsm_info(self->c.fd).client_jobs;
	struct drm_vsm_sync syncs[2] = { sync_signal(self->syncobj, 0) };
	int i, ended, hold, held, other = vsm_open();
	struct pollfd files[200];

	for (i = 1; i < limit; i++)
		ASSERT_EQ(i, job_hold_create(self->c.fd, syncobj_create(self->c.fd), 0, 0));
	/* There is room for one job. As soon as it has ended, there is room for a hold. */
	for (round = 0; round < 10; round++) {
		hold = hold_file(other, syncobj_create(other), now_ns() + SECOND / 5, &held);
		ASSERT_LT(0, hold);
		syncs[1] = sync_wait(syncobj_import(self->c.fd, held), 0);
		ASSERT_EQ(0, submit_on(&self->c, 0, &self->arrive, 1, syncs, 2));
		for (i = 0; i < ITEMS(files); i++)
			files[i] = (struct pollfd){
				.fd = syncobj_export(self->c.fd, self->syncobj), .events = POLLIN,
			};
		poll(files, ITEMS(files), 0);
		do {
			ended = poll(files, 1, 0);
			hold = job_hold_create(self->c.fd, self->syncobj, 0, 0);
		} while (!ended && hold < 0);
		ASSERT_EQ(limit, hold) TH_LOG("round %u, ended %d", round, ended);
		ASSERT_EQ(0, job_hold_release(self->c.fd, hold, 0));
		ASSERT_EQ(-ETIMEDOUT, sync_file_wait(files[0].fd));
		for (i = 0; i < ITEMS(files); i++)
			close(files[i].fd);
		close(held);
	}
	close(other);
}

TEST_F(holds, of_a_user_are_four_times_those_of_a_client)
{
	uint32_t i, n = 0, limit = vsm_info(self->c.fd).client_jobs;
	int fds[6];

	for (i = 0; i < ITEMS(fds); i++) {
		fds[i] = vsm_open();
		n += fill(fds[i], syncobj_create(fds[i]), 0);
	}
	EXPECT_EQ(4 * limit, n);
	/* Closing a file ends its holds, and they do not count any more. */
	close(fds[0]);
	EXPECT_EQ(limit, fill(self->c.fd, self->syncobj, 0));
	for (i = 1; i < ITEMS(fds); i++)
		close(fds[i]);
}

/* --- the end of the file and of the device -------------------------------- */

TEST_F(holds, end_with_ecanceled_when_the_file_is_closed)
{
	int held, timed, job, other = vsm_open();
	uint32_t theirs = syncobj_create(other);

	EXPECT_LT(0, hold_file(other, syncobj_create(other), 1, &timed));
	EXPECT_EQ(-ETIMEDOUT, sync_file_wait(timed));
	EXPECT_LT(0, hold_file(other, theirs, 0, &held));
	job = job_start(&self->c, 0, &self->arrive, 1, syncobj_import(self->c.fd, held));
	EXPECT_EQ(0, sync_file_status(job));
	close(other);
	EXPECT_EQ(-ECANCELED, sync_file_status(held));
	EXPECT_EQ(-ECANCELED, job_end(job));
	EXPECT_EQ(-ETIMEDOUT, sync_file_status(timed));
	EXPECT_EQ(0, arrived(&self->c));
	close(held);
	close(timed);
}

TEST_F(holds, belong_to_the_file_and_not_to_the_process)
{
	int i, files[2], numbers[2], to_child[2], other = vsm_open();
	pid_t pid;
	char byte;

	for (i = 0; i < 2; i++)
		numbers[i] = hold_file(other, syncobj_create(other), 0, &files[i]);
	ASSERT_EQ(0, pipe(to_child));
	pid = fork_child();
	if (!pid) {
		close(to_child[1]);
		/* Returns when the parent has closed its file descriptor. */
		if (read(to_child[0], &byte, 1) != 0)
			_exit(1);
		if (sync_file_status(files[0]) || sync_file_status(files[1]))
			_exit(2);
		_exit(job_hold_release(other, numbers[1], 0) ? 3 : 0);
	}
	close(other);
	EXPECT_EQ(0, sync_file_status(files[0]));
	close(to_child[1]);
	ASSERT_EQ(pid, waitpid(pid, &i, 0));
	EXPECT_EQ(0, i);
	EXPECT_EQ(1, job_end(files[1]));
	/* The child's end closes the file. */
	EXPECT_EQ(-ECANCELED, job_end(files[0]));
	close(to_child[0]);
}

struct creator {
	int fd;
	uint32_t syncobj;
	atomic_int created;
	int ret;
	pthread_t thread;
};

static void *create_until_refused(void *arg)
{
	struct creator *t = arg;

	do {
		t->ret = job_hold_create(t->fd, t->syncobj, 0, 0);
		if (t->ret > 0 && atomic_fetch_add(&t->created, 1) % 2)
			job_hold_release(t->fd, t->ret, 0);
	} while (t->ret > 0 || t->ret == -ENOSPC);
	return NULL;
}

TEST_F(holds, end_with_enodev_when_the_device_goes)
{
	int job, held, rounds = 5;

	while (rounds--) {
		struct creator t = { .fd = vsm_open() };
		int file = -1;

		ASSERT_LE(0, t.fd);
		EXPECT_LT(0, hold_file(t.fd, syncobj_create(t.fd), 0, &held));
		job = self->c.fd < 0 ? -1 : job_start(&self->c, 0, &self->arrive, 1,
						      syncobj_import(self->c.fd, held));
		t.syncobj = syncobj_create(t.fd);
		ASSERT_EQ(0, pthread_create(&t.thread, NULL, create_until_refused, &t));
		while (atomic_load(&t.created) < 20)
			sched_yield();
		file = syncobj_export(t.fd, t.syncobj);
		ASSERT_EQ(0, device_unbind());
		EXPECT_EQ(-ENODEV, sync_file_status(held));
		pthread_join(t.thread, NULL);
		EXPECT_EQ(-ENODEV, t.ret);
		/* No hold is left, whether it was created before or during the unbind. */
		EXPECT_NE(0, sync_file_status(file));
		EXPECT_TRUE(job < 0 || job_end(job) == -ENODEV);
		close(self->c.fd);
		self->c.fd = -1;
		close(file);
		close(held);
		close(t.fd);
		ASSERT_EQ(0, device_bind());
	}
}

/* --- races ---------------------------------------------------------------- */

struct releaser {
	int fd;
	int hold;
	uint32_t error;
	int64_t at;
	pthread_barrier_t *start;
	int ret;
	pthread_t thread;
};

static void *release_once(void *arg)
{
	struct releaser *r = arg;

	pthread_barrier_wait(r->start);
	while (now_ns() < r->at)
		;
	r->ret = job_hold_release(r->fd, r->hold, r->error);
	return NULL;
}

/* Two threads release a hold at the moment of its deadline. */
TEST_F(holds, one_of_two_releases_and_the_deadline_wins)
{
	int i, round, rounds = repeat(300), outcomes[3] = {};

	for (round = 0; round < rounds; round++) {
		int64_t at = now_ns() + SECOND / 500, deadline = round % 3 ? at : 0;
		struct releaser r[2];
		pthread_barrier_t start;
		int file, hold = hold_file(self->c.fd, self->syncobj, deadline, &file), won;

		ASSERT_LT(0, hold);
		pthread_barrier_init(&start, NULL, 2);
		for (i = 0; i < 2; i++) {
			r[i] = (struct releaser){
				.fd = self->c.fd, .hold = hold, .start = &start, .at = at,
				.error = i ? EIO : 0,
			};
			ASSERT_EQ(0, pthread_create(&r[i].thread, NULL, release_once, &r[i]));
		}
		for (i = 0; i < 2; i++)
			pthread_join(r[i].thread, NULL);
		/* When a release has returned, the fence has signalled. */
		won = r[0].ret == -ENOENT;
		EXPECT_EQ(-ENOENT, r[!won].ret);
		EXPECT_EQ(r[won].ret ?: won ? -EIO : 1, sync_file_status(file));
		EXPECT_TRUE(r[won].ret == 0 || (deadline && r[won].ret == -ETIMEDOUT));
		outcomes[r[won].ret ? 2 : won]++;
		close(file);
		pthread_barrier_destroy(&start);
	}
	TH_LOG("first %d, second %d, deadline %d", outcomes[0], outcomes[1], outcomes[2]);
}

struct guesser {
	int fd;
	atomic_bool stop;
	uint32_t released;
	int bad;
	pthread_t thread;
};

static void *release_all(void *arg)
{
	struct guesser *g = arg;
	uint32_t number = 0;
	int ret;

	while (!atomic_load(&g->stop)) {
		ret = job_hold_release(g->fd, 1 + number++ % 4, EIO);
		g->released += !ret;
		if (ret && ret != -ENOENT)
			g->bad = ret;
	}
	return NULL;
}

/* A thread guesses the numbers of holds that another thread is creating. */
TEST_F(holds, a_release_that_guesses_the_number_harms_nothing)
{
	int i, rounds = repeat(3000), mine = 0;
	struct guesser g = { .fd = self->c.fd };

	ASSERT_EQ(0, pthread_create(&g.thread, NULL, release_all, &g));
	for (i = 0; i < rounds; i++) {
		int file, ret, hold = hold_file(self->c.fd, self->syncobj, 0, &file);

		ASSERT_LT(0, hold);
		ret = job_hold_release(self->c.fd, hold, 0);
		EXPECT_TRUE(!ret || ret == -ENOENT);
		mine += !ret;
		EXPECT_EQ(ret ? -EIO : 1, job_end(file));
	}
	atomic_store(&g.stop, true);
	pthread_join(g.thread, NULL);
	EXPECT_EQ(0, g.bad);
	EXPECT_EQ(rounds, mine + g.released);
	EXPECT_EQ(vsm_info(self->c.fd).client_jobs, fill(self->c.fd, self->syncobj, 1));
}

TEST_HARNESS_MAIN
