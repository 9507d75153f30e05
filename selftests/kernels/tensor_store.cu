// SPDX-License-Identifier: MIT
// Tensor loads and stores with two buffers each (PTX 9.7.9.25.5). While a tile is transformed, the
// next one is loaded and the one before is stored. A buffer may be written again when the copies
// of the bulk group that reads it have read it (cp.async.bulk.wait_group.read). Before the copy
// engine reads what threads have written, a proxy fence is needed (9.7.13.4). The tiles at the edge
// are not full: loads give zeros there, and stores leave them out.
#include "vsm.cuh"

#define THREADS 128
#define TILE_X 32
#define TILE_Y 16
#define TILE_BYTES (4 * TILE_X * TILE_Y)

// The offset of a byte in a tile with 128-byte swizzle: PTX 5.5.6
static __device__ u32 swizzle_128(u32 offset)
{
	return offset ^ (offset >> 3 & 0x70);
}

KERNEL __launch_bounds__(THREADS)
tensor_store(const tensor_map from, const tensor_map to, u32 tiles_x, u32 tiles)
{
	__shared__ __align__(1024) u8 in[2][TILE_BYTES];
	__shared__ __align__(1024) float out[2][TILE_X * TILE_Y];
	__shared__ u64 full[2];
	u64 source = TENSOR_MAP(tensor_store, 0, from), target = TENSOR_MAP(tensor_store, 1, to);
	u32 t = threadIdx.x, first = blockIdx.x;

	if (t == 0) {
		prefetch_tensormap(source);
		prefetch_tensormap(target);
		mbarrier_init(shared_address(&full[0]), 1);
		mbarrier_init(shared_address(&full[1]), 1);
		fence_mbarrier_init();
		fence_proxy_async();
		if (first < tiles) {
			mbarrier_arrive_expect_tx(shared_address(&full[0]), TILE_BYTES);
			cp_async_bulk_tensor_2d(shared_address(in[0]), source,
						first % tiles_x * TILE_X, first / tiles_x * TILE_Y,
						shared_address(&full[0]));
		}
	}
	__syncthreads();

#pragma unroll 1
	for (u32 tile = first, i = 0; tile < tiles; tile += gridDim.x, i++) {
		u32 b = i & 1, next = tile + gridDim.x;

		if (t == 0) {
			if (next < tiles) {
				u32 bar = shared_address(&full[b ^ 1]);

				mbarrier_arrive_expect_tx(bar, TILE_BYTES);
				cp_async_bulk_tensor_2d(shared_address(in[b ^ 1]), source,
							next % tiles_x * TILE_X,
							next / tiles_x * TILE_Y, bar);
			}
			// At most the newest store still reads its buffer, which is the other one.
			cp_async_bulk_wait_group_read<1>();
		}
		mbarrier_wait(shared_address(&full[b]), i >> 1 & 1);
		__syncthreads();
		for (u32 k = t; k < TILE_X * TILE_Y; k += THREADS)
			out[b][k] = *(const float *)&in[b][swizzle_128(4 * k)] * 2 + (float)k;
		fence_proxy_async_shared();
		__syncthreads();
		if (t == 0) {
			cp_async_bulk_tensor_2d_s2g(target, tile % tiles_x * TILE_X,
						    tile / tiles_x * TILE_Y,
						    shared_address(out[b]));
			cp_async_bulk_commit_group();
		}
	}
	if (t == 0)
		cp_async_bulk_wait_group<0>();
}

// All CTAs add their own tile to all tiles of a tensor.
KERNEL __launch_bounds__(THREADS)
accumulate(const tensor_map to, u32 tiles_x, u32 tiles)
{
	__shared__ __align__(128) float tile[TILE_X * TILE_Y];
	u64 target = TENSOR_MAP(accumulate, 0, to);

	for (u32 k = threadIdx.x; k < TILE_X * TILE_Y; k += THREADS)
		tile[k] = (float)(k * (blockIdx.x + 1));
	fence_proxy_async_shared();
	__syncthreads();
	if (threadIdx.x == 0) {
#pragma unroll 1
		for (u32 i = 0; i < tiles; i++)
			cp_reduce_async_bulk_tensor_2d_add(target, i % tiles_x * TILE_X,
							   i / tiles_x * TILE_Y,
							   shared_address(tile));
		cp_async_bulk_commit_group();
		cp_async_bulk_wait_group<0>();
	}
}

// @size words were zero before; those behind the tensor must still be.
KERNEL check(const float *in, const float *out, const float *sums, u32 x, u32 y, u32 ctas, u32 size)
{
	for (u32 i = threadIdx.x; i < size; i += blockDim.x) {
		u32 k = i / x % TILE_Y * TILE_X + i % x % TILE_X;
		bool inside = i < x * y;

		CHECK_F32("out", i, out[i], inside ? in[i] * 2 + (float)k : 0.0f);
		CHECK_F32("sums", i, sums[i],
			  inside ? (float)(k * ctas * (ctas + 1) / 2) : 0.0f);
	}
}
