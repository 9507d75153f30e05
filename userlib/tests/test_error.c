// SPDX-License-Identifier: MIT
/* Tests vsm_thread_strerror(): the last error of a thread in words. */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	mock_teardown_cluster
#include "mock.h"

#define CALL_IS_WRONG "a count, an address, a fence or a reduction of the call is wrong"
#define WRONG_RED \
	"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [0x0], 0x1, [0x8]: it does not take this reduction, mode or type"

static struct vsm_thread t;

static int setup(void **state)
{
	if (mock_setup_cluster(state))
		return -1;
	t = vsm_thread_at(cluster, 1, 0);
	return 0;
}

static void assert_says(const char *expected)
{
	char text[256];
	int length = vsm_thread_strerror(&t, text, sizeof(text));

	assert_string_equal(text, expected);
	assert_int_equal(length, strlen(expected));
}

/* If the device refuses @insn with @err, vsm_thread_strerror() returns @expected. */
static void assert_answer(int err, struct drm_vsm_insn insn, const char *expected)
{
	mock.fail_request = DRM_IOCTL_VSM_EXEC;
	mock.fail_errno = err;
	assert_int_equal(vsm_execute(&t, insn, NULL), -err);
	assert_says(expected);
}

TEST(test_nothing)
{
	assert_says("no call has failed");
	assert_int_equal(vsm_execute(&t, vsm_prep_fence(VSM_SC | VSM_CTA), NULL), 0);
	assert_says("no call has failed");
}

TEST(test_misuse)
{
	const char *expected =
		"init of 1 on the mbarrier at CTA 0 + 0x44: the address must be a multiple of 8";
	char text[20];

	mock.fault = DRM_VSM_FAULT_MISALIGNED;
	assert_int_equal(vsm_execute(&t, vsm_prep_mbarrier_init(0x44, 1, 0), NULL), -EPROTO);
	assert_says(expected);
	/* A short text is cut. */
	assert_int_equal(vsm_thread_strerror(&t, text, sizeof(text)),
			 vsm_thread_strerror(&t, NULL, 0));
	assert_string_equal(text, "init of 1 on the mb");
}

/* The caller has not made the thread with vsm_thread_at(). */
TEST(test_no_thread)
{
	memset(&t, 0, sizeof(t));
	assert_says("the thread is not from vsm_thread_at() or vsm_warp_at()");
	t.cluster = cluster;
	assert_int_equal(vsm_execute(&t, vsm_prep_exit(), NULL), -EINVAL);
	assert_says("the thread is not from vsm_thread_at() or vsm_warp_at()");
	t = vsm_thread_at(NULL, 0, 0);
	assert_says("no call has failed");
}

/* EOPNOTSUPP is about the layout, or about the memory of a buffer. */
TEST(test_unsupported)
{
	assert_answer(EOPNOTSUPP, vsm_prep_cp_async_bulk_g2s(0, 1, 0, 16, 8),
		      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [0x0], [buffer 1 + 0x0], 16, [0x8]: the device cannot map the imported buffer, or its memory is not coherent");
	assert_answer(EOPNOTSUPP, vsm_prep_mbarrier_inval(8, 0),
		      "mbarrier.inval.b64 [0x8]: the device does not support this");
}

TEST(test_layout)
{
	struct vsm_cluster_config config = {
		.ctas = 1,
		.threads = 32,
		.smem_bytes = 1024,
		.layout = VSM_LAYOUT_SM_80,
	};
	struct vsm_cluster *older;

	assert_int_equal(vsm_cluster_create(device, &config, &older), 0);
	t.cluster = older;
	t.cta = 0;
	assert_answer(EOPNOTSUPP, vsm_prep_mbarrier_try_wait_parity(8, 0, 0),
		      "mbarrier.try_wait.parity.b64 [0x8], 0: this needs sm_90, and the layout of the cluster is sm_80");
	assert_answer(EOPNOTSUPP, vsm_prep_cp_async_bulk_prefetch(1, 0, 16),
		      "cp.async.bulk.prefetch.L2.global [buffer 1 + 0x0], 16: this needs sm_90, and the layout of the cluster is sm_80");
	assert_answer(EOPNOTSUPP, vsm_prep_cp_async(0, 1, 0, 16, 0),
		      "cp.async.ca.shared.global [0x0], [buffer 1 + 0x0], 16: the device cannot map the imported buffer, or its memory is not coherent");
	assert_answer(EOPNOTSUPP, vsm_prep_cp_async(0, 1, 0, 16, VSM_SHARED_CLUSTER),
		      "cp.async.ca.shared::cluster.global [0x0], [buffer 1 + 0x0], 16: this needs sm_90, and the layout of the cluster is sm_80");
	vsm_cluster_destroy(older);
}

static struct drm_vsm_insn with_mods(struct drm_vsm_insn insn, uint16_t mods)
{
	insn.mods |= mods;
	return insn;
}

TEST(test_forms)
{
	struct drm_vsm_insn unknown = { .op = 77 };

	assert_answer(EINVAL, unknown, "op 77: there is no such operation");
	unknown.op = 12345;
	assert_answer(EINVAL, unknown, "op 12345: there is no such operation");
	assert_answer(EINVAL, with_mods(vsm_prep_mbarrier_inval(8, 0), DRM_VSM_MOD_PARITY),
		      "mbarrier.inval.mods(0x10).b64 [0x8]: the operation does not exist with these modifiers");
	assert_answer(EINVAL, vsm_prep_barrier_sync(0, VSM_SINK),
		      "barrier.cta.sync.mods(0x8) 0: the operation does not exist with these modifiers");
}

TEST(test_qualifiers)
{
	assert_answer(EINVAL, vsm_prep_mbarrier_arrive(8, VSM_RELAXED | VSM_ACQUIRE),
		      "mbarrier.arrive.sem(255).b64 [0x8]: there is no such .sem, or there are two");
	assert_answer(EINVAL, vsm_prep_mbarrier_arrive(8, VSM_CTA | VSM_CLUSTER),
		      "mbarrier.arrive.scope(255).b64 [0x8]: there is no such .scope, or there are two");
	assert_answer(EINVAL, vsm_prep_mbarrier_arrive(8, VSM_SHARED_CTA | VSM_SHARED_CLUSTER),
		      "mbarrier.arrive.space(255).b64 [0x8]: there is no such state space, or there are two");
	assert_answer(EINVAL, vsm_prep_mbarrier_arrive(8, VSM_ACQ_REL | VSM_CTA),
		      "mbarrier.arrive.acq_rel.cta.b64 [0x8]: only fence takes this .sem");
	assert_answer(EINVAL, vsm_prep_mbarrier_arrive(8, VSM_RELEASE | VSM_GPU),
		      "mbarrier.arrive.release.gpu.b64 [0x8]: only fence takes this .scope");
	assert_answer(EINVAL, vsm_prep_fence(VSM_SC), "fence.sc: it needs a .scope");
	assert_answer(EINVAL, vsm_prep_fence(VSM_RELAXED | VSM_CTA),
		      "fence.relaxed.cta: it does not take .relaxed");
	assert_answer(EINVAL, vsm_prep_barrier_sync(0, VSM_SHARED_CTA),
		      "barrier.cta.sync.shared::cta 0: it has no address in shared memory, and takes no state space");
}

/* No constructor makes such a fence. */
TEST(test_fence_of_init)
{
	struct drm_vsm_insn insn = vsm_prep_fence_mbarrier_init();

	insn.scope = DRM_VSM_SCOPE_CTA;
	assert_answer(EINVAL, insn,
		      "fence.mbarrier_init.release.cta: it must have .release.cluster");
}

TEST(test_kinds)
{
	static const int32_t origin[5];
	struct drm_vsm_insn insn = vsm_prep_mbarrier_inval(8, 0);

	insn.red = 1;
	assert_answer(EINVAL, insn,
		      "mbarrier.inval.red(0x1).b64 [0x8]: it takes no reduction, mode or type");
	assert_answer(EINVAL, vsm_prep_vote_sync(DRM_VSM_MODE_IDX, true, 1),
		      "vote.sync.idx.pred 1, 0x1: it does not take this reduction, mode or type");
	insn = vsm_prep_cp_async_bulk_prefetch_tensor(0, NULL, origin);
	assert_answer(EINVAL, insn,
		      "cp.async.bulk.prefetch.tensor.dim(0).L2.global [map 0x0, {}]: a tensor has 1 to 5 dimensions");
	insn = vsm_prep_cp_async_bulk_tensor_s2g_im2col(2, NULL, origin, 0);
	assert_answer(EINVAL, insn,
		      "cp.async.bulk.tensor.2d.global.shared::cta.im2col_no_offs.bulk_group [map 0x0, {0, 0}], [0x0]: an im2col tensor has 3 to 5 dimensions");
	insn = vsm_prep_cp_reduce_async_bulk_tensor(DRM_VSM_RED_POPC, 1, NULL, origin, 0);
	assert_answer(EINVAL, insn,
		      "cp.reduce.async.bulk.tensor.1d.global.shared::cta.popc.bulk_group [map 0x0, {0}], [0x0]: there is no such reduction");
	insn = vsm_prep_cp_async_bulk_tensor_s2g(1, NULL, origin, 0);
	insn.red |= DRM_VSM_RED_ADD;
	assert_answer(EINVAL, insn,
		      "cp.async.bulk.tensor.red(0x1).1d.global.shared::cta.bulk_group [map 0x0, {0}], [0x0]: it is not a reduction");
}

/* vsm_thread_strerror() returns the spelling of @insn, and then the reason @expected. */
static void assert_reason(struct drm_vsm_insn insn, const char *expected)
{
	char text[256];

	mock.fail_request = DRM_IOCTL_VSM_EXEC;
	mock.fail_errno = EINVAL;
	assert_int_equal(vsm_execute(&t, insn, NULL), -EINVAL);
	vsm_thread_strerror(&t, text, sizeof(text));
	assert_string_equal(strstr(text, ": ") + 2, expected);
}

#define REASON(build, operand, value, expected)		\
	do {						\
		struct drm_vsm_insn changed = build;	\
							\
		changed.u.operand = value;		\
		assert_reason(changed, expected);	\
	} while (0)
#define NOT_0(build, kind, operand) \
	REASON(build, kind.operand, 1, "u." #kind "." #operand " must be 0 in this form")

TEST(test_operands_of_mbarriers)
{
	NOT_0(vsm_prep_mbarrier_pending_count(0), mbarrier, addr);
	NOT_0(vsm_prep_mbarrier_inval(8, 0), mbarrier, count);
	NOT_0(vsm_prep_mbarrier_inval(8, 0), mbarrier, tx_count);
	NOT_0(vsm_prep_mbarrier_inval(8, 0), mbarrier, parity);
	NOT_0(vsm_prep_mbarrier_try_wait(8, 0, 0), mbarrier, hint_ns);
	NOT_0(vsm_prep_mbarrier_inval(8, 0), mbarrier, state);
	NOT_0(vsm_prep_mbarrier_inval(8, 0), mbarrier, pad);
	NOT_0(vsm_prep_mbarrier_inval(8, 0), mbarrier, reserved);
	NOT_0(vsm_prep_exit(), mbarrier, count);
}

TEST(test_operands_of_copies)
{
	const uint64_t value[2] = { 0 };

	NOT_0(vsm_prep_cp_async_bulk_prefetch(1, 0, 16), copy, addr);
	NOT_0(vsm_prep_cp_async_bulk_s2g(1, 0, 0, 16), copy, mbar);
	NOT_0(vsm_prep_cp_async(0, 1, 0, 16, 0), copy, src_size);
	NOT_0(vsm_prep_cp_async_bulk_g2s(0, 1, 0, 16, 8), copy, mask);
	NOT_0(vsm_prep_cp_async_bulk_g2s(0, 1, 0, 16, 8), copy, src);
	NOT_0(vsm_prep_cp_async_bulk_s2s(0, 64, 16, 8), copy, buffer);
	NOT_0(vsm_prep_cp_async_bulk_s2s(0, 64, 16, 8), copy, offset);
	NOT_0(vsm_prep_cp_async_bulk_s2s(0, 64, 16, 8), copy, pad);
	NOT_0(vsm_prep_cp_async_bulk_s2s(0, 64, 16, 8), copy, reserved);
	assert_reason(vsm_prep_cp_async(0, 1, 0, 8, VSM_CG), "cp.async.cg copies 16 bytes");
	assert_reason(vsm_prep_cp_async(0, 1, 0, 5, 0), "cp.async copies 4, 8 or 16 bytes");
	NOT_0(vsm_prep_st_async(8, 0, value, 8, 0), store, pad);
	NOT_0(vsm_prep_st_async(8, 0, value, 8, 0), store, reserved);
	REASON(vsm_prep_st_async(8, 0, value, 8, 0), store.size, 12,
	       "size is not 4, 8 or 16 bytes");
	REASON(vsm_prep_st_async(8, 0, value, 8, 0), store.value[1], 1,
	       "value must be 0 beyond size");
	REASON(vsm_prep_st_async(4, 0, value, 8, 0), store.value[0], 1ULL << 32,
	       "value must be 0 beyond size");
	REASON(vsm_prep_red_async(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 0, 1, 8, 0), store.size, 8,
	       "size does not fit the type");
}

TEST(test_operands_of_tensors)
{
	static const int32_t origin[5];
	static const uint16_t offsets[3];

	NOT_0(vsm_prep_cp_async_bulk_prefetch_tensor(1, NULL, origin), tensor, addr);
	NOT_0(vsm_prep_cp_async_bulk_tensor_s2g(1, NULL, origin, 0), tensor, mbar);
	NOT_0(vsm_prep_cp_async_bulk_tensor_g2s(1, 0, NULL, origin, 8), tensor, mask);
	NOT_0(vsm_prep_cp_async_bulk_tensor_g2s(1, 0, NULL, origin, 8), tensor, offsets);
	REASON(vsm_prep_cp_async_bulk_tensor_s2g(4, NULL, origin, 0), tensor.coords[4], -1,
	       "coords must be 0 beyond the dimensions");
	REASON(vsm_prep_cp_async_bulk_prefetch_tensor_im2col(5, NULL, origin, offsets),
	       tensor.offsets, 1 << 15, "an im2col offset of 5 dimensions has 5 bits");
}

TEST(test_operands_of_rendezvous)
{
	NOT_0(vsm_prep_match_any_sync_b32(1, 1), warp, b);
	NOT_0(vsm_prep_match_any_sync_b32(1, 1), warp, c);
	NOT_0(vsm_prep_match_any_sync_b32(1, 1), warp, pad);
	NOT_0(vsm_prep_match_any_sync_b32(1, 1), warp, reserved[0]);
	NOT_0(vsm_prep_match_any_sync_b32(1, 1), warp, reserved[1]);
	NOT_0(vsm_prep_bar_warp_sync(1), warp, a);
	NOT_0(vsm_prep_elect_sync(1), warp, a);
	REASON(vsm_prep_match_any_sync_b32(1, 1), warp.a, 1ULL << 32, "a has 32 bits");
	REASON(vsm_prep_vote_sync_ballot(true, 1), warp.a, 2, "a is a predicate, 0 or 1");
	NOT_0(vsm_prep_barrier_sync(0, 0), barrier, count);
	NOT_0(vsm_prep_barrier_sync(0, 0), barrier, pred);
	NOT_0(vsm_prep_barrier_sync(0, 0), barrier, pad);
	NOT_0(vsm_prep_barrier_sync(0, 0), barrier, reserved[0]);
	NOT_0(vsm_prep_barrier_sync(0, 0), barrier, reserved[1]);
	NOT_0(vsm_prep_barrier_sync(0, 0), barrier, reserved[2]);
	REASON(vsm_prep_barrier_red_popc(0, true, 0), barrier.pred, 2, "pred is 0 or 1");
}

TEST(test_jobs)
{
	struct drm_vsm_insn insn = vsm_prep_mbarrier_init(8, 1, 0);

	mock.fail_request = DRM_IOCTL_VSM_SUBMIT;
	mock.fail_errno = EINVAL;
	assert_int_equal(vsm_submit(&t, &insn, 1, NULL, 0, NULL), -EINVAL);
	assert_says("mbarrier.init.b64 [0x8], 1: a job cannot contain it");
	insn = vsm_prep_mbarrier_arrive(8, 0);
	assert_int_equal(vsm_submit(&t, &insn, 1, NULL, 0, NULL), -EINVAL);
	assert_says("mbarrier.arrive.b64 [0x8]: a job can contain it only with the sink _");
	insn = vsm_prep_mbarrier_arrive(8, VSM_SINK);
	assert_int_equal(vsm_submit(&t, &insn, 1, NULL, 0, NULL), -EINVAL);
	assert_says(CALL_IS_WRONG);
}

/* The last instruction of a job is not at fault if a fence may be. */
TEST(test_jobs_and_fences)
{
	struct drm_vsm_sync sync = vsm_sync_in(1, 0);
	struct drm_vsm_insn insns[2];

	mock.fail_request = DRM_IOCTL_VSM_SUBMIT;
	mock.fail_errno = EINVAL;
	insns[0] = vsm_prep_red_async(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 0, 1, 8, 0);
	insns[1] = insns[0];

	mock.refused = 1;
	assert_int_equal(vsm_submit(&t, insns, 2, &sync, 1, NULL), -EINVAL);
	assert_says(CALL_IS_WRONG);
	assert_int_equal(t.refused.op, 0);
	/*
	 * Without fences, or if the device has not checked them yet, the instruction is at fault.
	 */
	assert_int_equal(vsm_submit(&t, insns, 2, NULL, 0, NULL), -EINVAL);
	assert_says(WRONG_RED);
	mock.refused = 0;
	assert_int_equal(vsm_submit(&t, insns, 2, &sync, 1, NULL), -EINVAL);
	assert_says(WRONG_RED);

	/* The library finds this mistake itself. It need not know whether the fences are right. */
	insns[0] = vsm_prep_vote_sync_ballot(true, 1);
	assert_int_equal(vsm_submit(&t, insns, 1, &sync, 1, NULL), -EINVAL);
	assert_says("vote.sync.ballot.b32 1, 0x1: a job cannot contain it");
	/* SUBMIT ignores exec_flags: they are not the reason. */
	t.exec_flags = 1 << 9;
	assert_int_equal(vsm_submit(&t, insns, 1, NULL, 0, NULL), -EINVAL);
	assert_says("vote.sync.ballot.b32 1, 0x1: a job cannot contain it");
}

TEST(test_calls)
{
	struct drm_vsm_insn insn = vsm_prep_mbarrier_arrive(8, 0);
	uint32_t retired = 1;

	t.cta = 2;
	assert_answer(EINVAL, insn, "there is no CTA 2: the cluster has 2");
	t.cta = 1;
	t.thread = 64;
	assert_answer(EINVAL, insn, "there is no thread 64: a CTA has 64");
	t.thread = 0;
	t.exec_flags = 1 << 9;
	assert_answer(EINVAL, insn, "exec_flags has a flag that does not exist");
	t.exec_flags = 0;
	/* The device refuses the call before it reads an instruction: the pointer may be wrong. */
	t.cta = 2;
	assert_int_equal(vsm_exec(&t, NULL, 1, NULL), -EINVAL);
	assert_says("there is no CTA 2: the cluster has 2");
	t.cta = 1;
	t.exec_flags = 1 << 9;
	assert_int_equal(vsm_exec(&t, (struct drm_vsm_insn *)8, 1, NULL), -EINVAL);
	assert_says("exec_flags has a flag that does not exist");
	t.exec_flags = 0;
	/* The instruction is right: something else of the call must be wrong. */
	assert_int_equal(vsm_execute(&t, vsm_prep_mbarrier_init(8, 1, 0), NULL), -EINVAL);
	assert_says(CALL_IS_WRONG);
	/* The index is past the last instruction: no instruction is at fault. */
	assert_int_equal(vsm_exec(&t, &insn, 1, &retired), -EINVAL);
	assert_says(CALL_IS_WRONG);
}

TEST(test_others)
{
	static const struct {
		int err;
		const char *text;
	} errors[] = {
		{ ENOENT, "there is no such cluster, buffer, channel or syncobj" },
		{ E2BIG, "the call has more instructions or fences than the device takes at once" },
		{ EIO, "the cluster is lost" },
		{ ENODEV, "the device is gone" },
		{ ENOSPC, "a limit of this client, of its user or of the device is reached" },
		{ ENOMEM, "there is not enough memory" },
		{ EFAULT, "a pointer of the call does not point to accessible memory" },
		{ EBADF, "error 9" },
	};
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		assert_answer(errors[i].err, vsm_prep_exit(), errors[i].text);
}

TEST_MAIN()
