// SPDX-License-Identifier: GPL-2.0-only
/* What a channel says about its jobs that failed: who was guilty, and how often. */
#include <pthread.h>

#include "reset.h"

#define A AT(0, 0x40)		/* counts arrivals */
#define B AT(0, 0x48)		/* counts the bytes of a job */
#define NONE AT(0, 0x60)	/* not initialised */
#define DATA 0x400
#define ARRIVALS 1000000
#define TIMEOUT_MS 20
#define CLEAR DRM_VSM_CHANNEL_STATUS_CLEAR

FIXTURE(reset)
{
	struct cluster c;
	struct buffer b;
	int fd;
	int channel;
	struct drm_vsm_insn arrive;
	struct drm_vsm_insn fault;
	struct drm_vsm_insn load[2];
};

FIXTURE_SETUP(reset)
{
	self->fd = vsm_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, cluster_create(&self->c, self->fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, self->fd, 0x1000));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, ARRIVALS)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(B, 1)));
	self->channel = channel_create(self->fd, 0);
	ASSERT_LT(0, self->channel);
	self->arrive = i_sink(i_arrive(A));
	self->fault = i_sink(i_arrive(NONE));
	self->load[0] = i_expect_tx(B, 256);
	self->load[1] = i_g2s(DATA, B, 256, self->b.handle, 0);
	if (model_reset(self->fd))
		SKIP(return, "needs debugfs");
}

FIXTURE_TEARDOWN(reset)
{
	model_reset(self->fd);
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_destroy(&self->c));
	close(self->fd);
}

/*
 * Runs a job that takes too long, with @behind jobs behind it, which are cancelled. All of them are
 * queued before the first one begins. Returns the status of its fence, or another negative errno.
 */
static int run_late(const struct cluster *c, unsigned int channel, struct drm_vsm_insn load[2],
		    unsigned int site, int behind)
{
	struct drm_vsm_hold_create hold = { .handle = syncobj_create(c->fd) };
	struct drm_vsm_hold_release release = {};
	int i, ret, files[8];

	ret = model_set(c->fd, "latency_ns", NEVER);
	if (!ret)
		ret = model_set(c->fd, "job_timeout_ms", TIMEOUT_MS);
	if (!ret)
		ret = vsm_ioctl(c->fd, DRM_IOCTL_VSM_HOLD_CREATE, &hold);
	if (ret)
		return ret;
	files[0] = job_start_site_after(c, channel, load, 2, site, hold.handle);
	for (i = 1; i <= behind; i++)
		files[i] = job_start(c, channel, load, 2, hold.handle);
	release.hold = hold.hold;
	if (vsm_ioctl(c->fd, DRM_IOCTL_VSM_HOLD_RELEASE, &release))
		return -EBADMSG;
	syncobj_destroy(c->fd, hold.handle);
	ret = job_end(files[0]);
	for (i = 1; i <= behind; i++)
		if (job_end(files[i]) != -ECANCELED)
			ret = -EBADMSG;
	return model_reset(c->fd) ? -EBADMSG : ret;
}

TEST_F(reset, a_new_channel_has_had_no_reset)
{
	struct drm_vsm_channel_status status;
	int i, channels[] = { 0, self->channel };

	EXPECT_EQ(1, job_end(job_start(&self->c, self->channel, &self->arrive, 1, 0)));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, channel_status(self->fd, channels[i], 0, &status));
		EXPECT_EQ(DRM_VSM_RESET_NONE, status.status);
		EXPECT_EQ(0, status.error);
		EXPECT_EQ(0, status.resets);
		EXPECT_EQ(0, status.guilty);
		EXPECT_EQ(0, status.innocent);
		EXPECT_EQ(0, status.unknown);
		EXPECT_EQ(0, status.guilty_job);
		EXPECT_EQ(0, status.guilty_site);
		EXPECT_EQ(0, status.guilty_error);
		EXPECT_EQ(channels[i], status.channel);
		EXPECT_EQ(0, status.flags);
	}
}

TEST_F(reset, a_late_job_is_guilty_and_the_jobs_behind_it_are_innocent)
{
	struct drm_vsm_channel_status status;

	EXPECT_EQ(1, job_end(job_start(&self->c, self->channel, &self->arrive, 1, 0)));
	EXPECT_EQ(-ETIMEDOUT, run_late(&self->c, self->channel, self->load, 77, 3));
	ASSERT_EQ(0, channel_status(self->fd, self->channel, 0, &status));
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, status.status);
	EXPECT_EQ(-ECANCELED, status.error);
	EXPECT_EQ(1, status.resets);
	EXPECT_EQ(1, status.guilty);
	EXPECT_EQ(3, status.innocent);
	EXPECT_EQ(0, status.unknown);
	EXPECT_EQ(2, status.guilty_job);
	EXPECT_EQ(77, status.guilty_site);
	EXPECT_EQ(-ETIMEDOUT, status.guilty_error);
}

TEST_F(reset, an_out_of_order_channel_says_the_same)
{
	int channel = channel_create(self->fd, DRM_VSM_CHANNEL_OUT_OF_ORDER);
	struct drm_vsm_channel_status status;

	ASSERT_LT(0, channel);
	EXPECT_EQ(-ETIMEDOUT, run_late(&self->c, channel, self->load, 5, 2));
	ASSERT_EQ(0, channel_status(self->fd, channel, 0, &status));
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, status.status);
	EXPECT_EQ(1, status.guilty);
	EXPECT_EQ(2, status.innocent);
	EXPECT_EQ(1, status.guilty_job);
}

TEST_F(reset, a_job_that_faults_is_guilty_and_resets_nothing)
{
	struct drm_vsm_insn insns[] = { self->arrive, self->fault };
	struct drm_vsm_channel_status status;

	EXPECT_EQ(-EIO, job_end(job_start_site(&self->c, 0, insns, 2, 9)));
	EXPECT_EQ(1, job_end(job_start(&self->c, 0, &self->arrive, 1, 0)));
	ASSERT_EQ(0, channel_status(self->fd, 0, 0, &status));
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, status.status);
	EXPECT_EQ(-EIO, status.error);
	EXPECT_EQ(0, status.resets);
	EXPECT_EQ(1, status.guilty);
	EXPECT_EQ(0, status.innocent);
	EXPECT_EQ(1, status.guilty_job);
	EXPECT_EQ(9, status.guilty_site);
	EXPECT_EQ(-EIO, status.guilty_error);
}

/* The copy of the job faults after the job has issued it. */
TEST_F(reset, a_job_whose_copy_faults_is_guilty)
{
	struct drm_vsm_insn copy = i_g2s(DATA, NONE, 16, self->b.handle, 0);

	EXPECT_EQ(-EIO, job_end(job_start(&self->c, 0, &copy, 1, 0)));
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, reset_status(self->fd, 0, 0));
}

TEST_F(reset, a_job_whose_in_fence_failed_is_innocent)
{
	struct drm_vsm_channel_status status;
	int failed = job_start(&self->c, self->channel, &self->fault, 1, 0);

	EXPECT_EQ(-EIO, job_end(job_start(&self->c, 0, &self->arrive, 1,
					  syncobj_import(self->fd, failed))));
	close(failed);
	ASSERT_EQ(0, channel_status(self->fd, 0, 0, &status));
	EXPECT_EQ(DRM_VSM_RESET_INNOCENT, status.status);
	EXPECT_EQ(-EIO, status.error);
	EXPECT_EQ(0, status.guilty);
	EXPECT_EQ(1, status.innocent);
	EXPECT_EQ(0, status.guilty_job);
	EXPECT_EQ(0, status.guilty_error);
}

/* Opens a cluster of the hardware policy, in which a poisoned word is a trap. */
static int open_hardware(struct cluster *c, int fd)
{
	struct drm_vsm_cluster_create args = {
		.ctas = 1, .threads = 1, .smem_bytes = 4096, .policy = DRM_VSM_POLICY_HARDWARE,
	};

	return cluster_create_args(c, fd, &args);
}

TEST_F(reset, the_trap_of_a_thread_leaves_the_guilt_of_jobs_unknown)
{
	struct drm_vsm_insn load[] = {
		i_expect_tx(B, 16), i_g2s(DATA, B, 16, self->b.handle, 0),
	};
	struct drm_vsm_channel_status status;
	struct cluster c;
	int file;

	ASSERT_EQ(0, open_hardware(&c, self->fd));
	ASSERT_EQ(0, exec_one(&c, i_init(B, 1)));
	ASSERT_EQ(0, model_set(self->fd, "latency_ns", SECOND / 10));
	file = job_start(&c, 0, load, 2, 0);
	while (!vsm_mbarrier_tx(VSM_LAYOUT_SM_90, word(&c, B)))
		sched_yield();
	atomic_store(word_at(&c, A), POISONED_WORD);
	EXPECT_EQ(-EPROTO, exec_one(&c, i_arrive(A)));
	EXPECT_EQ(-EIO, job_end(file));
	ASSERT_EQ(0, channel_status(self->fd, 0, 0, &status));
	EXPECT_EQ(DRM_VSM_RESET_UNKNOWN, status.status);
	EXPECT_EQ(-EIO, status.error);
	EXPECT_EQ(0, status.guilty);
	EXPECT_EQ(0, status.innocent);
	EXPECT_EQ(1, status.unknown);
	/* Unknown is worse than innocent. */
	file = job_start(&self->c, self->channel, &self->fault, 1, 0);
	EXPECT_EQ(-EIO, job_end(job_start(&self->c, 0, &self->arrive, 1,
					  syncobj_import(self->fd, file))));
	close(file);
	EXPECT_EQ(DRM_VSM_RESET_UNKNOWN, reset_status(self->fd, 0, CLEAR));
	EXPECT_EQ(DRM_VSM_RESET_NONE, reset_status(self->fd, 0, 0));
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(reset, the_job_that_traps_is_guilty)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	struct cluster c;

	ASSERT_EQ(0, open_hardware(&c, self->fd));
	atomic_store(word_at(&c, A), POISONED_WORD);
	EXPECT_EQ(-EIO, job_end(job_start(&c, 0, &arrive, 1, 0)));
	EXPECT_EQ(-EIO, exec_one(&c, i_arrive(A)));
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, reset_status(self->fd, 0, 0));
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(reset, only_a_query_that_says_so_clears_the_status)
{
	struct drm_vsm_channel_status status;
	int failed;

	EXPECT_EQ(-EIO, job_end(job_start(&self->c, 0, &self->fault, 1, 0)));
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, reset_status(self->fd, 0, 0));
	/* An innocent job does not hide that another was guilty. */
	failed = job_start(&self->c, self->channel, &self->fault, 1, 0);
	EXPECT_EQ(-EIO, job_end(job_start(&self->c, 0, &self->arrive, 1,
					  syncobj_import(self->fd, failed))));
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, reset_status(self->fd, 0, CLEAR));
	ASSERT_EQ(0, channel_status(self->fd, 0, CLEAR, &status));
	EXPECT_EQ(DRM_VSM_RESET_NONE, status.status);
	EXPECT_EQ(-EIO, status.error);
	EXPECT_EQ(1, status.guilty);
	EXPECT_EQ(1, status.innocent);
	EXPECT_EQ(1, status.guilty_job);
	EXPECT_EQ(-EIO, job_end(job_start(&self->c, 0, &self->arrive, 1,
					  syncobj_import(self->fd, failed))));
	EXPECT_EQ(DRM_VSM_RESET_INNOCENT, reset_status(self->fd, 0, 0));
	EXPECT_EQ(-EIO, job_end(job_start(&self->c, 0, &self->fault, 1, 0)));
	ASSERT_EQ(0, channel_status(self->fd, 0, 0, &status));
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, status.status);
	EXPECT_EQ(2, status.guilty);
	EXPECT_EQ(2, status.innocent);
	EXPECT_EQ(4, status.guilty_job);
	/* The other channel has its own status. */
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, reset_status(self->fd, self->channel, 0));
	close(failed);
}

TEST_F(reset, others_see_that_a_channel_was_reset_and_nothing_else)
{
	struct drm_vsm_channel_status before, after;
	int other = vsm_open();

	ASSERT_LE(0, other);
	ASSERT_EQ(0, channel_status(other, 0, 0, &before));
	EXPECT_EQ(-ETIMEDOUT, run_late(&self->c, self->channel, self->load, 0, 1));
	ASSERT_EQ(0, channel_status(other, 0, 0, &after));
	EXPECT_EQ(before.device_resets + 1, after.device_resets);
	before.device_resets++;
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(after)));
	ASSERT_EQ(0, channel_status(self->fd, 0, 0, &after));
	EXPECT_EQ(before.device_resets, after.device_resets);
	EXPECT_EQ(0, after.resets);
	EXPECT_EQ(0, after.innocent);
	close(other);
}

TEST_F(reset, a_query_that_is_wrong_changes_nothing)
{
	struct drm_vsm_channel_status status;
	int other = vsm_open();

	EXPECT_EQ(-EIO, job_end(job_start(&self->c, self->channel, &self->fault, 1, 0)));
	EXPECT_EQ(-EINVAL, reset_status(self->fd, self->channel, CLEAR | 2));
	EXPECT_EQ(-EINVAL, reset_status(self->fd, self->channel, 1U << 31));
	EXPECT_EQ(-ENOENT, reset_status(self->fd, self->channel + 1, CLEAR));
	EXPECT_EQ(-ENOENT, reset_status(self->fd, UINT32_MAX, 0));
	/* The channels of another client are not to be found. */
	EXPECT_EQ(-ENOENT, reset_status(other, self->channel, CLEAR));
	EXPECT_EQ(-EFAULT, vsm_ioctl(self->fd, DRM_IOCTL_VSM_CHANNEL_STATUS, NULL));
	ASSERT_EQ(0, channel_status(self->fd, self->channel, 0, &status));
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, status.status);
	EXPECT_EQ(0, channel_destroy(self->fd, self->channel));
	EXPECT_EQ(-ENOENT, reset_status(self->fd, self->channel, 0));
	/* A channel that gets the same number is a new one. */
	EXPECT_EQ(self->channel, channel_create(self->fd, 0));
	EXPECT_EQ(DRM_VSM_RESET_NONE, reset_status(self->fd, self->channel, 0));
	close(other);
}

struct asker {
	int fd;
	unsigned int channel;
	atomic_bool stop;
	int wrong;
	atomic_int found;
};

/* Asks until it is told to stop. The counts of channel 0 must never decrease. */
static void *asker_main(void *arg)
{
	struct drm_vsm_channel_status now, before = {};
	struct asker *a = arg;
	int ret;

	while (!atomic_load(&a->stop)) {
		ret = channel_status(a->fd, a->channel, CLEAR, &now);
		if (!ret)
			atomic_fetch_add(&a->found, 1);
		if (ret && ret != -ENOENT)
			a->wrong = ret;
		ret = channel_status(a->fd, 0, CLEAR, &now);
		if (ret || now.guilty < before.guilty || now.innocent < before.innocent ||
		    now.device_resets < before.device_resets || now.guilty_job < before.guilty_job)
			a->wrong = ret ? ret : -EBADMSG;
		before = now;
	}
	return NULL;
}

TEST_F(reset, a_query_races_with_the_end_of_its_channel)
{
	struct asker asker = { .fd = self->fd, .channel = self->channel };
	struct drm_vsm_channel_status status;
	int i, rounds = repeat(100), files[2];
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, asker_main, &asker));
	/* The other thread is asking while the rounds begin. */
	while (!atomic_load(&asker.found))
		sched_yield();
	for (i = 0; i < rounds; i++) {
		files[0] = job_start(&self->c, self->channel, &self->fault, 1, 0);
		files[1] = job_start(&self->c, 0, &self->fault, 1, 0);
		ASSERT_EQ(0, channel_destroy(self->fd, self->channel));
		ASSERT_EQ(self->channel, channel_create(self->fd, 0));
		EXPECT_GT(0, job_end(files[0]));
		EXPECT_EQ(-EIO, job_end(files[1]));
	}
	atomic_store(&asker.stop, true);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, asker.wrong);
	ASSERT_EQ(0, channel_status(self->fd, 0, 0, &status));
	EXPECT_EQ(rounds, status.guilty);
	EXPECT_EQ(rounds, status.guilty_job);
}

TEST_HARNESS_MAIN
