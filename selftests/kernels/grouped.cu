// SPDX-License-Identifier: MIT
// A kernel that changes its tensor map, as grouped matrix products do: the CTA copies the map of
// its parameter to shared memory, replaces the address, the size and the stride of the tensor
// (tensormap.replace, PTX 9.7.9.27), and writes the map to global memory with a fence between the
// proxies (tensormap.cp_fenceproxy, 9.7.13.6). Loads use the map behind
// fence.proxy.tensormap (9.7.13.4).
#include "vsm.cuh"

#define THREADS 64
#define BOX_X 16
#define BOX_Y 8
#define BOX_BYTES (4 * BOX_X * BOX_Y)

// Where a group's tensor begins in the words of all groups, and its size
struct group {
	u32 first;
	u32 x;
	u32 y;
};

KERNEL __launch_bounds__(THREADS)
grouped(const tensor_map pattern, const u32 *words, const group *groups, tensor_map *maps,
	u32 *sums, u32 count)
{
	__shared__ __align__(128) u32 map[32];
	__shared__ __align__(128) u32 tile[BOX_X * BOX_Y];
	__shared__ u64 full;
	const u32 *source = (const u32 *)TENSOR_MAP(grouped, 0, pattern);
	u64 own = (u64)&maps[blockIdx.x];
	u32 t = threadIdx.x, bar = shared_address(&full), phase = 0;

	if (t == 0) {
		mbarrier_init(bar, 1);
		fence_mbarrier_init();
	}
	if (t < 32)
		map[t] = source[t];
	__syncthreads();

#pragma unroll 1
	for (u32 g = blockIdx.x; g < count; g += gridDim.x) {
		u32 first = groups[g].first, x = groups[g].x, y = groups[g].y, sum = 0;

		if (t < 32) {
			if (t == 0) {
				u32 at = shared_address(map);

				tensormap_replace_address(at, words + first);
				tensormap_replace_dim<0>(at, x);
				tensormap_replace_dim<1>(at, y);
				tensormap_replace_stride<0>(at, 4ull * x);
			}
			bar_warp_sync(~0u);
			tensormap_cp_fenceproxy(own, shared_address(map));
		}
#pragma unroll 1
		for (u32 at = 0; at < y; at += BOX_Y) {
			if (t == 0) {
				fence_proxy_tensormap_acquire(own);
				mbarrier_arrive_expect_tx(bar, BOX_BYTES);
				cp_async_bulk_tensor_2d(shared_address(tile), own, 0, at, bar);
			}
			mbarrier_wait(bar, phase);
			phase ^= 1;
			for (u32 i = t; i < BOX_X * BOX_Y; i += THREADS)
				sum += tile[i] * (i + 1);
			__syncthreads();
		}
		sums[g * THREADS + t] = sum;
	}
}

KERNEL prepare(group *groups, u32 count)
{
	u32 first = 0;

	for (u32 g = 0; g < count; g++) {
		groups[g].first = first;
		groups[g].x = 4 + 4 * (g % 4);
		groups[g].y = 3 + 5 * g;
		first += groups[g].x * groups[g].y;
	}
}

// Elements outside of a group's tensor count as 0.
KERNEL check(const u32 *words, const group *groups, const u32 *sums)
{
	u32 g = blockIdx.x, t = threadIdx.x, sum = 0;

	for (u32 at = 0; at < groups[g].y; at += BOX_Y) {
		for (u32 i = t; i < BOX_X * BOX_Y; i += THREADS) {
			u32 x = i % BOX_X, y = at + i / BOX_X;

			if (x < groups[g].x && y < groups[g].y)
				sum += words[groups[g].first + y * groups[g].x + x] * (i + 1);
		}
	}
	CHECK_U32("sums", g * THREADS + t, sums[g * THREADS + t], sum);
}
