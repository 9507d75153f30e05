// SPDX-License-Identifier: GPL-2.0-only
/* A job that takes too long. Its channel is reset, and other work is not affected. */
#include "jobs.h"

#define C AT(0, 0x50)		/* counts the bytes of a thread */
#define MINE 0x800

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
	struct drm_vsm_cluster_create args = {
		.ctas = 1, .threads = 1, .smem_bytes = WINDOW, .policy = DRM_VSM_POLICY_HARDWARE,
	};
	struct drm_vsm_insn *insns = calloc(COPIES, sizeof(*insns));
	struct cluster c;
	int i, files[2];

	ASSERT_EQ(0, cluster_create_args(&c, self->j.fd, &args));
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

TEST_F(timeout, without_a_limit_no_job_is_late)
{
	ASSERT_EQ(0, model_set(self->j.fd, "job_timeout_ms", 0));
	ASSERT_EQ(0, model_set(self->j.fd, "latency_ns", 3 * TIMEOUT_MS * SECOND / 1000));
	EXPECT_EQ(1, job_end(job_start(&self->j.c, self->j.channel, self->j.load, 2, 0)));
	EXPECT_EQ(0, memcmp(cluster_mem(&self->j.c, DATA), self->j.b.map, 256));
}

TEST_HARNESS_MAIN
