// SPDX-License-Identifier: MIT
/*
 * vsm_insn_describe().
 */
#include "text.h"

#define ADDR 0x01000040
#define STATE 0x7fff000012345678ULL

static void assert_described(struct drm_vsm_insn insn, const char *expected)
{
	assert_text(vsm_insn_describe, &insn, expected);
	assert_cut(vsm_insn_describe, &insn);
}

static void test_objects(void **state)
{
	(void)state;
	assert_described(vsm_insn_mbarrier_init(ADDR, 5, VSM_SHARED_CTA),
			 "mbarrier.init.shared::cta.b64 [0x1000040], 5");
	assert_described(vsm_insn_mbarrier_inval(ADDR, 0), "mbarrier.inval.b64 [0x1000040]");
	assert_described(vsm_insn_fence_mbarrier_init(), "fence.mbarrier_init.release.cluster");
}

static void test_arrives(void **state)
{
	const unsigned int remote = VSM_RELEASE | VSM_CLUSTER | VSM_SHARED_CLUSTER | VSM_SINK;

	(void)state;
	assert_described(vsm_insn_mbarrier_arrive(0, 0), "mbarrier.arrive.b64 [0x0]");
	assert_described(vsm_insn_mbarrier_arrive_count(ADDR, 2, VSM_RELAXED | VSM_CTA),
			 "mbarrier.arrive.relaxed.cta.b64 [0x1000040], 2");
	assert_described(vsm_insn_mbarrier_arrive_expect_tx(ADDR, 1024, remote),
			 "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [0x1000040], 1024");
	assert_described(vsm_insn_mbarrier_arrive_nocomplete(ADDR, 3, VSM_RELEASE | VSM_CTA),
			 "mbarrier.arrive.noComplete.release.cta.b64 [0x1000040], 3");
	assert_described(vsm_insn_mbarrier_arrive_drop(ADDR, VSM_SINK),
			 "mbarrier.arrive_drop.b64 _, [0x1000040]");
	assert_described(vsm_insn_mbarrier_arrive_drop_count(ADDR, 2, 0),
			 "mbarrier.arrive_drop.b64 [0x1000040], 2");
	assert_described(vsm_insn_mbarrier_arrive_drop_expect_tx(ADDR, 64, 0),
			 "mbarrier.arrive_drop.expect_tx.b64 [0x1000040], 64");
	assert_described(vsm_insn_mbarrier_arrive_drop_nocomplete(ADDR, 3, 0),
			 "mbarrier.arrive_drop.noComplete.b64 [0x1000040], 3");
}

static void test_tx(void **state)
{
	(void)state;
	assert_described(vsm_insn_mbarrier_expect_tx(ADDR, 512, VSM_RELAXED | VSM_CLUSTER),
			 "mbarrier.expect_tx.relaxed.cluster.b64 [0x1000040], 512");
	assert_described(vsm_insn_mbarrier_complete_tx(ADDR, 0xffffffff, VSM_SHARED_CLUSTER),
			 "mbarrier.complete_tx.shared::cluster.b64 [0x1000040], 4294967295");
}

static void test_waits(void **state)
{
	(void)state;
	assert_described(vsm_insn_mbarrier_test_wait(ADDR, STATE, VSM_ACQUIRE | VSM_CLUSTER),
			 "mbarrier.test_wait.acquire.cluster.b64 [0x1000040], 0x7fff000012345678");
	assert_described(vsm_insn_mbarrier_test_wait_parity(ADDR, 1, 0),
			 "mbarrier.test_wait.parity.b64 [0x1000040], 1");
	assert_described(vsm_insn_mbarrier_try_wait(ADDR, STATE, 0),
			 "mbarrier.try_wait.b64 [0x1000040], 0x7fff000012345678");
	assert_described(vsm_insn_mbarrier_try_wait_hint(ADDR, STATE, 1000, 0),
			 "mbarrier.try_wait.b64 [0x1000040], 0x7fff000012345678, 1000");
	assert_described(vsm_insn_mbarrier_try_wait_parity(ADDR, 0, 0),
			 "mbarrier.try_wait.parity.b64 [0x1000040], 0");
	assert_described(vsm_insn_mbarrier_try_wait_parity_hint(0x40, 0, 1000000000,
								VSM_SHARED_CTA),
			 "mbarrier.try_wait.parity.shared::cta.b64 [0x40], 0, 1000000000");
	assert_described(vsm_insn_mbarrier_pending_count(STATE),
			 "mbarrier.pending_count.b64 0x7fff000012345678");
}

static void test_copies(void **state)
{
	struct drm_vsm_insn insn;

	(void)state;
	insn = vsm_insn_cp_async_bulk_g2s(ADDR, 3, 1ULL << 32, 256, ADDR + 512);
	assert_described(insn,
			 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [0x1000040], [buffer 3 + 0x100000000], 256, [0x1000240]");
	insn.space = DRM_VSM_SPACE_SHARED_CTA;
	assert_described(insn,
			 "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [0x1000040], [buffer 3 + 0x100000000], 256, [0x1000240]");
	insn = vsm_insn_cp_async_bulk_s2g(3, 0, ADDR, 256);
	assert_described(insn,
			 "cp.async.bulk.global.shared::cta [buffer 3 + 0x0], [0x1000040], 256");
	insn.space = DRM_VSM_SPACE_SHARED_CLUSTER;
	assert_described(insn,
			 "cp.async.bulk.global.shared::cluster [buffer 3 + 0x0], [0x1000040], 256");
}

static void test_cp_async(void **state)
{
	(void)state;
	assert_described(vsm_insn_cp_async(0x400, 3, 16, 8, 0),
			 "cp.async.ca.shared.global [0x400], [buffer 3 + 0x10], 8");
	assert_described(vsm_insn_cp_async(0x400, 3, 16, 16, VSM_CG | VSM_SHARED_CTA),
			 "cp.async.cg.shared::cta.global [0x400], [buffer 3 + 0x10], 16");
	assert_described(vsm_insn_cp_async_src_size(0x400, 3, 16, 8, 0, 0),
			 "cp.async.ca.shared.global [0x400], [buffer 3 + 0x10], 8, 0");
	assert_described(vsm_insn_cp_async_mbarrier_arrive(ADDR, 0),
			 "cp.async.mbarrier.arrive.b64 [0x1000040]");
	assert_described(vsm_insn_cp_async_mbarrier_arrive_noinc(ADDR, VSM_SHARED_CTA),
			 "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [0x1000040]");
}

/* What PTX cannot spell is there to be seen. */
static void test_malformed(void **state)
{
	struct drm_vsm_insn insn;

	(void)state;
	memset(&insn, 0, sizeof(insn));
	assert_described(insn, "op 0");
	insn.op = 77;
	assert_described(insn, "op 77");
	insn = vsm_insn_mbarrier_arrive(ADDR, VSM_RELAXED | VSM_ACQUIRE | VSM_CTA | VSM_CLUSTER |
					VSM_SHARED_CTA | VSM_SHARED_CLUSTER);
	assert_described(insn, "mbarrier.arrive.sem(255).scope(255).space(255).b64 [0x1000040]");
	insn = vsm_insn_mbarrier_init(ADDR, 5, VSM_SINK | VSM_CG);
	insn.mods |= 0x8000 | DRM_VSM_MOD_PARITY;
	assert_described(insn, "mbarrier.init.mods(0x8118).b64 [0x1000040], 5");
	insn = vsm_insn_fence_mbarrier_init();
	insn.space = DRM_VSM_SPACE_SHARED_CTA;
	insn.sem = 0;
	assert_described(insn, "fence.mbarrier_init.cluster.shared::cta");
}

static void test_random(void **state)
{
	struct drm_vsm_insn insn;
	char text[256];
	int i, length;

	(void)state;
	for (i = 0; i < RANDOM_INSNS; i++) {
		insn = random_insn();
		length = vsm_insn_describe(&insn, text, sizeof(text));
		assert_in_range(length, 4, sizeof(text) - 1);
		assert_int_equal(strlen(text), length);
		if (i < 200)
			assert_cut(vsm_insn_describe, &insn);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_arrives),
		cmocka_unit_test(test_tx),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_cp_async),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("describe", tests, NULL, NULL);
}
