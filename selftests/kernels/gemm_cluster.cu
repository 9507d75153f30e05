// SPDX-License-Identifier: MIT
// A matrix product in which the CTAs of a cluster share the tiles of A: each CTA loads some rows of
// the tile and multicasts them to all (PTX 9.7.9.25.5.2, .multicast::cluster). Each CTA loads its
// tile of B for itself. Both complete on one mbarrier. A stage is empty in all CTAs before any of
// them may fill it.
#include "pipeline.cuh"

#define CONSUMERS 128
#define WARPS (CONSUMERS / 32)
#define STAGES 2
#define TILE 64
#define TILE_K 16

struct stage {
	float4 a[TILE][TILE_K / 4];
	float4 b[TILE_K][TILE / 4];
};

KERNEL __launch_bounds__(CONSUMERS + 32, 1)
gemm_cluster(const tensor_map a, const tensor_map b, float4 *c, u32 n, u32 k)
{
	__shared__ __align__(1024) stage tiles[STAGES];
	__shared__ u64 full[STAGES], empty[STAGES];
	u64 map_a = TENSOR_MAP(gemm_cluster, 0, a), map_b = TENSOR_MAP(gemm_cluster, 1, b);
	u32 t = threadIdx.x, column = blockIdx.x * TILE;
	u32 rank = cluster_ctarank(), ctas = cluster_nctarank(), rows = TILE / ctas;

	if (t == 0)
		pipe_init(shared_address(full), 1, shared_address(empty), WARPS * ctas, STAGES);
	barrier_cluster();

	if (t / 32 == WARPS) {
		if (elect_sync()) {
			u16 mask = (1 << ctas) - 1;
			pipe_state state = { 0, 1 };

#pragma unroll 1
			for (u32 at = 0; at < k; at += TILE_K) {
				stage &s = tiles[state.slot];
				u32 bar = shared_address(&full[state.slot]);

				mbarrier_wait_cluster(shared_address(&empty[state.slot]),
						      state.phase);
				mbarrier_arrive_expect_tx(bar, sizeof(stage));
				cp_async_bulk_tensor_2d_multicast(shared_address(s.a[rank * rows]),
								  map_a, at, rank * rows, bar,
								  mask);
				cp_async_bulk_tensor_2d(shared_address(s.b), map_b, column, at,
							bar);
				state.next(STAGES);
			}
			// The tail: all copies to this and to other CTAs have been consumed.
#pragma unroll 1
			for (u32 i = 0; i < STAGES; i++) {
				mbarrier_wait_cluster(shared_address(&empty[state.slot]),
						      state.phase);
				state.next(STAGES);
			}
		}
	} else {
		u32 x = t % 16, y = t / 16 * 8;
		float4 sum[8] = {};
		pipe_state state = { 0, 0 };

#pragma unroll 1
		for (u32 at = 0; at < k; at += TILE_K) {
			const stage &s = tiles[state.slot];

			mbarrier_wait(shared_address(&full[state.slot]), state.phase);
#pragma unroll 1
			for (u32 i = 0; i < TILE_K; i++) {
				float4 w = s.b[i][x];

#pragma unroll
				for (u32 r = 0; r < 8; r++) {
					float v = (&s.a[y + r][i / 4].x)[i % 4];

					sum[r].x = __builtin_fmaf(v, w.x, sum[r].x);
					sum[r].y = __builtin_fmaf(v, w.y, sum[r].y);
					sum[r].z = __builtin_fmaf(v, w.z, sum[r].z);
					sum[r].w = __builtin_fmaf(v, w.w, sum[r].w);
				}
			}
			bar_warp_sync(~0u);
			mbarrier_arrive_remote(shared_address(&empty[state.slot]), laneid(),
					       laneid() < ctas);
			state.next(STAGES);
		}
#pragma unroll
		for (u32 r = 0; r < 8; r++)
			c[(y + r) * (n / 4) + column / 4 + x] = sum[r];
	}
	barrier_cluster();
}

// The sums have the same order. A thread checks four neighbours.
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
