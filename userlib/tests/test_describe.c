// SPDX-License-Identifier: MIT
/* Tests vsm_insn_describe(): the spelling of every operation. */
#include "text.h"

#define ADDR 0x01000040
#define STATE 0x7fff000012345678ULL

static void assert_described(struct drm_vsm_insn insn, const char *expected)
{
	assert_text(vsm_insn_describe, &insn, expected);
	assert_cut(vsm_insn_describe, &insn);
}

TEST(test_objects)
{
	assert_described(vsm_prep_mbarrier_init(ADDR, 5, VSM_SHARED_CTA),
			 "mbarrier.init.shared::cta.b64 [0x1000040], 5");
	assert_described(vsm_prep_mbarrier_inval(ADDR, 0), "mbarrier.inval.b64 [0x1000040]");
	assert_described(vsm_prep_fence_mbarrier_init(), "fence.mbarrier_init.release.cluster");
	assert_described(vsm_prep_fence(VSM_CTA), "fence.cta");
	assert_described(vsm_prep_fence(VSM_ACQ_REL | VSM_CLUSTER), "fence.acq_rel.cluster");
	assert_described(vsm_prep_fence(VSM_SC | VSM_GPU), "fence.sc.gpu");
	assert_described(vsm_prep_fence(VSM_RELEASE | VSM_SYS), "fence.release.sys");
	assert_described(vsm_prep_fence(VSM_ACQUIRE | VSM_SYS), "fence.acquire.sys");
}

TEST(test_arrives)
{
	const unsigned int remote = VSM_RELEASE | VSM_CLUSTER | VSM_SHARED_CLUSTER | VSM_SINK;

	assert_described(vsm_prep_mbarrier_arrive(0, 0), "mbarrier.arrive.b64 [0x0]");
	assert_described(vsm_prep_mbarrier_arrive_count(ADDR, 2, VSM_RELAXED | VSM_CTA),
			 "mbarrier.arrive.relaxed.cta.b64 [0x1000040], 2");
	assert_described(vsm_prep_mbarrier_arrive_expect_tx(ADDR, 1024, remote),
			 "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [0x1000040], 1024");
	assert_described(vsm_prep_mbarrier_arrive_nocomplete(ADDR, 3, VSM_RELEASE | VSM_CTA),
			 "mbarrier.arrive.noComplete.release.cta.b64 [0x1000040], 3");
	assert_described(vsm_prep_mbarrier_arrive_drop(ADDR, VSM_SINK),
			 "mbarrier.arrive_drop.b64 _, [0x1000040]");
	assert_described(vsm_prep_mbarrier_arrive_drop_count(ADDR, 2, 0),
			 "mbarrier.arrive_drop.b64 [0x1000040], 2");
	assert_described(vsm_prep_mbarrier_arrive_drop_expect_tx(ADDR, 64, 0),
			 "mbarrier.arrive_drop.expect_tx.b64 [0x1000040], 64");
	assert_described(vsm_prep_mbarrier_arrive_drop_nocomplete(ADDR, 3, 0),
			 "mbarrier.arrive_drop.noComplete.b64 [0x1000040], 3");
}

TEST(test_tx)
{
	assert_described(vsm_prep_mbarrier_expect_tx(ADDR, 512, VSM_RELAXED | VSM_CLUSTER),
			 "mbarrier.expect_tx.relaxed.cluster.b64 [0x1000040], 512");
	assert_described(vsm_prep_mbarrier_complete_tx(ADDR, 0xffffffff, VSM_SHARED_CLUSTER),
			 "mbarrier.complete_tx.shared::cluster.b64 [0x1000040], 4294967295");
}

TEST(test_waits)
{
	assert_described(vsm_prep_mbarrier_test_wait(ADDR, STATE, VSM_ACQUIRE | VSM_CLUSTER),
			 "mbarrier.test_wait.acquire.cluster.b64 [0x1000040], 0x7fff000012345678");
	assert_described(vsm_prep_mbarrier_test_wait_parity(ADDR, 1, 0),
			 "mbarrier.test_wait.parity.b64 [0x1000040], 1");
	assert_described(vsm_prep_mbarrier_try_wait(ADDR, STATE, 0),
			 "mbarrier.try_wait.b64 [0x1000040], 0x7fff000012345678");
	assert_described(vsm_prep_mbarrier_try_wait_hint(ADDR, STATE, 1000, 0),
			 "mbarrier.try_wait.b64 [0x1000040], 0x7fff000012345678, 1000");
	assert_described(vsm_prep_mbarrier_try_wait_parity(ADDR, 0, 0),
			 "mbarrier.try_wait.parity.b64 [0x1000040], 0");
	assert_described(vsm_prep_mbarrier_try_wait_parity_hint(0x40, 0, 1000000000,
								VSM_SHARED_CTA),
			 "mbarrier.try_wait.parity.shared::cta.b64 [0x40], 0, 1000000000");
	assert_described(vsm_prep_mbarrier_pending_count(STATE),
			 "mbarrier.pending_count.b64 0x7fff000012345678");
}

TEST(test_copies)
{
	struct drm_vsm_insn insn;

	insn = vsm_prep_cp_async_bulk_g2s(ADDR, 3, 1ULL << 32, 256, ADDR + 512);
	assert_described(insn,
			 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [0x1000040], [buffer 3 + 0x100000000], 256, [0x1000240]");
	insn.space = DRM_VSM_SPACE_SHARED_CTA;
	assert_described(insn,
			 "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [0x1000040], [buffer 3 + 0x100000000], 256, [0x1000240]");
	insn = vsm_prep_cp_async_bulk_s2g(3, 0, ADDR, 256);
	assert_described(insn,
			 "cp.async.bulk.global.shared::cta.bulk_group [buffer 3 + 0x0], [0x1000040], 256");
	insn.space = DRM_VSM_SPACE_SHARED_CLUSTER;
	assert_described(insn,
			 "cp.async.bulk.global.shared::cluster.bulk_group [buffer 3 + 0x0], [0x1000040], 256");
}

TEST(test_cp_async)
{
	assert_described(vsm_prep_cp_async(0x400, 3, 16, 8, 0),
			 "cp.async.ca.shared.global [0x400], [buffer 3 + 0x10], 8");
	assert_described(vsm_prep_cp_async(0x400, 3, 16, 16, VSM_CG | VSM_SHARED_CTA),
			 "cp.async.cg.shared::cta.global [0x400], [buffer 3 + 0x10], 16");
	assert_described(vsm_prep_cp_async_src_size(0x400, 3, 16, 8, 0, 0),
			 "cp.async.ca.shared.global [0x400], [buffer 3 + 0x10], 8, 0");
	assert_described(vsm_prep_cp_async_mbarrier_arrive(ADDR, 0),
			 "cp.async.mbarrier.arrive.b64 [0x1000040]");
	assert_described(vsm_prep_cp_async_mbarrier_arrive_noinc(ADDR, VSM_SHARED_CTA),
			 "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [0x1000040]");
}

TEST(test_groups)
{
	assert_described(vsm_prep_cp_async_commit_group(), "cp.async.commit_group");
	assert_described(vsm_prep_cp_async_wait_group(2), "cp.async.wait_group 2");
	assert_described(vsm_prep_cp_async_wait_all(), "cp.async.wait_all");
	assert_described(vsm_prep_cp_async_bulk_commit_group(), "cp.async.bulk.commit_group");
	assert_described(vsm_prep_cp_async_bulk_wait_group(0), "cp.async.bulk.wait_group 0");
	assert_described(vsm_prep_cp_async_bulk_wait_group_read(1),
			 "cp.async.bulk.wait_group.read 1");
}

TEST(test_bulk_forms)
{
	assert_described(vsm_prep_cp_async_bulk_g2s_multicast(ADDR, 3, 16, 256, ADDR + 512, 0x5),
			 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [0x1000040], [buffer 3 + 0x10], 256, [0x1000240], 0x5");
	assert_described(vsm_prep_cp_async_bulk_s2g_mask(3, 16, ADDR, 256, 0xfff0),
			 "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [buffer 3 + 0x10], [0x1000040], 256, 0xfff0");
	assert_described(vsm_prep_cp_async_bulk_s2s(ADDR, 0x80, 64, ADDR + 512),
			 "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [0x1000040], [0x80], 64, [0x1000240]");
	assert_described(vsm_prep_cp_async_bulk_prefetch(3, 16, 256),
			 "cp.async.bulk.prefetch.L2.global [buffer 3 + 0x10], 256");
}

TEST(test_reductions)
{
	assert_described(vsm_prep_cp_reduce_async_bulk_s2g(DRM_VSM_RED_INC, DRM_VSM_TYPE_U32, 3,
							   16, 0x80, 64),
			 "cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u32 [buffer 3 + 0x10], [0x80], 64");
	assert_described(vsm_prep_cp_reduce_async_bulk_s2g(DRM_VSM_RED_ADD, DRM_VSM_TYPE_F16, 3,
							   16, 0x80, 64),
			 "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [buffer 3 + 0x10], [0x80], 64");
	assert_described(vsm_prep_cp_reduce_async_bulk_s2g(DRM_VSM_RED_ADD, DRM_VSM_TYPE_BF16, 3,
							   16, 0x80, 64),
			 "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [buffer 3 + 0x10], [0x80], 64");
	assert_described(vsm_prep_cp_reduce_async_bulk_s2g(DRM_VSM_RED_MAX, DRM_VSM_TYPE_F16, 3,
							   16, 0x80, 64),
			 "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.f16 [buffer 3 + 0x10], [0x80], 64");
	assert_described(vsm_prep_cp_reduce_async_bulk_s2s(DRM_VSM_RED_XOR, DRM_VSM_TYPE_B32, ADDR,
							   0x80, 64, ADDR + 512),
			 "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.xor.b32 [0x1000040], [0x80], 64, [0x1000240]");
}

/* The arrays have the names of operations and types, in the order of their numbers. */
TEST(test_reduction_names)
{
	static const char *const ops[] = { "add", "min", "max", "inc", "dec", "and", "or", "xor" };
	static const char *const types[] = {
		"b32", "u32", "s32", "b64", "u64", "s64", "f16", "bf16", "f32", "f64"
	};
	char expected[200];
	uint32_t i;

	for (i = 0; i < 10; i++) {
		snprintf(expected, sizeof(expected),
			 "cp.reduce.async.bulk.global.shared::cta.bulk_group.%s.%s [buffer 3 + 0x10], [0x80], 64",
			 ops[i % 8], types[i]);
		assert_described(vsm_prep_cp_reduce_async_bulk_s2g((enum drm_vsm_red)(i % 8 + 1),
								   (enum drm_vsm_type)(i + 1), 3,
								   16, 0x80, 64), expected);
	}
}

static const int32_t coords[] = { 0, -16, 2147483647, 4, 5 };
static const uint16_t offsets[] = { 31, 1, 2 };

static const struct drm_vsm_tensor_map *map(void)
{
	return (const struct drm_vsm_tensor_map *)(uintptr_t)0x7fc0;
}

TEST(test_tensors)
{
	assert_described(vsm_prep_cp_async_bulk_tensor_g2s(2, 0x80, map(), coords, ADDR),
			 "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [0x80], [map 0x7fc0, {0, -16}], [0x1000040]");
	assert_described(vsm_prep_cp_async_bulk_tensor_g2s_multicast(1, 0x80, map(), coords, ADDR,
								     3),
			 "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [0x80], [map 0x7fc0, {0}], [0x1000040], 0x3");
	assert_described(vsm_prep_cp_async_bulk_tensor_s2g(5, map(), coords, 0x80),
			 "cp.async.bulk.tensor.5d.global.shared::cta.bulk_group [map 0x7fc0, {0, -16, 2147483647, 4, 5}], [0x80]");
	assert_described(vsm_prep_cp_reduce_async_bulk_tensor(DRM_VSM_RED_MIN, 2, map(), coords,
							      0x80),
			 "cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.bulk_group [map 0x7fc0, {0, -16}], [0x80]");
	assert_described(vsm_prep_cp_async_bulk_prefetch_tensor(2, map(), coords),
			 "cp.async.bulk.prefetch.tensor.2d.L2.global [map 0x7fc0, {0, -16}]");
}

TEST(test_im2col)
{
	assert_described(vsm_prep_cp_async_bulk_tensor_g2s_im2col(4, 0x80, map(), coords, ADDR,
								  offsets),
			 "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [0x80], [map 0x7fc0, {0, -16, 2147483647, 4}], [0x1000040], {31, 1}");
	assert_described(vsm_prep_cp_async_bulk_tensor_g2s_im2col_multicast(3, 0x80, map(), coords,
									    ADDR, offsets, 3),
			 "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [0x80], [map 0x7fc0, {0, -16, 2147483647}], [0x1000040], {31}, 0x3");
	assert_described(vsm_prep_cp_async_bulk_tensor_s2g_im2col(3, map(), coords, 0x80),
			 "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [map 0x7fc0, {0, -16, 2147483647}], [0x80]");
	assert_described(vsm_prep_cp_reduce_async_bulk_tensor_im2col(DRM_VSM_RED_OR, 3, map(),
								     coords, 0x80),
			 "cp.reduce.async.bulk.tensor.3d.global.shared::cta.or.im2col_no_offs.bulk_group [map 0x7fc0, {0, -16, 2147483647}], [0x80]");
	assert_described(vsm_prep_cp_async_bulk_prefetch_tensor_im2col(5, map(), coords, offsets),
			 "cp.async.bulk.prefetch.tensor.5d.L2.global.im2col [map 0x7fc0, {0, -16, 2147483647, 4, 5}], {31, 1, 2}");
}

TEST(test_stores)
{
	const uint64_t value[] = { 0x1122334455667788, 0x99 };

	assert_described(vsm_prep_st_async(4, ADDR, value, ADDR + 512, 0),
			 "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [0x1000040], 0x55667788, [0x1000240]");
	assert_described(vsm_prep_st_async(8, ADDR, value, ADDR + 512, VSM_SHARED_CLUSTER),
			 "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [0x1000040], 0x1122334455667788, [0x1000240]");
	assert_described(vsm_prep_st_async(16, ADDR, value, ADDR + 512, 0),
			 "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [0x1000040], {0x1122334455667788, 0x99}, [0x1000240]");
	assert_described(vsm_prep_red_async(DRM_VSM_RED_DEC, DRM_VSM_TYPE_U32, ADDR, 9, ADDR + 512,
					    VSM_SHARED_CTA),
			 "red.async.relaxed.cluster.shared::cta.mbarrier::complete_tx::bytes.dec.u32 [0x1000040], 0x9, [0x1000240]");
}

TEST(test_warp_operations)
{
	assert_described(vsm_prep_match_any_sync_b32(0x2a, 0xffffffff),
			 "match.any.sync.b32 0x2a, 0xffffffff");
	assert_described(vsm_prep_match_all_sync_b64(0xfedcba9876543210, 3),
			 "match.all.sync.b64 0xfedcba9876543210, 0x3");
	assert_described(vsm_prep_bar_warp_sync(0xf0), "bar.warp.sync 0xf0");
	assert_described(vsm_prep_elect_sync(0xffffffff), "elect.sync 0xffffffff");
	assert_described(vsm_prep_vote_sync(DRM_VSM_MODE_ALL, true, 3),
			 "vote.sync.all.pred 1, 0x3");
	assert_described(vsm_prep_vote_sync(DRM_VSM_MODE_ANY, false, 3),
			 "vote.sync.any.pred 0, 0x3");
	assert_described(vsm_prep_vote_sync(DRM_VSM_MODE_UNI, true, 3),
			 "vote.sync.uni.pred 1, 0x3");
	assert_described(vsm_prep_vote_sync_ballot(true, 3), "vote.sync.ballot.b32 1, 0x3");
	assert_described(vsm_prep_shfl_sync(DRM_VSM_MODE_UP, 0x2a, 1, 0, 0xffffffff),
			 "shfl.sync.up.b32 0x2a, 1, 0x0, 0xffffffff");
	assert_described(vsm_prep_shfl_sync(DRM_VSM_MODE_DOWN, 1, 16, 0x1f, 3),
			 "shfl.sync.down.b32 0x1, 16, 0x1f, 0x3");
	assert_described(vsm_prep_shfl_sync(DRM_VSM_MODE_BFLY, 1, 16, 0x1c1f, 3),
			 "shfl.sync.bfly.b32 0x1, 16, 0x1c1f, 0x3");
	assert_described(vsm_prep_shfl_sync(DRM_VSM_MODE_IDX, 1, 31, 0x1f, 3),
			 "shfl.sync.idx.b32 0x1, 31, 0x1f, 0x3");
	assert_described(vsm_prep_redux_sync(DRM_VSM_RED_ADD, DRM_VSM_TYPE_S32, 0xffffffff, 3),
			 "redux.sync.add.s32 0xffffffff, 0x3");
}

/* PTX's bar.sync is the same as barrier.cta.sync.aligned. */
TEST(test_barriers)
{
	assert_described(vsm_prep_barrier_sync(0, VSM_ALIGNED), "barrier.cta.sync.aligned 0");
	assert_described(vsm_prep_barrier_sync(15, 0), "barrier.cta.sync 15");
	assert_described(vsm_prep_barrier_sync_count(1, 64, VSM_ALIGNED),
			 "barrier.cta.sync.aligned 1, 64");
	assert_described(vsm_prep_barrier_arrive(1, 64, 0), "barrier.cta.arrive 1, 64");
	assert_described(vsm_prep_barrier_red(DRM_VSM_RED_AND, 1, true, VSM_ALIGNED),
			 "barrier.cta.red.and.aligned.pred 1, 1");
	assert_described(vsm_prep_barrier_red_count(DRM_VSM_RED_OR, 1, 64, false, 0),
			 "barrier.cta.red.or.pred 1, 64, 0");
	assert_described(vsm_prep_barrier_red_popc(2, true, 0), "barrier.cta.red.popc.u32 2, 1");
	assert_described(vsm_prep_barrier_red_popc_count(2, 32, true, VSM_ALIGNED),
			 "barrier.cta.red.popc.aligned.u32 2, 32, 1");
	assert_described(vsm_prep_barrier_cluster_arrive(0), "barrier.cluster.arrive");
	assert_described(vsm_prep_barrier_cluster_arrive(VSM_RELAXED | VSM_ALIGNED),
			 "barrier.cluster.arrive.relaxed.aligned");
	assert_described(vsm_prep_barrier_cluster_wait(VSM_ACQUIRE),
			 "barrier.cluster.wait.acquire");
	assert_described(vsm_prep_exit(), "exit");
}

/* The text also shows values that PTX cannot spell. */
TEST(test_malformed)
{
	struct drm_vsm_insn insn;

	memset(&insn, 0, sizeof(insn));
	assert_described(insn, "op 0");
	insn.op = 77;
	assert_described(insn, "op 77");
	insn = vsm_prep_mbarrier_arrive(ADDR, VSM_RELAXED | VSM_ACQUIRE | VSM_CTA | VSM_CLUSTER |
					VSM_SHARED_CTA | VSM_SHARED_CLUSTER);
	assert_described(insn, "mbarrier.arrive.sem(255).scope(255).space(255).b64 [0x1000040]");
	insn = vsm_prep_mbarrier_init(ADDR, 5, VSM_SINK | VSM_CG);
	insn.mods |= 0x8000 | DRM_VSM_MOD_PARITY;
	assert_described(insn, "mbarrier.init.mods(0x8118).b64 [0x1000040], 5");
	insn = vsm_prep_fence_mbarrier_init();
	insn.space = DRM_VSM_SPACE_SHARED_CTA;
	insn.sem = 0;
	assert_described(insn, "fence.mbarrier_init.cluster.shared::cta");
	assert_described(vsm_prep_fence(VSM_ACQ_REL | VSM_SC), "fence.sem(255)");
	assert_described(vsm_prep_fence(VSM_CTA | VSM_SYS | VSM_SINK),
			 "fence.mods(0x8).scope(255)");
}

TEST(test_malformed_copies)
{
	struct drm_vsm_insn insn;

	insn = vsm_prep_mbarrier_inval(ADDR, 0);
	insn.red = 0x11;
	assert_described(insn, "mbarrier.inval.red(0x11).b64 [0x1000040]");
	insn = vsm_prep_cp_async_bulk_s2g(3, 0, ADDR, 256);
	insn.mods = DRM_VSM_MOD_MULTICAST;
	assert_described(insn,
			 "cp.async.bulk.mods(0x200).global.shared::cta.bulk_group [buffer 3 + 0x0], [0x1000040], 256");
	insn = vsm_prep_cp_async_bulk_tensor_s2g(6, map(), coords, 0x80);
	assert_described(insn,
			 "cp.async.bulk.tensor.dim(6).global.shared::cta.bulk_group [map 0x7fc0, {0, -16, 2147483647, 4, 5}], [0x80]");
	insn.red = DRM_VSM_RED_DIMS(DRM_VSM_RED_ADD, 0);
	assert_described(insn,
			 "cp.async.bulk.tensor.red(0x1).dim(0).global.shared::cta.bulk_group [map 0x7fc0, {}], [0x80]");
	insn = vsm_prep_cp_reduce_async_bulk_s2g(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U32, 3, 0, 0x80, 64);
	insn.red = 0xba;
	assert_described(insn,
			 "cp.reduce.async.bulk.global.shared::cta.bulk_group.op(10).type(11) [buffer 3 + 0x0], [0x80], 64");
	insn = vsm_prep_st_async(12, ADDR, coords, ADDR + 512, 0);
	assert_described(insn,
			 "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.size(12) [0x1000040], {0xfffffff000000000, 0x7fffffff}, [0x1000240]");
}

TEST(test_malformed_rendezvous)
{
	struct drm_vsm_insn insn;

	insn = vsm_prep_vote_sync((enum drm_vsm_mode)9, true, 3);
	assert_described(insn, "vote.sync.mode(9).pred 1, 0x3");
	insn.red = DRM_VSM_MODE(DRM_VSM_MODE_BALLOT, DRM_VSM_TYPE_B64);
	insn.space = DRM_VSM_SPACE_SHARED_CTA;
	assert_described(insn, "vote.sync.ballot.red(0x40).b32.shared::cta 1, 0x3");
	insn = vsm_prep_match_any_sync_b32(1, 3);
	insn.red = 0;
	insn.mods = DRM_VSM_MOD_ALIGNED;
	assert_described(insn, "match.mode(0).sync.mods(0x2000).type(0) 0x1, 0x3");
	insn = vsm_prep_barrier_cluster_arrive(VSM_RELEASE | VSM_CLUSTER);
	insn.mods = DRM_VSM_MOD_COUNT;
	assert_described(insn, "barrier.cluster.arrive.mods(0x1).release.cluster");
	insn = vsm_prep_barrier_arrive(16, 0, VSM_SINK);
	assert_described(insn, "barrier.cta.arrive.mods(0x8) 16, 0");
	insn = vsm_prep_exit();
	insn.red = 1;
	assert_described(insn, "exit.red(0x1)");
}

TEST(test_random)
{
	struct drm_vsm_insn insn;
	char text[512];
	int i, length;

	for (i = 0; i < RANDOM_INSNS; i++) {
		insn = random_insn();
		length = vsm_insn_describe(&insn, text, sizeof(text));
		assert_in_range(length, 4, sizeof(text) - 1);
		assert_int_equal(strlen(text), length);
		if (i < 200)
			assert_cut(vsm_insn_describe, &insn);
	}
}

TEST_MAIN()
