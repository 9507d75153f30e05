// SPDX-License-Identifier: MIT
// The threads that have work in the last tile meet at a named barrier. The programmer took their
// number as its count. Barriers count warps: the count must be a multiple of 32.
#include "../pipeline.cuh"

#define CONSUMERS 96
#define STAGES 2
#define TILE_WORDS CONSUMERS
#define TILE_BYTES (4 * TILE_WORDS)

KERNEL barrier_not_warps(const u32 *in, u32 *out, u32 words)
{
	__shared__ __align__(128) u32 data[STAGES][TILE_WORDS];
	__shared__ u64 full[STAGES], empty[STAGES];
	__shared__ u32 sums[CONSUMERS];
	u32 t = threadIdx.x, tiles = (words + TILE_WORDS - 1) / TILE_WORDS;

	if (t == 0)
		pipe_init(shared_address(full), 1, shared_address(empty), CONSUMERS / 32, STAGES);
	__syncthreads();

	if (t >= CONSUMERS) {
		if (elect_sync()) {
			pipe_state state = { 0, 1 };

#pragma unroll 1
			for (u32 i = 0; i < tiles; i++) {
				u32 bar = shared_address(&full[state.slot]);

				mbarrier_wait(shared_address(&empty[state.slot]), state.phase);
				mbarrier_arrive_expect_tx(bar, TILE_BYTES);
				cp_async_bulk_g2s(shared_address(data[state.slot]),
						  in + i * TILE_WORDS, TILE_BYTES, bar);
				state.next(STAGES);
			}
		}
	} else {
		pipe_state state = { 0, 0 };

#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			u32 left = words - i * TILE_WORDS;
			u32 threads = left < CONSUMERS ? left : CONSUMERS;

			mbarrier_wait(shared_address(&full[state.slot]), state.phase);
			if (t / 32 * 32 < threads) {
				sums[t] = data[state.slot][t] * 5;
				bar_sync(1, threads);		// BUG: no multiple of 32
				out[i * TILE_WORDS + t] = sums[t] + sums[t % 32];
			}
			bar_warp_sync(~0u);
			if (laneid() == 0)
				mbarrier_arrive(shared_address(&empty[state.slot]));
			state.next(STAGES);
		}
	}
}
