// SPDX-License-Identifier: MIT
// Two consumer warps exchange their sums through shared memory, with a named barrier between the
// stores and the loads. The programmer counted all three warps of the CTA. But the producer warp
// does not come to this barrier: the consumers wait for it for ever, and it waits for them at the
// barrier of the CTA.
#include "../pipeline.cuh"

#define CONSUMERS 64
#define STAGES 2
#define TILE_WORDS (2 * CONSUMERS)
#define TILE_BYTES (4 * TILE_WORDS)

KERNEL barrier_warp_missing(const u32 *in, u32 *out, u32 tiles)
{
	__shared__ __align__(128) u32 data[STAGES][TILE_WORDS];
	__shared__ u64 full[STAGES], empty[STAGES];
	__shared__ u32 sums[CONSUMERS];
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

				mbarrier_wait(shared_address(&empty[state.slot]), state.phase);
				mbarrier_arrive_expect_tx(bar, TILE_BYTES);
				cp_async_bulk_g2s(shared_address(data[state.slot]),
						  in + i * TILE_WORDS, TILE_BYTES, bar);
				state.next(STAGES);
			}
		}
	} else {
		pipe_state state = { 0, 0 };
		u32 sum = 0;

#pragma unroll 1
		for (u32 i = 0; i < tiles; i++) {
			mbarrier_wait(shared_address(&full[state.slot]), state.phase);
			sum += data[state.slot][t] + data[state.slot][CONSUMERS + t];
			bar_warp_sync(~0u);
			if (laneid() == 0)
				mbarrier_arrive(shared_address(&empty[state.slot]));
			state.next(STAGES);
		}
		sums[t] = sum;
		bar_sync(1, 96);	// BUG: the producer warp does not come
		out[t] = sums[t] + sums[(t + 32) % CONSUMERS];
	}
	bar_warp_sync(~0u);
	__syncthreads();
}
