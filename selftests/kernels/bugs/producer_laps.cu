// SPDX-License-Identifier: MIT
// The producer warp converts numbers to tiles. It fills all stages before the barrier of the CTA
// lets the consumers begin, and need not wait for empty stages there. The programmer filled one
// stage too many. The loop begins a second round: it writes over the first tile, and completes a
// second phase of its mbarrier before a consumer can have seen the first.
#include "../pipeline.cuh"

#define CONSUMERS 64
#define STAGES 3
#define TILE_WORDS (2 * CONSUMERS)

PTX void produce(u32 *tile, u32 full, const float *in)
{
	for (u32 k = laneid(); k < TILE_WORDS; k += 32)
		tile[k] = (u32)(in[k] * 16.0f);
	bar_warp_sync(~0u);
	if (laneid() == 0)
		mbarrier_arrive(full);
}

KERNEL producer_laps(const float *in, u32 *out, u32 tiles)
{
	__shared__ u32 data[STAGES][TILE_WORDS];
	__shared__ u64 full[STAGES], empty[STAGES];
	u32 t = threadIdx.x;

	if (t == CONSUMERS)
		pipe_init(shared_address(full), 1, shared_address(empty), CONSUMERS / 32, STAGES);
	if (t >= CONSUMERS) {
		bar_warp_sync(~0u);
#pragma unroll 1
		for (u32 i = 0; i <= STAGES; i++)
			// BUG: when i is STAGES, no consumer has seen the first tile
			produce(data[i % STAGES], shared_address(&full[i % STAGES]),
				in + i * TILE_WORDS);
	}
	__syncthreads();

	if (t >= CONSUMERS) {
		pipe_state state = { 0, 0 };

#pragma unroll 1
		for (u32 i = STAGES; i < tiles; i++) {
			mbarrier_wait(shared_address(&empty[state.slot]), state.phase);
			produce(data[state.slot], shared_address(&full[state.slot]),
				in + i * TILE_WORDS);
			state.next(STAGES);
		}
	} else {
		pipe_state state = { 0, 0 };

#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			mbarrier_wait(shared_address(&full[state.slot]), state.phase);
			out[i * CONSUMERS + t] = data[state.slot][t] +
						 data[state.slot][CONSUMERS + t];
			bar_warp_sync(~0u);
			if (laneid() == 0)
				mbarrier_arrive(shared_address(&empty[state.slot]));
			state.next(STAGES);
		}
	}
}
