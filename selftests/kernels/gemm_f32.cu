// SPDX-License-Identifier: MIT
// A tiled matrix product: C = A * B. Tensor loads bring tiles of A (with 64-byte swizzle) and of B
// to shared memory (PTX 9.7.9.25.5.2), a producer warp ahead of the consumers; each of 128
// consumers computes 8 x 4 elements of the CTA's 64 x 64 tile with fma.
#include "pipeline.cuh"

#define CONSUMERS 128
#define STAGES 3
#define TILE 64
#define TILE_K 16

struct stage {
	float4 a[TILE][TILE_K / 4];	// rows of A, swizzled
	float4 b[TILE_K][TILE / 4];	// rows of B
};

KERNEL __launch_bounds__(CONSUMERS + 32, 1)
gemm_f32(const tensor_map a, const tensor_map b, float4 *c, u32 n, u32 k)
{
	__shared__ __align__(1024) stage tiles[STAGES];
	__shared__ u64 full[STAGES], empty[STAGES];
	u64 map_a = TENSOR_MAP(gemm_f32, 0, a), map_b = TENSOR_MAP(gemm_f32, 1, b);
	u32 t = threadIdx.x, row = blockIdx.y * TILE, column = blockIdx.x * TILE;

	if (t == 0) {
		prefetch_tensormap(map_a);
		prefetch_tensormap(map_b);
		pipe_init(shared_address(full), 1, shared_address(empty), CONSUMERS / 32, STAGES);
	}
	__syncthreads();

	if (t >= CONSUMERS) {
		if (elect_sync()) {
			pipe_state state = { 0, 1 };
			u64 policy = createpolicy_evict_first();

#pragma unroll 1
			for (u32 at = 0; at < k; at += TILE_K) {
				u32 bar = shared_address(&full[state.slot]);

				mbarrier_wait(shared_address(&empty[state.slot]), state.phase);
				mbarrier_arrive_expect_tx(bar, sizeof(stage));
				cp_async_bulk_tensor_2d_hint(shared_address(tiles[state.slot].a),
							     map_a, at, row, bar, policy);
				cp_async_bulk_tensor_2d(shared_address(tiles[state.slot].b), map_b,
							column, at, bar);
				state.next(STAGES);
			}
		}
		return;
	}

	u32 x = t % 16, y = t / 16 * 8;
	float4 sum[8] = {};
	pipe_state state = { 0, 0 };

#pragma unroll 1
	for (u32 at = 0; at < k; at += TILE_K) {
		const stage &s = tiles[state.slot];

		mbarrier_wait(shared_address(&full[state.slot]), state.phase);
#pragma unroll 1
		for (u32 chunk = 0; chunk < TILE_K / 4; chunk++) {
			float4 rows[8];

			// The swizzle exchanges the 16-byte chunks of a row: chunk number xor bits
			// 1 and 2 of the row number.
#pragma unroll
			for (u32 r = 0; r < 8; r++)
				rows[r] = s.a[y + r][chunk ^ ((y + r) >> 1 & 3)];
#pragma unroll
			for (u32 i = 0; i < 4; i++) {
				float4 w = s.b[chunk * 4 + i][x];

#pragma unroll
				for (u32 r = 0; r < 8; r++) {
					float v = i == 0 ? rows[r].x : i == 1 ? rows[r].y :
						  i == 2 ? rows[r].z : rows[r].w;

					sum[r].x = __builtin_fmaf(v, w.x, sum[r].x);
					sum[r].y = __builtin_fmaf(v, w.y, sum[r].y);
					sum[r].z = __builtin_fmaf(v, w.z, sum[r].z);
					sum[r].w = __builtin_fmaf(v, w.w, sum[r].w);
				}
			}
		}
		bar_warp_sync(~0u);
		if (laneid() == 0)
			mbarrier_arrive(shared_address(&empty[state.slot]));
		state.next(STAGES);
	}
#pragma unroll
	for (u32 r = 0; r < 8; r++)
		c[(row + y + r) * (n / 4) + column / 4 + x] = sum[r];
}

// The sums have the same order, so that the results are equal bit for bit. A thread checks four
// neighbours.
KERNEL check(const float *a, const float4 *b, const float4 *c, u32 n, u32 k)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x, row = i / (n / 4), x = i % (n / 4);
	float4 sum = {};

	for (u32 at = 0; at < k; at++) {
		float v = a[row * k + at];
		float4 w = b[at * (n / 4) + x];

		sum.x = __builtin_fmaf(v, w.x, sum.x);
		sum.y = __builtin_fmaf(v, w.y, sum.y);
		sum.z = __builtin_fmaf(v, w.z, sum.z);
		sum.w = __builtin_fmaf(v, w.w, sum.w);
	}
	CHECK_F32("c", 4 * i, c[i].x, sum.x);
	CHECK_F32("c", 4 * i + 1, c[i].y, sum.y);
	CHECK_F32("c", 4 * i + 2, c[i].z, sum.z);
	CHECK_F32("c", 4 * i + 3, c[i].w, sum.w);
}
