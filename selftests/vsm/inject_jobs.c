// SPDX-License-Identifier: GPL-2.0-only
/* Injection of failures into jobs. */
#include "inject.h"
#include "jobs.h"

#define SOON (20 * SECOND / 1000)

FIXTURE(inject_jobs) { struct jobs j; };

FIXTURE_SETUP(inject_jobs)
{
	ASSERT_EQ(0, jobs_open(&self->j));
}

FIXTURE_TEARDOWN(inject_jobs)
{
	EXPECT_EQ(0, inject_remove(self->j.fd, 0));
	EXPECT_EQ(0, jobs_close(&self->j));
}

TEST_F(inject_jobs, a_job_ends_with_an_error)
{
	int errors[] = { ENOMEM, EBUSY, EPROTO, ECANCELED, EREMOTEIO, ETIMEDOUT, EPERM };
	uint32_t i;

	for (i = 0; i < ITEMS(errors); i++) {
		int rule = inject(self->j.fd, R(JOB, ERROR, .error = errors[i]));

		EXPECT_EQ(-errors[i], job_end(start_arrive(&self->j)));
		EXPECT_EQ(0, inject_remove(self->j.fd, rule));
	}
	EXPECT_EQ(0, arrived(&self->j));
	EXPECT_EQ(1, job_end(start_arrive(&self->j)));
	EXPECT_EQ(1, arrived(&self->j));
}

TEST_F(inject_jobs, a_job_faults_and_the_jobs_behind_it_are_cancelled_or_run)
{
	struct hold hold;
	int spare, i, files[4];
	uint32_t in;

	for (spare = 0; spare < 2; spare++) {
		ASSERT_LT(0, inject(self->j.fd, R(JOB, FAULT, .times = 1,
						  .flags = spare ? DRM_VSM_INJECT_SPARE : 0)));
		if (hold_init(&hold) == -ENODEV)
			SKIP(return, "needs vgem");
		in = syncobj_import(self->j.fd, hold.file);
		for (i = 0; i < 4; i++)
			files[i] = job_start(&self->j.c, self->j.channel, &self->j.arrive, 1,
					     i ? 0 : in);
		EXPECT_EQ(0, hold_release(&hold));
		EXPECT_EQ(-EIO, job_end(files[0]));
		for (i = 1; i < 4; i++)
			EXPECT_EQ(spare ? 1 : -ECANCELED, job_end(files[i]));
		EXPECT_EQ(3 * spare, arrived(&self->j));
	}
	EXPECT_EQ(1, job_end(start_arrive(&self->j)));
}

TEST_F(inject_jobs, a_job_hangs_until_its_time_limit)
{
	int file;

	if (model_reset(self->j.fd))
		SKIP(return, "needs debugfs");
	ASSERT_EQ(0, model_set(self->j.fd, "job_timeout_ms", TIMEOUT_MS));
	ASSERT_LT(0, inject(self->j.fd, R(JOB, HANG, .times = 1)));
	file = start_arrive(&self->j);
	EXPECT_EQ(-ETIMEDOUT, job_end(file));
	EXPECT_EQ(0, arrived(&self->j));
	EXPECT_EQ(1, job_end(start_arrive(&self->j)));
	EXPECT_EQ(0, model_reset(self->j.fd));
}

TEST_F(inject_jobs, a_job_hangs_until_its_rule_is_removed)
{
	int rule = inject(self->j.fd, R(JOB, HANG));
	int file = start_arrive(&self->j);

	ASSERT_EQ(0, inject_wait(self->j.fd, rule, 1, AMPLE));
	EXPECT_EQ(0, sync_file_status(file));
	EXPECT_EQ(0, inject_remove(self->j.fd, rule));
	EXPECT_EQ(1, job_end(file));
	EXPECT_EQ(1, arrived(&self->j));
}

TEST_F(inject_jobs, a_hang_ends_with_its_channel_and_with_its_file)
{
	int files[2], rule = inject(self->j.fd, R(JOB, HANG)), other = vsm_open();
	struct cluster c;

	files[0] = start_arrive(&self->j);
	files[1] = start_arrive(&self->j);
	ASSERT_EQ(0, inject_wait(self->j.fd, rule, 1, AMPLE));
	EXPECT_EQ(0, channel_destroy(self->j.fd, self->j.channel));
	EXPECT_EQ(-ECANCELED, job_end(files[0]));
	EXPECT_EQ(-ECANCELED, job_end(files[1]));

	ASSERT_EQ(0, cluster_share(&c, other, &self->j.c));
	rule = inject(other, R(JOB, HANG));
	files[0] = job_start(&c, 0, &self->j.arrive, 1, 0);
	ASSERT_EQ(0, inject_wait(other, rule, 1, AMPLE));
	munmap(c.map, c.size);
	close(other);
	EXPECT_EQ(-ECANCELED, job_end(files[0]));
	EXPECT_EQ(0, arrived(&self->j));
}

TEST_F(inject_jobs, a_job_is_delayed)
{
	int64_t start = now_ns();

	ASSERT_LT(0, inject(self->j.fd, R(JOB, DELAY, .arg = SOON, .times = 1)));
	EXPECT_EQ(1, job_end(start_arrive(&self->j)));
	EXPECT_LE(start + SOON, now_ns());
}

TEST_F(inject_jobs, a_job_loses_its_cluster)
{
	struct drm_vsm_insn wait = i_try_parity_unlimited(A, 0);
	struct drm_vsm_exec args = play_args(&self->j.c, 0, 0, DRM_VSM_EXEC_NO_LIMIT, &wait, 1);
	struct exec_thread thread;

	ASSERT_EQ(0, exec_thread_run(&thread, &self->j.c, args));
	ASSERT_TRUE(exec_thread_suspended(&thread));
	ASSERT_LT(0, inject(self->j.fd, R(JOB, LOSE_CLUSTER, .times = 1)));
	EXPECT_EQ(-EIO, job_end(start_arrive(&self->j)));
	EXPECT_EQ(-EIO, exec_thread_join(&thread));
	EXPECT_EQ(-EIO, exec_one(&self->j.c, i_arrive(A)));
}

TEST_F(inject_jobs, a_wait_for_fences_fails)
{
	uint32_t in = syncobj_create(self->j.fd);
	struct drm_vsm_sync signal = sync_signal(in, 0);
	int rule = inject(self->j.fd, R(FENCE, ERROR, .error = ENODATA, .times = 1));

	/* A job without in-fences does not wait for any. */
	EXPECT_EQ(0, submit_on(&self->j.c, 0, &self->j.arrive, 1, &signal, 1));
	EXPECT_EQ(1, syncobj_status(self->j.fd, in));
	EXPECT_EQ(0, inject_matched(self->j.fd, rule));
	EXPECT_EQ(-ENODATA, job_end(job_start(&self->j.c, 0, &self->j.arrive, 1, in)));
	EXPECT_EQ(1, job_end(job_start(&self->j.c, 0, &self->j.arrive, 1, in)));
	EXPECT_EQ(2, inject_matched(self->j.fd, rule));
	EXPECT_EQ(2, arrived(&self->j));
}

TEST_F(inject_jobs, a_rule_can_be_for_one_channel)
{
	int other = channel_create(self->j.fd, 0);
	int rule = inject(self->j.fd, R(JOB, ERROR, .error = ENODATA,
				      .flags = DRM_VSM_INJECT_CHANNEL, .channel = other));

	EXPECT_EQ(1, job_end(start_arrive(&self->j)));
	EXPECT_EQ(1, job_end(job_start(&self->j.c, 0, &self->j.arrive, 1, 0)));
	EXPECT_EQ(-ENODATA, job_end(job_start(&self->j.c, other, &self->j.arrive, 1, 0)));
	EXPECT_EQ(1, inject_matched(self->j.fd, rule));
}

TEST_HARNESS_MAIN
