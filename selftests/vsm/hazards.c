// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies that use bytes of other copies in flight: COPY_OVERLAP and COPY_INCOMPLETE. A thread
 * issues the first copy of a pair, which stays in flight while its cluster is held. A thread or a
 * job issues the second copy.
 */
#include "copies.h"

#define BASE	0x800	/* offset of the bytes that both copies use, in window 0 or the buffer */

FIXTURE(hazards) { struct copies s; };

/* If .job is set, a job issues the second copy of a pair, otherwise a thread does. */
FIXTURE_VARIANT(hazards) { bool job; };
FIXTURE_VARIANT_ADD(hazards, exec) { .job = false };
FIXTURE_VARIANT_ADD(hazards, job) { .job = true };

FIXTURE_SETUP(hazards)
{
	ASSERT_EQ(0, copies_init(&self->s, variant->job));
	ASSERT_EQ(0, cluster_hold(&self->s.c, DRM_VSM_HOLD));
}

FIXTURE_TEARDOWN(hazards)
{
	EXPECT_EQ(0, async_release(&self->s.c));
	EXPECT_EQ(0, poll_events(self->s.c.fd));
	EXPECT_EQ(0, exec_one(&self->s.c, i_inval(MBAR)));
	EXPECT_EQ(0, copies_fini(&self->s));
}

enum use { READ, WRITE, REDUCE };

/* A copy that uses bytes of a window or of a buffer */
struct user {
	enum use use;	/* how the copy uses the bytes */
	uint32_t size;	/* number of bytes */
	uint32_t align;	/* alignment of the bytes */
	/*
	 * Makes copy @n (0 or 1) of a pair, which uses the bytes at @at. Its other bytes do not
	 * overlap those of the other copy.
	 */
	struct drm_vsm_insn (*make)(const struct copies *s, uint32_t at, int n);
};

/* The fault of the second copy. First index: use by the first copy; second index: by the second. */
static const uint32_t faults[3][3] = {
	[READ] = { 0, DRM_VSM_FAULT_COPY_OVERLAP, DRM_VSM_FAULT_COPY_OVERLAP },
	[WRITE] = { DRM_VSM_FAULT_COPY_INCOMPLETE, DRM_VSM_FAULT_COPY_OVERLAP,
		    DRM_VSM_FAULT_COPY_OVERLAP },
	[REDUCE] = { DRM_VSM_FAULT_COPY_INCOMPLETE, DRM_VSM_FAULT_COPY_OVERLAP, 0 },
};

/* --- users of a window ---------------------------------------------------- */

static struct drm_vsm_insn read_s2g(const struct copies *s, uint32_t at, int n)
{
	return i_s2g(at, 64, s->b.handle, 256 * n);
}

static struct drm_vsm_insn read_s2s(const struct copies *s, uint32_t at, int n)
{
	return i_s2s(AT(1, DATA + 256 * n), AT(1, MBAR), 48, at);
}

static struct drm_vsm_insn read_reduce(const struct copies *s, uint32_t at, int n)
{
	return i_reduce(i_s2s(AT(1, DATA + 256 * n), AT(1, MBAR), 32, at), RED(ADD, U32));
}

static struct drm_vsm_tensor_map *box_map(const struct copies *s)
{
	static struct drm_vsm_tensor_map map __attribute__((aligned(64)));

	map = (struct drm_vsm_tensor_map){
		.type = DRM_VSM_TENSOR_UINT8, .rank = 1, .mode = DRM_VSM_TENSOR_TILED,
		.buffer = s->b.handle, .offset = 0x2000, .size = { 4096 }, .box = { 128 },
		.element_stride = { 1 },
	};
	return &map;
}

static struct drm_vsm_insn read_tensor(const struct copies *s, uint32_t at, int n)
{
	return i_tensor(TENSOR_S2G, box_map(s), .addr = at, .coords = { 256 * n });
}

static struct drm_vsm_insn write_g2s(const struct copies *s, uint32_t at, int n)
{
	return i_g2s(at, MBAR, 64, s->b.handle, 256 * n);
}

static struct drm_vsm_insn write_multicast(const struct copies *s, uint32_t at, int n)
{
	return i_multicast(i_g2s(AT(2, at), AT(2, MBAR), 32, s->b.handle, 256 * n), 1 | 4 << n);
}

static struct drm_vsm_insn write_s2s(const struct copies *s, uint32_t at, int n)
{
	return i_s2s(at, MBAR, 64, DATA + 256 * n);
}

static struct drm_vsm_insn write_store(const struct copies *s, uint32_t at, int n)
{
	return i_st_async(at, MBAR, 4, n);
}

static struct drm_vsm_insn write_tensor(const struct copies *s, uint32_t at, int n)
{
	return i_tensor(TENSOR_G2S, box_map(s), .addr = at, .mbar = MBAR, .coords = { 256 * n });
}

static struct drm_vsm_insn write_cp_async(const struct copies *s, uint32_t at, int n)
{
	return i_src_size(i_cp_async(at, 8, s->b.handle, 256 * n), 0);
}

static struct drm_vsm_insn reduce_s2s(const struct copies *s, uint32_t at, int n)
{
	return i_reduce(i_s2s(at, MBAR, 32, DATA + 256 * n), RED(OR, B32));
}

static struct drm_vsm_insn reduce_red(const struct copies *s, uint32_t at, int n)
{
	return i_red_async(RED(ADD, U64), at, MBAR, 8, n);
}

static const struct user window_users[] = {
	{ READ, 64, 16, read_s2g },
	{ READ, 48, 16, read_s2s },
	{ READ, 32, 16, read_reduce },
	{ READ, 128, 128, read_tensor },
	{ WRITE, 64, 16, write_g2s },
	{ WRITE, 32, 16, write_multicast },
	{ WRITE, 64, 16, write_s2s },
	{ WRITE, 4, 4, write_store },
	{ WRITE, 128, 128, write_tensor },
	{ WRITE, 8, 8, write_cp_async },
	{ REDUCE, 32, 16, reduce_s2s },
	{ REDUCE, 8, 8, reduce_red },
};

/* --- users of a buffer ---------------------------------------------------- */

static struct drm_vsm_insn global_g2s(const struct copies *s, uint32_t at, int n)
{
	return i_g2s(DATA + 256 * n, MBAR, 64, s->b.handle, at);
}

static struct drm_vsm_insn global_cp_async(const struct copies *s, uint32_t at, int n)
{
	return i_src_size(i_cp_async(DATA + 256 * n, 16, s->b.handle, at), 5);
}

static struct drm_vsm_insn global_prefetch(const struct copies *s, uint32_t at, int n)
{
	return i_prefetch(48, s->b.handle, at);
}

static struct drm_vsm_insn global_s2g(const struct copies *s, uint32_t at, int n)
{
	return i_s2g(DATA + 256 * n, 64, s->b.handle, at);
}

static struct drm_vsm_insn global_masked(const struct copies *s, uint32_t at, int n)
{
	return i_cp_mask(i_s2g(DATA + 256 * n, 32, s->b.handle, at), 0x8001);
}

static struct drm_vsm_insn global_reduce(const struct copies *s, uint32_t at, int n)
{
	return i_reduce(i_s2g(DATA + 256 * n, 32, s->b.handle, at), RED(XOR, B64));
}

static const struct user buffer_users[] = {
	{ READ, 64, 16, global_g2s },
	{ READ, 5, 16, global_cp_async },
	{ WRITE, 64, 16, global_s2g },
	{ REDUCE, 32, 16, global_reduce },
};

/* --- pairs of copies ------------------------------------------------------ */

static bool needs_exec(const struct drm_vsm_insn *insn)
{
	return insn->op == DRM_VSM_OP_CP_ASYNC;
}

/* Issues the second copy of a pair. Returns its fault, or 0 if it was not refused. */
static int second(const struct copies *s, struct drm_vsm_insn insn)
{
	struct copies by = *s;
	struct drm_vsm_insn reported;
	int ret;

	if (needs_exec(&insn))
		by.job = false;
	ret = copy_fault(&by, 0, insn, &reported);
	if (ret > 0 && reported.info)
		return -EBADMSG;
	return ret == -EISCONN ? 0 : ret;
}

#define DOWN(x, align)	((x) / (align) * (align))
#define UP(x, align)	DOWN((x) + (align) - 1, align)

/*
 * Issues @a and then @b at one of six places. At the last two, @b does not overlap @a. Returns the
 * fault of @b.
 */
static int issue_pair(const struct copies *s, const struct user *a, const struct user *b, int place)
{
	const uint32_t places[] = {
		BASE, UP(BASE - b->size + 1, b->align), DOWN(BASE + a->size - 1, b->align),
		DOWN(BASE + a->size / 2, b->align), DOWN(BASE - b->size, b->align),
		UP(BASE + a->size, b->align),
	};
	struct drm_vsm_insn insn = b->make(s, places[place], 1);
	int fault, ret = cluster_hold(&s->c, DRM_VSM_HOLD);

	if (!ret)
		ret = exec_one(&s->c, a->make(s, BASE, 0));
	if (ret)
		return ret;
	fault = second(s, insn);
	ret = async_release(&s->c);
	/* The same copy is accepted once @a has completed. */
	if (!ret && second(s, insn))
		ret = -EBADE;
	return ret ? ret : async_finish(&s->c) ? -EBADF : fault;
}

/* No thread expects the copies' bytes. The tx-count can hold them: they are fewer than 2^20. */
static void issue_all_pairs(struct __test_metadata *_metadata, const struct copies *s,
			    const struct user *users, size_t count)
{
	size_t i, j;
	int place;

	for (i = 0; i < count; i++) {
		for (j = 0; j < count; j++) {
			uint32_t fault = faults[users[i].use][users[j].use];

			for (place = 0; place < 6; place++)
				EXPECT_EQ(place < 4 ? fault : 0,
					  issue_pair(s, &users[i], &users[j], place))
					TH_LOG("%zu and %zu, %d", i, j, place);
		}
	}
}

TEST_F(hazards, in_a_window)
{
	issue_all_pairs(_metadata, &self->s, window_users, ITEMS(window_users));
}

TEST_F(hazards, in_a_buffer)
{
	issue_all_pairs(_metadata, &self->s, buffer_users, ITEMS(buffer_users));
}

/*
 * In a buffer, other copies may write the bytes that a byteMask leaves out. A prefetch never
 * conflicts, because no thread gets its bytes.
 */
TEST_F(hazards, of_masked_copies_tensors_and_prefetches_there_are_none)
{
	const struct copies *s = &self->s;

	ASSERT_EQ(0, cluster_hold(&s->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&s->c, global_masked(s, BASE, 0)));
	EXPECT_EQ(0, second(s, global_s2g(s, BASE, 1)));
	EXPECT_EQ(0, second(s, global_prefetch(s, BASE, 2)));
	EXPECT_EQ(0, second(s, global_masked(s, BASE, 3)));
	/* A tensor copy causes no fault because its box is not a range of bytes. */
	ASSERT_EQ(0, exec_one(&s->c, global_s2g(s, 0x2000, 0)));
	EXPECT_EQ(0, second(s, read_tensor(s, 0xc00, 0)));
	EXPECT_EQ(0, second(s, write_tensor(s, 0xd00, 0)));
	ASSERT_EQ(0, async_release(&s->c));
	EXPECT_EQ(0, async_finish(&s->c));
}

TEST_F(hazards, hardware_does_not_look)
{
	struct copies free = self->s;
	size_t i, j;

	ASSERT_EQ(0, cluster_create(&free.c, free.c.fd, VSM_LAYOUT_SM_90,
				    DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, exec_one(&free.c, i_init(END, 1)));
	for (i = 0; i < CTAS; i++)
		ASSERT_EQ(0, exec_at(&free.c, i, i_init(AT(i, MBAR), 1), NULL));
	for (i = 0; i < ITEMS(window_users); i++)
		for (j = 0; j < ITEMS(window_users); j++)
			EXPECT_EQ(0, issue_pair(&free, &window_users[i], &window_users[j], 0));
	for (i = 0; i < ITEMS(buffer_users); i++)
		for (j = 0; j < ITEMS(buffer_users); j++)
			EXPECT_EQ(0, issue_pair(&free, &buffer_users[i], &buffer_users[j], 0));
	EXPECT_EQ(0, second(&free, i_s2s(DATA + 16, MBAR, 32, DATA)));
	EXPECT_EQ(0, async_finish(&free.c));
	EXPECT_EQ(0, cluster_destroy(&free.c));
}

/* --- buffers of several clients ------------------------------------------- */

/* The driver also compares copies of different clusters and clients if they use one buffer. */
TEST_F(hazards, of_another_cluster_and_another_client)
{
	const struct copies *s = &self->s;
	const struct drm_vsm_insn write = i_s2g(DATA, 64, s->b.handle, BASE);
	struct copies near = *s, far = *s;
	int dmabuf;

	ASSERT_EQ(0, cluster_create(&near.c, s->c.fd, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&near.c, i_init(END, 1)));
	ASSERT_EQ(0, cluster_create(&far.c, vsm_open(), VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&far.c, i_init(END, 1)));
	ASSERT_EQ(0, drmPrimeHandleToFD(s->b.fd, s->b.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	ASSERT_EQ(0, drmPrimeFDToHandle(far.c.fd, dmabuf, &far.b.handle));

	ASSERT_EQ(0, exec_one(&s->c, write));
	EXPECT_EQ(DRM_VSM_FAULT_COPY_OVERLAP, second(&near, write));
	EXPECT_EQ(DRM_VSM_FAULT_COPY_OVERLAP, second(&far, i_s2g(DATA, 16, far.b.handle, BASE)));
	EXPECT_EQ(DRM_VSM_FAULT_COPY_INCOMPLETE,
		  second(&far, i_g2s(DATA, END, 16, far.b.handle, BASE + 48)));
	EXPECT_EQ(0, second(&near, i_s2g(DATA, 64, s->b.handle, BASE + 64)));
	EXPECT_EQ(0, second(&far, i_s2g(DATA, 64, far.b.handle, BASE - 64)));
	ASSERT_EQ(0, async_release(&s->c));
	EXPECT_EQ(0, second(&near, write));
	EXPECT_EQ(0, async_finish(&near.c));
	EXPECT_EQ(0, second(&far, i_s2g(DATA, 16, far.b.handle, BASE)));
	EXPECT_EQ(0, async_finish(&far.c));

	close(dmabuf);
	EXPECT_EQ(0, cluster_destroy(&near.c));
	EXPECT_EQ(0, cluster_close(&far.c));
}

TEST_F(hazards, of_a_client_that_has_closed_are_gone)
{
	const struct copies *s = &self->s;
	const struct drm_vsm_insn insns[] = {
		i_g2s(AT(1, DATA), AT(1, MBAR), 64, s->b.handle, 0),
		i_st_async(AT(1, BASE), AT(1, MBAR), 16, 0),
	};
	struct cluster other;
	struct drm_vsm_insn insn;
	struct buffer b;

	ASSERT_EQ(0, cluster_share(&other, vsm_open(), &s->c));
	ASSERT_EQ(0, buffer_create(&b, other.fd, 4096));
	insn = insns[0];
	insn.u.copy.buffer = b.handle;
	ASSERT_EQ(0, exec_one(&other, insn));
	ASSERT_EQ(0, exec_one(&other, insns[1]));
	EXPECT_EQ(DRM_VSM_FAULT_COPY_OVERLAP, second(s, insns[0]));
	EXPECT_EQ(DRM_VSM_FAULT_COPY_OVERLAP, second(s, insns[1]));
	/* Closing the client drops its copies. The cluster stays because it has another handle. */
	munmap(b.map, b.size);
	munmap(other.map, other.size);
	close(other.fd);
	EXPECT_EQ(0, second(s, insns[0]));
	EXPECT_EQ(0, second(s, insns[1]));
}

TEST_F(hazards, of_a_copy_that_was_refused_are_none)
{
	const struct copies *s = &self->s;

	ASSERT_EQ(0, exec_one(&s->c, i_st_async(BASE, MBAR, 16, 0)));
	/* A refused copy uses neither its source nor its other destinations. */
	EXPECT_EQ(DRM_VSM_FAULT_COPY_OVERLAP, second(s, i_s2s(BASE, MBAR, 16, DATA)));
	EXPECT_EQ(0, second(s, i_st_async(DATA, MBAR, 16, 0)));
	EXPECT_EQ(DRM_VSM_FAULT_COPY_INCOMPLETE, second(s, i_s2g(BASE, 16, s->b.handle, BASE)));
	EXPECT_EQ(0, second(s, i_s2g(0xc00, 16, s->b.handle, BASE)));
	EXPECT_EQ(DRM_VSM_FAULT_COPY_OVERLAP,
		  second(s, i_multicast(i_g2s(BASE, MBAR, 16, s->b.handle, 0), 0x3)));
	EXPECT_EQ(DRM_VSM_FAULT_COPY_OVERLAP,
		  second(s, i_multicast(i_g2s(AT(1, BASE), AT(1, MBAR), 16, s->b.handle, 0), 0xf)));
	EXPECT_EQ(0, second(s, i_st_async(AT(1, BASE), AT(1, MBAR), 16, 0)));
	EXPECT_EQ(0, second(s, i_s2g(0xc10, 16, s->b.handle, 0)));
}

/* --- concurrent reductions ------------------------------------------------ */

TEST_F(hazards, concurrent_reductions_lose_nothing)
{
	enum { EACH = 100 };
	const struct copies *s = &self->s;
	const struct drm_vsm_insn reductions[] = {
		i_red_async(RED(ADD, U32), AT(1, BASE), AT(1, MBAR), 4, 1),
		i_reduce(i_s2s(AT(1, BASE), AT(1, MBAR), 16, DATA), RED(ADD, U32)),
		i_reduce(i_s2g(DATA, 16, s->b.handle, BASE), RED(ADD, U32)),
	};
	uint32_t *source = cluster_mem(&s->c, DATA), *shared = cluster_mem(&s->c, AT(1, BASE));
	uint32_t *global = (uint32_t *)(s->b.map + BASE), i, j;

	for (i = 0; i < 4; i++) {
		source[i] = i + 1;
		shared[i] = 0;
		global[i] = 0;
	}
	for (i = 0; i < EACH; i++) {
		for (j = 0; j < ITEMS(reductions); j++) {
			ASSERT_EQ(0, exec_one(&s->c, reductions[j]));
			ASSERT_EQ(0, second(s, reductions[j]));
		}
	}
	ASSERT_EQ(0, async_release(&s->c));
	EXPECT_EQ(4 * EACH, shared[0]);
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(i ? 2 * EACH * (i + 1) : 4 * EACH, shared[i]);
		EXPECT_EQ(2 * EACH * (i + 1), global[i]);
	}
}

/* --- many copies ---------------------------------------------------------- */

/*
 * More copies are in flight than the driver compares. The faults must still be right, and all
 * copies must complete.
 */
TEST_F(hazards, of_thousands)
{
	enum { COUNT = 3000 };
	const struct copies *s = &self->s;
	uint32_t *sum = cluster_mem(&s->c, BASE), i;
	static struct drm_vsm_insn insns[COUNT];

	*sum = 0;
	for (i = 0; i < COUNT; i++)
		insns[i] = i_red_async(RED(ADD, U32), BASE, MBAR, 4, 1);
	ASSERT_EQ(0, exec_stream(&s->c, 0, insns, COUNT, NULL));
	EXPECT_EQ(DRM_VSM_FAULT_COPY_OVERLAP, second(s, i_st_async(BASE, MBAR, 4, 0)));
	EXPECT_EQ(DRM_VSM_FAULT_COPY_INCOMPLETE, second(s, i_s2g(BASE, 16, s->b.handle, 0)));
	EXPECT_EQ(0, second(s, i_st_async(BASE + 4, MBAR, 4, 0)));
	ASSERT_EQ(0, async_release(&s->c));
	EXPECT_EQ(COUNT, *sum);
	EXPECT_EQ(0, second(s, i_s2g(BASE, 16, s->b.handle, 0)));
	EXPECT_EQ(0, async_finish(&s->c));
	EXPECT_EQ(0, second(s, i_st_async(BASE, MBAR, 4, 0)));
}

TEST_HARNESS_MAIN
