// SPDX-License-Identifier: MIT
// 54 programs that PTX forbids, leaves undefined or that are odd in other ways, one kernel each. The
// numbers are those of selftests/golden/h100/cases.xz, which says what an H100 did with the same
// programs. cases.table says what vsm does.
//
// There are three changes. Reads of a live mbarrier's word are left out where they are not what the
// program is about. Programs wait for a copy until it has come, and not for 100 us. Case 50 begins
// with a barrier of the cluster: without it, it is a race.
#include "vsm.cuh"

struct place {
	u32 b, sm;		// shared::cta addresses of eight words and of 4096 bytes
	u32 lane, warp, rank;
	bool one;		// this is the first thread of the first CTA
};

PTX place begin(u64 *w, u8 *sm)
{
	u32 t = threadIdx.x, rank = blockIdx.x;

	if (t == 0) {
		for (int i = 0; i < 8; i++)
			w[i] = 0;
		mbarrier_init(shared_address(w), 4);
	}
	__syncthreads();
	fence_mbarrier_init();
	return { shared_address(w), shared_address(sm), t % 32, t / 32, rank, t == 0 && !rank };
}

#define BODY static __device__ inline __attribute__((always_inline)) void

// A kernel. Its body has the parameters, and where it is, for threads for which @who is true.
#define KERNEL_OF(n, who)								\
	BODY body_##n(const place &p, u64 *out, const u8 *g);				\
	KERNEL case_##n(u64 *out, const u8 *g)						\
	{										\
		__shared__ __align__(16) u64 w[8];					\
		__shared__ __align__(128) u8 sm[4096];					\
		place p = begin(w, sm);							\
											\
		if (who)								\
			body_##n(p, out, g);						\
		if (p.one)								\
			out[0] = 1;							\
	}										\
	BODY body_##n([[maybe_unused]] const place &p, [[maybe_unused]] u64 *out,	\
		      [[maybe_unused]] const u8 *g)
#define CASE(n)	KERNEL_OF(n, true)
#define ONE(n)	KERNEL_OF(n, p.one)	// only the first thread of the first CTA

#define init	mbarrier_init
#define arrive	mbarrier_arrive_token
#define test	mbarrier_test_wait_parity
#define BAR(text) asm volatile(text ";" ::: "memory")
#define ARRIVE	"barrier.cluster.arrive;"

PTX u64 word(u32 b)
{
	u64 w;

	asm volatile("ld.volatile.shared.b64 %0, [%1];" : "=l"(w) : "r"(b) : "memory");
	return w;
}

PTX void store_word(u32 b, u64 w)
{
	asm volatile("st.volatile.shared.b64 [%0], %1;" :: "r"(b), "l"(w) : "memory");
}

PTX void arrive_at(u32 remote)
{
	asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
		     :: "r"(remote) : "memory");
}

// With any seed, the other warps come to their end or to a wait.
PTX void others_first(void)
{
	for (int i = 0; i < 200; i++)
		nanosleep(1000);
}

// ---- addresses ----

ONE(0) { out[1] = arrive(p.b + 4); }
ONE(1) { out[1] = arrive(p.b + 1); }
ONE(2) { out[1] = arrive(0x100000); }
ONE(3)
{
	u32 bytes;

	asm("mov.u32 %0, %%total_smem_size;" : "=r"(bytes));
	out[1] = arrive((bytes + 7) & ~7u);
}
ONE(4) { init(p.b + 4, 1); }
CASE(5) { barrier_cluster(); if (p.one) arrive_at(mapa(p.b, 5)); barrier_cluster(); }
CASE(6)
{
	barrier_cluster();
	if (p.rank == 1)
		return;
	others_first();
	if (p.one)
		arrive_at(mapa(p.b, 1));
}
CASE(7) { barrier_cluster(); if (p.one) out[1] = test(mapa(p.b, 1), 0); barrier_cluster(); }

// ---- phases and tokens ----

ONE(8)
{
	u64 token[5];

	init(p.b + 8, 1);
	for (int i = 0; i < 5; i++)
		out[10 + i] = token[i] = arrive(p.b + 8);
	for (int i = 0; i < 5; i++)
		out[20 + i] = mbarrier_test_wait(p.b + 8, token[i]);
}
ONE(9)
{
	init(p.b + 8, 1);
	arrive(p.b + 8);
	arrive(p.b + 8);
	out[1] = test(p.b + 8, 0);
	out[2] = test(p.b + 8, 1);
}

// ---- warps and barriers ----

CASE(10) { if (!p.warp) BAR("bar.arrive 1, 64; bar.sync 1, 64"); out[1 + p.warp] = 1; }
CASE(11)
{
	u32 r = 77;

	if (p.lane < 12)
		asm volatile("shfl.sync.down.b32 %0, %1, 8, 0x1f, 0xfff;"
			     : "=r"(r) : "r"(p.lane + 100));
	if (p.warp == 0)
		out[10 + p.lane] = r;
}
CASE(12) { if (p.warp == 0) out[10 + p.lane] = match_any(0xfffffffe, p.lane / 4); }

// ---- copies ----

ONE(13)
{
	init(p.b + 8, 1);
	mbarrier_arrive_expect_tx(p.b + 8, 8);
	cp_async_bulk_g2s(p.sm, g, 8, p.b + 8);
}
ONE(14) { init(p.b + 8, 1); cp_async_bulk_g2s(p.sm + 8, g, 16, p.b + 8); }
ONE(15) { init(p.b + 8, 1); cp_async_bulk_g2s(0x3c000, g, 16, p.b + 8); }
ONE(16)
{
	cp_async_bulk_g2s(p.sm, g, 16, p.b + 16);
	for (int i = 0; i < 10000 && !word(p.sm); i++)
		nanosleep(10000);
	out[2] = word(p.sm);
}

// ---- mbarriers ----

ONE(17)
{
	init(p.b + 8, 2);
	mbarrier_complete_tx(p.b + 8, 16);
	arrive(p.b + 8);
	arrive(p.b + 8);
	out[4] = 1;
	out[5] = test(p.b + 8, 0);
	arrive(p.b + 8);
}
CASE(18)
{
	if (p.warp != 1 || p.lane)
		return;
	init(p.b + 8, 2);
	arrive(p.b + 8);
	init(p.b + 8, 1);
	out[2] = test(p.b + 8, 0);
	arrive(p.b + 8);
	out[4] = test(p.b + 8, 0);
}
ONE(19)
{
	init(p.b + 8, 2);
	arrive(p.b + 8);
	store_word(p.b + 8, 0x1234);
	out[1] = word(p.b + 8);
	out[2] = arrive(p.b + 8);
	out[3] = word(p.b + 8);
}
ONE(20)
{
	out[1] = test(p.b + 24, 0);
	out[2] = test(p.b + 24, 1);
	store_word(p.b + 24, ~0ull & ~(1ull << 42));
	for (int i = 0; i < 4; i++)
		out[3 + i] = test(p.b + 24, i);
}
ONE(21)
{
	out[1] = mbarrier_arrive_noComplete(p.b, 2);
	out[2] = mbarrier_pending_count(out[1]);
	out[3] = arrive(p.b);
	out[4] = mbarrier_pending_count(out[3]);
	out[5] = mbarrier_pending_count(0);
	out[6] = mbarrier_pending_count(~0ull);
}

// ---- exits, with and without a count ----

CASE(22) { BAR("bar.sync 1, 96"); out[1] = 1; }
CASE(23) { }
CASE(24) { if (p.warp == 1) return; __syncthreads(); out[1] = 1; }
CASE(25) { if (p.warp == 1) return; BAR("bar.sync 1, 64"); out[1] = 1; }
CASE(26) { BAR(ARRIVE ARRIVE "barrier.cluster.wait"); out[1] = 1; }
CASE(27) { }
CASE(28)
{
	u64 token = 0;

	if (p.warp)
		return;
	if (p.lane == 3 || p.lane == 9)
		token = mbarrier_arrive_noComplete(p.b, 1);
	out[10 + p.lane] = token;
}
ONE(29)
{
	init(p.b + 8, 1000);
	for (int i = 0; i < 8; i++) {
		arrive(p.b + 8);
		out[1 + i] = word(p.b + 8);
	}
}
CASE(30) { }
ONE(31)
{
	init(p.b + 8, 1);
	store_word(p.b + 16, 0);
	mbarrier_arrive_expect_tx(p.b + 8, 16);
	cp_async_bulk_g2s(p.b + 16, g, 16, p.b + 8);
	mbarrier_wait(p.b + 8, 0);
	out[1] = word(p.b + 16);
}
CASE(32) { if (p.warp == 1) return; nanosleep(50000); BAR("bar.sync 1"); out[1] = 1; }
CASE(33) { if (p.warp == 1) return; nanosleep(50000); BAR("bar.sync 0, 64"); out[1] = 1; }
CASE(34) { if (p.warp == 1) { nanosleep(400000); return; } BAR("bar.sync 1, 64"); out[1] = 1; }
CASE(35) { if (p.warp == 1) { nanosleep(400000); return; } BAR("bar.sync 0"); out[1] = 1; }
CASE(36) { if (p.warp) return; BAR("bar.sync 1, 64"); out[1] = 1; }
CASE(37) { if (p.warp == 2) return; BAR("bar.sync 1, 96"); out[1 + p.warp] = 1; }
CASE(38)
{
	if (p.warp == 1) { BAR("bar.arrive 1, 64"); return; }
	nanosleep(50000);
	BAR("bar.sync 1, 64");
	out[1] = 1;
}
CASE(39) { if (p.warp == 1 && p.lane < 16) return; BAR("barrier.sync 1"); out[1 + p.warp] = 1; }
CASE(40)
{
	BAR("bar.arrive 1, 64");
	BAR("bar.arrive 1, 64");
	out[1 + p.warp] = 1;
	if (p.warp)
		return;
	others_first();
	BAR("bar.sync 1, 64");
	out[9] = 1;
}
CASE(41)
{
	if (!p.warp) {
		BAR("bar.sync 1, 64");
	} else {
		nanosleep(50000);
		BAR("bar.sync 1, 96");
	}
	out[1 + p.warp] = 1;
}
CASE(42)
{
	if (!p.warp) {
		BAR("bar.sync 1, 64");
	} else {
		nanosleep(50000);
		asm volatile("{ .reg .pred q; .reg .u32 r; setp.eq.u32 q, 1, 1;"
			     "bar.red.popc.u32 r, 1, 64, q; }" ::: "memory");
	}
	out[1 + p.warp] = 1;
}

// ---- more of warps and clusters ----

CASE(43)
{
	u32 r = p.lane < 16 ? match_any(0xffffffff, 1) : match_any(0xffff0000, 1);

	if (!p.warp)
		out[10 + p.lane] = r;
}
CASE(44)
{
	if (p.lane >= 16)
		return;

	u32 r = shfl_bfly(0xffffffff, p.lane + 100, 16);

	if (!p.warp)
		out[10 + p.lane] = r;
}
CASE(45) { BAR("barrier.cluster.wait"); if (p.one) out[1] = 1; }
CASE(46) { BAR(ARRIVE ARRIVE "barrier.cluster.wait"); if (p.one) out[1] = 1; }
CASE(47) { if (p.rank == 1) return; nanosleep(50000); barrier_cluster(); if (p.one) out[1] = 1; }
ONE(48)
{
	init(p.b + 8, 1);
	mbarrier_arrive_expect_tx(p.b + 8, 64);
	cp_async_bulk_g2s(p.sm, g, 128, p.b + 8);
	for (int i = 0; i < 10000 && !word(p.sm + 120); i++)
		nanosleep(10000);
	out[1] = 1;
	out[2] = test(p.b + 8, 0);
	out[3] = test(p.b + 8, 1);
}
ONE(49)
{
	init(p.b + 8, 2);
	arrive(p.b + 8);
	mbarrier_inval(p.b + 8);
	out[1] = word(p.b + 8);
	out[2] = arrive(p.b + 8);
	mbarrier_inval(p.b + 8);
	out[3] = word(p.b + 8);
}
CASE(50)
{
	barrier_cluster();
	if (p.one) {
		asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%0], 48;"
			     :: "r"(mapa(p.b, 1)) : "memory");
		mbarrier_arrive_expect_tx_remote(p.b, 1, 16);
	}
	barrier_cluster();
	if (p.rank == 1 && threadIdx.x == 0) {
		mbarrier_inval(p.b);
		out[1] = word(p.b);
	}
	barrier_cluster();
}
CASE(51) { if (!p.warp) setmaxnreg_dec<24>(); out[1] = 1; }
CASE(52) { BAR("griddepcontrol.wait"); if (p.one) out[1] = 1; }
CASE(53)
{
	u32 r, q;

	asm volatile("{ .reg .pred e; elect.sync %0|e, 0xffffffff; selp.u32 %1, 1, 0, e; }"
		     : "=r"(r), "=r"(q));
	if (!p.warp)
		out[10 + p.lane] = r << 8 | q;
}

// ---- comparison ----

KERNEL fill(u32 *g)
{
	g[threadIdx.x] = 0x5a5a5a5a;
}

// The words of @words, and the upper halves of the words of @halves, are those of the H100.
KERNEL check(const u32 *out, const u32 *recorded, u64 words, u64 halves)
{
	for (u32 i = 0; i < 64; i++) {
		if (words >> i & 1)
			CHECK_U32("low", i, out[2 * i], recorded[2 * i]);
		if ((words | halves) >> i & 1)
			CHECK_U32("high", i, out[2 * i + 1], recorded[2 * i + 1]);
	}
}
