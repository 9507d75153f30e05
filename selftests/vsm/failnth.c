// SPDX-License-Identifier: GPL-2.0-only
/*
 * Failing allocations: clusters, buffers, instructions, jobs, wait sets and asynchronous
 * operations.
 */
#include "configfs.h"
#include "failnth.h"
#include "limits.h"

TEST_F(failnth, open)
{
	SWEEP(.before = prepare_path, .call = call_open, .after = close_made);
}

static int call_cluster(struct world *w)
{
	struct drm_vsm_cluster_create args = { .ctas = 2, .threads = 1, .smem_bytes = 4096 };
	int ret;

	w->free = w->b.handle + 1;
	ret = vsm_ioctl(w->c.fd, DRM_IOCTL_VSM_CLUSTER_CREATE, &args);

	w->made = args.handle;
	return ret;
}

TEST_F(failnth, cluster_create)
{
	uint32_t left = clusters_left(self->w.c.fd);

	SWEEP(.call = call_cluster, .after = close_unreturned_too);
	/* Calls that failed do not count against the limit. */
	EXPECT_EQ(left, clusters_left(self->w.c.fd));
	EXPECT_EQ(vsm_info(self->w.c.fd).client_clusters - 1, left);
}

static int call_buffer(struct world *w)
{
	struct drm_vsm_buffer_create args = { .size = 8192 };
	int ret = vsm_ioctl(w->c.fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args);

	w->made = args.handle;
	return ret;
}

TEST_F(failnth, buffer_create)
{
	SWEEP(.call = call_buffer, .after = close_handle);
}

/* The first init of a cluster allocates its map of mbarriers. */
static int call_init(struct world *w)
{
	return exec_one(&w->other, i_init(A, 1));
}

static int destroy_cluster(struct world *w, int ret)
{
	bool worked = may_have_worked(ret) ? word(&w->other, A) : !ret;
	int again = exec_one(&w->other, worked ? i_arrive(A) : i_init(A, 1));

	return cluster_destroy(&w->other) ? -EBADMSG : again;
}

TEST_F(failnth, first_init)
{
	SWEEP(make_cluster, call_init, destroy_cluster);
}

/* The first fence of a cluster also allocates memory. */
static int make_pending_init(struct world *w)
{
	return make_cluster(w) ?: exec_one(&w->other, i_init(A, 1));
}

static int call_fence(struct world *w)
{
	return exec_one(&w->other, i_fence());
}

static int destroy_fenced(struct world *w, int ret)
{
	struct drm_vsm_insn insn = i_expect_tx(A, 0);
	int fault;

	/* EFAULT does not say whether the fence was executed. */
	if (may_have_worked(ret) && !exec_at(&w->other, 1, insn, NULL))
		fault = 0;
	else if (ret)
		fault = exec_fault(&w->other, 1, insn, NULL) - DRM_VSM_FAULT_INIT_NOT_FENCED;
	else
		fault = exec_at(&w->other, 1, insn, NULL);
	return cluster_destroy(&w->other) ? -EBADMSG : fault;
}

TEST_F(failnth, first_fence)
{
	SWEEP(make_pending_init, call_fence, destroy_fenced);
}

static int call_try_wait(struct world *w)
{
	return exec_one(&w->c, i_try_parity(A, 0, 100000));
}

TEST_F(failnth, suspended_try_wait)
{
	SWEEP(.call = call_try_wait);
}

static int call_waitset(struct world *w)
{
	w->made = waitset_create(w->c.fd, 0);
	return w->made < 0 ? w->made : 0;
}

TEST_F(failnth, waitset_create)
{
	SWEEP(.call = call_waitset, .after = close_made);
}

/*
 * Prepares so many waits that the set's array grows. Some will stay armed, some complete and some
 * expire.
 */
static int make_waits(struct world *w)
{
	uint32_t i;

	for (i = 0; i < WAITS; i++)
		w->waits[i] = wait_parity(&w->c, A, i % 2, i % 4 ? -1 : 1, i);
	w->made = waitset_create(w->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	return w->made < 0 ? w->made : 0;
}

static int count_waits(struct world *w, int ret)
{
	struct pollfd p = { .fd = w->made, .events = POLLIN };
	struct drm_vsm_wait_record record;
	uint32_t i, cancelled = 0, ended = 0;

	if (may_have_worked(ret))
		w->armed = waits_with_id(w);
	else if (ret ? w->armed >= WAITS : w->armed != WAITS)
		return -EBADMSG;
	/* Each wait that is armed can be cancelled or has a record. Other waits do not. */
	for (i = 0; i < WAITS; i++)
		cancelled += !waitset_cancel(w->c.fd, w->made, w->waits[i].id);
	while (ended + cancelled < w->armed && poll(&p, 1, AMPLE_MS) == 1)
		ended += waitset_read(w->made, &record) == 1;
	if (ended + cancelled != w->armed || waitset_read(w->made, &record) != -EAGAIN)
		return -EBADMSG;
	return close(w->made);
}

TEST_F(failnth, waitset_arm)
{
	struct cluster c = self->w.c;
	char limit[16];
	int fd;

	if (!folders_mount())
		SKIP(return, "the kernel has no configfs");
	folders_clear();
	ASSERT_EQ(0, folder_make("waits"));
	snprintf(limit, sizeof(limit), "%d", WAITS);
	ASSERT_EQ(0, option_write("waits", "client_waits", limit));
	ASSERT_EQ(0, option_write("waits", "enabled", "1"));
	fd = folder_open("waits");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cluster_create(&self->w.c, fd, 0, 0));
	ASSERT_EQ(0, exec_one(&self->w.c, i_init(A, 0xfffff)));
	/* The last call succeeds and reaches the limit: failed calls do not count against it. */
	SWEEP(make_waits, call_arm, count_waits);
	EXPECT_EQ(0, make_waits(&self->w));
	EXPECT_EQ(0, call_arm(&self->w));
	EXPECT_EQ(0, count_waits(&self->w, 0));
	EXPECT_EQ(0, cluster_destroy(&self->w.c));
	close(fd);
	folders_clear();
	self->w.c = c;
}

static int call_submit(struct world *w)
{
	struct drm_vsm_insn job[] = {
		i_expect_tx(A, 16), i_g2s(AT(0, 0x100), A, 16, w->b.handle, 0),
		i_s2g(AT(0, 0x200), 16, w->b.handle, 32),
	};

	return submit_sync(&w->c, job, 3, 0, w->out);
}

static int end_submit(struct world *w, int ret)
{
	return ret ? 0 : syncobj_status(w->c.fd, w->out) == 1 ? 0 : -EBADMSG;
}

/* Expects that failed calls count neither as jobs nor as instructions of the client. */
#define EXPECT_ALL_LEFT() do { \
	struct world *w_ = &self->w; \
	EXPECT_EQ(vsm_info(w_->c.fd).client_jobs, jobs_left(&w_->c, w_->b.handle, 1)); \
	EXPECT_EQ(CLIENT_INSNS / MAX_JOB, jobs_left(&w_->c, w_->b.handle, MAX_JOB)); \
} while (0)

TEST_F(failnth, submit)
{
	SWEEP(.call = call_submit, .after = end_submit);
	EXPECT_ALL_LEFT();
}

static int make_target(struct world *w);

/* Submits a job whose operations need allocations of their own: a multicast and a tensor copy. */
static int call_submit_more(struct world *w)
{
	/* A placeholder: only the rank counts here. The map itself is that of make_target(). */
	static const struct drm_vsm_tensor_map one = { .rank = 1 };
	struct drm_vsm_insn job[] = {
		i_expect_tx(A, 16 + 64),
		i_multicast(i_g2s(AT(0, 0x400), A, 16, w->fresh.handle, 0), 1),
		i_tensor(TENSOR_G2S, &one, .addr = AT(0, 0x800), .mbar = A),
	};

	job[2].u.tensor.map = (uintptr_t)&w->map;
	return submit_sync(&w->other, job, 3, 0, w->out);
}

static int end_submit_more(struct world *w, int ret)
{
	int again = ret ? call_submit_more(w) : 0;

	if (!again)
		again = syncobj_status(w->c.fd, w->out) == 1 ? 0 : -EBADMSG;
	if (cluster_destroy(&w->other) || gem_close(w->c.fd, w->fresh.handle))
		return -EBADMSG;
	return again;
}

TEST_F(failnth, submit_of_multicasts_and_tensors)
{
	SWEEP(make_target, call_submit_more, end_submit_more);
	EXPECT_ALL_LEFT();
}

static int call_channel(struct world *w)
{
	w->made = channel_create_grouped(w->c.fd, 1, 0);
	return w->made < 0 ? w->made : 0;
}

static int end_channel(struct world *w, int ret)
{
	return ret ? 0 : channel_destroy(w->c.fd, w->made);
}

TEST_F(failnth, channel_create)
{
	uint32_t i, limit = vsm_info(self->w.c.fd).max_channels, made = 1;	/* channel 0 */

	SWEEP(.call = call_channel, .after = end_channel);
	/*
	 * A call may have made a channel although it could not return the number: destroy all
	 * channels. Then all channels can be made again, because failed calls do not count against
	 * the limit.
	 */
	for (i = 1; i < limit; i++)
		channel_destroy(self->w.c.fd, i);
	for (; !call_channel(&self->w); made++)
		;
	EXPECT_EQ(-ENOSPC, self->w.made);
	EXPECT_EQ(limit, made);
}

/*
 * Submits a job that waits for a point of a timeline and signals the next one. The links of the
 * timeline are allocated before the job can run.
 */
static int call_points(struct world *w)
{
	struct drm_vsm_insn copy = i_s2g(AT(0, 0x100), 16, w->b.handle, 32);
	struct drm_vsm_sync syncs[] = {
		sync_signal(w->timeline, ++w->point), sync_wait(w->timeline, w->signalled),
	};

	return submit_on(&w->c, 0, &copy, 1, syncs, w->signalled ? 2 : 1);
}

static int end_points(struct world *w, int ret)
{
	uint64_t point = w->point;

	if (ret)
		return 0;
	w->signalled = point;
	return drmSyncobjTimelineWait(w->c.fd, &w->timeline, &point, 1, now_ns() + AMPLE, 0,
				      NULL);
}

TEST_F(failnth, submit_between_points)
{
	self->w.timeline = syncobj_create(self->w.c.fd);
	ASSERT_NE(0, self->w.timeline);
	ASSERT_EQ(0, call_points(&self->w));
	ASSERT_EQ(0, end_points(&self->w, 0));
	SWEEP(.call = call_points, .after = end_points);
}

static int make_buffer(struct world *w)
{
	int ret = buffer_create(&w->fresh, w->c.fd, 16384);

	if (!ret)
		munmap(w->fresh.map, w->fresh.size);
	return ret;
}

/* The first copy of a buffer maps the buffer. */
static int call_first_copy(struct world *w)
{
	struct drm_vsm_insn job = i_s2g(AT(0, 0x100), 1024, w->fresh.handle, 4096);

	return submit_sync(&w->c, &job, 1, 0, w->out);
}

static int end_first_copy(struct world *w, int ret)
{
	int status = ret ? call_first_copy(w) : 0;

	return status ? status : end_submit(w, 0) ? -EBADMSG : gem_close(w->c.fd, w->fresh.handle);
}

TEST_F(failnth, first_copy)
{
	SWEEP(make_buffer, call_first_copy, end_first_copy);
}

static int call_export(struct world *w)
{
	return drmPrimeHandleToFD(w->c.fd, w->b.handle, DRM_CLOEXEC | DRM_RDWR, &w->made) ? -errno
											  : 0;
}

TEST_F(failnth, export)
{
	SWEEP(.call = call_export, .after = close_made);
}

/* Makes a dma-buf of vgem. */
static int make_foreign(struct world *w)
{
	struct drm_mode_create_dumb args = { .width = 1024, .height = 4, .bpp = 32 };
	int vgem = vgem_open(), ret = vgem < 0 ? vgem : 0;

	if (!ret)
		ret = vsm_ioctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &args);
	if (!ret)
		ret = drmPrimeHandleToFD(vgem, args.handle, DRM_CLOEXEC | DRM_RDWR, &w->foreign) ?
		      -errno : 0;
	if (vgem >= 0)
		close(vgem);
	return ret;
}

static int call_import(struct world *w)
{
	w->fresh.handle = 0;
	return drmPrimeFDToHandle(w->c.fd, w->foreign, &w->fresh.handle) ? -errno : 0;
}

/*
 * After EFAULT the file has a handle that the caller did not get. The next import returns the same
 * handle.
 */
static int end_import(struct world *w, int ret)
{
	if (ret)
		ret = call_import(w);
	close(w->foreign);
	return ret ? ret : gem_close(w->c.fd, w->fresh.handle);
}

TEST_F(failnth, import)
{
	if (vgem_open() < 0)
		SKIP(return, "needs vgem");
	SWEEP(make_foreign, call_import, end_import);
}

static int make_record(struct world *w)
{
	struct drm_vsm_wait wait = wait_parity(&w->c, A, 1, -1, 3);

	return waitset_arm(w->c.fd, w->set, &wait, 1, NULL);
}

static int call_read(struct world *w)
{
	struct drm_vsm_wait_record record;
	int ret = waitset_read(w->set, &record);

	return ret == 1 ? 0 : ret;
}

/* A record that read() could not deliver is kept. */
static int end_read(struct world *w, int ret)
{
	struct drm_vsm_wait_record record;

	if (ret && (waitset_read(w->set, &record) != 1 || record.user_data != 3))
		return -EBADMSG;
	return waitset_read(w->set, &record) == -EAGAIN ? 0 : -EBADMSG;
}

TEST_F(failnth, read)
{
	SWEEP(make_record, call_read, end_read);
}

/* --- asynchronous operations ------------------------------------------------ */

static int make_held(struct world *w)
{
	int ret = make_buffer(w);

	return ret ? ret : cluster_hold(&w->c, DRM_VSM_HOLD);
}

/* The first copy of a buffer maps the buffer. */
static int call_cp_async(struct world *w)
{
	return exec_one(&w->c, i_cp_async(AT(0, 0x100), 16, w->fresh.handle, 0));
}

static int end_async(struct world *w, int ret)
{
	ret = async_release(&w->c);
	return ret ? ret : gem_close(w->c.fd, w->fresh.handle);
}

TEST_F(failnth, cp_async)
{
	SWEEP(make_held, call_cp_async, end_async);
}

static int call_cp_arrive(struct world *w)
{
	return exec_one(&w->c, i_cp_arrive(A));
}

/* If the call succeeded, the arrive must be in flight, which the word shows. */
static int end_cp_arrive(struct world *w, int ret)
{
	uint64_t idle = word_of(VSM_LAYOUT_SM_90, 0xffffe, 0, 0xfffff, 0);
	uint64_t flying = word_of(VSM_LAYOUT_SM_90, 0xffffe, 1, 0xfffff, 0);

	if (word(&w->c, A) != (ret ? idle : flying) &&
	    (!may_have_worked(ret) || word(&w->c, A) != flying))
		return -EBADMSG;
	ret = end_async(w, ret);
	return ret ? ret : word(&w->c, A) == idle ? 0 : -EBADMSG;
}

TEST_F(failnth, cp_async_mbarrier_arrive)
{
	SWEEP(make_held, call_cp_arrive, end_cp_arrive);
}

/* Makes a buffer, the map of a one-dimensional tensor in it, and a cluster. */
static int make_target(struct world *w)
{
	int ret = make_buffer(w);

	w->map = (struct drm_vsm_tensor_map){
		.type = DRM_VSM_TENSOR_UINT32, .rank = 1, .mode = DRM_VSM_TENSOR_TILED,
		.buffer = w->fresh.handle, .size = { 64 }, .box = { 16 },
		.element_stride = { 1 },
	};
	if (!ret)
		ret = cluster_create(&w->other, w->c.fd, 0, 0);
	return ret ? ret : exec_one(&w->other, i_init(A, 1));
}

/* The first operation of a thread allocates its groups. */
static int call_insn(struct world *w)
{
	struct drm_vsm_insn insn = w->insn;

	if (insn_is_tensor(&insn))
		insn.u.tensor.map = (uintptr_t)&w->map;
	else if (insn.u.copy.buffer)
		insn.u.copy.buffer = w->fresh.handle;
	return exec_one(&w->other, insn);
}

/* Repeats a failed call after the operations that may be in flight have completed. */
static int end_insn(struct world *w, int ret)
{
	int again = async_finish(&w->c);

	if (!again && ret)
		again = call_insn(w);
	if (!again)
		again = async_finish(&w->c);
	if (cluster_destroy(&w->other) || gem_close(w->c.fd, w->fresh.handle))
		return -EBADMSG;
	return again;
}

TEST_F(failnth, copies_and_groups)
{
	enum { SOME = 1, TO = 0x400 };	/* any handle, and an offset in the window */
	/* A placeholder: only the rank counts here. The map itself is that of make_target(). */
	static const struct drm_vsm_tensor_map one = { .rank = 1 };
	struct drm_vsm_insn insns[] = {
		i_g2s(TO, A, 16, SOME, 0), i_multicast(i_g2s(TO, A, 16, SOME, 0), 1),
		i_s2g(TO, 16, SOME, 0), i_s2s(TO, A, 16, 0x800), i_prefetch(16, SOME, 0),
		i_reduce(i_s2g(TO, 16, SOME, 0), RED(ADD, U32)), i_st_async(TO, A, 4, 1),
		i_commit(), i_wait_group(0), i_wait_all(), i_bulk_commit(), i_bulk_wait(0),
		i_tensor(TENSOR_G2S, &one, .addr = TO, .mbar = A),
		i_multicast(i_tensor(TENSOR_G2S, &one, .addr = TO, .mbar = A), 1),
		i_tensor(TENSOR_S2G, &one, .addr = TO), i_tensor(PREFETCH_TENSOR, &one),
	};
	size_t i;

	for (i = 0; i < ITEMS(insns); i++) {
		self->w.insn = insns[i];
		SWEEP(make_target, call_insn, end_insn);
	}
	EXPECT_ALL_LEFT();
}

static int call_release(struct world *w)
{
	return cluster_hold(&w->c, 0);
}

TEST_F(failnth, release)
{
	SWEEP(make_held, call_release, end_async);
}

TEST_HARNESS_MAIN
