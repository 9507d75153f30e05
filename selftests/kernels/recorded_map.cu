// SPDX-License-Identifier: MIT
// Tensor maps as CUDA encodes them: a CUtensorMap that was recorded on an H100, which the launch file
// reads from a file, is equal to the map with the same parameters that it spells. Copies take it from a
// parameter and from constant memory (PTX 9.7.9.25.5.2).
#include "vsm.cuh"

#define WORDS 32
#define ROW 16
#define SIZE_X 8

__constant__ __align__(128) tensor_map stored = {};

// The offset of a word in a tile with 64-byte swizzle: PTX 5.5.6
static __device__ u32 swizzle_64(u32 word)
{
	return word ^ (word >> 3 & 0xc);
}

KERNEL __launch_bounds__(WORDS)
recorded_map(const tensor_map recorded, const tensor_map spelled, const u32 *in)
{
	__shared__ __align__(512) u32 tiles[3][4 * WORDS];
	__shared__ u64 full;
	u64 maps[] = {
		TENSOR_MAP(recorded_map, 0, recorded), TENSOR_MAP(recorded_map, 1, spelled),
		(u64)&stored,
	};
	u32 t = threadIdx.x, bar = shared_address(&full);

	for (u32 i = 0; i < 3; i++)
		CHECK_U32("map", t, ((const u32 *)maps[i])[t], ((const u32 *)maps[1])[t]);
	CHECK_U32("rank", 0, ((const u32 *)maps[0])[2] >> 4 & 7, 1);
	CHECK_U32("address", 0, ((const u32 *)maps[0])[0], (u32)(u64)in);
	if (t == 0) {
		mbarrier_init(bar, 1);
		fence_mbarrier_init();
		mbarrier_arrive_expect_tx(bar, 3 * 4 * WORDS);
		for (u32 i = 0; i < 3; i++)
			cp_async_bulk_tensor_2d(shared_address(tiles[i]), maps[i], 0, 5, bar);
	}
	bar_warp_sync(~0u);
	mbarrier_wait(bar, 0);
	for (u32 i = 0; i < 3; i++)
		CHECK_U32("tile", t, tiles[i][swizzle_64(t)],
			  t % ROW < SIZE_X ? in[(5 + t / ROW) * SIZE_X + t % ROW] : 0);
}
