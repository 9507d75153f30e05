// SPDX-License-Identifier: MIT
// The programmer computed the parity from the index of the loop over k. That is right for the first
// tile of the output. At the second tile the index begins again at 0, but the mbarriers have
// completed three phases and go on from there. The producer waits for the phase that is in progress
// instead of the one before it, and nobody can complete that phase before the producer goes on.
#include "../pipeline.cuh"

#define CONSUMERS 64
#define STAGES 2
#define STEPS 6			// an odd number of rounds through the stages
#define TILE_WORDS (2 * CONSUMERS)
#define TILE_BYTES (4 * TILE_WORDS)

KERNEL parity_of_index(const u32 *in, u32 *out, u32 tiles)
{
	__shared__ __align__(128) u32 data[STAGES][TILE_WORDS];
	__shared__ u64 full[STAGES], empty[STAGES];
	u32 t = threadIdx.x;
	pipe_state state = { 0, 0 };

	if (t == 0)
		pipe_init(shared_address(full), 1, shared_address(empty), CONSUMERS / 32, STAGES);
	__syncthreads();

#pragma unroll 1
	for (u32 i = 0; i < tiles; i++) {
		if (t < CONSUMERS) {
			u32 sum = 0;

#pragma unroll 1
			for (u32 k = 0; k < STEPS; k++) {
				mbarrier_wait(shared_address(&full[state.slot]), state.phase);
				sum += data[state.slot][t] + data[state.slot][CONSUMERS + t];
				bar_warp_sync(~0u);
				if (laneid() == 0)
					mbarrier_arrive(shared_address(&empty[state.slot]));
				state.next(STAGES);
			}
			out[i * CONSUMERS + t] = sum;
		} else if (elect_sync()) {
#pragma unroll 1
			for (u32 k = 0; k < STEPS; k++) {
				u32 slot = k % STAGES, bar = shared_address(&full[slot]);
				u32 phase = (k / STAGES & 1) ^ 1;

				// BUG: the parity does not count the phases of earlier tiles
				mbarrier_wait(shared_address(&empty[slot]), phase);
				mbarrier_arrive_expect_tx(bar, TILE_BYTES);
				cp_async_bulk_g2s(shared_address(data[slot]),
						  in + (i * STEPS + k) * TILE_WORDS, TILE_BYTES,
						  bar);
			}
		}
		bar_warp_sync(~0u);
		__syncthreads();
	}
}
