// SPDX-License-Identifier: GPL-2.0-only
/*
 * What stacks do with fences before and after jobs: waits that come before the job is submitted,
 * events, merged sync_files, fences of dma-bufs, deadline hints. The error of a job must arrive on
 * each of these paths.
 */
#include <sys/eventfd.h>

#include "channel.h"

#define A AT(0, 0x40)		/* counts arrivals */
#define ARRIVALS 1000000

/* Libdrm and the headers of older kernels lack these. From include/uapi/drm/drm.h. */
struct syncobj_eventfd {
	__u32 handle;
	__u32 flags;
	__u64 point;
	__s32 fd;
	__u32 pad;
};

struct syncobj_timeline_wait {
	__u64 handles;
	__u64 points;
	__s64 timeout_nsec;
	__u32 count_handles;
	__u32 flags;
	__u32 first_signaled;
	__u32 pad;
	__u64 deadline_nsec;
};

#define SYNCOBJ_EVENTFD		DRM_IOWR(0xcf, struct syncobj_eventfd)
#define SYNCOBJ_TIMELINE_WAIT	DRM_IOWR(0xca, struct syncobj_timeline_wait)
#define WAIT_AVAILABLE		(1 << 2)
#define WAIT_DEADLINE		(1 << 3)

/* From include/uapi/linux/sync_file.h */
struct set_deadline {
	__u64 deadline_ns;
	__u64 pad;
};

#define SET_DEADLINE _IOW(SYNC_IOC_MAGIC, 5, struct set_deadline)

/* From include/uapi/linux/dma-buf.h */
struct import_sync_file {
	__u32 flags;
	__s32 fd;
};

#define IMPORT_SYNC_FILE _IOW(DMA_BUF_BASE, 3, struct import_sync_file)

FIXTURE(fence_paths)
{
	struct cluster c;
	int fd;
	int channel;		/* out of order */
	uint32_t timeline;
	struct drm_vsm_insn arrive;
};

FIXTURE_SETUP(fence_paths)
{
	self->fd = vsm_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, cluster_create(&self->c, self->fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, ARRIVALS)));
	self->channel = channel_create(self->fd, DRM_VSM_CHANNEL_OUT_OF_ORDER);
	ASSERT_LT(0, self->channel);
	self->timeline = syncobj_create(self->fd);
	self->arrive = i_sink(i_arrive(A));
}

FIXTURE_TEARDOWN(fence_paths)
{
	EXPECT_EQ(0, cluster_close(&self->c));
}

static uint32_t arrived(const struct cluster *c)
{
	return ARRIVALS - vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(c, A));
}

/* Returns the status of a job that waits for a sync_file. */
static int job_status_behind(const struct cluster *c, int file)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));

	return job_end(job_start(c, 0, &arrive, 1, syncobj_import(c->fd, file)));
}

/*
 * Submits a job behind a hold, whose number is stored in @hold. The job signals point @point of a
 * syncobj.
 */
static int submit_held(const struct cluster *c, int channel, uint32_t syncobj, uint64_t point,
		       int *hold)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	struct drm_vsm_sync syncs[] = {
		sync_wait(syncobj_create(c->fd), 0), sync_signal(syncobj, point),
	};

	*hold = job_hold_create(c->fd, syncs[0].handle, 0, 0);
	return *hold < 0 ? *hold
			 : submit_on(c, channel, &arrive, 1, syncs, 2);
}

/* As submit_held(). Returns the job's fence as a sync_file. */
static int held_file(const struct cluster *c, int channel, int *hold)
{
	uint32_t syncobj = syncobj_create(c->fd);
	int ret = submit_held(c, channel, syncobj, 0, hold);

	return ret ? ret : syncobj_export(c->fd, syncobj);
}

/* --- waits before the job is submitted ------------------------------------ */

struct waiter {
	int fd;
	uint32_t timeline;
	uint64_t point;
	uint32_t flags;
	atomic_int tid;
	int ret;
	pthread_t thread;
};

static void *wait_for_point(void *arg)
{
	struct waiter *w = arg;

	atomic_store(&w->tid, get_tid());
	w->ret = drmSyncobjTimelineWait(w->fd, &w->timeline, &w->point, 1, now_ns() + AMPLE,
					w->flags, NULL);
	return NULL;
}

TEST_F(fence_paths, a_point_can_be_waited_for_before_its_job_is_submitted)
{
	static const uint32_t flags[] = {
		DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
		DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | WAIT_AVAILABLE,
	};
	struct waiter w[2];
	int i, hold;

	for (i = 0; i < 2; i++) {
		w[i] = (struct waiter){
			.fd = self->fd, .timeline = self->timeline, .point = 3, .flags = flags[i],
		};
		ASSERT_EQ(0, pthread_create(&w[i].thread, NULL, wait_for_point, &w[i]));
		ASSERT_TRUE(wait_until_thread_blocked(&w[i].tid, SYS_ioctl));
	}
	ASSERT_EQ(0, submit_held(&self->c, self->channel, self->timeline, 3, &hold));
	/* The job has been submitted, and still waits. */
	pthread_join(w[1].thread, NULL);
	EXPECT_EQ(0, w[1].ret);
	ASSERT_TRUE(wait_until_thread_blocked(&w[0].tid, SYS_ioctl));
	EXPECT_EQ(0, arrived(&self->c));
	EXPECT_EQ(0, job_hold_release(self->fd, hold, 0));
	pthread_join(w[0].thread, NULL);
	EXPECT_EQ(0, w[0].ret);
	EXPECT_EQ(1, arrived(&self->c));
}

TEST_F(fence_paths, a_job_cannot_be_submitted_before_its_in_fence)
{
	struct drm_vsm_sync syncs[] = {
		sync_wait(self->timeline, 1), sync_wait(syncobj_create(self->fd), 0),
	};
	int hold;

	EXPECT_EQ(-EINVAL, submit_on(&self->c, 0, &self->arrive, 1, &syncs[0], 1));
	EXPECT_EQ(-EINVAL, submit_on(&self->c, 0, &self->arrive, 1, &syncs[1], 1));
	ASSERT_EQ(0, submit_held(&self->c, self->channel, self->timeline, 1, &hold));
	EXPECT_EQ(0, submit_on(&self->c, 0, &self->arrive, 1, &syncs[0], 1));
	EXPECT_EQ(0, job_hold_release(self->fd, hold, 0));
}

/* Returns 0, -ETIME, or -EOPNOTSUPP if the kernel has no such ioctl. */
static int event_on(int fd, uint32_t syncobj, uint64_t point, uint32_t flags, int event)
{
	struct syncobj_eventfd args = {
		.handle = syncobj, .flags = flags, .point = point, .fd = event,
	};
	int ret = vsm_ioctl(fd, SYNCOBJ_EVENTFD, &args);

	return ret == -EINVAL || ret == -ENOTTY ? -EOPNOTSUPP : ret;
}

TEST_F(fence_paths, an_eventfd_tells_of_a_point)
{
	int hold, done = eventfd(0, EFD_CLOEXEC), submitted = eventfd(0, EFD_CLOEXEC);
	int ret = event_on(self->fd, self->timeline, 3, 0, done);

	if (ret == -EOPNOTSUPP)
		SKIP(return, "the kernel has no DRM_IOCTL_SYNCOBJ_EVENTFD");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, event_on(self->fd, self->timeline, 3, WAIT_AVAILABLE, submitted));
	EXPECT_EQ(0, poll_events(submitted));
	ASSERT_EQ(0, submit_held(&self->c, self->channel, self->timeline, 3, &hold));
	EXPECT_EQ(POLLIN, poll_events(submitted) & POLLIN);
	EXPECT_EQ(0, poll_events(done) & POLLIN);
	EXPECT_EQ(0, job_hold_release(self->fd, hold, EIO));
	EXPECT_EQ(1, poll(&(struct pollfd){ .fd = done, .events = POLLIN }, 1, AMPLE_MS));
	close(done);
	close(submitted);
}

/* --- merged sync_files ---------------------------------------------------- */

static int merge(int one, int two)
{
	struct sync_merge_data args = { .name = "merged", .fd2 = two };

	return ioctl(one, SYNC_IOC_MERGE, &args) ? -errno : args.fence;
}

TEST_F(fence_paths, a_merged_sync_file_waits_for_all_and_has_their_error)
{
	int i, order, files[3], numbers[3], two, all;

	for (order = 0; order < 6; order++) {
		for (i = 0; i < 3; i++) {
			files[i] = held_file(&self->c, self->channel, &numbers[i]);
			ASSERT_LE(0, files[i]);
		}
		two = merge(files[0], files[1]);
		all = merge(two, files[2]);
		ASSERT_LE(0, all);
		for (i = 0; i < 3; i++) {
			int j = (order + (order < 3 ? i : 3 - i)) % 3;

			EXPECT_EQ(0, poll_events(all));
			/* The job with number 1 fails. */
			EXPECT_EQ(0, job_hold_release(self->fd, numbers[j], j == 1 ? EIO : 0));
			EXPECT_EQ(j == 1 ? -EIO : 1, job_end(files[j]));
		}
		EXPECT_EQ(-EIO, job_end(two));
		EXPECT_EQ(-EIO, job_status_behind(&self->c, all));
		EXPECT_EQ(-EIO, job_end(all));
	}
}

TEST_F(fence_paths, sync_files_of_other_drivers_can_be_merged)
{
	struct hold foreign;
	int hold, mine, both;

	if (hold_init(&foreign) == -ENODEV)
		SKIP(return, "needs vgem or sw_sync");
	mine = held_file(&self->c, self->channel, &hold);
	both = merge(mine, foreign.file);
	ASSERT_LE(0, both);
	EXPECT_EQ(0, job_hold_release(self->fd, hold, ENODEV));
	EXPECT_EQ(-ENODEV, job_end(mine));
	EXPECT_EQ(0, poll_events(both));
	EXPECT_EQ(0, hold_release(&foreign));
	EXPECT_EQ(-ENODEV, job_status_behind(&self->c, both));
	EXPECT_EQ(-ENODEV, job_end(both));
	EXPECT_EQ(0, arrived(&self->c));
}

/* --- fences of dma-bufs --------------------------------------------------- */

TEST_F(fence_paths, an_error_goes_through_a_dma_buf)
{
	struct dma_buf_export_sync_file out = { .flags = DMA_BUF_SYNC_RW, .fd = -1 };
	struct import_sync_file in = { .flags = DMA_BUF_SYNC_WRITE };
	int dmabuf, hold;
	struct buffer b;

	ASSERT_EQ(0, buffer_create(&b, self->fd, 4096));
	ASSERT_EQ(0, drmPrimeHandleToFD(self->fd, b.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	in.fd = held_file(&self->c, self->channel, &hold);
	ASSERT_EQ(0, ioctl(dmabuf, IMPORT_SYNC_FILE, &in));
	ASSERT_EQ(0, ioctl(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &out));
	EXPECT_EQ(0, sync_file_status(out.fd));
	EXPECT_EQ(0, job_hold_release(self->fd, hold, EIO));
	EXPECT_EQ(-EIO, job_end(out.fd));
	EXPECT_EQ(-EIO, job_end(in.fd));
	munmap(b.map, b.size);
	close(dmabuf);
}

/* --- deadline hints ------------------------------------------------------- */

TEST_F(fence_paths, deadline_hints_are_accepted_and_change_nothing)
{
	struct set_deadline hints[] = { { 0 }, { 1 }, { now_ns() + SECOND }, { ~0ULL } };
	uint64_t point = 1;
	struct syncobj_timeline_wait wait = {
		.handles = (uintptr_t)&self->timeline, .points = (uintptr_t)&point,
		.count_handles = 1, .flags = WAIT_DEADLINE, .deadline_nsec = 1,
	};
	int i, ret, hold, file;

	file = held_file(&self->c, self->channel, &hold);
	ASSERT_LE(0, file);
	ret = ioctl(file, SET_DEADLINE, &hints[0]) ? -errno : 0;
	if (ret == -ENOTTY)
		SKIP(return, "the kernel has no SYNC_IOC_SET_DEADLINE");
	ASSERT_EQ(0, ret);
	for (i = 1; i < ITEMS(hints); i++)
		EXPECT_EQ(0, ioctl(file, SET_DEADLINE, &hints[i]));
	EXPECT_EQ(0, sync_file_status(file));
	EXPECT_EQ(0, job_hold_release(self->fd, hold, 0));
	EXPECT_EQ(1, job_end(file));

	ASSERT_EQ(0, submit_held(&self->c, self->channel, self->timeline, 1, &hold));
	EXPECT_EQ(-ETIME, vsm_ioctl(self->fd, SYNCOBJ_TIMELINE_WAIT, &wait));
	wait.timeout_nsec = now_ns() + AMPLE;
	EXPECT_EQ(0, job_hold_release(self->fd, hold, 0));
	EXPECT_EQ(0, vsm_ioctl(self->fd, SYNCOBJ_TIMELINE_WAIT, &wait));
	EXPECT_EQ(2, arrived(&self->c));
}

TEST_HARNESS_MAIN
