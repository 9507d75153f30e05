/* SPDX-License-Identifier: MIT */
/* The instructions of mbarrier, fences and barriers */
#ifndef VSM_MBARRIER_CUH
#define VSM_MBARRIER_CUH

#include "base.cuh"

/* ---- mbarrier: PTX 9.7.13.15 ---- */

PTX void mbarrier_init(u32 bar, u32 count)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(bar), "r"(count) : "memory");
}

PTX void mbarrier_inval(u32 bar)
{
	asm volatile("mbarrier.inval.shared::cta.b64 [%0];" :: "r"(bar) : "memory");
}

PTX u64 mbarrier_arrive_token(u32 bar)
{
	u64 token;

	asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
		     : "=l"(token) : "r"(bar) : "memory");
	return token;
}

PTX u64 mbarrier_arrive_token(u32 bar, u32 count)
{
	u64 token;

	asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;"
		     : "=l"(token) : "r"(bar), "r"(count) : "memory");
	return token;
}

PTX void mbarrier_arrive(u32 bar)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(bar) : "memory");
}

PTX void mbarrier_arrive(u32 bar, u32 count)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;"
		     :: "r"(bar), "r"(count) : "memory");
}

PTX u64 mbarrier_arrive_noComplete(u32 bar, u32 count)
{
	u64 token;

	asm volatile("mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %0, [%1], %2;"
		     : "=l"(token) : "r"(bar), "r"(count) : "memory");
	return token;
}

PTX u32 mbarrier_pending_count(u64 token)
{
	u32 count;

	asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
	return count;
}

PTX u64 mbarrier_arrive_drop(u32 bar)
{
	u64 token;

	asm volatile("mbarrier.arrive_drop.shared::cta.b64 %0, [%1];"
		     : "=l"(token) : "r"(bar) : "memory");
	return token;
}

PTX void mbarrier_expect_tx(u32 bar, u32 bytes)
{
	asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
		     :: "r"(bar), "r"(bytes) : "memory");
}

PTX void mbarrier_complete_tx(u32 bar, u32 bytes)
{
	asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
		     :: "r"(bar), "r"(bytes) : "memory");
}

PTX void mbarrier_arrive_expect_tx(u32 bar, u32 bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
		     :: "r"(bar), "r"(bytes) : "memory");
}

PTX u64 mbarrier_arrive_expect_tx_token(u32 bar, u32 bytes)
{
	u64 token;

	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;"
		     : "=l"(token) : "r"(bar), "r"(bytes) : "memory");
	return token;
}

/* Arrive on the object that is at @bar in the window of CTA @rank, as CUTLASS writes it */
PTX void mbarrier_arrive_remote(u32 bar, u32 rank)
{
	asm volatile("{\n\t"
		     ".reg .b32 remAddr32;\n\t"
		     "mapa.shared::cluster.u32 remAddr32, %0, %1;\n\t"
		     "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remAddr32];\n\t"
		     "}" :: "r"(bar), "r"(rank) : "memory");
}

/* The same, executed only by threads whose @pred is 1 */
PTX void mbarrier_arrive_remote(u32 bar, u32 rank, u32 pred)
{
	asm volatile("{\n\t"
		     ".reg .pred p;\n\t"
		     ".reg .b32 remAddr32;\n\t"
		     "setp.eq.u32 p, %2, 1;\n\t"
		     "@p mapa.shared::cluster.u32 remAddr32, %0, %1;\n\t"
		     "@p mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remAddr32];\n\t"
		     "}" :: "r"(bar), "r"(rank), "r"(pred) : "memory");
}

PTX void mbarrier_arrive_expect_tx_remote(u32 bar, u32 rank, u32 bytes)
{
	asm volatile("{\n\t"
		     ".reg .b32 remAddr32;\n\t"
		     "mapa.shared::cluster.u32 remAddr32, %0, %1;\n\t"
		     "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 "
		     "_, [remAddr32], %2;\n\t"
		     "}" :: "r"(bar), "r"(rank), "r"(bytes) : "memory");
}

#define VSM_WAIT_TEST(name, form, type, letter)						\
	PTX bool name(u32 bar, type phase)						\
	{										\
		u32 done;								\
											\
		asm volatile("{\n\t"							\
			     ".reg .pred P1;\n\t"					\
			     form " P1, [%1], %2;\n\t"					\
			     "selp.b32 %0, 1, 0, P1;\n\t"				\
			     "}" : "=r"(done) : "r"(bar), letter(phase) : "memory");	\
		return done;								\
	}

VSM_WAIT_TEST(mbarrier_test_wait, "mbarrier.test_wait.shared::cta.b64", u64, "l")
VSM_WAIT_TEST(mbarrier_try_wait, "mbarrier.try_wait.shared::cta.b64", u64, "l")
VSM_WAIT_TEST(mbarrier_test_wait_parity, "mbarrier.test_wait.parity.shared::cta.b64", u32, "r")
VSM_WAIT_TEST(mbarrier_try_wait_parity, "mbarrier.try_wait.parity.shared::cta.b64", u32, "r")

/* try_wait with a time limit in nanoseconds */
PTX bool mbarrier_try_wait_parity(u32 bar, u32 parity, u32 nanoseconds)
{
	u32 done;

	asm volatile("{\n\t"
		     ".reg .pred P1;\n\t"
		     "mbarrier.try_wait.parity.shared::cta.b64 P1, [%1], %2, %3;\n\t"
		     "selp.b32 %0, 1, 0, P1;\n\t"
		     "}" : "=r"(done) : "r"(bar), "r"(parity), "r"(nanoseconds) : "memory");
	return done;
}

/* The loop around try_wait, as CUTLASS writes it: the labels are local to the block */
PTX void mbarrier_wait(u32 bar, u32 parity)
{
	asm volatile("{\n\t"
		     ".reg .pred P1;\n\t"
		     "LAB_WAIT:\n\t"
		     "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n\t"
		     "@P1 bra DONE;\n\t"
		     "bra LAB_WAIT;\n\t"
		     "DONE:\n\t"
		     "}" :: "r"(bar), "r"(parity) : "memory");
}

/* The same with a time limit, so that the loop goes round while the wait is long */
PTX void mbarrier_wait(u32 bar, u32 parity, u32 nanoseconds)
{
	asm volatile("{\n\t"
		     ".reg .pred P1;\n\t"
		     "LAB_WAIT:\n\t"
		     "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1, %2;\n\t"
		     "@P1 bra DONE;\n\t"
		     "bra LAB_WAIT;\n\t"
		     "DONE:\n\t"
		     "}" :: "r"(bar), "r"(parity), "r"(nanoseconds) : "memory");
}

/* The same for data that other CTAs of the cluster have written */
PTX void mbarrier_wait_cluster(u32 bar, u32 parity)
{
	asm volatile("{\n\t"
		     ".reg .pred P1;\n\t"
		     "LAB_WAIT:\n\t"
		     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 P1, [%0], %1;\n\t"
		     "@P1 bra DONE;\n\t"
		     "bra LAB_WAIT;\n\t"
		     "DONE:\n\t"
		     "}" :: "r"(bar), "r"(parity) : "memory");
}

/* ---- Fences: PTX 9.7.13.4 ---- */

VSM_PLAIN(fence_mbarrier_init, "fence.mbarrier_init.release.cluster;")
VSM_PLAIN(fence_proxy_async, "fence.proxy.async;")
VSM_PLAIN(fence_proxy_async_shared, "fence.proxy.async.shared::cta;")
VSM_PLAIN(fence_acq_rel_cta, "fence.acq_rel.cta;")
VSM_PLAIN(fence_acq_rel_cluster, "fence.acq_rel.cluster;")
VSM_PLAIN(fence_acq_rel_gpu, "fence.acq_rel.gpu;")
VSM_PLAIN(fence_sc_gpu, "fence.sc.gpu;")
VSM_PLAIN(membar_gl, "membar.gl;")

/* ---- Barriers of warps, CTAs and clusters: PTX 9.7.13.1 to 9.7.13.3 ---- */

VSM_PLAIN(barrier_cluster_arrive, "barrier.cluster.arrive.release.aligned;")
VSM_PLAIN(barrier_cluster_arrive_relaxed, "barrier.cluster.arrive.relaxed.aligned;")
VSM_PLAIN(barrier_cluster_wait, "barrier.cluster.wait.acquire.aligned;")

PTX void barrier_cluster(void)
{
	barrier_cluster_arrive();
	barrier_cluster_wait();
}

PTX void bar_sync(u32 id, u32 count)
{
	asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(count) : "memory");
}

PTX void bar_arrive(u32 id, u32 count)
{
	asm volatile("bar.arrive %0, %1;" :: "r"(id), "r"(count) : "memory");
}

/* The form that need not be executed by the whole warp at once */
PTX void barrier_sync(u32 id, u32 count)
{
	asm volatile("barrier.sync %0, %1;" :: "r"(id), "r"(count) : "memory");
}

PTX u32 bar_red_popc(u32 id, bool pred)
{
	u32 sum;

	asm volatile("{\n\t"
		     ".reg .pred p;\n\t"
		     "setp.ne.u32 p, %2, 0;\n\t"
		     "bar.red.popc.u32 %0, %1, p;\n\t"
		     "}" : "=r"(sum) : "r"(id), "r"((u32)pred) : "memory");
	return sum;
}

PTX void bar_warp_sync(u32 mask)
{
	asm volatile("bar.warp.sync %0;" :: "r"(mask) : "memory");
}

#endif /* VSM_MBARRIER_CUH */
