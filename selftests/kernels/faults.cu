// SPDX-License-Identifier: MIT
// Mistakes that the library finds at the instruction, before a hang or a wrong result: a guard
// that divides a warp in an instruction with .aligned, and copies of memory that is in no buffer or
// that kernels must not write to.
#include "vsm.cuh"

#define WORDS 32

// Only some lanes of the warp execute the bar.sync, which is barrier.cta.sync.aligned.
KERNEL guarded_barrier(u32 lanes)
{
	asm volatile("{ .reg .pred p; setp.lt.u32 p, %0, %1; @p bar.sync 0; }"
		     :: "r"(threadIdx.x), "r"(lanes) : "memory");
}

// The same for a barrier of the cluster. The others do not wait for these lanes.
KERNEL guarded_cluster_barrier(u32 lanes)
{
	asm volatile("{ .reg .pred p; setp.lt.u32 p, %0, %1;"
		     "@p barrier.cluster.arrive.aligned; @p barrier.cluster.wait.aligned; }"
		     :: "r"(threadIdx.x), "r"(lanes) : "memory");
}

KERNEL copy(const u32 *in, u64 first)
{
	__shared__ __align__(16) u32 data[4];

	asm volatile("cp.async.ca.shared.global [%0], [%1], 16;"
		     :: "r"(shared_address(data)), "l"(in + first) : "memory");
	asm volatile("cp.async.wait_all;" ::: "memory");
}

// A copy that reads no bytes writes zeros, wherever its source is.
KERNEL copy_nothing(const u32 *in, u64 first, u32 *out)
{
	__shared__ __align__(16) u32 data[4];

	data[2] = 1;
	asm volatile("cp.async.ca.shared.global [%0], [%1], 16, 0;"
		     :: "r"(shared_address(data)), "l"(in + first) : "memory");
	asm volatile("cp.async.wait_all;" ::: "memory");
	out[0] = data[2] + 5;
}

KERNEL check_copy_nothing(const u32 *out)
{
	CHECK_U32("out", 0, out[0], 5);
}

// The bulk store of a tensor to constant memory, with and without a reduction.
__constant__ __align__(128) u32 fixed[2 * WORDS] = {1, 2, 3};

KERNEL tensor_store(const tensor_map pattern, u32 *out, u32 *maps, u32 constant, u32 add)
{
	__shared__ __align__(128) u32 map[32];
	__shared__ __align__(128) u32 data[WORDS];
	const u32 *source = (const u32 *)TENSOR_MAP(tensor_store, 0, pattern);
	u32 t = threadIdx.x;
	u64 own = (u64)maps;

	map[t] = source[t];
	data[t] = t + 7;
	fence_proxy_async();
	if (t == 0)
		tensormap_replace_address(shared_address(map), constant ? fixed : out);
	bar_warp_sync(~0u);
	tensormap_cp_fenceproxy(own, shared_address(map));
	if (t == 0) {
		fence_proxy_tensormap_acquire(own);
		if (add)
			cp_reduce_async_bulk_tensor_2d_add(own, 0, 0, shared_address(data));
		else
			cp_async_bulk_tensor_2d_s2g(own, 0, 0, shared_address(data));
		cp_async_bulk_commit_group();
		cp_async_bulk_wait_group<0>();
	}
}

KERNEL check_tensor_store(const u32 *out, u32 times)
{
	CHECK_U32("out", threadIdx.x, out[threadIdx.x], times * (threadIdx.x + 7));
}

KERNEL store(u32 *out, u64 first)
{
	__shared__ __align__(16) u32 data[WORDS];

	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;"
		     :: "l"(out + first), "r"(shared_address(data)) : "memory");
	asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

// The map has a bad address for a while, which is no fault; with @bad != 0 a copy uses it.
KERNEL replaced_map(const tensor_map pattern, const u32 *in, u32 *maps, u32 bad)
{
	__shared__ __align__(128) u32 map[32];
	__shared__ __align__(128) u32 data[WORDS];
	__shared__ u64 full;
	const u32 *source = (const u32 *)TENSOR_MAP(replaced_map, 0, pattern);
	u32 t = threadIdx.x, bar = shared_address(&full);
	u64 own = (u64)maps;

	map[t] = source[t];
	if (t == 0) {
		mbarrier_init(bar, 1);
		fence_mbarrier_init();
		tensormap_replace_address(shared_address(map), (const void *)0x4000);
		if (!bad)
			tensormap_replace_address(shared_address(map), in);
	}
	bar_warp_sync(~0u);
	tensormap_cp_fenceproxy(own, shared_address(map));
	if (t == 0) {
		fence_proxy_tensormap_acquire(own);
		mbarrier_arrive_expect_tx(bar, sizeof(data));
		cp_async_bulk_tensor_1d(shared_address(data), own, 0, bar);
	}
	mbarrier_wait(bar, 0);
}

// A tensor store may not begin at a negative coordinate.
KERNEL negative_store(const tensor_map square, s32 y)
{
	__shared__ __align__(128) u32 data[WORDS];

	cp_async_bulk_tensor_2d_s2g(TENSOR_MAP(negative_store, 0, square), 0, y, shared_address(data));
	cp_async_bulk_commit_group();
	cp_async_bulk_wait_group<0>();
}

// Plain accesses of a valid mbarrier, bar[1]. Its neighbours are data.
KERNEL plain_access(u32 how, u32 *out)
{
	__shared__ __align__(16) u64 bar[4];
	u32 b = shared_address(&bar[1]);

	if (threadIdx.x)
		return;
	bar[0] = 5;
	mbarrier_init(b, 1);
	bar[2] = 6;
	switch (how) {
	case 0:
		mbarrier_inval(b);
		bar[1] = 7;
		break;
	case 1:
		asm volatile("{ .reg .b32 r; ld.shared.u8 r, [%0 + 7]; }" :: "r"(b) : "memory");
		break;
	case 2:
		asm volatile("st.shared.u32 [%0 + 4], 1;" :: "r"(b) : "memory");
		break;
	case 3:
		asm volatile("{ .reg .b32 r; atom.shared.add.u32 r, [%0], 1; }" :: "r"(b) : "memory");
		break;
	case 4:
		asm volatile("red.shared.or.b64 [%0], 1;" :: "r"(b) : "memory");
		break;
	case 5:
		asm volatile("{ .reg .b64 r, s; ld.shared.v2.u64 {r, s}, [%0]; }"
			     :: "r"(b - 8) : "memory");
		break;
	case 6:
		asm volatile("{ .reg .b64 r; ld.b64 r, [%0]; }" :: "l"(&bar[1]) : "memory");
		break;
	default:
		asm volatile("st.shared::cluster.u32 [%0], 1;" :: "r"(mapa(b, 0)) : "memory");
		break;
	}
	out[0] = bar[0] + bar[2];
}

// A wait for the number of a phase, instead of its parity. The phase 0 is complete, and 1 is not.
KERNEL number_of_phase(u32 number)
{
	__shared__ u64 full;
	u32 bar = shared_address(&full);

	mbarrier_init(bar, 1);
	mbarrier_arrive(bar);
	mbarrier_wait(bar, number);
}
