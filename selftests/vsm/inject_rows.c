// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of the table in Documentation/inject.rst that say how jobs end and what calls return,
 * for each action in each place.
 */
#include "inject.h"
#include "prime.h"

#define A AT(0, 0x40)
#define B AT(0, 0x48)
#define BYTES 256
#define TIMEOUT_MS 100
#define SOON (5 * SECOND / 1000)

FIXTURE(inject_rows)
{
	struct buffer b;
	int fd;
	int dmabuf;
	int set;
};

FIXTURE_SETUP(inject_rows)
{
	self->fd = vsm_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, buffer_create(&self->b, self->fd, 0x1000));
	self->dmabuf = dmabuf_of(self->fd, self->b.handle);
	ASSERT_LE(0, self->dmabuf);
	self->set = waitset_create(self->fd, 0);
	ASSERT_LE(0, self->set);
}

FIXTURE_TEARDOWN(inject_rows)
{
	EXPECT_EQ(0, inject_remove(self->fd, 0));
	munmap(self->b.map, self->b.size);
	close(self->dmabuf);
	close(self->set);
	close(self->fd);
}

static int row_cluster(struct cluster *c, int fd)
{
	int ret = cluster_create(c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT);

	if (!ret)
		ret = exec_one(c, i_init(A, 100));
	return ret ? ret : exec_one(c, i_init(B, 100));
}

/* --- jobs --------------------------------------------------------------------------- */

/* Everything that a job may do is in this one: it waits for a fence, copies, and completes. */
static int row_job(const struct cluster *c, const struct buffer *b, uint32_t channel)
{
	uint32_t in = syncobj_create(c->fd);
	struct drm_vsm_sync signal = sync_signal(in, 0);
	struct drm_vsm_insn insns[] = {
		i_expect_tx(B, BYTES), i_g2s(AT(0, 0x400), B, BYTES, b->handle, 0),
	};
	struct drm_vsm_insn first = i_sink(i_arrive(A));
	int file = submit_on(c, 0, &first, 1, &signal, 1);

	if (!file && syncobj_status(c->fd, in) == 1)
		file = job_start(c, channel, insns, 2, in);
	syncobj_destroy(c->fd, in);
	return file;
}

/* The end of a job, the status of its channel, and how often it was reset */
#define GOOD { 1, DRM_VSM_RESET_NONE, 0 }
#define FAILS(error_) { -(error_), DRM_VSM_RESET_GUILTY, 0 }
#define RESETS(error_) { -(error_), DRM_VSM_RESET_GUILTY, 1 }
#define FAILS_WITHOUT_GUILT(error_) { -(error_), DRM_VSM_RESET_INNOCENT, 0 }
#define LOST { -EIO, DRM_VSM_RESET_UNKNOWN, 0 }

static const struct {
	struct drm_vsm_inject_rule rule;
	struct {
		int end;
		uint32_t status;
		uint64_t resets;
	} job;
} job_rows[] = {
	{ R(FENCE, ERROR, .error = ENODATA), FAILS_WITHOUT_GUILT(ENODATA) },
	{ R(JOB, ERROR, .error = ENODATA), FAILS(ENODATA) },
	{ R(COPY, ERROR, .error = ENODATA), FAILS(ENODATA) },
	{ R(COMPLETE, ERROR, .error = ENODATA), FAILS(ENODATA) },
	{ R(FENCE, FAULT), RESETS(EIO) },
	{ R(JOB, FAULT), RESETS(EIO) },
	{ R(COPY, FAULT), RESETS(EIO) },
	{ R(COMPLETE, FAULT), RESETS(EIO) },
	{ R(FENCE, HANG), RESETS(ETIMEDOUT) },
	{ R(JOB, HANG), RESETS(ETIMEDOUT) },
	{ R(COPY, HANG), RESETS(ETIMEDOUT) },
	{ R(COMPLETE, HANG), RESETS(ETIMEDOUT) },
	{ R(FENCE, LOSE_CLUSTER), LOST },
	{ R(JOB, LOSE_CLUSTER), LOST },
	{ R(COPY, LOSE_CLUSTER), LOST },
	{ R(COMPLETE, LOSE_CLUSTER), LOST },
	{ R(FENCE, DELAY, .arg = SOON), GOOD },
	{ R(JOB, DELAY, .arg = SOON), GOOD },
	{ R(COPY, DELAY, .arg = SOON), GOOD },
	{ R(COMPLETE, DELAY, .arg = SOON), GOOD },
	{ R(COPY, SLOW, .arg = BYTES * SECOND / SOON), GOOD },
	{ R(COPY, LOSE), GOOD },
	{ R(COMPLETE, LOSE), GOOD },
	{ R(COMPLETE, TWICE), GOOD },
	{ R(COMPLETE, SPLIT, .arg = 10), GOOD },
	{ R(COMPLETE, SHORT, .arg = 16), GOOD },
	{ R(COMPLETE, EARLY), GOOD },
	{ R(COPY, FLIP), GOOD },
	{ R(COPY, FLIP, .error = EBADMSG), FAILS(EBADMSG) },
};

TEST_F(inject_rows, a_job_ends_and_its_channel_tells_it)
{
	struct drm_vsm_channel_status status;
	struct cluster c;
	uint32_t i;

	if (model_reset(self->fd))
		SKIP(return, "needs debugfs");
	for (i = 0; i < ITEMS(job_rows); i++) {
		int rule, channel = channel_create(self->fd, 0);
		struct drm_vsm_inject_rule row;
		int64_t start = now_ns();

		ASSERT_EQ(0, row_cluster(&c, self->fd));
		row = job_rows[i].rule;
		/* A job that is only delayed must not reach its time limit on a slow machine. */
		ASSERT_EQ(0, model_set(self->fd, "job_timeout_ms",
				       row.what == DRM_VSM_INJECT_HANG ? TIMEOUT_MS
								       : JOB_TIMEOUT_MS));
		/* The job that signals the in-fence runs as usual. */
		if (row.where == DRM_VSM_INJECT_JOB)
			row.first = 2;
		rule = inject(self->fd, row);
		ASSERT_LT(0, rule) TH_LOG("row %u", i);
		EXPECT_EQ(job_rows[i].job.end, job_end(row_job(&c, &self->b, channel)))
			TH_LOG("row %u", i);
		EXPECT_EQ(1, inject_fired(self->fd, rule)) TH_LOG("row %u", i);
		if (job_rows[i].rule.what == DRM_VSM_INJECT_DELAY ||
		    job_rows[i].rule.what == DRM_VSM_INJECT_SLOW) {
			EXPECT_LE(start + SOON, now_ns()) TH_LOG("row %u", i);
		}
		EXPECT_EQ(0, channel_status(self->fd, channel, 0, &status));
		EXPECT_EQ(job_rows[i].job.status, status.status) TH_LOG("row %u", i);
		EXPECT_EQ(job_rows[i].job.resets, status.resets) TH_LOG("row %u", i);
		EXPECT_EQ(job_rows[i].job.end < 0 ? job_rows[i].job.end : 0, status.error);
		EXPECT_EQ(0, inject_remove(self->fd, rule));
		EXPECT_EQ(0, channel_destroy(self->fd, channel));
		EXPECT_EQ(0, cluster_destroy(&c));
	}
	EXPECT_EQ(0, model_reset(self->fd));
}

/* --- calls -------------------------------------------------------------------------- */

/* A call of the ioctl that belongs to a place. */
struct row_call {
	struct cluster *c;
	uint32_t where;
	int dmabuf;
	int set;
	atomic_int tid;
	int ret;
};

static int row_do(struct row_call *call)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	struct drm_vsm_wait wait = wait_parity(call->c, A, 0, -1, 0);
	struct drm_vsm_buffer_create create = { .size = 4096 };
	uint32_t handle;
	int ret;

	switch (call->where) {
	case DRM_VSM_INJECT_EXEC:
		return exec_one(call->c, arrive);
	case DRM_VSM_INJECT_SUBMIT:
		return submit_sync(call->c, &arrive, 1, 0, 0);
	case DRM_VSM_INJECT_ARM:
		return waitset_arm(call->c->fd, call->set, &wait, 1, NULL);
	case DRM_VSM_INJECT_ALLOC:
		ret = vsm_ioctl(call->c->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &create);
		return ret ? ret : gem_close(call->c->fd, create.handle);
	default:
		return handle_of(call->c->fd, call->dmabuf, &handle);
	}
}

static void *row_thread(void *arg)
{
	struct row_call *call = arg;

	atomic_store(&call->tid, get_tid());
	call->ret = row_do(call);
	return NULL;
}

TEST_F(inject_rows, every_call_hangs_until_its_rule_is_removed)
{
	struct cluster c;
	struct row_call call = {
		.c = &c, .dmabuf = self->dmabuf, .set = self->set,
	};
	pthread_t thread;

	ASSERT_EQ(0, row_cluster(&c, self->fd));
	for (call.where = 0; call.where <= DRM_VSM_INJECT_IMPORT; call.where++) {
		struct drm_vsm_inject_rule hang = R(EXEC, HANG);
		int rule;

		hang.where = call.where;
		rule = inject(self->fd, hang);
		ASSERT_LT(0, rule);
		atomic_store(&call.tid, 0);
		ASSERT_EQ(0, pthread_create(&thread, NULL, row_thread, &call));
		ASSERT_EQ(0, inject_wait(self->fd, rule, 1, AMPLE)) TH_LOG("where %u", call.where);
		EXPECT_TRUE(wait_until_thread_blocked(&call.tid, SYS_ioctl));
		EXPECT_EQ(0, inject_remove(self->fd, rule));
		pthread_join(thread, NULL);
		EXPECT_EQ(0, call.ret) TH_LOG("where %u", call.where);
	}
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(inject_rows, every_call_is_delayed)
{
	struct cluster c;
	struct row_call call = {
		.c = &c, .dmabuf = self->dmabuf, .set = self->set,
	};

	ASSERT_EQ(0, row_cluster(&c, self->fd));
	for (call.where = 0; call.where <= DRM_VSM_INJECT_IMPORT; call.where++) {
		struct drm_vsm_inject_rule delay = R(EXEC, DELAY, .arg = SOON, .times = 1);
		int64_t start;

		delay.where = call.where;
		ASSERT_LT(0, inject(self->fd, delay));
		start = now_ns();
		EXPECT_EQ(0, row_do(&call)) TH_LOG("where %u", call.where);
		EXPECT_LE(start + SOON, now_ns()) TH_LOG("where %u", call.where);
	}
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(inject_rows, submit_loses_its_cluster)
{
	struct drm_vsm_insn arrive = i_sink(i_arrive(A));
	struct cluster c;

	ASSERT_EQ(0, row_cluster(&c, self->fd));
	ASSERT_LT(0, inject(self->fd, R(SUBMIT, LOSE_CLUSTER, .times = 1)));
	EXPECT_EQ(-EIO, submit_sync(&c, &arrive, 1, 0, 0));
	EXPECT_EQ(-EIO, exec_one(&c, i_arrive(A)));
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_HARNESS_MAIN
