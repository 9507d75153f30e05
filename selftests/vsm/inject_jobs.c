// SPDX-License-Identifier: GPL-2.0-only
/* Injection of failures into jobs, and into the asynchronous operations of jobs and threads. */
#include <sys/ioctl.h>

#include "async.h"
#include "inject.h"
#include "model.h"

#define A AT(0, 0x40)		/* counts arrivals */
#define B AT(0, 0x48)		/* counts the bytes of copies */
#define DATA AT(0, 0x400)
#define SIZE 256
#define TIMEOUT_MS 20
#define SOON (20 * SECOND / 1000)
#define LAYOUT VSM_LAYOUT_SM_90

FIXTURE(inject_jobs)
{
	struct cluster c;
	struct buffer b;
	int fd;
	int channel;
	struct drm_vsm_insn arrive;
	struct drm_vsm_insn load[2];
};

FIXTURE_SETUP(inject_jobs)
{
	int i;

	self->fd = vsm_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, cluster_create(&self->c, self->fd, LAYOUT, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, self->fd, 0x10000));
	for (i = 0; i < SIZE; i++)
		self->b.map[i] = i * 7 + 1;
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1000)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(B, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(END, 1)));
	self->channel = channel_create(self->fd, 0);
	ASSERT_LT(0, self->channel);
	self->arrive = i_sink(i_arrive(A));
	self->load[0] = i_expect_tx(B, SIZE);
	self->load[1] = i_g2s(DATA, B, SIZE, self->b.handle, 0);
}

FIXTURE_TEARDOWN(inject_jobs)
{
	EXPECT_EQ(0, inject_remove(self->fd, 0));
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_destroy(&self->c));
	close(self->fd);
}

#define LOAD() job_start(&self->c, self->channel, self->load, 2, 0)
#define ARRIVE() job_start(&self->c, self->channel, &self->arrive, 1, 0)

static uint32_t arrived(const struct cluster *c)
{
	return 1000 - vsm_mbarrier_pending(LAYOUT, word(c, A));
}

/* The bytes that the mbarrier still waits for */
static int64_t missing(const struct cluster *c)
{
	return vsm_mbarrier_tx(LAYOUT, word(c, B));
}

/* How many bits of the data differ from the buffer */
static int wrong_bits(const struct cluster *c, const struct buffer *b)
{
	const unsigned char *data = cluster_mem(c, DATA);
	int i, wrong = 0;

	for (i = 0; i < SIZE; i++)
		wrong += __builtin_popcount(data[i] ^ b->map[i]);
	return wrong;
}

static bool nothing_there(const struct cluster *c)
{
	const unsigned char *data = cluster_mem(c, DATA);
	int i;

	for (i = 0; i < SIZE; i++)
		if (data[i])
			return false;
	return true;
}

static bool all_there(const struct cluster *c, const struct buffer *b)
{
	return !wrong_bits(c, b);
}

/* --- jobs --------------------------------------------------------------------------- */

TEST_F(inject_jobs, a_job_ends_with_an_error)
{
	int errors[] = { ENOMEM, EBUSY, EPROTO, ECANCELED, EREMOTEIO, ETIMEDOUT, EPERM };
	uint32_t i;

	for (i = 0; i < ITEMS(errors); i++) {
		int rule = inject(self->fd, R(JOB, ERROR, .error = errors[i]));

		EXPECT_EQ(-errors[i], job_end(ARRIVE()));
		EXPECT_EQ(0, inject_remove(self->fd, rule));
	}
	EXPECT_EQ(0, arrived(&self->c));
	EXPECT_EQ(1, job_end(ARRIVE()));
	EXPECT_EQ(1, arrived(&self->c));
}

TEST_F(inject_jobs, a_job_faults_and_the_jobs_behind_it_are_cancelled_or_run)
{
	struct hold hold;
	int spare, i, files[4];
	uint32_t in;

	for (spare = 0; spare < 2; spare++) {
		ASSERT_LT(0, inject(self->fd, R(JOB, FAULT, .times = 1,
						.flags = spare ? DRM_VSM_INJECT_SPARE : 0)));
		if (hold_init(&hold) == -ENODEV)
			SKIP(return, "needs vgem");
		in = syncobj_import(self->fd, hold.file);
		for (i = 0; i < 4; i++)
			files[i] = job_start(&self->c, self->channel, &self->arrive, 1,
					     i ? 0 : in);
		EXPECT_EQ(0, hold_release(&hold));
		EXPECT_EQ(-EIO, job_end(files[0]));
		for (i = 1; i < 4; i++)
			EXPECT_EQ(spare ? 1 : -ECANCELED, job_end(files[i]));
		EXPECT_EQ(3 * spare, arrived(&self->c));
	}
	EXPECT_EQ(1, job_end(ARRIVE()));
}

TEST_F(inject_jobs, a_job_hangs_until_its_time_limit)
{
	int file;

	if (model_reset(self->fd))
		SKIP(return, "needs debugfs");
	ASSERT_EQ(0, model_set(self->fd, "job_timeout_ms", TIMEOUT_MS));
	ASSERT_LT(0, inject(self->fd, R(JOB, HANG, .times = 1)));
	file = ARRIVE();
	EXPECT_EQ(-ETIMEDOUT, job_end(file));
	EXPECT_EQ(0, arrived(&self->c));
	EXPECT_EQ(1, job_end(ARRIVE()));
	EXPECT_EQ(0, model_reset(self->fd));
}

TEST_F(inject_jobs, a_job_hangs_until_its_rule_is_removed)
{
	int rule = inject(self->fd, R(JOB, HANG));
	int file = ARRIVE();

	ASSERT_EQ(0, inject_wait(self->fd, rule, 1, AMPLE));
	EXPECT_EQ(0, sync_file_status(file));
	EXPECT_EQ(0, inject_remove(self->fd, rule));
	EXPECT_EQ(1, job_end(file));
	EXPECT_EQ(1, arrived(&self->c));
}

TEST_F(inject_jobs, a_hang_ends_with_its_channel_and_with_its_file)
{
	int files[2], rule = inject(self->fd, R(JOB, HANG)), other = vsm_open();
	struct cluster c;

	files[0] = ARRIVE();
	files[1] = ARRIVE();
	ASSERT_EQ(0, inject_wait(self->fd, rule, 1, AMPLE));
	EXPECT_EQ(0, channel_destroy(self->fd, self->channel));
	EXPECT_EQ(-ECANCELED, job_end(files[0]));
	EXPECT_EQ(-ECANCELED, job_end(files[1]));

	ASSERT_EQ(0, cluster_share(&c, other, &self->c));
	rule = inject(other, R(JOB, HANG));
	files[0] = job_start(&c, 0, &self->arrive, 1, 0);
	ASSERT_EQ(0, inject_wait(other, rule, 1, AMPLE));
	munmap(c.map, c.size);
	close(other);
	EXPECT_EQ(-ECANCELED, job_end(files[0]));
	EXPECT_EQ(0, arrived(&self->c));
}

TEST_F(inject_jobs, a_job_is_delayed)
{
	int64_t start = now_ns();

	ASSERT_LT(0, inject(self->fd, R(JOB, DELAY, .arg = SOON, .times = 1)));
	EXPECT_EQ(1, job_end(ARRIVE()));
	EXPECT_LE(start + SOON, now_ns());
}

TEST_F(inject_jobs, a_job_loses_its_cluster)
{
	struct drm_vsm_insn wait = i_try_parity_unlimited(A, 0);
	struct drm_vsm_exec args = exec_args(&self->c, &wait, 1);
	struct exec_thread thread;

	args.flags = DRM_VSM_EXEC_NO_LIMIT;
	ASSERT_EQ(0, exec_thread_run(&thread, &self->c, args));
	ASSERT_TRUE(exec_thread_suspended(&thread));
	ASSERT_LT(0, inject(self->fd, R(JOB, LOSE_CLUSTER, .times = 1)));
	EXPECT_EQ(-EIO, job_end(ARRIVE()));
	EXPECT_EQ(-EIO, exec_thread_join(&thread));
	EXPECT_EQ(-EIO, exec_one(&self->c, i_arrive(A)));
}

TEST_F(inject_jobs, a_wait_for_fences_fails)
{
	uint32_t in = syncobj_create(self->fd);
	struct drm_vsm_sync signal = sync_signal(in, 0);
	int rule = inject(self->fd, R(FENCE, ERROR, .error = ENODATA, .times = 1));

	/* A job without in-fences does not wait for any. */
	EXPECT_EQ(0, submit_on(&self->c, 0, &self->arrive, 1, &signal, 1));
	EXPECT_EQ(1, syncobj_status(self->fd, in));
	EXPECT_EQ(0, inject_matched(self->fd, rule));
	EXPECT_EQ(-ENODATA, job_end(job_start(&self->c, 0, &self->arrive, 1, in)));
	EXPECT_EQ(1, job_end(job_start(&self->c, 0, &self->arrive, 1, in)));
	EXPECT_EQ(2, inject_matched(self->fd, rule));
	EXPECT_EQ(2, arrived(&self->c));
}

TEST_F(inject_jobs, a_rule_can_be_for_one_channel)
{
	int other = channel_create(self->fd, 0);
	int rule = inject(self->fd, R(JOB, ERROR, .error = ENODATA,
				      .flags = DRM_VSM_INJECT_CHANNEL, .channel = other));

	EXPECT_EQ(1, job_end(ARRIVE()));
	EXPECT_EQ(1, job_end(job_start(&self->c, 0, &self->arrive, 1, 0)));
	EXPECT_EQ(-ENODATA, job_end(job_start(&self->c, other, &self->arrive, 1, 0)));
	EXPECT_EQ(1, inject_matched(self->fd, rule));
}

/* --- operations of jobs ------------------------------------------------------------- */

TEST_F(inject_jobs, a_copy_fails_and_its_job_with_it)
{
	int errors[] = { ENOMEM, EBUSY, EPROTO, ECANCELED, EREMOTEIO };
	uint32_t i, where;

	for (where = DRM_VSM_INJECT_COPY; where <= DRM_VSM_INJECT_COMPLETE; where++) {
		for (i = 0; i < ITEMS(errors); i++) {
			struct drm_vsm_inject_rule rule = R(COPY, ERROR, .error = errors[i],
							    .times = 1);

			rule.where = where;
			ASSERT_LT(0, inject(self->fd, rule));
			EXPECT_EQ(-errors[i], job_end(LOAD()));
			/* It has moved its bytes, or not; it has not completed. */
			EXPECT_EQ(where == DRM_VSM_INJECT_COPY, nothing_there(&self->c));
			EXPECT_EQ(SIZE, missing(&self->c));
			EXPECT_EQ(0, exec_one(&self->c, i_complete_tx(B, SIZE)));
		}
	}
	EXPECT_EQ(1, job_end(LOAD()));
	EXPECT_EQ(0, missing(&self->c));
}

TEST_F(inject_jobs, a_copy_faults_and_its_channel_is_reset)
{
	struct drm_vsm_insn both[3] = { self->load[0], self->load[1], self->arrive };
	struct hold hold;
	int i, files[3];
	uint32_t in;

	for (i = 0; i < 2; i++) {
		struct drm_vsm_inject_rule rule = R(COPY, FAULT, .times = 1);

		rule.where += i;
		ASSERT_LT(0, inject(self->fd, rule));
		if (hold_init(&hold) == -ENODEV)
			SKIP(return, "needs vgem");
		in = syncobj_import(self->fd, hold.file);
		files[0] = job_start(&self->c, self->channel, both, 3, in);
		files[1] = ARRIVE();
		files[2] = job_start(&self->c, 0, &self->arrive, 1, in);
		EXPECT_EQ(0, hold_release(&hold));
		EXPECT_EQ(-EIO, job_end(files[0]));
		EXPECT_EQ(-ECANCELED, job_end(files[1]));
		EXPECT_EQ(1, job_end(files[2]));
		EXPECT_EQ(SIZE, missing(&self->c));
		EXPECT_EQ(0, exec_one(&self->c, i_complete_tx(B, SIZE)));
		EXPECT_EQ(1, job_end(LOAD()));
	}
}

TEST_F(inject_jobs, a_copy_hangs_before_and_after_it_has_moved_its_bytes)
{
	uint32_t where;

	for (where = DRM_VSM_INJECT_COPY; where <= DRM_VSM_INJECT_COMPLETE; where++) {
		struct drm_vsm_inject_rule hang = R(COPY, HANG);
		int file, rule;

		memset(cluster_mem(&self->c, DATA), 0, SIZE);
		hang.where = where;
		rule = inject(self->fd, hang);
		file = LOAD();
		ASSERT_EQ(0, inject_wait(self->fd, rule, 1, AMPLE));
		EXPECT_EQ(0, sync_file_status(file));
		EXPECT_EQ(where == DRM_VSM_INJECT_COPY, nothing_there(&self->c));
		EXPECT_EQ(where == DRM_VSM_INJECT_COMPLETE, all_there(&self->c, &self->b));
		EXPECT_EQ(SIZE, missing(&self->c));
		EXPECT_EQ(0, inject_remove(self->fd, rule));
		EXPECT_EQ(1, job_end(file));
		EXPECT_TRUE(all_there(&self->c, &self->b));
		EXPECT_EQ(0, missing(&self->c));
	}
}

TEST_F(inject_jobs, a_copy_that_hangs_ends_with_the_time_limit)
{
	if (model_reset(self->fd))
		SKIP(return, "needs debugfs");
	ASSERT_EQ(0, model_set(self->fd, "job_timeout_ms", TIMEOUT_MS));
	ASSERT_LT(0, inject(self->fd, R(COPY, HANG, .times = 1)));
	EXPECT_EQ(-ETIMEDOUT, job_end(LOAD()));
	ASSERT_LT(0, inject(self->fd, R(COMPLETE, HANG, .times = 1)));
	EXPECT_EQ(-ETIMEDOUT, job_end(LOAD()));
	EXPECT_EQ(2 * SIZE, missing(&self->c));
	EXPECT_EQ(1, job_end(ARRIVE()));
	EXPECT_EQ(0, model_reset(self->fd));
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

		ASSERT_LT(0, inject(self->fd, rules[i]));
		EXPECT_EQ(1, job_end(LOAD()));
		EXPECT_LE(start + SOON, now_ns()) TH_LOG("rule %u", i);
		EXPECT_EQ(0, missing(&self->c));
		EXPECT_TRUE(all_there(&self->c, &self->b));
	}
}

TEST_F(inject_jobs, a_copy_is_lost)
{
	ASSERT_LT(0, inject(self->fd, R(COPY, LOSE, .times = 1)));
	EXPECT_EQ(1, job_end(LOAD()));
	EXPECT_TRUE(nothing_there(&self->c));
	EXPECT_EQ(SIZE, missing(&self->c));

	ASSERT_LT(0, inject(self->fd, R(COMPLETE, LOSE, .times = 1)));
	EXPECT_EQ(1, job_end(LOAD()));
	EXPECT_TRUE(all_there(&self->c, &self->b));
	EXPECT_EQ(2 * SIZE, missing(&self->c));
}

TEST_F(inject_jobs, a_copy_completes_twice)
{
	ASSERT_EQ(0, exec_one(&self->c, i_expect_tx(B, SIZE)));
	ASSERT_LT(0, inject(self->fd, R(COMPLETE, TWICE, .times = 1)));
	EXPECT_EQ(1, job_end(LOAD()));
	EXPECT_EQ(0, missing(&self->c));
	EXPECT_TRUE(all_there(&self->c, &self->b));
}

TEST_F(inject_jobs, too_many_bytes_are_a_fault_by_name)
{
	struct drm_vsm_event_fault event;

	/* The phase cannot end before: it lacks an arrival. */
	ASSERT_LT(0, inject(self->fd, R(COMPLETE, TWICE, .times = 4200)));
	while (job_status(&self->c, 0, self->load[1]) == 1)
		;
	ASSERT_EQ(1, fault_read(self->fd, &event));
	EXPECT_EQ(DRM_VSM_FAULT_TX_RANGE, event.insn.fault);
}

TEST_F(inject_jobs, a_copy_completes_in_pieces)
{
	/* 10, 10, ... and 6 bytes: the pieces make the whole. */
	ASSERT_LT(0, inject(self->fd, R(COMPLETE, SPLIT, .arg = 10, .times = 1)));
	EXPECT_EQ(1, job_end(LOAD()));
	EXPECT_EQ(0, missing(&self->c));
}

TEST_F(inject_jobs, a_copy_completes_with_too_few_bytes)
{
	ASSERT_LT(0, inject(self->fd, R(COMPLETE, SHORT, .arg = 16, .times = 1)));
	EXPECT_EQ(1, job_end(LOAD()));
	EXPECT_EQ(16, missing(&self->c));
	EXPECT_TRUE(all_there(&self->c, &self->b));
	ASSERT_LT(0, inject(self->fd, R(COMPLETE, SHORT, .arg = 1ULL << 40, .times = 1)));
	EXPECT_EQ(1, job_end(LOAD()));
	EXPECT_EQ(16 + SIZE, missing(&self->c));
}

TEST_F(inject_jobs, a_copy_completes_before_its_bytes_are_there)
{
	int file, rule = inject(self->fd, R(COMPLETE, EARLY, .arg = SOON, .times = 1));

	file = LOAD();
	ASSERT_LE(0, file);
	ASSERT_EQ(0, inject_wait(self->fd, rule, 1, AMPLE));
	while (missing(&self->c))
		sched_yield();
	EXPECT_EQ(1, job_end(file));
	EXPECT_TRUE(all_there(&self->c, &self->b));

	/* The bytes come an hour later, and the mbarrier says that they are there. */
	memset(cluster_mem(&self->c, DATA), 0, SIZE);
	if (model_reset(self->fd))
		SKIP(return, "needs debugfs");
	ASSERT_EQ(0, model_set(self->fd, "job_timeout_ms", TIMEOUT_MS));
	ASSERT_LT(0, inject(self->fd, R(COMPLETE, EARLY, .arg = 3600 * SECOND, .times = 1)));
	EXPECT_EQ(-ETIMEDOUT, job_end(LOAD()));
	EXPECT_EQ(0, missing(&self->c));
	EXPECT_TRUE(nothing_there(&self->c));
	EXPECT_EQ(0, model_reset(self->fd));
}

/* What completes early has not moved its bytes. They must not count as in flight for ever. */
TEST_F(inject_jobs, an_early_completion_that_is_refused_leaves_nothing_behind)
{
	struct drm_vsm_insn *load = &self->load[1];
	int i, way;

	for (i = 1; i < 4; i++)
		ASSERT_EQ(0, exec_at(&self->c, i, i_init(AT(i, 0x48), 1), NULL));
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, exec_at(&self->c, i, i_fence(), NULL));
	/* No arrival is pending, and 16 bytes are: more bytes are misuse. */
	ASSERT_EQ(0, exec_at(&self->c, 1, i_arrive_expect_tx(AT(1, 0x48), 16), NULL));
	for (way = 0; way < 2; way++) {
		*load = way ? i_multicast(i_g2s(DATA, B, SIZE, self->b.handle, 0), 0xf) :
			      i_g2s(AT(1, 0x400), AT(1, 0x48), SIZE, self->b.handle, 0);
		ASSERT_LT(0, inject(self->fd, R(COMPLETE, EARLY, .times = 1)));
		EXPECT_EQ(-EIO, job_end(job_start(&self->c, 0, load, 1, 0)));
		ASSERT_LT(0, inject(self->fd, R(COMPLETE, EARLY, .times = 1)));
		EXPECT_EQ(0, exec_one(&self->c, *load));
		EXPECT_EQ(0, async_finish(&self->c));
		fault_drain(self->fd);
	}
	/* The same bytes, of threads and of jobs: nothing conflicts with them. */
	self->load[0] = i_expect_tx(B, SIZE);
	self->load[1] = i_g2s(DATA, B, SIZE, self->b.handle, 0);
	for (i = 0; i < 100; i++) {
		EXPECT_EQ(1, job_end(LOAD()));
		EXPECT_EQ(0, exec_stream(&self->c, 0, self->load, 2, NULL));
		EXPECT_EQ(0, async_finish(&self->c));
	}
}

TEST_F(inject_jobs, a_bit_flips_and_then_completes_early)
{
	ASSERT_LT(0, inject(self->fd, R(COPY, FLIP, .arg = 5, .times = 1, .error = EBADMSG)));
	ASSERT_LT(0, inject(self->fd, R(COMPLETE, EARLY, .times = 1)));
	EXPECT_EQ(-EBADMSG, job_end(LOAD()));
	EXPECT_EQ(1, wrong_bits(&self->c, &self->b));
	EXPECT_EQ(0, missing(&self->c));
}

TEST_F(inject_jobs, a_bit_flips)
{
	unsigned char *data = cluster_mem(&self->c, DATA);

	ASSERT_LT(0, inject(self->fd, R(COPY, FLIP, .arg = 8 * 100 + 3, .times = 1)));
	EXPECT_EQ(1, job_end(LOAD()));
	EXPECT_EQ(1, wrong_bits(&self->c, &self->b));
	EXPECT_EQ(1 << 3, data[100] ^ self->b.map[100]);
	EXPECT_EQ(0, missing(&self->c));

	ASSERT_LT(0, inject(self->fd, R(COPY, FLIP, .arg = ~0ULL, .times = 1, .seed = 5,
					.error = EBADMSG)));
	EXPECT_EQ(-EBADMSG, job_end(LOAD()));
	EXPECT_EQ(1, wrong_bits(&self->c, &self->b));
	EXPECT_EQ(0, missing(&self->c));
	EXPECT_EQ(1, job_end(LOAD()));
	EXPECT_TRUE(all_there(&self->c, &self->b));
}

TEST_F(inject_jobs, a_bit_flips_on_its_way_to_global_memory)
{
	struct drm_vsm_insn store = i_s2g(DATA, SIZE, self->b.handle, 0x1000);
	int rule = inject(self->fd, R(COPY, FLIP, .arg = 0, .times = 1, .error = EBADMSG));

	EXPECT_EQ(1, job_end(job_start(&self->c, 0, &self->arrive, 1, 0)));
	EXPECT_EQ(0, inject_matched(self->fd, rule));
	EXPECT_EQ(-EBADMSG, job_end(job_start(&self->c, 0, &store, 1, 0)));
	EXPECT_EQ(1, self->b.map[0x1000]);
	EXPECT_EQ(0, self->b.map[0x1001]);
	EXPECT_EQ(1, inject_matched(self->fd, rule));
}

TEST_F(inject_jobs, a_copy_loses_its_cluster)
{
	ASSERT_LT(0, inject(self->fd, R(COMPLETE, LOSE_CLUSTER, .times = 1)));
	EXPECT_EQ(-EIO, job_end(LOAD()));
	EXPECT_EQ(-EIO, exec_one(&self->c, i_arrive(A)));
}

TEST_F(inject_jobs, a_rule_can_be_for_one_buffer)
{
	struct buffer other;
	int rule;

	ASSERT_EQ(0, buffer_create(&other, self->fd, 0x1000));
	rule = inject(self->fd, R(COPY, ERROR, .error = ENODATA, .flags = DRM_VSM_INJECT_OBJECT,
				  .object = other.handle));
	EXPECT_EQ(1, job_end(LOAD()));
	EXPECT_EQ(0, inject_matched(self->fd, rule));
	self->load[1].u.copy.buffer = other.handle;
	EXPECT_EQ(-ENODATA, job_end(LOAD()));
	/* The rule keeps its object: the number of the handle is no longer its own. */
	EXPECT_EQ(0, gem_close(self->fd, other.handle));
	munmap(other.map, other.size);
	ASSERT_EQ(0, buffer_create(&other, self->fd, 0x1000));
	self->load[1].u.copy.buffer = other.handle;
	EXPECT_EQ(1, job_end(LOAD()));
	EXPECT_EQ(1, inject_matched(self->fd, rule));
	munmap(other.map, other.size);
}

/* --- operations of threads ---------------------------------------------------------- */

static int thread_load(const struct cluster *c, struct drm_vsm_insn *load)
{
	return exec_stream(c, 0, load, 2, NULL);
}

TEST_F(inject_jobs, the_copy_of_a_thread_is_lost_and_its_wait_ends_with_its_time)
{
	ASSERT_LT(0, inject(self->fd, R(COPY, LOSE, .times = 1)));
	ASSERT_EQ(0, thread_load(&self->c, self->load));
	EXPECT_EQ(0, async_finish(&self->c));
	EXPECT_EQ(SIZE, missing(&self->c));
	EXPECT_TRUE(nothing_there(&self->c));
	EXPECT_EQ(0, exec_result(&self->c, i_try_parity(B, 0, 1000)));
}

TEST_F(inject_jobs, the_group_of_a_lost_copy_completes)
{
	struct drm_vsm_insn insns[] = {
		i_cp_async(DATA, 16, self->b.handle, 0), i_commit(), i_wait_group(0),
	};

	ASSERT_LT(0, inject(self->fd, R(COPY, LOSE, .times = 1)));
	EXPECT_EQ(0, exec_stream(&self->c, 0, insns, 3, NULL));
	EXPECT_TRUE(nothing_there(&self->c));
}

TEST_F(inject_jobs, the_copy_of_a_thread_faults_and_its_cluster_is_lost)
{
	ASSERT_LT(0, inject(self->fd, R(COPY, FAULT, .times = 1)));
	ASSERT_EQ(0, thread_load(&self->c, self->load));
	EXPECT_EQ(-EIO, exec_one(&self->c, i_try_parity(B, 0, 1000000000)));
}

TEST_F(inject_jobs, an_asynchronous_arrive_is_lost_or_comes_twice)
{
	ASSERT_LT(0, inject(self->fd, R(COMPLETE, LOSE, .times = 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_noinc(i_cp_arrive(A))));
	EXPECT_EQ(0, async_finish(&self->c));
	EXPECT_EQ(0, arrived(&self->c));
	ASSERT_LT(0, inject(self->fd, R(COMPLETE, TWICE, .times = 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_noinc(i_cp_arrive(A))));
	EXPECT_EQ(0, async_finish(&self->c));
	EXPECT_EQ(2, arrived(&self->c));
	ASSERT_EQ(0, exec_one(&self->c, i_noinc(i_cp_arrive(A))));
	EXPECT_EQ(0, async_finish(&self->c));
	EXPECT_EQ(3, arrived(&self->c));
}

TEST_F(inject_jobs, the_copy_of_a_thread_hangs_and_the_file_can_be_closed)
{
	int other = vsm_open(), rule;
	struct cluster c;

	ASSERT_EQ(0, cluster_share(&c, other, &self->c));
	self->load[1] = i_s2s(DATA, B, 16, AT(0, 0x800));
	self->load[0] = i_expect_tx(B, 16);
	rule = inject(other, R(COMPLETE, HANG));
	ASSERT_EQ(0, thread_load(&c, self->load));
	ASSERT_EQ(0, inject_wait(other, rule, 1, AMPLE));
	EXPECT_EQ(16, missing(&self->c));
	munmap(c.map, c.size);
	close(other);
	/* An operation that a thread has issued is still performed. */
	EXPECT_EQ(0, missing(&self->c));
}

TEST_F(inject_jobs, all_ctas_of_a_multicast_lack_the_same)
{
	uint32_t cta;

	for (cta = 1; cta < 4; cta++)
		ASSERT_EQ(0, exec_at(&self->c, cta, i_init(AT(cta, 0x48), 1), NULL));
	for (cta = 0; cta < 4; cta++) {
		ASSERT_EQ(0, exec_at(&self->c, cta, i_fence(), NULL));
		ASSERT_EQ(0, exec_at(&self->c, cta, i_expect_tx(AT(cta, 0x48), SIZE), NULL));
	}
	self->load[1] = i_multicast(self->load[1], 0xf);
	ASSERT_LT(0, inject(self->fd, R(COMPLETE, SHORT, .arg = 32, .times = 1)));
	EXPECT_EQ(1, job_end(job_start(&self->c, 0, &self->load[1], 1, 0)));
	for (cta = 0; cta < 4; cta++)
		EXPECT_EQ(32, vsm_mbarrier_tx(LAYOUT, word(&self->c, AT(cta, 0x48))));
}

TEST_HARNESS_MAIN
