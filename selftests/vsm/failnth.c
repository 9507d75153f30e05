// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every call is made with its first allocation failing, then its second, and so
 * on until none fails: it returns a documented errno and leaves nothing behind.
 * Needs a kernel with FAILSLAB and fail-nth.
 */
#include "async.h"
#include "channel.h"

#define A AT(0, 0x40)
#define WAITS 68
#define FAULTS "/sys/kernel/debug/"

/**
 * struct world - What the calls work on
 * @c: A cluster
 * @b: A buffer
 * @set: A wait set
 * @out: A syncobj
 * @other: A cluster for a step
 * @fresh: A buffer for a step
 * @waits: Waits for a step
 * @armed: How many of them are armed
 * @free: The handle that a step will make
 * @made: A descriptor or handle that a step has made
 * @foreign: A dma-buf of another driver
 * @insn: Instruction for a step
 * @map: Tensor map, of the buffer for a step
 * @timeline: A syncobj
 * @point: The last point of it that a job was to signal
 * @signalled: The last that is known to be
 * @path: Of the device
 */
struct world {
	struct cluster c;
	struct buffer b;
	int set;
	uint32_t out;
	struct cluster other;
	struct buffer fresh;
	struct drm_vsm_wait waits[WAITS];
	uint32_t armed;
	uint32_t free;
	int made;
	int foreign;
	struct drm_vsm_insn insn;
	struct drm_vsm_tensor_map map __attribute__((aligned(64)));
	uint32_t timeline;
	uint64_t point;
	uint64_t signalled;
	char path[64];
};

FIXTURE(failnth)
{
	struct world w;
	int nth;
};

static void fault_write(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		fprintf(stderr, "# %s: %s\n", file, strerror(errno));
	if (fd >= 0)
		close(fd);
}

FIXTURE_SETUP(failnth)
{
	int fd;

	self->nth = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (self->nth < 0)
		SKIP(return, "the kernel cannot make allocations fail");
	/* GFP_KERNEL too, and without a stack trace each time. */
	fault_write(FAULTS "failslab/ignore-gfp-wait", "N");
	fault_write(FAULTS "failslab/verbose", "0");
	fault_write(FAULTS "fail_page_alloc/ignore-gfp-wait", "N");
	fault_write(FAULTS "fail_page_alloc/verbose", "0");
	fault_write(FAULTS "fail_page_alloc/min-order", "0");
	fault_write(FAULTS "fail_usercopy/verbose", "0");

	fd = vsm_open();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cluster_create(&self->w.c, fd, 0, 0));
	ASSERT_EQ(0, buffer_create(&self->w.b, fd, 4096));
	ASSERT_EQ(0, exec_one(&self->w.c, i_init(A, 0xfffff)));
	ASSERT_EQ(0, exec_one(&self->w.c, i_arrive(A)));	/* to make room for one */
	ASSERT_EQ(0, exec_one(&self->w.c, i_init(END, 1)));
	self->w.set = waitset_create(fd, DRM_VSM_WAITSET_NONBLOCK);
	ASSERT_LE(0, self->w.set);
	self->w.out = syncobj_create(fd);
	ASSERT_NE(0, self->w.out);
}

FIXTURE_TEARDOWN(failnth)
{
	if (self->nth < 0)
		return;
	/* All is as it was for those who come after. */
	EXPECT_EQ(0, exec_one(&self->w.c, i_arrive(A)));
	close(self->w.set);
	EXPECT_EQ(0, exec_one(&self->w.c, i_inval(A)));
	munmap(self->w.b.map, self->w.b.size);
	EXPECT_EQ(0, cluster_destroy(&self->w.c));
	close(self->w.c.fd);
	close(self->nth);
}

/* ENOSPC: what the kernel's own shmem says when it has no memory for an inode. */
static bool expected(int ret)
{
	return !ret || ret == -ENOMEM || ret == -EFAULT || ret == -ENOSPC;
}

/* Makes the nth allocation from now on fail. */
static int fail_begin(int file, int nth)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", nth);

	return pwrite(file, text, n, 0) == n ? 0 : -errno;
}

/* Has it failed? None does from now on. */
static bool fail_end(int file)
{
	char text[16] = "";
	ssize_t n = pread(file, text, sizeof(text) - 1, 0);
	bool failed = n > 0 && !atoi(text);

	return pwrite(file, "0", 1, 0) == 1 && failed;
}

/**
 * struct step - A call and what belongs to it
 * @before: Makes what it needs, or NULL
 * @call: The call; 0 or a negative errno
 * @after: Looks at what is there after it, and removes it, or NULL; 0 if all is well
 */
struct step {
	int (*before)(struct world *w);
	int (*call)(struct world *w);
	int (*after)(struct world *w, int ret);
};

static void sweep(struct __test_metadata *_metadata, struct world *w, int nth, struct step step)
{
	bool failed = true;
	int i, ret;

	for (i = 1; failed && i < 1000; i++) {
		w->made = -1;
		ASSERT_EQ(0, step.before ? step.before(w) : 0);
		ASSERT_EQ(0, fail_begin(nth, i));
		ret = step.call(w);
		failed = fail_end(nth);
		EXPECT_TRUE(expected(ret)) TH_LOG("failure %d: %d", i, ret);
		ASSERT_EQ(0, step.after ? step.after(w, ret) : 0) TH_LOG("failure %d: %d", i, ret);
	}
	/* It has been through everything, and then it works. */
	EXPECT_FALSE(failed);
	EXPECT_EQ(0, ret);
	TH_LOG("%d points of failure", i - 2);
}

#define SWEEP(...) sweep(_metadata, &self->w, self->nth, (struct step){ __VA_ARGS__ })

static int close_made(struct world *w, int ret)
{
	return ret ? 0 : close(w->made);
}

static int close_handle(struct world *w, int ret)
{
	return ret ? 0 : gem_close(w->c.fd, w->made);
}

/* With EFAULT there may be a handle that could not be told: the lowest free one. */
static int close_untold_too(struct world *w, int ret)
{
	int close = gem_close(w->c.fd, ret ? w->free : w->made);

	return ret == -EFAULT || (ret && close == -EINVAL) ? 0 : close;
}

/* procfs says ENOENT when it has no memory, so the path does not lead through it. */
static int prepare_path(struct world *w)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", w->c.fd);
	n = readlink(link, w->path, sizeof(w->path) - 1);
	w->path[n < 0 ? 0 : n] = '\0';
	return n < 0 ? -errno : 0;
}

static int call_open(struct world *w)
{
	w->made = open(w->path, O_RDWR | O_CLOEXEC);
	return w->made < 0 ? -errno : 0;
}

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
	struct drm_vsm_cluster_create args = { .ctas = 1, .threads = 1, .smem_bytes = 16 };
	uint32_t limit = vsm_info(self->w.c.fd).client_clusters, made = 1;	/* the fixture's */
	int ret;

	SWEEP(.call = call_cluster, .after = close_untold_too);
	/* None of the failed ones is still counted. */
	for (; !(ret = vsm_ioctl(self->w.c.fd, DRM_IOCTL_VSM_CLUSTER_CREATE, &args)); made++)
		;
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_EQ(limit, made);
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

static int make_cluster(struct world *w)
{
	return cluster_create(&w->other, w->c.fd, 0, 0);
}

/* The first of a cluster, which makes its map of objects. */
static int call_init(struct world *w)
{
	return exec_one(&w->other, i_init(A, 1));
}

static int destroy_cluster(struct world *w, int ret)
{
	int again = exec_one(&w->other, ret ? i_init(A, 1) : i_arrive(A));

	return cluster_destroy(&w->other) ? -EBADMSG : again;
}

TEST_F(failnth, first_init)
{
	SWEEP(make_cluster, call_init, destroy_cluster);
}

/* And the first fence, for which its cluster makes room. */
static int make_unfenced(struct world *w)
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
	int known = ret ? exec_fault(&w->other, 1, insn, NULL) - DRM_VSM_FAULT_INIT_NOT_FENCED
			: exec_at(&w->other, 1, insn, NULL);

	return cluster_destroy(&w->other) ? -EBADMSG : known;
}

TEST_F(failnth, first_fence)
{
	SWEEP(make_unfenced, call_fence, destroy_fenced);
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

/* Enough for the set's array to grow; armed, complete and expired ones. */
static int make_waits(struct world *w)
{
	uint32_t i;

	for (i = 0; i < WAITS; i++)
		w->waits[i] = wait_parity(&w->c, A, i % 2, i % 4 ? -1 : 1, i);
	w->made = waitset_create(w->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	return w->made < 0 ? w->made : 0;
}

static int call_arm(struct world *w)
{
	return waitset_arm(w->c.fd, w->made, w->waits, WAITS, &w->armed);
}

static int count_waits(struct world *w, int ret)
{
	struct pollfd p = { .fd = w->made, .events = POLLIN };
	struct drm_vsm_wait_record record;
	uint32_t i, cancelled = 0, ended = 0;

	if (ret ? w->armed >= WAITS : w->armed != WAITS)
		return -EBADMSG;
	/* Each that is armed can be cancelled or has ended, and no other. */
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
	SWEEP(make_waits, call_arm, count_waits);
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

TEST_F(failnth, submit)
{
	uint32_t i, limit = vsm_info(self->w.c.fd).client_jobs;

	SWEEP(.call = call_submit, .after = end_submit);
	/* None of the failed ones is still counted. */
	for (i = 0; i < 2 * limit; i++) {
		int ret = call_submit(&self->w);

		ASSERT_TRUE(!ret || ret == -ENOSPC);
		if (ret)
			ASSERT_EQ(0, end_submit(&self->w, 0));
	}
	ASSERT_EQ(0, end_submit(&self->w, 0));
}

static int make_target(struct world *w);

/* What operations have beside themselves, in a job. */
static int call_submit_more(struct world *w)
{
	/* As make_target() makes it. */
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
}

static int call_channel(struct world *w)
{
	w->made = channel_create(w->c.fd, 0);
	return w->made < 0 ? w->made : 0;
}

static int end_channel(struct world *w, int ret)
{
	return ret ? 0 : channel_destroy(w->c.fd, w->made);
}

TEST_F(failnth, channel_create)
{
	uint32_t i, limit = vsm_info(self->w.c.fd).max_channels, made = 1;	/* the first */

	SWEEP(.call = call_channel, .after = end_channel);
	/* One that could not be told is there; those that failed are not counted. */
	for (i = 1; i < limit; i++)
		channel_destroy(self->w.c.fd, i);
	for (; !call_channel(&self->w); made++)
		;
	EXPECT_EQ(-ENOSPC, self->w.made);
	EXPECT_EQ(limit, made);
}

/* Between points of a timeline, whose links are made before the job can run. */
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

/* The first of a buffer, which maps it. */
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

/* A dma-buf of vgem. */
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

/* With EFAULT there is a handle that could not be told: it is the same the next time. */
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

/* A record that was not delivered is there. */
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

/* The first of a buffer, which maps it. */
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

/* It is in flight, as the word says, or it is not. */
static int end_cp_arrive(struct world *w, int ret)
{
	uint64_t idle = word_of(VSM_LAYOUT_SM_90, 0xffffe, 0, 0xfffff, 0);
	uint64_t flying = word_of(VSM_LAYOUT_SM_90, 0xffffe, 1, 0xfffff, 0);

	if (word(&w->c, A) != (ret ? idle : flying))
		return -EBADMSG;
	ret = end_async(w, ret);
	return ret ? ret : word(&w->c, A) == idle ? 0 : -EBADMSG;
}

TEST_F(failnth, cp_async_mbarrier_arrive)
{
	SWEEP(make_held, call_cp_arrive, end_cp_arrive);
}

/* A row of a tensor of one dimension. */
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

/* The first of a thread, which makes its groups. */
static int call_insn(struct world *w)
{
	struct drm_vsm_insn insn = w->insn;

	if (insn_is_tensor(&insn))
		insn.u.tensor.map = (uintptr_t)&w->map;
	else if (insn.u.copy.buffer)
		insn.u.copy.buffer = w->fresh.handle;
	return exec_one(&w->other, insn);
}

/* Once more, behind what may be in flight all the same. */
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
	enum { SOME = 1, TO = 0x400 };	/* buffer, and where in the window */
	/* As make_target() makes it. */
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
}

static int call_release(struct world *w)
{
	return cluster_hold(&w->c, 0);
}

TEST_F(failnth, release)
{
	SWEEP(make_held, call_release, end_async);
}

/* --- faults ------------------------------------------------------------------ */

/* Refused as it should be, whether there is memory for the event or not. */
static int call_misuse(struct world *w)
{
	int ret = exec_one(&w->c, i_init(A, 1));

	return ret == -EPROTO ? 0 : ret ? ret : -EBADMSG;
}

static int arm_misuse(struct world *w)
{
	struct drm_vsm_wait wait = wait_parity(&w->c, AT(0, 0x800), 0, -1, 0);
	int ret = waitset_arm(w->c.fd, w->set, &wait, 1, NULL);

	return ret == -EPROTO ? 0 : ret ? ret : -EBADMSG;
}

/* Told of, or counted in the next event. */
static int end_misuse(struct world *w, int ret)
{
	struct drm_vsm_event_fault event;
	bool told = poll_events(w->c.fd) == POLLIN;

	if (told && (fault_read(w->c.fd, &event) != 1 || event.lost))
		return -EBADMSG;
	if (call_misuse(w) || fault_read(w->c.fd, &event) != 1)
		return -EBADMSG;
	/* A call that failed before there was misuse has none to tell. */
	return event.lost == !told || (ret && !event.lost) ? 0 : -EBADMSG;
}

TEST_F(failnth, misuse)
{
	SWEEP(.call = call_misuse, .after = end_misuse);
}

TEST_F(failnth, misuse_by_arming)
{
	SWEEP(.call = arm_misuse, .after = end_misuse);
}

static int make_lonely(struct world *w)
{
	struct drm_vsm_cluster_create args = { .ctas = 1, .threads = 1, .smem_bytes = 4096 };
	int ret = cluster_create_args(&w->other, w->c.fd, &args);

	return ret ? ret : exec_one(&w->other, i_init(A, 1));
}

static int call_deadlock(struct world *w)
{
	struct drm_vsm_insn wait = i_try_parity_unlimited(A, 0);
	struct drm_vsm_exec args = exec_args(&w->other, &wait, 1);
	int ret;

	args.flags = DRM_VSM_EXEC_NO_LIMIT;
	ret = vsm_exec(w->c.fd, &args);
	return ret == -EPROTO && wait.fault == DRM_VSM_FAULT_DEADLOCK ? 0 : ret ? ret : -EBADMSG;
}

static int end_deadlock(struct world *w, int ret)
{
	int status = end_misuse(w, ret);

	return status ? status : cluster_destroy(&w->other);
}

TEST_F(failnth, deadlock)
{
	SWEEP(make_lonely, call_deadlock, end_deadlock);
}

/* --- threads that meet ------------------------------------------------------- */

/* The first of a cluster, which makes what its threads meet at. */
static int call_meet(struct world *w)
{
	return exec_one(&w->other, w->insn);
}

/* It has not exited, or arrived, if the call failed. */
static int end_meet(struct world *w, int ret)
{
	int again = ret ? call_meet(w) : 0;

	return cluster_destroy(&w->other) ? -EBADMSG : again;
}

TEST_F(failnth, first_meeting)
{
	struct drm_vsm_insn insns[] = { i_warp_sync(1), i_match_any(7, 1), i_exit() };
	size_t i;

	for (i = 0; i < ITEMS(insns); i++) {
		self->w.insn = insns[i];
		SWEEP(make_cluster, call_meet, end_meet);
	}
}

/* All threads of CTA 0, who meet then, and some of CTA 1, who wait on. */
static int make_meeters(struct world *w)
{
	int ret = make_cluster(w);
	uint32_t i;

	w->insn = i_barrier_red(DRM_VSM_RED_POPC, 5, true);
	for (i = 0; i < WAITS; i++)
		w->waits[i] = (struct drm_vsm_wait){
			.cluster = w->other.handle, .addr = DRM_VSM_WAIT_THREAD(i / 64, i % 64),
			.state = (uintptr_t)&w->insn, .user_data = i, .flags = DRM_VSM_WAIT_INSN,
			.deadline = i % 4 ? -1 : now_ns() + 1000 * SECOND,
		};
	w->armed = 0;
	w->made = waitset_create(w->c.fd, DRM_VSM_WAITSET_NONBLOCK);
	return w->made < 0 ? w->made : ret;
}

/* The rest is armed then: each has arrived once, so that all have. */
static int end_meeters(struct world *w, int ret)
{
	struct drm_vsm_waitset_arm args = {
		.waits = (uintptr_t)w->waits, .stride = sizeof(w->waits[0]), .count = WAITS,
		.fd = w->made, .armed = w->armed,
	};
	struct drm_vsm_wait_record record;
	int i;

	if (ret ? w->armed >= WAITS : w->armed != WAITS)
		return -EBADMSG;
	ret = vsm_ioctl(w->c.fd, DRM_IOCTL_VSM_WAITSET_ARM, &args);
	for (i = 0; i < 64 && !ret; i++)
		if (waitset_read(w->made, &record) != 1 || record.result != 64 ||
		    record.status != DRM_VSM_WAIT_COMPLETE)
			ret = -EBADMSG;
	if (!ret && waitset_read(w->made, &record) != -EAGAIN)
		ret = -EBADMSG;
	if (close(w->made) || cluster_destroy(&w->other))
		return -EBADMSG;
	return ret;
}

TEST_F(failnth, waitset_arm_instructions)
{
	SWEEP(make_meeters, call_arm, end_meeters);
}

/* A source that exits while a wait is armed: the fault is told of by an event too. */
static int make_source(struct world *w)
{
	struct drm_vsm_insn insn = i_shfl(DRM_VSM_MODE_IDX, 0, 1, 0x1f, 3);
	struct drm_vsm_cluster_create args = {
		.ctas = 1, .threads = 32, .smem_bytes = 4096,
		.enforce = DRM_VSM_RULE(DRM_VSM_FAULT_SHFL_SOURCE),
	};
	int ret = cluster_create_args(&w->other, w->c.fd, &args);

	w->waits[0] = (struct drm_vsm_wait){
		.cluster = w->other.handle, .state = (uintptr_t)&insn, .deadline = -1,
		.flags = DRM_VSM_WAIT_INSN,
	};
	return ret ? ret : waitset_arm(w->c.fd, w->set, w->waits, 1, NULL);
}

static int call_source(struct world *w)
{
	struct drm_vsm_insn insn = i_exit();
	struct drm_vsm_exec args = exec_args(&w->other, &insn, 1);

	args.thread = 1;
	return vsm_exec(w->c.fd, &args);
}

static int end_source(struct world *w, int ret)
{
	struct drm_vsm_wait_record record;

	if (ret && call_source(w) && call_source(w) != -EPROTO)
		return -EBADMSG;
	if (waitset_read(w->set, &record) != 1 || record.status != DRM_VSM_WAIT_FAULT ||
	    record.result != DRM_VSM_FAULT_SHFL_SOURCE)
		return -EBADMSG;
	fault_drain(w->c.fd);
	return cluster_destroy(&w->other);
}

TEST_F(failnth, a_source_that_exits)
{
	SWEEP(make_source, call_source, end_source);
}

TEST_HARNESS_MAIN
