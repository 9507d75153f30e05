// SPDX-License-Identifier: GPL-2.0-only
/* Injection of failures into jobs, and into the asynchronous operations of jobs and threads. */
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

/* --- jobs ---------------------------------------------------------------------------- */

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

/* --- operations of jobs ------------------------------------------------------------- */

/* How many bits of the data differ from the buffer */
static int wrong_bits(const struct jobs *j)
{
	const unsigned char *data = cluster_mem(&j->c, DATA);
	int i, wrong = 0;

	for (i = 0; i < SIZE; i++)
		wrong += __builtin_popcount(data[i] ^ j->b.map[i]);
	return wrong;
}

static bool nothing_there(const struct jobs *j)
{
	const unsigned char *data = cluster_mem(&j->c, DATA);
	int i;

	for (i = 0; i < SIZE; i++)
		if (data[i])
			return false;
	return true;
}

static bool all_there(const struct jobs *j)
{
	return !wrong_bits(j);
}

TEST_F(inject_jobs, a_copy_fails_and_its_job_with_it)
{
	int errors[] = { ENOMEM, EBUSY, EPROTO, ECANCELED, EREMOTEIO };
	uint32_t i, where;

	for (where = DRM_VSM_INJECT_COPY; where <= DRM_VSM_INJECT_COMPLETE; where++) {
		for (i = 0; i < ITEMS(errors); i++) {
			struct drm_vsm_inject_rule rule = R(COPY, ERROR, .error = errors[i],
							    .times = 1);

			rule.where = where;
			ASSERT_LT(0, inject(self->j.fd, rule));
			EXPECT_EQ(-errors[i], job_end(start_load(&self->j)));
			/* It has moved its bytes, or not; it has not completed. */
			EXPECT_EQ(where == DRM_VSM_INJECT_COPY, nothing_there(&self->j));
			EXPECT_EQ(SIZE, missing(&self->j));
			EXPECT_EQ(0, exec_one(&self->j.c, i_complete_tx(B, SIZE)));
		}
	}
	EXPECT_EQ(1, job_end(start_load(&self->j)));
	EXPECT_EQ(0, missing(&self->j));
}

TEST_F(inject_jobs, a_copy_faults_and_its_channel_is_reset)
{
	struct drm_vsm_insn both[3] = { self->j.load[0], self->j.load[1], self->j.arrive };
	struct hold hold;
	int i, files[3];
	uint32_t in;

	for (i = 0; i < 2; i++) {
		struct drm_vsm_inject_rule rule = R(COPY, FAULT, .times = 1);

		rule.where += i;
		ASSERT_LT(0, inject(self->j.fd, rule));
		if (hold_init(&hold) == -ENODEV)
			SKIP(return, "needs vgem");
		in = syncobj_import(self->j.fd, hold.file);
		files[0] = job_start(&self->j.c, self->j.channel, both, 3, in);
		files[1] = start_arrive(&self->j);
		files[2] = job_start(&self->j.c, 0, &self->j.arrive, 1, in);
		EXPECT_EQ(0, hold_release(&hold));
		EXPECT_EQ(-EIO, job_end(files[0]));
		EXPECT_EQ(-ECANCELED, job_end(files[1]));
		EXPECT_EQ(1, job_end(files[2]));
		EXPECT_EQ(SIZE, missing(&self->j));
		EXPECT_EQ(0, exec_one(&self->j.c, i_complete_tx(B, SIZE)));
		EXPECT_EQ(1, job_end(start_load(&self->j)));
	}
}

TEST_F(inject_jobs, a_copy_hangs_before_and_after_it_has_moved_its_bytes)
{
	uint32_t where;

	for (where = DRM_VSM_INJECT_COPY; where <= DRM_VSM_INJECT_COMPLETE; where++) {
		struct drm_vsm_inject_rule hang = R(COPY, HANG);
		int file, rule;

		memset(cluster_mem(&self->j.c, DATA), 0, SIZE);
		hang.where = where;
		rule = inject(self->j.fd, hang);
		file = start_load(&self->j);
		ASSERT_EQ(0, inject_wait(self->j.fd, rule, 1, AMPLE));
		EXPECT_EQ(0, sync_file_status(file));
		EXPECT_EQ(where == DRM_VSM_INJECT_COPY, nothing_there(&self->j));
		EXPECT_EQ(where == DRM_VSM_INJECT_COMPLETE, all_there(&self->j));
		EXPECT_EQ(SIZE, missing(&self->j));
		EXPECT_EQ(0, inject_remove(self->j.fd, rule));
		EXPECT_EQ(1, job_end(file));
		EXPECT_TRUE(all_there(&self->j));
		EXPECT_EQ(0, missing(&self->j));
	}
}

TEST_F(inject_jobs, a_copy_that_hangs_ends_with_the_time_limit)
{
	if (model_reset(self->j.fd))
		SKIP(return, "needs debugfs");
	ASSERT_EQ(0, model_set(self->j.fd, "job_timeout_ms", TIMEOUT_MS));
	ASSERT_LT(0, inject(self->j.fd, R(COPY, HANG, .times = 1)));
	EXPECT_EQ(-ETIMEDOUT, job_end(start_load(&self->j)));
	ASSERT_LT(0, inject(self->j.fd, R(COMPLETE, HANG, .times = 1)));
	EXPECT_EQ(-ETIMEDOUT, job_end(start_load(&self->j)));
	EXPECT_EQ(2 * SIZE, missing(&self->j));
	EXPECT_EQ(1, job_end(start_arrive(&self->j)));
	EXPECT_EQ(0, model_reset(self->j.fd));
}

TEST_F(inject_jobs, a_copy_is_delayed_or_slow)
{
	const struct drm_vsm_inject_rule rules[] = {
		R(COPY, DELAY, .arg = SOON, .times = 1),
		R(COMPLETE, DELAY, .arg = SOON, .times = 1),
		R(COPY, SLOW, .arg = SIZE * SECOND / SOON, .times = 1),
	};
	uint32_t i;

	for (i = 0; i < ITEMS(rules); i++) {
		int64_t start = now_ns();

		ASSERT_LT(0, inject(self->j.fd, rules[i]));
		EXPECT_EQ(1, job_end(start_load(&self->j)));
		EXPECT_LE(start + SOON, now_ns()) TH_LOG("rule %u", i);
		EXPECT_EQ(0, missing(&self->j));
		EXPECT_TRUE(all_there(&self->j));
	}
}

TEST_F(inject_jobs, a_copy_is_lost)
{
	ASSERT_LT(0, inject(self->j.fd, R(COPY, LOSE, .times = 1)));
	EXPECT_EQ(1, job_end(start_load(&self->j)));
	EXPECT_TRUE(nothing_there(&self->j));
	EXPECT_EQ(SIZE, missing(&self->j));

	ASSERT_LT(0, inject(self->j.fd, R(COMPLETE, LOSE, .times = 1)));
	EXPECT_EQ(1, job_end(start_load(&self->j)));
	EXPECT_TRUE(all_there(&self->j));
	EXPECT_EQ(2 * SIZE, missing(&self->j));
}

TEST_F(inject_jobs, a_copy_completes_twice)
{
	ASSERT_EQ(0, exec_one(&self->j.c, i_expect_tx(B, SIZE)));
	ASSERT_LT(0, inject(self->j.fd, R(COMPLETE, TWICE, .times = 1)));
	EXPECT_EQ(1, job_end(start_load(&self->j)));
	EXPECT_EQ(0, missing(&self->j));
	EXPECT_TRUE(all_there(&self->j));
}

TEST_F(inject_jobs, too_many_bytes_are_a_fault_by_name)
{
	struct drm_vsm_event_fault event;

	/* The phase cannot end before: it lacks an arrival. */
	ASSERT_LT(0, inject(self->j.fd, R(COMPLETE, TWICE, .times = 4200)));
	while (job_status(&self->j.c, 0, self->j.load[1]) == 1)
		;
	ASSERT_EQ(1, fault_read(self->j.fd, &event));
	EXPECT_EQ(DRM_VSM_FAULT_TX_RANGE, event.insn.fault);
}

TEST_F(inject_jobs, a_copy_completes_in_pieces)
{
	/* 10, 10, ... and 6 bytes: the pieces make the whole. */
	ASSERT_LT(0, inject(self->j.fd, R(COMPLETE, SPLIT, .arg = 10, .times = 1)));
	EXPECT_EQ(1, job_end(start_load(&self->j)));
	EXPECT_EQ(0, missing(&self->j));
}

TEST_F(inject_jobs, a_copy_completes_with_too_few_bytes)
{
	ASSERT_LT(0, inject(self->j.fd, R(COMPLETE, SHORT, .arg = 16, .times = 1)));
	EXPECT_EQ(1, job_end(start_load(&self->j)));
	EXPECT_EQ(16, missing(&self->j));
	EXPECT_TRUE(all_there(&self->j));
	ASSERT_LT(0, inject(self->j.fd, R(COMPLETE, SHORT, .arg = 1ULL << 40, .times = 1)));
	EXPECT_EQ(1, job_end(start_load(&self->j)));
	EXPECT_EQ(16 + SIZE, missing(&self->j));
}

TEST_F(inject_jobs, a_copy_completes_before_its_bytes_are_there)
{
	int file, rule = inject(self->j.fd, R(COMPLETE, EARLY, .arg = SOON, .times = 1));

	file = start_load(&self->j);
	ASSERT_LE(0, file);
	ASSERT_EQ(0, inject_wait(self->j.fd, rule, 1, AMPLE));
	while (missing(&self->j))
		sched_yield();
	EXPECT_EQ(1, job_end(file));
	EXPECT_TRUE(all_there(&self->j));

	/* The bytes come an hour later, and the mbarrier says that they are there. */
	memset(cluster_mem(&self->j.c, DATA), 0, SIZE);
	if (model_reset(self->j.fd))
		SKIP(return, "needs debugfs");
	ASSERT_EQ(0, model_set(self->j.fd, "job_timeout_ms", TIMEOUT_MS));
	ASSERT_LT(0, inject(self->j.fd, R(COMPLETE, EARLY, .arg = 3600 * SECOND, .times = 1)));
	EXPECT_EQ(-ETIMEDOUT, job_end(start_load(&self->j)));
	EXPECT_EQ(0, missing(&self->j));
	EXPECT_TRUE(nothing_there(&self->j));
	EXPECT_EQ(0, model_reset(self->j.fd));
}

/* What completes early has not moved its bytes. They must not count as in flight for ever. */
TEST_F(inject_jobs, an_early_completion_that_is_refused_leaves_nothing_behind)
{
	struct drm_vsm_insn *load = &self->j.load[1];
	int i, way;

	for (i = 1; i < 4; i++)
		ASSERT_EQ(0, exec_at(&self->j.c, i, i_init(AT(i, 0x48), 1), NULL));
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, exec_at(&self->j.c, i, i_fence(), NULL));
	/* No arrival is pending, and 16 bytes are: more bytes are misuse. */
	ASSERT_EQ(0, exec_at(&self->j.c, 1, i_arrive_expect_tx(AT(1, 0x48), 16), NULL));
	for (way = 0; way < 2; way++) {
		*load = way ? i_multicast(i_g2s(DATA, B, SIZE, self->j.b.handle, 0), 0xf) :
			      i_g2s(AT(1, 0x400), AT(1, 0x48), SIZE, self->j.b.handle, 0);
		ASSERT_LT(0, inject(self->j.fd, R(COMPLETE, EARLY, .times = 1)));
		EXPECT_EQ(-EIO, job_end(job_start(&self->j.c, 0, load, 1, 0)));
		ASSERT_LT(0, inject(self->j.fd, R(COMPLETE, EARLY, .times = 1)));
		EXPECT_EQ(0, exec_one(&self->j.c, *load));
		EXPECT_EQ(0, async_finish(&self->j.c));
		fault_drain(self->j.fd);
	}
	/* The same bytes, of threads and of jobs: nothing conflicts with them. */
	self->j.load[0] = i_expect_tx(B, SIZE);
	self->j.load[1] = i_g2s(DATA, B, SIZE, self->j.b.handle, 0);
	for (i = 0; i < 100; i++) {
		EXPECT_EQ(1, job_end(start_load(&self->j)));
		EXPECT_EQ(0, exec_stream(&self->j.c, 0, self->j.load, 2, NULL));
		EXPECT_EQ(0, async_finish(&self->j.c));
	}
}

TEST_F(inject_jobs, a_bit_flips_and_then_completes_early)
{
	ASSERT_LT(0, inject(self->j.fd, R(COPY, FLIP, .arg = 5, .times = 1, .error = EBADMSG)));
	ASSERT_LT(0, inject(self->j.fd, R(COMPLETE, EARLY, .times = 1)));
	EXPECT_EQ(-EBADMSG, job_end(start_load(&self->j)));
	EXPECT_EQ(1, wrong_bits(&self->j));
	EXPECT_EQ(0, missing(&self->j));
}

TEST_F(inject_jobs, a_bit_flips)
{
	unsigned char *data = cluster_mem(&self->j.c, DATA);

	ASSERT_LT(0, inject(self->j.fd, R(COPY, FLIP, .arg = 8 * 100 + 3, .times = 1)));
	EXPECT_EQ(1, job_end(start_load(&self->j)));
	EXPECT_EQ(1, wrong_bits(&self->j));
	EXPECT_EQ(1 << 3, data[100] ^ self->j.b.map[100]);
	EXPECT_EQ(0, missing(&self->j));

	ASSERT_LT(0, inject(self->j.fd, R(COPY, FLIP, .arg = ~0ULL, .times = 1, .seed = 5,
					  .error = EBADMSG)));
	EXPECT_EQ(-EBADMSG, job_end(start_load(&self->j)));
	EXPECT_EQ(1, wrong_bits(&self->j));
	EXPECT_EQ(0, missing(&self->j));
	EXPECT_EQ(1, job_end(start_load(&self->j)));
	EXPECT_TRUE(all_there(&self->j));
}

TEST_F(inject_jobs, a_bit_flips_on_its_way_to_global_memory)
{
	struct drm_vsm_insn store = i_s2g(DATA, SIZE, self->j.b.handle, 0x1000);
	int rule = inject(self->j.fd, R(COPY, FLIP, .arg = 0, .times = 1, .error = EBADMSG));

	EXPECT_EQ(1, job_end(job_start(&self->j.c, 0, &self->j.arrive, 1, 0)));
	EXPECT_EQ(0, inject_matched(self->j.fd, rule));
	EXPECT_EQ(-EBADMSG, job_end(job_start(&self->j.c, 0, &store, 1, 0)));
	EXPECT_EQ(1, self->j.b.map[0x1000]);
	EXPECT_EQ(0, self->j.b.map[0x1001]);
	EXPECT_EQ(1, inject_matched(self->j.fd, rule));
}

TEST_F(inject_jobs, a_copy_loses_its_cluster)
{
	ASSERT_LT(0, inject(self->j.fd, R(COMPLETE, LOSE_CLUSTER, .times = 1)));
	EXPECT_EQ(-EIO, job_end(start_load(&self->j)));
	EXPECT_EQ(-EIO, exec_one(&self->j.c, i_arrive(A)));
}

TEST_F(inject_jobs, a_rule_can_be_for_one_buffer)
{
	struct buffer other;
	int rule;

	ASSERT_EQ(0, buffer_create(&other, self->j.fd, 0x1000));
	rule = inject(self->j.fd, R(COPY, ERROR, .error = ENODATA, .flags = DRM_VSM_INJECT_OBJECT,
				    .object = other.handle));
	EXPECT_EQ(1, job_end(start_load(&self->j)));
	EXPECT_EQ(0, inject_matched(self->j.fd, rule));
	self->j.load[1].u.copy.buffer = other.handle;
	EXPECT_EQ(-ENODATA, job_end(start_load(&self->j)));
	/* The rule keeps its object: the number of the handle is no longer its own. */
	EXPECT_EQ(0, gem_close(self->j.fd, other.handle));
	munmap(other.map, other.size);
	ASSERT_EQ(0, buffer_create(&other, self->j.fd, 0x1000));
	self->j.load[1].u.copy.buffer = other.handle;
	EXPECT_EQ(1, job_end(start_load(&self->j)));
	EXPECT_EQ(1, inject_matched(self->j.fd, rule));
	munmap(other.map, other.size);
}

/* --- operations of threads ---------------------------------------------------------- */

static int thread_load(const struct cluster *c, struct drm_vsm_insn *load)
{
	return exec_stream(c, 0, load, 2, NULL);
}

TEST_F(inject_jobs, the_copy_of_a_thread_is_lost_and_its_wait_ends_with_its_time)
{
	ASSERT_LT(0, inject(self->j.fd, R(COPY, LOSE, .times = 1)));
	ASSERT_EQ(0, thread_load(&self->j.c, self->j.load));
	EXPECT_EQ(0, async_finish(&self->j.c));
	EXPECT_EQ(SIZE, missing(&self->j));
	EXPECT_TRUE(nothing_there(&self->j));
	EXPECT_EQ(0, exec_result(&self->j.c, i_try_parity(B, 0, 1000)));
}

TEST_F(inject_jobs, the_group_of_a_lost_copy_completes)
{
	struct drm_vsm_insn insns[] = {
		i_cp_async(DATA, 16, self->j.b.handle, 0), i_commit(), i_wait_group(0),
	};

	ASSERT_LT(0, inject(self->j.fd, R(COPY, LOSE, .times = 1)));
	EXPECT_EQ(0, exec_stream(&self->j.c, 0, insns, 3, NULL));
	EXPECT_TRUE(nothing_there(&self->j));
}

TEST_F(inject_jobs, the_copy_of_a_thread_faults_and_its_cluster_is_lost)
{
	ASSERT_LT(0, inject(self->j.fd, R(COPY, FAULT, .times = 1)));
	ASSERT_EQ(0, thread_load(&self->j.c, self->j.load));
	EXPECT_EQ(-EIO, exec_one(&self->j.c, i_try_parity(B, 0, 1000000000)));
}

TEST_F(inject_jobs, an_asynchronous_arrive_is_lost_or_comes_twice)
{
	ASSERT_LT(0, inject(self->j.fd, R(COMPLETE, LOSE, .times = 1)));
	ASSERT_EQ(0, exec_one(&self->j.c, i_noinc(i_cp_arrive(A))));
	EXPECT_EQ(0, async_finish(&self->j.c));
	EXPECT_EQ(0, arrived(&self->j));
	ASSERT_LT(0, inject(self->j.fd, R(COMPLETE, TWICE, .times = 1)));
	ASSERT_EQ(0, exec_one(&self->j.c, i_noinc(i_cp_arrive(A))));
	EXPECT_EQ(0, async_finish(&self->j.c));
	EXPECT_EQ(2, arrived(&self->j));
	ASSERT_EQ(0, exec_one(&self->j.c, i_noinc(i_cp_arrive(A))));
	EXPECT_EQ(0, async_finish(&self->j.c));
	EXPECT_EQ(3, arrived(&self->j));
}

TEST_F(inject_jobs, the_copy_of_a_thread_hangs_and_the_file_can_be_closed)
{
	int other = vsm_open(), rule;
	struct cluster c;

	ASSERT_EQ(0, cluster_share(&c, other, &self->j.c));
	self->j.load[1] = i_s2s(DATA, B, 16, AT(0, 0x800));
	self->j.load[0] = i_expect_tx(B, 16);
	rule = inject(other, R(COMPLETE, HANG));
	ASSERT_EQ(0, thread_load(&c, self->j.load));
	ASSERT_EQ(0, inject_wait(other, rule, 1, AMPLE));
	EXPECT_EQ(16, missing(&self->j));
	munmap(c.map, c.size);
	close(other);
	/* An operation that a thread has issued is still performed. */
	EXPECT_EQ(0, missing(&self->j));
}

TEST_F(inject_jobs, all_ctas_of_a_multicast_lack_the_same)
{
	uint32_t cta;

	for (cta = 1; cta < 4; cta++)
		ASSERT_EQ(0, exec_at(&self->j.c, cta, i_init(AT(cta, 0x48), 1), NULL));
	for (cta = 0; cta < 4; cta++) {
		ASSERT_EQ(0, exec_at(&self->j.c, cta, i_fence(), NULL));
		ASSERT_EQ(0, exec_at(&self->j.c, cta, i_expect_tx(AT(cta, 0x48), SIZE), NULL));
	}
	self->j.load[1] = i_multicast(self->j.load[1], 0xf);
	ASSERT_LT(0, inject(self->j.fd, R(COMPLETE, SHORT, .arg = 32, .times = 1)));
	EXPECT_EQ(1, job_end(job_start(&self->j.c, 0, &self->j.load[1], 1, 0)));
	for (cta = 0; cta < 4; cta++)
		EXPECT_EQ(32, vsm_mbarrier_tx(LAYOUT, word(&self->j.c, AT(cta, 0x48))));
}

TEST_HARNESS_MAIN
