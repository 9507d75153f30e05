// SPDX-License-Identifier: GPL-2.0-only
/*
 * WRITE_OVER_LIVE: copies that would write over an object. The driver refuses them when they are
 * issued, or drops them when they execute if the object has begun in between. Copies next to an
 * object are accepted.
 */
#include "async.h"
#include "fence.h"

#define A AT(0, 0x80)
#define DATA 0x400
#define PAGE 4096

FIXTURE(overwrite)
{
	struct cluster c;
	struct buffer b;
	uint32_t layout;
	bool sm_80;
};

FIXTURE_VARIANT(overwrite) { uint32_t layout; };
FIXTURE_VARIANT_ADD(overwrite, sm_90) { .layout = VSM_LAYOUT_SM_90 };
FIXTURE_VARIANT_ADD(overwrite, sm_80) { .layout = VSM_LAYOUT_SM_80 };

FIXTURE_SETUP(overwrite)
{
	int fd = vsm_open();

	self->layout = variant->layout;
	self->sm_80 = variant->layout == VSM_LAYOUT_SM_80;
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cluster_create(&self->c, fd, self->layout, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, fd, PAGE));
	memset(self->b.map, 0x3c, PAGE);
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(END, 1)));
}

FIXTURE_TEARDOWN(overwrite)
{
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_close(&self->c));
}

/*
 * If @overlap, the copies write over the eight bytes at 0x410; otherwise they write next to them.
 */
static uint32_t writes(struct drm_vsm_insn *out, uint32_t buffer, bool overlap)
{
	const struct drm_vsm_insn over[] = {
		i_cp_async(0x410, 4, buffer, 0), i_cp_async(0x414, 4, buffer, 0),
		i_cp_async(0x410, 8, buffer, 0), i_cp_async(0x410, 16, buffer, 0),
		i_src_size(i_cp_async(0x410, 16, buffer, 0), 0),
	};
	const struct drm_vsm_insn beside[] = {
		i_cp_async(0x40c, 4, buffer, 0), i_cp_async(0x418, 4, buffer, 0),
		i_cp_async(0x408, 8, buffer, 0), i_cp_async(0x418, 8, buffer, 0),
		i_cp_async(0x400, 16, buffer, 0), i_cp_async(0x420, 16, buffer, 0),
	};

	memcpy(out, overlap ? over : beside, overlap ? sizeof(over) : sizeof(beside));
	return overlap ? ITEMS(over) : ITEMS(beside);
}

/*
 * Like exec_fault(), for a copy over the object at 0x410. The object may lie in any part of the
 * copy.
 */
static int write_fault(const struct cluster *c, struct drm_vsm_insn insn)
{
	unsigned char before[64];
	uint64_t old = word(c, 0x410);
	int ret;

	memcpy(before, cluster_mem(c, DATA), sizeof(before));
	ret = exec_stream(c, 0, &insn, 1, NULL);
	if (ret != -EPROTO)
		return ret ? ret : -EISCONN;
	if (insn.result != old || insn.info != 0x410 ||
	    memcmp(before, cluster_mem(c, DATA), sizeof(before)))
		return -EBADMSG;
	return insn.fault;
}

TEST_F(overwrite, a_copy_over_an_object_is_refused_as_it_is_issued)
{
	struct drm_vsm_insn insns[6];
	uint32_t i, n;

	ASSERT_EQ(0, exec_one(&self->c, i_init(0x410, 5)));
	n = writes(insns, self->b.handle, true);
	for (i = 0; i < n; i++)
		EXPECT_EQ(DRM_VSM_FAULT_WRITE_OVER_LIVE, write_fault(&self->c, insns[i]))
			TH_LOG("%u", i);
	/* The copy has sixteen bytes, and the object is in the second half. */
	ASSERT_EQ(0, exec_one(&self->c, i_init(0x438, 1)));
	insns[0] = i_cp_async(0x430, 16, self->b.handle, 0);
	EXPECT_EQ(-EPROTO, exec_stream(&self->c, 0, insns, 1, NULL));
	EXPECT_EQ(0x438, insns[0].info);
	EXPECT_EQ(word(&self->c, 0x438), insns[0].result);
	fault_drain(self->c.fd);

	n = writes(insns, self->b.handle, false);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(0, exec_one(&self->c, insns[i]));
		ASSERT_EQ(0, async_finish(&self->c));
	}
	EXPECT_EQ(word_of(self->layout, 5, 0, 5, 0), word(&self->c, 0x410));
	/* After the inval, the bytes at 0x410 are plain memory again. */
	ASSERT_EQ(0, exec_one(&self->c, i_inval(0x410)));
	n = writes(insns, self->b.handle, true);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(0, exec_one(&self->c, insns[i]));
		ASSERT_EQ(0, async_finish(&self->c));
	}
	EXPECT_EQ(0, poll_events(self->c.fd));
}

TEST_F(overwrite, a_copy_over_an_object_that_began_meanwhile_does_not_happen)
{
	struct drm_vsm_insn insns[6], insn;
	uint32_t i, n = writes(insns, self->b.handle, true);

	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_one(&self->c, insns[i]));
		ASSERT_EQ(0, exec_one(&self->c, i_init(0x410, 5)));
		ASSERT_EQ(0, exec_one(&self->c, i_arrive(0x410)));
		ASSERT_EQ(0, async_release(&self->c));
		EXPECT_EQ(DRM_VSM_FAULT_WRITE_OVER_LIVE, async_fault(&self->c, &insn));
		EXPECT_EQ(0x410, insn.info);
		EXPECT_EQ(word_of(self->layout, 4, 0, 5, 0), insn.result);
		EXPECT_EQ(word_of(self->layout, 4, 0, 5, 0), word(&self->c, 0x410));
		EXPECT_EQ(0, word(&self->c, 0x418));
		ASSERT_EQ(0, exec_one(&self->c, i_inval(0x410)));
	}
	/* Later copies still happen when an earlier one is refused. */
	ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
	ASSERT_EQ(0, exec_one(&self->c, insns[0]));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_async(DATA, 8, self->b.handle, 0)));
	ASSERT_EQ(0, exec_one(&self->c, i_cp_arrive(A)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(0x410, 5)));
	ASSERT_EQ(0, async_release(&self->c));
	EXPECT_EQ(0x3c3c3c3c3c3c3c3c, word(&self->c, DATA));
	EXPECT_EQ(word_of(self->layout, 1, 0, 1, 0), word(&self->c, A));
}

TEST_F(overwrite, a_thread_s_bulk_copy_is_refused_as_it_is_issued_or_does_not_happen)
{
	const struct drm_vsm_insn copies[] = {
		i_g2s(0x410, A, 16, self->b.handle, 0), i_g2s(0x400, A, 32, self->b.handle, 0),
		i_s2s(0x400, A, 32, 0x800), i_st_async(0x410, A, 8, 0x3c),
	};
	struct drm_vsm_insn insn;
	size_t i;

	if (self->sm_80)
		SKIP(return, "sm_80 has no bulk copies");
	ASSERT_EQ(0, exec_one(&self->c, i_fence()));
	for (i = 0; i < ITEMS(copies); i++) {
		ASSERT_EQ(0, exec_one(&self->c, i_init(0x410, 5)));
		ASSERT_EQ(0, exec_one(&self->c, i_fence()));
		EXPECT_EQ(DRM_VSM_FAULT_WRITE_OVER_LIVE, write_fault(&self->c, copies[i]));
		ASSERT_EQ(0, exec_one(&self->c, i_inval(0x410)));
		fault_drain(self->c.fd);

		ASSERT_EQ(0, cluster_hold(&self->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_one(&self->c, copies[i]));
		ASSERT_EQ(0, exec_one(&self->c, i_init(0x410, 5)));
		ASSERT_EQ(0, async_release(&self->c));
		EXPECT_EQ(DRM_VSM_FAULT_WRITE_OVER_LIVE, async_fault(&self->c, &insn));
		EXPECT_EQ(0x410, insn.info);
		EXPECT_EQ(word_of(self->layout, 5, 0, 5, 0), word(&self->c, 0x410));
		EXPECT_EQ(0, word(&self->c, 0x400));
		ASSERT_EQ(0, exec_one(&self->c, i_inval(0x410)));
	}
	/* The copies are no longer pending on the mbarrier, and have not changed it. */
	EXPECT_EQ(word_of(self->layout, 1, 0, 1, 0), word(&self->c, A));
	EXPECT_EQ(0, exec_one(&self->c, i_inval(A)));
}

TEST_F(overwrite, a_bulk_copy_over_an_object_fails_its_job)
{
	uint64_t before;
	int rank;

	if (self->sm_80)
		SKIP(return, "sm_80 has no bulk copies");
	ASSERT_EQ(0, exec_one(&self->c, i_expect_tx(A, 256)));
	ASSERT_EQ(0, exec_one(&self->c, i_init(0x410, 5)));
	before = word(&self->c, A);
	EXPECT_EQ(-EIO, job_status(&self->c, 0, i_g2s(0x400, A, 32, self->b.handle, 0)));
	EXPECT_EQ(-EIO, job_status(&self->c, 0, i_g2s(0x410, A, 16, self->b.handle, 0)));
	EXPECT_EQ(-EIO, job_status(&self->c, 0, i_g2s(0x300, A, 1024, self->b.handle, 0)));
	/* The copy would write over the mbarrier on which it has to complete. */
	EXPECT_EQ(-EIO, job_status(&self->c, 0, i_g2s(A, A, 16, self->b.handle, 0)));
	EXPECT_EQ(before, word(&self->c, A));
	EXPECT_EQ(0, word(&self->c, 0x400));
	EXPECT_EQ(word_of(self->layout, 5, 0, 5, 0), word(&self->c, 0x410));
	/* Copies next to the object complete. A store that would read the object fails too. */
	EXPECT_EQ(1, job_status(&self->c, 0, i_g2s(0x400, A, 16, self->b.handle, 0)));
	EXPECT_EQ(1, job_status(&self->c, 0, i_g2s(0x420, A, 240, self->b.handle, 0)));
	EXPECT_EQ(1, job_status(&self->c, 0, i_s2g(0x300, 256, self->b.handle, 0)));
	EXPECT_EQ(-EIO, job_status(&self->c, 0, i_s2g(0x300, 1024, self->b.handle, 0)));
	EXPECT_EQ(word_of(self->layout, 1, 0, 1, 0), word(&self->c, A));

	/* The driver checks the objects of every window. */
	for (rank = 0; rank < 4; rank++) {
		if (rank)
			ASSERT_EQ(0, exec_at(&self->c, rank, i_init(AT(rank, A), 1), NULL));
		ASSERT_EQ(0, exec_at(&self->c, rank, i_init(AT(rank, 0xff0), 1), NULL));
		ASSERT_EQ(0, exec_at(&self->c, rank, i_fence(), NULL));
		EXPECT_EQ(-EIO, job_status(&self->c, 0, i_g2s(AT(rank, 0xfe0), AT(rank, A), 32,
							      self->b.handle, 0)));
	}
}

TEST_F(overwrite, hardware_writes_over_anything)
{
	struct cluster c;

	ASSERT_EQ(0, cluster_create(&c, self->c.fd, self->layout, DRM_VSM_POLICY_HARDWARE));
	ASSERT_EQ(0, exec_one(&c, i_init(DATA, 5)));
	ASSERT_EQ(0, exec_one(&c, i_init(END, 1)));
	EXPECT_EQ(0, exec_one(&c, i_cp_async(DATA, 8, self->b.handle, 0)));
	ASSERT_EQ(0, async_release(&c));
	EXPECT_EQ(0x3c3c3c3c3c3c3c3c, word(&c, DATA));
	EXPECT_EQ(0, poll_events(c.fd));
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_HARNESS_MAIN
