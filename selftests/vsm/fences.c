// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fences of jobs: several fences for one job, points of timelines, sync_files, and errors that
 * fences pass on from one job to the next.
 */
#include "channel.h"

#define A AT(0, 0x40)		/* counts arrivals */
#define B AT(0, 0x48)		/* waits for bytes */
#define NOTHING AT(0, 0x80)	/* no mbarrier */
#define DATA 0x400
#define ARRIVALS 1000000

FIXTURE(fences)
{
	struct cluster c;
	struct buffer b;
	int fd;
	int channel;		/* a second one, besides 0 */
	uint32_t timeline;
	struct drm_vsm_insn arrive;
	struct drm_vsm_insn fault;
};

FIXTURE_SETUP(fences)
{
	self->fd = vsm_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, cluster_create(&self->c, self->fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, self->fd, 4096));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, ARRIVALS)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(B, 1)));
	self->channel = channel_create(self->fd, 0);
	ASSERT_LT(0, self->channel);
	self->timeline = syncobj_create(self->fd);
	self->arrive = i_sink(i_arrive(A));
	self->fault = i_complete_tx(NOTHING, 16);
}

FIXTURE_TEARDOWN(fences)
{
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_destroy(&self->c));
	close(self->fd);
}

static uint32_t arrived(const struct cluster *c)
{
	return ARRIVALS - vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(c, A));
}

/* Returns the last point of a timeline that has signalled. */
static uint64_t last_point(int fd, uint32_t timeline)
{
	uint64_t point = POISON;

	return drmSyncobjQuery(fd, &timeline, &point, 1) ? POISON : point;
}

static int point_wait(int fd, uint32_t timeline, uint64_t point)
{
	return drmSyncobjTimelineWait(fd, &timeline, &point, 1, now_ns() + AMPLE, 0, NULL);
}

/* Runs a job that waits for a point and then arrives. Returns the status of its fence. */
static int status_behind(const struct cluster *c, uint32_t handle, uint64_t point)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	struct drm_vsm_sync syncs[] = {
		sync_wait(handle, point), sync_signal(syncobj_create(c->fd), 0),
	};
	int ret = submit_on(c, 0, &arrive, 1, syncs, 2);

	if (!ret)
		ret = syncobj_status(c->fd, syncs[1].handle);
	syncobj_destroy(c->fd, syncs[1].handle);
	return ret;
}

/* --- several fences for one job ------------------------------------------- */

TEST_F(fences, a_job_waits_for_all_that_are_in)
{
	struct drm_vsm_sync syncs[4];
	struct hold hold[2];
	int i, file;

	if (hold_init(&hold[0]) == -ENODEV || hold_init(&hold[1]))
		SKIP(return, "needs vgem");
	syncs[0] = sync_wait(syncobj_import(self->fd, hold[0].file), 0);
	syncs[1] = sync_signal(syncobj_create(self->fd), 0);
	ASSERT_EQ(0, submit_on(&self->c, 0, &self->arrive, 1, &syncs[1], 1));
	syncs[1].flags = DRM_VSM_SYNC_WAIT;
	syncs[2] = sync_wait(syncobj_import(self->fd, hold[1].file), 0);
	syncs[3] = sync_signal(syncobj_create(self->fd), 0);
	ASSERT_EQ(0, submit_on(&self->c, self->channel, &self->arrive, 1, syncs, 4));
	file = syncobj_export(self->fd, syncs[3].handle);
	for (i = 0; i < 2; i++) {
		/* A job of another channel completes while the first job waits. */
		EXPECT_EQ(1, job_end(job_start(&self->c, 0, &self->arrive, 1, 0)));
		EXPECT_EQ(0, sync_file_status(file));
		EXPECT_EQ(2 + i, arrived(&self->c));
		EXPECT_EQ(0, hold_release(&hold[i]));
	}
	EXPECT_EQ(1, job_end(file));
	EXPECT_EQ(4, arrived(&self->c));
}

TEST_F(fences, a_job_signals_all_that_are_out)
{
	struct drm_vsm_sync syncs[6];
	int i, file;

	for (i = 0; i < 6; i++)
		syncs[i] = sync_signal(syncobj_create(self->fd), i % 3 ? 0 : i + 7);
	ASSERT_EQ(0, submit_on(&self->c, 0, &self->arrive, 1, syncs, 6));
	for (i = 0; i < 6; i++) {
		EXPECT_EQ(1, syncobj_status(self->fd, syncs[i].handle));
		EXPECT_EQ(i % 3 ? 0 : i + 7, last_point(self->fd, syncs[i].handle));
	}
	/* All syncobjs have the same fence: a second sync_file of it has the same status. */
	file = syncobj_export(self->fd, syncs[1].handle);
	EXPECT_EQ(1, sync_file_status(file));
	close(file);
}

TEST_F(fences, as_many_points_as_the_limit_says_are_taken)
{
	uint32_t i, n = vsm_info(self->fd).max_syncs;
	struct drm_vsm_sync *syncs = calloc(n, sizeof(*syncs));

	/* All points belong to one timeline. */
	for (i = 0; i < n; i++)
		syncs[i] = sync_signal(self->timeline, 2 * i + 1);
	ASSERT_EQ(0, submit_on(&self->c, 0, &self->arrive, 1, syncs, n));
	EXPECT_EQ(0, point_wait(self->fd, self->timeline, 2 * n - 1));
	EXPECT_EQ(2 * n - 1, last_point(self->fd, self->timeline));
	free(syncs);
}

/*
 * Each job copies the data that the job before it has written. Every job waits for the same syncobj
 * and signals it.
 */
TEST_F(fences, order_jobs_of_different_channels)
{
	enum { ROUNDS = 100 };
	struct drm_vsm_sync syncs[] = {
		sync_signal(syncobj_create(self->fd), 0), sync_wait(0, 0),
	};
	unsigned char *window = cluster_mem(&self->c, DATA);
	int i;

	syncs[1].handle = syncs[0].handle;
	memset(window, 0x5a, 16);
	for (i = 0; i < 2 * ROUNDS; i++) {
		uint32_t at = DATA + i / 2 * 16;
		struct drm_vsm_insn job[] = {
			i_expect_tx(B, 16), i_g2s(at + 16, B, 16, self->b.handle, 32 * (i / 2)),
		};

		if (i % 2 == 0)
			job[0] = i_s2g(at, 16, self->b.handle, 32 * (i / 2));
		ASSERT_EQ(0, submit_on(&self->c, i % 2 ? self->channel : 0, job, i % 2 ? 2 : 1,
				       syncs, i ? 2 : 1));
	}
	EXPECT_EQ(1, syncobj_status(self->fd, syncs[0].handle));
	EXPECT_EQ(0, memcmp(window, window + 16 * ROUNDS, 16));
}

/* --- timelines ------------------------------------------------------------ */

TEST_F(fences, points_signal_in_order)
{
	struct drm_vsm_sync syncs[2] = { sync_signal(self->timeline, 10) };
	uint32_t in, alone = syncobj_create(self->fd);
	uint64_t point = 20;
	struct hold hold;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	in = syncobj_import(self->fd, hold.file);
	syncs[1] = sync_wait(in, 0);
	ASSERT_EQ(0, submit_on(&self->c, self->channel, &self->arrive, 1, syncs, 2));
	/* The second job has completed, but its point comes after the point of the first job. */
	syncs[0].point = 20;
	syncs[1] = sync_signal(alone, 0);
	ASSERT_EQ(0, submit_on(&self->c, 0, &self->arrive, 1, syncs, 2));
	EXPECT_EQ(1, syncobj_status(self->fd, alone));
	EXPECT_EQ(0, last_point(self->fd, self->timeline));
	EXPECT_EQ(-ETIME, drmSyncobjTimelineWait(self->fd, &self->timeline, &point, 1, 0, 0,
						 NULL));
	EXPECT_EQ(0, hold_release(&hold));
	EXPECT_EQ(0, point_wait(self->fd, self->timeline, 10));
	EXPECT_EQ(0, point_wait(self->fd, self->timeline, 20));
	EXPECT_EQ(20, last_point(self->fd, self->timeline));
}

TEST_F(fences, a_point_that_is_not_there_is_refused)
{
	struct drm_vsm_sync syncs[] = { sync_signal(self->timeline, 5), sync_wait(0, 0) };
	uint32_t in;
	struct hold hold;

	EXPECT_EQ(-EINVAL, status_behind(&self->c, self->timeline, 1));
	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	in = syncobj_import(self->fd, hold.file);
	syncs[1].handle = in;
	ASSERT_EQ(0, submit_on(&self->c, 0, &self->arrive, 1, syncs, 2));
	EXPECT_EQ(-EINVAL, status_behind(&self->c, self->timeline, 6));
	EXPECT_EQ(-EINVAL, status_behind(&self->c, self->timeline, ~0ULL));
	EXPECT_EQ(0, hold_release(&hold));
	EXPECT_EQ(0, point_wait(self->fd, self->timeline, 5));
	EXPECT_EQ(-EINVAL, status_behind(&self->c, self->timeline, 6));
	/* A wait for a point that does not exist waits for the next point that does. */
	EXPECT_EQ(1, status_behind(&self->c, self->timeline, 3));
	EXPECT_EQ(1, status_behind(&self->c, self->timeline, 5));
	EXPECT_EQ(3, arrived(&self->c));
}

TEST_F(fences, a_refused_job_leaves_no_point)
{
	struct drm_vsm_sync syncs[] = {
		sync_signal(self->timeline, 1), sync_signal(self->timeline, 2), sync_wait(0, 0),
	};
	struct drm_vsm_insn bad = i_complete_tx(A + 4, 16);

	EXPECT_EQ(-EPROTO, submit_on(&self->c, 0, &bad, 1, syncs, 2));
	EXPECT_EQ(-ENOENT, submit_on(&self->c, 0, &self->arrive, 1, syncs, 3));
	syncs[2] = sync_wait(self->timeline, 1);
	EXPECT_EQ(-EINVAL, submit_on(&self->c, 0, &self->arrive, 1, syncs, 3));
	EXPECT_EQ(-ENOENT, submit_on(&self->c, self->channel + 1, &self->arrive, 1, syncs, 2));
	EXPECT_EQ(0, last_point(self->fd, self->timeline));
	EXPECT_EQ(-EINVAL, status_behind(&self->c, self->timeline, 1));
	EXPECT_EQ(0, arrived(&self->c));
}

/*
 * Jobs of two channels take turns: each waits for the last point of a timeline and adds the next
 * point.
 */
TEST_F(fences, jobs_wait_for_earlier_points_of_their_own_timeline)
{
	enum { ROUNDS = 100 };
	unsigned char *window = cluster_mem(&self->c, DATA);
	int i;

	memset(window, 0x77, 16);
	for (i = 0; i < 2 * ROUNDS; i++) {
		uint32_t at = DATA + i / 2 * 16;
		struct drm_vsm_sync syncs[] = {
			sync_signal(self->timeline, i + 1), sync_wait(self->timeline, i),
		};
		struct drm_vsm_insn job[] = {
			i_expect_tx(B, 16), i_g2s(at + 16, B, 16, self->b.handle, 32 * (i / 2)),
		};

		if (i % 2 == 0)
			job[0] = i_s2g(at, 16, self->b.handle, 32 * (i / 2));
		ASSERT_EQ(0, submit_on(&self->c, i % 2 ? 0 : self->channel, job, i % 2 ? 2 : 1,
				       syncs, i ? 2 : 1));
	}
	EXPECT_EQ(0, point_wait(self->fd, self->timeline, 2 * ROUNDS));
	EXPECT_EQ(2 * ROUNDS, last_point(self->fd, self->timeline));
	EXPECT_EQ(0, memcmp(window, window + 16 * ROUNDS, 16));
}

TEST_F(fences, a_job_waits_for_its_point_and_not_for_later_ones)
{
	struct drm_vsm_sync syncs[2] = { sync_signal(self->timeline, 1) };
	struct hold hold;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	ASSERT_EQ(0, submit_on(&self->c, 0, &self->arrive, 1, syncs, 1));
	syncs[0].point = 2;
	syncs[1] = sync_wait(syncobj_import(self->fd, hold.file), 0);
	ASSERT_EQ(0, submit_on(&self->c, self->channel, &self->arrive, 1, syncs, 2));
	EXPECT_EQ(1, status_behind(&self->c, self->timeline, 1));
	EXPECT_EQ(1, last_point(self->fd, self->timeline));
	EXPECT_EQ(0, hold_release(&hold));
	EXPECT_EQ(1, status_behind(&self->c, self->timeline, 2));
	EXPECT_EQ(4, arrived(&self->c));
}

/* A point can be transferred to a binary syncobj, and another client can import the timeline. */
TEST_F(fences, points_can_be_passed_on)
{
	struct drm_vsm_sync syncs[2] = { sync_signal(self->timeline, 4) };
	uint32_t binary = syncobj_create(self->fd), theirs;
	int file, fd, other = vsm_open();
	struct cluster c;
	struct hold hold;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	ASSERT_EQ(0, cluster_share(&c, other, &self->c));
	syncs[1] = sync_wait(syncobj_import(self->fd, hold.file), 0);
	ASSERT_EQ(0, submit_on(&self->c, 0, &self->arrive, 1, syncs, 2));
	ASSERT_EQ(0, drmSyncobjTransfer(self->fd, binary, 0, self->timeline, 4, 0));
	file = syncobj_export(self->fd, binary);
	EXPECT_EQ(0, poll_events(file));

	ASSERT_EQ(0, drmSyncobjHandleToFD(self->fd, self->timeline, &fd));
	ASSERT_EQ(0, drmSyncobjFDToHandle(other, fd, &theirs));
	syncs[0] = sync_wait(theirs, 4);
	syncs[1] = sync_signal(theirs, 5);
	ASSERT_EQ(0, submit_on(&c, 0, &self->arrive, 1, syncs, 2));
	EXPECT_EQ(0, last_point(self->fd, self->timeline));
	EXPECT_EQ(0, arrived(&self->c));

	EXPECT_EQ(0, hold_release(&hold));
	EXPECT_EQ(1, job_end(file));
	EXPECT_EQ(0, point_wait(self->fd, self->timeline, 5));
	EXPECT_EQ(5, last_point(other, theirs));
	EXPECT_EQ(2, arrived(&self->c));
	close(fd);
	munmap(c.map, c.size);
	close(other);
}

/* --- sync_files ----------------------------------------------------------- */

TEST_F(fences, a_sync_file_can_be_polled_and_outlives_its_client)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	int files[3], other = vsm_open();
	struct cluster c;
	struct hold hold;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	ASSERT_EQ(0, cluster_share(&c, other, &self->c));
	files[0] = job_start(&c, 0, &arrive, 1, syncobj_import(other, hold.file));
	files[1] = dup(files[0]);
	EXPECT_EQ(0, poll_events(files[0]));
	EXPECT_EQ(0, sync_file_status(files[1]));
	EXPECT_EQ(0, hold_release(&hold));
	EXPECT_EQ(1, sync_file_wait(files[0]));
	files[2] = job_start(&c, 0, &self->fault, 1, 0);
	EXPECT_EQ(-EIO, sync_file_wait(files[2]));
	munmap(c.map, c.size);
	close(other);
	EXPECT_EQ(POLLIN, poll_events(files[1]));
	EXPECT_EQ(1, job_end(files[0]));
	EXPECT_EQ(1, job_end(files[1]));
	EXPECT_EQ(-EIO, sync_file_status(files[2]));
	/* Jobs of another client that wait for the fence get its error. */
	EXPECT_EQ(-EIO, status_behind(&self->c, syncobj_import(self->fd, files[2]), 0));
	close(files[2]);
}

/* --- errors of fences ----------------------------------------------------- */

TEST_F(fences, a_fault_fails_the_job_and_all_that_wait_for_it)
{
	struct drm_vsm_insn job[] = { self->arrive, self->fault, self->arrive };
	struct drm_vsm_sync syncs[] = {
		sync_signal(syncobj_create(self->fd), 0), sync_signal(self->timeline, 1),
		sync_wait(0, 0),
	};
	uint32_t first = syncs[0].handle;
	struct hold hold;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	/* One job is submitted while the faulting job is queued, two more after it has ended. */
	syncs[2].handle = syncobj_import(self->fd, hold.file);
	ASSERT_EQ(0, submit_on(&self->c, 0, job, 3, syncs, 3));
	syncs[2] = sync_wait(first, 0);
	syncs[0] = sync_signal(syncobj_create(self->fd), 0);
	ASSERT_EQ(0, submit_on(&self->c, self->channel, &self->arrive, 1, &syncs[0], 1));
	EXPECT_EQ(1, syncobj_status(self->fd, syncs[0].handle));
	syncs[1].point = 2;
	ASSERT_EQ(0, submit_on(&self->c, self->channel, &self->arrive, 1, syncs, 3));
	EXPECT_EQ(0, hold_release(&hold));
	EXPECT_EQ(-EIO, syncobj_status(self->fd, first));
	EXPECT_EQ(-EIO, syncobj_status(self->fd, syncs[0].handle));
	EXPECT_EQ(-EIO, status_behind(&self->c, first, 0));
	EXPECT_EQ(-EIO, status_behind(&self->c, syncs[0].handle, 0));
	/* The faulting job has arrived once before its fault, and the independent job once. */
	EXPECT_EQ(2, arrived(&self->c));
	fault_drain(self->fd);
}

/*
 * A dma_fence_chain has no error of its own. Jobs that wait for a point must still get the error of
 * the point's job.
 */
TEST_F(fences, an_error_goes_through_points)
{
	struct drm_vsm_sync syncs[2] = { sync_signal(self->timeline, 1) };
	struct hold hold;
	int i, files[3];

	/* A job waits for the last point after that point's job has failed. */
	ASSERT_EQ(0, submit_on(&self->c, 0, &self->fault, 1, syncs, 1));
	EXPECT_EQ(0, point_wait(self->fd, self->timeline, 1));
	EXPECT_EQ(-EIO, status_behind(&self->c, self->timeline, 1));

	/*
	 * Jobs wait for three points before the job of the first point fails. The job of each later
	 * point waits for the point before it.
	 */
	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	syncs[1] = sync_wait(syncobj_import(self->fd, hold.file), 0);
	for (i = 0; i < 3; i++) {
		struct drm_vsm_sync behind[] = {
			sync_signal(syncobj_create(self->fd), 0), sync_wait(self->timeline, i + 2),
		};

		syncs[0].point = i + 2;
		ASSERT_EQ(0, submit_on(&self->c, 0, i ? &self->arrive : &self->fault, 1, syncs, 2));
		syncs[1] = sync_wait(self->timeline, i + 2);
		ASSERT_EQ(0, submit_on(&self->c, self->channel, &self->arrive, 1, behind, 2));
		files[i] = syncobj_export(self->fd, behind[0].handle);
	}
	EXPECT_EQ(0, hold_release(&hold));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(-EIO, job_end(files[i]));
	EXPECT_EQ(4, last_point(self->fd, self->timeline));
	EXPECT_EQ(-EIO, status_behind(&self->c, self->timeline, 4));
	EXPECT_EQ(0, arrived(&self->c));
	fault_drain(self->fd);
}

TEST_F(fences, a_job_with_a_failed_fence_ends_when_the_others_have_signalled)
{
	struct drm_vsm_sync syncs[3];
	struct hold hold;
	int file;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	file = job_start(&self->c, 0, &self->fault, 1, 0);
	EXPECT_EQ(-EIO, sync_file_wait(file));
	syncs[0] = sync_wait(syncobj_import(self->fd, hold.file), 0);
	syncs[1] = sync_wait(syncobj_import(self->fd, file), 0);
	syncs[2] = sync_signal(syncobj_create(self->fd), 0);
	close(file);
	ASSERT_EQ(0, submit_on(&self->c, self->channel, &self->arrive, 1, syncs, 3));
	file = syncobj_export(self->fd, syncs[2].handle);
	EXPECT_EQ(1, job_end(job_start(&self->c, 0, &self->arrive, 1, 0)));
	EXPECT_EQ(0, sync_file_status(file));
	EXPECT_EQ(0, hold_release(&hold));
	EXPECT_EQ(-EIO, job_end(file));
	EXPECT_EQ(1, arrived(&self->c));
	fault_drain(self->fd);
}

TEST_F(fences, a_cancelled_job_cancels_those_that_wait_for_it)
{
	struct drm_vsm_sync syncs[] = {
		sync_signal(self->timeline, 1), sync_wait(0, 0),
	};
	struct hold hold;
	int i, files[2];

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	syncs[1].handle = syncobj_import(self->fd, hold.file);
	files[0] = job_start(&self->c, self->channel, &self->arrive, 1, syncs[1].handle);
	files[1] = job_start(&self->c, 0, &self->arrive, 1, syncobj_import(self->fd, files[0]));
	ASSERT_EQ(0, submit_on(&self->c, self->channel, &self->arrive, 1, syncs, 2));
	EXPECT_EQ(0, channel_destroy(self->fd, self->channel));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(-ECANCELED, job_end(files[i]));
	EXPECT_EQ(1, last_point(self->fd, self->timeline));
	EXPECT_EQ(-ECANCELED, status_behind(&self->c, self->timeline, 1));
	EXPECT_EQ(0, hold_release(&hold));
	EXPECT_EQ(0, arrived(&self->c));
}

TEST_HARNESS_MAIN
