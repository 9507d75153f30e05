// SPDX-License-Identifier: MIT
/*
 * Prints libvsm's message for each misuse whose scenario is shown in misuse.rst. Each line has
 * these fields, separated by tabs: code, number, scenario, instruction, message. check.py compares
 * the lines with misuse.rst, and the instructions with the scenarios.
 */
#include <stdio.h>
#include <vsm.h>

#define OWN	VSM_SHARED_CTA
#define CLUSTER	VSM_SHARED_CLUSTER
#define SM_90	VSM_LAYOUT_SM_90
#define INIT(n)	vsm_mbarrier_init(SM_90, n)
#define CTA1	(1U << VSM_SHARED_RANK_SHIFT)
#define BUFFER	1	/* any handle of a buffer */

/* Prints the line of a misuse by a thread of CTA 0. SHOW() prints it for the layout sm_90. */
static void show(const char *scenario, uint32_t fault, struct drm_vsm_insn insn, uint64_t word,
		 uint32_t info, enum vsm_layout layout)
{
	char text[160], message[512];

	insn.fault = fault;
	insn.result = word;
	insn.info = info;
	vsm_insn_describe(&insn, text, sizeof(text));
	vsm_fault_message(layout, 0, &insn, message, sizeof(message));
	printf("%s\t%u\t%s\t%s\t%s\n", vsm_fault_name(fault), fault, scenario, text, message);
}

#define SHOW(scenario, name, insn, word, info) \
	show(scenario, DRM_VSM_FAULT_##name, insn, word, info, SM_90)

int main(void)
{
	static const int32_t origin[5];
	uint64_t w;

	SHOW("misaligned", MISALIGNED, vsm_prep_mbarrier_init(0x44, 1, OWN), 0, 0);
	SHOW("out-of-window", OUT_OF_WINDOW, vsm_prep_mbarrier_init(0x1000, 1, OWN), 0, 0);
	SHOW("not-an-mbarrier", NOT_AN_MBARRIER, vsm_prep_mbarrier_arrive(0x40, OWN | VSM_SINK),
	     0, 0);
	SHOW("init-over-live-idle", INIT_OVER_LIVE, vsm_prep_mbarrier_init(0x40, 3, OWN), INIT(2),
	     DRM_VSM_MBARRIER_IDLE);
	SHOW("bad-count", BAD_COUNT, vsm_prep_mbarrier_init(0x40, 0, OWN), 0, 0);
	SHOW("bad-parity", BAD_PARITY, vsm_prep_mbarrier_test_wait_parity(0x40, 2, OWN), 0, 0);
	SHOW("inval-in-use-waiter", INVAL_IN_USE, vsm_prep_mbarrier_inval(0x40, OWN), INIT(1), 0);
	SHOW("arrival-overflow", ARRIVAL_OVERFLOW,
	     vsm_prep_mbarrier_arrive_count(0x40, 3, OWN | VSM_SINK), INIT(2), 0);
	SHOW("nocomplete-completes", NOCOMPLETE_COMPLETES,
	     vsm_prep_mbarrier_arrive_nocomplete(0x40, 2, OWN), INIT(2), 0);
	w = vsm_mbarrier_arrive(SM_90, INIT(2), 1, 1, 0);
	SHOW("drop-to-zero", DROP_TO_ZERO, vsm_prep_mbarrier_arrive_drop(0x40, OWN | VSM_SINK),
	     w, 0);
	w = vsm_mbarrier_expect_tx(INIT(1), 0xfffff);
	SHOW("tx-range", TX_RANGE, vsm_prep_mbarrier_expect_tx(0x40, 1, OWN), w, 0);
	w = vsm_mbarrier_complete_tx(INIT(1), 16);
	SHOW("tx-overdelivery", TX_OVERDELIVERY, vsm_prep_mbarrier_arrive(0x40, OWN | VSM_SINK),
	     w, 0);
	SHOW("remote-forbidden", REMOTE_FORBIDDEN,
	     vsm_prep_mbarrier_test_wait_parity(CTA1 + 0x40, 0, 0), 0, 0);
	SHOW("bad-order", BAD_ORDER,
	     vsm_prep_mbarrier_try_wait_parity(0x40, 0, OWN | VSM_RELEASE | VSM_CTA), 0, 0);
	SHOW("poisoned", POISONED, vsm_prep_mbarrier_arrive(0x40, OWN | VSM_SINK),
	     INIT(1) | VSM_SM_90_POISON, 0);
	w = vsm_mbarrier_arrive(SM_90, vsm_mbarrier_arrive(SM_90, INIT(2), 2, 0, 0), 1, 0, 0);
	SHOW("phase-unobserved", PHASE_UNOBSERVED, vsm_prep_mbarrier_arrive(0x40, OWN), w, 0);
	SHOW("stale-token", STALE_TOKEN, vsm_prep_mbarrier_test_wait(0x48, 0x7ffff80027aafffe, OWN),
	     INIT(1), 0);
	SHOW("not-a-pending-token", NOT_A_PENDING_TOKEN,
	     vsm_prep_mbarrier_pending_count(0x7fffe80027aafffe), 0, 0);
	SHOW("init-not-fenced", INIT_NOT_FENCED,
	     vsm_prep_mbarrier_arrive(CTA1 + 0x40, CLUSTER | VSM_SINK | VSM_RELEASE | VSM_CLUSTER),
	     INIT(2), 0);
	SHOW("write-over-live-bulk", WRITE_OVER_LIVE,
	     vsm_prep_cp_async_bulk_g2s(0x100, BUFFER, 0, 64, 0x40), INIT(7), 0x138);
	SHOW("read-over-live", READ_OVER_LIVE,
	     vsm_prep_cp_async_bulk_s2g(BUFFER, 0, 0x100, 64), INIT(7), 0x138);
	/* The library finds it at an instruction that the device does not have. */
	SHOW("word_polled", PLAIN_ACCESS, (struct drm_vsm_insn){ 0 }, 0, 0);
	SHOW("late-completion", LATE_COMPLETION, vsm_prep_cp_async_mbarrier_arrive_noinc(0x40, OWN),
	     vsm_mbarrier_arrive(SM_90, INIT(1), 1, 0, 0), 0);
	SHOW("deadlock", DEADLOCK, vsm_prep_mbarrier_try_wait_parity(0x48, 0, OWN), INIT(2), 2);
	show("pending-range", DRM_VSM_FAULT_PENDING_RANGE,
	     vsm_prep_cp_async_mbarrier_arrive(0x40, OWN),
	     vsm_mbarrier_init(VSM_LAYOUT_SM_80, 0xfffff), 0, VSM_LAYOUT_SM_80);
	SHOW("copy-size", COPY_SIZE, vsm_prep_cp_async_bulk_g2s(0x100, BUFFER, 0, 24, 0x40), 0, 0);
	SHOW("copy-bounds", COPY_BOUNDS, vsm_prep_cp_async_bulk_g2s(0x100, BUFFER, 4080, 32, 0x40),
	     0, 0);
	SHOW("copy-mbarrier", COPY_MBARRIER,
	     vsm_prep_cp_async_bulk_g2s(CTA1 + 0x100, BUFFER, 0, 16, 0x40), 0, 0);
	SHOW("copy-overlap", COPY_OVERLAP,
	     vsm_prep_cp_async_bulk_g2s(0x130, BUFFER, 512, 32, 0x40), 0, 0);
	SHOW("copy-incomplete", COPY_INCOMPLETE,
	     vsm_prep_cp_async_bulk_s2g(BUFFER, 1024, 0x100, 64), 0, 0);
	SHOW("tensor-map", TENSOR_MAP,
	     vsm_prep_cp_async_bulk_tensor_g2s(3, 0x400, NULL, origin, 0x40), 0,
	     DRM_VSM_TENSOR_DIMS);
	SHOW("not-in-mask", NOT_IN_MASK, vsm_prep_match_any_sync_b32(7, 0xfffffffe), 0, 0);
	SHOW("warp-mismatch", WARP_MISMATCH, vsm_prep_match_all_sync_b32(7, 0x3), 0, 1);
	SHOW("shfl-source", SHFL_SOURCE,
	     vsm_prep_shfl_sync(DRM_VSM_MODE_IDX, 5, 4, 0x1f, 0xf), 0, 4);
	SHOW("partial-warp", PARTIAL_WARP, vsm_prep_barrier_sync(0, VSM_ALIGNED), 0, 1);
	SHOW("barrier-id", BARRIER_ID, vsm_prep_barrier_sync(16, VSM_ALIGNED), 0, 0);
	SHOW("barrier-count", BARRIER_COUNT, vsm_prep_barrier_sync_count(0, 0, VSM_ALIGNED), 0, 0);
	SHOW("barrier-mismatch", BARRIER_MISMATCH,
	     vsm_prep_barrier_sync_count(0, 64, VSM_ALIGNED), 0, 96);
	SHOW("barrier-overflow", BARRIER_OVERFLOW,
	     vsm_prep_barrier_arrive(0, 64, VSM_ALIGNED), 0, 0);
	SHOW("barrier-mixed", BARRIER_MIXED,
	     vsm_prep_barrier_red_popc(0, true, VSM_ALIGNED), 0, 0);
	SHOW("cluster-arrived", CLUSTER_ARRIVED, vsm_prep_barrier_cluster_arrive(0), 0, 0);
	SHOW("cluster-not-arrived", CLUSTER_NOT_ARRIVED, vsm_prep_barrier_cluster_wait(0), 0, 0);
	SHOW("thread-exited", THREAD_EXITED, vsm_prep_exit(), 0, 0);
	SHOW("thread-suspended", THREAD_SUSPENDED, vsm_prep_bar_warp_sync(0x3), 0, 0);
	return 0;
}
