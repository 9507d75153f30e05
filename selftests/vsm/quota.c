// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user cannot take what other users need. A client is charged for its operations in flight and
 * its armed waits, and gets the bytes back afterwards.
 */
#include "async.h"
#include "channel.h"
#include "driver.h"
#include "limits.h"
#include "model.h"
#include "users.h"

#define A AT(0, 0x40)
#define PAGE 4096
#define MAX_BYTES (2 << 20)

FIXTURE(quota)
{
};

FIXTURE_SETUP(quota)
{
	if (!getenv("VSM_MODULE"))
		SKIP(return, "VSM_MODULE does not name the module to load again");
	ASSERT_EQ(0, module_reload("max_bytes=2097152"));
}

FIXTURE_TEARDOWN(quota)
{
	if (getenv("VSM_MODULE"))
		EXPECT_EQ(0, module_reload(""));
}

/*
 * Allocates all pages that a client can still get. Returns their number. Closing the file frees
 * them.
 */
static unsigned int pages_left(int fd)
{
	unsigned int n = 0;

	while (!allocate(fd, PAGE))
		n++;
	return n;
}

/* --- shares of users ----------------------------------------------------------- */

TEST_F(quota, a_user_gets_half_of_the_bytes_that_others_leave)
{
	int alice = vsm_open_as(ALICE), bob = vsm_open_as(BOB), carol = vsm_open_as(CAROL);
	int again = vsm_open_as(ALICE);

	EXPECT_EQ(MAX_BYTES / 2 / PAGE, pages_left(alice));
	/* A second file of the same user gets no more memory. */
	EXPECT_EQ(0, pages_left(again));
	EXPECT_EQ(MAX_BYTES / 4 / PAGE, pages_left(bob));
	EXPECT_EQ(MAX_BYTES / 8 / PAGE, pages_left(carol));
	EXPECT_EQ(0, pages_left(vsm_open_as(BOB)));
	/* A user over his share keeps his pages. Bytes that others free are divided again. */
	close(carol);
	close(bob);
	EXPECT_EQ(0, pages_left(again));
	close(alice);
	carol = vsm_open_as(CAROL);
	EXPECT_LT(MAX_BYTES / 4 / PAGE, pages_left(carol));
	close(carol);
	EXPECT_LT(0, pages_left(again));
	close(again);
}

TEST_F(quota, the_machine_s_root_is_a_user_like_others)
{
	int root = vsm_open(), alice = vsm_open_as(ALICE);

	EXPECT_EQ(MAX_BYTES / 2 / PAGE, pages_left(root));
	EXPECT_EQ(MAX_BYTES / 4 / PAGE, pages_left(alice));
	close(alice);
	close(root);
}

/* Submits jobs that stay in flight, until no more fit. Returns their number. */
static int fill_with_jobs(struct cluster *c)
{
	struct drm_vsm_buffer_create buffer = { .size = PAGE };
	int ret = vsm_ioctl(c->fd, DRM_IOCTL_VSM_BUFFER_CREATE, &buffer), n;
	struct drm_vsm_insn copy = i_s2g(AT(0, 0x100), 16, buffer.handle, 0);

	for (n = 0; !ret; n++)
		ret = submit_sync(c, &copy, 1, 0, 0);
	return ret == -ENOSPC ? n - 1 : ret;
}

static int open_cluster(struct cluster *c, int fd)
{
	int ret = fd < 0 ? fd : cluster_create(c, fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT);

	return ret ? ret : exec_one(c, i_init(A, 1000000));
}

/* How many jobs a user may have does not depend on the number of another user's files. */
TEST_F(quota, many_files_of_a_user_do_not_reduce_the_jobs_of_others)
{
	uint32_t i, limit, jobs = 0;
	struct cluster c[6];

	ASSERT_EQ(0, module_reload(""));
	for (i = 0; i < 6; i++)
		ASSERT_EQ(0, open_cluster(&c[i], vsm_open_as(i < 5 ? ALICE : BOB)));
	ASSERT_EQ(0, model_set(c[0].fd, "latency_ns", NEVER));
	ASSERT_EQ(0, model_set(c[0].fd, "job_timeout_ms", 0));
	limit = vsm_info(c[0].fd).client_jobs;
	for (i = 0; i < 4; i++)
		jobs += fill_with_jobs(&c[i]);
	EXPECT_EQ(4 * limit, jobs);
	EXPECT_EQ(0, fill_with_jobs(&c[4]));
	EXPECT_EQ(limit, fill_with_jobs(&c[5]));
	for (i = 0; i < 6; i++)
		cluster_close(&c[i]);
}

/* --- charges for operations in flight and armed waits --------------------------- */

/* A client that takes as much memory as it gets */
struct taker {
	struct cluster c;	/* its cluster, which is held */
	struct buffer b;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))); /* a tensor map of @b */
	int set;		/* a wait set */
	uint32_t in;		/* syncobj that its jobs wait for */
};

static struct drm_vsm_insn multicast(const struct taker *t)
{
	return i_multicast(i_g2s(AT(0, 0x400), A, 16, t->b.handle, 0), 0xf);
}

static int take_copy(struct taker *t, unsigned int n)
{
	return exec_one(&t->c, i_cp_async(AT(0, 0x400), 16, t->b.handle, 0));
}

static int take_multicast(struct taker *t, unsigned int n)
{
	return exec_one(&t->c, multicast(t));
}

static int take_tensor(struct taker *t, unsigned int n)
{
	struct drm_vsm_insn insn = i_tensor(TENSOR_S2G, &t->map, .addr = AT(0, 0x400));

	insn.u.tensor.map = (uintptr_t)&t->map;
	return exec_one(&t->c, insn);
}

static int take_job(struct taker *t, unsigned int n)
{
	struct drm_vsm_insn insns[8];
	unsigned int i;

	for (i = 0; i < ITEMS(insns); i++)
		insns[i] = multicast(t);
	return submit_sync(&t->c, insns, ITEMS(insns), t->in, 0);
}

static int take_wait(struct taker *t, unsigned int n)
{
	struct drm_vsm_wait wait = wait_parity(&t->c, A, 0, -1, 0);

	return waitset_arm(t->c.fd, t->set, &wait, 1, NULL);
}

/* Arms a barrier.sync that stays incomplete: the last thread of the CTA never executes it. */
static int take_insn(struct taker *t, unsigned int n)
{
	struct drm_vsm_insn insn = i_barrier_sync(0);
	struct drm_vsm_wait wait = {
		.cluster = t->c.handle, .addr = DRM_VSM_WAIT_THREAD(n / 1023, n % 1023),
		.state = (uintptr_t)&insn, .deadline = -1, .flags = DRM_VSM_WAIT_INSN,
	};

	return waitset_arm(t->c.fd, t->set, &wait, 1, NULL);
}

static int taker_open(struct taker *t, const struct hold *hold)
{
	int ret = cluster_make_open(&t->c, .ctas = 4, .threads = 1024, .smem_bytes = 4096,
				    .policy = DRM_VSM_POLICY_HARDWARE);
	uint32_t i;

	if (!ret)
		ret = buffer_create(&t->b, t->c.fd, PAGE);
	for (i = 0; i < 4 && !ret; i++)
		ret = exec_at(&t->c, i, i_init(AT(i, 0x40), 1000000), NULL);
	if (ret)
		return ret;
	t->set = waitset_create(t->c.fd, 0);
	t->in = syncobj_import(t->c.fd, hold->file);
	t->map = (struct drm_vsm_tensor_map){
		.type = DRM_VSM_TENSOR_UINT32, .rank = 1, .mode = DRM_VSM_TENSOR_TILED,
		.buffer = t->b.handle, .size = { 64 }, .box = { 16 }, .element_stride = { 1 },
	};
	return t->set < 0 ? t->set : 0;
}

static void taker_close(struct taker *t)
{
	munmap(t->b.map, t->b.size);
	close(t->set);
	cluster_close(&t->c);
}

FIXTURE(charge)
{
	struct hold hold;
	struct taker t;
};

FIXTURE_VARIANT(charge)
{
	int (*take)(struct taker *t, unsigned int n);
	uint32_t bytes;		/* least memory that one such operation takes */
};

FIXTURE_VARIANT_ADD(charge, a_copy) { .take = take_copy, .bytes = 200 };
FIXTURE_VARIANT_ADD(charge, a_multicast) { .take = take_multicast, .bytes = 500 };
FIXTURE_VARIANT_ADD(charge, a_tensor) { .take = take_tensor, .bytes = 300 };
FIXTURE_VARIANT_ADD(charge, a_job) { .take = take_job, .bytes = 8 * 500 };
FIXTURE_VARIANT_ADD(charge, a_wait) { .take = take_wait, .bytes = 100 };
FIXTURE_VARIANT_ADD(charge, an_instruction) { .take = take_insn, .bytes = 300 };

FIXTURE_SETUP(charge)
{
	if (!getenv("VSM_MODULE"))
		SKIP(return, "VSM_MODULE does not name the module to load again");
	ASSERT_EQ(0, module_reload("max_bytes=2097152"));
	if (hold_init(&self->hold))
		SKIP(return, "needs vgem");
}

FIXTURE_TEARDOWN(charge)
{
	if (getenv("VSM_MODULE"))
		EXPECT_EQ(0, module_reload(""));
}

TEST_F(charge, takes_memory_and_gives_it_back)
{
	unsigned int n;
	int ret = 0;

	ASSERT_EQ(0, taker_open(&self->t, &self->hold));
	ASSERT_EQ(0, cluster_hold(&self->t.c, DRM_VSM_HOLD));
	for (n = 0; !ret; n++)
		ret = variant->take(&self->t, n);
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_LT(64, n);
	EXPECT_GE(MAX_BYTES / 2 / variant->bytes, n);
	/* The user can now allocate at most four more pages. */
	EXPECT_GE(4, pages_left(self->t.c.fd));
	taker_close(&self->t);
	EXPECT_TRUE(nothing_is_charged(MAX_BYTES));
}

TEST_F(quota, a_first_rendezvous_without_memory_is_refused_and_keeps_nothing)
{
	struct hold none = { .file = -1 };
	struct taker t;

	ASSERT_EQ(0, taker_open(&t, &none));
	while (!allocate(t.c.fd, PAGE))
		;
	EXPECT_EQ(-ENOSPC, exec_one(&t.c, i_warp_sync(1)));
	/* The refused call has changed nothing. */
	EXPECT_EQ(-ENOSPC, exec_one(&t.c, i_warp_sync(1)));
	EXPECT_EQ(0, exec_one(&t.c, i_arrive(A)));
	taker_close(&t);
	EXPECT_TRUE(nothing_is_charged(MAX_BYTES));
}

/* A copy that is refused because memory is short does not count as an instruction in flight. */
TEST_F(quota, refused_copies_do_not_count_as_in_flight)
{
	struct drm_vsm_buffer_create page = { .size = PAGE };
	uint32_t i, pages = 0, handles[MAX_BYTES / PAGE];
	struct hold none = { .file = -1 };
	struct taker t;
	int ret;

	ASSERT_EQ(0, taker_open(&t, &none));
	ASSERT_EQ(0, cluster_hold(&t.c, DRM_VSM_HOLD));
	while (pages < ITEMS(handles) && !vsm_ioctl(t.c.fd, DRM_IOCTL_VSM_BUFFER_CREATE, &page))
		handles[pages++] = page.handle;
	while (!(ret = take_copy(&t, 0)))
		;
	for (i = 0; i < CLIENT_INSNS && ret == -ENOSPC; i++)
		ret = take_copy(&t, 0);
	EXPECT_EQ(-ENOSPC, ret);
	for (i = 0; i < pages; i++)
		gem_close(t.c.fd, handles[i]);
	EXPECT_EQ(0, take_copy(&t, 0));
	taker_close(&t);
	EXPECT_TRUE(nothing_is_charged(MAX_BYTES));
}

/*
 * The copies need more memory than there is. The stream waits until the engine has executed some.
 */
TEST_F(quota, a_stream_waits_for_memory_while_copies_complete)
{
	enum { COUNT = 8192 };
	struct drm_vsm_insn *insns = calloc(COUNT, sizeof(*insns));
	uint32_t i, retired;
	struct hold none = { .file = -1 };
	struct taker t;

	ASSERT_EQ(0, taker_open(&t, &none));
	for (i = 0; i < COUNT; i++)
		insns[i] = multicast(&t);
	EXPECT_EQ(0, exec_stream(&t.c, 0, insns, COUNT, &retired));
	EXPECT_EQ(COUNT, retired);
	taker_close(&t);
	EXPECT_TRUE(nothing_is_charged(MAX_BYTES));
	free(insns);
}

TEST_HARNESS_MAIN
