// SPDX-License-Identifier: MIT
// The last rows may lie behind the end of the matrix, and the producer does not copy a tile that is
// quite outside. The programmer forgot the same condition where the consumers wait: they wait for
// a tile that nobody copies.
#include "../pipeline.cuh"

#define CONSUMERS 64
#define STAGES 2
#define TILE_WORDS (2 * CONSUMERS)
#define TILE_BYTES (4 * TILE_WORDS)

KERNEL unpredicated_wait(const u32 *in, u32 *out, u32 tiles, u32 words)
{
	__shared__ __align__(128) u32 data[STAGES][TILE_WORDS];
	__shared__ u64 full[STAGES], empty[STAGES];
	u32 t = threadIdx.x;

	if (t == 0)
		pipe_init(shared_address(full), 1, shared_address(empty), CONSUMERS / 32, STAGES);
	__syncthreads();

	if (t >= CONSUMERS) {
		if (elect_sync()) {
			pipe_state state = { 0, 1 };

#pragma unroll 1
			for (u32 i = 0; i < tiles; i++) {
				u32 bar = shared_address(&full[state.slot]);

				if (i * TILE_WORDS < words) {
					mbarrier_wait(shared_address(&empty[state.slot]),
						      state.phase);
					mbarrier_arrive_expect_tx(bar, TILE_BYTES);
					cp_async_bulk_g2s(shared_address(data[state.slot]),
							  in + i * TILE_WORDS, TILE_BYTES, bar);
				}
				state.next(STAGES);
			}
		}
	} else {
		pipe_state state = { 0, 0 };

#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			u32 sum = 0;

			// BUG: only tiles that begin before the end of the matrix are copied
			mbarrier_wait(shared_address(&full[state.slot]), state.phase);
			if (i * TILE_WORDS < words)
				sum = data[state.slot][t] + data[state.slot][CONSUMERS + t];
			out[i * CONSUMERS + t] = sum;
			bar_warp_sync(~0u);
			if (laneid() == 0)
				mbarrier_arrive(shared_address(&empty[state.slot]));
			state.next(STAGES);
		}
	}
}
