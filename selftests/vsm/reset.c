// SPDX-License-Identifier: GPL-2.0-only
/*
 * A job that takes too long: its channel is reset, and other work is not affected. What a channel
 * says about its jobs that failed: who was guilty, and how often.
 */
#include "jobs.h"

#define C AT(0, 0x50)		/* counts the bytes of a thread */
#define NONE AT(0, 0x60)	/* not initialised */
#define MINE 0x800
#define CLEAR DRM_VSM_CHANNEL_STATUS_CLEAR

FIXTURE(reset)
{
	struct jobs j;
	struct drm_vsm_insn fault;
};

FIXTURE_SETUP(reset)
{
	ASSERT_EQ(0, jobs_open(&self->j));
	self->fault = i_sink(i_arrive(NONE));
	if (model_reset(self->j.fd))
		SKIP(return, "needs debugfs");
}

FIXTURE_TEARDOWN(reset)
{
	model_reset(self->j.fd);
	EXPECT_EQ(0, jobs_close(&self->j));
}

/* Expects that the status of a channel has these values. Members without a value must be 0. */
#define EXPECT_STATUS(number, ...) \
	expect_status(_metadata, self->j.fd, number, __LINE__, \
		      &(struct drm_vsm_channel_status){ __VA_ARGS__ })

static void expect_status(struct __test_metadata *_metadata, int fd, uint32_t channel, int line,
			  const struct drm_vsm_channel_status *want)
{
	struct drm_vsm_channel_status got;

	ASSERT_EQ(0, channel_status(fd, channel, 0, &got)) TH_LOG("line %d", line);
	EXPECT_EQ(channel, got.channel) TH_LOG("line %d", line);
	EXPECT_EQ(0, got.flags) TH_LOG("line %d", line);
	EXPECT_EQ(want->status, got.status) TH_LOG("line %d", line);
	EXPECT_EQ(want->error, got.error) TH_LOG("line %d", line);
	EXPECT_EQ(want->resets, got.resets) TH_LOG("line %d", line);
	EXPECT_EQ(want->guilty, got.guilty) TH_LOG("line %d", line);
	EXPECT_EQ(want->innocent, got.innocent) TH_LOG("line %d", line);
	EXPECT_EQ(want->unknown, got.unknown) TH_LOG("line %d", line);
	EXPECT_EQ(want->guilty_job, got.guilty_job) TH_LOG("line %d", line);
	EXPECT_EQ(want->guilty_site, got.guilty_site) TH_LOG("line %d", line);
	EXPECT_EQ(want->guilty_error, got.guilty_error) TH_LOG("line %d", line);
}

/*
 * Runs a job that takes too long, with @behind jobs behind it, which are cancelled. All of them are
 * queued before the first one begins. Those behind it wait for another fence: in a channel that is
 * out of order, any of the jobs whose fences have signalled may begin. Returns the status of the
 * first job's fence, or another negative errno.
 */
static int run_late(const struct cluster *c, unsigned int channel, struct drm_vsm_insn load[2],
		    unsigned int site, int behind)
{
	uint32_t in[] = { syncobj_create(c->fd), syncobj_create(c->fd) };
	int i, ret, holds[2], files[8];

	ret = model_set(c->fd, "latency_ns", NEVER);
	if (!ret)
		ret = model_set(c->fd, "job_timeout_ms", TIMEOUT_MS);
	if (ret)
		return ret;
	for (i = 0; i < 2; i++) {
		holds[i] = job_hold_create(c->fd, in[i], 0, 0);
		if (holds[i] < 0)
			return holds[i];
	}
	files[0] = job_start_site_after(c, channel, load, 2, site, in[0]);
	for (i = 1; i <= behind; i++)
		files[i] = job_start(c, channel, load, 2, in[1]);
	if (job_hold_release(c->fd, holds[0], 0))
		return -EBADMSG;
	ret = job_end(files[0]);
	for (i = 1; i <= behind; i++)
		if (job_end(files[i]) != -ECANCELED)
			ret = -EBADMSG;
	for (i = 0; i < 2; i++)
		syncobj_destroy(c->fd, in[i]);
	if (job_hold_release(c->fd, holds[1], 0) || model_reset(c->fd))
		return -EBADMSG;
	return ret;
}

/* Runs a job of the first channel that waits for a fence. Returns its status. */
static int run_after(struct jobs *j, int file)
{
	return job_end(job_start(&j->c, 0, &j->arrive, 1, syncobj_import(j->fd, file)));
}

TEST_F(reset, a_new_channel_has_had_no_reset)
{
	EXPECT_EQ(1, job_end(start_arrive(&self->j)));
	EXPECT_STATUS(0, .status = DRM_VSM_RESET_NONE);
	EXPECT_STATUS(self->j.channel, .status = DRM_VSM_RESET_NONE);
}

TEST_F(reset, a_late_job_is_guilty_and_the_jobs_behind_it_are_innocent)
{
	EXPECT_EQ(1, job_end(start_arrive(&self->j)));
	EXPECT_EQ(-ETIMEDOUT, run_late(&self->j.c, self->j.channel, self->j.load, 77, 3));
	EXPECT_STATUS(self->j.channel, .status = DRM_VSM_RESET_GUILTY, .error = -ECANCELED,
		      .resets = 1, .guilty = 1, .innocent = 3, .guilty_job = 2, .guilty_site = 77,
		      .guilty_error = -ETIMEDOUT);
}

TEST_F(reset, an_out_of_order_channel_says_the_same)
{
	int channel = channel_create(self->j.fd, DRM_VSM_CHANNEL_OUT_OF_ORDER);

	ASSERT_LT(0, channel);
	EXPECT_EQ(-ETIMEDOUT, run_late(&self->j.c, channel, self->j.load, 5, 2));
	EXPECT_STATUS(channel, .status = DRM_VSM_RESET_GUILTY, .error = -ECANCELED, .resets = 1,
		      .guilty = 1, .innocent = 2, .guilty_job = 1, .guilty_site = 5,
		      .guilty_error = -ETIMEDOUT);
}

TEST_F(reset, a_job_that_faults_is_guilty_and_resets_nothing)
{
	struct drm_vsm_insn insns[] = { self->j.arrive, self->fault };

	EXPECT_EQ(-EIO, job_end(job_start_site(&self->j.c, 0, insns, 2, 9)));
	EXPECT_EQ(1, job_end(job_start(&self->j.c, 0, &self->j.arrive, 1, 0)));
	EXPECT_STATUS(0, .status = DRM_VSM_RESET_GUILTY, .error = -EIO, .guilty = 1,
		      .guilty_job = 1, .guilty_site = 9, .guilty_error = -EIO);
}

/* The copy of the job faults after the job has issued it. */
TEST_F(reset, a_job_whose_copy_faults_is_guilty)
{
	struct drm_vsm_insn copy = i_g2s(DATA, NONE, 16, self->j.b.handle, 0);

	EXPECT_EQ(-EIO, job_end(job_start(&self->j.c, 0, &copy, 1, 0)));
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, reset_status(self->j.fd, 0, 0));
}

TEST_F(reset, a_job_whose_in_fence_failed_is_innocent)
{
	int failed = job_start(&self->j.c, self->j.channel, &self->fault, 1, 0);

	EXPECT_EQ(-EIO, run_after(&self->j, failed));
	close(failed);
	EXPECT_STATUS(0, .status = DRM_VSM_RESET_INNOCENT, .error = -EIO, .innocent = 1);
}

/* Opens a cluster of the hardware policy, in which a poisoned word is a trap. */
static int open_hardware(struct cluster *c, int fd)
{
	return cluster_make(c, fd, .ctas = 1, .threads = 1, .smem_bytes = 4096,
			    .policy = DRM_VSM_POLICY_HARDWARE);
}

TEST_F(reset, the_trap_of_a_thread_leaves_the_guilt_of_jobs_unknown)
{
	struct drm_vsm_insn load[] = {
		i_expect_tx(B, 16), i_g2s(DATA, B, 16, self->j.b.handle, 0),
	};
	struct cluster c;
	int file;

	ASSERT_EQ(0, open_hardware(&c, self->j.fd));
	ASSERT_EQ(0, exec_one(&c, i_init(B, 1)));
	ASSERT_EQ(0, model_set(self->j.fd, "latency_ns", SECOND / 10));
	file = job_start(&c, 0, load, 2, 0);
	while (!vsm_mbarrier_tx(VSM_LAYOUT_SM_90, word(&c, B)))
		sched_yield();
	atomic_store(word_at(&c, A), POISONED_WORD);
	EXPECT_EQ(-EPROTO, exec_one(&c, i_arrive(A)));
	EXPECT_EQ(-EIO, job_end(file));
	EXPECT_STATUS(0, .status = DRM_VSM_RESET_UNKNOWN, .error = -EIO, .unknown = 1);
	/* Unknown is worse than innocent. */
	file = job_start(&self->j.c, self->j.channel, &self->fault, 1, 0);
	EXPECT_EQ(-EIO, run_after(&self->j, file));
	close(file);
	EXPECT_EQ(DRM_VSM_RESET_UNKNOWN, reset_status(self->j.fd, 0, CLEAR));
	EXPECT_EQ(DRM_VSM_RESET_NONE, reset_status(self->j.fd, 0, 0));
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(reset, the_job_that_traps_is_guilty)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	struct cluster c;

	ASSERT_EQ(0, open_hardware(&c, self->j.fd));
	atomic_store(word_at(&c, A), POISONED_WORD);
	EXPECT_EQ(-EIO, job_end(job_start(&c, 0, &arrive, 1, 0)));
	EXPECT_EQ(-EIO, exec_one(&c, i_arrive(A)));
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, reset_status(self->j.fd, 0, 0));
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(reset, only_a_query_that_says_so_clears_the_status)
{
	int failed;

	EXPECT_EQ(-EIO, job_end(job_start(&self->j.c, 0, &self->fault, 1, 0)));
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, reset_status(self->j.fd, 0, 0));
	/* An innocent job does not hide that another was guilty. */
	failed = job_start(&self->j.c, self->j.channel, &self->fault, 1, 0);
	EXPECT_EQ(-EIO, run_after(&self->j, failed));
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, reset_status(self->j.fd, 0, CLEAR));
	EXPECT_STATUS(0, .status = DRM_VSM_RESET_NONE, .error = -EIO, .guilty = 1, .innocent = 1,
		      .guilty_job = 1, .guilty_error = -EIO);
	EXPECT_EQ(-EIO, run_after(&self->j, failed));
	EXPECT_EQ(DRM_VSM_RESET_INNOCENT, reset_status(self->j.fd, 0, 0));
	EXPECT_EQ(-EIO, job_end(job_start(&self->j.c, 0, &self->fault, 1, 0)));
	EXPECT_STATUS(0, .status = DRM_VSM_RESET_GUILTY, .error = -EIO, .guilty = 2, .innocent = 2,
		      .guilty_job = 4, .guilty_error = -EIO);
	/* The other channel has its own status. */
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, reset_status(self->j.fd, self->j.channel, 0));
	close(failed);
}

TEST_F(reset, others_see_that_a_channel_was_reset_and_nothing_else)
{
	struct drm_vsm_channel_status before, after;
	int other = vsm_open();

	ASSERT_LE(0, other);
	ASSERT_EQ(0, channel_status(other, 0, 0, &before));
	EXPECT_EQ(-ETIMEDOUT, run_late(&self->j.c, self->j.channel, self->j.load, 0, 1));
	ASSERT_EQ(0, channel_status(other, 0, 0, &after));
	EXPECT_EQ(before.device_resets + 1, after.device_resets);
	before.device_resets++;
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(after)));
	ASSERT_EQ(0, channel_status(self->j.fd, 0, 0, &after));
	EXPECT_EQ(before.device_resets, after.device_resets);
	EXPECT_EQ(0, after.resets);
	EXPECT_EQ(0, after.innocent);
	close(other);
}

TEST_F(reset, a_query_that_is_wrong_changes_nothing)
{
	struct drm_vsm_channel_status status;
	int other = vsm_open();

	EXPECT_EQ(-EIO, job_end(job_start(&self->j.c, self->j.channel, &self->fault, 1, 0)));
	EXPECT_EQ(-EINVAL, reset_status(self->j.fd, self->j.channel, CLEAR | 2));
	EXPECT_EQ(-EINVAL, reset_status(self->j.fd, self->j.channel, 1U << 31));
	EXPECT_EQ(-ENOENT, reset_status(self->j.fd, self->j.channel + 1, CLEAR));
	EXPECT_EQ(-ENOENT, reset_status(self->j.fd, UINT32_MAX, 0));
	/* The channels of another client are not to be found. */
	EXPECT_EQ(-ENOENT, reset_status(other, self->j.channel, CLEAR));
	EXPECT_EQ(-EFAULT, vsm_ioctl(self->j.fd, DRM_IOCTL_VSM_CHANNEL_STATUS, NULL));
	ASSERT_EQ(0, channel_status(self->j.fd, self->j.channel, 0, &status));
	EXPECT_EQ(DRM_VSM_RESET_GUILTY, status.status);
	EXPECT_EQ(0, channel_destroy(self->j.fd, self->j.channel));
	EXPECT_EQ(-ENOENT, reset_status(self->j.fd, self->j.channel, 0));
	/* A channel that gets the same number is a new one. */
	EXPECT_EQ(self->j.channel, channel_create(self->j.fd, 0));
	EXPECT_EQ(DRM_VSM_RESET_NONE, reset_status(self->j.fd, self->j.channel, 0));
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
	struct asker asker = { .fd = self->j.fd, .channel = self->j.channel };
	struct drm_vsm_channel_status status;
	int i, rounds = repeat(100), files[2];
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, asker_main, &asker));
	/* The other thread is asking while the rounds begin. */
	while (!atomic_load(&asker.found))
		sched_yield();
	for (i = 0; i < rounds; i++) {
		files[0] = job_start(&self->j.c, self->j.channel, &self->fault, 1, 0);
		files[1] = job_start(&self->j.c, 0, &self->fault, 1, 0);
		ASSERT_EQ(0, channel_destroy(self->j.fd, self->j.channel));
		ASSERT_EQ(self->j.channel, channel_create(self->j.fd, 0));
		EXPECT_GT(0, job_end(files[0]));
		EXPECT_EQ(-EIO, job_end(files[1]));
	}
	atomic_store(&asker.stop, true);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, asker.wrong);
	ASSERT_EQ(0, channel_status(self->j.fd, 0, 0, &status));
	EXPECT_EQ(rounds, status.guilty);
	EXPECT_EQ(rounds, status.guilty_job);
}

/* --- jobs that take too long ------------------------------------------------------------ */

FIXTURE(timeout)
{
	struct jobs j;
};

FIXTURE_SETUP(timeout)
{
	ASSERT_EQ(0, jobs_open(&self->j));
	ASSERT_EQ(0, exec_one(&self->j.c, i_init(C, 1)));
	if (model_reset(self->j.fd))
		SKIP(return, "needs debugfs");
	ASSERT_EQ(0, model_set(self->j.fd, "job_timeout_ms", TIMEOUT_MS));
}

FIXTURE_TEARDOWN(timeout)
{
	model_reset(self->j.fd);
	EXPECT_EQ(0, jobs_close(&self->j));
}

/* Starts a job that never completes. Returns its fence. */
static int start_stuck(const struct cluster *c, uint32_t channel, struct drm_vsm_insn load[2])
{
	int file, ret = model_set(c->fd, "latency_ns", NEVER);

	if (ret)
		return ret;
	file = job_start(c, channel, load, 2, 0);
	/* Wait until the job has begun: the mbarrier then expects its bytes. */
	while (file >= 0 && !vsm_mbarrier_tx(VSM_LAYOUT_SM_90, word(c, B)))
		sched_yield();
	return file;
}

TEST_F(timeout, ends_the_job_with_etimedout_not_before_its_time)
{
	int64_t start = now_ns();
	int file = start_stuck(&self->j.c, self->j.channel, self->j.load);

	ASSERT_LE(0, file);
	EXPECT_EQ(-ETIMEDOUT, job_end(file));
	EXPECT_LE(start + TIMEOUT_MS * SECOND / 1000, now_ns());
	EXPECT_EQ(0, *(uint64_t *)cluster_mem(&self->j.c, DATA));
}

TEST_F(timeout, cancels_what_is_queued_behind_it_in_its_channel)
{
	uint32_t flags, in, late;
	int i, files[9], channel;
	struct hold hold[2];

	ASSERT_EQ(0, model_set(self->j.fd, "latency_ns", NEVER));
	for (flags = 0; flags < 2; flags++) {
		if (hold_init(&hold[0]) == -ENODEV || hold_init(&hold[1]))
			SKIP(return, "needs vgem");
		in = syncobj_import(self->j.fd, hold[0].file);
		late = syncobj_import(self->j.fd, hold[1].file);
		channel = channel_create(self->j.fd, flags);
		files[0] = job_start(&self->j.c, channel, self->j.load, 2, in);
		/* Every second job waits for the fence that is released only at the end. */
		for (i = 1; i < 9; i++)
			files[i] = job_start(&self->j.c, channel, &self->j.arrive, 1,
					     i % 2 ? in : late);
		EXPECT_EQ(0, hold_release(&hold[0]));
		EXPECT_EQ(-ETIMEDOUT, job_end(files[0]));
		for (i = 1; i < 9; i++)
			EXPECT_EQ(-ECANCELED, job_end(files[i])) TH_LOG("job %d", i);
		EXPECT_EQ(0, hold_release(&hold[1]));
		EXPECT_EQ(0, arrived(&self->j));
	}
}

TEST_F(timeout, leaves_other_channels_alone_but_fails_jobs_that_wait_for_it)
{
	int i, stuck, files[3], channel = channel_create(self->j.fd, 0), other = vsm_open();
	struct cluster c;
	struct hold hold;
	uint32_t in;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	ASSERT_EQ(0, cluster_share(&c, other, &self->j.c));
	in = syncobj_import(self->j.fd, hold.file);
	stuck = start_stuck(&self->j.c, self->j.channel, self->j.load);
	ASSERT_LE(0, stuck);
	files[0] = job_start(&self->j.c, 0, &self->j.arrive, 1, in);
	files[1] = job_start(&self->j.c, channel, &self->j.arrive, 1, in);
	files[2] = job_start(&c, 0, &self->j.arrive, 1, syncobj_import(other, stuck));
	EXPECT_EQ(-ETIMEDOUT, job_end(stuck));
	EXPECT_EQ(-ETIMEDOUT, job_end(files[2]));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, sync_file_status(files[i]));
	EXPECT_EQ(0, hold_release(&hold));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(1, job_end(files[i]));
	EXPECT_EQ(2, arrived(&self->j));
	munmap(c.map, c.size);
	close(other);
}

TEST_F(timeout, a_channel_works_afterwards)
{
	struct drm_vsm_insn store = i_s2g(DATA, 256, self->j.b.handle, 0x1000);
	int i, round, channels[] = { 0, self->j.channel };

	for (round = 0; round < 3; round++) {
		for (i = 0; i < 2; i++) {
			EXPECT_EQ(-ETIMEDOUT,
				  job_end(start_stuck(&self->j.c, channels[i], self->j.load)));
			ASSERT_EQ(0, model_set(self->j.fd, "latency_ns", 0));
			ASSERT_EQ(0, exec_one(&self->j.c, i_complete_tx(B, 256)));
			memset(self->j.b.map + 0x1000, 0, 256);
			EXPECT_EQ(1, job_end(job_start(&self->j.c, channels[i], self->j.load, 2,
						       0)));
			EXPECT_EQ(1, job_end(job_start(&self->j.c, channels[i], &store, 1, 0)));
			EXPECT_EQ(0, memcmp(self->j.b.map, self->j.b.map + 0x1000, 256));
		}
	}
}

/*
 * Dropped copies leave nothing behind: programs may write their target and invalidate their
 * mbarrier.
 */
TEST_F(timeout, nothing_is_left_of_dropped_copies)
{
	struct drm_vsm_insn over = i_cp_async(DATA + 16, 16, self->j.b.handle, 0);

	EXPECT_EQ(-ETIMEDOUT, job_end(start_stuck(&self->j.c, self->j.channel, self->j.load)));
	ASSERT_EQ(0, model_set(self->j.fd, "latency_ns", 0));
	EXPECT_EQ(256, vsm_mbarrier_tx(VSM_LAYOUT_SM_90, word(&self->j.c, B)));
	EXPECT_EQ(0, exec_one(&self->j.c, over));
	EXPECT_EQ(0, exec_one(&self->j.c, i_wait_all()));
	EXPECT_EQ(0, exec_one(&self->j.c, i_inval(B)));
	EXPECT_EQ(0, exec_one(&self->j.c, i_init(B, 1)));
	EXPECT_EQ(1, job_end(job_start(&self->j.c, 0, self->j.load, 2, 0)));
}

/*
 * The time limit of a job begins when the job starts. The time that it waited before does not
 * count.
 */
TEST_F(timeout, time_spent_waiting_does_not_count)
{
	struct hold hold;
	int file, stuck;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	file = job_start(&self->j.c, self->j.channel, &self->j.arrive, 1,
			 syncobj_import(self->j.fd, hold.file));
	/* Another job begins now, and it times out. */
	stuck = start_stuck(&self->j.c, 0, self->j.load);
	EXPECT_EQ(-ETIMEDOUT, job_end(stuck));
	EXPECT_EQ(0, sync_file_status(file));
	EXPECT_EQ(0, hold_release(&hold));
	EXPECT_EQ(1, job_end(file));
}

TEST_F(timeout, copies_of_threads_on_the_same_channel_survive)
{
	struct drm_vsm_insn copies[] = {
		i_g2s(MINE, C, 256, self->j.b.handle, 256),
		i_g2s(MINE + 256, C, 256, self->j.b.handle, 512),
	};
	int stuck;

	ASSERT_EQ(0, exec_one(&self->j.c, i_arrive_expect_tx(C, 512)));
	/*
	 * The first copy is issued before the job's copies. It takes longer than the job's time
	 * limit. The second copy is issued after them.
	 */
	ASSERT_EQ(0, model_set(self->j.fd, "latency_ns", 10 * TIMEOUT_MS * SECOND / 1000));
	ASSERT_EQ(0, exec_one(&self->j.c, copies[0]));
	stuck = start_stuck(&self->j.c, 0, self->j.load);
	ASSERT_LE(0, stuck);
	ASSERT_EQ(0, model_set(self->j.fd, "latency_ns", 1000));
	ASSERT_EQ(0, exec_one(&self->j.c, copies[1]));
	EXPECT_EQ(-ETIMEDOUT, job_end(stuck));
	EXPECT_EQ(0, await_phase(&self->j.c, C, 0));
	EXPECT_EQ(0, memcmp(cluster_mem(&self->j.c, MINE), self->j.b.map + 256, 512));
	EXPECT_EQ(0, *(uint64_t *)cluster_mem(&self->j.c, DATA));
}

TEST_F(timeout, a_job_that_only_computes_may_be_late_too)
{
	enum { COPIES = 4096, WINDOW = 0x8000 };
	/* The hardware policy allows copies to the same bytes. */
	struct drm_vsm_insn *insns = calloc(COPIES, sizeof(*insns));
	struct cluster c;
	int i, files[2];

	ASSERT_EQ(0, cluster_make(&c, self->j.fd, .ctas = 1, .threads = 1, .smem_bytes = WINDOW,
				  .policy = DRM_VSM_POLICY_HARDWARE));
	/* 128 MiB: every machine takes longer than the limit. */
	for (i = 0; i < COPIES; i++)
		insns[i] = i_s2g(0, WINDOW, self->j.b.handle, 0);
	ASSERT_EQ(0, model_set(self->j.fd, "job_timeout_ms", 1));
	EXPECT_EQ(-ETIMEDOUT, job_end(job_start(&c, self->j.channel, insns, COPIES, 0)));
	ASSERT_EQ(0, model_set(self->j.fd, "job_timeout_ms", 0));
	for (i = 0; i < 2; i++)
		files[i] = job_start(&c, i ? self->j.channel : 0, insns, COPIES, 0);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(1, job_end(files[i]));
	EXPECT_EQ(0, cluster_destroy(&c));
	free(insns);
}

TEST_F(timeout, no_job_is_late_if_the_limit_is_an_hour)
{
	ASSERT_EQ(0, model_set(self->j.fd, "job_timeout_ms", 0));
	ASSERT_EQ(0, model_set(self->j.fd, "latency_ns", 3 * TIMEOUT_MS * SECOND / 1000));
	EXPECT_EQ(1, job_end(start_load(&self->j)));
	EXPECT_EQ(0, memcmp(cluster_mem(&self->j.c, DATA), self->j.b.map, 256));
}

TEST_HARNESS_MAIN
