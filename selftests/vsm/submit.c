// SPDX-License-Identifier: GPL-2.0-only
/* Which jobs SUBMIT refuses. A refused job must leave nothing behind. */
#include "fence.h"

#define A AT(0, 0)
#define PAGE 4096

FIXTURE(submit)
{
	struct cluster c;
	struct buffer b;
	uint32_t out;
};

FIXTURE_SETUP(submit)
{
	ASSERT_EQ(0, cluster_open_plain(&self->c, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, buffer_create(&self->b, self->c.fd, 2 * PAGE));
	ASSERT_EQ(0, exec_one(&self->c, i_init(A, 1000000)));
	self->out = syncobj_create(self->c.fd);
	ASSERT_NE(0, self->out);
}

FIXTURE_TEARDOWN(submit)
{
	/* No arrive of a refused job has counted. Only this last one does. */
	struct drm_vsm_insn last = i_sink(i_arrive(A));

	EXPECT_EQ(0, submit_sync(&self->c, &last, 1, 0, self->out));
	EXPECT_EQ(1, syncobj_status(self->c.fd, self->out));
	EXPECT_EQ(1000000 - 1, vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word(&self->c, A)));
	munmap(self->b.map, self->b.size);
	EXPECT_EQ(0, cluster_close(&self->c));
}

#define EXPECT_REFUSED(error, ...) do { \
	struct drm_vsm_insn insns[] = { i_sink(i_arrive(A)), i_sink(i_arrive(A)) }; \
	struct drm_vsm_submit args = submit_args(&self->c, insns, 2); \
	struct drm_vsm_sync sync = { .handle = self->out, .flags = DRM_VSM_SYNC_SIGNAL }; \
	args.syncs = (uintptr_t)&sync; \
	args.sync_count = 1; \
	args.sync_stride = sizeof(sync); \
	insn_poison(insns, 2); \
	__VA_ARGS__; \
	EXPECT_EQ(error, vsm_submit(self->c.fd, &args)); \
	EXPECT_TRUE(insn_untouched(&insns[0])); \
	EXPECT_TRUE(insn_untouched(&insns[1])); \
	/* EINVAL: the syncobj must still have no fence. */ \
	EXPECT_EQ(-EINVAL, syncobj_export(self->c.fd, self->out)); \
} while (0)

TEST_F(submit, malformed_arguments_are_refused)
{
	struct drm_vsm_device_info info = vsm_info(self->c.fd);

	EXPECT_REFUSED(-EINVAL, args.flags = 1);
	EXPECT_REFUSED(-EINVAL, args.count = 0);
	EXPECT_REFUSED(-EINVAL, args.stride = 56);
	EXPECT_REFUSED(-EINVAL, args.stride = 68);
	EXPECT_REFUSED(-EINVAL, args.insns += 4);
	EXPECT_REFUSED(-EINVAL, args.sync_stride = 8);
	EXPECT_REFUSED(-EINVAL, args.sync_stride = 20);
	EXPECT_REFUSED(-EINVAL, args.cta = 4);
	EXPECT_REFUSED(-EINVAL, args.thread = 64);
	EXPECT_REFUSED(-E2BIG, args.count = info.max_submit + 1);
	EXPECT_REFUSED(-E2BIG, args.count = 0xffffffff);
	EXPECT_REFUSED(-E2BIG, args.sync_count = info.max_syncs + 1);
	EXPECT_REFUSED(-E2BIG, args.sync_count = 0xffffffff);
	EXPECT_REFUSED(-ENOENT, args.channel = 1);
	EXPECT_REFUSED(-ENOENT, args.channel = 0xffffffff);
	EXPECT_REFUSED(-ENOENT, args.cluster = 0);
	EXPECT_REFUSED(-ENOENT, args.cluster = self->b.handle);
	EXPECT_REFUSED(-EFAULT, args.insns = 0);
	EXPECT_REFUSED(-EFAULT, args.insns = 0xffff888000000000);
	EXPECT_REFUSED(-EFAULT, args.syncs = 0);
	EXPECT_REFUSED(-EFAULT, args.syncs = 0xffff888000000000);
}

TEST_F(submit, malformed_fences_are_refused)
{
	EXPECT_REFUSED(-EINVAL, sync.flags = 0);
	EXPECT_REFUSED(-EINVAL, sync.flags = DRM_VSM_SYNC_WAIT | DRM_VSM_SYNC_SIGNAL);
	EXPECT_REFUSED(-EINVAL, sync.flags = 4);
	EXPECT_REFUSED(-ENOENT, sync.handle = 0);
	EXPECT_REFUSED(-ENOENT, sync.handle = 0xffff);
	EXPECT_REFUSED(-ENOENT, sync.handle = 0xffff, sync.flags = DRM_VSM_SYNC_WAIT);
	/* The syncobj has neither a fence nor a point. */
	EXPECT_REFUSED(-EINVAL, sync.flags = DRM_VSM_SYNC_WAIT);
	EXPECT_REFUSED(-EINVAL, sync.flags = DRM_VSM_SYNC_WAIT, sync.point = 1);
}

TEST_F(submit, malformed_instructions_are_refused)
{
	struct drm_vsm_insn g2s = i_g2s(AT(0, 0x100), A, 16, self->b.handle, 0);
	struct drm_vsm_insn s2g = i_s2g(AT(0, 0x100), 16, self->b.handle, 0);

	EXPECT_REFUSED(-EINVAL, insns[1].op = 0);
	EXPECT_REFUSED(-EINVAL, insns[1].op = 30);
	EXPECT_REFUSED(-EINVAL, insns[1].red = 1);
	EXPECT_REFUSED(-EINVAL, insns[1].u.mbarrier.reserved = 1);
	EXPECT_REFUSED(-EINVAL, insns[1].mods |= DRM_VSM_MOD_PARITY);
	EXPECT_REFUSED(-EINVAL, insns[1] = g2s, insns[1].u.copy.reserved = 1,
		       insn_poison(&insns[1], 1));
	EXPECT_REFUSED(-EINVAL, insns[1] = g2s, insns[1].u.copy.pad = 1,
		       insn_poison(&insns[1], 1));
	EXPECT_REFUSED(-EINVAL, insns[1] = g2s, insns[1].u.copy.src_size = 16,
		       insn_poison(&insns[1], 1));
	EXPECT_REFUSED(-EINVAL, insns[1] = i_src_size(g2s, 16), insn_poison(&insns[1], 1));
	EXPECT_REFUSED(-EINVAL, insns[1] = g2s, insns[1].mods = DRM_VSM_MOD_COUNT,
		       insn_poison(&insns[1], 1));
	EXPECT_REFUSED(-EINVAL, insns[1] = s2g, insns[1].u.copy.mbar = 8,
		       insn_poison(&insns[1], 1));
	EXPECT_REFUSED(-ENOENT, insns[1] = g2s, insns[1].u.copy.buffer = 0,
		       insn_poison(&insns[1], 1));
	EXPECT_REFUSED(-ENOENT, insns[1] = g2s, insns[1].u.copy.buffer = self->c.handle,
		       insn_poison(&insns[1], 1));
}

TEST_F(submit, what_suspends_or_answers_is_not_for_jobs)
{
	const struct drm_vsm_insn bad[] = {
		i_init(AT(0, 8), 1), i_inval(A), i_arrive(A), i_arrive_n(A, 1), i_drop(i_arrive(A)),
		i_arrive_expect_tx(A, 16), i_arrive_nocomplete(A, 1), i_test_parity(A, 0),
		i_try_parity(A, 1, 0), i_pending_count(0), i_fence(), i_cp_arrive(A),
		i_noinc(i_cp_arrive(A)), i_cp_async(AT(0, 0x100), 16, self->b.handle, 0),
		i_commit(), i_wait_group(0), i_wait_all(), i_bulk_commit(), i_bulk_wait(0),
		i_bulk_wait_read(1),
	};
	size_t i;

	for (i = 0; i < ITEMS(bad); i++)
		EXPECT_REFUSED(-EINVAL, insns[1] = bad[i], insn_poison(&insns[1], 1));
}

TEST_F(submit, misuse_that_can_be_seen_refuses_the_whole_job)
{
	const uint32_t data = AT(0, 0x100), buffer = self->b.handle;
	const struct {
		uint32_t fault;
		struct drm_vsm_insn insn;
	} bad[] = {
		{ DRM_VSM_FAULT_COPY_SIZE, i_g2s(data, A, 8, buffer, 0) },
		{ DRM_VSM_FAULT_COPY_SIZE, i_g2s(data, A, 17, buffer, 0) },
		{ DRM_VSM_FAULT_COPY_SIZE, i_s2g(data, 24, buffer, 0) },
		{ DRM_VSM_FAULT_MISALIGNED, i_g2s(data + 8, A, 16, buffer, 0) },
		{ DRM_VSM_FAULT_MISALIGNED, i_g2s(data, A, 16, buffer, 8) },
		{ DRM_VSM_FAULT_MISALIGNED, i_g2s(data, A + 4, 16, buffer, 0) },
		{ DRM_VSM_FAULT_MISALIGNED, i_s2g(data + 1, 16, buffer, 0) },
		{ DRM_VSM_FAULT_MISALIGNED, i_s2g(data, 16, buffer, 1ULL << 63 | 8) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_g2s(AT(0, 4096), A, 16, buffer, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_g2s(AT(0, 4080), A, 32, buffer, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_g2s(AT(4, 0), A, 16, buffer, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_g2s(data, AT(0, 4096), 16, buffer, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_s2g(data, 0xfffffff0, buffer, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_s2g(AT(0, 0xfffff0), 32, buffer, 0) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_g2s(data, A, 16, buffer, 2 * PAGE) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_g2s(data, A, 32, buffer, 2 * PAGE - 16) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_s2g(data, 16, buffer, 0xfffffffffffffff0) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_s2g(data, 16, buffer, 1ULL << 32) },
		{ DRM_VSM_FAULT_COPY_MBARRIER, i_g2s(AT(1, 0x100), A, 16, buffer, 0) },
		{ DRM_VSM_FAULT_COPY_MBARRIER, i_g2s(data, AT(1, 0), 16, buffer, 0) },
		{ DRM_VSM_FAULT_REMOTE_FORBIDDEN, i_s2g(AT(1, 0x100), 16, buffer, 0) },
		{ DRM_VSM_FAULT_REMOTE_FORBIDDEN, i_s2s(data, A, 16, AT(1, 0x100)) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_prefetch(16, buffer, 2 * PAGE) },
		{ DRM_VSM_FAULT_MISALIGNED, i_st_async(data + 4, A, 8, 0) },
		{ DRM_VSM_FAULT_MISALIGNED, i_expect_tx(A + 4, 16) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_complete_tx(AT(4, 0), 16) },
		{ DRM_VSM_FAULT_BAD_COUNT, i_sink(i_arrive_n(A, 0)) },
	};
	uint32_t i, at;

	for (i = 0; i < ITEMS(bad); i++) {
		for (at = 0; at < 3; at++) {
			struct drm_vsm_insn insns[] = {
				i_sink(i_arrive(A)), i_sink(i_arrive(A)), i_sink(i_arrive(A)),
			};
			struct drm_vsm_submit args = submit_args(&self->c, insns, 3);

			insns[at] = bad[i].insn;
			insn_poison(insns, 3);
			EXPECT_EQ(-EPROTO, vsm_submit(self->c.fd, &args)) TH_LOG("case %u", i);
			EXPECT_EQ(at, args.refused);
			EXPECT_EQ(bad[i].fault, insns[at].fault) TH_LOG("case %u", i);
			EXPECT_EQ(0, insns[at].result);
			EXPECT_EQ(0, insns[at].info);
			EXPECT_TRUE(insn_untouched(&insns[(at + 1) % 3]));
			EXPECT_TRUE(insn_untouched(&insns[(at + 2) % 3]));
		}
	}
}

TEST_F(submit, bad_order_is_named)
{
	struct drm_vsm_insn insns[] = { i_sink(i_arrive(A)), i_expect_tx(A, 16) };
	struct drm_vsm_submit args = submit_args(&self->c, insns, 2);

	insns[1].sem = DRM_VSM_SEM_RELEASE;
	insns[1].scope = DRM_VSM_SCOPE_CTA;
	EXPECT_EQ(-EPROTO, vsm_submit(self->c.fd, &args));
	EXPECT_EQ(1, args.refused);
	EXPECT_EQ(DRM_VSM_FAULT_BAD_ORDER, insns[1].fault);
	insns[1] = i_s2g(AT(0, 0x100), 16, self->b.handle, 0);
	insns[1].sem = DRM_VSM_SEM_RELAXED;
	EXPECT_EQ(-EPROTO, vsm_submit(self->c.fd, &args));
	EXPECT_EQ(DRM_VSM_FAULT_BAD_ORDER, insns[1].fault);
}

TEST_F(submit, sm_80_has_no_bulk_copies)
{
	struct drm_vsm_insn insns[] = {
		i_sink(i_arrive(AT(0, 8))), i_g2s(AT(0, 0x100), A, 16, self->b.handle, 0),
	};
	struct cluster c;
	struct drm_vsm_submit args;

	ASSERT_EQ(0, cluster_create(&c, self->c.fd, VSM_LAYOUT_SM_80, DRM_VSM_POLICY_STRICT));
	args = submit_args(&c, insns, 2);
	EXPECT_EQ(-EOPNOTSUPP, vsm_submit(c.fd, &args));
	EXPECT_EQ(1, args.refused);
	insns[1] = i_s2g(AT(0, 0x100), 16, self->b.handle, 0);
	EXPECT_EQ(-EOPNOTSUPP, vsm_submit(c.fd, &args));
	EXPECT_EQ(1, args.refused);
	EXPECT_EQ(0, cluster_destroy(&c));
}

TEST_F(submit, inaccessible_instructions_refuse_the_whole_job)
{
	unsigned char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	enum { PER_PAGE = PAGE / sizeof(struct drm_vsm_insn) };
	struct drm_vsm_insn *insns = (struct drm_vsm_insn *)pages;
	struct drm_vsm_submit args = submit_args(&self->c, insns, PER_PAGE + 1);
	int i;

	for (i = 0; i <= PER_PAGE; i++)
		insns[i] = i_sink(i_arrive(A));
	insns[PER_PAGE] = i_expect_tx(A + 4, 16);
	/* The driver cannot write the fault. The error is therefore EFAULT. */
	ASSERT_EQ(0, mprotect(pages + PAGE, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, vsm_submit(self->c.fd, &args));
	ASSERT_EQ(0, mprotect(pages + PAGE, PAGE, PROT_NONE));
	EXPECT_EQ(-EFAULT, vsm_submit(self->c.fd, &args));
}

TEST_F(submit, handles_are_those_of_the_file)
{
	struct drm_vsm_insn insn = i_s2g(AT(0, 0x100), 16, self->b.handle, 0);
	struct drm_vsm_submit args = submit_args(&self->c, &insn, 1);
	int other = vsm_open();
	struct cluster c;

	EXPECT_EQ(-ENOENT, vsm_submit(other, &args));
	ASSERT_EQ(0, cluster_create(&c, other, VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	args.cluster = c.handle;
	insn.u.copy.buffer = self->b.handle + 1;
	EXPECT_EQ(-ENOENT, vsm_submit(other, &args));
	EXPECT_EQ(0, cluster_destroy(&c));
	close(other);
}

TEST_F(submit, jobs_in_flight_are_limited_per_client)
{
	uint32_t i, limit = vsm_info(self->c.fd).client_jobs;
	uint32_t in, out = syncobj_create(self->c.fd);
	struct cluster other;
	struct drm_vsm_insn arrive = i_sink(i_arrive(AT(0, 8)));
	struct hold hold;

	if (hold_init(&hold) == -ENODEV)
		SKIP(return, "needs vgem");
	in = syncobj_import(self->c.fd, hold.file);
	ASSERT_EQ(0, exec_one(&self->c, i_init(AT(0, 8), 1000000)));
	for (i = 0; i < limit; i++)
		ASSERT_EQ(0, submit_sync(&self->c, &arrive, 1, i ? 0 : in, out));
	EXPECT_EQ(-ENOSPC, submit_sync(&self->c, &arrive, 1, 0, out));

	/* The limit of one client does not hinder another client. */
	ASSERT_EQ(0, cluster_create(&other, vsm_open(), VSM_LAYOUT_SM_90, DRM_VSM_POLICY_STRICT));
	ASSERT_EQ(0, exec_one(&other, i_init(AT(0, 8), 1000000)));
	EXPECT_EQ(0, submit_sync(&other, &arrive, 1, 0, 0));
	EXPECT_EQ(0, cluster_close(&other));

	ASSERT_EQ(0, hold_release(&hold));
	EXPECT_EQ(1, syncobj_status(self->c.fd, out));
	EXPECT_EQ(1000000 - limit, vsm_mbarrier_pending(VSM_LAYOUT_SM_90,
							word(&self->c, AT(0, 8))));
	/* The job counts against the limit until a moment after its fence has signalled. */
	while (submit_sync(&self->c, &arrive, 1, 0, out) == -ENOSPC)
		sched_yield();
	EXPECT_EQ(1, syncobj_status(self->c.fd, out));
}

TEST_HARNESS_MAIN
